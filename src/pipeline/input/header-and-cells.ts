import { toDayCell, type Cell, type CellKind } from '../../tables/xlsx/cells.js'
import { UserError } from '../../core/errors.js'
import { listJsonMembers } from '../../core/json.js'
import { tableLimits } from '../../tables/limits.js'
import { createTooManyColumnsError } from '../../tables/file-error.js'
import { toSpellingKey } from '../lookups/header-words.js'
import type { CellType } from './table.js'

/** Significant digits that Excel keeps: 15 of an exact number; all 17 of a double. */
const digits = { exactMax: 15, doubleMax: 17 } as const

/** Returns a number if Excel keeps every digit, else the text. */
function toNumberCell(text: string, digitsMax: number): Cell {
  const [, figures = ''] = /^-?(\d+(?:\.\d+)?)(?:[eE][+-]?\d+)?$/.exec(text) ?? []
  const significant = figures.replace('.', '').replace(/^0+/, '')
  const isKept = figures !== '' && significant.length <= digitsMax && Number.isFinite(Number(text))
  return isKept ? { kind: 'number', value: text, format: 0 } : text
}

/** Converts a JSON value, given as JSON text and as plain text, to a cell. */
export function toJsonCell(raw: string, text: string | null): Cell | null {
  if (raw === 'true' || raw === 'false') return { kind: 'boolean', value: raw === 'true' }
  if (text === null || !/^[-\d]/.test(raw)) return text
  return toNumberCell(text, /[.eE]/.test(raw) ? digits.doubleMax : digits.exactMax)
}

/** Converts a DuckDB value to a cell. Instants with a time zone stay text: Excel has no time zones. */
export function toSqlCell(text: string | null, type: string): Cell | null {
  if (text === null) return null
  if (/^(?:FLOAT|DOUBLE)$/.test(type)) return toNumberCell(text, digits.doubleMax)
  if (/^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(.*\))$/.test(type))
    return toNumberCell(text, digits.exactMax)
  if (type === 'BOOLEAN') return { kind: 'boolean', value: text === 'true' }
  return /^(?:DATE|TIMESTAMP(?:_S|_MS)?)$/.test(type) ? toDayCell(text) : text
}

/** The kinds of cells seen in a column; they decide its type in Parquet. */
export class KindTally {
  private readonly kinds = new Set<CellKind>()

  add(kind: CellKind): void {
    this.kinds.add(kind)
  }

  /** Adds the kinds of another column. */
  addAll({ kinds }: KindTally): void {
    for (const kind of kinds) this.kinds.add(kind)
  }

  /** The narrowest type that fits all cells; text if they differ or there are no cells. */
  get type(): CellType {
    const [first = 'text', second, third] = [...this.kinds].sort()
    if (second === undefined) return first
    if (third !== undefined) return 'text'
    if (first === 'double' && second === 'integer') return 'double'
    return first === 'date' && second === 'timestamp' ? 'timestamp' : 'text'
  }
}

/** Formats the text of a cell as a JSON value of its column's type. */
export function toJsonText(text: string, type: CellType): string {
  switch (type) {
    case 'integer':
    case 'double':
      return text
    case 'boolean':
      return text === 'TRUE' ? 'true' : 'false'
    case 'text':
    case 'date':
    case 'timestamp':
    case 'json':
      return JSON.stringify(text)
  }
}

/** A header cell and its position, counted from 0. */
export interface HeaderCell {
  readonly text: string
  readonly position: number
}

/** Names cells without text. Throws INPUT_COLUMNS_DUPLICATE for equal names, and INPUT_COLUMNS_TOO_MANY. */
export function nameColumns(cells: readonly HeaderCell[], label: string): readonly string[] {
  if (cells.length > tableLimits.columnsMax) throw createTooManyColumnsError(`the header of ${label}`)
  const taken = new Set(cells.map(({ text }) => text))
  const names = cells.map(({ text, position }) => (text === '' ? findFreeName(position + 1, taken) : text))
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) (seen.has(name) ? twice : seen).add(name)
  if (twice.size > 0) {
    const list = [...twice].slice(0, 10).map((name) => JSON.stringify(name))
    throw new UserError('INPUT_COLUMNS_DUPLICATE', `${label} has several columns named ${list.join(', ')}`, {
      hint: 'rename them in the header, so that all column names differ',
    })
  }
  return names
}

/** Returns `column_7` for the seventh position, or `column_7_2` and so on if that name is taken. */
export function findFreeName(position: number, taken: Set<string>): string {
  let name = `column_${position}`
  for (let count = 2; taken.has(name); count++) name = `column_${position}_${count}`
  taken.add(name)
  return name
}

