import { UserError } from '../../core/errors.js'
import { type AnswerColumn, reviewColumns, columnsOfStage } from './column-kinds.js'
import { stageKinds, type StageKind } from '../lookups/lookup-kind.js'

/** A chosen column: `name` is its key in an answer line, `outputName` its name in the output. */
export interface OutputColumn extends Pick<AnswerColumn, 'name' | 'kind'> {
  readonly outputName: string
}

const text = <Name extends string>(name: Name, meaning: string) => ({ name, kind: 'text', meaning }) as const

/** The closed list of columns an answer fills, in the order of the output; `basis` stands last, behind those of review and stages. */
export const answerColumns = [
  text('status', 'what became of the row, see below'),
  { name: 'confidence', kind: 'integer', meaning: '0 to 100, see below' },
  text('entity_id', "the company's id at the service (`siq_…`)"),
  text('display_name', 'the name in common use'),
  text('legal_name', 'the registered name'),
  text('entity_status', '`active`, `inactive`'),
  text('type', '`business`, `nonprofit`, `government`, `person`, `other`, `unknown`'),
  text('subtype', 'finer than type: `incorporated_entity`, …'),
  text('description', 'one or two sentences, where the service has them'),
  text('website', "the company's own site"),
  text('street_address', 'headquarters: street and number'),
  text('city', 'headquarters'),
  text('state', 'headquarters: subdivision as written'),
  text('state_code', 'ISO 3166-2, like `US-CA`'),
  text('postal_code', 'headquarters'),
  text('country', 'headquarters'),
  text('country_code', 'ISO 3166-1, like `US`'),
  text('formatted_address', 'headquarters on one line'),
  text('legal_entity_id', "the registration's id at the service (`le_…`)"),
  text('jurisdiction', 'where it is registered, like `us_de`, `gb`'),
  text('registration_authority', "the register's name"),
  text('registration_id', 'number in that register'),
  text('lei', 'Legal Entity Identifier'),
  text('cik', 'SEC Central Index Key'),
  text('ein', 'US employer identification number'),
  text('duns', 'D-U-N-S number'),
  text('bic', 'business identifier code'),
  text('ticker', 'stock exchange symbol'),
  text('sector', '`private`, `public`, `government`, `nonprofit`'),
  text('legal_form', '`llc`, `corporation`, …'),
  text('naics_code', 'primary NAICS 2022 code'),
  text('naics_label', 'and its name'),
  text('sic_code', 'primary SIC code'),
  text('sic_label', 'and its name'),
  text('parent_name', "the company's parent"),
  text('merged_into', 'with `merged`: the id to store instead'),
  text('matching_branch', 'JSON: the branch that matched, where not the home registration'),
  text('candidate_name', 'best guess where nothing is confirmed; never together with an entity'),
  text('candidate_legal_name', 'its registered name'),
  text('candidate_jurisdiction', 'where it is registered'),
  text('candidate_address', 'where it is, on one line'),
  {
    name: 'factors',
    kind: 'factors',
    meaning: 'what counted: `code`, `type` (`strength`, `limitation`), `description`, `impact`',
  },
  { name: 'actions', kind: 'actions', meaning: 'what would help: `code`, `description`' },
  text('run_id', 'the run at the service'),
  {
    name: 'resolved_at',
    kind: 'timestamp',
    meaning: 'when it was answered, UTC; in CSV as `2026-01-02 03:04:05`, to the second',
  },
  { name: 'from_cache', kind: 'boolean', meaning: 'whether the service answered from its cache' },
  text('error', 'why there is no answer'),
  text('matched_name', 'the name of the company that the name asked for matched, see below'),
  text('matched_name_kind', '`legal`, `former`, `other`'),
  text('reason', 'one sentence: why this company, or why none, see below'),
  text('source_url', 'where the legal name can be looked up'),
  { name: 'basis', kind: 'basis', meaning: 'the source of each field, see below; where it is inline' },
] as const satisfies readonly AnswerColumn[]

export type AnswerColumnName = (typeof answerColumns)[number]['name']

/** Where the basis goes: a nested column, a file beside the output, or nowhere. */
export type BasisPlace = 'inline' | 'file' | 'none'

export interface ColumnChoice {
  /**
   * Names with or without the prefix; absent means all. The order of the output stays ours. An inline basis
   * is written only where the list, if there is one, names `basis`.
   */
  readonly columns?: readonly string[] | undefined
  readonly prefix: string
  readonly basis: BasisPlace
  /** Those that are asked: the columns of others are not written. */
  readonly stages?: readonly StageKind[] | undefined
}

