import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import type { FetchedFile, Source } from '../connector.js'
import { ConnectionFault, type StoreReply } from './http-client.js'
import { isRequestable, parsePattern, type KeyPattern } from './object-address.js'
import { readInfo, type ObjectInfo } from './object-store.js'
import type { ReadableStore } from './readable-store.js'

/** Objects with one key, or with keys that match a pattern. */
export class ObjectSource implements Source {
  constructor(
    private readonly store: ReadableStore,
    private readonly key: string,
  ) {}

  async fetch(folder: string): Promise<readonly FetchedFile[]> {
    const { store } = this
    const keys = await this.#findKeys()
    const files: FetchedFile[] = []
    let startedCount = 0
    const fetchNext = async () => {
      for (let index = startedCount++; index < keys.length; index = startedCount++) {
        const key = keys[index] ?? ''
        const label = store.buildLabel(key)
        const path = join(folder, `${index + 1}${findExtension(key)}`)
        const info = await download(store, key, path)
        if (info === null) throw createChangedError(label)
        files[index] = { path, label, format: null, places: store.listPlaces(key, info), isQuery: false }
      }
    }
    const workers = Array.from({ length: store.client.platform.limits.transfersInFlight }, fetchNext)
    try {
      await Promise.all(workers)
    } finally {
      // The caller removes the folder: no worker may still write to it.
      startedCount = keys.length
      await Promise.allSettled(workers)
    }
    return files
  }

  async close(): Promise<void> {
    await this.store.client.close()
  }

  async #findKeys(): Promise<readonly string[]> {
    const { store, key } = this
    if (store.canList && key.endsWith('/')) throw this.#createFolderError()
    // A key that exists literally takes precedence over a pattern.
    if ((await store.head(key)) !== null) return [key]
    const pattern = store.canList ? parsePattern(key) : null
    if (pattern !== null) return this.#listMatches(pattern)
    if (await this.#isFolder()) throw this.#createFolderError()
    throw new UserError('INPUT_NOT_FOUND', `${store.buildLabel(key)} does not exist`, {
      hint: 'check the address; names are case-sensitive',
    })
  }

  async #listMatches(pattern: KeyPattern): Promise<readonly string[]> {
    const { store } = this
    const label = store.buildLabel(this.key)
    const { objectsMax } = store.client.platform.limits
    const keys: string[] = []
    for await (const key of store.list(pattern.prefix)) {
      if (!pattern.matches(key)) continue
      if (!isRequestable(key)) {
        throw new UserError('ADDRESS_INVALID', `${label} matches an object with a part . or .. in its name`, {
          hint: 'rename the object, or use another pattern',
        })
      }
      if (keys.length === objectsMax) {
        throw new UserError('ADDRESS_INVALID', `${label} matches more than ${objectsMax} objects`, {
          hint: 'use a pattern that matches fewer, and run once for each',
        })
      }
      keys.push(key)
    }
    if (keys.length > 0) return keys.sort()
    throw new UserError('INPUT_NOT_FOUND', `no object matches ${label}`, {
      hint: '* matches within one part of the name, ** matches over several parts',
    })
  }

  async #isFolder(): Promise<boolean> {
    try {
      for await (const _ of this.store.list(`${this.key}/`, 1)) return true
    } catch (error) {
      // Reading does not need the right to list.
      if (!(error instanceof UserError && error.code === 'ACCESS_DENIED')) throw error
    }
    return false
  }

  #createFolderError(): UserError {
    const label = this.store.buildLabel(this.key.replace(/\/+$/, ''))
    return new UserError('INPUT_IS_FOLDER', `${label}/ is a folder`, {
      hint: `name the objects in it by a pattern, like ${label}/*.csv`,
    })
  }
}

/** Returns the extensions of a key, without any part of its path. */
function findExtension(key: string): string {
  const [extension = ''] = /(?:\.[a-z0-9]{1,10}){1,2}$/i.exec(key.slice(key.lastIndexOf('/') + 1)) ?? []
  return extension.toLowerCase()
}

/**
 * Copies an object to a new file. After a cut it continues behind the last byte, as long as the ETag is the same. Returns
 * `null` if the object does not exist. Throws INPUT_CHANGED, DISK_FULL and the errors of the store.
 */
