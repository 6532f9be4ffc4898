import { existsSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import type { Candidate } from '../../pipeline/decisions/candidate.js'
import { outputFormOf } from '../../pipeline/output/output-format.js'
import { publishTable, type PlainRow, type PlainTableTarget } from '../../pipeline/output/plain-table.js'
import type { QueueRow } from '../page-data.js'
import type { ReviewSession } from '../session.js'
import { instructions } from './instructions.js'
import { readTodo } from './read-todo.js'
import { settleLines } from './settle-lines.js'
import { todoColumns, todoRow } from './todo-columns.js'

export interface ExportedTodo {
  readonly path: string
  readonly lookupCount: number
  /** Rows of the input that ask them. */
  readonly rowCount: number
  /** Lookups whose candidates could not be asked for, and why. */
  readonly missing: { readonly count: number; readonly reason: string } | null
}

interface ExportDeps {
  /** What writing may hold in memory. */
  readonly memoryBytes: number
  readonly signal: AbortSignal
  /** After so many lookups. */
  readonly onProgress?: (lookupCount: number, openCount: number) => void
}

/** The file of `--export`. Throws OUTPUT_FORMAT_UNKNOWN for what people do not fill in, and USAGE_INVALID for `-`. */
export function todoTarget(path: string): PlainTableTarget['format'] {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--export writes a file, and not to standard output', {
      hint: 'name a file: --export todo.xlsx',
    })
  }
  const { format, isPacked } = outputFormOf(path)
  if ((format === 'xlsx' || format === 'csv') && !isPacked) return format
  throw new UserError('OUTPUT_FORMAT_UNKNOWN', `${path} is neither .xlsx nor .csv`, {
    hint: 'verdicts are typed into a spreadsheet: --export todo.xlsx',
  })
}

/**
 * Writes the doubtful lookups that nobody decided, those that most rows ask first, each with its candidates and empty
 * cells for a verdict and a note. Throws VERDICTS_NOT_IMPORTED, OUTPUT_UNWRITABLE, DISK_FULL and the signal's reason.
 */
export async function exportTodo(
  session: ReviewSession,
  path: string,
  deps: ExportDeps,
): Promise<ExportedTodo> {
  const format = todoTarget(path)
  await assertNoVerdictsLost(session, path)
  const counts = { lookupCount: 0, rowCount: 0 }
  const candidates = new CandidateLists(session, deps.signal)
  const { openCount } = session.counts()
  const rows = async function* (): AsyncGenerator<readonly PlainRow[]> {
    for (const row of session.rows(openOnes)) {
      deps.signal.throwIfAborted()
      counts.lookupCount++
      counts.rowCount += row.rowCount
      const { why, found } = await candidates.of(row)
      yield [todoRow({ row, why, candidates: found })]
      deps.onProgress?.(counts.lookupCount, openCount)
    }
  }
  await publishTable(
    { name: 'to review', columns: todoColumns, rows: rows(), notes: instructions },
    // A spreadsheet knows by its mark that a CSV is UTF-8; and names have to come back as they were.
    { path, format, isPacked: false, bom: true, memoryBytes: deps.memoryBytes, signal: deps.signal },
  )
  return { path, ...counts, missing: candidates.missing }
}

const openOnes = { view: 'open', statuses: [], text: '', sort: 'rows' } as const
/** Whatever the file may name. */
export const everything = { view: 'all', statuses: [], text: '', sort: 'input' } as const
