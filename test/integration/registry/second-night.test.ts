import { describe, expect, it, test } from 'vitest'
import type { Resolution } from '../../../src/contract/result.js'
import type { FormatName } from '../../../src/registry/import/file-formats.js'
import { importCsvText } from '../../../src/registry/import/import-csv.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import {
  companyData,
  importContent,
  lei,
  levelOneCsv,
  levelOneJson,
  registrationsOf,
  subTable,
  tickersJson,
} from '../../support/register-files.js'
import { csvOf } from '../../support/registry.js'

/** A company as a night's file has it; of those left out the file says nothing. */
interface Night {
  readonly renamed?: string
  /** A former name of the renamed company. */
  readonly former?: string
  readonly moved?: string
  readonly dissolved?: 'active' | 'dissolved'
  readonly removed?: string
}

interface Register {
  /** What a night's file holds. */
  readonly contentOf: (night: Night, day: string) => string | readonly string[]
  readonly format: FormatName | 'csv'
  /** Whether a company can leave the file, and whether the file states a status. */
  readonly hasRemovals: boolean
  readonly hasStatus: boolean
}

const ids = { renamed: lei.ford, moved: lei.ball, dissolved: lei.aecom, removed: lei.hershey } as const
const ciks = { renamed: '37996', moved: '9389', dissolved: '868857', removed: '47111' } as const
const numbers = {
  renamed: '00445790',
  moved: '00102498',
  dissolved: '01234567',
  removed: 'SC001111',
} as const
const kinds = ['renamed', 'moved', 'dissolved', 'removed'] as const

/** Names that share no word, so that none can stand in for another. */
const names = { moved: 'Quillfeather Bearings Limited', dissolved: 'Osprey Lantern Limited' } as const
const removedName = 'Tamarind Hollow Limited'
const [nameA, nameB, nameC] = [
  'Brackenmoor Foundry Limited',
  'Zephyrine Alloys Limited',
  'Wyvern Castings plc',
]

function rowsOf(
  night: Night,
): { kind: (typeof kinds)[number]; name: string; former: string; city: string; status: string }[] {
  const nameOf = { ...names, renamed: night.renamed, removed: night.removed }
  return kinds.flatMap((kind) => {
    const name = nameOf[kind]
    if (name === undefined) return []
    const city = kind === 'moved' ? (night.moved ?? 'Leeds') : 'York'
    const status = kind === 'dissolved' ? (night.dissolved ?? 'active') : 'active'
    return [{ kind, name, former: kind === 'renamed' ? (night.former ?? '') : '', city, status }]
  })
}

const levelOneRows = (night: Night) =>
  rowsOf(night).map(({ kind, name, former, city, status }) => ({
    LEI: ids[kind],
    'Entity.LegalName': name,
    'Entity.OtherEntityNames.OtherEntityName.1': former,
    'Entity.OtherEntityNames.OtherEntityName.1.type': former === '' ? '' : 'PREVIOUS_LEGAL_NAME',
    'Entity.HeadquartersAddress.City': city,
    'Entity.HeadquartersAddress.Country': 'GB',
    'Entity.LegalJurisdiction': 'GB',
    'Entity.EntityStatus': status === 'active' ? 'ACTIVE' : 'INACTIVE',
  }))

