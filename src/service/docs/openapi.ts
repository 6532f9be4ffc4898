import { event } from '../../contract/events.js'
import { apiKeyHeader } from '../../contract/limits.js'
import { routes, type Route, type RouteName } from '../../contract/routes.js'
import { errorShapes } from './error-replies.js'
import { operationOf } from './operations.js'
import { collectShapes, type Json } from './shapes.js'
import { deliveryHeaders, deliveryOperations, signatureText } from './deliveries.js'

/** The OpenAPI 3.1 document of the interface at an address: nothing in it is written by hand that the contract says. */
export function openApiDocument(version: string, origin: string): Json {
  const shapes = collectShapes([event, ...errorShapes])
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, route] of Object.entries<Route>(routes)) {
    const operation = operationOf(name as RouteName, route, shapes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Company entity resolution and intelligence', version, description },
    servers: [{ url: origin, description: 'This service' }],
    security: [{ key: [] }],
    tags: [
      { name: 'v3', description: 'Runs, jobs, records and domains. For new callers.' },
      { name: 'v2', description: 'Instant search, and resolutions as jobs or held open.' },
      { name: 'v1', description: 'Records, domains and hierarchies of companies, reports, MCP.' },
      { name: 'events', description: 'What the service sends to a webhook_url.' },
    ],
    paths,
    webhooks: deliveryOperations(),
    components: {
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: apiKeyHeader,
          description: 'Every route needs it. Keep it out of addresses and of web pages.',
        },
        signature: { type: 'apiKey', in: 'header', name: 'webhook-signature', description: signatureText },
      },
      parameters: deliveryHeaders(),
      schemas: shapes.named,
    },
  }
}

const description =
  'Identifies companies and tells what registers say of them, with the source of each field. Three versions ' +
  'stand side by side; new callers use v3. Values that are not known are null.\n\n' +
  'Beside what each route lists, a path that does not exist is a 404 and a method that a path does not take a 405. ' +
  'HEAD is answered wherever GET is, except where it would be charged. A web page of another site gets a 403 ' +
  '(forbidden). A service that listens on its own machine alone answers a Host that is not localhost, 127.0.0.1 or ' +
  '[::1] with 421 (misdirected_request).'
