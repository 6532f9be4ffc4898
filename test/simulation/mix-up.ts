import type { Chance } from './chance.js'
import { domainBody, entityBody, hierarchyBody, mergedIntoOf, type AskedRecord } from './record-bodies.js'
import type { LedgerEntry } from './failing-service.js'

/** How a cache or a proxy in front of the service mixes answers up; each a probability. */
interface MixUpWeather {
  /** A poll is answered with another run's answer. */
  poll: number
  /** Of those: the body is rewritten, so that only the query or the custom_id tells whose it is. */
  rewritten: number
  /** The same wrong body goes on being sent for a poll, as a cache sends it. */
  cached: number
  /** The answer to a submission is that to another one. */
  kickoff: number
  /** Of those: without the custom_id, so that one run is named for two submissions. */
  anonymous: number
  /** A reading of an entity is answered with the record of another one. */
  entity: number
}

const calm: MixUpWeather = { poll: 0, rewritten: 0, cached: 0, kickoff: 0, anonymous: 0, entity: 0 }

export type Body = Record<string, unknown>

/**
 * Mixes up what the service answers. Its chance is its own, so that the rest of the world is that of the same seed
 * without it; what it does is always such that the answer can tell whose it is.
 */
export class MixUp {
  weather: MixUpWeather = calm
  swappedCount = 0
  readonly #stuck = new Map<string, LedgerEntry>()
  readonly #ownKickoffs = new Set<unknown>()
  #lastKickoff: Body | null = null

  constructor(private readonly chance: Chance) {}

  storm(): void {
    this.calm()
    const some = (max: number) => (this.chance.happens(0.5) ? this.chance.fraction() * max : 0)
    this.weather = {
      poll: some(0.7),
      rewritten: some(1),
      cached: some(1),
      kickoff: some(0.3),
      anonymous: some(1),
      entity: some(0.5),
    }
  }

  calm(): void {
    this.weather = calm
    this.#stuck.clear()
    this.#ownKickoffs.clear()
    this.#lastKickoff = null
  }

  /**
   * This answer arrived. Only one that arrived where it belongs is sent to others too: where nobody but the wrong
   * one was told of a run, and without a custom_id, nothing can ever set that right.
   */
  arrived(body: unknown): void {
    if (this.#ownKickoffs.has(body)) this.#lastKickoff = body as Body
  }

  /** The run whose answer is sent instead, or null. */
  instead(run: LedgerEntry, ledger: readonly LedgerEntry[]): LedgerEntry | null {
    const { chance, weather } = this
    const stuck = this.#stuck.get(run.runId)
    if (stuck !== undefined && chance.happens(weather.cached)) return this.#swap(stuck)
    this.#stuck.delete(run.runId)
    if (ledger.length < 2 || !chance.happens(weather.poll)) return null
    const others = ledger.filter(({ runId }) => runId !== run.runId)
    if (others.length === 0) return null
    const other = chance.pick(others)
    this.#stuck.set(run.runId, other)
    return this.#swap(other)
  }

  /** The other's answer with the ids of the run that was asked for, where its query or custom_id still tells. */
  rewrite(run: LedgerEntry, body: Body): Body {
    const { chance, weather } = this
    if (!chance.happens(weather.rewritten)) return body
    const bearsQuery = typeof body['data'] === 'object' && body['data'] !== null && 'metadata' in body['data']
    return {
      ...body,
      run_id: run.runId,
      ...(bearsQuery && chance.happens(0.5) ? { custom_id: run.customId } : {}),
    }
  }

  kickoff(body: Body): Body {
    const { chance, weather } = this
    const last = this.#lastKickoff
    if (last === null || !chance.happens(weather.kickoff)) {
      this.#ownKickoffs.add(body)
      return body
    }
    this.swappedCount++
    return chance.happens(weather.anonymous) ? { ...last, custom_id: null } : last
  }

  entity(body: Body): Body {
    if (!this.chance.happens(this.weather.entity)) return body
    this.swappedCount++
    return { status: 'matched', merged_into: null, entity: { id: 'siq_of_another' } }
  }

  /** The answer about another record of this kind; the record of a merged id is another one's anyway. */
  record(asked: AskedRecord, body: Body, known: ReadonlyMap<string, AskedRecord>): Body {
    const { chance, weather } = this
    if (!chance.happens(weather.entity)) return body
    const isOther = ({ kind, name }: AskedRecord) =>
      kind === asked.kind && name !== asked.name && mergedIntoOf(name) === null
    const others = [...known.values()].filter(isOther)
    if (others.length === 0) return body
    const other = chance.pick(others)
    const isDone = performance.now() >= other.doneAtMs
    this.swappedCount++
    switch (other.kind) {
      case 'entity':
        return entityBody(other, isDone)
      case 'hierarchy':
        return hierarchyBody(other, isDone)
      case 'domain':
        return domainBody(other, isDone)
    }
  }

  #swap(other: LedgerEntry): LedgerEntry {
    this.swappedCount++
    return other
  }
}
