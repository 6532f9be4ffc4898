import { type DraftIdentifier, checkDraft, dateOf, type Draft } from './draft.js'
import type { FileFormat, ImportItem } from '../model/registry-rows.js'
import { jsonItems, listOf, parseJson, textOf, member } from './json-elements.js'
import { openOneFile, openFiles } from '../../tables/zip-reader.js'
import { recordUrls } from '../model/identifiers.js'
import { otherKind, tableFormat, type TableRow } from './table.js'
import { jurisdictionOf, edgarPlace } from '../reference/registers.js'
import { isUtf8 } from 'node:buffer'
import { UserError } from '../../core/errors.js'
import { importLimits } from '../model/limits.js'
import type { ByteSource } from '../../tables/bytes.js'

/** Builds the public page of a registrant, from a CIK with or without leading zeros. */
function edgarUrl(cik: string | null): string | null {
  return cik === null || !/^\d{1,10}$/.test(cik) ? null : recordUrls.cik(cik.padStart(10, '0'))
}

/** EDGAR writes zeros for unknown values. */
function unlessZeros(text: string | null): string | null {
  return text === null || /^[0-]*$/.test(text) ? null : text
}

/** Restores leading zeros, which spreadsheets drop. */
function einIdentifiers(ein: string | null): DraftIdentifier[] {
  const known = unlessZeros(ein)
  return known === null
    ? []
    : [{ type: 'ein', text: /^\d{7,8}$/.test(known) ? known.padStart(9, '0') : known }]
}

function joined(parts: readonly (string | null)[]): string | null {
  const present = parts.filter((part) => part !== null)
  return present.length === 0 ? null : present.join(', ')
}

/** Restores the leading zero of a SIC code, which tables of numbers lose. */
function sicCode(text: string | null): string | null {
  const known = unlessZeros(text)
  return known !== null && /^\d{3}$/.test(known) ? `0${known}` : known
}

function tickerOf(symbol: string, exchange: string | null): DraftIdentifier {
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
    if (!seen.isStarted) throw otherKind(file, kind, 'it has no data')
  },
}

function shareItem(
  text: string,
  line: number,
  slots: { cik: number; name: number; ticker: number; exchange: number },
): ImportItem {
  const cells = listOf(parseJson(text))
  if (cells.length === 0) return { kind: 'rejected', line, reason: 'it is not a list in JSON' }
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
 * `sec-sub`: the SUB table of the SEC's Financial Statement Data Sets, tab-separated or CSV, or the zip of a quarter.
 * The latest filing of a company counts, in any order of imports.
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
    return { kind: 'rejected', line, reason: `its day of filing "${row.text('filed') ?? ''}" is not a date` }
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

/** Older filings of a registrant are in further files, with `-submissions-` in the name. */
const registrantFile = /(?:^|\/)CIK\d{10}\.json$/i

/**
 * `sec-submissions`: EDGAR's file of a registrant, `CIK##########.json`, or a zip of such files, each read as one
 * piece. An unreadable file in a zip is rejected, with its position in the zip as line.
 */
export const secSubmissions: FileFormat = {
  coverage: 'part',
  addsUp: false,
  async *read(path) {
    let fileNumber = 0
    for await (const file of openFiles(path, registrantFile)) {
      fileNumber++
      yield [await registrantItem(file, fileNumber, file.label === path)]
    }
    if (fileNumber === 0) throw otherKind({ label: path }, kind, 'it has no file CIK##########.json')
  },
}

const kind = { what: 'submissions file of the SEC' }

async function registrantItem(file: ByteSource, line: number, isAlone: boolean): Promise<ImportItem> {
  const text = await wholeText(file)
  const record = text === null ? undefined : parseJson(text)
  if (isAlone) refuseOther(file, text, record)
  if (record === undefined) return { kind: 'rejected', line, reason: `${file.label} is not JSON in UTF-8` }
  if (member(record, 'cik') === undefined) {
    return { kind: 'rejected', line, reason: `${file.label} has no "cik"` }
  }
  return { kind: 'registration', line, read: checkDraft(draftOf(record), line), statedOn: null }
}

function refuseOther(file: ByteSource, text: string | null, record: unknown): void {
  if (text === null) throw otherKind(file, kind, 'it is too long')
  if (record === undefined) throw new UserError('INPUT_JSON_INVALID', `${file.label} is not JSON in UTF-8`)
  if (member(record, 'cik') === undefined) throw otherKind(file, kind, 'it has no "cik"')
}

/** Returns `null` for a file that is too long, and empty text if it is not UTF-8, as JSON must be. */
async function wholeText({ bytes }: ByteSource): Promise<string | null> {
  const chunks: Buffer[] = []
  let byteCount = 0
  for await (const chunk of bytes()) {
    byteCount += chunk.length
    if (byteCount > importLimits.zipMemberBytesMax) return null
    chunks.push(chunk)
  }
  const whole = Buffer.concat(chunks)
  return isUtf8(whole) ? whole.toString('utf8').replace(/^\ufeff/, '') : ''
}

function draftOf(record: unknown): Draft {
  const cik = textOf(member(record, 'cik'))
  const home = edgarPlace(textOf(member(record, 'stateOfIncorporation')) ?? '')
  const addresses = member(record, 'addresses')
  const office = addressOf(member(addresses, 'business')) ?? addressOf(member(addresses, 'mailing'))
  const exchanges = listOf(member(record, 'exchanges')).map(textOf)
  const tickers = listOf(member(record, 'tickers')).map(textOf)
  const lei = textOf(member(record, 'lei'))
  return {
    idType: 'cik',
    id: cik,
    name: textOf(member(record, 'name')),
    formerNames: listOf(member(record, 'formerNames')).map((entry) => ({
      name: textOf(member(entry, 'name')) ?? '',
      endedOn: textOf(member(entry, 'to')),
    })),
    ...typeOf(record),
    country: office?.country ?? null,
    jurisdiction: home === null ? null : jurisdictionOf(home),
    identifiers: [
      ...(lei === null ? [] : [{ type: 'lei' as const, text: lei }]),
      ...einIdentifiers(textOf(member(record, 'ein'))),
      ...tickers.flatMap((ticker, at) => (ticker === null ? [] : [tickerOf(ticker, exchanges[at] ?? null)])),
    ],
    ...(office === null ? {} : { address: office }),
    website: textOf(member(record, 'website')),
    sic: sicCode(textOf(member(record, 'sic'))),
    sourceUrl: edgarUrl(cik),
  }
}

/** Directors and owners file too: they report trades and have no industry and no employer number. */
function typeOf(record: unknown): Pick<Draft, 'type' | 'subtype'> {
  const text = (key: string) => unlessZeros(textOf(member(record, key)))
  const isPerson =
    textOf(member(record, 'entityType')) === 'other' &&
    text('insiderTransactionForOwnerExists') === '1' &&
    text('insiderTransactionForIssuerExists') === null &&
    text('sic') === null &&
    text('ein') === null &&
    text('stateOfIncorporation') === null
  return isPerson
    ? { type: 'person', subtype: 'natural_person' }
    : { type: 'business', subtype: 'incorporated_entity' }
}

function addressOf(block: unknown) {
  const text = (key: string) => textOf(member(block, key))
  const place = edgarPlace(text('stateOrCountry') ?? '')
  if (place === null && text('city') === null) return null
  return {
    street: joined([text('street1'), text('street2')]),
    city: text('city'),
    region: place?.region ?? text('foreignStateTerritory'),
    postalCode: unlessZeros(text('zipCode')),
    country: place?.countryCode ?? null,
  }
}
