import { formatCount } from '../../core/text.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import { foldText, identify } from '../../core/lookup-identity.js'
import type { CheckpointReader } from '../checkpoint/lookup.js'
import type { Input, TextRow } from './input.js'
import { createRowReader, toKeyedLookup, createEarlierNames } from './row-reader.js'
import {
  type ColumnSamples,
  keepRead,
  listLookupColumns,
  type NamedColumns,
  type LookupColumns,
  type LookupRule,
  type IdentifierUse,
} from './columns.js'
import { mayBeIdentifier } from './column-content.js'
import { findDocumentCountries, findPersonCountries } from './find-identifiers.js'
import { listEarlierColumns } from './earlier-columns.js'

export interface ColumnChoice {
  rule: LookupRule
  /** A note to the user about earlier runs with other columns. */
  note: string | null
}

/**
 * Chooses the named or detected columns. On a service that bills, if more rows of this input were looked up before with
 * other columns in place of the detected ones, or without identifiers, those are kept, so that better columns cause no cost.
 */
export async function chooseColumns(options: {
  input: Input
  asked: NamedColumns
  /** The named columns, and the detected ones. */
  columns: LookupColumns
  identifierUse: IdentifierUse
  samples: ColumnSamples
  /** Null if nothing was looked up yet. */
  reader: CheckpointReader | null
  signal: AbortSignal
  /** Whether the service bills lookups. */
  isBilled: boolean
}): Promise<ColumnChoice> {
  const { input, asked, columns, samples, reader, identifierUse, signal, isBilled } = options
  const areNumbersNamed = !isBilled || typeof asked.identifiers === 'object'
  const cells = Object.values(columns.identifiers).map((column) => samples.get(column ?? '') ?? [])
  const ofPersons = [...findPersonCountries(cells), ...findDocumentCountries([...samples.values()])]
  const personCountries = [...input.columns.flatMap(listLetterCountries), ...ofPersons]
  const read = { identifierUse, areNumbersNamed, personCountries }
  const rule = { ...read, columns, readsNames: asked.identifiers !== 'none' }
  const others = isBilled ? listEarlierColumns(input, asked, columns, samples) : []
  if (reader === null || others.length === 0) return { rule, note: null }
  const rules = others.map((other) => ({ ...read, columns: other, readsNames: false }))
  const { counts, gains, isWhole } = await countKnown({ rules: [rule, ...rules], reader, input, signal })
  const [present = 0] = counts
  const known = rules
    .map((one, at) => ({
      rule: one,
      count: counts[at + 1] ?? 0,
      gain: gains[at + 1] ?? 0,
      isAsNamed: isAsNamed(one.columns, asked, columns),
    }))
    .filter(({ count }) => count > present)
    .sort((one, other) => Number(other.isAsNamed) - Number(one.isAsNamed) || other.count - one.count)
  const [most] = known
  if (most === undefined) return { rule, note: null }
  const { rule: other } = most
  const formatRows = (count: number) =>
    count === 1 ? '1 row was' : `${isWhole ? '' : 'At least '}${formatCount(count)} rows were`
  const newNote = `${formatRows(most.gain)} looked up before with ${describeColumns(other.columns)}; with the new columns, ${most.gain === 1 ? 'it is' : 'they are'} looked up and billed again`
  if (!most.isAsNamed) return { rule, note: newNote }
  const note =
    `${formatRows(most.count)} looked up before with ${describeColumns(other.columns)}: kept, so that nothing is looked up and billed again. ` +
    `The columns of a first run are ${describeColumns(columns)}; choose with --location-columns, --name-column and --id-columns`
  return { rule: other, note }
}

const letters = Object.entries(headerWords.letters).map(
  ([script, codes]) => [new RegExp(`\\p{sc=${script}}`, 'u'), codes.split(' ')] as const,
)

/** Lists the countries that have the letters of a text for themselves, or numbers of persons that others have not. */
const listLetterCountries = (text: string): readonly string[] =>
  letters.flatMap(([letter, codes]) => (letter.test(text) ? codes : []))

