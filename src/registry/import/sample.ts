import { scannedRecords } from '../../tables/csv-scanner.js'
import { openDelimited } from '../../tables/delimited.js'
import { detectEncoding } from '../../tables/encodings/detect.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { decodeText } from '../../tables/encodings/recode.js'
import { openOneFile } from '../../tables/open-file.js'

/** What a file begins with. */
export interface FileSample {
  readonly encoding: Encoding
  /** As far as it was read; the file is whole where `isWhole`. */
  readonly text: string
  readonly isWhole: boolean
  /** Of a table: the names of its columns, and rows with as many cells. Empty for anything else. */
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Of a file so much is looked at before it is read. */
export const sampleCharsMax = 262_144
/** Rows beyond these are not looked at. */
const sampleRowsMax = 2_000

/** Errors: those of files, REGISTRY_IMPORT_INVALID for a zip of several files. */
export async function readSample(path: string, given?: Encoding): Promise<FileSample> {
  const file = await openOneFile(path, null)
  const detected = await detectEncoding(file, given)
  if (detected === null) return { encoding: 'utf-8', text: '', isWhole: true, header: [], rows: [] }
  const { encoding } = detected
  const { text, isWhole } = await headOf(decodeText(file.bytes(), detected, file.label))
  const isTable = /[\r\n]/.test(text) && !/^\s*[[{]/.test(text)
  return { encoding, text, isWhole, ...(isTable ? await tableOf(path, encoding) : { header: [], rows: [] }) }
}

async function headOf(chunks: AsyncIterable<Buffer>): Promise<{ text: string; isWhole: boolean }> {
  let text = ''
  for await (const chunk of chunks) {
    text += chunk.toString('utf8')
    if (text.length > sampleCharsMax) return { text: text.slice(0, sampleCharsMax), isWhole: false }
  }
  return { text, isWhole: true }
}

async function tableOf(path: string, encoding: Encoding): Promise<Pick<FileSample, 'header' | 'rows'>> {
  const table = await openDelimited(await openOneFile(path, null), { encoding })
  let header: readonly string[] = []
  const rows: (readonly string[])[] = []
  const choose = (names: readonly string[]) => {
    header = names.map((name) => name.trim())
    return null
  }
  for await (const records of table.records(scannedRecords(), choose)) {
    for (const { cells, reason } of records)
      if (reason === null && rows.length < sampleRowsMax) rows.push(cells)
    if (rows.length >= sampleRowsMax) break
  }
  return { header, rows }
}
