import {
  decide,
  getStateAfter,
  planGroups,
  type Change,
  type LookupUpdate,
  type PlanGroup,
} from '../../src/pipeline/checkpoint/transitions.js'
import type { LookupState, PlanPolicy } from '../../src/core/lookup-state.js'

export const lookups = ['shared', 'first', 'second'] as const
export type Lookup = (typeof lookups)[number]

/** The lookups of the two processes. The shared one is in both lists, under one key. */
export const lists = {
  three: [
    ['shared', 'first'],
    ['shared', 'second'],
  ],
  one: [['shared'], ['shared']],
} as const satisfies Record<string, readonly [readonly Lookup[], readonly Lookup[]]>

/** A row of `lookups`, as a shared store has it. */
export interface Row {
  state: LookupState
  customId: string | null
  runId: string | null
  owner: number | null
  attempt: number
  /** The runs whose answers were written. */
  answers: string[]
}

/** A row of `submissions`. */
interface Submission {
  readonly lookup: Lookup
  readonly worker: number
  verdict: string
  runId: string | null
}

/** A request for a lookup: the intention is written, it is on its way, its reply is, or neither will come. */
export interface Request {
  readonly lookup: Lookup
  readonly customId: string
  /** Term of the lease in which it was intended. */
  readonly term: number
  at: 'intended' | 'flying' | 'replied' | 'lost'
  isAccepted: boolean
}

/** A process, from its start to its end or death: a row of `workers`, and what the process itself knows. */
export interface Worker {
  readonly process: 0 | 1
  readonly onLost: 'hold' | 'resubmit'
  life: 'starting' | 'running' | 'suspended' | 'dead' | 'ended'
  term: number
  /** Another process took it to be dead. */
  isFenced: boolean
  isSwept: boolean
  /** It has seen that its lease ended. */
  knowsFence: boolean
  /** So long fenced that none of its requests can arrive any more. */
  isLateOver: boolean
  request: Request | null
  /** Requests that nobody waits for, and that may still arrive. */
  strays: { readonly lookup: Lookup; readonly customId: string }[]
  /** An answer that was read and is not written yet. */
  reading: { readonly lookup: Lookup; readonly runId: string } | null
  /** Its own submissions without a settled outcome. */
  unsettled: string[]
}

/** Everything that decides what can happen next. */
export interface World {
  readonly list: keyof typeof lists
  rows: Record<Lookup, Row>
  submissions: Record<string, Submission>
  workers: Worker[]
  /** Custom ids of the runs that the service created, each of which it charges. */
  charges: string[]
  /** How often the user allowed another submission of a lookup that may have been billed. */
  allowed: Record<Lookup, number>
  /** Faults that may still happen. */
  faultsLeft: number
}

export interface Limits {
  readonly list: keyof typeof lists
  /** Submissions of the job. */
  readonly budget: number
  readonly faults: number
}

/**
 * The rules of the product that the model runs. `decide`, `planGroups` and `getStateAfter` are those of the code; the
 * others are what the statements of the shared store say (intend_1, isLost, takeSql), in one line each. A planted error
 * replaces one of them.
 */
export interface Rules {
  readonly decide: typeof decide
  readonly planGroups: typeof planGroups
  readonly getStateAfter: typeof getStateAfter
  /** Whether the intention is durable before the request is sent. */
  readonly writesIntention: boolean
  readonly countReserved: (world: World) => number
  readonly mayLeave: (worker: Worker, request: Request) => boolean
  /** Whether requests of a submission's worker may still arrive. */
  readonly isHeld: (world: World, row: Row) => boolean
  /** The state of an intended lookup whose worker was fenced. */
  readonly sweptState: LookupState
  /** Reads the row of an update within the transaction that writes it. */
  readonly readsUnderLock: boolean
  /** What a worker does after another one has the lookup. */
  readonly keepsRefused: boolean
}

export const realRules: Rules = {
  decide,
  planGroups,
  getStateAfter,
  writesIntention: true,
  countReserved: ({ submissions }) =>
    Object.values(submissions).filter(({ verdict }) =>
      ['intended', 'accepted', 'uncertain'].includes(verdict),
    ).length,
  mayLeave: ({ term, knowsFence }, request) => !knowsFence && term === request.term,
  isHeld: ({ submissions, workers }, { customId }) => {
    const worker = customId === null ? undefined : workers[submissions[customId]?.worker ?? -1]
    return worker !== undefined && worker.life !== 'ended' && worker.isFenced && !worker.isLateOver
  },
  sweptState: 'uncertain',
  readsUnderLock: true,
  keepsRefused: true,
}

