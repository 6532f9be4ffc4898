import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { findCountryCodes } from '../../../src/core/countries.js'
import type { WritableRegistry } from '../../../src/registry/registry.js'
import { openShippedRegistry } from '../../../src/registry/read-registry.js'
import { registryOf } from '../../support/registry.js'
import { forAll } from '../../support/properties.js'

const heads = 'Quentlow Marbeck Tavistry Ondrell Pelgrave Harvane Sotwick Brindo Calvix Derwane'.split(' ')
const tails = 'Frames Hinges Castings Widgets Foods Textiles Optics Marine Timber Tools'.split(' ')

/** British companies with different names. */
function createRegistry(count: number): WritableRegistry {
  return registryOf(
    Array.from({ length: count }, (_, at) => ({
      id: `c${at}`,
      name: `${heads[at % 10] ?? ''} ${tails[Math.floor(at / 10)] ?? ''} Limited`,
      city: 'Leeds',
      country: 'GB',
      jurisdiction: 'gb',
    })),
  )
}

const sizes = [1, 2, 5, 20, 50]
const registries = new Map(sizes.map((size) => [size, createRegistry(size)]))

describe('a number that each office of a country gives', () => {
  const held = (country: string, region: string) =>
    registryOf([
      { id: 'a', name: 'Quentlow Frames', region, country, jurisdiction: country, registration_id: '12345' },
    ])

  test.each([
    ['EG', 'أسيوط', 'الإسكندرية، مصر'],
    ['MA', 'Marrakech', 'Tanger, Maroc'],
    ['LB', 'Mount Lebanon', 'بيروت'],
    ['IR', 'Fārs', 'Tehrān, Iran'],
  ])('%s: is sure in %s, and doubted in %s', (country, region, other) => {
    const ask = (location: string) =>
      held(country, region).resolve({
        name: `Quentlow Frames (company number ${country} 12345)`,
        location,
        context: null,
      })
    expect(ask(`${region}, ${country}`).match_confidence).toBeGreaterThanOrEqual(95)
    const named = held(country, region).resolve({ name: 'Quentlow Frames', location: other, context: null })
    expect(named.match_confidence).toBeLessThan(90)
    const doubted = ask(other)
    expect(doubted.match_confidence).toBeLessThan(80)
    expect(doubted.factors.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['identifier_unplaced', 'location_mismatch']),
    )
  })
})

describe('a registry of few companies', () => {
  const countries = 'Sweden Schweden Suède Швеция スウェーデン SE SWE 752 France Deutschland US'.split(' ')
  const forms = ['Limited', 'Ltd', 'LTD.', '']
  const towns = ['', 'Stockholm, ', 'Main Street 1, Uppsala, ']

  it('is never sure of a name in another country', () => {
    forAll(
      100,
      [
        fc.constantFrom(...sizes),
        fc.constantFrom(...countries),
        fc.constantFrom(...forms),
        fc.constantFrom(...towns),
        fc.constantFrom(...heads),
      ],
      (size, country, form, town, head) => {
        expect(findCountryCodes(country)).not.toEqual([])
        const answer = registries
          .get(size)
          ?.resolve({ name: `${head} Frames ${form}`.trim(), location: `${town}${country}`, context: null })
        expect(answer?.match_confidence).toBeLessThan(80)
      },
    )
  })

  test.each(sizes)('of %i is sure of a name in its country, or without a place', (size) => {
    for (const location of ['Leeds', 'Leeds, UK', 'Großbritannien', 'Royaume-Uni', null]) {
      const answer = registries
        .get(size)
        ?.resolve({ name: 'Quentlow Frames Limited', location, context: null })
      expect(answer?.match_confidence, String(location)).toBeGreaterThanOrEqual(95)
    }
  })

  test.each(['Leeds, Elbonia', 'Elbonia', 'Stockholm, Elbonia'])(
    'is not sure in an unknown country: %s',
    (location) => {
      const answer = registries.get(2)?.resolve({ name: 'Quentlow Frames Limited', location, context: null })
      expect(answer?.match_confidence).toBeLessThan(95)
    },
  )

  it('says so for each candidate', () => {
    const [first] =
      registries
        .get(2)
        ?.candidates(
          { name: 'Quentlow Frames Limited', location: 'Stockholm, Schweden', context: null },
          3,
        ) ?? []
    expect(first?.evidence.map(({ label }) => label)).toContain('size of the registry')
  })
})

