import { formatCount, plural } from '../../core/text.js'
import type { CheckpointReader, LookupId } from '../../pipeline/checkpoint/checkpoint.js'
import { findLookupIds, buildStageLookup } from '../../pipeline/checkpoint/lookup-key.js'
import type { FindDecision, readStageAnswers } from '../../pipeline/answers/stage-answers.js'
import {
  createEmptyPlan,
  planLookup,
  type LookupPlan,
  type PlanPolicy,
} from '../../pipeline/checkpoint/lookup-state.js'
import { stageKinds, type StageKind } from '../../core/lookup-kinds.js'
import { calculateSaved, type FirstFigures } from '../../pipeline/scheduler/first-rule.js'
import { formatAmount, type Prices } from '../../core/money.js'
import type { FirstAnswers } from '../../pipeline/scheduler/first-answers.js'
import type { Settings } from '../../config/settings.js'
import { formatKindCount } from '../terminal/lookup-text.js'
import { openSqlite, type Sqlite } from '../../platform/sqlite.js'

/** Further keys are stored on disk, to bound memory. */
const keysInMemoryMax = 20_000

/** A set of keys that moves to disk when it gets large. */
export class DistinctKeys {
  readonly #inMemory = new Set<string>()
  #onDisk: { database: Sqlite; isNew: (key: Uint8Array) => boolean } | null = null

