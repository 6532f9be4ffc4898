import { createSeededFractions } from '../../src/platform/clock.js'

/** Chance that a seed repeats. */
export class Dice {
  readonly fraction: () => number

  constructor(seed: number) {
    this.fraction = createSeededFractions(seed)
  }

  below(count: number): number {
    return Math.floor(this.fraction() * count)
  }

  /** Up to `count` of them, each once. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items]
    return Array.from({ length: Math.min(count, left.length) }, () =>
      left.splice(this.below(left.length), 1),
    ).flat()
  }
}
