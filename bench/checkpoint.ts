import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { answerLineVersion, renderAnswer } from '../src/pipeline/answers/answer-line.js'
import { openCheckpoint } from '../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import type { AnswerHead } from '../src/pipeline/checkpoint/records.js'
import type { LookupId } from '../src/core/lookup-identity.js'
import { openSqlite } from '../src/platform/sqlite.js'
import { systemRandom } from '../src/platform/clock.js'
import { Chance } from '../test/simulation/chance.js'
import { finishedRun, lightAnswer, placeOf } from './answers.js'
import { makeCompanies, type Company } from './companies.js'
import { keyOfCompany } from './known-answers.js'
import { diskFolder, grouped, ratio, type Say } from './support.js'

type Answer = AnswerHead & { readonly line: string; readonly body: string }

/** So many at a time, as the scheduler has them in flight: those share a commit, and so an fsync. */
const sizes = [
  { lanes: 1, count: 500 },
  { lanes: 16, count: 8_000 },
  { lanes: 64, count: 16_000 },
] as const

/** Disks are moody: all take turns, and the best turn of each counts. */
const turns = 3

/** Per second. */
interface Rates {
  submissions: number
  answers: number
}

/** Submissions and answers as fast as the checkpoint takes them, beside the same bytes through less. */
export async function reportCheckpoint(say: Say): Promise<void> {
  const nowMs = Date.now()
  const companies = makeCompanies(Math.max(...sizes.map(({ count }) => count)), new Chance(1))
  const answers = companies.map((company, index) => answerTo(company, index, nowMs))
  const bytes = answers.reduce((sum, { body, line }) => sum + body.length + line.length, 0) / answers.length
  say(
    `  an answer is ${grouped(bytes)} bytes (the body and its line); on ${diskFolder()}; best of ${turns} turns`,
  )
  for (const { lanes, count } of sizes) {
    const some = answers.slice(0, count)
    let [ours, sqlite, plain] = [none, none, none]
    for (let turn = 0; turn < turns; turn++) {
      ours = best(ours, await inFolder((folder) => ourRates(folder, companies, some, lanes, nowMs)))
      sqlite = best(sqlite, await inFolder((folder) => sqliteRates(folder, some, lanes)))
      plain = best(plain, await inFolder((folder) => plainRates(folder, some, lanes)))
    }
    for (const what of ['submissions', 'answers'] as const) {
      say(
        `  ${String(lanes).padStart(2)} at a time: ${grouped(ours[what])} ${what} a second; ` +
          `SQLite alone ${grouped(sqlite[what])}: ${ratio(ours[what] / sqlite[what])}; ` +
          `appended and synced ${grouped(plain[what])}: ${ratio(ours[what] / plain[what])}`,
      )
    }
  }
}

const none: Rates = { submissions: 0, answers: 0 }

const best = (one: Rates, other: Rates): Rates => ({
  submissions: Math.max(one.submissions, other.submissions),
  answers: Math.max(one.answers, other.answers),
})

