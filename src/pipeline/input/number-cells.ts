import { findCodedCountry, parseCourtNumber } from '../../core/numbers/court-numbers.js'
import {
  findEuidCountry,
  isPlainLabel,
  isRounded,
  listSharing,
  isVatHeader,
  type IdentifierKey,
  type IdentifierPlaceKey,
} from '../../core/identifiers.js'
import {
  closeNumber,
  hasPlainForm,
  isPlainCompanyNumber,
  isSiteNumber,
  hasWrongCheckDigits,
  numberCountries,
  readTaxCountry,
  readTaxNumber,
  toCompanyNumber,
  toNationalNumber,
} from '../../core/numbers/national-numbers.js'
import {
  readCellIdentifier,
  toRegisterPlace,
  toStatedIdentifier,
  type StatedIdentifier,
} from '../../core/numbers/stated-identifiers.js'
import {
  findStatedCountry,
  isEin,
  isOfPersonsOnly,
  isPersonNumber,
  mayBeCompanyNumber,
  mayBeMistyped,
  rateNumber,
  splitNumbers,
  writeLettered,
} from '../../core/numbers/number-forms.js'
import numberForms from '../../core/numbers/number-forms.json' with { type: 'json' }
import type { EarlierReading } from './columns.js'
import texts from './fault-texts.json' with { type: 'json' }
import { findRegion, findToldCountry, isWrongNumberOfRow } from './find-identifiers.js'
import { cutLabels, isPlainVatNumber, readWholeTaxNumber } from './column-content.js'
import {
  addTaxLetters,
  hasSharedName,
  isBelow,
  isPersonsHeader,
  isTaxHeader,
  listHeaderKeys,
  listNumberCountries,
  listRegisterCountries,
  rankHeader,
} from './identifier-content.js'

/** Faults of an identifier in a row; it is not submitted. */
export type IdentifierFault = keyof typeof texts.alone

/** Reasons why a row without other data is not submitted. */
export const faultReasons: Readonly<Record<IdentifierFault, string>> = texts.alone

/** A filled cell of a column of company numbers, with its header. */
export interface NumberCell {
  readonly header: string
  readonly text: string
  /** Whether the user named the column. */
  readonly isNamed?: boolean
  /** Countries whose persons may have the number, if the row has no country. */
  readonly personCountries?: readonly string[]
}

type Places = Readonly<Partial<Record<IdentifierKey | IdentifierPlaceKey, string>>>

interface ReadNumber {
  /** `null` if the cell has no company number. */
  readonly identifier: StatedIdentifier | null
  readonly fault: IdentifierFault | null
}

export interface ChosenNumber {
  readonly identifier: StatedIdentifier | null
  /** Whether no check digits of the number are wrong. */
  readonly isRight: boolean
  /** Faults of the chosen number, and of those refused before it. */
  readonly faults: readonly IdentifierFault[]
}

const refusals = /^(?:other_register|person_\w+|registration_(?:id|checksum)|rounded_number|tax_number)$/
const refuse = (fault: IdentifierFault): ReadNumber => ({ identifier: null, fault })

type Cells = readonly NumberCell[]

/** Returns the first number of the row's country, by its form or header, else the first without a fault, else the first with its fault. */
export function chooseNumber(cells: Cells, ofRow: Places, earlier?: EarlierReading): ChosenNumber {
  const isOpen = earlier === undefined && (ofRow.registration_country ?? '').trim() === ''
  const told = isOpen && cells.length > 1 ? findToldCountry(cells) : null
  const places = told === null ? ofRow : { ...ofRow, registration_country: told.toUpperCase() }
  const readOne = (cell: NumberCell) =>
    earlier === undefined ? readNamed(cell, places) : readNumber(cell, places, earlier)
  const read = cells.slice(0, earlier === undefined ? undefined : 1).map(readOne)
  const isRefused = ({ identifier, fault }: ReadNumber) =>
    identifier === null || (fault !== null && refusals.test(fault))
  const country = toRegisterPlace(places.registration_country ?? '')?.slice(0, 2) ?? ''
  const rowCountry = country.toLowerCase()
  const isOfRow = ({ identifier }: ReadNumber, at: number, value = identifier?.value ?? '') =>
    identifier?.place?.slice(0, 2) === country &&
    (rateNumber(rowCountry, value) !== 0 ||
      (listRegisterCountries(cells[at]?.header ?? '').join() === country &&
        (!isSiteNumber(rowCountry, value) || mayBeCompanyNumber(rowCountry, value))))
  const own = read.findIndex((one, at) => !isRefused(one) && isOfRow(one, at))
  const at = own < 0 ? read.findIndex((one) => !isRefused(one)) : own
  const sent = read[at] ?? read.find(({ identifier }) => identifier !== null)
  const faults = read
    .slice(0, Math.max(at, 0) + 1)
    .flatMap((one, index) => (one.fault !== null && (index === at || isRefused(one)) ? [one.fault] : []))
  return { identifier: sent?.identifier ?? null, isRight: at >= 0, faults }
}

