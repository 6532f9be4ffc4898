import { UserError } from '../../core/errors.js'
import {
  openDelimited,
  openOneFile,
  type ByteSource,
  type LocatedRecord,
  openText,
} from '../../tables/text-tables.js'
import { isWorkbook, openXlsx } from '../../tables/xlsx/xlsx-file.js'
import type { Encoding } from '../../core/file-formats.js'
import type { FileFormat, ImportItem, ItemPiece, ReadOptions } from '../model/registry-rows.js'
import { importLimits } from '../model/limits.js'
import { mapEach } from './item-thread.js'

/** An element of an array that is the root of a file or a member of the root object. */
export interface JsonElement {
  /** Key of the array; `null` if the array is the root. */
  readonly key: string | null
  readonly text: string
  /** Line of its first character, from 1. */
  readonly line: number
}

/**
 * Splits the arrays of a JSON file into elements, piece by piece, without parsing them. An invalid element with
 * balanced brackets and quotes affects only itself. Errors: INPUT_JSON_INVALID for other text and truncated files.
 */
export class JsonElements {
  readonly #label: string
  /** Open brackets around elements. */
  readonly #around: readonly string[]
  #text = ''
  #at = 0
  #line = 1
  #lineCountedTo = 0
  /** Closing brackets of the open ones. */
  #open = ''
  #key: string | null = null
  #elementStart = -1
  #elementLine = 0
  #isOver = false

  /** `arraysInMembers`: also arrays one level deeper, under their key there. */
  constructor(label: string, arraysInMembers = false) {
    this.#label = label
    this.#around = arraysInMembers ? [']', '}]', '}}]'] : [']', '}]']
  }

  push(piece: string): JsonElement[] {
    const keepFrom = this.#elementStart === -1 ? this.#at : this.#elementStart
    this.#countLines(keepFrom)
    this.#text = this.#text.slice(keepFrom) + piece
    this.#at -= keepFrom
    this.#lineCountedTo = 0
    if (this.#elementStart !== -1) this.#elementStart = 0
    const elements = this.#scan()
    const openFrom = this.#elementStart === -1 ? this.#at : this.#elementStart
    if (this.#text.length - openFrom > importLimits.jsonElementCharsMax) {
      throw this.#createError(`a record is longer than ${importLimits.jsonElementCharsMax} characters`)
    }
    return elements
  }

  /** Throws if the file is truncated. */
  end(): void {
    if (!this.#isOver) throw this.#createError('it is truncated')
  }

  #scan(): JsonElement[] {
    const elements: JsonElement[] = []
    const text = this.#text
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at)
      if (code === 0x22) {
        if (!this.#skipString()) break
        continue
      }
      if (code === 0x7b || code === 0x5b) this.#openBracket(code === 0x7b ? '}' : ']')
      else if (code === 0x7d || code === 0x5d) this.#closeBracket(code === 0x7d ? '}' : ']', elements)
      else if (code === 0x2c) this.#endElement(elements)
      else if (code > 0x20 && this.#elementStart === -1) this.#beginElement()
      this.#at++
    }
    return elements
  }

  /** True if an element may begin here: directly in an array of elements. */
  #isInArray(): boolean {
    return this.#around.includes(this.#open)
  }

