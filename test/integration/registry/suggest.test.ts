import { beforeAll, describe, expect, test } from 'vitest'
import { openRegistry, type Registry } from '../../../src/registry/registry.js'
import { addRows, sampleRows } from '../../support/registry.js'

let registry: Registry
beforeAll(() => {
  const open = openRegistry(':memory:')
  addRows(open, [
    ...sampleRows,
    { id: 'larkmoor-old', name: 'Larkmoor Foods Limited', status: 'inactive', country: 'GB' },
    { id: 'larkmoor', name: 'Larkmoor Holdings plc', country: 'GB', former_names: 'Larkbury Limited' },
    { id: 'larkmoor-lei', name: 'Larkmoor Marine Limited', country: 'GB', lei: '213800WAVVOPS85N2205' },
    { id: 'larkmoor-listed', name: 'Larkmoor Zinc plc', country: 'GB', ticker: 'LZN' },
    { id: 'lark', name: 'Lark', country: 'GB' },
    ...Array.from({ length: 400 }, (_, at) => ({
      id: `s${at}`,
      name: `Series ${at} Holdings`,
      country: 'GB',
    })),
  ])
  registry = open
})

const suggested = (prefix: string, countMax = 10) =>
  registry.suggest(prefix, countMax).map(({ id, name }) => [registry.entity(id)?.record.legal_name, name])
const names = (prefix: string) => suggested(prefix).map(([legalName]) => legalName)

describe('names that begin so', () => {
  test('that very name first, then those that stand, keep the name, are listed, have an LEI, by the alphabet', () => {
    expect(names('Lark')).toEqual([
      'Lark',
      'Larkmoor Zinc plc',
      'Larkmoor Marine Limited',
      'Larkmoor Holdings plc',
      'Larkmoor Foods Limited',
    ])
  })

  test('are read without case, spaces, points and marks, with the legal form', () => {
    for (const prefix of ['acme w', 'ACME-W', 'Acme  Widgets', 'ácme wid'])
      expect(names(prefix)).toEqual(['Acme Widgets Limited', 'Acme Widgets LLP'])
    expect(names('acme widgets ll')).toEqual(['Acme Widgets LLP'])
    expect(names('international business m')).toEqual(['International Business Machines Corporation'])
  })

  test('are shown if they are not the registered one', () => {
    expect(suggested('Big B')).toEqual([['International Business Machines Corporation', 'Big Blue']])
    expect(suggested('Larkb')).toEqual([['Larkmoor Holdings plc', 'Larkbury Limited']])
  })

  test('a company is listed once, by its current name', () => {
    expect(suggested('Toyota')).toHaveLength(1)
  })

  test('are as many as asked for', () => {
    expect(suggested('Series', 7)).toHaveLength(7)
    expect(suggested('Series', 1_000)).toHaveLength(300)
  })

  test.each(['', '   ', '!!!', 'zzz', '\u0000', '%', 'Lark_', "'; DROP TABLE names; --"])(
    'are none for %j',
    (prefix) => {
      expect(names(prefix).filter((name) => !name?.startsWith('Lark'))).toEqual([])
    },
  )
})

describe('what names a company outright', () => {
  test.each(['VGRQXHF3J8VDLUA7XE92', 'LEI VGRQXHF3J8VDLUA7XE92', 'CIK 51143', 'https://www.ibm.com'])(
    '%s: its bearer',
    (prefix) => {
      expect(suggested(prefix)).toEqual([['International Business Machines Corporation', null]])
    },
  )

  test('its id, and no other', () => {
    const id = registry.resolve({ name: 'LEI VGRQXHF3J8VDLUA7XE92', location: null, context: null }).entity
      ?.id
    expect(suggested(` ${id} `)).toEqual([['International Business Machines Corporation', null]])
    expect(suggested('siq_nobody')).toEqual([])
  })
})
