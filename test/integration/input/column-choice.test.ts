import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { IdentifierColumns } from '../../../src/core/identifiers.js'
import type { CheckpointReader, KeyedLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import {
  listLookupColumns,
  type LookupColumns,
  type NamedColumns,
} from '../../../src/pipeline/input/columns.js'
import type { RowQuestion } from '../../../src/pipeline/input/row-question.js'
import { findPersonCountries } from '../../../src/pipeline/input/find-identifiers.js'
import { InputColumns } from '../../../src/pipeline/input/input-columns.js'
import { openInput } from '../../../src/pipeline/input/input.js'
import {
  createEarlierNames,
  createRowReader,
  noEarlierNames,
  toKeyedLookup,
} from '../../../src/pipeline/input/row-reader.js'
import { forAllAsync } from '../../support/properties.js'

const folder = mkdtempSync(join(tmpdir(), 'enrich-column-choice-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const header = ['company', 'country', 'LEI', 'Reg No', 'Website', 'BIC']
const cells = [
  ['Acme', 'Bolt', 'Cera', 'Dorn', 'HWUPKR0MPOU8FGXBT394', 'n/a'],
  ['DE', ''],
  ['HWUPKR0MPOU8FGXBT394', 'HWUPKR0MPOU8FGXBT395', ''],
  ['HRB 86891', 'DE123456789', 'n/a', ''],
  ['acme.com', 'bolt.io', 'cera.de', 'dorn.fr', ''],
  ['DEUTDEFF', ''],
] as const
type Row = readonly string[]

const toKey = ({ kind, key }: Pick<KeyedLookup, 'kind' | 'key'>) =>
  `${kind} ${Buffer.from(key).toString('hex')}`

/** Lists the keys of the rows' lookups with these identifiers; `null` for a row without one. */
async function listKeys(
  rows: readonly Row[],
  identifiers: IdentifierColumns,
  earlier = noEarlierNames,
  readsNames = false,
) {
  const rule = {
    columns: { name: 'company', location: ['country'], context: [], identifiers },
    identifierUse: 'context',
    readsNames,
  } as const
  const order = ['lei', 'registration_id', 'bic', 'website', 'registration_country'] as const
  const places = [
    0,
    1,
    ...order.flatMap((key) => (identifiers[key] === undefined ? [] : header.indexOf(identifiers[key]))),
  ]
  const questions = await createRowReader(
    rule,
    earlier,
  )(rows.map((row) => places.map((at) => row[at] ?? null)))
  return questions.map((question) => (question.kind === 'invalid' ? null : toKey(toKeyedLookup(question))))
}

/** A checkpoint that knows these lookups and counts the lookups that are searched. `names`: null if it does not list them. */
function createReader(known: ReadonlySet<string>, names: readonly string[] | null = null) {
  const counts = { found: 0 }
  const reader = {
    fetch: () => Promise.resolve(),
    find: (lookups: readonly KeyedLookup[]) => {
      counts.found += lookups.length
      return lookups.map((lookup) => (known.has(toKey(lookup)) ? 1 : 0))
    },
    readLookups: (ids: readonly number[]) => ids.map((id) => (id === 0 ? null : { isSubmitted: true })),
    readAnswers: (ids: readonly number[]) => ids.map((id) => (id === 0 ? null : { state: 'answered' })),
    read: (_query: 'names', { take }: { take: (name: string) => void }) => {
      names?.forEach(take)
      return names !== null
    },
  }
  return { reader: reader as unknown as CheckpointReader, counts }
}

async function choose(
  rows: readonly Row[],
  reader: CheckpointReader,
  columnNames: readonly string[] = header,
  asked: NamedColumns = {},
  isBilled = true,
) {
  const path = join(folder, 'list.csv')
  writeFileSync(path, [columnNames, ...rows].map((row) => row.join(',')).join('\n'))
  const input = await openInput({ paths: [path], spoolFolder: join(folder, 'spool') })
  try {
    const columns = await InputColumns.read(input, { asked, identifierUse: 'context' })
    const { rule, note } = await columns.choose(reader, new AbortController().signal, isBilled)
    return { detected: columns.detect(), chosen: rule.columns, note, doubt: rule.doubt ?? null }
  } finally {
    await input.close()
  }
}

const allIdentifiers = {
  lei: 'LEI',
  registration_id: 'Reg No',
  registration_country: 'country',
  website: 'Website',
  bic: 'BIC',
}

const earlierChoices: readonly IdentifierColumns[] = [
  {},
  { lei: 'LEI' },
  { website: 'Website' },
  { bic: 'BIC' },
  { registration_id: 'Reg No' },
  { lei: 'LEI', registration_id: 'Reg No', registration_country: 'country', website: 'Website' },
]

test('A list keeps the columns with which most of its rows were looked up', async () => {
  const fullRow = cells.map(([first]) => first)
  const anyRow = fc.tuple(...cells.map((choices) => fc.constantFrom(...choices)))
  const anyKnown = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 31, maxLength: 31 })
  await forAllAsync(
    60,
    [fc.array(anyRow, { minLength: 1, maxLength: 30 }), fc.constantFrom(...earlierChoices), anyKnown],
    async (drawn, earlier, known) => {
      const rows = [fullRow, ...drawn]
      const present = await listKeys(rows, allIdentifiers)
      const before = await listKeys(rows, earlier)
      const asked = rows.flatMap((_, at) => {
        const [isAsked, isBefore] = known[at] ?? [false, false]
        return [isAsked ? present[at] : null, isBefore ? before[at] : null].filter(
          (key) => key !== null && key !== undefined,
        )
      })
      const { reader } = createReader(new Set(asked))
      const count = async (identifiers: IdentifierColumns) => {
        const keys = await listKeys(
          rows,
          identifiers,
          createEarlierNames(reader),
          identifiers === allIdentifiers,
        )
        return keys.filter((key) => key !== null && asked.includes(key)).length
      }
      const { detected, chosen } = await choose(rows, reader)
      // A drawn list may have the same website in most rows.
      fc.pre(Object.keys(detected.identifiers).length === Object.keys(allIdentifiers).length)
      const presentCount = await count(allIdentifiers)
      const isPresent = JSON.stringify(chosen) === JSON.stringify(detected)
      if (isPresent) {
        for (const one of earlierChoices) expect(await count(one)).toBeLessThanOrEqual(presentCount)
      } else {
        expect(await count(chosen.identifiers)).toBeGreaterThan(presentCount)
        for (const one of earlierChoices)
          expect(await count(one)).toBeLessThanOrEqual(await count(chosen.identifiers))
      }
    },
  )
})

test('A row that was looked up with the present columns is searched once, and a new one once for each reading', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => [`Company ${at}`, 'DE', '', '', `site${at}.com`, ''])
  const full = ['Acme', 'DE', 'HWUPKR0MPOU8FGXBT394', 'HRB 86891', 'acme.com', 'DEUTDEFF']
  const all = [full, ...rows]
  const present = (await listKeys(all, allIdentifiers)).filter((key) => key !== null)
  const known = createReader(new Set(present))
  await choose(all, known.reader)
  expect(known.counts.found).toBeLessThanOrEqual(all.length * 1.1)
  const fresh = createReader(new Set())
  await choose(all, fresh.reader)
  expect(fresh.counts.found).toBeLessThanOrEqual(all.length * 2.1)
})

