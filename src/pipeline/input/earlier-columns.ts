import { listIdentifierColumns, type IdentifierColumns } from '../../core/identifiers.js'
import { type ColumnSamples, listFewerIdentifiers, type NamedColumns, type LookupColumns } from './columns.js'
import { detectColumns, findNameColumn, isDescription } from './detect-columns.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import {
  companyNameHeaders,
  earlierIdentifiers,
  earlierWholePlaces,
  isKnownHeader,
  parsePlaceHeader,
  rankNameHeader,
  wholePlaceHeaders,
} from '../../core/header-words.js'
import type { PlaceOrder } from './header-and-cells.js'
import { findOwnersAddress } from './identifier-content.js'
import {
  plural,
  quoteExcerpt,
  rankInHeaders,
  splitNumber,
  toHeaderKey,
  toHeaderKeys,
  toSpellingKey,
} from '../../core/text.js'
import type { Lookup } from '../../core/lookup-identity.js'
import { calculateResolutionKey, type CheckpointReader } from '../checkpoint/lookup.js'
import { hasLegalForm } from './column-content.js'
import type { Input, TextRow } from './input.js'
import type { RowIndex } from './row-index.js'

/** Returns the columns that earlier runs may have used: fewer identifiers, and as detected without named columns. */
export function listEarlierColumns(
  { columns: header, layout: { nested } }: Input,
  asked: NamedColumns,
  columns: LookupColumns,
  samples: ColumnSamples,
): LookupColumns[] {
  const { name, location, context, identifiers, country } = columns
  const detect = (named: NamedColumns, order?: PlaceOrder) =>
    detectColumns(header, named, samples, nested, order)
  const inOrder = name === null ? [] : [detect({ ...asked, name }, 'first')]
  const refused = asked.identifiers === undefined ? listRefused(header, identifiers) : []
  const others = [...inOrder, ...refused.map((one) => detect({ ...asked, identifiers: one }))]
  const candidates: LookupColumns[] = [columns, ...others, ...detectEarlier(header, asked, columns, samples)]
    .flatMap((one) =>
      asked.location === undefined ? [one, { ...one, location: listEarlierLocation(one) }] : [one],
    )
    .flatMap((one) => [
      one,
      ...listFewerIdentifiers(one.identifiers).map((fewer) => ({ ...one, identifiers: fewer })),
    ])
  if (asked.location !== undefined && name !== null) {
    const detected = detect({ name, context, identifiers: 'none' })
    candidates.push(detected, { ...detected, identifiers })
  }
  if (asked.identifiers !== undefined)
    candidates.push(name === null ? columns : detect({ name, location, context }))
  const toKey = ({ name, location, identifiers: own, country = '' }: LookupColumns) =>
    JSON.stringify([name, location, Object.entries(own).sort(), country])
  const asks = ({ name, identifiers: own }: LookupColumns) =>
    name !== null || listIdentifierColumns(own).length > 0
  const seen = new Set([toKey(columns)])
  // An earlier run may have had no country for rows without one.
  const countries = [...new Set([country, undefined])]
  return candidates
    .flatMap((one) => countries.map((code) => ({ ...one, country: code })))
    .filter((one) => asks(one) && !seen.has(toKey(one)) && seen.add(toKey(one)))
}

/** Lists the identifiers with a column of numbers that version 0.2.0 used by its header alone, as `CIN` with numbers of persons. */
function listRefused(header: readonly string[], identifiers: IdentifierColumns): IdentifierColumns[] {
  const rest = Object.entries(identifiers).filter(([key]) => !key.startsWith('registration_'))
  const others = header.filter((column) => !Object.values(identifiers).includes(column))
  return others
    .filter((column) => rankInHeaders(column, earlierIdentifiers.registration_id) >= 0)
    .map((column) => ({ ...Object.fromEntries(rest), registration_id: column }))
}

/**
 * Returns the columns as found by a version that does not know headers with a number (`Ort 1`), or by one that does not
 * know the words added since version 0.2.0. Their cells are known, so columns are still found by these.
 */
