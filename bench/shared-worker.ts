import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Checkpoint } from '../src/pipeline/checkpoint/checkpoint.js'
import type { AnswerHead } from '../src/pipeline/checkpoint/records.js'
import type { LookupId } from '../src/core/lookup-identity.js'
import { LocalCopy } from '../src/pipeline/checkpoint/postgres/local-copy.js'
import { openWorker } from '../src/pipeline/checkpoint/postgres/lease.js'
import { openPostgresCheckpoint } from '../src/pipeline/checkpoint/postgres/shared-run.js'
import { openShared } from '../src/pipeline/checkpoint/postgres/open-database.js'
import { openCheckpoint } from '../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { answerLineVersion, renderAnswer } from '../src/pipeline/answers/answer-line.js'
import { systemClock, systemRandom } from '../src/platform/clock.js'
import { Chance } from '../test/simulation/chance.js'
import { finishedRun, fullAnswer, lightAnswer } from './answers.js'
import { makeCompanies } from './companies.js'
import { keyOfCompany, lookupOf } from './known-answers.js'

type Answer = AnswerHead & { readonly line: string; readonly body: string }

/** One process of `bench/shared.ts`: it makes its lookups and answers, waits for `go`, and puts them through a checkpoint. */
export interface SharedWork {
  /** A URL of PostgreSQL, or the path of a file. */
  readonly checkpoint: string
  /** Of all processes: each has a share of the lookups of its own. */
  readonly workerCount: number
  readonly worker: number
  readonly cycleCount: number
  /** In flight at a time. */
  readonly laneCount: number
}

export interface SharedReady {
  /** Of an answer: its body and its line. */
  readonly bytesEach: number
  /** To take all of its lookups into the run, none of which was known. */
  readonly wantMs: number
}

/** Times by the clock of the machine, in milliseconds: all processes share it. */
export interface SharedFigures {
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** Of this process, while it was at it. */
  readonly cpuMs: number
}

const scope = 'https://service.test'
const job = 'bench'

async function main(work: SharedWork): Promise<void> {
  const { checkpoint, close } = await open(work.checkpoint)
  const { cycleCount, workerCount, worker } = work
  const companies = makeCompanies(cycleCount * workerCount, new Chance(1)).slice(
    worker * cycleCount,
    (worker + 1) * cycleCount,
  )
  const nowMs = Date.now()
  const wantedFromMs = performance.now()
  const ids = await checkpoint.store.register(
    companies.map((company) => ({
      kind: 'resolution',
      key: keyOfCompany(company),
      lookup: lookupOf(company),
    })),
  )
  const wantMs = performance.now() - wantedFromMs
  const all = companies.map((company, index) => {
    const runId = `run_${worker}_${String(index).padStart(26, '0')}`
    const size = index % 2 === 0 ? lightAnswer : fullAnswer
    const ids = { runId, customId: 'enr', resolvedAt: new Date(nowMs).toISOString() }
    const run = finishedRun(ids, company, size, new Chance(worker * cycleCount + index))
    const line = renderAnswer(run)
    return { runId, outcome: run.data?.status ?? 'failed', line, body: JSON.stringify(run) }
  })
  const bytes = all.reduce((sum, { line, body }) => sum + line.length + body.length, 0)
  process.send?.({ bytesEach: bytes / all.length, wantMs } satisfies SharedReady)
  await new Promise((resolve) => process.once('message', resolve))
  const startedAtMs = performance.timeOrigin + performance.now()
  const before = process.cpuUsage()
  const left = all.entries()
  const lane = async () => {
    for (const [index, answer] of left) await cycle(checkpoint, ids[index] ?? 0, answer)
  }
  await Promise.all(Array.from({ length: work.laneCount }, lane))
  const { user, system } = process.cpuUsage(before)
  const endedAtMs = performance.timeOrigin + performance.now()
  await close()
  process.send?.({ startedAtMs, endedAtMs, cpuMs: (user + system) / 1000 } satisfies SharedFigures)
  process.disconnect()
}

/** Each step is durable before the next; the scheduler takes the time of each as these do. */
async function cycle(
  checkpoint: Checkpoint,
  lookupId: LookupId,
  { runId, ...answer }: Pick<Answer, 'runId' | 'outcome' | 'line' | 'body'>,
): Promise<void> {
  const intention = await checkpoint.intend(lookupId, Date.now())
  if (typeof intention === 'string' || !intention.mayLeave()) throw new Error('it was not intended')
  const isFirst = await checkpoint.apply({
    event: 'accept',
    lookupId,
    customId: intention.customId,
    runId,
    nowMs: Date.now(),
  })
  const stored: Answer = {
    ...answer,
    runId,
    state: 'answered',
    lineVersion: answerLineVersion,
    answeredAtMs: Date.now(),
  }
  if (isFirst !== true || !(await checkpoint.apply({ event: 'answer', lookupId, answer: stored })))
    throw new Error(`${runId} was not taken`)
}

async function open(path: string): Promise<{ checkpoint: Checkpoint; close: () => Promise<void> }> {
  const own = { scope, job, nowMs: Date.now(), random: systemRandom }
  if (!path.startsWith('postgres:')) {
    const checkpoint = openCheckpoint({ ...own, path })
    const close = () => {
      checkpoint.close()
      return Promise.resolve()
    }
    return { checkpoint, close }
  }
  const shared = await openShared(path, { clock: systemClock, random: systemRandom })
  const { prompt, server } = shared
  const folder = mkdtempSync(join(tmpdir(), 'enrich-bench-copy-'))
  const copy = new LocalCopy(folder)
  const worker = await openWorker({ prompt, server, clock: systemClock, job })
  const { checkpoint } = await openPostgresCheckpoint({
    run: own,
    random: systemRandom,
    clock: systemClock,
    database: shared,
    worker,
    copy,
    turnsOf: null,
  })
  const close = async () => {
    await checkpoint.close()
    copy.close()
    await shared.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { checkpoint, close }
}

await main(JSON.parse(process.argv[2] ?? '') as SharedWork)
