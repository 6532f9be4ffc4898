import { isGenericWord, isInHouseName, isNumberWord, writeTownAs } from '../normalize/normalize-name.js'
import { alignName, type AlignedText, type NameAlignment, type WordPair } from './align-name.js'
import { areSameForms, findFittingForm, type CandidateName, type FormAgreement } from './candidate.js'
import { classifyNameWord, wordMatchKinds, type WordMatchKind } from './compare-words.js'
import { isCountryWord } from './place-readings.js'
import {
  addOwnCountry,
  countLeft,
  countMissing,
  isJoiningOnly,
  isWrittenAlike,
  listLeft,
  noWords,
  type GetNames,
  type LeftWord,
  type LeftoverWords,
} from './left-words.js'
import type { StatedForm } from '../normalize/legal-forms.js'
import { change, isTradeOnly } from './other-writings.js'
import { compareCharacters, isOfUnknownWords, type CharacterAgreement } from '../normalize/native-scripts.js'
import type { QueryText } from './query-text.js'

/**
 * How the words of a text match a name. `exact`: the same words. `completed`: the text, or its column, ends inside the name.
 * `prefix`: the name continues. `acronym`: its initials. `near`: some words are spelled otherwise, missing or elsewhere.
 */
export type MatchType = 'exact' | 'completed' | 'prefix' | 'acronym' | 'near'

/** Counts of pairs of words, by kind; `usual`, `slips` and `known` are of the misspelled or abbreviated ones. */
type PairCounts = Readonly<Record<WordMatchKind | 'usual' | 'slips' | 'known', number>>

/** Facts about a text and a name, without a verdict. */
export interface NameComparison {
  readonly text: QueryText
  readonly candidate: CandidateName
  readonly alignment: NameAlignment
  readonly matchType: MatchType
  /** Cost of the alignment, without what a column has cut off. */
  readonly cost: number
  /** The words of the text for the name, without spaces. */
  readonly partKey: string
  /** The text has more than the name. */
  readonly isPart: boolean
  readonly left: readonly LeftWord[]
  readonly pairs: PairCounts
  /** Weighted share of the name that is the same, 0 to 1; and of the text's telling words. */
  readonly similarity: number
  readonly textShare: number
  readonly firstAgrees: boolean
  /** Words that differ by spelling only, as the name has them. */
  readonly looseWords: readonly string[]
  /** Words of one sound, by their own letters. */
  readonly characters: CharacterAgreement
  /** Some first letter of a word differs; a word that differs is in other names; such a word is short. */
  readonly isFirstChanged: boolean
  readonly isLooseKnown: boolean
  readonly isLooseShort: boolean
  /** Least share of the letters that an abbreviated word keeps. */
  readonly leastShare: number
  /** They differ only by a plural. */
  readonly isPluralOnly: boolean
  /** Every distinctive word is spelled differently. */
  readonly isMisspelled: boolean
  readonly numbersAgree: boolean
  /** The name continues the query with a number: one of a series. */
  readonly isOneOfSeries: boolean
  /** The column that the query fills may have ended inside this name. */
  readonly isTruncated: boolean
  readonly queryLeftover: LeftoverWords
  readonly nameLeftover: LeftoverWords
  /** Missing words are all at the end of the name; the first one is missing. */
  readonly isTailMissing: boolean
  readonly isHeadMissing: boolean
  readonly form: FormAgreement
  /** The form of the text that belongs to the name, and whether it follows the name directly. */
  readonly statedForm: StatedForm | null
  readonly isFormNext: boolean
  readonly isFormStated: boolean
  /** No text is before or behind the name, or it is set apart from it. */
  readonly isApartBefore: boolean
  readonly isApartBehind: boolean
  /** No word is a short form of one of the name, nor the reverse: "Tech" for "Technologies". */
  readonly isAsWritten: boolean
  /** The query equals the name with its legal form. */
  readonly isFullName: boolean
  /** Weight of the words in common, and of the rarest of them. */
  readonly sharedWeight: number
  readonly rarestWeight: number
  /** The rarest word in common, as spelled in the name; `null` without words in common. */
  readonly rarestWord: string | null
  /** Telling words, and words but joining ones, that both have. */
  readonly sharedTelling: number
  readonly sharedCount: number
  readonly sharedLetters: number
  /** The name continues the query with words for a company of its group: "Services (UK)". */
  readonly isInHouse: boolean
  /** The name continues the query with words for what the company does, and it is not listed. */
  readonly lacksOnlyTrade: boolean
  /** Only generic words in common. */
  readonly isGeneric: boolean
}

