import { matchedConfidenceMin, type RunObjectLenient } from '../../contract/result.js'
import { answerColumns, type AnswerColumnName } from './columns.js'
import { foldText } from '../../core/lookup-identity.js'
import { normalizeInstant } from '../../core/time.js'
import { at, atPath, toBoolean, toInt32, toInteger, toList, toObject, toText } from '../../core/json.js'
import { isDoubtful } from '../../core/lookup-state.js'
import { findSourceUrl, listLeftRegisters } from '../../core/decisions.js'

interface MatchedName {
  readonly name: string
  /** `legal`, `former`, `other`, or a kind that the service added; `null` if it sent none. */
  readonly kind: string | null
}

/**
 * Returns the company name that matched the query. The service of this package sends it with a factor. From other
 * services it is the name of the company that equals the name in the query (interface: "v3 job result"). Null if the
 * answer has neither.
 */
function findMatchedName(data: unknown, factors: readonly unknown[]): MatchedName | null {
  for (const factor of factors) {
    const name = toText(at(factor, 'matched_name', 'name'))
    if (name !== null && name !== '') return { name, kind: toText(at(factor, 'matched_name', 'kind')) }
  }
  const company = toObject(at(data, 'entity')) ?? at(data, 'candidate')
  const queried = foldText(toText(at(data, 'metadata', 'query', 'name')))
  for (const [key, kind] of companyNames) {
    const name = toText(at(company, key))
    if (name !== null && queried !== '' && foldText(name) === queried) return { name, kind }
  }
  return null
}

/** Names of an entity or a candidate, with the kind of each. */
const companyNames = [
  ['legal_name', 'legal'],
  ['display_name', 'other'],
  ['name', 'other'],
] as const

const impacts = ['low', 'medium', 'high']
const rankImpact = (factor: unknown): number => impacts.indexOf(toWord(at(factor, 'impact')))

/** A confirmed registration is no reason for the match. */
const [outcomeCode, endedCode] = ['legal_entity_confirmed', 'legal_entity_inactive']

/**
 * Returns the text of the strongest factor (of those about the name, the one that quotes it): for a match in favour of it,
 * else against it. For a match, adds what speaks most against it, and what of the row is another in the register; for each
 * answer the registers that no longer list the company. The text of a partial match says first that it is a guess.
 */
export function findReason(factors: readonly unknown[], status: string): string | null {
  const left = listLeftRegisters(factors)
  const strongest = findStrongest(factors, status)
  const said = [
    ...(toWord(status) === 'partial_match' ? ['Probably this company, but not certain.'] : []),
    ...(strongest === null || left.includes(strongest) ? [] : [strongest]),
    ...listAgainst(factors, status).filter(
      (text) => text.trim() !== '' && text !== strongest && !left.includes(text),
    ),
    ...left,
  ]
  return said.length === 0 ? null : said.join(' ')
}

const isFound = (status: string): boolean => ['matched', 'merged'].includes(toWord(status))

/** A place or an identifier of the row that is another in the register: said whatever its impact. */
const contradiction = /^(?:location|identifier|identifier_name)_mismatch$/

/** The first factor against a match that has a high impact, or says that the company has ended; and the contradictions. */
function listAgainst(factors: readonly unknown[], status: string): string[] {
  if (!isFound(status) && toWord(status) !== 'partial_match') return []
  const against = factors.filter((factor) => toWord(at(factor, 'type')) === 'limitation')
  const first = against.find((one) => toWord(at(one, 'impact')) === 'high' || at(one, 'code') === endedCode)
  return against
    .filter((one) => (one === first && isFound(status)) || contradiction.test(toWord(at(one, 'code'))))
    .flatMap((one) => toText(at(one, 'description'))?.trim() || [])
}

function findStrongest(factors: readonly unknown[], status: string): string | null {
  const said = factors.filter((factor) => (toText(at(factor, 'description')) ?? '').trim() !== '')
  const strengths = said.filter((factor) => toWord(at(factor, 'type')) === 'strength')
  const reasons = strengths.filter((factor) => at(factor, 'code') !== outcomeCode)
  const limitations = said.filter((factor) => toWord(at(factor, 'type')) === 'limitation')
  const groups = isFound(status) ? [reasons, strengths, limitations] : [limitations, reasons, strengths]
  const group = [...groups, said].find(({ length }) => length > 0) ?? []
  const most = Math.max(...group.map(rankImpact))
  const strongest = group.find((factor) => rankImpact(factor) === most)
  const named = reasons.find((factor) => toText(at(factor, 'matched_name', 'name')) !== null)
  const isOfName = group === reasons && at(strongest, 'code') === 'name_close_match'
  const text = toText(at(isOfName ? (named ?? strongest) : strongest, 'description'))
  // A sentence that ends with "Inc." has one full stop.
  return text?.replace(/(?<!\.)\.\.$/, '.') ?? null
}

const toWord = (value: unknown): string => (toText(value) ?? '').trim().toLowerCase()

/**
 * Version of answer lines. An answer line is a line of JSON with every answer column, by name without prefix. It is
 * created when an answer arrives and stored in the checkpoint.
 */
