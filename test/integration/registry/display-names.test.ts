import { expect, test } from 'vitest'
import { openRegistry } from '../../../src/registry/registry.js'
import { importContent, subTable, tickersJson } from '../../support/register-files.js'
import { registryOf } from '../../support/registry.js'

const shownNames = (rows: Parameters<typeof registryOf>[0], name: string) => {
  const registry = registryOf(rows)
  const query = { name, location: null, context: null }
  return {
    answered: registry.resolve(query).entity?.display_name,
    found: registry.search({ name, limit: 1 }).hits[0]?.name,
    candidate: registry.candidates(query, 1)[0]?.name,
  }
}

test.each([
  ['capitals get small letters', 'ZORVEX QUILLON GMBH', '', 'Zorvex Quillon GmbH'],
  [
    'another name with small letters is shown',
    'ZORVEX QUILLON INC',
    'Zorvex Quillon, Inc.',
    'Zorvex Quillon, Inc.',
  ],
  ['its capitals within a word are kept', 'ZORVEXQUILLON AG', 'ZorvexQuillon A.G.', 'ZorvexQuillon A.G.'],
  ['a name that a program wrote is not', 'ZVX QUILLON PLC', 'Zvx Quillon Plc.', 'ZVX Quillon plc'],
  ['with a form in small letters neither', 'ZVX QUILLON PLC', 'Zvx Quillon, plc', 'ZVX Quillon plc'],
  ['with a form in capitals neither', 'ZORVEX QUILLON INC', 'Zorvex Quillon, INC', 'Zorvex Quillon Inc'],
  ['initials are shown', 'BAYERISCHE MOTOREN WERKE AG', 'BMW', 'BMW'],
  ['those that are no word too', 'OMNIA TELOS EREVNA SA', 'OTE', 'OTE'],
  ['French initials that are a word are not', 'MINOTERIE OUED NFIFIKH', 'MON', 'Minoterie Oued Nfifikh'],
  ['English ones neither', 'CABLAGE AUTO DU NORD', 'CAN', 'Cablage Auto du Nord'],
  ['Spanish ones neither', 'MOTORES AUTOS RECAMBIOS SA', 'MAR', 'Motores Autos Recambios SA'],
  ['German ones neither', 'WERKZEUG INDUSTRIE RHEIN GMBH', 'WIR', 'Werkzeug Industrie Rhein GmbH'],
  ['a word in capitals is kept', 'ZORVEX QUILLON PLC', 'ZORVEX Quillon, PLC', 'ZORVEX Quillon, PLC'],
  [
    'a registered name with small letters stays',
    'ZORVEX Quillon Inc',
    'Zorvex Quillon Inc.',
    'ZORVEX Quillon Inc',
  ],
])('%s: %s', (_rule, name, aliases, shown) => {
  const names = shownNames([{ id: 'a', name, other_names: aliases }], name)
  expect(names).toEqual({ answered: shown, found: shown, candidate: shown })
})

test.each([
  ['ZorvexQuillon Corp', 'ZorvexQuillon Corp'],
  ['Zvx Corp', 'ZVX Corp'],
])('the spelling of another source that differs only in case: %s is shown as %s', async (other, shown) => {
  const registry = openRegistry(':memory:')
  const filing = { cik: '1', name: other.toUpperCase(), filed: '20260101', countryba: 'US' }
  await importContent(registry, 'sec-tickers', tickersJson([[1, filing.name, 'ZQX', 'NYSE']]))
  await importContent(registry, 'sec-sub', subTable([{ ...filing, name: other }]))
  const { entity, basis } = registry.resolve({ name: other, location: null, context: null })
  expect(entity).toMatchObject({ legal_name: filing.name, display_name: shown })
  expect(basis.find(({ field }) => field === 'display_name')?.citations[0]?.excerpt).toContain(shown)
})

test('a former name in small letters is not shown', () => {
  const names = shownNames(
    [{ id: 'a', name: 'ZORVEX QUILLON INC', former_names: 'ZorvexQuillon Inc' }],
    'Zorvex Quillon',
  )
  expect(names.answered).toBe('Zorvex Quillon Inc')
})

test('the name of a parent is shown in the same way, and its citation has both names', () => {
  const registry = registryOf([
    { id: 'parent', name: 'ZORVEX MOTOR CORP/', cik: '1' },
    { id: 'child', name: 'Larkmoor Quillon Limited', parent_id: 'parent' },
  ])
  const { entity, basis } = registry.resolve({ name: 'Larkmoor Quillon Ltd', location: null, context: null })
  expect(entity?.parent_entity).toEqual({ name: 'Zorvex Motor Corp' })
  expect(basis.find(({ field }) => field === 'parent_entity.name')?.citations[0]?.excerpt).toContain(
    'parent Zorvex Motor Corp, from ZORVEX MOTOR CORP/',
  )
})
