import { CsvScanner } from './csv-scanner.js'
import { openOneFile } from './open-file.js'
import { headCharsMax, dialectOf } from './table.js'
import { textPieces } from './text-pieces.js'

/** What a file begins with. */
export interface FileSample {
  /** As far as it was read; the file is whole where `isWhole`. */
  readonly text: string
  readonly isWhole: boolean
  /** Of a table: the names of its columns, and rows with as many cells. Empty for anything else. */
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Rows beyond these are not looked at. */
const sampleRowsMax = 2_000

/** Errors: those of files, REGISTRY_IMPORT_INVALID for a zip of several files. */
export async function readSample(path: string): Promise<FileSample> {
  const { text, isWhole } = await headOf(path)
  return { text, isWhole, ...tableIn(text, isWhole) }
}

async function headOf(path: string): Promise<{ text: string; isWhole: boolean }> {
  let text = ''
  for await (const piece of textPieces(await openOneFile(path, null))) {
    text += piece
    if (text.length > headCharsMax) return { text: text.slice(0, headCharsMax), isWhole: false }
  }
  return { text, isWhole: true }
}

function tableIn(text: string, isWhole: boolean): Pick<FileSample, 'header' | 'rows'> {
  let header: readonly string[] = []
  const scanner = new CsvScanner(dialectOf(text, {}), (names) => {
    header = names.map((name) => name.trim())
    return names.map((_, index) => index)
  })
  const records = scanner.push(text)
  if (isWhole) records.push(...scanner.end())
  const rows = records.filter(({ reason }) => reason === null).slice(0, sampleRowsMax)
  return { header, rows: rows.map(({ cells }) => cells) }
}
