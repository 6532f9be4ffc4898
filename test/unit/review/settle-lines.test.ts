import { describe, expect, it, test } from 'vitest'
import type { DecisionView, QueueRow } from '../../../src/review/page-data.js'
import type { FilledLine } from '../../../src/review/exchange/todo-file.js'
import { settleLines } from '../../../src/review/exchange/line-verdicts.js'

const lookup = (digit: string) => digit.repeat(32)

const queueRow = (given: Partial<QueueRow> = {}): QueueRow => ({
  lookup: lookup('a'),
  name: 'Acme GmbH',
  location: 'Bonn',
  status: 'inconclusive',
  confidence: 60,
  rowCount: 3,
  reason: null,
  decision: null,
  proposal: null,
  ...given,
})

const decided = (given: Partial<DecisionView> = {}): DecisionView => ({
  sequence: 4,
  lookup: lookup('a'),
  name: 'Acme GmbH',
  verdict: 'accepted',
  entityId: 'siq_1',
  entityName: 'Acme',
  decidedBy: 'Ann',
  decidedAtMs: Date.UTC(2026, 10, 20, 9, 30),
  note: null,
  ...given,
})

const line = (given: Partial<FilledLine> = {}): FilledLine => ({
  number: 2,
  lookup: lookup('a'),
  name: 'Acme GmbH',
  location: null,
  verdict: '1',
  note: '',
  candidateIds: ['siq_1', 'siq_2', null, null, null],
  candidateCount: 2,
  lookupAgain: lookup('a'),
  ...given,
})

const settle = (
  lines: readonly FilledLine[],
  rows: readonly QueueRow[] = [queueRow()],
  unit: 'row' | 'line' = 'row',
) => settleLines(lines, { rows: new Map(rows.map((row) => [row.lookup, row])), reviewer: 'Ann', unit })

const only = (given: Partial<FilledLine>, row: Partial<QueueRow> = {}) =>
  settle([line(given)], [queueRow(row)])

test.each([
  ['jo', '1'],
  ['Jo', 'po'],
  ['vale', 'ei'],
  ['tak', 'tidak'],
])('%s is yes in one language and no in another: the import asks', (verdict, other) => {
  const rows = [queueRow(), queueRow({ lookup: lookup('b') })]
  const one = { candidateIds: ['siq_1'], candidateCount: 1 }
  const read = settle(
    [
      line({ verdict, ...one }),
      line({ ...one, verdict: other, lookup: lookup('b'), lookupAgain: lookup('b') }),
    ],
    rows,
  )
  expect(read.choices.map(({ row }) => row.lookup)).toEqual([lookup('b')])
  expect(read.problems).toMatchObject([
    { text: `"${verdict}" is yes in one language and no in another: type yes or none` },
  ])
})

test.each(['BE BE 0417.497.106', 'BE 0417.497.106'])(
  'a name with the country once or twice fits: %s',
  (number) => {
    const row = { name: 'Acme (company number BE 0417.497.106)' }
    expect(only({ name: `Acme (company number ${number})` }, row)).toMatchObject({ problems: [] })
  },
)

describe('a line that is filled in', () => {
  test.each<[string, Partial<FilledLine>, object]>([
    ['accepts the candidate of its number', { verdict: '2' }, { verdict: 'accepted', entityId: 'siq_2' }],
    [
      'accepts the only candidate',
      { verdict: 'yes', candidateIds: [null, 'siq_2'], candidateCount: 1 },
      { entityId: 'siq_2' },
    ],
    ['says that it is none', { verdict: 'none' }, { verdict: 'none', entityId: null }],
    [
      'names a company that is no candidate',
      { verdict: 'siq_9' },
      { verdict: 'accepted', entityId: 'siq_9' },
    ],
    ['has a note', { note: 'by phone' }, { note: 'by phone' }],
    ['has no note', {}, { note: null }],
    ['has its name in other letters', { name: ' ACME  gmbh' }, { verdict: 'accepted' }],
    ['has lost what stands behind its candidates', { lookupAgain: null }, { verdict: 'accepted' }],
    ['has lost its name', { name: null }, { verdict: 'accepted' }],
  ])('%s', (_case, given, choice) => {
    expect(only(given)).toMatchObject({ choices: [choice], problems: [], undecidedCount: 0 })
  })

  it('without a verdict decides nothing, whatever else is wrong with it; a note of it is counted', () => {
    const lines = [line({ verdict: '' }), line({ verdict: ' ', lookup: 'none', note: 'ask Ben' })]
    expect(settle(lines)).toMatchObject({
      choices: [],
      problems: [],
      undecidedCount: 2,
      loneNoteCount: 1,
    })
  })
})

test.each(['=1+1', '@home GmbH', '-Foo AG'])(
  'The formula %s is read with and without an apostrophe',
  (name) => {
    for (const given of [name, `'${name}`])
      expect(only({ name: given }, { name })).toMatchObject({
        choices: [{ entityId: 'siq_1' }],
        problems: [],
      })
  },
)

