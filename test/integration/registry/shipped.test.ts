import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { readEmbeddedScope } from '../../../src/app/inspect-input.js'
import { openRegistry, type Registry } from '../../../src/registry/registry.js'
import { openShippedRegistry } from '../../../src/registry/read-registry.js'
import { temporaryFolder } from '../../support/registry.js'

let registry: Registry

beforeAll(() => {
  registry = openShippedRegistry()
})
afterAll(() => {
  registry.close()
})

test('a registry without companies is refused before a lookup is answered or planned', async () => {
  const path = join(temporaryFolder(), 'own.sqlite')
  const refusal = { code: 'REGISTRY_EMPTY', hint: expect.stringContaining('--registry') as string }
  const empty = openRegistry(path)
  expect(() => {
    empty.requireCompanies()
  }).toThrow(expect.objectContaining(refusal))
  empty.close()
  await expect(readEmbeddedScope(path)).rejects.toMatchObject(refusal)
  expect(() => {
    registry.requireCompanies()
  }).not.toThrow()
})

describe('the registry that ships with the package', () => {
  it('holds a few hundred companies, and every row of it is sound', () => {
    const info = registry.info()
    expect(info.entityCount).toBeGreaterThan(300)
    expect(info.sources).toMatchObject([{ name: 'shipped', rowCount: info.entityCount, rejectedCount: 0 }])
  })

  it('is of one edition each time it is opened', () => {
    const again = openShippedRegistry()
    expect(again.info().edition).toBe(registry.info().edition)
    again.close()
  })

  test.each([
    ['apple inc', 'Cupertino, CA', 'Apple Inc.'],
    ['Facebook', 'Menlo Park', 'Meta Platforms, Inc.'],
    ['MICROSOFT CORPORATION', null, 'Microsoft Corporation'],
    ['Goldmann Sachs', 'New York, NY, US', 'The Goldman Sachs Group, Inc.'],
    ['Siemens', 'Munich, DE', 'Siemens Aktiengesellschaft'],
  ])('%j at %j is %s', (name, location, legalName) => {
    const answer = registry.resolve({ name, location, context: null })
    expect(answer).toMatchObject({ status: 'matched', entity: { legal_name: legalName } })
    const cited = (field: string) => answer.basis.find((entry) => entry.field === field)?.citations[0]
    expect(cited('legal_name')?.url).toMatch(/^https:/)
    expect(cited('legal_name')?.authority_tier).toBe(1)
    // No register of companies holds websites.
    expect(cited('website')).toMatchObject({ url: null, source_type: 'web', authority_tier: 3 })
  })

  test.each([
    ['Apple GmbH', 'US', 'Apple Inc.'],
    ['Apple GmbH', null, 'Apple Inc.'],
    ['Microsoft AG', 'US', 'Microsoft Corporation'],
    ['Tesla B.V.', 'US', 'Tesla, Inc.'],
    ['Ford Motor GmbH', 'US', 'Ford Motor Company'],
  ])('%j at %j is inconclusive: the form is foreign to %s', (name, location, legalName) => {
    const answer = registry.resolve({ name, location, context: null })
    expect(answer).toMatchObject({ status: 'inconclusive', candidate: { legal_name: legalName } })
    expect(answer.factors.map(({ description }) => description).join(' ')).toContain(
      'The country of this company does not have the legal form of your row.',
    )
  })
})
