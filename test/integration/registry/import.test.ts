import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { importCsv, type ImportCsvOptions } from '../../../src/registry/import/import-csv.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import { importContent } from '../../support/register-files.js'
import { csvOf, sampleRows, temporaryFolder, writeRows } from '../../support/registry.js'

const open = () => openRegistry(':memory:')

/** Everything a reader could tell of a registry but the time of its import. */
function contentOf(registry: WritableRegistry): unknown {
  const ids = registry.database.prepare<[], { id: string }>('SELECT id FROM entities ORDER BY id').all()
  const info = registry.info()
  return {
    edition: info.edition,
    entityCount: info.entityCount,
    records: ids.map(({ id }) => registry.entity(id as never)),
    index: registry.database.prepare('SELECT term, doc FROM name_vocabulary ORDER BY term').all(),
  }
}

const importText = (
  registry: WritableRegistry,
  text: string,
  options: Parameters<typeof importContent>[3] = {},
) => importContent(registry, 'csv', text, { fileName: 'rows.csv', ...options })

describe('rows', () => {
  it('every sound row is held, with canonical identifiers', async () => {
    const registry = open()
    const result = await importCsv(registry, { path: writeRows(temporaryFolder(), sampleRows) })
    expect(result).toMatchObject({ rowCount: 6, importedCount: 6, rejectedCount: 0, droppedCount: 0 })
    const [hit] = registry.search({ name: 'IBM', limit: 1 }).hits
    expect(registry.entity(hit!.entityId)?.record).toMatchObject({
      display_name: 'IBM',
      legal_name: 'International Business Machines Corporation',
      status: 'active',
      identifiers: [
        { type: 'lei', value: 'VGRQXHF3J8VDLUA7XE92', jurisdiction: null },
        { type: 'cik', value: '0000051143', jurisdiction: null },
        { type: 'ein', value: '130871985', jurisdiction: 'US' },
        { type: 'ticker', value: 'IBM', jurisdiction: null },
      ],
      headquarters: { address: { state: 'NY', state_code: 'US-NY', country: 'United States' } },
      primary_legal_entity: {
        jurisdiction: 'us_ny',
        state_code: 'US-NY',
        registration_authority: { id: 628, code: 'RA000628', country_code: 'US' },
      },
      facets: { sector: 'public', legal_form: 'corporation' },
      industry: { schemes: { sic: [{ code: '3570', is_primary: true }] } },
    })
  })

  it('a row that is none is counted and named by its line, the others stay', async () => {
    const text = [
      'id,name,lei,city',
      '1,Good Ltd,,Leeds',
      '2,,,Leeds',
      ',No Id Ltd,,',
      '4,Short Ltd',
      '5,"Multi\nline Ltd",,Bath',
      '6,Last Ltd,,York',
    ]
    const result = await importText(open(), text.join('\n'))
    expect(result).toMatchObject({ rowCount: 6, importedCount: 3, rejectedCount: 3 })
    expect(result.rejections).toEqual([
      { line: 3, reason: 'it has no name' },
      { line: 4, reason: 'it has no id' },
      { line: 5, reason: 'it has 2 cells where the header has 4' },
    ])
  })

  it('a value that cannot be right is left out, counted and named; its row stays', async () => {
    const text =
      'id,name,lei,cik,country,sic,website\n1,Odd Ltd,HWUPKR0MPOU8FGXBT395,abc,Atlantis,99,not a site\n'
    const registry = open()
    const result = await importText(registry, text)
    expect(result).toMatchObject({ importedCount: 1, rejectedCount: 0, droppedCount: 5 })
    expect(result.drops[0]).toMatchObject({ line: 2, reason: 'country "Atlantis" is not known' })
    expect(registry.resolve({ name: 'Odd Ltd', location: null, context: null }).entity).toMatchObject({
      identifiers: [],
      website: null,
    })
  })

  it('a row whose own id is wrong is rejected', async () => {
    const result = await importText(open(), 'lei,name\nHWUPKR0MPOU8FGXBT395,Apple\n', { idType: 'lei' })
    expect(result).toMatchObject({ importedCount: 0, rejectedCount: 1, droppedCount: 1 })
  })

  it('of many bad rows the first twenty are named and all are counted', async () => {
    const result = await importText(open(), `id,name\n${'1,\n'.repeat(50)}`)
    expect(result.rejectedCount).toBe(50)
    expect(result.rejections).toHaveLength(20)
  })

  it('one id twice in a file is one company: the later row names it, and both names find it', async () => {
    const registry = open()
    const result = await importText(registry, 'id,name\n1,Old Name Ltd\n1,Brand New Ltd\n')
    expect(result).toMatchObject({ importedCount: 1, updatedCount: 1, togetherCount: 1, renamedCount: 0 })
    for (const name of ['Brand New', 'Old Name']) {
      expect(registry.search({ name, limit: 5 }).hits).toMatchObject([{ legalName: 'Brand New Ltd' }])
    }
  })
})

