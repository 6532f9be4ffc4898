import { resolve } from 'node:path'
import type { Checkpoint } from './checkpoint/checkpoint.js'
import type { Connection, PipelineDeps } from './deps.js'
import { RunHistory } from './history/run-history.js'
import type { Input } from './input/input.js'
import { namedJob } from './rules/job-name.js'
import { runRecordVersion, type RunRecord } from './rules/run-record.js'

/** Lists the run, from the moment its checkpoint is open. */
export function beginHistory(
  deps: PipelineDeps,
  input: Input,
  connection: Connection,
  checkpoint: Checkpoint,
): Promise<RunHistory> {
  const { observe, clock, history } = deps
  return RunHistory.begin({
    checkpoint,
    path: deps.checkpoint.path,
    series: history.job === null ? seriesOf(deps) : namedJob(history.job),
    runsMax: history.runsMax,
    nowMs: () => clock.nowMs(),
    record: recordOf(deps, input, connection),
    warn: (text) => {
      observe({ type: 'notice', text, isWarning: true })
    },
  })
}

/** By what was named, and not by the files that were found: tomorrow there is one more. */
function seriesOf({ input }: PipelineDeps): string {
  return JSON.stringify(input.paths.map((path) => (path === '-' ? path : resolve(path))))
}

function recordOf(
  { input: { paths }, history }: PipelineDeps,
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
    money: null,
    figures: null,
    timeline: [],
    changes: null,
    alarms: [],
  }
}
