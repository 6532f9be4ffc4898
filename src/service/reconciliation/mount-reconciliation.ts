import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { entityId } from '../../contract/enums.js'
import { apiKeyHeader } from '../../contract/limits.js'
import { applyWhenReady, type Awaitable, type Deferrable } from '../../platform/sql-program.js'
import { UserError } from '../../core/errors.js'
import { isLoopback } from '../../core/server-addresses.js'
import type { Clock } from '../../platform/clock.js'
import { hasSameLetters } from '../../core/numbers/registry-suffix.js'
import type { EntityRecord } from '../../contract/entity.js'
import {
  getStyleSource,
  html,
  joinHtml,
  readStylesheets,
  renderPage,
  renderStyle,
  type Html,
  type HtmlPart,
} from '../../web/html.js'
import { authenticate, type Caller, type Callers } from '../accounts/accounts.js'
import { countRequest, type RateWindow } from '../accounts/rate-limiter.js'
import { createDisconnectSignal } from '../../platform/http-server.js'
import { jsonReplyType, readOrigin } from '../http/mount.js'
import type { Knowledge } from '../knowledge.js'
import { limits } from '../limits.js'
import { badRequest, rateLimitExceeded, toRefusal } from '../refusal.js'
import {
  answerQueries,
  readSuggestQuery,
  suggestEntities,
  suggestProperties,
  suggestTypes,
} from './candidates.js'
import {
  createPropertyReader,
  extendCompanies,
  formatPlace,
  getCompanyName,
  proposeProperties,
  type ExtensionValue,
} from './company-properties.js'
import {
  buildManifest,
  reconciliationPaths as paths,
  reconciliationProperties,
  type PropertyId,
} from './manifest.js'
import { readExtension, readQueries } from './queries.js'

/** Access to reconciliation: any caller on this machine, or callers with a key. */
export type ReconciliationAccess = 'local' | 'key'

/**
 * Returns the access to use. Clients like OpenRefine send no key: a service that listens only on this machine needs
 * none by default, others require one, which a proxy can add. Throws USAGE_INVALID if other machines would need no
 * key.
 */
export function settleAccess(asked: ReconciliationAccess | null, host: string): ReconciliationAccess {
  const isLocal = isLoopback(host.includes(':') ? `[${host}]` : host)
  if (asked === 'local' && !isLocal) {
    throw new UserError(
      'USAGE_INVALID',
      `reconciliation without a key is only for this machine, but the service listens on ${host}`,
      { hint: 'remove "local": callers must then send a key, which a proxy can add' },
    )
  }
  return asked ?? (isLocal ? 'local' : 'key')
}

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
  const { knowledge, version, origins, log } = deps
  const gate = createGate(deps)

  const mount = (method: 'GET' | 'POST', url: string, answer: Answer) => {
    app.route({
      method: method === 'GET' ? ['GET', 'HEAD'] : [method],
      url,
      bodyLimit: limits.reconciliation.bodyBytesMax,
      onRequest: (request, reply, done) => {
        allowOrigin(request, reply)
        const isOpen = method === 'GET' && url === paths.endpoint && isManifestQuery(request.query as Query)
        const admitted = applyWhenReady(gate(request, isOpen), () => {
          done()
        })
        if (admitted instanceof Promise) admitted.catch(done)
      },
      onError: (request, reply, error, done) => {
        // OpenRefine shows only the reason phrase of an error.
        reply.raw.statusMessage = toReasonPhrase(toRefusal(error, request.routeOptions.bodyLimit).message)
        done()
      },
      handler: async (request, reply) => {
        const body = await answer(request.query as Query, request, reply)
        if (body !== reply) reply.type(jsonReplyType).send(JSON.stringify(body))
        return reply
      },
    })
  }

  const answerForm = async (form: Query, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { queries, extend } = form
    if (queries !== undefined && extend !== undefined) throw badRequest('queries or extend, not both')
    if (queries !== undefined) {
      return answerQueries(readQueries(readText(queries, 'queries')), {
        knowledge,
        log,
        gone: createDisconnectSignal(reply),
      })
    }
    if (extend !== undefined) return extendCompanies(readExtension(readText(extend, 'extend')), knowledge)
    if (request.method === 'POST') throw badRequest('body: queries or extend is needed, as fields of a form')
    return buildManifest({ origin: readOrigin(request), version, needsKey: deps.access === 'key' })
  }
  mount('GET', paths.endpoint, (query, request, reply) => {
    // JSONP would let any page read data that is for pages of this machine only.
    if (query['callback'] !== undefined) throw badRequest('query.callback: JSONP is not served; CORS is')
    return answerForm(query, request, reply)
  })
  mount('POST', paths.endpoint, (_query, request, reply) => answerForm(readForm(request), request, reply))
  mount('GET', paths.entity, (query) => suggestEntities(readSuggestQuery(query), knowledge))
  mount('GET', paths.property, (query) => suggestProperties(readSuggestQuery(query)))
  mount('GET', paths.type, (query) => suggestTypes(readSuggestQuery(query)))
  mount('GET', paths.propose, (query) => proposeProperties(query))

  const mountPage = (url: string, page: typeof renderViewPage, framers: readonly string[]) => {
    const policy = buildPagePolicy(framers)
    mount('GET', url, (query, _request, reply) => {
      const id = entityId.safeParse(query['id'])
      const record = id.success ? knowledge.entity(id.data)?.record : undefined
      return reply
        .code(record === undefined ? 404 : 200)
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .send(record === undefined ? renderUnknownCompanyPage() : page(record, knowledge))
    })
  }
  mountPage(paths.preview, renderPreviewPage, [...localFramers, ...origins])
  mountPage(paths.view, renderViewPage, [])

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

