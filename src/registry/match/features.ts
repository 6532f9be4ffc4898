import { cap, toTenths, hasTown, type Evidence } from './evidence.js'
import { isInCountry } from './candidate.js'
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
const multiply = (...features: Feature[]): Feature => {
  return (evidence) => {
    let product = 1
    for (const feature of features) {
      product *= Number(feature(evidence))
      if (product === 0) return 0
    }
    return product
  }
}
const isForeignForm = ({ comparison }: Evidence) => comparison.form === 'foreign'
const isOneWord = ({ comparison }: Evidence) => comparison.variant.tokens.length === 1
const hasNoTown = ({ comparison: { candidate } }: Evidence) =>
  candidate.place.cityKey === '' && candidate.place.postalKey === ''
const queryHard = ({ comparison }: Evidence) => cap(comparison.queryLeftover.hard, 3)
const nameHard = ({ comparison }: Evidence) => cap(comparison.nameLeftover.hard, 3)
const nameTold = ({ comparison: { nameLeftover: n } }: Evidence) => cap(n.hard + n.soft, 2)
/** True for the whole text with a legal form at its end, without a site, a remark or a trade name. */
const isFormStatedWhole = ({ comparison }: Evidence) =>
  comparison.isFormStated && comparison.variant.kind === 'whole'
const queryTold = ({ comparison: { queryLeftover: q } }: Evidence) => cap(q.hard + q.soft, 2)
/** True if the text has all words of a company's name in order, with further words in between. */
const isInserted = ({ comparison: { firstAgrees, looseCount, nameLeftover: n, candidate } }: Evidence) =>
  candidate.supported && firstAgrees && looseCount + n.hard + n.soft + n.light + n.number + n.place === 0
