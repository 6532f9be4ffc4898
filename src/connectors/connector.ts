import { UserError } from '../core/errors.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** Options of every source and target. */
export interface ConnectorOptions {
  /** Source of credentials. They are never read from an address. */
  readonly environment: Environment
  /** Stops requests and statements; they throw its reason. */
  readonly signal?: AbortSignal | undefined
  /** Reports a fact that the user should know, in one sentence. */
  readonly notice: (text: string) => void
}

export interface SourceOptions extends ConnectorOptions {
  /** The text of an SQL query whose rows are read; null: the table that the address names. */
  readonly query: string | null
}

/** A local copy of a table or an object. */
export interface FetchedFile {
  readonly path: string
  /** Shown to the user and stored in the history; contains no secret. Its extension gives the format. */
  readonly label: string
  /** Format of the copy; null: given by the extension of the label. */
  readonly format: 'parquet' | null
  /** Everything that was read: tables, also through views and queries, files and objects. */
  readonly places: readonly Place[]
  /** Whether the rows are those of the user's query. */
  readonly isQuery: boolean
}

/**
 * A name of a place where rows are stored, by which two addresses of the same place are recognized: it comes from the
 * place itself, not from the address. A place may have several names. Names contain no secrets. The name of a table in a
 * file starts with that of the file and `insideFile`.
 */
export type Place = string

/** Separates the name of a file from that of a table in it. */
export const insideFile = '\0'

/** A table, a query or objects that can be copied to this machine. */
export interface Source {
  /**
   * Copies everything into `folder`, an existing folder of this call alone, and returns the copies in order. A table is
   * read in one snapshot; an object that changes meanwhile throws INPUT_CHANGED. Throws INPUT_NOT_FOUND, ACCESS_DENIED,
   * CREDENTIALS_MISSING, STORE_UNREACHABLE, QUERY_REFUSED, DISK_FULL and the reason of the signal. The caller removes the
   * folder.
   */
  fetch(folder: string): Promise<readonly FetchedFile[]>
  close(): Promise<void>
}

/** How rows are put into a table. */
export type WriteMode = 'replace' | 'append' | 'upsert'

export interface TargetOptions extends ConnectorOptions {
  /** Objects can only be replaced. */
  readonly mode: WriteMode
  /** Column with the key of a row, for `upsert`. */
  readonly keyColumn: string | null
  /** Name of a table next to the table, for the mark of appended rows; null: rows are not marked. */
  readonly markTable?: string | null
  /** Treatment of columns that `replace` would remove; defaults to `refuse`. */
  readonly removedColumns?: RemovedColumns | undefined
}

/** `refuse` ends with OUTPUT_TABLE_UNFIT, `report` removes the columns with a notice, `ignore` without one. */
export type RemovedColumns = 'refuse' | 'report' | 'ignore'

/** The mark in a table of its own, which was stored in the same transaction as appended rows. */
export interface AppendMarks {
  /** Null if there is no mark. */
  read(): Promise<string | null>
  /** Replaces a mark that is there. */
  update(mark: string): Promise<void>
  /** Removes the table of the mark. */
  remove(): Promise<void>
}

/** A table or an object that a finished local file is published to. */
export interface Target {
  /**
   * Returns the places whose rows are written: the table with its partitions, or the object. The table or the object need
   * not exist. Throws the errors of `tryWriting`.
   */
  listPlaces(): Promise<readonly Place[]>
  /**
   * Checks access, rights and types with a file that has the columns of the output and some of its rows: writes it under
   * a temporary name and removes it. Also removes what killed runs left behind. `inputPaths`: Parquet files with all rows
   * of the input, if there are any. Throws OUTPUT_UNWRITABLE, ACCESS_DENIED, CREDENTIALS_MISSING, STORE_UNREACHABLE,
   * OUTPUT_TABLE_UNFIT and the reason of the signal.
   */
  tryWriting(samplePath: string, inputPaths?: readonly string[]): Promise<void>
  /**
   * Publishes the file as a whole: readers see the old content or the new one. After a failure or a kill the old content
   * is there, and the next call removes all leftovers. A mark without quotes is stored with appended rows, if `markTable`
   * is set and the user may create it. Throws the same errors.
   */
  publish(path: string, mark?: string): Promise<void>
  /** Absent if rows are not marked. */
  readonly marks?: AppendMarks | undefined
  close(): Promise<void>
}

/** The sources and targets of one kind of address. */
export interface Connector {
  /** Throws ADDRESS_INVALID and ADDRESS_HAS_SECRET. Makes no request. */
  openSource(address: string, options: SourceOptions): Source
  /** The same; throws USAGE_INVALID for a mode that the target does not have. */
  openTarget(address: string, options: TargetOptions): Target
}

export const createNulError = (column: string): UserError =>
  new UserError('OUTPUT_UNWRITABLE', `the column ${column} has a NUL, which PostgreSQL cannot keep`, {
    hint: 'remove it from the input, for example by a query',
  })

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
