import { checkDraft } from './draft.js'
import type { FileFormat, ImportItem } from '../model/import-item.js'
import { jsonItems, listOf, parseJson, textOf } from './json-items.js'
import { openOneFile } from '../../tables/open-file.js'
import { edgarUrl, tickerOf } from './sec.js'
import { otherKind } from './table.js'

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
