import { findMixedSpelling } from '../normalize/mixed-case.js'
import { parseName } from '../normalize/parsed-name.js'
import { isBusiness } from '../reference/industry-codes.js'
import { toCityKey, toPostalKey } from '../normalize/places.js'
import type { RegistryRow, RowAddress, RowIdentifier, RowName, StatedRow } from '../model/registry-rows.js'
import { importLimits } from '../model/limits.js'
import { limitIdentifiers } from './entity-clusters.js'

/** A name that a source gave a registration, with the first and last day on which it is known. */
export interface RememberedName {
  readonly name: string
  readonly firstOn: string
  readonly lastOn: string
}

/** Earlier names of a registration in one source, without its present name. */
interface NameHistory {
  readonly sourceName: string
  readonly names: readonly RememberedName[]
  /** Days on which the source stated another name: dates of its files, or of its present name. */
  readonly otherDays: readonly string[]
}

/** Returns earlier names, each ended on the day of the first later statement, in any order of imports. */
export function findFormerNames(histories: readonly NameHistory[]): RowName[] {
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
 * Adds former names to the names of a row. A name in use is not former; one that the row lists as former without a
 * date gets the day on which the files changed.
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
      compareText(b.endedOn ?? '', a.endedOn ?? '') ||
      compareText(a.name.toLowerCase(), b.name.toLowerCase()),
  )
  return [...names.filter(({ name }) => !added.has(name.toLowerCase())), ...latestFirst]
}

/** Files differ in letter case: that is not another name. */
export function isSameName(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase()
}

/** The statement of a source about a registration, with its precedence. */
export interface Claim {
  /** Format of the source's import. */
  readonly format: string
  readonly sourceName: string
  /** ISO 8601. */
  readonly fileDate: string
  /** Date of the statement, if more precise than the date of the file. */
  readonly statedOn?: string
  readonly row: StatedRow
}

/** Precedence: files of registers, of the user, lists derived from registers. Other formats only add values. */
const ranks: Readonly<Record<string, number>> = {
  gleif: 5,
  'companies-house': 5,
  'sec-submissions': 5,
  register: 5,
  csv: 4,
  'sec-tickers': 3,
  'sec-sub': 2,
}

