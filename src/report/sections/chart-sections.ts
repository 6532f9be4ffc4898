import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import { confidenceChart, sharesChart } from '../charts/distributions.js'
import { costChart } from '../charts/cost.js'
import { outcomesChart, type FiguredRun } from '../charts/outcomes.js'
import { timelineChart } from '../charts/timeline.js'
import { cut, html, type Html } from '../../web/html.js'
import { figuresOf, type ReportData } from '../report-data.js'

const figured = (run: RememberedRun): FiguredRun[] => {
  const figures = figuresOf(run)
  return figures === null || figures.rowCount === 0 ? [] : [{ run, figures }]
}

/** Compares this run with earlier ones. */
export function outcomesHtml({ run, earlier }: Pick<ReportData, 'run' | 'earlier'>): Html {
  const runs = [...earlier].reverse().concat(run).flatMap(figured)
  return runs.length === 0 ? html`<p>No rows have been published yet.</p>` : outcomesChart(runs)
}

export function confidenceHtml({ run }: ReportData): Html {
  const counts = figuresOf(run)?.rowsByConfidence ?? []
  return counts.some((count) => count > 0)
    ? confidenceChart(counts)
    : html`<p>No row of this run has a confidence.</p>`
}

export function groupsHtml({ run }: ReportData): Html {
  const figures = figuresOf(run)
  if (figures === null || figures.byCountry.length === 0) return html`<p>No rows were published.</p>`
  const { byCountry, byColumn } = figures
  return html`<div class="pair">
    ${sharesChart({
      id: 'by-country',
      title: 'Matched rows by country',
      noun: 'Country',
      groups: byCountry,
      noneLabel: 'no country known',
    })}
    ${
      byColumn === null
        ? null
        : sharesChart({
            id: 'by-column',
            title: `Matched rows by ${cut(byColumn.column, 60)}`,
            noun: cut(byColumn.column, 60),
            groups: byColumn.groups,
            noneLabel: 'empty',
          })
    }
  </div>`
}

export function timelineHtml({ run }: ReportData): Html {
  const timeline = run.record?.timeline ?? []
  const { answered = 0, submissions = 0, polls = 0 } = timeline.at(-1) ?? {}
  if (answered + submissions + polls === 0)
    return html`<p>No request was sent: every answer was already known.</p>`
  return (
    timelineChart(timeline) ?? html`<p>The requests took less than two seconds: too short for a chart.</p>`
  )
}

export function costHtml({ run, paid }: Pick<ReportData, 'run' | 'paid'>): Html {
  const chart = costChart([...paid].reverse())
  if (chart !== null) return chart
  return run.record?.service === 'embedded'
    ? html`<p>The embedded service answers from your own registry and costs nothing.</p>`
    : html`<p>No price is known. To show the cost, set <code>billing.unitPrice</code> in the config.</p>`
}
