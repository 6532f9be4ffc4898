import { describe, expect, it } from 'vitest'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  importContent,
  lei,
  levelOne,
  levelOneCsv,
  levelOneJson,
  levelTwoCsv,
  registrationsOf,
} from '../../support/register-files.js'

const open = () => openRegistry(':memory:')
const { ford, ball, aecom } = levelOne

describe('the Level 1 golden copy', () => {
  it('gives each LEI a registration with all that the record says', async () => {
    const registry = open()
    const result = await importContent(registry, 'gleif', levelOneCsv([ford, ball]))
    expect(result).toMatchObject({ rowCount: 2, importedCount: 2, rejectedCount: 0, droppedCount: 0 })
    expect(registrationsOf(registry)).toMatchObject({
      [`lei:${lei.ford}`]: {
        legal_name: 'Ford Motor Company',
        type: 'business',
        subtype: 'incorporated_entity',
        status: 'active',
        legal_form: 'XTIQ',
        jurisdiction: 'us_de',
        registration_authority: 'RA000602',
        formed_on: '1919-07-09',
        source_url: `https://search.gleif.org/#/record/${lei.ford}`,
        street_address: 'One American Road, Suite 1026',
        city: 'Dearborn',
        region: 'MI',
        region_code: 'US-MI',
        postal_code: '48126',
        country_code: 'US',
        identifiers: [`lei ${lei.ford}`, 'registration_id 152404 us_de'],
      },
      [`lei:${lei.ball}`]: {
        names: ['legal: Ball Corporation', 'other: Ball Packaging', 'former: Ball Brothers Company'],
      },
    })
    expect(registry.info().sources).toMatchObject([{ name: 'gleif', format: 'gleif', rowCount: 2 }])
  })

  it('gives the same from JSON as from CSV', async () => {
    const [fromCsv, fromJson] = [open(), open()]
    await importContent(fromCsv, 'gleif', levelOneCsv([ford, ball, aecom]))
    await importContent(fromJson, 'gleif', levelOneJson([ford, ball, aecom]))
    expect(registrationsOf(fromJson)).toEqual(registrationsOf(fromCsv))
  })

  it('names bad records by their line and keeps the others', async () => {
    const registry = open()
    const text = levelOneCsv([
      { ...ford, LEI: '20S05OYHG0MQM4VUIC58' },
      { ...ball, 'Entity.LegalName': '' },
      { ...aecom, 'Entity.LegalJurisdiction': 'Atlantis' },
    ])
    const result = await importContent(registry, 'gleif', `${text}"only","three","cells"\n"never closed,\n`)
    expect(result).toMatchObject({ rowCount: 5, importedCount: 1, rejectedCount: 4, droppedCount: 1 })
    expect(result.rejections).toEqual([
      { line: 2, reason: 'LEI "20S05OYHG0MQM4VUIC58" fails its checksum' },
      { line: 3, reason: 'it has no name' },
      { line: 5, reason: expect.stringMatching(/^it has 3 cells where the header has \d+$/) as string },
      { line: 6, reason: 'a quote in it is never closed' },
    ])
    expect(result.drops).toMatchObject([{ line: 4, reason: 'jurisdiction "Atlantis" is not known' }])
  })

  it('a record of JSON that is none costs itself alone', async () => {
    const registry = open()
    const text = levelOneJson([ford, ball]).replace('"LEI": {', '"LEI": {,')
    const result = await importContent(registry, 'gleif', text)
    expect(result).toMatchObject({ importedCount: 1, rejectedCount: 1 })
    expect(result.rejections).toEqual([{ line: 3, reason: 'it is not an LEI record in JSON' }])
  })

  it.each([
    ['RESIDENT_GOVERNMENT_ENTITY', 'government', 'government_entity'],
    ['INTERNATIONAL_ORGANIZATION', 'other', 'other_entity'],
    ['BRANCH', 'business', 'incorporated_entity'],
    ['FUND', 'business', 'complex_business_structure'],
  ])('%s is %s, %s', async (category, type, subtype) => {
    const registry = open()
    await importContent(registry, 'gleif', levelOneCsv([{ ...ball, 'Entity.EntityCategory': category }]))
    expect(registrationsOf(registry)).toMatchObject({ [`lei:${lei.ball}`]: { type, subtype } })
  })

  describe('SOLE_PROPRIETOR', () => {
    const named = async (name: string, country: string) => {
      const registry = open()
      const text = levelOneCsv([
        {
          ...ball,
          'Entity.LegalName': name,
          'Entity.LegalJurisdiction': country,
          'Entity.LegalForm.EntityLegalFormCode': '8888',
          'Entity.EntityCategory': 'SOLE_PROPRIETOR',
        },
      ])
      await importContent(registry, 'gleif', text)
      return registry.resolve({ name, location: null, context: null })
    }

    it.each([
      ['Vanorim Larkmoor Cafe LTDA', 'BR'],
      ['Vanorim Larkmoor Cafe LTDA - ME', 'BR'],
      ['Vanorim Larkmoor GmbH', 'DE'],
      ['Vanorim Larkmoor Limited', 'GB'],
      ['Vanorim Larkmoor S.r.l.', 'IT'],
      ['Vanorim Larkmoor SA', 'FR'],
      ['Vanorim Larkmoor Pty Ltd', 'AU'],
    ])(
      'with the form of a company of its country in the name is a company: %s (%s)',
      async (name, country) => {
        const answer = await named(name, country)
        expect(answer).toMatchObject({ status: 'matched', subtype: 'incorporated_entity' })
        expect(answer.entity?.facets.legal_form).toMatch(/^(?:llc|corporation)$/)
      },
    )

    it.each([
      ['Vanorim Larkmoor', 'DE'],
      ['Vanorim Larkmoor e.K.', 'DE'],
      ['Vanorim Larkmoor LTDA', 'DE'],
      ['Vanorim Larkmoor ME', 'BR'],
    ])(
      'without one is no company, and the reason has the form of the register: %s (%s)',
      async (name, country) => {
        const answer = await named(name, country)
        expect(answer).toMatchObject({ status: 'inconclusive', subtype: 'unincorporated_entity' })
        expect(answer.factors[0]?.description).toContain(
          'an unincorporated body (registered as "sole proprietorship"), not a company',
        )
      },
    )
  })

  it('a number of Companies House gets its eight characters, one of EDGAR is a CIK', async () => {
    const registry = open()
    const registered = (row: object, authority: string, number: string, place: string) => ({
      ...row,
      'Entity.RegistrationAuthority.RegistrationAuthorityID': authority,
      'Entity.RegistrationAuthority.RegistrationAuthorityEntityID': number,
      'Entity.LegalJurisdiction': place,
    })
    const text = levelOneCsv([
      registered(ball, 'RA000585', '445790', 'GB'),
      registered(aecom, 'RA000665', '868857', 'US-DE'),
      registered(ford, 'RA999999', 'none', 'US-DE'),
    ])
    await importContent(registry, 'gleif', text)
    expect(registrationsOf(registry)).toMatchObject({
      [`lei:${lei.ball}`]: { identifiers: [`lei ${lei.ball}`, 'registration_id 00445790 gb'] },
      [`lei:${lei.aecom}`]: { identifiers: [`lei ${lei.aecom}`, 'cik 0000868857'] },
      [`lei:${lei.ford}`]: { identifiers: [`lei ${lei.ford}`], registration_authority: null },
    })
  })

  it('a record issued twice is no company of its own and names the one that stays', async () => {
    const registry = open()
    const twice = {
      ...ball,
      'Registration.RegistrationStatus': 'DUPLICATE',
      'Entity.SuccessorEntity.1.SuccessorLEI': lei.ford,
    }
    await importContent(registry, 'gleif', levelOneCsv([ford, twice]))
    expect(registrationsOf(registry)).toMatchObject({
      [`lei:${lei.ball}`]: { status: 'inactive', successor_key: `lei:${lei.ford}` },
    })
  })
})

