import {
  listLookupColumns,
  listPlainColumns,
  listNameMembers,
  quoteColumn,
  type ColumnReport,
  type ColumnSamples,
  type IdentifierUse,
  type LookupColumns,
  type LookupRule,
  type NamedColumns,
  type NestedColumns,
} from './columns.js'
import { areAddresses, canBeNames, countShare, formsShareMin, hasLegalForm } from './column-content.js'
import { isNamed, listUnreadNames, rateUnreadNames } from './header-and-cells.js'
import { reportColumns } from './column-report.js'
import {
  createUnnamedError,
  describeDamage,
  detectColumns,
  findColumn,
  findUnnamedColumn,
} from './detect-columns.js'
import { loadCountryNames } from './identifier-content.js'
import { isTotalLine } from './rows-without-company.js'
import { isKnownHeader, parsePlaceHeader } from '../../core/header-words.js'
import { UserError, withHintFirst } from '../../core/errors.js'
import { quoteExcerpt } from '../../core/text.js'
import type { CheckpointReader } from '../checkpoint/lookup.js'
import { chooseColumns } from './column-choice.js'
import type { Input, InputFile } from './input.js'
import { judgeHeader } from './table.js'

/** Proposed use of the columns, and the choices that the user should confirm. */
interface ColumnProposal {
  /** `null` if no column surely contains names or identifiers. */
  readonly columns: LookupColumns | null
  /**
   * Columns that may contain the names, the likeliest first. If a column has the names, fewer than two if there is no
   * doubt; if none does, those whose cells look like names.
   */
  readonly nameChoices: readonly string[]
  /** Columns that may be parts of the place, if none was detected. */
  readonly placeChoices: readonly string[]
}

/** The columns that the user names, and how the service accepts identifiers. */
interface RequestedColumns {
  readonly asked: NamedColumns
  readonly identifierUse: IdentifierUse
  /** Other columns that the user names: the key of the rows. */
  readonly others?: readonly string[]
}

/** How rows become lookups, with its report. */
interface ChosenColumns {
  readonly rule: LookupRule
  readonly report: ColumnReport
  /** A note to the user about earlier runs with other columns; null without one. */
  readonly note: string | null
}

/**
 * Finds the columns of an input that have names, places and identifiers, by their headers and first cells. Named columns
 * take precedence. Nothing is submitted.
 *
 * @example
 * const columns = await InputColumns.read(input, { asked: { name: 'Company' }, identifierUse: 'context' })
 * const { rule, report } = await columns.choose(null, signal, false)
 */
export class InputColumns {
  private constructor(
    private readonly input: Input,
    private readonly requested: RequestedColumns,
    /** First cells of each column. */
    readonly samples: ColumnSamples,
  ) {}

  static async read(input: Input, requested: RequestedColumns): Promise<InputColumns> {
    const samples = await sampleColumns(input)
    const isNamed = ([column, cells]: [string, readonly string[]]) =>
      parsePlaceHeader(column)?.part === 'country' && cells.some((cell) => !/^[a-z]{2}$/i.test(cell))
    if ([...samples].some(isNamed)) await loadCountryNames()
    return new InputColumns(input, requested, samples)
  }

  /**
   * Returns the named columns and detects the others. Throws INPUT_HEADER_MISSING if the first row looks like data,
   * INPUT_COLUMN_MISSING if a column is missing, INPUT_COLUMN_NESTED.
   */
  detect(asked: NamedColumns = this.requested.asked): LookupColumns {
    return detectInputColumns(this.input, asked, this.samples)
  }

  /** Returns the detected columns and the choices in doubt. Throws only if named columns are not valid. */
  propose(asked: NamedColumns = this.requested.asked): ColumnProposal {
    const { input, samples } = this
    const { nested } = input.layout
    const columns = detectOrNull(input.columns, asked, samples, nested)
    const plain = listPlainColumns(input.columns, nested)
    if (columns === null) {
      const fit = plain.filter(
        (column) => samples.get(column)?.length && canBeNames(samples.get(column) ?? []),
      )
      const members = [...nested.values()].flatMap(listNameMembers)
      const choices = [...members, ...fit]
      return { columns, nameChoices: choices.length === 0 ? plain : choices, placeChoices: [] }
    }
    const { name, location } = columns
    const isPlaceOpen = location.length === 0 && asked.location === undefined
    const unread = listUnreadNames(plain, columns, samples)
    return {
      columns,
      nameChoices:
        asked.name !== undefined ? [] : name === null ? unread : findLikelyNames(plain, name, samples),
      placeChoices: isPlaceOpen ? findLikelyPlaces(this.report(columns)) : [],
    }
  }