function detectEarlier(
  header: readonly string[],
  asked: NamedColumns,
  columns: LookupColumns,
  samples: ColumnSamples,
): LookupColumns[] {
  const isNumbered = (column: string) => /\d$/.test(toHeaderKey(column)) && !isKnownHeader(column)
  const unknown = [isNumbered, isAddedHeader, (column: string) => isNumbered(column) || isAddedHeader(column)]
  const { context, identifiers } = columns
  const named = {
    ...(asked.name === undefined ? {} : { name: columns.name }),
    ...(asked.location === undefined ? {} : { location: columns.location }),
    ...(asked.identifiers === undefined ? {} : { identifiers }),
  }
  return unknown.flatMap((isUnknown) => {
    if (!header.some(isUnknown)) return []
    // Letters for private use are the key of no header.
    const masks = header.map((column, at) =>
      isUnknown(column) ? String.fromCodePoint(maskStart + at) : column,
    )
    const unmask = (column = '') => header[masks.indexOf(column)] ?? column
    const name = findNameColumn(masks) ?? masks[header.indexOf(columns.name ?? '')] ?? noName
    const found = detectColumns(
      name === noName ? [...masks, noName] : masks,
      { name, context: context.map((column) => masks[header.indexOf(column)] ?? column) },
      new Map([...samples].map(([column, cells]) => [masks[header.indexOf(column)] ?? column, cells])),
    )
    const earlier = {
      name: name === noName ? null : unmask(name),
      location: found.location.map(unmask),
      context,
      identifiers: Object.fromEntries(
        Object.entries(found.identifiers).map(([key, column]) => [key, unmask(column)]),
      ),
    }
    return [earlier, { ...earlier, name: columns.name }, { ...earlier, identifiers }].flatMap((one) => [
      { ...one, ...named },
      { ...one, name: columns.name, identifiers, ...named },
    ])
  })
}

const maskStart = 0xf0000
const noName = String.fromCodePoint(maskStart - 1)

/**
 * Returns the location as version 0.2.0 read it: with the first line of an address, and none next to a postal code; without
 * a country next to a whole place.
 */
function listEarlierLocation({ location }: LookupColumns): readonly string[] {
  const [first = ''] = location
  if (location.length === 2 && rankInHeaders(first, wholePlaceHeaders) >= 0) return [first]
  const getPart = (column: string) => parsePlaceHeader(column)?.part
  const lines = location.filter((column) => getPart(column) === 'address')
  const kept = location.some((column) => getPart(column) === 'postal') ? 0 : 1
  const left = lines.length > 1 ? lines.slice(kept) : []
  return location.filter((column) => !left.includes(column))
}

let earlierHeaders: ReadonlySet<string> | null = null

/** Whether a header names a part of a lookup, but not in the words of version 0.2.0. */
function isAddedHeader(header: string): boolean {
  earlierHeaders ??= new Set(
    [
      companyNameHeaders,
      toHeaderKeys(...headerWords.earlier.plainNames),
      earlierWholePlaces,
      ...Object.values(earlierIdentifiers),
    ].flat(),
  )
  const key = toHeaderKey(header)
  const { base } = splitNumber(key)
  if (earlierHeaders.has(key) || earlierHeaders.has(base) || parsePlaceHeader(header, true) !== null)
    return false
  const isKnown = isKnownHeader(header) || isKnownHeader(base)
  return (
    isKnown ||
    parsePlaceHeader(header) !== null ||
    rankNameHeader(header) >= 0 ||
    findOwnersAddress(header) !== null
  )
}

/** Names submitted before as they are. */
export interface EarlierNames {
  /** Loads the state of these lookups for `wasAsked`. */
  fetch(lookups: readonly Lookup[]): Promise<void>
  wasAsked(lookup: Lookup): boolean
}

/** For lookups that cost nothing, whatever was asked before. */
export const noEarlierNames: EarlierNames = { fetch: () => Promise.resolve(), wasAsked: () => false }

/** Returns the names submitted earlier in the scope of a reader. */
export function createEarlierNames(reader: CheckpointReader): EarlierNames {
  return {
    fetch: async (lookups) => {
      if (lookups.length === 0) return
      await reader.fetch(lookups.map(toResolution))
    },
    wasAsked: (lookup) => hasBeenLookedUp(reader, lookup),
  }
}

