import { plural } from '../../../core/text.js'
import type { CandidateView, DecisionView, LookupDetail, ProposalView, QueueRow } from '../../page-data.js'
import { createElement, isolateText, createKeyCap, createHiddenText, markDifferences } from './elements.js'
import { toDisplayText, formatAge, formatTime, formatStatus, getTone } from './page-text.js'

export interface LookupPanelDeps {
  readonly onUndo: (decision: DecisionView) => void
  /** The reviewer confirms the proposal of an assistant. */
  readonly onConfirm: (proposal: ProposalView) => void
  /** Receives the text of the note field. */
  readonly onNote: (text: string) => void
  readonly nowMs: () => number
}

/** The lookup's data, displayed next to its candidates. */
export function createLookupParts(
  row: QueueRow,
  detail: LookupDetail | null,
  deps: LookupPanelDeps,
): HTMLElement[] {
  return [
    createElement(
      'div',
      { class: 'asked-head' },
      createElement('h2', { id: 'asked-name', tabindex: '-1' }, isolateText(row.name)),
      row.location === null
        ? null
        : createElement('p', { id: 'asked-place', class: 'place' }, isolateText(row.location)),
      createWebSearchLink(row),
    ),
    ...(row.reason === null ? [] : [createReopenedNotice(row.reason)]),
    ...(row.decision === null ? [] : [createDecisionNotice(row.decision, deps)]),
    ...createProposalNotices(row, detail, deps),
    createFacts(row, detail?.context ?? null),
    ...(detail === null || detail.factors.length === 0 ? [] : [createFactors(detail)]),
    createNoteField(deps),
  ]
}

/** Nothing is sent to the search engine until the reviewer follows the link. */
function createWebSearchLink({ name, location }: QueueRow): HTMLElement {
  const words = location === null ? name : `${name} ${location}`
  const query = new URLSearchParams({ q: words.slice(0, webSearchCharsMax) })
  return createElement(
    'p',
    { class: 'web-search' },
    createElement(
      'a',
      {
        href: `https://duckduckgo.com/?${query.toString()}`,
        target: '_blank',
        rel: 'noreferrer noopener',
        title: 'Sends the name and the place to duckduckgo.com',
      },
      'Search the web',
      createElement('span', { 'aria-hidden': 'true' }, ' ↗'),
      createHiddenText(' (opens a new tab)'),
    ),
  )
}

const webSearchCharsMax = 300

/** Marks the parts of the name that the candidate does not have. */
export function markLookupName(row: QueueRow, candidate: CandidateView | null): void {
  const name = document.getElementById('asked-name')
  if (name !== null && candidate !== null)
    name.replaceChildren(markDifferences(row.name, candidate.askedMarks))
}

function createFacts({ status, confidence, rowCount }: QueueRow, context: string | null): HTMLElement {
  return createElement(
    'dl',
    { class: 'facts' },
    createFact(
      'Answer',
      createElement('span', { class: `dot ${getTone(status)}` }),
      formatStatus(status),
      confidence === null ? null : createElement('span', { class: 'quiet' }, ` at ${confidence}`),
    ),
    createFact('In the input', plural(rowCount, 'row')),
    ...(context === null ? [] : [createFact('Context', isolateText(context, 600))]),
  )
}

const createFact = (name: string, ...values: (Node | string | null)[]): HTMLElement =>
  createElement('div', {}, createElement('dt', {}, name), createElement('dd', {}, ...values))

const createReopenedNotice = (reason: string): HTMLElement =>
  createElement(
    'p',
    { class: 'notice' },
    createElement('strong', {}, 'Back in the queue: '),
    isolateText(reason, 600),
  )

function createDecisionNotice(decision: DecisionView, { onUndo, nowMs }: LookupPanelDeps): HTMLElement {
  const undo = createElement('button', { type: 'button' }, 'Undo')
  undo.addEventListener('click', () => {
    onUndo(decision)
  })
  return createElement(
    'p',
    { class: 'notice settled' },
    ...formatVerdict(decision),
    createElement('span', { class: 'quiet' }, ' by ', isolateText(decision.decidedBy), ', '),
    createTime(decision.decidedAtMs, nowMs()),
    ' ',
    undo,
  )
}

