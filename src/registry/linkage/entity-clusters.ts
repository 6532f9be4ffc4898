import { quoteName } from '../../core/text.js'
import { toNationalNumber } from '../../core/numbers/national-numbers.js'
import { findNumbering, findUniqueKind } from '../../core/numbers/number-forms.js'
import { findAuthorityFacts } from '../reference/registers.js'
import { foldText } from '../../core/lookup-identity.js'
import { dropPadding } from '../model/identifiers.js'
import type { StatedRow } from '../model/registry-rows.js'
import { toCityKey } from '../normalize/places.js'

/** The identifier or relationship by which two registrations belong to one company. */
export type JoinReason = 'successor' | 'branch' | 'new_key' | 'lei' | 'registration_id' | 'cik'

/** Registrations joined for a reason, by the numbers of their present companies. */
export interface JoinGroup {
  readonly reason: JoinReason
  readonly entityNumbers: readonly number[]
}

export interface EntityMerge {
  readonly entityNumber: number
  readonly intoNumber: number
  readonly reason: JoinReason
}

/** An identifier of more registrations is an error in a file. */
const groupRegistrationsMax = 50

/** The most reliable first; later reasons must not contradict earlier ones. */
const reasonOrder: readonly JoinReason[] = ['successor', 'branch', 'new_key', 'lei', 'registration_id', 'cik']

/**
 * Returns the merges that the groups imply, into the company with the lower number. Companies with different LEIs are
 * merged only as successor or branch. Within a reason, order matters only if LEIs contradict groups.
 */
export function planMerges(
  groups: readonly JoinGroup[],
  readLeis: (entityNumber: number) => readonly string[],
): EntityMerge[] {
  const sets = createSets(readLeis)
  const merges: EntityMerge[] = []
  for (const reason of reasonOrder) {
    const isSure = reason === 'successor' || reason === 'branch'
    for (const group of groups) {
      if (group.reason !== reason || group.entityNumbers.length > groupRegistrationsMax) continue
      const [first, ...others] = [...group.entityNumbers].sort((a, b) => a - b)
      if (first === undefined) continue
      for (const other of others) {
        const merged = sets.join(first, other, isSure)
        if (merged !== null) merges.push({ ...merged, reason })
      }
    }
  }
  return merges.map((merge) => ({ ...merge, intoNumber: sets.rootOf(merge.intoNumber) }))
}

function createSets(readLeis: (entityNumber: number) => readonly string[]) {
  const parents = new Map<number, number>()
  const leis = new Map<number, Set<string>>()
  const findRoot = (number: number): number => {
    let root = number
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    if (root !== number) parents.set(number, root)
    return root
  }
  const getLeis = (root: number): Set<string> => {
    const known = leis.get(root) ?? new Set(readLeis(root))
    leis.set(root, known)
    return known
  }
  return {
    rootOf: findRoot,
    join(a: number, b: number, isSure: boolean): Omit<EntityMerge, 'reason'> | null {
      const [older, younger] = [findRoot(a), findRoot(b)].sort((x, y) => x - y)
      if (older === undefined || younger === undefined || older === younger) return null
      const [kept, added] = [getLeis(older), getLeis(younger)]
      const isContradicted = kept.size > 0 && added.size > 0 && ![...added].some((lei) => kept.has(lei))
      if (isContradicted && !isSure) return null
      for (const lei of added) kept.add(lei)
      parents.set(younger, older)
      return { entityNumber: younger, intoNumber: older }
    },
  }
}

/** GLEIF's codes for "no authority" and "authority not in the list". */
const noAuthorities = new Set(['RA888888', 'RA999999'])

/**
 * Returns the register in which a registration number is unique: a numbering (see `findNumbering`) or an authority;
 * `null` if the number alone is ambiguous. Companies House is one register with three codes.
 */
export function toRegister(jurisdiction: string, authority: string | null, number: string): string | null {
  if (authority !== null && noAuthorities.has(authority)) return null
  const [country = ''] = jurisdiction.split('_')
  const facts = authority === null ? null : findAuthorityFacts(authority)
  const place = country === 'gb' ? 'gb' : jurisdiction
  const kind = findUniqueKind(country, number)
  if (kind !== null || (authority !== null && facts === null)) return kind ?? authority
  if (facts !== null && facts.jurisdiction.split('_')[0] !== country) return null
  return findNumbering(facts?.jurisdiction ?? place, number) ?? authority
}

