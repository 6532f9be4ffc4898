import { existsSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { publishTable, resolveTable } from '../../pipeline/output/plain-table.js'
import type { DecisionView, QueueRow } from '../page-data.js'
import { describeDoubt } from '../doubtful-rows.js'
import type { QueueFilter, ReviewSession } from '../session.js'
import {
  createVerdictsError,
  instructions,
  notVerdictFile,
  readTodo,
  type FilledTodo,
  type HasName,
  todoColumns,
  type TodoLine,
} from './todo-file.js'
import {
  createConflictProblem,
  hasName,
  settleLines,
  type LineProblem,
  type SettledLine,
} from './line-verdicts.js'

export interface ExportedTodo {
  readonly path: string
  readonly lookupCount: number
  /** Rows of the input with these lookups. */
  readonly rowCount: number
  /** Lookups whose candidates could not be fetched, and the reason; `null` if all could. */
  readonly missing: { readonly lookupCount: number; readonly reason: string } | null
}

export interface ExportDeps {
  /** Memory limit of the writer, like `1GB`; optional. */
  readonly memory?: string | undefined
  /** Delimiter of the list; null or absent if it is no CSV. */
  readonly listDelimiter?: string | null
  readonly signal: AbortSignal
  /** Called after each lookup. */
  readonly onProgress?: (lookupCount: number, openCount: number) => void
}

/** Throws OUTPUT_FORMAT_UNKNOWN unless the exported file is a spreadsheet, and USAGE_INVALID for standard output. */
export function assertTodoFormat(path: string): void {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--export cannot write to standard output', {
      hint: 'name a file: --export todo.xlsx',
    })
  }
  const { format, isPacked } = resolveTable({ path })
  if ((format === 'xlsx' || format === 'csv') && !isPacked) return
  throw new UserError('OUTPUT_FORMAT_UNKNOWN', `${path} is neither .xlsx nor .csv`, {
    hint: 'name a spreadsheet file: --export todo.xlsx',
  })
}

/**
 * Writes the open lookups, those with the most rows first, with their candidates and empty cells for a verdict and a
 * note. `importVerdicts` reads the completed file. Throws VERDICTS_NOT_IMPORTED, OUTPUT_FORMAT_UNKNOWN,
 * OUTPUT_UNWRITABLE, DISK_FULL, the session's errors and the signal's reason.
 *
 *     await exportTodo(session, 'todo.xlsx', { memory: '1GB', signal })
 *     const { acceptedCount } = await importVerdicts(session, 'todo.xlsx', { signal, onNotice: console.error })
 */
