import { describe, expect, test } from 'vitest'
import type { RunCounter } from '../../src/pipeline/scheduler/work.js'
import { simulate } from './simulate.js'

describe('no lookup is paid twice and no row is lost, whatever is killed, cut off or answered strangely', () => {
  test('where the service ends with each process and knows nothing of what it was asked before', async () => {
    let [crashes, askedAgain] = [0, 0]
    for (let seed = 1; seed <= 15; seed++) {
      const world = await simulate(seed, { forgetful: true })
      crashes += world.crashes
      askedAgain += Math.max(0, world.billed - world.lookups)
      expect(world.uncertain).toBe(0)
    }
    expect(crashes).toBeGreaterThan(3)
    expect(askedAgain).toBeGreaterThan(12)
  })

  test('where answers are sent: late, twice, truncated, to nobody, while processes die', async () => {
    let crashes = 0
    for (let seed = 1; seed <= 8; seed++) crashes += (await simulate(seed, { webhooks: true })).crashes
    expect(crashes).toBeGreaterThan(2)
  })

  test('where an own registry answers first, and is loaded again between processes', async () => {
    let [crashes, settled, sampled] = [0, 0, 0]
    for (let seed = 1; seed <= 15; seed++) {
      const options = { webhooks: seed % 2 === 0, mixedUp: seed % 4 === 3, priced: seed % 5 === 0 }
      const world = await simulate(seed, { ...options, first: true })
      crashes += world.crashes
      settled += world.settled
      sampled += world.sampled
    }
    expect(crashes).toBeGreaterThan(6)
    expect(settled).toBeGreaterThan(30)
    expect(sampled).toBeGreaterThan(4)
  })

  test.each([
    ['records, owners and domains are asked besides', {}],
    ['and sent', { webhooks: true }],
    ['and mixed up', { mixedUp: true, webhooks: true }],
    ['and asked again where the service forgets', { forgetful: true }],
  ])('in worlds in which what follows from answers is asked too: %s', async (_, options) => {
    let [stageLookups, crashes, stageStops] = [0, 0, 0]
    // In 19 a stage is stopped, whatever else goes wrong.
    for (const seed of [13, 15, 18, 19, 20]) {
      const world = await simulate(seed, { ...options, stages: true })
      stageLookups += world.stageLookups
      crashes += world.crashes
      stageStops += world.stageStops
    }
    expect(stageLookups).toBeGreaterThan(60)
    expect(crashes).toBeGreaterThan(2)
    // A stage that is never stopped would not prove that resolution goes on without it.
    expect(stageStops).toBeGreaterThan(0)
  })

  test.each([
    ['names alone', { stages: false }],
    ['with what follows from answers', { stages: true }],
    ['and sent', { stages: true, webhooks: true }],
  ])('no job is billed more than it may cost, over all kinds and processes: %s', async (_, options) => {
    let [crashes, costStops] = [0, 0]
    for (let seed = 1; seed <= 5; seed++) {
      const world = await simulate(seed, { ...options, priced: true })
      crashes += world.crashes
      costStops += world.costStops
    }
    expect(crashes).toBeGreaterThan(1)
    // Budgets that are never used up would prove nothing.
    expect(costStops).toBeGreaterThan(2)
  })

  test.each([
    ['names, records, owners and domains', {}],
    ['and sent', { webhooks: true }],
    ['and mixed up', { webhooks: true, mixedUp: true }],
    ['and asked again where the service forgets', { forgetful: true }],
    ['and no more than they may cost', { priced: true }],
  ])('what people decided is neither asked nor waited for, whenever they did: %s', async (_, options) => {
    let [crashes, decided, takenBack] = [0, 0, 0]
    for (let seed = 1; seed <= 5; seed++) {
      const world = await simulate(seed, { ...options, decided: true })
      crashes += world.crashes
      decided += world.decided
      takenBack += world.takenBack
    }
    expect(crashes).toBeGreaterThan(1)
    // Verdicts that are never taken back would not prove that what was left alone is asked again.
    expect([decided > 15, takenBack > 4]).toEqual([true, true])
  })

  test.each([
    ['polled', {}],
    ['sent', { webhooks: true }],
    ['and mixed up', { webhooks: true, mixedUp: true }],
  ])('no retry pays twice for a lookup, however often it is killed and continued: %s', async (_, options) => {
    let [crashes, retries, continued] = [0, 0, 0]
    for (const seed of [102, 111, 178, 199, ...Array.from({ length: 30 }, (_, index) => index + 1)]) {
      const world = await simulate(seed, { ...options, retried: true })
      crashes += world.crashes
      retries += world.retries
      continued += world.continuedRetries
    }
    expect(crashes).toBeGreaterThan(10)
    expect([retries > 20, continued > 3]).toEqual([true, true])
  })

  test('counts decide nothing: without them the outcome is the same', async () => {
    const nothing = () => undefined
    const counter: RunCounter = {
      count: nothing,
      onReply: nothing,
      countAnswer: nothing,
      countDeviation: nothing,
      markHeld: nothing,
      unmarkHeld: nothing,
      countDelivery: nothing,
      onWebhookRefused: nothing,
      onStopped: nothing,
      watchOpenRuns: nothing,
    }
    for (let seed = 1; seed <= 4; seed++) {
      const options = { webhooks: seed % 2 === 0, mixedUp: seed % 3 === 0 }
      expect(await simulate(seed, { ...options, counter })).toEqual(await simulate(seed, options))
    }
  })
})