const measureFamily = ({ siblings }: Evidence) => cap(Math.log2(1 + siblings.familyCount), 6) / 2
const measureRarity = ({ comparison }: Evidence) => toTenths(comparison.sharedWeight, 25)

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
    aliasBesideFormInexact: multiply(isAliasBesideForm, isInexact),
    hyphenVariant: isKind('hyphen'),
    columnCutWholeExtends: multiply(
      is('extends'),
      isKind('whole'),
      ({ comparison }) => comparison.variant.cut !== 'nowhere',
    ),
    siteExact: multiply(isExact, isKind('site', 'registered', 'bracket')),
    columnCutExtends: multiply(
      is('extends', 'prefix'),
      ({ comparison }) => comparison.variant.cut !== 'nowhere',
    ),
    columnCutNear: multiply(isNear, ({ comparison }) => comparison.variant.cut !== 'nowhere'),
    variantNotExact: multiply(
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
    nameLeadsFormStated: multiply(({ comparison }) => comparison.isFormStated && comparison.leadingCount > 0),
    // The name has the whole text, spelled the same, after other words.
    nameEmbeds: multiply(
      isNear,
      ({ comparison: { leadingCount, looseCount, queryLeftover: q } }) =>
        leadingCount > 0 && looseCount + q.light + q.soft + q.hard + q.number + q.place === 0,
    ),
    queryLight: ({ comparison }) => cap(comparison.queryLeftover.light, 2),
    querySoft: ({ comparison }) => cap(comparison.queryLeftover.soft, 3),
    queryHard,
    queryPlaceWords: ({ comparison }) => cap(comparison.queryLeftover.place, 3),
    nameLight: ({ comparison }) => cap(comparison.nameLeftover.light, 2),
    nameSoft: ({ comparison }) => cap(comparison.nameLeftover.soft, 3),
    nameHard,
    inHouse: multiply(({ comparison }) => comparison.isInHouse, isUnlisted),
    namePlaceWords: ({ comparison }) => cap(comparison.nameLeftover.place, 3),
    // A group's company in a country that the query does not have.
    nameCountry: multiply(
      ({ comparison }) => comparison.nameLeftover.country > 0,
      ({ place }) => !isInCountry(place),
    ),
    onlyQueryMore: ({ comparison: { queryLeftover: q, nameLeftover: n } }) =>
      q.hard + q.soft > 0 && n.hard + n.soft === 0,
    bothMore: ({ comparison: { queryLeftover: q, nameLeftover: n } }) =>
      q.hard + q.soft > 0 && n.hard + n.soft > 0,
    queryHardRarity: ({ comparison }) => toTenths(comparison.queryLeftover.hardWeight, 25),
    nameHardRarity: ({ comparison }) => toTenths(comparison.nameLeftover.hardWeight, 25),
    queryHardPrefix: multiply(isExtends, queryHard),
    querySoftExtends: multiply(isExtends, ({ comparison }) => cap(comparison.queryLeftover.soft, 2)),
    formStatedQueryMore: multiply(
      ({ comparison }) => comparison.isFormStated,
      is('extends', 'near'),
      queryHard,
    ),
    formStatedNameMore: multiply(({ comparison }) => comparison.isFormStated, is('prefix', 'near'), nameHard),
    formStatedPrefixMore: multiply(isFormStatedWhole, isPrefix, nameTold),
    // Words before the form belong to the name: "Norvane Oval Ltd" is not Norvane Ltd.
    formStatedExtends: multiply(isFormStatedWhole, isExtends, queryTold),
    formStatedInserted: multiply(isFormStatedWhole, isNear, isInserted, queryTold),
    formStatedLight: multiply(
      isFormStatedWhole,
      isInexact,
      ({ comparison: { queryLeftover: q, nameLeftover: n } }) => cap(q.light + n.light, 1),
    ),
  },
  spelling: {
    nearPlural: multiply(isNear, ({ comparison }) => comparison.isPluralOnly),
    looseWords: ({ comparison }) => cap(comparison.looseCount, 3),
    // A small registry lacks rivals that would show how common such a name is.
    looseShorter: ({ comparison }) => cap(comparison.shorterCount, 2),
    misspelledUnplaced: multiply(({ comparison }) => comparison.isMisspelled, isUnplaced),
    misspelled: ({ comparison }) => comparison.isMisspelled,
    misspelledBrand: ({ comparison }) => comparison.isBrandMisspelled,
  },
  numbers: {
    numbersDifferUnplaced: multiply(({ comparison }) => !comparison.numbersAgree, isUnplaced),
    numbersDiffer: ({ comparison }) => !comparison.numbersAgree,
    // The rarer the words in common, the likelier another one of the series.
    numbersDifferRarity: multiply(({ comparison }) => !comparison.numbersAgree, measureRarity),
    seriesWhole: ({ comparison }) => comparison.isOneOfSeries && !comparison.isTruncated,
    seriesFormStated: ({ comparison }) =>
      comparison.isFormStated && (comparison.isOneOfSeries || comparison.nameLeftover.number > 0),
    oneOfSeries: ({ comparison }) => comparison.isOneOfSeries,
    queryNumbers: ({ comparison }) => cap(comparison.queryLeftover.number, 2),
    nameNumbers: ({ comparison }) => cap(comparison.nameLeftover.number, 2),
  },
  brackets: {
    // "Norvane (Reno) Ltd" is another company of Norvane; "(UK)" is weaker evidence.
    middleTelling: multiply(
      ({ comparison }) => comparison.isFormStated && comparison.variant.isBracketTelling,
      (evidence) => isKind('middle')(evidence) || isExtends(evidence),
    ),
    formStatedMiddle: multiply(({ comparison }) => comparison.isFormStated, isKind('middle')),
  },
  'legal form': {
    formSame: ({ comparison }) => comparison.form === 'same',
    formSoftConflict: ({ comparison }) => comparison.form === 'soft_conflict',
    formHardConflict: ({ comparison }) => comparison.form === 'hard_conflict',
    formForeign: isForeignForm,
    // A query place in one of the form's countries leaves no doubt.
    formForeignPlaced: multiply(isForeignForm, ({ comparison, hint }) =>
      comparison.variant.formCountries.some((country) => hint?.countries.has(country) === true),
    ),
    formHardConflictInexact: multiply(({ comparison }) => comparison.form === 'hard_conflict', isInexact),
    unstatedPartnership: ({ comparison }) => comparison.form === 'unstated_partnership',
    formStatedInexact: ({ comparison }) => comparison.isFormStated && comparison.matchType !== 'exact',
    formStatedPrefix: multiply(({ comparison }) => comparison.isFormStated, isPrefix),
  },
  'rare words': {
    rarity: measureRarity,
    rarest: ({ comparison }) => toTenths(comparison.rarestWeight, 12),
    rarityExact: multiply(measureRarity, isExact),
    rarityPrefix: multiply(measureRarity, isPrefix),
    rarityNear: multiply(measureRarity, isNear),
    rarestPrefix: multiply(
      ({ comparison }) => toTenths(comparison.rarestWeight, 12),
      is('prefix', 'extends', 'near'),
    ),
    generic: ({ comparison }) => comparison.isGeneric,
    genericUnplaced: multiply(({ comparison }) => comparison.isGeneric, isUnplaced, isUnlisted),
    genericExact: multiply(({ comparison }) => comparison.isGeneric, isExact),
    oneWordExact: multiply(isOneWord, isExact),
    oneWordPrefix: multiply(isOneWord, isPrefix),
    // A single word is often a brand of several companies: further words or another place indicate another one.
    oneWordPrefixMore: multiply(isOneWord, isPrefix, nameTold),
    oneWordConflict: multiply(isOneWord, isConflict),
    oneWordConflictListed: multiply(isOneWord, isConflict, isListed),
    oneWordExtends: multiply(({ comparison }) => comparison.candidate.tokens.length === 1, isExtends),
  },
  'companies with the same name': {
    exactAlone: multiply(isExact, ({ siblings }) => siblings.exactCount === 1),
    // The place distinguishes namesakes: one that fits it counts against this one, as does a longer name in the place
    // of the query.
    exactElsewhereLongerThere: multiply(isExact, isConflict, ({ siblings }) => siblings.longerThereCount > 0),
    exactBetterPlaced: multiply(isExact, ({ siblings }) => siblings.betterPlacedCount > 0),
    // The column may have cut off the number of another one in the series.
    exactBesideSeries: multiply(isExact, ({ siblings }) => siblings.seriesCount > 0),
    completedAlone: multiply(is('completed'), ({ siblings }) => siblings.completedCount === 1),
    completedSiblings: multiply(
      is('completed'),
      ({ siblings }) => cap(Math.log2(Math.max(1, siblings.completedCount)), 6) / 2,
    ),
    family: measureFamily,
    familyCompleted: multiply(is('completed'), measureFamily),
    familyExtends: multiply(isExtends, measureFamily),
    familyPrefix: multiply(isPrefix, measureFamily),
    familyNear: multiply(isNear, measureFamily),
    familyListed: multiply(isListed, measureFamily),
    familyFund: multiply(({ comparison }) => !comparison.candidate.supported, measureFamily),
    // In a small registry the absence of rivals is weak evidence.
    fewHeldInexact: multiply(isInexact, ({ siblings }) => siblings.fewness),
    fewHeldFormless: multiply(isExact, ({ comparison, siblings }) =>
      comparison.isFormStated ? 0 : siblings.fewness,
    ),
    ownsRarest: ({ siblings }) => siblings.ownsRarestWord,
    ownsRarestExact: multiply(isExact, ({ siblings }) => siblings.ownsRarestWord),
    ownsRarestPrefix: multiply(isPrefix, ({ siblings }) => siblings.ownsRarestWord),
    ownsRarestConflict: multiply(isConflict, ({ siblings }) => siblings.ownsRarestWord),
    prefixSiblings: multiply(isPrefix, ({ siblings }) => cap(Math.log2(siblings.prefixCount), 8) / 3),
    prefixAlone: multiply(isPrefix, ({ siblings }) => siblings.prefixCount === 1),
    prefixAloneThere: multiply(isPrefix, ({ siblings }) => siblings.placedPrefixCount === 1),
    prefixOnlyListed: multiply(isPrefix, isListed, ({ siblings }) => siblings.listedPrefixCount === 1),
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
    otherRegionExact: multiply(({ place }) => place === 'region_conflict', isExact),
    otherCountryExact: multiply(({ place }) => place === 'country_conflict', isExact),
    conflictListedExact: multiply(isConflict, isListed, isExact),
    conflictInexact: multiply(isConflict, isInexact),
    conflictPrefixMore: multiply(isConflict, isPrefix, nameTold),
    conflictBare: multiply(isConflict, ({ comparison }) => !comparison.isFormStated),
    unlistedPrefixMore: multiply(isUnplaced, isUnlisted, isPrefix, nameTold),
    conflictRarity: multiply(isConflict, measureRarity),
    conflictListed: multiply(isConflict, isListed),
    otherCountryListed: multiply(({ place }) => place === 'country_conflict', isListed),
    acronymPlaced: multiply(isPlaced, is('acronym')),
    otherCountryUnlisted: multiply(({ place }) => place === 'country_conflict', isUnlisted),
    conflictFormDiffers: multiply(
      ({ place }) => place === 'country_conflict',
      ({ comparison }) => comparison.isFormStated && comparison.form !== 'same',
    ),
    placedPrefix: multiply(isPlaced, isPrefix),
    placedNear: multiply(isPlaced, isNear),
    placedInexactHard: multiply(isPlaced, is('near', 'prefix', 'extends'), nameHard),
    noTown: multiply(({ hint }) => hasTown(hint), hasNoTown),
    // The site of a company is often in another place.
    siteElsewhere: multiply(
      isKind('site', 'hyphen', 'form'),
      ({ hint }) => hasTown(hint),
      (evidence) => isConflict(evidence) || evidence.place === 'country' || evidence.place === 'region',
    ),
    otherTown: multiply(
      ({ hint }) => hasTown(hint),
      ({ place }) => place === 'country' || place === 'region',
      (evidence) => !hasNoTown(evidence),
    ),
  },
  listed: {
    listed: isListed,
    listedExact: multiply(isListed, isExact),
    listedPrefix: multiply(isListed, isPrefix),
    listedNear: multiply(isListed, is('near', 'extends')),
    prominentRare: multiply(
      isListed,
      ({ comparison }) => toTenths(comparison.rarestWeight, 12),
      is('near', 'extends'),
    ),
  },
  'known to registers': {
    lei: ({ comparison }) => comparison.candidate.prominence.hasLei,
    industry: ({ comparison }) => comparison.candidate.prominence.hasIndustry,
    industryPrefix: multiply(({ comparison }) => comparison.candidate.prominence.hasIndustry, isPrefix),
  },
  status: {
    inactive: ({ comparison }) => !comparison.candidate.active,
    removed: ({ comparison }) => comparison.candidate.removed,
  },
  'kind of body': {
    notCompanyInexact: multiply(({ comparison }) => !comparison.candidate.supported, isInexact),
    notCompany: ({ comparison }) => !comparison.candidate.supported,
  },
  context: {
    context: ({ contextCount }) => cap(contextCount, 3),
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

/** Computes the features of a pair of query and name, in the order of `featureNames`. */
export function computeFeatures(evidence: Evidence): number[] {
  return featureList.map((feature) => Number(feature(evidence)))
}
