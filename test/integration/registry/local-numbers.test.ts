import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resolution, type Resolution } from '../../../src/contract/result.js'
import { toHeadOfficeNumber } from '../../../src/core/numbers/number-forms.js'
import { toNationalNumber } from '../../../src/core/numbers/national-numbers.js'
import courts from '../../../src/core/numbers/register-courts.json' with { type: 'json' }
import { importCsvText, type CsvSettings } from '../../../src/registry/import/import-csv.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import { areDifferentNumbers } from '../../../src/registry/answer/identifier-decision.js'
import { forAll } from '../../support/properties.js'

const ask = (registry: WritableRegistry, name: string, location: string | null = null): Resolution =>
  resolution.parse(registry.resolve({ name, location, context: null }))
const outcomeOf = ({ status, match_confidence, entity, candidate }: Resolution) => [
  status,
  match_confidence,
  entity?.legal_name ?? candidate?.legal_name ?? null,
]

/** Loads files whose ids are company numbers. */
function registryOf(files: readonly string[], settings: CsvSettings = {}): WritableRegistry {
  const registry = openRegistry(':memory:')
  for (const [at, text] of files.entries())
    importCsvText(registry, Buffer.from(text), {
      idType: 'registration_id',
      ...settings,
      fileName: `file${at}.csv`,
      fileDateMs: 0,
    })
  return registry
}

const header = 'id,name,city,country,jurisdiction'
const siemens = 'HRB 6684,Siemens AG,München,DE,de'
const fantasy = 'HRB 6684,Fantasie Werkzeugbau GmbH,Essen,DE,de'

/** Ways to write the number of a court. */
const spellings: readonly ((court: string, code: string, digits: string) => string)[] = [
  (court, _, digits) => `${court} HRB ${digits}`,
  (court, _, digits) => `HRB ${digits} ${court}`,
  (court, _, digits) => `Amtsgericht ${court} HRB ${digits}`,
  (court, _, digits) => `AG ${court} HRB ${digits}`,
  (court, _, digits) => `HRB ${digits} (AG ${court})`,
  (court, _, digits) => `HRB ${digits}, Amtsgericht ${court}`,
  (court, _, digits) => `hrb${digits} ${court.toLowerCase()}`,
  (court, _, digits) => `Registergericht: ${court}, HRB-Nr. ${digits} B`,
  (court, _, digits) => `Handelsregister ${court}, HR B ${digits}`,
  (_, code, digits) => `${code} HRB ${digits}`,
  (_, code, digits) => `${code}V HRB${digits}`,
  (_, code, digits) => `DE${code}V.HRB${digits}`,
  (_, code, digits) => `${code}R_HRB${digits}`,
]
const writeUmlauts = (text: string) =>
  text.replace(/[äöü]/g, (letter) => ({ ä: 'ae', ö: 'oe' })[letter] ?? 'ue').replaceAll('ß', 'ss')

test('every spelling of the number of a German court is one number', () => {
  const some = fc.constantFrom(...Object.entries(courts))
  const digits = fc.integer({ min: 1, max: 999_999 }).map(String)
  forAll(
    60,
    [some, digits, fc.constantFrom(...spellings), fc.nat(), fc.boolean()],
    (entry, number, spell, at, plain) => {
      const [code, names] = entry
      const name = names[at % names.length] ?? ''
      const written = spell(plain ? writeUmlauts(name) : name, code, number)
      const own = toNationalNumber('de', `${names[0] ?? ''} HRB ${number}`)
      expect(`${written}: ${toNationalNumber('de', written)?.replace(/ B$/, '') ?? ''}`).toBe(
        `${written}: ${own ?? ''}`,
      )
    },
  )
})

describe('a number without its court', () => {
  test.each([
    ['one file', [`${header}\n${siemens}\n${fantasy}\n`]],
    ['two files', [`${header}\n${siemens}\n`, `${header}\n${fantasy}\n`]],
  ])('does not make two companies of %s one', (_, files) => {
    const registry = registryOf(files)
    expect(registry.info().entityCount).toBe(2)
    expect(outcomeOf(ask(registry, 'Siemens AG (company number DE HRB 6684)', 'München'))).toEqual([
      'matched',
      99,
      'Siemens AG',
    ])
    expect(outcomeOf(ask(registry, 'Fantasie Werkzeugbau (HRB 6684)')).slice(2)).toEqual([
      'Fantasie Werkzeugbau GmbH',
    ])
  })

  test('never gives the company of another name', () => {
    const registry = registryOf([`${header}\n${fantasy}\n`])
    const answer = ask(registry, 'Siemens AG (company number DE HRB 6684)', 'München')
    expect(answer.entity).toBeNull()
  })

  test('is that of the court in the town of its row', () => {
    const registry = registryOf([`${header}\n${siemens}\n${fantasy}\n`])
    for (const [asked, name] of [
      ['company number DE München HRB 6684', 'Siemens AG'],
      ['company number DE Amtsgericht Essen HRB 6684', 'Fantasie Werkzeugbau GmbH'],
    ] as const)
      expect(outcomeOf(ask(registry, asked))).toEqual(['matched', 99, name])
    expect(outcomeOf(ask(registry, 'company number DE Köln HRB 6684'))).toEqual(['no_match', 0, null])
  })

  test('is weak evidence in a lookup: the town of the row chooses, and nothing is certain', () => {
    const registry = registryOf([`${header}\nMünchen ${siemens}\nEssen ${fantasy}\n`])
    expect(outcomeOf(ask(registry, 'company number DE HRB 6684', 'Essen'))).toEqual([
      'partial_match',
      79,
      'Fantasie Werkzeugbau GmbH',
    ])
  })

  test('of a row keeps its company when the file is loaded again', () => {
    const text = `${header}\n${siemens}\n${fantasy}\n`
    const registry = registryOf([text])
    const ids = () =>
      ['Siemens AG', 'Fantasie Werkzeugbau GmbH'].map((name) => ask(registry, name).entity?.id)
    const before = ids()
    importCsvText(registry, Buffer.from(text.replace('München', 'Berlin')), {
      idType: 'registration_id',
      fileName: 'file0.csv',
      fileDateMs: 1,
    })
    expect(ids()).toEqual(before)
    expect(registry.info().entityCount).toBe(2)
  })
})

describe('a number of a court', () => {
  test('beside the name of a company of another court is doubtful', () => {
    const registry = registryOf([`${header}\nEssen ${fantasy}\n`])
    for (const other of ['Köln HRB 1234', 'Köln HRB 6684', 'Essen HRB 6685', 'HRB 1234']) {
      const answer = ask(registry, `Fantasie Werkzeugbau GmbH (company number DE ${other})`)
      expect([other, ...outcomeOf(answer)]).toEqual([other, 'inconclusive', 50, 'Fantasie Werkzeugbau GmbH'])
    }
    const other = ask(registry, 'Fantasie Werkzeugbau GmbH (company number DE Essen HRA 12)')
    expect(outcomeOf(other)).toEqual(['matched', 99, 'Fantasie Werkzeugbau GmbH'])
  })

  test('is read from a column of courts', () => {
    const registry = registryOf([
      `id,registration_court,name,jurisdiction\nHRB 6684,AG München,Siemens AG,de\n`,
    ])
    expect(outcomeOf(ask(registry, 'company number DE D2601V HRB 6684'))).toEqual([
      'matched',
      99,
      'Siemens AG',
    ])
  })

  test('joins registrations of two files in any spelling', () => {
    const registry = registryOf([
      `${header}\n"HRB 6684, Amtsgericht München",Siemens AG,,DE,de\n`,
      `${header}\nMuenchen HRB 6684,Siemens Aktiengesellschaft,,DE,de\n`,
    ])
    expect(registry.info().entityCount).toBe(1)
  })
})

