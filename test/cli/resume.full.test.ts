import { renameSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  at,
  canary,
  companiesCsv,
  createPlace,
  fixture,
  writeConfig,
  type CliOptions,
  type CliPlace,
  type RunningCli,
  quickConfig,
} from '../support/cli.js'
import { createHostedPlace } from '../support/hosted-place.js'
import { serve } from '../support/served.js'
import { openCheckpointReader } from '../../src/pipeline/checkpoint/sqlite/reader.js'
import { rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const lookupCount = 40
const names = Array.from({ length: lookupCount }, (_, index) => `Company ${index}`)
const command = ['companies.csv', '-o', 'out.csv']
/** Submissions in flight at one time, and so the most that a killed run can leave uncertain. */
const submitConcurrency = 4

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

interface Served {
  readonly options: CliOptions
  /** The names billed so far, one a billed run; the service is started again for it. */
  billed(): Promise<string[]>
}

/** `enrich serve` as a second process, whose runs take half a second, and an input to ask it about. */
async function serveInput(place: CliPlace): Promise<Served> {
  place.write('companies.csv', companiesCsv(names))
  writeConfig(place, {
    ...quickConfig,
    // Slow enough to be interrupted in the middle.
    limits: { ...quickConfig.limits, submitPerMinute: 2_400, submitConcurrency },
  })
  const service = await serve(place, 0.5)
  return {
    options: at(service),
    billed: () =>
      service.read((database) =>
        database.prepare<[], string>('SELECT name FROM ledger JOIN runs USING (run_number)').pluck().all(),
      ),
  }
}

/** How many lookups have a run, by the checkpoint of a run that goes on. */
function submittedCount(place: CliPlace): number {
  const reader = openCheckpointReader(place.path('.enrich/checkpoint.sqlite'), null)
  const states = reader?.read('counts')[0]?.states
  reader?.close()
  return (states?.running ?? 0) + (states?.answered ?? 0)
}

async function untilSubmitted(place: CliPlace, running: RunningCli, count: number): Promise<void> {
  await running.sees(/distinct lookups/)
  while (submittedCount(place) < count) await pause()
}

const namesOut = (place: CliPlace) => rowsOfCsv(place.read('out.csv')).map((row) => row['company_name'])

test('The same command after a finished run submits nothing', async () => {
  const place = createPlace()
  const args = [fixture('companies.csv'), '-o', 'out.csv', '--json', '--quiet']
  await place.run(args)
  const first = place.read('out.csv')
  const { stdout } = await place.run(args)
  const events = readJsonLines(stdout)
  expect(events.find(({ type }) => type === 'finished')?.['summary']).toMatchObject({
    billedCount: 0,
    pollCount: 0,
    cachedCount: 178,
  })
  expect(place.read('out.csv')).toBe(first)
})

describe('a run ended by a signal', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)(
    '%s: what is in flight is saved, and the same command submits only the rest',
    async (signal, code) => {
      const place = createPlace()
      const service = await serveInput(place)
      const running = place.start(command, service.options)
      await untilSubmitted(place, running, 10)
      running.child.kill(signal)
      const { code: endedWith, stderr } = await running.ended
      expect(endedWith).toBe(code)
      expect(stderr).toContain('Stopping')
      expect(stderr).toMatch(/^ {2}resume {4}enrich companies\.csv -o out\.csv$/m)
      expect(stderr).toMatch(/^ {2}export {4}enrich export companies\.csv -o out\.csv/m)
      expect(place.names()).toEqual(['companies.csv', 'pipeline.config.json'])
      const billedBefore = (await service.billed()).length
      expect(billedBefore).toBeLessThan(lookupCount)

      const status = await place.run(['status', '--json'], service.options)
      const [scope] = (JSON.parse(status.stdout) as { scopes: { states: Record<string, number> }[] }).scopes
      expect(scope?.states).toMatchObject({ intended: 0, uncertain: 0 })
      expect((scope?.states['running'] ?? 0) + (scope?.states['answered'] ?? 0)).toBe(billedBefore)

      const resumed = await place.run(command, service.options)
      expect(resumed.code).toBe(0)
      expect((await service.billed()).toSorted()).toEqual(names.toSorted())
      expect(namesOut(place)).toEqual(names)
    },
  )

  test('SIGHUP ends no run that nohup started, and no run twice', async () => {
    const place = createPlace()
    const service = await serveInput(place)
    const kept = place.start(command, { ...service.options, wrapper: ['bash', '-c', 'nohup "$0" "$@"'] })
    await untilSubmitted(place, kept, 10)
    kept.child.kill('SIGHUP')
    expect((await kept.ended).code).toBe(0)
    expect(namesOut(place)).toEqual(names)
    const again = place.start([...command, '--max-age', '0s'], service.options)
    await again.sees(/distinct lookups/)
    for (const signal of ['SIGHUP', 'SIGTERM', 'SIGHUP'] as const) again.child.kill(signal)
    expect((await again.ended).code).toBe(143)
    const status = await place.run(['status', '--json'], service.options)
    const [scope] = (JSON.parse(status.stdout) as { scopes: { states: Record<string, number> }[] }).scopes
    expect(scope?.states).toMatchObject({ intended: 0, uncertain: 0 })
  })

  test.each(['removed', 'moved'])(
    'a checkpoint that is %s during a run ends it, and loses no answer',
    async (how) => {
      const place = createPlace()
      const service = await serveInput(place)
      const options = {
        ...service.options,
        env: { ...service.options.env, XDG_STATE_HOME: place.path('state') },
      }
      const running = place.start(command, options)
      await untilSubmitted(place, running, 10)
      renameSync(place.path('.enrich'), place.path('moved'))
      if (how === 'removed') rmSync(place.path('moved'), { recursive: true })
      const { code, stderr } = await running.ended
      expect(code).toBe(5)
      expect(stderr).toContain(
        `error CHECKPOINT_REMOVED: the checkpoint .enrich/checkpoint.sqlite was ${how}`,
      )
      expect(stderr).toContain(how === 'moved' ? place.path('moved/checkpoint.sqlite') : '--accept-rollback')
      if (how === 'moved') renameSync(place.path('moved'), place.path('.enrich'))
      const resumed = await place.run(
        [...command, ...(how === 'moved' ? [] : ['--accept-rollback'])],
        options,
      )
      expect(resumed.code, resumed.stderr).toBe(0)
      expect((await service.billed()).toSorted()).toEqual(names.toSorted())
      expect(namesOut(place)).toEqual(names)
    },
  )

  test('a checkpoint that is removed with its run is missed: one flag continues without it', async () => {
    const place = createPlace()
    const service = await serveInput(place)
    const options = {
      ...service.options,
      env: { ...service.options.env, XDG_STATE_HOME: place.path('state') },
    }
    const running = place.start(command, options)
    await untilSubmitted(place, running, 10)
    rmSync(place.path('.enrich'), { recursive: true })
    running.child.kill('SIGKILL')
    await running.ended
    const refused = await place.run(command, options)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(
      'error CHECKPOINT_BEHIND: the checkpoint .enrich/checkpoint.sqlite is missing',
    )
    expect((await place.run([...command, '--accept-rollback'], options)).code).toBe(0)
    expect((await place.run(command, options)).code).toBe(0)
    expect(new Set(await service.billed())).toEqual(new Set(names))
  })

  test('killed outright: no row is lost, nothing is billed twice, and no more is uncertain than was in flight', async () => {
    const place = createPlace()
    const service = await serveInput(place)
    const running = place.start(command, service.options)
    await untilSubmitted(place, running, 10)
    running.child.kill('SIGKILL')
    await running.ended
    expect(place.names()).toEqual(['companies.csv', 'pipeline.config.json'])

    const resumed = await place.run(command, service.options)
    const rows = rowsOfCsv(place.read('out.csv'))
    const uncertain = rows.filter((row) => row['enrich_status'] === 'uncertain')
    expect(uncertain.length).toBeLessThanOrEqual(submitConcurrency)
    expect(resumed.code).toBe(uncertain.length === 0 ? 0 : 3)
    expect(rows.map((row) => row['company_name'])).toEqual(names)
    const billed = await service.billed()
    expect(new Set(billed).size).toBe(billed.length)
    const isUncertain = new Set(uncertain.map((row) => row['company_name']))
    expect(names.filter((name) => !isUncertain.has(name) && !billed.includes(name))).toEqual([])
  })

  test('the second signal leaves at once, and what hung is uncertain, not asked again', async () => {
    const { place, service, hosted } = await createHostedPlace(['Acme'], {
      faults: ({ method }) => (method === 'POST' ? 'accept_then_hang' : undefined),
    })
    const running = place.start(command, hosted)
    while (service.runs.length === 0) await pause()
    running.child.kill('SIGINT')
    await running.sees(/Interrupt again to stop immediately/)
    expect(running.child.exitCode).toBeNull()
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    const again = await place.run(command, hosted)
    expect(again.code).toBe(3)
    expect(again.stderr).toContain('1 uncertain')
    expect(service.runs).toHaveLength(1)
  })

  test('while standard input is still open: nothing is submitted, nothing is left', async () => {
    const place = createPlace()
    const running = place.start(['-', '--input-format', 'csv', '-o', 'out.csv'], { stdin: null })
    running.child.stdin?.write(companiesCsv(['Acme']))
    while (!place.namesIn('.enrich').some((name) => name.endsWith('.spool'))) await pause()
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    expect([code, stderr]).toEqual([143, expect.stringContaining('nothing was submitted')])
    expect(place.namesIn('.enrich')).toEqual([])
  })
})

