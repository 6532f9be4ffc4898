/** Letters as numbers. */
export type Codes = Uint8Array | Uint16Array

export function codesOf(word: string): Codes {
  const codes = new Uint16Array(word.length)
  for (let index = 0; index < word.length; index++) codes[index] = word.charCodeAt(index)
  return codes
}

/**
 * Damerau-Levenshtein distance (a swap of neighbours counts one), or `distanceMax + 1` as soon as it is
 * certain to be more.
 */
export function boundedDistance(a: string, b: string, distanceMax: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > distanceMax) return distanceMax + 1
  return boundedDistanceOf(codesOf(a), codesOf(b), distanceMax)
}

/** The two rows above the one that is being made; kept, because thousands of words are compared for one query. */
let rows = [new Int32Array(64), new Int32Array(64), new Int32Array(64)] as const

export function boundedDistanceOf(a: Codes, b: Codes, distanceMax: number): number {
  if (Math.abs(a.length - b.length) > distanceMax) return distanceMax + 1
  if (b.length >= rows[0].length) {
    rows = [new Int32Array(b.length + 1), new Int32Array(b.length + 1), new Int32Array(b.length + 1)]
  }
  let [beforePrevious, previous, current] = rows
  for (let j = 0; j <= b.length; j++) previous[j] = j
  for (let i = 1; i <= a.length; i++) {
    current[0] = i
    let rowMin = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, at(previous, j - 1) + (isSame ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) cost = Math.min(cost, at(beforePrevious, j - 2) + 1)
      current[j] = cost
      if (cost < rowMin) rowMin = cost
    }
    if (rowMin > distanceMax) return distanceMax + 1
    const spare = beforePrevious
    beforePrevious = previous
    previous = current
    current = spare
  }
  return Math.min(at(previous, b.length), distanceMax + 1)
}

function at(row: Int32Array, index: number): number {
  return row[index] ?? 0
}

/** How many typing errors a word of this length may hold and still be that word. */
export function typosAllowed(charCount: number): 0 | 1 | 2 {
  if (charCount < 5) return 0
  return charCount < 9 ? 1 : 2
}
