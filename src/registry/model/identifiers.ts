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

/** Exchanges in the SEC's spelling or their own, with market codes (ISO 10383) and further names, folded. */
const exchangeNames: Readonly<Record<string, string>> = {
  Nasdaq: 'XNAS XNGS XNMS XNCM NASDAQGS NASDAQGM NASDAQCM NASDAQSTOCKMARKET NASDAQSTOCKEXCHANGE',
  NYSE: 'XNYS NEWYORKSTOCKEXCHANGE',
  'NYSE Arca': 'ARCX ARCA',
  'NYSE American': 'XASE AMEX NYSEMKT AMERICANSTOCKEXCHANGE',
  CBOE: 'BATS BZX CBOEBZX XCBO CBOEGLOBALMARKETS',
  OTC: 'OTCM OTCMKTS OTCMARKETS OTCMARKETSGROUP OTCQX OTCQB OTCBB PINK PINX OOTC',
  LSE: 'XLON LONDONSTOCKEXCHANGE LON',
  AIM: 'ALTERNATIVEINVESTMENTMARKET',
  Xetra: 'XETR ETR',
  'Frankfurt Stock Exchange': 'XFRA FRA FRANKFURT DEUTSCHEBOERSE',
  TSX: 'XTSE TSE TORONTOSTOCKEXCHANGE',
  'TSX Venture Exchange': 'XTSX TSXV',
  ASX: 'XASX AUSTRALIANSECURITIESEXCHANGE',
  'Tokyo Stock Exchange': 'XTKS',
  'Hong Kong Stock Exchange': 'XHKG HKEX SEHK',
  'Euronext Paris': 'XPAR',
  'Euronext Amsterdam': 'XAMS',
  'Euronext Brussels': 'XBRU',
  'SIX Swiss Exchange': 'XSWX SIX SWX',
}

const foldExchange = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '')

const exchangesByName = new Map(
  Object.entries(exchangeNames).flatMap(([exchange, names]) =>
    [foldExchange(exchange), ...names.split(' ')].map((name) => [name, exchange] as const),
  ),
)

/** Returns the one spelling of an exchange: "Nasdaq" for `XNAS`, "NASDAQ" and "NASDAQ GS"; others unchanged. */
export function formatExchange(exchange: string): string {
  return exchangesByName.get(foldExchange(exchange)) ?? exchange
}

/** Exchanges that share their symbols. */
const sharedMarkets: Readonly<Record<string, string>> = {
  'NYSE Arca': 'NYSE',
  'NYSE American': 'NYSE',
  AIM: 'LSE',
  'Frankfurt Stock Exchange': 'Xetra',
}

/** Normalizes the name of an exchange for comparisons: `XNAS`, "Nasdaq" and "NASDAQ GS" are the same market. */
export function toExchangeKey(exchange: string): string {
  const name = formatExchange(exchange)
  return foldExchange(sharedMarkets[name] ?? name)
}