/** Words that names of many companies begin with, by country. */
const beginnings: Readonly<Record<string, string>> = {
  HR: 'Hrvatska Hrvatski Zagrebačka Splitska Nova Prva Međunarodna Sjeverna',
  CZ: 'Česká Pražská První Severní',
  PL: 'Polskie Warszawska Krajowa Nowa',
  RU: 'Российская Московская Новая Уральский',
  GR: 'Ελληνική Αθηναϊκή Πρώτη',
  HU: 'Magyar Első Új',
  FI: 'Suomen Pohjois Uusi',
  LT: 'Lietuvos Vilniaus Nauja',
  SE: 'Svenska Stockholms Norra Nya',
  DE: 'Deutsche Berliner Süddeutsche Allgemeine',
  NL: 'Nederlandse Nieuwe Rotterdamse',
  FR: 'Française Parisienne Nouvelle',
  IT: 'Italiana Milanese Nuova',
  BR: 'Brasileira Paulista Primeira',
  TR: 'Türk Anadolu Yeni',
  ID: 'Indonesia Nusantara Baru',
  IN: 'Indian Bharat Gujarat',
  KE: 'Kenya Nairobi East',
  EG: 'Misr Cairo Egyptian',
  JP: 'Nippon Tokyo Kansai',
}

test.each(Object.entries(beginnings))('%s: one word of many names is no company', (country, words) => {
  const towns: Readonly<Record<string, string>> = { Splitska: 'Split' }
  words.split(' ').forEach((word, at) => {
    const registry = registryOf([
      {
        id: 'a',
        name: `${word} ${heads[at] ?? ''}`,
        city: towns[word] ?? '',
        country,
        jurisdiction: country.toLowerCase(),
      },
    ])
    const ask = (name: string) => registry.resolve({ name, location: country, context: null })
    expect(ask(word).match_confidence, word).toBeLessThan(60)
    expect(ask(`${word} ${heads[at] ?? ''}`).match_confidence, word).toBeGreaterThanOrEqual(90)
  })
})

test('the town in a former name is no listed company, and its own name is', () => {
  const ask = (name: string) => openShippedRegistry().resolve({ name, location: null, context: null })
  expect(ask('Tokyo').match_confidence).toBeLessThan(60)
  expect(ask('Toyota').match_confidence).toBeGreaterThanOrEqual(80)
})

describe('the demo registry', () => {
  const shipped = openShippedRegistry()

  test.each([
    ['First National Bank', 'USA'],
    ['First National Bank', null],
    ['National Bank', 'USA'],
  ])('is not sure which %s is meant (%s)', (name, location) => {
    expect(shipped.resolve({ name, location, context: null }).match_confidence).toBeLessThan(80)
  })

  test.each([
    ['Apple', 'Cupertino', 'Apple Inc.'],
    ['Apple Inc.', 'Vereinigte Staaten', 'Apple Inc.'],
    ['FACEBOOK INC', 'Menlo Park', 'Meta Platforms, Inc.'],
    ['Bank of America', null, 'Bank of America Corporation'],
    ['Siemens AG', 'München, Allemagne', 'Siemens Aktiengesellschaft'],
  ])('still finds %s (%s)', (name, location, legalName) => {
    const { status, entity } = shipped.resolve({ name, location, context: null })
    expect([status, entity?.legal_name]).toEqual(['matched', legalName])
  })
})

