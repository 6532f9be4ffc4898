import { UserError } from '../core/errors.js'
import { quoteSqlName } from '../core/text.js'
import { quoteSqlPath, type Column, type DuckDb } from './duckdb.js'
import { createDecimalError } from './duckdb-errors.js'
import {
  buildDecimal,
  buildDecodedText,
  buildLossyText,
  buildRelation,
  buildTextExpression,
  readColumnTypes,
  toRelationFile,
  type ColumnRules,
  type ReadFile,
  type RelationFile,
} from './read-sql.js'

/** The schema of a file, as far as DuckDB's types do not tell it. */
interface FileSchema {
  readonly names: readonly string[]
  /** Top-level columns. Bytes have no annotation, and may be the text of older writers. */
  readonly columns: ReadonlyMap<string, 'bytes' | 'text' | 'other'>
  /** How DuckDB reads some columns, also nested ones, by top-level column. */
  readonly changes: ReadonlyMap<string, TypeChange>
  /** SQL in place of columns of long decimals, which DuckDB reads wrongly. */
  readonly decimals: ReadonlyMap<string, string>
}

/** `double` and `microseconds`: digits may be lost. `float`: no value changes. */
type TypeChange = 'microseconds' | 'double' | 'float'

/**
 * Reads the schema of a file. `parquet_schema` lists the schema tree depth first. Names may differ only in case. Throws
 * INPUT_PARQUET_INVALID for decimals that cannot be read.
 */
async function readFileSchema(duckDb: DuckDb, { path, label }: ReadFile): Promise<FileSchema> {
  const rows = await duckDb.all(
    `SELECT name, coalesce(num_children, 0)::INTEGER, coalesce(type, ''), coalesce(converted_type, ''), coalesce(logical_type, ''), coalesce(type_length, '0')::INTEGER FROM parquet_schema(${quoteSqlPath(path)})`,
  )
  const names: string[] = []
  const columns = new Map<string, 'bytes' | 'text' | 'other'>()
  const changes = new Map<string, TypeChange>()
  const decimals = new Map<string, string>()
  let inside = 0
  for (const row of rows.slice(1)) {
    const [name, children, type, converted, logical] = row as [string, number, string, string, string]
    const bytes = Number(row[5])
    const isNested = inside > 0
    if (inside === 0) {
      names.push(name)
      columns.set(name, getKind(type, converted + logical))
    } else inside--
    inside += children
    const change = findTypeChange(type, logical)
    const top = names.at(-1) ?? ''
    if (change !== null) changes.set(top, change)
    // Bytes without a fixed count differ in it by value.
    if (change !== 'double' || (bytes > 0 && bytes % 8 === 0)) continue
    if (isNested || bytes === 0) throw createDecimalError(label, top)
    decimals.set(top, buildDecimal(quoteSqlName(top), logical, bytes))
  }
  if (![...columns.values()].includes('bytes')) return { names, columns, changes, decimals }
  // Geometry has no annotation, but metadata.
  const described = await duckDb.all(
    `SELECT column_name FROM (DESCRIBE SELECT * FROM ${buildRelation([toRelationFile(path)]).sql}) WHERE column_type <> 'BLOB'`,
  )
  for (const [name] of described)
    if (columns.get(String(name)) === 'bytes') columns.set(String(name), 'other')
  return { names, columns, changes, decimals }
}

function getKind(type: string, annotation: string): 'bytes' | 'text' | 'other' {
  if (annotation === '') return type.endsWith('BYTE_ARRAY') ? 'bytes' : 'other'
  return /^(UTF8|ENUM|String|Enum)/.test(annotation) ? 'text' : 'other'
}