/** Whether a number can be one of a country, by its form if that is known. */
const isOfForm = (country: string, value: string): boolean =>
  rateNumber(country, value) !== 0 || hasWrongCheckDigits(country, value)

const isOfItsPlace = ({ place, value }: StatedIdentifier): boolean =>
  place !== null && isOfForm(place.slice(0, 2).toLowerCase(), value)

/** Reads a cell with several numbers: all company numbers of one register, and no others, as those of taxes. `null` for other cells. */
function readSeveral(cell: NumberCell, places: Places): ReadNumber | null {
  const parts = splitNumbers(cell.text)
  if (parts.length < 2) return null
  const read = parts.map((text) => readCell({ ...cell, text }, places))
  const person = read.find(({ fault }) => fault === 'person_number')
  if (person !== undefined) return person
  const right = read.flatMap(({ identifier, fault }) => (fault === null ? (identifier ?? []) : []))
  const found = right.filter(({ kind }) => kind === 'registration_id')
  const first = found.find(isOfItsPlace)
  const country = first?.place?.slice(0, 2).toLowerCase()
  if (first === undefined || country === undefined) return null
  const same = found.filter((one) => isOfItsPlace(one) && one.place === first.place)
  const keys = same.map(({ value }) => closeNumber(toCompanyNumber(country, value) ?? value))
  const values = same.filter((_, at) => keys.indexOf(keys[at] ?? '') === at)
  return accept(values.map(({ value }) => value).join(' / '), first.place, null)
}

/** Reads a cell. In a column that the user named, a number of taxes or of another register is sent; with letters where these tell it. */
function readNamed(cell: NumberCell, places: Places): ReadNumber {
  const read = readCell(cell, places)
  const { fault } = read
  const isSent = /^(?:tax_number|registration_checksum|other_register)$/.test(fault ?? '')
  if (cell.isNamed !== true || read.identifier !== null || !isSent) return read
  const text = cutLabels(cell.text)?.text ?? cell.text
  const [only, another] = listRegisterCountries(cell.header)
  const written = [readTaxCountry(text), places.registration_country, another === undefined ? only : null]
  const [place = null] = written.flatMap((one) => toRegisterPlace(one ?? '') ?? [])
  const sent = fault === 'other_register' ? text : addTaxLetters(place, text)
  return accept(sent, place, fault === 'registration_checksum' ? fault : null)
}

/** "zie factuur 12", "to be verified": words, and no number with its label. */
const prose = /(?:^|\s)\p{Ll}{2,}\s+\p{Ll}{3,}/u

