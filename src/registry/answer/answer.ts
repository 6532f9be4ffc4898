import { unreachable } from '../../core/errors.js'
import {
  matchedConfidenceMin,
  type Action,
  type Candidate,
  type Factor,
  type Resolution,
} from '../../contract/result.js'
import { basisOf, endText } from './basis.js'
import { formattedAddress, statusOf } from './registration-facts.js'
import { omittedIdentifierCount, primaryOf, resultEntityOf } from './entity-record.js'
import type { Doubt, MatchDecision } from '../match/decide.js'
import type { ScoredName } from '../match/score.js'
import { regionCodeIn } from '../normalize/place-names.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

type Match = Exclude<MatchDecision, { kind: 'none' }>

/** Nothing found, or (`not_found`) nothing that could be looked for. */
export function emptyAnswer(status: 'no_match' | 'not_found'): Resolution {
  const isNamed = status === 'no_match'
  return {
    status,
    match_confidence: 0,
    type: null,
    subtype: null,
    entity: null,
    candidate: null,
    factors: [
      isNamed
        ? limitation(
            'no_legal_entity_confirmed',
            'No registration bears this name or one close to it.',
            'high',
          )
        : limitation('name_too_generic', 'The name holds too few letters or digits to look for.', 'high'),
    ],
    actions: [
      { code: 'provide_full_legal_name', description: 'Give the full legal name as registered.' },
      ...(isNamed ? [{ code: 'verify_address', description: 'Check the place of the company.' }] : []),
    ],
    merged_into: null,
    basis: [],
    classification: null,
  }
}

/** Dresses a decision as the answer of the interface ("v3 job result"). */
export function answerOf(match: Match, stored: StoredEntity, registration: StoredLegalEntity): Resolution {
  const shared = {
    match_confidence: match.confidence,
    type: registration.type,
    subtype: registration.subtype,
    factors: factorsOf(match, stored, registration),
    actions: actionsOf(match, registration),
    merged_into: null,
    classification: classificationOf(match),
  }
  if (match.kind === 'candidate') {
    return {
      ...shared,
      status: 'inconclusive',
      entity: null,
      candidate: candidateOf(registration),
      basis: [],
    }
  }
  const entity = resultEntityOf(stored, registration)
  return {
    ...shared,
    status: match.confidence >= matchedConfidenceMin ? 'matched' : 'partial_match',
    entity,
    candidate: null,
    basis: basisOf(entity, primaryOf(stored), stored),
  }
}

export function candidateOf(registration: StoredLegalEntity): Candidate {
  const { address } = registration
  const line = formattedAddress(address)
  const stateCode = address.region === null ? null : regionCodeIn(address.countryCode, address.region)
  return {
    name: registration.displayName,
    legal_name: registration.legalName,
    jurisdiction: registration.jurisdiction,
    status: statusOf(registration),
    description: null,
    primary_address: { full_address: line, state_code: stateCode, country_code: address.countryCode },
  }
}

function classificationOf(match: Match): string {
  if (match.rivals.length > 0 || match.chosenByContext) return 'ambiguous'
  return match.doubts.includes('generic_name') ? 'generic' : 'specific'
}

export function strength(code: string, description: string, impact: 'high' | 'medium' | 'low'): Factor {
  return { code, type: 'strength', description, impact }
}

export function limitation(code: string, description: string, impact: 'high' | 'medium' | 'low'): Factor {
  return { code, type: 'limitation', description, impact }
}

function factorsOf(match: Match, stored: StoredEntity, registration: StoredLegalEntity): Factor[] {
  const { best } = match
  const factors: Factor[] = [strength('name_close_match', nameSentence(best, registration), nameImpact(best))]
  const place = placeFactor(best, registration)
  if (place) factors.push(place)
  const contested = match.doubts.map((doubt) => doubtFactor(doubt, match))
  if (match.kind === 'entity' && !registration.removedFromSource && !contested.some(isUnconfirmed)) {
    const jurisdiction = registration.jurisdiction ?? 'an unstated jurisdiction'
    factors.push(
      strength('legal_entity_confirmed', `A registration in ${jurisdiction} bears the name.`, 'high'),
    )
  }
  if (new Set(stored.legalEntities.map(({ sourceName }) => sourceName)).size > 1) {
    factors.push(
      strength('multiple_sources_corroboration', 'More than one register knows the company.', 'medium'),
    )
  }
  if (match.chosenByContext) {
    factors.push(
      strength('name_close_match', 'Of the companies of this name the context fits this one.', 'medium'),
    )
  }
  factors.push(...contested)
  if (!best.candidate.supported) factors.push(unsupportedFactor(registration))
  if (registration.removedFromSource) factors.push(removedFactor(registration))
  else if (!best.candidate.active) factors.push(inactiveFactor(registration))
  if (match.kind === 'entity') factors.push(...omissionFactors(stored))
  return factors
}

/** What doubts that this is the registration asked for cannot stand beside what confirms it. */
function isUnconfirmed({ code }: Factor): boolean {
  return code === 'no_legal_entity_confirmed'
}

/** A registration that has ended is confirmed all the same, as what it is. */
export function inactiveFactor({ status }: StoredLegalEntity): Factor {
  return limitation(
    'legal_entity_inactive',
    `The registration is not active (${status ?? 'unknown'}).`,
    'medium',
  )
}

/** Says so where a list is cut: a bank may have thousands of BICs. */
export function omissionFactors(stored: StoredEntity): Factor[] {
  const count = omittedIdentifierCount(stored)
  if (count === 0) return []
  const text = `Registers list ${count.toLocaleString('en-US')} more identifiers of the company than are shown.`
  return [limitation('identifiers_truncated', text, 'low')]
}

