import { createElement, createKeyCap, getPart } from './elements.js'

type BarAction = Extract<KeyAction['kind'], 'none' | 'skip' | 'undo' | 'search' | 'group' | 'note' | 'help'>

const actions: readonly { readonly kind: BarAction; readonly key: string; readonly label: string }[] = [
  { kind: 'none', key: 'n', label: 'None of these' },
  { kind: 'skip', key: 's', label: 'Skip' },
  { kind: 'undo', key: 'u', label: 'Undo' },
  { kind: 'group', key: 'g', label: 'Same name' },
  { kind: 'search', key: '/', label: 'Search' },
  { kind: 'note', key: 'm', label: 'Note' },
  { kind: 'help', key: '?', label: 'Keys' },
]

/** The buttons for actions on a row, with their keys. */
export class ActionBar {
  readonly #buttons: ReadonlyMap<BarAction, HTMLButtonElement>

  constructor(onAction: (action: KeyAction) => void) {
    const made = actions.map(({ kind, key, label }) => {
      const button = createElement(
        'button',
        { type: 'button', 'aria-keyshortcuts': key, 'data-action': kind },
        createKeyCap(key),
        createElement('span', {}, label),
      )
      button.addEventListener('click', () => {
        onAction({ kind })
      })
      return [kind, button] as const
    })
    this.#buttons = new Map(made)
    getPart('actions', HTMLElement).append(...made.map(([, button]) => button))
  }

  /** `alikeCount`: other open lookups with the same name. */
  show({ hasRow, alikeCount }: { hasRow: boolean; alikeCount: number }): void {
    for (const kind of ['none', 'skip', 'search', 'note'] as const) this.#disable(kind, !hasRow)
    this.#disable('group', !hasRow || alikeCount === 0)
    const label = this.#buttons.get('group')?.querySelector('span')
    if (label !== null && label !== undefined)
      label.textContent = alikeCount === 0 ? 'Same name' : `Same name: ${alikeCount}`
  }

  #disable(kind: BarAction, isDisabled: boolean): void {
    this.#buttons.get(kind)?.setAttribute('aria-disabled', String(isDisabled))
  }
}

const lines: readonly { readonly keys: readonly string[]; readonly does: string }[] = [
  { keys: ['1', '…', '5'], does: 'accept this candidate' },
  { keys: ['n'], does: 'none of these: no known company matches' },
  { keys: ['s'], does: 'skip: go to the next lookup; the displayed lookup stays open' },
  { keys: ['u'], does: 'undo your last decision' },
  { keys: ['g'], does: 'decide all open lookups with the same name together, after a preview' },
  { keys: ['/'], does: 'search for the company; results can be accepted' },
  { keys: ['m'], does: 'write a note that is stored with the verdict' },
  { keys: ['j', '↓'], does: 'the next lookup' },
  { keys: ['k', '↑'], does: 'the previous lookup' },
  { keys: ['PgDn', 'PgUp'], does: 'ten lookups forward, ten lookups back' },
  { keys: ['Home', 'End'], does: 'the first lookup, the last lookup' },
  { keys: ['Space'], does: 'scroll the candidates down; with Shift up' },
  { keys: ['Esc'], does: 'close a field, the search or a dialog' },
  { keys: ['?'], does: 'show these keys' },
]

/** A dialog that lists the keys. */
export class HelpDialog {
  readonly #dialog = getPart('help', HTMLDialogElement)

  /** `decisionsPath`: file of the decisions. */
  open(decisionsPath: string): void {
    const close = createElement('button', { type: 'button', class: 'primary' }, 'Close ', createKeyCap('Esc'))
    close.addEventListener('click', () => {
      this.#dialog.close()
    })
    this.#dialog.replaceChildren(
      createElement('h2', { id: 'help-title' }, 'Keys'),
      createElement(
        'dl',
        { class: 'keys' },
        ...lines.map(({ keys, does }) =>
          createElement(
            'div',
            {},
            createElement('dt', {}, ...keys.map(toKeyNode)),
            createElement('dd', {}, does),
          ),
        ),
      ),
      createElement(
        'p',
        { class: 'quiet' },
        'A verdict is saved before the next lookup is shown. It is written to ',
        createElement('bdi', { class: 'code' }, decisionsPath),
        ' with reviewer and time, and applies to all later runs. A decided lookup is not submitted or billed.',
      ),
      createElement('p', { class: 'buttons' }, close),
    )
    this.#dialog.showModal()
  }
}

const toKeyNode = (key: string): Node => (key === '…' ? document.createTextNode(' to ') : createKeyCap(key))

export type KeyAction =
  | { readonly kind: 'accept'; readonly number: number }
  | { readonly kind: 'move'; readonly by: number }
  /** Scrolls the row and its candidates by this many page heights. */
  | { readonly kind: 'scroll'; readonly by: number }
  | {
      readonly kind:
        'none' | 'skip' | 'undo' | 'search' | 'group' | 'note' | 'help' | 'first' | 'last' | 'leave'
    }

export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
  /** The key is held down. */
  readonly repeat: boolean
  readonly isComposing: boolean
}

const ofLetters = new Map<string, KeyAction>([
  ['n', { kind: 'none' }],
  ['s', { kind: 'skip' }],
  ['u', { kind: 'undo' }],
  ['g', { kind: 'group' }],
  ['m', { kind: 'note' }],
  ['j', { kind: 'move', by: 1 }],
  ['k', { kind: 'move', by: -1 }],
])

const ofOthers = new Map<string, KeyAction>([
  ['ArrowDown', { kind: 'move', by: 1 }],
  ['ArrowUp', { kind: 'move', by: -1 }],
  ['PageDown', { kind: 'move', by: 10 }],
  ['PageUp', { kind: 'move', by: -10 }],
  ['Home', { kind: 'first' }],
  ['End', { kind: 'last' }],
  ['Escape', { kind: 'leave' }],
  ['/', { kind: 'search' }],
  ['?', { kind: 'help' }],
])

/**
 * Returns the action of a key; `null` if the page does not use it. While the reviewer types, only Escape works. Modifier
 * keys belong to the browser; Shift is allowed because some keyboards need it for `?`, `/` and digits. A key that is held
 * down moves and scrolls, but does not decide.
 */
export function findKeyAction(press: KeyPress, isTyping: boolean): KeyAction | null {
  if (press.ctrlKey || press.altKey || press.metaKey || press.isComposing) return null
  const action = findPlainAction(press)
  if (action === null || (press.repeat && action.kind !== 'move' && action.kind !== 'scroll')) return null
  return isTyping && action.kind !== 'leave' ? null : action
}

function findPlainAction({ key, shiftKey }: KeyPress): KeyAction | null {
  if (key === ' ') return { kind: 'scroll', by: shiftKey ? -0.8 : 0.8 }
  if (/^[1-9]$/.test(key)) return { kind: 'accept', number: Number(key) }
  return (shiftKey ? undefined : ofLetters.get(key.toLowerCase())) ?? ofOthers.get(key) ?? null
}
