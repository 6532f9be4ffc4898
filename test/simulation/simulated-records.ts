import type { TransportRequest } from '../../src/client/transport.js'
import type { Chance } from './chance.js'
import type { FirmBook } from './firms.js'
import { entityBody, domainBody, hierarchyBody, type AskedRecord } from './record-bodies.js'
import type { MixUp } from './mix-up.js'
import { fairRecords, type RecordLimit, type RecordWeather } from './record-weather.js'
import type { SimulatedPost } from './simulated-post.js'
import type { RateWindow, WindowKind } from './rate-window.js'
import { error, limited, type Answered } from './simulated-answer.js'

/** Of what is paid for, or begins work that takes long: one a request that was taken, and never forgotten. */
interface TakenRequest {
  readonly kind: 'hierarchy' | 'domain'
  readonly name: string
  readonly atMs: number
  /** A read of a domain that nobody asked for before begins work as well. */
  readonly by: 'POST' | 'GET'
}

interface SimulatedRecordsDeps {
  chance: Chance
  firms: FirmBook
  window: RateWindow
  post: SimulatedPost | null
  mixUp: MixUp | null
}

type Kind = AskedRecord['kind']

/** The part of the service that keeps records of companies, who owns them, and what their domains say. */
export class SimulatedRecords {
  readonly ledger: TakenRequest[] = []
  weather: RecordWeather = fairRecords
  windowKind: WindowKind = 'fixed'
  /** What each subject came to; to a service that forgets, one after another. */
  readonly fates = new Map<string, AskedRecord['fate'][]>()
  readonly #known = new Map<string, AskedRecord>()

  /** What work was begun for. */
  get known(): ReadonlyMap<string, AskedRecord> {
    return this.#known
  }

  constructor(private readonly deps: SimulatedRecordsDeps) {}

  /** Another process: of what it was asked before it knows nothing. */
  forget(): void {
    this.#known.clear()
  }

  /** Whether this request arrives after its caller has given up. */
  isLate(request: TransportRequest): boolean {
    const route = routeOf(request)
    return route?.isPost === true && this.deps.chance.happens(this.weather.lateRequest)
  }

  /** Null: the request is of another route. */
  answer(request: TransportRequest): Answered | null {
    const route = routeOf(request)
    if (route === null) return null
    const { chance, window } = this.deps
    const { weather } = this
    const isPost = request.method === 'POST'
    if (chance.happens(weather.refusal)) return error(isPost ? chance.pick([401, 403]) : 401, 'refused')
    const waitSeconds = chance.happens(weather.rateLimited)
      ? 7
      : window.secondsToWait(route.limit, weather.perMinute[route.limit], this.windowKind)
    if (waitSeconds !== null) return limited(waitSeconds)
    if (isPost && chance.happens(weather.badRequest)) return error(400, 'bad_request')
    if (isPost && chance.happens(weather.noCredit)) return error(402, 'insufficient_credits')
    // The error comes before anything was taken, or after: the caller cannot tell.
    const errs = chance.happens(weather.serverError)
    if (errs && chance.happens(0.5)) return error(chance.pick([500, 502, 503, 504]), 'api_error')
    const answered = this.#take(route)
    return errs ? error(chance.pick([500, 502, 504]), 'api_error') : answered
  }

