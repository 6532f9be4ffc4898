import type { CostLimit } from '../../src/core/money.js'
import type { Stop } from '../../src/pipeline/scheduler/scheduling.js'
import { Chance } from './chance.js'
import { hold } from './invariants.js'
import type { FailingService } from './failing-service.js'

/** Of different sizes: a kind may be too dear where another is not. Records are read for nothing. */
const prices = { resolution: 70, hierarchy: 110, domain: 30 } as const

/** What one seed decides of money, and the judge of it: he reads the service's own books. */
export interface CostWorld {
  readonly limit: CostLimit
  /** What the service had billed when the job began that goes on. */
  billedBeforeMicros: number
  /** Processes that the budget ended. */
  stopCount: number
}

/** Chance of its own, so that the rest of the world is that of the same seed without. */
export function openCostWorld(seed: number): CostWorld {
  const chance = new Chance(seed + 4_000_000_007)
  const costMaxMicros = chance.whole(330, chance.pick([600, 2_500]))
  return {
    limit: { prices: { currency: null, byKind: prices }, costMaxMicros },
    billedBeforeMicros: 0,
    stopCount: 0,
  }
}

const billedMicros = ({ ledger, records }: FailingService): number =>
  ledger.length * prices.resolution +
  (records?.ledger ?? []).reduce(
    (sum, { kind }) => sum + prices[kind === 'domain' ? 'domain' : 'hierarchy'],
    0,
  )

/** Held after every step: the bill of a job never exceeds its budget, whatever is in flight, lost or killed. */
export function assertCostKept({ limit, billedBeforeMicros }: CostWorld, service: FailingService): void {
  const billed = billedMicros(service) - billedBeforeMicros
  hold(billed <= limit.costMaxMicros, `a job was billed ${billed} of at most ${limit.costMaxMicros}`)
}

/** A job is over with its last kind, or with its budget. `hasEnded`: a process died while it wrote that down. */
export function endOfJob(
  world: CostWorld,
  service: FailingService,
  ended: { isDead: boolean; hasEnded: boolean; stops: readonly (Stop | null)[] },
): void {
  const isOver = (stop: Stop | null) => stop === null || ['lookups_max', 'cost_max'].includes(stop.kind)
  const isCostEnd = ended.stops.some((stop) => stop?.kind === 'cost_max')
  if (isCostEnd) world.stopCount++
  const isEnded = ended.isDead ? ended.hasEnded : ended.stops.every(isOver) || isCostEnd
  if (isEnded) world.billedBeforeMicros = billedMicros(service)
}
