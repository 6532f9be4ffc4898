import type { McpMessage } from '../../../contract/mcp.js'
import { mcpToolName } from '../../../contract/mcp.js'
import { errorText } from '../../../core/error-text.js'
import type { Knowledge } from '../../knowledge.js'
import { latestVersion, protocolVersions } from './protocol-version.js'
import { readArguments, searchEntities, searchTool } from './search-tool.js'

/** What a method comes to: its result, or a failure by JSON-RPC's codes. */
export type MethodEnd =
  { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } }

const methodNotFound = -32601
const invalidParams = -32602

const capabilities = { tools: {} }
/** The version of this endpoint, not of the package. */
const serverInfo = { name: 'enrich', title: 'Search of legal entities', version: '1' }
const instructions = `Ask ${mcpToolName} by a company's name; the country and the region narrow it.`

export interface McpParts {
  readonly knowledge: Pick<Knowledge, 'search'>
  readonly log: (line: string) => void
}

/** Every method that is served; each stands by itself, there are no sessions. */
export function runMethod({ method, params = {} }: McpMessage, parts: McpParts): MethodEnd {
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
      return callTool(params, parts)
    default:
      return failure(methodNotFound, `there is no method ${named(method)}`)
  }
}

function initialize({ protocolVersion: asked }: Readonly<Record<string, unknown>>): MethodEnd {
  const protocolVersion = protocolVersions.find((version) => version === asked) ?? latestVersion
  return { result: { protocolVersion, capabilities, serverInfo, instructions } }
}

function callTool({ name, arguments: given }: Readonly<Record<string, unknown>>, parts: McpParts): MethodEnd {
  if (name !== mcpToolName) {
    const which =
      typeof name === 'string' ? `there is no tool ${named(name)}` : 'params.name: a string is needed'
    return failure(invalidParams, `${which}; the tool is ${mcpToolName}`)
  }
  const read = readArguments(given ?? {})
  if (!read.ok) return failure(invalidParams, read.reason)
  try {
    const found = searchEntities(read.value, parts.knowledge)
    return { result: { content: [textOf(JSON.stringify(found))], structuredContent: found, isError: false } }
  } catch (error) {
    parts.log(`${mcpToolName}: ${errorText(error)}`)
    return { result: { content: [textOf('The search failed. Try again later.')], isError: true } }
  }
}

const textOf = (text: string) => ({ type: 'text', text })

const failure = (code: number, message: string): MethodEnd => ({ error: { code, message } })

const namedCharsMax = 60

/** As it was given, cut: a message is no echo of a whole request. */
function named(text: string): string {
  return JSON.stringify(text.length > namedCharsMax ? `${text.slice(0, namedCharsMax)}…` : text)
}
