import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../../src/pipeline/checkpoint/checkpoint.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite-checkpoint.js'
import { openInbox, type Inbox } from '../../../src/pipeline/inbox/inbox.js'
import { waitForLost, type LostWaitDeps } from '../../../src/pipeline/scheduler/lost-submissions.js'
import { systemRandom } from '../../../src/platform/random.js'
import { hurriedClock } from '../../support/hurried-clock.js'

/** Five minutes of research, and six tries of the delivery. */
const hopeMs = 730_000
const clock = hurriedClock(500)
let folder: string
let checkpoint: Checkpoint
let inbox: Inbox
let waits: number[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'enrich-lost-'))
  const path = join(folder, 'checkpoint.sqlite')
  const nowMs = clock.nowMs()
  checkpoint = openCheckpoint({ path, scope: 'https://a.example', job: 'x', nowMs, random: systemRandom })
  inbox = openInbox(path, nowMs)
  waits = []
})
afterEach(() => {
  inbox.close()
  checkpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Submissions that left so long ago, and whose answers were lost. */
async function lose(...agoMs: number[]): Promise<{ lookupId: number; customId: string }[]> {
  const ids = await checkpoint.want(
    agoMs.map((_, index) => ({
      kind: 'resolution' as const,
      key: new Uint8Array(16).fill(index),
      lookup: { name: `Company ${index}`, location: null, context: null },
    })),
  )
  return Promise.all(
    ids.map(async (lookupId, index) => {
      const { customId } = await checkpoint.intend(lookupId, clock.nowMs() - (agoMs[index] ?? 0))
      await checkpoint.lose(lookupId, customId, 'reset')
      return { lookupId, customId }
    }),
  )
}

const wait = (change: Partial<LostWaitDeps> = {}) =>
  waitForLost({
    inbox,
    checkpoint,
    clock,
    polling: { deadlineMs: 3_600_000 },
    waitMsMax: Infinity,
    interrupt: new AbortController().signal,
    onWait: (lostCount, waitMs) => waits.push(lostCount, waitMs),
    ...change,
  })

describe('before a lost submission is submitted again', () => {
  test('the last moment at which a delivery may name its run is waited for, and no longer', async () => {
    await lose(0, 700_000)
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
    expect(await checkpoint.openRuns()).toEqual([expect.objectContaining({ runId: 'run_1' })])
    // The delivery is still there: its answer is taken by the run.
    expect(inbox.waiting(0)).toHaveLength(1)
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

  test('a wait that is cut short says so: nobody knows yet whether it was billed', async () => {
    await lose(0)
    expect(await wait({ interrupt: AbortSignal.abort() })).toBe(false)
    expect(await wait({ waitMsMax: 1_000 })).toBe(false)
  })
})
