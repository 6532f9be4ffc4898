import { stringify } from 'csv-stringify/sync'

/**
 * Rows as CSV text, each ending with a line feed; null is an empty cell. A lone carriage return is quoted,
 * because readers take it for a line end, and so is a byte order mark, because they drop it.
 */
export function csvText(rows: readonly (readonly (string | null)[])[], delimiter: string): string {
  return stringify(rows as (string | null)[][], {
    delimiter,
    record_delimiter: '\n',
    quoted_match: /[\r\ufeff]/,
  })
}
