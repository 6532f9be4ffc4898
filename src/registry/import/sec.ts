import { type DraftIdentifier, checkDraft, dateOf } from './draft.js'
import type { FileFormat, ImportItem } from '../model/import-item.js'
import { jsonItems, listOf, parseJson, textOf } from './json-elements.js'
import { openOneFile } from '../../tables/open-file.js'
import { recordUrls } from '../model/identifiers.js'
import { otherKind, tableFormat, type TableRow } from './table.js'
import { jurisdictionOf } from '../reference/edgar-places.js'

/** Where anybody can look a registrant up, by a CIK as files have it. */
export function edgarUrl(cik: string | null): string | null {
  return cik === null || !/^\d{1,10}$/.test(cik) ? null : recordUrls.cik(cik.padStart(10, '0'))
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

/** `sec-tickers`: company_tickers_exchange.json of the SEC: `{"fields": […], "data": [[…], …]}`. */
export const secTickers: FileFormat = {
  coverage: 'whole',
  // A company has a line for each of its shares.
  addsUp: true,
  async *read(path, options) {
    const file = await openOneFile(path, null)
    const fields: string[] = []
    const slots = { cik: -1, name: -1, ticker: -1, exchange: -1 }
    const kind = { what: 'company_tickers_exchange.json of the SEC' }
    const seen = { isStarted: false }
    yield* jsonItems(
      file,
      ({ key, text, line }) => {
        if (key === 'fields') {
          fields.push(textOf(parseJson(text)) ?? '')
          return null
        }
        if (key !== 'data') throw otherKind(file, kind, key === null ? 'it is a list' : `it has "${key}"`)
        if (!seen.isStarted) {
          for (const field of ['cik', 'name', 'ticker'] as const) {
            slots[field] = fields.indexOf(field)
            if (slots[field] === -1) throw otherKind(file, kind, `it has no field ${field}`)
          }
          slots.exchange = fields.indexOf('exchange')
          seen.isStarted = true
        }
        return shareItem(text, line, slots)
      },
      options,
    )
    if (!seen.isStarted) throw otherKind(file, kind, 'it holds no data')
  },
}

function shareItem(
  text: string,
  line: number,
  slots: { cik: number; name: number; ticker: number; exchange: number },
): ImportItem {
  const cells = listOf(parseJson(text))
  if (cells.length === 0) return { kind: 'rejected', line, reason: 'it is no list in JSON' }
  const cik = textOf(cells[slots.cik])
  const ticker = textOf(cells[slots.ticker])
  const exchange = textOf(cells[slots.exchange])
  const read = checkDraft(
    {
      idType: 'cik',
      id: cik,
      name: textOf(cells[slots.name]),
      type: 'business',
      subtype: 'incorporated_entity',
      identifiers: ticker === null ? [] : [tickerOf(ticker, exchange)],
      sourceUrl: edgarUrl(cik),
    },
    line,
  )
  return { kind: 'registration', line, read, statedOn: null }
}

const wanted =
  'sic,countryba,stprba,cityba,zipba,bas1,bas2,countryma,stprma,cityma,zipma,mas1,mas2,countryinc,stprinc,ein,former,changed'

/**
 * `sec-sub`: the SUB table of the SEC's Financial Statement Data Sets, tab-separated or CSV, or the zip of a
 * quarter. A company is stated as its latest filing has it, whichever quarter was imported last.
 */
export const secSub = tableFormat(
  {
    what: 'SUB table of the Financial Statement Data Sets',
    required: ['cik', 'name', 'filed'],
    wanted: wanted.split(','),
    tabsUnquoted: true,
    read: filingItem,
  },
  { coverage: 'part', member: /(?:^|\/)sub\.(?:txt|tsv|csv)$/i },
)

function filingItem(row: TableRow, line: number): ImportItem {
  const filedOn = dateOf(row.text('filed'))
  if (filedOn === null) {
    return { kind: 'rejected', line, reason: `its day of filing "${row.text('filed') ?? ''}" is no date` }
  }
  const cik = row.text('cik')
  const former = row.text('former')
  const office = addressIn(row, 'ba', 'bas')
  const { country, ...address } = office.country === null ? addressIn(row, 'ma', 'mas') : office
  const read = checkDraft(
    {
      idType: 'cik',
      id: cik,
      name: row.text('name'),
      formerNames: former === null ? [] : [{ name: former, endedOn: row.text('changed') }],
      type: 'business',
      subtype: 'incorporated_entity',
      country,
      jurisdiction: homeOf(row),
      identifiers: einIdentifiers(row.text('ein')),
      address,
      sic: sicCode(row.text('sic')),
      sourceUrl: edgarUrl(cik),
    },
    line,
  )
  return { kind: 'registration', line, read, statedOn: filedOn }
}

function addressIn(row: TableRow, end: 'ba' | 'ma', streets: 'bas' | 'mas') {
  return {
    street: joined([row.text(`${streets}1`), row.text(`${streets}2`)]),
    city: row.text(`city${end}`),
    region: row.text(`stpr${end}`),
    postalCode: unlessZeros(row.text(`zip${end}`)),
    country: row.text(`country${end}`),
  }
}

function homeOf(row: TableRow): string | null {
  const countryCode = row.text('countryinc')
  return countryCode === null ? null : jurisdictionOf({ countryCode, region: row.text('stprinc') })
}
