import { stringify } from 'csv-stringify/sync'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { entityId } from '../../../src/contract/enums.js'
import { importCsvText, type CsvSettings } from '../../../src/registry/import/import-csv.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import { companyData, importContent, levelOneCsv, levelTwoCsv } from '../../support/register-files.js'
import type { Row } from '../../support/registry.js'

/** Nobody's: with the check digits that ISO 7064 asks for. */
function leiOf(number: number): string {
  const base = `0000TEST00${String(number).padStart(8, '0')}`
  let remainder = 0
  for (const character of `${base}00`)
    for (const digit of String(parseInt(character, 36))) remainder = (remainder * 10 + Number(digit)) % 97
  return base + String(98 - remainder).padStart(2, '0')
}

const secColumns = 'cik name sic state_of_incorporation city state zip country tickers'.split(' ')
let fileDay = 0

/** A table of registrants, read as `registry load` reads one. */
function importSec(registry: WritableRegistry, rows: readonly Row[], sourceName = 'sec'): Promise<unknown> {
  const content = stringify([...rows], { header: true, columns: secColumns })
  importCsvText(registry, Buffer.from(content), {
    fileName: `${sourceName}.csv`,
    fileDateMs: Date.UTC(2026, 0, ++fileDay),
    sourceName,
    idType: 'cik',
    jurisdiction: 'us',
    map: {
      id: 'cik',
      name: 'name',
      sic: 'sic',
      jurisdiction: 'state_of_incorporation',
      city: 'city',
      region: 'state',
      postal_code: 'zip',
      country: 'country',
      ticker: 'tickers',
    },
  })
  return Promise.resolve()
}

const gleifRow = (number: number, name: string, country: string, rest: Row = {}): Row => ({
  LEI: leiOf(number),
  'Entity.LegalName': name,
  'Entity.HeadquartersAddress.Country': country,
  'Entity.EntityStatus': 'ACTIVE',
  ...rest,
})
const importGleif = (registry: WritableRegistry, rows: readonly Row[]) =>
  importContent(registry, 'gleif', levelOneCsv(rows), { fileName: fileNameOf('gleif') })
const importBritish = (registry: WritableRegistry, rows: readonly Row[]) =>
  importContent(registry, 'companies-house', companyData(rows), { fileName: fileNameOf('companies') })

function fileNameOf(what: string): string {
  return `${what}-${new Date(Date.UTC(2026, 0, ++fileDay)).toISOString().slice(0, 10)}.csv`
}

/** Which registrations, by their keys, are one company's. */
function companiesOf({ database }: WritableRegistry): string[] {
  const rows = database
    .prepare<[], { entity_number: number; source_key: string }>(
      'SELECT entity_number, source_key FROM legal_entities WHERE removed_from_source = 0 ORDER BY source_key',
    )
    .all()
  const groups = new Map<number, string[]>()
  for (const { entity_number, source_key } of rows)
    groups.set(entity_number, [...(groups.get(entity_number) ?? []), source_key])
  return [...groups.values()].map((keys) => keys.join(' ')).sort()
}

/** Where each id that was ever given out leads, by the name of the company. */
function idsByCompany(registry: WritableRegistry): string[] {
  const ids = registry.database.prepare<[], string>('SELECT id FROM entities').pluck().all()
  const groups = new Map<string, string[]>()
  for (const id of ids.sort()) {
    const found = registry.entity(entityId.parse(id))
    const target = found?.record.id ?? 'nothing'
    groups.set(target, [...(groups.get(target) ?? []), id])
  }
  return [...groups.values()].map((group) => group.join(' ')).sort()
}

/** The id that a company was given by its name, when that was all that was held of it. */
function idOf(registry: WritableRegistry, sourceKey: string) {
  const row = registry.database
    .prepare<[string], { id: string }>(
      `SELECT e.id FROM legal_entities l JOIN entities e
       ON e.number = coalesce(l.joined_from_number, l.entity_number) WHERE l.source_key = ?`,
    )
    .get(sourceKey)
  if (row === undefined) throw new Error(`no registration ${sourceKey}`)
  return entityId.parse(row.id)
}

function reasonsOf({ database }: WritableRegistry): string[] {
  return database.prepare<[], string>('SELECT reason FROM entity_merges ORDER BY reason').pluck().all()
}