export const answerLineVersion = 3

export const answerLimits = {
  listMax: 200,
  basisMax: 500,
  citationsMax: 50,
  basisValueCharsMax: 4_000,
} as const

interface BasisCitation {
  readonly url: string | null
  readonly excerpt: string | null
  readonly source_type: string | null
  readonly authority_tier: number | null
}
export interface BasisRow {
  readonly field: string | null
  readonly value: string | null
  readonly confidence: string | null
  readonly reasoning: string | null
  readonly citations: readonly BasisCitation[]
}
export type AnswerValue = string | number | boolean | null | readonly unknown[]
type Answer = Partial<Record<AnswerColumnName, AnswerValue>>

/** Paths of text columns in the data of a run (interface: "v3 job result"). */
const textPaths = {
  type: 'type',
  subtype: 'subtype',
  merged_into: 'merged_into',
  entity_id: 'entity.id',
  display_name: 'entity.display_name',
  legal_name: 'entity.legal_name',
  entity_status: 'entity.status',
  description: 'entity.description',
  website: 'entity.website',
  street_address: 'entity.headquarters.address.street_address',
  city: 'entity.headquarters.address.city',
  state: 'entity.headquarters.address.state',
  state_code: 'entity.headquarters.address.state_code',
  postal_code: 'entity.headquarters.address.postal_code',
  country: 'entity.headquarters.address.country',
  country_code: 'entity.headquarters.address.country_code',
  formatted_address: 'entity.headquarters.address.formatted_address',
  legal_entity_id: 'entity.primary_legal_entity.id',
  jurisdiction: 'entity.primary_legal_entity.jurisdiction',
  sector: 'entity.facets.sector',
  legal_form: 'entity.facets.legal_form',
  parent_name: 'entity.parent_entity.name',
  matching_branch: 'entity.matching_branch',
  candidate_name: 'candidate.name',
  candidate_legal_name: 'candidate.legal_name',
  candidate_jurisdiction: 'candidate.jurisdiction',
  candidate_address: 'candidate.primary_address.full_address',
} as const satisfies Partial<Record<AnswerColumnName, string>>

/** Split once, since every answer uses them. */
const textKeys = Object.entries(textPaths).map(
  ([column, path]) => [column as keyof typeof textPaths, path.split('.')] as const,
)

/** The interface does not distinguish `sec_cik` from `cik`, so they are one column. */
const identifierTypes = {
  registration_id: ['registration_id'],
  lei: ['lei'],
  cik: ['cik', 'sec_cik'],
  ein: ['ein'],
  duns: ['duns'],
  bic: ['bic'],
  ticker: ['ticker'],
} as const satisfies Partial<Record<AnswerColumnName, readonly string[]>>
const typesOfColumns = Object.entries(identifierTypes) as [keyof typeof identifierTypes, readonly string[]][]

/**
 * Returns the answer line of a run as sent. Never throws: a value of a wrong type becomes text in text columns, and
 * null in others; unknown enum values are kept.
 */
export function renderAnswer(run: RunObjectLenient): string {
  const data = run.data ?? null
  const entity = at(data, 'entity')
  const basis = toList(at(data, 'basis'))
    .slice(0, answerLimits.basisMax)
    .flatMap((entry) => toBasisRows(entry, entity))
  return renderResult(data, {
    status: readStatus(run, data),
    run_id: toText(run.run_id),
    confidence: toInt32(at(data, 'match_confidence')),
    resolved_at: normalizeInstant(toText(at(data, 'metadata', 'resolved_at')) ?? ''),
    from_cache: toBoolean(at(data, 'metadata', 'from_cache')),
    source_url: findSourceUrl(basis),
    basis,
  })
}

/**
 * Returns the answer line of a result with an entity or a candidate from any route; `rest` has the members that differ
 * by route (interface: "v3 job result", "v3 domain-intelligence result").
 */
export function renderResult(data: unknown, rest: Answer): string {
  const answer: Answer = {}
  for (const [column, keys] of textKeys) answer[column] = toText(at(data, ...keys))
  const entity = at(data, 'entity')
  for (const [column, types] of typesOfColumns) answer[column] = findIdentifier(entity, types)
  const authority = at(entity, 'primary_legal_entity', 'registration_authority')
  const naics = findPrimaryCode(at(entity, 'industry', 'schemes', 'naics_2022'))
  const sic = findPrimaryCode(at(entity, 'industry', 'schemes', 'sic'))
  const factors = listObjects(at(data, 'factors'))
  const matched = findMatchedName(data, factors)
  return line({
    ...answer,
    matched_name: matched?.name ?? null,
    matched_name_kind: matched?.kind ?? null,
    reason: findReason(factors, toText(rest.status) ?? ''),
    registration_authority: toText(
      toObject(authority) === null
        ? authority
        : (at(authority, 'name') ?? at(authority, 'organization') ?? at(authority, 'code')),
    ),
    naics_code: toText(at(naics, 'code')),
    naics_label: toText(at(naics, 'label')),
    sic_code: toText(at(sic, 'code')),
    sic_label: toText(at(sic, 'label')),
    factors: factors.map((factor) => pickTexts(factor, ['code', 'type', 'description', 'impact'])),
    actions: listObjects(at(data, 'actions')).map((action) => pickTexts(action, ['code', 'description'])),
    ...rest,
  })
}

