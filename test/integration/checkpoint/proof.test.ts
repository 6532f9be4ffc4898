import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readHead } from '../../../src/pipeline/checkpoint/sqlite/head-file.js'
import { repairFile } from '../../../src/pipeline/checkpoint/sqlite/repair.js'
import {
  openCheckpoint,
  type OwnCheckpoint as Checkpoint,
  type OpenCheckpointDeps,
} from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { getHeadCopyPath } from '../../../src/pipeline/checkpoint/paths.js'
import { verifyFile } from '../../../src/pipeline/checkpoint/sqlite/verify.js'
import { systemRandom } from '../../../src/platform/clock.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import {
  answerTo,
  checkpointFolder,
  job,
  keyed,
  keyOf,
  scope,
  startMs,
  linesOf,
  idOf,
  toKeys,
} from './support.js'

const Database = loadDriver()

let at: ReturnType<typeof checkpointFolder>
beforeEach(() => {
  at = checkpointFolder()
})
afterEach(() => {
  at.remove()
})

const hold = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' } as const
const open = (options: Partial<OpenCheckpointDeps> = {}): Checkpoint =>
  openCheckpoint({ path: at.path(), scope, job, nowMs: startMs, random: systemRandom, ...options })

async function submit(checkpoint: Checkpoint, ...names: string[]): Promise<string[]> {
  const ids = await checkpoint.store.register(keyed(...names))
  await checkpoint.plan(hold)
  const customIds: string[] = []
  for (const [index, id] of ids.entries()) {
    const { customId } = await checkpoint.intend(id, startMs + index)
    await checkpoint.apply({
      event: 'accept',
      lookupId: id,
      customId,
      runId: `run_${names[index] ?? ''}`,
      nowMs: startMs + index,
    })
    await checkpoint.apply({ event: 'answer', lookupId: id, answer: answerTo(`run_${names[index] ?? ''}`) })
    customIds.push(customId)
  }
  return customIds
}

/** Answered lookups, and a checkpoint that is closed. */
async function lived(...names: string[]): Promise<string[]> {
  const checkpoint = open()
  const customIds = await submit(checkpoint, ...names)
  checkpoint.close()
  return customIds
}

function headCopyFile(): string {
  const found = readHead(at.path())
  if (found.kind !== 'found') throw new Error('there is no head')
  return getHeadCopyPath(found.head.checkpointId)
}

function change(sql: string): void {
  const database = new Database(at.path())
  database.exec(sql)
  database.close()
}

const refusal = (code: string) => expect.objectContaining({ code, exitCode: 2 }) as Error

describe('the head', () => {
  test('states each commit of the checkpoint before it is acknowledged', async () => {
    const checkpoint = open()
    const [id = 0] = await checkpoint.store.register(keyed('Acme'))
    await checkpoint.intend(id, startMs)
    const found = readHead(at.path())
    expect(found).toMatchObject({ kind: 'found', head: { submissionCount: 1, submittedAtMs: startMs } })
    checkpoint.close()
  })

  /** What a power cut leaves of a run: the log as it was when the run began, and the head as it was at the end. */
  async function afterPowerCut(isBilled: boolean): Promise<Checkpoint> {
    await lived('Acme')
    const checkpoint = open({ isBilled })
    const files = ['', '-wal'].map((suffix) => at.path() + suffix)
    const synced = files.map((path) => readFileSync(path))
    await submit(checkpoint, 'Beta', 'Gamma')
    const head = readFileSync(at.path('checkpoint.sqlite.head'))
    const copy = readFileSync(headCopyFile())
    checkpoint.close()
    // Into the same files: a power cut makes no copies.
    for (const [index, path] of files.entries()) writeFileSync(path, synced[index] ?? '')
    writeFileSync(at.path('checkpoint.sqlite.head'), head)
    writeFileSync(headCopyFile(), copy)
    return open()
  }

  test('where nothing is billed is never ahead of what a power cut leaves, and a hosted run goes on', async () => {
    const checkpoint = await afterPowerCut(false)
    await submit(checkpoint, 'Delta')
    checkpoint.close()
  })

  test('where it is billed each commit is synced before it counts, and so much that is missing is refused', async () => {
    await expect(afterPowerCut(true)).rejects.toThrow(refusal('CHECKPOINT_BEHIND'))
  })

  test('where nothing is billed is whole again when the run has ended', async () => {
    const checkpoint = open({ isBilled: false })
    await submit(checkpoint, 'Acme', 'Beta')
    expect(readHead(at.path())).toMatchObject({ kind: 'found', head: { submissionCount: 0 } })
    checkpoint.close()
    expect(readHead(at.path())).toMatchObject({ kind: 'found', head: { submissionCount: 2 } })
    const next = open()
    await submit(next, 'Gamma')
    next.close()
  })

  test('torn within a write, it is the one before', async () => {
    await lived('Acme')
    const bytes = readFileSync(at.path('checkpoint.sqlite.head'))
    for (const slot of [0, 1]) {
      const torn = Buffer.from(bytes)
      torn.fill(0, slot * 1_024 + 40, (slot + 1) * 1_024)
      writeFileSync(at.path('checkpoint.sqlite.head'), torn)
      expect(readHead(at.path()).kind).toBe('found')
    }
  })

  test.runIf(process.platform !== 'win32')(
    'and all files next to it are readable by their owner only',
    async () => {
      const checkpoint = open()
      await submit(checkpoint, 'Acme')
      for (const suffix of ['', '-wal', '-shm', '.head', '.lock', '.lock.json', '.reserve'])
        expect([suffix, statSync(at.path(`checkpoint.sqlite${suffix}`)).mode & 0o777]).toEqual([
          suffix,
          0o600,
        ])
      checkpoint.close()
    },
  )
})

