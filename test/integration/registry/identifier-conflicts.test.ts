import { describe, expect, test } from 'vitest'
import { resolution, type Resolution } from '../../../src/contract/result.js'
import { importSource } from '../../../src/registry/import/file-formats.js'
import { hasWrongCheckDigits } from '../../../src/core/numbers/national-numbers.js'
import { readLabelledNumber } from '../../../src/core/numbers/registry-suffix.js'
import { listNumbersInName } from '../../../src/registry/match/word-runs.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import { getSource, listSources, type RegisterSource } from '../../../src/registry/sources/source.js'
import { findReason } from '../../../src/pipeline/answers/answer-line.js'
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
const kinds: Kind[] = [
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

/** ISO 7064, MOD 11,10. */
const hybridOf = (digits: string): string => {
  const sum = digits.split('').reduce((before, digit) => (((before + Number(digit)) % 10 || 10) * 2) % 11, 10)
  return String((11 - sum) % 10)
}
kinds.push(
  {
    label: 'company number FI',
    country: 'FI',
    field: 'registration_id',
    make: numbers(2_200_465, (digits) => {
      const check = checkOf(digits, [7, 9, 10, 5, 8, 4, 2])
      return check === null ? null : `${digits}-${check}`
    }),
    hasCheckDigits: true,
  },
  {
    label: 'company number HR',
    country: 'HR',
    field: 'registration_id',
    make: numbers(2_775_956_062, (digits) => digits + hybridOf(digits)),
    hasCheckDigits: true,
  },
  {
    label: 'company number PL',
    country: 'PL',
    field: 'registration_id',
    make: numbers(526_025_099, (digits) => {
      const sum = [6, 5, 7, 2, 3, 4, 5, 6, 7].reduce(
        (all, weight, at) => all + weight * Number(digits[at]),
        0,
      )
      return sum % 11 === 10 ? null : digits + String(sum % 11)
    }),
    hasCheckDigits: true,
  },
  {
    label: 'company number IL',
    country: 'IL',
    field: 'registration_id',
    make: numbers(51_200_123, (digits) => digits + luhnOf(digits)),
    hasCheckDigits: true,
  },
)

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
  const { rows, free } = companiesOf(kind, 14)
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

describe.each(kinds.filter(({ hasCheckDigits }) => hasCheckDigits))('$label with an error', (kind) => {
  const { rows } = companiesOf(kind, 7)
  const registry = registryOf(rows)
  // The last two neighbours that differ: with others in front, a number may have the form of another kind.
  const swap = (number: string): string => number.replace(/(\d)(?!\1)(\d)(?=(?:(\d)\3*)?(?:-\d)?$)/, '$2$1')
  const close = (text: string) => text.replace(/[.\s-]/g, '')

  test('swapped digits and a wrong check digit: the reason of the match has the wrong number and the right one', () => {
    for (const row of rows) {
      const own = row[kind.field] ?? ''
      for (const number of [swap(own), own.slice(0, -1) + String((Number(own.at(-1)) + 1) % 10)]) {
        // Luhn does not tell 09 from 90.
        const isRight = kind.field !== 'lei' && !hasWrongCheckDigits(kind.country.toLowerCase(), number)
        if (isRight) continue
        const answer = ask(registry, `${row['name'] ?? ''} (${kind.label} ${number})`)
        const reason = findReason(answer.factors, answer.status) ?? ''
        const said = [own, number].map((one) => close(reason).includes(close(one)))
        expect([number, answer.status, ...said]).toEqual([number, 'matched', true, true])
        expect(reason).toContain('wrong check digits')
      }
    }
  })
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

  test.each([
    'Larkmoor 12345',
    'Larkmoor No. 12345',
    'Hotel Larkmoor 52031',
    'No. 12345678',
    'Fatima Larkmoor CIN: BE112233',
    'Fatima Larkmoor (CIN 01234567)',
  ])('%s is no name with a number of a company', (text) => {
    expect(readLabelledNumber(text)).toBeNull()
    if (text.includes('CIN')) expect(listNumbersInName(text)).toEqual([])
  })

  test.each([
    ['Larkmoor & Sons Nig Ltd (RC35111)', 'NG', 'Larkmoor & Sons Nig Ltd', '35111', 'NG'],
    ['Larkmoor & Sons Nig Ltd RC 35111', 'NG', 'Larkmoor & Sons Nig Ltd', '35111', 'NG'],
    ['Larkmoor & Sons Nig Ltd, RC: 35111', '', 'Larkmoor & Sons Nig Ltd', '35111', null],
    ['RC 35111', 'NG', null, '35111', 'NG'],
    ['شناسه ملی ۱۰۱۵۴۳۳۰۱۲۳', '', null, '10154330123', 'IR'],
    ['Larkmoor GmbH HRB12345', '', 'Larkmoor GmbH', 'HRB 12345', 'DE'],
    ['NIT 900123456-1', '', null, '900123456-1', 'CO'],
    ['KVK12345678', '', null, '12345678', 'NL'],
    ['Larkmoor, company no. GB 12345678', '', 'Larkmoor', '12345678', null],
    ['Larkmoor, IČO: SK 31333338', '', 'Larkmoor', '31333338', null],
    ['Larkmoor Energy Belgium SA BE0403170701', '', 'Larkmoor Energy Belgium SA', '0403.170.701', 'BE'],
  ])('%s in %j has a number with its label', (text, country, name, value, place) => {
    const read = readLabelledNumber(text, () => new Set([country]))
    expect(read).toEqual({ name, identifiers: [{ kind: 'registration_id', value, place }] })
  })
})

describe('a number in the cell of a name, with or without a label, in front or behind', () => {
  const lines = [
    `lv; 40003123453; 40003987659; Larkmoor SIA; reģ.nr.|Reģ. Nr.|reg. nr.|vienotais reģ. Nr.|vienotais reģistrācijas nr.|Reģistrācijas numurs|reģ. numurs|PVN reģ. nr. LV`,
    `lt; 302345678; 303456789; Larkmoor UAB; įm. kodas|įmonės kodas|Įm.k.|juridinio asmens kodas|J.a.k.|im. kodas`,
    `ee; 10234561; 11234563; Larkmoor OÜ; rg-kood|rg kood|reg-kood|reg. kood|Reg.nr.|registrikood|registrikood:`,
    `sk; 31333338; 36421928; Larkmoor s.r.o.; IČO|IČO:|ICO|ičo`,
    `cz; 27082440; 25596641; Larkmoor s.r.o.; IČO|IČO:|DIČ CZ|DIČ: CZ`,
    `hr; 27759560625; 12345678903; Larkmoor d.o.o.; OIB|OIB:|MBS|MBS:`,
    `rs; 07726716; 17726717; Larkmoor d.o.o.; MB:|mat. br.|Mat.br.|matični broj|МБ:`,
    `si; 1234567; 5043611; Larkmoor d.o.o.; matična št.|mat. št.|matična številka`,
    `it; 02500480245; 00484960588; Larkmoor srl; P.IVA|P. IVA|P.IVA:|Partita IVA|C.F.|Cod. Fisc.|C.F. e P.IVA|P.I.`,
    `de; München HRB 6684; Berlin HRB 7755; Larkmoor GmbH; Amtsgericht|AG|Handelsregister|HR`,
    `pl; 0000123456; 0000654321; Larkmoor sp. z o.o.; KRS|KRS:|nr KRS|KRS nr|NIP|REGON`,
    `ro; 18547290; 14399840; Larkmoor SRL; CUI|CUI:|C.U.I.|CIF|CIF:|CUI RO|cod fiscal|cod unic`,
    `es; A28015865; B95780375; Larkmoor SL; CIF|CIF:|C.I.F.|NIF|NIF:|N.I.F.`,
    `co; 8600681825; 8909039388; Larkmoor SAS; NIT|NIT:|Nit.|N.I.T.`,
    `pe; 20100070970; 20331898008; Larkmoor SAC; RUC|RUC:|R.U.C.|RUC N°|RUC Nro.`,
    `ec; 1790010937001; 0990017514001; Larkmoor SA; RUC|RUC:`,
    `cl; 93.834.000-5; 76.129.263-3; Larkmoor SpA; RUT|RUT:|R.U.T.|Rol Único Tributario`,
    `br; 33.000.167/0001-01; 60.746.948/0001-12; Larkmoor Ltda; CNPJ|CNPJ:|CNPJ nº|CNPJ/MF`,
    `ar; 30-67332056-9; 30-54724233-1; Larkmoor SA; CUIT|CUIT:|C.U.I.T.`,
    `mx; BSC940905F38; LEM170208SB6; Larkmoor SA de CV; RFC|RFC:|R.F.C.`,
    `tr; 1234567890; 2345678901; Larkmoor A.Ş.; VKN|VKN:|Vergi No|Vergi No:|MERSİS No`,
    `fi; 0112038-9; 1927400-1; Larkmoor Oy; Y-tunnus|Y-tunnus:|y-tunnus|FO-nummer|Ytunnus|Business ID`,
    `se; 556012-5790; 556016-0680; Larkmoor AB; org.nr|org.nr.|Org. nr:|orgnr|organisationsnummer|Org.-nr`,
    `no; 923609016; 982463718; Larkmoor AS; org.nr.|orgnr|Org. nr.|org nr|organisasjonsnr.|foretaksnr`,
    `dk; 61056416; 24256790; Larkmoor ApS; CVR|CVR-nr.|CVR nr|cvr-nummer|CVR.nr.`,
    `nl; 33031431; 17001910; Larkmoor BV; KvK|KvK-nr.|KVK nummer|K.v.K.`,
    `be; 0417.497.106; 0403.170.701; Larkmoor BV; KBO|BCE|BTW|BTW BE|TVA BE|ondernemingsnr.|Ondernemingsnummer|N° entreprise|RPR`,
    `fr; 552100554; 552032534; Larkmoor SAS; SIREN|RCS|Siren :|SIRET`,
    `hu; 01-09-562739; 01-10-041585; Larkmoor Kft.; Cg.|cégjegyzékszám|Cégjegyzékszám:|Cg:`,
    `bg; 121644736; 831902088; Larkmoor EOOD; ЕИК|ЕИК:|EIK|БУЛСТАТ`,
    `ua; 30965655; 00131305; ТОВ Ларкмур; ЄДРПОУ|код ЄДРПОУ|ЄДРПОУ:`,
    `ru; 1027700132195; 1027700092661; ООО Ларкмур; ОГРН|ОГРН:|ИНН`,
    `gr; 000237901000; 121546901000; Larkmoor AE; ΓΕΜΗ|ΑΡ. ΓΕΜΗ|Γ.Ε.ΜΗ.|ΑΦΜ|ΑΡ.ΓΕΜΗ`,
    `pt; 500697256; 502011475; Larkmoor Lda; NIPC|NIF|NIPC:|Contribuinte n.º`,
    `gb; 01234567; 07654321; Larkmoor Ltd; Company No.|Co. No.|Reg. No.|CRN|Reg No|Registered in England No.`,
    `ie; 412345; 512345; Larkmoor Ltd; CRO|CRO No.|Reg. No.|Company no.`,
    `at; 123456a; 234567b; Larkmoor GmbH; FN|FN:|Firmenbuch|Firmenbuchnummer|FN-Nr.`,
    `ch; CHE-105.909.036; CHE-101.654.423; Larkmoor AG; UID|UID:|IDE`,
    `cn; 91110000100001234K; 91310000100005678X; 拉克摩有限公司; 统一社会信用代码|统一社会信用代码：|信用代码`,
    `kr; 124-81-00998; 220-81-62517; 주식회사 라크무어; 사업자등록번호|사업자번호:`,
    `jp; 1010001034730; 7010001008844; 株式会社ラークムーア; 法人番号|法人番号：`,
    `vn; 0100109106; 0300588569; Công ty TNHH Larkmoor; MST|MST:|Mã số thuế|mã số thuế:|MSDN`,
    `id; 9120001234567; 8120101234567; PT Larkmoor; NIB|NIB:`,
    `za; 2001/012345/07; 1999/023456/06; Larkmoor (Pty) Ltd; Reg. No.|Reg No:|Registration No`,
    `au; 004 028 077; 008 672 179; Larkmoor Pty Ltd; ACN|A.C.N.|ACN:|ABN`,
    `my; 201901000005; 202001000006; Larkmoor Sdn Bhd; SSM No.|Co. No.|Company No.`,
    `sg; 200312345A; 201412345B; Larkmoor Pte Ltd; UEN|UEN:|UEN No.|ROC No.`,
  ]
  const companies = lines.map((line) => {
    const [country = '', own = '', other = '', name = '', labels = ''] = line.split('; ')
    const registry = registryOf([
      { id: 'a', name, jurisdiction: country, registration_id: own },
      { id: 'b', name: 'Quellmark Norvane', jurisdiction: country, registration_id: other },
    ])
    return { country, own, other, name, labels: labels.split('|'), registry }
  })
  const writeAround = (name: string, number: string, label: string) => {
    const isOfTax = / (?:LV|CZ|RO|BE)$/.test(label)
    const labelled = isOfTax ? label + number.replaceAll('.', '') : `${label} ${number}`
    return [
      `${name}, ${labelled}`,
      `${name} ${labelled}`,
      `${name} (${labelled})`,
      `${labelled} ${name}`,
      `${labelled}, ${name}`,
      `${name}, ${labelled}, Zubelin 5`,
    ]
  }
  const findsNumber = ({ factors }: Resolution) => factors.some(({ code }) => code === 'identifier_match')

  test.each(companies)('$country: $labels', ({ own, other, name, labels, registry }) => {
    for (const label of labels) {
      for (const text of writeAround(name, own, label)) {
        const answer = ask(registry, text)
        expect([text, answer.status, answer.entity?.legal_name, findsNumber(answer)]).toEqual([
          text,
          'matched',
          name,
          true,
        ])
      }
      for (const text of writeAround(name, other, label))
        expect([text, ask(registry, text).status]).toEqual([text, 'inconclusive'])
    }
  })

  test.each(companies)('$country: without a label', ({ country, own, other, name, registry }) => {
    for (const text of [`${name} ${own}`, `${own} ${name}`, `${name} (${own})`, `${name}, ${own}`])
      expect([text, ...outcomeOf(ask(registry, text))]).toEqual([text, 'matched', 99, name])
    // Without check digits, a short number may be another one by chance.
    const isLong = other.replace(/[^A-Za-z\d]/g, '').length >= 10
    const wasFound = isLong || !['lt', 'rs', 'si', 'nl', 'gb', 'ie', 'at'].includes(country)
    for (const text of [`${name} ${other}`, `${other} ${name}`, `${name} (${other})`])
      expect([text, ask(registry, text).status]).toEqual([text, wasFound ? 'inconclusive' : 'matched'])
  })

  test('is no other company if the number is a part of its name, or of none', () => {
    const registry = registryOf([
      { id: 'a', name: '1234567 Larkmoor Inc.', jurisdiction: 'ca', registration_id: '765432-1' },
      { id: 'b', name: 'Quellmark Inc.', jurisdiction: 'ca', registration_id: '123456-7' },
      { id: 'c', name: 'Norvane 40003123453 SIA', jurisdiction: 'lv', registration_id: '40003987659' },
      { id: 'd', name: 'Ostrovar SIA', jurisdiction: 'lv', registration_id: '40003123453' },
    ])
    for (const [text, name] of [
      ['1234567 Larkmoor Inc.', '1234567 Larkmoor Inc.'],
      ['Norvane 40003123453 SIA', 'Norvane 40003123453 SIA'],
      ['Quellmark Inc. 40003999999', 'Quellmark Inc.'],
      ['Quellmark Inc., tel. 07700 900123', 'Quellmark Inc.'],
      ['Ostrovar SIA, PESEL 40003987659', 'Ostrovar SIA'],
    ] as const)
      expect([text, ask(registry, text).entity?.legal_name]).toEqual([text, name])
  })

  test('of another country than the row says nothing without a label', () => {
    const registry = registryOf([
      {
        id: 'a',
        name: 'Larkmoor ApS',
        city: 'Odense',
        country: 'DK',
        jurisdiction: 'dk',
        registration_id: '24256790',
      },
      {
        id: 'b',
        name: 'Quellmark SIA',
        city: 'Riga',
        country: 'LV',
        jurisdiction: 'lv',
        registration_id: '40003987659',
      },
    ])
    const answer = registry.resolve({ name: 'Larkmoor ApS 40003987659', location: 'Denmark', context: null })
    expect(resolution.parse(answer).entity?.legal_name).toBe('Larkmoor ApS')
  })
})

describe('a number of another register than that of companies, in the cell of a name', () => {
  const registry = registryOf([
    { id: 'a', name: 'Larkmoor Foods Inc', jurisdiction: 'ph', registration_id: '1177' },
    { id: 'b', name: 'Quellmark Norvane Corporation', jurisdiction: 'ph', registration_id: '34001' },
  ])

  test.each([
    'DTI No.',
    'DTI Reg. No.',
    'DTI',
    'CDA Reg. No.',
    'CDA Registration No',
    'Business Name No.',
    'RBN',
  ])('is not compared with those of companies: %s', (label) => {
    for (const name of [
      `Larkmoor Foods Inc, ${label} 34001`,
      `Larkmoor Foods Inc (${label} 34002)`,
      `${label}: 34001 Larkmoor Foods Inc`,
    ])
      expect([name, ask(registry, name).entity?.legal_name]).toEqual([name, 'Larkmoor Foods Inc'])
  })
})

describe('a number with a country that the list or the register does not state', () => {
  const numbers = [
    ['sk', '31333338', 'Larkmoor s.r.o.'],
    ['cz', '27082440', 'Larkmoor s.r.o.'],
    ['fi', '0112038-9', 'Larkmoor Oy'],
    ['lv', '40003123453', 'Larkmoor SIA'],
    ['it', '02500480245', 'Larkmoor srl'],
    ['no', '923609016', 'Larkmoor AS'],
    ['fr', '552032534', 'Larkmoor SAS'],
    ['ro', '18547290', 'Larkmoor SRL'],
    ['br', '33.000.167/0001-01', 'Larkmoor Ltda'],
  ] as const

  test.each(numbers)('with a wrong digit is a typing error: %s', (jurisdiction, number, name) => {
    const registry = registryOf([{ id: 'a', name, jurisdiction, registration_id: number }])
    const last = Number(number.at(-1))
    const typed = `${number.slice(0, -1)}${(last + 3) % 10}`
    for (const country of ['', `${jurisdiction.toUpperCase()} `]) {
      const text = `${name} (company number ${country}${typed})`
      expect([text, ...outcomeOf(ask(registry, text)).slice(0, 1)]).toEqual([text, 'matched'])
    }
  })

  test.each(numbers)('is sure by its check digits: %s', (jurisdiction, number, name) => {
    const registry = registryOf([{ id: 'a', name, registration_id: number }])
    const asked = `company number ${jurisdiction.toUpperCase()} ${number}`
    expect(outcomeOf(ask(registry, asked))).toEqual(['matched', 99, name])
  })
})

describe('a MERSIS number and the tax number that it contains', () => {
  const rows = [
    {
      id: 'a',
      name: 'Larkmoor Gıda Limited Şirketi',
      jurisdiction: 'tr',
      registration_id: '0959030651800001',
    },
    {
      id: 'b',
      name: 'Quellmark Tekstil Anonim Şirketi',
      jurisdiction: 'tr',
      registration_id: '0551982145400001',
    },
  ]
  const outcomeOfNumber = (name: string, number: string) => {
    const context = `company number TR ${number}`
    const answer = registryOf(rows).resolve({ name, location: 'Türkiye', context })
    return [resolution.parse(answer).status, resolution.parse(answer).entity?.legal_name]
  }

  test.each(['9590306518', '0959030651800001', '0959-0306-5180-0001', '0959030651800015'])(
    'find the company: %s',
    (number) => {
      for (const name of ['Larkmoor Gıda Limited Şirketi', 'Larkmoor Gıda Ltd. Şti.'])
        expect([name, ...outcomeOfNumber(name, number)]).toEqual([
          name,
          'matched',
          'Larkmoor Gıda Limited Şirketi',
        ])
    },
  )

  test('contradict another company', () => {
    for (const number of ['5519821454', '0551982145400002'])
      expect(outcomeOfNumber('Larkmoor Gıda Ltd. Şti.', number)[0]).toBe('inconclusive')
  })
})
