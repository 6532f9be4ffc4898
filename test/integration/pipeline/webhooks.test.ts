import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EnrichConfig, EnrichOptions, RunSummary } from '../../../src/index.js'
import { openCheckpointReader } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import { openFileInbox, readInboxCounts } from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import {
  strangeMatch,
  startStrangeService,
  type StrangeRun,
  type StrangeService,
  type StrangeServiceOptions,
} from '../../support/strange-service.js'
import { hurriedClock } from '../../support/hurried-clock.js'
import { freePort } from '../../support/loopback-server.js'
import { createWorkplace, type Workplace } from '../../support/pipeline-job.js'
import { eventOf, newSecret, send, type SendOptions, type SentEvent } from '../../support/webhook-sender.js'

const secret = newSecret()
const url = 'https://hooks.example.com/enrich'
let place: Workplace
let port: number
const services: StrangeService[] = []
/** Deliveries in flight: a test ends after them. */
const sending: Promise<unknown>[] = []

beforeEach(async () => {
  place = createWorkplace()
  port = await freePort()
})
afterEach(async () => {
  try {
    await Promise.all(sending.splice(0))
  } finally {
    await Promise.all(services.splice(0).map((service) => service.close()))
  }
})

async function serve(options: StrangeServiceOptions): Promise<StrangeService> {
  const service = await startStrangeService(options)
  services.push(service)
  return service
}

const answers = { Acme: strangeMatch('Acme SE'), Globex: strangeMatch('Globex AG'), Broken: 'fails' } as const

/** Delivers as the service would; the address that the kickoff bore leads to the receiver. */
const deliver = (event: SentEvent, options: Partial<SendOptions> = {}) =>
  send(`http://127.0.0.1:${port}/enrich`, event, { secrets: [secret], ...options })

function later(action: () => Promise<unknown>): void {
  sending.push(action())
}

function run(
  service: StrangeService,
  config: EnrichConfig = {},
  options: EnrichOptions = {},
): Promise<RunSummary> {
  return place.run(
    service,
    { webhook: { url, listen: `127.0.0.1:${port}` }, ...config },
    { environment: { ENRICH_API_KEY: service.apiKey, ENRICH_WEBHOOK_SECRET: secret }, ...options },
  )
}

/** Plays a service that answers polls never, and delivers each answer at once. */
const serveDelivering = (options: StrangeServiceOptions = {}) =>
  serve({
    answers,
    runTakes: never,
    accepted: (run, service) => {
      later(() => deliver(eventOf(service.finished(run))))
    },
    ...options,
  })

const polls = (service: StrangeService) => service.requests.filter(({ path }) => path.startsWith('/v3/runs/'))
const kickoffs = (service: StrangeService) =>
  service.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
const outcomes = () =>
  place.readOutput().map((row) => [row['company_name'], row['enrich_status'], row['enrich_legal_name']])
const acme = ['Acme', 'matched', 'Acme SE']
const globex = ['Globex', 'matched', 'Globex AG']
const inbox = () => readInboxCounts(place.path('checkpoint.sqlite'))
const lossIsKnown = () =>
  expect
    .poll(() => {
      const reader = openCheckpointReader(place.path('checkpoint.sqlite'), null)
      try {
        return reader?.read('counts')[0]?.states.uncertain
      } finally {
        reader?.close()
      }
    })
    .toBe(1)

/** Nothing is ever finished for who polls. */
const never = { polls: Infinity } as const

