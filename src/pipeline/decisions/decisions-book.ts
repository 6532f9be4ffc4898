import type { Decision } from '../lookups/decision.js'
import {
  changeDecisionsFile,
  isUnchanged,
  readDecisionsFile,
  whileLocked,
  type DecisionsFile,
} from './decisions-file.js'
import { type KeptDecision, type ReviewStore, openReviewStoreToRead } from './review-store.js'
import { exchangeOf, type Exchange } from './decision-exchange.js'
import { UserError } from '../../core/errors.js'

interface BroughtTogether {
  /** The decisions that stand, by their lookups (hexadecimal keys). */
  readonly standing: ReadonlyMap<string, Decision>
  /** What to tell the user of the file. */
  readonly notices: readonly string[]
}

export interface DecisionsBook {
  /**
   * Brings the decisions file and the review store together: what stands in the store is in the file, what others wrote to
   * the file is in the store, and what was taken out of one is out of the other. What the store had before is durable in
   * the file when it resolves; to be called after each decision, before it is acknowledged. Throws DECISIONS_*,
   * REVIEW_STORE_*, DISK_FULL.
   */
  bringTogether(): Promise<BroughtTogether>
  /**
   * The same of decisions that were just made, each where there was none before, if nobody else did anything since: in a
   * time that does not grow with what was decided before. False: nothing was done. Throws like `bringTogether`.
   */
  append(made: readonly KeptDecision[]): Promise<boolean>
}

/** The decisions of one service, for those who decide: a store, and the file that goes with it. */
export function openDecisionsBook(store: ReviewStore, path: string, service: string): DecisionsBook {
  let known: DecisionsFile | null = null
  /** Of the file that is known. */
  let lookups = new Set<string>()
  /** Of the store, when file and store were last the same. */
  let version = -1
  const bring = async (): Promise<BroughtTogether | null> => {
    await store.refresh()
    const versionBefore = store.decisionVersion()
    const kept = { standing: store.standing(service), leaving: store.leaving(service) }
    const isKnown = known !== null && isUnchanged(path, known)
    const file = isKnown
      ? known
      : await readDecisionsFile(
          path,
          kept.standing.filter(({ isInFile }) => !isInFile),
        )
    const exchange = exchangeOf(service, file?.decisions ?? null, kept)
    const { standing, add, drop } = exchange
    known = add.length + drop.size === 0 ? file : changeDecisionsFile(path, file, { add, drop })
    // Somebody saved it without the lock: it is read again.
    if (known === null && add.length + drop.size > 0) return null
    const changeCount = await noteIn(store, exchange, kept.leaving.map(sequenceOf))
    lookups = new Set(known?.decisions.map(({ lookup }) => lookup))
    // What others changed in between makes it another one.
    version = versionBefore + changeCount
    return { standing, notices: file?.notices ?? [] }
  }
  const append = async (made: readonly KeptDecision[]): Promise<boolean> => {
    if (known?.isPlain !== true || store.decisionVersion() !== version + 1) return false
    if (made.some(({ lookup }) => lookups.has(lookup))) return false
    const changed = changeDecisionsFile(path, known, { add: made, drop: new Set() })
    if (changed === null) return false
    known = changed
    for (const { lookup } of made) lookups.add(lookup)
    await store.markInFile(made.map(sequenceOf))
    version += 2
    return true
  }
  return {
    bringTogether: () =>
      whileLocked(path, async () => {
        for (;;) {
          const brought = await bring()
          if (brought !== null) return brought
        }
      }),
    append: (made) => whileLocked(path, () => append(made)),
  }
}

const sequenceOf = ({ sequence }: { readonly sequence: number }): number => sequence

/** The file is as it is to be. How many changes the store was told of. */
async function noteIn(store: ReviewStore, exchange: Exchange, leaving: readonly number[]): Promise<number> {
  const written = [...exchange.add, ...exchange.found].filter(({ isInFile }) => !isInFile).map(sequenceOf)
  const changes: Promise<unknown>[] = []
  if (written.length > 0) changes.push(store.markInFile(written))
  if (leaving.length > 0) changes.push(store.markOutOfFile(leaving))
  if (exchange.gone.length > 0) changes.push(store.forget(exchange.gone.map(sequenceOf)))
  if (exchange.adopt.length > 0) changes.push(store.adopt(exchange.adopt))
  await Promise.all(changes)
  return changes.length
}

export interface DecisionsRequest {
  readonly path: string
  /** The user named the file, so it has to be there. */
  readonly isNamed: boolean
  readonly checkpointPath: string
  /** As `decisionService` names it. */
  readonly service: string
}

/** What stands at the moment, for those who honour it. */
export interface StandingDecisions {
  /** By their lookups (hexadecimal keys). */
  readonly byLookup: ReadonlyMap<string, Decision>
  /** What to tell the user of the file. */
  readonly notices: readonly string[]
}

/**
 * Reads which decisions stand for a service, and changes nothing. Throws DECISIONS_NOT_FOUND, DECISIONS_INVALID,
 * DECISIONS_CONFLICT, DECISIONS_CHANGED, REVIEW_STORE_INVALID, REVIEW_STORE_UNWRITABLE.
 */
export async function readStandingDecisions({
  path,
  isNamed,
  checkpointPath,
  service,
}: DecisionsRequest): Promise<StandingDecisions> {
  const store = openReviewStoreToRead(checkpointPath)
  try {
    // Before the file: what is decided in between is written to the file first, and then said to be in it.
    const kept = { standing: store?.standing(service) ?? [], leaving: store?.leaving(service) ?? [] }
    const unwritten = kept.standing.filter(({ isInFile }) => !isInFile)
    const file = await readDecisionsFile(path, unwritten)
    if (file === null && isNamed) {
      throw new UserError('DECISIONS_NOT_FOUND', `there are no decisions ${path}`, {
        hint: 'check --decisions; enrich review makes the file',
      })
    }
    const { standing: byLookup } = exchangeOf(service, file?.decisions ?? null, kept)
    return { byLookup, notices: file?.notices ?? [] }
  } finally {
    store?.close()
  }
}
