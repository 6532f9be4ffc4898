import {
  type IdentifierColumns,
  identifierKeys,
  identifierPlaceKeys,
  numberKeys,
} from '../../core/identifiers.js'
import { isTaxHeader } from './identifier-content.js'
import { rankNameHeader, rankPlainName } from '../../core/header-words.js'

/** Reading of an earlier version, to find what it looked up. */
export interface EarlierReading {
  /** `0.2.0`, or a later version that reads only the first filled column of numbers. */
  readonly version: '0.2.0' | 'one number'
  /** The country of a number below a header of one country. */
  readonly country: 'header' | 'row'
}

export interface LookupColumns {
  /** Null if rows have only identifiers. */
  name: string | null
  /** Columns of the place. */
  location: readonly string[]
  /** Columns that are submitted as context. */
  context: readonly string[]
  identifiers: IdentifierColumns
  /** Code of the country of rows without one. */
  country?: string | undefined
}

/** How identifiers are submitted. `first`: in the name, to a service that compares it with their holder. `context`: as context. */
export type IdentifierUse = 'first' | 'context'

/** How rows become lookups. */
export interface LookupRule {
  readonly columns: LookupColumns
  readonly identifierUse: IdentifierUse
  /** Whether a name cell that contains an identifier is submitted as one. */
  readonly readsNames: boolean
  /** Whether tax numbers are company numbers: in columns that the user named, and for an own registry. */
  readonly areNumbersNamed?: boolean
  /** Countries whose persons may have numbers in rows without a country. */
  readonly personCountries?: readonly string[]
  /** Why the columns may be the wrong ones; absent without a doubt. */
  readonly doubt?: string
  /** Reads company numbers and wrong LEIs as an earlier version did, to find what it looked up. */
  readonly earlier?: EarlierReading
}

/** Settings of a config file by the flags that would override them: `--row-key` is `input.rowKey in my.json`. */
export type ConfigOrigin = Readonly<Record<string, string>>

/** Columns named by the user; the others are detected. */
export interface NamedColumns {
  name?: string | undefined
  location?: readonly string[] | undefined
  context?: readonly string[] | undefined
  /** Only these columns, or none. */
  identifiers?: IdentifierColumns | 'none' | undefined
  /** Tax numbers are used even if they contain no company numbers: an own registry may have them. */
  hasTaxNumbers?: boolean | undefined
  /** Code of the country of rows without one. */
  country?: string | undefined
  /** Undefined if no config file was read. */
  origin?: ConfigOrigin | undefined
}

/** Lists all columns of a lookup, in the order in which cells are read. */
export const listLookupColumns = ({ name, location, context, identifiers }: LookupColumns): string[] => [
  ...(name === null ? [] : [name]),
  ...location,
  ...context,
  ...listIdentifierCells(identifiers),
]

/** Returns the column that labels a row in displays. */
export const getLabelColumn = (columns: LookupColumns): string => listLookupColumns(columns)[0] ?? ''

/** Lists the columns read in addition to name, location and context. */
const listIdentifierCells = (columns: IdentifierColumns): string[] =>
  [...identifierKeys, ...identifierPlaceKeys].flatMap((key) => columns[key] ?? [])

/** Lists identifier columns as earlier versions or runs may have used them: these, and choices with fewer columns. */
export function listFewerIdentifiers(identifiers: IdentifierColumns): IdentifierColumns[] {
  return [identifiers, ...listFewerNumbers(identifiers)].flatMap((most) => [most, ...listFewer(most)])
}

/** Lists the choices of a version that reads one column of numbers, or one and a column of tax numbers. */
function listFewerNumbers(identifiers: IdentifierColumns): IdentifierColumns[] {
  const others = Object.fromEntries(Object.entries(identifiers).filter((one) => !isOfNumbers(one)))
  const numbers = numberKeys.flatMap((key) => identifiers[key] ?? [])
  if (numbers.length < 2) return []
  const [first = '', ...more] = numbers
  return [[first, more.find((column) => isTaxHeader(column))], ...numbers.map((column) => [column])].map(
    ([one, other]) => ({
      ...others,
      registration_id: one,
      ...(other === undefined ? {} : { registration_id_2: other }),
    }),
  )
}

const isOfNumbers = ([key]: readonly [string, unknown]): boolean => numberKeys.some((one) => one === key)

/** More have too many choices: only none, one and all but one are tried. */
const wholeChoicesMax = 4

