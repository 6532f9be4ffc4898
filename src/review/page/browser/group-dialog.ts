import { plural } from '../../../core/text.js'
import type { AlikeRow, CandidateView, LookupDetail, QueueRow } from '../../page-data.js'
import { nameOf } from './candidate-cards.js'
import { element, foreign, keyCap, partOf } from './elements.js'
import { choicesOf, settledBy, type Choice } from './candidates.js'
import { statusWords, toneOf } from './page-text.js'

export interface GroupVerdict {
  readonly choice: Choice
  readonly rows: readonly QueueRow[]
}

/** Lists rows with the same doubt and the rows to which a verdict would apply, before it is recorded. */
export class GroupDialog {
  readonly #dialog = partOf('group', HTMLDialogElement)
  readonly #settle: (verdict: GroupVerdict) => void
  #detail: LookupDetail | null = null
  #choice: Choice | null = null
  readonly #left = new Set<string>()

  constructor(settle: (verdict: GroupVerdict) => void) {
    this.#settle = settle
    this.#dialog.addEventListener('keydown', (event) => {
      this.#onKey(event)
    })
  }

  open(detail: LookupDetail): void {
    this.#detail = detail
    this.#left.clear()
    this.#choice = choicesOf(detail.candidates)[0] ?? null
    this.#dialog.replaceChildren(...this.#parts(detail))
    this.#render()
    this.#dialog.showModal()
    this.#boxes()[0]?.focus()
  }

  #parts(detail: LookupDetail): HTMLElement[] {
    const settle = element('button', { type: 'button', class: 'primary', id: 'group-settle' })
    settle.addEventListener('click', () => {
      this.#finish()
    })
    const leave = element('button', { type: 'button' }, 'Leave ', keyCap('Esc'))
    leave.addEventListener('click', () => {
      this.#dialog.close()
    })
    return [
      element('h2', { id: 'group-title' }, 'The same doubt'),
      element(
        'fieldset',
        { class: 'choices' },
        element('legend', {}, 'Verdict for all selected rows'),
        ...this.#choices(detail),
      ),
      element(
        'ul',
        { class: 'alike' },
        this.#item(detail.row, null),
        ...detail.alike.map((alike) => this.#item(alike.row, alike)),
      ),
      element(
        'p',
        { class: 'buttons' },
        element('span', { id: 'group-count', role: 'status' }),
        leave,
        settle,
      ),
    ]
  }

  #choices({ candidates }: LookupDetail): HTMLElement[] {
    return choicesOf(candidates).map((choice) => {
      const input = element('input', { type: 'radio', name: 'group-choice', value: choice.key })
      input.checked = choice.key === this.#choice?.key
      input.addEventListener('change', () => {
        this.#choice = choice
        this.#render()
      })
      return element(
        'label',
        {},
        input,
        keyCap(choice.key),
        element(
          'span',
          {},
          ...(choice.candidate === null ? ['None of these'] : candidateWords(choice.candidate)),
        ),
      )
    })
  }

  /** `alike` is `null` for the row that is displayed. */
  #item(row: QueueRow, alike: AlikeRow | null): HTMLElement {
    const box = element('input', { type: 'checkbox', 'data-lookup': row.lookup })
    box.checked = true
    box.addEventListener('change', () => {
      if (box.checked) this.#left.delete(row.lookup)
      else this.#left.add(row.lookup)
      this.#render()
    })
    return element(
      'li',
      {},
      element(
        'label',
        {},
        box,
        element('span', { class: 'alike-name' }, foreign(row.name, 160)),
        element('span', { class: 'quiet' }, row.location === null ? '' : foreign(row.location, 120)),
        element(
          'span',
          { class: 'alike-state' },
          element('span', { class: `dot ${toneOf(row.status)}` }),
          statusWords(row.status),
        ),
        element('span', { class: 'alike-count quiet' }, plural(row.rowCount, 'row')),
        element('span', { class: 'alike-why' }, alike === null ? 'the displayed row' : ''),
      ),
    )
  }

  #rows(): readonly QueueRow[] {
    const { row, alike } = this.#detail ?? { row: null, alike: [] }
    if (row === null || this.#choice === null) return []
    return settledBy(this.#choice, row, alike).filter(({ lookup }) => !this.#left.has(lookup))
  }

  #render(): void {
    if (this.#detail === null || this.#choice === null) return
    const { row, alike } = this.#detail
    const can = new Set(settledBy(this.#choice, row, alike).map(({ lookup }) => lookup))
    for (const box of this.#boxes()) {
      const lookup = box.dataset['lookup'] ?? ''
      const why = box.closest('li')?.querySelector('.alike-why')
      box.disabled = !can.has(lookup)
      box.checked = can.has(lookup) && !this.#left.has(lookup)
      const one = alike.find((other) => other.row.lookup === lookup)
      if (why && one !== undefined) why.textContent = whyWords(one, can.has(lookup))
    }
    const rows = this.#rows()
    const inputRows = rows.reduce((sum, { rowCount }) => sum + rowCount, 0)
    partOf('group-count', HTMLElement).textContent =
      `${plural(rows.length, 'lookup')}, ${plural(inputRows, 'row')} of the input`
    const settle = partOf('group-settle', HTMLButtonElement)
    settle.disabled = rows.length === 0
    settle.replaceChildren(
      ...(this.#choice.candidate === null
        ? ['None of these']
        : ['Accept ', foreign(nameOf(this.#choice.candidate), 60)]),
      ' ',
      keyCap('Enter'),
    )
  }

  #boxes(): HTMLInputElement[] {
    return [...this.#dialog.querySelectorAll<HTMLInputElement>('input[type=checkbox]')]
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return
    const { key, target } = event
    if (key === 'Enter' && !(target instanceof HTMLButtonElement)) {
      event.preventDefault()
      this.#finish()
      return
    }
    const radio = this.#dialog.querySelector<HTMLInputElement>(
      `input[type=radio][value="${CSS.escape(key)}"]`,
    )
    if (radio !== null) radio.click()
    else if (key === 'j' || key === 'ArrowDown') this.#moveFocus(1, event)
    else if (key === 'k' || key === 'ArrowUp') this.#moveFocus(-1, event)
  }

  #moveFocus(by: number, event: KeyboardEvent): void {
    const boxes = this.#boxes().filter(({ disabled }) => !disabled)
    const at = boxes.findIndex((box) => box === document.activeElement)
    // The browser uses arrow keys to select radio buttons.
    if (
      at === -1 &&
      event.target instanceof HTMLInputElement &&
      event.target.type === 'radio' &&
      event.key.startsWith('Arrow')
    )
      return
    event.preventDefault()
    boxes[Math.min(Math.max(0, at + by), boxes.length - 1)]?.focus()
  }

  #finish(): void {
    const rows = this.#rows()
    if (rows.length === 0 || this.#choice === null) return
    this.#dialog.close()
    this.#settle({ choice: this.#choice, rows })
  }
}

function whyWords({ isLookedAt }: AlikeRow, can: boolean): string {
  if (!can) return 'not among its candidates'
  return isLookedAt ? '' : 'its candidates are not known yet'
}

const candidateWords = (candidate: CandidateView): (Node | string)[] => [
  foreign(nameOf(candidate), 120),
  ...(candidate.place === null
    ? []
    : [element('span', { class: 'quiet' }, ' ', foreign(candidate.place, 120))]),
]
