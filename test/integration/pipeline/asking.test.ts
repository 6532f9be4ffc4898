import { existsSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { enrich, UserError } from '../../../src/index.js'
import { systemClock, type Clock } from '../../../src/platform/clock.js'
import { seedsMax, strangeMatch, type StrangeService } from '../../support/strange-service.js'
import { createWorkplace, eventsOf, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'

let place: Workplace
const serve = servicesOfTests()

beforeEach(() => {
  place = createWorkplace()
})

const kickoffs = (service: StrangeService) =>
  service.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.parse(body) as Record<string, string>)

describe('a server that is not ours', () => {
  test.each([0, 21, 42, seedsMax - 1])(
    'every row comes out once, in order, untouched, with its own answer: seed %i',
    async (seed) => {
      place.writeRows([
        'Acme,Lyon',
        '  Globex  ,',
        '"Umbrella ""Corp""\nLtd",Paris',
        'Nobody,',
        'Acme,Lyon',
        ',Rome',
        'Broken,',
      ])
      const service = await serve({
        seed,
        answers: { Acme: strangeMatch('Acme SE'), Globex: strangeMatch('Globex AG'), Broken: 'fails' },
      })
      const summary = await place.run(service)
      const rows = place.readOutput()
      expect(
        rows.map((row) => [row['company_name'], row['city'], row['enrich_status'], row['enrich_legal_name']]),
      ).toEqual([
        ['Acme', 'Lyon', 'matched', 'Acme SE'],
        ['  Globex  ', '', 'matched', 'Globex AG'],
        ['Umbrella "Corp"\nLtd', 'Paris', 'no_match', ''],
        ['Nobody', '', 'no_match', ''],
        ['Acme', 'Lyon', 'matched', 'Acme SE'],
        ['', 'Rome', 'invalid_input', ''],
        ['Broken', '', 'failed', ''],
      ])
      expect(summary).toMatchObject({
        stop: null,
        rowCount: 7,
        invalidRowCount: 1,
        lookupCount: 5,
        billedCount: 5,
        failedCount: 1,
      })
      expect(service.runs).toHaveLength(5)
    },
  )

  test('the basis is asked for at the kickoff and at every poll, and the key is sent in its header alone', async () => {
    place.writeRows(['Acme,Lyon'])
    const service = await serve({ answers: { Acme: strangeMatch('Acme SE') }, runTakes: { polls: 3 } })
    await place.run(service)
    expect(kickoffs(service)).toEqual([
      {
        name: 'Acme',
        location: 'Lyon',
        include: 'basis',
        custom_id: expect.stringMatching(/^enr_[0-9a-z]{24}_1_[0-9a-f]{32}_1$/),
      },
    ])
    const polls = service.requests.filter(({ method }) => method === 'GET')
    expect(polls.map(({ query }) => query.get('include'))).toEqual(['basis', 'basis', 'basis'])
    for (const { headers, path, query, body } of service.requests) {
      expect(headers.apikey).toBe(service.apiKey)
      expect(JSON.stringify([path, [...query], body])).not.toContain(service.apiKey)
    }
    expect(place.readOutput('out.csv.basis.csv')).toMatchObject([
      {
        row_number: '1',
        name: 'Acme',
        field: 'legal_name',
        value: 'Acme SE',
        citation_url: 'https://register.example/000123456',
        authority_tier: '1',
      },
    ])
  })

  test('values and keys that the interface does not name are kept and counted, and nothing fails', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({ answers: { Acme: strangeMatch('Acme SE') } })
    const summary = await place.run(service)
    expect(place.readOutput()[0]).toMatchObject({
      enrich_type: 'enterprise',
      enrich_legal_form: 'societas_europaea',
      enrich_cik: '320193',
    })
    expect(Object.keys(summary.schemaDeviations).join('\n')).toContain('entity.facets.legal_form')
    expect(summary.failedCount).toBe(0)
  })

  test('a run that came back as merged stores the id it was merged into', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({ answers: { Acme: { status: 'merged', merged_into: 'siq_canonical' } } })
    await place.run(service)
    expect(place.readOutput()[0]).toMatchObject({
      enrich_status: 'merged',
      enrich_merged_into: 'siq_canonical',
    })
  })
})