const sec = { cik: '1999001', name: 'ZORVEX ROBOTICS N.V./ADR', tickers: 'ZRVXY' }
const secKey = 'cik:0001999001'
const gleif = gleifRow(1, 'Zorvex Robotics N.V.', 'NL')
const gleifKey = `lei:${leiOf(1)}`
const bothJoined = [`${secKey} ${gleifKey}`]
const bothApart = [secKey, gleifKey]

let registry: WritableRegistry
beforeEach(() => {
  registry = openRegistry(':memory:')
})
afterEach(() => {
  registry.close()
})

describe('a company in two registers', () => {
  it('is one by name and place without a common identifier, with the reason', async () => {
    await importSec(registry, [sec])
    await importGleif(registry, [gleif])
    expect(companiesOf(registry)).toEqual(bothJoined)
    const merge = registry.database
      .prepare<[], { reason: string; evidence_json: string }>(
        'SELECT reason, evidence_json FROM entity_merges',
      )
      .get()
    expect(merge?.reason).toBe('name')
    expect(JSON.parse(merge?.evidence_json ?? '')).toMatchObject({
      bits: 15,
      levels: { name: 'full', uniqueness: 'only', form_country: 'fits', prominence: 'listed' },
    })
    const names = JSON.stringify(JSON.parse(merge?.evidence_json ?? ''))
    expect(names).toContain(sec.name)
    expect(names).toContain('Zorvex Robotics N.V.')
  })

  it('is answered as one, by the id that was given out first, and the other leads there', async () => {
    await importSec(registry, [sec])
    const first = registry.resolve({ name: 'Zorvex Robotics', location: null, context: null }).entity?.id
    await importGleif(registry, [gleif])
    const answer = registry.resolve({ name: 'Zorvex Robotics N.V.', location: 'Netherlands', context: null })
    expect(answer.entity?.id).toBe(first)
    expect(registry.entity(idOf(registry, gleifKey))).toMatchObject({
      mergedInto: first,
      record: { id: first },
    })
    expect(registry.entity(idOf(registry, secKey))?.mergedInto).toBeNull()
  })

  it('is found to be one by its identifiers first, and that stays', async () => {
    await importSec(registry, [sec])
    await importGleif(registry, [gleif])
    await importContent(registry, 'lei-cik', `lei,cik\n${leiOf(1)},0001999001\n`)
    expect(reasonsOf(registry)).not.toContain('name')
    await importGleif(registry, [{ ...gleif, 'Entity.LegalName': 'Quite Another Name B.V.' }])
    expect(companiesOf(registry)).toEqual(bothJoined)
  })

  it('stays two where a crosswalk gives one of them another number', async () => {
    await importSec(registry, [sec])
    await importContent(registry, 'lei-cik', `lei,cik\n${leiOf(1)},0001888001\n`)
    await importGleif(registry, [gleif])
    expect(companiesOf(registry)).toEqual(bothApart)
    expect(registry.linkage().apart).toMatchObject([{ reason: 'other_numbers', count: 1 }])
  })

  it('is not made of a British branch and its company, whatever else agrees', async () => {
    await importSec(registry, [{ ...sec, name: 'MELLBROOK BANK AG' }])
    const branch = { CompanyName: 'MELLBROOK BANK AG', CompanyStatus: 'Active' }
    await importBritish(registry, [
      { ...branch, CompanyNumber: 'FC039999', 'RegAddress.Country': 'GERMANY' },
      { ...branch, CompanyNumber: 'BR029999', 'RegAddress.PostTown': 'LONDON' },
    ])
    await importGleif(registry, [gleifRow(2, 'Mellbrook Bank Aktiengesellschaft', 'DE')])
    expect(companiesOf(registry)).toEqual([
      `${secKey} lei:${leiOf(2)}`,
      'registration_id:gb:BR029999',
      'registration_id:gb:FC039999',
    ])
    expect(registry.linkage().apart).toMatchObject([{ reason: 'british_branch', count: 4 }])
  })

  it('is not made of a subsidiary of the same name in another country', async () => {
    await importGleif(registry, [
      gleifRow(3, 'Tavrik AB', 'LT'),
      gleifRow(4, 'Tavrik AS', 'LV'),
      gleifRow(5, 'Tavrik AS', 'EE'),
    ])
    await importSec(registry, [{ ...sec, name: 'TAVRIK AB', country: 'SE' }])
    expect(companiesOf(registry)).toHaveLength(4)
    await importSec(registry, [{ ...sec, name: 'TAVRIK AB' }])
    expect(companiesOf(registry)).toHaveLength(4)
  })

  it('is not made of two that contradict each other by way of a third of two names', async () => {
    const own = (id: string, name: string) => {
      const options = { idType: id, fileName: `${id}.csv`, fileDateMs: 0 }
      importCsvText(registry, Buffer.from(`id,name,lei\n1,${name},${leiOf(8)}\n`), options)
    }
    own('one', 'Zorvex Robotics SA')
    own('two', 'Quellin Machines SA')
    await importSec(registry, [
      { ...sec, name: 'ZORVEX ROBOTICS SA', country: 'FR' },
      { ...sec, name: 'QUELLIN MACHINES SA', country: 'BE', cik: '1999002' },
    ])
    expect(companiesOf(registry)).toHaveLength(2)
    expect(registry.linkage().joined.map(({ reason, count }) => `${reason} ${count}`)).toEqual([
      'lei 1',
      'name 1',
    ])
    expect(registry.linkage().apart).toMatchObject([{ reason: 'other_company', count: 1 }])
  })

  it('is not made of a branch and a namesake of its head office', async () => {
    await importGleif(registry, [gleifRow(6, 'Ostra Financial SA', 'FR'), gleifRow(7, 'Ostra Bank SA', 'ES')])
    await importContent(
      registry,
      'gleif-relationships',
      levelTwoCsv([{ child: leiOf(7), parent: leiOf(6), type: 'IS_INTERNATIONAL_BRANCH_OF' }]),
    )
    await importSec(registry, [{ ...sec, name: 'OSTRA BANK SA' }])
    expect(companiesOf(registry)).toEqual([secKey, `lei:${leiOf(6)} lei:${leiOf(7)}`])
  })
})

