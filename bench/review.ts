import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { importRegister } from '../src/registry/load.js'
import { findBrowser, openBrowser } from '../test/support/browser.js'
import { csvLine, diskFolder, grouped, ratio, type Say } from './support.js'

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const lookupCount = 10_000
/** A queue that nothing can be slow with, beside which the long one stands. */
const fewCount = 100
const roundCount = 75
/** A round is a verdict for a candidate, one for none, a row skipped, and the last verdict taken back. */
const keys = ['1', 'n', 's', 'u'] as const
/** People look at a row: what the page does meanwhile is done. */
const lookMs = 100
const loadCount = 7
const medianMsMax = 50

/** The review page in a real browser, as the command serves it: from a key to the next row with its candidates. Needs `npm run build`. */
export async function reportReview(say: Say): Promise<void> {
  if (!existsSync(main)) throw new Error('dist/cli/main.js is missing: `npm run build` makes it')
  const browserPath = findBrowser()
  if (browserPath === null) return
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-review-'))
  const browser = await openBrowser(browserPath)
  try {
    await makeWorld(folder)
    await review(browser, folder, 'few.csv', (few) =>
      review(browser, folder, 'many.csv', async (many) => {
        if (many.doubtful !== lookupCount) throw new Error(`${many.doubtful} lookups are doubtful`)
        const [loads = [], loadsOfFew = []] = await timeLoads(many.page, few.page)
        const waits = await timeKeys(many.page)
        const load = loadavg()[0]?.toFixed(1) ?? ''
        say(
          `  ${grouped(lookupCount)} doubtful lookups, ${grouped(waits.length)} presses; load average ${load}`,
        )
        for (const key of [null, ...keys]) say(`  ${lineOf(key, waits)}`)
        const [own, peer] = [at(loads, 0.5), at(loadsOfFew, 0.5)]
        say(
          `  from the address to the first row with its candidates: ${own.toFixed(0)} ms, ${ratio(own / peer)} ` +
            `of a queue of ${fewCount} (${peer.toFixed(0)} ms)`,
        )
      }),
    )
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Wait {
  readonly key: string
  /** Until the row and its candidates are in the page. */
  readonly inPageMs: number
  /** Until the browser has painted them. */
  readonly paintedMs: number
}

function lineOf(key: string | null, waits: readonly Wait[]): string {
  const some = waits.filter((wait) => key === null || wait.key === key)
  const painted = some.map(({ paintedMs }) => paintedMs).sort(ascending)
  const inPage = some.map(({ inPageMs }) => inPageMs).sort(ascending)
  return (
    `${key === null ? 'any key' : `key ${key}  `}: median ${at(painted, 0.5).toFixed(1)} ms, ` +
    `${ratio(at(painted, 0.5) / medianMsMax)} of the limit; p95 ${at(painted, 0.95).toFixed(1)} ms; ` +
    `in the page after ${at(inPage, 0.5).toFixed(1)} ms, p95 ${at(inPage, 0.95).toFixed(1)} ms`
  )
}

const ascending = (one: number, other: number): number => one - other
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN

const syllables = 'bal cor den fir gan hol jur kem lin mor nab pel rud tor vex wim'.split(' ')
/** Words that no registry knows, each unlike the others. */
const nameOf = (number: number): string => {
  const word = [0, 4, 8, 12].map((shift) => syllables[((number * 7_919) >> shift) & 15] ?? '').join('')
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} Widgets`
}

const forms = [
  ['Limited', 'London'],
  ['LLP', 'Leeds'],
  ['PLC', 'Bristol'],
] as const

/** Of each name several companies, so that the name alone leaves open which is meant; then a run that asks for all of them. */
async function makeWorld(folder: string): Promise<void> {
  const names = Array.from({ length: lookupCount }, (_, number) => nameOf(number))
  const rows = names.flatMap((name, number) =>
    forms.map(([form, city], one) =>
      csvLine([
        `${number}-${one}`,
        `${name} ${form}`,
        city,
        'GB',
        'gb',
        String(1_000_000 + number * 3 + one),
      ]),
    ),
  )
  const header = 'id,name,city,country,jurisdiction,registration_id'
  writeFileSync(join(folder, 'companies.csv'), [header, ...rows, ''].join('\n'))
  await importRegister(join(folder, 'registry.sqlite'), {
    format: 'csv',
    path: join(folder, 'companies.csv'),
    idType: 'registration_id',
    sourceName: 'bench',
  })
  writeFileSync(join(folder, 'many.csv'), `company_name\n${names.join('\n')}\n`)
  writeFileSync(join(folder, 'few.csv'), `company_name\n${names.slice(0, fewCount).join('\n')}\n`)
  const args = [main, 'many.csv', '-o', 'out.csv', '--quiet', '--registry', 'registry.sqlite']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the run ended with ${status}: ${stderr}`)
}

