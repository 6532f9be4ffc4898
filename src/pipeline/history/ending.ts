import { basename } from 'node:path'
import { getInterruptionCode, UserError } from '../../core/errors.js'
import { withTimeout, type Clock } from '../../platform/clock.js'
import { version } from '../../platform/native-package.js'
import { redactAddresses, type Secret } from '../../core/local-path.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import type { HostResolver } from '../../platform/outbound/address-guard.js'
import type { PostOutcome } from '../../platform/outbound/pinned-connect.js'
import { type RunObserver, getExitCode, type RunSummary } from './run-summary.js'
import {
  evaluateAlarms,
  formatCondition,
  type Alarm,
  type AlarmCondition,
  type AlarmFacts,
  type NotifyFormat,
  type NotifyTime,
} from '../../core/alarms.js'
import { renderNotification, type RunEnd } from './notify-message.js'
import { explainStop, findEndReason } from '../scheduler/scheduling.js'
import type { Money } from '../../core/money.js'
import { writeMetricsFile } from './metrics-file.js'

/** Recipients of the end of a run, and the conditions for alarms. */
export interface EndingOptions {
  readonly conditions: readonly AlarmCondition[]
  readonly metricsPath: string | null
  readonly notify: NotifyOptions | null
}

/** Evaluates the alarms of a run that wrote its output. Reports conditions that cannot be evaluated. */
function findAlarms(
  conditions: readonly AlarmCondition[],
  facts: AlarmFacts,
  observe: RunObserver,
): readonly Alarm[] {
  const { alarms, skipped } = evaluateAlarms(conditions, facts)
  if (skipped.length > 0) {
    const listed = skipped.map(formatCondition).join(', ')
    const verb = skipped.length > 1 ? 'were' : 'was'
    observe({ type: 'notice', text: `No previous output is known, so ${listed} ${verb} not evaluated.` })
  }
  return alarms
}

type ErrorEnd = Pick<RunEnd, 'exitCode'> & { readonly failure: NonNullable<RunEnd['failure']> }

