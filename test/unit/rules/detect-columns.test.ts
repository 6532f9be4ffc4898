import { anyText } from '../core/any-text.js'
import fc from 'fast-check'
import { iso31661 } from 'iso-3166'
import { describe, expect, test } from 'vitest'
import { parsePlaceHeader } from '../../../src/core/header-words.js'
import { detectColumns } from '../../../src/pipeline/input/detect-columns.js'
import { listPlaceColumns, listUnreadNames } from '../../../src/pipeline/input/header-and-cells.js'
import { companyNameHeaders } from '../../../src/core/header-words.js'
import headerWords from '../../../src/core/headers.json' with { type: 'json' }
import { toHeaderKeys } from '../../../src/core/text.js'
import { UserError } from '../../../src/core/errors.js'
import { errorWith } from '../../support/error-with.js'
import { areAddresses } from '../../../src/pipeline/input/column-content.js'
import { forAll } from '../../support/properties.js'

describe('columns found by their headers', () => {
  test.each([
    [['id', 'company_name', 'name'], 'company_name'],
    [['Name', 'Company'], 'Company'],
    [['COMPANY-NAME', 'x'], 'COMPANY-NAME'],
    [['Legal Name', 'Account Name'], 'Legal Name'],
    [[' Organisation '], ' Organisation '],
    [['name'], 'name'],
    [['company_name', 'Company Name'], 'company_name'],
  ])('of %j the name is in %s', (header, name) => {
    expect(detectColumns(header, {}).name).toBe(name)
  })

  test.each([
    'Mgavi|Jina la Mgavi|Msambazaji|Jina la Mzabuni|Jina la Msambazaji|Mteja|አቅራቢ|የአቅራቢ ስም|ደንበኛ|Umukiriya|Izina rya kompanyi',
    'Utanga ibicuruzwa|Magaca alaab-qeybiyaha|Macmiil|Shirkad|Sunan kamfani|Sunan abokin ciniki|Abokin ciniki|Orúkọ ilé-iṣẹ́',
    'Olùpèsè|Oníbàárà|Igama lenkampani|Igama lomhlinzeki|Umhlinzeki|Ikhasimende|Verskaffer|Naam van verskaffer|Leweransier',
  ])('in languages of Africa: %s', (headers) => {
    for (const header of headers.split('|'))
      for (const written of [header, header.toUpperCase(), header.toLowerCase()])
        expect(detectColumns(['Na', written, 'Mji'], {}).name).toBe(written)
  })

  test.each([
    [
      ['name', 'country', 'city', 'state'],
      ['city', 'state', 'country'],
    ],
    [['name', 'location', 'city'], ['location']],
    [
      ['name', 'Billing City', 'Billing Country'],
      ['Billing City', 'Billing Country'],
    ],
    [['name', 'region'], ['region']],
    [['name', 'zip'], ['zip']],
    [['name', 'notes'], []],
  ])('of %j the location is in %j', (header, location) => {
    expect(detectColumns(header, {}).location).toEqual(location)
  })

  test.each(
    [
      'Address Line',
      'Address',
      'Adresszeile',
      'adresse_',
      'Dirección',
      'Street',
      'Business Address Line',
    ].map((name) => [name] as const),
  )('several lines of an address are the location, in their order: %s', (name) => {
    const lines = [1, 2, 3].map((line) => `${name} ${line}`)
    const [one = '', two = '', three = ''] = lines
    const locate = (...header: string[]) => detectColumns(['company', ...header], {}).location
    expect(locate(three, one, two, 'Country')).toEqual([...lines, 'Country'])
    expect(locate(...lines, 'Postcode', 'Country')).toEqual([...lines, 'Postcode', 'Country'])
    expect(locate(...lines, 'City', 'Country')).toEqual(['City', 'Country'])
    expect(locate(one, 'Postcode')).toEqual([one, 'Postcode'])
    expect(locate(one, 'Postcode', 'City')).toEqual(['City', 'Postcode'])
    expect(locate(one)).toEqual([one])
  })

  test.each([
    ['Actual Address', 'Legal Address'],
    ['Фактический адрес', 'Юридический адрес'],
    ['Фактична адреса', 'Юридична адреса'],
    ['ფაქტობრივი მისამართი', 'იურიდიული მისამართი'],
    ['Գործունեության հասցե', 'Իրավաբանական հասցե'],
    ['Faktiki ünvan', 'Hüquqi ünvan'],
    ['Нақты мекенжай', 'Заңды мекенжай'],
    ['Haqiqiy manzil', 'Yuridik manzil'],
    ['Faktiskā adrese', 'Juridiskā adrese'],
    ['Tegelik aadress', 'Juriidiline aadress'],
    ['Faktinis adresas', 'Buveinės adresas'],
    ['Skutečná adresa', 'Adresa sídla'],
    ['Adres faktyczny', 'Adres rejestrowy'],
    ['실제 주소', '등기상 주소'],
    ['办公地址', '注册地址'],
    ['Địa chỉ thực tế', 'Địa chỉ đăng ký'],
    ['العنوان الفعلي', 'العنوان القانوني'],
    ['ที่อยู่จริง', 'ที่อยู่ตามทะเบียน'],
  ])('The legal address is the place, and not the actual one in front of it: %s', (actual, legal) => {
    expect(detectColumns(['company', actual, legal], {}).location).toEqual([legal])
    expect(detectColumns(['company', actual], {}).location).toEqual([actual])
  })

  test.each([
    ['회사명', '주소', '우편번호'],
    ['会社名', '住所', '郵便番号'],
    ['公司名称', '地址', '邮编'],
    ['Company', 'Address', 'Postcode'],
  ])('Without a town, an address and its postal code are the place: %s', (name, address, code) => {
    const samples = new Map([
      [address, ['서울특별시 강남구 테헤란로 1', '부산광역시 해운대구 센텀로 2', '대구광역시 중구 국채로 3']],
      [code, ['06236']],
    ])
    expect(detectColumns([name, address, code], {}).location).toEqual([address, code])
    expect(detectColumns([name, address, code], {}, samples).location).toEqual([address, code])
  })

  test.each([
    ['dasaxeleba', 'qalaqi'],
    ['기업체명', '도시'],
    ['기업 이름', '도시'],
  ])('%s and %s name the company and its town', (name, city) => {
    expect(detectColumns(['No', name, city], {})).toMatchObject({ name, location: [city] })
  })

  const names = [...companyNameHeaders, ...toHeaderKeys(...headerWords.earlier.plainNames)].filter(
    (key) => !/\d$/.test(key),
  )
  test.each([' 1', '1', '_02', ' (3)', ' #1'])(
    'Every name of a column may end with a number: %j',
    (number) => {
      const unknown = names.filter((key) => {
        const column = `${key}${number}`
        return detectColumns([column, 'website'], {}).name !== column
      })
      expect(unknown).toEqual([])
    },
  )

  test.each([
    [['Firma 2', 'Firma 1', 'Ort 2', 'Ort 1', 'Land 1'], 'Firma 1', ['Ort 1', 'Land 1']],
    [['Firma 1', 'Firma', 'Ort 1', 'Ort'], 'Firma', ['Ort']],
    [['Nom 1', 'Ville 1', 'Code postal 1', 'Pays 1'], 'Nom 1', ['Ville 1', 'Code postal 1', 'Pays 1']],
    [['Razón social 1', 'Dirección 1'], 'Razón social 1', ['Dirección 1']],
    [['Company Name 2', 'Straße 2', 'Straße 1'], 'Company Name 2', ['Straße 1', 'Straße 2']],
    [['会社名1', '都市1', '国名1'], '会社名1', ['都市1', '国名1']],
    [['Firma', 'Rechnungsort 1', 'Rechnungsland 1'], 'Firma', ['Rechnungsort 1', 'Rechnungsland 1']],
  ])('Of numbered columns in %j, the lowest number is used', (header, name, location) => {
    expect(detectColumns(header, {})).toMatchObject({ name, location })
  })

  test('A numbered identifier column is used if none has no number', () => {
    const { identifiers } = detectColumns(['Firma', 'Website 2', 'Website 1', 'LEI 1', 'LEI', 'CNPJ 1'], {})
    expect(identifiers).toMatchObject({ website: 'Website 1', lei: 'LEI', registration_id: 'CNPJ 1' })
  })

  test.each([
    [['Apple GmbH', 'Tesco PLC', 'BASF SE'], true],
    [['Siemens', 'Bosch', 'Trumpf', 'Festo', 'Adidas'], true],
    [['株式会社トヨタ', '日産自動車株式会社', 'ソニー株式会社'], true],
    [['Erika Muster', 'Max Mann', 'Ann Lee'], false],
    [['offen', 'bezahlt', 'offen', 'mahnen'], false],
    [['A-001', 'A-002', 'B-003'], false],
    [
      ['Wir haben lange mit der Firma über den Preis von Apple GmbH gesprochen', 'Bitte nicht anrufen', 'x'],
      false,
    ],
  ])('Cells %j of an unknown column are company names: %s', (cells, areNames) => {
    const header = ['Zielkonto', 'Website']
    const used = detectColumns(header, {})
    expect(used.name).toBeNull()
    expect(listUnreadNames(header, used, new Map([['Zielkonto', cells]]))).toEqual(
      areNames ? ['Zielkonto'] : [],
    )
  })

  const firstNames = ['Anna', 'Bernd', 'Claire', 'Dieter', 'Émilie', 'Marie-Luise', 'Jürgen', 'Oksana']
  const domains = [
    'siemens.com',
    'https://www.bosch.de/',
    'basf.com',
    'bmw.de',
    'vw.de',
    'loreal.fr',
    'x.com',
    'sap.com',
  ]
  const companies = [
    'Siemens',
    'Bosch',
    'BASF',
    'Bayerische Motoren Werke',
    'Volkswagen',
    "L'Oréal",
    'X',
    'SAP',
  ]
  test.each([
    ['Website', domains, firstNames, []],
    ['Website', domains, companies, ['Zielkonto']],
    ['Website', domains, companies.map((name) => `${name} SE`), ['Zielkonto']],
    ['Website', domains, ['Bonn', 'Köln', 'Paris', 'Lyon', 'Wien', 'Graz', 'Bern', 'Genf'], []],
    ['Email', domains.map((domain, at) => `${firstNames[at] ?? ''}@${domain}`), firstNames, []],
  ])(
    'Next to the %s, cells are company names if they are in the domains: %#',
    (column, cells, names, unread) => {
      const header = ['Zielkonto', column]
      const used = detectColumns(header, {})
      const samples = new Map([
        ['Zielkonto', names],
        [column, cells],
      ])
      expect(listUnreadNames(header, used, samples)).toEqual(unread)
    },
  )

  test.each(['Contact', 'Kontaktperson', 'Ansprechpartner'])(
    'First names below %s are not company names',
    (column) => {
      const used = detectColumns([column, 'LEI'], {})
      expect(listUnreadNames([column, 'LEI'], used, new Map([[column, firstNames]]))).toEqual([])
    },
  )

  const { earlier, added } = headerWords
  const joints =
    '/| / |-| - |, | o | u | ou | oder | ali | ili | veya | или | und | y | e | / o | y/o | or | eller '.split(
      '|',
    )
  const split = (lists: readonly string[]) => lists.map((list) => list.split('|'))
  const plain = split([...earlier.plainNames, ...added.plainNames])
    .flat()
    .filter((word) => !/\si\s/.test(word))
  const isSimple = (word: string) => !/\s(?:y|o|ou|i|y\/o)\s|[/,;&-]|または|又は|名・|또는/.test(word)
  const sameLanguage = split([...earlier.companyNames, ...added.names, ...earlier.roles, ...added.roles]).map(
    (words) => words.filter(isSimple),
  )

  test('words for names that are joined in any way are a header of names', () => {
    for (const [index, words] of sameLanguage.entries())
      for (const [at, word] of words.entries()) {
        const joint = joints[(index + at) % joints.length] ?? ''
        const others = [words[at + 1], plain[(index + at) % plain.length]].filter((one) => one !== undefined)
        for (const other of others.flatMap((one) => [word + joint + one, one + joint + word]))
          expect(detectColumns(['RUC', other], {}).name, other).toBe(other)
      }
  })

  test.each(
    'Apellidos y Nombres o Razón Social|Nombre / Razón Social|Nom ou raison sociale|Name oder Firma|Naziv ali ime|Contribuyente|Naziv partnerja|Popolno ime|Titular o razón social|氏名又は名称|거래처(상호)|상호(거래처)|업체명 (상호)|取引先（会社名）|客户(公司名称)|Kunde (Firma)|Müşteri [Ünvan]'.split(
      '|',
    ),
  )('%j has names', (header) => {
    expect(detectColumns(['RUC', header], {}).name).toBe(header)
  })

  test.each(
    'Nombres y apellidos|Company / VAT number|Client / Project|Firma, Ort|Company type|Name / Vorname|Empresa - RUC|Contact (company)|담당자(상호)|Ort (Kunde)|Status or name of contact'.split(
      '|',
    ),
  )('%j has none', (header) => {
    expect(detectColumns(['LEI', header], {}).name).toBeNull()
  })

  test.each([
    ['Adresa e selisë', 'Rruga e Durrësit 4, Tiranë'],
    ['사업장소재지', '부산광역시 해운대구 센텀로 1'],
    ['본점 주소', '부산광역시 해운대구 센텀로 1'],
    ['소재지(도로명)', '인천광역시 중구 서해대로 365'],
    ['Полна адреса', 'ул. Македонија 4, Скопје'],
    ['Διεύθυνση έδρας', 'Ερμού 4, Αθήνα'],
    ['Adresa sediului', 'Str. Lungă 4, Brașov'],
    ['Székhely címe', '1051 Budapest, Arany János u. 4'],
    ['Adres siedziby', 'ul. Długa 4, Gdańsk'],
    ['Merkez adresi', 'Atatürk Cad. 4, İzmir'],
  ])('%j has addresses', (header, address) => {
    expect(detectColumns(['name', header], {}, new Map([[header, [address]]])).location).toEqual([header])
  })

  test.each([
    ['Vendi', ['Tiranë', 'Durrës', 'Korçë'], 'city'],
    ['Vendi', ['Shqipëri', 'Kosovë', 'Itali'], 'country'],
    ['Herria', ['Bilbo', 'Gasteiz', 'Donostia'], 'city'],
  ])('below %s, %j are places of one part', (header, cells, part) => {
    const places = listPlaceColumns(['name', header], new Map([[header, cells]]))
    expect(places.map((place) => [place.column, place.part])).toEqual([[header, part]])
  })

  test('context is never guessed', () => {
    expect(detectColumns(['name', 'context', 'notes'], {}).context).toEqual([])
  })

  test('where no column holds names, the error lists what there is', () => {
    expect(() => detectColumns(['kode', 'ort', 'plz'], {})).toThrow(
      expect.objectContaining({
        code: 'INPUT_COLUMN_MISSING',
        hint: 'pass --name-column; the input has: kode, ort, plz',
      }),
    )
  })

  test('the list in the error is bounded', () => {
    const header = Array.from({ length: 500 }, (_, index) => `c${index}${'x'.repeat(500)}`)
    expect.assertions(2)
    try {
      detectColumns(header, {})
    } catch (error) {
      expect((error as UserError).hint).toContain('(500 in all)')
      expect((error as UserError).hint?.length).toBeLessThan(2_500)
    }
  })
})