test.each([0, 20])(
  'A long list with %i rows that were looked up without identifiers: a row whose name is new is read once',
  async (knownCount) => {
    const toName = (at: number) => (at % 2 === 0 ? `Fïrma ${at}` : `company  no ${at}`)
    const rows = Array.from({ length: 4_000 }, (_, at) => [toName(at), 'DE', '', '', `s${at}.com`, ''])
    const full = ['Acme', 'DE', 'HWUPKR0MPOU8FGXBT394', 'HRB 86891', 'acme.com', 'DEUTDEFF']
    const stored = rows.slice(rows.length - knownCount)
    const known = (await listKeys(stored, {})).filter((key) => key !== null)
    const names = stored.map(([name = '']) => name.toUpperCase().replace('  ', ' '))
    const { reader, counts } = createReader(new Set(knownCount === 0 ? [] : known), [...names, 'Bolt'])
    const { detected, chosen } = await choose([full, ...rows], reader)
    expect(chosen.identifiers).toEqual(knownCount === 0 ? detected.identifiers : {})
    expect(counts.found).toBeLessThanOrEqual(rows.length + 600 + 10 * knownCount)
  },
)

test('A service that bills nothing is asked with the present columns, whatever it was asked before', async () => {
  const rows = [['Acme', 'DE', 'HWUPKR0MPOU8FGXBT394', 'HRB 86891', 'acme.com', 'DEUTDEFF']]
  const known = (await listKeys(rows, {})).filter((key) => key !== null)
  const { reader, counts } = createReader(new Set(known))
  expect((await choose(rows, reader)).chosen.identifiers).toEqual({})
  const before = counts.found
  const { chosen, detected, note } = await choose(rows, reader, header, {}, false)
  expect([chosen, note, counts.found]).toEqual([detected, null, before])
})

