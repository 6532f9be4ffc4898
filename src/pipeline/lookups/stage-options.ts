import { rateLimits } from '../../contract/limits.js'
import type { StageKind } from './lookup-kind.js'
import type { PlanPolicy } from './lookup-state.js'
import type { PollingPace } from '../pace/polling.js'

/** How lookups of one kind are asked. */
export interface KindOptions {
  /** An answer older than this is asked again; null keeps answers for good. */
  maxAgeMs: number | null
  /** Requests of the job that begin something, over all its processes; null is no limit. */
  lookupsMax: number | null
  /**
   * Requests a window; null is no limit. Reads of entities are all of one limit, and so are all requests about
   * domains (interface: "Limits"): there `pollsPerWindow` is not looked at.
   */
  limits: { submissionsPerWindow: number | null; pollsPerWindow: number | null }
  polling: PollingPace
}

/** What is asked besides resolutions. */
export interface StageOptions {
  /** What is asked after the answers. */
  asked: readonly StageKind[]
  /** Of every kind: rows may ask for domains, and merged ids are followed, where no stage is asked for. */
  kinds: Readonly<Record<StageKind, KindOptions>>
}

/** What resolutions keep to. */
interface OptionsOfResolutions {
  limits: { submissionsPerWindow: number | null; windowMs: number }
  polling: PollingPace
}

/** Research of owners takes several times as long as a record (interface: "Limits"). */
const hierarchySlowness = 5

/** The interface's own limits; without any where resolutions have none. */
export function defaultStages(
  { limits, polling }: OptionsOfResolutions,
  asked: readonly StageKind[] = [],
): StageOptions {
  const perWindow = (perMinute: number) =>
    limits.submissionsPerWindow === null
      ? null
      : Math.max(1, Math.round((perMinute * limits.windowMs) / 60_000))
  const kindOf = (submissionsPerMinute: number, pollsPerMinute: number): KindOptions => ({
    maxAgeMs: null,
    lookupsMax: null,
    limits: {
      submissionsPerWindow: perWindow(submissionsPerMinute),
      pollsPerWindow: perWindow(pollsPerMinute),
    },
    polling,
  })
  const { submissionsPerMinute, pollsPerMinute, entityReadsPerMinute, domainReadsPerMinute } = rateLimits
  const hierarchy = kindOf(submissionsPerMinute, pollsPerMinute)
  const slowPolling: PollingPace = {
    ...polling,
    firstAfterMs: polling.firstAfterMs * hierarchySlowness,
    deadlineMs: Math.max(polling.deadlineMs, polling.firstAfterMs * hierarchySlowness * 2),
  }
  return {
    asked,
    kinds: {
      entity: kindOf(entityReadsPerMinute, entityReadsPerMinute),
      hierarchy: { ...hierarchy, polling: slowPolling },
      domain: kindOf(domainReadsPerMinute, domainReadsPerMinute),
    },
  }
}

/** How lookups of a stage are planned where resolutions are planned by `policy`. */
export function stagePolicy<Policy extends Pick<PlanPolicy, 'onLost'>>(
  kind: StageKind,
  { kinds }: StageOptions,
  policy: Policy,
): Policy & Pick<PlanPolicy, 'maxAgeMs'> {
  return { ...policy, maxAgeMs: kinds[kind].maxAgeMs, onLost: lostOf(kind, policy.onLost) }
}

/** A record is read again for nothing, and of research a free read tells whether it was begun. */
function lostOf(kind: StageKind, onLost: PlanPolicy['onLost']): PlanPolicy['onLost'] {
  switch (kind) {
    case 'entity':
      return 'resubmit'
    case 'hierarchy':
      return 'poll'
    case 'domain':
      return onLost
  }
}
