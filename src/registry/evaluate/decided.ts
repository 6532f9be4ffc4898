import { parseLocation } from '../match/place.js'
import type { WritableRegistry } from '../registry.js'
import { evaluate, type Evaluation, type EvaluationDeps, type Verdict } from './evaluate.js'
import { createExpectedCompanies } from './expected-companies.js'
import type { LabelledQuery } from './labelled-query.js'
import { figuresBy, type StratumFigures } from './measure.js'
import { adviseThreshold, type ThresholdAdvice } from './thresholds.js'

/** An id that people accepted and this registry does not have. */
export interface UnknownCompany {
  /** Of the query. */
  readonly id: string
  readonly name: string
  readonly entityId: string
}

/** The evaluation of what people decided; its strata are the statuses that the lookups have now. */
export interface DecidedEvaluation extends Evaluation {
  readonly acceptedCount: number
  /** Of which people said that it is none that is known. */
  readonly noneCount: number
  /** Not among the figures. */
  readonly unknown: readonly UnknownCompany[]
  /** By ISO 3166-1 code: the country asked for, else that of the company accepted; `-` where neither is known. */
  readonly byCountry: Readonly<Record<string, StratumFigures>>
  readonly advice: ThresholdAdvice
}

/** Answers what people settled, as a run would, and compares; each query expects an id of ours, or none. */
export function evaluateDecided(queries: readonly LabelledQuery[], deps: EvaluationDeps): DecidedEvaluation {
  const right = createExpectedCompanies(deps.registry.database, deps.registry.resolveDeps.reader)
  const unknown = queries.filter((query) => query.expected.length > 0 && right(query).size === 0)
  const missing = new Set(unknown)
  const held = queries.filter((query) => !missing.has(query))
  const answered = evaluate(held, deps)
  const verdicts = answered.verdicts.map((verdict) => ({ ...verdict, stratum: verdict.status }))
  const acceptedCount = held.filter(({ expected }) => expected.length > 0).length
  return {
    ...answered,
    report: { ...answered.report, strata: figuresBy(verdicts, ({ stratum }) => stratum) },
    verdicts,
    acceptedCount,
    noneCount: held.length - acceptedCount,
    unknown: unknown.map(({ id, name, expected }) => ({ id, name, entityId: expected[0]?.value ?? '' })),
    byCountry: figuresBy(verdicts, (verdict) => countryOf(verdict, deps.registry)),
    advice: adviseThreshold(verdicts),
  }
}

function countryOf(
  { query }: Verdict,
  { resolveDeps: { reader } }: Pick<WritableRegistry, 'resolveDeps'>,
): string {
  const [asked, another] = parseLocation(query.location)?.countries ?? []
  if (asked !== undefined && another === undefined) return asked
  const [accepted] = query.expected
  const id = accepted === undefined ? null : (reader.mergedInto(accepted.value) ?? accepted.value)
  const company = id === null ? null : reader.entityById(id)
  return company?.legalEntities[0].address.countryCode ?? '-'
}
