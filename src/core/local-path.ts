import { UserError } from './errors.js'
import { isPostgresUrl, parsePostgresUrl } from './server-addresses.js'

export type PathUse = 'input' | 'output' | 'checkpoint' | 'registry' | 'file'

interface Kind {
  /** The system that an address of this kind belongs to. */
  name: string
  /** Commands that pipe the content in, and that upload a written file. */
  read?: string
  write?: string
}

const pipe = '| enrich - --input-format csv -o out.parquet'
const s3: Kind = {
  name: 'Amazon S3',
  read: `aws s3 cp s3://… - ${pipe}`,
  write: 'aws s3 cp out.parquet s3://…',
}
const gcs: Kind = {
  name: 'Google Cloud Storage',
  read: `gcloud storage cat gs://… ${pipe}`,
  write: 'gcloud storage cp out.parquet gs://…',
}
const azure: Kind = { name: 'Azure storage', write: 'az storage blob upload --file out.parquet …' }
const web: Kind = {
  name: 'the web',
  read: `curl -fsS https://… ${pipe}`,
  write: 'curl -fsS -T out.parquet https://…',
}
const postgres: Kind = {
  name: 'PostgreSQL',
  read: `psql -c '\\copy (SELECT …) TO STDOUT WITH (FORMAT csv, HEADER)' ${pipe}`,
  write: `psql -c "\\copy companies FROM 'out.csv' WITH (FORMAT csv, HEADER)"`,
}
const sqlite: Kind = {
  name: 'SQLite',
  read: `sqlite3 -header -csv FILE 'SELECT …' ${pipe}`,
  write: "sqlite3 FILE '.import --csv out.csv companies'",
}
const duckdb: Kind = {
  name: 'DuckDB',
  read: `duckdb FILE -csv -c 'SELECT …' ${pipe}`,
  write: `duckdb FILE -c "CREATE TABLE companies AS FROM 'out.parquet'"`,
}
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

/**
 * Throws PATH_IS_ADDRESS if a path is an address of another system, with a hint how to copy the data. A checkpoint may
 * be on PostgreSQL: throws CHECKPOINT_* if its URL is not valid. Messages repeat only the kind of the address, since
 * addresses may contain passwords and signed queries.
 */
export function assertLocalPath(path: string, use: PathUse): void {
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
    { hint: name.toLowerCase() === 'file' ? 'pass the path alone, without file://' : getHint(kind, use) },
  )
}

const useTexts: Readonly<Record<PathUse, string>> = {
  input: 'an input',
  output: 'the output',
  checkpoint: 'the checkpoint',
  registry: 'the registry',
  file: 'a file',
}

function getHint(kind: Kind | undefined, use: PathUse): string {
  switch (use) {
    case 'input':
      return kind?.read === undefined
        ? 'export or copy it to a file first, or pipe it in: … | enrich - --input-format csv -o out.parquet'
        : `copy it to a file first, or pipe it in: ${kind.read}`
    case 'output':
      return kind?.write === undefined
        ? 'write a local file, and upload it'
        : `write a local file, and upload it: ${kind.write}`
    case 'checkpoint':
      return 'pass --checkpoint with a file on a local disk, like .enrich/checkpoint.sqlite, or postgres://user@host/database'
    case 'registry':
      return 'copy it to this machine and pass --registry with its path, or load its sources: enrich registry load FOLDER'
    case 'file':
      return 'copy it to this machine first, and pass its path'
  }
}

/** Returns a text without the secrets of addresses in it: user and password, query and fragment. */
export function redactAddresses(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]+:\/\/)[^\s'"`]*@/gi, '$1…@')
    .replace(/\b([a-z][a-z0-9+.-]+:\/\/[^\s'"`?#]*)[?#][^\s'"`]*/gi, '$1?…')
}
