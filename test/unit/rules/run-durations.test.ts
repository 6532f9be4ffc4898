import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RunDurations } from '../../../src/pipeline/scheduler/run-durations.js'
import { forAll } from '../../support/properties.js'

const minuteMs = 60_000

describe('how long runs take', () => {
  test('is taken to be one to five minutes until more is known', () => {
    const durations = new RunDurations(minuteMs)
    expect(durations.getShareDone(minuteMs)).toBeCloseTo(0)
    expect(durations.getShareDone(3 * minuteMs)).toBeCloseTo(0.5)
    expect(durations.getShareDone(5 * minuteMs)).toBeCloseTo(1)
  })

  test('is learned: after many runs of two minutes, two minutes are expected', () => {
    const durations = new RunDurations(minuteMs)
    for (let run = 0; run < 100; run++) durations.observe(2 * minuteMs, 2 * minuteMs)
    expect(durations.getAgeForChance(0, 0.9)).toBeLessThan(2.2 * minuteMs)
    expect(durations.getShareDone(1.9 * minuteMs)).toBeLessThan(0.1)
  })

  test('follows a service that gets slower', () => {
    const durations = new RunDurations(minuteMs)
    for (let run = 0; run < 1_000; run++) durations.observe(minuteMs, minuteMs)
    for (let run = 0; run < 1_000; run++) durations.observe(4 * minuteMs, 4 * minuteMs)
    expect(durations.getShareDone(3 * minuteMs)).toBeLessThan(0.4)
  })

  test.each([
    ['what the service says', { saidMs: 100_000 }, 100_000, 100_000],
    ['when its answer was sent, if the service says nothing', { isSent: true }, 200_000, 200_000],
    [
      'what was sent, if the service says what cannot be',
      { isSent: true, saidMs: 300_000 },
      200_000,
      200_000,
    ],
    ['what lies between two polls', { seenMs: 120_000 }, 120_000, 200_000],
    [
      'no more than what lies between two polls, if the service says what cannot be',
      { seenMs: 120_000, saidMs: 90_000 },
      120_000,
      200_000,
    ],
  ])('is learned from %s', (_, change, fromMs, toMs) => {
    const durations = new RunDurations(minuteMs)
    const expected = new RunDurations(minuteMs)
    durations.addEnding({ seenMs: 0, knownMs: 200_000, saidMs: null, isSent: false, ...change })
    expected.observe(fromMs, toMs)
    for (let ageMs = 0; ageMs < 400_000; ageMs += 5_000)
      expect(durations.getShareDone(ageMs)).toBe(expected.getShareDone(ageMs))
  })

  test('is not learned from an end at an unknown time', () => {
    const durations = new RunDurations(minuteMs)
    durations.addEnding({ seenMs: 0, knownMs: 200_000, saidMs: null, isSent: false })
    expect(durations.getShareDone(2 * minuteMs)).toBe(new RunDurations(minuteMs).getShareDone(2 * minuteMs))
  })

  test('is not taken to be short because short ones end first: those that still run count', () => {
    // Ten to twenty minutes, all alike; each is asked every minute from its fifth on, for sixteen minutes.
    const durations = new RunDurations(5 * minuteMs)
    const seen = Array.from({ length: 200 }, () => 0)
    for (let ageMs = 5 * minuteMs; ageMs <= 16 * minuteMs; ageMs += minuteMs)
      for (const [run, seenMs] of seen.entries()) {
        const endMs = (10 + run / 20) * minuteMs
        if (seenMs < 0) continue
        if (endMs > ageMs) durations.noteRunning(seenMs, ageMs)
        else durations.addEnding({ seenMs, knownMs: ageMs, saidMs: endMs, isSent: false })
        seen[run] = endMs > ageMs ? ageMs : -1
      }
    expect(durations.getShareDone(10 * minuteMs)).toBeLessThan(0.12)
    expect(durations.getShareDone(13 * minuteMs)).toBeGreaterThan(0.2)
    expect(durations.getShareDone(13 * minuteMs)).toBeLessThan(0.42)
    expect(durations.getShareDone(16 * minuteMs)).toBeGreaterThan(0.4)
    expect(durations.getShareDone(16 * minuteMs)).toBeLessThan(0.72)
  })

  const ages = fc.array(fc.tuple(fc.nat(4_000_000), fc.nat(4_000_000)))
  const learned = ages.map((observed) => {
    const durations = new RunDurations(minuteMs)
    for (const [at, [a, b]] of observed.entries()) {
      const [early, late] = [Math.min(a, b), Math.max(a, b)]
      if (at % 3 === 0) durations.noteRunning(at % 2 === 0 ? 0 : early, late)
      else if (at % 3 === 1) durations.observe(early, late)
      else durations.addEnding({ seenMs: early, knownMs: late, saidMs: null, isSent: at % 2 === 0 })
    }
    return durations
  })

  test('is a distribution whatever was observed: it grows with the age and stays between none and all', () => {
    forAll(100, [learned, fc.nat(10_000_000), fc.nat(10_000_000)], (durations, a, b) => {
      const [early, late] = [durations.getShareDone(Math.min(a, b)), durations.getShareDone(Math.max(a, b))]
      expect(early).toBeGreaterThanOrEqual(0)
      expect(late).toBeGreaterThanOrEqual(early)
      expect(late).toBeLessThanOrEqual(1)
      expect(durations.getChanceDone(Math.min(a, b), Math.max(a, b))).toBeLessThanOrEqual(1)
    })
  })

  test('the age for a chance is never before the age at which the run was seen running', () => {
    forAll(
      100,
      [learned, fc.nat(3_000_000), fc.double({ min: 0.01, max: 0.99, noNaN: true })],
      (durations, seenMs, chance) => {
        const ageMs = durations.getAgeForChance(seenMs, chance)
        expect(ageMs).toBeGreaterThanOrEqual(seenMs)
        expect(durations.getChanceDone(seenMs, ageMs + 1)).toBeGreaterThanOrEqual(
          Math.min(chance, durations.getChanceDone(seenMs, 1e9)) - 0.01,
        )
      },
    )
  })
})
