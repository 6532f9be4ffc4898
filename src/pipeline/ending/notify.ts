import { basename } from 'node:path'
import type { Secret } from '../../core/secret.js'
import { type Clock, withTimeout } from '../../platform/clock.js'
import type { HostResolver } from '../../platform/outbound/address-guard.js'
import type { PostOutcome } from '../../platform/outbound/pinned-connect.js'
import {
  renderNotification,
  type NotifyFormat,
  type NotifyTime,
  type RunEnd,
} from '../figures/notify-message.js'

export interface NotifyOptions {
  /** Never shown, not even its host: some receivers put a token there. */
  readonly url: Secret
  readonly format: NotifyFormat
  readonly when: NotifyTime
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
    const body = Buffer.from(buildBody(end, deps.format))
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

function buildBody(end: RunEnd, format: NotifyFormat): string {
  const output = end.summary?.outputPaths[0]
  return renderNotification(
    {
      ...end,
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
