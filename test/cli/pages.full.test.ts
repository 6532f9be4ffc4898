import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, type TestContext } from 'vitest'
import { canary, createPlace, mainPath, quickConfig, writeConfig, type CliPlace } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'
import { readAlignedTable, readCodeBlocks, readCommands, type CodeBlock } from '../support/documents.js'
import { rowsOfCsv } from '../support/tables.js'
import { textRow, writeXlsx } from '../support/xlsx-file.js'

/** The commands that the tutorials, the guides and the README show, run as they are shown. */
const root = fileURLToPath(new URL('../..', import.meta.url))
const blocksOf = (page: string): CodeBlock[] => readCodeBlocks(readFileSync(join(root, page), 'utf8'))

const pages = [
  'README.md',
  'docs/manual/start.md',
  'docs/manual/your-own-list.md',
  'docs/manual/troubleshooting.md',
  'examples/README.md',
]
/** Sections whose commands run as they are shown. The others of their pages need a server, a network or files. */
const sections: Readonly<Record<string, readonly string[]>> = {
  'docs/manual/money-and-limits.md': ['Budgets', 'Uncertain lookups'],
  'docs/manual/resuming.md': ['Repair damage'],
  'docs/manual/nightly-jobs.md': ['Alarms', 'Changes between runs'],
  'docs/manual/doubtful-rows.md': ['Review in a spreadsheet'],
  'docs/reference/scripting.md': ['In jq'],
  'docs/reference/http-interface.md': ['Call a single route'],
}

const readAfterRun = /(?:troubleshooting|resuming|doubtful-rows|nightly-jobs)\.md$/

/** In a clone, npx runs the command of the clone. */
const withoutNpx = (command: string): string =>
  command.replace(/^(?:npm ci && npx|npx --no-install) enrich /, 'enrich ')

