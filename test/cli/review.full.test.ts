import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'csv-parse/sync'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LookupDetail } from '../../src/review/page-data.js'
import { openSecretAddress } from '../../src/cli/terminal/command-io.js'
import { findBrowser, openBrowser } from '../support/browser.js'
import { createPlace, type CliOptions, type CliPlace, type RunningCli } from '../support/cli.js'
import { startInPty, type Pty } from '../support/pty.js'
import { csvOf } from '../support/registry.js'
import { askPage, visitReview, type PageVisitor } from '../support/review-client.js'
import { rowShown } from '../support/review-page.js'
import { ambiguousRows, inventedNames } from '../support/review-place.js'
import { hasProgram, tellSkipped } from '../support/skipped.js'
import { readJsonLines } from '../support/json-lines.js'

const run = ['companies.csv', '-o', 'out.csv', '--quiet']

/** A folder with a registry in which each name is that of two companies, and names that ask for them. */
async function placeOf(nameCount: number, rowCount = nameCount): Promise<CliPlace> {
  const place = createPlace()
  const names = inventedNames(nameCount)
  place.write('register.csv', csvOf(ambiguousRows(names)))
  const imported = await place.run('registry import csv register.csv --id-type registration_id'.split(' '))
  expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)])
  const rows = Array.from({ length: rowCount }, (_, at) => names[at % names.length] ?? '')
  place.write('companies.csv', `company_name\n${rows.map((name) => `${name}\n`).join('')}`)
  return place
}

async function answered(nameCount: number, rowCount?: number): Promise<CliPlace> {
  const place = await placeOf(nameCount, rowCount)
  expect((await place.run(run)).code).toBe(0)
  return place
}

const decisionsOf = (place: CliPlace): Record<string, string>[] =>
  existsSync(place.path('enrich.decisions.csv'))
    ? parse(place.read('enrich.decisions.csv'), { columns: true })
    : []

interface Review {
  readonly running: RunningCli
  readonly visitor: PageVisitor
}

async function review(
  place: CliPlace,
  more: readonly string[] = [],
  options: CliOptions = {},
): Promise<Review> {
  const running = place.start(['review', 'companies.csv', ...more], { stdin: null, ...options })
  const [, url = ''] = await running.sees(/Review at (http:\S+)/)
  return { running, visitor: await visitReview(url) }
}

async function end({ running }: Review) {
  running.child.kill('SIGINT')
  return running.ended
}

const none = (lookup: string, seen = 0) =>
  ({ lookups: [{ lookup, seen }], verdict: 'none', entityId: null, note: null }) as const

async function acceptFirst({ get, decide }: PageVisitor, lookup: string) {
  const { candidates } = JSON.parse((await get(`/api/lookups/${lookup}`)).body) as LookupDetail
  const entityId = candidates[0]?.entityId ?? ''
  const { status, reply } = await decide({
    lookups: [{ lookup, seen: 0 }],
    verdict: 'accepted',
    entityId,
    note: null,
  })
  return { status, reply, entityId }
}

test('it says what it found and where, and on Ctrl-C what was decided and what to do next', async () => {
  const place = await answered(5, 12)
  const opened = await review(place)
  const [, found = ''] = await opened.running.sees(/^(.* doubtful.*)$/m)
  expect(found).toBe('5 doubtful lookups, 12 rows.')
  const { rows } = await opened.visitor.queue()
  await opened.visitor.decide(none(rows[0]?.lookup ?? ''))
  const { code, stdout, stderr } = await end(opened)
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toContain('1 decided, 4 left.\nNext: enrich companies.csv -o out.csv')
  const again = await review(place)
  expect((await again.running.sees(/^(.* doubtful.*)$/m))[1]).toMatch(
    /^4 doubtful lookups, \d+ rows; 1 decided\.$/,
  )
  expect((await end(again)).stderr).toContain('0 decided, 4 left.')
})