const toResolution = (lookup: Lookup) => ({
  kind: 'resolution' as const,
  key: calculateResolutionKey(lookup),
})

function hasBeenLookedUp(reader: CheckpointReader, lookup: Lookup): boolean {
  const ids = reader.find([toResolution(lookup)]).filter((id) => id !== 0)
  const [known] = reader.readAnswers(ids)
  return known !== undefined && known !== null && known.state !== 'new'
}

/** The names of a reader, or of one that is opened on first use and closed by `close`; none for null. */
export function openEarlierNames(
  source: CheckpointReader | (() => CheckpointReader | null) | null,
): EarlierNames & { close: () => void } {
  if (typeof source !== 'function')
    return { ...(source === null ? noEarlierNames : createEarlierNames(source)), close: () => undefined }
  // A missing reader is not searched again: a list may have a million such names.
  let reader: CheckpointReader | null | undefined
  let names = noEarlierNames
  return {
    fetch: async (lookups) => {
      if (lookups.length === 0) return
      if (reader === undefined) {
        reader = source()
        if (reader !== null) names = createEarlierNames(reader)
      }
      await names.fetch(lookups)
    },
    wasAsked: (lookup) => names.wasAsked(lookup),
    close: () => reader?.close(),
  }
}

/** A row that has only a name, though others have more. */
interface LoneRow {
  readonly name: string
  readonly rowNumber: number
}

/** Finds rows that are no companies by the cells that they have: a second header, types, headings of groups, a footer. */
export class RowShapes {
  #rowCount = 0
  #headerCount = 0
  #loneCount = 0
  /** The last row without cells. */
  #blankRow = -1
  /** The first ones, and the last one after them. */
  readonly #lone: LoneRow[] = []
  readonly #places = new Set<string>()
  /** Why the first row may be no company. */
  #firstDoubt: string | null = null

  constructor(private readonly columns: LookupColumns) {}