describe('a parent and its finance company', () => {
  const registry = registryOf([
    {
      id: 'parent',
      name: 'Interval Bolt Makers Corp',
      country: 'US',
      city: 'Armonk',
      ticker: 'IBMX',
      exchange: 'NYSE',
    },
    { id: 'arm', name: 'IBM Credit LLC', country: 'US', city: 'Armonk' },
  ])

  it('the parent comes first for the initials', () => {
    const [first, second] = registry.candidates({ name: 'IBM', location: null, context: null }, 3)
    expect([first?.legalName, second?.legalName]).toEqual(['Interval Bolt Makers Corp', 'IBM Credit LLC'])
  })
})

describe('names that begin with what the company does', () => {
  test.each([
    [
      'MK',
      'Скопје',
      'Друштво за производство, трговија и услуги # ДОО увоз-извоз Скопје',
      'ВЕЛМОРА',
      'ЛАРКМУР',
    ],
    ['RS', 'Beograd', 'Preduzeće za proizvodnju, trgovinu i usluge # d.o.o. Beograd', 'Velmora', 'Larkmoor'],
    ['HR', 'Zagreb', '# d.o.o. za proizvodnju, trgovinu i usluge', 'Velmora', 'Larkmoor'],
    ['TR', 'İstanbul', '# İnşaat Sanayi ve Ticaret Limited Şirketi', 'Velmora', 'Larkmoor'],
    ['RU', 'Москва', 'Общество с ограниченной ответственностью Торговый дом #', 'ВЕЛМОРА', 'ЛАРКМУР'],
  ])('of %s: another company of the trade is no answer', (country, city, pattern, held, asked) => {
    const registry = registryOf([{ id: 'a', name: pattern.replace('#', held), city, country }])
    const ask = (own: string) =>
      registry.resolve({ name: pattern.replace('#', own), location: `${city}, ${country}`, context: null })
    expect([ask(held).status, ask(asked).status]).toEqual(['matched', 'no_match'])
  })
})

describe('a town around the name chooses between companies of one name', () => {
  const pairs = [
    ['BE', 'Quentlow Bouw NV', 'Gent', 'Antwerpen'],
    ['DE', 'Quentlow Elektro GmbH', 'Köln', 'München'],
    ['GB', 'Quentlow Supplies Ltd', 'Leeds', 'Bristol'],
    ['ES', 'Panadería Quentlow SL', 'Sevilla', 'Las Palmas'],
    ['PL', 'Quentlow Budownictwo sp. z o.o.', 'Łódź', 'Kraków'],
    ['BR', 'Quentlow Alimentos Ltda', 'Belo Horizonte', 'Recife'],
    ['GR', 'Κουεντλο Μεταφορές ΑΕ', 'Πάτρα', 'Βόλος'],
  ] as const
  const writings = ['{name} ({town})', '{name}, {town}', '{name} - {town}', '{name} {town}'] as const

  test.each(pairs)('%s: %s in %s or %s', (country, name, one, other) => {
    const registry = registryOf([one, other].map((city) => ({ id: city, name, city, country })))
    const ask = (text: string) => registry.resolve({ name: text, location: null, context: null })
    for (const writing of writings)
      for (const town of [one, other]) {
        const text = writing.replace('{name}', name).replace('{town}', town)
        const { status, entity } = ask(text)
        expect({ text, status, town: entity?.headquarters.address.city }).toEqual({
          text,
          status: 'matched',
          town,
        })
      }
    expect(ask(name).status).toBe('inconclusive')
    expect(ask(`${name}, Quebec`).status).not.toBe('matched')
  })
})

