import { stringify } from 'csv-stringify/sync'
import { describe, expect, it } from 'vitest'
import { measureRegisters } from '../../../bench/fields.js'
import { connectTo } from '../../../bench/service.js'
import { createKnowledge } from '../../../src/app/registry-adapter.js'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  companyData,
  importContent,
  lei,
  levelOne,
  levelOneCsv,
  subTable,
} from '../../support/register-files.js'
import { keys, startTestService } from '../../support/test-service.js'

const registrants = [
  { cik: '37996', name: 'FORD MOTOR CO', sic: '3711', countryba: 'US', stprba: 'MI', stprinc: 'DE' },
  { cik: '9389', name: 'BALL CORP', sic: '3411', countryba: 'US', stprba: 'CO', stprinc: 'IN' },
  { cik: '1000015', name: 'QUIBBLE ACQUISITION CORP', sic: '6770', countryba: 'US', stprba: 'NY' },
].map((row) => ({ ...row, filed: '20210301' }))
const british = [
  { CompanyName: 'TESCO PLC', CompanyNumber: '00445790', 'SICCode.SicText_1': '47110 - Retail sale' },
  {
    CompanyName: 'QUIBBLE BOATS LIMITED',
    CompanyNumber: '00000140',
    'SICCode.SicText_1': '33150 - Repair',
    'SICCode.SicText_2': '62012 - Software',
  },
  { CompanyName: 'QUIBBLE TEA LIMITED', CompanyNumber: '00000141', 'SICCode.SicText_1': '99999 - Dormant' },
].map((row) => ({ ...row, CompanyStatus: 'Active', IncorporationDate: '27/11/1947' }))
const items = [
  { item: 'Q44294', itemLabel: 'Ford', lei: lei.ford, cik: '37996', inception: '1903-06-16' },
  { item: 'Q487494', itemLabel: 'Tesco', companyNumber: '00445790', website: 'https://www.tescoplc.com/' },
  { item: 'Q1', itemLabel: 'Ball', lei: lei.ball, cik: '9389', website: 'https://www.ball.com' },
  { item: 'Q2', itemLabel: 'Quibble', cik: '1000015', inception: '2020-05-04', industries: 'finance' },
].map(({ item, ...row }) => ({
  ...row,
  item: `http://www.wikidata.org/entity/${item}`,
  description: `${row.itemLabel}, a company`,
}))
const columns = 'item,itemLabel,lei,cik,companyNumber,website,description,inception,industries'.split(',')

/** A registry of three registers, each imported before the next; Wikidata joins those of the SEC and GLEIF. */
async function loadRegisters() {
  const registry = openRegistry(':memory:')
  await importContent(registry, 'sec-sub', subTable(registrants))
  await importContent(registry, 'gleif', levelOneCsv(Object.values(levelOne)))
  await importContent(registry, 'companies-house', companyData(british))
  await importContent(registry, 'wikidata', stringify(items, { header: true, columns }))
  return registry
}

async function measure(...args: Parameters<typeof measureRegisters>) {
  const measured = []
  for await (const register of measureRegisters(...args)) measured.push(register)
  return measured
}

describe('fields of a record', () => {
  it('are filled if a source states them, and only then, and each is cited', async () => {
    const registry = await loadRegisters()
    const { service } = await startTestService({ knowledge: createKnowledge(registry) })
    const get = connectTo(service.url, keys.alice)
    const fields = 'description,founding date,industry,NAICS 2022,business tags,website,status'.split(',')
    const statedCounts: Record<string, number[]> = {}
    for (const { register, drawn, counts } of await measure(registry.database, get, 1, 200)) {
      expect([register, drawn, counts.map(({ field }) => field)]).toEqual([register, 3, fields])
      statedCounts[register] = counts.map(({ stated }) => stated)
      for (const { field, stated, filled, cited, missed, invented } of counts) {
        expect({ register, field, filled, cited, missed, invented }).toEqual({
          register,
          field,
          filled: stated,
          cited: ['founding date', 'business tags'].includes(field) ? 0 : stated,
          missed: [],
          invented: [],
        })
      }
    }
    expect(statedCounts).toEqual({
      GLEIF: [2, 1, 2, 2, 0, 1, 3],
      SEC: [3, 2, 3, 2, 1, 1, 2],
      'Companies House': [1, 3, 2, 2, 0, 1, 3],
    })
  })

  it('are reported if the record lacks a stated value or has one of no source', async () => {
    const registry = await loadRegisters()
    const { service } = await startTestService({ knowledge: createKnowledge(registry) })
    // The rows change after the service has read them: the measurement reads them itself.
    const get = connectTo(service.url, keys.alice)
    await measure(registry.database, get, 1, 200)
    registry.database.exec(
      `UPDATE claims SET row_json = json_replace(row_json, '$.profile.description', 'Another')`,
    )
    registry.database.exec(`UPDATE legal_entities SET website = 'https://new.example' WHERE website IS NULL`)
    const measured = await measure(registry.database, get, 1, 200)
    const counts = measured.find(({ register }) => register === 'SEC')?.counts
    const description = counts?.find(({ field }) => field === 'description')
    expect(description?.invented).toHaveLength(3)
    expect(description?.invented[0]).toMatch(/^siq_\w+ "\w+, a company"$/)
    expect(counts?.find(({ field }) => field === 'website')?.missed).toHaveLength(2)
  })
})