const localFramers = ['localhost', '127.0.0.1'].flatMap((host) => [`http://${host}:*`, `https://${host}:*`])

/** The manifest is the answer without a query. Unknown parameters, as used to bypass caches, are ignored. */
const isManifestQuery = ({ queries, extend }: Query): boolean => queries === undefined && extend === undefined

function readText(value: unknown, name: string): string {
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
  const readField = (name: string) => {
    const values = form.getAll(name)
    return values.length > 1 ? values : values[0]
  }
  return { queries: readField('queries'), extend: readField('extend') }
}

const reasonPhraseCharsMax = 200

/** Returns the message as a reason phrase: printable ASCII, with a question mark for other characters. */
function toReasonPhrase(message: string): string {
  return message.slice(0, reasonPhraseCharsMax).replace(/[^\x20-\x7e]/g, '?')
}

const getPageStyle = (): string => readStylesheets('service/reconciliation/pages')

/**
 * Returns a policy without scripts, forms and external resources. `framers` are the origins whose pages may show it
 * in a frame, as sources of the policy.
 */
function buildPagePolicy(framers: readonly string[]): string {
  return (
    `default-src 'none'; style-src ${getStyleSource(getPageStyle())}; img-src data:; base-uri 'none'; form-action 'none'; ` +
    `frame-ancestors ${framers.length === 0 ? "'none'" : framers.join(' ')}`
  )
}

/** The facts that distinguish a company at a glance. All of them fit into a frame of `previewSize`. */
const previewed: readonly PropertyId[] = [
  'location',
  'registration_id',
  'lei',
  'cik',
  'ticker',
  'website',
  'parent',
]

/** Renders a company for a frame of fixed size (v0.2, "Preview Service"). */
function renderPreviewPage(record: EntityRecord, knowledge: Knowledge): string {
  const readValues = createPropertyReader(record, knowledge)
  const facts = reconciliationProperties
    .filter(({ id }) => previewed.includes(id))
    .map(({ id, name }) => renderFact(name, readValues(id).map(renderShortValue)))
  return renderCompany(record, 'preview', facts)
}

