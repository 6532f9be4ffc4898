import { UserError } from '../../core/errors.js'
import { listJsonMembers, unquote, type JsonMember } from '../../core/json.js'
import { createTooManyColumnsError } from '../../tables/limits-and-errors.js'
import { openFileBytes, openText, type TextSource } from '../../tables/text-tables.js'
import { toJsonCell } from '../../tables/writers.js'
import type { NestedColumn } from './columns.js'
import type { SourceFile } from './sources.js'
import { KeyTally } from './header-and-cells.js'
import { readFolderCells } from './file-content.js'
import {
  splitIntoBatches,
  toJsonText,
  type CellRow,
  type CellType,
  type InputFile,
  type InputTable,
  type MemberRows,
  type ReadOptions,
  type TextRow,
} from './table.js'
import { isSafeNumber } from 'lossless-json'

/** Reads the objects of a text, each as one line of JSON. Validates them if `check`. */
type ObjectReader = (text: TextSource, check: boolean) => AsyncGenerator<readonly string[]>

/**
 * Opens one or several files of NDJSON, or of one JSON array each, as one table. Reads the files whole, to find the
 * columns (the union of keys, in order of first appearance), their types, and invalid objects.
 */
export async function openObjects(
  files: readonly SourceFile[],
  format: 'ndjson' | 'json',
  options: ReadOptions,
): Promise<InputTable> {
  const reader: ObjectReader = (text, check) =>
    format === 'json' ? text.arrayObjects(check) : text.objectLines(check)
  const opened: ObjectFile[] = []
  for (const file of files) {
    const text = await openText(openFileBytes(file.path, file.label), options.encoding)
    opened.push({ text, isChosen: options.chosen?.has(file) ?? true, folderMembers: '' })
  }
  const labels = files.map(({ label }) => label).join(', ')
  const keys = new KeyTally(files.length, () => new ColumnTally())
  const readObjects = (from: readonly ObjectFile[], found: KeyTally<ColumnTally> | null) =>
    readAllObjects(from, reader, options.rowsMax, found)
  for await (const lines of readObjects(opened, keys)) {
    for (const line of lines) if (!keys.add(line)) throw createTooManyColumnsError(labels)
  }
  if (keys.tallies.size === 0) {
    throw new UserError('INPUT_NO_ROWS', `${labels} contains no object with a key`, {
      hint: 'there is nothing to look up',
    })
  }
  const folders = readFolderCells(files, keys.keysOfFiles)
  for (const [index, file] of opened.entries()) {
    // A file without objects has no columns that another file could lack.
    if (keys.keysOfFiles[index]?.size === 0) continue
    const members = (folders.cells[index] ?? []).map(({ name, value, type }) => {
      const raw = value === null ? 'null' : toJsonText(value, type)
      return `${JSON.stringify(name)}:${raw}`
    })
    file.folderMembers = members.join(',')
    keys.openFile(index)
    if (!keys.add(`{${file.folderMembers}}`)) throw createTooManyColumnsError(labels)
  }
  return new ObjectTable(opened, keys, folders.notices, (isSample) =>
    readObjects(
      opened.filter(({ isChosen }) => isSample || isChosen),
      null,
    ),
  )
}

interface ObjectFile {
  readonly text: TextSource
  /** Whether the rows are read. */
  readonly isChosen: boolean
  /** Members that the names of the folders give to every row, as JSON. */
  folderMembers: string
}

function readAllObjects(
  files: readonly ObjectFile[],
  reader: ObjectReader,
  rowsMax: number | undefined,
  /** Receives the keys of the first pass, which validates the objects; `null` for later passes. */
  keys: KeyTally<ColumnTally> | null,
): AsyncGenerator<readonly string[]> {
  const readAll = async function* () {
    for (const [index, { text, folderMembers }] of files.entries()) {
      keys?.openFile(index)
      for await (const lines of reader(text, keys !== null))
        yield folderMembers === '' ? lines : lines.map((line) => addMembers(line, folderMembers))
    }
  }
  return splitIntoBatches(readAll(), rowsMax)
}

function addMembers(object: string, members: string): string {
  const start = object.slice(0, object.lastIndexOf('}'))
  return `${start}${start.trim() === '{' ? '' : ','}${members}}`
}

class ObjectTable implements InputTable {
  readonly layout: InputTable['layout']
  private readonly types: ReadonlyMap<string, CellType>
  private readonly columnOf: ReadonlyMap<string, string>
  /** Keys that lead from the column to a member, by the member's dotted path. */
  private readonly memberPaths: ReadonlyMap<string, readonly string[]>

