import { formatCount, plural } from '../../core/text.js'
import { foreign, html, sourceHtml, type Html } from '../../web/html.js'
import type { ReportAttention, ReportData } from '../report-data.js'
import { tableHtml } from '../../web/table.js'
import { textHtml } from './changes.js'

/** A list takes at most this much, so that a page stays below its size. */
const bytesMax = 100_000

/** Rows to review, then those without an answer; those that stand for most rows first. */
export function attentionHtml({ run, review, unanswered }: ReportData): Html {
  const lookupCount = run.record?.summary?.review?.lookupCount ?? 0
  return html`${
    review === null
      ? html`<p>Which rows of this run are left to review is not remembered.</p>`
      : review.rowCount === 0
        ? html`<p>None: no answer is doubtful.</p>`
        : listHtml('review', review, {
            title: 'Rows to review',
            words: html`${plural(lookupCount, 'doubtful lookup')}, ${plural(review.rowCount, 'row')}:
              <code>enrich review</code> shows the same ones.`,
          })
  }
  ${
    unanswered === null || unanswered.rowCount === 0
      ? null
      : listHtml('unanswered', unanswered, {
          title: 'Rows without an answer',
          words: html`${plural(unanswered.rowCount, 'row')} without an answer: the lookup failed or may have
          been billed, or the row could not be looked up.`,
        })
  }`
}

/** Rows that ask the same stand on one line. */
function listHtml(
  id: string,
  { rowCount, entries }: ReportAttention,
  { title, words }: { readonly title: string; readonly words: Html },
): Html {
  const named = entries.reduce((sum, entry) => sum + entry.rowCount, 0)
  return html`<p>${words} Rows that ask the same are on one line.</p>
    ${tableHtml({
      id: `${id}-table`,
      label: title,
      columns: [
        { name: 'Rows', isNumber: true },
        { name: 'Company asked for' },
        { name: 'Status' },
        { name: 'Confidence', isNumber: true },
        { name: 'Found, or why not' },
      ],
      rows: entries,
      cellsOf: (entry) => [
        formatCount(entry.rowCount),
        html`${textHtml(entry.name)}
          <span class="quiet place"
            >${
              entry.rowKey === null
                ? html`row ${formatCount(entry.rowNumber)}`
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
