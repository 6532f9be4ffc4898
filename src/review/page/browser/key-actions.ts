/** The effect of a key. */
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
