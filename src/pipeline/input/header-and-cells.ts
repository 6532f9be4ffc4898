import { isAddress } from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import { listJsonMembers } from '../../core/json.js'
import { createTooManyColumnsError, tableLimits } from '../../tables/limits-and-errors.js'
import { toHeaderKey, toHeaderKeys, toSpellingKey } from '../../core/text.js'
import { parsePlaceHeader, type PlaceHeader } from '../../core/header-words.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import { canBePlaces, isMostly } from './column-content.js'

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
  /** The keys of each file, in order of the files; empty for a file without objects. */
  readonly keysOfFiles: readonly Set<string>[]
  #fileIndex = 0
  #objectNumber = 0

  constructor(
    fileCount: number,
    private readonly createTally: () => Tally,
  ) {
    this.keysOfFiles = Array.from({ length: fileCount }, () => new Set<string>())
  }

  /** The next objects are those of this file. */
  openFile(index: number): void {
    this.#fileIndex = index
  }

  /** Adds the next object of the file. Returns false once there are too many columns. */
  add(object: string): boolean {
    this.#objectNumber++
    const keys = this.keysOfFiles[this.#fileIndex]
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

/** A cell that the names of its folders give to every row of a file. */
export interface FolderCell {
  readonly name: string
  /** `null` for Hive's null, and for a file in another folder. */
  readonly value: string | null
  /** The same for all files: `integer` and `date` only if the texts of all values stay the same. */
  readonly type: 'text' | 'integer' | 'date'
}

const hiveNull = '__HIVE_DEFAULT_PARTITION__'

interface LabelledFile {
  readonly label: string
  /** Defined for the copy of a table, whose label is the address of its database. */
  readonly format?: unknown
}

/**
 * Returns the cells that each file gets from the names of the folders right above it, as Hive and Spark write them:
 * `country=GB/part.parquet`. `own`: the columns of each file,
 * which have priority. Names that differ only in letter case are one column. The notices tell what is read.
 */
export function readFolderCells(
  files: readonly LabelledFile[],
  own: readonly (readonly string[] | ReadonlySet<string>)[],
): { readonly cells: readonly (readonly FolderCell[])[]; readonly notices: readonly string[] } {
  const names = new Map<string, string>()
  const parsed = files.map((file) => new Map(parseFolders(file).map((pair) => [pair[0].toLowerCase(), pair])))
  for (const folders of parsed) for (const [key, [name]] of folders) if (!names.has(key)) names.set(key, name)
  if (names.size === 0) return { cells: files.map(() => []), notices: [] }
  const ownKeys = own.map((columns) => new Set(Array.from(columns, (name) => name.toLowerCase())))
  for (const name of own.flatMap((columns) => [...columns]))
    if (names.has(name.toLowerCase())) names.set(name.toLowerCase(), name)
  const columns = [...names].map(([key, name]) => {
    const values = parsed.map((folders) => folders.get(key)?.[1] ?? null)
    return { key, name, values, type: getFolderType(values) }
  })
  const cells = files.map((_file, index) =>
    columns.flatMap(({ key, name, values, type }) =>
      ownKeys[index]?.has(key) === true ? [] : [{ name, type, value: values[index] ?? null }],
    ),
  )
  const list = (some: typeof columns) => some.map(({ name }) => JSON.stringify(name)).join(', ')
  const read = columns.filter(({ key }) => !ownKeys.every((keys) => keys.has(key)))
  const both = columns.filter(({ key }) => ownKeys.some((keys) => keys.has(key)))
  const notices = [
    ...(read.length === 0 ? [] : [`read from the names of folders: ${list(read)}`]),
    ...(both.length === 0
      ? []
      : [`in files and in the names of their folders: ${list(both)}; the values in the files are used`]),
  ]
  return { cells, notices }
}

function parseFolders({ label, format }: LabelledFile): (readonly [name: string, value: string | null])[] {
  if (format !== undefined) return []
  const isUrl = /^https:/i.test(label)
  const path = isAddress(label) ? label.replace(/^\w+:\/\/[^/]*/, '') : label
  const folders = (
    isUrl
      ? path
          .replace(/[?#].*$/s, '')
          .split('/')
          .map(decode)
      : path.split('/')
  ).slice(0, -1)
  return folders.slice(folders.findLastIndex((folder) => !/^[^=]+=/.test(folder)) + 1).map((folder) => {
    const end = folder.indexOf('=')
    const value = folder.slice(end + 1)
    return [decode(folder.slice(0, end)), value === hiveNull ? null : decode(value)]
  })
}

/** Decodes `%3A`; returns other texts unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function getFolderType(values: readonly (string | null)[]): FolderCell['type'] {
  const texts = values.filter((value) => value !== null)
  if (texts.length === 0) return 'text'
  if (texts.every((text) => /^(?:0|-?[1-9]\d{0,17})$/.test(text))) return 'integer'
  return texts.every(isDay) ? 'date' : 'text'
}

function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (year === undefined || year === '0000') return false
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day))
  return Number(year) >= 100 && new Date(ms).toISOString().startsWith(text)
}

export type PlaceColumn = PlaceHeader & { readonly column: string }

/** How to choose between two columns of the same part of a place: earlier versions use the first. */
export type PlaceOrder = 'best' | 'first'

/** Headers that mean a part of another size in another language: `Kraj` is a region in Czechia, and the country in Poland. */
const vagueHeaders: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.vagueParts))
const regionSizes = headerWords.regionSizes.map((list) => toHeaderKeys(list))
const getSize = (column: string) => regionSizes.findIndex((keys) => keys.includes(toHeaderKey(column)))

/** Tells a town, a region or a country below `Kraj`, and postal codes below `Pošta` and `PIN`, by the cells and the other headers. */
function judgePart(
  column: string,
  part: PlaceHeader['part'],
  header: readonly string[],
  samples: ReadonlyMap<string, readonly string[]>,
): PlaceHeader['part'] {
  const cells = samples.get(column) ?? []
  if (
    part === 'city' &&
    /^po[sš]ta$/i.test(column.trim()) &&
    isMostly(cells, (cell) => /^[\d\s-]+$/.test(cell))
  )
    return 'postal'
  if (
    cells.length === 0 ||
    toHeaderKey(column) !== 'kraj' ||
    isMostly(cells, (cell) => /^[A-Z]{2,3}$/.test(cell))
  )
    return part
  if (isMostly(cells, (cell) => /(?:sk|ck)[ýáí]$|kraj|vysočina/iu.test(cell))) return 'region'
  const others = header.filter((one) => one !== column)
  const isSlovene = others.some((one) => /pošt|občina|podjetj|matičn|davčn/iu.test(one))
  const isPlain = (one: string, of: string) => {
    const place = parsePlaceHeader(one)
    return place?.part === of && place.set === 'plain'
  }
  const hasCountry = others.some((one) => isPlain(one, 'country'))
  const hasCity = others.some((one) => isPlain(one, 'city'))
  return isSlovene || (hasCountry && !hasCity) ? 'city' : hasCountry ? 'region' : part
}

/**
 * Lists the columns that are parts of places, by header, unless their cells are unsuitable; those without a number first,
 * then `Ort 1` before `Ort 2`. Of equal ones, those that are filled in half of the rows or more, with a clear header, are first.
 */
export function listPlaceColumns(
  header: readonly string[],
  samples: ReadonlyMap<string, readonly string[]>,
  order: PlaceOrder = 'best',
): PlaceColumn[] {
  // Latin America: the smaller of several regions is the place of the town, as `Distrito` next to `Provincia`.
  const sizes = order === 'best' ? header.map(getSize) : []
  const largest = sizes.includes(0) ? Math.max(...sizes) : -1
  const places = header.flatMap((column) => {
    const place = parsePlaceHeader(column)
    const cells = samples.get(column) ?? []
    if (place === null) return []
    const part = order === 'best' ? judgePart(column, place.part, header, samples) : place.part
    const isPin =
      !/^(?:pin|пин)$/i.test(column.trim()) || isMostly(cells, (cell) => /^\d{3} ?\d{3}$/.test(cell))
    if (!isPin || !canBePlaces(part, cells)) return []
    const size = getSize(column)
    return [{ column, ...place, part: size >= 0 && size < largest ? 'city' : part }]
  })
  const countFilled = (column: string) => samples.get(column)?.length ?? 0
  const mostFilled = Math.max(0, ...places.map(({ column }) => countFilled(column)))
  const isWeak = ({ column }: PlaceColumn) =>
    order === 'best' && (vagueHeaders.has(toHeaderKey(column)) || countFilled(column) < mostFilled / 2)
  return places.sort((one, other) => one.number - other.number || Number(isWeak(one)) - Number(isWeak(other)))
}
