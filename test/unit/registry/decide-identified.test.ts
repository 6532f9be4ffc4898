import { describe, expect, test } from 'vitest'
import {
  decideIdentified,
  type FoundIdentifier,
  type NameGrade,
} from '../../../src/registry/answer/identifier-decision.js'

const found = (value: string, entityNumbers: readonly number[], isSure = true): FoundIdentifier => ({
  identifier: { kind: 'cik', value, place: null },
  entityNumbers,
  isSure,
})
const graded = (grades: Readonly<Record<number, NameGrade>>) => (number: number) =>
  grades[number] ?? 'foreign'
const [a, b] = [found('a', [1]), found('b', [2])]
const unsure = found('u', [3], false)

describe('which company identifiers name', () => {
  test('none that a register has: unknown', () => {
    expect(decideIdentified([], null)).toEqual({ kind: 'unknown' })
    expect(decideIdentified([], graded({ 1: 'exact' }))).toEqual({ kind: 'unknown' })
  })

  test.each<[string, FoundIdentifier[], Record<number, NameGrade> | null, object]>([
    ['one, and no name', [a], null, { kind: 'one', entityNumber: 1, doubt: null }],
    ['one, and its name', [a], { 1: 'same' }, { kind: 'one', entityNumber: 1, doubt: null }],
    ['one, and a name that may be its', [a], { 1: 'open' }, { kind: 'one', entityNumber: 1 }],
    [
      'a website, and a name that may be that of another company of the group',
      [{ ...a, identifier: { kind: 'website', value: 'a.com', place: null } }],
      { 1: 'open' },
      { kind: 'one', entityNumber: 1, doubt: 'of_group' },
    ],
    ['one, and the name of another', [a], {}, { kind: 'name_disagrees', entityNumber: 1 }],
    ['two that agree', [a, found('c', [1])], null, { kind: 'one', entityNumber: 1 }],
    [
      'two that disagree: the first is the guess',
      [a, b],
      null,
      { kind: 'identifiers_disagree', entityNumber: 1 },
    ],
    [
      'two that disagree, and the name of the second',
      [a, b],
      { 2: 'same' },
      { kind: 'identifiers_disagree', entityNumber: 2 },
    ],
    [
      'two that disagree, and a name of both',
      [a, b],
      { 1: 'open', 2: 'same' },
      { kind: 'identifiers_disagree', entityNumber: 1 },
    ],
    ['one that several bear', [found('s', [4, 5])], null, { kind: 'several', entityNumber: 4, others: [5] }],
    [
      'one that several bear, and the name of one',
      [found('s', [4, 5])],
      { 5: 'same' },
      { kind: 'one', entityNumber: 5 },
    ],
    [
      'one that several bear, and a name nearer to one',
      [found('s', [4, 5])],
      { 4: 'same', 5: 'exact' },
      { kind: 'one', entityNumber: 5 },
    ],
    [
      'one that several bear, and the name of none',
      [found('s', [4, 5])],
      {},
      { kind: 'several', entityNumber: 4 },
    ],
    [
      'one that several bear, and another of one of them',
      [found('s', [4, 5]), found('c', [5])],
      null,
      { kind: 'one', entityNumber: 5 },
    ],
    ['one that says too little', [unsure], null, { kind: 'one', entityNumber: 3, doubt: 'unplaced' }],
    ['one that says too little, and its name', [unsure], { 3: 'same' }, { kind: 'one', doubt: null }],
    ['one that says too little, and the name of another', [unsure], {}, { kind: 'unknown' }],
    [
      'one that says too little beside one that disagrees',
      [a, unsure],
      null,
      { kind: 'one', entityNumber: 1, by: [a] },
    ],
  ])('%s', (_, identifiers, grades, decision) => {
    expect(decideIdentified(identifiers, grades === null ? null : graded(grades))).toMatchObject(decision)
  })
})