test('the number of a state does not identify a company without its state', () => {
  const registry = registryOf([
    'id,name,country,jurisdiction\n1234567,Larkmoor Foods Inc,US,us_de\n1234567,Velmora Haulage Inc,US,us_ny\n',
  ])
  expect(outcomeOf(ask(registry, 'company number US-NY 1234567'))).toEqual([
    'matched',
    99,
    'Velmora Haulage Inc',
  ])
  expect(ask(registry, 'company number US 1234567').entity).toBeNull()
  const bare = registryOf([
    'id,name,country\n1234567,Larkmoor Foods Inc,US\n1234567,Velmora Haulage Inc,US\n',
  ])
  expect(bare.info().entityCount).toBe(2)
})

test('the number of a branch finds its company', () => {
  const registry = registryOf([
    'id,name,country,jurisdiction\n33.000.167/0001-01,Petroleo Larkmoor SA,BR,br\n552032534,Larkmoor Foods SA,FR,fr\n' +
      '0300588569,Larkmoor Sua,VN,vn\n',
  ])
  const digits = '330001670002'
  const branch = Array.from({ length: 100 }, (_, at) => digits + String(at).padStart(2, '0')).find(
    (one) => toNationalNumber('br', one) !== null,
  )
  expect(toHeadOfficeNumber('br', branch ?? '')).toBe('33.000.167/0001-01')
  expect(outcomeOf(ask(registry, `company number BR ${branch ?? ''}`))).toEqual([
    'matched',
    99,
    'Petroleo Larkmoor SA',
  ])
  expect(outcomeOf(ask(registry, 'company number FR 55203253400646'))).toEqual([
    'matched',
    99,
    'Larkmoor Foods SA',
  ])
  // The registration does not have the number itself.
  for (const number of [`BR ${branch ?? ''}`, 'VN 0300588569-005']) {
    const answer = ask(registry, `company number ${number}`)
    expect([answer.status, JSON.stringify(answer)]).toEqual([
      'matched',
      expect.stringContaining('that of a branch.'),
    ])
    expect(JSON.stringify(answer)).not.toContain('The registration has company number')
  }
})

describe('numbers of which one contains the other', () => {
  const findValid = (country: string, make: (at: number) => string, count: number) =>
    Array.from({ length: count }, (_, at) => make(at)).find((one) => toNationalNumber(country, one) === one)
  const toAcn = (digits: number) =>
    findValid('au', (at) => `${String(digits).padStart(8, '0')}${at}`, 10) ?? ''
  // Check digits are from 11 to 99: modulo 89, 10 and 99 are the same.
  const toAbn = (nine: string) => findValid('au', (at) => `${at + 11}${nine}`, 89) ?? ''
  const digits = fc.integer({ min: 100_000, max: 69_999_999 })
  const registryWith = (id: string, country: string) =>
    registryOf([`id,name,country,jurisdiction\n${id},Larkmoor Foods,${country},${country.toLowerCase()}\n`])

  test('an Australian company is found by its ACN and by its ABN, whichever the register has', () => {
    forAll(20, [digits], (made) => {
      const acn = toAcn(made)
      const abn = toAbn(acn)
      for (const [held, asked] of [
        [acn, abn],
        [abn, acn],
      ] as const) {
        const registry = registryWith(held, 'AU')
        for (const text of [`company number AU ${asked}`, `Larkmoor Foods (company number AU ${asked})`])
          expect([held, text, ...outcomeOf(ask(registry, text))]).toEqual([
            held,
            text,
            'matched',
            99,
            'Larkmoor Foods',
          ])
        registry.close()
      }
    })
  })

  test('the ABN of another company counts against a company, that of a trust does not', () => {
    forAll(20, [digits, digits], (one, other) => {
      fc.pre(one !== other)
      const registry = registryWith(toAcn(one), 'AU')
      const askWith = (number: string) =>
        outcomeOf(ask(registry, `Larkmoor Foods (company number AU ${number})`))
      expect(askWith(toAbn(toAcn(other)))).toEqual(['inconclusive', 50, 'Larkmoor Foods'])
      const acn = toAcn(other)
      const noAcn = `${acn.slice(0, 8)}${(Number(acn.at(8)) + 1) % 10}`
      expect(askWith(toAbn(noAcn))).toEqual(outcomeOf(ask(registry, 'Larkmoor Foods')))
      registry.close()
    })
  })

  test.each([
    ['AU', '009 661 901', '16 009 661 901'],
    ['JP', '1803-01-018771', '1180301018771'],
    ['JP', '0104-01-067252', '5010401067252'],
    ['CO', '899999068', '899.999.068-1'],
    ['RO', '14399840', 'RO14399840'],
    ['BG', '831902088', 'BG831902088'],
    ['HR', '27759560625', 'HR27759560625'],
    ['GR', '094019245', 'EL094019245'],
    ['PL', '7740001454', 'PL 774-000-14-54'],
    ['CZ', '45274649', 'CZ45274649'],
    ['DK', '24256790', 'DK24256790'],
    ['BE', '0403.170.701', 'BE0403170701'],
    ['FI', '0112038-9', 'FI01120389'],
    ['PT', '500100144', 'PT500100144'],
  ])('in %s, %s is found by %s, and the reverse', (country, one, other) => {
    for (const [held, asked] of [
      [one, other],
      [other, one],
    ] as const) {
      const registry = registryWith(held, country)
      for (const text of [
        `company number ${country} ${asked}`,
        `Larkmoor Foods (company number ${country} ${asked})`,
      ])
        expect(outcomeOf(ask(registry, text))).toEqual(['matched', 99, 'Larkmoor Foods'])
    }
  })

  test.each([
    ['CN', '717802523', '91110000717802523X'],
    ['HU', '10625790', '10625790-2-44'],
    ['CA', '119218994', '119218994RC0001'],
    ['BG', '831902088', '8319020880015'],
    ['PL', '610188201', '61018820100000'],
    ['SI', '5860571', '5860571000'],
    ['CH', 'CHE-105.909.036', 'CHE-105.909.036 MWST'],
  ])('in %s, %s is found by %s, from which it follows', (country, held, asked) => {
    const registry = registryWith(held, country)
    expect(ask(registry, `company number ${country} ${asked}`).entity?.legal_name).toBe('Larkmoor Foods')
    expect(outcomeOf(ask(registry, `Larkmoor Foods (company number ${country} ${asked})`))).toEqual([
      'matched',
      99,
      'Larkmoor Foods',
    ])
  })

  test.each([
    ['JP', '1803-01-018771', '2180301018771'],
    ['JP', '1803-01-018771', '5010401067252'],
    ['CO', '899999068', '899999068-2'],
    ['AU', '009661901', '17009661901'],
  ])('in %s, %s is not found by %s, which has other digits or wrong check digits', (country, held, asked) => {
    expect(ask(registryWith(held, country), `company number ${country} ${asked}`).status).toBe('no_match')
  })
})

