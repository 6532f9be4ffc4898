import { writeIdentifiers, type StatedIdentifier } from '../../core/stated-identifiers.js'
import { matchedConfidenceMin, type Action, type Factor, type Resolution } from '../../contract/result.js'
import { candidateOf } from './resolve.js'
import { basisOf } from './basis.js'
import { primaryOf, resultEntityOf } from './entity-record.js'
import {
  endFactors,
  limitation,
  nameFactor,
  omissionFactors,
  strength,
  unsupportedFactor,
  isSupportedKind,
} from './factors.js'
import { placeSaid, type Impact } from './reasons.js'
import type { IdentifiedDecision } from './identifier-decision.js'
import type { NameComparison } from '../match/compare-names.js'
import type { PlaceAgreement } from '../match/place-agreement.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

/** An identifier of the query, in the spelling of the registration with it. */
export interface BorneIdentifier {
  readonly identifier: StatedIdentifier
  readonly value: string
  readonly registration: StoredLegalEntity
}

/** Input of an answer by identifiers. */
export interface Identified {
  readonly decision: Exclude<IdentifiedDecision, { kind: 'unknown' }>
  readonly stored: StoredEntity
  /** The registration with the strongest identifier. */
  readonly registration: StoredLegalEntity
  readonly borne: readonly BorneIdentifier[]
  /** Identifiers that no registration has. */
  readonly missing: readonly StatedIdentifier[]
  /** Errors of invalid identifiers. */
  readonly wrong: readonly string[]
  /** Comparison of the query's name with the company's; `null` without a name or without similarity. */
  readonly comparison: NameComparison | null
  /** The name in the query; `null` if it has only identifiers. */
  readonly name: string | null
  /** The other company that the name identifies with certainty. */
  readonly otherName: string | null
  /** `null` if the query has no place. */
  readonly place: PlaceAgreement | null
  /** Names of other relevant companies: those of the other identifiers, or those that share the identifier. */
  readonly others: readonly string[]
}

/** Confidence of an identifier; one percent is left for clerical errors. */
const identifiedConfidence = 99
/** For identifiers without register or exchange. */
const unsureConfidence = 79
const websitesConfidence = 96
const severalConfidence = 60
export const disagreeingConfidence = 50

/** Example: `LEI HWUPKR0MPOU8FGXBT394`. */
export const labelOf = (identifier: StatedIdentifier): string => writeIdentifiers([identifier])

/** Builds the interface's answer for a company found by identifiers ("v3 job result"). */
export function identifiedAnswer(found: Identified): Resolution {
  const { decision, stored, registration, borne } = found
  const isSupported = isSupportedKind(registration)
  const confidence = confidenceOf(found)
  const shared = {
    match_confidence: confidence,
    type: registration.type,
    subtype: registration.subtype,
    actions: actionsOf(found, isSupported),
    merged_into: null,
    classification: decision.kind === 'several' ? 'ambiguous' : 'specific',
  }
  if (decision.kind !== 'one' || !isSupported) {
    return {
      ...shared,
      status: 'inconclusive',
      entity: null,
      candidate: candidateOf(registration),
      factors: factorsOf(found, isSupported),
      basis: [],
    }
  }
  const entity = resultEntityOf(stored, registration)
  return {
    ...shared,
    status: confidence >= matchedConfidenceMin ? 'matched' : 'partial_match',
    entity,
    candidate: null,
    factors: [...factorsOf(found, isSupported), ...omissionFactors(stored)],
    basis: basisOf(
      entity,
      primaryOf(stored),
      stored,
      borne.map(({ identifier: { kind }, value }) => ({ type: kind, value })),
    ),
  }
}

function confidenceOf({ decision, borne, name }: Identified): number {
  switch (decision.kind) {
    case 'one':
      if (decision.isUnsure) return unsureConfidence
      return name === null && borne.every(({ identifier }) => identifier.kind === 'website')
        ? websitesConfidence
        : identifiedConfidence
    case 'several':
      return severalConfidence
    case 'name_disagrees':
    case 'identifiers_disagree':
      return disagreeingConfidence
  }
}

