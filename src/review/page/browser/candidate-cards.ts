import type { CandidateView } from '../../page-data.js'
import {
  createElement,
  isolateText,
  createKeyCap,
  createHiddenText,
  markCommonParts,
  markDifferences,
} from './elements.js'
import { toDisplayText, formatStatus, formatWeight } from './page-text.js'
import {
  calculateScale,
  getRegisteredName,
  listOtherNames,
  type Scale,
  summarizeEvidence,
  type SummaryLine,
  calculateBars,
  calculateZero,
  type Bar,
} from './candidates.js'

type Evidence = CandidateView['evidence']

/** Whether evidence tables are open. The reviewer's last click applies to all. */
let isTableOpen = false

/** A candidate's evidence in a few lines, with a table that can be opened. */
function createEvidence(evidence: Evidence, scale: Scale): HTMLElement {
  const table = createElement(
    'details',
    { class: 'evidence-table' },
    createElement('summary', {}, `All evidence (${evidence.length})`),
    createEvidenceTable(evidence, scale),
  )
  table.open = isTableOpen
  table.querySelector('summary')?.addEventListener('click', () => {
    isTableOpen = !table.open
  })
  return createElement(
    'div',
    { class: 'evidence' },
    createElement(
      'ul',
      { class: 'short', 'aria-label': 'Evidence in short' },
      ...summarizeEvidence(evidence).map(createSummaryLine),
    ),
    table,
  )
}

const createSummaryLine = ({ label, text }: SummaryLine): HTMLElement =>
  createElement(
    'li',
    { class: label === 'Against' ? 'against' : null },
    createElement('b', {}, label),
    ' ',
    createElement('span', {}, isolateText(text, 300)),
  )

/** A line for each part: a bar from the end of the one above, and the sum. Without weights, a plain list. */
function createEvidenceTable(evidence: Evidence, scale: Scale): HTMLElement {
  const weights = evidence.map(({ weight }) => weight)
  const isWeighed = weights.some((weight) => weight !== null)
  const bars = calculateBars(weights, scale)
  const sum = weights.reduce<number>((total, weight) => total + (weight ?? 0), 0)
  return createElement(
    'ul',
    { class: isWeighed ? 'parts weighed' : 'parts', 'aria-label': 'Evidence' },
    ...evidence.map((part, index) => createEvidencePart(part, isWeighed, bars[index] ?? null, scale)),
    isWeighed && evidence.length > 1 ? createSum(sum, scale) : null,
  )
}

function createEvidencePart(
  { label, text, weight }: Evidence[number],
  isWeighed: boolean,
  bar: Bar | null,
  scale: Scale,
): HTMLElement {
  return createElement(
    'li',
    {},
    createElement(
      'span',
      { class: 'what' },
      createElement('b', {}, isolateText(label, 40)),
      ' ',
      isolateText(text, 200),
    ),
    isWeighed ? createTrack(bar, scale) : null,
    isWeighed
      ? createElement('span', { class: 'weight' }, weight === null ? '' : formatWeight(weight))
      : null,
  )
}

const createSum = (sum: number, scale: Scale): HTMLElement =>
  createElement(
    'li',
    { class: 'sum' },
    createElement('span', { class: 'what' }, 'together'),
    createTrack(null, scale),
    createElement('span', { class: 'weight' }, formatWeight(sum)),
  )