/** Commands of other programs, and of shells that other tests start. */
const isOther = (command: string): boolean => /^npm |^source <\(|completion fish/.test(command)

/** Exit codes of commands that do not end with 0. */
const exitCodes: Readonly<Record<string, number>> = {
  'enrich fixtures/companies.csv -o out.parquet --max-lookups 100': 8,
  "enrich companies.csv -o out.parquet --fail-on 'lost_match>5%, matched<80%, failed>0'": 6,
}

type Finishing = Pick<TestContext, 'onTestFinished'>

/** An empty folder, with `enrich` as an installed command. */
function createNewFolder({ onTestFinished }: Finishing): CliPlace {
  const place = createPlace(onTestFinished)
  chmodSync(mainPath, 0o755)
  mkdirSync(join(place.temporaryFolder, 'bin'))
  symlinkSync(mainPath, join(place.temporaryFolder, 'bin/enrich'))
  return place
}

/** A folder like a clone, with the files that pages name. */
function createClone(context: Finishing): CliPlace {
  const place = createNewFolder(context)
  for (const name of ['fixtures', 'examples']) cpSync(join(root, name), place.path(name), { recursive: true })
  for (const name of ['companies.csv', 'customers.csv'])
    cpSync(join(root, 'fixtures/companies.csv'), place.path(name))
  place.write('latin.csv', Buffer.from('company_name\nMüller GmbH\nSociété Générale\n', 'latin1'))
  place.write('names.txt', 'Apple Inc.\nSAP SE\n')
  place.write('companies.ndjson', '{"company":{"name":"Apple","address":{"city":"Cupertino"}}}\n')
  place.write('reconciled.csv', 'company_name,LEI\nApple,HWUPKR0MPOU8FGXBT394\nApple Records,\n')
  const cells = [
    ['company_name', 'city'],
    ['Apple', 'London'],
    ['SAP SE', 'Walldorf'],
  ]
  const rows = cells.map((row, at) => textRow(at + 1, row)).join('')
  writeXlsx(place.folder, 'customers.xlsx', { sheets: [{ name: 'Customers', rows }] })
  return place
}

/** Words that a shell takes as they are, some of them in quotes. */
const plainWords = /^enrich(?: (?:[\w./:=,%-]|'[^']*')+)+$/

/**
 * Runs a command. In a shell, nothing but the given environment reaches it; a command without signs for a shell needs
 * none. Only the shell runs without an API key.
 */
async function runAsShown(
  place: CliPlace,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; printed: string }> {
  const isKeyless = 'ENRICH_BASE_URL' in env && !('ENRICH_API_KEY' in env)
  if (isKeyless || !plainWords.test(command)) return runInShell(place, command, env)
  const words = command.match(/(?:[^\s']|'[^']*')+/g) ?? []
  const [, ...args] = words.map((word) => word.replaceAll("'", ''))
  const { code, stdout, stderr } = await place.run(args, { env: { HOME: place.temporaryFolder, ...env } })
  return { code, printed: stdout + stderr }
}

async function runInShell(
  place: CliPlace,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; printed: string }> {
  const home = place.temporaryFolder
  const child = spawn('bash', ['-c', command], {
    cwd: place.folder,
    env: { PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed }
}

/** Runs the commands of a block in order. A block that names a base URL is run against a service on this machine. */
async function runBlock(place: CliPlace, { text }: CodeBlock, context: TestContext): Promise<void> {
  const env: Record<string, string> = {}
  for (const command of readCommands(text)
    .map(withoutNpx)
    .filter((line) => !isOther(line))) {
    if (command.startsWith('export ENRICH_BASE_URL=')) {
      const service = await startHosted({}, context.onTestFinished)
      env['ENRICH_BASE_URL'] = service.baseUrl
      writeConfig(place, quickConfig)
    } else if (command.startsWith('export ENRICH_API_KEY_FILE=')) {
      env['ENRICH_API_KEY'] = canary
    } else {
      const ended = await runAsShown(place, command, env)
      expect({ command, ...ended }).toEqual({
        command,
        printed: expect.any(String) as string,
        code: exitCodes[command] ?? 0,
      })
    }
  }
  if ('ENRICH_BASE_URL' in env) rmSync(place.path('pipeline.config.json'), { force: true })
}

/** Expects each row of a table that a page shows to be in one of these outputs. */
function expectShown(shown: readonly Record<string, string>[], outputs: readonly Record<string, string>[]) {
  expect(shown.length).toBeGreaterThan(0)
  for (const row of shown) expect(outputs).toContainEqual(expect.objectContaining(row))
}

test.for([...pages, ...Object.keys(sections)])(
  'the commands of %s end as the page says',
  async (page, context) => {
    const place = createClone(context)
    // These pages are read after a run.
    if (readAfterRun.test(page)) await place.run(['companies.csv', '-o', 'first.csv'])
    const headings = sections[page]
    const blocks = blocksOf(page).filter(
      ({ language, heading }) => language === 'sh' && (headings?.includes(heading) ?? true),
    )
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) await runBlock(place, block, context)
  },
)

describe('the results that pages show are what the commands write; shown-results.test.ts has those of the demo registry', () => {
  test('in docs/manual/registers.md, with the files that it names', async (context) => {
    const downloaded = createNewFolder(context)
    const registers = downloaded.path('registers')
    mkdirSync(registers)
    writeFileSync(join(registers, 'company_tickers_exchange.json'), tickers)
    const example = createNewFolder(context)
    cpSync(join(root, 'examples/register.csv'), example.path('register.csv'))
    const loads: string[] = []
    const headings = ['Load files that you downloaded', 'Try it without a download']
    for (const block of blocksOf('docs/manual/registers.md')) {
      if (!headings.includes(block.heading)) continue
      const place = block.heading === 'Try it without a download' ? example : downloaded
      if (block.language === 'csv') place.write('companies.csv', block.text)
      else if (block.language === 'text')
        expectShown(readAlignedTable(block.text), rowsOfCsv(place.read('out.csv')))
      else if (block.language === 'sh') {
        if (/^enrich registry load registers$/m.test(block.text)) loads.push(block.text)
        if (loads.length === 2) writeFileSync(join(registers, 'BasicCompanyData-2026-11-01.csv'), british)
        await runBlock(place, block, context)
      }
    }
    expect(loads).toHaveLength(2)
  })
})

test('a name is found with each addition that docs/manual/your-own-list.md shows', async (context) => {
  const page = readFileSync(join(root, 'docs/manual/your-own-list.md'), 'utf8')
  const [, section = ''] = /^## What a name cell may contain\n([^]*?)^## /m.exec(page) ?? []
  const table = section.match(/^\|.*$/gm)?.join('\n') ?? ''
  const names = [...table.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(8)
  const place = createNewFolder(context)
  place.write('names.csv', `company_name\n${names.map((name) => `"${name}"\n`).join('')}`)
  expect((await place.run(['names.csv', '-o', 'out.csv'])).code).toBe(0)
  const statuses = rowsOfCsv(place.read('out.csv')).map((row) => [row['company_name'], row['enrich_status']])
  expect(statuses).toEqual(names.map((name) => [name, 'matched']))
})

test('a source is removed from a registry as docs/manual/registers.md says, and the other companies keep their ids', async (context) => {
  const place = createClone(context)
  const registers = place.path('registers')
  mkdirSync(registers)
  writeFileSync(join(registers, 'company_tickers_exchange.json'), tickers)
  writeFileSync(join(registers, 'BasicCompanyData-2026-11-01.csv'), british)
  const find = async (name: string) =>
    (await place.run(['registry', 'search', name, '--json'])).stdout.match(/"entityId":"siq_\w+"/g)
  await place.run(['registry', 'load', 'registers'])
  const apple = await find('apple')
  expect([apple?.length, (await find('tesco stores'))?.length]).toEqual([1, 1])
  const refused = await place.run(['registry', 'remove', 'companies-house'])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('docs/manual/registers.md')])
  rmSync(join(registers, 'BasicCompanyData-2026-11-01.csv'))
  const blocks = blocksOf('docs/manual/registers.md').filter(({ heading }) => heading === 'Remove a source')
  expect(blocks).toHaveLength(2)
  for (const block of blocks) await runBlock(place, block, context)
  expect([await find('apple'), await find('tesco stores')]).toEqual([apple, null])
})

const tickers = JSON.stringify({
  fields: ['cik', 'name', 'ticker', 'exchange'],
  data: [
    [37996, 'FORD MOTOR CO', 'F', 'NYSE'],
    [320193, 'Apple Inc.', 'AAPL', 'Nasdaq'],
    [789019, 'MICROSOFT CORP', 'MSFT', 'Nasdaq'],
  ],
})

const british = `CompanyName, CompanyNumber,RegAddress.CareOf,RegAddress.POBox,RegAddress.AddressLine1, RegAddress.AddressLine2,RegAddress.PostTown,RegAddress.County,RegAddress.Country,RegAddress.PostCode,CompanyCategory,CompanyStatus,CountryOfOrigin,DissolutionDate,IncorporationDate,SICCode.SicText_1
TESCO STORES LIMITED,00519500,,,TESCO HOUSE,SHIRE PARK,WELWYN GARDEN CITY,,UNITED KINGDOM,AL7 1GA,Private Limited Company,Active,United Kingdom,,22/05/1953,47110 - Retail sale
`
