import { formatCount, plural } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import { formatBilledCount, sumSubmitted } from '../../core/money.js'
import { cut, html, isolateText, type Html, type HtmlPart } from '../../web/html.js'
import { renderTable } from '../../web/charts.js'
import { exitCodes } from '../../core/errors.js'
import { changeKinds, formatAlarm, type ChangeKind } from '../../core/alarms.js'
import {
  type OutputFigures,
  getBilled,
  getSubmissions,
  type RememberedRun,
  formatSample,
  isNamedJob,
} from '../../pipeline/history/read-history.js'
import {
  countRowsByGroup,
  formatCost,
  getFigures,
  formatMoney,
  formatPercent,
  renderMoment,
  type ReportData,
} from '../report-data.js'

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
    ...buildSubmissionTiles(run),
    ['Cost', money === null ? '–' : formatCost(money)],
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
        html`<div class="${isLong(value) ? 'long' : null}">
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

/** Whether a value needs the width of two tiles. */
const isLong = (value: HtmlPart): boolean => typeof value === 'string' && value.length > 8

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

/** Submissions of all kinds; the embedded service bills none. */
function buildSubmissionTiles({ record }: RememberedRun): (readonly [string, HtmlPart])[] {
  if (record === null) return [['Submitted', '–']]
  const submitted = ['Submitted', formatCount(sumSubmitted(getSubmissions(record)))] as const
  return record.service === 'embedded'
    ? [submitted]
    : [submitted, ['Billed', formatBilledCount(getBilled(record))]]
}

/** Renders the alarms of a run; `null` without any. Each message starts with its condition. */
export function renderAlarms({ record }: RememberedRun): Html | null {
  const alarms = record?.alarms ?? []
  if (alarms.length === 0) return null
  return html`<div class="alarms" role="group" aria-label="Alarms">
    <p><strong>Alarms</strong></p>
    <ul>
      ${alarms.slice(0, 50).map((alarm) => html`<li>${isolateText(formatAlarm(alarm), 300)}</li>`)}
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

/** Summarizes a run in sentences. */
export function buildHeadline(data: ReportData): string {
  return [
    describeRows(data),
    describeChanges(data),
    describeCost(data.run),
    describeAlarms(data.run),
    describeEnd(data.run),
  ]
    .filter((sentence) => sentence !== null)
    .join(' ')
}

/** From 0 to 1; `null` if there are no rows. */
function calculateMatchedShare(figures: OutputFigures | null): number | null {
  if (figures === null || figures.rowCount === 0) return null
  return countRowsByGroup(figures.rowsByStatus).matched / figures.rowCount
}

function describeRows(data: ReportData): string {
  const figures = getFigures(data.run)
  if (figures === null) return 'This run published no output.'
  const { matched, open } = countRowsByGroup(figures.rowsByStatus)
  if (figures.rowCount === 0) return 'The input has no rows.'
  if (!data.run.isPublished)
    return `This run published no output. Of its ${plural(figures.rowCount, 'row')}, ${formatCount(matched)} are matched so far, and ${formatCount(open)} have no answer yet.`
  const share = formatPercent(matched, figures.rowCount)
  return `${plural(figures.rowCount, 'row')}, ${formatCount(matched)} of them matched (${share}${describeShareChange(data)}).`
}

/** Compares with the previous run. */
function describeShareChange({ run, earlier }: ReportData): string {
  const [now, before] = [
    calculateMatchedShare(getFigures(run)),
    calculateMatchedShare(getFigures(earlier[0])),
  ]
  if (now === null || before === null) return ''
  const points = (now - before) * 100
  if (points === 0) return ', as in the previous run'
  const words = Math.abs(points) < 0.1 ? 'less than 0.1' : Math.abs(points).toFixed(1)
  return `, ${words} points ${points > 0 ? 'more' : 'less'} than in the previous run`
}

function describeChanges({ changes, run }: ReportData): string | null {
  if (!run.isPublished) return null
  if (changes === null) return 'No earlier run of this series is stored, so there is nothing to compare with.'
  const counts = changeKinds.flatMap((kind) => {
    const count = changes.counts[kind] ?? 0
    return count === 0 ? [] : [{ kind, count }]
  })
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return `Nothing changed since run ${changes.baseline}.`
  const largest = [...counts].sort((one, other) => other.count - one.count).slice(0, 3)
  const named = largest.map(({ kind, count }) => formatKind(kind, count)).join(', ')
  const rest = counts.length > largest.length ? ' and more' : ''
  return `${plural(total, 'change')} since run ${changes.baseline}: ${named}${rest}.`
}

/** `1 new row`, `43 new rows` */
export const formatKind = (kind: ChangeKind, count: number): string =>
  `${formatCount(count)} ${wordsOfKind[kind][count === 1 ? 0 : 1]}`

const wordsOfKind: Readonly<Record<ChangeKind, readonly [one: string, several: string]>> = {
  new_row: ['new row', 'new rows'],
  row_gone: ['row gone', 'rows gone'],
  gained_match: ['row gained a match', 'rows gained a match'],
  lost_match: ['row lost its match', 'rows lost their match'],
  entity_changed: ['row matched to another company', 'rows matched to another company'],
  merged: ['company merged', 'companies merged'],
  renamed: ['company renamed', 'companies renamed'],
  became_inactive: ['company became inactive', 'companies became inactive'],
  became_active: ['company became active', 'companies became active'],
  restructuring_began: [
    'company began restructuring or administration',
    'companies began restructuring or administration',
  ],
  left_register: ['company left a register', 'companies left a register'],
  address_changed: ['address changed', 'addresses changed'],
  identifier_changed: ['identifier changed', 'identifiers changed'],
  parent_changed: ['parent changed', 'parents changed'],
  confidence_crossed: ['confidence crossed the threshold of 80', 'confidences crossed the threshold of 80'],
}

function describeCost({ record }: RememberedRun): string | null {
  if (record === null) return null
  const { money, summary, service } = record
  if (service === 'embedded') return 'The embedded service answered, which costs nothing.'
  if (money === null)
    return summary === null ? null : `Billed submissions: ${formatBilledCount(getBilled(record))}.`
  const uncertain =
    money.uncertainCost === 0
      ? ''
      : `, and ${formatMoney(money.uncertainCost, money.currency)} more may have been billed`
  return `It cost ${formatCost(money)}${uncertain}.`
}

/** Gives their number only; `renderAlarms` has the text. */
function describeAlarms({ record }: RememberedRun): string | null {
  if (record === null) return null
  const { length } = record.alarms
  if (length === 0) return 'No alarm.'
  return length === 1 ? 'One ALARM, see below.' : `${length} ALARMS, see below.`
}

function describeEnd({ exitCode, endedAtMs, record }: RememberedRun): string {
  if (exitCode === null || endedAtMs === null)
    return 'It was still running when this report was written, or it was killed.'
  if (record !== null && record.error !== null)
    return `It ended with an error, ${cut(record.error.code)}: ${cut(record.error.message)} (exit code ${exitCode}).`
  return exitCode === 0
    ? 'It succeeded (exit code 0).'
    : `It ended with exit code ${exitCode}: ${describeExit(exitCode)}.`
}

function describeExit(exitCode: number): string {
  const known = Object.entries(exitCodes).find(([code]) => Number(code) === exitCode)?.[1]
  if (known === undefined) return 'of another version'
  return 'meaning' in known ? known.meaning : known.manual
}
