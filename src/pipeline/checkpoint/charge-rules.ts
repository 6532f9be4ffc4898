import { parseCustomId, type SubmissionName } from '../rules/custom-id.js'
import type { Charge } from '../rules/ledger.js'
import type { LookupState } from '../rules/lookup-state.js'
import type { Settlement } from './transitions.js'

/** What the service's list of charges settled, and what it left. Custom ids, but for counts. */
export interface Reconciled {
  /** Charged, with the run that was made: fetched by the next run, at no cost. */
  accepted: string[]
  /** Charged, and the list names no run, or more than one: held. */
  charged: string[]
  /** Not in a list that is complete: never created, and submitted by the next run. */
  notCreated: string[]
  /** Submissions of this checkpoint that it had lost, put back. */
  restored: string[]
  /** More than one charge for one submission. */
  billedTwice: string[]
  /** Lookups of which several submissions were charged: by `retry`, `--max-age`, `--resubmit-uncertain` or a rollback. */
  severalCharged: string[][]
  /** Names this checkpoint, and a lookup of a scope that is not known here. */
  unknown: string[]
  /** Uncertain still: not in the list, which does not say that it is complete, or is older. */
  leftUncertain: string[]
  /** Charges of others: other checkpoints, other callers. */
  otherCount: number
}

export interface ChargeRulesDeps {
  checkpointId: string
  charges: ReadonlyMap<string, Charge>
  /** What left until then is in the list if it was charged; null where the list is not said to be complete. */
  completeUntilMs: number | null
  nowMs: number
}

/** A charge for a submission of this checkpoint. */
export interface OwnCharge {
  readonly charge: Charge
  readonly name: SubmissionName
}

/** A lookup before its charge is settled. */
export interface ChargedLookup {
  readonly lookupId: number
  readonly state: LookupState
  readonly attempt: number
  readonly customId: string | null
}

export interface UncertainSubmission {
  readonly customId: string
  readonly lookupId: number
  readonly intendedAtMs: number
}

/** How a charge settles its submission. */
export interface SettledCharge extends Settlement {
  readonly verdict: 'accepted' | 'uncertain'
  /** New state of the lookup; `null` if the lookup is left unchanged. */
  readonly state: 'running' | 'uncertain' | null
}

/** How a submission that is not in a complete list is settled. */
export const neverCreated = {
  verdict: 'not_created',
  runId: null,
  reason: 'not in the list of charges: never created',
  acceptedAtMs: null,
} as const

const openStates: ReadonlySet<LookupState> = new Set(['new', 'uncertain', 'intended', 'invalid'])

/** The one run that a charge names; `null` if it names none or several. */
export function namedRun({ runIds }: Charge): string | null {
  const [runId] = runIds
  return runId === undefined || runIds.length > 1 ? null : runId
}

/** Decides how a list of charges settles the submissions of a checkpoint: both stores read rows, ask it, and write. */
export class ChargeRules {
  readonly result: Reconciled = {
    accepted: [],
    charged: [],
    notCreated: [],
    restored: [],
    billedTwice: [],
    severalCharged: [],
    unknown: [],
    leftUncertain: [],
    otherCount: 0,
  }
  readonly #deps: ChargeRulesDeps

  constructor(deps: ChargeRulesDeps) {
    this.#deps = deps
  }

  /** The charges of this checkpoint, but for those of which nothing was charged. Counts the others. */
  ownCharges(): OwnCharge[] {
    const own: OwnCharge[] = []
    const chargedOfLookup = new Map<string, string[]>()
    for (const charge of this.#deps.charges.values()) {
      const { customId, chargeCount, refundCount, runIds } = charge
      const name = parseCustomId(customId)
      if (name?.checkpointId !== this.#deps.checkpointId) {
        this.result.otherCount++
        continue
      }
      if (chargeCount > 1 || runIds.length > 1) this.result.billedTwice.push(customId)
      if (chargeCount > refundCount) {
        const key = `${name.scopeId} ${name.keyHex}`
        chargedOfLookup.set(key, [...(chargedOfLookup.get(key) ?? []), customId])
      }
      if (chargeCount > 0) own.push({ charge, name })
    }
    this.result.severalCharged = [...chargedOfLookup.values()].filter(({ length }) => length > 1)
    return own
  }

  /** Settles a submission that was not known to be accepted. `runId`: of its charge, `null` if it is not known. */
  settle(customId: string, name: SubmissionName, lookup: ChargedLookup, runId: string | null): SettledCharge {
    ;(runId === null ? this.result.charged : this.result.accepted).push(customId)
    // A later submission of it was made since, or it is answered: only what was paid is known better.
    const isCurrent = lookup.customId === customId || lookup.customId === null
    const isOpen = isCurrent && openStates.has(lookup.state) && name.attempt >= lookup.attempt
    return {
      verdict: runId === null ? 'uncertain' : 'accepted',
      state: !isOpen ? null : runId === null ? 'uncertain' : 'running',
      runId,
      reason: runId === null ? 'charged, says the list of charges, which names no run' : null,
      acceptedAtMs: runId === null ? null : this.#deps.nowMs,
    }
  }

  /** Of uncertain submissions, those that were never created; the others without a charge stay uncertain. */
  neverCreated<Submission extends UncertainSubmission>(uncertain: readonly Submission[]): Submission[] {
    const { charges, completeUntilMs } = this.#deps
    const uncharged = uncertain.filter(({ customId }) => (charges.get(customId)?.chargeCount ?? 0) === 0)
    const isCovered = ({ intendedAtMs }: Submission) =>
      completeUntilMs !== null && intendedAtMs <= completeUntilMs
    for (const submission of uncharged) {
      const list = isCovered(submission) ? this.result.notCreated : this.result.leftUncertain
      list.push(submission.customId)
    }
    return uncharged.filter(isCovered)
  }
}