describe('letters that an encoding has lost', () => {
  const names = [
    ['FR', 'Société Quentlowé Générale SA'],
    ['FI', 'Länsi-Quentlowän Säästöpankki Oy'],
    ['CZ', 'Pekařství Quěntlow a.s.'],
    ['PL', 'Spółdzielnia Quentłowska'],
    ['ES', 'Compañía Eléctrica Quentlów SA'],
  ] as const
  const signs = ['?', '??', '\ufffd', '¿', '□']

  test.each(names)('%s: %s is found by its other letters, however they are written', (country, name) => {
    const registry = registryOf([
      { id: 'a', name, country },
      { id: 'b', name: 'Tavistry Ondrell Foods', country },
    ])
    for (const sign of signs) {
      const text = name.replace(/[^\p{ASCII}]/gu, sign)
      const { status, entity, candidate } = registry.resolve({ name: text, location: country, context: null })
      expect({ text, status }).toEqual({ text, status: expect.stringMatching(/match/) as string })
      expect({ text, name: entity?.legal_name ?? candidate?.legal_name }).toEqual({ text, name })
      expect({ text, isRefused: status === 'no_match' }).toEqual({ text, isRefused: false })
    }
  })
})

describe('several names begin with the words of a text', () => {
  test.each([
    ['MY', 'Sdn Bhd', 'Sdn. Bhd.'],
    ['DE', 'GmbH', 'Gesellschaft mit beschränkter Haftung'],
    ['RO', 'SRL', 'S.R.L.'],
    ['GB', 'Ltd', 'Limited'],
    ['PL', 'sp. z o.o.', 'Sp. z o.o.'],
  ])('%s: with its form too, none of them is the answer', (country, form, held) => {
    const registry = registryOf(
      ['Trading', 'Industries', 'Products'].map((trade) => ({
        id: trade,
        name: `Quentlow Marbeck ${trade} ${held}`,
        country,
      })),
    )
    for (const name of [`Quentlow Marbeck ${form}`, `Quentlow ${form}`])
      expect(registry.resolve({ name, location: country, context: null }).status).not.toBe('matched')
  })

  test('a name with another letter is not the answer next to one that begins with the very words', () => {
    const registry = registryOf([
      { id: 'a', name: 'Quentlo Logistic SRL', city: 'Oradea', country: 'RO' },
      { id: 'b', name: 'Quentlow Logistic Park SRL', city: 'Oradea', country: 'RO' },
    ])
    for (const name of ['Quentlow Logistic SRL', 'Quentlo Logistic Park SRL'])
      expect(registry.resolve({ name, location: 'Oradea, RO', context: null }).status).toBe('inconclusive')
    for (const name of ['Quentlo Logistic SRL', 'Quentlow Logistic Park SRL'])
      expect(registry.resolve({ name, location: 'Oradea, RO', context: null }).status).toBe('matched')
  })

  test.each([
    ['Johor Bahru', 'JB', 'MY', 'Sdn Bhd'],
    ['Kuala Lumpur', 'KL', 'MY', 'Sdn Bhd'],
    ['New York', 'NY', 'US', 'Inc'],
    ['Cape Town', 'CT', 'ZA', '(Pty) Ltd'],
  ])(
    'the one with the initials of the stated town, %s, is meant as well',
    (city, initials, country, form) => {
      const registry = registryOf([
        { id: 'a', name: `Quentlow Marbeck ${form}`, city: 'Quelling', country },
        { id: 'b', name: `Quentlow Marbeck (${initials}) ${form}`, city, country },
      ])
      const { status } = registry.resolve({
        name: `Quentlow Marbeck ${form}`,
        location: `${city}, ${country}`,
        context: null,
      })
      expect(status).toBe('inconclusive')
    },
  )
})

test.each([
  [
    'MY',
    'Quentlow Precision (M) Sdn Bhd',
    'Quentlow Precision (Malaysia) Sdn. Bhd.',
    'Quentlow Precision Co. Ltd.',
  ],
  [
    'SG',
    'Quentlow Precision (S) Pte Ltd',
    'Quentlow Precision (Singapore) Pte. Ltd.',
    'Quentlow Precision Pte. Ltd.',
  ],
  [
    'IN',
    'Quentlow Precision (I) Pvt Ltd',
    'Quentlow Precision (India) Private Limited',
    'Quentlow Precision LLP',
  ],
  ['KE', 'Quentlow Precision (K) Ltd', 'Quentlow Precision (Kenya) Limited', 'Quentlow Precision Limited'],
])('%s: letters in brackets are those of the country: %s', (country, written, held, other) => {
  for (const [asked, name] of [
    [written, held],
    [held, written],
  ] as const) {
    const registry = registryOf([
      { id: 'a', name, country },
      { id: 'b', name: other, country },
    ])
    const { status, entity } = registry.resolve({ name: asked, location: country, context: null })
    expect({ asked, status, name: entity?.legal_name }).toEqual({ asked, status: 'matched', name })
  }
})

