import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { canary, type CliPlace } from '../support/cli.js'
import { createHostedPlace, type HostedPlaceOptions } from '../support/hosted-place.js'
import { startHookReceiver, type HookReceiver } from '../support/hook-receiver.js'
import { readPrometheus } from '../support/prometheus-text.js'
import { rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const command = ['companies.csv', '-o', 'out.csv', '--basis', 'none']
type Context = Pick<TestContext, 'onTestFinished'>

/** Two rows, of which the service knows none. */
const prepared = ({ onTestFinished }: Context, options: HostedPlaceOptions = {}) =>
  createHostedPlace(['Acme', 'Bolt'], options, onTestFinished)

async function hookOf(
  { onTestFinished }: Context,
  answer: HookReceiver['answer'] = 200,
): Promise<HookReceiver> {
  const hook = await startHookReceiver(answer)
  onTestFinished(() => hook.close())
  return hook
}

/** The config of a place and more, where it is not searched for what must not be seen. */
function outside(place: CliPlace, more: object, { onTestFinished }: Context): string {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-alarms-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  const own = JSON.parse(place.read('pipeline.config.json')) as object
  writeFileSync(join(folder, 'c.json'), JSON.stringify({ ...own, ...more }))
  return join(folder, 'c.json')
}

const messageOf = (hook: HookReceiver): Record<string, unknown> =>
  JSON.parse(hook.deliveries[0]?.body.toString() ?? '{}') as Record<string, unknown>

describe('conditions on what a run came to', () => {
  test.concurrent('one that is met ends with 6, and the output is written', async (context) => {
    const { place, hosted: options } = await prepared(context)
    const flags = ['--fail-on', 'no_match > 50%, matched < 1, failed>0']
    const { code, stderr } = await place.run([...command, ...flags], options)
    expect(code).toBe(6)
    expect(rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_status'])).toEqual([
      'no_match',
      'no_match',
    ])
    expect(stderr).toMatch(/^ {2}alarm {5}no_match>50%: 2 of 2 rows \(100%\)$/m)
    expect(stderr).toMatch(/^ {2}alarm {5}matched<1: 0 of 2 rows$/m)
    expect(stderr).not.toContain('failed>0')
  })

  test.concurrent('as JSON and in silence too', async (context) => {
    const { place, hosted: options } = await prepared(context)
    const json = await place.run([...command, '--fail-on', 'rows<5', '--json'], options)
    const lines = readJsonLines(json.stdout)
    expect([json.code, lines.find(({ type }) => type === 'finished')]).toEqual([
      6,
      expect.objectContaining({
        summary: expect.objectContaining({
          alarms: [{ condition: 'rows<5', found: 2, message: 'rows<5: the output has 2 rows' }],
        }) as object,
      }),
    ])
    const quiet = await place.run([...command, '--fail-on', 'rows<5', '--quiet'], options)
    expect([quiet.code, quiet.stderr]).toEqual([6, 'alarm rows<5: the output has 2 rows\n'])
  })

  test.concurrent('none that is met: 0; and rows that need attention: 3', async (context) => {
    const { place, hosted: options } = await prepared(context, { answers: { Acme: 'fails' } })
    expect((await place.run([...command, '--fail-on', 'matched>0'], options)).code).toBe(3)
    expect((await place.run([...command, '--fail-on', 'failed>0'], options)).code).toBe(6)
  })

  test.concurrent('what stopped the run stands above them, with a partial output too', async (context) => {
    const { place, hosted: options } = await prepared(context)
    const flags = ['--fail-on', 'rows<5', '--max-lookups', '1', '--partial']
    const { code, stderr } = await place.run([...command, ...flags], options)
    expect([code, stderr]).toEqual([8, expect.stringContaining('error LOOKUPS_MAX_REACHED: ')])
    expect(stderr).toMatch(/^ {2}alarm {5}rows<5/m)
    expect(place.names()).toContain('out.csv')
  })

  test.concurrent('a condition on changes without an earlier output is reported', async (context) => {
    const { place, hosted: options } = await prepared(context)
    const { code, stderr } = await place.run([...command, '--fail-on', 'lost_match>=0'], options)
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('No previous output is known, so lost_match>=0 was not evaluated.'),
    ])
  })

  test.concurrent('one that cannot be read stops before anything is asked', async (context) => {
    let requestCount = 0
    const counting = () => {
      requestCount++
      return undefined
    }
    const { place, hosted: options } = await prepared(context, { faults: counting })
    const { code, stderr } = await place.run([...command, '--fail-on', 'failed>0, lost_mach>5%'], options)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('error FAIL_ON_INVALID: --fail-on: "lost_mach>5%": '),
    ])
    expect(stderr).toContain('lost_match, ')
    expect([requestCount, existsSync(place.path('out.csv'))]).toEqual([0, false])
  })

  test.concurrent('the key of the file does the same, and the flag goes above it', async (context) => {
    const { place, hosted: options } = await prepared(context, { config: { alarms: { failOn: 'rows>0' } } })
    expect((await place.run(command, options)).code).toBe(6)
    expect((await place.run([...command, '--fail-on', 'rows>2'], options)).code).toBe(0)
  })
})