describe('columns and files', () => {
  it('a map names the columns, and only those are read', async () => {
    const registry = open()
    const text = 'Firma;Ort;name;Nr\nMüller Bau GmbH;Köln;ignored;HRB 1\n'
    const settings = {
      map: { name: 'Firma', city: 'Ort', id: 'Nr' },
      idType: 'registration_id',
      country: 'DE',
      jurisdiction: 'de',
    }
    expect(await importText(registry, text, settings)).toMatchObject({ importedCount: 1 })
    expect(registry.resolve({ name: 'MULLER BAU', location: 'Cologne', context: null }).entity).toMatchObject(
      {
        legal_name: 'Müller Bau GmbH',
        identifiers: [{ type: 'registration_id', value: 'HRB 1', jurisdiction: 'DE' }],
      },
    )
  })

  it('with a country as --jurisdiction, its states may stand alone', async () => {
    const registry = open()
    const text = 'id,name,jurisdiction\n1,A Ltd,DE\n2,B Ltd,Ontario\n3,C Ltd,us_ny\n4,D Ltd,\n'
    await importText(registry, text, { jurisdiction: 'us' })
    const held = registry.database.prepare('SELECT jurisdiction FROM legal_entities ORDER BY number').pluck()
    expect(held.all()).toEqual(['us_de', null, 'us_ny', 'us'])
  })

  test.each<[string, string, Partial<ImportCsvOptions>, string]>([
    [
      'no name column',
      'id,firm\n1,a\n',
      {},
      'without --map, the file needs a column named "name"; it has: id, firm',
    ],
    ['no id column', 'name\na\n', {}, 'without --map, the file needs a column named "id"; it has: name'],
    [
      'a mapped column that is not there',
      'id,name\n',
      { map: { name: 'firm' } },
      'there is no column "firm" for name',
    ],
    ['a field that is none', 'id,name\n', { map: { name: 'name', colour: 'x' } }, '"colour" is not a field'],
    ['two columns of one name', 'id,name,name\n', {}, 'the file has two columns named "name"'],
    ['a file of blank lines', '\n\n', {}, 'the file is empty: it has no header'],
    ['a country that is none', 'id,name\n', { country: 'Atlantis' }, '"Atlantis" is not a country'],
    ['an id type that is none', 'id,name\n', { idType: 'No!' }, '"No!" is not a valid type of id'],
  ])('%s is an error that says so, and nothing is held', async (_case, text, options, message) => {
    const registry = open()
    await expect(importText(registry, text, options)).rejects.toMatchObject({
      code: 'REGISTRY_IMPORT_INVALID',
      message,
    })
    expect(registry.info()).toMatchObject({ entityCount: 0, sources: [] })
    expect(registry.database.inTransaction).toBe(false)
  })

  it.each(['registratoin_id', 'registration_i', 'registration-id', 'Registration_ID', 'LEI', 'DUNS', 'Bic'])(
    'a mistyped id type is refused, with the nearest one: %s',
    async (idType) => {
      const error: unknown = await importText(open(), 'id,name\n', { idType }).catch(
        (caught: unknown) => caught,
      )
      const nearest = /^reg/i.test(idType) ? 'registration_id' : idType.toLowerCase()
      expect((error as { hint: string }).hint).toMatch(new RegExp(`^did you mean ${nearest}\\? `))
    },
  )

  it.each(['nif', 'cif', 'bin', 'eik', 'registration_no', 'own_number'])(
    'an own word of a type stays one: %s',
    async (idType) => {
      await importText(open(), 'id,name\n1,Larkmoor\n', { idType })
    },
  )

  it('a missing file, a folder and unsound gzip are told apart', async () => {
    const folder = temporaryFolder()
    const gzip = join(folder, 'rows.csv.gz')
    writeFileSync(gzip, 'id,name\n1,no gzip\n')
    const importing = (path: string) => importCsv(open(), { path })
    await expect(importing(join(folder, 'none.csv'))).rejects.toMatchObject({ code: 'INPUT_NOT_FOUND' })
    await expect(importing(folder)).rejects.toMatchObject({ code: 'INPUT_IS_FOLDER' })
    await expect(importing(gzip)).rejects.toMatchObject({ code: 'INPUT_COMPRESSION_CORRUPT' })
  })

  it('a gzipped file gives what the plain one gives', async () => {
    const folder = temporaryFolder()
    const gzip = join(folder, 'companies.csv.gz')
    writeFileSync(gzip, gzipSync(csvOf(sampleRows)))
    const registry = open()
    expect(await importCsv(registry, { path: gzip })).toMatchObject({ importedCount: 6 })
    expect(registry.info().sources).toMatchObject([{ name: 'companies.csv', rowCount: 6 }])
  })

  it('an empty file is an error, and nothing is held', async () => {
    const registry = open()
    await expect(importText(registry, '')).rejects.toMatchObject({ code: 'INPUT_EMPTY' })
    expect(registry.info().entityCount).toBe(0)
  })
})

