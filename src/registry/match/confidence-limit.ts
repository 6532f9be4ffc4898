import { hasLocalOffices } from '../../core/numbers/court-numbers.js'
import { calculateDistance } from '../../core/word-forms.js'
import { isIndustryWord } from '../reference/industry-codes.js'
import { isFormAlone } from '../reference/registers.js'
import { foldWords, namesTrade } from '../normalize/normalize-name.js'
import { isOfUnknownWords } from '../normalize/native-scripts.js'
import { toCityKey, toPlaceKey } from '../normalize/places.js'
import { hasOtherScript } from '../normalize/sounds.js'
import { classifyNameWord, type WordMatch } from './compare-words.js'
import { isOneFormPrivate } from './candidate.js'
import { classifyEvidence, hasLeft, isOwnCountryLeft, skipJoiningWords, type Evidence } from './evidence.js'
import type { LeftWord } from './left-words.js'
import { countTellingNext, isFollowed, isNamedOtherwise, isNameLeft, isOfSeveral } from './other-names.js'
import { hasOtherMeaning } from './word-classes.js'
import { hasTown } from './place-agreement.js'
import type { TextWord } from './query-text.js'

/** True if a word of the text stands where the name has another: "Larkmoor Energy Ltd" and "Larkmoor Capital Ltd". */
function isReplaced({ left, text, alignment, candidate: { tokens } }: Evidence['comparison']): boolean {
  const { pairs, missing, end } = alignment
  return missing.some((nameAt) => {
    const before = pairs.findLast((pair) => pair.nameAt < nameAt)
    const to = pairs.find((pair) => pair.nameAt > nameAt)?.textAt ?? skipJoiningWords(text, end) + 1
    const isAnother = (one: LeftWord) =>
      before !== undefined &&
      one.at >= before.textAt + before.textCount &&
      one.at < to &&
      (one.role === null || one.role === 'cut') &&
      one.word.separator === '' &&
      /^(?:telling|generic|light|number)$/.test(one.word.wordClass) &&
      // Otherwise it may be the same word, spelled so badly that it was not found.
      one.word.text.charAt(0) !== tokens[nameAt]?.charAt(0)
    return left.some(isAnother)
  })
}

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
  // With a word in place of another, it is the name of another company.
  [58, (evidence) => isReplaced(evidence.comparison) || isNamedByOtherTown(evidence)],
  // Another word of a trade makes another name, and so does the only word that tells: Spaces and Spices, Demirkaya and Demirkan.
  [78, (one) => one.place !== 'postal' && one.contextCount === 0 && (isOtherTrade(one) || isOnlyLike(one))],
  // The rest of the name describes a trade: in another town, it may be another company's.
  [70, (one) => isDescribed(one) && !/^(?:postal|city)$/.test(one.place)],
  // A name that continues is that of another company, as far as the registry tells.
  [
    78,
    (one) =>
      [
        isContinued,
        isRearranged,
        isNamedOtherwise,
        isOfSeveral,
        isNameLeft,
        isNextToOther,
        isNumbered,
        isShortened,
      ].some((is) => is(one)),
  ],
  // Partnerships, cooperatives, associations, sole traders and estates are other persons than a company of the same name.
  [78, (one) => one.comparison.form === 'hard_conflict' || hasLeft(['estate'])(one) === true],
  // In a script of which few words are known, a short word with another letter is another name: পদ্মা is no Palma.
  [78, ({ comparison: { text, isLooseShort } }) => isLooseShort && isOfUnknownWords(text.native)],
  // Vowels tell names of one sound apart, as far as the script has them: "медина" is hardly Modern.
  [78, (one) => isBySound(one, ({ isSlip = false }) => !isSlip)],
  // A group has a company for each country, and a word in front makes another name: few registries hold all of them.
  [85, (one) => isOwnCountryLeft(one) || isOfOtherOffice(one) || isOfOtherForm(one)],
  [85, ({ comparison }) => comparison.characters === 'unknown'],
  // The others may be words of another name. A word behind the form may be a remark, or name a fund or an estate of the company.
  [90, (one) => [isSpelledOtherwise, isFollowed, isDescribed, isTranslated, isBySound].some((is) => is(one))],
  // A bare name in another town is often that of another business: "Prakash Jewellers" of Nashik.
  [90, (one) => isBareElsewhere(one)],
  // Without evidence for the place, the name may be that of a company of the stated country.
  [94, (evidence) => isElsewhere(evidence)],
]

