import type { StageKind } from '../lookups/lookup-kind.js'

/** How a value is written where cells hold text: as text, as an instant, as its JSON, or as a list in JSON. */
type CellForm = 'text' | 'timestamp' | 'json' | 'list'

interface KindEntry {
  /** Its type in Parquet, in DuckDB's words. */
  readonly sqlType: string
  readonly cellForm: CellForm
  /** As the manual names it. */
  readonly word: string
}

const struct = (fields: readonly string[], last = '') =>
  `STRUCT(${fields.map((field) => `"${field}" VARCHAR`).join(', ')}${last})`
const citation = struct(['url', 'excerpt', 'source_type'], ', "authority_tier" INTEGER')

/** Every kind of column, and all that its writers know of it. */
export const columnKinds = {
  text: { sqlType: 'VARCHAR', cellForm: 'text', word: 'text' },
  integer: { sqlType: 'INTEGER', cellForm: 'json', word: 'integer' },
  /** Amounts of money: whole, and beyond 32 bits. */
  large_integer: { sqlType: 'BIGINT', cellForm: 'json', word: 'integer of 64 bits' },
  timestamp: { sqlType: 'TIMESTAMPTZ', cellForm: 'timestamp', word: 'timestamp' },
  boolean: { sqlType: 'BOOLEAN', cellForm: 'json', word: 'boolean' },
  texts: { sqlType: 'VARCHAR[]', cellForm: 'list', word: 'list of texts' },
  chain: {
    sqlType: `${struct(['name', 'country_code', 'relationship_type'], ', "ownership_percentage" DOUBLE')}[]`,
    cellForm: 'list',
    word: 'list',
  },
  factors: {
    sqlType: `${struct(['code', 'type', 'description', 'impact'])}[]`,
    cellForm: 'list',
    word: 'list',
  },
  candidates: {
    sqlType: `${struct(['entity_id', 'name', 'legal_name', 'place'], ', "confidence" INTEGER, "url" VARCHAR')}[]`,
    cellForm: 'list',
    word: 'list',
  },
  actions: { sqlType: `${struct(['code', 'description'])}[]`, cellForm: 'list', word: 'list' },
  basis: {
    sqlType: `${struct(['field', 'value', 'confidence', 'reasoning'], `, "citations" ${citation}[]`)}[]`,
    cellForm: 'list',
    word: 'list',
  },
} as const satisfies Readonly<Record<string, KindEntry>>

/** How a column is typed in Parquet and written in CSV and NDJSON. */
type ColumnKind = keyof typeof columnKinds

export interface AnswerColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** As the manual lists it. */
  readonly meaning: string
}

/**
 * Columns of what people decided, and of what they may choose from, in the order of the output: between `error` and
 * those of stages. Lines have the members of a group only where there is something to say.
 */
const groups = [
  [
    { name: 'decision', kind: 'text', meaning: 'what a person decided: `accepted`, `none`' },
    { name: 'decided_by', kind: 'text', meaning: 'who did' },
    { name: 'decided_at', kind: 'timestamp', meaning: 'when' },
  ],
  [
    {
      name: 'candidates',
      kind: 'candidates',
      meaning:
        'companies that a doubtful row may mean: `entity_id`, `name`, `legal_name`, `place`, `confidence`, `url`',
    },
  ],
] as const satisfies readonly (readonly AnswerColumn[])[]

export const reviewColumnGroups: readonly (readonly AnswerColumn[])[] = groups

export const reviewColumns: readonly AnswerColumn[] = groups.flat()

export type ReviewColumnName = (typeof groups)[number][number]['name']

const column = <const Name extends string, const Kind extends ColumnKind>(
  name: Name,
  kind: Kind,
  meaning: string,
) => ({ name, kind, meaning })

