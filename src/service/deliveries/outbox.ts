import type { EventType } from '../../contract/events.js'
import type { EventId } from '../../contract/ids.js'
import { deliveryLimits } from '../../contract/limits.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { Random } from '../../platform/random.js'

/** What is to be delivered to a `webhook_url`. */
export interface NewEvent {
  readonly accountNumber: number
  readonly type: EventType
  /** Judged when it was given. */
  readonly webhookUrl: string
  /** What the event is about: one event a run is taken, and a second one throws. */
  readonly runId: string
  readonly customId: string | null
  /** `data.object` whole, as JSON text or as what becomes it: `{run_id, custom_id?, status, data}`. */
  readonly object: string | object
  readonly createdAtMs: number
}

/** Between those who write events and who delivers them, in one process. */
export interface OutboxWakes {
  /** For after the commit. */
  readonly wake: () => void
  /** Who delivers; the lanes (`laneOf`) that something was added to since it was last woken. */
  readonly onWake: (listener: (lanes: ReadonlySet<string>) => void) => void
}

/** Events on their way out. `add` writes in whatever transaction is open: an event is as durable as what it is about. */
export interface Outbox extends OutboxWakes {
  add(event: NewEvent): void
}

export interface LaneWakes extends OutboxWakes {
  readonly note: (lane: string) => void
}

export function createLaneWakes(): LaneWakes {
  let added = new Set<string>()
  let listener: (lanes: ReadonlySet<string>) => void = () => undefined
  return {
    note: (lane) => {
      added.add(lane)
    },
    wake: () => {
      const lanes = added
      added = new Set()
      listener(lanes)
    },
    onWake: (listen) => {
      listener = listen
    },
  }
}

/** `lateMs` is how much later than at once an event is due: for rehearsals. */
export function createOutbox(database: Sqlite, random: Random, lateMs = () => 0): Outbox {
  const insert = database.prepare(`
    INSERT INTO events (event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body,
      next_attempt_at_ms)
    VALUES (@eventId, @accountNumber, @type, @webhookUrl, @lane, @runId, @createdAtMs, @body, @dueAtMs)`)
  const { note, wake, onWake } = createLaneWakes()
  return {
    add: (event) => {
      const { accountNumber, type, webhookUrl, runId, createdAtMs } = event
      const eventId = newEventId(createdAtMs, random)
      const lane = laneOf(accountNumber, webhookUrl)
      const body = eventBody(eventId, event)
      const dueAtMs = createdAtMs + lateMs()
      insert.run({ eventId, accountNumber, type, webhookUrl, lane, runId, createdAtMs, body, dueAtMs })
      note(lane)
    },
    wake,
    onWake,
  }
}

/** It begins with the time: new ones land side by side in the indexes. */
export const newEventId = (createdAtMs: number, random: Pick<Random, 'id'>): EventId =>
  random.id(`evt_${createdAtMs.toString(36)}`) as EventId

/** One account's deliveries to one host: what waits its turn together, and holds nobody else up. */
export function laneOf(accountNumber: number, webhookUrl: string): string {
  return `${accountNumber} ${new URL(webhookUrl).host}`
}

/**
 * The body of a delivery (interface: "Delivery request"), composed once: every attempt sends these bytes. One
 * of more than a megabyte goes without its data, which is left to the run poll.
 */
export function eventBody(eventId: EventId, event: NewEvent): string {
  const { type, object, createdAtMs } = event
  const head = {
    id: eventId,
    object: 'event',
    type,
    api_version: 'v3',
    created: Math.floor(createdAtMs / 1000),
  }
  const opening = JSON.stringify(head).slice(0, -1)
  const text = typeof object === 'string' ? object : JSON.stringify(object)
  const whole = `${opening},"data":{"object":${text}}}`
  if (Buffer.byteLength(whole) <= deliveryLimits.payloadBytesMax) return whole
  const bare = JSON.stringify({ ...(JSON.parse(text) as object), data: null })
  return `${opening},"data":{"object":${bare}},"data_truncated":true}`
}
