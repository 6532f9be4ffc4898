import type { RowInspection, CheckpointReader } from '../pipeline/inspect-rows.js'
import { matchedConfidenceMin } from '../contract/limits.js'
import type { Lookup, LookupId } from '../core/lookup-identity.js'
import { appendIdentifiers, nameCountryOnce } from '../core/numbers/stated-identifiers.js'
import type { Candidate } from '../core/decisions.js'
import { isDoubtful, firstKinds } from '../core/lookup-state.js'
import { setImmediate } from 'node:timers/promises'
import { toBareName } from '../registry/normalize/parsed-name.js'
import { unansweredStatus, type Queue } from './queue.js'

type RowIndex = RowInspection['index']

/** Distinct lookups of an input, in ascending order, as aligned arrays. */
interface InputLookups {
  readonly ids: Uint32Array
  readonly rowCounts: Uint32Array
  /** Index of the first row with each lookup, starting at 0. */
  readonly firstRows: Uint32Array
  /** Rows whose lookup was not in the checkpoint when the input was read. */
  readonly unknownRowCount: number
}

/** Rows read at once. */
const sliceRows = 65_536

export function listLookups(index: RowIndex): InputLookups {
  const { ids: all, rowCounts: countsOfAll } = index.getDistinct()
  // Invalid rows have the highest numbers. Lookups that the checkpoint did not know are 0.
  const first = all[0] === 0 ? 1 : 0
  let end = all.length
  while (end > first && index.getReason(all[end - 1] ?? 0) !== null) end--
  const ids = all.slice(first, end)
  const firstRows = new Uint32Array(ids.length).fill(noRow)
  for (let start = 0; start < index.rowCount; start += sliceRows) {
    for (const [offset, id] of index.slice(start, sliceRows).entries()) {
      const at = findPlace(ids, id)
      if (at !== -1 && firstRows[at] === noRow) firstRows[at] = start + offset
    }
  }
  return {
    ids,
    firstRows,
    rowCounts: countsOfAll.slice(first, end),
    unknownRowCount: first === 0 ? 0 : (countsOfAll[0] ?? 0),
  }
}

const noRow = 0xffff_ffff

