import { iso31661Alpha3ToAlpha2 } from 'iso-3166'
import { countryCodes } from '../../core/countries.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }

/** Entities of HTML that are letters and marks of names; numeric ones need no table. */
const entities = new Map(
  `amp=& lt=< gt=> quot=" apos=' nbsp=\u0020 ndash=- mdash=- lsquo=' rsquo=' ldquo=" rdquo=" middot=. hellip=. reg=
  trade= copy= szlig=ß aelig=æ AElig=Æ oelig=œ OElig=Œ eth=ð thorn=þ oslash=ø Oslash=Ø aring=å Aring=Å ccedil=ç
  Ccedil=Ç ntilde=ñ Ntilde=Ñ scaron=š Scaron=Š`
    .split(/\s+/)
    .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
)

/** `&eacute;` is a letter and the name of its accent. */
const accents: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  caron: '\u030c',
}
const entity = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi
const accentedLetter = /^([a-z])(acute|grave|circ|tilde|uml|caron)$/i

/** `&amp;amp;` was encoded twice. */
const decodingsMax = 4

function decodeEntities(text: string): string {
  let decoded = text
  for (let count = 0; count < decodingsMax && decoded.includes('&'); count++) {
    const next = decoded.replace(entity, decodeEntity)
    if (next === decoded) break
    decoded = next
  }
  return decoded
}

function decodeEntity(found: string, hex?: string, decimal?: string, name = ''): string {
  if (hex !== undefined || decimal !== undefined) {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 31 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000)
      ? String.fromCodePoint(code)
      : ' '
  }
  const [, letter, accent = ''] = accentedLetter.exec(name) ?? []
  if (letter !== undefined) return (letter + (accents[accent.toLowerCase()] ?? '')).normalize('NFC')
  return entities.get(name) ?? entities.get(name.toLowerCase()) ?? found
}

/** Characters of Windows-1252 that differ from Latin-1, from byte 0x80 on; a space has no character. */
const upperHalf = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'
const bytes1252 = new Map(
  Array.from(upperHalf, (character, at) => [character, 0x80 + at] as const).filter(
    ([character]) => character !== ' ',
  ),
)

