import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EntityRecord } from '../../contract/entity.js'
import { errorTypes } from '../../contract/errors.js'
import { entityId } from '../../contract/enums.js'
import { getErrorText } from '../../core/errors.js'
import type { Knowledge, LikelyCompany } from '../knowledge.js'
import { limits } from '../limits.js'
import { Refusal, badRequest } from '../refusal.js'
import { describeCompany, getCompanyName } from './company-properties.js'
import { toQuestion, type ReconciliationQuery } from './queries.js'
import {
  isOfTypes,
  listTypes,
  type ReconciliationType,
  reconciliationProperties,
  reconciliationTypes,
} from './manifest.js'

/** v0.2, "Reconciliation Query Responses". */
interface ReconciliationCandidate {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly type: readonly ReconciliationType[]
  /** 0 to 100: certainty that the query means this company. */
  readonly score: number
  readonly match: boolean
  readonly features: readonly { readonly id: string; readonly value: number | boolean }[]
}

/** The result of one query. `error` is the reason why it failed: the HTTP status is that of the whole batch. */
export interface ReconciliationResult {
  readonly result: readonly ReconciliationCandidate[]
  readonly error?: { readonly type: string; readonly message: string }
}

const { reconciliation } = limits

interface BatchDeps {
  readonly knowledge: Knowledge
  readonly log: (line: string) => void
  /** Aborted if the caller disconnects. */
  readonly gone: AbortSignal
}

/**
 * Answers a batch, a few queries at once. The result of a failed query (for example, of a name that takes too long)
 * contains its error. Throws if all of them fail, or one throws a Refusal.
 */
export async function answerQueries(
  queries: readonly (readonly [key: string, query: ReconciliationQuery])[],
  { knowledge, log, gone }: BatchDeps,
): Promise<Readonly<Record<string, ReconciliationResult>>> {
  const results = new Map<string, ReconciliationResult>()
  const failures: unknown[] = []
  const waiting = queries.values()
  const refused = new AbortController()
  const stopped = AbortSignal.any([gone, refused.signal])
  const answerSome = async () => {
    for (const [key, query] of waiting) {
      if (stopped.aborted) return
      results.set(key, await answerQuery(query, knowledge).catch(toFailedResult))
      // If names are matched in this thread, other requests get a turn between two queries.
      await nextTurn()
    }
  }
  const toFailedResult = (error: unknown): ReconciliationResult => {
    if (error instanceof Refusal) {
      refused.abort()
      throw error
    }
    failures.push(error)
    return { result: [], error: { type: errorTypes.apiError, message: 'this query failed; see the log' } }
  }
  await Promise.all(Array.from({ length: reconciliation.queriesInFlightMax }, answerSome))
  if (failures.length > 0 && failures.length === queries.length) throw failures[0]
  for (const failure of failures) log(`a reconciliation query failed: ${getErrorText(failure)}`)
  return Object.fromEntries(
    queries.flatMap(([key]) => {
      const result = results.get(key)
      return result === undefined ? [] : [[key, result] as const]
    }),
  )
}

/** Returns the candidates of one query, the most likely first. */
async function answerQuery(query: ReconciliationQuery, knowledge: Knowledge): Promise<ReconciliationResult> {
  const question = toQuestion(query)
  switch (question.kind) {
    case 'invalid':
      return { result: [], error: { type: errorTypes.badRequest, message: question.reason } }
    case 'company':
      return { result: buildCandidates(query, [toCertainCompany(question.id)], true, knowledge) }
    case 'query': {
      const { companies, isMatched } = await knowledge.likelyCompanies(
        question.query,
        reconciliation.candidatesMax,
      )
      return { result: buildCandidates(query, companies, isMatched, knowledge) }
    }
  }
}

type RequestedCompany = Omit<LikelyCompany, 'id'> & { readonly id: string }

/** A query for an id means exactly that company. */
const toCertainCompany = (id: string): RequestedCompany => ({ id, confidence: 100, evidence: [] })

function buildCandidates(
  { type: wanted, type_strict: strictness, limit }: ReconciliationQuery,
  companies: readonly RequestedCompany[],
  isMatched: boolean,
  knowledge: Knowledge,
): ReconciliationCandidate[] {
  return companies
    .flatMap((company, index) => {
      const id = entityId.safeParse(company.id)
      const record = id.success ? knowledge.entity(id.data)?.record : undefined
      if (record === undefined) return []
      const isOfType = isOfTypes(record.type, wanted, strictness)
      if (!isOfType && strictness !== 'should') return []
      const candidate = buildCandidate(company, record, isMatched && index === 0 && isOfType)
      return [wanted.length === 0 ? candidate : withTypeMatch(candidate, isOfType)]
    })
    .slice(0, Math.min(limit, reconciliation.candidatesMax))
}

