import type { DraftIdentifier } from './draft.js'

/** Where anybody can look a registrant up. */
export function edgarUrl(cik: string | null): string | null {
  if (cik === null || !/^\d{1,10}$/.test(cik)) return null
  return `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${cik.padStart(10, '0')}`
}

/** EDGAR fills what it does not know with zeros. */
export function unlessZeros(text: string | null): string | null {
  return text === null || /^[0-]*$/.test(text) ? null : text
}

/** Dropped zeros in front come back: files that went through a spreadsheet lose them. */
export function einIdentifiers(ein: string | null): DraftIdentifier[] {
  const known = unlessZeros(ein)
  return known === null
    ? []
    : [{ type: 'ein', text: /^\d{7,8}$/.test(known) ? known.padStart(9, '0') : known }]
}

export function joined(parts: readonly (string | null)[]): string | null {
  const present = parts.filter((part) => part !== null)
  return present.length === 0 ? null : present.join(', ')
}

/** SIC codes of four digits, whose leading zero tables of numbers lose. */
export function sicCode(text: string | null): string | null {
  const known = unlessZeros(text)
  return known !== null && /^\d{3}$/.test(known) ? `0${known}` : known
}

export function tickerOf(symbol: string, exchange: string | null): DraftIdentifier {
  return { type: 'ticker', text: symbol, ...(exchange === null ? {} : { exchange }) }
}
