/** A commit waits for so many turns of the event loop, each of which brings what came meanwhile. */
const gatherTurns = 4
/** However busy the loop is, nobody waits for company longer than this. */
const gatherMsMax = 20

/**
 * When to commit a group: after a few turns of the event loop. Where nothing else goes on these pass at once;
 * under load they take time, and whoever comes in them shares the commit: the more there is to do, the larger
 * the groups.
 */
export class Gathering {
  #isDue = false
  #turns = 0
  #sinceMs = 0

  constructor(private readonly commit: () => void) {}

  /** Something waits to be committed: soon it will be, with whatever comes until then. */
  request(): void {
    if (this.#isDue) return
    this.#isDue = true
    this.#turns = 0
    this.#sinceMs = performance.now()
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#turns++
    if (this.#turns < gatherTurns && performance.now() - this.#sinceMs < gatherMsMax) {
      setImmediate(this.#turn)
      return
    }
    this.#isDue = false
    this.commit()
  }
}
