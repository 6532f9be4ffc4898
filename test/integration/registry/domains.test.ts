import { describe, expect, test } from 'vitest'
import { resolution } from '../../../src/contract/result.js'
import { openShippedRegistry } from '../../../src/registry/shipped.js'
import { addRows, registryOf as open, type Row } from '../../support/registry.js'

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
    "%j is nobody's: no_match",
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

  test('a page of the domain names nobody for certain', () => {
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
