import { UserError } from '../../core/errors.js'
import { listJsonMembers } from '../../core/json.js'
import { createTooManyColumnsError, tableLimits } from '../../tables/limits-and-errors.js'
import { toHeaderKey, toHeaderKeys, toSpellingKey } from '../../core/text.js'
import {
  isPersonHeader,
  nameRanks,
  parsePlaceHeader,
  rankPlainName,
  type PlaceHeader,
} from '../../core/header-words.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import { isVatHeader } from '../../core/identifiers.js'
import {
  areAddresses,
  canBePlaces,
  detectIdentifier,
  formsShareMin,
  hasLegalForm,
  isMostly,
  rateNames,
  twoLetterCode,
} from './column-content.js'
import { listLookupColumns, type ColumnSamples, type LookupColumns } from './columns.js'

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

export type PlaceColumn = PlaceHeader & { readonly column: string }

/** How to choose between two columns of the same part of a place: earlier versions use the first. */
export type PlaceOrder = 'best' | 'first'

/** Headers that mean a part of another size in another language: `Kraj` is a region in Czechia, and the country in Poland. */
const vagueHeaders: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.vagueParts))
/** Headers of parts of a district, in countries where districts are small. */
const partsOfDistricts: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.partsOfDistricts))
/** Headers that mean a country or a town: `Vendi` is a place. */
const countriesOrTowns: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.countriesOrTowns))
/** In the languages of these headers; the table of all countries is loaded later. */
const countryNames: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.albanianCountries))
const landscapes: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.landscapes.words))
const chileanHeaders: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.landscapes.unlessNextTo))
const regionSizes = headerWords.regionSizes.map((list) => toHeaderKeys(list))

const getSize = (column: string) => regionSizes.findIndex((keys) => keys.includes(toHeaderKey(column)))

