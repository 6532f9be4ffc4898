import { findNamedField } from '../../../src/registry/match/named-field.js'
import { listNumbersInName } from '../../../src/registry/match/word-runs.js'
import { describe, expect, test } from 'vitest'
import {
  cleanText,
  removeProcedure,
  spellOutShortForms,
  unknownLetter,
} from '../../../src/registry/normalize/clean-text.js'
import { findAround, removeRemarks } from '../../../src/registry/match/around-name.js'
import { parseLocation } from '../../../src/registry/match/parse-location.js'
import { readText } from '../../../src/registry/match/query-text.js'
import {
  compareYears,
  listWritings,
  readLabelledNumber,
  writeLatin,
} from '../../../src/core/numbers/registry-suffix.js'
import { foldText } from '../../../src/registry/normalize/normalize-name.js'
import { readNativeName } from '../../../src/registry/normalize/native-scripts.js'
import { isSoleTraderForm, parseName, parseNewName } from '../../../src/registry/normalize/parsed-name.js'

describe('cleanText', () => {
  test.each([
    ['Marks &amp; Spencer', 'Marks & Spencer'],
    ['Marks &amp;amp; Spencer', 'Marks & Spencer'],
    ['Larkmoor &amp Norvane', 'Larkmoor & Norvane'],
    ['Larkmoor &ampere Norvane', 'Larkmoor &ampere Norvane'],
    ['Caf&eacute; &#82;oyal &#x4c;td', 'Café Royal Ltd'],
    ['M&Uuml;LLER', 'MÜLLER'],
    ['L&ouml;we &szlig; S&oslash;n', 'Löwe ß Søn'],
    ['Sparkasse Mansfeld-SÃ¼dharz', 'Sparkasse Mansfeld-Südharz'],
    ['Banco de CrÃ©dito', 'Banco de Crédito'],
    ['CrÃƒÂ©dito', 'Crédito'],
    ['Agr\u00c3\u00adcola', 'Agrícola'],
    ['Norvane%20Oval%20Ltd', 'Norvane Oval Ltd'],
    ['Agr?cola', `Agr${unknownLetter}cola`],
    ['Agr??cola', `Agr${unknownLetter}cola`],
    ['Agr¿cola □stika', `Agr${unknownLetter}cola ${unknownLetter}stika`],
    ['Soci?t? G?n?rale', `Soci${unknownLetter}t${unknownLetter} G${unknownLetter}n${unknownLetter}rale`],
    ['Guess? Inc.', 'Guess? Inc.'],
    ['¿Qué? SL', '¿Qué? SL'],
  ])('"%s" is "%s"', (damaged, name) => {
    expect(cleanText(damaged)).toBe(name)
  })

  test.each([
    'Procter & Gamble',
    'AT&T;',
    'Yahoo!',
    'Guess? Inc',
    'Ã',
    'São Paulo',
    'Émile & Co',
    '100% Pure',
    'Â',
    'Norvane &foo; Ltd',
  ])('an ordinary name stays unchanged: "%s"', (name) => {
    expect(cleanText(name)).toBe(name)
  })
})

test('a damaged name has the key of the name', () => {
  expect(parseName('CrÃ©dito &amp; Filhos S.A.').fullKey).toBe(parseName('Crédito & Filhos SA').fullKey)
})

