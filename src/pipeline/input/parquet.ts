import { errorText, UserError } from '../../core/errors.js'
import { isOutOfMemory, openDuckDb, sqlName, type DuckDb, type DuckDbChunk } from '../../parquet/duckdb.js'
import {
  geoMetadata,
  isGeometry,
  columnNames,
  memberTextExpression,
  nestedKind,
  objectExpression,
  quoteNonFinite,
  sqlRelation,
  structMembers,
  textExpression,
  type GeoMetadata,
} from '../../parquet/read-sql.js'
import { leafCountOf, readMemoryBytes } from '../../parquet/limits.js'
import type { Column } from '../../parquet/part-sql.js'
import { tableLimits } from '../../tables/limits.js'
import { tooManyColumns } from '../../tables/file-error.js'
import type { NestedColumn, NestedColumns } from '../lookups/nested-columns.js'
import type { Partition } from '../lookups/partition.js'
import { relationOfPart } from './parquet-part.js'
import { missingColumn } from './header.js'
import type { SourceFile } from './sources.js'
import { typedSql } from './typed-cells.js'
import { inBatches, type CellRow, type InputTable, type RelationRows, type TextRow } from './table.js'

export interface ParquetOptions {
  readonly rowsMax?: number | undefined
  /** Read the row groups of one part alone. */
  readonly partition?: Partition | undefined
  /** Where DuckDB may put what does not fit in memory. */
  readonly temporaryFolder: string
}

/** What a byte of a Parquet file becomes in memory, at a guess. */
const unpackedPerPackedByte = 4

