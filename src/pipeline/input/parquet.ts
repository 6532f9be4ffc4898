import { UserError } from '../../core/errors.js'
import { openParquetFiles } from '../../parquet/parquet-files.js'
import { createTooManyColumnsError, tableLimits } from '../../tables/limits-and-errors.js'
import { toSqlCell } from '../../tables/writers.js'
import { getBlocks, type Partition } from '../../core/partition.js'
import { createMissingColumnError, UnitedColumns } from './header-and-cells.js'
import { readFolderCells } from './file-content.js'
import type { SourceFile } from './sources.js'
import {
  splitIntoBatches,
  type CellRow,
  type InputFile,
  type InputTable,
  type RelationRows,
  type TextRow,
} from './table.js'

export interface ParquetOptions {
  readonly rowsMax?: number | undefined
  /** Read only the row groups of one part. */
  readonly partition?: Partition | undefined
  /** Folder in which DuckDB stores data that does not fit in memory. */
  readonly temporaryFolder: string
}

/** Estimated bytes in memory for each byte of a Parquet file. */
const unpackedPerPackedByte = 4

/** Opens one or several Parquet files as one table, read by DuckDB. Throws INPUT_EMPTY and INPUT_PARQUET_INVALID. */
export async function openParquet(
  files: readonly SourceFile[],
  { rowsMax, partition, temporaryFolder }: ParquetOptions,
): Promise<InputTable> {
  const empty = files.find(({ bytes }) => bytes === 0)
  if (empty !== undefined) {
    throw new UserError('INPUT_EMPTY', `${empty.label} is empty`, {
      hint: 'check that it was written completely',
    })
  }
  const opened = await openParquetFiles(files, {
    rowsMax,
    temporaryFolder,
    columnsMax: tableLimits.columnsMax,
    chooseRowGroups:
      partition === undefined ? null : (rowCounts: readonly number[]) => getBlocks(rowCounts, partition),
    addCells: (own) => readFolderCells(files, own),
    uniteNames: (namesOfFiles) => {
      const united = new UnitedColumns()
      return namesOfFiles.map((names) => united.add(names))
    },
  })
  if (opened === null) throw createTooManyColumnsError(files.map(({ label }) => label).join(', '))
  return new ParquetTable(files, opened)
}

class ParquetTable implements InputTable {
  readonly columns: readonly string[]
  readonly layout: InputTable['layout']

  constructor(
    private readonly files: readonly SourceFile[],
    private readonly opened: NonNullable<Awaited<ReturnType<typeof openParquetFiles>>>,
  ) {
    this.columns = opened.columns.map(({ name }) => name)
    this.layout = { nested: opened.nested, listFiles: () => this.listFiles() }
  }

  textRows(columns: readonly string[], isSample = false): AsyncGenerator<readonly TextRow[]> {
    const missing = columns.find((name) => !this.opened.hasText(name))
    if (missing !== undefined) throw createMissingColumnError(missing)
    return splitIntoBatches(this.opened.readTexts(columns, isSample))
  }

  objectRows(): AsyncGenerator<readonly string[]> {
    return splitIntoBatches(this.opened.readObjects())
  }

  async *cellRows(): AsyncGenerator<readonly CellRow[]> {
    const types = this.opened.columns.map(({ type }) => type)
    for await (const rows of this.textRows(this.columns)) {
      yield rows.map((row) => row.map((text, index) => toSqlCell(text, types[index] ?? 'VARCHAR')))
    }
  }

  parquetSource(): RelationRows {
    const { relation, isScan, share } = this.opened
    const bytes = this.files.reduce((sum, file) => sum + file.bytes, 0)
    return {
      kind: 'relation',
      ...this.opened.describeForCopy(),
      bytesEstimate: unpackedPerPackedByte * bytes * share,
      relation,
      isScan,
      countRows: () => this.opened.countRows(),
    }
  }

  validate(): Promise<void> {
    return this.opened.validate()
  }

  listNotes(): readonly string[] {
    return this.opened.notices
  }

  private listFiles(): readonly InputFile[] {
    return this.files.map(({ label }, at) => ({
      label,
      columns: this.opened.fileColumns[at] ?? [],
      header: null,
    }))
  }

  close(): void {
    this.opened.close()
  }
}