test.each(['a/l', 'a/p', 's/o', 'd/o', 'binti'])(
  'a person with %s is no business of another name',
  (mark) => {
    const registry = registryOf([
      { id: 'a', name: 'Tan Quentlow Enterprise', city: 'Seremban', country: 'MY' },
      { id: 'b', name: `Siti ${mark} Marbeck Enterprise`, city: 'Seremban', country: 'MY' },
    ])
    const ask = (name: string) => registry.resolve({ name, location: 'Seremban, MY', context: null }).status
    expect(ask(`Tan Quentlow ${mark} Tavistry`)).not.toBe('matched')
    expect(ask(`Siti ${mark} Marbeck Enterprise`)).toBe('matched')
  },
)

test('a company in another town is unsure next to one in the stated town whose name begins so', () => {
  const rows = [
    { id: 'a', name: 'Quentlow Alb SRL', city: 'Iasi', country: 'RO' },
    { id: 'b', name: 'Quentlow Alb Prodcom SRL', city: 'Bacau', country: 'RO' },
  ]
  const ask = (held: typeof rows, city: string) =>
    registryOf(held).resolve({ name: 'Quentlow Alb SRL', location: `${city}, RO`, context: null })
  expect(ask(rows, 'Bacau').match_confidence).toBeLessThan(80)
  expect(ask(rows, 'Iasi')).toMatchObject({ status: 'matched' })
  expect(ask(rows.slice(0, 1), 'Bacau')).toMatchObject({ status: 'matched' })
})

describe('what lists shorten in the names of a country', () => {
  test.each([
    [
      'HU',
      'Pécs',
      'Quentlow Kereskedelmi és Szolgáltató Kft.',
      'Quentlow Ker. és Szolg. Kft|Quentlow Keresk. Szolg. Kft.',
    ],
    [
      'IT',
      'Bari',
      'Fratelli Quentlow Costruzioni S.r.l.',
      'F.lli Quentlow Costruzioni srl|F.LLI QUENTLOW COSTRUZIONI|Flli Quentlow Costruzioni',
    ],
    [
      'PL',
      'Kielce',
      'Przedsiębiorstwo Handlowe Quentlow sp. z o.o.',
      'PHU Quentlow|P.H. Quentlow Sp. z o.o.|PPHU "Quentlow"',
    ],
    ['CZ', 'Brno', 'Výrobní družstvo Quentlow', 'VD Quentlow|V.D. Quentlow'],
    [
      'BE',
      'Gent',
      'Van den Quentlow Bouw BV',
      'V.d. Quentlow Bouw BV|v/d Quentlow Bouw|Van d. Quentlow Bouw',
    ],
    ['NL', 'Breda', 'Van der Quentlow Transport B.V.', 'v.d. Quentlow Transport|v/d Quentlow Transport BV'],
    ['SK', 'Nitra', 'Poľnohospodárske družstvo Quentlow', 'PD Quentlow'],
    ['RO', 'Iași', 'Quentlow Prod Serv SRL', 'Quentlow SRL|Quentlow Prodserv SRL'],
    ['FR', 'Lyon', 'Etablissements Quentlow SARL', 'Ets Quentlow|Éts. Quentlow SARL|Etb Quentlow'],
  ])('%s, %s: %s', (country, city, held, written) => {
    const registry = registryOf([
      { id: 'a', name: held, city, country },
      { id: 'b', name: held.replace('Quentlow', 'Tavistry'), city, country },
    ])
    const ask = (name: string) => registry.resolve({ name, location: `${city}, ${country}`, context: null })
    for (const name of written.split('|')) {
      const { status, entity } = ask(name)
      expect({ name, status, held: entity?.legal_name }).toEqual({ name, status: 'matched', held })
      expect(ask(name.replace(/quentlow/i, 'Marbeck')).status).not.toBe('matched')
    }
  })
})

