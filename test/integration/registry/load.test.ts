import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { findPairColumns } from '../../../src/registry/import/additions.js'
import { detectFile } from '../../../src/registry/import/detect-file.js'
import { importFile } from '../../../src/registry/import/file-formats.js'
import { importRegister, loadInto, planLoad } from '../../../src/registry/load.js'
import { readFileDateMs } from '../../../src/registry/import/run-import.js'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  companyData,
  lei,
  levelOne,
  levelOneCsv,
  levelOneJson,
  levelTwoCsv,
  registrationsOf,
  subTable,
  tickersJson,
} from '../../support/register-files.js'
import { temporaryFolder, writeContent as write } from '../../support/registry.js'
import { writeZip } from '../../support/zip-file.js'

const { ford, ball } = levelOne

/** A file of each kind, by the format that it has. */
const contents: Readonly<Record<string, string | Buffer>> = {
  'gleif-authorities':
    'Registration Authority Code,Country,Country Code,International name of Register\nRA000602,United States of America,US,Division of Corporations\n',
  'gleif-legal-forms':
    '"ELF Code","Country Code (ISO 3166-1)","Entity Legal Form name Local name"\n"XTIQ","US","corporation"\n',
  gleif: levelOneCsv([ford, ball]),
  'companies-house': companyData([
    { CompanyName: 'TESCO PLC', CompanyNumber: '00445790', 'RegAddress.PostTown': 'WELWYN GARDEN CITY' },
  ]),
  'sec-submissions': JSON.stringify({
    cik: '47111',
    entityType: 'operating',
    name: 'HERSHEY CO',
    addresses: { business: { city: 'HERSHEY', stateOrCountry: 'PA' } },
    formerNames: [{ name: 'HERSHEY FOODS CORP', from: '1994-01-01', to: '2005-04-20T00:00:00.000Z' }],
  }),
  'sec-tickers': tickersJson([[37996, 'FORD MOTOR CO', 'F', 'NYSE']]),
  'sec-sub': subTable([
    { adsh: '1', cik: '9389', name: 'BALL CORP', filed: '20210217', cityba: 'WESTMINSTER' },
  ]),
  'lei-cik': `Legal Entity,SEC CIK\n${lei.ford},37996\n${lei.ball},9389\n`,
  'gleif-bic': `LEI,BIC\n${lei.ford},FORDUS33XXX\n`,
  'gleif-isin': `LEI,ISIN\n${lei.ford},US3453708600\n`,
  'sec-names': 'cik,alias,kind\n9389,BALL BROTHERS CO,former\n',
  'gleif-relationships': levelTwoCsv([{ child: lei.ball, parent: lei.ford }]),
  wikidata: `item,itemLabel,altLabels,lei,cik\nhttp://www.wikidata.org/entity/Q44294,Ford Motor,Ford|FoMoCo,${lei.ford},\n`,
}

const wholeRegister = {
  csv: `lei,name,aliases,city,country,postal,mystery\n${lei.marriott},Marriott International,Marriott,Bethesda,US,20817,x\n`,
}

describe('a column with addresses', () => {
  const read = async (header: string, ...rows: string[]) => {
    const detected = await detectFile(write('a.csv', [header, ...rows, ''].join('\n')))
    const { street_address: street, formatted_address: line } =
      detected.kind === 'csv' ? detected.proposal.map : {}
    return { street, line }
  }
  const row = (...cells: string[]) => [lei.ford, 'Acme Ltd', ...cells.map((cell) => `"${cell}"`)].join(',')

  test.each(['address', 'Address', 'Adresse', 'direccion', 'Anschrift'])(
    'is the street next to a city or postal code: %s',
    async (column) => {
      const street = { street: column, line: undefined }
      expect(await read(`lei,name,${column},city,postal`, row('1 High Street', 'Leeds', 'LS1 4AP'))).toEqual(
        street,
      )
      expect(await read(`lei,name,${column},city`, row('1 High Street', 'Leeds'))).toEqual(street)
      expect(await read(`lei,name,${column},plz`, row('Hauptstr. 5', '10115'))).toEqual(street)
    },
  )

  it('is the whole line if it repeats them, if its header says so, or without them', async () => {
    const line = { street: undefined, line: 'address' }
    const whole = row('1 High Street, LEEDS LS14AP', 'Leeds', 'LS1 4AP')
    expect(await read('lei,name,address,city,postal', whole)).toEqual(line)
    expect(await read('lei,name,address,country', row('1 High Street, Leeds', 'GB'))).toEqual(line)
    expect(await read('lei,name,full_address,city', row('1 High Street', 'Leeds'))).toEqual({
      ...line,
      line: 'full_address',
    })
    expect(await read('lei,name,street,address,city', row('1 High Street', 'x', 'Leeds'))).toEqual({
      street: 'street',
      line: 'address',
    })
  })
})

