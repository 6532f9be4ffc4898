import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { CheckpointReader, LookupId } from '../pipeline/inspect-rows.js'
import { DecisionSync } from '../pipeline/decisions/decision-sync.js'
import type { ReviewDecisions, CompanyRecords } from '../pipeline/open-review-backend.js'
import { findFirst } from './input-lookups.js'
import type { Queue } from './queue.js'
import { describeEntityId, isEntityId } from '../core/identifiers.js'
import { UserError } from '../core/errors.js'
import type { Lookup } from '../core/lookup-identity.js'
import { nameCountryOnce } from '../core/numbers/stated-identifiers.js'
import type { Candidate, Decision, KeptDecision } from '../core/decisions.js'
import type { CandidateStore } from './candidate-store.js'
import type { Choice } from './session.js'

export interface CurrentDecisionsDeps {
  readonly store: ReviewDecisions
  readonly decisionsPath: string
  readonly service: string
  readonly reader: CheckpointReader
  readonly queue: Queue
  readonly records: CompanyRecords
  /** Records must be fetched before they are read, because the checkpoint is on a server. */
  readonly isShared: boolean
  /** Adds a lookup of the input to the queue if it is missing. Returns false if the input does not have it. */
  readonly include: (id: LookupId) => boolean
}

/** Returns a value that changes whenever the file is written. */
function readStamp(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? 'none' : [found.ino, found.size, found.mtimeNs].join(' ')
}

/** Decisions checked before control returns to the event loop. */
const batchDecisions = 100

/** The decisions in force for lookups of the queue. Decisions for other lookups stay unchanged. */
export class CurrentDecisions {
  readonly #deps: CurrentDecisionsDeps
  readonly #sync: DecisionSync
  /** Lookup numbers by key; 0 if the input does not have the lookup. */
  readonly #ids = new Map<string, LookupId>()
  #standing = new Map<string, KeptDecision>()
  #seenVersion = -1
  #seenFile = ''

  constructor(deps: CurrentDecisionsDeps) {
    this.#deps = deps
    this.#sync = new DecisionSync(deps.store, deps.decisionsPath, deps.service)
  }

  /** `lookup` is its key in hexadecimal digits. */
  getDecision(lookup: string): KeptDecision | null {
    return this.#standing.get(lookup) ?? null
  }