describe('words for a company in front of a name with its form', () => {
  const heads = [
    ['RO', 'SRL', 'S.C.|SC|S. C.|Societatea|Societatea Comercială|Firma|Compania'],
    ['MD', 'SRL', 'S.C.|SC|Societatea'],
    ['CL', 'Ltda', 'Sociedad Comercial|Empresa|Compañía|Cía.'],
    ['ES', 'SA', 'Mercantil|La mercantil|Compañía mercantil|Entidad mercantil'],
    ['DE', 'GmbH', 'Firma|Fa.|Die Firma|Unternehmen|Gesellschaft'],
    ['PL', 'sp. z o.o.', 'Spółka|Firma|Przedsiębiorstwo'],
    ['AL', 'sh.p.k.', 'Shoqëria|Shoqëria tregtare|Kompania'],
    ['HR', 'd.o.o.', 'Društvo|Trgovačko društvo|Tvrtka|Poduzeće'],
    ['RS', 'd.o.o.', 'Preduzeće|Privredno društvo|Kompanija'],
    ['SI', 'd.o.o.', 'Podjetje|Gospodarska družba'],
    ['IT', 'S.r.l.', 'Azienda|Impresa|Ditta|Società'],
    ['FR', 'SARL', 'Entreprise|La société|Cie'],
    ['BR', 'Ltda', 'Empresa|Cia'],
    ['HU', 'Kft', 'Cég|Cégünk|Társaság'],
    ['CZ', 's.r.o.', 'Společnost|Obchodní společnost|Firma'],
    ['SK', 's.r.o.', 'Spoločnosť|Obchodná spoločnosť'],
    ['TR', 'A.Ş.', 'Şirket|Firma'],
    ['NL', 'B.V.', 'Bedrijf|Firma'],
    ['SE', 'AB', 'Företaget|Bolaget'],
    ['LT', 'UAB', 'Įmonė|Bendrovė'],
    ['LV', 'SIA', 'Uzņēmums|Sabiedrība'],
    ['EE', 'OÜ', 'Ettevõte|Äriühing'],
    ['BG', 'ООД', 'Дружество|Търговско дружество'],
    ['RU', 'ООО', 'Общество|Предприятие|Фирма'],
    ['KE', 'Limited', 'Kampuni ya|Kampuni'],
    ['TZ', 'Limited', 'Kampuni ya|Kampani ya'],
    ['PH', 'Inc.', 'Kumpanya ng|Kumpanya'],
    ['ZA', '(Pty) Ltd', 'Maatskappy'],
  ] as const

  test.each([
    ['KE', 'Limited', 'Kampuni ya|Kampuni|Firma'],
    ['PH', 'Inc.', 'Kumpanya ng|Kumpanya'],
  ])('%s: a name without its form %s is found behind %s', (country, form, words) => {
    const name = `Quentlow Marbeck ${form}`
    const registry = registryOf([{ id: 'a', name, country, jurisdiction: country.toLowerCase() }])
    for (const word of words.split('|')) {
      const asked = { name: `${word} Quentlow Marbeck`, location: country, context: null }
      expect([word, registry.resolve(asked).status]).toEqual([word, 'matched'])
    }
  })

  test.each(heads)('%s: the name with %s is found behind %s', (country, form, words) => {
    const isCyrillic = /[А-Я]/.test(form)
    const [core, other] = isCyrillic
      ? ['Куэнтлов Марбек', 'Тавистри Марбек']
      : ['Quentlow Marbeck', 'Tavistry Marbeck']
    const registry = registryOf([
      { id: 'a', name: `${core} ${form}`, country, jurisdiction: country.toLowerCase() },
      { id: 'b', name: 'Harvane Sotwick', country, jurisdiction: country.toLowerCase() },
    ])
    const rate = (name: string) =>
      registry.resolve({ name, location: country, context: null }).match_confidence
    for (const word of words.split('|')) {
      expect([word, rate(`${word} ${core} ${form}`)]).toEqual([word, rate(`${core} ${form}`)])
      expect([word, rate(`${word} ${other} ${form}`) < 80]).toEqual([word, true])
    }
  })

  test.each([
    ['FR', 'SARL'],
    ['US', 'Inc'],
    ['BR', 'Ltda'],
  ])('in %s, "SC" is another word', (country, form) => {
    const registry = registryOf([{ id: 'a', name: `Quentlow Marbeck ${form}`, country }])
    const ask = (name: string) =>
      registry.resolve({ name, location: country, context: null }).match_confidence
    expect(ask(`SC Quentlow Marbeck ${form}`)).toBeLessThan(80)
  })
})

