import forms from './number-forms.json' with { type: 'json' }
import courts from './register-courts.json' with { type: 'json' }
import { toPlainLetters } from '../text.js'

/** A number of a German court. */
export interface CourtNumber {
  /** Official name in capitals; of a court that is not in the list, with `UE` for `Ü`. `null` if it is not stated. */
  readonly court: string | null
  /** `HRB`, `HRA`, `GNR`, `PR`, `VR` or `GSR`. */
  readonly register: string
  readonly digits: string
  /** Letters behind the digits of a court that took over other ones: `HL`. Empty text for most. */
  readonly letters: string
}

const { offices } = forms

const writeUmlauts = (text: string): string =>
  text.normalize('NFC').replace(/[äöü]/gi, (letter) => `${letter.normalize('NFD').charAt(0)}E`)
const toCourtKey = (text: string): string =>
  toPlainLetters(text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')).replace(/[^a-z]/g, '')

/** Official names by key: `munchen`, `muenchen` and the code `d2601` are one court. */
const courtNames = new Map(
  Object.entries(courts).flatMap(([code, names]) =>
    [code.toLowerCase(), ...names.flatMap((name) => [toCourtKey(name), toCourtKey(writeUmlauts(name))])].map(
      (key) => [key, (names[0] ?? '').toUpperCase()] as const,
    ),
  ),
)

const lostLetter = /(?<=\p{L})[?\uFFFD]+(?=\p{L})/u

/** Returns the official name of a German court in capitals, by its name or place, also `M?nchen`; `null` if unknown. */
export function findCourt(text: string): string | null {
  if (!lostLetter.test(text)) return courtNames.get(toCourtKey(text)) ?? null
  const parts = text.split(/[?\uFFFD]+/).map(toCourtKey)
  const pattern = new RegExp(`^${parts.join('[a-z]{1,2}')}$`)
  const found = new Set([...courtNames].filter(([key]) => pattern.test(key)).map(([, name]) => name))
  return found.size === 1 ? ([...found][0] ?? null) : null
}

const registerNumber =
  /(?<!\p{L})(HR[\s.-]?[AB]|GNR|GSR|PR|VR)(?:[\s.:#-]*(?:NUMMER|NR|NO))?[\s.:#-]*0*([1-9]\d{0,6})(?!\d)(?:\s?([A-Z]{1,3})(?![\p{L}?\uFFFD]))?/u
const courtCode = /(?<!\p{L})(?:DE)?([A-Z]\d{4})[A-Z]?(?![\p{L}\d])/u
const courtWords =
  /(?<!\p{L})(?:AMTSGERICHTS?|REGISTERGERICHTS?|HANDELSREGISTERS?|REGISTERS?|GERICHT|AG|HR|DES|BEIM|BEI|UNTER|EINGETRAGEN|LOCAL|COMMERCIAL|COURT|OF|NUMMER|NR|DE|GERMANY|DEUTSCHLAND)(?!\p{L})/gu
const courtCharsMax = 40

/** Reads a number of a German court in any spelling: `HRB 6684 (AG München)`, `D2601V HRB6684`; `null` for other texts. */
export function parseCourtNumber(text: string): CourtNumber | null {
  if (!/[HGPV]/i.test(text)) return null
  const capitals = text.normalize('NFC').toUpperCase().replaceAll('_', ' ')
  const found = registerNumber.exec(capitals)
  if (found === null) return null
  const [whole, register = '', digits = '', behind = ''] = found
  const after = capitals.slice(found.index + whole.length).replace(courtWords, ' ')
  const isCourt = behind === 'AG' || findCourt(behind) !== null || findCourt(behind + after) !== null
  const at = found.index + whole.length - (isCourt ? behind.length : 0)
  let rest = `${capitals.slice(0, found.index)} ${capitals.slice(at)}`
  const code = courtCode.exec(rest)
  if (code !== null) rest = rest.replace(code[0], ' ')
  rest = rest.replace(courtWords, ' ').trim()
  if (/\d/.test(rest) || rest.length > courtCharsMax) return null
  const named = rest.replace(/[^\p{L}]+/gu, ' ').trim()
  const isUnstated = named === '' || lostLetter.test(rest)
  const court = courtNames.get(code?.[1]?.toLowerCase() ?? '') ?? (named === '' ? null : findCourt(rest))
  return {
    court: court ?? (isUnstated ? null : writeUmlauts(named).toUpperCase()),
    register: register.replace(/[\s.-]/g, ''),
    digits,
    // Every number of Berlin may have a B.
    letters: isCourt || court === 'CHARLOTTENBURG' ? '' : behind,
  }
}

export const formatCourtNumber = ({ court, register, digits, letters }: CourtNumber): string =>
  `${court === null ? '' : `${court} `}${register} ${digits}${letters === '' ? '' : ` ${letters}`}`

/** Lists omit the letters behind the digits. */
export const isSameEntry = (one: CourtNumber | null, asked: CourtNumber): boolean =>
  one?.court === asked.court && one.register === asked.register && !areDifferentEntries(one, asked)

/** A company has one number in a register of Germany. Lists omit the court, and the letters behind the digits. */
export function areDifferentEntries(one: CourtNumber, other: CourtNumber): boolean {
  const differ = (a: string | null, b: string | null) => (a ?? '') !== '' && (b ?? '') !== '' && a !== b
  if (one.register !== other.register) return false
  return one.digits !== other.digits || differ(one.court, other.court) || differ(one.letters, other.letters)
}

/** Countries in which courts, chambers or offices give the same numbers. */
const withLocalOffices: ReadonlySet<string> = new Set(offices.countries.split(' '))

/** True if offices in a country each register the companies of their region (ISO 3166-1 code). */
export const hasLocalOffices = (countryCode: string): boolean =>
  withLocalOffices.has(countryCode.toLowerCase())

/** A number of one of the courts, chambers or offices that each register the companies of their region: `34512 TANGER`. */
export interface OfficeNumber {
  readonly number: string
  /** In capitals without marks; `null` if it is not stated. */
  readonly office: string | null
}

const joining = String.raw`(?:\s+(?:DE LA|DE L|DE|DU|DES|D|DEL|DELLA|DI|DA|DO|A|AU|OF|AT|IN)(?![\p{L}\d]))?`
const officeWords = new RegExp(String.raw`(?<![\p{L}\d])(?:${offices.words})\.?(?![\p{L}\d])${joining}`, 'gu')
const joiningFront = new RegExp(`^${joining.replace('\\s+', '')}\\s+`, 'u')
const officeDigits =
  /(?<![\p{L}\d])(?:(?:\d\d)?\d\d[ ./-]?[A-Z][ ./-]?\d{1,7}|(?:[A-Z]{1,2}[ -]?)?\d[\d./-]*(?:[A-Z](?![\p{L}\d]))?)(?![\p{L}\d])/gu

/** Folds a text to capitals without marks and signs. Arabic letters stay as written. */
const toOfficeText = (text: string): string =>
  (/\p{sc=Arab}/u.test(text) ? text.normalize('NFC') : toPlainLetters(text.normalize('NFKD').toLowerCase()))
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/(?<=(?<!\p{L})\p{L})\.(?=\p{L}|\s|$)/gu, '')
    .replace(/(?<=\d)\s*\/\s*(?=\p{L}{3})|(?<=\p{L}{3})\s*\/\s*(?=\d)|[°º#:;,،()'’_"]+/gu, ' ')

/** Returns the town of an office in capitals: `TANGER` for `Tribunal de commerce de Tanger`; `null` for no name. */
export function findOffice(text: string): string | null {
  const folded = toOfficeText(text)
  const cut = folded.replace(officeWords, ' ').replace(/^[\s-]+|[\s-]+$|(?<=\s)\s+/g, '')
  // In Arabic the word for "in" is a letter in front of the town.
  const town = cut === folded.trim() ? cut : cut.replace(joiningFront, '').replace(/^ب(?=\p{L}{3})/u, '')
  const isName = /^[\p{L} .-]+$/u.test(town) && /(?:\p{L}\P{L}*){3}/u.test(town)
  return isName && town.length <= courtCharsMax ? town : null
}

/** Reads a number of a local office, before or behind its town: `RC Tanger 34512`, `34512 (TC Tanger)`; `null` for other texts. */
function parseOfficeNumber(text: string): OfficeNumber | null {
  const folded = toOfficeText(text)
  const [found, ...others] = folded.replace(officeWords, ' ').match(officeDigits) ?? []
  if (found === undefined || others.length > 0) return null
  const rest = folded.replace(found, ' ')
  const number = found.trim().replace(/[./-]+$/, '')
  if (!/\p{L}/u.test(rest.replace(officeWords, ' '))) return { number, office: null }
  const office = findOffice(rest)
  return office === null ? null : { number, office }
}

export const formatOfficeNumber = ({ number, office }: OfficeNumber): string =>
  office === null ? number : `${number} ${office}`

/** In these countries, numbers of one of these forms are unique nevertheless, also behind the code of the country. */
const toUniqueForm = (country: string, form: string) =>
  new RegExp(`^(?:${country.toUpperCase()}(?=.{8}))?(?:${form})$`)
const uniqueForms = new Map<string, RegExp[]>(
  Object.entries(offices.unique).map(([code, forms]) => [code, forms.map((one) => toUniqueForm(code, one))]),
)

/** In these countries, only numbers of this form are those of courts: `1953 B 00045`, `RC 512`. Others are unique. */
const courtForm = /^(?:RC(?:S|CM)?)?(?:(?:\d\d)?\d\d[A-Z]\d{1,7}|\d{1,6})$/
const withCourtForm: ReadonlySet<string> = new Set(offices.courts.split(' '))
/** Letters for the country or the register, and for the court: `CI-ABJ-2018-B-12345`, `CD/KIN/RCCM/14-B-1234`. */
const codedCourt = /^(?:RCCM)?([A-Z]{2})(?!S\d|CM\d)[A-Z]{2,3}(?:RCCM)?(?:\d\d){1,3}[A-Z]\d+$/
const codesInFront = 'RC RB RG NI MA CA'.split(' ')
/** Returns the place of the form of a number that is unique in its country; -1 for other numbers. */
export function findUniqueForm(country: string, number: string): number {
  if (withCourtForm.has(country)) return /\d/.test(number) && !courtForm.test(number) ? 0 : -1
  return uniqueForms.get(country)?.findIndex((form) => form.test(number)) ?? -1
}

const closeOfficeNumber = (text: string): string => text.toUpperCase().replace(/[\s.\-/]/g, '')
/** Returns the country in a number with codes of country and court, `sn` of `SN-DKR-2010-B-1234`; `null` without. */
export function findCodedCountry(text: string): string | null {
  const code = codedCourt.exec(closeOfficeNumber(text))?.[1] ?? ''
  return withCourtForm.has(code.toLowerCase()) && !codesInFront.includes(code) ? code.toLowerCase() : null
}

/** Reads a number of a local office; `null` in other countries, and for numbers that are unique in the country. */
export function readOfficeNumber(country: string, text: string): OfficeNumber | null {
  if (country === 'de' || !hasLocalOffices(country)) return null
  const code = withCourtForm.has(country) ? codedCourt.exec(closeOfficeNumber(text))?.[1] : undefined
  if (findCodedCountry(text) !== null || codesInFront.includes(code ?? '')) return null
  // The chamber of Istanbul adds a zero: `445674-0`.
  const read = parseOfficeNumber(country === 'tr' ? text.replace(/(?<=(?<!\d)\d{3,6})-0(?!\d)/, '') : text)
  return read === null || findUniqueForm(country, closeOfficeNumber(read.number)) >= 0 ? null : read
}

/** Writes a number of a local office in one way: `34512 TANGER`. `place`: code of its country. Other numbers stay. */
export function writeOffice(place: string, text: string): string {
  const read = readOfficeNumber(place.trim().slice(0, 2).toLowerCase(), text)
  return read === null || read.office === null ? text : formatOfficeNumber(read)
}

/** Adds an office to a number of a local office that states none. Other texts stay. */
export function addOffice(country: string, text: string, office: string | null): string {
  const read = readOfficeNumber(country, text)
  const own = read?.office ?? office
  return read === null || own === null ? text : formatOfficeNumber({ ...read, office: own })
}

/** Lists the spellings of a number with a court, without signs: files write `2004B654` also as `2004B00654`. */
export function listOfficeKeys(number: string): string[] {
  const key = closeOfficeNumber(number).replace(/^0+/, '')
  const [, front = '', digits = ''] = /^([A-Z]*\d{2,4}[A-Z])0*([1-9]\d*)$/.exec(key) ?? []
  const forms = front === '' ? [] : [0, 4, 5, 6].map((length) => front + digits.padStart(length, '0'))
  return key === '' ? [] : [...new Set([key, ...forms])]
}
