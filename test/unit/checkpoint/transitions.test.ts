import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  getAnsweredState,
  claimRun,
  reopenUncreatedRun,
  settle,
  type Change,
  type LookupNow,
  type Reply,
} from '../../../src/pipeline/checkpoint/transitions.js'
import { moveLookup, lookupStates } from '../../../src/pipeline/lookups/lookup-state.js'

const nowMs = 5
const reason = 'because'
const replies = (
  [
    ['accept', 'accepted', 'run_1'],
    ['withdraw', 'not_created', null],
    ['reject', 'rejected', null],
    ['lose', 'uncertain', null],
  ] as const
).map(([event, verdict, runId]): Reply => {
  return { lookupId: 1, customId: 'c1', event, verdict, runId, atMs: runId === null ? null : nowMs, reason }
})

/** A store in memory. */
class Memory {
  readonly lookups = new Map<number, LookupNow>()
  readonly submissions = new Map<string, { lookupId: number; verdict: string; runId: string | null }>()

  constructor(count: number) {
    for (let lookupId = 1; lookupId <= count; lookupId++) {
      const customId = `c${lookupId}`
      this.lookups.set(lookupId, { lookupId, state: 'intended', customId, runId: null })
      this.submissions.set(customId, { lookupId, verdict: 'intended', runId: null })
    }
  }

  isTaken(run: string, customId: string): boolean {
    return [...this.submissions].some(([id, { runId }]) => runId === run && id !== customId)
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.of === 'submission') {
        const before = this.submissions.get(change.customId)
        if (before !== undefined) this.submissions.set(change.customId, { ...before, ...change })
      } else {
        const before = this.lookups.get(change.lookupId)
        const { state, runId } = change
        if (before !== undefined) this.lookups.set(change.lookupId, { ...before, state, runId })
      }
      const held = [...this.lookups.values()].flatMap(({ runId }) => runId ?? [])
      expect(new Set(held).size).toBe(held.length)
    }
  }
}

describe('the reply to a submission', () => {
  test.each(lookupStates.flatMap((state) => replies.map((reply) => [state, reply.event, reply] as const)))(
    'that finds the lookup %s: %s',
    (state, event, reply) => {
      const row: LookupNow = { lookupId: 1, state, customId: 'c1', runId: null }
      const { outcome, changes } = settle(row, reply)
      if (state !== 'intended') expect({ outcome, changes }).toEqual({ outcome: false, changes: [] })
      else
        expect({ outcome, changes }).toMatchObject({
          outcome: true,
          changes: [
            { of: 'lookup', state: moveLookup(state, event), runId: reply.runId },
            { of: 'submission', customId: 'c1', verdict: reply.verdict, runId: reply.runId },
          ],
        })
    },
  )

  test.each(replies)('of a process that others took to be gone holds: $event', (reply) => {
    const row: LookupNow = { lookupId: 1, state: 'uncertain', customId: 'c1', runId: null }
    const states = { accept: 'running', withdraw: 'new', reject: 'invalid', lose: 'uncertain' } as const
    expect(settle(row, reply, { isOwn: true }).changes[0]).toMatchObject({ state: states[reply.event] })
    const again = { ...row, customId: 'c1_2' }
    const { outcome, changes } = settle(again, reply, { isOwn: true })
    expect([outcome, changes.map(({ of }) => of)]).toEqual([false, ['submission']])
  })

  test('to another submission than the one that was made is a bug, and says so', () => {
    const row: LookupNow = { lookupId: 1, state: 'intended', customId: 'c9', runId: null }
    for (const reply of replies) expect(() => settle(row, reply)).toThrow('not intended as c1')
    for (const reply of replies) expect(() => settle(undefined, reply)).toThrow('unknown')
  })
})

test('a reply that names the run of another submission leaves the lookup uncertain', () => {
  const row: LookupNow = { lookupId: 1, state: 'intended', customId: 'c1', runId: null }
  const reply = { lookupId: 1, customId: 'c1', event: 'accept', verdict: 'accepted', runId: 'run_1' } as const
  const { outcome, changes } = settle(row, { ...reply, atMs: nowMs, reason: null }, { isTaken: true })
  const reason = 'the service named run_1, the run of another submission'
  expect([outcome, changes]).toMatchObject([
    'uncertain',
    [
      { of: 'lookup', state: 'uncertain', runId: null, reason },
      { of: 'submission', verdict: 'uncertain', runId: null, reason },
    ],
  ])
})

const lookupId = fc.integer({ min: 1, max: 3 })
const runId = fc.constantFrom('run_1', 'run_2')
const step = fc.record({
  what: fc.constantFrom('accept', 'lose', 'claim', 'disprove', 'answer'),
  one: lookupId,
  runId,
})

test('no two lookups ever have one run, in whichever order replies arrive', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const memory = new Memory(3)
      for (const { what, one, runId: run } of steps) {
        const row = memory.lookups.get(one)
        const customId = `c${one}`
        const isTaken = memory.isTaken(run, customId)
        const own = { lookupId: one, customId, reason }
        if (row === undefined) continue
        if (what === 'accept') {
          const reply = { ...own, event: 'accept', verdict: 'accepted', runId: run, atMs: nowMs } as const
          memory.apply(settle(row, { ...reply, reason: null }, { isTaken }).changes)
        } else if (what === 'lose') {
          const reply = { ...own, event: 'lose', verdict: 'uncertain', runId: null, atMs: null } as const
          memory.apply(settle(row, reply).changes)
        } else if (what === 'claim') {
          const submission = memory.submissions.get(customId) ?? { verdict: '', runId: null }
          memory.apply(claimRun(row, submission, { customId, runId: run, nowMs }, isTaken).changes)
        } else if (what === 'disprove') memory.apply(reopenUncreatedRun(row, own))
        else {
          const state = getAnsweredState(row, { runId: run, state: 'answered' })
          if (state !== null) memory.lookups.set(one, { ...row, state })
        }
      }
      for (const { state, runId: held } of memory.lookups.values())
        expect(['running', 'answered'].includes(state)).toBe(held !== null)
    }),
    { numRuns: 2_000 },
  )
})
