import { formatCourtNumber, parseCourtNumber } from './court-numbers.js'
// `forms`: of numbers without spaces and signs, by country. `checks`: the remainder of the weighted digits of the first group
// gives the place of the check digit (the second group) in `digits`; at `+`, that with the weights `again`. `hybrid`: ISO 7064; `luhn`: ISO 7812.
import plainNumbers from './number-forms.json' with { type: 'json' }

/**
 * Company numbers of countries with numbers of a known form. Numbers are written with and without points, dashes and
 * leading zeros: the official form is the one to store and compare. `403170701` is `0403.170.701` in `be`.
 */

interface NumberKind {
  /** Names by which people call the number. */
  readonly names: readonly string[]
  /** Official form: each `#` is a digit or letter, everything else stays. */
  readonly form: string
  readonly isValid: (digits: string) => boolean
}

const splitDigits = (text: string): number[] => text.split('').map((digit) => parseInt(digit, 36))

/** Adds the digits, each multiplied by its weight. */
export function sumWeighted(digits: string, weights: readonly number[]): number {
  const values = splitDigits(digits)
  return weights.reduce((sum, weight, index) => sum + weight * (values[index] ?? 0), 0)
}

const sumLuhn = (digits: string): number =>
  splitDigits(digits)
    .reverse()
    .map((digit, at) => (at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2))
    .reduce((sum, digit) => sum + digit, 0)
export const isLuhn = (digits: string): boolean => sumLuhn(digits) % 10 === 0

/** The last digit is 11 less the weighted sum of the others; a remainder of 10 exists nowhere. */
const isMod11 =
  (...weights: readonly number[]) =>
  (digits: string): boolean =>
    (11 - (sumWeighted(digits, weights) % 11)) % 11 === Number(digits.at(-1))

