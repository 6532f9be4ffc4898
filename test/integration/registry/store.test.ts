import { describe, expect, it, vi } from 'vitest'
import { evaluate } from '../../../src/registry/evaluate/evaluate.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import { parseName } from '../../../src/registry/normalize/parsed-name.js'
import { toCityKey, toPostalKey } from '../../../src/registry/normalize/places.js'
import { openStore } from '../../../src/registry/store/open-store.js'
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

describe('a stored row', () => {
  it('reads as its source states it, though frequent values are packed', () => {
    const names = [
      'Acme Ltd',
      'The Ärzte & Söhne GmbH',
      'ООО Ромашка',
      '#1 Shop',
      '=A',
      'IBM',
      '株式会社東京',
    ]
    const cities = ['New York', 'Köln', 'SÃO PAULO', 'St. Gallen', 'Wien 3', 'Αθήνα', 'Munich']
    const codes = ['SW1A 1AA', '140-37', '00123', 'ab 1', 'Ａ１', '', '9999 AB']
    const rows = names.map((name, at) => ({
      id: `${at}`,
      name,
      city: cities[at] ?? '',
      region: ['NY', 'Bayern', 'XX', '', 'GB-ENG', 'DE-BY', 'CA'][at] ?? '',
      country: ['US', 'DE', 'BR', 'CH', 'GB', 'DE', 'US'][at] ?? '',
      postal_code: codes[at] ?? '',
      status: ['active', 'inactive', 'liquidation', '', 'active', 'active', 'active'][at] ?? '',
      registration_authority: ['RA000585', 'RA999999', '', '', 'RA000001', 'RA000002', 'RA000000'][at] ?? '',
    }))
    const registry = registryOf(rows)
    const stored = registry.database
      .prepare<[], Record<string, string | null>>(
        `SELECT l.source_key, l.legal_name AS name, n.core_key, n.full_key, n.kind, a.city, a.city_key, a.postal_code,
           a.postal_key, l.registration_authority, l.stated_on, s.file_date
         FROM legal_entities l JOIN names n ON n.legal_entity_number = l.number AND n.kind = 'legal'
         JOIN addresses a ON a.legal_entity_number = l.number JOIN sources s ON s.number = l.source_number
         ORDER BY l.number`,
      )
      .all()
    expect(stored).toEqual(
      rows.map(({ id, name, city, postal_code, registration_authority }) => ({
        source_key: `id:${id}`,
        name,
        core_key: parseName(name).coreKey,
        full_key: parseName(name).fullKey,
        kind: 'legal',
        city,
        city_key: toCityKey(city),
        postal_code: postal_code || null,
        postal_key: toPostalKey(postal_code),
        registration_authority: registration_authority || null,
        stated_on: stored[0]?.['file_date'],
        file_date: stored[0]?.['file_date'],
      })),
    )
  })
})

describe('answers', () => {
  it('read no table of companies from its beginning to its end', () => {
    const path = `${temporaryFolder()}/asked.sqlite`
    const written = openRegistry(path)
    add(written, sampleRows)
    const prototype = Object.getPrototypeOf(written.database) as WritableRegistry['database']
    const prepare = vi.spyOn(prototype, 'prepare')
    const registry = openRegistry(path, { readonly: true })
    for (const name of queries) {
      registry.search({ name, limit: 5 })
      const { entity } = registry.resolve({ name, location: 'Armonk, NY, US', context: 'ibm.com' })
      if (entity !== null) registry.entity(entity.id)
    }
    for (const id of ['LEI VGRQXHF3J8VDLUA7XE92', 'CIK 51143', 'company number US 12', 'ticker NYSE:IBM'])
      registry.resolve({ name: `ibm (${id})`, location: null, context: null })
    const expected = [{ type: null, value: '51143', jurisdiction: null }]
    const query = { id: '1', name: 'ibm', location: null, context: null, stratum: 'all', expected }
    const { report } = evaluate([query], { registry, monotonicMs: () => 0, leaveOutShare: 1 })
    expect(report.overall.recall).toBe(1)
    registry.close()
    const statements = [...new Set(prepare.mock.calls.map(([sql]) => sql))]
    prepare.mockRestore()
    const tables = 'names|legal_entities|identifiers|addresses|entities|claims|stated_names|relationships'
    const scans = statements.flatMap((sql) => {
      const names = [...sql.matchAll(/@(\w+)/g)].map(([, name = '']) => [name, null])
      const none: unknown[] =
        names.length > 0 ? [Object.fromEntries(names)] : Array.from(sql.matchAll(/\?/g), () => null)
      const steps = written.database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      return steps
        .all(...none)
        .flatMap(({ detail }) => /^SCAN (\w+)$/.exec(detail)?.[1] ?? [])
        .filter(
          (alias) =>
            new RegExp(`\\b(?:FROM|JOIN) (?:${tables}) ${alias}\\b`).test(sql) ||
            tables.split('|').includes(alias),
        )
        .map(() => sql)
    })
    expect(statements.length).toBeGreaterThan(20)
    expect(scans).toEqual([])
  })
})

describe('a registry of an older version', () => {
  it('is refused with what to do, for reading and for writing', () => {
    const path = `${temporaryFolder()}/old.sqlite`
    const registry = openRegistry(path)
    registry.database.pragma('user_version = 1')
    registry.close()
    for (const mode of ['readonly', 'shared'] as const)
      expect(() => openStore(path, mode)).toThrow(
        expect.objectContaining({
          code: 'REGISTRY_INVALID',
          message: expect.stringContaining('was made by an older version of enrich') as string,
          hint: expect.stringContaining('load its files') as string,
        }),
      )
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
