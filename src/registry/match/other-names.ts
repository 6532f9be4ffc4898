import wordTables from '../reference/word-classes.json' with { type: 'json' }
import { cap, type Evidence, type Feature } from './evidence.js'
import type { NameComparison } from './compare-names.js'
import { andWords } from './compare-words.js'
import { hasOtherMeaning, type WordClass } from './word-classes.js'
import { isOfBuilding, parseHeld, type CandidateName } from './candidate.js'
import {
  findFormAt,
  formWords,
  getDistinctiveCountries,
  writings,
  type StatedForm,
} from '../normalize/legal-forms.js'
import { parseForm } from '../normalize/parsed-name.js'
import { foldText, isTradeAnywhere } from '../normalize/normalize-name.js'
import { isOtherHouse, listCountryWords, type LeftWord } from './left-words.js'
import { isAmong, tells } from './other-words.js'
import { comparePlaceWithHint, isConflict, placeRank, type PlaceAgreement } from './place-agreement.js'
import type { LocationHint } from './place-readings.js'
import type { TextWord } from './query-text.js'

/** Number of words of a name directly behind the name found: "Larkmoor Energy Bars by Norvane" for Larkmoor Energy Inc. */
export const countTellingNext = ({ comparison: { left, text, alignment } }: Evidence): number => {
  let count = 0
  for (let at = alignment.end; at < text.words.length && !text.isSecurity; at++) {
    const one = left.find((word) => word.at === at)
    if (one === undefined || one.word.separator !== '' || hasOtherMeaning(one.word.text)) break
    if (one.word.wordClass === 'stop') continue
    const isOfName = one.word.wordClass === 'telling' || one.word.wordClass === 'generic'
    if (!isOfName || (one.role !== null && one.role !== 'cut')) break
    count++
  }
  return cap(count, 3)
}

/** Another company is left over, with its legal form: "Larkmoor Bank Ltd for Norvane Foods Ltd", but not in "Larkmoor - PT Norvane Foods Tbk". */
export const isCompanyLeft: Feature = ({ comparison: { left, text, alignment, statedForm } }) =>
  text.forms.some(({ at, count, formClass }) => {
    const isBehind = at >= alignment.end
    const isInFront = at + count === alignment.start && text.words[at]?.separator !== ''
    if (isInFront || formClass === 'company' || at === statedForm?.at || (!isBehind && at >= alignment.start))
      return false
    const [from, to] = isBehind ? [alignment.end, at] : [0, alignment.start]
    const between = left.filter((word) => word.at >= from && word.at < to)
    const isTelling = ({ word, role }: LeftWord) => role === null && word.wordClass === 'telling'
    return (
      between.some((word) => word.at < at && isTelling(word)) &&
      !between.some(({ word }) => relationClasses.has(word.wordClass))
    )
  })

/** Words that say what the other name is. */
const relationClasses: ReadonlySet<WordClass> = new Set(['mark', 'former', 'host', 'agent'])

/** Another name is left over behind a sign, with the word for its trade: "Larkmoor Velsor, Norvane Foods". In brackets, it may be a former one; behind other signs, a slogan. */
export function isNameLeft({ comparison: { form, candidate, left, alignment, text } }: Evidence): boolean {
  const missing = alignment.missing.map((at) => candidate.tokens[at] ?? '')
  // Without its form or with another house, an address is not the name of the company that owns the building.
  if (isOfBuilding(candidate) && (form === 'unstated_partnership' || isOtherHouse(left, missing))) return true
  const hasSlogan = /[|»›]|(?![©®™°℠℗№])\p{So}/u.test(text.given)
  const isJoint = (sign: string) => sign === ',' || (sign === '/' && !hasSlogan)
  const isName = ({ word, at, position, role }: LeftWord) => {
    const count = text.words.slice(at + 1).findIndex(({ isApart }) => isApart) + 1 || text.words.length
    const classes = text.words.slice(at, at + count).map(({ wordClass }) => wordClass)
    const isCapital = /\p{Lu}/u.test(word.written) || !/\p{Lu}/u.test(text.given)
    const isNamed = isCapital && /^telling (?:(?:telling|generic|stop) )*generic$/.test(classes.join(' '))
    return isNamed && role === null && position === 'behind' && isJoint(word.separator)
  }
  const isRelated = ({ word }: LeftWord) => relationClasses.has(word.wordClass) || word.separator === '('
  return left.some(isName) && !left.some(isRelated)
}

