import { describe, expect, test } from 'vitest'
import {
  describeEmptyQueue,
  formatAge,
  formatStatus,
  getTone,
  formatWeight,
  toDisplayText,
} from '../../../src/review/page/browser/page-text.js'
import { listChoices, findDecidableRows } from '../../../src/review/page/browser/candidates.js'
import type { CandidateView, QueueRow } from '../../../src/review/page-data.js'

describe('words of the page', () => {
  test.each([
    [0, 'just now'],
    [-5_000, 'just now'],
    [12_345, '12 s ago'],
    [61_000, '1 min ago'],
    [3_599_000, '59 min ago'],
    [7_300_000, '2 h ago'],
    [200_000_000, '2 d ago'],
  ])('%i ms: %s', (pastMs, words) => {
    expect(formatAge(1_000_000_000 - pastMs, 1_000_000_000)).toBe(words)
  })

  test.each([
    [2.14, '+2.1'],
    [-0.44, '−0.4'],
    [-0.01, '0.0'],
    [0, '0.0'],
    [12, '+12.0'],
  ])('the weight %d is %s', (weight, words) => {
    expect(formatWeight(weight)).toBe(words)
  })

  test('a status that is not known is doubtful, and said as it is', () => {
    expect(['matched', 'no_match', 'not_found', 'inconclusive', 'brand_new'].map(getTone)).toEqual(
      'matched none none doubtful doubtful'.split(' '),
    )
    expect(formatStatus('brand_new_one')).toBe('brand new one')
  })

  test.each([
    ['plain', 'plain'],
    ['a\u202eb', 'a\\u202eb'],
    ['a\u0000b', 'a\\u0000b'],
    [`Z${'\u0301'.repeat(50)}algo`, `Z${'\u0301'.repeat(4)}algo`],
    ['x'.repeat(12), `${'x'.repeat(10)}…`],
    ['123456789😀1', '123456789…'],
  ])('%j is shown as %j', (text, expected) => {
    expect(toDisplayText(text, 10 + (text.includes('Z') ? 90 : 0))).toBe(expected)
  })
})

describe('an empty queue', () => {
  const filters = { view: 'open', statuses: [], text: '', sort: 'rows' } as const
  const counts = { open: 0, decided: 0, openByStatus: {}, isRunGoingOn: false }

  test.each([
    ['nothing was doubtful', filters, counts, 'No doubtful answers', false],
    ['nothing is yet', filters, { ...counts, isRunGoingOn: true }, 'No doubtful answers yet', false],
    ['all is decided', filters, { ...counts, decided: 3 }, 'All decided', false],
    [
      'nothing is decided',
      { ...filters, view: 'decided' as const },
      { ...counts, open: 2 },
      'No decisions yet',
      true,
    ],
    ['a text leaves none', { ...filters, text: 'x' }, { ...counts, open: 2 }, 'No lookup matches', true],
    [
      'a status leaves none',
      { ...filters, statuses: ['matched'] },
      { ...counts, open: 2 },
      'No lookup matches',
      true,
    ],
  ])('%s', (_, filter, count, title, isFiltered) => {
    expect(describeEmptyQueue(filter, count)).toMatchObject({ title, isFiltered })
  })
})

describe('a verdict for a group', () => {
  const candidate = (entityId: string | null, obstacle: string | null = null): CandidateView => ({
    entityId,
    obstacle,
    name: null,
    legalName: 'A',
    otherNames: [],
    status: null,
    place: null,
    url: null,
    identifiers: [],
    confidence: null,
    evidence: [],
    nameMarks: [],
    askedMarks: [],
    placeMarks: [],
  })
  const row = (lookup: string): QueueRow => ({
    lookup,
    name: lookup,
    location: null,
    status: 'inconclusive',
    confidence: 50,
    rowCount: 1,
    reason: null,
    decision: null,
    proposal: null,
  })
  const alike = [
    { row: row('b'), entityIds: ['siq_1', 'siq_2'], isLookedAt: true },
    { row: row('c'), entityIds: ['siq_2'], isLookedAt: true },
    { row: row('d'), entityIds: [], isLookedAt: false },
  ]

  test('candidates keep the keys that they have on the page; those that cannot be accepted are left out', () => {
    const choices = listChoices([candidate('siq_1'), candidate(null, 'no company'), candidate('siq_2')])
    expect(choices.map(({ key }) => key)).toEqual(['1', '3', 'n'])
  })

  test('a company settles those rows alone that have it as a candidate; none of these settles all', () => {
    const [first, second, none] = listChoices([candidate('siq_1'), candidate('siq_2')])
    const settled = (choice = first) =>
      findDecidableRows(choice!, row('a'), alike).map(({ lookup }) => lookup)
    expect(settled(first)).toEqual(['a', 'b'])
    expect(settled(second)).toEqual(['a', 'b', 'c'])
    expect(settled(none)).toEqual(['a', 'b', 'c', 'd'])
  })
})
