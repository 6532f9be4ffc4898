import { UserError } from '../../core/errors.js'

/** How a column is typed in Parquet and written in CSV and NDJSON. */
export type ColumnKind = 'text' | 'integer' | 'timestamp' | 'boolean' | 'factors' | 'actions' | 'basis'

export interface AnswerColumn {
  readonly name: string
  readonly kind: ColumnKind
}

/** A chosen column: `name` is its key in an answer line, `outputName` its name in the output. */
export interface OutputColumn extends AnswerColumn {
  readonly outputName: string
}

const text = (name: string) => ({ name, kind: 'text' }) as const

/** The closed list of columns an answer fills, in the order of the output; `basis` stands last. */
export const answerColumns = [
  text('status'),
  { name: 'confidence', kind: 'integer' },
  text('entity_id'),
  text('display_name'),
  text('legal_name'),
  text('entity_status'),
  text('type'),
  text('subtype'),
  text('description'),
  text('website'),
  text('street_address'),
  text('city'),
  text('state'),
  text('state_code'),
  text('postal_code'),
  text('country'),
  text('country_code'),
  text('formatted_address'),
  text('legal_entity_id'),
  text('jurisdiction'),
  text('registration_authority'),
  text('registration_id'),
  text('lei'),
  text('cik'),
  text('ein'),
  text('duns'),
  text('bic'),
  text('ticker'),
  text('sector'),
  text('legal_form'),
  text('naics_code'),
  text('naics_label'),
  text('sic_code'),
  text('sic_label'),
  text('parent_name'),
  text('merged_into'),
  text('matching_branch'),
  text('candidate_name'),
  text('candidate_legal_name'),
  text('candidate_jurisdiction'),
  text('candidate_address'),
  { name: 'factors', kind: 'factors' },
  { name: 'actions', kind: 'actions' },
  text('run_id'),
  { name: 'resolved_at', kind: 'timestamp' },
  { name: 'from_cache', kind: 'boolean' },
  text('error'),
  { name: 'basis', kind: 'basis' },
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
}

/** The columns to write. Throws OUTPUT_COLUMN_UNKNOWN for a name that is none of ours. */
export function selectColumns(choice: ColumnChoice): readonly OutputColumn[] {
  const wanted =
    choice.columns === undefined ? null : new Set(choice.columns.map((name) => known(name, choice.prefix)))
  return answerColumns
    .filter((column) => wanted?.has(column.name) ?? true)
    .filter((column) => column.kind !== 'basis' || choice.basis === 'inline')
    .map((column) => ({ ...column, outputName: choice.prefix + column.name }))
}

function known(given: string, prefix: string): string {
  for (const name of [given, given.startsWith(prefix) ? given.slice(prefix.length) : given]) {
    if (answerColumns.some((column) => column.name === name)) return name
  }
  throw new UserError('OUTPUT_COLUMN_UNKNOWN', `there is no column ${JSON.stringify(given)}`, {
    hint: `the columns are: ${answerColumns.map((column) => column.name).join(', ')}`,
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
