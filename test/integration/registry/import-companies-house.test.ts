import { describe, expect, it } from 'vitest'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  companyData,
  importContent,
  levelOne,
  levelOneCsv,
  registrationsOf,
} from '../../support/register-files.js'

const open = () => openRegistry(':memory:')

const lloyds = {
  CompanyName: 'LLOYDS BANK PLC',
  CompanyNumber: '00002065',
  'RegAddress.AddressLine1': '25 GRESHAM STREET',
  'RegAddress.PostTown': 'LONDON',
  'RegAddress.Country': 'UNITED KINGDOM',
  'RegAddress.PostCode': 'EC2V 7HN',
  CompanyCategory: 'Public Limited Company',
  CompanyStatus: 'Active',
  IncorporationDate: '20/04/1865',
  'SICCode.SicText_1': '64191 - Banks',
  'SICCode.SicText_2': '64999 - Financial intermediation not elsewhere classified',
  'PreviousName_1.CONDATE': '28/06/1999',
  'PreviousName_1.CompanyName': 'LLOYDS BANK "LIMITED"',
  'PreviousName_2.CompanyName': 'LLOYDS TSB BANK PLC',
}

describe('BasicCompanyData', () => {
  it('gives each company number a registration with names, places and codes', async () => {
    const registry = open()
    expect(await importContent(registry, 'companies-house', companyData([lloyds]))).toMatchObject({
      rowCount: 1,
      importedCount: 1,
      droppedCount: 0,
    })
    expect(registrationsOf(registry)).toMatchObject({
      'registration_id:gb:00002065': {
        legal_name: 'LLOYDS BANK PLC',
        status: 'active',
        legal_form: 'Public Limited Company',
        jurisdiction: 'gb',
        registration_authority: 'RA000585',
        formed_on: '1865-04-20',
        industry_codes: 'uk_sic_2007:64191 64999',
        sic: null,
        street_address: '25 GRESHAM STREET',
        city: 'LONDON',
        country_code: 'GB',
        identifiers: ['registration_id 00002065 gb'],
        names: ['legal: LLOYDS BANK PLC', 'former: LLOYDS BANK "LIMITED"', 'former: LLOYDS TSB BANK PLC'],
        source_url: 'https://find-and-update.company-information.service.gov.uk/company/00002065',
      },
    })
    const [hit] = registry.search({ name: 'Lloyds Bank', limit: 1 }).hits
    const record = registry.entity(hit!.entityId)?.record
    expect(record?.attributes.founding_date).toBe('1865-04-20')
    expect(record?.industry.schemes).toEqual({
      naics_2022: [{ code: '522110', label: 'Commercial Banking', is_primary: true, confidence: 80 }],
    })
  })

  it.each([
    ['SC123456', 'RA000587', 'Active', 'active'],
    ['NI000123', 'RA000586', 'Active - Proposal to Strike off', 'active'],
    ['OC312345', 'RA000585', 'Liquidation', 'liquidation'],
    ['2065', 'RA000585', 'Dissolved', 'inactive'],
  ])('%s is of %s; "%s" is %s', async (number, authority, words, status) => {
    const registry = open()
    await importContent(
      registry,
      'companies-house',
      companyData([{ ...lloyds, CompanyNumber: number, CompanyStatus: words }]),
    )
    expect(Object.values(registrationsOf(registry))).toMatchObject([
      { registration_authority: authority, status },
    ])
  })

  it('a charity is a nonprofit; an office abroad is abroad', async () => {
    const registry = open()
    await importContent(
      registry,
      'companies-house',
      companyData([
        { ...lloyds, CompanyNumber: 'CE000001', CompanyCategory: 'Charitable Incorporated Organisation' },
        { ...lloyds, CompanyNumber: 'FC000001', 'RegAddress.Country': 'GERMANY' },
      ]),
    )
    expect(registrationsOf(registry)).toMatchObject({
      'registration_id:gb:CE000001': { type: 'nonprofit', subtype: 'nonprofit_entity' },
      'registration_id:gb:FC000001': { country_code: 'DE', jurisdiction: 'gb' },
    })
  })

  it('names bad rows; a newer file updates and hides what it no longer names', async () => {
    const registry = open()
    const first = companyData([lloyds, { ...lloyds, CompanyNumber: '00000140' }])
    await importContent(registry, 'companies-house', first)
    const second = companyData([
      { ...lloyds, CompanyName: 'LLOYDS BANK 2 PLC' },
      { ...lloyds, CompanyNumber: 'not a number' },
      { ...lloyds, CompanyNumber: '00000141', CompanyName: '' },
    ])
    const result = await importContent(registry, 'companies-house', second)
    expect(result).toMatchObject({ updatedCount: 1, rejectedCount: 2, vanishedCount: 1 })
    expect(result.rejections).toEqual([
      { line: 3, reason: 'its company number "not a number" does not have the form of one' },
      { line: 4, reason: 'it has no name' },
    ])
    expect(Object.keys(registrationsOf(registry))).toEqual(['registration_id:gb:00002065'])
  })

  it('is one company with the LEI record that has its number', async () => {
    const registry = open()
    const record = {
      ...levelOne.ball,
      'Entity.LegalName': 'LLOYDS BANK PLC',
      'Entity.RegistrationAuthority.RegistrationAuthorityID': 'RA000585',
      'Entity.RegistrationAuthority.RegistrationAuthorityEntityID': '2065',
      'Entity.LegalJurisdiction': 'GB',
    }
    await importContent(registry, 'gleif', levelOneCsv([record]))
    await importContent(registry, 'companies-house', companyData([lloyds]))
    expect(Object.keys(registrationsOf(registry))).toHaveLength(2)
    expect(registry.info().entityCount).toBe(1)
  })
})
