import { foldText, type Lookup } from './lookup-identity.js'
import { at, toObject, toText, toList, toInteger } from './json.js'

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
  /** The company's name at the time; null if unknown. After a change of name, the lookup is in doubt. */
  readonly entityName: string | null
  readonly decidedBy: string
  readonly decidedAtMs: number
  readonly note: string | null
  /** The service of the ids: `embedded`, or the base URL of a hosted service; null: any service. */
  readonly service: string | null
}

export interface KeptDecision extends Decision {
  /** Increases with every decision in this store. */
  readonly sequence: number
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
  /** Lookups in the queue: a reviewer decides each once. */
  readonly lookupCount: number
  /** Rows of these lookups. */
  readonly rowCount: number
  /** The same rows by status. */
  readonly rowsByStatus: Readonly<Record<string, number>>
  /** All rows with a decision, by status in the output. Missing in records of earlier versions. */
  readonly decidedRowsByStatus?: Readonly<Record<string, number>>
  /** Rows among `rowCount` that have a decision and must be decided again. Missing in records of earlier versions. */
  readonly decidedAgainRowCount?: number
}

/** Most candidates of one lookup. */
export const candidatesMax = 5

/** One piece of evidence for or against a candidate. */
interface EvidencePart {
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
  /** At most `candidatesMax` candidates, likeliest first. Throws CANDIDATES_UNAVAILABLE without a reply. */
  findCandidates(asked: Lookup, signal?: AbortSignal): Promise<readonly Candidate[]>
  /** Searches for a reviewer's text; at most ten results. `countryCode` has two letters. Throws like `candidatesOf`. */
  search(text: string, countryCode: string | null, signal?: AbortSignal): Promise<readonly Candidate[]>
  /** Returns the company of an id, or the one it was merged into; null if none. Throws like `candidatesOf`. */
  company(entityId: string, signal?: AbortSignal): Promise<Candidate | null>
}

/** A truncated URL would lead to another page. */
const urlCharsMax = 2_000

const candidateTextLimits = { charsMax: 500, factorsMax: 20, identifiersMax: 20 } as const

const text = (value: unknown, ...keys: string[]): string | null => {
  const found = toText(at(value, ...keys), candidateTextLimits.charsMax)
  return found === null || found.trim() === '' ? null : found
}

/**
 * Returns the company in an answer, confirmed or not, as a candidate of a stored run (interface: "v3 job result"); null
 * if none. An unconfirmed company has no id, so it cannot be accepted.
 */
export function toAnswerCandidate(body: unknown): Candidate | null {
  const data = at(body, 'data')
  const entity = toObject(at(data, 'entity'))
  const guess = toObject(at(data, 'candidate'))
  if (entity === null && guess === null) return null
  return {
    ...(entity === null ? toUnconfirmedCompany(guess) : toConfirmedCompany(entity)),
    ...toAnswerMembers(data),
  }
}

/** Returns the company of a record (interface: "v3 entity record", its envelope); null if it has no id. */
export function toRecordCandidate(body: unknown): Candidate | null {
  const entity = toObject(at(body, 'entity'))
  const company = entity === null ? null : toConfirmedCompany(entity)
  if (company === null || company.entityId === null) return null
  return { ...company, otherNames: [], confidence: null, evidence: [], url: null }
}

type AnswerMembers = Pick<Candidate, 'confidence' | 'evidence' | 'url' | 'otherNames'>

function toConfirmedCompany(entity: unknown): Omit<Candidate, keyof AnswerMembers> {
  const address = at(entity, 'headquarters', 'address')
  const parts = ['city', 'state', 'country'].map((part) => text(address, part))
  const line = parts.filter((part) => part !== null).join(', ')
  return {
    entityId: text(entity, 'id'),
    legalEntityId: text(entity, 'primary_legal_entity', 'id'),
    name: text(entity, 'display_name'),
    legalName: text(entity, 'legal_name'),
    status: text(entity, 'status'),
    place: text(address, 'formatted_address') ?? (line === '' ? null : line),
    countryCode: text(address, 'country_code') ?? text(entity, 'primary_legal_entity', 'country_code'),
    jurisdiction: text(entity, 'primary_legal_entity', 'jurisdiction'),
    identifiers: toList(at(entity, 'identifiers'))
      .slice(0, candidateTextLimits.identifiersMax)
      .flatMap((identifier) => {
        const [type, value] = [text(identifier, 'type'), text(identifier, 'value')]
        return type === null || value === null ? [] : [{ type, value }]
      }),
  }
}

function toUnconfirmedCompany(candidate: unknown): Omit<Candidate, keyof AnswerMembers> {
  return {
    entityId: null,
    legalEntityId: null,
    name: text(candidate, 'name'),
    legalName: text(candidate, 'legal_name'),
    status: text(candidate, 'status'),
    place: text(candidate, 'primary_address', 'full_address'),
    countryCode: text(candidate, 'primary_address', 'country_code'),
    jurisdiction: text(candidate, 'jurisdiction'),
    identifiers: [],
  }
}

