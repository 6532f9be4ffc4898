import { UserError } from '../../core/errors.js'
import { tableLimits } from '../limits.js'

const lineFeed = 10
const carriageReturn = 13

/**
 * Cuts chunks behind line ends (LF, CRLF or CR): in no encoding that is read line by line are these bytes part
 * of another character. Throws INPUT_RECORD_TOO_LARGE for a line that does not end.
 */
export class LineEndCutter {
  #rest: Buffer[] = []
  #restBytes = 0

  constructor(private readonly label: string) {}

  /** The whole lines that are complete with this chunk, as one piece; empty where there is none. */
  push(chunk: Buffer): Buffer {
    const end = wholeLinesLength(chunk)
    if (end === 0) {
      this.#keep(chunk)
      return Buffer.alloc(0)
    }
    const lines = this.#restBytes === 0 ? chunk.subarray(0, end) : this.#joined(chunk.subarray(0, end))
    this.#rest = []
    this.#restBytes = 0
    if (end < chunk.length) this.#keep(chunk.subarray(end))
    return lines
  }

  /** The line that no line end follows. */
  end(): Buffer {
    return this.#joined(Buffer.alloc(0))
  }

  #joined(last: Buffer): Buffer {
    return Buffer.concat([...this.#rest, last])
  }

  #keep(piece: Buffer): void {
    this.#rest.push(Buffer.from(piece))
    this.#restBytes += piece.length
    if (this.#restBytes <= tableLimits.recordBytesMax) return
    const mebibytes = tableLimits.recordBytesMax / 1024 / 1024
    throw new UserError('INPUT_RECORD_TOO_LARGE', `a line of more than ${mebibytes} MiB in ${this.label}`, {
      hint: 'is it text, and are its lines ended?',
    })
  }
}

/** A CR at the very end may be half of a CRLF: it waits for what follows. */
function wholeLinesLength(chunk: Buffer): number {
  const feed = chunk.lastIndexOf(lineFeed)
  const back = chunk.lastIndexOf(carriageReturn, -2)
  return Math.max(feed, back === chunk.length - 1 ? -1 : back) + 1
}

export interface ByteLine {
  readonly bytes: Buffer
  /** Counted from 0 in the piece. */
  readonly index: number
}

/** The lines of a piece, without their ends. */
export function* byteLines(piece: Buffer): Generator<ByteLine> {
  let from = 0
  let index = 0
  while (from < piece.length) {
    let end = from
    while (end < piece.length && piece[end] !== lineFeed && piece[end] !== carriageReturn) end++
    yield { bytes: piece.subarray(from, end), index }
    index++
    from = piece[end] === carriageReturn && piece[end + 1] === lineFeed ? end + 2 : end + 1
  }
}

/** How many line ends are in it, CRLF as one. */
export function countLineEnds(piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) count++
  for (let at = piece.indexOf(carriageReturn); at !== -1; at = piece.indexOf(carriageReturn, at + 1)) {
    if (piece[at + 1] !== lineFeed) count++
  }
  return count
}
