import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listOptions } from '../../src/config/option.js'
import { options } from '../../src/config/options.js'
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
    expect(page).toContain(code === 0 ? 'It succeeded (exit code 0).' : `It ended with exit code ${code}`)
    expect(place.names()).toEqual(['in.csv', 'out.csv', 'out.csv.basis.csv', 'report.html'])
  })

  test('settings are shown by the keys and in the units of the config', async () => {
    const place = createPlace()
    write(place)
    writeConfig(place, {
      billing: { unitPrice: 0.05, currency: 'EUR' },
      checkpoint: { maxAge: '30d' },
      polling: { deadlineMinutes: 5 },
      stages: { with: ['entity'], entity: { maxAge: '90d' } },
      alarms: { failOn: 'rows>0' },
    })
    const { code } = await run(place, '--report', 'report.html', '--max-cost', '2.5')
    expect(code).toBe(6)
    const [, table = ''] = /id="settings-table"([^]*?)<\/table>/.exec(place.read('report.html')) ?? []
    const shown = new Map(
      [...table.matchAll(/<td><code>(.*?)<\/code><\/td>\s*<td><bdi>(.*?)<\/bdi>/g)].map(
        ([, key = '', value = '']) => [key, value] as const,
      ),
    )
    const keys = listOptions(options).map(({ path }) => path.join('.'))
    expect([...shown.keys()].filter((key) => !keys.includes(key))).toEqual([])
    expect(Object.fromEntries(shown)).toMatchObject({
      'billing.unitPrice': '0.05',
      'budget.costMax': '2.5',
      'checkpoint.maxAge': '30d',
      'polling.deadlineMinutes': '5',
      'stages.with': 'entity',
      'stages.entity.maxAge': '90d',
      'alarms.failOn': 'rows&gt;0',
    })
    expect(place.read('report.html')).toMatch(/<dt>Job<\/dt>\s*<dd><bdi>in\.csv<\/bdi>/)
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

  test('a run that stops without an output reports what it knows', async () => {
    const place = createPlace()
    write(place)
    const { code } = await run(place, '--report', 'report.html', '--max-lookups', '3')
    const page = place.read('report.html')
    expect([code, place.names()]).toEqual([8, ['in.csv', 'report.html']])
    expect(page).toMatch(/Of its 4 rows, \d are matched so far, and 1 have no answer yet/)
    expect(page).toContain('This run published no output: there is nothing to compare.')
    for (const id of ['outcomes', 'confidence', 'by-country']) expect(page).toContain(`id="${id}`)
    // It is no output that the next run is compared with, and no column in its picture.
    await run(place, '--report', 'report.html')
    expect(place.read('report.html')).toContain('there is nothing to compare with')
    expect(place.read('report.html')).toContain('Outcomes of the rows, this run')
  })

  test('the rows to review are those that enrich review asks about', async () => {
    const place = createPlace()
    write(place, [...rows, 'Another Unknown One,Nowhere', 'another unknown one,Nowhere'])
    const counts = async () => {
      await run(place, '--report', 'report.html')
      const reported = /(\d+) doubtful lookups?, (\d+) rows?/.exec(place.read('report.html'))?.slice(1)
      const { stderr } = await place.run(['review', 'in.csv', '--export', 'todo.csv'])
      expect(reported).toEqual(/(\d+) doubtful lookups? \((\d+) rows?\)/.exec(stderr)?.slice(1))
      return reported
    }
    expect(await counts()).toEqual(['2', '3'])
    const [head = '', ...todo] = place.read('todo.csv').trimEnd().split('\n')
    const [first = ''] = todo.filter((line) => line.includes('Nobody Knows'))
    const at = head.replace('\ufeff', '').split(',').indexOf('verdict')
    const cells = first.split(',')
    place.write(
      'filled.csv',
      `${head}\n${[...cells.slice(0, at), 'none', ...cells.slice(at + 1)].join(',')}\n`,
    )
    const imported = await place.run(['review', 'in.csv', '--import', 'filled.csv', '--reviewer', 'Ann'])
    expect(imported.code, imported.stderr).toBe(0)
    expect(await counts()).toEqual(['1', '2'])
    expect(place.read('report.html')).not.toContain('Nobody Knows')
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
      const { record } = JSON.parse(stdout.split('\n')[0] ?? '') as {
        record: { figures: { byColumn: unknown } }
      }
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
    // Without -o it is in the current folder, wherever the checkpoint is.
    const elsewhere = mkdtempSync(join(place.folder, 'elsewhere-'))
    const checkpoint = place.path('.enrich/checkpoint.sqlite')
    const wrapper = ['env', '-C', elsewhere]
    const unnamed = await place.run(['report', '--checkpoint', checkpoint], { wrapper })
    expect([unnamed.code, unnamed.stderr]).toEqual([0, '  written   report.html   (run 2)\n'])
    expect(readFileSync(join(elsewhere, 'report.html'), 'utf8')).toContain('1 row gone')
    expect(place.namesIn('.enrich')).not.toContain('report.html')
    const first = await place.run(['report', '1', '-o', '-'])
    expect(first.code).toBe(0)
    expect(first.stdout).toContain('there is nothing to compare with')
    expect(first.stdout).toMatch(/<\/html>\s*$/)
  })

  test.each([
    ['no checkpoint', ['report', '-o', 'r.html', '--checkpoint', 'none.sqlite'], 'CHECKPOINT_NOT_FOUND'],
    ['a run that is none', ['report', '7', '-o', 'r.html'], 'RUN_NOT_FOUND'],
    ['a number that is none', ['report', 'last', '-o', 'r.html'], 'USAGE_INVALID'],
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
    const [, url = ''] = await running.sees(/Live page of this run: (http:\/\/127\.0\.0\.1:\d+\/)/)
    const page = await fetch(url)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Run in progress')
    running.child.stdin?.end(`company_name\nApple Inc.\n`)
    const { code } = await running.ended
    expect(code).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
  })

  test('its address may be said, by flag or in the config', async () => {
    const place = createPlace()
    write(place)
    writeConfig(place, { watch: { listen: 'localhost:0' } })
    expect((await run(place)).stderr).toMatch(/Live page of this run: http:\/\//)
    expect((await run(place, '--watch=127.0.0.1:0')).stderr).toMatch(
      /Live page of this run: http:\/\/127\.0\.0\.1:/,
    )
  })

  test('what is no address, or one that is taken, is an error before anything is asked', async () => {
    const place = createPlace()
    write(place)
    const mistyped = await place.run(['-o', 'out.csv', '--watch', 'in.csv'])
    expect([mistyped.code, mistyped.stderr]).toEqual([2, expect.stringContaining('It must be host:port')])
    const foreign = await run(place, '--watch', '192.0.2.1:9')
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('LISTEN_FAILED')])
    expect(place.names()).toEqual(['in.csv'])
  })

  test('a page that is open does not keep an interrupted run', async () => {
    const place = createPlace()
    const running = place.start(['-', '--input-format', 'csv', '-o', 'out.csv', '--watch'], { stdin: null })
    const [, url = ''] = await running.sees(/Live page of this run: (http:\S+\/)/)
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
