import { stringify } from 'csv-stringify/sync'

/**
 * Rows as CSV text, each ending with a line feed; null is an empty cell. A byte order mark is quoted,
 * because readers drop a bare one at the start of a file.
 */
export function csvText(rows: readonly (readonly (string | null)[])[], delimiter: string): string {
  return stringify(rows as (string | null)[][], {
    delimiter,
    record_delimiter: '\n',
    quoted_match: '\ufeff',
  })
}
