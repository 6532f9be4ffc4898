import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { describeDuckDbError, isOutOfMemory, type DuckDb } from '../../parquet/duckdb.js'
import { quoteSqlText } from '../../core/text.js'
import { getErrorText, UserError, type ErrorCode } from '../../core/errors.js'
import { describeFileError, listFilePlaces } from '../../platform/files.js'
import { parseNames, type TableName, type Place } from '../connector.js'
import {
  fileHints,
  formatPlaceName,
  nameTablePlaces,
  whenFree,
  withFile,
  type DatabaseFile,
} from './file-database.js'
import { explainDiskFull, withDuckDb } from './local-parquet.js'

/** Name of the attached database in statements. */
export const attachedName = 'enrich_attached'

/**
 * Opens DuckDB with a file as the default database; waits while another process uses the file. Throws INPUT_NOT_FOUND,
 * STORE_UNREACHABLE and the errors of `explainDuckDb`.
 */
export function withDuckDbFile<Result>(
  file: DatabaseFile,
  temporaryFolder: string,
  work: (duckDb: DuckDb) => Promise<Result>,
): Promise<Result> {
  const { path, label, use, options } = file
  const access = use === 'input' ? 'READ_ONLY' : 'READ_WRITE'
  const attach = `ATTACH ${quoteSqlText(path)} AS ${attachedName} (TYPE duckdb, ${access})`
  const open = async () => {
    if (existsSync(path) && !isDuckDbFile(path))
      throw new UserError(
        use === 'input' ? 'INPUT_UNREADABLE' : 'OUTPUT_UNWRITABLE',
        `${label} is not a database of DuckDB`,
        { hint: 'check the path' },
      )
    return withDuckDb(temporaryFolder, options, async (duckDb) => {
      await whenFree(file, () => duckDb.run(attach), explainLock)
      await duckDb.run(`USE ${attachedName}`)
      return work(duckDb)
    })
  }
  return withFile(file, open, (error, code) =>
    explainDuckDb(label, code, explainDiskFull(error, use === 'output' ? label : null)),
  )
}

function explainLock(error: unknown): readonly [string, string] | null {
  const text = getErrorText(error)
  if (!text.includes('Could not set lock')) return null
  const holder = /held in (.+?)(?: by user|\. See|$)/.exec(text)?.[1] ?? 'another process'
  return [`is open in ${holder}`, 'end that process: while one writes, DuckDB lets no other open the file']
}

/** Whether an existing file is a database of DuckDB. */
function isDuckDbFile(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(12)
    readSync(file, head)
    return head.subarray(8).toString('latin1') === 'DUCK'
  } finally {
    closeSync(file)
  }
}

/** Explains an error of DuckDB; `code` is for those about the statement or the file. */
export function explainDuckDb(label: string, code: ErrorCode, error: unknown): unknown {
  if (error instanceof UserError || !(error instanceof Error)) return error
  if (isOutOfMemory(error)) {
    const hint = 'use fewer columns, or shorter texts'
    return new UserError('MEMORY_SHORT', `${label}: it needs more memory than its limit`, {
      hint,
      cause: error,
    })
  }
  const isUnfit = code === 'OUTPUT_UNWRITABLE' && /^(Constraint|Conversion) Error/.test(error.message)
  const known = isUnfit ? 'OUTPUT_TABLE_UNFIT' : code
  const { code: systemCode } = error as NodeJS.ErrnoException
  const { what, remedy } =
    systemCode === undefined
      ? describeDuckDbError(error)
      : { what: describeFileError(systemCode), remedy: 'check the path and its permissions' }
  return new UserError(known, `${label}: ${what}`, { hint: remedy ?? fileHints[known], cause: error })
}

/** A table or a view, with its name in the catalogue. */
interface FoundTable extends TableName {
  readonly schema: string
}

/** Returns all tables and views of the attached file, sorted. */
export async function listDuckDbTables(duckDb: DuckDb): Promise<readonly FoundTable[]> {
  const rows = await duckDb.all(
    `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '${attachedName}'
     UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = '${attachedName}' AND NOT internal ORDER BY ALL`,
  )
  return rows.map(([schema, name]) => ({ schema: String(schema), name: String(name) }))
}

const fold = ({ schema, name }: TableName) =>
  JSON.stringify([schema ?? 'main', name].map((text) => text.toLowerCase()))

/** Finds a table or a view as DuckDB does, which ignores case. */
export const findDuckDbTable = <Table extends TableName>(
  tables: readonly Table[],
  wanted: TableName,
): Table | undefined => tables.find((one) => fold(one) === fold(wanted))

interface PlanNode {
  readonly children?: readonly PlanNode[]
  readonly extra_info?: { readonly Table?: unknown; readonly Function?: unknown }
}

/** Watches which tables and files a statement reads: DuckDB tells the tables in its plan, and logs the files it opens. */
export async function watchReading(
  duckDb: DuckDb,
  from: string,
): Promise<{ readonly listPlaces: (path: string, table: TableName | null) => Promise<readonly Place[]> }> {
  // The optimizer removes tables that it can tell to have no rows for the statement.
  await duckDb.run('PRAGMA disable_optimizer')
  const [plan] = await duckDb.all(`EXPLAIN (FORMAT json) SELECT * FROM ${from} AS q`)
  await duckDb.run('PRAGMA enable_optimizer')
  const infos = listInfos(JSON.parse(String(plan?.[1])) as readonly PlanNode[])
  const tables = infos.flatMap(({ Table }) =>
    typeof Table === 'string' ? [parseNames(Table).slice(-2)] : [],
  )
  const readsFiles = infos.some((info) => info.Function !== undefined)
  if (readsFiles) await duckDb.run(`CALL enable_logging('FileSystem')`)
  return {
    listPlaces: async (path, table) => {
      const named = table === null ? [] : [findDuckDbTable(await listDuckDbTables(duckDb), table) ?? table]
      const read = tables.map(([schema = '', name = '']) => ({ schema, name }))
      const names = [...named, ...read].map(({ schema, name }) =>
        formatPlaceName({ schema: schema ?? 'main', name }),
      )
      const opened = readsFiles
        ? await duckDb.all(`SELECT DISTINCT path FROM duckdb_logs_parsed('FileSystem') WHERE op = 'OPEN'`)
        : []
      const files = opened.flatMap(([file]) => listFilePlaces(String(file)))
      return [...nameTablePlaces(path, names), ...files]
    },
  }
}

const listInfos = (nodes: readonly PlanNode[]): readonly NonNullable<PlanNode['extra_info']>[] =>
  nodes.flatMap(({ children = [], extra_info = {} }) => [extra_info, ...listInfos(children)])
