import { foreign, html, sourceHtml, type Html } from '../html.js'
import type { ReportAttention } from '../report-data.js'
import { tableHtml } from '../table.js'
import { counted, grouped } from '../words.js'
import { textHtml } from './changes.js'

const bytesMax = 200_000

/** Rows that no answer settles, those that stand for most rows first. */
export function attentionHtml(attention: ReportAttention | null): Html {
  if (attention === null) return html`<p>The output of this run is not remembered.</p>`
  const { rowCount, entries } = attention
  if (rowCount === 0) return html`<p>None: every row has an answer that settles it.</p>`
  const named = entries.reduce((sum, entry) => sum + entry.rowCount, 0)
  return html`<p>
      ${counted(rowCount, 'row')}: a doubtful match, a lookup that may have been billed, or one that failed or
      could not be asked. Rows that ask the same stand on one line.
    </p>
    ${tableHtml({
      id: 'attention-table',
      label: 'Rows that need a person',
      columns: [
        { name: 'Rows', isNumber: true },
        { name: 'Company asked for' },
        { name: 'Status' },
        { name: 'Confidence', isNumber: true },
        { name: 'Found, or why not' },
      ],
      rows: entries,
      cellsOf: (entry) => [
        grouped(entry.rowCount),
        html`${textHtml(entry.name)}
          <span class="quiet place"
            >${
              entry.rowKey === null
                ? html`row ${grouped(entry.rowNumber)}`
                : html`key ${foreign(entry.rowKey, 40)}`
            }</span
          >`,
        html`<span class="status">${foreign(entry.status, 40)}</span>`,
        entry.confidence === null ? '–' : entry.confidence,
        entry.found === null && entry.source !== null
          ? sourceHtml(entry.source)
          : html`${textHtml(entry.found)}${entry.source === null ? null : html`<div>${sourceHtml(entry.source)}</div>`}`,
      ],
      bytesMax,
      ...(named < rowCount ? { totalCount: rowCount } : {}),
    })}`
}
