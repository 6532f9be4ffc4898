import type { StageKind } from '../../core/lookup-state.js'

/** How a value is written to text cells: as text, as an instant, as JSON, or as a list in JSON. */
type CellForm = 'text' | 'timestamp' | 'json' | 'list'

interface KindEntry {
  /** Parquet type, in DuckDB's notation. */
  readonly sqlType: string
  readonly cellForm: CellForm
  /** Name in the manual. */
  readonly word: string
}

const formatStruct = (fields: readonly string[], last = '') =>
  `STRUCT(${fields.map((field) => `"${field}" VARCHAR`).join(', ')}${last})`
const citation = formatStruct(['url', 'excerpt', 'source_type'], ', "authority_tier" INTEGER')

export const columnKinds = {
  text: { sqlType: 'VARCHAR', cellForm: 'text', word: 'text' },
  integer: { sqlType: 'INTEGER', cellForm: 'json', word: 'integer' },
  /** Whole amounts of money, beyond 32 bits. */
  large_integer: { sqlType: 'BIGINT', cellForm: 'json', word: 'integer of 64 bits' },
  timestamp: { sqlType: 'TIMESTAMPTZ', cellForm: 'timestamp', word: 'timestamp' },
  boolean: { sqlType: 'BOOLEAN', cellForm: 'json', word: 'boolean' },
  texts: { sqlType: 'VARCHAR[]', cellForm: 'list', word: 'list of texts' },
  chain: {
    sqlType: `${formatStruct(['name', 'country_code', 'relationship_type'], ', "ownership_percentage" DOUBLE')}[]`,
    cellForm: 'list',
    word: 'list',
  },
  factors: {
    sqlType: `${formatStruct(['code', 'type', 'description', 'impact'])}[]`,
    cellForm: 'list',
    word: 'list',
  },
  candidates: {
    sqlType: `${formatStruct(['entity_id', 'name', 'legal_name', 'place'], ', "confidence" INTEGER, "url" VARCHAR')}[]`,
    cellForm: 'list',
    word: 'list',
  },
  actions: { sqlType: `${formatStruct(['code', 'description'])}[]`, cellForm: 'list', word: 'list' },
  basis: {
    sqlType: `${formatStruct(['field', 'value', 'confidence', 'reasoning'], `, "citations" ${citation}[]`)}[]`,
    cellForm: 'list',
    word: 'list',
  },
} as const satisfies Readonly<Record<string, KindEntry>>

type ColumnKind = keyof typeof columnKinds

export interface AnswerColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** Text of the manual. */
  readonly meaning: string
}

/**
 * Columns of decisions and candidates, and of the side that answered, in output order. They follow `source_url` and precede the stage columns. An answer
 * line has the members of a group only if they have a value.
 */
const groups = [
  [
    { name: 'decision', kind: 'text', meaning: 'verdict of a reviewer: `accepted`, `none`' },
    { name: 'decided_by', kind: 'text', meaning: 'the reviewer' },
    { name: 'decided_at', kind: 'timestamp', meaning: 'time of the decision' },
  ],
  [
    {
      name: 'candidates',
      kind: 'candidates',
      meaning:
        'candidates of a doubtful row: `entity_id`, `name`, `legal_name`, `place`, `confidence`, `url`',
    },
  ],
  [
    {
      name: 'answered_by',
      kind: 'text',
      meaning: 'only with `--first`: who answered, `registry:` with its edition, or the URL of the service',
    },
  ],
] as const satisfies readonly (readonly AnswerColumn[])[]

export const reviewColumnGroups: readonly (readonly AnswerColumn[])[] = groups

export const reviewColumns: readonly AnswerColumn[] = groups.flat()

export type ReviewColumnName = (typeof groups)[number][number]['name']

const defineColumn = <const Name extends string, const Kind extends ColumnKind>(
  name: Name,
  kind: Kind,
  meaning: string,
) => ({ name, kind, meaning })

