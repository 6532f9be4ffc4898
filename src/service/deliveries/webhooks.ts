import { isLoopback } from '../../core/base-url.js'
import type { Awaitable } from '../../core/awaitable.js'
import { UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import { limits } from '../limits.js'
import type { Faults } from '../faults.js'
import {
  createAddressGuard,
  systemResolver,
  type HostResolver,
  type AddressGuard,
} from '../../platform/outbound/address-guard.js'
import { within } from '../../platform/outbound/deadline.js'
import type { Post } from '../../platform/outbound/post.js'
import { badRequest } from '../refusal.js'
import { runBody } from '../runs/run-body.js'
import type { EndedRun, OnRunEnded } from '../runs/run-store.js'
import { startDeliverer, type Deliverer } from './deliverer.js'
import type { EventCount } from './event-store.js'
import type { NewEvent, Outbox, OutboxWakes } from './outbox.js'
import type { Outgoing } from './outgoing.js'

export interface WebhookOptions {
  /** Receivers on this machine may be delivered to, http too: for rehearsals. Default false. */
  readonly allowLocalWebhooks?: boolean
  /** Who says where a receiver's name leads; the system's name servers if left out. */
  readonly resolveHost?: HostResolver
}

/** Everything about events (interface: "Events"). */
export interface Webhooks {
  readonly outbox: OutboxWakes
  readonly gate: WebhookGate
  readonly eventCount: () => Awaitable<EventCount>
  /** From here on what the outbox holds is delivered. */
  start(): void
  stop(): Promise<void>
}

interface Deps {
  readonly outgoing: Outgoing
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly faults: Faults
}

export function createWebhooks(options: WebhookOptions, { outgoing, clock, log, faults }: Deps): Webhooks {
  const { allowLocalWebhooks: allowsLocal = false, resolveHost: resolve = systemResolver } = options
  const guard = createAddressGuard({ resolve, allowsLocal })
  const { outbox, events } = outgoing
  const post = withDuplicates(createPostWhenNeeded(), faults)
  let deliverer: Deliverer | undefined
  return {
    outbox,
    gate: createWebhookGate(guard, clock),
    eventCount: () => events.count(),
    start: () => {
      deliverer ??= startDeliverer({ ...outgoing, guard, post, clock, log })
      if (allowsLocal) log(localWarning)
    },
    stop: async () => {
      await deliverer?.stop()
    },
  }
}

/** What sends is loaded with the first delivery: most services in a run's own process make none. */
function createPostWhenNeeded(): Post {
  let loading: Promise<Post> | undefined
  const load = async () => {
    const [{ createPost }, { createConnect }] = await Promise.all([
      import('../../platform/outbound/post.js'),
      import('../../platform/outbound/pinned-connect.js'),
    ])
    return createPost(createConnect())
  }
  return async (message) => (await (loading ??= load()))(message)
}

/** Deliveries that come twice, as often as the plan of faults says: the first answer counts. */
function withDuplicates(post: Post, faults: Faults): Post {
  return async (message) => {
    const outcome = await post(message)
    if (faults.isDeliveryDuplicated()) await post(message)
    return outcome
  }
}

const localWarning =
  'ATTENTION: local webhooks are allowed: anyone with a key can make this service send requests to this ' +
  'machine. For rehearsals alone'

/**
 * A service that others reach must not be made to knock at its own machine. Throws USAGE_INVALID where
 * receivers on this machine are allowed and the service listens beyond it.
 */
export function assertLocalWebhooksStayLocal(
  { allowLocalWebhooks = false }: WebhookOptions,
  host: string,
): void {
  if (!allowLocalWebhooks || isLoopback(host) || host === '::1') return
  throw new UserError(
    'USAGE_INVALID',
    'local webhooks are for a service that listens on this machine alone',
    {
      hint: 'leave --allow-local-webhooks out, or listen on 127.0.0.1',
    },
  )
}

/**
 * The event of a run that was given a `webhook_url`; to be written with its result or not at all. It carries the run
 * as the poll shows it, with the basis where the kickoff asked for one. Null where it has none, as in v2.
 */
export function eventOf(run: EndedRun, endedAtMs: number): NewEvent | null {
  if (run.webhookUrl === null || run.surface !== 'v3') return null
  return {
    accountNumber: run.accountNumber,
    type: run.status === 'COMPLETED' ? 'entity_resolution.completed' : 'entity_resolution.failed',
    webhookUrl: run.webhookUrl,
    runId: run.runId,
    customId: run.customId,
    object: runBody(run, true),
    createdAtMs: endedAtMs,
  }
}

/** For a store whose transaction the outbox writes in. */
export function writeRunEvents(outbox: Pick<Outbox, 'add'>): OnRunEnded {
  return (run, endedAtMs) => {
    const event = eventOf(run, endedAtMs)
    if (event !== null) outbox.add(event)
  }
}

/**
 * Judges the `webhook_url` of a request before anything is stored or charged; null where there is none.
 * Throws 400, which repeats nothing of it.
 */
export type WebhookGate = (webhookUrl: string | undefined) => Promise<string | null>

function createWebhookGate(guard: AddressGuard, clock: Clock): WebhookGate {
  return async (webhookUrl) => {
    if (webhookUrl === undefined) return null
    const check = await within({ clock, msMax: limits.resolveMsMax }, (signal) =>
      guard.judge(webhookUrl, signal),
    )
    if (check.kind === 'refused') throw badRequest(`webhook_url: ${check.reason}`)
    return webhookUrl
  }
}
