import { existsSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { createServiceClient } from '../../../src/client/client.js'
import { Checkpoint } from '../../../src/pipeline/checkpoint/checkpoint.js'
import type { LookupStore, QueryName } from '../../../src/pipeline/checkpoint/lookup-store.js'
import type { LookupUpdate } from '../../../src/pipeline/checkpoint/transitions.js'
import { calculateResolutionKey } from '../../../src/pipeline/checkpoint/lookup.js'
import { openCheckpointReader } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { Backlog } from '../../../src/pipeline/scheduler/work.js'
import { runUntilAnswered } from '../../../src/pipeline/scheduler/scheduler.js'
import { createTally } from '../../../src/pipeline/history/tally.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import {
  strangeMatch,
  type Fault,
  type StrangeService,
  type StrangeServiceOptions,
  type RecordedRequest,
} from '../../support/strange-service.js'
import { hurriedClock } from '../../support/hurried-clock.js'
import { createWorkplace, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'
import { errorWith } from '../../support/error-with.js'

let place: Workplace
const serve = servicesOfTests()

beforeEach(() => {
  place = createWorkplace()
})

const isKickoff = (request: RecordedRequest) => request.method === 'POST'
const nameOf = (request: RecordedRequest) => (JSON.parse(request.body) as { name: string }).name
/** The fault for the kickoffs of a name, the first `times` of them. */
function onKickoff(
  name: string,
  fault: Fault,
  times = Infinity,
): NonNullable<StrangeServiceOptions['faults']> {
  let count = 0
  return (request) => (isKickoff(request) && nameOf(request) === name && ++count <= times ? fault : undefined)
}

function states() {
  const reader = openCheckpointReader(place.path('checkpoint.sqlite'), null)
  try {
    return reader?.read('counts')[0]?.states
  } finally {
    reader?.close()
  }
}

describe('a submission whose answer is lost', () => {
  test('is held as uncertain, marked in the output, and never submitted again', async () => {
    place.writeRows(['Acme,', 'Lost,', 'Globex,'])
    const service = await serve({ faults: onKickoff('Lost', 'accept_then_reset') })
    const first = await place.run(service)
    expect(first).toMatchObject({ uncertainCount: 1, billedCount: 2, stop: null })
    expect(place.readOutput().map((row) => row['enrich_status'])).toEqual([
      'no_match',
      'uncertain',
      'no_match',
    ])
    await place.run(service)
    expect(service.runs.filter(({ query }) => query.name === 'Lost')).toHaveLength(1)
  })

  test('is submitted again only when told to, under another custom_id', async () => {
    place.writeRows(['Lost,'])
    const service = await serve({ faults: onKickoff('Lost', 'accept_then_reset', 1) })
    await place.run(service)
    await place.run(service, { submission: { onLost: 'resubmit' } })
    const ids = service.runs.map(({ customId }) => customId)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
    expect(place.readOutput()[0]?.['enrich_status']).toBe('no_match')
  })

  test('HTTP 500 is submitted again where the user knows that it creates nothing', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({ faults: onKickoff('Acme', { status: 500 }, 1) })
    const config = { submission: { onServerError: 'resubmit' } } as const
    expect(await place.run(service, config, { clock: hurriedClock(50) })).toMatchObject({
      uncertainCount: 0,
      billedCount: 1,
    })
  })

  test('failures in a row stop the submitting long before every lookup is uncertain', async () => {
    place.writeRows(Array.from({ length: 200 }, (_, index) => `Company ${index},`))
    const service = await serve({ faults: (request) => (isKickoff(request) ? { status: 500 } : undefined) })
    const summary = await place.run(
      service,
      { limits: { submitPerMinute: 60_000, submitConcurrency: 1 } },
      { clock: hurriedClock(200) },
    )
    expect(summary.stop).toMatchObject({ kind: 'unreachable' })
    expect(summary.uncertainCount).toBeLessThanOrEqual(8)
  })
})

