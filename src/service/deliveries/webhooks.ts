import { isLoopback } from '../../core/server-addresses.js'
import type { Awaitable } from '../../platform/sql-program.js'
import { UserError } from '../../core/errors.js'
import { type Clock, withTimeout, type Random } from '../../platform/clock.js'
import { limits } from '../limits.js'
import type { Faults } from '../faults.js'
import {
  createAddressGuard,
  systemResolver,
  type HostResolver,
  type AddressGuard,
} from '../../platform/outbound/address-guard.js'
import type { Post } from '../../platform/outbound/pinned-connect.js'
import { badRequest } from '../refusal.js'
import { formatRunBody } from '../runs/polls.js'
import type { EndedRun, OnRunEnded } from '../runs/run-store.js'
import { Deliverer, type AttemptDeps } from './deliverer.js'
import { type EventCount, createEventStore, type AnyEventStore } from './event-store.js'
import { type LaneSignals, type NewEvent, Outbox } from './outbox.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { createSecrets } from '../accounts/secrets.js'
import type { SharedStorage } from '../storage/storage.js'
import { SharedEventStore, SharedOutbox } from './postgres-event-store.js'

/** The storage of events until they are delivered. */
export interface Outgoing<Box extends LaneSignals = LaneSignals> {
  readonly outbox: Box
  readonly events: AnyEventStore
  readonly signingSecrets: AttemptDeps['signingSecrets']
  /** Interval between reads of the events that other processes added or left; `Infinity` without other processes. */
  readonly lookEveryMs: number
}

export interface OutgoingDeps {
  readonly clock: Clock
  readonly random: Random
  /** Delay of an event's first attempt; for rehearsals. */
  readonly lateMs: () => number
}

export function createOutgoing(database: Sqlite, { random, lateMs }: OutgoingDeps): Outgoing<Outbox> {
  const secrets = createSecrets(database)
  return {
    outbox: new Outbox(database, random, lateMs),
    events: createEventStore(database),
    signingSecrets: (account, nowMs) => secrets.signingSecrets(account, nowMs),
    lookEveryMs: Infinity,
  }
}

export function createSharedOutgoing(
  storage: SharedStorage,
  { clock, random, lateMs }: OutgoingDeps,
): Outgoing<SharedOutbox> {
  const secrets = createSecrets(storage.postgres)
  return {
    outbox: new SharedOutbox(random, lateMs),
    events: new SharedEventStore({ ...storage, clock }),
    signingSecrets: (account, nowMs) => secrets.signingSecrets(account, nowMs),
    lookEveryMs: limits.claimLookMs,
  }
}

export interface WebhookOptions {
  /** Also deliver to receivers on this machine, over http too; for rehearsals. Defaults to `false`. */
  readonly allowLocalWebhooks?: boolean
  /** Resolves the host names of receivers; defaults to the system's name servers. */
  readonly resolveHost?: HostResolver
}

interface Deps {
  readonly outgoing: Outgoing
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly faults: Faults
}

/** The webhooks of the service (interface: "Events"). */
export class Webhooks {
  readonly outbox: LaneSignals
  readonly gate: WebhookGate
  readonly #allowsLocal: boolean
  readonly #guard: AddressGuard
  readonly #deps: Deps
  #deliverer: Deliverer | null = null

  constructor(options: WebhookOptions, deps: Deps) {
    const { allowLocalWebhooks: allowsLocal = false, resolveHost: resolve = systemResolver } = options
    this.#allowsLocal = allowsLocal
    this.#guard = createAddressGuard({ resolve, allowsLocal })
    this.#deps = deps
    this.outbox = deps.outgoing.outbox
    this.gate = createWebhookGate(this.#guard, deps.clock)
  }

  countEvents(): Awaitable<EventCount> {
    return this.#deps.outgoing.events.count()
  }

  /** Starts to deliver the events of the outbox. */
  start(): void {
    const { outgoing, clock, log, faults } = this.#deps
    const post = withDuplicates(createPostWhenNeeded(), faults)
    this.#deliverer ??= new Deliverer({ ...outgoing, guard: this.#guard, post, clock, log })
    if (this.#allowsLocal) log(localWarning)
  }

  async stop(): Promise<void> {
    await this.#deliverer?.stop()
  }
}

/** Loads the HTTP client with the first delivery: most services inside a run never need it. */
function createPostWhenNeeded(): Post {
  let loading: Promise<Post> | undefined
  const load = async () => {
    const { createConnect, createPost } = await import('../../platform/outbound/pinned-connect.js')
    return createPost(createConnect())
  }
  return async (message) => (await (loading ??= load()))(message)
}

/** Sends some deliveries twice, as the plan of faults demands; the first answer counts. */
function withDuplicates(post: Post, faults: Faults): Post {
  return async (message) => {
    const outcome = await post(message)
    if (faults.isDeliveryDuplicated()) await post(message)
    return outcome
  }
}

const localWarning =
  'ATTENTION: local webhooks are allowed: anyone with a key can make this service send requests to this ' +
  'machine. Use this for rehearsals only'

/**
 * Prevents other machines from making a service send requests to its own machine. Throws USAGE_INVALID if local
 * receivers are allowed and the service listens beyond this machine.
 */
export function assertLocalWebhooksStayLocal(
  { allowLocalWebhooks = false }: WebhookOptions,
  host: string,
): void {
  if (!allowLocalWebhooks || isLoopback(host) || host === '::1') return
  throw new UserError(
    'USAGE_INVALID',
    'local webhooks are only for a service that listens on this machine only',
    {
      hint: 'remove --allow-local-webhooks, or listen on 127.0.0.1',
    },
  )
}

/**
 * Builds the event of a run, to be written in one transaction with its result: the run as its poll returns it, with
 * the basis if the kickoff requested it. `null` for a run without a webhook, as in v2.
 */
export function buildRunEvent(run: EndedRun, endedAtMs: number): NewEvent | null {
  if (run.webhookUrl === null || run.surface !== 'v3') return null
  return {
    accountNumber: run.accountNumber,
    type: run.status === 'COMPLETED' ? 'entity_resolution.completed' : 'entity_resolution.failed',
    webhookUrl: run.webhookUrl,
    runId: run.runId,
    customId: run.customId,
    object: formatRunBody(run, true),
    createdAtMs: endedAtMs,
  }
}

/** Writes the event of each ended run to the outbox, in the transaction of the store. */
export function writeRunEvents(outbox: Pick<Outbox, 'add'>): OnRunEnded {
  return (run, endedAtMs) => {
    const event = buildRunEvent(run, endedAtMs)
    if (event !== null) outbox.add(event)
  }
}

/**
 * Checks the `webhook_url` of a request before anything is stored or charged; `null` if none. Throws 400 with a
 * message that contains nothing of the URL.
 */
export type WebhookGate = (webhookUrl: string | undefined) => Promise<string | null>

function createWebhookGate(guard: AddressGuard, clock: Clock): WebhookGate {
  return async (webhookUrl) => {
    if (webhookUrl === undefined) return null
    const check = await withTimeout({ clock, msMax: limits.resolveMsMax }, (signal) =>
      guard.judge(webhookUrl, signal),
    )
    if (check.kind === 'refused') throw badRequest(`webhook_url: ${check.reason}`)
    return webhookUrl
  }
}