/** Sorts claims by precedence: rank, then newer file, then source name. */
export function sortClaims<S extends Pick<Claim, 'format' | 'fileDate' | 'sourceName'>>(
  claims: readonly S[],
): S[] {
  return [...claims].sort(
    (a, b) =>
      (ranks[b.format] ?? 0) - (ranks[a.format] ?? 0) ||
      compareText(b.fileDate, a.fileDate) ||
      compareText(a.sourceName, b.sourceName),
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * Builds one registration from several claims, in any order of imports: single values from the first claim with a
 * value, names and identifiers from all. `former`: names in earlier files. `null` if no claim has a name.
 */
export function compose<S extends Claim>(
  claims: readonly S[],
  former: readonly RowName[] = [],
): { row: RegistryRow; origin: S } | null {
  const ordered = sortClaims(claims)
  const origin = ordered.find(({ row }) => row.legalName !== null)
  const legalName = origin?.row.legalName
  if (origin === undefined || legalName === undefined || legalName === null) return null
  const inUse = [origin, ...ordered.filter((claim) => claim !== origin)]
  const rows = inUse.map(({ row }) => row)
  const named = rows.filter((row) => row.legalName !== null)
  const typed = findTypedRow(rows) ?? origin.row
  // The merged names contain no two that differ only in case.
  const mixedName = findMixedSpelling(
    legalName,
    rows.flatMap(({ names }) => names),
    isSameName,
  )
  const address = chooseAddress(rows)
  const jurisdiction = chooseFirst(rows, 'jurisdiction')
  const row: RegistryRow = {
    sourceKey: origin.row.sourceKey,
    sourceLine: origin.row.sourceLine,
    legalName,
    names: mergeNames(legalName, inUse, former),
    ...(mixedName === null ? {} : { mixedName }),
    type: typed.type,
    subtype: typed.subtype,
    status: chooseStatus(inUse),
    legalForm: chooseFirst(rows, 'legalForm'),
    jurisdiction,
    registrationAuthority: chooseFirst(rows, 'registrationAuthority'),
    ...mergeIdentifiers(rows, address.countryCode ?? jurisdiction?.slice(0, 2).toUpperCase()),
    address,
    website: chooseFirst(rows, 'website'),
    sic: chooseFirst(rows, 'sic'),
    naics: chooseFirst(rows, 'naics'),
    industryCodes: chooseFirst(rows, 'industryCodes'),
    formedOn: chooseFirst(rows, 'formedOn'),
    parentKey: chooseFirst(rows, 'parentKey'),
    successorKey: chooseFirst(rows, 'successorKey'),
    sourceUrl: chooseFirst(named, 'sourceUrl'),
  }
  return { row, origin }
}

/** Returns the row that states the type; one with the industry or the form takes precedence over a guess without a form. */
function findTypedRow(rows: readonly StatedRow[]): StatedRow | undefined {
  const [typed, ...others] = rows.filter(({ type }) => type !== 'unknown')
  if (typed?.legalForm !== null) return typed
  const business = others.find(({ subtype, sic }) => subtype === 'incorporated_entity' && isBusiness(sic))
  if (typed.subtype === 'complex_business_structure') return business ?? typed
  const isOpen = typed.subtype === 'incorporated_entity' && !isBusiness(typed.sic)
  return isOpen ? (others.find(({ legalForm }) => legalForm !== null) ?? typed) : typed
}

type TextField = {
  [Field in keyof StatedRow]-?: StatedRow[Field] extends string | null ? Field : never
}[keyof StatedRow]

function chooseFirst<Field extends TextField>(rows: readonly StatedRow[], field: Field): StatedRow[Field] {
  const found = rows.find((row) => row[field] !== null) ?? rows[0]
  if (found === undefined) throw new Error('nothing is stated')
  return found[field]
}

/**
 * An address comes from one source: parts of two might form a place that does not exist. It is the first one with a
 * place, unless a later one has the street that it lacks, in the same place.
 */
function chooseAddress(rows: readonly StatedRow[]): RowAddress {
  const addresses = rows.map(({ address }) => address)
  const found =
    addresses.find((address) => hasStreet(address) || address.city !== null || address.postalCode !== null) ??
    addresses.find(({ countryCode }) => countryCode !== null) ??
    addresses[0]
  if (found === undefined) throw new Error('nothing is stated')
  return hasStreet(found)
    ? found
    : (addresses.find((address) => hasStreet(address) && isSamePlace(found, address)) ?? found)
}

const hasStreet = ({ street, formatted }: RowAddress): boolean => street !== null || formatted !== null

/** Parts that only one of them states do not differ. */
function isSamePlace(one: RowAddress, other: RowAddress): boolean {
  const pairs = [
    [one.countryCode, other.countryCode],
    [toKey(one.city, toCityKey), toKey(other.city, toCityKey)],
    [toKey(one.postalCode, toPostalKey), toKey(other.postalCode, toPostalKey)],
  ] as const
  return pairs.every(([left, right]) => left === null || right === null || left === right)
}

const toKey = (text: string | null, convert: (text: string) => string): string | null =>
  text === null ? null : convert(text)

function mergeNames(
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
      // Lists of former names contain the present one too, in another spelling.
      const isVariant = index > 0 && kind === 'former' && parseName(name).coreKey === coreKey
      names.push(kind === 'legal' || isVariant ? { kind: 'other', name } : entry)
    }
  }
  return withFormerNames(names, former).slice(0, importLimits.namesMax)
}

/** An older source still has a name that has ended in a newer one. */
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

/** Removes duplicates; identifiers beyond the limit are dropped and counted, branches' BICs first. */
function mergeIdentifiers(
  rows: readonly StatedRow[],
  countryCode: string | null = null,
): Pick<StatedRow, 'identifiers'> & Partial<Pick<StatedRow, 'identifiersOmitted'>> {
  const identifiers: RowIdentifier[] = []
  let omittedCount = 0
  for (const row of rows) omittedCount += row.identifiersOmitted ?? 0
  for (const identifier of rows.flatMap((row) => row.identifiers)) {
    const known = identifiers.findIndex(
      ({ type, value, jurisdiction }) =>
        type === identifier.type && value === identifier.value && jurisdiction === identifier.jurisdiction,
    )
    // One source states the ticker, another its exchange.
    if (known >= 0) identifiers[known] = { ...identifier, ...identifiers[known] }
    else identifiers.push(identifier)
  }
  const kept = limitIdentifiers(identifiers, importLimits.identifiersMax, countryCode)
  omittedCount += identifiers.length - kept.length
  return { identifiers: kept, ...(omittedCount === 0 ? {} : { identifiersOmitted: omittedCount }) }
}

