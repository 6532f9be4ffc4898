import type { FastifyInstance } from 'fastify'
import { askedOrigin } from '../http/asked-origin.js'
import { mountPage } from '../http/mount.js'
import { openApiDocument } from './openapi.js'
import { docsPage, type DocsPage } from './page.js'

/** Stands in the documents for the address they are asked at. */
const originMark = 'http://address.invalid'

/**
 * `/`, `/docs` and `/openapi.json`: the interface for people and for machines. They ask for no key. `furtherLinks`: what
 * else `/` leads to.
 */
export function mountDocs(
  app: FastifyInstance,
  version: string,
  furtherLinks: Readonly<Record<string, string>> = {},
): void {
  // Made once, and only if somebody asks: most services are never read.
  let made: { json: string; page: DocsPage } | null = null
  const documents = () => {
    if (made === null) {
      const document = openApiDocument(version, originMark)
      made = { json: JSON.stringify(document), page: docsPage(document) }
    }
    return made
  }
  mountPage(app, '/openapi.json', (request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .send(documents().json.replaceAll(originMark, askedOrigin(request))),
  )
  mountPage(app, '/docs', (request, reply) => {
    const { text, policy } = documents().page
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .send(text.replaceAll(originMark, askedOrigin(request)))
  })
  mountPage(app, '/', (request, reply) => {
    reply.header('vary', 'accept')
    if (/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.redirect('docs')
    return reply
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(welcome(version, furtherLinks), null, 2) + '\n')
  })
}

const welcome = (version: string, furtherLinks: Readonly<Record<string, string>>) => ({
  name: 'enrich',
  version,
  message: 'Every route of /v1, /v2 and /v3 needs the header apikey. These links need none.',
  links: {
    docs: '/docs',
    openapi: '/openapi.json',
    health: '/healthz',
    metrics: '/metrics',
    ...furtherLinks,
  },
})
