import { featureNames, type FeatureName } from '../match/evidence.js'
import { fittedCoefficients, type Coefficients } from '../match/model.js'
import type { RankedCompany, Ranking } from '../match/rank.js'

/**
 * What speaks for a company and against it, in so few parts that a person reads them. The first ones are what the
 * features of the model add to its score: each feature is in one part, so that these add up to the score.
 */
const featuresOfParts = {
  name: [
    ...['exact', 'fullLegalName', 'fullOtherName', 'completed', 'completedMissing', 'completedByColumn'],
    ...['prefix', 'extends', 'acronym', 'near', 'nearFirstDiffers', 'bankAndHolding', 'cutVariant'],
    ...['securityVariant', 'siteVariant', 'formVariant', 'bracketVariant', 'middleVariant', 'aliasVariant'],
    ...['aliasBesideForm', 'aliasBesideFormInexact', 'hyphenVariant', 'columnCutWholeExtends', 'siteExact'],
    ...['columnCutExtends', 'columnCutNear', 'variantNotExact'],
  ],
  'kind of name': ['otherName', 'formerName'],
  'words left over': [
    ...[
      'reordered',
      'nameLeads',
      'nameEmbeds',
      'nameLeadsFormStated',
      'nearDifference',
      'queryLight',
      'querySoft',
      'queryHard',
      'queryPlaceWords',
      'nameLight',
    ],
    ...[
      'nameSoft',
      'nameHard',
      'inHouse',
      'namePlaceWords',
      'nameCountry',
      'onlyQueryMore',
      'bothMore',
      'queryHardRarity',
    ],
    ...['nameHardRarity', 'queryHardPrefix', 'formStatedQueryMore', 'formStatedNameMore'],
    ...['formStatedExtends', 'formStatedInserted', 'formStatedLight', 'formStatedPrefixMore'],
    ...['querySoftExtends'],
  ],
  spelling: [
    ...['nearPlural', 'looseWords', 'looseShorter', 'misspelledUnplaced', 'misspelled', 'misspelledBrand'],
  ],
  numbers: [
    ...['numbersDifferUnplaced', 'numbersDiffer', 'numbersDifferRarity', 'seriesWhole', 'seriesFormStated'],
    ...['oneOfSeries', 'queryNumbers', 'nameNumbers'],
  ],
  brackets: ['middleTelling', 'formStatedMiddle'],
  'legal form': [
    ...['formSame', 'formSoftConflict', 'formHardConflict', 'formHardConflictInexact'],
    ...['formForeign', 'formForeignPlaced'],
    ...['unstatedPartnership', 'formStatedInexact', 'formStatedPrefix'],
  ],
  'rare words': [
    ...['rarity', 'rarest', 'rarityExact', 'rarityPrefix', 'rarityNear', 'rarestPrefix', 'generic'],
    ...['genericUnplaced', 'genericExact', 'oneWordExact', 'oneWordPrefix', 'oneWordExtends'],
    ...['oneWordPrefixMore', 'oneWordConflict', 'oneWordConflictListed'],
  ],
  'others of the name': [
    ...['exactAlone', 'exactElsewhereLongerThere', 'exactBetterPlaced', 'exactBesideSeries'],
    ...['completedAlone', 'completedSiblings', 'family', 'familyCompleted', 'familyExtends', 'familyPrefix'],
    ...['familyNear', 'familyListed', 'familyFund', 'ownsRarest', 'ownsRarestExact', 'ownsRarestPrefix'],
    ...['ownsRarestConflict', 'prefixSiblings', 'prefixAlone', 'prefixAloneThere', 'prefixOnlyListed'],
    ...['fewHeldInexact', 'fewHeldFormless'],
  ],
  place: [
    ...['postal', 'city', 'region', 'country', 'noPlace', 'registeredThere', 'registeredElsewhere'],
    ...['formOfCountry', 'townAbroad', 'otherRegion', 'otherCountry', 'otherRegionExact'],
    ...['otherCountryExact', 'conflictListedExact', 'conflictInexact', 'conflictRarity', 'conflictListed'],
    ...['otherCountryListed', 'acronymPlaced', 'otherCountryUnlisted', 'conflictFormDiffers', 'placedPrefix'],
    ...[
      'conflictPrefixMore',
      'conflictBare',
      'unlistedPrefixMore',
      'placedNear',
      'placedInexactHard',
      'noTown',
      'siteElsewhere',
      'otherTown',
    ],
  ],
  listed: ['listed', 'listedExact', 'listedPrefix', 'listedNear', 'prominentRare'],
  'known to registers': ['lei', 'industry', 'industryPrefix'],
  status: ['inactive', 'removed'],
  'kind of body': ['notCompanyInexact', 'notCompany'],
  context: ['context'],
} as const satisfies Record<string, readonly FeatureName[]>

export type FeaturePart = keyof typeof featuresOfParts
/**
 * `other registers`: what other companies add that are most likely the same one. `other candidates`: what companies take
 * that may be meant as well. `start`: where the model starts, by the text asked for alone.
 */
export type PartName = FeaturePart | 'other registers' | 'other candidates' | 'start'

export interface WeighedPart {
  readonly part: PartName
  /** In log-odds. */
  readonly weight: number
}

const placeOfFeature = new Map(featureNames.map((name, at) => [name, at]))
export const featureParts = Object.keys(featuresOfParts) as FeaturePart[]
/** Where each part's features stand in `featureNames`. */
export const placesOfParts: Readonly<Record<FeaturePart, readonly number[]>> = Object.fromEntries(
  Object.entries(featuresOfParts).map(([part, names]) => [
    part,
    names.map((name) => placeOfFeature.get(name) ?? -1),
  ]),
) as Record<FeaturePart, number[]>

/** What each part adds to the score of a company: in all, the score. */
export function scoreParts(
  { features }: Pick<RankedCompany, 'features'>,
  { company }: Coefficients = fittedCoefficients,
): { readonly part: FeaturePart; readonly weight: number }[] {
  return featureParts.map((part) => ({
    part,
    weight: placesOfParts[part].reduce((sum, at) => sum + (features[at] ?? 0) * (company[at] ?? 0), 0),
  }))
}

/** The same with what follows from the text asked for and from the other companies: in all, the log-odds of the share. */
export function shareParts(
  company: Pick<RankedCompany, 'features' | 'score' | 'share'>,
  { ranked, noneShare, noneScore }: Ranking,
): WeighedPart[] {
  const otherShare = ranked.reduce((sum, { share }) => sum + share, 0) - company.share
  const alikeWeight = Math.log(company.share / noneShare) + noneScore - company.score
  return [
    ...scoreParts(company),
    { part: 'other registers', weight: alikeWeight },
    { part: 'other candidates', weight: Math.log(noneShare / (noneShare + Math.max(0, otherShare))) },
    { part: 'start', weight: -noneScore },
  ]
}
