import type { CloseLater } from '../platform/close-stack.js'
import { formatCount } from '../core/text.js'
import { placeLookups, toRegistryRule } from './answers/first-answers.js'
import { ingest, type Ingested } from './input/ingest.js'
import type { RunOutputs, RunTable } from './open-files.js'
import type { RunLookups } from './open-lookups.js'
import { assertOutputFits, type openRowSpool } from './output/output.js'
import { warn, type RunContext } from './order.js'

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
  const read = await ingest({
    input,
    rule,
    rowKeyColumn,
    groupColumn,
    dedupe: order.source.dedupe,
    registryRule: first === null ? null : toRegistryRule(rule),
    place: (rows, ofRegistry) =>
      placeLookups(decided.markDecided(rows), ofRegistry, first, async (asked) => {
        const ids = await checkpoint.store.register(asked)
        decided.note(asked, ids)
        return ids
      }),
    signal,
    spool: rowSpool,
    earlier: () => backend.peek(connection.scope),
  })
  closeLater(() => read.rowKeys?.close())
  const notes = [...input.listNotes(), ...read.identifierCounts.listNotes(connection.service === 'hosted')]
  for (const text of notes) if (!told.has(text)) warn(services, text)
  if (decided.unmetCount > 0) observe({ type: 'notice', text: describeUnmet(decided.unmetCount) })
  // The header may have grown while the rows were read: checked again before anything is submitted.
  assertOutputFits(input, outputs.output, read.index.rowCount)
  return read
}

const describeUnmet = (count: number): string =>
  count === 1
    ? '1 decision is for a lookup that is not in this input.'
    : `${formatCount(count)} decisions are for lookups that are not in this input.`
