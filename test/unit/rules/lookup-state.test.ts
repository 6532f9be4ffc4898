import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  planLookup,
  type KnownLookup,
  type LookupPlan,
  type PlanPolicy,
  lookupStates,
} from '../../../src/core/lookup-state.js'
import { forAll } from '../../support/properties.js'

const nowMs = 1_000_000
const keep: PlanPolicy = { nowMs, maxAgeMs: null, onLost: 'hold' }
const gone = { knowsEarlierRuns: false }

describe('what becomes of a lookup', () => {
  const cases: [string, KnownLookup, Partial<PlanPolicy>, LookupPlan][] = [
    ['new', { state: 'new', answeredAtMs: null }, {}, 'submit'],
    ['new, with an older answer', { state: 'new', answeredAtMs: 1 }, {}, 'submit'],
    ['running', { state: 'running', answeredAtMs: null }, {}, 'poll'],
    ['running, older answer expired', { state: 'running', answeredAtMs: 1 }, { maxAgeMs: 0 }, 'poll'],
    ['answered', { state: 'answered', answeredAtMs: 1 }, {}, 'answered'],
    [
      'answered, within max age',
      { state: 'answered', answeredAtMs: nowMs - 50 },
      { maxAgeMs: 50 },
      'answered',
    ],
    ['answered, older', { state: 'answered', answeredAtMs: nowMs - 51 }, { maxAgeMs: 50 }, 'submit'],
    ['answered in the future', { state: 'answered', answeredAtMs: nowMs + 9 }, { maxAgeMs: 0 }, 'answered'],
    ['failed', { state: 'failed', answeredAtMs: 1 }, {}, 'failed'],
    ['failed, older than max age', { state: 'failed', answeredAtMs: 1 }, { maxAgeMs: 50 }, 'submit'],
    ['invalid', { state: 'invalid', answeredAtMs: null }, { onLost: 'resubmit', maxAgeMs: 0 }, 'invalid'],
    ['uncertain, held', { state: 'uncertain', answeredAtMs: null }, {}, 'uncertain'],
    ['uncertain, resubmitted', { state: 'uncertain', answeredAtMs: null }, { onLost: 'resubmit' }, 'submit'],
    ['intended, held', { state: 'intended', answeredAtMs: null }, {}, 'uncertain'],
    ['intended, resubmitted', { state: 'intended', answeredAtMs: null }, { onLost: 'resubmit' }, 'submit'],
    ['running, of a service that has ended', { state: 'running', answeredAtMs: null }, gone, 'submit'],
    ['uncertain, of one that has ended', { state: 'uncertain', answeredAtMs: null }, gone, 'submit'],
    ['intended, of one that has ended', { state: 'intended', answeredAtMs: null }, gone, 'submit'],
    ['answered, by one that has ended', { state: 'answered', answeredAtMs: 1 }, gone, 'answered'],
    ['invalid, to one that has ended', { state: 'invalid', answeredAtMs: null }, gone, 'invalid'],
  ]
  test.each(cases)('%s', (_, known, change, plan) => {
    expect(planLookup(known, { ...keep, ...change })).toBe(plan)
  })

  const known = fc.record({
    state: fc.constantFrom(...lookupStates),
    answeredAtMs: fc.option(fc.integer()),
  })
  const policy = fc.record({
    nowMs: fc.integer(),
    maxAgeMs: fc.option(fc.nat()),
    onLost: fc.constantFrom('hold' as const, 'resubmit' as const),
  })

  test('of a service that ends with its process nothing is left to be polled or held as lost', () => {
    forAll(100, [known, policy], (lookup, rules) => {
      expect(['poll', 'uncertain']).not.toContain(planLookup(lookup, { ...rules, ...gone }))
    })
  })

  test('every state under every policy has a plan', () => {
    const plans: LookupPlan[] = ['submit', 'poll', 'answered', 'invalid', 'uncertain', 'failed']
    forAll(100, [known, policy], (lookup, rules) => {
      expect(plans).toContain(planLookup(lookup, rules))
    })
  })

  test('what runs, was refused, or is held as lost is never submitted', () => {
    forAll(100, [known, policy], (lookup, rules) => {
      const plan = planLookup(lookup, rules)
      if (lookup.state === 'running' || lookup.state === 'invalid') expect(plan).not.toBe('submit')
      const isLost = lookup.state === 'uncertain' || lookup.state === 'intended'
      if (isLost && rules.onLost === 'hold') expect(plan).toBe('uncertain')
    })
  })

  test('a paid answer is asked for again only because of its age', () => {
    forAll(100, [known, policy], (lookup, rules) => {
      fc.pre(lookup.state === 'answered' || lookup.state === 'failed')
      const isOld =
        rules.maxAgeMs !== null &&
        lookup.answeredAtMs !== null &&
        lookup.answeredAtMs < rules.nowMs - rules.maxAgeMs
      expect(planLookup(lookup, rules) === 'submit').toBe(isOld)
    })
  })
})