const noPairs = Object.fromEntries(
  [...wordMatchKinds, 'usual', 'slips', 'known'].map((kind) => [kind, 0]),
) as unknown as PairCounts
const ofOwnLetters = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Armenian}]/u

/** The words of the query's place, the other names of each company, and the least share of a name that a text has, 0.3. */
export type Surroundings = { placeWords: ReadonlySet<string>; getOthers?: GetNames; shareMin?: number }

/** Compares a text with a name; `null` if they have too little in common. */
export function compareNames(
  prepared: AlignedText,
  held: CandidateName,
  surroundings: Surroundings,
): NameComparison | null {
  const asAsked = writeTownAs(prepared.text.words, held.tokens, held.place)
  const candidate = asAsked === held.tokens ? held : change(held, { tokens: asAsked })
  const placeWords = addOwnCountry(surroundings.placeWords, candidate)
  const { text, vocabulary, weights } = prepared
  const isInitials = isAcronym(text, candidate)
  const alignment = alignName(prepared, candidate)
  const { tokens } = candidate
  const nameWeights = tokens.map((word) => vocabulary.weight(word))
  let total = sum(nameWeights)
  const inPairs = new Set<number>()
  let [shared, equalWeight, rarestWeight, sharedTelling, sharedCount, sharedLetters] = [0, 0, 0, 0, 0, 0]
  let rarestWord: string | null = null
  const counts: Record<keyof PairCounts, number> = { ...noPairs }
  const isKnownWord = (word: string) => vocabulary.countNames(word) > 0
  const looseWords: string[] = []
  let [isFirstChanged, isLooseKnown, isLooseShort, leastShare] = [false, false, false, 1]
  const isOwn = [text.native, candidate.name].every(isOfUnknownWords)
  const hasOwnLetters = isOwn || ofOwnLetters.test(text.native) || ofOwnLetters.test(candidate.name)
  let characters: CharacterAgreement = 'same'
  for (const pair of alignment.pairs) {
    const { textAt, textCount, nameAt, nameCount, match } = pair
    const asked = text.words.slice(textAt, textAt + textCount)
    const named = tokens.slice(nameAt, nameAt + nameCount)
    const heard = hasOwnLetters ? compareCharacters([asked, text.native], [named, candidate.name]) : 'same'
    const agreement = isOwn && isOtherWord(pair, text) ? 'other' : heard
    const isOther = agreement === 'other' || agreement === 'spelled'
    if (agreement === 'other' || characters === 'same') characters = agreement
    counts[isOther ? 'misspelled' : match.kind]++
    for (let more = 0; more < textCount; more++) inPairs.add(textAt + more)
    const isLoose = isOther || isLooseMatch(pair)
    const written = text.words[textAt]?.text ?? ''
    const isUsual = match.isUsual ?? false
    if (isUsual) counts.usual++
    // "Commerz" is a word of its own, no short "Commerzventures".
    if (match.kind === 'abbreviated' && written.length >= 4 && isKnownWord(written)) counts.known++
    if (match.isSlip ?? false) counts.slips++
    // "Cornwall" is a word of its own, no short "Cornwallis".
    const isKnown = isLoose && isKnownWord(written)
    if (match.kind === 'misspelled' && !isUsual) {
      isFirstChanged ||= match.isFirstChanged
      isLooseKnown ||= isKnown
      isLooseShort ||= Math.min(written.length, (tokens[nameAt] ?? '').length) <= 5
    }
    if (match.kind === 'abbreviated' || match.kind === 'cut') leastShare = Math.min(leastShare, match.share)
    for (let more = 0; more < nameCount; more++) {
      const word = tokens[nameAt + more] ?? ''
      const weight = nameWeights[nameAt + more] ?? 0
      const tells = isKnown ? Math.min(weight, vocabulary.weight(written)) : weight
      const wordClass = classifyNameWord(word)
      // A letter each is little of these words.
      const isInitial = isLoose && nameCount > 1
      if (isInitial) looseWords.push(word)
      shared += weight * (isInitial ? 0.25 : isUsual ? 0.9 : isLoose ? 0.6 : 1)
      if (isInitial) continue
      sharedCount++
      if (!isLoose) equalWeight += weight
      else looseWords.push(word)
      if (wordClass === 'telling') sharedTelling++
      sharedLetters += Math.min(word.length, written.length)
      if (tells > rarestWeight) [rarestWeight, rarestWord] = [tells, word]
    }
  }
  if (!alignment.missing.includes(0) && !hasFirstPair(alignment)) total -= nameWeights[0] ?? 0
  const { shareMin = 0.3 } = surroundings
  if (!isInitials && (total === 0 || alignment.pairs.length === 0 || shared / total < shareMin)) return null
  // A company is called "&"; the "&" of another name does not name it.
  if (isJoiningOnly(text, alignment)) return null
  const left = listLeft(prepared, candidate, alignment, inPairs, { ...surroundings, placeWords })
  const counted = left.filter(
    ({ role, word }) => role !== 'repeated' && role !== 'ticker' && word.wordClass !== 'stop',
  )
  const missingWords = alignment.missing.map((at) => tokens[at] ?? '')
  const lastShared = alignment.pairs.reduce(
    (last, { nameAt, nameCount }) => Math.max(last, nameAt + nameCount - 1),
    -1,
  )
  const isTailMissing = missingWords.length > 0 && alignment.missing.every((at) => at > lastShared)
  const isLastCut = alignment.pairs.some(
    ({ match, textAt, textCount }) => match.kind === 'cut' && textAt + textCount === text.words.length,
  )
  const isAtEnd = alignment.end >= text.words.length
  const isWhole = !counted.some(({ word, role }) => role !== 'cut' && word.wordClass !== 'form')
  const isWithoutGap = alignment.missing.every((at) => at > lastShared)
  const isTruncated =
    isWhole &&
    isAtEnd &&
    isWithoutGap &&
    (isTailMissing || isLastCut) &&
    text.coreKey.length >= 14 &&
    (text.cut === 'anywhere' || (text.cut === 'between_words' && !isLastCut))
  const isEndCut =
    isWhole && isAtEnd && isWithoutGap && text.coreKey.length >= 14 && isLastCut && tokens.length > 1
  const series = isTailMissing ? (missingWords[0] ?? '') : ''
  const isOneOfSeries = isTailMissing && isNumberWord(series)
  const matchType = classifyMatch({
    isInitials: isInitials && (missingWords.length > 0 || alignment.pairs.length === 0),
    isCompleted: isTruncated || isEndCut,
    isMissing: missingWords.length > 0,
    isTailMissing,
    isSpelled:
      looseWords.length === 0 &&
      !alignment.isReordered &&
      alignment.inside.every(
        (at) => text.words[at]?.wordClass === 'stop' || text.words[at]?.wordClass === 'form',
      ),
    isPlural: counts.plural + counts.related > 0,
  })
  // The query says the country as its place: "T-Mobile" in the US is "T-Mobile US".
  const isCountrySaid = (at: number) => isCountryWord(tokens[at] ?? '') && placeWords.has(tokens[at] ?? '')
  total -= sum(alignment.missing.map((at) => (isCountrySaid(at) ? (nameWeights[at] ?? 0) : 0)))
  // Words that a column has cut off do not count.
  if (matchType === 'completed')
    total -=
      sum(alignment.missing.map((at) => nameWeights[at] ?? 0)) +
      sum(looseWords.length === 1 && isLastCut ? [(nameWeights[lastShared] ?? 0) * 0.4] : [])
  const closeness =
    matchType === 'completed' ? Math.max(0, alignment.cost - alignment.missingCost) : alignment.cost
  const { statedForm, form } = findFittingForm(text, alignment, candidate)
  const [before, behind] = [text.words[alignment.start], text.words[alignment.end]]
  const isFormNext =
    statedForm !== null &&
    statedForm.at >= alignment.end &&
    text.words.slice(alignment.end, statedForm.at).every(({ wordClass }) => /^(?:form|stop)$/.test(wordClass))
  const textTotal = sum([...weights].filter((_, at) => text.words[at]?.wordClass === 'telling'))
  const textShared = sum(
    [...weights].filter((_, at) => text.words[at]?.wordClass === 'telling' && inPairs.has(at)),
  )
  const nameNumbers = missingWords.filter(isNumberWord).length
  // If the name has a number, any other is a different one: a year, the number of a fund.
  const leftNumbers = counted.filter(
    ({ role, word }) => role === 'series' || (nameNumbers > 0 && !text.isSecurity && isNumberWord(word.text)),
  ).length
  // "Fund E" and "Fund F".
  const haveOtherLetters =
    missingWords.some((word) => word.length === 1) &&
    counted.some(({ word }) => word.text.length === 1 && word.wordClass !== 'stop')
  return {
    text,
    candidate,
    alignment,
    matchType,
    cost: closeness,
    partKey: alignment.pairs.map(({ textAt }) => text.words[textAt]?.text ?? '').join(''),
    isPart: !isWhole,
    left,
    pairs: counts,
    similarity: isInitials && total === 0 ? 1 : total === 0 ? 0 : Math.min(1, shared / total),
    textShare: textTotal === 0 ? 1 : textShared / textTotal,
    firstAgrees: !alignment.missing.includes(0) && alignment.start === 0,
    looseWords,
    characters,
    isFirstChanged,
    isLooseKnown,
    isLooseShort,
    leastShare,
    isPluralOnly: counts.plural > 0 && looseWords.length + missingWords.length + counted.length === 0,
    isMisspelled: isMisspelled(tokens, looseWords),
    numbersAgree:
      (nameNumbers + leftNumbers === 0 || (isOneOfSeries && leftNumbers === 0)) && !haveOtherLetters,
    isOneOfSeries,
    isTruncated,
    queryLeftover: countLeft(counted, prepared, placeWords),
    nameLeftover:
      matchType === 'completed' || matchType === 'acronym'
        ? noWords
        : countMissing(missingWords, prepared, placeWords),
    isTailMissing,
    isHeadMissing: alignment.missing.includes(0),
    form,
    statedForm,
    isFormNext,
    isFormStated: statedForm !== null && statedForm.formClass !== 'company',
    isApartBefore: alignment.start === 0 || (before?.isApart ?? true),
    isApartBehind: alignment.end >= text.words.length || isFormNext || (behind?.isApart ?? true),
    isAsWritten: matchType !== 'exact' || isWrittenAlike(text, alignment, candidate),
    isFullName:
      form === 'same' &&
      (text.fullKey === candidate.fullKey ||
        (text.coreKey === candidate.coreKey && statedForm !== null && areSameForms(statedForm, candidate))),
    sharedWeight: shared,
    rarestWeight,
    rarestWord,
    sharedTelling,
    sharedCount,
    sharedLetters,
    isInHouse: matchType === 'prefix' && isInHouseName(missingWords),
    lacksOnlyTrade:
      isTailMissing && candidate.prominence.tickers === '' && isTradeOnly(candidate.name, missingWords),
    isGeneric: alignment.pairs.every(({ nameAt }) => isGenericWord(tokens[nameAt] ?? '')),
  }
}

