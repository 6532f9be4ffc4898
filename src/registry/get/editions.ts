import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isWholeRegister, listOwnCountries, readSources } from '../edition.js'
import { derivationVersion } from '../model/registry-rows.js'
import { digestMapping } from '../import/mapped-format.js'
import { listSources, type RegisterSource } from '../sources/source.js'
import uncoveredCountries from '../sources/uncovered.json' with { type: 'json' }
import { openStore } from '../store/open-store.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { contactExample, toStoredFile, type RemoteFile } from './publisher.js'
import { listUnused } from '../import/find-columns.js'
import { readSample } from '../import/item-thread.js'
import { listMapped } from '../import/csv-row.js'
import { formatCommand, type DetectedFile } from '../import/detect-file.js'
import type { CsvSettings } from '../import/import-csv.js'
import { proposeMap, type MapProposal } from '../import/propose-map.js'
import { parseFileName } from '../import/file-name.js'

/** Disk space of a registration, with its indexes. */
export const bytesPerRow = 500

/** A loaded edition, as the folder of downloads remembers it. */
export interface LoadedEdition {
  /** Name or path by which the source was loaded. */
  readonly name: string
  readonly files: readonly RemoteFile[]
  readonly sha256: string
  readonly mapping: string
  readonly countries: readonly string[] | null
  /** ISO 8601. */
  readonly date: string
  /** Description of a source that the catalogue does not have so; absent for one of the catalogue. */
  readonly own?: RegisterSource
}

/** Folder of the downloads for a registry, and of the list of its editions. */
export const getDownloadFolder = (registryPath: string): string => `${registryPath}-registers`

/** The editions that `getRegisters` loaded into a registry. */
export class LoadedEditions {
  readonly #path: string
  #known: Readonly<Record<string, LoadedEdition>>

  constructor(private readonly registryPath: string) {
    this.#path = join(getDownloadFolder(registryPath), 'editions.json')
    this.#known = readEditions(this.#path)
  }

  /** Returns the edition of a source that was loaded last, even if the registry has changed since. */
  get(source: RegisterSource): LoadedEdition | null {
    return this.#known[source.id] ?? null
  }

  /** Returns the edition of a source if the registry still has it, read in the same way. */
  findCurrent(source: RegisterSource, countries: LoadedEdition['countries']): LoadedEdition | null {
    const known = this.get(source)
    const isHeld =
      known !== null &&
      this.#readHeld().get(source.id) === known.sha256 &&
      known.mapping === digestMapping(source) &&
      JSON.stringify(known.countries) === JSON.stringify(countries)
    return isHeld ? known : null
  }

  /** Lists the editions that the registry still has. */
  list(): readonly (LoadedEdition & { readonly id: string })[] {
    const held = this.#readHeld()
    return Object.entries(this.#known).flatMap(([id, edition]) => (held.has(id) ? [{ ...edition, id }] : []))
  }

  /** Remembers an edition that was loaded just now. */
  remember(
    source: RegisterSource,
    { name, files, countries, date }: Pick<LoadedEdition, 'name' | 'files' | 'countries' | 'date'>,
  ): void {
    const sha256 = this.#readHeld().get(source.id)
    if (sha256 === undefined) return
    const mapping = digestMapping(source)
    const own = name === source.id ? {} : { own: source }
    const loaded = { name, files: files.map(toStoredFile), sha256, mapping, countries, date, ...own }
    this.#known = { ...this.#known, [source.id]: loaded }
    writeFileSync(`${this.#path}.new`, `${JSON.stringify(this.#known, null, 1)}\n`)
    renameSync(`${this.#path}.new`, this.#path)
  }

  /** SHA-256 of the newest file of each source in the registry. */
  #readHeld(): ReadonlyMap<string, string> {
    const current = readStore(this.registryPath, readSources).filter(
      ({ derivation }) => derivation === derivationVersion,
    )
    return new Map(current.map(({ name, file_sha256 }) => [name, file_sha256]))
  }
}

function readEditions(path: string): Readonly<Record<string, LoadedEdition>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, LoadedEdition>>
  } catch {
    return {}
  }
}

/** A source, and the date of its edition in a registry (`null`: not loaded). */
interface ListedSource {
  readonly source: RegisterSource
  readonly loaded: string | null
  /** `imported`: from a file of the user, which no refresh brings up to date. */
  readonly state: 'loaded' | 'imported' | 'missing'
  /** Rows that the registry has of it. */
  readonly loadedRows: number
  /** Its files had too few rows for the whole register. */
  readonly isPart: boolean
  /** Countries to which its download was limited; `null` for all. */
  readonly countries: LoadedEdition['countries']
  /** Estimated size in a registry. */
  readonly diskBytes: number
}

