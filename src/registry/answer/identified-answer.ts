import { quoteName } from '../../core/text.js'
import { formatLabel, type StatedIdentifier } from '../../core/numbers/stated-identifiers.js'
import { matchedConfidenceMin, type Action, type Factor, type Resolution } from '../../contract/result.js'
import { toCanonicalIdentifier } from '../../core/identifiers.js'
import { hasWrongCheckDigits } from '../../core/numbers/national-numbers.js'
import { describeTypingError, isNumberOfBranch } from '../../core/numbers/number-forms.js'
import { givesAll, type WholeRegister } from '../edition.js'
import { toCandidate } from './resolve.js'
import { buildBasis } from './basis.js'
import { getPrimary, buildResultEntity, listNames } from './entity-record.js'
import {
  listConfirmations,
  listEndFactors,
  createLimitation,
  createNameFactor,
  listOmissionFactors,
  createStrength,
  createUnsupportedFactor,
  isSupportedKind,
} from './factors.js'
import { listPlaceFits, type Impact } from './reasons.js'
import {
  areDifferentNumbers,
  describeOtherName,
  nameMissingPlace,
  type Doubt,
  type IdentifiedDecision,
  type IdentifierConflict,
  type WrongIdentifier,
} from './identifier-decision.js'
import type { NameComparison } from '../match/compare-names.js'
import type { PlaceAgreement } from '../match/place-agreement.js'
import type { LocationHint } from '../match/place-readings.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

/** An identifier of the query, in the spelling of the registration with it. */
export interface MatchedIdentifier {
  readonly identifier: StatedIdentifier
  readonly value: string
  readonly registration: StoredLegalEntity
}

export interface IdentifiedCompany {
  readonly decision: Exclude<IdentifiedDecision, { kind: 'unknown' }>
  readonly stored: StoredEntity
  /** The registration with the strongest identifier. */
  readonly registration: StoredLegalEntity
  readonly borne: readonly MatchedIdentifier[]
  /** Identifiers that no registration has. */
  readonly missing: readonly StatedIdentifier[]
  readonly wrong: readonly WrongIdentifier[]
  /** Comparison of the query's name with the company's; `null` without a name or without similarity. */
  readonly comparison: NameComparison | null
  /** The name in the query; `null` if it has only identifiers. */
  readonly name: string | null
  /** Confidence of the name alone in a company of which only the website is given, else `null`. */
  readonly nameConfidence: number | null
  /** The other company that the name identifies with certainty. */
  readonly otherName: string | null
  readonly place: PlaceAgreement
  /** `null` if the query has no place, or that of the company is not known. */
  readonly hint: LocationHint | null
  /** Names of other relevant companies: those of the other identifiers, or those that share the identifier. */
  readonly others: readonly string[]
}

/** Confidence of an identifier: one percent is left for clerical errors; and of those without register or exchange. */
const [identifiedConfidence, unsureConfidence] = [99, 79]
const [websitesConfidence, severalConfidence] = [96, 60]
export const disagreeingConfidence = 50

/** Builds the interface's answer for a company found by identifiers ("v3 job result"). */
export function buildIdentifiedAnswer(found: IdentifiedCompany): Resolution {
  const { decision, stored, registration, borne } = found
  const isSupported = isSupportedKind(registration)
  const confidence = chooseConfidence(found)
  const shared = {
    match_confidence: confidence,
    type: registration.type,
    subtype: registration.subtype,
    actions: listActions(found, isSupported),
    merged_into: null,
    classification: 'others' in decision ? 'ambiguous' : 'specific',
  }
  if (decision.kind !== 'one' || !isSupported) {
    return {
      ...shared,
      status: 'inconclusive',
      entity: null,
      candidate: toCandidate(registration),
      factors: buildFactors(found, isSupported),
      basis: [],
    }
  }
  const entity = buildResultEntity(stored, registration)
  return {
    ...shared,
    status: confidence >= matchedConfidenceMin ? 'matched' : 'partial_match',
    entity,
    candidate: null,
    factors: [...buildFactors(found, isSupported), ...listOmissionFactors(stored)],
    basis: buildBasis(
      entity,
      getPrimary(stored),
      stored,
      borne.map(({ identifier: { kind }, value }) => ({ type: kind, value })),
    ),
  }
}

function chooseConfidence({ decision, borne, name, nameConfidence }: IdentifiedCompany): number {
  if (decision.kind !== 'one') return decision.kind === 'several' ? severalConfidence : disagreeingConfidence
  if (decision.doubt !== null) return Math.max(unsureConfidence, nameConfidence ?? 0)
  const areWebsites = borne.every(({ identifier }) => identifier.kind === 'website')
  return name === null && areWebsites ? websitesConfidence : identifiedConfidence
}

