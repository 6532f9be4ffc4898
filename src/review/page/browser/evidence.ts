import type { CandidateView } from '../../page-data.js'
import { element, foreign } from './element.js'
import { barsOf, zeroOf, type Bar, type Scale } from './waterfall.js'
import { weightWords } from './words.js'

type Evidence = CandidateView['evidence']

/**
 * What speaks for a candidate and against it: a line each with its bar, every bar beginning where the one above it ended,
 * and their sum. Without weights it is a plain list.
 */
export function evidenceElement(evidence: Evidence, scale: Scale): HTMLElement {
  const weights = evidence.map(({ weight }) => weight)
  const isWeighed = weights.some((weight) => weight !== null)
  const bars = barsOf(weights, scale)
  const sum = weights.reduce<number>((total, weight) => total + (weight ?? 0), 0)
  return element(
    'ul',
    { class: isWeighed ? 'evidence weighed' : 'evidence', 'aria-label': 'Evidence' },
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
