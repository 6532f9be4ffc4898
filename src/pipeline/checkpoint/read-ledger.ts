import { createReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parse } from 'csv-parse'
import { UserError } from '../../core/errors.js'
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
    const lines = (await isJson(path)) ? jsonRows(path) : csvRows(path)
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
    if (error instanceof UserError) throw error
    throw invalid(path, 'it cannot be read', error)
  }
}

type LedgerLine = { header?: string[]; cells?: string[] }

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

async function* jsonRows(path: string): AsyncGenerator<LedgerLine> {
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    if (line.trim() === '') continue
    const row = JSON.parse(line) as Record<string, unknown>
    const text = (value: unknown) =>
      typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
    yield { header: Object.keys(row), cells: Object.values(row).map(text) }
  }
}

async function* csvRows(path: string): AsyncGenerator<LedgerLine> {
  const delimiter = delimiterOf(await firstLine(path))
  const options = { bom: true, delimiter, relax_column_count: true, skip_empty_lines: true }
  let isFirst = true
  for await (const cells of createReadStream(path).pipe(parse(options)) as AsyncIterable<string[]>) {
    yield isFirst ? { header: cells } : { cells }
    isFirst = false
  }
}

async function firstLine(path: string): Promise<string> {
  const lines = createInterface({ input: createReadStream(path, 'utf8') })
  for await (const line of lines) {
    lines.close()
    return line.replace(/^\ufeff/, '')
  }
  return ''
}

const isJson = async (path: string): Promise<boolean> => (await firstLine(path)).trimStart().startsWith('{')

/** What stands most often in the header. */
function delimiterOf(header: string): string {
  const counted = [',', ';', '\t', '|'].map((mark) => ({ mark, count: header.split(mark).length }))
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).mark
}
