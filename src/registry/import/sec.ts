import { at as getMember, toList } from '../../core/json.js'
import { parseDate } from '../../core/file-formats.js'
import { type DraftIdentifier, checkDraft, type Draft } from './draft.js'
import type { FileFormat, ImportItem } from '../model/registry-rows.js'
import { importLimits, matchLimits } from '../model/limits.js'
import {
  readJsonItems,
  parseJson,
  toText,
  createOtherKindError,
  createTableFormat,
  type TableRow,
} from './table.js'
import { openFiles, openOneFile, type ByteSource } from '../../tables/text-tables.js'
import { recordUrls } from '../model/identifiers.js'
import listedPlaces from '../reference/edgar-places.json' with { type: 'json' }
import { isSubdivision } from '../normalize/places.js'
import { isUtf8 } from 'node:buffer'
import { UserError } from '../../core/errors.js'
import { toCanonicalIdentifier } from '../../core/identifiers.js'
import { buildAddition } from './additions.js'

/** EDGAR's codes of places outside the United States, as ISO 3166 codes. */
const places = new Map(Object.entries(listedPlaces))

/** American places that ISO 3166-1 lists as countries. */
const territories = new Set(['AS', 'GU', 'MP', 'PR', 'UM', 'VI'])

/** A country and, if EDGAR's code has one, a state or province in the short form of addresses. */
export interface EdgarPlace {
  readonly countryCode: string
  readonly region: string | null
}

/** Parses an EDGAR code: "DE" is Delaware, "2M" Germany, "A6" Ontario. Returns `null` for an unknown code. */
export function parseEdgarPlace(code: string): EdgarPlace | null {
  const foreign = places.get(code.toUpperCase())
  if (foreign !== undefined) return { countryCode: foreign.slice(0, 2), region: foreign.slice(3) || null }
  const state = code.toUpperCase()
  if (territories.has(state)) return { countryCode: state, region: null }
  return isSubdivision(`US-${state}`) ? { countryCode: 'US', region: state } : null
}

/** Converts a place of EDGAR to a jurisdiction code: `us_de`, `ca_on`, `ky`. */
export function toJurisdiction({ countryCode, region }: EdgarPlace): string {
  return (region === null ? countryCode : `${countryCode}_${region}`).toLowerCase()
}

/** Builds the public page of a registrant, from a CIK with or without leading zeros. */
function buildEdgarUrl(cik: string | null): string | null {
  return cik === null || !/^\d{1,10}$/.test(cik) ? null : recordUrls.cik(cik.padStart(10, '0'))
}

/** EDGAR writes zeros for unknown values. */
function dropZeros(text: string | null): string | null {
  return text === null || /^[0-]*$/.test(text) ? null : text
}

/** Restores leading zeros, which spreadsheets drop. */
function toEinIdentifiers(ein: string | null): DraftIdentifier[] {
  const known = dropZeros(ein)
  return known === null
    ? []
    : [{ type: 'ein', text: /^\d{7,8}$/.test(known) ? known.padStart(9, '0') : known }]
}

function joinParts(parts: readonly (string | null)[]): string | null {
  const present = parts.filter((part) => part !== null)
  return present.length === 0 ? null : present.join(', ')
}

/** Restores the leading zero of a SIC code, which tables of numbers lose. */
function padSicCode(text: string | null): string | null {
  const known = dropZeros(text)
  return known !== null && /^\d{3}$/.test(known) ? `0${known}` : known
}

function toTicker(symbol: string, exchange: string | null): DraftIdentifier {
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
    yield* readJsonItems(
      file,
      ({ key, text, line }) => {
        if (key === 'fields') {
          fields.push(toText(parseJson(text)) ?? '')
          return null
        }
        if (key !== 'data')
          throw createOtherKindError(file, kind, key === null ? 'it is a list' : `it has "${key}"`)
        if (!seen.isStarted) {
          for (const field of ['cik', 'name', 'ticker'] as const) {
            slots[field] = fields.indexOf(field)
            if (slots[field] === -1) throw createOtherKindError(file, kind, `it has no field ${field}`)
          }
          slots.exchange = fields.indexOf('exchange')
          seen.isStarted = true
        }
        return readShare(text, line, slots)
      },
      options,
    )
    if (!seen.isStarted) throw createOtherKindError(file, kind, 'it has no data')
  },
}

