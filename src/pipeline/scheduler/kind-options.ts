import { rateLimits } from '../../contract/limits.js'
import type { StageKind } from '../rules/lookup-kind.js'
import type { PollingPace } from '../rules/polling.js'
import type { KindOptions, SchedulingOptions, StageOptions } from './deps.js'

/** Research of owners takes several times as long as a record (interface: "Limits"). */
const hierarchySlowness = 5

/** The interface's own limits; without any where resolutions have none. */
export function defaultStages(
  { limits, polling }: Pick<SchedulingOptions, 'limits' | 'polling'>,
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
