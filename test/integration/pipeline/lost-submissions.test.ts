import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type KeyedLookup, buildStageLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import {
  openCheckpoint,
  type OwnCheckpoint as Checkpoint,
} from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { openFileInbox } from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import type { Inbox } from '../../../src/pipeline/checkpoint/inbox.js'
import { stageKinds } from '../../../src/core/lookup-state.js'
import { createDefaultStages } from '../../../src/pipeline/scheduler/scheduling.js'
import { waitForLost, type LostWaitDeps } from '../../../src/pipeline/scheduler/job.js'
import { systemRandom } from '../../../src/platform/clock.js'
import { hurriedClock } from '../../support/hurried-clock.js'
import { makeFolder } from '../../support/temporary-folder.js'

/** Five minutes of research, and six tries of the delivery. */
const hopeMs = 730_000
const clock = hurriedClock(500)
const polling = { firstAfterMs: 60_000, intervalMs: 10_000, deadlineMs: 3_600_000 }
const limits = { submissionsPerWindow: 600, windowMs: 60_000 }
let folder: string
let openAgain: () => Checkpoint
let checkpoint: Checkpoint
let inbox: Inbox
let waits: number[]

beforeEach(() => {
  folder = makeFolder()
  const path = join(folder, 'checkpoint.sqlite')
  const nowMs = clock.nowMs()
  openAgain = () =>
    openCheckpoint({ path, scope: 'https://a.example', job: 'x', nowMs, random: systemRandom })
  checkpoint = openAgain()
  inbox = openFileInbox(path, nowMs)
  waits = []
})
afterEach(async () => {
  await inbox.close()
  checkpoint.close()
})

/** Submissions that left so long ago, and whose answers were lost. */
async function lose(...agoMs: number[]): Promise<Lost[]> {
  return loseOf(
    checkpoint,
    agoMs.map((_, index) => ({
      kind: 'resolution' as const,
      key: new Uint8Array(16).fill(index),
      lookup: { name: `Company ${index}`, location: null, context: null },
    })),
    agoMs,
  )
}

/** A request about this domain that has just left, and whose answer was lost. */
const loseDomain = (name: string) =>
  loseOf(checkpoint.forKind('domain'), [buildStageLookup('domain', name)], [0])

interface Lost {
  lookupId: number
  customId: string
}

async function loseOf(
  of: Checkpoint,
  lookups: readonly KeyedLookup[],
  agoMs: readonly number[],
): Promise<Lost[]> {
  const ids = await checkpoint.store.register(lookups)
  return Promise.all(
    ids.map(async (lookupId, index) => {
      const { customId } = await of.intend(lookupId, clock.nowMs() - (agoMs[index] ?? 0))
      await of.apply({ event: 'lose', lookupId, customId, reason: 'reset' })
      return { lookupId, customId }
    }),
  )
}

/** Of an earlier process: what it wanted is not wanted by this one. */
function reopen(): void {
  checkpoint.close()
  checkpoint = openAgain()
}

const wait = (change: Partial<LostWaitDeps> = {}) =>
  waitForLost({
    inbox,
    checkpoint,
    clock,
    polling,
    stages: createDefaultStages({ limits, polling }),
    waitMsMax: Infinity,
    interrupt: new AbortController().signal,
    onWait: (lostCount, waitMs) => waits.push(lostCount, waitMs),
    ...change,
  })

describe('before a lost submission is submitted again', () => {
  test('the last moment at which a delivery may name its run is waited for, and no longer', async () => {
    await lose(0, hopeMs / 2)
    const startMs = clock.monotonicMs()
    expect(await wait()).toBe(true)
    expect(clock.monotonicMs() - startMs).toBeGreaterThan(hopeMs / 2)
    expect(waits).toEqual([2, expect.any(Number)])
    expect(waits[1]).toBeLessThanOrEqual(hopeMs)
  })

  test('a delivery that comes meanwhile claims it, and ends the wait', async () => {
    const [lost] = await lose(0)
    const run = { object: 'run', run_id: 'run_1', custom_id: lost?.customId, status: 'COMPLETED', data: {} }
    const body = Buffer.from(JSON.stringify({ id: 'evt_1', type: 'run.completed', data: { object: run } }))
    const waiting = wait({ onWait: () => void inbox.receive('evt_1', body, clock.nowMs()) })
    expect(await waiting).toBe(true)
    expect(await checkpoint.read('pending_runs')).toEqual([expect.objectContaining({ runId: 'run_1' })])
    // The delivery is still there: its answer is taken by the run.
    expect(await inbox.listWaiting(0)).toHaveLength(1)
  })

  test('nothing is waited for that was lost too long ago', async () => {
    await lose(hopeMs, 2 * hopeMs)
    expect(await wait()).toBe(true)
    expect(waits).toEqual([])
  })

  test('a wall clock that was set back does not make the wait longer', async () => {
    await lose(-30 * 86_400_000)
    expect(await wait()).toBe(true)
    expect(waits[1]).toBeLessThanOrEqual(hopeMs)
  })

  test('a wait that is cut short is reported, and the submission stays uncertain', async () => {
    await lose(0)
    expect(await wait({ interrupt: AbortSignal.abort() })).toBe(false)
    expect(await wait({ waitMsMax: 1_000 })).toBe(false)
  })

  test('a domain is waited for like a name, and an event with its record ends the wait', async () => {
    await loseDomain('acme.com')
    const record = { object: 'domain_intelligence', status: 'complete', domain: 'acme.com', data: {} }
    const event = { id: 'evt_1', type: 'domain_intelligence.completed', data: { object: { data: record } } }
    const body = Buffer.from(JSON.stringify(event))
    const startMs = clock.monotonicMs()
    const waiting = wait({
      onWait: (lostCount, waitMs) => {
        waits.push(lostCount, waitMs)
        void inbox.receive('evt_1', body, clock.nowMs())
      },
    })
    expect(await waiting).toBe(true)
    expect(waits).toEqual([1, expect.any(Number)])
    expect(clock.monotonicMs() - startMs).toBeLessThan(hopeMs / 2)
    expect(await checkpoint.forKind('domain').read('pending_runs')).toEqual([
      expect.objectContaining({ runId: 'domain:acme.com' }),
    ])
  })

  test('a domain that may follow from an answer is waited for where domains are asked after answers, else not', async () => {
    await loseDomain('acme.com')
    reopen()
    expect(await wait()).toBe(true)
    expect(waits).toEqual([])
    const asking = createDefaultStages({ limits, polling }, ['domain'])
    expect(await wait({ stages: asking, waitMsMax: 1_000 })).toBe(false)
    expect(waits).toEqual([1, 1_000])
  })

  test('records of companies, which cost nothing, are not waited for', async () => {
    const entity = buildStageLookup('entity', 'siq_1')
    await loseOf(checkpoint.forKind('entity'), [entity], [0])
    expect(await wait({ stages: createDefaultStages({ limits, polling }, stageKinds) })).toBe(true)
    expect(waits).toEqual([])
  })
})
