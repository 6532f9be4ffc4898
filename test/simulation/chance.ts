import { createSeededFractions, type Random } from '../../src/platform/clock.js'

/** Chance that one seed decides: the same seed makes the same world. */
export class Chance implements Random {
  readonly fraction: () => number
  #idCount = 0

  constructor(seed: number) {
    this.fraction = createSeededFractions(seed)
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
