import { runObjectLenient } from '../../contract/resolution.js'
import { unreachable } from '../../core/errors.js'
import { utcInstant } from '../../core/time.js'
import { at, atPath, booleanOf, integerOf, listOf, objectOf, textOf } from '../../core/json.js'
import {
  answerLimits,
  answerLineVersion,
  int32Of,
  renderAnswer,
  renderResult,
  renderUnanswered,
  statusOf,
  type AnswerValue,
  type BasisRow,
  type Unanswered,
} from './answer-line.js'
import { columnsOfStage, type StageColumnName } from './column-kinds.js'
import type { LookupKind, StageKind } from '../lookups/lookup-kind.js'

/** Increase a version when its lines gain or change a column: older lines are then created again from the body. */
export const lineVersions: Readonly<Record<LookupKind, number>> = {
  resolution: answerLineVersion,
  domain: 3,
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
export function renderLine(kind: LookupKind, body: unknown): string {
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
      return unreachable(kind)
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
function entityOutcome(body: unknown): string {
  if (hasFailed(body)) return 'failed'
  if (objectOf(at(body, 'data', 'entity')) === null) return 'not_found'
  const built = wordOf(at(body, 'data', 'enrichment', 'status'))
  return built === null || built === 'refreshing' ? 'complete' : built
}

/** Returns the line of a record (interface: "v3 entity record", its envelope in `data`). */
export function renderEntityLine(body: unknown): string {
  const entity = at(body, 'data', 'entity')
  const values: StageValues<'entity'> = {
    entity_record_status: entityOutcome(body),
    entity_current_id: textOf(at(body, 'data', 'merged_into') ?? at(entity, 'id')),
    entity_employee_count: int32Of(atPath(entity, 'attributes.employee_count')),
    entity_revenue: integerOf(atPath(entity, 'attributes.revenue')),
    entity_is_public: booleanOf(atPath(entity, 'attributes.is_public')),
    entity_market_cap: integerOf(atPath(entity, 'attributes.market_cap')),
    entity_funding_total_usd: integerOf(atPath(entity, 'attributes.funding_total_usd')),
    entity_funding_rounds_count: int32Of(atPath(entity, 'attributes.funding_rounds_count')),
    entity_business_tags: textsOf(atPath(entity, 'classification.business_tags')),
    entity_market_segments: textsOf(atPath(entity, 'classification.market_segments')),
    entity_revenue_models: textsOf(atPath(entity, 'classification.revenue_models')),
    entity_products_services: textsOf(atPath(entity, 'classification.products_services')),
    entity_operational_countries: countriesOf(at(entity, 'operational_presence')),
    entity_updated_at: instantOf(at(body, 'data', 'enrichment', 'updated_at')),
    entity_error: whyFailed(entityOutcome(body), body),
  }
  for (const [name, path] of Object.entries(entityTexts))
    values[name as keyof typeof entityTexts] = textOf(atPath(entity, path))
  return stageLine('entity', values)
}

/** Returns the outcome of the research: `completed`, `failed`, or the sent status (interface: "Hierarchy research"). */
function hierarchyOutcome(body: unknown): string {
  return hasFailed(body) ? 'failed' : (wordOf(at(body, 'data', 'status')) ?? 'failed')
}

/** Returns the line of a hierarchy (interface: "Hierarchy research", its envelope in `data`). */
export function renderHierarchyLine(body: unknown): string {
  const data = at(body, 'data', 'data')
  const companies = new Map(listOf(at(data, 'entities')).map((company) => [at(company, 'id'), company]))
  const parent = at(data, 'ultimate_parent')
  const parentId = textOf(at(parent, 'id'))
  const chain = listOf(at(data, 'ownership_chain'))
    .slice(0, stageLimits.chainMax)
    .map((link) => chainLink(link, companies))
  const values: StageValues<'hierarchy'> = {
    hierarchy_status: hierarchyOutcome(body),
    ultimate_parent_name: textOf(at(parent, 'name')),
    // Other ids are only valid in one result.
    ultimate_parent_id: parentId?.startsWith('siq_') === true ? parentId : null,
    ultimate_parent_country: textOf(at(companies.get(at(parent, 'id')), 'country_code')),
    ownership_chain: chain,
    hierarchy_summary: textOf(at(data, 'summary_short')),
    hierarchy_researched_at: instantOf(at(body, 'data', 'last_researched_at')),
    hierarchy_error: whyFailed(hierarchyOutcome(body), body),
  }
  return stageLine('hierarchy', values, chainBasis(data, chain))
}

/** From the company upward: each link is the next owner, with its relationship to the company below. */
function chainLink(link: unknown, companies: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
  const owner = companies.get(at(link, 'parent_id'))
  const percentage = at(link, 'ownership_percentage')
  return {
    name: textOf(at(owner, 'name')),
    country_code: textOf(at(owner, 'country_code')),
    relationship_type: textOf(at(link, 'relationship_type')),
    ownership_percentage: typeof percentage === 'number' && Number.isFinite(percentage) ? percentage : null,
  }
}

const chainField = 'ownership_chain' satisfies StageColumnName<'hierarchy'>

/** Whether a basis entry comes from a stage. */
export function isBasisOfStage({ field }: Pick<BasisRow, 'field'>): boolean {
  return field === chainField
}

function chainBasis(data: unknown, chain: readonly unknown[]): readonly BasisRow[] {
  const urls = listOf(at(data, 'evidence')).slice(0, stageLimits.evidenceMax)
  if (urls.length === 0) return []
  const citations = urls.map((url) => ({
    url: textOf(url),
    excerpt: null,
    source_type: null,
    authority_tier: null,
  }))
  const value = textOf(chain, answerLimits.basisValueCharsMax)
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
function domainOutcome(body: unknown): string {
  return statusOf({ status: textOf(at(body, 'status')) ?? '' }, domainResultOf(body))
}

/**
 * Returns the line of a domain (interface: "v3 domain-intelligence result", its envelope in `data`, or only the result
 * as in events): its columns, then those of an answer, for rows looked up by domain.
 */
export function renderDomainLine(body: unknown): string {
  const result = domainResultOf(body)
  const facts = at(result, 'domain_intelligence')
  const status = domainOutcome(body)
  const confidence = int32Of(at(result, 'confidence'))
  const error = whyFailed(status, body)
  const values: StageValues<'domain'> = {
    domain_status: status,
    domain_name: textOf(at(facts, 'domain') ?? at(body, 'data', 'domain')),
    domain_entity_id: textOf(atPath(result, 'entity.id')),
    domain_confidence: confidence,
    domain_http_status: int32Of(atPath(facts, 'website_status.status')),
    domain_is_resolvable: booleanOf(atPath(facts, 'website_status.is_resolvable')),
    domain_aliases: textsOf(at(facts, 'domain_aliases')),
    domain_tranco_rank: int32Of(at(facts, 'tranco_rank')),
    domain_is_disposable: booleanOf(at(facts, 'is_disposable_email_provider')),
    domain_redirects_to: textOf(atPath(result, 'redirect_info.final_domain')),
    domain_error: error,
  }
  for (const [name, path] of Object.entries(domainTexts))
    values[name as keyof typeof domainTexts] = textOf(atPath(facts, path))
  const resolved_at = instantOf(at(body, 'data', 'metadata', 'last_updated'))
  return withAnswer(values, renderResult(result, { status, confidence, resolved_at, error, basis: [] }))
}

/** Returns the domain result of a stored run (interface: "v3 domain-intelligence result"); null if none. */
export function domainResultOf(body: unknown): unknown {
  const data = at(body, 'data')
  return objectOf(at(data, 'data')) ?? (objectOf(at(data, 'domain_intelligence')) === null ? null : data)
}

/**
 * Returns the stage line of an unanswered lookup, with its status and error. Null: nothing was requested, so these are
 * empty.
 */
export function renderUnansweredStage(kind: StageKind, unanswered: Unanswered | null): string {
  const status = unanswered?.status ?? null
  const error = textOf(unanswered?.error)
  switch (kind) {
    case 'entity':
      return stageLine('entity', { entity_record_status: status, entity_error: error })
    case 'hierarchy':
      return stageLine('hierarchy', { hierarchy_status: status, hierarchy_error: error })
    case 'domain':
      return withAnswer(
        { domain_status: status, domain_error: error },
        renderUnanswered(unanswered ?? { status: 'pending' }),
      )
    default:
      return unreachable(kind)
  }
}

function withAnswer(values: StageValues<'domain'>, answerLine: string): string {
  return `{${membersText('domain', values)},${answerLine.slice(1)}`
}

function stageLine<Which extends StageKind>(
  stage: Which,
  values: StageValues<Which>,
  basis: readonly BasisRow[] = [],
): string {
  return `{${membersText(stage, values)},"basis":${JSON.stringify(basis)}}`
}

/** Contains every column of the stage, in the order of the output. */
function membersText<Which extends StageKind>(stage: Which, values: StageValues<Which>): string {
  const named: Partial<Record<string, AnswerValue>> = values
  return columnsOfStage(stage)
    .map(({ name }) => `"${name}":${JSON.stringify(named[name] ?? null)}`)
    .join(',')
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value)
    .slice(0, stageLimits.textsMax)
    .flatMap((item) => textOf(item, stageLimits.textCharsMax) ?? [])
}

/** Lists each country once, the home jurisdiction first. */
function countriesOf(presence: unknown): readonly string[] {
  const isHome = (entry: unknown) => Number(at(entry, 'is_home_jurisdiction') === true)
  const entries = [...listOf(presence)].sort((a, b) => isHome(b) - isHome(a))
  return textsOf([...new Set(entries.flatMap((entry) => textOf(at(entry, 'country_code')) ?? []))])
}

function hasFailed(body: unknown): boolean {
  return wordOf(at(body, 'status')) === 'failed'
}

/** Returns the service's reason (interface: "Hierarchy research", `message`); null if it did not fail. */
function whyFailed(outcome: string, body: unknown): string | null {
  if (outcome !== 'failed') return null
  const said = textOf(at(body, 'data', 'message'), stageLimits.textCharsMax)?.trim() ?? ''
  return said === '' ? 'the service ended it without a result' : said
}

/** Returns a status in lower case. */
function wordOf(value: unknown): string | null {
  const word = textOf(value)?.trim().toLowerCase() ?? ''
  return word === '' ? null : word
}

function instantOf(value: unknown): string | null {
  return utcInstant(textOf(value) ?? '')
}
