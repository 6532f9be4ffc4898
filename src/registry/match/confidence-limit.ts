import { hasLocalOffices } from '../../core/numbers/court-numbers.js'
import { isFormAlone } from '../reference/registers.js'
import { cutNativeForms } from '../normalize/legal-forms.js'
import { foldWords, namesTrade } from '../normalize/normalize-name.js'
import { isOfUnknownWords } from '../normalize/native-scripts.js'
import { hasTones } from '../normalize/own-letters.js'
import { toCityKey, toPlaceKey } from '../normalize/places.js'
import { classifyNameWord } from './compare-words.js'
import { isCountryWord, isCutTown } from './place-readings.js'
import { isNearlyNamed, isOfOtherPerson, namesOthers } from './around-name.js'
import { isOneFormPrivate, type CandidateName } from './candidate.js'
import { classifyEvidence, hasLeft, isOwnCountryLeft, type Evidence } from './evidence.js'
import {
  countTellingNext,
  hasHalfOfWord,
  isLikeTrade,
  hasOwnerInBrackets,
  isFollowed,
  isNamedOtherwise,
  isNamedFurther,
  isNameLeft,
  isOfSeveral,
  isRearranged,
  isUsualWord,
} from './other-names.js'
import {
  isAmong,
  isBySound,
  isInserted,
  isLikeOther,
  isMarkedOtherwise,
  isOfFamily,
  isOmitted,
  isOnlyLike,
  isOtherTrade,
  isReplaced,
  isSwapped,
  isTradeOmitted,
  isTranslated,
  isUnplacedLike,
  tells,
} from './other-words.js'
import { hasOtherMeaning } from './word-classes.js'
import { hasTown } from './place-agreement.js'
import type { QueryText, TextWord } from './query-text.js'

