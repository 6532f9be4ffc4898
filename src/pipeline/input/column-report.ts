import headerWords from '../../core/headers.json' with { type: 'json' }
import { plural, printable, quoteName, rankInHeaders, toHeaderKey, toHeaderKeys } from '../../core/text.js'
import {
  areAmounts,
  areRegisterLetters,
  canBePlaces,
  detectIdentifier,
  personKind,
  readWholeTaxNumber,
} from './column-content.js'
import { isOtherParty, listPlaceColumns, nameTaxKind } from './header-and-cells.js'
import {
  listNameMembers,
  noNested,
  listPlainColumns,
  quoteColumn,
  type NestedColumn,
  type NestedColumns,
  type ColumnSamples,
  listLookupColumns,
  type LookupColumns,
  type LookupRule,
  type ColumnReport,
} from './columns.js'
import { searchIdentifiers } from './detect-columns.js'
import { parsePlaceHeader, wholePlaceHeaders, identifierHeaders } from '../../core/header-words.js'
import { listHeaderKeys, rankHeader } from './identifier-content.js'
import type { IdentifierFault } from './number-cells.js'
import { repeatedHeaders, reportRow, totalRow } from './rows-without-company.js'
import texts from './fault-texts.json' with { type: 'json' }
import {
  identifierKeys,
  identifierNames,
  numberKeys,
  type IdentifierColumns,
  type IdentifierKey,
  symbolHeaders,
  taxHeaders,
  taxWords,
} from '../../core/identifiers.js'

/** Identifiers that no open register has, and other names: one column of names is asked. They are reported. */
const unregistered = Object.entries(headerWords.others).map(
  ([kind, lists]) => [kind, toHeaderKeys(...lists)] as const,
)

const kindsOfHeaders = new Map([
  ...identifierKeys.flatMap((type) =>
    identifierHeaders[type].map((key) => [key, identifierNames[type]] as const),
  ),
  ...[...unregistered, ['ticker', symbolHeaders] as const, ['VAT number', taxHeaders] as const].flatMap(
    ([kind, keys]) => keys.map((key) => [key, kind] as const),
  ),
])

const lacking = 'open registers lack them; for a registry of your own, use --id-columns'

const lackingKinds = new Set(unregistered.map(([kind]) => kind).filter((one) => !/ name|digit|box/.test(one)))

function findHeaderKind(header: string, cells: readonly string[]): string | undefined {
  const kinds = listHeaderKeys(header).flatMap((key) => kindsOfHeaders.get(key) ?? [])
  const isFitting = (kind: string) =>
    kind === 'check digit'
      ? cells.every(({ length }) => length <= 2)
      : kind !== 'VAT number' || !areAmounts(cells)
  return kinds.find(isFitting)
}

