import type { RouteName } from '../../contract/routes.js'
import { seededFractions } from '../../platform/random.js'
import type { Knowledge } from '../knowledge.js'
import type { FaultPlan, RequestFault } from './plan.js'

/** A fault that a request meets; `status` is that of an `error`. */
export interface MetFault {
  readonly fault: RequestFault
  readonly status: number
}

/** What goes wrong on purpose. Asked once for each thing that could. */
export interface Faults {
  ofRequest(route: RouteName): MetFault | null
  isRunFailing(): boolean
  isDeliveryDuplicated(): boolean
  /** How much later than due a first attempt is made; 0 mostly. */
  deliveryDelayMs(): number
}

export const noFaults: Faults = {
  ofRequest: () => null,
  isRunFailing: () => false,
  isDeliveryDuplicated: () => false,
  deliveryDelayMs: () => 0,
}

/** Each kind of thing has chances of its own: more polls do not change which runs fail. */
export function createFaults(plan: FaultPlan): Faults {
  const [forRequests, forRuns, forDeliveries] = [0, 1, 2].map((offset) =>
    seededFractions(plan.seed * 3 + offset),
  )
  const happens = (rate: number, fraction: (() => number) | undefined) =>
    rate > 0 && fraction !== undefined && fraction() < rate
  const { deliveries, runs } = plan
  return {
    ofRequest: (route) => {
      for (const { fault, rate, status, routes } of plan.requests) {
        if (routes?.includes(route) !== false && happens(rate, forRequests)) return { fault, status }
      }
      return null
    },
    isRunFailing: () => happens(runs.failedRate, forRuns),
    isDeliveryDuplicated: () => happens(deliveries.duplicateRate, forDeliveries),
    deliveryDelayMs: () => (happens(deliveries.lateRate, forDeliveries) ? deliveries.lateSeconds * 1_000 : 0),
  }
}

/** Research that fails as often as the plan says, and else knows what it knew. */
export function withFaults(knowledge: Knowledge, faults: Faults): Knowledge {
  if (faults === noFaults) return knowledge
  return {
    ...knowledge,
    resolve: (query) => {
      if (faults.isRunFailing()) throw new Error('it was to fail, by the plan of faults')
      return knowledge.resolve(query)
    },
  }
}
