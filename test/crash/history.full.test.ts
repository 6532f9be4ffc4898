import { expect, onTestFinished, test } from 'vitest'
import type { RememberedRun } from '../../src/pipeline/history/run-record.js'
import { MortalJob } from './mortal-job.js'
import { tellingSteps } from './mortality.js'

function newJob(): MortalJob {
  const job = new MortalJob('out.csv')
  onTestFinished(() => {
    job.remove()
  })
  return job
}

const runsOf = async (job: MortalJob): Promise<readonly RememberedRun[]> =>
  (await job.remembered((history) => history.runs())) ?? []

const publishedBy = (job: MortalJob, run: number): Promise<number | null> =>
  job.remembered(async (history) => (await history.published(run))?.rows.length ?? null)

/** Changes of the history. */
const isOfHistory = (step: string) =>
  /^after (beginRun|changeRuns|addEntries|storeOutput|removeUnused)$/.test(step)

/** Once whole, then once more until it dies at a step. */
async function dying(dieAt: number): Promise<{ job: MortalJob; steps: readonly string[] }> {
  const job = newJob()
  await job.live('hold')
  const { steps } = await job.live('hold', dieAt)
  return { job, steps }
}

test('A run that is killed at any step ended completely or not at all, and the next run is compared with the last that ended', async () => {
  const { steps } = await dying(Infinity)
  expect(steps.filter(isOfHistory).length).toBeGreaterThan(3)
  const seen = new Set<string>()
  for (const dieAt of tellingSteps(steps)) {
    const { job } = await dying(dieAt)
    const runs = await runsOf(job)
    const [second, first] = runs.length === 1 ? [undefined, runs[0]] : runs
    expect(first).toMatchObject({ number: 1, isPublished: true, exitCode: 3, baseline: null })
    if (second !== undefined && second.endedAtMs === null) expect(second.exitCode).toBeNull()
    if (second?.isPublished === true) {
      expect(await publishedBy(job, 2)).toBe(8)
      expect(second.baseline).toBe(1)
    }
    const became =
      second === undefined
        ? 'not begun'
        : `${second.isPublished ? 'published' : 'not published'}, ${second.endedAtMs === null ? 'did not end' : 'ended'}`
    seen.add(became)

    await job.live('hold')
    const [last] = await runsOf(job)
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
