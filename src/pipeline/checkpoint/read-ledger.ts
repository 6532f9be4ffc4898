import { statSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { fileBytes, type ByteSource } from '../../tables/bytes.js'
import { openDelimited } from '../../tables/delimited.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { readLines } from '../../tables/ndjson-lines.js'
import { strictRecords } from '../../tables/csv-scanner.js'
import { openText, textPieces, type TextSource } from '../../tables/text-source.js'
import { ChargeBook, findLedgerColumns, readLedgerEntry, type Charge } from '../rules/ledger.js'

export interface Ledger {
  charges: ReadonlyMap<string, Charge>
  lineCount: number
  /** When the list was written: what left later cannot stand in it. */
  writtenAtMs: number
}

/**
 * Reads a service's list of charges: CSV with any delimiter, its columns known by their headers, or a JSON object a
 * line, as `enrich accounts ledger NAME --json` prints them. Throws LEDGER_INVALID.
 */
export async function readLedger(path: string): Promise<Ledger> {
  const book = new ChargeBook()
  let lineCount = 0
  try {
    const writtenAtMs = statSync(path).mtimeMs
    const file = fileBytes(path, path)
    const text = await openLedger(file)
    const lines = (await isJson(text)) ? jsonRows(text) : csvRows(file, text.encoding)
    let columns: ReturnType<typeof findLedgerColumns> | null = null
    for await (const { header, cells } of lines) {
      columns = header === undefined ? columns : columnsOf(header, path)
      if (cells === undefined || columns === null) continue
      lineCount++
      const entry = readLedgerEntry(cells, columns)
      if (entry !== null) book.add(entry)
    }
    if (columns === null) throw invalid(path, 'it is empty')
    return { charges: book.charges, lineCount, writtenAtMs }
  } catch (error) {
    if (!(error instanceof UserError)) throw invalid(path, 'it cannot be read', error)
    throw error.code === 'LEDGER_INVALID' ? error : invalid(path, error.message, error)
  }
}

type LedgerLine = { header?: readonly string[]; cells?: readonly string[] }

function columnsOf(header: readonly string[], path: string) {
  const columns = findLedgerColumns(header)
  if (columns.customId === undefined) throw invalid(path, 'no column holds the custom_id of each charge')
  return columns
}

function invalid(path: string, what: string, cause?: unknown): UserError {
  return new UserError('LEDGER_INVALID', `the list of charges ${path}: ${what}`, {
    hint: 'a CSV with the columns custom_id and, where there are, run_id, units, kind, at; or what enrich accounts ledger NAME --json prints',
    cause,
  })
}

/** What a charge is known by is ASCII: where the encoding of names beside it is in doubt, any of them does. */
async function openLedger(file: ByteSource): Promise<TextSource> {
  try {
    return await openText(file, undefined)
  } catch (error) {
    const isInDoubt = error instanceof UserError && /^INPUT_ENCODING_(MIXED|UNSURE)$/.test(error.code)
    if (!isInDoubt) throw error
    return openText(file, 'utf-8+windows-1252')
  }
}

async function* jsonRows(text: TextSource): AsyncGenerator<LedgerLine> {
  const textOf = (value: unknown) =>
    typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  for await (const lines of readLines(text, true)) {
    for (const line of lines) {
      const row = JSON.parse(line) as Record<string, unknown>
      yield { header: Object.keys(row), cells: Object.values(row).map(textOf) }
    }
  }
}

async function* csvRows(file: ByteSource, encoding: Encoding): AsyncGenerator<LedgerLine> {
  const headers: LedgerLine[] = []
  const choose = (header: readonly string[]) => {
    headers.push({ header })
    return null
  }
  for await (const records of (await openDelimited(file, { encoding })).records(strictRecords, choose)) {
    yield* headers.splice(0)
    for (const { cells } of records) yield { cells }
  }
}

async function isJson(text: TextSource): Promise<boolean> {
  for await (const piece of textPieces(text.chunks()))
    if (piece.trim() !== '') return piece.trimStart().startsWith('{')
  return false
}