describe('cells of a place', () => {
  const codes = iso31661.map(({ alpha2 }) => alpha2)

  test.each(['country', 'Country Code', 'Billing Country', 'Land'])(
    'the header %s decides, whichever country most rows have',
    (header) => {
      for (const code of codes) {
        const samples = new Map([[header, [code, code.toLowerCase(), 'Norway', code]]])
        expect([code, detectColumns(['Company', header], {}, samples).location]).toEqual([code, [header]])
      }
    },
  )

  test.each([
    [['NO', 'NO', 'MI'], ['province']],
    [['NO', 'YES', 'NO'], []],
    [['Open', 'Closed'], []],
  ])('the cells %j of a province are used as %j: a status is no province', (cells, location) => {
    const samples = new Map([['province', cells]])
    expect(detectColumns(['Company', 'province'], {}, samples).location).toEqual(location)
  })
})

const streets = {
  Azerbaijani: 'Nizami küçəsi 12|Bakı, H. Əliyev pr. 5|Gəncə ş., Atatürk pr. 44|28 May küç., ev 7',
  Turkish: 'Atatürk Cad. No:12|Gül Sok. 5/3|Barbaros Mah. Lale Sokak|İstiklal Caddesi 44',
  French: '12 rue de Marseille|Avenue Habib Bourguiba 5|Zone industrielle Sud|44, rue du Lac',
  Spanish: 'Los Naranjos N44-15|Av. 10 de Agosto 12|Calle Sucre|Carrera 7, 12',
  Polish: 'ul. Długa 5|al. Jana Pawła II 12|ul. Krótka|00-950 Warszawa, ul. Polna 7',
  Japanese: '尾頭橋三丁目5番12号|元塩町二丁目8番地|栄1丁目2番3号',
  Chinese: '南京路100号|人民路12号|中山路5号',
  Arabic: 'شارع الحرية 12|نهج مرسيليا|شارع بورقيبة 5',
}
const shortNames = ['Larkmoor', 'Norvane', 'Tessaly', 'Quorrin', 'Beldune', 'Ostrava Steel']
const forms = (form: string) => shortNames.map((name) => `${name} ${form}`)