/** The most confidence of an answer for which something holds, the least first. */
const limits: readonly (readonly [confidence: number, holds: (evidence: Evidence) => boolean])[] = [
  // Names with only the words of a trade in common are those of two companies.
  [19, (evidence) => isOfSameTrade(evidence)],
  // Names of one sound in other characters are those of other companies, or typing errors: a reviewer decides.
  [45, ({ comparison }) => comparison.characters === 'other'],
  // Each town has a public enterprise of the name: the waterworks of another town are no answer.
  [48, (one) => one.comparison.candidate.formClass === 'enterprise' && isNamedByOtherTown(one)],
  // Several names begin so: which is meant is open, with the form too.
  [48, (one) => one.comparison.lacksOnlyTrade && one.comparison.isFormStated && one.siblings.prefixCount > 1],
  // Without a place, one word with another letter is a name like many others, and so are words of a trade behind others.
  [
    49,
    (one) => isUnplacedLike(one) || (isNamedOtherwise(one) && !one.comparison.candidate.tokens.some(tells)),
  ],
  [
    49,
    ({ comparison }) => (comparison.text.how !== null && isReplaced(comparison)) || hasHalfOfWord(comparison),
  ],
  [49, hasOwnerInBrackets],
  // With a word in place of another, it is the name of another company.
  [58, (evidence) => isReplaced(evidence.comparison) || isNamedByOtherTown(evidence)],
  // The rest of the name describes a trade: in another town, it may be another company's.
  [70, (one) => one.comparison.candidate.isDescribed === true && !/^(?:postal|city)$/.test(one.place)],
  // Another word of a trade makes another name, and so does the only word that tells: Spaces and Spices, Demirkaya and Demirkan.
  [78, (one) => one.place !== 'postal' && one.contextCount === 0 && (isOtherTrade(one) || isOnlyLike(one))],
  [78, (one) => [isRearranged, isOfSeveral, isNameLeft, isNextToOther, isOtherOfGroup].some((is) => is(one))],
  [78, (one) => isNumbered(one) || isOfOtherPerson(one)],
  [78, (one) => [isShortened, isInserted, isOmitted, isUsualWord, isOfOtherCountry].some((is) => is(one))],
  // A name that continues is that of another company, as far as the registry tells.
  [78, (one) => (isContinued(one) && isName(one.comparison)) || isNamedOtherwise(one, true)],
  [78, (one) => one.siblings.namedSoCount > 0 && isLittleKnown(one.comparison.candidate)],
  [78, (one) => one.place !== 'postal' && isUnknown(one) && (isOfFamily(one) || isOfOtherGender(one))],
  [78, (one) => isUnknown(one) && isNamedFurther(one)],
  [
    78,
    (one) =>
      (isLikeOther(one) || isMarkedOtherwise(one)) &&
      (isInOtherTown(one) || hasTones(one.comparison.candidate.name)),
  ],
  [78, (one) => one.comparison.statedForm !== null && isWithoutEnd(one)],
  [78, (one) => isOfOtherForm(one) && isUnknown(one) && (isInOtherTown(one) || isPlc(one))],
  // Partnerships, cooperatives, associations, sole traders and estates are other persons than a company of the same name.
  [78, (one) => one.comparison.form === 'hard_conflict' || hasLeft(['estate', 'body'])(one) === true],
  // In a script of which few words are known, or without vowels, a short word with another letter is another name: পদ্মা is no Palma.
  [78, ({ comparison: one }) => one.isLooseShort && (isOfUnknownWords(one.text.native) || isAbjad(one.text))],
  // Vowels tell names of one sound apart, as far as the script has them: "медина" is hardly Modern.
  [78, (one) => hasFewVowels(one) && isBySound(one, one.comparison.text.how === null)],
  [85, (one) => isBySound(one, false) || one.comparison.characters === 'unknown'],
  // A name may continue with what its company does, or be another. A group has a company for each country.
  [85, (one) => isContinued(one) || isNamedOtherwise(one) || isOwnCountryLeft(one)],
  [85, (one) => [isOfOtherOffice, isOfOtherForm, isWithoutEnd, isSwapped].some((is) => is(one))],
  [90, (one) => [isSpelledOtherwise, isTranslated, isBySound, isTradeOmitted].some((is) => is(one))],
  // A bare name in another town is often that of another business: "Prakash Jewellers" of Nashik. So is Demirhan for Demirkan.
  [90, (one) => [isBareElsewhere, isBareBeginning, isFollowed].some((is) => is(one))],
  [90, (one) => isLikeOther(one) || isMarkedOtherwise(one) || isUnplacedLike(one, true)],
  [90, (one) => namesOthers(one.comparison.text.around) || isNearlyNamed(one)],
  // Without evidence for the place, the name may be that of another company. So may a word of a trade with another letter.
  [94, (one) => isElsewhere(one) || isLikeTrade(one)],
]

/** True for a little-known company in another town than the stated one, where a company has a name that begins so: that one may be meant. */
const isNextToOther = ({ place, hint, contextCount, siblings, comparison }: Evidence): boolean => {
  const { place: own, prominence } = comparison.candidate
  const isThere = place === 'region_conflict' || (place === 'country' && own.cityKey !== '')
  const isTown = isThere && hint?.namesTown === true && siblings.townPrefixCount > 0
  return isTown && contextCount === 0 && prominence.tickers === ''
}

const ofGroup = /^(?:holdings|group|gruppe|groupe|gruppo|grupo|konzern)$/
/** True if only the text or only the name has "Holdings" or "Group" in front of the same form: the two are companies of a group. */
const isOtherOfGroup = ({ contextCount, comparison }: Evidence): boolean => {
  const { form, statedForm, alignment, left, candidate, text } = comparison
  if (form !== 'same' || contextCount > 0 || !isLittleKnown(candidate)) return false
  const isNext = (at: number) => statedForm?.at === at && text.how === null
  const next = left.find(({ at, role }) => at === alignment.end && role === null)
  if (next?.position === 'behind' && ofGroup.test(next.word.text)) return isNext(alignment.end + 1)
  const isLastMissing = alignment.missing.includes(candidate.tokens.length - 1)
  return isLastMissing && ofGroup.test(candidate.tokens.at(-1) ?? '') && isNext(alignment.end)
}

