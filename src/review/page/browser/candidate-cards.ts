import type { CandidateView } from '../../page-data.js'
import { element, foreign, keyCap, unseen, agreeing, marked } from './elements.js'
import { shown, statusWords, weightWords } from './page-text.js'
import {
  scaleOf,
  type Scale,
  summarizeEvidence,
  type SummaryLine,
  barsOf,
  zeroOf,
  type Bar,
} from './candidates.js'

type Evidence = CandidateView['evidence']

/** Whether evidence tables are open. The reviewer's last click applies to all. */
let isTableOpen = false

/** A candidate's evidence in a few lines, with a table that can be opened. */
function evidenceElement(evidence: Evidence, scale: Scale): HTMLElement {
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
 * A line for each part, with a bar that starts at the end of the one above, and the sum. A plain list if there are no
 * weights.
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

export interface CardsDeps {
  /** `number` starts at 1. */
  readonly onAccept: (number: number) => void
  /** The pointer or focus is on a candidate: mark its differences in the lookup. */
  readonly onLook: (candidate: CandidateView) => void
}

/** The candidates with the numbers of their keys. */
export function candidateCards(candidates: readonly CandidateView[], deps: CardsDeps): HTMLElement {
  const scale = scaleOf(candidates.map(({ evidence }) => evidence.map(({ weight }) => weight)))
  return element(
    'ol',
    { class: 'candidates' },
    ...candidates.map((candidate, index) => card(candidate, index + 1, scale, deps)),
  )
}

/** The registered name if there is one. `nameMarks` belongs to this name. */
export const nameOf = ({ legalName, name, entityId }: CandidateView): string =>
  legalName ?? name ?? entityId ?? 'without a name'

function card(candidate: CandidateView, number: number, scale: Scale, deps: CardsDeps): HTMLElement {
  const { obstacle, confidence, evidence } = candidate
  const made = element(
    'li',
    { class: obstacle === null ? 'card' : 'card barred' },
    element(
      'div',
      { class: 'card-head' },
      acceptButton(candidate, number, deps),
      element('h3', {}, marked(nameOf(candidate), candidate.nameMarks)),
      confidenceElement(confidence),
    ),
    element(
      'div',
      { class: 'card-facts' },
      obstacle === null
        ? null
        : element(
            'p',
            { class: 'obstacle', id: obstacleId(number) },
            'Cannot be accepted: ',
            foreign(obstacle, 400),
          ),
      ...factLines(candidate),
    ),
    evidence.length === 0 ? null : evidenceElement(evidence, scale),
  )
  for (const event of ['pointerenter', 'focusin'])
    made.addEventListener(event, () => {
      deps.onLook(candidate)
    })
  return made
}

const obstacleId = (number: number): string => `obstacle-${number}`

function acceptButton(candidate: CandidateView, number: number, { onAccept }: CardsDeps): HTMLElement {
  const isBarred = candidate.obstacle !== null
  const button = element(
    'button',
    {
      type: 'button',
      class: 'accept',
      title: isBarred ? null : 'Accept',
      'aria-keyshortcuts': number > 9 ? null : String(number),
      'aria-disabled': isBarred ? 'true' : null,
      'aria-describedby': isBarred ? obstacleId(number) : null,
    },
    keyCap(String(number)),
    element('span', { class: 'unseen' }, ' Accept ', foreign(nameOf(candidate), 120)),
  )
  button.addEventListener('click', () => {
    onAccept(number)
  })
  return button
}

function confidenceElement(confidence: number | null): HTMLElement | null {
  if (confidence === null) return null
  const filled = element('div')
  filled.style.width = `${confidence}%`
  return element(
    'p',
    { class: 'confidence' },
    element('span', { class: 'quiet' }, 'confidence '),
    String(confidence),
    element('span', { class: 'meter', 'aria-hidden': 'true' }, filled),
  )
}

const otherNamesMax = 6

function factLines(candidate: CandidateView): HTMLElement[] {
  const { place, placeMarks, status, identifiers, otherNames, name, url } = candidate
  const others = [name, ...otherNames].filter((other) => other !== null && other !== nameOf(candidate))
  const shownOthers = others.slice(0, otherNamesMax).join(' · ')
  const left = others.length - otherNamesMax
  return [
    ...(place === null ? [] : [line('place', agreeing(place, placeMarks))]),
    line(
      'register',
      status === null
        ? null
        : element(
            'span',
            { class: status === 'active' ? 'state' : 'state off' },
            statusWords(shown(status, 40)),
          ),
      ...identifiers.map(identifier),
      url === null ? null : registerLink(url),
    ),
    ...(others.length === 0
      ? []
      : [
          element(
            'p',
            { class: 'line' },
            element(
              'span',
              {},
              element('span', { class: 'quiet' }, 'also '),
              foreign(shownOthers),
              left > 0 ? ` and ${left} more` : null,
            ),
          ),
        ]),
  ]
}

const line = (name: string, ...values: (Node | string | null)[]): HTMLElement =>
  element('p', { class: 'line' }, element('span', { class: 'unseen' }, `${name}: `), ...values)

const identifier = ({ type, value }: { type: string; value: string }): HTMLElement =>
  element(
    'span',
    { class: 'identifier' },
    element('span', { class: 'quiet' }, identifierWords(type)),
    ' ',
    element('bdi', { class: 'code' }, shown(value, 60)),
  )

const identifierWords = (type: string): string =>
  /^[a-z]{2,4}$/.test(type) ? type.toUpperCase() : shown(type, 40).replaceAll('_', ' ')

/** Returns a link if the text is a web address, else `null`. */
function registerLink(url: string): HTMLElement | null {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null
  const { href, hostname, username } = new URL(url)
  if (username !== '') return null
  return element(
    'a',
    { href, target: '_blank', rel: 'noreferrer noopener', title: shown(href, 200) },
    shown(hostname.replace(/^www\./, ''), 60),
    element('span', { 'aria-hidden': 'true' }, ' ↗'),
    unseen(' (opens a new tab)'),
  )
}
