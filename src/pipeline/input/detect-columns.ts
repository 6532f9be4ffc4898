import { areAddresses, areTowns, canBeNames, canBePlaces, hasLegalForm, isMostly } from './column-content.js'
import { listIdentifierColumns, numberKeys, type IdentifierColumns } from '../../core/identifiers.js'
import {
  describeNested,
  getMemberHint,
  getNestedNameHints,
  noNested,
  listPlainColumns,
  type ColumnSamples,
  type ConfigOrigin,
  type NamedColumns,
  type LookupColumns,
  type NestedColumns,
} from './columns.js'
import {
  isPersonHeader,
  rankPlainName,
  rankThingName,
  surelyNameHeaders,
  placeSets,
  rankNameHeader,
  rankPartyHeader,
  wholePlaceHeaders,
  type PlacePart,
  type PlaceSet,
} from '../../core/header-words.js'
import { quoteExcerpt, toSpellingKey, toHeaderKey, rankInHeaders } from '../../core/text.js'
import {
  judgeNameOrAddress,
  listPlaceColumns,
  type PlaceColumn,
  type PlaceOrder,
} from './header-and-cells.js'
import { calculateDistance } from '../../core/word-forms.js'
import { UserError } from '../../core/errors.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import { findIdentifiers, findIdentifierPlaces, type FoundIdentifiers } from './find-identifiers.js'

type FindColumn = (column: string, flag: string, usage?: string) => string

interface ColumnSetting {
  readonly flag: string
  readonly origin?: ConfigOrigin | undefined
  /** Text that may be omitted in front of the column. */
  readonly prefix?: string
}

/**
 * Returns the named columns, and detects the others by their headers; `samples` exclude columns with unsuitable cells.
 * Nested columns are not detected, but a member of one can be named (`company.name`). Throws INPUT_COLUMN_MISSING if a
 * named column does not exist or no column has names or identifiers, and INPUT_COLUMN_NESTED if a nested column is
 * named for anything but context.
 */
export function detectColumns(
  header: readonly string[],
  asked: NamedColumns,
  samples: ColumnSamples = new Map(),
  nested: NestedColumns = noNested,
  order: PlaceOrder = 'best',
): LookupColumns {
  const plain = listPlainColumns(header, nested)
  const { origin } = asked
  const find: FindColumn = (column, flag, usage = `${flag} `) => {
    const found = findColumn(header, column, { flag, origin }, nested)
    assertTexts(header, nested, found, { flag, origin }, usage)
    return found
  }
  const name =
    asked.name === undefined
      ? findName(plain, samples, getNestedNameHints(nested))
      : { column: find(asked.name, '--name-column') }
  const location =
    asked.location?.map((column) => find(column, '--location-columns')) ?? findLocation(plain, samples, order)
  const context =
    asked.context?.map((column) =>
      findColumn(header, column, { flag: '--context-columns', origin }, nested),
    ) ?? []
  const named = 'column' in name ? name.column : null
  const { country } = asked
  const used = { name: named, location, context, ...(country === undefined ? {} : { country }) }
  const identifiers = chooseIdentifiers(plain, asked, used, samples, find)
  if ('missing' in name && listIdentifierColumns(identifiers).length === 0) throw name.missing
  return { ...used, identifiers }
}

function chooseIdentifiers(
  header: readonly string[],
  { identifiers: asked, hasTaxNumbers }: NamedColumns,
  used: Omit<LookupColumns, 'identifiers'>,
  samples: ColumnSamples,
  find: FindColumn,
): IdentifierColumns {
  if (asked === 'none') return {}
  if (asked === undefined) return searchIdentifiers(header, { ...used, hasTaxNumbers }, samples).columns
  // The first column of numbers, whatever its key.
  const first = numberKeys.find((key) => asked[key] !== undefined)
  const columns = Object.fromEntries(
    Object.entries(asked).flatMap(([key, column]) =>
      column === undefined
        ? []
        : [[key === first ? 'registration_id' : key, find(column, '--id-columns', `--id-columns ${key}=`)]],
    ),
  ) as IdentifierColumns
  const countries = listCountryColumns(header, used, samples)
  return { ...findIdentifierPlaces({ header, countries, samples }, columns), ...columns }
}

/**
 * Finds columns that look like identifiers and are not in use, with the reasons why some are not used. `used`: with the
 * identifiers if they are chosen already.
 */
export function searchIdentifiers(
  header: readonly string[],
  used: Omit<LookupColumns, 'identifiers'> &
    Partial<Pick<LookupColumns, 'identifiers'>> &
    Pick<NamedColumns, 'hasTaxNumbers'>,
  samples: ColumnSamples,
): FoundIdentifiers {
  const { name, location, context, country, identifiers: chosen, hasTaxNumbers } = used
  const taken = new Set([...(name === null ? [] : [name]), ...location, ...context])
  const countries = listCountryColumns(header, used, samples)
  return findIdentifiers({ header, name, taken, countries, country, samples, chosen, hasTaxNumbers })
}

