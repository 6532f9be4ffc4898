import { describe, expect, test } from 'vitest'
import { resolution } from '../../../src/contract/result.js'
import { importFile } from '../../../src/registry/import/file-formats.js'
import { openShippedRegistry } from '../../../src/registry/read-registry.js'
import { addRows, registryOf as open, temporaryFolder, type Row } from '../../support/registry.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const named = (name: string, website: string, parts: Row = {}): Row => ({
  id: name,
  name,
  website,
  country: 'GB',
  jurisdiction: 'gb',
  ...parts,
})

const codesOf = (answer: { factors: readonly { code: string }[] }) => answer.factors.map(({ code }) => code)

describe('whose domain it is', () => {
  test('one company whose site it is: matched, with what is true of it and nothing more', () => {
    const registry = open([named('Widgets Ltd', 'www.widgets.co.uk'), named('Gadgets Ltd', 'gadgets.com')])
    const answer = resolution.parse(registry.resolveDomain('widgets.co.uk'))
    expect(answer).toMatchObject({
      status: 'matched',
      entity: { legal_name: 'Widgets Ltd' },
      candidate: null,
    })
    expect(answer.match_confidence).toBeGreaterThanOrEqual(80)
    expect(codesOf(answer)).toEqual(['website_official_status', 'legal_entity_confirmed'])
    expect(answer.basis.map(({ field }) => field)).toContain('website')
  })

  test('a URL or an address in it means the same', () => {
    const registry = open([named('Widgets Ltd', 'www.widgets.co.uk')])
    const answer = registry.resolveDomain('widgets.co.uk')
    for (const text of ['https://shop.widgets.co.uk/x', 'jane@widgets.co.uk', 'WIDGETS.CO.UK.']) {
      expect(registry.resolveDomain(text)).toEqual(answer)
    }
  })

  test.each(['unknown.com', 'co.uk', '127.0.0.1', 'nonsense', '', "x'; DROP TABLE names"])(
    '%j is of no company: no_match',
    (domain) => {
      const answer = resolution.parse(open([named('Widgets Ltd', 'widgets.com')]).resolveDomain(domain))
      expect(answer).toMatchObject({ status: 'no_match', match_confidence: 0, entity: null, candidate: null })
    },
  )

  test('several that give it: inconclusive, with one of them as a guess', () => {
    const registry = open([
      named('Widgets Ltd', 'widgets.com'),
      named('Widgets GmbH', 'https://widgets.com/'),
    ])
    const answer = resolution.parse(registry.resolveDomain('widgets.com'))
    expect(answer).toMatchObject({
      status: 'inconclusive',
      entity: null,
      candidate: { legal_name: 'Widgets Ltd' },
    })
    expect(answer.classification).toBe('ambiguous')
  })

  test('none that gives it, but one of its name: inconclusive, with the name in the reason', () => {
    const registry = open([named('Widgets Ltd', 'widgets.de')])
    const answer = resolution.parse(registry.resolveDomain('widgets.com'))
    expect(answer).toMatchObject({ status: 'inconclusive', candidate: { legal_name: 'Widgets Ltd' } })
    expect(answer.factors[0]?.description).toBe(
      'No register in this registry states a website under widgets.com, but "Widgets Ltd" has its name.',
    )
  })

  test.each([
    ['blue-widgets.de', null, 'partial_match or matched'],
    ['widgets.de', 'Ulm, DE', 'partial_match or matched'],
    ['widgets.de', 'Bonn, DE', 'inconclusive'],
    ['widgets.de', null, 'inconclusive'],
  ])(
    '%s at %s, which none gives: a name of several words or the town makes it the answer',
    (domain, location, status) => {
      const registry = open([
        named('Blue Widgets GmbH', 'bluew.de', { city: 'Bonn', country: 'DE' }),
        named('Widgets GmbH', 'w.de', { city: 'Ulm', country: 'DE' }),
      ])
      const answer = registry.resolve({ name: `https://${domain}/start`, location, context: null })
      expect(status).toContain(answer.status)
      expect(answer.match_confidence).toBeLessThanOrEqual(answer.entity === null ? 49 : 85)
    },
  )

  test('several of which one owns the others: that one', () => {
    const registry = open([
      named('Widgets UK Ltd', 'https://widgets.com', { parent_id: 'Widgets Europe BV' }),
      named('Widgets Europe BV', 'https://eu.widgets.com', { parent_id: 'Widgets Inc.' }),
      named('Widgets Inc.', 'https://www.widgets.com'),
    ])
    const answer = resolution.parse(registry.resolveDomain('widgets.com'))
    expect(answer).toMatchObject({ status: 'matched', entity: { legal_name: 'Widgets Inc.' } })
    expect(codesOf(answer)).toContain('consistent_entity_references')
  })

  test('a site under a name of its own: no more than a partial match', () => {
    const registry = open([named('Guest Ltd', 'https://guest.bighost.com')])
    expect(resolution.parse(registry.resolveDomain('bighost.com')).status).toBe('partial_match')
  })

  test('a page of the domain names no company for certain', () => {
    const registry = open([named('Guest Ltd', 'https://www.bighost.com/guest')])
    expect(resolution.parse(registry.resolveDomain('bighost.com'))).toMatchObject({
      status: 'inconclusive',
      candidate: { legal_name: 'Guest Ltd' },
    })
  })

  test('among thousands of guests the host itself is found', () => {
    const guests = Array.from({ length: 1_000 }, (_, index) =>
      named(`Guest ${index} Ltd`, `bighost.com/${index}`),
    )
    const registry = open([...guests, named('Big Host Ltd', 'bighost.com')])
    expect(registry.resolveDomain('bighost.com').entity?.legal_name).toBe('Big Host Ltd')
  })

  test('a charity is a candidate, as everywhere', () => {
    const registry = open([named('Widget Aid', 'widgetaid.org', { type: 'nonprofit' })])
    const answer = resolution.parse(registry.resolveDomain('widgetaid.org'))
    expect(answer).toMatchObject({ status: 'inconclusive', type: 'nonprofit', entity: null })
    expect(codesOf(answer)[0]).toBe('unsupported_entity_type')
  })

  test('a dissolved company is no certain match', () => {
    const registry = open([named('Widgets Ltd', 'widgets.com', { status: 'dissolved' })])
    expect(resolution.parse(registry.resolveDomain('widgets.com')).status).toBe('partial_match')
  })

  test('other domains of the company are its aliases', () => {
    const registry = open([
      named('Widgets Ltd', 'widgets.com', { lei: 'HWUPKR0MPOU8FGXBT394' }),
      named('Gadgets Ltd', 'gadgets.com'),
    ])
    const second = [named('Widgets Limited', 'https://widgets.co.uk', { lei: 'HWUPKR0MPOU8FGXBT394' })]
    addRows(registry, second, { fileName: 'other.csv' })
    expect(registry.domainAliases('widgets.com')).toEqual(['widgets.co.uk'])
    expect(registry.domainAliases('gadgets.com')).toEqual([])
    expect(registry.domainAliases('unknown.com')).toEqual([])
  })
})