const buildCandidate = (
  { confidence, evidence }: RequestedCompany,
  record: EntityRecord,
  match: boolean,
): ReconciliationCandidate => ({
  id: record.id,
  name: getCompanyName(record),
  description: describeCompany(record),
  type: listTypes(record.type),
  score: confidence,
  match,
  features: evidence.map(({ label, weight }) => ({ id: label.replaceAll(' ', '_'), value: weight })),
})

const withTypeMatch = (candidate: ReconciliationCandidate, value: boolean): ReconciliationCandidate => ({
  ...candidate,
  features: [...candidate.features, { id: 'type_match', value }],
})

/** One page of suggestions (v0.2, "Suggest Responses"). `cursor` requests the next page; absent on the last. */
interface SuggestReply<Suggestion> {
  readonly result: readonly Suggestion[]
  readonly cursor?: number
}

interface EntitySuggestion {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly notable: readonly Pick<ReconciliationType, 'id' | 'name'>[]
}

interface PropertySuggestion {
  readonly id: string
  readonly name: string
  readonly description: string
}

/** The text typed so far, and the number of suggestions already shown. */
interface SuggestQuery {
  readonly prefix: string
  readonly cursor: number
}

const { suggestionsPerPage, suggestionsMax, prefixCharsMax } = limits.reconciliation

/** Throws 400 for invalid parameters, and ignores unknown ones: OpenRefine sends many. */
export function readSuggestQuery(query: Readonly<Record<string, unknown>>): SuggestQuery {
  const { prefix = '', cursor = '' } = query
  if (typeof prefix !== 'string') throw badRequest('query.prefix: one text is needed')
  if (prefix.length > prefixCharsMax) throw badRequest(`query.prefix: at most ${prefixCharsMax} characters`)
  if (typeof cursor !== 'string' || !/^\d{0,9}$/.test(cursor)) {
    throw badRequest('query.cursor: a whole number is needed')
  }
  return { prefix, cursor: Number(cursor) }
}

/** Returns companies by the start of their names or by an identifier, then those with the most similar names. */
export async function suggestEntities(
  { prefix, cursor }: SuggestQuery,
  knowledge: Knowledge,
): Promise<SuggestReply<EntitySuggestion>> {
  if (prefix.trim() === '' || cursor >= suggestionsMax) return { result: [] }
  // One more than a page shows whether there is another page.
  const wantedCount = cursor + suggestionsPerPage + 1
  const found = new Map(knowledge.suggest(prefix, wantedCount).map(({ id, name }) => [id, name]))
  if (found.size < wantedCount) {
    const request = { name: prefix, countryCode: null, regionCode: null, limit: suggestionsMax }
    const { results } = await knowledge.search(request)
    for (const { entity_id: id, name } of results) {
      if (id !== null && !found.has(id)) found.set(id, name)
    }
  }
  const { result, ...more } = slicePage([...found].slice(0, suggestionsMax), cursor)
  return {
    result: result.flatMap(([id, name]) => {
      const record = knowledge.entity(id)?.record
      if (record === undefined) return []
      const notable = listTypes(record.type).map(({ id, name }) => ({ id, name }))
      return [
        { id: record.id, name: getCompanyName(record), description: describeCompany(record, name), notable },
      ]
    }),
    ...more,
  }
}

export const suggestProperties = (query: SuggestQuery): SuggestReply<PropertySuggestion> =>
  slicePage(
    filterByPrefix(query.prefix, reconciliationProperties).map(({ id, name, description }) => ({
      id,
      name,
      description,
    })),
    query.cursor,
  )

export const suggestTypes = (query: SuggestQuery): SuggestReply<ReconciliationType> =>
  slicePage(filterByPrefix(query.prefix, reconciliationTypes), query.cursor)

/** Returns all for a blank text; otherwise those whose name, a word of it, or id starts with it. */
function filterByPrefix<Named extends { readonly id: string; readonly name: string }>(
  prefix: string,
  all: readonly Named[],
): readonly Named[] {
  const typed = prefix.trim().toLowerCase()
  const hasPrefix = (text: string) => text.toLowerCase().startsWith(typed)
  return all.filter(({ id, name }) => [id, name, ...name.split(' '), ...id.split('_')].some(hasPrefix))
}

function slicePage<Suggestion>(all: readonly Suggestion[], cursor: number): SuggestReply<Suggestion> {
  const next = cursor + suggestionsPerPage
  const result = all.slice(cursor, next)
  return next < all.length ? { result, cursor: next } : { result }
}
