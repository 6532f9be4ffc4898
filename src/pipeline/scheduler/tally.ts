/** What a run has done so far; progress and the closing summary are read from it. */
export interface Tally {
  /** Requests that left: submissions and polls. */
  submissions: number
  polls: number
  /** Submissions answered with a run id, each billed. */
  accepted: number
  rejected: number
  /** Became uncertain in this run. */
  lost: number
  /** Runs with a final answer, by outcome; `failed` among them. */
  answered: number
  outcomes: Map<string, number>
  /** Runs left for the next command: past their deadline, or under alarm. */
  parked: number
  rateLimited: number
  /** Since when every answer of the service has been a 429, by the monotonic clock; null where the last one was not. */
  refusedSinceMs: Record<'submissions' | 'polls', number | null>
  /** What answers held outside the contract, with how often. */
  schemaDeviations: Map<string, number>
  /** Answers that belong to another lookup than the one they were sent for; none was written. */
  misdirected: number
  /** Lookups to which such an answer came last. */
  held: Set<number>
  /** Runs that the service named for more than one submission. */
  contested: number
  /** Answers that differ from the first one of their run. */
  contradictions: number
  /** Uncertain lookups, of this run or an earlier one, whose run a webhook named. */
  claimed: number
  /** Webhooks, by what became of them. */
  deliveries: { taken: number; unclaimed: number; quarantined: number }
  /** Why the service takes no submission that bears the webhook URL. */
  webhookRefusal: string | null
}

export function createTally(): Tally {
  return {
    submissions: 0,
    polls: 0,
    accepted: 0,
    rejected: 0,
    lost: 0,
    answered: 0,
    outcomes: new Map(),
    parked: 0,
    rateLimited: 0,
    refusedSinceMs: { submissions: null, polls: null },
    schemaDeviations: new Map(),
    misdirected: 0,
    held: new Set(),
    contested: 0,
    contradictions: 0,
    claimed: 0,
    deliveries: { taken: 0, unclaimed: 0, quarantined: 0 },
    webhookRefusal: null,
  }
}

/** The service answered. */
export function noteAnswer(
  tally: Tally,
  what: 'submissions' | 'polls',
  isRefused: boolean,
  nowMs: number,
): void {
  tally.refusedSinceMs[what] = isRefused ? (tally.refusedSinceMs[what] ?? nowMs) : null
  if (isRefused) tally.rateLimited++
}

/** Keys come from servers: one that sends a new one with every answer must not fill the memory. */
const keyCountMax = 1_000

export function count(counts: Map<string, number>, key: string): void {
  const known = counts.has(key) || counts.size < keyCountMax ? key : 'anything else'
  counts.set(known, (counts.get(known) ?? 0) + 1)
}
