import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readDecisionsFile } from '../../../src/pipeline/decisions/decisions-file.js'
import { toLabelledDecisions } from '../../../src/app/propose-decisions.js'
import { decidedNone, domainLookupOf, writeDecisions } from '../../support/decisions.js'
import { acceptFirst, noneOf, openOnes, reviewPlaces } from '../../support/review-place.js'

const createPlace = reviewPlaces()

const companies = [
  {
    id: 'c1',
    name: 'Balcorden Widgets Limited',
    city: 'London',
    country: 'GB',
    jurisdiction: 'gb',
    registration_id: '1000001',
    website: 'https://balcorden.com',
  },
]

test('rows that ask by a domain come to the queue, and what is decided of them is honoured, and asked for no more', async () => {
  const place = createPlace(companies)
  const rows = [',https://www.nobodys-own-domain.com', ',nobodys-own-domain.com', ',another-of-nobody.com']
  writeFileSync(place.path('companies.csv'), ['company_name,website', ...rows, ''].join('\n'))
  await place.run()
  const opened = await place.open()
  const { session } = opened
  const [first, second] = session.readPage(openOnes).rows
  expect([first, second]).toMatchObject([
    { name: 'website nobodys-own-domain.com', rowCount: 2 },
    { name: 'website another-of-nobody.com', rowCount: 1 },
  ])
  const { candidates, candidatesError } = await session.readDetail(first?.lookup ?? '')
  expect([candidates, candidatesError]).toEqual([[], null])
  const found = await session.search({ lookup: first?.lookup ?? '', text: 'Balcorden', country: null })
  const entityId = found.candidates[0]?.entityId ?? null
  await session.decide([
    { lookup: first?.lookup ?? '', seen: 0, verdict: 'accepted', entityId, note: null },
    noneOf(second?.lookup ?? ''),
  ])
  expect(session.getCounts()).toMatchObject({ openCount: 0, decidedCount: 2 })
  await opened.close()

  expect(await place.run()).toMatchObject({ decidedCount: 2, pendingCount: 0 })
  expect(
    place.readOutput().map((row) => [row['enrich_status'], row['enrich_entity_id'], row['enrich_decision']]),
  ).toEqual([
    ['matched', entityId, 'accepted'],
    ['matched', entityId, 'accepted'],
    ['no_match', '', 'none'],
  ])
  const again = (await place.open()).session
  expect(again.readPage(openOnes).rows).toEqual([])
  const { decisions } = (await readDecisionsFile(place.path('enrich.decisions.csv'))) ?? { decisions: [] }
  expect(toLabelledDecisions(decisions)).toMatchObject({
    queries: [{ name: expect.stringContaining('website') as string }, {}],
    furtherAskedCount: 0,
  })
})

test('the company that an unsure answer names is its candidate', async () => {
  const place = createPlace(companies)
  writeFileSync(place.path('companies.csv'), 'company_name,website\n,https://balcorden.com\n')
  await place.run({ review: { threshold: 100, reviewer: 'ada' } })
  const { session } = await place.open({ review: { threshold: 100, reviewer: 'ada' } })
  const [row] = session.readPage(openOnes).rows
  expect(row).toMatchObject({ name: 'website balcorden.com', status: 'matched' })
  const { candidates } = await session.readDetail(row?.lookup ?? '')
  expect(candidates).toMatchObject([{ legalName: 'Balcorden Widgets Limited', obstacle: null }])
  await session.decide([await acceptFirst(session, row?.lookup ?? '')])
  expect(place.decisions()).toMatchObject([{ verdict: 'accepted', name: 'website balcorden.com' }])
})

test('A decision by domain of an earlier version applies to the row', async () => {
  const place = createPlace(companies)
  writeFileSync(place.path('companies.csv'), 'company_name,website\n,https://balcorden.com\n')
  const decision = {
    ...decidedNone('balcorden.com', ''),
    lookup: domainLookupOf('balcorden.com'),
    location: null,
  }
  writeDecisions(place.path('enrich.decisions.csv'), [decision])
  await place.run()
  expect(place.readOutput()).toMatchObject([{ enrich_status: 'no_match', enrich_decision: 'none' }])
})
