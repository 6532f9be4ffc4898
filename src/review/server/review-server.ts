import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isLoopback, type ListenAddress } from '../../core/server-addresses.js'
import type { Clock, Random } from '../../platform/clock.js'
import { closeWithin, createDisconnectSignal, formatHttpUrl, listen } from '../../platform/http-server.js'
import type { SessionView } from '../page-data.js'
import { pagePaths, readPageAssets, type PageAssets } from '../page/assets.js'
import type { ReviewSession } from '../session.js'
import { Access, type Entry, judgeRequest, type Listening, type PageRequest, type Refusal } from './access.js'
import {
  createErrorReply,
  toErrorReply,
  requestLimits,
  decideBody,
  decisionsQuery,
  lookupParams,
  parseRequest,
  queueQuery,
  searchQuery,
  undoBody,
} from './requests.js'

const serverLimits = {
  connectionsMax: 64,
  requestMsMax: 30_000,
  closeGraceMs: 500,
} as const

const headersOfAll = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

export interface ReviewServerDeps {
  readonly session: ReviewSession
  readonly about: SessionView
  /** Defaults to the files of the build. */
  readonly assets?: PageAssets
  /** Port 0 selects a free one. */
  readonly address: Readonly<ListenAddress>
  readonly clock: Clock
  readonly random: Random
  /** Receives unexpected errors. The page does not see them. */
  readonly onBug: (error: unknown) => void
  /** A browser was admitted. */
  readonly onEntered?: () => void
  /** A second browser opened the URL: the first is shut out, and the server has a new `url`. */
  readonly onReused?: (firstUsedAtMs: number) => void
}

export interface ReviewServer {
  /** The current address of the page, with a token that admits one browser. */
  readonly url: string
  /** Requests in flight are answered first. */
  close(): Promise<void>
}

/**
 * Serves the review page to the first browser that opens the printed address. Access rules: docs/manual/doubtful-rows.md. Throws
 * LISTEN_FAILED.
 *
 *     const server = await startReviewServer({ session, about, address: { host: '127.0.0.1', port: 0 }, … })
 *     console.log(server.url)
 *     await server.close()
 */
export async function startReviewServer(deps: ReviewServerDeps): Promise<ReviewServer> {
  const { session, about, assets = readPageAssets(), address, clock, random } = deps
  const access = new Access(random, clock)
  const app = createApp(deps.onBug)
  let listening: Listening = { port: 0, isLoopback: true }
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOfAll)
    const token = readToken(request)
    const described = describeRequest(request, access, listening, token)
    const refusal = judgeRequest(described, listening)
    if (refusal !== null) refuse(request, reply, refusal)
    else if (token === null) done()
    else if (described.isIn) sendToPage(request, reply)
    else answerEntry(request, reply, access.enter(token, listening.port))
  })
  const answerEntry = (request: FastifyRequest, reply: FastifyReply, entry: Entry) => {
    if (entry.kind === 'unknown') refuse(request, reply, { status: 403, message: 'this URL is not valid' })
    else if (entry.kind === 'reused') {
      refuseReused(reply, entry.firstUsedAtMs)
      deps.onReused?.(entry.firstUsedAtMs)
    } else {
      sendToPage(request, reply.header('set-cookie', entry.cookie))
      deps.onEntered?.()
    }
  }
  mountAssets(app, assets)
  mountApi(app, session, about)
  const bound = await listen(app, address, {
    purpose: ' for the review page',
    hint: 'choose another --listen, or omit it to use any free port',
  })
  listening = { port: bound.port, isLoopback: isLoopback(bound.host) || bound.host === '::1' }
  return {
    get url() {
      return `${formatHttpUrl(toReachableAddress(bound))}${pagePaths.page}?token=${access.entryToken}`
    },
    close: () => closeWithin(app, serverLimits.closeGraceMs, clock),
  }
}

function createApp(onBug: (error: unknown) => void): FastifyInstance {
  const app = fastify({
    logger: false,
    http: { maxHeaderSize: requestLimits.headerBytesMax },
    requestTimeout: serverLimits.requestMsMax,
    bodyLimit: requestLimits.bodyBytesMax,
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      void reply.headers(headersOfAll)
      answerError(error, reply)
    },
  })
  app.server.maxConnections = serverLimits.connectionsMax
  app.removeContentTypeParser('text/plain')
  app.setNotFoundHandler((_request, reply) => {
    send(reply, createErrorReply('REVIEW_REQUEST_INVALID', 404, 'there is nothing at this URL'))
  })
  app.setErrorHandler((error, _request, reply) => {
    answerError(error, reply)
  })
  const answerError = (error: unknown, reply: FastifyReply) => {
    const known = toErrorReply(error)
    if (known === null) onBug(error)
    send(reply, known ?? { status: 500, body: { error: { ...bug } } })
  }
  return app
}

