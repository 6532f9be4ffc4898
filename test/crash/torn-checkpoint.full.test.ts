import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openCheckpoint,
  type OwnCheckpoint as Checkpoint,
} from '../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { systemRandom } from '../../src/platform/clock.js'
import { loadDriver } from '../../src/platform/sqlite.js'
import { answerTo, job, keyed, scope, startMs } from '../integration/checkpoint/support.js'

const Database = loadDriver()

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'enrich-torn-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const walHeaderBytes = 32
/** A byte of each so many is cut at or corrupted where every one would take minutes. */
const stride = 61

/** The files of a checkpoint at one moment. A WAL that is null is not there. */
interface Files {
  readonly main: Buffer
  readonly wal: Buffer | null
  readonly shm?: Buffer
}

const open = (path: string): Checkpoint =>
  openCheckpoint({ path, scope, job, nowMs: startMs, random: systemRandom })

const filesAt = (path: string): Files & { wal: Buffer; shm: Buffer } => ({
  main: readFileSync(path),
  wal: readFileSync(`${path}-wal`),
  shm: readFileSync(`${path}-shm`),
})

function lay({ main, wal, shm }: Files): string {
  const path = join(folder, 'torn.sqlite')
  for (const [suffix, bytes] of [
    ['', main],
    ['-wal', wal],
    ['-shm', shm],
  ] as const) {
    if (bytes === null || bytes === undefined) rmSync(path + suffix, { force: true })
    else writeFileSync(path + suffix, bytes)
  }
  return path
}

/** Everything in it, as text, by nothing of ours; throws where SQLite finds it damaged. */
function readAll(files: Files): string {
  const database = new Database(lay(files))
  try {
    const damage = database.pragma('integrity_check', { simple: true })
    if (damage !== 'ok') throw new Error(String(damage))
    const tables = ['lookups', 'submissions', 'answers', 'jobs', 'scopes'].map((table) =>
      database.prepare(`SELECT * FROM ${table} ORDER BY 1`).raw().all(),
    )
    return JSON.stringify(tables)
  } finally {
    database.close()
  }
}

interface Moments {
  readonly before: Files & { wal: Buffer; shm: Buffer }
  readonly after: Files & { wal: Buffer; shm: Buffer }
  readonly rowsBefore: string
  readonly rowsAfter: string
}

function moveWalIntoMain(path: string, mode: 'PASSIVE' | 'TRUNCATE'): void {
  const database = new Database(path)
  try {
    expect(database.pragma(`wal_checkpoint(${mode})`)).toEqual([expect.objectContaining({ busy: 0 })])
  } finally {
    database.close()
  }
}

type Change = (checkpoint: Checkpoint, lookupId: number, customId: string) => Promise<unknown>
const accept: Change = (checkpoint, lookupId, customId) =>
  checkpoint.apply({ event: 'accept', lookupId, customId, runId: 'run_last', nowMs: startMs + 9 })
const answer: Change = (checkpoint) =>
  checkpoint.apply({ event: 'answer', lookupId: 2, answer: answerTo('run_2') })

let count = 0
/** Many acknowledged transactions, then one more. */
async function live(last: Change): Promise<Moments> {
  const path = join(folder, `lived-${++count}.sqlite`)
  const checkpoint = open(path)
  try {
    const [acme = 0, bolt = 0, cargo = 0] = await checkpoint.store.register(keyed('Acme', 'Bolt', 'Cargo'))
    for (const id of [acme, bolt]) {
      const { customId } = await checkpoint.intend(id, startMs)
      await checkpoint.apply({ event: 'accept', lookupId: id, customId, runId: `run_${id}`, nowMs: startMs })
    }
    // A short WAL, so that it can be cut at many bytes.
    moveWalIntoMain(path, 'TRUNCATE')
    await checkpoint.apply({ event: 'answer', lookupId: acme, answer: answerTo(`run_${acme}`) })
    const first = await checkpoint.intend(cargo, startMs)
    await checkpoint.apply({
      event: 'withdraw',
      lookupId: cargo,
      customId: first.customId,
      reason: 'rate limited',
    })
    const { customId } = await checkpoint.intend(cargo, startMs)
    const before = filesAt(path)
    await last(checkpoint, cargo, customId)
    const after = filesAt(path)
    return { before, after, rowsBefore: readAll(before), rowsAfter: readAll(after) }
  } finally {
    checkpoint.close()
  }
}

