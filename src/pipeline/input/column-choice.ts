import { formatCount, quoteExcerpt } from '../../core/text.js'
import { UserError, withHintFirst } from '../../core/errors.js'
import type { CheckpointReader } from '../checkpoint/lookup.js'
import type { Input, InputFile, TextRow } from './input.js'
import { createRowReader, toKeyedLookup, createEarlierNames } from './row-reader.js'
import { listIdentifierColumns } from '../../core/identifiers.js'
import {
  type ColumnSamples,
  listLookupColumns,
  type NamedColumns,
  type LookupColumns,
  type LookupRule,
  type IdentifierUse,
} from './columns.js'
import { isKnownHeader } from './header-words.js'
import { detectColumns, findUnnamedColumn, judgeHeader } from './detect-columns.js'
import { listPlainColumns } from './nested-columns.js'

const sampleLimits = { columnsMax: 500, rowsMax: 200, cellCharsMax: 200 } as const

/** Returns the first non-blank cells of the first columns, to distinguish for example a state from a status. */
export async function sampleColumns(input: Input): Promise<ColumnSamples> {
  const columns = listPlainColumns(input.columns, input.layout.nested).slice(0, sampleLimits.columnsMax)
  const samples = new Map<string, string[]>(columns.map((column) => [column, []]))
  for await (const rows of input.rows.sample(columns)) {
    for (const row of rows.slice(0, sampleLimits.rowsMax)) {
      for (const [at, column] of columns.entries()) {
        const cell = row[at]?.slice(0, sampleLimits.cellCharsMax).trim() ?? ''
        if (cell !== '') samples.get(column)?.push(cell)
      }
    }
    break
  }
  return samples
}

/**
 * Calls `detectColumns` for an input. For an Excel sheet without such a column, the error names the sheet that may have
 * it. Throws INPUT_HEADER_MISSING if the first row looks like data, and INPUT_COLUMN_MISSING if a file lacks the column
 * of names.
 */
export function detectInputColumns(input: Input, asked: NamedColumns, samples: ColumnSamples): LookupColumns {
  const { columns, layout } = input
  const { nested, sheetHint, hasHeader } = layout
  const name = asked.name ?? (hasHeader ? undefined : (findUnnamedColumn(columns, samples) ?? undefined))
  try {
    const found = detectColumns(columns, name === undefined ? asked : { ...asked, name }, samples, nested)
    if (found.name !== null) assertInFiles(input.layout.listFiles(), found.name)
    return found
  } catch (error) {
    const isMissing = error instanceof UserError && error.code === 'INPUT_COLUMN_MISSING'
    if (!isMissing || name !== undefined) throw withHintFirst(error, sheetHint)
    throw withHintFirst(explainMissingNames(input, samples) ?? withHeaderHint(error, input), sheetHint)
  }
}

/** Explains why no column has names; `null` if the header is a header. */
function explainMissingNames(input: Input, samples: ColumnSamples): UserError | null {
  if (!input.layout.hasHeader) {
    const excerpts = input.columns.map(
      (column) => `${column} (${quoteExcerpt(samples.get(column)?.[0] ?? '')})`,
    )
    return new UserError('INPUT_COLUMN_MISSING', 'it is unclear which column holds company names', {
      hint: `pass --name-column; the input has: ${excerpts.slice(0, excerptsMax).join(', ')}`,
    })
  }
  const file = input.layout.listFiles().find(({ header }) => header !== null && judgeHeader(header) !== null)
  const { header } = file ?? { header: null }
  if (file === undefined || header === null) return null
  const verb = judgeHeader(header) === 'surely' ? 'has' : 'seems to have'
  const message = `${file.label} ${verb} no header: ${header.place} is ${quoteExcerpt(header.text)}`
  return new UserError('INPUT_HEADER_MISSING', message, {
    hint: 'pass --no-header, which reads it as a row and names the columns column_1, column_2 and so on; if it is a header, pass --name-column with the column of the names',
  })
}

/** Names the flag for a first row that is not a header, unless one of its cells is a known header. */
function withHeaderHint(error: UserError, input: Input): UserError {
  const isUnknown = input.layout.listFiles().some(({ header }) => header?.cells.some(isKnownHeader) === false)
  if (!isUnknown) return error
  const hint = `${error.hint ?? ''}; if the first row is no header, pass --no-header`
  return new UserError(error.code, error.message, { hint, cause: error.cause })
}

const excerptsMax = 30

