import { symlinkSync } from 'node:fs'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createPlace, writeConfig, type CliPlace } from '../support/cli.js'

const rows = ['Apple Inc.,Cupertino', 'Siemens AG,Munich', 'Nobody Knows This One,Nowhere', 'SAP SE,Walldorf']

function write(place: CliPlace, lines: readonly string[] = rows): void {
  place.write('in.csv', `company_name,city\n${lines.join('\n')}\n`)
}

const run = (place: CliPlace, ...flags: string[]) => place.run(['in.csv', '-o', 'out.csv', ...flags])

describe('--report', () => {
  test('a run writes its report before its end, with how it ended', async () => {
    const place = createPlace()
    write(place)
    const { code, stderr } = await run(place, '--report', 'report.html')
    expect(stderr).toContain('The report of the run is at report.html.')
    const page = place.read('report.html')
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).toContain('4 rows, ')
    expect(page).toContain(code === 0 ? 'It ended well (exit code 0).' : `It ended with exit code ${code}`)
    expect(place.names()).toEqual(['in.csv', 'out.csv', 'out.csv.basis.csv', 'report.html'])
  })

  test('the next night is compared with it', async () => {
    const place = createPlace()
    write(place)
    await run(place, '--report', 'report.html')
    write(place, [...rows.slice(1), 'Volkswagen AG,Wolfsburg'])
    await run(place, '--report', 'report.html')
    const page = place.read('report.html')
    expect(page).toContain('2 changes since run 1: 1 new row, 1 row gone.')
    expect(page).toContain('the last 2 runs')
  })

  test.each(['out.csv', 'out.parquet'])(
    '--report-by counts rows by a column that is not asked: %s',
    async (output) => {
      const place = createPlace()
      place.write(
        'in.csv',
        `company_name,city,team\n${rows.map((row, at) => `${row},${at === 3 ? '' : 'n&s'}`).join('\n')}\n`,
      )
      await place.run(['in.csv', '-o', output, '--report', 'report.html', '--report-by', 'team'])
      expect(place.read('report.html')).toContain('Matched rows by team')
      const { stdout } = await place.run(['runs', '--json'])
      const { record } = JSON.parse(stdout) as { record: { figures: { byColumn: unknown } } }
      expect(record.figures.byColumn).toEqual({
        column: 'team',
        groups: [
          { value: 'n&s', rowCount: 3, matchedCount: 2 },
          { value: null, rowCount: 1, matchedCount: 1 },
        ],
      })
      const again = await place.run([
        'in.csv',
        '-o',
        output,
        '--report',
        'report.html',
        '--report-by',
        'nobody',
      ])
      expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('INPUT_COLUMN_MISSING')])
    },
  )

  test.each([
    ['the input', 'in.csv', 'OUTPUT_IS_INPUT'],
    ['the output', 'out.csv', 'USAGE_INVALID'],
    ['the checkpoint', '.enrich/checkpoint.sqlite', 'OUTPUT_IS_OURS'],
    ['a folder that is not there', 'nowhere/report.html', 'OUTPUT_UNWRITABLE'],
    ['a folder', '.', 'OUTPUT_UNWRITABLE'],
    ['standard output', '-', 'USAGE_INVALID'],
    ['an address', 'https://example.com/report.html', 'PATH_IS_ADDRESS'],
  ])('is refused over %s, before anything is submitted', async (_, path, errorCode) => {
    const place = createPlace()
    write(place)
    const { code, stderr } = await run(place, '--report', path)
    expect(stderr).toContain(errorCode)
    expect(code).toBe(2)
    expect(place.names()).toEqual(['in.csv'])
    expect(place.read('in.csv')).toContain('Apple')
  })

  test('a link stays one', async () => {
    const place = createPlace()
    write(place)
    place.write('there.html', 'old')
    symlinkSync('there.html', place.path('report.html'))
    await run(place, '--report', 'report.html')
    expect(place.read('there.html')).toMatch(/^<!doctype html>/)
  })
})

