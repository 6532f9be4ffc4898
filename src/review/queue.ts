import { rarelyHasCandidates } from '../core/lookup-state.js'
import type { LookupId } from '../pipeline/inspect-rows.js'
import type { KeptDecision } from '../core/decisions.js'
import { entryMarks, QueueColumns, TextIndex } from './queue-columns.js'
import type { QueueCounts, QueueFilter, QueueSort, QueueView } from './session.js'

/** The status of a lookup without an answer. */
export const unansweredStatus = 'pending'

/** A doubtful or decided lookup. Other data is read on demand. */
export interface QueueEntry {
  readonly id: LookupId
  readonly rowCount: number
  /** Index of the first row with this lookup, starting at 0. */
  readonly firstRow: number
  readonly status: string
  readonly confidence: number | null
  /** Hash of the name without legal form and punctuation. */
  readonly nameHash: number
  readonly decision: KeptDecision | null
  /** The reason why a decided lookup is doubtful again. */
  readonly reason: string | null
}

export type NewEntry = Omit<QueueEntry, 'decision' | 'reason'> & {
  readonly isDoubtful: boolean
  /** Name and location, for the text filter. */
  readonly text: string
}

/** Changes of an answer. */
export type EntryChange = Partial<Pick<NewEntry, 'status' | 'confidence' | 'isDoubtful'>>

/** `decidedBeforeCount`: decided lookups without an answer, which no run submits. */
type EntryCounts = Omit<QueueCounts, 'proposedCount' | 'lookupCount' | 'unansweredCount'> & {
  readonly decidedBeforeCount: number
}

interface Verdict {
  readonly decision: KeptDecision
  readonly reason: string | null
}

/** The doubtful and decided lookups, with filters and sort orders. */
export class Queue {
  readonly #columns = new QueueColumns()
  readonly #places = new Map<LookupId, number>()
  readonly #verdicts = new Map<number, Verdict>()
  readonly #texts = new TextIndex()
  #sorted: Record<QueueSort, Uint32Array> = createEmptyOrders()
  /** A value that entries are sorted by changed. */
  #isUnsorted = false
  #version = 1
  #filtered: { readonly key: string; readonly places: Uint32Array } = { key: '', places: new Uint32Array() }
  #found: { readonly text: string; readonly marks: Uint8Array } = { text: '', marks: new Uint8Array() }
  #counts: { readonly version: number; readonly counts: EntryCounts } | null = null

  /** Incremented by every change. */
  get version(): number {
    return this.#version
  }

  get(id: LookupId): QueueEntry | null {
    const place = this.#places.get(id)
    return place === undefined ? null : this.readEntry(place)
  }