describe('an older checkpoint', () => {
  test('is refused with what is missing, before anything is changed; the user’s word goes on, under new names', async () => {
    const before = await lived('Acme')
    copyFileSync(at.path(), at.path('backup'))
    const lost = open()
    const [, lostId = ''] = await submit(lost, 'Acme2', 'Beta')
    lost.close()
    copyFileSync(at.path('backup'), at.path())
    expect(() => open()).toThrow(refusal('CHECKPOINT_BEHIND'))
    expect(() => open()).toThrow(/2 submissions .* are missing/)

    const checkpoint = open({ acceptRollback: true })
    const [again = ''] = await submit(checkpoint, 'Beta')
    expect(again).not.toBe(lostId)
    expect(before).not.toContain(again)
    checkpoint.close()
    // Said once.
    open().close()
  })

  test('a lost database is reported, and the new one keeps its name', async () => {
    await lived('Acme')
    open().close()
    const id = idOf(at.path())
    rmSync(at.path())
    expect(() => open()).toThrow(refusal('CHECKPOINT_BEHIND'))
    const anew = open({ acceptRollback: true })
    expect(idOf(at.path())).toBe(id)
    anew.close()
  })

  test('a webhook for a submission that was lost is claimed by its scope and key', async () => {
    await lived('Acme')
    copyFileSync(at.path(), at.path('backup'))
    const lost = open()
    const [lostId = ''] = await submit(lost, 'Beta')
    lost.close()
    copyFileSync(at.path('backup'), at.path())
    const checkpoint = open({ acceptRollback: true })
    await checkpoint.store.register(keyed('Beta'))
    expect(
      await checkpoint.apply({ event: 'claim', customId: lostId, runId: 'run_Beta', nowMs: startMs }),
    ).toBe('claimed')
    expect(await checkpoint.plan(hold)).toMatchObject({ submit: 0, poll: 1 })
    checkpoint.close()
    expect(verifyFile(at.path())).toMatchObject({ damage: [], problem: null })
  })
})

describe('a copy', () => {
  const copyTo = (name: string) => {
    for (const suffix of ['', '.head']) copyFileSync(at.path() + suffix, at.path(name) + suffix)
  }

  test('is refused once, and only where something would be submitted', async () => {
    await lived('Acme')
    copyTo('copy.sqlite')
    const path = at.path('copy.sqlite')
    const looking = open({ path })
    await looking.store.register(keyed('Acme'))
    expect(await looking.plan(hold)).toMatchObject({ answered: 1 })
    const askAgain = ['matched']
    await expect(looking.plan({ ...hold, askAgain })).rejects.toThrow(refusal('CHECKPOINT_COPIED'))
    await looking.store.register(keyed('Beta'))
    await expect(looking.plan(hold)).rejects.toThrow(refusal('CHECKPOINT_COPIED'))
    looking.close()
    const told = open({ path, acceptRollback: true })
    await submit(told, 'Beta')
    told.close()
    const after = open({ path })
    await submit(after, 'Gamma')
    after.close()
  })

  async function restoredInPlace(): Promise<void> {
    await lived('Acme')
    copyTo('backup')
    await lived('Beta')
    for (const suffix of ['', '.head']) copyFileSync(at.path('backup') + suffix, at.path() + suffix)
  }

  test('restored in place, with its head, is older than the copy of its head', async () => {
    await restoredInPlace()
    expect(() => open()).toThrow(refusal('CHECKPOINT_BEHIND'))
    const told = open({ acceptRollback: true })
    await submit(told, 'Beta')
    told.close()
    await lived('Gamma')
  })

  test('restored in place, with its head, is one without a copy of its head', async () => {
    await restoredInPlace()
    rmSync(headCopyFile())
    const checkpoint = open()
    await checkpoint.store.register(keyed('Beta'))
    await expect(checkpoint.plan(hold)).rejects.toThrow(refusal('CHECKPOINT_COPIED'))
    checkpoint.close()
  })

  test('costs nothing at the embedded service, and is continued', async () => {
    await lived('Acme')
    copyTo('copy.sqlite')
    const notices: string[] = []
    const checkpoint = open({
      path: at.path('copy.sqlite'),
      isBilled: false,
      notice: (text) => notices.push(text),
    })
    await submit(checkpoint, 'Beta')
    checkpoint.close()
    expect(notices).toEqual([expect.stringContaining('is a copy')])
  })

  test('without its head speaks up too', async () => {
    await lived('Acme')
    rmSync(at.path('checkpoint.sqlite.head'))
    const checkpoint = open()
    await checkpoint.store.register(keyed('Beta'))
    await expect(checkpoint.plan(hold)).rejects.toThrow(refusal('CHECKPOINT_HEAD_MISSING'))
    checkpoint.close()
    expect(existsSync(at.path('checkpoint.sqlite.head'))).toBe(false)
  })
})

