/** `accepted`: it is the company of `entityId`; `none`: it is none that is known. */
export const verdicts = ['accepted', 'none'] as const
export type Verdict = (typeof verdicts)[number]

/** What a person decided of a lookup. */
export interface Decision {
  /** The lookup's key in hexadecimal digits, as decisions files have it. */
  readonly lookup: string
  /** As it was asked: for people who read the file. */
  readonly name: string
  readonly location: string | null
  readonly verdict: Verdict
  /** The company (`siq_…`); null with `none`. */
  readonly entityId: string | null
  /** What the company was called then; null where it is not known. A company that is called otherwise by now is doubtful again. */
  readonly entityName: string | null
  readonly decidedBy: string
  readonly decidedAtMs: number
  readonly note: string | null
  /** Whose ids these are: `embedded`, or the base URL of a hosted service; null: of whichever is asked. */
  readonly service: string | null
}

/** A decision as the store has it. */
export interface KeptDecision extends Decision {
  /** Grows with every decision of this store. */
  readonly sequence: number
  /** Whether it was written to the decisions file. */
  readonly isInFile: boolean
}

/** The service that decisions are of, by a connection's scope. */
export const decisionService = (hostedBaseUrl: string | null): string => hostedBaseUrl ?? 'embedded'