describe('a header for an entity or a fund', () => {
  const words =
    'Entité|Entité juridique|Fonds|Entity|Fund|Einheit|Entidad|Entità|Субъект|Enhed|Entiteit|Právnická osoba|법인|กองทุน|Pháp nhân'
  test.each(words.split('|'))('%s has the names, next to numbers too', (word) => {
    const samples = new Map([
      [word, ['Larkmoor Invest', 'Norvane Alpha', 'Tresk Beta']],
      ['LEI', ['5493001KJTIIGC8Y1R12']],
    ])
    expect(detectColumns([word, 'LEI', 'Country'], {}, samples).name).toBe(word)
    expect(detectColumns([word.toUpperCase(), 'LEI'], {}).name).toBe(word.toUpperCase())
  })

  test.each(['Company', 'Name', 'Raison sociale', 'Nazwa', 'Наименование'])(
    '%s has the names, before an entity and a fund',
    (name) => {
      for (const word of words.split('|')) expect(detectColumns([word, name], {}).name).toBe(name)
    },
  )

  test.each(['Entity type', 'Fund manager', 'Entity ID', 'Entity code', 'Fund currency', 'Fonds propres'])(
    '%s has no names',
    (header) => {
      expect(() => detectColumns([header], {})).toThrow(errorWith('INPUT_COLUMN_MISSING'))
    },
  )
})

