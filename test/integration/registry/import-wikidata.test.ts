import { stringify } from 'csv-stringify/sync'
import { describe, expect, it, test } from 'vitest'
import { detectFile } from '../../../src/registry/import/detect-file.js'
import { loadInto, planLoad } from '../../../src/registry/load.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import {
  companyData,
  importContent,
  lei,
  levelOne,
  levelOneCsv,
  registrationsOf,
  tickersJson,
} from '../../support/register-files.js'
import { temporaryFolder, writeContent } from '../../support/registry.js'

type Row = Readonly<Record<string, string>>

const columns = ['item', 'itemLabel', 'altLabels', 'lei', 'cik', 'companyNumber', 'website', 'tickers']
const entity = (item: string) => `http://www.wikidata.org/entity/${item}`

const ford: Row = {
  item: entity('Q44294'),
  itemLabel: 'Ford',
  altLabels: 'Ford Motor|FoMoCo|F|NYSE:F|fomoco',
  lei: lei.ford,
  cik: '0000037996',
  website: 'https://www.ford.com/',
  tickers: 'New York Stock Exchange:F',
}
const tesco: Row = {
  item: entity('Q487494'),
  itemLabel: 'Tesco',
  altLabels: 'Tesco Supermarkets',
  companyNumber: '445790',
  website: 'https://www.tescoplc.com/',
  tickers: 'London Stock Exchange:TSCO',
}

const asCsv = (rows: readonly Row[]) => stringify([...rows], { header: true, columns })
const asFlatJson = (rows: readonly Row[]) => JSON.stringify(rows)
/** SPARQL 1.1 Query Results JSON: a variable without a value is left out. */
const asResultsJson = (rows: readonly Row[]) =>
  JSON.stringify({
    head: { vars: columns, link: [] },
    results: {
      bindings: rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            name === 'item'
              ? { type: 'uri', value }
              : name === 'itemLabel'
                ? { type: 'literal', 'xml:lang': 'en', value }
                : { type: 'literal', value },
          ]),
        ),
      ),
    },
  })
const asVerboseJson = (rows: readonly Row[]) =>
  JSON.stringify((JSON.parse(asResultsJson(rows)) as { results: { bindings: unknown[] } }).results.bindings)
const forms = {
  CSV: asCsv,
  'a list in JSON': asFlatJson,
  'a list of terms in JSON': asVerboseJson,
  'results of SPARQL in JSON': asResultsJson,
}

async function registers(): Promise<WritableRegistry> {
  const registry = openRegistry(':memory:')
  await importContent(registry, 'gleif', levelOneCsv([levelOne.ford, levelOne.ball]))
  await importContent(registry, 'sec-tickers', tickersJson([[37996, 'FORD MOTOR CO', 'F', 'NYSE']]))
  await importContent(
    registry,
    'companies-house',
    companyData([
      { CompanyName: 'TESCO PLC', CompanyNumber: '00445790', 'RegAddress.PostTown': 'WELWYN GARDEN CITY' },
    ]),
  )
  return registry
}

interface Held {
  readonly names: readonly string[]
  readonly identifiers: readonly string[]
  readonly source_url: string | null
  readonly status: string | null
}

function held(registry: WritableRegistry): Readonly<Record<string, Held>> {
  return registrationsOf(registry) as Readonly<Record<string, Held>>
}

function websiteOf(registry: WritableRegistry, key: string): unknown {
  return registry.database.prepare('SELECT website FROM legal_entities WHERE source_key = ?').pluck().get(key)
}