describe('a number of a local office', () => {
  /** Countries whose offices give the same numbers, with three of their towns and ways to name their offices. */
  const countries: readonly [
    country: string,
    towns: [string, string, string],
    writings: readonly string[],
  ][] = [
    [
      'MA',
      ['Fès', 'Tanger', 'Casa'],
      [
        '#',
        'Tribunal de commerce de #',
        'TC #',
        'T.C. #',
        'Trib. com. #',
        'Trib. de Com. de #',
        'Tribunal #',
        'TPI #',
        'TRIBUNAL DE PREMIERE INSTANCE DE #',
      ],
    ],
    [
      'TN',
      ['Sfax', 'Sousse', 'Gabès'],
      ['#', 'Tribunal de première instance de #', 'Greffe du tribunal de #'],
    ],
    ['DZ', ['Oran', 'Annaba', 'Blida'], ['#', 'CNRC #', 'Antenne locale CNRC #', "Registre de commerce d'#"]],
    ['ES', ['Sevilla', 'Bilbao', 'Toledo'], ['#', 'Registro Mercantil de #', 'RM #']],
    ['CO', ['Medellín', 'Cali', 'Barranquilla'], ['#', 'Cámara de Comercio de #']],
    ['TR', ['İzmir', 'Bursa', 'Ankara'], ['#', '# Ticaret Sicili Müdürlüğü']],
  ]
  const some = fc.constantFrom(...countries)
  const number = fc.integer({ min: 100, max: 99_999 }).map(String)
  const write = (writing: string, town: string) => writing.replace('#', town)

  test('is the company of this office, in any writing, and no other one', () => {
    forAll(
      30,
      [some, number, fc.nat(), fc.nat()],
      ([country, [one, other, third], writings], digits, held, asked) => {
        const pick = (at: number) => writings[at % writings.length] ?? ''
        const registry = registryOf([
          'id,registration_court,name,jurisdiction\n' +
            `${digits},"${write(pick(held), one)}",Larkmoor Foods,${country.toLowerCase()}\n` +
            `${digits},"${write(pick(held + 1), other)}",Velmora Haulage,${country.toLowerCase()}\n`,
        ])
        expect(registry.info().entityCount).toBe(2)
        for (const [town, own, another] of [
          [one, 'Larkmoor Foods', 'Velmora Haulage'],
          [other, 'Velmora Haulage', 'Larkmoor Foods'],
        ] as const) {
          const court = write(pick(asked), town)
          for (const text of [
            `${digits} ${court}`,
            `${court} ${digits}`,
            `${digits} ${town.toUpperCase()}`,
          ]) {
            const stated = `company number ${country} ${text}`
            expect([stated, ...outcomeOf(ask(registry, stated))]).toEqual([stated, 'matched', 99, own])
            expect(outcomeOf(ask(registry, `${another} (${stated})`))).toEqual(['inconclusive', 50, own])
          }
        }
        const bare = ask(registry, `company number ${country} ${digits}`)
        expect([bare.status, bare.match_confidence]).toEqual(['inconclusive', 60])
        expect(outcomeOf(ask(registry, `Velmora Haulage (company number ${country} ${digits})`))).toEqual([
          'matched',
          99,
          'Velmora Haulage',
        ])
        const there = ask(registry, `company number ${country} ${digits}`, other)
        expect(outcomeOf(there)).toEqual(['partial_match', 79, 'Velmora Haulage'])
        const nowhere = ask(registry, `company number ${country} ${digits} ${third}`)
        expect(nowhere.status).toBe('no_match')
        const unread = ask(registry, `company number ${country} ${digits} Xanadu`)
        expect([unread.status, unread.match_confidence]).toEqual(['inconclusive', 60])
        registry.close()
      },
    )
  })

  const casablanca =
    'id,registration_court,name,city,jurisdiction\n30037,Casablanca,Larkmoor Foods,CASABLANCA,ma\n30037,Rabat,Velmora Haulage,RABAT,ma\n'

  test.each([
    ...['Casa', 'TC Casa', 'T.C. CASA', 'Trib. com. Casablanca', 'Casablanca (TC)', 'CASABLANCA-ANFA'],
    ...['البيضاء', 'الدار البيضاء', 'المحكمة التجارية بالدار البيضاء', 'Dar El Beida'],
    ...['TCC', 'Casabalnca', 'Kazablanca'],
  ])('is read in a column of courts as that of Casablanca, or as none: %s', (court) => {
    const registry = registryOf([casablanca])
    const stated = `Larkmoor Foods (company number MA 30037 ${court.replace(/[()]/g, '')})`
    for (const town of ['Casablanca, MA', 'Casa, MA', 'البيضاء, MA'])
      expect([town, ...outcomeOf(ask(registry, stated, town))]).toEqual([
        town,
        'matched',
        99,
        'Larkmoor Foods',
      ])
  })

  test('is that of both towns of a court, and not that of a third', () => {
    const registry = registryOf([casablanca])
    for (const court of ['RABAT-SALE', 'Rabat - Salé', 'Rabat-Salé-Kénitra'])
      expect(outcomeOf(ask(registry, `Velmora Haulage (company number MA 30037 ${court})`))).toEqual([
        'matched',
        99,
        'Velmora Haulage',
      ])
    for (const court of ['Agadir', 'Oujda', 'Fès-Meknès'])
      expect(outcomeOf(ask(registry, `Velmora Haulage (company number MA 30037 ${court})`))).toEqual([
        'inconclusive',
        50,
        'Velmora Haulage',
      ])
  })

  test.each([
    ['ma', 'Casablanca', 'Fès', 'SARL', 'Société en nom collectif', 'SNC'],
    ['tn', 'Tunis', 'Sfax', 'SARL', 'Société anonyme', 'SA'],
    ['es', 'Madrid', 'Toledo', 'SL', 'Sociedad anónima', 'SA'],
  ])(
    'without its court, in %s, is not that of the company in town if another one has number, name and form',
    (country, town, other, form, heldForm, givenForm) => {
      const registry = registryOf([
        `id,registration_court,name,legal_form,city,jurisdiction\n45127,${town},Larkmoor Frères Transport,${form},${town},${country}\n45127,${other},Larkmoor Frères,${heldForm},${other},${country}\n`,
      ])
      const stated = `company number ${country.toUpperCase()} 45127`
      for (const name of [`Larkmoor Frères ${givenForm}`, 'Larkmoor Frères']) {
        const found = ask(registry, `${name} (${stated})`, `${town}, ${country.toUpperCase()}`)
        expect([found.status, found.actions[0]?.code]).toEqual(['inconclusive', 'verify_identifier'])
        for (const held of ['Larkmoor Frères Transport', 'Larkmoor Frères'])
          expect(found.factors[0]?.description).toContain(`"${held}"`)
      }
      const own = ask(registry, `Larkmoor Frères Transport (${stated})`, `${town}, ${country.toUpperCase()}`)
      expect(outcomeOf(own)).toEqual(['matched', 99, 'Larkmoor Frères Transport'])
    },
  )

  test('is found by the name of its town in another language', () => {
    const registry = registryOf([
      'id,registration_court,name,jurisdiction\n34512,Tribunal de commerce de Tanger,Larkmoor Foods,ma\n34512,Fès,Velmora Haulage,ma\n',
    ])
    for (const court of ['طنجة', 'المحكمة التجارية بطنجة', 'Tangier'])
      expect(outcomeOf(ask(registry, `company number MA 34512 ${court}`)).slice(2)).toEqual([
        'Larkmoor Foods',
      ])
  })

  test('does not concern numbers that are unique in the country', () => {
    const registry = registryOf([
      'id,registration_court,name,jurisdiction\n001524628000078,Tanger,Larkmoor Foods,ma\n',
    ])
    expect(outcomeOf(ask(registry, 'company number MA 001524628000078'))).toEqual([
      'matched',
      99,
      'Larkmoor Foods',
    ])
  })
})

