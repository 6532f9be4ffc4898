import { expect, test } from 'vitest'
import { watchMisdirected } from '../../../src/pipeline/scheduler/misdirected-notices.js'

test('answers of others are told at the first, and then each time there are twice as many', () => {
  const tally = { misdirected: 0, held: new Set<number>() }
  const told: [number, string][] = []
  const look = watchMisdirected(tally, (text) => told.push([tally.misdirected, text]))
  for (tally.misdirected = 0; tally.misdirected <= 100; tally.misdirected++) {
    tally.held = new Set([1, 2, 3])
    look()
  }
  expect(told.map(([count]) => count)).toEqual([1, 2, 4, 8, 16, 32, 64])
  expect(told[1]?.[1]).toMatch(/^ALARM: the service sent 2 answers of another lookup.*3 lookups are held/)
})