export async function exportTodo(
  session: ReviewSession,
  path: string,
  deps: ExportDeps,
): Promise<ExportedTodo> {
  assertTodoFormat(path)
  const { memory, listDelimiter = null, signal } = deps
  await assertNoVerdictsLost(session, path)
  const counts = { lookupCount: 0, rowCount: 0 }
  const lines = new LineBuilder(session, signal)
  const { openCount } = session.getCounts()
  const buildRows = async function* (): AsyncGenerator<readonly TodoLine[]> {
    for await (const row of withCandidates(session, session.readRows(openFilter))) {
      yield [await lines.buildLine(row)]
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
    { ...resolveTable({ path, bom: true, memory, listDelimiter }), signal },
  )
  return { path, ...counts, missing: lines.missing }
}

const openFilter: QueueFilter = { view: 'open', statuses: [], text: '', sort: 'rows' }
/** All lookups that a file may name. */
const allFilter: QueueFilter = { view: 'all', statuses: [], text: '', sort: 'input' }

type RowsByLookup = ReadonlyMap<string, QueueRow>

/** Returns the rows by key in hexadecimal digits. */
const readRowsByLookup = (session: ReviewSession): RowsByLookup =>
  new Map([...session.readRows(allFilter)].map((row) => [row.lookup, row]))

/** Other lookups may have any name. */
const hasNameIn =
  (rows: RowsByLookup): HasName =>
  (lookup, name, location) => {
    const row = rows.get(lookup)
    if (row === undefined) return true
    return hasName(name, row) && (location === undefined || hasName(location, { name: row.location ?? '' }))
  }

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

/** Throws if the file at `path` has verdicts that were not imported. Any other file may be replaced. */
async function assertNoVerdictsLost(session: ReviewSession, path: string): Promise<void> {
  if (!existsSync(path)) return
  const rows = readRowsByLookup(session)
  const todo = await readIfTodo(path, rows)
  if (todo === null) return
  const known = { rows, reviewer: session.reviewer, unit: todo.unit }
  const { choices, problems } = settleLines(todo.lines, known)
  const count = choices.length + problems.length
  if (count === 0) return
  throw new UserError(
    'VERDICTS_NOT_IMPORTED',
    `${path} has ${count === 1 ? '1 verdict that was' : `${count} verdicts that were`} not imported`,
    { hint: `import it first with --import ${path}, or name another file` },
  )
}

/** `null` if it is no exported file. Throws if it cannot tell: a locked or broken file may have verdicts. */
async function readIfTodo(path: string, rows: RowsByLookup): Promise<FilledTodo | null> {
  try {
    return await readTodo(path, hasNameIn(rows))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const isBroken = error.code === 'VERDICTS_INVALID' && error.cause !== notVerdictFile
    const isUnknown = error.code === 'INPUT_FORMAT_UNKNOWN' || error.code.startsWith('INPUT_ENCODING_')
    if (!isBroken && !isUnknown) return null
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

export interface ImportedVerdicts {
  readonly path: string
  readonly acceptedCount: number
  readonly noneCount: number
  /** Rows of the input with the lookups decided by this import. */
  readonly rowCount: number
  /** The reviewer's own decisions that were replaced, in the order of the file. */
  readonly replaced: readonly { readonly number: number; readonly before: DecisionView }[]
  readonly unchangedCount: number
  readonly undecidedCount: number
  readonly loneNoteCount: number
  /** Open lookups that the file does not have, such as those of rows that were cut off. */
  readonly missingCount: number
  readonly unit: FilledTodo['unit']
}

interface ImportDeps {
  readonly signal: AbortSignal
  /** Receives notices about how the file was read. */
  readonly onNotice: (text: string) => void
}

/**
 * Records all verdicts of a filled-in file, or none. They are durable when it resolves. Throws VERDICTS_INVALID with a
 * list of all invalid lines, the errors of `readTodo`, and the session's errors.
 */
export async function importVerdicts(
  session: ReviewSession,
  path: string,
  deps: ImportDeps,
): Promise<ImportedVerdicts> {
  const rows = readRowsByLookup(session)
  const todo = await readTodo(path, hasNameIn(rows))
  for (const notice of todo.notices) deps.onNotice(notice)
  const known = { rows, reviewer: session.reviewer, unit: todo.unit }
  const { choices, problems, ...counts } = settleLines(todo.lines, known)
  await session.fetchCandidates(choices.map(({ row }) => row.lookup))
  const unknown = await findUnknownCompanies(session, choices, deps)
  refuse(todo, [...problems, ...unknown])
  const inFile = new Set(todo.lines.map(({ lookup }) => lookup))
  const missing = [...session.readRows(openFilter)].filter(({ lookup }) => !inFile.has(lookup))
  await record(session, todo, choices)
  const accepted = choices.filter(({ verdict }) => verdict === 'accepted')
  return {
    path,
    acceptedCount: accepted.length,
    noneCount: choices.length - accepted.length,
    rowCount: choices.reduce((sum, { row }) => sum + row.rowCount, 0),
    replaced: choices.flatMap(({ number, row: { decision, reason } }) =>
      decision === null || reason !== null ? [] : [{ number, before: decision }],
    ),
    ...counts,
    missingCount: missing.length,
    unit: todo.unit,
  }
}

/** Finds companies that the registry or the service does not have under this id. */
async function findUnknownCompanies(
  session: ReviewSession,
  choices: readonly SettledLine[],
  { signal, onNotice }: ImportDeps,
): Promise<LineProblem[]> {
  const problems: LineProblem[] = []
  for (const { number, row, entityId } of choices) {
    signal.throwIfAborted()
    if (entityId === null) continue
    const company = await session.findCompany(row.lookup, entityId, signal).catch(ignoreMissingKey)
    if (company === 'unknown') {
      onNotice(`there is no API key: company ids that the service never returned are not verified`)
      break
    }
    if (company?.entityId === entityId) continue
    const text =
      company === null || company.entityId === null
        ? `there is no company ${entityId}`
        : `${entityId} was merged into ${company.entityId}`
    problems.push({ number, name: row.name, text })
  }
  return problems
}

/** Importing does not require an API key. */
function ignoreMissingKey(error: unknown): 'unknown' {
  if (error instanceof UserError && error.code === 'API_KEY_MISSING') return 'unknown'
  throw error
}

async function record(
  session: ReviewSession,
  todo: FilledTodo,
  choices: readonly SettledLine[],
): Promise<void> {
  if (choices.length === 0) return
  const { decisions, others } = await session.decide(
    choices.map(({ row, verdict, entityId, note }) => ({
      lookup: row.lookup,
      verdict,
      entityId,
      note,
      seen: row.decision?.sequence ?? 0,
    })),
  )
  const decided = new Map(others.map((other) => [other.lookup, other]))
  refuse(
    todo,
    choices.flatMap((choice) => {
      const other = decided.get(choice.row.lookup)
      return other === undefined ? [] : [createConflictProblem(choice, other)]
    }),
  )
  if (decisions.length > 0) return
  throw createVerdictsError(
    `${todo.path}: decisions that it would replace were undone during the import; nothing was imported`,
    'import it again',
  )
}

/** Maximum number of problems listed. */
const problemsShownMax = 20

function refuse({ path, unit }: FilledTodo, problems: readonly LineProblem[]): void {
  if (problems.length === 0) return
  const shown = [...problems]
    .sort((a, b) => a.number - b.number)
    .slice(0, problemsShownMax)
    .map(({ number, name, text }) => `  ${unit} ${number}${name === null ? '' : ` (${name})`}: ${text}`)
  const rest = problems.length - shown.length
  const count = problems.length === 1 ? '1 verdict' : `${problems.length} verdicts`
  throw createVerdictsError(
    [
      `${path}: ${count} cannot be imported; nothing was imported`,
      ...shown,
      ...(rest === 0 ? [] : [`  and ${rest} more`]),
    ].join('\n'),
    `fix ${problems.length === 1 ? `this ${unit}` : `these ${unit}s`} or empty the cells, and import the file again`,
  )
}