function buildFactors(found: IdentifiedCompany, isSupported: boolean): Factor[] {
  const { decision, stored, registration, comparison, place, hint, missing, wrong } = found
  const factors = [
    ...(isSupported ? [] : [createUnsupportedFactor(registration)]),
    ...listDecisionFactors(found),
  ]
  if (comparison !== null) {
    const { legalEntityNumber } = comparison.candidate
    const named = stored.legalEntities.find(({ number }) => number === legalEntityNumber) ?? registration
    if (decision.kind !== 'name_disagrees') factors.push(createNameFactor(comparison, named))
  }
  for (const { type, code, text } of listPlaceFits(place, hint, registration))
    factors.push({ code, type, description: text, impact: 'low' })
  if (decision.kind === 'one' && isSupported)
    factors.push(...listConfirmations(registration, (where) => `The company is registered in ${where}.`))
  const sources = new Set(stored.legalEntities.map(({ sourceName }) => sourceName))
  if (sources.size > 1)
    factors.push(
      createStrength('multiple_sources_corroboration', 'More than one register knows the company.', 'medium'),
    )
  return [
    ...factors,
    ...missing.map((identifier) => createMissingFactor(identifier, 'low', stored.legalEntities)),
    ...wrong.flatMap((one) => listWrongFactors(one, 'medium', stored.legalEntities)),
    ...listEndFactors(stored, registration),
  ]
}

/** Says why identifiers may not be those of the company. */
function describeDoubt(doubt: Doubt, identifiers: readonly StatedIdentifier[]): string {
  const places = [...new Set(identifiers.map(nameMissingPlace))].join(' or ')
  const texts = {
    unplaced: `does not say of which ${places}.`,
    elsewhere: `does not say of which ${places}, and the place given is not that of the company.`,
    of_group:
      'may be shared by companies of a group, and the name has more words, another country or another form.',
  }
  return `${identifiers.map(formatLabel).join(', ')} ${texts[doubt]}`
}

const createDoubt = (doubt: Doubt | null, borne: readonly MatchedIdentifier[]): Factor[] => {
  if (doubt === null) return []
  const identifiers = borne.map(({ identifier }) => identifier)
  const code = doubt === 'of_group' ? 'identifier_shared' : 'identifier_unplaced'
  return [createLimitation(code, describeDoubt(doubt, identifiers), 'high')]
}

function listDecisionFactors({
  decision,
  stored,
  registration,
  borne,
  name,
  otherName,
  others,
}: IdentifiedCompany): Factor[] {
  const holder = quoteName(registration.legalName)
  const named = borne.map(({ identifier }) => formatLabel(identifier)).join(', ')
  switch (decision.kind) {
    case 'one':
      return [...borne.map(createMatchFactor), ...createDoubt(decision.doubt, borne)]
    case 'several':
      return [
        createLimitation(
          'identifier_shared',
          `${named} is that of ${[holder, ...others].join(', ')}.`,
          'high',
        ),
        ...(name === null
          ? []
          : [createLimitation('name_too_generic', `${quoteName(name)} does not distinguish them.`, 'high')]),
      ]
    case 'named_elsewhere': {
      const text = `${named} is that of ${holder}, in the town given, and of ${others.join(', ')}, which has the name.`
      return [createLimitation('identifier_shared', text, 'high')]
    }
    case 'identifier_differs': {
      const { code, text } = decision.conflict
      return [createLimitation(code, text, 'high'), ...borne.map(createMatchFactor)]
    }
    case 'name_disagrees': {
      const other =
        otherName === null
          ? `${quoteName(name ?? '')} ${describeOtherName(name ?? '', listNames(stored))}`
          : `the name is that of ${quoteName(otherName)}`
      return [
        createLimitation('identifier_name_mismatch', `${named} is that of ${holder}; ${other}.`, 'high'),
      ]
    }
    case 'identifiers_disagree':
      return [
        createLimitation(
          'identifiers_disagree',
          `The identifiers are of several companies: ${others.join('; ')}.`,
          'high',
        ),
      ]
  }
}

function createMatchFactor({ identifier, value, registration }: MatchedIdentifier): Factor {
  const isOneOfSeveral = identifier.value.includes(' / ')
  const label = formatLabel(isOneOfSeveral ? { ...identifier, value } : identifier)
  const site = registration.website ?? identifier.value
  if (identifier.kind === 'website')
    return createStrength(
      'website_official_status',
      `The registry gives ${site} as the company's own.`,
      'high',
    )
  const isOfBranch = isNumberOfBranch(identifier, value)
  const text = isOfBranch ? `The ${label} is that of a branch.` : `The registration has ${label}.`
  return createStrength('identifier_match', text, 'high')
}

/** Says that no registration has an identifier, or, if it is that of the company found with a typing error, what its own is. */
export function createMissingFactor(one: StatedIdentifier, impact: Impact, found: Holders): Factor {
  const typed = describeTyped(one, found)
  if (typed !== null) return createLimitation('identifier_mismatch', typed, impact)
  const text =
    one.kind === 'website'
      ? `No register states a website under ${one.value}.`
      : `No registration has ${formatLabel(one)}${describeFault(one)}.`
  return createLimitation('identifier_not_found', text, impact)
}

