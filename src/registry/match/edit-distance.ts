/**
 * Damerau-Levenshtein distance (a swap of neighbours counts one), or `distanceMax + 1` as soon as it is
 * certain to be more.
 */
export function boundedDistance(a: string, b: string, distanceMax: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > distanceMax) return distanceMax + 1
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    let rowMin = i
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      if (swapped) cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1)
      current.push(cost)
      if (cost < rowMin) rowMin = cost
    }
    if (rowMin > distanceMax) return distanceMax + 1
    beforePrevious = previous
    previous = current
  }
  return Math.min(previous[b.length] ?? 0, distanceMax + 1)
}

/** How many typing errors a word of this length may hold and still be that word. */
export function typosAllowed(charCount: number): 0 | 1 | 2 {
  if (charCount < 5) return 0
  return charCount < 9 ? 1 : 2
}
