import type { Clock } from '../../platform/clock.js'
import { rateWaitMsMax } from '../../core/pacing.js'
import type { Stop } from '../scheduler/scheduling.js'
import type { CounterName, RequestKind, RunCounter } from '../scheduler/scheduler.js'
import type { LookupPlan, LookupKind } from '../../core/lookup-state.js'
import type { KindSubmissions } from '../../core/money.js'
import type { StageFacts } from './run-summary.js'

type ViewOpenRuns = Parameters<RunCounter['watchOpenRuns']>[0]

/** Counts of a run so far, for progress, notices and the summary; no decision uses them. */
export interface Tally extends Readonly<Record<CounterName, number>> {
  /** Runs with a final answer, by outcome; includes `failed`. */
  readonly answered: number
  readonly outcomes: ReadonlyMap<string, number>
  readonly rateLimited: number
  /** Start of the present series of 429 responses (monotonic); null if the last response was not a 429. */
  readonly refusedSinceMs: Readonly<Record<RequestKind, number | null>>
  /** End of the longest wait that a 429 demanded (monotonic). */
  readonly pausedUntilMs: Readonly<Record<RequestKind, number>>
  /** Deviations of answers from the contract, with counts. */
  readonly schemaDeviations: ReadonlyMap<string, number>
  /** Lookups whose last answer belongs to another one. */
  readonly held: ReadonlySet<number>
  /** Webhooks, by result. */
  readonly deliveries: Readonly<Record<'taken' | 'unclaimed' | 'quarantined', number>>
  /** Why the service refuses submissions with the webhook URL. */
  readonly webhookRefusal: string | null
  /** Why no more rows are submitted; `null` while they may be. */
  readonly stop: Stop | null
  /** Returns the open runs; `null` until this kind is scheduled. */
  readonly openRuns: ViewOpenRuns | null
}

/** Creates a tally to read, and the counter that fills it. */
export function createTally(): { tally: Tally; counter: RunCounter } {
  const tally = {
    submissions: 0,
    polls: 0,
    accepted: 0,
    rejected: 0,
    lost: 0,
    claimed: 0,
    disproved: 0,
    lostReads: 0,
    parked: 0,
    misdirected: 0,
    contradictions: 0,
    answered: 0,
    outcomes: new Map<string, number>(),
    rateLimited: 0,
    refusedSinceMs: { submissions: null, polls: null } as Record<RequestKind, number | null>,
    pausedUntilMs: { submissions: -Infinity, polls: -Infinity } as Record<RequestKind, number>,
    schemaDeviations: new Map<string, number>(),
    held: new Set<number>(),
    deliveries: { taken: 0, unclaimed: 0, quarantined: 0 },
    webhookRefusal: null as string | null,
    stop: null as Stop | null,
    openRuns: null as ViewOpenRuns | null,
  }
  const counter: RunCounter = {
    count: (what) => tally[what]++,
    onReply: (what, { kind, waitMs = 0 }, nowMs) => {
      const isRefused = kind === 'rate_limited'
      tally.pausedUntilMs[what] = Math.max(tally.pausedUntilMs[what], nowMs + waitMs)
      tally.refusedSinceMs[what] = isRefused ? (tally.refusedSinceMs[what] ?? nowMs) : null
      if (isRefused) tally.rateLimited++
    },
    countAnswer: (outcome) => {
      tally.answered++
      addOne(tally.outcomes, outcome)
    },
    countDeviation: (deviation) => {
      addOne(tally.schemaDeviations, deviation)
    },
    markHeld: (lookupId) => tally.held.add(lookupId),
    unmarkHeld: (lookupId) => tally.held.delete(lookupId),
    countDelivery: (state) => tally.deliveries[state]++,
    onWebhookRefused: (reason) => {
      tally.webhookRefusal ??= reason
    },
    onStopped: (reason) => {
      tally.stop ??= reason
    },
    watchOpenRuns: (look) => {
      tally.openRuns = look
    },
  }
  return { tally, counter }
}

