import { describe, expect, it } from 'vitest'
import type { RememberedRun } from '../../../src/pipeline/history/run-record.js'
import { chooseRuns } from '../../../src/pipeline/history/remembered-runs.js'

const run = (number: number, change: Partial<RememberedRun> = {}): RememberedRun => ({
  number,
  series: 'companies.csv',
  startedAtMs: number,
  endedAtMs: number,
  exitCode: 0,
  isPublished: true,
  baseline: number === 1 ? null : number - 1,
  record: null,
  ...change,
})
const unpublished = { isPublished: false, baseline: null }
const runs = [
  run(9, { ...unpublished, endedAtMs: null }),
  run(8, { series: 'other.csv', baseline: null }),
  run(7, { baseline: 5 }),
  run(6, { endedAtMs: null }),
  run(5, { baseline: 3 }),
  run(4, unpublished),
  run(3),
  run(2),
  run(1),
]
const chosen = (asked: string | null, of = runs): [number, number] => {
  const { older, newer } = chooseRuns(asked, of)
  return [older.number, newer.number]
}
const faultOf = (asked: string | null, of = runs): unknown => {
  try {
    return chosen(asked, of)
  } catch (error) {
    return (error as { code?: unknown }).code
  }
}

describe('the runs that are compared', () => {
  it.each<[string | null, [number, number]]>([
    ['7', [5, 7]],
    ['..7', [5, 7]],
    ['5', [3, 5]],
    ['2..7', [2, 7]],
    ['2..', [2, 7]],
    ['7..2', [7, 2]],
  ])('%s', (asked, expected) => {
    expect(chosen(asked)).toEqual(expected)
  })

  it('without a choice, the last run that was compared with any, whatever was run for the first time since', () => {
    expect(chosen(null)).toEqual([5, 7])
    expect(faultOf(null, runs.slice(-1))).toBe('RUN_OUTPUT_UNKNOWN')
  })

  it.each<[string | null, string]>([
    ['99', 'RUN_NOT_FOUND'],
    ['1..99', 'RUN_NOT_FOUND'],
    ['4', 'RUN_OUTPUT_UNKNOWN'],
    ['3..4', 'RUN_OUTPUT_UNKNOWN'],
    ['1', 'RUN_OUTPUT_UNKNOWN'],
    ['7..8', 'RUNS_NOT_COMPARABLE'],
    ['..', 'USAGE_INVALID'],
    ['', 'USAGE_INVALID'],
    ['last', 'USAGE_INVALID'],
    ['1..2..3', 'USAGE_INVALID'],
    ['-1', 'USAGE_INVALID'],
  ])('%s is an error with a code: %s', (asked, code) => {
    expect(faultOf(asked)).toBe(code)
  })

  it('a run without a baseline is called the first one only if no earlier run of its input has an output', () => {
    const hintOf = (of: RememberedRun[]) => {
      try {
        return chosen('7', of)
      } catch (error) {
        return [(error as Error).message, (error as { hint?: unknown }).hint]
      }
    }
    const newest = run(7, { baseline: null })
    expect(hintOf([newest, run(6)])).toEqual([
      'run 7 was not compared with the run before it',
      expect.stringContaining('--row-key: enrich diff N..7'),
    ])
    const others = [newest, run(6, { series: 'other.csv' }), run(5, unpublished)]
    expect(hintOf(others)).toEqual([
      expect.stringContaining('run 7 is the first of its input'),
      expect.anything(),
    ])
  })

  it('where no run wrote an output, that is said', () => {
    expect(faultOf(null, [])).toBe('RUN_NOT_FOUND')
    expect(faultOf(null, [run(1, unpublished)])).toBe('RUN_NOT_FOUND')
  })
})