test.each(['Larkmoor S.A.', 'Norvane GmbH', 'ООО Трескова', '株式会社ラークムア', 'Norvane Sp. z o.o.'])(
  'a list of one row has names below an unknown header: %s',
  (name) => {
    const used = { name: null, location: [], context: [], identifiers: { lei: 'LEI' } }
    const lei = ['5493001KJTIIGC8Y1R12']
    const list = (cells: readonly string[], leis: readonly string[]) =>
      listUnreadNames(
        ['Gizmo', 'LEI'],
        used,
        new Map([
          ['Gizmo', cells],
          ['LEI', leis],
        ]),
      )
    expect(list([name], lei)).toEqual(['Gizmo'])
    // One cell of many rows is a note.
    expect(list([name], [...lei, ...lei, ...lei, ...lei])).toEqual([])
    expect(list([name, 'to be checked'], [...lei, ...lei])).toEqual([])
  },
)

test.each([
  ['Upazila|Dist.', 'Dist.'],
  ['PS|Dist.', 'Dist.'],
  ['Taluka|District', 'District'],
  ['উপজেলা|জেলা', 'জেলা'],
  ['District|Thana|City', 'City|District'],
  ['PS|Notes', ''],
  ['محافظة', 'محافظة'],
  ['المقر|محافظة', 'المقر|محافظة'],
  ['المركز الرئيسي', 'المركز الرئيسي'],
  ['Đ/c|TP/Tỉnh', 'Đ/c|TP/Tỉnh'],
  ['Quận|Tỉnh/TP', 'Quận|Tỉnh/TP'],
  ['Huyện/Quận|Tỉnh/TP', 'Huyện/Quận|Tỉnh/TP'],
  ['Trụ sở chính|Tỉnh/Thành phố', 'Trụ sở chính|Tỉnh/Thành phố'],
  ['Adresa sjedišta (ulica, br., mjesto)', 'Adresa sjedišta (ulica, br., mjesto)'],
  ['Address (street, city)|Drž.', 'Address (street, city)|Drž.'],
  ['DC', ''],
])('Places below short headers and parts of districts: %s', (header, location) => {
  expect(detectColumns(['Company', ...header.split('|')], {}).location.join('|')).toBe(location)
})

