import fc from 'fast-check'
import { measureWidth } from '../../../src/core/text.js'
import { describe, expect, test } from 'vitest'
import {
  ChangeCounter,
  conditionHint,
  formatAlarm,
  formatCondition,
  evaluateAlarms,
  isChangeCondition,
  parseConditions,
  type AlarmCondition,
  type AlarmFacts,
  type Change,
  type ChangeKind,
  changeKinds,
} from '../../../src/core/alarms.js'
import { forAll } from '../../support/properties.js'

function conditionsOf(text: string): readonly AlarmCondition[] {
  const parsed = parseConditions(text)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.conditions
}

const facts: AlarmFacts = {
  rowCount: 200,
  rowsByStatus: { matched: 150, merged: 10, partial_match: 14, failed: 3, odd_status: 23 },
  review: { rowCount: 9, decidedRowsByStatus: {}, decidedAgainRowCount: 0 },
  changes: { counts: { lost_match: 7, new_row: 110 }, firstNames: {}, rowCountBefore: 100 },
  money: { cost: 12.3, currency: 'EUR' },
}

const metBy = (text: string, of: AlarmFacts = facts) =>
  evaluateAlarms(conditionsOf(text), of).alarms.map(({ condition }) => condition)

test('merged counts rows with that status, and is judged without an output before', () => {
  const merged = { ...facts, changes: { counts: { merged: 1 }, firstNames: {}, rowCountBefore: 100 } }
  expect(metBy('merged>=10, merged>=5%, merged>10', merged)).toEqual(['merged>=10', 'merged>=5%'])
  const { alarms, skipped } = evaluateAlarms(conditionsOf('merged>0, renamed>0'), { ...facts, changes: null })
  expect(alarms.map(({ message }) => message)).toEqual(['merged>0: 10 of 200 rows'])
  expect(skipped.map(formatCondition)).toEqual(['renamed>0'])
  expect(conditionHint.match(/\bmerged\b/g)).toHaveLength(1)
})

test('A row that a reviewer decided as none is neither unmatched nor without a company', () => {
  const decided = {
    ...facts,
    rowsByStatus: { matched: 150, no_match: 50 },
    review: { rowCount: 20, decidedRowsByStatus: { no_match: 30 } },
  }
  expect(metBy('no_match>20, unmatched>20, no_match>=10%, review>20', decided)).toEqual(['no_match>=10%'])
})

test('A row that a reviewer accepted is matched, whatever became of its company', () => {
  const decided = {
    ...facts,
    rowsByStatus: { matched: 150, merged: 20, not_found: 10, no_match: 20 },
    review: {
      rowCount: 25,
      decidedRowsByStatus: { matched: 40, merged: 15, not_found: 10, no_match: 5 },
      decidedAgainRowCount: 25,
    },
  }
  const exact = 'matched>=175, merged>=5, not_found>0, no_match>=15, unmatched>=15, review>0'
  const more = 'matched>175, merged>5, no_match>15, unmatched>15'
  expect(metBy(`${exact}, ${more}`, decided)).toEqual([
    'matched>=175',
    'merged>=5',
    'no_match>=15',
    'unmatched>=15',
  ])
})