  #take(route: Route): Answered {
    switch (route.kind) {
      case 'entity':
        return this.#readEntity(route)
      case 'hierarchy':
        return route.isPost ? this.#research(route) : this.#readHierarchy(route)
      case 'domain':
        return route.isPost ? this.#askDomain(route) : this.#readDomain(route)
    }
  }

  #readEntity(route: Route): Answered {
    const record = this.#begun('entity', route.name)
    if (record.fate === 'missing') return error(404, 'not_found')
    this.#announce(record, route)
    return this.#reply(record, entityBody(record, isDone(record)))
  }

  #research({ name }: Route): Answered {
    const { chance } = this.deps
    this.ledger.push({ kind: 'hierarchy', name, atMs: performance.now(), by: 'POST' })
    const record = this.#begun('hierarchy', name)
    // What the answer to it looks like is not shown (interface: "Hierarchy").
    const bodies = [{}, { message: 'accepted' }, { entity_id: name, status: 'in_progress' }]
    const status = chance.pick([200, 202])
    return chance.happens(0.5)
      ? { status, body: chance.pick(bodies) }
      : this.#reply(record, hierarchyBody(record, isDone(record)))
  }

  #readHierarchy({ name }: Route): Answered {
    const record = this.#known.get(`hierarchy ${name}`)
    if (record !== undefined) return this.#reply(record, hierarchyBody(record, isDone(record)))
    return { status: 200, body: { entity_id: name, status: 'not_started', data: null } }
  }

  #askDomain(route: Route): Answered {
    this.ledger.push({ kind: 'domain', name: route.name, atMs: performance.now(), by: 'POST' })
    const record = this.#begun('domain', route.name)
    this.#announce(record, route)
    return this.#reply(record, domainBody(record, isDone(record)))
  }

  #readDomain(route: Route): Answered {
    const { name } = route
    if (!this.#known.has(`domain ${name}`))
      this.ledger.push({ kind: 'domain', name, atMs: performance.now(), by: 'GET' })
    const record = this.#begun('domain', name)
    this.#announce(record, route)
    return this.#reply(record, domainBody(record, isDone(record)))
  }

  /** The record that work was begun for, now or before. */
  #begun(kind: Kind, name: string): AskedRecord {
    const id = `${kind} ${name}`
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const { chance, firms } = this.deps
    const { weather } = this
    const span = kind === 'hierarchy' ? weather.researchMs : weather.buildMs
    const isHeld = chance.happens(weather.held)
    const fate = this.#fate(kind)
    const takesMs = isHeld ? 0 : chance.whole(span.min, span.max)
    const record: AskedRecord = {
      kind,
      name,
      firm: kind === 'domain' ? firms.ofDomain(name) : firms.ofEntity(name),
      fate,
      isHeld,
      begunAtMs: performance.now(),
      doneAtMs: performance.now() + takesMs,
      doneAt: new Date(Date.now() + takesMs).toISOString(),
    }
    this.#known.set(id, record)
    this.fates.set(id, [...(this.fates.get(id) ?? []), record.fate])
    return record
  }

  #fate(kind: Kind): AskedRecord['fate'] {
    const { chance, weather } = { ...this.deps, weather: this.weather }
    if (chance.happens(weather.fails)) return 'fails'
    if (kind === 'entity' && chance.happens(weather.missing)) return 'missing'
    return kind === 'entity' && chance.happens(weather.stateUnknown) ? 'state_unknown' : 'complete'
  }

  /** An event comes only where the answer said that the record is still being built. */
  #announce(record: AskedRecord, { hasAddress }: Route): void {
    if (record.kind === 'hierarchy' || !hasAddress || isDone(record)) return
    const body = record.kind === 'entity' ? entityBody(record, true) : domainBody(record, true)
    this.deps.post?.expectRecord(record, body)
  }

  #reply(record: AskedRecord, body: Record<string, unknown>): Answered {
    return { status: 200, body: this.deps.mixUp?.record(record, body, this.#known) ?? body }
  }
}

const isDone = ({ doneAtMs }: AskedRecord) => performance.now() >= doneAtMs

interface Route {
  kind: Kind
  name: string
  isPost: boolean
  limit: RecordLimit
  hasAddress: boolean
}

function routeOf({ method, path, body }: TransportRequest): Route | null {
  const url = new URL(path, 'https://service.test')
  const isPost = method === 'POST'
  const [, entityId] = /^\/v3\/entities\/([^/]+)$/.exec(url.pathname) ?? []
  const hasAddress = url.searchParams.has('webhook_url')
  if (entityId !== undefined)
    return { kind: 'entity', name: decodeURIComponent(entityId), isPost, limit: 'entities', hasAddress }
  const [, owned] = /^\/v1\/entity\/([^/]+)\/hierarchy$/.exec(url.pathname) ?? []
  if (owned !== undefined) {
    const limit = isPost ? 'hierarchyPosts' : 'hierarchyReads'
    return { kind: 'hierarchy', name: decodeURIComponent(owned), isPost, limit, hasAddress: false }
  }
  if (url.pathname !== '/v3/domain-intelligence') return null
  const asked = JSON.parse(body ?? '{}') as { domain?: string; webhook_url?: string }
  const name = isPost ? asked.domain : url.searchParams.get('domain')
  if (typeof name !== 'string') throw new Error('a request about no domain')
  return {
    kind: 'domain',
    name,
    isPost,
    limit: 'domains',
    hasAddress: hasAddress || asked.webhook_url !== undefined,
  }
}

/** What a request is counted by, of whichever route; null where it is none of a record. */
export const limitOf = (request: TransportRequest): RecordLimit | null => routeOf(request)?.limit ?? null
