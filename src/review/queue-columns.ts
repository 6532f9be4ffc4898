/** Of entries, by their places from 0 on: some thirty bytes each, however many there are. */
export class QueueColumns {
  ids = new Uint32Array(firstCapacity)
  rowCounts = new Uint32Array(firstCapacity)
  firstRows = new Uint32Array(firstCapacity)
  nameHashes = new Uint32Array(firstCapacity)
  /** -1 where there is none. */
  confidences = new Int16Array(firstCapacity)
  /** By their numbers in `statusNames`. */
  statuses = new Uint8Array(firstCapacity)
  /** See `entryMarks`. */
  marks = new Uint8Array(firstCapacity)
  #count = 0
  readonly #statusNames: string[] = []

  get count(): number {
    return this.#count
  }

  get statusNames(): readonly string[] {
    return this.#statusNames
  }

  /** A new place, to be filled in. */
  grow(): number {
    if (this.#count === this.ids.length) {
      this.ids = larger(this.ids)
      this.rowCounts = larger(this.rowCounts)
      this.firstRows = larger(this.firstRows)
      this.nameHashes = larger(this.nameHashes)
      this.confidences = larger(this.confidences)
      this.statuses = larger(this.statuses)
      this.marks = larger(this.marks)
    }
    return this.#count++
  }

  /** Services have few; what comes beyond as many as fit is told as one of them. */
  statusNumber(name: string): number {
    const known = this.#statusNames.indexOf(name)
    if (known !== -1) return known
    return this.#statusNames.length < statusesMax ? this.#statusNames.push(name) - 1 : statusesMax - 1
  }
}

/** What is so of an entry: bits of its mark. */
export const entryMarks = {
  /** Its answer is doubtful. */
  doubtful: 1,
  decided: 2,
  /** It was decided, and is doubtful again. */
  back: 4,
} as const

const firstCapacity = 1_024
const statusesMax = 250

type Column = Uint32Array | Int16Array | Uint8Array

function larger<Numbers extends Column>(column: Numbers): Numbers {
  const grown = new (column.constructor as new (length: number) => Numbers)(column.length * 2)
  grown.set(column)
  return grown
}
