import { expect, test } from 'vitest'
import { readEmbeddedScope } from '../../../src/app/inspect-input.js'
import { openReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import { openOnes, reviewPlaces } from '../../support/review-place.js'

const createPlace = reviewPlaces()

test('a candidate whose id is none that a decisions file can hold cannot be accepted, and the file stays readable', async () => {
  const place = createPlace()
  place.writeInput([['Nobody Knows This', '']])
  await place.run()
  const { session } = await place.open()
  const [row] = session.readPage(openOnes).rows
  const lookup = row?.lookup ?? ''
  const store = openReviewStore(place.path('checkpoint.sqlite'))
  const scope = await readEmbeddedScope(place.path('registry.sqlite'))
  const candidate = {
    entityId: 'Q95, "x"',
    legalEntityId: null,
    name: 'Foreign',
    legalName: null,
    otherNames: [],
    status: null,
    place: null,
    countryCode: null,
    jurisdiction: null,
    identifiers: [],
    confidence: null,
    evidence: [],
    url: null,
  }
  await store.candidates.keep(scope, new Map([[lookup, [candidate]]]), 0)
  store.close()
  const { candidates } = await session.readDetail(lookup)
  expect(candidates).toMatchObject([{ obstacle: 'its id Q95, "x" is not a company id (siq_…)' }])
  const choice = { lookup, seen: 0, verdict: 'accepted', entityId: candidate.entityId, note: null } as const
  await expect(session.decide([choice])).rejects.toMatchObject({ code: 'REVIEW_CHOICE_INVALID' })
  expect(place.decisions()).toEqual([])
})
