import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SessionView } from '../page-data.js'
import type { ReviewSession } from '../session.js'
import {
  decideBody,
  decisionsQuery,
  lookupParams,
  parseRequest,
  queueQuery,
  searchQuery,
  undoBody,
} from './page-requests.js'

/** The routes that `page-data.ts` describes: what the page asks and what it is told, each from the session. */
export function mountApi(app: FastifyInstance, session: ReviewSession, about: SessionView): void {
  app.get('/api/session', () => about)
  app.get('/api/queue', ({ query }) => {
    const { status, ...window } = parseRequest(queueQuery, query)
    return session.page({ ...window, statuses: status })
  })
  app.get('/api/lookups/:lookup', ({ params }) => session.detail(parseRequest(lookupParams, params).lookup))
  app.get('/api/search', ({ query }, reply) =>
    session.search(parseRequest(searchQuery, query), untilGone(reply)),
  )
  app.get('/api/decisions', ({ query }) => session.decisions(parseRequest(decisionsQuery, query).count))
  app.post('/api/decisions', async ({ body }, reply) => {
    const { lookups, ...choice } = parseRequest(decideBody, body)
    const answer = await session.decide(lookups.map((one) => ({ ...one, ...choice })))
    // What somebody else took back in the meantime leaves none behind.
    return reply.code(answer.decisions.length === 0 ? 409 : 200).send(answer)
  })
  app.post('/api/undo', ({ body }) => session.undo(parseRequest(undoBody, body).sequences))
}

/** Aborted where nobody waits for the reply any more. */
function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}
