import { everydayWords } from '../generic-words.js'
import type { Reading } from './reading.js'

/** Letters and digits that a scan takes for each other, each group as one of them; pairs of letters first. */
const lookAlikes: readonly (readonly [pattern: RegExp, shape: string])[] = [
  [/rn/g, 'm'],
  [/ii/g, 'u'],
  [/vv/g, 'w'],
  [/[l1|]/g, 'i'],
  [/0/g, 'o'],
  [/5/g, 's'],
  [/[6q9]/g, 'g'],
  [/8/g, 'b'],
  [/e/g, 'c'],
  [/f/g, 't'],
]
const shapeOf = (word: string): string =>
  lookAlikes.reduce((shape, [pattern, letter]) => shape.replace(pattern, letter), word)

/** Shorter words look like too many others. */
const knownCharsMin = 5
const knownForms =
  'limited incorporated corporation company partnership gesellschaft aktiengesellschaft'.split(' ')
const knownWords = new Set([...everydayWords(), ...knownForms].filter((word) => word.length >= knownCharsMin))
const byShape = new Map([...knownWords].map((word) => [shapeOf(word), word]))

const letterOfDigit: Readonly<Record<string, string>> = { 0: 'o', 5: 's', 6: 'g', 8: 'b' }
/** In a word of three letters and more, one or two digits that look like letters. */
const mixedWord = /^(?=(?:\P{L}*\p{L}){3})(?:\p{L}*[01568]){1,2}\p{L}*$/u
/** Numbers that belong to the name: "24hour", "Studio54", "Level8". */
const numberedWord = /^\d{2}|\d{2}$|[168]$/

function mendWord(word: string): string {
  // A lower-case L between capitals, or in "lnc", is an I.
  const upright = word.replace(/(?<=\p{Lu})l(?=\p{Lu})|^l(?=\p{Lu}{2}|nc\b)/gu, 'I')
  const lower = upright.toLowerCase()
  if (knownWords.has(lower)) return upright
  const known = byShape.get(shapeOf(lower))
  if (known !== undefined && /^[\p{L}\d]+$/u.test(lower)) return known
  const letters = mixedWord.test(upright) && !numberedWord.test(upright) ? replaceDigits(upright) : upright
  // Inside a word: "Hawaii" and "Kiinteisto" are right.
  return letters.replace(/(?<=\p{L}{2})ii(?!i)(?=\p{L})/gu, 'u')
}

const replaceDigits = (word: string): string =>
  word.replace(/[01568]/g, (digit) => letterOfDigit[digit] ?? (/\p{Ll}/u.test(word) ? 'l' : 'i'))

/** Two words of four letters and more that a scan has joined, or a legal form at the end of the name. */
const joinedWords = /(?<=\p{L}{3}\p{Ll})(?=\p{Lu}\p{Ll}{3})/gu
const joinedForm = /(?<=[\p{L}\d]{5})(?=(?:[Ll][Tt][Dd]|[Gg][Mm][Bb][Hh]|[Ll]imited|LIMITED|LLC)\b)/gu

/** Undoes errors that scans make. Empty if the name has none. */
export function readScannedName(text: string): Reading[] {
  const split = text.replace(joinedForm, ' ').replace(joinedWords, ' ')
  const mended = split.replace(/[\p{L}\d|]+/gu, mendWord)
  return mended === text
    ? []
    : [{ text: mended, kind: 'mended', how: 'with errors of a scan put right', columnChars: null }]
}