/** Returns the index of a column and adds the column if it is new. */
export function findOrAddColumn(columns: Map<string, number>, name: string): number {
  const known = columns.get(name)
  if (known !== undefined) return known
  columns.set(name, columns.size)
  return columns.size - 1
}

/**
 * Names the columns of several files: headers that differ only in case, spaces and punctuation are one column, with the
 * name that it has in the first file. Columns of one file are never united.
 */
export class UnitedColumns {
  readonly #names = new Set<string>()
  readonly #bySpelling = new Map<string, string[]>()

  /** Returns the name of each column of the next file, in order. */
  add(header: readonly string[]): readonly string[] {
    const taken = new Set(header.filter((name) => this.#names.has(name)))
    const names = header.map((name) => {
      if (this.#names.has(name)) return name
      const alike = this.#bySpelling.get(toSpellingKey(name)) ?? []
      const united = alike.find((known) => !taken.has(known)) ?? name
      taken.add(united)
      return united
    })
    for (const name of names) this.#remember(name)
    return names
  }

  #remember(name: string): void {
    if (this.#names.has(name)) return
    this.#names.add(name)
    const key = toSpellingKey(name)
    // Headers of signs only, like `#` and `%`, have no spelling.
    if (key !== '') this.#bySpelling.set(key, [...(this.#bySpelling.get(key) ?? []), name])
  }
}

/** Keys that differ only in case, spaces and punctuation. */
interface Spelling {
  readonly keys: string[]
  /** The last object with one of the keys, and that key. */
  objectNumber: number
  lastKey: string
  /** Whether an object has two of the keys: then each is a column. */
  isApart: boolean
}

interface ValueTally {
  /** `null` without nested values. */
  readonly nestedKind: string | null
  /** Adds a value as JSON text. */
  add(raw: string): void
}

/** Collects the keys of JSON objects, and the columns that they are: the rule of `UnitedColumns`, for objects. */
export class KeyTally<Tally extends ValueTally> {
  /** The values of each key. */
  readonly tallies = new Map<string, Tally>()
  readonly #spellingOf = new Map<string, Spelling>()
  readonly #bySpelling = new Map<string, Spelling>()
  readonly #files: { readonly label: string; readonly keys: Set<string> }[] = []
  #objectNumber = 0

  constructor(private readonly createTally: () => Tally) {}

  openFile(label: string): void {
    this.#files.push({ label, keys: new Set() })
  }

  /** Adds the next object of the file. Returns false once there are too many columns. */
  add(object: string): boolean {
    this.#objectNumber++
    const keys = this.#files.at(-1)?.keys
    for (const { key, raw } of listJsonMembers(object)) {
      let tally = this.tallies.get(key)
      if (tally === undefined) {
        tally = this.createTally()
        this.tallies.set(key, tally)
        this.#addSpelling(key)
      }
      if (this.tallies.size > tableLimits.columnsMax) return false
      tally.add(raw)
      keys?.add(key)
      this.#compareInObject(key)
    }
    return true
  }

  /** Returns the column of each key: the first key of its spelling. Columns with nested values are never united. */
  listColumns(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#spellingOf].map(([key, { keys, isApart }]) => {
        const isNested = keys.some((one) => this.tallies.get(one)?.nestedKind !== null)
        return [key, isApart || isNested ? key : (keys[0] ?? key)]
      }),
    )
  }

  /** Returns the keys of each file, in order. */
  listFiles(): readonly { readonly label: string; readonly keys: ReadonlySet<string> }[] {
    return this.#files
  }

  #addSpelling(key: string): void {
    // Keys of signs only have no spelling.
    const text = toSpellingKey(key) || key
    const spelling = this.#bySpelling.get(text) ?? { keys: [], objectNumber: 0, lastKey: '', isApart: false }
    spelling.keys.push(key)
    this.#bySpelling.set(text, spelling)
    this.#spellingOf.set(key, spelling)
  }

  #compareInObject(key: string): void {
    const spelling = this.#spellingOf.get(key)
    if (spelling === undefined) return
    if (spelling.objectNumber === this.#objectNumber && spelling.lastKey !== key) spelling.isApart = true
    spelling.objectNumber = this.#objectNumber
    spelling.lastKey = key
  }
}

export function createMissingColumnError(name: string): UserError {
  return new UserError('INPUT_COLUMN_MISSING', `the input has no column ${JSON.stringify(name)}`)
}
