import type { FastifyInstance } from 'fastify'
import { docsPage } from './page.js'
import { openApiDocument } from './openapi.js'

/** `/openapi.json` and `/docs`: the interface for machines and for people. They ask for no key. */
export function mountDocs(app: FastifyInstance, version: string): void {
  // Made once, and only if somebody asks: most services are never read.
  let made: { json: string; page: string } | null = null
  const documents = () => {
    if (made === null) {
      const document = openApiDocument(version)
      made = { json: JSON.stringify(document), page: docsPage(document) }
    }
    return made
  }
  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(documents().json),
  )
  app.get('/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(documents().page),
  )
}
