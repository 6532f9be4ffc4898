import { candidateOf } from '../decisions/support.js'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { enrich, type EnrichConfig, type EnrichOptions } from '../../../src/index.js'
import type { Decision } from '../../../src/core/decisions.js'
import { openReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import { needsAttention } from '../../../src/pipeline/history/run-summary.js'
import { decided, decidedNone, writeDecisions } from '../../support/decisions.js'
import {
  strangeMatch,
  type StrangeService,
  type StrangeServiceOptions,
} from '../../support/strange-service.js'
import { createWorkplace, eventsOf, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'

let place: Workplace
const serve = servicesOfTests()

beforeEach(() => {
  place = createWorkplace()
})

const decide = (...decisions: readonly Decision[]): void => {
  writeDecisions(place.path('decisions.csv'), decisions)
}

const record = (id: string, legalName: string, rest: object = {}) => ({
  id,
  legal_name: legalName,
  display_name: legalName,
  status: 'active',
  type: 'business',
  website: 'https://www.acme.example',
  headquarters: { address: { city: 'Lyon', country_code: 'FR' } },
  ...rest,
})

const withRecords = (entities: StrangeServiceOptions['entities'] = {}) =>
  serve({
    answers: { Globex: strangeMatch('Globex AG') },
    entities: { siq_acme: record('siq_acme', 'Acme SE'), ...entities },
  })

const run = (service: StrangeService, config: EnrichConfig = {}, options: EnrichOptions = {}) =>
  place.run(service, { decisions: { path: place.path('decisions.csv') }, ...config }, options)

/** What a run tells in sentences. */
async function noticesOf(service: StrangeService, config: EnrichConfig): Promise<string[]> {
  const events = await eventsOf(
    enrich(
      {
        ...config,
        input: { paths: [place.path('companies.csv')], ...config.input },
        output: { path: place.path('out.csv') },
        checkpoint: { path: place.path('checkpoint.sqlite') },
        service: { baseUrl: service.baseUrl },
        decisions: { path: place.path('decisions.csv') },
        polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 },
      },
      { environment: { ENRICH_API_KEY: service.apiKey } },
    ),
  )
  return events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
}

const rows = (...columns: string[]) =>
  place.readOutput().map((row) => columns.map((column) => row[`enrich_${column}`]))
const submitted = (service: StrangeService) => service.runs.map(({ query }) => query.name)
const reads = (service: StrangeService) =>
  service.requests.flatMap(({ path }) => (path.startsWith('/v3/entities/') ? [path.slice(13)] : []))
const polls = (service: StrangeService) => service.requests.filter(({ path }) => path.startsWith('/v3/runs/'))

describe('a row that a person decided', () => {
  test('is never submitted: its company is read, and nothing else is asked or billed', async () => {
    place.writeRows(['Acme,Lyon', 'Globex,', 'Nobody,Rome'])
    decide(decided('Acme', 'Lyon', { note: 'asked them' }), decidedNone('Nobody', 'Rome'))
    const service = await withRecords()
    const summary = await run(service)
    expect(submitted(service)).toEqual(['Globex'])
    expect(reads(service)).toEqual(['siq_acme'])
    expect(summary).toMatchObject({
      lookupCount: 3,
      billedCount: 1,
      decidedCount: 2,
      pendingCount: 0,
      stop: null,
      stages: [{ kind: 'entity', lookupCount: 1, answeredCount: 1 }],
    })
    const told = ['status', 'confidence', 'entity_id', 'legal_name', 'city']
    expect(rows(...told, 'decision', 'decided_by', 'decided_at', 'error')).toEqual([
      ['matched', '100', 'siq_acme', 'Acme SE', 'Lyon', 'accepted', 'Ada', '2026-11-20 09:30:00', ''],
      ['matched', '91', 'siq_Globex-AG', 'Globex AG', 'Lyon', '', '', '', ''],
      ['no_match', '', '', '', '', 'none', 'Ada', '2026-11-20 09:30:00', ''],
    ])
    const basis = place.readOutput('out.csv.basis.csv')
    expect(basis.filter(({ field }) => field === 'entity_id' || field === 'decision')).toMatchObject([
      {
        row_number: '1',
        run_id: '',
        value: 'siq_acme',
        reasoning: 'decided by Ada on 2026-11-20: asked them',
      },
      { row_number: '3', run_id: '', value: 'none', reasoning: 'decided by Ada on 2026-11-20' },
    ])
  })

  test('asks nothing at all in the next run', async () => {
    place.writeRows(['Acme,Lyon', 'Nobody,Rome'])
    decide(decided('Acme', 'Lyon'), decidedNone('Nobody', 'Rome'))
    const service = await withRecords()
    await run(service)
    const before = rows('status', 'entity_id', 'legal_name')
    const requestCount = service.requests.length
    expect(await run(service)).toMatchObject({ decidedCount: 2, billedCount: 0, pollCount: 0 })
    expect(service.requests).toHaveLength(requestCount)
    expect(rows('status', 'entity_id', 'legal_name')).toEqual(before)
  })

  test('is decided in every row that asks the same, also where each row counts', async () => {
    place.writeRows(['Acme,Lyon', 'ACME,lyon', 'Acme,Lyon'])
    decide(decided('Acme', 'Lyon'))
    const service = await withRecords()
    const summary = await run(service, { input: { dedupe: false } })
    expect(submitted(service)).toEqual([])
    expect(reads(service)).toEqual(['siq_acme'])
    expect(summary).toMatchObject({ lookupCount: 3, decidedCount: 3, billedCount: 0 })
    expect(rows('status', 'decision')).toEqual([1, 2, 3].map(() => ['matched', 'accepted']))
  })

  test('counts for no budget: what is not decided still has all of it', async () => {
    place.writeRows(['Acme,Lyon', 'Globex,', 'Nobody,Rome'])
    decide(decided('Acme', 'Lyon'), decidedNone('Nobody', 'Rome'))
    const service = await withRecords()
    const prices = { unitPrice: 1, currency: 'EUR' }
    const summary = await run(service, { budget: { lookupsMax: 1, costMax: 1 }, billing: prices })
    expect(summary).toMatchObject({ stop: null, billedCount: 1, money: { cost: 1 } })
  })

  test('stays decided whichever row of a pilot asks it, and decisions of no row are told', async () => {
    place.writeRows(['Globex,', 'Acme,Lyon'])
    decide(decided('Acme', 'Lyon'))
    const service = await withRecords()
    expect(await noticesOf(service, { input: { limit: 1 } })).toContain(
      '1 decision of this checkpoint applies to no row, and is kept. Its row is in another input, has another name or place now, or was looked up with other columns (--id-columns, --context-columns).',
    )
    expect(reads(service)).toEqual([])
  })

  test('of another service is not decided for this one', async () => {
    place.writeRows(['Acme,Lyon'])
    const service = await withRecords()
    decide(decided('Acme', 'Lyon', { service: 'embedded' }))
    expect(await run(service)).toMatchObject({ decidedCount: 0, billedCount: 1 })
    decide(decided('Acme', 'Lyon', { service: service.baseUrl }))
    expect(await run(service)).toMatchObject({ decidedCount: 1, billedCount: 0 })
  })

  test('in the review store alone is honoured, with the register that its candidate is shown by', async () => {
    place.writeRows(['Acme,Lyon'])
    const service = await withRecords()
    const store = openReviewStore(place.path('checkpoint.sqlite'))
    const decision = decided('Acme', 'Lyon', { service: service.baseUrl })
    await store.decisions.decide([decision], new Map())
    const url = 'https://register.example/1'
    const found = new Map([[decision.lookup, [{ ...candidateOf('Acme'), entityId: 'siq_acme', url }]]])
    await store.candidates.keep(service.baseUrl, found, 1)
    store.close()
    const summary = await place.run(service, { decisions: { path: '' } })
    expect(summary).toMatchObject({ decidedCount: 1, billedCount: 0 })
    expect(place.readOutput('out.csv.basis.csv')).toMatchObject([{ field: 'entity_id', citation_url: url }])
  })
})

describe('what is known of a row before it is decided', () => {
  test('an uncertain submission is not made again, by the user’s word neither, and not waited for', async () => {
    place.writeRows(['Acme,Lyon', 'Globex,'])
    const service = await serve({
      answers: { Globex: strangeMatch('Globex AG') },
      entities: { siq_acme: record('siq_acme', 'Acme SE') },
      faults: ({ body }) => (body.includes('Acme') ? 'accept_then_reset' : undefined),
    })
    expect(await run(service, { decisions: {} })).toMatchObject({ uncertainCount: 1 })
    decide(decided('Acme', 'Lyon'))
    const summary = await run(service, { submission: { onLost: 'resubmit' } })
    expect(submitted(service).filter((name) => name === 'Acme')).toHaveLength(1)
    expect(summary).toMatchObject({ uncertainCount: 0, decidedCount: 1, pendingCount: 0, stop: null })
    expect(rows('status', 'entity_id')[0]).toEqual(['matched', 'siq_acme'])
    expect(await run(service, { decisions: {} })).toMatchObject({ uncertainCount: 1, decidedCount: 0 })
  })

  test('a run that goes on is not asked for', async () => {
    place.writeRows(['Acme,Lyon'])
    const service = await serve({
      entities: { siq_acme: record('siq_acme', 'Acme SE') },
      runTakes: { polls: 1_000_000 },
    })
    await run(service, { decisions: {}, budget: { durationMax: '1s' } })
    decide(decided('Acme', 'Lyon'))
    const pollCount = polls(service).length
    expect(await run(service)).toMatchObject({ stop: null, pendingCount: 0, decidedCount: 1 })
    expect(polls(service)).toHaveLength(pollCount)
    expect(submitted(service)).toEqual(['Acme'])
  })

  test('an answer is not asked for again, and comes back once the decision is taken back', async () => {
    place.writeRows(['Globex,Rome'])
    const service = await withRecords()
    await run(service, { decisions: {} })
    decide(decided('Globex', 'Rome'))
    await run(service, {}, { askAgain: ['matched'] })
    expect(rows('entity_id', 'decision')).toEqual([['siq_acme', 'accepted']])
    decide()
    expect(await run(service)).toMatchObject({ cachedCount: 1, billedCount: 0 })
    expect(rows('entity_id', 'decision')).toEqual([['siq_Globex-AG', '']])
    expect(submitted(service)).toEqual(['Globex'])
  })
})

describe('the company behind a verdict', () => {
  test.each([
    [
      'was merged',
      { merged_into: 'siq_new', legal_name: 'New SE' },
      ['merged', 'siq_acme', 'New SE', 'siq_new', ''],
    ],
    ['has another name', { legal_name: 'Other SE' }, ['matched', 'siq_acme', 'Other SE', '', '']],
  ])('%s', async (_, change, expected) => {
    place.writeRows(['Acme,Lyon'])
    decide(decided('Acme', 'Lyon'))
    const entity = record('siq_acme', 'Acme SE', { display_name: null, ...change })
    const id = 'merged_into' in change ? change.merged_into : 'siq_acme'
    const service = await withRecords({ siq_acme: { ...entity, id } })
    const summary = await run(service)
    expect(rows('status', 'entity_id', 'legal_name', 'merged_into', 'error')).toEqual([expected])
    expect(summary).toMatchObject({ billedCount: 0, stop: null })
  })

  test('that the service knows no more leaves the row not found, and says which it was', async () => {
    place.writeRows(['Acme,Lyon'])
    decide(decided('Acme', 'Lyon', { entityId: 'siq_gone' }))
    const summary = await run(await withRecords())
    expect(rows('status', 'entity_id', 'error', 'decision')).toEqual([
      ['not_found', '', 'the service knows no company siq_gone, which was decided', 'accepted'],
    ])
    expect(summary).toMatchObject({ stop: null, pendingCount: 0 })
  })

  test('is read again when it is old, and the verdict stays', async () => {
    place.writeRows(['Acme,Lyon'])
    decide(decided('Acme', 'Lyon'))
    const entities = { siq_acme: record('siq_acme', 'Acme SE') }
    const service = await serve({ entities })
    const aged: EnrichConfig = { checkpoint: { maxAge: '1s' } }
    await run(service, aged)
    entities.siq_acme = record('siq_acme', 'Acme Renamed SE')
    await setTimeout(1_100)
    expect(await run(service, aged)).toMatchObject({ billedCount: 0, decidedCount: 1 })
    expect(rows('legal_name', 'decided_at')).toEqual([['Acme Renamed SE', '2026-11-20 09:30:00']])
    expect(reads(service)).toEqual(['siq_acme', 'siq_acme'])
    // Records have an age of their own where it is given.
    await setTimeout(1_100)
    await run(service, { ...aged, stages: { with: [], entity: { maxAge: '1d' } } })
    expect(reads(service)).toHaveLength(2)
    expect(submitted(service)).toEqual([])
  })

  test('that cannot be read leaves what the decision says, and the same command asks for it again', async () => {
    place.writeRows(['Acme,Lyon', 'Globex,'])
    decide(decided('Acme', 'Lyon'))
    let isDown = true
    const service = await serve({
      answers: { Globex: strangeMatch('Globex AG') },
      entities: { siq_acme: record('siq_acme', 'Acme SE') },
      faults: ({ path }) =>
        isDown && path.startsWith('/v3/entities/') ? { status: 400, body: { error: 'no' } } : undefined,
    })
    const summary = await run(service)
    expect(rows('status', 'entity_id', 'display_name', 'error')[0]).toEqual([
      'matched',
      'siq_acme',
      'ACME SE',
      expect.stringMatching(/^a reviewer accepted this company; its record is missing \(/),
    ])
    expect(needsAttention(summary)).toBe(true)
    isDown = false
    await run(service, {}, { askAgain: ['invalid_input'] })
    expect(rows('status', 'legal_name', 'error')[0]).toEqual(['matched', 'Acme SE', ''])
    expect(submitted(service)).toEqual(['Globex'])
  })
})

describe('decisions that are wrong', () => {
  const refused = async (code: string) => {
    const service = await withRecords()
    await expect(run(service)).rejects.toMatchObject({ code, exitCode: 2 })
    expect(service.requests).toEqual([])
    expect(existsSync(place.path('out.csv'))).toBe(false)
  }

  test('nothing is asked where the review store is none', async () => {
    place.writeRows(['Acme,Lyon'])
    decide(decided('Acme', 'Lyon'))
    writeFileSync(place.path('checkpoint.review.sqlite'), 'this is not what it should be, by far')
    await refused('REVIEW_STORE_INVALID')
  })

  test.each(['decisions.csv', 'checkpoint.review.sqlite', 'checkpoint.review.sqlite-wal'])(
    'no output is written over %s',
    async (name) => {
      place.writeRows(['Acme,Lyon'])
      decide(decided('Acme', 'Lyon'))
      const before = readFileSync(place.path('decisions.csv'))
      const service = await withRecords()
      const output = { path: place.path(name), format: 'csv' } as const
      await expect(run(service, { output })).rejects.toMatchObject({ code: 'OUTPUT_IS_OURS' })
      expect(readFileSync(place.path('decisions.csv'))).toEqual(before)
    },
  )
})

test('The changes of a run show what new decisions change', async () => {
  place.writeRows(['Acme,Lyon', 'Globex,Rome', 'Nobody,Rome', 'Umbrella,'])
  const service = await serve({
    answers: { Globex: strangeMatch('Globex AG'), Umbrella: strangeMatch('Umbrella AG') },
    entities: { siq_acme: record('siq_acme', 'Acme SE'), siq_b: record('siq_b', 'B SE') },
  })
  const changesOf = async (...decisions: Decision[]) => {
    decide(...decisions)
    await run(service, { output: { changes: place.path('changes.csv') } })
    return place
      .readOutput('changes.csv')
      .map(({ row_number, kind, old, new: now, new_source }) => [row_number, kind, old, now, new_source])
  }
  expect(await changesOf()).toEqual([])
  const verdicts = [
    decided('Acme', 'Lyon'),
    decided('Globex', 'Rome', { entityId: 'siq_b' }),
    decidedNone('Nobody', 'Rome'),
    decidedNone('Umbrella', ''),
  ]
  verdicts[3] = { ...decidedNone('Umbrella', ''), location: null }
  expect(await changesOf(...verdicts)).toEqual([
    ['1', 'gained_match', 'no_match', 'matched', 'decided by Ada on 2026-11-20'],
    ['2', 'entity_changed', 'siq_Globex-AG', 'siq_b', 'decided by Ada on 2026-11-20'],
    ['4', 'lost_match', 'matched', 'no_match', 'decided by Ada on 2026-11-20'],
  ])
  expect(await changesOf(...verdicts)).toEqual([])
  expect(submitted(service)).toHaveLength(4)
})
