import type { EvaluationReport, StratumFigures } from '../../registry/evaluate/measure.js'

/** The report of `enrich registry evaluate` for people. */
export function evaluationText({ overall, strata, calibration, latencyMs }: EvaluationReport): string {
  const names = Object.keys(strata)
  const width = Math.max('stratum'.length, 'overall'.length, ...names.map((name) => name.length))
  const row = (name: string, cells: readonly string[]) =>
    [name.padEnd(width), ...cells.map((cell) => cell.padStart(9))].join('  ')
  const lines = [
    'An answer is accepted when its confidence is 80 or more, whether it is an entity or, as a fund is, a candidate.',
    '',
    row('stratum', ['queries', 'accepted', 'precision', 'recall', 'top 5', 'false acc']),
    ...names.map((name) => row(name, cellsOf(strata[name] ?? overall))),
    row('overall', cellsOf(overall)),
    '',
    `expected calibration error ${calibration.expectedError.toFixed(3)} (10 bins of equal width; ` +
      `${calibration.expectedErrorEqualMass.toFixed(3)} with bins of equal mass), over ${number(calibration.count)} named companies`,
    '  confidence   named   stated  came true',
    ...calibration.bins.map(
      ({ confidenceMin, confidenceMax, count, meanConfidence, accuracy }) =>
        `  ${`${confidenceMin} to ${confidenceMax}`.padEnd(10)}  ${number(count).padStart(6)}  ` +
        `${(meanConfidence / 100).toFixed(3).padStart(6)}  ${accuracy.toFixed(3).padStart(9)}`,
    ),
    '',
    `latency p50 ${latencyMs.p50.toFixed(2)} ms, p95 ${latencyMs.p95.toFixed(2)} ms, longest ${latencyMs.max.toFixed(1)} ms`,
  ]
  return `${lines.join('\n')}\n`
}

function cellsOf(figures: StratumFigures): string[] {
  const negativeCount = figures.queryCount - figures.positiveCount
  return [
    number(figures.queryCount),
    number(figures.acceptedCount),
    share(figures.precision),
    share(figures.recall),
    share(figures.top5Recall),
    negativeCount === 0 ? '-' : `${figures.falseAcceptCount}/${negativeCount}`,
  ]
}

function share(value: number | null): string {
  return value === null ? '-' : value.toFixed(3)
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