/** Shows a proposal once its company is known by its own name, because assistants write the names of proposals. */
function createProposalNotices(
  { proposal, decision, reason }: QueueRow,
  detail: LookupDetail | null,
  { onConfirm, nowMs }: LookupPanelDeps,
): HTMLElement[] {
  if (proposal === null || detail === null || (decision !== null && reason === null)) return []
  const company = detail.candidates.find(({ entityId }) => entityId === proposal.entityId)
  const named = { ...proposal, entityName: company?.legalName ?? company?.name ?? null }
  const confirm = createElement('button', { type: 'button', 'data-action': 'confirm' }, 'Confirm')
  confirm.addEventListener('click', () => {
    onConfirm(named)
  })
  const { decidedBy, decidedAtMs, note } = proposal
  return [
    createElement(
      'p',
      { class: 'notice' },
      createElement('strong', {}, 'Proposed by an assistant: '),
      ...formatVerdict(named),
      createElement('span', { class: 'quiet' }, ' by ', isolateText(decidedBy, 60), ', '),
      createTime(decidedAtMs, nowMs()),
      note === null ? null : createElement('span', {}, ' “', isolateText(note, 500), '”'),
      ' ',
      confirm,
    ),
  ]
}

/** Decisions of other reviewers; empty if they undid the displayed decision. */
export const createConflictNotice = (others: readonly DecisionView[]): HTMLElement =>
  createElement(
    'div',
    { class: 'notice conflict' },
    createElement('strong', {}, 'Another reviewer was faster. '),
    'Your verdict was not recorded. ',
    ...(others.length === 0
      ? ['The displayed decision was undone. ']
      : ['The decision is now:', createDecisionList(others)]),
    'Continue with ',
    createKeyCap('s'),
    others.length === 0 ? ', or decide again.' : ', or replace it with your own decision.',
  )

const createDecisionList = (others: readonly DecisionView[]): HTMLElement =>
  createElement(
    'ul',
    {},
    ...others.map((other) =>
      createElement(
        'li',
        {},
        isolateText(other.name, 120),
        ': ',
        ...formatVerdict(other),
        ', by ',
        isolateText(other.decidedBy, 60),
      ),
    ),
  )

/** Formats a verdict: `accepted` with a name, or `none of these`. */
export function formatVerdict({
  verdict: which,
  entityName,
  entityId,
}: DecisionView | ProposalView): (Node | string)[] {
  return which === 'none'
    ? [createElement('strong', {}, 'None of these')]
    : [createElement('strong', {}, 'Accepted: '), isolateText(entityName ?? entityId ?? '')]
}

export const createTime = (atMs: number, nowMs: number): HTMLElement =>
  createElement(
    'time',
    { class: 'quiet', datetime: new Date(atMs).toISOString(), title: formatTime(atMs) },
    formatAge(atMs, nowMs),
  )

const signs = new Map([
  ['strength', '+'],
  ['limitation', '−'],
])

/** `null` until the reviewer opens or closes them. */
let areFactorsOpen: boolean | null = null

/** Closed if the candidates' evidence says the same, with weights. */
function createFactors({ factors: all, candidates }: LookupDetail): HTMLElement {
  const isWeighed = candidates.some(({ evidence }) => evidence.some(({ weight }) => weight !== null))
  const made = createElement(
    'details',
    { class: 'factors' },
    createElement('summary', {}, `Explanations from the service (${all.length})`),
    createElement('ul', {}, ...all.map(createFactor)),
  )
  made.open = areFactorsOpen ?? !isWeighed
  made.querySelector('summary')?.addEventListener('click', () => {
    areFactorsOpen = !made.open
  })
  return made
}

const createFactor = ({ type, text, impact }: LookupDetail['factors'][number]): HTMLElement =>
  createElement(
    'li',
    { 'data-type': type },
    createElement('span', { class: 'sign', 'aria-hidden': 'true' }, signs.get(type ?? '') ?? '·'),
    createElement(
      'span',
      {},
      type === null ? null : createHiddenText(`${type}: `),
      isolateText(text, 400),
      impact === null ? null : createElement('span', { class: 'quiet' }, ` ${toDisplayText(impact, 40)}`),
    ),
  )

function createNoteField({ onNote }: LookupPanelDeps): HTMLElement {
  const field = createElement('textarea', {
    id: 'note',
    rows: '2',
    maxlength: '500',
    placeholder: 'Note for the verdict',
  })
  field.addEventListener('input', () => {
    onNote(field.value)
  })
  return createElement(
    'label',
    { class: 'note', id: 'note-box', hidden: '' },
    createElement('span', {}, 'Note, stored with the verdict'),
    field,
  )
}
