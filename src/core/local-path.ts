import { UserError } from './errors.js'
import { isPostgresUrl, parsePostgresUrl } from './server-addresses.js'

/** What a path is for. */
export type PathUse = 'input' | 'output' | 'checkpoint' | 'registry' | 'file'

interface Kind {
  /** What an address of it leads to. */
  name: string
  /** How its content comes through a pipe, and how a written file gets there. */
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
const another = (name: string): Kind => ({ name })

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
  md: another('MotherDuck'),
  motherduck: another('MotherDuck'),
  mysql: another('MySQL'),
  mariadb: another('MariaDB'),
  mongodb: another('MongoDB'),
  redis: another('Redis'),
  mssql: another('SQL Server'),
  sqlserver: another('SQL Server'),
  oracle: another('Oracle'),
  snowflake: another('Snowflake'),
  bigquery: another('BigQuery'),
  jdbc: another('a database'),
  odbc: another('a database'),
}

/**
 * A path is of this machine, but for a checkpoint, which may be on PostgreSQL too. Throws PATH_IS_ADDRESS for what leads
 * elsewhere, with how to get there, and CHECKPOINT_*; of the address only its kind is repeated, since people put
 * passwords and signed queries into them.
 */
export function assertLocalPath(path: string, use: PathUse): void {
  if (use === 'checkpoint' && isPostgresUrl(path)) {
    parsePostgresUrl(path)
    return
  }
  const scheme = /^([a-z][a-z0-9+.-]+):(\/\/)?/i.exec(path)
  if (scheme === null) return
  const [, name = '', slashes] = scheme
  // `jdbc:postgresql:` and `postgresql+psycopg:` as well. Without slashes, an unknown word is part of a file's name.
  const kind = kinds[name.toLowerCase()] ?? kinds[name.toLowerCase().split('+')[0] ?? '']
  if (kind === undefined && slashes === undefined) return
  const shown = `${name}:${slashes ?? ''}…`
  throw new UserError(
    'PATH_IS_ADDRESS',
    `${useTexts[use]} is named by an address${kind === undefined ? '' : ` of ${kind.name}`} (${shown}), and has to be a ${use === 'registry' || use === 'checkpoint' ? 'file' : 'path'} of this machine`,
    { hint: name.toLowerCase() === 'file' ? 'pass the path alone, without file://' : hintOf(kind, use) },
  )
}

const useTexts: Readonly<Record<PathUse, string>> = {
  input: 'an input',
  output: 'the output',
  checkpoint: 'the checkpoint',
  registry: 'the registry',
  file: 'a file',
}

function hintOf(kind: Kind | undefined, use: PathUse): string {
  switch (use) {
    case 'input':
      return kind?.read === undefined
        ? 'export or copy it to a file first, or pipe it in: … | enrich - --input-format csv -o out.parquet'
        : `copy it to a file first, or pipe it in: ${kind.read}`
    case 'output':
      return kind?.write === undefined
        ? 'write a file, and load it from there'
        : `write a file, and load it from there: ${kind.write}`
    case 'checkpoint':
      return 'pass --checkpoint with a file on a local disk, like .enrich/checkpoint.sqlite, or postgres://user@host/database'
    case 'registry':
      return 'copy it here and pass --registry with its path, or import its sources: enrich registry import'
    case 'file':
      return 'copy it here first, and pass its path'
  }
}

/** A text without what an address in it keeps secret: user and password, query and fragment. */
export function withoutAddressSecrets(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]+:\/\/)[^\s'"`]*@/gi, '$1…@')
    .replace(/\b([a-z][a-z0-9+.-]+:\/\/[^\s'"`?#]*)[?#][^\s'"`]*/gi, '$1?…')
}