describe('at the first signal, a command tells what it finishes, and at its end what is true', () => {
  const register = `id,name,country\n${Array.from({ length: 200_000 }, (_, at) => `${at},Nobody ${at} Limited,GB\n`).join('')}`
  test.each<[args: string, begun: RegExp | null, finishing: string, end: string | null]>([
    [
      'registry import csv register.csv --registry own.sqlite',
      null,
      'a register that is not complete leaves the registry unchanged',
      'Interrupted: the registry has only complete registers. The same command continues.\n',
    ],
    ['review companies.csv --no-open', /Review at http/, 'closing the review; verdicts that you gave', null],
    ['serve --listen 127.0.0.1:0 --data served', /http:/, 'finishing requests in flight', null],
  ])('%s', async (args, begun, finishing, end) => {
    const place = createPlace()
    place.write('companies.csv', companiesCsv(['Dutche Bank']))
    place.write('register.csv', register)
    if (args.startsWith('review')) await place.run(command)
    const running = place.start(args.split(' '), { stdin: null, env: { ENRICH_SERVE_API_KEY: canary } })
    const hasBegun = () => place.names().some((name) => name.includes('own.sqlite'))
    if (begun === null) while (!hasBegun()) await pause()
    else await running.sees(begun)
    running.child.kill('SIGINT')
    const { stderr } = await running.ended
    expect(stderr).toContain(`\nStopping: ${finishing}`)
    expect(stderr.match(/in flight|submitted/g) ?? []).toHaveLength(finishing.includes('in flight') ? 1 : 0)
    if (end !== null) expect(stderr.endsWith(end)).toBe(true)
    expect(place.names()).not.toContain('own.sqlite')
  })
})