/** A company of another country is hardly the one that is stated if it is little-known, or the text has more of a name. */
const isOfOtherCountry = (one: Evidence) =>
  one.place === 'country_conflict' && (isUnknown(one) || hasLeft(['telling'])(one) === true)
/** Parents are often public companies: "Larkmoor PLC" is hardly Larkmoor Ghana Ltd. */
const isPlc = ({ comparison: { statedForm } }: Evidence) => statedForm?.words[0] === 'plc'
const isAbjad = ({ native }: QueryText): boolean => /[\p{sc=Arab}\p{sc=Hebr}]/u.test(native)
const hasFewVowels = ({ comparison: { text } }: Evidence) => text.how === null || isAbjad(text)

/** Whether two words are a Slavic or Romance name or adjective of a man and of a woman: Novotná and Novotný, Paula and Paulo, Filhas and Filhos. */
function areOfTwoGenders(a: string, b: string): boolean {
  const [stem, other] = [a, b].map((word) => /^(.+?)(?:as?|os?|y|i|ii|iy|yj|ij|aya|aia|aja)$/.exec(word)?.[1])
  return stem !== undefined && stem === other && /as?$/.test(a) !== /as?$/.test(b)
}
const isOfOtherGender = ({ comparison: { alignment, text, candidate } }: Evidence): boolean =>
  alignment.pairs.some(
    ({ match: { kind }, textAt, nameAt }) =>
      /^(?:misspelled|plural)$/.test(kind) &&
      areOfTwoGenders(text.words[textAt]?.folded ?? '', candidate.tokens[nameAt] ?? ''),
  )

/** True if a name of one word is shortened in a text that no column cuts, and the town does not tell: "Nisc Inc" may be another one than Nisource. */
const isShortened = ({ comparison: { text, candidate, pairs }, place, contextCount }: Evidence) =>
  candidate.tokens.length === 1 &&
  pairs.cut + pairs.abbreviated > 0 &&
  text.cut === 'nowhere' &&
  contextCount === 0 &&
  !/^(?:postal|city)$/.test(place)

const isInOtherTown = ({ place, hint }: Evidence): boolean =>
  place === 'region_conflict' || (place === 'country' && hint?.namesTown === true)
const isLittleKnown = ({ prominence: { tickers, hasLei } }: CandidateName) => tickers === '' && !hasLei

const isUnknown = ({ contextCount, comparison: { candidate } }: Evidence) =>
  contextCount === 0 && isLittleKnown(candidate)
/** True if the text lacks the form of a little-known company. */
const isBare = (one: Evidence): boolean =>
  isUnknown(one) && one.comparison.statedForm === null && one.comparison.candidate.formClass !== null

const isBareElsewhere = (one: Evidence): boolean => {
  const { statedForm, candidate } = one.comparison
  const isTold = one.place === 'region_conflict' || (isBare(one) && candidate.place.cityKey !== '')
  return isInOtherTown(one) && statedForm === null && isUnknown(one) && isTold
}

/** True if the text lacks the last words of a little-known company, and not all are words of a trade or its town. */
function isWithoutEnd({ comparison, place, contextCount }: Evidence): boolean {
  const { alignment, candidate, isTruncated, text, lacksOnlyTrade } = comparison
  const { cityKey } = candidate.place
  const isOpen = (word: string) =>
    /^\d+$/.test(word) || isCountryWord(word) || cityKey.includes(toCityKey(word)) || !tells(word)
  const last = alignment.pairs.at(-1)?.nameAt ?? -1
  const missing = alignment.missing.flatMap((at) => (at > last ? (candidate.tokens[at] ?? []) : []))
  const isWhole = !isTruncated && !lacksOnlyTrade && text.cut === 'nowhere' && isLittleKnown(candidate)
  // The owner is a part of the name of a sole trader, which lists leave out.
  if (!isWhole || candidate.formClass === 'sole_trader') return false
  return place !== 'postal' && contextCount === 0 && !missing.every(isOpen)
}

