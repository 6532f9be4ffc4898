import { basename } from 'node:path'
import type { Encoding } from '../../core/file-formats.js'
import type { FileFormat, ImportItem, ItemPiece, ReadOptions } from '../model/registry-rows.js'
import { mapEach, readItems } from './item-thread.js'
import { domainList, gleifBic, gleifIsin, leiCik } from './additions.js'
import type { WritableRegistry } from '../registry.js'
import { runImport, type ImportOptions } from './run-import.js'
import type { ImportResult } from './session.js'
import { createMappedFormat, digestMapping, isAddedUp, readMappedFile } from './mapped-format.js'
import { getSource, listSources, type RegisterSource } from '../sources/source.js'
import type { GivenIdentifiers } from '../edition.js'
import { gleif } from './gleif.js'
import { gleifAuthorities, gleifLegalForms, gleifRelationships } from './gleif-relationships-and-codes.js'
import { secNames, secSub, secTickers, secSubmissions } from './sec.js'
import { wikidata } from './wikidata.js'

/** Formats of published register files, by their names on the command line. */
export const fileFormats = {
  gleif,
  'gleif-relationships': gleifRelationships,
  'gleif-bic': gleifBic,
  'gleif-isin': gleifIsin,
  'lei-cik': leiCik,
  'gleif-authorities': gleifAuthorities,
  'gleif-legal-forms': gleifLegalForms,
  'sec-tickers': secTickers,
  'sec-submissions': secSubmissions,
  'sec-sub': secSub,
  'sec-names': secNames,
  domains: domainList,
  'companies-house': createMappedFormat(getSource('companies-house')),
  wikidata,
} as const satisfies Record<string, FileFormat>

export type FormatName = keyof typeof fileFormats

/** `sourceName` defaults to the format. */
export interface ImportFileOptions extends ImportOptions {
  readonly format: FormatName
}

/** Imports a file as its register publishes it, plain, `.gz` or in a zip. Errors: those of `runImport`. */
export function importFile(registry: WritableRegistry, options: ImportFileOptions): Promise<ImportResult> {
  const { format, path, sourceName = format, encoding, onNotice } = options
  const fileFormat: FileFormat = fileFormats[format]
  const source = listSources().find(({ id, tables }) => id === format || tables[0]?.reader === format)
  const gives = source === undefined ? undefined : describeGiven(source)
  return runImport(registry, options, {
    source: { sourceName, format, coverage: fileFormat.coverage, settings: { encoding, gives } },
    addsUp: fileFormat.addsUp,
    mustHold: true,
    items: () =>
      readItems({
        paths: [path],
        request: { kind: 'format', format, path, encoding } satisfies FileRequest,
        derives: !fileFormat.addsUp,
        read: readFileItems,
        onNotice,
      }),
  })
}

export interface SourceFiles extends Omit<ImportOptions, 'sourceName'> {
  /** Codes of the countries whose companies are kept; `null` for all. */
  readonly countries: readonly string[] | null
  /** The files have only the changes since the last edition. */
  readonly isDelta: boolean
}

/** Imports the files of one edition of a source. Errors: those of `runImport`. */
export function importSource(
  registry: WritableRegistry,
  source: RegisterSource,
  { countries, isDelta, ...files }: SourceFiles,
): Promise<ImportResult> {
  const { id, publisher, licence, tables } = source
  const credit = `${publisher}, ${licence.name}`
  const settings = { mapping: digestMapping(source), countries, credit, gives: describeGiven(source) }
  const format = tables[0]?.reader ?? (id === 'companies-house' ? id : 'register')
  const addsUp = isAddedUp(source) && tables[0]?.reader === undefined
  return runImport(registry, files, {
    source: { sourceName: id, format, coverage: isDelta ? 'part' : 'whole', settings },
    addsUp,
    mustHold: !isDelta,
    items: () => {
      const paths = [files.path, ...(files.morePaths ?? [])]
      const request: FileRequest = { kind: 'source', source, paths, countries }
      return readItems({ paths, request, derives: !addsUp, read: readFileItems, onNotice: files.onNotice })
    },
  })
}

