import { companyNameHeaders, plainNameHeaders, rankInHeaders } from './header-words.js'

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

const nameKeys = [...companyNameHeaders, ...plainNameHeaders]
const isNamed = (text: string) => rankInHeaders(text, nameKeys) >= 0

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