describe('merged entities', () => {
  const merged = (id: string) => ({ status: 'merged', merged_into: id })

  test('a chain is followed to its end, and the ids on the way are kept', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({
      answers: { Acme: merged('siq_a') },
      entities: { siq_a: merged('siq_b'), siq_b: merged('siq_c'), siq_c: { status: 'matched' } },
    })
    await place.run(service)
    expect(place.readOutput()[0]).toMatchObject({ enrich_merged_into: 'siq_c' })
  })

  test('a circle ends where it began, and is counted as something odd', async () => {
    place.writeRows(['Acme,'])
    const service = await serve({
      answers: { Acme: merged('siq_a') },
      entities: { siq_a: merged('siq_b'), siq_b: merged('siq_a') },
    })
    const summary = await place.run(service)
    expect(place.readOutput()[0]).toMatchObject({ enrich_merged_into: 'siq_a' })
    expect(summary.schemaDeviations).toHaveProperty('merged ids that go in a circle')
  })

  test('an endless chain is followed for eight steps', async () => {
    place.writeRows(['Acme,'])
    const chain = Object.fromEntries(
      Array.from({ length: 30 }, (_, step) => [`siq_${step}`, merged(`siq_${step + 1}`)]),
    )
    const service = await serve({ answers: { Acme: merged('siq_0') }, entities: chain })
    await place.run(service)
    expect(place.readOutput()[0]).toMatchObject({ enrich_merged_into: 'siq_8' })
  })
})

