import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { at, canary, companiesCsv, createPlace, fixture, writeConfig, type CliPlace } from '../support/cli.js'
import { strangeMatch, startStrangeService } from '../support/strange-service.js'

const folder = fileURLToPath(new URL('golden/', import.meta.url))
const isUpdating = process.env['UPDATE_GOLDEN'] === '1'

/** What differs from run to run, by what stands for it. Durations and rates are of no fixed width. */
const volatile: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?Z?)?/g, '<time>'],
  // Which differences there are is tested where they are found.
  [/interface in \d+ ways, kept unchanged: .*/g, 'interface in <count> ways, kept unchanged: <names>'],
  [/demo registry( \(|: )\d+ companies/g, 'demo registry$1<count> companies'],
  [/http:\/\/127\.0\.0\.1:\d+\/gateway/g, '<base url>'],
  [/\benr_[0-9a-z_]+/g, '<custom id>'],
  [/registry edition [0-9a-f]+/g, 'registry edition <edition>'],
  [/(in|after) [\d.]+s:/g, '$1 <duration>:'],
  [/[\d,]+ submissions a minute/g, '<rate> submissions a minute'],
  [/[\d,]+ polls? \([\d.]+ per answer\)/g, '<polls>'],
  [/Node\.js \d+\.\d+\.\d+/g, 'Node.js <version>'],
  [/enrich \d+\.\d+\.\d+/g, 'enrich <version>'],
  [/process \d+ on \S+/g, 'process <id> on <host>'],
]

const outcomeList = /((matched|partial_match|inconclusive|no_match|invalid_input) \d+( · )?)+/g

/** Compares with the golden file, or writes it: `UPDATE_GOLDEN=1 npx vitest run … test/cli/golden`. */
function expectGolden(name: string, text: string, place: CliPlace): void {
  const told = volatile
    .reduce(
      (told, [pattern, stands]) => told.replace(pattern, stands),
      text.replaceAll(fixture('companies.csv'), 'companies.csv'),
    )
    .replaceAll(place.folder, '<folder>')
    .replaceAll(fixture('../docs/'), '<package>/docs/')
  const path = `${folder}${name}.txt`
  if (isUpdating) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, told)
  }
  expect(existsSync(path) ? readFileSync(path, 'utf8') : `${path} is missing: UPDATE_GOLDEN=1 makes it`).toBe(
    told,
  )
}

/** What a person sees: the command, then everything it says, standard error first. */
async function said(place: CliPlace, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await place.run(args, { env })
  // A slow machine tells its progress in between, and what still runs when the credit ends.
  const told = stderr.replace(/^(.* done · |No more lookups are submitted: ).*\n/gm, '')
  return `$ ${['enrich', ...args].join(' ')}\n${told}${stdout}(exit ${String(code)})\n`
}

describe('what people read', () => {
  test('help', async () => {
    const place = createPlace()
    const text = await said(place, ['--help'])
    expectGolden('help', text, place)
    // The command, the help and the exit code; the help fits one screen.
    expect(text.split('\n').length - 3).toBeLessThanOrEqual(40)
  })

  test('help of a run, and all of it', async () => {
    const place = createPlace()
    const texts = [await said(place, ['run', '--help']), await said(place, ['--help-all'])]
    expectGolden('help-of-run', texts.join('\n'), place)
  })

  test('help of each command', async () => {
    const place = createPlace()
    const commands = 'plan show status export retry serve receive mcp doctor registry'.split(' ')
    const texts = await Promise.all(commands.map((name) => said(place, [name, '--help'])))
    expectGolden('help-of-commands', texts.join('\n'), place)
  })

  test('the embedded service, from the plan to the end', async () => {
    const place = createPlace()
    const input = fixture('companies.csv')
    const steps = [
      ['status'],
      ['plan', input],
      [input, '-o', 'out.parquet'],
      [input, '-o', 'out.parquet'],
      ['status'],
      ['export', input, '-o', 'out.csv'],
      ['doctor'],
    ]
    let text = ''
    for (const step of steps) text += `${await said(place, step)}\n`
    // Which rows match is the matcher's to say, and tested there.
    expectGolden('embedded', text.replace(outcomeList, '<outcomes>'), place)
  })

  test('a hosted service that loses, fails, runs out of credit, and comes back', async () => {
    const place = createPlace()
    place.write('companies.csv', companiesCsv(['Acme', 'Lost', 'Broken', 'Late', '']))
    // One after another, so that what is lost is always the same.
    writeConfig(place, {
      limits: { submitPerMinute: 60_000, pollPerMinute: 60_000, submitConcurrency: 1 },
      polling: { firstAfterSeconds: 0, intervalSeconds: 0.05 },
    })
    let hasCredit = false
    const service = await startStrangeService({
      apiKey: canary,
      answers: { Acme: strangeMatch('Acme SE'), Broken: 'fails' },
      faults: ({ method, body }) => {
        if (method !== 'POST') return undefined
        if (body.includes('"Lost"')) return 'accept_then_reset'
        if (body.includes('"Late"') && !hasCredit)
          return { status: 402, body: { error: { type: 'insufficient_credit', message: 'no credit left' } } }
        return undefined
      },
    })
    onTestFinished(() => service.close())
    const env = at(service).env ?? {}
    const command = ['companies.csv', '-o', 'out.csv']
    let text = ''
    for (const step of [['plan', ...command], command, ['status']])
      text += `${await said(place, step, env)}\n`
    hasCredit = true
    for (const step of [command, ['status', '--uncertain'], ['doctor']])
      text += `${await said(place, step, env)}\n`
    expectGolden('hosted', text, place)
  })

  test('mistakes', async () => {
    const place = createPlace()
    place.write('firmen.csv', 'kode,ort\nAcme,Bonn\n')
    place.write('taken.csv', 'name,enrich_status\nAcme,x\n')
    place.write('config.json', '{"output":{"pth":"out.csv"}}')
    place.write('companies.xlsx', 'PK')
    const mistakes = [
      [],
      ['companies.csv'],
      ['firmen.csv'],
      ['firmen.csv', '-o', 'out.csv'],
      ['firmen.csv', '-o', 'out.txt2'],
      ['firmen.csv', '-o', 'nowhere/out.csv'],
      ['firmen.csv', '-o', 'firmen.csv', '--name-column', 'kode'],
      ['taken.csv', '-o', 'out.csv'],
      ['companies.xlsx', '-o', 'out.csv'],
      ['firmen.csv', '-o', 'out.csv', '--config', 'config.json'],
      ['firmen.csv', '-o', 'out.csv', '--base-url', 'https://api.example.com'],
      ['firmen.csv', '-o', 'out.csv', '--limit', 'few'],
      ['export', 'firmen.csv', '-o', 'out.csv', '--name-column', 'kode'],
      ['staus'],
      ['serve'],
    ]
    const texts = await Promise.all(mistakes.map((args) => said(place, args, { ENRICH_API_KEY: '' })))
    expectGolden('mistakes', texts.join('\n'), place)
  })
})