const vietnamese = 'Tên công ty'

test.each<[header: string[], row: string[], earlier: Partial<LookupColumns>, name?: string]>([
  [['company', 'City', 'Prov/State'], ['Acme', 'Toronto', 'ON'], { location: ['City'] }],
  [['company', 'Siedziba', 'Kraj'], ['Acme', 'Berlin', 'Niemcy'], { location: ['Siedziba'] }],
  [['company', 'Ort 1', 'St/Prov'], ['Acme', 'Toronto', 'ON'], { location: [] }],
  [['company', 'Kraj', 'Země'], ['Acme', 'Zlínský', 'Česko'], { location: ['Kraj'] }],
  [
    ['company', 'Contact E-mail', 'Vendor Website'],
    ['Acme', 'a@acme.com', 'x.com'],
    { identifiers: { email: 'Contact E-mail' } },
  ],
  [['company', 'Numer rejestrowy'], ['Acme', '0000028860'], { identifiers: {} }],
  [['name', vietnamese, 'Thành phố'], ['Bolt', 'Acme', 'Huế'], { name: 'name', location: [] }],
  [
    ['Client', 'Ville du client', 'LEI'],
    ['Acme', 'Paris', 'HWUPKR0MPOU8FGXBT394'],
    { location: [], identifiers: {} },
  ],
  [
    [vietnamese, 'Thành phố', 'Trang web'],
    ['Acme', 'Huế', 'acme.vn'],
    { location: [], identifiers: {} },
    vietnamese,
  ],
])(
  'A list keeps the columns that a version without the words of %j has found',
  async (columns, row, earlier, name) => {
    const rows = Array.from({ length: 3 }, (_, at) => [
      `${row[0]} ${at}`,
      ...row.slice(1).map((cell) => cell.replace('x.com', `x${at}.com`)),
    ])
    const { detected } = await choose(rows, createReader(new Set()).reader, columns, { name })
    const before = { ...detected, ...earlier }
    const read = createRowReader(
      { columns: before, identifierUse: 'context', readsNames: false },
      noEarlierNames,
    )
    const cellsOf = (one: readonly string[]) =>
      listLookupColumns(before).map((column) => one[columns.indexOf(column)] ?? null)
    const questions = await read(rows.map(cellsOf))
    const known = questions.flatMap((one) => (one.kind === 'invalid' ? [] : [toKey(toKeyedLookup(one))]))
    expect(known).toHaveLength(3)
    const { chosen } = await choose(rows, createReader(new Set(known)).reader, columns, { name })
    expect(chosen).toEqual(before)
    expect(detected).not.toEqual(before)
  },
)

