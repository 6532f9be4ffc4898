import type { RunObjectLenient } from '../../contract/resolution.js'
import { answerColumns, type AnswerColumnName } from './columns.js'
import { utcInstant } from '../../core/time.js'
import { at, atPath, booleanOf, integerOf, listOf, objectOf, textOf } from '../../core/json.js'
import { pageUrlAmong, registerUrlAmong } from './answer-candidate.js'

/** `legal`: registered; `former`: registered before; `other`: in use, or written in another way, as a register lists it. */
type MatchedNameKind = 'legal' | 'former' | 'other'

interface MatchedName {
  readonly name: string
  readonly kind: MatchedNameKind
}

/** How a sentence goes on behind the name: the embedded service writes it (`nameFactor` of the registry). */
const kindsByEnd = [
  ['", registered name.', 'legal'],
  ['", other name.', 'other'],
] as const
const formerMark = '", former name of '

/**
 * The company's name that the text asked for matched. An answer has no field for it (interface: "v3 job result"): it is
 * read from the factor in which the embedded service quotes it, and null for services that say it in other words.
 */
export function matchedNameIn(factors: readonly unknown[]): MatchedName | null {
  for (const factor of factors) {
    if (at(factor, 'code') !== 'name_close_match') continue
    const found = readNameSentence(textOf(at(factor, 'description')) ?? '')
    if (found !== null) return found
  }
  return null
}