describe('a department in front of a name', () => {
  const named = [
    ['Công ty TNHH Zorvex Việt Nam', 'Phòng Kế toán', 'Bộ phận Mua hàng', 'Ban Quản lý dự án'],
    ['CTCP Zorvex', 'Phòng Mua hàng', 'Khối Kinh doanh'],
    ['PT Zorvex Jaya', 'Bagian Pembelian', 'Divisi Pengadaan'],
    ['شركة النور للتجارة', 'قسم المشتريات', 'إدارة المشتريات'],
    ['บริษัท ไทยน้ำทิพย์ จำกัด', 'ฝ่ายจัดซื้อ', 'แผนกบัญชี'],
    ['Zorvex Sanayi A.Ş.', 'Satın Alma Departmanı', 'Muhasebe Birimi'],
  ] as const
  test.each(named.flatMap(([name, ...all]) => all.map((department) => [department, name] as const)))(
    '%s: %s',
    (department, name) => {
      for (const separator of [' ', ' - ', ' – '])
        expect(findNamedField(`${department}${separator}${name}`)).toBe(name)
      expect(findNamedField(name)).toBe(name)
    },
  )

  test.each([
    'Phòng khám Đa khoa Zorvex',
    'Ban Rai Coffee - Bangkok',
    'Divisi',
    'Bagian Zorvex Ltd',
    'Phòng Kế toán -',
    ...['Bank', 'Banyan', 'Bandung', 'Khốin', 'Divisional', 'Bagianto', 'Phòngan'].flatMap((word) =>
      ['PT Tbk', 'CV Jaya', 'Công ty TNHH', '- Larkmoor'].map((end) => `${word} Zorvex ${end}`),
    ),
    'قسمة زورفكس شركة النور',
  ])('names without one stay: %s', (name) => {
    expect(findNamedField(name)).toBe(name)
  })
})

describe('an advert of an employer', () => {
  const adverts = [
    'Jobs at {}, Careers at the {}, {} – we are hiring, {} is hiring engineers, Vacancies | {}, Join {}',
    'Karriere bei der {}, Arbeiten bei {}, {} sucht Azubis (m/w/d), Stellenangebote: {}, {} – Offene Stellen',
    'Rejoignez la {} !, {} recrute, Carrières chez {}, {} – Offres d’emploi, Recrutement - {}',
    'Trabaja con nosotros | {}, {} busca contables, Empleo en {}, Vagas {}, {} contrata, Trabalhe na {}',
    'CNEE {}, Notify party: {}, ALSO NOTIFY {}, Shipper {}, Destinatario: {}',
    'Lavora con noi - {}, {} assume, Werken bij de {}, Vacatures {}, {} zoekt monteurs',
    'Lediga jobb hos {}, {} söker ekonom, Ledige stillinger i {}, {} hakee myyjää, Avoimet työpaikat – {}',
    'Praca w {}, {} zatrudni, Kariéra v {}, {} hledá účetní, Cariere la {}, Karrier - {}, Вакансии {}, {} ищет бухгалтера',
  ].flatMap((line) => line.split(', '))
  const names = ['Larkmoor Norvane', 'Müller & Söhne', 'Ромашка Север', '4Velmora Foods']

  test.each(adverts)('%s', (advert) => {
    for (const name of names) expect(findNamedField(advert.replace('{}', name))).toBe(name)
  })

  test.each([
    'Careers Larkmoor Ltd',
    'Hiring Solutions GmbH',
    'Work for Good Ltd',
    'Positions in Time Inc',
    'Larkmoor Careers Ltd',
    'Jobs plc',
    'Larkmoor busca Foods SL',
    'Join',
  ])('names with such words stay: %s', (name) => {
    expect(findNamedField(name)).toBe(name)
  })
})

test.each(['Leeds', 'Malta', 'Johannesburg', 'Bulgaria', 'Montréal'])(
  'the place %s owns no company',
  (place) => {
    for (const sign of ["'", '’'])
      expect(findNamedField(`${place}${sign}s Larkmoor Bank`)).toBe('Larkmoor Bank')
    for (const name of ["McDonald's Corp", "Larkmoor's Foods Ltd", `${place} Larkmoor Bank`])
      expect(findNamedField(name)).toBe(name)
  },
)

