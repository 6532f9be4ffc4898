import { expect, test } from 'vitest'
import { renderUnanswered } from '../../../src/pipeline/answers/answer-line.js'
import { selectColumns } from '../../../src/pipeline/answers/columns.js'
import { formatCsvCells, formatJsonMembers } from '../../../src/pipeline/output/answer-cells.js'

test('an empty list is an empty cell of CSV, and an empty list in JSON', () => {
  const columns = selectColumns({ prefix: 'e_', basis: 'inline' })
  const line = renderUnanswered({ status: 'invalid_input', error: 'no name' })
  const cells = formatCsvCells(line, columns)
  const filled = columns.filter((_column, index) => cells[index] !== '').map(({ name }) => name)
  expect(filled).toEqual(['status', 'error'])
  expect(formatJsonMembers(line, columns)).toContain('"e_factors":[]')
})
