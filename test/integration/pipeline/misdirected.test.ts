import { beforeEach, describe, expect, test } from 'vitest'
import type { EnrichConfig, EnrichOptions, RunSummary } from '../../../src/index.js'
import { readInboxCounts } from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import {
  strangeMatch,
  type Fault,
  type StrangeAnswer,
  type StrangeRun,
  type StrangeService,
  type StrangeServiceOptions,
  type RecordedRequest,
} from '../../support/strange-service.js'
import { hurriedClock } from '../../support/hurried-clock.js'
import { createWorkplace, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'
import { freePort } from '../../support/loopback-server.js'
import { eventOf, newSecret, send } from '../../support/webhook-sender.js'

const names = Array.from({ length: 24 }, (_, index) => `Company ${index + 1}`)
const answers: Record<string, StrangeAnswer> = Object.fromEntries(
  names.map((name) => [name, strangeMatch(`${name} SE`)]),
)
let place: Workplace
const start = servicesOfTests()

beforeEach(() => {
  place = createWorkplace()
  place.writeRows(names.map((name) => `${name},`))
})

/** A service behind something that may answer in its place, as long as it is told to. */
async function serve(
  mixUp: (request: RecordedRequest, service: StrangeService) => Fault | undefined,
  options: StrangeServiceOptions = {},
) {
  const state = { isMixedUp: true }
  const service: StrangeService = await start({
    answers,
    runTakes: { polls: 1 },
    faults: (request) => (state.isMixedUp ? mixUp(request, service) : undefined),
    ...options,
  })
  return { service, state }
}

function run(
  service: StrangeService,
  config: EnrichConfig = {},
  options: EnrichOptions = {},
): Promise<RunSummary> {
  const polling = { deadlineMinutes: 100_000, ...config.polling }
  return place.run(service, { ...config, polling }, { clock: hurriedClock(500), ...options })
}

const polled = (request: RecordedRequest, { runs }: StrangeService): StrangeRun | undefined =>
  runs.find(({ runId }) => request.path === `/v3/runs/${runId}`)

/** The runs behind and before it, in turn: the same one each time for the same count. */
const neighbour = (run: StrangeRun, { runs }: StrangeService, count = 1): StrangeRun =>
  runs[(runs.indexOf(run) + 1 + (count % 7)) % runs.length] ?? run

/** Every row has its own company or none. */
function rowsOf(): { own: number; wrong: number; errors: string[] } {
  const rows = place.readOutput()
  expect(rows.map(({ company_name }) => company_name)).toEqual(names)
  const found = rows.filter(({ enrich_legal_name }) => enrich_legal_name !== '')
  const own = found.filter(
    ({ company_name, enrich_legal_name }) => enrich_legal_name === `${company_name} SE`,
  )
  const errors = rows.flatMap(({ enrich_status, enrich_error }) =>
    enrich_status === 'error' ? [enrich_error ?? ''] : [],
  )
  return { own: own.length, wrong: found.length - own.length, errors }
}

const rowsOfOutput = () => place.readOutput().map((row) => row['enrich_status'])

type Body = Record<string, unknown>
/** How much of a swapped answer tells whose it is. */
const disguises: Record<string, (other: Body, run: StrangeRun) => Body> = {
  'as they are': (other) => other,
  'under the run_id that was asked for': (other, { runId }) => ({ ...other, run_id: runId }),
  'under the run_id, without a custom_id': (other, { runId }) => ({
    ...other,
    run_id: runId,
    custom_id: null,
  }),
  'under both ids that were asked for': (other, { runId, customId }) => ({
    ...other,
    run_id: runId,
    custom_id: customId,
  }),
}

test.each(Object.entries(disguises))(
  'If half of the polls get the answer of another run, each row gets its own answer: %s',
  async (_, disguise) => {
    let pollCount = 0
    const { service } = await serve((request, service) => {
      const asked = polled(request, service)
      if (asked === undefined || ++pollCount % 2 === 0 || service.runs.length < 3) return
      return { status: 200, body: disguise(service.finished(neighbour(asked, service, pollCount)), asked) }
    })
    const summary = await run(service)
    expect(rowsOf()).toEqual({ own: names.length, wrong: 0, errors: [] })
    expect(summary).toMatchObject({
      stop: null,
      billedCount: names.length,
      heldCount: 0,
      contradictionCount: 0,
    })
    expect(summary.misdirectedCount).toBeGreaterThan(names.length / 4)
    expect(summary.notes).toContainEqual(
      expect.stringMatching(/^ALARM: \d+ answers belonged to other lookups/),
    )
  },
)

test('a cache that sends the same wrong answer: held until the deadline, and answered by the next command', async () => {
  const cached = new Map<string, Body>()
  const { service, state } = await serve((request, service) => {
    const asked = polled(request, service)
    if (asked === undefined || service.runs.length < names.length) return
    if (service.runs.indexOf(asked) % 2 === 1) return
    const body = cached.get(asked.runId) ?? service.finished(neighbour(asked, service))
    cached.set(asked.runId, body)
    return { status: 200, body }
  })
  const first = await run(service, { polling: { firstAfterSeconds: 600, deadlineMinutes: 60 } })
  const held = first.heldCount
  expect(held).toBeGreaterThan(names.length / 4)
  expect(first).toMatchObject({ stop: null, pendingCount: held, answeredCount: names.length - held })
  const rows = rowsOf()
  expect(rows).toMatchObject({ own: names.length - held, wrong: 0 })
  expect(rows.errors).toHaveLength(held)
  for (const error of rows.errors) expect(error).toMatch(/^the service answered with another run, "run_/)

  state.isMixedUp = false
  expect(await run(service)).toMatchObject({ stop: null, billedCount: 0, answeredCount: held, heldCount: 0 })
  expect(rowsOf()).toEqual({ own: names.length, wrong: 0, errors: [] })
})

test('an alarm is lifted as soon as the run is answered with its own "still running"', async () => {
  let pollCount = 0
  const { service } = await serve(
    (request, service) => {
      const asked = polled(request, service)
      if (asked === undefined || service.runs.length < names.length || ++pollCount > names.length * 2) return
      return { status: 200, body: service.finished(neighbour(asked, service)) }
    },
    { runTakes: { polls: 100_000 } },
  )
  const summary = await run(service, { polling: { deadlineMinutes: 60, intervalSeconds: 60 } })
  expect(summary).toMatchObject({ stop: null, heldCount: 0, pendingCount: names.length })
  expect(summary.misdirectedCount).toBeGreaterThan(0)
  expect(new Set(place.readOutput().map(({ enrich_status }) => enrich_status))).toEqual(new Set(['pending']))
})

describe('answers to submissions', () => {
  test('each that to the submission before, with its custom_id: it names the run of that one, and nothing is lost', async () => {
    let last: Body | null = null
    const { service } = await serve(() => undefined, {
      reply: (request, body) => {
        if (request.method !== 'POST') return body
        const other = last
        last = body
        return other ?? body
      },
    })
    const summary = await run(service, { limits: { submitConcurrency: 1 } })
    // Each answer is that to the submission before: the run of the last one alone is never named.
    expect(summary).toMatchObject({ stop: null, uncertainCount: 1, misdirectedCount: names.length - 1 })
    expect(rowsOf()).toEqual({ own: names.length - 1, wrong: 0, errors: [] })
    expect(new Set(service.runs.map(({ query }) => query.name)).size).toBe(names.length)
    expect(service.runs).toHaveLength(names.length)
  })

  test('one run for two submissions: the first keeps it, the second is uncertain and not submitted again', async () => {
    const runIds: unknown[] = []
    const { service } = await serve(() => undefined, {
      reply: (request, body) => {
        if (request.method === 'GET') return body
        runIds.push(body['run_id'])
        return { ...body, run_id: runIds[0], custom_id: undefined }
      },
    })
    place.writeRows(names.slice(0, 2).map((name) => `${name},`))
    const config = {
      limits: { submitConcurrency: 1 },
      polling: { firstAfterSeconds: 60, deadlineMinutes: 10 },
    }
    expect(await run(service, config)).toMatchObject({
      stop: null,
      misdirectedCount: 1,
      uncertainCount: 1,
      billedCount: 1,
    })
    expect(place.readOutput()).toMatchObject([
      { enrich_status: 'matched', enrich_legal_name: 'Company 1 SE' },
      { enrich_status: 'uncertain', enrich_legal_name: '' },
    ])
    expect(await run(service, config)).toMatchObject({ billedCount: 0, cachedCount: 1, uncertainCount: 1 })
    expect(service.runs).toHaveLength(2)
  })

  test('one run for two submissions, whose answer is that of the second one: no row gets it', async () => {
    const { service } = await serve(
      (request, service) =>
        request.method === 'POST'
          ? undefined
          : { status: 200, body: { ...service.finished(service.runs[1]!), run_id: 'run_shared' } },
      { reply: (_, body) => ({ ...body, run_id: 'run_shared', custom_id: undefined }) },
    )
    place.writeRows(names.slice(0, 2).map((name) => `${name},`))
    const summary = await run(service, {
      limits: { submitConcurrency: 1 },
      polling: { firstAfterSeconds: 60, deadlineMinutes: 10 },
    })
    expect(summary).toMatchObject({ stop: null, answeredCount: 0, uncertainCount: 1, pendingCount: 1 })
    expect(rowsOfOutput()).toEqual(['error', 'uncertain'])
  })
})

test('a merged id is not followed over the record of another entity', async () => {
  let readCount = 0
  const { service } = await serve(
    (request) =>
      request.path === '/v3/entities/siq_old' && ++readCount <= 2
        ? { status: 200, body: { status: 'matched', merged_into: null, entity: { id: 'siq_other' } } }
        : undefined,
    {
      answers: { 'Company 1': { status: 'merged', merged_into: 'siq_old' } },
      entities: { siq_old: { id: 'siq_new', merged_into: 'siq_new' }, siq_new: { id: 'siq_new' } },
    },
  )
  place.writeRows(['Company 1,'])
  expect(await run(service)).toMatchObject({
    stop: null,
    answeredCount: 1,
    misdirectedCount: 2,
    heldCount: 0,
  })
  expect(place.readOutput()).toMatchObject([{ enrich_status: 'merged', enrich_merged_into: 'siq_new' }])
})

test('webhooks with a right signature and the answers of others: quarantined, and the runs polled', async () => {
  const secret = newSecret()
  const port = await freePort()
  const sending: Promise<unknown>[] = []
  const { service } = await serve(() => undefined, {
    accepted: (accepted, service) => {
      if (service.runs.length < 2) return
      const other = service.finished(service.runs[service.runs.length - 2]!)
      const kinds = Object.values(disguises)
      const disguise = kinds[service.runs.length % kinds.length]!
      const event = eventOf(disguise(other, accepted))
      sending.push(send(`http://127.0.0.1:${port}/enrich`, event, { secrets: [secret] }))
    },
  })
  const summary = await run(
    service,
    {
      webhook: { url: 'https://hooks.example.com/enrich', listen: `127.0.0.1:${port}` },
      // What no webhook is sent for is polled after four minutes.
      polling: { deadlineMinutes: 5 },
    },
    {
      environment: { ENRICH_API_KEY: service.apiKey, ENRICH_WEBHOOK_SECRET: secret },
      clock: hurriedClock(40),
    },
  )
  await Promise.all(sending)
  expect(rowsOf()).toEqual({ own: names.length, wrong: 0, errors: [] })
  expect(summary).toMatchObject({
    stop: null,
    billedCount: names.length,
    heldCount: 0,
    contradictionCount: 0,
  })
  const { quarantined } = readInboxCounts(place.path('checkpoint.sqlite')) ?? { quarantined: 0 }
  expect(quarantined).toBeGreaterThan(names.length / 2)
})
