import { iso31662 } from 'iso-3166'
import { findCountryCode } from '../countries.js'
import { identifierHeaders, listNumberKeys, otherNumberHeaders } from '../header-words.js'
import { countriesOfAdded, countriesOfHeader, countriesOfTaxHeader, isPlainLabel } from '../identifiers.js'
import { toHeaderKey, toPlainDigits } from '../text.js'
import { readTaxNumber } from './national-numbers.js'
import { isOfPersonsOnly } from './number-forms.js'
import numberForms from './number-forms.json' with { type: 'json' }
import { toStatedIdentifier, type NameWithIdentifiers } from './stated-identifiers.js'

/** EDGAR's own abbreviations of places, in addition to states and provinces; kinds of registrants (`FI`: foreign issuer), and marks of newer or older ones. */
const marks = 'BER CAN CAYMAN CI CN DEL ENG HK SWED UK ADR ADS ADV ATS BD FA FI GDR MSD NEW NW OLD SBSD TA'

/** Codes and names in suffixes. Built at the first use: most runs compare no names. */
const readKnown = () => {
  const regions = iso31662.filter(({ parent }) => parent === 'US' || parent === 'CA')
  const codes = [...marks.split(' '), ...regions.map(({ code }) => code.slice(3))]
  return { codes: new Set(codes), regionNames: new Set(regions.map(({ name }) => name.toLowerCase())) }
}
let known: ReturnType<typeof readKnown> | null = null
const getKnown = () => (known ??= readKnown())

/** A name may have several suffixes: `TOWNSEND ASSET MANAGEMENT CORP /NC/ /ADV`. */
const suffixesMax = 3

/** A slash at the end; others only inside words: "A/S". */
const loneSlash = /^(?:[^/\\]|(?<=[^\s/\\])[/\\](?=[^\s/\\]))+[/\\]$/

/** The text after the last slash, or between the last two. */
const tail = /(\s*)[/\\]\s*([a-z][a-z .]{0,22}[a-z])\s*([/\\]?)$/i

/** Legal forms with a slash. */
const formWithSlash = /\b(?:sa\/nv|oyj?\/ab)\s*[/\\]?$/i

/** Words that are codes of places too: "Either/Or", "Trade/In". */
const wordCodes: ReadonlySet<string> = new Set('AL HI ID IN LA ME NEW OH OK OLD OR'.split(' '))
/** A shorter name with such a tail is one name: "AC/DC", "Sci/Fi". */
const singleWordCharsMin = 4

/**
 * Removes the suffixes that EDGAR adds to distinguish registrants of the same name, in any case: `BANK OF AMERICA CORP
 * /DE/`, `Omron Corp /Fi`, `Viridian Therapeutics, Inc.\DE`, `Troops, Inc. /Cayman Islands/`. Removes a lone slash at
 * the end too: `TOYOTA MOTOR CORP/`. Other text after a slash is part of the name: "Zealand Pharma A/S", "SA/NV".
 */
export function removeRegistrySuffix(name: string): string {
  if (!/[/\\]/.test(name)) return name
  let shown = name
  for (let count = 0; count < suffixesMax; count++) {
    const end = shown.trimEnd()
    const rest = end.slice(0, findSuffix(end)).trimEnd()
    if (rest === '') return shown
    shown = rest
  }
  return shown
}

/** Returns 0 without a suffix. */
function findSuffix(name: string): number {
  const found = formWithSlash.test(name) ? null : tail.exec(name)
  if (found !== null && isSuffix(name.slice(0, found.index), found)) return found.index
  return loneSlash.test(name) ? name.length - 1 : 0
}

/** A single word directly before a slash may be a part of the name. */
function isSuffix(name: string, [, space = '', text = '', end = '']: RegExpExecArray): boolean {
  const code = text.toUpperCase()
  if (!getKnown().codes.has(code) && !isPlaceName(text)) return false
  const isApart = space !== '' || end !== '' || /\s/.test(name.trim())
  return isApart || (name.trim().length >= singleWordCharsMin && !wordCodes.has(code))
}

