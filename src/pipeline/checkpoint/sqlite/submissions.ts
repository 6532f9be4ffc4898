import type { LookupId, RunContender } from '../checkpoint.js'
import { calculateNextChain } from '../tables.js'
import { settle, uncontested } from '../transitions.js'
import { applyChanges, readContest, type Acceptance, type Queries, type Submission } from './queries.js'

export function writeSubmission(queries: Queries, submission: Submission): void {
  queries.intend.run(submission)
  insertSubmission(queries, submission, null)
}

/** `accepted`: the run of a submission that is written late; `null` before the service has accepted it. */
export function insertSubmission(
  queries: Queries,
  submission: Omit<Submission, 'state' | 'name'>,
  accepted: Pick<Acceptance, 'runId' | 'atMs'> | null,
): void {
  const chain = calculateNextChain(queries.lastSubmission.get()?.chain ?? '', submission)
  const verdict = accepted === null ? 'intended' : 'accepted'
  const { runId = null, atMs = null } = accepted ?? {}
  queries.insertSubmission.run({ ...submission, verdict, runId, atMs, chain })
}

/** `contenders`: all submissions with this run. */
export function writeAcceptance(
  queries: Queries,
  { lookupId, customId, runId, atMs }: Acceptance,
  contenders: readonly RunContender[],
): boolean | 'contested' {
  const others = contenders.filter((one) => one.customId !== customId)
  const contest = others.length === 0 ? uncontested : readContest(queries, others)
  const reply = { event: 'accept', verdict: 'accepted', runId, atMs, reason: null } as const
  const row = queries.lookup.get(lookupId)
  const { outcome, changes } = settle(row, { lookupId, customId, ...reply }, contest)
  applyChanges(queries, changes)
  return outcome
}

/**
 * A submission of an unbilled run. It is free to repeat, so it is written with its answer: one change instead of three.
 * Anything else that reads or changes the checkpoint writes it first.
 */
interface UnwrittenSubmission extends Submission {
  /** `null` until the service has accepted it. */
  accepted: Pick<Acceptance, 'runId' | 'atMs'> | null
}

/** The submissions that are not written yet. */
export class UnwrittenSubmissions {
  readonly #submissions = new Map<LookupId, UnwrittenSubmission>()
  /** The lookups of accepted ones. */
  readonly #lookupsByRun = new Map<string, LookupId>()

  get count(): number {
    return this.#submissions.size
  }

  has(lookupId: LookupId): boolean {
    return this.#submissions.has(lookupId)
  }

  add(submission: Submission): void {
    this.#submissions.set(submission.lookupId, { ...submission, accepted: null })
  }

  /** Returns false if the submission is not here, or another one has the run. */
  accept({ lookupId, customId, runId, atMs }: Acceptance): boolean {
    const submission = this.#submissions.get(lookupId)
    if (submission?.customId !== customId || this.#lookupsByRun.has(runId)) return false
    this.#lookupsByRun.set(runId, lookupId)
    submission.accepted = { runId, atMs }
    return true
  }

  findByRun(runId: string): UnwrittenSubmission | null {
    return this.#submissions.get(this.#lookupsByRun.get(runId) ?? 0) ?? null
  }

  /** Removes and returns the submission of a lookup, or `null`. */
  take(lookupId: LookupId): UnwrittenSubmission | null {
    const submission = this.#submissions.get(lookupId) ?? null
    this.#submissions.delete(lookupId)
    this.#lookupsByRun.delete(submission?.accepted?.runId ?? '')
    return submission
  }

  /** Removes and returns all. */
  takeAll(): UnwrittenSubmission[] {
    return [...this.#submissions.keys()].flatMap((lookupId) => this.take(lookupId) ?? [])
  }
}

/** Nothing else has its run: see `UnwrittenSubmissions.accept`. */
export function writeUnwritten(queries: Queries, { accepted, ...submission }: UnwrittenSubmission): void {
  writeSubmission(queries, submission)
  if (accepted !== null) writeAcceptance(queries, { ...submission, ...accepted }, [])
}
