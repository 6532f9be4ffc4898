import { UserError } from '../../core/errors.js'
import { quoteSqlName, type DuckDb } from '../../parquet/duckdb.js'
import type { Column } from '../../parquet/part-sql.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import type { ConnectorOptions } from '../connector.js'
import { buildFileRelation, withDuckDb, type FileColumn } from './local-parquet.js'
import { formatCsvCell } from './postgres-types.js'

export interface RowsToSend {
  readonly path: string
  readonly columns: readonly FileColumn[]
  /** In SQL. */
  readonly table: string
  /** Whether the transaction created the table: then older snapshots see its rows too. */
  readonly isNew: boolean
}

/** Copies the rows of a file into a table. Throws OUTPUT_UNWRITABLE for a text with a NUL. */
export async function sendRows(
  session: PostgresSession,
  { path, columns, table, isNew }: RowsToSend,
  options: Pick<ConnectorOptions, 'signal'>,
): Promise<void> {
  const names = columns.map(({ name }) => quoteSqlName(name))
  const cells = columns.map(({ name, type }) => formatCsvCell(quoteSqlName(name), type))
  const relation = buildFileRelation(path)
  await withDuckDb(`${path}.duckdb`, options, async (duckDb) => {
    const readLines = async function* () {
      for await (const chunk of duckDb.stream(
        `SELECT concat_ws(',', ${cells.join(', ')}) FROM ${relation}`,
      )) {
        const text = `${chunk.getColumnValues(0).join('\n')}\n`
        if (text.includes('\0')) await assertNoNul(duckDb, relation, columns)
        yield text
      }
    }
    const freeze = isNew ? ', FREEZE' : ''
    const lines = readLines()
    try {
      await session.copyIn(`COPY ${table} (${names.join(', ')}) FROM STDIN (FORMAT csv${freeze})`, lines)
    } finally {
      // If the connection broke, DuckDB may still read a chunk, and closing it meanwhile would end the process.
      duckDb.interrupt()
      await lines.return()
    }
  })
}

/** Types whose values may contain text. */
const textType = /VARCHAR|JSON|ENUM|STRUCT|MAP|UNION|\[/

/** Throws OUTPUT_UNWRITABLE for a text with a NUL. */
export async function assertNoNul(
  duckDb: DuckDb,
  relation: string,
  columns: readonly Column[],
): Promise<void> {
  const texts = columns.filter(({ type }) => textType.test(type))
  if (texts.length === 0) return
  const checks = texts.map(({ name }) => `bool_or(contains(${quoteSqlName(name)}::VARCHAR, chr(0)))`)
  const [found] = await duckDb.all(`SELECT ${checks.join(', ')} FROM ${relation}`)
  const column = texts.find((_column, index) => found?.[index] === true)
  if (column === undefined) return
  throw new UserError(
    'OUTPUT_UNWRITABLE',
    `the column ${column.name} has a NUL, which PostgreSQL cannot keep`,
    { hint: 'remove it from the input, for example by a query' },
  )
}
