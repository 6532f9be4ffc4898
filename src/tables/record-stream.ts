import { createReadStream, statSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { CsvError, parse, type Options } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { UserError } from '../core/errors.js'
import { fileError } from './file-error.js'

/** A record with the number of the line it ends on. */
export interface CsvRecord {
  readonly cells: readonly string[]
  readonly line: number
}

const csvLimits = { recordBytesMax: 1_000_000, headerBytesMax: 65_536 } as const

function parserOptions(delimiter: string): Options {
  return {
    bom: true,
    delimiter,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A stray quote inside a cell is text: registers are full of "Foo "Bar" Ltd".
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: csvLimits.recordBytesMax,
  }
}

/** Streams the records of a file, `.gz` or plain, the header first. */
export async function* streamCsvRecords(path: string): AsyncGenerator<CsvRecord> {
  const delimiter = await sniffDelimiter(path)
  const parser = parse(parserOptions(delimiter))
  // An error in any part destroys the parser, which ends the loop with it.
  pipeline(openBytes(path), parser, () => undefined)
  try {
    for await (const parsed of parser) yield recordOf(parsed)
  } catch (error) {
    throw readFailure(error, path)
  }
}

/** The records of text at hand. */
export function csvRecordsOf(content: Buffer): CsvRecord[] {
  const head = content.subarray(0, csvLimits.headerBytesMax).toString('utf8')
  const parsed: unknown[] = parseSync(content, parserOptions(delimiterOf(head)))
  return parsed.map(recordOf)
}

function recordOf(parsed: unknown): CsvRecord {
  const { record, info } = parsed as { record: string[]; info: { lines: number } }
  return { cells: record, line: info.lines }
}

async function sniffDelimiter(path: string): Promise<string> {
  try {
    let head = Buffer.alloc(0)
    for await (const chunk of openBytes(path)) {
      head = Buffer.concat([head, chunk as Buffer])
      if (head.length >= csvLimits.headerBytesMax || head.includes(10)) break
    }
    return delimiterOf(head.toString('utf8'))
  } catch (error) {
    throw readFailure(error, path)
  }
}

/** The delimiter that the first line holds most of, outside quotes. */
function delimiterOf(text: string): string {
  const line = (text.split(/\r\n|\n|\r/, 1)[0] ?? '').replace(/"[^"]*"/g, '')
  let best = ','
  for (const delimiter of [',', ';', '\t', '|']) {
    if (line.split(delimiter).length > line.split(best).length) best = delimiter
  }
  return best
}

function openBytes(path: string): NodeJS.ReadableStream {
  const file = createReadStream(path)
  if (!path.endsWith('.gz')) return file
  const unzipped = createGunzip()
  pipeline(file, unzipped, () => undefined)
  return unzipped
}

/** SHA-256 of a file as it lies on disk, and its date. Errors: INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE. */
export async function fingerprintFile(path: string): Promise<{ sha256: string; dateMs: number }> {
  try {
    const { mtimeMs } = statSync(path)
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
    return { sha256: hash.digest('hex'), dateMs: mtimeMs }
  } catch (error) {
    throw readFailure(error, path)
  }
}

function readFailure(error: unknown, path: string): unknown {
  if (!(error instanceof CsvError)) return fileError(error, path)
  return new UserError('INPUT_CSV_INVALID', `${path} cannot be read as CSV: ${error.message}`, {
    hint: 'look for an unclosed quote near the line named',
    cause: error,
  })
}
