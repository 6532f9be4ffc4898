import { findUniqueForm, hasLocalOffices, parseCourtNumber, readOfficeNumber } from './court-numbers.js'
import {
  addCheckDigit,
  addCnpjChecks,
  closeNumber,
  createRule,
  findNumberForm,
  hasPlainForm,
  hasWrongCheckDigits,
  isLuhn,
  isPlainCompanyNumber,
  letteredNumbers,
  readTaxCountry,
  readTaxNumber,
  removePrefix,
  sumWeighted,
  toCompanyNumber,
  toNationalNumber,
  writeUsual,
  type CheckRule,
} from './national-numbers.js'
import forms from './number-forms.json' with { type: 'json' }
import { countriesOfAdded, countriesOfHeader, countriesOfPersons, listBareNumbers } from '../identifiers.js'

/** Brazil: two check digits, each 11 less the weighted sum of those before. */
function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || /^(\d)\1*$/.test(digits)) return false
  const sum = (count: number) => sumWeighted(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].slice(10 - count))
  return [9, 10].every((count) => ((sum(count) * 10) % 11) % 10 === Number(digits[count]))
}

const isBelgian = (digits: string): boolean =>
  /^\d{11}$/.test(digits) &&
  ['', '2'].some((century) => 97 - (Number(century + digits.slice(0, 9)) % 97) === Number(digits.slice(9)))

/** Czechia and Slovakia add 50 or 20 to the months of some. Those born before 1954 have nine digits, without a check digit. */
const birthDigits =
  /^(?:\d\d(?=\d{8}$)|(?:[0-4]\d|5[0-3])(?=\d{7}$))(?:[05][1-9]|[16][0-2])(?:0[1-9]|[12]\d|3[01])\d{3,4}$/
const isBirthNumber = (digits: string): boolean =>
  birthDigits.test(digits) && (digits.length === 9 || Number(digits) % 11 === 0)
const { persons } = forms
const fillDates = (pattern: string): string =>
  pattern.replaceAll('{dmy}', persons.dates.dmy).replaceAll('{ymd}', persons.dates.ymd)
export const createForms = (patterns: Readonly<Record<string, string>>): ReadonlyMap<string, RegExp> =>
  new Map(
    Object.entries(patterns).flatMap(([countries, pattern]) => {
      const form = new RegExp(`^(?:${fillDates(pattern)})$`)
      return countries.split(',').map((country) => [country, form] as const)
    }),
  )

/** Forms are compiled when they are used first. */
const whenUsed = (patterns: Readonly<Record<string, string>>) => {
  let compiled: ReadonlyMap<string, RegExp> | null = null
  return () => (compiled ??= createForms(patterns))
}
/** Forms by country, without spaces and signs. Company numbers of the country have other ones. */
export const getPersonForms = whenUsed(persons.forms)
/** Forms of numbers that begin with zeros, which spreadsheets drop. */
const getZeroForms = whenUsed(persons.lostZeros)

