import type { Decision, KeptDecision } from '../lookups/decision.js'

/** Decisions of one service in a review store. */
export interface KeptDecisions {
  readonly standing: readonly KeptDecision[]
  /** Decisions that no longer apply and still have to be removed from the file. */
  readonly leaving: readonly KeptDecision[]
}

/** Changes that make file and store equal; all empty if they are. */
export interface Exchange {
  /** Current decisions by lookup. */
  readonly standing: ReadonlyMap<string, Decision>
  /** Decisions to write to the file. */
  readonly add: readonly KeptDecision[]
  /** Decisions to remove from the file. */
  readonly drop: ReadonlySet<Decision>
  /** Decisions in the file that are not in the store. */
  readonly adopt: readonly Decision[]
  /** Decisions in the file that the store does not mark as written. */
  readonly found: readonly KeptDecision[]
  /** Decisions that the store marks as written and that were removed from the file. */
  readonly gone: readonly KeptDecision[]
}

/**
 * Determines the current decisions of a service. The file takes precedence, plus decisions that were never written to
 * it, because a process may have been killed before. If they conflict, the newer one wins. `file`: decisions of all
 * services; `null` if there is no file, in which case the store's decisions apply.
 */
export function planExchange(
  service: string,
  file: readonly Decision[] | null,
  { standing: kept, leaving }: KeptDecisions,
): Exchange {
  const inFile = groupByLookup(service, file ?? [])
  const outdated = new Set(leaving.map(toMark))
  const drop = new Set<Decision>()
  const written = new Map<string, Decision>()
  for (const [lookup, decisions] of inFile) {
    const isOutdated = (decision: Decision) => outdated.size > 0 && outdated.has(toMark(decision))
    for (const decision of decisions) if (isOutdated(decision)) drop.add(decision)
    const newest = findNewest(decisions.filter((decision) => !drop.has(decision)))
    if (newest !== null) written.set(lookup, newest)
  }
  const standing = new Map(written)
  const [add, found, gone]: [KeptDecision[], KeptDecision[], KeptDecision[]] = [[], [], []]
  const known = new Set<Decision>()
  for (const one of kept) {
    const line = written.get(one.lookup)
    if (line !== undefined && toMark(line) === toMark(one)) {
      known.add(line)
      if (!one.isInFile) found.push(one)
    } else if (line === undefined && one.isInFile && file !== null) gone.push(one)
    else if (line === undefined || (!one.isInFile && one.decidedAtMs >= line.decidedAtMs)) {
      add.push(one)
      standing.set(one.lookup, one)
      if (line === undefined) continue
      known.add(line)
      for (const decision of inFile.get(one.lookup) ?? []) drop.add(decision)
    }
  }
  const adopt = [...written.values()].filter((line) => !known.has(line))
  return { standing, add, drop, adopt, found, gone }
}

/** Groups decisions for the service, or for any service, by lookup. */
function groupByLookup(service: string, decisions: readonly Decision[]): Map<string, Decision[]> {
  const found = new Map<string, Decision[]>()
  for (const decision of decisions) {
    if (decision.service !== null && decision.service !== service) continue
    const others = found.get(decision.lookup)
    if (others === undefined) found.set(decision.lookup, [decision])
    else others.push(decision)
  }
  return found
}

/** The same verdict may occur twice: the newest one counts, among equal times the last line. */
function findNewest(decisions: readonly Decision[]): Decision | null {
  return decisions.reduce<Decision | null>(
    (newest, one) => (newest === null || one.decidedAtMs >= newest.decidedAtMs ? one : newest),
    null,
  )
}

/** Identifies the same decision in the file and in the store. */
const toMark = ({ lookup, verdict, entityId, decidedAtMs, service }: Decision): string =>
  JSON.stringify([lookup, verdict, entityId, decidedAtMs, service])
