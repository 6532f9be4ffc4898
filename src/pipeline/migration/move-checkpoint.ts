import { resolve } from 'node:path'
import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { isPostgresUrl, parsePostgresUrl, formatPostgresUrl } from '../../core/server-addresses.js'
import { withCleanup, type CloseLater } from '../../platform/close-stack.js'
import { createMovedError } from '../checkpoint/checkpoint-errors.js'
import {
  calculateDigests,
  transferredTables,
  findDifference,
  type Digests,
  type TransferredTable,
  type LockedSource,
  type MovedSource,
  type MigrationSource,
  type MigrationTarget,
} from './transferred-rows.js'
import { openFileSource, openFileTarget, finishFileTarget, type FileEndpointDeps } from './file-endpoint.js'
import {
  createLeaseLostError,
  type ServerEndpointDeps,
  finishServerTarget,
  openServerSource,
  openServerTarget,
} from './server-endpoint.js'

export interface MoveDeps extends ServerEndpointDeps, Omit<FileEndpointDeps, 'nowMs'> {}

export interface Move {
  readonly from: string
  readonly to: string
  /** Transferred rows by table; `null` if an earlier attempt had transferred them all. */
  readonly counts: Readonly<Partial<Record<TransferredTable, number>>> | null
  readonly staysBehind: readonly string[]
  /** Whether it had moved before, with nothing left to do. */
  readonly isDone: boolean
}

/** The name of a checkpoint in marks and messages. */
export const formatPlace = (pathOrUrl: string): string =>
  isPostgresUrl(pathOrUrl) ? formatPostgresUrl(parsePostgresUrl(pathOrUrl)) : resolve(pathOrUrl)

/**
 * Moves all data of a checkpoint to another one, from a file to a server or back. The source stays locked and unchanged
 * until both were read and compared equal; then it is marked as moved. The target is unusable before that. If killed,
 * the same call completes it. Throws CHECKPOINT_*, DISK_FULL and USAGE_INVALID.
 */
export async function moveCheckpoint(from: string, to: string, deps: MoveDeps): Promise<Move> {
  if (formatPlace(from) === formatPlace(to)) {
    throw new UserError('USAGE_INVALID', 'source and target are the same checkpoint', {
      hint: 'enrich checkpoint migrate FROM TO',
    })
  }
  return withCleanup(async (closeLater) => {
    const source = await openSource(from, deps, closeLater)
    if (source.movedTo !== null) return finish(source, to, deps, closeLater)
    const isMarking = { now: false }
    try {
      return await move(source, await openTarget(to, source, deps, closeLater), deps, isMarking)
    } catch (error) {
      if (!isMarking.now) await source.giveUp()
      throw error
    }
  })
}

/**
 * Makes the checkpoint `from` usable again after a migration to `to`, and `to` unusable. Refuses if `to` was used
 * since, because its submissions would be billed again. Throws CHECKPOINT_* and USAGE_INVALID.
 */
export function undoMove(from: string, to: string, deps: MoveDeps): Promise<void> {
  return withCleanup(async (closeLater) => {
    const source = await openSource(from, deps, closeLater)
    if (source.movedTo === null) {
      throw new UserError('USAGE_INVALID', `the checkpoint ${source.place} has not moved`, {
        hint: 'there is nothing to undo; use this checkpoint',
      })
    }
    if (source.movedTo !== formatPlace(to)) throw createMovedError(source.place, source.movedTo)
    const target = await openIfExists(to, deps, closeLater)
    if (target !== null && target.movedTo === null) {
      const ofSource = await calculateDigests(source.facts, ignore)
      const ofTarget = await calculateDigests(target.facts, ignore)
      const table = findDifference(ofSource, ofTarget)
      if (table !== null) throw createUsedSinceError(target.place, table)
      await target.markMoved(source.place)
    } else if (target !== null && target.movedTo !== source.place)
      throw createMovedError(target.place, target.movedTo)
    await source.undo()
  })
}

const ignore = () => undefined

const createUsedSinceError = (place: string, table: string): UserError =>
  new UserError('CHECKPOINT_NOT_EMPTY', `${place} was used after the migration: its ${table} have changed`, {
    hint: 'continue with that one, or move it to a new path with enrich checkpoint migrate',
  })