test('Distributors below a short header are no districts', () => {
  const distributors = ['Acme Ltd', 'Bolt Inc.', 'Cera GmbH']
  expect(detectColumns(['Company', 'Dist.'], {}, new Map([['Dist.', distributors]])).location).toEqual([])
})

test.each(
  'Name & Address of the Client|Naziv i adresa partnera|Name and Address|Nom et adresse|Name und Anschrift|Nazwa i adres|Név és cím|Наименование и адрес'.split(
    '|',
  ),
)('A name with its address is used without a name alone: %s', (header) => {
  expect(detectColumns(['No', header], {}).name).toBe(header)
  expect(detectColumns(['No', header, 'Supplier Name'], {}).name).toBe('Supplier Name')
})

describe('a header of several parts of a place', () => {
  const parts = [
    ['CP', 'Localité', 'et'],
    ['C.P.', 'Localité', 'et'],
    ['Code postal', 'commune', 'et'],
    ['PLZ', 'Ortschaft', 'und'],
    ['Postleitzahl', 'Stadt', 'und'],
    ['Postcode', 'Plaats', 'en'],
    ['CAP', 'Città', 'e'],
    ['Código postal', 'población', 'y'],
    ['CEP', 'Cidade', 'e'],
    ['Postnr.', 'By', 'og'],
    ['Postnummer', 'sted', 'og'],
    ['Postnummer', 'ort', 'och'],
    ['Postinumero', 'kunta', 'ja'],
    ['PSČ', 'Město', 'a'],
    ['Kod pocztowy', 'miejscowość', 'i'],
    ['Irsz.', 'helység', 'és'],
    ['Cod poștal', 'localitate', 'și'],
    ['Индекс', 'город', 'и'],
    ['Τ.Κ.', 'Πόλη', 'και'],
    ['ZIP Code', 'Town', 'and'],
    ['郵便番号', '市区町村', '・'],
  ] as const
  const joints = [' ', '/', ' / ', ', ', '-', ' - ', ' + ', ' & ']
  test.each(parts)('%s with %s', (postal, town, and) => {
    const headers = [...joints, ` ${and} `].flatMap((joint) => [postal + joint + town, town + joint + postal])
    const read = (header: string) => {
      const samples = new Map([[header, ['L-2453 Larkmoor', '1010 Norvane', '75001 Tresk']]])
      return detectColumns(['Company', 'Street', header], {}, samples).location
    }
    expect(headers.filter((header) => !read(header).includes(header))).toEqual([])
  })

  test('an address with the town, and a country', () => {
    expect(parsePlaceHeader('郵便番号・住所')?.part).toBe('address')
    expect(parsePlaceHeader('郵便番号住所')?.part).toBe('address')
    expect(parsePlaceHeader('PLZ Ort Land')?.part).toBe('city')
  })

  const addresses: Readonly<Record<string, string>> = {
    billing:
      'Laskutusosoite|Arve aadress|Rēķina adrese|Sąskaitos adresas|Adres fakturowy|Fakturační adresa|Fakturačná adresa|Számlázási cím|Adresa de facturare|Adresa za račun|Adresa za naplatu|Naslov za račun|Адреса за наплату|Адрес за фактура|Адреса за фактурирање|Διεύθυνση χρέωσης|Fatura adresi|Адрес для счетов|Платіжна адреса|Morada de faturação|Adreça de facturació|發票地址|청구지 주소|Địa chỉ thanh toán|Alamat penagihan|عنوان الفواتير|כתובת לחיוב|बिलिंग पता',
    mailing:
      'Postiosoite|Utdelningsadress|Postiaadress|Pasta adrese|Pašto adresas|Adres korespondencyjny|Poštovní adresa|Korešpondenčná adresa|Levelezési cím|Adresă de corespondență|Poštanska adresa|Adresa za dopise|Poštni naslov|Поштанска адреса|Пощенски адрес|Поштенска адреса|Ταχυδρομική διεύθυνση|Yazışma adresi|Поштова адреса|Indirizzo postale|Correspondentieadres|通訊地址|우편 주소|Địa chỉ gửi thư|عنوان المراسلة|כתובת דואר|डाक पता',
    plain:
      'Käyntiosoite|Besucheradresse|Hausanschrift|Adresse de visite|Dirección física|Indirizzo fisico|Bezoekadres|Besöksadress|Besøksadresse|Külastusaadress|Faktiskā adrese|Adres biura|Adresa ureda|Адрес офиса|Фактична адреса|Διεύθυνση γραφείου|Ofis adresi|Lähiosoite|Ulica i kućni broj|Gata och nummer|Ulica in hišna številka|Utca, házszám|Οδός και αριθμός',
    shipping:
      'Toimitusosoite|Versandadresse|Tarneaadress|Piegādes adrese|Pristatymo adresas|Adres wysyłki|Dodací adresa|Dodacia adresa|Szállítási cím|Adresa de livrare|Adresa za dostavu|Adresa isporuke|Naslov za dostavo|Адреса за испоруку|Адрес за доставка|Адреса за испорака|Διεύθυνση παράδοσης|Teslimat adresi|Адрес доставки|Адреса доставки|Indirizzo di consegna|送货地址|배송지 주소|Địa chỉ giao hàng|Alamat pengiriman|عنوان التسليم|כתובת למשלוח',
  }
  test.each(Object.entries(addresses))('kinds of addresses in many languages: %s', (set, headers) => {
    for (const header of headers.split('|'))
      for (const written of [header, header.toUpperCase(), header.replaceAll(' ', '_')])
        expect(parsePlaceHeader(written), written).toMatchObject({ part: 'address', set })
  })

  const offices =
    'Postitmp|Postitoimip.|Postanstalt|Poczta|Postahivatal|Pasta nodaļa|Paštas|Поща|Poštanski ured|Ufficio postale|Postkontor'
  test.each(offices.split('|'))('a post office is a town: %s', (header) => {
    expect(parsePlaceHeader(header)?.part).toBe('city')
  })

  test.each([
    'CP',
    'PIN',
    'Cap table',
    'Ship by',
    'CP client',
    'Zip file',
    'Post by',
    'Code postal client',
    'PIN name',
  ])('%s is no town', (header) => {
    expect(parsePlaceHeader(header)?.part).not.toBe('city')
  })
})

