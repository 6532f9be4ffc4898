import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { firstDictionary } from '../../../src/pipeline/checkpoint/answer-dictionary.js'
import { compactCheckpoint } from '../../../src/pipeline/checkpoint/compact.js'
import { HeadFile, placeOf, readHead } from '../../../src/pipeline/checkpoint/head-file.js'
import { openToWrite } from '../../../src/pipeline/checkpoint/open.js'
import {
  packAnswer,
  UnpackableError,
  unpackBody,
  unpackLine,
} from '../../../src/pipeline/checkpoint/packed-answer.js'
import { repairCheckpoint } from '../../../src/pipeline/checkpoint/repair.js'
import { answerChecksumOf, registerChecksums } from '../../../src/pipeline/checkpoint/row-checksums.js'
import { migrations, schemaVersion } from '../../../src/pipeline/checkpoint/schema.js'
import { verifyCheckpoint } from '../../../src/pipeline/checkpoint/verify.js'
import { loadDriver, migrate } from '../../../src/platform/sqlite.js'
import { canMount, mountSmallDisk } from '../../crash/small-disk.js'
import { answerTo, checkpointFolder, everyRow, keyed, keyOf, scope, startMs, linesOf } from './support.js'

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
    [firstDictionary, firstDictionary],
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

  test('its dictionary is what it was released as', () => {
    const digest = createHash('sha256').update(firstDictionary).digest('hex')
    expect(digest).toBe('8526769f0424b741d5f73e706b48d298d15707171db33c62ea05585eb2a4d473')
  })

  test('a bomb with the right checksum is damage, takes no memory, and is mended', async () => {
    await answered('Acme', 'Beta')
    const bomb = deflateRawSync(Buffer.alloc(512 * 2 ** 20), { level: 9 })
    const database = new Database(at.path())
    const row = database.prepare('SELECT * FROM answers WHERE lookup_id = 1').get() as Record<string, unknown>
    const made = { ...row, packed: bomb }
    database
      .prepare('UPDATE answers SET packed = ?, checksum = ? WHERE lookup_id = 1')
      .run(bomb, answerChecksumOf(made, Buffer.from(keyOf('Acme'))))
    database.close()
    const before = process.memoryUsage().rss
    expect(verifyCheckpoint(at.path())?.damage).toMatchObject([{ where: 'answers', examples: ['Acme'] }])
    expect(() => at.read().answered([1], linesOf(1))).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(() => at.read().known([1])[0]?.line).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20)
    at.close()
    expect(repairCheckpoint(at.path(), startMs)).toMatchObject({ answerCount: 1, fetchedAgain: ['Acme'] })
  })
})

/** Lookups with their answers, in a checkpoint that is closed. */
async function answered(...names: string[]): Promise<void> {
  const checkpoint = at.open()
  const ids = await checkpoint.want(keyed(...names))
  for (const [index, id] of ids.entries()) {
    const { customId } = await checkpoint.intend(id, startMs)
    await checkpoint.accept(id, customId, `run_${index}`, startMs)
    await checkpoint.answer(id, answerTo(`run_${index}`))
  }
  at.close()
}

/** Of version 4, whose answers were two texts: with checksums as that version wrote them. */
function makeOld(count: number): void {
  const database = new Database(at.path())
  database.pragma('journal_mode = WAL')
  database.pragma('application_id = 1701737059')
  registerChecksums(database)
  migrate(database, migrations.slice(0, 2))
  const checkpointId = 'o'.repeat(24)
  database.exec(`INSERT INTO checkpoint VALUES ('${checkpointId}', 1);
    INSERT INTO scopes VALUES (1, '${scope}'); INSERT INTO jobs VALUES (1, 1, 'j', 1, NULL);`)
  const lookup = database.prepare(
    "INSERT INTO lookups (scope_id, key, name, state, attempt, custom_id, run_id, answered_at_ms) VALUES (1, ?, ?, 'answered', 1, ?, ?, 5)",
  )
  const submission = database.prepare(
    "INSERT INTO submissions VALUES (?, ?, 1, 1, 'accepted', ?, NULL, 3, 4)",
  )
  for (let id = 1; id <= count; id++) {
    const key = Buffer.from(keyOf(`Old ${id}`))
    const customId = `enr_${checkpointId}_1_${key.toString('hex')}_1`
    lookup.run(key, `Old ${id}`, customId, `run_${id}`)
    submission.run(customId, id, `run_${id}`)
  }
  migrate(database, migrations.slice(0, 4))
  const insert = database.prepare("INSERT INTO answers VALUES (?, ?, 'matched', ?, 1, ?, 5, ?, ?)")
  const digest = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16)
  for (let id = 1; id <= count; id++) {
    const { line, body } = oldAnswer(id)
    const keyHex = Buffer.from(keyOf(`Old ${id}`)).toString('hex')
    const sum = ['answers', keyHex, `run_${id}`, 'matched', line, 1, 5, digest(body).toString('hex')]
    insert.run(id, `run_${id}`, line, body, digest(body), digest(JSON.stringify(sum)))
  }
  database.close()
}

