import { resolve } from 'node:path'
import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { formatPostgresUrl, isPostgresUrl, parsePostgresUrl } from '../../core/server-addresses.js'
import type { Clock } from '../../platform/clock.js'
import { withCleanup, type CloseLater } from '../../platform/close-stack.js'
import { createMovedError } from '../checkpoint/checkpoint-errors.js'
import type { OpenSharedDeps } from '../checkpoint/postgres/open-database.js'
import {
  findDifference,
  readAll,
  type Counts,
  type End,
  type HeldCheckpoint,
  type OnProgress,
} from './copy-rows.js'
import { createFileEnd, type FileEndDeps } from './file-end.js'
import { createServerEnd } from './server-end.js'

export interface MoveDeps extends OpenSharedDeps, Omit<FileEndDeps, 'nowMs'> {
  readonly clock: Clock
  /** Called with the progress, every five seconds. */
  readonly notice: (text: string) => void
}

export interface Move {
  readonly from: string
  readonly to: string
  /** Copied rows by table; `null` if an earlier attempt had copied them all. */
  readonly counts: Counts | null
  readonly staysBehind: readonly string[]
  /** Whether it had moved before, with nothing left to do. */
  readonly isDone: boolean
}

/** The name of a checkpoint in marks and messages. */
export const formatPlace = (pathOrUrl: string): string =>
  isPostgresUrl(pathOrUrl) ? formatPostgresUrl(parsePostgresUrl(pathOrUrl)) : resolve(pathOrUrl)

const createEnd = (pathOrUrl: string, deps: MoveDeps, closeLater: CloseLater): End =>
  isPostgresUrl(pathOrUrl)
    ? createServerEnd(pathOrUrl, deps, closeLater)
    : createFileEnd(resolve(pathOrUrl), { ...deps, nowMs: deps.clock.nowMs() }, closeLater)

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
    const source = createEnd(from, deps, closeLater)
    const target = createEnd(to, deps, closeLater)
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
 * since, because its submissions would be billed again. Throws CHECKPOINT_* and USAGE_INVALID.
 */
export function undoMove(from: string, to: string, deps: MoveDeps): Promise<void> {
  return withCleanup(async (closeLater) => {
    const source = createEnd(from, deps, closeLater)
    const target = createEnd(to, deps, closeLater)
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