/** True for a little-known company in another town than the stated one, where a company has a name that begins so: that one may be meant. */
const isNextToOther = ({
  place,
  hint,
  contextCount,
  siblings,
  comparison: { candidate },
}: Evidence): boolean =>
  place === 'country' &&
  hint?.namesTown === true &&
  candidate.place.cityKey !== '' &&
  siblings.townPrefixCount > 0 &&
  contextCount === 0 &&
  candidate.prominence.tickers === ''

/** True if the text is in another script than the name, or of a country of many spellings, and has a word of it only by its sound. */
const isBySound = (
  { comparison: { alignment, text, candidate } }: Evidence,
  isMeant: (match: WordMatch) => boolean = () => true,
): boolean =>
  text.words.some(({ isSpoken }) => isSpoken) &&
  !hasOtherScript(candidate.name) &&
  alignment.pairs.some(({ match }) => match.kind === 'misspelled' && isMeant(match))

/** True if a word is another one of its trade: a group may have a company Larkmoor Steel next to Larkmoor Stahl GmbH. */
const isTranslated = ({ comparison: { alignment, text, candidate } }: Evidence): boolean =>
  alignment.pairs.some(({ match, textAt, nameAt }) => {
    const [word, held] = [text.words[textAt]?.text ?? '', candidate.tokens[nameAt] ?? '']
    const isLike =
      word.slice(0, 4) === held.slice(0, 4) || calculateDistance(word, held, word.length) * 3 <= word.length
    return match.kind === 'related' && !isLike
  })

const isLoose = ({ kind, isSlip }: WordMatch) =>
  isSlip !== true && /^(?:misspelled|abbreviated|cut)$/.test(kind)

const isBareElsewhere = ({ place, hint, contextCount, comparison }: Evidence): boolean =>
  (place === 'region_conflict' || (place === 'country' && hint?.namesTown === true)) &&
  comparison.statedForm === null &&
  comparison.candidate.formClass !== null &&
  comparison.candidate.place.cityKey !== '' &&
  comparison.candidate.prominence.tickers === '' &&
  !comparison.candidate.prominence.hasLei &&
  contextCount === 0

/** True if a word of a trade stands for another one, or a word is too short or begins otherwise: Egem and Ege, Hearings and Bearings. */
const isOtherTrade = ({ comparison: { alignment, text, candidate } }: Evidence) =>
  alignment.pairs.some(({ match, textAt, textCount, nameAt, nameCount }) => {
    const [word, held] = [text.words[textAt]?.folded ?? '', candidate.tokens[nameAt] ?? '']
    if (!isLoose(match) || match.kind === 'cut' || textCount + nameCount > 2 || held.startsWith(word))
      return false
    const isShort = Math.min(word.length, held.length) < 5 && classifyNameWord(held) === 'telling'
    const isOther = match.kind === 'misspelled' && (match.isFirstChanged || isShort)
    return isOther || (isIndustryWord(word) && isIndustryWord(held))
  })

/** True if no word that tells is in both, only one that is short, begins otherwise, or differs in more than a letter. */
function isOnlyLike({ comparison: { alignment, text, candidate } }: Evidence): boolean {
  const { tokens } = candidate
  const tells = (word: string) =>
    /^(?:telling|number)$/.test(classifyNameWord(word)) && !namesTrade(word) && !isIndustryWord(word)
  const own = alignment.pairs.filter(({ nameAt }) => tells(tokens[nameAt] ?? ''))
  const isLike = ({ match, textAt, nameAt }: (typeof own)[number]) => {
    const letters = Math.min(text.words[textAt]?.text.length ?? 0, (tokens[nameAt] ?? '').length)
    return (
      isLoose(match) &&
      (match.kind !== 'misspelled' || match.isFirstChanged || letters <= 5 || match.share < 0.85)
    )
  }
  return tokens.length > 1 && own.length > 0 && own.every(isLike) && candidate.prominence.tickers === ''
}

