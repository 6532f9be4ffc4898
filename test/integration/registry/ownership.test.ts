import { describe, expect, test } from 'vitest'
import type { EntityId } from '../../../src/contract/enums.js'
import type { WritableRegistry } from '../../../src/registry/registry.js'
import { addRows as load, registryOf as open, type Row } from '../../support/registry.js'

const company = (id: string, parent?: string, parts: Row = {}): Row => ({
  id,
  name: `${id} limited`,
  country: 'GB',
  ...(parent === undefined ? {} : { parent_id: parent }),
  ...parts,
})

const idOf = (registry: WritableRegistry, key: string) =>
  registry.database
    .prepare<[string], string>(
      'SELECT e.id FROM entities e JOIN legal_entities l ON l.entity_number = e.number WHERE l.source_key = ?',
    )
    .pluck()
    .get(`id:${key}`) as EntityId

const numberOf = (registry: WritableRegistry, key: string) =>
  registry.database
    .prepare<[string], number>('SELECT number FROM legal_entities WHERE source_key = ?')
    .pluck()
    .get(`id:${key}`)

/** A record as an importer of relationships would write it. */
function relate(
  registry: WritableRegistry,
  child: string,
  type: string,
  parent: string,
  parts: { percentage?: number; from?: string; to?: string; url?: string } = {},
): void {
  registry.database
    .prepare(
      `INSERT INTO relationships (source_number, child_number, parent_number, type, percentage, from_date, to_date, source_url)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      numberOf(registry, child),
      numberOf(registry, parent),
      type,
      parts.percentage ?? null,
      parts.from ?? null,
      parts.to ?? null,
      parts.url ?? null,
    )
}

/** Links as `owner > owned`, by the first word of the names. */
function linksOf(registry: WritableRegistry, key: string): string[] {
  const found = registry.ownership(idOf(registry, key))
  const names = new Map(found?.companies.map(({ id, name }) => [id, name.replace(' limited', '')]))
  return (found?.links ?? []).map(({ ownerId, ownedId }) => `${names.get(ownerId)} > ${names.get(ownedId)}`)
}

describe('who owns whom', () => {
  test('all owners upward, what is owned, and the siblings; no further', () => {
    const registry = open([
      company('child', 'target'),
      company('grandchild', 'child'),
      company('target', 'parent'),
      company('sibling', 'parent'),
      company('nephew', 'sibling'),
      company('parent', 'top'),
      company('uncle', 'top'),
      company('top'),
      company('stranger'),
    ])
    expect(linksOf(registry, 'target').sort()).toEqual([
      'parent > sibling',
      'parent > target',
      'target > child',
      'top > parent',
    ])
    const { companies, targetId, statedUltimateParentId } = registry.ownership(idOf(registry, 'target'))!
    expect(companies[0]).toEqual({
      id: targetId,
      name: 'target limited',
      countryCode: 'GB',
      jurisdiction: null,
      type: 'business',
      isListed: false,
    })
    expect(statedUltimateParentId).toBeNull()
  })

  test('a circle is reported as it is, and ends', () => {
    const registry = open([company('a', 'b'), company('b', 'c'), company('c', 'a')])
    expect(linksOf(registry, 'a').sort()).toEqual(['a > c', 'b > a', 'c > b'])
  })

  test('a company alone has no links; an unknown id has no ownership', () => {
    const registry = open([company('a', 'nobody'), company('b', 'b')])
    expect([linksOf(registry, 'a'), linksOf(registry, 'b')]).toEqual([[], []])
    expect(registry.ownership('siq_unknown' as EntityId)).toBeNull()
  })

  test('of a great family 200 are reported, those above first', () => {
    const family = Array.from({ length: 400 }, (_, index) => company(`c${index}`, 'target'))
    const registry = open([...family, company('target', 'parent'), company('parent', 'top'), company('top')])
    const found = registry.ownership(idOf(registry, 'target'))!
    expect(found.companies).toHaveLength(200)
    expect(found.companies.slice(0, 3).map(({ name }) => name)).toEqual([
      'target limited',
      'parent limited',
      'top limited',
    ])
  })

  test('percentages, dates, addresses and the stated ultimate parent are those of the records', () => {
    const registry = open([company('a'), company('b'), company('z')])
    relate(registry, 'a', 'IS_DIRECTLY_CONSOLIDATED_BY', 'b', {
      percentage: 62.5,
      from: '2012-11',
      url: 'https://register.example/a',
    })
    relate(registry, 'a', 'IS_ULTIMATELY_CONSOLIDATED_BY', 'z')
    const found = registry.ownership(idOf(registry, 'a'))!
    expect(found).toMatchObject({
      statedUltimateParentId: idOf(registry, 'z'),
      evidence: ['https://register.example/a'],
      links: [
        {
          ownerId: idOf(registry, 'b'),
          type: 'IS_DIRECTLY_CONSOLIDATED_BY',
          percentage: 62.5,
          fromDate: '2012-11',
        },
        {
          ownerId: idOf(registry, 'z'),
          type: 'IS_ULTIMATELY_CONSOLIDATED_BY',
          percentage: null,
          fromDate: null,
        },
      ],
    })
    expect(registry.entity(idOf(registry, 'a'))?.record.parent_entity).toEqual({ name: 'b limited' })
  })

  test('a parent that is direct and ultimate is one link', () => {
    const registry = open([company('a'), company('b')])
    relate(registry, 'a', 'IS_ULTIMATELY_CONSOLIDATED_BY', 'b')
    relate(registry, 'a', 'IS_DIRECTLY_CONSOLIDATED_BY', 'b')
    const found = registry.ownership(idOf(registry, 'a'))!
    expect(found.links.map(({ type }) => type)).toEqual(['IS_DIRECTLY_CONSOLIDATED_BY'])
    expect(found.statedUltimateParentId).toBe(idOf(registry, 'b'))
  })

  test('who manages a fund, or what it feeds, does not own it; what ended is over', () => {
    const registry = open([company('a'), company('b'), company('c'), company('d'), company('e')])
    relate(registry, 'a', 'IS_FUND-MANAGED_BY', 'b')
    relate(registry, 'a', 'IS_FEEDER_TO', 'c')
    relate(registry, 'a', 'IS_DIRECTLY_CONSOLIDATED_BY', 'd', { to: '2020-01-01' })
    relate(registry, 'a', 'IS_SUBFUND_OF', 'e')
    expect(linksOf(registry, 'a')).toEqual(['e > a'])
  })

  test('a share outside 0 to 100, or a type of another name, cannot be stored', () => {
    const registry = open([company('a'), company('b')])
    expect(() => {
      relate(registry, 'a', 'IS_DIRECTLY_CONSOLIDATED_BY', 'b', { percentage: 101 })
    }).toThrow('CHECK')
    expect(() => {
      relate(registry, 'a', 'OWNS', 'b')
    }).toThrow('CHECK')
  })
})

test('A parent may be below its children in the file, and a newer file replaces it', () => {
  const registry = open([company('a', 'b'), company('b'), company('c')])
  expect(linksOf(registry, 'a')).toEqual(['b > a'])
  load(registry, [company('a', 'c'), company('b'), company('c')])
  expect(linksOf(registry, 'a')).toEqual(['c > a'])
  load(registry, [company('a', 'c'), company('b')])
  expect(linksOf(registry, 'a')).toEqual([])
})
