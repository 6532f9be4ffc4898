import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { SharedDatabase } from '../../checkpoint/postgres/open-database.js'
import type { RepeatingDeps } from '../../checkpoint/postgres/retry.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { Candidate } from '../../answers/candidate.js'
import type { Decision, KeptDecision } from '../../lookups/decision.js'
import { packCandidates } from '../review-tables.js'
import { ReviewMirror, type MirroredDecision, type RunReview } from '../review-mirror.js'
import type { ReviewStore } from '../review-store.js'
import {
  beginChange,
  forgetDecisions,
  insertDecisions,
  isSameDecision,
  markLines,
  standingOf,
  withdrawDecisions,
  ReviewStatements,
} from './review-sql.js'
import { SharedCandidates } from './shared-candidates.js'
import type { CloseLater } from '../../../platform/close-stack.js'
import type { SharedLook } from '../../checkpoint/postgres/local-copy.js'

export interface SharedReviewDeps extends RepeatingDeps {
  readonly database: Pick<SharedDatabase, 'postgres' | 'explain'>
  /** The local copy of the checkpoint, beside which readers find the review store. */
  readonly checkpointPath: string
  /** The decisions file of this machine. */
  readonly decisionsPath: string
}

/** Read at a time. */
const decisionsAtOnce = 10_000

/**
 * What reviewers decided, and the candidates that were found, on a server: several machines see the same. Changes are
 * made there; what is read is read from a mirror, which is brought up to date after each, and by `refresh`. Each
 * machine has a decisions file of its own, known by the machine's name and its path.
 */
export class SharedReview implements ReviewStore {
  readonly #candidates: SharedCandidates
  readonly #statements: ReviewStatements
  readonly #mirror: ReviewMirror
  readonly #file: string
  #refreshing: Promise<void> = Promise.resolve()

  /** Nothing is read before the first `refresh`. Throws REVIEW_STORE_UNWRITABLE, DISK_FULL. */
  constructor({ database, checkpointPath, decisionsPath, ...deps }: SharedReviewDeps) {
    this.#statements = new ReviewStatements(database, deps)
    this.#candidates = new SharedCandidates(this.#statements)
    this.#mirror = new ReviewMirror(checkpointPath)
    this.#file = `${hostname()}:${resolve(decisionsPath)}`
  }

  /** For a run, which decides nothing. */
  get ofRun(): RunReview {
    return {
      candidates: this.#candidates,
      bringDecisions: () => this.refresh(),
      bringCandidates: (scope, lookups) => this.fetchCandidates(scope, lookups),
    }
  }

  standing(service: string): KeptDecision[] {
    return this.#mirror.standing(service)
  }

  newest(service: string, count: number): KeptDecision[] {
    return this.#mirror.newest(service, count)
  }

  leaving(service: string): KeptDecision[] {
    return this.#mirror.leaving(service)
  }

  version(): number {
    return this.#mirror.version()
  }

  decisionVersion(): number {
    return this.#mirror.decisionVersion()
  }

  candidates(scope: string, lookups: readonly string[]): (readonly Candidate[] | null)[] {
    return this.#mirror.candidates(scope, lookups)
  }

  haveCandidates(scope: string, lookups: readonly string[]): boolean[] {
    return this.#mirror.haveCandidates(scope, lookups)
  }

  hasAnyCandidates(scope: string): boolean {
    return this.#mirror.hasAnyCandidates(scope)
  }

  scopesBefore(prefix: string, sinceMs: number): string[] {
    return this.#mirror.scopesBefore(prefix, sinceMs)
  }

