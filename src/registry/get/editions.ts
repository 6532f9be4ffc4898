import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSources } from '../edition.js'
import { derivationVersion } from '../model/registry-rows.js'
import { digestMapping } from '../import/mapped-format.js'
import { listSources, type RegisterSource } from '../sources/source.js'
import { openStore } from '../store/open-store.js'
import { toStoredFile, type RemoteFile } from './publisher.js'

type Countries = readonly string[] | null

/** A loaded edition, as the folder of downloads remembers it. */
export interface LoadedEdition {
  /** Name or path by which the source was loaded. */
  readonly name: string
  readonly files: readonly RemoteFile[]
  readonly sha256: string
  readonly mapping: string
  readonly countries: Countries
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
  findCurrent(source: RegisterSource, countries: Countries): LoadedEdition | null {
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
    if (!existsSync(this.registryPath)) return new Map()
    const database = openStore(this.registryPath, 'readonly')
    try {
      const current = readSources(database).filter(({ derivation }) => derivation === derivationVersion)
      return new Map(current.map(({ name, file_sha256 }) => [name, file_sha256]))
    } finally {
      database.close()
    }
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
export interface ListedSource {
  readonly source: RegisterSource
  readonly loaded: string | null
}

/** Lists the sources that enrich knows and those of the user in a registry, with what the registry has of them. */
export function listRegisters(registryPath: string): readonly ListedSource[] {
  const loaded = new Map(listLoaded(registryPath).map((edition) => [edition.id, edition]))
  const sources = new Map(listSources().map((source) => [source.id, source]))
  for (const [id, { own }] of loaded) if (own !== undefined) sources.set(id, own)
  return [...sources].map(([id, source]) => ({ source, loaded: loaded.get(id)?.date ?? null }))
}

/** Lists the editions that `getRegisters` loaded into a registry. */
export const listLoaded = (registryPath: string): ReturnType<LoadedEditions['list']> =>
  new LoadedEditions(registryPath).list()