describe('what a file is', () => {
  test.each(Object.entries(contents))('is recognized by its content: %s', async (format, content) => {
    for (const name of ['data', 'misleading.json', 'CIK0000000001.txt']) {
      expect(await detectFile(write(name, content))).toMatchObject({
        kind: 'format',
        format,
        rowEstimate: expect.any(Number),
      })
    }
    expect(await detectFile(write('data.gz', gzipSync(content)))).toMatchObject({ kind: 'format', format })
  })

  it('Level 1 as JSON, and zips', async () => {
    const json = levelOneJson([ford])
    expect(await detectFile(write('a', json))).toMatchObject({ format: 'gleif', rowEstimate: 1 })
    const zip = (name: string, content: string | Buffer) =>
      writeZip(temporaryFolder(), 'a.zip', [{ name, content }])
    expect(await detectFile(zip('anything.json', json))).toMatchObject({ format: 'gleif' })
    expect(await detectFile(zip('sub.txt', contents['sec-sub'] ?? ''))).toMatchObject({ format: 'sec-sub' })
    const submissions = contents['sec-submissions'] ?? ''
    expect(await detectFile(zip('CIK0000047111.json', submissions))).toMatchObject({
      format: 'sec-submissions',
    })
    expect(await detectFile(zip('CIK0000047111.json', '{"other":1}'))).toMatchObject({ kind: 'unknown' })
  })

  const manyCells = Array.from({ length: 60_000 }, (_, index) => `column${index}`).join(',')
  const left: readonly [what: string, content: string | Buffer, reason: RegExp][] = [
    ['an empty file', '', /empty/],
    ['a file of blanks', ' \n\n', /empty/],
    ['bytes that are no text', Buffer.from([0, 1, 2, 3, 0, 255, 254, 7, 0, 0, 9, 200]), /no text|NUL|encod/i],
    ['a first line that does not end', manyCells, /first line is longer than 262,144/],
    ['a Parquet file', Buffer.from('PAR1\0\0\x15\x04PAR1'), /^it is a Parquet file: save its table as CSV$/],
    ['an SQLite database', 'SQLite format 3\0\x10\0', /^it is an SQLite database: save/],
    [
      'the output of a run',
      'name,LEI,enrich_status,enrich_confidence,enrich_matched_name,enrich_registration_id\nAcme,5493001KJTIIGC8Y1R12,matched,99,Acme,1\n',
      /answers of a run/,
    ],
    ['prose', 'Dear Sir\nor Madam\n', /has no column names/],
    ['JSON of another kind', '{"11":{"code":"11","title":"Agriculture"}}', /JSON in an unknown format/],
    ['a list in JSON', '[{"lei":"x"},{"lei":"y"}]', /JSON in an unknown format/],
    ['JSON with a CIK and no name', '{"cik":"1","facts":{}}', /JSON in an unknown format/],
    ['JSON that is cut', '{"records":[{"LEI":', /JSON in an unknown format/],
    [
      'rows without a header',
      '00101010632|ZORVEX SRL|VENTAS|SUSPENDIDO\n00101010640|QUORVEX SRL|VENTAS|ACTIVO\n',
      /has no header: its first row is "00101010632.*registry get/,
    ],
    ['a list of codes', 'sic,description\n0100,Crops\n', /no column has names/],
    ['a header alone', 'id,name\n', /without rows/],
    ['names without ids', 'company_name,city\nAcme Ltd,Leeds\n', /no column with a known header/],
    [
      'numbers of a register that is not told',
      'company_number,name\n1234,Acme GmbH\n1235,Beta GmbH\n',
      /no column has the country of the register; registry import has --jurisdiction/,
    ],
    [
      'ids that rows share',
      `lei,name\n${`${lei.ford},Acme\n`.repeat(9)}`,
      /several rows have the same number in lei/,
    ],
    [
      "columns of GLEIF's over rows that are none",
      'LEI,Entity.LegalName\nx,Acme\ny,Beta\n',
      /its columns are those of gleif, and its rows cannot be read/,
    ],
    ['LEIs beside a figure', `LEI,Employees\n${lei.ford},173000\n${lei.ball},21000\n`, /no column has names/],
  ]
  it('numbers are British if their header, the countries or the postcodes say so', async () => {
    const isBritish = {
      kind: 'csv',
      proposal: { idType: 'registration_id', country: 'GB', jurisdiction: 'gb' },
    }
    for (const header of ['Companies House number', 'uk_company_no'])
      expect(
        await detectFile(write('uk.csv', `${header},name\n00519500,Acme Ltd\n00445790,Beta Ltd\n`)),
      ).toMatchObject(isBritish)
    const postcodes = 'company_number,name,postcode\n00519500,Acme Ltd,AL7 1GA\n00445790,Beta Ltd,LS1 4AP\n'
    expect(await detectFile(write('uk.csv', postcodes))).toMatchObject(isBritish)
    const withCountries = (header: string, ...countries: string[]) =>
      detectFile(
        write(
          'uk.csv',
          `${header},name,Country\n00519500,Acme Ltd,${countries.join('\n00445790,Beta Ltd,')}\n`,
        ),
      )
    expect(await withCountries('Company Number', 'United Kingdom', 'GB')).toMatchObject(isBritish)
    // The country of an address is not the country of the register.
    expect(await withCountries('UK company number', 'Jersey', 'GB')).toMatchObject(isBritish)
    expect(await withCountries('Company Number', 'Jersey', 'GB')).toMatchObject({ kind: 'unknown' })
    // Spreadsheets remove leading zeros.
    const short = 'name,postcode\n519500,Acme Ltd,AL7 1GA\n10445790,Beta Ltd,LS1 4AP\n'
    for (const header of ['UK company number', 'Company number'])
      expect(await detectFile(write('uk.csv', `${header},${short}`))).toMatchObject(isBritish)
    const ownIds = `company_id,${short.replace('10445790', '445790')}`
    expect(await detectFile(write('uk.csv', ownIds))).toMatchObject({ kind: 'unknown' })
    const others = 'Companies House number,name\nHRB 1,Acme GmbH\nHRB 2,Beta GmbH\n'
    expect(await detectFile(write('uk.csv', others))).toMatchObject({ kind: 'unknown' })
  })

  const inCountries = (countries: readonly string[], header = 'Reg No') =>
    `Company Name,${header},Country\n${countries.map((one, at) => `Larkmoor ${at} Ltd,PV ${3 * at + 17},${one}`).join('\n')}\n`

  test.each([
    ['Uruguay', 'uy'],
    ['UY', 'uy'],
    ['R.O.U.', 'uy'],
    ['Sri Lanka', 'lk'],
    ['Kenia', 'ke'],
    ['ประเทศไทย', 'th'],
  ])('the only country of a list is the jurisdiction of its numbers: %s', async (country, jurisdiction) => {
    const found = await detectFile(write('list.csv', inCountries([country, country, country])))
    expect(found).toMatchObject({ kind: 'csv', proposal: { idType: 'registration_id', jurisdiction } })
  })

  test.each([
    [['Kenya', 'Kenya', 'Uganda'], 'Reg No'],
    [['Kenya', '', 'Kenya'], 'Reg No'],
    [['United Kingdom', 'United Kingdom', 'UK'], 'Reg No'],
    // Each state has a register.
    [['USA', 'USA', 'USA'], 'Reg No'],
    [['Canada', 'Canada', 'Canada'], 'Reg No'],
    // The header names another country.
    [['Kenya', 'Kenya', 'Kenya'], 'UEN'],
  ])('the country of a list is in doubt: %s, %s', async (countries, header) => {
    const found = await detectFile(write('list.csv', inCountries(countries, header)))
    expect(found).toMatchObject({ kind: 'unknown' })
  })

  it('the suggested command asks for the jurisdiction of numbers whose country is unknown', async () => {
    const commandOf = async (content: string) => {
      const found = await detectFile(write('list.csv', content))
      return found.kind === 'unknown' ? found.command : null
    }
    expect(await commandOf('company_number,name\n1234,Acme GmbH\n1235,Beta GmbH\n')).toMatch(
      / --id-type registration_id --map \S+ --jurisdiction CODE$/,
    )
    // A number without a jurisdiction belongs to the country of its row.
    expect(await commandOf('company_number,name,country\n1234,Acme GmbH,DE\n1235,Beta AG,CH\n')).not.toMatch(
      /jurisdiction/,
    )
  })

  test.each(left)('skipped: %s', async (_, content, reason) => {
    const found = await detectFile(write('gleif-lei2.csv', content))
    expect(found).toMatchObject({ kind: 'unknown', reason: expect.stringMatching(reason) })
  })

  it('a company list with an LEI column, or a BIC too, is neither the golden copy nor a map', async () => {
    for (const column of ['', ',bic', ',cik']) {
      const cell = { '': '', ',bic': ',FORDUS33XXX', ',cik': ',37996' }[column] ?? ''
      const text = `lei,name,city,country${column}\n${lei.ford},Ford Motor Company,Dearborn,US${cell}\n`
      expect(await detectFile(write('lei-bic.csv', text))).toMatchObject({
        kind: 'csv',
        proposal: { idType: 'lei', map: { id: 'lei', name: 'name', city: 'city', country: 'country' } },
      })
    }
  })

  it('a map of LEI to CIK in any order of columns, by what they hold', () => {
    const rows = [
      [lei.ford, '0000037996'],
      [lei.ball, '0000009389'],
    ]
    expect(findPairColumns(['a', 'b'], rows)).toEqual({ lei: 'a', cik: 'b' })
    const turned = rows.map((row) => [...row].reverse())
    expect(findPairColumns(['a', 'b'], turned)).toEqual({ lei: 'b', cik: 'a' })
    expect(findPairColumns(['a', 'CIK'], [[lei.ford, '37996']])).toEqual({ lei: 'a', cik: 'CIK' })
    expect(findPairColumns(['a', 'headcount'], [[lei.ford, '37996']])).toBeNull()
    expect(findPairColumns(['a', 'b'], [['X'.repeat(20), '0000037996']])).toBeNull()
  })
})