const bug = {
  code: 'BUG',
  message: 'a bug in enrich; your earlier decisions are safe',
  hint: 'see the error in the terminal',
}

const send = (reply: FastifyReply, { status, body }: { readonly status: number; readonly body: object }) => {
  void reply.code(status).send(body)
}

function describeRequest(
  { method, headers, routeOptions }: FastifyRequest,
  access: Access,
  { port }: Listening,
  token: string | null,
): PageRequest {
  const { host, origin, cookie, 'sec-fetch-site': fetchSite, 'content-type': contentType } = headers
  return {
    method,
    host,
    origin,
    contentType,
    isEntry: token !== null,
    isForPage: routeOptions.url === pagePaths.page,
    fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined,
    isIn: access.isIn(cookie, port),
  }
}

/** After a link from another site, a redirect would not send the new cookie (`SameSite=Strict`); a refresh does. */
function sendToPage({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers['sec-fetch-site'] !== 'cross-site')
    void reply.code(303).header('location', pagePaths.page).send()
  else void reply.header('refresh', `0; url=${pagePaths.page}`).type('text/plain; charset=utf-8').send('')
}

function refuseReused(reply: FastifyReply, firstUsedAtMs: number): void {
  void reply
    .code(403)
    .type('text/plain; charset=utf-8')
    .send(
      `Refused: another browser opened this URL first, at ${new Date(firstUsedAtMs).toISOString()}.\n` +
        'If that was not you, another user of this machine may have recorded verdicts in your name.\n' +
        'That browser has no access any more, and this URL is no longer valid.\n' +
        'To review: open the new URL that enrich review has just printed in its terminal.\n',
    )
}

/** Plain text if the request is for the page, else JSON. */
function refuse(request: FastifyRequest, reply: FastifyReply, { status, message }: Refusal): void {
  const hint = 'open the URL that enrich review printed last'
  if (request.routeOptions.url !== pagePaths.page) {
    send(reply, createErrorReply('REVIEW_ACCESS_REFUSED', status, message, hint))
    return
  }
  // After a link from another site, the browser does not send its cookie with the first request, but with a refresh.
  if (request.headers['sec-fetch-site'] === 'cross-site') reply.header('refresh', '0')
  void reply
    .code(status)
    .type('text/plain; charset=utf-8')
    .send(`Refused: ${message}.\nTo review: ${hint}.\n`)
}

function mountAssets(app: FastifyInstance, { pageHtml, pageCss, scripts }: PageAssets): void {
  const sendAsset = (reply: FastifyReply, type: string, text: string) =>
    reply.type(`${type}; charset=utf-8`).send(text)
  app.get(pagePaths.page, (_request, reply) => sendAsset(reply, 'text/html', pageHtml))
  app.get(pagePaths.style, (_request, reply) => sendAsset(reply, 'text/css', pageCss))
  app.get<{ Params: { '*': string } }>(`${pagePaths.scripts}*`, (request, reply) => {
    const script = scripts.get(request.params['*'])
    if (script === undefined) reply.callNotFound()
    else void sendAsset(reply, 'text/javascript', script)
  })
  app.get('/favicon.ico', (_request, reply) => reply.code(204).send())
}

/** Token of the printed URL; `null` if the request has none. */
function readToken({ query, routeOptions }: FastifyRequest): string | null {
  const { token } = query as { token?: unknown }
  return routeOptions.url === pagePaths.page && typeof token === 'string' ? token : null
}

/** Browsers cannot open a wildcard address everywhere. */
const toReachableAddress = ({ host, port }: ListenAddress): ListenAddress => ({
  host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host,
  port,
})

/** The routes described in `page-data.ts`. */
function mountApi(app: FastifyInstance, session: ReviewSession, about: SessionView): void {
  app.get('/api/session', () => about)
  app.get('/api/queue', ({ query }) => {
    const { status, ...window } = parseRequest(queueQuery, query)
    return session.readPage({ ...window, statuses: status })
  })
  app.get('/api/lookups/:lookup', ({ params }) =>
    session.readDetail(parseRequest(lookupParams, params).lookup),
  )
  app.get('/api/search', ({ query }, reply) =>
    session.search(parseRequest(searchQuery, query), createDisconnectSignal(reply)),
  )
  app.get('/api/decisions', ({ query }) => session.listDecisions(parseRequest(decisionsQuery, query).count))
  app.post('/api/decisions', async ({ body }, reply) => {
    const { lookups, ...choice } = parseRequest(decideBody, body)
    const answer = await session.decide(lookups.map((one) => ({ ...one, ...choice })))
    // If another reviewer undid the decision, `others` is empty.
    return reply.code(answer.decisions.length === 0 ? 409 : 200).send(answer)
  })
  app.post('/api/undo', ({ body }) => session.undo(parseRequest(undoBody, body).sequences))
}