/** Returns the time left of the pauses that 429 responses demanded. */
export const calculatePauseMs = ({ pausedUntilMs }: Pick<Tally, 'pausedUntilMs'>, clock: Clock): number =>
  Math.max(0, pausedUntilMs.submissions - clock.monotonicMs(), pausedUntilMs.polls - clock.monotonicMs())

/** Reports each wait that a service requests beyond the window of a rate limit: until when, and why. */
export function watchPauses(
  tally: Pick<Tally, 'pausedUntilMs'>,
  clock: Clock,
  notify: (sentence: string) => void,
): () => void {
  const told = { submissions: -Infinity, polls: -Infinity }
  return () => {
    for (const what of ['submissions', 'polls'] as const) {
      const leftMs = tally.pausedUntilMs[what] - clock.monotonicMs()
      if (leftMs <= rateWaitMsMax || tally.pausedUntilMs[what] <= told[what] + sameWaitMs) continue
      told[what] = tally.pausedUntilMs[what]
      const until = new Date(clock.nowMs() + leftMs).toISOString().replace(/\.\d+Z$/, 'Z')
      notify(
        `The service answered 429 and asks to wait (Retry-After): the run pauses ${what} until ${until}. ` +
          'Nothing is lost if you stop it; --max-duration limits the wait.',
      )
    }
  }
}

/** Requests in flight together are refused with about the same time. */
const sameWaitMs = 10_000

/** Keys come from servers, so their number is limited. */
const keyCountMax = 1_000

function addOne(counts: Map<string, number>, key: string): void {
  const known = counts.has(key) || counts.size < keyCountMax ? key : 'anything else'
  counts.set(known, (counts.get(known) ?? 0) + 1)
}

/** Results of one kind of lookups in a run so far. */
export interface KindRun {
  readonly kind: LookupKind
  /** For a stage, it grows during the run, as answers arrive. */
  readonly plan: Readonly<Record<LookupPlan, number>>
  readonly tally: Tally
  /** Why this kind was not completed; null if not stopped. */
  readonly stop: Stop | null
}

/** Returns the submissions of one kind so far: the source of every displayed count of submissions. */
export function countSubmissions({ kind, tally }: Pick<KindRun, 'kind' | 'tally'>): KindSubmissions {
  const { accepted, disproved, claimed, lost, lostReads } = tally
  return {
    kind,
    // A submission of an earlier run may be disproved.
    submittedCount: Math.max(0, accepted - disproved + lost + lostReads),
    billedCount: accepted - disproved + claimed,
    uncertainCount: Math.max(0, lost - claimed) + lostReads,
  }
}

/** Counts the planned lookups that are not submitted yet. */
export function countUnsubmitted({ plan, tally }: Pick<KindRun, 'plan' | 'tally'>): number {
  return Math.max(0, plan.submit - countAccepted(tally) - tally.rejected - tally.lost)
}

/** Counts accepted submissions, without those that the service did not receive, or whose run is another's. */
export const countAccepted = (tally: Pick<Tally, 'accepted' | 'disproved'>): number =>
  tally.accepted - tally.disproved

/** Returns the results as counts, for progress and summary. */
export function toStageFacts({ kind, plan, tally, stop }: KindRun): StageFacts {
  const lookupCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
  const rejectedCount = plan.invalid + tally.rejected
  const uncertainCount = Math.max(0, plan.uncertain + tally.lost - tally.claimed)
  return {
    kind,
    lookupCount,
    cachedCount: plan.answered,
    decidedCount: plan.decided,
    askedCount: countAccepted(tally),
    answeredCount: tally.answered,
    failedCount: plan.failed + (tally.outcomes.get('failed') ?? 0),
    rejectedCount,
    uncertainCount,
    pendingCount: Math.max(
      0,
      lookupCount -
        plan.answered -
        plan.decided -
        plan.failed -
        rejectedCount -
        uncertainCount -
        tally.answered,
    ),
    outcomes: Object.fromEntries(tally.outcomes),
    stop,
  }
}