describe('a line that cannot be taken is named, with what is wrong', () => {
  test.each<[Partial<FilledLine>, RegExp]>([
    [{ lookup: '' }, /^it has a verdict but no lookup$/],
    [
      { lookupAgain: lookup('f') },
      /^its candidates are those of "f{32}": only some of the columns were sorted/,
    ],
    [
      { verdict: 'yes', candidateIds: [null, 'siq_2'], candidateCount: 2 },
      /^"yes" does not select one of 2 candidates: type its number$/,
    ],
    [{ lookup: lookup('f') }, /^the input has no doubtful lookup f{32}: /],
    [{ lookup: '1.23E+31' }, /^the input has no doubtful lookup 1\.23E\+31: /],
    [{ name: 'Acme AG' }, /^its name is "Acme AG", but the name of its lookup is "Acme GmbH"/],
    [{ name: '' }, /^its name is "", but the name of its lookup is "Acme GmbH"/],
    [
      { verdict: 'later' },
      /^"later" is not a verdict: type the number of a candidate, yes for the only candidate, none, or the id of a company \(siq_…\); docs\/reference\/verdicts\.md lists the words that are known$/,
    ],
    [{ verdict: 'le_b4ada14d723d' }, /^"le_b4ada14d723d" is not a verdict: .*begins with siq_ .*`entityId`/],
    [{ name: '?cme GmbH' }, /^its name is "\?cme GmbH"/],
    [{ verdict: '3' }, /^there is no candidate 3: the row has 2;/],
    [{ verdict: '0' }, /^there is no candidate 0: the row has 2;/],
    [{ verdict: '1', candidateIds: [null, 'siq_2'], candidateCount: 2 }, /^candidate 1 has no id$/],
    [{ verdict: 'yes' }, /^"yes" does not select one of 2 candidates: type its number$/],
    [
      { verdict: 'ok', candidateIds: [], candidateCount: 0 },
      /^"ok" accepts the only candidate, but the row has no candidate: type the id of a company \(siq_…\), or none$/,
    ],
    [
      { verdict: 'ja', candidateIds: [null], candidateCount: 1 },
      /^"ja" accepts the only candidate, but the candidate has no id: type the id of a company \(siq_…\), or none$/,
    ],
    [
      { verdict: '1', candidateIds: [], candidateCount: 0 },
      /^there is no candidate 1: the row has none; type the id of a company \(siq_…\), or none$/,
    ],
    [{ candidateIds: ['Acme'] }, /^the candidate's id "Acme" is not a company id$/],
  ])('%j: %s', (given, text) => {
    const { choices, problems } = only({ number: 7, ...given })
    expect([choices, problems.length, problems[0]?.number]).toEqual([[], 1, 7])
    expect(problems[0]?.text).toMatch(text)
  })

  it('what is quoted of a very long cell is cut', () => {
    expect(only({ verdict: 'x'.repeat(5000) }).problems[0]?.text).toMatch(/^"x{60}…" is not a verdict/)
  })

  it('two lines of one lookup that disagree, both by their numbers', () => {
    const { problems } = settle([line({ number: 3, verdict: 'none' }), line({ number: 9, verdict: '1' })])
    expect(problems).toEqual([
      {
        number: 9,
        name: 'Acme GmbH',
        text: 'row 3 has another verdict for the same lookup: none of these there, siq_1 here',
      },
    ])
    expect(settle([line({ verdict: 'none' }), line({})], [queueRow()], 'line').problems[0]?.text).toMatch(
      /^line 2/,
    )
  })

  it('two lines that agree are one, with the first note there is', () => {
    const { choices } = settle([line({ number: 3 }), line({ number: 9, verdict: 'siq_1', note: 'sure' })])
    expect(choices).toMatchObject([{ number: 3, note: 'sure' }])
  })

  it('all problems are listed, in the order of the lines, those with decisions of others among them', () => {
    const rows = [queueRow({ decision: decided({ decidedBy: 'Ben' }) }), queueRow({ lookup: lookup('b') })]
    const lines = [
      line({ number: 2, verdict: 'none' }),
      line({ number: 3, lookup: lookup('b'), verdict: 'x' }),
      line({ number: 4, lookup: 'x' }),
    ]
    expect(settle(lines, rows).problems.map(({ number }) => number)).toEqual([2, 3, 4])
  })
})

describe('a lookup that is decided already', () => {
  it('as the file says, by whomever, changes nothing', () => {
    for (const decidedBy of ['Ann', 'Ben'])
      expect(only({}, { decision: decided({ decidedBy }) })).toMatchObject({
        choices: [],
        problems: [],
        unchangedCount: 1,
      })
  })

  it('otherwise by another reviewer is an error with their name', () => {
    const { problems } = only({ verdict: 'none' }, { decision: decided({ decidedBy: 'Ben' }) })
    expect(problems).toEqual([
      {
        number: 2,
        name: 'Acme GmbH',
        text: 'Ben made another decision on 2026-11-20 09:30 UTC: siq_1',
      },
    ])
  })

  it('otherwise by the same reviewer is decided again', () => {
    expect(only({ verdict: '2' }, { decision: decided() })).toMatchObject({
      choices: [{ entityId: 'siq_2' }],
      unchangedCount: 0,
    })
  })

  it('and is doubtful again is decided again, with any earlier decision', () => {
    const row = { decision: decided({ decidedBy: 'Ben' }), reason: 'the company was renamed' }
    expect(only({ verdict: 'none' }, row).choices).toHaveLength(1)
    expect(only({ verdict: '1' }, row).choices).toHaveLength(1)
  })

  test.each<[string, string, string | null, number]>([
    ['a new note of one’s own is recorded', 'Ann', null, 1],
    ['the same note is none', 'Ann', ' By\nPhone', 0],
    ['a note beside another’s verdict is not', 'Ben', null, 0],
  ])('%s', (_case, decidedBy, note, choiceCount) => {
    const { choices } = only({ note: 'by phone' }, { decision: decided({ decidedBy, note }) })
    expect(choices).toHaveLength(choiceCount)
  })
})
