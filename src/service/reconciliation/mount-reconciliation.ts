import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { entityId } from '../../contract/ids.js'
import { andThen, type Deferrable } from '../../core/awaitable.js'
import type { Clock } from '../../platform/clock.js'
import type { Callers } from '../accounts/accounts.js'
import { askedOrigin, goneSignal, jsonReplyType } from '../http/mount.js'
import type { Knowledge } from '../knowledge.js'
import { limits } from '../limits.js'
import { badRequest, toRefusal } from '../refusal.js'
import { allowOrigin, createGate, preflightHeaders, type ReconciliationAccess } from './access.js'
import {
  answerQueries,
  readSuggestQuery,
  suggestEntities,
  suggestProperties,
  suggestTypes,
} from './candidates.js'
import { extendCompanies, proposeProperties } from './company-properties.js'
import { manifestOf, reconciliationPaths as paths } from './manifest.js'
import { pagePolicy, previewPage, unknownCompanyPage, viewPage } from './pages.js'
import { readExtension, readQueries } from './queries.js'

export interface ReconciliationOptions {
  readonly access: ReconciliationAccess
  /** Origins of web pages on other machines that may call and show previews: `https://refine.example.com`. */
  readonly origins: readonly string[]
}

interface MountDeps extends ReconciliationOptions {
  readonly knowledge: Knowledge
  readonly callers: Deferrable<Callers>
  readonly version: string
  /** `null` disables the limit per minute. */
  readonly rateClock: Clock | null
  readonly log: (line: string) => void
}

type Query = Readonly<Record<string, unknown>>
type Answer = (query: Query, request: FastifyRequest, reply: FastifyReply) => unknown

/**
 * Mounts the Reconciliation Service API v0.2 for OpenRefine: read-only, nothing is billed or stored. Source:
 * https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/.
 */
export function mountReconciliation(app: FastifyInstance, deps: MountDeps): void {
  const { knowledge, version, access, origins, log } = deps
  const gate = createGate({ access, callers: deps.callers, clock: deps.rateClock })

  const mount = (method: 'GET' | 'POST', url: string, answer: Answer) => {
    app.route({
      method: method === 'GET' ? ['GET', 'HEAD'] : [method],
      url,
      bodyLimit: limits.reconciliation.bodyBytesMax,
      onRequest: (request, reply, done) => {
        allowOrigin(request, reply)
        const isOpen = method === 'GET' && url === paths.endpoint && isManifestQuery(request.query as Query)
        const admitted = andThen(gate(request, isOpen), () => {
          done()
        })
        if (admitted instanceof Promise) admitted.catch(done)
      },
      onError: (request, reply, error, done) => {
        // OpenRefine shows only the reason phrase of an error.
        reply.raw.statusMessage = reasonPhraseOf(toRefusal(error, request.routeOptions.bodyLimit).message)
        done()
      },
      handler: async (request, reply) => {
        const body = await answer(request.query as Query, request, reply)
        if (body !== reply) reply.type(jsonReplyType).send(JSON.stringify(body))
        return reply
      },
    })
  }

  const ask = async (form: Query, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { queries, extend } = form
    if (queries !== undefined && extend !== undefined) throw badRequest('queries or extend, not both')
    if (queries !== undefined) {
      return answerQueries(readQueries(oneText(queries, 'queries')), {
        knowledge,
        log,
        gone: goneSignal(reply),
      })
    }
    if (extend !== undefined) return extendCompanies(readExtension(oneText(extend, 'extend')), knowledge)
    if (request.method === 'POST') throw badRequest('body: queries or extend is needed, as fields of a form')
    return manifestOf({ origin: askedOrigin(request), version, needsKey: access === 'key' })
  }
  mount('GET', paths.endpoint, (query, request, reply) => {
    // JSONP would let any page read data that is for pages of this machine only.
    if (query['callback'] !== undefined) throw badRequest('query.callback: JSONP is not served; CORS is')
    return ask(query, request, reply)
  })
  mount('POST', paths.endpoint, (_query, request, reply) => ask(readForm(request), request, reply))
  mount('GET', paths.entity, (query) => suggestEntities(readSuggestQuery(query), knowledge))
  mount('GET', paths.property, (query) => suggestProperties(readSuggestQuery(query)))
  mount('GET', paths.type, (query) => suggestTypes(readSuggestQuery(query)))
  mount('GET', paths.propose, (query) => proposeProperties(query))

  const mountPage = (url: string, page: typeof viewPage, framers: readonly string[]) => {
    const policy = pagePolicy(framers)
    mount('GET', url, (query, _request, reply) => {
      const id = entityId.safeParse(query['id'])
      const record = id.success ? knowledge.entity(id.data)?.record : undefined
      return reply
        .code(record === undefined ? 404 : 200)
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .send(record === undefined ? unknownCompanyPage() : page(record, knowledge))
    })
  }
  mountPage(paths.preview, previewPage, [...framersOfThisMachine, ...origins])
  mountPage(paths.view, viewPage, [])

  for (const url of Object.values(paths)) {
    app.route({
      method: 'OPTIONS',
      url,
      handler: (request, reply) => {
        allowOrigin(request, reply)
        return reply.code(204).headers(preflightHeaders).send()
      },
    })
  }
}

const framersOfThisMachine = ['localhost', '127.0.0.1'].flatMap((host) => [
  `http://${host}:*`,
  `https://${host}:*`,
])

/** The manifest is the answer without a query. Unknown parameters, as used to bypass caches, are ignored. */
const isManifestQuery = ({ queries, extend }: Query): boolean => queries === undefined && extend === undefined

function oneText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw badRequest(`${name}: one text is needed`)
  return value
}

const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** Returns the fields of a form; a field that is sent twice has a list. Throws 400. */
function readForm({ body, headers }: FastifyRequest): Query {
  if (!formType.test(headers['content-type'] ?? '')) {
    throw badRequest('the body must be a form, with content-type application/x-www-form-urlencoded')
  }
  const form = new URLSearchParams(typeof body === 'string' ? body : '')
  const field = (name: string) => {
    const values = form.getAll(name)
    return values.length > 1 ? values : values[0]
  }
  return { queries: field('queries'), extend: field('extend') }
}

const reasonPhraseCharsMax = 200

/** Returns the message as a reason phrase: printable ASCII, with a question mark for other characters. */
function reasonPhraseOf(message: string): string {
  return message.slice(0, reasonPhraseCharsMax).replace(/[^\x20-\x7e]/g, '?')
}
