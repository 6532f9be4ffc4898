import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashKey, openSharedTurns } from '../../../src/pipeline/checkpoint/postgres/shared-turns.js'
import { openShared, type SharedDatabase } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import type { SharedTurns } from '../../../src/pipeline/checkpoint/records.js'
import { createSharedPace } from '../../../src/pipeline/scheduler/kind-paces.js'
import { systemClock, type Clock, systemRandom } from '../../../src/platform/clock.js'
import { startChild, type Child } from '../../support/child-process.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'

const programs = findPostgres() ?? ''
const never = new AbortController().signal

/** The most starts in any span of so many milliseconds. */
function mostWithin(startsMs: readonly number[], spanMs: number): number {
  const sorted = [...startsMs].sort((one, other) => one - other)
  let most = 0
  let first = 0
  for (const [index, startMs] of sorted.entries()) {
    while (startMs - (sorted[first] ?? 0) >= spanMs) first++
    most = Math.max(most, index - first + 1)
  }
  return most
}

describe.skipIf(programs === '')('a pace that processes share', () => {
  let server: PostgresServer
  let shared: SharedDatabase
  let url = ''
  let routeCount = 0
  let route = ''

  beforeAll(async () => {
    server = await startPostgres(programs)
    url = server.url()
    shared = await openShared(url, { clock: systemClock, random: systemRandom })
  })
  beforeEach(() => {
    route = `route ${++routeCount}`
  })
  afterEach(() => server.sql('TRUNCATE enrich.paces'))
  afterAll(async () => {
    await shared.close()
    await server.stop()
  })

  const turnsOf = (windowMs: number, clock: Clock = systemClock): SharedTurns =>
    openSharedTurns({ prompt: shared.prompt, clock, random: systemRandom, keyHash: 'a key', route, windowMs })
  const taken = async (turns: SharedTurns, spacingMs: number, isKnown = false) => {
    const turn = await turns.take(spacingMs, isKnown, never)
    if (turn === null) throw new Error('no turn')
    return turn
  }
  const given = () => Number(server.sql('SELECT sum(given) FROM enrich.paces'))

  test('four processes, one of them killed, never start more in any window than is allowed, and use 0.97 of it', async () => {
    const [perWindow, windowMs] = [100, 5_000]
    // Lateness of up to 250 ms is allowed for in each window.
    const spacingMs = (windowMs + 290) / perWindow
    const arguments_ = [url, String(perWindow), String(windowMs)]
    const start = () =>
      startChild(new URL('../../support/pace-child.ts', import.meta.url).href, ...arguments_)
    const killed = start()
    const others = [start(), start(), start()]
    const children = [killed, ...others]
    const startsMs: number[] = []
    const follow = async (child: Child, countMax: number) => {
      for (let count = 0; count < countMax; count++) startsMs.push(Number(await child.nextLine()))
    }
    const followToEnd = (child: Child) => follow(child, Infinity).catch(() => undefined)
    try {
      await Promise.all(children.map((child) => follow(child, 5)))
      // The times lie around the counts: asking for these takes a while.
      const [beforeMs, beforeCount] = [performance.now(), given()]
      const firstStartMs = Math.max(...startsMs)
      await follow(killed, 20)
      await killed.kill()
      await Promise.all(others.map((child) => follow(child, 60)))
      await Promise.all(others.map((child) => child.kill()))
      await Promise.all(children.map(followToEnd))
      const turnCount = given() - beforeCount
      const spanMs = performance.now() - beforeMs
      expect(mostWithin(startsMs, windowMs)).toBeLessThanOrEqual(perWindow)
      expect(turnCount).toBeLessThanOrEqual(Math.ceil(spanMs / spacingMs) + 4)
      // Each took one with it when it was killed.
      const used = startsMs.filter((startMs) => startMs > firstStartMs).length
      expect(used).toBeGreaterThanOrEqual(turnCount * 0.97 - 12)
    } finally {
      await Promise.all(children.map((child) => child.kill()))
    }
  })

  test('the first turn ever keeps the distance, since others may have used the key; so does the first after a pause', async () => {
    const turns = turnsOf(60_000)
    // On a busy machine, a part of the wait is over when it is told.
    const takeAfter = async (beforeMs: number) =>
      (await taken(turns, 400)).waitMs + performance.now() - beforeMs
    const firstMs = performance.now()
    expect(await takeAfter(firstMs)).toBeGreaterThan(300)
    expect(await takeAfter(firstMs)).toBeGreaterThan(700)
    await sleep(1_300)
    expect((await taken(turns, 400)).waitMs).toBe(0)
    expect(await takeAfter(performance.now())).toBeGreaterThan(300)
  })

  test('turns are counted, over all processes', async () => {
    const [one, other] = [turnsOf(60_000), turnsOf(60_000)]
    expect(
      [await taken(one, 1), await taken(other, 1), await taken(one, 1)].map((turn) => turn.givenCount),
    ).toEqual([1, 2, 3])
  })

  test('who knows less keeps the larger distance that others know; who was told by the service leads', async () => {
    const turns = turnsOf(60_000)
    const spacing = () => Number(server.sql('SELECT spacing_ms FROM enrich.paces'))
    await taken(turns, 100)
    await taken(turns, 600, true)
    await taken(turns, 100)
    expect(spacing()).toBe(600)
    await taken(turns, 200, true)
    expect(spacing()).toBe(200)
  })

  test('a refusal of one holds all, and a shorter pause never cuts a longer one', async () => {
    const [one, other] = [turnsOf(60_000), turnsOf(60_000)]
    await taken(one, 10)
    await one.pause(5_000)
    await other.pause(10)
    expect((await taken(other, 10)).waitMs).toBeGreaterThan(4_000)
    expect(await other.pausedMs()).toBeGreaterThan(4_000)
  })

  test('no turn is given more than two windows ahead', async () => {
    const turns = turnsOf(1_000)
    for (let turn = 0; turn < 5; turn++) expect(await turns.take(500, false, never)).not.toBeNull()
    expect(await turns.take(500, false, never)).toBeNull()
  })

  test('a server clock that was set back extends no wait', async () => {
    const turns = turnsOf(1_000)
    await taken(turns, 100)
    server.sql(
      `UPDATE enrich.paces SET next_at = next_at + interval '1 day', paused_until = next_at + interval '1 day'`,
    )
    expect((await taken(turns, 100)).waitMs).toBeLessThan(123_000)
  })

  test('a turn that could only be used late is given up for another', async () => {
    let lateMs = 400
    const clock: Clock = {
      ...systemClock,
      sleep: async (delayMs, signal) => {
        await systemClock.sleep(delayMs + lateMs, signal)
        lateMs = 0
      },
    }
    const pace = createSharedPace(clock, turnsOf(10_000, clock), 200, 10_000)
    await pace.waitForTurn(never)
    expect(given()).toBe(2)
  })

  test('a refusal that comes while a turn is waited for holds it too', async () => {
    const [one, other] = [turnsOf(60_000), turnsOf(60_000)]
    await taken(one, 1)
    let refused: Promise<void> | null = null
    // The refusal comes at the end of the first wait, however slow the machine is.
    const clock: Clock = {
      ...systemClock,
      sleep: async (delayMs, signal) => {
        await systemClock.sleep(delayMs, signal)
        refused ??= one.pause(2_000)
        await refused
      },
    }
    await createSharedPace(clock, other, 30, 60_000).waitForTurn(never)
    expect(given()).toBeGreaterThan(2)
    expect(await one.pausedMs()).toBe(0)
  })

  test('nothing starts while the server is away, and an abort ends the wait', async () => {
    const pace = createSharedPace(systemClock, turnsOf(1_000), 1_000, 1_000)
    await pace.waitForTurn(never)
    await server.crash()
    try {
      const aborting = new AbortController()
      const turn = pace.waitForTurn(aborting.signal)
      expect(await Promise.race([turn.then(() => 'started'), sleep(500).then(() => 'held')])).toBe('held')
      aborting.abort()
      await turn
    } finally {
      await server.startAgain()
    }
    await pace.waitForTurn(never)
  })

  test('what others of ours used is not taken for the use of strangers', async () => {
    const [windowMs, perWindow] = [1_000, 100]
    const pace = createSharedPace(systemClock, turnsOf(windowMs), perWindow, windowMs)
    const others = turnsOf(windowMs)
    const evenPerMs = pace.getStartsPerMs() ?? 0
    for (let round = 0; round < 8; round++) {
      await pace.waitForTurn(never)
      for (let turn = 0; turn < 9; turn++) await others.take(10, true, never)
      await sleep(150)
    }
    await pace.waitForTurn(never)
    pace.follow({ limit: perWindow, remaining: 40, resetMs: 500 })
    expect(pace.getStartsPerMs()).toBe(evenPerMs)
    pace.follow({ limit: perWindow, remaining: 2, resetMs: 500 })
    expect(pace.getStartsPerMs()).toBeLessThan(evenPerMs)
  })

  test('of a key only a hash is kept, another one for each service', () => {
    const hash = hashKey('https://api.example.com', 'secret')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(hashKey('https://other.example.com', 'secret')).not.toBe(hash)
  })
})