  /**
   * Detects the columns, but keeps those with which an earlier run looked up more rows, so that better columns do not
   * cause new lookups. `reader`: the earlier lookups; null without earlier lookups. `isBilled`: whether they cost money. `hasRegistry`: whether an own one answers.
   * Throws the errors of `detect`, and the signal's reason.
   */
  async choose(
    reader: CheckpointReader | null,
    signal: AbortSignal,
    isBilled: boolean,
    hasRegistry = !isBilled,
  ): Promise<ChosenColumns> {
    const { input, requested, samples } = this
    const columns = this.detect({ ...requested.asked, hasTaxNumbers: hasRegistry })
    const choice = { input, ...requested, columns, samples, reader, signal, isBilled }
    const { rule, note } = await chooseColumns(choice)
    const doubt = this.#findDoubt(rule.columns)
    return { rule: doubt === null ? rule : { ...rule, doubt }, note, report: this.report(rule.columns) }
  }

  #findDoubt(columns: LookupColumns): string | null {
    const { input, samples } = this
    const damage = describeDamage(samples.get(columns.name ?? '') ?? [])
    if (damage !== null) return `${JSON.stringify(columns.name)} has ${damage}`
    const plain = listPlainColumns(input.columns, input.layout.nested)
    const byCells = this.findNamesByCells()
    if (byCells !== null && byCells === columns.name)
      return `no header is known to name companies; ${JSON.stringify(byCells)} is used, because its cells look like ${this.#describe(byCells)}${getHeaderHint(input)}`
    const { name } = columns
    if (name === null) {
      const [found] = listUnreadNames(plain, columns, samples)
      return found === undefined
        ? null
        : `no column is used for names, but ${JSON.stringify(found)} looks like ${this.#describe(found)}`
    }
    return this.requested.asked.name === undefined && input.layout.hasHeader
      ? this.#findNameDoubt(plain, name, columns)
      : null
  }

  /** Returns why a column whose header names companies may have none: it has addresses, or another column has legal forms. */
  #findNameDoubt(plain: readonly string[], name: string, columns: LookupColumns): string | null {
    const { samples } = this
    const cells = samples.get(name) ?? []
    const unread = rateUnreadNames(plain, listLookupColumns(columns), samples, [])
    const isLikely = ({ column, rate, isOther }: (typeof unread)[number]) =>
      !isOther && !isNamed(column) && rate >= namesByCellsMin
    const other = unread.find(isLikely)?.column
    const found =
      other === undefined ? '' : `, but ${JSON.stringify(other)} looks like ${this.#describe(other)}`
    if (areAddresses(cells)) {
      const shown = `${JSON.stringify(name)} is used for names, and its cells look like addresses (${quoteCells(cells)})`
      return found === '' ? `${shown}: pass --name-column with the column of names` : shown + found
    }
    const hasForms = cells.length < formCellsMin || countShare(cells, hasLegalForm) > 0
    return found === '' || hasForms
      ? null
      : `${JSON.stringify(name)} is used for names without legal forms${found}`
  }

  #describe(column: string): string {
    return `company names (${quoteCells(this.samples.get(column) ?? [])}): pass --name-column ${quoteColumn(column)}`
  }

  /** Returns the column used for names without a known header, or null. Columns with the prefix `added` are those of a run. */
  findNamesByCells(added: string | null = null): string | null {
    const { input, requested, samples } = this
    const { layout } = input
    const columns = input.columns.filter((column) => added === null || !column.startsWith(added))
    const isOpen = layout.hasHeader && requested.asked.name === undefined
    const found = isOpen ? detectOrNull(columns, requested.asked, samples, layout.nested) : null
    return isOpen && (found?.name ?? null) === null
      ? findNamesByCells({ columns, layout }, samples, found)
      : null
  }

  /** Returns the exact spelling of a column that `flag` names; null if it names none. Throws INPUT_COLUMN_MISSING. */
  find(column: string | null, flag: string): string | null {
    const { origin } = this.requested.asked
    return column === null ? null : findColumn(this.input.columns, column, { flag, origin })
  }

  /** The same for a column, or a member of a nested one, that may be named without `prefix`. */
  findAny(column: string, flag: string, prefix: string): string {
    return findColumn(this.input.columns, column, { flag, prefix }, this.input.layout.nested)
  }

  /** Reports the use of each column, and other columns that might help. */
  report(columns: LookupColumns): ColumnReport {
    const { input, requested, samples } = this
    const { identifierUse, asked } = requested
    const flag = { flag: '--row-key', origin: asked.origin }
    const others = (requested.others ?? []).map((one) => findColumn(input.columns, one, flag))
    return reportColumns(input.columns, { columns, identifierUse, others }, samples, input.layout.nested)
  }
}

