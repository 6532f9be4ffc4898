import { capped, tenths, wantsTown, type Evidence } from './evidence.js'
import { isInCountry } from './place-agreement.js'
import type { NameComparison } from './compare-names.js'

type Feature = (evidence: Evidence) => number | boolean

const isPlaced = ({ place }: Evidence) => place === 'postal' || place === 'city'
const isUnplaced = ({ place }: Evidence) => place !== 'postal' && place !== 'city'
const isConflict = ({ place }: Evidence) => place === 'region_conflict' || place === 'country_conflict'
const is = (...types: NameComparison['matchType'][]) => {
  return ({ comparison }: Evidence) => types.includes(comparison.matchType)
}
const isExact = is('exact')
const isPrefix = is('prefix')
const isExtends = is('extends')
const isNear = is('near')
const isInexact = (evidence: Evidence) => !isExact(evidence)
/** True for the trade name of a company that also states its form, in the whole text too. */
const isAliasBesideForm = ({ comparison: { variant, matchType, firstAgrees } }: Evidence) =>
  variant.isBesideForm && (variant.kind === 'alias' || (matchType === 'near' && !firstAgrees))
const isListed = ({ comparison }: Evidence) => comparison.candidate.prominence.isListed
const isUnlisted = (evidence: Evidence) => !isListed(evidence)
const isKind = (...kinds: string[]) => {
  return ({ comparison }: Evidence) => kinds.includes(comparison.variant.kind)
}
const both = (...features: Feature[]): Feature => {
  return (evidence) => features.reduce((product, feature) => product * Number(feature(evidence)), 1)
}
const isForeignForm = ({ comparison }: Evidence) => comparison.form === 'foreign'
const isOneWord = ({ comparison }: Evidence) => comparison.variant.tokens.length === 1
const hasNoTown = ({ comparison: { candidate } }: Evidence) =>
  candidate.place.cityKey === '' && candidate.place.postalKey === ''
const queryHard = ({ comparison }: Evidence) => capped(comparison.queryLeftover.hard, 3)
const nameHard = ({ comparison }: Evidence) => capped(comparison.nameLeftover.hard, 3)
const nameTold = ({ comparison: { nameLeftover: n } }: Evidence) => capped(n.hard + n.soft, 2)
/** True for the whole text with a legal form at its end, without a site, a remark or a trade name. */
const isFormStatedWhole = ({ comparison }: Evidence) =>
  comparison.isFormStated && comparison.variant.kind === 'whole'
const queryTold = ({ comparison: { queryLeftover: q } }: Evidence) => capped(q.hard + q.soft, 2)
/** True if the text has all words of a company's name in order, with further words in between. */
const isInserted = ({ comparison: { firstAgrees, looseCount, nameLeftover: n, candidate } }: Evidence) =>
  candidate.supported && firstAgrees && looseCount + n.hard + n.soft + n.light + n.number + n.place === 0
const familySize = ({ siblings }: Evidence) => capped(Math.log2(1 + siblings.familyCount), 6) / 2
const rarity = ({ comparison }: Evidence) => tenths(comparison.sharedWeight, 25)

/**
 * Features of a company's score, grouped as they are shown to users. Yes is 1, no is 0; the others range from 0 to
 * about 3. The model chooses which pair of variant and name represents a company.
 */
