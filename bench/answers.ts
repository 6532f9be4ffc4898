import type { ResultEntity } from '../src/contract/entity.js'
import type { CallId, CustomId, EntityId, LegalEntityId, RunId } from '../src/contract/enums.js'
import { type RunObject, authorityTiers, type BasisEntry, type JobResult } from '../src/contract/result.js'
import { unknownAuthority } from '../src/contract/unknown.js'
import type { Chance } from '../test/simulation/chance.js'
import type { Company } from './companies.js'

export interface AnswerSize {
  /** Fields that the basis speaks of; each is some 450 bytes. */
  basisMin: number
  basisMax: number
}
/** Bodies of some 3 kB, and of 3 to 7 kB. */
export const lightAnswer: AnswerSize = { basisMin: 1, basisMax: 3 }
export const fullAnswer: AnswerSize = { basisMin: 3, basisMax: 11 }

/** The run object of a finished run, as the interface words it, with sources that differ from one to the next. */
export function finishedRun(
  ids: { runId: string; customId: string; resolvedAt: string },
  company: Company,
  size: AnswerSize,
  chance: Chance,
): RunObject {
  const status = chance.pick(outcomes)
  const isKnown = status === 'matched' || status === 'partial_match'
  const entity = isKnown ? entityOf(company, chance) : null
  const data: JobResult = {
    status,
    match_confidence: status === 'matched' ? chance.whole(80, 99) : isKnown ? chance.whole(50, 79) : 0,
    type: isKnown ? 'business' : null,
    subtype: isKnown ? 'incorporated_entity' : null,
    entity,
    candidate: status === 'inconclusive' ? candidateOf(company, chance) : null,
    factors: Array.from({ length: chance.whole(2, 4) }, () => ({
      code: chance.pick(factorCodes),
      type: chance.happens(0.8) ? 'strength' : 'limitation',
      description: sentence(chance, 8),
      impact: chance.pick(levels),
    })),
    actions: isKnown ? [] : [{ code: 'add_location', description: sentence(chance, 9) }],
    merged_into: null,
    basis: entity === null ? [] : basisOf(size, chance),
    request_id: `req_${ids.runId}` as CallId,
    metadata: {
      query: {
        name: company.name,
        location: placeOf(company),
        context: null,
        classification: null,
        mode: 'standard',
      },
      resolved_at: ids.resolvedAt,
      updated_at: ids.resolvedAt,
      from_cache: chance.happens(0.3),
      cache_hit_type: null,
    },
  }
  return { run_id: ids.runId as RunId, custom_id: ids.customId as CustomId, status: 'COMPLETED', data }
}

/** As the pipeline sends it: the cells of a place, joined. */
export const placeOf = ({ city, region, country }: Company): string => [city, region, country].join(', ')

const outcomes = [
  ...Array<'matched'>(16).fill('matched'),
  'partial_match',
  'inconclusive',
  'no_match',
] as const
const factorCodes = ['name_close_match', 'location_match', 'registry_agreement', 'website_agreement'] as const
const levels = ['high', 'medium', 'low'] as const
const sources = ['government_registry', 'company_website', 'public_profile', 'web'] as const
const fields = [
  'legal_name',
  'status',
  'website',
  'description',
  'headquarters.address.street_address',
  'headquarters.address.city',
  'headquarters.address.postal_code',
  'identifiers.0.value',
  'identifiers.1.value',
  'primary_legal_entity.jurisdiction',
  'industry.schemes.sic.0.code',
  'facets.legal_form',
] as const
const words =
  `register holds entry number office filing annual report address street city statement names director
  branch parent agrees older newer published page imprint footer contact group subsidiary industry code supplies
  machine tools software health energy retail bank insurance transport food water steel paper glass chemicals
  services since renamed merged former trading under licence issued court district chamber commerce exchange
  listed ticker confirmed website domain matches spelling legal form suffix postal region country headquarters
  moved archive document extract certificate record updated reviewed second source independent profile employees
  revenue founded partners board annual accounts auditor opinion identifier prefix checked digit valid`.split(
    /\s+/,
  )

function sentence(chance: Chance, wordCount: number): string {
  const length = chance.whole(Math.ceil(wordCount / 2), wordCount * 2)
  const text = Array.from({ length }, () => chance.pick(words)).join(' ')
  return `${text} ${chance.whole(1, 9_999)}`
}

function basisOf(size: AnswerSize, chance: Chance): BasisEntry[] {
  const first = chance.whole(0, fields.length - 1)
  return Array.from({ length: chance.whole(size.basisMin, size.basisMax) }, (_, index) => ({
    field: fields[(first + index) % fields.length] ?? 'legal_name',
    confidence: chance.pick(levels),
    reasoning: sentence(chance, 14),
    citations: Array.from({ length: chance.whole(1, 2) }, () => {
      const source = chance.pick(sources)
      return {
        url: `https://${chance.pick(words)}.example/${chance.pick(words)}/${chance.whole(1, 10 ** 9)}`,
        excerpt: sentence(chance, 12),
        source_type: source,
        authority_tier: authorityTiers[source],
      }
    }),
  }))
}

function entityOf(company: Company, chance: Chance): ResultEntity {
  const number = () => String(chance.whole(10 ** 7, 10 ** 8 - 1))
  const street = `${chance.whole(1, 400)} ${chance.pick(words)} Street`
  const postalCode = String(chance.whole(10_000, 99_999))
  return {
    id: `siq_${number()}${number()}` as EntityId,
    display_name: company.name,
    legal_name: company.name.toUpperCase(),
    status: 'active',
    description: sentence(chance, 20),
    website: `https://${chance.pick(words)}-${number()}.example`,
    headquarters: {
      address: {
        street_address: street,
        street_number: null,
        sub_premise: null,
        city: company.city,
        state: company.region,
        state_code: null,
        postal_code: postalCode,
        country: company.country,
        country_code: company.country,
        formatted_address: `${street}, ${postalCode} ${placeOf(company)}`,
      },
    },
    primary_legal_entity: {
      id: `le_${number()}` as LegalEntityId,
      jurisdiction: company.country.toLowerCase(),
      country_code: company.country,
      state_code: null,
      registration_authority: unknownAuthority,
    },
    identifiers: [
      { type: 'registration_id', value: number(), jurisdiction: company.country },
      { type: 'lei', value: `5493${number()}${number()}`, jurisdiction: null },
    ],
    matching_branch: null,
    facets: { sector: 'private', legal_form: 'corporation' },
    industry: {
      schemes: {
        sic: [
          {
            code: String(chance.whole(1_000, 8_999)),
            label: sentence(chance, 3),
            is_primary: true,
            confidence: 80,
          },
        ],
      },
    },
    parent_entity: { name: chance.happens(0.3) ? `${company.name} Holding` : null },
  }
}

function candidateOf(company: Company, chance: Chance): JobResult['candidate'] {
  return {
    name: company.name,
    legal_name: null,
    jurisdiction: company.country.toLowerCase(),
    status: null,
    description: sentence(chance, 12),
    primary_address: { full_address: placeOf(company), state_code: null, country_code: company.country },
  }
}
