import type { Decision } from '../lookups/decision.js'
import {
  changeDecisionsFile,
  isUnchanged,
  readDecisionsFile,
  withDecisionsLock,
  type DecisionsFile,
} from './decisions-file.js'
import { type KeptDecision, type ReviewStore, openReviewStoreToRead } from './review-store.js'
import { planExchange, type Exchange } from './decision-exchange.js'
import { UserError } from '../../core/errors.js'

interface SyncResult {
  /** Current decisions by lookup (hexadecimal key). */
  readonly standing: ReadonlyMap<string, Decision>
  /** Notices for the user about the file. */
  readonly notices: readonly string[]
}

/** Keeps the decisions of one service the same in a review store and its file. */
export class DecisionSync {
  readonly #store: ReviewStore
  readonly #path: string
  readonly #service: string
  #known: DecisionsFile | null = null
  /** Lookups in the known file. */
  #lookups = new Set<string>()
  /** Version of the store at the last synchronisation. */
  #version = -1

  constructor(store: ReviewStore, path: string, service: string) {
    this.#store = store
    this.#path = path
    this.#service = service
  }

  /**
   * Synchronises the decisions file and the review store in both directions, including removals. When it resolves, all
   * earlier decisions of the store are durable in the file; call it after each decision, before the acknowledgement.
   * Throws DECISIONS_*, REVIEW_STORE_* and DISK_FULL.
   */
  sync(): Promise<SyncResult> {
    return withDecisionsLock(this.#path, async () => {
      for (;;) {
        const synchronised = await this.#syncOnce()
        if (synchronised !== null) return synchronised
      }
    })
  }

  /**
   * Does the same for new decisions, in a time independent of the number of old ones. Returns `false` and does nothing
   * if anything else changed, or a lookup was decided before. Throws the same errors as `sync`.
   */
  append(made: readonly KeptDecision[]): Promise<boolean> {
    return withDecisionsLock(this.#path, () => this.#append(made))
  }

  async #syncOnce(): Promise<SyncResult | null> {
    const store = this.#store
    const [path, service] = [this.#path, this.#service]
    await store.refresh()
    const versionBefore = store.decisionVersion()
    const kept = { standing: store.listCurrent(service), leaving: store.listOutdated(service) }
    const isKnown = this.#known !== null && isUnchanged(path, this.#known)
    const unwritten = kept.standing.filter(({ isInFile }) => !isInFile)
    const file = isKnown ? this.#known : await readDecisionsFile(path, unwritten)
    const exchange = planExchange(service, file?.decisions ?? null, kept)
    const { standing, add, drop } = exchange
    this.#known = add.length + drop.size === 0 ? file : changeDecisionsFile(path, file, { add, drop })
    // Another program saved the file without the lock, so it is read again.
    if (this.#known === null && add.length + drop.size > 0) return null
    const changeCount = await recordExchange(store, exchange, kept.leaving.map(getSequence))
    this.#lookups = new Set(this.#known?.decisions.map(({ lookup }) => lookup))
    // Excludes changes that other processes made in the meantime.
    this.#version = versionBefore + changeCount
    return { standing, notices: file?.notices ?? [] }
  }

  async #append(made: readonly KeptDecision[]): Promise<boolean> {
    if (this.#known?.isPlain !== true || this.#store.decisionVersion() !== this.#version + 1) return false
    if (made.some(({ lookup }) => this.#lookups.has(lookup))) return false
    const changed = changeDecisionsFile(this.#path, this.#known, { add: made, drop: new Set() })
    if (changed === null) return false
    this.#known = changed
    for (const { lookup } of made) this.#lookups.add(lookup)
    await this.#store.markInFile(made.map(getSequence))
    this.#version += 2
    return true
  }
}

const getSequence = ({ sequence }: { readonly sequence: number }): number => sequence

/** Records in the store that the file is up to date. Returns the number of changes to the store. */
async function recordExchange(
  store: ReviewStore,
  exchange: Exchange,
  leaving: readonly number[],
): Promise<number> {
  const written = [...exchange.add, ...exchange.found].filter(({ isInFile }) => !isInFile).map(getSequence)
  const changes: Promise<unknown>[] = []
  if (written.length > 0) changes.push(store.markInFile(written))
  if (leaving.length > 0) changes.push(store.markOutOfFile(leaving))
  if (exchange.gone.length > 0) changes.push(store.forget(exchange.gone.map(getSequence)))
  if (exchange.adopt.length > 0) changes.push(store.adopt(exchange.adopt))
  await Promise.all(changes)
  return changes.length
}

export interface DecisionsRequest {
  readonly path: string
  /** Whether the user named the file, which then must exist. */
  readonly isNamed: boolean
  readonly checkpointPath: string
  /** See `getDecisionService`. */
  readonly service: string
}

/** Current decisions, for a run. */
export interface StandingDecisions {
  /** Indexed by lookup (hexadecimal key). */
  readonly byLookup: ReadonlyMap<string, Decision>
  /** Notices for the user about the file. */
  readonly notices: readonly string[]
}

/**
 * Reads the current decisions of a service, without changing anything. Throws DECISIONS_NOT_FOUND, DECISIONS_INVALID,
 * DECISIONS_CONFLICT, DECISIONS_CHANGED, REVIEW_STORE_INVALID and REVIEW_STORE_UNWRITABLE.
 */
export async function readStandingDecisions({
  path,
  isNamed,
  checkpointPath,
  service,
}: DecisionsRequest): Promise<StandingDecisions> {
  const store = openReviewStoreToRead(checkpointPath)
  try {
    // Read before the file: a decision made in between is first written to the file and then marked in the store.
    const kept = { standing: store?.listCurrent(service) ?? [], leaving: store?.listOutdated(service) ?? [] }
    const unwritten = kept.standing.filter(({ isInFile }) => !isInFile)
    const file = await readDecisionsFile(path, unwritten)
    if (file === null && isNamed) {
      throw new UserError('DECISIONS_NOT_FOUND', `the decisions file ${path} does not exist`, {
        hint: 'check --decisions; enrich review creates the file',
      })
    }
    const { standing: byLookup } = planExchange(service, file?.decisions ?? null, kept)
    return { byLookup, notices: file?.notices ?? [] }
  } finally {
    store?.close()
  }
}