describe('a message at the end', () => {
  /** The canary: whatever holds any of the URL, in words or in files, fails the test. */
  const urlOf = (hook: HookReceiver) => `http://127.0.0.1:${hook.port}/services/${canary}?sig=${canary}`

  test.concurrent.for(['--notify', 'ENRICH_NOTIFY_URL', 'the config'])('by %s', async (way, context) => {
    const hook = await hookOf(context)
    const url = urlOf(hook)
    const { place, hosted: options } = await prepared(context, { answers: { Acme: 'fails' } })
    const env = { ...options.env, ...(way === 'ENRICH_NOTIFY_URL' ? { ENRICH_NOTIFY_URL: url } : {}) }
    const flags = way === '--notify' ? ['--notify', url] : []
    if (way === 'the config') flags.push('-c', outside(place, { alarms: { notify: url } }, context))
    const { code, stderr } = await place.run([...command, ...flags, '--log-level', 'debug'], { env })
    expect([code, stderr]).toEqual([3, expect.not.stringContaining('notify URL')])
    await hook.has(1)
    expect(messageOf(hook)).toMatchObject({
      type: 'enrich.run_ended',
      run: 1,
      output: 'out.csv',
      exit_code: 3,
      rows_by_status: { failed: 1, no_match: 1 },
    })
  })

  test.concurrent('goes out where the run was stopped, once', async (context) => {
    const hook = await hookOf(context)
    const { place, hosted: options } = await prepared(context)
    const flags = ['--notify', urlOf(hook), '--max-lookups', '1', '--fail-on', 'rows>0']
    const { code, stderr } = await place.run([...command, ...flags], options)
    expect(code).toBe(8)
    // The command that resumes is shown without it.
    expect(stderr).toMatch(/^ {2}resume {4}enrich .* --notify … --max-lookups 1/m)
    expect(stderr).toMatch(/^ {2}export {4}enrich export companies\.csv -o out\.csv --basis none {3}/m)
    await hook.has(1)
    expect(messageOf(hook)).toMatchObject({
      exit_code: 8,
      failure: { code: 'LOOKUPS_MAX_REACHED' },
      alarms: [],
    })
  })

  test.concurrent('and where it was interrupted', async (context) => {
    const hook = await hookOf(context)
    const { place, hosted: options } = await prepared(context, { runTakes: { ms: 600_000 } })
    const running = place.start([...command, '--notify', urlOf(hook)], options)
    await running.sees(/distinct lookups/)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(143)
    await hook.has(1)
    expect(messageOf(hook)).toMatchObject({ exit_code: 143, failure: { code: 'INTERRUPTED' } })
  })

  test.concurrent.for([
    ['FAIL_ON_INVALID', ['--fail-on', 'doubtful>1']],
    ['BILLING_PRICE_MISSING', ['--max-cost', '5']],
    ['USAGE_INVALID', ['--webhook-listen', '127.0.0.1:0']],
    ['INPUT_NOT_FOUND', ['missing.csv']],
  ] as const)('An error before the run starts is sent, once: %s', async ([code, flags], context) => {
    const hook = await hookOf(context)
    const { place, hosted: options } = await prepared(context)
    const input = code === 'INPUT_NOT_FOUND' ? command.slice(1) : command
    const { code: exitCode, stderr } = await place.run([...input, ...flags, '--notify', urlOf(hook)], options)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(code)])
    await hook.has(1)
    expect(messageOf(hook)).toMatchObject({ exit_code: 2, failure: { code } })
  })

  test.concurrent('goes out after failures only, if the config says so', async (context) => {
    const hook = await hookOf(context)
    const config = { alarms: { notifyWhen: 'failure', notifyFormat: 'slack' } }
    const { place, hosted: options } = await prepared(context, { config })
    const flags = ['--notify', urlOf(hook)]
    expect((await place.run([...command, ...flags], options)).code).toBe(0)
    await hook.has(0)
    expect((await place.run([...command, ...flags, '--fail-on', 'rows>0'], options)).code).toBe(6)
    await hook.has(1)
    expect(messageOf(hook)['text']).toMatch(/^enrich: Run 2 of companies\.csv is done, with 1 alarm\n/)
  })

  test.concurrent('a receiver that answers 500 changes nothing, and the log says so', async (context) => {
    const hook = await hookOf(context, 500)
    const { place, hosted: options } = await prepared(context)
    const { code, stderr } = await place.run(
      [...command, '--notify', urlOf(hook), '--log-level', 'warn'],
      options,
    )
    expect([code, stderr]).toEqual([0, expect.stringContaining('HTTP 500')])
    expect(stderr).toMatch(
      /^The message to the notify URL was not delivered: .*\. The result of the run is not affected\.$/m,
    )
    expect(place.names()).toContain('out.csv')
    const quiet = await place.run([...command, '--notify', urlOf(hook), '--quiet'], options)
    expect(quiet.code).toBe(0)
    expect(quiet.stderr).toMatch(
      /^warning The message to the notify URL was not delivered: [^\n]*HTTP 500[^\n]*\n$/,
    )
  })

  test.concurrent.for([
    canary,
    `ftp://hooks.example.com/${canary}`,
    `http://hooks.example.com/${canary}`,
    `https://10.0.0.1/${canary}`,
    `https://u:${canary}@hooks.example.com/`,
    `https://${canary}.local/`,
    `file:///etc/${canary}`,
  ])('%s stops before anything is asked, and is not repeated', async (url, context) => {
    let requestCount = 0
    const counting = () => {
      requestCount++
      return undefined
    }
    const { place, hosted: options } = await prepared(context, { faults: counting })
    for (const [flags, env] of [
      [['--notify', url], {}],
      [[`--notify=${url}`, '--json'], {}],
      [[], { ENRICH_NOTIFY_URL: url }],
    ] as const) {
      const result = await place.run([...command, ...flags], { env: { ...options.env, ...env } })
      expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('error NOTIFY_URL_INVALID: ')])
    }
    expect(requestCount).toBe(0)
  })
})