describe('damage', () => {
  const cases: [string, string, string][] = [
    ['a lookup’s name', "UPDATE lookups SET name = 'Acmf' WHERE name = 'Acme'", 'lookups'],
    ['a lookup’s state', "UPDATE lookups SET state = 'new' WHERE name = 'Acme'", 'lookups'],
    ['a scope', "UPDATE scopes SET scope = 'https://b.example'", 'scopes'],
    ['a job', 'UPDATE jobs SET ended_at_ms = 1', 'jobs'],
    ['a submission', "UPDATE submissions SET verdict = 'not_created' WHERE rowid = 1", 'submissions'],
    ['a submission that is gone', 'DELETE FROM submissions WHERE rowid = 2', 'chain'],
    [
      'a bit of an answer',
      "UPDATE answers SET packed = CAST(substr(packed, 1, 9) || x'5a' || substr(packed, 11) AS BLOB) WHERE lookup_id = 1",
      'answers',
    ],
    [
      'where the body of an answer begins',
      'UPDATE answers SET line_bytes = line_bytes - 1, body_bytes = body_bytes + 1 WHERE lookup_id = 1',
      'answers',
    ],
    ['what an answer was packed with', 'UPDATE answers SET packing = 0 WHERE lookup_id = 1', 'answers'],
    [
      'an answer of another',
      'UPDATE answers SET lookup_id = 9 WHERE lookup_id = 1; UPDATE answers SET lookup_id = 1 WHERE lookup_id = 2',
      'answers',
    ],
    ['its name', "UPDATE checkpoint SET id = 'other'", 'checkpoint'],
  ]

  test.each(cases)('of %s stops before anything is submitted, and is named', async (_, sql, where) => {
    await lived('Acme', 'Beta', 'Gamma')
    change(`PRAGMA foreign_keys = OFF; ${sql}`)
    const found = verifyFile(at.path())
    expect(found?.damage.map((one) => one.where)).toContain(where)
    const use = async () => {
      const checkpoint = open()
      try {
        await checkpoint.store.register(keyed('Acme', 'Beta', 'Gamma', 'Delta'))
        await checkpoint.plan(hold)
      } finally {
        checkpoint.close()
      }
    }
    await expect(use()).rejects.toThrow(expect.objectContaining({ exitCode: 2 }) as Error)
  })

  test.each(cases.filter(([, , where]) => !['scopes', 'submissions', 'chain'].includes(where)))(
    'of %s is repaired: nothing that was billed is submitted again, and nothing is invented',
    async (_, sql, where) => {
      await lived('Acme', 'Beta', 'Gamma')
      change(`PRAGMA foreign_keys = OFF; ${sql}`)
      const repair = repairFile(at.path(), startMs)
      expect(repair?.lostSubmissionCount).toBe(0)
      expect(existsSync(repair?.damagedPath ?? '')).toBe(true)
      expect(verifyFile(at.path())).toMatchObject({ damage: [], problem: null })
      const checkpoint = open()
      await checkpoint.store.register(keyed('Acme', 'Beta', 'Gamma', 'Delta'))
      const plan = await checkpoint.plan(hold)
      expect([where, plan.submit]).toEqual([where, 1])
      checkpoint.close()
      const reader = at.read()
      for (const name of ['Acme', 'Beta', 'Gamma']) {
        const [known] = reader.readAnswers(reader.find(toKeys('resolution', [keyOf(name)])))
        expect([null, `run_${name}`]).toContain(known?.runId)
        if (known?.state === 'answered') expect(known.line).toBe('{"outcome":"matched"}')
      }
    },
  )

  test.each(cases.filter(([, , where]) => ['submissions', 'chain'].includes(where)))(
    'of %s: the repaired checkpoint is refused until its submissions are restored',
    async (_, sql) => {
      await lived('Acme', 'Beta', 'Gamma')
      change(`PRAGMA foreign_keys = OFF; ${sql}`)
      expect(repairFile(at.path(), startMs)).toMatchObject({ lostSubmissionCount: 1, lookupCount: 3 })
      expect(verifyFile(at.path())).toMatchObject({
        damage: [],
        problem: { code: 'CHECKPOINT_BEHIND' },
      })
      expect(() => open()).toThrow(refusal('CHECKPOINT_BEHIND'))
    },
  )

  test('of the text of any definition: no submission is lost without a refusal', async () => {
    await lived('Acme', 'Beta')
    const files = [at.path(), `${at.path()}.head`].map((path) => [path, readFileSync(path)] as const)
    const bytes = readFileSync(at.path())
    const database = new Database(at.path(), { readonly: true })
    const texts = database
      .prepare<[], string>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL')
      .pluck()
      .all()
    database.close()
    let repaired = 0
    for (const text of texts) {
      const place = bytes.indexOf(text.slice(0, 40))
      for (let offset = 15; offset < text.length; offset += 13) {
        const damaged = Buffer.from(bytes)
        damaged.writeUInt8(damaged.readUInt8(place + offset) ^ 2, place + offset)
        for (const [path, content] of files) writeFileSync(path, content)
        writeFileSync(at.path(), damaged)
        const repair = repairFile(at.path(), startMs)
        if (repair === null) continue
        repaired++
        const { lookupCount, submissionCount, lostSubmissionCount } = repair
        expect(submissionCount + lostSubmissionCount).toBe(2)
        expect(lookupCount).toBeGreaterThanOrEqual(submissionCount)
        expect(verifyFile(at.path())).toMatchObject({
          damage: [],
          problem: lostSubmissionCount === 0 ? null : { code: 'CHECKPOINT_BEHIND' },
        })
      }
    }
    expect(repaired).toBeGreaterThan(5)
  })

  test('of the name of a column: lookups are restored from their submissions', async () => {
    await lived('Acme', 'Beta')
    const pending = open()
    const [id = 0] = await pending.store.register(keyed('Gamma'))
    await pending.plan(hold)
    const { customId } = await pending.intend(id, startMs)
    await pending.apply({ event: 'accept', lookupId: id, customId, runId: 'run_Gamma', nowMs: startMs })
    pending.close()
    const database = new Database(at.path())
    database.unsafeMode(true)
    database.pragma('writable_schema = ON')
    database.exec(
      "UPDATE sqlite_schema SET sql = replace(sql, 'answered_at_ms', 'bnswered_at_ms') WHERE name = 'lookups'",
    )
    database.close()
    const counts = { lookupCount: 3, submissionCount: 3, answerCount: 2, lostSubmissionCount: 0 }
    expect(repairFile(at.path(), startMs)).toMatchObject(counts)
  })

  test('of a scope that nothing else tells leaves the refusal: whose answers they are is not invented', async () => {
    await lived('Acme', 'Beta')
    change("UPDATE scopes SET scope = 'https://b.example'")
    expect(repairFile(at.path(), startMs)).toMatchObject({ lostSubmissionCount: 2, lookupCount: 0 })
    expect(verifyFile(at.path())).toMatchObject({ damage: [], problem: { code: 'CHECKPOINT_BEHIND' } })
    expect(() => open()).toThrow(refusal('CHECKPOINT_BEHIND'))
  })

  test('an answer that is damaged is not given out', async () => {
    await lived('Acme')
    change("UPDATE answers SET packed = x'00'")
    const reader = at.read()
    const ids = reader.find(toKeys('resolution', [keyOf('Acme')]))
    expect(() => reader.readLines(ids, linesOf(1))).toThrow(refusal('CHECKPOINT_DAMAGED'))
    expect(() => reader.readAnswers(ids)).toThrow(refusal('CHECKPOINT_DAMAGED'))
  })

  test('an index that leads to another lookup is not followed', async () => {
    await lived('Acme', 'Beta')
    const bytes = readFileSync(at.path())
    // In the index, a key is followed by the number of its row; in the table it is not.
    const keyAndId = (name: string, id: number) =>
      Buffer.concat([Buffer.from(keyOf(name)), Buffer.from([id])])
    const place = bytes.indexOf(keyAndId('Beta', 2))
    expect(place).toBeGreaterThan(0)
    bytes[place + 16] = 1
    writeFileSync(at.path(), bytes)
    expect(() => at.read().find(toKeys('resolution', [keyOf('Beta')]))).toThrow(refusal('CHECKPOINT_DAMAGED'))
  })
})
