import { createHash } from 'node:crypto'
import type { EventType } from '../../contract/events.js'
import type { EventId } from '../../contract/enums.js'
import { deliveryLimits } from '../../contract/limits.js'
import { prepare, type Sqlite, type Statement } from '../../platform/sqlite.js'
import type { Random } from '../../platform/clock.js'
import { limits } from '../limits.js'

export interface NewEvent {
  readonly accountNumber: number
  readonly type: EventType
  /** Checked when the request was received. */
  readonly webhookUrl: string
  /** The run of the event. A second event of the same run throws. */
  readonly runId: string
  readonly customId: string | null
  /** The whole `data.object`, as JSON text or as a value: `{run_id, custom_id?, status, data}`. */
  readonly object: string | object
  readonly createdAtMs: number
}

/** Signals from the writers of events to the deliverer in the same process. */
export class LaneSignals {
  #added = new Set<string>()
  #listener: (lanes: ReadonlySet<string>) => void = () => undefined

  /** To be called after the commit. */
  readonly wake = (): void => {
    const lanes = this.#added
    this.#added = new Set()
    this.#listener(lanes)
  }

  /** Sets the deliverer's listener. It gets the lanes (`toLane`) with events added since the last wake. */
  onWake(listener: (lanes: ReadonlySet<string>) => void): void {
    this.#listener = listener
  }

  protected note(lane: string): void {
    this.#added.add(lane)
  }
}

/**
 * Stores events to be delivered. `add` writes in the open transaction, so that an event is as durable as its run.
 * `lateMs` delays the first attempt of an event; for rehearsals.
 */
export class Outbox extends LaneSignals {
  readonly #insert: Statement<[object]>
  readonly #random: Random
  readonly #lateMs: () => number

  constructor(database: Sqlite, random: Random, lateMs = () => 0) {
    super()
    this.#insert = prepare(
      database,
      `INSERT INTO events (event_id, account_number, type, webhook_url, lane, run_id, created_at_ms, body,
         next_attempt_at_ms)
       VALUES (@eventId, @accountNumber, @type, @webhookUrl, @lane, @runId, @createdAtMs, @body, @dueAtMs)`,
    )
    this.#random = random
    this.#lateMs = lateMs
  }

  add(event: NewEvent): void {
    const { accountNumber, type, webhookUrl, runId, createdAtMs } = event
    const eventId = createEventId(createdAtMs, this.#random)
    const lane = toLane(accountNumber, webhookUrl)
    const body = buildEventBody(eventId, event)
    const dueAtMs = createdAtMs + this.#lateMs()
    this.#insert.run({ eventId, accountNumber, type, webhookUrl, lane, runId, createdAtMs, body, dueAtMs })
    this.note(lane)
  }
}

/** Starts with the time, so that new ids are adjacent in the indexes. */
export const createEventId = (createdAtMs: number, random: Pick<Random, 'id'>): EventId =>
  random.id(`evt_${createdAtMs.toString(36)}`) as EventId

/**
 * Returns the lane of an account's deliveries to one address, without its query. They are queued together and do not
 * delay other lanes. The path is hashed, because an index of PostgreSQL takes no long key.
 */
export function toLane(accountNumber: number, webhookUrl: string): string {
  const { host, pathname } = new URL(webhookUrl)
  if (pathname === '/') return `${accountNumber} ${host}`
  return `${accountNumber} ${host} ${createHash('sha256').update(pathname).digest('base64url').slice(0, 22)}`
}

/**
 * Builds the body of a delivery once; every attempt sends these bytes (interface: "Delivery request"). A body of more
 * than a megabyte is sent without its data, which the run poll returns.
 */
