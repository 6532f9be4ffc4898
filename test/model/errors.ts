import type {
  LookupUpdate,
  Transition,
  RowsNow,
  UpdateOutcome,
} from '../../src/pipeline/checkpoint/transitions.js'
import { realRules, type Limits, type Rules } from './world.js'

/** A rule that is replaced by a wrong one. */
export interface PlantedError {
  readonly name: string
  readonly rules: Partial<Rules>
  readonly limits?: Partial<Limits>
  /** Part of the promise that it breaks. */
  readonly breaks: RegExp
}

/** The transition of another update in the place of this one. */
const decideAs =
  (replace: (update: LookupUpdate, now: RowsNow) => readonly [LookupUpdate, RowsNow]): Rules['decide'] =>
  (update, now): Transition<UpdateOutcome> =>
    realRules.decide(...replace(update, now))

export const plantedErrors: readonly PlantedError[] = [
  {
    name: 'the intention is not written before the request is sent',
    rules: { writesIntention: false },
    breaks: /charged twice/,
  },
  {
    name: 'a lost reply is taken as "not created"',
    rules: {
      decide: decideAs((update, now) => [
        update.event === 'lose' ? { ...update, event: 'withdraw' } : update,
        now,
      ]),
    },
    breaks: /charged twice|given free/,
  },
  {
    name: 'an intended lookup of a dead process is free again',
    rules: { sweptState: 'new' },
    breaks: /charged twice|given free/,
  },
  {
    name: 'a run that is running is submitted again by the next process',
    rules: {
      planGroups: (groups, policy) => realRules.planGroups(groups, { ...policy, knowsEarlierRuns: false }),
    },
    breaks: /charged twice|given free/,
  },
  {
    name: 'what may have been billed is submitted again without being told so',
    rules: {
      planGroups: (groups, policy) => realRules.planGroups(groups, { ...policy, onLost: 'resubmit' }),
    },
    breaks: /charged twice/,
  },
  {
    name: 'a lookup is given free while a late request for it may arrive',
    rules: { isHeld: () => false },
    breaks: /given free/,
  },
  {
    name: 'a request is sent after the lease ended',
    rules: { mayLeave: () => true },
    breaks: /given free|charged twice/,
  },
  {
    name: 'a reply is written on a row that was read before another process changed it',
    rules: { readsUnderLock: false },
    breaks: /given free/,
  },
  {
    name: 'the budget counts a submission when its reply is there',
    rules: {
      countReserved: ({ submissions }) =>
        Object.values(submissions).filter(({ verdict }) => verdict === 'accepted').length,
    },
    limits: { list: 'three', budget: 1, faults: 0 },
    breaks: /runs were charged, of at most 1/,
  },
  {
    name: 'a second answer replaces the first one',
    rules: {
      decide: decideAs((update, now) =>
        update.event === 'answer' && now.row !== undefined
          ? [update, { ...now, row: { ...now.row, state: 'running', runId: update.answer.runId } }]
          : [update, now],
      ),
    },
    breaks: /second answer/,
  },
  {
    name: 'a process drops a lookup when its commit is refused',
    rules: { keepsRefused: false },
    breaks: /dropped/,
  },
]