/** Whether columns differ from the present ones only where the user has named none. */
function isAsNamed(other: LookupColumns, asked: NamedColumns, columns: LookupColumns): boolean {
  const toKey = ({ name, location, identifiers, country = '' }: LookupColumns) =>
    JSON.stringify([
      asked.country === undefined ? null : country,
      asked.name === undefined ? null : name,
      asked.location === undefined ? null : location,
      asked.identifiers === undefined ? null : Object.entries(identifiers).sort(),
    ])
  return toKey(other) === toKey(columns)
}

function describeColumns({ name, location, identifiers, country }: LookupColumns): string {
  const added = country === undefined ? '' : ` with the country ${country}`
  const places = `${location.length === 0 ? 'no location' : `the location from ${location.join(', ')}`}${added}`
  const columns = [...new Set(Object.values(identifiers))]
  const stated = columns.length === 0 ? '' : ` and identifiers from ${columns.join(', ')}`
  return `${name === null ? 'no name' : `the name from ${name}`} and ${places}${stated}`
}

const surelyKnownRows = 10_000
/** Rows remembered at once: about 20 MB. */
const seenRowsMax = 100_000

/** The rules by which a row has a lookup, and those by which it was looked up before, as positions in a list. */
interface RowStanding {
  readonly asks: readonly number[]
  readonly known: readonly number[]
}

interface RowsToJudge {
  /** The present rule is the first. */
  readonly rules: readonly LookupRule[]
  readonly reader: CheckpointReader
  readonly input: Input
  readonly signal: AbortSignal
}

interface KnownCounts {
  readonly counts: readonly number[]
  /** Rows that the present rule does not know. */
  readonly gains: readonly number[]
  /** Whether all rows were counted. */
  readonly isWhole: boolean
}

/**
 * Counts the rows looked up before, by rule. Another rule can have more only with rows that the present one does not
 * know. So it is compared for these rows first, and for the others only if it knows any. For a rule that has no more
 * than the present one, the count is a part.
 */
async function countKnown(request: RowsToJudge): Promise<KnownCounts> {
  const counted = await countGains(request)
  const [present = 0, ...others] = counted.counts
  const better = others.flatMap((gain, at) => (gain > 0 ? [at + 1] : []))
  if (present === 0 || better.length === 0 || !counted.isWhole) return counted
  const changes = counted.counts.map((gain, index) => (index === 0 ? 0 : gain))
  const rules = [0, ...better].flatMap((index) => request.rules[index] ?? [])
  for await (const standings of readStandings({ ...request, rules }, (isKnown) => isKnown)) {
    for (const { known } of standings)
      for (const [at, index] of better.entries())
        if (known.includes(0) && !known.includes(at + 1)) changes[index] = (changes[index] ?? 0) - 1
    if (better.every((index) => (changes[index] ?? 0) <= 0)) break
  }
  return { ...counted, counts: changes.map((change) => present + change) }
}

/** Counts the rows that the present rule knows, and for each other rule those that only it knows. */
async function countGains(request: RowsToJudge): Promise<KnownCounts> {
  const counts = request.rules.map(() => 0)
  const askCounts = request.rules.map(() => 0)
  // This many rows, all with the same rule, are conclusive; for a rule other than the present one only if the present
  // one has none.
  const isSure = (index: number) =>
    (askCounts[index] ?? 0) >= surelyKnownRows && counts[index] === askCounts[index]
  const mayBeStored = createNameFilter(request)
  const isCompared = (isKnown: boolean, row: TextRow) => !isKnown && mayBeStored(row)
  for await (const standings of readStandings(request, isCompared)) {
    for (const { asks, known } of standings) {
      for (const index of asks) askCounts[index] = (askCounts[index] ?? 0) + 1
      for (const index of known) counts[index] = (counts[index] ?? 0) + 1
    }
    const isAnother = counts[0] === 0 && counts.some((_, index) => isSure(index))
    if (isSure(0) || isAnother) return { counts, gains: counts, isWhole: false }
  }
  return { counts, gains: counts, isWhole: true }
}

