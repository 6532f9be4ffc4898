import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { GroupCommit, createGroupTransactions, type ItemResult } from '../../../src/platform/group-commit.js'
import { openSqlite, type Sqlite } from '../../../src/platform/sqlite.js'

const taken = <Item>(items: readonly Item[]): ItemResult<Item>[] => items.map((value) => ({ value }))

test('what comes within a few turns of the event loop is one commit, in order', async () => {
  const commits: number[][] = []
  const { add } = new GroupCommit((items: readonly number[]) => {
    commits.push([...items])
    return taken(items)
  })
  const first = [add(1), add(2)]
  await nextTurn()
  first.push(add(3))
  expect(commits).toEqual([])
  expect(await Promise.all(first)).toEqual([1, 2, 3])
  expect(commits).toEqual([[1, 2, 3]])
  await add(4)
  expect(commits).toEqual([[1, 2, 3], [4]])
})

test('however many turns the loop takes, no change waits longer than a moment', async () => {
  let isCommitted = false
  const { add } = new GroupCommit((items: readonly number[]) => {
    isCommitted = true
    return taken(items)
  })
  const added = add(1)
  const busyUntilMs = performance.now() + 25
  setImmediate(() => {
    while (performance.now() < busyUntilMs);
  })
  await nextTurn()
  await nextTurn()
  expect(isCommitted).toBe(true)
  await added
})

test('where commits wait a given time, what comes within it is one commit; a flush does not wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const commits: number[][] = []
    const commit = (items: readonly number[]) => {
      commits.push([...items])
      return taken(items)
    }
    const { add, flush } = new GroupCommit(commit, { gatherMs: 8 })
    const added = [add(1)]
    vi.advanceTimersByTime(7)
    added.push(add(2))
    expect(commits).toEqual([])
    vi.advanceTimersByTime(1)
    expect(await Promise.all(added)).toEqual([1, 2])
    const next = add(3)
    flush()
    expect(await next).toBe(3)
    vi.advanceTimersByTime(8)
    expect(commits).toEqual([[1, 2], [3]])
  } finally {
    vi.useRealTimers()
  }
})

test('of a commit each gets what became of it; one that throws rejects all, and the next goes on', async () => {
  let fails = false
  const { add } = new GroupCommit((items: readonly number[]): ItemResult<number>[] => {
    if (fails) throw new Error('no disk')
    return items.map((value) => (value % 2 === 0 ? { value } : { error: new Error(`${value} is odd`) }))
  })
  const settled = await Promise.allSettled([add(1), add(2)])
  expect(settled).toMatchObject([
    { status: 'rejected', reason: { message: '1 is odd' } },
    { status: 'fulfilled', value: 2 },
  ])
  fails = true
  const rejected = await Promise.allSettled([add(2), add(4)])
  expect(rejected.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await add(6)).toBe(6)
})

test('while a commit takes its time, what comes waits, and is the next one', async () => {
  const commits: number[][] = []
  let finish: () => void = () => undefined
  const { add } = new GroupCommit(async (items: readonly number[]) => {
    commits.push([...items])
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    return taken(items)
  })
  const first = add(1)
  for (let turn = 0; turn < 6; turn++) await nextTurn()
  const others = [add(2), add(3)]
  for (let turn = 0; turn < 6; turn++) await nextTurn()
  expect(commits).toEqual([[1]])
  finish()
  await first
  expect(commits).toEqual([[1], [2, 3]])
  finish()
  expect(await Promise.all(others)).toEqual([2, 3])
})

function table(): { database: Sqlite; numbers: () => number[] } {
  const database = openSqlite(':memory:', { synchronous: 'OFF' })
  database.exec('CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT')
  return {
    database,
    numbers: () => database.prepare<[], number>('SELECT number FROM numbers').pluck().all(),
  }
}

test('a change that throws is undone and rejected alone', async () => {
  const { database, numbers } = table()
  const insert = database.prepare<[number]>('INSERT INTO numbers VALUES (?)')
  const { add } = createGroupTransactions(database)
  const settled = await Promise.allSettled([
    add(() => insert.run(1)),
    add(() => {
      insert.run(2)
      throw new Error('not so')
    }),
    add(() => insert.run(3)),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(numbers()).toEqual([1, 3])
})

test('nothing is acknowledged, and nothing is kept, where the last of the transaction throws', async () => {
  const { database, numbers } = table()
  const insert = database.prepare<[number]>('INSERT INTO numbers VALUES (?)')
  let isBroken = true
  const order: string[] = []
  const { add } = createGroupTransactions(database, {
    beforeCommit: () => {
      order.push('before')
      if (isBroken) throw new Error('no head')
    },
    afterCommit: () => order.push(`after ${numbers().length}`),
  })
  const both = await Promise.allSettled([add(() => insert.run(1)), add(() => insert.run(3))])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(order).toEqual(['before'])
  expect(numbers()).toEqual([])
  isBroken = false
  await add(() => insert.run(2)).then(() => order.push('acknowledged'))
  expect(order).toEqual(['before', 'before', 'after 1', 'acknowledged'])
})

test('on a full disk room is made once, and the commit made again', async () => {
  const { database, numbers } = table()
  database.exec('CREATE TABLE blobs (blob BLOB) STRICT')
  const insert = database.prepare<[number]>('INSERT INTO blobs VALUES (zeroblob(?))')
  const pages = database.pragma('page_count', { simple: true }) as number
  database.pragma(`max_page_count = ${pages}`)
  let made = 0
  const { add } = createGroupTransactions(database, {
    makeRoom: () => {
      made++
      database.pragma(`max_page_count = ${pages + 8}`)
      return made === 1
    },
  })
  await add(() => insert.run(16_000))
  await expect(add(() => insert.run(100_000))).rejects.toMatchObject({ code: 'SQLITE_FULL' })
  expect(made).toBe(2)
  expect(database.prepare('SELECT count(*) FROM blobs').pluck().get()).toBe(1)
  expect(numbers()).toEqual([])
})

test('flushed, what waits is committed at once', () => {
  const { database, numbers } = table()
  const insert = database.prepare<[number]>('INSERT INTO numbers VALUES (?)')
  const { add, flush } = createGroupTransactions(database)
  void add(() => insert.run(1))
  flush()
  expect(numbers()).toEqual([1])
})
