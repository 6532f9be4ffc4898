import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readText, type QueryText } from '../../../src/registry/match/query-text.js'
import { foldText } from '../../../src/registry/normalize/normalize-name.js'
import { parseName } from '../../../src/registry/normalize/parsed-name.js'
import { queryOf, vocabularyOf } from '../../support/matching.js'
import { forAll } from '../../support/properties.js'

const known = new Set('acceptance first foods kids korvanax larkmoor mellbrook world'.split(' '))

function read(text: string, place = ''): QueryText {
  const found = readText(text, {
    placeWords: new Set(place.split(' ')),
    isWord: (word) => known.has(word),
    isNearWord: () => false,
  })
  if (found === null) throw new Error(`${text} was not read`)
  return found
}

/** Each word with its class; telling words without one. */
const tell = (text: string, place?: string): string =>
  read(text, place)
    .words.map(({ text: word, wordClass }) => (wordClass === 'telling' ? word : `${word}:${wordClass}`))
    .join(' ')

type Case = [text: string, words: string]

test.each(
  'predtým pôvodne dawniej wcześniej poprzednio korábban ranije prije zuvor eerder précédemment varem anksčiau'.split(
    ' ',
  ),
)('%s comes before a former name, like "formerly"', (word) => {
  const classes = (text: string) => read(text).words.map(({ wordClass }) => wordClass)
  for (const write of [
    (one: string) => `Korvanax Ltd (${one} Larkmoor)`,
    (one: string) => `Korvanax Ltd, ${one} Mellbrook Foods`,
  ])
    expect(classes(write(word))).toEqual(classes(write('formerly')))
})

