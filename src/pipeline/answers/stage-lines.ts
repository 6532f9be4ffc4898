import { runObjectLenient } from '../../contract/result.js'
import { assertNever } from '../../core/errors.js'
import { normalizeInstant } from '../../core/time.js'
import { at, atPath, toBoolean, toInt32, toInteger, toList, toObject, toText } from '../../core/json.js'
import {
  answerLimits,
  answerLineVersion,
  renderAnswer,
  renderResult,
  renderUnanswered,
  readStatus,
  type AnswerValue,
  type BasisRow,
  type Unanswered,
} from './answer-line.js'
import { getStageColumns, type StageColumnName } from './column-kinds.js'
import type { LookupKind, StageKind } from '../../core/lookup-state.js'
import type { KnownAnswer } from '../checkpoint/lookup.js'

/** Returns why a lookup has no answer; `null` if it has one, or still has an old one. */
export function findUnanswered(known: KnownAnswer | null): Unanswered | null {
  if (known === null) return notSubmitted
  const { kind, failure } = known
  // Other kinds have an internal name that the service does not know.
  const runId = (kind === 'resolution' ? known.runId : null) ?? undefined
  switch (known.state) {
    case 'answered':
    case 'failed':
      return null
    case 'invalid':
      return { status: 'invalid_input', error: failure ?? undefined }
    case 'uncertain':
    case 'intended':
      return { status: 'uncertain', error: failure ?? 'submitted; the answer is not here yet' }
    case 'running':
      return failure === null
        ? { status: 'pending', error: 'submitted; no answer yet', runId }
        : { status: 'error', error: failure, runId }
    case 'new':
      return known.line === null ? notSubmitted : null
  }
}

const notSubmitted: Unanswered = { status: 'pending', error: 'not submitted yet' }

/** Returns the line of an answer. Lines of an older version are rendered again from the response body. */
export function getAnsweredLine(known: KnownAnswer): string {
  const { kind, lineVersion, line } = known
  return lineVersion === lineVersions[kind] && line !== null
    ? line
    : renderLine(kind, JSON.parse(known.body()))
}

/** Increase a version when its lines gain or change a column: older lines are then created again from the body. */
export const lineVersions: Readonly<Record<LookupKind, number>> = {
  resolution: answerLineVersion,
  domain: 4,
  entity: 2,
  hierarchy: 2,
}

/**
 * A stage line is a line of JSON with every column of a stage, by name without prefix, and the basis entries of the
 * stage. The line of a domain also has the answer columns, since a row may be looked up by domain only. It is created
 * when the stage's answer arrives, from the stored run object, whose `data` is the body as sent. Never throws; values
 * of a wrong type are treated as in answer lines.
 */
type StageValues<Which extends StageKind> = Partial<Record<StageColumnName<Which>, AnswerValue>>

const stageLimits = { textsMax: 200, textCharsMax: 4_000, chainMax: 100, evidenceMax: 50 } as const

/** Returns the line of a stored answer of any kind. */
function renderLine(kind: LookupKind, body: unknown): string {
  switch (kind) {
    case 'resolution':
      return renderAnswer(runObjectLenient.parse(body))
    case 'entity':
      return renderEntityLine(body)
    case 'hierarchy':
      return renderHierarchyLine(body)
    case 'domain':
      return renderDomainLine(body)
    default:
      return assertNever(kind)
  }
}

/** Paths of texts in the record of an entity (interface: "v3 entity record"). */
const entityTexts = {
  entity_employee_range: 'attributes.employee_range',
  entity_revenue_range: 'attributes.revenue_range',
  entity_founding_date: 'attributes.founding_date',
  entity_exchange: 'attributes.exchange',
  entity_domain: 'attributes.domain',
  entity_industry: 'classification.industry',
  entity_sub_industry: 'classification.sub_industry',
  entity_linkedin: 'social_profiles.linkedin.handle',
  entity_facebook: 'social_profiles.facebook.handle',
  entity_crunchbase: 'social_profiles.crunchbase.handle',
} as const satisfies Partial<Record<StageColumnName<'entity'>, string>>

/** Returns the outcome of the record: the status of its build; `complete` if the service gives none. */
function readEntityOutcome(body: unknown): string {
  if (hasFailed(body)) return 'failed'
  if (toObject(at(body, 'data', 'entity')) === null) return 'not_found'
  const built = toWord(at(body, 'data', 'enrichment', 'status'))
  return built === null || built === 'refreshing' ? 'complete' : built
}

