import { UserError } from '../../core/errors.js'
import { quoteSqlName } from '../../parquet/duckdb.js'
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
        if (text.includes('\0')) throw await findNul()
        yield text
      }
    }
    const findNul = async () => {
      const texts = columns.filter(({ type }) => type !== 'BLOB')
      const checks = texts.map(({ name }) => `bool_or(contains(${quoteSqlName(name)}::VARCHAR, chr(0)))`)
      const [found] = await duckDb.all(`SELECT ${checks.join(', ')} FROM ${relation}`)
      const name = texts.find((_column, index) => found?.[index] === true)?.name ?? ''
      return new UserError(
        'OUTPUT_UNWRITABLE',
        `the column ${name} has a NUL, which PostgreSQL cannot keep`,
        { hint: 'remove it from the input' },
      )
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
