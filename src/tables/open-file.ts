import { UserError } from '../core/errors.js'
import { fileBytes, packingOf, type ByteSource } from './bytes.js'
import { tableLimits } from './limits.js'
import { zipMembers } from './zip-members.js'

/**
 * The one file that a path means: itself, plain, `.gz` or `.zst`, or the one in a zip that `wanted` names (any
 * data file where it is null). The bytes say how it is packed, not the name.
 * Errors: INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE, INPUT_COMPRESSION_CORRUPT,
 * REGISTRY_IMPORT_INVALID (a zip without such a file, or with several).
 */
export async function openOneFile(path: string, wanted: RegExp | null): Promise<ByteSource> {
  if ((await packingOf(path, path)) !== 'zip') return fileBytes(path, path)
  const name = await theMember(path, wanted ?? dataFile)
  return { label: `${path}:${name}`, bytes: () => memberBytes(path, name) }
}

const dataFile = /\.(?:csv|tsv|txt|json)$/i

/** The files a path means: all of a zip that `wanted` names, or the path itself. Each is read before the next. */
export async function* openFiles(path: string, wanted: RegExp): AsyncGenerator<ByteSource> {
  if ((await packingOf(path, path)) !== 'zip') {
    yield fileBytes(path, path)
    return
  }
  for await (const member of zipMembers(path)) {
    if (wanted.test(member.name)) yield { label: `${path}:${member.name}`, bytes: () => member.read() }
  }
}

async function* memberBytes(path: string, name: string): AsyncGenerator<Buffer> {
  for await (const member of zipMembers(path)) {
    if (member.name !== name) continue
    yield* member.read()
    return
  }
  throw new Error(`${name} was in ${path} and no longer is`)
}

async function theMember(path: string, wanted: RegExp): Promise<string> {
  const found: string[] = []
  const others: string[] = []
  for await (const { name } of zipMembers(path)) {
    const list = wanted.test(name) ? found : others
    if (list.length < tableLimits.zipMembersNamedMax) list.push(name)
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
