import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import { quoteSqlName } from '../../core/text.js'
import { parseTableAddress, type TableName } from '../address.js'
import type { Place, Source, SourceOptions, TargetOptions } from '../connector.js'

export const quoteTable = ({ schema, name }: TableName): string =>
  schema === null ? quoteSqlName(name) : `${quoteSqlName(schema)}.${quoteSqlName(name)}`

/** Whether a text in SQL contains a name as a whole, in any case. */
export function mentionsName(sql: string, name: string): boolean {
  const text = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_$])${text}(?![\\p{L}\\p{N}_$])`, 'iu').test(sql)
}

/** Returns a table's name as users write it: quoted only if needed. */
export function formatTable({ schema, name }: TableName): string {
  const format = (part: string) => (/[."]/.test(part) ? quoteSqlName(part) : part)
  return schema === null ? format(name) : `${format(schema)}.${format(name)}`
}

export interface SourceAddress {
  /** The address without its table. */
  readonly database: string
  /** Null: a query is read. */
  readonly table: TableName | null
  /** The table or the query, in SQL. */
  readonly from: string
  /** Text after the database in labels. */
  readonly suffix: string
}

/** Throws ADDRESS_INVALID unless there is either a table or a query. */
export function parseSourceAddress(address: string, { query }: Pick<SourceOptions, 'query'>): SourceAddress {
  const { database, table } = parseTableAddress(address)
  if (query === null && table !== null)
    return { database, table, from: quoteTable(table), suffix: `#${formatTable(table)}` }
  // A final semicolon is removed, so that the query can be part of a statement.
  if (query !== null && table === null)
    return { database, table, from: `(\n${query.replace(/[\s;]+$/, '')}\n)`, suffix: ' (query)' }
  throw new UserError(
    'ADDRESS_INVALID',
    table === null ? 'the address names no table' : 'the address names a table, and a query is given too',
    { hint: 'write #table at the end of the address, or pass --query FILE' },
  )
}

/** Throws ADDRESS_INVALID and USAGE_INVALID. */
export function parseTargetAddress(
  address: string,
  { mode, keyColumn }: Pick<TargetOptions, 'mode' | 'keyColumn'>,
): { readonly database: string; readonly table: TableName } {
  const { database, table } = parseTableAddress(address)
  if (table === null) {
    throw new UserError('ADDRESS_INVALID', 'the address names no table', {
      hint: 'write #table or #schema.table at the end of the address',
    })
  }
  if (mode === 'upsert' && keyColumn === null) {
    throw new UserError('USAGE_INVALID', '--mode upsert needs a column with the key of each row', {
      hint: 'pass --row-key',
    })
  }
  return { database, table }
}

/** Returns the error for a missing table, with the tables that have the most similar names. */
export function createMissingError(label: string, table: TableName, names: readonly string[]): UserError {
  const wanted = formatTable(table)
  const ranked = names.map((name) => ({
    name,
    distance: measureDistance(wanted.toLowerCase(), name.toLowerCase()),
  }))
  ranked.sort((one, other) => one.distance - other.distance)
  const nearest = ranked.slice(0, 5).map(({ name }) => name)
  return new UserError('INPUT_NOT_FOUND', `${label}: there is no table ${wanted}`, {
    hint:
      nearest.length === 0
        ? 'the database has no tables that you may see'
        : `tables with similar names: ${nearest.join(', ')}`,
  })
}

/** Returns the number of changed characters between two names. */
function measureDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const change = one[at - 1] === other[to - 1] ? 0 : 1
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, (row[to - 1] ?? 0) + change))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

interface CopiedTable {
  /** Notice for the user, or `null`. */
  readonly notice: string | null
  readonly places: readonly Place[]
}

/** Copies the rows to `path`; temporary files may be in `folder`. */
type CopyTable = (path: string, folder: string) => Promise<CopiedTable>

export const createTableSource = (
  label: string,
  { notice, query }: SourceOptions,
  copy: CopyTable,
): Source => ({
  fetch: async (folder) => {
    const path = join(folder, 'table.parquet')
    const copied = await copy(path, folder)
    if (copied.notice !== null) notice(copied.notice)
    return [{ path, label, format: 'parquet', places: copied.places, isQuery: query !== null }]
  },
  close: () => Promise.resolve(),
})
