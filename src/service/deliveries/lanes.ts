import { limits } from '../limits.js'

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