describe('importing again', () => {
  it('the same file is not read twice', async () => {
    const registry = open()
    const path = writeRows(temporaryFolder(), sampleRows)
    await importCsv(registry, { path })
    const before = contentOf(registry)
    expect(await importCsv(registry, { path })).toMatchObject({
      unchanged: true,
      rowCount: 6,
      updatedCount: 0,
    })
    expect(contentOf(registry)).toEqual(before)
  })

  it('a newer file updates and keeps ids; old names and what it no longer names are found as what they are', async () => {
    const registry = open()
    const folder = temporaryFolder()
    await importCsv(registry, { path: writeRows(folder, sampleRows) })
    const [before] = registry.search({ name: 'Red Hat', limit: 1 }).hits
    const edition = registry.info().edition
    const newer = sampleRows
      .filter(({ id }) => id !== 'oxfam')
      .map((row) => (row.id === 'redhat' ? { ...row, name: 'Crimson Cap, Inc.' } : row))
    const result = await importCsv(registry, { path: writeRows(folder, newer) })
    expect(result).toMatchObject({ importedCount: 0, updatedCount: 5, renamedCount: 1, vanishedCount: 1 })
    const [after] = registry.search({ name: 'Crimson Cap', limit: 1 }).hits
    expect([after!.id, after!.entityId]).toEqual([before!.id, before!.entityId])
    expect(registry.search({ name: 'Red Hat', limit: 5 }).hits).toMatchObject([{ id: before!.id }])
    expect(registry.search({ name: 'Oxfam', limit: 5 }).hits).toMatchObject([{ status: null }])
    expect(registry.info().edition).not.toBe(edition)
    expect(registry.info().entityCount).toBe(5)
  })

  it('the edition tells content, not time or place', async () => {
    const editionOf = async (text: string, options: Partial<ImportCsvOptions> = {}) => {
      const registry = open()
      await importText(registry, text, options)
      return registry.info().edition
    }
    const text = 'id,name\n1,Acme Ltd\n'
    const edition = await editionOf(text)
    expect(await editionOf(text)).toBe(edition)
    expect(await editionOf('id,name\n1,Acme Limited\n')).not.toBe(edition)
    expect(await editionOf(text, { country: 'GB' })).not.toBe(edition)
    expect(open().info().edition).not.toBe(edition)
  })

  it('two sources that know one LEI tell of one company', async () => {
    const registry = open()
    await importText(registry, 'cik,lei,name\n320193,HWUPKR0MPOU8FGXBT394,APPLE INC\n', {
      idType: 'cik',
      sourceName: 'sec',
    })
    await importText(registry, 'lei,name,city\nHWUPKR0MPOU8FGXBT394,Apple Inc.,Cupertino\n', {
      idType: 'lei',
      sourceName: 'gleif',
    })
    expect(registry.info().entityCount).toBe(1)
    const answer = registry.resolve({ name: 'Apple Inc', location: 'Cupertino', context: null })
    expect(answer.status).toBe('matched')
    expect(answer.entity?.identifiers.map(({ type }) => type)).toEqual(['lei', 'cik'])
    expect(answer.factors.map(({ code }) => code)).toContain('multiple_sources_corroboration')
  })

  it('an aborted import leaves the registry as it was', async () => {
    const registry = open()
    const path = writeRows(temporaryFolder(), sampleRows)
    await importCsv(registry, { path })
    const before = contentOf(registry)
    const abort = new AbortController()
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      id: `n${index}`,
      name: `Company ${index} Ltd`,
    }))
    const importing = importCsv(registry, {
      path: writeRows(temporaryFolder(), rows),
      signal: abort.signal,
      onProgress: () => {
        abort.abort(new Error('enough'))
      },
    })
    await expect(importing).rejects.toThrow('enough')
    expect(contentOf(registry)).toEqual(before)
  })
})