/** Returns the line of a record (interface: "v3 entity record", its envelope in `data`). */
export function renderEntityLine(body: unknown): string {
  const entity = at(body, 'data', 'entity')
  const values: StageValues<'entity'> = {
    entity_record_status: readEntityOutcome(body),
    entity_current_id: toText(at(body, 'data', 'merged_into') ?? at(entity, 'id')),
    entity_employee_count: toInt32(atPath(entity, 'attributes.employee_count')),
    entity_revenue: toInteger(atPath(entity, 'attributes.revenue')),
    entity_is_public: toBoolean(atPath(entity, 'attributes.is_public')),
    entity_market_cap: toInteger(atPath(entity, 'attributes.market_cap')),
    entity_funding_total_usd: toInteger(atPath(entity, 'attributes.funding_total_usd')),
    entity_funding_rounds_count: toInt32(atPath(entity, 'attributes.funding_rounds_count')),
    entity_business_tags: toTexts(atPath(entity, 'classification.business_tags')),
    entity_market_segments: toTexts(atPath(entity, 'classification.market_segments')),
    entity_revenue_models: toTexts(atPath(entity, 'classification.revenue_models')),
    entity_products_services: toTexts(atPath(entity, 'classification.products_services')),
    entity_operational_countries: listCountries(at(entity, 'operational_presence')),
    entity_updated_at: toInstant(at(body, 'data', 'enrichment', 'updated_at')),
    entity_error: findFailureReason(readEntityOutcome(body), body),
  }
  for (const [name, path] of Object.entries(entityTexts))
    values[name as keyof typeof entityTexts] = toText(atPath(entity, path))
  return renderStageLine('entity', values)
}

/** Returns the outcome of the research: `completed`, `failed`, or the sent status (interface: "Hierarchy research"). */
function readHierarchyOutcome(body: unknown): string {
  return hasFailed(body) ? 'failed' : (toWord(at(body, 'data', 'status')) ?? 'failed')
}

/** Returns the line of a hierarchy (interface: "Hierarchy research", its envelope in `data`). */
export function renderHierarchyLine(body: unknown): string {
  const data = at(body, 'data', 'data')
  const companies = new Map(toList(at(data, 'entities')).map((company) => [at(company, 'id'), company]))
  const parent = at(data, 'ultimate_parent')
  const parentId = toText(at(parent, 'id'))
  const chain = toList(at(data, 'ownership_chain'))
    .slice(0, stageLimits.chainMax)
    .map((link) => renderChainLink(link, companies))
  const values: StageValues<'hierarchy'> = {
    hierarchy_status: readHierarchyOutcome(body),
    ultimate_parent_name: toText(at(parent, 'name')),
    // Other ids are only valid in one result.
    ultimate_parent_id: parentId?.startsWith('siq_') === true ? parentId : null,
    ultimate_parent_country: toText(at(companies.get(at(parent, 'id')), 'country_code')),
    ownership_chain: chain,
    hierarchy_summary: toText(at(data, 'summary_short')),
    hierarchy_researched_at: toInstant(at(body, 'data', 'last_researched_at')),
    hierarchy_error: findFailureReason(readHierarchyOutcome(body), body),
  }
  return renderStageLine('hierarchy', values, buildChainBasis(data, chain))
}

/** From the company upward: each link is the next owner, with its relationship to the company below. */
function renderChainLink(link: unknown, companies: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
  const owner = companies.get(at(link, 'parent_id'))
  const percentage = at(link, 'ownership_percentage')
  return {
    name: toText(at(owner, 'name')),
    country_code: toText(at(owner, 'country_code')),
    relationship_type: toText(at(link, 'relationship_type')),
    ownership_percentage: typeof percentage === 'number' && Number.isFinite(percentage) ? percentage : null,
  }
}

const chainField = 'ownership_chain' satisfies StageColumnName<'hierarchy'>

/** Whether a basis entry comes from a stage. */
export function isBasisOfStage({ field }: Pick<BasisRow, 'field'>): boolean {
  return field === chainField
}

function buildChainBasis(data: unknown, chain: readonly unknown[]): readonly BasisRow[] {
  const urls = toList(at(data, 'evidence')).slice(0, stageLimits.evidenceMax)
  if (urls.length === 0) return []
  const citations = urls.map((url) => ({
    url: toText(url),
    excerpt: null,
    source_type: null,
    authority_tier: null,
  }))
  const value = toText(chain, answerLimits.basisValueCharsMax)
  return [{ field: chainField, value, confidence: null, reasoning: null, citations }]
}

/** Paths of texts in the facts about a domain (interface: "v3 domain-intelligence result"). */
const domainTexts = {
  domain_description: 'description',
  domain_url: 'url',
  domain_type: 'domain_context.domain_type',
  domain_relationship: 'domain_context.domain_relationship',
  domain_linkedin: 'social_profiles.linkedin.handle',
  domain_facebook: 'social_profiles.facebook.handle',
  domain_crunchbase: 'social_profiles.crunchbase.handle',
  domain_twitter: 'social_profiles.twitter.handle',
} as const satisfies Partial<Record<StageColumnName<'domain'>, string>>