test('The note on named columns counts the rows that are looked up again', async () => {
  const rows = ['Acme', 'Bolt', 'Cera'].map((name) => [name, `${name.toLowerCase()}.com`, 'DE'])
  const columns = ['company', 'Website', 'country']
  const read = (identifiers: IdentifierColumns) =>
    createRowReader(
      {
        columns: { name: 'company', location: ['country'], context: [], identifiers },
        identifierUse: 'context',
        readsNames: false,
      },
      noEarlierNames,
    )
  const toKeys = (questions: readonly RowQuestion[]) =>
    questions.flatMap((one) => (one.kind === 'invalid' ? [] : [toKey(toKeyedLookup(one))]))
  const plain = toKeys(await read({})(rows.map(([name = '', , country = '']) => [name, country])))
  const named = toKeys(
    await read({ website: 'Website' })(
      rows.map(([name = '', site = '', country = '']) => [name, country, site]),
    ),
  )
  const { reader } = createReader(new Set([...plain, ...named.slice(0, 2)]))
  const { note } = await choose(rows, reader, columns, { identifiers: { website: 'Website' } })
  expect(note).toMatch(/^1 row was looked up before .* looked up and billed again$/)
})

test.each([
  ['NIP', '6260181591', 'PL'],
  ['VAT', '310122393500003', 'SA'],
  ['TIN', '1234567890', 'PH'],
  ['الرقم الضريبي', '310122393500003', 'SA'],
  ['Vergi Kimlik No', '1234567890', 'TR'],
  ['NPWP', '01.234.567.8-901.000', 'ID'],
  ['เลขทะเบียนภาษีมูลค่าเพิ่ม', '1234567890', 'TH'],
])(
  'Tax numbers under %s, which no open register has, go to an own registry',
  async (column, number, country) => {
    const rows: Row[] = [
      ['Larkmoor', number, country],
      ['Norvane', number.replace('1', '7'), country],
    ]
    const columns = ['name', column, 'country']
    const { reader } = createReader(new Set())
    const own = await choose(rows, reader, columns, {}, false)
    expect(own.chosen.identifiers).toMatchObject({ registration_id: column })
    const hosted = await choose(rows, reader, columns)
    expect(hosted.chosen.identifiers).toEqual({})
    for (const identifiers of ['none', { lei: 'name' }] as const)
      expect(
        (await choose(rows, reader, columns, { identifiers }, false)).chosen.identifiers,
      ).not.toHaveProperty('registration_id')
  },
)

test.each([
  ['??? ??|??????? ????? ???|???? ??', /question marks in place of letters/],
  ['C«ng ty CP TËp ®oµn Sao|C«ng ty TNHH Mai V¨n|DNTN H¶i Lý', /font TCVN3/],
  ['M?ller Werke GmbH|Soci?t? du Nord|B?cker AG', /question marks inside words/],
  ['Citro\ufffdn Werke|Zürcher Bank|Larkmoor AG', /U\+FFFD/],
  ['M\\xFCller Werke AG|Norvane', /bytes that are not UTF-8/],
  ['M&uuml;ller Werke GmbH|Norvane', /codes of HTML/],
  ['Smith &amp; Sons|Norvane', /codes of HTML/],
  ['MÃ¼ller Werke GmbH|SociÃ©tÃ© du Nord|BÃ¤cker AG', /UTF-8 that was read as another encoding/],
  ['CÃ´ng ty Cá»\u0095 pháº§n|Norvane', /UTF-8 that was read/],
  ['ÐžÐžÐž Ð Ð¾Ð¼Ð°ÑˆÐºÐ°|Norvane', /UTF-8 that was read/],
  ['Î‘ÎµÏ„ÏŒÏ‚ Î‘Î•|Norvane', /UTF-8 that was read/],
  ['æ ªå¼\u008fä¼šç¤¾|Norvane', /UTF-8 that was read/],
  ['РћРћРћ Ромашка|РќРѕСЂРґ', /UTF-8 that was read/],
  ['M├╝ller|B├ñcker', /UTF-8 that was read/],
  ['M√ºller|B√§cker', /UTF-8 that was read/],
  ['CAFÉ’S ÎLE|JOÃO SÃ AS|ÅÄÖ AB|ÑANDÚ SA|Ünïted “É”|Å® Ä™|Côté – Îles|È un’idea', null],
  ['Росссс|РОССИЙСКАЯ ССР|Ріка Ріст|Рiсс|ÂME ÃO|Pâté & fils; R&D; A&B;', null],
  [
    'Who? What?|Why?Not Ltd|Larkmoor AG|Norvane|Velsor|Brimholt|Tamsin|Quillard|Ostrelle|Ünsal|Otto|Lund',
    null,
  ],
  ['Coâng ty CP Taäp ñoaøn Sao|Coâng ty TNHH Mai|DNTN Haûi', /font VNI/],
  ['«ромашка»|«василёк»|ООО «лютик»', null],
  ['«larkmoor»|«norvane»|SARL «velsor»', null],
  ['Acme® Beverages|Théâtre Noël|Señor Muñoz SA|Who?|Nørre Aaby A/S', null],
])(
  'Names in letters that a program has damaged are a doubt before anything is billed: %s',
  async (names, doubt) => {
    const rows = names.split('|').map((name): Row => [name, 'Bonn'])
    const { reader } = createReader(new Set())
    const chosen = await choose(rows, reader, ['Company', 'City'])
    if (doubt === null) expect(chosen.doubt).toBeNull()
    else expect(chosen.doubt).toMatch(doubt)
  },
)

