import type { LookupId } from '../pipeline/checkpoint/checkpoint.js'
import type { KeptDecision } from '../pipeline/decisions/review-store.js'
import { SearchedTexts } from './queue-text.js'
import type { QueueCounts, QueueFilter, QueueSort, QueueView } from './session.js'

/** What is kept of a lookup that is doubtful, or decided; the rest is read where it is shown. */
export interface QueueEntry {
  readonly id: LookupId
  /** In the order in which they came. */
  readonly place: number
  readonly rowCount: number
  /** The first row that asks it, from 0 on. */
  readonly firstRow: number
  readonly status: string
  readonly confidence: number | null
  /** Of its name without legal form and punctuation: different where those are. */
  readonly nameHash: number
  /** Whether its answer is doubtful; not where it is here for its decision alone. */
  readonly isDoubtful: boolean
  decision: KeptDecision | null
  /** Why a lookup that was decided is doubtful again. */
  reason: string | null
}

export type NewEntry = Omit<QueueEntry, 'place' | 'decision' | 'reason'> & {
  /** Its name and location: what is searched. */
  readonly text: string
}

/** What may change of a lookup that is in the queue. */
export type EntryChange = Partial<
  Pick<QueueEntry, 'status' | 'confidence' | 'isDoubtful' | 'rowCount' | 'firstRow'>
>

/** The lookups in question, in each order, filtered as it is asked. */
export class Queue {
  readonly #byId = new Map<LookupId, QueueEntry>()
  readonly #texts = new SearchedTexts()
  readonly #sorted: Record<QueueSort, QueueEntry[]> = { rows: [], confidence: [], input: [] }
  #added: QueueEntry[] = []
  /** Something was changed by which it is sorted. */
  #isUnsorted = false
  #version = 1
  #filtered: { readonly key: string; readonly entries: readonly QueueEntry[] } = { key: '', entries: [] }
  #found: { readonly text: string; readonly places: Uint8Array } = { text: '', places: new Uint8Array() }
  #counts: { readonly version: number; readonly counts: Omit<QueueCounts, 'unansweredCount'> } | null = null

  /** Grows with whatever changes in it. */
  get version(): number {
    return this.#version
  }

  get(id: LookupId): QueueEntry | null {
    return this.#byId.get(id) ?? null
  }

  entries(): Iterable<QueueEntry> {
    return this.#byId.values()
  }

  /** A lookup that is not in it yet. */
  add({ text, ...facts }: NewEntry): void {
    const entry: QueueEntry = { ...facts, place: this.#byId.size, decision: null, reason: null }
    this.#byId.set(entry.id, entry)
    this.#texts.add(text)
    this.#added.push(entry)
    this.touch()
  }

  change(entry: QueueEntry, change: EntryChange): void {
    const names = Object.keys(change) as (keyof EntryChange)[]
    if (names.every((name) => entry[name] === change[name])) return
    Object.assign(entry, change)
    this.#isUnsorted = true
    this.touch()
  }

  /** Something in it was changed: a decision, a reason. */
  touch(): void {
    this.#version++
  }

  /** Those of a filter, in its order. */
  filter({ view, statuses, text, sort }: QueueFilter): readonly QueueEntry[] {
    const key = JSON.stringify([this.#version, view, statuses, text, sort])
    if (this.#filtered.key === key) return this.#filtered.entries
    const places = text.trim() === '' ? null : this.#placesOf(text)
    const entries = this.#inOrder(sort).filter(
      (entry) =>
        isIn(view, entry) &&
        (statuses.length === 0 || statuses.includes(entry.status)) &&
        (places === null || places[entry.place] === 1),
    )
    this.#filtered = { key, entries }
    return entries
  }

  counts(): Omit<QueueCounts, 'unansweredCount'> {
    if (this.#counts?.version === this.#version) return this.#counts.counts
    const counts = { openCount: 0, openRowCount: 0, decidedCount: 0 }
    const openByStatus: Record<string, number> = {}
    for (const entry of this.#byId.values()) {
      if (isOpen(entry)) {
        counts.openCount++
        counts.openRowCount += entry.rowCount
        openByStatus[entry.status] = (openByStatus[entry.status] ?? 0) + 1
      } else if (isDecided(entry)) counts.decidedCount++
    }
    this.#counts = { version: this.#version, counts: { ...counts, openByStatus } }
    return this.#counts.counts
  }

  #placesOf(text: string): Uint8Array {
    if (this.#found.text !== text || this.#found.places.length !== this.#texts.count)
      this.#found = { text, places: this.#texts.find(text) }
    return this.#found.places
  }

  #inOrder(sort: QueueSort): readonly QueueEntry[] {
    if (this.#added.length > 0) {
      for (const [name, order] of allOrders)
        this.#sorted[name] = merged(this.#sorted[name], this.#added, order)
      this.#added = []
    }
    if (this.#isUnsorted) for (const [name, order] of allOrders) this.#sorted[name].sort(order)
    this.#isUnsorted = false
    return this.#sorted[sort]
  }
}

/** To be decided: not decided yet, or doubtful again. */
export const isOpen = ({ isDoubtful, decision, reason }: QueueEntry): boolean =>
  decision === null ? isDoubtful : reason !== null

/** Decided, and that stands. */
const isDecided = ({ decision, reason }: QueueEntry): boolean => decision !== null && reason === null

function isIn(view: QueueView, entry: QueueEntry): boolean {
  if (view === 'open') return isOpen(entry)
  if (view === 'decided') return isDecided(entry)
  return isOpen(entry) || isDecided(entry)
}

type Order = (one: QueueEntry, other: QueueEntry) => number

const inInput: Order = (one, other) => one.firstRow - other.firstRow
const likeliest = ({ confidence }: QueueEntry): number => confidence ?? -1
const orders: Readonly<Record<QueueSort, Order>> = {
  rows: (one, other) => other.rowCount - one.rowCount || inInput(one, other),
  confidence: (one, other) => likeliest(other) - likeliest(one) || inInput(one, other),
  input: inInput,
}

const allOrders = Object.entries(orders) as [QueueSort, Order][]

/** `sorted` with `added`, which need not be in order. */
function merged(sorted: readonly QueueEntry[], added: readonly QueueEntry[], order: Order): QueueEntry[] {
  const rest = [...added].sort(order)
  const all: QueueEntry[] = []
  let at = 0
  for (const entry of sorted) {
    for (let next = rest[at]; next !== undefined && order(next, entry) < 0; next = rest[++at]) all.push(next)
    all.push(entry)
  }
  return all.concat(rest.slice(at))
}
