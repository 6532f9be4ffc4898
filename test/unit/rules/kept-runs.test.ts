import { describe, expect, test } from 'vitest'
import {
  chooseBaseline,
  type ComparableRun,
  selectRunsToPrune,
  type KeepableRun,
} from '../../../src/pipeline/history/remembered-runs.js'

const published = (count: number): KeepableRun[] =>
  Array.from({ length: count }, (_, index) => ({ number: count - index, hasOutput: true, isPublished: true }))

describe('which runs are kept', () => {
  test.each([
    [2, 3, [1]],
    [2, 2, []],
    [5, 7, [1, 2]],
    [90, 99, []],
    [90, 100, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ])('of runs beyond %i, once there is a tenth more: %i', (runsMax, count, forgotten) => {
    const { withoutOutput, gone } = selectRunsToPrune(published(count), runsMax)
    expect([...withoutOutput].sort((a, b) => a - b)).toEqual(forgotten)
    expect(gone.size).toBe(0)
  })

  test('two outputs are always kept: a killed run leaves its baseline to the next', () => {
    expect([...selectRunsToPrune(published(3), 1).withoutOutput]).toEqual([1])
  })

  test('what a killed run had stored and not published goes with the others; a run without an output takes no place', () => {
    const runs = published(4).map((run) => ({
      ...run,
      isPublished: run.number !== 2,
      hasOutput: run.number !== 3,
    }))
    expect([...selectRunsToPrune(runs, 2).withoutOutput]).toEqual([])
    const more = [{ number: 5, hasOutput: true, isPublished: true }, ...runs]
    expect([...selectRunsToPrune(more, 2).withoutOutput].sort()).toEqual([1, 2])
  })

  test('runs are listed ten times as long as their outputs are kept', () => {
    const runs = published(45).map((run) => ({ ...run, hasOutput: false }))
    expect([...selectRunsToPrune(runs, 4).gone].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5])
  })
})

describe('what a run is compared with', () => {
  const run = (number: number, change: Partial<ComparableRun> = {}): ComparableRun => ({
    number,
    series: 'a',
    endedAtMs: 1,
    isPublished: true,
    baseline: null,
    ...change,
  })
  const of = { number: 9, series: 'a' }

  test('the newest of its series that published and ended', () => {
    expect(
      chooseBaseline([run(8, { series: 'b' }), run(7, { isPublished: false }), run(6), run(5)], of),
    ).toBe(6)
    expect(chooseBaseline([], of)).toBeNull()
    expect(chooseBaseline([run(10), run(9)], of)).toBeNull()
  })

  test('where that one did not end, what it was compared with', () => {
    expect(chooseBaseline([run(8, { endedAtMs: null, baseline: 5 }), run(6), run(5)], of)).toBe(5)
    expect(chooseBaseline([run(8, { endedAtMs: null }), run(6)], of)).toBeNull()
    expect(chooseBaseline([run(8, { endedAtMs: null, baseline: 4 }), run(6)], of)).toBeNull()
  })
})
