/** Names and market codes (ISO 10383) of markets that share their symbols, by the name that the SEC gives them. */
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

const marketOf = new Map(
  Object.entries(marketNames).flatMap(([market, names]) => names.map((name) => [name, market])),
)

/** One spelling of an exchange: `XNAS`, "Nasdaq" and "NASDAQ GS" are the same market. */
export function exchangeKeyOf(exchange: string): string {
  const closed = exchange.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return marketOf.get(closed) ?? closed
}