const quoteCells = ([first = '', second = '']: readonly string[]): string =>
  `${quoteExcerpt(first)}, ${quoteExcerpt(second)}`

/** Returns `null` if no column was detected. Throws for invalid named columns. */
function detectOrNull(
  header: readonly string[],
  asked: NamedColumns,
  samples: ColumnSamples,
  nested?: NestedColumns,
): LookupColumns | null {
  try {
    return detectColumns(header, asked, samples, nested)
  } catch (error) {
    const isOpen = error instanceof UserError && error.code === 'INPUT_COLUMN_MISSING'
    if (!isOpen || asked.name !== undefined) throw error
    return null
  }
}

/** The detected column, and the one detected without it: if two headers fit, the user chooses. */
function findLikelyNames(header: readonly string[], found: string, samples: ColumnSamples): string[] {
  const others = header.filter((column) => column !== found)
  const second = detectOrNull(others, { identifiers: 'none' }, samples)?.name ?? null
  return second === null ? [found] : [found, second]
}

/** Fewer names may have no legal form by chance. */
const formCellsMin = 5
/** Least share of cells with a legal form in a column that is used for names although its header is unknown. */
const namesByCellsMin = 0.3
const excerptsMax = 30
const sampleLimits = { columnsMax: 500, rowsMax: 200, cellCharsMax: 200 } as const
const placeKinds = new Set(['place', 'city', 'region', 'postal code', 'country', 'address'])

const findLikelyPlaces = ({ unused }: ColumnReport): string[] =>
  unused.filter(({ kind }) => placeKinds.has(kind)).map(({ column }) => column)

/** Returns the first non-blank cells of the first columns, to distinguish for example a state from a status. */
async function sampleColumns(input: Input): Promise<ColumnSamples> {
  const columns = listPlainColumns(input.columns, input.layout.nested).slice(0, sampleLimits.columnsMax)
  const samples = new Map<string, string[]>(columns.map((column) => [column, []]))
  let missing: number = sampleLimits.rowsMax
  for await (const rows of input.rows.sample(columns)) {
    for (const row of rows.slice(0, missing).filter((one) => !isTotalLine(one))) {
      for (const [at, column] of columns.entries()) {
        const cell = row[at]?.slice(0, sampleLimits.cellCharsMax).trim() ?? ''
        if (cell !== '') samples.get(column)?.push(cell)
      }
    }
    if ((missing -= rows.length) <= 0) break
  }
  return samples
}

/**
 * Calls `detectColumns` for an input. For an Excel sheet without such a column, the error names the sheet that may have
 * it. Throws INPUT_HEADER_MISSING if the first row looks like data, and INPUT_COLUMN_MISSING if a file lacks the column
 * of names.
 */
