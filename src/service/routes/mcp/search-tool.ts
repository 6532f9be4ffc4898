import { z } from 'zod'
import { fieldLimits } from '../../../contract/limits.js'
import { mcpSearchArguments, mcpToolName, type McpSearchArguments } from '../../../contract/mcp.js'
import type { SearchResult } from '../../../contract/search.js'
import type { Knowledge } from '../../knowledge.js'

/** The one tool, as `tools/list` describes it. */
export const searchTool = {
  name: mcpToolName,
  description:
    'Finds registrations of companies by name, the closest first, in at most 10 results: id, master entity, ' +
    'name, status and jurisdiction of each.',
  inputSchema: z.toJSONSchema(mcpSearchArguments),
} as const

/** Arguments that are what the tool takes, or why they are not. */
type ReadArguments =
  { readonly ok: true; readonly value: McpSearchArguments } | { readonly ok: false; readonly reason: string }

export function readArguments(given: unknown): ReadArguments {
  const parsed = mcpSearchArguments.safeParse(isNamed(given) ? { ...given, name: tidied(given.name) } : given)
  if (parsed.success) return { ok: true, value: parsed.data }
  const issue = parsed.error.issues[0]
  return {
    ok: false,
    reason: `${['arguments', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'invalid'}`,
  }
}

function isNamed(given: unknown): given is { name: string } {
  return typeof given === 'object' && given !== null && 'name' in given && typeof given.name === 'string'
}

/** White space of any kind becomes one space, other control characters go, and the form is NFC. */
function tidied(name: string): string {
  return name
    .toWellFormed()
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()
}

/** What the tool finds, in the terms of `GET /v2/search`. */
interface FoundEntities {
  readonly results: readonly SearchResult[]
  readonly metadata: { readonly total: number; readonly returned: number }
}

export function searchEntities(
  wanted: McpSearchArguments,
  knowledge: Pick<Knowledge, 'search'>,
): FoundEntities {
  const { results, totalCount } = knowledge.search({
    name: wanted.name,
    countryCode: wanted.country_code ?? null,
    regionCode: wanted.region_code ?? null,
    limit: fieldLimits.searchResultsMax,
  })
  return { results, metadata: { total: totalCount, returned: results.length } }
}
