import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/file-config.js'
import { listOptions } from '../../../src/config/option.js'
import { stageKinds } from '../../../src/core/lookup-state.js'
import { environmentVariables } from '../../../src/cli/run-help.js'
import { options } from '../../../src/config/options.js'
import { errorTable } from '../../../src/core/errors.js'
import { errorExamples } from './error-examples.js'
import { readMessagePatterns } from './error-messages.js'
import { companyNumbers, isSent } from './numbers-page.js'
import { generatePages } from './pages.js'
import { exampleConfig, markersOf, tables, withTables } from './tables.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')
/** `UPDATE_GOLDEN=1` writes what is compared otherwise. */
const isUpdating = process.env['UPDATE_GOLDEN'] === '1'
const pages = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const marked = ['ARCHITECTURE.md', ...pages.filter((path) => markersOf(read(path)).length > 0)]

function expectMade(path: string, text: string): void {
  if (isUpdating) {
    mkdirSync(dirname(root + path), { recursive: true })
    writeFileSync(root + path, text)
  }
  expect(read(path)).toBe(text)
}

describe('what is made from the code', () => {
  test.each(marked)('%s', (path) => {
    expectMade(path, withTables(read(path), path))
  })

  test('the pages of errors and commands', async () => {
    const generated = await generatePages()
    for (const [path, text] of generated) expectMade(path, text)
    const names = readdirSync(`${root}docs/reference/commands`).map(
      (name) => `docs/reference/commands/${name}`,
    )
    expect(names.filter((path) => !generated.has(path))).toEqual([])
  })

  test('a number to use instead is sent, and is named for numbers that are not sent', () => {
    const sent = companyNumbers.filter(([country, name, example]) => isSent(country, name, example))
    const names = new Set(sent.map(([country, name]) => `${country} ${name}`))
    for (const [country, name, example, instead] of companyNumbers) {
      if (instead === undefined) continue
      expect([name, isSent(country, name, example)]).toEqual([name, false])
      for (const one of instead.split(', ')) expect([...names, 'DE HRA']).toContain(`${country} ${one}`)
    }
  })

  test('the example of an error is a message that the code gives', () => {
    expect(Object.keys(errorExamples).sort()).toEqual(Object.keys(errorTable).sort())
    const patterns = readMessagePatterns()
    const compared = Object.entries(errorExamples).filter(([code]) => patterns.has(code))
    expect(compared.length).toBeGreaterThan(150)
    const unlike = compared.filter(
      ([code, text]) => !patterns.get(code)?.some((pattern) => pattern.test(text)),
    )
    expect(unlike).toEqual([])
  })

  test('pipeline.config.example.json, which is a config', async () => {
    const example = exampleConfig()
    expect(parseConfig(example, 'the example')).toEqual(example)
    const path = 'pipeline.config.example.json'
    expectMade(path, await format(JSON.stringify(example, null, 2), { parser: 'json', printWidth: 110 }))
  })

  test('every table stands in one page, and every key of the config in one table', () => {
    const markers = pages.flatMap((path) => markersOf(read(path)).map((marker) => marker.split(' ')))
    const stages = markers.flatMap(([name, ...words]) => (name === 'stage-columns' ? words : []))
    expect(stages).toEqual(stageKinds)
    const severalTimes = ['options', 'stage-columns']
    expect(
      markers
        .map(([name = '']) => name)
        .filter((name) => !severalTimes.includes(name))
        .sort(),
    ).toEqual(
      Object.keys(tables)
        .filter((name) => !severalTimes.includes(name))
        .sort(),
    )
    const groups = markers.flatMap(([name, ...words]) => (name === 'options' ? words : []))
    expect(groups.sort()).toEqual(Object.keys(options).sort())
  })

  test('the row of a flag that sets another value than true names this value', () => {
    for (const { path, option: entry } of listOptions(options)) {
      const value = entry.flag?.sets
      if (value === undefined || value === true) continue
      const row = tables['options']?.([path[0] ?? '']).rows.find((cells) =>
        cells.includes(`\`${path.join('.')}\``),
      )
      expect(row?.join(' ')).toContain(
        `The flag sets \`${typeof value === 'string' ? value : JSON.stringify(value)}\``,
      )
    }
  })

  test('a marker that names no table, or a group without options, is an error', () => {
    expect(() => withTables('<!-- table: nothing -->\n<!-- end -->')).toThrow('nothing')
    expect(() => withTables('<!-- table: options nothing -->\n<!-- end -->')).toThrow('nothing')
  })

  test('a row for each, which replaces the earlier table', () => {
    const page = 'Before.\n<!-- table: options webhook -->\nold\n<!-- end -->\nAfter.\n'
    const made = withTables(page)
    expect(made).toMatch(/^Before\.\n<!-- table: options webhook -->\n\| flag \|.*\n\|---\|---\|---\|---\|\n/)
    expect(made.match(/`webhook\.\w+`/g)).toEqual(['`webhook.url`', '`webhook.listen`'])
    expect(made).not.toContain('old')
    expect(withTables(made)).toBe(made)
  })
})

describe('what the tables say is used', () => {
  const source = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/core.error-codes|config.options/.test(path))
    .map((path) => read(`src/${path}`))
    .join('\n')

  test('every error code is thrown somewhere; one that is not in the table does not compile', () => {
    const unused = Object.keys(errorTable).filter((code) => !source.includes(`'${code}'`))
    expect(unused).toEqual([])
  })

  test('every variable of the environment is read: by its name, or as the option it belongs to', () => {
    const ofOptions = listOptions(options).flatMap(({ option: { variable } }) => variable ?? [])
    expect(ofOptions).toEqual(['ENRICH_BASE_URL', 'ENRICH_PARTITION', 'ENRICH_NOTIFY_URL'])
    const names = Object.keys(environmentVariables)
    expect(names).toEqual(expect.arrayContaining(ofOptions))
    const read = (name: string) =>
      ofOptions.includes(name) ||
      source.includes(`environment, '${name}')`) ||
      source.includes(`environment['${name}']`)
    expect(names.filter((name) => !read(name))).toEqual([])
  })

  test('every code and every exit code that the source names is in the tables', () => {
    const thrown = [...source.matchAll(/new UserError\(\s*'([A-Z_]+)'/g)].map(([, code = '']) => code)
    expect(thrown.length).toBeGreaterThan(100)
    expect(thrown.filter((code) => !(code in errorTable))).toEqual([])
  })
})
