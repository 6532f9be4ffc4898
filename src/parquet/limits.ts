/** Limits of reading and writing Parquet. */
export const parquetLimits = {
  /** Limits of a row group, in rows and in bytes of JSON. */
  rowGroupRowsMax: 8_192,
  rowGroupBytesMax: 64 * 1024 * 1024,
  /** Limit for rows so large that a vector of them exceeds it: readers hold several copies of a row group. */
  heavyRowGroupBytesMax: 16 * 1024 * 1024,
  /** Limits of a file of spooled lines. */
  fileRowsMax: 8_192,
  fileBytesMax: 16 * 1024 * 1024,
  /** Buffer of DuckDB's JSON reader for a row, unless a row is longer. */
  lineBytesMin: 1024 * 1024,
  /** Size of the write buffer. */
  writeBytes: 1024 * 1024,
  /** Bytes of lines or chunks after which garbage is collected: it is most of the process's memory. */
  collectEveryBytes: 64 * 1024 * 1024,
  /** The same for lines made from text rows, which leave about ten times their size as garbage. */
  collectEveryRowBytes: 32 * 1024 * 1024,
} as const

/**
 * Estimated memory of DuckDB by number of columns, most of which is reserved regardless of the rows. Only used as
 * limits: actual use follows the size of a part. Chosen in 2026-11 above measurements with 50 to 10,000 columns of few,
 * distinct and mixed values.
 */
const budget = {
  /** Reading: a scan, and 2,048 rows as JSON text. */
  readBytes: 400_000_000,
  readBytesPerLeaf: 350_000,
  /** Writing, for each statement: column buffers, dictionaries for text, and a row group. */
  writeBytes: 60_000_000,
  writeBytesMin: 150_000_000,
  writeBytesPerLeaf: 250_000,
  /** The rest of the process. */
  processBytes: 200_000_000,
  /** Size of a joined line relative to its text: without keys, with string lengths. */
  joinedPerLineByte: 0.85,
  lineBytesMin: 32_000_000,
  /** Memory that DuckDB reserves and does not use. */
  spareBytes: 60_000_000,
  narrowLeavesMax: 80,
  /** Leaf columns of the input that one statement writes, because the memory of a statement grows with them. */
  sliceLeavesMax: 400,
} as const

/** Smallest memory limit for an output. */
export const memoryBytesMin = 400_000_000

/** Returns the memory limit for reading Parquet with this number of leaf columns. */
export function readMemoryBytes(leafCount: number): number {
  return budget.readBytes + Math.max(0, leafCount - budget.narrowLeavesMax) * budget.readBytesPerLeaf
}

export interface PartShape {
  /** Highest number of leaf columns of the output in one statement. */
  readonly sliceLeafCount: number
  /** Whether rows are read from Parquet. */
  readonly readsParquet: boolean
}

/** Splits columns by their leaf counts, so that no statement writes too many. Returns start and end of each. */
export function sliceColumns(leafCounts: readonly number[]): readonly (readonly [number, number])[] {
  const slices: [number, number][] = [[0, 0]]
  let leaves = 0
  for (const [index, count] of leafCounts.entries()) {
    const slice = slices.at(-1)
    if (slice === undefined || (leaves + count > budget.sliceLeavesMax && slice[1] > slice[0])) {
      slices.push([index, index + 1])
      leaves = count
    } else {
      slice[1] = index + 1
      leaves += count
    }
  }
  return slices
}

export interface WritingPlan {
  /** Number of concurrent statements. */
  readonly laneCount: number
  /** Returns DuckDB's memory limit for joining lines of this size. With a higher one, it would spill tables. */
  limitBytes(lineBytes: number): number
  /** Highest total size of lines joined at once. */
  readonly lineBytesMax: number
}

/** Plans how to write within a memory limit. If the columns alone need more, they get it. */
export function planWriting(
  { sliceLeafCount, readsParquet }: PartShape,
  memoryBytes: number,
  coreCount: number,
): WritingPlan {
  const leafBytes = budget.writeBytesPerLeaf + (readsParquet ? budget.readBytesPerLeaf : 0)
  const laneBytes = Math.max(budget.writeBytesMin, budget.writeBytes + sliceLeafCount * leafBytes)
  const availableBytes = memoryBytes - budget.processBytes
  const laneCount = coreCount > 1 && availableBytes >= 4 * laneBytes ? 2 : 1
  const lanesBytes = laneCount * laneBytes
  const lineBytesMax = Math.max(budget.lineBytesMin, availableBytes - lanesBytes) / budget.joinedPerLineByte
  return {
    laneCount,
    lineBytesMax,
    limitBytes: (lineBytes) =>
      lanesBytes + budget.spareBytes + Math.min(lineBytes, lineBytesMax) * budget.joinedPerLineByte,
  }
}

/** Returns the number of leaf columns of an SQL type: one, except for structs and maps. */
export function countLeaves(type: string): number {
  // Quoted names and coordinate systems, and the digits of a decimal, may contain commas.
  const plain = type.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, 'x').replace(/DECIMAL\(\d+,\d+\)/g, 'DECIMAL')
  return plain.split(',').length
}