it('A newer golden copy updates companies, keeps ids and hides what it no longer has', async () => {
  const registry = open()
  await importContent(registry, 'gleif', levelOneCsv([ford, ball]))
  const before = registrationsOf(registry) as Record<string, { id: string }>
  const newer = levelOneCsv([{ ...ford, 'Entity.LegalName': 'Ford Motor Co' }, aecom])
  const result = await importContent(registry, 'gleif', newer)
  expect(result).toMatchObject({ importedCount: 1, updatedCount: 1, vanishedCount: 1, unchanged: false })
  const after = registrationsOf(registry) as Record<string, { id: string }>
  expect(Object.keys(after)).toEqual([`lei:${lei.aecom}`, `lei:${lei.ford}`].sort())
  expect(after[`lei:${lei.ford}`]?.id).toBe(before[`lei:${lei.ford}`]?.id)
  expect(await importContent(registry, 'gleif', newer)).toMatchObject({ unchanged: true, rowCount: 2 })
})

describe('Level 2', () => {
  const owned = { child: lei.ball, parent: lei.ford, percentage: '75.50', from: '2012-11-28T00:00:00Z' }

  it('says who owns whom, with share and date, whichever file came first', async () => {
    for (const order of [
      ['gleif', 'gleif-relationships'],
      ['gleif-relationships', 'gleif'],
    ] as const) {
      const registry = open()
      const contents = { gleif: levelOneCsv([ford, ball]), 'gleif-relationships': levelTwoCsv([owned]) }
      for (const format of order) await importContent(registry, format, contents[format])
      const [hit] = registry.search({ name: 'Ball Corporation', limit: 1 }).hits
      expect(registry.ownership(hit!.entityId)?.links).toMatchObject([
        { percentage: 75.5, fromDate: '2012-11-28', type: 'IS_DIRECTLY_CONSOLIDATED_BY' },
      ])
      expect(registry.entity(hit!.entityId)?.record.parent_entity).toEqual({ name: 'Ford Motor Company' })
    }
  })

  it('leaves out what ended, waits for who is missing, and names what cannot be', async () => {
    const registry = open()
    await importContent(registry, 'gleif', levelOneCsv([ford, ball]))
    const text = levelTwoCsv([
      owned,
      { child: lei.ford, parent: lei.ball, status: 'INACTIVE' },
      { child: lei.aecom, parent: lei.ford },
      { child: lei.ford, parent: lei.ford },
      { child: lei.ford, parent: 'X' },
      { child: lei.ford, parent: lei.ball, type: 'IS_FRIEND_OF' },
    ])
    const result = await importContent(registry, 'gleif-relationships', text)
    expect(result).toMatchObject({
      rowCount: 6,
      importedCount: 2,
      skippedCount: 1,
      rejectedCount: 3,
      waitingCount: 1,
    })
    expect(result.rejections.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
      '5 it relates a company to itself',
      '6 LEI "X" does not have the form of an LEI',
      '7 its type "IS_FRIEND_OF" is not known',
    ])
    const links = registry.database.prepare('SELECT count(*) FROM relationships').pluck()
    expect(links.get()).toBe(1)
    const newer = await importContent(
      registry,
      'gleif-relationships',
      levelTwoCsv([{ ...owned, status: 'INACTIVE' }]),
    )
    expect(newer).toMatchObject({ vanishedCount: 2, skippedCount: 1 })
    expect(links.get()).toBe(0)
  })

  it('a share of one or less says nothing: some write the whole so', async () => {
    const registry = open()
    await importContent(registry, 'gleif', levelOneCsv([ford, ball]))
    await importContent(registry, 'gleif-relationships', levelTwoCsv([{ ...owned, percentage: '1.00' }]))
    const [hit] = registry.search({ name: 'Ball Corporation', limit: 1 }).hits
    expect(registry.ownership(hit!.entityId)?.links).toMatchObject([{ percentage: null }])
  })
})