describe('answers that are sent', () => {
  test('need no poll, and are the same as polled ones', async () => {
    place.writeRows(['Acme,', 'Globex,', 'Nobody,', 'Broken,'])
    const polled = await serve({ answers })
    await place.run(polled, {
      output: { path: place.path('polled.csv') },
      checkpoint: { path: place.path('p.sqlite') },
    })
    const service = await serveDelivering()
    const summary = await run(service)
    expect(polls(service)).toEqual([])
    expect(kickoffs(service).map(({ webhook_url }) => webhook_url)).toEqual([url, url, url, url])
    expect(summary).toMatchObject({
      stop: null,
      answeredCount: 4,
      billedCount: 4,
      pendingCount: 0,
      uncertainCount: 0,
      contradictionCount: 0,
      deliveries: { taken: 4, unclaimed: 0, quarantined: 0 },
    })
    const cells = (name: string) =>
      place.readOutput(name).map((row) => ({ ...row, enrich_run_id: '', enrich_resolved_at: '' }))
    expect(cells('out.csv')).toEqual(cells('polled.csv'))
    expect(inbox()).toEqual({ waiting: 0, taken: 4, unclaimed: 0, quarantined: 0 })
  })

  test('twice, out of order, by two secrets while one is replaced: each row once', async () => {
    place.writeRows(['Acme,', 'Globex,', 'Nobody,'])
    const runs: StrangeRun[] = []
    const service = await serve({
      answers,
      runTakes: never,
      accepted: (run, service) => {
        runs.push(run)
        if (runs.length < 3) return
        later(async () => {
          const [first, second, third] = runs.map((one) => eventOf(service.finished(one)))
          // The one that ends the run comes last.
          for (const event of [third!, second!, third!, second!, first!]) {
            expect(await deliver(event, { secrets: [newSecret(), secret] })).toBe(204)
          }
        })
      },
    })
    const summary = await run(
      service,
      {},
      { environment: { ENRICH_API_KEY: service.apiKey, ENRICH_WEBHOOK_SECRET: `${newSecret()} ${secret}` } },
    )
    expect(summary).toMatchObject({ answeredCount: 3, contradictionCount: 0, stop: null })
    expect(outcomes()).toEqual([acme, globex, ['Nobody', 'no_match', '']])
  })

  test.each<[string, (finished: Record<string, unknown>) => SentEvent]>([
    ['that was truncated', (finished) => eventOf({ ...finished, data: null }, { data_truncated: true })],
    ['without data', (finished) => eventOf({ ...finished, data: null })],
    [
      'without the basis',
      (finished) => eventOf({ ...finished, data: { ...(finished['data'] as object), basis: undefined } }),
    ],
    ['that says it is not finished', (finished) => eventOf({ ...finished, status: 'PENDING', data: null })],
  ])('an answer %s is polled for at once, and is whole then', async (_, change) => {
    place.writeRows(['Acme,'])
    const service = await serve({
      answers,
      runTakes: { polls: 1 },
      accepted: (run, service) => {
        later(() => deliver(change(service.finished(run))))
      },
    })
    const summary = await run(service)
    expect(summary).toMatchObject({ stop: null, answeredCount: 1, pollCount: 1, deliveries: { taken: 1 } })
    expect(outcomes()).toEqual([acme])
    expect(place.readOutput('out.csv.basis.csv')).toHaveLength(1)
  })

  test('a second, different answer is an alarm, and the first stands', async () => {
    place.writeRows(['Acme,', 'Globex,'])
    const service = await serve({
      answers,
      runTakes: never,
      accepted: (run, service) => {
        if (run.query.name === 'Globex') return
        later(async () => {
          const finished = service.finished(run)
          await deliver(eventOf(finished))
          await deliver(
            eventOf({ ...finished, status: 'FAILED', data: null }, { type: 'entity_resolution.failed' }),
          )
          await expect.poll(() => inbox()?.taken).toBe(2)
          const [other] = service.runs.filter(({ query }) => query.name === 'Globex')
          if (other !== undefined) await deliver(eventOf(service.finished(other)))
        })
      },
    })
    const summary = await run(service, { limits: { submitConcurrency: 1 } })
    expect(summary).toMatchObject({ contradictionCount: 1, answeredCount: 2 })
    expect(summary.notes.join()).toContain('ALARM')
    expect(outcomes()[0]).toEqual(acme)
  })
})