describe('the file for Prometheus', () => {
  test.concurrent('is written at the end of a run, however it ended', async (context) => {
    const { place, hosted: options } = await prepared(context)
    const flags = ['--metrics-file', 'enrich.prom', '--job', 'nightly']
    const valuesOf = () =>
      new Map(readPrometheus(place.read('enrich.prom')).map(({ name, value }) => [name.slice(11), value]))
    expect((await place.run([...command, ...flags, '--max-lookups', '1'], options)).code).toBe(8)
    expect(valuesOf().get('exit_code')).toBe(8)
    expect(valuesOf().has('last_success_timestamp_seconds')).toBe(false)
    expect((await place.run([...command, ...flags], options)).code).toBe(0)
    expect([valuesOf().get('exit_code'), valuesOf().get('accepted_submissions')]).toEqual([0, 1])
    expect(valuesOf().get('last_success_timestamp_seconds')).toBe(
      valuesOf().get('last_end_timestamp_seconds'),
    )
    expect(statSync(place.path('enrich.prom')).mode & 0o777).toBe(0o644)
    expect(readFileSync(place.path('enrich.prom'), 'utf8')).toContain('{series="nightly"}')
  })

  test.concurrent.for([
    ['companies.csv', 'OUTPUT_IS_INPUT'],
    ['out.csv', 'OUTPUT_IS_OURS'],
    ['changes.csv', 'OUTPUT_IS_OURS'],
    ['report.html', 'OUTPUT_IS_OURS'],
    ['-', 'USAGE_INVALID'],
    ['pipeline.config.json', 'OUTPUT_IS_OURS'],
    ['.enrich/checkpoint.sqlite', 'OUTPUT_IS_OURS'],
    ['.enrich/checkpoint.sqlite.head', 'OUTPUT_IS_OURS'],
    ['no/folder/x.prom', 'OUTPUT_UNWRITABLE'],
    ['.', 'OUTPUT_UNWRITABLE'],
    ['pipe.prom', 'OUTPUT_UNWRITABLE'],
    ['notes.txt', 'OUTPUT_UNWRITABLE'],
    ['https://push.example.com/x', 'PATH_IS_ADDRESS'],
  ] as const)('%s is refused before anything is asked: %s', async ([path, says], context) => {
    let requestCount = 0
    const counting = () => {
      requestCount++
      return undefined
    }
    const { place, hosted: options } = await prepared(context, { faults: counting })
    // Not a device of the machine: what replaced one would take it from everybody.
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', place.path('pipe.prom')])
    place.write('notes.txt', 'not of a run\n')
    const standing = () =>
      ['companies.csv', 'notes.txt'].map((name) => readFileSync(place.path(name), 'utf8'))
    const before = standing()
    const flags = ['--changes', 'changes.csv', '--report', 'report.html', '--metrics-file', path]
    const { code, stderr } = await place.run([...command, ...flags], options)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error ${says}: `)])
    expect(requestCount).toBe(0)
    // A run that was refused writes its figures too, and over none of these.
    expect(standing()).toEqual(before)
    expect(lstatSync(place.path('pipe.prom')).isFIFO()).toBe(true)
    expect(existsSync(place.path('-'))).toBe(false)
  })
})
