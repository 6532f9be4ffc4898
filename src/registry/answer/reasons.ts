import { formatCount } from '../../core/text.js'
import { findCountryName } from '../../core/countries.js'
import { assertNever } from '../../core/errors.js'
import { matchedConfidenceMin, type Factor } from '../../contract/result.js'
import type { LeftoverWords, NameComparison } from '../match/compare-names.js'
import type { MatchDecision } from '../match/decide.js'
import type { FeatureName } from '../match/features.js'
import type { PlaceAgreement } from '../match/candidate.js'
import { sumContributions } from '../match/rank.js'
import { parseName } from '../normalize/parsed-name.js'
import type { StoredLegalEntity } from '../store/reader.js'

export type Match = Exclude<MatchDecision, { kind: 'none' }>

export type Impact = 'high' | 'medium' | 'low'

/** Reasons with a smaller contribution are not shown. */
const contributionMin = 0.15

/** `size`: contribution to the score in log-odds. */
function toImpact(size: number): Impact {
  return size >= 1.5 ? 'high' : size >= 0.6 ? 'medium' : 'low'
}

/** A sentence, and the features that it describes. */
interface Reason {
  readonly type: Factor['type']
  readonly text: string
  readonly code: string
  readonly features: readonly FeatureName[]
  /** Shown even without a contribution, as for the place. */
  readonly isAlwaysSaid?: true
}

/** Returns the reasons with a contribution of their sign to the score; its size sets the impact. */
export function listReasons(match: Match, registration: StoredLegalEntity): Factor[] {
  const { best } = match
  const reasons = [
    ...listWordReasons(best.evidence.comparison),
    ...listFormReasons(best.evidence.comparison),
    ...listUniquenessReasons(match),
    ...listPlaceReasons(match, registration),
    ...listProminenceReasons(match),
    ...listContextReasons(match),
  ]
  return reasons.flatMap(({ type, text, code, features, isAlwaysSaid }) => {
    const contribution = sumContributions(best, features)
    // "In another region" is never a strength, even if it counts less against the company than no place.
    const size = Math.max(0, type === 'strength' ? contribution : -contribution)
    if (size < contributionMin && isAlwaysSaid === undefined) return []
    // In a certain answer, differences concern the name and do not deny the company.
    const isDenied = code !== 'no_legal_entity_confirmed' || match.confidence < matchedConfidenceMin
    return [{ code: isDenied ? code : 'name_close_match', type, description: text, impact: toImpact(size) }]
  })
}

function listWordReasons(comparison: NameComparison): Reason[] {
  const { queryLeftover, nameLeftover, numbersAgree, isOneOfSeries, isGeneric, isMisspelled, matchType } =
    comparison
  const [queryHasMore, nameHasMore] = [hasMore(queryLeftover), hasMore(nameLeftover)]
  const reasons: Reason[] = []
  if (queryHasMore || nameHasMore) {
    reasons.push({
      type: 'limitation',
      text:
        queryHasMore && nameHasMore
          ? 'Your name and the company name each have words that the other does not have.'
          : queryHasMore
            ? 'Your name has words that the company name does not have.'
            : 'The company name has words that your name does not have.',
      code: 'no_legal_entity_confirmed',
      features: leftoverFeatures,
    })
  }
  if (comparison.variant.isBracketTelling)
    reasons.push({
      type: 'limitation',
      text: 'The text in brackets may name another company.',
      code: 'no_legal_entity_confirmed',
      features: ['middleTelling', 'formStatedMiddle'],
    })
  if (!numbersAgree || isOneOfSeries) {
    reasons.push({
      type: 'limitation',
      text: isOneOfSeries
        ? 'The name continues with a number: it is one of a series.'
        : 'The two names have different numbers.',
      code: 'no_legal_entity_confirmed',
      features: [
        'numbersDiffer',
        'numbersDifferUnplaced',
        'numbersDifferRarity',
        'oneOfSeries',
        'seriesWhole',
        'seriesFormStated',
      ],
    })
  }
  if (comparison.isPluralOnly) {
    reasons.push({
      type: 'limitation',
      text: 'A word is in the plural in one of the two names.',
      code: 'no_legal_entity_confirmed',
      features: ['nearPlural', 'near', 'nearDifference'],
    })
  }
  if (comparison.looseCount > 0 && matchType === 'near') {
    reasons.push({
      type: 'limitation',
      text: isMisspelled ? 'Every distinctive word is spelled differently.' : 'The spelling differs.',
      code: 'no_legal_entity_confirmed',
      features: ['looseWords', 'misspelled', 'misspelledBrand', 'misspelledUnplaced'],
    })
  }
  if (isGeneric)
    reasons.push({
      type: 'limitation',
      text: 'The words in common are words of everyday language.',
      code: 'name_too_generic',
      features: ['generic', 'genericExact', 'genericUnplaced'],
    })
  return reasons
}

