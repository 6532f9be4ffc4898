import type { McpMessage } from '../../../contract/mcp.js'
import { jsonMembers } from '../../../core/json-members.js'
import type { Handlers } from '../../http/mount.js'
import { badRequest } from '../../refusal.js'
import { runMethod, type McpParts } from './methods.js'
import { isSpoken, protocolVersions } from './protocol-version.js'

/**
 * One JSON-RPC message in, one out, always as JSON (interface: "MCP (beta)"). A message that is none, or of
 * an unknown revision, is 400 in the shape of v1; what a method refuses is 200 with `error`. A message
 * without an id is a notification: 202, nothing is done and nothing said.
 */
export function mcpHandlers(parts: McpParts): Pick<Handlers, 'mcp'> {
  return {
    mcp: ({ headers, body: message, bodyText }) => {
      if (!isSpoken(headers['mcp-protocol-version'], message.method)) {
        throw badRequest(`mcp-protocol-version: spoken are ${protocolVersions.join(', ')}`)
      }
      if (message.id === undefined) return { status: 202, body: '' }
      const end = JSON.stringify(runMethod(message, parts)).slice(1)
      return { status: 200, body: `{"jsonrpc":"2.0","id":${idText(message.id, bodyText)},${end}` }
    },
  }
}

/** As the caller wrote it: a number may have more digits than a double holds. */
function idText(id: NonNullable<McpMessage['id']> | null, bodyText: string): string {
  if (typeof id !== 'number') return JSON.stringify(id)
  return jsonMembers(bodyText).findLast(({ key }) => key === 'id')?.raw ?? String(id)
}
