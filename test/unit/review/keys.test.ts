import { describe, expect, test } from 'vitest'
import { findKeyAction, type KeyPress } from '../../../src/review/page/browser/shortcuts.js'

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  ...more,
})

const keys = ['1', '5', '9', 'n', 's', 'u', 'g', 'm', 'j', 'k', '/', '?', 'ArrowDown', 'Home']

describe('keys of the review page', () => {
  test.each([
    ['1', { kind: 'accept', number: 1 }],
    ['5', { kind: 'accept', number: 5 }],
    ['n', { kind: 'none' }],
    ['N', { kind: 'none' }],
    ['s', { kind: 'skip' }],
    ['u', { kind: 'undo' }],
    ['g', { kind: 'group' }],
    ['m', { kind: 'note' }],
    ['/', { kind: 'search' }],
    ['?', { kind: 'help' }],
    ['j', { kind: 'move', by: 1 }],
    ['ArrowUp', { kind: 'move', by: -1 }],
    ['PageDown', { kind: 'move', by: 10 }],
    ['End', { kind: 'last' }],
    [' ', { kind: 'scroll', by: 0.8 }],
    ['Escape', { kind: 'leave' }],
  ])('%s', (key, action) => {
    expect(findKeyAction(press(key), false)).toEqual(action)
  })

  test.each(['0', 'a', 'x', 'Enter', 'Tab', 'F5', '12', 'constructor'])('%j is none of ours', (key) => {
    expect(findKeyAction(press(key), false)).toBeNull()
  })

  test.each(keys)('%s does nothing while words are typed, and with a modifier', (key) => {
    expect(findKeyAction(press(key), true)).toBeNull()
    for (const modifier of ['ctrlKey', 'altKey', 'metaKey', 'isComposing'])
      expect(findKeyAction(press(key, { [modifier]: true }), false)).toBeNull()
  })

  test('Escape leaves where words are typed', () => {
    expect(findKeyAction(press('Escape'), true)).toEqual({ kind: 'leave' })
  })

  test('with Shift a letter is none of ours; what some keyboards write with Shift is', () => {
    expect(findKeyAction(press('N', { shiftKey: true }), false)).toBeNull()
    for (const key of ['1', '/', '?'])
      expect(findKeyAction(press(key, { shiftKey: true }), false)).not.toBeNull()
  })

  test.each(keys)('%s held down decides nothing again', (key) => {
    const action = findKeyAction(press(key, { repeat: true }), false)
    expect(action === null || action.kind === 'move').toBe(true)
    expect(findKeyAction(press('j', { repeat: true }), false)).toEqual({ kind: 'move', by: 1 })
  })
})