const leftoverFeatures: readonly FeatureName[] = [
  'queryLight',
  'querySoft',
  'queryHard',
  'queryPlaceWords',
  'queryHardRarity',
  'queryHardPrefix',
  'nameLight',
  'nameSoft',
  'nameHard',
  'queryNumbers',
  'nameNumbers',
  'namePlaceWords',
  'nameCountry',
  'nameHardRarity',
  'onlyQueryMore',
  'bothMore',
  'nearDifference',
  'reordered',
  'nameLeads',
  'nameEmbeds',
  'nameLeadsFormStated',
  'oneWordPrefixMore',
  'unlistedPrefixMore',
  'formStatedExtends',
  'formStatedPrefixMore',
  'querySoftExtends',
  'formStatedInserted',
  'formStatedLight',
]

function hasMore({ light, soft, hard, number, place }: LeftoverWords): boolean {
  return light + soft + hard + number + place > 0
}

function listFormReasons(comparison: NameComparison): Reason[] {
  const features: readonly FeatureName[] = [
    'formSame',
    'formSoftConflict',
    'formHardConflict',
    'formForeign',
    'formForeignPlaced',
    'unstatedPartnership',
  ]
  const against = { type: 'limitation', code: 'no_legal_entity_confirmed', features } as const
  switch (comparison.form) {
    case 'same': {
      const text = isOneForm(comparison) ? 'The legal form is the same.' : 'The legal forms are of one kind.'
      return [{ type: 'strength', text, code: 'name_close_match', features }]
    }
    case 'foreign':
      return [{ ...against, text: 'The legal form is one of another country.' }]
    case 'soft_conflict':
    case 'hard_conflict':
      return [{ ...against, text: 'The legal form is of another kind.' }]
    case 'unstated_partnership':
      return [{ ...against, text: 'It is a partnership, which your text does not say.' }]
    case 'unknown':
      return []
    default:
      return assertNever(comparison.form)
  }
}

/** "Ltd" and "Limited" are the same form; "Inc." and "Corp." or "B.V." and "Limited" only of the same kind. */
function isOneForm({ variant, candidate }: NameComparison): boolean {
  const held = parseName(candidate.name)
  const [one = '', other = ''] = [variant.formWords[0], held.formWords[0]]
  return one.charAt(0) === other.charAt(0) && variant.formCountries.join() === held.formCountries.join()
}

function listUniquenessReasons({ best }: Match): Reason[] {
  const { comparison, siblings } = best.evidence
  const isFor = { type: 'strength', code: 'name_close_match' } as const
  if (comparison.matchType === 'exact') {
    const features: readonly FeatureName[] = ['exactAlone', 'ownsRarest', 'ownsRarestExact']
    return siblings.exactCount === 1
      ? [{ ...isFor, text: 'No other company found has the name.', features }]
      : []
  }
  if (comparison.matchType !== 'prefix') return []
  const { prefixCount, placedPrefixCount, listedPrefixCount } = siblings
  const features: readonly FeatureName[] = [
    'prefixSiblings',
    'prefixAlone',
    'prefixAloneThere',
    'prefixOnlyListed',
    'ownsRarest',
    'ownsRarestPrefix',
  ]
  if (prefixCount === 1)
    return [{ ...isFor, text: 'No other company found has a name that begins like this.', features }]
  if (placedPrefixCount === 1)
    return [
      { ...isFor, text: 'No other company whose name begins like this fits the place as well.', features },
    ]
  if (listedPrefixCount === 1 && comparison.candidate.prominence.isListed)
    return [{ ...isFor, text: 'No other listed company has a name that begins like this.', features }]
  const text = `Names of ${formatCount(prefixCount)} companies begin like this.`
  return [{ type: 'limitation', text, code: 'name_too_generic', features }]
}

