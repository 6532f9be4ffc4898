import { describe, expect, test } from 'vitest'
import { resolution, type Resolution } from '../../../src/contract/result.js'
import { importSource } from '../../../src/registry/import/file-formats.js'
import { readLabelledNumber } from '../../../src/core/numbers/registry-suffix.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import { getSource, listSources, type RegisterSource } from '../../../src/registry/sources/source.js'
import { leiOf } from '../../support/made-identifiers.js'
import { textOf } from '../../support/publishers.js'
import { registryOf, writeContent, type Row } from '../../support/registry.js'

const ask = (registry: WritableRegistry, name: string): Resolution =>
  resolution.parse(registry.resolve({ name, location: null, context: null }))
const outcomeOf = ({ status, match_confidence, entity, candidate }: Resolution) => [
  status,
  match_confidence,
  entity?.legal_name ?? candidate?.legal_name ?? null,
]
const reasonOf = ({ factors }: Resolution) => factors[0]?.description

/** Weighted digits, as many registers compute a check digit; null if the remainder has no digit. */
const checkOf = (digits: string, weights: readonly number[]): string | null => {
  const sum = weights.reduce((total, weight, at) => total + weight * Number(digits[at]), 0)
  return sum % 11 === 1 ? null : String((11 - (sum % 11)) % 11)
}
const luhnOf = (digits: string): string => {
  const sum = digits
    .split('')
    .reverse()
    .reduce((total, digit, at) => {
      const value = at % 2 === 0 ? Number(digit) * 2 : Number(digit)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return String((10 - (sum % 10)) % 10)
}

interface Kind {
  readonly label: string
  readonly country: string
  /** The column of a list, or the number of a country. */
  readonly field: 'registration_id' | 'lei' | 'cik' | 'ein'
  /** The number of a company; null if none has this count. */
  readonly make: (count: number) => string | null
  readonly hasCheckDigits: boolean
}

const numbers = (from: number, make: (digits: string) => string | null) => (count: number) =>
  make(String(from + count * 7_919))
const kinds: readonly Kind[] = [
  { label: 'LEI', country: 'DE', field: 'lei', make: leiOf, hasCheckDigits: true },
  {
    label: 'CIK',
    country: 'US',
    field: 'cik',
    make: (count) => String(1_000_000 + count),
    hasCheckDigits: false,
  },
  {
    label: 'EIN',
    country: 'US',
    field: 'ein',
    make: numbers(120_000_000, (digits) => digits),
    hasCheckDigits: false,
  },
  {
    label: 'company number GB',
    country: 'GB',
    field: 'registration_id',
    make: numbers(10_000_000, (digits) => digits),
    hasCheckDigits: false,
  },
  {
    label: 'company number FR',
    country: 'FR',
    field: 'registration_id',
    make: numbers(55_203_253, (digits) => digits + luhnOf(digits)),
    hasCheckDigits: true,
  },
  {
    label: 'company number NO',
    country: 'NO',
    field: 'registration_id',
    make: numbers(92_360_901, (digits) => {
      const check = checkOf(digits, [3, 2, 7, 6, 5, 4, 3, 2])
      return check === null ? null : digits + check
    }),
    hasCheckDigits: true,
  },
  {
    label: 'company number SE',
    country: 'SE',
    field: 'registration_id',
    make: numbers(556_012_579, (digits) => digits + luhnOf(digits)),
    hasCheckDigits: true,
  },
  {
    label: 'company number BE',
    country: 'BE',
    field: 'registration_id',
    make: numbers(
      40_317_070,
      (digits) => `0${digits.slice(0, 7)}${String(97 - (Number(digits.slice(0, 7)) % 97)).padStart(2, '0')}`,
    ),
    hasCheckDigits: true,
  },
  {
    label: 'company number DE',
    country: 'DE',
    field: 'registration_id',
    make: (count) => `Kiel HRB ${10_000 + count}`,
    hasCheckDigits: false,
  },
]

const words = ['Larkmoor', 'Norvane', 'Velmora', 'Quillon', 'Brantfeld', 'Zorvex', 'Mivolar', 'Talquell']
const nameOf = (at: number) =>
  `${words[at % words.length] ?? ''} ${words[(at * 3 + 1) % words.length] ?? ''} ${at} Holdings`

function companiesOf(kind: Kind, count: number): { rows: Row[]; free: string[] } {
  const made = Array.from({ length: count * 3 }, (_, at) => kind.make(at)).filter((one) => one !== null)
  const rows = made.slice(0, count).map((value, at) => ({
    id: `c${at}`,
    name: nameOf(at),
    country: kind.country,
    ...(kind.field === 'registration_id' ? { jurisdiction: kind.country.toLowerCase() } : {}),
    [kind.field]: value,
  }))
  return { rows, free: made.slice(count) }
}

describe.each(kinds)('$label', (kind) => {
  const { rows, free } = companiesOf(kind, 30)
  const registry = registryOf(rows)
  const of = (row: Row) => row[kind.field] ?? ''
  const askFor = (row: Row, number: string) => ask(registry, `${row['name'] ?? ''} (${kind.label} ${number})`)

  test('its own number beside a name is certain', () => {
    for (const row of rows) expect(outcomeOf(askFor(row, of(row)))).toEqual(['matched', 99, row['name']])
  })

  test('the number of another company is doubtful, and the reason names both', () => {
    for (const [at, row] of rows.entries()) {
      const other = rows[(at + 1) % rows.length] ?? {}
      const answer = askFor(row, of(other))
      expect(outcomeOf(answer)).toEqual(['inconclusive', 50, other['name']])
      expect(reasonOf(answer)).toMatch(
        new RegExp(`is that of "${other['name'] ?? ''}"; .*"${row['name'] ?? ''}"`),
      )
    }
  })

  test('a number that no company has is doubtful, and the reason has the company’s own', () => {
    for (const [at, row] of rows.entries()) {
      const answer = askFor(row, free[at] ?? '')
      expect(outcomeOf(answer)).toEqual(['inconclusive', 50, row['name']])
      expect(reasonOf(answer)).toMatch(
        new RegExp(`^"${row['name'] ?? ''}" has ${kind.label.slice(0, 14)}.*, not `),
      )
    }
  })

  test.runIf(kind.hasCheckDigits)('wrong check digits of quite another number are doubtful', () => {
    for (const [at, row] of rows.entries()) {
      const other = of(rows[(at + 7) % rows.length] ?? {})
      const wrong = other.slice(0, -1) + String((Number(other.at(-1)) + 1) % 10)
      const answer = askFor(row, wrong)
      expect(outcomeOf(answer)).toEqual(['inconclusive', 50, row['name']])
      expect(reasonOf(answer)).toMatch(/which has wrong check digits/)
    }
  })

  test.runIf(kind.hasCheckDigits)(
    'a wrong check digit is a typing error: the name decides, and the reason says what is wrong',
    () => {
      for (const row of rows) {
        const own = of(row)
        const last = Number(own.at(-1))
        const answer = askFor(row, own.slice(0, -1) + String((last + 1) % 10))
        expect(outcomeOf(answer)).toEqual(outcomeOf(ask(registry, row['name'] ?? '')))
        expect(answer.factors.map(({ description }) => description).join()).toMatch(
          /wrong check digits|fails its checksum/,
        )
      }
    },
  )
})

describe('a number that cannot be compared says nothing', () => {
  test.each([
    ['the ABN of a trust', { jurisdiction: 'au', registration_id: '004 028 077' }, 'ABN 51824753556'],
    [
      'a tax number beside a number of a court',
      { jurisdiction: 'de', registration_id: 'HRB 501' },
      'company number DE 143/123/12345',
    ],
    [
      'a number of another state',
      { jurisdiction: 'us_de', registration_id: '152404' },
      'company number US-NY 333444',
    ],
    [
      'a number of the country beside that of a state',
      { jurisdiction: 'us_de', registration_id: '152404' },
      'company number US 333444',
    ],
    [
      'a number of another country',
      { jurisdiction: 'gb', registration_id: '01234567' },
      'company number FR 552100554',
    ],
    [
      'a number without its country of another length',
      { jurisdiction: 'gb', registration_id: '01234567' },
      'company number 4711',
    ],
    [
      'the number of a site in Belgium',
      { jurisdiction: 'be', registration_id: '0403.170.701' },
      'company number BE 2.002.345.660',
    ],
    [
      'the number of a site in Denmark',
      { jurisdiction: 'dk', registration_id: '22756214' },
      'company number DK 1003388394',
    ],
    [
      'a tax number beside a number of a court that begins with zeros',
      { jurisdiction: 'pl', registration_id: '0000123456' },
      'company number PL 5260001246',
    ],
    ['another BIC', { bic: 'LARKDEFFXXX' }, 'BIC NORVGB2L'],
    ['another symbol', { ticker: 'LRK' }, 'ticker NYSE:ZZZ'],
    ['another website', { website: 'https://larkmoor.com' }, 'website norvane.example.com'],
    [
      'an LEI, if no LEI of the company is known',
      { jurisdiction: 'gb', registration_id: '01234567' },
      `LEI ${leiOf(1)}`,
    ],
  ])('%s', (_, row: Row, stated) => {
    const registry = registryOf([{ id: 'a', name: 'Larkmoor Foods Limited', country: 'GB', ...row }])
    const answer = ask(registry, `Larkmoor Foods Limited (${stated})`)
    expect(outcomeOf(answer)).toEqual(outcomeOf(ask(registry, 'Larkmoor Foods Limited')))
    expect(answer.status).toBe('matched')
    expect(answer.factors.map(({ code }) => code)).toContain('identifier_not_found')
  })
})

describe('a row with several identifiers', () => {
  const own = { jurisdiction: 'gb', registration_id: '01234567', lei: leiOf(1) }
  const registry = registryOf([
    {
      id: 'a',
      name: 'Larkmoor Foods Limited',
      country: 'GB',
      ...own,
      former_names: 'Old Brindle Dairies Limited',
    },
    {
      id: 'b',
      name: 'Velmora Haulage Limited',
      country: 'GB',
      jurisdiction: 'gb',
      registration_id: '07654321',
    },
  ])
  test.each([
    ['both its own', `LEI ${leiOf(1)}, company number GB 01234567`, 'matched'],
    ['its own, and one of another company', `LEI ${leiOf(1)}, company number GB 07654321`, 'inconclusive'],
    [
      'its own, and one of another company without a country',
      `LEI ${leiOf(1)}, company number 07654321`,
      'inconclusive',
    ],
    ['its own, and one that no company has', `LEI ${leiOf(1)}, company number GB 02222222`, 'inconclusive'],
    [
      'its own, and one with wrong check digits, which decides nothing',
      `LEI ${leiOf(1).slice(0, 18)}00, company number GB 01234567`,
      'matched',
    ],
    ['its own, and one of a register that is not loaded', `LEI ${leiOf(1)}, CIK 4711`, 'matched'],
  ])('%s', (_, stated, status) => {
    for (const name of ['Larkmoor Foods Limited', 'Old Brindle Dairies Limited'])
      expect(outcomeOf(ask(registry, `${name} (${stated})`)).slice(0, 1)).toEqual([status])
  })
})

test('a company number with wrong check digits decides nothing beside an LEI that agrees', () => {
  const row = { jurisdiction: 'fr', registration_id: '552100554', lei: leiOf(1) }
  const registry = registryOf([{ id: 'a', name: 'Larkmoor Foods SA', country: 'FR', ...row }])
  const askWith = (stated: string) => ask(registry, `Larkmoor Foods SA (${stated})`).status
  expect(askWith('company number FR 542051181')).toBe('inconclusive')
  expect(askWith(`LEI ${leiOf(1)}, company number FR 542051181`)).toBe('matched')
  expect(askWith(`LEI ${leiOf(1)}, company number FR 552032534`)).toBe('inconclusive')
})

test('a symbol without its exchange that another company has is no conflict', () => {
  const registry = registryOf([
    { id: 'a', name: 'Larkmoor Foods Inc', country: 'US', ticker: 'LRK' },
    { id: 'b', name: 'Velmora Haulage Inc', country: 'US', ticker: 'VLM' },
  ])
  const answer = ask(registry, 'Larkmoor Foods Inc (ticker VLM)')
  expect(outcomeOf(answer)).toEqual(['matched', 90, 'Larkmoor Foods Inc'])
})

test('a number that is too long has no wrong check digits', () => {
  const registry = registryOf([{ id: 'a', name: 'Larkmoor Foods Inc', country: 'US', cik: '1000001' }])
  const answer = ask(registry, 'Larkmoor Foods Inc (CIK 10000010000)')
  expect(outcomeOf(answer)).toEqual(['inconclusive', 50, 'Larkmoor Foods Inc'])
  expect(reasonOf(answer)).toBe('"Larkmoor Foods Inc" has CIK 0001000001, not CIK 10000010000.')
})

/** Loads rows as the whole of a register. */
async function loadWhole(registry: WritableRegistry, source: RegisterSource, rows = 2): Promise<void> {
  const [path = '', ...morePaths] = source.sample.map((file) => writeContent(file.file, textOf(file)))
  await importSource(registry, { ...source, rows }, { path, morePaths, countries: null, isDelta: false })
}

describe('a number that its whole register lacks', () => {
  const stray = { id: 's', name: 'Mivolar Stray Holdings', country: 'GB' }
  const strayWith = async (source: RegisterSource, rows?: number) => {
    const registry = registryOf([stray])
    await loadWhole(registry, source, rows)
    return registry
  }

  test.each([
    ['companies-house', 'company number GB 03333333', 'company number GB 03333333'],
    ['norway', 'company number NO 974760673', 'company number NO 974760673'],
    ['france', 'SIREN 552100554', 'company number FR 552100554'],
    ['finland', 'company number FI 1234567-1', 'company number FI 1234567-1'],
    ['us-colorado', 'company number US-CO 20209999999', 'company number US-CO 20209999999'],
    ['japan', 'company number JP 7010401099999', 'company number JP 7010401099999'],
  ])('is doubtful: %s', async (id, stated, label) => {
    const answer = ask(await strayWith(getSource(id)), `Mivolar Stray Holdings (${stated})`)
    expect(outcomeOf(answer)).toEqual(['inconclusive', 50, 'Mivolar Stray Holdings'])
    expect(reasonOf(answer)).toBe(
      `No registration has ${label}, and the ${getSource(id).name} is loaded as a whole.`,
    )
  })

  test('says nothing if a sample or some countries of the register are loaded', async () => {
    const norway = getSource('norway')
    const stated = 'Mivolar Stray Holdings (company number NO 974760673)'
    expect(ask(await strayWith(norway, 1_500_000), stated).status).toBe('matched')
    const registry = registryOf([stray])
    const [path = ''] = norway.sample.map((file) => writeContent(file.file, textOf(file)))
    await importSource(registry, { ...norway, rows: 2 }, { path, countries: ['NO'], isDelta: false })
    expect(ask(registry, stated).status).toBe('matched')
  })

  test('says nothing if the number has another form or place', async () => {
    const registry = await strayWith(getSource('norway'))
    for (const stated of [
      'company number NO 12-34',
      'company number SE 556012-5790',
      'company number 974760673',
    ])
      expect(ask(registry, `Mivolar Stray Holdings (${stated})`).status).toBe('matched')
  })
})

test('the numbers in a sample have the form of those that their register gives', async () => {
  for (const source of listSources()) {
    const { allNumbers, id } = source
    if (allNumbers === undefined) continue
    const registry = openRegistry(':memory:')
    await loadWhole(registry, source)
    const stored = registry.database
      .prepare<[], string>(
        `SELECT value FROM identifiers WHERE type = '${id === 'gleif' ? 'lei' : id === 'sec' ? 'cik' : 'registration_id'}'
           AND position = 0`,
      )
      .pluck()
      .all()
    registry.close()
    expect([id, stored.length > 0]).toEqual([id, true])
    for (const value of stored)
      expect(`${id} ${value.replace(/[\s.\-/]/g, '')}`).toMatch(new RegExp(`^${id} ${allNumbers.slice(1)}`))
  }
})

test('a number agrees with any name that finds its company before all others', () => {
  const rows = [
    {
      id: '1',
      name: 'Studijní nadační fond Dr.Ing. Františka Munka a jeho rodiny',
      country: 'CZ',
      registration_id: '26463199',
    },
    { id: '2', name: 'Nadační fond Larkmoor', country: 'CZ', registration_id: '00006947' },
    { id: '3', name: 'Korvanax a.s.', country: 'CZ', registration_id: '25596641' },
  ] as unknown as Row[]
  const registry = registryOf(rows)
  const of = (name: string) => outcomeOf(ask(registry, `${name} (company number CZ 26463199)`))
  expect(of('Studijní nadační fond Munk')).toEqual(['matched', 99, rows[0]?.['name']])
  expect(of('Korvanax a.s.').slice(0, 2)).toEqual(['inconclusive', 50])
  registry.close()
})

/** Trades of companies by language, in the words and the order of their names. */
const trades: Readonly<Record<string, readonly ((name: string) => string)[]>> = {
  french: [
    (name) => `Menuiserie ${name} SARL`,
    (name) => `Transports ${name}`,
    (name) => `Plomberie Chauffage ${name}`,
    (name) => `Boulangerie Pâtisserie ${name} SARL`,
    (name) => `Travaux ${name} et Fils`,
  ],
  german: [
    (name) => `Schreinerei ${name} GmbH`,
    (name) => `${name} Bau GmbH`,
    (name) => `Elektro ${name} GmbH & Co. KG`,
    (name) => `${name} Handels GmbH`,
    (name) => `Zahnarztpraxis ${name}`,
    (name) => `Gartenbau ${name}`,
    (name) => `Bäckerei ${name} e.K.`,
  ],
  spanish: [
    (name) => `Ferretería ${name} SL`,
    (name) => `Comercial ${name} SA`,
    (name) => `Construcciones ${name} SL`,
    (name) => `Panadería ${name} e Hijos SL`,
  ],
  portuguese: [(name) => `Padaria ${name} Lda`, (name) => `${name} Transportes Lda`],
  italian: [
    (name) => `Falegnameria ${name} srl`,
    (name) => `Panificio ${name} snc`,
    (name) => `Carrozzeria ${name} srl`,
  ],
  dutch: [(name) => `Bouwbedrijf ${name} BV`, (name) => `Timmerwerken ${name} BV`],
  czech: [(name) => `${name} stavby s.r.o.`, (name) => `Truhlářství ${name} s.r.o.`],
  polish: [(name) => `Piekarnia ${name} sp. z o.o.`, (name) => `Usługi Transportowe ${name}`],
  slovenian: [(name) => `Mizarstvo ${name} d.o.o.`, (name) => `Tiskarna ${name} d.o.o.`],
  hungarian: [(name) => `${name} Asztalos Kft.`, (name) => `${name} Építőipari Kft.`],
  russian: [(name) => `ООО Торговля ${name}`, (name) => `ООО ${name} Строительство`],
  turkish: [(name) => `${name} İnşaat Ltd. Şti.`, (name) => `${name} Nakliyat A.Ş.`],
  finnish: [(name) => `Rakennus ${name} Oy`, (name) => `Leipomo ${name} Oy`],
  danish: [(name) => `Tømrerfirma ${name} ApS`, (name) => `${name} VVS ApS`],
  english: [(name) => `${name} Plumbing Ltd`, (name) => `${name} Bakery Ltd`, (name) => `Bank of ${name}`],
}

describe('names of one trade', () => {
  const coined = ['Benjelloun', 'Kervadec', 'Ostrovar', 'Tamrelli', 'Zubelin', 'Montavoy']
  const names = Object.values(trades)
    .flat()
    .map((write) => coined.map((name) => write(name)))
  const rows = names.map(([name = ''], at) => ({
    id: String(at),
    name,
    country: 'BE',
    lei: leiOf(at + 1),
  }))
  const registry = registryOf(rows)

  test('a company is not meant by the identifier of another one with its trade', () => {
    for (const [at, [own = '', ...others]] of names.entries())
      for (const name of others)
        expect([name, ...outcomeOf(ask(registry, `${name} (LEI ${leiOf(at + 1)})`))]).toEqual([
          name,
          'inconclusive',
          50,
          own,
        ])
  })

  test('a short name or another spelling is that of the company', () => {
    const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')
    for (const [at, [own = '']] of names.entries())
      for (const name of [
        own.toUpperCase(),
        plain(own),
        own.replace('Benjelloun', 'Benjeloun'),
        own.replace('Benjelloun', 'Ben-Jelloun'),
        own.split(' ').reverse().join(' '),
        ...(/Chauffage|Pâtisserie|Transportowe|Fils|Hijos/.test(own) ? [] : ['Benjelloun']),
        `Benjelloun ${own.replace('Benjelloun', '')}`,
      ]) {
        const [status, confidence, found] = outcomeOf(ask(registry, `${name} (LEI ${leiOf(at + 1)})`))
        expect([name, status, found, Number(confidence) >= 97]).toEqual([name, 'matched', own, true])
      }
  })
})

describe('a number behind the name, with the word of its register', () => {
  const companies = [
    ['sk', '31333338', '36421928', 'Larkmoor s.r.o.', ['IČO', 'IČO:', 'ICO', 'Reg. No.']],
    ['cz', '27082440', '25596641', 'Larkmoor s.r.o.', ['IČO', 'IČ:', 'Company No.']],
    ['fi', '0112038-9', '1927400-1', 'Larkmoor Oy', ['Y-tunnus', 'Y-tunnus:']],
    ['gb', '01234567', '07654321', 'Larkmoor Ltd', ['Company No.', 'Reg. No.', 'Company number']],
    ['fr', '552100554', '552032534', 'Larkmoor SAS', ['SIREN', 'SIREN:']],
  ] as const
  const cases = companies.flatMap(([jurisdiction, own, other, name, labels]) =>
    labels.flatMap((label) =>
      [`, ${label} `, ` ${label} `, ` (${label} `].map((before) => ({
        jurisdiction,
        own,
        other,
        name,
        before,
      })),
    ),
  )
  test.each(cases)('$name, $before in $jurisdiction', ({ jurisdiction, own, other, name, before }) => {
    const registry = registryOf([{ id: 'a', name, jurisdiction, registration_id: own }])
    const end = before.includes('(') ? ')' : ''
    const asked = ask(registry, `${name}${before}${own}${end}`)
    expect([asked.status, asked.entity?.legal_name]).toEqual(['matched', name])
    expect(ask(registry, `${name}${before}${other}${end}`).status).toBe('inconclusive')
  })

  test.each(['Larkmoor 12345', 'Larkmoor No. 12345', 'Hotel Larkmoor 52031', 'IČO 12345678'])(
    '%s is no name with a number',
    (text) => {
      expect(readLabelledNumber(text)).toBeNull()
    },
  )
})
