import type { FileFormat } from '../model/registry-rows.js'
import type { WritableRegistry } from '../registry.js'
import { type ImportResult, runImport, type ImportOptions } from './run-import.js'
import { companiesHouse } from './companies-house.js'
import { gleif } from './gleif.js'
import { gleifAuthorities, gleifLegalForms, gleifRelationships } from './gleif-relationships-and-codes.js'
import { domainList, gleifBic, gleifIsin, leiCik, secNames } from './additions.js'
import { secSub, secTickers, secSubmissions } from './sec.js'
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
  'companies-house': companiesHouse,
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
  return runImport(registry, options, {
    source: { sourceName, format, coverage: fileFormat.coverage, settings: { encoding } },
    addsUp: fileFormat.addsUp,
    mustHold: true,
    items: () => fileFormat.read(path, { encoding, onNotice }),
  })
}
