import type { Sqlite } from '../../platform/sqlite.js'
import { vetoesOf, type WordWeight } from './compare-rows.js'
import { decideGroup, type ApartReason, type PairDecision } from './link-group.js'
import type { LinkRow } from './link-row.js'
import { createRowReader, nameGroups } from './name-groups.js'

/** What a join by name rests on, as it is kept beside the merge. */
export interface NameEvidence {
  /** The two registrations by id, and the names they bear. */
  readonly registrations: readonly { readonly id: string; readonly name: string }[]
  readonly bits: number
  readonly levels: PairDecision['levels']
}

/** Why a pair is left apart: by itself, or for what others of its companies' registrations state. */
export type LinkReason = ApartReason | 'other_company'

/** A pair of registrations, and what becomes of it: `merge` where it makes two companies one. */
export interface DecidedPair {
  readonly pair: PairDecision
  readonly apart: LinkReason | null
  readonly merge: { readonly entityNumber: number; readonly intoNumber: number } | null
}

/**
 * All pairs of one name, within a group the surest first, where identifiers are silent: none makes a company
 * whose registrations contradict each other. Of two companies the older, that is the lower number, stays.
 * Depends on what is held, not on the order in which it was imported.
 */
export function* decidedPairs(
  database: Sqlite,
  weightOf: WordWeight,
  clusters = createClusters(),
): Generator<DecidedPair> {
  const rowOf = createRowReader(database)
  for (const rows of nameGroups(database, rowOf)) {
    for (const pair of decideGroup(rows, weightOf)) {
      if (pair.apart !== null) yield { pair, apart: pair.apart, merge: null }
      else yield { pair, ...clusters.join(pair, rowOf) }
    }
  }
}

export function evidenceOf({ a, b, bits, levels }: PairDecision): NameEvidence {
  return { registrations: [a, b].map(({ id, legalName }) => ({ id, name: legalName })), bits, levels }
}

export interface Clusters {
  /** The company that one is part of by now. */
  rootOf(entityNumber: number): number
  join(pair: PairDecision, rowOf: (legalEntityNumber: number) => LinkRow): Omit<DecidedPair, 'pair'>
}

/** Keeps numbers alone: what the registrations of a company state is read again once a third joins it. */
export function createClusters(): Clusters {
  const parents = new Map<number, number>()
  const members = new Map<number, readonly number[]>()
  const rootOf = (entityNumber: number): number => {
    let root = entityNumber
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    return root
  }
  return {
    rootOf,
    join({ a, b }, rowOf) {
      const [rootA, rootB] = [rootOf(a.entityNumber), rootOf(b.entityNumber)]
      if (rootA === rootB) return { apart: null, merge: null }
      const [ofA, ofB] = [members.get(rootA) ?? [], members.get(rootB) ?? []]
      const [rowsA, rowsB] = [
        [a, ...ofA.map(rowOf)],
        [b, ...ofB.map(rowOf)],
      ]
      const isContradicted = rowsA.some((one) => rowsB.some((other) => vetoesOf(one, other).length > 0))
      if (isContradicted) return { apart: 'other_company', merge: null }
      const [older, younger] = rootA < rootB ? [rootA, rootB] : [rootB, rootA]
      members.set(older, [...new Set([...ofA, ...ofB, a.number, b.number])])
      members.delete(younger)
      parents.set(younger, older)
      return { apart: null, merge: { entityNumber: younger, intoNumber: older } }
    },
  }
}