/** Reads `The name, without the site, is that of "Larkmoor Ltd", former name of Brackwell Ltd since 2026-05-01 (gleif).` */
function readNameSentence(sentence: string): MatchedName | null {
  const start = /^The name[^"]* "/.exec(sentence)?.[0].length
  if (start === undefined) return null
  const quoted = (end: number, kind: MatchedNameKind): MatchedName | null =>
    end > start ? { name: sentence.slice(start, end), kind } : null
  for (const [end, kind] of kindsByEnd)
    if (sentence.endsWith(end)) return quoted(sentence.length - end.length, kind)
  return quoted(sentence.indexOf(formerMark, start), 'former')
}

const impacts = ['low', 'medium', 'high']
const impactOf = (factor: unknown): number => impacts.indexOf(wordOf(at(factor, 'impact')))

/** That a registration was found is no reason why it is the one. */
const outcomeCode = 'legal_entity_confirmed'

/**
 * The strongest factor as the service words it: of a match what speaks for it, of any other answer what speaks against
 * it. The first one of equal impact.
 */
export function reasonIn(factors: readonly unknown[], status: string): string | null {
  const said = factors.filter((factor) => (textOf(at(factor, 'description')) ?? '').trim() !== '')
  const strengths = said.filter((factor) => wordOf(at(factor, 'type')) === 'strength')
  const reasons = strengths.filter((factor) => at(factor, 'code') !== outcomeCode)
  const limitations = said.filter((factor) => wordOf(at(factor, 'type')) === 'limitation')
  const isFound = ['matched', 'merged'].includes(wordOf(status))
  const groups = isFound ? [reasons, strengths, limitations] : [limitations, reasons, strengths]
  const group = [...groups, said].find(({ length }) => length > 0) ?? []
  const most = Math.max(...group.map(impactOf))
  const strongest = group.find((factor) => impactOf(factor) === most)
  // A sentence that ends with "Inc." has one full stop.
  return textOf(at(strongest, 'description'))?.replace(/(?<!\.)\.\.$/, '.') ?? null
}

/** The page that states the legal name, of a register first; else the first record of a register that a basis cites. */
export function sourceUrlIn(basis: readonly unknown[]): string | null {
  const citationsIn = (entry: unknown) => listOf(at(entry, 'citations'))
  const ofName = basis
    .filter((entry) => /^(?:entity\.)?legal_name$/.test(textOf(at(entry, 'field')) ?? ''))
    .flatMap(citationsIn)
  return registerUrlAmong(ofName) ?? pageUrlAmong(ofName) ?? registerUrlAmong(basis.flatMap(citationsIn))
}

const wordOf = (value: unknown): string => (textOf(value) ?? '').trim().toLowerCase()

/**
 * An answer line is one line of JSON text that holds every answer column, under its name without a prefix.
 * It is made once, when an answer arrives; the checkpoint stores it and every writer reads it.
 */
export const answerLineVersion = 2

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

/** Where a plain text column is found in the data of a run (interface: "v3 job result"). */
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

/** The same, taken apart once: every answer is read by them. */
const textKeys = Object.entries(textPaths).map(
  ([column, path]) => [column as keyof typeof textPaths, path.split('.')] as const,
)

/** `sec_cik` and `cik` are one column: the interface names both and tells them apart nowhere. */
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
 * The answer line of a run as a server sent it. Never throws: a value of a wrong type is kept as text where
 * the column is text, and is null elsewhere; unknown enum values stay as they came.
 */
export function renderAnswer(run: RunObjectLenient): string {
  const data = run.data ?? null
  const entity = at(data, 'entity')
  const basis = listOf(at(data, 'basis'))
    .slice(0, answerLimits.basisMax)
    .flatMap((entry) => basisRow(entry, entity))
  return renderResult(data, {
    status: statusOf(run, data),
    run_id: textOf(run.run_id),
    confidence: int32Of(at(data, 'match_confidence')),
    resolved_at: utcInstant(textOf(at(data, 'metadata', 'resolved_at')) ?? ''),
    from_cache: booleanOf(at(data, 'metadata', 'from_cache')),
    source_url: sourceUrlIn(basis),
    basis,
  })
}

/**
 * The answer line of a result with an entity or a candidate, whichever route gave it; `rest` is what routes say
 * each in their own way (interface: "v3 job result", "v3 domain-intelligence result").
 */
export function renderResult(data: unknown, rest: Answer): string {
  const answer: Answer = {}
  for (const [column, keys] of textKeys) answer[column] = textOf(at(data, ...keys))
  const entity = at(data, 'entity')
  for (const [column, types] of typesOfColumns) answer[column] = identifierOf(entity, types)
  const authority = at(entity, 'primary_legal_entity', 'registration_authority')
  const naics = primaryCode(at(entity, 'industry', 'schemes', 'naics_2022'))
  const sic = primaryCode(at(entity, 'industry', 'schemes', 'sic'))
  const factors = objectsOf(at(data, 'factors'))
  const matched = matchedNameIn(factors)
  return line({
    ...answer,
    matched_name: matched?.name ?? null,
    matched_name_kind: matched?.kind ?? null,
    reason: reasonIn(factors, textOf(rest.status) ?? ''),
    registration_authority: textOf(
      objectOf(authority) === null
        ? authority
        : (at(authority, 'name') ?? at(authority, 'organization') ?? at(authority, 'code')),
    ),
    naics_code: textOf(at(naics, 'code')),
    naics_label: textOf(at(naics, 'label')),
    sic_code: textOf(at(sic, 'code')),
    sic_label: textOf(at(sic, 'label')),
    factors: factors.map((factor) => texts(factor, ['code', 'type', 'description', 'impact'])),
    actions: objectsOf(at(data, 'actions')).map((action) => texts(action, ['code', 'description'])),
    ...rest,
  })
}

export interface Unanswered {
  readonly status: 'uncertain' | 'invalid_input' | 'pending' | 'error' | 'failed'
  readonly error?: string | undefined
  readonly runId?: string | undefined
}

/** The answer line of a lookup without an answer: every column but status, error and run_id is empty. */
export function renderUnanswered(unanswered: Unanswered): string {
  const { status, error, runId } = unanswered
  return line({ status, error: textOf(error), run_id: textOf(runId), factors: [], actions: [], basis: [] })
}

/** Every column is present, in the order of the output. */
function line(answer: Answer): string {
  const whole: Record<string, AnswerValue> = {}
  for (const { name } of answerColumns) whole[name] = answer[name] ?? null
  return JSON.stringify(whole)
}

const keyMarks = answerColumns.map(({ name }, index) => `${index === 0 ? '{' : ','}"${name}":`)

/**
 * The JSON text of each column of an answer line, in the order of `answerColumns`, without parsing: lines
 * hold every column in that order, and a quote inside a text is escaped, so a column's key is found by what
 * stands around it. Throws on a text that is no answer line.
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

/** The confidence in an answer line, of which nothing else is read; null where it has none. */
export function confidenceOfLine(line: string): number | null {
  // The status before it is the only text that could hold the mark, and quotes in it are escaped.
  const start = line.indexOf(confidenceMark) + confidenceMark.length
  return start < confidenceMark.length
    ? null
    : integerOf(/^-?\d+/.exec(line.slice(start, start + 12))?.[0] ?? null)
}

/** The outcome in the data of a run; `failed` where it failed or says none. */
export function statusOf(run: Pick<RunObjectLenient, 'status'>, data: unknown): string {
  if (run.status.trim().toUpperCase() === 'FAILED') return 'failed'
  const status = textOf(at(data, 'status'))
  return status === null || status.trim() === '' ? 'failed' : status
}

function identifierOf(entity: unknown, types: readonly string[]): string | null {
  for (const identifier of listOf(at(entity, 'identifiers'))) {
    const type = at(identifier, 'type')
    const value = textOf(at(identifier, 'value'))
    if (typeof type === 'string' && types.includes(type.toLowerCase()) && value !== null && value !== '')
      return value
  }
  return null
}

/** The code marked primary, else the first: primary codes come first (interface: "Industry code entry (v3)"). */
function primaryCode(codes: unknown): unknown {
  const list = listOf(codes)
  return list.find((code) => at(code, 'is_primary') === true) ?? list[0]
}

function basisRow(entry: unknown, entity: unknown): readonly BasisRow[] {
  if (objectOf(entry) === null) return []
  const field = textOf(at(entry, 'field'))
  const value = field === null ? null : textOf(atPath(entity, field), answerLimits.basisValueCharsMax)
  const citations = objectsOf(at(entry, 'citations')).slice(0, answerLimits.citationsMax)
  return [
    {
      field,
      value,
      confidence: textOf(at(entry, 'confidence')),
      reasoning: textOf(at(entry, 'reasoning')),
      citations: citations.map((citation) => ({
        url: textOf(at(citation, 'url')),
        excerpt: textOf(at(citation, 'excerpt')),
        source_type: textOf(at(citation, 'source_type')),
        authority_tier: int32Of(at(citation, 'authority_tier')),
      })),
    },
  ]
}

/** An integer that fits the 32-bit column it is written to. */
export function int32Of(value: unknown): number | null {
  const number = integerOf(value)
  return number !== null && Math.abs(number) < 2 ** 31 ? number : null
}

function objectsOf(value: unknown): readonly unknown[] {
  return listOf(value)
    .slice(0, answerLimits.listMax)
    .filter((item) => objectOf(item) !== null)
}

function texts(item: unknown, keys: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(keys.map((key) => [key, textOf(at(item, key))]))
}
