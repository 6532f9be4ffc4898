/** Columns of the queue's entries by place, starting at 0. About 30 bytes per entry. */
export class QueueColumns {
  ids = new Uint32Array(firstCapacity)
  rowCounts = new Uint32Array(firstCapacity)
  firstRows = new Uint32Array(firstCapacity)
  nameHashes = new Uint32Array(firstCapacity)
  /** -1 if unknown. */
  confidences = new Int16Array(firstCapacity)
  /** Index in `statusNames`. */
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

  addPlace(): number {
    if (this.#count === this.ids.length) {
      this.ids = enlarge(this.ids)
      this.rowCounts = enlarge(this.rowCounts)
      this.firstRows = enlarge(this.firstRows)
      this.nameHashes = enlarge(this.nameHashes)
      this.confidences = enlarge(this.confidences)
      this.statuses = enlarge(this.statuses)
      this.marks = enlarge(this.marks)
    }
    return this.#count++
  }

  /** Services have few statuses. Those beyond the limit share one number. */
  getStatusNumber(name: string): number {
    const known = this.#statusNames.indexOf(name)
    if (known !== -1) return known
    return this.#statusNames.length < statusesMax ? this.#statusNames.push(name) - 1 : statusesMax - 1
  }
}

/** Bits of an entry's mark. */
export const entryMarks = {
  /** The answer is doubtful. */
  doubtful: 1,
  decided: 2,
  /** Decided, and doubtful again. */
  back: 4,
} as const

const firstCapacity = 1_024
const statusesMax = 250

type Column = Uint32Array | Int16Array | Uint8Array

function enlarge<Numbers extends Column>(column: Numbers): Numbers {
  const grown = new (column.constructor as new (length: number) => Numbers)(column.length * 2)
  grown.set(column)
  return grown
}

/** Texts per block of memory. */
const pieceTexts = 4_096

/** Substring search over many texts, ignoring case and accents. Uses few bytes per text. */
export class TextIndex {
  readonly #pieces: { readonly bytes: Buffer; readonly starts: Uint32Array }[] = []
  /** Folded texts that are not in a block yet. */
  #rest: Buffer[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add(text: string): void {
    this.#rest.push(Buffer.from(`${searchText(text)}\n`))
    this.#count++
    if (this.#rest.length < pieceTexts) return
    this.#pieces.push(createBlock(this.#rest))
    this.#rest = []
  }

  /** Returns a flag per text: 1 if it contains the part. */
  find(part: string): Uint8Array {
    const found = new Uint8Array(this.#count)
    const wanted = Buffer.from(searchText(part))
    const pieces = this.#rest.length === 0 ? this.#pieces : [...this.#pieces, createBlock(this.#rest)]
    for (const [number, { bytes, starts }] of pieces.entries()) {
      for (let at = bytes.indexOf(wanted); at !== -1;) {
        const text = findText(starts, at)
        found[number * pieceTexts + text] = 1
        const next = starts[text + 1]
        at = next === undefined ? -1 : bytes.indexOf(wanted, next)
      }
    }
    return found
  }
}

function createBlock(texts: readonly Buffer[]): { bytes: Buffer; starts: Uint32Array } {
  const starts = new Uint32Array(texts.length)
  let start = 0
  for (const [at, { length }] of texts.entries()) {
    starts[at] = start
    start += length
  }
  return { bytes: Buffer.concat(texts), starts }
}

/** Returns the index of the text that has this byte. */
function findText(starts: Uint32Array, byte: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= byte) low = middle
    else high = middle - 1
  }
  return low
}

/** Folds a text: "Société  Générale" and "societe generale" are equal. */
function searchText(text: string): string {
  const folded = text.normalize('NFKD').toLowerCase()
  return folded
    .replace(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
