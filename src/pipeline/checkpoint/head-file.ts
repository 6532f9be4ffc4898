import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { FilePlace, FoundHead, Head } from '../rules/checkpoint-standing.js'
import { keepToOwner } from '../../platform/durable-files.js'
import { headPath } from './paths.js'
import { rowChecksum } from './row-checksums.js'

/** Two slots are written in turn: a write that is torn leaves the other. */
const slotBytes = 1_024
/** Syncing the head after each commit would cost the disk half of its pace. */
const syncEveryMs = 100

const text = z.string()
const whole = z.int().min(0)
const headSchema = z.object({
  version: whole,
  checkpointId: text,
  generation: whole,
  sequence: whole,
  submissionCount: whole,
  chain: text,
  submittedAtMs: z.number().nullable(),
  place: z.object({ host: text, device: text, inode: text, bornNs: text.nullable() }),
}) satisfies z.ZodType<Head>

/** Reads the head of a checkpoint; changes nothing. */
export function readHead(checkpointPath: string): FoundHead {
  let file: number
  try {
    file = openSync(headPath(checkpointPath), 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    throw error
  }
  try {
    if (!fstatSync(file).isFile()) return { kind: 'unreadable' }
    const bytes = Buffer.alloc(2 * slotBytes)
    const byteCount = readSync(file, bytes, 0, bytes.length, 0)
    const slots = [0, 1].map((slot) => parseSlot(bytes.subarray(slot * slotBytes, byteCount)))
    const [head] = slots.filter((slot) => slot !== null).sort((a, b) => b.sequence - a.sequence)
    return head === undefined ? { kind: 'unreadable' } : { kind: 'found', head, changedNs: changedNsOf(file) }
  } finally {
    closeSync(file)
  }
}

/** A line of JSON and its checksum, padded. Null where it is torn or damaged. */
function parseSlot(bytes: Buffer): Head | null {
  const [, json = '', checksum] = /^(\{.*\}) ([0-9a-f]{32}) *\n/.exec(bytes.toString('utf8')) ?? []
  if (checksum === undefined || rowChecksum([json]).toString('hex') !== checksum) return null
  const parsed = headSchema.safeParse(JSON.parse(json))
  return parsed.success ? parsed.data : null
}

const changedNsOf = (file: number): string => fstatSync(file, { bigint: true }).ctimeNs.toString()

/** Where the checkpoint's database lies. */
export function placeOf(checkpointPath: string): FilePlace {
  const { dev, ino, birthtimeNs, ctimeNs } = statSync(checkpointPath, { bigint: true })
  // Where a file system keeps no time of birth, it is given as none, or as the time of the last change.
  const isKnown = birthtimeNs > 0n && birthtimeNs !== ctimeNs
  return {
    host: hostname(),
    device: dev.toString(),
    inode: ino.toString(),
    bornNs: isKnown ? birthtimeNs.toString() : null,
  }
}

/**
 * Says beside the checkpoint how far it has come. A write is the operating system's when `write` returns, so a
 * killed process loses nothing of it; it reaches the disk within moments, and what a power cut takes of it
 * leaves a head that lags, which is as good as one that does not.
 */
export class HeadFile {
  readonly #file: number
  #isSyncing = false
  #isClosed = false
  #syncedAtMs = -Infinity

  /** Makes the file where it is missing; it is durable with what `head` says. */
  constructor(checkpointPath: string, head: Head) {
    const path = headPath(checkpointPath)
    keepToOwner(path)
    this.#file = openSync(path, constants.O_RDWR)
    try {
      // Both slots: none of them says what an earlier file of this name said.
      for (const slot of [0, 1]) this.#writeSlot(slot, head)
      fsyncSync(this.#file)
      syncFolder(dirname(path))
    } catch (error) {
      closeSync(this.#file)
      throw error
    }
  }

  write(head: Head): void {
    this.#writeSlot(head.sequence % 2, head)
    this.#syncSoon()
  }

  /** Durable. Answers with when the file last changed: until it is opened again, it stays so. */
  close(): string {
    fdatasyncSync(this.#file)
    const changedNs = changedNsOf(this.#file)
    this.#isClosed = true
    // A sync that is under way still needs the file.
    if (!this.#isSyncing) closeSync(this.#file)
    return changedNs
  }

  #writeSlot(slot: number, head: Head): void {
    const json = JSON.stringify(head)
    const line = `${json} ${rowChecksum([json]).toString('hex')}`
    const bytes = Buffer.alloc(slotBytes, ' ')
    bytes.write(line)
    bytes.write('\n', slotBytes - 1)
    writeSync(this.#file, bytes, 0, slotBytes, slot * slotBytes)
  }

  /** One at a time, now and then, and never waited for. */
  #syncSoon(): void {
    const nowMs = performance.now()
    if (this.#isSyncing || nowMs - this.#syncedAtMs < syncEveryMs) return
    this.#isSyncing = true
    this.#syncedAtMs = nowMs
    fdatasync(this.#file, () => {
      this.#isSyncing = false
      if (this.#isClosed) closeSync(this.#file)
    })
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
