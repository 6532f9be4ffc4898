import {
  findCourt,
  formatCourtNumber,
  isSameEntry,
  listOfficeKeys,
  parseCourtNumber,
  type CourtNumber,
  type OfficeNumber,
  readOfficeNumber,
} from '../../core/numbers/court-numbers.js'
import { closeNumber } from '../../core/numbers/national-numbers.js'
import { compareYears, listWritings } from '../../core/numbers/registry-suffix.js'
import { findNumberKind } from '../../core/identifiers.js'
import type { StatedIdentifier } from '../../core/numbers/stated-identifiers.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { areOfOneTown } from '../match/place-readings.js'
import { listBicSpellings, listSpellings, toExchangeKey } from '../model/identifiers.js'
import { findNumbering, rateNumber } from '../../core/numbers/number-forms.js'
import { toNumberKey } from './registration-columns.js'

type RegisteredIdentifier = StatedIdentifier & { readonly kind: Exclude<StatedIdentifier['kind'], 'website'> }

/** A registration with an identifier. */
export interface IdentifierHolder {
  readonly entityNumber: number
  readonly legalEntityNumber: number
  /** Spelling of the register. */
  readonly value: string
  /** Register or exchange are stated for the identifier and agree with the registration. */
  readonly isPlaced: boolean
}

export type IdentifierFinder = (identifier: RegisteredIdentifier) => IdentifierHolder[]

/** Limit for values that fill a whole column; an identifier belongs to one company, or to a few by mistake. */
const holdersMax = 50

interface HolderRow {
  number: number
  entity_number: number
  value: string
  jurisdiction: string
  exchange: string | null
  /** Town of the registration. */
  city: string | null
}

const selectHolders = `
  SELECT l.number, l.entity_number, i.value, i.jurisdiction, i.exchange,
    (SELECT a.city FROM addresses a WHERE a.legal_entity_number = l.number) AS city
  FROM identifiers i JOIN legal_entities l ON l.number = i.legal_entity_number
  WHERE `
const order = (countMax: number) => ` ORDER BY l.removed_from_source, l.number LIMIT ${countMax}`
const ordered = order(holdersMax)

/** At least one place is empty, both are equal, or one is more precise: `us` and `us_de`. */
const isThere = `(@place = '' OR i.jurisdiction = '' OR i.jurisdiction = @place
  OR i.jurisdiction LIKE @place || '\\_%' ESCAPE '\\' OR @place LIKE i.jurisdiction || '\\_%' ESCAPE '\\')`