const registers: Readonly<Record<string, Register>> = {
  'gleif as CSV': {
    format: 'gleif',
    contentOf: (night) => levelOneCsv(levelOneRows(night)),
    hasRemovals: true,
    hasStatus: true,
  },
  'gleif as JSON': {
    format: 'gleif',
    contentOf: (night) => levelOneJson(levelOneRows(night)),
    hasRemovals: true,
    hasStatus: true,
  },
  'sec-tickers': {
    format: 'sec-tickers',
    contentOf: (night) =>
      tickersJson(
        rowsOf(night).map(({ kind, name }) => [Number(ciks[kind]), name, kind.toUpperCase(), 'NYSE']),
      ),
    hasRemovals: true,
    hasStatus: false,
  },
  'sec-sub': {
    format: 'sec-sub',
    contentOf: (night, day) =>
      subTable(
        rowsOf(night).map(({ kind, name, former, city }) => ({
          cik: ciks[kind],
          name,
          former,
          cityba: city,
          countryba: 'GB',
          filed: day.replaceAll('-', ''),
        })),
      ),
    hasRemovals: false,
    hasStatus: false,
  },
  'sec-submissions': {
    format: 'sec-submissions',
    // A file a registrant.
    contentOf: (night) =>
      rowsOf(night).map(({ kind, name, former, city }) =>
        JSON.stringify({
          cik: ciks[kind],
          entityType: 'operating',
          name,
          tickers: [],
          addresses: { business: { city, stateOrCountry: 'X0' } },
          formerNames: former === '' ? [] : [{ name: former }],
        }),
      ),
    hasRemovals: false,
    hasStatus: false,
  },
  'companies-house': {
    format: 'companies-house',
    contentOf: (night) =>
      companyData(
        rowsOf(night).map(({ kind, name, former, city, status }) => ({
          CompanyName: name.toUpperCase(),
          'PreviousName_1.CompanyName': former.toUpperCase(),
          CompanyNumber: numbers[kind],
          'RegAddress.PostTown': city,
          CompanyStatus: status === 'active' ? 'Active' : 'Dissolved',
        })),
      ),
    hasRemovals: true,
    hasStatus: true,
  },
  csv: {
    format: 'csv',
    contentOf: (night) =>
      csvOf(
        rowsOf(night).map(({ kind, name, former, city, status }) => ({
          id: kind,
          name,
          former_names: former,
          city,
          country: 'GB',
          status,
        })),
      ),
    hasRemovals: true,
    hasStatus: true,
  },
}

const nights: readonly [day: string, night: Night][] = [
  ['2026-03-01', { renamed: nameA, moved: 'Leeds', dissolved: 'active', removed: removedName }],
  ['2026-04-01', { renamed: nameB, moved: 'Hull', dissolved: 'dissolved' }],
  ['2026-05-01', { renamed: nameC, moved: 'Hull', dissolved: 'dissolved' }],
]

async function importNight(registry: WritableRegistry, register: Register, index: number) {
  const [day, night] = nights[index] ?? ['', {}]
  return importDay(registry, register, night, day)
}

/** Imports what the register publishes on a day, and counts the companies that it renames. */
async function importDay(
  registry: WritableRegistry,
  { format, contentOf }: Register,
  night: Night,
  day: string,
): Promise<{ renamedCount: number }> {
  let renamedCount = 0
  for (const content of [contentOf(night, day)].flat()) {
    const file = { fileName: 'register.csv', dateMs: Date.parse(day) }
    const result = await importContent(registry, format, content, file)
    renamedCount += result.renamedCount
  }
  return { renamedCount }
}

async function registryOf(register: Register, order: readonly number[]): Promise<WritableRegistry> {
  const registry = openRegistry(':memory:')
  for (const index of order) await importNight(registry, register, index)
  return registry
}

const list = [nameA, names.moved, names.dissolved, removedName]
const resolveAll = (registry: WritableRegistry, asked: readonly string[] = list): Resolution[] =>
  asked.map((name) => registry.resolve({ name, location: null, context: null }))
const idsOf = (answers: readonly Resolution[]) => answers.map(({ entity }) => entity?.id ?? null)
const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const

