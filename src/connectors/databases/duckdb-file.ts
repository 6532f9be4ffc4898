import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { getErrorText, UserError, type ErrorCode } from '../../core/errors.js'
import { quoteSqlText, type DuckDb } from '../../parquet/duckdb.js'
import { fileHints, whenFree, withFile, type DatabaseFile } from './file-database.js'
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
    if (existsSync(path) && !isDuckDbFile(path)) throw new Error(`${path} is not a database of DuckDB`)
    return withDuckDb(temporaryFolder, options, async (duckDb) => {
      await whenFree(file, () => duckDb.run(attach), explainLock)
      await duckDb.run(`USE ${attachedName}`)
      return work(duckDb)
    })
  }
  return withFile(file, open, (error, code) =>
    explainDuckDb(label, code, explainDiskFull(error, use === 'output' ? label : undefined)),
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
  const [text = ''] = error.message.split('\n')
  const isUnfit = code === 'OUTPUT_UNWRITABLE' && /^(Constraint|Conversion) Error/.test(text)
  const known = isUnfit ? 'OUTPUT_TABLE_UNFIT' : code
  return new UserError(known, `${label}: ${text}`, { hint: fileHints[known], cause: error })
}
