import { compareRows, vetoesOf, type Comparison, type WordWeight } from './compare-rows.js'
import type { LinkRow } from './link-row.js'
import { rivalMarginBits, thresholdBits, type Veto } from './match-weights.js'

/** Why a pair is left apart: a veto, or what else keeps it. */
export type ApartReason = Veto | 'several_rows' | 'other_form' | 'below_threshold'

export interface PairDecision extends Comparison {
  /** Null for a pair that is one company's. */
  readonly apart: ApartReason | null
}

/**
 * Which registrations whose names have one core are one company's: pairs of two sources, those that
 * identifiers have joined left out, the surest first. Does not depend on the order of `rows`.
 */
export function decideGroup(rows: readonly LinkRow[], weightOf: WordWeight): PairDecision[] {
  const inOrder = [...rows].sort((a, b) => compared(a.id, b.id))
  const pairs: Comparison[] = []
  for (const [index, a] of inOrder.entries()) {
    for (const b of inOrder.slice(index + 1)) {
      if (a.sourceNumber === b.sourceNumber || a.entityNumber === b.entityNumber) continue
      pairs.push(compareRows(a, b, inOrder, weightOf))
    }
  }
  return pairs
    .map((pair) => ({ ...pair, apart: apartReasonOf(pair, pairs) }))
    .sort((one, other) => other.bits - one.bits)
}

function apartReasonOf(pair: Comparison, pairs: readonly Comparison[]): ApartReason | null {
  const [veto] = pair.vetoes
  if (veto !== undefined) return veto
  if (pair.levels.name === 'other_form' && pair.bits < thresholdBits) return 'other_form'
  // What keeps it below may be its twin alone.
  const isNear = pair.bits + rivalMarginBits >= thresholdBits
  if (isNear && pairs.some((other) => isRivalOf(pair, other))) return 'several_rows'
  return pair.bits < thresholdBits ? 'below_threshold' : null
}

/** Another pair of one of the two that fits nearly as well, with one that cannot be the same as well. */
function isRivalOf(pair: Comparison, other: Comparison): boolean {
  if (other === pair || other.vetoes.length > 0 || other.bits <= pair.bits - rivalMarginBits) return false
  return [
    [pair.a, pair.b],
    [pair.b, pair.a],
  ].some(([shared, chosen]) => {
    const rival = other.a === shared ? other.b : other.b === shared ? other.a : undefined
    if (rival === undefined || chosen === undefined || rival.entityNumber === chosen.entityNumber)
      return false
    return rival.sourceNumber === chosen.sourceNumber || vetoesOf(rival, chosen).length > 0
  })
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