describe('the same command again', () => {
  test('submits and polls nothing when everything is answered', async () => {
    place.writeRows(['Acme,', 'Globex,'])
    const service = await serve()
    await place.run(service)
    const requestCount = service.requests.length
    const summary = await place.run(service)
    expect(service.requests).toHaveLength(requestCount)
    expect(summary).toMatchObject({ cachedCount: 2, billedCount: 0, pollCount: 0, stop: null })
    expect(place.readOutput()).toHaveLength(2)
  })

  test('submits only what a changed input file adds', async () => {
    place.writeRows(['Acme,', 'Globex,'])
    const service = await serve()
    await place.run(service)
    place.writeRows(['Initech,', 'globex ,', 'Acme,'])
    await place.run(service)
    expect(service.runs.map(({ query }) => query.name)).toEqual(['Acme', 'Globex', 'Initech'])
  })

  test('two input files share what is known in one checkpoint', async () => {
    place.writeRows(['Acme,', 'Globex,'])
    place.writeRows(['Globex,', 'Hooli,'], 'others.csv')
    const service = await serve()
    await place.run(service)
    await place.run(service, {
      input: { paths: [place.path('others.csv')] },
      output: { path: place.path('others.out.csv') },
    })
    expect(service.runs.map(({ query }) => query.name)).toEqual(['Acme', 'Globex', 'Hooli'])
    expect(place.readOutput('others.out.csv').map((row) => row['company_name'])).toEqual(['Globex', 'Hooli'])
  })

  test('asks again for answers older than the maximum age', async () => {
    place.writeRows(['Acme,'])
    const service = await serve()
    await place.run(service)
    await place.run(service, { checkpoint: { maxAge: '0s' } })
    expect(kickoffs(service).map((body) => body['custom_id']?.at(-1))).toEqual(['1', '2'])
  })

  describe('a clock that is wrong', () => {
    const dayMs = 86_400_000
    const shifted = (days: number): Clock => ({
      ...systemClock,
      nowMs: () => systemClock.nowMs() + days * dayMs,
    })
    const aged = { checkpoint: { maxAge: '30d' } }
    /** Runs with a clock that is this many days ahead; returns the notices about dates. */
    async function runAt(service: StrangeService, days: number): Promise<string[]> {
      const run = enrich(
        {
          ...aged,
          input: { paths: [place.path('companies.csv')] },
          output: { path: place.path('out.csv') },
          checkpoint: { ...aged.checkpoint, path: place.path('checkpoint.sqlite') },
          limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
          polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 },
          service: { baseUrl: service.baseUrl },
        },
        { environment: { ENRICH_API_KEY: service.apiKey }, clock: shifted(days) },
      )
      const notices = (await eventsOf(run)).flatMap((event) => (event.type === 'notice' ? [event.text] : []))
      await run.summary
      return notices.filter((text) => text.includes('dated in the future'))
    }

    test.each([-1, -29, -400])(
      '%i days back for one night: nothing is submitted, then or later',
      async (days) => {
        place.writeRows(['Acme,', 'Broken,'])
        const service = await serve({ answers: { Acme: strangeMatch('Acme SE'), Broken: 'fails' } })
        await runAt(service, 0)
        expect(await runAt(service, days)).toEqual([
          expect.stringContaining('2 answers are dated in the future: the clock is or was wrong.'),
        ])
        expect(await runAt(service, 29)).toEqual([])
        expect(service.runs).toHaveLength(2)
        expect(await runAt(service, 31)).toEqual([])
        expect(service.runs).toHaveLength(4)
      },
    )

    test('ahead for one night: its answers are not old until the date that they have', async () => {
      place.writeRows(['Acme,'])
      const service = await serve({ answers: { Acme: strangeMatch('Acme SE') } })
      await runAt(service, 400)
      for (const days of [0, 40]) expect(await runAt(service, days)).toHaveLength(1)
      expect(service.runs).toHaveLength(1)
      await runAt(service, 431)
      expect(service.runs).toHaveLength(2)
    })
  })

  test('a retry with a maximum age submits its statuses and what is old, each once', async () => {
    place.writeRows(['Acme,', 'Broken,', 'Globex,', 'Hooli,'])
    const service = await serve({ answers: { Acme: strangeMatch('Acme SE'), Broken: 'fails' } })
    const old = { ...systemClock, nowMs: () => systemClock.nowMs() - 2 * 86_400_000 }
    await place.run(service, {}, { clock: old })
    const aged = { checkpoint: { maxAge: '1d' } }
    const counts: number[] = []
    for (let run = 0; run < 3; run++) {
      await place.run(service, { ...aged, budget: { lookupsMax: 2 } }, { askAgain: ['failed'] })
      counts.push(service.runs.length)
    }
    // Then the retry is complete, and another one begins.
    expect(counts).toEqual([6, 8, 9])
    await place.run(service, aged)
    expect(service.runs.map(({ query }) => query.name).toSorted()).toEqual(
      [
        ...Array.from({ length: 2 }, () => ['Acme', 'Globex', 'Hooli']).flat(),
        'Broken',
        'Broken',
        'Broken',
      ].toSorted(),
    )
  })

  test('answers of one base URL are not taken for answers of another', async () => {
    place.writeRows(['Acme,'])
    const [first, second] = [await serve(), await serve({ answers: { Acme: strangeMatch('Acme SE') } })]
    await place.run(first)
    await place.run(second)
    expect(second.runs).toHaveLength(1)
    expect(place.readOutput()[0]?.['enrich_status']).toBe('matched')
  })

  test('a retry asks again for the outcomes it names and no others', async () => {
    place.writeRows(['Acme,', 'Broken,'])
    const service = await serve({ answers: { Acme: strangeMatch('Acme SE'), Broken: 'fails' } })
    await place.run(service)
    await place.run(service, {}, { askAgain: ['failed'] })
    expect(service.runs.map(({ query }) => query.name)).toEqual(['Acme', 'Broken', 'Broken'])
  })
})

