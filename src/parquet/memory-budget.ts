/**
 * What DuckDB may take, by the number of columns: most of it is reserved a column, whether or not there are rows to
 * fill it. A limit is no more than that: what is used follows the bytes of a part. Chosen 2026-11, with room to spare,
 * around single measurements on 50 to 10,000 columns of few values, of distinct ones and of mixed types.
 */
const budget = {
  /** Reading: a scan, and the rows of 2,048 that go out as JSON text. */
  readBytes: 400_000_000,
  readBytesPerLeaf: 350_000,
  /** Writing a part: buffers a column, and a dictionary for texts. */
  writeBytes: 60_000_000,
  writeBytesMin: 150_000_000,
  writeBytesPerLeaf: 250_000,
  writeBytesPerPartByte: 12,
  /** The table beside a part: a block for each column, and a larger one behind 2,048 rows. */
  tableBytesPerLeaf: 100_000,
  tallTableBytesPerLeaf: 1_100_000,
  /** Tables of more leaves hold no more than one chunk of 2,048 rows. */
  tallTableLeavesMax: 64,
  /** DuckDB's own size of a dictionary page, and the one it gets for wide tables: each column reserves one. */
  narrowLeavesMax: 80,
  /** Leaf columns of the input that one statement writes: what DuckDB keeps of a statement follows their number. */
  sliceLeavesMax: 400,
  wideDictionaryPageBytes: 64 * 1024,
} as const

/** What DuckDB may take to read Parquet of so many leaf columns. */
export function readMemoryBytes(leafCount: number): number {
  return budget.readBytes + Math.max(0, leafCount - budget.narrowLeavesMax) * budget.readBytesPerLeaf
}

export interface PartShape {
  /** Leaf columns of the output. */
  readonly leafCount: number
  /** The most of them that one statement writes. */
  readonly sliceLeafCount: number
  /** Those of them that stand in a table beside the part; 0 where rows travel as lines. */
  readonly tableLeafCount: number
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

/** What DuckDB may take to make a row group of a part of so many bytes. */
export function writeMemoryBytes({ sliceLeafCount, tableLeafCount }: PartShape, partBytes: number): number {
  const tableBytesPerLeaf = isTableTall(tableLeafCount)
    ? budget.tallTableBytesPerLeaf
    : budget.tableBytesPerLeaf
  return Math.max(
    budget.writeBytesMin,
    budget.writeBytes + sliceLeafCount * budget.writeBytesPerLeaf + tableLeafCount * tableBytesPerLeaf,
    partBytes * budget.writeBytesPerPartByte,
  )
}

/** Whether a table of so many leaf columns may hold more than one chunk of rows. */
export function isTableTall(tableLeafCount: number): boolean {
  return tableLeafCount <= budget.tallTableLeavesMax
}

/** Null where DuckDB's own is right. */
export function dictionaryPageBytes(leafCount: number): number | null {
  return leafCount <= budget.narrowLeavesMax ? null : budget.wideDictionaryPageBytes
}

/** How many leaf columns a column of this type in SQL has: one, but for structs and maps. */
export function leafCountOf(type: string): number {
  // A name or a coordinate system in quotes, and the digits of a decimal, may hold commas.
  const plain = type.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, 'x').replace(/DECIMAL\(\d+,\d+\)/g, 'DECIMAL')
  return plain.split(',').length
}
