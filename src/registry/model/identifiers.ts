import { hash } from 'node:crypto'

/** Derives an id from the key of the source, so that every import gives the same id. */
export function deriveId(prefix: 'le_' | 'siq_', sourceKey: string): string {
  return prefix + hash('sha256', `${prefix}${sourceKey}`, 'hex').slice(0, 24)
}

/** Public web pages of a registration, by an identifier in its canonical form. */
export const recordUrls = {
  lei: (lei: string) => `https://search.gleif.org/#/record/${lei}`,
  cik: (cik: string) => `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${cik}`,
  companiesHouse: (companyNumber: string) =>
    `https://find-and-update.company-information.service.gov.uk/company/${encodeURIComponent(companyNumber)}`,
  wikidata: (item: string) => `https://www.wikidata.org/wiki/${item}`,
} as const

/** Names and market codes (ISO 10383) of markets that share their symbols, by the SEC's name for the market. */
const marketNames: Readonly<Record<string, readonly string[]>> = {
  NASDAQ: ['XNAS', 'XNGS', 'XNMS', 'XNCM', 'NASDAQGS', 'NASDAQGM', 'NASDAQCM', 'NASDAQSTOCKMARKET'],
  NYSE: [
    'XNYS',
    'NEWYORKSTOCKEXCHANGE',
    'NYSEARCA',
    'ARCX',
    'ARCA',
    'NYSEAMERICAN',
    'NYSEMKT',
    'XASE',
    'AMEX',
  ],
  CBOE: ['BATS', 'BZX', 'CBOEBZX', 'XCBO'],
  OTC: ['OTCM', 'OTCMKTS', 'OTCMARKETS', 'OTCQX', 'OTCQB', 'OTCBB', 'PINK', 'PINX', 'OOTC'],
  LSE: ['XLON', 'LONDONSTOCKEXCHANGE', 'LON', 'AIM'],
  XETRA: ['XETR', 'ETR', 'XFRA', 'FRA', 'FRANKFURT', 'DEUTSCHEBOERSE'],
  TSX: ['XTSE', 'TSE', 'TORONTOSTOCKEXCHANGE'],
  ASX: ['XASX'],
}

const marketsByName = new Map(
  Object.entries(marketNames).flatMap(([market, names]) => names.map((name) => [name, market])),
)

/** Normalizes the name of an exchange: `XNAS`, "Nasdaq" and "NASDAQ GS" are the same market. */
export function toExchangeKey(exchange: string): string {
  const closed = exchange.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return marketsByName.get(closed) ?? closed
}
