import { createHash } from 'node:crypto'
import { matchedConfidenceMin, type Resolution } from '../../contract/result.js'
import { hasIdentifiers } from '../answer/identifier-decision.js'
import { answerFor, matchName, type NameMatch, type ResolveDeps } from '../answer/resolve.js'
import type { CandidateName } from '../match/candidate.js'
import type { RankedCompany } from '../match/rank.js'
import { parseName } from '../normalize/parsed-name.js'
import type { WritableRegistry } from '../registry.js'
import type { StoredEntity } from '../store/reader.js'
import { createExpectedCompanies, type ExpectedCompanies, type LabelledQuery } from './labelled-query.js'
import {
  measure,
  type EvaluationReport,
  type Judgement,
  type ExcludedJudgement,
  groupFigures,
  type StratumFigures,
} from './measure.js'
import { parseLocation } from '../match/parse-location.js'
import { adviseThreshold, type ThresholdAdvice } from './accept-advice.js'

export { isExpected } from './labelled-query.js'

/** The answer to one query, with details that help to explain it. */
export interface Verdict extends Judgement {
  readonly query: LabelledQuery
  readonly status: string
  readonly answeredName: string | null
  readonly answeredIds: string
  /** Probability of the company named, 0 to 1. */
  readonly share: number
  /** Names of the right companies in the registry; empty if it has none of them. */
  readonly expectedNames: readonly string[]
  /** Probability of the right company, of several the best placed; `null` if not found. */
  readonly shareOfExpected: number | null
  readonly factors: string
  /** The right company was excluded: every accepted answer is wrong. */
  readonly isLeftOut: boolean
}

interface Evaluation {
  readonly report: EvaluationReport
  readonly verdicts: readonly Verdict[]
  /** Wrong accepts, positives that were not accepted, and accepts for excluded companies. */
  readonly errors: readonly Verdict[]
}

export interface EvaluationDeps {
  readonly registry: Pick<WritableRegistry, 'resolveDeps' | 'database' | 'resolve' | 'candidates'>
  /** Clock for the latency. */
  readonly monotonicMs: () => number
  /** Share of the right companies whose queries are repeated with the company excluded, 0 to 1. */
  readonly leaveOutShare?: number
}

/** Answers every query as a run would, and compares the answers with the expected companies. */
export function evaluate(queries: readonly LabelledQuery[], deps: EvaluationDeps): Evaluation {
  const { registry, leaveOutShare = 0 } = deps
  const right = createExpectedCompanies(registry.database, registry.resolveDeps.reader)
  const verdicts = queries.map((query) => judge(query, deps, right))
  const leftOut = queries
    .filter((query) => isChosen(query, leaveOutShare))
    .filter((query) => right(query).size > 0)
    .map((query) => judgeWithout(query, deps, right))
  const errors = [...verdicts, ...leftOut.map(({ verdict }) => verdict)].filter(isError)
  const asked = leaveOutShare > 0 ? { share: leaveOutShare, judgements: leftOut } : null
  return { report: measure(verdicts, asked), verdicts, errors }
}

function isError({ isAccepted, isCorrect, isPositive }: Verdict): boolean {
  return isAccepted ? !isCorrect : isPositive
}

/** Decides by a hash of the expected id, so that a company is always chosen with all of its queries. */
export function isChosen({ expected: [first] }: Pick<LabelledQuery, 'expected'>, share: number): boolean {
  if (first === undefined) return false
  const hash = createHash('sha256')
    .update(`${first.type ?? ''}:${first.value}`)
    .digest()
  return hash.readUInt32BE() < share * 2 ** 32
}

function judge(query: LabelledQuery, deps: EvaluationDeps, right: ExpectedCompanies): Verdict {
  const { resolveDeps, resolve } = deps.registry
  const startMs = deps.monotonicMs()
  if (hasIdentifiers(query)) {
    const answer = resolve(query)
    return judgeIdentifiedAnswer(query, answer, deps.monotonicMs() - startMs, deps, right)
  }
  const match = matchName(query, resolveDeps)
  const answer = answerFor(match, resolveDeps)
  const latencyMs = deps.monotonicMs() - startMs
  return buildVerdict(query, { match, answer, latencyMs }, deps, right, query.expected.length > 0)
}

/** Judges an answer by identifiers; an uncertain one names its company without an id. */
function judgeIdentifiedAnswer(
  query: LabelledQuery,
  answer: Resolution,
  latencyMs: number,
  { registry: { resolveDeps, candidates } }: EvaluationDeps,
  right: ExpectedCompanies,
): Verdict {
  const numbers = right(query)
  const at = candidates(query, ranksMax).findIndex(({ entityId }) =>
    numbers.has(resolveDeps.reader.entityNumber(entityId) ?? 0),
  )
  const expectedNames = listAllNames(numbers, resolveDeps)
  const named = answer.entity === null ? null : resolveDeps.reader.entityById(answer.entity.id)
  const answeredName = answer.entity?.legal_name ?? answer.candidate?.legal_name ?? null
  const isCorrect =
    named === null
      ? answeredName !== null && expectedNames.includes(answeredName)
      : numbers.has(resolveDeps.reader.entityNumber(named.id) ?? 0)
  const share = answer.match_confidence / 100
  return {
    query,
    stratum: query.stratum,
    isPositive: query.expected.length > 0,
    confidence: answer.match_confidence,
    isAccepted: answer.match_confidence >= matchedConfidenceMin,
    isCorrect,
    rank: at < 0 ? null : at + 1,
    latencyMs,
    status: answer.status,
    answeredName,
    answeredIds: named === null ? '' : formatIds(named),
    share,
    expectedNames,
    shareOfExpected: isCorrect ? share : null,
    factors: joinFactorTexts(answer),
    isLeftOut: false,
  }
}