const stageColumns = {
  entity: [
    column('entity_record_status', 'text', 'what became of the record, see below'),
    column(
      'entity_current_id',
      'text',
      "the record's own id: another than `entity_id` where that was merged",
    ),
    column('entity_employee_count', 'integer', 'people employed'),
    column('entity_employee_range', 'text', 'the same as a range'),
    column('entity_revenue', 'large_integer', 'a year, in USD'),
    column('entity_revenue_range', 'text', 'the same as a range'),
    column('entity_founding_date', 'text', 'like `1976-04-01`'),
    column('entity_exchange', 'text', 'where its shares are traded'),
    column('entity_is_public', 'boolean', 'whether its shares are traded'),
    column('entity_market_cap', 'large_integer', 'in USD'),
    column('entity_funding_total_usd', 'large_integer', 'raised in all rounds'),
    column('entity_funding_rounds_count', 'integer', 'rounds'),
    column('entity_domain', 'text', 'the domain of its website'),
    column('entity_industry', 'text', 'in words; codes are in `naics_code`, `sic_code`'),
    column('entity_sub_industry', 'text', 'in words'),
    column('entity_business_tags', 'texts', 'what it is about'),
    column('entity_market_segments', 'texts', '`b2b`, `b2c`, `b2b2c`; the main one first'),
    column('entity_revenue_models', 'texts', '`subscription`, `usage_based`, …; the main one first'),
    column('entity_products_services', 'texts', 'what it offers'),
    column('entity_operational_countries', 'texts', 'where it is registered, ISO 3166-1; its home first'),
    column('entity_linkedin', 'text', 'name of the profile'),
    column('entity_facebook', 'text', 'name of the profile'),
    column('entity_crunchbase', 'text', 'name of the profile'),
    column('entity_updated_at', 'timestamp', 'when the service last built the record'),
    column('entity_error', 'text', 'why there is no record'),
  ],
  hierarchy: [
    column('hierarchy_status', 'text', 'what became of the research, see below'),
    column('ultimate_parent_name', 'text', 'the company at the top'),
    column('ultimate_parent_id', 'text', 'its id at the service (`siq_…`), where it has one'),
    column('ultimate_parent_country', 'text', 'ISO 3166-1'),
    column(
      'ownership_chain',
      'chain',
      'owners from the company upward: `name`, `country_code`, `relationship_type`, `ownership_percentage`',
    ),
    column('hierarchy_summary', 'text', 'one or two sentences'),
    column('hierarchy_researched_at', 'timestamp', 'when the service last researched it'),
    column('hierarchy_error', 'text', 'why there is no hierarchy'),
  ],
  domain: [
    column('domain_status', 'text', 'what became of the domain, see below'),
    column('domain_name', 'text', 'the root domain that was asked'),
    column('domain_entity_id', 'text', 'the company that the domain belongs to (`siq_…`)'),
    column('domain_confidence', 'integer', '0 to 100, that it does'),
    column('domain_description', 'text', 'what the domain is'),
    column('domain_url', 'text', 'its address'),
    column('domain_http_status', 'integer', 'what its web server answered'),
    column('domain_is_resolvable', 'boolean', 'whether name servers know it'),
    column('domain_type', 'text', '`corporate_website`, …'),
    column('domain_relationship', 'text', '`direct_owner`, …'),
    column('domain_aliases', 'texts', 'other domains of the same'),
    column('domain_tranco_rank', 'integer', 'rank by traffic; lower is bigger'),
    column('domain_is_disposable', 'boolean', 'whether it gives out throw-away e-mail addresses'),
    column('domain_redirects_to', 'text', 'the domain that it leads to, where it is another'),
    column('domain_linkedin', 'text', 'profile that the site links to'),
    column('domain_facebook', 'text', 'profile that the site links to'),
    column('domain_crunchbase', 'text', 'profile that the site links to'),
    column('domain_twitter', 'text', 'profile that the site links to'),
    column('domain_error', 'text', 'why nothing is known of the domain'),
  ],
} as const satisfies Readonly<Record<StageKind, readonly AnswerColumn[]>>

/** The closed list of columns a stage fills, in the order of the output: between those of review and `basis`. */
export function columnsOfStage(stage: StageKind): readonly AnswerColumn[] {
  return stageColumns[stage]
}

export type StageColumnName<Which extends StageKind> = (typeof stageColumns)[Which][number]['name']