/** Codes of countries are not used: "DE" would be Germany. */
const isPlaceName = (text: string): boolean =>
  text.length > 3 && (getKnown().regionNames.has(text.toLowerCase()) || findCountryCode(text) !== null)

/** Whether names differ only in case, punctuation and registry suffix. */
export const hasSameLetters = (one: string, other: string): boolean => toLetters(one) === toLetters(other)

function toLetters(name: string): string {
  const text = removeRegistrySuffix(name).toLowerCase()
  return text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '') || name
}

/** A number at the end, and in brackets at the end: `IČO 36 123 455)`; the letters may be its label: `RC35111`. */
const numberAtEnd = /(?<=^|[\s:.#№([])((?:([A-Z]{1,4})-?)?\d[\d\s./-]*\d[A-Z]?)\s*([)\]]?)\s*$/u
const [labelledDigitsMin, labelWordsMax] = [5, 4]
type GetPlace = () => ReadonlySet<string> | undefined

/**
 * Reads a company number behind a name, or alone, with the word that registers and lists have for it: `Larkmoor s.r.o., IČO: 31333338`,
 * `Norvane Ltd (Reg. No. 1234567)`. `null` without such a word: numbers are also parts of names. `HRB` is a part of the number. `getPlace`: returns the countries of the row.
 */
export function readLabelledNumber(text: string, getPlace?: GetPlace): NameWithIdentifiers | null {
  const plain = toPlainDigits(text)
  const [end = '', all = '', letters = '', bracket = ''] = numberAtEnd.exec(plain.slice(-100)) ?? []
  if (all.replace(/\D/g, '').length < labelledDigitsMin) return null
  const front = plain.slice(0, plain.length - end.length)
  const inside = bracket === '' ? front : front.slice(front.search(/[([][^([]*$/) + 1)
  const starts = [...inside.matchAll(/(?<=^|[\s,;:([–-])(?=\p{L})/gu)].map(({ index }) => index)
  for (const start of [...starts.slice(-labelWordsMax), inside.length]) {
    const isGlued = start === inside.length
    const label = isGlued ? letters : inside.slice(start).trimEnd()
    const key = toHeaderKey(label.replace(/(?<=\S)[\s:]+[A-Z]{2}$/, ''))
    if ([key, ...listNumberKeys(label)].some((one) => otherNumberHeaders.has(one))) return null
    const digits = isGlued ? all.replace(/^[A-Z]+-?/, '') : all
    const number = /^(?:hr[ab]|vr|pr|gnr|gsr)$/.test(key) ? `${label} ${digits}` : digits
    const countries = [countriesOfHeader, countriesOfAdded].flatMap((known) => known.get(key) ?? [])
    const isOwn = countries.length > 0 || (!isGlued && identifierHeaders.registration_id.includes(key))
    const name = front.slice(0, front.length - inside.length + start).replace(/[\s,;:([–-]+$/u, '')
    const taxCountries = (isOwn ? [] : (countriesOfTaxHeader.get(key) ?? [])).map((one) => one.toLowerCase())
    const isStated = (isOwn || isGlued) && /^[A-Z]{2}/.test(all)
    const tax = isStated || taxCountries.length > 0 ? readTaxNumber(all, taxCountries) : null
    const isName = /\p{L}{2}/u.test(name) || (name === '' && countries.length > 0)
    if ((!isOwn && tax === null) || !isName || isOfPersonsOnly([key], all, null)) continue
    const ofRow = countries.find((one) => new Set(countries).size === 1 || getPlace?.()?.has(one) === true)
    const place = tax?.country.toUpperCase() ?? ofRow ?? null
    const identifier = toStatedIdentifier('registration_id', tax?.number ?? number.trim(), place)
    return identifier === null ? null : { name: name === '' ? null : name, identifiers: [identifier] }
  }
  return null
}

/** Letters of scripts, and the Latin letters of their sound or shape. Built at the first use too. */
const readLetters = () => {
  const scripts = numberForms.latinLetters.map(({ latin, letters }) =>
    letters.split(' ').map((letter, at) => [letter.normalize('NFC'), latin.charAt(at)] as const),
  )
  const latin = new Map(scripts.flat())
  const any = [...latin.keys()].sort((a, b) => b.length - a.length).join('|')
  const inFront = new RegExp(String.raw`^(?:[A-Z]|${any}){1,3}(?=[\s./-]{0,2}\d)`, 'u')
  return { scripts, latin, any: new RegExp(any, 'gu'), inFront }
}
let scriptLetters: ReturnType<typeof readLetters> | null = null
const getLetters = () => (scriptLetters ??= readLetters())

/**
 * Writes the capitals in front of a number as the Latin letters of their sound or shape: `সি-99002/2016` is `C-99002/2016`.
 * Words for numbers and names of numbers stay.
 */
export function writeLatin(number: string): string {
  const { latin, any, inFront } = getLetters()
  const text = number.normalize('NFC').trim()
  const letters = inFront.exec(text)?.[0] ?? ''
  if (isPlainLabel(letters) || countriesOfHeader.has(toHeaderKey(letters))) return text
  return letters.replace(any, (letter) => latin.get(letter) ?? letter) + text.slice(letters.length)
}

/** Lists the parts of a number between its signs. Letters belong to the digits behind them. */
const splitParts = (text: string): string[] =>
  writeLatin(toPlainDigits(text.slice(0, 100)).toUpperCase())
    .replace(/\s+OF\s+/g, '/')
    .replace(/\s+|(?<=\p{L})[./-]+/gu, '')
    .split(/[./-]+/)

const joinParts = (parts: readonly string[]): string =>
  parts.map((part) => part.replace(/^(\p{L}*)0+(?=\d)/u, '$1')).join('/')

/** Year in a reading. */
const apart = / (\d\d) /

/** Lists the readings of a part as a year: the number with spaces around its last two digits, and its century, which many lists omit: `C-61234/06`. */
function listYears(text: string) {
  const parts = splitParts(text)
  return parts.flatMap((part, at) => {
    const [, letters = '', century = '', year = ''] = /^(\p{L}*)(1[89]|20)?(\d\d)$/u.exec(part) ?? []
    const key = `${joinParts(parts.slice(0, at))}${letters} ${year} ${joinParts(parts.slice(at + 1))}`
    return apart.test(key) && /\d/.test(key.replace(apart, '')) ? [{ key, century }] : []
  })
}

/**
 * Compares how two numbers write their year: `same` for `C-61234/06` and `C-061234/2006`, `open` where one of them has no year,
 * as `C-61234`; `null` for other numbers.
 */
export function compareYears(one: string, other: string): 'same' | 'open' | null {
  const [ours, theirs] = [listYears(one), listYears(other)]
  const isOneCentury = (a: string, b: string) => a === b || a === '' || b === ''
  const isSame = ours.some(({ key, century }) =>
    theirs.some((year) => year.key === key && isOneCentury(year.century, century)),
  )
  if (isSame) return 'same'
  const isBare = (text: string, years: typeof ours) =>
    years.some(({ key }) => key.replace(apart, '') === joinParts(splitParts(text)))
  return isBare(one, theirs) || isBare(other, ours) ? 'open' : null
}

/** Lists the writings of a number with its year in two and in four digits, and with its letters in other scripts. */
export function listWritings(text: string): string[] {
  const years = listYears(text).flatMap(({ key, century }) =>
    ['', ...(century === '' ? ['19', '20'] : [century])].map((first) => key.replace(apart, `/${first}$1/`)),
  )
  const all = [writeLatin(text), ...years]
  const letters = /^\p{Lu}{0,3}/u.exec(all[0] ?? '')?.[0] ?? ''
  const { scripts } = getLetters()
  const spell = (script: (typeof scripts)[number]) =>
    Array.from(letters, (letter) => script.find(([, one]) => one === letter)?.[0] ?? '?').join('')
  const fronts = [letters, ...(letters === '' ? [] : scripts.map(spell))]
  return fronts.flatMap((front) => all.map((one) => front + one.slice(letters.length)))
}