/** Binary search. Returns -1 if the id is missing. */
function findPlace(ids: Uint32Array, id: LookupId): number {
  let [low, high] = [0, ids.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = ids[middle] ?? 0
    if (found === id) return middle
    if (found < id) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Returns the lookup with a domain converted to an identifier. */
export const resolveDomain = (asked: Lookup, isOfDomain: boolean): Lookup =>
  isOfDomain
    ? { ...asked, name: appendIdentifiers(null, [{ kind: 'website', value: asked.name, place: null }]) }
    : asked

/** Finds lookups by name or domain, by keys in hexadecimal digits. Ids align with the keys; 0 if unknown. */
export function findFirst(reader: Pick<CheckpointReader, 'find'>, lookups: readonly string[]): LookupId[] {
  const keys = lookups.map((lookup) => Buffer.from(lookup, 'hex'))
  const found = firstKinds.map((kind) => reader.find(keys.map((key) => ({ kind, key }))))
  return lookups.map((_, at) => found.map((ids) => ids[at] ?? 0).find((id) => id !== 0) ?? 0)
}

/** Decides which answers a reviewer sees. */
export interface DoubtPolicy {
  isDoubtful(outcome: string, confidence: number | null, id: LookupId): boolean
  needsConfidence(outcome: string): boolean
  /** Returns the company of an own registry that the answer contradicts; `null` without one. */
  findOwnCompany?(id: LookupId): Candidate | null
}

/** From which answers a reviewer decides. */
export interface DoubtRule {
  /** Answers with a lower confidence are doubtful, 0 to 100. */
  readonly threshold: number
  readonly isEmbedded: boolean
  /** The lookups whose answers contradict an own registry, each with the registry's company. */
  readonly contradicted?: ReadonlyMap<LookupId, Candidate | null>
}

/** The embedded service answers `matched` only from a minimum confidence; with a lower threshold it need not be read. */
export function createDoubtPolicy({ threshold, isEmbedded, contradicted }: DoubtRule): DoubtPolicy {
  const isSure = isEmbedded && threshold <= matchedConfidenceMin
  return {
    isDoubtful: (outcome, confidence, id) =>
      contradicted?.has(id) === true || isDoubtful({ state: 'answered', outcome, confidence }, threshold),
    needsConfidence: (outcome) => outcome !== 'matched' || !isSure,
    findOwnCompany: (id) => contradicted?.get(id) ?? null,
  }
}

/** Lookups read before control returns to the event loop. */
const batchLookups = 500

const lookupStates = { unanswered: 0, settled: 1, queued: 2 } as const

/**
 * Adds doubtful answers of an input to the queue. A further scan reads only unanswered lookups and those in the queue,
 * because a run may submit them again.
 */
export class AnswerScan {
  readonly #lookups: InputLookups
  readonly #states: Uint8Array
  #unansweredCount: number

  constructor(lookups: InputLookups) {
    this.#lookups = lookups
    this.#states = new Uint8Array(lookups.ids.length)
    this.#unansweredCount = lookups.ids.length
  }

  get lookupCount(): number {
    return this.#states.length
  }

  get unansweredCount(): number {
    return this.#unansweredCount
  }

  /** Returns lookups without an answer at the last scan. */
  listUnanswered(): LookupId[] {
    return [...this.#lookups.ids].filter((_, place) => this.#states[place] === lookupStates.unanswered)
  }

  /** Throws CHECKPOINT_*, and the signal's reason. */
  async scan(reader: CheckpointReader, queue: Queue, doubt: DoubtPolicy, signal: AbortSignal): Promise<void> {
    for (const places of this.#readBatches()) {
      signal.throwIfAborted()
      this.#scanPlaces(places, reader, queue, doubt)
      await setImmediate()
    }
  }

  /** Adds a lookup to the queue, whatever its answer. Returns false if the input does not have it. */
  include(id: LookupId, reader: CheckpointReader, queue: Queue): boolean {
    const place = findPlace(this.#lookups.ids, id)
    if (place === -1) return false
    const [answer] = reader.readOutcomes([id], () => true)
    const [status, confidence] = [answer?.outcome ?? unansweredStatus, answer?.confidence ?? null]
    this.#add([{ place, id, status, confidence }], false, reader, queue)
    return true
  }

  *#readBatches(): Generator<readonly number[]> {
    let batch: number[] = []
    for (let place = 0; place < this.#states.length; place++) {
      if (this.#states[place] === lookupStates.settled) continue
      batch.push(place)
      if (batch.length < batchLookups) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  #scanPlaces(places: readonly number[], reader: CheckpointReader, queue: Queue, doubt: DoubtPolicy): void {
    const ids = places.map((place) => this.#lookups.ids[place] ?? 0)
    const answers = reader.readOutcomes(ids, (outcome) => doubt.needsConfidence(outcome))
    const fresh: Found[] = []
    for (const [at, place] of places.entries()) {
      const [id, answer] = [ids[at] ?? 0, answers[at] ?? null]
      const { outcome: status = unansweredStatus, confidence = null } = answer ?? {}
      const isDoubtful = answer !== null && doubt.isDoubtful(status, confidence, id)
      if (queue.getPlace(id) !== null)
        queue.update(id, answer === null ? { isDoubtful } : { status, confidence, isDoubtful })
      else if (isDoubtful) fresh.push({ place, id, status, confidence })
      this.#setState(place, answer === null ? 'unanswered' : isDoubtful ? 'queued' : 'settled')
    }
    this.#add(fresh, true, reader, queue)
  }

  #add(found: readonly Found[], isDoubtful: boolean, reader: CheckpointReader, queue: Queue): void {
    const asked = reader.readLookups(found.map(({ id }) => id))
    const { rowCounts, firstRows } = this.#lookups
    for (const [at, { place, ...facts }] of found.entries()) {
      const { name = '', location = null } = asked[at] ?? {}
      queue.add({
        ...facts,
        isDoubtful,
        rowCount: rowCounts[place] ?? 0,
        firstRow: firstRows[place] ?? 0,
        nameHash: calculateHash(toBareName(name)),
        text: nameCountryOnce(location === null ? name : `${name} ${location}`),
      })
    }
  }

  #setState(place: number, state: keyof typeof lookupStates): void {
    const isUnanswered = (value: number | undefined) => Number(value === lookupStates.unanswered)
    this.#unansweredCount += isUnanswered(lookupStates[state]) - isUnanswered(this.#states[place])
    this.#states[place] = lookupStates[state]
  }
}

interface Found {
  readonly place: number
  readonly id: LookupId
  readonly status: string
  readonly confidence: number | null
}

/** FNV-1a, cut to 30 bits so that it is a small integer. */
function calculateHash(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash & 0x3fffffff
}
