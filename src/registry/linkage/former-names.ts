import type { RowName } from '../model/registry-row.js'

/** A name that a source gave a registration, from the first to the last day on which it is known to have. */
export interface RememberedName {
  readonly name: string
  readonly firstOn: string
  readonly lastOn: string
}

/** What a source has said of a registration's name, apart from the name that it states now. */
export interface NameHistory {
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

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Files write one name in capitals and the next in small letters: that is no other name. */
export function isSameName(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase()
}
