import { UserError } from '../../core/errors.js'
import { type AnswerColumn, type ReviewColumnName, reviewColumns, getStageColumns } from './column-kinds.js'
import { stageKinds, type StageKind } from '../../core/lookup-state.js'

const page = 'docs/manual/what-the-columns-mean.md'

/** A chosen column: `name` is its key in an answer line, `outputName` its name in the output. */
export interface OutputColumn extends Pick<AnswerColumn, 'name' | 'kind'> {
  readonly outputName: string
}

const defineText = <Name extends string>(name: Name, meaning: string) =>
  ({ name, kind: 'text', meaning }) as const

/** The answer columns, in the order of the output; `basis` is last, after the review and stage columns. */
export const answerColumns = [
  defineText('status', `the status of the row, see [Status values](${page}#status-values)`),
  { name: 'confidence', kind: 'integer', meaning: `0 to 100, see [Confidence](${page}#confidence)` },
  defineText('entity_id', 'id of the company at the service (`siq_…`)'),
  defineText('display_name', 'the name in use; embedded service: a shorter name, or the usual spelling'),
  defineText('legal_name', 'the registered name'),
  defineText(
    'entity_status',
    'state of the company in its register: `active`, `inactive`, `liquidation`, `bankruptcy` and similar',
  ),
  defineText('type', '`business`, `nonprofit`, `government`, `person`, `other`, `unknown`'),
  defineText('subtype', 'a more detailed type: `incorporated_entity`, …'),
  defineText('description', 'one or two sentences, if available'),
  defineText('website', 'website of the company'),
  defineText('street_address', 'headquarters: street and number'),
  defineText('city', 'headquarters: city'),
  defineText('state', 'headquarters: state or province, as written'),
  defineText('state_code', 'headquarters: ISO 3166-2, like `US-CA`'),
  defineText('postal_code', 'headquarters: postal code'),
  defineText('country', 'headquarters: country'),
  defineText('country_code', 'headquarters: ISO 3166-1, like `US`'),
  defineText('formatted_address', 'headquarters: full address on one line'),
  defineText('legal_entity_id', 'id of the registration at the service (`le_…`)'),
  defineText('jurisdiction', 'jurisdiction of the registration, like `us_de`, `gb`'),
  defineText('registration_authority', 'the authority that keeps the register'),
  defineText('registration_id', 'company number: that of the register, or the column mapped to `id`'),
  defineText('lei', 'Legal Entity Identifier'),
  defineText('cik', 'SEC Central Index Key'),
  defineText('ein', 'US employer identification number'),
  defineText('duns', 'D-U-N-S number'),
  defineText('bic', 'business identifier code; of several, that of the head office'),
  defineText('ticker', 'stock exchange symbol'),
  defineText('sector', '`private`, `public`, `government`, `nonprofit`'),
  defineText('legal_form', 'the most similar US legal form: `llc`, `corporation`, …'),
  defineText('naics_code', 'primary NAICS 2022 code'),
  defineText('naics_label', 'label of the NAICS code'),
  defineText('sic_code', 'primary SIC code'),
  defineText('sic_label', 'label of the SIC code'),
  defineText('parent_name', 'the owner of the company, if a register states it'),
  defineText('merged_into', 'for `merged`: the id to store instead'),
  defineText('matching_branch', 'JSON: the branch that matched, if it is not the home registration'),
  defineText('candidate_name', 'best guess if no company is confirmed; never together with `entity_id`'),
  defineText('candidate_legal_name', 'registered name of the candidate'),
  defineText('candidate_jurisdiction', 'jurisdiction of the candidate'),
  defineText('candidate_address', 'address of the candidate on one line'),
  {
    name: 'factors',
    kind: 'factors',
    meaning: 'evidence: `code`, `type` (`strength`, `limitation`), `description`, `impact`',
  },
  { name: 'actions', kind: 'actions', meaning: 'suggestions for a better match: `code`, `description`' },
  defineText('run_id', 'the id under which the service worked on the lookup'),
  {
    name: 'resolved_at',
    kind: 'timestamp',
    meaning: 'time of the answer, UTC; in CSV as `2026-01-02 03:04:05`',
  },
  { name: 'from_cache', kind: 'boolean', meaning: 'whether the service answered from its own cache' },
  defineText(
    'error',
    'the reason if there is no answer, or no record of a company that a reviewer accepted; empty for `failed`',
  ),
  defineText('matched_name', 'the name of the company that matched your name'),
  defineText('matched_name_kind', '`legal`, `former`, `other`'),
  defineText(
    'reason',
    'a sentence that explains the status; for `partial_match`, it says first that the company is a guess',
  ),
  defineText('source_url', 'URL where you can check the legal name'),
  {
    name: 'basis',
    kind: 'basis',
    meaning: `the sources of each field, see [Basis](${page}#basis); only if inline`,
  },
] as const satisfies readonly AnswerColumn[]

export type AnswerColumnName = (typeof answerColumns)[number]['name']

/** Place of the basis: a nested column, a separate file, or none. */
export type BasisPlace = 'inline' | 'file' | 'none'

