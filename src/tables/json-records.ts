import { UserError, getErrorText } from '../core/errors.js'
import { tableLimits } from './limits-and-errors.js'
import type { TextChunks } from './bytes.js'
import { isDeeperThan, listJsonMembers } from '../core/json.js'

/**
 * Reads the non-blank lines of an NDJSON file, trimmed, in batches. Throws INPUT_RECORD_TOO_LARGE and, with `check`,
 * INPUT_JSON_INVALID with the line.
 */
export async function* readLines(text: TextChunks, check: boolean): AsyncGenerator<readonly string[]> {
  const cutter = new LineCutter(text.label)
  let lineNumber = 0
  const splitPieces = async function* () {
    for await (const chunk of text.chunks()) yield cutter.cut(chunk)
    yield cutter.end()
  }
  for await (const piece of splitPieces()) {
    const lines: string[] = []
    let failure: UserError | null = null
    for (const whole of piece) {
      lineNumber++
      const line = whole.trim()
      if (line === '') continue
      const place = `line ${lineNumber} of ${text.label}`
      failure = check ? findFault(line, place, createLineError) : null
      if (failure !== null) break
      lines.push(line)
    }
    // Valid lines are returned first, so that a reader that stops early never sees the error.
    if (lines.length > 0) yield lines
    if (failure !== null) throw failure
  }
}

/** Splits chunks into lines and keeps an incomplete line for the next chunk. */
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
    if (this.restBytes > tableLimits.recordBytesMax) throw createTooLargeError(this.lineCount + 1, this.label)
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

/** Returns the error of a text that is not a valid JSON object, or has a key twice; `null` for others. */
function findFault(
  line: string,
  place: string,
  createError: (place: string, reason: string) => UserError,
): UserError | null {
  if (isDeeperThan(line, tableLimits.jsonDepthMax))
    return createError(place, `it nests deeper than ${tableLimits.jsonDepthMax} levels`)
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return createError(place, describeSyntaxFault(getErrorText(error)))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return createError(place, 'it is not an object')
  const repeated = findRepeatedKey(line, value)
  if (repeated === null) return null
  return new UserError('INPUT_COLUMNS_DUPLICATE', `${place} has the key ${JSON.stringify(repeated)} twice`, {
    hint: 'rename one of them, or remove one: an object has one value for each key',
  })
}

/** Returns a key that a JSON object, or one inside it, has twice, with two values. `value`: the parsed object, which has only one of them. */
function findRepeatedKey(object: string, value: object): string | null {
  const members = listJsonMembers(object)
  // The same value twice loses nothing.
  if (members.length > Object.keys(value).length) {
    const isOther = ({ key, raw }: (typeof members)[number]) =>
      members.find((first) => first.key === key)?.raw !== raw
    const repeated = members.find(isOther)
    if (repeated !== undefined) return repeated.key
  }
  for (const { key, raw } of members) {
    const inner = raw.startsWith('{')
      ? findRepeatedKey(raw, (value as Record<string, object>)[key] ?? {})
      : null
    if (inner !== null) return inner
  }
  return null
}

/** Describes a fault that the parser found, without the text around it. */
function describeSyntaxFault(message: string): string {
  if (/^Unexpected end|^Unterminated/.test(message)) return 'it ends in the middle'
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return `its syntax is wrong at character ${Number(position) + 1}`
  const token = /^Unexpected token '?(.)/u.exec(message)?.[1]
  return `its syntax is wrong${token === undefined ? '' : ` at ${JSON.stringify(token)}`}`
}

function createLineError(place: string, reason: string): UserError {
  return new UserError('INPUT_JSON_INVALID', `${place} is not a JSON object: ${reason}`, {
    hint: 'NDJSON has one complete object on each line',
  })
}

function createTooLargeError(lineNumber: number, label: string): UserError {
  const mebibytes = tableLimits.recordBytesMax / 1024 / 1024
  return new UserError(
    'INPUT_RECORD_TOO_LARGE',
    `line ${lineNumber} of ${label} is longer than ${mebibytes} MiB`,
    {
      hint: 'NDJSON has one object on each line: check that the file is not one JSON document, and has line ends',
    },
  )
}

/**
 * Reads the objects of a JSON array, each as one line, in batches. Only line breaks between tokens are changed. Throws
 * INPUT_RECORD_TOO_LARGE, and INPUT_JSON_INVALID with the line: always for a broken array, and with `check` for bad
 * objects.
 */
export async function* readArray(text: TextChunks, check: boolean): AsyncGenerator<readonly string[]> {
  const cutter = new ArrayCutter(text.label)
  for await (const chunk of text.chunks()) {
    const objects: string[] = []
    let failure: Error | null = null
    try {
      cutter.cut(chunk, (element, line) => {
        const object = element.toString('utf8').replace(/[\r\n]+[ \t]*/g, '')
        const fault = check ? findFault(object, `line ${line} of ${text.label}`, createObjectError) : null
        if (fault !== null) throw fault
        objects.push(object)
      })
    } catch (error) {
      failure = error as Error
    }
    // Valid objects are returned first, so that a reader that stops early never sees the error.
    if (objects.length > 0) yield objects
    if (failure !== null) throw failure
  }
  cutter.end()
}

/** Position of the cutter between elements. */
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

/** Finds the start and end of each object in an array, without validating the objects. */
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
        if (this.readBetween(char, chunk)) from = at
        continue
      }
      this.readInside(char)
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
    if (this.place !== 'after') throw this.createError('it ends too early: the array is not closed')
  }

  /** Returns whether an object starts here. */
  private readBetween(char: number, chunk: Buffer): boolean {
    if (char === 0x20 || char === 0x09 || char === 0x0a || char === 0x0d) return false
    switch (this.place) {
      case 'start':
        if (char !== byte.openArray) throw createNoArrayError(this.label, chunk.toString('utf8').trim())
        this.place = 'first'
        return false
      case 'first':
      case 'element':
        if (char === byte.closeArray && this.place === 'first') this.place = 'after'
        else if (char === byte.openObject) return this.begin()
        else throw this.createError('expected an object')
        return false
      case 'next':
        if (char === byte.comma) this.place = 'element'
        else if (char === byte.closeArray) this.place = 'after'
        else throw this.createError('a comma is missing')
        return false
      case 'after':
        throw this.createError('unexpected text after the array')
    }
  }

  private begin(): true {
    this.place = 'next'
    this.depth = 1
    this.elementLine = this.line
    return true
  }

  private readInside(char: number): void {
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
      { hint: 'check that its braces and quotes are closed' },
    )
  }

  private createError(reason: string): UserError {
    return createArrayError(`line ${this.line} of ${this.label}`, reason)
  }
}

const createObjectError = (place: string, reason: string): UserError =>
  createArrayError(place, `expected an object: ${reason}`)

function createArrayError(place: string, reason: string): UserError {
  return new UserError('INPUT_JSON_INVALID', `${place}: ${reason}`, {
    hint: 'a .json file is one array of objects: [{…}, {…}]',
  })
}

function createNoArrayError(label: string, start: string): UserError {
  const isObject = start.startsWith('{')
  const [, member = 'items'] = /"(\w{1,40})"\s*:\s*\[/.exec(start) ?? []
  return new UserError(
    'INPUT_JSON_INVALID',
    `${label} is ${isObject ? 'an object' : 'not an array'}, but must be an array of objects`,
    {
      hint: isObject
        ? `pass --input-format ndjson if each line is one object; else write its array to a separate file, for example with jq .${member}`
        : 'a .json file is one array of objects: [{…}, {…}]',
    },
  )
}
