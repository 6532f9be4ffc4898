import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openOwn, readOwn, type OpenOwnOptions, type OwnSqlite } from '../../../src/platform/own-sqlite.js'
import { NotOursError, openSqlite, readSchemaVersion, type Sqlite } from '../../../src/platform/sqlite.js'
import { makeFolder } from '../../support/temporary-folder.js'

let folder: string
beforeEach(() => {
  folder = makeFolder()
})

const applicationId = 0x01020304
const migrations = ['CREATE TABLE one (x INTEGER) STRICT', 'CREATE TABLE two (x INTEGER) STRICT']
const durable: OpenOwnOptions = { synchronous: 'FULL' }

/** Errors say what they were, so that a test can tell. */
const own = (changes: Partial<OwnSqlite> = {}): OwnSqlite => ({
  path: join(folder, 'below', 'own.sqlite'),
  applicationId,
  migrations,
  explain: (error) =>
    new Error(error instanceof NotOursError ? error.fault : String((error as { code?: string }).code)),
  ...changes,
})

function write(path: string, ...statements: string[]): string {
  const database = openSqlite(path, { synchronous: 'FULL', journal: 'DELETE' })
  for (const statement of statements) database.exec(statement)
  database.close()
  return path
}

test('it is made with its folder, its mark and its schema, for its owner alone where that is asked', () => {
  const database = openOwn(own(), { ...durable, isPrivate: true })
  expect(readSchemaVersion(database)).toBe(2)
  expect(database.pragma('application_id', { simple: true })).toBe(applicationId)
  expect(statSync(own().path).mode & 0o077).toBe(0)
  database.close()
})

test('one of an older version is brought to this one, between what goes around it; one of this version is not', () => {
  openOwn(own({ migrations: migrations.slice(0, 1) }), durable).close()
  const steps: string[] = []
  const open = () => {
    openOwn(own(), {
      ...durable,
      setUp: (database) => steps.push(`set up ${readSchemaVersion(database)}`),
      aroundMigration: (migrate) => {
        steps.push('locked')
        migrate()
        steps.push('unlocked')
      },
      finish: (database) => steps.push(`finish ${readSchemaVersion(database)}`),
    }).close()
  }
  open()
  expect(steps).toEqual(['set up 1', 'locked', 'unlocked', 'finish 2'])
  steps.length = 0
  open()
  expect(steps).toEqual(['set up 2', 'finish 2'])
})

test('two that make it at one time both have it whole', () => {
  const path = join(folder, 'shared.sqlite')
  const database = openOwn(own({ path }), {
    ...durable,
    aroundMigration: (migrate) => {
      openOwn(own({ path }), durable).close()
      migrate()
    },
  })
  expect(readSchemaVersion(database)).toBe(2)
  database.close()
})

