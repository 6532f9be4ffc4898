import type { Evidence } from './evidence.js'

/**
 * What an answer rests on: how often answers of one share are right differs between these. `exact_told`: the name, and a
 * legal form or a town besides. `part`: the name goes on, or the text does; `part_of_one_word`: one of the two is a single
 * word, and a town is asked for that is not known to be the company's. `near`: they are only alike. `piece`: of the text only a piece is looked at.
 */
export const evidenceKinds = ['exact_told', 'exact', 'part', 'part_of_one_word', 'near', 'piece'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

const wholeKinds: ReadonlySet<string> = new Set(['whole', 'cut', 'mended', 'security'])

export function evidenceKindOf({ comparison, place, hint }: Evidence): EvidenceKind {
  const { variant, candidate, matchType, form } = comparison
  const isInTown = place === 'postal' || place === 'city'
  if (!wholeKinds.has(variant.kind)) return 'piece'
  if (matchType === 'exact') return form === 'same' || isInTown ? 'exact_told' : 'exact'
  if (matchType === 'near') return 'near'
  const isOneWord = variant.tokens.length === 1 || candidate.tokens.length === 1
  return isOneWord && hint?.namesTown === true && !isInTown ? 'part_of_one_word' : 'part'
}