describe('what a cell has around a name', () => {
  const names = [
    'Larkmoor Foods GmbH',
    'ООО Норвейн Сервис',
    '株式会社北野精機',
    '라크무어정밀(주)',
    'Norvane A/S',
  ]
  const remarks = [
    'NICHT VERWENDEN',
    'gesperrt',
    'Dublette',
    'DO NOT USE',
    'duplicate of 4711',
    'inactive since 2021',
    'ne pas utiliser',
    'Doublon',
    'désactivé',
    'duplicado',
    'no usar',
    'não usar',
    'non usare',
    'niet gebruiken',
    'dublett',
    'duplikat',
    'nie używać',
    'nepoužívat',
    'ne használja',
    'nu folosiți',
    'ei käytetä',
    'kapalı',
    'KAPALI',
    'mükerrer',
    'təkrar',
    'НЕ ИСПОЛЬЗОВАТЬ',
    'дубль',
    'не використовувати',
    'μη χρησιμοποιείτε',
    'مكرر',
    'כפול',
    'không sử dụng',
    'jangan digunakan',
    'ห้ามใช้',
    '重複',
    '取引停止',
    '重复',
    '請勿使用',
    '중복',
    '거래중지',
    '2023年より取引停止',
  ]

  test.each(remarks)('the remark %j stands in brackets or at a sign', (remark) => {
    for (const name of names)
      for (const text of [
        `${name} (${remark})`,
        `${name}（${remark}）`,
        `[${remark}] ${name}`,
        `${name} ※${remark}`,
        `${name} *${remark}*`,
        `*** ${remark} *** ${name}`,
        `${name} - ${remark}`,
        `${name} → ${remark}!`,
      ])
        expect([text, removeRemarks(text)]).toEqual([text, name.normalize('NFKC')])
  })

  test.each([
    'NICHT VERWENDEN',
    'do not use',
    'ne pas utiliser',
    'не использовать',
    '取引停止',
    'đã tất toán',
    'حساب جاري',
  ])('the remark %j needs no sign', (remark) => {
    for (const name of names) {
      expect(removeRemarks(`${name} ${remark}`)).toBe(name)
      expect(removeRemarks(`${remark} ${name}`)).toBe(name)
    }
  })

  test.each([
    ['北野精機㈱様', '北野精機(株)'],
    ['北野精機様', '北野精機'],
    ['（株）北野精機　御中', '(株)北野精機'],
    ['株式会社北野精機様', '株式会社北野精機'],
    ['北野精機㈱　殿', '北野精機(株)'],
    ['北野精機(株)　経理部　田中様', '北野精機(株)'],
    ['北野精機株式会社　山田 太郎様', '北野精機株式会社'],
    ['라크무어정밀(주) 귀하', '라크무어정밀(주)'],
    ['라크무어정밀 주식회사 귀중', '라크무어정밀 주식회사'],
    ['拉克莫有限公司 台启', '拉克莫有限公司'],
    ['Larkmoor GmbH z.Hd. Frau Norvane', 'Larkmoor GmbH'],
    ['Larkmoor Ltd, Attn: J. Norvane', 'Larkmoor Ltd'],
    ["Larkmoor SARL, à l'attention de M. Norvane", 'Larkmoor SARL'],
    ['Larkmoor d.o.o. n/r Petar Norvan', 'Larkmoor d.o.o.'],
    ['Larkmoor d.o.o., k/o Petar Norvan', 'Larkmoor d.o.o.'],
    ['Công ty mẹ: CTCP Larkmoor', 'CTCP Larkmoor'],
    ['Parent company: Larkmoor Ltd', 'Larkmoor Ltd'],
    ['প্রোঃ লার্কমুর ট্রেডার্স', 'লার্কমুর ট্রেডার্স'],
    ['السيد المهندس مدير عام شركة اللاركي', 'شركة اللاركي'],
  ])('%j is addressed to %j', (text, name) => {
    expect(removeRemarks(text)).toBe(name)
  })

  test.each([
    'Larkmoor (Test) Ltd',
    'Old Larkmoor Ltd',
    'House of Test',
    'Larkmoor Old',
    'Closed Loop Foods Ltd',
    '株式会社王様',
    '有限会社お客様',
    'Larkmoor (UK)',
    'Larkmoor - Norvane',
    'Yahoo!',
    'Norvane #12',
    'Dublette',
    '(duplicate)',
    '重複',
    '御中',
    '様',
    '',
    '株式会社 服部精密',
    'Larkmoor (Old Town) Ltd',
    'Attention Larkmoor Ltd',
    'Larkmoor: Foods',
  ])('%j stays as it is', (name) => {
    expect(removeRemarks(name)).toBe(name)
  })
})

