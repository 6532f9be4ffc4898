import * as z from 'zod'
import type { Verdict } from './evaluate.js'

/** The result of one query, as compared between two evaluations; saved by `--json`. */
const queryOutcome = z.object({
  id: z.string(),
  name: z.string(),
  location: z.string().nullable(),
  stratum: z.string(),
  isPositive: z.boolean(),
  confidence: z.number(),
  isAccepted: z.boolean(),
  isCorrect: z.boolean(),
  answeredName: z.string().nullable(),
})
export type QueryOutcome = z.infer<typeof queryOutcome>

export const savedEvaluation = z.object({ queries: z.array(queryOutcome) })

export function toQueryOutcome({ query, ...verdict }: Verdict): QueryOutcome {
  const { id, name, location, stratum } = query
  const { isPositive, confidence, isAccepted, isCorrect, answeredName } = verdict
  return { id, name, location, stratum, isPositive, confidence, isAccepted, isCorrect, answeredName }
}

/**
 * `gained`: right only after; `lost`: right only before; `other`: wrong in both, with different answers. Right means a
 * correct accept or, for a company in no file, no accept.
 */
export type ChangeKind = 'gained' | 'lost' | 'other'

export interface QueryChange {
  readonly kind: ChangeKind
  readonly before: QueryOutcome
  readonly after: QueryOutcome
}

export interface Comparison {
  /** Queries that are in both evaluations. Others are not compared. */
  readonly queryCount: number
  readonly uncomparedCount: number
  readonly gainedCount: number
  readonly lostCount: number
  /** Wrong accepts that are new, and that are gone. */
  readonly wrongGainedCount: number
  readonly wrongLostCount: number
  /** Probability of a split at least this uneven by chance alone: McNemar's exact test. */
  readonly chance: number
  /** Lost ones first. */
  readonly changes: readonly QueryChange[]
}

const changeOrder: readonly ChangeKind[] = ['lost', 'gained', 'other']

/** Compares two evaluations by query. */
export function compareOutcomes(before: readonly QueryOutcome[], after: readonly QueryOutcome[]): Comparison {
  const known = new Map(before.map((outcome) => [toQueryKey(outcome), outcome]))
  const pairs = after.flatMap((outcome) => {
    const other = known.get(toQueryKey(outcome))
    return other === undefined ? [] : [{ before: other, after: outcome }]
  })
  const changes = pairs
    .flatMap((pair): QueryChange[] => {
      const kind = classifyChange(pair.before, pair.after)
      return kind === null ? [] : [{ kind, ...pair }]
    })
    .sort((a, b) => changeOrder.indexOf(a.kind) - changeOrder.indexOf(b.kind))
  const countChanges = (wanted: ChangeKind) => changes.filter(({ kind }) => kind === wanted).length
  const [gainedCount, lostCount] = [countChanges('gained'), countChanges('lost')]
  return {
    queryCount: pairs.length,
    uncomparedCount: after.length - pairs.length,
    gainedCount,
    lostCount,
    wrongGainedCount: pairs.filter((pair) => isWrong(pair.after) && !isWrong(pair.before)).length,
    wrongLostCount: pairs.filter((pair) => isWrong(pair.before) && !isWrong(pair.after)).length,
    chance: calculateChance(gainedCount, lostCount),
    changes,
  }
}

const toQueryKey = ({ id, name, location }: QueryOutcome) => JSON.stringify([id, name, location])
const isWrong = ({ isAccepted, isCorrect }: QueryOutcome) => isAccepted && !isCorrect
const isRight = ({ isPositive, isAccepted, isCorrect }: QueryOutcome) =>
  isPositive ? isAccepted && isCorrect : !isAccepted

function classifyChange(before: QueryOutcome, after: QueryOutcome): ChangeKind | null {
  if (isRight(before) !== isRight(after)) return isRight(after) ? 'gained' : 'lost'
  if (isRight(after)) return null
  const isSame = before.isAccepted === after.isAccepted && before.answeredName === after.answeredName
  return isSame ? null : 'other'
}

/** Two-sided probability of at most min(gained, lost) heads in gained + lost fair coin tosses. */
function calculateChance(gained: number, lost: number): number {
  const count = gained + lost
  let logarithm = -count * Math.log(2)
  let sum = 0
  for (let at = 0; at <= Math.min(gained, lost); at++) {
    sum += Math.exp(logarithm)
    logarithm += Math.log((count - at) / (at + 1))
  }
  return Math.min(1, 2 * sum)
}
