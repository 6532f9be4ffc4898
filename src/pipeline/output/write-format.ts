import { unreachable } from '../../core/errors.js'
import { csvStyleOf, openCsvSink } from '../../tables/csv-text.js'
import type { TextRow } from '../input/input.js'
import { basisFileColumns, csvBasisRow, csvCells, jsonMembersOf } from './answer-cells.js'
import { BasisWriter, joinAnswers, type WriteOptions } from './joined-rows.js'
import { writeParquet } from './parquet.js'
import { sinkOf, type OutputSink, type StagedFile } from './staged-file.js'
import { writeXlsx } from './xlsx.js'

/**
 * Each row's answer is asked for once, and goes to the output and to the basis in the same pass. Returns the number of
 * lines of a basis that is not nested.
 */
export async function writeFormat(
  options: WriteOptions,
  main: StagedFile,
  basisFile: StagedFile | null,
): Promise<number> {
  if (basisFile === null) {
    const basisLineCount = await writeRows(options, null, main)
    await main.close()
    return basisLineCount
  }
  const { input, output } = options
  const sink = sinkOf(basisFile, output.isPacked === true)
  const csv = await openCsvSink(
    sink,
    basisFileColumns,
    csvStyleOf(basisFile.path, input, output.bom === true),
  )
  const basis = new BasisWriter(
    { add: (rows) => csv.add(rows.map(csvBasisRow)) },
    input.textRows([options.nameColumn]),
  )
  try {
    await writeRows(options, basis, main)
    await main.close()
    await sink.end()
    await basisFile.close()
    return basis.lineCount
  } finally {
    await basis.end()
  }
}

/** Returns the number of lines of a basis that is inside, and not nested. */
async function writeRows(
  options: WriteOptions,
  basis: BasisWriter | null,
  file: StagedFile,
): Promise<number> {
  const { format, isPacked } = options.output
  switch (format) {
    case 'csv':
    case 'ndjson': {
      const sink = sinkOf(file, isPacked === true)
      await (format === 'csv' ? writeCsv : writeNdjson)(options, basis, sink)
      await sink.end()
      return 0
    }
    case 'parquet':
      await writeParquet(options, basis, file)
      return 0
    case 'xlsx':
      return writeXlsx(options, basis, file)
    default:
      return unreachable(format)
  }
}

/** The user's cells as they are, then ours. */
async function writeCsv(options: WriteOptions, basis: BasisWriter | null, sink: OutputSink): Promise<void> {
  const { input, columns, output } = options
  const header = [...input.columns, ...columns.map(({ outputName }) => outputName)]
  const csv = await openCsvSink(sink, header, csvStyleOf(output.path, input, output.bom === true))
  const join = (row: TextRow, line: string) => [...row, ...csvCells(line, columns)]
  for await (const rows of joinAnswers(input.textRows(), options, basis, join)) await csv.add(rows)
}

/** One object a line: the user's own text with our members before its last brace. */
async function writeNdjson(
  options: WriteOptions,
  basis: BasisWriter | null,
  sink: OutputSink,
): Promise<void> {
  const { input, columns } = options
  await sink.write('')
  const join = (object: string, line: string) => splice(object, jsonMembersOf(line, columns))
  for await (const lines of joinAnswers(input.objectRows(), options, basis, join))
    await sink.write(`${lines.join('\n')}\n`)
}

function splice(object: string, members: string): string {
  if (members === '') return object
  const before = object.slice(0, object.lastIndexOf('}')).trimEnd()
  return `${before}${before.endsWith('{') && before.length === 1 ? '' : ','}${members}}`
}