describe('a person with the mail address', () => {
  test.each([
    ['Ana Solis, Larkmoor Foods, asolis@larkmoor.com', 'Larkmoor Foods, asolis@larkmoor.com'],
    ['Ana Solis <ana.solis@larkmoor.com>', '<ana.solis@larkmoor.com>'],
    [
      'Larkmoor Foods | Jörg Müller | j.mueller@larkmoor.de',
      'Larkmoor Foods | Jörg Müller | j.mueller@larkmoor.de',
    ],
    ['Larkmoor Foods - Zoë Durand - zdurand@larkmoor.fr', 'Larkmoor Foods - - zdurand@larkmoor.fr'],
    [
      'Cheers, Dave - Larkmoor Pty Ltd - dave@larkmoor.com.au',
      'Cheers, - Larkmoor Pty Ltd - dave@larkmoor.com.au',
    ],
  ])('%j is read as %j', (text, name) => {
    expect(
      removeRemarks(text)
        .replace(/\s+/g, ' ')
        .replace(/^[\s,]+/, ''),
    ).toBe(name)
  })

  test.each([
    'Larkmoor Foods, larkmoorfoods@gmail.com',
    'Larkmoor, larkmoor@larkmoor.com',
    'Ana Solis, asolis@yahoo.com',
    'Larkmoor Foods, info@larkmoor.com',
  ])('%j keeps its name', (text) => {
    expect(removeRemarks(text)).toBe(text)
  })
})

