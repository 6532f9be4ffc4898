import { plural } from '../../../core/text.js'
import type { AlikeRow, CandidateView, LookupDetail, QueueRow } from '../../page-data.js'
import { createElement, isolateText, createKeyCap, getPart } from './elements.js'
import { getRegisteredName, listChoices, findDecidableRows, type Choice } from './candidates.js'
import { formatStatus, getTone } from './page-text.js'

export interface GroupVerdict {
  readonly choice: Choice
  readonly rows: readonly QueueRow[]
}

/** Lists lookups with the same name and those to which a verdict would apply, before it is recorded. */
export class GroupDialog {
  readonly #dialog = getPart('group', HTMLDialogElement)
  readonly #settle: (verdict: GroupVerdict) => void
  #detail: LookupDetail | null = null
  #choice: Choice | null = null
  readonly #excluded = new Set<string>()

  constructor(settle: (verdict: GroupVerdict) => void) {
    this.#settle = settle
    this.#dialog.addEventListener('keydown', (event) => {
      this.#onKey(event)
    })
  }

  open(detail: LookupDetail): void {
    this.#detail = detail
    this.#excluded.clear()
    this.#choice = listChoices(detail.candidates)[0] ?? null
    this.#dialog.replaceChildren(...this.#createParts(detail))
    this.#render()
    this.#dialog.showModal()
    this.#findCheckboxes()[0]?.focus()
  }

  #createParts(detail: LookupDetail): HTMLElement[] {
    const settle = createElement('button', { type: 'button', class: 'primary', id: 'group-settle' })
    settle.addEventListener('click', () => {
      this.#finish()
    })
    const leave = createElement('button', { type: 'button' }, 'Close ', createKeyCap('Esc'))
    leave.addEventListener('click', () => {
      this.#dialog.close()
    })
    return [
      createElement('h2', { id: 'group-title' }, 'Lookups with the same name'),
      createElement(
        'fieldset',
        { class: 'choices' },
        createElement('legend', {}, 'Verdict for all selected lookups'),
        ...this.#createChoices(detail),
      ),
      createElement(
        'ul',
        { class: 'alike' },
        this.#createItem(detail.row, null),
        ...detail.alike.map((alike) => this.#createItem(alike.row, alike)),
      ),
      createElement(
        'p',
        { class: 'buttons' },
        createElement('span', { id: 'group-count', role: 'status' }),
        leave,
        settle,
      ),
    ]
  }

  #createChoices({ candidates }: LookupDetail): HTMLElement[] {
    return listChoices(candidates).map((choice) => {
      const input = createElement('input', { type: 'radio', name: 'group-choice', value: choice.key })
      input.checked = choice.key === this.#choice?.key
      input.addEventListener('change', () => {
        this.#choice = choice
        this.#render()
      })
      return createElement(
        'label',
        {},
        input,
        createKeyCap(choice.key),
        createElement(
          'span',
          {},
          ...(choice.candidate === null ? ['None of these'] : describeCandidate(choice.candidate)),
        ),
      )
    })
  }

  /** `alike` is `null` for the row that is displayed. */
  #createItem(row: QueueRow, alike: AlikeRow | null): HTMLElement {
    const box = createElement('input', { type: 'checkbox', 'data-lookup': row.lookup })
    box.checked = true
    box.addEventListener('change', () => {
      if (box.checked) this.#excluded.delete(row.lookup)
      else this.#excluded.add(row.lookup)
      this.#render()
    })
    return createElement(
      'li',
      {},
      createElement(
        'label',
        {},
        box,
        createSpan('alike-name', isolateText(row.name, 160)),
        createSpan('quiet', row.location === null ? '' : isolateText(row.location, 120)),
        createSpan('alike-state', createSpan(`dot ${getTone(row.status)}`), formatStatus(row.status)),
        createSpan('alike-count quiet', plural(row.rowCount, 'row')),
        createSpan('alike-why', alike === null ? 'the displayed lookup' : ''),
      ),
    )
  }

  #findSelectedRows(): readonly QueueRow[] {
    const { row, alike } = this.#detail ?? { row: null, alike: [] }
    if (row === null || this.#choice === null) return []
    return findDecidableRows(this.#choice, row, alike).filter(({ lookup }) => !this.#excluded.has(lookup))
  }

  #render(): void {
    if (this.#detail === null || this.#choice === null) return
    const { row, alike } = this.#detail
    const can = new Set(findDecidableRows(this.#choice, row, alike).map(({ lookup }) => lookup))
    for (const box of this.#findCheckboxes()) {
      const lookup = box.dataset['lookup'] ?? ''
      const why = box.closest('li')?.querySelector('.alike-why')
      box.disabled = !can.has(lookup)
      box.checked = can.has(lookup) && !this.#excluded.has(lookup)
      const one = alike.find((other) => other.row.lookup === lookup)
      if (why && one !== undefined) why.textContent = describeExclusion(one, can.has(lookup))
    }
    const rows = this.#findSelectedRows()
    const inputRows = rows.reduce((sum, { rowCount }) => sum + rowCount, 0)
    getPart('group-count', HTMLElement).textContent =
      `${plural(rows.length, 'lookup')}, ${plural(inputRows, 'row')} of the input`
    const settle = getPart('group-settle', HTMLButtonElement)
    settle.disabled = rows.length === 0
    settle.replaceChildren(
      ...(this.#choice.candidate === null
        ? ['None of these']
        : ['Accept ', isolateText(getRegisteredName(this.#choice.candidate), 60)]),
      ' ',
      createKeyCap('Enter'),
    )
  }

  #findCheckboxes(): HTMLInputElement[] {
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
    const boxes = this.#findCheckboxes().filter(({ disabled }) => !disabled)
    const at = boxes.findIndex((box) => box === document.activeElement)
    // The browser uses arrow keys to select radio buttons.
    const isRadio = event.target instanceof HTMLInputElement && event.target.type === 'radio'
    if (at === -1 && isRadio && event.key.startsWith('Arrow')) return
    event.preventDefault()
    boxes[Math.min(Math.max(0, at + by), boxes.length - 1)]?.focus()
  }

  #finish(): void {
    const rows = this.#findSelectedRows()
    if (rows.length === 0 || this.#choice === null) return
    this.#dialog.close()
    this.#settle({ choice: this.#choice, rows })
  }
}

const createSpan = (name: string, ...content: (Node | string)[]): HTMLElement =>
  createElement('span', { class: name }, ...content)

function describeExclusion({ isLookedAt }: AlikeRow, can: boolean): string {
  if (!can) return 'not among its candidates'
  return isLookedAt ? '' : 'its candidates are not known yet'
}

const describeCandidate = (candidate: CandidateView): (Node | string)[] => [
  isolateText(getRegisteredName(candidate), 120),
  ...(candidate.place === null ? [] : [createSpan('quiet', ' ', isolateText(candidate.place, 120))]),
]