/** A folder with a file of each kind, under names that say nothing, in an order of names that the seed makes. */
function mixedFolder(seed: number): string {
  const folder = temporaryFolder()
  const files = [...Object.values({ ...contents, ...wholeRegister }), '{"nothing":"of ours"}']
  for (const [index, content] of files.entries()) {
    const at = (index * 7 + seed * 3) % files.length
    write(`file-${String.fromCharCode(97 + at)}`, content, folder)
  }
  mkdirSync(join(folder, 'inner'))
  cpSync(join(folder, 'file-a'), join(folder, 'inner', 'again'))
  return folder
}

describe('a folder', () => {
  it('is loaded in the right order, whatever its files are called', async () => {
    const held: unknown[] = []
    for (const seed of [0, 1, 2]) {
      const folder = mixedFolder(seed)
      const plan = await planLoad([folder])
      const formats = plan.steps.map(({ format }) => format)
      const at = (format: string) => formats.lastIndexOf(format as never)
      expect(at('gleif-legal-forms')).toBeLessThan(formats.indexOf('gleif'))
      expect(at('csv')).toBeLessThan(formats.indexOf('lei-cik'))
      expect(at('sec-names')).toBeLessThan(formats.indexOf('gleif-relationships'))
      expect(plan.leftOut.some(({ reason }) => /JSON in an unknown format/.test(reason))).toBe(true)
      const path = join(folder, 'registry.sqlite')
      const files = await loadInto(path, plan, {})
      expect(files.filter(({ error }) => error !== null)).toEqual([])
      const registry = openRegistry(path, { readonly: true })
      held.push(registrationsOf(registry))
      expect(registry.search({ name: 'Hershey Foods', limit: 1 }).hits).toMatchObject([
        { legalName: 'HERSHEY CO' },
      ])
      const companies = new Set(
        ['Ford Motor Company', 'FORD MOTOR CO'].map(
          (name) => registry.search({ name, limit: 1 }).hits[0]?.entityId,
        ),
      )
      expect(companies.size).toBe(1)
      registry.close()
    }
    expect(held[1]).toEqual(held[0])
    expect(held[2]).toEqual(held[0])
  })

  it('a file that cannot be loaded is named, and leaves the others loaded', async () => {
    const folder = temporaryFolder()
    const sound = write('a', contents['sec-tickers'] ?? '', folder)
    const broken = write('b', contents['gleif'] ?? '', folder)
    const plan = await planLoad([folder])
    expect(plan.steps.map(({ path }) => path)).toEqual([broken, sound])
    write('b', 'LEI,Entity.LegalName\nnone,\n', folder)
    const path = join(folder, 'registry.sqlite')
    const files = await loadInto(path, plan, {})
    expect(files.map(({ error }) => error?.code ?? null)).toEqual(['REGISTRY_IMPORT_INVALID', null])
    const registry = openRegistry(path, { readonly: true })
    expect(registry.info().sources.map(({ name }) => name)).toEqual(['sec-tickers'])
    registry.close()
    expect(readdirSync(folder).sort()).toEqual(['a', 'b', 'registry.sqlite'])
  })

  it('two nights of one register: the older first, and what is loaded already is not read again', async () => {
    const folder = temporaryFolder()
    write('20260501-gleif.csv', levelOneCsv([{ ...ford, 'Entity.LegalName': 'Newer Motors plc' }]), folder)
    write('z-20260401-gleif.csv', levelOneCsv([ford, ball]), folder)
    const plan = await planLoad([folder])
    expect(plan.steps.map(({ fileDate }) => fileDate.slice(0, 10))).toEqual(['2026-04-01', '2026-05-01'])
    const path = join(folder, 'registry.sqlite')
    await loadInto(path, plan, {})
    const registry = openRegistry(path, { readonly: true })
    expect(registry.search({ name: 'Ford Motor Company', limit: 1 }).hits).toMatchObject([
      { legalName: 'Newer Motors plc' },
    ])
    registry.close()
    const again = await loadInto(path, plan, {})
    expect(again.map(({ result }) => result?.unchanged)).toEqual([true, true])
  })
})