describe('the class of each word', () => {
  test.each<Case>([
    ['Korvanax Robotics, Inc.', 'korvanax robotics:generic inc:form'],
    ['The Korvanax & Sons Group', 'the:stop korvanax and:stop sons group:light'],
    ['Korvanax Germany', 'korvanax germany:place'],
    ['Korvanax II', 'korvanax 2:number'],
    ['Korvanax 3rd Fund', 'korvanax 3rd:number fund:generic'],
    ['Korvanax 1,000 Ltd', 'korvanax 1000:number ltd:form'],
    ['XY12Z Korvanax', 'xy12z:code korvanax'],
    ['Korvanax d/b/a Larkmoor', 'korvanax dba:mark larkmoor'],
    ['Korvanax trading as Larkmoor', 'korvanax dba:mark larkmoor'],
    ['Korvanax c/o Larkmoor', 'korvanax careof:host larkmoor'],
    ['Korvanax f/k/a Larkmoor', 'korvanax fka:former larkmoor'],
    ['Korvanax hf. (áður Larkmoor)', 'korvanax hf:form adur:former larkmoor'],
    ['Korvanax, voorheen Larkmoor', 'korvanax voorheen:former larkmoor'],
    ['Korvanax AB (tidigare Larkmoor)', 'korvanax ab:form tidigare:former larkmoor'],
    ['Korvanax now known as Larkmoor', 'korvanax nka:former larkmoor'],
    ['Korvanax Ltd, previously known as Larkmoor', 'korvanax ltd:form fka:former larkmoor'],
    ['www.korvanax.com', 'www:web korvanax com:web'],
    ['NYSE Korvanax', 'nyse:exchange korvanax'],
    ['Müller Straße', 'muller strasse'],
    ["O'Korvan", 'okorvan'],
  ])('%j: %s', (text, words) => {
    expect(tell(text)).toBe(words)
  })

  test.each<Case>([
    ['KORVANAX JOINT STOCK COMPAN', 'korvanax jointstock:form compan:form'],
    [
      'Korvanax Gesellschaft mit beschränkter Haf',
      'korvanax gesellschaft:form mit:form beschrankter:form haf:form',
    ],
    ['KORVANAX SOCIETA A RESPONSABILITA LIMI', 'korvanax societa:form a:form responsabilita:form limi:form'],
    ['Korvanax Société à responsab', 'korvanax societe:form a:form responsab:form'],
    ['Korvanax Sociedad Anón', 'korvanax sociedad:form anon:form'],
    ['KORVANAX LIMI', 'korvanax limi:form'],
    ['Korvanax Joint Venture', 'korvanax joint venture'],
    ['Limi Korvanax', 'limi korvanax'],
  ])('%j, whose end is cut: %s', (text, words) => {
    expect(tell(text)).toBe(words)
  })

  test.each<Case>([
    ['KORVANAX CORP 4.125 03/22/28', 'korvanax corp:form 4.125:percent 03/22/28:date'],
    ['4.125% Korvanax Corp 22.03.28', '4.125:percent korvanax corp:form 22.03.28:date'],
    ['4,5 % Korvanax Anleihe', '4,5:percent korvanax anleihe:security'],
    ['Korvanax 22 Mar 2028', 'korvanax 22:number mar:date 2028:number'],
    ['March 2028 Korvanax', 'march:date 2028:number korvanax'],
    ['Korvanax 2028-03-22', 'korvanax 2028-03-22:date'],
    ['Korvanax 15mar28 USD', 'korvanax 15mar28:date usd:currency'],
    ['KORVANAX LTD SPONSORED ADR', 'korvanax ltd:form sponsored:security adr:security'],
    ['Korvanax American Depositary Shares', 'korvanax american:security depositary:security shares:security'],
    ['Korvanax 12.5% Notes', 'korvanax 12.5:percent notes:security'],
  ])('%j describes a security: %s', (text, words) => {
    expect(tell(text)).toBe(words)
    expect(read(text).isSecurity).toBe(true)
  })

  test.each([
    'American Korvanax',
    'Korvanax Notes',
    'Korvanax Fund 7',
    'May & March Ltd',
    'March 2028',
    'Korvanax 1,000 Ltd',
  ])('%j describes no security', (text) => {
    expect(read(text).isSecurity).toBe(false)
  })

  test.each<Case>([
    ['Korvanax Ltd - Accounts Payable', 'korvanax ltd:form accounts:department payable:department'],
    ['Attn: Payroll, Korvanax Ltd', 'attn:department payroll:department korvanax ltd:form'],
    ['Korvanax - Plant 7', 'korvanax plant:site 7:site'],
    ['Korvanax (Branch Office)', 'korvanax branch:site office:site'],
    ['Korvanax Niederlassung Ulm', 'korvanax niederlassung:site ulm:site'],
    ['Korvanax - إدارة الحسابات', 'korvanax drh:department lhsbt:department'],
    ['Korvanax - إدارة المشتريات', 'korvanax drh:department lmshtryt:department'],
    ['Korvanax - قسم المبيعات', 'korvanax qsm:department lmbyt:department'],
    ['Korvanax - الموارد البشرية', 'korvanax lmwrd:department lbshryh:department'],
    ['Korvanax - הנהלת חשבונות', 'korvanax hnhlt:department hsvvnvt:department'],
    ['Korvanax - लेखा विभाग', 'korvanax lekha:department vibhag:department'],
    // Words that are words of names too, unless something sets them apart.
    ['Plant Korvanax', 'plant korvanax'],
    ['Korvanax Accounts', 'korvanax accounts'],
  ])('departments and sites: %j: %s', (text, words) => {
    expect(tell(text)).toBe(words)
  })

  test('from the number of a street on, the text is an address', () => {
    expect(tell('Korvanax Ltd, 12 Main Street, Leeds')).toBe(
      'korvanax ltd:form 12:place main:place street:place leeds:place',
    )
    expect(tell('Korvanax PO Box 12 Leeds')).toBe('korvanax po:place box:place 12:place leeds:place')
    expect(tell('Korvanax 12 Mellbrook')).toBe('korvanax 12:number mellbrook')
  })

  test.each([
    'Via Quell 22',
    'rue de la Quelle 38',
    'Avenida de Quellas 56',
    'Quellgatan 47',
    'Quellstrasse 3',
    'Quellgracht 5a',
    'Quell utca 12',
    'ul. Quella 7',
  ])('%j is a street with its number behind, wherever it stands', (street) => {
    const isPlace = (word: { wordClass: string }) => /^(?:place|stop)$/.test(word.wordClass)
    for (const text of [`Korvanax Ltd, ${street}`, `Korvanax Ltd ${street}`, `Korvanax (${street}) Ltd`]) {
      const { words } = read(text)
      const others = words.filter((word) => !isPlace(word)).map((word) => word.text)
      expect(others, text).toEqual(['korvanax', 'ltd'])
    }
    expect(read(`Korvanax, ${street}, Mellbrook`).words.at(-1)).toMatchObject({ wordClass: 'place' })
  })

  test.each([
    'Korvanax Rue 21',
    'Korvanax Plaza 3',
    'Via Korvanax',
    'Korvanax Weg',
    'Korvanweg 3 BV',
    'Korvangrand 5 SA',
    'Via Korvanax 22 Srl',
    'Rue Korvanax 3 SAS',
  ])('%j is no address', (text) => {
    expect(tell(text)).not.toContain(':place')
  })

  test.each([
    'Vereinigte Staaten',
    'États-Unis',
    'Royaume-Uni',
    'Costa Rica',
    'Reino Unido',
    'Etelä-Afrikka',
  ])('%j is a place: a country of two words', (country) => {
    const { words } = read(`Korvanax Robotics ${country}`)
    expect(words.slice(2).map(({ wordClass }) => wordClass)).toEqual(['place', 'place'])
  })

  test.each([
    'Registered Shares',
    'Reg. Shares A',
    'Class B Ordinary Shares',
    'Conv Notes',
    'obbligazioni',
    'Schuldverschr.',
    'aandelen aan toonder',
    'Actions Port. EO 1',
  ])('%j describes a security, in front of the form too', (security) => {
    for (const text of [`Korvanax Ltd ${security}`, `Korvanax ${security} Ltd`])
      expect(
        read(text)
          .words.filter(({ wordClass }) => wordClass === 'telling')
          .map((word) => word.text),
        text,
      ).toEqual(['korvanax'])
  })

  test.each(['MTN', 'SBI'])('%s is a company too, unless words for a security are next to it', (name) => {
    expect(read(`${name} Korvanax`).words[0]).toMatchObject({ wordClass: 'telling' })
    expect(read(`Korvanax ${name} 4.25%`).words[1]).toMatchObject({ wordClass: 'security' })
  })

  test.each(
    'Logistik Immobilien vastgoed inmobiliaria panadería servizi budownictwo rakennus ticaret kereskedelmi'.split(
      ' ',
    ),
  )('%s is a word of a trade', (word) => {
    expect(read(`Korvanax ${word}`).words[1]).toMatchObject({ wordClass: 'generic' })
  })

  test('a word of the place that the query gives is a place', () => {
    expect(tell('Korvanax Quellstadt', 'quellstadt')).toBe('korvanax quellstadt:place')
    expect(tell('Korvanax Quellstadt')).toBe('korvanax quellstadt')
    // A state is no legal form behind its town.
    expect(tell('Korvanax Calgary AB', 'calgary ab')).toBe('korvanax calgary:place ab:place')
    expect(tell('Korvanax AB', 'calgary ab')).toBe('korvanax ab:form')
  })
})

