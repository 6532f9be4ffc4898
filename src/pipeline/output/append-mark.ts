import { createHash } from 'node:crypto'
import { isTableAddress, type Target } from '../../connectors/connectors.js'
import { openDuckDb, quoteSqlName, quoteSqlPath } from '../../parquet/duckdb.js'
import type { Appended, AppendMark, RemoteOutput } from './output-format.js'

/** Adds the mark to an output that appends to a table; returns others unchanged. */
export function withMark<Output extends { path: string; remote?: RemoteOutput | null }>(
  output: Output,
  series: string,
  mark: Omit<AppendMark, 'table'>,
): Output {
  const { path, remote = null } = output
  if (remote?.mode !== 'append' || !isTableAddress(path)) return output
  const hash = createHash('sha256')
    .update(JSON.stringify([series, path]))
    .digest('hex')
  return { ...output, remote: { ...remote, mark: { ...mark, table: `enrich_mark_${hash.slice(0, 16)}` } } }
}

/** Opens the target of a table or an object. */
export function openRemote(
  path: string,
  { connectors, mode, keyColumn, mark = null }: RemoteOutput,
): Promise<Target> {
  return connectors.openTarget(path, {
    mode: isTableAddress(path) ? mode : 'replace',
    keyColumn,
    markTable: mark?.table ?? null,
  })
}

/** Publishes a file with its mark, unless a killed run appended the same rows: then only the mark is changed. */
export async function publishMarked(target: Target, path: string, mark: AppendMark): Promise<void> {
  const { columns, owner } = mark
  const digest = columns === null ? '' : await computeDigest(path, columns)
  const earlier = columns === null ? null : await readMark(target)
  const isAppended = earlier?.digest === digest && (await mark.standsFor(earlier))
  const text = `${owner.run}.${owner.startedAtMs}.${digest}`
  if (isAppended) await target.marks?.update(text)
  else await target.publish(path, text)
}

/** The order of the rows does not count: a table has none. */
async function computeDigest(path: string, columns: readonly string[]): Promise<string> {
  const duckDb = await openDuckDb(`${path}.duckdb`)
  try {
    const [row] = await duckDb.all(
      `SELECT count(*) || '-' || coalesce(sum(hash(${columns.map(quoteSqlName).join(', ')})), 0) FROM read_parquet(${quoteSqlPath(path)}, hive_partitioning = false)`,
    )
    return String(row?.[0])
  } finally {
    duckDb.close()
  }
}

async function readMark({ marks }: Target): Promise<Appended | null> {
  const [, run, startedAtMs, digest = ''] = /^(\d+)\.(\d+)\.([-\d]*)$/.exec((await marks?.read()) ?? '') ?? []
  return run === undefined ? null : { run: Number(run), startedAtMs: Number(startedAtMs), digest }
}

type MarkedOutput = { readonly path: string; readonly remote?: RemoteOutput | null }

/** Returns the run whose rows were appended last, if its mark is still there. */
export async function findAppended({ path, remote = null }: MarkedOutput): Promise<Appended | null> {
  if (!remote?.mark) return null
  const target = await openRemote(path, remote)
  try {
    return await readMark(target)
  } finally {
    await target.close()
  }
}

/** Removes the mark of a run that has ended. */
export async function removeMark({ path, remote = null }: MarkedOutput): Promise<void> {
  if (!remote?.mark) return
  const { run, startedAtMs } = remote.mark.owner
  const target = await openRemote(path, remote)
  try {
    const found = await readMark(target)
    if (found?.run === run && found.startedAtMs === startedAtMs) await target.marks?.remove()
  } finally {
    await target.close()
  }
}
