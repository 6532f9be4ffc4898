import { UserError } from '../../core/errors.js'
import type { DecisionView } from '../page-data.js'
import type { ReviewSession } from '../session.js'
import { readRowsByLookup } from './export-todo.js'
import { createVerdictsError, readTodo, type FilledTodo } from './todo-file.js'
import { createConflictProblem, settleLines, type LineProblem, type SettledLine } from './line-verdicts.js'

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
  const todo = await readTodo(path)
  for (const notice of todo.notices) deps.onNotice(notice)
  const known = { rows: readRowsByLookup(session), reviewer: session.reviewer, unit: todo.unit }
  const { choices, problems, ...counts } = settleLines(todo.lines, known)
  await session.fetchCandidates(choices.map(({ row }) => row.lookup))
  const unknown = await findUnknownCompanies(session, choices, deps)
  refuse(todo, [...problems, ...unknown])
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
