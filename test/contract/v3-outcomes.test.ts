import { beforeAll, describe, expect, test } from 'vitest'
import { runObject, type Resolution } from '../../src/contract/result.js'
import type { ResultEntity } from '../../src/contract/entity.js'
import { fakeKnowledge, matchOf, noMatch, sampleCandidate, sampleEntity } from '../support/fake-knowledge.js'
import { kickoffPath } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'

/** Answers as a knowledge may give them, right or wrong: the types alone do not keep it from that. */
type Loose = { [Key in keyof Resolution]?: unknown }
const answer = (parts: Loose): Resolution => ({ ...noMatch, ...parts }) as Resolution
const match = (parts: Loose): Resolution => ({ ...matchOf(), ...parts }) as Resolution
const entity = (parts: { [Key in keyof ResultEntity]?: unknown }): Resolution =>
  match({ entity: { ...sampleEntity(), ...parts }, basis: [] })
const basis = (parts: object): Resolution =>
  match({ basis: [{ field: 'legal_name', confidence: 'high', reasoning: null, citations: [], ...parts }] })
const citation = (sourceType: string, tier: unknown): Resolution =>
  basis({ citations: [{ url: null, excerpt: null, source_type: sourceType, authority_tier: tier }] })

const factor = { code: 'anything', type: 'strength', description: null, impact: null }
const authority = sampleEntity().primary_legal_entity

const sound: [rule: string, resolution: Resolution][] = [
  ['INV-02 INV-09 a match of 80', match({ match_confidence: 80 })],
  ['INV-02 a match of 100', match({ match_confidence: 100 })],
  ['INV-03 INV-09 a partial match of 79', match({ status: 'partial_match', match_confidence: 79 })],
  ['INV-04 inconclusive with a candidate', answer({ status: 'inconclusive', candidate: sampleCandidate })],
  ['INV-04 inconclusive without one', answer({ status: 'inconclusive', match_confidence: 30 })],
  ['INV-05 no_match', answer({})],
  ['INV-05 not_found', answer({ status: 'not_found' })],
  [
    'INV-07 INV-11 a person as a candidate',
    answer({ status: 'inconclusive', type: 'person', candidate: sampleCandidate }),
  ],
  [
    'INV-07 INV-12 a trading name as a candidate',
    answer({
      status: 'inconclusive',
      type: 'business',
      subtype: 'trading_name_only',
      candidate: sampleCandidate,
    }),
  ],
  ['INV-13 a factor of any code', answer({ factors: [factor, { ...factor, type: 'limitation' }] })],
  [
    'INV-15 INV-16 INV-19 facets of a cooperative',
    entity({ facets: { sector: 'nonprofit', legal_form: 'cooperative' } }),
  ],
  ['INV-15 facets unknown', entity({ facets: { sector: null, legal_form: null } })],
  ['E3-27 no matching branch', entity({ matching_branch: null })],
  ['BAS-05 BAS-10 a field without a citation', basis({ field: 'headquarters.address.city' })],
  ['BAS-10 a field in an array', basis({ field: 'identifiers.1.value' })],
  ['BAS-06 a low confidence', basis({ confidence: 'low' })],
  ['BAS-08 BAS-09 a register of tier 1', citation('government_registry', 1)],
  ['BAS-08 a profile of tier 2', citation('public_profile', 2)],
  ['BAS-08 the web of tier 3', citation('web', 3)],
  ['INV-21 MRG-03 merged', answer({ status: 'merged', merged_into: 'siq_other' })],
]