describe('a name in another script than that of the company of the number', () => {
  const rows = [
    ['MA', '48947', 'Itissalat Al-Maghrib', 'اتصالات المغرب'],
    ['TN', '4711', 'Larkmoor Foods SA', 'الشروق للأغذية'],
    ['DZ', '5512', 'Velmora Haulage', 'شركة زنجبار للنقل'],
    ['IR', '6613', 'شرکت پخش', 'Norvane Distribution'],
  ] as const
  const registry = registryOf([
    `id,name,jurisdiction\n${rows.map(([country, id, name]) => `${id},${name},${country.toLowerCase()}`).join('\n')}\n`,
  ])

  test.each(rows)('%s %s: %s is a candidate for %s', (country, id, own, name) => {
    const answer = ask(registry, `${name} (company number ${country} ${id})`)
    expect([answer.entity, ...outcomeOf(answer)]).toEqual([null, 'inconclusive', expect.any(Number), own])
    expect(answer.match_confidence).toBeLessThanOrEqual(50)
    const text = JSON.stringify(answer)
    expect(text).toContain('another script')
    expect(text).toContain('no court is known')
    expect(text).not.toMatch(/Check the place|exchange/)
  })

  test('a number without its court does not say of which', () => {
    const text = JSON.stringify(ask(registry, 'company number MA 48947'))
    expect(text).toContain('does not say of which court.')
    expect(text).not.toContain('exchange')
  })
})

test.each([
  ['BG', '175000001', 'Ларкмур Фудс ЕООД', 'Larkmoor Foods', 'Norvane Hotels', 'Норван Хотели'],
  ['UA', '30000013', 'Велмора Буд', 'Velmora Build', 'Quillon Insurance', 'Квіллон'],
  ['AE', '123456', 'شركة زنجبار للنقل', 'Zanjabar Haulage', 'Norvane Textiles', 'نورفان'],
  ['MA', '48947', 'Itissalat Velmora', 'اتصالات فيلمورا', 'Norvane Textiles', 'نورفان'],
])(
  'in %s, number %s: a name in a script of the company is in no other one',
  (country, id, own, second, ...names) => {
    const row = (other: string) =>
      `id,name,other_names,jurisdiction\n${id},${own},${other},${country.toLowerCase()}\n`
    const [one, both] = [registryOf([row('')]), registryOf([row(second)])]
    const askFor = (registry: typeof one, name: string) =>
      JSON.stringify(ask(registry, `${name} (company number ${country} ${id})`).factors)
    expect(names.map((name) => askFor(both, name).includes('another script'))).toEqual([false, false])
    expect(names.filter((name) => askFor(one, name).includes('another script'))).toHaveLength(1)
  },
)

test.each([
  ['NP', 'Koshi Noodles Pvt Ltd', 'Koshi Cement'],
  ['FR', 'Menuiserie Norvane', 'Assurances Norvane'],
  ['DE', 'Quillon Bäckerei GmbH', 'Quillon Software GmbH'],
  ['BR', 'Seguros Velmora Ltda', 'Velmora Textil'],
])('in %s, the number of %s beside %s is doubtful, and the reason tells both', (country, own, name) => {
  const number =
    { NP: '301234567', FR: '552032534', DE: 'Kiel HRB 501', BR: '11.222.333/0001-81' }[country] ?? ''
  const registry = registryOf([`${header}\n${number},${own},,${country},${country.toLowerCase()}\n`])
  const asked = (text: string) => ask(registry, `${text} (company number ${country} ${number})`)
  expect(outcomeOf(asked(name))).toEqual(['inconclusive', 50, own])
  expect(asked(name).factors[0]?.description).toMatch(new RegExp(`${own}.*${name}`))
  expect(outcomeOf(asked(own))).toEqual(['matched', 99, own])
})

/** Ways to write a number of a court of French law, with its court. */
const courtSpellings: readonly ((court: string, year: string, digits: string) => string)[] = [
  (court, year, digits) => `RCS ${court} ${year} B ${digits}`,
  (court, year, digits) => `${court} ${year} B ${digits}`,
  (court, year, digits) => `RCCM ${court} ${year}B${digits}`,
  (court, year, digits) => `${year}/B/${digits} (Tribunal de commerce de ${court})`,
  (court, year, digits) => `N° ${year} B ${digits}, greffe de ${court}`,
  (court, year, digits) => `rc ${court.toLowerCase()} ${year}-B-${Number(digits)}`,
]
const courtsOf = {
  mg: ['Antananarivo', 'Toamasina'],
  sn: ['Dakar', 'Ziguinchor'],
  ci: ['Abidjan', 'Bouaké'],
  cm: ['Douala', 'Yaoundé'],
  bj: ['Cotonou', 'Parakou'],
  tg: ['Lomé', 'Kara'],
  ml: ['Bamako', 'Ségou'],
  cd: ['Kinshasa', 'Lubumbashi'],
  mr: ['Nouakchott', 'Nouadhibou'],
}

test('the court of a number counts, in a column or in the cell, in the countries of OHADA and French law', () => {
  const country = fc.constantFrom(...Object.entries(courtsOf))
  const year = fc.integer({ min: 1950, max: 2025 }).map(String)
  const digits = fc.integer({ min: 1, max: 9_999 }).map((number) => String(number).padStart(5, '0'))
  const way = fc.constantFrom(...courtSpellings)
  const kept = fc.constantFrom('column', 'cell', 'id')
  forAll(
    40,
    [country, year, digits, way, kept],
    ([place, [one = '', other = '']], since, number, spell, where) => {
      const rows = [one, other].map((court, at) => {
        const bare = `${since} B ${number}`
        const id = where === 'column' ? bare : where === 'id' ? `${court} ${bare}` : `RC ${court} ${bare}`
        return `${id},${where === 'column' ? court : ''},${['Larkmoor Brasseries SA', 'Norvane Batelage SARL'][at] ?? ''},${court},20000027${at}0`
      })
      const file = `id,registration_court,name,city,registration_id\n${rows.join('\n')}\n`
      const registry = registryOf([file], { jurisdiction: place })
      expect(registry.info().entityCount).toBe(2)
      const code = place.toUpperCase()
      const name = `Norvane (company number ${code} ${spell(other, since, number).replace(/[(),]/g, ' ')})`
      expect([name, ask(registry, name).entity?.legal_name]).toEqual([name, 'Norvane Batelage SARL'])
      registry.close()
    },
  )
})