test.each([
  ['Korvanax Larkmoor', ''],
  ['Korvanax. Larkmoor', ''],
  ['Korvanax, Larkmoor', ','],
  ['Korvanax: Larkmoor', ','],
  ['Korvanax (Larkmoor)', '('],
  ['Korvanax [Larkmoor]', '('],
  ['Korvanax - Larkmoor', '-'],
  ['Korvanax – Larkmoor', '-'],
  ['Korvanax-Larkmoor', ''],
  ['Korvanax | Larkmoor', '/'],
  ['Korvanax/Larkmoor', '/'],
])('The words of %j are separated: %j', (text, separator) => {
  const { words } = read(text)
  expect(words[1]).toMatchObject({ text: 'larkmoor', separator, isApart: separator !== '' })
  expect(words[0]).toMatchObject({ separator: '', isApart: false })
})

test.each<Case>([
  ['J.P. Korvanax', 'jp korvanax'],
  ['J P Korvanax', 'jp korvanax'],
  ['Korvanax S. p. A.', 'korvanax spa:form'],
  ['T n L Sugars', 't:letter and:stop l:letter sugars'],
  ['T&L Sugars', 't:letter and:stop l:letter sugars'],
  ['H & M', 'h:letter and:stop m:letter'],
  ['WorldAcceptance', 'world:generic acceptance'],
  ['kidsfirst', 'kids first:generic'],
  ['LARKMOORFOODS', 'larkmoor foods:generic'],
  // Neither part is a word of a registered name.
  ['ZorvexQuellstadt', 'zorvexquellstadt'],
  ['United States Korvanax', 'us:light korvanax'],
  ['M�ller', 'm�ller'],
  ['M?ller', 'm�ller'],
])('The words of %j are %s', (text, words) => {
  expect(tell(text)).toBe(words)
})