describe('enrich report', () => {
  test('the last run that published an output, or the one that is named; to a file or to standard output', async () => {
    const place = createPlace()
    write(place)
    await run(place)
    write(place, rows.slice(1))
    await run(place)
    const written = await place.run(['report', '-o', 'report.html'])
    expect([written.code, written.stdout]).toEqual([0, ''])
    expect(written.stderr).toContain('(run 2)')
    expect(place.read('report.html')).toContain('1 row gone')
    const first = await place.run(['report', '1', '-o', '-'])
    expect(first.code).toBe(0)
    expect(first.stdout).toContain('there is nothing to compare with')
    expect(first.stdout).toMatch(/<\/html>\s*$/)
  })

  test.each([
    ['no checkpoint', ['report', '-o', 'r.html', '--checkpoint', 'none.sqlite'], 'CHECKPOINT_NOT_FOUND'],
    ['a run that is none', ['report', '7', '-o', 'r.html'], 'RUN_NOT_FOUND'],
    ['a number that is none', ['report', 'last', '-o', 'r.html'], 'USAGE_INVALID'],
    ['no output', ['report'], 'USAGE_INVALID'],
    ['the input of the run', ['report', '-o', 'in.csv'], 'OUTPUT_IS_OURS'],
    ['its output', ['report', '-o', 'out.csv'], 'OUTPUT_IS_OURS'],
    ['the checkpoint', ['report', '-o', '.enrich/checkpoint.sqlite'], 'OUTPUT_IS_OURS'],
  ])('%s is an error, and nothing is overwritten', async (_, args, errorCode) => {
    const place = createPlace()
    write(place)
    await run(place)
    const before = ['in.csv', 'out.csv'].map((name) => place.read(name))
    const { code, stderr } = await place.run(args)
    expect(stderr).toContain(errorCode)
    expect(code).toBe(2)
    expect(['in.csv', 'out.csv'].map((name) => place.read(name))).toEqual(before)
    expect(place.names()).toEqual(['in.csv', 'out.csv', 'out.csv.basis.csv'])
  })
})

describe('--watch', () => {
  test('serves the run at a free port of this machine while it goes on, and no longer', async () => {
    const place = createPlace()
    // A run that waits for its input goes on as long as it is looked at.
    const running = place.start(['-', '--input-format', 'csv', '-o', 'out.csv', '--watch'], { stdin: null })
    const [, url = ''] = await running.sees(/shown at (http:\/\/127\.0\.0\.1:\d+\/)/)
    const page = await fetch(url)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('A run that goes on')
    running.child.stdin?.end(`company_name\nApple Inc.\n`)
    const { code } = await running.ended
    expect(code).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
  })

  test('its address may be said, by flag or in the config', async () => {
    const place = createPlace()
    write(place)
    writeConfig(place, { watch: { listen: 'localhost:0' } })
    expect((await run(place)).stderr).toMatch(/shown at http:\/\//)
    expect((await run(place, '--watch=127.0.0.1:0')).stderr).toMatch(/shown at http:\/\/127\.0\.0\.1:/)
  })

  test('what is no address, or one that is taken, is an error before anything is asked', async () => {
    const place = createPlace()
    write(place)
    const mistyped = await place.run(['-o', 'out.csv', '--watch', 'in.csv'])
    expect([mistyped.code, mistyped.stderr]).toEqual([2, expect.stringContaining('host:port is needed')])
    const foreign = await run(place, '--watch', '192.0.2.1:9')
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('LISTEN_FAILED')])
    expect(place.names()).toEqual(['in.csv'])
  })

  test('a page that is open does not keep an interrupted run', async () => {
    const place = createPlace()
    const running = place.start(['-', '--input-format', 'csv', '-o', 'out.csv', '--watch'], { stdin: null })
    const [, url = ''] = await running.sees(/shown at (http:\S+\/)/)
    const held = new Promise((resolve) => {
      request(`${url}live?after=1`, (reply) => {
        resolve(reply.statusCode)
      })
        .on('error', resolve)
        .end()
    })
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    await held
  })
})