export interface Unanswered {
  readonly status: 'uncertain' | 'invalid_input' | 'pending' | 'error' | 'failed'
  readonly error?: string | undefined
  readonly runId?: string | undefined
}

/** Returns the answer line of an unanswered lookup: only status, error and run_id are set. */
export function renderUnanswered(unanswered: Unanswered): string {
  const { status, error, runId } = unanswered
  return line({ status, error: toText(error), run_id: toText(runId), factors: [], actions: [], basis: [] })
}

/** Contains every column, in the order of the output. */
function line(answer: Answer): string {
  const whole: Record<string, AnswerValue> = {}
  for (const { name } of answerColumns) whole[name] = answer[name] ?? null
  return JSON.stringify(whole)
}

const keyMarks = answerColumns.map(({ name }, index) => `${index === 0 ? '{' : ','}"${name}":`)

/**
 * Returns the JSON text of each column of an answer line, in the order of `answerColumns`, without parsing: lines have
 * all columns in that order, and quotes in texts are escaped, so each key is found as text. Throws if the text is not
 * an answer line.
 */
export function sliceAnswer(line: string): readonly string[] {
  const values: string[] = []
  let valueStart = -1
  for (const mark of keyMarks) {
    const at = line.indexOf(mark, Math.max(valueStart, 0))
    if (at === -1 || (valueStart === -1 && at !== 0)) throw new Error('not an answer line of this version')
    if (valueStart !== -1) values.push(line.slice(valueStart, at))
    valueStart = at + mark.length
  }
  values.push(line.slice(valueStart, -1))
  return values
}

const confidenceMark = ',"confidence":'

/** Returns the confidence in an answer line; null if it has none. */
export function readLineConfidence(line: string): number | null {
  // Only the status precedes it, and quotes in the status are escaped.
  const start = line.indexOf(confidenceMark) + confidenceMark.length
  return start < confidenceMark.length
    ? null
    : toInteger(/^-?\d+/.exec(line.slice(start, start + 12))?.[0] ?? null)
}

/** Returns the outcome in the data of a run; `failed` if the run failed or has none. */
export function readStatus(run: Pick<RunObjectLenient, 'status'>, data: unknown): string {
  if (run.status.trim().toUpperCase() === 'FAILED') return 'failed'
  const status = toText(at(data, 'status'))
  return status === null || status.trim() === '' ? 'failed' : status
}

function findIdentifier(entity: unknown, types: readonly string[]): string | null {
  for (const identifier of toList(at(entity, 'identifiers'))) {
    const type = at(identifier, 'type')
    const value = toText(at(identifier, 'value'))
    if (typeof type === 'string' && types.includes(type.toLowerCase()) && value !== null && value !== '')
      return value
  }
  return null
}

/** Returns the code marked primary, else the first (interface: "Industry code entry (v3)"). */
function findPrimaryCode(codes: unknown): unknown {
  const list = toList(codes)
  return list.find((code) => at(code, 'is_primary') === true) ?? list[0]
}

function toBasisRows(entry: unknown, entity: unknown): readonly BasisRow[] {
  if (toObject(entry) === null) return []
  const field = toText(at(entry, 'field'))
  const value = field === null ? null : toText(atPath(entity, field), answerLimits.basisValueCharsMax)
  const citations = listObjects(at(entry, 'citations')).slice(0, answerLimits.citationsMax)
  return [
    {
      field,
      value,
      confidence: toText(at(entry, 'confidence')),
      reasoning: toText(at(entry, 'reasoning')),
      citations: citations.map((citation) => ({
        url: toText(at(citation, 'url')),
        excerpt: toText(at(citation, 'excerpt')),
        source_type: toText(at(citation, 'source_type')),
        authority_tier: toInt32(at(citation, 'authority_tier')),
      })),
    },
  ]
}

function listObjects(value: unknown): readonly unknown[] {
  return toList(value)
    .slice(0, answerLimits.listMax)
    .filter((item) => toObject(item) !== null)
}

function pickTexts(item: unknown, keys: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(keys.map((key) => [key, toText(at(item, key))]))
}

/** Whether a row's answer is doubtful. Reads the line only if the outcome is not sufficient. */
export function isDoubtfulLine(
  outcome: string | null,
  line: () => string | null,
  threshold: number,
): boolean {
  const text = shouldReadConfidence(outcome, threshold) ? line() : null
  const confidence = text === null ? null : readLineConfidence(text)
  return isDoubtful({ state: 'answered', outcome, confidence }, threshold)
}

/** Matches have a confidence of at least 80, partial matches less (interface: "Resolution outcome meanings"). */
export function shouldReadConfidence(outcome: string | null, threshold: number): boolean {
  if (outcome === 'matched') return threshold > matchedConfidenceMin
  return outcome === 'partial_match' && threshold < matchedConfidenceMin
}