/** Lists the country columns, the preferred one first. */
function listCountryColumns(
  header: readonly string[],
  { location }: Pick<LookupColumns, 'location'>,
  samples: ColumnSamples,
): string[] {
  const countries = listPlaceColumns(header, samples).filter(({ part }) => part === 'country')
  const rank = ({ column, set }: PlaceColumn) => (location.includes(column) ? -1 : placeSets.indexOf(set))
  return countries.sort((one, other) => rank(one) - rank(other)).map(({ column }) => column)
}

/** Finds a named column, else a member of a nested one; returns its spelling. Throws INPUT_COLUMN_MISSING. */
export function findColumn(
  header: readonly string[],
  column: string,
  setting: ColumnSetting,
  nested: NestedColumns = noNested,
): string {
  const { prefix = '' } = setting
  const members = [...nested.values()].flatMap((one) => one.members)
  const names = [...header, ...members]
  const whole = prefix + column
  const [key, wholeKey] = [toSpellingKey(column), toSpellingKey(whole)]
  const isSpelledSo = (name: string) => key !== '' && [key, wholeKey].includes(toSpellingKey(name))
  const found =
    names.find((name) => name === column) ?? names.find((name) => name === whole) ?? names.find(isSpelledSo)
  if (found === undefined) {
    const message = `the input has no column "${column}" (${getConfigKey(setting) ?? setting.flag})`
    const override =
      getConfigKey(setting) === undefined
        ? ''
        : `to name another column for this input, pass ${setting.flag}; `
    const nearest = findNearest(names, [column, whole])
    const guess = nearest === null ? '' : `did you mean ${JSON.stringify(nearest)}? `
    throw new UserError('INPUT_COLUMN_MISSING', message, {
      hint: `${override}${guess}it has: ${formatList(names)}`,
    })
  }
  return found
}

/**
 * Returns the name with the fewest typing errors against one of `wanted`, or one that contains it; `null` if each has
 * errors in more than a third of its letters.
 */
function findNearest(names: readonly string[], wanted: readonly string[]): string | null {
  const keys = wanted.map((text) => toSpellingKey(text))
  const ranked = names.map((name) => {
    const key = toSpellingKey(name)
    const typosMax = Math.ceil(Math.min(key.length, ...keys.map((text) => text.length)) / 3)
    const typos = Math.min(...keys.map((text) => calculateDistance(text, key, typosMax)))
    return { name, typos, isNear: key !== '' && typos <= typosMax }
  })
  const [nearest] = ranked.filter(({ isNear }) => isNear).sort((one, other) => one.typos - other.typos)
  const [word = ''] = keys
  return nearest?.name ?? names.find((name) => word !== '' && toSpellingKey(name).includes(word)) ?? null
}

const getConfigKey = ({ flag, origin }: ColumnSetting): string | undefined => origin?.[flag]

/** `usage`: the text before the column on the command line. Throws INPUT_COLUMN_NESTED. */
function assertTexts(
  header: readonly string[],
  nested: NestedColumns,
  column: string,
  setting: ColumnSetting,
  usage: string,
): void {
  const own = nested.get(column)
  if (own === undefined) return
  const message = `"${column}" is ${describeNested(own)}, not a text column (${getConfigKey(setting) ?? setting.flag})`
  const other = `name another column; the input has: ${formatList(listPlainColumns(header, nested))}`
  throw new UserError('INPUT_COLUMN_NESTED', message, { hint: getMemberHint(own, usage) ?? other })
}

/** Ways in which programs damage names, with a sign of them in a cell, the least share of such cells, and what to do. */
const damages = headerWords.damages.map((one) => ({ ...one, sign: new RegExp(one.sign, 'u') }))
const [hintsMax, listedMax] = [3, 30]

/** Describes the damage of names; `null` without any. */
export const describeDamage = (cells: readonly string[]): string | null =>
  damages.find(({ sign, share }) => isMostly(cells, (cell) => sign.test(cell), share))?.text ?? null

/** Returns the column of company names of a table without a header, by content only; null if it is unclear. */
export function findUnnamedColumn(columns: readonly string[], samples: ColumnSamples): string | null {
  const usable = columns.filter((column) => canBeNames(samples.get(column) ?? []))
  const named = usable.filter((column) => samples.get(column)?.some(hasLegalForm))
  const [only = null, another] = usable.length === 1 ? usable : named
  return another === undefined ? only : null
}

/** Explains which columns of a table without a header may have the names. */
export function createUnnamedError(columns: readonly string[], samples: ColumnSamples): UserError {
  const excerpts = columns.map((column) => `${column} (${quoteExcerpt(samples.get(column)?.[0] ?? '')})`)
  return new UserError('INPUT_COLUMN_MISSING', 'it is unclear which column holds company names', {
    hint: `pass --name-column; the input has: ${excerpts.slice(0, listedMax).join(', ')}`,
  })
}

/** Returns the column of company names by header only; null if none. */
export function findNameColumn(header: readonly string[]): string | null {
  const found = findName(header, new Map(), [])
  return 'column' in found ? found.column : null
}

