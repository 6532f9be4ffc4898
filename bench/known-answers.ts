import { createHash } from 'node:crypto'
import { answerLineVersion, renderAnswer } from '../src/pipeline/answers/answer-line.js'
import { identify, toIdentityText, type Lookup, type LookupId } from '../src/core/lookup-identity.js'
import { openCheckpoint } from '../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { systemRandom } from '../src/platform/clock.js'
import { Chance } from '../test/simulation/chance.js'
import { finishedRun, fullAnswer } from './answers.js'
import type { Company } from './companies.js'

/** Lookups that share a commit. */
const batchCount = 1_000
const resolvedAt = '2026-01-02T03:04:05.678Z'

export function lookupOf({ name, city, region, country }: Company): Lookup {
  const identified = identify(name, [city, region, country], [])
  if (identified.kind === 'invalid') throw new Error(`${name}: ${identified.reason}`)
  return identified.lookup
}

/** The key that the pipeline gives the lookup of a row with this company. */
export function keyOfCompany(company: Company): Uint8Array {
  return createHash('sha256')
    .update(toIdentityText(lookupOf(company), 0))
    .digest()
    .subarray(0, 16)
}

/** Puts an answer to every company into a checkpoint, through its own interface; `told` is given each answer line. */
export async function answerAll(
  options: { path: string; scope: string },
  companies: readonly Company[],
  told: (company: Company, line: string) => Promise<void> | void,
): Promise<void> {
  const nowMs = Date.parse(resolvedAt)
  const checkpoint = openCheckpoint({ ...options, job: 'bench', nowMs, random: systemRandom })
  const answerOne = async (lookupId: LookupId, company: Company): Promise<string> => {
    const runId = `run_${lookupId}`
    const { customId } = await checkpoint.intend(lookupId, nowMs)
    await checkpoint.apply({ event: 'accept', lookupId, customId, runId, nowMs })
    const run = finishedRun({ runId, customId, resolvedAt }, company, fullAnswer, new Chance(lookupId))
    const line = renderAnswer(run)
    const isTaken = await checkpoint.apply({
      event: 'answer',
      lookupId,
      answer: {
        runId,
        state: 'answered',
        outcome: run.data?.status ?? 'failed',
        line,
        lineVersion: answerLineVersion,
        body: JSON.stringify(run),
        answeredAtMs: nowMs,
      },
    })
    if (!isTaken) throw new Error(`the answer to ${company.name} was not taken`)
    return line
  }
  try {
    for (let first = 0; first < companies.length; first += batchCount) {
      const batch = companies.slice(first, first + batchCount)
      const ids = await checkpoint.store.register(
        batch.map((company) => ({
          kind: 'resolution' as const,
          key: keyOfCompany(company),
          lookup: lookupOf(company),
        })),
      )
      const lines = await Promise.all(batch.map((company, index) => answerOne(ids[index] ?? 0, company)))
      for (const [index, company] of batch.entries()) await told(company, lines[index] ?? '')
    }
    await checkpoint.endJob(nowMs)
  } finally {
    checkpoint.close()
  }
}
