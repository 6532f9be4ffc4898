import { createHash } from 'node:crypto'
import { UserError } from '../../core/errors.js'
import { replaceNuls } from '../../platform/postgres/postgres.js'
import { getColumns } from './tables.js'

/** Flags are 0 and 1. */
export type Value = string | number | null | Buffer
export type Row = Readonly<Record<string, Value>>

/** In write order, with the number of rows in memory at once. `deliveries` is the inbox. */
const pageCounts = {
  scopes: 1_000,
  jobs: 1_000,
  outputs: 1_000,
  lookups: 5_000,
  submissions: 5_000,
  answers: 100,
  history_runs: 100,
  history_outputs: 1,
  history_entries: 5_000,
  history_states: 1_000,
  history_marks: 1,
  deliveries: 16,
} as const
export type Table = keyof typeof pageCounts
export const tables = Object.keys(pageCounts) as Table[]

/** Columns that only a server needs. A file keeps them for the way back, in the tables `server_jobs` and so on. */
export const serverColumns: Readonly<Partial<Record<Table, readonly string[]>>> = {
  jobs: ['partition_count', 'partition_input', 'reserved_before'],
  outputs: Object.keys(getColumns('outputs', 'onServer')),
  submissions: ['is_first', 'price_micros'],
}

/** The columns that both stores have. */
export const getSharedColumns = (table: Table): string[] => Object.keys(getColumns(table, 'columns'))

export const getAllColumns = (table: Table): string[] => [
  ...getSharedColumns(table),
  ...(serverColumns[table] ?? []),
]

/** A table whose rows a store keeps in another form: their source, their key, and expressions of columns. */
export interface Form {
  readonly from?: string
  readonly key?: string
  readonly columns?: Readonly<Record<string, string>>
}
export type Forms = Readonly<Partial<Record<Table, Form>>>

/** Returns the query for one page of a table. `$1`: the key after which it begins; `$2`: the number of rows. */
export function buildPageSql(table: Table, { from = table, key, columns = {} }: Form = {}): string {
  const names = getAllColumns(table)
  const order = key ?? names[0] ?? ''
  const values = names.map((name) => `${columns[name] ?? name} AS ${name}`).join(', ')
  return `SELECT ${order} AS page_key, ${values} FROM ${from} WHERE ${order} > $1 ORDER BY ${order} LIMIT $2`
}

/** The rows of a checkpoint, in the form of a file: each kind of lookups has its own job. */
export interface RowReader {
  /** Returns one page, by the query of `buildPageSql`. */
  read(table: Table, after: Value, count: number): Promise<Row[]> | Row[]
}

export interface RowStore extends RowReader {
  write(table: Table, rows: readonly Row[]): Promise<void> | void
  /** Called after all tables are written. */
  finish?(): Promise<void>
}

/** Number of rows of each table, and SHA-256 over all of them in order. */
type Digests = ReadonlyMap<Table, { readonly count: number; readonly digest: string }>
type OnPage = (table: Table, rows: readonly Row[]) => Promise<void> | void

/** Reads all tables in pages. */
export async function readAll(source: RowReader, onPage?: OnPage): Promise<Digests> {
  const digests = new Map<Table, { count: number; digest: string }>()
  for (const table of tables) {
    const hash = createHash('sha256')
    // A file does not store prices: they come from the settings of the command.
    const columns = getAllColumns(table).filter((column) => column !== 'price_micros')
    let count = 0
    for (let after: Value = table === 'history_marks' ? '' : -1; ;) {
      const page: readonly Row[] = await source.read(table, after, pageCounts[table])
      if (page.length === 0) break
      for (const row of page) hash.update(`${JSON.stringify(columns.map((column) => toText(row[column])))}\n`)
      await onPage?.(table, page)
      count += page.length
      after = page.at(-1)?.['page_key'] ?? null
    }
    digests.set(table, { count, digest: hash.digest('hex') })
  }
  return digests
}

/** PostgreSQL text cannot contain NUL. */
function toText(value: Value = null): string | number | null {
  if (Buffer.isBuffer(value)) return createHash('sha256').update(value).digest('hex')
  return typeof value === 'string' ? replaceNuls(value) : value
}

/** Returns the first table in which two checkpoints differ; `null` if they are equal. */
export const findDifference = (one: Digests, other: Digests): Table | null =>
  tables.find((table) => one.get(table)?.digest !== other.get(table)?.digest) ?? null

export type Counts = Readonly<Partial<Record<Table, number>>>
/** Called for each page. */
export type OnProgress = (what: 'written' | 'compared', table: Table, count: number) => void

/** Copies all rows and reads them back. Throws CHECKPOINT_MOVE_DIFFERS. */
export async function copyRows(source: RowReader, target: RowStore, onProgress: OnProgress): Promise<Counts> {
  const read = await readAll(source, async (table, rows) => {
    await target.write(table, rows)
    onProgress('written', table, rows.length)
  })
  await target.finish?.()
  const written = await readAll(target, (table, rows) => {
    onProgress('compared', table, rows.length)
  })
  const table = findDifference(read, written)
  if (table === null) return Object.fromEntries([...written].map(([name, { count }]) => [name, count]))
  throw new UserError(
    'CHECKPOINT_MOVE_DIFFERS',
    `the ${table} in the target differ from those in the source (${written.get(table)?.count ?? 0} and ${read.get(table)?.count ?? 0} rows)`,
    { hint: 'nothing was marked as moved: run the same command again' },
  )
}

/** A checkpoint that no other process uses until it is released. */
export interface HeldCheckpoint extends RowReader {
  readonly checkpointId: string
  readonly createdAtMs: number
  readonly generation: number
  /** The place that it was moved to, or `null`. */
  readonly movedTo: string | null
  /** Data that is not copied, for users. */
  readonly staysBehind: readonly string[]
  /** Marks it as moved, in one write, at the latest when it is released. */
  markMoved(to: string): Promise<void> | void
  /** Removes the mark, and starts a new range of custom ids. */
  restore(): Promise<void> | void
}

/** A checkpoint in a file or on a server, as source or target of a move. */
export interface End {
  /** Path or URL without credentials. */
  readonly place: string
  /** Locks the checkpoint while `work` runs. Throws CHECKPOINT_*. */
  hold<Result>(work: (held: HeldCheckpoint) => Promise<Result>): Promise<Result>
  /** Copies all rows to a checkpoint that no process can use yet; replaces that of an earlier attempt. */
  fill(source: HeldCheckpoint, from: string, onProgress: OnProgress): Promise<Counts>
  /** Makes a filled checkpoint usable. Returns false if there is nothing to do. */
  publish(checkpointId: string): Promise<boolean>
}