async function download(store: ReadableStore, key: string, path: string): Promise<ObjectInfo | null> {
  const file = await open(path, 'wx', 0o600)
  try {
    return await copyObject(store, key, file)
  } catch (error) {
    throw explainWriteError(error, path)
  } finally {
    await file.close()
  }
}

async function copyObject(store: ReadableStore, key: string, file: FileHandle): Promise<ObjectInfo | null> {
  const label = store.buildLabel(key)
  const patience = store.client.startPatience()
  let known: ObjectInfo | null = null
  let byteCount = 0
  let byteCountMax = 0
  for (;;) {
    try {
      const etag = known?.etag ?? null
      // A weak ETag does not stand for the bytes.
      const resume: { byteCount: number; etag: string } | null =
        byteCount > 0 && etag?.startsWith('"') === true ? { byteCount, etag } : null
      const reply = await store.get(key, resume, patience)
      if (reply === null && known === null) return null
      if (reply === null) throw createChangedError(label)
      if (reply.status === 416) {
        reply.discard()
        byteCount = 0
        throw new ConnectionFault('it announced more bytes than it has')
      }
      const found = readInfo(reply)
      if (![200, 206].includes(reply.status) || (known !== null && !isSameVersion(known, found))) {
        reply.discard()
        throw createChangedError(label)
      }
      assertReadable(reply, label)
      known = found
      byteCount = reply.status === 206 ? (resume?.byteCount ?? 0) : 0
      if (reply.status === 206 && readStart(reply) !== byteCount) {
        reply.discard()
        byteCount = 0
        throw new ConnectionFault('it sent another range than requested')
      }
      for await (const chunk of reply.body) {
        await writeAll(file, chunk, byteCount)
        byteCount += chunk.length
        if (byteCount > byteCountMax) patience.onProgress()
        byteCountMax = Math.max(byteCountMax, byteCount)
      }
      if (known.byteCount === null || known.byteCount === byteCount) {
        await file.truncate(byteCount)
        return { ...known, byteCount }
      }
      throw new ConnectionFault(`it sent ${byteCount} of ${known.byteCount} bytes`)
    } catch (error) {
      await patience.wait(error)
    }
  }
}

async function writeAll(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
}

/** Compares the ETags, or the other facts if one of them has none. Unknown facts are not compared. */
function isSameVersion(one: ObjectInfo, other: ObjectInfo): boolean {
  if (one.etag !== null && other.etag !== null) return one.etag === other.etag
  const facts = ['byteCount', 'modifiedAtMs'] as const
  return facts.every((fact) => one[fact] === null || other[fact] === null || one[fact] === other[fact])
}

function readStart({ headers }: StoreReply): number | null {
  const [, start] = /^bytes (\d+)-/.exec(headers['content-range'] ?? '') ?? []
  return start === undefined ? null : Number(start)
}

/** Refuses bodies that are compressed on the way, and those whose end cannot be noticed. */
function assertReadable(reply: StoreReply, label: string): void {
  const encoding = (reply.headers['content-encoding'] ?? '').trim().toLowerCase()
  const isStored = { gzip: /\.gz$/i, 'x-gzip': /\.gz$/i, zstd: /\.zst$/i }[encoding]?.test(label) === true
  const isPlain = encoding === '' || encoding === 'identity' || encoding === 'aws-chunked'
  if (!isPlain && !isStored) {
    reply.discard()
    throw new UserError(
      'INPUT_UNREADABLE',
      `${label} arrives compressed, although its name does not say so`,
      {
        hint: 'remove its Content-Encoding, or the proxy that compresses; or store it with the extension .gz or .zst',
      },
    )
  }
  const { 'content-length': length, 'transfer-encoding': transfer } = reply.headers
  if (length === undefined && transfer === undefined) {
    reply.discard()
    throw new UserError(
      'INPUT_UNREADABLE',
      `${label} arrives without a length, so a cut would not be noticed`,
      { hint: 'download it to a file, and check the file' },
    )
  }
}

function createChangedError(label: string): UserError {
  return new UserError('INPUT_CHANGED', `${label} changed while it was read`, {
    hint: 'run the same command again when its writer has finished',
  })
}

function explainWriteError(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (error instanceof UserError || !(error instanceof Error)) return error
  if (!/^(ENOSPC|EDQUOT)$/.test(code)) return explainSystemFailure(error)
  return new UserError('DISK_FULL', `no space left to download to ${path}`, {
    hint: 'free some space and run the same command again',
    cause: error,
  })
}