describe('names, websites, tickers and identifiers of Wikidata', () => {
  test.each(Object.entries(forms))('come to the company with the identifier: %s', async (_form, text) => {
    const registry = await registers()
    const before = held(registry)
    expect(await importContent(registry, 'wikidata', text([ford, tesco]))).toMatchObject({
      rowCount: 2,
      updatedCount: 2,
      rejectedCount: 0,
      waitingCount: 0,
    })
    const after = held(registry)
    expect(Object.keys(after)).toEqual(Object.keys(before))
    const fordKey = `lei:${lei.ford}`
    const added = (key: string, what: 'names' | 'identifiers') =>
      after[key]?.[what].filter((text) => before[key]?.[what].includes(text) !== true)
    expect(added(fordKey, 'names')).toEqual(['other: Ford', 'other: Ford Motor', 'other: FoMoCo'])
    expect(added(fordKey, 'identifiers')).toEqual(['cik 0000037996', 'ticker F'])
    expect(added('cik:0000037996', 'identifiers')).toEqual([`lei ${lei.ford}`])
    expect(added('registration_id:gb:00445790', 'names')).toEqual([
      'other: Tesco',
      'other: Tesco Supermarkets',
    ])
    expect(websiteOf(registry, 'registration_id:gb:00445790')).toBe('https://www.tescoplc.com/')
    expect(registry.resolveDomain('tescoplc.com').entity).not.toBeNull()
    expect(registry.search({ name: 'FoMoCo', limit: 1 }).hits).toMatchObject([
      { legalName: 'Ford Motor Company' },
    ])
    // What the register says of itself is cited as the register's, wherever other names come from.
    for (const [key, { source_url }] of Object.entries(after))
      expect(source_url).toBe(before[key]?.source_url)
  })

  it.each(['IP25164R', 'SP1778RS', 'RS007000'])(
    'come to the registered society %s',
    async (companyNumber) => {
      const registry = openRegistry(':memory:')
      const rows = [{ CompanyName: 'QUIBBLE HOUSING LIMITED', CompanyNumber: companyNumber }]
      await importContent(registry, 'companies-house', companyData(rows))
      const item = { item: entity('Q1'), itemLabel: 'Quibble', companyNumber }
      expect(await importContent(registry, 'wikidata', asCsv([item]))).toMatchObject({ updatedCount: 1 })
    },
  )

  it('wait for a company that no file has named yet, in any order of imports', async () => {
    const late = openRegistry(':memory:')
    expect(await importContent(late, 'wikidata', asCsv([ford, tesco]))).toMatchObject({
      keptCount: 2,
      updatedCount: 0,
    })
    expect(late.info().entityCount).toBe(0)
    await importContent(late, 'gleif', levelOneCsv([levelOne.ford, levelOne.ball]))
    const early = openRegistry(':memory:')
    await importContent(early, 'gleif', levelOneCsv([levelOne.ford, levelOne.ball]))
    await importContent(early, 'wikidata', asCsv([ford, tesco]))
    expect(held(late)).toEqual(held(early))
    expect(held(late)[`lei:${lei.ford}`]?.names).toContain('other: FoMoCo')
  })

  it('are there once however often the file is imported, and go with a newer file that has them no more', async () => {
    const registry = await registers()
    const first = asCsv([ford, tesco])
    const day = (text: string) => ({ dateMs: Date.parse(text) })
    const before = held(registry)
    await importContent(registry, 'wikidata', first, day('2026-01-01'))
    const once = held(registry)
    expect(await importContent(registry, 'wikidata', first, day('2026-01-01'))).toMatchObject({
      unchanged: true,
    })
    await importContent(registry, 'wikidata', asResultsJson([ford, tesco]), day('2026-01-02'))
    expect(held(registry)).toEqual(once)
    const shorter = { ...ford, altLabels: 'Ford Motor', website: '' }
    await importContent(registry, 'wikidata', asCsv([shorter]), day('2026-02-01'))
    const after = held(registry)
    expect(after[`lei:${lei.ford}`]?.names).not.toContain('other: FoMoCo')
    expect(after[`lei:${lei.ford}`]?.names).toContain('other: Ford Motor')
    expect(after['registration_id:gb:00445790']).toEqual(before['registration_id:gb:00445790'])
    expect(websiteOf(registry, 'registration_id:gb:00445790')).toBeNull()
    // An older file that comes later brings nothing back.
    await importContent(registry, 'wikidata', asFlatJson([ford, tesco]), day('2025-06-01'))
    expect(held(registry)).toEqual(after)
  })

  it("lend the record of a company no address: what its own file says is not Wikidata's", async () => {
    const registry = openRegistry(':memory:')
    await importContent(registry, 'csv', `lei,name\n${lei.ford},Ford Motor Company\n`, { idType: 'lei' })
    await importContent(registry, 'wikidata', asCsv([ford]))
    expect(held(registry)[`lei:${lei.ford}`]).toMatchObject({ source_url: null })
    const claims = registry.database.prepare('SELECT row_json FROM claims').pluck().all().join('')
    expect(claims).toContain('https://www.wikidata.org/wiki/Q44294')
  })

  it('of rows of a query that does not group add up', async () => {
    const registry = await registers()
    const row = (altLabel: string, website: string) => ({
      item: 'Q44294',
      itemLabel: 'Ford',
      altLabel,
      lei: lei.ford,
      website,
    })
    const rows = [row('FoMoCo', 'https://www.ford.com/'), row('Ford Motor', '')]
    await importContent(registry, 'wikidata', JSON.stringify(rows))
    expect(held(registry)[`lei:${lei.ford}`]?.names).toEqual(
      expect.arrayContaining(['other: Ford', 'other: FoMoCo', 'other: Ford Motor']),
    )
    expect(websiteOf(registry, `lei:${lei.ford}`)).toBe('https://www.ford.com/')
  })

  it('never take the word of a register that the company has ended', async () => {
    const registry = openRegistry(':memory:')
    const ended = { ...levelOne.ford, 'Entity.EntityStatus': 'INACTIVE' }
    await importContent(registry, 'gleif', levelOneCsv([ended]), { dateMs: Date.parse('2026-01-01') })
    await importContent(registry, 'wikidata', asCsv([ford]), { dateMs: Date.parse('2026-02-01') })
    expect(held(registry)[`lei:${lei.ford}`]?.status).toBe('inactive')
  })
})

