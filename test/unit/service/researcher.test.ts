import { expect, onTestFinished, test } from 'vitest'
import type { Resolution } from '../../../src/contract/result.js'
import type { RunId } from '../../../src/contract/enums.js'
import { systemClock } from '../../../src/platform/clock.js'
import { limits } from '../../../src/service/limits.js'
import { Researcher } from '../../../src/service/runs/researcher.js'
import type { DueRun, FinishedRun } from '../../../src/service/runs/run-store.js'
import { fakeKnowledge } from '../../support/fake-knowledge.js'

const createDueRun = (runNumber: number, name: string): DueRun => ({
  runNumber,
  accountNumber: 1,
  runId: `run_${runNumber}` as RunId,
  name,
  location: null,
  context: null,
  withBasis: 0,
})

/** Runs that are all due, in memory; `failures` is how often storing an end fails first. */
function storeOf(names: readonly string[], failures = 0) {
  const open = new Map<number, DueRun>(
    names.map((name, runNumber) => [runNumber, createDueRun(runNumber, name)]),
  )
  const ended: FinishedRun[] = []
  return {
    ended,
    add: (runNumber: number, name: string) => {
      open.set(runNumber, createDueRun(runNumber, name))
    },
    due: (_nowMs: number, countMax: number) => [...open.values()].slice(0, countMax),
    nextDueAtMs: () => null,
    finish: (runs: readonly FinishedRun[]) => {
      if (failures-- > 0) throw new Error('the disk is full')
      for (const run of runs) {
        if (!open.delete(run.runNumber)) throw new Error(`run ${run.runNumber} ended twice`)
        ended.push(run)
      }
    },
  }
}

function start(
  store: ReturnType<typeof storeOf>,
  resolve: (name: string) => Resolution | Promise<Resolution>,
) {
  const logged: string[] = []
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 20), signal),
  }
  const researcher = new Researcher({
    store,
    knowledge: { resolve: ({ name }) => resolve(name) },
    clock,
    log: (line) => logged.push(line),
    isBusy: () => true,
  })
  onTestFinished(() => researcher.stop())
  return { researcher, logged }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !isSo(); turn++) await new Promise((resolve) => setTimeout(resolve, 2))
  expect(isSo()).toBe(true)
}

const noMatch = fakeKnowledge().resolve({ name: 'x', location: null, context: null }) as Resolution
const names = (count: number) => Array.from({ length: count }, (_, index) => `Company ${index}`)

test('a knowledge that answers later is asked many at a time, no more than the limit, and each run ends once', async () => {
  let [inFlight, most] = [0, 0]
  const store = storeOf(names(300))
  let release: () => void = () => undefined
  const isFull = new Promise<void>((resolve) => (release = resolve))
  start(store, async () => {
    most = Math.max(most, ++inFlight)
    if (inFlight === limits.runsInFlightMax) release()
    await isFull
    // One more than are allowed would be asked before these end.
    await new Promise((resolve) => setTimeout(resolve, 5))
    inFlight--
    return noMatch
  })
  await until(() => store.ended.length === 300)
  expect(most).toBe(limits.runsInFlightMax)
})

test('one hard query delays no other', async () => {
  const store = storeOf(names(200))
  let release: (() => void) | undefined
  start(store, (name) =>
    name === 'Company 0'
      ? new Promise((resolve) => {
          release = () => {
            resolve(noMatch)
          }
        })
      : Promise.resolve(noMatch),
  )
  await until(() => store.ended.length === 199)
  release?.()
  await until(() => store.ended.length === 200)
})

test('an answer that is rejected, late or at once, ends its run as failed', async () => {
  const store = storeOf(['at once', 'late'])
  const { logged } = start(store, (name) => {
    if (name === 'at once') throw new Error('the index is gone')
    return Promise.reject(new Error('the thread is gone'))
  })
  await until(() => store.ended.length === 2)
  expect(store.ended.map(({ outcome }) => outcome.status)).toEqual(['FAILED', 'FAILED'])
  expect(logged.join()).toMatch(/the index is gone.*the thread is gone/)
})

test('ends that could not be stored are researched again, in this thread and in others', async () => {
  const store = storeOf(names(20), 3)
  start(store, (name) => (Number(name.slice(-1)) % 2 === 0 ? noMatch : Promise.resolve(noMatch)))
  await until(() => store.ended.length === 20)
})

test('a run that is due by the last look, and was stored after it, is researched at once', async () => {
  const store = storeOf(['first'])
  const { researcher } = start(store, () => noMatch)
  await until(() => store.ended.length === 1)
  store.add(7, 'late')
  researcher.expect(0)
  await until(() => store.ended.length === 2)
})
