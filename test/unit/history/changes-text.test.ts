import { describe, expect, it } from 'vitest'
import { formatDiff } from '../../../src/cli/commands/diff.js'
import { measureWidth } from '../../../src/core/text.js'
import type { RememberedRun } from '../../../src/pipeline/history/run-record.js'
import type { Change } from '../../../src/core/alarms.js'

const run = (number: number): RememberedRun => ({
  number,
  series: 'companies.csv',
  startedAtMs: Date.UTC(2026, 0, number, 2),
  endedAtMs: 0,
  exitCode: 0,
  isPublished: true,
  baseline: null,
  record: null,
})
const pair = { older: run(11), newer: run(12) }
const change: Change = {
  kind: 'renamed',
  rowKey: null,
  rowNumber: 17,
  name: 'Acme',
  field: 'legal_name',
  old: 'Acme Ltd',
  new: 'Acme plc',
  oldSource: null,
  newSource: null,
  oldEntityId: 'siq_1',
  newEntityId: 'siq_1',
  run: 12,
}

describe('changes on a terminal', () => {
  it('counts by kind, then the first of them', () => {
    const first = [
      change,
      { ...change, kind: 'row_gone' as const, rowKey: 'K1', field: null, old: null, new: null },
    ]
    expect(formatDiff({ pair, counts: { row_gone: 1, renamed: 1_234 }, first }, 100)).toBe(
      [
        'Run 12 (2026-01-12 02:00) against run 11 (2026-01-11 02:00): 1,235 changes',
        '  row_gone            1',
        '  renamed             1,234',
        '',
        '  renamed   row 17  Acme  legal_name  Acme Ltd → Acme plc',
        '  row_gone  K1      Acme',
        '  … and 1,233 more: enrich diff 11..12 -o changes.csv',
        '',
      ].join('\n'),
    )
  })

  it('the absence of changes is reported', () => {
    expect(formatDiff({ pair, counts: {}, first: [] }, 100)).toMatch(/: nothing changed\n$/)
  })

  it('where they were written is said', () => {
    expect(formatDiff({ pair, counts: { renamed: 2 }, first: [] }, 100, 'c.csv')).toMatch(
      /: 2 changes\n {2}renamed +2\n {2}written {2}c.csv\n$/,
    )
  })

  it('what would drive a terminal, or turn its words round, is shown as an escape', () => {
    const text = formatDiff(
      { pair, counts: { renamed: 1 }, first: [{ ...change, name: '\u001b[31m\u202eA\nB', new: '\u0007' }] },
      100,
    )
    expect(text).toContain('\\u001b[31m\\u202eA B')
    expect(text).toContain('\\u0007')
  })

  it('without a terminal, nothing is cut off', () => {
    const long = {
      ...change,
      rowKey: 'K'.repeat(40),
      name: 'Larkmoor '.repeat(20).trim(),
      new: 'N'.repeat(300),
    }
    const text = formatDiff({ pair, counts: { renamed: 1 }, first: [long] }, Infinity)
    for (const value of [long.rowKey, long.name, long.new]) expect(text).toContain(value)
  })

  it.each([20, 60, 100])('no line is wider than %s columns, whatever is in it', (columnCount) => {
    const first = [{ ...change, name: '株式会社'.repeat(20), old: '😀'.repeat(50) }, change]
    const lines = formatDiff({ pair, counts: { renamed: 2 }, first }, columnCount).split('\n')
    const table = lines.slice(lines.indexOf('') + 1)
    expect(Math.max(...table.map(measureWidth))).toBeLessThanOrEqual(columnCount)
    expect(table[0]).toContain('  renamed')
  })
})