function readShare(
  text: string,
  line: number,
  slots: { cik: number; name: number; ticker: number; exchange: number },
): ImportItem {
  const cells = toList(parseJson(text))
  if (cells.length === 0) return { kind: 'rejected', line, reason: 'it is not a list in JSON' }
  const cik = toText(cells[slots.cik])
  const ticker = toText(cells[slots.ticker])
  const exchange = toText(cells[slots.exchange])
  const read = checkDraft(
    {
      idType: 'cik',
      id: cik,
      name: toText(cells[slots.name]),
      type: 'business',
      subtype: 'incorporated_entity',
      identifiers: ticker === null ? [] : [toTicker(ticker, exchange)],
      sourceUrl: buildEdgarUrl(cik),
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
export const secSub = createTableFormat(
  {
    what: 'SUB table of the Financial Statement Data Sets',
    required: ['cik', 'name', 'filed'],
    wanted: wanted.split(','),
    tabsUnquoted: true,
    read: readFiling,
  },
  { coverage: 'part', member: /(?:^|\/)sub\.(?:txt|tsv|csv)$/i },
)

function readFiling(row: TableRow, line: number): ImportItem {
  const filedOn = parseDate(row.getText('filed'))
  if (filedOn === null) {
    return {
      kind: 'rejected',
      line,
      reason: `its day of filing "${row.getText('filed') ?? ''}" is not a date`,
    }
  }
  const cik = row.getText('cik')
  const former = row.getText('former')
  const office = readRowAddress(row, 'ba', 'bas')
  const { country, ...address } = office.country === null ? readRowAddress(row, 'ma', 'mas') : office
  const read = checkDraft(
    {
      idType: 'cik',
      id: cik,
      name: row.getText('name'),
      formerNames: former === null ? [] : [{ name: former, endedOn: row.getText('changed') }],
      type: 'business',
      subtype: 'incorporated_entity',
      country,
      jurisdiction: readHome(row),
      identifiers: toEinIdentifiers(row.getText('ein')),
      address,
      sic: padSicCode(row.getText('sic')),
      sourceUrl: buildEdgarUrl(cik),
    },
    line,
  )
  return { kind: 'registration', line, read, statedOn: filedOn }
}

function readRowAddress(row: TableRow, end: 'ba' | 'ma', streets: 'bas' | 'mas') {
  return {
    street: joinParts([row.getText(`${streets}1`), row.getText(`${streets}2`)]),
    city: row.getText(`city${end}`),
    region: row.getText(`stpr${end}`),
    postalCode: dropZeros(row.getText(`zip${end}`)),
    country: row.getText(`country${end}`),
  }
}

function readHome(row: TableRow): string | null {
  const countryCode = row.getText('countryinc')
  return countryCode === null ? null : toJurisdiction({ countryCode, region: row.getText('stprinc') })
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
      yield [await readRegistrant(file, fileNumber, file.label === path)]
    }
    if (fileNumber === 0)
      throw createOtherKindError({ label: path }, kind, 'it has no file CIK##########.json')
  },
}

const kind = { what: 'submissions file of the SEC' }

async function readRegistrant(file: ByteSource, line: number, isAlone: boolean): Promise<ImportItem> {
  const text = await readWholeText(file)
  const record = text === null ? undefined : parseJson(text)
  if (isAlone) refuseOther(file, text, record)
  if (record === undefined) return { kind: 'rejected', line, reason: `${file.label} is not JSON in UTF-8` }
  if (getMember(record, 'cik') === undefined) {
    return { kind: 'rejected', line, reason: `${file.label} has no "cik"` }
  }
  return { kind: 'registration', line, read: checkDraft(buildDraft(record), line), statedOn: null }
}

function refuseOther(file: ByteSource, text: string | null, record: unknown): void {
  if (text === null) throw createOtherKindError(file, kind, 'it is too long')
  if (record === undefined) throw new UserError('INPUT_JSON_INVALID', `${file.label} is not JSON in UTF-8`)
  if (getMember(record, 'cik') === undefined) throw createOtherKindError(file, kind, 'it has no "cik"')
}

/** Returns `null` for a file that is too long, and empty text if it is not UTF-8, as JSON must be. */
async function readWholeText({ bytes }: ByteSource): Promise<string | null> {
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

function buildDraft(record: unknown): Draft {
  const cik = toText(getMember(record, 'cik'))
  const home = parseEdgarPlace(toText(getMember(record, 'stateOfIncorporation')) ?? '')
  const addresses = getMember(record, 'addresses')
  const office =
    readEdgarAddress(getMember(addresses, 'business')) ?? readEdgarAddress(getMember(addresses, 'mailing'))
  const exchanges = toList(getMember(record, 'exchanges')).map(toText)
  const tickers = toList(getMember(record, 'tickers')).map(toText)
  const lei = toText(getMember(record, 'lei'))
  return {
    idType: 'cik',
    id: cik,
    name: toText(getMember(record, 'name')),
    formerNames: toList(getMember(record, 'formerNames')).map((entry) => ({
      name: toText(getMember(entry, 'name')) ?? '',
      endedOn: toText(getMember(entry, 'to')),
    })),
    ...classifyType(record),
    country: office?.country ?? null,
    jurisdiction: home === null ? null : toJurisdiction(home),
    identifiers: [
      ...(lei === null ? [] : [{ type: 'lei' as const, text: lei }]),
      ...toEinIdentifiers(toText(getMember(record, 'ein'))),
      ...tickers.flatMap((ticker, at) => (ticker === null ? [] : [toTicker(ticker, exchanges[at] ?? null)])),
    ],
    ...(office === null ? {} : { address: office }),
    website: toText(getMember(record, 'website')),
    sic: padSicCode(toText(getMember(record, 'sic'))),
    sourceUrl: buildEdgarUrl(cik),
  }
}

/** Directors and owners file too: they report trades and have no industry and no employer number. */
function classifyType(record: unknown): Pick<Draft, 'type' | 'subtype'> {
  const readText = (key: string) => dropZeros(toText(getMember(record, key)))
  const isPerson =
    toText(getMember(record, 'entityType')) === 'other' &&
    readText('insiderTransactionForOwnerExists') === '1' &&
    readText('insiderTransactionForIssuerExists') === null &&
    readText('sic') === null &&
    readText('ein') === null &&
    readText('stateOfIncorporation') === null
  return isPerson
    ? { type: 'person', subtype: 'natural_person' }
    : { type: 'business', subtype: 'incorporated_entity' }
}

function readEdgarAddress(block: unknown) {
  const readBlockText = (key: string) => toText(getMember(block, key))
  const place = parseEdgarPlace(readBlockText('stateOrCountry') ?? '')
  if (place === null && readBlockText('city') === null) return null
  return {
    street: joinParts([readBlockText('street1'), readBlockText('street2')]),
    city: readBlockText('city'),
    region: place?.region ?? readBlockText('foreignStateTerritory'),
    postalCode: dropZeros(readBlockText('zipCode')),
    country: place?.countryCode ?? null,
  }
}

/** `sec-names`: former and other names of registrants: `cik,alias,kind`, one name per line. */
export const secNames = createTableFormat(
  { what: 'list of names by CIK', required: ['cik', 'alias'], wanted: ['kind'], read: nameItem },
  { addsUp: true },
)

function nameItem(row: TableRow, line: number): ImportItem {
  const cik = toCanonicalIdentifier('cik', row.getText('cik') ?? '')
  if ('reason' in cik) return { kind: 'rejected', line, reason: cik.reason }
  const name = row.getText('alias')
  if (name === null) return { kind: 'rejected', line, reason: 'it has no name' }
  const longest = matchLimits.nameCharsMax
  if (name.length > longest)
    return { kind: 'rejected', line, reason: `its name is longer than ${longest} characters` }
  // "former_or_variant" counts as former, unless the name equals the present one: see `compose`.
  const isFormer = /former|previous/i.test(row.getText('kind') ?? 'former')
  return buildAddition(line, `cik:${cik.value}`, { names: [{ kind: isFormer ? 'former' : 'other', name }] })
}
