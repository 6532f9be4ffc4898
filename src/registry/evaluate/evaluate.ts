import { matchedConfidenceMin } from '../../contract/result.js'
import { answerFor, matchName, type ResolveDeps } from '../answer/resolve.js'
import type { StoredEntity } from '../store/reader.js'
import type { ExpectedId, LabelledQuery } from './labelled-query.js'
import { measure, type EvaluationReport, type Judgement } from './measure.js'

/** One query with what was answered to it, for a reader who looks for the reason. */
export interface Verdict extends Judgement {
  readonly query: LabelledQuery
  readonly status: string
  readonly answeredName: string | null
  readonly answeredIds: string
  readonly factors: string
}

export interface Evaluation {
  readonly report: EvaluationReport
  /** Of accepts the wrong ones, and of positives those not accepted. */
  readonly errors: readonly Verdict[]
}

const topCount = 5

/** Answers every query as a run would, and compares. `monotonicMs` is what the latency is measured by. */
export function evaluate(
  queries: readonly LabelledQuery[],
  deps: ResolveDeps,
  monotonicMs: () => number,
): Evaluation {
  const verdicts = queries.map((query) => judge(query, deps, monotonicMs))
  return { report: measure(verdicts), errors: verdicts.filter(isError) }
}

function isError({ isAccepted, isCorrect, isPositive }: Verdict): boolean {
  return isAccepted ? !isCorrect : isPositive
}

function judge(query: LabelledQuery, deps: ResolveDeps, monotonicMs: () => number): Verdict {
  const startMs = monotonicMs()
  const match = matchName(query, deps)
  const answer = answerFor(match, deps)
  const latencyMs = monotonicMs() - startMs
  const stored = (entityNumber: number) => deps.reader.entityByNumber(entityNumber)
  const first = match.ranked.slice(0, topCount).map(({ candidate }) => stored(candidate.entityNumber))
  const rank = first.findIndex((entity) => entity !== null && isExpected(entity, query.expected)) + 1
  const { decision } = match
  const named = decision.kind === 'none' ? null : stored(decision.best.candidate.entityNumber)
  return {
    query,
    stratum: query.stratum,
    isPositive: query.expected.length > 0,
    confidence: answer.match_confidence,
    isAccepted: answer.match_confidence >= matchedConfidenceMin,
    isCorrect: named !== null && isExpected(named, query.expected),
    rank: rank === 0 ? null : rank,
    latencyMs,
    status: answer.status,
    answeredName: decision.kind === 'none' ? null : decision.best.candidate.name,
    answeredIds: named === null ? '' : idsOf(named),
    factors: answer.factors.map(({ description }) => description ?? '').join(' '),
  }
}

export function isExpected(entity: StoredEntity, expected: readonly ExpectedId[]): boolean {
  return expected.some(({ type, value, jurisdiction }) => {
    if (type === 'entity') return entity.id === value
    if (type === null && entity.id === value) return true
    return entity.legalEntities.some(({ identifiers }) =>
      identifiers.some(
        (held) =>
          (type === null || held.type === type) &&
          (held.value === value || (type === null && unpadded(held.value) === unpadded(value))) &&
          (jurisdiction === null || (held.jurisdiction ?? '').startsWith(jurisdiction)),
      ),
    )
  })
}

function unpadded(value: string): string {
  return value.toUpperCase().replace(/^0+/, '')
}

function idsOf(entity: StoredEntity): string {
  const ids = entity.legalEntities.flatMap(({ identifiers }) =>
    identifiers.filter(({ type }) => type !== 'ticker').map(({ type, value }) => `${type}:${value}`),
  )
  return [...new Set([entity.id, ...ids])].join('|')
}