/** Returns the exit code and the failure for a thrown error. */
export function getErrorEnd(thrown: unknown, interrupt: AbortSignal): ErrorEnd {
  const error = explainSystemFailure(thrown)
  if (interrupt.aborted && (isAbort(error) || (error instanceof UserError && isAbort(error.cause)))) {
    const exitCode = getInterruptionCode(interrupt.reason)
    return { exitCode, failure: { code: 'INTERRUPTED', message: 'interrupted' } }
  }
  if (error instanceof UserError) {
    const { code, exitCode, message } = error
    return { exitCode, failure: { code, message: redactAddresses(message) } }
  }
  // An unexpected error may contain private data and is only shown on this machine.
  const message = 'the run failed because of a bug; see the output of its process'
  return { exitCode: 1, failure: { code: 'UNFORESEEN', message } }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

/** Changes since the previous output. */
type KnownChanges = NonNullable<AlarmFacts['changes']>

/** Reports the end of one run once: its alarms, metrics and message. No method throws. */
export interface Ending {
  /** For a run that wrote its output; `changes` is `null` if no previous output is known. */
  getAlarms(summary: RunSummary, changes: KnownChanges | null): readonly Alarm[]
  /** `run` is `null` if the checkpoint has no record of it. */
  reportRun(summary: RunSummary, known: { run: number | null; changes: KnownChanges | null }): Promise<void>
  reportError(error: unknown, known?: { run: number | null; money: Money | null }): Promise<void>
}

interface EndingServices {
  readonly clock: Clock
  readonly observe: RunObserver
  readonly interrupt: AbortSignal
}

interface EndingOrder {
  readonly source: { readonly input: { readonly paths: readonly string[] } }
  readonly reporting: { readonly history: { readonly job: string | null }; readonly ending?: EndingOptions }
}

export function openEnding(
  { source, reporting }: EndingOrder,
  { clock, observe, interrupt }: EndingServices,
): Ending {
  const ending = reporting.ending ?? { conditions: [], metricsPath: null, notify: null }
  const startedAtMs = clock.nowMs()
  let isReported = false
  // Failures are warnings: they do not change the run's result.
  const warn = (text: string | null) => {
    if (text !== null) observe({ type: 'notice', text, isWarning: true, isAlarm: true })
  }
  const report = async (facts: Omit<RunEnd, 'program' | 'series' | 'startedAtMs' | 'endedAtMs'>) => {
    if (isReported) return
    isReported = true
    const series = reporting.history.job ?? source.input.paths.join(', ')
    const end = { ...facts, program: version, series, startedAtMs, endedAtMs: clock.nowMs() }
    if (ending.metricsPath !== null) warn(await writeMetricsFile(ending.metricsPath, end))
    if (ending.notify !== null) warn(await notifyOfRun(end, { ...ending.notify, clock }))
  }
  return {
    getAlarms: ({ rowCount, rowsByStatus, review = null, money }, changes) =>
      findAlarms(ending.conditions, { rowCount, rowsByStatus, review, changes, money }, observe),
    reportRun: (summary, { run, changes }) =>
      report({
        run,
        summary,
        money: summary.money,
        changes: changes?.counts ?? null,
        exitCode: getExitCode(summary, getInterruptionCode(interrupt.reason)),
        failure: toFailure(summary),
        alarms: summary.alarms,
      }),
    reportError: (error, known = { run: null, money: null }) =>
      report({ ...getErrorEnd(error, interrupt), ...known, summary: null, changes: null, alarms: [] }),
  }
}

function toFailure(summary: RunSummary): RunEnd['failure'] {
  const ended = findEndReason(summary)
  if (ended === null) return null
  return explainStop(ended) ?? { code: 'INTERRUPTED', message: 'interrupted; the same command resumes' }
}

interface NotifyOptions {
  /** Never shown, not even its host: some receivers put a token there. */
  readonly url: Secret
  readonly format: NotifyFormat
  readonly when: NotifyTime
  /** Whether the names of changed rows are sent. */
  readonly hasNames: boolean
}

export interface NotifyDeps extends NotifyOptions {
  readonly clock: Clock
  /** Defaults to the machine's name servers. */
  readonly resolve?: HostResolver
}

/** Total time limits, from the name look-up to the last attempt. Shorter if the user interrupted the run. */
const notifyMsMax = 5_000
const interruptedMsMax = 2_000
const retryDelayMs = 500

/**
 * Sends a message about a run that ended. Returns `null` if it was sent or not due, else a sentence with the reason,
 * without the URL. Never throws, and takes a few seconds at most: the run does not depend on it.
 */
export async function notifyOfRun(end: RunEnd, deps: NotifyDeps): Promise<string | null> {
  if (deps.when === 'failure' && end.exitCode === 0) return null
  const isBrief = end.exitCode === 130 || end.exitCode === 143
  const { clock } = deps
  const msMax = isBrief ? interruptedMsMax : notifyMsMax
  let outcome: PostOutcome
  try {
    const body = Buffer.from(buildBody(end, deps))
    const sending = await loadSending()
    outcome = await withTimeout({ clock, msMax }, async (signal) => {
      const send = await openSender(sending, deps, { program: end.program, body, signal })
      if (typeof send === 'string') return { kind: 'unanswered', reason: send }
      const first = await send()
      if (isBrief || !isTransient(first)) return first
      await clock.sleep(retryDelayMs, signal)
      return signal.aborted ? first : send()
    })
  } catch {
    // The error is not shown, because it may contain the URL.
    outcome = { kind: 'unanswered', reason: 'the request could not be prepared' }
  }
  const failure = describeFailure(outcome)
  return failure === null
    ? null
    : `The message to the notify URL was not delivered: ${failure}. The result of the run is not affected.`
}

function buildBody(end: RunEnd, { format, hasNames }: NotifyDeps): string {
  const output = end.summary?.outputPaths[0]
  return renderNotification(
    {
      ...end,
      hasNames,
      startedAt: new Date(end.startedAtMs).toISOString(),
      endedAt: new Date(end.endedAtMs).toISOString(),
      output: output === undefined ? null : basename(output),
    },
    format,
  )
}

/** Loaded before the time limit starts. */
async function loadSending() {
  const [guards, connects] = await Promise.all([
    import('../../platform/outbound/address-guard.js'),
    import('../../platform/outbound/pinned-connect.js'),
  ])
  return { ...guards, ...connects }
}

/** Returns a function that sends the notification, or the reason why its URL is not allowed. */
async function openSender(
  { createAddressGuard, systemResolver, createConnect, createPost }: Awaited<ReturnType<typeof loadSending>>,
  { url, resolve }: NotifyDeps,
  { program, body, signal }: { program: string; body: Uint8Array; signal: AbortSignal },
): Promise<string | (() => Promise<PostOutcome>)> {
  const guard = createAddressGuard({
    resolve: resolve ?? systemResolver,
    allowsLocal: true,
    called: 'notify URL',
  })
  const check = await guard.judge(url.reveal(), signal)
  if (check.kind === 'refused') return check.reason
  const post = createPost(createConnect())
  const headers = { 'Content-Type': 'application/json', 'User-Agent': `enrich/${program}` }
  return () => post({ url: check.url, addresses: check.addresses, headers, body, signal })
}

/** Returns whether a retry may succeed: the receiver was unreachable or overloaded. */
function isTransient(outcome: PostOutcome): boolean {
  if (outcome.kind === 'unanswered') return outcome.reason !== 'no answer in time'
  return outcome.status === 429 || outcome.status >= 500
}

function describeFailure(outcome: PostOutcome): string | null {
  if (outcome.kind === 'unanswered') return outcome.reason
  if (outcome.status >= 200 && outcome.status <= 299) return null
  const isElsewhere = outcome.status >= 300 && outcome.status <= 399
  return `HTTP ${outcome.status}${isElsewhere ? ' (redirects are not followed)' : ''}`
}