describe('a header that names companies in one language and addresses in another', () => {
  test.each<[what: string, header: string, cells: Record<string, readonly string[]>, name: string | null]>([
    ['Azerbaijani, by another header', 'Şirkətin adı|Ünvan|Ölkə', {}, 'Şirkətin adı'],
    ['Azerbaijani, by a role', 'Sifarişçi|Ünvan', {}, 'Sifarişçi'],
    ['Azerbaijani, by its letters', 'VÖEN|Ünvan|Ölkə|LEI', {}, null],
    ['Azerbaijani, by streets', 'LEI|Ünvan', { Ünvan: streets.Azerbaijani.split('|') }, null],
    ['Azerbaijani, by forms', 'LEI|Ünvan|Ölkə', { Ünvan: forms('MMC') }, 'Ünvan'],
    ['Turkish', 'Cari Kodu|Ünvan|İl|İlçe', {}, 'Ünvan'],
    ['Turkish, with names', 'Ünvan|Adres|İl', { Ünvan: shortNames }, 'Ünvan'],
    ['Turkish, of a customer', 'Müşteri Ünvanı|Adres', { 'Müşteri Ünvanı': forms('A.Ş.') }, 'Müşteri Ünvanı'],
    ['Arabic', 'اسم الشركة|العنوان', {}, 'اسم الشركة'],
    ['Persian', 'عنوان|شهر|کد پستی', {}, 'عنوان'],
    ['Arabic, alone', 'LEI|عنوان|المدينة', {}, null],
  ])('%s', (_what, header, cells, name) => {
    const columns = header.split('|')
    const found = detectColumns(columns, {}, new Map(Object.entries(cells)))
    expect(found.name).toBe(name)
    if (name !== null) expect(found.location).not.toContain(name)
  })

  test('an address next to names is the place', () => {
    expect(detectColumns(['Şirkətin adı', 'Ünvan', 'Ölkə'], {}).location).toEqual(['Ünvan', 'Ölkə'])
  })

  test.each(Object.entries(streets))('%s streets below a word for names give way to names', (_, text) => {
    const samples = new Map([
      ['Company', text.split('|')],
      ['Name', shortNames],
    ])
    expect(areAddresses(text.split('|'))).toBe(true)
    expect(detectColumns(['Company', 'Name'], {}, samples).name).toBe('Name')
    expect(detectColumns(['Company', 'City'], {}, samples).name).toBe('Company')
  })

  test.each([
    shortNames,
    shortNames.map((name, at) => `${name} ${at + 1}`),
    forms('12 GmbH'),
    forms('& Sons, 1 Ltd'),
    ['3M', '20 Minutes', '7 Eleven', 'Studio 54', 'Forever 21', 'Via Larkmoor', 'Plaza Norvane'],
    ['99 Larkmoor Ltd', '3 Norvane Bros', '4 Tessaly plc'],
    ['Customer 1-7', 'Customer 1-8', 'Customer 22-1'],
    ['得意先 2026-001', '得意先 2026-002', '得意先 2026-003'],
    ['Kunde A12/3', 'Kunde A12/4', 'Kunde A13/1'],
    ['三井', '日本電産', '第一生命', '七十七銀行', '百十四銀行'],
  ])('names are no addresses: %j', (...names) => {
    expect(areAddresses(names)).toBe(false)
  })
})

