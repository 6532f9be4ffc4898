import { assertNever } from '../../core/errors.js'
import type { WrittenCell } from '../../tables/writers.js'
import type { Input, InputLayout, InputRows, RelationRows } from '../input/input.js'
import { writerLimits, type OutputFormat } from './output-format.js'

/** The parts of an input that writers need. */
export interface WrittenInput extends Pick<Input, 'columns' | 'files'> {
  readonly layout: Pick<InputLayout, 'delimiter' | 'sheetName' | 'sheetColumns'>
  readonly rows: WrittenRows
}

interface WrittenRows extends Pick<InputRows, 'texts' | 'objects' | 'parquet'> {
  /** Reads each row as cells of an Excel sheet. */
  cells(): AsyncIterable<readonly (readonly WrittenCell[])[]>
}

/** The first rows of an input. Supports the row methods that its output format uses. */
export interface Sample {
  readonly input: WrittenInput
  readonly rowCount: number
}

/** Passes the first rows to `use`. Does not call it for an empty input. */
export async function withSample(
  input: Input,
  format: OutputFormat,
  rowCount: number,
  use: (sample: Sample) => Promise<unknown>,
): Promise<void> {
  const rowsMax = sampleRowsMax(input.columns.length)
  const withFirst = async <Row>(
    batches: AsyncIterable<readonly Row[]>,
    getReaders: (rows: () => AsyncIterable<readonly Row[]>) => Partial<WrittenRows>,
  ) => {
    for await (const batch of batches) {
      const rows = batch.slice(0, rowsMax)
      await use({
        rowCount: rows.length,
        input: createSample(
          input,
          rows.length,
          getReaders(() => yieldOnce(rows)),
        ),
      })
      return
    }
  }
  switch (format) {
    case 'csv':
      return withFirst(input.rows.texts(), (texts) => ({ texts }))
    case 'ndjson':
      return withFirst(input.rows.objects(), (objects) => ({ objects }))
    case 'xlsx':
      return withFirst(input.rows.cells(), (cells) => ({ cells }))
    case 'parquet': {
      const source = input.rows.parquet()
      if (source.kind === 'members')
        return withFirst(source.readMembers(), (rows) => ({
          parquet: () => ({ ...source, readMembers: rows }),
        }))
      const count = Math.min(rowsMax, rowCount)
      const first: RelationRows = {
        ...source,
        bytesEstimate: (source.bytesEstimate * count) / Math.max(1, rowCount),
        relation: `(SELECT * FROM ${source.relation} LIMIT ${count})`,
        countRows: () => Promise.resolve(count),
      }
      await use({ rowCount: count, input: createSample(input, count, { parquet: () => first }) })
      return
    }
    default:
      return assertNever(format)
  }
}

const sampleRowsMax = (columnCount: number): number =>
  Math.max(1, Math.min(writerLimits.answerRows, Math.floor(writerLimits.sampleCells / columnCount)))

function createSample(input: Input, rowCount: number, own: Partial<WrittenRows>): WrittenInput {
  const { columns, files, layout, rows } = input
  const { texts } = own
  return {
    columns,
    files,
    layout,
    rows: {
      ...rows,
      ...own,
      // The basis file reads the names in a separate pass.
      texts: (named) =>
        named === undefined && texts !== undefined ? texts() : limitRows(rows.texts(named), rowCount),
    },
  }
}

async function* yieldOnce<Item>(item: Item): AsyncGenerator<Item> {
  await Promise.resolve()
  yield item
}

async function* limitRows<Row>(
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