test.each([
  ['CI-ABJ-2018-B-12345', 'ci'],
  ['CI-ABJ-03-2021-B13-00123', 'ci'],
  ['RC/DLA/2004/B/033050', 'cm'],
  ['CD/KIN/RCCM/14-B-1234', 'cd'],
  ['SN DKR 2010 B 1234', 'sn'],
  ['2000002750', 'mg'],
])('the number %s needs no court', (number, jurisdiction) => {
  const registry = registryOf(
    [`id,name\n${number},Larkmoor SA\n`, `id,name\n${number},Larkmoor Holding SA\n`],
    {
      jurisdiction,
    },
  )
  expect(registry.info().entityCount).toBe(1)
})

describe('rows of one file with one id', () => {
  const two = 'id,name,city,registration_id\n7,Larkmoor SA,Paris,111\n7,Norvane SARL,Lyon,222\n'
  test.each([
    ['an own id', two, {}],
    ['a number without a country', two, { idType: 'registration_id' }],
  ])('are no company together if name, town and another number differ: %s', (_, text, settings) => {
    for (const earlier of [[], [{ text: 'id,name\n7,Larkmoor SA\n', fileName: 'other.csv' }]]) {
      const registry = openRegistry(':memory:')
      for (const { text: content, fileName } of [...earlier, { text, fileName: 'own.csv' }]) {
        const result = importCsvText(registry, Buffer.from(content), { ...settings, fileName, fileDateMs: 0 })
        if (fileName !== 'own.csv') continue
        expect(result).toMatchObject({ rejectedCount: 1, togetherCount: 0 })
        expect(result.rejections[0]?.reason).toContain(
          '"Norvane SARL" (Lyon) has the id of "Larkmoor SA" (Paris) in line 2',
        )
      }
    }
  })

  test.each([
    ['fr', '552032534', '55203253400646', '55203253400703'],
    ['br', '33000167', '33000167000101', '33000167000292'],
    ['be', '0403170701', '2147483649', '2147483650'],
    ['ma', '34512', '111', '222'],
  ])(
    'are all kept if the id is a company number of the country, as in files of establishments: %s',
    (jurisdiction, id, one, other) => {
      const registry = openRegistry(':memory:')
      const text = `id,name,city,registration_id\n${id},Larkmoor,Paris,${one}\n${id},Norvane,Lyon,${other}\n`
      const settings = { idType: 'registration_id', jurisdiction, fileName: 'a.csv', fileDateMs: 0 }
      const { rejectedCount, importedCount, togetherCount } = importCsvText(
        registry,
        Buffer.from(text),
        settings,
      )
      expect([rejectedCount, importedCount + togetherCount]).toEqual([0, 2])
    },
  )

  test.each([
    ['town', '7,Norvane SARL,Paris,222'],
    ['name', '7,LARKMOOR SA,Lyon,222'],
    ['number', '7,Norvane SARL,Lyon,111'],
  ])('are one company with a %s in common', (_, row) => {
    const registry = openRegistry(':memory:')
    const text = `id,name,city,registration_id\n7,Larkmoor SA,Paris,111\n${row}\n`
    expect(importCsvText(registry, Buffer.from(text), { fileName: 'a.csv', fileDateMs: 0 })).toMatchObject({
      rejectedCount: 0,
      togetherCount: 1,
    })
  })
})

test('the companies that a shared number joins are counted, so that the counts agree', () => {
  const registry = openRegistry(':memory:')
  const text = 'id,name,registration_id\n1,Larkmoor SA,111\n2,Norvane SARL,111\n3,Talquell SA,333\n'
  const settings = { idType: 'nif', jurisdiction: 'fr', fileName: 'a.csv', fileDateMs: 0 }
  const { importedCount, joinedCount } = importCsvText(registry, Buffer.from(text), settings)
  expect([importedCount, joinedCount, registry.info().entityCount]).toEqual([3, 1, 2])
})

test.each([
  ['mg', '2000002750', '2004 B 00654'],
  ['sn', '004564872', 'RC Dakar 98 B 1234'],
  ['mr', '1234567', '23456'],
  ['hn', '08019995123456', '1234'],
  ['eg', '123456789', '1234567'],
  ['co', '900123456', '01234567'],
])(
  'in %s, a tax number and the number of a court or office do not contradict each other',
  (place, tax, number) => {
    expect(areDifferentNumbers(place, tax, number, true)).toBe(false)
    expect(areDifferentNumbers(place, number, tax, true)).toBe(false)
    expect(
      areDifferentNumbers(
        place,
        tax,
        tax.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)),
        true,
      ),
    ).toBe(true)
  },
)