describe('a service that refuses', () => {
  test.each([401, 403])(
    'HTTP %i stops at once, marks nothing as failed, and the right key resumes',
    async (status) => {
      place.writeRows(['Acme,', 'Globex,'])
      let isRefusing = true
      const service = await serve({
        answers: { Acme: strangeMatch('Acme SE') },
        faults: () => (isRefusing ? { status, body: { error: { type: 'nope', message: 'no' } } } : undefined),
      })
      const refused = await place.run(service)
      expect(refused.stop).toMatchObject({ kind: 'refused' })
      expect(states()).toMatchObject({ new: 2, failed: 0, uncertain: 0 })
      expect(existsSync(place.path('out.csv'))).toBe(false)
      isRefusing = false
      expect(await place.run(service)).toMatchObject({ stop: null, billedCount: 2 })
    },
  )

  test('no credit: nothing more is submitted, what runs is fetched, and the same command resumes', async () => {
    place.writeRows(['Acme,', 'Globex,', 'Hooli,'])
    let credit = 1
    const service = await serve({
      runTakes: { polls: 3 },
      faults: (request) =>
        isKickoff(request) && credit-- <= 0
          ? { status: 402, body: { error: { type: 'insufficient_credits', message: 'top up' } } }
          : undefined,
    })
    const stopped = await place.run(service, { limits: { submitConcurrency: 1 } })
    expect(stopped.stop).toMatchObject({ kind: 'out_of_credit' })
    expect(states()).toMatchObject({ answered: 1, new: 2 })
    credit = 10
    expect(await place.run(service)).toMatchObject({ stop: null, cachedCount: 1, billedCount: 2 })
  })

  test('a lookup the service will not take is invalid on its own rows alone', async () => {
    place.writeRows(['Acme,', 'Odd,'])
    const service = await serve({
      faults: onKickoff('Odd', {
        status: 400,
        body: { error: { type: 'bad_request', message: 'name is odd' } },
      }),
    })
    await place.run(service)
    expect(place.readOutput()[1]).toMatchObject({
      enrich_status: 'invalid_input',
      enrich_error: 'HTTP 400: bad_request: name is odd',
    })
  })

  test('an address that takes no submissions stops the run', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({ faults: () => ({ status: 404, body: '<html>not here</html>' }) })
    expect((await place.run(service)).stop).toMatchObject({ kind: 'wrong_address' })
    expect(states()).toMatchObject({ new: 1 })
  })
})

describe('limits and budget', () => {
  test("a minute's 429 is waited out and costs neither a try nor a lookup", async () => {
    place.writeRows(['Acme,', 'Globex,'])
    const service = await serve({
      faults: onKickoff(
        'Acme',
        { status: 429, headers: { 'retry-after': '1', 'x-ratelimit-remaining-minute': '0' } },
        2,
      ),
    })
    const summary = await place.run(service)
    expect(summary).toMatchObject({ stop: null, billedCount: 2, uncertainCount: 0, rateLimitedCount: 2 })
    expect(service.runs).toHaveLength(2)
  })

  test('a 429 with budget left in the minute is a limit of the plan: the run stops', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({
      faults: onKickoff('Acme', { status: 429, headers: { 'x-ratelimit-remaining-minute': '512' } }),
    })
    expect((await place.run(service)).stop).toMatchObject({ kind: 'plan_limit' })
  })

  test('never more than the budget is submitted, and what was submitted is fetched', async () => {
    place.writeRows(['Acme,', 'Globex,', 'Hooli,', 'Initech,'])
    const service = await serve()
    const stopped = await place.run(service, { budget: { lookupsMax: 2 } })
    expect(stopped).toMatchObject({ stop: { kind: 'lookups_max' }, billedCount: 2, pendingCount: 2 })
    expect(states()).toMatchObject({ answered: 2, new: 2 })
    expect(existsSync(place.path('out.csv'))).toBe(false)
  })

  test('a run that stops early writes the output when asked for a partial one', async () => {
    place.writeRows(['Acme,', 'Globex,'])
    const service = await serve()
    await place.run(service, { budget: { lookupsMax: 1 }, output: { partial: true } })
    expect(place.readOutput().map((row) => row['enrich_status'])).toEqual(['no_match', 'pending'])
  })

  test('the time given is kept, and the rest is for the same command', async () => {
    place.writeRows(['Slow,'])
    const service = await serve({ runTakes: { polls: 1_000_000 } })
    const stopped = await place.run(service, { budget: { durationMax: '1s' } })
    expect(stopped).toMatchObject({ stop: { kind: 'duration_max' }, pendingCount: 1 })
    expect(states()).toMatchObject({ running: 1 })
  })
})

