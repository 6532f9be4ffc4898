import { linePositions, sliceLine } from './joined-line.js'

/** Raised with every change of what `publishedStateOf` gives: states of another version are compared with none. */
export const publishedStateVersion = 1

const fields = [
  'status',
  'confidence',
  'entity_id',
  'display_name',
  'legal_name',
  'entity_status',
  'formatted_address',
  'country_code',
  'legal_entity_id',
  'jurisdiction',
  'registration_id',
  'lei',
  'cik',
  'ein',
  'duns',
  'bic',
  'ticker',
  'parent_name',
  'merged_into',
] as const

/** What became of a row, as far as it matters from run to run: JSON text, of its line as it is written. */
export function publishedStateOf(line: string): string {
  const values = sliceLine(line)
  const members = fields.flatMap((field) => {
    const value = values[linePositions.get(field) ?? 0] ?? 'null'
    return value === 'null' ? [] : `"${field}":${value}`
  })
  return `{${members.join(',')}}`
}
