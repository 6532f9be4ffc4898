import { UserError } from '../../core/errors.js'
import {
  isOutOfMemory,
  openDuckDb,
  sqlName,
  sqlPath,
  sqlText,
  type DuckDb,
  type DuckDbChunk,
} from '../../parquet/duckdb.js'
import { tableLimits } from '../../tables/limits.js'
import { tooManyColumns } from '../../tables/strict-records.js'
import { leafCountOf, readMemoryBytes } from '../../parquet/memory-budget.js'
import { geoMetadata, isGeometry } from './geometry.js'
import type { SourceFile } from './sources.js'
import { inBatches, type ChunkRows, type InputTable, type TextRow } from './table.js'

export interface ParquetOptions {
  readonly rowsMax?: number | undefined
  /** Where DuckDB may put what does not fit in memory. */
  readonly temporaryFolder: string
}

/** What a byte of a Parquet file becomes in memory, at a guess. */
const unpackedPerPackedByte = 4

interface ParquetColumn {
  readonly name: string
  readonly type: string
}

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
    const relation = sqlRelation(files, options.rowsMax)
    const described = await duckDb.all(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${relation})`,
    )
    const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }))
    if (columns.length > tableLimits.columnsMax) throw tooManyColumns(label)
    const leafCount = columns.reduce((sum, { type }) => sum + leafCountOf(type), 0)
    await duckDb.limitMemory(readMemoryBytes(leafCount))
    const geo = await geoMetadata(duckDb, files, columns, options.rowsMax === undefined)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return new ParquetTable(duckDb, columns, relation, label, bytes, geo)
  } catch (error) {
    duckDb.close()
    throw parquetFailure(label, error)
  }
}

function sqlRelation(files: readonly SourceFile[], rowsMax: number | undefined): string {
  const paths = files.map((file) => sqlPath(file.path)).join(', ')
  const read = `read_parquet([${paths}], union_by_name = true, hive_partitioning = false, filename = false)`
  return rowsMax === undefined ? read : `(SELECT * FROM ${read} LIMIT ${rowsMax})`
}

/** DuckDB tells no two columns apart whose names differ in letter case alone, and would rename the second. */
async function refuseRenamedColumns(duckDb: DuckDb, files: readonly SourceFile[]): Promise<void> {
  for (const file of files) {
    const named = await topLevelNames(duckDb, file)
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

/** The schema is a tree written depth first; the children of its root are the columns. */
async function topLevelNames(duckDb: DuckDb, file: SourceFile): Promise<readonly string[]> {
  const rows = await duckDb.all(`SELECT name, num_children FROM parquet_schema(${sqlPath(file.path)})`)
  const names: string[] = []
  let inside = 0
  for (const [name, children] of rows.slice(1)) {
    if (inside === 0) names.push(String(name))
    else inside--
    inside += Number(children ?? 0)
  }
  return names
}

class ParquetTable implements InputTable {
  readonly delimiter = null
  readonly columns: readonly string[]
  /** A name for a whole row that no column bears. */
  private readonly rowAlias: string

  constructor(
    private readonly duckDb: DuckDb,
    private readonly described: readonly ParquetColumn[],
    private readonly relation: string,
    private readonly label: string,
    private readonly bytes: number,
    private readonly geo: Awaited<ReturnType<typeof geoMetadata>>,
  ) {
    this.columns = described.map(({ name }) => name)
    const taken = new Set(this.columns.map((name) => name.toLowerCase()))
    let alias = 'input_row'
    while (taken.has(alias)) alias += '_'
    this.rowAlias = alias
  }

  async *textRows(columns: readonly string[]): AsyncGenerator<readonly TextRow[]> {
    const texts = columns.map((name) => {
      const column = this.described.find((described) => described.name === name)
      if (column === undefined) {
        throw new UserError('INPUT_COLUMN_MISSING', `the input has no column ${JSON.stringify(name)}`)
      }
      return textExpression(column)
    })
    // As one JSON list a row: quicker than cell by cell, and a text keeps a byte order mark it begins with.
    const rows = this.texts(`SELECT to_json([${texts.join(', ')}]::VARCHAR[])::VARCHAR FROM ${this.relation}`)
    yield* inBatches(parsed(rows))
  }

  async *objectRows(): AsyncGenerator<readonly string[]> {
    const alias = sqlName(this.rowAlias)
    const hasJson = this.described.some(({ type }) => type === 'JSON')
    const object = hasJson ? objectExpression(this.described) : `to_json(${alias})::VARCHAR`
    const rows = this.texts(`SELECT ${object} FROM ${this.relation} AS ${alias}`)
    for await (const batch of inBatches(rows)) yield batch.map(quoteNonFinite)
  }

  parquetSource(): ChunkRows {
    if (this.geo.unfit !== null) throw this.geo.unfit
    const columns = this.described.map(({ name, type }) => ({ name, type: isGeometry(type) ? 'BLOB' : type }))
    const asWkb = this.described
      .filter(({ type }) => isGeometry(type))
      .map(({ name }) => `ST_AsWKB(${sqlName(name)}) AS ${sqlName(name)}`)
    const chosen = asWkb.length === 0 ? '*' : `* REPLACE (${asWkb.join(', ')})`
    return {
      kind: 'chunks',
      columns,
      metadata: this.geo.metadata,
      bytesEstimate: unpackedPerPackedByte * this.bytes,
      chunks: (rowsMax) =>
        this.query(
          `SELECT ${chosen} FROM ${this.relation}${rowsMax === undefined ? '' : ` LIMIT ${rowsMax}`}`,
        ),
    }
  }

  async validate(): Promise<void> {
    const alias = sqlName(this.rowAlias)
    try {
      await this.duckDb.all(`SELECT bit_xor(hash(${alias})) FROM ${this.relation} AS ${alias}`)
    } catch (error) {
      throw parquetFailure(this.label, error)
    }
  }

  notes(): readonly string[] {
    return []
  }

  close(): void {
    this.duckDb.close()
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

async function* parsed(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly TextRow[]> {
  for await (const batch of batches) yield batch.map((row) => JSON.parse(row) as TextRow)
}

/** DuckDB's text form; nested values as JSON text; bytes as text where they are text (older writers say no more). */
function textExpression({ name, type }: ParquetColumn): string {
  const column = sqlName(name)
  if (type === 'VARCHAR') return column
  if (type === 'BLOB') return `coalesce(try(decode(${column})), ${column}::VARCHAR)`
  if (/[[(]/.test(type) && !type.startsWith('DECIMAL') && !isGeometry(type))
    return `to_json(${column})::VARCHAR`
  return `${column}::VARCHAR`
}

/** `to_json` of a whole row would read JSON values anew and round their numbers; their text is taken instead. */
function objectExpression(columns: readonly ParquetColumn[]): string {
  const members = columns.map(({ name, type }) => {
    const column = sqlName(name)
    // A line break can stand in JSON text only where a space can.
    const json =
      type === 'JSON' ? `translate(${column}::VARCHAR, E'\\r\\n', '  ')` : `to_json(${column})::VARCHAR`
    return `${sqlText(`${JSON.stringify(name)}:`)} || coalesce(${json}, 'null')`
  })
  return `'{' || ${members.join(" || ',' || ")} || '}'`
}

/** DuckDB writes NaN and Infinity bare, which is no JSON: they become strings. */
function quoteNonFinite(json: string): string {
  if (!/NaN|Infinity/.test(json)) return json
  return json.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  )
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
  const reason = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? ''
  return new UserError('INPUT_PARQUET_INVALID', `${label} cannot be read as Parquet: ${reason}`, {
    hint: 'it was cut short, damaged, encrypted, packed with a codec unknown here, or is another format: make or fetch it again, packed with zstd or snappy',
    cause,
  })
}
