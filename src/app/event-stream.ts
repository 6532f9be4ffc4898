/** Unread events beyond this are dropped, oldest first: nobody has to read them for a run to go on. */
const unreadMax = 1_000

/** Events pushed from one side, read from the other. */
export class EventStream<Event> {
  readonly #unread: Event[] = []
  #isEnded = false
  #wake: (() => void) | null = null

  push(event: Event): void {
    this.#unread.push(event)
    if (this.#unread.length > unreadMax) this.#unread.shift()
    this.#wake?.()
  }

  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  async *read(): AsyncGenerator<Event, void, undefined> {
    for (;;) {
      const event = this.#unread.shift()
      if (event !== undefined) yield event
      else if (this.#isEnded) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