/** The last transaction is there from `wholeAt` bytes on, and not at all below. Answers with how many were cut. */
function expectWholeOrNone(
  moments: Moments,
  torn: (byteCount: number) => Files,
  lengths: Iterable<number>,
  wholeAt: number,
): number {
  let cutCount = 0
  for (const length of lengths) {
    const rows = readAll(torn(length))
    const expected = length >= wholeAt ? moments.rowsAfter : moments.rowsBefore
    if (rows !== expected) throw new Error(`cut at byte ${length}: not what was acknowledged:\n${rows}`)
    cutCount++
  }
  return cutCount
}

function* range(first: number, last: number, step = 1): Generator<number> {
  for (let value = first; value < last; value += step) yield value
  yield last
}

describe.each([
  ['the acknowledgement of a run', accept],
  ['an answer', answer],
])('%s is the last transaction', (_, last) => {
  let moments: Moments
  beforeAll(async () => {
    moments = await live(last)
  })

  test('the WAL cut within it: it is there whole or not at all, and nothing before it is lost', () => {
    const { before, after } = moments
    expect(after.main.equals(before.main)).toBe(true)
    expect(after.wal.subarray(0, before.wal.length).equals(before.wal)).toBe(true)
    expect(moments.rowsAfter).not.toBe(moments.rowsBefore)
    const [first, whole] = [before.wal.length, after.wal.length]
    const torn = (length: number) => ({ main: after.main, wal: after.wal.subarray(0, length) })
    // Other bytes of each frame: 7 is no divisor of its length.
    const step = 7
    const cutCount = expectWholeOrNone(moments, torn, range(first, whole, step), whole)
    expect(cutCount).toBe(Math.ceil((whole - first) / step) + 1)
  })

  test('a byte of it corrupted: it is not there, and nothing before it is lost', () => {
    const { before, after } = moments
    for (const at of range(before.wal.length, after.wal.length - 1, stride)) {
      const wal = Buffer.from(after.wal)
      wal.writeUInt8(wal.readUInt8(at) ^ 0x10, at)
      expect([at, readAll({ main: after.main, wal })]).toEqual([at, moments.rowsBefore])
    }
  })

  test.each(['of its time', 'of noise', 'of no bytes'])('a WAL index %s changes no answer', (kind) => {
    const { before, after } = moments
    const shm =
      { 'of its time': after.shm, 'of noise': Buffer.alloc(after.shm.length, 0xa5) }[kind] ?? Buffer.alloc(0)
    const torn = (length: number) => ({ main: after.main, wal: after.wal.subarray(0, length), shm })
    const lengths = range(before.wal.length, after.wal.length, stride * 7)
    expectWholeOrNone(moments, torn, lengths, after.wal.length)
  })

  test('a run continues from it and submits nothing twice', async () => {
    const { before, after } = moments
    for (const length of range(before.wal.length, after.wal.length, 977)) {
      const path = lay({ main: after.main, wal: after.wal.subarray(0, length) })
      const checkpoint = open(path)
      try {
        await checkpoint.store.register(keyed('Acme', 'Bolt', 'Cargo'))
        const plan = await checkpoint.plan({ nowMs: startMs, maxAgeMs: null, onLost: 'hold' })
        const isWhole = length === after.wal.length
        const isAccepted = isWhole && last === accept
        const isAnswered = isWhole && last === answer
        expect(plan).toEqual({
          submit: 0,
          poll: 1 + Number(isAccepted) - Number(isAnswered),
          answered: 1 + Number(isAnswered),
          decided: 0,
          invalid: 0,
          uncertain: Number(!isAccepted),
          failed: 0,
        })
      } finally {
        checkpoint.close()
        rmSync(`${path}.lock`, { force: true })
      }
    }
  })
})