const oldAnswer = (id: number) => ({
  line: `{"legal_name":"Old ${id} Söhne"}`,
  body: `{"data":{"legal_name":"Old ${id} Söhne"}}`,
})

/** Reads them all, by nothing that the migration has to do with. */
function expectAllOld(count: number): void {
  const reader = at.read()
  const ids = reader.find(
    'resolution',
    Array.from({ length: count }, (_, index) => keyOf(`Old ${index + 1}`)),
  )
  const lines = reader.answered(ids, linesOf(1)).map((answer) => answer?.line.toString())
  expect(lines).toEqual(ids.map((id) => oldAnswer(id).line))
  expect(reader.known(ids).map((known) => known?.body())).toEqual(ids.map((id) => oldAnswer(id).body))
  expect(reader.counts()[0]?.outcomes).toEqual({ matched: count })
  at.close()
}

function change(sql: string): void {
  const database = new Database(at.path())
  database.exec(sql)
  database.close()
}

function plainCount(): number | null {
  const database = new Database(at.path(), { readonly: true })
  try {
    const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'plain_answers'").get()
    return has === undefined
      ? null
      : (database.prepare('SELECT count(*) FROM plain_answers').pluck().get() as number)
  } finally {
    database.close()
  }
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

/** Where a log ends after each of its transactions. */
function commitsOf(wal: Buffer): number[] {
  const [headerBytes, frameBytes] = [32, 24 + 4_096]
  const ends: number[] = []
  for (let frame = headerBytes; frame + frameBytes <= wal.length; frame += frameBytes)
    if (wal.readUInt32BE(frame + 4) > 0) ends.push(frame + frameBytes)
  return ends
}

describe('a checkpoint whose answers are two texts', () => {
  const count = 1_200

  test('is read as it is, and its answers are proven', () => {
    makeOld(20)
    expectAllOld(20)
    expect(verifyCheckpoint(at.path())).toMatchObject(sound)
    change("UPDATE answers SET line = '{}' WHERE lookup_id = 7")
    expect(() => at.read().answered([7], linesOf(1))).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(verifyCheckpoint(at.path())?.damage).toMatchObject([{ where: 'answers', examples: ['Old 7'] }])
  })

  test('is brought to this version by a run, wherever it is killed, and loses nothing', async () => {
    makeOld(count)
    // Somebody reads, so all of it stays in the log.
    const looking = new Database(at.path(), { readonly: true })
    looking.exec('BEGIN')
    looking.prepare('SELECT count(*) FROM lookups').get()
    const migrated = openToWrite(at.path())
    const { main, wal } = remainsNow()
    looking.close()
    migrated.close()
    const commits = commitsOf(wal)
    // The tables, the answers in batches, the versions, the end.
    expect(commits.length).toBeGreaterThan(6)
    const moved = new Set<number | null>()
    for (const end of [0, ...commits]) {
      // Within a transaction, it is as before it.
      lay({ main, wal: wal.subarray(0, end + 10_000) })
      expectAllOld(count)
      moved.add(plainCount())
      const again = at.open()
      await again.want(keyed('Old 1', `Old ${count}`, 'New'))
      expect(await again.plan(hold)).toMatchObject({ submit: 1, answered: 2 })
      at.close()
      expect(plainCount()).toBeNull()
      expect(verifyCheckpoint(at.path())).toMatchObject(sound)
      expectAllOld(count)
    }
    expect([...moved]).toEqual([null, 1_200, 700, 200, 0])
  })

  test('what was damaged in it before is not proven by it', async () => {
    makeOld(3)
    change("UPDATE answers SET body = '{}' WHERE lookup_id = 2")
    const checkpoint = at.open()
    await checkpoint.want(keyed('Old 1', 'Old 2', 'New'))
    await expect(checkpoint.plan(hold)).rejects.toThrow(refusal('CHECKPOINT_DAMAGED'))
    at.close()
    expect(repairCheckpoint(at.path(), startMs)).toMatchObject({ answerCount: 2, fetchedAgain: ['Old 2'] })
    expect(verifyCheckpoint(at.path())?.damage).toEqual([])
  })

  test('and is damaged is repaired from it as it is, also half way', () => {
    for (const moved of [false, true]) {
      makeOld(3)
      if (moved) {
        const database = new Database(at.path())
        registerChecksums(database)
        migrate(database, migrations.slice(0, 5))
        database.close()
      }
      change(`UPDATE ${moved ? 'plain_answers' : 'answers'} SET body = '{}' WHERE lookup_id = 2`)
      expect(repairCheckpoint(at.path(), startMs)).toMatchObject({ answerCount: 2, fetchedAgain: ['Old 2'] })
      expect(verifyCheckpoint(at.path())?.damage).toEqual([])
      for (const suffix of ['', '.head']) rmSync(at.path() + suffix, { force: true })
    }
  })

  test.each([3, 4, 5, 6])('a damaged version that says %i is seen, and mended', async (version) => {
    await answered('Acme')
    change(`PRAGMA user_version = ${version}`)
    expect(() => at.open()).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(() => at.read()).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(repairCheckpoint(at.path(), startMs)).toMatchObject({ answerCount: 1, lostSubmissionCount: 0 })
    expect(verifyCheckpoint(at.path())).toMatchObject(sound)
  })

  test('an answer that a reader waits for is found while another process moves it', () => {
    makeOld(5)
    const reader = at.read()
    expect(reader.answered([3], linesOf(1))[0]?.line.toString()).toBe(oldAnswer(3).line)
    openToWrite(at.path()).close()
    expect(reader.answered([3], linesOf(1))[0]?.line.toString()).toBe(oldAnswer(3).line)
    expect(reader.known([3])[0]?.line).toBe(oldAnswer(3).line)
  })
})

describe('the head of a checkpoint that is brought to this version', () => {
  /** As a process of the earlier version closed it. */
  function makeOldWithHead(): void {
    makeOld(2)
    const database = new Database(at.path())
    const chain = database.prepare('SELECT chain FROM submissions WHERE rowid = 2').pluck().get() as string
    const head = { version: 4, checkpointId: 'o'.repeat(24), generation: 0, sequence: 0 }
    const last = { submissionCount: 2, chain, submittedAtMs: 3, place: placeOf(at.path()) }
    const closed = new HeadFile(at.path(), { ...head, ...last }).close()
    registerChecksums(database)
    database.prepare('UPDATE checkpoint SET had_head = 1, closed_head_ns = ?').run(closed)
    database.exec(
      `UPDATE checkpoint SET checksum =
         row_checksum('checkpoint', id, created_at_ms, generation, sequence, had_head, closed_head_ns)`,
    )
    database.close()
    expect(verifyCheckpoint(at.path())).toMatchObject(sound)
  }

  test('says so before anything is changed: an earlier version finds it newer, and not damaged', () => {
    makeOldWithHead()
    // As if it had been killed after it: no run has written its own head.
    openToWrite(at.path()).close()
    expect(readHead(at.path())).toMatchObject({ kind: 'found', head: { version: schemaVersion } })
    expect(verifyCheckpoint(at.path())).toMatchObject(sound)
    at.open()
    at.close()
    expect(verifyCheckpoint(at.path())).toMatchObject(sound)
  })

  test('does not make a copy the original', () => {
    makeOldWithHead()
    for (const suffix of ['', '.head']) copyFileSync(at.path() + suffix, at.path('copy') + suffix)
    for (const suffix of ['', '.head']) copyFileSync(at.path('copy') + suffix, at.path() + suffix)
    for (const moment of ['before', 'after']) {
      expect([moment, verifyCheckpoint(at.path())?.problem?.code]).toEqual([moment, 'CHECKPOINT_COPIED'])
      openToWrite(at.path()).close()
    }
  })
})

describe('compacting', () => {
  const compact = () => compactCheckpoint(at.path(), startMs, () => undefined)

  test('frees what the older form took, and says how much; nothing else changes', () => {
    makeOld(2_500)
    const { bytesBefore, bytesAfter, isRead } = compact()
    expect(bytesBefore / bytesAfter).toBeGreaterThan(1.05)
    expect([statSync(at.path()).size, isRead]).toEqual([bytesAfter, false])
    expect(verifyCheckpoint(at.path())).toMatchObject(sound)
    expectAllOld(2_500)
  })

  test('leaves the head true: the next run goes on, and what was submitted stays in its order', async () => {
    await answered('Acme', 'Beta')
    compact()
    expect(verifyCheckpoint(at.path())).toMatchObject(sound)
    const checkpoint = at.open()
    await checkpoint.want(keyed('Acme', 'Beta', 'New'))
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

  test('killed wherever its log ends, it is as it was', () => {
    makeOld(300)
    openToWrite(at.path()).close()
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
      expect(verifyCheckpoint(at.path())).toMatchObject({ damage: [] })
      expectAllOld(300)
    }
  })

  test.skipIf(!canMount())('on a full disk it stays as it was, and says so', async () => {
    await answered(...Array.from({ length: 200 }, (_, index) => `Company ${index}`))
    const disk = mountSmallDisk(at.path('disk'), '8m')
    try {
      const path = at.path('disk/checkpoint.sqlite')
      copyFileSync(at.path(), path)
      disk?.fillBut(200 * 1_024)
      expect(() => compactCheckpoint(path, startMs, () => undefined)).toThrow(
        expect.objectContaining({ code: 'DISK_FULL' }) as Error,
      )
      disk?.empty()
      expect(verifyCheckpoint(path)?.damage).toEqual([])
      expect(existsSync(path)).toBe(true)
    } finally {
      disk?.unmount()
    }
  })
})
