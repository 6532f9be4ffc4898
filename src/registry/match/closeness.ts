import type { FormAgreement, MatchType, NameComparison } from './compare-names.js'
import type { VariantKind } from '../normalize/name-variants.js'

const matchPoints: Readonly<Partial<Record<MatchType, number>>> = { exact: 93, completed: 88, acronym: 74 }
const likePoints = 93
const formPoints: Readonly<Record<FormAgreement, number>> = {
  same: 2,
  unknown: 0,
  unstated_partnership: -3,
  soft_conflict: -4,
  hard_conflict: -14,
  foreign: -14,
}
const kindPoints = { legal: 0, other: -1, former: -2 } as const
const sureKinds: ReadonlySet<VariantKind> = new Set(['whole', 'cut', 'mended'])
/** Of a variant that leaves out a piece of the text. */
const piecePoints = -3
const fullKeyPoints = 1
const notFirstPoints = -4
const inactivePoints = -3
/** Names that have less in common are not shown. */
const closenessMin = 30

/**
 * How close a name is to what is searched for, 0 to 100: of the names alone, as a search shows it. Which company is
 * meant is another question, which the model answers. Null below what is shown.
 */
export function closenessOf({
  matchType,
  variant,
  candidate,
  similarity,
  firstAgrees,
  form,
}: NameComparison): number | null {
  const likeness = matchPoints[matchType] ?? likePoints - (1 - similarity) * 150
  if (likeness < closenessMin) return null
  const points =
    likeness +
    (sureKinds.has(variant.kind) ? 0 : piecePoints) +
    formPoints[form] +
    kindPoints[candidate.kind] +
    (variant.fullKey === candidate.fullKey ? fullKeyPoints : 0) +
    (candidate.active ? 0 : inactivePoints) +
    (firstAgrees ? 0 : notFirstPoints)
  return Math.max(0, Math.min(100, points))
}