  #openBracket(closing: '}' | ']'): void {
    if (this.#isOver) throw this.#createError('there is text after its end')
    if (this.#open.length >= importLimits.jsonDepthMax) throw this.#createError('it is nested too deeply')
    if (this.#elementStart === -1 && this.#isInArray()) this.#beginElement()
    this.#open += closing
  }

  #closeBracket(closing: '}' | ']', elements: JsonElement[]): void {
    if (!this.#open.endsWith(closing)) throw this.#createError(`a "${closing}" has no opening bracket`)
    if (this.#isInArray()) this.#endElement(elements)
    this.#open = this.#open.slice(0, -1)
    if (this.#open === '') this.#isOver = true
  }

  #endElement(elements: JsonElement[]): void {
    if (!this.#isInArray() || this.#elementStart === -1) return
    const text = this.#text.slice(this.#elementStart, this.#at).trimEnd()
    elements.push({ key: this.#open === ']' ? null : this.#key, text, line: this.#elementLine })
    this.#elementStart = -1
  }

  #beginElement(): void {
    if (this.#open === '') throw this.#createError('it is not JSON')
    if (!this.#isInArray()) return
    this.#countLines(this.#at)
    this.#elementStart = this.#at
    this.#elementLine = this.#line
  }

  /** Skips a string; returns false if it does not end in the present text. */
  #skipString(): boolean {
    const text = this.#text
    let end = this.#at + 1
    for (;;) {
      end = text.indexOf('"', end)
      if (end === -1) return false
      let backslashes = 0
      while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
      if (backslashes % 2 === 0) break
      end++
    }
    if (this.#elementStart === -1) this.#beginElement()
    if (this.#open === '}' || this.#open === '}}') this.#key = text.slice(this.#at + 1, end)
    this.#at = end + 1
    return true
  }

  #countLines(to: number): void {
    let at = this.#text.indexOf('\n', this.#lineCountedTo)
    for (; at !== -1 && at < to; at = this.#text.indexOf('\n', at + 1)) this.#line++
    this.#lineCountedTo = Math.max(to, this.#lineCountedTo)
  }

  #createError(reason: string): UserError {
    this.#countLines(this.#at)
    return new UserError(
      'INPUT_JSON_INVALID',
      `${this.#label} cannot be read, line ${this.#line}: ${reason}`,
      { hint: 'download the file again' },
    )
  }
}

/** True if a file begins with a JSON list or object. */
export async function isJson(file: ByteSource): Promise<boolean> {
  for await (const chunk of file.bytes()) return /^(?:\ufeff)?\s*[[{]/.test(chunk.toString('utf8'))
  return false
}

/** Reads the elements of a JSON file's arrays as items; `read` may throw for a file of another format. */
export async function* readJsonItems(
  file: ByteSource,
  read: (element: JsonElement) => ImportItem | null,
  options: ReadOptions & { readonly arraysInMembers?: boolean } = {},
): AsyncGenerator<ItemPiece> {
  // RFC 8259: JSON is UTF-8.
  const text = await openText(file, options.encoding ?? 'utf-8')
  const elements = new JsonElements(file.label, options.arraysInMembers)
  for await (const piece of text.pieces()) {
    const items: ImportItem[] = []
    for (const element of elements.push(piece)) {
      const item = read(element)
      if (item !== null) items.push(item)
    }
    yield items
  }
  elements.end()
}

/** Returns the value of JSON text, or `undefined` if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Returns text or a number as trimmed text; `null` if empty and for any other value. */
export function toText(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value).trim()
  return text === '' ? null : text
}

/** The cells of a record by column name. */
export class TableRow {
  readonly #slots: ReadonlyMap<string, number>
  readonly #cells: readonly string[]

  constructor(slots: ReadonlyMap<string, number>, cells: readonly string[]) {
    this.#slots = slots
    this.#cells = cells
  }

  /** Returns trimmed text, or `null` if the cell is empty or the column is missing. */
  getText(column: string): string | null {
    const slot = this.#slots.get(column)
    if (slot === undefined) return null
    const text = (this.#cells[slot] ?? '').trim()
    return text === '' ? null : text
  }
}

export interface Table {
  /** Name of the format in errors. */
  readonly what: string
  /** Columns that the format must have; names are compared without outer spaces and case. */
  readonly required: readonly string[]
  /** Optional columns. */
  readonly wanted: readonly string[]
  /** Tab-separated files of this format have no quotes. */
  readonly tabsUnquoted?: boolean
  /** Detected if absent. `columns`: those of a file without a header. */
  readonly layout?: {
    readonly encoding: Encoding
    readonly delimiter: string
    readonly isQuoted: boolean
    readonly columns: readonly string[] | null
  }
  /** Accepts any text. */
  read(row: TableRow, line: number): ImportItem
}

/** Creates a format of files with one table. `member`: the file in a zip; `mayBeSheet`: the table may be in Excel. */
export function createTableFormat(
  table: Table,
  facts: Partial<Pick<FileFormat, 'coverage' | 'addsUp'>> & { member?: RegExp; mayBeSheet?: true } = {},
): FileFormat {
  const { coverage = 'whole', addsUp = false, member = null, mayBeSheet = false } = facts
  return {
    coverage,
    addsUp,
    async *read(path, options) {
      if (mayBeSheet && (await isWorkbook(path))) yield* readSheetItems(path, table, options)
      else yield* readTableItems(await openOneFile(path, member), table, options)
    },
  }
}

/** Reads records of a delimited file as items. Errors: of files; REGISTRY_IMPORT_INVALID for its format. */
export async function* readTableItems(
  file: ByteSource,
  table: Table,
  options: ReadOptions = {},
): AsyncGenerator<ItemPiece> {
  const { layout } = table
  const opened = await openDelimited(file, {
    encoding: options.encoding ?? layout?.encoding,
    delimiter: layout?.delimiter,
    hasHeader: (layout?.columns ?? null) === null,
  })
  for (const notice of opened.notices) options.onNotice?.(notice)
  const isUnquoted = (delimiter: string) =>
    table.tabsUnquoted === true ? delimiter === '\t' : layout?.isQuoted === false
  yield* readItems(file, table, (choose) => opened.scan(choose, { isUnquoted }))
}

/** Reads the rows of an Excel file's first visible sheet. Errors: those of `openXlsx`, REGISTRY_IMPORT_INVALID. */
async function* readSheetItems(
  path: string,
  table: Table,
  options: ReadOptions = {},
): AsyncGenerator<ItemPiece> {
  const sheet = await openXlsx(path)
  try {
    yield* readItems(sheet, table, (choose) => sheet.readRecords(choose))
    for (const notice of sheet.listNotices()) options.onNotice?.(notice)
  } finally {
    sheet.close()
  }
}

type Scan = (
  choose: (header: readonly string[]) => readonly number[],
) => AsyncIterable<readonly LocatedRecord[]>

async function* readItems(
  file: Pick<ByteSource, 'label'>,
  table: Table,
  scan: Scan,
): AsyncGenerator<ItemPiece> {
  const header: { slots: ReadonlyMap<string, number> | null } = { slots: null }
  const choose = (found: readonly string[]) => {
    const names = table.layout?.columns ?? found
    header.slots = findSlots(file, table, names)
    return listColumnIndexes(names, header.slots)
  }
  for await (const records of scan(choose)) {
    const { slots } = header
    yield mapEach(records, (record) => {
      if (slots === null) throw createOtherKindError(file, table, 'it has no header')
      return readItem(record, slots, table)
    })
  }
  if (header.slots === null) throw createOtherKindError(file, table, 'it has no header')
}

function readItem(
  { cells, line, reason }: LocatedRecord,
  slots: ReadonlyMap<string, number>,
  table: Table,
): ImportItem {
  return reason === null ? table.read(new TableRow(slots, cells), line) : { kind: 'rejected', line, reason }
}

function findSlots(
  file: Pick<ByteSource, 'label'>,
  table: Table,
  header: readonly string[],
): Map<string, number> {
  const names = new Set(header.map(toColumnKey))
  const missing = table.required.find((column) => !names.has(toColumnKey(column)))
  if (missing !== undefined) throw createOtherKindError(file, table, `it has no column ${missing}`)
  const present = [...table.required, ...table.wanted].filter((column) => names.has(toColumnKey(column)))
  return new Map(present.map((column, slot) => [column, slot]))
}

function listColumnIndexes(header: readonly string[], slots: ReadonlyMap<string, number>): number[] {
  const indexes = new Map(header.map((name, index) => [toColumnKey(name), index]))
  return [...slots.keys()].map((column) => indexes.get(toColumnKey(column)) ?? -1)
}

function toColumnKey(name: string): string {
  return name.trim().toLowerCase()
}

export function createOtherKindError(
  { label }: Pick<ByteSource, 'label'>,
  { what }: Pick<Table, 'what'>,
  reason: string,
): UserError {
  return new UserError('REGISTRY_IMPORT_INVALID', `${label} is not a valid ${what}: ${reason}`, {
    hint: 'pass the format of the file; enrich registry import --help lists all formats',
  })
}