describe('lists and maps', () => {
  it('BICs go to their LEI, whichever file came first, and go with a newer map', async () => {
    const registry = open()
    const map = `LEI,BIC\n${lei.ford},FORDUS33XXX\n${lei.ford},FORDGB22\n${lei.aecom},AECMUS33XXX\n`
    expect(await importContent(registry, 'gleif-bic', map)).toMatchObject({ waitingCount: 2 })
    await importContent(registry, 'gleif', levelOneCsv([ford]))
    const identifiers = () =>
      (registrationsOf(registry) as Record<string, { identifiers: string[] }>)[`lei:${lei.ford}`]?.identifiers
    expect(identifiers()).toEqual([
      `lei ${lei.ford}`,
      'registration_id 152404 us_de',
      'bic FORDUS33XXX',
      'bic FORDGB22',
    ])
    const bad = `LEI,BIC\n${lei.ford},FORDGB22\n${lei.ford},no\nX,FORDGB22\n`
    const newer = await importContent(registry, 'gleif-bic', bad)
    expect(newer).toMatchObject({ updatedCount: 1, rejectedCount: 2, waitingCount: 0 })
    expect(identifiers()).toEqual([`lei ${lei.ford}`, 'registration_id 152404 us_de', 'bic FORDGB22'])
  })

  it('a newer golden copy keeps the BICs, and does not hide a company that it still names', async () => {
    const registry = open()
    await importContent(registry, 'gleif', levelOneCsv([ford, ball]))
    await importContent(registry, 'gleif-bic', `LEI,BIC\n${lei.ford},FORDUS33XXX\n`)
    const before = registrationsOf(registry)
    const result = await importContent(registry, 'gleif', levelOneCsv([ford]))
    expect(result).toMatchObject({ importedCount: 0, updatedCount: 1, vanishedCount: 1 })
    expect(registrationsOf(registry)).toEqual({ [`lei:${lei.ford}`]: before[`lei:${lei.ford}`] })
  })

  it('ISINs are kept with their issuer; one whose check digit is wrong is none', async () => {
    const registry = open()
    const result = await importContent(
      registry,
      'gleif-isin',
      `LEI,ISIN\n${lei.ford},US3453708600\n${lei.ford},US3453708601\n`,
    )
    expect(result).toMatchObject({ importedCount: 1, rejectedCount: 1, waitingCount: 1 })
    expect(registry.database.prepare('SELECT isin FROM securities').pluck().all()).toEqual(['US3453708600'])
  })

  it('codes of authorities and legal forms get their names; a second line about a code adds nothing', async () => {
    const registry = open()
    const authorities =
      'Registration Authority Code,Country,Country Code,International name of Register,Website\n' +
      'RA000526,Slovakia,SK,Business Register,http://www.orsr.sk\nnone,,,,\n'
    const forms =
      '"ELF Code","Country Code (ISO 3166-1)","Entity Legal Form name Local name","Abbreviations Local language"\n' +
      '"VSZS","SK","spoločnosť s ručením obmedzeným","s.r.o."\n"VSZS","SK","Limited company",""\n"8888","","",""\n'
    expect(await importContent(registry, 'gleif-authorities', authorities)).toMatchObject({
      importedCount: 1,
      rejectedCount: 1,
    })
    expect(await importContent(registry, 'gleif-legal-forms', forms)).toMatchObject({
      importedCount: 1,
      skippedCount: 2,
    })
    const record = {
      ...ball,
      'Entity.LegalName': 'ALFA REY',
      'Entity.LegalForm.EntityLegalFormCode': 'VSZS',
      'Entity.RegistrationAuthority.RegistrationAuthorityID': 'RA000526',
      'Entity.RegistrationAuthority.RegistrationAuthorityEntityID': '51078066',
      'Entity.LegalJurisdiction': 'SK',
    }
    await importContent(registry, 'gleif', levelOneCsv([record]))
    const [hit] = registry.search({ name: 'Alfa Rey', limit: 1 }).hits
    expect(registry.entity(hit!.entityId)?.record).toMatchObject({
      facets: { legal_form: 'llc' },
      primary_legal_entity: {
        registration_authority: { id: 526, name: 'Business Register', country_code: 'SK' },
      },
    })
  })
})
