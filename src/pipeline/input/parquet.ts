import { getErrorText, UserError } from '../../core/errors.js'
import {
  isOutOfMemory,
  openDuckDb,
  quoteSqlName,
  type DuckDb,
  type DuckDbChunk,
} from '../../parquet/duckdb.js'
import {
  readColumnMetadata,
  isGeometry,
  buildMemberTextExpression,
  getNestedKind,
  buildObjectExpression,
  quoteNonFinite,
  buildRelation,
  parseStructMembers,
  buildTextExpression,
  type ColumnMetadata,
} from '../../parquet/read-sql.js'
import { countLeaves, readMemoryBytes } from '../../parquet/limits.js'
import type { Column } from '../../parquet/part-sql.js'
import { createTooManyColumnsError, tableLimits } from '../../tables/file-error.js'
import type { NestedColumn, NestedColumns } from '../lookups/nested-columns.js'
import type { Partition } from '../lookups/partition.js'
import { createPartRelation, describeFiles } from './parquet-relation.js'
import { createMissingColumnError, toSqlCell } from './header-and-cells.js'
import type { SourceFile } from './sources.js'
import {
  splitIntoBatches,
  type CellRow,
  type InputFile,
  type InputTable,
  type RelationRows,
  type TextRow,
} from './table.js'

export interface ParquetOptions {
  readonly rowsMax?: number | undefined
  /** Read only the row groups of one part. */
  readonly partition?: Partition | undefined
  /** Folder in which DuckDB stores data that does not fit in memory. */
  readonly temporaryFolder: string
}

/** Estimated bytes in memory for each byte of a Parquet file. */
const unpackedPerPackedByte = 4

/** Opens one or several Parquet files as one table, read by DuckDB. Throws INPUT_EMPTY and INPUT_PARQUET_INVALID. */
export async function openParquet(
  files: readonly SourceFile[],
  options: ParquetOptions,
): Promise<InputTable> {
  const empty = files.find(({ bytes }) => bytes === 0)
  if (empty !== undefined) {
    throw new UserError('INPUT_EMPTY', `${empty.label} is empty`, {
      hint: 'check that it was written completely',
    })
  }
  const duckDb = await openDuckDb(options.temporaryFolder)
  const label = files.map((file) => file.label).join(', ')
  try {
    const { relationFiles, notices, unite, listFiles } = await describeFiles(duckDb, files)
    const paths = files.map(({ path }) => path)
    const describe = async (relation: string) => {
      const described = await duckDb.all(
        `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${relation})`,
      )
      return described.map(([name, type]) => ({ name: String(name), type: String(type) }))
    }
    const read = buildRelation(relationFiles, { rowsMax: options.rowsMax })
    const readColumns = await describe(read.sql)
    const relation = unite(read.sql, readColumns)
    const isUnited = relation !== read.sql
    const columns = isUnited ? await describe(relation) : readColumns
    if (columns.length > tableLimits.columnsMax) throw createTooManyColumnsError(label)
    const leafCount = columns.reduce((sum, { type }) => sum + countLeaves(type), 0)
    await duckDb.limitMemory(readMemoryBytes(leafCount))
    const { partition } = options
    const isWhole = options.rowsMax === undefined && partition === undefined && !isUnited
    const metadata = await readColumnMetadata(duckDb, paths, columns, isWhole)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const texts = { label, notices }
    const whole = { relation, isScan: read.isScan && !isUnited, bytes }
    const createTable = (rows: ReadRows) =>
      new ParquetTable(duckDb, columns, rows, relation, texts, metadata, listFiles)
    if (partition === undefined) return createTable(whole)
    const part = await createPartRelation({ duckDb, files: relationFiles, columns: readColumns, partition })
    const partRelation = unite(part.relation, readColumns)
    return createTable({ relation: partRelation, isScan: false, bytes: bytes * part.share })
  } catch (error) {
    duckDb.close()
    throw toParquetError(label, error)
  }
}

interface ReadRows {
  /** In SQL. */
  readonly relation: string
  /** Whether the relation is a plain scan. */
  readonly isScan: boolean
  readonly bytes: number
}

class ParquetTable implements InputTable {
  readonly columns: readonly string[]
  readonly nested: NestedColumns
  /** SQL that formats each struct member as text, by the member's dotted path. */
  private readonly memberTexts: ReadonlyMap<string, string>
  /** Alias for a whole row, different from all column names. */
  private readonly rowAlias: string