/** True if brackets behind a name without a form have another name with its form: "Larkmoor (Norvane Retail Inc.)" is a shop of Norvane. */
export function hasOwnerInBrackets({ comparison: { alignment, left, text, candidate } }: Evidence): boolean {
  const [form] = text.forms
  const inside = text.words.slice(alignment.end, form?.at)
  const [first, ...others] = inside
  if (form === undefined || form.at <= alignment.end || first?.separator.includes('(') !== true) return false
  const isOther = ({ word, role }: LeftWord) =>
    inside.includes(word) &&
    role === null &&
    word.wordClass === 'telling' &&
    !candidate.tokens.includes(word.text)
  const isRelated = ({ word }: LeftWord) => relationClasses.has(word.wordClass)
  return !others.some(({ isApart }) => isApart) && left.some(isOther) && !left.some(isRelated)
}

/** The word in front of a name in quotes is the kind of its body, as in `Biedrība "Larkmoor"`: no sign is between them. In square brackets without a form is the parent of a group. */
function isInQuotes({ text: { words, given, forms }, alignment: { start, end } }: NameComparison): boolean {
  const [first, last] = [words[start], words[end - 1]]
  if (start === 0 || first?.separator !== '/' || last === undefined)
    return forms.length === 0 && given.includes(`[${first?.written ?? ' '}`)
  const isOpen = ['"', '“', '”', '„', '«'].some((quote) => given.includes(` ${quote}${first.written}`))
  return isOpen && ['"', '“', '”', '»'].some((quote) => given.includes(`${last.written}${quote}`))
}

/** Words that a statement of an account has in front of the payee, by the countries that use them; those of any country under `*`. */
const payeeMarks = new Map(
  Object.entries(wordTables.payee_marks).flatMap(([codes, words]) =>
    words.split(' ').map((word) => [word, codes.split(' ')] as const),
  ),
)
const introducingWords = new Set(wordTables.introducing.flatMap((line) => line.split(' ')))
const prepositions = new Set(wordTables.prepositions.split(' '))
const groupWords = new Set(wordTables.group_companies.split(' '))
const wordsOfGroup = new Set(wordTables.before_group_companies.split(' '))
const wordsOfMarks = new Set(wordTables.payee_mark_words.split(' '))

/**
 * True if only what a statement says of a payment is in front of a whole name with its form: "POS LARKMOOR LTD". "Pos Larkmoor Ltd" is a name.
 */
function isPayee(comparison: NameComparison): boolean {
  const { left, text, matchType, form, isFormNext, nameLeftover: missing, candidate } = comparison
  const { countryCode, jurisdictionCountry } = candidate.place
  const isMark = ({ word }: LeftWord) => {
    const codes = /\p{Ll}/u.test(word.written) ? undefined : payeeMarks.get(word.folded)
    const isUsed = codes?.some((code) => ['*', countryCode, jurisdictionCountry].includes(code)) === true
    return word.wordClass === 'payment' || isUsed
  }
  const before = left.filter(({ position }) => position === 'before')
  const isOther = (one: LeftWord) =>
    !isMark(one) &&
    !/^(?:number|date|code|stop)$/.test(one.word.wordClass) &&
    !wordsOfMarks.has(one.word.folded)
  const isWhole = matchType === 'exact' && missing.hard + missing.soft === 0 && !/\p{Ll}/u.test(text.given)
  const hasForm = form === 'same' ? isFormNext : candidate.formClass === null && text.forms.length === 0
  return isWhole && hasForm && before.some(isMark) && !before.some(isOther)
}