describe('the registry that ships', () => {
  const registry = openShippedRegistry()

  test.each([
    ['apple.com', 'Apple Inc.'],
    ['microsoft.com', 'Microsoft Corporation'],
    ['linkedin.com', 'LinkedIn Corporation'],
    ['xerox.com', 'Xerox Holdings Corporation'],
    ['google.co.uk', 'Google UK Limited'],
  ])('%s is that of %s', (domain, legalName) => {
    const answer = resolution.parse(registry.resolveDomain(domain))
    expect(answer).toMatchObject({ status: 'matched', entity: { legal_name: legalName } })
  })
})

describe('an own list of domains', () => {
  const listed = async (lines: readonly string[], rows: readonly Row[] = companies) => {
    const registry = open(rows, { idType: 'lei' })
    const path = join(temporaryFolder(), 'domains.csv')
    writeFileSync(path, `domain,company\n${lines.join('\n')}\n`)
    return { registry, result: await importFile(registry, { format: 'domains', path }) }
  }
  const lei = 'HWUPKR0MPOU8FGXBT394'
  const companies = [
    { id: lei, name: 'Nordlicht AG', lei, country: 'DE' },
    { id: '5493006MHB84DD0ZWV18', name: 'Alphawerk Ltd', country: 'GB', website: 'alphawerk.co.uk' },
  ]

  test('states the website of a company whose register states none, and its other domains', async () => {
    const { registry } = await listed([`nordlicht.de,${lei}`, `https://www.nordlicht.com/en,LEI ${lei}`])
    for (const domain of ['nordlicht.de', 'nordlicht.com']) {
      expect(registry.resolveDomain(domain)).toMatchObject({
        status: 'matched',
        entity: { legal_name: 'Nordlicht AG', website: 'https://nordlicht.de' },
      })
    }
    expect(registry.domainAliases('nordlicht.com')).toEqual(['nordlicht.de'])
    expect(registry.domainAliases('nordlicht.de')).toEqual(['nordlicht.com'])
  })

  test('does not replace the website that a register states, and is no identifier of the company', async () => {
    const { registry } = await listed(['alphawerk.com,LEI 5493006MHB84DD0ZWV18'])
    const { entity } = registry.resolveDomain('alphawerk.com')
    expect(entity).toMatchObject({ legal_name: 'Alphawerk Ltd', website: 'alphawerk.co.uk' })
    expect(entity?.identifiers.map(({ type }) => type)).toEqual(['lei'])
    expect(registry.domainAliases('alphawerk.co.uk')).toEqual(['alphawerk.com'])
  })

  test('a newer list without a domain takes it back', async () => {
    const { registry } = await listed([`nordlicht.de,${lei}`])
    const path = join(temporaryFolder(), 'domains.csv')
    writeFileSync(path, `domain,company\nnordlicht.com,${lei}\n`)
    await importFile(registry, { format: 'domains', path })
    expect(registry.resolveDomain('nordlicht.de').entity).toBe(null)
    expect(registry.resolveDomain('nordlicht.com').status).toBe('matched')
  })

  test.each([
    ['localhost', lei, /not a public domain/],
    ['10.0.0.1', lei, /not a public domain/],
    ['nordlicht.de', 'Nordlicht AG', /not an LEI, a CIK or a company number/],
    ['nordlicht.de', '', /not an LEI/],
    ['nordlicht.de', 'company number 00445790', /not an LEI/],
  ])('%s of %j is rejected, with its line', async (domain, company, reason) => {
    const { result } = await listed([`nordlicht.com,${lei}`, `${domain},${company}`])
    expect(result.rejections).toEqual([{ line: 3, reason: expect.stringMatching(reason) as string }])
  })
})