describe('an answer to a submission that was lost', () => {
  test('is brought back by the custom_id it echoes: nothing is uncertain, nothing is paid for twice', async () => {
    place.writeRows(['Acme,', 'Globex,'])
    // Both deliveries wait for it once: the first ends the state.
    let lossKnown: Promise<void> | undefined
    const service = await serve({
      answers,
      runTakes: never,
      faults: ({ method, body }) =>
        method === 'POST' && body.includes('Acme') ? 'accept_then_reset' : undefined,
      accepted: (run, service) => {
        later(async () => {
          await (lossKnown ??= lossIsKnown())
          await deliver(eventOf(service.finished(run)))
        })
      },
    })
    const summary = await run(service)
    expect(summary).toMatchObject({ stop: null, uncertainCount: 0, claimedCount: 1, answeredCount: 2 })
    expect(service.runs).toHaveLength(2)
    expect(outcomes()).toEqual([acme, globex])
  })

  test('may come before the answer to the submission does, whatever that answer is', async () => {
    const names = ['Acme', 'Globex', 'Nobody']
    place.writeRows(names.map((name) => `${name},`))
    const service = await serveDelivering({
      faults: ({ method, body }) =>
        method === 'POST' && body.includes('Acme') ? 'accept_then_hang' : undefined,
    })
    const summary = await run(service, {}, { answerBounds: { exchangeMsMax: 1_500 } })
    expect(summary).toMatchObject({ stop: null, uncertainCount: 0, answeredCount: 3, billedCount: 3 })
    expect(service.runs).toHaveLength(3)
  })

  test('claims also when it waited from before this process, and nothing is submitted again', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({
      answers,
      runTakes: never,
      faults: ({ method }) => (method === 'POST' ? 'accept_then_reset' : undefined),
    })
    expect(await place.run(service)).toMatchObject({ uncertainCount: 1 })
    // A standing receiver took it meanwhile.
    const standing = openFileInbox(place.path('checkpoint.sqlite'), Date.now())
    const [lost] = service.runs
    const event = eventOf(service.finished(lost!))
    await standing.receive(event.id, event.body, Date.now())
    await standing.close()
    const summary = await place.run(service, { submission: { onLost: 'resubmit' } })
    expect(summary).toMatchObject({ stop: null, uncertainCount: 0, answeredCount: 1, billedCount: 0 })
    expect(service.runs).toHaveLength(1)
    expect(outcomes()).toEqual([acme])
  })
})

describe('deliveries that are of no use', () => {
  test('of unknown runs stay unclaimed; those whose ids disagree go into quarantine; neither touches a row', async () => {
    place.writeRows(['Acme,', 'Globex,'])
    const runs: StrangeRun[] = []
    const service = await serve({
      answers,
      runTakes: never,
      accepted: (run, service) => {
        runs.push(run)
        const [first, second] = runs
        if (first === undefined || second === undefined) return
        later(async () => {
          const finished = service.finished(first)
          const wrong = { ...finished, run_id: second.runId }
          const foreign = { ...finished, custom_id: 'mine' }
          const unknown = { ...finished, run_id: 'run_of_others', custom_id: 'theirs' }
          const nameless = { ...finished, run_id: 'run_of_nobody', custom_id: undefined }
          for (const object of [wrong, foreign, unknown, nameless]) await deliver(eventOf(object))
          await deliver({ id: 'evt_text', body: Buffer.from('no JSON') })
          await deliver(eventOf({ run_id: 7 }))
          await expect.poll(inbox).toEqual({ waiting: 0, taken: 0, unclaimed: 2, quarantined: 4 })
          for (const one of runs) await deliver(eventOf(service.finished(one)))
        })
      },
    })
    const summary = await run(service, { limits: { submitConcurrency: 1 } })
    expect(summary.deliveries).toEqual({ taken: 2, unclaimed: 2, quarantined: 4 })
    expect(outcomes()).toEqual([acme, globex])
  })

  test('unsigned and forged ones change nothing: the row is polled', async () => {
    place.writeRows(['Acme,'])
    let refusals: (number | null)[] = []
    const service = await serve({
      answers,
      runTakes: { polls: 1 },
      // Not finished for who polls before both were sent.
      faults: ({ method }) => (method === 'GET' && refusals.length < 2 ? { status: 503 } : undefined),
      accepted: (run, service) => {
        later(async () => {
          const event = eventOf({ ...service.finished(run), status: 'FAILED', data: null })
          const unsigned = await deliver(event, { secrets: [] })
          refusals = [unsigned, await deliver(event, { secrets: [newSecret()] })]
        })
      },
    })
    const summary = await run(service, {}, { clock: hurriedClock(200), ...environment(service) })
    // In such a hurry the second may be too old by the time it comes.
    expect(refusals).toEqual([401, expect.toBeOneOf([400, 401])])
    expect(summary).toMatchObject({ answeredCount: 1, deliveries: { taken: 0 } })
    expect(outcomes()).toEqual([acme])
  })
})