/** True if a telling word or one of a trade is in front of the name, without a sign between them: "Larkmoor Norvane Ltd" for Norvane Ltd. `isNext`: only directly in front, and not as in "Clerk at Larkmoor". */
export function isNamedOtherwise({ comparison, place }: Evidence, isNext = false): boolean {
  const { alignment, text, left } = comparison
  const before = left.filter(({ position, role }) => position === 'before' && role === null)
  const isMarked = before.some(({ word }) => /^(?:former|mark|host|agent)$/.test(word.wordClass))
  const isApart = comparison.isApartBefore && !isInQuotes(comparison)
  const last = text.words[alignment.start - 1]?.folded ?? ''
  const isIntroduced = introducingWords.has(last) || (isNext && prepositions.has(last))
  if (isApart || isMarked || isIntroduced || isPayee(comparison)) return false
  const isOpen = ({ position, word }: LeftWord) => position === 'behind' && word.wordClass !== 'form'
  const isAlone = alignment.start < 4 && !left.some(isOpen)
  const isMark = (word: string) => !/\p{Ll}/u.test(text.given) && (word.length < 4 || payeeMarks.has(word))
  const mayBeNext = ({ word, at }: LeftWord) =>
    at === alignment.start - 1 && !isMark(word.folded) && !isInSentence(word, comparison, place)
  const names = before.filter(({ word }) => /^(?:telling|generic)$/.test(word.wordClass))
  return names.some((one) => !isNext || isAlone || mayBeNext(one))
}

/** With this many other words, a name in the stated town is that of the company. */
const lineWordsMin = 3
/** True for a word that is no part of the name behind it: in small letters or shortened in front of capital ones, or in a line with more words and the town. */
function isInSentence(
  word: TextWord,
  { left, text, alignment }: NameComparison,
  place: PlaceAgreement,
): boolean {
  const first = text.words[alignment.start]
  const isSmall = !/\p{Lu}/u.test(word.written) && /^\p{Lu}/u.test(first?.written ?? '')
  const isShort =
    /\p{Ll}{2}$/u.test(word.written) && text.given.includes(`${word.written}. ${first?.written}`)
  const others = left.filter((one) => one.role === null && !/^(?:form|stop)$/.test(one.word.wordClass))
  const isThere = place === 'postal' || place === 'city'
  return isSmall || isShort || (isThere && others.length >= lineWordsMin)
}

/** True if a telling word follows the legal form, without a sign between them: "Larkmoor Ltd Norvane". */
export const isFollowed = ({ comparison: { left, statedForm, text } }: Evidence): boolean => {
  if (statedForm === null || text.isSecurity) return false
  const next = left.find(
    ({ at, position }) => position === 'behind' && at === statedForm.at + statedForm.count,
  )
  if (next === undefined || next.role !== null || next.word.separator !== '') return false
  return /^(?:telling|description)$/.test(next.word.wordClass) && !hasOtherMeaning(next.word.text)
}

export const isWholeName = ({ matchType, isPart }: NameComparison): boolean =>
  matchType === 'exact' && !isPart

/** True for a company in the stated town named by it, next to one of the plain name that is not known to be there: "Larkmoor (Eldoret) Limited". */
export function isNamedByTown(
  { comparison, hint, place }: Evidence,
  { comparison: other, place: otherPlace }: Evidence,
): boolean {
  const { alignment, candidate, looseWords, isPart, form } = comparison
  const missing = alignment.missing.map((at) => candidate.tokens[at] ?? '')
  if (missing.length === 0 || looseWords.length > 0 || isPart || !isWholeName(other)) return false
  // "Co." is a word of the name in front of a bracket, and else one of its form.
  const town = missing.filter((word) => findFormAt([word], 0)?.formClass !== 'company').join('')
  const initials = /^[a-z]{2,3}$/.test(town) ? new RegExp(`^${town.split('').join('.*')}`) : null
  if (town === '' || ![...(hint?.cities ?? [])].some((one) => one === town || initials?.test(one)))
    return false
  const { cityKey } = candidate.place
  const isThere = place === 'postal' || place === 'city' || (cityKey === '' && !isConflict(place))
  return isThere && !/conflict|foreign/.test(form) && otherPlace !== 'postal' && otherPlace !== 'city'
}