/** UTF-8 of a letter that was read as Latin-1 or Windows-1252: "Ã¼" for "ü". */
const misread = /[\u00c2-\u00f4][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|Ã(?: |$)/
const strict = new TextDecoder('utf-8', { fatal: true })

/** Returns the text unchanged if it is not UTF-8 that was read in another encoding. */
function undoMisreading(text: string): string {
  let restored = text
  for (let count = 0; count < 2 && misread.test(restored); count++) {
    const next = readAsUtf8(restored)
    if (next === null) return restored.replace(/[\u00c2-\u00df][\u0080-\u00bf€-™\ufffd]/g, unknownLetter)
    restored = next
  }
  return restored
}

function readAsUtf8(text: string): string | null {
  const bytes: number[] = []
  for (const character of text) {
    const code = bytes1252.get(character) ?? character.codePointAt(0) ?? 0
    if (code > 0xff) return null
    // "Ã " is an "à" whose non-breaking space has become a space.
    bytes.push(code === 0x20 && bytes.at(-1) === 0xc3 ? 0xa0 : code)
  }
  try {
    return strict.decode(Uint8Array.from(bytes))
  } catch {
    return null
  }
}

/** Stands for a letter that an encoding has lost. */
export const unknownLetter = '\ufffd'

/** A question mark inside a word, or at its beginning. */
const lostLetter = /(?<=\p{L})\?(?=\p{L})|(?<![\p{L}\p{N}])\?(?=\p{L}{2})/gu

const percentCode = /%[0-9a-f]{2}/i

/** A web address without spaces, or spaces written as `%20`. */
function decodePercents(text: string): string {
  if (!percentCode.test(text) || (/\s/.test(text.trim()) && !text.includes('%20'))) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Undoes what programs have done to a name: entities of HTML, UTF-8 that was read in another encoding, percent codes.
 * A letter that is lost becomes `unknownLetter`. Returns an ordinary name unchanged.
 */
export function cleanText(text: string): string {
  let cleaned = text
  if (cleaned.includes('&')) cleaned = decodeEntities(cleaned)
  if (cleaned.includes('%')) cleaned = decodePercents(cleaned)
  if (/[\u00c2-\u00f4]/.test(cleaned)) cleaned = undoMisreading(cleaned)
  return cleaned.includes('?') ? cleaned.replace(lostLetter, unknownLetter) : cleaned
}

/** A department in front of a name, up to a dash or to the word for a company that names begin with. */
const departmentInFront = new RegExp(
  String.raw`^(?:(?:(?:(?:phòng(?! khám)|bộ phận|bagian|divisi|قسم|إدارة|دائرة)(?![\p{L}\p{M}])|ฝ่าย|แผนก)[^-–—:,]{2,30}?|(?:\p{L}+\s){1,2}(?:departmanı|bölümü|müdürlüğü|birimi))\s*[-–—:,]\s+` +
    String.raw`|(?:(?:phòng(?! khám)|bộ phận|ban|khối|bagian|divisi|قسم|إدارة|دائرة)(?![\p{L}\p{M}])|ฝ่าย|แผนก)[^-–—:,]{2,30}?\s+(?:[-–—:,]\s+)?(?=(?:(?:tổng )?công ty|cty|ctcp|pt\.?|cv\.?|شركة|مؤسسة)\s|บริษัท|ห้างหุ้นส่วน)` +
    String.raw`|(?:\p{L}+\s){1,2}(?:departmanı|bölümü|müdürlüğü|birimi)\s+)(?=.*\p{L}{2})`,
  'iu',
)

/** Removes a department in front of a name, where its words are also words of names: "Phòng Mua hàng - Công ty …". */
export const removeDepartment = (name: string): string =>
  name.normalize('NFC').trimStart().replace(departmentInFront, '')

const shortCountryNames = new Set(['uk', 'us', 'usa', 'uae'])
const countryWords = new Map<string, readonly string[]>()

/** Lists the names of a country that are one word, as names of companies have them: `usa`, `deutschland`. */
export function listCountryWords(code: string): readonly string[] {
  let words = countryWords.get(code)
  if (words === undefined) {
    words = [...countryCodes].flatMap(([name, one]) =>
      one === code && (shortCountryNames.has(name) || /^[a-z]{4,}$/.test(name)) ? [name] : [],
    )
    countryWords.set(code, words)
  }
  return words
}

/**
 * Whether a word of lower-case Latin letters and digits is a country's English name, its own name or its code; faster
 * than `findCountryCodes`. In other languages, such names are also words: `Island`, `Man`.
 */
export function namesCountry(word: string): boolean {
  return countryCodes.has(word) || iso31661Alpha3ToAlpha2[word.toUpperCase()] !== undefined
}

/** ISO 3166-2 lists the United Kingdom and its countries in addition to their counties. */
export const isPartOfUnitedKingdom = (code: string): boolean => nations.has(code)
const nations = new Set(['UKM', 'GBN', 'EAW', 'ENG', 'SCT', 'WLS', 'NIR'].map((nation) => `GB-${nation}`))

/** "England" is no more precise than the country, so it does not contradict Surrey. */
export const isDistinctRegion = (code: string): boolean => code !== '' && !isPartOfUnitedKingdom(code)

/** Dependent countries and regions of a state with a code of their own. */
const territories = new Map(
  Object.entries(placeNames.territories).map(([state, codes]) => [state, codes.split(' ')] as const),
)

/** "Jersey, UK", "Hong Kong, China": both names are right. */
export const isDependent = (country: string, sovereigns: readonly string[]): boolean =>
  sovereigns.some((sovereign) => territories.get(sovereign)?.includes(country) === true)