export function buildEventBody(eventId: EventId, event: NewEvent): string {
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

/** The state of one account's deliveries to one address. */
interface Lane {
  readonly inFlight: Set<number>
  /** No event of the lane is due earlier, except those in flight. */
  dueAtMs: number
}

/** Selects the next deliveries, with limits per lane, host and account, so that slow receivers do not delay others. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  /** Counts by account, and by account and host. */
  readonly #inFlightCounts = new Map<string, number>()
  #inFlightCount = 0

  /** Notes that an event of the lane is due at or before that time. */
  note(name: string, dueAtMs: number): void {
    const lane = this.#lanes.get(name)
    if (lane === undefined) {
      if (dueAtMs < Infinity) this.#lanes.set(name, { inFlight: new Set(), dueAtMs })
    } else lane.dueAtMs = Math.min(lane.dueAtMs, dueAtMs)
  }

  /** Replaces the lanes to deliver and their first due times. Removed lanes only finish events in flight. */
  replace(lanes: readonly { readonly lane: string; readonly nextAttemptAtMs: number }[]): void {
    for (const [name, lane] of [...this.#lanes]) {
      lane.dueAtMs = Infinity
      this.#forgetIdle(name)
    }
    for (const { lane, nextAttemptAtMs } of lanes) this.note(lane, nextAttemptAtMs)
  }

  /** Returns the lanes with a due event, the least recently served first. */
  listDue(nowMs: number): string[] {
    return [...this.#lanes].flatMap(([name, { dueAtMs }]) => (dueAtMs <= nowMs ? [name] : []))
  }

  /** Returns the next due time among lanes with free capacity; `Infinity` if none. */
  nextDueAtMs(): number {
    let nextMs = Infinity
    for (const [name, { dueAtMs }] of this.#lanes) {
      if (dueAtMs < nextMs && this.getFreeCapacity(name) > 0) nextMs = dueAtMs
    }
    return nextMs
  }

  getFreeCapacity(name: string): number {
    const getCount = (group: string) => this.#inFlightCounts.get(group) ?? 0
    return Math.min(
      limits.deliveriesMax - this.#inFlightCount,
      limits.deliveriesPerAccountMax - getCount(toAccount(name)),
      limits.deliveriesPerHostMax - getCount(toHost(name)),
      limits.deliveriesPerLaneMax - this.getInFlight(name).size,
    )
  }

  getInFlight(name: string): ReadonlySet<number> {
    return this.#lanes.get(name)?.inFlight ?? nothing
  }

  addInFlight(name: string, eventNumber: number): void {
    const lane = this.#lanes.get(name) ?? { inFlight: new Set(), dueAtMs: Infinity }
    lane.inFlight.add(eventNumber)
    this.#lanes.set(name, lane)
    this.#count(name, 1)
  }

  removeInFlight(name: string, eventNumber: number): void {
    this.#lanes.get(name)?.inFlight.delete(eventNumber)
    this.#count(name, -1)
    this.#forgetIdle(name)
  }

  /** Marks the lane as served: until `note` is called again, nothing in it is due. */
  markServed(name: string): void {
    const lane = this.#lanes.get(name)
    if (lane === undefined) return
    this.#lanes.delete(name)
    this.#lanes.set(name, lane)
    lane.dueAtMs = Infinity
    this.#forgetIdle(name)
  }

  #count(name: string, change: 1 | -1): void {
    for (const group of [toAccount(name), toHost(name)]) {
      const count = (this.#inFlightCounts.get(group) ?? 0) + change
      if (count === 0) this.#inFlightCounts.delete(group)
      else this.#inFlightCounts.set(group, count)
    }
    this.#inFlightCount += change
  }

  #forgetIdle(name: string): void {
    const lane = this.#lanes.get(name)
    if (lane?.inFlight.size === 0 && lane.dueAtMs === Infinity) this.#lanes.delete(name)
  }
}

const nothing: ReadonlySet<number> = new Set()

/** Returns the account in a lane's name. */
export function toAccount(name: string): string {
  return name.slice(0, name.indexOf(' '))
}

/** Returns the account and the host in a lane's name. */
const toHost = (name: string): string => name.split(' ', 2).join(' ')
