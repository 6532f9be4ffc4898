import { companyNameHeaders, plainNameHeaders, surelyNameHeaders, headerKey } from './header-words.js'

/** A column whose cells hold further values: of Parquet a struct, list or map, of JSON an object or array. */
export interface NestedColumn {
  readonly kind: 'struct' | 'list' | 'map' | 'union' | 'object' | 'array' | 'JSON text'
  /** The addresses of members with values of their own: `company.name`, `company.address.city`. */
  readonly members: readonly string[]
}

/** By column. */
export type NestedColumns = ReadonlyMap<string, NestedColumn>

export const noNested: NestedColumns = new Map()

/** The columns that have one value in each cell. */
export const plainColumns = (header: readonly string[], nested: NestedColumns): readonly string[] =>
  nested.size === 0 ? header : header.filter((column) => !nested.has(column))

const nameKeys: ReadonlySet<string> = new Set([
  ...surelyNameHeaders,
  ...companyNameHeaders,
  ...plainNameHeaders,
])
const isNamed = (text: string) => nameKeys.has(headerKey(text))

/** Members that may hold names of companies, by their own headers. */
export const nameMembers = ({ members }: NestedColumn): readonly string[] =>
  members.filter((member) => isNamed(lastPart(member)))

/** How to read a name from nested columns that may hold one: `company is a struct; pass --name-column company.name`. */
export function nestedNameHints(nested: NestedColumns): string[] {
  return [...nested].flatMap(([column, one]) => {
    const [member] = nameMembers(one)
    if (member !== undefined)
      return [`${column} is ${describeNested(one)}; pass --name-column ${quoteAddress(member)}`]
    return isNamed(column) ? [`${column} is ${describeNested(one)}, and not a column of names`] : []
  })
}

/** A member with a space needs quotes where it is typed. */
const quoteAddress = (address: string) =>
  /^[\p{L}\p{N}._-]+$/u.test(address) ? address : JSON.stringify(address)

export function describeNested({ kind }: NestedColumn): string {
  if (kind === 'JSON text') return kind
  return kind === 'object' || kind === 'array' ? `an ${kind}` : `a ${kind}`
}

const namedMax = 10

/** `usage` (`--name-column `) with a member, and the other members, those first that look like names. */
export function memberHint({ members }: NestedColumn, usage: string): string | null {
  if (members.length === 0) return null
  const ranked = [...members].sort(
    (one, other) => Number(isNamed(lastPart(other))) - Number(isNamed(lastPart(one))),
  )
  const [first = '', ...rest] = ranked.slice(0, namedMax).map(quoteAddress)
  const others = [...rest, ...(members.length > namedMax ? [`${members.length - namedMax} more`] : [])]
  return `pass ${usage}${first}${others.length === 0 ? '' : `; other members: ${others.join(', ')}`}`
}

const lastPart = (member: string) => member.slice(member.lastIndexOf('.') + 1)
