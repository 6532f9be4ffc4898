import { runObjectLenient, type RunObjectLenient } from '../../../src/contract/result.js'
import { answerLineVersion, renderAnswer } from '../../../src/pipeline/answers/answer-line.js'
import { readOutcome } from '../../../src/pipeline/scheduler/outcome.js'
import { answerTo, keyed, type checkpointFolder } from '../checkpoint/support.js'

export type Answer = [name: string, status: string, confidence: number]

/** The run of a lookup, answered so. */
const runOf = ([name, status, confidence]: Answer): RunObjectLenient =>
  runObjectLenient.parse({
    run_id: `run_${name}`,
    status: 'COMPLETED',
    data: { status, match_confidence: confidence },
  })

/** Lookups with their answers, in the checkpoint, as a run leaves them. */
export async function answeredIn(folder: ReturnType<typeof checkpointFolder>, ...answers: Answer[]) {
  const checkpoint = folder.open()
  const ids = await checkpoint.store.register(keyed(...answers.map(([name]) => name)))
  const runs = answers.map(runOf)
  const answerOne = async (run: RunObjectLenient, id: number) => {
    const { customId } = await checkpoint.intend(id, 0)
    await checkpoint.apply({ event: 'accept', lookupId: id, customId, runId: run.run_id, nowMs: 0 })
    const line = { line: renderAnswer(run), lineVersion: answerLineVersion, body: JSON.stringify(run) }
    await checkpoint.apply({
      event: 'answer',
      lookupId: id,
      answer: answerTo(run.run_id, { outcome: readOutcome(run, false), ...line }),
    })
  }
  await Promise.all(runs.map((run, at) => answerOne(run, ids[at] ?? 0)))
  const outcomes = answers.map(([, outcome, confidence]) => ({ outcome, confidence }))
  return { ids, outcomes, all: Uint32Array.from(ids) }
}
