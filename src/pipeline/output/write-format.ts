import { assertNever } from '../../core/errors.js'
import { openCsvSink } from '../../tables/writers.js'
import {
  type TextRow,
  createInputChangedError,
  type CellType,
  type MemberRows,
  type RelationRows,
} from '../input/input.js'
import { basisFileColumns, formatCsvBasisRow, formatCsvCells, formatJsonMembers } from './answer-cells.js'
import { BasisWriter, joinAnswers, type WriteOptions, assertAllRows, takeLines } from './joined-rows.js'
import { createSink, type OutputSink, type StagedFile } from './staged-file.js'
import { writeXlsx } from './xlsx.js'
import {
  LineWriter,
  openParquetWriter,
  type LineColumn,
  type LineFile,
} from '../../parquet/parquet-writer.js'
import { columnKinds } from '../answers/column-kinds.js'
import { writerLimits } from './output-format.js'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isAddress } from '../../connectors/connectors.js'
import { removeStaleTemporaries, buildTemporaryPath, resolveFinalPath } from '../../platform/files.js'
import { toWriteError } from './output-path.js'

type ParquetWriter = Awaited<ReturnType<typeof openParquetWriter>>

const cellTypes: Readonly<Record<CellType, string>> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  json: 'JSON',
}

/** Joins each answer once in DuckDB. Columns of a Parquet input stay there; other rows are spooled as lines. */
async function writeParquet(
  options: WriteOptions,
  basis: BasisWriter | null,
  file: StagedFile,
): Promise<void> {
  const { answers, input, signal, rowFiles } = options
  const { columns, memoryBytes } = options.output
  const source = input.rows.parquet()
  const rowColumns = listRowColumns(input.columns, source)
  const writer = await openParquetWriter({
    path: file.temporary,
    // Named after the output, so that the next run finds and removes the leftovers of a killed one.
    folder: `${file.temporary}.parts`,
    metadata: { ...options.metadata, ...(source.kind === 'relation' ? source.metadata : {}) },
    rowColumns,
    readsParquet: source.kind === 'relation',
    lineColumns: columns.map(({ name, outputName, kind }) => ({
      key: name,
      name: outputName,
      type: columnKinds[kind].sqlType,
    })),
    lines: answers?.distinct() ?? nothingBehind,
    memoryBytes,
  })
  const interrupt = () => {
    writer.interrupt()
  }
  signal?.addEventListener('abort', interrupt, { once: true })
  try {
    if (source.kind === 'relation') await writeRelation(source, rowColumns, options, writer)
    else if (rowFiles === undefined) await writeMembers(source, options, file, writer)
    else await writer.addFiles(rowFiles, createRowNumbers(options))
    await writer.end()
    const basisRowCount = basis === null ? 0 : (options.rowCount ?? 0)
    for (let first = 0; first < basisRowCount; first += writerLimits.answerRows)
      await takeLines(options, basis, first, Math.min(writerLimits.answerRows, basisRowCount - first))
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', interrupt)
    await writer.close()
  }
}

/** Lines for rows without answers. */
const nothingBehind = { numbers: Uint32Array.of(0), lines: () => ['{}'] }

function listRowColumns(names: readonly string[], source: RelationRows | MemberRows): readonly LineColumn[] {
  if (source.kind === 'relation')
    return source.columns.map(({ name, type }, index) => ({ key: `c${index}`, name, type }))
  return source.types.map((type, index) => ({
    key: `c${index}`,
    name: names[index] ?? '',
    type: cellTypes[type],
  }))
}

/** Reads exactly one number for each row, because a missing one would shift all later rows. Throws on abort. */
function createRowNumbers({ answers, rowCount, signal }: WriteOptions) {
  return (first: number, count: number): ArrayLike<number> => {
    signal?.throwIfAborted()
    if (first + count > (rowCount ?? Infinity)) throw createInputChangedError('the input')
    const numbers = answers?.numbers(first, count) ?? new Uint32Array(count)
    if (numbers.length !== count)
      throw new Error(`${numbers.length} answers for ${count} rows from row ${first}`)
    return numbers
  }
}

async function writeMembers(
  source: MemberRows,
  options: WriteOptions,
  file: StagedFile,
  writer: ParquetWriter,
): Promise<void> {
  const spool = new RowSpool(file.localPath, '')
  try {
    let first = 0
    for await (const rows of source.readMembers()) {
      options.signal?.throwIfAborted()
      await spool.add(rows)
      first += rows.length
    }
    assertAllRows(options, first)
    await spool.end()
    await writer.addFiles(spool.files, createRowNumbers(options))
  } finally {
    await spool.remove()
  }
}