/** Finds registrations by an identifier in its canonical form, those not removed first. */
export function createIdentifierFinder(database: Sqlite): IdentifierFinder {
  const byTypeAndValue = database.prepare<[{ type: string; value: string }], HolderRow>(
    `${selectHolders} i.search_key = @value AND i.type = @type${ordered}`,
  )
  const byValue = { all: (type: string, value: string) => byTypeAndValue.all({ type, value }) }
  const byNumber = database.prepare<[{ value: string; place: string }], HolderRow>(
    `${selectHolders} i.search_key = ${toNumberKey('@value')} AND i.type = 'registration_id' AND i.value = @value AND ${isThere}${ordered}`,
  )
  const byNumberKey = database.prepare<[{ value: string; place: string }], HolderRow>(
    `${selectHolders} i.search_key = ${toNumberKey('@value')} AND i.type = 'registration_id' AND ${isThere}${ordered}`,
  )
  const byCourtKey = database.prepare<[{ key: string }], HolderRow>(
    `${selectHolders} (i.search_key = @key OR (i.search_key >= @key || 'A' AND i.search_key < @key || '['))
       AND i.type = 'registration_id' AND (i.jurisdiction = '' OR i.jurisdiction LIKE 'de%')${order(holdersMax * 10)}`,
  )
  const byRange = database.prepare<[{ key: string; from: string; place: string }], HolderRow>(
    `${selectHolders} i.search_key >= @from AND i.search_key < @key || char(1114111)
       AND i.type = 'registration_id' AND ${isThere}${order(holdersMax * 10)}`,
  )
  /** The court of a number that a file gives without it is that of the company's town, if the town has one. */
  const findByCourt = (asked: CourtNumber): IdentifierHolder[] => {
    const find = (court: string | null) =>
      byCourtKey
        .all({ key: closeNumber(formatCourtNumber({ ...asked, court, letters: '' })) })
        .filter(({ value }) => isSameEntry(parseCourtNumber(value), { ...asked, court }))
    if (asked.court === null) return find(null).map((row) => toHolder(row, false))
    const bare = find(null).flatMap((row) => {
      const court = findCourt(row.city ?? '')
      return court === null || court === asked.court ? [toHolder(row, court !== null)] : []
    })
    const own = find(asked.court).map((row) => toHolder(row, row.jurisdiction !== ''))
    const exact = own.filter(({ value }) => parseCourtNumber(value)?.letters === asked.letters)
    return [...(exact.length > 0 ? exact : own), ...bare]
  }
  const findFirst = (finds: readonly (() => HolderRow[])[]): HolderRow[] => {
    for (const find of finds) {
      const rows = find()
      if (rows.length > 0) return rows
    }
    return []
  }
  const findByNumber = (text: string, place: string | null): HolderRow[] => {
    const asked = { place: place === null ? '' : place.toLowerCase().replace('-', '_') }
    // Only zeros are not a number.
    if (!/[^0\s\-./]/.test(text)) return []
    const hasYear = compareYears(text, text) !== null
    const country = asked.place.slice(0, 2)
    const kindAsked = findNumberKind(country, closeNumber(text))
    // Without its zeros, a tax number may look like one of the register.
    const isOfKind = ({ value }: HolderRow) =>
      kindAsked === null || (findNumberKind(country, closeNumber(value)) ?? kindAsked) === kindAsked
    const isWriting = ({ value }: HolderRow) => !hasYear || compareYears(text, value) === 'same'
    const isWithYear = ({ value }: HolderRow) => compareYears(text, value) === 'open'
    // Without letters, longer numbers with these digits in front are too many.
    const findWithYear = (key: string) =>
      /^\p{L}/u.test(key) ? byRange.all({ ...asked, key, from: `${key}0` }).filter(isWithYear) : []
    return findFirst([
      () => byNumber.all({ ...asked, value: text }),
      ...[[text], ...listSpellings(text, country)].map(
        (values) => () => values.flatMap((value) => byNumberKey.all({ ...asked, value })).filter(isOfKind),
      ),
      () => listWritings(text).flatMap((value) => byNumberKey.all({ ...asked, value }).filter(isWriting)),
      () => (hasYear ? [] : listWritings(text).map(closeNumber)).flatMap(findWithYear),
    ])
  }
  /** A number without its office is that of the office in its company's town, and otherwise only a weak sign. */
  const findByOffice = (asked: OfficeNumber, text: string, place: string | null): IdentifierHolder[] => {
    const country = (place ?? '').toLowerCase().replace('-', '_')
    const withOffice = listOfficeKeys(asked.number).flatMap((key) =>
      byRange.all({ key, from: `${key}A`, place: country }),
    )
    const rows = [...findByNumber(asked.office === null ? text : asked.number, place), ...withOffice]
    return rows.flatMap((row) => {
      const held = readOfficeNumber(country.slice(0, 2), row.value)
      if (held === null) return [toHolder(row, row.jurisdiction !== '')]
      if (asked.office === null) return [toHolder(row, false)]
      const isThere = areOfOneTown(country.slice(0, 2), held.office ?? row.city ?? '', asked.office)
      if (held.office !== null && !isThere) return []
      return [toHolder(row, row.jurisdiction !== '' && isThere)]
    })
  }
  const find: IdentifierFinder = (identifier) => {
    const { kind, value, place } = identifier
    switch (kind) {
      case 'lei':
      case 'ein':
        return byValue.all(kind, value).map((row) => toHolder(row, true))
      case 'cik':
        return ['cik', 'sec_cik']
          .flatMap((type) => byValue.all(type, value))
          .map((row) => toHolder(row, true))
      case 'bic':
        return findFirst(listBicSpellings(value).map((spelling) => () => byValue.all(kind, spelling))).map(
          (row) => toHolder(row, true),
        )
      case 'ticker': {
        const asked = place === null ? null : toExchangeKey(place)
        return byValue
          .all(kind, value)
          .filter(({ exchange }) => asked === null || exchange === null || toExchangeKey(exchange) === asked)
          .map((row) => toHolder(row, asked !== null && row.exchange !== null))
      }
      case 'registration_id': {
        const court = place === null || place.startsWith('DE') ? parseCourtNumber(value) : null
        if (court !== null) return findByCourt(court)
        const local = readOfficeNumber((place ?? '').slice(0, 2).toLowerCase(), value)
        if (local !== null) return findByOffice(local, value, place)
        return findByNumber(value, place).map((row) => {
          const isOpen = compareYears(value, row.value) === 'open'
          const stated = row.jurisdiction === '' && isChecked(place, row.value) ? place : row.jurisdiction
          const places = isOpen ? [''] : [place ?? '', stated ?? '']
          return toHolder(row, !places.some((one) => findNumbering(one, row.value) === null))
        })
      }
    }
  }
  /** A list may give several numbers of a company, as its former one. */
  return (identifier) => {
    const found = find(identifier)
    const parts = identifier.kind === 'registration_id' ? identifier.value.split(' / ') : []
    if (found.length > 0 || parts.length < 2) return found
    return parts.flatMap((value) => find({ ...identifier, value }))
  }
}

/** Whether check digits or letters confirm the country of a number, of which the register states none. */
const isChecked = (place: string | null, number: string): boolean =>
  place !== null && rateNumber(place.slice(0, 2).toLowerCase(), number) === 3

function toHolder({ number, entity_number, value }: HolderRow, isPlaced: boolean): IdentifierHolder {
  return { entityNumber: entity_number, legalEntityNumber: number, value, isPlaced }
}
