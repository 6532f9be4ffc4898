import type { ExitCode } from '../../core/errors.js'
import type { Alarm } from './alarms.js'
import type { ChangeCounts } from './change-kinds.js'
import type { Money } from './money.js'
import type { RunSummary } from './run-summary.js'

/** A run that ended, however it did, as others are told of it. Nothing of it is secret. */
export interface RunEnd {
  /** Of the program. */
  readonly program: string
  /** The name of the job, or else its inputs. */
  readonly series: string
  /** As the checkpoint numbers it; null where none was opened. */
  readonly run: number | null
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly exitCode: ExitCode
  /** What ended it early, or the error that did. */
  readonly failure: { readonly code: string; readonly message: string } | null
  /** Null where it ended by an error. */
  readonly summary: RunSummary | null
  /** Also of a run that an error ended. `null` where nobody pays, no price is known, or nothing was asked yet. */
  readonly money: Money | null
  /** Null without an output before. */
  readonly changes: ChangeCounts | null
  readonly alarms: readonly Alarm[]
}