test('Names with addresses below an unknown header are used with a doubt', async () => {
  const rows = [
    'Volarna d.o.o. - Ilica 1',
    'Zvjezdana d.d.; Obala 2 in der langen Reihe hinter dem Dom 7 und 8',
    'Norvane d.o.o.; Split',
  ].map((name, at): Row => [String(at), name])
  const { reader } = createReader(new Set())
  const chosen = await choose(rows, reader, ['Rbr', 'Pravna'])
  expect([chosen.chosen.name, chosen.doubt]).toEqual([
    'Pravna',
    expect.stringContaining('no header is known'),
  ])
})

/** A header, a company's number and a person's number; invented, with right check digits. */
test.each([
  ['დასახელება;ს/კ;ქალაქი', '204566978', '01019045678'],
  ['დასახელება;საიდენტიფიკაციო კოდი;ქალაქი', '405123456', '01019045678'],
  ['Անվանում;ՀՎՀՀ;Քաղաք', '02712345', '1501901234'],
  ['Şirkət adı;VÖEN;Şəhər', '1234567891', '1234567892'],
  ['Компания;БИН/ИИН;Город', '990140000123', '800101300123'],
  ['Ишкана;ИНН;Шаар', '02706199510045', '21503198500123'],
  ['Korxona nomi;STIR;Shahar', '201123456', '31501900000012'],
  ['Наименование;ИНН;Город', '7707083893', '500100732259'],
  ['Назва;ЄДРПОУ;Місто', '14360570', '2345678901'],
  ['Назва;Ідентифікаційний код;Місто', '14360570', '2345678901'],
  ['Наименование;УНП;Город', '190190190', 'AB1234567'],
  ['Pavadinimas;Įmonės kodas;Miestas', '110053842', '33309240064'],
  ['Nosaukums;Reģ. nr.;Pilsēta', '40003009497', '161175-19997'],
  ['Nimetus;Registrikood;Linn', '10137319', '37605030299'],
  ['Denumire firmă;Cod fiscal;Localitate', '1590082', '1800101221144'],
  ['Фирма;Регистрационен номер;Град', '831902088', '7501020018'],
  ['Naziv;Matični broj;Grad', '07013922', '0101980710009'],
  ['Nazwa firmy;NIP;Miasto', '7740001454', '44051401359'],
  ['Şirket adı;Vergi No;Şehir', '1234567895', '10000000146'],
  ['Razón social;NIT;Ciudad', '860002964', '1020304050'],
  ['Razón social;RUC;Ciudad', '20100047218', '10445666882'],
  ['Razón social;RUC;Ciudad', '1790010937001', '1710034065001'],
  ['Razón social;RUT;Ciudad', '96.790.240-3', '12.345.678-5'],
  ['Razão social;CNPJ;Cidade', '33.000.167/0001-01', '12345678909'],
  ['Company name;Registration number;City', '2005/123456/07 2011/654321/07', '8001015009087'],
  ['ชื่อบริษัท;เลขทะเบียน;เมือง', '0105536000315', '1101700203451'],
  ['회사명;등록번호;도시', '124-81-00998', '800101-1234567'],
  ['Tên công ty;Mã số thuế;Thành phố', '0100109106', '001080012345'],
  ['Nama perusahaan;NPWP;Kota', '013101234061000', '3171010101800001'],
  ['Company name;Registration number;City', 'CS123456789', 'GHA-123456789-1'],
  ['Company name;RC number;City', 'RC1234567', '12345678901'],
  ['Company name;Registration number;City', '204566978 405123456', '01019045678'],
])(
  'Without a country, the number of a person is not sent: below %s, next to %s',
  async (columnNames, company, person) => {
    const path = join(folder, 'persons.csv')
    const numbers = [...company.split(' '), person]
    writeFileSync(
      path,
      [columnNames, ...numbers.map((one, at) => `Norvane ${at};${one};Larkmoor`)].join('\n'),
    )
    const input = await openInput({ paths: [path], spoolFolder: join(folder, 'spool') })
    try {
      const asked = { identifiers: { registration_id: columnNames.split(';')[1] } }
      const columns = await InputColumns.read(input, { asked, identifierUse: 'context' })
      const { rule } = await columns.choose(null, new AbortController().signal, true)
      const questions = []
      for await (const rows of input.rows.sample(listLookupColumns(rule.columns)))
        questions.push(...(await createRowReader(rule, noEarlierNames)(rows)))
      expect(JSON.stringify(questions)).not.toContain(person)
      expect(questions.at(-1)).toMatchObject({ faults: ['person_number'] })
      expect(questions[0]).not.toMatchObject({ faults: ['person_number'] })
    } finally {
      await input.close()
    }
  },
)

