import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../support/postgres-server.js'
import { kinds, patterns, rowCounts, tryTypes, type ColumnOutcome } from './matrix.js'

const programs = findPostgres()

/** Commands that run at the same time. */
const laneCount = 2

describe.skipIf(programs === null)('special values of every type', () => {
  let server: SharedPostgres
  beforeAll(async () => {
    server = await sharedPostgres(programs!)
  })
  afterAll(() => server.stop())

  // A third of the pairs, each with other counts and patterns; `npm run types` tries all of them.
  test.each(kinds.map((source, index) => [source, index] as const))(
    'from %s end no process, and change no cell without a notice',
    async (source, index) => {
      const trials = kinds
        .map((target, number) => ({
          source,
          target,
          rowCount: rowCounts[(index * kinds.length + number) % rowCounts.length]!,
          pattern: patterns[(index + number) % patterns.length]!,
        }))
        .filter((_, number) => (index + number) % 3 === 0)
      const outcomes: ColumnOutcome[] = []
      const left = trials.values()
      const runLane = async () => {
        for (const trial of left) outcomes.push(...(await tryTypes(trial, server)))
      }
      await Promise.all(Array.from({ length: laneCount }, runLane))
      expect(outcomes.length).toBeGreaterThan(trials.length)
      expect(outcomes.filter(({ outcome }) => !['kept', 'notice', 'refused'].includes(outcome))).toEqual([])
      // Others are tested one by one, and expected.
      expect(
        new Set(outcomes.filter(({ outcome }) => outcome === 'refused').map(({ column }) => column)),
      ).toEqual(
        new Set(
          outcomes
            .filter(({ column, target }) => /^[ns]_nul$/.test(column) && target === 'postgres')
            .map(({ column }) => column),
        ),
      )
    },
    600_000,
  )
})
