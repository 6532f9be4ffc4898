/** A condition of `--fail-on` that was met. */
export interface Alarm {
  /** As it was written: `lost_match>5%`. */
  readonly condition: string
  /** What was found, in the unit of the condition. */
  readonly found: number
  readonly message: string
}

