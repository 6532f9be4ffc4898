import type { Transport, TransportRequest } from '../../src/client/transport.js'
import type { Exchange } from '../../src/core/http-exchange.js'
import type { Chance } from './chance.js'
import type { Firm, FirmBook } from './firms.js'
import type { MixUp } from './mix-up.js'
import { RateWindow, type WindowKind } from './rate-window.js'
import { mergedIntoOf } from './record-bodies.js'
import { error, limited, type Answered } from './simulated-answer.js'
import type { SimulatedPost } from './simulated-post.js'
import { SimulatedRecords } from './simulated-records.js'

export interface LedgerEntry {
  readonly customId: string
  runId: string
  readonly name: string
  readonly startedAtMs: number
  readonly doneAtMs: number
  readonly fails: boolean
  /** The id it was merged into; null for an entity of its own. */
  readonly mergedInto: string | null
  /** The company that is found; null where the world knows of none. */
  readonly firm: Firm | null
  /** It may be another company: nothing is asked about it. */
  readonly isPartial: boolean
}

/** How bad this seed's network and service are; each a probability unless its unit says otherwise. */
export interface Weather {
  lostAnswer: number
  lostRequest: number
  neverSent: number
  serverError: number
  rateLimited: number
  slowAnswer: number
  brokenBody: number
  refusal: number
  noCredit: number
  badLookup: number
  unknownRun: number
  runFails: number
  /** Ends as merged into another entity. */
  merged: number
  runMsMin: number
  runMsMax: number
  /** Requests a fixed window of a minute; beyond it 429. */
  submissionsPerMinute: number
  pollsPerMinute: number
  /** A request takes from `min` to `max` to arrive. */
  requestMs: { min: number; max: number }
  /** How the service counts a minute: by the calendar, or back from each request. */
  window: WindowKind
}

export const fairWeather: Weather = {
  lostAnswer: 0,
  lostRequest: 0,
  neverSent: 0,
  serverError: 0,
  rateLimited: 0,
  slowAnswer: 0,
  brokenBody: 0,
  refusal: 0,
  noCredit: 0,
  badLookup: 0,
  unknownRun: 0,
  runFails: 0.05,
  merged: 0.1,
  runMsMin: 60_000,
  runMsMax: 300_000,
  submissionsPerMinute: 600,
  pollsPerMinute: 100,
  requestMs: { min: 1, max: 80 },
  window: 'fixed',
}

export function stormyWeather(chance: Chance): Weather {
  const some = (max: number) => (chance.happens(0.5) ? chance.fraction() * max : 0)
  return {
    ...fairWeather,
    lostAnswer: some(0.2),
    lostRequest: some(0.1),
    neverSent: some(0.3),
    serverError: some(0.2),
    rateLimited: some(0.4),
    slowAnswer: some(0.5),
    brokenBody: some(0.2),
    refusal: some(0.02),
    noCredit: some(0.03),
    badLookup: some(0.1),
    unknownRun: some(0.1),
    runFails: some(0.3),
    submissionsPerMinute: chance.pick([30, 120, 600]),
    pollsPerMinute: chance.pick([20, 100]),
    window: chance.pick(['fixed', 'rolling']),
  }
}

/** The service and the network to it. It alone knows what was billed; it never forgets. */
export class FailingService {
  readonly ledger: LedgerEntry[] = []
  readonly seenCustomIds: string[] = []
  pollCount = 0
  weather: Weather = fairWeather
  readonly #runs = new Map<string, LedgerEntry>()
  /** Null: the service has nothing but resolutions, and the ends of merged ids. */
  readonly records: SimulatedRecords | null
  readonly #window = new RateWindow()
  readonly #firms: FirmBook | null