/** Reads a cell, also with the name of its number or of a register. A number is never sent with such a name in it. */
function readCell(given: NumberCell, places: Places): ReadNumber {
  if (isRounded(given.text)) return refuse('rounded_number')
  const rowPlace = toRegisterPlace(places.registration_country ?? '')
  const countries = [rowPlace?.slice(0, 2) ?? [], listRegisterCountries(given.header)].flat()
  const cell = { ...given, text: repairNumber(given.text, countries) }
  const isFitting = (text: string) => countries.some((one) => (rateNumber(one.toLowerCase(), text) ?? 0) > 0)
  const isOfCourt = parseCourtNumber(cell.text) !== null
  const several = isOfCourt || isFitting(cell.text) ? null : readSeveral(cell, places)
  if (several !== null) return several
  const cut = isFitting(cell.text) ? null : cutLabels(cell.text)
  if (cut === null)
    return prose.test(cell.text) && !isOfCourt ? refuse('registration_id') : readNumber(cell, places)
  const { label, text } = cut
  const own = isTaxHeader(label) || listRegisterCountries(label).length > 0
  const isKnown = (['registration_id', 'ein'] as const).some((kind) => rankHeader(kind, label) >= 0)
  if (!own && !isKnown && label !== '' && !isPlainLabel(label))
    return refuse(isPersonsHeader(label) ? 'person_number' : 'other_register')
  const read = readNumber({ ...cell, header: own ? label : cell.header, text }, places)
  if (read.identifier?.kind !== 'registration_id') return read
  const { place, value } = read.identifier
  const country = place?.slice(0, 2).toLowerCase() ?? ''
  const isWord = (part: string) => !/\d/.test(part) && part.length > 4
  return !value.split(' ').some(isWord) && isOfForm(country, value) ? read : refuse('registration_id')
}

const checkSigns = new RegExp(numberForms.checkSigns, 'i')