test('with --json its events are the address and what came of it', async () => {
  const place = await answered(2)
  const opened = await review(place, ['--json', '--reviewer', 'Ada Lovelace'])
  await opened.visitor.decide(none((await opened.visitor.queue()).rows[0]?.lookup ?? ''))
  const { code, stdout } = await end(opened)
  const lines = readJsonLines(stdout)
  expect([code, lines]).toEqual([
    0,
    [
      {
        type: 'reviewing',
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?token=/) as string,
        doubtful: 2,
        rows: 2,
        decidedBefore: 0,
        unanswered: 0,
      },
      { type: 'reviewed', decided: 1, doubtful: 1, rows: 1, decidedBefore: 1, unanswered: 0 },
    ],
  ])
  expect(decisionsOf(place)).toMatchObject([{ decided_by: 'Ada Lovelace' }])
})

test('the real page is served, and everything that it is made of', async () => {
  const place = await answered(1)
  const { visitor } = await review(place)
  const page = (await visitor.get('/')).body
  const parts = [...page.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(parts.length).toBeGreaterThan(1)
  for (const path of parts) expect((await visitor.get(path)).status, path).toBe(200)
})

describe('what is wrong is said before anything is served', () => {
  test('no checkpoint, and nothing answered', async () => {
    const place = await placeOf(1)
    const missing = await place.run(['review', 'companies.csv', '--json'])
    expect([missing.code, JSON.parse(missing.stdout)]).toMatchObject([
      2,
      {
        code: 'CHECKPOINT_NOT_FOUND',
        hint: 'check --checkpoint and the current folder. A run creates a checkpoint: enrich companies.csv -o out.parquet',
      },
    ])
    await place.run([...run, '--max-lookups', '0'])
    const unanswered = await place.run(['review', 'companies.csv', '--json'])
    expect([unanswered.code, JSON.parse(unanswered.stdout)]).toMatchObject([
      2,
      {
        code: 'REVIEW_NOTHING_ANSWERED',
        hint: 'repeat the options of the run here (columns, --country, service, registry), or run first: enrich companies.csv -o out.parquet',
      },
    ])
    await place.run(['companies.csv', '-o', 'mine.csv', '--max-lookups', '0', '--partial'])
    const after = await place.run(['review', 'companies.csv', '--json'])
    expect(JSON.parse(after.stdout)).toMatchObject({
      hint: expect.stringMatching(/: enrich companies\.csv -o mine\.csv$/),
    })
  })

  test('no input, an address that is taken, decisions that cannot be read, a review store that is none', async () => {
    const place = await answered(1)
    expect((await place.run(['review'])).stderr).toContain('error USAGE_INVALID')
    const opened = await review(place)
    const { host } = new URL(opened.visitor.origin)
    const taken = await place.run(['review', 'companies.csv', '--listen', host])
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('error LISTEN_FAILED')])
    await end(opened)
    place.write('enrich.decisions.csv', 'lookup,name\n<<<<<<< HEAD\n')
    const wrong = await place.run(['review', 'companies.csv'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('error DECISIONS_INVALID')])
    place.write(
      '.enrich/checkpoint.review.sqlite',
      'no database, but long enough to be taken for one'.repeat(20),
    )
    const store = await place.run(['review', 'companies.csv', '--decisions', 'other.csv'])
    expect([store.code, store.stderr]).toEqual([2, expect.stringContaining('error REVIEW_STORE_INVALID')])
  })
})

test('where nothing is doubtful it says so, and what was decided can be looked at', async () => {
  const place = await answered(1)
  const first = await review(place)
  await acceptFirst(first.visitor, (await first.visitor.queue()).rows[0]?.lookup ?? '')
  await end(first)
  const again = await review(place)
  expect((await again.running.sees(/^(No doubtful.*)$/m))[1]).toBe('No doubtful lookups; 1 decided.')
  expect((await again.visitor.queue('view=decided')).rows).toMatchObject([
    { decision: { verdict: 'accepted' } },
  ])
  expect((await end(again)).stderr).toContain('none is left')
})

test('a run goes on at the same time: neither waits for the other, and its answers come to the queue', async () => {
  const place = await answered(3)
  const names = inventedNames(40)
  place.write('companies.csv', `company_name\n${names.map((name) => `${name}\n`).join('')}`)
  const { visitor, running } = await review(place)
  expect((await visitor.queue()).openCount).toBe(3)
  const going = place.start(run)
  const lookup = (await visitor.queue()).rows[0]?.lookup ?? ''
  expect((await visitor.decide(none(lookup))).status).toBe(200)
  expect((await going.ended).code).toBe(0)
  // The others were unknown to the checkpoint when the review was opened: the input is read once more.
  await expect
    .poll(async () => (await visitor.queue()).openCount, { timeout: 50_000, interval: 200 })
    .toBe(39)
  await end({ running, visitor })
})

