import type { Inbox } from '../../src/pipeline/inbox/inbox.js'
import type { Chance } from './chance.js'
import { runBody, type LedgerEntry } from './simulated-service.js'

/** How webhooks fare in this seed; each a probability unless its unit says otherwise. */
export interface PostWeather {
  /** All six tries were in vain. */
  lost: number
  twice: number
  truncated: number
  withoutBasis: number
  /** So long after its run ended, at most: the tries before were in vain. */
  lateMsMax: number
}

/** The service's deliveries, and a standing receiver: it outlives every process, and fills their inbox. */
export class SimulatedPost {
  readonly weather: PostWeather
  lostCount = 0
  #eventCount = 0

  constructor(
    private readonly chance: Chance,
    private readonly inbox: Inbox,
    weather?: PostWeather,
  ) {
    const some = (max: number) => (chance.happens(0.5) ? chance.fraction() * max : 0)
    this.weather = weather ?? {
      lost: some(0.3),
      twice: some(0.5),
      truncated: some(0.3),
      withoutBasis: some(0.5),
      lateMsMax: chance.pick([0, 10_000, 310_000]),
    }
  }

  /** A run was made: its event will be sent when it ends. */
  expect(run: LedgerEntry, hasAddress: boolean): void {
    const { chance, weather } = this
    if (!hasAddress || chance.happens(weather.lost)) {
      this.lostCount++
      return
    }
    const { body } = runBody(run, true, chance)
    const event = {
      id: `evt_${++this.#eventCount}`,
      data: { object: this.#asSent(body as Record<string, unknown>) },
      ...(chance.happens(weather.truncated) ? { data_truncated: true } : {}),
    }
    const delayMs = run.doneAtMs - performance.now() + chance.whole(0, weather.lateMsMax)
    this.#send(event, delayMs)
    if (chance.happens(weather.twice)) this.#send(event, delayMs + chance.whole(0, 400_000))
  }

  #asSent(run: Record<string, unknown>): Record<string, unknown> {
    if (
      typeof run['data'] !== 'object' ||
      run['data'] === null ||
      this.chance.happens(this.weather.withoutBasis)
    ) {
      return run
    }
    return { ...run, data: { ...run['data'], basis: [] } }
  }

  #send(event: { id: string }, delayMs: number): void {
    setTimeout(() => {
      void this.inbox.receive(event.id, Buffer.from(JSON.stringify(event)), Date.now())
    }, delayMs)
  }
}
