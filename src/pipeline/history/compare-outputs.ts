import type { PlainColumn } from '../output/plain-table.js'
import { UserError } from '../../core/errors.js'
import { ChangeCounter, type Change, type ChangeCounts, type ChangeTally } from '../../core/alarms.js'
import { compareStates, getCurrentEntityId, hasMatch } from './changes.js'
import { renderResult } from '../answers/answer-line.js'
import { parsePublishedState, renderPublishedState, type PublishedState } from '../answers/published-state.js'
import type { PublishedEntry, PublishedOutput } from './run-record.js'
import { noRow, matchRows } from './match-rows.js'
import { readSettledOutput, type Outputs } from './remembered-runs.js'

/** Number of rows whose entries are in memory at once. */
const batchRows = 1_000

/**
 * Yields the changes from one output to a later one, in batches: rows in the order of the newer output, then removed
 * rows in the order of the older one. A row that only moved has not changed. Throws RUNS_NOT_COMPARABLE and
 * HISTORY_VERSION.
 */
export async function* compareOutputs(
  older: PublishedOutput,
  newer: PublishedOutput,
): AsyncGenerator<readonly Change[], void> {
  await assertSameKeys(older, newer)
  const { changed, gone } = await matchRows(older, newer)
  for (let start = 0; start < changed.newer.length; start += batchRows) {
    const newerRows = changed.newer.subarray(start, start + batchRows)
    const olderRows = changed.older.subarray(start, start + batchRows)
    yield await compareRowBatch(older, newer, olderRows, newerRows)
  }
  for (let start = 0; start < gone.length; start += batchRows)
    yield await listGoneRows(older, gone.subarray(start, start + batchRows), newer.run)
}

/** The changes from one stored output to a later one. */
export interface OutputChanges {
  readonly rowCountBefore: number
  readonly after: PublishedOutput
  /** In the order of `compareOutputs`; read once. */
  readonly batches: AsyncGenerator<readonly Change[], void>
  /** Counts of the changes read so far. */
  readonly tally: ChangeTally
}

/**
 * Compares the outputs of two runs: the earlier one with its pending rows settled, see `readSettledOutput`. Throws
 * RUN_OUTPUT_UNKNOWN if one is no longer stored, and the errors of `compareOutputs`.
 *
 * @example
 * const { batches } = await readChanges(history, 12, 15)
 * for await (const changes of batches) print(changes)
 */
export async function readChanges(history: Outputs, older: number, newer: number): Promise<OutputChanges> {
  const before = assertStored(await readSettledOutput(history, older), older)
  const after = assertStored(await history.published(newer), newer)
  const counter = new ChangeCounter()
  const countWhileReading = async function* () {
    for await (const changes of compareOutputs(before, after)) {
      for (const change of changes) counter.add(change)
      yield changes
    }
  }
  return {
    rowCountBefore: before.rows.length,
    after,
    batches: countWhileReading(),
    get tally() {
      return counter.tally
    },
  }
}

function assertStored(output: PublishedOutput | null, run: number): PublishedOutput {
  if (output !== null) return output
  throw new UserError('RUN_OUTPUT_UNKNOWN', `the output of run ${run} is no longer stored`, {
    hint: 'enrich runs lists the runs; history.keep sets how many outputs are stored',
  })
}

/** Throws RUNS_NOT_COMPARABLE if only one of the outputs has row keys. */
async function assertSameKeys(older: PublishedOutput, newer: PublishedOutput): Promise<void> {
  const keyed: boolean[] = []
  for (const output of [older, newer])
    for await (const [, { rowKey }] of output.entries(output.rows.subarray(0, 1))) keyed.push(rowKey !== null)
  if (keyed[0] === keyed.at(-1)) return
  const [known, other] = keyed[0] === true ? [older.run, newer.run] : [newer.run, older.run]
  throw new UserError('RUNS_NOT_COMPARABLE', `run ${known} has row keys, and run ${other} does not`, {
    hint: 'compare two runs with --row-key, or two runs without it',
  })
}