/** Names to keep in memory: about 100 MB. More are not read. */
const namesMax = 1_000_000
/** As many rows are compared in less time than the names are read. */
const unfilteredRows = 200

/**
 * Creates a test for whether a row, by the columns of `listColumns`, may have a stored lookup by any rule: its name is that
 * of one. Always true where a lookup may have another name than its row.
 */
function createNameFilter({ rules, reader }: RowsToJudge): (row: TextRow) => boolean {
  const columns = listColumns(rules)
  const named = rules.map((rule) => (rule.identifierUse === 'context' ? rule.columns.name : null))
  const places = [...new Set(named)].map((column) => (column === null ? -1 : columns.indexOf(column)))
  if (places.includes(-1)) return () => true
  let rowCount = 0
  let isRead = false
  const names = new Set<string>()
  const read = () => reader.read('names', { limit: namesMax, take: (name) => names.add(foldText(name)) })
  return (row) => {
    rowCount += 1
    if (rowCount <= unfilteredRows) return true
    if (rowCount === unfilteredRows + 1) isRead = read()
    return !isRead || places.some((at) => isStored(row[at] ?? null, names))
  }
}

function isStored(cell: string | null, names: ReadonlySet<string>): boolean {
  const read = identify(cell, [], [])
  // A row without a usable name is looked up by its identifiers.
  return read.kind === 'invalid' || mayBeIdentifier(cell) || names.has(foldText(read.lookup.name))
}

const listColumns = (rules: readonly LookupRule[]): string[] => [
  ...new Set(rules.flatMap((rule) => listLookupColumns(rule.columns))),
]

/** Whether a row is compared by the other rules. `isKnown`: whether the present rule knows it. */
type IsCompared = (isKnown: boolean, row: TextRow) => boolean

/** Reads each row by the present rule, and by the others if it is compared. Equal rows are read once. */
async function* readStandings(
  { rules, reader, input, signal }: RowsToJudge,
  isCompared: IsCompared,
): AsyncGenerator<RowStanding[]> {
  const columns = listColumns(rules)
  const readers = rules.map((rule) => createStandingReader(rule, columns, reader))
  const seen = new Map<string, RowStanding>()
  for await (const rows of input.rows.sample(columns)) {
    signal.throwIfAborted()
    const keys = rows.map((row) => JSON.stringify(row))
    const fresh = new Map(keys.flatMap((key, at) => (seen.has(key) ? [] : [[key, rows[at] ?? []] as const])))
    const standings = (await judgeRows([...fresh.values()], readers, isCompared)).values()
    for (const key of fresh.keys()) seen.set(key, standings.next().value ?? { asks: [], known: [] })
    yield keys.flatMap((key) => seen.get(key) ?? [])
    if (seen.size > seenRowsMax) seen.clear()
  }
}

/** Reads the rows by one rule after another. A row that two rules read the same is looked up once. */
async function judgeRows(
  rows: readonly TextRow[],
  readers: readonly StandingReader[],
  isCompared: IsCompared,
): Promise<RowStanding[]> {
  const judged = rows.map((row) => ({ row, asks: [] as number[], known: [] as number[] }))
  const found = judged.map(() => new Map<string, Standing>())
  let open = [...judged.entries()]
  for (const [index, { toKey, read }] of readers.entries()) {
    if (index === 1) open = open.filter(([, { row, known }]) => isCompared(known.includes(0), row))
    const compared = open.map(([at, { row }]) => ({ at, row, key: toKey(row) }))
    const fresh = compared.filter(({ at, key }) => found[at]?.has(key) === false)
    const standings = await read(fresh.map(({ row }) => row))
    for (const [offset, { at, key }] of fresh.entries()) found[at]?.set(key, standings[offset] ?? 'invalid')
    for (const { at, key } of compared) {
      const standing = found[at]?.get(key)
      if (standing !== 'invalid') judged[at]?.asks.push(index)
      if (standing === 'known') judged[at]?.known.push(index)
    }
  }
  // Rows that are not compared count as asked by every rule, and as not known.
  const all = [...readers.keys()]
  const left = new Set(judged.keys())
  for (const [at] of open) left.delete(at)
  return judged.map((one, at) => (left.has(at) && one.asks.length > 0 ? { ...one, asks: all } : one))
}

