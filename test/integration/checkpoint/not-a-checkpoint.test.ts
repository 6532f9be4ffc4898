import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { openCheckpointReader } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import { systemRandom } from '../../../src/platform/clock.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import { checkpointFolder, job, keyed, scope, startMs, idOf } from './support.js'

const Database = loadDriver()

const at = checkpointFolder()
afterAll(() => {
  at.remove()
})

function refused(name: string, code: string): void {
  const expected = expect.objectContaining({
    code,
    exitCode: 2,
    message: expect.stringContaining(at.path(name)) as string,
    hint: expect.any(String) as string,
  }) as Error
  expect(() => at.open(name)).toThrow(expected)
}

function refusedToRead(name: string, code: string): void {
  expect(() => openCheckpointReader(at.path(name), scope)).toThrow(expect.objectContaining({ code }))
}

/** Files beside `name` that begin with its name: what opening it left. */
const beside = (name: string) => readdirSync(at.path('.')).filter((other) => other.startsWith(name))

function writeSqlite(name: string, ...statements: string[]): void {
  const database = new Database(at.path(name))
  for (const statement of statements) database.exec(statement)
  database.close()
}

async function writeCheckpoint(name: string): Promise<void> {
  await at
    .open(name)
    .store.register(keyed(...Array.from({ length: 2_000 }, (_, index) => `company ${index}`)))
  at.close()
}

describe('what is not a checkpoint is refused and not touched', () => {
  test.each<[string, (name: string) => void]>([
    [
      'a CSV file',
      (name) => {
        writeFileSync(at.path(name), 'name,city\nAcme,Austin\n'.repeat(500))
      },
    ],
    [
      'a short text',
      (name) => {
        writeFileSync(at.path(name), 'hello')
      },
    ],
    [
      "another program's SQLite",
      (name) => {
        writeSqlite(name, 'CREATE TABLE notes (text TEXT)')
      },
    ],
    [
      "another program's empty SQLite with its mark",
      (name) => {
        writeSqlite(name, 'PRAGMA application_id = 7')
      },
    ],
    [
      'the head of a SQLite file',
      (name) => {
        writeFileSync(at.path(name), 'SQLite format 3\0'.padEnd(4096, '\0'))
      },
    ],
  ])('%s', (what, write) => {
    const name = `${what.replaceAll(/\W/g, '-')}.sqlite`
    write(name)
    const before = readFileSync(at.path(name))
    refused(name, 'CHECKPOINT_INVALID')
    refusedToRead(name, 'CHECKPOINT_INVALID')
    expect(readFileSync(at.path(name)).equals(before)).toBe(true)
    expect(beside(name)).toEqual([name])
  })

  test('a folder', () => {
    mkdirSync(at.path('folder.sqlite'))
    refused('folder.sqlite', 'CHECKPOINT_INVALID')
    refusedToRead('folder.sqlite', 'CHECKPOINT_INVALID')
  })

  test('a device', () => {
    expect(existsSync('/dev/null')).toBe(true)
    expect(() => openCheckpointReader('/dev/null', scope)).toThrow(
      expect.objectContaining({ code: 'CHECKPOINT_INVALID' }),
    )
  })
})

describe('a checkpoint that cannot be used', () => {
  test('of a newer version: CHECKPOINT_TOO_NEW, and it stays as it is', async () => {
    await writeCheckpoint('newer.sqlite')
    writeSqlite('newer.sqlite', 'PRAGMA user_version = 999')
    // Written last by this version, as its head says, it is no newer one.
    refused('newer.sqlite', 'CHECKPOINT_DAMAGED')
    rmSync(at.path('newer.sqlite.head'))
    const before = readFileSync(at.path('newer.sqlite'))
    refused('newer.sqlite', 'CHECKPOINT_TOO_NEW')
    refusedToRead('newer.sqlite', 'CHECKPOINT_TOO_NEW')
    expect(readFileSync(at.path('newer.sqlite')).equals(before)).toBe(true)
  })

  test.each([100, 4_096, 40_000])(
    'cut to %i bytes: an error with a code, at the latest when it is used',
    async (size) => {
      const name = `cut-${size}.sqlite`
      await writeCheckpoint(name)
      truncateSync(at.path(name), size)
      const use = async () => {
        const checkpoint = at.open(name)
        await checkpoint.store.register(
          keyed(...Array.from({ length: 2_000 }, (_, index) => `company ${index}`)),
        )
      }
      await expect(use()).rejects.toMatchObject({ code: 'CHECKPOINT_DAMAGED', exitCode: 2 })
      at.close()
    },
  )

  test('below a file, where no folder can be', () => {
    writeFileSync(at.path('file'), '')
    refused('file/checkpoint.sqlite', 'CHECKPOINT_UNWRITABLE')
  })

  test.runIf(existsSync('/proc/self'))('in a folder that takes no files', () => {
    const path = '/proc/self/checkpoint.sqlite'
    expect(() => openCheckpoint({ path, scope, job, nowMs: startMs, random: systemRandom })).toThrow(
      expect.objectContaining({ code: 'CHECKPOINT_UNWRITABLE' }),
    )
  })

  test('made but never finished: it cannot be looked at yet, but the next run makes it whole', () => {
    writeSqlite('begun.sqlite', 'PRAGMA application_id = 1701737059', 'PRAGMA journal_mode = WAL')
    refusedToRead('begun.sqlite', 'CHECKPOINT_INVALID')
    at.open('begun.sqlite')
    expect(idOf(at.path('begun.sqlite'))).toMatch(/./)
  })
})

describe('where there is none yet', () => {
  test('looking makes none', () => {
    expect(openCheckpointReader(at.path('none/yet.sqlite'), scope)).toBeNull()
    expect(existsSync(at.path('none'))).toBe(false)
  })

  test('opening makes its folders too, and an empty file becomes one', () => {
    at.open('a/b/c.sqlite')
    expect(idOf(at.path('a/b/c.sqlite'))).toMatch(/./)
    appendFileSync(at.path('empty.sqlite'), '')
    at.open('empty.sqlite')
    expect(idOf(at.path('empty.sqlite'))).toMatch(/./)
  })
})