/** A file in a published format, or the files of one edition of a source. */
export type FileRequest =
  | {
      readonly kind: 'format'
      readonly format: FormatName
      readonly path: string
      readonly encoding: Encoding | undefined
    }
  | {
      readonly kind: 'source'
      readonly source: RegisterSource
      readonly paths: readonly string[]
      /** Codes of the countries whose companies are kept; `null` for all. */
      readonly countries: readonly string[] | null
    }

/** Errors: those of reading files, REGISTRY_IMPORT_INVALID. */
export function readFileItems(
  request: FileRequest,
  { onNotice }: Pick<ReadOptions, 'onNotice'>,
): AsyncIterable<ItemPiece> {
  if (request.kind === 'source') return readSourceItems(request, onNotice)
  const { format, path, encoding } = request
  const fileFormat: FileFormat = fileFormats[format]
  return fileFormat.read(path, { encoding, onNotice })
}

/** Describes the identifiers that only this register gives; `undefined` if others may give them. */
function describeGiven({
  name,
  tables,
  jurisdiction,
  country,
  allNumbers,
  rows,
}: RegisterSource): GivenIdentifiers | undefined {
  if (allNumbers === undefined) return undefined
  const kind = givenKinds[tables[0]?.reader ?? ''] ?? 'registration_id'
  const place = kind === 'registration_id' ? (jurisdiction ?? country.toLowerCase()) : null
  return { name: `the ${name.replace(/^the /i, '')}`, kind, place, numbers: allNumbers, rows }
}

const givenKinds: Readonly<Record<string, GivenIdentifiers['kind']>> = {
  gleif: 'lei',
  'sec-submissions': 'cik',
}

/**
 * Reads the files of one edition of a source, table by table. `countries`: codes of the countries whose companies are
 * kept; `null` for all. Errors: those of reading files, REGISTRY_IMPORT_INVALID.
 */
async function* readSourceItems(
  { source, paths, countries }: Extract<FileRequest, { kind: 'source' }>,
  onNotice: ReadOptions['onNotice'],
): AsyncGenerator<ItemPiece> {
  const filter =
    countries === null || isWhollyIn(source, countries) ? null : createCountryFilter(new Set(countries))
  for (const table of source.tables) {
    const isWanted = table.file === undefined ? null : new RegExp(table.file, 'iu')
    for (const path of paths) {
      if (table.reader !== undefined && isWanted?.test(basename(path)) === false) continue
      const items =
        table.reader === undefined
          ? readMappedFile(source, table, path, { onNotice })
          : fileFormats[table.reader].read(path)
      for await (const piece of items) yield filter === null ? piece : mapEach(piece, filter)
    }
  }
}

/** Whether all companies of a register are registered in one of these countries. Their keys need not be remembered. */
const isWhollyIn = (
  { country, jurisdiction = country, tables }: RegisterSource,
  countries: readonly string[],
): boolean =>
  countries.includes(jurisdiction.slice(0, 2).toUpperCase()) &&
  tables.every(({ reader, columns }) => reader === undefined && columns?.jurisdiction === undefined)

/** Keeps registrations with their address or register in these countries, and what concerns them. */
function createCountryFilter(countries: ReadonlySet<string>): (item: ImportItem) => ImportItem {
  const kept = new Set<string>()
  const isKept = (item: ImportItem): boolean => {
    if (item.kind === 'addition') return item.rows.some(({ sourceKey }) => kept.has(sourceKey))
    if (item.kind === 'relationship') return kept.has(item.childKey)
    if (item.kind !== 'registration' || item.read.row === null) return true
    const { address, jurisdiction, sourceKey } = item.read.row
    const isIn =
      countries.has(address.countryCode ?? '') || countries.has(jurisdiction?.slice(0, 2).toUpperCase() ?? '')
    if (isIn) kept.add(sourceKey)
    return isIn
  }
  return (item) => (isKept(item) ? item : { kind: 'skipped', line: item.line, why: 'outside' })
}