/** True if the text is only the beginning of a name, as that of a person may be. */
const isBareBeginning = (one: Evidence): boolean =>
  one.comparison.matchType === 'prefix' && isBare(one) && one.place !== 'postal'

/** True if the name continues with a number that is no year, or may in a column that cuts it; or the text behind its form: "Larkmoor Ltd" is hardly Larkmoor 7 Ltd. */
const isNumbered = ({ comparison, siblings }: Evidence): boolean => {
  const { isOneOfSeries, isTruncated, alignment, candidate, left, statedForm: form } = comparison
  const isBehindForm = left.some(
    ({ role, at }) => role === 'series' && form !== null && at === form.at + form.count,
  )
  const isCutBefore = siblings.seriesCount > 0 || (siblings.completedCount > 0 && !comparison.isFormStated)
  if (isBehindForm || (isCutBefore && comparison.matchType === 'exact')) return true
  const isMissing = (at: number) => /^(?!(?:19|20)\d\d$)/.test(candidate.tokens[at] ?? '')
  return isOneOfSeries && !isTruncated && alignment.missing.some(isMissing)
}

/** Returns the most confidence that an answer with this evidence has, whatever the fit says. */
export const findConfidenceLimit = (evidence: Evidence): number =>
  limits.find(([, holds]) => holds(evidence))?.[0] ?? 99

/** True if two names are the text, and its form is that of the first: "Larkmoor Limited", today "Larkmoor (Private) Limited". */
export const isSurer = (one: Evidence, other: Evidence): boolean =>
  [one, other].every((evidence) => classifyEvidence(evidence) === 'exact') &&
  findConfidenceLimit(one) > findConfidenceLimit(other)

/** True for a little-known company in another region than the stated one, if its town has a namesake or each region of its country has a register. */
const isOfOtherOffice = ({ place, hint, contextCount, comparison: { candidate } }: Evidence): boolean =>
  place === 'region_conflict' &&
  contextCount === 0 &&
  isLittleKnown(candidate) &&
  (hint?.cities.has(candidate.place.cityKey) === true || hasLocalOffices(candidate.place.countryCode))

/** True if a registered name ends with the company's town, and another town is stated: "Larkmoor d.o.o. Tuzla" for Sarajevo. */
function isNamedByOtherTown({ place, hint, comparison: { candidate, text } }: Evidence): boolean {
  const { cityKey } = candidate.place
  const towns = [...(hint?.cities ?? [])].filter((town) => !/\d/.test(town))
  // A part of the town, or one that is in the name as well: "Novi Beograd".
  const isNear = (town: string) => town.includes(cityKey) || toCityKey(candidate.name).includes(town)
  if (cityKey.length < 2 || place === 'postal' || towns.length === 0 || towns.some(isNear)) return false
  if (hasTown(new Set(towns), candidate.place)) return false
  const ends = [foldWords(candidate.name), candidate.tokens].flatMap((words) =>
    [1, 2, 3].map((count) => (words.length > count ? words.slice(-count).join('') : '')),
  )
  const inName = ends.find((end) => hasTown(new Set([end]), candidate.place))
  return inName !== undefined && ![inName, cityKey].some((town) => text.fullKey.includes(town))
}

const ltdAndPlc = /^(?:ltd|limited):.* plc$|^plc:(?!.* public ).* (?:ltd|limited)$/
function isOfOtherForm({ comparison: { form, statedForm, text, candidate } }: Evidence): boolean {
  const ends = `${statedForm?.words.join(' ')}: ${foldWords(candidate.name).join(' ')}`
  const isOne = form === 'same' && (ltdAndPlc.test(ends) || isOneFormPrivate(statedForm, candidate))
  if (isOne || /conflict/.test(form)) return true
  // A text that is read in Latin letters has its form in its own ones.
  const own = text.how === null || statedForm !== null ? null : cutNativeForms(text.native).form
  const country = candidate.place.countryCode || candidate.place.jurisdictionCountry
  const isKnown = own?.countries.includes(country) === true && candidate.formClass !== null
  return isKnown && own.formClass !== 'company' && own.formClass !== candidate.formClass
}