/** Returns the first status stated. An end older than a listing is ignored: a listed company has not ended. */
function chooseStatus(ordered: readonly Claim[]): string | null {
  const stating = ordered.find(({ row }) => row.status !== null)
  if (stating === undefined || stating.row.status === 'active') return stating?.row.status ?? null
  const isListedLater = ordered.some(
    ({ fileDate, format, row }) =>
      fileDate > stating.fileDate && format in ranks && row.identifiers.some(({ exchange }) => exchange),
  )
  return isListedLater ? null : stating.row.status
}

/** Merges two rows of one file about one company: the later names it, and the lists of both are kept. */
export function mergeStatedRows(former: StatedRow, later: StatedRow): StatedRow {
  if (former.legalName !== null && later.legalName === null) return addFacts(former, later)
  if (former.legalName === null && later.legalName !== null) return addFacts(later, former)
  const legal = later.names.filter(({ kind }) => kind === 'legal')
  const others = [...former.names, ...later.names].map((entry): RowName =>
    entry.kind === 'legal' ? { kind: 'other', name: entry.name } : entry,
  )
  const seen = new Set(legal.map(({ name }) => name.toLowerCase()))
  const added = others.filter(({ name }) => seen.size < seen.add(name.toLowerCase()).size)
  return {
    ...later,
    sourceLine: former.sourceLine,
    names: [...legal, ...added].slice(0, importLimits.namesMax),
    // In a file that only adds facts, such as a list of domains, the first line counts.
    website: later.legalName === null ? (former.website ?? later.website) : (later.website ?? former.website),
    ...(former.profile === undefined ? {} : { profile: { ...former.profile, ...later.profile } }),
    ...mergeIdentifiers([former, later]),
  }
}

/** Another table of a register has facts about a registration that one table names. */
function addFacts(named: StatedRow, added: StatedRow): StatedRow {
  const { type, subtype } = findTypedRow([named, added]) ?? named
  const seen = new Set(named.names.map(({ name }) => name.toLowerCase()))
  const gaps = Object.entries(added).filter(([key]) => named[key as keyof StatedRow] === null)
  return {
    ...named,
    ...(Object.fromEntries(gaps) as Partial<StatedRow>),
    legalName: named.legalName,
    names: named.names.concat(added.names.filter(({ name }) => !seen.has(name.toLowerCase()))),
    type,
    subtype,
    address: rankAddress(named.address) > 0 ? named.address : added.address,
    ...mergeIdentifiers([named, added]),
  }
}

interface RankedRegistration {
  readonly address: RowAddress
  readonly jurisdiction: string | null
  readonly subtype: string
  readonly removedFromSource: boolean
  /** Number of known facts; -1 for a predecessor or a branch. */
  readonly factCount: number
}

/**
 * Puts the registration first that gives a company its name and address: of those with the most complete address, the
 * one with the most facts in the country of the oldest with a country. The others keep their order.
 */
export function putRichestFirst<Registration extends RankedRegistration>(
  registrations: readonly Registration[],
): readonly Registration[] {
  const [first] = registrations
  if (first === undefined || registrations.length === 1 || first.factCount < 0) return registrations
  const standing = registrations.filter(
    ({ removedFromSource, factCount }) => removedFromSource === first.removedFromSource && factCount >= 0,
  )
  const companies = standing.filter(({ subtype }) => subtype === 'incorporated_entity')
  const eligible = companies.length > 0 ? companies : standing
  const best = Math.max(...eligible.map(({ address }) => rankAddress(address)))
  const complete = eligible.filter(({ address }) => rankAddress(address) === best)
  const home = complete.map(getCountry).find((country) => country !== null) ?? null
  const atHome = complete.filter((one) => [home, null].includes(getCountry(one)))
  const most = Math.max(...atHome.map(({ factCount }) => factCount))
  const richest = atHome.find(({ factCount }) => factCount === most) ?? first
  return [richest, ...registrations.filter((one) => one !== richest)]
}

const rankAddress = (address: RowAddress): number =>
  hasStreet(address) ? 2 : Number(address.city !== null || address.postalCode !== null)

const getCountry = ({ jurisdiction, address }: RankedRegistration): string | null =>
  jurisdiction?.split('_')[0] ?? address.countryCode?.toLowerCase() ?? null
