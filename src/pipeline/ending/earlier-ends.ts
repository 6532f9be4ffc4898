/** Timestamps of earlier runs in the metrics file, in seconds since 1970; `null` if unknown. */
export interface EarlierEnds {
  readonly successSeconds: number | null
  readonly outputSeconds: number | null
}

/** Names of the metrics that are carried over from run to run. */
export const earlierNames = {
  success: 'enrich_run_last_success_timestamp_seconds',
  output: 'enrich_run_last_output_timestamp_seconds',
} as const
