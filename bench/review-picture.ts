import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'

const root = fileURLToPath(new URL('../', import.meta.url))
const main = join(root, 'dist/cli/main.js')
const bytesMax = 250_000
const size = { width: 1_400, height: 880 }

/** Lookups with the same name, and places that do not tell which company is meant. */
const doubted = ['Springfield', 'Dover', 'Madison', 'Auburn', 'Salem', 'Clinton']

/** `npm run picture`: the review page over the fixtures, and a group of lookups with the same name, as docs/manual/doubtful-rows.md shows them. */
const folder = mkdtempSync(join(tmpdir(), 'enrich-picture-'))
try {
  copyFileSync(join(root, 'fixtures/companies.csv'), join(folder, 'companies.csv'))
  writeFileSync(
    join(folder, 'leads.csv'),
    `company_name,city\n${doubted.map((city) => `First,${city}\n`).join('')}`,
  )
  const inputs = ['companies.csv', 'leads.csv']
  for (const input of inputs) run([input, '-o', `${input}.out.csv`, '--quiet'])
  // The page lists decisions about all inputs, so the picture without decisions comes first.
  await review('leads.csv', async (page) => {
    await page.keyboard.press('g')
    await page.waitForTimeout(500)
    await photograph(page, 'review-group.png')
  })
  await review('companies.csv', async (page) => {
    for (const key of ['n', 'j', '1', 'j']) {
      await page.keyboard.press(key)
      await page.waitForTimeout(500)
    }
    await photograph(page, 'review.png')
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** 3: some rows of the fixtures are there to fail. */
function run(args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: 'utf8' })
  if (status !== 0 && status !== 3) throw new Error(`${args.join(' ')}: ${status}\n${stderr}`)
}

async function review(input: string, use: (page: Page) => Promise<void>): Promise<void> {
  const args = [main, 'review', input, '--no-open', '--json', '--reviewer', 'ada']
  const server = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: size, colorScheme: 'light' })
    await page.goto(await addressOf(server))
    await page.waitForTimeout(1_500)
    await use(page)
  } finally {
    await browser.close()
    server.kill('SIGINT')
  }
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [, url] = /"url":"([^"]+)"/.exec(said) ?? []
      if (url !== undefined) resolve(url)
    })
    server.once('exit', () => {
      reject(new Error('enrich review has ended'))
    })
  })
}

async function photograph(page: Page, name: string): Promise<void> {
  const picture = join(root, 'docs/pictures', name)
  await page.screenshot({ path: picture })
  const { size: bytes } = statSync(picture)
  if (bytes > bytesMax) throw new Error(`${picture} has ${bytes} bytes, more than ${bytesMax}`)
  console.log(`${picture}: ${bytes} bytes`)
}
