import type { Counted } from './counted-of-line.js'
import type { GroupFigures, OutputFigures } from './run-record.js'

/** Rows that are alike in what is counted. */
export interface CountedRows extends Counted {
  readonly rowCount: number
}

export function figuresOf(counted: Iterable<CountedRows>): OutputFigures {
  const statuses = new Map<string, number>()
  const countries = new Map<string | null, { rowCount: number; matchedCount: number }>()
  const rowsByConfidence = new Array<number>(101).fill(0)
  let total = 0
  for (const { status, confidence, country, rowCount } of counted) {
    total += rowCount
    statuses.set(status, (statuses.get(status) ?? 0) + rowCount)
    if (confidence !== null) rowsByConfidence[confidence] = (rowsByConfidence[confidence] ?? 0) + rowCount
    const group = countries.get(country) ?? { rowCount: 0, matchedCount: 0 }
    group.rowCount += rowCount
    if (status === 'matched') group.matchedCount += rowCount
    countries.set(country, group)
  }
  const byCountry: GroupFigures[] = [...countries].map(([value, group]) => ({ value, ...group }))
  byCountry.sort((a, b) => b.rowCount - a.rowCount || ((a.value ?? '~') < (b.value ?? '~') ? -1 : 1))
  return {
    rowCount: total,
    rowsByStatus: Object.fromEntries(statuses),
    rowsByConfidence,
    byCountry,
    byColumn: null,
  }
}
