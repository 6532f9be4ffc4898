import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createBudget,
  noteReading,
  noteRefusal,
  noteStart,
  spacingMs,
} from '../../../src/pipeline/rules/pacing.js'

const minuteMs = 60_000

describe('the distance between two starts', () => {
  test('is the window over the limit, and a hair more', () => {
    expect(spacingMs(createBudget(100, minuteMs), 0)).toBeCloseTo(600, 0)
    expect(spacingMs(createBudget(600, minuteMs), 0)).toBeGreaterThan(100)
  })

  test('follows the limit that the server states, up and down', () => {
    const budget = createBudget(100, minuteMs)
    noteReading(budget, { limit: 50, remaining: null, resetMs: null }, 0)
    expect(spacingMs(budget, 0)).toBeCloseTo(1_200, -1)
    noteReading(budget, { limit: 200, remaining: null, resetMs: null }, 0)
    expect(spacingMs(budget, 0)).toBeCloseTo(300, 0)
  })

  test('grows a little with every refusal, and never by more than a twentieth', () => {
    const budget = createBudget(100, minuteMs)
    const before = spacingMs(budget, 0)
    noteRefusal(budget)
    expect(spacingMs(budget, 0)).toBeGreaterThan(before)
    for (let refusal = 0; refusal < 100; refusal++) noteRefusal(budget)
    expect(spacingMs(budget, 0)).toBeLessThanOrEqual(630)
  })

  test('is not changed by our own use of the window: at its end nothing remains', () => {
    const budget = createBudget(100, minuteMs)
    const before = spacingMs(budget, 0)
    for (let start = 0; start < 100; start++) noteStart(budget, start * 600)
    noteReading(budget, { limit: 100, remaining: 0, resetMs: 1_000 }, 59_900)
    expect(spacingMs(budget, 59_950)).toBe(before)
  })

  test('grows until the reset when others use the key too', () => {
    const budget = createBudget(100, minuteMs)
    const before = spacingMs(budget, 0)
    noteStart(budget, 0)
    noteReading(budget, { limit: 100, remaining: 20, resetMs: 30_000 }, 100)
    expect(spacingMs(budget, 200)).toBe(1_500)
    expect(spacingMs(budget, 30_200)).toBe(before)
  })

  test('stays finite and above nothing whatever the headers say', () => {
    const number = fc.option(fc.oneof(fc.nat(), fc.constantFrom(0, 1, 1e6, 9_999_999)))
    fc.assert(
      fc.property(fc.array(fc.record({ limit: number, remaining: number, resetMs: number })), (readings) => {
        const budget = createBudget(100, minuteMs)
        for (const [index, reading] of readings.entries()) {
          noteStart(budget, index * 600)
          noteReading(budget, reading, index * 600)
        }
        const spacing = spacingMs(budget, readings.length * 600)
        expect(spacing).toBeGreaterThan(0)
        expect(spacing).toBeLessThanOrEqual(2 * minuteMs)
      }),
    )
  })
})
