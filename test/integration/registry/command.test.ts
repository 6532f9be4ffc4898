import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import {
  runRegistryCommand as enrich,
  sampleRows,
  temporaryFolder,
  writeRows,
} from '../../support/registry.js'

describe('enrich registry', () => {
  it('import says what came of the rows and what to do next; info and search show it', async () => {
    const folder = temporaryFolder()
    const registry = join(folder, 'new', 'registry.sqlite')
    const file = writeRows(folder, [
      ...sampleRows,
      { id: 'nameless' },
      { id: 'odd', name: 'Odd Ltd', lei: 'X' },
    ])

    const imported = await enrich('import', 'csv', file, '--registry', registry)
    expect(imported.err).toContain('8 rows read')
    for (const line of [
      '8 rows',
      'new       7',
      'rejected  1',
      'line 8: it has no name',
      'line 9: LEI "X"',
      '--registry',
    ]) {
      expect(imported.out).toContain(line)
    }
    expect((await enrich('import', 'csv', file, '--registry', registry)).out).toContain('nothing to do')

    const info = await enrich('info', '--registry', registry)
    expect(info.out).toContain('companies 7')
    expect(info.out).toContain('companies.csv (csv): 8 rows, 1 rejected')

    const found = await enrich('search', 'acme', '--country', 'gb', '--limit', '1', '--registry', registry)
    expect(found.out).toMatch(/^ *\d+ {2}Acme Widgets .*siq_\w+\n$/)
    expect((await enrich('search', 'nobody', '--registry', registry)).out).toBe(
      'Nothing found for "nobody".\n',
    )
  })

  it('info --linkage tells what was joined and what left apart, by what, for people and as JSON', async () => {
    const folder = temporaryFolder()
    const registry = join(folder, 'registry.sqlite')
    const place = { city: 'Leeds', country: 'GB' }
    const one = writeRows(folder, [
      { id: '1', name: 'Acme Ltd', ...place },
      { id: '2', name: 'Beta Ltd', ...place },
    ])
    await enrich('import', 'csv', one, '--source', 'one', '--registry', registry)
    const two = writeRows(folder, [
      { id: '1', name: 'ACME LIMITED', ...place },
      { id: '2', name: 'Beta Ltd', country: 'CA' },
    ])
    await enrich('import', 'csv', two, '--source', 'two', '--registry', registry)
    expect((await enrich('info', '--registry', registry)).out).not.toContain('apart')
    const { out } = await enrich('info', '--linkage', '--registry', registry)
    expect(out).toMatch(
      /name +1 .*\n +(?:Acme Ltd is ACME LIMITED|ACME LIMITED is Acme Ltd): \d+ bits \(name full \+7/,
    )
    expect(out).toMatch(/other_country +1 .*\n +Beta Ltd and Beta Ltd: /)
    const json = await enrich('info', '--linkage', '--json', '--registry', registry)
    expect(JSON.parse(json.out)).toMatchObject({
      linkage: { joined: [{ reason: 'name', count: 1 }], apart: [{ reason: 'other_country', count: 1 }] },
    })
  })

  it('--json gives programs the same', async () => {
    const folder = temporaryFolder()
    const registry = join(folder, 'registry.sqlite')
    const file = writeRows(folder, sampleRows)
    const imported = await enrich('import', 'csv', file, '--registry', registry, '--json', '--source', 'mine')
    expect(JSON.parse(imported.out)).toMatchObject({ rowCount: 6, importedCount: 6, rejections: [] })
    const info = await enrich('info', '--registry', registry, '--json')
    expect(JSON.parse(info.out)).toMatchObject({ entityCount: 6, sources: [{ name: 'mine' }] })
    const found = await enrich('search', 'acme', '--registry', registry, '--json')
    expect(
      found.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toHaveLength(2)
  })

  it('--map, --id-type, --country and --jurisdiction reach the import', async () => {
    const folder = temporaryFolder()
    const registry = join(folder, 'registry.sqlite')
    const file = writeRows(folder, [{ id: '7', name: 'Acme Ltd', registration_id: '01234567' }])
    const flags = [
      '--map',
      'id=registration_id,name=name',
      '--id-type',
      'registration_id',
      '--country',
      'GB',
      '--jurisdiction',
      'gb',
    ]
    await enrich('import', 'csv', file, ...flags, '--registry', registry)
    const found = await enrich('search', 'Acme', '--country', 'GB', '--json', '--registry', registry)
    expect(JSON.parse(found.out)).toMatchObject({
      jurisdiction: { jurisdictionCode: 'gb', country: 'United Kingdom' },
    })
  })

  test.each([
    [['import', 'gleif', 'x.zip'], { code: 'INPUT_NOT_FOUND' }],
    [
      ['import', 'gleif', 'x.zip', '--map', 'name=x'],
      { code: 'USAGE_INVALID', message: '--map is only for csv; a gleif file has fixed columns' },
    ],
    [['import', 'sec-sub', 'x.zip', '--id-type', 'cik'], { code: 'USAGE_INVALID' }],
    [['import', 'excel', 'x.xls'], { code: 'USAGE_INVALID', message: 'excel is not an import format' }],
    [['import', 'csv', 'none.csv', '--map', 'name'], { code: 'commander.invalidArgument' }],
    [['search', 'x', '--limit', '0'], { code: 'commander.invalidArgument' }],
    [['info', '--registry', 'none.sqlite'], { code: 'REGISTRY_NOT_FOUND' }],
  ])('%j is refused with a code', async (argv, error) => {
    await expect(enrich(...argv)).rejects.toMatchObject(error)
  })

  it('a first import that fails leaves no registry behind', async () => {
    const folder = temporaryFolder()
    const registry = join(folder, 'registry.sqlite')
    const importing = enrich('import', 'csv', join(folder, 'none.csv'), '--registry', registry)
    await expect(importing).rejects.toMatchObject({ code: 'INPUT_NOT_FOUND' })
    const headless = writeRows(folder, sampleRows, 'rows.csv')
    const misnamed = enrich('import', 'csv', headless, '--map', 'name=firm', '--registry', registry)
    await expect(misnamed).rejects.toMatchObject({ code: 'REGISTRY_IMPORT_INVALID' })
    expect(readdirSync(folder)).toEqual(['rows.csv'])
  })
})