describe('polls', () => {
  test('a run the service does not know is an alarm on its row, and stays resumable', async () => {
    place.writeRows(['Acme,'])
    let isForgotten = true
    const service = await serve({
      faults: (request) => (isForgotten && !isKickoff(request) ? { status: 404 } : undefined),
    })
    expect(await place.run(service)).toMatchObject({ stop: null, pendingCount: 1 })
    expect(place.readOutput()[0]).toMatchObject({
      enrich_status: 'error',
      enrich_error: expect.stringContaining('does not know run_'),
    })
    isForgotten = false
    await place.run(service)
    expect(place.readOutput()[0]).toMatchObject({ enrich_status: 'no_match' })
    expect(service.runs).toHaveLength(1)
  })

  test('a run past its deadline is left for the next command', async () => {
    place.writeRows(['Slow,', 'Acme,'])
    const service = await serve({ runTakes: (name) => ({ polls: name === 'Slow' ? 1_000_000 : 1 }) })
    const summary = await place.run(service, {
      polling: { firstAfterSeconds: 0, intervalSeconds: 0.05, deadlineMinutes: 0.01 },
    })
    expect(summary).toMatchObject({ stop: null, pendingCount: 1 })
    expect(place.readOutput().map((row) => row['enrich_status'])).toEqual(['pending', 'no_match'])
  })
})

describe('no server at the address', () => {
  test('a dead address is given up, and nothing counts as submitted', async () => {
    place.writeRows(['Acme,'])
    const service = await serve()
    await service.close()
    expect((await place.run(service, {}, { clock: hurriedClock(50) })).stop).toMatchObject({
      kind: 'unreachable',
    })
    expect(states()).toMatchObject({ new: 1, uncertain: 0 })
  })

  test('interrupted before the first submission: the summary says so, and nothing was billed', async () => {
    place.writeRows(['Acme,'])
    const service = await serve()
    const interrupt = new AbortController()
    const running = place.run(
      service,
      { polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 } },
      { signal: interrupt.signal },
    )
    interrupt.abort()
    await expect(running).rejects.toMatchObject({ name: 'AbortError' })
    expect(service.runs).toHaveLength(0)
  })

  test('interrupted while runs are open: they are kept, and the same command fetches them', async () => {
    place.writeRows(['Acme,', 'Globex,'])
    let isSlow = true
    const service = await serve({ runTakes: () => ({ polls: isSlow ? 1_000_000 : 1 }) })
    const interrupt = new AbortController()
    const running = place.run(service, {}, { signal: interrupt.signal })
    while (service.runs.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    interrupt.abort()
    expect(await running).toMatchObject({ stop: { kind: 'interrupted' }, pendingCount: 2 })
    isSlow = false
    expect(await place.run(service)).toMatchObject({ stop: null, billedCount: 0, answeredCount: 2 })
    expect(service.runs).toHaveLength(2)
  })
})

test('a second process on the same checkpoint is told who holds it', async () => {
  place.writeRows(['Slow,'])
  const service = await serve({ runTakes: { polls: 1_000_000 } })
  const interrupt = new AbortController()
  const running = place.run(service, {}, { signal: interrupt.signal })
  while (service.runs.length < 1) await new Promise((resolve) => setTimeout(resolve, 5))
  await expect(place.run(service)).rejects.toMatchObject(
    errorWith('CHECKPOINT_IN_USE', { message: `process ${process.pid} on` }),
  )
  interrupt.abort()
  await running
})

