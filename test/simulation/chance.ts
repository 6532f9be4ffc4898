import type { Random } from '../../src/platform/random.js'

/** Chance that one seed decides: the same seed makes the same world (mulberry32). */
export class Chance implements Random {
  #state: number
  #idCount = 0

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  readonly fraction = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  readonly id = (prefix: string): string =>
    `${prefix}${String(++this.#idCount)}x${Math.floor(this.fraction() * 2 ** 32).toString(36)}`

  happens(probability: number): boolean {
    return this.fraction() < probability
  }

  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1))
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.fraction() * items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
}
