import { open, type FileHandle } from 'node:fs/promises'
import { UserError } from '../../core/errors.js'
import { fileError } from '../file-error.js'
import { emptyFile } from '../text-source.js'
import { damagedWorkbook, otherSpreadsheet } from './xlsx-error.js'

/** The older format, and an .xlsx with a password inside the same container. */
const compoundFile = 0xd0cf11e0
const zipBeginning = 0x504b0304

/** Whether a file may be an .xlsx, by its first bytes, whatever it is called. Throws INPUT_FORMAT_UNKNOWN if not. */
export async function refuseOtherKinds(path: string, label: string): Promise<void> {
  const kind = await kindOf(path).catch((error: unknown) => {
    throw fileError(error, label)
  })
  if (kind === 'zip') return
  if (kind === 'empty') throw emptyFile(label)
  if (kind === 'text') {
    throw new UserError('INPUT_FORMAT_UNKNOWN', `${label} is called an Excel file and is text`, {
      hint: 'pass --input-format csv where it holds a table with delimiters; save HTML as .xlsx, or as CSV',
    })
  }
  if (kind === 'other') throw damagedWorkbook(label, 'its first bytes are not those of one')
  if (kind === 'old') throw otherSpreadsheet(label, 'an old workbook (.xls)')
  throw otherSpreadsheet(
    label,
    'a workbook behind a password',
    'open it with its password and save it without one',
  )
}

async function kindOf(path: string): Promise<'zip' | 'old' | 'locked' | 'empty' | 'text' | 'other'> {
  const file = await open(path)
  try {
    const start = await bytesAt(file, 0)
    if (start.length === 0) return 'empty'
    const magic = start.length < 4 ? 0 : start.readUInt32BE(0)
    if (magic === zipBeginning) return 'zip'
    if (magic !== compoundFile) return isText(start) ? 'text' : 'other'
    if (start.length < 512) return 'old'
    // [MS-CFB] 2.2: where the list of streams begins, in sectors behind the header.
    const directoryAt = (start.readUInt32LE(48) + 1) * 2 ** Math.min(start.readUInt16LE(30), 12)
    const places = [start, await bytesAt(file, directoryAt), await bytesAt(file, -1)]
    const name = Buffer.from('EncryptedPackage', 'utf16le')
    return places.some((bytes) => bytes.includes(name)) ? 'locked' : 'old'
  } finally {
    await file.close()
  }
}

/** No other control characters than white space: some programs call their tables of text or HTML `.xls`. */
function isText(start: Buffer): boolean {
  return start.length > 4 && start.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d))
}

const pieceBytes = 64 * 1024

/** A piece of the file; the last one where `place` is negative. */
async function bytesAt(file: FileHandle, place: number): Promise<Buffer> {
  const from = place < 0 ? Math.max(0, (await file.stat()).size - pieceBytes) : place
  const { buffer, bytesRead } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, from)
  return buffer.subarray(0, bytesRead)
}
