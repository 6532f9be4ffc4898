import { describe, expect, it } from 'vitest'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import { addRows, sampleRows, type Row } from '../../support/registry.js'

function add(registry: WritableRegistry, rows: readonly Row[], sourceName = 'sample') {
  return addRows(registry, rows, { fileName: `${sourceName}.csv`, sourceName })
}

function registryOf(...files: (readonly Row[])[]): WritableRegistry {
  const registry = openRegistry(':memory:')
  for (const [index, rows] of files.entries()) add(registry, rows, `source ${index}`)
  return registry
}

const listed = (registry: WritableRegistry, sql: string) => registry.database.prepare(sql).raw().all()
const indexNames = (registry: WritableRegistry) =>
  listed(registry, "SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name")
const found = (registry: WritableRegistry, name: string) =>
  registry.search({ name, limit: 10 }).hits.map(({ legalName }) => legalName)

const queries = [
  'ibm',
  'Big Blue',
  'acme wigdets',
  'Widgets Acme',
  'International Busi',
  'toyota',
  'red hat inc',
]

describe('the first import', () => {
  it('leaves the indexes that a registry has from the start', () => {
    expect(indexNames(registryOf(sampleRows))).toEqual(indexNames(openRegistry(':memory:')))
  })

  it('finds what the same rows find in a registry that held others', () => {
    const first = registryOf(sampleRows)
    const second = registryOf([{ id: 'other', name: 'Zyx Unrelated' }], sampleRows)
    for (const name of queries) expect(found(second, name)).toEqual(found(first, name))
  })

  it('takes two rows of one id for one company, named as in the last', () => {
    const registry = openRegistry(':memory:')
    const [ibm = {}, ...others] = sampleRows
    const result = add(registry, [ibm, ...others, { ...ibm, name: 'Renamed Machines', other_names: '' }])
    expect(result).toMatchObject({ importedCount: sampleRows.length, updatedCount: 1 })
    expect(found(registry, 'Renamed Machines')).toEqual(['Renamed Machines'])
    expect(found(registry, 'Big Blue')).toEqual(['Renamed Machines'])
    expect(found(registry, 'Acme Widgets')).toHaveLength(2)
  })
})

describe('a newer file', () => {
  const nameNumbers = (registry: WritableRegistry) =>
    listed(registry, 'SELECT number, name FROM names ORDER BY number')
  const [ibm = {}, ...others] = sampleRows

  it('writes only the rows that changed', () => {
    const registry = openRegistry(':memory:')
    add(registry, sampleRows)
    const before = nameNumbers(registry)
    add(registry, [...others, ibm])
    expect(nameNumbers(registry)).toEqual(before)
    add(registry, [{ ...ibm, other_names: 'Big Blue|New Brand' }, ...others])
    const unchanged = before.filter((row) =>
      nameNumbers(registry).some((kept) => String(kept) === String(row)),
    )
    expect(unchanged).toHaveLength(before.length - 4)
    expect(found(registry, 'New Brand')).toEqual([ibm['name']])
  })

  it('cites the line where an unchanged row stands now', () => {
    const registry = openRegistry(':memory:')
    add(registry, sampleRows)
    add(registry, [...others, ibm])
    const answer = registry.resolve({ name: 'Big Blue', location: 'Armonk, NY', context: null })
    expect(answer.basis[0]?.citations[0]?.excerpt).toContain(`line ${sampleRows.length + 1}`)
  })

  it('finds a row that its source had removed, though it is as it was', () => {
    const registry = openRegistry(':memory:')
    add(registry, sampleRows)
    const statusOf = () => registry.search({ name: 'Big Blue', limit: 9 }).hits.map(({ status }) => status)
    add(registry, others)
    expect(statusOf()).toEqual([null])
    add(registry, sampleRows)
    expect(statusOf()).toEqual(['active'])
  })
})

it('The stored counts of words are those of all names', () => {
  const kept = registryOf(sampleRows, [{ id: 'late', name: 'Zyx Unrelated Widgets' }])
  const answers = () => queries.map((name) => kept.search({ name, limit: 10 }))
  const before = answers()
  kept.database.exec('DELETE FROM word_lists')
  kept.contentChanged()
  expect(answers()).toEqual(before)
  expect(kept.resolveDeps.vocabulary().countNames('widgets')).toBe(3)
})