/**
 * Runs in the page before its own scripts. A wait begins when the browser got the key, and ends a whole frame after another
 * row is in the page with its candidates: the callback of the first frame comes before that is painted, that of the
 * second after. So it is never too short, and up to 16.7 ms too long.
 */
const stopwatch = `(() => {
  const done = []
  let under = null
  let wake = () => undefined
  const shown = () => document.getElementById('candidates')?.querySelector('.card') === null ||
    document.getElementById('candidates')?.hasAttribute('aria-busy') ? '' : document.getElementById('asked-name')?.textContent ?? ''
  const look = () => {
    if (under === null || under.inPageMs !== null || ['', under.before].includes(shown())) return
    under.inPageMs = performance.now() - under.fromMs
    requestAnimationFrame(() => requestAnimationFrame(() => {
      done.push({ key: under.key, inPageMs: under.inPageMs, paintedMs: performance.now() - under.fromMs })
      under = null
      wake()
    }))
  }
  const begin = (key, fromMs) => { under = { key, fromMs, before: shown(), inPageMs: null } }
  begin('', 0)
  addEventListener('keydown', ({ key, timeStamp }) => begin(key, timeStamp), { capture: true })
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  window.waitNumber = async (number) => {
    while (done.length <= number) await new Promise((resolve) => { wake = resolve })
    return done[number]
  }
})()`

const waitNumber = (page: Page, number: number): Promise<Wait> => page.evaluate<Wait>(`waitNumber(${number})`)

/** From a row that is shown on: the first wait is that of loading. */
async function timeKeys(page: Page): Promise<Wait[]> {
  const waits: Wait[] = []
  for (let round = 0; round < roundCount; round++) {
    for (const key of keys) {
      await page.waitForTimeout(lookMs)
      await page.keyboard.press(key)
      waits.push(await waitNumber(page, 1 + waits.length))
    }
  }
  return waits
}

/** Of one page beside another, in turn, so that what else the machine does falls on both alike; ascending. */
async function timeLoads(...pages: readonly Page[]): Promise<number[][]> {
  const loads = pages.map((): number[] => [])
  for (let load = 0; load < loadCount; load++) {
    for (const [number, page] of pages.entries()) {
      await page.reload()
      loads[number]?.push((await waitNumber(page, 0)).paintedMs)
    }
  }
  return loads.map((all) => all.sort(ascending))
}

interface Reviewed {
  readonly page: Page
  readonly doubtful: number
}

async function review(
  browser: Browser,
  folder: string,
  input: string,
  use: (reviewed: Reviewed) => Promise<void>,
): Promise<void> {
  const args = [
    main,
    'review',
    input,
    '--no-open',
    '--json',
    '--registry',
    'registry.sqlite',
    '--reviewer',
    'ada',
  ]
  const server = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  // A context of its own: pages that are hidden behind others are not painted.
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  try {
    const { url, doubtful } = await startOf(server)
    const page = await context.newPage()
    await page.addInitScript(stopwatch)
    await page.goto(url)
    await waitNumber(page, 0)
    await use({ page, doubtful })
  } finally {
    await context.close()
    server.kill('SIGINT')
  }
}

function startOf(server: ChildProcess): Promise<{ readonly url: string; readonly doubtful: number }> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [line] = said.split('\n')
      if (said.includes('\n')) resolve(JSON.parse(line ?? '') as { url: string; doubtful: number })
    })
    server.once('exit', () => {
      reject(new Error('enrich review has ended'))
    })
  })
}