/** Returns the outcome of the domain in terms of a resolution: `matched`, `no_match`, … */
function readDomainOutcome(body: unknown): string {
  return readStatus({ status: toText(at(body, 'status')) ?? '' }, getDomainResult(body))
}

/**
 * Returns the line of a domain (interface: "v3 domain-intelligence result", its envelope in `data`, or only the result
 * as in events): its columns, then those of an answer, for rows looked up by domain.
 */
export function renderDomainLine(body: unknown): string {
  const result = getDomainResult(body)
  const facts = at(result, 'domain_intelligence')
  const status = readDomainOutcome(body)
  const confidence = toInt32(at(result, 'confidence'))
  const error = findFailureReason(status, body)
  const values: StageValues<'domain'> = {
    domain_status: status,
    domain_name: toText(at(facts, 'domain') ?? at(body, 'data', 'domain')),
    domain_entity_id: toText(atPath(result, 'entity.id')),
    domain_confidence: confidence,
    domain_http_status: toInt32(atPath(facts, 'website_status.status')),
    domain_is_resolvable: toBoolean(atPath(facts, 'website_status.is_resolvable')),
    domain_aliases: toTexts(at(facts, 'domain_aliases')),
    domain_tranco_rank: toInt32(at(facts, 'tranco_rank')),
    domain_is_disposable: toBoolean(at(facts, 'is_disposable_email_provider')),
    domain_redirects_to: toText(atPath(result, 'redirect_info.final_domain')),
    domain_error: error,
  }
  for (const [name, path] of Object.entries(domainTexts))
    values[name as keyof typeof domainTexts] = toText(atPath(facts, path))
  const resolved_at = toInstant(at(body, 'data', 'metadata', 'last_updated'))
  return withAnswer(values, renderResult(result, { status, confidence, resolved_at, error, basis: [] }))
}

/** Returns the domain result of a stored run (interface: "v3 domain-intelligence result"); null if none. */
export function getDomainResult(body: unknown): unknown {
  const data = at(body, 'data')
  return toObject(at(data, 'data')) ?? (toObject(at(data, 'domain_intelligence')) === null ? null : data)
}

/** Returns the stage line of an unanswered lookup: its status and error, or empty if nothing was asked. */
export function renderUnansweredStage(kind: StageKind, unanswered: Unanswered | null): string {
  const status = unanswered?.status ?? null
  const error = toText(unanswered?.error)
  switch (kind) {
    case 'entity':
      return renderStageLine('entity', { entity_record_status: status, entity_error: error })
    case 'hierarchy':
      return renderStageLine('hierarchy', { hierarchy_status: status, hierarchy_error: error })
    case 'domain':
      return withAnswer(
        { domain_status: status, domain_error: error },
        renderUnanswered(unanswered ?? { status: 'pending' }),
      )
    default:
      return assertNever(kind)
  }
}

function withAnswer(values: StageValues<'domain'>, answerLine: string): string {
  return `{${renderMembers('domain', values)},${answerLine.slice(1)}`
}

function renderStageLine<Which extends StageKind>(
  stage: Which,
  values: StageValues<Which>,
  basis: readonly BasisRow[] = [],
): string {
  return `{${renderMembers(stage, values)},"basis":${JSON.stringify(basis)}}`
}

/** Contains every column of the stage, in the order of the output. */
function renderMembers<Which extends StageKind>(stage: Which, values: StageValues<Which>): string {
  const named: Partial<Record<string, AnswerValue>> = values
  return getStageColumns(stage)
    .map(({ name }) => `"${name}":${JSON.stringify(named[name] ?? null)}`)
    .join(',')
}

function toTexts(value: unknown): readonly string[] {
  return toList(value)
    .slice(0, stageLimits.textsMax)
    .flatMap((item) => toText(item, stageLimits.textCharsMax) ?? [])
}

/** Lists each country once, the home jurisdiction first. */
function listCountries(presence: unknown): readonly string[] {
  const isHome = (entry: unknown) => Number(at(entry, 'is_home_jurisdiction') === true)
  const entries = [...toList(presence)].sort((a, b) => isHome(b) - isHome(a))
  return toTexts([...new Set(entries.flatMap((entry) => toText(at(entry, 'country_code')) ?? []))])
}

function hasFailed(body: unknown): boolean {
  return toWord(at(body, 'status')) === 'failed'
}

/** Returns the service's reason (interface: "Hierarchy research", `message`); null if it did not fail. */
function findFailureReason(outcome: string, body: unknown): string | null {
  if (outcome !== 'failed') return null
  const said = toText(at(body, 'data', 'message'), stageLimits.textCharsMax)?.trim() ?? ''
  return said === '' ? 'the service ended it without a result' : said
}

/** Returns a status in lower case. */
function toWord(value: unknown): string | null {
  const word = toText(value)?.trim().toLowerCase() ?? ''
  return word === '' ? null : word
}

function toInstant(value: unknown): string | null {
  return normalizeInstant(toText(value) ?? '')
}
