import { renameSync, rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { quoteSqlName } from '../core/text.js'
import { openDuckDb, quoteSqlPath } from './duckdb.js'
import {
  buildFooter,
  hasSameRest,
  buildParquetEnd,
  parquetMagic,
  combineSlices,
  type ParquetFooter,
  type ParquetPart,
  type SliceFiles,
  listColumnNames,
  hasSameSchema,
} from './row-group-files.js'

const tailBytes = 8
/** Size of the copy buffer, which fits in a processor's cache. */
const copiedBytes = 256 * 1024

/** Some columns of a part. */
export interface PartSlice {
  readonly paths: readonly string[]
  readonly byThread: SliceFiles['byThread']
}

/** One Parquet file made of whole ones: the row groups of the others are appended to the first. */
export class ParquetFile {
  /** Position after the last row group. */
  #bytes: number = parquetMagic.length
  #rowCount = 0
  #rowGroupCount = 0
  #fileCount = 0
  #first: ParquetPart | null = null
  readonly #rowGroups: Buffer[] = []
  /** Whether the first file can be used unchanged if there is no other. */
  #isFirstWhole = false
  #handle: FileHandle | null = null
  #buffer: Buffer | null = null
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  get isEmpty(): boolean {
    return this.#first === null
  }

  /** Appends a part and deletes its slices, given in column order. Throws if row count or columns differ. */
  async append(slices: readonly PartSlice[], rowCount: number): Promise<void> {
    const read = await Promise.all(
      slices.map(async ({ paths, byThread }) => ({
        files: await Promise.all(paths.map(readFooter)),
        byThread,
      })),
    )
    const taken = combineSlices(read, this.#bytes)
    if (taken.rowCount !== rowCount)
      throw new Error(`a part has ${taken.rowCount} rows instead of ${rowCount}`)
    this.#first ??= taken
    if (!hasSameRest(this.#first, taken)) throw new Error('the parts of the output differ in their columns')
    this.#isFirstWhole ||= this.#fileCount === 0 && slices[0]?.byThread === null
    const bodyBytes = read.flatMap(({ files }) => files.map((file) => file.bodyBytes)).values()
    for (const path of slices.flatMap(({ paths }) => paths))
      await this.#take(path, bodyBytes.next().value ?? 0)
    this.#rowGroups.push(taken.rowGroups)
    this.#rowCount += rowCount
    this.#rowGroupCount += taken.rowGroupCount
  }

  /** Writes the footer. */
  async end(): Promise<void> {
    if (this.#first === null) throw new Error('an output has no parts')
    if (this.#fileCount === 1 && this.#isFirstWhole) return
    const { before, after } = buildFooter(this.#first, this.#rowCount, this.#rowGroupCount)
    const footer = Buffer.concat([before, ...this.#rowGroups, after])
    await this.#write(Buffer.concat([footer, buildParquetEnd(footer.length)]))
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = null
  }

  async #take(path: string, bodyBytes: number): Promise<void> {
    if (this.#fileCount++ === 0) {
      renameSync(path, this.#path)
      this.#bytes += bodyBytes
      return
    }
    const from = await open(path)
    try {
      const buffer = (this.#buffer ??= Buffer.allocUnsafe(copiedBytes))
      for (let left = bodyBytes; left > 0;) {
        const at = parquetMagic.length + bodyBytes - left
        const { bytesRead } = await from.read(buffer, 0, Math.min(left, buffer.length), at)
        if (bytesRead === 0) throw new Error('a part of the output ends too early')
        await this.#write(buffer.subarray(0, bytesRead))
        left -= bytesRead
      }
    } finally {
      await from.close()
    }
    rmSync(path)
  }

  /** Writes after the row groups. */
  async #write(bytes: Buffer): Promise<void> {
    if (this.#handle === null) {
      this.#handle = await open(this.#path, 'a')
      await this.#handle.truncate(this.#bytes)
    }
    await this.#handle.writeFile(bytes)
    this.#bytes += bytes.length
  }
}

/** Throws if the file is not a complete Parquet file. */
async function readFooter(path: string): Promise<ParquetFooter> {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const read = async (start: number, length: number) =>
      (await handle.read(Buffer.alloc(length), 0, length, start)).buffer
    const tail = await read(Math.max(0, size - tailBytes), tailBytes)
    if (!tail.subarray(4).equals(parquetMagic)) throw new Error('a part of the output is not a Parquet file')
    const footerBytes = tail.readUInt32LE(0)
    const bodyEnd = size - tailBytes - footerBytes
    return { footer: await read(bodyEnd, footerBytes), bodyBytes: bodyEnd - parquetMagic.length }
  } finally {
    await handle.close()
  }
}

const bodyPieceBytes = 1024 * 1024

export interface ParquetFacts {
  readonly rowCount: number
  readonly columns: readonly string[]
  /** Returns whether another file has the same columns, types and nesting. */
  readonly isLike: (other: ParquetFacts) => boolean
  readonly part: ParquetPart
}

/** Throws if the file is not a complete Parquet file. */
export async function readParquetFacts(path: string): Promise<ParquetFacts> {
  const part = combineSlices([{ files: [await readFooter(path)], byThread: null }], parquetMagic.length)
  return {
    rowCount: part.rowCount,
    columns: listColumnNames(part),
    isLike: (other) => hasSameSchema(part, other.part),
    part,
  }
}

/**
 * Writes the rows of whole Parquet files, in order, to a new file. Copies row groups without decoding and keeps the
 * metadata of the first file. Throws if the columns differ.
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
      const part = combineSlices([{ files: [footer], byThread: null }], at)
      first ??= part
      if (!hasSameSchema(first, part)) throw new Error(`${path} has different columns from the first file`)
      await copyBody(path, footer.bodyBytes, file)
      at += footer.bodyBytes
      rowCount += part.rowCount
      rowGroupCount += part.rowGroupCount
      rowGroups.push(part.rowGroups)
    }
    if (first === null) throw new Error('there is no file to join')
    const { before, after } = buildFooter(first, rowCount, rowGroupCount)
    const footer = Buffer.concat([before, ...rowGroups, after])
    await file.writeFile(Buffer.concat([footer, buildParquetEnd(footer.length)]))
  } finally {
    await file.close()
  }
}

async function copyBody(path: string, bodyBytes: number, to: FileHandle): Promise<void> {
  const from = await open(path)
  try {
    const buffer = Buffer.allocUnsafe(Math.min(bodyPieceBytes, Math.max(1, bodyBytes)))
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

/** Returns a digest of the rows of a Parquet file, without their order. */
export async function computeParquetDigest(path: string, columns: readonly string[]): Promise<string> {
  const duckDb = await openDuckDb(`${path}.duckdb`)
  try {
    const [row] = await duckDb.all(
      `SELECT count(*) || '-' || coalesce(sum(hash(${columns.map(quoteSqlName).join(', ')})), 0) FROM read_parquet(${quoteSqlPath(path)}, hive_partitioning = false)`,
    )
    return String(row?.[0])
  } finally {
    duckDb.close()
  }
}
