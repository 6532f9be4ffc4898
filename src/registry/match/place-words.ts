import { findExactCodes } from '../../core/countries.js'
import { findHeaderField, isMostly } from '../reference/registers.js'
import table from '../reference/word-classes.json' with { type: 'json' }

/** A word of a text, folded. */
interface ReadWord {
  readonly text: string
  /** The punctuation before it separates parts of the text. */
  readonly isApart: boolean
}

const toWords = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' '))

/** Words of streets whose number is in front: "12 High Street". */
const streetWords = new Set(toWords(table.streets))
/** Words that begin the name of a street whose number is behind it: "Via Roma 22". */
const streetStarts = new Set(toWords(table.street_starts))
/** "Storgatan 47", "Hauptstrasse 3" */
const streetEnd = new RegExp(`^.{2,}(?:${toWords(table.street_ends).join('|')})$`)
/** Words behind the name of a street: "Vaci utca 12". */
const streetsBehind = new Set(toWords(table.streets_behind))

const houseNumber = /^\d{1,4}[a-z]?$/
const anyNumber = /^\d{1,6}[a-z]?$/
/** Words of the name of a street between its first word and its number. */
const streetWordsMax = 4

/** The places of some words among all of a text. */
interface Span {
  readonly from: number
  /** Behind the last. */
  readonly end: number
}

/** Finds a street with its number behind a name. At the start, and without a street's name, it is one: "Legrand 5 SA", "Rue 21". */
function findNumberBehind(words: readonly ReadWord[]): Span | null {
  for (const [number, { text, isApart }] of words.entries()) {
    if (number === 0 || !houseNumber.test(text)) continue
    const before = words[number - 1]?.text ?? ''
    const isNamedBehind = streetsBehind.has(before) && number > 2
    const isOne = number > 1 && streetEnd.test(before)
    const first = Math.max(0, number - 1 - streetWordsMax)
    const at = words.findIndex(
      (word, from) => from >= Math.max(1, first) && from < number - 1 && streetStarts.has(word.text),
    )
    const inOnePart = words.slice(at + 1, number).every((word) => !word.isApart) && !isApart
    if (at >= 0 && inOnePart) return { from: at, end: number + 1 }
    if (isOne || isNamedBehind) return { from: number - (isNamedBehind ? 2 : 1), end: number + 1 }
  }
  return null
}

/**
 * Finds the address in a text. From the number in front of a street on, all is address: "12 High Street, Leeds". A number
 * behind the street ends it, unless the text continues behind a sign: "Via Roma 22, Milano". `null` without one.
 */
export function findAddress(words: readonly ReadWord[]): Span | null {
  const from = words.findIndex(({ text, isApart }, at) => {
    if (at === 0) return false
    if (/^(?:po|p)$/.test(text)) return words.slice(at + 1, at + 3).some((word) => word.text === 'box')
    if (!anyNumber.test(text)) return false
    return words.slice(at + (isApart ? 1 : 2), at + 7).some((word) => streetWords.has(word.text))
  })
  const behind = findNumberBehind(words)
  if (behind === null || (from > 0 && from < behind.from))
    return from > 0 ? { from, end: words.length } : null
  const isToTheEnd = behind.from > 0 && words[behind.end]?.isApart === true
  return isToTheEnd ? { from: behind.from, end: words.length } : behind
}

/** Lists the places of words that name a country in two or three words, in any language: "Vereinigte Staaten". */
export function findCountries(words: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (let from = 0; from < words.length; from++)
    for (const count of [3, 2]) {
      const name = words.slice(from, from + count)
      if (name.length < count || name.join('').length < 7 || findExactCodes(name.join(' ')).length === 0)
        continue
      for (let at = from; at < from + count; at++) found.add(at)
    }
  return found
}

const houseNumberCell = /^\d{1,5}(?:[\s/-]?\p{L})?(?:\s?[-–/+]\s?\d{1,5}\p{L}?)?\.?$/u

/** Joins the column of streets without numbers with that of their house numbers, in the order of the file; `{}` without both. */
export function findNumberedStreet(
  street: string | undefined,
  header: readonly string[],
  cellsOf: (column: string) => readonly string[],
): { street_address?: string } {
  if (street === undefined || !header.includes(street)) return {}
  const isHouse = (name: string) =>
    name !== street &&
    findHeaderField(name) === 'house_number' &&
    isMostly(cellsOf(name), (cell) => houseNumberCell.test(cell))
  const house = header.find(isHouse)
  const streets = cellsOf(street)
  const numberedCount = streets.filter((cell) => /\d\s?\p{L}?$|^\d+\s/u.test(cell)).length
  if (house === undefined || numberedCount * 5 > streets.length || `${street}${house}`.includes(',')) return {}
  const columns = header.filter((name) => name === street || name === house)
  return { street_address: columns.join(',') }
}
