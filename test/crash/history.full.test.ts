import { describe, expect, onTestFinished, test } from 'vitest'
import type { RememberedRun } from '../../src/pipeline/history/remembered-runs.js'
import { MortalJob } from './mortal-job.js'
import { tellingSteps } from './mortality.js'

function newJob(): MortalJob {
  const job = new MortalJob('out.csv')
  onTestFinished(() => {
    job.remove()
  })
  return job
}

const runsOf = (job: MortalJob): readonly RememberedRun[] => job.remembered((history) => history.runs()) ?? []

const publishedBy = (job: MortalJob, run: number): number | null =>
  job.remembered((history) => history.published(run)?.rows.length ?? null)

/** Once whole, then once more until it dies at a step. */
async function dying(dieAt: number): Promise<{ job: MortalJob; steps: readonly string[] }> {
  const job = newJob()
  await job.live('hold')
  const { steps } = await job.live('hold', dieAt)
  return { job, steps }
}

describe('a run that dies at any of its steps', () => {
  test('did not end, or did all; the next one is compared with the last that ended, or with what a half one was to be', async () => {
    const { steps } = await dying(Infinity)
    expect(steps.filter((step) => step === 'after updateHistory').length).toBeGreaterThan(5)
    const seen = new Set<string>()
    for (const dieAt of tellingSteps(steps)) {
      const { job } = await dying(dieAt)
      const [second, first] = runsOf(job).length === 1 ? [undefined, runsOf(job)[0]] : runsOf(job)
      expect(first).toMatchObject({ number: 1, isPublished: true, exitCode: 3, baseline: null })
      if (second !== undefined && second.endedAtMs === null) expect(second.exitCode).toBeNull()
      if (second?.isPublished === true) {
        expect(publishedBy(job, 2)).toBe(8)
        expect(second.baseline).toBe(1)
      }
      const became =
        second === undefined
          ? 'not begun'
          : `${second.isPublished ? 'published' : 'not published'}, ${second.endedAtMs === null ? 'did not end' : 'ended'}`
      seen.add(became)

      await job.live('hold')
      const [last] = runsOf(job)
      expect(last).toMatchObject({ isPublished: true, exitCode: 3 })
      expect([became, last?.baseline]).toEqual([became, became === 'published, ended' ? 2 : 1])
    }
    expect([...seen].sort()).toEqual([
      'not begun',
      'not published, did not end',
      'published, did not end',
      'published, ended',
    ])
  })
})