test('Numbers of companies of several countries below a general header are not those of persons', () => {
  const numbers = ['923609016', '974760673', '24256790', '10150817', '552100554', '40003009497', '01234567']
  expect(findPersonCountries([numbers])).toEqual([])
})

/** Names, towns and a third cell of rows in a language. */
const lists: Readonly<Record<string, string>> = {
  English: 'Norvane Ltd|Leeds|GB;Larkmoor PLC|York|GB;Velsor Trading|Bath|IL',
  German: 'Norvane GmbH|Köln|Kunde;Müller & Söhne KG|Bonn|Kunde;Bäckerei Huber|Ulm|Lieferant',
  French: 'Norvane SARL|Lyon|client;Société Larkmoor|Nice|client;Velsor SAS|Lille|prospect',
  Russian: 'ООО Норвейн|Москва|Россия;ЗАО Ларкмур|Казань|Россия;Велсор|Самара|Россия',
  Greek: 'Νορβάν ΑΕ|Αθήνα|GR;Λαρκ ΕΠΕ|Πάτρα|GR;Βελσόρ|Βόλος|GR',
  Hebrew: 'נורבן בע״מ|תל אביב|IL;לארק|חיפה|IL;ולסור בע״מ|אילת|IL',
  Japanese: '株式会社ミヤコ|京都府|075-221-0000;㈱堂島精機|大阪府|06-6201-5555;山田商店|大阪府|072-233-0000',
  Chinese:
    '诺凡有限公司|上海市|021-12345678;拉克集团|北京市|010-87654321;维索股份有限公司|广州市|020-11112222',
  Korean: '주식회사 노반|서울|02-123-4567;(주)라크|부산|051-123-4567;벨소르|대구|053-111-2222',
  Thai: 'บริษัท นอร์เวน จำกัด|กรุงเทพ|10110;ลาร์ค|เชียงใหม่|50000;บจก. เวลซอร์|ภูเก็ต|83000',
  Turkish:
    'Norvane A.Ş.|İzmir|0232 441 10 10;Larkmoor Ltd. Şti.|Bursa|0224 221 20 20;Velsor|Ankara|0312 441 30 30',
  Indonesian: 'PT Norvane|Jakarta|ID;CV Larkmoor|Medan|ID;Velsor Tbk|Bandung|ID',
  Spanish: 'Norvane S.A. de C.V.|Monterrey|MX;Larkmoor SA|Puebla|MX;Velsor|Toluca|MX',
  'no forms': 'Norvane|Oslo|Kunde;Larkmoor|Bergen|Kunde;Velsor|Molde|Lieferant',
}

