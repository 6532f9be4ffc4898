import { formatCount, plural } from '../../core/text.js'
import { matchedConfidenceMin } from '../../contract/outcome-rules.js'
import { html, type Html } from '../../web/html.js'
import { percent } from '../words.js'
import { figureHtml, rectangleHtml } from '../../web/charts.js'

/** Confidences that share a column; 100 is with those just below it. */
const binWidth = 5
const binCount = 100 / binWidth
/** What holds anything is to be seen, in percent. */
const heightMin = 1.2

/** How sure the answers are, with the line that `matched` begins at. `counts` are 101, of confidence 0 to 100. */
export function confidenceChart(counts: readonly number[]): Html {
  const bins = Array.from({ length: binCount }, (_, index) => {
    const from = index * binWidth
    const to = index === binCount - 1 ? 100 : from + binWidth - 1
    return { from, to, count: sumOf(counts.slice(from, to + 1)) }
  })
  const total = sumOf(counts)
  const below = sumOf(counts.slice(0, matchedConfidenceMin))
  const most = Math.max(1, ...bins.map(({ count }) => count))
  const title = 'How sure the answers are'
  return figureHtml({
    id: 'confidence',
    title,
    plot: {
      description:
        `Rows by confidence from 0 to 100. ${plural(total - below, 'row')} (${percent(total - below, total)}) ` +
        `at ${matchedConfidenceMin} or above, ${plural(below, 'row')} below.`,
      size: 'tall',
      marks: [
        bins.map(({ from, to, count }) =>
          count === 0 ? null : binOf({ from, to, height: Math.max(heightMin, (count / most) * 96), count }),
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
        <strong>${plural(total - below, 'row')}</strong> (${percent(total - below, total)}) at or above the
        line at ${matchedConfidenceMin}, where a match is sure enough;
        <strong>${formatCount(below)}</strong> below it. The highest column has ${plural(most, 'row')}.
      </p>`,
    table: {
      columns: [{ name: 'Confidence' }, { name: 'Rows', isNumber: true }, { name: 'Share', isNumber: true }],
      rows: bins.filter(({ count }) => count > 0).reverse(),
      cellsOf: ({ from, to, count }) => [`${from} to ${to}`, formatCount(count), percent(count, total)],
    },
  })
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

function binOf(bin: { from: number; to: number; height: number; count: number }): Html {
  const { from, to, height, count } = bin
  return rectangleHtml({
    x: from + 0.4,
    width: binWidth - 0.8,
    y: 100 - height,
    height,
    className: from >= matchedConfidenceMin ? 'o-matched' : 'o-doubtful',
    words: `${from} to ${to}: ${plural(count, 'row')}`,
  })
}
