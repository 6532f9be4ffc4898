import { unreachable } from '../../core/errors.js'
import type { Input, MemberRows, RelationRows } from '../input/input.js'
import { writerLimits } from './limits.js'
import type { OutputFormat } from './output-format.js'

/** What of an input its rows are written by. */
export type WrittenInput = Pick<
  Input,
  | 'columns'
  | 'delimiter'
  | 'files'
  | 'format'
  | 'sheetName'
  | 'textRows'
  | 'objectRows'
  | 'cellRows'
  | 'parquetSource'
>

/** The first rows of an input, as an input: every way of reading them that its output format takes. */
export interface Sample {
  readonly input: WrittenInput
  readonly rowCount: number
}

/** `use` is given the first rows, read the way an output of this format reads them; not called where there are none. */
export async function withSample(
  input: Input,
  format: OutputFormat,
  rowCount: number,
  use: (sample: Sample) => Promise<unknown>,
): Promise<void> {
  const rowsMax = sampleRowsMax(input.columns.length)
  switch (format) {
    case 'csv':
      for await (const batch of input.textRows()) {
        const rows = batch.slice(0, rowsMax)
        await use(sampleOf(input, rows.length, { textRows: () => once(rows) }))
        return
      }
      return
    case 'ndjson':
      for await (const batch of input.objectRows()) {
        const rows = batch.slice(0, rowsMax)
        await use(sampleOf(input, rows.length, { objectRows: () => once(rows) }))
        return
      }
      return
    case 'xlsx':
      for await (const batch of input.cellRows()) {
        const rows = batch.slice(0, rowsMax)
        await use(sampleOf(input, rows.length, { cellRows: () => once(rows) }))
        return
      }
      return
    case 'parquet':
      await withParquetSample(input, rowsMax, rowCount, use)
      return
    default:
      return unreachable(format)
  }
}

async function withParquetSample(
  input: Input,
  rowsMax: number,
  rowCount: number,
  use: (sample: Sample) => Promise<unknown>,
): Promise<void> {
  const source = input.parquetSource()
  const sourced = (count: number, parquet: RelationRows | MemberRows) =>
    use(sampleOf(input, count, { parquetSource: () => parquet }))
  if (source.kind === 'members') {
    for await (const batch of source.rows()) {
      const rows = batch.slice(0, rowsMax)
      await sourced(rows.length, { ...source, rows: () => once(rows) })
      return
    }
    return
  }
  const count = Math.min(rowsMax, rowCount)
  const bytesEstimate = (source.bytesEstimate * count) / Math.max(1, rowCount)
  const relation = `(SELECT * FROM ${source.relation} LIMIT ${count})`
  await sourced(count, { ...source, bytesEstimate, relation, rowCount: () => Promise.resolve(count) })
}

const sampleRowsMax = (columnCount: number): number =>
  Math.max(1, Math.min(writerLimits.answerRows, Math.floor(writerLimits.sampleCells / columnCount)))

function sampleOf(input: Input, rowCount: number, own: Partial<Sample['input']>): Sample {
  const { textRows } = own
  return {
    rowCount,
    input: {
      columns: input.columns,
      delimiter: input.delimiter,
      files: input.files,
      format: input.format,
      sheetName: input.sheetName,
      objectRows: () => input.objectRows(),
      cellRows: () => input.cellRows(),
      parquetSource: () => input.parquetSource(),
      ...own,
      // The basis file reads its names beside the rows.
      textRows: (columns) =>
        columns === undefined && textRows !== undefined
          ? textRows()
          : upTo(input.textRows(columns), rowCount),
    },
  }
}

async function* once<Item>(item: Item): AsyncGenerator<Item> {
  await Promise.resolve()
  yield item
}

async function* upTo<Row>(
  batches: AsyncIterable<readonly Row[]>,
  rowsMax: number,
): AsyncGenerator<readonly Row[]> {
  let left = rowsMax
  for await (const batch of batches) {
    yield batch.slice(0, left)
    left -= batch.length
    if (left <= 0) return
  }
}