export interface ColumnChoice {
  /**
   * Names with or without the prefix; absent means all. The order of the output is fixed. An inline basis is written
   * only if the list, if any, names `basis`.
   */
  readonly columns?: readonly string[] | undefined
  readonly prefix: string
  readonly basis: BasisPlace
  /** Requested stages; columns of other stages are not written. */
  readonly stages?: readonly StageKind[] | undefined
  /** Whether an own registry answers first: only then the column of the side that answered is written. */
  readonly hasSides?: boolean | undefined
}

/** All columns, in the order of the output. */
export const allColumns: readonly AnswerColumn[] = listColumns(stageKinds, true)

/** Returns the columns to write. Throws OUTPUT_COLUMN_UNKNOWN, also for a column of a stage not requested. */
export function selectColumns(choice: ColumnChoice): readonly OutputColumn[] {
  const { columns, prefix, basis, stages: asked = [], hasSides = false } = choice
  const written = listColumns(asked, hasSides)
  const wanted =
    columns === undefined ? null : new Set(columns.map((name) => resolveColumnName(name, prefix, written)))
  return written
    .filter((column) => wanted?.has(column.name) ?? true)
    .filter((column) => column.kind !== 'basis' || basis === 'inline')
    .map(({ name, kind }) => ({ name, kind, outputName: prefix + name }))
}

function listColumns(asked: readonly StageKind[], hasSides: boolean): readonly AnswerColumn[] {
  const ofStages = stageKinds.filter((stage) => asked.includes(stage)).flatMap(getStageColumns)
  const ofReview = reviewColumns.filter(({ name }) => hasSides || name !== sideColumn)
  return [...answerColumns.slice(0, -1), ...ofReview, ...ofStages, ...answerColumns.slice(-1)]
}

const sideColumn: ReviewColumnName = 'answered_by'

function resolveColumnName(given: string, prefix: string, written: readonly AnswerColumn[]): string {
  const names = [given, given.startsWith(prefix) ? given.slice(prefix.length) : given]
  const found = names.find((name) => written.some((column) => column.name === name))
  if (found !== undefined) return found
  if (names.includes(sideColumn)) {
    throw new UserError('OUTPUT_COLUMN_UNKNOWN', `the column ${given} is only written with --first`, {
      hint: 'pass --first registry, or remove the column',
    })
  }
  const stage = stageKinds.find((one) => getStageColumns(one).some(({ name }) => names.includes(name)))
  if (stage !== undefined) {
    throw new UserError(
      'OUTPUT_COLUMN_UNKNOWN',
      `the column ${given} belongs to a stage that is not requested`,
      {
        hint: `pass --with ${stage}, or remove the column`,
      },
    )
  }
  throw new UserError('OUTPUT_COLUMN_UNKNOWN', `there is no column ${JSON.stringify(given)}`, {
    hint: `the columns are: ${written.map((column) => column.name).join(', ')}`,
  })
}

/**
 * Throws OUTPUT_COLUMN_TAKEN if an input column has the name of an output column. Names that differ only in case clash,
 * since most Parquet readers and databases ignore case.
 */
export function assertNoClash(inputColumns: readonly string[], outputColumns: readonly OutputColumn[]): void {
  const taken = new Set(inputColumns.map((name) => name.toLowerCase()))
  const clashes = outputColumns.filter((column) => taken.has(column.outputName.toLowerCase()))
  if (clashes.length === 0) return
  const names = clashes.map((column) => column.outputName).join(', ')
  throw new UserError('OUTPUT_COLUMN_TAKEN', `the input already has a column of this name: ${names}`, {
    hint: 'pass another prefix for the output columns, for example --prefix enrich2_',
  })
}

/**
 * Throws if the column names do not fit Parquet, in which rows also travel to tables. Most Parquet readers ignore the
 * case of names, and the writer would rename the second of two; nor may a name be empty or contain NUL, as JSON allows.
 * `database`: the kind of the output's database, such as `PostgreSQL`; `null` for a file. Throws
 * INPUT_COLUMNS_DUPLICATE and OUTPUT_COLUMN_UNFIT.
 */
export function assertNamesFitParquet(inputColumns: readonly string[], database: string | null): void {
  const target = database === null ? 'Parquet' : `the table of ${database}`
  const unfit = inputColumns.find((name) => name === '' || name.includes('\0'))
  if (unfit !== undefined) {
    throw new UserError(
      'OUTPUT_COLUMN_UNFIT',
      `${target} cannot hold a column named ${JSON.stringify(unfit)}`,
      {
        hint: 'rename it in the input, or write CSV or NDJSON',
      },
    )
  }
  const seen = new Map<string, string>()
  for (const name of inputColumns) {
    const other = seen.get(name.toLowerCase())
    if (other !== undefined) {
      throw new UserError('INPUT_COLUMNS_DUPLICATE', `${target} cannot hold both ${other} and ${name}`, {
        hint: `rename one in the input, or write CSV or NDJSON: ${database === null ? 'Parquet' : 'the file in which the rows travel'} ignores the case of names`,
      })
    }
    seen.set(name.toLowerCase(), name)
  }
}
