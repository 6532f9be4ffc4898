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
export type ColumnKind = keyof typeof columnKinds

export interface AnswerColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** As the manual lists it. */
  readonly meaning: string
}
