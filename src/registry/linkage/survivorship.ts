import { runsBusiness, parseName } from '../normalize/parsed-name.js'
import type { RegistryRow, RowAddress, RowIdentifier, RowName, StatedRow } from '../model/registry-rows.js'
import { importLimits } from '../model/limits.js'

/** A name that a source gave a registration, from the first to the last day on which it is known to have. */
export interface RememberedName {
  readonly name: string
  readonly firstOn: string
  readonly lastOn: string
}

/** What a source has said of a registration's name, apart from the name that it states now. */
interface NameHistory {
  readonly sourceName: string
  readonly names: readonly RememberedName[]
  /** Days on which the source had something else to say: its files, or since when it states today's name. */
  readonly otherDays: readonly string[]
}

/**
 * Names that sources gave before, with the day on which each had ended: that of the first claim after the
 * name's last. Depends on what was stated when, not on the order of imports.
 */
export function formerNamesOf(histories: readonly NameHistory[]): RowName[] {
  return histories.flatMap(({ sourceName, names, otherDays }) =>
    names.map(({ name, lastOn }) => {
      const others = names.filter((other) => other.name !== name)
      const days = [...otherDays, ...others.flatMap(({ firstOn, lastOn: last }) => [firstOn, last])]
      const [endedOn] = days.filter((day) => day > lastOn).sort()
      const ended = endedOn === undefined ? {} : { endedOn: endedOn.slice(0, 10) }
      return { kind: 'former' as const, name, endedSource: sourceName, ...ended }
    }),
  )
}

/**
 * The names of a row, and those that it bore before. A name in use is not former too; one that the row lists
 * as former without a date gets the day on which the files changed.
 */
export function withFormerNames(names: readonly RowName[], former: readonly RowName[]): RowName[] {
  const known = new Map(names.map((entry) => [entry.name.toLowerCase(), entry]))
  const added = new Map<string, RowName>()
  for (const entry of former) {
    const key = entry.name.toLowerCase()
    const stated = known.get(key)
    const isDated = stated !== undefined && (stated.kind !== 'former' || stated.endedOn !== undefined)
    const other = added.get(key)
    if (isDated || (other !== undefined && (other.endedOn ?? '') >= (entry.endedOn ?? ''))) continue
    added.set(key, entry)
  }
  const latestFirst = [...added.values()].sort(
    (a, b) =>
      compared(b.endedOn ?? '', a.endedOn ?? '') || compared(a.name.toLowerCase(), b.name.toLowerCase()),
  )
  return [...names.filter(({ name }) => !added.has(name.toLowerCase())), ...latestFirst]
}

/** Files write one name in capitals and the next in small letters: that is no other name. */
export function isSameName(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase()
}

/** What a source states of a registration, and how much that weighs. */
export interface Claim {
  /** Of the import that a file format was read by. */
  readonly format: string
  readonly sourceName: string
  /** ISO 8601. */
  readonly fileDate: string
  /** When the row was stated, where that is known better than by the file's date. */
  readonly statedOn?: string
  readonly row: StatedRow
}

/**
 * Whose word counts first where sources differ: the registers' own files, then files of the user, then lists
 * made of registers. What is not listed only adds.
 */
const ranks: Readonly<Record<string, number>> = {
  gleif: 5,
  'companies-house': 5,
  'sec-submissions': 5,
  csv: 4,
  'sec-tickers': 3,
  'sec-sub': 2,
}