describe('a number behind a name has the form of its country', () => {
  const numbers = [
    ['RO', '14233111', 'SRL', 'RO14233111|RO 14233111|CIF RO14233111'],
    ['MY', '359223-P', 'Sdn Bhd', '359223-P'],
    ['CL', '76543210-3', 'Ltda', '76.543.210-3|76543210-3'],
    ['PL', '5260250274', 'sp. z o.o.', 'NIP 5260250274|5260250274'],
    ['NL', '12345678', 'B.V.', 'KvK 12345678|12345678'],
    ['BE', '0403.170.701', 'NV', 'BE0403170701|0403.170.701'],
    ['FR', '552032534', 'SARL', '552 032 534|SIREN 552032534'],
    ['ES', 'B12345674', 'SL', 'B12345674|CIF B12345674'],
    ['BR', '33.000.167/0001-01', 'Ltda', 'CNPJ 33.000.167/0001-01'],
    ['CZ', '00006947', 's.r.o.', 'IČO 00006947'],
  ] as const

  test.each(numbers)('%s: %s', (country, registration_id, form, writings) => {
    const held = { country, jurisdiction: country.toLowerCase() }
    const registry = registryOf([
      { id: 'a', name: `Quentlow Marbeck ${form}`, registration_id, ...held },
      { id: 'b', name: `Harvane Sotwick ${form}`, ...held },
    ])
    const ask = (name: string) => registry.resolve({ name, location: country, context: null })
    const codes = (name: string) => ask(name).factors.map(({ code }) => code)
    for (const writing of writings.split('|')) {
      expect(codes(`Quentlow Marbeck ${form} (${writing})`)).toContain('identifier_match')
      expect(ask(`Harvane Sotwick ${form} (${writing})`).entity?.legal_name ?? '').not.toMatch(/Quentlow/)
    }
    expect(ask(`Quentlow Marbeck ${form} (2019)`).status).toBe('matched')
  })

  test('a tax number of Lithuania is not compared with a company number of the same length', () => {
    const [held, taxed] = ['302345678', 'LT123456715'].map((registration_id) =>
      registryOf([{ id: 'a', name: 'UAB "Quentlow"', country: 'LT', jurisdiction: 'lt', registration_id }]),
    )
    const ask = (registry: typeof held, number: string) =>
      registry?.resolve({
        name: `UAB Quentlow (company number ${number})`,
        location: 'Lietuva',
        context: null,
      }).status
    for (const number of ['LT123456715', 'LT100001919017']) expect(ask(held, number), number).toBe('matched')
    expect(ask(held, 'LT 302345678')).toBe('matched')
    expect(ask(held, 'LT 302345670')).toBe('inconclusive')
    expect(ask(taxed, 'LT123456715')).toBe('matched')
    expect(ask(taxed, 'LT123456725')).toBe('inconclusive')
  })

  test('a name cell may be a number with its label alone', () => {
    const registry = registryOf([
      {
        id: 'a',
        name: 'Quentlow Marbeck SRL',
        country: 'RO',
        jurisdiction: 'ro',
        registration_id: '14233111',
      },
    ])
    expect(registry.resolve({ name: 'CIF RO14233111', location: null, context: null }).status).toBe('matched')
  })
})

