import { createGatheredCommits, type Settled } from '../../../platform/gathered-commits.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { sqlStateOf } from '../../../platform/postgres/postgres.js'
import type { LookupEvent } from '../../rules/lookup-life.js'
import type { LookupKind } from '../../rules/lookup-kind.js'
import type { LookupState } from '../../rules/lookup-state.js'
import type { LookupId } from '../checkpoint.js'
import { contestRun } from './claims.js'
import {
  contendersOf,
  lockLookup,
  settleLookup,
  settleSubmission,
  stateAfter,
  type LockedLookup,
} from './lookup-rows.js'
import type { SharedStore } from './store.js'

type SettlingEvent = Extract<LookupEvent, 'accept' | 'withdraw' | 'reject' | 'lose'>
type Verdict = 'accepted' | 'not_created' | 'uncertain' | 'rejected'

export interface SettlingItem {
  readonly lookupId: LookupId
  readonly customId: string
  readonly event: SettlingEvent
  readonly verdict: Verdict
  readonly runId: string | null
  readonly atMs: number | null
  readonly reason: string | null
}
type Outcome = boolean | 'contested'

/** Of what is intended. */
const stateOf: Readonly<Record<SettlingEvent, LookupState>> = {
  accept: 'running',
  withdraw: 'new',
  reject: 'invalid',
  lose: 'uncertain',
}

/** It is this process's to poll, or to submit again; else nobody's. */
const staysOwn = ({ event }: SettlingItem): boolean => event === 'accept' || event === 'withdraw'

/** Their kinds of lookups: only the service makes runs that it could name twice. */
const namesRuns = (kind: LookupKind): boolean => kind === 'resolution'

/**
 * The answers to submissions, those that come at about the same time in one statement. What is as it was left, intended
 * under its custom id, is settled so; anything else on its own, with the rows locked.
 */
export class Settlements {
  readonly #store: SharedStore
  readonly #kind: LookupKind
  readonly #commits = createGatheredCommits<SettlingItem, Outcome>((items) => this.#commit(items))

  constructor(store: SharedStore, kind: LookupKind) {
    this.#store = store
    this.#kind = kind
  }

  async settle(item: SettlingItem): Promise<Outcome> {
    const outcome = await this.#commits.add(item)
    this.#store.unsettled.delete(item.customId)
    return outcome
  }

  async #commit(items: readonly SettlingItem[]): Promise<Settled<Outcome>[]> {
    const { settled, mayBeSettled } = await this.#settleAsLeft(items)
    const outcomes: Settled<Outcome>[] = []
    for (const item of items) {
      const isSettled = settled.delete(item.customId)
      outcomes.push(isSettled ? { value: true } : await this.#settleAlone(item, mayBeSettled))
    }
    return outcomes
  }