/** One or several Parquet files as one table, read by DuckDB. Throws INPUT_EMPTY and INPUT_PARQUET_INVALID. */
export async function openParquet(
  files: readonly SourceFile[],
  options: ParquetOptions,
): Promise<InputTable> {
  const empty = files.find(({ bytes }) => bytes === 0)
  if (empty !== undefined) {
    throw new UserError('INPUT_EMPTY', `${empty.label} is empty`, { hint: 'was it written to its end?' })
  }
  const duckDb = await openDuckDb(options.temporaryFolder)
  const label = files.map((file) => file.label).join(', ')
  try {
    await refuseRenamedColumns(duckDb, files)
    const paths = files.map(({ path }) => path)
    const relation = sqlRelation(paths, options.rowsMax)
    const described = await duckDb.all(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${relation})`,
    )
    const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }))
    if (columns.length > tableLimits.columnsMax) throw tooManyColumns(label)
    const leafCount = columns.reduce((sum, { type }) => sum + leafCountOf(type), 0)
    await duckDb.limitMemory(readMemoryBytes(leafCount))
    const { partition } = options
    const isScan = options.rowsMax === undefined && partition === undefined
    const geo = await geoMetadata(duckDb, paths, columns, isScan)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const whole = { relation, isScan, bytes }
    if (partition === undefined) return new ParquetTable(duckDb, columns, whole, relation, label, geo)
    const part = await relationOfPart({ duckDb, paths, columns, partition })
    const read = { relation: part.relation, isScan: false, bytes: bytes * part.share }
    return new ParquetTable(duckDb, columns, read, relation, label, geo)
  } catch (error) {
    duckDb.close()
    throw parquetFailure(label, error)
  }
}

/** DuckDB tells no two columns apart whose names differ in letter case alone, and would rename the second. */
async function refuseRenamedColumns(duckDb: DuckDb, files: readonly SourceFile[]): Promise<void> {
  for (const file of files) {
    const named = await columnNames(duckDb, file.path)
    const seen = new Map<string, string>()
    for (const name of named) {
      const other = seen.get(name.toLowerCase())
      if (other !== undefined) {
        throw new UserError('INPUT_COLUMNS_DUPLICATE', `${file.label} has the columns ${other} and ${name}`, {
          hint: 'rename one: names that differ in letter case alone cannot be told apart here',
        })
      }
      seen.set(name.toLowerCase(), name)
    }
  }
}

interface ReadRows {
  /** In SQL. */
  readonly relation: string
  /** Whether it is a scan and nothing else. */
  readonly isScan: boolean
  readonly bytes: number
}

class ParquetTable implements InputTable {
  readonly columns: readonly string[]
  readonly nested: NestedColumns
  /** Each member of a struct as text, in SQL, by its address. */
  private readonly memberTexts: ReadonlyMap<string, string>
  /** A name for a whole row that no column bears. */
  private readonly rowAlias: string

  constructor(
    private readonly duckDb: DuckDb,
    private readonly described: readonly Column[],
    private readonly read: ReadRows,
    /** The first rows of all are sampled, so that parts see the same. */
    private readonly sampled: string,
    private readonly label: string,
    private readonly geo: GeoMetadata,
  ) {
    this.columns = described.map(({ name }) => name)
    const members = new Map<string, string>()
    this.nested = new Map(
      described.flatMap((column) => {
        const nested = nestedColumn(column, members)
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
      const text = column === undefined ? this.memberTexts.get(name) : textExpression(column)
      if (text === undefined) throw missingColumn(name)
      return text
    })
    // As one JSON list a row: quicker than cell by cell, and a text keeps a byte order mark it begins with.
    const relation = isSample ? this.sampled : this.read.relation
    const rows = this.texts(`SELECT to_json([${texts.join(', ')}]::VARCHAR[])::VARCHAR FROM ${relation}`)
    yield* inBatches(parsed(rows))
  }

  async *objectRows(): AsyncGenerator<readonly string[]> {
    const object = objectExpression(this.described, this.rowAlias)
    const rows = this.texts(`SELECT ${object} FROM ${this.read.relation} AS ${sqlName(this.rowAlias)}`)
    for await (const batch of inBatches(rows)) yield batch.map(quoteNonFinite)
  }

  async *cellRows(): AsyncGenerator<readonly CellRow[]> {
    const types = this.described.map(({ type }) => type)
    for await (const rows of this.textRows(this.columns)) {
      yield rows.map((row) => row.map((text, index) => typedSql(text, types[index] ?? 'VARCHAR')))
    }
  }

  parquetSource(): RelationRows {
    if (this.geo.unfitColumn !== null) throw unfitColumn(this.geo.unfitColumn)
    const columns = this.described.map(({ name, type }) =>
      isGeometry(type)
        ? { name, type: 'BLOB', cells: `ST_AsWKB(r.${sqlName(name)})` }
        : { name, type, cells: `r.${sqlName(name)}` },
    )
    return {
      kind: 'relation',
      columns,
      metadata: this.geo.metadata,
      bytesEstimate: unpackedPerPackedByte * this.read.bytes,
      relation: this.read.relation,
      isScan: this.read.isScan,
      rowCount: () => this.rowCount(),
    }
  }

  async validate(): Promise<void> {
    const alias = sqlName(this.rowAlias)
    try {
      await this.duckDb.all(`SELECT bit_xor(hash(${alias})) FROM ${this.read.relation} AS ${alias}`)
    } catch (error) {
      throw parquetFailure(this.label, error)
    }
  }

  close(): void {
    this.duckDb.close()
  }

  private async rowCount(): Promise<number> {
    try {
      const [row] = await this.duckDb.all(`SELECT count(*) FROM ${this.read.relation}`)
      return Number(row?.[0])
    } catch (error) {
      throw parquetFailure(this.label, error)
    }
  }

  /** The rows of a query of one column of text that is never null. */
  private async *texts(sql: string): AsyncGenerator<string[]> {
    for await (const chunk of this.query(sql)) yield chunk.getColumnValues(0) as string[]
  }

  private async *query(sql: string): AsyncGenerator<DuckDbChunk> {
    try {
      yield* this.duckDb.stream(sql)
    } catch (error) {
      throw parquetFailure(this.label, error)
    }
  }
}

/** Adds the texts of its members to `memberTexts`, which keeps the first of those with one address. */
function nestedColumn(column: Column, memberTexts: Map<string, string>): NestedColumn | null {
  const { name, type } = column
  if (type === 'JSON') return { kind: 'JSON text', members: [] }
  const kind = nestedKind(type)
  if (kind === null) return null
  const members = structMembers(type).map((member) => {
    const address = [name, ...member.path].join('.')
    if (!memberTexts.has(address)) memberTexts.set(address, memberTextExpression(column, member))
    return address
  })
  return { kind, members }
}

async function* parsed(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly TextRow[]> {
  for await (const batch of batches) yield batch.map((row) => JSON.parse(row) as TextRow)
}

function parquetFailure(label: string, cause: unknown): Error {
  if (cause instanceof UserError) return cause
  if (isOutOfMemory(cause)) {
    return new UserError(
      'MEMORY_SHORT',
      `reading ${label} takes more memory than is allowed for its columns`,
      {
        hint: 'write it again with smaller row groups, or with fewer columns',
        cause,
      },
    )
  }
  const reason = errorText(cause).split('\n')[0] ?? ''
  return new UserError('INPUT_PARQUET_INVALID', `${label} cannot be read as Parquet: ${reason}`, {
    hint: 'it was cut short, damaged, encrypted, packed with a codec unknown here, or is another format: make or fetch it again, packed with zstd or snappy',
    cause,
  })
}

function unfitColumn(name: string): UserError {
  return new UserError(
    'OUTPUT_COLUMN_UNFIT',
    `the column ${name} is a GEOMETRY, GEOGRAPHY or VARIANT of Parquet's own, which cannot be written to Parquet here`,
    {
      hint: 'write CSV or NDJSON, which hold it as text, or leave it out of the input; geometry of GeoParquet 1 is kept',
    },
  )
}
