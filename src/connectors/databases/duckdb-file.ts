import { closeSync, openSync, readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorText, UserError, type ErrorCode } from '../../core/errors.js'
import { quoteSqlText, type DuckDb } from '../../parquet/duckdb.js'
import type { ConnectorOptions } from '../connector.js'
import { busyMsMax, busyPauseMs } from './file-database.js'

/** Name of the attached database in statements. */
export const attachedName = 'enrich_attached'

/** Attaches a file and makes it the default database; waits while another process uses it. Throws STORE_UNREACHABLE. */
export async function attachFile(
  duckDb: DuckDb,
  path: string,
  access: 'READ_ONLY' | 'READ_WRITE',
  { label, signal }: Pick<ConnectorOptions, 'signal'> & { readonly label: string },
): Promise<void> {
  const endMs = performance.now() + busyMsMax
  for (;;) {
    signal?.throwIfAborted()
    try {
      await duckDb.run(`ATTACH ${quoteSqlText(path)} AS ${attachedName} (TYPE duckdb, ${access})`)
      await duckDb.run(`USE ${attachedName}`)
      return
    } catch (error) {
      if (!/Could not set lock/.test(getErrorText(error))) throw error
      if (performance.now() > endMs) {
        const holder =
          /held in (.+?)(?: by user|\. See|$)/.exec(getErrorText(error))?.[1] ?? 'another process'
        throw new UserError('STORE_UNREACHABLE', `${label} is open in ${holder}`, {
          hint: 'end that process: while one writes, DuckDB lets no other open the file',
          cause: error,
        })
      }
    }
    await sleep(busyPauseMs)
  }
}

/** Whether an existing file is a database of DuckDB, or empty. */
export function isDuckDbFile(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(12)
    return readSync(file, head) === 0 || head.subarray(8).toString('latin1') === 'DUCK'
  } finally {
    closeSync(file)
  }
}

/** Explains an error of DuckDB; `code` is for those about the statement or the file. */
export function explainDuckDb(label: string, code: ErrorCode, error: unknown): unknown {
  if (error instanceof UserError || !(error instanceof Error)) return error
  const [text = ''] = error.message.split('\n')
  const isUnfit = code === 'OUTPUT_UNWRITABLE' && /^(Constraint|Conversion) Error/.test(text)
  return new UserError(isUnfit ? 'OUTPUT_TABLE_UNFIT' : code, `${label}: ${text}`, { cause: error })
}