const createRow = (): Row => ({
  state: 'new',
  customId: null,
  runId: null,
  owner: null,
  attempt: 0,
  answers: [],
})

export function createWorld({ list, faults }: Limits): World {
  return {
    list,
    rows: { shared: createRow(), first: createRow(), second: createRow() },
    submissions: {},
    workers: [startWorker(0, 'hold'), startWorker(1, 'hold')],
    charges: [],
    allowed: { shared: 0, first: 0, second: 0 },
    faultsLeft: faults,
  }
}

export const startWorker = (process: 0 | 1, onLost: Worker['onLost']): Worker => ({
  process,
  onLost,
  life: 'starting',
  term: 0,
  isFenced: false,
  isSwept: false,
  knowsFence: false,
  isLateOver: false,
  request: null,
  strays: [],
  reading: null,
  unsettled: [],
})

export const runOf = (customId: string): string => `run of ${customId}`
export const toCustomId = (runId: string): string => runId.slice('run of '.length)

/** No other live worker owns the lookup. */
export function isFree({ workers }: World, { owner }: Row, worker: number): boolean {
  const other = owner === null ? undefined : workers[owner]
  return owner === worker || other === undefined || other.isFenced || other.life === 'ended'
}

export const isSettled = ({ state }: Row): boolean =>
  state === 'answered' || state === 'invalid' || state === 'uncertain' || state === 'failed'

/** Carries out the plan of a worker's lookups. */
export function plan(world: World, at: number, rules: Rules): void {
  const worker = world.workers[at]
  if (worker === undefined) return
  const policy: PlanPolicy = { nowMs: 1, maxAgeMs: null, onLost: worker.onLost }
  const wanted = lists[world.list][worker.process].map((lookup) => ({ lookup, row: world.rows[lookup] }))
  const groups = wanted.map(({ row }): PlanGroup => ({
    state: row.state,
    answeredAtMs: row.state === 'answered' ? 1 : null,
    isOld: false,
    isElsewhere:
      row.state === 'intended' || (['new', 'running'].includes(row.state) && !isFree(world, row, at)),
    isHeld: row.state === 'uncertain' && rules.isHeld(world, row),
    count: 1,
  }))
  for (const { state, onlyLost } of rules.planGroups(groups, policy).reopened)
    for (const { lookup, row } of wanted) {
      if (row.state !== state || !isFree(world, row, at)) continue
      if (onlyLost && rules.isHeld(world, row)) continue
      // Only the user's word reopens what may have been billed.
      if (state === 'uncertain' && worker.onLost === 'resubmit') world.allowed[lookup] += 1
      Object.assign(row, { state: 'new', customId: null, runId: null, owner: null })
    }
}

/** Decides an update on the present row, and writes its changes. Returns the outcome. */
export function change(
  world: World,
  at: number,
  lookup: Lookup,
  update: LookupUpdate,
  rules: Rules,
): unknown {
  const row = world.rows[lookup]
  const customId = 'customId' in update ? update.customId : null
  const runId = 'runId' in update ? update.runId : null
  const isTaken =
    runId !== null &&
    Object.entries(world.submissions).some(
      ([id, submission]) => id !== customId && submission.runId === runId,
    )
  const worker = world.workers[at]
  const isOwn = customId !== null && worker?.unsettled.includes(customId) === true
  const now = rules.readsUnderLock
    ? { lookupId: 1, state: row.state, customId: row.customId, runId: row.runId }
    : { lookupId: 1, state: 'intended' as const, customId, runId: null }
  const { outcome, changes } = rules.decide(update, { row: now, isTaken, isOwn })
  for (const one of changes) write(world, at, row, one)
  return outcome
}

function write({ submissions }: World, at: number, row: Row, one: Change): void {
  if (one.of === 'submission') {
    const submission = submissions[one.customId]
    if (submission !== undefined) Object.assign(submission, { verdict: one.verdict, runId: one.runId })
  } else if (one.of === 'lookup') {
    const owner = one.keeper === 'none' ? null : at
    Object.assign(row, { state: one.state, runId: one.runId, owner })
  } else if (one.of === 'answer') {
    Object.assign(row, { state: one.state, owner: null })
    row.answers.push(one.answer.runId)
  }
}
