import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { routes, type RouteName } from '../contract/routes.js'
import { describeFault } from '../contract/errors.js'
import { UserError } from '../core/errors.js'
import { createSeededFractions } from '../platform/clock.js'
import type { Knowledge } from './knowledge.js'

const buildKind = z.enum(['entity', 'domain', 'hierarchy'])
type BuildKind = z.infer<typeof buildKind>
const rate = z.number().min(0).max(1)
const lateSeconds = z.number().min(0).max(86_400).default(30)

/**
 * - `limited`: 429 as if the limit of the minute were reached, without counting.
 * - `error`: a 5xx before anything is done.
 * - `reset`: the connection is cut before anything is done.
 * - `lost_answer`: the request is executed, and the connection is cut before the answer.
 */
const requestFault = z.enum(['limited', 'error', 'reset', 'lost_answer'])
type RequestFault = z.infer<typeof requestFault>

/** A plan of faults for rehearsals, the content of `--faults FILE`. The same seed gives the same faults. */
export const faultPlan = z.strictObject({
  seed: z.int().min(0).default(1),
  /** Faults of requests. The first one in the list whose chance comes up applies. */
  requests: z
    .array(
      z.strictObject({
        fault: requestFault,
        rate,
        /** Names of the contract's routes; defaults to all. */
        routes: z
          .array(z.enum(Object.keys(routes) as [RouteName, ...RouteName[]]))
          .min(1)
          .optional(),
        /** The status of an `error`. */
        status: z.union([z.literal(500), z.literal(502), z.literal(503), z.literal(504)]).default(503),
      }),
    )
    .default([]),
  runs: z.strictObject({ failedRate: rate.default(0) }).prefault({}),
  /** Shares of the builds that fail, or take longer. */
  builds: z
    .strictObject({
      failedRate: rate.default(0),
      lateRate: rate.default(0),
      lateSeconds,
      /** Defaults to all. */
      kinds: z.array(buildKind).min(1).optional(),
    })
    .prefault({}),
  /** Shares of the deliveries that are sent twice, or late. */
  deliveries: z
    .strictObject({
      duplicateRate: rate.default(0),
      lateRate: rate.default(0),
      lateSeconds,
    })
    .prefault({}),
})
export type FaultPlan = z.output<typeof faultPlan>

export interface InjectedFault {
  readonly fault: RequestFault
  readonly status: number
}

/** Injected faults. Call each method once per event that could fail. */
export interface Faults {
  chooseRequestFault(route: RouteName): InjectedFault | null
  isRunFailing(): boolean
  readonly isBuildFailing: (kind: BuildKind) => boolean
  /** Time by which a build takes longer; usually 0. */
  readonly buildDelayMs: (kind: BuildKind) => number
  /** Longest `buildDelayMs`. */
  readonly buildDelayMsMax: number
  isDeliveryDuplicated(): boolean
  /** Delay of a first attempt; usually 0. */
  deliveryDelayMs(): number
}

export const noFaults: Faults = {
  chooseRequestFault: () => null,
  isRunFailing: () => false,
  isBuildFailing: () => false,
  buildDelayMs: () => 0,
  buildDelayMsMax: 0,
  isDeliveryDuplicated: () => false,
  deliveryDelayMs: () => 0,
}

/** Creates faults. Each kind has its own random sequence: more polls do not change which runs fail. */
export function createFaults(plan: FaultPlan): Faults {
  const [forRequests, forRuns, forDeliveries, forFailedBuilds, forLateBuilds] = [
    ...[0, 1, 2].map((offset) => plan.seed * 3 + offset),
    // Negative, so that no other plan has the same sequence.
    ...[1, 2].map((offset) => -(plan.seed * 2 + offset)),
  ].map(createSeededFractions)
  const isTriggered = (rate: number, fraction: (() => number) | undefined) =>
    rate > 0 && fraction !== undefined && fraction() < rate
  const { deliveries, runs, builds } = plan
  const isBuildHit = (kind: BuildKind, rate: number, fraction?: () => number) =>
    builds.kinds?.includes(kind) !== false && isTriggered(rate, fraction)
  return {
    chooseRequestFault: (route) => {
      for (const { fault, rate, status, routes } of plan.requests) {
        if (routes?.includes(route) !== false && isTriggered(rate, forRequests)) return { fault, status }
      }
      return null
    },
    isRunFailing: () => isTriggered(runs.failedRate, forRuns),
    isBuildFailing: (kind) => isBuildHit(kind, builds.failedRate, forFailedBuilds),
    buildDelayMs: (kind) =>
      isBuildHit(kind, builds.lateRate, forLateBuilds) ? builds.lateSeconds * 1_000 : 0,
    buildDelayMsMax: builds.lateRate > 0 ? builds.lateSeconds * 1_000 : 0,
    isDeliveryDuplicated: () => isTriggered(deliveries.duplicateRate, forDeliveries),
    deliveryDelayMs: () =>
      isTriggered(deliveries.lateRate, forDeliveries) ? deliveries.lateSeconds * 1_000 : 0,
  }
}

/** Creates the faults of a plan in a file. Throws FAULTS_INVALID with the name of the key. */
export function readFaults(path: string): Faults {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UserError('FAULTS_INVALID', `the plan of faults ${path} cannot be read as JSON`, {
      hint: 'it looks like {"seed": 1, "requests": [{"fault": "error", "rate": 0.01}]}',
      cause: error,
    })
  }
  const parsed = faultPlan.safeParse(value)
  if (parsed.success) return createFaults(parsed.data)
  const fault = describeFault(parsed.error, value, (at) => (at === '' ? 'the plan' : at))
  throw new UserError('FAULTS_INVALID', `the plan of faults ${path}: ${fault}`, {
    hint: 'rates are from 0 to 1; faults are limited, error, reset and lost_answer',
  })
}

/** Returns knowledge whose resolutions fail as often as the plan says. */
export function withFaults(knowledge: Knowledge, faults: Faults): Knowledge {
  if (faults === noFaults) return knowledge
  return {
    ...knowledge,
    resolve: (query, run) => {
      if (faults.isRunFailing()) throw new Error('failed by the plan of faults')
      return knowledge.resolve(query, run)
    },
  }
}