/** True if a name of one word is shortened in a text that no column cuts, and the town does not tell: "Nisc Inc" may be another one than Nisource. */
const isShortened = ({ comparison: { text, candidate, pairs }, place, contextCount }: Evidence) =>
  candidate.tokens.length === 1 &&
  pairs.cut + pairs.abbreviated > 0 &&
  text.cut === 'nowhere' &&
  contextCount === 0 &&
  !/^(?:postal|city)$/.test(place)

/** True if the name continues with a number that is no year: "Larkmoor Ltd" is hardly Larkmoor 7 Ltd. */
const isNumbered = ({ comparison: { isOneOfSeries, isTruncated, alignment, candidate } }: Evidence) =>
  isOneOfSeries &&
  !isTruncated &&
  alignment.missing.some((at) => /^(?!(?:19|20)\d\d$)/.test(candidate.tokens[at] ?? ''))

const isDescribed = ({ comparison }: Evidence): boolean => comparison.candidate.isDescribed === true

/** Returns the most confidence that an answer with this evidence has, whatever the fit says. */
export const findConfidenceLimit = (evidence: Evidence): number =>
  limits.find(([, holds]) => holds(evidence))?.[0] ?? 99

/** True if two names are the text, and its form is that of the first: "Larkmoor Limited", today "Larkmoor (Private) Limited". */
export const isSurer = (one: Evidence, other: Evidence): boolean =>
  [one, other].every((evidence) => classifyEvidence(evidence) === 'exact') &&
  findConfidenceLimit(one) > findConfidenceLimit(other)

/** Puts a company in front of likelier ones that are limited to less confidence. Expects the likeliest first. */
export function putSurestFirst<Company extends { readonly share: number; readonly evidence: Evidence }>(
  companies: readonly Company[],
): readonly Company[] {
  const total = companies.reduce((sum, { share }) => sum + share, 0)
  const weigh = ({ share, evidence }: Company) =>
    share * Math.min(1, findConfidenceLimit(evidence) / 100 / total)
  // Initials have no word in common with the name.
  const [first] = companies.filter(({ evidence }) => evidence.comparison.matchType !== 'acronym')
  const least = first === companies[0] ? companies.slice(0, 1).map(weigh) : []
  const above = companies.filter(({ share }) => least.some((one) => share > one))
  const weights = new Map(above.map((company) => [company, weigh(company)]))
  return companies.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0))
}

/** True for a little-known company in another region than the stated one, if its town has a namesake or each region of its country has a register. */
const isOfOtherOffice = ({ place, hint, contextCount, comparison: { candidate } }: Evidence): boolean =>
  place === 'region_conflict' &&
  contextCount === 0 &&
  candidate.prominence.tickers === '' &&
  !candidate.prominence.hasLei &&
  (hint?.cities.has(candidate.place.cityKey) === true || hasLocalOffices(candidate.place.countryCode))

/** True if a registered name ends with the company's town, and another town is stated: "Larkmoor d.o.o. Tuzla" for Sarajevo. */
function isNamedByOtherTown({ place, hint, comparison: { candidate, text } }: Evidence): boolean {
  const { cityKey } = candidate.place
  const towns = [...(hint?.cities ?? [])].filter((town) => !/\d/.test(town))
  // A part of the town, or one that is in the name as well: "Novi Beograd".
  const isNear = (town: string) => town.includes(cityKey) || toCityKey(candidate.name).includes(town)
  if (cityKey.length < 3 || place === 'postal' || towns.length === 0 || towns.some(isNear)) return false
  if (hasTown(new Set(towns), candidate.place)) return false
  const ends = [foldWords(candidate.name), candidate.tokens].flatMap((words) =>
    [1, 2, 3].map((count) => (words.length > count ? words.slice(-count).join('') : '')),
  )
  const inName = ends.find((end) => hasTown(new Set([end]), candidate.place))
  return inName !== undefined && ![inName, cityKey].some((town) => text.fullKey.includes(town))
}

const isOfOtherForm = ({ comparison: { form, statedForm, candidate } }: Evidence): boolean =>
  /conflict/.test(form) || (form === 'same' && isOneFormPrivate(statedForm, candidate))