/** True for a company that has the name today, with its country or a word in brackets, next to one that has had it: groups leave their names to their companies. */
export function isLivingNamesake(
  one: Evidence,
  { comparison: former, place: formerPlace }: Evidence,
): boolean {
  const { alignment, candidate, looseWords, isPart, form } = one.comparison
  if (former.candidate.kind !== 'former' || !isWholeName(former)) return false
  if (candidate.kind === 'former' || !candidate.active || candidate.removed) return false
  const inBrackets = foldText((candidate.name.match(/\([^()]+\)/g) ?? []).join(' ')).split(' ')
  const country = listCountryWords(candidate.place.countryCode || candidate.place.jurisdictionCountry)
  const isAdded = (word: string) => inBrackets.includes(word) || country.includes(word)
  return (
    looseWords.length === 0 &&
    !isPart &&
    !/conflict|foreign/.test(form) &&
    placeRank[one.place] >= placeRank[formerPlace] &&
    alignment.missing.length > 0 &&
    alignment.missing.every((at) => isAdded(candidate.tokens[at] ?? ''))
  )
}

/** True if others join the company behind its form: "Larkmoor, S.A. y Copropietarios", but not "Larkmoor Inc & Subsidiaries". */
export function isOfSeveral({ comparison: { left, text, alignment, candidate } }: Evidence): boolean {
  const country = candidate.place.countryCode || candidate.place.jurisdictionCountry
  const isAnd = (word: string) =>
    /^(?:and|und|et|og|och)$/.test(word) || andWords.get(word)?.includes(country) === true
  const at = text.words.findIndex((word, index) => index > alignment.end && isAnd(word.text))
  const after = text.words.findIndex(({ folded }, index) => index > at && !wordsOfGroup.has(folded))
  const next = left.find((one) => one.at === after && (one.role === null || one.role === 'cut'))
  const isOfForm = text.words.slice(alignment.end, at).every(({ wordClass }) => wordClass === 'form')
  if (at < 0 || !isOfForm || next === undefined || groupWords.has(next.word.folded)) return false
  return /^(?:telling|generic|light|body)$/.test(next.word.wordClass)
}

/** True if the text has some of a name's words in another order: "Elena Cardoso" is one of many, and Maria Elena another. */
export const isRearranged = ({ comparison: { alignment, nameLeftover } }: Evidence): boolean =>
  alignment.isReordered && nameLeftover.hard > 0

/** True for usual words that a company is only called by, or that begin the name of a little-known one, if no town tells: "United" may be any of many. */
export const isUsualWord = ({ place, contextCount, comparison }: Evidence): boolean => {
  const { isGeneric, statedForm, matchType, text, candidate } = comparison
  const areUsual = text.words.every(({ wordClass }) => /^(?:generic|light|stop|place)$/.test(wordClass))
  const { tickers, hasLei } = candidate.prominence
  const isBeginning = matchType === 'prefix' && areUsual && tickers === '' && !hasLei
  const isOnly = isGeneric && statedForm === null && candidate.tokens.length === 1 && place !== 'city'
  return contextCount === 0 && place !== 'postal' && (isBeginning || (isOnly && candidate.kind === 'other'))
}

/** True if the name has only one part of a word behind another word: a "Tubewell" is no tube. "LarkmoorFoods" is two words. */
export const hasHalfOfWord = ({
  text: { words },
  alignment: { pairs },
  left,
}: Evidence['comparison']): boolean =>
  left.some((one) => {
    const from = one.word.isJoined ? one.at - 1 : one.at
    const [joined, before, behind] = [words[from + 1], words[from], words[from + 2]]
    const isOfTwo = joined?.isJoined === true && !before?.isJoined && !behind?.isJoined
    const isSmall = /^\p{Ll}|^\p{Lu}{2}/u.test(joined?.written ?? '')
    const isHalf = ({ textAt }: (typeof pairs)[number]) => textAt === from || textAt === from + 1
    return (
      from > 0 &&
      isOfTwo &&
      isSmall &&
      isAmong(one, 'telling generic') &&
      !formWords.has(one.word.text.replace(/s$/, '')) &&
      pairs.some(isHalf)
    )
  })

