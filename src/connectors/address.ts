import { UserError } from '../core/errors.js'

const schemes = ['postgres', 'postgresql', 'sqlite', 'duckdb', 's3', 'gs', 'az', 'https'] as const
export type Scheme = (typeof schemes)[number]

/** Returns the scheme of an address of a table or an object; null for paths and for other addresses. */
export function readScheme(path: string): Scheme | null {
  const [, name = ''] = /^([a-z0-9]+):/i.exec(path) ?? []
  return schemes.find((scheme) => scheme === name.toLowerCase()) ?? null
}

/** Whether a path is an address of a table or an object. */
export const isAddress = (path: string): boolean => readScheme(path) !== null

/** The database and the table of an address like `sqlite:file.db#companies` or `postgres://host/db#schema.table`. */
export interface TableAddress {
  /** The address without its table. */
  readonly database: string
  /** Null if the address names no table: a query is read instead. */
  readonly table: TableName | null
}

export interface TableName {
  /** Null: the default schema of the database. */
  readonly schema: string | null
  readonly name: string
}

/**
 * Splits an address at `#`. A dot separates schema and table; names with dots are quoted: `#"my.schema"."my.table"`.
 * Throws ADDRESS_INVALID.
 */
export function parseTableAddress(address: string): TableAddress {
  const at = address.indexOf('#')
  if (at === -1) return { database: address, table: null }
  const [first, second, ...more] = parseNames(address.slice(at + 1))
  if (first === undefined || more.length > 0 || first === '' || second === '') {
    throw new UserError('ADDRESS_INVALID', 'the address of a table names no table after #', {
      hint: 'write it like postgres://user@host/database#schema.table or sqlite:FILE#table',
    })
  }
  const table = second === undefined ? { schema: null, name: first } : { schema: first, name: second }
  return { database: address.slice(0, at), table }
}

/** Splits a name at its dots; parts in quotes may contain dots. Empty if it has empty parts. */
export function parseNames(text: string): readonly string[] {
  const parts = text.match(/"(?:[^"]|"")*"|[^.]+/g) ?? []
  const joined = parts.join('.')
  if (joined !== text) return []
  return parts.map((part) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part))
}

/**
 * Returns the path in an address like `sqlite:FILE`, without its table. The text is not decoded, unless it is a URL like
 * `file:///folder/file.db`. Throws ADDRESS_INVALID.
 */
export function parseDatabaseFile(database: string): string {
  const [scheme = '', rest = ''] = /^([^:]*):(.*)$/s.exec(database)?.slice(1) ?? []
  const path = /^file:/i.test(rest) ? decodeFileUrl(rest) : rest.replace(/^\/\/(?=\/)/, '')
  if (path !== '' && !path.startsWith('//') && path !== ':memory:') return path
  throw new UserError('ADDRESS_INVALID', 'the address names no file', {
    hint: `write it like ${scheme}:folder/file.db#table or ${scheme}:/folder/file.db#table`,
  })
}

/** Returns the path of a database file; null for addresses of servers and stores. Throws ADDRESS_INVALID. */
export const findDatabaseFile = (address: string): string | null =>
  /^(sqlite|duckdb)$/.test(readScheme(address) ?? '')
    ? parseDatabaseFile(address.split('#', 1)[0] ?? '')
    : null

/** Returns the path of a URL that names a file of this machine; empty for other URLs, and for those with parameters. */
function decodeFileUrl(url: string): string {
  const [, path = ''] = /^file:(?:\/\/(?:localhost)?(?=\/))?([^?]*)$/i.exec(url) ?? []
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}
