import { rateLimits } from '../../contract/limits.js'
import type { PlanPolicy } from '../checkpoint/lookup-state.js'
import type { StageKind } from '../../core/lookup-kinds.js'
import type { PollingPace } from './polling.js'

/** Options of one kind of lookups. */
export interface KindOptions {
  /** Maximum age of an answer before it is requested again; null keeps answers permanently. */
  maxAgeMs: number | null
  /** Limit of submissions of the job, over all its processes; null if unlimited. */
  lookupsMax: number | null
  /**
   * Requests in the window of the scheduler's limits; null if unlimited. Entity reads share one limit, and so do all domain requests (interface:
   * "Limits"): these ignore `pollsPerWindow`.
   */
  limits: { submissionsPerWindow: number | null; pollsPerWindow: number | null }
  polling: PollingPace
}

/** Kinds to look up in addition to resolutions. */
export interface StageOptions {
  /** Kinds to look up after the answers. */
  asked: readonly StageKind[]
  /** Options of every kind: rows may look up domains, and merged ids are followed, without any stage. */
  kinds: Readonly<Record<StageKind, KindOptions>>
}

interface ResolutionOptions {
  limits: { submissionsPerWindow: number | null; windowMs: number }
  polling: PollingPace
}

/** Research of owners takes several times as long as a record (interface: "Limits"). */
const hierarchySlowness = 5

/** Returns the limits of the interface; no limits if resolutions have none. */
export function createDefaultStages(
  { limits, polling }: ResolutionOptions,
  asked: readonly StageKind[] = [],
): StageOptions {
  const toPerWindow = (perMinute: number) =>
    limits.submissionsPerWindow === null
      ? null
      : Math.max(1, Math.round((perMinute * limits.windowMs) / 60_000))
  const createKindOptions = (submissionsPerMinute: number, pollsPerMinute: number): KindOptions => ({
    maxAgeMs: null,
    lookupsMax: null,
    limits: {
      submissionsPerWindow: toPerWindow(submissionsPerMinute),
      pollsPerWindow: toPerWindow(pollsPerMinute),
    },
    polling,
  })
  const { submissionsPerMinute, pollsPerMinute, entityReadsPerMinute, domainReadsPerMinute } = rateLimits
  const hierarchy = createKindOptions(submissionsPerMinute, pollsPerMinute)
  const slowPolling: PollingPace = {
    ...polling,
    firstAfterMs: polling.firstAfterMs * hierarchySlowness,
    deadlineMs: Math.max(polling.deadlineMs, polling.firstAfterMs * hierarchySlowness * 2),
  }
  return {
    asked,
    kinds: {
      entity: createKindOptions(entityReadsPerMinute, entityReadsPerMinute),
      hierarchy: { ...hierarchy, polling: slowPolling },
      domain: createKindOptions(domainReadsPerMinute, domainReadsPerMinute),
    },
  }
}

/** Returns the plan policy of a stage, derived from that of resolutions. */
export function buildStagePolicy<Policy extends Pick<PlanPolicy, 'onLost'>>(
  kind: StageKind,
  { kinds }: StageOptions,
  policy: Policy,
): Policy & Pick<PlanPolicy, 'maxAgeMs'> {
  return { ...policy, maxAgeMs: kinds[kind].maxAgeMs, onLost: getLossPolicy(kind, policy.onLost) }
}

/** A record can be read again, and another read shows whether research was started. */
function getLossPolicy(kind: StageKind, onLost: PlanPolicy['onLost']): PlanPolicy['onLost'] {
  switch (kind) {
    case 'entity':
      return 'resubmit'
    case 'hierarchy':
      return 'poll'
    case 'domain':
      return onLost
  }
}
