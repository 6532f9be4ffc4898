import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  firstDictionary,
  packAnswer,
  secondDictionary,
  UnpackableError,
  unpackBody,
  unpackLine,
} from '../../../src/pipeline/checkpoint/packed-answer.js'
import { compactFile, repairFile } from '../../../src/pipeline/checkpoint/sqlite/repair.js'
import { openToWrite } from '../../../src/pipeline/checkpoint/sqlite/open-database.js'
import { calculateAnswerChecksum } from '../../../src/pipeline/checkpoint/tables.js'
import { verifyFile } from '../../../src/pipeline/checkpoint/sqlite/verify.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import { canMount, mountSmallDisk } from '../../crash/small-disk.js'
import { answerTo, checkpointFolder, everyRow, keyed, keyOf, startMs, linesOf } from './support.js'

const Database = loadDriver()

let at: ReturnType<typeof checkpointFolder>
beforeEach(() => {
  at = checkpointFolder()
})
afterEach(() => {
  at.remove()
})

const hold = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' } as const
const refusal = (code: string) => expect.objectContaining({ code, exitCode: 2 }) as Error
const sound = { damage: [], problem: null }

describe('an answer that is packed', () => {
  test.each([
    ['{"outcome":"matched"}', '{"status":"COMPLETED"}'],
    ['', ''],
    ['{"n":"Ünïcödé 株式会社 𝒳"}', `{"name":"Ünïcödé 株式会社 𝒳","again":"${'é'.repeat(70_000)}"}`],
    [secondDictionary, secondDictionary],
  ])('is unpacked to what it was: %#', (line, body) => {
    const packed = packAnswer(line, body)
    expect([unpackLine(packed), unpackBody(packed)]).toEqual([line, body])
  })

  test('what stands in its line and its body is kept once', () => {
    const basis = Array.from({ length: 40 }, (_, index) =>
      createHash('sha256').update(`${index}`).digest('hex'),
    )
    const text = JSON.stringify(basis)
    expect(packAnswer(text, text).packed.length).toBeLessThan(packAnswer(text, '').packed.length * 1.1)
  })

  test('that is larger than anything is ever unpacked to is kept as it came', () => {
    const packed = packAnswer('line', 'x'.repeat(32 * 2 ** 20))
    expect([packed.packing, unpackLine(packed)]).toEqual([0, 'line'])
  })

  test.each([
    ['another size', { lineBytes: 0, bodyBytes: 3 }],
    ['more than is ever packed', { lineBytes: 0, bodyBytes: 2 ** 31 }],
    ['less than nothing', { lineBytes: -4, bodyBytes: 8 }],
    ['no dictionary there is', { packing: 99 }],
    ['no compression at all', { packing: 0 }],
    ['nothing', { packed: null as never }],
  ])('and says %s is not unpacked', (_, change) => {
    expect(() => unpackLine({ ...packAnswer('line', 'body'), ...change })).toThrow(UnpackableError)
  })

  test.each([
    [firstDictionary, '8526769f0424b741d5f73e706b48d298d15707171db33c62ea05585eb2a4d473'],
    [secondDictionary, '04a1566f4ab99dd611b1cf1121bc8c0db56bd39b097157e483c48e13f1a8871e'],
  ])('dictionary %#, which stored answers need, does not change', (dictionary, digest) => {
    expect(createHash('sha256').update(dictionary).digest('hex')).toBe(digest)
  })

  test('that was packed with the first dictionary is still unpacked', () => {
    const [line, body] = ['{"status":"matched"}', '{"status":"COMPLETED"}']
    const packed = deflateRawSync(line + body, { dictionary: Buffer.from(firstDictionary) })
    const stored = { packing: 1, lineBytes: line.length, bodyBytes: body.length, packed }
    expect([unpackLine(stored), unpackBody(stored)]).toEqual([line, body])
    expect(packAnswer(line, body).packing).toBe(2)
  })

  test('a bomb with the right checksum is damage, takes no memory, and is repaired', async () => {
    await answered('Acme', 'Beta')
    const bomb = deflateRawSync(Buffer.alloc(512 * 2 ** 20), { level: 9 })
    const database = new Database(at.path())
    const row = database.prepare('SELECT * FROM answers WHERE lookup_id = 1').get() as Record<string, unknown>
    const made = { ...row, packed: bomb }
    database
      .prepare('UPDATE answers SET packed = ?, checksum = ? WHERE lookup_id = 1')
      .run(bomb, calculateAnswerChecksum(made, Buffer.from(keyOf('Acme'))))
    database.close()
    const before = process.memoryUsage().rss
    expect(verifyFile(at.path())?.damage).toMatchObject([{ where: 'answers', examples: ['Acme'] }])
    expect(() => at.read().readLines([1], linesOf(1))).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(() => at.read().readAnswers([1])[0]?.line).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20)
    at.close()
    expect(repairFile(at.path(), startMs)).toMatchObject({ answerCount: 1, fetchedAgain: ['Acme'] })
  })
})

