import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../', import.meta.url))
const picture = join(root, 'docs/pictures/report.png')
const bytesMax = 200_000
const size = { width: 1_000, height: 1_150 }

/** What became of the register by each night; a list of companies changes a little too. */
const nights: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace('One Microsoft Way', '1 Microsoft Way').replace(/^tesla.*$/m, ''),
  (text) =>
    text
      .replace('Apple Inc.', 'Apple Holdings Inc.')
      .replace(/(^netflix[^\n]*),active,/m, '$1,inactive,')
      .replace(/^sap-se.*$/m, ''),
]

/** `npm run picture`: the report of a third night over the fixtures, as the README shows it. */
const folder = mkdtempSync(join(tmpdir(), 'enrich-picture-'))
try {
  for (const [night, edit] of nights.entries()) runNight(night, edit)
  await photograph(join(folder, 'report.html'))
  const { size: bytes } = statSync(picture)
  if (bytes > bytesMax) throw new Error(`the picture has ${bytes} bytes, more than ${bytesMax}`)
  console.log(`${picture}: ${bytes} bytes`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Each night has a registry of its own, and a few rows more than the one before. */
function runNight(night: number, edit: (text: string) => string): void {
  const register = readFileSync(join(root, 'fixtures/registry/companies.csv'), 'utf8')
  const rows = readFileSync(join(root, 'fixtures/companies.csv'), 'utf8').trimEnd().split('\n')
  writeFileSync(join(folder, 'register.csv'), edit(register))
  writeFileSync(join(folder, 'companies.csv'), `${rows.slice(0, rows.length - 8 + 4 * night).join('\n')}\n`)
  const registry = `night-${night + 1}.sqlite`
  enrich(['registry', 'import', 'csv', 'register.csv', '--registry', registry])
  enrich([
    'companies.csv',
    '-o',
    'out.csv',
    '--registry',
    registry,
    '--report',
    'report.html',
    '--report-by',
    'owner',
  ])
}

/** 3: some rows of the fixtures are there to fail. */
function enrich(args: readonly string[]): void {
  const run = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args, ...quiet(args)], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (run.status !== 0 && run.status !== 3) throw new Error(`${args.join(' ')}: ${run.status}\n${run.stderr}`)
}

function quiet(args: readonly string[]): string[] {
  return args[0] === 'registry' ? [] : ['--quiet']
}

async function photograph(path: string): Promise<void> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: size, colorScheme: 'light' })
    await page.goto(pathToFileURL(path).href)
    await page.screenshot({ path: picture })
  } finally {
    await browser.close()
  }
}