  /** `stages`: the companies that answers lead to, and chance for what is kept of them. */
  constructor(
    private readonly chance: Chance,
    private readonly post: SimulatedPost | null = null,
    private readonly mixUp: MixUp | null = null,
    stages: { firms: FirmBook; chance: Chance } | null = null,
  ) {
    this.#firms = stages?.firms ?? null
    this.records =
      stages === null ? null : new SimulatedRecords({ ...stages, window: this.#window, post, mixUp })
  }

  get limitedCount(): number {
    return this.#window.limitedCount
  }

  /** A connection of one process; once `isDead`, no answer reaches it any more. */
  connect(isDead: () => boolean): Transport {
    return {
      exchange: (request) => this.#exchange(request, isDead),
      close: () => Promise.resolve(),
    }
  }

  async #exchange(request: TransportRequest, isDead: () => boolean): Promise<Exchange> {
    const { chance, weather } = this
    await pass(chance.whole(weather.requestMs.min, weather.requestMs.max))
    if (isDead()) return never()
    if (chance.happens(weather.neverSent)) return { kind: 'no_reply', sent: 'no', reason: 'refused' }
    if (chance.happens(weather.lostRequest)) {
      await pass(chance.whole(1, 60_000), request.signal)
      return isDead() ? never() : { kind: 'no_reply', sent: 'maybe', reason: 'reset' }
    }
    if (this.records?.isLate(request) === true) return this.#arriveLate(request, isDead)
    const answered = this.#answer(request)
    const answerMs = chance.happens(weather.slowAnswer) ? chance.whole(1_000, 59_000) : chance.whole(1, 400)
    const isStopped = () => request.signal?.aborted === true
    await pass(answerMs, request.signal)
    if (isDead()) return never()
    if (isStopped()) return { kind: 'no_reply', sent: 'maybe', reason: 'stopped' }
    if (chance.happens(weather.lostAnswer)) return { kind: 'no_reply', sent: 'maybe', reason: 'reset' }
    if (chance.happens(weather.brokenBody)) {
      return { kind: 'reply', status: answered.status, headers: {}, body: undefined, bodyFault: 'broke off' }
    }
    this.mixUp?.arrived(answered.body)
    return { kind: 'reply', headers: {}, bodyFault: null, ...answered }
  }

  /** The caller gives up on a request that is still on its way. */
  async #arriveLate(request: TransportRequest, isDead: () => boolean): Promise<Exchange> {
    setTimeout(() => this.#answer(request), this.chance.whole(1_000, 5_000))
    await pass(this.chance.whole(1, 1_000))
    return isDead() ? never() : { kind: 'no_reply', sent: 'maybe', reason: 'timeout' }
  }

  #answer(request: TransportRequest): Answered {
    const answered = this.records?.answer(request) ?? null
    if (answered !== null) return answered
    if (request.method === 'POST') return this.#kickoff(request)
    return request.path.startsWith('/v3/entities/') ? this.#entity(request) : this.#poll(request)
  }