describe('a company under two of its names in one text', () => {
  const registry = registryOf([
    { id: 'a', name: 'Quentlow Marbeck SRL', former_names: 'Quentlow Pelgrave SA', country: 'RO' },
    { id: 'b', name: 'Tavistry Ondrell SRL', country: 'RO' },
  ])

  test.each(['fost', 'fosta', 'fostă', 'denumită anterior'])('behind %j is a former name', (word) => {
    for (const name of ['Quentlow Pelgrave SA', 'Harvane Sotwick SRL'])
      for (const text of [`, ${word} ${name}`, ` (${word} ${name})`, ` ${word} ${name}`]) {
        const query = { name: `Quentlow Marbeck SRL${text}`, location: 'RO', context: null }
        expect([text, registry.resolve(query).status]).toEqual([text, 'matched'])
      }
  })

  test('it is one candidate', () => {
    for (const other of ['Quentlow Pelgrave SA', 'Tavistry Ondrell SRL']) {
      const query = { name: `Quentlow Marbeck SRL, ${other}`, location: 'RO', context: null }
      const ids = registry.candidates(query, 10).map(({ entityId }) => entityId)
      expect([...new Set(ids)]).toEqual(ids)
    }
  })
})

describe('shops, scans and groups around a name', () => {
  const registry = registryOf([
    { id: 'a', name: 'Quentlow Foods Ltd', city: 'Leeds', country: 'GB' },
    { id: 'b', name: 'Tavistry Insight Management GmbH', city: 'Köln', country: 'DE' },
    { id: 'c', name: 'Marbeck Inc', country: 'US' },
  ])
  const ask = (name: string) => {
    const { status, entity } = registry.resolve({ name, location: null, context: null })
    return status === 'matched' ? entity?.legal_name : status
  }

  test.each([
    ['Quentlow Official Store, sold by Quentlow Foods Ltd', 'Quentlow Foods Ltd'],
    ['Quentlow Official Store (Quentlow Foods Ltd)', 'Quentlow Foods Ltd'],
    ['Quentlow® Shop – by Quentlow Foods Ltd', 'Quentlow Foods Ltd'],
    ['Sold and shipped by Quentlow Foods Limited', 'Quentlow Foods Ltd'],
    ['Verkauf und Versand durch Tavistry Insight Management GmbH', 'Tavistry Insight Management GmbH'],
    ['vendu et expédié par Marbeck Inc', 'Marbeck Inc'],
    ['QUENTLOW FOODS LTD & SUBS', 'Quentlow Foods Ltd'],
    ['Tavistry Insight Management GmbH & Tochterges.', 'Tavistry Insight Management GmbH'],
    ['Quentlow Foods Ltd (fmly Ondrell Ltd)', 'Quentlow Foods Ltd'],
    ['Tavistry lnsight Manage- ment GmbH', 'Tavistry Insight Management GmbH'],
    ['MARBECK lNC', 'Marbeck Inc'],
    ['QUENT- LOW FOODS LTD', 'Quentlow Foods Ltd'],
  ])('%s', (text, name) => {
    expect(ask(text)).toBe(name)
  })

  test.each([
    'Quentlow Store, sold by Pelgrave Foods Ltd',
    'Quentlow Shop – Harvane Foods Ltd',
    'Quentlow Foods Ltd – Quentlow Textiles Ltd',
    'Marbeck Official Store (Marbeck Textiles Inc)',
    'Sold by Quentlow Textiles Ltd',
  ])('%s is none of them', (text) => {
    expect(ask(text)).not.toMatch(/^(?:Quentlow|Tavistry|Marbeck)/)
  })
})
