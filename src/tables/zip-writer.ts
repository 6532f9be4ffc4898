import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createDeflateRaw, crc32, deflateRawSync } from 'node:zlib'
import { UserError } from '../core/errors.js'
import { tableLimits } from './limits-and-errors.js'
import { Packer } from './bytes.js'

/** A compressed file of a zip; `packed` contains its bytes or the path of a temporary file. */
export interface PackedFile {
  readonly packed: Uint8Array | string
  readonly packedBytes: number
  readonly plainBytes: number
  readonly crc: number
}

/** Compresses text in pieces to a temporary file. */
export class PackedFileWriter {
  plainBytes = 0
  private packedBytes = 0
  private crc = 0
  private waiting: string[] = []
  private waitingChars = 0
  private handle: FileHandle | null = null
  private readonly packer = new Packer(createDeflateRaw({ level: 1 }), async (packed) => {
    this.packedBytes += packed.length
    this.handle ??= await open(this.path, 'wx', 0o600)
    await this.handle.writeFile(packed)
  })

  constructor(private readonly path: string) {}

  async write(text: string): Promise<void> {
    this.waiting.push(text)
    this.waitingChars += text.length
    if (this.waitingChars >= tableLimits.packedChars) await this.flush()
  }

  async end(): Promise<PackedFile> {
    await this.flush()
    await this.packer.end()
    await this.close()
    const { path: packed, packedBytes, plainBytes, crc } = this
    return { packed, packedBytes, plainBytes, crc }
  }

  async close(): Promise<void> {
    const { handle } = this
    this.handle = null
    this.packer.close()
    await handle?.close()
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.from(this.waiting.join(''))
    this.waiting = []
    this.waitingChars = 0
    this.plainBytes += bytes.length
    this.crc = crc32(bytes, this.crc)
    await this.packer.write(bytes)
  }
}

/** Compresses a short text in memory. */
export function packText(text: string): PackedFile {
  const plain = Buffer.from(text)
  const packed = deflateRawSync(plain)
  return { packed, packedBytes: packed.length, plainBytes: plain.length, crc: crc32(plain) }
}

/**
 * Writes a zip: the files in order, then the directory. Sizes precede each file, so that it can be read as a stream.
 * Throws OUTPUT_UNWRITABLE, before the first byte, if it exceeds the limit of zips without extensions, which some
 * programs cannot read.
 */
export async function writeZip(
  files: readonly (readonly [name: string, file: PackedFile])[],
  write: (bytes: Uint8Array) => Promise<void>,
  bytesMax: number = tableLimits.zipBytesMax,
): Promise<void> {
  const plainBytes = files.map(([, file]) => file.plainBytes)
  if (Math.max(calculateZipBytes(files), ...plainBytes) > bytesMax) throw createTooLargeError(bytesMax)
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, file] of files) {
    const fileName = Buffer.from(name)
    const facts = buildFileHeader(file, fileName)
    directory.push(buildDirectoryEntry(facts, offset), fileName)
    await write(Buffer.concat([localMark, facts, noExtra, fileName]))
    if (typeof file.packed === 'string')
      for await (const chunk of createReadStream(file.packed)) await write(chunk as Buffer)
    else await write(file.packed)
    offset += localMark.length + facts.length + noExtra.length + fileName.length + file.packedBytes
  }
  const whole = Buffer.concat(directory)
  const end = Buffer.alloc(endBytes)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length / 2, 8)
  end.writeUInt16LE(directory.length / 2, 10)
  end.writeUInt32LE(whole.length, 12)
  end.writeUInt32LE(offset, 16)
  await write(Buffer.concat([whole, end]))
}

/** Returns the size of the whole zip, with names and directory. */
function calculateZipBytes(files: readonly (readonly [name: string, file: PackedFile])[]): number {
  const aroundBytes = localMark.length + factsBytes + noExtra.length + entryBytes
  return files.reduce(
    (sum, [name, file]) => sum + aroundBytes + 2 * Buffer.byteLength(name) + file.packedBytes,
    endBytes,
  )
}

const factsBytes = 24
const entryBytes = 46
const endBytes = 22
const localMark = Buffer.from('PK\x03\x04', 'latin1')
const noExtra = Buffer.alloc(2)
const deflated = 8
/** 1 January 1980, so that equal rows produce equal files. */
const dosDate = 0x21

/** Returns the header fields that a file shares with its directory entry. */
function buildFileHeader({ crc, packedBytes, plainBytes }: PackedFile, fileName: Buffer): Buffer {
  const facts = Buffer.alloc(factsBytes)
  facts.writeUInt16LE(20, 0)
  facts.writeUInt16LE(deflated, 4)
  facts.writeUInt16LE(dosDate, 8)
  facts.writeUInt32LE(crc, 10)
  facts.writeUInt32LE(packedBytes, 14)
  facts.writeUInt32LE(plainBytes, 18)
  facts.writeUInt16LE(fileName.length, 22)
  return facts
}

function buildDirectoryEntry(facts: Buffer, offset: number): Buffer {
  const entry = Buffer.alloc(entryBytes)
  entry.write('PK\x01\x02', 'latin1')
  entry.writeUInt16LE(20, 4)
  facts.copy(entry, 6)
  entry.writeUInt32LE(offset, 42)
  return entry
}

function createTooLargeError(bytesMax: number): UserError {
  const most = bytesMax === tableLimits.zipBytesMax ? '4 GiB' : `${bytesMax} bytes`
  return new UserError('OUTPUT_UNWRITABLE', `an .xlsx file of more than ${most} cannot be written`, {
    hint: 'write Parquet or .csv.gz: enrich export writes the existing answers and submits nothing',
  })
}
