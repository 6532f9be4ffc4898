import { formatCount, plural } from '../../core/text.js'
import { exitCodes } from '../../core/errors.js'
import { changeKinds, type ChangeKind } from '../../pipeline/figures/change-kinds.js'
import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import type { OutputFigures } from '../../pipeline/figures/run-record.js'
import { cut } from '../../web/html.js'
import { countRowsByGroup, getFigures, type ReportData } from '../report-data.js'
import { formatMoney, formatPercent } from '../value-text.js'

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
  address_changed: ['address changed', 'addresses changed'],
  identifier_changed: ['identifier changed', 'identifiers changed'],
  parent_changed: ['parent changed', 'parents changed'],
  confidence_crossed: ['confidence crossed the threshold of 80', 'confidences crossed the threshold of 80'],
}

function describeCost({ record }: RememberedRun): string | null {
  if (record === null) return null
  const { money, summary, service } = record
  if (service === 'embedded') return 'The embedded service answered, which costs nothing.'
  if (money === null) return summary === null ? null : `${plural(summary.billedCount, 'lookup')} billed.`
  const uncertain =
    money.uncertainCost === 0
      ? ''
      : `, and ${formatMoney(money.uncertainCost, money.currency)} more may have been billed`
  return `It cost ${formatMoney(money.cost, money.currency)}${uncertain}.`
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
