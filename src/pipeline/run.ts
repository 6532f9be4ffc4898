import type { CloseLater } from '../platform/close-stack.js'
import { endRun } from './end-run.js'
import { openEnding, type Ending } from './history/run-history.js'
import { openWebhooks, withBackend, openBackend } from './open-backend.js'
import { openFiles } from './open-files.js'
import { joinRunPart, openLookups, readRows, type RunPart } from './open-lookups.js'
import type { RunOrder, Connection, RunContext, RunServices } from './order.js'
import { openRowSpool } from './output/output.js'
import { planChecked, type Planned } from './plan-run.js'
import { beginHistory, markOutputs, recordFailure } from './record-run.js'
import { runLookups } from './run-lookups.js'
import { endCompleteRetry } from './scheduler/scheduler.js'
import { findEndReason } from './scheduler/scheduling.js'
import {
  buildSummary,
  createEmptySummary,
  createTimeline,
  type RunSummary,
  createTally,
} from './history/run-figures.js'
import { writeRows } from './write-output.js'
import { type FirstRun, answerFirst } from './answer-first.js'
import type { FirstAnswers } from './answers/first-answers.js'

export type { Connection, FirstRegistry, ReportRenderer, RunOrder, RunServices } from './order.js'

/**
 * Runs an order: reads rows, looks them up, waits for the answers, and writes the rows with their answers. The same order
 * resumes a run that was stopped. Returns the summary, also of a run that reached a limit or was interrupted. Throws a
 * `UserError` if it cannot start or end, and the signal's reason if it aborts while the input is read.
 *
 * @example
 * const summary = await runPipeline(order, { clock, random, observe: print, interrupt: signal, connect })
 */
export async function runPipeline(order: RunOrder, services: RunServices): Promise<RunSummary> {
  const ending = openEnding(order, services)
  try {
    return await withBackend(order, services, (context, closeLater) => runSteps(context, ending, closeLater))
  } catch (error) {
    await ending.reportError(error)
    throw error
  }
}

/** Reports an error that ended a run before its order was complete, like `runPipeline` does for later errors. */
export async function reportFailedStart(
  order: Parameters<typeof openEnding>[0],
  services: Parameters<typeof openEnding>[1],
  error: unknown,
): Promise<void> {
  await openEnding(order, services).reportError(error)
}

/** The story of a run: open, read, plan, ask, write, end. `closeLater` closes what the steps open. */
async function runSteps(context: RunContext, ending: Ending, closeLater: CloseLater): Promise<RunSummary> {
  const { order, services, backend } = context
  const { clock } = services
  const startedAtMs = clock.monotonicMs()

  const { table, attempt, ...requested } = await openFiles(context, closeLater)
  const { input } = table
  const connection = await services.connect('service')
  closeLater(() => connection.close())
  const part = await joinRunPart(context, input, connection, attempt)
  if (part !== null && part.published !== null) return summarizePart(context, connection, part.published)
  const lookups = await openLookups(context, table, connection, closeLater)
  const history = await beginHistory(context, input, lookups)
  const webhooks = await openWebhooks(order.requests.webhooks, backend.inbox, clock)
  closeLater(() => webhooks?.close())
  const rowSpool = openRowSpool(input, requested.outputs.output, order.source.input.spoolFolder)
  closeLater(() => rowSpool?.remove())
  const outputs = markOutputs(context, input, requested.outputs, history)

  const counts = { ...createTally(), timeline: createTimeline() }
  const { tally, timeline } = counts
  let planned: Planned | null = null
  return recordFailure(context, { history, ending, counts, getPlanned: () => planned }, async () => {
    const read = await readRows(context, { table, outputs, rowSpool, lookups }, closeLater)
    const { index, groups } = read

    const service = { ...lookups, webhooks }
    planned = await planChecked(context, { table, outputs, service, history, read })
    const asked = await runLookups(context, service, { planned, index, counts })

    const rows = await writeRows(context, { table, outputs, rowSpool, lookups, read, history, part }, asked)
    // Not before: if the output fails, the same command continues this retry.
    if (findEndReason(asked) === null) await endCompleteRetry(service.checkpoint, clock.nowMs())

    const ran = buildSummary({
      service: connection,
      lookups: asked,
      tally,
      index,
      rows,
      prices: order.requests.prices ?? null,
      notes: input.listNotes(),
      elapsedMs: clock.monotonicMs() - startedAtMs,
    })
    const isPart = part !== null
    return endRun(context, { input, isPart, outputs, history, ending, timeline, rows, groups, ran })
  })
}

/** The part is already published: nothing is submitted or written. */
function summarizePart(
  { services }: RunContext,
  { service }: Connection,
  { notice, paths, rowCount }: NonNullable<RunPart['published']>,
): RunSummary {
  services.observe({ type: 'notice', text: notice })
  const summary: RunSummary = { ...createEmptySummary(service), outputPaths: paths, rowCount }
  services.observe({ type: 'finished', summary })
  return summary
}

/** Calls `answerFirst` for a plan, with the temporary checkpoint of `order`; `closeLater` closes it. */
export async function answerFirstForPlan(
  order: RunOrder,
  services: RunServices,
  run: Omit<FirstRun, 'isTemporary'>,
  closeLater: CloseLater,
): Promise<FirstAnswers | null> {
  const backend = await openBackend(order, services, closeLater)
  return answerFirst({ order, services, backend }, { ...run, isTemporary: true })
}
