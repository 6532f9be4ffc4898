import { existsSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { resolveOutputForm } from '../../pipeline/output/output-format.js'
import { publishTable, type PlainRow, type PlainTable } from '../../pipeline/output/plain-table.js'
import type { ProposalView, QueueRow } from '../page-data.js'
import type { QueueFilter, ReviewSession } from '../session.js'
import {
  notVerdictFile,
  readTodo,
  type FilledTodo,
  todoColumns,
  toTodoRow,
  type TodoLine,
} from './todo-file.js'
import { settleLines } from './line-verdicts.js'

export interface ExportedTodo {
  readonly path: string
  readonly lookupCount: number
  /** Rows of the input with these lookups. */
  readonly rowCount: number
  /** Lookups whose candidates could not be fetched, and the reason; `null` if all could. */
  readonly missing: { readonly lookupCount: number; readonly reason: string } | null
}

export interface ExportDeps {
  /** Memory limit of the writer. */
  readonly memoryBytes: number
  readonly signal: AbortSignal
  /** Called after each lookup. */
  readonly onProgress?: (lookupCount: number, openCount: number) => void
}

/** Returns the format of the exported file. Throws OUTPUT_FORMAT_UNKNOWN, and USAGE_INVALID for standard output. */
export function parseTodoFormat(path: string): 'xlsx' | 'csv' {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--export cannot write to standard output', {
      hint: 'name a file: --export todo.xlsx',
    })
  }
  const { format, isPacked } = resolveOutputForm(path)
  if ((format === 'xlsx' || format === 'csv') && !isPacked) return format
  throw new UserError('OUTPUT_FORMAT_UNKNOWN', `${path} is neither .xlsx nor .csv`, {
    hint: 'name a spreadsheet file: --export todo.xlsx',
  })
}

/**
 * Writes the open lookups, those with the most rows first, with their candidates and empty cells for a verdict and a
 * note. Throws VERDICTS_NOT_IMPORTED, OUTPUT_FORMAT_UNKNOWN, OUTPUT_UNWRITABLE, DISK_FULL, the session's errors and the
 * signal's reason.
 */
export async function exportTodo(
  session: ReviewSession,
  path: string,
  deps: ExportDeps,
): Promise<ExportedTodo> {
  const format = parseTodoFormat(path)
  await assertNoVerdictsLost(session, path)
  const counts = { lookupCount: 0, rowCount: 0 }
  const lines = new LineBuilder(session, deps.signal)
  const { openCount } = session.getCounts()
  const buildRows = async function* (): AsyncGenerator<readonly PlainRow[]> {
    for await (const row of withCandidates(session, session.readRows(openFilter))) {
      yield [toTodoRow(await lines.buildLine(row))]
      counts.lookupCount++
      counts.rowCount += row.rowCount
      deps.onProgress?.(counts.lookupCount, openCount)
    }
    // Candidate requests may have taken long: a reviewer may have filled in the existing file.
    await assertNoVerdictsLost(session, path)
  }
  await publishTable(
    { name: 'to review', columns: todoColumns, rows: buildRows(), notes: instructions },
    // Spreadsheets recognize UTF-8 by the byte order mark.
    { path, format, isPacked: false, bom: true, memoryBytes: deps.memoryBytes, signal: deps.signal },
  )
  return { path, ...counts, missing: lines.missing }
}

const openFilter: QueueFilter = { view: 'open', statuses: [], text: '', sort: 'rows' }
/** All lookups that a file may name. */
const allFilter: QueueFilter = { view: 'all', statuses: [], text: '', sort: 'input' }

/** Returns the rows by key in hexadecimal digits. */
export const readRowsByLookup = (session: ReviewSession): ReadonlyMap<string, QueueRow> =>
  new Map([...session.readRows(allFilter)].map((row) => [row.lookup, row]))

/** After this many consecutive failures, only stored candidates are used. */
const failuresMax = 5

class LineBuilder {
  #missingCount = 0
  #failuresInRow = 0
  #reason = ''

  constructor(
    private readonly session: ReviewSession,
    private readonly signal: AbortSignal,
  ) {}

  get missing(): ExportedTodo['missing'] {
    return this.#missingCount === 0 ? null : { lookupCount: this.#missingCount, reason: this.#reason }
  }