/** `hints`: how to read names from nested columns. */
function findName(
  header: readonly string[],
  samples: ColumnSamples,
  hints: readonly string[],
): { column: string } | { missing: UserError } {
  const isUsable = (column: string) =>
    canBeNames(samples.get(column) ?? []) && judgeNameOrAddress(column, header, samples) !== 'address'
  // Without another column, addresses are used for names: the user is warned.
  const hasStreets = (column: string) => isUsable(column) && areAddresses(samples.get(column) ?? [])
  const named = header.filter((column) => !hasStreets(column))
  const other = named.length < header.length ? findName(named, samples, hints) : null
  if (other !== null && 'column' in other) return other
  const usable = header.filter(isUsable)
  const company =
    findFirst(usable, rankNameHeader) ??
    header.find((column) => surelyNameHeaders.includes(toHeaderKey(column)))
  // Contacts in Xero are companies; persons have other columns.
  const findKey = (key: string) => header.find((column) => toHeaderKey(column) === key)
  const contact = findKey('poaddressline1') === undefined ? undefined : findKey('contactname')
  const plain = findFirst(usable, rankPlainName)
  const isPersons = plain !== undefined && header.some(isPersonHeader)
  const own = isPersons ? findFirst(usable, rankThingName) : plain
  const column = company ?? contact ?? own ?? findFirst(usable, rankPartyHeader)
  if (column !== undefined) return { column }
  const why = isPersons ? `"${plain}" is next to columns of personal names; if it contains companies, ` : ''
  const how = hints.length === 0 ? `${why}pass --name-column` : hints.slice(0, hintsMax).join('; ')
  const missing = new UserError('INPUT_COLUMN_MISSING', 'no column holds company names', {
    hint: `${how}; the input has: ${formatList(header)}`,
  })
  return { missing }
}

/**
 * Parts of a place, in output order. A street is used only if there is no town column: then the lines of the address have
 * the town.
 */
const townParts = ['city', 'region', 'postal', 'country'] as const
const lineParts = ['address', 'region', 'postal', 'country'] as const

/**
 * Finds the columns of one place: one column with the whole place; or the parts of the first set with a city or postal
 * code, completed from unqualified columns.
 */
function findLocation(header: readonly string[], samples: ColumnSamples, order: PlaceOrder): string[] {
  const places = listPlaceColumns(header, samples, order)
  const isUsable = (column: string) => canBePlaces('address', samples.get(column) ?? [])
  const whole = findFirst(header.filter(isUsable), (column) => rankInHeaders(column, wholePlaceHeaders))
  const isNumbered = !wholePlaceHeaders.includes(toHeaderKey(whole ?? ''))
  if (whole !== undefined && (!isNumbered || places.length === 0))
    return [whole, (areTowns(samples.get(whole) ?? []) ? findCountry(places) : undefined) ?? []].flat()
  const has = (set: PlaceSet, ...parts: PlacePart[]) =>
    places.some((place) => place.set === set && parts.includes(place.part))
  const set =
    placeSets.find((one) => has(one, 'city', 'postal')) ??
    placeSets.find((one) => has(one, 'address')) ??
    placeSets.find((one) => places.some((place) => place.set === one))
  if (set === undefined) return []
  const lines = listAddressLines(places, set)
  const isWhole = lines.length > 1 || order === 'best' || !has(set, 'postal')
  const isInLines = isWhole && lines.length > 0 && !has(set, 'city') && !has('plain', 'city')
  const parts = isInLines ? lineParts : townParts
  return parts.flatMap((part) =>
    part === 'address' ? lines : (find(places, part, set) ?? find(places, part, 'plain') ?? []),
  )
}

/** Returns the column with the country of the company; not one of its other addresses. */
const findCountry = (places: readonly PlaceColumn[]): string | undefined =>
  find(places, 'country', 'headquarters') ??
  find(places, 'country', 'registered') ??
  find(places, 'country', 'plain')

const find = (places: readonly PlaceColumn[], part: PlacePart, set: PlaceSet): string | undefined =>
  places.find((place) => place.part === part && place.set === set)?.column

/** Lists the lines of an address in the order of their numbers; a column without a number is the first. */
function listAddressLines(places: readonly PlaceColumn[], set: PlaceSet): string[] {
  const list = (one: PlaceSet) => places.filter((place) => place.part === 'address' && place.set === one)
  const own = list(set)
  const columns = new Map<number, string>()
  for (const { column } of own.length > 0 ? own : list('plain')) {
    const line = Number(/(\d+)\D*$/.exec(column)?.[1] ?? 1)
    if (!columns.has(line)) columns.set(line, column)
  }
  return [...columns].sort(([one], [other]) => one - other).map(([, column]) => column)
}

function findFirst(header: readonly string[], toRank: (column: string) => number): string | undefined {
  const ranked = header.map((column) => ({ column, rank: toRank(column) }))
  const fitting = ranked.filter(({ rank }) => rank >= 0).sort((one, other) => one.rank - other.rank)
  return fitting[0]?.column
}

function formatList(header: readonly string[]): string {
  const names = header.slice(0, listedMax).map((name) => (name.length > 60 ? `${name.slice(0, 59)}…` : name))
  return names.join(', ') + (header.length > listedMax ? `, … (${header.length} in all)` : '')
}