/** Returns the kind that the last words of a header name, or two others: `Plant City`, `Company Number Abroad`. */
function findPartsKind(header: string, cells: readonly string[]): string | undefined {
  const words = header.split(/[^\p{L}\p{M}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => word !== '')
  const ends = words.slice(1, wordsMax).map((_, at) => words.slice(at + 1).join(' '))
  // "Splatnost dní" is a number of days, and no Spanish DNI.
  const mayBe = (kind: string) => kind !== personKind || cells.some(({ length }) => length > 5)
  for (const end of ends.filter((text) => text.length >= endCharsMin)) {
    const key = toHeaderKey(end)
    const kind = taxWords.has(key) ? undefined : kindsOfHeaders.get(key)
    if (kind !== undefined && mayBe(kind)) return kind
    const place = parsePlaceHeader(end)
    if (place !== null) return canBePlaces(place.part, cells) ? partNames[place.part] : undefined
  }
  const run = (from: number, count: number) =>
    kindsOfHeaders.get(toHeaderKey(words.slice(from, from + count).join('')))
  const kinds = words.flatMap((_, from) => ends.map((__, at) => run(from, at + 2)))
  const isOfDigits = cells.some((cell) => /\d/.test(cell))
  return kinds.find((kind) => isOfDigits && kind !== undefined && kind !== 'VAT number' && mayBe(kind))
}

const wordsMax = 8
const endCharsMin = 4

const partNames = texts.places

/** Reports the use of each column. `others`: columns that are used for something else than lookups. */
export function reportColumns(
  header: readonly string[],
  use: Pick<LookupRule, 'columns' | 'identifierUse'> & { readonly others?: readonly string[] },
  samples: ColumnSamples,
  nested: NestedColumns = noNested,
): ColumnReport {
  const { columns: used, identifierUse, others: usedToo = [] } = use
  const plain = listPlainColumns(header, nested)
  const taken = new Set([...listLookupColumns(used), ...usedToo])
  const places = new Map(
    listPlaceColumns(plain, samples).map(({ column, part }) => [column, partNames[part]]),
  )
  const found = searchIdentifiers(plain, used, samples).unused
  const findKind = (column: string): string | undefined =>
    places.get(column) ??
    (rankInHeaders(column, wholePlaceHeaders) >= 0 ? 'place' : undefined) ??
    findHeaderKind(column, samples.get(column) ?? []) ??
    detectIdentifier(samples.get(column) ?? []) ??
    findPartsKind(column, samples.get(column) ?? [])
  const unused = header.flatMap((column) => {
    if (taken.has(column)) return []
    const own = nested.get(column)
    if (own !== undefined) return reportUnusedNested(column, own, used)
    const kind = found.get(column)?.kind ?? findKind(column)
    if (kind === undefined) return []
    const cells = samples.get(column) ?? []
    const ofPersons = areRegisterLetters(cells) ? undefined : 'never sent'
    const reason = kind === personKind ? ofPersons : lackingKinds.has(kind) ? lacking : undefined
    const why = found.get(column)?.why ?? reason ?? explainByContent(column, kind, cells, used)
    const shown = kind === 'VAT number' ? nameTaxKind(column, cells) : kind
    return [{ column, kind: shown, ...(why === undefined ? {} : { why }) }]
  })
  const named = new Set(unused.map(({ column }) => column))
  const others = header.filter((column) => !taken.has(column) && !named.has(column))
  return { ...used, identifierUse, unused, others }
}

/** Returns how to use a column that its cells or a part of its header tell, or why not; undefined for others. */
function explainByContent(
  column: string,
  kind: string,
  cells: readonly string[],
  { name, identifiers }: LookupColumns,
): string | undefined {
  const free = numberKeys.find((one) => identifiers[one] === undefined) ?? 'registration_id'
  if (kind === personKind)
    return `not sent; if these are company numbers: ${formatIdColumns({ ...identifiers, [free]: column })}`
  const key = keysOfKinds.get(kind)
  if (key === undefined || rankHeader(key, column) >= 0) return undefined
  const isByCells = findHeaderKind(column, cells) === undefined && detectIdentifier(cells) === kind
  if (isOtherParty(toHeaderKey(column), toHeaderKey(name ?? ''))) return 'its header names another party'
  if (isByCells && kind === 'VAT number' && cells.every((cell) => readWholeTaxNumber(cell) === null))
    return 'its numbers contain no company numbers'
  if (identifiers[key] !== undefined) return `${identifiers[key]} is used`
  return `to use it: ${formatIdColumns({ ...identifiers, [key]: column })}`
}

/** Formats the flag with all columns: others that it does not name are not used. */
function formatIdColumns(columns: IdentifierColumns): string {
  const named = [...identifierKeys, ...numberKeys.slice(1)].flatMap((key) => {
    const column = columns[key]
    return column === undefined ? [] : [`${key}=${quoteColumn(column)}`]
  })
  return `--id-columns ${named.join(',')}`
}

const keysOfKinds = new Map<string, IdentifierKey>([
  ...identifierKeys.map((key) => [identifierNames[key], key] as const),
  ['VAT number', 'registration_id'],
])

/** Reports a nested column without used members that may contain a name or parts of a place. */
function reportUnusedNested(
  column: string,
  nested: NestedColumn,
  used: LookupColumns,
): ColumnReport['unused'] {
  const { members } = nested
  if (listLookupColumns(used).some((one) => members.includes(one))) return []
  const [name] = listNameMembers(nested)
  const places = members.filter(
    (member) => parsePlaceHeader(member.slice(member.lastIndexOf('.') + 1)) !== null,
  )
  if (name !== undefined)
    return [{ column, kind: nested.kind, why: `--name-column ${name} reads names from it` }]
  if (places.length === 0) return []
  return [{ column, kind: nested.kind, why: `--location-columns ${places.join(',')} reads places from it` }]
}

/** How rows with these faults are looked up; with others, without the identifier. */
const effects: Readonly<Partial<Record<IdentifierFault, string>>> = texts.effects
const namedRowsMax = 4

/** From this number of wrong check digits on, the column has other numbers, or a program has damaged them. */
const wrongMin = 3
const wrongShareMin = 0.1

const unaskedReasons: readonly string[] = [...Object.values(repeatedHeaders), totalRow, reportRow]

interface CountedRows {
  count: number
  readonly rowNumbers: number[]
}

/** Distinct countries that are named, and characters of each. */
const countriesNamedMax = 5

const countryCharsMax = 40

/** Counts faulty identifiers, countries that are not known, rows without a name, and rows that are headers or totals. */
export class IdentifierCounts {
  readonly #faults = new Map<IdentifierFault, CountedRows>()
  readonly #unasked = new Map<string, CountedRows>()
  readonly #countries = { count: 0, rowNumbers: [] as number[], names: new Set<string>() }
  #rowCount = 0
  readonly #byIdentifier: CountedRows = { count: 0, rowNumbers: [] }
  readonly #byDomain: CountedRows = { count: 0, rowNumbers: [] }

  /** `doubts`: why columns, or rows, may be the wrong ones. */
  constructor(
    readonly doubts: string[] = [],
    private readonly identifiers: IdentifierColumns = {},
  ) {}

  /** `rowNumber`: from 1. */
  add(
    row: {
      kind: 'resolution' | 'domain'
      byIdentifier?: boolean
      faults: readonly IdentifierFault[]
      unknownCountry?: string
    },
    rowNumber: number,
  ): void {
    this.#rowCount++
    if (row.byIdentifier === true) addRow(this.#byIdentifier, rowNumber)
    if (row.kind === 'domain') addRow(this.#byDomain, rowNumber)
    if (row.unknownCountry !== undefined) {
      const { names } = this.#countries
      addRow(this.#countries, rowNumber)
      if (names.size <= countriesNamedMax) names.add(row.unknownCountry)
    }
    for (const fault of new Set(row.faults)) countRow(this.#faults, fault, rowNumber)
  }

  /** Counts a row without a lookup, if it is a header or a total. */
  addInvalid(reason: string, rowNumber: number): void {
    if (unaskedReasons.includes(reason)) countRow(this.#unasked, reason, rowNumber)
  }

  /** Returns why rows may be read wrongly: below another header, columns may have other meanings. */
  listDoubts(): string[] {
    const counted = this.#unasked.get(repeatedHeaders.other)
    const damaged = (['registration_checksum', 'rounded_number'] as const).flatMap((fault) => {
      const found = this.#faults.get(fault)
      const isDoubt = found !== undefined && found.count >= Math.max(wrongMin, this.#rowCount * wrongShareMin)
      return isDoubt ? describeDamage(fault, found) : []
    })
    return [
      ...this.doubts,
      ...(counted === undefined
        ? []
        : [
            `${plural(counted.count, 'row is a header', 'rows are headers')} with other columns (${formatRowNumbers(counted)}): not looked up; the rows below may be read wrongly`,
          ]),
      ...damaged,
    ]
  }

  /** Returns sentences for the user, with the doubts; `isBilled` if a service bills each lookup. */
  listNotes(isBilled: boolean): string[] {
    const repeated = this.#unasked.get(repeatedHeaders.same)
    const others = [totalRow, reportRow].flatMap((reason) => {
      const counted = this.#unasked.get(reason)
      if (counted === undefined) return []
      const rows = plural(counted.count, 'row has', 'rows have')
      const text = reason.replace('the row has ', '')
      return [`${rows} ${text} (${formatRowNumbers(counted)}): not looked up`]
    })
    const doubts = this.listDoubts()
    const faults = [...this.#faults].map(([fault, counted]) =>
      fault in remedies
        ? describeDamage(fault as keyof typeof remedies, counted)
        : `${formatRows(counted.count)} ${texts.named[fault]} (${formatRowNumbers(counted)}): looked up ${effects[fault] ?? 'without it'}${/^(?:tax_number|other_register)$/.test(fault) ? this.#getRemedy() : ''}`,
    )
    return [
      ...(repeated === undefined
        ? []
        : [
            `${plural(repeated.count, 'row repeats', 'rows repeat')} the header (${formatRowNumbers(repeated)}): not looked up`,
          ]),
      ...others,
      ...doubts,
      ...faults.filter((text) => !doubts.includes(text)),
      ...(this.#countries.count === 0 ? [] : [this.#describeCountries(isBilled)]),
      ...describeNameless(this.#byDomain, 'looked up by domain'),
      ...describeNameless(
        this.#byIdentifier,
        `looked up${isBilled ? ', and billed,' : ''} by identifiers instead`,
      ),
    ]
  }

  /** Only numbers of a named column are looked up whatever they are. */
  #getRemedy(): string {
    const { registration_id: column } = this.identifiers
    return column === undefined
      ? ''
      : `; if they are company numbers, pass ${formatIdColumns(this.identifiers)}`
  }

  /** A hosted service may know the text; the embedded one does not. */
  #describeCountries(isHosted: boolean): string {
    const names = [...this.#countries.names].slice(0, countriesNamedMax).map(quoteCountry)
    const more = this.#countries.names.size > countriesNamedMax ? ', …' : ''
    const effect = isHosted ? '' : '; the confidence may be limited to 94'
    return (
      `${formatRows(this.#countries.count)} a country that is no known name or code: ${names.join(', ')}${more} ` +
      `(${formatRowNumbers(this.#countries)}): submitted as written${effect}`
    )
  }
}

const quoteCountry = (name: string): string => {
  const text = printable(name.replace(/\s+/g, ' '))
  return quoteName(text.length > countryCharsMax ? `${text.slice(0, countryCharsMax)}…` : text)
}

/** Advice on damaged numbers. */
const { remedies } = texts

const describeDamage = (fault: keyof typeof remedies, counted: CountedRows): string =>
  `${formatRows(counted.count)} ${texts.named[fault]} (${formatRowNumbers(counted)}): ${remedies[fault]}`

const formatRows = (count: number): string => plural(count, 'row has', 'rows have')

function countRow<Key>(counts: Map<Key, CountedRows>, key: Key, rowNumber: number): void {
  const counted = counts.get(key) ?? { count: 0, rowNumbers: [] }
  addRow(counted, rowNumber)
  counts.set(key, counted)
}

function addRow(counted: CountedRows, rowNumber: number): void {
  counted.count++
  if (counted.rowNumbers.length < namedRowsMax) counted.rowNumbers.push(rowNumber)
}

const describeNameless = (of: CountedRows, effect: string): string[] =>
  of.count === 0 ? [] : [`${formatRows(of.count)} no name (${formatRowNumbers(of)}): ${effect}`]

/** Names all of four rows, and the first three of more. */
function formatRowNumbers({ count, rowNumbers }: CountedRows): string {
  const shown = count > namedRowsMax ? [...rowNumbers.slice(0, -1), '…'] : rowNumbers
  return `${count === 1 ? 'row' : 'rows'} ${shown.join(', ')}`
}