  add([name, ...others]: TextRow): void {
    this.#rowCount++
    if (this.columns.name === null || !name) {
      if (!others.some(Boolean)) this.#blankRow = this.#rowCount
      return
    }
    if (this.#rowCount <= headerRowsMax && isKnownHeader(name)) this.#headerCount++
    const rest = others.filter((cell) => cell !== null && cell.trim() !== '') as string[]
    if (this.#rowCount === 1 && rest.length > 0 && isDescription([name, ...rest]))
      this.#firstDoubt = `row 1 seems to be a second header, or to describe the columns: ${quoteExcerpt([name, ...rest].join(', '))}`
    if (rest.length > 0) {
      const places = this.#places.size < placesMax ? others.slice(0, this.columns.location.length) : []
      for (const cell of places) this.#places.add((cell ?? '').trim().toLowerCase())
    } else if (others.length > 0) {
      this.#loneCount++
      this.#lone.splice(loneRowsMax)
      this.#lone.push({ name: name.trim(), rowNumber: this.#rowCount })
    }
  }

  /** Call after the last row. Rows that are not looked up are no doubt. */
  async listDoubts(index: RowIndex): Promise<readonly string[]> {
    const isAsked = (rowNumber: number) => index.getReason(index.slice(rowNumber - 1, 1)[0] ?? 0) === null
    const first = this.#firstDoubt === null || !isAsked(1) ? [] : [this.#firstDoubt]
    const lone = this.#lone.filter(({ rowNumber }) => isAsked(rowNumber))
    const isTransposed = this.#headerCount > 1 && this.#headerCount >= Math.min(this.#rowCount, headerRowsMax)
    const told =
      'the names are words of headers: the table seems to have a column, not a row, for each company'
    const transposed = isTransposed ? [told] : []
    return [...first, ...transposed, ...(await this.#describeLone(lone))]
  }

  async #describeLone(lone: readonly LoneRow[]): Promise<readonly string[]> {
    // Without places in most rows, a row without one is usual.
    const isUsual = this.#loneCount - this.#lone.length + lone.length > this.#rowCount / 2 + 1
    if (lone.length === 0 || isUsual) return []
    const { findCountryCodes } = await import('../../core/countries.js')
    const isPlace = ({ name }: LoneRow) =>
      this.#places.has(name.toLowerCase()) ||
      (name.length > codeCharsMax && findCountryCodes(name).length > 0)
    const groups = lone.filter(isPlace)
    const rest = lone.filter((row) => !isPlace(row))
    const footer = rest.filter(({ rowNumber }) => rowNumber > this.#rowCount - footerRowsMax)
    const isFooter =
      footer.length === rest.length &&
      footer.some(({ name, rowNumber }) => rowNumber === this.#blankRow + 1 || footerSign.test(name))
    return [
      ...(groups.length > 1 && groups.length >= lone.length / 2
        ? [
            `${plural(groups.length, 'row has', 'rows have')} only a place (${formatLone(groups)}): they seem to be headings`,
          ]
        : []),
      ...(isFooter && this.#loneCount <= loneRowsMax
        ? [`the last rows have only a text (${formatLone(footer)}): they seem to be a footer`]
        : []),
    ]
  }
}

const [headerRowsMax, placesMax, loneRowsMax, footerRowsMax, namedMax] = [50, 10_000, 1_000, 3, 3]
/** Codes of countries are also names: `SA`, `AG`. */
const codeCharsMax = 3

/** Signs that names of companies lack: a colon or a semicolon, a frame of dashes, dots at the end. */
const footerSign = /[:：;；|]|^[-–—=*#_]{2}|[.。]{3}$/u

const formatLone = (rows: readonly LoneRow[]): string =>
  rows
    .slice(0, namedMax)
    .map(({ rowNumber, name }) => `row ${rowNumber}: ${quoteExcerpt(name)}`)
    .join(', ')

/** Folds a word of a total; the Turkish letters `İ` and `ı` are an `i`. */
export const toTotalKey = (text: string): string => toSpellingKey(text).replace(/i\u0307|ı/gu, 'i') || text
export const toTotalKeys = (lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split('|').map(toTotalKey)))

const reportWords = Object.fromEntries(
  Object.entries(headerWords.reportLines).map(([kind, list]) => [kind, toTotalKeys([list])]),
)
/** First letters of lines for signatures. */
export const signedStarts = new Set(Array.from(reportWords['signed'] ?? [], (key) => key.slice(0, 3)))
const fullDate = new RegExp(headerWords.dates.full, 'u')
/** The last line of a list: `Hà Nội, ngày 30 tháng 11 năm 2026`, `Zagreb, 30.11.2026`. */
const townAndDate = new RegExp(headerWords.dates.behindTown.replace('DATE', headerWords.dates.full), 'u')
const copyright = /(?:©|\(c\))\s*(?:19|20)\p{Nd}{2}(?!\p{Nd})|^copyright\s*(?:©|\(c\))/iu

export const isReportWord = (kind: keyof typeof headerWords.reportLines, text: string): boolean =>
  reportWords[kind]?.has(toTotalKey(text)) === true

/** Whether a text is a line of a printed report: `Page 3 of 7`, `Printed on 1.2.2026`, `© 2024 Norvane Inc.`. */
export function isReportLine(text: string, isFree: boolean): boolean {
  const bare = text.replace(/^(?:[^\p{L}\p{N}©(]|x{3,}(?!x))+|(?:[^\p{L}\p{M}\p{N})]|(?<!x)x{3,})+$/gu, '')
  const isVague = isFree && (isReportWord('vague', bare) || isReportWord('marks', bare))
  if (copyright.test(bare) || isReportWord('sure', bare) || isVague) return true
  const numbers = bare.match(/\p{Nd}+/gu)?.length ?? 0
  if (numbers === 0) return false
  const words = bare.split(/[^\p{L}\p{M}'’]+/u).filter((word) => word !== '')
  const isPage = words.some((word) => isReportWord('pages', word))
  if (isPage && words.every((word) => isReportWord('pages', word) || isReportWord('pageLinks', word)))
    return numbers === 2 || (numbers === 1 && isFree && words.length === 1)
  const isDated = [1, 2, 3, 4].some((count) => isReportWord('dated', words.slice(0, count).join('')))
  const hasDate = (isFree && townAndDate.test(bare)) || (isDated && fullDate.test(bare))
  return hasDate && !hasLegalForm(bare.replace(fullDate, ''))
}
