import { resolve } from 'node:path'
import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { isPostgresUrl, parsePostgresUrl, shownPostgresUrl } from '../../core/server-addresses.js'
import { closingAfter, type CloseLater } from '../../platform/close-stack.js'
import { moved } from '../checkpoint/checkpoint-errors.js'
import {
  digestsOf,
  factTables,
  firstDifference,
  type Digests,
  type FactTable,
  type LockedSource,
  type MovedSource,
  type SourceSide,
  type TargetSide,
} from './transferred-rows.js'
import { fileSource, fileTarget, finishFileTarget, type FileSideDeps } from './file-endpoint.js'
import {
  lost,
  type ServerSideDeps,
  finishServerTarget,
  serverSource,
  serverTarget,
} from './server-endpoint.js'

export interface MoveDeps extends ServerSideDeps, Omit<FileSideDeps, 'nowMs'> {}

export interface Move {
  readonly from: string
  readonly to: string
  /** Transferred rows by table; `null` if an earlier attempt had transferred them all. */
  readonly counts: Readonly<Partial<Record<FactTable, number>>> | null
  readonly staysBehind: readonly string[]
  /** Whether it had moved before, with nothing left to do. */
  readonly isDone: boolean
}

/** The name of a checkpoint in marks and messages. */
export const placeOf = (pathOrUrl: string): string =>
  isPostgresUrl(pathOrUrl) ? shownPostgresUrl(parsePostgresUrl(pathOrUrl)) : resolve(pathOrUrl)

/**
 * Moves all data of a checkpoint to another one, from a file to a server or back. The source stays locked and unchanged
 * until both were read and compared equal; then it is marked as moved. The target is unusable before that. If killed,
 * the same call completes it. Throws CHECKPOINT_*, DISK_FULL and USAGE_INVALID.
 */
export async function moveCheckpoint(from: string, to: string, deps: MoveDeps): Promise<Move> {
  if (placeOf(from) === placeOf(to)) {
    throw new UserError('USAGE_INVALID', 'source and target are the same checkpoint', {
      hint: 'enrich checkpoint migrate FROM TO',
    })
  }
  return closingAfter(async (closeLater) => {
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
  return closingAfter(async (closeLater) => {
    const source = await openSource(from, deps, closeLater)
    if (source.movedTo === null) {
      throw new UserError('USAGE_INVALID', `the checkpoint ${source.place} has not moved`, {
        hint: 'there is nothing to undo; use this checkpoint',
      })
    }
    if (source.movedTo !== placeOf(to)) throw moved(source.place, source.movedTo)
    const target = await openIfThere(to, deps, closeLater)
    if (target !== null && target.movedTo === null) {
      const ofSource = await digestsOf(source.facts, ignore)
      const ofTarget = await digestsOf(target.facts, ignore)
      const table = firstDifference(ofSource, ofTarget)
      if (table !== null) throw usedSince(target.place, table)
      await target.markMoved(source.place)
    } else if (target !== null && target.movedTo !== source.place) throw moved(target.place, target.movedTo)
    await source.undo()
  })
}

const ignore = () => undefined

const usedSince = (place: string, table: string): UserError =>
  new UserError('CHECKPOINT_NOT_EMPTY', `${place} was used after the migration: its ${table} have changed`, {
    hint: 'continue with that one, or move it to a new path with enrich checkpoint migrate',
  })

async function openIfThere(to: string, deps: MoveDeps, closeLater: CloseLater): Promise<SourceSide | null> {
  try {
    return await openSource(to, deps, closeLater)
  } catch (error) {
    if (error instanceof UserError && error.code === 'CHECKPOINT_NOT_FOUND') return null
    throw error
  }
}

async function move(
  source: LockedSource,
  { target, ...side }: TargetSide,
  deps: MoveDeps,
  isMarking: { now: boolean },
): Promise<Move> {
  const { facts } = source
  const assertHeld = () => {
    if (!source.isHeld()) throw lost(source.place)
    if (!side.isHeld()) throw lost(target.place)
  }
  const progress = createProgress(deps)
  for (const table of factTables) {
    // From here on no delivery is accepted that would not be transferred.
    if (table === 'deliveries') await source.seal()
    for await (const page of facts.read(table)) {
      assertHeld()
      await target.write(table, page)
      progress('written', table, page.length)
    }
  }
  await target.finish()
  const read = (what: string) => (table: FactTable, count: number) => {
    assertHeld()
    progress(what, table, count)
  }
  const ofSource = await digestsOf(facts, read('read again'))
  const ofTarget = await digestsOf(target.written(), read('compared'))
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
  const table = firstDifference(ofSource, ofTarget)
  if (table === null) return
  throw new UserError(
    'CHECKPOINT_MOVE_DIFFERS',
    `the ${table} in ${to} differ from those in ${from} (${ofTarget.get(table)?.count ?? 0} and ${ofSource.get(table)?.count ?? 0} rows)`,
    {
      hint: 'one of them changed during the migration; nothing was marked as moved: run the same command again',
    },
  )
}

function openSource(from: string, deps: MoveDeps, closeLater: CloseLater): Promise<SourceSide> | SourceSide {
  return isPostgresUrl(from)
    ? serverSource(from, deps, closeLater)
    : fileSource(from, { ...deps, nowMs: deps.clock.nowMs() }, closeLater)
}

function openTarget(
  to: string,
  { facts }: LockedSource,
  deps: MoveDeps,
  closeLater: CloseLater,
): Promise<TargetSide> | TargetSide {
  return isPostgresUrl(to)
    ? serverTarget(to, facts, deps, closeLater)
    : fileTarget(to, facts, { nowMs: deps.clock.nowMs() }, closeLater)
}

/** Completes a migration that was killed after the mark, before the target was published. */
async function finish(
  source: MovedSource,
  to: string,
  deps: MoveDeps,
  closeLater: CloseLater,
): Promise<Move> {
  const { place: from, facts, movedTo } = source
  if (movedTo !== placeOf(to)) throw moved(from, movedTo)
  const wasLeft = isPostgresUrl(to)
    ? await finishServerTarget(to, facts.checkpointId, deps, closeLater)
    : finishFileTarget(to)
  return { from, to: movedTo, counts: null, staysBehind: [], isDone: !wasLeft }
}

const noticeEveryMs = 5_000

function createProgress({ clock, notice }: MoveDeps) {
  let last = clock.monotonicMs()
  const counts = new Map<string, number>()
  return (what: string, table: FactTable, count: number): void => {
    const key = `${table} ${what}`
    counts.set(key, (counts.get(key) ?? 0) + count)
    if (clock.monotonicMs() - last < noticeEveryMs) return
    last = clock.monotonicMs()
    notice(`${formatCount(counts.get(key) ?? 0)} ${table} ${what}`)
  }
}