/** Asks names until a method of the checkpoint fails; the scheduler alone, so that its error is not wrapped. */
async function askUntilItFails(
  service: StrangeService,
  names: readonly string[],
  failing: { step: LookupUpdate['event'] | QueryName; times: (count: number) => Promise<void> | null },
  inFlightRunsMax = 10,
): Promise<unknown> {
  const scope = service.baseUrl
  const checkpoint = openCheckpoint({
    path: place.path('checkpoint.sqlite'),
    scope,
    job: 'in.csv',
    nowMs: Date.now(),
    random: systemRandom,
  })
  const lookups = names.map((name) => ({ name, location: null, context: null }))
  await checkpoint.store.register(
    lookups.map((lookup) => ({ kind: 'resolution' as const, key: calculateResolutionKey(lookup), lookup })),
  )
  await checkpoint.plan({ nowMs: Date.now(), maxAgeMs: null, onLost: 'hold' })
  let count = 0
  const failingStore: LookupStore = new Proxy(checkpoint.store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call = value.bind(target) as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        const step = name === 'change' ? (args[1] as LookupUpdate).event : name === 'read' ? args[1] : name
        const trouble = step === failing.step ? failing.times(++count) : null
        if (trouble === null) return call(...args)
        return trouble.then(() => Promise.reject(new Error('the disk is gone')))
      }
    },
  })
  const client = createServiceClient({
    baseUrl: scope,
    apiKey: service.apiKey,
    userAgent: 'test',
    connectionsMax: 2,
  })
  const backlog = new Backlog(names.length)
  try {
    await runUntilAnswered({
      checkpoint: new Checkpoint(failingStore),
      service: { client },
      clock: systemClock,
      random: systemRandom,
      resolutions: { backlog, counter: createTally().counter },
      scheduling: {
        limits: {
          submissionsPerWindow: null,
          pollsPerWindow: null,
          windowMs: 60_000,
          inFlightRunsMax,
          submitConcurrency: 4,
        },
        polling: { firstAfterMs: 0, intervalMs: 20, deadlineMs: 60_000 },
        serverErrorMeans: 'unknown',
        lookupsMax: null,
        durationMsMax: null,
      },
      interrupt: new AbortController().signal,
    })
    return null
  } catch (error) {
    return error
  } finally {
    checkpoint.close()
    await client.close()
  }
}

test('a checkpoint that fails while a submission is in flight: its answer is waited for and recorded', async () => {
  const replies: (() => void)[] = []
  let isPosted: () => void = () => undefined
  const posted = new Promise<void>((resolve) => (isPosted = resolve))
  const service = await serve({
    reply: ({ method }, body) =>
      method !== 'POST'
        ? body
        : (response: ServerResponse) => {
            replies.push(() => response.writeHead(202).end(JSON.stringify(body)))
            isPosted()
          },
  })
  let hasEnded = false
  const failing = { step: 'to_submit', times: (count: number) => (count > 1 ? posted : null) } as const
  const running = askUntilItFails(service, ['Acme'], failing).finally(() => (hasEnded = true))
  // The service answers once the run has ended, or after a time that is enough for it to end.
  await Promise.race([running, posted.then(() => systemClock.sleep(1_000))])
  const endedBefore = hasEnded
  for (const reply of replies) reply()
  expect(String(await running)).toContain('the disk is gone')
  expect([endedBefore, service.runs.length, states()]).toMatchObject([
    false,
    1,
    { new: 0, intended: 0, uncertain: 0 },
  ])
})

test('a checkpoint that cannot record an answer, while no more runs may be open: the run ends', async () => {
  const service = await serve()
  const failing = { step: 'answer', times: () => Promise.resolve() } as const
  expect(String(await askUntilItFails(service, ['Acme', 'Globex'], failing, 1))).toContain('the disk is gone')
  expect([service.runs.length, states()]).toMatchObject([1, { new: 1, running: 1 }])
})