/** Renders all known facts of a company; the `view` of the manifest links to it. */
function renderViewPage(record: EntityRecord, knowledge: Knowledge): string {
  const readValues = createPropertyReader(record, knowledge)
  const facts = reconciliationProperties.map(({ id, name }) =>
    renderFact(name, readValues(id).map(renderLinkedValue)),
  )
  return renderCompany(record, 'view', [...facts, renderFact('Id', [record.id])])
}

const renderUnknownCompanyPage = (): string =>
  companyPage(
    'No such company',
    'preview',
    html`<h1>No such company</h1>
      <p>The registry has no company with this id.</p>`,
  )

function renderCompany(record: EntityRecord, kind: 'preview' | 'view', facts: readonly HtmlPart[]): string {
  const { display_name: brand, status } = record
  const name = getCompanyName(record)
  const other = brand !== null && hasSameLetters(brand, name) ? null : brand
  const about = [other, formatPlace(record), status].filter((part) => part !== null)
  return companyPage(
    name,
    kind,
    html`<h1>${renderText(name)}</h1>
      <p>${joinHtml(about.map(renderText), ' · ')}</p>
      <dl>${facts}</dl>`,
  )
}

const companyPage = (title: string, kind: 'preview' | 'view', main: Html): string =>
  renderPage({
    title,
    head: html`<link rel="icon" href="data:," />${renderStyle(getPageStyle())}`,
    body: html`<body>
      <main class="${kind}">${main}</main>
    </body>`,
  })

const renderFact = (name: string, values: readonly HtmlPart[]): HtmlPart =>
  values.length === 0
    ? null
    : html`<dt>${name}</dt>
        <dd>${joinHtml(values, ', ')}</dd>`

/** Isolates a text of a register, so that its direction does not reorder the text around it. */
const renderText = (text: string): Html => html`<bdi>${text}</bdi>`

function renderShortValue(value: ExtensionValue): HtmlPart {
  if ('str' in value) return renderText(value.str)
  return 'date' in value ? value.date.slice(0, 10) : renderText(value.name)
}

function renderLinkedValue(value: ExtensionValue): HtmlPart {
  if ('id' in value) {
    const address = `${paths.view}?id=${encodeURIComponent(value.id)}`
    return html`<a href="${address}">${renderText(value.name)}</a>`
  }
  return 'str' in value && isWebAddress(value.str)
    ? html`<a href="${value.str}" rel="noopener noreferrer">${value.str}</a>`
    : renderShortValue(value)
}

/** A register may state anything as a website, even a `javascript:` address. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** Admits a request, or throws 401 or 429. `isOpen` marks the manifest, which needs no key. */
type Gate = (request: FastifyRequest, isOpen: boolean) => Awaitable<void>

/**
 * Creates the gate. A key that is sent must be valid, even if none is needed. Each key has its own limit per minute
 * on each path; callers without a key share one.
 */
function createGate({ access, callers, rateClock }: MountDeps): Gate {
  const windows = new Map<string, RateWindow>()
  return ({ headers, routeOptions: { url = '' } }, isOpen) => {
    const key = headers[apiKeyHeader]
    const needsKey = access === 'key' && !isOpen
    const count = (caller: Caller | null): void => {
      if (rateClock === null) return
      const holder = `${url} ${caller?.keyHash ?? ''}`
      const taken = countRequest(
        windows.get(holder),
        limits.reconciliation.requestsPerMinute,
        rateClock.nowMs(),
      )
      if (!taken.allowed)
        throw rateLimitExceeded(taken.resetSeconds, { 'retry-after': String(taken.resetSeconds) })
      windows.set(holder, taken.window)
    }
    return applyWhenReady(needsKey || key !== undefined ? authenticate(callers, key) : null, count)
  }
}

/**
 * Adds the CORS headers to a reply. Only pages of this machine and origins named by the operator get here; others are
 * refused earlier. CORS is the same for all of the service (v0.2, "Cross-Origin Access"), including refusals.
 */
function allowOrigin({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'origin')
  if (origin !== undefined) reply.header('access-control-allow-origin', origin)
}

const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': `content-type, ${apiKeyHeader}`,
  'access-control-max-age': '600',
} as const