describe('legal forms', () => {
  test.each<[text: string, formClass: string]>([
    ['Korvanax, Inc.', 'stock'],
    ['Korvanax GmbH & Co. KG', 'partnership'],
    ['JSC Korvanax', 'stock'],
    ['SRL Korvanax', 'limited'],
    ['Open Joint Stock Company Korvanax', 'stock'],
    ['Korvanax Joint Stock Company', 'stock'],
    ['Limited Liability Company Korvanax', 'limited'],
    ['KorvanaxAG', 'stock'],
    ['Korvanax P/L', 'limited'],
    ['შპს Korvanax', 'limited'],
    ['Korvanax ՍՊԸ', 'limited'],
    ['ЖШС Korvanax', 'limited'],
    ['Korvanax ذ.م.م', 'limited'],
    ['Korvanax Sh.p.k.', 'limited'],
    ['Korvanax spol. s r.o.', 'limited'],
    ['Korvanax S.K.A.', 'partnership'],
    ['KORVANAXLTD', 'limited'],
    ['Korvanax株式会社', 'stock'],
    // Misspelled, misread, cut.
    ['Korvanax Limtied', 'limited'],
    ['Korvanax lNC', 'stock'],
    ['Korvanax Corporatio', 'stock'],
    ['Korvanax Limite�', 'limited'],
    ['Korvanax L�d', 'limited'],
    ['Korvanax Privat Limited', 'limited'],
  ])('%j has one, %s, and the core Korvanax', (text, formClass) => {
    const { forms, coreKey } = read(text)
    expect(forms.map((form) => form.formClass)).toEqual([formClass])
    expect(coreKey).toBe('korvanax')
  })

  test.each([
    ['SIA "AB Service"', 'sia:form ab service:generic'],
    ['SIA "Korvanax Service"', 'sia:form korvanax service:generic'],
    ['ООО «Korvanax Legal»', 'ooo:form korvanax legal'],
    ['UAB „Korvanax IT“', 'uab:form korvanax it'],
    ['"Korvanax Service" SIA', 'korvanax service:generic sia:form'],
    ['"SIA Korvanax"', 'sia:form korvanax'],
  ])('quotes next to one separate nothing: %s', (text, words) => {
    expect(tell(text)).toBe(words)
  })

  test('one in the middle is where it stands', () => {
    expect(read('Korvanax Ltd Foods').forms).toMatchObject([{ at: 1, count: 1, words: ['ltd'] }])
    expect(read('Korvanax Ltd Foods').coreKey).toBe('korvanaxfoods')
  })

  test.each(['Limited Brands', 'Company Korvanax', 'SA', 'Inc'])('%j has none', (text) => {
    expect(read(text).forms).toEqual([])
  })

  test.each(['Korvanax Robotics, Inc.', 'Korvanax & Sons Ltd', 'The Korvanax GmbH & Co. KG', 'Korvanax SpA'])(
    'the keys of %j are those of the registered name',
    (text) => {
      const { coreKey, fullKey } = parseName(text)
      expect(read(text)).toMatchObject({ coreKey, fullKey })
    },
  )
})

describe('the end of a text', () => {
  test.each([
    ['Korvanax Growth Acquisition Corp', 'anywhere'],
    ['Korvanax Growth Acquisition Co', 'between_words'],
    ['Korvanax Growth Acquisition', 'nowhere'],
  ])('%j: a column may have cut it %s', (text, cut) => {
    // A column of 32 characters, or of 31 that ended at a space.
    expect(read(text).cut).toBe(cut)
  })

  test.each([
    ['Korvanax/DE/', 'DE'],
    ['Korvanax Inc (WI)', 'WI'],
    ['Korvanax Inc', ''],
  ])('%j distinguishes namesakes by %j', (text, tail) => {
    expect(read(text)).toMatchObject({ tail })
    expect(read(text).words[0]?.text).toBe('korvanax')
  })

  test.each(['', '???', ' - ( ) ', '&'])('%j has no words, or none that is a name', (text) => {
    expect(
      readText(text, { placeWords: new Set(), isWord: () => false, isNearWord: () => false })?.words ?? [],
    ).toHaveLength(text === '&' ? 1 : 0)
  })
})

