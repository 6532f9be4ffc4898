import type { LookupState } from './lookup-state.js'

/** What can happen to a lookup. Each is durable before anything depends on it. */
export type LookupEvent =
  /** A submission is about to leave: from here on it may have been billed. */
  | 'intend'
  /** The service said which run it made: billed. */
  | 'accept'
  /** Certainly not created: it may be submitted again. */
  | 'withdraw'
  /** Certainly not created, and never will be as it is. */
  | 'reject'
  /** The answer was lost: it may have been billed. */
  | 'lose'
  /** A webhook named the run of a submission whose answer, or which itself, was lost. */
  | 'claim'
  /** Its run, or the answer of its run, may be another submission's. */
  | 'doubt'
  /** The run ended with an outcome. */
  | 'answer'
  /** The run ended without one; it was billed all the same. */
  | 'fail'
  /** It is to be asked again: expired, retried, or lost and resubmitted by the user's word. */
  | 'reopen'

/** The whole life; what is not listed cannot happen. */
const life: Readonly<Record<LookupState, Partial<Record<LookupEvent, LookupState>>>> = {
  new: { intend: 'intended', claim: 'running' },
  intended: {
    accept: 'running',
    withdraw: 'new',
    reject: 'invalid',
    lose: 'uncertain',
    claim: 'running',
  },
  running: { answer: 'answered', fail: 'failed', doubt: 'uncertain', reopen: 'new' },
  // Of a process that was taken to be gone, and knows better what became of its submission.
  uncertain: { claim: 'running', withdraw: 'new', reject: 'invalid', reopen: 'new' },
  answered: { doubt: 'uncertain', reopen: 'new' },
  failed: { doubt: 'uncertain', reopen: 'new' },
  invalid: { reopen: 'new' },
}

/** The state after an event, or null when the event cannot happen in this state. */
export function moveLookup(state: LookupState, event: LookupEvent): LookupState | null {
  return life[state][event] ?? null
}
