import type { Interval } from '../../core/partition.js'
import { formatCount, plural, cutToWidth, measureWidth } from '../../core/text.js'
import type { LabelledDecisions } from '../../app/propose-decisions.js'
import type {
  AcceptAdvice,
  Comparison,
  DecidedEvaluation,
  EvaluationReport,
  StratumFigures,
  ThresholdAdvice,
} from '../../registry/evaluate/evaluation.js'

type QueryChange = Comparison['changes'][number]
type ThresholdFigures = ThresholdAdvice['thresholds'][number]

const kindColumnsMax = 22
const lineColumnsMax = 80
/** Further changes are only in the JSON report. */
const changesShownMax = 60

/** Figures by one property of the queries. */
export interface Grouping {
  readonly title: string
  readonly figures: Readonly<Record<string, StratumFigures>>
}

/** Formats the report of `enrich registry evaluate` for a terminal; the last grouping ends with all. */
export function formatEvaluation(
  report: EvaluationReport,
  groupings: readonly Grouping[] = [{ title: 'stratum', figures: report.strata }],
): string {
  const { leaveOut, latencyMs } = report
  const lines = [
    'An answer is accepted if its confidence is 80 or more: a match or, for a fund, a',
    'candidate. Figures in percent, with 95 % intervals.',
    '',
    ...groupLines(groupings, report.overall),
    '',
    ...formatReliability(report),
    ...(leaveOut === null ? [] : ['', ...formatLeaveOut(leaveOut)]),
    '',
    `latency p50 ${latencyMs.p50.toFixed(2)} ms, p95 ${latencyMs.p95.toFixed(2)} ms, longest ${latencyMs.max.toFixed(1)} ms`,
  ]
  return `${lines.join('\n')}\n`
}

function groupLines(groupings: readonly Grouping[], overall: StratumFigures): string[] {
  const names = groupings.flatMap(({ title, figures }) => [title, ...Object.keys(figures)])
  const width = Math.min(kindColumnsMax, Math.max(...['overall', ...names].map(measureWidth)))
  const row = (name: string, figures: StratumFigures) => formatLine(width, name, formatCells(figures))
  const tables = groupings.map(({ title, figures }) => [
    formatLine(width, title, ['names', 'acc.', 'precision', 'recall', 'top 1', 'top 5', 'false']),
    ...Object.entries(figures).map(([name, of]) => row(name, of)),
  ])
  return [...tables.flatMap((table, at) => (at === 0 ? table : ['', ...table])), row('overall', overall)]
}

const cellColumns = [6, 6, 11, 11, 5, 5, 6]

function formatLine(width: number, name: string, cells: readonly string[]): string {
  const shown = cutToWidth(name, width)
  const padded = cells.map((cell, at) => cell.padStart(cellColumns[at] ?? 0))
  return `${shown}${' '.repeat(width - measureWidth(shown))} ${padded.join(' ')}`
}

function formatCells(figures: StratumFigures): string[] {
  const negativeCount = figures.queryCount - figures.positiveCount
  return [
    formatCount(figures.queryCount),
    formatCount(figures.acceptedCount),
    withInterval(figures.precision, figures.precisionInterval),
    withInterval(figures.recall, figures.recallInterval),
    formatPercent(figures.top1Recall),
    formatPercent(figures.top5Recall),
    negativeCount === 0 ? '-' : `${figures.falseAcceptCount}/${negativeCount}`,
  ]
}

function formatReliability({ calibration }: EvaluationReport): string[] {
  const { accepted, bands } = calibration
  const formatErrorLine = (what: string, { count, expectedError, expectedErrorEqualMass }: typeof accepted) =>
    `  ${what.padEnd(20)} ${formatCount(count).padStart(7)} ${expectedError.toFixed(3).padStart(12)} ${expectedErrorEqualMass.toFixed(3).padStart(12)}`
  return [
    'confidence  answers    mean        right',
    ...bands.map(
      ({ confidenceMin, confidenceMax, count, meanConfidence, accuracy, accuracyInterval }) =>
        `${`${confidenceMin} to ${confidenceMax}`.padEnd(10)} ${formatCount(count).padStart(8)} ${meanConfidence.toFixed(1).padStart(7)} ${withInterval(accuracy, accuracyInterval).padStart(12)}`,
    ),
    '',
    'expected calibration error, with ten bins of equal width or of equal size',
    '                       answers  equal width   equal size',
    formatErrorLine('all answers', calibration),
    formatErrorLine('accepted answers', accepted),
  ]
}

