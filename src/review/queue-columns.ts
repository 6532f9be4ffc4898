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

/** Texts of one piece of memory, beyond which another is begun. */
const pieceTexts = 4_096

/**
 * Texts that are searched for a part of them, whatever its case and accents: many of them, in a few bytes each, and
 * looked through at the speed of memory.
 */
export class SearchedTexts {
  readonly #pieces: { readonly bytes: Buffer; readonly starts: Uint32Array }[] = []
  /** Folded, and not in a piece yet. */
  #rest: Buffer[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add(text: string): void {
    this.#rest.push(Buffer.from(`${searchText(text)}\n`))
    this.#count++
    if (this.#rest.length < pieceTexts) return
    this.#pieces.push(pieceOf(this.#rest))
    this.#rest = []
  }

  /** By their places, from 0 on: 1 where the part is found. */
  find(part: string): Uint8Array {
    const found = new Uint8Array(this.#count)
    const wanted = Buffer.from(searchText(part))
    const pieces = this.#rest.length === 0 ? this.#pieces : [...this.#pieces, pieceOf(this.#rest)]
    for (const [number, { bytes, starts }] of pieces.entries()) {
      for (let at = bytes.indexOf(wanted); at !== -1;) {
        const text = textAt(starts, at)
        found[number * pieceTexts + text] = 1
        const next = starts[text + 1]
        at = next === undefined ? -1 : bytes.indexOf(wanted, next)
      }
    }
    return found
  }
}

function pieceOf(texts: readonly Buffer[]): { bytes: Buffer; starts: Uint32Array } {
  const starts = new Uint32Array(texts.length)
  let start = 0
  for (const [at, { length }] of texts.entries()) {
    starts[at] = start
    start += length
  }
  return { bytes: Buffer.concat(texts), starts }
}

/** The text that a byte is in. */
function textAt(starts: Uint32Array, byte: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= byte) low = middle
    else high = middle - 1
  }
  return low
}

/** As it is compared: "Société  Générale" and "societe generale" are one. */
function searchText(text: string): string {
  const folded = text.normalize('NFKD').toLowerCase()
  return folded
    .replace(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
