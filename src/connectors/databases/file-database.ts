import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError, type ErrorCode } from '../../core/errors.js'
import type { ConnectorOptions, TargetOptions } from '../connector.js'

/** A database in a file, as an input or an output. */
export interface DatabaseFile {
  readonly path: string
  /** Shown to the user. */
  readonly label: string
  readonly use: 'input' | 'output'
  readonly options: ConnectorOptions
}

export interface OutputFile extends DatabaseFile {
  readonly use: 'output'
  readonly options: TargetOptions
}

/** Runs an action on a file, and explains its errors. Throws INPUT_NOT_FOUND for a missing input. */
export async function withFile<Result>(
  { path, use, options: { signal } }: DatabaseFile,
  action: () => Promise<Result>,
  explain: (error: unknown, code: ErrorCode) => unknown,
): Promise<Result> {
  if (use === 'input' && !existsSync(path))
    throw new UserError('INPUT_NOT_FOUND', `there is no file ${path}`, { hint: 'check the path' })
  try {
    return await action()
  } catch (error) {
    signal?.throwIfAborted()
    throw explain(error, use === 'input' ? 'INPUT_UNREADABLE' : 'OUTPUT_UNWRITABLE')
  }
}

/** Remedies for errors about a statement or a file. */
export const fileHints: Readonly<Partial<Record<ErrorCode, string>>> = {
  OUTPUT_UNWRITABLE: 'correct the table, or name another one',
  OUTPUT_TABLE_UNFIT: 'correct the rows, change the column or the constraint, or name another table',
  QUERY_REFUSED: 'the query must be one SELECT that changes nothing',
  INPUT_UNREADABLE: 'check that the file is a database of this kind, and whole',
}

/** Longest wait for another process that uses a file. */
const busyMsMax = 5_000
const busyPauseMs = 100

/** Repeats an action while another process holds the file. Throws STORE_UNREACHABLE. */
export async function whenFree<Result>(
  { label, options: { signal } }: DatabaseFile,
  action: () => Result | Promise<Result>,
  /** Returns message and hint for an error about a lock; `null` for others. */
  explainLock: (error: unknown) => readonly [message: string, hint: string] | null,
): Promise<Result> {
  const endMs = performance.now() + busyMsMax
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await action()
    } catch (cause) {
      const lock = explainLock(cause)
      if (lock === null) throw cause
      if (performance.now() > endMs)
        throw new UserError('STORE_UNREACHABLE', `${label} ${lock[0]}`, { hint: lock[1], cause })
    }
    await sleep(busyPauseMs)
  }
}
