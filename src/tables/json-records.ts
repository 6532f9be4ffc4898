import { UserError, errorText } from '../core/errors.js'
import { tableLimits } from './limits.js'
import type { TextSource } from './record-source.js'
import { nestsDeeperThan } from '../core/json.js'

/**
 * The lines of a file of NDJSON that are not blank, trimmed, as many at a time as a chunk of text holds.
 * Throws INPUT_RECORD_TOO_LARGE, and INPUT_JSON_INVALID where `check` is on, with the line.
 */
export async function* readLines(text: TextSource, check: boolean): AsyncGenerator<readonly string[]> {
  const cutter = new LineCutter(text.label)
  let lineNumber = 0
  const pieces = async function* () {
    for await (const chunk of text.chunks()) yield cutter.cut(chunk)
    yield cutter.end()
  }
  for await (const piece of pieces()) {
    const lines: string[] = []
    let failure: UserError | null = null
    for (const whole of piece) {
      lineNumber++
      const line = whole.trim()
      if (line === '') continue
      const fault = check ? faultOf(line) : null
      if (fault !== null) {
        failure = invalid(lineNumber, text.label, fault)
        break
      }
      lines.push(line)
    }
    // What is right before a failure comes first: a reader that wants no more never meets it.
    if (lines.length > 0) yield lines
    if (failure !== null) throw failure
  }
}

/** Cuts chunks into lines, keeping what is begun for the next chunk. */
class LineCutter {
  private rest: Buffer[] = []
  private restBytes = 0
  private lineCount = 0

  constructor(private readonly label: string) {}

  cut(chunk: Buffer): string[] {
    const lines: string[] = []
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      lines.push(this.finish(chunk.subarray(from, end)))
      from = end + 1
    }
    this.rest.push(Buffer.from(chunk.subarray(from)))
    this.restBytes += chunk.length - from
    if (this.restBytes > tableLimits.recordBytesMax) throw tooLarge(this.lineCount + 1, this.label)
    return lines
  }

  end(): string[] {
    return [this.finish(Buffer.alloc(0))]
  }

  private finish(piece: Buffer): string {
    const line = this.restBytes === 0 ? piece : Buffer.concat([...this.rest, piece])
    this.rest = []
    this.restBytes = 0
    this.lineCount++
    return line.toString('utf8')
  }
}

/** Why a text is no JSON object that may be read; null where it is one. */
function faultOf(line: string): string | null {
  if (nestsDeeperThan(line, tableLimits.jsonDepthMax)) {
    return `it nests deeper than ${tableLimits.jsonDepthMax} levels`
  }
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return errorText(error)
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? null : 'it is no object'
}

function invalid(lineNumber: number, label: string, reason: string): UserError {
  return new UserError(
    'INPUT_JSON_INVALID',
    `line ${lineNumber} of ${label} is not a JSON object: ${reason}`,
    {
      hint: 'NDJSON has one whole object on each line',
    },
  )
}

function tooLarge(lineNumber: number, label: string): UserError {
  const mebibytes = tableLimits.recordBytesMax / 1024 / 1024
  return new UserError(
    'INPUT_RECORD_TOO_LARGE',
    `line ${lineNumber} of ${label} is longer than ${mebibytes} MiB`,
    {
      hint: 'NDJSON has one object on each line: is this one JSON document over many lines, or without line ends?',
    },
  )
}

/**
 * The objects of a JSON array, each on one line, as many at a time as a chunk of text holds; what they hold is not
 * changed but for line breaks between their tokens. Throws INPUT_RECORD_TOO_LARGE, and INPUT_JSON_INVALID: always
 * where the array itself is broken, and where `check` is on for what is in it, with the line.
 */
export async function* readArray(text: TextSource, check: boolean): AsyncGenerator<readonly string[]> {
  const cutter = new ArrayCutter(text.label)
  for await (const chunk of text.chunks()) {
    const objects: string[] = []
    let failure: Error | null = null
    try {
      cutter.cut(chunk, (element, line) => {
        const object = element.toString('utf8').replace(/[\r\n]+[ \t]*/g, '')
        const fault = check ? faultOf(object) : null
        if (fault !== null) throw invalidArray(text.label, line, `no object stands there: ${fault}`)
        objects.push(object)
      })
    } catch (error) {
      failure = error as Error
    }
    // What is right before a failure comes first: a reader that wants no more never meets it.
    if (objects.length > 0) yield objects
    if (failure !== null) throw failure
  }
  cutter.end()
}