  /** Returns those of these sequences that are in force. */
  filterCurrent(sequences: readonly number[]): number[] {
    const inForce = new Set([...this.#standing.values()].map(({ sequence }) => sequence))
    return sequences.filter((sequence) => inForce.has(sequence))
  }

  /**
   * Reads other reviewers' changes, and writes all decisions in force to the file. Throws DECISIONS_*, REVIEW_STORE_*,
   * DISK_FULL; the store has been read then.
   */
  async synchronize(): Promise<void> {
    try {
      await this.#sync.sync()
      this.#seenFile = readStamp(this.#deps.decisionsPath)
    } finally {
      await this.fetchRecords()
      this.#reload()
    }
  }

  /** Fetches the stored records of all accepted companies. */
  async fetchRecords(): Promise<void> {
    const { isShared, records, store, service } = this.#deps
    if (isShared) await records.fetch(store.listCurrent(service))
  }

  /** Like `synchronize`, after new decisions. */
  async add(made: readonly KeptDecision[]): Promise<void> {
    const { store, decisionsPath } = this.#deps
    const isAlone = store.version() === this.#seenVersion + 1
    if (!isAlone || !(await this.#sync.append(made))) {
      await this.synchronize()
      return
    }
    this.#seenFile = readStamp(decisionsPath)
    this.#seenVersion += 2
    this.#find(made.map(({ lookup }) => lookup))
    for (const decision of made) {
      this.#standing.set(decision.lookup, decision)
      this.#set(decision.lookup, decision)
    }
  }

  /** Like `synchronize`, if store or file changed. */
  async refresh(): Promise<void> {
    const { store, decisionsPath } = this.#deps
    await store.refresh()
    const isSeen = store.version() === this.#seenVersion && readStamp(decisionsPath) === this.#seenFile
    if (!isSeen) await this.synchronize()
  }

  /** Reads the store again. */
  #reload(): void {
    const { store, service, queue } = this.#deps
    const version = store.version()
    if (version === this.#seenVersion) return
    const before = this.#standing
    this.#standing = new Map(store.listCurrent(service).map((decision) => [decision.lookup, decision]))
    this.#find([...this.#standing.keys()])
    for (const lookup of before.keys()) if (!this.#standing.has(lookup)) this.#set(lookup, null)
    for (const [lookup, decision] of this.#standing)
      if (before.get(lookup)?.sequence !== decision.sequence) this.#set(lookup, decision)
    this.#seenVersion = version
    queue.touch()
  }

  /** Checks the records of accepted companies again, in batches. */
  async review(): Promise<void> {
    let count = 0
    for (const [lookup, decision] of this.#standing) {
      if (++count % batchDecisions === 0) await setImmediate()
      if (this.#standing.get(lookup) === decision) this.#set(lookup, decision)
    }
  }

  /** Call after the input was read again: it may contain lookups of further decisions. */
  findMissing(): void {
    for (const [lookup, id] of this.#ids) if (id === 0) this.#ids.delete(lookup)
    this.#find([...this.#standing.keys()])
    for (const [lookup, decision] of this.#standing) this.#set(lookup, decision)
  }

  #set(lookup: string, decision: KeptDecision | null): void {
    const { queue, records } = this.#deps
    const id = this.#ids.get(lookup) ?? 0
    if (id !== 0) queue.decide(id, decision, decision === null ? null : records.findDoubt(decision))
  }

  #find(wanted: readonly string[]): void {
    const { reader, queue, include } = this.#deps
    const lookups = wanted.filter((lookup) => !this.#ids.has(lookup))
    const ids = findFirst(reader, lookups)
    for (const [at, lookup] of lookups.entries()) {
      const id = ids[at] ?? 0
      this.#ids.set(lookup, id !== 0 && (queue.getPlace(id) !== null || include(id)) ? id : 0)
    }
  }
}

interface ChoiceDeps {
  readonly candidates: CandidateStore
  readonly records: CompanyRecords
  readonly service: string
  readonly reviewer: string
  readonly nowMs: number
}

interface ChosenDecisions {
  readonly decisions: readonly Decision[]
  /** The accepted companies by lookup, as they were displayed. */
  readonly shown: ReadonlyMap<string, Candidate>
}

/**
 * Converts choices to decisions; `asked` is aligned with them. A company must have been displayed for the lookup, unless
 * the lookup's candidates are unknown. Throws REVIEW_CHOICE_INVALID.
 */
export function toDecisions(
  choices: readonly Choice[],
  asked: readonly Lookup[],
  deps: ChoiceDeps,
): ChosenDecisions {
  const shown = new Map<string, Candidate>()
  const names = new Map<string, string>()
  const kept = deps.candidates.readStored(choices.map(({ lookup }) => lookup))
  for (const [at, { lookup, entityId }] of choices.entries()) {
    if (entityId === null) continue
    // With any other id, the decisions file could not be read again.
    if (!isEntityId(entityId)) throw createIdError(entityId)
    const candidate = deps.candidates.findShown(lookup, entityId)
    if (candidate === null && kept[at] !== null)
      throw createNotShownError(nameCountryOnce(asked[at]?.name ?? lookup), entityId)
    if (candidate === null) continue
    shown.set(lookup, candidate)
    const name = deps.records.findName(entityId) ?? candidate.legalName ?? candidate.name
    if (name !== null) names.set(entityId, name)
  }
  const decisions = choices.map(({ lookup, verdict, entityId, note }, at) => ({
    lookup,
    verdict,
    entityId,
    note: note?.trim() === '' ? null : note,
    name: nameCountryOnce(asked[at]?.name ?? ''),
    location: asked[at]?.location ?? null,
    entityName: entityId === null ? null : (names.get(entityId) ?? deps.records.findName(entityId)),
    decidedBy: deps.reviewer,
    decidedAtMs: deps.nowMs,
    service: deps.service,
  }))
  return { decisions, shown }
}

const createIdError = (entityId: string): UserError =>
  new UserError('REVIEW_CHOICE_INVALID', `${entityId} is not a company id`, {
    hint: `${describeEntityId(entityId)}; no decision was recorded`,
  })

const createNotShownError = (name: string, entityId: string): UserError =>
  new UserError('REVIEW_CHOICE_INVALID', `${entityId} is not among the candidates of ${name}`, {
    hint: 'choose one of its candidates, or search for the company first; no decision was recorded',
  })

/** A failure to write the file loses nothing: the store has the decisions. */
export async function tryWriteFile(bring: () => Promise<void>): Promise<void> {
  try {
    await bring()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const kept = 'the decision is stored next to the checkpoint and will be written to the file later'
    throw new UserError(error.code, error.message, {
      hint: error.hint === undefined ? kept : `${error.hint}; ${kept}`,
      cause: error,
    })
  }
}
