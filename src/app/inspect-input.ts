import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { defaultPaths } from '../config/options.js'
import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import { createConnectors, type Connectors } from '../connectors/connectors.js'
import { entityId } from '../contract/enums.js'
import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import {
  inspectColumns,
  inspectRows,
  readPlacedRows,
  type InspectionServices,
  type RowInspection,
  type RowsToInspect,
} from '../pipeline/inspect-rows.js'
import type { AnswerChanges, readAnswerChanges } from '../pipeline/history/read-history.js'
import { systemClock, systemRandom } from '../platform/clock.js'
import { readEdition } from '../registry/edition.js'
import type { Registry } from '../registry/read-registry.js'

export interface InspectionRequest extends Pick<InspectionServices, 'stdin' | 'signal' | 'onBatch'> {
  readonly settings: Settings
  readonly environment: Environment
  /** Lets an own registry answer; without it, its answers of earlier runs are read. */
  readonly askFirst?: AskFirst | null
}

type RegistryRequest = Parameters<NonNullable<InspectionServices['askFirst']>>

/** Lets the own registry of the settings answer, for `InspectionServices.askFirst`. */
export type AskFirst = (
  run: Pick<InspectionRequest, 'settings' | 'environment' | 'signal'>,
  ...asked: RegistryRequest
) => ReturnType<NonNullable<InspectionServices['askFirst']>>

/** Calls `inspectRows` for the input of settings. */
export async function inspectInput<Result>(
  request: InspectionRequest,
  use: (found: RowInspection) => Promise<Result>,
): Promise<Result> {
  const { settings, environment, stdin, signal, askFirst = null, onBatch } = request
  const notes: string[] = []
  const connectors = createConnectors({ environment, signal, notice: (text) => notes.push(text) })
  const { baseUrl, registryPath } = settings.service
  const readScope: InspectionServices['readScope'] = async (side) => {
    if (side === 'registry') return readEmbeddedScope(settings.first?.registryPath ?? null)
    return baseUrl ?? readEmbeddedScope(registryPath)
  }
  const services: InspectionServices = {
    connectors,
    stdin,
    signal,
    clock: systemClock,
    random: systemRandom,
    environment,
    readScope,
    askFirst: askFirst === null ? null : (...asked) => askFirst(request, ...asked),
    onBatch,
  }
  return inspectRows(toRows(settings), services, (found) =>
    use({ ...found, notes: { ...found.notes, rows: [...notes, ...found.notes.rows] } }),
  )
}

function toRows(settings: Settings): RowsToInspect {
  const { input, identifierUse, checkpoint, decisions, first, stages, onLost, service } = settings
  return {
    source: {
      input: buildInputOptions(settings),
      columns: input.columns,
      identifierUse,
      dedupe: input.dedupe,
    },
    store: { checkpoint, sharedUrl: isPostgresUrl(checkpoint.path) ? checkpoint.path : null, decisions },
    requests: { first, stages, onLost },
    baseUrl: service.baseUrl,
  }
}

/** Builds the options of the input. Throws USAGE_INVALID without an input. */
export function buildInputOptions(settings: Settings): RowsToInspect['source']['input'] {
  const { paths, format, delimiter, encoding, sheet, header, limit, query } = settings.input
  if (paths === undefined) {
    throw new UserError('USAGE_INVALID', 'there is no input', {
      hint: 'name the file with the company names: enrich companies.csv -o out.parquet; or set input.paths in the config',
    })
  }
  return {
    paths,
    format,
    delimiter,
    encoding,
    sheet: sheet === '' ? undefined : sheet,
    hasHeader: header,
    rowsMax: limit,
    spoolFolder: chooseSpoolFolder(settings),
    queryPath: query === '' ? undefined : query,
  }
}

/** Folder for local copies of inputs and outputs: that of the checkpoint, which can be written. */
export const chooseSpoolFolder = ({ checkpoint: { path } }: Settings): string =>
  isPostgresUrl(path) ? tmpdir() : dirname(path)