describe('columns asked for', () => {
  const header = ['Firma', 'firma', 'Ort', 'Company Name', '社名2', '住所2']

  test('exactly that one, before one that is only spelled alike', () => {
    expect(detectColumns(header, { name: 'firma' }).name).toBe('firma')
    expect(detectColumns(header, { name: 'FIRMA' }).name).toBe('Firma')
    expect(detectColumns(header, { name: 'company_name' }).name).toBe('Company Name')
  })

  test('several, in the order asked; an empty list is none', () => {
    expect(detectColumns(header, { name: 'firma', location: ['ort', 'Firma'], context: ['firma'] })).toEqual({
      name: 'firma',
      location: ['Ort', 'Firma'],
      context: ['firma'],
      identifiers: {},
    })
    expect(detectColumns(['name', 'city'], { location: [] }).location).toEqual([])
  })

  test('letters of other scripts tell columns apart', () => {
    expect(detectColumns(header, { name: '社名2' }).name).toBe('社名2')
    expect(() => detectColumns(header, { name: '名前2' })).toThrow(UserError)
    expect(() => detectColumns(['Größe', 'name'], { name: 'Gruße' })).toThrow(UserError)
  })

  test.each([
    ['name', { name: 'firm' }, '--name-column'],
    ['location', { name: 'firma', location: ['ort', 'land'] }, '--location-columns'],
    ['context', { name: 'firma', context: ['---'] }, '--context-columns'],
  ])('a %s column that is not there is an error that names the flag', (_, asked, flag) => {
    expect(() => detectColumns(header, asked)).toThrow(errorWith('INPUT_COLUMN_MISSING', { message: flag }))
  })

  test('any header and any wish give columns of the header, or INPUT_COLUMN_MISSING', () => {
    const name = fc.oneof(anyText, fc.constantFrom('name', 'city', 'Company', ''))
    forAll(
      100,
      [
        fc.array(name),
        fc.record({ name, location: fc.array(name), context: fc.array(name) }, { requiredKeys: [] }),
      ],
      (columns, asked) => {
        try {
          const found = detectColumns(columns, asked)
          for (const column of [found.name, ...found.location, ...found.context]) {
            expect(columns).toContain(column)
          }
        } catch (error) {
          expect(error).toMatchObject({ code: 'INPUT_COLUMN_MISSING' })
        }
      },
    )
  })
})

