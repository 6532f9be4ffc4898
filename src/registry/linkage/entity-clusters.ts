import { authorityFacts } from '../reference/registers.js'

/** Which identifier says that two registrations are one company's. */
export type JoinReason = 'successor' | 'branch' | 'lei' | 'registration_id' | 'cik'

/** Registrations that a reason puts together, by the numbers of the companies they belong to so far. */
export interface JoinGroup {
  readonly reason: JoinReason
  readonly entityNumbers: readonly number[]
}

export interface EntityMerge {
  readonly entityNumber: number
  readonly intoNumber: number
  readonly reason: JoinReason
}

/** An identifier that more registrations share is a mistake in a file, and no sign of one company. */
const groupRegistrationsMax = 50

/** The surest first: what comes later must not contradict it. */
const reasonOrder: readonly JoinReason[] = ['successor', 'branch', 'lei', 'registration_id', 'cik']

/**
 * Which companies turn out to be one: the older, that is the lower number, stays. Two companies that bear
 * different LEIs are two, whatever number they share; only a register that calls one the successor or a
 * branch of the other outweighs that. Does not depend on the order of `groups` within one reason, unless LEIs
 * contradict what groups say.
 */
export function mergesOf(
  groups: readonly JoinGroup[],
  leisOf: (entityNumber: number) => readonly string[],
): EntityMerge[] {
  const sets = createSets(leisOf)
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

function createSets(leisOf: (entityNumber: number) => readonly string[]) {
  const parents = new Map<number, number>()
  const leis = new Map<number, Set<string>>()
  const rootOf = (number: number): number => {
    let root = number
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    if (root !== number) parents.set(number, root)
    return root
  }
  const leisAt = (root: number): Set<string> => {
    const known = leis.get(root) ?? new Set(leisOf(root))
    leis.set(root, known)
    return known
  }
  return {
    rootOf,
    join(a: number, b: number, isSure: boolean): Omit<EntityMerge, 'reason'> | null {
      const [older, younger] = [rootOf(a), rootOf(b)].sort((x, y) => x - y)
      if (older === undefined || younger === undefined || older === younger) return null
      const [kept, added] = [leisAt(older), leisAt(younger)]
      const isContradicted = kept.size > 0 && added.size > 0 && ![...added].some((lei) => kept.has(lei))
      if (isContradicted && !isSure) return null
      for (const lei of added) kept.add(lei)
      parents.set(younger, older)
      return { entityNumber: younger, intoNumber: older }
    },
  }
}

/** Where several registers, each of a court or a state, give out the same numbers. */
const localNumbering = new Set(['ae', 'br', 'ca', 'de', 'es', 'hu', 'it', 'mx', 'us'])

/** In GLEIF's list: no authority, and one that the list lacks. */
const noAuthorities = new Set(['RA888888', 'RA999999'])

/**
 * The register within which a registration number is given once: a jurisdiction, or an authority. Null where
 * the number alone may be several companies'. Companies House is one register, though it has three codes.
 */
export function registerOf(jurisdiction: string, authority: string | null): string | null {
  if (authority !== null && noAuthorities.has(authority)) return null
  const [country = ''] = jurisdiction.split('_')
  const facts = authority === null ? null : authorityFacts(authority)
  if (authority !== null && facts === null) return authority
  if (facts !== null && facts.jurisdiction.split('_')[0] !== country) return null
  const home = facts?.jurisdiction ?? (country === 'gb' ? 'gb' : jurisdiction)
  if (!localNumbering.has(home)) return home === '' ? null : home
  return authority
}

/** Companies House: eight characters, of which files lose the leading zeros. */
export function registrationNumberIn(
  value: string,
  jurisdiction: string | null,
  authority: string | null,
): string {
  const isCompaniesHouse = authority !== null && /^RA00058[567]$/.test(authority)
  if (!isCompaniesHouse || jurisdiction?.startsWith('gb') !== true) return value
  const closed = value.replace(/\s/g, '')
  const [, prefix = '', digits = ''] = /^([A-Z]{0,2})(\d{1,8})$/.exec(closed) ?? []
  return digits === '' ? value : prefix + digits.padStart(8 - prefix.length, '0')
}