/** Kinds of numbers that a company of a country has, and whether two that differ are of two companies; `#` is any digit. */
const kindsOfCountries = {
  np: ['3########', '#####/06#/06#'],
  mz: ['4########', '10#######'],
  ba: ['4############', '65-01-####-##', '1-#####'],
  ma: ['###############', '########'],
  nl: ['#########', '########'],
  rs: ['1########', '1#######'],
  me: ['02######', '50######'],
  pl: ['1#########', '000#######'],
  kz: ['12345#######', '60070#######'],
  gb: ['GB#########', '0#######'],
  gr: ['#########', '############'],
  hk: ['2#######', '1######'],
  zw: ['2########', '####/20##'],
  zm: ['1#########', '120#########'],
  pk: ['#######-#', '00#####'],
  tz: ['1##-###-###', '1#####'],
  id: ['1############', '01.###.###.#-###.000'],
  ph: ['000-1##-###-000', '1#####'],
  jm: ['000-1##-###', '1#####'],
  ht: ['000-1##-###-#', '1######'],
}
const digitsOf = (form: string, from: number) => {
  let at = from
  return form.replace(/#/g, () => String(1 + ((at = (at * 7 + 3) % 89) % 9)))
}
const formsOf = Object.entries(kindsOfCountries).flatMap(([country, kinds]) =>
  kinds.map((form) => [country, form, kinds.filter((one) => one !== form)] as const),
)

test.each(formsOf)('in %s, a number like %s says nothing about one like %j', (country, form, others) => {
  for (let from = 1; from < 20; from++)
    for (const other of others) {
      const [one, two] = [digitsOf(form, from), digitsOf(other, from + 5)]
      expect([one, two, areDifferentNumbers(country, one, two, true)]).toEqual([one, two, false])
    }
})

test.each(formsOf)('in %s, another number like %s is that of another company', (country, form) => {
  // Registers of these countries have the number of the other kind.
  if (form.startsWith('GB') || country === 'nl') return
  for (let from = 1; from < 20; from++) {
    const [one, two] = [digitsOf(form, from), digitsOf(form, from + 1)]
    if (one !== two)
      expect([one, two, areDifferentNumbers(country, one, two, true)]).toEqual([one, two, true])
  }
})

test.each([
  ['al', 'K41207731M', ['L41207731M', 'J60930021A', 'K41207731N'], 'ALK41207731M'],
  ['mx', 'NVR010203AB1', ['LRK010203AB1', 'NVR010203AB2'], 'MXNVR010203AB1'],
] as const)('in %s, letters are a part of the number', (country, own, others, withCountry) => {
  const registry = registryOf([`${header}\n${own},Norvane Mills,,${country.toUpperCase()},${country}\n`])
  expect(others.map((one) => areDifferentNumbers(country, own, one, true))).toEqual(others.map(() => true))
  expect(areDifferentNumbers(country, own, withCountry, true)).toBe(false)
  for (const number of [own, withCountry])
    expect(
      outcomeOf(ask(registry, `Norvane Mills (company number ${country.toUpperCase()} ${number})`)),
    ).toEqual(['matched', 99, 'Norvane Mills'])
  for (const number of others)
    expect(ask(registry, `Norvane Mills (company number ${country.toUpperCase()} ${number})`).status).toBe(
      'inconclusive',
    )
})

test.each([
  ['PH', '000-153-790-000', ['000-153-790', '000-153-790-00000', '000153790000', '000-153-790-00012']],
  ['PH', '000-153-790', ['000-153-790-000', '00015379000000', '000-153-790-012']],
  ['TH', '0105536000315', ['0105536000315-00000', '0105536000315 00000', '0105536000315-00003']],
] as const)('in %s, %s is also the number of its offices and branches: %j', (country, own, asked) => {
  const registry = registryOf([
    `${header}\n${own},Norvane Mills,,${country},${country.toLowerCase()}\n153790,Larkmoor Trading,,${country},${country.toLowerCase()}\n`,
  ])
  for (const number of asked)
    for (const query of ['', 'Norvane Mills '])
      expect([
        number,
        outcomeOf(ask(registry, `${query}(company number ${country} ${number})`.replace(/^\((.*)\)$/, '$1'))),
      ]).toEqual([number, ['matched', 99, 'Norvane Mills']])
})

test('letters of other registers are of two numbers of one company', () => {
  for (const [country, one, other] of [
    ['ng', 'RC123456', 'BN123456'],
    ['lk', 'PV2187', 'GA2187'],
    ['ve', 'J123456789', 'G123456789'],
  ] as const)
    expect([country, areDifferentNumbers(country, one, other, true)]).toEqual([country, false])
})

/** Letters in front of the numbers of a register. */
const lettered = {
  lk: ['PV', 'PQ', 'PB', 'GA', 'GL', 'N(PVS)', 'FC'],
  gb: ['SC', 'NI', 'OC'],
  ng: ['RC', 'BN'],
  ke: ['CPR', 'C'],
  mt: ['C'],
  cy: ['HE'],
  hk: ['F'],
  bd: ['C'],
  pk: ['K'],
  nz: ['NZ'],
  lu: ['B'],
}

test('zeros behind the letters of a number do not matter, in the list or in the register', () => {
  const register = fc.constantFrom(
    ...Object.entries(lettered).flatMap(([country, all]) =>
      all.map((letters) => [country, letters] as const),
    ),
  )
  const zeros = fc.constantFrom('', '0', '000', '00000')
  const sign = fc.constantFrom('', ' ', '-')
  forAll(
    60,
    [register, fc.integer({ min: 1, max: 99_999 }), zeros, zeros, sign, sign],
    ([country, letters], number, held, asked, heldSign, askedSign) => {
      const line = `${letters}${heldSign}${held}${number},Larkmoor Tools Ltd,,${country.toUpperCase()},${country}`
      const registry = registryOf([`${header}\n${line}\n`])
      const spelled = `${letters}${askedSign}${asked}${number}`
      const query = `company number ${country.toUpperCase()} ${spelled}`
      expect([query, line, ...outcomeOf(ask(registry, query))]).toEqual([
        query,
        line,
        'matched',
        99,
        'Larkmoor Tools Ltd',
      ])
      expect(areDifferentNumbers(country, `${letters}${held}${number}`, spelled, true)).toBe(false)
      expect(areDifferentNumbers(country, `${letters}${held}${number}`, `${spelled}7`, true)).toBe(true)
    },
  )
})

test('zeros behind letters tell in Romania and the United States, and where a register has both numbers', () => {
  for (const [country, jurisdiction, held, asked] of [
    ['RO', 'ro', 'J11232004', 'J011232004'],
    ['US', 'us_fl', 'L12345', 'L00000012345'],
    ['LK', 'lk', 'PV210', 'PV21'],
  ]) {
    const registry = registryOf([`${header}\n${held},Norvane Mills Ltd,,${country},${jurisdiction}\n`])
    const query = `company number ${(jurisdiction ?? '').toUpperCase().replace('_', '-')} ${asked}`
    expect(outcomeOf(ask(registry, query))).toEqual(['no_match', 0, null])
  }
  const both = registryOf([`${header}\nPV0021,Norvane Mills Ltd,,LK,lk\nPV021,Larkmoor Tools Ltd,,LK,lk\n`])
  expect(outcomeOf(ask(both, 'company number LK PV0021')).slice(2)).toEqual(['Norvane Mills Ltd'])
  expect(outcomeOf(ask(both, 'company number LK PV021')).slice(2)).toEqual(['Larkmoor Tools Ltd'])
  expect(ask(both, 'company number LK PV21').entity).toBeNull()
})

describe('numbers with the codes of country and court', () => {
  const coded = ['SN-DKR-2010-B-1234', 'CI-ABJ-2018-B-12345', 'ML-BKO-2009-B-119', 'CD/KIN/RCCM/14-B-1234']
  const place = (number: string) => number.slice(0, 2).toLowerCase()

  test.each(coded)(
    '%s is found with other signs and zeros, and in another court is another number',
    (number) => {
      const country = place(number)
      const line = `${number},Larkmoor Tools,,${country.toUpperCase()},${country}`
      const registry = registryOf([`${header}\n${line}\n`])
      for (const spelled of [
        number,
        number.replace(/[-/]/g, '.'),
        number.toLowerCase(),
        number.replace(/(?=\d+$)/, '0'),
      ])
        expect(outcomeOf(ask(registry, `company number ${country.toUpperCase()} ${spelled}`))).toEqual([
          'matched',
          99,
          'Larkmoor Tools',
        ])
      const elsewhere = number.replace(/(?<=^..[-/])[A-Z]{3}/, 'XYZ')
      const asked = ask(
        registry,
        `Larkmoor Tools SARL (company number ${country.toUpperCase()} ${elsewhere})`,
      )
      expect(asked).toMatchObject({ status: 'inconclusive' })
      expect(asked.match_confidence).toBeLessThanOrEqual(50)
    },
  )
})

test('A tax number of Tunisia with its category and establishment is compared by the identifier in it', () => {
  for (const end of ['/A/M/000', 'AM000', '/A/P/M/001', ' A M 000', 'BN000']) {
    expect([end, areDifferentNumbers('tn', '1288014F', `1288014F${end}`, true)]).toEqual([end, false])
    expect([end, areDifferentNumbers('tn', `1288014F${end}`, '1288014F', true)]).toEqual([end, false])
    expect([end, areDifferentNumbers('tn', '1288014F', `1601877A${end}`, true)]).toEqual([end, true])
    expect([end, areDifferentNumbers('tn', `1601877A${end}`, '1288014F', true)]).toEqual([end, true])
  }
})

describe('numbers of sections of a register', () => {
  const registry = registryOf([
    `${header}\nB112345,Larkmoor Funds S.A.,Luxembourg,LU,lu\nB99021,Norvane Invest S.C.A.,Luxembourg,LU,lu\n` +
      'E4512,Larkmoor Immobilière,Luxembourg,LU,lu\nB4512,Quillford S.A.,Luxembourg,LU,lu\n',
  ])
  test.each([
    ['Larkmoor Funds S.A. (company number LU 112345)', 'matched'],
    ['Larkmoor Funds S.A. (company number LU RCSL B112345)', 'matched'],
    ['Larkmoor Immobilière (company number LU 4512)', 'matched'],
    ['Quillford S.A. (company number LU 4512)', 'matched'],
    ['Larkmoor Funds S.A. (company number LU 99021)', 'inconclusive'],
    ['Larkmoor Funds S.A. (company number LU LUB99021)', 'inconclusive'],
    ['Larkmoor Funds S.A. (company number LU B112354)', 'inconclusive'],
  ])('%s: %s', (name, status) => {
    expect(outcomeOf(ask(registry, name, 'Luxembourg, LU'))[0]).toBe(status)
  })
  test('swapped digits are said to be swapped', () => {
    const answer = ask(registry, 'Larkmoor Funds S.A. (company number LU B112354)')
    expect(JSON.stringify(answer.factors)).toContain('two neighbouring characters are swapped')
  })
})

test('an establishment in Ecuador is its company', () => {
  const registry = registryOf([`${header}\n1790319857001,Larkmoor Andes S.A.,Quito,EC,ec\n`])
  for (const number of ['1790319857001', '1790319857002', '1790319857015']) {
    const answer = ask(registry, `Larkmoor Andes S.A. (company number EC ${number})`)
    expect([number, ...outcomeOf(answer)]).toEqual([number, 'matched', 99, 'Larkmoor Andes S.A.'])
  }
})

test('Of several numbers of a row, any that the company has agrees; a conflict counts if it has none', () => {
  const registry = registryOf([
    `${header}\nB112345,Larkmoor Funds S.A.,Luxembourg,LU,lu\nB99021,Norvane Invest S.C.A.,Luxembourg,LU,lu\n` +
      '556012-5790,Larkmoor Nord AB,Stockholm,SE,se\n01-09-123456,Larkmoor Duna Kft.,Budapest,HU,hu\n',
  ])
  for (const [name, place, numbers, isRight] of [
    ['Larkmoor Funds S.A.', 'LU', 'B99021 / B112345', true],
    ['Larkmoor Funds S.A.', 'LU', 'B112345 / B880', true],
    ['Larkmoor Funds S.A.', 'LU', 'B99021 / B880', false],
    ['Larkmoor Funds S.A.', 'LU', 'B8810 / B880', false],
    ['Larkmoor Nord AB', 'SE', '556016-0680 / 556012-5790', true],
    ['Larkmoor Nord AB', 'SE', '556016-0680 / 556013-1111', false],
    ['Larkmoor Duna Kft.', 'HU', '01-09-654321 / 01-09-123456', true],
  ] as const) {
    const answer = ask(registry, `${name} (company number ${place} ${numbers})`, place)
    expect([numbers, answer.status]).toEqual([numbers, isRight ? 'matched' : 'inconclusive'])
    if (isRight) expect(JSON.stringify(answer.factors)).not.toContain(' / ')
  }
})

describe('the year in a number', () => {
  const countries = ['BD', 'IN', 'KE', 'NG', 'ID', 'ZM', 'PK', 'NA']
  const writeYear: readonly ((number: number, year: string) => string)[] = [
    (number, year) => `C-${number}/${year}`,
    (number, year) => `C.${number}/${year}`,
    (number, year) => `C ${number} / ${year}`,
    (number, year) => `C${number}/${year}`,
    (number, year) => `C-0${number} of ${year}`,
    (number, year) => `C/${number}/${year}`,
    (number, year) => `সি-${number}/${year}`,
    (number, year) => `सी-${number}/${year}`,
    (number, year) => `С-${number}/${year}`,
  ]
  const cases = [
    fc.constantFrom(...countries),
    fc.integer({ min: 1_000, max: 99_999 }),
    fc.integer({ min: 1950, max: 2025 }).map(String),
    fc.constantFrom(...writeYear),
    fc.constantFrom(...writeYear.slice(0, 4), ...writeYear.slice(6)),
    fc.boolean(),
  ] as const
  const registerOf = (country: string, ...numbers: readonly string[]) =>
    registryOf([
      `${header}\n${numbers.map((one, at) => `"${one}",Larkmoor ${['Textiles', 'Steel'][at]} Ltd,Ostmere,${country},${country}\n`).join('')}`,
    ])

  test('is written with two or four digits, and the letters in any script', () => {
    forAll(40, [...cases], (country, number, year, write, hold, isShort) => {
      const [short, long] = [year.slice(2), year]
      const held = hold(number, isShort ? short : long)
      const asked = write(number, isShort ? long : short)
      const registry = registerOf(country, held, hold(number + 1, isShort ? short : long))
      const found = ask(registry, `Larkmoor Textiles Ltd (company number ${country} ${asked})`)
      expect([held, asked, ...outcomeOf(found)]).toEqual([
        held,
        asked,
        'matched',
        99,
        'Larkmoor Textiles Ltd',
      ])
      const hits = registry.search({ name: asked, limit: 5 }).hits
      expect([held, asked, hits[0]?.legalName]).toEqual([held, asked, 'Larkmoor Textiles Ltd'])
    })
  })

  test('that a list omits is no contradiction, and another year is one', () => {
    forAll(20, [...cases], (country, number, year, _, hold, isShort) => {
      if (isShort) return
      const registry = registerOf(country, hold(number, year))
      const other = `C-${number}/${Number(year) - 1}`
      const ofOther = ask(registry, `Larkmoor Textiles Ltd (company number ${country} ${other})`)
      expect([other, ofOther.match_confidence]).toEqual([other, 50])
      const bare = ask(registry, `Larkmoor Textiles Ltd (company number ${country} C-${number})`)
      expect([number, ...outcomeOf(bare)]).toEqual([number, 'matched', 99, 'Larkmoor Textiles Ltd'])
      const alone = ask(registry, `company number ${country} C-${number}`)
      expect([number, ...outcomeOf(alone)]).toEqual([number, 'partial_match', 79, 'Larkmoor Textiles Ltd'])
    })
  })

  test.each(['C-6123406', 'C-612340/6', 'C-61234/07', 'C-61235/06', 'P-61234/06', 'C-6/123406'])(
    'is not read into %s',
    (held) => {
      const registry = registerOf('BD', held)
      expect(ask(registry, 'company number BD C-61234/2006').status).toBe('no_match')
    },
  )

  test('is apart from the digits of numbers of other forms', () => {
    const pairs = [
      ['FI', '2012345-6', '2012345-7'],
      ['SE', '556012-1906', '556012-2006'],
      ['GB', 'SC123406', 'SC12342006'],
      ['FR', '552032534', '552032542'],
    ] as const
    for (const [country, one, other] of pairs)
      expect([one, areDifferentNumbers(country.toLowerCase(), one, other, true)]).toEqual([one, true])
  })
})

test.each([
  ['GH', 'CS210992013', 'Accra', 'Lagos, Nigeria', 'country'],
  ['UG', '80020001234567', 'Kampala', 'Nairobi, Kenya', 'country'],
  ['BD', 'C-61234/06', 'Dhaka', 'Delhi, India', 'country'],
] as const)(
  '%s: the doubt about a number without a country says what is missing',
  (country, id, town, asked, missing) => {
    const registry = registryOf([`${header}\n${id},Larkmoor Foods Ltd,${town},${country},${country}\n`])
    const { factors } = ask(registry, `Larkmoor Foods Ltd (company number ${id})`, asked)
    const text = factors.map(({ description }) => description).join(' ')
    expect(text).not.toContain('several registers')
    expect(text).toContain(
      `does not say of which ${missing}, and the place given is not that of the company.`,
    )
  },
)

describe('Numbers whose register draws letters and digits', () => {
  const characters = fc.constantFrom(...'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'.split(''))
  const drawn = fc
    .array(characters, { minLength: 6, maxLength: 8 })
    .map((list) => list.join(''))
    .filter((text) => /[A-Z].*\d/.test(text))
  const prefix = fc.constantFrom('PVT', 'BN', 'LLP', 'PLC', 'CLG')
  const country = fc.constantFrom('ke', 'ug', 'gh', 'zm', 'bw', 'na', 'mw')

  test('of one prefix are those of two companies, and with another one perhaps of one', () => {
    forAll(200, [country, prefix, drawn, drawn, prefix], (of, letters, one, other, more) => {
      if (one === other) return
      expect(areDifferentNumbers(of, `${letters}-${one}`, `${letters}-${other}`, true)).toBe(true)
      expect(areDifferentNumbers(of, `${letters}-${one}`, `${letters}${other}`, true)).toBe(true)
      expect(areDifferentNumbers(of, `${letters}-${one}`, `${letters}/${one}`, true)).toBe(false)
      if (more !== letters)
        expect(areDifferentNumbers(of, `${letters}-${one}`, `${more}-${other}`, true)).toBe(false)
      expect(areDifferentNumbers(of, `${letters}-${one}`, 'P051345678A', true)).toBe(false)
      expect(areDifferentNumbers(of, `${letters}-${one}`, 'CPR/2009/12345', true)).toBe(false)
    })
  })

  test.each([
    ['PVT-ABC123', 'PVT-ZZZ999'],
    ['CPR/2009/12345', 'CPR-2011-55555'],
    ['CPR/2009/12345', 'C.P.R. 2011/55555'],
    ['CPR/2009/12345', 'CPR201155555'],
  ])('%s and %s differ in Kenya, and another company of that name does not match', (own, other) => {
    const registry = registryOf([
      `id,name,city,country,jurisdiction\n${own},Larkmoor Agencies Ltd,Kisumu,KE,ke\n`,
    ])
    for (const place of ['KE ', '']) {
      const said = `Larkmoor Agencies Ltd (company number ${place}${other})`
      expect([place, ...outcomeOf(ask(registry, said, 'Kisumu'))]).toEqual([
        place,
        'inconclusive',
        50,
        'Larkmoor Agencies Ltd',
      ])
    }
  })

  test('The numbers of partnerships in India have letters of the number', () => {
    expect(areDifferentNumbers('in', 'AAB-1234', 'AAC-4321', true)).toBe(true)
    expect(areDifferentNumbers('in', 'AAB-1234', 'AAB1234', true)).toBe(false)
    expect(areDifferentNumbers('in', 'AAB-1234', 'U12345MH2010PTC123456', true)).toBe(false)
  })
})

const numbersOf = (registry: WritableRegistry): string[] =>
  ask(registry, 'Larkmoor Quell').entity?.identifiers.map(({ value }) => value) ?? []

/** Country, number of its companies, and the number with the zeros of its column. */
const padded = [
  ['co', '800123017', '00000800123017'],
  ['co', '800123017', '00008001230175'],
  ['pe', '20100047218', '00020100047218'],
  ['ar', '30500010912', '0030500010912'],
  ['cl', '96505760-9', '0096505760-9'],
  ['no', '923609016', '0000923609016'],
  ['it', '00905811006', '000000905811006'],
  ['be', '0403.170.701', '0000403170701'],
] as const
describe.each(padded)('in %s, %s with zeros in front, %s,', (place, number, long) => {
  const held = (text: string, court: string) =>
    registryOf([`id,name,city,registration_court\n${text},Larkmoor Quell,Cali,${court}\n`], {
      jurisdiction: place,
    })
  const asked = (text: string) => `company number ${place.toUpperCase()} ${text}`
  const digits = (text: string) => text.replace(/\D/g, '')

  test('is the number in a register, with a column of courts and without', () => {
    for (const court of ['', 'Cali']) {
      expect(outcomeOf(ask(held(long, court), asked(number)))).toEqual(['matched', 99, 'Larkmoor Quell'])
      const stored = numbersOf(held(long, court)).map(digits)
      expect([[digits(number)], [digits(long).replace(/^0+/, '')]]).toContainEqual(stored)
    }
  })

  test('finds the number in a register', () => {
    expect(outcomeOf(ask(held(number, ''), asked(long)))).toEqual(['matched', 99, 'Larkmoor Quell'])
  })
})

test.each([
  ['do', '00101234567'],
  ['vn', '001234567890'],
  ['nl', '000006354352'],
  ['co', '0000253265'],
  ['gb', '00445790'],
  ['fr', '00035600000048'],
])('in %s, the zeros of %s are a part of it', (place, number) => {
  const registry = registryOf([`id,name\n${number},Larkmoor Quell\n`], { jurisdiction: place })
  expect(numbersOf(registry)).toEqual([number])
})

test.each([
  ['co', '0002941795', '0002941795 CALI'],
  ['co', '800123017', '800123017'],
  ['ma', '001524689000078', '001524689000078'],
  ['pe', '20100047218', '20100047218'],
  ['hu', '10773381-2-44', '10773381-2-44'],
  ['ve', 'J-00002950-4', 'J-00002950-4'],
])('in %s, a column of courts makes %s %s', (jurisdiction, number, stored) => {
  const rows = `id,name,registration_court\n${number},Larkmoor Quell,Cali\n`
  const registry = registryOf([rows], { jurisdiction })
  expect(numbersOf(registry)).toEqual([stored])
})

test('the country of a file without jurisdictions is that of its numbers, except in rows of other countries', () => {
  const rows = 'id,name,land\n800123017,Larkmoor Quell,\n800123018,Norvane Tol,Peru\n'
  const registry = registryOf([rows], { country: 'CO', map: { id: 'id', name: 'name', country: 'land' } })
  const places = ['Larkmoor Quell', 'Norvane Tol'].map(
    (name) => ask(registry, name).entity?.primary_legal_entity.jurisdiction ?? null,
  )
  expect(places).toEqual(['co', null])
})