/** True if most of the name is spelled otherwise, and the town does not tell: "Brook Holdings Ltd" for Brooks Holdings. Swapped letters are slips. */
function isSpelledOtherwise({ comparison, place, contextCount }: Evidence): boolean {
  const { looseWords, pairs, similarity, sharedTelling, alignment, candidate } = comparison
  const isMostly = looseWords.length > pairs.slips + pairs.usual && similarity < 0.8
  const isTellingPlural = ({ match, nameAt }: (typeof alignment.pairs)[number]) =>
    match.kind === 'plural' && classifyNameWord(candidate.tokens[nameAt] ?? '') === 'telling'
  const isPlural = sharedTelling === 1 && alignment.pairs.some(isTellingPlural)
  if (comparison.lacksOnlyTrade || comparison.characters === 'spelled') return true
  if (candidate.isDescribed === true) return true
  return (isMostly || isPlural) && place !== 'postal' && place !== 'city' && contextCount === 0
}

/** True if the company is known only in another country than the stated one, or the stated place does not say that it is in its country. */
function isElsewhere(evidence: Evidence): boolean {
  const { place, hint, contextCount, comparison } = evidence
  if (contextCount > 0) return false
  if (place === 'country_conflict' || place === 'town_abroad') return true
  const isKnownTown = place === 'region_conflict' || comparison.candidate.place.cityKey !== ''
  if (isInOtherTown(evidence) && isLittleKnown(comparison.candidate) && isKnownTown) return true
  if (place === 'registered_elsewhere') return comparison.candidate.prominence.tickers === ''
  // The region says that the town is in the company's country, and not that it is the company's.
  const isOther = place === 'country' && hint?.namesTown === true && comparison.candidate.place.cityKey !== ''
  if (isOther && hint.countries.size === 0 && hint.regions.size > 0) return true
  // The town of this name may be in the company's country.
  if (place === 'none' && (hint?.openCountries.size ?? 0) > 0) return true
  const own = comparison.candidate.place
  if (hint === null || hint.unreadEnd === '' || place === 'postal' || isCutTown(hint, own)) return false
  return !hasTown(new Set([hint.unreadEnd, ...hint.endTowns]), own)
}

