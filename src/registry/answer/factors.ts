import { formatCount } from '../../core/text.js'
import { unreachable } from '../../core/errors.js'
import { matchedConfidenceMin, type Action, type Factor } from '../../contract/result.js'
import { omittedIdentifierCount } from './entity-record.js'
import { endText } from './basis.js'
import { reasonsOf, type Impact, type Match } from './reasons.js'
import type { NameComparison } from '../match/compare-names.js'
import { fundOrTrust } from '../normalize/parsed-name.js'
import type { VariantKind } from '../normalize/name-variants.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

export function strength(code: string, description: string, impact: Impact): Factor {
  return { code, type: 'strength', description, impact }
}

export function limitation(code: string, description: string, impact: Impact): Factor {
  return { code, type: 'limitation', description, impact }
}

/** Describes the evidence for and against a match in sentences. */
export function factorsOf(match: Match, stored: StoredEntity, registration: StoredLegalEntity): Factor[] {
  const reasons = [
    nameFactor(match.best.evidence.comparison, registration),
    ...reasonsOf(match, registration),
    ...othersFactors(match),
  ]
  const isContested = reasons.some(({ code }) => code === 'no_legal_entity_confirmed')
  const { supported } = match.best.evidence.comparison.candidate
  const factors = [...(supported ? [] : [unsupportedFactor(registration)]), ...reasons]
  if (match.kind === 'entity' && !registration.removedFromSource && !isContested) {
    const jurisdiction = registration.jurisdiction ?? 'an unstated jurisdiction'
    const isName = match.best.evidence.comparison.matchType === 'exact'
    const text = isName ? 'has the name' : 'is the one that fits'
    factors.push(strength('legal_entity_confirmed', `A registration in ${jurisdiction} ${text}.`, 'high'))
  }
  const sources = new Set(stored.legalEntities.map(({ sourceName }) => sourceName))
  if (sources.size > 1 || match.best.alike.length > 0)
    factors.push(strength('multiple_sources_corroboration', corroboration(match, sources.size), 'medium'))
  factors.push(...endFactors(registration))
  if (match.kind === 'entity') factors.push(...omissionFactors(stored))
  return factors
}

function corroboration({ best }: Match, sourceCount: number): string {
  const [twin] = best.alike
  return sourceCount > 1 || twin === undefined
    ? 'More than one register knows the company.'
    : `"${twin.name}" in another register is most likely the same company.`
}

/** Number of rivals in a sentence. */
const rivalsNamedMax = 3
/** Least probability of "no match" that is mentioned. */
const noneShareMin = 0.15

function othersFactors({ rivals, noneShare, confidence, names }: Match): Factor[] {
  if (names !== undefined) {
    const text = `The text names ${names.length} companies: ${names.map((name) => `"${name}"`).join(', ')}.`
    return [limitation('no_legal_entity_confirmed', text, 'high')]
  }
  const factors: Factor[] = []
  const isCertain = confidence >= matchedConfidenceMin
  if (rivals.length > 0) {
    const named = rivals
      .slice(0, rivalsNamedMax)
      .map(({ evidence }) => `"${evidence.comparison.candidate.name}"`)
      .join(', ')
    const others = rivals.length > rivalsNamedMax ? `${named} and more` : named
    factors.push(
      limitation('name_too_generic', `Other companies may be meant: ${others}.`, isCertain ? 'low' : 'high'),
    )
  }
  if (!isCertain && noneShare >= noneShareMin) {
    factors.push(
      limitation(
        'no_legal_entity_confirmed',
        'It may be a company that the registry does not hold.',
        noneShare >= 0.5 ? 'high' : 'medium',
      ),
    )
  }
  return factors
}

const readAs: Readonly<Record<VariantKind, string | null>> = {
  whole: null,
  cut: 'without its cut end',
  mended: 'with an error put right',
  security: 'without the description of a security',
  form: 'up to its legal form',
  registered: 'without the trade name',
  alias: 'by its trade name',
  site: 'without the site',
  bracket: 'without the text in brackets',
  middle: 'without the text in brackets',
  inside: 'by the text in brackets',
  hyphen: 'up to the hyphen',
}

/** Describes which name of the registration the text matches. */
export function nameFactor(comparison: NameComparison, registration: StoredLegalEntity): Factor {
  const { matchType, candidate } = comparison
  const kind = {
    legal: 'registered name',
    other: 'other name',
    former: formerName(registration, candidate.name),
  }[candidate.kind]
  const text = `The ${nameSaid(comparison)}, ${kind}`.replace(/\.?$/, '.')
  return strength('name_close_match', text, matchType === 'exact' ? 'high' : 'medium')
}