/** Czechia and Slovakia: the last digit of 11 less the weighted sum of the others. */
const isIco = (digits: string): boolean =>
  (11 - (sumWeighted(digits, [8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === Number(digits.at(-1))

/** ISO 7064, MOD 11,10: each digit is added to twice the sum before it. */
function computeHybrid(digits: string): number {
  const add = (sum: number, digit: number) => (((sum + digit) % 10 || 10) * 2) % 11
  return (11 - splitDigits(digits).reduce(add, 10)) % 10
}

const isMod97 = (digits: string): boolean =>
  Number(digits.slice(8)) === 97 - (Number(digits.slice(0, 8)) % 97)
const isKbo = (digits: string): boolean => /^[01]/.test(digits) && isMod97(digits)
const isUnit = (digits: string): boolean => /^[2-8]/.test(digits) && isMod97(digits)
const isCvr = (digits: string): boolean => sumWeighted(digits, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
const isLatvian = (digits: string): boolean =>
  sumWeighted(digits, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 === 3

const cnpjWeights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
/** Returns the check digit of the first characters of a CNPJ, which may be letters. */
function computeCnpjCheck(text: string): number {
  const values = Array.from(text, (one) => one.charCodeAt(0) - 48)
  const sum = values.reduce((total, one, at) => total + one * (cnpjWeights[at + 13 - text.length] ?? 0), 0)
  return sum % 11 < 2 ? 0 : 11 - (sum % 11)
}

export const addCnpjChecks = (text: string): string =>
  [0, 1].reduce((all) => `${all}${computeCnpjCheck(all)}`, text)
const isCnpj = (text: string): boolean => addCnpjChecks(text.slice(0, 12)) === text

/** Spain: companies have a letter, seven digits, and a check digit or its letter. */
function isCif(text: string): boolean {
  if (!/^[A-HJNP-SUVW]\d{7}[\dA-J]$/.test(text)) return false
  const check = (10 - (sumLuhn(`${text.slice(1, 8)}0`) % 10)) % 10
  return text.endsWith(String(check)) || text.endsWith('JABCDEFGHI'.charAt(check))
}
const isNipc = (digits: string): boolean =>
  ((11 - (sumWeighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11) % 10 === Number(digits.at(-1))

/** ABN: the first digit less one, weighted, modulo 89. ACN: a check digit modulo 10. */
const isAbn = (digits: string): boolean =>
  (sumWeighted(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0
const isAcn = (digits: string): boolean =>
  (10 - (sumWeighted(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === Number(digits.at(-1))

/** Viet Nam: ten digits, and three of a branch behind those of its company. */
const isMst = (digits: string): boolean =>
  !digits.startsWith('000') &&
  10 - (sumWeighted(digits, [31, 29, 23, 19, 17, 13, 7, 5, 3]) % 11) === Number(digits.charAt(9))

const hasDigits = (): boolean => true

/** Kinds by country. Several kinds of one country differ in length. */
export const kinds: Readonly<Record<string, readonly NumberKind[]>> = {
  au: [
    { names: ['ACN'], form: '#########', isValid: isAcn },
    { names: ['ABN'], form: '###########', isValid: isAbn },
  ],
  be: [{ names: ['KBO', 'BCE'], form: '####.###.###', isValid: isKbo }],
  br: [{ names: ['CNPJ'], form: '##.###.###/####-##', isValid: isCnpj }],
  ca: [{ names: [], form: '######-#', isValid: hasDigits }],
  ch: [{ names: ['UID', 'IDE'], form: 'CHE-###.###.###', isValid: isMod11(5, 4, 3, 2, 7, 6, 5, 4) }],
  cz: [{ names: ['IČO', 'ICO'], form: '########', isValid: isIco }],
  dk: [{ names: ['CVR'], form: '########', isValid: isCvr }],
  es: [{ names: ['NIF', 'CIF'], form: '#########', isValid: isCif }],
  ee: [{ names: ['registrikood'], form: '########', isValid: (one) => !hasWrongPlainDigit('ee', one) }],
  fi: [{ names: ['Y-tunnus'], form: '#######-#', isValid: isMod11(7, 9, 10, 5, 8, 4, 2) }],
  fr: [{ names: ['SIREN'], form: '#########', isValid: isLuhn }],
  it: [{ names: ['codice fiscale', 'partita IVA'], form: '###########', isValid: isLuhn }],
  jp: [{ names: [], form: '####-##-######', isValid: hasDigits }],
  lv: [{ names: ['reģistrācijas numurs'], form: '###########', isValid: isLatvian }],
  lt: [{ names: ['įmonės kodas'], form: '#########', isValid: hasDigits }],
  nl: [{ names: ['KvK'], form: '########', isValid: hasDigits }],
  no: [{ names: ['org. nr.', 'orgnr'], form: '#########', isValid: isMod11(3, 2, 7, 6, 5, 4, 3, 2) }],
  pt: [{ names: ['NIPC', 'NIF'], form: '#########', isValid: isNipc }],
  se: [{ names: ['organisationsnummer'], form: '######-####', isValid: isLuhn }],
  sk: [{ names: [], form: '########', isValid: isIco }],
  tw: [{ names: ['統一編號'], form: '########', isValid: hasDigits }],
  vn: ['##########', '##########-###'].map((form) => ({ names: ['MST'], form, isValid: isMst })),
}

const isRegon9 = (digits: string): boolean =>
  (sumWeighted(digits, [8, 9, 2, 3, 4, 5, 6, 7]) % 11) % 10 === Number(digits.at(-1))
const isRegon14 = (digits: string): boolean =>
  (sumWeighted(digits, [2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8]) % 11) % 10 === Number(digits.at(-1))

/** La Poste has more sites than its numbers have check digits for. */
const isSiret = (digits: string): boolean =>
  isLuhn(digits) ||
  (digits.startsWith('356000000') && splitDigits(digits).reduce((sum, digit) => sum + digit, 0) % 5 === 0)

/** Numbers of companies that are not the number in the register. Check digits tell them from errors. */
const otherKinds: Readonly<Record<string, readonly NumberKind[]>> = {
  be: [{ names: ['establishment unit'], form: '#.###.###.###', isValid: isUnit }],
  fr: [{ names: ['SIRET'], form: '##############', isValid: isSiret }],
  pl: [
    { names: ['REGON'], form: '#########', isValid: isRegon9 },
    { names: ['REGON'], form: '##############', isValid: isRegon14 },
  ],
}

/** Zeros that tables lose. They are restored only where check digits confirm the number. */
const zerosLostMax = 3

/** Returns a number in the official form of its country (`be`); `null` for another length or a wrong check digit. */
export function toNationalNumber(country: string, text: string): string | null {
  const patterns = letteredNumbers.get(country)
  if (patterns !== undefined) return readLettered(patterns, text)
  if (country !== 'de') return findValid(kinds[country] ?? [], country, text)
  const number = parseCourtNumber(text)
  return number === null ? null : formatCourtNumber(number)
}

/** Reads a number with a letter, also with the name of its register around it: of Austria and Luxembourg. */
function readLettered(patterns: readonly (readonly [RegExp, string])[], text: string): string | null {
  const closed = closeNumber(text)
  const found = patterns.find(([one]) => one.test(closed))
  return found === undefined ? null : closed.replace(...found)
}

/**
 * Returns the number of the company in its register for a number as lists have it: `BE0403170701`, `165560125790`, a
 * VAT number that contains it, or the SIRET of a site. `null` if it is of no known kind, or has a wrong check digit.
 */
export function toCompanyNumber(country: string, text: string): string | null {
  const usual = writeUsual(country, text)
  const own = toNationalNumber(country, usual) ?? toNationalNumber(country, removePrefix(country, usual))
  const site = country === 'fr' ? findValid(otherKinds['fr'] ?? [], country, text) : null
  return own ?? site?.slice(0, 9) ?? (usual === text ? null : usual)
}

const writings = Object.entries(plainNumbers.writings).map(([form, to]) => [new RegExp(form), to] as const)
/** Writes a number of an EUID alone, and the two numbers of Romania's companies in one way; others stay. */
export function writeUsual(country: string, text: string): string {
  const whole = `${country.toUpperCase()} ${text.toUpperCase().replace(/\s/g, '')}`
  const usual = writings.reduce((rest, [form, to]) => rest.replace(form, to), whole)
  return usual === whole ? text : usual.slice(3)
}

/** Countries whose VAT or tax numbers are, or contain, the number of the company in its register. */
const taxCountries = 'au be br ch cz dk es fi fr it lv no pt se vn'.split(' ')

/**
 * Returns the company number in a VAT or tax number, with its country; `null` if it contains none. `countries`: those
 * that it may be of if it does not begin with one.
 */
export function readTaxNumber(
  text: string,
  countries: readonly string[],
): { country: string; number: string } | null {
  const stated = readTaxCountry(text)
  for (const country of [...(stated === null ? [] : [stated]), ...countries]) {
    const number = taxCountries.includes(country) ? toCompanyNumber(country, text) : null
    if (number !== null) return { country, number }
  }
  return null
}

/** Returns the country that a VAT number begins with; `null` without one. */
export const readTaxCountry = (text: string): string | null =>
  /^([A-Z]{2})[A-Z]?(?=[\dA-Z]{2}\d{3})/.exec(closeNumber(text))?.[1]?.toLowerCase() ?? null

/** Whether a number has the form of a site, in a country where this says nothing about the company's number. */
export const isSiteNumber = (country: string, text: string): boolean =>
  toCompanyNumber(country, text) === null && findValid(otherKinds[country] ?? [], country, text) !== null

/** Returns the form of which a number has all digits; `null` without one, `undefined` for a country without forms. */
export const findNumberForm = (country: string, text: string): string | null | undefined =>
  kinds[country] && (kinds[country].find(({ form }) => isWhole(form, country, text))?.form ?? null)

const isWhole = (form: string, country: string, text: string): boolean =>
  readBare(form, country, removePrefix(country, text))?.length === countDigits(form)

/** Letters and digits of VAT numbers and lists that are no part of a number, in addition to the country in front. */
const additions: Readonly<Record<string, RegExp>> = {
  ch: /(?:(?:HR|RC)?(?:MWST|TVA|IVA|VAT)|HR|RC)$/,
  fr: /^FR[\dA-Z]{2}(?=\d{9}$)/,
  no: /(?:MVA|FORETAKSREGISTERET)$/,
  se: /^(?:SE)?16(?=\d{10}$)|(?<=^SE\d{10})01$/,
}

/** Lists write the country before a number, and Sweden the century. */
export function removePrefix(country: string, text: string): string {
  const closed = closeNumber(text).replace(additions[country] ?? /$^/, '')
  const isOfForm = country === 'ch' && closed.startsWith('CHE')
  return !isOfForm && /^[A-Z]{2}[A-Z]?\d/.test(closed) && closed.startsWith(country.toUpperCase())
    ? closed.slice(2)
    : closed
}

/** Whether a number has the form of a kind of its country with check digits, and all of them are wrong. */
export function hasWrongCheckDigits(country: string, text: string): boolean {
  const known = [...(kinds[country] ?? []), ...(otherKinds[country] ?? [])]
  const bare = removePrefix(country, text)
  const fitting = known.filter(({ form }) => isWhole(form, country, text))
  if (hasWrongPlainDigit(country, bare)) return true
  return (
    fitting.length > 0 &&
    fitting.every(({ isValid }) => isValid !== hasDigits) &&
    findValid(known, country, text) === null &&
    findValid(known, country, bare) === null
  )
}

/** Returns a number without its spaces, points, dashes and slashes. */
export const closeNumber = (text: string): string => text.toUpperCase().replace(/[\s.\-/]/g, '')
const countDigits = (form: string): number => form.split('#').length - 1

const letteredForms: Readonly<Record<string, RegExp>> = {
  br: /^[A-Z\d]{0,12}\d{2}$/,
  es: /^[A-Z]\d{7}[A-Z\d]$/,
}

/** Returns the digits of a number without the letters of its form; `null` for other characters. */
function readBare(form: string, country: string, text: string): string | null {
  const closed = closeNumber(text)
  const prefix = /^[A-Z]+/.exec(form)?.[0] ?? ''
  const bare = closed.startsWith(prefix) ? closed.slice(prefix.length) : closed
  return (letteredForms[country] ?? /^\d+$/).test(bare) ? bare : null
}

function findValid(list: readonly NumberKind[], country: string, text: string): string | null {
  for (const { form, isValid } of list) {
    const bare = readBare(form, country, text)
    const length = countDigits(form)
    if (bare === null || bare.length > length) continue
    if (bare.length < length - (isValid === hasDigits ? 0 : zerosLostMax)) continue
    const whole = bare.padStart(length, '0')
    if (isValid(whole)) return writeForm(form, whole)
  }
  return null
}

function writeForm(form: string, digits: string): string {
  let at = 0
  return form.replace(/#/g, () => digits.charAt(at++))
}

export const numberCountries: readonly string[] = Object.keys(kinds)

/** Countries whose numbers have check digits that are known. */
export const checkedCountries: readonly string[] = [
  ...numberCountries.filter((country) => kinds[country]?.some(({ isValid }) => isValid !== hasDigits)),
  ...Object.keys(plainNumbers.checks),
].filter((country, at, all) => all.indexOf(country) === at)

/** Names of the numbers in registers, by which people call them. */
export const numberNames: readonly { readonly country: string; readonly name: string }[] = [
  ...Object.entries(plainNumbers.names).map(([country, names]) => [country, names.split('|')] as const),
  ...Object.entries(kinds).map(([country, list]) => [country, list.flatMap(({ names }) => names)] as const),
].flatMap(([country, names]) => names.map((name) => ({ country, name })))

const createForm = (form: string): RegExp => new RegExp(`^(?:${form})$`)
const createForms = (forms: Readonly<Record<string, string>>) =>
  new Map(Object.entries(forms).map(([country, form]) => [country, createForm(form)]))
const plainForms = createForms(plainNumbers.forms)
/** Tax numbers that are the number in the register, in countries where others have another form, or none is known. */
const taxForms = createForms(plainNumbers.taxForms)
export const letteredNumbers = new Map(
  Object.entries(plainNumbers.lettered).map(([country, patterns]) => [
    country,
    Object.entries(patterns).map(([pattern, written]) => [createForm(pattern), written] as const),
  ]),
)
const checkRules = new Map(
  Object.entries(plainNumbers.checks).map(([country, rules]) => [country, rules.map(createRule)]),
)

export type CheckRule = Readonly<Record<'form' | 'weights' | 'digits', string>> & { readonly again?: string }
export function createRule({ form, weights, digits, again = '' }: CheckRule) {
  const checks = digits.split(' ')
  const find = (number: string, factors: number[]) =>
    weights === 'hybrid' || weights === 'luhn'
      ? String(weights === 'luhn' ? (10 - (sumLuhn(`${number}0`) % 10)) % 10 : computeHybrid(number))
      : (checks[sumWeighted(number.padStart(factors.length, '0'), factors) % checks.length] ?? '')
  const [first, second] = [weights, again].map((text) => text.split(' ').map(Number)) as [number[], number[]]
  const compute = (number: string) =>
    find(number, first).replace('+', () => find(number, second).replace('+', '0'))
  return { form: createForm(form), compute }
}

/** Adds the check digit to a number of a country by the rule for numbers like it. */
export function addCheckDigit(country: string, number: string): string {
  const rules = checkRules.get(country) ?? []
  const rule = rules.find(({ form }) => form.test(`${number}0`)) ?? rules[0]
  return number + (rule?.compute(number) ?? '')
}

/** Whether a number without an official form here has a wrong check digit. */
function hasWrongPlainDigit(country: string, closed: string): boolean {
  const rule = checkRules.get(country)?.find(({ form }) => form.test(closed))
  const [, number = '', check] = rule?.form.exec(closed) ?? []
  return rule !== undefined && rule.compute(number) !== check
}

/** Countries in which a tax number may have the form of a company number. */
const ambiguousTaxForms: ReadonlySet<string> = new Set(['hr', 'kr', 'pl'])

/** Whether a number in a column of tax numbers is the company number of its country, as its form tells. */
export const isPlainCompanyNumber = (country: string, text: string): boolean =>
  (!ambiguousTaxForms.has(country) && hasPlainForm(country, text) === true) ||
  (taxForms.get(country)?.test(closeNumber(text)) === true && !hasWrongCheckDigits(country, text))

/** Whether a number has a form without official signs, and no wrong check digit; `null` for a country without such a form. */
export function hasPlainForm(country: string, text: string): boolean | null {
  const closed = closeNumber(text)
  const form = plainForms.get(country)
  return form === undefined ? null : form.test(closed) && !hasWrongPlainDigit(country, closed)
}