/** Tells a town, a region or a country below `Kraj`, and postal codes below `Pošta` and `PIN`, by the cells and the other headers. */
function judgePart(
  column: string,
  part: PlaceHeader['part'],
  header: readonly string[],
  samples: ColumnSamples,
): PlaceHeader['part'] {
  const cells = samples.get(column) ?? []
  const are = (form: RegExp) => isMostly(cells, (cell) => form.test(cell))
  if (part === 'city' && /^po[sš]ta$/i.test(column.trim()) && are(/^[\d\s-]+$/)) return 'postal'
  if (countriesOrTowns.has(toHeaderKey(column)) && cells.length > 0)
    return isMostly(cells, (cell) => countryNames.has(toHeaderKey(cell)) || twoLetterCode.test(cell))
      ? 'country'
      : 'city'
  if (cells.length === 0 || toHeaderKey(column) !== 'kraj' || are(/^[A-Z]{2,3}$/)) return part
  if (are(/(?:sk|ck)[ýáí]$|kraj|vysočina/iu)) return 'region'
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

export const isNamed = (column: string) => nameRanks.some((rank) => rank(column) >= 0)

/** Words for names in one language and addresses in another. */
const namesOrAddresses = headerWords.namesOrAddresses.map(({ words, usual, lettersOfOther }) => ({
  keys: toHeaderKeys(words),
  usual,
  lettersOfOther: new RegExp(`[${lettersOfOther}]`, 'iu'),
}))

/**
 * Tells what a header names that means names in one language and addresses in another, as `Ünvan` in Turkey and in
 * Azerbaijan: by the cells, another header of names, or the letters of the headers. `null` for any other header.
 */
export function judgeNameOrAddress(
  column: string,
  header: readonly string[],
  samples: ColumnSamples,
): 'name' | 'address' | null {
  if (parsePlaceHeader(column)?.part !== 'address' || !isNamed(column)) return null
  const cells = samples.get(column) ?? []
  if (isMostly(cells, hasLegalForm, formsShareMin)) return 'name'
  const isOther = (one: string) => one !== column && isNamed(one) && parsePlaceHeader(one) === null
  if (areAddresses(cells) || header.some(isOther)) return 'address'
  const word = namesOrAddresses.find(({ keys }) => keys.some((key) => toHeaderKey(column).includes(key)))
  const isUsual = word === undefined || !header.some((one) => word.lettersOfOther.test(one))
  return (word?.usual === 'address') === isUsual ? 'address' : 'name'
}

/** South Asia: `PS`, a police station, is a part of a district, and elsewhere another word. */
const isPoliceStation = (column: string, header: readonly string[]): boolean =>
  toHeaderKey(column) === 'ps' && header.some((one) => /^(?:dist|zil+a|জেলা|জিলা)/iu.test(one.trim()))

/** `Dist.` is a district or a distributor. */
const isShortPlace = (column: string): boolean => /^(?:distt?|p\.?\s?s)\.?$/i.test(column.trim())

/**
 * Lists the columns that are parts of places, by header, unless their cells are unsuitable; those without a number first,
 * then `Ort 1` before `Ort 2`. Of equal ones, those that are filled in half of the rows or more, with a clear header, are first.
 */
export function listPlaceColumns(
  header: readonly string[],
  samples: ColumnSamples,
  order: PlaceOrder = 'best',
): PlaceColumn[] {
  // Latin America: the smaller of several regions is the place of the town, as `Distrito` next to `Provincia`.
  const sizes = order === 'best' ? header.map(getSize) : []
  const largest = sizes.includes(0) ? Math.max(...sizes) : -1
  const places = header.flatMap((column) => {
    const isStation = order === 'best' && isPoliceStation(column, header)
    const station: PlaceHeader | null = isStation ? { part: 'region', set: 'plain', number: 0 } : null
    const place = station ?? parsePlaceHeader(column)
    const cells = samples.get(column) ?? []
    if (place === null || (isShortPlace(column) && isMostly(cells, hasLegalForm))) return []
    if (judgeNameOrAddress(column, header, samples) === 'name') return []
    const part = order === 'best' ? judgePart(column, place.part, header, samples) : place.part
    const isPin =
      !/(?:^|\s)(?:pin|пин)$/i.test(column.trim()) || isMostly(cells, (cell) => /^\d{3} ?\d{3}$/.test(cell))
    if (!isPin || !canBePlaces(part, cells)) return []
    const size = getSize(column)
    return [{ column, ...place, part: size >= 0 && size < largest ? 'city' : part }]
  })
  const countFilled = (column: string) => samples.get(column)?.length ?? 0
  const mostFilled = Math.max(0, ...places.map(({ column }) => countFilled(column)))
  // Next to a province, a region is often a landscape, which no register has; in Chile, it is the larger part.
  const areLandscapes = !header.some((column) => chileanHeaders.has(toHeaderKey(column)))
  const isVague = (key: string) => vagueHeaders.has(key) || (areLandscapes && landscapes.has(key))
  const isWeak = ({ column }: PlaceColumn) =>
    order === 'best' && (isVague(toHeaderKey(column)) || countFilled(column) < mostFilled / 2)
  const rank = (place: PlaceColumn) =>
    isWeak(place) ? 1 + Number(partsOfDistricts.has(toHeaderKey(place.column))) : 0
  return places.sort((one, other) => one.number - other.number || rank(one) - rank(other))
}

const contactWord = /contact|kontakt|contatto|contato|ansprech|person|interlocut|mitarbeiter|employee/

/** Lists the unused columns whose cells look like company names although their headers do not say so, the likeliest first. */
export function listUnreadNames(
  header: readonly string[],
  used: LookupColumns,
  samples: ColumnSamples,
): string[] {
  const { website, email } = used.identifiers
  const domains = [website, email].flatMap((column) => samples.get(column ?? '') ?? [])
  return rateUnreadNames(header, listLookupColumns(used), samples, domains).map(({ column }) => column)
}

/** Below a header of persons or of another company (`isOther`), cells without legal forms are no names. */
export function rateUnreadNames(
  header: readonly string[],
  used: readonly string[],
  samples: ColumnSamples,
  domains: readonly string[],
): { column: string; rate: number; isOther: boolean }[] {
  const isOther = (column: string) =>
    isOtherParty(toHeaderKey(column), '') ||
    contactWord.test(toHeaderKey(column)) ||
    isPersonHeader(column) ||
    rankPlainName(column) >= 0
  // In a list of two rows, a legal form in each cell is no chance.
  const isShort = [...samples.values()].every((cells) => cells.length < 3)
  const rate = (cells: readonly string[]) =>
    isShort && cells.length > 0 && cells.every(hasLegalForm) ? 1 : rateNames(cells, domains)
  return header
    .filter((column) => !used.includes(column) && parsePlaceHeader(column) === null)
    .map((column) => ({ column, rate: rate(samples.get(column) ?? []), isOther: isOther(column) }))
    .filter(({ rate, isOther }) => rate > (isOther ? formsShareMin : 0))
    .sort((one, other) => Number(one.isOther) - Number(other.isOther) || other.rate - one.rate)
}

/** Words for another company than the row's, or for a member of staff. */
const otherPartyWords = toHeaderKeys(...headerWords.otherParties)

/** Whether a header names another party than the name's: `Parent LEI` next to `Company`, but not `Fund LEI` next to `Fund Name`. */
export const isOtherParty = (key: string, nameKey: string): boolean =>
  otherPartyWords.some((word) => key.includes(word) && !nameKey.includes(word))

/** Returns the name of tax numbers in texts. */
export const nameTaxKind = (header: string, cells: readonly string[]): 'VAT number' | 'tax number' =>
  isVatHeader(header) || detectIdentifier(cells) === 'VAT number' ? 'VAT number' : 'tax number'