describe('files of one list', () => {
  const row = (name: string) => `id,name,country\n7,${name},PT\n`
  const at = (text: string) => Date.parse(text)
  const nameNow = (registry: WritableRegistry) =>
    registry.search({ name: 'Larkmoor', limit: 1 }).hits[0]?.legalName

  test.each([
    ['a day', 'vendors_2026-11-20.csv', 'vendors_2026-11-27.csv'],
    ['digits', 'vendors-20261120.csv', 'vendors-20261127.csv'],
    ['the day first', '20.11.2026 vendors.csv', '27.11.2026 vendors.csv'],
    ['a month', 'vendors_2026_10.csv', 'vendors_2026_11.csv'],
    ['a written month', 'vendors 20-Nov-2026.csv', 'vendors 27-Nov-2026.csv'],
    ['a month of another language', 'vendors_outubro_2026.csv', 'vendors_novembro_2026.csv'],
    ['a quarter', 'vendors-2026q2.csv', 'vendors-2026q3.csv'],
    ['day and time', 'vendors 2026-11-20T0800.csv', 'vendors 2026-11-20T1600.csv'],
    ['another writing', 'vendors_2026-11-20.csv', 'vendors 27.11.2026.csv'],
  ])('are one source, in any order, with a date as %s', async (_, older, newer) => {
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      const registry = open()
      for (const fileName of order)
        await importText(registry, row(fileName === older ? 'Larkmoor Glass' : 'Larkmoor Optics'), {
          fileName,
        })
      expect(registry.info().sources.map(({ name }) => name)).toEqual(['vendors.csv'])
      expect(nameNow(registry)).toBe('Larkmoor Optics')
      const names = registry.database.prepare<[], string>("SELECT kind || ' ' || name FROM names").pluck()
      expect(names.all().sort()).toEqual(['former Larkmoor Glass', 'legal Larkmoor Optics'])
    }
  })

  test.each(['vendors (1).csv', 'vendors - Copy.csv', 'vendors - Kopie (2).csv', 'Copia de vendors.csv'])(
    'a copy is the list: %s',
    async (fileName) => {
      const registry = open()
      await importText(registry, row('Larkmoor Glass'), { fileName: 'vendors.csv' })
      await importText(registry, row('Larkmoor Optics'), { fileName })
      expect(registry.info().sources).toHaveLength(1)
    },
  )

  test.each(['vendors_eu.csv', 'vendors_2.csv', 'vendors-part2.csv', '2026-11-20.csv', 'vendors 2026.csv'])(
    'another name is another list: %s',
    async (fileName) => {
      const registry = open()
      await importText(registry, row('Larkmoor Glass'), { fileName: 'vendors.csv' })
      await importText(registry, row('Larkmoor Optics'), { fileName })
      expect(registry.info().sources.map(({ name }) => name)).toEqual(['vendors.csv', fileName])
    },
  )

  it('a source that has the date in its name keeps it', async () => {
    const registry = open()
    const fileName = 'vendors_2026-11-20.csv'
    await importText(registry, row('Larkmoor Glass'), { fileName, sourceName: fileName })
    await importText(registry, row('Larkmoor Optics'), { fileName })
    expect(registry.info().sources.map(({ name }) => name)).toEqual([fileName])
  })

  test.each(['2026-11-20T00:00:00.000Z', '2026-11-20T09:59:59.999Z', '2026-11-20T23:00:00.000Z'])(
    'of one day, the later import counts: %s',
    async (date) => {
      const registry = open()
      await importText(registry, row('Larkmoor Glass'), { dateMs: at('2026-11-20T10:00:00.000Z') })
      const result = await importText(registry, row('Larkmoor Optics'), { dateMs: at(date) })
      expect(result).toMatchObject({ updatedCount: 1, renamedCount: 1, newerFileDate: null })
      expect(nameNow(registry)).toBe('Larkmoor Optics')
      const back = await importText(registry, row('Larkmoor Glass'), { dateMs: at(date) })
      expect(back).toMatchObject({ updatedCount: 1, newerFileDate: null })
      expect(nameNow(registry)).toBe('Larkmoor Glass')
    },
  )

  it('of one day, the time counts if both names have it', async () => {
    const registry = open()
    await importText(registry, row('Larkmoor Optics'), { fileName: '20261120-1600-v.csv', sourceName: 'v' })
    await importText(registry, row('Larkmoor Glass'), { fileName: '20261120-0800-v.csv', sourceName: 'v' })
    expect(nameNow(registry)).toBe('Larkmoor Optics')
  })

  test.each<Partial<ImportCsvOptions>>([
    { map: { id: 'id', name: 'name' } },
    { country: 'ES' },
    { jurisdiction: 'es' },
    { dates: 'mdy' },
    { dateMs: at('2026-11-21') },
  ])('the same bytes with other options are another import: %o', async (options) => {
    const registry = open()
    const first = { dateMs: at('2026-11-20') }
    await importText(registry, row('Larkmoor Glass'), first)
    expect(await importText(registry, row('Larkmoor Glass'), first)).toMatchObject({ unchanged: true })
    const other = await importText(registry, row('Larkmoor Glass'), { ...first, ...options })
    expect(other).toMatchObject({ unchanged: false, rowCount: 1 })
  })

  it('an older file that adds nothing changes no edition, and is not done', async () => {
    const registry = open()
    await importText(registry, row('Larkmoor Glass'), { dateMs: at('2026-11-20') })
    const before = contentOf(registry)
    for (const day of ['2026-11-10', '2026-11-10']) {
      const older = await importText(registry, row('larkmoor glass'), { dateMs: at(day) })
      expect(older).toMatchObject({ unchanged: false, skippedCount: 1 })
      expect(contentOf(registry)).toEqual(before)
    }
    const adds = { dateMs: at('2026-11-09') }
    await importText(registry, row('Norvane Glass'), adds)
    expect(registry.info().edition).not.toBe((before as { edition: string }).edition)
    expect(await importText(registry, row('Norvane Glass'), adds)).toMatchObject({ unchanged: true })
  })
})