function formatLeaveOut(figures: NonNullable<EvaluationReport['leaveOut']>): string[] {
  const { queryCount, acceptedCount, acceptedBesideNamesakesCount } = figures
  const row = (what: string, count: number, share: number | null, interval: Interval | null) =>
    `  ${what.padEnd(24)} ${formatCount(count).padStart(6)} ${withInterval(share, interval).padStart(13)}`
  return [
    `${formatCount(queryCount)} queries repeated without their right company (${formatPercent(figures.share)} % of them)`,
    row('accepted', acceptedCount, figures.acceptedShare, figures.acceptedShareInterval),
    row(
      'accepted, no namesake',
      acceptedBesideNamesakesCount,
      figures.acceptedShareBesideNamesakes,
      figures.acceptedShareBesideNamesakesInterval,
    ),
  ]
}

const titles: Readonly<Record<QueryChange['kind'], string>> = {
  lost: 'right there, not here',
  gained: 'right here, not there',
  other: 'wrong in both, with different answers',
}

/** Formats the differences to the evaluation of another registry, or to a saved report, at `path`. */
export function formatComparison(comparison: Comparison, path: string): string {
  const { queryCount, uncomparedCount, gainedCount, lostCount, changes } = comparison
  const shown = changes.slice(0, changesShownMax)
  const lines = [
    '',
    ...(measureWidth(path) > lineColumnsMax - 20 ? ['compared with', path] : [`compared with ${path}`]),
    `  ${formatCount(queryCount)} queries in both; ${formatCount(gainedCount)} gained, ${formatCount(lostCount)} lost; by chance alone: p = ${comparison.chance.toFixed(4)}`,
    `  wrong accepts: ${formatCount(comparison.wrongGainedCount)} came, ${formatCount(comparison.wrongLostCount)} went`,
    ...(uncomparedCount === 0
      ? []
      : [`  ${formatCount(uncomparedCount)} queries are only in this evaluation`]),
    ...(['lost', 'gained', 'other'] as const).flatMap((kind) => formatChanges(kind, shown)),
    ...(shown.length < changes.length
      ? [`and ${formatCount(changes.length - shown.length)} more, with --json`]
      : []),
  ]
  return `${lines.join('\n')}\n`
}

function formatChanges(wanted: QueryChange['kind'], changes: readonly QueryChange[]): string[] {
  const those = changes.filter(({ kind }) => kind === wanted)
  if (those.length === 0) return []
  return [
    `${titles[wanted]}:`,
    ...those.flatMap(({ before, after }) => [
      `  ${cutToWidth([after.name, after.location].filter(Boolean).join(', '), lineColumnsMax - 2)}`,
      `    there ${formatAnswer(before)}`,
      `    here  ${formatAnswer(after)}`,
    ]),
  ]
}

function formatAnswer({ answeredName, confidence }: QueryChange['after']): string {
  if (answeredName === null) return 'nothing'
  return `${String(confidence).padStart(2)} ${cutToWidth(answeredName, lineColumnsMax - 14)}`
}

function formatPercent(value: number | null): string {
  if (value === null) return '-'
  return value === 1 ? '100' : (value * 100).toFixed(1)
}

/** "97.5 93-99": the bounds of the interval are rounded outwards. */
function withInterval(value: number | null, interval: Interval | null): string {
  if (value === null || interval === null) return '-'
  const [least, most] = interval
  return `${formatPercent(value)} ${Math.floor(least * 100)}-${Math.ceil(most * 100)}`
}

/** Further unknown companies are only in the JSON report. */
const unknownShownMax = 10
const companyColumnsMax = 80

/** Formats the report of `enrich registry evaluate --decisions`, at most as wide as a terminal. */
export function formatDecidedEvaluation(decided: DecidedEvaluation, labelled: LabelledDecisions): string {
  const { report, byCountry, advice } = decided
  const lines = [
    ...formatHead(decided, labelled),
    '',
    formatEvaluation(report, [
      { title: 'status', figures: report.strata },
      { title: 'country', figures: byCountry },
    ]).trimEnd(),
    '',
    ...formatAdvice(advice),
  ]
  return `${lines.join('\n')}\n`
}

function formatHead(
  { acceptedCount, noneCount, unknown }: DecidedEvaluation,
  { otherServiceCount, furtherAskedCount }: LabelledDecisions,
): string[] {
  const further = furtherAskedCount === 1 ? '1 lookup was' : `${formatCount(furtherAskedCount)} lookups were`
  return [
    `${plural(acceptedCount + noneCount, 'decision')}: ${formatCount(acceptedCount)} accepted, ${formatCount(noneCount)} none`,
    ...(otherServiceCount === 0 ? [] : [`  ${formatCount(otherServiceCount)} of another service left out`]),
    ...formatUnknown(unknown),
    ...(furtherAskedCount === 0
      ? []
      : [`  ${further} by more than name and place; here only these are used`]),
    '',
    'Only doubtful answers were reviewed. The figures show how this registry answers',
    'those lookups now; they say nothing about lookups that were not reviewed.',
  ]
}

