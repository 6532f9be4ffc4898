import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assumeRows,
  decide,
  type Change,
  type LookupNow,
  type LookupReply,
  type LookupUpdate,
} from '../../../src/pipeline/checkpoint/transitions.js'
import { moveLookup, lookupStates } from '../../../src/core/lookup-state.js'
import { forAll } from '../../support/properties.js'

const nowMs = 5
const reason = 'because'
const own = { lookupId: 1, customId: 'c1' } as const
const verdicts = {
  accept: 'accepted',
  withdraw: 'not_created',
  reject: 'rejected',
  lose: 'uncertain',
} as const
const replies: LookupReply[] = [
  { ...own, event: 'accept', runId: 'run_1', nowMs },
  { ...own, event: 'withdraw', reason },
  { ...own, event: 'reject', reason },
  { ...own, event: 'lose', reason },
]
const runIdOf = (reply: LookupReply) => (reply.event === 'accept' ? reply.runId : null)

const answerOf = (lookupId: number, runId: string): LookupUpdate => ({
  event: 'answer',
  lookupId,
  answer: {
    runId,
    state: 'answered',
    outcome: 'matched',
    lineVersion: 1,
    answeredAtMs: nowMs,
    line: '',
    body: '',
  },
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

  apply(update: LookupUpdate, lookupId: number): void {
    const submission = this.submissions.get(`c${lookupId}`)
    const isTaken =
      'runId' in update &&
      [...this.submissions].some(([id, { runId }]) => runId === update.runId && id !== update.customId)
    for (const change of decide(update, { row: this.lookups.get(lookupId), submission, isTaken }).changes) {
      this.#write(change)
      const held = [...this.lookups.values()].flatMap(({ runId }) => runId ?? [])
      expect(new Set(held).size).toBe(held.length)
    }
  }

  #write(change: Change): void {
    if (change.of === 'submission') {
      const before = this.submissions.get(change.customId)
      if (before !== undefined) this.submissions.set(change.customId, { ...before, ...change })
    } else if (change.of !== 'attention') {
      const before = this.lookups.get(change.lookupId)
      const runId = change.of === 'lookup' ? change.runId : change.answer.runId
      if (before !== undefined) this.lookups.set(change.lookupId, { ...before, state: change.state, runId })
    }
  }
}

describe('the reply to a submission', () => {
  test.each(lookupStates.flatMap((state) => replies.map((reply) => [state, reply.event, reply] as const)))(
    'that finds the lookup %s: %s',
    (state, event, reply) => {
      const { outcome, changes } = decide(reply, { row: { ...own, state, runId: null } })
      if (state !== 'intended') expect({ outcome, changes }).toEqual({ outcome: false, changes: [] })
      else
        expect({ outcome, changes }).toMatchObject({
          outcome: true,
          changes: [
            { of: 'lookup', state: moveLookup(state, event), runId: runIdOf(reply) },
            { of: 'submission', customId: 'c1', verdict: verdicts[event], runId: runIdOf(reply) },
          ],
        })
    },
  )

  test.each(replies)('of a process that others took to be gone holds: $event', (reply) => {
    const row: LookupNow = { ...own, state: 'uncertain', runId: null }
    const states = { accept: 'running', withdraw: 'new', reject: 'invalid', lose: 'uncertain' } as const
    expect(decide(reply, { row, isOwn: true }).changes[0]).toMatchObject({ state: states[reply.event] })
    const again = { ...row, customId: 'c1_2' }
    const { outcome, changes } = decide(reply, { row: again, isOwn: true })
    expect([outcome, changes.map(({ of }) => of)]).toEqual([false, ['submission']])
  })

  test('to another submission than the one that was made is a bug, and throws', () => {
    const row: LookupNow = { lookupId: 1, state: 'intended', customId: 'c9', runId: null }
    for (const reply of replies) expect(() => decide(reply, { row })).toThrow('not intended as c1')
    for (const reply of replies) expect(() => decide(reply, { row: undefined })).toThrow('unknown')
  })

  test('that names the run of another submission leaves the lookup uncertain', () => {
    const row: LookupNow = { ...own, state: 'intended', runId: null }
    const { outcome, changes } = decide(replies[0]!, { row, isTaken: true })
    const why = 'the service named run_1, the run of another submission'
    expect([outcome, changes]).toMatchObject([
      'uncertain',
      [
        { of: 'lookup', state: 'uncertain', runId: null, reason: why },
        { of: 'submission', verdict: 'uncertain', runId: null, reason: why },
      ],
    ])
  })
})

test('the rows that a store may assume are those of the usual case', () => {
  for (const update of [...replies, answerOf(1, 'run_1')]) {
    const now = assumeRows(update)
    expect(now === null ? null : decide(update, now).outcome).toBe(true)
  }
  expect(assumeRows({ event: 'flag', lookupId: 1, reason })).toBeNull()
})

const step = fc.record({
  what: fc.constantFrom('accept', 'lose', 'claim', 'disprove', 'answer'),
  one: fc.integer({ min: 1, max: 3 }),
  runId: fc.constantFrom('run_1', 'run_2'),
})

test('no two lookups ever have one run, in whichever order replies arrive', () => {
  forAll(2_000, [fc.array(step, { maxLength: 25 })], (steps) => {
    const memory = new Memory(3)
    for (const { what, one: lookupId, runId } of steps) {
      const customId = `c${lookupId}`
      const updates: Record<typeof what, LookupUpdate> = {
        accept: { event: 'accept', lookupId, customId, runId, nowMs },
        lose: { event: 'lose', lookupId, customId, reason },
        claim: { event: 'claim', customId, runId, nowMs },
        disprove: { event: 'disprove', lookupId, customId, reason },
        answer: answerOf(lookupId, runId),
      }
      memory.apply(updates[what], lookupId)
    }
    for (const { state, runId } of memory.lookups.values())
      expect(['running', 'answered'].includes(state)).toBe(runId !== null)
  })
})
