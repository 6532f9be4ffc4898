import { formatCount, plural, quoteName } from '../../core/text.js'
import { findCountryName } from '../../core/countries.js'
import { assertNever } from '../../core/errors.js'
import { findKeptCountries } from './registration-facts.js'
import { splitJurisdiction } from './entity-record.js'
import type { FeaturePart } from '../match/features.js'
import { describeFormerName, describeName, describeUnsupported } from './factors.js'
import { isOfBuilding } from '../match/candidate.js'
import type { NameComparison } from '../match/compare-names.js'
import { isLikeName, type Evidence } from '../match/evidence.js'
import { hasTown, type PlaceAgreement } from '../match/place-agreement.js'
import type { LocationHint, Place } from '../match/place-readings.js'
import {
  estimateCandidateConfidence,
  sumShares,
  type MatchDecision,
  type RankedCompany,
  type Ranking,
} from '../match/rank.js'
import type { Vocabulary } from '../match/vocabulary.js'
import { parseName } from '../normalize/parsed-name.js'
import { formatJurisdiction } from '../normalize/places.js'
import type { StoredLegalEntity } from '../store/reader.js'
import { findNativeWords } from '../normalize/native-scripts.js'
import { hasOtherThanAscii, toCanonicalWords, foldText, splitWords } from '../normalize/normalize-name.js'

/** Number of words in a sentence. */
const wordsNamedMax = 4

/** Lists words that only one of the two has: `its name has "Holdings", not asked for`. */
function describeLeftover({ matchType, alignment, left, candidate }: NameComparison): string {
  // The missing end of a truncated name does not count.
  const missing = matchType === 'completed' ? [] : alignment.missing.map((at) => candidate.tokens[at] ?? '')
  const own = quoteWords(candidate.name, missing)
  const more = left
    .filter(({ word, role }) => role !== 'repeated' && word.wordClass !== 'stop' && word.wordClass !== 'form')
    .map(({ word }) => `"${word.written}"`)
  const texts = [
    ...(own.length > 0 ? [`its name has ${joinWords(own)}, not asked for`] : []),
    ...(more.length > 0 ? [`${joinWords(more)} was asked for, which its name lacks`] : []),
  ]
  return texts.length > 0 ? texts.join('; ') : 'the text and the name have the same words'
}

/** Lists words with another spelling: `spelled otherwise: "Widgets", asked for "Widgits"`. */
function describeSpelling({ alignment, candidate, looseWords, text }: NameComparison): string {
  const own = quoteWords(candidate.name, looseWords)
  const meant = alignment.pairs
    .filter(({ nameAt }) => looseWords.includes(candidate.tokens[nameAt] ?? ''))
    .map(({ textAt }) => `"${text.words[textAt]?.written ?? ''}"`)
  if (own.length === 0)
    return alignment.pairs.some(({ match }) => match.kind === 'plural')
      ? 'a word is in the plural in one of the two'
      : 'words are written otherwise, by rule'
  return `spelled otherwise: ${joinWords(own)}${meant.length === 0 ? '' : `, asked for ${joinWords(meant)}`}`
}

/** Returns words in the spelling of the text: `Holdings` for `holdings`, `Intl` for `international`. */
function quoteWords(text: string, words: readonly string[]): string[] {
  const written = new Map<string, string>()
  for (const piece of text.split(/\s+/)) {
    const plain = piece.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    for (const word of toCanonicalWords(splitWords(foldText(piece))))
      written.set(word, written.get(word) ?? plain)
  }
  return words.map((word) => `"${written.get(word) ?? findNativeWords([{ folded: word }], text) ?? word}"`)
}

/** Quotes the word of a name in another script as written: readers do not know its spelling in Latin letters. */
const quoteRarest = ({ candidate: { name }, rarestWord: word }: NameComparison): string =>
  hasOtherThanAscii.test(name) ? quoteWords(name, [word ?? '']).join('') : `"${word ?? ''}"`

function joinWords(words: readonly string[]): string {
  const named = [...new Set(words)].slice(0, wordsNamedMax)
  return named.length < words.length ? `${named.join(', ')} and more` : named.join(', ')
}

/** A company compared with a query. */
export interface ComparedPair {
  /** The name in the query. */
  readonly name: string
  readonly evidence: Evidence
  /** The registration of the compared name and place. */
  readonly registration: StoredLegalEntity
  readonly vocabulary: Vocabulary
}