  /** Adds keys. Returns the indexes of the new ones. */
  add(keys: readonly Uint8Array[]): number[] {
    if (this.#onDisk === null && this.#inMemory.size + keys.length > keysInMemoryMax) this.#moveToDisk()
    const findNewIndexes = (isNew: (key: Uint8Array) => boolean) =>
      keys.flatMap((key, index) => (isNew(key) ? [index] : []))
    if (this.#onDisk === null) return findNewIndexes((key) => this.#isNewInMemory(key))
    const { database, isNew } = this.#onDisk
    return database.transaction(() => findNewIndexes(isNew))()
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

/** The lookups of a stage, before the run. */
export interface StagePlan {
  readonly kind: StageKind
  /** Counts of the lookups that follow from the stored answers. */
  readonly plan: Readonly<Record<LookupPlan, number>>
  /** Maximum number of further lookups: one for each row lookup without an answer. */
  readonly moreMax: number
  /** Maximum number of billed requests, further ones included. */
  readonly submitMax: number
  /** Time that the rate limits allow, for the certain requests and for the maximum. */
  readonly limitMs: { readonly min: number; readonly max: number }
}

export interface StagePlanDeps {
  readonly settings: Pick<Settings, 'stages' | 'limits' | 'checkpoint'>
  readonly getPolicy: (kind: StageKind) => PlanPolicy
  /** `null` if no stage is configured. */
  readonly answersOf: typeof readStageAnswers | null
}

/** Counts the lookups that follow from answers and decisions, each company and domain once. */
export class StagePlanCounter {
  readonly #deps: StagePlanDeps
  readonly #asked: readonly StageKind[]
  readonly #listPlans = new Map<StageKind, Record<LookupPlan, number>>()
  readonly #seen = new DistinctKeys()
  /** Companies chosen by reviewers whose record is not stored yet, so that their further lookups are unknown. */
  #unreadCount = 0

  constructor(deps: StagePlanDeps) {
    this.#deps = deps
    this.#asked = stageKinds.filter((kind) => deps.settings.stages.asked.includes(kind))
    for (const kind of this.#asked) this.#listPlans.set(kind, createEmptyPlan())
  }

  /** Adds answered or decided row lookups, each once. */
  add(ids: readonly LookupId[], reader: CheckpointReader | null, decidedOf: FindDecision): void {
    const { answersOf, getPolicy } = this.#deps
    this.#addRecords(
      ids.flatMap((id) => decidedOf(id)?.decision.entityId ?? []),
      reader,
    )
    if (reader === null || answersOf === null) return
    for (const answers of answersOf(reader, ids, this.#asked, decidedOf)) {
      for (const kind of this.#asked) {
        const answer = answers[kind]
        if (answer === undefined || !this.#isNew(kind, answer.name)) continue
        this.#count(kind, answer.known === null ? 'submit' : planLookup(answer.known, getPolicy(kind)))
      }
    }
  }

  /** Counts records of decided companies. They are read without the stage too, and expire like answers unless the stage has a maximum age. */
  #addRecords(entityIds: readonly string[], reader: CheckpointReader | null): void {
    const { getPolicy, settings } = this.#deps
    const names = entityIds.filter((name) => this.#isNew('entity', name))
    const policy = getPolicy('entity')
    const whole = { ...policy, maxAgeMs: policy.maxAgeMs ?? settings.checkpoint.maxAgeMs }
    const lookups = names.map((name) => buildStageLookup('entity', name))
    const known = reader?.readAnswers(findLookupIds(reader, lookups)) ?? names.map(() => null)
    for (const record of known) {
      this.#count('entity', record === null ? 'submit' : planLookup(record, whole))
      if (record?.state !== 'answered') this.#unreadCount++
    }
  }

  #isNew(kind: StageKind, name: string): boolean {
    return this.#seen.add([Buffer.from(`${kind} ${name}`)]).length > 0
  }

  #count(kind: StageKind, what: LookupPlan): void {
    const plan = this.#listPlans.get(kind) ?? createEmptyPlan()
    this.#listPlans.set(kind, plan)
    plan[what]++
  }

  listPlans(unansweredCount: number): StagePlan[] {
    const { settings } = this.#deps
    return stageKinds.flatMap((kind) => {
      const plan = this.#listPlans.get(kind)
      if (plan === undefined) return []
      const { lookupsMax, limits } = settings.stages.kinds[kind]
      const ofRecords = kind === 'entity' ? 0 : this.#unreadCount
      const moreMax = this.#asked.includes(kind) ? unansweredCount + ofRecords : 0
      const submitMax = Math.min(plan.submit + moreMax, lookupsMax ?? Infinity)
      const perWindow = Math.min(limits.submissionsPerWindow ?? Infinity, limits.pollsPerWindow ?? Infinity)
      const toMs = (count: number) => (count / perWindow) * settings.limits.windowMs
      const limitMs = { min: toMs(Math.min(plan.submit, submitMax)), max: toMs(submitMax) }
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
  submit: 'to request',
  decided: 'decided by reviewers',
  failed: 'failed before',
  uncertain: 'uncertain (held)',
  invalid: 'rejected before as invalid',
}

/** Formats the plan of a stage: `  entity     40 known, 12 to request, and at most 300 companies more` */
export function formatStagePlan({ kind, plan, moreMax }: StagePlan): string {
  const known = (Object.keys(words) as LookupPlan[]).flatMap((name) =>
    plan[name] === 0 && name !== 'submit' ? [] : [`${formatCount(plan[name])} ${words[name]}`],
  )
  const more = moreMax === 0 ? '' : `, and at most ${formatKindCount(moreMax, kind)} more`
  return `  ${kind.padEnd(9)}  ${known.join(', ')}${more}`
}

/** The lookups that an own registry would answer, and what that saves. */
export interface FirstPlan extends Pick<FirstFigures, 'registry' | 'accept' | 'saved'> {
  /** Distinct lookups that the registry answers. */
  readonly lookupCount: number
  /** The part of these that is submitted as well. */
  readonly sampleCount: number
  /** Without the sample, at other values of `accept`. */
  readonly byAccept: readonly AcceptPlan[]
}

interface AcceptPlan {
  readonly accept: number
  readonly lookupCount: number
  readonly submitCount: number
  /** Price of these submissions; `null` without a price. */
  readonly cost: FirstFigures['saved']
}

const shownAccepts = [80, 90, 95, 99]

/**
 * Plans which lookups the own registry answers and what that saves. `submitCount`: lookups to submit, with those of
 * the sample.
 */
export function planFirst(first: FirstAnswers, submitCount: number, prices: Prices | null): FirstPlan {
  const { byConfidence, sampleCount } = first.counts
  const countFrom = (accept: number) => byConfidence.slice(accept).reduce((sum, count) => sum + count, 0)
  const lookupCount = countFrom(first.accept)
  const withoutRegistry = submitCount - sampleCount + lookupCount
  const byAccept = [...new Set([...shownAccepts, first.accept])]
    .sort((a, b) => a - b)
    .map((accept) => {
      const answered = countFrom(accept)
      const left = withoutRegistry - answered
      return { accept, lookupCount: answered, submitCount: left, cost: calculateSaved(left, prices) }
    })
  const saved = calculateSaved(lookupCount - sampleCount, prices)
  return { registry: first.name, accept: first.accept, saved, lookupCount, sampleCount, byAccept }
}

export function formatFirstPlan({ registry, accept, saved, byAccept, ...plan }: FirstPlan): string[] {
  const amount = saved === null ? '' : `, ${formatAmount(saved.amount, saved.currency)} saved`
  const sample =
    plan.sampleCount === 0
      ? ''
      : `; ${formatCount(plan.sampleCount)} of them are also submitted, which the table leaves out`
  const rows = byAccept.map((one) => [
    `${one.accept}${one.accept === accept ? ' *' : '  '}`,
    formatCount(one.lookupCount),
    formatCount(one.submitCount),
    ...(one.cost === null ? [] : [formatAmount(one.cost.amount, one.cost.currency)]),
  ])
  const titles = ['accept  ', 'answered', 'to submit', 'cost'].slice(0, rows[0]?.length)
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')}`.trimEnd()
  return [
    `Own registry: ${registry} answers ${plural(plan.lookupCount, 'lookup')}, free of charge${amount}${sample}`,
    ...[titles, ...rows].map(line),
  ]
}
