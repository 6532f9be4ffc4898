import { describe, expect, test } from 'vitest'
import { toQuestion, readQueries } from '../../../../src/service/reconciliation/queries.js'

const asked = (query: object) => {
  const [first] = readQueries(JSON.stringify({ q0: query }))
  if (first === undefined) throw new Error('one query is read')
  return toQuestion(first[1])
}

/** `pid=value` pairs as properties of a query for Acme, or for nobody by name. */
const with_ = (pairs: Readonly<Record<string, unknown>>, query: string | null = 'Acme') => {
  const properties = Object.entries(pairs).map(([pid, v]) => ({ pid, v }))
  return asked(query === null ? { properties } : { query, properties })
}

const lei = 'HWUPKR0MPOU8FGXBT394'

test.each<[string, Record<string, unknown>, { name: string; location?: string; context?: string }]>([
  ['the name alone', {}, { name: 'Acme' }],
  [
    'places from the town to the country, in whatever order they come',
    { country: 'DE', region: 'BY', postal_code: '80331', city: 'Munich' },
    { name: 'Acme', location: 'Munich, 80331, BY, DE' },
  ],
  [
    'an address and several countries',
    { location: '1 High Street', country: ['DE', 'AT'] },
    { name: 'Acme', location: '1 High Street, DE, AT' },
  ],
  ['a postal code that is a number', { postal_code: 80331 }, { name: 'Acme', location: '80331' }],
  [
    'a country that was reconciled elsewhere by its name',
    { country: { id: 'Q183', name: 'Germany' } },
    { name: 'Acme', location: 'Germany' },
  ],
  ['an entity without a name by its id', { city: { id: 'Leeds' } }, { name: 'Acme', location: 'Leeds' }],
  ['blank values and truths not at all', { city: ' ', country: ['', true, false] }, { name: 'Acme' }],
  ['an LEI in any spelling', { lei: 'hwup kr0mpou8fgxbt394' }, { name: `Acme (LEI ${lei})` }],
  ['a CIK that is a number', { cik: 320193 }, { name: 'Acme (CIK 0000320193)' }],
  [
    'identifiers by their strength',
    { website: 'https://www.acme.example/about', ein: '94-2404110', lei },
    { name: `Acme (LEI ${lei}, EIN 942404110, website acme.example)` },
  ],
  ['no identifier that is none', { lei: 'n/a', cik: '-', ein: 'unknown' }, { name: 'Acme' }],
  ['no LEI of wrong check digits', { lei: 'HWUPKR0MPOU8FGXBT395' }, { name: 'Acme' }],
  ['a ticker with its exchange', { ticker: 'NASDAQ:AAPL' }, { name: 'Acme (ticker NASDAQ:AAPL)' }],
  [
    'a ticker whose exchange is beside it',
    { ticker: 'AAPL', exchange: 'Nasdaq' },
    { name: 'Acme (ticker NASDAQ:AAPL)' },
  ],
  [
    'a number of the register that is named, not of the country where the company is',
    { registration_id: '00445790', registration_country: 'United Kingdom', country: 'IE' },
    { name: 'Acme (company number GB 00445790)', location: 'IE' },
  ],
  [
    'a number without a register beside a name',
    { registration_id: '00445790', country: 'GB' },
    { name: 'Acme (company number 00445790)', location: 'GB' },
  ],
  [
    'what is no place and no identifier as context',
    { industry: 'Anvils', parent: { id: 'siq_1', name: 'Acme Group' } },
    { name: 'Acme', context: 'Anvils, Acme Group' },
  ],
])('a query asks as a row of a file would: %s', (_what, properties, expected) => {
  expect(with_(properties)).toEqual({
    kind: 'query',
    query: { location: null, context: null, ...expected },
  })
})

describe('a query without a text', () => {
  test.each<[Record<string, unknown>, string, string | null]>([
    [{ lei }, `LEI ${lei}`, null],
    [{ registration_id: '00445790', country: 'GB' }, 'company number GB 00445790', 'GB'],
    [{ registration_id: 'SC 095237' }, 'company number SC095237', null],
    [{ legal_name: 'Acme Limited', city: 'Leeds' }, 'Acme Limited', 'Leeds'],
    [{ display_name: 'Acme', lei }, `Acme (LEI ${lei})`, null],
  ])('%j asks %j', (properties, name, location) => {
    expect(with_(properties, null)).toMatchObject({ kind: 'query', query: { name, location } })
  })

  test.each<Record<string, unknown>>([{ city: 'Leeds' }, { lei: 'n/a' }, { lei: '' }])(
    '%j asks nothing',
    (properties) => {
      expect(with_(properties, null)).toEqual({ kind: 'invalid', reason: 'no company name' })
    },
  )
})

test('the id of a company asks for that company', () => {
  expect(with_({ city: 'Leeds' }, ' siq_abc ')).toEqual({ kind: 'company', id: 'siq_abc' })
  expect(with_({}, 'siq_ abc')).toMatchObject({ kind: 'query' })
})

test('where the identifiers make the name too long it is asked alone', () => {
  const name = 'A'.repeat(490)
  expect(with_({ lei }, name)).toMatchObject({ kind: 'query', query: { name } })
})