function findTypeChange(type: string, logical: string): TypeChange | null {
  const isNanoseconds = /NANOS=Nano/.test(logical) && !/^TimestampType\(isAdjustedToUTC=0/.test(logical)
  if (type === 'INT96' || isNanoseconds) return 'microseconds'
  if (Number(/^DecimalType\(.*precision=(\d+)/.exec(logical)?.[1] ?? 0) > 38) return 'double'
  return logical.startsWith('Float16') ? 'float' : null
}

/** Returns whether a column of bytes has any byte, and all values are text. */
async function isTextColumn(duckDb: DuckDb, paths: readonly string[], name: string): Promise<boolean> {
  const column = quoteSqlName(name)
  const rows = `${buildRelation(paths.map(toRelationFile)).sql} WHERE octet_length(${column}) > 0`
  if ((await duckDb.all(`SELECT 1 FROM ${rows} LIMIT 1`)).length === 0) return false
  const text = buildLossyText(column)
  const isOther = `(encode(${text}) <> ${column} OR contains(${text}, chr(0)))`
  return (await duckDb.all(`SELECT 1 FROM ${rows} AND ${isOther} LIMIT 1`)).length === 0
}

interface DescribedFiles {
  readonly relationFiles: readonly RelationFile[]
  /** About types that change. */
  readonly notices: readonly string[]
  /** Joins columns of several spellings; without such columns, returns the relation unchanged. */
  readonly unite: (relation: string, columns: readonly Column[]) => string
  /** The columns of each file, as named in the relation. */
  readonly fileColumns: readonly (readonly string[])[]
}

export async function describeFiles(
  duckDb: DuckDb,
  files: readonly ReadFile[],
  { addCells, uniteNames }: ColumnRules,
): Promise<DescribedFiles> {
  const schemas: FileSchema[] = []
  for (const file of files) {
    const schema = await readFileSchema(duckDb, file)
    refuseRenamedColumns(schema.names, file.label)
    schemas.push(schema)
  }
  const decoded = await findDecodedColumns(duckDb, files, schemas)
  const folders = addCells(schemas.map(({ columns }) => [...columns.keys()]))
  const relationFiles = files.map(({ path }, index) => {
    const columns = schemas[index]?.columns ?? new Map<string, string>()
    const replaced = [...columns].flatMap(([name, kind]) =>
      kind === 'bytes' && decoded.has(name.toLowerCase())
        ? [[name, buildDecodedText(quoteSqlName(name))] as const]
        : [],
    )
    const hasFileIndex = [...columns.keys()].some((name) => name.toLowerCase() === 'file_index')
    const added = (folders.cells[index] ?? []).map((cell) => ({ ...cell, type: folderTypes[cell.type] }))
    const decimals = schemas[index]?.decimals ?? []
    return { path, replaced: new Map([...replaced, ...decimals]), added, hasFileIndex }
  })
  const changes = new Map(schemas.flatMap((schema) => [...schema.changes]))
  const notices = [...folders.notices, ...describeDecoded(decoded), ...describeChanges(changes)]
  const namesOfFiles = schemas.map(({ columns }, index) => [
    ...columns.keys(),
    ...(folders.cells[index] ?? []).map(({ name }) => name),
  ])
  const fileColumns = uniteNames(namesOfFiles)
  return { relationFiles, notices, fileColumns, unite: createUnite(namesOfFiles, fileColumns) }
}

/** DuckDB itself unites columns that differ in case only. */
function createUnite(
  namesOfFiles: readonly (readonly string[])[],
  unitedOfFiles: readonly (readonly string[])[],
): DescribedFiles['unite'] {
  const unitedOf = new Map<string, string>()
  for (const [at, names] of namesOfFiles.entries())
    for (const [index, name] of names.entries())
      unitedOf.set(name.toLowerCase(), unitedOfFiles[at]?.[index] ?? name)
  return (relation, columns) => {
    const spellings = new Map<string, Column[]>()
    for (const column of columns) {
      const name = unitedOf.get(column.name.toLowerCase()) ?? column.name
      spellings.set(name, [...(spellings.get(name) ?? []), column])
    }
    if (spellings.size === columns.length) return relation
    const cells = [...spellings].map(([name, alike]) => `${buildUnitedCell(alike)} AS ${quoteSqlName(name)}`)
    return `(SELECT ${cells.join(', ')} FROM ${relation})`
  }
}

/** A file has one of the columns. Columns of different types become text. */
function buildUnitedCell(columns: readonly Column[]): string {
  const isAlike = columns.every(({ type }) => type === columns[0]?.type)
  const cells = columns.map((column) => (isAlike ? quoteSqlName(column.name) : buildTextExpression(column)))
  return cells.length === 1 ? cells.join('') : `coalesce(${cells.join(', ')})`
}

const folderTypes = { text: 'VARCHAR', integer: 'BIGINT', date: 'DATE' } as const

/**
 * Finds columns of bytes that are read as text, by their names in lower case: older writers do not mark text. All values
 * are text, or another file has the column as text. The bytes of a table's copy are bytes in the database.
 */
async function findDecodedColumns(
  duckDb: DuckDb,
  files: readonly ReadFile[],
  schemas: readonly FileSchema[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, { name: string; paths: string[]; hasText: boolean }>()
  for (const [index, { columns }] of schemas.entries()) {
    const path = files[index]?.path ?? ''
    const isCopy = [...columns.values()].includes('bytes') && (await readColumnTypes(duckDb, path)) !== null
    for (const [name, kind] of columns) {
      const column = found.get(name.toLowerCase()) ?? { name, paths: [], hasText: false }
      found.set(name.toLowerCase(), column)
      if (kind === 'bytes' && !isCopy) column.paths.push(path)
      if (kind === 'text') column.hasText = true
    }
  }
  const decoded = new Map<string, string>()
  for (const [key, { name, paths, hasText }] of found) {
    if (paths.length > 0 && (hasText || (await isTextColumn(duckDb, paths, name)))) decoded.set(key, name)
  }
  return decoded
}

const describeDecoded = (decoded: ReadonlyMap<string, string>): readonly string[] =>
  decoded.size === 0
    ? []
    : [`columns of bytes that contain text are read as text: ${listNames(decoded.values())}`]

const changeTexts: Readonly<Record<TypeChange, string>> = {
  microseconds: 'times in nanoseconds are read in microseconds, and further digits are lost',
  double: 'decimals of more than 38 digits are read as floating-point numbers, and further digits are lost',
  float: 'numbers of 16 bits are read as numbers of 32 bits with the same values',
}

const describeChanges = (changes: ReadonlyMap<string, TypeChange>): readonly string[] =>
  (Object.keys(changeTexts) as TypeChange[]).flatMap((change) => {
    const names = [...changes].filter(([, own]) => own === change).map(([name]) => name)
    return names.length === 0 ? [] : [`${changeTexts[change]}: ${listNames(names)}`]
  })

const listNames = (names: Iterable<string>): string =>
  Array.from(names, (name) => JSON.stringify(name)).join(', ')

/** DuckDB ignores letter case in column names and would rename the second of two such columns. */
function refuseRenamedColumns(names: readonly string[], label: string): void {
  const seen = new Map<string, string>()
  for (const name of names) {
    const other = seen.get(name.toLowerCase())
    if (other !== undefined) {
      throw new UserError('INPUT_COLUMNS_DUPLICATE', `${label} has the columns ${other} and ${name}`, {
        hint: 'rename one: column names must differ in more than letter case',
      })
    }
    seen.set(name.toLowerCase(), name)
  }
}

interface PartDeps {
  readonly duckDb: Pick<DuckDb, 'all'>
  readonly files: readonly RelationFile[]
  /** Columns of all files together. */
  readonly columns: readonly Column[]
  /** Chooses consecutive row groups by their row counts. */
  readonly chooseRowGroups: (rowCounts: readonly number[]) => { readonly first: number; readonly end: number }
}

interface RowGroup {
  readonly file: number
  /** Index in the file. */
  readonly firstRow: number
  readonly rowCount: number
}

/** A range of rows of a file; `isWhole` if it covers the file. */
interface Piece {
  readonly file: RelationFile
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
  const { first, end } = deps.chooseRowGroups(groups.map(({ rowCount }) => rowCount))
  const pieces = createPieces(groups.slice(first, end), groups, deps.files)
  const count = (some: readonly RowGroup[]) => some.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const share = count(groups.slice(first, end)) / Math.max(1, count(groups))
  if (pieces.length === 0)
    return { relation: `(SELECT * FROM ${buildRelation(deps.files).sql} LIMIT 0)`, share }
  const queries: string[] = []
  for (const together of groupIntoScans(pieces)) queries.push(await buildQuery(together, deps))
  return { relation: `(${queries.join(' UNION ALL ')})`, share }
}

async function readRowGroups({ duckDb, files }: PartDeps): Promise<RowGroup[]> {
  const groups: RowGroup[] = []
  for (const [file, { path }] of files.entries()) {
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

function createPieces(
  chosen: readonly RowGroup[],
  all: readonly RowGroup[],
  files: readonly RelationFile[],
): Piece[] {
  const groupCounts = new Map<number, number>()
  for (const { file } of all) groupCounts.set(file, (groupCounts.get(file) ?? 0) + 1)
  const pieces = new Map<number, Piece & { groupCount: number }>()
  for (const { file, firstRow, rowCount } of chosen) {
    const found = files[file]
    if (found === undefined) continue
    const piece = pieces.get(file) ?? {
      file: found,
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
  const files = pieces.map(({ file }) => file)
  const described = await duckDb.all(
    `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${buildRelation(files).sql})`,
  )
  // DuckDB ignores letter case in column names.
  const own = new Map(described.map(([name, type]) => [String(name).toLowerCase(), String(type)]))
  const cells = columns.map(({ name, type }) => {
    const ownType = own.get(name.toLowerCase())
    const cell = ownType === undefined ? 'NULL' : quoteSqlName(name)
    return `${ownType === type ? cell : `CAST(${cell} AS ${type})`} AS ${quoteSqlName(name)}`
  })
  const select = (filter?: string) =>
    `SELECT ${cells.join(', ')} FROM ${buildRelation(files, { filter }).sql}`
  const [piece] = pieces
  if (piece === undefined || piece.isWhole) return select()
  const { firstRow, endRow } = piece
  // A user's column of that name hides DuckDB's, so rows are counted instead.
  return own.has(rowNumber)
    ? `SELECT * FROM (${select()} LIMIT ${endRow - firstRow} OFFSET ${firstRow})`
    : select(`${rowNumber} >= ${firstRow} AND ${rowNumber} < ${endRow}`)
}
