import * as z from 'zod'
import { callId, entityId, legalEntityId } from './ids.js'
import { fieldLimits } from './limits.js'
import { lookupName } from './resolution.js'

const text = z.string().nullable()

/** Query of `GET /v2/search` (interface: "Search"). Codes in any case, countries in two or three letters. */
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
  /** Taken in any case: some clients write `True`. */
  bypass_cache: z
    .string()
    .regex(/^(?:true|false)$/i, 'true or false')
    .transform((flag) => flag.toLowerCase() === 'true')
    .optional(),
})

/** One registration found (interface: "Search result (v2)"). Every key is always present. */
export const searchResult = z.strictObject({
  id: legalEntityId,
  entity_id: entityId.nullable(),
  name: text,
  status: text,
  is_branch: z.boolean(),
  jurisdiction: z.strictObject({ country: text, country_code: text, jurisdiction_code: text }),
})
export type SearchResult = z.infer<typeof searchResult>

/** 200 of `GET /v2/search`; results with a master entity stand first. */
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
