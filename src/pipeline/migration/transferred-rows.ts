import { createHash } from 'node:crypto'
import { getColumns, tableNames, type Columns, type TableName } from '../checkpoint/tables.js'

/** A transferred value: flags are 0 and 1, server times are microseconds since 1970. */
export type TransferredValue = string | number | null | Buffer
/** A transferred row in the form of a server, where all kinds of a job share its row. */
export type TransferredRow = Readonly<Record<string, TransferredValue>>

export type TransferredTable = Exclude<TableName, 'checkpoint'>

/** In write order. The inbox is last: it is sealed before it is read. */
export const transferredTables = tableNames.filter((table) => table !== 'checkpoint')

/** The columns that a migration transfers. */
export const getTransferredColumns = (table: TransferredTable): Columns =>
  getColumns(table, 'columns', 'onServer')

const otherPageCounts: Readonly<Partial<Record<TransferredTable, number>>> = {
  lookups: 5_000,
  submissions: 5_000,
  history_entries: 5_000,
  answers: 500,
  history_runs: 100,
  deliveries: 16,
  history_outputs: 4,
  history_marks: 4,
}

/** Number of rows in memory at once. */
const getPageCount = (table: TransferredTable): number => otherPageCounts[table] ?? 1_000

const recover = (status: string, reason: string): Readonly<Record<string, string>> => ({
  [status]: `CASE ${status} WHEN 'intended' THEN 'uncertain' ELSE ${status} END`,
  [reason]: `CASE ${status} WHEN 'intended' THEN 'the process ended before the answer to the submission came' ELSE ${reason} END`,
})

/** Remaining intentions belong to processes that died, because the checkpoint has no workers. */
const recovered: Readonly<Partial<Record<TransferredTable, Readonly<Record<string, string>>>>> = {
  lookups: recover('state', 'failure'),
  submissions: recover('verdict', 'reason'),
}

/** Returns the columns as SQL; `read` returns the expression of one. */
export function selectColumns(
  table: TransferredTable,
  columns: Columns,
  read: (column: string, type: Columns[string]) => string = (column) => column,
): string {
  return Object.entries(columns)
    .map(([column, type]) => `${recovered[table]?.[column] ?? read(column, type)} AS ${column}`)
    .join(', ')
}

/** Reads a table in pages. Each row has its paging key as `page_key`. */
export async function* readPages(
  table: TransferredTable,
  query: (after: TransferredValue, count: number) => TransferredRow[] | Promise<TransferredRow[]>,
): AsyncGenerator<readonly TransferredRow[]> {
  for (let after: TransferredValue = table === 'history_marks' ? '' : -1; ;) {
    const page = await query(after, getPageCount(table))
    if (page.length === 0) return
    after = page.at(-1)?.['page_key'] ?? null
    yield page
  }
}

/** A checkpoint that does not change while it is read. */
export interface RowSource {
  /** Path or URL, for users. */
  readonly place: string
  readonly checkpointId: string
  readonly createdAtMs: number
  readonly generation: number
  /** Yields pages in key order. */
  read(table: TransferredTable): AsyncIterable<readonly TransferredRow[]>
}

export interface RowTarget {
  readonly place: string
  write(table: TransferredTable, facts: readonly TransferredRow[]): Promise<void>
  /** Call after all tables are written. */
  finish(): Promise<void>
  /** Returns a reader of the written rows. */
  readBack(): RowSource
}

/** Number of rows of a table, and SHA-256 over all of them in order. */
interface TableDigest {
  readonly count: number
  readonly digest: string
}
export type Digests = ReadonlyMap<TransferredTable, TableDigest>

/** Reads all tables in pages. */
export async function calculateDigests(
  source: Pick<RowSource, 'read'>,
  onRead: (table: TransferredTable, count: number) => void,
): Promise<Digests> {
  const digests = new Map<TransferredTable, TableDigest>()
  for (const table of transferredTables) {
    const hash = createHash('sha256')
    const columns = Object.keys(getTransferredColumns(table))
    let count = 0
    for await (const page of source.read(table)) {
      for (const fact of page) hash.update(toText(columns, fact))
      count += page.length
      onRead(table, page.length)
    }
    digests.set(table, { count, digest: hash.digest('hex') })
  }
  return digests
}

function toText(columns: readonly string[], fact: TransferredRow): string {
  const values = columns.map((column) => {
    const value = fact[column] ?? null
    return Buffer.isBuffer(value) ? createHash('sha256').update(value).digest('hex') : value
  })
  return `${JSON.stringify(values)}\n`
}

/** Returns the first table in which two checkpoints differ; `null` if they are equal. */
export function findDifference(one: Digests, other: Digests): TransferredTable | null {
  for (const [table, { digest }] of one) if (other.get(table)?.digest !== digest) return table
  return null
}

/** A checkpoint that has already moved. */
export interface MovedSource {
  readonly place: string
  /** Its rows before the migration. */
  readonly facts: RowSource
  readonly movedTo: string
  /** Makes it usable again. */
  undo(): Promise<void>
}

/** A checkpoint to move, closed to all other processes until it is closed here. */
export interface LockedSource {
  readonly place: string
  readonly facts: RowSource
  readonly movedTo: null
  /** Data that the other kind of checkpoint cannot store, for users. */
  readonly staysBehind: readonly string[]
  /** False if another process may have taken it over. */
  isHeld(): boolean
  /** Stops accepting deliveries. */
  seal(): Promise<void>
  /** The last step: marks the checkpoint as moved, so that no process uses it. */
  markMoved(to: string): Promise<void>
  /** Ends the migration without changes. */
  giveUp(): Promise<void>
}

export type MigrationSource = MovedSource | LockedSource

/** The target of a migration; no process uses it before it is published. */
export interface MigrationTarget {
  readonly target: RowTarget
  isHeld(): boolean
  publish(): Promise<void>
}
