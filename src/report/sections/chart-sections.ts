import { cut, html, isolateText, type Html } from '../../web/html.js'
import { formatCount, plural } from '../../core/text.js'
import type { GroupFigures, RememberedRun } from '../../pipeline/history/read-history.js'
import { renderFigure, renderRectangle } from '../../web/charts.js'
import { matchedConfidenceMin } from '../../contract/limits.js'
import { renderCostChart, renderTimelineChart } from '../charts/over-time.js'
import { renderOutcomesChart, type RunWithFigures } from '../charts/outcomes.js'
import { getFigures, formatPercent, type ReportData } from '../report-data.js'

const toRunsWithFigures = (run: RememberedRun): RunWithFigures[] => {
  const figures = getFigures(run)
  return figures === null || figures.rowCount === 0 ? [] : [{ run, figures }]
}

/** Compares this run with earlier ones. */
export function renderOutcomes({ run, earlier }: Pick<ReportData, 'run' | 'earlier'>): Html {
  const runs = [...earlier].reverse().concat(run).flatMap(toRunsWithFigures)
  return runs.length === 0 ? html`<p>No rows have been published yet.</p>` : renderOutcomesChart(runs)
}

export function renderConfidence({ run }: ReportData): Html {
  const counts = getFigures(run)?.rowsByConfidence ?? []
  return counts.some((count) => count > 0)
    ? renderConfidenceChart(counts)
    : html`<p>No row of this run has a confidence.</p>`
}

export function renderGroups({ run }: ReportData): Html {
  const figures = getFigures(run)
  if (figures === null || figures.byCountry.length === 0) return html`<p>No rows were published.</p>`
  const { byCountry, byColumn } = figures
  return html`<div class="pair">
    ${renderSharesChart({
      id: 'by-country',
      title: 'Matched rows by country',
      noun: 'Country',
      groups: byCountry,
      noneLabel: 'no country known',
    })}
    ${
      byColumn === null
        ? null
        : renderSharesChart({
            id: 'by-column',
            title: `Matched rows by ${cut(byColumn.column, 60)}`,
            noun: cut(byColumn.column, 60),
            groups: byColumn.groups,
            noneLabel: 'empty',
          })
    }
  </div>`
}

export function renderTimeline({ run }: ReportData): Html {
  const timeline = run.record?.timeline ?? []
  const { answered = 0, submissions = 0, polls = 0 } = timeline.at(-1) ?? {}
  if (answered + submissions + polls === 0)
    return html`<p>No request was sent: every answer was already known.</p>`
  return (
    renderTimelineChart(timeline) ??
    html`<p>The requests took less than two seconds: too short for a chart.</p>`
  )
}

export function renderCost({ run, paid }: Pick<ReportData, 'run' | 'paid'>): Html {
  const chart = renderCostChart([...paid].reverse())
  if (chart !== null) return chart
  return run.record?.service === 'embedded'
    ? html`<p>The embedded service answers from your own registry and costs nothing.</p>`
    : html`<p>No price is known. To show the cost, set <code>billing.unitPrice</code> in the config.</p>`
}

const barsMax = 12
const groupsMax = 200

interface SharesOptions {
  /** Unique in the page. */
  readonly id: string
  readonly title: string
  /** The property that groups share: `country`. */
  readonly noun: string
  /** The largest first. */
  readonly groups: readonly GroupFigures[]
  /** Label of rows without a value. */
  readonly noneLabel: string
}

/** The share of matched rows per group, with a bar and counts. */
function renderSharesChart({ id, title, noun, groups, noneLabel }: SharesOptions): Html {
  const bars = groups.slice(0, barsMax)
  const rest = groups.slice(barsMax)
  const renderLabel = ({ value }: GroupFigures): Html =>
    value === null || value === '' ? html`<i>${noneLabel}</i>` : isolateText(value, 40)
  return renderFigure({
    id,
    title,
    plot: null,
    below: html`<ul class="bars">
        ${bars.map((group) => renderBar(group, renderLabel(group)))}
      </ul>
      ${rest.length === 0 ? null : renderRest(rest)}`,
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
        renderLabel(group),
        formatCount(group.rowCount),
        formatCount(group.matchedCount),
        formatPercent(group.matchedCount, group.rowCount),
      ],
    },
  })
}

