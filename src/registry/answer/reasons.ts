import { formatCount } from '../../core/text.js'
import { findCountryName } from '../../core/countries.js'
import { assertNever } from '../../core/errors.js'
import { matchedConfidenceMin, type Factor } from '../../contract/result.js'
import type { NameComparison } from '../match/compare-names.js'
import type { LeftoverWords } from '../match/left-words.js'
import type { MatchDecision } from '../match/rank.js'
import type { FeaturePart } from '../match/features.js'
import { weighParts } from '../match/model.js'
import { areFormsAlike, isOfBuilding, isOneFormPrivate } from '../match/candidate.js'
import { isOtherTown } from '../match/evidence.js'
import type { PlaceAgreement } from '../match/place-agreement.js'
import type { LocationHint } from '../match/place-readings.js'
import type { StoredLegalEntity } from '../store/reader.js'

export type Match = Exclude<MatchDecision, { kind: 'none' }>
export type Impact = 'high' | 'medium' | 'low'
type StoredPlace = Pick<StoredLegalEntity, 'address' | 'jurisdiction'>
/** Reasons with a smaller contribution are not shown. */
const contributionMin = 0.15
const toImpact = (logOdds: number): Impact => (logOdds >= 1.5 ? 'high' : logOdds >= 0.6 ? 'medium' : 'low')

/** A sentence, and the parts of the evidence that it describes. */
interface Reason {
  readonly type: Factor['type']
  readonly text: string
  readonly code: string
  readonly parts: readonly FeaturePart[]
  /** Shown even without a contribution, as for the place. */
  readonly isAlwaysSaid?: true
}

function createReason(text: string, ...parts: FeaturePart[]): Reason {
  return { type: 'strength', text, code: 'name_close_match', parts }
}

/** Returns the reasons with a contribution of their sign to the score; its size sets the impact. */
export function listReasons(match: Match, registration: StoredLegalEntity): Factor[] {
  const weights = weighParts(match.best.features, match.decisionFeatures)
  const { comparison } = match.best.evidence
  const reasons = [
    ...listWordReasons(comparison),
    ...listFormReasons(comparison),
    ...listUniquenessReasons(match),
    ...listPlaceReasons(match, registration),
    ...listProminenceReasons(match),
    ...listContextReasons(match),
  ]
  return reasons.flatMap(({ type, text, code, parts, isAlwaysSaid }) => {
    const contribution = parts.reduce((sum, part) => sum + (weights.get(part) ?? 0), 0)
    // "In another region" is never a strength, even if it counts less against the company than no place.
    const size = Math.max(0, type === 'strength' ? contribution : -contribution)
    if (size < contributionMin && isAlwaysSaid === undefined) return []
    // In a certain answer, differences concern the name and do not deny the company.
    const isDenied = code !== 'no_legal_entity_confirmed' || match.confidence < matchedConfidenceMin
    return [{ code: isDenied ? code : 'name_close_match', type, description: text, impact: toImpact(size) }]
  })
}

function listWordReasons(comparison: NameComparison): Reason[] {
  const { queryLeftover, nameLeftover, numbersAgree, isOneOfSeries, isMisspelled, pairs } = comparison
  const hasWords = comparison.matchType !== 'acronym'
  const [queryHasMore, nameHasMore] = [hasWords && hasMore(queryLeftover), hasMore(nameLeftover)]
  const reasons: Reason[] = []
  const code = 'no_legal_entity_confirmed'
  const add = (text: string, part: FeaturePart, more: Partial<Reason> = {}) =>
    reasons.push({ type: 'limitation', text, code, parts: [part], ...more })
  if (queryHasMore && nameHasMore)
    add('Your name and the company name each have words that the other does not have.', 'words left over')
  else if (queryHasMore) add('Your name has words that the company name does not have.', 'words left over')
  else if (nameHasMore) add('The company name has words that your name does not have.', 'words left over')
  if (!numbersAgree) add('The numbers in the two names differ.', 'numbers')
  else if (isOneOfSeries) add('The name continues with a number: it is one of a series.', 'numbers')
  if (comparison.isPluralOnly) add('A word is in the plural in one of the two names.', 'spelling')
  if (comparison.characters === 'other')
    add('Some letters differ: the two names may only sound alike.', 'spelling', { isAlwaysSaid: true })
  else if (pairs.misspelled + pairs.abbreviated + pairs.unknown_letter + pairs.misread > 0)
    add(`The ${isMisspelled ? 'distinctive part of the name' : 'name'} is spelled differently.`, 'spelling')
  const sound = 'A few Chinese characters have the sound of many names.'
  if (comparison.characters === 'unknown') add(sound, 'spelling', { isAlwaysSaid: true })
  if (hasWords && comparison.isGeneric)
    add('The words in common are words of everyday language.', 'rare words', { code: 'name_too_generic' })
  return reasons
}

const hasMore = ({ light, soft, hard, number, place }: LeftoverWords): boolean =>
  light + soft + hard + number + place > 0

