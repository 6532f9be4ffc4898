import { formatCount } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import { formatSample } from '../../pipeline/figures/first-figures.js'
import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import { isolateText, html, type Html, type HtmlPart } from '../../web/html.js'
import { countRowsByGroup, getFigures, type ReportData } from '../report-data.js'
import { formatMoney, formatPercent, renderMoment } from '../value-text.js'
import { isNamedJob } from '../../pipeline/lookups/partition.js'
import { renderTable } from '../../web/charts.js'

/** The key figures. */
export function renderTiles({ run, changes, review }: ReportData): Html {
  const figures = getFigures(run)
  const summary = run.record?.summary ?? null
  const money = run.record?.money ?? null
  const tiles: (readonly [string, HtmlPart])[] = [
    ['Rows', figures === null ? '–' : formatCount(figures.rowCount)],
    [
      'Matched',
      figures === null
        ? '–'
        : formatPercent(countRowsByGroup(figures.rowsByStatus).matched, figures.rowCount),
    ],
    ['Changes', changes === null ? '–' : formatCount(sumCounts(Object.values(changes.counts)))],
    ['Rows to review', review === null ? '–' : formatCount(review.rowCount)],
    ...buildDecidedTile(run),
    ...buildFirstTiles(run),
    ['Lookups billed', summary === null ? '–' : formatCount(countBilled(run))],
    ['Cost', money === null ? '–' : formatMoney(money.cost, money.currency)],
    ['Took', summary === null ? '–' : formatDuration(summary.elapsedMs)],
  ]
  return renderFactList('tiles', tiles)
}

export const renderFactList = (
  kind: 'tiles' | 'facts',
  facts: readonly (readonly [string, HtmlPart])[],
): Html =>
  html`<dl class="${kind}">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

const sumCounts = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** Empty if there are no decisions. */
function buildDecidedTile({ record }: RememberedRun): (readonly [string, HtmlPart])[] {
  const decidedCount = record?.summary?.decidedCount ?? 0
  return decidedCount > 0 ? [['Lookups decided by reviewers', formatCount(decidedCount)]] : []
}

/** Empty unless an own registry answered first. */
function buildFirstTiles({ record }: RememberedRun): (readonly [string, HtmlPart])[] {
  const { first } = record?.summary ?? {}
  if (first === undefined) return []
  const { lookupCount, saved, sample } = first
  return [
    ['Lookups answered by the own registry', formatCount(lookupCount)],
    ...(saved === null ? [] : [['Saved', formatMoney(saved.amount, saved.currency)] as const]),
    ...(sample === null ? [] : [['Checked by a sample', formatSample(sample)] as const]),
  ]
}

/** The embedded service is free. */
const countBilled = ({ record }: RememberedRun): number =>
  record?.service === 'embedded' ? 0 : (record?.summary?.billedCount ?? 0)

/** Renders the alarms of a run; `null` without any. Each message starts with its condition. */
export function renderAlarms({ record }: RememberedRun): Html | null {
  const alarms = record?.alarms ?? []
  if (alarms.length === 0) return null
  return html`<div class="alarms" role="group" aria-label="Alarms">
    <p><strong>Alarms</strong></p>
    <ul>
      ${alarms.slice(0, 50).map(({ message }) => html`<li>${isolateText(message, 300)}</li>`)}
    </ul>
  </div>`
}

/** The name of the job, or its input files. */
export function renderJob({ series, record }: RememberedRun): Html {
  const paths = record?.input.paths ?? []
  return isolateText(isNamedJob(series) || paths.length === 0 ? series : paths.join(', '), 200)
}

/** The command line of a run, and its settings by config key. */
export function renderSettings(run: RememberedRun): Html {
  const { record, startedAtMs, endedAtMs, exitCode } = run
  if (record === null) return html`<p>The data of this run were stored by another version of enrich.</p>`
  const { command, program, service, scope, input, settings } = record
  const facts: (readonly [string, HtmlPart])[] = [
    ['Command', html`<code>${isolateText(command, 600)}</code>`],
    ['Began', renderMoment(startedAtMs)],
    ['Ended', endedAtMs === null ? '–' : renderMoment(endedAtMs)],
    ['Exit code', exitCode ?? '–'],
    ['Job', renderJob(run)],
    ['Service', html`${service}, ${isolateText(scope, 200)}`],
    ['Input', html`${isolateText(input.paths.slice(0, 20).join(', '), 600)} (${input.format})`],
    ['SHA-256 of the input', input.sha256 === null ? '–' : html`<code>${input.sha256}</code>`],
    ['enrich', isolateText(program, 40)],
  ]
  return html`${renderFactList('facts', facts)}
  ${renderTable({
    id: 'settings-table',
    label: 'Settings',
    columns: [{ name: 'Setting' }, { name: 'Value' }],
    rows: listValues(settings),
    cellsOf: ([key, value]) => [html`<code>${key}</code>`, isolateText(value, 300)],
    noun: 'settings',
  })}`
}

/** Each setting with the path of its key: `input.columns.name`. A list is one setting. */
function listValues(value: unknown, above = ''): (readonly [string, string])[] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return above === '' ? [] : [[above, formatSetting(value)]]
  return Object.entries(value).flatMap(([key, inner]) =>
    listValues(inner, above === '' ? key : `${above}.${key}`),
  )
}

function formatSetting(value: unknown): string {
  if (value === null) return 'none'
  if (Array.isArray(value)) return value.map(formatSetting).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
