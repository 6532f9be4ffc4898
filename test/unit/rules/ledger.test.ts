import { expect, test } from 'vitest'
import { ChargeBook, findLedgerColumns, readLedgerEntry } from '../../../src/pipeline/checkpoint/charges.js'

const entries = (header: readonly string[], ...lines: string[][]) => {
  const columns = findLedgerColumns(header)
  return lines.map((cells) => readLedgerEntry(cells, columns))
}

test.each([
  [['custom_id', 'run_id', 'units']],
  [['Custom ID', 'RUN ID', 'Amount']],
  [['customId', 'runId', 'charged']],
])('columns are known by their headers: %j', (header) => {
  expect(findLedgerColumns(header)).toEqual({ customId: 0, runId: 1, units: 2 })
})

test('charges, refunds, grants and amounts in any shape', () => {
  const [charge, refund, grant, marked, euros, free] = entries(
    ['at', 'kind', 'units', 'runId', 'customId', 'refunded_at'],
    ['2026-01-02T03:04:05Z', 'charge', '1', 'run_1', 'enr_a', ''],
    ['2026-01-02T03:04:05Z', 'refund', '1', 'run_1', 'enr_a', ''],
    ['2026-01-02T03:04:05Z', 'grant', '100', '', '', ''],
    ['', 'charge', '1', 'run_2', 'enr_b', '2026-02-02'],
    ['', '', '0,05 €', '', 'enr_c', ''],
    ['', 'charge', '0', '', 'enr_d', ''],
  )
  expect(charge).toEqual({
    customId: 'enr_a',
    runId: 'run_1',
    units: 1,
    isRefund: false,
    atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  })
  expect(refund).toMatchObject({ isRefund: true })
  expect(grant).toBeNull()
  expect(marked).toMatchObject({ isRefund: true, atMs: null })
  expect(euros).toMatchObject({ units: 0.05, runId: null })
  expect(free).toMatchObject({ units: 0 })
})

test('a submission is one charge, whatever lines it has; two charges or two runs of it are seen', () => {
  const book = new ChargeBook()
  const base = { units: 1, isRefund: false, atMs: null }
  book.add({ ...base, customId: 'one', runId: 'run_1' })
  book.add({ ...base, customId: 'one', runId: 'run_1', isRefund: true })
  book.add({ ...base, customId: 'two', runId: 'run_2' })
  book.add({ ...base, customId: 'two', runId: 'run_3' })
  expect(book.charges.get('one')).toMatchObject({ chargeCount: 1, refundCount: 1, runIds: ['run_1'] })
  expect(book.charges.get('two')).toMatchObject({ chargeCount: 2, runIds: ['run_2', 'run_3'] })
})