/** Lookups with their answers, in a checkpoint that is closed. */
async function answered(...names: string[]): Promise<void> {
  const checkpoint = at.open()
  const ids = await checkpoint.store.register(keyed(...names))
  for (const [index, id] of ids.entries()) {
    const { customId } = await checkpoint.intend(id, startMs)
    await checkpoint.apply({ event: 'accept', lookupId: id, customId, runId: `run_${index}`, nowMs: startMs })
    await checkpoint.apply({ event: 'answer', lookupId: id, answer: answerTo(`run_${index}`) })
  }
  at.close()
}

const companies = (count: number) => Array.from({ length: count }, (_, index) => `Company ${index}`)

function change(sql: string): void {
  const database = new Database(at.path())
  database.exec(sql)
  database.close()
}

/** The files of a moment, its head left out: what a process that was killed then left. */
interface Remains {
  main: Buffer
  wal: Buffer
}
const remainsNow = (): Remains => ({
  main: readFileSync(at.path()),
  wal: readFileSync(`${at.path()}-wal`),
})

function lay({ main, wal }: Remains): void {
  for (const suffix of ['-shm', '.head', '.lock', '.lock.json', '.reserve'])
    rmSync(at.path() + suffix, { force: true })
  writeFileSync(at.path(), main)
  writeFileSync(`${at.path()}-wal`, wal)
}

test.each([2, 9])('a damaged version %i is found and repaired', async (version) => {
  await answered('Acme')
  change(`PRAGMA user_version = ${version}`)
  expect(() => at.open()).toThrow(refusal('CHECKPOINT_DAMAGED'))
  expect(() => at.read()).toThrow(refusal('CHECKPOINT_DAMAGED'))
  expect(repairFile(at.path(), startMs)).toMatchObject({ answerCount: 1, lostSubmissionCount: 0 })
  expect(verifyFile(at.path())).toMatchObject(sound)
})

describe('compacting', () => {
  const compact = () => compactFile(at.path(), startMs)

  test('frees what nothing is in any more, and says how much; nothing else changes', async () => {
    await answered('Acme', 'Beta')
    const before = everyRow(at.path())
    change('CREATE TABLE gone AS SELECT randomblob(1000000) AS bytes; DROP TABLE gone')
    const { bytesBefore, bytesAfter, isRead } = compact()
    expect(bytesBefore - bytesAfter).toBeGreaterThan(1_000_000)
    expect([statSync(at.path()).size, isRead]).toEqual([bytesAfter, false])
    expect(verifyFile(at.path())).toMatchObject(sound)
    expect(everyRow(at.path())).toEqual(before)
  })

  test('leaves the head true: the next run goes on, and what was submitted stays in its order', async () => {
    await answered('Acme', 'Beta')
    compact()
    expect(verifyFile(at.path())).toMatchObject(sound)
    const checkpoint = at.open()
    await checkpoint.store.register(keyed('Acme', 'Beta', 'New'))
    expect(await checkpoint.plan(hold)).toMatchObject({ submit: 1, answered: 2 })
  })

  test('is refused while a run goes on, and where something is damaged', async () => {
    await answered('Acme')
    const running = at.open()
    expect(compact).toThrow(expect.objectContaining({ code: 'CHECKPOINT_IN_USE' }) as Error)
    running.close()
    change("UPDATE answers SET packed = x'00'")
    const before = everyRow(at.path())
    expect(compact).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(everyRow(at.path())).toEqual(before)
  })

  test('while somebody reads, it is done, and the room is given back later', async () => {
    await answered('Acme')
    const reader = new Database(at.path(), { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM answers').get()
    expect(compact().isRead).toBe(true)
    reader.close()
    expect(compact().isRead).toBe(false)
  })

  test('killed wherever its log ends, it is as it was', async () => {
    await answered(...companies(300))
    const before = everyRow(at.path())
    const looking = new Database(at.path(), { readonly: true })
    looking.exec('BEGIN')
    looking.prepare('SELECT count(*) FROM lookups').get()
    const database = openToWrite(at.path())
    database.exec('VACUUM')
    const { main, wal } = remainsNow()
    looking.close()
    database.close()
    for (let part = 0; part <= 8; part++) {
      lay({ main, wal: wal.subarray(0, Math.floor((wal.length * part) / 8)) })
      expect(verifyFile(at.path())).toMatchObject({ damage: [] })
      expect(everyRow(at.path())).toEqual(before)
    }
  })

  test.skipIf(!canMount())('on a full disk it stays as it was, and says so', async () => {
    await answered(...companies(200))
    const disk = mountSmallDisk(at.path('disk'), '8m')
    try {
      const path = at.path('disk/checkpoint.sqlite')
      copyFileSync(at.path(), path)
      disk?.fillBut(200 * 1_024)
      expect(() => compactFile(path, startMs)).toThrow(
        expect.objectContaining({ code: 'DISK_FULL' }) as Error,
      )
      disk?.empty()
      expect(verifyFile(path)?.damage).toEqual([])
      expect(existsSync(path)).toBe(true)
    } finally {
      disk?.unmount()
    }
  })
})
