import type { EventType } from '../../contract/events.js'
import type { EventId } from '../../contract/ids.js'
import { deliveryLimits } from '../../contract/limits.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { Random } from '../../platform/random.js'
import { limits } from '../limits.js'

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

/** What is known of one account's deliveries to one host. */
interface Lane {
  readonly inFlight: Set<number>
  /** Nothing of it, but what is in flight, is due before. */
  dueAtMs: number
}

/**
 * Who may deliver next. Each lane has room of its own, so that a receiver which never answers holds up nothing
 * but itself, and each account, so that many such receivers do not either.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #inFlightOfAccounts = new Map<string, number>()
  #inFlightCount = 0

  /** Something of the lane is due then, or before. */
  note(name: string, dueAtMs: number): void {
    const lane = this.#lanes.get(name)
    if (lane === undefined) {
      if (dueAtMs < Infinity) this.#lanes.set(name, { inFlight: new Set(), dueAtMs })
    } else lane.dueAtMs = Math.min(lane.dueAtMs, dueAtMs)
  }

  /** These are the lanes to deliver, each with when its first is due; of others what is in flight ends, no more. */
  replace(lanes: readonly { readonly lane: string; readonly nextAttemptAtMs: number }[]): void {
    for (const [name, lane] of [...this.#lanes]) {
      lane.dueAtMs = Infinity
      this.#forgetIdle(name)
    }
    for (const { lane, nextAttemptAtMs } of lanes) this.note(lane, nextAttemptAtMs)
  }

  /** Lanes with something due; the one that was served last comes last. */
  due(nowMs: number): string[] {
    return [...this.#lanes].flatMap(([name, { dueAtMs }]) => (dueAtMs <= nowMs ? [name] : []))
  }

  /** When the next lane with room has something due; Infinity if none has. */
  nextDueAtMs(): number {
    let nextMs = Infinity
    for (const [name, { dueAtMs }] of this.#lanes) {
      if (dueAtMs < nextMs && this.roomOf(name) > 0) nextMs = dueAtMs
    }
    return nextMs
  }

  roomOf(name: string): number {
    const ofAccount = this.#inFlightOfAccounts.get(accountOf(name)) ?? 0
    return Math.min(
      limits.deliveriesMax - this.#inFlightCount,
      limits.deliveriesPerAccountMax - ofAccount,
      limits.deliveriesPerLaneMax - this.inFlightOf(name).size,
    )
  }

  inFlightOf(name: string): ReadonlySet<number> {
    return this.#lanes.get(name)?.inFlight ?? nothing
  }

  depart(name: string, eventNumber: number): void {
    const lane = this.#lanes.get(name) ?? { inFlight: new Set(), dueAtMs: Infinity }
    lane.inFlight.add(eventNumber)
    this.#lanes.set(name, lane)
    this.#count(name, 1)
  }

  arrive(name: string, eventNumber: number): void {
    this.#lanes.get(name)?.inFlight.delete(eventNumber)
    this.#count(name, -1)
    this.#forgetIdle(name)
  }

  /** The lane is about to be looked through: nothing of it is due but what is noted from here on. */
  serve(name: string): void {
    const lane = this.#lanes.get(name)
    if (lane === undefined) return
    this.#lanes.delete(name)
    this.#lanes.set(name, lane)
    lane.dueAtMs = Infinity
    this.#forgetIdle(name)
  }

  #count(name: string, change: 1 | -1): void {
    const account = accountOf(name)
    const ofAccount = (this.#inFlightOfAccounts.get(account) ?? 0) + change
    if (ofAccount === 0) this.#inFlightOfAccounts.delete(account)
    else this.#inFlightOfAccounts.set(account, ofAccount)
    this.#inFlightCount += change
  }

  #forgetIdle(name: string): void {
    const lane = this.#lanes.get(name)
    if (lane?.inFlight.size === 0 && lane.dueAtMs === Infinity) this.#lanes.delete(name)
  }
}

const nothing: ReadonlySet<number> = new Set()

/** A lane is named by the account and the host. */
export function accountOf(name: string): string {
  return name.slice(0, name.indexOf(' '))
}
