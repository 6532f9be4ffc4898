import { createHash } from 'node:crypto'
import type { Sqlite } from '../../platform/sqlite.js'

export interface SourceRow {
  readonly name: string
  readonly format: string
  readonly settings_json: string
  readonly file_sha256: string
  /** SHA-256 of the source's older whole files, separated by commas; `null` without any. */
  readonly before: string | null
  readonly derivation: number
  readonly row_count: number
  readonly rejected_count: number
  readonly imported_at: string
}

export function readSources(database: Sqlite): SourceRow[] {
  return database
    .prepare<[], SourceRow>(
      `SELECT s.*, (SELECT group_concat(f.file_sha256) FROM (SELECT DISTINCT o.file_date, o.file_sha256
           FROM source_files o WHERE o.source_number = s.number AND s.coverage = 'whole'
             AND o.import_sequence <> s.import_sequence ORDER BY o.file_date, o.file_sha256) f) AS before
       FROM sources s ORDER BY s.import_sequence`,
    )
    .all()
}

/** Computes the edition. An import depends only on these values and on the order of imports. */
export function computeEdition(
  sources: readonly Pick<SourceRow, 'file_sha256' | 'settings_json' | 'derivation' | 'before'>[],
): string {
  const content = sources.map(({ file_sha256, settings_json, derivation, before }) => [
    file_sha256,
    settings_json,
    derivation,
    // Names and companies of older files can still be found.
    ...(before === null ? [] : [before]),
  ])
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
}
