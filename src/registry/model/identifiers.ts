import { hash } from 'node:crypto'

/** Ids are made of the source's own key, so that another import, here or elsewhere, gives the same. */
export function derivedId(prefix: 'le_' | 'siq_', sourceKey: string): string {
  return prefix + hash('sha256', `${prefix}${sourceKey}`, 'hex').slice(0, 24)
}

/** Where anybody can look a registration up, by an identifier in its canonical form. */
export const recordUrls = {
  lei: (lei: string) => `https://search.gleif.org/#/record/${lei}`,
  cik: (cik: string) => `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${cik}`,
  companiesHouse: (companyNumber: string) =>
    `https://find-and-update.company-information.service.gov.uk/company/${encodeURIComponent(companyNumber)}`,
  wikidata: (item: string) => `https://www.wikidata.org/wiki/${item}`,
} as const
