import { UserError } from '../core/errors.js'
import { canBeNames, type ColumnSamples } from '../pipeline/rules/column-content.js'
import { reportColumns, type ColumnReport } from '../pipeline/rules/column-report.js'
import type { AskingRule } from '../pipeline/rules/asking-rule.js'
import { nameMembers, noNested, plainColumns, type NestedColumns } from '../pipeline/rules/nested-columns.js'
import { detectColumns, type AskedColumns, type LookupColumns } from '../pipeline/rules/detect-columns.js'

/** What the columns of a table most likely are, and where that is a guess. */
export interface ColumnProposal {
  /** Null where no column is sure to hold names, nor identifiers. */
  readonly columns: LookupColumns | null
  /** Columns that may hold the names, the likeliest first; fewer than two where nothing is unsure. */
  readonly nameChoices: readonly string[]
  /** Columns that may be parts of the place, where none was found. */
  readonly placeChoices: readonly string[]
}

export function proposeColumns(
  header: readonly string[],
  asked: AskedColumns,
  samples: ColumnSamples,
  use: Omit<AskingRule, 'columns'>,
  nested: NestedColumns = noNested,
): ColumnProposal {
  const columns = detectOrNull(header, asked, samples, nested)
  const plain = plainColumns(header, nested)
  if (columns === null) {
    const fit = plain.filter((column) => canBeNames(samples.get(column) ?? []) && samples.get(column)?.length)
    const members = [...nested.values()].flatMap(nameMembers)
    const choices = [...members, ...fit]
    return { columns, nameChoices: choices.length === 0 ? plain : choices, placeChoices: [] }
  }
  const { name, location } = columns
  const isPlaceOpen = location.length === 0 && asked.location === undefined
  return {
    columns,
    nameChoices: name === null || asked.name !== undefined ? [] : likelyNames(plain, name, samples),
    placeChoices: isPlaceOpen ? likelyPlaces(reportColumns(plain, { columns, ...use }, samples)) : [],
  }
}

/** Throws what is wrong with columns that were named; null where none was found. */
function detectOrNull(
  header: readonly string[],
  asked: AskedColumns,
  samples: ColumnSamples,
  nested: NestedColumns = noNested,
): LookupColumns | null {
  try {
    return detectColumns(header, asked, samples, nested)
  } catch (error) {
    const isOpen = error instanceof UserError && error.code === 'INPUT_COLUMN_MISSING'
    if (!isOpen || asked.name !== undefined) throw error
    return null
  }
}

/** The column found, and what would be found without it: two that bear a name's header are a question. */
function likelyNames(header: readonly string[], found: string, samples: ColumnSamples): string[] {
  const others = header.filter((column) => column !== found)
  const second = detectOrNull(others, { identifiers: 'none' }, samples)?.name ?? null
  return second === null ? [found] : [found, second]
}

const placeKinds = new Set(['place', 'city', 'region', 'postal code', 'country', 'address'])

const likelyPlaces = ({ unused }: ColumnReport): string[] =>
  unused.filter(({ kind }) => placeKinds.has(kind)).map(({ column }) => column)

/** A few cells of a column, as a reminder of what is in it. */
export function excerptOf(column: string, samples: ColumnSamples): string {
  const cells = [...new Set(samples.get(column) ?? [])].slice(0, 3)
  return cells.map((cell) => (cell.length > 30 ? `${cell.slice(0, 29)}…` : cell)).join(' · ')
}
