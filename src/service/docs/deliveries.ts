import { eventType, type EventType } from '../../contract/events.js'
import { deliveryLimits } from '../../contract/limits.js'
import { exampleEvent } from './examples/calls.js'
import type { Json } from './shapes.js'

export const signatureText =
  'Standard Webhooks: HMAC with SHA-256 over <webhook-id>.<webhook-timestamp>.<raw body>, in base64, as v1,<signature>. ' +
  'The key is the base64 after whsec_ of the signing secret. Several entries are separated by spaces: one that ' +
  'matches is enough, and entries that do not begin with v1 are ignored. Compare in constant time, and refuse a ' +
  `timestamp more than ${deliveryLimits.toleranceSeconds} seconds away.`

const headers = {
  WebhookId: [
    'webhook-id',
    'The id of the event, the same at every attempt',
    { type: 'string' },
    exampleEvent.id,
  ],
  WebhookTimestamp: [
    'webhook-timestamp',
    'Unix time of this attempt in seconds',
    { type: 'integer' },
    exampleEvent.created,
  ],
  WebhookSignature: [
    'webhook-signature',
    signatureText,
    { type: 'string' },
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
  EventType: ['service-event-type', 'The type of the event', { enum: eventType.options }, exampleEvent.type],
  UserAgent: ['User-Agent', 'Who sends it', { const: 'service-Webhooks/1' }, 'service-Webhooks/1'],
} as const

export function deliveryHeaders(): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([key, [name, description, schema, example]]) => [
      key,
      { name, in: 'header', required: key !== 'WebhookSignature', description, schema, example },
    ]),
  )
}

const meanings: Readonly<Record<EventType, string>> = {
  'entity_resolution.completed': 'A resolution has ended, with whatever outcome',
  'entity_resolution.failed': 'A resolution failed',
  'domain_intelligence.completed': 'The research of a domain has ended',
  'domain_intelligence.failed': 'The research of a domain failed',
  'entity.completed': 'The record of a company is built',
  'entity.failed': 'The record of a company could not be built',
}

const { retryDelaysSeconds: delays, answerSecondsMax } = deliveryLimits
const deliveryText =
  'Sent to the webhook_url of a v3 request, once for each request that ends. Any 2xx within ' +
  `${answerSecondsMax} seconds has delivered it; redirects are not followed. Otherwise it is sent again after ` +
  `${delays.join(', ')} seconds, ${delays.length + 1} times in all, and may come twice: handle each id once.`

/** The events, as OpenAPI describes webhooks. */
export function deliveryOperations(): Json {
  return Object.fromEntries(
    eventType.options.map((type) => [
      type,
      {
        post: {
          operationId: type,
          tags: ['events'],
          summary: meanings[type],
          description: deliveryText,
          security: [{ signature: [] }],
          parameters: Object.keys(headers).map((key) => ({ $ref: `#/components/parameters/${key}` })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Event' },
                ...(type === exampleEvent.type ? { example: exampleEvent } : {}),
              },
            },
          },
          responses: { '2XX': { description: 'Delivered' } },
        },
      },
    ]),
  )
}