/** Returns the form in which numbers are stored: files lose leading zeros, and write points and dashes or do not. */
export function normalizeRegistrationNumber(
  value: string,
  jurisdiction: string | null,
  authority: string | null,
): string {
  if (jurisdiction === 'ca' && toRegister(jurisdiction, authority, value) === null) return value
  const isCompaniesHouse = authority !== null && /^RA00058[567]$/.test(authority)
  const bare = dropPadding(jurisdiction?.slice(0, 2) ?? '', value)
  if (!isCompaniesHouse || jurisdiction?.startsWith('gb') !== true)
    return toNationalNumber(jurisdiction ?? '', bare) ?? bare
  const closed = value.replace(/\s/g, '')
  const [, prefix = '', digits = ''] = /^([A-Z]{0,2})(\d{1,8})$/.exec(closed) ?? []
  return digits === '' ? value : prefix + digits.padStart(8 - prefix.length, '0')
}

/**
 * Orders the BICs among identifiers: the head office's first. It is the one of the company's country (ISO 3166-1, fifth
 * and sixth letter), then with the branch code XXX or none, then with the bank code and the location code that most of
 * the BICs have; otherwise the order stays. Other identifiers keep their places.
 */
export function orderBics<Identifier extends { readonly type: string; readonly value: string }>(
  identifiers: readonly Identifier[],
  countryCode: string | null,
): Identifier[] {
  const bics = identifiers.filter(({ type }) => type === 'bic')
  if (bics.length < 2) return [...identifiers]
  const shares = new Map<string, number>()
  const codes = bics.map((identifier) => ({ identifier, ...splitBic(identifier.value, countryCode) }))
  for (const { bank, location } of codes)
    for (const code of [bank, location]) shares.set(code, (shares.get(code) ?? 0) + 1)
  const getShare = (code: string) => shares.get(code) ?? 0
  const ordered = codes
    .sort(
      (a, b) =>
        Number(b.isAtHome) - Number(a.isAtHome) ||
        Number(b.isHeadOffice) - Number(a.isHeadOffice) ||
        getShare(b.bank) - getShare(a.bank) ||
        getShare(b.location) - getShare(a.location),
    )
    .map(({ identifier }) => identifier)
  return identifiers.map((identifier) =>
    identifier.type === 'bic' ? (ordered.shift() ?? identifier) : identifier,
  )
}

/** Keeps at most `countMax` identifiers; BICs of branches are dropped first. */
export function limitIdentifiers<Identifier extends { readonly type: string; readonly value: string }>(
  identifiers: readonly Identifier[],
  countMax: number,
  countryCode: string | null,
): readonly Identifier[] {
  if (identifiers.length <= countMax) return identifiers
  const ordered = orderBics(identifiers, countryCode)
  const isOfBranch = ({ type, value }: Identifier) => type === 'bic' && !splitBic(value, null).isHeadOffice
  const others = ordered.filter((identifier) => !isOfBranch(identifier))
  return [...others, ...ordered.filter(isOfBranch)].slice(0, countMax)
}

/** Splits a BIC: bank, country and location code, and the branch code, which may be absent. */
function splitBic(bic: string, countryCode: string | null) {
  return {
    bank: bic.slice(0, 4),
    location: bic.slice(0, 8),
    isAtHome: bic.slice(4, 6) === countryCode,
    isHeadOffice: bic.length === 8 || bic.endsWith('XXX'),
  }
}

/** Kinds of identifiers of which a company rarely has two. */
const singleKinds = ['lei', 'cik', 'ein', 'duns', 'registration_id'] as const

/**
 * Says why two rows with one id are those of two companies: no register tells that the id is unique, they have no name and no
 * town in common, and each has an identifier of a kind that differs. `null` for the rows of one company.
 */
export function findOtherCompany(earlier: StatedRow, later: StatedRow): string | null {
  // With a country, the key has the name too, unless the number is unique there.
  if (/^registration_id:\w/.test(earlier.sourceKey)) return null
  const known = new Set(earlier.names.map(({ name }) => foldText(name)))
  if (later.names.some(({ name }) => known.has(foldText(name)))) return null
  const [here, there] = [earlier.address.city, later.address.city]
  if (here !== null && there !== null && toCityKey(here) === toCityKey(there)) return null
  const listValues = ({ identifiers }: StatedRow, kind: string) =>
    identifiers.filter(({ type }) => type === kind).map(({ value }) => value)
  const hasOther = (some: readonly string[], others: readonly string[]) =>
    some.some((value) => !others.includes(value))
  const differ = singleKinds.some((kind) => {
    const [ours, theirs] = [listValues(earlier, kind), listValues(later, kind)]
    return hasOther(ours, theirs) && hasOther(theirs, ours)
  })
  const [one, other] = [earlier, later].map(
    ({ legalName, address: { city } }) => `${quoteName(legalName ?? '')}${city === null ? '' : ` (${city})`}`,
  )
  return differ
    ? `${other ?? ''} has the id of ${one ?? ''} in line ${earlier.sourceLine}, but another name and another number: if both are right, add a column to the id (--map id=A,id=B)`
    : null
}
