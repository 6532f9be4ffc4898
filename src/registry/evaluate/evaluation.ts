import { existsSync, readFileSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import { isSqliteFile } from '../../platform/files.js'
import { openRegistry, type WritableRegistry } from '../registry.js'
import { openShippedRegistry } from '../shipped.js'
import { adviseAccept, type AcceptAdvice } from './accept-advice.js'
import {
  compareOutcomes,
  savedEvaluation,
  toQueryOutcome,
  type Comparison,
  type QueryOutcome,
} from './compare-evaluations.js'
import { evaluate, evaluateDecided, type DecidedEvaluation, type Verdict } from './evaluate.js'
import type { LabelledQuery } from './labelled-query.js'
import type { EvaluationReport } from './measure.js'

export { precisionMinDefault, type AcceptAdvice, type ThresholdAdvice } from './accept-advice.js'
export type { Comparison } from './compare-evaluations.js'
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
  /** Wrong and missing answers: a header, then a row each. `null` is an empty cell. */
  readonly errorRows: readonly (readonly (string | null)[])[]
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
      errorRows: [Object.keys(errorColumns), ...errors.map(toErrorRow)],
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
    return withOpen(path, (registry) => evaluate(queries, { registry, monotonicMs }).verdicts.map(toQueryOutcome))
  try {
    return savedEvaluation.parse(JSON.parse(readFileSync(path, 'utf8'))).queries
  } catch (cause) {
    throw new UserError('EVALUATION_INVALID', `${path} is neither a registry nor a report of this command`, {
      hint: 'save one with enrich registry evaluate QUERIES --json > FILE',
      cause,
    })
  }
}

const errorColumns: Readonly<Record<string, (verdict: Verdict) => string | null>> = {
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

const toErrorRow = (verdict: Verdict) => Object.values(errorColumns).map((toCell) => toCell(verdict))
