import { open, type FileHandle } from 'node:fs/promises'
import { UserError } from '../../core/errors.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import { ConnectionFault, type StoreReply } from './http-client.js'
import {
  createDigest,
  isCompressedOnTheWay,
  readInfo,
  readRange,
  type Checksum,
  type Digest,
  type ObjectInfo,
} from './object-store.js'
import type { ReadableStore } from './readable-store.js'
import type { Patience } from './store-client.js'

/**
 * Copies an object to a new file. After a cut it continues behind the last byte, as long as the ETag is the same. At the
 * end, it verifies the size that a list, HEAD and GET announced, and the checksum if the store gives one. Returns the
 * facts of the version that was copied, or null if the object does not exist. Throws INPUT_CHANGED, INPUT_INCOMPLETE, DISK_FULL and the errors of the store.
 */
export async function download(
  store: ReadableStore,
  key: string,
  announced: ObjectInfo,
  path: string,
): Promise<ObjectInfo | null> {
  const file = await open(path, 'wx', 0o600)
  try {
    return await new Download(store, key, announced, file).run()
  } catch (error) {
    throw explainWriteError(error, path)
  } finally {
    await file.close()
  }
}

/** The store contradicts itself: another attempt may help, many will not. */
class ContradictionFault extends ConnectionFault {}

/** Attempts after which a contradiction is an error. */
const contradictionsMax = 3

class Download {
  /** Facts of the version that is copied. */
  #known: ObjectInfo
  /** Bytes of this version in the file. */
  #byteCount = 0
  #byteCountMax = 0
  #contradictionCount = 0
  /** Whether GET has confirmed the version. */
  #isConfirmed = false
  #digest: { readonly of: Checksum; readonly value: Digest } | null = null
  readonly #patience: Patience
  readonly #label: string

  constructor(
    private readonly store: ReadableStore,
    private readonly key: string,
    announced: ObjectInfo,
    private readonly file: FileHandle,
  ) {
    this.#known = announced
    this.#patience = store.client.startPatience()
    this.#label = store.buildLabel(key)
  }

