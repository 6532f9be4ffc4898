import { copyFileSync } from 'node:fs'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  canary,
  companiesCsv,
  createPlace,
  fixture,
  quickConfig,
  writeConfig,
  type CliPlace,
} from '../support/cli.js'
import { measureWidth } from '../../src/core/text.js'
import { startInPty, type Pty, type PtyOptions } from '../support/pty.js'

/** Of what was meant to drive the terminal, shown as text; and colour, of which there is none. */
const shownCodes = /\\u00|\\x1b|\[2K|\[J/
// oxlint-disable-next-line no-control-regex -- a control sequence is what is looked for
const colour = /\u001b\[[0-9;]*m/

/** A service of our own that takes its time, as a hosted one does: one for all, since each costs what ten runs do. */
const servedAt = (async () => {
  const service = createPlace(afterAll).start(
    ['serve', '--listen', '127.0.0.1:0', '--research-seconds', '1:1', '--limits', 'none', '--matchers', '0'],
    { env: { ENRICH_SERVE_API_KEY: canary }, stdin: null },
  )
  const [, url = ''] = await service.sees(/Serving at (\S+),/)
  return url
})()

/** A folder with a list, and a config that knows the service. */
async function hosted(
  whenFinished: typeof onTestFinished,
  names: readonly string[],
  { firstAfterSeconds = 2, pollPerMinute = 6_000 } = {},
): Promise<[CliPlace, PtyOptions]> {
  const place = createPlace(whenFinished)
  place.write('companies.csv', companiesCsv(names))
  writeConfig(place, {
    limits: { ...quickConfig.limits, pollPerMinute },
    polling: { firstAfterSeconds, intervalSeconds: 0.3 },
  })
  return [place, { env: { ENRICH_BASE_URL: await servedAt } }]
}

const command = ['companies.csv', '-o', 'out.csv']
const some = (count: number) => Array.from({ length: count }, (_, index) => `Company ${index}`)

/** What is left when it has ended: words alone, the cursor below them. */
async function expectCleanEnd(pty: Pty, columns = 80): Promise<string[]> {
  const screen = await pty.screen()
  expect(screen.join('\n')).not.toMatch(shownCodes)
  expect(pty.raw()).not.toMatch(colour)
  expect(screen.filter((line) => /\bETA\b|#|Writing|rows read ·.*rows read/.test(line))).toEqual([])
  expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(columns)
  await expectNoBrokenWord(pty, columns)
  expect(await pty.cursor()).toEqual([0, screen.length])
  // Lines wrap again.
  expect(pty.raw().lastIndexOf('\u001b[?7h')).toBeGreaterThanOrEqual(pty.raw().lastIndexOf('\u001b[?7l'))
  return screen
}

/** Lines end between words; the terminal itself breaks none, but of words that have no room beside their label. */
async function expectNoBrokenWord(pty: Pty, columns: number): Promise<void> {
  const broken = await pty.brokenLines()
  expect(broken.filter((line) => !line.split(' ').some((word) => measureWidth(word) > columns / 2))).toEqual(
    [],
  )
}

// Each waits for its run most of the time.
describe.concurrent('a run on a terminal', () => {
  test('says when the first answers can be there, shows outcomes as they come, and leaves its summary alone', async ({
    onTestFinished,
  }) => {
    const [place, where] = await hosted(onTestFinished, some(40), { pollPerMinute: 900 })
    const pty = startInPty(place, command, where, onTestFinished)
    await pty.sees(/^\[[-|/\\]-+\] 0\/40 done · first answers in a few seconds( · .*)? · ETA \S+$/m)
    await pty.sees(/^\[#+[|/\\-]*\] \d+\/40 done · no_match \d+ · /m)
    expect(await pty.ended).toBe(0)
    // What is drawn once more takes its own line's place: all below is erased after a resize alone.
    expect(pty.raw()).not.toContain('\u001b[J')
    const screen = await expectCleanEnd(pty)
    expect(screen.filter((line) => line.startsWith('Done in '))).toHaveLength(1)
  })

  test.for([20, 40, 300])(
    'of %i columns: never more than one line, whose bar keeps its width and moves while the first answers are waited for',
    async (columns, { onTestFinished }) => {
      const [place, where] = await hosted(onTestFinished, some(12), { firstAfterSeconds: 3 })
      const pty = startInPty(place, command, { ...where, columns }, onTestFinished)
      // The bar stands alone on the last line, whatever the width; above it are words.
      const before = await pty.sees(/0% of 12|0\/12/)
      expect(before.filter((line) => /0% of 12|0\/12/.test(line))).toHaveLength(1)
      expect(before.at(-1)).toMatch(/0% of 12|0\/12/)
      expect(before.at(-1)?.length).toBeLessThan(columns)
      expect(await pty.ended).toBe(0)
      const bars = [...pty.raw().matchAll(/\[([#|/\\-]+)\] (\d+)\/12 done/g)]
      expect(new Set(bars.map(([, bar = '']) => bar.length)).size).toBe(columns === 20 ? 0 : 1)
      const waiting = new Set(bars.filter(([, , done]) => done === '0').map(([, bar]) => bar))
      if (columns > 20) expect(waiting.size).toBeGreaterThan(1)
      await expectCleanEnd(pty, columns)
    },
  )

  test('that does not know its own size gets a line of 79 columns at most', async ({ onTestFinished }) => {
    const [place, where] = await hosted(onTestFinished, some(12))
    const pty = startInPty(place, command, { ...where, columns: 0, rows: 0 }, onTestFinished)
    const before = await pty.sees(/0\/12 done/)
    expect(before.at(-1)?.length).toBeLessThan(80)
    expect(await pty.ended).toBe(0)
    await expectCleanEnd(pty)
  })

  test('that is resized: the line follows at once, and nothing of the old one stays', async ({
    onTestFinished,
  }) => {
    const [place, where] = await hosted(onTestFinished, some(12), { firstAfterSeconds: 6 })
    const pty = startInPty(place, command, { ...where, columns: 120 }, onTestFinished)
    const words = (await pty.sees(/0\/12 done · first answers.* · submit /)).slice(0, -1)
    for (const columns of [40, 100, 20, 60]) {
      pty.resize(columns)
      const screen = await pty.sees(
        columns === 20
          ? /^[-|/\\] 0% of 12$/m
          : /0\/12 done( · first answers[^·]*| · \d+ running|)( ·.*)? · ETA/,
      )
      expect(screen.filter((line) => /0% of 12|0\/12/.test(line))).toHaveLength(1)
      expect(screen.at(-1)?.length).toBeLessThan(columns)
    }
    pty.resize(120)
    // What was said before is still there, whole.
    expect((await pty.screen()).slice(0, words.length)).toEqual(words)
    expect(await pty.ended).toBe(0)
    await expectCleanEnd(pty, 120)
  })

  test('Ctrl-C leaves words on lines of their own, and the cursor below them', async ({ onTestFinished }) => {
    const [place, where] = await hosted(onTestFinished, some(200))
    const pty = startInPty(place, command, where, onTestFinished)
    await pty.sees(/\d+\/200 done/)
    pty.types('\u0003')
    expect(await pty.ended).toBe(130)
    const screen = await expectCleanEnd(pty)
    expect(screen.join('\n')).toMatch(/^Stopping: .*$/m)
    expect(screen.join('\n')).toMatch(/^ {2}resume {4}enrich companies\.csv -o out\.csv$/m)
  })

  test('the second Ctrl-C leaves at once, and leaves no bar behind', async ({ onTestFinished }) => {
    const [place, where] = await hosted(onTestFinished, some(200))
    const pty = startInPty(place, command, where, onTestFinished)
    await pty.sees(/\d+\/200 done/)
    pty.types('\u0003\u0003')
    expect(await pty.ended).toBe(130)
    await expectCleanEnd(pty)
  })

  test.for<[title: string, env: Record<string, string>]>([
    ['a dumb one', { TERM: 'dumb' }],
    ['one of a build server', { CI: 'true' }],
  ])('%s gets lines and no control sequence at all', async ([, env], { onTestFinished }) => {
    const [place, where] = await hosted(onTestFinished, some(4))
    const pty = startInPty(
      place,
      [...command, '--log-level', 'debug'],
      { env: { ...where.env, ...env } },
      onTestFinished,
    )
    expect(await pty.ended).toBe(0)
    expect(pty.raw()).not.toContain('\u001b')
    expect(pty.raw()).toMatch(/^0\/4 done · .*\r$/m)
  })

  test('names in many scripts take the columns they take: a path of them is cut to the line', async ({
    onTestFinished,
  }) => {
    const place = createPlace(onTestFinished)
    const folder = '株式会社データ銀行'.repeat(6)
    place.write('in.csv', companiesCsv(['Apple']))
    const pty = startInPty(place, ['in.csv', '-o', `${folder}.csv`, '--basis', 'none'], {}, onTestFinished)
    expect(await pty.ended).toBe(0)
    const writing = [...pty.raw().matchAll(/Writing ([^\r]*)\r/g)]
    expect(writing.length).toBeGreaterThan(0)
    const screen = await pty.screen()
    expect(screen.filter((line) => line.includes('Writing'))).toEqual([])
  })
})

/** Wide characters, pictures, combining marks. */
const names = [
  '株式会社データ銀行',
  'Socie\u0301te\u0301 Ge\u0301ne\u0301rale 🚀',
  'Siemens AG',
  'ลูกค้า Company',
]
const listName = 'リスト 🚀 é.csv'

// The longest texts of each kind, at the widths that are hardest on them.
describe.concurrent('what commands say on a terminal', () => {
  test.for<[columns: number, args: readonly string[], says: RegExp]>([
    [40, ['init', listName, '--yes', '--force'], /name +status/],
    [80, ['init', listName, '--yes', '--force'], /name +status +registered name +place/],
    [40, ['plan', listName], /^Next: enrich '/m],
    [40, [listName, '-o', 'out.csv'], /^ {2}lookups {3}0 answered before/m],
    [60, [listName, '-o', 'out.csv', '--max-lookups', '1'], /^ {2}resume {4}enrich .* \\$/m],
    [40, [listName, '-o', 'out.txt2'], /^ {2}hint: /m],
    [60, ['--help'], /^Other commands:$/m],
    [60, ['run', '--help-all'], /^Exit codes:$/m],
  ])('of %i columns: %j', async ([columns, args, says], { onTestFinished }) => {
    const place = createPlace(onTestFinished)
    writeConfig(place)
    place.write(listName, companiesCsv(names))
    const pty = startInPty(place, args, { columns, rows: 200 }, onTestFinished)
    await pty.ended
    const screen = await pty.screen()
    expect(screen.join('\n')).toMatch(says)
    expect(screen.length).toBeGreaterThan(1)
    await expectNoBrokenWord(pty, columns)
  })

  test('narrowed while a run goes on: what is said after that fits', async ({ onTestFinished }) => {
    const [place, where] = await hosted(onTestFinished, names, { firstAfterSeconds: 3 })
    const pty = startInPty(place, command, { ...where, columns: 100 }, onTestFinished)
    await pty.sees(/0\/4 done/)
    pty.resize(40)
    await pty.sees(/^\[[-|/\\]-+\] 0\/4 done · ETA \S+$/m)
    expect(await pty.ended).toBe(0)
    const screen = await pty.screen()
    const summary = screen.slice(screen.findIndex((line) => line.startsWith('Done in ')))
    expect(summary.join('\n')).toMatch(/^ {2}lookups {3}0 answered before · 4\n {12}submitted/m)
    const broken = await pty.brokenLines()
    expect(broken.filter((line) => summary.some((said) => line.startsWith(said)))).toEqual([])
  })
})

describe('other commands on a terminal', () => {
  test('retry draws as a run does', async () => {
    const [place, where] = await hosted(onTestFinished, some(12))
    expect(await startInPty(place, command, where).ended).toBe(0)
    const pty = startInPty(place, ['retry', ...command, '--status', 'no_match'], where)
    await pty.sees(/^\[[-|/\\]-+\] 0\/12 done · first answers/m)
    expect(await pty.ended).toBe(0)
    await expectCleanEnd(pty)
  })

  test('an import draws its count on one line, and leaves it once', async () => {
    const place = createPlace()
    const rows = Array.from({ length: 60_000 }, (_, index) => `${index},Company ${index},Lyon\n`)
    place.write('register.csv', `id,name,city\n${rows.join('')}`)
    const pty = startInPty(place, 'registry import csv register.csv --id-type registration_id'.split(' '))
    await pty.sees(/^[\d,]+ rows read · [\d,]+\/s$/m)
    expect(await pty.ended).toBe(0)
    const screen = await expectCleanEnd(pty)
    expect(screen.filter((line) => line.includes('rows read'))).toHaveLength(1)
    expect(pty.raw().match(/rows read/g)?.length).toBeGreaterThan(2)
  })

  test('a load draws the time left while it reads, and leaves the rows read and the result', async () => {
    const place = createPlace()
    const rows = Array.from(
      { length: 60_000 },
      (_, at) => `${String(at).padStart(8, '0')},Company ${at},LYON,Active\n`,
    )
    place.write(
      'house.csv',
      `CompanyName,CompanyNumber,RegAddress.PostTown,CompanyStatus\n`.concat(
        rows.map((row) => row.replace(/^(\d+),([^,]+)/, '$2,$1')).join(''),
      ),
    )
    const pty = startInPty(place, ['registry', 'load', 'house.csv'])
    await pty.sees(/^house\.csv \([^)]+\): [\d,]+ of ~[\d,]+ rows read · about [\d.]+s left$/m)
    expect(await pty.ended).toBe(0)
    const screen = await expectCleanEnd(pty)
    expect(screen.filter((line) => line.includes('rows read'))).toEqual([
      expect.stringMatching(/^house\.csv \([^)]+\): 60,000 rows read$/),
    ])
    expect(screen.filter((line) => line.includes('left'))).toEqual([])
    expect(screen.filter((line) => line.startsWith('1 of 1 files loaded, 60,000 rows'))).toHaveLength(1)
  })

  test('the output to the terminal itself is not drawn over', async () => {
    const place = createPlace()
    copyFileSync(fixture('companies.csv'), place.path('in.csv'))
    const pty = startInPty(place, 'in.csv --limit 5 -o - --format csv --columns status'.split(' '))
    expect(await pty.ended).toBe(0)
    expect(pty.raw()).not.toContain('\u001b')
    expect(pty.raw()).toMatch(/,last_contacted,enrich_status\r\n[^\r]*,matched\r\n/)
  })
})