/** What may stand where the cutter is, between elements. */
type Place = 'start' | 'first' | 'element' | 'next' | 'after'

const byte = {
  lineFeed: 10,
  quote: 0x22,
  comma: 0x2c,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

/** Finds where the objects of an array begin and end; whether they are JSON is for others to say. */
class ArrayCutter {
  private place: Place = 'start'
  private depth = 0
  private inText = false
  private isEscaped = false
  private line = 1
  private elementLine = 1
  private pieces: Buffer[] = []
  private pieceBytes = 0

  constructor(private readonly label: string) {}

  cut(chunk: Buffer, onElement: (element: Buffer, line: number) => void): void {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const char = chunk[at] ?? 0
      if (char === byte.lineFeed) this.line++
      if (this.depth === 0) {
        if (this.between(char)) from = at
        continue
      }
      this.inside(char)
      if (this.depth > 0) continue
      const last = chunk.subarray(from, at + 1)
      const element = this.pieces.length === 0 ? last : Buffer.concat([...this.pieces, last])
      this.pieces = []
      this.pieceBytes = 0
      onElement(element, this.elementLine)
    }
    if (this.depth > 0) this.keep(chunk.subarray(from))
  }

  end(): void {
    if (this.place !== 'after') throw this.broken('it breaks off: the array is not closed')
  }

  /** Whether an object begins here. */
  private between(char: number): boolean {
    if (char === 0x20 || char === 0x09 || char === 0x0a || char === 0x0d) return false
    switch (this.place) {
      case 'start':
        if (char !== byte.openArray) throw noArray(this.label, char === byte.openObject)
        this.place = 'first'
        return false
      case 'first':
      case 'element':
        if (char === byte.closeArray && this.place === 'first') this.place = 'after'
        else if (char === byte.openObject) return this.begin()
        else throw this.broken('no object stands there')
        return false
      case 'next':
        if (char === byte.comma) this.place = 'element'
        else if (char === byte.closeArray) this.place = 'after'
        else throw this.broken('a comma is missing')
        return false
      case 'after':
        throw this.broken('something stands behind the array')
    }
  }

  private begin(): true {
    this.place = 'next'
    this.depth = 1
    this.elementLine = this.line
    return true
  }

  private inside(char: number): void {
    if (this.inText) {
      if (this.isEscaped) this.isEscaped = false
      else if (char === byte.backslash) this.isEscaped = true
      else if (char === byte.quote) this.inText = false
    } else if (char === byte.quote) this.inText = true
    else if (char === byte.openObject || char === byte.openArray) this.depth++
    else if (char === byte.closeObject || char === byte.closeArray) this.depth--
  }

  private keep(piece: Buffer): void {
    this.pieces.push(Buffer.from(piece))
    this.pieceBytes += piece.length
    if (this.pieceBytes <= tableLimits.recordBytesMax) return
    const mebibytes = tableLimits.recordBytesMax / 1024 / 1024
    throw new UserError(
      'INPUT_RECORD_TOO_LARGE',
      `the object at line ${this.elementLine} of ${this.label} is longer than ${mebibytes} MiB`,
      { hint: 'is a brace or a quote never closed there?' },
    )
  }

  private broken(reason: string): UserError {
    return invalidArray(this.label, this.line, reason)
  }
}

function invalidArray(label: string, line: number, reason: string): UserError {
  return new UserError('INPUT_JSON_INVALID', `line ${line} of ${label}: ${reason}`, {
    hint: 'a .json file is one array of objects: [{…}, {…}]',
  })
}

function noArray(label: string, isObject: boolean): UserError {
  return new UserError(
    'INPUT_JSON_INVALID',
    `${label} is ${isObject ? 'an object' : 'no array'}, not an array of objects`,
    {
      hint: isObject
        ? 'pass --input-format ndjson where each line holds one object; else write the array that is in it to a file of its own, for example with jq .items'
        : 'a .json file is one array of objects: [{…}, {…}]',
    },
  )
}