describe('a join by name', () => {
  beforeEach(async () => {
    await importSec(registry, [sec])
    await importGleif(registry, [gleif, gleifRow(9, 'Somebody Else GmbH', 'DE')])
    expect(companiesOf(registry)).toContain(bothJoined[0])
  })

  const others = [gleifRow(9, 'Somebody Else GmbH', 'DE')]

  it('ends when the source withdraws the row: each id leads to its own again, and back once it returns', async () => {
    const [older, younger] = [idOf(registry, secKey), idOf(registry, gleifKey)]
    await importGleif(registry, others)
    expect(registry.entity(younger)).toMatchObject({ mergedInto: null, record: { id: younger } })
    expect(registry.entity(older)).toMatchObject({ mergedInto: null, record: { id: older } })
    expect(registry.entity(older)?.record.identifiers.map(({ type }) => type)).not.toContain('lei')
    expect(reasonsOf(registry)).toEqual([])
    await importGleif(registry, [gleif, ...others])
    expect(registry.entity(younger)).toMatchObject({ mergedInto: older, record: { id: older } })
  })

  it('ends when the row is changed so that it contradicts, in name, place or number', async () => {
    const changes: Row[] = [
      { ...sec, name: 'QUELLSTONE HOLDINGS PLC' },
      { ...sec, country: 'CH', city: 'Zug' },
      { ...sec, state_of_incorporation: 'NV' },
    ]
    for (const changed of changes) {
      await importSec(registry, [changed])
      expect(companiesOf(registry)).toEqual(expect.arrayContaining(bothApart))
      await importSec(registry, [sec])
      expect(companiesOf(registry)).toContain(bothJoined[0])
    }
  })

  it('ends when another row comes that fits as well, and holds again once that is gone', async () => {
    await importSec(registry, [sec, { ...sec, cik: '1999002', tickers: 'ZRVXF' }])
    expect(companiesOf(registry)).toEqual(expect.arrayContaining(bothApart))
    expect(registry.linkage().apart).toMatchObject([{ reason: 'several_rows', count: 2 }])
    await importSec(registry, [sec])
    expect(companiesOf(registry)).toContain(bothJoined[0])
  })

  it('is what an import that changes nothing of it leaves as it is', async () => {
    const before = idsByCompany(registry)
    await importBritish(registry, [{ CompanyName: 'NOBODY LIMITED', CompanyNumber: '01999999' }])
    await importSec(registry, [sec])
    expect(idsByCompany(registry)).toEqual(expect.arrayContaining(before))
    expect(reasonsOf(registry)).toEqual(['name'])
  })

  it('moves all registrations that identifiers gave a company, and all of them go back', async () => {
    const own = { idType: 'own', fileName: 'own.csv', fileDateMs: 0 }
    importCsvText(registry, Buffer.from(`id,name,lei\n1,Robots of Zorvex,${leiOf(1)}\n`), own)
    const company = `${gleifKey} own:1`
    expect(companiesOf(registry)).toContain(`${secKey} ${company}`)
    const younger = idOf(registry, gleifKey)
    await importSec(registry, [{ ...sec, name: 'QUELLSTONE HOLDINGS PLC' }])
    expect(companiesOf(registry)).toEqual(expect.arrayContaining([secKey, company]))
    expect(registry.entity(younger)).toMatchObject({ mergedInto: null, record: { id: younger } })
    expect(registry.entity(idOf(registry, 'own:1'))?.record.id).toBe(younger)
  })

  it('goes with the company when identifiers make that a part of an older one', async () => {
    const old = openRegistry(':memory:')
    await importSec(old, [{ cik: '1000001', name: 'Calder Logistics Inc' }], 'first')
    await importSec(old, [sec])
    await importGleif(old, [gleif])
    await importContent(old, 'lei-cik', `lei,cik\n${leiOf(1)},0001000001\n`)
    // The number says Calder, the name says Zorvex: the number counts, and contradicts the name.
    expect(companiesOf(old)).toEqual([`cik:0001000001 ${gleifKey}`, secKey])
    expect(old.entity(idOf(old, secKey))?.mergedInto).toBeNull()
    old.close()
  })
})