/** Lists the sources that enrich knows and those of the user in a registry, with what the registry has of them. */
export function listRegisters(registryPath: string): readonly ListedSource[] {
  const loaded = new Map(listLoaded(registryPath).map((edition) => [edition.id, edition]))
  const sources = new Map(listSources().map((source) => [source.id, source]))
  for (const [id, { own }] of loaded) if (own !== undefined) sources.set(id, own)
  const held = readStore(registryPath, readSources)
  return [...sources].map(([id, source]) => {
    const { date = null, countries = null, files = [], own } = loaded.get(id) ?? {}
    const formats = [id, source.tables[0]?.reader ?? id]
    const imported = held.filter(
      ({ name, format }) => formats.includes(format) || (format === 'register' && name === id),
    )
    const state = date !== null ? 'loaded' : imported.length > 0 ? 'imported' : 'missing'
    const loadedRows = imported.reduce((total, { largest_count }) => total + largest_count, 0)
    // A download is whole. A register that the catalogue does not have is as large as its user wants.
    const mayBePart = state !== 'missing' && files.length === 0 && own === undefined && countries === null
    return {
      source,
      loaded: date,
      state,
      loadedRows,
      isPart: mayBePart && !isWholeRegister(loadedRows, source.rows),
      countries,
      diskBytes: source.rows * bytesPerRow,
    }
  })
}

function readStore<Item>(registryPath: string, read: (database: Sqlite) => readonly Item[]): Item[] {
  if (!existsSync(registryPath)) return []
  const database = openStore(registryPath, 'readonly')
  try {
    return [...read(database)]
  } finally {
    database.close()
  }
}

/** Lists the editions that `getRegisters` loaded into a registry. */
export const listLoaded = (registryPath: string): ReturnType<LoadedEditions['list']> =>
  new LoadedEditions(registryPath).list()

/** Countries without a source, and why. */
export const uncovered: Readonly<Record<string, string>> = uncoveredCountries

interface CountryCoverage {
  /** Code of ISO 3166-1; `null` for rows without a known country. */
  readonly country: string | null
  readonly rowCount: number
  /** Ids of sources of this country. Sources of the whole world are not listed. */
  readonly sources: readonly string[]
  /** Names of the user's own registers that hold at least as many companies of this country as the list has rows. */
  readonly own: readonly string[]
  /** Why there is no source; `null` if there is one or the reason is not known. */
  readonly reason: string | null
}

/** Registers that hold companies of a list, and their costs. */
export interface Coverage {
  /** The most frequent country first. */
  readonly countries: readonly CountryCoverage[]
  /** Ids of GLEIF and the sources of these countries that the registry has as a whole. */
  readonly loaded: readonly string[]
  /** Ids of these sources that the registry has from files of the user. */
  readonly imported: readonly string[]
  /** The sources of which the registry has a part only, or other countries. */
  readonly partial: readonly { readonly id: string; readonly loadedRows: number; readonly rows: number }[]
  /** Ids to get: GLEIF and the registers of these countries, unless they are loaded as a whole. */
  readonly names: readonly string[]
  /** Sizes of each of `names`, and the rows of the list that it may help; the source of the most rows first. */
  readonly costs: readonly Readonly<
    Record<'rowCount' | 'downloadBytes' | 'diskBytes', number> & { id: string }
  >[]
  /** Example of the contact that a publisher of `names` wants; `null` if none does. */
  readonly contact: string | null
  /** Ids of sources of these countries whose files a program cannot download. */
  readonly byHand: readonly string[]
  /** Page of each of these sources that a program cannot download, loaded or not. */
  readonly pages: Readonly<Partial<Record<string, string>>>
  readonly downloadBytes: number
  readonly diskBytes: number
}

const sumRows = (counts: readonly CountryCoverage[]) => counts.reduce((sum, one) => sum + one.rowCount, 0)

/** Finds the sources for rows that are counted by country (`null`: unknown). */
export function findCoverage(counts: ReadonlyMap<string | null, number>, registryPath: string): Coverage {
  const listed = listRegisters(registryPath)
  const known = new Set(listed.map(({ source }) => source.id))
  const held = readStore(registryPath, (database) => listOwnCountries(database, known))
  const countries = [...counts]
    .sort(([one, a], [other, b]) => b - a || (one ?? '').localeCompare(other ?? ''))
    .map(([country, rowCount]) => {
      const ids = listed.flatMap(({ source }) => (source.country === country ? [source.id] : []))
      return {
        country,
        rowCount,
        sources: ids,
        own: held
          .filter((one) => one.country === country && one.companyCount >= rowCount)
          .map((one) => one.source),
        reason: ids.length > 0 ? null : (uncovered[country ?? ''] ?? null),
      }
    })
  // An own register of a country has what GLEIF lacks.
  const isOwn = ({ country, own, rowCount }: (typeof countries)[number]) =>
    country === null ? held.some((one) => one.companyCount > rowCount) : own.length > 0
  const general = countries.length > 0 && countries.every(isOwn) ? [] : ['gleif']
  const names = new Set([...general, ...countries.flatMap((found) => found.sources)])
  const wanted = listed.filter(({ source }) => names.has(source.id))
  const partial = wanted.filter(
    ({ source, isPart, countries: kept }) => isPart || !hasCountries(kept, source, [...counts.keys()]),
  )
  const missing = wanted
    .filter((one) => one.state === 'missing' || partial.includes(one))
    .map(({ source }) => source)
  const listIds = (state: ListedSource['state']) =>
    wanted.filter((one) => one.state === state && !partial.includes(one)).map(({ source }) => source.id)
  // A state's register holds few of a country's companies, and some files are downloaded by hand.
  const chosen = missing.filter(
    ({ files, partOf, jurisdiction = '' }) =>
      files.length > 0 && partOf === undefined && !jurisdiction.includes('_'),
  )
  const costs = chosen
    .map(({ id, country, rows, downloadMegabytes = 0 }) => ({
      id,
      rowCount: sumRows(countries.filter(({ sources }) => country === '*' || sources.includes(id))),
      downloadBytes: downloadMegabytes * 1_000_000,
      diskBytes: rows * bytesPerRow,
    }))
    .sort((one, other) => other.rowCount - one.rowCount)
  return {
    countries,
    loaded: listIds('loaded'),
    imported: listIds('imported'),
    partial: partial.map(({ source: { id, rows }, loadedRows }) => ({ id, loadedRows, rows })),
    names: costs.map(({ id }) => id),
    costs,
    contact: chosen.some(({ wantsContact = false }) => wantsContact) ? contactExample : null,
    byHand: missing.filter(isByHand).map(({ id }) => id),
    pages: Object.fromEntries(
      wanted.filter(({ source }) => isByHand(source)).map(({ source: { id, page } }) => [id, page]),
    ),
    downloadBytes: costs.reduce((total, cost) => total + cost.downloadBytes, 0),
    diskBytes: costs.reduce((total, cost) => total + cost.diskBytes, 0),
  }
}

