import { UserError } from '../core/errors.js'
import { quoteSqlName } from '../core/text.js'
import { isOutOfMemory, openDuckDb, type Column, type DuckDb, countLeaves } from './duckdb.js'
import { describeDuckDbError } from './duckdb-errors.js'
import {
  buildMemberTextExpression,
  buildObjectExpression,
  buildRelation,
  buildTextExpression,
  getNestedKind,
  isGeometry,
  parseStructMembers,
  quoteNonFinite,
  readColumnMetadata,
  type ColumnRules,
  type ReadFile,
} from './read-sql.js'
import { createPartRelation, describeFiles } from './relation.js'

export { buildJsonText, getNestedKind, readColumnTypes } from './read-sql.js'

export interface ParquetReadOptions extends ColumnRules {
  readonly rowsMax?: number | undefined
  /** Chooses consecutive row groups by their row counts; `null` for all rows. */
  readonly chooseRowGroups: ((rowCounts: readonly number[]) => { first: number; end: number }) | null
  readonly columnsMax: number
  /** Folder in which DuckDB stores data that does not fit in memory. */
  readonly temporaryFolder: string
}

interface OpenedRelation {
  readonly columns: readonly Column[]
  /** In SQL. */
  readonly relation: string
  /** Whether the relation is a plain scan. */
  readonly isScan: boolean
  /** Share of the files' rows, 0 to 1. */
  readonly share: number
  /** The relation of all files, for samples: all parts sample the same rows. */
  readonly whole: string
  readonly notices: readonly string[]
  readonly fileColumns: readonly (readonly string[])[]
  readonly metadata: Awaited<ReturnType<typeof readColumnMetadata>>
}

/**
 * Opens Parquet files as one table: columns united by name, rows in order. Returns `null` for more columns than
 * `columnsMax`. Throws INPUT_PARQUET_INVALID, INPUT_COLUMNS_DUPLICATE and MEMORY_SHORT, as reading does.
 *
 *     const table = await openParquetFiles([{ path, label: path }], options)
 *     for await (const rows of table.readTexts(['name', 'address.city'])) for (const [name] of rows) console.log(name)
 *     table.close()
 */
export async function openParquetFiles(
  files: readonly ReadFile[],
  options: ParquetReadOptions,
): Promise<ParquetFiles | null> {
  const duckDb = await openDuckDb(options.temporaryFolder)
  const label = files.map((file) => file.label).join(', ')
  try {
    const opened = await openRelation(duckDb, files, options)
    if (opened === null) duckDb.close()
    return opened === null ? null : new ParquetFiles(duckDb, label, opened)
  } catch (error) {
    duckDb.close()
    throw toParquetError(label, error)
  }
}