/** True if a word of a trade has another letter, or one that tells is a plural: Arkitektur and Arkitekter, Verft and Verfts. */
export const isLikeTrade = ({
  place,
  contextCount,
  comparison: { alignment, candidate },
}: Evidence): boolean =>
  place !== 'postal' &&
  contextCount === 0 &&
  alignment.pairs.some(({ match: { kind, isSlip, isUsual }, nameAt }) =>
    kind === 'plural' ? tells(candidate.tokens[nameAt]) : kind === 'misspelled' && !isSlip && !isUsual,
  )

/** One name in two registers, or twice in one that states no place, without a contradiction in form or country. */
export function areAlike(left: CandidateName, right: CandidateName): boolean {
  if (left.coreKey !== right.coreKey) return false
  const isUnplaced = left.fullKey === right.fullKey && (isPlaceless(left) || isPlaceless(right))
  return (
    (left.sourceNumber !== right.sourceNumber || isUnplaced) &&
    (left.formClass === right.formClass || isOpenForm(left) || isOpenForm(right)) &&
    shareCountry(left, right)
  )
}

const isPlaceless = ({ place }: CandidateName) => place.cityKey === '' && place.countryCode === ''
const isOpenForm = ({ formClass }: CandidateName) => formClass === null || formClass === 'company'

/** Without an address, a register of another country is weak evidence. */
function shareCountry({ place: a }: CandidateName, { place: b }: CandidateName): boolean {
  const countries = (place: typeof a) =>
    [place.countryCode, place.countryCode === '' ? '' : place.jurisdictionCountry].filter(Boolean)
  const [left, right] = [countries(a), countries(b)]
  return left.length === 0 || right.length === 0 || left.some((code) => right.includes(code))
}

/** If the register does not show the country, a rare legal form may: "Larkmoor AB" is Swedish. */
export function comparePlace(hint: LocationHint | null, { place, name }: CandidateName): PlaceAgreement {
  const agreement = comparePlaceWithHint(hint, place)
  if (hint === null || agreement !== 'registered_elsewhere') return agreement
  const countries = getDistinctiveCountries(parseForm(name).formCountries)
  const isOfCountry = countries.some((country) => hint.countries.has(country))
  return isOfCountry ? 'form_of_country' : agreement
}

/** Words of forms that say what the company does, by their writings: "sanayi" by "san". */
const purposes = new Map(
  writings
    .filter(([long]) => isTradeAnywhere(long))
    .flatMap(([long, shorts]) => [long, ...shorts].map((word) => [word, long] as const)),
)
const listPurposes = (words: readonly string[]): string =>
  [...new Set(words.flatMap((word) => purposes.get(word) ?? []))].sort().join()

/** Compares what two forms say that the company does; `null` if neither says it. */
export function comparePurposes(
  stated: StatedForm | null,
  candidate: CandidateName,
): 'same' | 'other' | null {
  const asked = listPurposes(stated?.words ?? [])
  const held = listPurposes(parseHeld(candidate).formWords)
  return asked === held ? (held === '' ? null : 'same') : 'other'
}

/** True if a text has a word more directly behind the name: that of the stated town, which is not the company's, or any behind a name with its form in front: "PT Larkmoor Velsor". */
export function isNamedFurther({ place, hint, comparison }: Evidence): boolean {
  const { left, alignment, statedForm, text } = comparison
  const next = left.find(({ at, word }) => at === alignment.end && word.separator === '')
  if (next === undefined || alignment.start > alignment.end || text.isSecurity) return false
  const isElsewhere = place === 'region_conflict' || (place === 'country' && hint?.namesTown === true)
  const isInFront = statedForm !== null && statedForm.at + statedForm.count === alignment.start
  return next.role === 'place'
    ? isElsewhere
    : isInFront && next.role === null && next.word.wordClass === 'telling' && tells(next.word.text)
}