test.each([
  [['গ্রাহকের নাম', 'থানা', 'জেলা', 'দেশ'], 'গ্রাহকের নাম', ['জেলা', 'দেশ']],
  [['গ্রাহকের নাম', 'উপজেলা', 'জেলা', 'দেশ'], 'গ্রাহকের নাম', ['জেলা', 'দেশ']],
  [['Company Name', 'तहसील', 'जिला'], 'Company Name', ['जिला']],
  [['គ្រឹះស្ថាន', 'Company Name', 'ស្រុក', 'ខេត្ត'], 'Company Name', ['ខេត្ត']],
  [['Company Name', 'থানা'], 'Company Name', ['থানা']],
  [['Nama Perseroan', 'Kecamatan', 'Kabupaten/Kota'], 'Nama Perseroan', ['Kabupaten/Kota']],
  [['Nama Pelanggan', 'Kecamatan', 'Kota/Kab.'], 'Nama Pelanggan', ['Kota/Kab.']],
  [['Nama Koperasi', 'Kecamatan'], 'Nama Koperasi', ['Kecamatan']],
  [['Nome da empresa', 'Freguesia', 'Localidade'], 'Nome da empresa', ['Localidade']],
  [['Nama Syarikat', 'Daerah', 'Bandar'], 'Nama Syarikat', ['Bandar']],
  [['상호명', '구/군', '도시'], '상호명', ['도시']],
  [['Company Name', 'Taluka', 'State'], 'Company Name', ['State']],
  [['Company Name', 'County', 'State'], 'Company Name', ['State']],
  [['Nazwa firmy', 'Powiat', 'Województwo'], 'Nazwa firmy', ['Województwo']],
  [['Название компании', 'Район', 'Область'], 'Название компании', ['Область']],
  [['公司名称', '区', '省'], '公司名称', ['省']],
  [
    ['Darījuma partnera nosaukums', 'Pilsēta', 'Indekss', 'Valsts kods'],
    'Darījuma partnera nosaukums',
    ['Pilsēta', 'Indekss', 'Valsts kods'],
  ],
  [['Debitors', 'Pilsēta'], 'Debitors', ['Pilsēta']],
  [
    ['Skolininkas', 'Miestas', 'Indeksas', 'Valstybės kodas'],
    'Skolininkas',
    ['Miestas', 'Indeksas', 'Valstybės kodas'],
  ],
  [['Äripartner', 'Linn', 'Riigi kood'], 'Äripartner', ['Linn', 'Riigi kood']],
])('of %j the name is in %s and the place in %j', (header, name, location) => {
  expect(detectColumns(header, {})).toMatchObject({ name, location })
})
