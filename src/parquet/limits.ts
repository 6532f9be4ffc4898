/** Limits of reading and writing Parquet; what DuckDB may take by the number of columns is in `memory-budget.ts`. */
export const parquetLimits = {
  /** A row group is so many rows, or fewer where they weigh more than so many bytes of JSON. */
  rowGroupRowsMax: 8_192,
  rowGroupBytesMax: 64 * 1024 * 1024,
  /** Of rows so heavy that a vector of them is more than that: who reads them holds a row group several times. */
  heavyRowGroupBytesMax: 16 * 1024 * 1024,
  /** Rows that wait as lines of JSON are so many a file, or so many bytes. */
  fileRowsMax: 8_192,
  fileBytesMax: 16 * 1024 * 1024,
  /** What DuckDB's JSON reader takes for one row, unless a row is longer. */
  lineBytesMin: 1024 * 1024,
  /** Lines are gathered before they are written. */
  writeBytes: 1024 * 1024,
  /** Garbage is collected after so many bytes of lines, or of chunks: it is most of what the process holds. */
  collectEveryBytes: 64 * 1024 * 1024,
  /** The same after lines of rows that were cut out of text: each leaves some ten times its bytes. */
  collectEveryRowBytes: 32 * 1024 * 1024,
} as const

/**
 * What DuckDB may take, by the number of columns: most of it is reserved a column, whether or not there are rows to
 * fill it. A limit is no more than that: what is used follows the bytes of a part. Chosen 2026-11, with room to spare,
 * around single measurements on 50 to 10,000 columns of few values, of distinct ones and of mixed types.
 */
const budget = {
  /** Reading: a scan, and the rows of 2,048 that go out as JSON text. */
  readBytes: 400_000_000,
  readBytesPerLeaf: 350_000,
  /** Writing, of each statement: buffers a column, and a dictionary for texts; and a row group. */
  writeBytes: 60_000_000,
  writeBytesMin: 150_000_000,
  writeBytesPerLeaf: 250_000,
  /** The rest of the process. */
  processBytes: 200_000_000,
  /** What a byte of a line is once it is joined: keys are left out, and numbers of bytes put in. */
  joinedPerLineByte: 0.85,
  lineBytesMin: 32_000_000,
  /** What DuckDB reserves beyond what it uses. */
  spareBytes: 60_000_000,
  narrowLeavesMax: 80,
  /** Leaf columns of the input that one statement writes: what DuckDB keeps of a statement follows their number. */
  sliceLeavesMax: 400,
} as const

/** The least that an output can be written with. */
export const memoryBytesMin = 400_000_000

/** What DuckDB may take to read Parquet of so many leaf columns. */
export function readMemoryBytes(leafCount: number): number {
  return budget.readBytes + Math.max(0, leafCount - budget.narrowLeavesMax) * budget.readBytesPerLeaf
}

export interface PartShape {
  /** The most leaf columns of the output that one statement writes. */
  readonly sliceLeafCount: number
  /** Whether rows are read out of Parquet. */
  readonly readsParquet: boolean
}

/** Where to cut columns, given how many leaves each has, so that no statement writes too many: first and end of each. */
export function columnSlices(leafCounts: readonly number[]): readonly (readonly [number, number])[] {
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
  /** Statements that run at one time. */
  readonly laneCount: number
  /** DuckDB's own limit, where lines of so many bytes are joined: beyond it, blocks of tables leave memory. */
  limitBytes(lineBytes: number): number
  /** What lines that are joined at one time may weigh. */
  readonly lineBytesMax: number
}

/** How to write within so much memory. Where columns alone need more, they get it. */
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

/** How many leaf columns a column of this type in SQL has: one, but for structs and maps. */
export function leafCountOf(type: string): number {
  // A name or a coordinate system in quotes, and the digits of a decimal, may hold commas.
  const plain = type.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, 'x').replace(/DECIMAL\(\d+,\d+\)/g, 'DECIMAL')
  return plain.split(',').length
}
