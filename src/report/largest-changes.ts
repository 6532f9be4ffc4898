import { changeKinds, type Change, type ChangeKind } from '../pipeline/rules/change-kinds.js'
import { reportLimits, type ReportChange } from './report-data.js'

/** Changes of one kind that are told apart; once there are more, those of fewest rows are let go. */
const keptMax = 20_000

interface Kept {
  readonly change: Change
  rowCount: number
}

/** Rows that changed alike are one change of several rows; of each kind, those of most rows are kept. */
export class LargestChanges {
  readonly #byKind = new Map<ChangeKind, Map<string, Kept>>()

  add(changes: readonly Change[]): void {
    for (const change of changes) {
      const kept = this.#byKind.get(change.kind) ?? new Map<string, Kept>()
      this.#byKind.set(change.kind, kept)
      const key = keyOf(change)
      const known = kept.get(key)
      if (known !== undefined) known.rowCount++
      else kept.set(key, { change, rowCount: 1 })
      if (kept.size > keptMax) this.#byKind.set(change.kind, new Map(largestOf(kept, keptMax / 2)))
    }
  }

  /** In the order of `changeKinds`; of one kind those of most rows first, and those of as many in the order they came. */
  list(): readonly ReportChange[] {
    return changeKinds.flatMap((kind) =>
      largestOf(this.#byKind.get(kind) ?? new Map<string, Kept>(), reportLimits.changesPerKindMax).map(
        ([, { change, rowCount }]) => ({ ...change, rowCount }),
      ),
    )
  }
}

/** What makes two changes of different rows the same one. */
const keyOf = ({ name, field, old, new: now, oldEntityId, newEntityId }: Change): string =>
  JSON.stringify([name, field, old, now, oldEntityId, newEntityId])

const largestOf = (kept: ReadonlyMap<string, Kept>, countMax: number): [string, Kept][] =>
  [...kept].sort(([, one], [, other]) => other.rowCount - one.rowCount).slice(0, countMax)
