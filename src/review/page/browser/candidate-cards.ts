import type { CandidateView } from '../../page-data.js'
import { element, foreign, keyCap, unseen } from './element.js'
import { shown } from './shown-text.js'
import { evidenceElement } from './evidence.js'
import { agreeing, marked } from './marked.js'
import { scaleOf, type Scale } from './waterfall.js'
import { statusWords } from './words.js'

export interface CardsDeps {
  /** The first candidate is 1. */
  readonly onAccept: (number: number) => void
  /** A candidate is looked at: what differs from it is marked in what was asked. */
  readonly onLook: (candidate: CandidateView) => void
}

/** Candidates, numbered as their keys are. */
export function candidateCards(candidates: readonly CandidateView[], deps: CardsDeps): HTMLElement {
  const scale = scaleOf(candidates.map(({ evidence }) => evidence.map(({ weight }) => weight)))
  return element(
    'ol',
    { class: 'candidates' },
    ...candidates.map((candidate, index) => card(candidate, index + 1, scale, deps)),
  )
}

/** As the register calls it: the marks are of this name. */
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

/** `LEI`, `registration id` */
const identifierWords = (type: string): string =>
  /^[a-z]{2,4}$/.test(type) ? type.toUpperCase() : shown(type, 40).replaceAll('_', ' ')

/** An address of the web is a link; whatever else it may be is left out. */
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
