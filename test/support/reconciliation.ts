import { expect } from 'vitest'
import { z } from 'zod'
import { errorBody } from '../../src/contract/errors.js'
import type { ServiceClient, ServiceReply } from './service-client.js'

/**
 * Replies as the Reconciliation Service API v0.2 has them
 * (https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/), and stricter where we promise more.
 */

const filled = z.string().min(1)
const uri = z.string().regex(/^[a-z][a-z0-9+.-]*:\S+$/i)
const httpAddress = z.url({ protocol: /^https?$/ })
/** Becomes an address where an id is put into it. */
const template = z
  .string()
  .refine((text) => text.split('{{id}}').length === 2 && URL.canParse(text.replace('{{id}}', 'siq_1')))

interface Type {
  readonly id: string
  readonly name: string
  readonly broader?: readonly Type[] | undefined
}
const type: z.ZodType<Type> = z.strictObject({
  id: filled,
  name: filled,
  get broader() {
    return z.array(type).optional()
  },
})
const distinctTypes = z
  .array(type)
  .refine((types) => new Set(types.map(({ id }) => id)).size === types.length, { error: 'ids differ' })

/** Both together are the address. */
const service = z
  .strictObject({ service_url: httpAddress, service_path: z.string().startsWith('/') })
  .refine((parts) => URL.canParse(parts.service_url + parts.service_path))

export const manifestShape = z.strictObject({
  versions: z.array(z.string()).refine((versions) => versions.includes('0.2')),
  name: filled,
  identifierSpace: uri,
  schemaSpace: uri,
  serviceVersion: filled,
  defaultTypes: distinctTypes.min(1),
  view: z.strictObject({ url: template }),
  preview: z.strictObject({ url: template, width: z.int().min(1), height: z.int().min(1) }),
  suggest: z.strictObject({ entity: service, property: service, type: service }),
  extend: z.strictObject({ propose_properties: service, property_settings: z.array(z.never()) }),
  batchSize: z.int().min(1),
  authentication: z
    .strictObject({ type: z.literal('apiKey'), name: filled, in: z.literal('header') })
    .optional(),
})

const feature = z.strictObject({ id: filled, value: z.union([z.number(), z.boolean()]) })

const candidateShape = z.strictObject({
  id: filled,
  name: filled,
  description: z.string(),
  type: distinctTypes,
  score: z.number().min(0).max(100),
  match: z.boolean(),
  features: z
    .array(feature)
    .refine((features) => new Set(features.map(({ id }) => id)).size === features.length, {
      error: 'each feature has an id of its own',
    }),
})

const resultShape = z.strictObject({
  result: z
    .array(candidateShape)
    .refine((list) => list.every(({ score }, at) => at === 0 || score <= (list[at - 1]?.score ?? 0)), {
      error: 'by decreasing score',
    })
    .refine((list) => list.every(({ match }, at) => !match || at === 0), {
      error: 'only the first is a match',
    }),
  error: z.strictObject({ type: filled, message: filled }).optional(),
})
export type ReplyOfQuery = z.infer<typeof resultShape>

export const batchShape = z.record(z.string(), resultShape)

const suggestReply = <Shape extends z.ZodType>(suggestion: Shape) =>
  z.strictObject({ result: z.array(suggestion), cursor: z.int().min(1).optional() })

const named = { id: filled, name: filled }
export const entitySuggestions = suggestReply(
  z.strictObject({ ...named, description: z.string(), notable: z.array(z.strictObject(named)) }),
)
export const propertySuggestions = suggestReply(z.strictObject({ ...named, description: filled }))
export const typeSuggestions = suggestReply(type)

export const proposalShape = z.strictObject({
  properties: z.array(z.strictObject({ ...named, description: filled })),
  type: z.string().optional(),
  limit: z.int().min(1).optional(),
})

const dateTime = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
const value = z.union([
  z.strictObject({ str: filled }),
  z.strictObject({ date: dateTime }),
  z.strictObject({ id: filled, name: filled }),
])

/** Each row has each property of `meta`, and no other. */
export const extensionShape = z
  .strictObject({
    meta: z.array(z.strictObject({ ...named, type: z.strictObject(named).optional() })),
    rows: z.record(z.string(), z.record(z.string(), z.array(value))),
  })
  .superRefine(({ meta, rows }, context) => {
    const wanted = meta.map(({ id }) => id).sort()
    for (const [id, row] of Object.entries(rows)) {
      if (Object.keys(row).sort().join() !== wanted.join())
        context.addIssue({ code: 'custom', message: 'properties are missing', path: [id] })
    }
  })

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }

/** A form as a client without a key sends it. */
export function postForm(
  client: ServiceClient,
  fields: Readonly<Record<string, string>> | string,
  headers: Record<string, string> = {},
): Promise<ServiceReply> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
  return client.raw('/reconcile', { method: 'POST', headers: { ...formHeaders, ...headers }, body })
}

/** Sends a batch and reads the reply, which has a result for each query. */
export async function reconcile(
  client: ServiceClient,
  queries: Readonly<Record<string, unknown>>,
): Promise<Record<string, ReplyOfQuery>> {
  const reply = await postForm(client, { queries: JSON.stringify(queries) })
  expect(reply.status, reply.text).toBe(200)
  const batch = batchShape.parse(reply.json)
  expect(Object.keys(batch).sort()).toEqual(Object.keys(queries).sort())
  return batch
}

export async function reconcileOne(client: ServiceClient, query: object): Promise<ReplyOfQuery> {
  const { q0 } = await reconcile(client, { q0: query })
  if (q0 === undefined) throw new Error('the reply lacks the query')
  return q0
}

/** A refusal in the shape of the interface's newest version. */
export function refusalOf({ status, json }: ServiceReply): { status: number; type: string; message: string } {
  return { status, ...errorBody.parse(json).error }
}
