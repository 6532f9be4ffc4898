import type { Sqlite } from '../../platform/sqlite.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import {
  calculateEntryDigest,
  calculateStateChecksum,
  calculateStateDigest,
  type EntryFacts,
  type RunRow,
  type StateFacts,
} from '../checkpoint/history-tables.js'
import { packAnswer } from '../checkpoint/packed-answer.js'
import { chooseBaseline, selectRunsToPrune } from './remembered-runs.js'
import { calculateFigures, type OutputFigures, type RunRecord } from './run-record.js'
import type { RowGroups } from '../input/row-index.js'
import {
  readGroupFigures,
  readOutput,
  writeOutputRows,
  packRecord,
  toRememberedRun,
  readRunRow,
  readRunRows,
  writeRun,
  unpackRecord,
  removeTimeline,
} from './history-rows.js'
import {
  readLastMarks,
  writeMarks,
  type Marks,
  type RunStart,
  type HistoryWriter,
  type KeyedEntry,
  type LastOutput,
  type NewEntry,
  type PruneResult,
  listMarkedEntries,
} from './history-writer.js'

const nothing: PruneResult = { outputCount: 0, entryCount: 0, stateCount: 0 }

/** Deletes all outputs of a series except the newest, its oldest runs, and everything no longer referenced. */
function thin(database: Sqlite, series: string, runsMax: number): PruneResult {
  const rows = readRunRows(database, series)
  const facts = rows.map((row) => ({
    number: row.run_id,
    hasOutput: row.output_id !== null,
    isPublished: row.is_published === 1,
  }))
  const { withoutOutput, gone } = selectRunsToPrune(facts, runsMax)
  if (withoutOutput.size + gone.size === 0) return nothing
  for (const row of rows) forget(database, row, withoutOutput, gone)
  const needed = findNeededEntries(database)
  const entryCount = removeOthers(database, needed)
  const stateCount = database
    .prepare('DELETE FROM history_states WHERE state_id NOT IN (SELECT state_id FROM history_entries)')
    .run().changes
  return { outputCount: withoutOutput.size, entryCount, stateCount }
}

function forget(
  database: Sqlite,
  row: RunRow,
  withoutOutput: ReadonlySet<number>,
  gone: ReadonlySet<number>,
): void {
  if (gone.has(row.run_id)) database.prepare('DELETE FROM history_runs WHERE run_id = ?').run(row.run_id)
  else if (withoutOutput.has(row.run_id))
    writeRun(database, { ...row, output_id: null, record: removeTimeline(row.record) })
}

/** Returns the entries of the outputs that any run still has. Drops outputs that cannot be read. */
function findNeededEntries(database: Sqlite): Set<number> {
  database.exec(
    `DELETE FROM history_outputs WHERE output_id NOT IN (
       SELECT output_id FROM history_runs WHERE output_id IS NOT NULL
       UNION SELECT base_id FROM history_outputs JOIN history_runs USING (output_id) WHERE base_id IS NOT NULL)`,
  )
  const outputs = database
    .prepare<[], number>('SELECT DISTINCT output_id FROM history_runs WHERE output_id IS NOT NULL')
    .pluck()
    .all()
  const needed = new Set<number>()
  for (const outputId of outputs) {
    const entries = readOutput(database, outputId)
    if (entries === null)
      for (const row of readRunRows(database, null))
        if (row.output_id === outputId) writeRun(database, { ...row, output_id: null })
    for (const entry of entries ?? []) needed.add(entry)
  }
  for (const entries of listMarkedEntries(database)) for (const entry of entries) needed.add(entry)
  return needed
}

function removeOthers(database: Sqlite, needed: ReadonlySet<number>): number {
  const all = database.prepare<[], number>('SELECT entry_id FROM history_entries').pluck().all()
  const remove = database.prepare('DELETE FROM history_entries WHERE entry_id = ?')
  let count = 0
  for (const entry of all) if (!needed.has(entry)) count += remove.run(entry).changes
  return count
}

/** Stores the history in the checkpoint's file. Rejects with CHECKPOINT_DAMAGED and DISK_FULL. */
export class HistoryStore implements HistoryWriter {
  readonly #store: Pick<Checkpoint['store'], 'updateHistory'>

  constructor(store: Pick<Checkpoint['store'], 'updateHistory'>) {
    this.#store = store
  }

