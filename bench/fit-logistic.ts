/** Rows of a design matrix without their zeros; the columns of a row ascend. */
export interface SparseRows {
  readonly rowCount: number
  readonly columnCount: number
  /** Place of the first value of each row, and of the end. */
  readonly starts: Uint32Array
  readonly columns: Uint16Array
  readonly values: Float32Array
}

export interface LogisticSettings {
  readonly ridge: number
  /** 1: at least 0; -1: at most 0; 0: free. By column. */
  readonly signs: Int8Array
  /** Weight that a column keeps, of the scaled column; `NaN` for those that are fitted. */
  readonly fixed: Float64Array
  readonly start?: Float64Array
}

const stepsMax = 25
const gainLeast = 1e-5
/** Rows whose answer is certain do not bend the loss. */
const curvatureLeast = 1e-7
const signRoundsMax = 12

/**
 * Fits log odds by Newton steps. Returns a weight per scaled column, and the bias behind them.
 * Rows of weight 0 are left out. Columns that break their sign are set to 0, and the others are fitted again.
 */
export function fitLogistic(
  rows: SparseRows,
  labels: Uint8Array,
  weights: Float32Array,
  settings: LogisticSettings,
): Float64Array {
  const { signs } = settings
  const fixed = settings.fixed.slice()
  let fitted = settings.start ?? new Float64Array(rows.columnCount + 1)
  for (let round = 0; round < signRoundsMax; round++) {
    fitted = fitFree(rows, labels, weights, settings.ridge, fixed, fitted)
    const broken = [...signs.keys()].filter((at) => (signs[at] ?? 0) * (fitted[at] ?? 0) < 0)
    const open = broken.filter((at) => Number.isNaN(fixed[at] ?? 0))
    if (open.length === 0) break
    for (const at of open) fixed[at] = 0
  }
  return fitted
}

function fitFree(
  rows: SparseRows,
  labels: Uint8Array,
  weights: Float32Array,
  ridge: number,
  fixed: Float64Array,
  start: Float64Array,
): Float64Array {
  const width = rows.columnCount + 1
  let current = start.map((value, at) => {
    const kept = at < rows.columnCount ? (fixed[at] ?? Number.NaN) : Number.NaN
    return Number.isNaN(kept) ? value : kept
  })
  const gradient = new Float64Array(width)
  const hessian = new Float64Array(width * width)
  let loss = computeLoss(rows, labels, weights, ridge, current)
  for (let step = 0; step < stepsMax; step++) {
    computeCurvature(rows, labels, weights, ridge, current, gradient, hessian)
    for (let at = 0; at < rows.columnCount; at++) {
      if (Number.isNaN(fixed[at] ?? 0)) continue
      gradient[at] = 0
      for (let other = 0; other < width; other++)
        hessian[at * width + other] = hessian[other * width + at] = 0
      hessian[at * width + at] = 1
    }
    const direction = solveCholesky(hessian, gradient, width)
    let length = 1
    let next = current
    let nextLoss = loss
    for (; length > 1e-4; length /= 2) {
      next = current.map((value, at) => value - length * (direction[at] ?? 0))
      nextLoss = computeLoss(rows, labels, weights, ridge, next)
      if (nextLoss <= loss) break
    }
    if (nextLoss > loss) break
    const gain = loss - nextLoss
    current = next
    loss = nextLoss
    if (gain < gainLeast * Math.max(1, loss)) break
  }
  return current
}

/** Log odds of a row. */
export function scoreRow(rows: SparseRows, row: number, weights: Float64Array): number {
  const { starts, columns, values, columnCount } = rows
  let sum = weights[columnCount] ?? 0
  for (let at = starts[row] ?? 0, end = starts[row + 1] ?? 0; at < end; at++)
    sum += (weights[columns[at] ?? 0] ?? 0) * (values[at] ?? 0)
  return sum
}

function computeLoss(
  rows: SparseRows,
  labels: Uint8Array,
  weights: Float32Array,
  ridge: number,
  fitted: Float64Array,
): number {
  let loss = 0
  for (let row = 0; row < rows.rowCount; row++) {
    const weight = weights[row] ?? 0
    if (weight === 0) continue
    const score = scoreRow(rows, row, fitted) * (labels[row] === 1 ? 1 : -1)
    loss += weight * (score > 0 ? Math.log1p(Math.exp(-score)) : Math.log1p(Math.exp(score)) - score)
  }
  for (let at = 0; at < rows.columnCount; at++) loss += 0.5 * ridge * (fitted[at] ?? 0) ** 2
  return loss
}

