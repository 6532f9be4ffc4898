import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import { renderConfidenceChart, renderSharesChart } from '../charts/distributions.js'
import { renderCostChart } from '../charts/cost.js'
import { renderOutcomesChart, type RunWithFigures } from '../charts/outcomes.js'
import { renderTimelineChart } from '../charts/timeline.js'
import { cut, html, type Html } from '../../web/html.js'
import { getFigures, type ReportData } from '../report-data.js'

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
