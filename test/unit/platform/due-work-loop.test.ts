import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { DueWorkLoop } from '../../../src/platform/due-work-loop.js'
import { manualClock } from '../../support/manual-clock.js'

const startMs = 1_000_000
const loops: DueWorkLoop[] = []
const finishing: (() => void)[] = []

afterEach(async () => {
  for (const finish of finishing.splice(0)) finish()
  for (const loop of loops.splice(0)) await loop.stop()
})

/** Pieces that are due at their times, begun while there is room, and ended by hand. */
function rig(dueAtMs: Record<number, number>, options: { inFlightMax?: number; looksFail?: number } = {}) {
  const clock = manualClock(startMs)
  const due = new Map(Object.entries(dueAtMs).map(([key, atMs]) => [Number(key), startMs + atMs]))
  const ends = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
  const begun: number[] = []
  const failures: string[] = []
  let looks = 0
  let looksToFail = options.looksFail ?? 0
  const open = () => [...due].filter(([key]) => !ends.has(key))
  const loop = new DueWorkLoop({
    clock,
    takeUp: (inFlight) => {
      looks++
      if (looksToFail-- > 0) throw new Error('not read')
      for (const [key, atMs] of open()) {
        if (atMs > clock.nowMs() || inFlight.room() <= 0 || inFlight.has(key)) continue
        begun.push(key)
        inFlight.begin(key, async () => {
          await new Promise<void>((resolve, reject) => {
            ends.set(key, { resolve, reject })
          }).finally(() => ends.delete(key))
          due.delete(key)
        })
      }
    },
    nextDueAtMs: () => Math.min(...open().flatMap(([, atMs]) => (atMs > clock.nowMs() ? [atMs] : []))),
    inFlightMax: options.inFlightMax ?? 2,
    idleMsMax: 60_000,
    retryMs: 1_000,
    onFailure: (error) => failures.push((error as Error).message),
  })
  loops.push(loop)
  finishing.push(() => {
    for (const { resolve } of ends.values()) resolve()
  })
  return { clock, due, ends, begun, failures, loop, looks: () => looks }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}

test('what is due is begun, so much at a time and no more; an end makes room for the next', async () => {
  const { begun, ends } = rig({ 1: 0, 2: 0, 3: 0, 4: 0 })
  await settle()
  expect(begun).toEqual([1, 2])
  ends.get(1)?.resolve()
  await settle()
  expect(begun).toEqual([1, 2, 3])
})

test('it sleeps until the next is due', async () => {
  const { clock, begun, looks } = rig({ 1: 5_000 })
  await settle()
  const before = looks()
  clock.advance(4_999)
  await settle()
  expect([begun, looks()]).toEqual([[], before])
  clock.advance(1)
  await settle()
  expect(begun).toEqual([1])
})

test('however far off the next is, it looks again after a while', async () => {
  const { clock, looks } = rig({})
  await settle()
  clock.advance(59_999)
  await settle()
  expect(looks()).toBe(1)
  clock.advance(1)
  await settle()
  expect(looks()).toBe(2)
})

test('what is expected before the next is due wakes it; what is expected later does not', async () => {
  const { due, begun, loop, looks } = rig({ 1: 5_000 })
  await settle()
  loop.expect(startMs + 6_000)
  await settle()
  expect(looks()).toBe(1)
  due.set(2, startMs)
  loop.expect(startMs)
  await settle()
  expect(begun).toEqual([2])
})

test('a wake while it looks is not lost', async () => {
  const clock = manualClock(startMs)
  const looked: string[] = []
  let isThere = false
  const loop = new DueWorkLoop({
    clock,
    takeUp: async () => {
      looked.push(isThere ? 'there' : 'nothing')
      await nextTurn()
    },
    nextDueAtMs: () => Infinity,
    idleMsMax: 60_000,
    retryMs: 1_000,
    onFailure: () => undefined,
  })
  loops.push(loop)
  while (looked.length === 0) await nextTurn()
  isThere = true
  loop.wake()
  await settle()
  expect(looked).toEqual(['nothing', 'there'])
})

test('the error of one piece is reported, and costs that piece alone: it is begun again after a wait', async () => {
  const { clock, begun, ends, failures } = rig({ 1: 0, 2: 0 })
  await settle()
  ends.get(1)?.reject(new Error('disk full'))
  await settle()
  expect(failures).toEqual(['disk full'])
  expect(begun).toEqual([1, 2])
  expect(ends.has(2)).toBe(true)
  clock.advance(1_000)
  await settle()
  expect(begun).toEqual([1, 2, 1])
})

test('a look that fails is reported and made again after a wait', async () => {
  const { clock, begun, failures } = rig({ 1: 0 }, { looksFail: 2 })
  await settle()
  expect([failures, begun]).toEqual([['not read'], []])
  clock.advance(1_000)
  await settle()
  clock.advance(1_000)
  await settle()
  expect([failures, begun]).toEqual([['not read', 'not read'], [1]])
})

test('stopped, it begins nothing more and waits for what is in flight', async () => {
  const { begun, ends, loop } = rig({ 1: 0, 2: 0, 3: 0 })
  await settle()
  let isStopped = false
  const stopped = loop.stop().then(() => {
    isStopped = true
  })
  ends.get(1)?.resolve()
  await settle()
  expect([begun, isStopped]).toEqual([[1, 2], false])
  ends.get(2)?.resolve()
  await stopped
  expect(begun).toEqual([1, 2])
})

test('stopped, it does not sit out the wait of a piece that failed', async () => {
  const { ends, loop, failures } = rig({ 1: 0 })
  await settle()
  ends.get(1)?.reject(new Error('disk full'))
  await settle()
  await loop.stop()
  expect(failures).toEqual(['disk full'])
})

test('while there is more it goes on at once, and lets others have the thread in between', async () => {
  const clock = manualClock(startMs)
  const order: string[] = []
  let left = 3
  const loop = new DueWorkLoop({
    clock,
    takeUp: () => {
      order.push('look')
      setImmediate(() => order.push('other'))
      left--
    },
    nextDueAtMs: () => (left > 0 ? -Infinity : Infinity),
    idleMsMax: 60_000,
    retryMs: 1_000,
    onFailure: () => undefined,
  })
  loops.push(loop)
  await settle()
  await settle()
  expect(order).toEqual(['look', 'other', 'look', 'other', 'look', 'other'])
})
