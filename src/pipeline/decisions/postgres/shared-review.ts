import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { SharedDatabase } from '../../checkpoint/postgres/open-database.js'
import type { RetryDeps } from '../../checkpoint/postgres/retry.js'
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
  findCurrent,
  withdrawDecisions,
  ReviewStatements,
} from './review-sql.js'
import { SharedCandidates } from './shared-candidates.js'
import type { CloseLater } from '../../../platform/close-stack.js'
import type { SharedCheckpointView } from '../../checkpoint/postgres/local-copy.js'

export interface SharedReviewDeps extends RetryDeps {
  readonly database: Pick<SharedDatabase, 'postgres' | 'explain'>
  /** The local copy of the checkpoint; readers find the review store next to it. */
  readonly checkpointPath: string
  /** The decisions file of this machine. */
  readonly decisionsPath: string
}

/** Number of decisions read at once. */
const decisionsAtOnce = 10_000

/**
 * Decisions and candidates on a server, shared by several machines. Writes go to the server; reads use a local mirror,
 * which is updated after each write and by `refresh`. Each machine has its own decisions file, identified by host name
 * and path.
 */
export class SharedReview implements ReviewStore {
  readonly #candidates: SharedCandidates
  readonly #statements: ReviewStatements
  readonly #mirror: ReviewMirror
  readonly #file: string
  #refreshing: Promise<void> = Promise.resolve()

  /** Call `refresh` before reading. Throws REVIEW_STORE_UNWRITABLE and DISK_FULL. */
  constructor({ database, checkpointPath, decisionsPath, ...deps }: SharedReviewDeps) {
    this.#statements = new ReviewStatements(database, deps)
    this.#candidates = new SharedCandidates(this.#statements)
    this.#mirror = new ReviewMirror(checkpointPath)
    this.#file = `${hostname()}:${resolve(decisionsPath)}`
  }

  /** The part that a run uses, which makes no decisions. */
  get runReview(): RunReview {
    return {
      candidates: this.#candidates,
      loadDecisions: () => this.refresh(),
      loadCandidates: (scope, lookups) => this.fetchCandidates(scope, lookups),
    }
  }

  listCurrent(service: string): KeptDecision[] {
    return this.#mirror.listCurrent(service)
  }

  listNewest(service: string, count: number): KeptDecision[] {
    return this.#mirror.listNewest(service, count)
  }

  listOutdated(service: string): KeptDecision[] {
    return this.#mirror.listOutdated(service)
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

  hasCandidates(scope: string, lookups: readonly string[]): boolean[] {
    return this.#mirror.hasCandidates(scope, lookups)
  }

  hasAnyCandidates(scope: string): boolean {
    return this.#mirror.hasAnyCandidates(scope)
  }

  findStaleScopes(prefix: string, sinceMs: number): string[] {
    return this.#mirror.findStaleScopes(prefix, sinceMs)
  }

  decide(
    decisions: readonly Decision[],
    expected: ReadonlyMap<string, number>,
  ): ReturnType<ReviewStore['decide']> {
    return this.#change(async (statements, changed, mayBeMade) => {
      const standing = await findCurrent(
        statements,
        decisions.map(({ lookup }) => lookup),
      )
      const findConflicting = ({ lookup, service }: Decision) =>
        standing.get(lookup)?.find((one) => isConflicting(one.service, service))
      const made = decisions.flatMap((decision) => {
        const stands = findConflicting(decision)
        return stands !== undefined && isSameDecision(stands, decision) ? [stands] : []
      })
      if (mayBeMade && made.length === decisions.length) return { kind: 'decided', decisions: made } as const
      const others = decisions
        .map((decision) => ({ lookup: decision.lookup, stands: findConflicting(decision) }))
        .filter(({ lookup, stands }) => (stands?.sequence ?? 0) !== (expected.get(lookup) ?? 0))
      if (others.length > 0)
        return { kind: 'conflict', others: others.flatMap(({ stands }) => stands ?? []) } as const
      return {
        kind: 'decided',
        decisions: toKeptDecisions(decisions, await insertDecisions(statements, decisions, changed), false),
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
      return toKeptDecisions(decisions, sequences, true)
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

  /** Updates run one after another, so that older data never overwrites newer data. */
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
    // All changes up to that count are committed: a change holds the row's lock.
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

/** A decision without a service conflicts with those of all services. */
const isConflicting = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other

const toKeptDecisions = (
  decisions: readonly Decision[],
  sequences: readonly number[],
  isInFile: boolean,
): KeptDecision[] =>
  decisions.map((decision, at) => ({ ...decision, sequence: sequences[at] ?? 0, isInFile }))

/**
 * $1 file, $2 last seen change, $3 last sequence, $4 limit. If it is unknown whether this file has a line, a current
 * decision counts as missing, and an outdated one as present, possibly from another machine.
 */
const changedSql = `
  SELECT d.sequence, d.lookup, d.service, d.name, d.location, d.verdict, d.entity_id, d.entity_name, d.decided_by,
    d.decided_at_ms, d.note, d.is_withdrawn::integer AS is_withdrawn, d.replaced_by,
    coalesce(l.is_in_file, d.is_withdrawn OR d.replaced_by IS NOT NULL)::integer AS is_in_file
  FROM enrich.review_decisions d
  LEFT JOIN enrich.review_lines l ON l.file = $1 AND l.sequence = d.sequence
  WHERE (d.changed > $2 OR l.changed > $2) AND d.sequence > $3 ORDER BY d.sequence LIMIT $4`

/** Opens the decisions on a server for read-only commands. */
export async function lookAtReview(
  { path, database }: SharedCheckpointView,
  deps: Omit<SharedReviewDeps, 'database' | 'checkpointPath'>,
  closeLater: CloseLater,
): Promise<RunReview> {
  const review = new SharedReview({ ...deps, database, checkpointPath: path })
  closeLater(() => {
    review.close()
  })
  await review.refresh()
  return review.runReview
}
