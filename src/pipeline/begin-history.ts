import { resolve } from 'node:path'
import type { RunBackend } from './backend.js'
import type { Checkpoint } from './checkpoint/checkpoint.js'
import type { Connection, PipelineDeps } from './deps.js'
import { RunHistory } from './history/run-history.js'
import type { Input } from './input/input.js'
import { doubtThresholdByDefault } from './rules/doubtful.js'
import { lookupKinds, type LookupKind } from './rules/lookup-kind.js'
import { moneyOf } from './rules/money.js'
import { namedJob, seriesOfPart } from './rules/job-name.js'
import { runRecordVersion, type RunRecord } from './rules/run-record.js'

/** Lists the run, from the moment its checkpoint is open. */
export function beginHistory(
  deps: PipelineDeps,
  backend: RunBackend,
  input: Input,
  connection: Connection,
  checkpoint: Checkpoint,
): Promise<RunHistory> {
  const { observe, clock, history } = deps
  return RunHistory.begin({
    store: backend.historyWriter(checkpoint),
    path: backend.path,
    series: seriesOf(deps),
    runsMax: history.runsMax,
    nowMs: () => clock.nowMs(),
    doubtThreshold: deps.doubtThreshold ?? doubtThresholdByDefault,
    record: recordOf(deps, input, connection),
    warn: (text) => {
      observe({ type: 'notice', text, isWarning: true })
    },
  })
}

/**
 * The job that the user named, and its part; else what was named as the input, and not the files that were found: tomorrow
 * there is one more.
 */
function seriesOf({ input, history: { job }, part = null }: PipelineDeps): string {
  if (part !== null) return seriesOfPart(part.job, part.partition)
  if (job !== null) return namedJob(job)
  return JSON.stringify(input.paths.map((path) => (path === '-' ? path : resolve(path))))
}

const nothingBilled = (kind: LookupKind) => ({ kind, billedCount: 0, uncertainCount: 0 })

function recordOf(
  { input: { paths }, history, prices = null }: PipelineDeps,
  input: Input,
  connection: Connection,
): RunRecord {
  return {
    version: runRecordVersion,
    program: history.program,
    command: history.command,
    service: connection.service,
    scope: connection.scope,
    input: { paths, format: input.format, sha256: null },
    settings: history.settings,
    summary: null,
    error: null,
    // Kept of a run that is killed: the prices, with which its submissions are counted later.
    money: prices === null ? null : moneyOf(prices, lookupKinds.map(nothingBilled)),
    figures: null,
    timeline: [],
    changes: null,
    alarms: [],
  }
}
