import { getErrorText, UserError } from '../../core/errors.js'
import { openDuckDb, quoteSqlPath, type Column, type DuckDb } from '../../parquet/duckdb.js'
import { readColumnTypes } from '../../parquet/parquet-files.js'
import { buildTypedCopy } from '../../parquet/parquet-writer.js'
import { quoteSqlName } from '../../core/text.js'
import { tableLimits } from '../../tables/limits-and-errors.js'
import { isDiskFull } from '../../platform/sqlite.js'
import type { ConnectorOptions, TargetOptions } from '../connector.js'

export type DatabaseKind = 'postgres' | 'sqlite' | 'duckdb'

export interface FileColumn extends Column {
  /** Type in a database of the same kind, from which the column was read; `null` if unknown. */
  readonly originalType: string | null
}

/** A column of a file that is created from CSV. */
export interface CsvColumn extends Column {
  /** Returns the SQL that converts a text to the type. Must fail for a text that the type cannot keep exactly. */
  readonly convert: (text: string) => string
  /**
   * Returns the SQL whether a text does not fit the type; `null` if every text fits. Must not use `TRY`: after an error,
   * DuckDB 1.5.5 evaluates the rows one by one, and `CASE` and `COALESCE` inside it then write outside of a vector of
   * one row. This ended the process by SIGSEGV or SIGABRT in five of five trials (duckdb/duckdb#25280):
   * `SELECT count(TRY(coalesce(NULL, t::DECIMAL(20,2)))) FROM (SELECT if(i % 2 = 0, 'NaN', NULL) AS t FROM range(300) r(i))`
   */
  readonly isMisfit: ((text: string) => string) | null
}

const interruptEveryMs = 20

/** Opens DuckDB for one copy. The signal cancels its statements. Throws the reason of the signal. */
export async function withDuckDb<Result>(
  temporaryFolder: string,
  { signal }: Pick<ConnectorOptions, 'signal'>,
  work: (duckDb: DuckDb) => Promise<Result>,
): Promise<Result> {
  const duckDb = await openDuckDb(temporaryFolder)
  let stopping: NodeJS.Timeout | undefined
  const stop = () => {
    // One call cancels only the running statement.
    stopping = setInterval(() => {
      duckDb.interrupt()
    }, interruptEveryMs)
  }
  signal?.addEventListener('abort', stop)
  try {
    signal?.throwIfAborted()
    return await work(duckDb)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    clearInterval(stopping)
    signal?.removeEventListener('abort', stop)
    duckDb.close()
  }
}

/** Returns DISK_FULL for an error about disk space on this machine; others unchanged. `output`: the file written; null: a copy. */
export function explainDiskFull(error: unknown, output: string | null = null): unknown {
  const isFull =
    isDiskFull(error) ||
    (error as NodeJS.ErrnoException).code === 'ENOSPC' ||
    /No space left|Disk quota/i.test(getErrorText(error))
  if (!isFull || error instanceof UserError) return error
  const hint =
    output === null
      ? 'free some space next to the checkpoint, where copies are, and run the same command again'
      : 'free some space on the disk of the output and run the same command again, or name a place on a larger disk'
  return new UserError('DISK_FULL', `no space left for ${output ?? 'the local copy of a table'}`, {
    hint,
    cause: error,
  })
}

/** Returns the statement that writes a source's rows, with the columns' types in their database. */
export function buildSourceCopy(
  path: string,
  select: string,
  kind: DatabaseKind,
  types: ReadonlyMap<string, string>,
): string {
  const text = JSON.stringify({ kind, types: Object.fromEntries(types) })
  return buildTypedCopy(path, select, text)
}

/**
 * Reads the columns of a file to publish, with their types in a database of this kind. Throws OUTPUT_TABLE_UNFIT if the
 * mode needs keys, and the file has none.
 */
export async function readFileColumns(
  duckDb: DuckDb,
  path: string,
  kind: DatabaseKind,
  { mode, keyColumn }: Pick<TargetOptions, 'mode' | 'keyColumn'>,
): Promise<readonly FileColumn[]> {
  const described = await describeColumns(duckDb, buildFileRelation(path))
  const types = parseColumnTypes(await readColumnTypes(duckDb, path), kind)
  await duckDb.reserveForReading(described.length)
  const columns = described.map((column) => ({ ...column, originalType: types.get(column.name) ?? null }))
  if (mode === 'upsert' && keyColumn !== null) await assertKeys(duckDb, path, keyColumn, columns)
  return columns
}

