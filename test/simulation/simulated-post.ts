import type { Inbox } from '../../src/pipeline/checkpoint/inbox.js'
import type { Chance } from './chance.js'
import type { AskedRecord } from './record-bodies.js'
import { runBody, type LedgerEntry } from './failing-service.js'

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
  /** Domains whose record was sent whole. */
  readonly toldDomains = new Set<string>()
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

  /** A read, or a request about a domain, came before its record was built: its event will be sent at the end. */
  expectRecord({ kind, name, fate, doneAtMs }: AskedRecord, data: Record<string, unknown>): void {
    const { chance, weather } = this
    if (chance.happens(weather.lost)) return
    const type = `${kind === 'entity' ? 'entity' : 'domain_intelligence'}.${fate === 'fails' ? 'failed' : 'completed'}`
    const isTruncated = chance.happens(weather.truncated)
    const object = {
      run_id: `run_${kind}_${this.#eventCount}`,
      status: fate === 'fails' ? 'FAILED' : 'COMPLETED',
    }
    const event = {
      id: `evt_${++this.#eventCount}`,
      type,
      data: { object: { ...object, data: isTruncated ? null : data } },
      ...(isTruncated ? { data_truncated: true } : {}),
    }
    const delayMs = doneAtMs - performance.now() + chance.whole(0, weather.lateMsMax)
    const isTelling = kind === 'domain' && !isTruncated
    this.#send(event, delayMs, () => {
      if (isTelling) this.toldDomains.add(name)
    })
    if (chance.happens(weather.twice)) this.#send(event, delayMs + chance.whole(0, 400_000))
    if (chance.happens(weather.twice)) this.#forge(kind, delayMs)
  }

  /** What no request of ours led to, and what says that it is at its end and is not: none of it is an answer. */
  #forge(kind: AskedRecord['kind'], delayMs: number): void {
    const { chance } = this
    const stranger = kind === 'entity' ? { entity: { id: 'siq_stranger' } } : { domain: 'stranger-world.com' }
    const bodies = [stranger, { ...stranger, status: 'building', data: null }, {}, null, 'complete']
    const type = `${kind === 'entity' ? 'entity' : 'domain_intelligence'}.${chance.pick(['completed', 'failed'])}`
    const object = { run_id: 'run_of_nobody', status: 'COMPLETED', data: chance.pick(bodies) }
    this.#send({ id: `evt_${++this.#eventCount}`, type, data: { object } }, delayMs + chance.whole(0, 60_000))
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

  #send(
    event: { id: string; type?: string; data: unknown },
    delayMs: number,
    onSent: () => void = () => undefined,
  ): void {
    setTimeout(() => {
      onSent()
      void this.inbox.receive(event.id, Buffer.from(JSON.stringify(event)), Date.now())
    }, delayMs)
  }
}
