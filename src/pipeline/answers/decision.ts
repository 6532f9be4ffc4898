import { foldText, type Lookup } from '../../core/lookup-identity.js'
import { at, toObject, toText } from '../../core/json.js'

/** `accepted`: the company is `entityId`; `none`: no known company matches. */
export const verdicts = ['accepted', 'none'] as const

export type Verdict = (typeof verdicts)[number]

/** A reviewer's decision about a lookup. */
export interface Decision {
  /** The lookup's key in hex, as in decisions files. */
  readonly lookup: string
  /** The submitted name, for readers of the file. */
  readonly name: string
  readonly location: string | null
  readonly verdict: Verdict
  /** The company (`siq_…`); null for `none`. */
  readonly entityId: string | null
  /**
   * The company's name at the time of the decision; null if unknown. After a change of name, the lookup is doubtful
   * again.
   */
  readonly entityName: string | null
  readonly decidedBy: string
  readonly decidedAtMs: number
  readonly note: string | null
  /** The service of the ids: `embedded`, or the base URL of a hosted service; null: any service. */
  readonly service: string | null
}

/** A stored decision. */
export interface KeptDecision extends Decision {
  /** Increases with every decision in this store. */
  readonly sequence: number
  /** Whether it is in the decisions file. */
  readonly isInFile: boolean
}

/** Returns the service of decisions. */
export const getDecisionService = (hostedBaseUrl: string | null): string => hostedBaseUrl ?? 'embedded'

/** The present state of the company that a reviewer chose. */
export type DecisionStanding =
  | { readonly kind: 'stands' }
  /** Its record was not read yet. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'merged'; readonly into: string }
  /** The service no longer knows it. */
  | { readonly kind: 'gone' }
  /** The company has another name now. */
  | { readonly kind: 'renamed'; readonly name: string }

/**
 * Compares a decision with the record of its company (interface: "v3 entity record", its envelope; null: not read). A
 * `none` decision always stands.
 */
export function judgeDecision(
  { verdict, entityId, entityName }: Pick<Decision, 'verdict' | 'entityId' | 'entityName'>,
  record: unknown,
): DecisionStanding {
  if (verdict === 'none') return { kind: 'stands' }
  if (record === null || record === undefined) return { kind: 'unread' }
  const entity = at(record, 'entity')
  const into = readCurrentId(record)
  if (into !== null && into !== entityId) return { kind: 'merged', into }
  if (toObject(entity) === null) return { kind: 'gone' }
  const names = [at(entity, 'legal_name'), at(entity, 'display_name')].flatMap((name) => toText(name) ?? [])
  const folded = foldText(entityName)
  const [name] = names
  if (name === undefined || folded === '' || names.some((one) => foldText(one) === folded))
    return { kind: 'stands' }
  return { kind: 'renamed', name }
}

/** Returns the company's current id, if the record has one. */
function readCurrentId(record: unknown): string | null {
  const merged = toText(at(record, 'merged_into'))
  if (merged !== null && merged !== '') return merged
  const own = toText(at(record, 'entity', 'id'))
  return own?.startsWith('siq_') === true ? own : null
}

/** Returns the reason why a decided lookup is doubtful again; null if it is not. */
export function explainDoubt(
  { entityName, entityId }: Pick<Decision, 'entityName' | 'entityId'>,
  standing: DecisionStanding,
): string | null {
  const called = entityName ?? entityId ?? 'the company'
  switch (standing.kind) {
    case 'stands':
    case 'unread':
      return null
    case 'merged':
      return `${called} was merged into ${standing.into} after the decision`
    case 'gone':
      return `the service no longer knows ${called}`
    case 'renamed':
      return `${called} is now called ${standing.name}`
  }
}

/** Lookups in the review queue: doubtful answers without a decision, and decisions in doubt again. */
export interface ReviewCounts {
  readonly lookupCount: number
  readonly rowCount: number
  readonly rowsByStatus: Readonly<Record<string, number>>
}

/** Most candidates of one lookup. */
export const candidatesMax = 5

/** One piece of evidence for or against a candidate. */
export interface EvidencePart {
  /** A short label: `name`, `place`, `legal form`, … */
  readonly label: string
  /** A sentence about this candidate: "the same town". */
  readonly text: string
  /** Log-odds: positive for the candidate; null if the service gives no number. */
  readonly weight: number | null
}

/** A company that may match a doubtful lookup. */
export interface Candidate {
  /** `siq_…`; null for a registration without a company at the service, which cannot be accepted. */
  readonly entityId: string | null
  /** `le_…` */
  readonly legalEntityId: string | null
  /** Name in use. */
  readonly name: string | null
  readonly legalName: string | null
  /** Former and other names. */
  readonly otherNames: readonly string[]
  /** `active`, `inactive`, or another text of the service. */
  readonly status: string | null
  /** On one line. */
  readonly place: string | null
  /** ISO 3166-1, two letters. */
  readonly countryCode: string | null
  readonly jurisdiction: string | null
  readonly identifiers: readonly { readonly type: string; readonly value: string }[]
  /** Confidence that it matches, 0 to 100. */
  readonly confidence: number | null
  readonly evidence: readonly EvidencePart[]
  /** Page at the register; null if unknown. */
  readonly url: string | null
}

/** Source of candidates: the matcher of the embedded service, or `GET /v2/search` of a hosted one. */
export interface CandidateSource {
  /** Whether candidates are gathered for every doubtful lookup during a run, or only when a reviewer opens it. */
  readonly isEager: boolean
  /**
   * Returns at most `candidatesMax` candidates, the likeliest first. Throws UserError CANDIDATES_UNAVAILABLE if the
   * service does not answer.
   */
  findCandidates(asked: Lookup, signal?: AbortSignal): Promise<readonly Candidate[]>
  /** Searches for a reviewer's text; at most ten results. `countryCode` has two letters. Throws like `candidatesOf`. */
  search(text: string, countryCode: string | null, signal?: AbortSignal): Promise<readonly Candidate[]>
  /** Returns the company of an id, or the one it was merged into; null if none. Throws like `candidatesOf`. */
  company(entityId: string, signal?: AbortSignal): Promise<Candidate | null>
}
