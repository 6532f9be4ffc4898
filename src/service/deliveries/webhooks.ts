import { isLoopback } from '../../core/base-url.js'
import { UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { createSecrets } from '../accounts/secrets.js'
import type { Faults } from '../faults/faults.js'
import type { OnRunEnded } from '../runs/run-store.js'
import type { AttemptParts } from './attempt.js'
import { createAddressGuard, systemResolver, type HostResolver } from '../outbound/address-guard.js'
import { startDeliverer, type Deliverer } from './deliverer.js'
import { createEventStore, type EventCount } from './event-store.js'
import { createOutbox, type Outbox } from './outbox.js'
import { createConnect } from '../outbound/pinned-connect.js'
import { createPost, type Post } from '../outbound/post.js'
import { tellOfRuns } from './run-events.js'
import { createWebhookGate, type WebhookGate } from './webhook-gate.js'

export interface WebhookOptions {
  /** Receivers on this machine may be delivered to, http too: for rehearsals. Default false. */
  readonly allowLocalWebhooks?: boolean
  /** Who says where a receiver's name leads; the system's name servers if left out. */
  readonly resolveHost?: HostResolver
}

/** Everything about events (interface: "Events"). */
export interface Webhooks {
  readonly outbox: Outbox
  readonly onRunEnded: OnRunEnded
  readonly gate: WebhookGate
  readonly eventCount: () => EventCount
  /** From here on what the outbox holds is delivered. */
  start(): void
  stop(): Promise<void>
}

interface Surroundings {
  readonly database: Sqlite
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
  readonly faults: Faults
}

export function createWebhooks(
  options: WebhookOptions,
  { database, clock, random, log, faults }: Surroundings,
): Webhooks {
  const { allowLocalWebhooks: allowsLocal = false, resolveHost: resolve = systemResolver } = options
  const guard = createAddressGuard({ resolve, allowsLocal })
  const outbox = createOutbox(database, random, () => faults.deliveryDelayMs())
  const events = createEventStore(database)
  const secrets = createSecrets(database)
  const post = withDuplicates(createPost(createConnect()), faults)
  let deliverer: Deliverer | undefined
  return {
    outbox,
    onRunEnded: tellOfRuns(outbox),
    gate: createWebhookGate(guard, clock),
    eventCount: () => events.count(),
    start: () => {
      const signingSecrets: AttemptParts['signingSecrets'] = (account, nowMs) =>
        secrets.signingSecrets(account, nowMs)
      deliverer ??= startDeliverer({ events, outbox, guard, post, signingSecrets, clock, log })
      if (allowsLocal) log(localWarning)
    },
    stop: async () => {
      await deliverer?.stop()
    },
  }
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
  'ATTENTION: local webhooks are allowed: whoever has a key can make this service send requests to this ' +
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