  /** The custom ids of those that were as they were left; and whether an earlier try may have settled others. */
  async #settleAsLeft(
    items: readonly SettlingItem[],
  ): Promise<{ settled: Set<string>; mayBeSettled: boolean }> {
    let mayBeSettled = false
    const distinct = [...new Map(items.map((item) => [item.customId, item])).values()]
    const values = [
      distinct.map(({ lookupId }) => lookupId),
      distinct.map(({ customId }) => customId),
      distinct.map(({ event }) => stateOf[event]),
      distinct.map(({ verdict }) => verdict),
      distinct.map(({ runId }) => runId),
      distinct.map(({ atMs }) => atMs),
      distinct.map(({ reason }) => reason),
      distinct.map((item) => (staysOwn(item) ? this.#store.workerId : null)),
      namesRuns(this.#kind),
    ]
    try {
      const rows = await this.#store.repeated((mayHaveTakenEffect) => {
        mayBeSettled = mayHaveTakenEffect
        return this.#store.queryOnce<{ customId: string }>(asLeftSql, values)
      })
      return { settled: new Set(rows.map(({ customId }) => customId)), mayBeSettled }
    } catch (error) {
      // One of them names the run of another: which, is found out one by one.
      if (sqlStateOf(error) === '23505') return { settled: new Set(), mayBeSettled }
      throw error
    }
  }

  async #settleAlone(item: SettlingItem, mayBeSettled: boolean): Promise<Settled<Outcome>> {
    try {
      const settling = this.#store.transaction((statements, mayHaveTakenEffect) =>
        this.#settleLocked(statements, item, mayBeSettled || mayHaveTakenEffect),
      )
      return { value: await settling }
    } catch (error) {
      return { error }
    }
  }

  async #settleLocked(
    statements: PostgresStatements,
    item: SettlingItem,
    mayBeSettled: boolean,
  ): Promise<Outcome> {
    const { lookupId, customId, runId } = item
    const scopeId = this.#store.scopeId(this.#kind)
    const isNamed = item.event === 'accept' && runId !== null && namesRuns(this.#kind)
    const contenders = isNamed ? await contendersOf(statements, runId, scopeId) : []
    const others = contenders.filter((one) => one.customId !== customId)
    const row = await lockLookup(statements, lookupId)
    if (mayBeSettled && row !== undefined && isSettledAs(row, item)) return true
    if (runId === null || others.length === 0) return this.#settleRow(statements, row, item)
    // Its answer would come out on two lookups; whose it is, the answer alone can prove.
    const reason = `the service named ${runId}, the run of another submission`
    const lost = { ...item, event: 'lose', verdict: 'uncertain', runId: null, atMs: null, reason } as const
    if (!(await this.#settleRow(statements, row, lost))) return false
    await statements.query('UPDATE enrich.submissions SET run_id = $2 WHERE custom_id = $1', [
      customId,
      runId,
    ])
    const all = await contendersOf(statements, runId, scopeId)
    await contestRun(statements, runId, all, `the service named ${runId} twice`)
    return 'contested'
  }

  async #settleRow(
    statements: PostgresStatements,
    row: LockedLookup | undefined,
    item: SettlingItem,
  ): Promise<boolean> {
    const { lookupId, customId, event, verdict, runId, atMs, reason } = item
    const settlement = { runId, acceptedAtMs: atMs, reason }
    const isOpen = this.#store.unsettled.has(customId)
    if (row?.customId !== customId && row !== undefined && isOpen) {
      // Taken to be gone, and submitted again since: what became of the first is known now, and changes nothing else.
      await settleSubmission(statements, { customId, verdict, ...settlement })
      return false
    }
    const isLate = isOpen && row?.state === 'uncertain'
    // A webhook may be faster than the answer, and then knows better what the answer was.
    if (row?.customId === customId && row.state !== 'intended' && !isLate) return false
    const state = isLate ? stateAfterLate(row, lookupId, event) : stateAfter(row, lookupId, event)
    if (row?.customId !== customId) throw new Error(`lookup ${lookupId} is not intended as ${customId}`)
    const workerId = staysOwn(item) ? this.#store.workerId : null
    await settleLookup(statements, { lookupId, state, workerId, ...settlement })
    await settleSubmission(statements, { customId, verdict, ...settlement })
    return true
  }
}

/** By a commit of this process whose end was not known. */
const isSettledAs = (row: LockedLookup, { customId, event, runId }: SettlingItem): boolean =>
  row.customId === customId && row.state === stateOf[event] && row.runId === runId

/** Others took this process to be gone; what it knows of its own submission holds. */
function stateAfterLate(row: LockedLookup, lookupId: LookupId, event: SettlingEvent): LookupState {
  if (event === 'lose') return row.state
  return stateAfter(row, lookupId, event === 'accept' ? 'claim' : event)
}

/** See `settle` in schema-steps.ts. */
const asLeftSql = `SELECT custom_id AS "customId" FROM enrich.settle_1($1, $2, $3, $4, $5, $6, $7, $8, $9)`
