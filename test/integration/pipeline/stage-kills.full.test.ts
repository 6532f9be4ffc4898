import { readStageAnswers } from '../../../src/pipeline/answers/stage-answers.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { calculateResolutionKey } from '../../../src/pipeline/checkpoint/lookup.js'
import { openCheckpointReader } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import { verifyFile } from '../../../src/pipeline/checkpoint/sqlite/verify.js'
import { stageKinds } from '../../../src/core/lookup-state.js'
import { startProgram } from '../../support/child-process.js'
import { toKeys } from '../checkpoint/support.js'
import { companyWorld, runStages, serveCompanies, writeCompanies } from '../../support/stage-job.js'

const nameCount = 120
const companyCount = 60
/** Processes that are killed, at moments spread over all stages. */
const killCount = 6

let cleanUp: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanUp.reverse()) await clean()
  cleanUp = []
})

test('killed at any moment of any stage, a job asks nothing twice and loses nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-stage-kills-'))
  cleanUp.push(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  writeCompanies(folder, nameCount)
  const knowledge = companyWorld(nameCount, companyCount)
  const { service, tap } = await serveCompanies(knowledge, {
    researchMs: { min: 0, max: 300 },
    buildMs: { min: 50, max: 600 },
  })
  cleanUp.push(
    () => service.close(),
    () => tap.close(),
  )

  for (let kill = 0; kill < killCount; kill++) {
    const child = startProgram(
      new URL('../../support/stages-child.ts', import.meta.url).href,
      folder,
      tap.url,
    )
    expect(await child.nextLine()).toBe('begun')
    const beforeCount = tap.begun.size
    // A life that is killed late may have left too little for the next one.
    const life: { end: string | null } = { end: null }
    const ended = child.nextLine().then(
      (line) => (life.end = line),
      () => null,
    )
    // Early in the first lives, later in the last: whatever is going on then.
    while (life.end === null && tap.begun.size < beforeCount + 2 + 5 * kill)
      await new Promise((resolve) => setTimeout(resolve, 5))
    await child.kill()
    await ended
    expect([null, 'done']).toContain(life.end)
  }
  const summary = await runStages(folder, tap.url)
  expect(summary.stop).toBeNull()
  expect(summary.pendingCount).toBe(0)

  expect([...tap.begun].filter(([, count]) => count > 1)).toEqual([])
  expect(new Set(knowledge.asked).size).toBe(knowledge.asked.length)
  const path = join(folder, 'checkpoint.sqlite')
  expect(verifyFile(path)).toMatchObject({ damage: [], problem: null })

  const reader = openCheckpointReader(path, tap.url)
  if (reader === null) throw new Error('there is no checkpoint')
  cleanUp.push(() => {
    reader.close()
  })
  const rowKeys = Array.from({ length: nameCount }, (_, index) =>
    calculateResolutionKey({ name: `Company ${index}`, location: 'Leeds', context: null }),
  )
  const ids = reader.find(toKeys('resolution', rowKeys))
  const firsts = reader.readAnswers(ids)
  for (const [at, stages] of readStageAnswers(reader, ids, stageKinds).entries()) {
    if (firsts[at]?.state === 'uncertain') continue
    expect(firsts[at]?.outcome).toBe('matched')
    expect([stages.entity?.known?.outcome, stages.hierarchy?.known?.outcome]).toEqual([
      'complete',
      'completed',
    ])
    // What was in flight at a kill may have been billed: it is held.
    expect(['answered', 'uncertain']).toContain(stages.domain?.known?.state)
  }
  const answeredCount = summary.stages.reduce(
    (sum, { cachedCount }) => sum + cachedCount,
    summary.cachedCount,
  )
  // Lives in which nothing was answered would prove nothing.
  expect(answeredCount).toBeGreaterThan(0)
}, 180_000)
