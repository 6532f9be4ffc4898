import { UserError } from './errors.js'
import { isPostgresUrl, parsePostgresUrl } from './server-addresses.js'

/** A secret value that logs, errors and JSON do not reveal; only `reveal()` returns it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }
}

const secretFlags = ['--notify'] as const

/** Replaces omitted text. */
export const omittedText = '…'

/** Returns arguments for display, without the values of secret flags and of the flags in `more`. */
export function redactArguments(argv: readonly string[], more: readonly string[] = []): string[] {
  const flags: readonly string[] = [...secretFlags, ...more]
  return argv.map((argument, index) => {
    if (flags.includes(argv[index - 1] ?? '')) return omittedText
    const flag = flags.find((name) => argument.startsWith(`${name}=`))
    return flag === undefined ? argument : `${flag}=${omittedText}`
  })
}

export type PathUse = 'input' | 'output' | 'report' | 'checkpoint' | 'registry' | 'file'

interface Kind {
  /** The system that an address of this kind belongs to. */
  name: string
  /** Form in which inputs and outputs are read and written there. */
  form?: string
}

const s3: Kind = { name: 'Amazon S3', form: 's3://bucket/key' }

const gcs: Kind = { name: 'Google Cloud Storage', form: 'gs://bucket/key' }

const azure: Kind = { name: 'Azure storage', form: 'az://account/container/blob' }

const web: Kind = { name: 'the web', form: 'https://host/path' }

const postgres: Kind = { name: 'PostgreSQL', form: 'postgres://user@host/database#table' }

const sqlite: Kind = { name: 'SQLite', form: 'sqlite:FILE#table' }

const duckdb: Kind = { name: 'DuckDB', form: 'duckdb:FILE#table' }

const createKind = (name: string): Kind => ({ name })

const kinds: Readonly<Record<string, Kind>> = {
  s3,
  s3a: s3,
  s3n: s3,
  gs: gcs,
  gcs,
  az: azure,
  azure,
  abfs: azure,
  abfss: azure,
  wasb: azure,
  wasbs: azure,
  http: web,
  https: web,
  postgres,
  postgresql: postgres,
  sqlite,
  sqlite3: sqlite,
  duckdb,
  md: createKind('MotherDuck'),
  motherduck: createKind('MotherDuck'),
  mysql: createKind('MySQL'),
  mariadb: createKind('MariaDB'),
  mongodb: createKind('MongoDB'),
  redis: createKind('Redis'),
  mssql: createKind('SQL Server'),
  sqlserver: createKind('SQL Server'),
  oracle: createKind('Oracle'),
  snowflake: createKind('Snowflake'),
  bigquery: createKind('BigQuery'),
  jdbc: createKind('a database'),
  odbc: createKind('a database'),
}

/** Throws USAGE_INVALID if no file can have this path, or the database would be lost at the end. */
function assertPathPossible(path: string, use: PathUse): void {
  const isInMemory = /^(?::memory:|file::memory:)/i.test(path) && (use === 'checkpoint' || use === 'registry')
  // Without a file, decisions are read from their usual one.
  const fault = path.includes('\0')
    ? 'has a NUL character'
    : path === '' && use !== 'file'
      ? 'is empty'
      : null
  if (fault === null && !isInMemory) return
  throw new UserError(
    'USAGE_INVALID',
    `the path of ${useTexts[use]} ${fault ?? `is ${path}, which is lost when the command ends`}`,
    { hint: isInMemory ? 'name a file on a local disk' : 'name a file; check the variable that names it' },
  )
}

/**
 * Throws USAGE_INVALID for a path that no file can have, and PATH_IS_ADDRESS if a path is an address of another system, with a hint how to write it or to copy the data. A checkpoint may
 * be on PostgreSQL: throws CHECKPOINT_* if its URL is not valid. Messages repeat only the kind of the address, since
 * addresses may contain passwords and signed queries.
 */
export function assertLocalPath(path: string, use: PathUse): void {
  assertPathPossible(path, use)
  if (use === 'checkpoint' && isPostgresUrl(path)) {
    parsePostgresUrl(path)
    return
  }
  const scheme = /^([a-z][a-z0-9+.-]+):(\/\/)?/i.exec(path)
  if (scheme === null) return
  const [, name = '', slashes] = scheme
  // Also `jdbc:postgresql:` and `postgresql+psycopg:`. Without slashes, an unknown scheme is part of a file name.
  const kind = kinds[name.toLowerCase()] ?? kinds[name.toLowerCase().split('+')[0] ?? '']
  if (kind === undefined && slashes === undefined) return
  const shown = `${name}:${slashes ?? ''}…`
  throw new UserError(
    'PATH_IS_ADDRESS',
    `${useTexts[use]} is an address${kind === undefined ? '' : ` of ${kind.name}`} (${shown}), and must be a local ${use === 'registry' || use === 'checkpoint' ? 'file' : 'path'}`,
    {
      hint: name.toLowerCase() === 'file' ? 'pass the path alone, without file://' : getHint(name, kind, use),
    },
  )
}

const useTexts: Readonly<Record<PathUse, string>> = {
  input: 'an input',
  output: 'the output',
  report: 'the report',
  checkpoint: 'the checkpoint',
  registry: 'the registry',
  file: 'a file',
}

function getHint(name: string, kind: Kind | undefined, use: PathUse): string {
  const { form } = kind ?? {}
  // Another spelling of an address that inputs and outputs may have.
  const isForm = form?.startsWith(`${name.toLowerCase()}:`) === true
  switch (use) {
    case 'input':
      if (form !== undefined && !isForm) return `write it like ${form}`
      return 'copy it to a file first, or pipe it in: … | enrich - --input-format csv -o out.parquet'
    case 'output':
      if (form !== undefined && !isForm && kind !== web) return `write it like ${form}`
      return 'write a local file, and upload it'
    case 'report':
      return 'write a local file, and upload it'
    case 'checkpoint':
      return 'answers are synced to disk one by one, which a store of whole objects cannot do: pass --checkpoint with a file on a local disk, like .enrich/checkpoint.sqlite, or postgres://user@host/database'
    case 'registry':
      return 'copy it to this machine and pass --registry with its path, or load its sources: enrich registry load FOLDER'
    case 'file':
      return 'copy it to this machine first, and pass its path'
  }
}

/** Returns a text without the secrets of addresses in it: user and password, query, and fragments other than tables. */
export function redactAddresses(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]+:\/\/)[^\s'"`]*@/gi, '$1…@')
    .replace(/\b([a-z][a-z0-9+.-]+:\/\/[^\s'"`?#]*)\?[^\s'"`]*/gi, '$1?…')
    .replace(/\b((?!postgres)[a-z][a-z0-9+.-]+:\/\/[^\s'"`?#]*)#[^\s'"`]*/gi, '$1?…')
}

export const standardInputLabel = 'standard input'