describe('short forms of a country', () => {
  const forms = [
    ['LV', 'IK', 'sole_trader'],
    ['LV', 'I.K.', 'sole_trader'],
    ['LV', 'I/K', 'sole_trader'],
    ['LV', 'ZS', 'enterprise'],
    ['LV', 'Z/s', 'enterprise'],
    ['LV', 'VAS', 'stock'],
    ['LV', 'VSIA', 'limited'],
    ['LV', 'PS', 'partnership'],
    ['LT', 'IĮ', 'enterprise'],
    ['LT', 'VšĮ', 'association'],
    ['LT', 'VSI', 'association'],
    ['LT', 'ŽŪB', 'enterprise'],
    ['LT', 'VĮ', 'enterprise'],
    ['LT', 'MB', 'limited'],
    ['EE', 'FIE', 'sole_trader'],
    ['EE', 'MTÜ', 'association'],
    ['EE', 'TÜ', 'partnership'],
    ['EE', 'SA', 'foundation'],
    ['RS', 'STR', 'sole_trader'],
    ['RS', 'S.U.R.', 'sole_trader'],
    ['RS', 'SZTR', 'sole_trader'],
    ['RS', 'pr', 'sole_trader'],
    ['BA', 'TR', 'sole_trader'],
    ['ME', 'SZR', 'sole_trader'],
    ['HR', 'U.O.', 'sole_trader'],
    ['HR', 'obrt', 'sole_trader'],
    ['HU', 'ev', 'sole_trader'],
    ['HU', 'e.v.', 'sole_trader'],
    ['PL', 'JDG', 'sole_trader'],
    ['UA', 'FOP', 'sole_trader'],
    ['MK', 'TP', 'sole_trader'],
    ['BR', 'MEI', 'sole_trader'],
    ['RO', 'P.F.A.', 'sole_trader'],
    ['AL', 'PF', 'sole_trader'],
    ['ID', 'UD', 'sole_trader'],
    ['VN', 'HKD', 'sole_trader'],
    ['CZ', 'OSVČ', 'sole_trader'],
    ['DE', 'Einzelunternehmen', 'sole_trader'],
    ['CO', 'Firma Individual', 'sole_trader'],
  ] as const
  test.each(forms)('%s: "%s" in front and behind, quoted or not', (country, form, formClass) => {
    const names = ['"Lārkmūra maize"', '„Lārkmūra maize“', 'Lārkmūra maize']
    const texts = names.flatMap((name) => [`${form} ${name}`, `${name} ${form}`, `${name}, ${form}`])
    for (const text of texts) {
      const parsed = parseNewName(text, { town: null, country })
      expect([text, parsed.coreKey, parsed.formClass]).toEqual([text, 'larkmuramaize', formClass])
    }
  })

  test.each([
    ['PL', 'sp. j.', 's.j. | S.J. | sj | spj | SPJ'],
    ['PL', 'sp. k.', 's.k. | S.K. | sk | spk | SPK'],
    ['PL', 'sp. p.', 'spp'],
    ['PL', 'spółka komandytowo-akcyjna', 's.k.a. | S.K.A. | SKA'],
    ['PL', 'prosta spółka akcyjna', 'p.s.a. | P.S.A. | PSA | Prosta S.A.'],
    ['PL', 'sp. z o.o. sp. k.', 'sp. z o.o. s.k. | sp. z o.o. spk'],
    ['PL', 'spółka cywilna', 's.c. | SC'],
    ['CZ', 'komanditní společnost', 'k.s. | ks'],
    ['CZ', 'veřejná obchodní společnost', 'v.o.s. | vos'],
    ['SK', 'komanditná spoločnosť', 'k.s. | ks'],
    ['BG', 'Събирателно дружество', 'SD'],
    ['IT', 'società semplice', 's.s. | S.S.'],
    ['DK', 'kommanditselskab', 'K/S | KS'],
    ['AT', 'Flexible Kapitalgesellschaft', 'FlexCo | FlexKapG'],
    ['DE', 'GbR', 'eGbR'],
    ['TR', 'kollektif şirketi', 'Kolektif Şti.'],
  ])('%s: "%s" is the form %s', (country, full, shorts) => {
    const { formClass } = parseNewName(`Larkmura ${full}`, { town: null, country })
    expect(formClass).toMatch(/./)
    for (const short of shorts.split(' | ')) {
      const parsed = parseNewName(`Larkmura ${short}`, { town: null, country })
      expect([short, parsed.coreKey, parsed.formClass]).toEqual([short, 'larkmura', formClass])
    }
  })

  test.each([
    ['CA', 'SNC-Larkmura'],
    ['CA', 'SEC-Larkmura'],
    ['RO', 'Larkmura II'],
    ['RO', 'IF Larkmura'],
    ['FR', 'EI Larkmura'],
    ['CO', 'ESP Larkmura'],
    ['ES', 'Larkmura CB'],
  ])('%s: %s has no form', (country, name) => {
    expect(parseNewName(name, { town: null, country }).formClass).toBeNull()
  })

  test.each([
    ['PL', 'PPHU', 'P.P.H.U.'],
    ['PL', 'PPHU', 'P. P. H. U.'],
    ['PL', 'FPHU', 'F.P.H.U.'],
    ['PL', 'ZPHU', 'Z.P.H.U'],
    ['PL', 'FH', 'F.H.'],
    ['RS', 'SZTR', 'S.Z.T.R.'],
    ['LV', 'PSIA', 'P.S.I.A.'],
    ['UA', 'ПКФ', 'П.К.Ф.'],
  ])('%s: %s is the same with points: %s', (country, plain, dotted) => {
    for (const write of [(form: string) => `${form} Larkmura`, (form: string) => `${form} "Larkmura"`]) {
      const spelled = spellOutShortForms(write(plain), [country])
      expect(spelled).not.toBe(write(plain))
      expect(spellOutShortForms(write(dotted), [country])).toBe(spelled)
    }
  })

  test.each([
    ['Norvane PS', []],
    ['Norvane PS', ['DE']],
    ['PS Norvane GmbH', ['LV']],
    ['SIA Norvane PS', ['LV']],
    ['Norvane VI', ['LT']],
    ['VI', ['LT']],
    ['Norvane ps', ['LV']],
    ['SA "Norvane"', []],
    ['IK', ['LV']],
  ])('"%s" keeps its words in %j', (name, countries) => {
    expect(spellOutShortForms(name, countries)).toBe(name)
  })

  test('a district stands behind the name', () => {
    const long = parseName('Larkmoras pagasta zemnieku saimniecība "Norvāni"')
    expect(long).toMatchObject({ coreKey: 'norvanilarkmoraspagasta', formClass: 'enterprise' })
    expect(parseName('Larkmoras pagasta Z/S "Norvāni"')).toMatchObject({ coreKey: long.coreKey })
  })

  test.each([
    'SIA "AB Norvane"',
    'A/s "Norvane"',
    'AS „Norvane“',
    'OÜ "Norvane"',
    'AB „Norvane“',
    'SIA «AS Norvane»',
  ])('a form in front of a quoted name: %s', (name) => {
    expect(parseName(name).formClass).not.toBeNull()
    expect(parseName(name).fullKey).not.toBe(parseName(name).bareKey)
  })
})

