import { toPlainLetters, toHeaderKey, toHeaderKeys } from '../../core/text.js'
import { identifierHeaders, listNumberKeys, otherNumberHeaders } from '../../core/header-words.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import { isPlaceholder, isWithoutNumber } from '../../core/lookup-identity.js'
import {
  isIsin,
  isPlainLabel,
  isRounded,
  numberWords,
  toCanonicalIdentifier,
} from '../../core/identifiers.js'
import { parseCourtNumber } from '../../core/numbers/court-numbers.js'
import { closeNumber, findNumberForm, readTaxNumber } from '../../core/numbers/national-numbers.js'
import numberForms from '../../core/numbers/number-forms.json' with { type: 'json' }
import { createForms, getPersonForms, isPersonNumber, personTests } from '../../core/numbers/number-forms.js'

const statusWords = new Set(headerWords.statusWords.split('|'))

export const countShare = (values: readonly string[], is: (value: string) => boolean): number =>
  values.filter(is).length / values.length

export const isMostly = (values: readonly string[], is: (value: string) => boolean, share = 0.5): boolean =>
  values.length > 0 && values.filter(is).length >= values.length * share

const isNumber = (value: string): boolean => /^[\p{Nd}\s.,+-]+$/u.test(value)

const isNetAddress = (value: string): boolean => /^\S+@\S+\.\S+$|^https?:\/\//i.test(value)

/** Returns the text of a cell; null if it is blank or a placeholder. */
export function toFilledCell(cell: string | null | undefined): string | null {
  // oxlint-disable-next-line no-control-regex -- control characters are no part of an identifier
  const text = (cell ?? '').replace(/[\s\x00-\x1f\x7f-\x9f\u200b\ufeff]+/g, ' ').trim()
  return text === '' || isPlaceholder(text) ? null : text
}

/** Returns the text of a cell of numbers; null also for a word in place of a number: `C/F`. */
export const toFilledNumber = (cell: string | null | undefined): string | null =>
  isWithoutNumber(cell ?? '') ? null : toFilledCell(cell)

/** `NA` is Namibia, and Naples; `N.C.` North Carolina. */
export const twoLetterCode = /^\s*[A-Z]\.? ?[A-Z]\.?\s*$/

/** Whether one domain covers most rows although names differ: that of the owner, an agency or platform. */
export function isOneForAll(hosts: readonly string[], names: readonly string[]): boolean {
  if (hosts.length < 5) return false
  const counts = new Map<string, number>()
  for (const host of hosts) counts.set(host, (counts.get(host) ?? 0) + 1)
  const namesDiffer = new Set(names.map((name) => name.toLowerCase())).size > names.length / 2
  return namesDiffer && Math.max(...counts.values()) > hosts.length / 2
}

