import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { createSecrets } from '../accounts/secrets.js'
import { createSharedSecrets } from '../accounts/postgres/secrets.js'
import { limits } from '../limits.js'
import type { SharedStorage } from '../storage/storage.js'
import type { AttemptDeps } from './attempt.js'
import { createEventStore, type AnyEventStore } from './event-store.js'
import { createOutbox, type Outbox, type OutboxWakes } from './outbox.js'
import { createSharedEventStore } from './postgres/event-store.js'
import { createSharedOutbox, type SharedOutbox } from './postgres/outbox.js'

/** Where events are kept, from when they are written to when they are delivered. */
export interface Outgoing<Box extends OutboxWakes = OutboxWakes> {
  readonly outbox: Box
  readonly events: AnyEventStore
  readonly signingSecrets: AttemptDeps['signingSecrets']
  /** How often it is looked for what other processes added, or left; Infinity where there are none. */
  readonly lookEveryMs: number
}

export interface OutgoingDeps {
  readonly clock: Clock
  readonly random: Random
  /** How much later than at once an event is due: for rehearsals. */
  readonly lateMs: () => number
}

export function createOutgoing(database: Sqlite, { random, lateMs }: OutgoingDeps): Outgoing<Outbox> {
  const secrets = createSecrets(database)
  return {
    outbox: createOutbox(database, random, lateMs),
    events: createEventStore(database),
    signingSecrets: (account, nowMs) => secrets.signingSecrets(account, nowMs),
    lookEveryMs: Infinity,
  }
}

export function createSharedOutgoing(
  storage: SharedStorage,
  { clock, random, lateMs }: OutgoingDeps,
): Outgoing<SharedOutbox> {
  const secrets = createSharedSecrets(storage.postgres)
  return {
    outbox: createSharedOutbox(random, lateMs),
    events: createSharedEventStore({ ...storage, clock }),
    signingSecrets: (account, nowMs) => secrets.signingSecrets(account, nowMs),
    lookEveryMs: limits.claimLookMs,
  }
}
