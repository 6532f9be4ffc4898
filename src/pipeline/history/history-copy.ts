import { UserError } from '../../core/errors.js'
import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { stateColumns, type StateRow } from '../checkpoint/sqlite/history-proof.js'
import type { EntryFacts, OutputRow } from '../checkpoint/history-tables.js'
import { LocalCopy, type SharedCheckpointViewDeps } from '../checkpoint/postgres/local-copy.js'
import { isPendingStatus } from '../answers/published-state.js'
import type { WantedOutputs, HistoryReader, KnownHistory } from './remembered-runs.js'
import { writeRun } from './history-rows.js'
import {
  listEntryPages,
  readOutputRows,
  readSharedOutput,
  lockShared,
  readSettledRuns,
  type SharedRunRow,
  querySubmissions,
  toSharedRun,
} from './shared-history-rows.js'
import type { CloseLater } from '../../platform/close-stack.js'
import { openSharedToRead } from '../checkpoint/postgres/open-database.js'
import { withRetries } from '../checkpoint/postgres/retry.js'
import { openHistory } from './history-reader.js'

/**
 * Copies the differing entries of two runs' outputs, all runs of their series, and the earlier outputs that
 * `readSettledOutput` reads. Must run in a transaction, in which other processes cannot delete them.
 */
export async function copyOutputs(
  statements: PostgresStatements,
  copy: Pick<LocalCopy, 'writeHistory'>,
  { newer, older, isListed }: WantedOutputs,
): Promise<void> {
  await lockShared(statements)
  const wanted = older === null ? [newer] : [newer, older]
  const series = await statements.query<{ series: string }>(
    'SELECT DISTINCT series FROM enrich.history_runs WHERE run_id = ANY($1::bigint[])',
    [wanted],
  )
  const runs: SharedRunRow[] = []
  for (const one of series) for (const run of await readSettledRuns(statements, one.series)) runs.push(run)
  await copy.writeHistory((database) => {
    for (const run of runs) writeRun(database, run)
  })
  const readRows = async (number: number) => {
    const outputId = runs.find(({ run_id: run }) => run === number)?.output_id ?? null
    if (outputId === null) return new Uint32Array()
    const outputs = await readOutputRows(statements, [outputId])
    await copy.writeHistory((database) => {
      putOutputs(database, outputs)
    })
    return (await readSharedOutput(statements, outputId)) ?? new Uint32Array()
  }
  const ofNewer = await readRows(newer)
  const numbers = new Set(ofNewer.subarray(0, 1))
  let [later, before] = [ofNewer, older]
  while (before !== null) {
    const rows = await readRows(before)
    for (const entry of [...rows.subarray(0, 1), ...listDifferingEntries(later, rows)]) numbers.add(entry)
    const pending = await findListedEntries(statements, rows, isPendingStatus)
    for (const entry of pending) numbers.add(entry)
    const [run, isSettled] = [before, pending.length === 0]
    before = isSettled ? null : (runs.find(({ run_id: number }) => number === run)?.baseline ?? null)
    later = rows
  }
  if (isListed !== undefined)
    for (const entry of await findListedEntries(statements, ofNewer, isListed)) numbers.add(entry)
  await copyEntries(statements, copy, [...numbers])
}

/** Yields entries that one output has more often than the other. */
function* listDifferingEntries(one: Uint32Array, other: Uint32Array): Generator<number> {
  const [left, right] = [one.slice().sort(), other.slice().sort()]
  let at = 0
  for (let first = 0; first < left.length;) {
    const entry = left[first] ?? 0
    const count = runLength(left, first)
    for (; at < right.length && (right[at] ?? 0) < entry; at += runLength(right, at)) yield right[at] ?? 0
    const otherCount = right[at] === entry ? runLength(right, at) : 0
    if (count !== otherCount) yield entry
    first += count
    at += otherCount
  }
  for (; at < right.length; at += runLength(right, at)) yield right[at] ?? 0
}

function runLength(sorted: Uint32Array, start: number): number {
  let end = start + 1
  while (end < sorted.length && sorted[end] === sorted[start]) end++
  return end - start
}