function formatUnknown(unknown: DecidedEvaluation['unknown']): string[] {
  if (unknown.length === 0) return []
  const shown = unknown
    .slice(0, unknownShownMax)
    .map(({ name, entityId }) => `    ${cutToWidth(`${entityId} ${name}`, companyColumnsMax - 4)}`)
  const rest = unknown.length - shown.length
  return [
    `  ${formatCount(unknown.length)} left out: this registry has no company of that id`,
    ...shown,
    ...(rest === 0 ? [] : [`    and ${formatCount(rest)} more, with --json`]),
  ]
}

function formatAdvice({ thresholds, reviewedCount, riskMax, recommendation }: ThresholdAdvice): string[] {
  return [
    'review.threshold: a matched or partial_match answer at or above is not reviewed',
    formatThresholdCells(['threshold', 'not reviewed', 'share', 'wrong', 'share wrong', 'below the next']),
    ...thresholds.map(formatThreshold),
    '',
    ...formatRecommendation(recommendation, thresholds, riskMax),
    ...(reviewedCount === 0 ? [] : aboveLines),
  ]
}

const aboveLines = [
  'Few answers above the threshold of that time were reviewed: the shares there',
  'say little about the answers of a run.',
]

const thresholdColumns = [9, 13, 7, 7, 14, 22]

const formatThresholdCells = (cells: readonly string[]): string =>
  cells.map((cell, at) => cell.padStart(thresholdColumns[at] ?? 0)).join(' ')

function formatThreshold({ risk, band, ...figures }: ThresholdFigures): string {
  return formatThresholdCells([
    String(figures.threshold),
    formatCount(figures.sparedCount),
    formatPercent(figures.sparedShare),
    formatCount(figures.wrongCount),
    withInterval(figures.wrongShare, risk),
    band.count === 0 ? '-' : `${formatCount(band.wrongCount)} wrong of ${formatCount(band.count)}`,
  ])
}

function formatRecommendation(
  recommendation: ThresholdAdvice['recommendation'],
  thresholds: readonly ThresholdFigures[],
  riskMax: number,
): string[] {
  const most = `${formatPercent(riskMax)} %`
  switch (recommendation.kind) {
    case 'recommended': {
      const { threshold } = recommendation
      const found = thresholds.find((one) => one.threshold === threshold)
      return [
        `recommended: review.threshold ${threshold}. ${plural(found?.sparedCount ?? 0, 'lookup')} (${formatPercent(found?.sparedShare ?? 0)} %) less to review,`,
        `of which at most ${formatPercent(found?.risk?.[1] ?? 0)} % are wrong, by the 95 % interval.`,
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

const acceptColumns = [8, 9, 8, 8, 14]

const formatAcceptCells = (cells: readonly string[]): string =>
  cells.map((cell, at) => cell.padStart(acceptColumns[at] ?? 0)).join(' ')

/** Formats the advice on `accept`. `isDecided`: the lookups are decisions of reviewers. */
export function formatAcceptAdvice(advice: AcceptAdvice, isDecided: boolean): string {
  const lines = [
    '',
    'Accepting answers of the registry without asking a service',
    formatAcceptCells(['accept', 'settled', 'share', 'right', 'precision']),
    ...advice.thresholds.map((figures) =>
      formatAcceptCells([
        String(figures.accept),
        formatCount(figures.settledCount),
        formatPercent(figures.settledShare),
        formatCount(figures.rightCount),
        withInterval(figures.precision, figures.precisionInterval),
      ]),
    ),
    'settled: matched answers with a confidence of accept or more',
    '',
    ...formatAcceptRecommendation(advice),
    ...(isDecided ? decidedLines : ['These figures hold only for lookups like these.']),
    'To measure the answers of a run, use --check-sample.',
  ]
  return `${lines.join('\n')}\n`
}

const decidedLines = [
  'Reviewers mostly decide doubtful rows. Answers without a decision, such as most',
  'answers at 99, are not in these figures.',
]

function formatAcceptRecommendation({ recommendation, support, precisionMin }: AcceptAdvice): string[] {
  const least = `${Number((precisionMin * 100).toFixed(1))} %`
  if (recommendation.kind === 'too_wrong' || support === null)
    return [
      'No accept can be recommended: too many of the matched answers are wrong for a',
      `precision of ${least}.`,
    ]
  const { accept, settledCount } = support
  if (recommendation.kind === 'recommended')
    return [
      `recommended: accept ${accept}, from ${plural(settledCount, 'settled lookup')} (${formatPercent(support.settledShare)} %). At least`,
      `${formatPercent(support.precisionInterval?.[0] ?? 0)} % of the answers are right, by the 95 % interval; required are ${least}.`,
    ]
  return [
    `Not enough to recommend accept: for a precision of ${least}, at least ${formatCount(settledCount + recommendation.moreCount)} settled`,
    `lookups at ${accept} or above are needed, ten of them near ${accept}, as right as so far.`,
    `There are ${formatCount(settledCount)}.`,
  ]
}