describe.each(Object.entries(registers))('the second night: %s', (_, register) => {
  const { hasRemovals, hasStatus } = register
  let expected: Promise<unknown> | undefined

  it('every row still leads to the company that it led to, with the status it now has', async () => {
    const registry = await registryOf(register, [0])
    const before = resolveAll(registry)
    expect(before.map(({ status }) => status)).toEqual(list.map(() => 'matched'))

    expect(await importNight(registry, register, 1)).toMatchObject({ renamedCount: 1 })
    const after = resolveAll(registry)
    expect(idsOf(after)).toEqual(idsOf(before))
    const [renamed, moved, dissolved, removed] = after
    expect(renamed?.entity?.legal_name?.toLowerCase()).toBe(nameB.toLowerCase())
    expect(JSON.stringify(renamed?.factors)).toMatch(/former name of [^.]+ since 2026-04-01 \(/)
    expect(JSON.stringify(renamed?.basis)).toMatch(/is a former name since 2026-04-01/)
    expect(moved?.entity?.headquarters.address.city ?? 'Hull').toBe('Hull')
    if (hasStatus) expect(dissolved?.entity?.status).toBe('inactive')
    if (hasRemovals) {
      expect(removed?.entity?.status).toBeNull()
      expect(JSON.stringify(removed?.factors)).toMatch(
        /no longer names the registration; an earlier one of 2026-03-01 did/,
      )
    }
    const records = before.map(({ entity }) => (entity ? registry.entity(entity.id) : null))
    expect(records.map((found) => found?.record.id)).toEqual(idsOf(before))
    expect(resolveAll(registry, [nameB])[0]?.status).toBe('matched')
  })

  test.each(orders)('the nights in the order %i, %i, %i come to the same registry', async (...order) => {
    const registry = await registryOf(register, order)
    expected ??= registryOf(register, [0, 1, 2]).then((inOrder) => registrationsOf(inOrder, 'all'))
    expect(registrationsOf(registry, 'all')).toEqual(await expected)
    const answers = resolveAll(registry, [...list, nameB, nameC])
    expect(new Set(idsOf([answers[0]!, answers[4]!, answers[5]!]))).toHaveProperty('size', 1)
    const held = Object.values(registrationsOf(registry, 'all')) as { names: string[] }[]
    const chain = held.find(({ names: all }) => all[0]?.toLowerCase() === `legal: ${nameC}`.toLowerCase())
    expect(chain?.names.map((name) => name.toLowerCase())).toEqual(
      [`legal: ${nameC}`, `former: ${nameB} (2026-05-01)`, `former: ${nameA} (2026-04-01)`].map((name) =>
        name.toLowerCase(),
      ),
    )
  })

  it('a name that comes back is the name again, and not a former one', async () => {
    const registry = await registryOf(register, [0, 1])
    await importDay(registry, register, nights[0]?.[1] ?? {}, '2026-06-01')
    const held = Object.values(registrationsOf(registry, 'all')) as { names: string[] }[]
    const back = held.find(({ names: all }) => all[0]?.toLowerCase() === `legal: ${nameA}`.toLowerCase())
    expect(back?.names.map((name) => name.toLowerCase())).toEqual([
      `legal: ${nameA}`.toLowerCase(),
      `former: ${nameB} (2026-06-01)`.toLowerCase(),
    ])
  })
})

/** Registers that list former names, and show only the last one. */
const listing = Object.entries(registers).filter(([format]) => format !== 'sec-tickers')
const oldest = 'Larkmoor Turbines Limited'
const chainNights = [
  ['2026-03-01', { renamed: nameA, former: oldest }],
  ['2026-04-01', { renamed: nameB, former: nameA }],
  ['2026-05-01', { renamed: nameB }],
] as const

describe.each(listing)('a former name that the register lists no more: %s', (_, register) => {
  test.each(orders)('finds the company after the files %i, %i, %i', async (...order) => {
    const registry = openRegistry(':memory:')
    for (const index of order) {
      const [day, night] = chainNights[index]
      await importDay(registry, register, night, day)
    }
    const answers = resolveAll(registry, [nameB, nameA, oldest])
    expect(answers.map(({ status }) => status)).toEqual(['matched', 'matched', 'matched'])
    expect(new Set(idsOf(answers)).size).toBe(1)
    expect(JSON.stringify(answers[2]?.factors)).toMatch(/former name of/)
    const held = Object.values(registrationsOf(registry, 'all')) as { names: string[] }[]
    const former = held.flatMap(({ names: all }) => all.filter((name) => name.startsWith('former: ')))
    const undated = former.map((name) => name.replace(/ \(.*/, '').toLowerCase())
    expect(undated.sort()).toEqual(
      [`former: ${nameA}`, `former: ${oldest}`].map((name) => name.toLowerCase()),
    )
    // The day on which a register dropped a name is not the day on which it ended.
    expect(former.find((name) => name.toLowerCase().includes(oldest.toLowerCase()))).not.toMatch(/\(/)
  })

  test.each([0, 1])('finds it although another list has the company, imported at %i', async (at) => {
    const registry = openRegistry(':memory:')
    const other = csvOf([{ id: lei.ford, name: nameB, country: 'GB' }])
    for (const index of [0, 1]) {
      if (index === at)
        await importContent(registry, 'csv', other, { fileName: 'others.csv', idType: 'lei', dateMs: 0 })
      await importDay(registry, register, chainNights[index]?.[1] ?? {}, chainNights[index]?.[0] ?? '')
    }
    expect(resolveAll(registry, [oldest])[0]).toMatchObject({ status: 'matched' })
  })
})

describe('a company that its register no longer lists', () => {
  const name = 'Tamarind Hollow Limited'
  const houseRow = (number: string, companyName: string) => ({
    CompanyName: companyName.toUpperCase(),
    CompanyNumber: number,
    'RegAddress.PostTown': 'York',
    CompanyStatus: 'Active',
  })
  const withIt = companyData([houseRow('00000001', name), houseRow('00000002', names.moved)])
  const withoutIt = companyData([houseRow('00000002', names.moved)])
  const others = companyData([houseRow('00000003', names.dissolved)])
  const importHouse = (registry: WritableRegistry, content: string, day: string, sourceName?: string) =>
    importContent(registry, 'companies-house', content, {
      dateMs: Date.parse(day),
      ...(sourceName === undefined ? {} : { sourceName }),
    })
  const listLeft = (registry: WritableRegistry) => {
    const [answer] = resolveAll(registry, [name])
    const left = answer?.factors.filter(({ code }) => code === 'left_register') ?? []
    return { status: answer?.status, left: left.map(({ description }) => description) }
  }
  const sentence = (source: string, day: string) =>
    `The newest file of ${source} no longer names the registration; an earlier one of ${day} did.`

  test('is matched with that reason, until a file lists it again', async () => {
    const registry = openRegistry(':memory:')
    await importHouse(registry, withIt, '2026-03-01')
    expect(listLeft(registry)).toEqual({ status: 'matched', left: [] })
    await importHouse(registry, withoutIt, '2026-04-01')
    const left = [sentence('companies-house', '2026-03-01')]
    expect(listLeft(registry)).toEqual({ status: 'matched', left })
    await importHouse(registry, others, '2026-05-01')
    expect(listLeft(registry)).toEqual({ status: 'matched', left })
    await importHouse(registry, withIt.replace('York', 'Leeds'), '2026-06-01')
    expect(listLeft(registry)).toEqual({ status: 'matched', left: [] })
  })

  test('is told so although another register lists it', async () => {
    const registry = openRegistry(':memory:')
    const filing = { cik: '47111', name, cityba: 'YORK', countryba: 'X0', filed: '20260301' }
    await importContent(registry, 'sec-sub', subTable([filing]))
    const day = (text: string) => ({ dateMs: Date.parse(text) })
    await importContent(
      registry,
      'sec-tickers',
      tickersJson([[47111, name, 'TAM', 'NYSE']]),
      day('2026-03-01'),
    )
    expect(listLeft(registry)).toEqual({ status: 'matched', left: [] })
    await importContent(
      registry,
      'sec-tickers',
      tickersJson([[1, 'Osprey Inc', 'OSP', 'NYSE']]),
      day('2026-04-01'),
    )
    expect(listLeft(registry)).toEqual({
      status: 'matched',
      left: [sentence('sec-tickers', '2026-03-01')],
    })
    await importContent(
      registry,
      'sec-tickers',
      tickersJson([[47111, name, 'TAM', 'NYSE']]),
      day('2026-05-01'),
    )
    expect(listLeft(registry)).toEqual({ status: 'matched', left: [] })
  })

  test('is told so although another register listed it after it had left', async () => {
    const registry = openRegistry(':memory:')
    const day = (text: string) => ({ dateMs: Date.parse(text) })
    const record = (id: string, legalName: string) =>
      levelOneCsv([{ LEI: id, 'Entity.LegalName': legalName, 'Entity.HeadquartersAddress.Country': 'GB' }])
    await importContent(registry, 'gleif', record(lei.hershey, name), day('2026-03-01'))
    await importContent(registry, 'gleif', record(lei.ball, names.moved), day('2026-04-01'))
    const rows = csvOf([{ lei: lei.hershey, name, city: 'York', country: 'GB' }])
    importCsvText(registry, Buffer.from(rows), {
      fileName: 'own.csv',
      fileDateMs: Date.parse('2026-05-01'),
      idType: 'lei',
      map: { id: 'lei', name: 'name', city: 'city', country: 'country' },
    })
    expect(listLeft(registry)).toEqual({ status: 'matched', left: [sentence('gleif', '2026-03-01')] })
  })

  test('and the part of a register that it moved to decides, once all parts are as new', async () => {
    const registry = openRegistry(':memory:')
    const [one, two] = ['companies-house part 1', 'companies-house part 2']
    await importHouse(registry, withIt, '2026-03-01', one)
    await importHouse(registry, others, '2026-03-01', two)
    await importHouse(registry, withoutIt, '2026-04-01', one)
    expect(listLeft(registry).left).toEqual([])
    await importHouse(registry, companyData([houseRow('00000001', name)]), '2026-04-01', two)
    expect(listLeft(registry).left).toEqual([])
    await importHouse(registry, others, '2026-05-01', two)
    expect(listLeft(registry).left).toEqual([])
    await importHouse(registry, withoutIt.replace('York', 'Leeds'), '2026-05-01', one)
    expect(listLeft(registry).left).toEqual([sentence(two, '2026-04-01')])
  })

  test('is not said of a register in which it only has another name', async () => {
    const registry = openRegistry(':memory:')
    await importHouse(registry, withIt, '2026-03-01')
    const renamed = companyData([houseRow('00000001', 'Tamarind Meadow Limited')])
    await importHouse(registry, renamed, '2026-04-01')
    expect(listLeft(registry)).toEqual({ status: 'matched', left: [] })
  })
})

describe('a trade name that a newer file lacks', () => {
  const nights: readonly (readonly [day: string, trade: string])[] = [
    ['2026-03-01', 'Zephyrine'],
    ['2026-04-01', 'Wyvern Castings'],
    ['2026-05-01', 'Wyvern Castings'],
  ]
  const importNight = (registry: WritableRegistry, [day, trade]: (typeof nights)[number]) =>
    importCsvText(
      registry,
      Buffer.from(`number,name,trade,country\n00000001,Brackenmoor Foundry SA,${trade},TN\n`),
      {
        fileName: 'trade.csv',
        fileDateMs: Date.parse(day),
        idType: 'registration_id',
        map: { id: 'number', name: 'name', other_names: 'trade', country: 'country' },
      },
    )

  test.each([
    ['in order', nights],
    ['in the reverse order', nights.toReversed()],
  ])('is a former name: files %s', (_order, files) => {
    const registry = openRegistry(':memory:')
    for (const night of files) importNight(registry, night)
    const asked = ['Zephyrine', 'Wyvern Castings'].map((name) =>
      registry.resolve({ name, location: 'Tunisia', context: null }),
    )
    expect(asked.map((answer) => /former name/i.test(JSON.stringify(answer)))).toEqual([true, false])
    expect(asked[0]?.entity?.id).toBe(asked[1]?.entity?.id)
  })
})