async function openIfExists(
  to: string,
  deps: MoveDeps,
  closeLater: CloseLater,
): Promise<MigrationSource | null> {
  try {
    return await openSource(to, deps, closeLater)
  } catch (error) {
    if (error instanceof UserError && error.code === 'CHECKPOINT_NOT_FOUND') return null
    throw error
  }
}

async function move(
  source: LockedSource,
  { target, ...side }: MigrationTarget,
  deps: MoveDeps,
  isMarking: { now: boolean },
): Promise<Move> {
  const { facts } = source
  const assertHeld = () => {
    if (!source.isHeld()) throw createLeaseLostError(source.place)
    if (!side.isHeld()) throw createLeaseLostError(target.place)
  }
  const progress = createProgress(deps)
  for (const table of transferredTables) {
    // From here on no delivery is accepted that would not be transferred.
    if (table === 'deliveries') await source.seal()
    for await (const page of facts.read(table)) {
      assertHeld()
      await target.write(table, page)
      progress('written', table, page.length)
    }
  }
  await target.finish()
  const read = (what: string) => (table: TransferredTable, count: number) => {
    assertHeld()
    progress(what, table, count)
  }
  const ofSource = await calculateDigests(facts, read('read again'))
  const ofTarget = await calculateDigests(target.readBack(), read('compared'))
  assertEqual(ofSource, ofTarget, source.place, target.place)
  assertHeld()
  isMarking.now = true
  await source.markMoved(target.place)
  await side.publish()
  const counts = Object.fromEntries([...ofTarget].map(([table, { count }]) => [table, count]))
  const { place: from, staysBehind } = source
  return { from, to: target.place, counts, staysBehind, isDone: false }
}

function assertEqual(ofSource: Digests, ofTarget: Digests, from: string, to: string): void {
  const table = findDifference(ofSource, ofTarget)
  if (table === null) return
  throw new UserError(
    'CHECKPOINT_MOVE_DIFFERS',
    `the ${table} in ${to} differ from those in ${from} (${ofTarget.get(table)?.count ?? 0} and ${ofSource.get(table)?.count ?? 0} rows)`,
    {
      hint: 'one of them changed during the migration; nothing was marked as moved: run the same command again',
    },
  )
}

function openSource(
  from: string,
  deps: MoveDeps,
  closeLater: CloseLater,
): Promise<MigrationSource> | MigrationSource {
  return isPostgresUrl(from)
    ? openServerSource(from, deps, closeLater)
    : openFileSource(from, { ...deps, nowMs: deps.clock.nowMs() }, closeLater)
}

function openTarget(
  to: string,
  { facts }: LockedSource,
  deps: MoveDeps,
  closeLater: CloseLater,
): Promise<MigrationTarget> | MigrationTarget {
  return isPostgresUrl(to)
    ? openServerTarget(to, facts, deps, closeLater)
    : openFileTarget(to, facts, { nowMs: deps.clock.nowMs() }, closeLater)
}

/** Completes a migration that was killed after the mark, before the target was published. */
async function finish(
  source: MovedSource,
  to: string,
  deps: MoveDeps,
  closeLater: CloseLater,
): Promise<Move> {
  const { place: from, facts, movedTo } = source
  if (movedTo !== formatPlace(to)) throw createMovedError(from, movedTo)
  const wasLeft = isPostgresUrl(to)
    ? await finishServerTarget(to, facts.checkpointId, deps, closeLater)
    : finishFileTarget(to)
  return { from, to: movedTo, counts: null, staysBehind: [], isDone: !wasLeft }
}

const noticeEveryMs = 5_000

function createProgress({ clock, notice }: MoveDeps) {
  let last = clock.monotonicMs()
  const counts = new Map<string, number>()
  return (what: string, table: TransferredTable, count: number): void => {
    const key = `${table} ${what}`
    counts.set(key, (counts.get(key) ?? 0) + count)
    if (clock.monotonicMs() - last < noticeEveryMs) return
    last = clock.monotonicMs()
    notice(`${formatCount(counts.get(key) ?? 0)} ${table} ${what}`)
  }
}
