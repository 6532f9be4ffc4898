import { writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { enrich, type EnrichConfig, type RunEvent, type RunSummary } from '../../../src/index.js'
import { strangeMatch, type StrangeService } from '../../support/strange-service.js'
import { createWorkplace, eventsOf, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'

let place: Workplace
const serve = servicesOfTests()
beforeEach(() => {
  place = createWorkplace()
})

const header =
  'Account Name,Billing Street,Billing City,Billing State/Province,Billing Zip/Postal Code,Billing Country'
const rows = [
  'Acme,1 Main Street,Springfield,IL,62701,United States',
  'Bolt,5 Elm Street,Portland,OR,97201,United States',
]
const byThisRule = ['Billing City', 'Billing State/Province', 'Billing Zip/Postal Code', 'Billing Country']

async function run(
  service: StrangeService,
  input: EnrichConfig['input'] = {},
): Promise<{ summary: RunSummary; events: RunEvent[]; notices: string[]; location: readonly string[] }> {
  const job = enrich(
    {
      input: { paths: [place.path('companies.csv')], ...input },
      output: { path: place.path('out.csv') },
      checkpoint: { path: place.path('checkpoint.sqlite') },
      service: { baseUrl: service.baseUrl },
      limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
      polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 },
    },
    { environment: { ENRICH_API_KEY: service.apiKey } },
  )
  const events = await eventsOf(job)
  const told = events.find((event) => event.type === 'columns')
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
  return { summary: await job.summary, events, notices, location: told?.location ?? [] }
}

const write = (lines: readonly string[]) => {
  writeFileSync(place.path('companies.csv'), `${[header, ...lines].join('\n')}\n`)
}
const startService = () =>
  serve({ answers: { Acme: strangeMatch('Acme Inc.'), Bolt: strangeMatch('Bolt Inc.') } })
const asked = (service: StrangeService) => service.runs.map(({ query }) => query.location).sort()

describe('columns that a newer rule finds', () => {
  test('are asked of an input that was never asked, and are told before anything is submitted', async () => {
    write(rows)
    const service = await startService()
    const { location, events, summary } = await run(service)
    expect(location).toEqual(byThisRule)
    expect(asked(service)).toEqual([
      'Portland, OR, 97201, United States',
      'Springfield, IL, 62701, United States',
    ])
    expect(events[0]).toEqual({
      type: 'columns',
      name: 'Account Name',
      location: byThisRule,
      context: [],
      identifiers: {},
      identifierUse: 'context',
      unused: [{ column: 'Billing Street', kind: 'address' }],
      others: expect.any(Array) as string[],
    })
    expect(summary.billedCount).toBe(2)
    expect(await run(service)).toMatchObject({
      summary: { billedCount: 0, cachedCount: 2 },
      location: byThisRule,
    })
  })

  test('are taken when they are named; what was asked otherwise before is told', async () => {
    write(rows)
    const service = await startService()
    await run(service)
    const named = await run(service, { columns: { location: ['Billing City', 'Billing Country'] } })
    expect(named.summary.billedCount).toBe(2)
    expect(named.notices).toContainEqual(
      expect.stringMatching(/^2 rows were looked up before .* and billed again$/),
    )
    // Asked by both now: what is found holds, and says nothing.
    const both = await run(service)
    expect(both).toMatchObject({ summary: { billedCount: 0 }, location: byThisRule, notices: [] })
  })

  test('a look at the rows counts ragged lines once', async () => {
    write([...rows, 'Acme'])
    const { summary } = await run(await startService(), { limit: 10, acceptDoubtful: true })
    expect(summary.notes).toEqual([
      expect.stringMatching(/: 1 row has fewer cells than the header.*line 4\)$/),
    ])
  })

  test('a state that is a status is not asked as a place', async () => {
    writeFileSync(place.path('companies.csv'), 'company,city,state\nAcme,Lyon,active\nBolt,Rome,closed\n')
    const service = await startService()
    expect((await run(service)).location).toEqual(['city'])
    expect(asked(service)).toEqual(['Lyon', 'Rome'])
  })
})
