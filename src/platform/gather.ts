/** Timers know no shorter wait: on a quick disk it would be longer than the commit it saves. */
const gatherMsMin = 1
/** However slow the disk is, nobody waits for company longer than this. */
const gatherMsMax = 20

/**
 * When to commit a group: at once while little goes on, and under load not before as much time has passed since
 * the last commit as that one took. So at most half of the time is spent on commits, and the slower the disk,
 * the larger the groups.
 */
export class Gathering {
  #isDue = false
  #endedAtMs = -Infinity
  #tookMs = 0

  constructor(private readonly commit: () => void) {}

  /** Something waits to be committed: soon it will be, with whatever comes until then. */
  request(): void {
    if (this.#isDue) return
    this.#isDue = true
    const waitMs = this.#endedAtMs + Math.min(this.#tookMs, gatherMsMax) - performance.now()
    if (waitMs < gatherMsMin) setImmediate(this.#run)
    else setTimeout(this.#run, waitMs)
  }

  readonly #run = (): void => {
    this.#isDue = false
    const startedAtMs = performance.now()
    try {
      this.commit()
    } finally {
      this.#endedAtMs = performance.now()
      this.#tookMs = this.#endedAtMs - startedAtMs
    }
  }
}