export async function describeColumns(duckDb: DuckDb, relation: string): Promise<readonly Column[]> {
  const rows = await duckDb.all(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${relation})`)
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }))
}

export const buildFileRelation = (path: string): string =>
  `read_parquet(${quoteSqlPath(path)}, hive_partitioning = false)`

/** Returns no types for metadata of another kind or another form. */
function parseColumnTypes(text: string | null, kind: DatabaseKind): ReadonlyMap<string, string> {
  try {
    const stored = JSON.parse(String(text)) as { kind?: unknown; types?: Record<string, unknown> }
    if (stored.kind !== kind) return new Map()
    const entries = Object.entries(stored.types ?? {})
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    return new Map()
  }
}

export interface CsvConversion {
  /** Each line starts with a constant cell, so that no line is empty and the first cell has no byte order mark. */
  readonly csvPath: string
  readonly path: string
  readonly kind: DatabaseKind
  readonly columns: readonly CsvColumn[]
  readonly types: ReadonlyMap<string, string>
}

/** Writes a CSV file as Parquet, unless columns have texts that do not fit: returns their names. */
export async function convertCsv(
  folder: string,
  options: Pick<ConnectorOptions, 'signal'>,
  { csvPath, path, kind, columns, types }: CsvConversion,
): Promise<readonly string[]> {
  return withDuckDb(folder, options, async (duckDb) => {
    await duckDb.reserveForReading(columns.length, csvBuffers.memoryBytes)
    const relation = buildCsvRelation(csvPath, columns.length)
    const convert = ({ name, convert }: CsvColumn, index: number) =>
      `${convert(`c${index}`)} AS ${quoteSqlName(name)}`
    try {
      const select = `SELECT ${columns.map(convert).join(', ')} FROM ${relation}`
      await duckDb.run(buildSourceCopy(path, select, kind, types))
      return []
    } catch (error) {
      if (!/Conversion Error|Malformed JSON|Invalid Input Error: Failed to cast/.test(getErrorText(error)))
        throw error
      const checked = columns.flatMap(({ name, isMisfit }, index) =>
        isMisfit === null ? [] : [{ name, check: `bool_or(${isMisfit(`c${index}`)})` }],
      )
      if (checked.length === 0) throw error
      const [found] = await duckDb.all(
        `SELECT ${checked.map(({ check }) => check).join(', ')} FROM ${relation}`,
      )
      const names = checked.flatMap(({ name }, index) => (found?.[index] === true ? [name] : []))
      if (names.length === 0) throw error
      return names
    }
  })
}

/** A row may be large: PostgreSQL has cells of up to 1 GB. */
const csvBuffers = { rowBytesMax: 128 * 1024 ** 2, memoryBytes: 600_000_000 } as const

function buildCsvRelation(path: string, columnCount: number): string {
  const names = Array.from({ length: columnCount }, (_, index) => `'c${index}': 'VARCHAR'`)
  const options = [
    'auto_detect = false',
    'header = false',
    `delim = ','`,
    `quote = '"'`,
    `escape = '"'`,
    `new_line = '\\n'`,
    `nullstr = ''`,
    'allow_quoted_nulls = false',
    'parallel = false',
    `max_line_size = ${csvBuffers.rowBytesMax}`,
    `buffer_size = ${csvBuffers.rowBytesMax}`,
    `columns = {${[`'constant': 'VARCHAR'`, ...names].join(', ')}}`,
  ]
  return `read_csv(${quoteSqlPath(path)}, ${options.join(', ')})`
}

/** Throws INPUT_COLUMNS_DUPLICATE, INPUT_COLUMNS_TOO_MANY and INPUT_EMPTY. */
export function assertColumnNames(columns: readonly { readonly name: string }[], label: string): void {
  if (columns.length === 0) throw new UserError('INPUT_EMPTY', `${label} has no columns`)
  if (columns.length > tableLimits.columnsMax)
    throw new UserError('INPUT_COLUMNS_TOO_MANY', `${label} has ${columns.length} columns`)
  const seen = new Map<string, string>()
  for (const { name } of columns) {
    const other = seen.get(name.toLowerCase())
    if (other !== undefined) {
      throw new UserError('INPUT_COLUMNS_DUPLICATE', `${label} has the columns ${other} and ${name}`, {
        hint: 'rename one, for example by a query: column names must differ in more than letter case',
      })
    }
    seen.set(name.toLowerCase(), name)
  }
}

/** Returns the sentence about columns that files keep as text; `null` without such columns. */
export function formatTextNotice(columns: readonly { name: string; type: string }[]): string | null {
  if (columns.length === 0) return null
  const list = formatList(columns.map(({ name, type }) => `${name} (${type})`))
  return columns.length === 1
    ? `The column ${list} is kept as text in files; a table gets its type back`
    : `The columns ${list} are kept as text in files; a table gets their types back`
}

/** Joins names for a sentence. */
export const formatList = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`

/** Throws OUTPUT_TABLE_UNFIT unless the file has the key column, and each row a different key. */
async function assertKeys(
  duckDb: DuckDb,
  path: string,
  keyColumn: string,
  columns: readonly FileColumn[],
): Promise<void> {
  if (!columns.some(({ name }) => name === keyColumn)) {
    throw new UserError('OUTPUT_TABLE_UNFIT', `the output has no column ${keyColumn}`, {
      hint: 'with --mode upsert, the output needs the column with the key of each row',
    })
  }
  const key = quoteSqlName(keyColumn)
  const [found] = await duckDb.all(
    `SELECT ${key}::VARCHAR, count(*)::VARCHAR FROM ${buildFileRelation(path)} GROUP BY ALL HAVING ${key} IS NULL OR count(*) > 1 LIMIT 1`,
  )
  if (found === undefined) return
  const [value, count] = found as readonly (string | null)[]
  const what = value === null ? 'a row has no key' : `${count ?? ''} rows have the key ${value ?? ''}`
  throw new UserError('OUTPUT_TABLE_UNFIT', `${what} in the column ${keyColumn}`, {
    hint: 'with --mode upsert, each row needs a different key',
  })
}
