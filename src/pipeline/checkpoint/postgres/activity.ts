import type { Partition } from '../../rules/partition.js'

const phases = {
  reading: 'reading the input',
  planning: 'planning',
  elsewhere: 'waiting for others',
} as const
type Phase = keyof typeof phases | 'submitting' | 'writing'

/** What a process does, as `enrich status` shows it to others. */
export class Activity {
  readonly #part: Partition | null
  readonly #inFlight: () => number
  #phase: Phase = 'reading'
  /** Intentions since it was last asked. */
  #intendedCount = 0

  constructor(part: Partition | null, inFlight: () => number) {
    this.#part = part
    this.#inFlight = inFlight
  }

  note(phase: Phase): void {
    this.#phase = phase
    if (phase === 'submitting') this.#intendedCount++
  }

  /** A few words, for people. */
  text(): string {
    const isSubmitting = this.#inFlight() + this.#intendedCount > 0
    this.#intendedCount = 0
    switch (this.#phase) {
      case 'submitting':
        return isSubmitting ? `submitting, ${this.#inFlight()} in flight` : 'waiting for answers'
      case 'writing':
        return this.#part === null
          ? 'writing the output'
          : `publishing part ${this.#part.index}/${this.#part.count}`
      default:
        return phases[this.#phase]
    }
  }
}
