import { createGatheredCommits, type Settled } from '../../../platform/gathered-commits.js'
import type { LookupKind } from '../../rules/lookup-kind.js'
import { nothingPlanned, type LookupPlan, type PlanPolicy } from '../../rules/lookup-state.js'
import type { KeyedLookup, OpenRun } from '../checkpoint.js'
import { adoptRuns, planKind } from './planning.js'
import type { SharedStore } from './store.js'
import { wantLookups } from './wanted.js'

interface Following {
  readonly lookups: readonly KeyedLookup[]
  readonly policy: PlanPolicy
}
interface Followed {
  readonly plan: Record<LookupPlan, number>
  readonly open: OpenRun[]
}

/**
 * What follows from answers that come at about the same time is wanted and planned together: the first that asked gets
 * the plan of all, and the others nothing, since whoever asks adds it up.
 */
export class Followings {
  readonly #store: SharedStore
  readonly #kind: LookupKind
  readonly #commits = createGatheredCommits<Following, Followed>((items) => this.#commit(items))

  constructor(store: SharedStore, kind: LookupKind) {
    this.#store = store
    this.#kind = kind
  }

  follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): Promise<Followed> {
    return this.#commits.add({ lookups, policy })
  }

  async #commit(items: readonly Following[]): Promise<Settled<Followed>[]> {
    const [first] = items
    if (first === undefined) return []
    const afterPosition = this.#store.lastPosition
    await wantLookups(
      this.#store,
      items.flatMap(({ lookups }) => lookups),
      false,
    )
    const plan = await planKind(this.#store, this.#kind, first.policy, afterPosition)
    const open = await adoptRuns(this.#store, this.#kind, afterPosition)
    return items.map((item) => ({
      value: item === first ? { plan, open } : { plan: nothingPlanned(), open: [] },
    }))
  }
}
