import { formatCount } from '../../core/text.js'
import { formatDuration } from '../../core/duration.js'
import type { RememberedRun } from '../../pipeline/history/history.js'
import { foreign, html, type Html, type HtmlPart } from '../../web/html.js'
import { rowsByGroup } from '../outcome-groups.js'
import { figuresOf, type ReportData } from '../report-data.js'
import { amount, percent } from '../words.js'

/** The figures that everybody asks for first. */
export function tilesHtml({ run, changes, review }: ReportData): Html {
  const figures = figuresOf(run)
  const summary = run.record?.summary ?? null
  const money = run.record?.money ?? null
  const tiles: (readonly [string, HtmlPart])[] = [
    ['Rows', figures === null ? '–' : formatCount(figures.rowCount)],
    [
      'Matched',
      figures === null ? '–' : percent(rowsByGroup(figures.rowsByStatus).matched, figures.rowCount),
    ],
    ['Changes', changes === null ? '–' : formatCount(sumOf(Object.values(changes.counts)))],
    ['Rows to review', review === null ? '–' : formatCount(review.rowCount)],
    ...decidedTile(run),
    ['Lookups billed', summary === null ? '–' : formatCount(billedOf(run))],
    ['Cost', money === null ? '–' : amount(money.cost, money.currency)],
    ['Took', summary === null ? '–' : formatDuration(summary.elapsedMs)],
  ]
  return factList('tiles', tiles)
}

export const factList = (kind: 'tiles' | 'facts', facts: readonly (readonly [string, HtmlPart])[]): Html =>
  html`<dl class="${kind}">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** Left out where nobody decided anything. */
function decidedTile({ record }: RememberedRun): (readonly [string, HtmlPart])[] {
  const decidedCount = record?.summary?.decidedCount ?? 0
  return decidedCount > 0 ? [['Lookups decided by people', formatCount(decidedCount)]] : []
}

/** The embedded service bills nobody. */
const billedOf = ({ record }: RememberedRun): number =>
  record?.service === 'embedded' ? 0 : (record?.summary?.billedCount ?? 0)

/** Each message begins with its condition. */
export function alarmsHtml({ record }: RememberedRun): Html | null {
  const alarms = record?.alarms ?? []
  if (alarms.length === 0) return null
  return html`<div class="alarms" role="group" aria-label="Alarms">
    <p><strong>Alarms</strong></p>
    <ul>
      ${alarms.slice(0, 50).map(({ message }) => html`<li>${foreign(message, 300)}</li>`)}
    </ul>
  </div>`
}