const broken: [rule: string, resolution: Resolution][] = [
  ['INV-01 entity and candidate', match({ candidate: sampleCandidate })],
  ['INV-02 INV-09 a match of 79', match({ match_confidence: 79 })],
  ['INV-02 a match without an entity', answer({ status: 'matched', match_confidence: 90 })],
  ['INV-03 INV-09 a partial match of 80', match({ status: 'partial_match', match_confidence: 80 })],
  ['INV-03 a partial match without an entity', answer({ status: 'partial_match', match_confidence: 50 })],
  ['INV-04 inconclusive with an entity', match({ status: 'inconclusive' })],
  ['INV-05 no_match with a candidate', answer({ candidate: sampleCandidate })],
  ['INV-05 not_found with an entity', match({ status: 'not_found' })],
  ['INV-06 an entity that is a nonprofit', match({ type: 'nonprofit' })],
  ['INV-06 an entity that is unincorporated', match({ subtype: 'unincorporated_entity' })],
  ['INV-08 half a percent', match({ match_confidence: 90.5 })],
  ['INV-08 a confidence in words', match({ match_confidence: '90' })],
  ['INV-08 a confidence of 101', match({ match_confidence: 101 })],
  ['INV-10 a key left out', entity({ website: undefined })],
  ['INV-11 another type', answer({ type: 'company' })],
  ['INV-12 another subtype', answer({ subtype: 'gmbh' })],
  ['INV-13 another type of factor', answer({ factors: [{ ...factor, type: 'weakness' }] })],
  [
    'INV-14 another type of identifier',
    entity({ identifiers: [{ type: 'vat', value: '1', jurisdiction: null }] }),
  ],
  ['INV-15 another sector', entity({ facets: { sector: 'banking', legal_form: null } })],
  ['INV-16 another legal form', entity({ facets: { sector: null, legal_form: 'gmbh' } })],
  [
    'INV-18 a candidate with a key too many',
    answer({ status: 'inconclusive', candidate: { ...sampleCandidate, id: 'x' } }),
  ],
  ['INV-18 a candidate with a key too few', answer({ status: 'inconclusive', candidate: { name: 'Acme' } })],
  ['E3-10 nine keys of an address', entity({ headquarters: { address: { city: 'Leeds' } } })],
  [
    'E3-19 an authority whose id is text',
    entity({
      primary_legal_entity: {
        ...authority,
        registration_authority: { ...authority.registration_authority, id: 'RA000585' },
      },
    }),
  ],
  ['BAS-06 another confidence', basis({ confidence: 'certain' })],
  ['BAS-07 another source', citation('newspaper', 3)],
  ['BAS-08 a register of tier 2', citation('government_registry', 2)],
  ['BAS-08 a company website of tier 1', citation('company_website', 1)],
  ['BAS-09 a tier in words', citation('government_registry', '1')],
  ['BAS-11 a field the entity has not', basis({ field: 'turnover' })],
  ['BAS-11 an index past the end', basis({ field: 'identifiers.2.value' })],
  ['BAS-11 BAS-12 a field of no entity', basis({ field: 'constructor.name' })],
  ['BAS-14 a basis without an entity', answer({ basis: matchOf().basis })],
  ['INV-21 JOB-07 merged without the canonical id', answer({ status: 'merged' })],
  ['INV-21 JOB-07 the canonical id without merged', match({ merged_into: 'siq_other' })],
]

let it: TestService
beforeAll(async () => {
  const answers = Object.fromEntries([...sound, ...broken])
  it = await startTestService({ knowledge: fakeKnowledge({ answers }) })
})

async function endOf(name: string): Promise<{ status: string; data: Record<string, unknown> | null }> {
  const kickoff = await it.alice.post(kickoffPath, { name, include: 'basis' })
  const reply = await it.alice.untilDone(`/v3/runs/${String(kickoff.json.run_id)}?include=basis`)
  const run = runObject.parse(reply.json)
  return { status: run.status, data: run.data }
}

describe('outcomes', () => {
  test.each(sound)('%s is answered as it is', async (rule, { classification, ...resolution }) => {
    const { status, data } = await endOf(rule)
    expect(status).toBe('COMPLETED')
    expect(data).toMatchObject({ ...resolution, metadata: { query: { classification } } })
  })

  test.each(broken)('%s is never answered: the run fails', async (rule) => {
    expect(await endOf(rule)).toEqual({ status: 'FAILED', data: null })
    expect(it.logged.at(-1)).toMatch(/^run run_\w+ failed: the answer breaks the interface: .+$/)
  })
})