/** Fills gradient and Hessian of the loss; the Hessian whole, both triangles. */
function computeCurvature(
  rows: SparseRows,
  labels: Uint8Array,
  weights: Float32Array,
  ridge: number,
  fitted: Float64Array,
  gradient: Float64Array,
  hessian: Float64Array,
): void {
  const { starts, columns, values, columnCount } = rows
  const width = columnCount + 1
  gradient.fill(0)
  hessian.fill(0)
  for (let row = 0; row < rows.rowCount; row++) {
    const weight = weights[row] ?? 0
    if (weight === 0) continue
    const probability = 1 / (1 + Math.exp(-scoreRow(rows, row, fitted)))
    const slope = weight * (probability - (labels[row] ?? 0))
    const curvature = weight * probability * (1 - probability)
    const [begin, end] = [starts[row] ?? 0, starts[row + 1] ?? 0]
    for (let at = begin; at < end; at++) {
      const column = columns[at] as number
      gradient[column] = (gradient[column] as number) + slope * (values[at] as number)
    }
    gradient[columnCount] = (gradient[columnCount] as number) + slope
    if (curvature < curvatureLeast) continue
    for (let at = begin; at < end; at++) {
      const line = (columns[at] as number) * width
      const part = curvature * (values[at] as number)
      for (let other = begin; other <= at; other++) {
        const place = line + (columns[other] as number)
        hessian[place] = (hessian[place] as number) + part * (values[other] as number)
      }
      const place = columnCount * width + (columns[at] as number)
      hessian[place] = (hessian[place] as number) + part
    }
    const corner = columnCount * width + columnCount
    hessian[corner] = (hessian[corner] as number) + curvature
  }
  for (let line = 0; line < width; line++) {
    const diagonal = line * width + line
    // The bias has next to no ridge: enough for a fit without rows of one label.
    hessian[diagonal] = (hessian[diagonal] ?? 0) + (line < columnCount ? ridge : 1e-6)
    if (line < columnCount) gradient[line] = (gradient[line] ?? 0) + ridge * (fitted[line] ?? 0)
    for (let other = 0; other < line; other++)
      hessian[other * width + line] = hessian[line * width + other] ?? 0
  }
}

/** Solves the equations of a positive definite matrix, which is overwritten. */
function solveCholesky(matrix: Float64Array, right: Float64Array, width: number): Float64Array {
  for (let line = 0; line < width; line++) {
    for (let column = 0; column <= line; column++) {
      let sum = matrix[line * width + column] as number
      for (let at = 0; at < column; at++)
        sum -= (matrix[line * width + at] as number) * (matrix[column * width + at] as number)
      matrix[line * width + column] =
        line === column ? Math.sqrt(Math.max(sum, 1e-9)) : sum / (matrix[column * width + column] as number)
    }
  }
  const solved = right.slice()
  for (let line = 0; line < width; line++) {
    let sum = solved[line] as number
    for (let at = 0; at < line; at++) sum -= (matrix[line * width + at] as number) * (solved[at] as number)
    solved[line] = sum / (matrix[line * width + line] as number)
  }
  for (let line = width - 1; line >= 0; line--) {
    let sum = solved[line] as number
    for (let at = line + 1; at < width; at++)
      sum -= (matrix[at * width + line] as number) * (solved[at] as number)
    solved[line] = sum / (matrix[line * width + line] as number)
  }
  return solved
}

/** Largest scaled value of a column; a rare one gets a large scale, so that the ridge holds it. */
const scaledMax = 6

/** Divides each column by its deviation, or by more where a value would exceed `scaledMax`. Returns the divisors. */
export function scaleColumns(rows: SparseRows): Float64Array {
  const { columnCount, columns, values, rowCount } = rows
  const [sums, squares, largest] = [0, 0, 0].map(() => new Float64Array(columnCount)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  for (let at = 0; at < values.length; at++) {
    const [column, value] = [columns[at] as number, values[at] as number]
    sums[column] = (sums[column] as number) + value
    squares[column] = (squares[column] as number) + value * value
    largest[column] = Math.max(largest[column] as number, Math.abs(value))
  }
  const scales = largest.map((most, column) => {
    const mean = (sums[column] ?? 0) / rowCount
    const deviation = Math.sqrt(Math.max(0, (squares[column] ?? 0) / rowCount - mean * mean))
    return Math.max(deviation, most / scaledMax) || 1
  })
  for (let at = 0; at < values.length; at++)
    values[at] = (values[at] as number) / (scales[columns[at] as number] as number)
  return scales
}

export class SparseBuilder {
  #starts = new Uint32Array(1 << 12)
  #columns = new Uint16Array(1 << 16)
  #values = new Float32Array(1 << 16)
  #rowCount = 0
  #length = 0

  constructor(readonly columnCount: number) {}

  add(row: ArrayLike<number>): void {
    if (row.length !== this.columnCount) throw new Error(`${row.length} values, ${this.columnCount} columns`)
    for (let column = 0; column < row.length; column++) {
      const value = row[column] ?? 0
      if (!Number.isFinite(value)) throw new Error(`the value of column ${column} is ${value}`)
      if (value !== 0) this.#put(column, value)
    }
    if (++this.#rowCount >= this.#starts.length) this.#starts = grow(this.#starts, Uint32Array)
    this.#starts[this.#rowCount] = this.#length
  }

  #put(column: number, value: number): void {
    if (this.#length >= this.#values.length) {
      this.#columns = grow(this.#columns, Uint16Array)
      this.#values = grow(this.#values, Float32Array)
    }
    this.#columns[this.#length] = column
    this.#values[this.#length++] = value
  }

  finish(): SparseRows {
    return {
      rowCount: this.#rowCount,
      columnCount: this.columnCount,
      starts: this.#starts.slice(0, this.#rowCount + 1),
      columns: this.#columns.slice(0, this.#length),
      values: this.#values.slice(0, this.#length),
    }
  }
}

function grow<Values extends { readonly length: number }>(
  values: Values & ArrayLike<number>,
  type: new (length: number) => Values & { set(from: ArrayLike<number>): void },
): Values {
  const larger = new type(values.length * 2)
  larger.set(values)
  return larger
}
