import { isInCountry, type PlaceAgreement } from './place-agreement.js'
import type { NameComparison } from './compare-names.js'
import {
  classifyEvidence,
  countLeft,
  countRole,
  weighLeft,
  hasLeft,
  isCountryLeft,
  isGuest,
  isLeftAfter,
  isTellingBeforeForm,
  statesWholeName,
  cap,
  toTenths,
  type Evidence,
  type EvidenceKind,
  type Feature,
} from './evidence.js'
import { countTellingNext, isCompanyLeft } from './other-names.js'

const hasTown = (hint: Evidence['hint']): boolean => hint?.namesTown ?? false

const isOtherTown = ({ hint, place, comparison }: Evidence) =>
  hasTown(hint) && (place === 'country' || place === 'region') && comparison.candidate.place.cityKey !== ''
const lacksTelling: Feature = ({ comparison: { nameLeftover } }) => nameLeftover.hard + nameLeftover.soft > 0
const isPlaced = ({ place }: Evidence) => place === 'postal' || place === 'city'
const isConflict = ({ place }: Evidence) => place === 'region_conflict' || place === 'country_conflict'
const isUnplaced = ({ place }: Evidence) => /^(?:none|registered_elsewhere|form_of_country)$/.test(place)
const fittingPlaces = new Set<PlaceAgreement>(['postal', 'city', 'region', 'country', 'registered_there'])
const isPlaceFitting = ({ place }: Evidence) => fittingPlaces.has(place)
const isListed = ({ comparison }: Evidence) => comparison.candidate.prominence.tickers !== ''
const is = (...types: NameComparison['matchType'][]) => {
  return ({ comparison }: Evidence) => types.includes(comparison.matchType)
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
const not =
  (feature: Feature): Feature =>
  (evidence) =>
    1 - Number(feature(evidence))
const isOneWord = ({ comparison }: Evidence) => comparison.sharedCount === 1
const isFuzzy = ({ comparison: { pairs } }: Evidence) =>
  pairs.misspelled + pairs.abbreviated + pairs.unknown_letter + pairs.misread > 0
const isMissing = ({ comparison: { nameLeftover: n } }: Evidence) => n.hard + n.soft > 0
const isJoinedBefore = ({ comparison }: Evidence) => !comparison.isApartBefore
const isTellingLeft = ({ comparison: { queryLeftover: q } }: Evidence) => q.hard > 0
/** All words of the name are in the text, as they are. */
const isFound = ({ comparison: { matchType } }: Evidence) => matchType === 'exact'
/** The text is the name, except for its form. */
const isWhole = ({ comparison: { matchType, isPart } }: Evidence) => matchType === 'exact' && !isPart
const isKind = (kind: EvidenceKind): Feature => {
  return (evidence) => classifyEvidence(evidence) === kind
}
/** "Tan Larkmoor a/l Norvan" is a person, and Tan Larkmoor Enterprise another one's business. */
const sonOrDaughter = /(?<=\p{L}\s)(?:a\/[lp]|[sd]\/o|binti|bte)(?=\s\p{L})/iu
const isPersonOnly = ({ comparison: { text, candidate } }: Evidence) =>
  sonOrDaughter.test(text.given) && !sonOrDaughter.test(candidate.name)
const measureRarity = ({ comparison }: Evidence) => toTenths(comparison.sharedWeight, 25)
const measureRarest = ({ comparison }: Evidence) => toTenths(comparison.rarestWeight, 14)
const toLog = (count: number): number => cap(Math.log2(Math.max(1, count)), 7) / 2

/**
 * Features of a company's score, grouped as they are shown to users. Yes is 1, no is 0; the others range from 0 to
 * about 3. The model chooses which name represents a company.
 */
const featuresOfParts = {
  name: {
    always: () => 1,
    kindExact: isKind('exact'),
    kindWithin: isKind('within'),
    kindPart: isKind('part'),
    kindBoth: isKind('both'),
    kindFuzzy: isKind('fuzzy'),
    equalShare: ({ comparison }) => comparison.similarity,
    equalShareSquared: ({ comparison }) => comparison.similarity ** 2,
    fullName: ({ comparison }) => comparison.isFullName,
    found: isFound,
    foundForm: multiply(isFound, ({ comparison }) => comparison.form === 'same' && comparison.isFormNext),
    foundFormOneWord: multiply(
      isFound,
      isOneWord,
      ({ comparison }) => comparison.form === 'same' && comparison.isFormNext,
    ),
    foundApart: multiply(isFound, ({ comparison }) => comparison.isApartBefore && comparison.isApartBehind),
    foundOtherwise: multiply(isFound, ({ comparison }) => !comparison.isAsWritten),
    foundAtStart: multiply(isFound, ({ comparison }) => comparison.alignment.start === 0),
    completed: is('completed'),
    prefix: is('prefix'),
    acronym: is('acronym'),
    acronymPlaced: multiply(is('acronym'), isPlaced),
    reordered: ({ comparison }) => comparison.alignment.isReordered,
  },
  'kind of name': {
    otherName: ({ comparison }) => comparison.candidate.kind === 'other',
    formerName: ({ comparison }) => comparison.candidate.kind === 'former',
  },
  'words left over': {
    missingWeight: ({ comparison }) => toTenths(comparison.nameLeftover.hardWeight, 25),
    missingGeneric: ({ comparison }) => cap(comparison.nameLeftover.soft, 3),
    missingLight: ({ comparison }) => cap(comparison.nameLeftover.light, 2),
    missingPlace: ({ comparison }) => cap(comparison.nameLeftover.place, 2),
    missingCountry: multiply(
      ({ comparison }) => comparison.nameLeftover.country > 0,
      (evidence) => !isInCountry(evidence.place),
    ),
    missingTail: ({ comparison }) => comparison.isTailMissing,
    missingPlaced: multiply(isMissing, isPlaced),
    missingConflict: multiply(isMissing, isConflict),
    missingFuzzy: multiply(isMissing, isFuzzy),
    missingListed: multiply(isMissing, isListed),
    // A further word is that of another company of the group.
    missingFormStated: multiply(isMissing, statesWholeName),
    bothMore: multiply(isMissing, isTellingLeft),
    tellingBefore: countLeft('before', 'telling'),
    tellingBeforeWeight: weighLeft('before'),
    tellingBeforeJoined: multiply(countLeft('before', 'telling'), isJoinedBefore),
    tellingInside: countLeft('inside', 'telling'),
    tellingNext: countTellingNext,
    tellingApart: multiply(
      isTellingLeft,
      ({ comparison }) => comparison.isApartBefore && comparison.isApartBehind,
    ),
    // A vehicle that holds shares of a company has the company's name inside its own.
    embedded: ({ comparison: { isHeadMissing, nameLeftover: n, queryLeftover: q } }) =>
      isHeadMissing && n.hard > 0 && q.hard + q.soft + q.light === 0,
    tellingAfterDash: isLeftAfter('-'),
    tellingAfterBracket: isLeftAfter('('),
    tellingAfterComma: isLeftAfter(','),
    tellingBehindForm: multiply(countLeft('behind', 'telling'), ({ comparison }) => comparison.isFormNext),
    tellingBeforeForm: isTellingBeforeForm,
    tellingPlaced: multiply(isTellingLeft, isPlaced),
    tellingListed: multiply(isTellingLeft, isListed),
    genericBefore: countLeft('before', 'generic'),
    genericInside: countLeft('inside', 'generic', 'light', 'place', 'number', 'letter'),
    genericBehind: countLeft('behind', 'generic'),
    genericBeforeForm: multiply(
      countLeft('behind', 'generic'),
      ({ comparison }) => comparison.isFormStated && !comparison.isFormNext,
    ),
    lightBefore: countLeft('before', 'light'),
    lightBehind: countLeft('behind', 'light'),
    placeBefore: countLeft('before', 'place'),
    placeBehind: countLeft('behind', 'place'),
    ownPlace: countRole('place'),
    repeated: countRole('repeated'),
    cutWord: countRole('cut'),
    letterLeft: countLeft('behind', 'letter'),
    letterBefore: countLeft('before', 'letter'),
    securityBehind: hasLeft(['security', 'percent'], 'behind'),
    securityBefore: hasLeft(['security', 'percent'], 'before'),
    departmentLeft: hasLeft(['department']),
    described: hasLeft(['description']),
    bodyLeft: hasLeft(['body']),
    guest: (evidence) => isGuest(evidence) || isPersonOnly(evidence),
    companyLeft: isCompanyLeft,
    countryLeft: isCountryLeft,
    tellingInsideForm: multiply(
      countLeft('inside', 'telling', 'generic', 'body'),
      ({ comparison }) => comparison.isFormStated,
    ),
    siteLeft: hasLeft(['site']),
    paymentLeft: hasLeft(['payment']),
    codeLeft: hasLeft(['code']),
    numberBefore: countLeft('before', 'number'),
    numberBehind: countLeft('behind', 'number'),
    tradeMarkBehind: hasLeft(['mark'], 'behind'),
    tradeMarkBefore: hasLeft(['mark'], 'before'),
    formerBefore: hasLeft(['former'], 'before'),
    webLeft: hasLeft(['web']),
    inHouse: multiply(({ comparison }) => comparison.isInHouse, not(isListed)),
  },
  spelling: {
    misspelledUsual: ({ comparison }) => cap(comparison.pairs.usual, 2),
    misspelledSlip: ({ comparison }) => cap(comparison.pairs.slips, 2),
    misspelledFirst: ({ comparison }) => comparison.isFirstChanged,
    misspelledKnown: ({ comparison }) => comparison.isLooseKnown,
    misspelledAll: ({ comparison }) => comparison.isMisspelled && comparison.pairs.misspelled > 0,
    abbreviatedKnown: ({ comparison }) => comparison.pairs.known > 0,
    cutLast: ({ comparison }) => comparison.pairs.cut > 0,
    // "Metro" is a word of its own, no "MetroPCS" that lost its end; "Starbuck" lost a letter.
    cutOneWord: multiply(isOneWord, ({ comparison: c }) => c.pairs.cut > 0 && c.leastShare < 0.75),
    joined: ({ comparison }) => cap(comparison.pairs.joined, 2),
    related: ({ comparison }) => cap(comparison.pairs.related, 1),
    plural: ({ comparison }) => cap(comparison.pairs.plural, 2),
    pluralOneWord: multiply(isOneWord, ({ comparison }) => comparison.pairs.plural > 0),
    otherwiseWritten: ({ comparison }) => cap(comparison.pairs.same, 2),
    unknownLetter: ({ comparison }) => cap(comparison.pairs.unknown_letter, 2),
    // A word is like one of the name, and both have others.
    fuzzyBoth: multiply(isFuzzy, isMissing, isTellingLeft),
    fuzzyPlaced: multiply(isFuzzy, isPlaced),
    fuzzyConflict: multiply(isFuzzy, isConflict),
    fuzzyOneWord: multiply(isFuzzy, isOneWord),
    fuzzyOneWordSlip: multiply(isFuzzy, isOneWord, ({ comparison }) => comparison.pairs.slips > 0),
    fuzzyOneWordPlaced: multiply(isFuzzy, isOneWord, isPlaced),
    fuzzyRarity: multiply(isFuzzy, measureRarity),
    fuzzyListed: multiply(isFuzzy, isListed),
    fuzzyTelling: multiply(isFuzzy, isTellingLeft, not(isPlaced)),
  },
  numbers: {
    numbersDiffer: ({ comparison }) => !comparison.numbersAgree,
    missingNumber: ({ comparison }) => cap(comparison.nameLeftover.number, 2),
    oneOfSeries: ({ comparison }) => comparison.isOneOfSeries,
    siblingNumber: countRole('series'),
    numbersDifferRarity: multiply(({ comparison }) => !comparison.numbersAgree, measureRarity),
  },
  'legal form': {
    formSameNext: ({ comparison }) => comparison.form === 'same' && comparison.isFormNext,
    formSoftConflict: ({ comparison }) => comparison.form === 'soft_conflict',
    formHardConflict: ({ comparison }) => comparison.form === 'hard_conflict',
    formConflictExact: multiply(
      isWhole,
      ({ comparison }) => comparison.form === 'soft_conflict' || comparison.form === 'hard_conflict',
    ),
    formForeign: ({ comparison }) => comparison.form === 'foreign',
    formSoftConflictWhole: multiply(isWhole, ({ comparison }) => comparison.form === 'soft_conflict'),
    formForeignExact: multiply(isWhole, ({ comparison }) => comparison.form === 'foreign'),
    unstatedPartnership: ({ comparison }) => comparison.form === 'unstated_partnership',
    formOfPlace: ({ comparison, hint }) =>
      comparison.form === 'same' &&
      (comparison.statedForm?.countries.length ?? 99) < 12 &&
      (hint === null ||
        (comparison.statedForm?.countries ?? []).some((country) => hint.countries.has(country))),
  },
  'rare words': {
    rarity: measureRarity,
    rarest: measureRarest,
    letters: ({ comparison }) => Math.log(1 + comparison.sharedLetters) / 3,
    sharedWords: ({ comparison }) => cap(comparison.sharedCount, 5) / 2,
    noTelling: ({ comparison }) => comparison.sharedTelling === 0,
    genericUnplaced: multiply(({ comparison }) => comparison.isGeneric, not(isPlaced), not(isListed)),
    // "First National Bank" is the beginning of many names.
    genericPart: multiply(
      is('prefix'),
      ({ comparison }) => comparison.isGeneric && comparison.nameLeftover.hard > 0,
      not(isPlaced),
    ),
    oneWord: isOneWord,
    // "PWC" is many companies' beginning, and "Bai" many words'.
    oneWordShort: multiply(
      isOneWord,
      (evidence) =>
        evidence.comparison.pairs.cut > 0 ||
        (evidence.comparison.matchType === 'prefix' && !isPlaceFitting(evidence)),
      ({ comparison }) => comparison.sharedLetters <= 4,
    ),
    oneWordPart: multiply(isOneWord, isTellingLeft),
    oneWordRarest: multiply(isOneWord, measureRarest),
  },
  'companies with the same name': {
    betterPlaced: ({ siblings }) => siblings.betterPlacedCount > 0,
    beginnings: multiply(is('prefix', 'completed'), ({ siblings }) => toLog(siblings.prefixCount)),
    beginningsMissing: multiply(isMissing, ({ siblings }) => toLog(siblings.prefixCount)),
    // "Larkmoor" in Tulsa: "Larkmoor Foods Ltd" is there, Larkmoor plc is abroad.
    otherInTown: multiply(isUnplaced, ({ siblings }) => siblings.townPrefixCount > 0),
    otherInTownOnly: multiply(
      (evidence) => evidence.place === 'region_conflict' || isOtherTown(evidence),
      ({ siblings }) => siblings.townPrefixCount > 0,
    ),
    otherNamedSo: multiply(is('prefix'), ({ siblings }) => siblings.namedSoCount > 0),
    onlyBeginningThere: multiply(is('prefix'), ({ siblings }) => siblings.placedPrefixCount === 1),
    onlyListedBeginning: multiply(is('prefix'), isListed, ({ siblings }) => siblings.listedPrefixCount === 1),
    onlyCompleted: multiply(is('completed'), ({ siblings }) => siblings.completedCount === 1),
    completions: multiply(is('completed'), ({ siblings }) => toLog(siblings.completedCount)),
    besideSeries: multiply(isWhole, ({ siblings }) => siblings.seriesCount > 0),
    family: ({ siblings }) => toLog(siblings.familyCount),
    ownsRarest: ({ siblings }) => siblings.ownsRarestWord,
    ownsRarestPart: multiply(not(isFound), ({ siblings }) => siblings.ownsRarestWord),
  },
  place: {
    postal: ({ place }) => place === 'postal',
    city: ({ place }) => place === 'city',
    region: ({ place }) => place === 'region',
    country: ({ place }) => place === 'country',
    noPlaceAsked: ({ hint }) => hint === null,
    noPlaceKnown: ({ place, hint }) => place === 'none' && hint !== null,
    registeredThere: ({ place }) => place === 'registered_there',
    registeredElsewhere: ({ place }) => place === 'registered_elsewhere',
    registeredElsewhereWhole: multiply(({ place }) => place === 'registered_elsewhere', isWhole),
    registeredElsewhereOneWord: multiply(({ place }) => place === 'registered_elsewhere', isOneWord),
    formOfCountry: ({ place }) => place === 'form_of_country',
    townAbroad: ({ place }) => place === 'town_abroad',
    otherCountry: ({ place }) => place === 'country_conflict',
    otherCountryWhole: multiply(({ place }) => place === 'country_conflict', isWhole),
    conflictListed: multiply(isConflict, isListed),
    conflictPart: multiply(isConflict, not(isWhole)),
    fittingPart: multiply(isPlaceFitting, not(isWhole)),
    placedWhole: multiply(isPlaced, isWhole),
    conflictRarity: multiply(isConflict, measureRarity),
    otherTown: isOtherTown,
    otherTownPart: multiply(isOtherTown, lacksTelling, not(isListed)),
    noTown: ({ hint, comparison }) =>
      hasTown(hint) &&
      comparison.candidate.place.cityKey === '' &&
      comparison.candidate.place.postalKey === '',
    noAddress: ({ comparison }) =>
      comparison.candidate.place.cityKey === '' && comparison.candidate.place.countryCode === '',
    tailDiffers: ({ comparison: { text, candidate } }) =>
      text.tail.length === 2 &&
      candidate.place.jurisdictionRegion !== '' &&
      ![candidate.place.regionCode, candidate.place.jurisdictionRegion].some(
        (code) => code.slice(3) === text.tail,
      ),
  },
  listed: {
    listed: isListed,
    ticker: countRole('ticker'),
    listedWhole: multiply(isListed, isWhole),
    listedRare: multiply(isListed, measureRarest, not(isWhole)),
  },
  'known to registers': {
    lei: ({ comparison }) => comparison.candidate.prominence.hasLei,
  },
  status: {
    inactive: ({ comparison }) => !comparison.candidate.active,
    removed: ({ comparison }) => comparison.candidate.removed,
  },
  'kind of body': {
    notCompany: ({ comparison }) => !comparison.candidate.supported,
    notCompanyPart: multiply(({ comparison }) => !comparison.candidate.supported, not(isWhole)),
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

/** Computes the features of a pair of query and name, in the order of `featureNames`. */
export function computeFeatures(evidence: Evidence): number[] {
  return named.map(({ feature }) => Number(feature(evidence)))
}