describe('a WAL that is being moved into the main file', () => {
  let path: string
  let checkpoint: Checkpoint
  let old: Files & { wal: Buffer }
  let moved: Files & { wal: Buffer }
  let rows: string
  let intention: { lookupId: number; customId: string }
  beforeAll(async () => {
    path = join(folder, 'moved.sqlite')
    checkpoint = open(path)
    moveWalIntoMain(path, 'TRUNCATE')
    const [acme = 0, bolt = 0] = await checkpoint.store.register(keyed('Acme', 'Bolt', 'Cargo', 'Dull'))
    const { customId } = await checkpoint.intend(acme, startMs)
    await checkpoint.apply({ event: 'accept', lookupId: acme, customId, runId: 'run_1', nowMs: startMs })
    // What cannot be compressed.
    const body = JSON.stringify(randomBytes(15_000).toString('base64'))
    await checkpoint.apply({ event: 'answer', lookupId: acme, answer: answerTo('run_1', { body }) })
    intention = { lookupId: bolt, ...(await checkpoint.intend(bolt, startMs)) }
    old = filesAt(path)
    rows = readAll(old)
    moveWalIntoMain(path, 'PASSIVE')
    moved = filesAt(path)
  })
  afterAll(() => {
    checkpoint.close()
  })

  test('wherever the moving breaks off, also within a page, nothing acknowledged is lost', () => {
    expect(moved.main.length).toBeGreaterThan(old.main.length)
    expect(moved.wal.equals(old.wal)).toBe(true)
    const whole = Buffer.concat([old.main], moved.main.length)
    for (const length of range(0, moved.main.length, 256)) {
      // Pages are written in the order of their numbers, each at its place; the file grows as it is reached.
      const main = Buffer.concat([moved.main.subarray(0, length), whole.subarray(length)])
      const reached = main.subarray(0, Math.max(old.main.length, length))
      expect([length, readAll({ main: reached, wal: old.wal }) === rows]).toEqual([length, true])
    }
  })

  test('wherever the next transaction breaks off over what was moved, it is there whole or not at all', async () => {
    await checkpoint.apply({
      event: 'accept',
      lookupId: intention.lookupId,
      customId: intention.customId,
      runId: 'run_2',
      nowMs: startMs,
    })
    const after = filesAt(path)
    // The WAL begins again: its old frames are overwritten from the first on.
    expect(after.wal.length).toBe(moved.wal.length)
    expect(after.main.equals(moved.main)).toBe(true)
    const moments: Moments = {
      before: { ...after, ...moved },
      after,
      rowsBefore: rows,
      rowsAfter: readAll(after),
    }
    expect(moments.rowsAfter).not.toBe(rows)
    const torn = (length: number) => ({
      main: after.main,
      wal: Buffer.concat([after.wal.subarray(0, length), moved.wal.subarray(length)]),
    })
    // The last byte that differs ends the transaction.
    let wholeAt = after.wal.length
    while (after.wal[wholeAt - 1] === moved.wal[wholeAt - 1]) wholeAt--
    expect(wholeAt).toBeGreaterThan(walHeaderBytes)
    expectWholeOrNone(moments, torn, range(0, walHeaderBytes * 4), wholeAt)
    expectWholeOrNone(moments, torn, range(walHeaderBytes * 4, wholeAt, stride), wholeAt)
    // The same cut short: the old frames beyond never reached the disk.
    const cut = (length: number) => ({ main: after.main, wal: after.wal.subarray(0, length) })
    expectWholeOrNone(moments, cut, range(0, wholeAt, stride), wholeAt)
  })

  test('a WAL that was never begun, or is empty, is no loss once it was moved', () => {
    for (const wal of [null, Buffer.alloc(0)]) expect(readAll({ main: moved.main, wal })).toBe(rows)
  })
})