/** Throws INPUT_COLUMN_MISSING if a file lacks the column of names: its rows would have none. */
function assertInFiles(files: readonly InputFile[], name: string): void {
  const file = files.find(({ columns }) => !columns.includes(name))
  // No file has a member of a nested column as a column.
  if (file === undefined || !files.some(({ columns }) => columns.includes(name))) return
  const { label, columns, header } = file
  const isData = header !== null && judgeHeader(header) !== null
  const listed = columns.slice(0, excerptsMax).map((one) => quoteExcerpt(one))
  throw new UserError(
    'INPUT_COLUMN_MISSING',
    `${label} has no column ${JSON.stringify(name)}, which holds the names in other files`,
    {
      hint: `${isData ? 'it seems to have no header; ' : ''}rename its column, or run it on its own; it has: ${listed.join(', ')}`,
    },
  )
}

export interface ColumnChoice {
  rule: LookupRule
  /** A note to the user about earlier runs with other columns. */
  note: string | null
}

/**
 * Chooses the named or detected columns. If more rows of this input were looked up before with other columns, or
 * without identifiers, those are kept, so that better columns do not cause new lookups.
 */
export async function chooseColumns(options: {
  input: Input
  asked: NamedColumns
  identifierUse: IdentifierUse
  samples: ColumnSamples
  /** Null if nothing was looked up yet. */
  reader: CheckpointReader | null
  signal: AbortSignal
  /** Whether the service bills lookups. */
  isBilled: boolean
}): Promise<ColumnChoice> {
  const { input, asked, samples, reader, identifierUse } = options
  const columns = detectInputColumns(input, asked, samples)
  const rule = { columns, identifierUse, readsNames: asked.identifiers !== 'none' }
  const others = listOtherColumns(input, asked, columns, samples)
  if (reader === null || others.length === 0) return { rule, note: null }
  const rules = others.map((other) => ({ columns: other, identifierUse, readsNames: false }))
  const { counts: all, isWhole } = await countKnown([rule, ...rules], reader, options)
  const [present = 0, ...counts] = all
  const most = Math.max(...counts)
  const other = rules[counts.indexOf(most)]
  if (other === undefined || most <= present) return { rule, note: null }
  const many = `${isWhole ? '' : 'At least '}${formatCount(most)}`
  const again = options.isBilled ? 'and billed again' : 'again'
  const rows = most === 1 ? '1 row was' : `${many} rows were`
  if (asked.location !== undefined || asked.name !== undefined || asked.identifiers !== undefined) {
    return {
      rule,
      note: `${rows} looked up before with ${describeColumns(other.columns)}; with the new columns, they are looked up ${again}`,
    }
  }
  const note =
    `${rows} looked up before with ${describeColumns(other.columns)}: kept, so that nothing is looked up ${again}. ` +
    `The columns of a first run are ${describeColumns(columns)}; choose with --location-columns, --name-column and --id-columns`
  return { rule: other, note }
}

/** Returns the columns that earlier runs may have used: fewer identifiers, and as detected without named columns. */
function listOtherColumns(
  { columns: header, layout: { nested } }: Input,
  asked: NamedColumns,
  columns: LookupColumns,
  samples: ColumnSamples,
): LookupColumns[] {
  const { context, identifiers } = columns
  const candidates: LookupColumns[] = listFewer(identifiers).map((fewer) => ({
    ...columns,
    identifiers: fewer,
  }))
  if (asked.location !== undefined && columns.name !== null) {
    const detected = detectColumns(
      header,
      { name: columns.name, context, identifiers: 'none' },
      samples,
      nested,
    )
    candidates.push(detected, { ...detected, identifiers })
  }
  if (asked.identifiers !== undefined) {
    const { name, location } = columns
    const named = name === null ? {} : { name }
    const detected =
      columns.name === null
        ? columns
        : detectColumns(header, { ...named, location, context }, samples, nested)
    candidates.push(detected)
  }
  const toKey = ({ name, location, identifiers: own }: LookupColumns) =>
    JSON.stringify([name, location, Object.entries(own).sort()])
  const asks = ({ name, identifiers: own }: LookupColumns) =>
    name !== null || listIdentifierColumns(own).length > 0
  const seen = new Set([toKey(columns)])
  return candidates.filter((one) => asks(one) && !seen.has(toKey(one)) && seen.add(toKey(one)))
}

/** More have too many choices: only none, one and all but one are tried. */
const wholeChoicesMax = 4