describe('a later file of a list that was imported with a map', () => {
  const header = 'Nr,Bezeichnung,Lage,Vorher,Ort'
  const rows = (name: string) => `LK-1,${name},aktiv,Norvane Glas,Kassel\n`
  const map = { id: 'Nr', name: 'Bezeichnung', status: 'Lage', former_names: 'Vorher', city: 'Ort' }
  const importFirst = async (folder: string) => {
    const path = join(folder, 'registry.sqlite')
    const first = write('firms_2026-10-01.csv', `${header}\n${rows('Larkmoor Glas')}`, folder)
    await importRegister(path, { format: 'csv', path: first, idType: 'crm', map, country: 'DE' })
    return path
  }

  it('is read with the same fields and ids, and the plan says so', async () => {
    const folder = temporaryFolder()
    const path = await importFirst(folder)
    const later = write('firms 1.11.2026.csv', `Neu,${header}\nx,${rows('Larkmoor Optik')}`, folder)
    const plan = await planLoad([later], undefined, {}, path)
    expect(plan.steps).toMatchObject([{ proposal: { idType: 'crm', map, country: 'DE', unused: ['Neu'] } }])
    expect(plan.steps[0]?.notices.join()).toMatch(/earlier import of firms\.csv/)
    const [loaded] = await loadInto(path, plan, {})
    expect(loaded?.result).toMatchObject({ updatedCount: 1, renamedCount: 1 })
    const registry = openRegistry(path, { readonly: true })
    const [hit] = registry.search({ name: 'Norvane Glas', limit: 1 }).hits
    expect(hit).toMatchObject({ legalName: 'Larkmoor Optik', city: 'Kassel', status: 'active' })
    registry.close()
  })

  it('is skipped if it lacks a column whose field would be lost, with a command', async () => {
    const folder = temporaryFolder()
    const path = await importFirst(folder)
    const content = 'LEI,Name,Ort\n2138002P5RNKC5W2JZ46,Larkmoor Optik,Kassel\n'
    const later = write('firms_2026-11-01.csv', content, folder)
    const plan = await planLoad([later], undefined, {}, path)
    expect(plan.steps).toEqual([])
    expect(plan.leftOut[0]?.reason).toMatch(/lacks: Vorher, Nr, Bezeichnung, Lage/)
    expect(plan.leftOut[0]?.command).toMatch(/^enrich registry import csv .* --id-type lei/)
    expect((await planLoad([later])).steps).toHaveLength(1)
  })
})

