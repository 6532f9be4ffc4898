import { companiesHouse } from './companies-house.js'
import { gleif } from './gleif.js'
import { gleifAuthorities, gleifLegalForms } from './gleif-lists.js'
import { gleifBic, gleifIsin, leiCik, secNames } from './additions.js'
import { gleifRelationships } from './gleif-relationships.js'
import type { FileFormat } from '../model/import-item.js'
import { secSub, secTickers } from './sec.js'
import { secSubmissions } from './sec-submissions.js'
import { wikidata } from './wikidata.js'

/** Files of registers that are read as they are published, by the names that people give. */
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
  'companies-house': companiesHouse,
  wikidata,
} as const satisfies Record<string, FileFormat>

export type FormatName = keyof typeof fileFormats

export function isFormatName(text: string): text is FormatName {
  return Object.hasOwn(fileFormats, text)
}
