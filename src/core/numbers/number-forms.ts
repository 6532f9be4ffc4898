import { findUniqueForm, hasLocalOffices, parseCourtNumber, readOfficeNumber } from './court-numbers.js'
import { addCheckDigit, closeNumber, sumWeighted, toNationalNumber } from './national-numbers.js'

/** Brazil: two check digits, each 11 less the weighted sum of those before. */
function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || /^(\d)\1*$/.test(digits)) return false
  return [9, 10].every((count) => {
    const weights = Array.from({ length: count }, (_, at) => count + 1 - at)
    return ((sumWeighted(digits, weights) * 10) % 11) % 10 === Number(digits[count])
  })
}

/** Spain: the letter is the remainder of the digits; X, Y and Z of foreigners are 0, 1 and 2. */
function isDni(text: string): boolean {
  if (!/^[\dXYZ]\d{7}[A-Z]$/.test(text)) return false
  const digits = text.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
  return text.endsWith('TRWAGMYFPDXBNJZSQVHLCKE'.charAt(Number(digits) % 23))
}

const isBelgian = (digits: string): boolean =>
  /^\d{11}$/.test(digits) &&
  ['', '2'].some((century) => 97 - (Number(century + digits.slice(0, 9)) % 97) === Number(digits.slice(9)))

const isPesel = (digits: string): boolean =>
  /^\d{11}$/.test(digits) && sumWeighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0

/** A day, a month and a year of two digits, or in the reverse order. */
const dayFirst = String.raw`(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}`
const yearFirst = String.raw`\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])`

/** Forms by country, without spaces and signs. Company numbers of the country have other ones. */
let personForms: ReadonlyMap<string, RegExp> | null = null
export const getPersonForms = (): ReadonlyMap<string, RegExp> => (personForms ??= createPersonForms())

const createPersonForms = (): ReadonlyMap<string, RegExp> =>
  new Map(
    String.raw`ae=784\d{12} ar=2[03-7]\d{9} at=\d{4}${dayFirst} bg,ua=\d{10} by=\d{7}[A-Z]\d{3}[A-Z]{2}\d ch=756\d{10}
  ba,hr,me,mk,rs,si=(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])[09]\d{8} cr=[1-9]\d{8}
  cn=[1-8]\d{5}(?:19|20)${yearFirst}\d{3}[\dX] co=1\d{9}\d?|\d{6,8} do,ng=\d{11} ec=\d{2}[0-5]\d{7}(?:\d{3})?
  ee=[1-6]${yearFirst}\d{4} eg=[23]\d{13} fr=[12]\d{5}[\dAB]\d{6}(?:\d{2})? hk=(?!F00)[A-Z]{1,2}\d{6}\(?[\dA]\)? hu=8\d{9}
  gb=[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D] id=[1-9]\d{15} ie=\d{7}[A-W][A-IW]? il=[0-4]\d{8}|\d{7,8}
  in=[2-9]\d{11}|(?:\d{2})?[A-Z]{3}P[A-Z]\d{4}[A-Z](?:[A-Z\d]Z[A-Z\d])? is=${dayFirst}\d{4} kz=${yearFirst}\d{6} lk=\d{9}[VX] md=[02]\d{12}
  it=[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPRST][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z] lt=[3-6]${yearFirst}\d{4}
  lv=(?:${dayFirst}|32\d{4})\d{5} mx=[A-ZÑ&]{4}${yearFirst}(?:[A-Z\d]{3}|[HMX][A-Z]{5}[A-Z\d]\d) ru,vn=\d{12}
  my=(?!19|20)${yearFirst}\d{6} no=[0-7]\d[0-4]\d{3}\d{5} pe=1[0-7]\d{9} pk=\d{13} za=${yearFirst}\d{7} pt=[123]\d{8}|45\d{7}
  py=(?!80)\d{6,8} ro=[1-9]${yearFirst}\d{6} sg=[STFGM]\d{7}[A-Z] th=[1-8]\d{12} tr=[1-9]\d{10} tw=[A-Z][12]\d{8}
  se=(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]|[6-8]\d|9[01])\d{4} uy=[1-6]?\d{7} ve=[VEP]\d{7,9}`
      .split(/\s+/)
      .map((line) => line.split('=') as [string, string])
      .flatMap(([countries, pattern]) =>
        countries.split(',').map((country): [string, RegExp] => [country, new RegExp(`^(?:${pattern})$`)]),
      ),
  )

const koreanForm = new RegExp(`^${yearFirst}[1-8]\\d{6}$`)
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

export const personTests = new Map<string, (closed: string, text: string) => boolean>(
  Object.entries({ be: isBelgian, br: isCpf, cl: isChilean, es: isDni, kr: isKorean, pl: isPesel }),
)

const isOfPersons = (country: string, closed: string, text: string): boolean =>
  personTests.get(country)?.(closed, text) ?? getPersonForms().get(country)?.test(closed) ?? false

/** Numbers that are known by their signs, whatever the country: of Brazil, Belgium, the United States, Finland, Denmark. */
const written: readonly RegExp[] = [
  /^(?:\d{3}\.\d{3}\.\d{3}-\d{2}|\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2})$/,
  /^(?!000|666|9)\d{3}-\d{2}-\d{4}$/,
  /^[0-3]\d[01]\d{3}[-+A-FU-Y]\d{3}[\dA-Y]$/,
  new RegExp(`^${dayFirst}-\\d{4}$`),
]

/** Czechia and Slovakia add 50 or 20 to the months of some. */
const birthNumber = /^\d{2}[0-35-8]\d[0-3]\d\/\d{3,4}$/