test.each(Object.keys(lists))('A list without a header does not lose its first row: %s', async (language) => {
  const bases = (lists[language] ?? '').split(';').map((row) => row.split('|'))
  const shapes = ['name', 'name place', 'no name place', 'name place third', 'third place name']
  const shop = ['id name place mail site', 'id name kana place phone mail site number amount']
  for (const shape of [...shapes, ...shop])
    for (const count of [2, 3, 4, 5, 13, 50]) {
      const rows = Array.from({ length: count }, (_, at) => {
        const [name = '', place = '', third = ''] = bases[at % bases.length] ?? []
        const number = String(at + 1)
        const row: Readonly<Record<string, string>> = {
          name: at < bases.length ? name : `${name.slice(0, 2)}${number}${name.slice(2)}`,
          ...{
            place,
            third,
            no: number,
            id: number.padStart(4, '0'),
            kana: 'ﾐﾔｺ',
            phone: `06-6781-${1000 + at}`,
          },
          ...{ mail: `info@firm${number}.com`, site: `http://www.firm${number}.com/` },
          ...{ number: String(3_120_001_010_371 + at), amount: '5000' },
        }
        return shape.split(' ').map((key) => row[key] ?? '')
      })
      const [first = [], ...others] = rows
      const told = await choose(others, createReader(new Set()).reader, first).then(
        ({ doubt }) => doubt ?? 'nothing',
        (error: unknown) => (error as { code: string }).code,
      )
      // A row of words alone may be a header.
      const isPlain = language === 'no forms' && !shape.includes('third') && !shop.includes(shape)
      const expected = isPlain ? /^INPUT_/ : /^INPUT_HEADER_MISSING$/
      expect({ shape, count, told }).toEqual({
        shape,
        count,
        told: expect.stringMatching(expected) as string,
      })
    }
})

test.each([
  ['Company Ltd', 'City', 'Norvane Ltd|Leeds;Larkmoor PLC|York'],
  ['Наименование ООО', 'ИНН', 'ООО Норвейн|7707083893;ООО Ларкмур|7728168971'],
  ['Kunde', 'VIP', 'Norvane AS|VIP;Larkmoor AS|'],
  ['Firma', 'Kunde', 'Norvane AS|Kunde;Larkmoor AS|'],
  ['Name', '2023-2024', 'Norvane AS|1200-3000;Larkmoor AS|1300-4000'],
  ['Kontrahent X', 'Kod', 'Norvane SA|A;Kontrahent X|Kod;Larkmoor SA|B'],
])('A header with a value in it is one: %s, %s', async (name, other, rows) => {
  const list = rows.split(';').map((row) => row.split('|'))
  const { chosen } = await choose(list, createReader(new Set()).reader, [name, other])
  expect(chosen.name).toBe(name)
})

test('The doubt about names below an unknown header says what to do if it is a row', async () => {
  const rows = [['Larkmoor Ltd', 'York'], ['Velsor Ltd', 'Bath'], ['Sandmoor PLC', 'Hull']] // prettier-ignore
  const { doubt } = await choose(rows, createReader(new Set()).reader, ['Norvane', 'Leeds'])
  expect(doubt).toMatch(/"Norvane" is used.*if the first row is no header, pass --no-header/)
})