const featuresOfParts = {
  name: {
    exact: isExact,
    fullLegalName: ({ comparison }) => comparison.isFullName && comparison.candidate.kind === 'legal',
    fullOtherName: ({ comparison }) => comparison.isFullName && comparison.candidate.kind !== 'legal',
    completed: is('completed'),
    completedMissing: ({ comparison }) => comparison.missingShare * 2,
    completedByColumn: ({ comparison }) => comparison.isTruncated,
    prefix: isPrefix,
    extends: isExtends,
    acronym: is('acronym'),
    near: isNear,
    nearFirstDiffers: ({ comparison }) => !comparison.firstAgrees,
    bankAndHolding: ({ comparison }) => comparison.isBankAndHolding,
    cutVariant: isKind('cut', 'mended'),
    securityVariant: isKind('security'),
    siteVariant: isKind('site', 'registered'),
    formVariant: isKind('form'),
    bracketVariant: isKind('bracket'),
    middleVariant: isKind('middle'),
    aliasVariant: isKind('alias', 'inside'),
    aliasBesideForm: isAliasBesideForm,
    aliasBesideFormInexact: both(isAliasBesideForm, isInexact),
    hyphenVariant: isKind('hyphen'),
    columnCutWholeExtends: both(
      is('extends'),
      isKind('whole'),
      ({ comparison }) => comparison.variant.cut !== 'nowhere',
    ),
    siteExact: both(isExact, isKind('site', 'registered', 'bracket')),
    columnCutExtends: both(is('extends', 'prefix'), ({ comparison }) => comparison.variant.cut !== 'nowhere'),
    columnCutNear: both(isNear, ({ comparison }) => comparison.variant.cut !== 'nowhere'),
    variantNotExact: both(
      isKind('site', 'registered', 'form', 'bracket', 'middle', 'alias', 'inside', 'hyphen', 'security'),
      isInexact,
    ),
  },
  'kind of name': {
    otherName: ({ comparison }) => comparison.candidate.kind === 'other',
    formerName: ({ comparison }) => comparison.candidate.kind === 'former',
  },
  'words left over': {
    nearDifference: ({ comparison }) => (1 - comparison.similarity) * 5,
    reordered: ({ comparison }) => comparison.isReordered,
    // "NAV Larkmoor I" is a vehicle that holds shares of Larkmoor.
    nameLeads: ({ comparison }) => comparison.leadingCount > 0,
    nameLeadsFormStated: both(({ comparison }) => comparison.isFormStated && comparison.leadingCount > 0),
    // The name has the whole text, spelled the same, after other words.
    nameEmbeds: both(
      isNear,
      ({ comparison: { leadingCount, looseCount, queryLeftover: q } }) =>
        leadingCount > 0 && looseCount + q.light + q.soft + q.hard + q.number + q.place === 0,
    ),
    queryLight: ({ comparison }) => capped(comparison.queryLeftover.light, 2),
    querySoft: ({ comparison }) => capped(comparison.queryLeftover.soft, 3),
    queryHard,
    queryPlaceWords: ({ comparison }) => capped(comparison.queryLeftover.place, 3),
    nameLight: ({ comparison }) => capped(comparison.nameLeftover.light, 2),
    nameSoft: ({ comparison }) => capped(comparison.nameLeftover.soft, 3),
    nameHard,
    inHouse: both(({ comparison }) => comparison.isInHouse, isUnlisted),
    namePlaceWords: ({ comparison }) => capped(comparison.nameLeftover.place, 3),
    // A group's company in a country that the query does not have.
    nameCountry: both(
      ({ comparison }) => comparison.nameLeftover.country > 0,
      ({ place }) => !isInCountry(place),
    ),
    onlyQueryMore: ({ comparison: { queryLeftover: q, nameLeftover: n } }) =>
      q.hard + q.soft > 0 && n.hard + n.soft === 0,
    bothMore: ({ comparison: { queryLeftover: q, nameLeftover: n } }) =>
      q.hard + q.soft > 0 && n.hard + n.soft > 0,
    queryHardRarity: ({ comparison }) => tenths(comparison.queryLeftover.hardWeight, 25),
    nameHardRarity: ({ comparison }) => tenths(comparison.nameLeftover.hardWeight, 25),
    queryHardPrefix: both(isExtends, queryHard),
    querySoftExtends: both(isExtends, ({ comparison }) => capped(comparison.queryLeftover.soft, 2)),
    formStatedQueryMore: both(({ comparison }) => comparison.isFormStated, is('extends', 'near'), queryHard),
    formStatedNameMore: both(({ comparison }) => comparison.isFormStated, is('prefix', 'near'), nameHard),
    formStatedPrefixMore: both(isFormStatedWhole, isPrefix, nameTold),
    // Words before the form belong to the name: "Norvane Oval Ltd" is not Norvane Ltd.
    formStatedExtends: both(isFormStatedWhole, isExtends, queryTold),
    formStatedInserted: both(isFormStatedWhole, isNear, isInserted, queryTold),
    formStatedLight: both(
      isFormStatedWhole,
      isInexact,
      ({ comparison: { queryLeftover: q, nameLeftover: n } }) => capped(q.light + n.light, 1),
    ),
  },
  spelling: {
    nearPlural: both(isNear, ({ comparison }) => comparison.isPluralOnly),
    looseWords: ({ comparison }) => capped(comparison.looseCount, 3),
    // A small registry lacks rivals that would show how common such a name is.
    looseShorter: ({ comparison }) => capped(comparison.shorterCount, 2),
    misspelledUnplaced: both(({ comparison }) => comparison.isMisspelled, isUnplaced),
    misspelled: ({ comparison }) => comparison.isMisspelled,
    misspelledBrand: ({ comparison }) => comparison.isBrandMisspelled,
  },
  numbers: {
    numbersDifferUnplaced: both(({ comparison }) => !comparison.numbersAgree, isUnplaced),
    numbersDiffer: ({ comparison }) => !comparison.numbersAgree,
    // The rarer the words in common, the likelier another one of the series.
    numbersDifferRarity: both(({ comparison }) => !comparison.numbersAgree, rarity),
    seriesWhole: ({ comparison }) => comparison.isOneOfSeries && !comparison.isTruncated,
    seriesFormStated: ({ comparison }) =>
      comparison.isFormStated && (comparison.isOneOfSeries || comparison.nameLeftover.number > 0),
    oneOfSeries: ({ comparison }) => comparison.isOneOfSeries,
    queryNumbers: ({ comparison }) => capped(comparison.queryLeftover.number, 2),
    nameNumbers: ({ comparison }) => capped(comparison.nameLeftover.number, 2),
  },
  brackets: {
    // "Norvane (Reno) Ltd" is another company of Norvane; "(UK)" is weaker evidence.
    middleTelling: both(
      ({ comparison }) => comparison.isFormStated && comparison.variant.isBracketTelling,
      (evidence) => isKind('middle')(evidence) || isExtends(evidence),
    ),
    formStatedMiddle: both(({ comparison }) => comparison.isFormStated, isKind('middle')),
  },
  'legal form': {
    formSame: ({ comparison }) => comparison.form === 'same',
    formSoftConflict: ({ comparison }) => comparison.form === 'soft_conflict',
    formHardConflict: ({ comparison }) => comparison.form === 'hard_conflict',
    formForeign: isForeignForm,
    // A query place in one of the form's countries leaves no doubt.
    formForeignPlaced: both(isForeignForm, ({ comparison, hint }) =>
      comparison.variant.formCountries.some((country) => hint?.countries.has(country) === true),
    ),
    formHardConflictInexact: both(({ comparison }) => comparison.form === 'hard_conflict', isInexact),
    unstatedPartnership: ({ comparison }) => comparison.form === 'unstated_partnership',
    formStatedInexact: ({ comparison }) => comparison.isFormStated && comparison.matchType !== 'exact',
    formStatedPrefix: both(({ comparison }) => comparison.isFormStated, isPrefix),
  },
  'rare words': {
    rarity,
    rarest: ({ comparison }) => tenths(comparison.rarestWeight, 12),
    rarityExact: both(rarity, isExact),
    rarityPrefix: both(rarity, isPrefix),
    rarityNear: both(rarity, isNear),
    rarestPrefix: both(
      ({ comparison }) => tenths(comparison.rarestWeight, 12),
      is('prefix', 'extends', 'near'),
    ),
    generic: ({ comparison }) => comparison.isGeneric,
    genericUnplaced: both(({ comparison }) => comparison.isGeneric, isUnplaced, isUnlisted),
    genericExact: both(({ comparison }) => comparison.isGeneric, isExact),
    oneWordExact: both(isOneWord, isExact),
    oneWordPrefix: both(isOneWord, isPrefix),
    // A single word is often a brand of several companies: further words or another place indicate another one.
    oneWordPrefixMore: both(isOneWord, isPrefix, nameTold),
    oneWordConflict: both(isOneWord, isConflict),
    oneWordConflictListed: both(isOneWord, isConflict, isListed),
    oneWordExtends: both(({ comparison }) => comparison.candidate.tokens.length === 1, isExtends),
  },
  'others of the name': {
    exactAlone: both(isExact, ({ siblings }) => siblings.exactCount === 1),
    // The place distinguishes namesakes: one that fits it counts against this one, as does a longer name in the place
    // of the query.
    exactElsewhereLongerThere: both(isExact, isConflict, ({ siblings }) => siblings.longerThereCount > 0),
    exactBetterPlaced: both(isExact, ({ siblings }) => siblings.betterPlacedCount > 0),
    // The column may have cut off the number of another one in the series.
    exactBesideSeries: both(isExact, ({ siblings }) => siblings.seriesCount > 0),
    completedAlone: both(is('completed'), ({ siblings }) => siblings.completedCount === 1),
    completedSiblings: both(
      is('completed'),
      ({ siblings }) => capped(Math.log2(Math.max(1, siblings.completedCount)), 6) / 2,
    ),
    family: familySize,
    familyCompleted: both(is('completed'), familySize),
    familyExtends: both(isExtends, familySize),
    familyPrefix: both(isPrefix, familySize),
    familyNear: both(isNear, familySize),
    familyListed: both(isListed, familySize),
    familyFund: both(({ comparison }) => !comparison.candidate.supported, familySize),
    // In a small registry the absence of rivals is weak evidence.
    fewHeldInexact: both(isInexact, ({ siblings }) => siblings.fewness),
    fewHeldFormless: both(isExact, ({ comparison, siblings }) =>
      comparison.isFormStated ? 0 : siblings.fewness,
    ),
    ownsRarest: ({ siblings }) => siblings.ownsRarestWord,
    ownsRarestExact: both(isExact, ({ siblings }) => siblings.ownsRarestWord),
    ownsRarestPrefix: both(isPrefix, ({ siblings }) => siblings.ownsRarestWord),
    ownsRarestConflict: both(isConflict, ({ siblings }) => siblings.ownsRarestWord),
    prefixSiblings: both(isPrefix, ({ siblings }) => capped(Math.log2(siblings.prefixCount), 8) / 3),
    prefixAlone: both(isPrefix, ({ siblings }) => siblings.prefixCount === 1),
    prefixAloneThere: both(isPrefix, ({ siblings }) => siblings.placedPrefixCount === 1),
    prefixOnlyListed: both(isPrefix, isListed, ({ siblings }) => siblings.listedPrefixCount === 1),
  },
  place: {
    postal: ({ place }) => place === 'postal',
    city: ({ place }) => place === 'city',
    region: ({ place }) => place === 'region',
    country: ({ place }) => place === 'country',
    noPlace: ({ place, hint }) => place === 'none' && hint !== null,
    registeredThere: ({ place }) => place === 'registered_there',
    registeredElsewhere: ({ place }) => place === 'registered_elsewhere',
    formOfCountry: ({ place }) => place === 'form_of_country',
    townAbroad: ({ place }) => place === 'town_abroad',
    otherRegion: ({ place }) => place === 'region_conflict',
    otherCountry: ({ place }) => place === 'country_conflict',
    otherRegionExact: both(({ place }) => place === 'region_conflict', isExact),
    otherCountryExact: both(({ place }) => place === 'country_conflict', isExact),
    conflictListedExact: both(isConflict, isListed, isExact),
    conflictInexact: both(isConflict, isInexact),
    conflictPrefixMore: both(isConflict, isPrefix, nameTold),
    conflictBare: both(isConflict, ({ comparison }) => !comparison.isFormStated),
    unlistedPrefixMore: both(isUnplaced, isUnlisted, isPrefix, nameTold),
    conflictRarity: both(isConflict, rarity),
    conflictListed: both(isConflict, isListed),
    otherCountryListed: both(({ place }) => place === 'country_conflict', isListed),
    acronymPlaced: both(isPlaced, is('acronym')),
    otherCountryUnlisted: both(({ place }) => place === 'country_conflict', isUnlisted),
    conflictFormDiffers: both(
      ({ place }) => place === 'country_conflict',
      ({ comparison }) => comparison.isFormStated && comparison.form !== 'same',
    ),
    placedPrefix: both(isPlaced, isPrefix),
    placedNear: both(isPlaced, isNear),
    placedInexactHard: both(isPlaced, is('near', 'prefix', 'extends'), nameHard),
    noTown: both(({ hint }) => wantsTown(hint), hasNoTown),
    // The site of a company is often in another place.
    siteElsewhere: both(
      isKind('site', 'hyphen', 'form'),
      ({ hint }) => wantsTown(hint),
      (evidence) => isConflict(evidence) || evidence.place === 'country' || evidence.place === 'region',
    ),
    otherTown: both(
      ({ hint }) => wantsTown(hint),
      ({ place }) => place === 'country' || place === 'region',
      (evidence) => !hasNoTown(evidence),
    ),
  },
  listed: {
    listed: isListed,
    listedExact: both(isListed, isExact),
    listedPrefix: both(isListed, isPrefix),
    listedNear: both(isListed, is('near', 'extends')),
    prominentRare: both(
      isListed,
      ({ comparison }) => tenths(comparison.rarestWeight, 12),
      is('near', 'extends'),
    ),
  },
  'known to registers': {
    lei: ({ comparison }) => comparison.candidate.prominence.hasLei,
    industry: ({ comparison }) => comparison.candidate.prominence.hasIndustry,
    industryPrefix: both(({ comparison }) => comparison.candidate.prominence.hasIndustry, isPrefix),
  },
  status: {
    inactive: ({ comparison }) => !comparison.candidate.active,
    removed: ({ comparison }) => comparison.candidate.removed,
  },
  'kind of body': {
    notCompanyInexact: both(({ comparison }) => !comparison.candidate.supported, isInexact),
    notCompany: ({ comparison }) => !comparison.candidate.supported,
  },
  context: {
    context: ({ contextCount }) => capped(contextCount, 3),
  },
} as const satisfies Record<string, Record<string, Feature>>

/** Subject of a part of the evidence: agreement of the name, the place, a register. */
export type FeaturePart = keyof typeof featuresOfParts
export type FeatureName = { [Part in FeaturePart]: keyof (typeof featuresOfParts)[Part] }[FeaturePart]

const named = Object.entries(featuresOfParts).flatMap(([part, features]) =>
  Object.entries(features).map(([name, feature]) => ({ part, name, feature })),
) as { part: FeaturePart; name: FeatureName; feature: Feature }[]

export const featureNames: readonly FeatureName[] = named.map(({ name }) => name)
/** Part of each feature, in the order of `featureNames`. */
export const partOfFeatures: readonly FeaturePart[] = named.map(({ part }) => part)

const featureList: readonly Feature[] = named.map(({ feature }) => feature)

/** In the order of `featureNames`. */
export function featuresOf(evidence: Evidence): number[] {
  return featureList.map((feature) => Number(feature(evidence)))
}
