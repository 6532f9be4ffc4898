import { formatCount, plural } from '../../core/text.js'
import type { GroupFigures } from '../../pipeline/rules/run-record.js'
import { cut, foreign, html, type Html } from '../../web/html.js'
import { percent } from '../words.js'
import { figureHtml, rectangleHtml } from '../../web/charts.js'

const barsMax = 12
const groupsMax = 200

export interface SharesOptions {
  /** Unique in the page. */
  readonly id: string
  readonly title: string
  /** What the groups are of: `country`. */
  readonly noun: string
  /** The largest first. */
  readonly groups: readonly GroupFigures[]
  /** For rows without a value. */
  readonly noneLabel: string
}

/** How many of a group's rows are matched, a bar a group: a long bar is a good one, the number beside says of how many. */
export function sharesChart({ id, title, noun, groups, noneLabel }: SharesOptions): Html {
  const bars = groups.slice(0, barsMax)
  const rest = groups.slice(barsMax)
  const labelOf = ({ value }: GroupFigures): Html =>
    value === null || value === '' ? html`<i>${noneLabel}</i>` : foreign(value, 40)
  return figureHtml({
    id,
    title,
    plot: null,
    below: html`<ul class="bars">
        ${bars.map((group) => barHtml(group, labelOf(group)))}
      </ul>
      ${rest.length === 0 ? null : restHtml(rest)}`,
    table: {
      columns: [
        { name: noun },
        { name: 'Rows', isNumber: true },
        { name: 'Matched', isNumber: true },
        { name: 'Share', isNumber: true },
      ],
      rows: groups.slice(0, groupsMax),
      totalCount: groups.length,
      noun: 'groups',
      cellsOf: (group) => [
        labelOf(group),
        formatCount(group.rowCount),
        formatCount(group.matchedCount),
        percent(group.matchedCount, group.rowCount),
      ],
    },
  })
}

function barHtml({ value, rowCount, matchedCount }: GroupFigures, label: Html): Html {
  const share = rowCount === 0 ? 0 : (matchedCount / rowCount) * 100
  const words = `${cut(value ?? '', 40)} ${formatCount(matchedCount)} of ${plural(rowCount, 'row')} matched`
  return html`<li>
    <span class="bar-name">${label}</span>
    <svg class="bar" aria-hidden="true">
      <rect class="track" width="100%" height="100%" />
      ${
        share === 0
          ? null
          : rectangleHtml({
              x: 0,
              y: 0,
              width: Math.max(0.5, share),
              height: 100,
              className: 'o-matched',
              words,
            })
      }
    </svg>
    <span class="bar-value"
      >${percent(matchedCount, rowCount)} <span class="quiet">of ${formatCount(rowCount)}</span></span
    >
  </li>`
}

function restHtml(rest: readonly GroupFigures[]): Html {
  const rowCount = rest.reduce((sum, group) => sum + group.rowCount, 0)
  const matchedCount = rest.reduce((sum, group) => sum + group.matchedCount, 0)
  return html`<p class="quiet">
    ${plural(rest.length, 'smaller group')} more: ${percent(matchedCount, rowCount)} of
    ${plural(rowCount, 'row')} matched.
  </p>`
}