  #entity(request: TransportRequest): Answered {
    if (this.chance.happens(this.weather.serverError)) return error(500, 'api_error')
    const id = request.path.replace('/v3/entities/', '')
    const next = mergedIntoOf(id)
    // The record of a merged id is that of the one it was merged into.
    const body =
      next === null
        ? { status: 'matched', entity: { id } }
        : { status: 'merged', merged_into: next, entity: { id: next } }
    return { status: 200, body: this.mixUp?.entity(body) ?? body }
  }

  #kickoff(request: TransportRequest): Answered {
    const { chance, weather } = this
    const body = JSON.parse(request.body ?? '{}') as {
      name: string
      custom_id: string
      include?: string
      webhook_url?: string
    }
    this.seenCustomIds.push(body.custom_id)
    if (body.include !== 'basis') throw new Error('a kickoff that does not ask for the basis')
    if (chance.happens(weather.refusal)) return error(chance.pick([401, 403]), 'refused')
    const waitSeconds = chance.happens(weather.rateLimited)
      ? 7
      : this.#window.secondsToWait('submit', weather.submissionsPerMinute, weather.window)
    if (waitSeconds !== null) return limited(waitSeconds)
    if (chance.happens(weather.badLookup)) return error(400, 'bad_request')
    if (chance.happens(weather.noCredit)) return error(402, 'insufficient_credits')
    // The error comes before the run was made, or after: the caller cannot tell.
    const errs = chance.happens(weather.serverError)
    if (errs && chance.happens(0.5)) return error(chance.pick([500, 502, 503, 504]), 'api_error')
    const entry = this.#bill(body.name, body.custom_id)
    // After a 400 of this weather the address may be left out: the service might dislike it.
    this.post?.expect(entry, body.webhook_url !== undefined)
    if (errs) return error(chance.pick([500, 502, 504]), 'api_error')
    const accepted = { status: 'pending', run_id: entry.runId, custom_id: body.custom_id }
    return { status: 202, body: this.mixUp?.kickoff(accepted) ?? accepted }
  }

  /** Another process: of what it was asked before it knows nothing. */
  forget(): void {
    this.#runs.clear()
    this.records?.forget()
  }

  #bill(name: string, customId: string): LedgerEntry {
    const { chance, weather } = this
    const entry = {
      customId,
      runId: chance.id('run_'),
      name,
      startedAtMs: performance.now(),
      doneAtMs: performance.now() + chance.whole(weather.runMsMin, weather.runMsMax),
      fails: chance.happens(weather.runFails),
      // `siq_chain_3` was merged into `siq_chain_2`, and so on to 0; `siq_circle` into `siq_circle2` and back.
      mergedInto: chance.happens(weather.merged)
        ? chance.pick(['siq_chain_0', 'siq_chain_3', 'siq_chain_20', 'siq_circle'])
        : null,
      firm: this.#firms?.of(name) ?? null,
      isPartial: this.#firms?.isPartial(name) === true,
    }
    this.ledger.push(entry)
    this.#runs.set(entry.runId, entry)
    return entry
  }

  #poll(request: TransportRequest): Answered {
    this.pollCount++
    const { chance, weather } = this
    if (!request.path.endsWith('?include=basis')) throw new Error('a poll that does not ask for the basis')
    if (chance.happens(weather.refusal)) return error(401, 'unauthorized')
    const waitSeconds = chance.happens(weather.rateLimited)
      ? 7
      : this.#window.secondsToWait('poll', weather.pollsPerMinute, weather.window)
    if (waitSeconds !== null) return limited(waitSeconds)
    if (chance.happens(weather.serverError)) return error(chance.pick([500, 504]), 'api_error')
    const run = this.#runs.get(decodeURIComponent(request.path.replace(/^.*\/v3\/runs\/|\?.*$/g, '')))
    if (run === undefined || chance.happens(weather.unknownRun)) return error(404, 'not_found')
    const other = this.mixUp?.instead(run, this.ledger) ?? null
    if (other === null || this.mixUp === null) return runBody(run, performance.now() >= run.doneAtMs, chance)
    const swapped = runBody(other, performance.now() >= other.doneAtMs, chance)
    return { ...swapped, body: this.mixUp.rewrite(run, swapped.body as Record<string, unknown>) }
  }
}

export function runBody(run: LedgerEntry, isDone: boolean, chance: Chance): Answered {
  const { runId, customId, name } = run
  const head = { run_id: runId, custom_id: customId }
  if (!isDone)
    return {
      status: chance.pick([200, 202]),
      body: { ...head, status: chance.pick(['PENDING', 'running']), data: null },
    }
  if (run.fails) {
    const asOutcome = chance.happens(0.5)
    return {
      status: 200,
      body: asOutcome
        ? { ...head, status: 'COMPLETED', data: { status: 'failed' } }
        : { ...head, status: 'FAILED', data: null },
    }
  }
  if (run.mergedInto !== null) {
    return {
      status: 200,
      body: {
        ...head,
        status: 'COMPLETED',
        data: { status: 'merged', merged_into: run.mergedInto, metadata: { query: { name } } },
      },
    }
  }
  const { firm } = run
  const entity = {
    id: firm?.entityId ?? `siq_${runId}`,
    legal_name: `${name} (registered)`,
    ...(firm === null ? {} : { website: firm.website }),
  }
  return {
    status: 200,
    body: {
      ...head,
      status: 'COMPLETED',
      data: {
        status: run.isPartial ? 'partial_match' : 'matched',
        match_confidence: run.isPartial ? 61 : 91,
        entity,
        metadata: { query: { name } },
      },
    },
  }
}

/** Ends early where the caller does not wait any longer. */
const pass = (delayMs: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, delayMs)
    if (signal?.aborted === true) end()
    signal?.addEventListener('abort', end, { once: true })
  })
const never = () => new Promise<never>(() => undefined)