test('After a kill of a run with the embedded service, the next run answers every row', async () => {
  const place = createPlace()
  // Of nobody: each is asked, and answered with no match.
  const many = Array.from({ length: 1_000 }, (_, index) => `Nobody ${index} Works`)
  place.write('companies.csv', companiesCsv(many))
  for (const least of [1, 200]) {
    const running = place.start(command)
    await untilSubmitted(place, running, least)
    running.child.kill('SIGKILL')
    await running.ended
    expect(place.names()).toEqual(['companies.csv'])
  }
  const { code, stderr } = await place.run(command)
  expect([code, stderr]).toEqual([0, expect.stringContaining('Done')])
  const rows = rowsOfCsv(place.read('out.csv'))
  expect(rows.map((row) => row['company_name'])).toEqual(many)
  expect(new Set(rows.map((row) => row['enrich_status']))).not.toContain('uncertain')
  const reader = openCheckpointReader(place.path('.enrich/checkpoint.sqlite'), null)
  const states = reader?.read('counts')[0]?.states
  reader?.close()
  expect(states).toMatchObject({ new: 0, intended: 0, running: 0, uncertain: 0, answered: many.length })
  // Nothing is kept of the service: its runs were in memory.
  expect(place.namesIn('.enrich').filter((name) => name.includes('service'))).toEqual([])
})
