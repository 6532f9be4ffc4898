import { type LookupKind } from '../rules/lookup-kind.js'
import { nothingPlanned, planLookup, type LookupPlan, type PlanPolicy } from '../rules/lookup-state.js'
import type { Checkpoint, FirstAnswer, KeyedLookup, LookupId, OpenRun } from './checkpoint.js'
import type { CheckpointFile } from './checkpoint-file.js'
import { damaged } from './damage-error.js'
import { unpackBody } from './packed-answer.js'
import type { WantedFrom } from './queries.js'

/** What a run wants of one kind of lookups, and what has to be done for it; see `Checkpoint`. */
export class WantedLookups {
  constructor(
    protected readonly file: CheckpointFile,
    readonly kind: LookupKind,
  ) {}

  async want(lookups: readonly KeyedLookup[]): Promise<LookupId[]> {
    await this.#begin(lookups)
    return this.file.batch(() => lookups.map((lookup) => this.#want(lookup, 1)))
  }

  plan(policy: PlanPolicy): Promise<Record<LookupPlan, number>> {
    // Of what was never wanted there is nothing to change.
    const isUnknown = this.file.idsOf(this.kind) === null
    return isUnknown ? Promise.resolve(nothingPlanned()) : this.file.batch(() => this.#plan(policy, 0))
  }

  async follow(lookups: readonly KeyedLookup[], policy: PlanPolicy): ReturnType<Checkpoint['follow']> {
    await this.#begin(lookups)
    return this.file.transaction(() => {
      const afterPosition = this.file.lastPosition
      for (const lookup of lookups) this.#want(lookup, 0)
      const plan = this.#plan(policy, afterPosition)
      return { plan, open: this.file.queries.openRuns.all(this.#from(afterPosition)) }
    })
  }

  reopen(outcomes: readonly string[]): Promise<number> {
    return this.file.batch(() => {
      return this.#reopen(outcomes, 0)
    })
  }

  nextToSubmit(afterPosition: number, count: number): ReturnType<Checkpoint['nextToSubmit']> {
    return this.file.explained(() =>
      this.file.queries.nextToSubmit
        .all({ ...this.#from(afterPosition), count })
        .map(({ position, ...lookup }) => ({ position, lookup })),
    )
  }

  openRuns(): Promise<OpenRun[]> {
    return this.file.explained(() => this.file.queries.openRuns.all(this.#from(0)))
  }

  firstAnswers(afterPosition: number, count: number): Promise<FirstAnswer[]> {
    return this.file.explained(() =>
      this.file.queries.firstAnswers
        .all({ ...this.#from(afterPosition), count })
        .map(({ position, lookupId, name, location, context, ...packed }) => ({
          position,
          lookupId,
          asked: { name, location, context },
          body: unpackBody(packed),
        })),
    )
  }

  /** Each kind has its scope and job in the file once something of it is wanted. */
  async #begin(lookups: readonly KeyedLookup[]): Promise<void> {
    const kinds = new Set(lookups.map(({ kind }) => kind))
    const fresh = [...kinds].filter((kind) => this.file.idsOf(kind) === null)
    if (fresh.length === 0) return
    const made = await this.file.batch(() => fresh.map((kind) => [kind, this.file.begin(kind)] as const))
    for (const [kind, ids] of made) this.file.begun(kind, ids)
  }

  #want({ kind, key, lookup, isDecided }: KeyedLookup, isFirst: 0 | 1): LookupId {
    const { insertLookup, findLookup, nameLookup, insertWanted } = this.file.queries
    const scopeId = this.file.idsOf(kind)?.scopeId ?? 0
    const known = findLookup.get(scopeId, key)
    if (known?.isSound === 0) throw damaged(this.file.path, undefined, 'an index leads to another lookup')
    const lookupId = known?.lookupId ?? Number(insertLookup.run({ ...lookup, key, scopeId }).lastInsertRowid)
    if (known?.isNameless === 1) nameLookup.run({ ...lookup, lookupId })
    const position = this.file.nextPosition()
    insertWanted.run({ scopeId, position, lookupId, isFirst, isDecided: isDecided === true ? 1 : 0 })
    return lookupId
  }

  #plan(policy: PlanPolicy, afterPosition: number): Record<LookupPlan, number> {
    const counts = nothingPlanned()
    counts.decided = this.file.queries.decidedCount.get(this.#from(afterPosition)) ?? 0
    const cutoffMs = policy.maxAgeMs === null ? -1 : policy.nowMs - policy.maxAgeMs
    const from = this.#from(afterPosition)
    if (policy.askAgain !== undefined && policy.askAgain.length > 0)
      this.#reopen(policy.askAgain, afterPosition)
    const groups = this.file.queries.groups
      .all({ ...from, cutoffMs })
      .map((group) => ({ ...group, plan: planLookup(group, policy) }))
    for (const { plan, count } of groups) counts[plan] += count
    if (counts.submit > 0) this.file.assertSubmittable()
    for (const { plan, state, isOld } of groups) {
      if (plan === 'submit' && state !== 'new')
        this.file.queries.reopen.run({ ...from, state, cutoffMs, isOld })
      if (plan !== 'poll' || state !== 'uncertain') continue
      const lost = { ...from, runIdPrefix: `${this.kind}:`, nowMs: policy.nowMs }
      this.file.queries.runLostSubmissions.run(lost)
      this.file.queries.runLost.run(lost)
    }
    return counts
  }

  #reopen(outcomes: readonly string[], afterPosition: number): number {
    this.file.assertSubmittable()
    const from = this.#from(afterPosition)
    return this.file.queries.reopenOutcomes.run({ ...from, outcomes: JSON.stringify(outcomes) }).changes
  }

  /** No scope has the number 0. */
  #from(afterPosition: number): WantedFrom {
    return { scopeId: this.file.idsOf(this.kind)?.scopeId ?? 0, afterPosition }
  }
}
