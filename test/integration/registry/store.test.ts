import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migrate, openSqlite } from '../../../src/platform/sqlite.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import { migrations } from '../../../src/registry/store/schema.js'
import { addRows, sampleRows, temporaryFolder, type Row } from '../../support/registry.js'

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

describe('a registry of an older version', () => {
  it('is refused to readers with a hint, and an importer keeps what it holds', () => {
    const path = join(temporaryFolder(), 'registry.sqlite')
    const old = openSqlite(path, { synchronous: 'NORMAL' })
    migrate(old, migrations.slice(0, 7))
    old.exec(`INSERT INTO sources VALUES (1, 's', 'csv', '{}', 'f', '2026-01-01', 'x', 1, 1, 2, 0, '', 'whole');
      INSERT INTO entities VALUES (1, 'siq_a', NULL), (2, 'siq_b', NULL);
      INSERT INTO legal_entities (id, entity_number, source_number, source_key, source_line, import_sequence,
        legal_name, display_name, type, subtype, vanished) VALUES
        ('le_a', 1, 1, 'id:a', 2, 1, 'A', 'A', 'business', 'incorporated_entity', 1),
        ('le_b', 2, 1, 'id:b', 3, 1, 'B', 'B', 'business', 'incorporated_entity', 0);
      INSERT INTO statements (registration_id, source_number, import_sequence, row_json) VALUES ('le_b', 1, 1, '{}')`)
    old.close()
    expect(() => openRegistry(path, { readonly: true })).toThrow(
      expect.objectContaining({
        code: 'REGISTRY_INVALID',
        hint: expect.stringMatching(/^import any of its files into it again/),
      }),
    )
    const registry = openRegistry(path)
    expect(registry.info().entityCount).toBe(1)
    expect(listed(registry, 'SELECT id, removed_from_source FROM legal_entities ORDER BY id')).toEqual([
      ['le_a', 1],
      ['le_b', 0],
    ])
    expect(listed(registry, 'SELECT registration_id FROM claims')).toEqual([['le_b']])
    registry.close()
  })
})

describe('the words of all names', () => {
  it('are kept as they would be counted', () => {
    const kept = registryOf(sampleRows, [{ id: 'late', name: 'Zyx Unrelated Widgets' }])
    const answers = () => queries.map((name) => kept.search({ name, limit: 10 }))
    const before = answers()
    kept.database.exec('DELETE FROM word_lists')
    kept.contentChanged()
    expect(answers()).toEqual(before)
    expect(kept.resolveDeps.vocabulary().nameCount('widgets')).toBe(3)
  })
})