async function openRelation(
  duckDb: DuckDb,
  files: readonly ReadFile[],
  { rowsMax, chooseRowGroups, columnsMax, ...rules }: ParquetReadOptions,
): Promise<OpenedRelation | null> {
  const { relationFiles, notices, unite, fileColumns } = await describeFiles(duckDb, files, rules)
  const describe = async (relation: string) => {
    const described = await duckDb.all(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${relation})`,
    )
    return described.map(([name, type]) => ({ name: String(name), type: String(type) }))
  }
  const read = buildRelation(relationFiles, { rowsMax })
  const readColumns = await describe(read.sql)
  const whole = unite(read.sql, readColumns)
  const isUnited = whole !== read.sql
  const columns = isUnited ? await describe(whole) : readColumns
  if (columns.length > columnsMax) return null
  await duckDb.reserveForReading(columns.reduce((sum, { type }) => sum + countLeaves(type), 0))
  const isWhole = rowsMax === undefined && chooseRowGroups === null && !isUnited
  const paths = files.map(({ path }) => path)
  const metadata = await readColumnMetadata(duckDb, paths, columns, isWhole)
  const opened = { columns, whole, notices, fileColumns, metadata }
  if (chooseRowGroups === null)
    return { ...opened, relation: whole, isScan: read.isScan && !isUnited, share: 1 }
  const part = await createPartRelation({
    duckDb,
    files: relationFiles,
    columns: readColumns,
    chooseRowGroups,
  })
  return { ...opened, relation: unite(part.relation, readColumns), isScan: false, share: part.share }
}

/** A nested column: its kind, and the dotted paths of its members with single values. */
interface NestedParquetColumn {
  readonly kind: NonNullable<ReturnType<typeof getNestedKind>> | 'JSON text'
  readonly members: readonly string[]
}

/** Opened Parquet files. Each method reads the files again. */
class ParquetFiles {
  readonly columns: readonly Column[]
  /** The columns of each file, as named in the table. */
  readonly fileColumns: readonly (readonly string[])[]
  /** Notices for the user about types and columns. */
  readonly notices: readonly string[]
  readonly nested: ReadonlyMap<string, NestedParquetColumn>
  readonly isScan: boolean
  readonly share: number
  readonly #duckDb: DuckDb
  readonly #label: string
  readonly #opened: OpenedRelation
  /** SQL that formats each struct member as text, by the member's dotted path. */
  readonly #memberTexts = new Map<string, string>()
  /** Alias for a whole row, different from all column names. */
  readonly #rowAlias: string

  constructor(duckDb: DuckDb, label: string, opened: OpenedRelation) {
    this.#duckDb = duckDb
    this.#label = label
    this.#opened = opened
    this.columns = opened.columns
    this.fileColumns = opened.fileColumns
    this.notices = opened.notices
    this.isScan = opened.isScan
    this.share = opened.share
    this.nested = new Map(
      opened.columns.flatMap((column) => {
        const nested = toNestedColumn(column, this.#memberTexts)
        return nested === null ? [] : [[column.name, nested]]
      }),
    )
    const taken = new Set(opened.columns.map(({ name }) => name.toLowerCase()))
    let alias = 'input_row'
    while (taken.has(alias)) alias += '_'
    this.#rowAlias = alias
  }

  /** The rows in SQL, for a query of another DuckDB. */
  get relation(): string {
    return this.#opened.relation
  }

  /** Returns whether `readTexts` knows a column, or the dotted path of a struct member. */
  hasText(name: string): boolean {
    return this.columns.some((column) => column.name === name) || this.#memberTexts.has(name)
  }

  /** Reads columns and struct members as text, `null` if absent. `isSample`: of all files, even if this is a part. */
  async *readTexts(
    names: readonly string[],
    isSample = false,
  ): AsyncGenerator<readonly (readonly (string | null)[])[]> {
    const texts = names.map((name) => {
      const column = this.columns.find((one) => one.name === name)
      return column === undefined ? (this.#memberTexts.get(name) ?? 'NULL') : buildTextExpression(column)
    })
    // One JSON list a row is faster than reading cell by cell, and keeps a leading byte order mark.
    const relation = isSample ? this.#opened.whole : this.relation
    const rows = this.#stream(`SELECT to_json([${texts.join(', ')}]::VARCHAR[])::VARCHAR FROM ${relation}`)
    for await (const batch of rows) yield batch.map((row) => JSON.parse(row) as (string | null)[])
  }

  /** Reads each row as the text of a JSON object. */
  async *readObjects(): AsyncGenerator<readonly string[]> {
    const object = buildObjectExpression(this.columns, this.#rowAlias)
    const rows = this.#stream(`SELECT ${object} FROM ${this.relation} AS ${quoteSqlName(this.#rowAlias)}`)
    for await (const batch of rows) yield batch.map(quoteNonFinite)
  }

  /**
   * Returns the columns and the metadata with which another Parquet file can store the rows. `r` refers to the row.
   * Throws OUTPUT_COLUMN_UNFIT for a type that it cannot store.
   */
  describeForCopy(): {
    readonly columns: readonly (Column & { readonly cells: string })[]
    readonly metadata: Readonly<Record<string, string>>
  } {
    const { metadata, unfitColumn } = this.#opened.metadata
    if (unfitColumn !== null) throw createUnfitColumnError(unfitColumn)
    const columns = this.columns.map(({ name, type }) =>
      isGeometry(type)
        ? { name, type: 'BLOB', cells: `ST_AsWKB(r.${quoteSqlName(name)})` }
        : { name, type, cells: `r.${quoteSqlName(name)}` },
    )
    return { columns, metadata }
  }

  /** Reads all columns, to find every defect. */
  async validate(): Promise<void> {
    const alias = quoteSqlName(this.#rowAlias)
    await this.#all(`SELECT bit_xor(hash(${alias})) FROM ${this.relation} AS ${alias}`)
  }

  async countRows(): Promise<number> {
    const [row] = await this.#all(`SELECT count(*) FROM ${this.relation}`)
    return Number(row?.[0])
  }

  close(): void {
    this.#duckDb.close()
  }

  async #all(sql: string): Promise<readonly (readonly unknown[])[]> {
    try {
      return await this.#duckDb.all(sql)
    } catch (error) {
      throw toParquetError(this.#label, error)
    }
  }

  /** Streams the result of a query with one text column that is never null. */
  async *#stream(sql: string): AsyncGenerator<string[]> {
    try {
      for await (const chunk of this.#duckDb.stream(sql)) yield chunk.getColumnValues(0) as string[]
    } catch (error) {
      throw toParquetError(this.#label, error)
    }
  }
}

/** Adds the SQL of the column's members to `memberTexts`. If two have the same path, the first is kept. */
function toNestedColumn(column: Column, memberTexts: Map<string, string>): NestedParquetColumn | null {
  const { name, type } = column
  if (type === 'JSON') return { kind: 'JSON text', members: [] }
  const kind = getNestedKind(type)
  if (kind === null) return null
  const members = parseStructMembers(type).map((member) => {
    const address = [name, ...member.path].join('.')
    if (!memberTexts.has(address)) memberTexts.set(address, buildMemberTextExpression(column, member))
    return address
  })
  return { kind, members }
}

function toParquetError(label: string, cause: unknown): Error {
  if (cause instanceof UserError) return cause
  if (isOutOfMemory(cause)) {
    return new UserError('MEMORY_SHORT', `reading ${label} exceeds the memory limit`, {
      hint: 'write it again with smaller row groups, or with fewer columns',
      cause,
    })
  }
  const { what, remedy } = describeDuckDbError(cause instanceof Error ? cause : new Error(String(cause)))
  return new UserError('INPUT_PARQUET_INVALID', `${label} cannot be read as Parquet: ${what}`, {
    hint:
      remedy ??
      'the file may be truncated, damaged, encrypted, compressed with an unsupported codec, or of another format: create or download it again, compressed with zstd or snappy',
    cause,
  })
}

function createUnfitColumnError(name: string): UserError {
  return new UserError(
    'OUTPUT_COLUMN_UNFIT',
    `the column ${name} has the Parquet type GEOMETRY, GEOGRAPHY or VARIANT, which Parquet outputs and tables cannot keep`,
    {
      hint: 'write CSV or NDJSON, which store it as text, or remove it from the input; geometry of GeoParquet 1 is supported',
    },
  )
}