/** True if the text has some of a name's words in another order: "Elena Cardoso" is one of many, and Maria Elena another. */
const isRearranged = ({ comparison: { alignment, nameLeftover } }: Evidence): boolean =>
  alignment.isReordered && nameLeftover.hard > 0

/** True if most of the name is spelled otherwise, and the town does not tell: "Brook Holdings Ltd" for Brooks Holdings. Swapped letters are slips. */
function isSpelledOtherwise({ comparison, place, contextCount }: Evidence): boolean {
  const { looseWords, pairs, similarity, sharedTelling, alignment, candidate } = comparison
  const isMostly = looseWords.length > pairs.slips + pairs.usual && similarity < 0.8
  const isTellingPlural = ({ match, nameAt }: (typeof alignment.pairs)[number]) =>
    match.kind === 'plural' && classifyNameWord(candidate.tokens[nameAt] ?? '') === 'telling'
  const isPlural = sharedTelling === 1 && alignment.pairs.some(isTellingPlural)
  if (comparison.lacksOnlyTrade) return true
  return (isMostly || isPlural) && place !== 'postal' && place !== 'city' && contextCount === 0
}

/** True if the company is known only in another country than the stated one, or the stated place does not say that it is in its country. */
function isElsewhere({ place, hint, contextCount, comparison }: Evidence): boolean {
  if (contextCount > 0) return false
  if (place === 'country_conflict' || place === 'town_abroad') return true
  if (place === 'registered_elsewhere') return comparison.candidate.prominence.tickers === ''
  // The region says that the town is in the company's country, and not that it is the company's.
  const isOther = place === 'country' && hint?.namesTown === true && comparison.candidate.place.cityKey !== ''
  if (isOther && hint.countries.size === 0 && hint.regions.size > 0) return true
  // The town of this name may be in the company's country.
  if (place === 'none' && (hint?.openCountries.size ?? 0) > 0) return true
  const unreadEnd = hint?.unreadEnd ?? ''
  return unreadEnd !== '' && place !== 'postal' && !hasTown(new Set([unreadEnd]), comparison.candidate.place)
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
  const more = one !== undefined && !hasOtherMeaning(one.word.text) ? one : undefined
  // Behind "c/o", "former" and "d/b/a", words are of another name.
  const host = left.find(({ word }) => /^(?:host|agent|former|mark)$/.test(word.wordClass))
  const isFormBefore = form !== null && form.at < alignment.start && form.count > 0
  // In front of the form, a year and "payroll" are part of a name. A number is, too, if the company has no form.
  const isLast = after === undefined && candidate.formClass === null
  // Forms of other scripts are no words of the text.
  const isBeforeForm = other?.word.wordClass === 'form' || (after === undefined && form?.count === 0)
  const isNumber =
    /^\w{1,4}$/.test(more?.word.text ?? '') && (more?.role === 'series' || isAmong(more, 'number'))
  // "CC" at the end is the form of another company, if this one has a form and the text no other.
  const isOtherForm =
    after === undefined && form === null && candidate.formClass !== null && isFormAlone(one?.word.text ?? '')
  return (
    !(text.isSecurity || isFullName) &&
    (isOtherForm ||
      (next?.text === 'and' && one !== undefined && isAmong(other, 'telling generic light')) ||
      isAmong(more, isFormBefore ? 'telling generic payment' : 'generic') ||
      (other?.word.wordClass === 'form' && isAmong(one, 'department site payment exchange web')) ||
      (isNumber && (isBeforeForm || isLast)) ||
      (countTellingNext(evidence) > 1 && evidence.place !== 'postal') ||
      left.some(
        (word) =>
          word.at < (host?.at ?? Infinity) &&
          /^(?:fund|trust)$/.test(word.word.text) &&
          isAmong(word, 'generic'),
      ))
  )
}

const isAmong = (left: LeftWord | undefined, classes: string): boolean =>
  (left?.role === null || left?.role === 'cut') && classes.includes(left.word.wordClass)

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

/** Returns the expected precision of answers with this share and evidence, 0 to 100. */
export const estimateCompanyConfidence = (share: number, evidence: Evidence): number =>
  Math.min(findConfidenceLimit(evidence), Math.round(share * 100))