  async buildLine(row: QueueRow): Promise<TodoLine> {
    this.signal.throwIfAborted()
    const asks = this.#failuresInRow < failuresMax
    const { candidates, candidatesError, factors } = await this.session.readShown(row.lookup, asks)
    if (candidatesError !== null) this.#reason = candidatesError
    if (asks) this.#failuresInRow = candidatesError === null ? 0 : this.#failuresInRow + 1
    if (asks ? candidatesError !== null : candidates.length === 0) this.#missingCount++
    return { row, why: describeDoubt(row, factors), candidates }
  }
}

/** The reason for the doubt, and what an assistant proposed, in sentences. */
export function describeDoubt(
  { reason, proposal }: Pick<QueueRow, 'reason' | 'proposal'>,
  factors: readonly { readonly text: string }[],
): string {
  const parts = [
    ...(proposal === null ? [] : [describeProposal(proposal)]),
    ...(reason === null ? [] : [`Decided before: ${reason}`]),
    ...factors.map(({ text }) => text),
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function describeProposal({ verdict, entityId, entityName, decidedBy, note }: ProposalView): string {
  const name = entityName === null ? '' : `${entityName}, `
  const proposed = verdict === 'none' ? 'none' : `${name}${entityId ?? ''}`
  return `Proposed by an assistant (${decidedBy}): ${proposed}.${note === null ? '' : ` ${note}`}`
}

/** Throws if the file at `path` has verdicts that were not imported. Any other file may be replaced. */
async function assertNoVerdictsLost(session: ReviewSession, path: string): Promise<void> {
  const todo = existsSync(path) ? await readIfTodo(path) : null
  if (todo === null) return
  const known = { rows: readRowsByLookup(session), reviewer: session.reviewer, unit: todo.unit }
  const { choices, problems } = settleLines(todo.lines, known)
  const count = choices.length + problems.length
  if (count === 0) return
  throw new UserError(
    'VERDICTS_NOT_IMPORTED',
    `${path} has ${count === 1 ? '1 verdict that was' : `${count} verdicts that were`} not imported`,
    { hint: `import it first with --import ${path}, or name another file` },
  )
}

/**
 * Returns `null` if the file is no exported file. Throws if it cannot tell: a locked workbook or a broken file may have
 * verdicts.
 */
async function readIfTodo(path: string): Promise<FilledTodo | null> {
  try {
    return await readTodo(path)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const isBroken = error.code === 'VERDICTS_INVALID' && error.cause !== notVerdictFile
    if (!isBroken && error.code !== 'INPUT_FORMAT_UNKNOWN') return null
    throw new UserError(
      'VERDICTS_NOT_IMPORTED',
      `${path} may hold verdicts that were not imported: ${error.message}`,
      {
        hint: 'fix the file and import it with --import, or name another file',
        cause: error,
      },
    )
  }
}

/** Rows whose candidates are fetched together. */
const rowsAtOnce = 500

async function* withCandidates(session: ReviewSession, rows: Iterable<QueueRow>): AsyncGenerator<QueueRow> {
  let some: QueueRow[] = []
  for (const row of rows) {
    if (some.push(row) < rowsAtOnce) continue
    await session.fetchCandidates(some.map(({ lookup }) => lookup))
    yield* some
    some = []
  }
  await session.fetchCandidates(some.map(({ lookup }) => lookup))
  yield* some
}

/** The instructions on the second sheet. */
const lines: readonly (readonly [what: string, meaning: string])[] = [
  ['1 to 5', 'It is this candidate.'],
  ['yes', 'It is the only candidate.'],
  ['none', 'No known company matches.'],
  ['the id of a company (siq_…)', 'It is this company. It may be missing from the candidates.'],
  ['nothing', 'Undecided: the lookup stays in the queue.'],
  ['note', 'A comment for later readers of the decision.'],
  [
    'what may be changed',
    'You may sort, insert and delete rows, move, hide and add columns, and write a title above the table. Do not change the headers or the columns lookup, name, lookup again and the ids of the candidates. Sort all columns together.',
  ],
  [
    'then',
    'Save the file as .xlsx or .csv and run: enrich review FILE --import todo.xlsx. If a verdict is invalid, nothing is imported.',
  ],
]

export const instructions: Omit<PlainTable, 'notes'> = {
  name: 'how to fill in',
  columns: [
    { name: 'in the column verdict', kind: 'text' },
    { name: 'means', kind: 'text' },
  ],
  rows: [lines],
}