  /** `place` comes from `filter`. */
  readEntry(place: number): QueueEntry {
    const { ids, rowCounts, firstRows, nameHashes, confidences, statuses, statusNames } = this.#columns
    const confidence = confidences[place] ?? -1
    return {
      id: ids[place] ?? 0,
      rowCount: rowCounts[place] ?? 0,
      firstRow: firstRows[place] ?? 0,
      status: statusNames[statuses[place] ?? 0] ?? '',
      confidence: confidence === -1 ? null : confidence,
      nameHash: nameHashes[place] ?? 0,
      ...(this.#verdicts.get(place) ?? { decision: null, reason: null }),
    }
  }

  getPlace(id: LookupId): number | null {
    return this.#places.get(id) ?? null
  }

  /** Adds a lookup that is not in the queue. */
  add({ id, rowCount, firstRow, status, confidence, nameHash, isDoubtful, text }: NewEntry): void {
    const columns = this.#columns
    const place = columns.addPlace()
    columns.ids[place] = id
    columns.rowCounts[place] = rowCount
    columns.firstRows[place] = firstRow
    columns.nameHashes[place] = nameHash
    columns.confidences[place] = confidence ?? -1
    columns.statuses[place] = columns.getStatusNumber(status)
    columns.marks[place] = isDoubtful ? entryMarks.doubtful : 0
    this.#places.set(id, place)
    this.#texts.add(text)
    this.touch()
  }

  update(id: LookupId, { status, confidence, isDoubtful }: EntryChange): void {
    const [columns, place] = [this.#columns, this.#places.get(id)]
    if (place === undefined) return
    const number = status === undefined ? columns.statuses[place] : columns.getStatusNumber(status)
    const known = columns.confidences[place]
    const sure = confidence === undefined ? known : (confidence ?? -1)
    const before = columns.marks[place] ?? 0
    const marks = isDoubtful === undefined ? before : setMark(before, entryMarks.doubtful, isDoubtful)
    if (number === columns.statuses[place] && sure === known && marks === before) return
    this.#isUnsorted ||= sure !== known || number !== columns.statuses[place]
    columns.statuses[place] = number ?? 0
    columns.confidences[place] = sure ?? -1
    columns.marks[place] = marks
    this.touch()
  }

  /** `reason`: why it is doubtful again. */
  decide(id: LookupId, decision: KeptDecision | null, reason: string | null): void {
    const place = this.#places.get(id)
    if (place === undefined) return
    const before = this.#verdicts.get(place)
    if (before?.decision.sequence === decision?.sequence && (before?.reason ?? null) === reason) return
    if (decision === null) this.#verdicts.delete(place)
    else this.#verdicts.set(place, { decision, reason })
    const doubtful = (this.#columns.marks[place] ?? 0) & entryMarks.doubtful
    const decided = decision === null ? 0 : entryMarks.decided
    this.#columns.marks[place] = doubtful | decided | (reason === null ? 0 : entryMarks.back)
    this.touch()
  }

  /** Marks the queue as changed, for state outside of it. */
  touch(): void {
    this.#version++
  }

  /** Returns the places that match a filter, in its order. */
  filter({ view, statuses, text, sort }: QueueFilter): Uint32Array {
    const key = JSON.stringify([this.#version, view, statuses, text, sort])
    if (this.#filtered.key === key) return this.#filtered.places
    const found = text.trim() === '' ? null : this.#find(text)
    const { marks, statuses: numbers, statusNames } = this.#columns
    const isShown = viewTables[view]
    const isAsked = statusNames.map((name) => statuses.length === 0 || statuses.includes(name))
    const sorted = this.#inOrder(sort)
    const places = new Uint32Array(sorted.length)
    let count = 0
    for (const place of sorted) {
      if (isShown[marks[place] ?? 0] !== true || isAsked[numbers[place] ?? 0] !== true) continue
      if (found === null || found[place] === 1) places[count++] = place
    }
    this.#filtered = { key, places: places.subarray(0, count) }
    return this.#filtered.places
  }

  /** Returns open lookups whose names have this hash. */
  findOpenByName(nameHash: number): QueueEntry[] {
    const { nameHashes, marks, count } = this.#columns
    const found: QueueEntry[] = []
    for (let place = 0; place < count; place++)
      if (nameHashes[place] === nameHash && viewTables.open[marks[place] ?? 0])
        found.push(this.readEntry(place))
    return found
  }

  counts(): EntryCounts {
    if (this.#counts?.version === this.#version) return this.#counts.counts
    const { marks, rowCounts, statuses, statusNames, count } = this.#columns
    const byStatus = statusNames.map(() => 0)
    let [openCount, openRowCount, decidedCount, decidedBeforeCount] = [0, 0, 0, 0]
    for (let place = 0; place < count; place++) {
      const mark = marks[place] ?? 0
      if (viewTables.decided[mark]) decidedCount++
      if (viewTables.decided[mark] && statusNames[statuses[place] ?? 0] === unansweredStatus)
        decidedBeforeCount++
      if (!viewTables.open[mark]) continue
      openCount++
      openRowCount += rowCounts[place] ?? 0
      const status = statuses[place] ?? 0
      byStatus[status] = (byStatus[status] ?? 0) + 1
    }
    const named = statusNames.map((name, at) => [name, byStatus[at] ?? 0] as const)
    const openByStatus = Object.fromEntries(named.filter(([, number]) => number > 0))
    this.#counts = {
      version: this.#version,
      counts: { openCount, openRowCount, decidedCount, openByStatus, decidedBeforeCount },
    }
    return this.#counts.counts
  }

  #find(text: string): Uint8Array {
    if (this.#found.text !== text || this.#found.marks.length !== this.#texts.count)
      this.#found = { text, marks: this.#texts.find(text) }
    return this.#found.marks
  }

  #inOrder(sort: QueueSort): Uint32Array {
    if (this.#isUnsorted) this.#sorted = createEmptyOrders()
    this.#isUnsorted = false
    if (this.#sorted[sort].length < this.#columns.count)
      this.#sorted[sort] = mergeSorted(this.#sorted[sort], this.#columns.count, orders[sort](this.#columns))
    return this.#sorted[sort]
  }
}

const createEmptyOrders = (): Record<QueueSort, Uint32Array> => ({
  rows: new Uint32Array(),
  confidence: new Uint32Array(),
  input: new Uint32Array(),
})

const setMark = (marks: number, mark: number, isSet: boolean): number =>
  isSet ? marks | mark : marks & ~mark

/** For each mark, whether a view shows the entry. */
const viewTables: Readonly<Record<QueueView, readonly boolean[]>> = {
  open: buildTable((isDoubtful, isDecided, isBack) => (isDecided ? isBack : isDoubtful)),
  decided: buildTable((_, isDecided, isBack) => isDecided && !isBack),
  all: buildTable((isDoubtful, isDecided) => isDoubtful || isDecided),
}

function buildTable(
  isShown: (isDoubtful: boolean, isDecided: boolean, isBack: boolean) => boolean,
): readonly boolean[] {
  const { doubtful, decided, back } = entryMarks
  return Array.from({ length: doubtful + decided + back + 1 }, (_, marks) =>
    isShown((marks & doubtful) !== 0, (marks & decided) !== 0, (marks & back) !== 0),
  )
}

/** Compares two places. */
type Order = (one: number, other: number) => number
type Keys = Pick<QueueColumns, 'rowCounts' | 'confidences' | 'firstRows' | 'statuses' | 'statusNames'>

const at = (column: Uint32Array | Int16Array, place: number): number => column[place] ?? 0

/** Sort orders, see `QueueSort`. Ties keep the order of the input. */
const orders: Readonly<Record<QueueSort, (keys: Keys) => Order>> = {
  rows: ({ rowCounts, firstRows, statuses, statusNames }) => {
    const isWithout = statusNames.map((name) => Number(rarelyHasCandidates(name)))
    const isWithoutCandidates = (place: number) => isWithout[statuses[place] ?? 0] ?? 0
    return (one, other) =>
      isWithoutCandidates(one) - isWithoutCandidates(other) ||
      at(rowCounts, other) - at(rowCounts, one) ||
      at(firstRows, one) - at(firstRows, other)
  },
  confidence:
    ({ confidences, firstRows }) =>
    (one, other) =>
      at(confidences, other) - at(confidences, one) || at(firstRows, one) - at(firstRows, other),
  input:
    ({ firstRows }) =>
    (one, other) =>
      at(firstRows, one) - at(firstRows, other),
}

/** Returns the places 0 to `count` - 1 in order. `sorted` has the first of them in order already. */
function mergeSorted(sorted: Uint32Array, count: number, order: Order): Uint32Array {
  const added = Uint32Array.from({ length: count - sorted.length }, (_, index) => sorted.length + index)
  added.sort(order)
  if (sorted.length === 0) return added
  const all = new Uint32Array(count)
  let [next, filled] = [0, 0]
  for (const place of sorted) {
    while (next < added.length && order(added[next] ?? 0, place) < 0) all[filled++] = added[next++] ?? 0
    all[filled++] = place
  }
  all.set(added.subarray(next), filled)
  return all
}
