import { open, type FileHandle } from 'node:fs/promises'
import { readFooter } from './parquet-file.js'
import {
  columnNamesOf,
  footerAround,
  haveSameSchema,
  parquetEnd,
  parquetMagic,
  partOf,
  type ParquetPart,
} from './row-group-files.js'

const copiedBytes = 1024 * 1024

/** A Parquet file as its footer tells of it. */
export interface ParquetFacts {
  readonly rowCount: number
  readonly columns: readonly string[]
  /** Whether another file has the same columns, types and nesting. */
  readonly isLike: (other: ParquetFacts) => boolean
  readonly part: ParquetPart
}

/** Throws on a file that is no whole Parquet. */
export async function readParquetFacts(path: string): Promise<ParquetFacts> {
  const part = partOf([{ files: [await readFooter(path)], byThread: null }], parquetMagic.length)
  return {
    rowCount: part.rowCount,
    columns: columnNamesOf(part),
    isLike: (other) => haveSameSchema(part, other.part),
    part,
  }
}

/**
 * Writes the rows of whole Parquet files, in order, as one new file: row groups are copied as they are, and nothing is
 * decoded. Metadata are those of the first. Throws where columns differ.
 */
export async function joinParquet(paths: readonly string[], target: string): Promise<void> {
  const file = await open(target, 'wx')
  try {
    await file.writeFile(parquetMagic)
    let at = parquetMagic.length
    let first: ParquetPart | null = null
    let rowCount = 0
    let rowGroupCount = 0
    const rowGroups: Buffer[] = []
    for (const path of paths) {
      const footer = await readFooter(path)
      const part = partOf([{ files: [footer], byThread: null }], at)
      first ??= part
      if (!haveSameSchema(first, part)) throw new Error(`${path} has other columns than the first file`)
      await copyBody(path, footer.bodyBytes, file)
      at += footer.bodyBytes
      rowCount += part.rowCount
      rowGroupCount += part.rowGroupCount
      rowGroups.push(part.rowGroups)
    }
    if (first === null) throw new Error('there is no file to join')
    const { before, after } = footerAround(first, rowCount, rowGroupCount)
    const footer = Buffer.concat([before, ...rowGroups, after])
    await file.writeFile(Buffer.concat([footer, parquetEnd(footer.length)]))
  } finally {
    await file.close()
  }
}

async function copyBody(path: string, bodyBytes: number, to: FileHandle): Promise<void> {
  const from = await open(path)
  try {
    const buffer = Buffer.allocUnsafe(Math.min(copiedBytes, Math.max(1, bodyBytes)))
    for (let left = bodyBytes; left > 0;) {
      const at = parquetMagic.length + bodyBytes - left
      const { bytesRead } = await from.read(buffer, 0, Math.min(left, buffer.length), at)
      if (bytesRead === 0) throw new Error(`${path} ends too early`)
      await to.writeFile(buffer.subarray(0, bytesRead))
      left -= bytesRead
    }
  } finally {
    await from.close()
  }
}