export function listWrongFactors(one: WrongIdentifier, impact: Impact, found: Holders): Factor[] {
  const typed = describeTyped(one, found)
  const invalid = createLimitation('identifier_invalid', `It is no identifier: ${one.reason}.`, impact)
  return typed === null ? [invalid] : [invalid, createLimitation('identifier_mismatch', typed, 'low')]
}

export const checkIdentifier: Action = {
  code: 'verify_identifier',
  description:
    'Check that the identifier, or the domain of the website or e-mail address, is that of the company named.',
}

function listActions({ decision, registration }: IdentifiedCompany, isSupported: boolean): Action[] {
  const actions: Action[] = []
  if (decision.kind === 'several') {
    actions.push({ code: 'provide_full_legal_name', description: 'Give the full legal name as registered.' })
  } else if (decision.kind !== 'one' || decision.doubt !== null) actions.push(checkIdentifier)
  if (!isSupported) {
    actions.push({
      code: 'verify_entity_type',
      description: `Check that a ${registration.type} body is what was meant.`,
    })
  }
  return actions
}

/** A company has one of each. A bank has several BICs, a company several websites, and symbols change. */
const comparedKinds: ReadonlySet<StatedIdentifier['kind']> = new Set(['lei', 'cik', 'ein', 'registration_id'])

/**
 * Finds the first identifier that cannot be a company's: it has another one of that kind in that register, or a loaded
 * register that gives all such identifiers lacks it. A register that is not loaded says nothing. Nor does a typing error
 * in the company's own identifier, which check digits show.
 */
export function findConflict(
  compared: readonly StatedIdentifier[],
  registrations: Holders,
  registers: () => readonly WholeRegister[],
): IdentifierConflict | null {
  for (const asked of compared) {
    if (!comparedKinds.has(asked.kind) || describeTyped(asked, registrations) !== null) continue
    for (const { legalName, identifiers } of registrations) {
      const own = identifiers.find((one) => isOther(one, asked))
      if (own !== undefined)
        return { code: 'identifier_mismatch', text: describeOther(legalName, own, asked) }
    }
    const register = registers().find((one) => givesAll(one, asked))
    if (register !== undefined) {
      const text = `No registration has ${formatLabel(asked)}, and ${register.name} is loaded as a whole.`
      return { code: 'identifier_not_found', text }
    }
  }
  return null
}

type Holders = readonly Pick<StoredLegalEntity, 'legalName' | 'identifiers'>[]
type OwnIdentifier = StoredLegalEntity['identifiers'][number]

const getCountry = (place: string): string => place.slice(0, 2).toLowerCase()

/** True for a company's own identifier if the one asked for would have to be the same. */
function isOther({ type, value, jurisdiction }: OwnIdentifier, asked: StatedIdentifier): boolean {
  const kind = type === 'sec_cik' ? 'cik' : type
  if (kind !== asked.kind || value === asked.value) return false
  if (kind !== 'registration_id') return true
  if (jurisdiction === null || !/\d/.test(asked.value)) return false
  const place = asked.place?.toLowerCase().replace('-', '_') ?? null
  const isPlaced = place !== null
  if (isPlaced && place !== jurisdiction && !place.startsWith(`${jurisdiction}_`)) return false
  return areDifferentNumbers(getCountry(jurisdiction), value, asked.value, isPlaced)
}

function describeOther(legalName: string, own: OwnIdentifier, asked: StatedIdentifier): string {
  const home = own.jurisdiction?.toUpperCase().replace('_', '-') ?? null
  const place = asked.kind === 'registration_id' ? home : null
  const label = formatLabel({ kind: asked.kind, value: own.value, place })
  const near = describeTyping(own, asked).replace(/^(?=.)/, '; ')
  const fault = describeFault({ ...asked, place: asked.place ?? place })
  return `${quoteName(legalName)} has ${label}, not ${formatLabel(asked)}${fault}${near}.`
}

const describeTyping = ({ jurisdiction, value }: OwnIdentifier, asked: StatedIdentifier): string =>
  describeTypingError(getCountry(jurisdiction ?? asked.place ?? ''), value, asked.value)

/** Describes a typing error in an identifier of a company, which check digits show; `null` without one. */
function describeTyped(asked: StatedIdentifier, registrations: Holders): string | null {
  const isTyped = (own: OwnIdentifier) =>
    own.type === asked.kind &&
    hasWrongDigits({ ...asked, place: asked.place ?? own.jurisdiction }) &&
    describeTyping(own, asked) !== ''
  const describe = ({ legalName, identifiers }: Holders[number]) =>
    identifiers.filter(isTyped).map((own) => describeOther(legalName, own, asked))
  return registrations.flatMap(describe)[0] ?? null
}

const describeFault = (one: StatedIdentifier) => (hasWrongDigits(one) ? ', which has wrong check digits' : '')

/** True for a company number of a known country, or an LEI, that no company can have. */
export function hasWrongDigits({ kind, value, place }: StatedIdentifier): boolean {
  if (kind === 'registration_id') return place !== null && hasWrongCheckDigits(getCountry(place), value)
  return kind === 'lei' && 'reason' in toCanonicalIdentifier(kind, value)
}
