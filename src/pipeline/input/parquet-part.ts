import { quoteSqlName, quoteSqlPath, type DuckDb } from '../../parquet/duckdb.js'
import type { Column } from '../../parquet/part-sql.js'
import { buildRelation } from '../../parquet/read-sql.js'
import { getBlocks, type Partition } from '../lookups/partition.js'

interface PartDeps {
  readonly duckDb: Pick<DuckDb, 'all'>
  /** Paths of all files, in order. */
  readonly paths: readonly string[]
  /** Columns of all files together. */
  readonly columns: readonly Column[]
  readonly partition: Partition
}

interface RowGroup {
  readonly file: number
  /** Index in the file. */
  readonly firstRow: number
  readonly rowCount: number
}

/** A range of rows of a file; `isWhole` if it covers the file. */
interface Piece {
  readonly path: string
  readonly firstRow: number
  endRow: number
  isWhole: boolean
}

/**
 * Returns the SQL relation of one part and its share of all rows. A part consists of whole row groups, balanced by row
 * count; a filter on row numbers lets DuckDB skip the others. Columns are those of all files, with their types, even if
 * the part's files lack some.
 */
export async function createPartRelation(deps: PartDeps): Promise<{ relation: string; share: number }> {
  const groups = await readRowGroups(deps)
  const { first, end } = getBlocks(
    groups.map(({ rowCount }) => rowCount),
    deps.partition,
  )
  const pieces = createPieces(groups.slice(first, end), groups, deps.paths)
  const count = (some: readonly RowGroup[]) => some.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const share = count(groups.slice(first, end)) / Math.max(1, count(groups))
  if (pieces.length === 0) return { relation: `(SELECT * FROM ${buildRelation(deps.paths)} LIMIT 0)`, share }
  const queries: string[] = []
  for (const together of groupIntoScans(pieces)) queries.push(await buildQuery(together, deps))
  return { relation: `(${queries.join(' UNION ALL ')})`, share }
}

async function readRowGroups({ duckDb, paths }: PartDeps): Promise<RowGroup[]> {
  const groups: RowGroup[] = []
  for (const [file, path] of paths.entries()) {
    const rows = await duckDb.all(
      `SELECT row_group_id, any_value(row_group_num_rows) FROM parquet_metadata(${quoteSqlPath(path)})
       GROUP BY row_group_id ORDER BY row_group_id`,
    )
    let firstRow = 0
    for (const [, rowCount] of rows) {
      groups.push({ file, firstRow, rowCount: Number(rowCount) })
      firstRow += Number(rowCount)
    }
  }
  return groups
}

/** Returns one piece for each file that has any of the chosen groups. */
function createPieces(
  chosen: readonly RowGroup[],
  all: readonly RowGroup[],
  paths: readonly string[],
): Piece[] {
  const groupCounts = new Map<number, number>()
  for (const { file } of all) groupCounts.set(file, (groupCounts.get(file) ?? 0) + 1)
  const pieces = new Map<number, Piece & { groupCount: number }>()
  for (const { file, firstRow, rowCount } of chosen) {
    const piece = pieces.get(file) ?? {
      path: paths[file] ?? '',
      firstRow,
      endRow: firstRow,
      isWhole: false,
      groupCount: 0,
    }
    piece.endRow = firstRow + rowCount
    piece.isWhole = ++piece.groupCount === groupCounts.get(file)
    pieces.set(file, piece)
  }
  return [...pieces.values()]
}

/** Whole files are scanned together, partial ones separately. */
function groupIntoScans(pieces: readonly Piece[]): Piece[][] {
  const scans: Piece[][] = []
  for (const piece of pieces) {
    const last = scans.at(-1)
    if (piece.isWhole && last?.at(-1)?.isWhole === true) last.push(piece)
    else scans.push([piece])
  }
  return scans
}

const rowNumber = 'file_row_number'

async function buildQuery(pieces: readonly Piece[], { duckDb, columns }: PartDeps): Promise<string> {
  const relation = buildRelation(pieces.map(({ path }) => path))
  const described = await duckDb.all(
    `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${relation})`,
  )
  // DuckDB ignores letter case in column names.
  const own = new Map(described.map(([name, type]) => [String(name).toLowerCase(), String(type)]))
  const cells = columns.map(({ name, type }) => {
    const ownType = own.get(name.toLowerCase())
    const cell = ownType === undefined ? 'NULL' : quoteSqlName(name)
    return `${ownType === type ? cell : `CAST(${cell} AS ${type})`} AS ${quoteSqlName(name)}`
  })
  const select = `SELECT ${cells.join(', ')} FROM ${relation}`
  const [piece] = pieces
  if (piece === undefined || piece.isWhole) return select
  const { firstRow, endRow } = piece
  // A user's column of that name hides DuckDB's, so rows are counted instead.
  return own.has(rowNumber)
    ? `SELECT * FROM (${select} LIMIT ${endRow - firstRow} OFFSET ${firstRow})`
    : `${select} WHERE ${rowNumber} >= ${firstRow} AND ${rowNumber} < ${endRow}`
}
