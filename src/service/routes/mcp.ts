import * as z from 'zod'
import { describeFault, nameBelow } from '../../contract/errors.js'
import { fieldLimits } from '../../contract/limits.js'
import {
  type McpMessage,
  mcpToolName,
  mcpSearchArguments,
  type McpSearchArguments,
  type SearchResult,
} from '../../contract/search.js'
import { getErrorText } from '../../core/errors.js'
import { listJsonMembers } from '../../core/json.js'
import type { Handlers } from '../http/mount.js'
import type { Awaitable } from '../../platform/sql-program.js'
import type { Knowledge } from '../knowledge.js'
import { badRequest } from '../refusal.js'

/**
 * Answers one JSON-RPC message with one, always as JSON (interface: "MCP (beta)"). An invalid message, or one of an
 * unknown revision, gets a 400 in the shape of v1; an error of a method is a 200 with `error`. A message without an
 * id is a notification: 202, and nothing is done.
 */
export function createMcpHandlers(deps: McpDeps): Pick<Handlers, 'mcp'> {
  return {
    mcp: async ({ headers, body: message, bodyText }) => {
      if (!isSupported(headers['mcp-protocol-version'], message.method)) {
        throw badRequest(`mcp-protocol-version: the supported versions are ${protocolVersions.join(', ')}`)
      }
      if (message.id === undefined) return { status: 202, body: '' }
      const end = JSON.stringify(await runMethod(message, deps)).slice(1)
      return { status: 200, body: `{"jsonrpc":"2.0","id":${formatId(message.id, bodyText)},${end}` }
    },
  }
}

/** Returns the id exactly as received: a number may have more digits than a double holds. */
function formatId(id: NonNullable<McpMessage['id']> | null, bodyText: string): string {
  if (typeof id !== 'number') return JSON.stringify(id)
  return listJsonMembers(bodyText).findLast(({ key }) => key === 'id')?.raw ?? String(id)
}

/** Supported revisions of the protocol, the newest first. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
const latestVersion = protocolVersions[0]

/**
 * Whether this `MCP-Protocol-Version` header is supported. Older revisions have no such header, and a caller of
 * `server/discover` cannot know the supported ones yet.
 */
function isSupported(header: string | string[] | undefined, method: string): boolean {
  if (header === undefined || method === 'server/discover') return true
  return protocolVersions.some((version) => version === header)
}

/** The outcome of a method: its result, or a failure with a JSON-RPC code. */
type MethodEnd =
  { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } }

const methodNotFound = -32601
const invalidParams = -32602

const capabilities = { tools: {} }
/** The version of this endpoint, not of the package. */
const serverInfo = { name: 'enrich', title: 'Search of legal entities', version: '1' }
const instructions = `Call ${mcpToolName} with the name of a company; the country and the region narrow the search.`

interface McpDeps {
  readonly knowledge: Pick<Knowledge, 'search'>
  readonly log: (line: string) => void
}

/** Runs a method. There are no sessions: each call is independent. */
function runMethod({ method, params = {} }: McpMessage, deps: McpDeps): Awaitable<MethodEnd> {
  switch (method) {
    case 'initialize':
      return initialize(params)
    case 'server/discover':
      return {
        result: {
          resultType: 'complete',
          supportedVersions: protocolVersions,
          capabilities,
          serverInfo,
          instructions,
          ttlMs: 3_600_000,
          cacheScope: 'public',
        },
      }
    case 'ping':
    case 'notifications/initialized':
      return { result: {} }
    case 'tools/list':
      return { result: { tools: [searchTool] } }
    case 'tools/call':
      return callTool(params, deps)
    default:
      return createFailure(methodNotFound, `there is no method ${quote(method)}`)
  }
}

function initialize({ protocolVersion: asked }: Readonly<Record<string, unknown>>): MethodEnd {
  const protocolVersion = protocolVersions.find((version) => version === asked) ?? latestVersion
  return { result: { protocolVersion, capabilities, serverInfo, instructions } }
}

async function callTool(
  { name, arguments: given }: Readonly<Record<string, unknown>>,
  deps: McpDeps,
): Promise<MethodEnd> {
  if (name !== mcpToolName) {
    const which =
      typeof name === 'string' ? `there is no tool ${quote(name)}` : 'params.name: a string is needed'
    return createFailure(invalidParams, `${which}; the tool is ${mcpToolName}`)
  }
  const read = readArguments(given ?? {})
  if (!read.ok) return createFailure(invalidParams, read.reason)
  try {
    const found = await searchEntities(read.value, deps.knowledge)
    return {
      result: { content: [toTextContent(JSON.stringify(found))], structuredContent: found, isError: false },
    }
  } catch (error) {
    deps.log(`${mcpToolName}: ${getErrorText(error)}`)
    return { result: { content: [toTextContent('The search failed. Try again later.')], isError: true } }
  }
}

const toTextContent = (text: string) => ({ type: 'text', text })

const createFailure = (code: number, message: string): MethodEnd => ({ error: { code, message } })

const namedCharsMax = 60

/** Quotes a text of the caller, shortened, so that a message does not repeat the whole request. */
function quote(text: string): string {
  return JSON.stringify(text.length > namedCharsMax ? `${text.slice(0, namedCharsMax)}…` : text)
}

/** The only tool, as listed by `tools/list`. */
const searchTool = {
  name: mcpToolName,
  description:
    'Finds registrations of companies by name, the closest first, in at most 10 results: id, master entity, ' +
    'name, status and jurisdiction of each.',
  inputSchema: z.toJSONSchema(mcpSearchArguments),
} as const

/** Valid arguments of the tool, or the reason why they are invalid. */
type ReadArguments =
  { readonly ok: true; readonly value: McpSearchArguments } | { readonly ok: false; readonly reason: string }

function readArguments(given: unknown): ReadArguments {
  const cleaned = hasName(given) ? { ...given, name: cleanName(given.name) } : given
  const parsed = mcpSearchArguments.safeParse(cleaned)
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, reason: describeFault(parsed.error, cleaned, nameBelow('arguments')) }
}

function hasName(given: unknown): given is { name: string } {
  return typeof given === 'object' && given !== null && 'name' in given && typeof given.name === 'string'
}

/** Replaces white space by single spaces, removes control characters, and normalizes to NFC. */
function cleanName(name: string): string {
  return name
    .toWellFormed()
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()
}

/** The tool's result, in the terms of `GET /v2/search`. */
interface FoundEntities {
  readonly results: readonly SearchResult[]
  readonly metadata: { readonly total: number; readonly returned: number }
}

async function searchEntities(
  wanted: McpSearchArguments,
  knowledge: Pick<Knowledge, 'search'>,
): Promise<FoundEntities> {
  const { results, totalCount } = await knowledge.search({
    name: wanted.name,
    countryCode: wanted.country_code ?? null,
    regionCode: wanted.region_code ?? null,
    limit: fieldLimits.searchResultsMax,
  })
  return { results, metadata: { total: totalCount, returned: results.length } }
}