describe('three files in any order', () => {
  const british = (number: string, name: string, rest: Row = {}): Row => ({
    CompanyName: name,
    CompanyNumber: number,
    CompanyStatus: 'Active',
    ...rest,
  })
  const files: Readonly<Record<string, (registry: WritableRegistry) => Promise<unknown>>> = {
    sec: (to) =>
      importSec(to, [
        { cik: '1999011', name: 'CALDER LOGISTICS PLC', country: 'GB', city: 'Leeds', zip: 'LS1 1AA' },
        { cik: '1999012', name: 'Brightlow Ltd' },
        { cik: '1999013', name: 'NORVANE SA' },
        { cik: '1999014', name: 'NORVANE SA' },
        {
          cik: '1999015',
          name: 'Quellstone, Inc.',
          state_of_incorporation: 'DE',
          country: 'US',
          state: 'TX',
        },
        { cik: '1999016', name: 'First Capital Inc' },
      ]),
    gleif: (to) =>
      importGleif(to, [
        gleifRow(11, 'Calder Logistics plc', 'GB'),
        gleifRow(12, 'BRIGHTLOW LIMITED', 'KY'),
        gleifRow(13, 'Norvane S.A.', 'FR'),
        gleifRow(14, 'QUELLSTONE INC', 'US', {
          'Entity.LegalJurisdiction': 'US-DE',
          'Entity.HeadquartersAddress.FirstAddressLine': 'c/o Corporation Service Company',
          'Entity.HeadquartersAddress.City': 'Wilmington',
        }),
        gleifRow(15, 'First Capital Inc', 'US'),
      ]),
    british: (to) =>
      importBritish(to, [
        british('01999011', 'CALDER LOGISTICS PLC', { 'RegAddress.PostCode': 'LS1 1AA' }),
        british('01999012', 'BRIGHTLOW LIMITED'),
        british('FC039013', 'NORVANE SA', { 'RegAddress.Country': 'FRANCE' }),
      ]),
  }
  const orders = [
    ['sec', 'gleif', 'british'],
    ['sec', 'british', 'gleif'],
    ['gleif', 'sec', 'british'],
    ['gleif', 'british', 'sec'],
    ['british', 'sec', 'gleif'],
    ['british', 'gleif', 'sec'],
  ]

  it('give the same companies, the same ids that lead together, and the same evidence', async () => {
    const results = []
    for (const order of orders) {
      const opened = openRegistry(':memory:')
      for (const name of order) await files[name]?.(opened)
      const { joined, apart } = opened.linkage()
      const evidence = joined.flatMap(({ examples }) =>
        examples.map((example) => JSON.stringify(example.evidence)),
      )
      results.push({
        companies: companiesOf(opened),
        ids: idsByCompany(opened),
        apart: apart.map(({ reason, count }) => `${reason} ${count}`).sort(),
        joinCount: evidence.length,
      })
      opened.close()
    }
    expect(results[0]?.companies).toContain(`cik:0001999011 lei:${leiOf(11)} registration_id:gb:01999011`)
    expect(results[0]?.companies).toContain(`cik:0001999015 lei:${leiOf(14)}`)
    // A British and a Cayman company of one name: the bare registrant may be either.
    expect(results[0]?.companies).toEqual(
      expect.arrayContaining(['cik:0001999012', `lei:${leiOf(12)}`, 'registration_id:gb:01999012']),
    )
    expect(results[0]?.companies).toEqual(
      expect.arrayContaining([
        'cik:0001999013',
        'cik:0001999014',
        `lei:${leiOf(13)}`,
        'registration_id:gb:FC039013',
      ]),
    )
    for (const result of results) expect(result).toEqual(results[0])
  })
})

