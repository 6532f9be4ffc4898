import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { UserError } from '../../core/errors.js'
import { isSqliteFile } from '../../platform/files.js'
import { openRegistry, type WritableRegistry } from '../registry.js'
import { openShippedRegistry } from '../read-registry.js'
import { adviseAccept, type AcceptAdvice } from './accept-advice.js'
import { evaluate, evaluateDecided, type DecidedEvaluation, type Verdict } from './evaluate.js'
import type { LabelledQuery } from './labelled-query.js'
import type { EvaluationReport } from './measure.js'

export { precisionMinDefault, type AcceptAdvice, type ThresholdAdvice } from './accept-advice.js'
export type { DecidedEvaluation } from './evaluate.js'
export { readLabelledQueries, type LabelledQuery } from './labelled-query.js'
export type { EvaluationReport, StratumFigures } from './measure.js'

export interface EvaluationRequest {
  /** `null` for the demo registry. */
  readonly registryPath: string | null
  readonly queries: readonly LabelledQuery[]
  /** Whether the queries are decisions of reviewers: each expects an entity id or nothing. */
  readonly areDecisions: boolean
  /** Share of the right companies whose queries are repeated with the company excluded, 0 to 1. */
  readonly leaveOutShare: number
  /** Required share of right answers for recommending `accept`, 0.5 to 0.999. */
  readonly precisionMin: number
  /** Another registry, or a report with `queries` as saved JSON; `null` to compare with nothing. */
  readonly comparedPath: string | null
  /** Clock for the latency. */
  readonly monotonicMs: () => number
}

export interface RegistryEvaluation {
  readonly report: EvaluationReport
  /** `null` unless the queries are decisions. */
  readonly decided: DecidedEvaluation | null
  readonly accept: AcceptAdvice
  /** `null` without another evaluation. */
  readonly comparison: Comparison | null
  /** The answer to each query, for a later comparison. */
  readonly outcomes: readonly QueryOutcome[]
  /** Wrong and missing answers as a table. `null` is an empty cell. */
  readonly errors: {
    readonly columns: readonly ErrorColumn[]
    readonly rows: readonly (readonly Verdict[])[]
  }
}

/**
 * Answers queries with known companies as a run would, and measures the answers. Throws REGISTRY_NOT_FOUND,
 * REGISTRY_INVALID, and EVALUATION_INVALID for a report that cannot be compared.
 *
 *     const queries = await readLabelledQueries('queries.csv')
 *     const { report } = evaluateRegistry({ registryPath: 'registry.sqlite', queries, … })
 *     console.log(report.overall.precision, report.overall.recall)
 */
export function evaluateRegistry(request: EvaluationRequest): RegistryEvaluation {
  const { registryPath, queries, areDecisions, leaveOutShare, precisionMin, comparedPath } = request
  const before = comparedPath === null ? null : loadOutcomes(comparedPath, request)
  return withOpen(registryPath, (registry) => {
    const deps = { registry, monotonicMs: request.monotonicMs, leaveOutShare }
    const decided = areDecisions ? evaluateDecided(queries, deps) : null
    const { report, verdicts, errors } = decided ?? evaluate(queries, deps)
    const outcomes = verdicts.map(toQueryOutcome)
    return {
      report,
      decided,
      accept: adviseAccept(verdicts, precisionMin),
      comparison: before === null ? null : compareOutcomes(before, outcomes),
      outcomes,
      errors: { columns: errorColumns, rows: [errors] },
    }
  })
}

function withOpen<Result>(path: string | null, use: (registry: WritableRegistry) => Result): Result {
  const registry = path === null ? openShippedRegistry() : openRegistry(path, { readonly: true })
  try {
    return use(registry)
  } finally {
    registry.close()
  }
}

/** Answers the queries from another registry, or reads the answers of a saved report. */
function loadOutcomes(
  path: string,
  { queries, monotonicMs }: Pick<EvaluationRequest, 'queries' | 'monotonicMs'>,
): readonly QueryOutcome[] {
  if (!existsSync(path) || isSqliteFile(path))
    return withOpen(path, (registry) =>
      evaluate(queries, { registry, monotonicMs }).verdicts.map(toQueryOutcome),
    )
  try {
    return savedEvaluation.parse(JSON.parse(readFileSync(path, 'utf8'))).queries
  } catch (cause) {
    throw new UserError('EVALUATION_INVALID', `${path} is neither a registry nor a report of this command`, {
      hint: 'save one with enrich registry evaluate QUERIES --json > FILE',
      cause,
    })
  }
}

const errorCells: Readonly<Record<string, (verdict: Verdict) => string | null>> = {
  query_id: ({ query }) => query.id,
  stratum: ({ query }) => query.stratum,
  query_name: ({ query }) => query.name,
  location: ({ query }) => query.location ?? null,
  expected: ({ query }) =>
    query.expected.map(({ type, value }) => (type === null ? value : `${type}:${value}`)).join('|'),
  status: ({ status }) => status,
  confidence: ({ confidence }) => String(confidence),
  answered_name: ({ answeredName }) => answeredName,
  answered_ids: ({ answeredIds }) => answeredIds,
  rank_of_expected: ({ rank }) => (rank === null ? null : String(rank)),
  factors: ({ factors }) => factors,
  share: ({ share }) => share.toFixed(4),
  expected_names: ({ expectedNames }) => expectedNames.join('|'),
  share_of_expected: ({ shareOfExpected }) => shareOfExpected?.toFixed(4) ?? null,
  left_out: ({ isLeftOut }) => (isLeftOut ? 'yes' : null),
}

