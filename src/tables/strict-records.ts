import { PlainCsv } from './plain-csv.js'
import type { ChooseColumns, RecordReader, RecordSource, TableRecord } from './records.js'
import { textPieces } from './text-source.js'

/**
 * Records as csv-parse reads them: the first defect ends the reading, behind the records before it. Records with fewer
 * or more cells than the header are kept as they are. Throws INPUT_QUOTE_UNCLOSED, INPUT_CSV_INVALID,
 * INPUT_RECORD_TOO_LARGE and INPUT_COLUMNS_TOO_MANY, each with the line.
 */
export const strictRecords: RecordReader<TableRecord> = async function* (source, choose) {
  const pick = picker(choose)
  let givenCount = 0
  for await (const records of plainRecords(source)) {
    if (records === 'unplain') {
      const { parsedRecords } = await import('./parsed-records.js')
      for await (const rest of withoutFirst(parsedRecords(source), givenCount)) yield pick(rest)
      return
    }
    givenCount += records.length
    yield pick(records)
  }
}

/** Records up to the first that is not plain. */
async function* plainRecords(source: RecordSource): AsyncGenerator<readonly TableRecord[] | 'unplain'> {
  const plain = new PlainCsv(source.delimiter)
  const recordsOf = (rows: readonly string[][]) =>
    rows.map((cells): TableRecord => ({ cells, line: null, reason: null }))
  for await (const piece of textPieces(source.chunks())) {
    const rows = plain.push(piece)
    if (rows.length > 0) yield recordsOf(rows)
    if (plain.isUnplain) break
  }
  const rows = plain.isUnplain ? [] : plain.end()
  if (rows.length > 0) yield recordsOf(rows)
  if (plain.isUnplain) yield 'unplain'
}

async function* withoutFirst(
  batches: AsyncIterable<readonly TableRecord[]>,
  count: number,
): AsyncGenerator<readonly TableRecord[]> {
  let left = count
  for await (const records of batches) {
    if (left < records.length) yield records.slice(left)
    left = Math.max(0, left - records.length)
  }
}

/** Gives the header to `choose`, and of the records below it what was chosen. */
function picker(choose: ChooseColumns): (records: readonly TableRecord[]) => readonly TableRecord[] {
  let choice: { readonly indexes: readonly number[] | null } | null = null
  return (records) => {
    const isFirst = choice === null
    const { indexes } = (choice ??= { indexes: choose(records[0]?.cells ?? []) })
    const rows = isFirst ? records.slice(1) : records
    if (indexes === null) return rows
    return rows.map((row) => ({ ...row, cells: indexes.map((index) => row.cells[index] ?? '') }))
  }
}