  constructor(
    private readonly files: readonly ObjectFile[],
    private readonly keys: KeyTally<ColumnTally>,
    private readonly folderNotices: readonly string[],
    private readonly objects: (isSample: boolean) => AsyncGenerator<readonly string[]>,
  ) {
    const { tallies } = keys
    this.columnOf = keys.listColumns()
    const united = new Map<string, ColumnTally>()
    for (const [key, tally] of tallies) {
      const column = this.columnOf.get(key) ?? key
      const known = united.get(column)
      if (known === undefined) united.set(column, tally)
      else known.addAll(tally)
    }
    this.types = new Map([...united].map(([name, { type }]) => [name, type]))
    const nested = new Map<string, NestedColumn>()
    const memberPaths = new Map<string, readonly string[]>()
    for (const [name, { nestedKind: kind, memberKeys }] of tallies) {
      if (kind === null) continue
      const paths = memberKeys.map((keys) => [name, ...keys])
      nested.set(name, { kind, members: paths.map((path) => path.join('.')) })
      for (const path of paths) memberPaths.set(path.join('.'), path)
    }
    this.layout = { nested, listFiles: () => this.listFiles() }
    this.memberPaths = memberPaths
  }

  get columns(): readonly string[] {
    return [...this.types.keys()]
  }

  async *textRows(columns: readonly string[], isSample = false): AsyncGenerator<readonly TextRow[]> {
    const places = this.locateCells(columns)
    for await (const lines of this.objects(isSample)) {
      yield lines.map((line) => {
        const row = new Array<string | null>(columns.length).fill(null)
        for (const member of listJsonMembers(line)) fillCells(row, places, member)
        return row
      })
    }
  }

  objectRows(): AsyncGenerator<readonly string[]> {
    return this.objects(false)
  }

  async *cellRows(): AsyncGenerator<readonly CellRow[]> {
    const indexes = new Map(this.columns.map((name, index) => [name, index]))
    const positions = new Map([...this.columnOf].map(([key, name]) => [key, indexes.get(name) ?? -1]))
    for await (const lines of this.objects(false)) {
      yield lines.map((line) => {
        const row: CellRow[number][] = this.columns.map(() => null)
        for (const { key, raw } of listJsonMembers(line))
          row[positions.get(key) ?? -1] = toJsonCell(raw, toCellText(raw))
        return row
      })
    }
  }

  parquetSource(): MemberRows {
    const byName = new Map(
      [...this.types].map(([name, type], index) => [name, { key: `"c${index}":`, type }]),
    )
    const columns = new Map([...this.columnOf].map(([key, name]) => [key, byName.get(name)]))
    const lines = () => this.objects(false)
    const findPlaces = (names: readonly string[]) => this.locateCells(names)
    return {
      kind: 'members',
      types: [...this.types.values()],
      async *readMembers(cellColumns = []) {
        const places = findPlaces(cellColumns)
        for await (const batch of lines()) {
          yield batch.map((line) => {
            const members = new Map<string, string>()
            const cells = new Array<string | null>(cellColumns.length).fill(null)
            for (const member of listJsonMembers(line)) {
              const column = columns.get(member.key)
              if (column !== undefined) members.set(column.key, toDuckDbJson(member.raw, column.type))
              fillCells(cells, places, member)
            }
            return { members: [...members].map(([key, value]) => key + value).join(','), cells }
          })
        }
      },
    }
  }

  /** Returns the cells to fill for each key of a line. A column takes precedence over a member with the same path. */
  private locateCells(names: readonly string[]): CellPlaces {
    const places = new Map<string, CellPlace[]>()
    const keysOf = new Map<string, string[]>()
    for (const [key, column] of this.columnOf) keysOf.set(column, [...(keysOf.get(column) ?? []), key])
    for (const [position, name] of names.entries()) {
      const [first = name, ...path] = this.types.has(name) ? [name] : (this.memberPaths.get(name) ?? [name])
      const keys = path.length > 0 ? [first] : (keysOf.get(first) ?? [first])
      for (const key of keys) places.set(key, [...(places.get(key) ?? []), { position, path }])
    }
    return places
  }

  listNotes(): readonly string[] {
    return [...this.folderNotices, ...this.files.flatMap(({ text: { notice } }) => notice ?? [])]
  }

  private listFiles(): readonly InputFile[] {
    return this.files.flatMap(({ text: { label } }, index) => {
      const columns = Array.from(this.keys.keysOfFiles[index] ?? [], (key) => this.columnOf.get(key) ?? key)
      return columns.length === 0 ? [] : [{ label, columns, header: null }]
    })
  }
}

interface CellPlace {
  /** Index in a row of cells. */
  readonly position: number
  /** Keys from the line's member to the value; empty for the member itself. */
  readonly path: readonly string[]
}
type CellPlaces = ReadonlyMap<string, readonly CellPlace[]>