const hasFirstPair = ({ pairs }: NameAlignment): boolean => pairs.some(({ nameAt }) => nameAt === 0)

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const isLooseMatch = ({ match: { kind } }: WordPair): boolean =>
  /^(?:abbreviated|cut|misread|unknown_letter|misspelled)$/.test(kind)
/** No slip, and no end or letter that is lost. */
const isOtherWord = ({ match: { kind, isSlip } }: WordPair, { cut }: QueryText): boolean =>
  isSlip !== true && (kind === 'cut' ? cut === 'nowhere' : /^(?:abbreviated|mis\w+)$/.test(kind))

interface MatchFacts {
  readonly isInitials: boolean
  readonly isCompleted: boolean
  readonly isMissing: boolean
  readonly isTailMissing: boolean
  readonly isSpelled: boolean
  readonly isPlural: boolean
}

function classifyMatch(facts: MatchFacts): MatchType {
  if (facts.isInitials) return 'acronym'
  if (facts.isCompleted) return 'completed'
  if (!facts.isSpelled || facts.isPlural) return 'near'
  if (!facts.isMissing) return 'exact'
  return facts.isTailMissing ? 'prefix' : 'near'
}

function isAcronym({ coreKey, words }: QueryText, candidate: CandidateName): boolean {
  if (candidate.acronym === '' || coreKey.length > 6) return false
  return (
    coreKey === candidate.acronym || words.some(({ text }) => text.length >= 3 && text === candidate.acronym)
  )
}

function isMisspelled(tokens: readonly string[], looseWords: readonly string[]): boolean {
  if (looseWords.length === 0) return false
  const distinctive = tokens.filter((word) => classifyNameWord(word) === 'telling')
  return (distinctive.length > 0 ? distinctive : tokens).every((word) => looseWords.includes(word))
}