function factorsOf(found: Identified, isSupported: boolean): Factor[] {
  const { decision, stored, registration, comparison, place, missing, wrong } = found
  const factors = [...(isSupported ? [] : [unsupportedFactor(registration)]), ...decisionFactors(found)]
  if (comparison !== null) {
    const { legalEntityNumber } = comparison.candidate
    const named = stored.legalEntities.find(({ number }) => number === legalEntityNumber) ?? registration
    if (decision.kind !== 'name_disagrees') factors.push(nameFactor(comparison, named))
  }
  if (place !== null) {
    const { type, code, text } = placeSaid(place, registration)
    factors.push({ code, type, description: text, impact: 'low' })
  }
  if (decision.kind === 'one' && isSupported && !registration.removedFromSource) {
    const where = registration.jurisdiction ?? 'an unstated jurisdiction'
    factors.push(strength('legal_entity_confirmed', `The company is registered in ${where}.`, 'high'))
  }
  const sources = new Set(stored.legalEntities.map(({ sourceName }) => sourceName))
  if (sources.size > 1) {
    factors.push(
      strength('multiple_sources_corroboration', 'More than one register knows the company.', 'medium'),
    )
  }
  return [
    ...factors,
    ...missing.map((identifier) => missingFactor(identifier, 'low')),
    ...wrong.map((reason) => wrongFactor(reason, 'medium')),
    ...endFactors(registration),
  ]
}

function decisionFactors({ decision, registration, borne, name, otherName, others }: Identified): Factor[] {
  const holder = `"${registration.legalName}"`
  const named = borne.map(({ identifier }) => labelOf(identifier)).join(', ')
  switch (decision.kind) {
    case 'one':
      return [
        ...borne.map(bearingFactor),
        ...(decision.isUnsure
          ? [
              limitation(
                'identifier_unplaced',
                `${named} does not say of which register or exchange.`,
                'high',
              ),
            ]
          : []),
      ]
    case 'several':
      return [
        limitation('identifier_shared', `${named} is that of ${[holder, ...others].join(', ')}.`, 'high'),
        ...(name === null
          ? []
          : [limitation('name_too_generic', `"${name}" does not distinguish them.`, 'high')]),
      ]
    case 'name_disagrees': {
      const other =
        otherName === null ? `"${name ?? ''}" is no name of it` : `"${name ?? ''}" is "${otherName}"`
      return [limitation('identifier_name_mismatch', `${named} is that of ${holder}; ${other}.`, 'high')]
    }
    case 'identifiers_disagree':
      return [
        limitation(
          'identifiers_disagree',
          `The identifiers are of several companies: ${others.join('; ')}.`,
          'high',
        ),
      ]
  }
}

function bearingFactor({ identifier, registration }: BorneIdentifier): Factor {
  return identifier.kind === 'website'
    ? strength(
        'website_official_status',
        `The registry gives ${registration.website ?? identifier.value} as the company's own.`,
        'high',
      )
    : strength('identifier_match', `The registration has ${labelOf(identifier)}.`, 'high')
}

export function missingFactor(identifier: StatedIdentifier, impact: Impact): Factor {
  const text =
    identifier.kind === 'website'
      ? `No register states a website under ${identifier.value}.`
      : `No registration has ${labelOf(identifier)}.`
  return limitation('identifier_not_found', text, impact)
}

export function wrongFactor(reason: string, impact: Impact): Factor {
  return limitation('identifier_invalid', `It is no identifier: ${reason}.`, impact)
}

export const checkIdentifier: Action = {
  code: 'verify_identifier',
  description: 'Check that the identifier is that of the company named.',
}

function actionsOf({ decision, registration }: Identified, isSupported: boolean): Action[] {
  const actions: Action[] = []
  if (decision.kind === 'several') {
    actions.push({ code: 'provide_full_legal_name', description: 'Give the full legal name as registered.' })
  } else if (decision.kind !== 'one' || decision.isUnsure) actions.push(checkIdentifier)
  if (!isSupported) {
    actions.push({
      code: 'verify_entity_type',
      description: `Check that a ${registration.type} body is what was meant.`,
    })
  }
  return actions
}
