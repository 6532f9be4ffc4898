import { formatCount } from '../../core/text.js'
import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import { toMicros, type Money } from '../../pipeline/figures/money.js'
import { html, type Html } from '../../web/html.js'
import { formatMoney, formatDay, renderMoment } from '../value-text.js'
import {
  calculateCeiling,
  calculateColumnPlace,
  renderEnds,
  renderFigure,
  renderRectangle,
} from '../../web/charts.js'

const shownMax = 31

interface Paid {
  readonly run: RememberedRun
  readonly money: Money
}

/**
 * The cost of each recent run, the oldest on the left, and their total; `null` if no price is known. Runs in another
 * currency are omitted.
 */
export function renderCostChart(runs: readonly RememberedRun[]): Html | null {
  const all = runs.flatMap((run) => {
    const money = run.record?.money ?? null
    return money === null ? [] : [{ run, money }]
  })
  const currency = all.at(-1)?.money.currency
  if (currency === undefined) return null
  const ofCurrency = all.filter(({ money }) => money.currency === currency)
  const paid = ofCurrency.slice(-shownMax)
  const ceiling = calculateCeiling(paid.map(({ money }) => money.cost))
  const cut = paid.filter(({ money }) => money.cost > ceiling)
  const [first, last] = [paid[0], paid.at(-1)]
  const title = paid.length === 1 ? 'Cost of this run' : `Cost of the last ${paid.length} runs`
  const sumMoney = (costOf: (money: Money) => number) =>
    ofCurrency.reduce((sum, { money }) => sum + toMicros(costOf(money)), 0) / 1_000_000
  const total = sumMoney(({ cost }) => cost)
  const unsure = sumMoney(({ uncertainCost }) => uncertainCost)
  const inAll = `${formatMoney(total, currency)} in all${ofCurrency.length > paid.length ? `, by the ${formatCount(ofCurrency.length)} stored runs` : ''}`
  return renderFigure({
    id: 'cost',
    title,
    plot: {
      description: `Cost by run, oldest first; ${inAll}.`,
      size: 'tall',
      marks: paid.map((one, index) => renderColumn(one, ceiling, calculateColumnPlace(index, paid.length))),
    },
    below: [
      first === undefined || last === undefined || first === last
        ? null
        : renderEnds(formatRunName(first), formatRunName(last)),
      html`<p>
        ${inAll}${unsure === 0 ? null : `, and ${formatMoney(unsure, currency)} more that may have been billed`}.
        The scale ends at
        ${formatMoney(ceiling, currency)}.${cut.length === 0 ? null : html` ${cutText(cut)}`}
      </p>`,
    ],
    table: {
      columns: [
        { name: 'Run' },
        { name: 'Began' },
        { name: 'Cost', isNumber: true },
        { name: 'May also have been billed', isNumber: true },
      ],
      rows: [...paid].reverse(),
      cellsOf: ({ run, money }) => [
        run.number,
        renderMoment(run.startedAtMs),
        formatMoney(money.cost, money.currency),
        money.uncertainCost === 0 ? '–' : formatMoney(money.uncertainCost, money.currency),
      ],
    },
  })
}

const formatRunName = ({ run }: Paid): string => `run ${run.number}, ${formatDay(run.startedAtMs)}`

/** States the values of columns that are cut off. */
function cutText(cut: readonly Paid[]): string {
  const named = cut
    .slice(0, 3)
    .map(({ run, money }) => `run ${run.number} (${formatMoney(money.cost, money.currency)})`)
  const more = cut.length > 3 ? ` and ${cut.length - 3} more` : ''
  return `Beyond the scale, and cut off: ${named.join(', ')}${more}.`
}

function renderColumn(one: Paid, ceiling: number, place: { x: number; width: number }): Html | null {
  const { cost, currency } = one.money
  if (cost === 0) return null
  const height = Math.max(1.5, Math.min(1, cost / ceiling) * 100)
  const isCut = cost > ceiling
  return html`${renderRectangle({
    ...place,
    y: 100 - height,
    height,
    className: 'o-matched',
    words: `${formatRunName(one)}: ${formatMoney(cost, currency)}`,
  })}${isCut ? renderRectangle({ ...place, y: 12, height: 4, className: 'cut' }) : null}`
}