function createTrack(bar: Bar | null, scale: Scale): HTMLElement {
  const made = createElement('span', { class: 'track', 'aria-hidden': 'true' })
  const zero = createElement('span', { class: 'zero' })
  zero.style.left = `${calculateZero(scale)}%`
  made.append(zero)
  if (bar !== null) {
    const filled = createElement('span', { class: bar.isFor ? 'bar for' : 'bar against' })
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
export function createCandidateCards(candidates: readonly CandidateView[], deps: CardsDeps): HTMLElement {
  const scale = calculateScale(candidates.map(({ evidence }) => evidence.map(({ weight }) => weight)))
  return createElement(
    'ol',
    { class: 'candidates' },
    ...candidates.map((candidate, index) => createCard(candidate, index + 1, scale, deps)),
  )
}

function createCard(candidate: CandidateView, number: number, scale: Scale, deps: CardsDeps): HTMLElement {
  const { obstacle, confidence, evidence } = candidate
  const made = createElement(
    'li',
    { class: obstacle === null ? 'card' : 'card barred' },
    createElement(
      'div',
      { class: 'card-head' },
      createAcceptButton(candidate, number, deps),
      createElement('h3', {}, markDifferences(getRegisteredName(candidate), candidate.nameMarks)),
      createConfidence(confidence),
    ),
    createElement(
      'div',
      { class: 'card-facts' },
      obstacle === null
        ? null
        : createElement(
            'p',
            { class: 'obstacle', id: getObstacleId(number) },
            'Cannot be accepted: ',
            isolateText(obstacle, 400),
          ),
      ...createFactLines(candidate),
    ),
    evidence.length === 0 ? null : createEvidence(evidence, scale),
  )
  for (const event of ['pointerenter', 'focusin'])
    made.addEventListener(event, () => {
      deps.onLook(candidate)
    })
  return made
}

const getObstacleId = (number: number): string => `obstacle-${number}`

function createAcceptButton(candidate: CandidateView, number: number, { onAccept }: CardsDeps): HTMLElement {
  const isBarred = candidate.obstacle !== null
  const button = createElement(
    'button',
    {
      type: 'button',
      class: 'accept',
      title: isBarred ? null : 'Accept',
      'aria-keyshortcuts': number > 9 ? null : String(number),
      'aria-disabled': isBarred ? 'true' : null,
      'aria-describedby': isBarred ? getObstacleId(number) : null,
    },
    createKeyCap(String(number)),
    createElement('span', { class: 'unseen' }, ' Accept ', isolateText(getRegisteredName(candidate), 120)),
  )
  button.addEventListener('click', () => {
    onAccept(number)
  })
  return button
}

function createConfidence(confidence: number | null): HTMLElement | null {
  if (confidence === null) return null
  const filled = createElement('div')
  filled.style.width = `${confidence}%`
  return createElement(
    'p',
    { class: 'confidence' },
    createElement('span', { class: 'quiet' }, 'confidence '),
    String(confidence),
    createElement('span', { class: 'meter', 'aria-hidden': 'true' }, filled),
  )
}

const otherNamesMax = 6

function createFactLines(candidate: CandidateView): HTMLElement[] {
  const { place, placeMarks, status, identifiers, url } = candidate
  const others = listOtherNames(candidate)
  const shownOthers = others.slice(0, otherNamesMax).join(' · ')
  const left = others.length - otherNamesMax
  return [
    ...(place === null ? [] : [createLine('place', markCommonParts(place, placeMarks))]),
    createLine(
      'register',
      status === null
        ? null
        : createElement(
            'span',
            { class: status === 'active' ? 'state' : 'state off' },
            formatStatus(toDisplayText(status, 40)),
          ),
      ...identifiers.map(createIdentifier),
      url === null ? null : createRegisterLink(url),
    ),
    ...(others.length === 0
      ? []
      : [
          createElement(
            'p',
            { class: 'line' },
            createElement(
              'span',
              {},
              createElement('span', { class: 'quiet' }, 'also '),
              isolateText(shownOthers),
              left > 0 ? ` and ${left} more` : null,
            ),
          ),
        ]),
  ]
}

const createLine = (name: string, ...values: (Node | string | null)[]): HTMLElement =>
  createElement('p', { class: 'line' }, createElement('span', { class: 'unseen' }, `${name}: `), ...values)

const createIdentifier = ({ type, value }: { type: string; value: string }): HTMLElement =>
  createElement(
    'span',
    { class: 'identifier' },
    createElement('span', { class: 'quiet' }, formatIdentifierType(type)),
    ' ',
    createElement('bdi', { class: 'code' }, toDisplayText(value, 60)),
  )

function formatIdentifierType(type: string): string {
  if (type === 'registration_id') return 'company number'
  return /^[a-z]{2,4}$/.test(type) ? type.toUpperCase() : toDisplayText(type, 40).replaceAll('_', ' ')
}

/** Returns a link if the text is a web address, else `null`. */
function createRegisterLink(url: string): HTMLElement | null {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null
  const { href, hostname, username } = new URL(url)
  if (username !== '') return null
  return createElement(
    'a',
    { href, target: '_blank', rel: 'noreferrer noopener', title: toDisplayText(href, 200) },
    toDisplayText(hostname.replace(/^www\./, ''), 60),
    createElement('span', { 'aria-hidden': 'true' }, ' ↗'),
    createHiddenText(' (opens a new tab)'),
  )
}