export function unsupportedFactor({ type, subtype }: StoredLegalEntity): Factor {
  const kind = `${type}, ${subtype}`.replaceAll('_', ' ')
  return limitation('unsupported_entity_type', `The registration is not a company's (${kind}).`, 'high')
}

/** That a register no longer lists a company does not say why: dissolved, delisted, or moved to another file. */
function removedFactor({ sourceName, sourceDate }: StoredLegalEntity): Factor {
  return limitation(
    'no_legal_entity_confirmed',
    `The newest file of ${sourceName} no longer names the registration; that of ${sourceDate.slice(0, 10)} did.`,
    'medium',
  )
}

function nameImpact(best: ScoredName): 'high' | 'medium' {
  return best.matchType === 'exact' ? 'high' : 'medium'
}

function nameSentence({ matchType, candidate }: ScoredName, registration: StoredLegalEntity): string {
  const kind = {
    legal: 'registered name',
    other: 'other name',
    former: `former name of ${registration.legalName}${formerText(registration, candidate.name)}`,
  }[candidate.kind]
  switch (matchType) {
    case 'exact':
      return `The name is that of "${candidate.name}", ${kind}.`
    case 'completed':
      return `The name is the beginning of "${candidate.name}", ${kind}.`
    case 'acronym':
      return `The name is made of the initials of "${candidate.name}", ${kind}.`
    case 'near':
      return `The name is close to "${candidate.name}", ${kind}.`
    default:
      return unreachable(matchType)
  }
}

/** Until when the company bore the name, and how that is known. */
function formerText({ names }: StoredLegalEntity, name: string): string {
  const found = names.find((entry) => entry.kind === 'former' && entry.name === name)
  return found === undefined ? '' : endText(found)
}

function placeFactor({ place }: ScoredName, registration: StoredLegalEntity): Factor | null {
  const where = registration.address.city ?? registration.jurisdiction ?? 'elsewhere'
  switch (place) {
    case 'postal':
    case 'city':
      return strength('jurisdiction_match', `The place given is that of the registration (${where}).`, 'high')
    case 'region':
      return strength('jurisdiction_match', 'The region given is that of the registration.', 'medium')
    case 'country':
      return strength('jurisdiction_match', 'The country given is that of the registration.', 'low')
    case 'region_conflict':
      return limitation('location_mismatch', `The registration is in another region (${where}).`, 'low')
    case 'town_abroad':
      return limitation(
        'location_mismatch',
        `The town fits (${where}), the country given does not.`,
        'medium',
      )
    case 'country_conflict':
      return limitation('location_mismatch', `The registration is in another country (${where}).`, 'high')
    case 'none':
      return null
    default:
      return unreachable(place)
  }
}

/** How many rivals a sentence names. */
const rivalsNamedMax = 3

function doubtFactor(doubt: Doubt, match: Match): Factor {
  const rivals = match.rivals.slice(0, rivalsNamedMax).map(({ candidate }) => `"${candidate.name}"`)
  const others = match.rivals.length > rivalsNamedMax ? `${rivals.join(', ')} and more` : rivals.join(', ')
  switch (doubt) {
    case 'several_companies':
      return limitation('name_too_generic', `Other companies fit as well: ${others}.`, 'high')
    case 'several_completions':
      return limitation(
        'name_too_generic',
        `The name is cut off and others begin the same: ${others}.`,
        'high',
      )
    case 'generic_name':
      return limitation('name_too_generic', 'The name is one word of everyday language.', 'high')
    case 'subset_only':
      return limitation(
        'no_legal_entity_confirmed',
        'One of the two names has words that the other lacks.',
        'high',
      )
    case 'numbers_differ':
      return limitation('no_legal_entity_confirmed', 'The two names bear different numbers.', 'high')
    case 'acronym_without_place':
      return limitation(
        'name_too_generic',
        'Initials alone, without the place, may stand for others.',
        'high',
      )
    case 'country_differs':
      return limitation(
        'no_legal_entity_confirmed',
        'No registration of this name is in the country given.',
        'high',
      )
    case 'place_differs':
      return limitation('location_mismatch', 'The name is a common one and the place is another.', 'high')
    case 'spelling_without_place':
      return limitation(
        'no_legal_entity_confirmed',
        'The spelling differs and no place confirms it.',
        'medium',
      )
    case 'longer_name':
      return limitation(
        'no_legal_entity_confirmed',
        'One name is longer, by a word that may make it another company of the group.',
        'medium',
      )
    case 'form_differs':
      return limitation('no_legal_entity_confirmed', 'The legal form is of another kind.', 'medium')
    default:
      return unreachable(doubt)
  }
}

function actionsOf(match: Match, registration: StoredLegalEntity): Action[] {
  const actions: Action[] = []
  const { best } = match
  if (match.doubts.length > 0 && best.matchType !== 'exact') {
    actions.push({ code: 'provide_full_legal_name', description: 'Give the full legal name as registered.' })
  }
  const isPlaced = best.place === 'postal' || best.place === 'city'
  if (match.confidence < matchedConfidenceMin && !isPlaced) {
    actions.push({ code: 'verify_address', description: 'Give the city or the postal code of the company.' })
  }
  if (match.rivals.length > 0) {
    actions.push({ code: 'add_industry_context', description: 'Say in the context what the company does.' })
  }
  if (!best.candidate.supported) {
    actions.push({
      code: 'verify_entity_type',
      description: `Check that a ${registration.type} body is what was meant.`,
    })
  }
  return actions
}