function fillCells(cells: (string | null)[], places: CellPlaces, { key, raw }: JsonMember): void {
  for (const { position, path } of places.get(key) ?? [])
    cells[position] = path.length === 0 ? toCellText(raw) : getMemberText(raw, path)
}

/** Returns the text of a member, or `null` if it is missing or nested. */
function getMemberText(raw: string, [key, ...rest]: readonly string[]): string | null {
  if (key === undefined) return isNested(raw) ? null : toCellText(raw)
  const member = raw.startsWith('{') ? listJsonMembers(raw).findLast((one) => one.key === key) : undefined
  return member === undefined ? null : getMemberText(member.raw, rest)
}

const isNested = (raw: string): boolean => raw.startsWith('{') || raw.startsWith('[')

/** Strings are unquoted, `null` becomes `null`, and other values keep their JSON text. */
function toCellText(raw: string): string | null {
  if (raw.startsWith('"')) return unquote(raw)
  return raw === 'null' ? null : raw
}

/** Passes JSON values as strings, so that DuckDB keeps their text. Replaces lone surrogates. */
function toDuckDbJson(raw: string, type: CellType): string {
  const whole = replaceLoneSurrogates(raw)
  return type === 'json' && raw !== 'null' ? JSON.stringify(whole) : whole
}

const surrogateEscapes =
  /\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g

function replaceLoneSurrogates(raw: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(raw)) return raw
  return raw.replace(surrogateEscapes, (found) => (found.length === 6 ? '\\ufffd' : found))
}

const membersMax = 200
const memberDepthMax = 8

/** The kinds of values seen in one column of NDJSON; they decide its type in Parquet. */
class ColumnTally {
  private hasText = false
  private hasBoolean = false
  private hasInteger = false
  private hasUnsafeInteger = false
  private hasDouble = false
  private hasOther = false
  /** Keys that lead to members of objects, by their dotted path. */
  private members: Map<string, readonly string[]> | null = null
  /** `object` if at least one cell is an object. */
  nestedKind: 'object' | 'array' | null = null

  /** Adds the kinds of another key of the same column, which has no nested values. */
  addAll(other: ColumnTally): void {
    this.hasText ||= other.hasText
    this.hasBoolean ||= other.hasBoolean
    this.hasInteger ||= other.hasInteger
    this.hasUnsafeInteger ||= other.hasUnsafeInteger
    this.hasDouble ||= other.hasDouble
    this.hasOther ||= other.hasOther
  }

  get memberKeys(): readonly (readonly string[])[] {
    return [...(this.members?.values() ?? [])]
  }

  add(raw: string): void {
    const first = raw.charCodeAt(0)
    if (first === 0x22) this.hasText = true
    else if (first === 0x74 || first === 0x66) this.hasBoolean = true
    else if (first === 0x6e) return
    else if (first === 0x7b || first === 0x5b) {
      this.hasOther = true
      if (first === 0x7b) this.nestedKind = 'object'
      else this.nestedKind ??= 'array'
      if (first === 0x7b) this.addMembers(raw, [])
    } else this.addNumber(raw)
  }

  /** The narrowest type that keeps every value exactly, else JSON text. A column of nulls is text. */
  get type(): CellType {
    const kinds = [this.hasText, this.hasBoolean, this.hasInteger || this.hasDouble, this.hasOther]
    if (this.hasOther || kinds.filter(Boolean).length > 1) return 'json'
    if (this.hasBoolean) return 'boolean'
    if (this.hasDouble) return this.hasUnsafeInteger ? 'json' : 'double'
    return this.hasInteger ? 'integer' : 'text'
  }

  /** Objects used as maps would add members without limit, so only the first are kept. */
  private addMembers(object: string, path: readonly string[]): void {
    if (path.length === memberDepthMax) return
    const members = (this.members ??= new Map())
    for (const { key, raw } of listJsonMembers(object)) {
      if (members.size >= membersMax) return
      if (raw.startsWith('{')) this.addMembers(raw, [...path, key])
      else if (!raw.startsWith('[')) members.set([...path, key].join('.'), [...path, key])
    }
  }

  private addNumber(raw: string): void {
    if (/^(?:0|-?[1-9]\d*)$/.test(raw)) {
      this.hasInteger = true
      if (raw.length > 15 && !Number.isSafeInteger(Number(raw))) {
        this.hasUnsafeInteger = true
        if (raw.length > 18 && !isInt64(raw)) this.hasOther = true
      }
    } else if (Number.isFinite(Number(raw)) && isSafeNumber(raw)) this.hasDouble = true
    else this.hasOther = true
  }
}

function isInt64(raw: string): boolean {
  if (raw.length > 20) return false
  const value = BigInt(raw)
  return value >= -(2n ** 63n) && value < 2n ** 63n
}
