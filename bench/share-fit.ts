/** One company of a query, in the ways it may be compared; the likeliest way counts. */
export interface CompanyRow {
  readonly options: readonly SparseRow[]
  readonly isRight: boolean
}

/** Features that are not 0, by their place: flat, for a fit goes over millions of them hundreds of times. */
export interface SparseRow {
  readonly places: Uint16Array
  readonly values: Float64Array
}

export interface ShareSample {
  readonly weight: number
  /** Features of "none of them". */
  readonly none: readonly number[]
  readonly companies: readonly CompanyRow[]
}

export function sparse(row: readonly number[]): SparseRow {
  const places = [...row.keys()].filter((at) => row[at] !== 0)
  return { places: Uint16Array.from(places), values: Float64Array.from(places, (at) => row[at] ?? 0) }
}

const iterationsMax = 200
/** From coefficients that fit most of the samples already. */
const furtherIterationsMax = 40
const historyMax = 12
const halvingsMax = 25
/** Less than this part of the loss gained in a step: it is found. */
const gainMin = 1e-6

/**
 * Fits the coefficients of companies and of "none" that make the shares of the right answers largest: the loss is
 * the log of the summed share of all right companies, or of none where none is right. L-BFGS with a ridge on every
 * coefficient but the first of "none", which must be that of a feature that is always 1. `fixed` ones, by their place,
 * keep their values. The same samples give the same coefficients.
 */
export function fitShares(
  samples: readonly ShareSample[],
  companySize: number,
  noneSize: number,
  ridge: number,
  start?: readonly number[],
  fixed: ReadonlyMap<number, number> = new Map(),
): number[] {
  const size = companySize + noneSize
  const lossOf = (at: Float64Array, gradient: Float64Array) => {
    const value = loss(samples, at, gradient, companySize, ridge)
    for (const place of fixed.keys()) gradient[place] = 0
    return value
  }
  let point: Float64Array = Float64Array.from(start ?? new Array<number>(size).fill(0))
  for (const [place, value] of fixed) point[place] = value
  const gradient = new Float64Array(size)
  let value = lossOf(point, gradient)
  const history: { step: Float64Array; change: Float64Array }[] = []
  const most = start === undefined ? iterationsMax : furtherIterationsMax
  for (let iteration = 0; iteration < most; iteration++) {
    const direction = directionOf(gradient, history)
    const slope = dot(gradient, direction)
    const nextGradient = new Float64Array(size)
    let next: Float64Array | null = null
    let nextValue = value
    for (let halving = 0, length = 1; halving < halvingsMax && next === null; halving++, length /= 2) {
      const tried = point.map((coordinate, at) => coordinate - length * (direction[at] ?? 0))
      nextValue = lossOf(tried, nextGradient)
      if (nextValue <= value - 1e-4 * length * slope) next = tried
    }
    if (next === null) break
    const [from, before] = [point, gradient]
    const step = next.map((coordinate, at) => coordinate - (from[at] ?? 0))
    const change = nextGradient.map((coordinate, at) => coordinate - (before[at] ?? 0))
    if (dot(step, change) > 1e-10) history.push({ step, change })
    if (history.length > historyMax) history.shift()
    const gain = value - nextValue
    point = next
    gradient.set(nextGradient)
    value = nextValue
    if (gain < gainMin * Math.abs(value)) break
  }
  return [...point]
}

function directionOf(
  gradient: Float64Array,
  history: readonly { step: Float64Array; change: Float64Array }[],
): Float64Array {
  const direction = Float64Array.from(gradient)
  const newestFirst = [...history].reverse()
  const shares = newestFirst.map(({ step, change }) => {
    const share = dot(step, direction) / dot(change, step)
    add(direction, -share, change)
    return share
  })
  const [newest] = newestFirst
  const scale =
    newest === undefined ? 1e-3 : dot(newest.step, newest.change) / dot(newest.change, newest.change)
  for (const at of direction.keys()) direction[at] = (direction[at] ?? 0) * scale
  for (const [at, { step, change }] of [...newestFirst.entries()].reverse())
    add(direction, (shares[at] ?? 0) - dot(change, direction) / dot(change, step), step)
  return direction
}

function loss(
  samples: readonly ShareSample[],
  point: Float64Array,
  gradient: Float64Array,
  companySize: number,
  ridge: number,
): number {
  let total = 0
  for (const at of point.keys()) {
    const coordinate = point[at] ?? 0
    const isFree = at === companySize
    gradient[at] = isFree ? 0 : ridge * coordinate
    total += isFree ? 0 : (ridge / 2) * coordinate * coordinate
  }
  for (const sample of samples) total += addSample(sample, point, gradient, companySize)
  return total
}

function addSample(
  { weight, none, companies }: ShareSample,
  point: Float64Array,
  gradient: Float64Array,
  companySize: number,
): number {
  const noneScore = none.reduce((sum, value, at) => sum + value * (point[companySize + at] ?? 0), 0)
  const chosen = companies.map(({ options, isRight }) => ({ ...bestOption(options, point), isRight }))
  const highest = Math.max(noneScore, ...chosen.map(({ score }) => score))
  const isNone = !companies.some(({ isRight }) => isRight)
  const nonePower = Math.exp(noneScore - highest)
  const powers = chosen.map(({ score }) => Math.exp(score - highest))
  const all = powers.reduce((sum, power) => sum + power, nonePower)
  const right = Math.max(
    1e-300,
    isNone ? nonePower : powers.reduce((sum, power, at) => sum + (chosen[at]?.isRight ? power : 0), 0),
  )
  const pullNone = weight * (nonePower / all - (isNone ? 1 : 0))
  for (const [at, value] of none.entries())
    gradient[companySize + at] = (gradient[companySize + at] ?? 0) + value * pullNone
  for (const [index, { option, isRight }] of chosen.entries()) {
    const power = powers[index] ?? 0
    const pull = weight * (power / all - (!isNone && isRight ? power / right : 0))
    if (Math.abs(pull) > 1e-9) addRow(gradient, option, pull)
  }
  return weight * (Math.log(all) - Math.log(right))
}

const emptyRow: SparseRow = { places: new Uint16Array(), values: new Float64Array() }

function bestOption(
  options: readonly SparseRow[],
  point: Float64Array,
): { option: SparseRow; score: number } {
  let option = emptyRow
  let score = -Infinity
  for (const { places, values } of options) {
    let sum = 0
    for (let at = 0; at < places.length; at++) sum += (values[at] ?? 0) * (point[places[at] ?? 0] ?? 0)
    if (sum > score) [option, score] = [{ places, values }, sum]
  }
  return { option, score }
}

function addRow(gradient: Float64Array, { places, values }: SparseRow, factor: number): void {
  for (let at = 0; at < places.length; at++) {
    const place = places[at] ?? 0
    gradient[place] = (gradient[place] ?? 0) + factor * (values[at] ?? 0)
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

function add(to: Float64Array, factor: number, what: Float64Array): void {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) + factor * (what[at] ?? 0)
}