/** Describes the match of the text: `name, without the site, is the beginning of "Larkmoor Ltd"`. */
export function nameSaid({ matchType, candidate, variant }: NameComparison): string {
  const how = variant.how ?? readAs[variant.kind]
  return `${how === null ? 'name' : `name, ${how},`} ${relation(matchType)} "${candidate.name}"`
}

export function formerName(registration: StoredLegalEntity, name: string): string {
  return `former name of ${registration.legalName}${formerText(registration, name)}`
}

function relation(matchType: NameComparison['matchType']): string {
  switch (matchType) {
    case 'exact':
      return 'is that of'
    case 'completed':
    case 'prefix':
      return 'is the beginning of'
    case 'extends':
      return 'begins with'
    case 'acronym':
      return 'is made of the initials of'
    case 'near':
      return 'is close to'
    default:
      return unreachable(matchType)
  }
}

/** Describes when the name ended, and the source of that. */
function formerText({ names }: StoredLegalEntity, name: string): string {
  const found = names.find((entry) => entry.kind === 'former' && entry.name === name)
  return found === undefined ? '' : endText(found)
}

/** Returns a factor if the registration has ended or was removed. */
export function endFactors(registration: StoredLegalEntity): Factor[] {
  if (registration.removedFromSource) return [removedFactor(registration)]
  return registration.status === null || registration.status === 'active'
    ? []
    : [inactiveFactor(registration)]
}

/** An ended registration is still confirmed as a legal entity. */
export function inactiveFactor({ status }: StoredLegalEntity): Factor {
  return limitation(
    'legal_entity_inactive',
    `The registration is not active (${status ?? 'unknown'}).`,
    'medium',
  )
}

/** Mentions identifiers that are not shown: a bank may have thousands of BICs. */
export function omissionFactors(stored: StoredEntity): Factor[] {
  const count = omittedIdentifierCount(stored)
  if (count === 0) return []
  const text = `Registers list ${formatCount(count)} more identifiers of the company than are shown.`
  return [limitation('identifiers_truncated', text, 'low')]
}

/** Only registrations of this type can be an answer; others stay candidates. */
export const isSupportedKind = ({ type, subtype }: StoredLegalEntity): boolean =>
  type === 'business' && subtype === 'incorporated_entity'

/** Explains why a registration cannot be the answer; the first factor, whatever the confidence. */
export const unsupportedFactor = (registration: StoredLegalEntity): Factor =>
  limitation('unsupported_entity_type', unsupportedText(registration), 'high')

/** `"Larkmoor Income Fund" is a fund, not a company: only companies are given as an answer.` */
export function unsupportedText(registration: StoredLegalEntity): string {
  const { type, subtype, legalName } = registration
  const form = fundOrTrust(registration)
  const kind = form === null ? (subtypeWords[subtype] ?? typeWords[type] ?? 'of another kind') : `a ${form}`
  return `"${legalName}" is ${kind}, not a company: only companies are given as an answer.`
}

const typeWords: Readonly<Partial<Record<string, string>>> = {
  nonprofit: 'a nonprofit body',
  government: 'a government body',
  person: 'a natural person',
}
const subtypeWords: Readonly<Partial<Record<string, string>>> = {
  unincorporated_entity: 'an unincorporated body',
  nonprofit_entity: 'a nonprofit body',
  government_entity: 'a government body',
  natural_person: 'a natural person',
  complex_business_structure: 'a fund, trust or other structure',
  trading_name_only: 'a trading name',
}

/** The reason for a removal is unknown: dissolved, delisted, or moved to another file. */
function removedFactor({ sourceName, sourceDate }: StoredLegalEntity): Factor {
  return limitation(
    'no_legal_entity_confirmed',
    `The newest file of ${sourceName} no longer names the registration; that of ${sourceDate.slice(0, 10)} did.`,
    'medium',
  )
}

export function actionsOf(match: Match, registration: StoredLegalEntity): Action[] {
  const actions: Action[] = []
  const { comparison, place } = match.best.evidence
  const isCertain = match.confidence >= matchedConfidenceMin
  if (!isCertain && comparison.matchType !== 'exact') {
    actions.push({ code: 'provide_full_legal_name', description: 'Give the full legal name as registered.' })
  }
  if (!isCertain && place !== 'postal' && place !== 'city') {
    actions.push({ code: 'verify_address', description: 'Give the city or the postal code of the company.' })
  }
  if (!isCertain && match.rivals.length > 0) {
    actions.push({ code: 'add_industry_context', description: 'Say in the context what the company does.' })
  }
  if (!comparison.candidate.supported) {
    actions.push({
      code: 'verify_entity_type',
      description: `Check that a ${registration.type} body is what was meant.`,
    })
  }
  return actions
}
