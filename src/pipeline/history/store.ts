import type { Sqlite } from '../../platform/sqlite.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import {
  entryDigest,
  stateChecksum,
  stateDigest,
  type EntryFacts,
  type RunRow,
  type StateFacts,
} from '../checkpoint/history-tables.js'
import { packAnswer } from '../checkpoint/packed-answer.js'
import type { OutputFigures, RunRecord } from '../rules/run-record.js'
import type { RowGroups } from '../input/row-groups.js'
import { figuresOfOutput } from './count-rows.js'
import { groupFiguresOf } from './group-rows.js'
import { lastMarks, writeMarks, type Marks } from './marks.js'
import { readOutput, writeOutputRows } from './outputs.js'
import { packRecord, runRowOf, writeRun } from './run-rows.js'
import { thin, type Thinned } from './thin.js'

/** An entry as it is to be kept: what was asked, what became of it, and what is counted of it. */
export interface NewEntry extends EntryFacts, StateFacts {
  /** As `publishedStateOf` gives it. */
  readonly state: string
}

/** What an entry is like, but for the key of its row. */
export interface KeyedEntry {
  readonly address: Uint8Array
  readonly rowKey: string
  /** The number of an entry. */
  readonly like: number
}

/** What is known of a run from its beginning. */
export interface BegunRun {
  readonly series: string
  readonly startedAtMs: number
  readonly record: RunRecord
}

/** The last output of a series that is remembered. */
export interface LastOutput {
  readonly rows: Uint32Array
  readonly marks: Marks | null
}

/**
 * What a run writes down of itself, each in one transaction of its checkpoint, and durable when it resolves. Rejects
 * with CHECKPOINT_DAMAGED and DISK_FULL.
 */
export class HistoryStore {
  readonly #checkpoint: Pick<Checkpoint, 'remember'>

  constructor(checkpoint: Pick<Checkpoint, 'remember'>) {
    this.#checkpoint = checkpoint
  }

  /** The number of the run. */
  begin({ series, startedAtMs, record }: BegunRun): Promise<number> {
    return this.#checkpoint.remember((database) => {
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

  /** Null where the series has none, or the last one is not as it was written. */
  last(series: string, form: string): Promise<LastOutput | null> {
    return this.#checkpoint.remember((database) => {
      const found = lastMarks(database, series, form)
      const rows = found === null ? null : readOutput(database, found.outputId)
      return rows === null ? null : { rows, marks: found?.marks ?? null }
    })
  }

  /** Their numbers, aligned: equal ones have one number, also over runs. Until an output has them, they are of none. */
  addEntries(entries: readonly NewEntry[]): Promise<number[]> {
    return this.#checkpoint.remember((database) => {
      const add = entryAdder(database)
      return entries.map(add)
    })
  }

  /** Entries like others, of rows with keys of their own; as `addEntries`. */
  addKeyedEntries(entries: readonly KeyedEntry[]): Promise<number[]> {
    return this.#checkpoint.remember((database) => {
      const add = keyedEntryAdder(database)
      return entries.map(add)
    })
  }

  /**
   * The entry of each row, and by which marks the next run of the series sees what is as it was. Returns what is
   * counted of the rows.
   */
  storeOutput(
    run: number,
    rows: Uint32Array,
    form: string,
    marks: Marks,
    groups: RowGroups | null = null,
  ): Promise<OutputFigures> {
    return this.#checkpoint.remember((database) => {
      const row = runRowOf(database, run)
      const outputId = writeOutputRows(database, row.series, rows)
      writeRun(database, { ...row, output_id: outputId })
      writeMarks(database, { series: row.series, outputId, form }, marks)
      const figures = figuresOfOutput(database, row.series, outputId, rows)
      return groups === null ? figures : { ...figures, byColumn: groupFiguresOf(database, rows, groups) }
    })
  }

  /** The output stands where users see it, and what changed is said. */
  publish(run: number, baseline: number | null, record: RunRecord): Promise<void> {
    return this.#checkpoint.remember((database) => {
      const row = runRowOf(database, run)
      writeRun(database, { ...row, is_published: 1, baseline, record: packRecord(record) })
    })
  }

  end(run: number, endedAtMs: number, exitCode: number, record: RunRecord): Promise<void> {
    return this.#checkpoint.remember((database) => {
      const row = { ...runRowOf(database, run), record: packRecord(record) }
      writeRun(database, { ...row, ended_at_ms: endedAtMs, exit_code: exitCode })
    })
  }

  /** Forgets what runs of a series published, all but the newest `runsMax`. */
  thin(series: string, runsMax: number): Promise<Thinned> {
    return this.#checkpoint.remember((database) => thin(database, series, runsMax))
  }
}

function entryAdder(database: Sqlite): (entry: NewEntry) => number {
  const stateBy = database
    .prepare<[Buffer], number>('SELECT state_id FROM history_states WHERE digest = ?')
    .pluck()
  const insertState = database.prepare('INSERT INTO history_states VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)')
  const stateIdOf = ({ state, status, confidence, country }: NewEntry, digest: Buffer) => {
    const known = stateBy.get(digest)
    if (known !== undefined) return known
    const { packing, lineBytes, packed } = packAnswer(state, '')
    const facts = [status, confidence, country, packing, lineBytes, packed]
    return Number(insertState.run(...facts, digest, stateChecksum(digest, state)).lastInsertRowid)
  }
  const findOrInsert = entryFinder(database)
  return (entry) => {
    const ofState = stateDigest(entry, entry.state)
    return findOrInsert(entry, ofState, () => stateIdOf(entry, ofState))
  }
}

function keyedEntryAdder(database: Sqlite): (entry: KeyedEntry) => number {
  const likeOf = database.prepare<[number], { name: string | null; stateId: number; ofState: Buffer }>(
    `SELECT name, state_id AS stateId, s.digest AS ofState
     FROM history_entries JOIN history_states s USING (state_id) WHERE entry_id = ?`,
  )
  const known = new Map<number, ReturnType<typeof likeOf.get>>()
  const findOrInsert = entryFinder(database)
  return ({ address, rowKey, like }) => {
    const shared = known.get(like) ?? likeOf.get(like)
    if (shared === undefined) throw new Error(`there is no entry ${like}`)
    known.set(like, shared)
    const { name, stateId, ofState } = shared
    return findOrInsert({ address, rowKey, name }, ofState, () => stateId)
  }
}

type FindEntry = (entry: EntryFacts, ofState: Buffer, stateId: () => number) => number

function entryFinder(database: Sqlite): FindEntry {
  const find = database
    .prepare<[Buffer], number>('SELECT entry_id FROM history_entries WHERE digest = ?')
    .pluck()
  const insert = database.prepare('INSERT INTO history_entries VALUES (NULL, ?, ?, ?, ?, ?)')
  return (entry, ofState, stateId) => {
    const digest = entryDigest(entry, ofState)
    const { address, rowKey, name } = entry
    return find.get(digest) ?? Number(insert.run(address, rowKey, name, stateId(), digest).lastInsertRowid)
  }
}