/** Claims in the order in which they count: by rank, then the newer file, then by name. */
function inOrder<S extends Claim>(claims: readonly S[]): S[] {
  return [...claims].sort(
    (a, b) =>
      (ranks[b.format] ?? 0) - (ranks[a.format] ?? 0) ||
      compared(b.fileDate, a.fileDate) ||
      compared(a.sourceName, b.sourceName),
  )
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * One registration of what several sources state, the same whichever was imported first: of single values
 * the first that is stated, of names and identifiers all. `former`: names that sources bore in earlier files.
 * Null where none of them names it.
 */
export function compose<S extends Claim>(
  claims: readonly S[],
  former: readonly RowName[] = [],
): { row: RegistryRow; origin: S } | null {
  const ordered = inOrder(claims)
  const origin = ordered.find(({ row }) => row.legalName !== null)
  const legalName = origin?.row.legalName
  if (origin === undefined || legalName === undefined || legalName === null) return null
  const inUse = [origin, ...ordered.filter((claim) => claim !== origin)]
  const rows = inUse.map(({ row }) => row)
  const typed = typedRow(rows) ?? origin.row
  const row: RegistryRow = {
    sourceKey: origin.row.sourceKey,
    sourceLine: origin.row.sourceLine,
    legalName,
    names: namesOf(legalName, inUse, former),
    type: typed.type,
    subtype: typed.subtype,
    status: statusOf([origin, ...ordered.filter((claim) => claim !== origin)]),
    legalForm: first(rows, 'legalForm'),
    jurisdiction: first(rows, 'jurisdiction'),
    registrationAuthority: first(rows, 'registrationAuthority'),
    ...identifiersOf(rows),
    address: addressOf(rows),
    website: first(rows, 'website'),
    sic: first(rows, 'sic'),
    naics: first(rows, 'naics'),
    industryCodes: first(rows, 'industryCodes'),
    formedOn: first(rows, 'formedOn'),
    parentKey: first(rows, 'parentKey'),
    successorKey: first(rows, 'successorKey'),
    sourceUrl: first(
      rows.filter((row) => row.legalName !== null),
      'sourceUrl',
    ),
  }
  return { row, origin }
}

/** Who says what it is; a source that knows its trade knows better than one that has but a name. */
function typedRow(rows: readonly StatedRow[]): StatedRow | undefined {
  const typed = rows.find(({ type }) => type !== 'unknown')
  const isGuess = typed?.subtype === 'complex_business_structure' && typed.legalForm === null
  const business = rows.find(({ subtype, sic }) => subtype === 'incorporated_entity' && runsBusiness(sic))
  return isGuess ? (business ?? typed) : typed
}

type TextField = {
  [Field in keyof StatedRow]-?: StatedRow[Field] extends string | null ? Field : never
}[keyof StatedRow]

function first<Field extends TextField>(rows: readonly StatedRow[], field: Field): StatedRow[Field] {
  const found = rows.find((row) => row[field] !== null) ?? rows[0]
  if (found === undefined) throw new Error('nothing is stated')
  return found[field]
}

/** An address is one source's: parts of two would make a place that is none. */
function addressOf(rows: readonly StatedRow[]): RowAddress {
  const hasPlace = ({ city, formatted, postalCode, street }: RowAddress) =>
    city !== null || formatted !== null || postalCode !== null || street !== null
  const found =
    rows.find(({ address }) => hasPlace(address)) ??
    rows.find(({ address }) => address.countryCode !== null) ??
    rows[0]
  if (found === undefined) throw new Error('nothing is stated')
  return found.address
}

function namesOf(
  legalName: string,
  claims: readonly Claim[],
  former: readonly RowName[],
): RegistryRow['names'] {
  const names: RowName[] = [{ kind: 'legal', name: legalName }]
  const seen = new Set([legalName.toLowerCase()])
  const coreKey = parseName(legalName).coreKey
  for (const [index, claim] of claims.entries()) {
    for (const entry of claim.row.names) {
      const { kind, name } = entry
      if (seen.has(name.toLowerCase()) || (kind === 'legal' && hasEndedSince(claim, name, former))) continue
      seen.add(name.toLowerCase())
      // Lists of former names hold today's as well, in another spelling.
      const isVariant = index > 0 && kind === 'former' && parseName(name).coreKey === coreKey
      names.push(kind === 'legal' || isVariant ? { kind: 'other', name } : entry)
    }
  }
  return withFormerNames(names, former).slice(0, importLimits.namesMax)
}

/** A source of an older day still has the name that another source has since seen end. */
function hasEndedSince(
  { fileDate, statedOn = fileDate }: Claim,
  name: string,
  former: readonly RowName[],
): boolean {
  return former.some(
    (ended) =>
      ended.name.toLowerCase() === name.toLowerCase() &&
      ended.endedOn !== undefined &&
      statedOn.slice(0, 10) < ended.endedOn,
  )
}

/** Each once; what is beyond the limit is left out and counted. */
function identifiersOf(
  rows: readonly StatedRow[],
): Pick<StatedRow, 'identifiers'> & Partial<Pick<StatedRow, 'identifiersOmitted'>> {
  const identifiers: RowIdentifier[] = []
  let omittedCount = 0
  for (const row of rows) omittedCount += row.identifiersOmitted ?? 0
  for (const identifier of rows.flatMap((row) => row.identifiers)) {
    const known = identifiers.findIndex(
      ({ type, value, jurisdiction }) =>
        type === identifier.type && value === identifier.value && jurisdiction === identifier.jurisdiction,
    )
    // One source knows the ticker, another where it is traded.
    if (known >= 0) identifiers[known] = { ...identifier, ...identifiers[known] }
    else if (identifiers.length < importLimits.identifiersMax) identifiers.push(identifier)
    else omittedCount++
  }
  return { identifiers, ...(omittedCount === 0 ? {} : { identifiersOmitted: omittedCount }) }
}

/**
 * The first that is stated. An end that is older than a listing is left open: what is listed has not ended.
 */
function statusOf(ordered: readonly Claim[]): string | null {
  const stating = ordered.find(({ row }) => row.status !== null)
  if (stating === undefined || stating.row.status === 'active') return stating?.row.status ?? null
  const isListedLater = ordered.some(
    ({ fileDate, format, row }) =>
      fileDate > stating.fileDate && format in ranks && row.identifiers.some(({ exchange }) => exchange),
  )
  return isListedLater ? null : stating.row.status
}

/** Two rows of one file about one company: the later names it, and the lists of both are kept. */
export function addedUp(former: StatedRow, later: StatedRow): StatedRow {
  const legal = later.names.filter(({ kind }) => kind === 'legal')
  const others = [...former.names, ...later.names].map((entry): RowName =>
    entry.kind === 'legal' ? { kind: 'other', name: entry.name } : entry,
  )
  const seen = new Set(legal.map(({ name }) => name.toLowerCase()))
  const added = others.filter(({ name }) => {
    const isNew = !seen.has(name.toLowerCase())
    seen.add(name.toLowerCase())
    return isNew
  })
  return {
    ...later,
    sourceLine: former.sourceLine,
    names: [...legal, ...added].slice(0, importLimits.namesMax),
    website: later.website ?? former.website,
    ...identifiersOf([former, later]),
  }
}