  decide(
    decisions: readonly Decision[],
    expected: ReadonlyMap<string, number>,
  ): ReturnType<ReviewStore['decide']> {
    return this.#change(async (statements, changed, mayBeMade) => {
      const standing = await standingOf(
        statements,
        decisions.map(({ lookup }) => lookup),
      )
      const metBy = ({ lookup, service }: Decision) =>
        standing.get(lookup)?.find((one) => meets(one.service, service))
      const made = decisions.flatMap((decision) => {
        const stands = metBy(decision)
        return stands !== undefined && isSameDecision(stands, decision) ? [stands] : []
      })
      if (mayBeMade && made.length === decisions.length) return { kind: 'decided', decisions: made } as const
      const others = decisions
        .map((decision) => ({ lookup: decision.lookup, stands: metBy(decision) }))
        .filter(({ lookup, stands }) => (stands?.sequence ?? 0) !== (expected.get(lookup) ?? 0))
      if (others.length > 0)
        return { kind: 'conflict', others: others.flatMap(({ stands }) => stands ?? []) } as const
      return {
        kind: 'decided',
        decisions: keptAs(decisions, await insertDecisions(statements, decisions, changed), false),
      } as const
    })
  }

  withdraw(service: string, sequences: readonly number[]): Promise<KeptDecision[]> {
    return this.#change((statements, changed) => withdrawDecisions(statements, service, sequences, changed))
  }

  markInFile(sequences: readonly number[]): Promise<void> {
    return this.#mark(sequences, true)
  }

  markOutOfFile(sequences: readonly number[]): Promise<void> {
    return this.#mark(sequences, false)
  }

  adopt(decisions: readonly Decision[]): Promise<KeptDecision[]> {
    return this.#change(async (statements, changed) => {
      const sequences = await insertDecisions(statements, decisions, changed)
      await markLines(statements, this.#file, { sequences, isInFile: true, changed })
      return keptAs(decisions, sequences, true)
    })
  }

  forget(sequences: readonly number[]): Promise<void> {
    return this.#change(async (statements, changed) => {
      const gone = await forgetDecisions(statements, sequences, changed)
      await markLines(statements, this.#file, { sequences: gone, isInFile: false, changed })
    })
  }

  async keepCandidates(
    scope: string,
    found: ReadonlyMap<string, readonly Candidate[]>,
    nowMs: number,
  ): Promise<void> {
    await this.#candidates.keepCandidates(scope, found, nowMs)
    this.#mirror.putCandidates(
      scope,
      new Map([...found].map(([lookup, candidates]) => [lookup, packCandidates(candidates)])),
    )
  }

  forgetCandidates(scope: string, countMax: number): Promise<number> {
    return this.#candidates.forgetCandidates(scope, countMax)
  }

  async fetchCandidates(scope: string, lookups: readonly string[]): Promise<void> {
    for await (const found of this.#candidates.found(scope, lookups)) this.#mirror.putCandidates(scope, found)
  }

  /** One after the other: what is read first is not written over what was read later. */
  refresh(): Promise<void> {
    const refreshed = this.#refreshing.catch(() => undefined).then(() => this.#pull())
    this.#refreshing = refreshed
    return refreshed
  }

  close(): void {
    this.#mirror.close()
  }

  async #pull(): Promise<void> {
    const seen = this.#mirror.decisionVersion()
    const [row] = await this.#statements.query<{ count: number }>('SELECT count FROM enrich.review_changes')
    const count = row?.count ?? 0
    if (count === seen) return
    // All changes up to that count are committed: the row is held while one is made.
    for (let after = 0; ;) {
      const page = await this.#statements.query<MirroredDecision>(changedSql, [
        this.#file,
        seen,
        after,
        decisionsAtOnce,
      ])
      const isLast = page.length < decisionsAtOnce
      this.#mirror.put(page, isLast ? count : seen)
      if (isLast) return
      after = page.at(-1)?.sequence ?? 0
    }
  }

  async #change<Result>(
    change: (statements: PostgresStatements, changed: number, mayBeMade: boolean) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.#statements.transaction(async (statements, mayBeMade) =>
      change(statements, await beginChange(statements), mayBeMade),
    )
    await this.refresh()
    return result
  }

  #mark(sequences: readonly number[], isInFile: boolean): Promise<void> {
    return this.#change((statements, changed) =>
      markLines(statements, this.#file, { sequences, isInFile, changed }),
    )
  }
}

/** A decision for whichever service meets those of all. */
const meets = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other

const keptAs = (
  decisions: readonly Decision[],
  sequences: readonly number[],
  isInFile: boolean,
): KeptDecision[] =>
  decisions.map((decision, at) => ({ ...decision, sequence: sequences[at] ?? 0, isInFile }))

/**
 * $1 the file, $2 seen before, $3 after this sequence, $4 so many. A line that this file may have of another machine, of a
 * decision that stands no more, is to go; where the file is not known to have one that stands, it is to come.
 */
const changedSql = `
  SELECT d.sequence, d.lookup, d.service, d.name, d.location, d.verdict, d.entity_id, d.entity_name, d.decided_by,
    d.decided_at_ms, d.note, d.is_withdrawn::integer AS is_withdrawn, d.replaced_by,
    coalesce(l.is_in_file, d.is_withdrawn OR d.replaced_by IS NOT NULL)::integer AS is_in_file
  FROM enrich.review_decisions d
  LEFT JOIN enrich.review_lines l ON l.file = $1 AND l.sequence = d.sequence
  WHERE (d.changed > $2 OR l.changed > $2) AND d.sequence > $3 ORDER BY d.sequence LIMIT $4`

/** What people decided there, for commands that only look. */
export async function lookAtReview(
  { path, database }: SharedLook,
  deps: Omit<SharedReviewDeps, 'database' | 'checkpointPath'>,
  closeLater: CloseLater,
): Promise<RunReview> {
  const review = new SharedReview({ ...deps, database, checkpointPath: path })
  closeLater(() => {
    review.close()
  })
  await review.refresh()
  return review.ofRun
}