function listPlaceReasons({ best }: Match, registration: StoredLegalEntity): Reason[] {
  const { place, hint } = best.evidence
  if (hint === null) return []
  return [{ ...describePlaceFit(place, registration), features: placeFeatures, isAlwaysSaid: true }]
}

/** Describes how the given place fits the registration. */
export function describePlaceFit(
  place: PlaceAgreement,
  { address, jurisdiction }: StoredLegalEntity,
): Pick<Reason, 'type' | 'text' | 'code'> {
  const said = describePlaceAgreement(place, describeWhere({ address, jurisdiction }))
  return { ...said, code: said.type === 'strength' ? 'jurisdiction_match' : 'location_mismatch' }
}

/** Returns ` (Leeds)` or ` (United Kingdom)`; an empty text if neither is known. */
function describeWhere({
  address,
  jurisdiction,
}: Pick<StoredLegalEntity, 'address' | 'jurisdiction'>): string {
  const { city, countryCode } = address
  const code = countryCode ?? jurisdiction?.slice(0, 2).toUpperCase() ?? null
  const where = city ?? (code === null ? null : (findCountryName(code) ?? jurisdiction))
  return where === null ? '' : ` (${where})`
}

function describePlaceAgreement(place: PlaceAgreement, where: string): Pick<Reason, 'type' | 'text'> {
  const isFor = (text: string) => ({ type: 'strength', text }) as const
  const isAgainst = (text: string) => ({ type: 'limitation', text }) as const
  switch (place) {
    case 'postal':
    case 'city':
      return isFor(`The place given is that of the registration${where}.`)
    case 'region':
      return isFor('The region given is that of the registration.')
    case 'country':
      return isFor('The country given is that of the registration.')
    case 'registered_there':
      return isFor('The register is of the country given; no address is known.')
    case 'registered_elsewhere':
      return isAgainst(`The register is of another country${where}, and no address is known.`)
    case 'form_of_country':
      return isFor('The register is of another country, and the legal form is of the one given.')
    case 'region_conflict':
      return isAgainst(`The registration is in another region${where}.`)
    case 'town_abroad':
      return isAgainst(`The town fits${where}, the country given does not.`)
    case 'country_conflict':
      return isAgainst(`The registration is in another country${where}.`)
    case 'none':
      return isAgainst('The registration is not known to be in the place of the row.')
    default:
      return assertNever(place)
  }
}

const placeFeatures: readonly FeatureName[] = [
  'postal',
  'city',
  'region',
  'country',
  'noPlace',
  'registeredThere',
  'registeredElsewhere',
  'formOfCountry',
  'townAbroad',
  'otherRegion',
  'otherCountry',
  'otherRegionExact',
  'otherCountryExact',
  'conflictListedExact',
  'conflictInexact',
  'conflictPrefixMore',
  'conflictBare',
  'oneWordConflict',
  'oneWordConflictListed',
  'conflictRarity',
  'conflictListed',
  'otherCountryListed',
  'otherCountryUnlisted',
  'acronymPlaced',
  'conflictFormDiffers',
  'exactBetterPlaced',
  'placedPrefix',
  'placedNear',
  'placedInexactHard',
  'noTown',
  'otherTown',
]

function listProminenceReasons({ best }: Match): Reason[] {
  const { isListed, hasLei } = best.evidence.comparison.candidate.prominence
  if (!isListed && !hasLei) return []
  return [
    {
      type: 'strength',
      text: isListed
        ? 'Its shares are traded: of companies of like names it is the likelier one.'
        : 'It has a legal entity identifier (LEI), as few companies have.',
      code: 'name_close_match',
      features: ['listed', 'listedExact', 'listedPrefix', 'listedNear', 'prominentRare', 'lei'],
    },
  ]
}

function listContextReasons({ best }: Match): Reason[] {
  if (best.evidence.contextCount === 0) return []
  const text = 'The context has words that are known of this company.'
  return [{ type: 'strength', text, code: 'name_close_match', features: ['context'] }]
}