/** Whether a row has a lookup, and whether it was looked up before. */
type Standing = 'known' | 'new' | 'invalid'

interface StandingReader {
  /** Rows with the same key have the same lookup, by this and any other rule. */
  readonly toKey: (row: TextRow) => string
  readonly read: (rows: readonly TextRow[]) => Promise<readonly Standing[]>
}

function createStandingReader(
  rule: LookupRule,
  columns: readonly string[],
  reader: CheckpointReader,
): StandingReader {
  const { name, location, context, identifiers, country = null } = rule.columns
  const findPlace = (column: string) => columns.indexOf(column)
  const places = listLookupColumns(rule.columns).map(findPlace)
  const namePlace = name === null ? -1 : findPlace(name)
  const plainPlaces = [namePlace, ...location.map(findPlace), ...context.map(findPlace)]
  const plainColumns = JSON.stringify([name, location, context, country])
  const identifierPlaces = Object.entries(identifiers).map(
    ([key, column = '']) => [key, column, findPlace(column)] as const,
  )
  const readRows = createRowReader(rule, createEarlierNames(reader))
  return {
    toKey: (row) => {
      const filled = identifierPlaces.flatMap(([key, column, at]) => {
        const cell = row[at]?.trim() ?? ''
        return cell === '' ? [] : [[key, column, cell] as const]
      })
      const isNameRead = rule.readsNames && mayBeIdentifier(row[namePlace] ?? null)
      return JSON.stringify([plainColumns, plainPlaces.map((at) => row[at]), keepRead(filled), isNameRead])
    },
    read: async (rows) => {
      const questions = await readRows(rows.map((row) => places.map((at) => row[at] ?? null)))
      const lookups = questions.flatMap((one) => (one.kind === 'invalid' ? [] : [toKeyedLookup(one)]))
      await reader.fetch(lookups)
      const known = reader.readLookups(reader.find(lookups)).values()
      return questions.map(({ kind }) => {
        if (kind === 'invalid') return kind
        return known.next().value?.isSubmitted === true ? 'known' : 'new'
      })
    },
  }
}

const groupedRowCount = 65_536
const groupsMax = 1_000

/** Rows grouped by their value in one column. */
export interface RowGroups {
  readonly column: string
  /** In order of first appearance; '' for rows without a value, `(other)` for all values after the first 1,000. */
  readonly values: readonly string[]
  /** Returns the index in `values` for a row, counted from 0. */
  getGroup(row: number): number
}

/** Collects groups in two bytes a row. */
export class RowGrouping implements RowGroups {
  readonly values: string[] = []
  readonly #places = new Map<string, number>()
  readonly #chunks: Uint16Array[] = []
  #rowCount = 0

  constructor(readonly column: string) {}

  add(values: readonly (string | null)[]): void {
    for (const value of values) {
      const offset = this.#rowCount++ % groupedRowCount
      if (offset === 0) this.#chunks.push(new Uint16Array(groupedRowCount))
      const chunk = this.#chunks.at(-1)
      if (chunk !== undefined) chunk[offset] = this.#findGroup(value?.trim() ?? '')
    }
  }

  getGroup(row: number): number {
    return this.#chunks[Math.floor(row / groupedRowCount)]?.[row % groupedRowCount] ?? 0
  }

  #findGroup(value: string): number {
    const known = this.#places.get(value)
    if (known !== undefined) return known
    if (this.values.length === groupsMax) this.values.push('(other)')
    if (this.values.length > groupsMax) return groupsMax
    // A copy, because the slice would keep the whole input text in memory.
    const own = Buffer.from(value, 'utf16le').toString('utf16le')
    this.#places.set(own, this.values.length)
    return this.values.push(own) - 1
  }
}