async function findListedEntries(
  statements: PostgresStatements,
  rows: Uint32Array,
  isListed: (status: string) => boolean,
): Promise<number[]> {
  const statuses = await statements.query<{ status: string }>(
    'SELECT DISTINCT status FROM enrich.history_states',
  )
  const listed = statuses.map(({ status }) => status).filter(isListed)
  const found: number[] = []
  for (const { entries } of listEntryPages(rows)) {
    const some = await statements.query<{ entryId: number }>(
      `SELECT e.entry_id AS "entryId" FROM enrich.history_entries e JOIN enrich.history_states s USING (state_id)
       WHERE e.entry_id = ANY($1::bigint[]) AND s.status = ANY($2::text[])`,
      [entries, listed],
    )
    for (const { entryId } of some) found.push(entryId)
  }
  return found
}

/** Number of entries copied by one statement. */
const entriesAtOnce = 5_000

type CopiedEntry = EntryFacts & StateRow & { entryId: number; stateId: number; ofEntry: Buffer }

async function copyEntries(
  statements: PostgresStatements,
  copy: Pick<LocalCopy, 'writeHistory'>,
  numbers: readonly number[],
): Promise<void> {
  for (let start = 0; start < numbers.length; start += entriesAtOnce) {
    const some = numbers.slice(start, start + entriesAtOnce)
    const entries = await statements.query<CopiedEntry>(
      `SELECT e.entry_id AS "entryId", e.address, e.row_key AS "rowKey", e.name, e.state_id AS "stateId",
         e.digest AS "ofEntry", ${quoteAliases(stateColumns)}
       FROM enrich.history_entries e JOIN enrich.history_states s USING (state_id)
       WHERE e.entry_id = ANY($1::bigint[])`,
      [some],
    )
    if (entries.length < some.length) {
      throw new UserError('RUN_OUTPUT_UNKNOWN', 'the output of a run is no longer stored', {
        hint: 'enrich runs lists the runs; history.keep sets how many outputs are stored',
      })
    }
    await copy.writeHistory((database) => {
      putEntries(database, entries)
    })
  }
}

/** Quotes column aliases, so that they keep their capitals. */
const quoteAliases = (columns: string): string => columns.replaceAll(/ AS (\w+)/g, ' AS "$1"')

function putOutputs(database: Sqlite, outputs: readonly OutputRow[]): void {
  const put = database.prepare(
    'INSERT OR REPLACE INTO history_outputs VALUES (@output_id, @base_id, @row_count, @packed, @digest)',
  )
  for (const output of outputs) put.run(output)
}

function putEntries(database: Sqlite, entries: readonly CopiedEntry[]): void {
  const putState = database.prepare('INSERT OR IGNORE INTO history_states VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const putEntry = database.prepare('INSERT OR IGNORE INTO history_entries VALUES (?, ?, ?, ?, ?, ?)')
  for (const { entryId, stateId, address, rowKey, name, ofEntry, ...state } of entries) {
    const { status, confidence, country, packing, lineBytes, packed, digest, checksum } = state
    putState.run(stateId, status, confidence, country, packing, lineBytes, packed, digest, checksum)
    putEntry.run(entryId, address, rowKey, name, stateId, ofEntry)
  }
}

/**
 * Opens the history of a checkpoint on PostgreSQL for read-only commands; `null` if it is empty. Outputs are read
 * from a temporary local copy. Throws CHECKPOINT_*.
 */
export async function lookAtHistory(
  deps: SharedCheckpointViewDeps,
  closeLater: CloseLater,
): Promise<KnownHistory | null> {
  const shared = await openSharedToRead(deps.url, deps)
  if (shared === null) return null
  closeLater(() => shared.close())
  const { clock, random, folder } = deps
  const runQuery = <Result>(work: () => Promise<Result>) =>
    withRetries(deps, work).catch((error: unknown) => {
      throw shared.explain(error)
    })
  const rows = await runQuery(() => readSettledRuns(shared.postgres, null))
  const submissions = await runQuery(() => querySubmissions(shared.postgres, null))
  const runs = rows.map(toSharedRun)
  let copy: LocalCopy | null = null
  let reader: HistoryReader | null = null
  closeLater(() => {
    reader?.close()
    copy?.close()
  })
  return {
    runs: () => runs,
    submissions: () => submissions,
    published: (run) => reader?.published(run) ?? null,
    copyForReading: async (wanted) => {
      const to = (copy ??= new LocalCopy(folder, {
        scope: 'copy',
        job: 'copy',
        nowMs: clock.nowMs(),
        random,
      }))
      await runQuery(() => shared.postgres.transaction((statements) => copyOutputs(statements, to, wanted)))
      reader ??= openHistory(to.path)
    },
    close: () => undefined,
  }
}