/** Describes a part of the score for this pair. */
export function describePart(part: FeaturePart, pair: ComparedPair): string {
  const { evidence, registration } = pair
  const { comparison } = evidence
  switch (part) {
    case 'name':
      return `the ${describeName(comparison)}`
    case 'kind of name':
      return comparison.candidate.kind === 'former'
        ? `a ${describeFormerName(registration, comparison.candidate.name)}`
        : `another name of ${registration.legalName}`
    case 'words left over':
      return describeLeftover(comparison)
    case 'spelling':
      return describeSpelling(comparison)
    case 'numbers':
      return describeNumbers(comparison)
    case 'legal form':
      return describeForm(comparison)
    case 'rare words':
      return describeRarity(comparison, pair.vocabulary)
    case 'companies with the same name':
      return describeOthers(evidence)
    case 'place':
      return describePlace({ ...evidence, known: comparison.candidate.place }, registration)
    case 'listed':
      return 'its shares are traded'
    case 'known to registers':
      return describeKnownFacts(comparison)
    case 'status':
      return registration.removedFromSource
        ? describeAbsence(registration)
        : `not active${registration.status === null || registration.status === 'inactive' ? '' : ` (${registration.status})`}`
    case 'kind of body':
      return describeUnsupported(registration)
    case 'context':
      return evidence.contextCount === 1
        ? 'a word of the context is known of it'
        : `${evidence.contextCount} words of the context are known of it`
    default:
      return assertNever(part)
  }
}

function describeAbsence(registration: StoredLegalEntity): string {
  const kept = findKeptCountries(registration)
  return kept === null
    ? `the newest file of ${registration.sourceName} no longer names it`
    : `of ${registration.sourceName}, only companies of ${kept} are kept now`
}

function describeNumbers({
  isOneOfSeries,
  numbersAgree,
  queryLeftover,
  nameLeftover,
}: NameComparison): string {
  if (!numbersAgree) return 'the two names have different numbers'
  if (isOneOfSeries) return 'its name continues with a number: one of a series'
  if (nameLeftover.number > 0) return 'its name has a number, not asked for'
  return queryLeftover.number > 0 ? 'a number was asked for, which its name lacks' : 'both names have numbers'
}

function describeForm({ form, statedForm, candidate }: NameComparison): string {
  const [asked, own] = [statedForm?.words.join(' ') ?? '', parseName(candidate.name).formWords.join(' ')]
  switch (form) {
    case 'same':
      return asked === own ? `the same legal form: "${own}"` : `legal forms of one kind: "${asked}", "${own}"`
    case 'soft_conflict':
    case 'hard_conflict':
      return `another legal form: "${own}", asked for "${asked}"`
    case 'foreign':
      return own === '' || asked === ''
        ? 'a legal form of another country was asked for'
        : `a legal form of another country: "${own}", asked for "${asked}"`
    case 'unstated_partnership':
      return `a ${isOfBuilding(candidate) ? 'company of a building' : 'partnership'} ("${own}"), which was not asked for`
    case 'unknown':
      return own === '' ? 'its name states no legal form' : `a legal form, "${own}", that says little`
    default:
      return assertNever(form)
  }
}

function describeRarity(comparison: NameComparison, vocabulary: Vocabulary): string {
  const { isGeneric, rarestWord } = comparison
  if (rarestWord === null) return 'no whole word is in common'
  const rarest = `${quoteRarest(comparison)}, is in ${plural(vocabulary.countNames(rarestWord), 'name')} of the registry`
  return `${isGeneric ? 'only everyday words are in common; the rarest' : 'the rarest word in common'}, ${rarest}`
}

/** Describes how many other companies have such a name. */
function describeOthers({ comparison, siblings }: Evidence): string {
  const { matchType, candidate } = comparison
  const owned = siblings.ownsRarestWord ? [`no other company's name has ${quoteRarest(comparison)}`] : []
  const { exactCount, betterPlacedCount, prefixCount, placedPrefixCount, completedCount, familyCount } =
    siblings
  const texts: string[] = []
  if (matchType === 'exact') {
    texts.push(
      exactCount <= 1 ? 'no other company found has this name' : `${formatOthers(exactCount)} this name too`,
    )
    if (betterPlacedCount === 1) texts.push('one that fits the place better')
    if (betterPlacedCount > 1) texts.push(`${betterPlacedCount} that fit the place better`)
  } else if (matchType === 'prefix') {
    texts.push(
      prefixCount <= 1
        ? 'no other company found has a name that starts with these words'
        : `names of ${formatCount(prefixCount)} companies start with these words`,
    )
    if (prefixCount > 1 && placedPrefixCount === 1) texts.push('no other fits the place as well')
    else if (prefixCount > 1 && siblings.listedPrefixCount === 1 && candidate.prominence.tickers !== '')
      texts.push('no other is listed')
  } else if (matchType === 'completed') {
    texts.push(
      completedCount <= 1
        ? 'no other name found may have been cut to this text'
        : `${completedCount} names may have been cut to this text`,
    )
  }
  texts.push(...owned)
  if (texts.length === 0)
    texts.push(
      familyCount > 1
        ? `${familyCount} companies found have names that begin with the same two words`
        : 'others have its words in their names too',
    )
  return texts.join('; ')
}

const formatOthers = (exactCount: number) =>
  exactCount === 2 ? 'another company has' : `${formatCount(exactCount - 1)} others have`

function describeKnownFacts({ candidate: { prominence } }: NameComparison): string {
  const known = [
    ...(prominence.hasLei ? ['its LEI'] : []),
    ...(prominence.hasIndustry ? ['its industry'] : []),
  ]
  return `registers state ${known.join(' and ')}`
}