interface ErrorColumn {
  readonly name: string
  readonly kind: 'user_text'
  readonly of: (verdict: Verdict) => string | null
}

const errorColumns: readonly ErrorColumn[] = Object.entries(errorCells).map(([name, of]) => ({
  name,
  kind: 'user_text',
  of,
}))

/** The result of one query, as compared between two evaluations; saved by `--json`. */
const queryOutcome = z.object({
  id: z.string(),
  name: z.string(),
  location: z.string().nullable(),
  stratum: z.string(),
  isPositive: z.boolean(),
  confidence: z.number(),
  isAccepted: z.boolean(),
  isCorrect: z.boolean(),
  answeredName: z.string().nullable(),
})
export type QueryOutcome = z.infer<typeof queryOutcome>

const savedEvaluation = z.object({ queries: z.array(queryOutcome) })

function toQueryOutcome({ query, ...verdict }: Verdict): QueryOutcome {
  const { id, name, location, stratum } = query
  const { isPositive, confidence, isAccepted, isCorrect, answeredName } = verdict
  return { id, name, location, stratum, isPositive, confidence, isAccepted, isCorrect, answeredName }
}

/**
 * `gained`: right only after; `lost`: right only before; `other`: wrong in both, with different answers. Right means a
 * correct accept or, for a company in no file, no accept.
 */
type ChangeKind = 'gained' | 'lost' | 'other'

interface QueryChange {
  readonly kind: ChangeKind
  readonly before: QueryOutcome
  readonly after: QueryOutcome
}

export interface Comparison {
  /** Queries that are in both evaluations. Others are not compared. */
  readonly queryCount: number
  readonly uncomparedCount: number
  readonly gainedCount: number
  readonly lostCount: number
  /** Wrong accepts that are new, and that are gone. */
  readonly wrongGainedCount: number
  readonly wrongLostCount: number
  /** Probability of a split at least this uneven by chance alone: McNemar's exact test. */
  readonly chance: number
  /** Lost ones first. */
  readonly changes: readonly QueryChange[]
}

const changeOrder: readonly ChangeKind[] = ['lost', 'gained', 'other']

/** Compares two evaluations by query. */
export function compareOutcomes(before: readonly QueryOutcome[], after: readonly QueryOutcome[]): Comparison {
  const known = new Map(before.map((outcome) => [toQueryKey(outcome), outcome]))
  const pairs = after.flatMap((outcome) => {
    const other = known.get(toQueryKey(outcome))
    return other === undefined ? [] : [{ before: other, after: outcome }]
  })
  const changes = pairs
    .flatMap((pair): QueryChange[] => {
      const kind = classifyChange(pair.before, pair.after)
      return kind === null ? [] : [{ kind, ...pair }]
    })
    .sort((a, b) => changeOrder.indexOf(a.kind) - changeOrder.indexOf(b.kind))
  const countChanges = (wanted: ChangeKind) => changes.filter(({ kind }) => kind === wanted).length
  const [gainedCount, lostCount] = [countChanges('gained'), countChanges('lost')]
  return {
    queryCount: pairs.length,
    uncomparedCount: after.length - pairs.length,
    gainedCount,
    lostCount,
    wrongGainedCount: pairs.filter((pair) => isWrong(pair.after) && !isWrong(pair.before)).length,
    wrongLostCount: pairs.filter((pair) => isWrong(pair.before) && !isWrong(pair.after)).length,
    chance: calculateChance(gainedCount, lostCount),
    changes,
  }
}

const toQueryKey = ({ id, name, location }: QueryOutcome) => JSON.stringify([id, name, location])
const isWrong = ({ isAccepted, isCorrect }: QueryOutcome) => isAccepted && !isCorrect
const isRight = ({ isPositive, isAccepted, isCorrect }: QueryOutcome) =>
  isPositive ? isAccepted && isCorrect : !isAccepted

function classifyChange(before: QueryOutcome, after: QueryOutcome): ChangeKind | null {
  if (isRight(before) !== isRight(after)) return isRight(after) ? 'gained' : 'lost'
  if (isRight(after)) return null
  const isSame = before.isAccepted === after.isAccepted && before.answeredName === after.answeredName
  return isSame ? null : 'other'
}

/** Two-sided probability of at most min(gained, lost) heads in gained + lost fair coin tosses. */
function calculateChance(gained: number, lost: number): number {
  const count = gained + lost
  let logarithm = -count * Math.log(2)
  let sum = 0
  for (let at = 0; at <= Math.min(gained, lost); at++) {
    sum += Math.exp(logarithm)
    logarithm += Math.log((count - at) / (at + 1))
  }
  return Math.min(1, 2 * sum)
}
