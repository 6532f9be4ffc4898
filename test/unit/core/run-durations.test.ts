import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RunDurations } from '../../../src/core/run-durations.js'

const minuteMs = 60_000

describe('how long runs take', () => {
  test('is taken to be one to five minutes until more is known', () => {
    const durations = new RunDurations(minuteMs)
    expect(durations.doneBy(minuteMs)).toBeCloseTo(0)
    expect(durations.doneBy(3 * minuteMs)).toBeCloseTo(0.5)
    expect(durations.doneBy(5 * minuteMs)).toBeCloseTo(1)
  })

  test('is learned: after many runs of two minutes, two minutes are expected', () => {
    const durations = new RunDurations(minuteMs)
    for (let run = 0; run < 100; run++) durations.observe(2 * minuteMs, 2 * minuteMs)
    expect(durations.ageForChance(0, 0.9)).toBeLessThan(2.2 * minuteMs)
    expect(durations.doneBy(1.9 * minuteMs)).toBeLessThan(0.1)
  })

  test('follows a service that gets slower', () => {
    const durations = new RunDurations(minuteMs)
    for (let run = 0; run < 1_000; run++) durations.observe(minuteMs, minuteMs)
    for (let run = 0; run < 1_000; run++) durations.observe(4 * minuteMs, 4 * minuteMs)
    expect(durations.doneBy(3 * minuteMs)).toBeLessThan(0.4)
  })

  const ages = fc.array(fc.tuple(fc.nat(4_000_000), fc.nat(4_000_000)))
  const learned = ages.map((observed) => {
    const durations = new RunDurations(minuteMs)
    for (const [a, b] of observed) durations.observe(Math.min(a, b), Math.max(a, b))
    return durations
  })

  test('is a distribution whatever was observed: it grows with the age and stays between none and all', () => {
    fc.assert(
      fc.property(learned, fc.nat(10_000_000), fc.nat(10_000_000), (durations, a, b) => {
        const [early, late] = [durations.doneBy(Math.min(a, b)), durations.doneBy(Math.max(a, b))]
        expect(early).toBeGreaterThanOrEqual(0)
        expect(late).toBeGreaterThanOrEqual(early)
        expect(late).toBeLessThanOrEqual(1)
        expect(durations.chanceDone(Math.min(a, b), Math.max(a, b))).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('the age for a chance is never before the age at which the run was seen running', () => {
    fc.assert(
      fc.property(
        learned,
        fc.nat(3_000_000),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        (durations, seenMs, chance) => {
          const ageMs = durations.ageForChance(seenMs, chance)
          expect(ageMs).toBeGreaterThanOrEqual(seenMs)
          expect(durations.chanceDone(seenMs, ageMs + 1)).toBeGreaterThanOrEqual(
            Math.min(chance, durations.chanceDone(seenMs, 1e9)) - 0.01,
          )
        },
      ),
    )
  })
})
