import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { DuckDBInstance } from '@duckdb/node-api'
import { parse } from 'csv-parse/sync'
import { decompress } from 'fzstd'
import { parquetMetadataAsync, parquetReadObjects, type FileMetaData } from 'hyparquet'

type Row = Record<string, unknown>

/** CSV text as rows, every cell as text. */
export function rowsOfCsv(text: string | Buffer, delimiter = ','): Record<string, string>[] {
  return parse(text, { columns: true, delimiter, bom: true })
}

/**
 * JSON whose names are arbitrary. Once Node.js 24 or 26 has read a name that ends in a backslash, it takes other names with
 * escapes for that one (nodejs/node#63785), so each text is read in a context of its own.
 */
export const parseApart = (text: string): unknown => runInNewContext('JSON.parse(text)', { text })

/** A Parquet file as a reader that is not DuckDB reads it. */
export async function readParquet(
  source: string | Buffer,
): Promise<{ rows: Row[]; metadata: FileMetaData; typeOf: (column: string) => string }> {
  const bytes = typeof source === 'string' ? readFileSync(source) : source
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
  const metadata = await parquetMetadataAsync(file)
  const compressors = {
    ZSTD: (input: Uint8Array, length: number) => decompress(input, new Uint8Array(length)),
  }
  const rows = await parquetReadObjects({ file, metadata, compressors })
  const typeOf = (column: string) => {
    const element = metadata.schema.find(({ name }) => name === column)
    return [element?.type ?? 'GROUP', element?.logical_type?.type ?? element?.converted_type ?? '']
      .join(' ')
      .trim()
  }
  return { rows, metadata, typeOf }
}

/** The rows of one statement, in a DuckDB of its own. */
export async function queryDuckDb(sql: string): Promise<Row[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJS()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