/** Returns a number with other signs before its check digit, or letters like O in place of digits, in its usual form: `860034313 DV 7`, `PO51234567A`. */
function repairNumber(text: string, codes: readonly string[]): string {
  const countries = codes.map((code) => code.toLowerCase())
  const isOfCompany = (country: string, one: string) =>
    (rateNumber(country, one) ?? 0) > 1 ||
    isPlainCompanyNumber(country, one) ||
    hasWrongCheckDigits(country, one)
  const isFitting = (one: string) =>
    isPersonNumber(one, countries) || countries.some((country) => isOfCompany(country, one))
  if (isPlainVatNumber(text) || isFitting(text)) return text
  const signed = text.replace(/(?<=\d)['’‘`´](?=\d{3})/g, '.').replace(checkSigns, '$1-$2')
  const digits = text.replace(/(?<=\d)o|o(?=o?\d)/gi, '0').replace(/(?<=\d)[il](?=\d)/gi, '1')
  return [signed, digits].find((one) => one !== text && isFitting(one)) ?? text
}

/** Reads a cell of a column of numbers by form, check digits, country of the row and header: a company number, a tax number that contains one, or an EIN. */
function readNumber(cell: NumberCell, places: Places, earlier?: EarlierReading): ReadNumber {
  const { header, text } = cell
  const isEarlier = earlier !== undefined
  if (!isEarlier && isPlainVatNumber(text)) return refuse('tax_number')
  const named = listRegisterCountries(header, isEarlier)
  const isTax = isTaxHeader(header, isEarlier)
  const rowPlace = toRegisterPlace(places.registration_country ?? '')
  const isUnknownRow = rowPlace === null && (places.registration_country ?? '').trim() !== ''
  const ofPersons = listPersonCountries(cell, rowPlace)
  if (!isEarlier && isPersonNumber(text, ofPersons))
    return refuse(mayBeMistyped(text, ofPersons) ? 'person_or_mistyped' : 'person_number')
  if (!isEarlier && isOfPersonsOnly(listHeaderKeys(header), text, rowPlace)) return refuse('person_number')
  const { place: chosen, isForeign } = choosePlace({ header, text }, named, [rowPlace, isUnknownRow], earlier)
  const place = chosen === null || isEarlier ? chosen : findRegion(chosen, header, text)
  const country = place?.slice(0, 2).toLowerCase() ?? null
  if (!isEarlier && isBelow('other', rowPlace ?? place ?? '', header, text)) return refuse('other_register')
  // Lithuania: a VAT number is no company number; it has 12 digits, or a 1 before the last of 9.
  const isVat = isTax && (isVatHeader(header) || !/^\d{7}[^1]\d$/.test(closeNumber(text)))
  if (!isEarlier && isVat && (country ?? readTaxCountry(text) ?? named.join().toLowerCase()) === 'lt')
    return refuse('tax_number')
  const number = country === null ? null : toCompanyNumber(country, text)
  const isSuffixUnread = earlier !== undefined && isTax && /^CHE.*[A-Z]$/.test(closeNumber(text))
  if (isSuffixUnread || (number === null && earlier?.version !== '0.2.0')) {
    // The header's countries would make a short number of another country theirs, by its check digit.
    const ofHeader = country !== null && !isEarlier ? [] : named.map((one) => one.toLowerCase())
    const countries = [...(country === null ? [] : [country]), ...ofHeader]
    const stated = isTax || isEarlier ? null : readWholeTaxNumber(text)
    const tax = isTax && !isSuffixUnread ? readTaxNumber(text, countries) : stated
    if (tax !== null) return accept(tax.number, tax.country.toUpperCase(), null)
    const own = isUnknownRow ? [] : named.filter((one) => isPlainCompanyNumber(one.toLowerCase(), text))
    const only = own.length === 1 ? own[0]?.toLowerCase() : undefined
    const taxed = country ?? readTaxCountry(text) ?? only ?? null
    if (isTax && !isEarlier && taxed !== null && isPlainCompanyNumber(taxed, text))
      return accept(text, taxed.toUpperCase(), null)
    if ((country ?? 'us') === 'us' && (isEin(text) || (isTax && country !== null))) {
      const ein = toStatedIdentifier('ein', text, null)
      if (ein !== null) return { identifier: ein, fault: null }
    }
    const judged = isEarlier || country === null ? countries : [country]
    const front = readTaxCountry(text)
    if (isTax && country === 'gr' && hasWrongCheckDigits('gr', text)) return refuse('registration_checksum')
    const isWrong = !isEarlier && front !== null && hasWrongCheckDigits(front, text)
    if (isTax && (isSuffixUnread || !judged.some((one) => hasWrongCheckDigits(one, text))))
      return isWrong ? accept(text, front.toUpperCase(), 'registration_checksum') : refuse('tax_number')
  }
  const court = earlier?.version === '0.2.0' ? undefined : places.registration_court
  const isBare = court !== undefined && parseCourtNumber(text)?.court === null
  const whole = isBare ? `${text}, ${court}` : isEarlier ? text : writeLettered(country ?? '', text)
  const home = place ?? findNumberCountry(isUnknownRow && named.length === 1 ? [] : named, text, isEarlier)
  const identifier = readCellIdentifier('registration_id', whole, home)
  if (identifier === null || (isEarlier && /[()]/.test(identifier.value))) return refuse('registration_id')
  if (!isWrongNumber(identifier, named))
    return { identifier, fault: isForeign && earlier === undefined ? 'other_country' : null }
  const right = earlier === undefined ? findRightPart(identifier, rowPlace) : null
  return right ?? { identifier, fault: 'registration_checksum' }
}

/** Returns the countries whose persons may have a number: not those of the header if the row's companies have its form. */
function listPersonCountries(cell: NumberCell, rowPlace: string | null): readonly string[] {
  const { header, text, personCountries = [] } = cell
  const isOpen = (one: string) => !isBelow('company', one, header, text)
  const named = listNumberCountries(header).filter(isOpen)
  if (rowPlace === null) return [...named, ...personCountries.filter(isOpen)]
  const country = rowPlace.slice(0, 2)
  const isOfRow =
    (rateNumber(country.toLowerCase(), text) ?? 0) > 0 ||
    isPlainCompanyNumber(country.toLowerCase(), text) ||
    named.some((one) => listSharing(one).includes(country) || isWrongNumberOfRow(text, country, one))
  return [...(isOpen(country) ? [rowPlace] : []), ...(isOfRow ? [] : named)]
}

function accept(value: string, place: string | null, fault: IdentifierFault | null): ReadNumber {
  const identifier = toStatedIdentifier('registration_id', value, place)
  return { identifier, fault: identifier === null ? 'registration_id' : fault }
}

/**
 * Chooses the country of a number: that of the row if the number fits it at least as well as the country of the header,
 * else the one in front of the number, or that of the header if the number fits it or its numbers have any form.
 */
function choosePlace(
  { header, text }: NumberCell,
  named: readonly string[],
  [rowPlace, isUnknownRow]: readonly [place: string | null, isUnknown: boolean],
  earlier: EarlierReading | undefined,
): { place: string | null; isForeign: boolean } {
  const only = named.length !== 1 || isTaxHeader(header, earlier !== undefined) ? null : (named[0] ?? null)
  if (earlier !== undefined)
    return { place: earlier.country === 'header' ? (only ?? rowPlace) : rowPlace, isForeign: false }
  const coded = findCodedCountry(text)?.toUpperCase() ?? findEuidCountry(text)
  if (coded) return { place: coded, isForeign: rowPlace !== null && !rowPlace.startsWith(coded) }
  const rate = (place: string) => rateNumber(place.slice(0, 2).toLowerCase(), text)
  const ofHeader = only === null ? 0 : rate(only)
  const isOfSharer = listSharing(only ?? '').includes(rowPlace?.slice(0, 2) ?? '')
  const isShared = only !== null && (isOfSharer || hasSharedName(header))
  // Check digits tell the country where its name does not.
  const isOpen = isUnknownRow
    ? ofHeader !== 3
    : isShared && ofHeader === 0 && !isOfForm(only.toLowerCase(), text)
  if (rowPlace === null) return { place: isOpen ? null : only, isForeign: false }
  const ofRow = rate(rowPlace)
  if ((ofRow ?? 0) > 0 && (ofRow ?? 0) >= (ofHeader ?? 0)) return { place: rowPlace, isForeign: false }
  if (isShared && ofRow === null && ofHeader !== 3) return { place: rowPlace, isForeign: false }
  if (only !== null && ofRow === 0 && isWrongNumberOfRow(text, rowPlace.slice(0, 2), only))
    return { place: rowPlace, isForeign: false }
  const stated = ofRow === 0 ? findStatedCountry(text) : null
  if (stated !== null) return { place: stated.toUpperCase(), isForeign: true }
  const isOther = only !== null && !rowPlace.startsWith(only)
  if (isOther && (ofHeader !== 0 || hasWrongCheckDigits(only.toLowerCase(), text)))
    return { place: only, isForeign: false }
  const ofName = ofRow === 0 && named.length > 1 ? findNumberCountry(named, text, false) : null
  return { place: ofName ?? rowPlace, isForeign: false }
}

/** Returns the only country with such a name and number; by a form without check digits only if each country has one. */
function findNumberCountry(countries: readonly string[], text: string, isEarlier: boolean): string | null {
  if (countries.length === 1) return countries[0] ?? null
  const areForms = !isEarlier && !countries.some((one) => hasPlainForm(one.toLowerCase(), text) === null)
  const isSure = (one: string) => toCompanyNumber(one.toLowerCase(), text) !== null
  const mayBe = (one: string) => mayBeCompanyNumber(one.toLowerCase(), text)
  const found = countries.filter((one) => isSure(one) || (areForms && mayBe(one)))
  const only = found.length > 0 || isEarlier ? found : countries.filter(mayBe)
  return only.length === 1 ? (only[0] ?? null) : null
}

/** No company has a number with wrong check digits. Without a place, it may be of each country that the header names. */
function isWrongNumber({ kind, value, place }: StatedIdentifier, named: readonly string[]): boolean {
  if (kind !== 'registration_id') return false
  const countries = (place === null ? named : [place]).map((country) => country.toLowerCase())
  const isWrong = (country: string) => hasWrongCheckDigits(country, value)
  return countries.some(isWrong) && !countries.some((country) => mayBeCompanyNumber(country, value))
}

/**
 * Returns a right reading of a number with wrong check digits: the company in the number of a French site, or a number
 * that is right in another country, if the country of the row is not that of the header. `null` without one.
 */
function findRightPart({ value, place }: StatedIdentifier, rowPlace: string | null): ReadNumber | null {
  const siren = place === 'FR' ? /^(?:FR)?(\d{9})\d{5}$/.exec(closeNumber(value))?.[1] : undefined
  const company = siren === undefined ? null : toNationalNumber('fr', siren)
  if (company !== null) return accept(company, 'FR', 'site_checksum')
  if (rowPlace === null || place === null || rowPlace.slice(0, 2) === place.slice(0, 2)) return null
  const isRight = (country: string) => rateNumber(country, value) === 3
  return numberCountries.some(isRight) ? accept(value, null, 'unknown_country') : null
}