async function readRowEntries(
  output: PublishedOutput,
  rows: Uint32Array,
): Promise<(row: number) => PublishedEntry> {
  const numbers = new Set<number>()
  for (const row of rows) if (row !== noRow) numbers.add(output.rows[row] ?? 0)
  const entries = new Map<number, PublishedEntry>()
  for await (const [number, entry] of output.entries(numbers)) entries.set(number, entry)
  return (row) => {
    const entry = entries.get(output.rows[row] ?? 0)
    if (entry === undefined) throw new Error(`run ${output.run}: row ${row + 1} has no entry`)
    return entry
  }
}

async function compareRowBatch(
  older: PublishedOutput,
  newer: PublishedOutput,
  olderRows: Uint32Array,
  newerRows: Uint32Array,
): Promise<readonly Change[]> {
  const before = await readRowEntries(older, olderRows)
  const after = await readRowEntries(newer, newerRows)
  return [...newerRows].flatMap((row, at) => {
    const olderRow = olderRows[at] ?? noRow
    const entry = after(row)
    if (olderRow === noRow) return [createRowChange('new_row', entry, row, newer.run)]
    return compareRow(before(olderRow), entry, row, newer.run)
  })
}

function compareRow(
  older: PublishedEntry,
  newer: PublishedEntry,
  row: number,
  run: number,
): readonly Change[] {
  const [before, after] = [parsePublishedState(older.state), parsePublishedState(newer.state)]
  const { rowKey, name } = newer
  return compareStates(before, after).map((change) => ({
    ...change,
    rowKey,
    name: name ?? getCompanyName(after) ?? getCompanyName(before),
    rowNumber: row + 1,
    run,
    oldEntityId: getCurrentEntityId(before),
    newEntityId: getCurrentEntityId(after),
    oldAnsweredBy: getSide(before),
    newAnsweredBy: getSide(after),
  }))
}

/** A row without a name is shown by its company: a newer answer may have no name of it. */
const getCompanyName = (state: PublishedState): string | null =>
  state.get('display_name')?.value ?? state.get('legal_name')?.value ?? null

const getSide = (state: PublishedState): string | null => state.get('answered_by')?.value ?? null

async function listGoneRows(
  older: PublishedOutput,
  rows: Uint32Array,
  run: number,
): Promise<readonly Change[]> {
  const before = await readRowEntries(older, rows)
  return [...rows].map((row) => createRowChange('row_gone', before(row), row, run))
}

/** Returns the change for an added or removed row, with its company. */
function createRowChange(
  kind: 'new_row' | 'row_gone',
  { rowKey, name, state }: PublishedEntry,
  row: number,
  run: number,
): Change {
  const published = parsePublishedState(state)
  const [entityId, side] = [getCurrentEntityId(published), getSide(published)]
  return {
    kind,
    rowKey,
    rowNumber: row + 1,
    name: name ?? getCompanyName(published),
    run,
    field: null,
    old: null,
    new: null,
    oldSource: null,
    newSource: null,
    oldEntityId: kind === 'row_gone' ? entityId : null,
    newEntityId: kind === 'new_row' ? entityId : null,
    oldAnsweredBy: kind === 'row_gone' ? side : null,
    newAnsweredBy: kind === 'new_row' ? side : null,
  }
}

/** A company as a registry states it now. */
interface CurrentCompany {
  /** See interface, "v3 entity record", without its envelope. */
  readonly entity: object
  readonly mergedInto: string | null
  /** Factors about its end, as an answer has them. */
  readonly factors: readonly unknown[]
}

/** Answers that a registry gives otherwise now. */
export interface AnswerChanges {
  /** The changes of each row, in the order of its output; read once. */
  readonly batches: AsyncGenerator<readonly Change[], void>
  /** Counts so far: of answered companies and rows, of those that changed, and by kind of change. */
  readonly counts: AnswerChangeCounts
}

interface AnswerChangeCounts {
  readonly companyCount: number
  readonly rowCount: number
  readonly changedCompanyCount: number
  readonly changedRowCount: number
  readonly kinds: ChangeCounts
}

/**
 * Compares the matched companies of the newest output of each input with what their registry states now. Only answers
 * of the embedded service and of an own registry are compared. `findCompany` returns `null` for an unknown id. Throws
 * CHECKPOINT_DAMAGED and HISTORY_VERSION.
 */