describe('rows of Wikidata that nothing can be taken from', () => {
  test.each<[string, Row, RegExp]>([
    ['without an identifier', { item: 'Q95', itemLabel: 'Google' }, /no identifier/],
    ['with a wrong LEI', { item: 'Q1', itemLabel: 'One', lei: '20S05OYHG0MQM4VUIC58' }, /fails its checksum/],
    ['with no CIK', { item: 'Q1', itemLabel: 'One', cik: 'forty' }, /CIK "forty"/],
    ['with a number of another register', { item: 'Q1', itemLabel: 'One', companyNumber: 'HRB 1' }, /number/],
    ['with two LEIs', { item: 'Q1', itemLabel: 'One', lei: `${lei.ford}|${lei.ball}` }, /2 values of lei/],
    ...['', 'Q', 'Q0', 'Q12x', 'L1', 'https://example.com/Q1', `${entity('Q1')}\u0007`].map(
      (item): [string, Row, RegExp] => [
        `with the item ${JSON.stringify(item)}`,
        { ...ford, item },
        /not an id of Wikidata/,
      ],
    ),
  ])('%s are counted with the reason, and make no company', async (_case, row, reason) => {
    for (const text of Object.values(forms)) {
      const registry = await registers()
      const before = held(registry)
      const result = await importContent(registry, 'wikidata', text([tesco, row]))
      expect(result).toMatchObject({ rowCount: 2, updatedCount: 1, rejectedCount: 1 })
      expect(result.rejections[0]?.reason).toMatch(reason)
      expect(Object.keys(held(registry))).toEqual(Object.keys(before))
      expect(held(registry)[`lei:${lei.ford}`]).toEqual(before[`lei:${lei.ford}`])
    }
  })

  it('of several LEIs and one CIK, the CIK tells whose they are', async () => {
    const registry = await registers()
    const row = { ...ford, lei: `${lei.ford}|${lei.ball}` }
    expect(await importContent(registry, 'wikidata', asCsv([row]))).toMatchObject({
      updatedCount: 1,
      droppedCount: 1,
    })
    expect(held(registry)['cik:0000037996']?.names).toContain('other: FoMoCo')
    expect(held(registry)[`lei:${lei.ball}`]?.names).not.toContain('other: FoMoCo')
  })

  it('ten thousand aliases, control characters and names without end cost the names beyond the limits', async () => {
    const aliases = [
      'Ford\u0007Bell',
      'Ford\u202eCo',
      'x'.repeat(401),
      '—',
      ...Array.from({ length: 10_000 }, (_, at) => `Ford Number ${at}`),
    ]
    const row = {
      ...ford,
      altLabels: aliases.join('|'),
      tickers: Array.from({ length: 500 }, (_, at) => `X:T${at}`).join('|'),
      website: 'javascript:alert(1)',
    }
    for (const text of Object.values(forms)) {
      const registry = await registers()
      const result = await importContent(registry, 'wikidata', text([row]))
      expect(result).toMatchObject({ updatedCount: 1, rejectedCount: 0, droppedCount: 3 })
      const { names = [], identifiers = [] } = held(registry)[`lei:${lei.ford}`] ?? {}
      expect(names.length).toBeLessThanOrEqual(60)
      expect(identifiers.length).toBeLessThanOrEqual(40)
      expect(names.filter((name) => /Bell|\u202e|xxx|—/.test(name))).toEqual([])
      expect(websiteOf(registry, `lei:${lei.ford}`)).toBeNull()
    }
  })

  test.each([
    ['{"head":{"vars":["item"]},"results":{"bindings":["x",7,null,[],{"item":{}}]}}'],
    ['[1,"x",null,{"item":["Q1"],"lei":{"value":{}}},{"item":{"value":7}}]'],
  ])('JSON that is no row is rejected, never fatal alone: %s', async (text) => {
    const sound = asResultsJson([tesco]).slice(0, -3)
    const mixed = text.startsWith('[')
      ? `${text.slice(0, -1)},${JSON.stringify(tesco)}]`
      : `${sound},"x",7,null,[],{"item":{}}]}}`
    const registry = await registers()
    expect(await importContent(registry, 'wikidata', mixed)).toMatchObject({
      rowCount: 6,
      updatedCount: 1,
      rejectedCount: 5,
    })
    await expect(importContent(registry, 'wikidata', text)).rejects.toMatchObject({
      code: 'REGISTRY_IMPORT_INVALID',
    })
  })

  it('an item without a label in the language is not named by its number', async () => {
    const registry = await registers()
    await importContent(registry, 'wikidata', asCsv([{ ...ford, itemLabel: 'Q44294' }]))
    expect(held(registry)[`lei:${lei.ford}`]?.names).not.toContain('other: Q44294')
  })
})