describe.skipIf(process.platform !== 'linux')('the browser', () => {
  interface OpenedReview {
    readonly pty: Pty
    /** The home folder of the user. */
    readonly home: string
    /** The one argument of the browser's opener. */
    readonly argument: string
    /** The address as printed on the terminal. */
    readonly url: string
  }

  /** Replaces the program that opens files, and runs as long as the test: it writes down how it was called. */
  function environmentWithOpener(place: CliPlace): Record<string, string> {
    const folder = join(place.folder, 'bin')
    const home = join(place.folder, 'home')
    for (const made of [folder, home]) mkdirSync(made)
    const called = join(place.temporaryFolder, 'opened')
    place.write(
      'bin/xdg-open',
      `#!/bin/sh\necho "$@" > "${called}.part"\nmv "${called}.part" "${called}"\nwhile [ -e "${called}" ]; do sleep 0.1; done\n`,
    )
    chmodSync(join(folder, 'xdg-open'), 0o755)
    onTestFinished(() => {
      rmSync(called, { force: true })
    })
    return environmentOf(place, home)
  }
  /** Compiled code is cached outside the home folder. */
  function environmentOf(place: CliPlace, home: string): Record<string, string> {
    const path = `${place.path('bin')}:${process.env['PATH'] ?? ''}`
    return { PATH: path, HOME: home, XDG_CACHE_HOME: place.temporaryFolder }
  }
  const calledWith = (place: CliPlace): string | null => {
    const path = join(place.temporaryFolder, 'opened')
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
  }

  async function reviewOnTerminal(place: CliPlace): Promise<OpenedReview> {
    const env = environmentWithOpener(place)
    const pty = startInPty(place, ['review', 'companies.csv'], { env, columns: 200 })
    await pty.sees(/Review at/)
    await expect.poll(() => calledWith(place), { timeout: 20_000 }).not.toBeNull()
    const [, url = ''] = /Review at (http:\S+)/.exec(pty.raw()) ?? []
    return { pty, home: env['HOME'] ?? '', argument: calledWith(place) ?? '', url }
  }

  async function endReview({ pty }: OpenedReview) {
    pty.types('\u0003')
    expect(await pty.ended).toBe(0)
  }

  test('is opened on a terminal, and nowhere else', async () => {
    const place = await answered(1)
    const env = environmentWithOpener(place)
    const piped = await review(place, [], { env })
    await end(piped)
    expect(calledWith(place)).toBeNull()
    const told = startInPty(place, ['review', 'companies.csv', '--no-open'], { env })
    await told.sees(/Review at/)
    told.types('\u0003')
    expect(await told.ended).toBe(0)
    expect([calledWith(place), readdirSync(env['HOME'] ?? '')]).toEqual([null, []])
  })

  test('is given a file that only the user can read, which is gone once it was used', async () => {
    const place = await answered(1)
    const opened = await reviewOnTerminal(place)
    const { argument, url, home } = opened
    expect(argument).toMatch(/\/home\/enrich-review-\d+-[0-9a-f]{8}\/open\.html$/)
    expect([statSync(argument).mode & 0o777, statSync(dirname(argument)).mode & 0o777]).toEqual([
      0o600, 0o700,
    ])
    expect(readFileSync(argument, 'utf8')).toContain(url)
    await visitReview(url)
    await expect.poll(() => readdirSync(home)).toEqual([])
    await endReview(opened)
  })

  test('the file is removed at the end of the command, and by the next one after a kill', async () => {
    const place = await answered(1)
    const opened = await reviewOnTerminal(place)
    await endReview(opened)
    expect(readdirSync(opened.home)).toEqual([])
    const left = join(opened.home, `enrich-review-${await idOfDeadProcess()}-0123abcd`)
    mkdirSync(left)
    rmSync(join(place.temporaryFolder, 'opened'))
    const env = environmentOf(place, opened.home)
    const pty = startInPty(place, ['review', 'companies.csv'], { env, columns: 200 })
    await expect.poll(() => calledWith(place), { timeout: 20_000 }).not.toBeNull()
    expect(readdirSync(opened.home)).toEqual([expect.not.stringContaining('0123abcd')])
    pty.types('\u0003')
    expect(await pty.ended).toBe(0)
  })

  async function idOfDeadProcess(): Promise<number> {
    const child = spawn('true')
    await new Promise((resolve) => child.on('exit', resolve))
    return child.pid ?? 0
  }

  test('another user finds the token in no argument, variable or file', async (context) => {
    if (process.getuid?.() !== 0 || !hasProgram('setpriv')) {
      tellSkipped('only root can look as another user: whether the token leaks to one was not tried')
      context.skip()
    }
    const place = await answered(1)
    chmodSync(dirname(place.folder), 0o755)
    const opened = await reviewOnTerminal(place)
    const { argument, url } = opened
    const token = new URL(url).searchParams.get('token') ?? ''
    // The user that looks sees the opener and its argument, and reads files of the folder.
    const processes = ['/proc/[0-9]*/cmdline', '/proc/[0-9]*/environ']
    expect(foundByOther(argument, processes)).toContain('cmdline')
    expect(foundByOther('company_name', [place.folder])).toContain('companies.csv')
    expect(foundByOther(token, processes)).toBe('')
    expect(foundByOther(token, [dirname(place.folder)])).toBe('')
    expect(foundByOther(token, [argument])).toBe('')
    // The user can reach the port, and gets nothing without the token.
    expect((await askPage(`${new URL(url).origin}/api/queue`)).status).toBe(403)
    expect(readFileSync(argument, 'utf8')).toContain(token)
    await endReview(opened)
  })

  /** The files in which uid 65534 finds a text. The text goes by standard input, or the search would find itself. */
  function foundByOther(text: string, places: readonly string[]): string {
    const search = `grep -rlasF -f - ${places.join(' ')}`
    const { stdout, error } = spawnSync(
      'setpriv',
      ['--reuid=65534', '--regid=65534', '--clear-groups', 'sh', '-c', search],
      { input: text, encoding: 'utf8', cwd: '/' },
    )
    if (error !== undefined) throw error
    return stdout
  }

  const browserPath = findBrowser()
  test.skipIf(browserPath === null)('a real one gets from the file to the page', async () => {
    const place = await answered(1)
    const opened = await reviewOnTerminal(place)
    const browser = await openBrowser(browserPath ?? '')
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(pathToFileURL(opened.argument).href)
    await page.waitForURL(`${new URL(opened.url).origin}/`)
    await rowShown(page)
    await expect.poll(() => readdirSync(opened.home)).toEqual([])
    // What the terminal shows leads there again.
    await page.goto(opened.url)
    expect(page.url()).toBe(`${new URL(opened.url).origin}/`)
    await endReview(opened)
  })

  test('that there is none is no matter', async () => {
    const place = createPlace()
    const before = process.env['HOME']
    process.env['HOME'] = place.folder
    onTestFinished(() => {
      if (before === undefined) delete process.env['HOME']
      else process.env['HOME'] = before
    })
    const remove = openSecretAddress('http://127.0.0.1:1/', 'win32')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(place.names()).toHaveLength(1)
    remove()
    expect(place.names()).toEqual([])
  })
})

test('an address that another browser used first: the terminal says so and prints a new one', async () => {
  const place = await answered(2)
  const opened = await review(place, ['--json'])
  const taken = opened.visitor
  await taken.decide(none((await taken.queue()).rows[0]?.lookup ?? ''))
  const [, url = ''] = await opened.running.sees(/Review at (http:\S+)/)
  expect((await askPage(url)).status).toBe(403)
  const [, first, count] = await opened.running.sees(
    /warning: two browsers opened the URL, the first of them at (\S+)\.\n.*decided so far: (\d+)/,
  )
  expect([Number.isNaN(Date.parse(first ?? '')), count]).toEqual([false, '1'])
  const [, next = ''] = await opened.running.sees(/no longer valid\.\nReview at (http:\S+)\n/)
  expect((await taken.get('/api/queue')).status).toBe(403)
  expect((await (await visitReview(next)).queue()).openCount).toBe(1)
  const { stdout } = await end(opened)
  const urls = stdout.split('\n').flatMap((line) => /"url":"([^"]+)"/.exec(line)?.[1] ?? [])
  expect(urls).toEqual([url, next])
})