  constructor(
    private readonly duckDb: DuckDb,
    private readonly described: readonly Column[],
    private readonly read: ReadRows,
    /** All parts sample the first rows of the whole input, so that they see the same. */
    private readonly sampled: string,
    private readonly texts: { readonly label: string; readonly notices: readonly string[] },
    private readonly metadata: ColumnMetadata,
    readonly listFiles: () => readonly InputFile[],
  ) {
    this.columns = described.map(({ name }) => name)
    const members = new Map<string, string>()
    this.nested = new Map(
      described.flatMap((column) => {
        const nested = toNestedColumn(column, members)
        return nested === null ? [] : [[column.name, nested]]
      }),
    )
    this.memberTexts = members
    const taken = new Set(this.columns.map((name) => name.toLowerCase()))
    let alias = 'input_row'
    while (taken.has(alias)) alias += '_'
    this.rowAlias = alias
  }

  async *textRows(columns: readonly string[], isSample = false): AsyncGenerator<readonly TextRow[]> {
    const texts = columns.map((name) => {
      const column = this.described.find((described) => described.name === name)
      const text = column === undefined ? this.memberTexts.get(name) : buildTextExpression(column)
      if (text === undefined) throw createMissingColumnError(name)
      return text
    })
    // One JSON list a row is faster than reading cell by cell, and keeps a leading byte order mark.
    const relation = isSample ? this.sampled : this.read.relation
    const rows = this.readTexts(`SELECT to_json([${texts.join(', ')}]::VARCHAR[])::VARCHAR FROM ${relation}`)
    yield* splitIntoBatches(parseRows(rows))
  }

  async *objectRows(): AsyncGenerator<readonly string[]> {
    const object = buildObjectExpression(this.described, this.rowAlias)
    const rows = this.readTexts(
      `SELECT ${object} FROM ${this.read.relation} AS ${quoteSqlName(this.rowAlias)}`,
    )
    for await (const batch of splitIntoBatches(rows)) yield batch.map(quoteNonFinite)
  }

  async *cellRows(): AsyncGenerator<readonly CellRow[]> {
    const types = this.described.map(({ type }) => type)
    for await (const rows of this.textRows(this.columns)) {
      yield rows.map((row) => row.map((text, index) => toSqlCell(text, types[index] ?? 'VARCHAR')))
    }
  }

  parquetSource(): RelationRows {
    if (this.metadata.unfitColumn !== null) throw createUnfitColumnError(this.metadata.unfitColumn)
    const columns = this.described.map(({ name, type }) =>
      isGeometry(type)
        ? { name, type: 'BLOB', cells: `ST_AsWKB(r.${quoteSqlName(name)})` }
        : { name, type, cells: `r.${quoteSqlName(name)}` },
    )
    return {
      kind: 'relation',
      columns,
      metadata: this.metadata.metadata,
      bytesEstimate: unpackedPerPackedByte * this.read.bytes,
      relation: this.read.relation,
      isScan: this.read.isScan,
      countRows: () => this.rowCount(),
    }
  }

  async validate(): Promise<void> {
    const alias = quoteSqlName(this.rowAlias)
    try {
      await this.duckDb.all(`SELECT bit_xor(hash(${alias})) FROM ${this.read.relation} AS ${alias}`)
    } catch (error) {
      throw toParquetError(this.texts.label, error)
    }
  }

  listNotes(): readonly string[] {
    return this.texts.notices
  }

  close(): void {
    this.duckDb.close()
  }

  private async rowCount(): Promise<number> {
    try {
      const [row] = await this.duckDb.all(`SELECT count(*) FROM ${this.read.relation}`)
      return Number(row?.[0])
    } catch (error) {
      throw toParquetError(this.texts.label, error)
    }
  }

  /** Streams the result of a query with one text column that is never null. */
  private async *readTexts(sql: string): AsyncGenerator<string[]> {
    for await (const chunk of this.query(sql)) yield chunk.getColumnValues(0) as string[]
  }

  private async *query(sql: string): AsyncGenerator<DuckDbChunk> {
    try {
      yield* this.duckDb.stream(sql)
    } catch (error) {
      throw toParquetError(this.texts.label, error)
    }
  }
}

/** Adds the SQL of the column's members to `memberTexts`. If two have the same path, the first is kept. */
function toNestedColumn(column: Column, memberTexts: Map<string, string>): NestedColumn | null {
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

async function* parseRows(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly TextRow[]> {
  for await (const batch of batches) yield batch.map((row) => JSON.parse(row) as TextRow)
}

function toParquetError(label: string, cause: unknown): Error {
  if (cause instanceof UserError) return cause
  if (isOutOfMemory(cause)) {
    return new UserError('MEMORY_SHORT', `reading ${label} exceeds the memory limit`, {
      hint: 'write it again with smaller row groups, or with fewer columns',
      cause,
    })
  }
  const reason = getErrorText(cause).split('\n')[0] ?? ''
  return new UserError('INPUT_PARQUET_INVALID', `${label} cannot be read as Parquet: ${reason}`, {
    hint: 'the file may be truncated, damaged, encrypted, compressed with an unsupported codec, or of another format: create or download it again, compressed with zstd or snappy',
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