/** True if the text continues with more of a name, without a sign between them: "Larkmoor & Brothers", "Larkmoor 2021 Ltd", "OOO Larkmoor Plus". */
function isContinued(evidence: Evidence): boolean {
  const { left, alignment, statedForm: form, text, candidate, isFullName } = evidence.comparison
  const [next, after] = text.words.slice(alignment.end, alignment.end + 2)
  // The end of a bracket inside the name separates nothing, nor does that of a year: "Larkmoor (UK) II Ltd", "Larkmoor (2010) Ltd".
  const find = (of: TextWord | undefined) =>
    /^\)?$/.test(of?.separator ?? ',') || (of?.separator === '(' && /^(?:19|20)\d\d$/.test(of.text))
      ? left.find(({ word, role }) => word === of && role !== 'repeated' && role !== 'ticker')
      : undefined
  const [one, other] = [find(next), find(after)]
  // Behind "c/o", "former" and "d/b/a", words are of another name.
  const host = left.find(({ word }) => /^(?:host|agent|former|mark)$/.test(word.wordClass))
  const isFormBefore = form !== null && form.at < alignment.start && form.count > 0
  const isOther = (word: string) => hasOtherMeaning(word, /^(?!security)./)
  const more = one !== undefined && (isFormBefore || !isOther(one.word.text)) ? one : undefined
  // In front of the form, a year and "payroll" are part of a name. A number is, too, if the company has no form.
  const isLast = after === undefined && candidate.formClass === null
  // Forms of other scripts are no words of the text.
  const isBeforeForm = other?.word.wordClass === 'form' || (after === undefined && form?.count === 0)
  const isNumber =
    /^\w{1,4}$/.test(more?.word.text ?? '') && (more?.role === 'series' || isAmong(more, 'number'))
  // Between two forms, a word is one of the name: "Larkmoor Pty Realty Limited", "Larkmoor GmbH & Co 2021 KG".
  const behind = left.find(({ at, word }) => at >= alignment.end && word.wordClass !== 'form')
  const isAmid = form?.at === alignment.end && text.words[(behind?.at ?? -2) + 1]?.wordClass === 'form'
  // "CC" at the end is the form of another company, if this one has a form and the text no other.
  const isOtherForm =
    after === undefined && form === null && candidate.formClass !== null && isFormAlone(one?.word.text ?? '')
  return (
    !(text.isSecurity || isFullName) &&
    (isOtherForm ||
      (isAmid && isAmong(behind, 'generic number body')) ||
      (next?.text === 'and' && one !== undefined && isAmong(other, 'telling generic light')) ||
      isAmong(more, isFormBefore ? 'telling generic department body' : 'generic body') ||
      (isFormBefore && isAmong(more, 'payment') && !isAmong(other, 'payment')) ||
      (other?.word.wordClass === 'form' && isAmong(one, 'department site payment exchange web')) ||
      (isNumber && (isBeforeForm || isLast)) ||
      (countTellingNext(evidence) > (text.how === null ? 1 : 0) && evidence.place !== 'postal') ||
      left.some(
        (word) =>
          word.at < (host?.at ?? Infinity) &&
          /^(?:fund|trust)$/.test(word.word.text) &&
          isAmong(word, 'generic'),
      ))
  )
}

/** True if the text is a name, and no line of a statement or a sentence: those have numbers, or more words around the name. */
function isName({ text: { words }, alignment: { start, end }, left }: Evidence['comparison']): boolean {
  const rest = words.slice(end)
  const isOther = /^(?:number|percent|date|code|currency|payment)$/
  if (start > 2 || left.some(({ word, at }) => at !== end && isOther.test(word.wordClass))) return false
  return rest.length < 4 || rest.some(({ wordClass }) => wordClass === 'form')
}

/**
 * True if text and name each have a word of their own, and in common only those of a trade, a form or a place: "Trade and
 * Services Larkmoor Ltd", "Trade and Services Velmora Ltd". In many countries, names begin with what the company does.
 */
function isOfSameTrade({ comparison: { left, alignment, text, candidate } }: Evidence): boolean {
  const isName = /^(?:telling|generic)$/
  const missing = alignment.missing.map((at) => candidate.tokens[at] ?? '')
  const theirs = missing.filter((word) => isName.test(classifyNameWord(word)))
  const apart = left.filter(({ word, role }) => role === null && isName.test(word.wordClass))
  const ours = apart.map(({ word }) => word.text)
  // A word that begins alike may be the same one, spelled so badly that it was not found.
  const isLike = (word: string) => ours.some((own) => own.slice(0, 2) === word.slice(0, 2))
  if (theirs.length === 0 || ours.length === 0 || theirs.some(isLike)) return false
  const town = toPlaceKey(candidate.place.cityKey)
  const tells = (word = '') => word !== town && !/^[a-z]{1,2}$/.test(word) && !namesTrade(word)
  const isCommon = ({ wordClass, text: word }: TextWord, nameAt: number) =>
    wordClass === 'telling' && tells(word) && tells(candidate.tokens[nameAt])
  const isShared = ({ textAt, textCount, nameAt }: (typeof alignment.pairs)[number]) =>
    text.words.slice(textAt, textAt + textCount).some((word) => isCommon(word, nameAt))
  const hasOwn = [...theirs, ...ours].some((word) => classifyNameWord(word) === 'telling')
  return hasOwn && !alignment.pairs.some(isShared)
}
