import { linePositions, sliceLine } from './joined-line.js'

/** What is counted of a row, out of its line. */
export interface Counted {
  readonly status: string
  /** 0 to 100. */
  readonly confidence: number | null
  /** The code of a country, upper case. */
  readonly country: string | null
}

const positionOf = (name: string): number => linePositions.get(name) ?? 0
const positions = {
  status: positionOf('status'),
  confidence: positionOf('confidence'),
  country: positionOf('country_code'),
}

export function countedOfLine(line: string): Counted {
  const values = sliceLine(line)
  const valueOf = (position: number) => JSON.parse(values[position] ?? 'null') as unknown
  const status = valueOf(positions.status)
  const confidence = valueOf(positions.confidence)
  const country = valueOf(positions.country)
  return {
    status: typeof status === 'string' ? status.toLowerCase() : 'failed',
    confidence:
      typeof confidence === 'number' && confidence >= 0 && confidence <= 100 ? Math.round(confidence) : null,
    country: typeof country === 'string' && /^[a-z]{2}$/i.test(country) ? country.toUpperCase() : null,
  }
}
