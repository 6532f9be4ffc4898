import { describe, expect, test } from 'vitest'
import {
  answerColumns,
  assertNamesFitParquet,
  assertNoClash,
  selectColumns,
} from '../../../src/pipeline/answers/columns.js'
import { escapeFormula } from '../../../src/core/text.js'
import { reviewColumns } from '../../../src/pipeline/answers/column-kinds.js'
import { errorWith } from '../../support/error-with.js'

const names = (choice: Parameters<typeof selectColumns>[0]) =>
  selectColumns(choice).map((column) => column.outputName)

describe('the columns to write', () => {
  test('are all of them in their fixed order, under the prefix', () => {
    const all = names({ prefix: 'enrich_', basis: 'inline', hasSides: true })
    expect(all).toEqual(
      [...answerColumns.slice(0, -1), ...reviewColumns, ...answerColumns.slice(-1)].map(
        ({ name }) => `enrich_${name}`,
      ),
    )
    expect(all[0]).toBe('enrich_status')
    expect(all.at(-1)).toBe('enrich_basis')
    expect(all.length).toBe(57)
  })

  test('hold the side that answered only if there are two', () => {
    expect(names({ prefix: '', basis: 'none' })).not.toContain('answered_by')
    expect(() => names({ prefix: '', basis: 'none', columns: ['answered_by'] })).toThrow('--first')
  })

  test.each(['file', 'none'] as const)('hold no basis where its place is %s', (basis) => {
    expect(names({ prefix: '', basis })).not.toContain('basis')
    expect(names({ prefix: '', basis, columns: ['status', 'basis'] })).toEqual(['status'])
  })

  test('may be named with or without the prefix, and keep our order', () => {
    expect(names({ prefix: 'x_', basis: 'inline', columns: ['x_city', 'status', 'city'] })).toEqual([
      'x_status',
      'x_city',
    ])
  })

  test('that do not exist are refused with the list of those that do', () => {
    const select = () => selectColumns({ prefix: 'enrich_', basis: 'none', columns: ['enrich_nope'] })
    expect(select).toThrow(errorWith('OUTPUT_COLUMN_UNKNOWN', { hint: 'legal_entity_id' }))
    expect(() => selectColumns({ prefix: 'a_', basis: 'none', columns: ['constructor'] })).toThrow(
      /constructor/,
    )
  })
})

describe('the columns of stages', () => {
  test('stand behind ours and before the basis, those of the stages that are asked', () => {
    const all = names({ prefix: 'e_', basis: 'inline', stages: ['hierarchy', 'entity'] })
    expect(all.slice(46, 48)).toEqual(['e_error', 'e_matched_name'])
    expect(all.slice(50, 52)).toEqual(['e_source_url', 'e_decision'])
    expect(all.slice(54, 57)).toEqual(['e_candidates', 'e_entity_record_status', 'e_entity_current_id'])
    expect(all.slice(-3)).toEqual(['e_hierarchy_researched_at', 'e_hierarchy_error', 'e_basis'])
    expect(all).not.toContain('e_domain_status')
  })

  test('may be chosen, and are refused with the flag that asks for them where they are not asked', () => {
    const columns = ['enrich_domain_status', 'status', 'ownership_chain']
    const choice = { prefix: 'enrich_', basis: 'none', columns } as const
    expect(names({ ...choice, stages: ['domain', 'hierarchy'] })).toEqual([
      'enrich_status',
      'enrich_ownership_chain',
      'enrich_domain_status',
    ])
    expect(() => selectColumns({ ...choice, stages: ['hierarchy'] })).toThrow(
      errorWith('OUTPUT_COLUMN_UNKNOWN', { hint: '--with domain' }),
    )
  })

  test('clash with an input column of that name', () => {
    const ours = selectColumns({ prefix: '', basis: 'none', stages: ['domain'] })
    expect(() => {
      assertNoClash(['Domain_Name'], ours)
    }).toThrow(expect.objectContaining({ code: 'OUTPUT_COLUMN_TAKEN' }))
  })
})

describe('a name that is taken', () => {
  const ours = selectColumns({ prefix: 'enrich_', basis: 'inline' })

  test('is refused, whatever its letter case, with a hint at --prefix', () => {
    expect(() => {
      assertNoClash(['name', 'Enrich_Status'], ours)
    }).toThrow(
      expect.objectContaining({ code: 'OUTPUT_COLUMN_TAKEN', hint: expect.stringContaining('--prefix') }),
    )
    expect(() => {
      assertNoClash(['name', 'status'], ours)
    }).not.toThrow()
  })

  test('by another in letter case alone does not fit Parquet', () => {
    expect(() => {
      assertNamesFitParquet(['Name', 'name'], null)
    }).toThrow(expect.objectContaining({ code: 'INPUT_COLUMNS_DUPLICATE' }))
    expect(() => {
      assertNamesFitParquet(['name', 'name '], null)
    }).not.toThrow()
  })

  test.each([
    ['PostgreSQL', 'the table of PostgreSQL cannot hold both Name and name'],
    [null, 'Parquet cannot hold both Name and name'],
  ])('the message names the output: %s', (database, message) => {
    expect(() => {
      assertNamesFitParquet(['Name', 'name'], database)
    }).toThrow(message)
  })
})

test.each(['=1', '+1', '-1', '@a', '\ta', '\ra', '\na', '＝1', '＋1', '－1', '＠a'])(
  '%j would run as a formula, so it gets an apostrophe',
  (text) => {
    expect(escapeFormula(text)).toBe(`'${text}`)
  },
)

test.each(['', 'a=1', ' =1', "'=1", '1-2', 'https://a.example'])('%j runs nowhere, so it stays', (text) => {
  expect(escapeFormula(text)).toBe(text)
})
