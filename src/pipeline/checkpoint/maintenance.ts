import { isPostgresUrl, formatPostgresUrl, parsePostgresUrl } from '../../core/server-addresses.js'
import type { Clock } from '../../platform/clock.js'
import type { ChargesReport, ChargesRequest } from './settle-charges.js'
import { diagnoseDamage } from './open.js'
import { verifyFile, type Verification } from './sqlite/verify.js'
import { type Repair, repairFile, type Compaction, compactFile } from './sqlite/repair.js'
import { resolve } from 'node:path'
import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { withCleanup, type CloseLater } from '../../platform/close-stack.js'
import { createMovedError } from './checkpoint-errors.js'
import type { OpenSharedDeps } from './postgres/open-database.js'
import {
  findDifference,
  readAll,
  type Counts,
  type End,
  type HeldCheckpoint,
  type OnProgress,
} from './copy-rows.js'
import { createFileEnd, type FileEndDeps } from './sqlite/move-end.js'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Maintenance of a whole checkpoint, which no run uses meanwhile. Every function takes the path of a file; all but
 * `repairCheckpoint` and `compactCheckpoint` also take the URL of a PostgreSQL database. They throw CHECKPOINT_*.
 *
 *     const found = await verifyCheckpoint(path, { environment })
 *     if (found !== null && found.damage.length > 0) await repairCheckpoint(path, clock.nowMs())
 */

/** Checks a checkpoint for damage and changes nothing; `null` if it does not exist. */
export async function verifyCheckpoint(
  path: string,
  deps: { readonly environment: Environment },
): Promise<Verification | null> {
  if (!isPostgresUrl(path)) return diagnoseDamage(path, () => Promise.resolve(verifyFile(path)))
  const { verifyShared } = await import('./postgres/verify.js')
  return verifyShared(path, deps)
}

/** Builds a new file from the undamaged part and keeps the damaged file; `null` if it is undamaged. */
export const repairCheckpoint = (path: string, nowMs: number): Promise<Repair | null> =>
  diagnoseDamage(path, () => Promise.resolve(repairFile(path, nowMs)))

/** Returns unused space of the file to the disk. */
export const compactCheckpoint = (path: string, nowMs: number): Promise<Compaction> =>
  diagnoseDamage(path, () => Promise.resolve(compactFile(path, nowMs)))

interface LedgerRequest extends Omit<ChargesRequest, 'charges' | 'completeUntilMs' | 'nowMs'> {
  /** The file with the service's list of charges. */
  readonly ledgerPath: string
  /** The list has every charge so far: submissions without a charge were never created. */
  readonly isComplete: boolean
  readonly clock: Clock
  readonly environment: Environment
}

/** The clocks of a machine and of its file server may differ by this time. */
const clockSkewMs = 5 * 60_000

/** Settles uncertain submissions, and a rollback, with the service's list of charges. Throws LEDGER_INVALID too. */
export async function settleCharges(request: LedgerRequest): Promise<ChargesReport> {
  const { path, ledgerPath, isComplete, clock } = request
  const { readLedger } = await import('./charges.js')
  const { charges, writtenAtMs } = await readLedger(ledgerPath)
  const nowMs = clock.nowMs()
  if (isComplete && writtenAtMs > nowMs + clockSkewMs) {
    throw new UserError('LEDGER_INVALID', `${ledgerPath} is dated in the future: it proves nothing`, {
      hint: 'set its modification time to the time of the download (touch -d), and check the clock; nothing was changed',
    })
  }
  const completeUntilMs = isComplete ? Math.min(writtenAtMs, nowMs) : null
  const reconciling = { ...request, charges, completeUntilMs, nowMs }
  if (isPostgresUrl(path)) {
    const { settleSharedCharges } = await import('./postgres/settle-charges.js')
    return settleSharedCharges(reconciling)
  }
  const { settleFileCharges } = await import('./sqlite/settle-charges.js')
  return diagnoseDamage(path, () => Promise.resolve(settleFileCharges(reconciling)))
}

interface MoveDeps extends OpenSharedDeps, Omit<FileEndDeps, 'nowMs'> {
  readonly clock: Clock
  /** Called with the progress, every five seconds. */
  readonly notice: (text: string) => void
}

interface Move {
  readonly from: string
  readonly to: string
  /** Copied rows by table; `null` if an earlier attempt had copied them all. */
  readonly counts: Counts | null
  readonly staysBehind: readonly string[]
  /** Whether it had moved before, with nothing left to do. */
  readonly isDone: boolean
}

/** The name of a checkpoint in marks and messages. */
const formatPlace = (pathOrUrl: string): string =>
  isPostgresUrl(pathOrUrl) ? formatPostgresUrl(parsePostgresUrl(pathOrUrl)) : resolve(pathOrUrl)

