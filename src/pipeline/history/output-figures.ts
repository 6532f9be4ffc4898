import type { GroupFigures, OutputFigures } from '../figures/run-record.js'
import { linePositions, sliceLine } from '../answers/joined-line.js'

/** Counted values of an answer line. */
interface Counted {
  readonly status: string
  /** 0 to 100. */
  readonly confidence: number | null
  /** Country code in upper case. */
  readonly country: string | null
}

const findPosition = (name: string): number => linePositions.get(name) ?? 0
const positions = {
  status: findPosition('status'),
  confidence: findPosition('confidence'),
  country: findPosition('country_code'),
}

export function readCountedValues(line: string): Counted {
  const values = sliceLine(line)
  const parseValue = (position: number) => JSON.parse(values[position] ?? 'null') as unknown
  const status = parseValue(positions.status)
  const confidence = parseValue(positions.confidence)
  const country = parseValue(positions.country)
  return {
    status: typeof status === 'string' ? status.toLowerCase() : 'failed',
    confidence:
      typeof confidence === 'number' && confidence >= 0 && confidence <= 100 ? Math.round(confidence) : null,
    country: typeof country === 'string' && /^[a-z]{2}$/i.test(country) ? country.toUpperCase() : null,
  }
}

/** Number of rows with the same counted values. */
export interface CountedRows extends Counted {
  readonly rowCount: number
}

export function calculateFigures(counted: Iterable<CountedRows>): OutputFigures {
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