  async run(): Promise<ObjectInfo | null> {
    for (;;) {
      try {
        const reply = await this.#request()
        if (reply === null && !this.#isConfirmed) return null
        if (reply === null) throw createChangedError(this.#label)
        if (await this.#receive(reply)) return this.#known
      } catch (error) {
        if (error instanceof ContradictionFault && ++this.#contradictionCount >= contradictionsMax)
          throw this.#createIncompleteError(error)
        await this.#patience.wait(error)
      }
    }
  }

  async #request(): Promise<StoreReply | null> {
    const { etag } = this.#known
    // A weak ETag does not stand for the bytes.
    const canResume = this.#byteCount > 0 && etag?.startsWith('"') === true
    if (!canResume) this.#restart()
    return this.store.get(this.key, canResume ? { byteCount: this.#byteCount, etag } : null, this.#patience)
  }

  /** Writes the bytes of a reply. Returns whether the object is complete; throws ConnectionFault for a defect. */
  async #receive(reply: StoreReply): Promise<boolean> {
    let end: number | null
    try {
      end = await this.#examine(reply)
      for await (const chunk of reply.body) {
        if (this.#byteCount + chunk.length > (end ?? Infinity)) throw this.#createSizeFault('more')
        await writeAll(this.file, chunk, this.#byteCount)
        this.#digest?.value.update(chunk)
        this.#byteCount += chunk.length
        if (this.#byteCount > this.#byteCountMax) this.#patience.onProgress()
        this.#byteCountMax = Math.max(this.#byteCountMax, this.#byteCount)
      }
    } catch (error) {
      reply.discard()
      throw error
    }
    const { byteCount } = this.#known
    if (byteCount === null || byteCount === this.#byteCount) return this.#finish()
    if (reply.status === 206) {
      if (this.#byteCount !== end) throw new ContradictionFault('it sent fewer bytes than its range has')
      // The next request continues there.
      return false
    }
    if (reply.headers['content-length'] !== undefined) {
      throw new ConnectionFault(`it sent ${this.#byteCount} of ${byteCount} bytes`)
    }
    throw this.#createSizeFault(String(this.#byteCount))
  }

  /** Verifies the head of a reply. Returns the position at which its body must end; null if unknown. */
  async #examine(reply: StoreReply): Promise<number | null> {
    if (reply.status === 416) {
      this.#restart()
      throw new ContradictionFault('it announced more bytes than it has')
    }
    if (![200, 206].includes(reply.status)) throw createChangedError(this.#label)
    assertReadable(reply, this.#label)
    await this.#compare(readInfo(reply))
    if (reply.status === 200) {
      this.#restart()
      this.#startDigest()
      return this.#known.byteCount
    }
    const range = readRange(reply.headers)
    if (range === null || range.start !== this.#byteCount || range.end <= range.start) {
      this.#restart()
      throw new ContradictionFault('it sent another range than requested')
    }
    if (this.#known.byteCount === null) {
      this.#restart()
      throw new ContradictionFault('it sent a part, and did not tell the size of the whole')
    }
    this.#startDigest()
    return Math.min(range.end, this.#known.byteCount)
  }

  /** Compares the facts of a reply with those known before. */
  async #compare(found: ObjectInfo): Promise<void> {
    if (this.#isConfirmed) {
      if (!isSameVersion(this.#known, found)) throw createChangedError(this.#label)
    } else if (!isSameVersion(this.#known, found)) {
      // The object may have been replaced after the first request: then a new one agrees with this reply.
      const again = await this.store.head(this.key)
      if (again === null) throw createChangedError(this.#label)
      const isReplaced = !isSameTag(this.#known, found) || !isSameTime(this.#known, found)
      const announced = [again, ...(isReplaced ? [] : [this.#known])].find((info) => !isSameSize(info, found))
      if (announced !== undefined) {
        if (!isSameTag(again, found)) throw createChangedError(this.#label)
        throw new ContradictionFault(
          `it announced ${announced.byteCount} bytes, and sends ${found.byteCount}`,
        )
      }
      // A server may send another ETag with each reply.
      if (!isSameTag(again, found) && !isSameTime(again, found)) throw createChangedError(this.#label)
      this.#known = again
    }
    this.#known = mergeInfo(found, this.#known)
    this.#isConfirmed = true
  }

  #restart(): void {
    this.#byteCount = 0
    this.#digest = null
  }

  /** Checksums are computed from the first byte on. */
  #startDigest(): void {
    const [of] = this.#known.checksums ?? []
    if (this.#byteCount === 0)
      this.#digest = of === undefined ? null : { of, value: createDigest(of.algorithm) }
  }

  async #finish(): Promise<true> {
    if (this.#digest !== null && this.#digest.value.finish() !== this.#digest.of.hex) {
      const { algorithm } = this.#digest.of
      this.#restart()
      throw new ContradictionFault(`its bytes do not match its checksum (${algorithm})`)
    }
    await this.file.truncate(this.#byteCount)
    return true
  }

  #createSizeFault(sent: string): ContradictionFault {
    this.#restart()
    return new ContradictionFault(`it announced ${this.#known.byteCount} bytes, and sent ${sent}`)
  }

  #createIncompleteError(cause: ContradictionFault): UserError {
    return new UserError('INPUT_INCOMPLETE', `${this.#label} did not arrive whole: ${cause.message}`, {
      hint: 'run the same command again; if it fails again, download the object by other means and compare its size',
      cause,
    })
  }
}

async function writeAll(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
}

/** Compares the ETags, and the sizes; other facts only if one of them has no ETag. Unknown facts are not compared. */
function isSameVersion(one: ObjectInfo, other: ObjectInfo): boolean {
  const hasTags = one.etag !== null && other.etag !== null
  return isSameTag(one, other) && isSameSize(one, other) && (hasTags || isSameTime(one, other))
}

const isSameSize = (one: ObjectInfo, other: ObjectInfo): boolean =>
  one.byteCount === null || other.byteCount === null || one.byteCount === other.byteCount

const isSameTime = (one: ObjectInfo, other: ObjectInfo): boolean =>
  one.modifiedAtMs === null || other.modifiedAtMs === null || one.modifiedAtMs === other.modifiedAtMs

/** A weak ETag and a strong one can belong to one version: some servers answer HEAD and GET differently. */
function isSameTag(one: ObjectInfo, other: ObjectInfo): boolean {
  const strip = (etag: string) => etag.replace(/^W\//, '')
  return one.etag === null || other.etag === null || strip(one.etag) === strip(other.etag)
}

/** Facts that the first one does not have are those of the second. */
function mergeInfo(first: ObjectInfo, second: ObjectInfo): ObjectInfo {
  const { checksums = [] } = first
  return {
    byteCount: first.byteCount ?? second.byteCount,
    etag: first.etag ?? second.etag,
    modifiedAtMs: first.modifiedAtMs ?? second.modifiedAtMs,
    checksums: checksums.length > 0 ? checksums : (second.checksums ?? []),
  }
}

/** Refuses bodies that are compressed on the way, and those whose end cannot be noticed. */
function assertReadable(reply: StoreReply, label: string): void {
  if (isCompressedOnTheWay(reply, label)) {
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

export function createChangedError(label: string): UserError {
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
