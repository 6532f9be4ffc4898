/** Where the bar of a weight lies, in percent of the width that all candidates of a row share. */
export interface Bar {
  readonly left: number
  readonly width: number
  readonly isFor: boolean
}

export interface Scale {
  readonly least: number
  readonly most: number
}

type Weights = readonly (number | null)[]

/** One scale for several candidates, so that they can be compared; nothing is where no weight is known. */
export function scaleOf(candidates: readonly Weights[]): Scale {
  const points = candidates.flatMap((weights) => sumsOf(weights))
  return { least: Math.min(0, ...points), most: Math.max(0, ...points) }
}

/** Each weight begins where the one before it ended; null: no weight is known. */
export function barsOf(weights: Weights, { least, most }: Scale): (Bar | null)[] {
  const span = most - least
  let sum = 0
  return weights.map((weight) => {
    if (weight === null || span === 0) return null
    const before = sum
    sum += weight
    const left = ((Math.min(before, sum) - least) / span) * 100
    return { left, width: (Math.abs(weight) / span) * 100, isFor: weight >= 0 }
  })
}

/** Where nothing speaks for or against, in percent. */
export const zeroOf = ({ least, most }: Scale): number =>
  most === least ? 0 : ((0 - least) / (most - least)) * 100

/** After each weight. */
function sumsOf(weights: Weights): number[] {
  let sum = 0
  return weights.filter((weight) => weight !== null).map((weight) => (sum += weight))
}
