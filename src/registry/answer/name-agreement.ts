import { compareNames, type LeftoverWords, type NameComparison } from '../match/compare-names.js'
import type { CandidateName } from '../match/candidate.js'
import type { MatchQuery } from '../match/rank.js'
import type { Vocabulary } from '../match/vocabulary.js'

/**
 * What a name is to a company that an identifier names. `same`: a name of it, or nothing in the text speaks of another
 * company. `open`: like one of its names, with words or numbers that it lacks: the text may name another company.
 * `foreign`: it has nothing in common with any of them.
 */
export type NameAgreement =
  { readonly kind: 'same' | 'open'; readonly comparison: NameComparison } | { readonly kind: 'foreign' }

/**
 * Of names that are like each other in their words alone. Measured on labelled queries: a name as people write it lies
 * above, that of a company picked at random below.
 */
const similarityMin = 0.43

/** The better a match type, the higher: the best of all names of the company stands for it. */
const typeRank = {
  exact: 5,
  completed: 4,
  acronym: 3,
  prefix: 2,
  extends: 1,
  near: 0,
} as const satisfies Record<NameComparison['matchType'], number>
const kindRank = { legal: 2, other: 1, former: 0 } as const

/** Judges the name of a query against every name of one company. */
export function agreementWith(
  { variants, placeWords }: MatchQuery,
  names: readonly CandidateName[],
  vocabulary: Vocabulary,
): NameAgreement {
  let best: NameComparison | null = null
  for (const variant of variants)
    for (const name of names) {
      const comparison = compareNames(variant, name, vocabulary, placeWords)
      if (comparison !== null && isAlike(comparison) && (best === null || isBetter(comparison, best)))
        best = comparison
    }
  if (best === null) return { kind: 'foreign' }
  return { kind: saysMore(best) ? 'open' : 'same', comparison: best }
}

function isAlike(comparison: NameComparison): boolean {
  const { matchType, similarity, isGeneric, queryLeftover, nameLeftover } = comparison
  if (matchType !== 'near') return true
  // "First Larkmoor Bank" and "First Norvane Bank" share nothing that tells one bank from another.
  return similarity >= similarityMin && !(isGeneric && queryLeftover.hard > 0 && nameLeftover.hard > 0)
}

function isBetter(one: NameComparison, other: NameComparison): boolean {
  const difference =
    typeRank[one.matchType] - typeRank[other.matchType] ||
    one.similarity - other.similarity ||
    kindRank[one.candidate.kind] - kindRank[other.candidate.kind]
  return difference > 0
}

/** "Larkmoor Foods Ltd" says more than "Larkmoor plc" does; "Larkmoor" says less than "Larkmoor Foods Ltd". */
function saysMore({ matchType, numbersAgree, queryLeftover }: NameComparison): boolean {
  if (matchType === 'exact' || matchType === 'acronym' || matchType === 'completed') return false
  return !numbersAgree || telling(queryLeftover) > 0
}

const telling = ({ hard, soft, number }: LeftoverWords): number => hard + soft + number
