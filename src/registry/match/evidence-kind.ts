import type { Evidence } from './evidence.js'
import { wantsTown } from './query-features.js'

/**
 * What an answer rests on: how often answers of one share are right differs between these. `exact_told`: the name, and a
 * legal form or a town besides. `part`: the name goes on, or the text does. `part_weak`: a text of a single word begins the
 * name, and a town is asked for that is not known to be the company's; or the text goes on with words that tell another
 * company, or a country. `near`: they are only alike. `piece`: of the text only a piece is looked at.
 */
export const evidenceKinds = ['exact_told', 'exact', 'part', 'part_weak', 'near', 'piece'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

const wholeKinds: ReadonlySet<string> = new Set(['whole', 'cut', 'mended', 'security'])

export function evidenceKindOf({ comparison, place, hint }: Evidence): EvidenceKind {
  const { variant, matchType, form, queryLeftover } = comparison
  const isInTown = place === 'postal' || place === 'city'
  if (!wholeKinds.has(variant.kind)) return 'piece'
  if (matchType === 'exact') return form === 'same' || isInTown ? 'exact_told' : 'exact'
  if (matchType === 'near') return 'near'
  const isElsewhere = variant.tokens.length === 1 && wantsTown(hint) && !isInTown
  const saysMore = queryLeftover.soft + queryLeftover.hard + queryLeftover.country > 0
  return isElsewhere || saysMore ? 'part_weak' : 'part'
}
