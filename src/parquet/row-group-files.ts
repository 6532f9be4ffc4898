import { countGroupsBefore } from './part-sql.js'
import { isThriftList, readThrift, writeThrift, type Thrift, type ThriftStruct } from './thrift.js'

/** Ids of the footer fields with counts and offsets (parquet-format, parquet.thrift). */
const fields = {
  file: { schema: 2, rowCount: 3, rowGroups: 4, columnOrders: 7 },
  schemaElement: { name: 4, childCount: 5 },
  rowGroup: { columns: 1, bytes: 2, packedBytes: 6, rowCount: 3, offset: 5, ordinal: 7 },
  column: { offset: 2, meta: 3, indexOffsets: [4, 6] },
  /** Data, index and dictionary pages, bloom filter. */
  meta: { bytes: 6, packedBytes: 7, offsets: [9, 10, 11, 14], statistics: 12 },
  statistics: { least: 6 },
} as const

export const parquetMagic = Buffer.from('PAR1')

/** The footer of a file, and the size of its body between the magic bytes and the footer. */
export interface ParquetFooter {
  readonly footer: Buffer
  readonly bodyBytes: number
}

export interface SliceFiles {
  readonly files: readonly ParquetFooter[]
  /**
   * For files that threads wrote concurrently: the row limit of their row groups. Each has some row groups in order;
   * the first column, to be removed, has the place of the rows. `null` for a single file.
   */
  readonly byThread: { readonly groupRowsMax: number } | null
}

/** The parts of a Parquet file that go into another one. */
export interface ParquetPart {
  readonly rowCount: number
  /** Row groups in Thrift, with their offsets in the whole file. */
  readonly rowGroups: Buffer
  readonly rowGroupCount: number
  /** The parts of the footer that do not depend on rows. */
  readonly rest: ThriftStruct
}

/** Some columns of a part, parsed. */
interface ParquetSlice {
  readonly rowCount: number
  readonly rowGroups: readonly ThriftStruct[]
  readonly rest: ThriftStruct
}

/**
 * Combines Parquet files with different columns of the same rows into a part whose row groups start at `offset` of
 * another file. Only the offsets in row groups change. Throws if the rows differ.
 */
export function combineSlices(slices: readonly SliceFiles[], offset: number): ParquetPart {
  let at = offset
  const [first, ...others] = slices.map(({ files, byThread }) => {
    const taken = files.map(({ footer, bodyBytes }) => {
      const slice = parseSlice(footer, at)
      at += bodyBytes
      return slice
    })
    return byThread === null ? takeOnly(taken) : combineInOrder(taken, byThread.groupRowsMax)
  })
  if (first === undefined) throw new Error('a part of the output has no columns')
  for (const other of others) join(first, other)
  const rowGroups = first.rowGroups.map((group) => writeThrift(group))
  return {
    rowCount: first.rowCount,
    rowGroups: Buffer.concat(rowGroups),
    rowGroupCount: rowGroups.length,
    rest: first.rest,
  }
}

function takeOnly([slice, ...others]: readonly ParquetSlice[]): ParquetSlice {
  if (slice === undefined || others.length > 0) throw new Error('a slice of a part is not one file')
  return slice
}

/** Combines the files of concurrent threads. Throws if a row group is not in the place given by its first column. */
function combineInOrder(files: readonly ParquetSlice[], groupRowsMax: number): ParquetSlice {
  const placed = files
    .flatMap(({ rowGroups }) => rowGroups)
    .map((group) => ({ group, place: takePlace(group) }))
    .sort((one, other) => one.place - other.place)
  let rowCount = 0
  for (const { group, place } of placed) {
    if (place !== Math.floor(rowCount / groupRowsMax)) throw new Error('a part lacks some of its row groups')
    rowCount += getNumber(group, fields.rowGroup.rowCount)
  }
  const rests = files.map(({ rest }) => rest)
  for (const rest of rests) removeFirstColumn(rest)
  const [rest, ...others] = rests
  if (rest === undefined || others.some((other) => !writeThrift(other).equals(writeThrift(rest))))
    throw new Error('the files of a part differ in their columns')
  return { rowCount, rowGroups: placed.map(({ group }) => group), rest }
}

/** Removes the first column of a row group and returns the number of earlier row groups. */
function takePlace(group: ThriftStruct): number {
  const meta = toStruct(
    toStruct(getList(group, fields.rowGroup.columns).shift()).get(fields.column.meta)?.value,
  )
  const least = toStruct(meta.get(fields.meta.statistics)?.value).get(fields.statistics.least)?.value
  if (!Buffer.isBuffer(least)) throw new Error('a row group lacks its place')
  addNumber(group, fields.rowGroup.bytes, -getNumber(meta, fields.meta.bytes))
  addNumber(group, fields.rowGroup.packedBytes, -getNumber(meta, fields.meta.packedBytes))
  return countGroupsBefore(least.readInt32LE())
}

function removeFirstColumn(rest: ThriftStruct): void {
  const schema = getList(rest, fields.file.schema)
  schema.splice(1, 1)
  addNumber(toStruct(schema[0]), fields.schemaElement.childCount, -1)
  if (rest.has(fields.file.columnOrders)) getList(rest, fields.file.columnOrders).shift()
}