const stageColumns = {
  entity: [
    defineColumn(
      'entity_record_status',
      'text',
      'outcome of reading the company record, see [Stages](docs/manual/what-the-columns-mean.md#stages)',
    ),
    defineColumn(
      'entity_current_id',
      'text',
      'the id of the record; differs from `entity_id` if the company was merged',
    ),
    defineColumn('entity_employee_count', 'integer', 'number of employees'),
    defineColumn('entity_employee_range', 'text', 'number of employees as a range'),
    defineColumn('entity_revenue', 'large_integer', 'annual revenue in USD'),
    defineColumn('entity_revenue_range', 'text', 'annual revenue as a range'),
    defineColumn('entity_founding_date', 'text', 'founding date, like `1976-04-01`'),
    defineColumn('entity_exchange', 'text', 'stock exchange of its shares'),
    defineColumn('entity_is_public', 'boolean', 'whether the company is publicly traded'),
    defineColumn('entity_market_cap', 'large_integer', 'market capitalization in USD'),
    defineColumn('entity_funding_total_usd', 'large_integer', 'total funding in USD'),
    defineColumn('entity_funding_rounds_count', 'integer', 'number of funding rounds'),
    defineColumn('entity_domain', 'text', 'the domain of its website'),
    defineColumn('entity_industry', 'text', 'industry as text; for codes see `naics_code`, `sic_code`'),
    defineColumn('entity_sub_industry', 'text', 'sub-industry as text'),
    defineColumn('entity_business_tags', 'texts', 'topics of its business'),
    defineColumn('entity_market_segments', 'texts', '`b2b`, `b2c`, `b2b2c`; the main one first'),
    defineColumn('entity_revenue_models', 'texts', '`subscription`, `usage_based`, …; the main one first'),
    defineColumn('entity_products_services', 'texts', 'its products and services'),
    defineColumn(
      'entity_operational_countries',
      'texts',
      'countries of its registrations, ISO 3166-1; the home country first',
    ),
    defineColumn('entity_linkedin', 'text', 'LinkedIn profile name'),
    defineColumn('entity_facebook', 'text', 'Facebook profile name'),
    defineColumn('entity_crunchbase', 'text', 'Crunchbase profile name'),
    defineColumn('entity_updated_at', 'timestamp', 'time of the last build of the record by the service'),
    defineColumn('entity_error', 'text', 'the reason if there is no record'),
  ],
  hierarchy: [
    defineColumn(
      'hierarchy_status',
      'text',
      'outcome of the search for owners, see [Stages](docs/manual/what-the-columns-mean.md#stages)',
    ),
    defineColumn('ultimate_parent_name', 'text', 'the ultimate parent'),
    defineColumn('ultimate_parent_id', 'text', 'its id at the service (`siq_…`), if it has one'),
    defineColumn('ultimate_parent_country', 'text', 'its country, ISO 3166-1'),
    defineColumn(
      'ownership_chain',
      'chain',
      'owners from the company upward: `name`, `country_code`, `relationship_type`, `ownership_percentage`',
    ),
    defineColumn('hierarchy_summary', 'text', 'a summary in one or two sentences'),
    defineColumn('hierarchy_researched_at', 'timestamp', 'time of the last research by the service'),
    defineColumn('hierarchy_error', 'text', 'the reason if there is no hierarchy'),
  ],
  domain: [
    defineColumn(
      'domain_status',
      'text',
      'outcome for the domain, see [Stages](docs/manual/what-the-columns-mean.md#stages)',
    ),
    defineColumn('domain_name', 'text', 'the requested root domain'),
    defineColumn('domain_entity_id', 'text', 'the company that owns the domain (`siq_…`)'),
    defineColumn('domain_confidence', 'integer', 'confidence of the owner, 0 to 100'),
    defineColumn('domain_description', 'text', 'description of the domain'),
    defineColumn('domain_url', 'text', 'its URL'),
    defineColumn('domain_http_status', 'integer', 'HTTP status of its website'),
    defineColumn('domain_is_resolvable', 'boolean', 'whether the domain resolves in DNS'),
    defineColumn('domain_type', 'text', '`corporate_website`, …'),
    defineColumn('domain_relationship', 'text', '`direct_owner`, …'),
    defineColumn('domain_aliases', 'texts', 'other domains of the same owner'),
    defineColumn('domain_tranco_rank', 'integer', 'traffic rank; 1 is the highest'),
    defineColumn('domain_is_disposable', 'boolean', 'whether it provides disposable e-mail addresses'),
    defineColumn('domain_redirects_to', 'text', 'the domain that it redirects to, if different'),
    defineColumn('domain_linkedin', 'text', 'LinkedIn profile linked from the site'),
    defineColumn('domain_facebook', 'text', 'Facebook profile linked from the site'),
    defineColumn('domain_crunchbase', 'text', 'Crunchbase profile linked from the site'),
    defineColumn('domain_twitter', 'text', 'Twitter profile linked from the site'),
    defineColumn('domain_error', 'text', 'the reason if there is no result'),
  ],
} as const satisfies Readonly<Record<StageKind, readonly AnswerColumn[]>>

/** The columns of a stage, in output order. They follow the review columns and precede `basis`. */
export function getStageColumns(stage: StageKind): readonly AnswerColumn[] {
  return stageColumns[stage]
}

export type StageColumnName<Which extends StageKind> = (typeof stageColumns)[Which][number]['name']