export function readAnswerChanges(
  history: Outputs,
  findCompany: (entityId: string) => CurrentCompany | null,
): AnswerChanges {
  const [companies, changed] = [new Set<string>(), new Set<string>()]
  const counter = new ChangeCounter()
  let rowCount = 0
  let changedRowCount = 0
  const compare = (entry: PublishedEntry, row: number, run: number, isOwn: boolean): readonly Change[] => {
    const state = parsePublishedState(entry.state)
    const id = state.get('entity_id')?.value
    if (id === undefined || !hasMatch(state) || !(isOwn || getSide(state) === 'registry')) return []
    const company = findCompany(id)
    if (company === null) return []
    const changes = compareRow(entry, { ...entry, state: renderCurrent(state, company) }, row, run)
    companies.add(id)
    rowCount++
    if (changes.length === 0) return []
    changed.add(id)
    changedRowCount++
    for (const change of changes) counter.add(change)
    return changes
  }
  const batches = async function* () {
    const seen = new Set<string>()
    for (const { number, series, isPublished, record } of await history.runs()) {
      if (!isPublished || seen.has(series)) continue
      seen.add(series)
      const output = await readSettledOutput(history, number)
      for (let start = 0; start < (output?.rows.length ?? 0) && output !== null; start += batchRows) {
        const rows = Uint32Array.from(output.rows.subarray(start, start + batchRows), (_, at) => start + at)
        const read = await readRowEntries(output, rows)
        const isOwn = record?.service === 'embedded'
        yield [...rows].flatMap((row) => compare(read(row), row, number, isOwn))
      }
    }
  }
  return {
    batches: batches(),
    get counts() {
      const [companyCount, changedCompanyCount] = [companies.size, changed.size]
      return { companyCount, rowCount, changedCompanyCount, changedRowCount, kinds: counter.tally.counts }
    },
  }
}

/** Returns the state of a row if its company is the same, with the facts of today. */
function renderCurrent(state: PublishedState, { entity, mergedInto, factors }: CurrentCompany): string {
  const getValue = (field: 'status' | 'confidence' | 'entity_id') => state.get(field)?.value ?? null
  const merged = mergedInto === null ? null : { status: 'merged', entity_id: mergedInto }
  const line = renderResult(
    { entity, factors, merged_into: mergedInto },
    {
      status: getValue('status'),
      confidence: getValue('confidence'),
      entity_id: getValue('entity_id'),
      ...merged,
    },
  )
  return renderPublishedState(line)
}

/** Columns of a changes file, in order, with their values. */
const columns = [
  { name: 'kind', kind: 'text', of: ({ kind }) => kind },
  { name: 'row_key', kind: 'user_text', of: ({ rowKey }) => rowKey },
  { name: 'row_number', kind: 'integer', of: ({ rowNumber }) => rowNumber },
  { name: 'name', kind: 'user_text', of: ({ name }) => name },
  { name: 'field', kind: 'text', of: ({ field }) => field },
  { name: 'old', kind: 'text', of: (change) => change.old },
  { name: 'new', kind: 'text', of: (change) => change.new },
  { name: 'old_source', kind: 'text', of: ({ oldSource }) => oldSource },
  { name: 'new_source', kind: 'text', of: ({ newSource }) => newSource },
  { name: 'old_entity_id', kind: 'text', of: ({ oldEntityId }) => oldEntityId },
  { name: 'new_entity_id', kind: 'text', of: ({ newEntityId }) => newEntityId },
  { name: 'run', kind: 'integer', of: ({ run }) => run },
] as const satisfies readonly PlainColumn<Change>[]

/** Further columns, if an own registry answers first. */
const sideColumns = [
  { name: 'old_answered_by', kind: 'text', of: ({ oldAnsweredBy = null }) => oldAnsweredBy },
  { name: 'new_answered_by', kind: 'text', of: ({ newAnsweredBy = null }) => newAnsweredBy },
] as const satisfies readonly PlainColumn<Change>[]

/** Returns the columns of a changes file. */
export const listColumns = (hasSides: boolean): readonly PlainColumn<Change>[] =>
  hasSides ? [...columns, ...sideColumns] : columns

/** Returns a change as an object with the columns as keys. */
export function toChangeRecord(change: Change, hasSides: boolean): Record<string, string | number | null> {
  return Object.fromEntries(listColumns(hasSides).map(({ name, of }) => [name, of(change)]))
}