interface ComparedPlace {
  readonly place: PlaceAgreement
  readonly hint: LocationHint | null
  /** Place of the registration. */
  readonly known: Place
}

/** Compares the place of the query with that of a registration. */
export function describePlace(
  { place, hint, known }: ComparedPlace,
  registration: StoredLegalEntity,
): string {
  const { city, region, postalCode, countryCode } = registration.address
  const { jurisdiction } = registration
  const { countryCode: registered } = splitJurisdiction(jurisdiction)
  const country = getCountryName(countryCode ?? registered)
  const town = city ?? postalCode
  const inTown = town === null ? 'no town of it is known' : `it is in ${town}`
  switch (place) {
    case 'postal':
      return `the same postal code${afterColon(postalCode)}`
    case 'city':
      return hint !== null && hasTown(hint.cities, known, hint.isLatin)
        ? `the same town${afterColon(city)}`
        : `the same neighbourhood${afterColon(postalCode ?? city)}`
    case 'region':
      return `the same region${hint?.namesTown === true ? `; ${inTown}` : afterColon(region ?? (jurisdiction === null ? country : formatJurisdiction(jurisdiction)))}`
    case 'country':
      return `the same country${hint?.namesTown === true ? `; ${inTown}` : afterColon(country)}`
    case 'registered_there':
      return `registered in the country asked for${inBrackets(registered)}; no address is known`
    case 'registered_elsewhere':
      return `registered in another country${inBrackets(registered)}; no address is known`
    case 'form_of_country':
      return `registered in another country${inBrackets(registered)}, with a legal form of the one asked for`
    case 'region_conflict':
      return `another region: ${[...new Set([city, region ?? postalCode])].filter((part) => part !== null).join(', ')}`
    case 'town_abroad':
      return `the same town, ${town ?? ''}, and another country${afterColon(country)}`
    case 'country_conflict':
      return `another country${afterColon(country)}`
    case 'none':
      return hint === null ? 'no place was asked for' : `nothing known of its place agrees; ${inTown}`
    default:
      return assertNever(place)
  }
}

const getCountryName = (countryCode: string | null): string | null =>
  countryCode === null ? null : (findCountryName(countryCode) ?? countryCode)

/** Nothing stands for a place that is not known. */
const afterColon = (place: string | null): string => (place === null ? '' : `: ${place}`)
const inBrackets = (countryCode: string | null): string =>
  countryCode === null ? '' : ` (${getCountryName(countryCode) ?? countryCode})`

/** The registry has fewer names than the one that the model was fitted on. */
export const smallRegistryText = 'a registry of few companies does not show how many others have such a name'

/** Evidence that is the same for all companies of a query. */
export const startText = 'where the model starts for a text like this one, before it compares companies'

export function describeOtherRegisters({ alike: [twin] }: Pick<RankedCompany, 'alike'>): string {
  return twin === undefined
    ? 'no other register has the company'
    : `${quoteName(twin.name)} in another register is most likely the same company`
}

/** Describes the likeliest other company. */
export function describeOtherCandidates(company: RankedCompany, { ranked }: Pick<Ranking, 'ranked'>): string {
  const [first, ...more] = ranked.filter((other) => other !== company)
  if (first === undefined) return 'no other company is like it'
  const name = quoteName(first.evidence.comparison.candidate.name)
  return first.share > company.share
    ? `${name} is likelier`
    : `${name}${more.length > 0 ? ' and others' : ''} may be meant as well`
}

const likelyLimits = {
  /** Less for all companies together is a confidence of 0. */
  totalMin: 0.005,
  shareMin: 0.001,
  /** Least share, as a part of that of the likeliest company. */
  partMin: 0.02,
} as const

/**
 * Returns the companies that a query may mean, best first: those of the decision, and others unless their confidence is 0
 * and no more than a part of the text is theirs. Without an answer, a form in common, or a usual word, makes none.
 */
export function listLikelyCompanies(
  match: Pick<Ranking, 'ranked'> & { readonly decision: MatchDecision },
): readonly RankedCompany[] {
  const { decision, ranked } = match
  const mostShare = ranked[0]?.share ?? 0
  const { shareMin, partMin, totalMin } = likelyLimits
  const leastShare = Math.max(Math.min(shareMin, mostShare / 2), mostShare * partMin)
  const isAnyLikely = sumShares(match) >= totalMin
  const best = decision.kind === 'none' ? null : decision.best
  const isLikely = (company: RankedCompany) =>
    company.share >= leastShare &&
    (best !== null || isLikeName(company.evidence)) &&
    (isLikeWholeName(company) || (isAnyLikely && estimateCandidateConfidence(company, match) > 0))
  return ranked.filter((company) => company === best || isLikely(company))
}

const isLikeWholeName = ({ evidence: { comparison } }: RankedCompany): boolean =>
  !comparison.isPart && ['exact', 'completed', 'prefix'].includes(comparison.matchType)
