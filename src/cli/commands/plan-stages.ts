import type { CheckpointReader, LookupId } from '../../pipeline/checkpoint/checkpoint.js'
import type { stageAnswersOf } from '../../pipeline/checkpoint/stage-answers.js'
import { stageKinds, type StageKind } from '../../pipeline/rules/lookup-kind.js'
import { planLookup, type LookupPlan, type PlanPolicy } from '../../pipeline/rules/lookup-state.js'
import type { Settings } from '../../config/settings.js'
import { grouped } from '../terminal/io.js'
import { countOf } from '../terminal/stage-text.js'
import { DistinctKeys } from './distinct-keys.js'

/** What a stage would do. */
export interface StagePlan {
  readonly kind: StageKind
  /** Of what follows from the answers that are here. */
  readonly plan: Readonly<Record<LookupPlan, number>>
  /** What may follow besides, at most: one for each first question without an answer. */
  readonly moreMax: number
  /** Requests to pay for, at most: what `plan` says and what may follow. */
  readonly submitMax: number
  /** What its limits make of what is to be asked for certain, and of that at most. */
  readonly limitMs: { readonly min: number; readonly max: number }
}

/** Counts what follows from answers that are known, each company and domain once. */
export class StagePlanCounter {
  readonly #plans = new Map<StageKind, Record<LookupPlan, number>>()
  readonly #seen = new DistinctKeys()

  constructor(
    private readonly settings: Pick<Settings, 'stages' | 'limits'>,
    private readonly policyOf: (kind: StageKind) => PlanPolicy,
    /** Null where no stage is asked for. */
    private readonly answersOf: typeof stageAnswersOf | null,
  ) {
    for (const kind of stageKinds) if (settings.stages.asked.includes(kind)) this.#plans.set(kind, nothing())
  }

  /** First questions, each once. */
  add(ids: readonly LookupId[], reader: CheckpointReader | null): void {
    if (reader === null || this.answersOf === null) return
    for (const answers of this.answersOf(reader, ids, [...this.#plans.keys()])) {
      for (const [kind, plan] of this.#plans) {
        const answer = answers[kind]
        if (answer === undefined || this.#seen.add([Buffer.from(`${kind} ${answer.name}`)]).length === 0)
          continue
        plan[answer.known === null ? 'submit' : planLookup(answer.known, this.policyOf(kind))]++
      }
    }
  }

  plans(unansweredCount: number): StagePlan[] {
    return [...this.#plans].map(([kind, plan]) => {
      const { lookupsMax, limits } = this.settings.stages.kinds[kind]
      const submitMax = Math.min(plan.submit + unansweredCount, lookupsMax ?? Infinity)
      const perWindow = Math.min(limits.submissionsPerWindow ?? Infinity, limits.pollsPerWindow ?? Infinity)
      const msOf = (count: number) => (count / perWindow) * this.settings.limits.windowMs
      const limitMs = { min: msOf(Math.min(plan.submit, submitMax)), max: msOf(submitMax) }
      return { kind, plan, moreMax: unansweredCount, submitMax, limitMs }
    })
  }

  close(): void {
    this.#seen.close()
  }
}

const nothing = (): Record<LookupPlan, number> => ({
  submit: 0,
  poll: 0,
  answered: 0,
  invalid: 0,
  uncertain: 0,
  failed: 0,
})

const words: Readonly<Record<LookupPlan, string>> = {
  answered: 'known',
  poll: 'running',
  submit: 'to ask',
  failed: 'failed before',
  uncertain: 'uncertain (held)',
  invalid: 'refused before as invalid',
}

/** `  entity     40 known, 12 to ask, and 300 companies more at most` */
export function stagePlanLine({ kind, plan, moreMax }: StagePlan): string {
  const known = (Object.keys(words) as LookupPlan[]).flatMap((name) =>
    plan[name] === 0 && name !== 'submit' ? [] : [`${grouped(plan[name])} ${words[name]}`],
  )
  const more = moreMax === 0 ? '' : `, and ${countOf(moreMax, kind)} more at most`
  return `  ${kind.padEnd(9)}  ${known.join(', ')}${more}`
}
