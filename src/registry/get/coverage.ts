import { listSources, type RegisterSource } from '../sources/source.js'
import { bytesPerRow, listLoaded } from './get.js'

/** Countries without a source, and why. */
export const uncovered: Readonly<Record<string, string>> = {
  AT: 'the register answers for one company at a time',
  BE: 'the files need an account, and have a licence of their own',
  BR: 'the licence of the files is not known',
  CH: 'the register is published as linked data only',
  DE: 'no official file; a copy by OffeneRegister ends in 2018',
  DK: 'the files need a login that is given by e-mail',
  ES: 'extracts are paid',
  HK: 'only weekly lists of new companies',
  IL: 'the licence of the file is not known',
  IT: 'extracts are paid',
  NL: 'the open file has no names and no numbers',
  NZ: 'the files need an approval',
  PL: 'the registers answer for one company at a time',
  PT: 'extracts are paid',
  SE: 'the licence of the files is not known',
  SK: 'the licence of the files is not known',
}

export interface CountryCoverage {
  /** Code of ISO 3166-1; `null` for rows without a known country. */
  readonly country: string | null
  readonly rowCount: number
  /** Ids of sources of this country. Sources of the whole world are not listed. */
  readonly sources: readonly string[]
  /** Why there is no source; `null` if there is one or the reason is not known. */
  readonly reason: string | null
}

/** What registers hold companies of a list, and what they cost. */
export interface Coverage {
  /** The most frequent country first. */
  readonly countries: readonly CountryCoverage[]
  /** Ids to get: GLEIF and the whole registers of these countries. */
  readonly names: readonly string[]
  readonly downloadBytes: number
  readonly diskBytes: number
}

/** Finds the sources for rows that are counted by country (`null`: unknown). */
export function findCoverage(counts: ReadonlyMap<string | null, number>): Coverage {
  const sources = listSources()
  const countries = [...counts]
    .sort(([one, a], [other, b]) => b - a || (one ?? '').localeCompare(other ?? ''))
    .map(([country, rowCount]) => {
      const ids = sources.filter((source) => source.country === country).map(({ id }) => id)
      return {
        country,
        rowCount,
        sources: ids,
        reason: ids.length > 0 ? null : (uncovered[country ?? ''] ?? null),
      }
    })
  const names = new Set(['gleif', ...countries.flatMap((found) => found.sources)])
  // A state's register holds few of a country's companies, and some files are downloaded by hand.
  const chosen = sources.filter(
    ({ id, files, partOf, jurisdiction = '' }) =>
      names.has(id) && files.length > 0 && partOf === undefined && !jurisdiction.includes('_'),
  )
  return {
    countries,
    names: chosen.map(({ id }) => id),
    downloadBytes: sum(chosen, ({ downloadMegabytes }) => downloadMegabytes * 1_000_000),
    diskBytes: sum(chosen, ({ rows }) => rows * bytesPerRow),
  }
}

const sum = (sources: readonly RegisterSource[], measure: (source: RegisterSource) => number): number =>
  sources.reduce((total, source) => total + measure(source), 0)

/** A source, and the date of its edition in a registry (`null`: not loaded). */
export interface ListedSource {
  readonly source: RegisterSource
  readonly loaded: string | null
}

/** Lists the sources that enrich knows, with what a registry has of them. */
export function listRegisters(registryPath: string): readonly ListedSource[] {
  const loaded = new Map(listLoaded(registryPath).map(({ name, date }) => [name, date]))
  return listSources().map((source) => ({ source, loaded: loaded.get(source.id) ?? null }))
}
