import type { Decision, KeptDecision } from '../lookups/decision.js'

/** What a review store says of one service. */
export interface KeptDecisions {
  readonly standing: readonly KeptDecision[]
  /** They stand no more, and the file is still to lose them. */
  readonly leaving: readonly KeptDecision[]
}

/** What has to be done so that file and store say the same; nothing where all of it is empty. */
export interface Exchange {
  /** Decisions that stand, by their lookups. */
  readonly standing: ReadonlyMap<string, Decision>
  /** To be written to the file. */
  readonly add: readonly KeptDecision[]
  /** Of the file: to be taken out of it. */
  readonly drop: ReadonlySet<Decision>
  /** Of the file, and unknown to the store. */
  readonly adopt: readonly Decision[]
  /** They are in the file, and the store does not know it. */
  readonly found: readonly KeptDecision[]
  /** The store has them as in the file, and somebody took them out of it. */
  readonly gone: readonly KeptDecision[]
}

/**
 * Which decisions stand for a service. A file is the truth, and what was never written to it stands beside: a process may
 * have been killed before. Where the two disagree the newer stands. Without a file those of the store stand. `file`: its
 * decisions, of whatever services; null where there is none.
 */
export function exchangeOf(
  service: string,
  file: readonly Decision[] | null,
  { standing: kept, leaving }: KeptDecisions,
): Exchange {
  const inFile = ofLookups(service, file ?? [])
  const outdated = new Set(leaving.map(markOf))
  const drop = new Set<Decision>()
  const written = new Map<string, Decision>()
  for (const [lookup, decisions] of inFile) {
    const isOutdated = (decision: Decision) => outdated.size > 0 && outdated.has(markOf(decision))
    for (const decision of decisions) if (isOutdated(decision)) drop.add(decision)
    const newest = newestOf(decisions.filter((decision) => !drop.has(decision)))
    if (newest !== null) written.set(lookup, newest)
  }
  const standing = new Map(written)
  const [add, found, gone]: [KeptDecision[], KeptDecision[], KeptDecision[]] = [[], [], []]
  const known = new Set<Decision>()
  for (const one of kept) {
    const line = written.get(one.lookup)
    if (line !== undefined && markOf(line) === markOf(one)) {
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

/** Those for the service, and those for whichever, by their lookups. */
function ofLookups(service: string, decisions: readonly Decision[]): Map<string, Decision[]> {
  const found = new Map<string, Decision[]>()
  for (const decision of decisions) {
    if (decision.service !== null && decision.service !== service) continue
    const others = found.get(decision.lookup)
    if (others === undefined) found.set(decision.lookup, [decision])
    else others.push(decision)
  }
  return found
}

/** Equal verdicts may stand twice: the newer counts, and of equally old ones the later line. */
function newestOf(decisions: readonly Decision[]): Decision | null {
  return decisions.reduce<Decision | null>(
    (newest, one) => (newest === null || one.decidedAtMs >= newest.decidedAtMs ? one : newest),
    null,
  )
}

/** By what a line of the file and a decision of the store are known as the same. */
const markOf = ({ lookup, verdict, entityId, decidedAtMs, service }: Decision): string =>
  JSON.stringify([lookup, verdict, entityId, decidedAtMs, service])