async function createEnd(pathOrUrl: string, deps: MoveDeps, closeLater: CloseLater): Promise<End> {
  if (!isPostgresUrl(pathOrUrl))
    return createFileEnd(resolve(pathOrUrl), { ...deps, nowMs: deps.clock.nowMs() }, closeLater)
  const { createServerEnd } = await import('./postgres/move-end.js')
  return createServerEnd(pathOrUrl, deps, closeLater)
}

/**
 * Moves all data of a checkpoint to another one, in a file or on a server:
 *
 * 1. The source is locked, and its rows are copied to a target that no process can use yet.
 * 2. The target is read back. If it is equal, one write marks the source as moved.
 * 3. The target is published.
 *
 * If killed, the same call completes it. Throws CHECKPOINT_*, DISK_FULL and USAGE_INVALID.
 *
 *     await moveCheckpoint('.enrich/checkpoint.sqlite', 'postgres://db.example.com/enrich', deps)
 */
export async function moveCheckpoint(from: string, to: string, deps: MoveDeps): Promise<Move> {
  if (formatPlace(from) === formatPlace(to)) {
    throw new UserError('USAGE_INVALID', 'source and target are the same checkpoint', {
      hint: 'enrich checkpoint migrate FROM TO',
    })
  }
  return withCleanup(async (closeLater) => {
    const source = await createEnd(from, deps, closeLater)
    const target = await createEnd(to, deps, closeLater)
    const progress = createProgress(deps)
    const { held, copied } = await moveTo(source, target, (checkpoint) =>
      target.fill(checkpoint, source.place, progress),
    )
    const isPublished = await target.publish(held.checkpointId)
    const staysBehind = copied === null ? [] : held.staysBehind
    return { from: source.place, to: target.place, counts: copied, staysBehind, isDone: !isPublished }
  })
}

/** Marks the source as moved after `copy`. `copied` is `null` if it was moved there before. Throws CHECKPOINT_MOVED. */
const moveTo = <Copied>(
  source: End,
  target: End,
  copy: (held: HeldCheckpoint) => Promise<Copied>,
): Promise<{ held: HeldCheckpoint; copied: Copied | null }> =>
  source.hold(async (held) => {
    if (held.movedTo === target.place) return { held, copied: null }
    if (held.movedTo !== null) throw createMovedError(source.place, held.movedTo)
    const copied = await copy(held)
    await held.markMoved(target.place)
    return { held, copied }
  })

/**
 * Makes the checkpoint `from` usable again after a move to `to`, and marks `to` as moved back. Refuses if `to` was used
 * since, because its submissions would be billed again. Returns the names of both. Throws CHECKPOINT_* and USAGE_INVALID.
 */
export function undoMove(from: string, to: string, deps: MoveDeps): Promise<Pick<Move, 'from' | 'to'>> {
  return withCleanup(async (closeLater) => {
    const source = await createEnd(from, deps, closeLater)
    const target = await createEnd(to, deps, closeLater)
    await source.hold(async (old) => {
      if (old.movedTo === null)
        throw new UserError('USAGE_INVALID', `the checkpoint ${source.place} has not moved`, {
          hint: 'there is nothing to undo; use this checkpoint',
        })
      if (old.movedTo !== target.place) throw createMovedError(source.place, old.movedTo)
      const movingBack = moveTo(target, source, async (moved) => {
        const table = findDifference(await readAll(old), await readAll(moved))
        if (table !== null) throw createUsedSinceError(target.place, table)
      })
      // No process uses a target that was removed.
      await movingBack.catch((error: unknown) => {
        if (!(error instanceof UserError) || error.code !== 'CHECKPOINT_NOT_FOUND') throw error
      })
      await old.restore()
    })
    return { from: source.place, to: target.place }
  })
}

const createUsedSinceError = (place: string, table: string): UserError =>
  new UserError('CHECKPOINT_NOT_EMPTY', `${place} was used after the migration: its ${table} have changed`, {
    hint: 'continue with that one, or move it to a new path with enrich checkpoint migrate',
  })

const noticeEveryMs = 5_000

function createProgress({ clock, notice }: MoveDeps): OnProgress {
  let last = clock.monotonicMs()
  const counts = new Map<string, number>()
  return (what, table, count) => {
    const key = `${table} ${what}`
    counts.set(key, (counts.get(key) ?? 0) + count)
    if (clock.monotonicMs() - last < noticeEveryMs) return
    last = clock.monotonicMs()
    notice(`${formatCount(counts.get(key) ?? 0)} ${key}`)
  }
}
