/** How often the usual a value may be before the scale ends below it. */
const outlierFactor = 4

/**
 * Where a scale from 0 ends: at the largest value, or, where a few are far above all others, a little above those
 * others, so that one night of ten thousand does not flatten thirty of a hundred.
 */
export function ceilingOf(values: readonly number[]): number {
  const sorted = [...values].filter((value) => value > 0).sort((one, other) => one - other)
  const largest = sorted.at(-1) ?? 1
  if (sorted.length < 4) return largest
  const usual = sorted[Math.floor((sorted.length - 1) * 0.8)] ?? largest
  if (largest <= usual * outlierFactor) return largest
  const rest = sorted.filter((value) => value <= usual * outlierFactor)
  return (rest.at(-1) ?? usual) * 1.25
}
