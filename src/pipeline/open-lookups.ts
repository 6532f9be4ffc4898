import type { CloseLater } from '../platform/close-stack.js'
import { formatCount } from '../core/text.js'
import { placeLookups, toRegistryRule } from './answers/first-answers.js'
import { answerFirst } from './answer-first.js'
import type { CheckpointReader } from './checkpoint/lookup.js'
import { ingest, type Ingested, type InputColumns, type LookupRule } from './input/ingest.js'
import { DecidedLookups, readDecided } from './decisions/decided-lookups.js'
import type { Input } from './input/input.js'
import { getDecisionService } from '../core/decisions.js'
import { openServiceCheckpoint } from './open-backend.js'
import type { RunOutputs, RunTable } from './open-files.js'
import type { AskedService } from './plan-run.js'
import { assertOutputFits, joinPart, type openRowSpool } from './output/output.js'
import { warn, type Connection, type RunContext } from './order.js'

/** How the rows of a run become lookups, and where their answers are. */
export interface RunLookups extends Omit<AskedService, 'webhooks'> {
  readonly rule: LookupRule
}

/**
 * Chooses the columns, reads the decisions, lets the own registry answer first, and opens the checkpoint for the lookups
 * of the service; `closeLater` closes it. Throws user errors before anything is billed.
 */
export async function openLookups(
  context: RunContext,
  { input, columns }: RunTable,
  connection: Connection,
  closeLater: CloseLater,
): Promise<RunLookups> {
  const peek = () => context.backend.peek(connection.scope)
  const isBilled = connection.service === 'hosted'
  const { first: own = null } = context.order.requests
  const hasRegistry = !isBilled || own !== null
  const rule = await chooseColumns(context, columns, { reader: peek(), isBilled, hasRegistry })
  const decided = await readDecisions(context, connection)
  const { scope } = connection
  const first = await answerFirst(context, { input, rule, scope, decided, service: peek })
  closeLater(() => first?.close())
  const checkpoint = await openServiceCheckpoint(context, input, connection, context.order.requests.askAgain)
  closeLater(() => checkpoint.close())
  return { connection, rule, decided, first, checkpoint }
}

/** Chooses and reports the columns before anything is submitted. */
async function chooseColumns(
  { services }: RunContext,
  columns: InputColumns,
  asked: { reader: CheckpointReader | null; isBilled: boolean; hasRegistry: boolean },
): Promise<LookupRule> {
  const { observe, interrupt } = services
  const { reader, isBilled, hasRegistry } = asked
  try {
    const { rule, report, note } = await columns.choose(reader, interrupt, isBilled, hasRegistry)
    observe({ type: 'columns', ...report })
    if (note !== null) observe({ type: 'notice', text: note })
    return rule
  } finally {
    reader?.close()
  }
}

/** Reads the decisions once: later ones apply to the next run. */
async function readDecisions(
  { order, services, backend }: RunContext,
  { service, scope }: Connection,
): Promise<DecidedLookups> {
  const { decisions } = order.store
  if (decisions === undefined) return new DecidedLookups(new Map())
  await backend.review?.decisions.refresh()
  const { decided, notices } = await readDecided({
    ...decisions,
    checkpointPath: backend.path,
    service: getDecisionService(service === 'hosted' ? scope : null),
  })
  for (const text of notices) warn(services, text)
  return decided
}

interface RowsToRead {
  readonly table: RunTable
  readonly outputs: RunOutputs
  readonly rowSpool: ReturnType<typeof openRowSpool>
  readonly lookups: RunLookups
}

/**
 * Reads the input for the first time: each row becomes a lookup or a reason why it has none. Reports notes about the
 * rows, and checks the output again. `closeLater` closes the row keys.
 */
export async function readRows(
  { order, services, backend }: RunContext,
  { table, outputs, rowSpool, lookups }: RowsToRead,
  closeLater: CloseLater,
): Promise<Ingested> {
  const { input, rowKeyColumn, groupColumn } = table
  const { connection, rule, checkpoint, decided, first } = lookups
  const { interrupt: signal, observe } = services
  const told = new Set(input.listNotes())
  const { onlyCountry = null } = connection
  const isOpen = onlyCountry !== null && rule.columns.country === undefined
  const findCountry = isOpen ? (await import('../core/countries.js')).findCountryCode : null
  const missing = { isFound: false }
  const read = await ingest({
    input,
    rule,
    rowKeyColumn,
    groupColumn,
    dedupe: order.source.dedupe,
    registryRule: first === null ? null : toRegistryRule(rule),
    place: (rows, ofRegistry, unread) => {
      const lacksCountry = (row: (typeof rows)[number]) =>
        !unread.has(row) && findCountry?.(row.lookup.location?.split(',').at(-1)?.trim() ?? '') === null
      missing.isFound ||= rows.some(lacksCountry)
      return placeLookups(decided.markDecided(rows), ofRegistry, first, async (asked) => {
        const ids = await checkpoint.store.register(asked)
        decided.note(asked, ids)
        return ids
      })
    },
    signal,
    spool: rowSpool,
    earlier: connection.service === 'hosted' ? () => backend.peek(connection.scope) : null,
  })
  closeLater(() => read.rowKeys?.close())
  const notes = [...input.listNotes(), ...read.identifierCounts.listNotes(connection.service === 'hosted')]
  for (const text of notes) if (!told.has(text)) warn(services, text)
  if (decided.unmetCount > 0) observe({ type: 'notice', text: describeUnmet(decided.unmetCount) })
  if (missing.isFound) observe({ type: 'notice', text: describeMissing(onlyCountry ?? '') })
  // The header may have grown while the rows were read: checked again before anything is submitted.
  assertOutputFits(input, outputs.output, read.index.rowCount)
  return read
}

const describeMissing = (country: string): string =>
  `Some rows state no country in their place, and all companies of your registry are of ${country}. If these rows are of ${country} too, pass --country ${country}.`

const describeUnmet = (count: number): string =>
  count === 1
    ? '1 decision of this checkpoint applies to no row, and is kept. Its row is in another input, has another name or place now, or was looked up with other columns (--id-columns, --context-columns).'
    : `${formatCount(count)} decisions of this checkpoint apply to no row, and are kept. Their rows are in other inputs, have other names or places now, or were looked up with other columns (--id-columns, --context-columns).`

/** The part of a job that this process runs. */
export type RunPart = NonNullable<Awaited<ReturnType<typeof joinPart>>>

/** Joins the job of this run with its part; null for a run over all rows. Throws the errors of joining a job. */
export async function joinRunPart(
  { order, services, backend }: RunContext,
  input: Input,
  { scope }: Connection,
  attempt: string,
) {
  const { clock } = services
  const opened = await joinPart({
    part: order.source.part ?? null,
    job: order.reporting.history.job,
    scope,
    attempt,
    clock,
    database: backend.parts,
    inputFingerprint: input.identity.hashList(),
    nowMs: clock.nowMs(),
  })
  if (opened !== null && opened.notice !== null) warn(services, opened.notice)
  return opened
}
