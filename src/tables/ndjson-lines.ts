import { errorText } from '../core/error-text.js'
import { UserError } from '../core/errors.js'
import { nestsDeeperThan } from '../core/json-depth.js'
import { tableLimits } from './limits.js'
import type { TextSource } from './text-source.js'

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
export function faultOf(line: string): string | null {
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