  begin({ series, startedAtMs, record }: RunStart): Promise<number> {
    return this.#store.updateHistory((database) => {
      const last = database.prepare<[], number | null>('SELECT max(run_id) FROM history_runs').pluck().get()
      const run: RunRow = {
        run_id: (last ?? 0) + 1,
        series,
        started_at_ms: startedAtMs,
        ended_at_ms: null,
        exit_code: null,
        is_published: 0,
        baseline: null,
        output_id: null,
        record: packRecord(record),
      }
      writeRun(database, run)
      return run.run_id
    })
  }

  readLast(series: string, form: string): Promise<LastOutput | null> {
    return this.#store.updateHistory((database) => {
      const found = readLastMarks(database, series, form)
      const rows = found === null ? null : readOutput(database, found.outputId)
      return rows === null ? null : { rows, marks: found?.marks ?? null }
    })
  }

  addEntries(entries: readonly NewEntry[]): Promise<number[]> {
    return this.#store.updateHistory((database) => {
      const add = createEntryAdder(database)
      return entries.map(add)
    })
  }

  addKeyedEntries(entries: readonly KeyedEntry[]): Promise<number[]> {
    return this.#store.updateHistory((database) => {
      const add = createKeyedEntryAdder(database)
      return entries.map(add)
    })
  }

  storeOutput(
    run: number,
    rows: Uint32Array,
    form: string,
    marks: Marks,
    groups: RowGroups | null = null,
  ): Promise<OutputFigures> {
    return this.#store.updateHistory((database) => {
      const row = readRunRow(database, run)
      const outputId = writeOutputRows(database, row.series, rows)
      writeRun(database, { ...row, output_id: outputId })
      writeMarks(database, { series: row.series, outputId, form }, marks)
      const figures = readOutputFigures(database, row.series, outputId, rows)
      return groups === null ? figures : { ...figures, byColumn: readGroupFigures(database, rows, groups) }
    })
  }

  baseline(run: number, series: string): Promise<number | null> {
    return this.#store.updateHistory((database) =>
      chooseBaseline(readRunRows(database, series).map(toRememberedRun), { number: run, series }),
    )
  }

  /** Readers use the same file. */
  copyForReading(): Promise<void> {
    return Promise.resolve()
  }

  publish(run: number, baseline: number | null, record: RunRecord): Promise<void> {
    return this.#store.updateHistory((database) => {
      const row = readRunRow(database, run)
      writeRun(database, { ...row, is_published: 1, baseline, record: packRecord(record) })
    })
  }

  end(run: number, endedAtMs: number, exitCode: number, record: RunRecord): Promise<void> {
    return this.#store.updateHistory((database) => {
      const row = { ...readRunRow(database, run), record: packRecord(record) }
      writeRun(database, { ...row, ended_at_ms: endedAtMs, exit_code: exitCode })
    })
  }

  prune(series: string, runsMax: number): Promise<PruneResult> {
    return this.#store.updateHistory((database) => thin(database, series, runsMax))
  }
}

function createEntryAdder(database: Sqlite): (entry: NewEntry) => number {
  const stateBy = database
    .prepare<[Buffer], number>('SELECT state_id FROM history_states WHERE digest = ?')
    .pluck()
  const insertState = database.prepare('INSERT INTO history_states VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)')
  const findOrInsertState = ({ state, status, confidence, country }: NewEntry, digest: Buffer) => {
    const known = stateBy.get(digest)
    if (known !== undefined) return known
    const { packing, lineBytes, packed } = packAnswer(state, '')
    const facts = [status, confidence, country, packing, lineBytes, packed]
    return Number(insertState.run(...facts, digest, calculateStateChecksum(digest, state)).lastInsertRowid)
  }
  const findOrInsert = createEntryFinder(database)
  return (entry) => {
    const ofState = calculateStateDigest(entry, entry.state)
    return findOrInsert(entry, ofState, () => findOrInsertState(entry, ofState))
  }
}

function createKeyedEntryAdder(database: Sqlite): (entry: KeyedEntry) => number {
  const likeOf = database.prepare<[number], { name: string | null; stateId: number; ofState: Buffer }>(
    `SELECT name, state_id AS stateId, s.digest AS ofState
     FROM history_entries JOIN history_states s USING (state_id) WHERE entry_id = ?`,
  )
  const known = new Map<number, ReturnType<typeof likeOf.get>>()
  const findOrInsert = createEntryFinder(database)
  return ({ address, rowKey, like }) => {
    const shared = known.get(like) ?? likeOf.get(like)
    if (shared === undefined) throw new Error(`there is no entry ${like}`)
    known.set(like, shared)
    const { name, stateId, ofState } = shared
    return findOrInsert({ address, rowKey, name }, ofState, () => stateId)
  }
}

type FindEntry = (entry: EntryFacts, ofState: Buffer, stateId: () => number) => number

function createEntryFinder(database: Sqlite): FindEntry {
  const find = database
    .prepare<[Buffer], number>('SELECT entry_id FROM history_entries WHERE digest = ?')
    .pluck()
  const insert = database.prepare('INSERT INTO history_entries VALUES (NULL, ?, ?, ?, ?, ?)')
  return (entry, ofState, stateId) => {
    const digest = calculateEntryDigest(entry, ofState)
    const { address, rowKey, name } = entry
    return find.get(digest) ?? Number(insert.run(address, rowKey, name, stateId(), digest).lastInsertRowid)
  }
}

/** Returns an output's figures: those of an earlier equal output, else new counts. */
function readOutputFigures(
  database: Sqlite,
  series: string,
  outputId: number,
  rows: Uint32Array,
): OutputFigures {
  for (const row of readRunRows(database, series)) {
    const figures = row.output_id === outputId ? unpackRecord(row.record)?.figures : null
    if (figures) return { ...figures, byColumn: null }
  }
  return calculateFigures(countRows(database, rows))
}

function* countRows(database: Sqlite, rows: Uint32Array): Generator<StateFacts & { rowCount: number }> {
  const factsOf = database.prepare<[number], StateFacts>(
    `SELECT status, confidence, country FROM history_entries JOIN history_states USING (state_id) WHERE entry_id = ?`,
  )
  const sorted = rows.slice().sort()
  for (let first = 0; first < sorted.length;) {
    const entry = sorted[first] ?? 0
    let end = first + 1
    while (sorted[end] === entry) end++
    const facts = factsOf.get(entry)
    if (facts !== undefined) yield { ...facts, rowCount: end - first }
    first = end
  }
}