describe('rows and lookups', () => {
  test('without dedupe each row is asked, and a second run still asks nobody', async () => {
    place.writeRows(['Acme,', 'ACME,', 'Acme,'])
    const service = await serve()
    const summary = await place.run(service, { input: { dedupe: false } })
    expect(summary).toMatchObject({ lookupCount: 3, billedCount: 3 })
    await place.run(service, { input: { dedupe: false } })
    expect(service.runs).toHaveLength(3)
  })

  test('a pilot reads, asks and writes the first rows only', async () => {
    place.writeRows(['Acme,', 'Globex,', 'Hooli,'])
    const service = await serve()
    await place.run(service, { input: { limit: 2 } })
    expect(service.runs).toHaveLength(2)
    expect(place.readOutput()).toHaveLength(2)
  })

  test('location and context columns that are named are sent joined', async () => {
    place.writeRows(['Acme,Lyon'])
    const service = await serve()
    await place.run(service, { input: { columns: { location: [], context: ['city', 'company_name'] } } })
    expect(kickoffs(service)[0]).toMatchObject({ name: 'Acme', context: 'Lyon, Acme' })
    expect(kickoffs(service)[0]).not.toHaveProperty('location')
  })
})

describe('from code', () => {
  test('the event stream tells the plan, the progress and the end, and ends by itself', async () => {
    place.writeRows(['Acme,'])
    const service = await serve()
    const run = enrich(
      {
        input: { paths: [place.path('companies.csv')] },
        output: { path: place.path('out.ndjson') },
        checkpoint: { path: place.path('c.sqlite') },
        service: { baseUrl: service.baseUrl },
        polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 },
      },
      { environment: { ENRICH_API_KEY: service.apiKey } },
    )
    const types = (await eventsOf(run)).map(({ type }) => type)
    expect(types.slice(0, 2)).toEqual(['columns', 'planned'])
    expect(types).toContain('progress')
    expect(types.at(-1)).toBe('finished')
    expect((await run.summary).outputPaths).toEqual([place.path('out.ndjson')])
  })

  test('a list that another service has answered is told before it is billed again, and not once it runs here', async () => {
    place.writeRows(['Acme,'])
    const [one, other] = [await serve(), await serve()]
    const tell = async (service: Awaited<ReturnType<typeof serve>>, name: string) => {
      place.writeRows([`${name},`], 'other.csv')
      const run = enrich(
        {
          input: { paths: [place.path(name === 'Acme' ? 'companies.csv' : 'other.csv')] },
          output: { path: place.path('out.ndjson') },
          checkpoint: { path: place.path('c.sqlite') },
          service: { baseUrl: service.baseUrl },
          polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 },
        },
        { environment: { ENRICH_API_KEY: service.apiKey } },
      )
      const events = await eventsOf(run)
      const at = events.findIndex((event) => event.type === 'notice' && event.text.includes(one.baseUrl))
      const isBeforeProgress = at < events.findIndex(({ type }) => type === 'progress')
      return at < 0 ? 'nothing' : isBeforeProgress ? 'told' : 'late'
    }
    expect(await tell(one, 'Acme')).toBe('nothing')
    expect(await tell(one, 'Globex')).toBe('nothing')
    expect(await tell(other, 'Acme')).toBe('told')
    expect(await tell(other, 'Acme')).toBe('nothing')
  })

  test('what is wrong is a UserError of the summary, and nothing was submitted or written', async () => {
    place.writeRows(['Acme,'])
    const service = await serve()
    const failed = place.run(service, { input: { columns: { name: 'firma' } } })
    await expect(failed).rejects.toBeInstanceOf(UserError)
    await expect(failed).rejects.toMatchObject({
      code: 'INPUT_COLUMN_MISSING',
      hint: 'it has: company_name, city',
    })
    expect(service.requests).toHaveLength(0)
    expect(existsSync(place.path('out.csv'))).toBe(false)
  })

  test('a base URL without a key is refused before anything is read twice', async () => {
    place.writeRows(['Acme,'])
    const service = await serve()
    await expect(place.run(service, {}, { environment: {} })).rejects.toMatchObject({
      code: 'API_KEY_MISSING',
    })
  })
})
