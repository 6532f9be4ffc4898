import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunContender } from '../../../src/pipeline/checkpoint/checkpoint.js'
import {
  getAnsweredState,
  assignContestedRun,
  claimRun,
  reopenUncreatedRun,
  swapRunHolders,
  settle,
  uncontested,
  type Change,
  type Contest,
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

/** A store in memory: what the others are held to. */
class Memory {
  readonly lookups = new Map<number, LookupNow & { bodyOf: string | null }>()
  readonly submissions = new Map<string, { lookupId: number; verdict: string; runId: string | null }>()

  constructor(count: number) {
    for (let lookupId = 1; lookupId <= count; lookupId++) {
      const customId = `c${lookupId}`
      const row = { lookupId, name: `Name ${lookupId}`, state: 'intended', customId, runId: null } as const
      this.lookups.set(lookupId, { ...row, bodyOf: null })
      this.submissions.set(customId, { lookupId, verdict: 'intended', runId: null })
    }
  }

  contest(runId: string): Contest {
    const contenders = [...this.submissions].flatMap(([customId, { lookupId, runId: named }]) =>
      named === runId ? [{ customId, lookupId, name: `Name ${lookupId}` } satisfies RunContender] : [],
    )
    const bodies = [...this.lookups].flatMap(([id, { bodyOf }]) =>
      bodyOf === null ? [] : [[id, bodyOf] as const],
    )
    return { contenders, rows: this.lookups, bodies: new Map(bodies) }
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.of === 'submission') {
        const before = this.submissions.get(change.customId)
        if (before !== undefined) this.submissions.set(change.customId, { ...before, ...change })
      } else if (change.of === 'lookup') {
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
      const row: LookupNow = { lookupId: 1, name: 'Acme', state, customId: 'c1', runId: null }
      const { outcome, changes } = settle(row, reply, uncontested)
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
    const row: LookupNow = { lookupId: 1, name: 'Acme', state: 'uncertain', customId: 'c1', runId: null }
    const states = { accept: 'running', withdraw: 'new', reject: 'invalid', lose: 'uncertain' } as const
    expect(settle(row, reply, uncontested, true).changes[0]).toMatchObject({ state: states[reply.event] })
    const again = { ...row, customId: 'c1_2' }
    const { outcome, changes } = settle(again, reply, uncontested, true)
    expect([outcome, changes.map(({ of }) => of)]).toEqual([false, ['submission']])
  })

  test('to another submission than the one that was made is a bug, and says so', () => {
    const row: LookupNow = { lookupId: 1, name: 'Acme', state: 'intended', customId: 'c9', runId: null }
    for (const reply of replies) expect(() => settle(row, reply, uncontested)).toThrow('not intended as c1')
    for (const reply of replies) expect(() => settle(undefined, reply, uncontested)).toThrow('unknown')
  })
})

test('a run that answered another lookup is not given away', () => {
  const contenders = [1, 2].map((id) => ({ customId: `c${id}`, lookupId: id, name: `Name ${id}` }))
  const rowsWith = (state: 'running' | 'answered'): ReadonlyMap<number, LookupNow> =>
    new Map([
      [1, { lookupId: 1, name: 'Name 1', state, customId: 'c1', runId: 'run_1' }],
      [2, { lookupId: 2, name: 'Name 2', state: 'uncertain', customId: 'c2', runId: null }],
    ])
  const award = (state: 'running' | 'answered') =>
    assignContestedRun({ contenders, rows: rowsWith(state) }, { customId: 'c2', runId: 'run_1', nowMs })
  expect(award('answered')).toEqual({ outcome: false, changes: [] })
  const { outcome, changes } = award('running')
  expect([outcome, changes.flatMap((one) => (one.of === 'lookup' ? [one.state] : []))]).toEqual([
    true,
    ['uncertain', 'running'],
  ])
})

const lookupId = fc.integer({ min: 1, max: 3 })
const runId = fc.constantFrom('run_1', 'run_2')
const step = fc.record({
  what: fc.constantFrom('accept', 'lose', 'claim', 'award', 'exchange', 'disprove', 'answer', 'wrong answer'),
  one: lookupId,
  other: lookupId,
  runId,
})

test('whatever is answered, in whichever order, no two lookups ever hold one run, and an answer stays with the lookup it names', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const memory = new Memory(3)
      for (const { what, one, other, runId: run } of steps) {
        const row = memory.lookups.get(one)
        const customId = `c${one}`
        const contest = memory.contest(run)
        const named = { customId, runId: run, nowMs }
        if (row === undefined) continue
        if (what === 'accept') {
          const reply = { lookupId: one, customId, event: 'accept', verdict: 'accepted', runId: run } as const
          memory.apply(settle(row, { ...reply, atMs: nowMs, reason: null }, contest).changes)
        } else if (what === 'lose') {
          const reply = { lookupId: one, customId, event: 'lose', verdict: 'uncertain', runId: null } as const
          memory.apply(settle(row, { ...reply, atMs: null, reason }, uncontested).changes)
        } else if (what === 'claim') {
          const submission = memory.submissions.get(customId) ?? { verdict: '', runId: null }
          memory.apply(claimRun(row, submission, contest.contenders, named).changes)
        } else if (what === 'award') memory.apply(assignContestedRun(contest, named).changes)
        else if (what === 'exchange') {
          const holders = [one, other].map((id) => {
            return { lookupId: id, customId: `c${id}`, runId: memory.lookups.get(id)?.runId ?? '' }
          })
          const [first, second] = holders
          if (first !== undefined && second !== undefined && one !== other)
            memory.apply(swapRunHolders(memory.lookups, first, second, nowMs).changes)
        } else if (what === 'disprove')
          memory.apply(reopenUncreatedRun(row, { lookupId: one, customId, reason }))
        else {
          const isContested = contest.contenders.length > 1
          const state = getAnsweredState(row, { runId: run, state: 'answered' }, isContested)
          const body = JSON.stringify({ run_id: run, custom_id: what === 'answer' ? customId : 'c0' })
          if (state !== false && state !== 'contested')
            memory.lookups.set(one, { ...row, state, bodyOf: body })
        }
      }
      for (const { state, runId: held } of memory.lookups.values())
        expect(['running', 'answered'].includes(state)).toBe(held !== null)
    }),
    { numRuns: 2_000 },
  )
})