/** Appends the columns of one slice to those of another. */
function join(to: ParquetSlice, from: ParquetSlice): void {
  if (to.rowCount !== from.rowCount || to.rowGroups.length !== from.rowGroups.length)
    throw new Error('the slices of a part differ in their rows')
  for (const [index, group] of to.rowGroups.entries()) {
    const other = toStruct(from.rowGroups[index])
    if (getNumber(group, fields.rowGroup.rowCount) !== getNumber(other, fields.rowGroup.rowCount))
      throw new Error('the slices of a part differ in their row groups')
    for (const column of getList(other, fields.rowGroup.columns))
      getList(group, fields.rowGroup.columns).push(column)
    for (const id of [fields.rowGroup.bytes, fields.rowGroup.packedBytes])
      addNumber(group, id, getNumber(other, id))
  }
  const [root] = getList(to.rest, fields.file.schema)
  const [otherRoot, ...elements] = getList(from.rest, fields.file.schema)
  const { childCount } = fields.schemaElement
  addNumber(toStruct(root), childCount, getNumber(toStruct(otherRoot), childCount))
  for (const element of elements) getList(to.rest, fields.file.schema).push(element)
  if (!to.rest.has(fields.file.columnOrders)) return
  for (const order of getList(from.rest, fields.file.columnOrders))
    getList(to.rest, fields.file.columnOrders).push(order)
}

function getList(struct: ThriftStruct, id: number): Thrift[] {
  const list = struct.get(id)?.value
  if (!isThriftList(list)) throw new Error('the footer of a part is invalid')
  return list.items
}

function getNumber(struct: ThriftStruct, id: number): number {
  const value = struct.get(id)?.value
  return typeof value === 'number' ? value : 0
}

function addNumber(to: ThriftStruct, id: number, number: number): void {
  const field = to.get(id)
  if (typeof field?.value === 'number') field.value += number
}

function parseSlice(footer: Buffer, offset: number): ParquetSlice {
  const rest = readThrift(footer)
  const rowCount = rest.get(fields.file.rowCount)?.value
  const groups = rest.get(fields.file.rowGroups)?.value
  if (typeof rowCount !== 'number' || !isThriftList(groups)) throw new Error('a part has no row groups')
  rest.delete(fields.file.rowCount)
  rest.delete(fields.file.rowGroups)
  const rowGroups = groups.items.map((group) => {
    const struct = toStruct(group)
    move(struct, offset - parquetMagic.length)
    return struct
  })
  return { rowCount, rowGroups, rest }
}

function move(rowGroup: ThriftStruct, distance: number): void {
  // Only needed for encryption, and limited to 16 bits.
  rowGroup.delete(fields.rowGroup.ordinal)
  moveField(rowGroup, fields.rowGroup.offset, distance)
  const columns = rowGroup.get(fields.rowGroup.columns)?.value
  if (!isThriftList(columns)) throw new Error('a row group has no columns')
  for (const item of columns.items) {
    const column = toStruct(item)
    for (const id of [fields.column.offset, ...fields.column.indexOffsets]) moveField(column, id, distance)
    const meta = toStruct(column.get(fields.column.meta)?.value)
    for (const id of fields.meta.offsets) moveField(meta, id, distance)
  }
}

/** 0 means "not set". */
function moveField(struct: ThriftStruct, id: number, distance: number): void {
  const field = struct.get(id)
  if (typeof field?.value === 'number' && field.value > 0) field.value += distance
}

function toStruct(value: Thrift | undefined): ThriftStruct {
  if (value instanceof Map) return value
  throw new Error('the footer of a part is invalid')
}

/** Returns whether two parts have the same columns, types and metadata. */
export function hasSameRest(one: ParquetPart, other: ParquetPart): boolean {
  return writeThrift(one.rest).equals(writeThrift(other.rest))
}

/** Returns whether two parts have the same columns and types. */
export function hasSameSchema(one: ParquetPart, other: ParquetPart): boolean {
  const encodeSchema = ({ rest }: ParquetPart) => {
    const field = rest.get(fields.file.schema)
    return writeThrift(new Map(field === undefined ? [] : [[fields.file.schema, field]]))
  }
  return encodeSchema(one).equals(encodeSchema(other))
}

/** Returns the names of top-level columns. */
export function listColumnNames({ rest }: ParquetPart): readonly string[] {
  const [, ...elements] = getList(rest, fields.file.schema).map(toStruct)
  const names: string[] = []
  let inside = 0
  for (const element of elements) {
    if (inside === 0) names.push(getName(element))
    else inside--
    inside += getNumber(element, fields.schemaElement.childCount)
  }
  return names
}

function getName(element: ThriftStruct): string {
  const name = element.get(fields.schemaElement.name)?.value
  return name instanceof Uint8Array ? Buffer.from(name).toString('utf8') : ''
}

/** Returns the footer's bytes before and after the row groups, without its length and the final magic bytes. */
export function buildFooter(
  { rest }: ParquetPart,
  rowCount: number,
  rowGroupCount: number,
): { before: Buffer; after: Buffer } {
  // An empty list of row groups ends with the byte of its length.
  const { rowCount: rowCountId, rowGroups: rowGroupsId } = fields.file
  const entries = [...rest]
  const head: ThriftStruct = new Map(entries.filter(([id]) => id < rowCountId))
  head.set(rowCountId, { type: 6, value: rowCount })
  head.set(rowGroupsId, { type: 9, value: { elementType: 12, items: [] } })
  const listHead = writeThrift(head).subarray(0, -2)
  const count: number[] = []
  for (let left = rowGroupCount; ; left = Math.floor(left / 128)) {
    count.push(left >= 128 ? (left % 128) | 128 : left)
    if (left < 128) break
  }
  const after: ThriftStruct = new Map(entries.filter(([id]) => id > rowGroupsId))
  return {
    before: Buffer.concat([listHead, Buffer.from([0xfc, ...count])]),
    after: writeThrift(after, rowGroupsId),
  }
}

/** Returns the last bytes of a Parquet file with a footer of this length. */
export function buildParquetEnd(footerBytes: number): Buffer {
  const end = Buffer.alloc(4)
  end.writeUInt32LE(footerBytes)
  return Buffer.concat([end, parquetMagic])
}
