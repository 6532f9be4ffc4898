import { resolve } from 'node:path'
import { toAbsolute } from '../connectors/connectors.js'
import { UserError } from '../core/errors.js'
import { explainFailure } from '../platform/system-limits.js'
import { calculateMoney } from '../core/money.js'
import { RunHistory, getErrorEnd, type Ending } from './history/run-history.js'
import type { Input } from './input/input.js'
import { doubtThresholdByDefault, lookupKinds, type LookupKind } from '../core/lookup-state.js'
import { buildPartSeries, toNamedJob } from '../core/partition.js'
import type { RunOutputs } from './open-files.js'
import type { RunLookups } from './open-lookups.js'
import type { RunOrder, RunContext } from './order.js'
import { markAppended } from './output/output.js'
import type { Planned } from './plan-run.js'
import { calculateMoneySoFar } from './history/run-figures.js'
import type { RunCounts } from './run-lookups.js'

/** Adds the run to the history once its checkpoint is open. */
export function beginHistory(
  { order, services }: RunContext,
  input: Input,
  { connection, checkpoint, rule }: RunLookups,
): Promise<RunHistory> {
  return RunHistory.begin({
    store: checkpoint.store.history,
    series: getSeries(order),
    runsMax: order.reporting.history.runsMax,
    nowMs: () => services.clock.nowMs(),
    doubtThreshold: order.requests.doubtThreshold ?? doubtThresholdByDefault,
    record: createRecord(order, input, { connection, rule }),
    notify: (text, isWarning) => {
      services.observe({ type: 'notice', text, ...(isWarning ? { isWarning } : {}) })
    },
  })
}

/** The series of a run: the user's job and its part; else the input as named, not the files found. */
function getSeries({ source, reporting }: RunOrder): string {
  const { input, part = null } = source
  const { job } = reporting.history
  if (part !== null) return buildPartSeries(part.job, part.partition)
  if (job !== null) return toNamedJob(job)
  return JSON.stringify([
    ...input.paths.map(toSeriesPath),
    ...[input.queryPath ?? []].flat().map(toSeriesPath),
  ])
}

const toSeriesPath = (path: string): string => (path === '-' ? path : toAbsolute(path, resolve))

const toUnbilledCounts = (kind: LookupKind) => ({ kind, billedCount: 0, uncertainCount: 0 })

function createRecord(
  { source, reporting: { history }, requests: { prices = null } }: RunOrder,
  input: Input,
  { connection, rule }: Pick<RunLookups, 'connection' | 'rule'>,
) {
  const { paths } = source.input
  return {
    program: history.program,
    command: history.command,
    service: connection.service,
    scope: connection.scope,
    input: {
      paths,
      format: input.format,
      delimiter: input.layout.delimiter,
      lookup: { ...rule.columns, identifierUse: rule.identifierUse },
      sha256: null,
      list: input.identity.hashList(),
    },
    settings: history.settings,
    // Prices are kept for a killed run, whose submissions are counted later.
    money: prices === null ? null : calculateMoney(prices, lookupKinds.map(toUnbilledCounts)),
  }
}

/** Marks the rows that are appended to tables. */
export function markOutputs(
  { order, services }: RunContext,
  input: Input,
  { output, changes }: RunOutputs,
  history: RunHistory,
): RunOutputs {
  const owner = history.identity
  if (owner === null) return { output, changes }
  const series = getSeries(order)
  const standsFor = async (earlier: { readonly run: number; readonly startedAtMs: number }) => {
    const found = (await history.reader.runs()).find(({ number }) => number === earlier.run)
    const isComplete = found?.endedAtMs !== null && found?.record?.error === null
    if (found?.startedAtMs === earlier.startedAtMs && isComplete) return false
    const text = `Run ${earlier.run} appended these rows to ${output.path} before it was interrupted: they are not appended again.`
    services.observe({ type: 'notice', text })
    return true
  }
  const never = () => Promise.resolve(false)
  return {
    output: markAppended(output, series, { owner, columns: input.columns, standsFor }),
    changes: changes && markAppended(changes, series, { owner, columns: null, standsFor: never }),
  }
}

interface RecordedRun {
  readonly history: RunHistory
  readonly ending: Ending
  readonly counts: RunCounts
  /** Returns the plan; null before there is one. */
  readonly getPlanned: () => Planned | null
}

/** Records an error or interruption of `work`. A user error is marked if lookups were submitted before. */
export async function recordFailure<Result>(
  { order, services }: RunContext,
  { history, ending, counts, getPlanned }: RecordedRun,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const planned = getPlanned()
    const error = markSubmitted(explainFailure(thrown), planned)
    const { exitCode, failure } = getErrorEnd(error, services.interrupt)
    const { prices = null } = order.requests
    const money = calculateMoneySoFar({ prices, tally: counts.tally, stages: planned?.stages ?? [] })
    history.note({ error: failure, money, timeline: counts.timeline.points() })
    await ending.reportError(error, { run: history.identity?.run ?? null, money })
    await history.end(exitCode)
    throw error
  }
}

function markSubmitted(error: unknown, planned: Planned | null): unknown {
  if (!(error instanceof UserError) || planned === null) return error
  const backlogs = [planned.backlog, ...planned.stages.map(({ backlog }) => backlog)]
  return backlogs.some(({ hasSubmitted }) => hasSubmitted) ? error.markAfterSubmissions() : error
}
