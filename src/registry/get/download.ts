import { createHash } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, statfs, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WebReply } from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import { formatBytes } from '../../core/text.js'
import { syncPath } from '../../platform/files.js'
import { readFileDateMs } from '../import/run-import.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import { isSameVersion, publisherLimits, toStoredFile, type Publisher, type RemoteFile } from './publisher.js'

/** Bytes by which a page of HTML is recognized. */
const headBytes = 512

/**
 * Downloads a file into a folder and returns its path. A download that was cut continues behind its last byte, also in a
 * later process, as long as the publisher has the same version. A complete one is not repeated. Throws
 * REGISTER_UNREACHABLE, REGISTER_MOVED, REGISTER_CHANGED, DISK_FULL, and the reason of the signal.
 */
export async function downloadFile(
  publisher: Publisher,
  file: RemoteFile,
  folder: string,
  onBytes: (byteCount: number) => void,
): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, file.fileName)
  const part = `${path}.part`
  const note = `${path}.json`
  if (!isNoted(note, file)) for (const stale of [path, part]) rmSync(stale, { force: true })
  if (existsSync(path)) {
    onBytes(statSync(path).size)
    return path
  }
  writeFileSync(note, JSON.stringify(toStoredFile(file)))
  try {
    for (let tries = 0; ; tries++) {
      const before = getSize(part)
      const cut = await receive(publisher, file, part, onBytes)
      if (cut === null) break
      if (getSize(part) > before) tries = 0
      if (tries + 1 >= publisherLimits.triesMax)
        throw publisher.createUnreachableError(
          file.url,
          `the download of ${file.fileName} broke off: ${cut}`,
          'run the same command again: the download continues',
        )
      await publisher.pause(tries + 1)
    }
    await verify(publisher, file, part)
  } catch (error) {
    // A wrong file is useless for the next attempt.
    if (error instanceof UserError && error.code === 'REGISTER_CHANGED') rmSync(part, { force: true })
    throw explainWriteError(error, path)
  }
  syncPath(part)
  renameSync(part, path)
  return path
}

function isNoted(note: string, file: RemoteFile): boolean {
  try {
    return isSameVersion(JSON.parse(readFileSync(note, 'utf8')) as RemoteFile, file)
  } catch {
    return false
  }
}

const getSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Returns `null` when the file is complete, otherwise why it is not. */
async function receive(
  publisher: Publisher,
  file: RemoteFile,
  part: string,
  onBytes: (byteCount: number) => void,
): Promise<string | null> {
  const { reply } = await publisher.request(
    'GET',
    file.url,
    createRange(file, getSize(part)),
    [200, 206, 416],
  )
  const { status, headers } = reply
  const start = status === 206 ? Number(/^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1] ?? -1) : 0
  if (status === 416 || (status === 206 && start !== getSize(part))) {
    reply.discard()
    rmSync(part, { force: true })
    return 'it announced more bytes than it has'
  }
  const length = headers['content-length']
  const end = length === undefined ? null : start + Number(length)
  await assertRoom(part, (end ?? start) - start, publisher)
  const handle = await open(part, start === 0 ? 'w' : 'a', 0o600)
  try {
    await write(publisher, reply, handle, { start, onBytes })
  } catch (error) {
    reply.discard()
    const failure = publisher.access.web.explain(error)
    if (failure === null) throw error
    return failure.reason
  } finally {
    await handle.close()
  }
  const byteCount = getSize(part)
  return end === null || byteCount === end ? null : `it sent ${byteCount} of ${end} bytes`
}

/** A weak ETag does not stand for the bytes. */
function createRange({ etag, modified }: RemoteFile, byteCount: number): Record<string, string> {
  const validator = etag?.startsWith('"') === true ? etag : modified
  return byteCount === 0 || validator === null ? {} : { range: `bytes=${byteCount}-`, 'if-range': validator }
}

async function write(
  publisher: Publisher,
  reply: WebReply,
  handle: FileHandle,
  { start, onBytes }: { start: number; onBytes: (byteCount: number) => void },
): Promise<void> {
  let byteCount = start
  for await (const chunk of reply.body) {
    if (byteCount === 0 && isHtml(chunk)) {
      const { publisher: name } = publisher.source
      throw new UserError('REGISTER_CHANGED', `${name} sent a page of HTML instead of the file`, {
        hint: publisher.createHint('the address may have moved, or the publisher is closed for maintenance'),
      })
    }
    await handle.writeFile(chunk)
    byteCount += chunk.length
    onBytes(byteCount)
  }
}

const isHtml = (chunk: Buffer): boolean =>
  /^(?:\ufeff)?\s*<(?:!doctype html|html)/i.test(chunk.subarray(0, headBytes).toString('utf8'))

/** Throws DISK_FULL if the file system of `path` has fewer free bytes. */
export async function assertRoom(
  path: string,
  byteCount: number,
  { source }: { source: { name: string } },
): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path))
  const free = bavail * bsize
  if (free >= byteCount) return
  throw new UserError(
    'DISK_FULL',
    `${source.name} needs ${formatBytes(byteCount)}, and the disk has ${formatBytes(free)}`,
    { hint: 'free some space and run the same command again, or keep a part with --country' },
  )
}

const digests = { 64: 'sha256', 40: 'sha1', 32: 'md5' } as const

async function verify(publisher: Publisher, file: RemoteFile, path: string): Promise<void> {
  if (file.checksum === null) return
  const text = await publisher.readText(file.checksum)
  const hex = /\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b/i.exec(text)?.[0].toLowerCase()
  if (hex === undefined) return
  const hash = createHash(digests[hex.length as keyof typeof digests])
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  if (hash.digest('hex') === hex) return
  throw new UserError('REGISTER_CHANGED', `${file.fileName} does not match the checksum of its publisher`, {
    hint: publisher.createHint('run the same command again'),
  })
}

function explainWriteError(error: unknown, path: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (error instanceof UserError || !(error instanceof Error)) return error
  if (!/^(?:ENOSPC|EDQUOT)$/.test(code)) return explainSystemFailure(error)
  return new UserError('DISK_FULL', `no space left to download to ${path}`, {
    hint: 'free some space and run the same command again: the download continues',
    cause: error,
  })
}

/** Returns the date of a file: that of its name or content, otherwise the one that the publisher states. */
export async function findDate(modified: string | null, path: string, nowMs: number): Promise<number> {
  const stated = Date.parse(modified ?? '')
  return readFileDateMs(path, Number.isNaN(stated) ? nowMs : Math.min(stated, nowMs), nowMs)
}
