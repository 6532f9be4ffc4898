import wordTables from '../reference/word-classes.json' with { type: 'json' }
import trades from '../reference/trades.json' with { type: 'json' }
import { asianWords, foldWords, toStem } from '../normalize/normalize-name.js'
import { andWords } from './around-name.js'
import { cap, type Evidence, type Feature } from './evidence.js'
import type { LeftWord } from './left-words.js'
import { hasOtherMeaning, type WordClass } from './word-classes.js'

/** Facts about names of other companies in the text of a query, next to the name that is found. */

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

/** Another company is left over, with its legal form: "Larkmoor Bank Ltd for Norvane Foods Ltd". */
export const isCompanyLeft: Feature = ({ comparison: { left, text, alignment, statedForm } }) =>
  text.forms.some(({ at, formClass }) => {
    const isBehind = at >= alignment.end
    if (formClass === 'company' || at === statedForm?.at || (!isBehind && at >= alignment.start)) return false
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

/** Another name is left over behind a sign, with the word for its trade: "Larkmoor Velsor, Norvane Foods". In brackets, it may be a former one. */
export const isNameLeft = ({ comparison: { left, text } }: Evidence): boolean =>
  left.some(({ word, at, position, role }) => {
    const count = text.words.slice(at + 1).findIndex(({ isApart }) => isApart) + 1 || text.words.length
    const classes = text.words.slice(at, at + count).map(({ wordClass }) => wordClass)
    const isName =
      /^telling (?:(?:telling|generic|stop) )*generic$/.test(classes.join(' ')) &&
      (/\p{Lu}/u.test(word.written) || !/\p{Lu}/u.test(text.given))
    return isName && role === null && position === 'behind' && /^[,/]$/.test(word.separator)
  }) && !left.some(({ word }) => relationClasses.has(word.wordClass) || word.separator === '(')

/** True if a telling word or one of a trade is in front of the name, without a sign between them: "Larkmoor Norvane Ltd" for Norvane Ltd. */
export const isNamedOtherwise = ({ comparison: { left, isApartBefore } }: Evidence): boolean => {
  const before = left.filter(({ position, role }) => position === 'before' && role === null)
  const isMarked = before.some(({ word }) => /^(?:former|mark|host|agent)$/.test(word.wordClass))
  return (
    !isApartBefore && !isMarked && before.some(({ word }) => /^(?:telling|generic)$/.test(word.wordClass))
  )
}

/** True if a telling word follows the legal form, without a sign between them: "Larkmoor Ltd Norvane". */
export const isFollowed = ({ comparison: { left, statedForm, text } }: Evidence): boolean => {
  if (statedForm === null || text.isSecurity) return false
  const next = left.find(
    ({ at, position }) => position === 'behind' && at === statedForm.at + statedForm.count,
  )
  if (next === undefined || next.role !== null || next.word.separator !== '') return false
  return next.word.wordClass === 'telling' && !hasOtherMeaning(next.word.text)
}

const groupWords = new Set(wordTables.group_companies.split(' '))

/** True if others join the company behind its form: "Larkmoor, S.A. y Copropietarios", but not "Larkmoor Inc & Subsidiaries". */
export function isOfSeveral({ comparison: { left, text, alignment, candidate } }: Evidence): boolean {
  const { words } = text
  const country = candidate.place.countryCode || candidate.place.jurisdictionCountry
  const isAnd = (word: string) =>
    /^(?:and|und|et|og|och)$/.test(word) || andWords.get(word)?.includes(country) === true
  const at = words.findIndex((word, index) => index > alignment.end && isAnd(word.text))
  const next = left.find((one) => one.at === at + 1 && (one.role === null || one.role === 'cut'))
  const isOfForm = words.slice(alignment.end, at).every(({ wordClass }) => wordClass === 'form')
  if (at < 0 || !isOfForm || next === undefined || groupWords.has(next.word.folded)) return false
  return /^(?:telling|generic|light|body)$/.test(next.word.wordClass)
}

let tradesByWord: ReadonlyMap<string, ReadonlySet<string>> | null = null

function createTrades(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const [trade, lines] of Object.entries(trades))
    for (const word of lines.flatMap((line) => foldWords(line)))
      for (const key of new Set([word, toStem(word)]))
        found.set(key, (found.get(key) ?? new Set()).add(trade))
  return found
}

/**
 * Returns the trades that a folded word of a name may state, in any of the main languages: `menuiserie` and `carpentry` share
 * one. Empty for a word of many trades, such as "industries", and for one of none.
 */
function listTrades(word: string): ReadonlySet<string> {
  const byWord = (tradesByWord ??= createTrades())
  const written = asianWords.get(word) ?? word
  return byWord.get(written) ?? byWord.get(toStem(written)) ?? new Set()
}

/** Words of a name, and those of them that another name lacks. */
interface TradeWords {
  readonly all: readonly string[]
  readonly own: readonly string[]
}

/**
 * True if each of two names states a trade in words that the other lacks, and they share no trade: "Koshi Cement" is not "Koshi
 * Noodles", but may be "Cimento Koshi".
 */
export function haveOtherTrades(one: TradeWords, other: TradeWords): boolean {
  const list = (words: readonly string[]) => new Set(words.flatMap((word) => [...listTrades(word)]))
  if (list(one.own).size === 0 || list(other.own).size === 0) return false
  const [ours, theirs] = [list(one.all), list(other.all)]
  return ![...ours].some((trade) => theirs.has(trade))
}
