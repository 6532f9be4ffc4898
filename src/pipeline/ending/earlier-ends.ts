/** Of runs that ended before, as far as the file knew of them; in seconds since 1970. */
export interface EarlierEnds {
  readonly successSeconds: number | null
  readonly outputSeconds: number | null
}

/** With the names of what is carried over from run to run. */
export const earlierNames = {
  success: 'enrich_run_last_success_timestamp_seconds',
  output: 'enrich_run_last_output_timestamp_seconds',
} as const
