import { formatCount, plural } from '../../core/text.js'
import type { LabelledDecisions } from '../../app/labelled-decisions.js'
import { cutToWidth } from '../../core/display-width.js'
import type { DecidedEvaluation, UnknownCompany } from '../../registry/evaluate/decided.js'
import type { Recommendation, ThresholdAdvice, ThresholdFigures } from '../../registry/evaluate/thresholds.js'
import { evaluationText, percent, withInterval } from './registry-evaluate-text.js'

/** More of what the registry does not have is in the JSON report alone. */
const unknownShownMax = 10
const lineColumnsMax = 80

/** The report of `enrich registry evaluate --decisions` for people, no wider than a terminal. */
export function decidedText(decided: DecidedEvaluation, labelled: LabelledDecisions): string {
  const { report, byCountry, advice } = decided
  const lines = [
    ...headLines(decided, labelled),
    '',
    evaluationText(report, [
      { title: 'status', figures: report.strata },
      { title: 'country', figures: byCountry },
    ]).trimEnd(),
    '',
    ...adviceLines(advice),
  ]
  return `${lines.join('\n')}\n`
}

function headLines(
  { acceptedCount, noneCount, unknown }: DecidedEvaluation,
  { otherServiceCount, furtherAskedCount }: LabelledDecisions,
): string[] {
  const further = furtherAskedCount === 1 ? '1 was' : `${formatCount(furtherAskedCount)} were`
  return [
    `${plural(acceptedCount + noneCount, 'decision')}: ${formatCount(acceptedCount)} accepted, ${formatCount(noneCount)} none of those known`,
    ...(otherServiceCount === 0 ? [] : [`  ${formatCount(otherServiceCount)} of another service left out`]),
    ...unknownLines(unknown),
    ...(furtherAskedCount === 0
      ? []
      : [`  ${further} asked with more than name and place; asked by these alone here`]),
    '',
    'Only what was doubtful was reviewed: the figures are those of such lookups, as',
    'this registry answers them now; they say nothing of what nobody looked at.',
  ]
}

function unknownLines(unknown: readonly UnknownCompany[]): string[] {
  if (unknown.length === 0) return []
  const shown = unknown
    .slice(0, unknownShownMax)
    .map(({ name, entityId }) => `    ${cutToWidth(`${entityId} ${name}`, lineColumnsMax - 4)}`)
  const rest = unknown.length - shown.length
  return [
    `  ${formatCount(unknown.length)} left out: this registry has no company of that id`,
    ...shown,
    ...(rest === 0 ? [] : [`    and ${formatCount(rest)} more, with --json`]),
  ]
}

function adviceLines({ thresholds, reviewedCount, riskMax, recommendation }: ThresholdAdvice): string[] {
  return [
    'review.threshold: a matched or partial_match answer at or above is not reviewed',
    line(['threshold', 'not reviewed', 'share', 'wrong', 'share wrong', 'below the next']),
    ...thresholds.map(thresholdLine),
    '',
    ...recommendationLines(recommendation, thresholds, riskMax),
    ...(reviewedCount === 0 ? [] : aboveLines),
  ]
}

const aboveLines = [
  'Above the threshold in force then, few answers were looked at: the shares there',
  'say little of what a run answers.',
]

const cellColumns = [9, 13, 7, 7, 14, 22]

const line = (cells: readonly string[]): string =>
  cells.map((cell, at) => cell.padStart(cellColumns[at] ?? 0)).join(' ')

function thresholdLine({ risk, band, ...figures }: ThresholdFigures): string {
  return line([
    String(figures.threshold),
    formatCount(figures.sparedCount),
    percent(figures.sparedShare),
    formatCount(figures.wrongCount),
    withInterval(figures.wrongShare, risk),
    band.count === 0 ? '-' : `${formatCount(band.wrongCount)} wrong of ${formatCount(band.count)}`,
  ])
}

function recommendationLines(
  recommendation: Recommendation,
  thresholds: readonly ThresholdFigures[],
  riskMax: number,
): string[] {
  const most = `${percent(riskMax)} %`
  switch (recommendation.kind) {
    case 'recommended': {
      const { threshold } = recommendation
      const found = thresholds.find((one) => one.threshold === threshold)
      return [
        `recommended: review.threshold ${threshold}. ${plural(found?.sparedCount ?? 0, 'lookup')} (${percent(found?.sparedShare ?? 0)} %) less to review,`,
        `of which at most ${percent(found?.risk?.[1] ?? 0)} % are wrong, by the 95 % interval.`,
      ]
    }
    case 'too_few':
      return [
        `Not enough to recommend a threshold: ${formatCount(recommendation.moreCount)} more decisions on answers at or above`,
        `${recommendation.threshold}, as right as those so far, would show that at most ${most} are wrong.`,
      ]
    case 'too_wrong':
      return [`No threshold can be recommended: more than ${most} of the answers at each are wrong.`]
  }
}
