import type { ColumnSamples } from './rules/column-content.js'
import { detectColumns, type AskedColumns, type LookupColumns } from './rules/detect-columns.js'
import { earlierColumns } from './rules/earlier-columns.js'
import { identify } from '../core/identity.js'
import type { CheckpointReader } from './checkpoint/checkpoint.js'
import type { Input } from './input/input.js'
import { lookupKey } from './lookup-key.js'

const sampleLimits = { columnsMax: 500, rowsMax: 200, cellCharsMax: 200 } as const

/** The first cells of the first columns, blank ones left out: enough to tell a state from a status. */
export async function sampleColumns(input: Input): Promise<ColumnSamples> {
  const columns = input.columns.slice(0, sampleLimits.columnsMax)
  const samples = new Map<string, string[]>(columns.map((column) => [column, []]))
  for await (const rows of input.sampleRows(columns)) {
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

export interface ColumnChoice {
  columns: LookupColumns
  /** What the user has to know of earlier runs with other columns. */
  note: string | null
}

/**
 * The columns asked for or found. A lookup is known by what was asked: where more rows of this input were asked
 * before by the columns of the earlier rule, those are kept, so that nothing is billed again by a better guess.
 */
export async function chooseColumns(options: {
  input: Input
  asked: AskedColumns
  samples: ColumnSamples
  /** Null where nothing was asked yet. */
  reader: CheckpointReader | null
  signal: AbortSignal
}): Promise<ColumnChoice> {
  const { input, asked, samples, reader } = options
  const columns = detectColumns(input.columns, asked, samples)
  const others = otherColumns(input.columns, asked, columns, samples)
  if (reader === null || others.length === 0) return { columns, note: null }
  const [present = 0, ...counts] = await countKnown([columns, ...others], reader, options)
  const most = Math.max(...counts)
  const other = others[counts.indexOf(most)]
  if (other === undefined || most <= present) return { columns, note: null }
  const rows = most === 1 ? '1 row was' : `${most.toLocaleString('en-US')} rows were`
  if (asked.location !== undefined || asked.name !== undefined) {
    return {
      columns,
      note: `${rows} asked before with ${described(other)}; asked otherwise, they are asked, and billed, anew`,
    }
  }
  const note =
    `${rows} asked before with ${described(other)}: kept, so that nothing is asked, and billed, again. ` +
    `This version would take ${described(columns)}; --location-columns and --name-column choose`
  return { columns: other, note }
}

/** What earlier runs may have asked with: the earlier rule, and what is found where nothing is named. */
function otherColumns(
  header: readonly string[],
  asked: AskedColumns,
  columns: LookupColumns,
  samples: ColumnSamples,
): LookupColumns[] {
  const earlier = earlierColumns(header)
  const { context } = columns
  const candidates: LookupColumns[] = []
  if (earlier !== null) {
    const name = asked.name === undefined ? earlier.name : columns.name
    candidates.push({
      name,
      location: asked.location === undefined ? earlier.location : columns.location,
      context,
    })
    candidates.push({ name, location: earlier.location, context })
  }
  if (asked.location !== undefined) {
    candidates.push(detectColumns(header, { name: columns.name, context }, samples))
  }
  const seen = new Set([described(columns)])
  return candidates.filter((one) => !seen.has(described(one)) && seen.add(described(one)))
}

const described = ({ name, location }: LookupColumns): string =>
  `the name from ${name} and ${location.length === 0 ? 'no location' : `the location from ${location.join(', ')}`}`

/** Rows that were asked before, by each set of columns. */
async function countKnown(
  candidates: readonly LookupColumns[],
  reader: CheckpointReader,
  { input, signal }: { input: Input; signal: AbortSignal },
): Promise<number[]> {
  const columns = [...new Set(candidates.flatMap((one) => [one.name, ...one.location, ...one.context]))]
  const at = new Map(columns.map((column, index) => [column, index]))
  const counts = candidates.map(() => 0)
  for await (const rows of input.sampleRows(columns)) {
    signal.throwIfAborted()
    for (const [index, { name, location, context }] of candidates.entries()) {
      const keys = rows.flatMap((row) => {
        const cells = (names: readonly string[]) => names.map((column) => row[at.get(column) ?? -1] ?? null)
        const identified = identify(cells([name])[0] ?? null, cells(location), cells(context))
        return identified.kind === 'lookup' ? [lookupKey('resolution', identified.lookup)] : []
      })
      const ids = reader.find(keys).filter((id) => id !== 0)
      const asked = reader.known(ids).filter((known) => known !== null && known.state !== 'new')
      counts[index] = (counts[index] ?? 0) + asked.length
    }
  }
  return counts
}