describe('what is not ours is refused, and not touched', () => {
  const foreign = {
    'of another kind': { text: ['PRAGMA application_id = 7'], fault: 'other_kind' },
    'of no kind, with tables': { text: ['CREATE TABLE theirs (x)'], fault: 'other_kind' },
    'with our mark, tables and no version': {
      text: [`PRAGMA application_id = ${applicationId}`, 'CREATE TABLE one (x)'],
      fault: 'no_version',
    },
    'of a newer version': {
      text: [`PRAGMA application_id = ${applicationId}`, 'PRAGMA user_version = 3'],
      fault: 'newer_version',
    },
  }
  test.each(Object.entries(foreign))('%s', (_what, { text, fault }) => {
    const path = write(join(folder, 'foreign.sqlite'), ...text)
    const before = readFileSync(path)
    expect(() => openOwn(own({ path }), durable)).toThrow(new Error(fault))
    expect(() => readOwn(own({ path }), { versions: 'any' })).toThrow(new Error(fault))
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  test('no database at all', () => {
    const path = join(folder, 'text.sqlite')
    writeFileSync(path, 'just a text, and long enough to be read as a header of a page '.repeat(20))
    expect(() => openOwn(own({ path }), durable)).toThrow('SQLITE_NOTADB')
  })

  test('a kind without a mark goes by its version alone', () => {
    const path = write(join(folder, 'unmarked.sqlite'), 'CREATE TABLE theirs (x)')
    expect(() => openOwn(own({ path, applicationId: null }), durable)).toThrow('no_version')
    const ours = join(folder, 'ours.sqlite')
    openOwn(own({ path: ours, applicationId: null }), durable).close()
    const database = openOwn(own({ path: ours, applicationId: null }), durable)
    expect(database.pragma('application_id', { simple: true })).toBe(0)
    database.close()
  })
})

describe('looked at', () => {
  test('one of an older version is taken where any will do', () => {
    openOwn(own({ migrations: migrations.slice(0, 1) }), durable).close()
    expect(() => readOwn(own(), { versions: 'current' })).toThrow('older_version')
    readOwn(own(), { versions: 'any' }).close()
  })

  test('one that is still being made is there where any will do', () => {
    const path = write(join(folder, 'begun.sqlite'), 'PRAGMA user_version = 0')
    writeFileSync(path, '')
    expect(() => readOwn(own({ path }), { versions: 'current' })).toThrow('other_kind')
    readOwn(own({ path }), { versions: 'any' }).close()
  })

  test('it leaves no files of SQLite, unless a writer uses them', () => {
    openOwn(own(), durable).close()
    const first = readOwn(own(), { versions: 'any' })
    const second = readOwn(own(), { versions: 'any' })
    first.close()
    expect(readSchemaVersion(second)).toBe(2)
    second.close()
    expect(readdirSync(dirname(own().path))).toEqual(['own.sqlite'])

    const writer = openOwn(own(), durable)
    readOwn(own(), { versions: 'any' }).close()
    writer.exec('INSERT INTO one VALUES (1)')
    const reader = readOwn(own(), { versions: 'any' })
    expect(reader.prepare('SELECT x FROM one').pluck().get()).toBe(1)
    reader.close()
    expect(existsSync(`${own().path}-wal`)).toBe(true)
    writer.close()
    expect(readdirSync(dirname(own().path))).toEqual(['own.sqlite'])
  })

  test('it leaves no files of SQLite if its path is a symbolic link', () => {
    openOwn(own(), durable).close()
    const link = join(mkdtempSync(join(dirname(own().path), 'links-')), 'own.sqlite')
    symlinkSync(own().path, link)
    readOwn(own({ path: link }), { versions: 'any' }).close()
    expect(readdirSync(dirname(own().path)).filter((name) => name.startsWith('own'))).toEqual(['own.sqlite'])
    expect(readdirSync(dirname(link))).toEqual(['own.sqlite'])
  })

  test.each(['application_id', 'user_version'])('it is read while another process creates it: %s', (last) => {
    mkdirSync(dirname(own().path))
    openSqlite(own().path, durable).close()
    const opened = openSqlite(':memory:', durable)
    const prototype = Object.getPrototypeOf(opened) as Sqlite
    opened.close()
    const createAfterIt = () => {
      const spy = vi.spyOn(prototype, 'pragma').mockImplementation(function (this: Sqlite, text, options) {
        spy.mockRestore()
        const value = this.pragma(text, options)
        if (text === last) openOwn(own(), durable).close()
        else createAfterIt()
        return value
      })
    }
    createAfterIt()
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    readOwn(own(), { versions: 'any' }).close()
    readOwn(own(), { versions: 'current' }).close()
  })

  test('what is not there is not made', () => {
    expect(() => readOwn(own(), { versions: 'any' })).toThrow()
    expect(existsSync(own().path)).toBe(false)
  })
})

test('where a step throws, the file is closed', () => {
  const opened: Sqlite[] = []
  const finish = (database: Sqlite) => {
    opened.push(database)
    throw new TypeError('not so')
  }
  expect(() => openOwn(own(), { ...durable, finish })).toThrow()
  expect(opened.map(({ open }) => open)).toEqual([false])
})

test('a reader undoes the transaction of a process that was killed', () => {
  const path = join(folder, 'running.sqlite')
  const running = openSqlite(path, { synchronous: 'NORMAL', journal: 'DELETE' })
  running.exec('CREATE TABLE rows (x TEXT)')
  running.prepare('INSERT INTO rows VALUES (?)').run('old')
  running.pragma('cache_size = 1')
  running.exec('BEGIN')
  const insert = running.prepare('INSERT INTO rows VALUES (?)')
  // More than the cache holds, so that pages of the transaction are in the file.
  for (let row = 0; row < 500; row++) insert.run('x'.repeat(2_000))
  const killed = join(folder, 'killed.sqlite')
  for (const suffix of ['', '-journal']) writeFileSync(killed + suffix, readFileSync(path + suffix))
  running.exec('ROLLBACK')
  running.close()
  const reader = openSqlite(killed, { synchronous: 'NORMAL', readonly: true })
  try {
    expect(reader.prepare('SELECT x FROM rows').pluck().all()).toEqual(['old'])
    expect(existsSync(`${killed}-journal`)).toBe(false)
  } finally {
    reader.close()
  }
})