const currency = /[$€£¥%]|kr|:-|EUR|USD|GBP|SEK|NOK|DKK|ISK|CHF|PLN|CZK|HUF|RON|BGN|CAD|AUD|BRL|TRY/i
const amount = /^(?:[$€£¥]|kr\.?|[A-Z]{3})?\s*[-+]?\d[\d\s.,'’]*(?:[$€£¥%]|kr\.?|:-|[A-Z]{3})?$/i

/** Whether most cells are amounts of money or rates: with decimals, a sign or a currency, or whole numbers of many lengths. */
export function areAmounts(cells: readonly string[]): boolean {
  const values = cells.flatMap((cell) => toFilledCell(cell) ?? [])
  const isAmount = (text: string) =>
    amount.test(text) && (currency.test(text) || /[.,]\d{1,2}$|^[-+]?\d{1,4}$/.test(text))
  const isWhole = (text: string) => /^\d{1,3}(?:[\d\s'’]*|(?:[.,]\d{3})*)$/.test(text)
  const lengths = new Set(values.filter(isWhole).map((text) => closeNumber(text).length))
  if (values.length === 0) return false
  return (
    countShare(values, isAmount) > 0.5 ||
    (lengths.size >= amountLengthsMin && countShare(values, (text) => isAmount(text) || isWhole(text)) > 0.8)
  )
}

/** Numbers of one kind have few lengths, also without their leading zeros. */
const amountLengthsMin = 4

/** Whether the cells can be company names: neither numbers nor e-mail or web addresses. */
export const canBeNames = (values: readonly string[]): boolean =>
  !isMostly(values, (value) => isNumber(value) || isNetAddress(value))

/**
 * Whether the cells can be parts of a place: a `state` column may hold a status, and `location` a number. `NO` is Norway
 * and Novara: it is a status only if the column has a yes, and never below the header of a country.
 */
export function canBePlaces(
  part: 'city' | 'region' | 'postal' | 'country' | 'address',
  values: readonly string[],
): boolean {
  if (isMostly(values, isNetAddress)) return false
  if (part === 'postal') return values.length === 0 || isMostly(values, (value) => /\d/.test(value))
  const words = values.map((value) => value.toLowerCase())
  const hasYes = words.includes('yes')
  const isStatus = (word: string) => part !== 'country' && statusWords.has(word) && (word !== 'no' || hasYes)
  return !isMostly(words, (word) => isNumber(word) || isStatus(word))
}

/** Whether most cells of a whole place have only one part of it, like a town. */
export const areTowns = (values: readonly string[]): boolean =>
  isMostly(values, (value) => !/[,;/|\n(\d]|\s[-–—]\s/.test(value))

/** Kind of columns with numbers of persons, which are never sent. */
export const personKind = 'number of a person'

const contentKinds: readonly { kind: string; is: (value: string) => boolean }[] = [
  {
    kind: 'LEI',
    is: (value) => /^[A-Z0-9]{20}$/.test(value) && 'value' in toCanonicalIdentifier('lei', value),
  },
  { kind: 'ISIN', is: isIsin },
  { kind: 'e-mail', is: (value) => /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(value) },
  {
    kind: 'website',
    is: (value) => /^(https?:\/\/|www\.)\S+$|^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(\/\S*)?$/i.test(value),
  },
  { kind: 'EIN', is: (value) => /^\d{2}-\d{7}$/.test(value) },
  {
    kind: 'VAT number',
    is: (value) =>
      isPlainVatNumber(value) ||
      readWholeTaxNumber(value) !== null ||
      /^(BE|BG|CZ|DK|ES|FI|FR|IT|LV|NL|PT|SE)[0-9][0-9A-Z]{7,11}$/.test(value.replace(/[\s.]/g, '')),
  },
]

const { ending, endingInCapitals, within, beginning } = headerWords.legalForms
const formAtEnd = new RegExp(`(?:^|[\\s,.])(?:${ending.join('|')})[.,)]*$`, 'iu')
/** Short forms that are also words or abbreviations in lower case. */
const capitalForm = new RegExp(`\\s(?:${endingInCapitals.join('|')})(?: & Co\\.?(?: KG)?)?[.)]*$`, 'u')
const formWithin = new RegExp(within.join('|'), 'u')
const formAtStart = new RegExp(`^(?:${beginning.join('|')})\\s`, 'u')

/** Whether a text ends or begins with a legal form, like `Apple, Inc.`: then it is a company and no header. */
export const hasLegalForm = (text: string): boolean =>
  [formAtEnd, capitalForm, formWithin, formAtStart].some((form) => form.test(text.trim()))

const streetWords = `(?<![\\p{L}\\d])(?:${headerWords.streets})(?![\\p{L}\\d])`
const streetWord = new RegExp(streetWords, 'iu')
/** A street, a number with or without a street before it, a postal code with a town, or a part of a place in East Asia. */
const addressPart = new RegExp(
  String.raw`${streetWords}|^\d{1,5}\p{L}?,?\s\p{L}+\s\p{L}|,\s*\p{L}{0,2}[.°º]?\s?\d{1,4}\p{L}?(?!\d)|\s\p{L}?\d{1,4}[-/]\d{1,4}` +
    String.raw`|(?<![\p{L}\d])\d{4,6}\s\p{Lu}\p{L}{2}|丁目|番地|[路街巷弄段町区區]\d|\d[号號番]|\p{sc=Hangul}[로길동]\s?\d`,
  'iu',
)

/** Whether most cells are addresses, and few have a legal form. "Customer 1-7" and "Customer 2-3" differ by numbers alone. */
export const areAddresses = (cells: readonly string[]): boolean =>
  cells.length > 0 &&
  countShare(cells, hasLegalForm) < formsShareMin &&
  isMostly(cells, (cell) => addressPart.test(cell) && !hasLegalForm(cell)) &&
  (countTexts(cells) > 1 || cells.length === 1 || cells.some((cell) => streetWord.test(cell)))

/** Counts texts that differ by more than numbers. */
const countTexts = (cells: readonly string[]): number =>
  new Set(cells.map((cell) => cell.replace(/[\p{Nd}\s/-]+/gu, ' '))).size

/** Whether a text is a value and not a name of a column: an identifier, an address or a number of five digits or more. */
export const isValue = (text: string): boolean =>
  contentKinds.some(({ is }) => is(text.trim())) || /^[\d\s.,+/-]*\d{5}[\d\s.,+/-]*$/.test(text)

/** Fewer cells than this prove nothing. */
const cellsMin = 3
const tellingShare = 0.8

/** Returns the kind of identifier that the cells have by form and check digits; null if none, or with too few cells. */
export function detectIdentifier(values: readonly string[]): string | null {
  const kind = contentKinds.find(({ is }) => isMostly(values, is, tellingShare))?.kind ?? null
  // A country in front of its digits is no chance, also in a list of two rows.
  return values.length < cellsMin && kind !== 'VAT number' ? null : kind
}

/** With fewer legal forms, cells are hardly company names. */
export const formsShareMin = 0.1
/** Longer texts are sentences. */
const nameWordsMax = 8
const distinctShareMin = 0.9
/** More than this share of company names have a word or their initials in a domain of the list. */
const inDomainsMin = 0.3

/**
 * Returns how surely cells are company names, 0 to 1: the share of cells with a legal form, or a tenth for distinct
 * capitalised words that are neither codes nor, with two words each, persons. 0 if they are no names, or too few. Next to
 * `domains` of the rows, words without legal forms are company names if they are in the domains: first names are not.
 */
export function rateNames(cells: readonly string[], domains: readonly string[] = []): number {
  const texts = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  const distinct = [...new Set(texts.map((text) => text.toLowerCase()))]
  if (distinct.length < cellsMin || distinct.length < texts.length / 2) return 0
  if (!canBeNames(texts) || detectIdentifier(texts) !== null) return 0
  const countWords = (text: string) => text.split(/\s+/).length
  const areShort = (cells: readonly string[]) =>
    isMostly(cells, (text) => countWords(text) <= nameWordsMax, tellingShare)
  // An address may be behind a name.
  const fronts = texts.map((text) => text.split(/[,;\n]/)[0]?.trim() ?? '')
  const forms = countShare(texts, (text) => hasLegalForm(text) || hasLegalForm(text.split(/[,;\n]/)[0] ?? ''))
  if (areShort(fronts) && forms >= formsShareMin) return forms
  if (!areShort(texts)) return 0
  const isWord = (text: string) =>
    /^(?!\p{Ll})[\p{L}\p{M}&.,'’ -]*(?:\p{Ll}|\p{Lo})[\p{L}\p{M}&.,'’ -]*$/u.test(text)
  const isDistinct = distinct.length >= texts.length * distinctShareMin
  const arePersons = isMostly(texts, (text) => countWords(text) === 2)
  if (domains.length > 0 && isMostly(texts, (text) => /\p{Script=Latin}/u.test(text))) {
    const areNames = isMostly(texts, (text) => /^(?!\p{Ll})[\p{L}\p{M}\d&.,'’ -]+$/u.test(text), tellingShare)
    return isDistinct && areNames && areOfDomains(texts, domains) ? formsShareMin : 0
  }
  return isDistinct && !arePersons && isMostly(texts, isWord, distinctShareMin) ? formsShareMin : 0
}

/** Whether names are in the domains next to them, more often than by chance. */
export const areOfDomains = (names: readonly string[], domains: readonly string[]): boolean =>
  isMostly(names, createDomainTest(domains), inDomainsMin)

/** Returns whether the first long word of a name, or its initials, begin a label of a domain. */
function createDomainTest(domains: readonly string[]): (name: string) => boolean {
  const labels = domains.flatMap((text) => toPlain(text.slice(text.lastIndexOf('@') + 1)).split(/[^a-z\d]+/))
  return (name) => {
    const words = toPlain(name).split(/[^a-z\d]+/)
    const initials = words.map((word) => word.charAt(0)).join('')
    const starts = [words.find(({ length }) => length >= 3), initials.length >= 3 ? initials : undefined]
    return starts.some((start) => start !== undefined && labels.some((label) => label.startsWith(start)))
  }
}

const toPlain = (text: string): string =>
  toPlainLetters(text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, ''))

/** VAT numbers that contain no company number, by the country in front of them. Numbers of the Polish register begin with zeros. */
let plainVatForms: ReadonlyMap<string, RegExp> | null = null

/** Whether a text has the form of a VAT number, with its country, that contains no company number. */
export function isPlainVatNumber(text: string): boolean {
  const closed = closeNumber(text)
  // Hungary: with the kind of the tax and the district behind it. Bangladesh and the Philippines: with the branch.
  if (/^(?:(?:HU)?\d{8}-[1-5]-\d\d|\d{9}-\d{4})$/.test(text.trim())) return true
  plainVatForms ??= createForms(numberForms.plainVat)
  return plainVatForms.get(closed.slice(0, 2))?.test(closed.slice(2)) === true
}

/** Returns the company number in a VAT number that begins with its country and has all digits; `null` for others. */
export function readWholeTaxNumber(text: string): { country: string; number: string } | null {
  const tax = isPlainVatNumber(text) ? null : readTaxNumber(text, [])
  return tax !== null && typeof findNumberForm(tax.country, text) === 'string' ? tax : null
}

/** Whether a name cell may be an LEI, a web or an e-mail address. Cheap: it is called for every row. */
export function mayBeIdentifier(cell: string | null): boolean {
  if (cell === null || cell.length > addressCharsMax) return false
  return cell.includes('@') || /^\s*(?:https?:\/\/|www\.|mailto:)/i.test(cell) || findLei(cell) !== null
}

/** Returns the LEI that fills a text; with wrong check digits only if the text cannot be a word. */
export function findLei(text: string): string | null {
  if (text.length < leiChars || text.length > leiChars * 2) return null
  const compact = text.replace(/\s+/g, '')
  if (compact.length !== leiChars || !/^[A-Z0-9]{18}\d{2}$/.test(compact)) return null
  const isWordless = compact.replace(/\D/g, '').length >= digitsMin
  return isWordless || 'value' in toCanonicalIdentifier('lei', compact) ? compact : null
}

const [leiChars, addressCharsMax] = [20, 2_048]
/** Company names of that length have fewer digits. */
const digitsMin = 6

/** Registers of companies with a court or a town: `RPR Brussel`, `R.C.S. Paris B`. */
const register =
  /(?<![\p{L}\d])(?:R\.?P\.?[RM]|R\.?C\.?S|registro (?:mercantil|imprese)(?: d[ie])?|(?:handels|landes|firmenbuch)gericht|LG|HG)(?![\p{L}\d])[.:,]?(?:[\s,(-]+(?![A-Z]{2,3}[\s.-]*\d)\p{L}[\p{L}.'’-]*(?![\p{L}\d]))*/giu

/** Letters that are a part of numbers, and names of columns. */
const numberLetters: ReadonlySet<string> = new Set(toHeaderKeys('FN|RC|BN|HRA|HRB'))

/** Whether a text is a name of numbers, as headers have it. */
function isNumberLabel(text: string): boolean {
  const key = toHeaderKey(text)
  // Two capitals are a country, `NO 923609016`, and one or two of a register: `C 1234`, `CR-12345`.
  if (key === '' || numberLetters.has(key) || /^[\s(]*(?:[A-Z]{2}|[A-MO-Z][./]?)[\s)-]*$/.test(text))
    return false
  const isListed = isPlainLabel(text) || identifierHeaders.registration_id.includes(key)
  return isListed || [text, `${text} nr`].some((one) => listNumberKeys(one).length > 0)
}

/** The office of a labelled number: up to four words of three letters or more, not in capitals. */
const officeWord = String.raw`(?!\p{Lu}+(?![\p{L}\p{M}]))[\p{L}\p{M}][\p{L}\p{M}.'’]{2,}`
const office = String.raw`${officeWord}(?:[\s,،()-]+${officeWord}){0,3}`
const offices = new RegExp(String.raw`^${office}[\s,،:)-]+(?=\d)|(?<=\d)[\s,،(-]+${office}$`, 'gu')

/** A second number in brackets: `201901000005 (1312525-A)`. */
const numberBehind = /(?<=^[^()]*\d{3}[^()]*)\s*\([^()]*\d{3}[^()]*\)\s*$/u
const thousands = /(?<=^\D*\d{1,3}(?:,\d{3})*),(?=\d{3}(?!\d))/gu

/** A longer cell is a text, and takes long to search. */
const labelledCharsMax = 100

/**
 * Cuts the names of numbers, registers and offices around a number: `BTW BE 0400.378.485` is `BE 0400.378.485` with the label `BTW`.
 * `null` without them.
 */
export function cutLabels(cell: string): { readonly text: string; readonly label: string } | null {
  if (cell.length > labelledCharsMax || !/\d/.test(cell) || !/\p{L}/u.test(cell)) return null
  if (parseCourtNumber(cell) !== null) return null
  const tidy = (text: string) => text.replace(/^[\s:;,.()#№°º-]+|[\s:;,.()#-]+$/gu, '')
  const text = tidy(cell.replace(numberBehind, '').replace(thousands, '').replace(register, ' '))
  const front = /^\D*/u.exec(text)?.[0] ?? ''
  const ends = [...front.matchAll(/[\s:.#)]+|$/gu)].map(({ index }) => index).reverse()
  const inFront = ends.map((end) => text.slice(0, end)).find(isNumberLabel) ?? ''
  const behind = /[\s(]\D*$/u.exec(text)?.[0] ?? ''
  const isTail = inFront.length + behind.length < text.length && isNumberLabel(behind)
  const number = tidy(text.slice(inFront.length, isTail ? -behind.length : undefined))
  const isOther = [toHeaderKey(behind), ...listNumberKeys(behind)].some((key) => otherNumberHeaders.has(key))
  const label = inFront === '' && isTail && isOther ? tidy(behind) : inFront
  const rest = label === '' ? number : tidy(number.replace(offices, ''))
  if (rest === tidy(cell) || !/\d/.test(rest)) return null
  const whole = label === '' ? null : joinRegisterLetters(label, rest)
  return whole === null ? { text: rest, label } : whole === tidy(cell) ? null : { text: whole, label: '' }
}

/** A year and a serial number. A date has two digits in each part behind the year. */
const serialNumber = /^(?:19|20)\d{2}[/-]\d{1,7}(?:(?<=\d{3})[/-]\d{1,4})?$/
const closedSerial = /^(?:19|20)\d{5,8}$/

/** Lists the countries whose numbers of persons are known. */
export const listCountriesOfPersons = () => [...getPersonForms().keys(), ...personTests.keys()]

/** Whether all cells have letters in front as registers have them, `CPR/2009/12345`, and none is the number of a person. */
export function areRegisterLetters(cells: readonly string[]): boolean {
  const isOfRegister = (cell: string) => {
    const [, number = ''] = /^[A-Z]{2,5}[/-](?=.*\d)([\dA-Z/-]+)$/i.exec(cell.trim()) ?? []
    const isPersons = [cell, number].some((one) => isPersonNumber(one, listCountriesOfPersons()))
    return number !== '' && (serialNumber.test(number) || !isPersons)
  }
  return isMostly(cells, isOfRegister, 1)
}

/**
 * Returns a number with the letters of its register in front, which elsewhere are a name of other numbers: Danes have a `CPR`,
 * and `CPR/2009/12345` is a company of Kenya. `null` for other labels. Without signs, the number must be none of a person.
 */
function joinRegisterLetters(label: string, number: string): string | null {
  const words = label.split(/[\s:#()]+/).filter((word) => word !== '' && !numberWords.has(toHeaderKey(word)))
  const [letters = '', another] = words
  const key = toHeaderKey(letters)
  const isAlone = another === undefined && /^(?:[A-Z]\.?){2,9}[/-]?$/i.test(letters)
  if (!isAlone || isPlainLabel(letters) || identifierHeaders.registration_id.includes(key)) return null
  const isOfRegister = toHeaderKeys(headerWords.labels.ofRegisters).includes(key)
  const isClosed = isOfRegister && closedSerial.test(number) && !isPersonNumber(number, ['dk'])
  return serialNumber.test(number) || isClosed
    ? `${letters}${/[/-]$/.test(letters) ? '' : ' '}${number}`
    : null
}

/** The numbers of companies, without rounded ones, if numbers of persons are among them, as below `RNC/Cédula`. */
export function listCompanyNumbers(texts: readonly string[], countries: readonly string[]): string[] {
  const whole = texts.filter((text) => !isRounded(text))
  const plain = whole.map((text) => cutLabels(text)?.text ?? text)
  const others = plain.filter((text) => !isPersonNumber(text, countries))
  return others.length === 0 && whole.length === texts.length ? plain : others
}
