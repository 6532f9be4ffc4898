import { UserError } from '../../core/errors.js'
import type { Decision, KeptDecision } from '../../core/decisions.js'
import {
  changeDecisionsFile,
  isUnchanged,
  readDecisionsFile,
  withDecisionsLock,
  type DecisionsFile,
} from './decisions-file.js'
import { openReviewStoreToRead, type ReviewDecisions } from './review-store.js'
import { getProposalsPath } from '../own-files.js'

export { findDecidedKind, readDecisionsFile } from './decisions-file.js'

/**
 * Decisions that assistants proposed for one service. Their file has the format of decisions, but only reviews read it:
 * a proposal changes nothing until a reviewer decides.
 */
export class Proposals {
  readonly path: string
  readonly #service: string
  #file: DecisionsFile | null = null
  #byLookup: ReadonlyMap<string, Decision> = new Map()

  constructor(decisionsPath: string, service: string) {
    this.path = getProposalsPath(decisionsPath)
    this.#service = service
  }

  get lookups(): readonly string[] {
    return [...this.#byLookup.keys()]
  }

  /** Reads the file if it changed. Returns whether it did. Throws DECISIONS_*. */
  async refresh(): Promise<boolean> {
    if (isUnchanged(this.path, this.#file)) return false
    this.#file = await readDecisionsFile(this.path)
    const own = (this.#file?.decisions ?? []).filter(({ service }) => service === this.#service)
    this.#byLookup = new Map(own.map((proposal) => [proposal.lookup, proposal]))
    return true
  }

  /** Returns the proposal for a lookup; `null` without one, or if `decision` was made after it. */
  find(lookup: string, decision: Pick<Decision, 'decidedAtMs'> | null): Decision | null {
    const proposal = this.#byLookup.get(lookup) ?? null
    return proposal !== null && (decision?.decidedAtMs ?? -Infinity) < proposal.decidedAtMs ? proposal : null
  }

  /** Replaces earlier proposals for the same lookups. Durable when it resolves. Throws DECISIONS_* and DISK_FULL. */
  async add(proposals: readonly Decision[]): Promise<void> {
    const lookups = new Set(proposals.map(({ lookup }) => lookup))
    await withDecisionsLock(this.path, async () => {
      for (;;) {
        await this.refresh()
        const isReplaced = ({ lookup, service }: Decision) => service === this.#service && lookups.has(lookup)
        const drop = new Set(this.#file?.decisions.filter(isReplaced))
        // Another program saved the file without the lock, so it is read again.
        if (changeDecisionsFile(this.path, this.#file, { add: proposals, drop }) !== null) return
      }
    })
  }
}

interface SyncResult {
  /** Current decisions by lookup (hexadecimal key). */
  readonly standing: ReadonlyMap<string, Decision>
  /** Notices for the user about the file. */
  readonly notices: readonly string[]
}

/** Keeps the decisions of one service the same in a review store and its file. */
export class DecisionSync {
  readonly #store: ReviewDecisions
  readonly #path: string
  readonly #service: string
  #known: DecisionsFile | null = null
  /** Lookups in the known file. */
  #lookups = new Set<string>()
  /** Version of the store at the last synchronisation. */
  #version = -1

  constructor(store: ReviewDecisions, path: string, service: string) {
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
    const versionBefore = store.version()
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
    if (this.#known?.isPlain !== true || this.#store.version() !== this.#version + 1) return false
    if (made.some(({ lookup }) => this.#lookups.has(lookup))) return false
    const changed = changeDecisionsFile(this.#path, this.#known, { add: made, drop: new Set() })
    if (changed === null) return false
    this.#known = changed
    for (const { lookup } of made) this.#lookups.add(lookup)
    await this.#store.mark(made.map(getSequence), true)
    this.#version += 2
    return true
  }
}

const getSequence = ({ sequence }: { readonly sequence: number }): number => sequence

/** Records in the store that the file is up to date. Returns the number of changes to the store. */
async function recordExchange(
  store: ReviewDecisions,
  exchange: Exchange,
  leaving: readonly number[],
): Promise<number> {
  const written = [...exchange.add, ...exchange.found].filter(({ isInFile }) => !isInFile).map(getSequence)
  const changes: Promise<unknown>[] = []
  if (written.length > 0) changes.push(store.mark(written, true))
  if (leaving.length > 0) changes.push(store.mark(leaving, false))
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
    const kept = {
      standing: store?.decisions.listCurrent(service) ?? [],
      leaving: store?.decisions.listOutdated(service) ?? [],
    }
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

/** Decisions of one service in a review store. */
interface KeptDecisions {
  readonly standing: readonly KeptDecision[]
  /** Decisions that no longer apply and still have to be removed from the file. */
  readonly leaving: readonly KeptDecision[]
}

/** Changes that make file and store equal; all empty if they are. */
interface Exchange {
  /** Current decisions by lookup. */
  readonly standing: ReadonlyMap<string, Decision>
  /** Decisions to write to the file. */
  readonly add: readonly KeptDecision[]
  /** Decisions to remove from the file. */
  readonly drop: ReadonlySet<Decision>
  /** Decisions in the file that are not in the store. */
  readonly adopt: readonly Decision[]
  /** Decisions in the file that the store does not mark as written. */
  readonly found: readonly KeptDecision[]
  /** Decisions that the store marks as written and that were removed from the file. */
  readonly gone: readonly KeptDecision[]
}

/**
 * Determines the current decisions of a service. The file takes precedence, plus decisions that were never written to
 * it, because a process may have been killed before. If they conflict, the newer one wins. `file`: decisions of all
 * services; `null` if there is no file, in which case the store's decisions apply.
 */
export function planExchange(
  service: string,
  file: readonly Decision[] | null,
  { standing: kept, leaving }: KeptDecisions,
): Exchange {
  const inFile = groupByLookup(service, file ?? [])
  const outdated = new Set(leaving.map(toMark))
  const drop = new Set<Decision>()
  const written = new Map<string, Decision>()
  for (const [lookup, decisions] of inFile) {
    const isOutdated = (decision: Decision) => outdated.size > 0 && outdated.has(toMark(decision))
    for (const decision of decisions) if (isOutdated(decision)) drop.add(decision)
    const newest = findNewest(decisions.filter((decision) => !drop.has(decision)))
    if (newest !== null) written.set(lookup, newest)
  }
  const standing = new Map(written)
  const [add, found, gone]: [KeptDecision[], KeptDecision[], KeptDecision[]] = [[], [], []]
  const known = new Set<Decision>()
  for (const one of kept) {
    const line = written.get(one.lookup)
    if (line !== undefined && toMark(line) === toMark(one)) {
      known.add(line)
      if (!one.isInFile) found.push(one)
    } else if (line === undefined && one.isInFile && file !== null) gone.push(one)
    else if (line === undefined || (!one.isInFile && one.decidedAtMs >= line.decidedAtMs)) {
      add.push(one)
      standing.set(one.lookup, one)
      if (line === undefined) continue
      known.add(line)
      for (const decision of inFile.get(one.lookup) ?? []) drop.add(decision)
    }
  }
  const adopt = [...written.values()].filter((line) => !known.has(line))
  return { standing, add, drop, adopt, found, gone }
}

/** Groups decisions for the service, or for any service, by lookup. */
function groupByLookup(service: string, decisions: readonly Decision[]): Map<string, Decision[]> {
  const found = new Map<string, Decision[]>()
  for (const decision of decisions) {
    if (decision.service !== null && decision.service !== service) continue
    const others = found.get(decision.lookup)
    if (others === undefined) found.set(decision.lookup, [decision])
    else others.push(decision)
  }
  return found
}

/** The same verdict may occur twice: the newest one counts, among equal times the last line. */
function findNewest(decisions: readonly Decision[]): Decision | null {
  return decisions.reduce<Decision | null>(
    (newest, one) => (newest === null || one.decidedAtMs >= newest.decidedAtMs ? one : newest),
    null,
  )
}

/** Identifies the same decision in the file and in the store. */
const toMark = ({ lookup, verdict, entityId, decidedAtMs, service }: Decision): string =>
  JSON.stringify([lookup, verdict, entityId, decidedAtMs, service])