async function inFolder<Result>(work: (folder: string) => Result | Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-checkpoint-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function answerTo(company: Company, index: number, answeredAtMs: number): Answer {
  const runId = `run_${index}`
  const ids = { runId, customId: `enr_${index}`, resolvedAt: new Date(answeredAtMs).toISOString() }
  const run = finishedRun(ids, company, lightAnswer, new Chance(index))
  return {
    runId,
    state: 'answered',
    outcome: run.data?.status ?? 'failed',
    line: renderAnswer(run),
    lineVersion: answerLineVersion,
    body: JSON.stringify(run),
    answeredAtMs,
  }
}

/** A submission is an intention and its acceptance, each durable before the next step. */
async function ourRates(
  folder: string,
  companies: readonly Company[],
  answers: readonly Answer[],
  lanes: number,
  nowMs: number,
): Promise<Rates> {
  const path = join(folder, 'checkpoint.sqlite')
  const scope = 'https://service.test'
  const checkpoint = openCheckpoint({ path, scope, job: 'bench', nowMs, random: systemRandom })
  try {
    const wanted = companies.slice(0, answers.length)
    const ids = await checkpoint.store.register(
      wanted.map((company) => ({
        kind: 'resolution' as const,
        key: keyOfCompany(company),
        lookup: { name: company.name, location: placeOf(company), context: null },
      })),
    )
    const all = answers.map((answer, index) => ({ answer, lookupId: ids[index] ?? 0 }))
    const submissions = await perSecond(all, lanes, async ({ answer, lookupId }) => {
      const { customId } = await checkpoint.intend(lookupId, nowMs)
      await checkpoint.apply({ event: 'accept', lookupId, customId, runId: answer.runId, nowMs })
    })
    const answered = await perSecond(all, lanes, async ({ answer, lookupId }) => {
      if (!(await checkpoint.apply({ event: 'answer', lookupId, answer })))
        throw new Error(`${answer.runId} was not taken`)
    })
    return { submissions, answers: answered }
  } finally {
    checkpoint.close()
  }
}

async function perSecond(
  all: readonly { answer: Answer; lookupId: LookupId }[],
  lanes: number,
  work: (one: { answer: Answer; lookupId: LookupId }) => Promise<void>,
): Promise<number> {
  const startedAtMs = performance.now()
  const left = all.values()
  const lane = async () => {
    for (const one of left) await work(one)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return all.length / ((performance.now() - startedAtMs) / 1000)
}

/** The same pragmas and batches, and the fewest statements that hold the same. */
function sqliteRates(folder: string, answers: readonly Answer[], lanes: number): Rates {
  const database = openSqlite(join(folder, 'peer.sqlite'), { synchronous: 'FULL' })
  try {
    database.exec(`CREATE TABLE submissions (custom_id TEXT PRIMARY KEY, at_ms INTEGER, run_id TEXT) STRICT;
      CREATE TABLE answers (id INTEGER PRIMARY KEY, run_id TEXT, outcome TEXT, line TEXT, body TEXT) STRICT`)
    const intend = database.prepare('INSERT INTO submissions (custom_id, at_ms) VALUES (?, ?)')
    const accept = database.prepare('UPDATE submissions SET run_id = ? WHERE custom_id = ?')
    const insert = database.prepare('INSERT INTO answers (run_id, outcome, line, body) VALUES (?, ?, ?, ?)')
    const commit = database.transaction((batch: readonly Answer[], write: (answer: Answer) => void) => {
      batch.forEach(write)
    })
    return {
      submissions: inBatches(answers, lanes, (batch) => {
        commit(batch, ({ runId, answeredAtMs }) => intend.run(customIdOf(runId), answeredAtMs))
        commit(batch, ({ runId }) => accept.run(runId, customIdOf(runId)))
      }),
      answers: inBatches(answers, lanes, (batch) => {
        commit(batch, ({ runId, outcome, line, body }) => insert.run(runId, outcome, line, body))
      }),
    }
  } finally {
    database.close()
  }
}

/** What the disk gives: the bytes of each batch appended to a file, and one sync. */
function plainRates(folder: string, answers: readonly Answer[], lanes: number): Rates {
  const file = openSync(join(folder, 'peer.log'), 'a')
  const append = (texts: readonly string[]) => {
    writeSync(file, texts.join('\n'))
    fdatasyncSync(file)
  }
  try {
    return {
      submissions: inBatches(answers, lanes, (batch) => {
        append(batch.map(({ runId }) => customIdOf(runId)))
        append(batch.map(({ runId }) => runId + customIdOf(runId)))
      }),
      answers: inBatches(answers, lanes, (batch) => {
        append(batch.map(({ line, body }) => line + body))
      }),
    }
  } finally {
    closeSync(file)
  }
}

/** As long as ours are. */
const customIdOf = (runId: string) => `enr_${'0'.repeat(24)}_1_${runId.padStart(32, '0')}_1`

function inBatches(
  answers: readonly Answer[],
  lanes: number,
  write: (batch: readonly Answer[]) => void,
): number {
  const startedAtMs = performance.now()
  for (let first = 0; first < answers.length; first += lanes) write(answers.slice(first, first + lanes))
  return answers.length / ((performance.now() - startedAtMs) / 1000)
}