function listFormReasons({ form, statedForm, candidate }: NameComparison): Reason[] {
  const parts = ['legal form'] as const
  const against = { type: 'limitation', code: 'no_legal_entity_confirmed', parts } as const
  const ofPrivate = 'Only one of the legal forms is that of a private company.'
  const kind = areFormsAlike(statedForm, candidate) ? 'form is the same' : 'forms are of one kind'
  const unstated = isOfBuilding(candidate) ? 'company of a building' : 'partnership'
  switch (form) {
    case 'same':
      if (isOneFormPrivate(statedForm, candidate))
        return [{ ...against, text: ofPrivate, isAlwaysSaid: true }]
      return [createReason(`The legal ${kind}.`, ...parts)]
    case 'foreign':
      return [{ ...against, text: 'The country of this company does not have the legal form of your row.' }]
    case 'soft_conflict':
    case 'hard_conflict':
      return [{ ...against, text: 'The legal form is of another kind.' }]
    case 'unstated_partnership':
      return [{ ...against, text: `It is a ${unstated}, which your text does not say.` }]
    case 'unknown':
      return []
    default:
      return assertNever(form)
  }
}

function listUniquenessReasons({ best }: Match): Reason[] {
  const { comparison, siblings } = best.evidence
  const part = 'companies with the same name'
  if (comparison.matchType === 'exact' && siblings.exactCount === 1)
    return [createReason('No other company in the registry has the name.', part)]
  if (comparison.matchType !== 'prefix') return []
  const { prefixCount, placedPrefixCount, listedPrefixCount } = siblings
  if (prefixCount === 1)
    return [createReason('No other company in the registry has a name that starts with these words.', part)]
  if (placedPrefixCount === 1)
    return [createReason('No other company whose name starts with these words fits the place as well.', part)]
  if (listedPrefixCount === 1 && comparison.candidate.prominence.tickers !== '')
    return [createReason('No other listed company has a name that starts with these words.', part)]
  const text = `Names of ${formatCount(prefixCount)} companies start with these words.`
  return [{ ...createReason(text, part), type: 'limitation', code: 'name_too_generic' }]
}

function listPlaceReasons({ best: { evidence } }: Match, registration: StoredLegalEntity): Reason[] {
  const fits = listPlaceFits(evidence.place, evidence.hint, registration)
  return fits.map((fit) => ({ ...fit, parts: ['place'], isAlwaysSaid: true }))
}

type PlaceFit = Pick<Reason, 'type' | 'text' | 'code'>

/** Describes how the given place fits the registration, and that its town is another one; nothing without a place. */
export function listPlaceFits(place: PlaceAgreement, hint: LocationHint | null, registration: StoredPlace) {
  const said = describePlaceAgreement(place, describeWhere(place, registration, hint))
  const against = place === 'none' ? 'location_unconfirmed' : 'location_mismatch'
  const fit: PlaceFit = { ...said, code: said.type === 'strength' ? 'jurisdiction_match' : against }
  if (hint === null || !/^(?:country|region|none)$/.test(place) || !isOtherTown(hint, registration.address))
    return hint === null ? [] : [fit]
  const text = `The town given is not that of the registration (${registration.address.city ?? ''}).`
  const other: PlaceFit = { type: 'limitation', code: 'location_mismatch', text }
  return place === 'none' ? [other] : [fit, other]
}

/** Returns ` (Leeds)`, ` (Reno, NV)` if regions are compared, or the country and the one that was read if they differ; or nothing. */
function describeWhere(place: PlaceAgreement, of: StoredPlace, hint: LocationHint | null) {
  const [{ city, region, countryCode }, jurisdiction] = [of.address, of.jurisdiction]
  const name = (code: string) => findCountryName(code.slice(0, 2).toUpperCase())
  const country = name(countryCode ?? jurisdiction ?? '') ?? jurisdiction
  const town = place.startsWith('region') ? [...new Set([city, region])].filter(Boolean).join(', ') : city
  const where = /country|elsewhere|abroad/.test(place) ? country : town
  const codes = [...(hint?.countries.size ? hint.countries : (hint?.regions ?? []))]
  const [read, ...more] = new Set(codes.map(name))
  const other = place === 'country_conflict' && more.length === 0 && read ? `, not ${read}` : ''
  return where ? ` (${where}${other})` : ''
}

function describePlaceAgreement(place: PlaceAgreement, where: string): Pick<Reason, 'type' | 'text'> {
  const isFor = (text: string) => ({ type: 'strength', text }) as const
  const isAgainst = (text: string) => ({ type: 'limitation', text }) as const
  switch (place) {
    case 'postal':
    case 'city':
      return isFor(`The place given is that of the registration${where}.`)
    case 'region':
    case 'country':
      return isFor(`The ${place} given is that of the registration${where}.`)
    case 'registered_there':
      return isFor('The register is of the country given; no address is known.')
    case 'registered_elsewhere':
      return isAgainst(`The register is of another country${where}, and no address is known.`)
    case 'form_of_country':
      return isFor('The register is of another country, and the legal form is of the one given.')
    case 'town_abroad':
      return isAgainst(`The registration is in a town of this name, but in another country${where}.`)
    case 'region_conflict':
    case 'country_conflict':
      return isAgainst(`The registration is in another ${place.split('_')[0] ?? ''}${where}.`)
    case 'none':
      return isAgainst('The place given is not known to be that of the company.')
    default:
      return assertNever(place)
  }
}

function listProminenceReasons({ best }: Match): Reason[] {
  const { tickers, hasLei } = best.evidence.comparison.candidate.prominence
  const traded = 'Its shares are traded: of companies of like names it is the likelier one.'
  const identified = 'It has a legal entity identifier (LEI), as few companies have.'
  const text = tickers === '' ? identified : traded
  return tickers === '' && !hasLei ? [] : [createReason(text, 'listed', 'known to registers')]
}

const contextReason = createReason('The context has words that are known of this company.', 'context')
const listContextReasons = ({ best }: Match) => (best.evidence.contextCount === 0 ? [] : [contextReason])