/** Lists the choices with fewer of the columns, as a version has them that does not know the others. */
function listFewer(identifiers: IdentifierColumns): IdentifierColumns[] {
  const entries = Object.entries(identifiers)
  const choices = Array.from({ length: 2 ** Math.min(entries.length, 10) - 1 }, (_, bits) =>
    entries.filter((_entry, at) => (bits & (1 << at)) !== 0),
  )
  const { length } = entries
  return choices
    .filter((chosen) => length <= wholeChoicesMax || chosen.length <= 1 || chosen.length === length - 1)
    .filter((chosen) => chosen.some(([key]) => key === 'registration_id') || !chosen.some(isOfNumbers))
    .map((chosen) => Object.fromEntries(keepRead(chosen)))
}

const identifiersOfPlaces: Readonly<Record<string, readonly string[]>> = {
  registration_country: numberKeys,
  registration_court: numberKeys,
  exchange: ['ticker'],
}

/** Drops the places whose identifiers are missing: they are not read. */
export function keepRead<Entry extends readonly [key: string, ...cells: unknown[]]>(
  entries: readonly Entry[],
): Entry[] {
  const keys = new Set(entries.map(([key]) => key))
  return entries.filter(([key]) => (identifiersOfPlaces[key] ?? [key]).some((one) => keys.has(one)))
}

/** The first cells of each column. A missing column is unknown, and does not exclude a match. */
export type ColumnSamples = ReadonlyMap<string, readonly string[]>

/** The columns of the input, by their use. */
export interface ColumnReport extends LookupColumns {
  identifierUse: IdentifierUse
  /** Each `column` of a place or an identifier that is not used, its `kind`, and `why`: the reason against an identifier. */
  unused: readonly { column: string; kind: string; why?: string }[]
  /** All other columns that are not used: neither their headers nor their cells tell a use. */
  others: readonly string[]
}

/** A column with nested values: a struct, list or map in Parquet, an object or array in JSON. */
export interface NestedColumn {
  readonly kind: 'struct' | 'list' | 'map' | 'union' | 'object' | 'array' | 'JSON text'
  /** Paths of members with values: `company.name`, `company.address.city`. */
  readonly members: readonly string[]
}

export type NestedColumns = ReadonlyMap<string, NestedColumn>

export const noNested: NestedColumns = new Map()

/** Returns the columns with one value per cell. */
export const listPlainColumns = (header: readonly string[], nested: NestedColumns): readonly string[] =>
  nested.size === 0 ? header : header.filter((column) => !nested.has(column))

const isNamed = (text: string) => rankNameHeader(text) >= 0 || rankPlainName(text) >= 0

/** Lists the members that may contain company names, by their names. */
export const listNameMembers = ({ members }: NestedColumn): readonly string[] =>
  members.filter((member) => isNamed(getLastPart(member)))

/** Returns hints how to read names from nested columns: `company is a struct; pass --name-column company.name`. */
export function getNestedNameHints(nested: NestedColumns): string[] {
  return [...nested].flatMap(([column, one]) => {
    const [member] = listNameMembers(one)
    if (member !== undefined)
      return [`${column} is ${describeNested(one)}; pass --name-column ${quoteColumn(member)}`]
    return isNamed(column) ? [`${column} is ${describeNested(one)}, not a column of names`] : []
  })
}

/** Quotes a column for a command line if necessary. */
export const quoteColumn = (address: string) =>
  /^[\p{L}\p{N}._-]+$/u.test(address) ? address : JSON.stringify(address)

export function describeNested({ kind }: NestedColumn): string {
  if (kind === 'JSON text') return kind
  return kind === 'object' || kind === 'array' ? `an ${kind}` : `a ${kind}`
}

const namedMax = 10

/** Returns a hint with `usage` (`--name-column `) and a member, and the other members, likely names first. */
export function getMemberHint({ members }: NestedColumn, usage: string): string | null {
  if (members.length === 0) return null
  const ranked = [...members].sort(
    (one, other) => Number(isNamed(getLastPart(other))) - Number(isNamed(getLastPart(one))),
  )
  const [first = '', ...rest] = ranked.slice(0, namedMax).map(quoteColumn)
  const others = [...rest, ...(members.length > namedMax ? [`${members.length - namedMax} more`] : [])]
  return `pass ${usage}${first}${others.length === 0 ? '' : `; other members: ${others.join(', ')}`}`
}

const getLastPart = (member: string) => member.slice(member.lastIndexOf('.') + 1)
