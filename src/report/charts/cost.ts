import { formatCount } from '../../core/text.js'
import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import { microsOfUnits, type Money } from '../../pipeline/figures/money.js'
import { html, type Html } from '../../web/html.js'
import { amount, dayText, moment } from '../value-text.js'
import { ceilingOf, columnPlace, endsHtml, figureHtml, rectangleHtml } from '../../web/charts.js'

const shownMax = 31

interface Paid {
  readonly run: RememberedRun
  readonly money: Money
}

/**
 * The cost of each recent run, the oldest on the left, and their total; `null` if no price is known. Runs in another
 * currency are omitted.
 */
export function costChart(runs: readonly RememberedRun[]): Html | null {
  const all = runs.flatMap((run) => {
    const money = run.record?.money ?? null
    return money === null ? [] : [{ run, money }]
  })
  const currency = all.at(-1)?.money.currency
  if (currency === undefined) return null
  const ofCurrency = all.filter(({ money }) => money.currency === currency)
  const paid = ofCurrency.slice(-shownMax)
  const ceiling = ceilingOf(paid.map(({ money }) => money.cost))
  const cut = paid.filter(({ money }) => money.cost > ceiling)
  const [first, last] = [paid[0], paid.at(-1)]
  const title = paid.length === 1 ? 'Cost of this run' : `Cost of the last ${paid.length} runs`
  const sumOf = (costOf: (money: Money) => number) =>
    ofCurrency.reduce((sum, { money }) => sum + microsOfUnits(costOf(money)), 0) / 1_000_000
  const total = sumOf(({ cost }) => cost)
  const unsure = sumOf(({ uncertainCost }) => uncertainCost)
  const inAll = `${amount(total, currency)} in all${ofCurrency.length > paid.length ? `, by the ${formatCount(ofCurrency.length)} stored runs` : ''}`
  return figureHtml({
    id: 'cost',
    title,
    plot: {
      description: `Cost by run, oldest first; ${inAll}.`,
      size: 'tall',
      marks: paid.map((one, index) => columnOf(one, ceiling, columnPlace(index, paid.length))),
    },
    below: [
      first === undefined || last === undefined || first === last
        ? null
        : endsHtml(nameOf(first), nameOf(last)),
      html`<p>
        ${inAll}${unsure === 0 ? null : `, and ${amount(unsure, currency)} more that may have been billed`}.
        The scale ends at ${amount(ceiling, currency)}.${cut.length === 0 ? null : html` ${cutText(cut)}`}
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
        moment(run.startedAtMs),
        amount(money.cost, money.currency),
        money.uncertainCost === 0 ? '–' : amount(money.uncertainCost, money.currency),
      ],
    },
  })
}

const nameOf = ({ run }: Paid): string => `run ${run.number}, ${dayText(run.startedAtMs)}`

/** States the values of columns that are cut off. */
function cutText(cut: readonly Paid[]): string {
  const named = cut
    .slice(0, 3)
    .map(({ run, money }) => `run ${run.number} (${amount(money.cost, money.currency)})`)
  const more = cut.length > 3 ? ` and ${cut.length - 3} more` : ''
  return `Beyond the scale, and cut off: ${named.join(', ')}${more}.`
}

function columnOf(one: Paid, ceiling: number, place: { x: number; width: number }): Html | null {
  const { cost, currency } = one.money
  if (cost === 0) return null
  const height = Math.max(1.5, Math.min(1, cost / ceiling) * 100)
  const isCut = cost > ceiling
  return html`${rectangleHtml({
    ...place,
    y: 100 - height,
    height,
    className: 'o-matched',
    words: `${nameOf(one)}: ${amount(cost, currency)}`,
  })}${isCut ? rectangleHtml({ ...place, y: 12, height: 4, className: 'cut' }) : null}`
}
