import { describe, expect, test } from 'vitest'
import { progressBar } from '../../src/cli/progress-bar.js'
import type { Progress } from '../../src/core/progress.js'

const progress: Progress = {
  lookups: 5_000,
  done: 1_204,
  running: 181,
  cached: 37,
  failed: 0,
  uncertain: 0,
  toSubmit: 3_615,
  submissionsPerMinute: 598,
  pollsPerMinute: 97,
  submitLimit: 600,
  pollLimit: 100,
  elapsedMs: 60_000,
  etaMs: 3_840_000,
}

describe('the bar of a terminal', () => {
  test('has every number where there is room', () => {
    expect(progressBar(progress, 140)).toBe(
      '[####----------------] 1,204/5,000 done · 181 running · 37 cached · 0 failed · submit 598/600 · poll 97/100 per min · ETA 1h04m',
    )
  })

  test('keeps what is done and the time left on a narrow one, and never fills the line', () => {
    for (let columnCount = 30; columnCount < 160; columnCount++) {
      const line = progressBar(progress, columnCount)
      expect(line.length).toBeLessThan(columnCount)
      expect(line).toContain('1,204/5,000 done')
      expect(line).toContain('ETA 1h04m')
    }
    expect(progressBar(progress, 80)).toMatchInlineSnapshot(
      `"[#----] 1,204/5,000 done · 181 running · 37 cached · submit 598/600 · ETA 1h04m"`,
    )
  })

  test('is full only when all is done, and full when there is nothing to do', () => {
    expect(progressBar({ ...progress, done: 4_999 }, 140)).toContain('[###################-]')
    expect(progressBar({ ...progress, lookups: 0, done: 0 }, 140)).toContain('[####################]')
  })
})