/** Lists the choices with fewer of the columns, as a version has them that does not know the others. */
function listFewer(identifiers: LookupColumns['identifiers']): LookupColumns['identifiers'][] {
  const entries = Object.entries(identifiers)
  const choices = Array.from({ length: 2 ** Math.min(entries.length, 10) - 1 }, (_, bits) =>
    entries.filter((_entry, at) => (bits & (1 << at)) !== 0),
  )
  return choices
    .filter(({ length }) => entries.length <= wholeChoicesMax || length <= 1 || length === entries.length - 1)
    .map((chosen) => Object.fromEntries(chosen))
}

function describeColumns({ name, location, identifiers }: LookupColumns): string {
  const places = location.length === 0 ? 'no location' : `the location from ${location.join(', ')}`
  const columns = [...new Set(Object.values(identifiers))]
  const stated = columns.length === 0 ? '' : ` and identifiers from ${columns.join(', ')}`
  return `${name === null ? 'no name' : `the name from ${name}`} and ${places}${stated}`
}

const surelyKnownRows = 10_000

/** Rows remembered at once: about 20 MB. */
const seenRowsMax = 100_000

/** For each rule, whether a row has a lookup, and whether it was looked up before. */
interface RowStanding {
  readonly asks: readonly boolean[]
  readonly wasAsked: readonly boolean[]
}

/** Counts the rows looked up before, by rule. Equal rows are checked once. */
async function countKnown(
  rules: readonly LookupRule[],
  reader: CheckpointReader,
  { input, signal }: { input: Input; signal: AbortSignal },
): Promise<{ counts: readonly number[]; isWhole: boolean }> {
  const columns = [...new Set(rules.flatMap((rule) => listLookupColumns(rule.columns)))]
  const judgeRows = createRowJudge(rules, columns, reader)
  const seen = new Map<string, RowStanding>()
  const counts = rules.map(() => 0)
  const askCounts = rules.map(() => 0)
  for await (const rows of input.rows.sample(columns)) {
    signal.throwIfAborted()
    const keys = rows.map((row) => JSON.stringify(row))
    const fresh = new Map(keys.flatMap((key, at) => (seen.has(key) ? [] : [[key, rows[at] ?? []] as const])))
    const standings = (await judgeRows([...fresh.values()])).values()
    for (const key of fresh.keys()) seen.set(key, standings.next().value ?? { asks: [], wasAsked: [] })
    for (const key of keys) {
      const standing = seen.get(key)
      for (const index of rules.keys())
        if (standing?.asks[index] === true) askCounts[index] = (askCounts[index] ?? 0) + 1
      for (const index of rules.keys())
        if (standing?.wasAsked[index] === true) counts[index] = (counts[index] ?? 0) + 1
    }
    if (seen.size > seenRowsMax) seen.clear()
    // This many rows, all with the same rule, are conclusive; for a rule other than the present one only if the present
    // one has none.
    const isSure = (index: number) =>
      (askCounts[index] ?? 0) >= surelyKnownRows && counts[index] === askCounts[index]
    const isAnother = counts[0] === 0 && counts.some((_, index) => isSure(index))
    if (isSure(0) || isAnother) return { counts, isWhole: false }
  }
  return { counts, isWhole: true }
}

function createRowJudge(
  rules: readonly LookupRule[],
  columns: readonly string[],
  reader: CheckpointReader,
): (rows: readonly TextRow[]) => Promise<RowStanding[]> {
  const places = rules.map((rule) => listLookupColumns(rule.columns).map((name) => columns.indexOf(name)))
  const readers = rules.map((rule) => createRowReader(rule, createEarlierNames(reader)))
  return async (rows) => {
    const standings = rows.map(() => ({ asks: rules.map(() => false), wasAsked: rules.map(() => false) }))
    for (const [index, read] of readers.entries()) {
      const own = rows.map((row) => (places[index] ?? []).map((at) => row[at] ?? null))
      const asking = (await read(own)).flatMap((question, at) =>
        question.kind === 'invalid' ? [] : [{ at, lookup: toKeyedLookup(question) }],
      )
      const lookups = asking.map(({ lookup }) => lookup)
      await reader.fetch(lookups)
      const known = reader.readLookups(reader.find(lookups))
      for (const [offset, { at }] of asking.entries()) {
        const standing = standings[at]
        if (standing === undefined) continue
        standing.asks[index] = true
        standing.wasAsked[index] = known[offset]?.isSubmitted === true
      }
    }
    return standings
  }
}