async function writeRelation(
  source: RelationRows,
  rowColumns: readonly LineColumn[],
  options: WriteOptions,
  writer: ParquetWriter,
): Promise<void> {
  const rowCount = await source.countRows()
  assertAllRows(options, rowCount)
  const { relation, isScan, columns, bytesEstimate } = source
  const cells = new Map(rowColumns.map((column, index) => [column, columns[index]?.cells ?? 'NULL']))
  const rowBytes = bytesEstimate / Math.max(1, rowCount)
  await writer.addRows({ relation, isScan, cells, rowBytes }, rowCount, createRowNumbers(options))
}

/** Writes the output and its basis in one pass. Returns the number of basis lines; 0 for a nested basis. */
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
  const { input } = options
  const sink = createSink(basisFile, options.output.isPacked === true)
  const csv = await openCsvSink(sink, basisFileColumns, toStyle(options, basisFile.path))
  const basis = new BasisWriter(
    { add: (rows) => csv.add(rows.map(formatCsvBasisRow)) },
    input.rows.texts([options.nameColumn]),
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

/** Returns the number of basis lines in a separate sheet, else 0. */
async function writeRows(
  options: WriteOptions,
  basis: BasisWriter | null,
  file: StagedFile,
): Promise<number> {
  const { format, isPacked } = options.output
  switch (format) {
    case 'csv':
    case 'ndjson': {
      const sink = createSink(file, isPacked === true)
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
      return assertNever(format)
  }
}

/** Writes the user's cells unchanged, followed by the answer's cells. */
async function writeCsv(options: WriteOptions, basis: BasisWriter | null, sink: OutputSink): Promise<void> {
  const { input, output } = options
  const { columns } = output
  const header = [...input.columns, ...columns.map(({ outputName }) => outputName)]
  const csv = await openCsvSink(sink, header, toStyle(options, output.path))
  const join = (row: TextRow, line: string) => [...row, ...formatCsvCells(line, columns)]
  for await (const rows of joinAnswers(input.rows.texts(), options, basis, join)) await csv.add(rows)
}

/** Writes one object a line: the user's text, with the answer's members before its last brace. */
async function writeNdjson(
  options: WriteOptions,
  basis: BasisWriter | null,
  sink: OutputSink,
): Promise<void> {
  const { input, output } = options
  const { columns } = output
  await sink.write('')
  const join = (object: string, line: string) => splice(object, formatJsonMembers(line, columns))
  for await (const lines of joinAnswers(input.rows.objects(), options, basis, join))
    await sink.write(`${lines.join('\n')}\n`)
}

function splice(object: string, members: string): string {
  if (members === '') return object
  const before = object.slice(0, object.lastIndexOf('}')).trimEnd()
  return `${before}${before.endsWith('{') && before.length === 1 ? '' : ','}${members}}`
}

/** The style of a CSV file follows its name and that of the input. */
const toStyle = ({ input, output }: WriteOptions, path: string) => ({
  path,
  input: { files: input.files, delimiter: input.layout.delimiter },
  bom: output.bom === true,
})

/**
 * Rows of the first pass in a private folder, as lines of JSON that DuckDB reads later instead of the input. Throws the
 * errors of writing an output, such as DISK_FULL.
 */
export class RowSpool {
  readonly files: LineFile[] = []
  readonly #outputPath: string
  readonly #folder: string
  readonly #lines: LineWriter

  /** Creates the folder next to a file, or in `folderOfOthers`. Removes the leftovers of killed runs. */
  constructor(outputPath: string, folderOfOthers: string) {
    const isFile = outputPath !== '-' && !isAddress(outputPath)
    const target = isFile ? resolveFinalPath(outputPath) : join(folderOfOthers, 'output')
    this.#outputPath = outputPath
    removeStaleTemporaries(target)
    this.#folder = buildTemporaryPath(target, '.rows')
    this.#lines = new LineWriter(this.#folder, 'rows-', true)
    this.#runExplained(() => {
      mkdirSync(this.#folder, { mode: 0o700 })
    })
  }

  /** Adds rows, given by their JSON members. */
  async add(rows: readonly { readonly members: string }[]): Promise<void> {
    for (const { members } of rows) {
      this.#lines.add('{', members, '}')
      if (this.#lines.isFull) await this.#cut()
      else if (this.#lines.isFlushDue) await this.#lines.flush().catch(this.#throwExplained)
    }
  }

  /** Ends the last file. */
  async end(): Promise<void> {
    if (this.#lines.rowCount > 0) await this.#cut()
  }

  async remove(): Promise<void> {
    await this.#lines.close().catch(() => undefined)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #cut(): Promise<void> {
    this.files.push(await this.#lines.cut().catch(this.#throwExplained))
  }

  readonly #throwExplained = (error: unknown): never => {
    throw toWriteError(this.#outputPath, error)
  }

  #runExplained(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#throwExplained(error)
    }
  }
}
