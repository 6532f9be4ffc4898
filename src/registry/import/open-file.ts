import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UserError } from '../../core/errors.js'
import { fileError } from './file-error.js'
import { importLimits } from './limits.js'
import { zipMembers } from './zip-members.js'

type Packing = 'plain' | 'gzip' | 'zip'

/** A file whose text can be read as a stream. */
export interface TextFile {
  /** For errors: the path, and within a zip the member. */
  readonly label: string
  /** The bytes, unpacked. */
  readonly bytes: AsyncIterable<unknown>
}

/**
 * The one file that a path means: itself, plain or `.gz`, or the one in a zip that `wanted` names (any data
 * file where it is null). Packing is told by the bytes, not by the name.
 * Errors: INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE, INPUT_COMPRESSION_CORRUPT,
 * REGISTRY_IMPORT_INVALID (a zip without such a file, or with several).
 */
export async function openOneFile(path: string, wanted: RegExp | null): Promise<TextFile> {
  const packing = await packingOf(path)
  if (packing !== 'zip') return openUnzipped(path, packing)
  const name = await theMember(path, wanted ?? dataFile)
  for await (const member of zipMembers(path)) {
    // What was opened can be read after the zip is closed.
    if (member.name === name) return { label: `${path}:${name}`, bytes: await member.open() }
  }
  throw new Error(`${name} was in ${path} and no longer is`)
}

const dataFile = /\.(?:csv|tsv|txt|json)$/i

/** The files a path means: all of a zip that `wanted` names, or the path itself. Each is read before the next. */
export async function* openFiles(path: string, wanted: RegExp): AsyncGenerator<TextFile> {
  const packing = await packingOf(path)
  if (packing !== 'zip') {
    yield openUnzipped(path, packing)
    return
  }
  for await (const member of zipMembers(path)) {
    if (wanted.test(member.name)) yield { label: `${path}:${member.name}`, bytes: await member.open() }
  }
}

async function theMember(path: string, wanted: RegExp): Promise<string> {
  const found: string[] = []
  const others: string[] = []
  for await (const { name } of zipMembers(path)) {
    const list = wanted.test(name) ? found : others
    if (list.length < importLimits.membersNamedMax) list.push(name)
  }
  const [only, another] = found
  if (only !== undefined && another === undefined) return only
  const names = (only === undefined ? others : found).join(', ')
  throw new UserError(
    'REGISTRY_IMPORT_INVALID',
    only === undefined ? `${path} holds no file of this format` : `${path} holds several files`,
    { hint: `it holds ${names === '' ? 'nothing' : names}; unpack it and import the one that is meant` },
  )
}

function openUnzipped(path: string, packing: 'plain' | 'gzip'): TextFile {
  const file = createReadStream(path, { highWaterMark: 262_144 })
  if (packing === 'plain') return { label: path, bytes: file }
  const unzipped = createGunzip({ chunkSize: 262_144 })
  // An error in either part destroys the other, and reaches whoever reads.
  pipeline(file, unzipped, () => undefined)
  return { label: path, bytes: unzipped }
}

/** "PK", then what a file begins with, or the end of an empty zip. */
const zipBeginnings = new Set([0x504b0304, 0x504b0506])

async function packingOf(path: string): Promise<Packing> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
      if (bytesRead >= 2 && buffer[0] === 0x1f && buffer[1] === 0x8b) return 'gzip'
      return bytesRead === 4 && zipBeginnings.has(buffer.readUInt32BE(0)) ? 'zip' : 'plain'
    } finally {
      await file.close()
    }
  } catch (error) {
    throw fileError(error, path)
  }
}
