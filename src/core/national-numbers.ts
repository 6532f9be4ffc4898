/**
 * Company numbers of countries whose register gives each company one number with a known form. Numbers are written with
 * and without points, dashes and leading zeros: the official form is the one to store and compare.
 *
 *     toNationalNumber('be', '403170701') // '0403.170.701'
 */

interface NumberKind {
  /** Names by which people call the number. */
  readonly names: readonly string[]
  /** Official form: each `#` is a digit or letter, everything else stays. */
  readonly form: string
  readonly isValid: (digits: string) => boolean
}

const splitDigits = (text: string): number[] => text.split('').map((digit) => parseInt(digit, 36))

function sumWeighted(digits: string, weights: readonly number[]): number {
  const values = splitDigits(digits)
  return weights.reduce((sum, weight, index) => sum + weight * (values[index] ?? 0), 0)
}

function isLuhn(digits: string): boolean {
  const sum = splitDigits(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = index % 2 === 0 ? digit : digit * 2
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}

/** The last digit is 11 less the weighted sum of the others; a remainder of 10 exists nowhere. */
const isMod11 =
  (...weights: readonly number[]) =>
  (digits: string): boolean =>
    (11 - (sumWeighted(digits, weights) % 11)) % 11 === Number(digits.at(-1))

/** Czechia and Slovakia: the last digit of 11 less the weighted sum of the others. */
const isIco = (digits: string): boolean =>
  (11 - (sumWeighted(digits, [8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === Number(digits.at(-1))

/** Estonia and Lithuania: a remainder of 10 is computed again with other weights. */
function isTwoRounds(digits: string): boolean {
  const count = digits.length - 1
  const weigh = (first: number) => Array.from({ length: count }, (_, index) => ((first + index - 1) % 9) + 1)
  const one = sumWeighted(digits, weigh(1)) % 11
  const check = one < 10 ? one : (sumWeighted(digits, weigh(3)) % 11) % 10
  return check === Number(digits.at(-1))
}

const cnpjWeights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]

function isCnpj(text: string): boolean {
  const values = text.split('').map((character) => character.charCodeAt(0) - 48)
  const check = (count: number) => {
    const sum = values
      .slice(0, count)
      .reduce((total, value, index) => total + value * (cnpjWeights[index + 13 - count] ?? 0), 0)
    return sum % 11 < 2 ? 0 : 11 - (sum % 11)
  }
  return check(12) === values[12] && check(13) === values[13]
}

/** ABN: the first digit less one, weighted, modulo 89. ACN: a check digit modulo 10. */
const isAbn = (digits: string): boolean =>
  (sumWeighted(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0
const isAcn = (digits: string): boolean =>
  (10 - (sumWeighted(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === Number(digits.at(-1))

const hasDigits = (): boolean => true

/** Kinds by country. Several kinds of one country differ in length. */
const kinds: Readonly<Record<string, readonly NumberKind[]>> = {
  au: [
    { names: ['ACN'], form: '#########', isValid: isAcn },
    { names: ['ABN'], form: '###########', isValid: isAbn },
  ],
  be: [
    {
      names: ['KBO', 'BCE'],
      form: '####.###.###',
      isValid: (digits) => Number(digits.slice(8)) === 97 - (Number(digits.slice(0, 8)) % 97),
    },
  ],
  br: [{ names: ['CNPJ'], form: '##.###.###/####-##', isValid: isCnpj }],
  ca: [{ names: [], form: '######-#', isValid: hasDigits }],
  ch: [
    {
      names: ['UID', 'IDE'],
      form: 'CHE-###.###.###',
      isValid: isMod11(5, 4, 3, 2, 7, 6, 5, 4),
    },
  ],
  cz: [{ names: ['IČO', 'ICO'], form: '########', isValid: isIco }],
  dk: [
    {
      names: ['CVR'],
      form: '########',
      isValid: (digits) => sumWeighted(digits, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    },
  ],
  ee: [{ names: ['registrikood'], form: '########', isValid: isTwoRounds }],
  fi: [{ names: ['Y-tunnus'], form: '#######-#', isValid: isMod11(7, 9, 10, 5, 8, 4, 2) }],
  fr: [{ names: ['SIREN'], form: '#########', isValid: isLuhn }],
  jp: [{ names: [], form: '####-##-######', isValid: hasDigits }],
  lv: [
    {
      names: ['reģistrācijas numurs'],
      form: '###########',
      isValid: (digits) => sumWeighted(digits, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 === 3,
    },
  ],
  lt: [{ names: ['įmonės kodas'], form: '#########', isValid: hasDigits }],
  nl: [{ names: ['KvK'], form: '########', isValid: hasDigits }],
  no: [{ names: ['org. nr.', 'orgnr'], form: '#########', isValid: isMod11(3, 2, 7, 6, 5, 4, 3, 2) }],
  se: [{ names: ['organisationsnummer'], form: '######-####', isValid: isLuhn }],
  sk: [{ names: [], form: '########', isValid: isIco }],
  tw: [{ names: ['統一編號'], form: '########', isValid: hasDigits }],
}

/** Zeros that tables lose. They are restored only where check digits confirm the number. */
const zerosLostMax = 3

/**
 * Returns a number in the official form of its country (`no`, `be`), or `null` if it does not have this form: another
 * number of digits, or a wrong check digit.
 */
export function toNationalNumber(country: string, text: string): string | null {
  const closed = text.toUpperCase().replace(/[\s.\-/]/g, '')
  for (const { form, isValid } of kinds[country] ?? []) {
    const prefix = /^[A-Z]+/.exec(form)?.[0] ?? ''
    const bare = closed.startsWith(prefix) ? closed.slice(prefix.length) : closed
    const length = form.split('#').length - 1
    const hasForm = country === 'br' ? /^[A-Z0-9]{12}\d{2}$/ : /^\d+$/
    if (!hasForm.test(bare) || bare.length > length) continue
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

const namedKinds = Object.entries(kinds).flatMap(([country, list]) =>
  list.flatMap(({ names }) => names.map((name) => ({ country, name }))),
)
const labelled = new RegExp(
  `^(${namedKinds.map(({ name }) => name.replaceAll('.', '\\.?')).join('|')})\\s*[:#]?\\s*(\\S.*)$`,
  'iu',
)

/** Reads a number under the name of its kind: `SIREN 552 032 534`. `null` for any other text. */
export function readNamedNumber(text: string): { readonly country: string; readonly value: string } | null {
  const [, label = '', number = ''] = labelled.exec(text.trim()) ?? []
  const fold = (name: string) => name.toLowerCase().replaceAll('.', '')
  for (const { country, name } of namedKinds) {
    if (fold(name) !== fold(label)) continue
    const value = toNationalNumber(country, number)
    if (value !== null) return { country: country.toUpperCase(), value }
  }
  return null
}
