import type { Knowledge } from '../knowledge.js'
import { limits } from '../limits.js'
import { badRequest } from '../refusal.js'
import { descriptionOf, nameOf } from './describe.js'
import { reconciliationProperties } from './properties.js'
import { reconciliationTypes, typesOf, type ReconciliationType } from './types.js'

/** One page of suggestions (v0.2, "Suggest Responses"). `cursor` asks for the next one, where there is one. */
export interface SuggestReply<Suggestion> {
  readonly result: readonly Suggestion[]
  readonly cursor?: number
}

export interface EntitySuggestion {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly notable: readonly Pick<ReconciliationType, 'id' | 'name'>[]
}

export interface PropertySuggestion {
  readonly id: string
  readonly name: string
  readonly description: string
}

/** What was typed, and how many suggestions were seen. */
export interface SuggestQuery {
  readonly prefix: string
  readonly cursor: number
}

const { suggestionsPerPage, suggestionsMax, prefixCharsMax } = limits.reconciliation

/** Throws 400; what else a client sends (OpenRefine sends a lot) is ignored. */
export function readSuggestQuery(query: Readonly<Record<string, unknown>>): SuggestQuery {
  const { prefix = '', cursor = '' } = query
  if (typeof prefix !== 'string') throw badRequest('query.prefix: one text is needed')
  if (prefix.length > prefixCharsMax) throw badRequest(`query.prefix: at most ${prefixCharsMax} characters`)
  if (typeof cursor !== 'string' || !/^\d{0,9}$/.test(cursor)) {
    throw badRequest('query.cursor: a whole number is needed')
  }
  return { prefix, cursor: Number(cursor) }
}

/** Companies whose names begin so or that an identifier names, then those of the closest names. */
export async function suggestEntities(
  { prefix, cursor }: SuggestQuery,
  knowledge: Knowledge,
): Promise<SuggestReply<EntitySuggestion>> {
  if (prefix.trim() === '' || cursor >= suggestionsMax) return { result: [] }
  // One more than are shown tells whether there are more.
  const wantedCount = cursor + suggestionsPerPage + 1
  const found = new Map(knowledge.suggest(prefix, wantedCount).map(({ id, name }) => [id, name]))
  if (found.size < wantedCount) {
    const request = { name: prefix, countryCode: null, regionCode: null, limit: suggestionsMax }
    const { results } = await knowledge.search(request)
    for (const { entity_id: id, name } of results) {
      if (id !== null && !found.has(id)) found.set(id, name)
    }
  }
  const { result, ...more } = pageOf([...found].slice(0, suggestionsMax), cursor)
  return {
    result: result.flatMap(([id, name]) => {
      const record = knowledge.entity(id)?.record
      if (record === undefined) return []
      const notable = typesOf(record.type).map(({ id, name }) => ({ id, name }))
      return [{ id: record.id, name: nameOf(record), description: descriptionOf(record, name), notable }]
    }),
    ...more,
  }
}

export const suggestProperties = (query: SuggestQuery): SuggestReply<PropertySuggestion> =>
  pageOf(
    thoseLike(query.prefix, reconciliationProperties).map(({ id, name, description }) => ({
      id,
      name,
      description,
    })),
    query.cursor,
  )

export const suggestTypes = (query: SuggestQuery): SuggestReply<ReconciliationType> =>
  pageOf(thoseLike(query.prefix, reconciliationTypes), query.cursor)

/** All of them for a blank text; else those whose name, a word of it, or id begins with it. */
function thoseLike<Named extends { readonly id: string; readonly name: string }>(
  prefix: string,
  all: readonly Named[],
): readonly Named[] {
  const typed = prefix.trim().toLowerCase()
  const begins = (text: string) => text.toLowerCase().startsWith(typed)
  return all.filter(({ id, name }) => [id, name, ...name.split(' '), ...id.split('_')].some(begins))
}

function pageOf<Suggestion>(all: readonly Suggestion[], cursor: number): SuggestReply<Suggestion> {
  const next = cursor + suggestionsPerPage
  const result = all.slice(cursor, next)
  return next < all.length ? { result, cursor: next } : { result }
}