describe('the date of a file', () => {
  const nowMs = Date.parse('2026-11-25T12:00:00Z')
  const changedAtMs = Date.parse('2026-11-20T10:30:00Z')
  const changed = '2026-11-20T10:30'
  const header = (date: string) =>
    `{"LEIHeader":{"ContentDate":{"$":"${date}"}},"records":${levelOneJson([ford])
      .replace('{"records":', '')
      .slice(0, -1)
      .replace(/^\s*\{\s*"records":/, '')}}`
  const isoOf = async (name: string, content: string | Buffer = 'id,name\n', mtimeMs = changedAtMs) =>
    new Date(await readFileDateMs(write(name, content), mtimeMs, nowMs)).toISOString().slice(0, 16)

  test.each([
    ['20240505-0800-gleif-goldencopy-lei2-golden-copy.csv', '2024-05-05T08:00'],
    ['BasicCompanyDataAsOneFile-2026-11-01.csv', '2026-11-01T00:00'],
    ['BasicCompanyData-2026_11_01-part1_7.zip', '2026-11-01T00:00'],
    ['lei-bic-20240126T000000.csv', '2024-01-26T00:00'],
    ['2021q1.zip', '2021-03-31T00:00'],
    ['fsds_sub_2021Q4.csv', '2021-12-31T00:00'],
    ['companies-2024-02.csv', '2024-02-01T00:00'],
    ['BasicCompanyData-2026-11-20.csv', changed],
    ['20261120-0800-gleif-goldencopy.csv', '2026-11-20T08:00'],
    ['company_tickers_exchange.json', changed],
    ['register-2099-01-01.csv', changed],
    ['register-1985-01-01.csv', changed],
    ['register-2024-02-31.csv', changed],
    ['CIK0000320193.json', changed],
    ['part-2-of-2024.csv', changed],
    ['company-01234567.csv', changed],
  ])('is in its name before its time of change: %s', async (name, date) => {
    expect(await isoOf(name)).toBe(date)
  })

  it('is in its content if its name has none', async () => {
    const dated = header('2024-05-05T08:00:00Z')
    expect(JSON.parse(dated)).toMatchObject({ records: [{ LEI: { $: lei.ford } }] })
    expect(await isoOf('lei2.json', dated)).toBe('2024-05-05T08:00')
    expect(await isoOf('lei2.json.gz', gzipSync(dated))).toBe('2024-05-05T08:00')
    expect(await isoOf('lei2-20240101.json', dated)).toBe('2024-01-01T00:00')
    expect(await isoOf('lei2-20990101.json', dated)).toBe('2024-05-05T08:00')
    for (const wrong of ['2099-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'yesterday evening'])
      expect(await isoOf('lei2.json', header(wrong))).toBe(changed)
    expect(await detectFile(write('lei2.json', dated))).toMatchObject({ format: 'gleif', rowEstimate: 1 })
  })

  it('is the day of loading if no date is plausible, and the one that is passed before all others', async () => {
    expect(await isoOf('a.csv', 'id,name\n', 0)).toBe('2026-11-25T12:00')
    const path = write('gleif-2024-05-05.csv', levelOneCsv([ford]))
    const registry = openRegistry(':memory:')
    const read = () =>
      registry.database.prepare<[], string>('SELECT file_date FROM sources').pluck().get()?.slice(0, 10)
    await importFile(registry, { format: 'gleif', path })
    expect(read()).toBe('2024-05-05')
    const again = write('gleif-2024-05-06.csv', levelOneCsv([ball]))
    await importFile(registry, { format: 'gleif', path: again, dateMs: Date.parse('2025-01-01') })
    expect(read()).toBe('2025-01-01')
  })
})
