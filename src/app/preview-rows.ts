import { createTemporaryFolder } from '../platform/files.js'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment, FileConfig } from '../config/file-config.js'
import { enrich } from './enrich.js'

/** A row of the input with its answer. */
export interface PreviewRow {
  readonly name: string
  readonly status: string
  readonly confidence: number | null
  readonly legalName: string | null
  readonly place: string | null
  readonly error: string | null
}

/** Number of rows that are looked up; the first ones with a name are shown. */
const rowsAskedMax = 50
const rowsShownMax = 5
const prefix = 'enrich_preview_'

/**
 * Looks up the first rows with a usable name at the embedded service. Nothing is billed, and no checkpoint is created.
 * Throws errors of the input and the registry, like a run.
 */
export async function previewRows(
  config: FileConfig,
  environment: Environment,
  signal: AbortSignal,
): Promise<PreviewRow[]> {
  const folder = createTemporaryFolder()
  try {
    const outputPath = join(folder, 'rows.ndjson')
    const run = enrich(
      {
        input: { ...config.input, limit: rowsAskedMax },
        output: { path: outputPath, basis: 'none', prefix },
        checkpoint: { path: join(folder, 'checkpoint.sqlite') },
        service: { ...(config.service?.registry === undefined ? {} : { registry: config.service.registry }) },
      },
      { signal, environment: withoutService(environment) },
    )
    await run.summary
    const { name, identifiers = {} } = config.input?.columns ?? {}
    const nameColumn = name ?? (identifiers === 'none' ? [] : Object.values(identifiers))[0] ?? ''
    const rows = readFileSync(outputPath, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => toPreviewRow(JSON.parse(line) as Readonly<Record<string, unknown>>, nameColumn))
    const usable = rows.filter(({ status }) => status !== 'invalid_input')
    return (usable.length === 0 ? rows : usable).slice(0, rowsShownMax)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Without the variables of a hosted service, so that nothing is billed. Those of databases and stores stay. */
const withoutService = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !/^ENRICH_(?!HTTPS_)/.test(name)))

function toPreviewRow(row: Readonly<Record<string, unknown>>, nameColumn: string): PreviewRow {
  const text = (name: string) => {
    const value = row[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const ours = (name: string) => text(prefix + name)
  const confidence = row[`${prefix}confidence`]
  return {
    name: text(nameColumn) ?? '',
    status: ours('status') ?? '',
    confidence: typeof confidence === 'number' ? confidence : null,
    legalName: ours('legal_name') ?? ours('candidate_legal_name'),
    place: ours('formatted_address') ?? ours('candidate_address'),
    error: ours('error'),
  }
}