/**
 * Whether a number is the tax or identity number of a person, as far as its form or its check digits tell. `countries`: those
 * of which it may be, as codes (`BR`, `us_de`).
 */
export function isPersonNumber(text: string, countries: readonly string[]): boolean {
  const trimmed = text.trim().toUpperCase()
  const codes = [...new Set(countries.map((country) => country.slice(0, 2).toLowerCase()))]
  const closed = closeNumber(text)
  return (
    written.some((pattern) => pattern.test(trimmed)) ||
    [...codes, 'it'].some((country) => isOfPersons(country, closed, trimmed)) ||
    ((codes.includes('cz') || codes.includes('sk')) && birthNumber.test(trimmed))
  )
}

/** A name and its identifiers in brackets. A number has brackets with letters or digits too: `N(PVS) 2187`. */
export const withBrackets = /^(.*\S)\s*\(((?:[^()]|\([A-Z\d]{1,8}\))+)\)$/i
/** Returns a number without the brackets in it, which a list of identifiers cannot have elsewhere. */
export const dropInnerBrackets = (number: string): string =>
  number.replace(/(?<=[A-Z\d]\s?)\([A-Z\d]{1,8}\)/gi, '')

/** An EIN in its usual form, which no other country has. */
export const isEin = (text: string): boolean => /^\d{2}-\d{7}$/.test(text)

/** A number of a company that contains another number of it. */
interface NestedKind {
  /** Without punctuation; the group is the number in it. */
  readonly whole: RegExp
  /** Adds the check digits, if nothing else is added. */
  readonly addChecks?: { readonly to: RegExp; readonly add: (part: string) => string }
}

const addAbnChecks = (acn: string) =>
  `${99 - (sumWeighted(acn, [3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89)}${acn}`
const addJapaneseCheck = (number: string) =>
  `${9 - (sumWeighted(number, [2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]) % 9)}${number}`

/** Numbers with and without check digits or a site, and those that contain a number of another kind: ABN and ACN. */
const nestedKinds: Readonly<Record<string, NestedKind>> = {
  au: { whole: /^\d\d(\d{9})$/, addChecks: { to: /^\d{9}$/, add: addAbnChecks } },
  bg: { whole: /^(\d{9})\d{4}$/ },
  ca: { whole: /^(\d{9})R[CMPTZ]\d{4}$/ },
  cl: {
    whole: /^(\d{8})[\dK]$/,
    addChecks: { to: /^[5-9]\d{7}$/, add: (part) => addCheckDigit('cl', part) },
  },
  cn: { whole: /^[\dA-Z]{8}([\dA-Z]{9})[\dA-Z]$/ },
  co: { whole: /^(\d{9})\d$/, addChecks: { to: /^\d{9}$/, add: (part) => addCheckDigit('co', part) } },
  hu: { whole: /^(\d{8})[1-5]\d\d$/ },
  jp: { whole: /^\d(\d{12})$/, addChecks: { to: /^\d{12}$/, add: addJapaneseCheck } },
  pl: { whole: /^(\d{9})\d{5}$/ },
  py: { whole: /^(80\d{6})\d$/, addChecks: { to: /^80\d{6}$/, add: (part) => addCheckDigit('py', part) } },
  si: { whole: /^(\d{7})\d{3}$/ },
}

/**
 * Returns the company's number that another number of it contains: the ACN in an ABN. `null` for other numbers, such as
 * the ABN of a trust, in which the digits are no ACN.
 */
export function toContainedNumber(country: string, number: string): string | null {
  const kind = nestedKinds[country]
  const closed = closeNumber(number)
  const part = kind?.whole.exec(closed)?.[1]
  if (part === undefined || (kind?.addChecks !== undefined && kind.addChecks.add(part) !== closed))
    return null
  return country === 'au' && toNationalNumber('au', part) !== part ? null : part
}

/** Letters in front of numbers, where they are not the country's. */
const prefixes: Readonly<Record<string, string>> = { gr: 'EL', jp: 'T', ng: 'RC' }

/**
 * Returns the other numbers of the company that follow from one of them, without punctuation: with and without its
 * country, as VAT numbers have it, and those that contain each other.
 */
export function listNestedNumbers(country: string, number: string): string[] {
  const closed = closeNumber(number)
  const prefix = prefixes[country] ?? country.toUpperCase()
  const isPrefixed = prefix !== '' && closed.startsWith(prefix) && /^[A-Z]{1,2}\d{4,}$/.test(closed)
  const bare = isPrefixed ? closed.slice(prefix.length) : closed
  const checks = nestedKinds[country]?.addChecks
  const whole = checks?.to.test(bare) === true ? checks.add(bare) : null
  const all = [bare, toContainedNumber(country, bare), whole, /^\d{6,}$/.test(bare) ? prefix + bare : null]
  return all.filter((one) => one !== null).filter((one) => one !== closed)
}

/** Countries in which each state has a register, with the same numbers as others. */
const withStateRegisters: ReadonlySet<string> = new Set('ae ca us'.split(' '))

/** Returns the kind of a number that is unique in a country of local registers (`de HRB`); `null` for other ones. */
export function findUniqueKind(country: string, number: string): string | null {
  if (country === 'de') {
    const parsed = parseCourtNumber(number)
    return parsed === null || parsed.court === null ? null : `de ${parsed.register}`
  }
  const local = readOfficeNumber(country, number)
  if (local !== null) return local.office === null ? null : `${country} office`
  // Only the numbers of Canada itself have a dash.
  const official = country === 'ca' ? number : closeNumber(toNationalNumber(country, number) ?? number)
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