function detectInputColumns(input: Input, asked: NamedColumns, samples: ColumnSamples): LookupColumns {
  const { columns, layout } = input
  const { nested, sheetHint, hasHeader } = layout
  const name = asked.name ?? (hasHeader ? undefined : (findUnnamedColumn(columns, samples) ?? undefined))
  try {
    const noHeader = name === undefined && hasHeader ? explainMissingHeader(input, samples, true) : null
    if (noHeader !== null) throw noHeader
    const found = detectColumns(columns, name === undefined ? asked : { ...asked, name }, samples, nested)
    if (found.name !== null) assertInFiles(input.layout.listFiles(), found.name)
    // Numbers alone find companies whose names nothing compares.
    const byCells = found.name === null && hasHeader ? findNamesByCells(input, samples, found) : null
    return byCells === null ? found : detectInputColumns(input, { ...asked, name: byCells }, samples)
  } catch (error) {
    const isMissing = error instanceof UserError && error.code === 'INPUT_COLUMN_MISSING'
    if (!isMissing || name !== undefined) throw withHintFirst(error, sheetHint)
    const unclear = hasHeader ? explainMissingHeader(input, samples) : createUnnamedError(columns, samples)
    const byCells = unclear === null ? findNamesByCells(input, samples) : null
    if (byCells !== null) return detectInputColumns(input, { ...asked, name: byCells }, samples)
    const hint = (error.hint ?? '') + getHeaderHint(input)
    const missing = new UserError(error.code, error.message, { hint, cause: error.cause })
    throw withHintFirst(unclear ?? missing, sheetHint)
  }
}

/** Returns the only column whose cells are surely company names; null without one. */
function findNamesByCells(
  { columns, layout }: Pick<Input, 'columns' | 'layout'>,
  samples: ColumnSamples,
  used: LookupColumns | null = null,
): string | null {
  const plain = listPlainColumns(columns, layout.nested)
  const taken = used === null ? [] : listLookupColumns(used)
  const [best, next] = rateUnreadNames(plain, taken, samples, []).filter(({ isOther }) => !isOther)
  if (best === undefined) return null
  // Next to numbers in use, fewer legal forms are enough in the only column that has any.
  const isOnly = used !== null && next === undefined && best.rate > formsShareMin
  const isSure = best.rate >= namesByCellsMin && (next?.rate ?? 0) < best.rate / 2
  return isSure || isOnly ? best.column : null
}

/** Explains that the first row of a file is data, surely or maybe; `null` if the headers are headers. */
function explainMissingHeader(
  { layout }: Pick<Input, 'layout'>,
  samples: ColumnSamples,
  isSure = false,
): UserError | null {
  for (const { label, header } of layout.listFiles()) {
    const judged = header === null ? null : judgeHeader(header, samples)
    if (header === null || judged === null || (isSure && judged === 'maybe')) continue
    const verb = judged === 'surely' ? 'has' : 'seems to have'
    const message = `${label} ${verb} no header: ${header.place} is ${quoteExcerpt(header.text)}`
    return new UserError('INPUT_HEADER_MISSING', message, {
      hint: 'pass --no-header, which reads it as a row and names the columns column_1, column_2 and so on; if the header is further down, delete the lines above it; if it is a header, pass --name-column with the column of the names',
    })
  }
  return null
}

/** Names the flag for a first row that is not a header, unless one of its cells is a known header. */
const getHeaderHint = ({ layout }: Pick<Input, 'layout'>): string =>
  layout.listFiles().some(({ header }) => header?.cells.some(isKnownHeader) === false)
    ? '; if the first row is no header, pass --no-header'
    : ''

/** Throws INPUT_COLUMN_MISSING if a file lacks the column of names: its rows would have none. */
function assertInFiles(files: readonly InputFile[], name: string): void {
  const file = files.find(({ columns }) => !columns.includes(name))
  // No file has a member of a nested column as a column.
  if (file === undefined || !files.some(({ columns }) => columns.includes(name))) return
  const { label, columns, header } = file
  const isData = header !== null && judgeHeader(header) !== null
  const listed = columns.slice(0, excerptsMax).map((one) => quoteExcerpt(one))
  const message = `${label} has no column ${JSON.stringify(name)}, which holds the names in other files`
  const hint = `${isData ? 'it seems to have no header; ' : ''}rename its column, or run it on its own; it has: ${listed.join(', ')}`
  throw new UserError('INPUT_COLUMN_MISSING', message, { hint })
}
