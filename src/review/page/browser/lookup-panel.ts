import { plural } from '../../../core/text.js'
import type { CandidateView, DecisionView, LookupDetail, QueueRow } from '../../page-data.js'
import { element, foreign, keyCap, unseen, marked } from './elements.js'
import { shown, agoWords, momentWords, statusWords, toneOf } from './page-text.js'

export interface AskedDeps {
  readonly onUndo: (decision: DecisionView) => void
  /** Receives the text of the note field. */
  readonly onNote: (text: string) => void
  readonly nowMs: () => number
}

/** The lookup's data, displayed next to its candidates. */
export function askedParts(row: QueueRow, detail: LookupDetail | null, deps: AskedDeps): HTMLElement[] {
  return [
    element(
      'div',
      { class: 'asked-head' },
      element('h2', { id: 'asked-name', tabindex: '-1' }, foreign(row.name)),
      row.location === null
        ? null
        : element('p', { id: 'asked-place', class: 'place' }, foreign(row.location)),
      webSearchLink(row),
    ),
    ...(row.reason === null ? [] : [returned(row.reason)]),
    ...(row.decision === null ? [] : [verdict(row.decision, deps)]),
    facts(row, detail?.context ?? null),
    ...(detail === null || detail.factors.length === 0 ? [] : [factors(detail)]),
    noteField(deps),
  ]
}

/** Nothing is sent to the search engine until the reviewer follows the link. */
function webSearchLink({ name, location }: QueueRow): HTMLElement {
  const words = location === null ? name : `${name} ${location}`
  const query = new URLSearchParams({ q: words.slice(0, webSearchCharsMax) })
  return element(
    'p',
    { class: 'web-search' },
    element(
      'a',
      {
        href: `https://duckduckgo.com/?${query.toString()}`,
        target: '_blank',
        rel: 'noreferrer noopener',
        title: 'Sends the name and the place to duckduckgo.com',
      },
      'Search the web',
      element('span', { 'aria-hidden': 'true' }, ' ↗'),
      unseen(' (opens a new tab)'),
    ),
  )
}

const webSearchCharsMax = 300

/** Marks the parts of the name that the candidate does not have. */
export function markAsked(row: QueueRow, candidate: CandidateView | null): void {
  const name = document.getElementById('asked-name')
  if (name !== null && candidate !== null) name.replaceChildren(marked(row.name, candidate.askedMarks))
}

function facts({ status, confidence, rowCount }: QueueRow, context: string | null): HTMLElement {
  return element(
    'dl',
    { class: 'facts' },
    fact(
      'Answer',
      element('span', { class: `dot ${toneOf(status)}` }),
      statusWords(status),
      confidence === null ? null : element('span', { class: 'quiet' }, ` at ${confidence}`),
    ),
    fact('In the input', plural(rowCount, 'row')),
    ...(context === null ? [] : [fact('Context', foreign(context, 600))]),
  )
}

const fact = (name: string, ...values: (Node | string | null)[]): HTMLElement =>
  element('div', {}, element('dt', {}, name), element('dd', {}, ...values))

const returned = (reason: string): HTMLElement =>
  element('p', { class: 'notice' }, element('strong', {}, 'Back in the queue: '), foreign(reason, 600))

function verdict(decision: DecisionView, { onUndo, nowMs }: AskedDeps): HTMLElement {
  const undo = element('button', { type: 'button' }, 'Undo')
  undo.addEventListener('click', () => {
    onUndo(decision)
  })
  return element(
    'p',
    { class: 'notice settled' },
    ...verdictParts(decision),
    element('span', { class: 'quiet' }, ' by ', foreign(decision.decidedBy), ', '),
    timeElement(decision.decidedAtMs, nowMs()),
    ' ',
    undo,
  )
}

/** Decisions of other reviewers; empty if they undid the displayed decision. */
export const conflictElement = (others: readonly DecisionView[]): HTMLElement =>
  element(
    'div',
    { class: 'notice conflict' },
    element('strong', {}, 'Another reviewer was faster. '),
    'Your verdict was not recorded. ',
    ...(others.length === 0
      ? ['The displayed decision was undone. ']
      : ['The decision is now:', standing(others)]),
    'Continue with ',
    keyCap('s'),
    others.length === 0 ? ', or decide again.' : ', or replace it with your own decision.',
  )

const standing = (others: readonly DecisionView[]): HTMLElement =>
  element(
    'ul',
    {},
    ...others.map((other) =>
      element(
        'li',
        {},
        foreign(other.name, 120),
        ': ',
        ...verdictParts(other),
        ', by ',
        foreign(other.decidedBy, 60),
      ),
    ),
  )

/** `accepted` with a name, or `none of these`. */
export function verdictParts({ verdict: which, entityName, entityId }: DecisionView): (Node | string)[] {
  return which === 'none'
    ? [element('strong', {}, 'None of these')]
    : [element('strong', {}, 'Accepted: '), foreign(entityName ?? entityId ?? '')]
}

export const timeElement = (atMs: number, nowMs: number): HTMLElement =>
  element(
    'time',
    { class: 'quiet', datetime: new Date(atMs).toISOString(), title: momentWords(atMs) },
    agoWords(atMs, nowMs),
  )

const signs = new Map([
  ['strength', '+'],
  ['limitation', '−'],
])

/** `null` until the reviewer opens or closes them. */
let areFactorsOpen: boolean | null = null

/** Closed if the candidates' evidence says the same, with weights. */
function factors({ factors: all, candidates }: LookupDetail): HTMLElement {
  const isWeighed = candidates.some(({ evidence }) => evidence.some(({ weight }) => weight !== null))
  const made = element(
    'details',
    { class: 'factors' },
    element('summary', {}, `Explanations from the service (${all.length})`),
    element('ul', {}, ...all.map(factor)),
  )
  made.open = areFactorsOpen ?? !isWeighed
  made.querySelector('summary')?.addEventListener('click', () => {
    areFactorsOpen = !made.open
  })
  return made
}

const factor = ({ type, text, impact }: LookupDetail['factors'][number]): HTMLElement =>
  element(
    'li',
    { 'data-type': type },
    element('span', { class: 'sign', 'aria-hidden': 'true' }, signs.get(type ?? '') ?? '·'),
    element(
      'span',
      {},
      type === null ? null : unseen(`${type}: `),
      foreign(text, 400),
      impact === null ? null : element('span', { class: 'quiet' }, ` ${shown(impact, 40)}`),
    ),
  )

function noteField({ onNote }: AskedDeps): HTMLElement {
  const field = element('textarea', {
    id: 'note',
    rows: '2',
    maxlength: '500',
    placeholder: 'Note for the verdict',
  })
  field.addEventListener('input', () => {
    onNote(field.value)
  })
  return element(
    'label',
    { class: 'note', id: 'note-box', hidden: '' },
    element('span', {}, 'Note, stored with the verdict'),
    field,
  )
}
