import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { createPlace, fixture } from '../support/cli.js'
import { readAlignedTable, readCodeBlocks } from '../support/documents.js'
import { readJsonLines } from '../support/json-lines.js'
import { rowsOfCsv } from '../support/tables.js'

/**
 * Results of runs on the demo registry that pages show. `UPDATE_GOLDEN=1 npx vitest run --config test/vitest.config.ts --root .
 * test/cli/shown-results` writes those of today into the pages, but not sources and names of companies.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const isUpdating = process.env['UPDATE_GOLDEN'] === '1'

type Row = Readonly<Record<string, string>>
type Event = Record<string, unknown> & { readonly type: string }
let rows: readonly Row[]
let sources: readonly Row[]
let events: readonly Event[]
let mistyped: Row

beforeAll(async () => {
  const ends: (() => unknown)[] = []
  const place = createPlace((end) => ends.push(end as () => unknown))
  const ran = await place.run([fixture('companies.csv'), '-o', 'out.parquet', '--json'])
  events = readJsonLines<Event>(ran.stdout)
  await place.run(['export', fixture('companies.csv'), '-o', 'out.csv'])
  rows = rowsOfCsv(place.read('out.csv'))
  sources = rowsOfCsv(place.read('out.csv.basis.csv'))
  place.write('one.csv', 'company_name\nMicrosof\n')
  await place.run(['one.csv', '-o', 'one.out.csv', '--quiet'])
  mistyped = rowsOfCsv(place.read('one.out.csv'))[0] ?? {}
  return () => {
    for (const end of ends) end()
  }
})

/** Expects a page to be as `correct` returns it: with the results of today. */
function expectCurrent(page: string, correct: (text: string) => string): void {
  const path = join(root, page)
  const text = readFileSync(path, 'utf8')
  const current = correct(text)
  if (isUpdating) writeFileSync(path, current)
  else expect(text, `${page} shows other results than a run today; UPDATE_GOLDEN=1 writes them`).toBe(current)
}

/** Replaces cells of the tables that begin with `start`; the columns keep their places. */
function correctTables(page: string, start: string, findCells: (row: Row) => Row | undefined): string {
  const tables = readCodeBlocks(page).filter(({ text }) => text.startsWith(start))
  expect(tables).toHaveLength(1)
  const [{ text } = { text: '' }] = tables
  const [header = '', ...lines] = text.trimEnd().split('\n')
  const columns = [...header.matchAll(/\S+(?: \S+)*/g)]
  const corrected = readAlignedTable(text).map((row, at) => {
    const cells: Row = { ...row, ...findCells(row) }
    const line = columns.map(({ 0: name, index }, column) => {
      const width = (columns[column + 1]?.index ?? index) - index
      return (cells[name] ?? '').padEnd(width)
    })
    expect(readAlignedTable([header, lines[at]].join('\n'))).toEqual([row])
    return line.join('').trimEnd()
  })
  return page.replace(text, `${[header, ...corrected].join('\n')}\n`)
}

test('the table of README.md', () => {
  expectCurrent('README.md', (page) =>
    correctTables(page, 'row  company_name', ({ row }) => {
      const { enrich_status: status = '', enrich_confidence: confidence = '' } = rows[Number(row) - 1] ?? {}
      return { status, confidence }
    }),
  )
})

test('the tables of docs/manual/start.md', () => {
  expectCurrent('docs/manual/start.md', (page) =>
    correctTables(page, 'company_name         city', (shown) => {
      const found = rows.find(
        (row) => row['company_name'] === shown['company_name'] && row['city'] === shown['city'],
      )
      expect(found, `a row of ${JSON.stringify(shown)}`).toBeDefined()
      return Object.fromEntries(Object.keys(shown).map((column) => [column, found?.[column] ?? '']))
    }),
  )
  const page = readFileSync(join(root, 'docs/manual/start.md'), 'utf8')
  const [basis] = readCodeBlocks(page).filter(({ text }) => text.startsWith('company_name  field'))
  const shown = readAlignedTable(basis?.text ?? '')
  expect(shown.length).toBeGreaterThan(1)
  for (const { company_name: name, source, ...facts } of shown)
    expect(sources).toContainEqual(expect.objectContaining({ ...facts, name, citation_url: source }))
})

/** Returns the current values of shown members; of counts by status, all. */
function pickShown(shown: unknown, current: unknown): unknown {
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return current
  const all = current as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(shown).map(([key, value]) => [
      key,
      key === 'rowsByStatus'
        ? { ...pickKnown(value as object, all[key] as object) }
        : pickShown(value, all[key]),
    ]),
  )
}
const pickKnown = (shown: object, current: object) =>
  Object.fromEntries(Object.entries({ ...shown, ...current }).filter(([status]) => status in current))

test('the events of docs/reference/scripting.md', () => {
  expectCurrent('docs/reference/scripting.md', (page) => {
    const [block] = readCodeBlocks(page).filter(({ language }) => language === 'json')
    const shown = readJsonLines<Event>(block?.text ?? '')
    expect(shown.map(({ type }) => type)).toEqual(['planned', 'finished', 'error'])
    const lines = shown.map((event) => {
      const written = events.find(({ type }) => type === event.type)
      return JSON.stringify(written === undefined ? event : pickShown(event, written))
    })
    return page.replace(block?.text ?? '', `${lines.join('\n')}\n`)
  })
})

test('the share of matched rows in docs/manual/nightly-jobs.md', () => {
  const matched = rows.filter((row) => row['enrich_status'] === 'matched').length
  const share = `${((100 * matched) / rows.length).toFixed(1)} %`
  expectCurrent('docs/manual/nightly-jobs.md', (page) => {
    const [block] = readCodeBlocks(page).filter(({ text }) => text.startsWith('run  began'))
    const text = block?.text ?? ''
    expect(text.match(/\d+\.\d %/g)).toHaveLength(2)
    return page.replace(text, text.replace(/\d+\.\d %/g, share))
  })
})

test('the confidence of a name without a place in docs/reference/register-files.md', () => {
  const confidence = mistyped['enrich_confidence'] ?? ''
  expectCurrent('docs/reference/register-files.md', (page) => {
    const sentence = /`Microsof` without a place finds Microsoft with \d+, so the row\s+has \d+/
    expect(page).toMatch(sentence)
    return page.replace(sentence, (text) => text.replace(/\d+/g, confidence))
  })
})