describe('names in other scripts', () => {
  const listTexts = (text: string) => queryOf(text, null, vocabularyOf([])).texts

  test.each<[text: string, coreKey: string]>([
    // By sound, and as the Western name that was written by ear.
    ['ПАО Газпром', 'gazprom'],
    ['Филипс', 'philips'],
    ['Тексимов Банк АД', 'teximovbank'],
    ['Алианц', 'alianz'],
    ['Интернешънъл Корвен Груп', 'internationalkorvengroup'],
    ['ООО «Объект»', 'obyekt'],
    ['Корвен (България) ЕАД', 'korvenbulgaria'],
    ['Όπτιμα Μπανκ Α.Ε.', 'optimabank'],
    ['Κορβανική Ασφαλιστική', 'korvanikiinsurance'],
    ['Χρυσός', 'hrusos'],
    ['トヨタ', 'toyota'],
    ['ソニーグループ株式会社', 'sonygroup'],
    ['シェルジャパン株式会社', 'sheljapan'],
    ['삼성전자', 'samsungelectronics'],
    ['주식회사 포스코', 'posco'],
    ['롯데', 'lotde'],
  ])('%j may be %j', (text, coreKey) => {
    expect(listTexts(text).map((read) => read.coreKey)).toContain(coreKey)
  })

  test.each(['シェルジャパン株式会社', 'Филипс', 'Korvanax Ltd'])(
    'the first reading of %j is as given',
    (text) => {
      expect(listTexts(text)[0]).toMatchObject({ coreKey: parseName(text).coreKey, how: null })
    },
  )

  test.each(['Korvanax', '中国银行股份有限公司', 'トヨタ', 'Χρυσός', 'Филипс'])(
    'no reading of %j is repeated',
    (text) => {
      const keys = listTexts(text).map(({ words }) => words.map((word) => word.text).join(' '))
      expect(new Set(keys).size).toBe(keys.length)
    },
  )
})

test('a letter beyond ASCII is part of its word, behind initials and before a form', () => {
  for (const letter of 'øåäöüéñçłşğžčőæþß') {
    const plain = foldText(letter)
    expect(tell(`A.P. M${letter}llerx A/S`)).toBe(`ap m${plain}llerx as:form`)
    expect(tell(`K. R${letter}rvanax`)).toBe(tell(`K. R${plain}rvanax`))
    expect(tell(`KorvanaxAG${letter}rk`)).toBe(`korvanaxag${plain}rk`)
  }
})

describe('whatever a text holds', () => {
  const word = fc.constantFrom(...'Korvanax LARKMOOR Müller Zorvexfoods kidsfirst Ltd Inc. GmbH'.split(' '))
  const noise = fc.constantFrom(...'#0671|4.125%|03/22/28|(UK)|- Plant 7|Attn|CL A|II|&|A|1st'.split('|'))
  const joint = fc.constantFrom(' ', ', ', ' - ', ' / ', ' (', ') ', '  ')
  const text = fc
    .array(fc.tuple(fc.oneof(word, noise), joint), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.flat().join(''))
  const toLetters = (written: string) => written.toLowerCase().replace(/[^\p{L}\p{N}%]/gu, '')

  test('every letter of it is in some word, in its order', () => {
    forAll(100, [text], (given) => {
      const found = readText(given, {
        placeWords: new Set(),
        isWord: (one) => known.has(one),
        isNearWord: () => false,
      })
      expect(toLetters(found?.words.map(({ written }) => written).join('') ?? '')).toBe(toLetters(given))
    })
  })

  test('it is read, with forms inside it and words that are not empty', () => {
    const any = fc.oneof(text, fc.string({ unit: 'grapheme', maxLength: 60 }))
    forAll(500, [any, fc.boolean()], (given, isKnown) => {
      const found = readText(given, {
        placeWords: new Set(['uk']),
        isWord: () => isKnown,
        isNearWord: () => !isKnown,
      })
      if (found === null) return
      expect(found.words.length).toBeGreaterThan(0)
      expect(found.coreKey).not.toBe('')
      for (const { text: one } of found.words) expect(one).toMatch(/^\S+$/)
      for (const { at, count } of found.forms) expect(at + count).toBeLessThanOrEqual(found.words.length)
    })
  })
})

test.each([
  'Larkmoor National Carriers, Inc.',
  'Larkmoor Professional Bakers, Ltd',
  'Larkmoor Public Norvane (Leeds)',
  'Larkmoor Sociedad Norvane, S.A.',
  'Larkmoor Société Norvane - Lyon',
  'Larkmoor Limited Norvane, Paris',
])('the beginning of a long form before a sign is no form: %s', (given) => {
  const facts = { placeWords: new Set<string>(), isWord: () => true, isNearWord: () => false }
  const inForms = readText(given, facts)?.forms.flatMap(({ words }) => words) ?? []
  expect(inForms.filter((word) => !/^(?:inc|ltd|limited|sa)$/.test(word))).toEqual([])
})