/** Finds the country of a company by its place and its name, which may have identifiers, or else the possible ones. */
type CountryReader = (
  place: {
    readonly cells: readonly (string | null)[]
    readonly parts: readonly (string | null)[]
    readonly name: string | null
  },
  numberCountry: string | null,
) => { readonly country: string | null; readonly possible: readonly string[] }

/**
 * Counts the rows of the input of settings by the code of their country; `null` for rows without a known one. Of the
 * countries that have a town of a name, as `Cuenca`, that of most other rows counts.
 */
export async function countCountries(
  settings: Settings,
  connectors: Connectors,
  readCountry: CountryReader,
): Promise<Map<string | null, number>> {
  const { identifierUse } = settings
  const source = { input: buildInputOptions(settings), columns: settings.input.columns, identifierUse }
  return inspectColumns(source, { connectors }, async (found) => {
    const counts = new Map<string | null, number>()
    const open = new Map<string, number>()
    const add = (country: string | null, count = 1) => counts.set(country, (counts.get(country) ?? 0) + count)
    for await (const rows of readPlacedRows(found, identifierUse)) {
      for (const { name, location, parts, numberCountries } of rows.filter((row) => row.name !== null)) {
        const place = { cells: location, parts, name }
        const { country, possible } = readCountry(place, numberCountries[0] ?? null)
        const key = country === null ? possible.join(' ') : ''
        if (key === '') add(country)
        else open.set(key, (open.get(key) ?? 0) + 1)
      }
    }
    const sure = new Map(counts)
    const getSure = (country: string) => sure.get(country) ?? 0
    for (const [key, count] of open) {
      const known = key.split(' ').filter((one) => getSure(one) > 0)
      const [most = null] = known.sort((one, other) => getSure(other) - getSure(one))
      add(most, count)
    }
    return counts
  })
}

/**
 * Reads what a registry states otherwise than the answers of earlier runs in a checkpoint, and calls `use`. Throws
 * REGISTRY_NOT_FOUND, REGISTRY_INVALID, CHECKPOINT_NOT_FOUND and other CHECKPOINT_*.
 */
export async function compareAnswers<Result>(
  { checkpointPath, registryPath }: { readonly checkpointPath: string; readonly registryPath: string },
  environment: Environment,
  use: (changes: AnswerChanges) => Promise<Result>,
): Promise<Result> {
  // A plan reads no history.
  const { withKnownHistory, readAnswerChanges } = await import('../pipeline/history/read-history.js')
  return withKnownHistory(checkpointPath, environment, async (history) => {
    const { readRegistry } = await import('../registry/read-registry.js')
    const registry = readRegistry(registryPath)
    try {
      const find = (id: string) => registry.atOnce(() => findCompany(registry, id))
      return await use(readAnswerChanges(history, find))
    } finally {
      registry.close()
    }
  })
}

function findCompany(registry: Registry, id: string): ReturnType<Parameters<typeof readAnswerChanges>[1]> {
  const parsed = entityId.safeParse(id)
  const found = parsed.success ? registry.entity(parsed.data) : null
  if (!parsed.success || found === null) return null
  return { entity: found.record, mergedInto: found.mergedInto, factors: registry.endFactors(parsed.data) }
}

/** Returns the named path, otherwise that of the project's registry if it exists; `null` for the registry of the package. */
export function findRegistryPath(named: string | null): string | null {
  return named ?? (existsSync(defaultPaths.registry) ? defaultPaths.registry : null)
}

/**
 * Returns the scope of the answers of the embedded service: one edition of one registry. Another edition may have more
 * companies, so lookups are sent to it again, free of charge.
 */
export function formatEmbeddedScope(edition: string): string {
  return `embedded:${edition}`
}

/** Reads the scope without opening the registry for answers. Throws REGISTRY_NOT_FOUND, REGISTRY_INVALID and REGISTRY_EMPTY. */
export async function readEmbeddedScope(named: string | null): Promise<string> {
  return formatEmbeddedScope(await readEdition(findRegistryPath(named)))
}
