import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZippedFile {
  readonly name: string
  readonly content: string | Buffer
  /** Says that it is encrypted, which it is not. */
  readonly encrypted?: boolean
  /** Says that it unpacks to so many bytes. */
  readonly statedBytes?: number
}

export function writeZip(folder: string, name: string, files: readonly ZippedFile[]): string {
  const path = join(folder, name)
  writeFileSync(path, zipOf(files))
  return path
}

/** Packs a zip as zip tools do: a header before each file, the directory at the end. */
export function zipOf(files: readonly ZippedFile[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const plain = Buffer.from(file.content)
    const packed = deflateRawSync(plain, { level: 9 })
    const fileName = Buffer.from(file.name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(file.encrypted === true ? 1 : 0, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(plain), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(file.statedBytes ?? plain.length, 18)
    common.writeUInt16LE(fileName.length, 22)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, fileName, packed)
    const entry = Buffer.alloc(46)
    entry.write('PK\x01\x02', 'latin1')
    entry.writeUInt16LE(20, 4)
    common.copy(entry, 6)
    entry.writeUInt32LE(offset, 42)
    directory.push(entry, fileName)
    offset += 30 + fileName.length + packed.length
  }
  const directoryBytes = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directoryBytes.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, directoryBytes, end])
}
