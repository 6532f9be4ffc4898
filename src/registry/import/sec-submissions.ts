import { isUtf8 } from 'node:buffer'
import { UserError } from '../../core/errors.js'
import { edgarPlace, jurisdictionOf } from '../reference/edgar-places.js'
import { checkDraft, type Draft } from './draft.js'
import type { FileFormat, ImportItem } from '../model/import-item.js'
import { listOf, member, parseJson, textOf } from './json-elements.js'
import { importLimits } from '../model/limits.js'
import type { ByteSource } from '../../tables/bytes.js'
import { openFiles } from '../../tables/open-file.js'
import { edgarUrl, einIdentifiers, joined, sicCode, tickerOf, unlessZeros } from './sec.js'
import { otherKind } from './table.js'

/** Older filings of a registrant go on in files of their own, with `-submissions-` in the name. */
const registrantFile = /(?:^|\/)CIK\d{10}\.json$/i

/**
 * `sec-submissions`: what EDGAR holds of a registrant, `CIK##########.json`, or a zip of such files. Each is
 * read as one piece. In a zip, one that cannot be read is rejected, counted by its place in the zip.
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
    if (fileNumber === 0) throw otherKind({ label: path }, kind, 'it holds no file CIK##########.json')
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

/** Null for a file that is longer than any of this kind; empty for what is not UTF-8, as JSON has to be. */
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

/** Directors and owners file too: they have no industry and no employer's number, and report their trades. */
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
