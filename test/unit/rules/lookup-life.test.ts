import { describe, expect, test } from 'vitest'
import {
  moveLookup,
  type LookupEvent,
  lookupStates,
  type LookupState,
} from '../../../src/core/lookup-state.js'

const events: LookupEvent[] = [
  'intend',
  'accept',
  'withdraw',
  'reject',
  'lose',
  'claim',
  'answer',
  'fail',
  'reopen',
]
const steps = lookupStates.flatMap((from) =>
  events.map((event) => ({ from, event, to: moveLookup(from, event) })).filter(({ to }) => to !== null),
)

/** States from which an answer can still come, or come in doubt: what was paid, or may have been. */
const mayBeBilled: LookupState[] = ['intended', 'running', 'uncertain']

describe('the life of a lookup', () => {
  test('only a new one is submitted', () => {
    expect(steps.filter(({ event }) => event === 'intend')).toEqual([
      { from: 'new', event: 'intend', to: 'intended' },
    ])
  })

  test('what may have been billed is new again only when that is certain to be wrong, or by the word of the user', () => {
    const back = steps.filter(({ from, to }) => mayBeBilled.includes(from) && to === 'new')
    expect(new Set(back.map(({ event }) => event))).toEqual(new Set(['withdraw', 'reopen']))
    expect(moveLookup('intended', 'reopen')).toBeNull()
  })

  test('a run is known before it is answered', () => {
    for (const event of ['answer', 'fail'] as const) {
      expect(steps.filter((step) => step.event === event).map(({ from }) => from)).toEqual(['running'])
    }
  })

  test('a lookup that has ended is only reopened', () => {
    const ended: LookupState[] = ['answered', 'failed', 'invalid']
    const onward = steps.filter(({ from }) => ended.includes(from))
    expect(onward.map(({ event, to }) => [event, to])).toEqual(ended.map(() => ['reopen', 'new']))
  })

  test('every state is reached from new, and none is a dead end', () => {
    const reached = new Set<LookupState>(['new'])
    for (const from of reached) {
      for (const step of steps) if (step.from === from && step.to !== null) reached.add(step.to)
    }
    expect([...reached].sort()).toEqual([...lookupStates].sort())
    for (const state of lookupStates.filter((one) => one !== 'new')) {
      expect(steps.some(({ from }) => from === state)).toBe(true)
    }
  })
})