interface MatchedAnswer {
  readonly match: NameMatch
  readonly answer: ReturnType<typeof answerFor>
  readonly latencyMs: number
}

function buildVerdict(
  query: LabelledQuery,
  { match, answer, latencyMs }: MatchedAnswer,
  { registry: { resolveDeps } }: EvaluationDeps,
  right: ExpectedCompanies,
  isPositive: boolean,
): Verdict {
  const numbers = right(query)
  const at = match.ranked.findIndex((company) => includesAny(company, numbers))
  const { decision } = match
  const best = decision.kind === 'none' ? null : decision.best
  const named = best === null ? null : resolveDeps.reader.entityByNumber(getEntityNumber(best))
  return {
    query,
    stratum: query.stratum,
    isPositive,
    confidence: answer.match_confidence,
    isAccepted: answer.match_confidence >= matchedConfidenceMin,
    isCorrect: best !== null && numbers.has(getEntityNumber(best)),
    rank: at < 0 ? null : at + 1,
    latencyMs,
    status: answer.status,
    answeredName: best === null ? null : best.evidence.comparison.candidate.name,
    answeredIds: named === null ? '' : formatIds(named),
    share: best === null ? 0 : best.share,
    expectedNames: listAllNames(numbers, resolveDeps),
    shareOfExpected: match.ranked[at]?.share ?? null,
    factors: joinFactorTexts(answer),
    isLeftOut: false,
  }
}

/** Number of companies that are searched for the right one, for a query by identifiers. */
const ranksMax = 5

/** Answers a query with the right companies excluded from the candidates. */
function judgeWithout(
  query: LabelledQuery,
  deps: EvaluationDeps,
  right: ExpectedCompanies,
): ExcludedJudgement & { readonly verdict: Verdict } {
  const { resolveDeps } = deps.registry
  const numbers = right(query)
  const isTakenOut = ({ entityNumber }: CandidateName) => numbers.has(entityNumber)
  const match = matchName(query, resolveDeps, undefined, isTakenOut)
  const answered = { match, answer: answerFor(match, resolveDeps), latencyMs: 0 }
  const verdict = { ...buildVerdict(query, answered, deps, right, false), isLeftOut: true }
  const { decision } = match
  const cores = new Set(verdict.expectedNames.map((name) => parseName(name).coreKey))
  return {
    verdict,
    isAccepted: verdict.isAccepted,
    isNamesake: decision.kind !== 'none' && cores.has(decision.best.evidence.comparison.candidate.coreKey),
  }
}

const getEntityNumber = ({ evidence }: RankedCompany) => evidence.comparison.candidate.entityNumber

function includesAny({ evidence, alike }: RankedCompany, numbers: ReadonlySet<number>): boolean {
  return [evidence.comparison.candidate, ...alike].some(({ entityNumber }) => numbers.has(entityNumber))
}

const listAllNames = (numbers: ReadonlySet<number>, { reader }: ResolveDeps): string[] =>
  [...numbers].flatMap((number) => listNames(reader.entityByNumber(number)))

const joinFactorTexts = ({ factors }: Resolution): string =>
  factors.map(({ description }) => description ?? '').join(' ')

function listNames(entity: StoredEntity | null): string[] {
  return entity === null
    ? []
    : [...new Set(entity.legalEntities.flatMap(({ names }) => names.map(({ name }) => name)))]
}

function formatIds(entity: StoredEntity): string {
  const ids = entity.legalEntities.flatMap(({ identifiers }) =>
    identifiers.filter(({ type }) => type !== 'ticker').map(({ type, value }) => `${type}:${value}`),
  )
  return [...new Set([entity.id, ...ids])].join('|')
}

/** An id that reviewers accepted and that is not in this registry. */
interface UnknownCompany {
  readonly id: string
  readonly name: string
  readonly entityId: string
}

/** The evaluation of reviewers' decisions; its strata are the present statuses of the lookups. */
export interface DecidedEvaluation extends Evaluation {
  readonly acceptedCount: number
  /** Queries for which reviewers found no matching company. */
  readonly noneCount: number
  /** Not included in the figures. */
  readonly unknown: readonly UnknownCompany[]
  /** Keyed by the ISO 3166-1 code of the query, otherwise of the accepted company; `-` if neither is known. */
  readonly byCountry: Readonly<Record<string, StratumFigures>>
  readonly advice: ThresholdAdvice
}

/** Answers queries that reviewers decided, as a run would; each query expects an entity id or nothing. */
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
    report: { ...answered.report, strata: groupFigures(verdicts, ({ stratum }) => stratum) },
    verdicts,
    acceptedCount,
    noneCount: held.length - acceptedCount,
    unknown: unknown.map(({ id, name, expected }) => ({ id, name, entityId: expected[0]?.value ?? '' })),
    byCountry: groupFigures(verdicts, (verdict) => findQueryCountry(verdict, deps.registry)),
    advice: adviseThreshold(verdicts),
  }
}

function findQueryCountry(
  { query }: Verdict,
  { resolveDeps: { reader } }: Pick<WritableRegistry, 'resolveDeps'>,
): string {
  const [asked, another] = parseLocation(query.location)?.countries ?? []
  if (asked !== undefined && another === undefined) return asked
  const [accepted] = query.expected
  const id = accepted === undefined ? null : (reader.findMergeTarget(accepted.value) ?? accepted.value)
  const company = id === null ? null : reader.entityById(id)
  return company?.legalEntities[0].address.countryCode ?? '-'
}