describe('forms and countries of common law', () => {
  test.each([
    'LBG',
    'Limited by Guarantee',
    'Company Limited by Guarantee',
    '(LTD/GTE)',
    'PRUC',
    'Unlimited Company',
  ])('"%s" is a form', (form) => {
    expect(parseName(`Larkmoor Clinic ${form}`)).toMatchObject({
      coreKey: 'larkmoorclinic',
      formClass: 'limited',
    })
  })

  test.each(['Gh Ltd', 'Gh. Ltd', 'GH Limited', '(Gh) Ltd'])('"%s" is of Ghana', (end) => {
    expect(parseName(`Larkmoor ${end}`).coreKey).toBe('larkmoorghana')
  })

  test.each([
    ['Larkmoor & Ng Ltd', 'larkmoorng'],
    ['Gh Ltd', 'gh'],
    ['Larkmoor Gh', 'larkmoorgh'],
    ['LBG Media plc', 'lbgmedia'],
  ])('"%s" keeps its words', (name, key) => {
    expect(parseName(name).coreKey).toBe(key)
  })

  test.each(['মেঘনা পি.এল.সি.', 'মেঘনা পিএলসি', 'মেঘনা লিঃ', 'মেঘনা লি.', 'মেঘনা প্রাঃ লিঃ'])(
    '%s has a form',
    (name) => {
      expect(parseName(name)).toMatchObject({ coreKey: parseName('মেঘনা').coreKey })
      expect(parseName(name).formClass).not.toBeNull()
    },
  )

  test.each(['Business Name', 'Sole Proprietorship'])('a register form "%s" is a sole trader', (form) => {
    expect(isSoleTraderForm(form, 'GH')).toBe(true)
  })
})

test.each([
  ['মেঘনা ডাইং লিঃ', 'meghna dyeing'],
  ['মেঘনা ডায়িং লিমিটেড', 'meghna dyeing'],
  ['মেঘনা ফেব্রিকস', 'meghna fabrics'],
  ['মেঘনা নীট কম্পোজিট', 'meghna knit composite'],
])('%s is read with the English words of its trades', (name, latin) => {
  expect(readNativeName(name).map(({ text }) => foldText(text))).toContain(latin)
})

/** A pattern that takes the square of the time would need minutes. */
describe('a text of 200,000 letters is read before the test is over', () => {
  const facts = { placeWords: new Set<string>(), isWord: () => false, isNearWord: () => false }
  const units = [
    'a ',
    'ab',
    '"',
    ' ',
    'a"',
    'gh. ',
    '1-',
    '1 ',
    'A/',
    'pagasta "',
    'бв ',
    'সি',
    '(',
    '&amp ',
    'S. ',
    '株',
    'a: ',
    '1/ ',
    'A. ',
    'at ',
    ' - ',
  ]
  const texts = units.flatMap((unit) => {
    const long = unit.repeat(200_000 / unit.length)
    return [long, `Larkmoor ${long} SIA`]
  })
  test.each<[name: string, read: (text: string) => unknown]>([
    ['cleanText', cleanText],
    ['removeProcedure', removeProcedure],
    ['spellOutShortForms of Latvia', (text) => spellOutShortForms(text, ['LV'])],
    ['spellOutShortForms', (text) => spellOutShortForms(text, [])],
    ['parseName', parseName],
    ['parseLocation', parseLocation],
    ['removeRemarks', removeRemarks],
    ['findNamedField', findNamedField],
    ['findAround', (text) => findAround(text, text.slice(5, 50))],
    ['writeLatin', writeLatin],
    ['compareYears', (text) => compareYears(text, text)],
    ['listWritings', listWritings],
    ['readLabelledNumber', readLabelledNumber],
    ['listNumbersInName', listNumbersInName],
    ['readText', (text) => readText(text, facts)],
  ])('by %s', (_, read) => {
    for (const text of texts) expect(() => read(text)).not.toThrow()
  })
})
