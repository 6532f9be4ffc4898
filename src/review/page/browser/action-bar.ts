import { element, keyCap, partOf } from './element.js'
import type { KeyAction } from './keys.js'

type BarAction = Extract<KeyAction['kind'], 'none' | 'skip' | 'undo' | 'search' | 'group' | 'note' | 'help'>

const actions: readonly { readonly kind: BarAction; readonly key: string; readonly label: string }[] = [
  { kind: 'none', key: 'n', label: 'None of these' },
  { kind: 'skip', key: 's', label: 'Skip' },
  { kind: 'undo', key: 'u', label: 'Undo' },
  { kind: 'group', key: 'g', label: 'Same doubt' },
  { kind: 'search', key: '/', label: 'Search' },
  { kind: 'note', key: 'm', label: 'Note' },
  { kind: 'help', key: '?', label: 'Keys' },
]

/** What can be done with a row beside accepting a candidate: a button each, with its key. */
export class ActionBar {
  readonly #buttons: ReadonlyMap<BarAction, HTMLButtonElement>

  constructor(onAction: (action: KeyAction) => void) {
    const made = actions.map(({ kind, key, label }) => {
      const button = element(
        'button',
        { type: 'button', 'aria-keyshortcuts': key, 'data-action': kind },
        keyCap(key),
        element('span', {}, label),
      )
      button.addEventListener('click', () => {
        onAction({ kind })
      })
      return [kind, button] as const
    })
    this.#buttons = new Map(made)
    partOf('actions', HTMLElement).append(...made.map(([, button]) => button))
  }

  /** `alikeCount`: other lookups with the same doubt. */
  show({ hasRow, alikeCount }: { hasRow: boolean; alikeCount: number }): void {
    for (const kind of ['none', 'skip', 'search', 'note'] as const) this.#disable(kind, !hasRow)
    this.#disable('group', !hasRow || alikeCount === 0)
    const label = this.#buttons.get('group')?.querySelector('span')
    if (label !== null && label !== undefined)
      label.textContent = alikeCount === 0 ? 'Same doubt' : `Same doubt: ${alikeCount}`
  }

  #disable(kind: BarAction, isDisabled: boolean): void {
    this.#buttons.get(kind)?.setAttribute('aria-disabled', String(isDisabled))
  }
}