const isByHand = ({ files }: RegisterSource): boolean => files.length === 0

/** Whether the kept countries (`null`: all) are those of the list that a source has. */
function hasCountries(
  kept: LoadedEdition['countries'],
  { country }: RegisterSource,
  listed: readonly (string | null)[],
): boolean {
  const needed = country === '*' ? listed : [country]
  return kept === null || needed.every((one) => one !== null && kept.includes(one))
}

/** A file that an earlier import tells how to read. */
export type PlannedFile =
  | Exclude<DetectedFile, { kind: 'csv' }>
  | {
      readonly kind: 'csv'
      readonly proposal: CsvProposal
      readonly rowEstimate: number | null
      readonly settings?: Pick<CsvSettings, 'encoding' | 'dates'>
      readonly notices?: readonly string[]
    }

/** The columns of a CSV, with ids of any type. */
export type CsvProposal = Omit<MapProposal, 'idType'> & { readonly idType: string | null }

/** How the newest file of a list was imported. */
interface CsvImport extends CsvSettings {
  readonly name: string
  readonly columns: Readonly<Record<string, string>>
}

/** Reads which columns the imports of the registry mapped, by source. */
export function readCsvImports(registryPath: string | null): ReadonlyMap<string, CsvImport> {
  if (registryPath === null) return new Map()
  const rows = readStore(registryPath, (database) =>
    database
      .prepare<[], { name: string; settings_json: string }>(
        "SELECT name, settings_json FROM sources WHERE format = 'csv' AND settings_json ->> '$.map' IS NOT NULL",
      )
      .all(),
  )
  return new Map(
    rows.map(({ name, settings_json }) => {
      const { map, ...settings } = JSON.parse(settings_json) as CsvSettings & { map: [string, string][] }
      return [name, { ...settings, name, columns: Object.fromEntries(map) }]
    }),
  )
}

/** Reads a later file of a list as the list was imported; a file that lacks a column, and would lose fields, is skipped. */
export async function readLikeBefore(
  path: string,
  found: DetectedFile,
  imports: ReturnType<typeof readCsvImports>,
): Promise<PlannedFile> {
  const fileName = basename(path).replace(/\.gz$/, '')
  const earlier = imports.get(fileName) ?? imports.get(parseFileName(fileName).listName)
  if (earlier === undefined || found.kind === 'format' || found.kind === 'source') return found
  const { columns: map, name, idType = 'id', country = null, jurisdiction = null, dates, encoding } = earlier
  const { header, rows } = await readSample(path, encoding)
  const missing = Object.values(map).filter((text) =>
    listMapped(text, header).some((one) => !header.includes(one)),
  )
  const fresh = proposeMap(header, rows)
  if (missing.length === 0) {
    const overlooked = map['status'] === undefined ? fresh.overlooked : []
    const facts = { unused: listUnused(map, header), overlooked, doubts: [], ambiguous: fresh.ambiguous }
    return {
      kind: 'csv',
      proposal: { idType, map, country, jurisdiction, ...facts },
      rowEstimate: found.kind === 'csv' ? found.rowEstimate : null,
      settings: { ...(dates && { dates }), ...(encoding && { encoding }) },
      notices: [`read with the fields and flags of the earlier import of ${name}`],
    }
  }
  const isLost = fresh.idType !== idType || Object.keys(map).some((field) => !(field in fresh.map))
  if (found.kind === 'unknown' || !isLost) return found
  return {
    kind: 'unknown',
    reason: `the earlier import of ${name} used columns that this file lacks: ${missing.join(', ')}`,
    command: formatCommand(path, fresh),
  }
}
