import { formatCount } from '../../core/text.js'
import type { CheckpointReader, LookupId } from '../../pipeline/checkpoint/checkpoint.js'
import { idsOf, stageLookup } from '../../pipeline/checkpoint/lookup-key.js'
import type { DecidedOf, stageAnswersOf } from '../../pipeline/checkpoint/stage-answers.js'
import { stageKinds, type StageKind } from '../../pipeline/lookups/lookup-kind.js'
import {
  nothingPlanned,
  planLookup,
  type LookupPlan,
  type PlanPolicy,
} from '../../pipeline/lookups/lookup-state.js'
import type { Settings } from '../../config/settings.js'
import { countOf } from '../terminal/lookup-text.js'
import { openSqlite, type Sqlite } from '../../platform/sqlite.js'

/** Fewer than these need no database; more are kept on disk, so that memory stays flat. */
const keysInMemoryMax = 20_000

/** Keys that were seen before. */
export class DistinctKeys {
  readonly #inMemory = new Set<string>()
  #onDisk: { database: Sqlite; isNew: (key: Uint8Array) => boolean } | null = null

  /** Returns the indexes of the keys that were not there before. */
  add(keys: readonly Uint8Array[]): number[] {
    if (this.#onDisk === null && this.#inMemory.size + keys.length > keysInMemoryMax) this.#moveToDisk()
    const indexesOfNew = (isNew: (key: Uint8Array) => boolean) =>
      keys.flatMap((key, index) => (isNew(key) ? [index] : []))
    if (this.#onDisk === null) return indexesOfNew((key) => this.#isNewInMemory(key))
    const { database, isNew } = this.#onDisk
    return database.transaction(() => indexesOfNew(isNew))()
  }

  #isNewInMemory(key: Uint8Array): boolean {
    const sizeBefore = this.#inMemory.size
    return this.#inMemory.add(Buffer.from(key).toString('latin1')).size > sizeBefore
  }

  #moveToDisk(): void {
    const database = openSqlite('', { synchronous: 'NORMAL', journal: 'OFF' })
    database.exec('CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID')
    const insert = database.prepare<[Uint8Array]>('INSERT OR IGNORE INTO seen VALUES (?)')
    this.#onDisk = { database, isNew: (key) => insert.run(key).changes > 0 }
    database.transaction(() => {
      for (const text of this.#inMemory) insert.run(Buffer.from(text, 'latin1'))
    })()
    this.#inMemory.clear()
  }

  close(): void {
    this.#onDisk?.database.close()
  }
}

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

export interface StagePlanDeps {
  readonly settings: Pick<Settings, 'stages' | 'limits' | 'checkpoint'>
  readonly policyOf: (kind: StageKind) => PlanPolicy
  /** Null where no stage is asked for. */
  readonly answersOf: typeof stageAnswersOf | null
}

/** Counts what follows from answers that are known and from what people decided, each company and domain once. */
export class StagePlanCounter {
  readonly #deps: StagePlanDeps
  readonly #asked: readonly StageKind[]
  readonly #plans = new Map<StageKind, Record<LookupPlan, number>>()
  readonly #seen = new DistinctKeys()
  /** Companies that were decided for, without a record yet: what follows from it is not known. */
  #unreadCount = 0

  constructor(deps: StagePlanDeps) {
    this.#deps = deps
    this.#asked = stageKinds.filter((kind) => deps.settings.stages.asked.includes(kind))
    for (const kind of this.#asked) this.#plans.set(kind, nothingPlanned())
  }

  /** First questions, each once, that are answered or decided. */
  add(ids: readonly LookupId[], reader: CheckpointReader | null, decidedOf: DecidedOf): void {
    const { answersOf, policyOf } = this.#deps
    this.#addRecords(
      ids.flatMap((id) => decidedOf(id)?.decision.entityId ?? []),
      reader,
    )
    if (reader === null || answersOf === null) return
    for (const answers of answersOf(reader, ids, this.#asked, decidedOf)) {
      for (const kind of this.#asked) {
        const answer = answers[kind]
        if (answer === undefined || !this.#isNew(kind, answer.name)) continue
        this.#count(kind, answer.known === null ? 'submit' : planLookup(answer.known, policyOf(kind)))
      }
    }
  }

  /** They are asked for without the stage too, and read anew like answers, unless records have an age of their own. */
  #addRecords(entityIds: readonly string[], reader: CheckpointReader | null): void {
    const { policyOf, settings } = this.#deps
    const names = entityIds.filter((name) => this.#isNew('entity', name))
    const policy = policyOf('entity')
    const whole = { ...policy, maxAgeMs: policy.maxAgeMs ?? settings.checkpoint.maxAgeMs }
    const lookups = names.map((name) => stageLookup('entity', name))
    const known = reader?.known(idsOf(reader, lookups)) ?? names.map(() => null)
    for (const record of known) {
      this.#count('entity', record === null ? 'submit' : planLookup(record, whole))
      if (record?.state !== 'answered') this.#unreadCount++
    }
  }

  #isNew(kind: StageKind, name: string): boolean {
    return this.#seen.add([Buffer.from(`${kind} ${name}`)]).length > 0
  }

  #count(kind: StageKind, what: LookupPlan): void {
    const plan = this.#plans.get(kind) ?? nothingPlanned()
    this.#plans.set(kind, plan)
    plan[what]++
  }

  plans(unansweredCount: number): StagePlan[] {
    const { settings } = this.#deps
    return stageKinds.flatMap((kind) => {
      const plan = this.#plans.get(kind)
      if (plan === undefined) return []
      const { lookupsMax, limits } = settings.stages.kinds[kind]
      const ofRecords = kind === 'entity' ? 0 : this.#unreadCount
      const moreMax = this.#asked.includes(kind) ? unansweredCount + ofRecords : 0
      const submitMax = Math.min(plan.submit + moreMax, lookupsMax ?? Infinity)
      const perWindow = Math.min(limits.submissionsPerWindow ?? Infinity, limits.pollsPerWindow ?? Infinity)
      const msOf = (count: number) => (count / perWindow) * settings.limits.windowMs
      const limitMs = { min: msOf(Math.min(plan.submit, submitMax)), max: msOf(submitMax) }
      return [{ kind, plan, moreMax, submitMax, limitMs }]
    })
  }

  close(): void {
    this.#seen.close()
  }
}

const words: Readonly<Record<LookupPlan, string>> = {
  answered: 'known',
  poll: 'running',
  submit: 'to ask',
  decided: 'decided by people',
  failed: 'failed before',
  uncertain: 'uncertain (held)',
  invalid: 'refused before as invalid',
}

/** `  entity     40 known, 12 to ask, and 300 companies more at most` */
export function stagePlanLine({ kind, plan, moreMax }: StagePlan): string {
  const known = (Object.keys(words) as LookupPlan[]).flatMap((name) =>
    plan[name] === 0 && name !== 'submit' ? [] : [`${formatCount(plan[name])} ${words[name]}`],
  )
  const more = moreMax === 0 ? '' : `, and ${countOf(moreMax, kind)} more at most`
  return `  ${kind.padEnd(9)}  ${known.join(', ')}${more}`
}
