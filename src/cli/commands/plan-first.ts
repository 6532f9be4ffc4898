import { formatCount, plural } from '../../core/text.js'
import { calculateSaved, type FirstFigures } from '../../pipeline/figures/first-figures.js'
import { formatAmount, type Prices } from '../../pipeline/figures/money.js'
import type { FirstAnswers } from '../../pipeline/first/first-answers.js'

/** The lookups that an own registry would answer, and what that saves. */
export interface FirstPlan extends Pick<FirstFigures, 'registry' | 'accept' | 'saved'> {
  /** Distinct lookups that the registry answers. */
  readonly lookupCount: number
  /** The part of these that is submitted as well. */
  readonly sampleCount: number
  /** Without the sample, at other values of `accept`. */
  readonly byAccept: readonly AcceptPlan[]
}

interface AcceptPlan {
  readonly accept: number
  readonly lookupCount: number
  readonly submitCount: number
  /** Price of these submissions; `null` without a price. */
  readonly cost: FirstFigures['saved']
}

const shownAccepts = [80, 90, 95, 99]

/**
 * Plans which lookups the own registry answers and what that saves. `submitCount`: lookups to submit, with those of
 * the sample.
 */
export function planFirst(first: FirstAnswers, submitCount: number, prices: Prices | null): FirstPlan {
  const { byConfidence, sampleCount } = first.counts
  const countFrom = (accept: number) => byConfidence.slice(accept).reduce((sum, count) => sum + count, 0)
  const lookupCount = countFrom(first.accept)
  const withoutRegistry = submitCount - sampleCount + lookupCount
  const byAccept = [...new Set([...shownAccepts, first.accept])]
    .sort((a, b) => a - b)
    .map((accept) => {
      const answered = countFrom(accept)
      const left = withoutRegistry - answered
      return { accept, lookupCount: answered, submitCount: left, cost: calculateSaved(left, prices) }
    })
  const saved = calculateSaved(lookupCount - sampleCount, prices)
  return { registry: first.name, accept: first.accept, saved, lookupCount, sampleCount, byAccept }
}

export function formatFirstPlan({ registry, accept, saved, byAccept, ...plan }: FirstPlan): string[] {
  const amount = saved === null ? '' : `, ${formatAmount(saved.amount, saved.currency)} saved`
  const sample =
    plan.sampleCount === 0
      ? ''
      : `; ${formatCount(plan.sampleCount)} of them are also submitted, which the table leaves out`
  const rows = byAccept.map((one) => [
    `${one.accept}${one.accept === accept ? ' *' : '  '}`,
    formatCount(one.lookupCount),
    formatCount(one.submitCount),
    ...(one.cost === null ? [] : [formatAmount(one.cost.amount, one.cost.currency)]),
  ])
  const titles = ['accept  ', 'answered', 'to submit', 'cost'].slice(0, rows[0]?.length)
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')}`.trimEnd()
  return [
    `Own registry: ${registry} answers ${plural(plan.lookupCount, 'lookup')}, free of charge${amount}${sample}`,
    ...[titles, ...rows].map(line),
  ]
}
