import type { QueueColumns } from './queue-columns.js'
import type { QueueSort } from './session.js'

/** Compares two places. */
type Order = (one: number, other: number) => number
type Keys = Pick<QueueColumns, 'rowCounts' | 'confidences' | 'firstRows' | 'statuses' | 'statusNames'>

/** Outcomes for which the service found no company: seldom is there a candidate to accept. */
const withoutCandidates: ReadonlySet<string> = new Set(['no_match', 'not_found'])

const at = (column: Uint32Array | Int16Array, place: number): number => column[place] ?? 0

/** The orders of the queue: `rows` has those with candidates first, then those of most rows; what they leave open is as in the input. */
export const orders: Readonly<Record<QueueSort, (keys: Keys) => Order>> = {
  rows: ({ rowCounts, firstRows, statuses, statusNames }) => {
    const isWithout = statusNames.map((name) => Number(withoutCandidates.has(name)))
    const without = (place: number) => isWithout[statuses[place] ?? 0] ?? 0
    return (one, other) =>
      without(one) - without(other) ||
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

/** The places below `count` in order, of which those that came first are `sorted` already. */
export function merged(sorted: Uint32Array, count: number, order: Order): Uint32Array {
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