describe('an expression', () => {
  test.each<[string, string[]]>([
    ['failed>0', ['failed>0']],
    [' lost_match > 5 % ,matched<80%', ['lost_match>5%', 'matched<80%']],
    ['MATCHED <= 80.50%', ['matched<=80.5%']],
    ['cost>=0.000001', ['cost>=0.000001']],
    ['rows < 007', ['rows<7']],
    ['unmatched>20%,uncertain>0', ['unmatched>20%', 'uncertain>0']],
  ])('%j', (text, written) => {
    expect(conditionsOf(text).map(formatCondition)).toEqual(written)
  })

  test.each<[string, RegExp]>([
    ['', /a condition is empty/],
    ['failed>0,', /a condition is empty/],
    ['failed', /"failed": one of >= <= > < is needed after failed/],
    ['failed=0', /"failed=0": one of/],
    ['failed!=0', /one of/],
    ['failed>', /"failed>": a number is needed after >/],
    ['failed>-1', /a number is needed/],
    ['failed>1e3', /a number is needed/],
    ['failed>5%%', /a number is needed/],
    ['failed>0 or 1', /a number is needed/],
    ['ok>1,failde>0', /"failde>0|"ok>1": the name is unknown/],
    ['>5%', /">5%": the name is missing$/],
    ['rows<5%', /rows cannot be a percentage/],
    ['cost>5%', /cost cannot be a percentage/],
    ['matched>1,000', /"000": a number has a decimal point/],
    ['review>25,5%', /"5%": a number has a decimal point/],
    ['__proto__>0', /the name is unknown/],
    ['constructor>0', /the name is unknown/],
    [`${'x'.repeat(500)}>1`, /^"x{60}…": the name is unknown/],
  ])('%j is refused, with the part that is wrong', (text, fault) => {
    expect(parseConditions(text)).toEqual({ fault: expect.stringMatching(fault) })
  })

  test('whatever is written is read as it was meant', () => {
    const names = conditionHint.replace(/^.*names: /s, '').split(', ')
    expect(names).toEqual(expect.arrayContaining(['matched', 'unmatched', 'rows', 'cost', ...changeKinds]))
    const space = fc.stringMatching(/^[ \t]{0,3}$/)
    const condition = fc.record({
      name: fc.constantFrom(...names),
      operator: fc.constantFrom('>', '>=', '<', '<='),
      micros: fc.nat(100_000_000),
      isPercent: fc.boolean(),
      spaces: fc.array(space, { minLength: 4, maxLength: 4 }),
    })
    forAll(100, [fc.array(condition, { minLength: 1, maxLength: 6 })], (wanted) => {
      const able = wanted.map((one) => ({
        ...one,
        isPercent: one.isPercent && !/^(rows|cost)$/.test(one.name),
      }))
      const text = able
        .map(({ name, operator, micros, isPercent, spaces: [a, b, c, d] }) =>
          [a, name, b, operator, c, (micros / 1_000_000).toFixed(6), d, isPercent ? '%' : ''].join(''),
        )
        .join(',')
      const read = conditionsOf(text)
      expect(read).toEqual(
        able.map(({ name, operator, micros, isPercent }) => ({
          name,
          operator,
          limitMicros: micros,
          isPercent,
        })),
      )
      expect(conditionsOf(read.map(formatCondition).join(','))).toEqual(read)
    })
  })

  test('no text makes the parser throw', () => {
    forAll(100, [fc.string({ unit: 'binary', maxLength: 200 })], (text) => {
      const parsed = parseConditions(text)
      expect('fault' in parsed || parsed.conditions.length > 0).toBe(true)
    })
  })
})

describe('a condition is met', () => {
  test.each<[string, boolean]>([
    ['failed>2', true],
    ['failed>3', false],
    ['failed>=3', true],
    ['failed<=3', true],
    ['failed<3', false],
    ['failed>1.4%', true],
    ['failed>1.5%', false],
    ['failed>=1.5%', true],
    ['matched<80%', true],
    ['matched<75%', false],
    ['unmatched>=40', true],
    ['unmatched>40', false],
    ['unmatched>=20%', true],
    ['review>=9', true],
    ['review>4.5%', false],
    ['not_found>0', false],
    ['rows<201', true],
    ['rows>=201', false],
    ['cost>12.29', true],
    ['cost>12.3', false],
    ['cost>=12.3', true],
    // Of the rows before: 7 in 100 is 7%, to the last bit.
    ['lost_match>7%', false],
    ['lost_match>=7%', true],
    ['new_row>100%', true],
    ['renamed>0', false],
  ])('%s: %s', (text, isMet) => {
    expect(metBy(text)).toEqual(isMet ? [text] : [])
  })

  test('its share is compared as whole numbers are, however they come', () => {
    forAll(100, [fc.integer({ min: 1, max: 5_000_000 }), fc.nat(100_000_000)], (rowCount, limitMicros) => {
      const failed = Math.floor(rowCount / 3)
      const text = formatCondition({ name: 'failed', operator: '>', limitMicros, isPercent: true })
      const isMet = BigInt(failed) * 100_000_000n > BigInt(limitMicros) * BigInt(rowCount)
      expect(metBy(text, { ...facts, rowCount, rowsByStatus: { failed } }).length).toBe(isMet ? 1 : 0)
    })
  })

  test('alarms say what was found, in the unit of their condition', () => {
    expect(evaluateAlarms(conditionsOf('lost_match>5%,failed>0,cost>10,rows>1'), facts).alarms).toEqual([
      {
        condition: 'lost_match>5%',
        found: 7,
        message: 'lost_match>5%: 7 of 100 rows of the previous output (7%)',
      },
      { condition: 'failed>0', found: 3, message: 'failed>0: 3 of 200 rows' },
      { condition: 'cost>10', found: 12.3, message: 'cost>10: the run cost EUR 12.30' },
      { condition: 'rows>1', found: 200, message: 'rows>1: the output has 200 rows' },
    ])
  })

  test('without an output before, what is asked of changes is not judged, and everything else is', () => {
    const conditions = conditionsOf('lost_match>=0,failed>0,renamed<1')
    const { alarms, skipped } = evaluateAlarms(conditions, { ...facts, changes: null })
    expect(alarms.map(({ condition }) => condition)).toEqual(['failed>0'])
    expect(skipped.map(formatCondition)).toEqual(['lost_match>=0', 'renamed<1'])
    expect(conditions.map(isChangeCondition)).toEqual([true, false, true])
  })

  test('an output before without rows has no share of anything', () => {
    const changes = { counts: { new_row: 5 }, firstNames: {}, rowCountBefore: 0 }
    // 5 is more than any share of nothing.
    expect(metBy('new_row>10%', { ...facts, changes })).toEqual(['new_row>10%'])
    expect(metBy('lost_match>0%', { ...facts, changes })).toEqual([])
  })
})

describe('names of changed rows', () => {
  const createChange = (kind: ChangeKind, rowNumber: number, name: string | null): Change => ({
    ...{ kind, rowNumber, name, rowKey: null, field: null, old: null, new: null, run: 2 },
    ...{ oldSource: null, newSource: null, oldEntityId: null, newEntityId: null },
  })

  function findNames(changes: readonly Change[], text: string): readonly string[] {
    const counter = new ChangeCounter()
    for (const change of changes) counter.add(change)
    const { alarms } = evaluateAlarms(conditionsOf(text), {
      ...facts,
      changes: { ...counter.tally, rowCountBefore: 100 },
    })
    return alarms.map(formatAlarm)
  }

  test('an alarm about changes names the first rows that changed so', () => {
    const lost = ['Larkmoor', 'Norvane', 'Tessaly', 'Ostrovik'].map((name, at) =>
      createChange('lost_match', at + 1, name),
    )
    const one = [createChange('renamed', 9, null), ...lost.slice(0, 1)]
    expect(findNames(one, 'lost_match>0,renamed>0,failed>0')).toEqual([
      'lost_match>0: 1 of 100 rows of the previous output: Larkmoor',
      'renamed>0: 1 of 100 rows of the previous output: row 9',
      'failed>0: 3 of 200 rows',
    ])
    expect(findNames(lost, 'lost_match>2%')).toEqual([
      'lost_match>2%: 4 of 100 rows of the previous output (4%): Larkmoor, Norvane, Tessaly and 1 more',
    ])
  })

  test('a line has whole names, as many as fit, and says how many more there are', () => {
    for (const word of ['Larkmoor ', 'Zorvexmühle ', 'Норване ', '漢字商会 ', 'مؤسسة '])
      for (const repeats of [1, 3, 6, 11, 14, 30]) {
        const names = Array.from({ length: 5 }, (_, at) => `${word.repeat(repeats)}${at}`)
        const changes = names.map((name, at) => createChange('renamed', at + 1, name))
        const [line = ''] = findNames(changes, 'renamed>0')
        const [, shown = '', more] = /previous output: (.*) and (\d) more$/u.exec(line) ?? []
        const found = shown.split(', ')
        if (found.length === 1 && shown.endsWith('…'))
          expect(names[0]?.startsWith(`${shown.slice(0, -1)} `)).toBe(true)
        else expect(found).toEqual(names.slice(0, found.length))
        expect(Number(more)).toBe(5 - found.length)
        expect(measureWidth(line)).toBeLessThan(250)
      }
  })

  test('an alarm of an earlier version has no number of rows', () => {
    const names = ['Larkmoor', 'Norvane', 'Tessaly', 'Ostrovik']
    const alarm = { condition: 'renamed>1', found: 9, message: 'renamed>1: 9 rows', names }
    expect(formatAlarm(alarm)).toBe('renamed>1: 9 rows: Larkmoor, Norvane, Tessaly, …')
    expect(formatAlarm({ ...alarm, names: names.slice(0, 3) })).toBe(
      'renamed>1: 9 rows: Larkmoor, Norvane, Tessaly',
    )
  })

  test('an alarm keeps at most ten names, and cuts a name only if it is the first and very long', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => createChange('row_gone', at + 1, '漢'.repeat(500)))
    const counter = new ChangeCounter()
    for (const change of many) counter.add(change)
    expect(counter.tally.counts).toEqual({ row_gone: 1_000 })
    expect(counter.tally.firstNames.row_gone).toHaveLength(10)
    const [alarm = ''] = findNames(many, 'row_gone>0')
    expect(alarm.split(': ').at(-1)).toBe(`${'漢'.repeat(75)}… and 999 more`)
  })
})
