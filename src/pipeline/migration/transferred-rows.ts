import { createHash } from 'node:crypto'
import { columnsOf, tableNames, type Columns, type TableName } from '../checkpoint/tables.js'

/** A value as it is moved: flags are 0 and 1, times of a server are microseconds since 1970. */
export type FactValue = string | number | null | Buffer
/** A row of a checkpoint as it is moved, in the form of a server: the kinds of lookups of a job share its row. */
export type Fact = Readonly<Record<string, FactValue>>

export type FactTable = Exclude<TableName, 'checkpoint'>

/** In the order in which they are written. The inbox is the last one: it is sealed before it is read. */
export const factTables = tableNames.filter((table) => table !== 'checkpoint')

/** The columns that a move carries. */
export const movedColumns = (table: FactTable): Columns => columnsOf(table, 'columns', 'onServer')

const otherPageCounts: Readonly<Partial<Record<FactTable, number>>> = {
  lookups: 5_000,
  submissions: 5_000,
  history_entries: 5_000,
  answers: 500,
  history_runs: 100,
  deliveries: 16,
  history_outputs: 4,
  history_marks: 4,
}

/** Number of rows that are in memory at once. */
const pageCountOf = (table: FactTable): number => otherPageCounts[table] ?? 1_000

const recover = (status: string, reason: string): Readonly<Record<string, string>> => ({
  [status]: `CASE ${status} WHEN 'intended' THEN 'uncertain' ELSE ${status} END`,
  [reason]: `CASE ${status} WHEN 'intended' THEN 'the process ended before the answer to the submission came' ELSE ${reason} END`,
})

/** An intention of a checkpoint that no process works on was left by a process that died. */
const recovered: Readonly<Partial<Record<FactTable, Readonly<Record<string, string>>>>> = {
  lookups: recover('state', 'failure'),
  submissions: recover('verdict', 'reason'),
}

/** The columns as SQL; `read` gives the expression of one. */
export function selectColumns(
  table: FactTable,
  columns: Columns,
  read: (column: string, type: Columns[string]) => string = (column) => column,
): string {
  return Object.entries(columns)
    .map(([column, type]) => `${recovered[table]?.[column] ?? read(column, type)} AS ${column}`)
    .join(', ')
}

/** Reads a table a page at a time. Rows have the key that they are ordered by as `page_key`. */
export async function* readPages(
  table: FactTable,
  query: (after: FactValue, count: number) => Fact[] | Promise<Fact[]>,
): AsyncGenerator<readonly Fact[]> {
  for (let after: FactValue = table === 'history_marks' ? '' : -1; ;) {
    const page = await query(after, pageCountOf(table))
    if (page.length === 0) return
    after = page.at(-1)?.['page_key'] ?? null
    yield page
  }
}

/** A checkpoint that no process changes while it is read. */
export interface FactSource {
  /** Path or address, for people. */
  readonly place: string
  readonly checkpointId: string
  readonly createdAtMs: number
  readonly generation: number
  /** A page at a time, in the order of the key. */
  read(table: FactTable): AsyncIterable<readonly Fact[]>
}

export interface FactTarget {
  readonly place: string
  write(table: FactTable, facts: readonly Fact[]): Promise<void>
  /** To be called when all tables are written. */
  finish(): Promise<void>
  /** Reads back what was written. */
  written(): FactSource
}

/** Number of rows of a table, and SHA-256 over all of them in order. */
interface TableDigest {
  readonly count: number
  readonly digest: string
}
export type Digests = ReadonlyMap<FactTable, TableDigest>

/** Reads all of it, a page at a time. */
export async function digestsOf(
  source: Pick<FactSource, 'read'>,
  onRead: (table: FactTable, count: number) => void,
): Promise<Digests> {
  const digests = new Map<FactTable, TableDigest>()
  for (const table of factTables) {
    const hash = createHash('sha256')
    const columns = Object.keys(movedColumns(table))
    let count = 0
    for await (const page of source.read(table)) {
      for (const fact of page) hash.update(textOf(columns, fact))
      count += page.length
      onRead(table, page.length)
    }
    digests.set(table, { count, digest: hash.digest('hex') })
  }
  return digests
}

function textOf(columns: readonly string[], fact: Fact): string {
  const values = columns.map((column) => {
    const value = fact[column] ?? null
    return Buffer.isBuffer(value) ? createHash('sha256').update(value).digest('hex') : value
  })
  return `${JSON.stringify(values)}\n`
}

/** The first table in which two differ; null where none does. */
export function firstDifference(one: Digests, other: Digests): FactTable | null {
  for (const [table, { digest }] of one) if (other.get(table)?.digest !== digest) return table
  return null
}

/** A checkpoint that has moved already. */
export interface MovedSource {
  readonly place: string
  /** As it was when it moved. */
  readonly facts: FactSource
  readonly movedTo: string
  /** Makes it usable again. */
  undo(): Promise<void>
}

/** A checkpoint that is to be moved, and that nobody else works on until it is closed. */
export interface LockedSource {
  readonly place: string
  readonly facts: FactSource
  readonly movedTo: null
  /** What a checkpoint of the other kind has no room for, for people. */
  readonly staysBehind: readonly string[]
  /** False where others may have taken it meanwhile. */
  isHeld(): boolean
  /** No delivery is received into it from here on. */
  seal(): Promise<void>
  /** The last step: from here on nobody goes on with it. */
  markMoved(to: string): Promise<void>
  /** It is as it was. */
  giveUp(): Promise<void>
}

export type SourceSide = MovedSource | LockedSource

/** Where it goes; nobody's before it is published. */
export interface TargetSide {
  readonly target: FactTarget
  isHeld(): boolean
  publish(): Promise<void>
}
