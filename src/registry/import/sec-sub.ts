import { jurisdictionOf } from '../reference/edgar-places.js'
import { checkDraft, dateOf } from './draft.js'
import type { FileFormat, ImportItem } from '../model/import-item.js'
import { openOneFile } from '../../tables/open-file.js'
import { edgarUrl, einIdentifiers, joined, sicCode, unlessZeros } from './sec.js'
import { tableItems, type TableRow } from './table.js'

const wanted =
  'sic,countryba,stprba,cityba,zipba,bas1,bas2,countryma,stprma,cityma,zipma,mas1,mas2,countryinc,stprinc,ein,former,changed'

/**
 * `sec-sub`: the SUB table of the SEC's Financial Statement Data Sets, tab-separated or CSV, or the zip of a
 * quarter. A company is stated as its latest filing has it, whichever quarter was imported last.
 */
export const secSub: FileFormat = {
  coverage: 'part',
  addsUp: false,
  async *read(path, options) {
    yield* tableItems(
      await openOneFile(path, /(?:^|\/)sub\.(?:txt|tsv|csv)$/i),
      {
        what: 'SUB table of the Financial Statement Data Sets',
        required: ['cik', 'name', 'filed'],
        wanted: wanted.split(','),
        tabsUnquoted: true,
        read: filingItem,
      },
      options,
    )
  },
}

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