describe('registry load and Wikidata', () => {
  test.each(Object.entries(forms))('knows it by its content: %s', async (_form, text) => {
    for (const name of ['data', 'misleading.csv', 'CIK0000000001.json']) {
      expect(await detectFile(writeContent(name, text([ford, tesco])))).toMatchObject({
        kind: 'format',
        format: 'wikidata',
        rowEstimate: 2,
      })
    }
  })

  it('takes the parts of a result that was asked for in parts as sources of their own', async () => {
    const folder = temporaryFolder()
    writeContent('wikidata-part-1.csv', asCsv([ford]), folder)
    writeContent('wikidata-part-2.json', asResultsJson([tesco]), folder)
    writeContent('lei.csv', levelOneCsv([levelOne.ford]), folder)
    const plan = await planLoad([folder])
    expect(plan.steps.map(({ format, sourceName }) => [format, sourceName])).toEqual([
      ['gleif', null],
      ['wikidata', expect.stringMatching(/^wikidata part [12]$/)],
      ['wikidata', expect.stringMatching(/^wikidata part [12]$/)],
    ])
    const files = await loadInto(`${folder}/registry.sqlite`, plan, {})
    expect(files.map(({ error }) => error)).toEqual([null, null, null])
    expect(files[1]?.result?.vanishedCount).toBe(0)
    expect(files[2]?.result?.vanishedCount).toBe(0)
  })
})