describe('opening', () => {
  it('a registry is read from a folder that is not writable', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'deep', 'registry.sqlite')
    const written = openRegistry(path)
    await importCsv(written, { path: writeRows(folder, sampleRows) })
    const edition = written.info().edition
    written.close()
    const copy = join(folder, 'copy.sqlite')
    writeFileSync(copy, readFileSync(path))
    const registry = openRegistry(copy, { readonly: true })
    expect(registry.info()).toMatchObject({ entityCount: 6, edition })
    expect(registry.resolve({ name: 'ibm', location: null, context: null }).status).toBe('matched')
    registry.close()
  })

  it('a reader sees an import that another made meanwhile', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'registry.sqlite')
    const writer = openRegistry(path)
    const reader = openRegistry(path, { readonly: true })
    expect(reader.resolve({ name: 'Oxfum', location: 'Oxford', context: null }).status).toBe('no_match')
    await importCsv(writer, { path: writeRows(folder, sampleRows) })
    expect(reader.resolve({ name: 'Oxfum', location: 'Oxford', context: null }).status).toBe('inconclusive')
    reader.close()
    writer.close()
  })

  it('what is no registry is refused', () => {
    const folder = temporaryFolder()
    const text = join(folder, 'text.sqlite')
    writeFileSync(text, 'this is a text and no database at all, long enough to be read as one')
    const other = join(folder, 'other.sqlite')
    const foreign = openRegistry(other)
    foreign.database.pragma('application_id = 1')
    foreign.close()
    const newer = join(folder, 'newer.sqlite')
    const future = openRegistry(newer)
    future.database.pragma('user_version = 99')
    future.close()
    for (const path of [text, other, newer]) {
      for (const readonly of [true, false]) {
        expect(() => openRegistry(path, { readonly })).toThrow(
          expect.objectContaining({ code: 'REGISTRY_INVALID' }),
        )
      }
    }
    const missing = () => openRegistry(join(folder, 'none.sqlite'), { readonly: true })
    expect(missing).toThrow(expect.objectContaining({ code: 'REGISTRY_NOT_FOUND' }))
  })
})