function renderBar({ value, rowCount, matchedCount }: GroupFigures, label: Html): Html {
  const share = rowCount === 0 ? 0 : (matchedCount / rowCount) * 100
  const words = `${cut(value ?? '', 40)} ${formatCount(matchedCount)} of ${plural(rowCount, 'row')} matched`
  return html`<li>
    <span class="bar-name">${label}</span>
    <svg class="bar" aria-hidden="true">
      <rect class="track" width="100%" height="100%" />
      ${
        share === 0
          ? null
          : renderRectangle({
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
      >${formatPercent(matchedCount, rowCount)} <span class="quiet">of ${formatCount(rowCount)}</span></span
    >
  </li>`
}

function renderRest(rest: readonly GroupFigures[]): Html {
  const rowCount = rest.reduce((sum, group) => sum + group.rowCount, 0)
  const matchedCount = rest.reduce((sum, group) => sum + group.matchedCount, 0)
  return html`<p class="quiet">
    ${plural(rest.length, 'smaller group')} more: ${formatPercent(matchedCount, rowCount)} of
    ${plural(rowCount, 'row')} matched.
  </p>`
}

/** Confidence points per column. The last column also has 100. */
const binWidth = 5
const binCount = 100 / binWidth
/** Minimum height of a column with rows, in percent, so that it is visible. */
const heightMin = 1.2

/** Answers per confidence (101 counts, for 0 to 100), with a line at the threshold of `matched`. */
function renderConfidenceChart(counts: readonly number[]): Html {
  const bins = Array.from({ length: binCount }, (_, index) => {
    const from = index * binWidth
    const to = index === binCount - 1 ? 100 : from + binWidth - 1
    return { from, to, count: sumCounts(counts.slice(from, to + 1)) }
  })
  const total = sumCounts(counts)
  const below = sumCounts(counts.slice(0, matchedConfidenceMin))
  const most = Math.max(1, ...bins.map(({ count }) => count))
  const title = 'Confidence of the answers'
  return renderFigure({
    id: 'confidence',
    title,
    plot: {
      description:
        `Rows by confidence from 0 to 100. ${plural(total - below, 'row')} (${formatPercent(total - below, total)}) ` +
        `at ${matchedConfidenceMin} or above, ${plural(below, 'row')} below.`,
      size: 'tall',
      marks: [
        bins.map(({ from, to, count }) =>
          count === 0
            ? null
            : renderBin({ from, to, height: Math.max(heightMin, (count / most) * 96), count }),
        ),
        html`<line
          class="line-at"
          x1="${matchedConfidenceMin}%"
          x2="${matchedConfidenceMin}%"
          y1="0"
          y2="100%"
        />`,
      ],
    },
    below: html`<div class="scale quiet" aria-hidden="true">
        ${[0, 20, 40, 60, 80].map((value) => html`<span>${value}</span>`)}
      </div>
      <p>
        <strong>${plural(total - below, 'row')}</strong> (${formatPercent(total - below, total)}) at or above
        the line at ${matchedConfidenceMin}, where a match is sure enough;
        <strong>${formatCount(below)}</strong> below it. The highest column has ${plural(most, 'row')}.
      </p>`,
    table: {
      columns: [{ name: 'Confidence' }, { name: 'Rows', isNumber: true }, { name: 'Share', isNumber: true }],
      rows: bins.filter(({ count }) => count > 0).reverse(),
      cellsOf: ({ from, to, count }) => [`${from} to ${to}`, formatCount(count), formatPercent(count, total)],
    },
  })
}

const sumCounts = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

function renderBin(bin: { from: number; to: number; height: number; count: number }): Html {
  const { from, to, height, count } = bin
  return renderRectangle({
    x: from + 0.4,
    width: binWidth - 0.8,
    y: 100 - height,
    height,
    className: from >= matchedConfidenceMin ? 'o-matched' : 'o-doubtful',
    words: `${from} to ${to}: ${plural(count, 'row')}`,
  })
}
