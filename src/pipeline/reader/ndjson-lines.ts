import { UserError } from '../../core/errors.js'
import { nestsDeeperThan } from '../../core/json-depth.js'
import { readerBounds } from './bounds.js'
import type { TextSource } from './text-source.js'

/**
 * The lines of a file of NDJSON that are not blank, trimmed, as many at a time as a chunk of text holds.
 * Throws INPUT_RECORD_TOO_LARGE, and INPUT_JSON_INVALID where `check` is on, with the line.
 */
export async function* readLines(text: TextSource, check: boolean): AsyncGenerator<readonly string[]> {
  let rest: Buffer[] = []
  let restBytes = 0
  let lineNumber = 0
  const label = text.file.label
  const accept = (line: string, lines: string[]) => {
    lineNumber++
    const trimmed = line.trim()
    if (trimmed === '') return
    if (check) assertObject(trimmed, lineNumber, label)
    lines.push(trimmed)
  }
  for await (const chunk of text.chunks()) {
    const lines: string[] = []
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, end)
      accept((rest.length === 0 ? piece : Buffer.concat([...rest, piece])).toString('utf8'), lines)
      rest = []
      restBytes = 0
      from = end + 1
    }
    if (from < chunk.length) {
      rest.push(Buffer.from(chunk.subarray(from)))
      restBytes += chunk.length - from
      if (restBytes > readerBounds.recordBytesMax) throw tooLarge(lineNumber + 1, label)
    }
    if (lines.length > 0) yield lines
  }
  const last: string[] = []
  if (rest.length > 0) accept(Buffer.concat(rest).toString('utf8'), last)
  if (last.length > 0) yield last
}

function assertObject(line: string, lineNumber: number, label: string): void {
  if (nestsDeeperThan(line, readerBounds.jsonDepthMax)) {
    throw invalid(lineNumber, label, `it nests deeper than ${readerBounds.jsonDepthMax} levels`)
  }
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw invalid(lineNumber, label, error instanceof Error ? error.message : String(error))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(lineNumber, label, 'it is no object')
  }
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
  const mebibytes = readerBounds.recordBytesMax / 1024 / 1024
  return new UserError(
    'INPUT_RECORD_TOO_LARGE',
    `line ${lineNumber} of ${label} is longer than ${mebibytes} MiB`,
    {
      hint: 'NDJSON has one object on each line: is this one JSON document over many lines, or without line ends?',
    },
  )
}
