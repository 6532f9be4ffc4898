import type { DecideReply, DecisionView, SessionView, UndoReply } from '../../page-data.js'
import { ActionBar, HelpDialog, findKeyAction, type KeyAction } from './shortcuts.js'
import { fetchDecisions, fetchSession, RequestRefused } from './api.js'
import { Connection, PageFrame } from './page-frame.js'
import {
  DecisionPanel,
  decisionsShownMax,
  toAcceptance,
  toConfirmation,
  noneOfThese,
  VerdictSender,
  type Verdict,
} from './decisions.js'
import { Details, Queue } from './queue-data.js'
import { createElement } from './elements.js'
import { toDisplayText, describeEmptyQueue, formatStatus } from './page-text.js'
import { FilterBar } from './queue-panel.js'
import { GroupDialog } from './group-dialog.js'
import { Navigation } from './navigation.js'
import { RowView, SearchPanel } from './row-view.js'

/** Connects the parts of the page: handles keys, responses and other reviewers' changes. */
export class ReviewPage {
  readonly #queue = new Queue()
  readonly #details = new Details()
  readonly #frame = new PageFrame()
  readonly #help = new HelpDialog()
  readonly #actions = new ActionBar((action) => {
    this.#do(action)
  })
  readonly #row = new RowView({
    onAccept: (number) => {
      this.#do({ kind: 'accept', number })
    },
    onUndo: ({ sequence }) => void this.#verdicts.undo([sequence]),
    onConfirm: (proposal) => {
      this.#decide(toConfirmation(proposal))
    },
    onRetry: () => void this.#navigation.reload(),
    nowMs: () => Date.now(),
  })
  readonly #decided = new DecisionPanel({
    onUndo: ({ sequence }) => void this.#verdicts.undo([sequence]),
    onShow: (lookup) => {
      this.#frame.showPane('review')
      void this.#navigation.showLookup(lookup)
    },
    nowMs: () => Date.now(),
  })
  readonly #navigation = new Navigation({
    queue: this.#queue,
    details: this.#details,
    row: this.#row,
    onShown: () => {
      this.#onShown()
    },
    onNone: () => {
      this.#showNone()
    },
    onChosen: () => {
      this.#frame.clearHint()
      this.#frame.showPane('review')
    },
    onFailure: (failure) => {
      this.#onFailure(failure)
    },
  })
  readonly #filters = new FilterBar(this.#queue.filters, (filters) => {
    this.#queue.setFilters(filters)
    void this.#navigation.restart().then(() => {
      this.#showCounts()
    })
  })
  readonly #search = new SearchPanel({
    onFound: (found) => {
      this.#row.showFound(found)
      if (found === null) this.#focusRow()
      else this.#frame.announce(found.error ?? `Found: ${found.candidates.length}.`)
    },
    onFailure: (failure) => {
      this.#onFailure(failure)
    },
  })
  readonly #verdicts = new VerdictSender({
    onDecided: (reply, words) => void this.#onDecided(reply, words),
    onConflict: (others) => void this.#onConflict(others),
    onUndone: (reply) => void this.#onUndone(reply),
    onFailure: (failure) => {
      this.#onFailure(failure)
    },
  })
  readonly #group = new GroupDialog(({ choice, rows }) => {
    const verdict = choice.candidate === null ? noneOfThese : toAcceptance(choice.candidate)
    if (verdict !== null) void this.#verdicts.decide(verdict, rows, this.#row.note)
  })
  readonly #connection = new Connection({
    refresh: () => this.#refresh(),
    onBack: () => {
      this.#details.dropAll()
      this.#queue.invalidate()
      void this.#navigation.reload()
      this.#frame.announce('The server responds again.')
    },
    command: () => this.#session?.command ?? null,
  })
  #session: SessionView | null = null
  #decidedVersion = ''

  /** Ends with the session. */
  async start(): Promise<void> {
    document.addEventListener('keydown', (event) => {
      this.#onKey(event)
    })
    this.#row.showNothing('Loading…')
    this.#showActions()
    await this.#connection.poll()
  }

  #onKey(event: KeyboardEvent): void {
    if (document.querySelector('dialog[open]') !== null) return
    const action = findKeyAction(event, isTyping(event.target))
    if (action === null || isBrowserKey(event)) return
    event.preventDefault()
    this.#do(action)
  }

  #do(action: KeyAction): void {
    const { row } = this.#row
    this.#frame.clearHint()
    if (row === null && needsRow.has(action.kind)) {
      this.#frame.explain('No lookup is displayed.')
      return
    }
    switch (action.kind) {
      case 'accept':
        this.#chooseCandidate(action.number)
        break
      case 'none':
        this.#decide(noneOfThese)
        break
      case 'skip':
        if (row !== null) void this.#announceNext('Skipped.', this.#navigation.skip())
        break
      case 'undo':
        void this.#verdicts.undo([])
        break
      case 'search':
        if (row !== null) this.#search.open(row.lookup, row.name)
        break
      case 'group':
        void this.#openGroup()
        break
      case 'note':
        if (row !== null) this.#row.openNote()
        break
      case 'help':
        this.#help.open(this.#session?.decisionsPath ?? '')
        break
      case 'move':
        void this.#navigation.move(action.by)
        break
      case 'scroll':
        this.#row.scroll(action.by)
        break
      case 'first':
        void this.#navigation.goTo(0)
        break
      case 'last':
        void this.#navigation.goToLast()
        break
      case 'leave':
        this.#onLeave()
        break
    }
  }

  #chooseCandidate(number: number): void {
    const { candidates } = this.#row
    const candidate = candidates[number - 1]
    if (candidate === undefined) {
      this.#frame.explain(`There is no candidate ${number}: ${describeCandidateCount(candidates.length)}.`)
      return
    }
    const verdict = toAcceptance(candidate)
    if (verdict === null) this.#frame.explain(`Cannot be accepted: ${candidate.obstacle ?? 'it has no id'}`)
    else this.#decide(verdict)
  }

  #decide(verdict: Verdict): void {
    const { row, note } = this.#row
    if (row !== null) void this.#verdicts.decide(verdict, [row], note)
  }

  async #onDecided(reply: DecideReply, words: string): Promise<void> {
    for (const { lookup } of reply.decisions) this.#details.markDecided(lookup)
    const move = this.#navigation.showNextAfter(reply.decisions, reply.page)
    this.#decided.add(reply.decisions, reply.page.decidedCount)
    this.#showCounts()
    await this.#announceNext(words, move)
    if (reply.decisions.length > 1) await this.#refreshNow()
  }

  async #onConflict(others: readonly DecisionView[]): Promise<void> {
    this.#queue.invalidate()
    for (const { lookup } of others) this.#details.drop(lookup)
    await this.#navigation.reload()
    this.#row.showConflict(others)
    this.#frame.announce('Another reviewer was faster. Your verdict was not recorded.')
    await this.#refreshNow()
  }

  async #onUndone(reply: UndoReply): Promise<void> {
    const [first] = reply.decisions
    if (first === undefined) {
      this.#frame.explain('This session has no decision to undo.')
      return
    }
    const [before = null] = reply.decisions.map(({ lookup }) => this.#details.restoreBefore(lookup))
    this.#decided.remove(reply.decisions, reply.page.decidedCount)
    this.#frame.announce(`Undone: ${toDisplayText(first.name, 120)}`)
    await this.#navigation.showLookup(first.lookup, before)
    if (document.activeElement === document.body) this.#focusRow()
    this.#decidedVersion = ''
    this.#showCounts()
  }

  async #openGroup(): Promise<void> {
    const detail = await this.#navigation.reload()
    if (detail === null) return
    if (detail.alike.length === 0) this.#frame.explain('No group: no other open lookup has the same name.')
    else this.#group.open(detail)
  }

  /** Reports an action and its result. */
  async #announceNext(words: string, move: Promise<boolean>): Promise<void> {
    const isRound = await move
    const { row } = this.#row
    const next =
      row === null ? 'No lookup is left.' : `${toDisplayText(row.name, 120)}, ${formatStatus(row.status)}.`
    this.#frame.announce(`${words} ${isRound ? 'From the first lookup again: ' : 'Next: '}${next}`)
  }

  #onLeave(): void {
    if (this.#search.isOpen) this.#search.cancel()
    else this.#focusRow()
  }

  #focusRow(): void {
    document.getElementById('asked-name')?.focus({ preventScroll: true })
  }

  #onShown(): void {
    if (this.#search.isOpen && !this.#search.isFor(this.#row.row?.lookup ?? '')) this.#search.close()
    this.#showActions()
  }

  #showActions(): void {
    this.#actions.show({
      hasRow: this.#row.row !== null,
      alikeCount: this.#row.detail?.alike.length ?? 0,
    })
  }

  #showNone(): void {
    this.#search.close()
    const { title, text, isFiltered } = describeEmptyQueue(this.#queue.filters, this.#queue.counts)
    const all = createElement('button', { type: 'button' }, 'Show all open lookups')
    all.addEventListener('click', () => {
      this.#filters.chooseView('open')
    })
    this.#row.showNothing(title, text, ...(isFiltered ? [' ', all] : []))
    this.#showActions()
  }

  #showCounts(): void {
    this.#filters.show(this.#queue.counts, this.#queue.updateCounts)
    this.#frame.showCounts(this.#queue.counts)
  }

  async #refresh(): Promise<void> {
    if (this.#session === null) {
      this.#session = await fetchSession()
      this.#frame.showSession(this.#session)
    }
    await this.#navigation.refresh()
    this.#showCounts()
    if (this.#row.row === null) this.#showNone()
    if (this.#queue.version === this.#decidedVersion) return
    const { version, counts } = this.#queue
    this.#decided.show((await fetchDecisions(decisionsShownMax)).decisions, counts.decided)
    this.#decidedVersion = version
  }

  async #refreshNow(): Promise<void> {
    try {
      await this.#refresh()
    } catch (failure) {
      this.#onFailure(failure)
    }
  }

  /** Shows failures that the reviewer can act on. Anything else is a bug and goes to the console. */
  #onFailure(failure: unknown): void {
    if (this.#connection.reportFailure(failure)) return
    if (!(failure instanceof RequestRefused)) throw failure
    const words = failure.hint === null ? failure.message : `${failure.message} (${failure.hint})`
    this.#row.showRefusal(words)
    this.#frame.announce(words)
  }
}

/** Actions that need a displayed row. */
const needsRow: ReadonlySet<KeyAction['kind']> = new Set([
  'accept',
  'none',
  'skip',
  'search',
  'group',
  'note',
] as const)

function describeCandidateCount(count: number): string {
  if (count === 0) return 'this lookup has none'
  return count === 1 ? 'this lookup has only candidate 1' : `this lookup has candidates 1 to ${count}`
}

const typed = 'input:not([type=checkbox], [type=radio]), textarea, select'

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.matches(typed)

/** Whether the browser uses the key for the focused element: to press a button or scroll the decisions. */
function isBrowserKey({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false
  if (key === ' ') return target.matches('button, summary, a, input')
  return ['PageDown', 'PageUp', 'Home', 'End'].includes(key) && target.closest('#decided') !== null
}
