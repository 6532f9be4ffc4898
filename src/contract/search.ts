import * as z from 'zod'
import { callId, entityId, legalEntityId } from './enums.js'
import { fieldLimits } from './limits.js'
import { lookupName } from './result.js'

const text = z.string().nullable()

/** Query of `GET /v2/search` (interface: "Search"), with codes in any case. */
export const searchQuery = z.object({
  name: lookupName,
  country_code: z
    .string()
    .regex(/^[A-Za-z]{2,3}$/, 'two or three letters')
    .optional(),
  region_code: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,10}$/, 'up to ten letters, digits and hyphens')
    .optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d?$/, 'a whole number')
    .transform(Number)
    .refine((limit) => limit <= fieldLimits.searchResultsMax, {
      error: `at most ${fieldLimits.searchResultsMax}`,
    })
    .optional(),
  /** Accepted in any case: some clients write `True`. */
  bypass_cache: z
    .string()
    .regex(/^(?:true|false)$/i, 'true or false')
    .transform((flag) => flag.toLowerCase() === 'true')
    .optional(),
})

/** One matching registration (interface: "Search result (v2)"). Every key is always present. */
export const searchResult = z.strictObject({
  id: legalEntityId,
  entity_id: entityId.nullable(),
  name: text,
  status: text,
  is_branch: z.boolean(),
  jurisdiction: z.strictObject({ country: text, country_code: text, jurisdiction_code: text }),
})
export type SearchResult = z.infer<typeof searchResult>

/** 200 of `GET /v2/search`; results with a master entity come first. */
export const searchReply = z.strictObject({
  results: z.array(searchResult).max(fieldLimits.searchResultsMax),
  metadata: z.strictObject({
    total: z.int().min(0),
    returned: z.int().min(0),
    query_time_ms: z.int().min(0),
  }),
  request_id: callId,
})
export type SearchReply = z.infer<typeof searchReply>

/** A JSON-RPC 2.0 message to the MCP endpoint (interface: "MCP (beta)"). Without an id it is a notification. */
export const mcpMessage = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().min(1),
  params: z.record(z.string(), z.unknown()).optional(),
})
export type McpMessage = z.infer<typeof mcpMessage>

export const mcpToolName = 'search_legal_entities'

/** Arguments of the only tool; no others are allowed. The length of the name is counted after trimming. */
export const mcpSearchArguments = z.strictObject({
  name: lookupName.describe('Name of the company, with or without its legal form'),
  country_code: z
    .string()
    .regex(/^[A-Za-z]{2,3}$/)
    .optional()
    .describe('Country of the registration or of the head office: ISO 3166-1, two or three letters'),
  region_code: z
    .string()
    .regex(/^[A-Za-z0-9]{2,10}$/)
    .optional()
    .describe('State or province: the part of an ISO 3166-2 code behind the hyphen, "CA"'),
})
export type McpSearchArguments = z.infer<typeof mcpSearchArguments>

const mcpReplyId = z.union([z.string(), z.number(), z.null()])

/** 200 of the MCP endpoint: the result of a method. */
export const mcpResult = z.strictObject({ jsonrpc: z.literal('2.0'), id: mcpReplyId, result: z.unknown() })

/** 200 of the MCP endpoint: the failure of a method. */
export const mcpFailure = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: mcpReplyId,
  error: z.strictObject({ code: z.int(), message: z.string() }),
})

export const mcpReply = z.union([mcpResult, mcpFailure])
/** 202 to a notification: an empty body. */
export const mcpAccepted = z.literal('')