function toAnswerMembers(data: unknown): AnswerMembers {
  // Domain results use another name.
  const confidence = toInteger(at(data, 'match_confidence') ?? at(data, 'confidence'))
  return {
    otherNames: [],
    confidence: confidence === null ? null : Math.max(0, Math.min(100, confidence)),
    evidence: toList(at(data, 'factors')).slice(0, candidateTextLimits.factorsMax).flatMap(toEvidence),
    url: findRegisterUrl(data),
  }
}

const labels: Readonly<Record<string, string>> = { strength: 'for it', limitation: 'against it' }

/** A factor has a direction, but no weight. */
function toEvidence(factor: unknown): EvidencePart[] {
  const said = text(factor, 'description') ?? text(factor, 'code')?.replaceAll('_', ' ') ?? null
  const type = text(factor, 'type') ?? ''
  return said === null ? [] : [{ label: labels[type] ?? 'factor', text: said, weight: null }]
}

const registryTier = 1

/** Returns the first government register page cited in the basis. */
function findRegisterUrl(data: unknown): string | null {
  return findCitedRegisterUrl(toList(at(data, 'basis')).flatMap((entry) => toList(at(entry, 'citations'))))
}

/** Returns the first government register page among citations. */
function findCitedRegisterUrl(citations: readonly unknown[]): string | null {
  return findCitedPageUrl(
    citations.filter((citation) => toInteger(at(citation, 'authority_tier')) === registryTier),
  )
}

/** Returns the first web address among citations. */
function findCitedPageUrl(citations: readonly unknown[]): string | null {
  const urls = citations.flatMap((citation) => toText(at(citation, 'url')) ?? [])
  const isWebUrl = (url: string) =>
    url.length <= urlCharsMax && /^https?:\/\//i.test(url) && URL.canParse(url)
  return urls.find(isWebUrl) ?? null
}

/**
 * Returns the candidates with the answer's company first, without duplicates. Search results have few details, so the
 * answer's details and confidence replace them; matcher results stay. An unconfirmed company equals a candidate if
 * exactly one has its name and no other country.
 */
export function withAnswerFirst(answer: Candidate | null, found: readonly Candidate[]): Candidate[] {
  if (answer === null) return found.slice(0, candidatesMax)
  const same = found.filter((one) => isSameCompany(one, answer))
  const [own] = same
  if (own === undefined) return [answer, ...found].slice(0, candidatesMax)
  if (answer.entityId === null && same.length > 1) return found.slice(0, candidatesMax)
  const isRicher = answer.entityId !== null && own.confidence === null
  const first = isRicher ? { ...answer, otherNames: own.otherNames } : own
  return [first, ...found.filter((one) => one !== own)].slice(0, candidatesMax)
}

/** Returns the candidates with this company in the second place. */
export function withSecond(company: Candidate | null, found: readonly Candidate[]): readonly Candidate[] {
  if (company === null) return found
  const others = found.filter(({ entityId }) => entityId !== company.entityId)
  return [...others.slice(0, 1), company, ...others.slice(1)]
}

function isSameCompany(one: Candidate, answer: Candidate): boolean {
  if (answer.entityId !== null) return one.entityId === answer.entityId
  const isElsewhere =
    one.countryCode !== null && answer.countryCode !== null && one.countryCode !== answer.countryCode
  const names = [one.legalName, one.name].flatMap((name) => (name === null ? [] : foldText(name)))
  return (
    !isElsewhere &&
    [answer.legalName, answer.name].some((name) => name !== null && names.includes(foldText(name)))
  )
}

/** The code of a factor about a register whose newest file no longer lists the company. */
export const leftRegisterCode = 'left_register'

/** Returns the sentences about registers that no longer list the company. */
export function listLeftRegisters(factors: readonly unknown[]): string[] {
  return factors.flatMap((factor) =>
    at(factor, 'code') === leftRegisterCode ? (toText(at(factor, 'description')) ?? []) : [],
  )
}

/** Returns the page that states the legal name, preferably a register; else the first register page in the basis. */
export function findSourceUrl(basis: readonly unknown[]): string | null {
  const listCitations = (entry: unknown) => toList(at(entry, 'citations'))
  const ofName = basis
    .filter((entry) => /^(?:entity\.)?legal_name$/.test(toText(at(entry, 'field')) ?? ''))
    .flatMap(listCitations)
  return (
    findCitedRegisterUrl(ofName) ??
    findCitedPageUrl(ofName) ??
    findCitedRegisterUrl(basis.flatMap(listCitations))
  )
}