const environment = (service: StrangeService): EnrichOptions => ({
  environment: { ENRICH_API_KEY: service.apiKey, ENRICH_WEBHOOK_SECRET: secret },
})

describe('polling is the net below', () => {
  test('a run whose receiver was dead for ten minutes ends complete, with one late poll a row', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `Company ${index}`)
    place.writeRows(names.map((name) => `${name},`))
    const service = await serve({ runTakes: { polls: 1 } })
    const clock = hurriedClock(500)
    const startedAtMs = clock.monotonicMs()
    // No receiver at all: every try of every event was in vain.
    const summary = await run(
      service,
      { webhook: { url }, polling: { deadlineMinutes: 60 } },
      { clock, ...environment(service) },
    )
    expect(summary).toMatchObject({ stop: null, answeredCount: 20, pendingCount: 0, pollCount: 20 })
    expect(clock.monotonicMs() - startedAtMs).toBeGreaterThan(600_000)
  })

  test('runs taken over from an earlier process are polled at once, however young: deliveries may be gone', async () => {
    place.writeRows(['Acme,'])
    const stop = new AbortController()
    const service = await serve({
      answers,
      runTakes: { polls: 1 },
      accepted: () => {
        setTimeout(() => {
          stop.abort()
        }, 100)
      },
    })
    const first = await run(service, {}, { signal: stop.signal, ...environment(service) })
    expect(first).toMatchObject({ stop: { kind: 'interrupted' }, pendingCount: 1 })
    expect(polls(service)).toHaveLength(0)
    const second = await run(service)
    expect(second).toMatchObject({ stop: null, answeredCount: 1, pollCount: 1 })
  })

  test('a service that refuses the address is polled, and no row is blamed for it', async () => {
    place.writeRows(['Acme,', 'Globex,', 'X,'])
    const refused = { status: 400, body: { error: { type: 'bad_request', message: 'invalid' } } }
    const service = await serve({
      answers,
      faults: ({ method, body }) => (method === 'POST' && body.includes('webhook_url') ? refused : undefined),
    })
    const summary = await run(service)
    expect(summary).toMatchObject({ stop: null, answeredCount: 2, rejectedCount: 0 })
    expect(summary.notes.join()).toContain('refuses the webhook URL')
    expect(service.runs).toHaveLength(2)
  })

  test('a name that the service refuses is invalid all the same, once an address was taken', async () => {
    place.writeRows(['Bad,', 'Acme,', 'Worse,'])
    const refused = { status: 400, body: { error: { type: 'bad_request', message: 'invalid' } } }
    const service = await serveDelivering({
      faults: ({ method, body }) => (method === 'POST' && /Bad|Worse/.test(body) ? refused : undefined),
    })
    const summary = await run(service, { limits: { submitConcurrency: 1 } })
    expect(summary).toMatchObject({ answeredCount: 1, rejectedCount: 2, notes: [] })
  })
})

describe('what has to be right before anything is submitted', () => {
  test.each<[string, EnrichConfig['webhook'], Record<string, string>, string]>([
    ['no secret', { url, listen: '127.0.0.1:0' }, {}, 'WEBHOOK_SECRET_MISSING'],
    [
      'a bad secret',
      { url, listen: '127.0.0.1:0' },
      { ENRICH_WEBHOOK_SECRET: 'whsec_AAAA' },
      'WEBHOOK_SECRET_INVALID',
    ],
    ['a private address', { url: 'https://10.0.0.1/x' }, {}, 'WEBHOOK_URL_INVALID'],
    ['nobody to tell it to', { listen: '127.0.0.1:0' }, {}, 'USAGE_INVALID'],
  ])('%s', async (_, webhook, variables, code) => {
    place.writeRows(['Acme,'])
    const service = await serve({ answers })
    const options = { environment: { ENRICH_API_KEY: service.apiKey, ...variables } }
    await expect(run(service, { webhook: webhook ?? {} }, options)).rejects.toMatchObject({ code })
    expect(service.requests).toEqual([])
  })

  test('a port that is taken', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({ answers })
    const taken = new URL(service.baseUrl).host
    await expect(run(service, { webhook: { url, listen: taken } })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
    })
    expect(service.requests).toEqual([])
  })
})