const koreanForm = new RegExp(`^${persons.dates.ymd}[1-8]\\d{6}$`)
/** Companies of Korea have numbers of the same form with another check digit. */
const isKorean = (digits: string): boolean =>
  koreanForm.test(digits) &&
  (10 - (sumWeighted(digits, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10)) % 10 !== Number(digits.at(-1))

/** Chile: companies have eight digits from 5 on, and lists also write them without their check digit. */
function isChilean(closed: string, text: string): boolean {
  const isGrouped = /^[5-9]\d\.\d{3}\.\d{3}$/.test(text)
  if (isGrouped || !/^(?:[1-3]\d{7}|[1-9]\d{6})[\dK]$/.test(closed)) return false
  const mayBeCompany = /^[5-9]\d{7}$/.test(closed) && !/-\d$/.test(text)
  return !mayBeCompany || addCheckDigit('cl', closed.slice(0, -1)) === closed
}

/** Tests the form and the check digit. Letters in front, which foreigners in Spain have, are digits. */
function createTest(rule: CheckRule) {
  const { form, compute } = createRule(rule)
  return (closed: string): boolean => {
    const [, number = '', check] =
      form.exec(closed.replace(/^[XYZ]/, (one) => String('XYZ'.indexOf(one)))) ?? []
    return check !== undefined && compute(number) === check
  }
}

/** Viet Nam: old numbers have nine digits, as those of companies do without their first zero. */
const isVietnamese = (closed: string): boolean =>
  getPersonForms().get('vn')?.test(closed) === true &&
  (closed.length !== 9 || hasWrongCheckDigits('vn', `0${closed}`))

const birthTests = { cz: isBirthNumber, kr: isKorean, sk: isBirthNumber }
export const personTests = new Map<string, (closed: string, text: string) => boolean>([
  ...Object.entries({ be: isBelgian, br: isCpf, cl: isChilean, vn: isVietnamese, ...birthTests }),
  ...Object.entries(persons.checks).map(([country, rule]) => [country, createTest(rule)] as const),
])

/** Forms by country with their signs, which tell numbers of persons from others with as many digits. */
const getSignedForms = whenUsed(persons.signed)
const isOfPersons = (country: string, closed: string, text: string): boolean =>
  getSignedForms().get(country)?.test(text) === true ||
  (personTests.get(country)?.(closed, text) ?? getPersonForms().get(country)?.test(closed) ?? false)
/** Countries whose check digits do not tell companies from persons. */
const withSharedChecks: ReadonlySet<string> = new Set(persons.sharedChecks.split(' '))

/** Whether a number is that of a person with its leading zeros, and not that of a company without them. */
function isWithoutZeros(country: string, closed: string): boolean {
  const form = getZeroForms().get(country)
  const restored = ['0', '00', '000'].map((zeros) => zeros + closed)
  // The numbers may be those of companies, here or in a country with headers like these: check digits tell.
  const isLuhnOnly = country === 'se' || (country === 'do' && closed.length === 9)
  const isPersons = (one: string) => isOfPersons(country, one, one) && (!isLuhnOnly || isLuhn(one))
  if (form === undefined || !restored.some((one) => form.test(one) && isPersons(one))) return false
  const isOfCompanies = (rateNumber(country, closed) ?? 0) > 0 || rateNumber(country, `0${closed}`) === 3
  return withSharedChecks.has(country) || !isOfCompanies || hasWrongCheckDigits(country, closed)
}

/**
 * Returns how well a text fits the company numbers of a country (`fr`): 3 with check digits or letters, 2 by the count of
 * its digits, 1 with restored zeros, 0 if it does not fit; `null` for a country without known forms.
 */
export function rateNumber(country: string, text: string): 0 | 1 | 2 | 3 | null {
  const closed = closeNumber(text)
  const isOfForm = hasPlainForm(country, text)
  const isPlain = !['at', 'de', 'lu'].includes(country) && findNumberForm(country, text) === undefined
  const changeLast = (one: string) => one.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
  if (isPlain || isOfForm === true) {
    if (isOfForm !== true) return isOfForm === null ? null : 0
    return /[A-Z]/.test(closed) || hasWrongCheckDigits(country, changeLast(closed)) ? 3 : 2
  }
  const number = toCompanyNumber(country, text)
  if (number === null) return 0
  if (text.replace(/\D/g, '').length < number.replace(/\D/g, '').length) return 1
  const other = changeLast(number)
  return other === number || toNationalNumber(country, other) === null ? 3 : 2
}

const getStatedForms = whenUsed(forms.statedForms)
/** Returns the country that a number states by its first letters, by a form that only one has, or by 21 characters of India. */
export function findStatedCountry(text: string): string | null {
  const only = [...getStatedForms()].find(([, form]) => form.test(text.trim().toUpperCase()))?.[0]
  if (only !== undefined) return only
  const front = readTaxCountry(text)
  const found = readTaxNumber(text, [])?.country
  if (found !== undefined || front === null || !isPlainCompanyNumber(front, text))
    return found ?? (closeNumber(text).length === 21 && rateNumber('in', text) === 3 ? 'in' : null)
  return front
}

/** Whether a company of a country may have a number, also one that has lost its zero; of one without known forms, any. */
export function mayBeCompanyNumber(country: string, text: string): boolean {
  if (hasWrongCheckDigits(country, text)) return false
  const isKnown = findNumberForm(country, text) !== undefined
  if (isKnown) return toCompanyNumber(country, text) !== null || hasPlainForm(country, text) === true
  return [text, `0${closeNumber(text)}`].some((one) => hasPlainForm(country, one) !== false)
}

/** Brazil: also with wrong check digits, but not in other countries: Colombia has the same signs before them. */
const writtenCpf = /^\d{3}\.\d{3}\.\d{3}-\d{2}$/
/** Numbers that are known by their signs, whatever the country: of Belgium, the United States, Ghana, Finland, Denmark. */
const getWrittenForms = whenUsed({ any: persons.written.join('|') })
const getMistypedForms = whenUsed(persons.orMistyped)
/** Whether a number of a person, by its form, may also be that of a company with a wrong digit. It is not sent. */
export const mayBeMistyped = (text: string, countries: readonly string[]): boolean =>
  countries.some((one) => getMistypedForms().get(one.slice(0, 2).toLowerCase())?.test(closeNumber(text)))

/** Signs and words between several numbers in a cell. */
const betweenNumbers = /[;|,:\n]|\s[/-]\s|\s(?:y|e|et|and|und|i|и)\s/i
const betweenCompanies = new RegExp(forms.betweenCompanies, 'iu')
/** Splits a text with several numbers; a part without three digits is no number. */
export const splitNumbers = (text: string): string[] =>
  text.split(betweenCompanies).flatMap((part) => (/(?:\d\D*){3}/.test(part) ? [part.trim()] : []))

/**
 * Whether a text is or has the tax or identity number of a person, as far as its form or its check digits tell, with or without
 * its country, a label and leading zeros. `countries`: those of which it may be, as codes (`BR`, `us_de`).
 */
export function isPersonNumber(text: string, countries: readonly string[]): boolean {
  const codes = [...new Set(countries.map((country) => country.slice(0, 2).toLowerCase()))]
  const parts = [text, ...text.split(betweenNumbers)].map((part) => part.trim().toUpperCase())
  const all = new Set(parts.flatMap((part) => [part, ...listBareNumbers(part)]))
  return [...all].some((one) => isOnePersonNumber(one, codes))
}

function isOnePersonNumber(trimmed: string, codes: readonly string[]): boolean {
  const closed = closeNumber(trimmed)
  const mayBeCpf = !codes.includes('co') || codes.includes('br') || isCpf(closed)
  return (
    (mayBeCpf && writtenCpf.test(trimmed)) ||
    getWrittenForms().get('any')?.test(trimmed) === true ||
    [...codes, 'it'].some((country) => isOfPersons(country, closed, trimmed)) ||
    codes.some((country) => {
      const bare = removePrefix(country, trimmed)
      return bare !== closed && isOfPersons(country, bare, bare)
    }) ||
    (!codes.some((country) => rateNumber(country, closed) === 3 && !hasWrongCheckDigits(country, closed)) &&
      codes.some((country) => isWithoutZeros(country, removePrefix(country, trimmed))))
  )
}

/** Whether a number is a person's, if its names are those of companies only in other countries: `CIN` in Morocco. `place`: that of the row, if known. */
export function isOfPersonsOnly(keys: readonly string[], number: string, place: string | null): boolean {
  const list = (map: typeof countriesOfHeader) => keys.flatMap((key) => map.get(key) ?? [])
  const companies = [...list(countriesOfHeader), ...list(countriesOfAdded)]
  const persons = list(countriesOfPersons).filter((one) => !companies.includes(one))
  if (companies.length === 0 || persons.length === 0) return false
  if (companies.some((one) => rateNumber(one.toLowerCase(), number) === 3)) return false
  return place === null ? isPersonNumber(number, persons) : persons.includes(place.slice(0, 2))
}

/** A name and its identifiers in brackets. A number has brackets with letters or digits too: `N(PVS) 2187`. */
export const withBrackets = /^(.*\S)\s*\(((?:[^()]|\([A-Z\d]{1,8}\))+)\)$/i
/** Returns a number without the brackets in it, which a list of identifiers cannot have elsewhere. */
export const dropInnerBrackets = (number: string): string =>
  number.replace(/(?<=[A-Z\d]\s?)\([A-Z\d]{1,8}\)/gi, '')

/** An EIN in its usual form, which no other country has. */
export const isEin = (text: string): boolean => /^\d{2}-\d{7}$/.test(text)

const addAbnChecks = (acn: string) =>
  `${99 - (sumWeighted(acn, [3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89)}${acn}`
const addJapaneseCheck = (number: string) =>
  `${9 - (sumWeighted(number, [2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]) % 9)}${number}`
function addChecks(country: string, part: string): string {
  if (country === 'au') return addAbnChecks(part)
  if (country === 'ba') return `4${part}`
  if (country === 'tr') return `0${part}00001`
  return country === 'jp' ? addJapaneseCheck(part) : addCheckDigit(country, part)
}

/**
 * Numbers with and without check digits or a site, and those that contain a number of another kind: ABN and ACN. `part`: the form
 * of numbers that only lack the other digits, `hasSites`: of any site. `isCut`: the whole contains no check digit of the part.
 */
function findNestedKind(country: string) {
  const kinds: Readonly<Record<string, NestedKind>> = forms.nested
  const { whole = '$^', part, isCut = false, hasSites = false } = kinds[country] ?? {}
  const toForm = (text: string) => new RegExp(`^${text}$`)
  return { whole: toForm(whole), part: part === undefined ? null : toForm(part), isCut, hasSites }
}
type NestedKind = { whole: string; part?: string; isCut?: boolean; hasSites?: boolean }

/**
 * Returns the company's number that another number of it contains: the ACN in an ABN. `null` for other numbers, such as
 * the ABN of a trust, in which the digits are no ACN.
 */
export function toContainedNumber(country: string, number: string): string | null {
  const kind = findNestedKind(country)
  const closed = closeNumber(number)
  const part = kind.whole.exec(closed)?.[1]
  const isWhole = kind.part === null || kind.hasSites || addChecks(country, part ?? '') === closed
  if (part === undefined || !isWhole) return null
  if (kind.isCut) return addCheckDigit(country, part)
  return country === 'au' && toNationalNumber('au', part) !== part ? null : part
}

/** Letters in front of numbers, where they are not the country's. */
const prefixes: Readonly<Record<string, string>> = { gr: 'EL', jp: 'T', ng: 'RC', pk: 'NTN' }
/** Forms of numbers whose letters are those of a year or of the name, and not of a register: of Albania and Mexico. */
const getSerialForms = whenUsed(forms.serialLetters)
/** Whether a number has letters that are a part of it, so that numbers with other letters are of the same register. */
export const hasSerialLetters = (country: string, closed: string): boolean =>
  getSerialForms().get(country)?.test(closed) === true

/**
 * Returns the other numbers of the company that follow from one of them, without punctuation: with and without its
 * country, as VAT numbers have it, and those that contain each other.
 */
export function listNestedNumbers(country: string, number: string): string[] {
  const closed = closeNumber(number)
  const prefix = prefixes[country] ?? country.toUpperCase()
  const rest = closed.slice(prefix.length)
  const isNumber = /^\d{4,}$/.test(rest) || hasSerialLetters(country, rest)
  const bare = prefix !== '' && closed.startsWith(prefix) && isNumber ? rest : closed
  const whole = findNestedKind(country).part?.test(bare) === true ? addChecks(country, bare) : null
  const added = /^\d{6,}$/.test(bare) || hasSerialLetters(country, bare) ? prefix + bare : null
  const all = [bare, toContainedNumber(country, bare), whole, added]
  return all.filter((one) => one !== null).filter((one) => one !== closed)
}

/** Establishments of a company in a country, in the digits behind its number. */
const establishments = new Map(Object.entries(forms.establishments))
/** Returns the number of the head office of a branch whose number contains that of the company; `null` for others. */
export function toHeadOfficeNumber(country: string, text: string): string | null {
  const { form = '', head = '' } = establishments.get(country) ?? {}
  const company = form === '' ? undefined : new RegExp(`^(${form})\\d+$`).exec(closeNumber(text))?.[1]
  if (company !== undefined) return closeNumber(text) === `${company}${head}` ? null : `${company}${head}`
  const number = country === 'br' || country === 'vn' ? toNationalNumber(country, text) : null
  if (number === null || country === 'vn') return number?.includes('-') === true ? number.slice(0, 10) : null
  const main = toNationalNumber(country, addCnpjChecks(`${closeNumber(number).slice(0, 8)}0001`))
  return main === number ? null : main
}

/** True for the number of a branch, if `number` is that of its company. */
export function isNumberOfBranch(
  { place, value }: { readonly place: string | null; readonly value: string },
  number: string,
): boolean {
  const country = place?.slice(0, 2).toLowerCase() ?? ''
  const [asked, held] = [value, number].map((one) => closeNumber(writeUsual(country, one)))
  return asked !== held && held === closeNumber(toHeadOfficeNumber(country, value) ?? '')
}

/** Describes the likely typing error in a number that differs from another one in one character, or also in its country; else empty. */
export function describeTypingError(country: string, right: string, typed: string): string {
  // Its check digit is wrong, and the register stores none.
  if (findNestedKind(country).whole.exec(closeNumber(typed))?.[1] === closeNumber(right)) return ''
  const bare = [right, typed].map((text) => removePrefix(country, text))
  const [one = '', other = ''] = bare.every((text) => /^[A-Z]/.test(text))
    ? bare
    : bare.map((text) => text.replace(/^[A-Z]{1,2}(?=\d)/, ''))
  const [long, short] = one.length > other.length ? [one, other] : [other, one]
  const isOneLonger = Array.from(long).some((_, at) => long.slice(0, at) + long.slice(at + 1) === short)
  if (isOneLonger) return `one character is ${long === one ? 'missing' : 'too many'}`
  const at = Array.from(one).findIndex((character, index) => character !== other.charAt(index))
  if (at < 0 || long.length !== short.length) return ''
  if (one.slice(at + 1) === other.slice(at + 1)) return 'one character differs'
  const isSwapped = one.charAt(at + 1) + one.charAt(at) + one.slice(at + 2) === other.slice(at)
  return isSwapped ? 'two neighbouring characters are swapped' : ''
}

/** Writes a number that states its letter without the names of registers and towns around it, where its letters tell it from them. */
export function writeLettered(country: string, text: string): string {
  const number = letteredNumbers.has(country) ? toNationalNumber(country, text) : null
  return number === null || hasPlainForm(country, text) !== false ? text : number
}

/** Each state has a register, with the same numbers as others. */
const withStateRegisters = new Set(['ae', 'ca', 'us'])

/** Returns the kind of a number that is unique in a country of local registers (`de HRB`); `null` for other ones. */
export function findUniqueKind(country: string, number: string): string | null {
  const entry = country === 'de' ? parseCourtNumber(number) : undefined
  if (entry !== undefined) return entry === null || entry.court === null ? null : `de ${entry.register}`
  const local = readOfficeNumber(country, number)
  if (local !== null) return local.office === null ? null : `${country} office`
  // Only the numbers of Canada itself have a dash.
  const official = country === 'ca' ? number.trim() : closeNumber(toNationalNumber(country, number) ?? number)
  const at = findUniqueForm(country, official)
  return at < 0 ? null : `${country} ${at}`
}

/**
 * Returns the numbering in which a number identifies one company: its place (`no`, `us_de`), or its kind in a country of
 * local registers. `null` if several companies may have the number, for example without its court.
 */
export function findNumbering(place: string, number: string): string | null {
  const [country = '', region = ''] = place.toLowerCase().split(/[_-]/)
  const isOneRegister = !hasLocalOffices(country) && (!withStateRegisters.has(country) || region !== '')
  return findUniqueKind(country, number) ?? (isOneRegister && place !== '' ? place : null)
}