describe('the report of the linkage', () => {
  it('counts by reason what was joined and what was left apart, with examples and their evidence', async () => {
    await importSec(registry, [sec, { cik: '1999020', name: 'Ravelo Inc' }])
    await importGleif(registry, [gleif, gleifRow(20, 'Ravelo LLC', 'US')])
    const { joined, apart } = registry.linkage()
    expect(joined).toMatchObject([
      {
        reason: 'name',
        count: 1,
        examples: [{ into: idOf(registry, secKey), entityId: idOf(registry, gleifKey) }],
      },
    ])
    expect(apart).toMatchObject([{ reason: 'other_form', count: 1 }])
    const names = apart[0]?.examples[0]?.registrations.map(({ name }) => name) ?? []
    expect(names.sort()).toEqual(['Ravelo Inc', 'Ravelo LLC'])
  })

  it('is empty for a registry of one source', async () => {
    await importSec(registry, [sec, { ...sec, cik: '1999002' }])
    expect(registry.linkage()).toEqual({ joined: [], apart: [] })
  })
})

describe('a list that is imported again with other options', () => {
  const places = { co: '860025900', gb: '00445790', de: 'HRB 1234 Hamburg', vn: '0100109106' }
  const options = (code: string): Record<string, CsvSettings> => ({
    jurisdiction: { idType: 'registration_id', jurisdiction: code },
    country: { idType: 'registration_id', country: code.toUpperCase() },
    'no place': { idType: 'registration_id' },
    'own type': { idType: 'number' },
  })
  const names = Object.keys(options('co'))
  const orders = names.flatMap((one) => names.map((other) => [one, other, one]))

  for (const [code, number] of Object.entries(places))
    test.each(orders)(`${code}: %s, then %s and %s`, (...order) => {
      const content = `id,name\n${number},Quorvex Trading\n${number.replace(/\d(?=\D*$)/, '7')},Zambrell Mills\n`
      for (const name of order) {
        const settings = options(code)[name]
        importCsvText(registry, Buffer.from(content), {
          ...settings,
          fileName: 'own.csv',
          fileDateMs: Date.UTC(2026, 0, 1),
        })
        const { hits } = registry.search({ name: 'Quorvex Trading', limit: 10 })
        expect(hits).toHaveLength(1)
        expect(registry.info().entityCount).toBe(2)
        expect(new Set(idsByCompany(registry)).size).toBe(2)
      }
    })

  test.each(Object.keys(places))('%s: another file joins it by the country alone', (code) => {
    const content = `id,name\n${places[code as 'co']},Quorvex Trading\n`
    for (const [fileName, settings] of [
      ['one.csv', options(code).jurisdiction],
      ['two.csv', options(code).country],
    ] as const)
      importCsvText(registry, Buffer.from(content), {
        ...settings,
        fileName,
        fileDateMs: Date.UTC(2026, 0, 1),
      })
    expect(registry.search({ name: 'Quorvex Trading', limit: 10 }).hits).toHaveLength(1)
    expect(registry.info().entityCount).toBe(1)
  })

  test('numbers of two countries are two companies', () => {
    const content = 'id,name,country\n123456,Alpha GmbH,AT\n123456,Beta SARL,FR\n'
    importCsvText(registry, Buffer.from(content), {
      idType: 'registration_id',
      fileName: 'own.csv',
      fileDateMs: Date.UTC(2026, 0, 1),
    })
    expect(registry.info().entityCount).toBe(2)
  })
})
