const quote = 0x22
const lineFeed = 0x0a

/**
 * Finds records in the bytes of a CSV, or lines in those of NDJSON, as we write both: records end with a line feed, and
 * within quotes it ends none.
 */
export class RecordCounter {
  readonly #hasQuotes: boolean
  #isQuoted = false
  #endsWhole = true
  count = 0

  constructor(hasQuotes: boolean) {
    this.#hasQuotes = hasQuotes
  }

  /** Whether the last record is whole. */
  get endsWhole(): boolean {
    return this.#endsWhole
  }

  /** Counts the records that end in a chunk; gives where the first of them ends, or -1. */
  add(chunk: Uint8Array): number {
    let firstEnd = -1
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === quote && this.#hasQuotes) this.#isQuoted = !this.#isQuoted
      else if (byte === lineFeed && !this.#isQuoted) {
        this.count++
        if (firstEnd === -1) firstEnd = at + 1
      }
    }
    if (chunk.length > 0) this.#endsWhole = chunk.at(-1) === lineFeed && !this.#isQuoted
    return firstEnd
  }
}

/** The first record of a file as it stands, and what comes after it; the record is empty where there is none. */
export async function splitFirstRecord(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ first: Buffer; rest: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]()
  const counter = new RecordCounter(true)
  const before: Uint8Array[] = []
  let left: Uint8Array | null = null
  for (;;) {
    const next = await iterator.next()
    if (next.done === true) break
    const end = counter.add(next.value)
    if (end === -1) {
      before.push(next.value)
      continue
    }
    before.push(next.value.subarray(0, end))
    left = next.value.subarray(end)
    break
  }
  const rest = async function* () {
    try {
      if (left === null) return
      yield left
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { first: Buffer.concat(before), rest: rest() }
}
