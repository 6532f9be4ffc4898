import type { CandidateView } from '../../page-data.js'
import { element, foreign } from './element.js'
import { summarizeEvidence, type SummaryLine } from './evidence-summary.js'
import { barsOf, zeroOf, type Bar, type Scale } from './waterfall.js'
import { weightWords } from './words.js'

type Evidence = CandidateView['evidence']

/** Whether the tables are open, once the reviewer opened or closed one. */
let isTableOpen = false

/** The evidence of a candidate in a few lines, with the whole of it behind a disclosure. */
export function evidenceElement(evidence: Evidence, scale: Scale): HTMLElement {
  const table = element(
    'details',
    { class: 'evidence-table' },
    element('summary', {}, `All evidence (${evidence.length})`),
    tableElement(evidence, scale),
  )
  table.open = isTableOpen
  table.querySelector('summary')?.addEventListener('click', () => {
    isTableOpen = !table.open
  })
  return element(
    'div',
    { class: 'evidence' },
    element(
      'ul',
      { class: 'short', 'aria-label': 'Evidence in short' },
      ...summarizeEvidence(evidence).map(summaryElement),
    ),
    table,
  )
}

const summaryElement = ({ label, text }: SummaryLine): HTMLElement =>
  element(
    'li',
    { class: label === 'Against' ? 'against' : null },
    element('b', {}, label),
    ' ',
    element('span', {}, foreign(text, 300)),
  )

/**
 * A line for each part with its bar, every bar beginning where the one above it ended, and their sum. Without weights a
 * plain list.
 */
function tableElement(evidence: Evidence, scale: Scale): HTMLElement {
  const weights = evidence.map(({ weight }) => weight)
  const isWeighed = weights.some((weight) => weight !== null)
  const bars = barsOf(weights, scale)
  const sum = weights.reduce<number>((total, weight) => total + (weight ?? 0), 0)
  return element(
    'ul',
    { class: isWeighed ? 'parts weighed' : 'parts', 'aria-label': 'Evidence' },
    ...evidence.map((part, index) => partElement(part, isWeighed, bars[index] ?? null, scale)),
    isWeighed && evidence.length > 1 ? sumElement(sum, scale) : null,
  )
}

function partElement(
  { label, text, weight }: Evidence[number],
  isWeighed: boolean,
  bar: Bar | null,
  scale: Scale,
): HTMLElement {
  return element(
    'li',
    {},
    element('span', { class: 'what' }, element('b', {}, foreign(label, 40)), ' ', foreign(text, 200)),
    isWeighed ? track(bar, scale) : null,
    isWeighed ? element('span', { class: 'weight' }, weight === null ? '' : weightWords(weight)) : null,
  )
}

const sumElement = (sum: number, scale: Scale): HTMLElement =>
  element(
    'li',
    { class: 'sum' },
    element('span', { class: 'what' }, 'together'),
    track(null, scale),
    element('span', { class: 'weight' }, weightWords(sum)),
  )

function track(bar: Bar | null, scale: Scale): HTMLElement {
  const made = element('span', { class: 'track', 'aria-hidden': 'true' })
  const zero = element('span', { class: 'zero' })
  zero.style.left = `${zeroOf(scale)}%`
  made.append(zero)
  if (bar !== null) {
    const filled = element('span', { class: bar.isFor ? 'bar for' : 'bar against' })
    filled.style.left = `${bar.left}%`
    filled.style.width = `${bar.width}%`
    made.append(filled)
  }
  return made
}
