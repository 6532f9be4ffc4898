import type { Lookup } from '../core/identity.js'
import { nameWithIdentifiers } from '../core/stated-identifiers.js'
import type { LookupId } from '../pipeline/checkpoint/checkpoint.js'
import type { RowIndex } from '../pipeline/input/row-index.js'

/** The lookups that the rows of an input ask, each once, ascending; aligned lists of numbers. */
export interface InputLookups {
  readonly ids: Uint32Array
  readonly rowCounts: Uint32Array
  /** The first row that asks each, from 0 on. */
  readonly firstRows: Uint32Array
  /** Rows whose lookup the checkpoint did not know when the input was read. */
  readonly unknownRowCount: number
}

/** Rows read at one time. */
const sliceRows = 65_536

export function lookupsOf(index: RowIndex): InputLookups {
  const { ids: all, rowCounts: countsOfAll } = index.distinct()
  // Rows that ask for nothing have numbers from the top; 0 is whatever the checkpoint did not know.
  const first = all[0] === 0 ? 1 : 0
  let end = all.length
  while (end > first && index.reasonOf(all[end - 1] ?? 0) !== null) end--
  const ids = all.slice(first, end)
  const firstRows = new Uint32Array(ids.length).fill(noRow)
  for (let start = 0; start < index.rowCount; start += sliceRows) {
    for (const [offset, id] of index.slice(start, sliceRows).entries()) {
      const at = placeOf(ids, id)
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

/** Where an id stands among ascending ones; -1 where it is not among them. */
export function placeOf(ids: Uint32Array, id: LookupId): number {
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

/** A domain is looked for as the identifier that it is. */
export const meant = (asked: Lookup, isOfDomain: boolean): Lookup =>
  isOfDomain
    ? { ...asked, name: nameWithIdentifiers(null, [{ kind: 'website', value: asked.name, place: null }]) }
    : asked