/** Every column there may be, in the order of the output. */
export const allColumns: readonly AnswerColumn[] = columnsOf(stageKinds)

/** The columns to write. Throws OUTPUT_COLUMN_UNKNOWN for a name that is none of ours, or of a stage that is not asked. */
export function selectColumns(choice: ColumnChoice): readonly OutputColumn[] {
  const { columns, prefix, basis, stages: asked = [] } = choice
  const written = columnsOf(asked)
  const wanted = columns === undefined ? null : new Set(columns.map((name) => known(name, prefix, written)))
  return written
    .filter((column) => wanted?.has(column.name) ?? true)
    .filter((column) => column.kind !== 'basis' || basis === 'inline')
    .map(({ name, kind }) => ({ name, kind, outputName: prefix + name }))
}

function columnsOf(asked: readonly StageKind[]): readonly AnswerColumn[] {
  const ofStages = stageKinds.filter((stage) => asked.includes(stage)).flatMap(columnsOfStage)
  return [...answerColumns.slice(0, -1), ...reviewColumns, ...ofStages, ...answerColumns.slice(-1)]
}

function known(given: string, prefix: string, written: readonly AnswerColumn[]): string {
  const names = [given, given.startsWith(prefix) ? given.slice(prefix.length) : given]
  const found = names.find((name) => written.some((column) => column.name === name))
  if (found !== undefined) return found
  const stage = stageKinds.find((one) => columnsOfStage(one).some(({ name }) => names.includes(name)))
  if (stage !== undefined) {
    throw new UserError('OUTPUT_COLUMN_UNKNOWN', `the column ${given} is of a stage that is not asked`, {
      hint: `pass --with ${stage}, or leave the column out`,
    })
  }
  throw new UserError('OUTPUT_COLUMN_UNKNOWN', `there is no column ${JSON.stringify(given)}`, {
    hint: `the columns are: ${written.map((column) => column.name).join(', ')}`,
  })
}

/**
 * Throws OUTPUT_COLUMN_TAKEN when an input column already bears the name of one of ours. Letter case does
 * not tell two names apart: Parquet readers and databases mostly cannot.
 */
export function assertNoClash(inputColumns: readonly string[], outputColumns: readonly OutputColumn[]): void {
  const taken = new Set(inputColumns.map((name) => name.toLowerCase()))
  const clashes = outputColumns.filter((column) => taken.has(column.outputName.toLowerCase()))
  if (clashes.length === 0) return
  const names = clashes.map((column) => column.outputName).join(', ')
  throw new UserError('OUTPUT_COLUMN_TAKEN', `the input already has a column of this name: ${names}`, {
    hint: 'pass --prefix with another prefix for the columns that are added, for example --prefix enrich2_',
  })
}

/**
 * Parquet readers mostly tell no two names apart that differ in letter case alone, and the writer would
 * rename the second: such an input cannot go to Parquet as it is; nor can one with a column without a name or
 * with NUL in it, which JSON allows. Throws INPUT_COLUMNS_DUPLICATE and OUTPUT_COLUMN_UNFIT.
 */
export function assertNamesFitParquet(inputColumns: readonly string[]): void {
  const unfit = inputColumns.find((name) => name === '' || name.includes('\0'))
  if (unfit !== undefined) {
    throw new UserError(
      'OUTPUT_COLUMN_UNFIT',
      `Parquet cannot hold a column named ${JSON.stringify(unfit)}`,
      {
        hint: 'rename it in the input, or write CSV or NDJSON',
      },
    )
  }
  const seen = new Map<string, string>()
  for (const name of inputColumns) {
    const other = seen.get(name.toLowerCase())
    if (other !== undefined) {
      throw new UserError('INPUT_COLUMNS_DUPLICATE', `Parquet cannot hold both ${other} and ${name}`, {
        hint: 'rename one in the input, or write CSV or NDJSON: in Parquet, letter case does not tell names apart',
      })
    }
    seen.set(name.toLowerCase(), name)
  }
}

/** `=`, `+`, `-`, `@`, tab, carriage return, line feed, and the full-width forms a spreadsheet folds into them. */
const formulaStart = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** A text that a spreadsheet would run as a formula gets a leading apostrophe. For our own CSV cells only. */
export function neutraliseFormula(cell: string): string {
  return formulaStart.test(cell) ? `'${cell}` : cell
}
