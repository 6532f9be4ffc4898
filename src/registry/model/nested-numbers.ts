import { closeNumber, toNationalNumber } from '../../core/national-numbers.js'

/** A number of a company that contains another number of it. */
interface NestedKind {
  /** Without punctuation; the group is the number in it. */
  readonly whole: RegExp
  /** Adds the check digits, if nothing else is added. */
  readonly addChecks?: { readonly to: RegExp; readonly add: (part: string) => string }
}

const weigh = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0)

const addAbnChecks = (acn: string) => `${99 - (weigh(acn, [3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89)}${acn}`
const addJapaneseCheck = (number: string) =>
  `${9 - (weigh(number, [2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]) % 9)}${number}`
function addNitCheck(number: string): string {
  const rest = weigh(number, [41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11
  return `${number}${rest < 2 ? rest : 11 - rest}`
}

/** Australia: ABN and ACN. China: credit code and organization code. Canada: accounts of a business number. */
const nestedKinds: Readonly<Record<string, NestedKind>> = {
  au: { whole: /^\d\d(\d{9})$/, addChecks: { to: /^\d{9}$/, add: addAbnChecks } },
  bg: { whole: /^(\d{9})\d{4}$/ },
  ca: { whole: /^(\d{9})R[CMPTZ]\d{4}$/ },
  cn: { whole: /^[\dA-Z]{8}([\dA-Z]{9})[\dA-Z]$/ },
  co: { whole: /^(\d{9})\d$/, addChecks: { to: /^\d{9}$/, add: addNitCheck } },
  hu: { whole: /^(\d{8})[1-5]\d\d$/ },
  jp: { whole: /^\d(\d{12})$/, addChecks: { to: /^\d{12}$/, add: addJapaneseCheck } },
  pl: { whole: /^(\d{9})\d{5}$/ },
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

/**
 * Returns the other numbers of the company that follow from one of them, without punctuation: with and without its
 * country, as VAT numbers have it, and those that contain each other.
 */
export function listNestedNumbers(country: string, number: string): string[] {
  const closed = closeNumber(number)
  const prefix = country === 'gr' ? 'EL' : country.toUpperCase()
  const isPrefixed = prefix !== '' && closed.startsWith(prefix) && /^[A-Z]{2}\d{6,}$/.test(closed)
  const bare = isPrefixed ? closed.slice(2) : closed
  const checks = nestedKinds[country]?.addChecks
  const whole = checks?.to.test(bare) === true ? checks.add(bare) : null
  const all = [bare, toContainedNumber(country, bare), whole, /^\d{6,}$/.test(bare) ? prefix + bare : null]
  return all.filter((one) => one !== null).filter((one) => one !== closed)
}
