import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { foldText, isNumberWord, splitWords } from '../../../src/registry/normalize/normalize-name.js'
import { listWords } from '../../../src/registry/normalize/unspaced-names.js'
import {
  boundText,
  parseFormText,
  parseName,
  parseNewName,
  toBareName,
} from '../../../src/registry/normalize/parsed-name.js'
import { getDistinctiveCountries } from '../../../src/registry/normalize/legal-forms.js'
import around from '../../../src/registry/reference/around-names.json' with { type: 'json' }
import table from '../../../src/registry/reference/legal-forms.json' with { type: 'json' }
import { forAll } from '../../support/properties.js'

describe('folding', () => {
  test.each([
    ['Müller & Söhne', 'muller and sohne'],
    ['L’Oréal', 'loreal'],
    ['ŠKODA AUTO a.s.', 'skoda auto as'],
    ['J.P. Morgan', 'jp morgan'],
    ['Ｓｏｎｙ　Ｇｒｏｕｐ', 'sony group'],
    ['Ørsted A/S', 'orsted a s'],
    ['Газпром', 'gazprom'],
    ['ԳԱՌՆԻ ՏՈՒՐ', 'garni tur'],
    ['Ոսկե Որթ', 'voske vort'],
    ['Սևանի Ձուկ', 'sevani dzuk'],
    ['Եղեգնաձոր', 'yeghegnadzor'],
    ['7-Eleven, Inc.', '7 eleven inc'],
    ['', ''],
    ['?!', ''],
  ])('%j folds to %j', (name, folded) => {
    expect(foldText(name)).toBe(folded)
  })

  it('joins single letters into initials', () => {
    expect(splitWords('h m hennes s p a')).toEqual(['hm', 'hennes', 'spa'])
  })

  test.each([
    ['ii', true],
    ['2022', true],
    ['7eleven', true],
    ['fund', false],
    ['i', false],
    ['ccxlix', true],
    ['xxiv', true],
    ['civil', false],
    ['xxl', false],
    ['mix', false],
  ])('%j numbers a thing: %j', (word, expected) => {
    expect(isNumberWord(word)).toBe(expected)
  })

  it('any text folds to lower-case ASCII words', () => {
    forAll(100, [fc.string({ unit: 'binary', maxLength: 300 })], (text) => {
      expect(foldText(text)).toMatch(/^(?:[a-z0-9]+(?: [a-z0-9]+)*)?$/)
    })
  })

  it('folding what is folded changes nothing', () => {
    forAll(100, [fc.string({ unit: 'grapheme', maxLength: 80 })], (text) => {
      const folded = foldText(text, 4_000)
      expect(foldText(folded, 4_000)).toBe(folded)
    })
  })
})

describe('names without spaces', () => {
  test.each([
    ['深圳市腾讯计算机系统有限公司', 'shenzhen tengxun jisuanji xitong'],
    ['广东省广州市越秀贸易有限公司', 'guangdong guangzhou yuexiu maoyi'],
    ['工商银行', 'gongshang yinxing'],
    ['华电子有限公司', 'huadianzi'],
    ['上海汽车集团股份有限公司', 'shanghai qiche jituan'],
    ['トヨタ自動車株式会社', 'toyota zidongche'],
    ['三菱UFJ銀行', 'sanlingufj yinxing'],
    ['日本電信電話株式会社', 'riben dianxindianhua'],
    ['삼성전자 주식회사', 'samseong jeonja'],
    ['이지스자산운용', 'ijiseu jasanunyong'],
    ['에스엠엔터테인먼트', 'sm enteoteinmeonteu'],
  ])('%s is read as %s', (name, words) => {
    expect(parseName(name).tokens.join(' ')).toBe(words)
  })

  test('any text keeps its letters', () => {
    const parts = fc.constantFrom(
      ...Array.from('深圳市腾讯计算机系统中国银行株式会社三菱電機삼성전자 에스케이AB12'),
    )
    forAll(300, [fc.array(parts, { maxLength: 14 })], (letters) => {
      const text = letters.join('')
      const words = listWords(text)
      expect(words.map(({ word }) => word).join('')).toBe(text.replaceAll(' ', ''))
      for (const { word, from, to } of words) expect(text.slice(from, to)).toBe(word)
    })
  })
})

describe('letters of two scripts that look alike', () => {
  const cyrillic = ['АВЕКМНОРСТХУаеорсух', 'ABEKMHOPCTXYaeopcyx'] as const
  const greek = ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο', 'ABEZHIKMNOPTYXo'] as const
  const latinNames = [
    'Larkmoor Norvane GmbH',
    'COMPAX HEBRIK S.A.',
    'Tasca Exopol Ltd',
    'SPEEDEX ZINOMATIK d.o.o.',
  ]
  const cyrillicNames = ['ООО Топольный Ветер', 'ПАО ЛАРКМУР НЕФТЬ', 'Норвейн Трейд ЕООД', 'ТОВ Ларкмур']
  const greekNames = ['ΛΑΡΚΜΟΥΡ ΑΓΡΟΤΙΚΗ ΑΕ', 'Νορβέιν Ομόλογα ΕΠΕ']
  const cases = [
    ...latinNames.flatMap((name) =>
      [cyrillic, greek].map(([own, latin]) => ({ name, from: latin, to: own })),
    ),
    ...cyrillicNames.map((name) => ({ name, from: cyrillic[0], to: cyrillic[1] })),
    ...greekNames.map((name) => ({ name, from: greek[0], to: greek[1] })),
  ]

  test.each(cases)('$name is the same with one of them for the other ($to)', ({ name, from, to }) => {
    const places = Array.from(name).flatMap((letter, at) => (from.includes(letter) ? [at] : []))
    // Each word keeps a letter that only its script has.
    const words = [...name.matchAll(/\p{L}+/gu)].filter(({ 0: word }) =>
      Array.from(word).some((one) => !from.includes(one)),
    )
    const open = places.filter((at) =>
      words.some(({ index, 0: word }) => index <= at && at < index + word.length),
    )
    forAll(40, [fc.subarray(open)], (changed) => {
      const mixed = Array.from(name)
        .map((one, at) => (changed.includes(at) ? to.charAt(from.indexOf(one)) : one))
        .join('')
      expect(parseNewName(mixed)).toEqual(parseNewName(name))
      expect(toBareName(mixed)).toBe(toBareName(name))
    })
  })

  test.each([
    'Яndex Норвейн',
    'БелAvia',
    'ООО Larkmoor',
    'Larkmoor СНГ',
    'Ωmega Larkmoor',
    'ВТБ 24',
    'Larkmoor α',
    'µTorrent',
  ])('a word of two scripts, or of another one, stays as it is: %s', (name) => {
    expect(boundText(name)).toBe(name.normalize('NFKC'))
  })

  test.each([
    ['MТС Норвейн', 'МТС Норвейн'],
    ['MТС Larkmoor', 'MTC Larkmoor'],
  ])('a word of nothing else has the script of the rest: %s', (mixed, written) => {
    expect(boundText(mixed)).toBe(written)
  })
})

describe('names with one core', () => {
  test.each([
    ['Apple Inc.', 'APPLE'],
    ['The Coca-Cola Company', 'Coca Cola Company, The'],
    ['Procter & Gamble', 'Procter and Gamble Co'],
    ['AT&T Inc.', 'A.T. & T.'],
    ['Exxon Mobil Corporation', 'ExxonMobil'],
    ["McDonald's Corporation", 'Mc Donalds'],
    ['Macy’s, Inc.', 'MACYS INC'],
    ['SEALED AIR CORP/DE', 'Sealed Air'],
    ['AIR PRODUCTS & CHEMICALS INC /DE/', 'Air Products and Chemicals, Inc.'],
    ['MP Materials Corp. / DE', 'MP Materials'],
    ['Siemens Aktiengesellschaft', 'Siemens AG'],
    ['Robert Bosch Gesellschaft mit beschränkter Haftung', 'Robert Bosch GmbH'],
    ['Aldi Einkauf SE & Co. oHG', 'Aldi Einkauf'],
    ['Adam Opel GmbH & Co. KG', 'Adam Opel'],
    ['Société Générale S.A.', 'SOCIETE GENERALE'],
    ['Grupo Bimbo, S.A.B. de C.V.', 'Grupo Bimbo'],
    ['Orlen Spółka Akcyjna', 'ORLEN'],
    ['Allegro sp. z o.o.', 'Allegro'],
    ['Telefonaktiebolaget LM Ericsson (publ)', 'Telefonaktiebolaget L M Ericsson'],
    ['Kone Oyj', 'KONE'],
    ['OTP Bank Nyrt.', 'OTP Bank'],
    ['ООО «Яндекс»', 'Яндекс'],
    ['PT Astra International Tbk', 'Astra International'],
    ['Petronas Sdn. Bhd.', 'Petronas'],
    ['Infosys Private Limited', 'Infosys Pvt Ltd'],
    ['株式会社任天堂', '任天堂株式会社'],
    ['トヨタ自動車株式会社', 'トヨタ自動車'],
    ['주식회사 카카오', '카카오(주)'],
    ['华为技术有限公司', '华为技术'],
    ['深圳市腾讯计算机系统有限公司', '深圳腾讯计算机系统'],
    ['パナソニック ホールディングス株式会社', 'パナソニックホールディングス'],
    ['에스케이하이닉스 주식회사', 'SK하이닉스'],
    ['লার্কমুর ট্রেডিং কোং লিঃ', 'লার্কমুর ট্রেডিং কোম্পানি লিমিটেড'],
    ['মোঃ লার্কমুর স্টোর', 'মোহাম্মদ লার্কমুর স্টোর'],
    ['شـركة لاركمور', 'شركة لاركمور'],
    ['주식회사 엘지화학', 'LG화학'],
    ['지에스건설(주)', 'GS건설'],
    ['씨제이제일제당 주식회사', 'CJ제일제당'],
    ['서울특별시도시가스', '서울도시가스'],
    ['Natl Grid Svcs', 'National Grid Services'],
    ['Santa Velmora Hardware & Supply Inc.', 'STA. VELMORA HARDWARE AND SUPPLY, INC.'],
    ['Santo Velmora Trading', 'Sto. Velmora Trading'],
    ['Sankt Velmora Apotheke GmbH', 'St. Velmora Apotheke GmbH'],
    ['Sint-Velmora Bouw BV', 'St Velmora Bouw BV'],
    ['Transportes General Velmora SA', 'Transportes Gral. Velmora S.A.'],
    ['Nuestra Señora de Velmora SL', 'Ntra. Sra. de Velmora SL'],
    ['Viuda de Velmora SL', 'Vda. de Velmora SL'],
  ])('%j and %j', (a, b) => {
    expect(parseName(a).coreKey).toBe(parseName(b).coreKey)
  })

  test.each([
    ['Fund II', 'Fund III'],
    ['Delta Air Lines', 'Delta Electronics'],
    ['Barclays Bank', 'Barclays'],
    ['Limited', 'Company'],
  ])('%j and %j are told apart', (a, b) => {
    expect(parseName(a).coreKey).not.toBe(parseName(b).coreKey)
  })
})

describe('legal forms', () => {
  test.each([
    ['Acme Ltd', 'limited', 'llc'],
    ['Acme LLC', 'limited', 'llc'],
    ['Acme GmbH', 'limited', 'llc'],
    ['Acme Holding B.V.', 'limited', 'llc'],
    ['Acme, Inc.', 'stock', 'corporation'],
    ['Acme plc', 'stock', 'corporation'],
    ['Acme AG', 'stock', 'corporation'],
    ['Acme Group S.p.A.', 'stock', 'corporation'],
    ['Acme株式会社', 'stock', 'corporation'],
    ['Acme L.P.', 'partnership', 'lp'],
    ['Acme LLP', 'partnership', 'llp'],
    ['Acme GmbH & Co. KG', 'partnership', 'lp'],
    ['Acme eG', 'cooperative', 'cooperative'],
    ['Acme & Co.', 'company', null],
    ['Acme', null, null],
  ])('%j is %j, %j', (name, formClass, legalForm) => {
    const parsed = parseName(name)
    expect([parsed.formClass, parsed.legalForm]).toEqual([formClass, legalForm])
  })

  test.each([
    ['Acme GbR', 'partnership', 'gp', ['DE']],
    ['Acme Rechtsanwälte PartG mbB', 'partnership', 'llp', ['DE']],
    ['Acme Rechtsanwälte PartGmbB', 'partnership', 'llp', ['DE']],
    ['Acme e.K.', 'sole_trader', 'sole_proprietorship', ['DE']],
    ['ACME E. K.', 'sole_trader', 'sole_proprietorship', ['DE']],
    ['Acme e K', 'sole_trader', 'sole_proprietorship', ['DE']],
    ['Acme e. Kfm.', 'sole_trader', 'sole_proprietorship', ['DE']],
    ['Acme e.Kfr.', 'sole_trader', 'sole_proprietorship', ['DE']],
    ['Acme VVaG', 'association', null, ['DE']],
    ['Acme InvAG', 'stock', 'corporation', ['DE']],
    ['Acme Ges.m.b.H.', 'limited', 'llc', ['AT']],
    ['Acme Ges.m.b.H. & Co. KG', 'partnership', 'lp', ['DE', 'AT']],
    ['Acme OEG', 'partnership', 'gp', ['AT']],
    ['Acme e.U.', 'sole_trader', 'sole_proprietorship', ['AT']],
    ['Acme A/S', 'stock', 'corporation', ['NO', 'DK', 'CZ', 'EE', 'LV', 'TR']],
    ['Acme I/S', 'partnership', 'gp', ['DK']],
    ['I/S Acme', 'partnership', 'gp', ['DK']],
    ['Acme K/S', 'partnership', 'lp', ['DK']],
    ['Acme P/S', 'partnership', null, ['DK']],
    ['Acme IVS', 'limited', 'llc', ['DK']],
    ['Acme ApS', 'limited', 'llc', ['DK']],
    ['Acme A.m.b.a.', 'cooperative', 'cooperative', ['DK']],
    ['Acme HB', 'partnership', 'gp', ['SE']],
    ['Acme KB', 'partnership', 'lp', ['SE', 'FI']],
    ['Acme AB & Co KB', 'partnership', 'lp', ['SE', 'FI']],
    ['Acme ANS', 'partnership', 'gp', ['NO']],
    ['Acme ENK', 'sole_trader', 'sole_proprietorship', ['NO']],
    ['Acme Ky', 'partnership', 'lp', ['FI']],
    ['Acme osk', 'cooperative', 'cooperative', ['FI']],
    ['Osuuskunta Acme', 'cooperative', 'cooperative', ['FI']],
    ['Acme sp.k.', 'partnership', 'lp', ['PL']],
    ['Acme Sp. z o.o. Sp. k.', 'partnership', 'lp', ['PL']],
    ['Acme sp. j.', 'partnership', 'gp', ['PL']],
    ['Acme prosta spółka akcyjna', 'stock', 'corporation', ['PL']],
    ['Acme kom. spol.', 'partnership', 'lp', ['CZ', 'SK']],
    ['Acme Bt.', 'partnership', 'lp', ['HU']],
    ['Acme Kkt.', 'partnership', 'gp', ['HU']],
    ['Acme Kht.', 'association', 'nonprofit_corp', ['HU']],
    ['Acme j.d.o.o.', 'limited', 'llc', ['HR', 'SI', 'RS', 'BA', 'ME', 'MK']],
    ['Acme k.d.', 'partnership', 'lp', ['HR', 'SI', 'RS', 'BG']],
    ['Acme d.n.o.', 'partnership', 'gp', ['HR', 'SI', 'BG']],
    ['Acme ЕООД', 'limited', 'llc', ['BG']],
    ['Acme CLG', 'limited', null, ['IE']],
    ['Acme Funds ICAV', 'stock', null, ['IE']],
    ['Acme Teoranta', 'limited', 'llc', ['IE']],
    ['Acme Cyf.', 'limited', 'llc', ['GB']],
    ['Acme EEIG', 'association', null, []],
    ['Acme Ltée', 'limited', 'llc', ['CA']],
    ['Acme S.E.N.C.R.L., s.r.l.', 'partnership', 'llp', ['CA']],
    ['Acme RLLP', 'partnership', 'llp', ['US']],
    ['Acme LCA', 'cooperative', 'cooperative', ['US']],
    ['Acme Pty', 'limited', 'llc', ['AU', 'ZA', 'BW', 'NA']],
    ['Acme No Liability', 'stock', 'corporation', ['AU']],
    ['Acme SGPS, S.A.', 'stock', 'corporation', ['PT']],
    ['Acme SGPS, Lda.', 'limited', 'llc', ['PT']],
    ['Acme Public Ltd', 'stock', 'corporation', ['TH', 'CY']],
    ['Acme NPC', 'association', 'nonprofit_corp', ['ZA']],
    ['Acme ΑΜΚΕ', 'association', 'nonprofit_corp', ['GR']],
    ['Acme AMKE', 'association', 'nonprofit_corp', ['GR']],
    ['Acme Αστική Μη Κερδοσκοπική Εταιρεία', 'association', 'nonprofit_corp', ['GR']],
    ['ΑΣΤΙΚΗ ΜΗ ΚΕΡΔΟΣΚΟΠΙΚΗ ΕΤΑΙΡΙΑ Acme', 'association', 'nonprofit_corp', ['GR']],
    ['Σωματείο Acme', 'association', 'nonprofit_corp', ['GR', 'CY']],
    ['ΙΔΡΥΜΑ Acme', 'foundation', 'nonprofit_corp', ['GR', 'CY']],
    ['Acme Κοιν.Σ.Επ.', 'cooperative', 'cooperative', ['GR']],
    ['Acme KOINSEP', 'cooperative', 'cooperative', ['GR']],
    ['Acme S.A.C.', 'stock', 'corporation', ['PE']],
    ['Acme S.A.A.', 'stock', 'corporation', ['PE']],
    ['Acme E.I.R.L.', 'limited', 'llc', ['PE', 'CL']],
    ['Acme SECS', 'partnership', 'lp', ['FR', 'LU']],
    ['Acme Partners SCSp', 'partnership', 'lp', ['LU']],
    ['Acme SICAF', 'company', null, ['LU', 'FR', 'BE']],
    ['Acme SICAV, S.p.A.', 'stock', 'corporation', ['IT', 'CL', 'DZ', 'SM']],
    ['Acme S.C.A., SICAR', 'partnership', null, ['FR', 'LU']],
  ])('%j is %j, %j, of %j, and its name is without it', (name, formClass, legalForm, countries) => {
    const { tokens, ...parsed } = parseName(name)
    expect(parsed).toMatchObject({ formClass, legalForm })
    expect(getDistinctiveCountries(parsed.formCountries)).toEqual(countries)
    expect(tokens.join(' ')).toMatch(/^acme(?: rechtsanwalte| funds| partners)?$/)
  })

  test.each([
    ['Братя Петрови СД', 'gp'],
    ['СД Братя Петрови', 'gp'],
    ['Братя Петрови КД', 'lp'],
  ])('%j is a Bulgarian partnership: %j', (name, legalForm) => {
    expect(parseName(name)).toMatchObject({ coreKey: 'bratyapetrovi', formClass: 'partnership', legalForm })
  })

  test.each([
    ['Manchester CC', 'manchestercc'],
    ['Cultura NL', 'culturanl'],
    ['Heng Da', 'hengda'],
    ['Lawrence KS', 'lawrenceks'],
    ['Groupe PSA', 'groupepsa'],
    ['Golden Keg', 'goldenkeg'],
    ['Restaurante Teo', 'restauranteteo'],
    ['What It Is', 'whatitis'],
    ['Capital Growth PS', 'capitalgrowthps'],
    ['Anders Ek', 'andersek'],
  ])('the last word of %j is no form', (name, coreKey) => {
    expect(parseName(name)).toMatchObject({ coreKey, formClass: null })
  })

  test.each([
    ['WW GBR Limited', 'wwgbr', 'limited'],
    ['Alf Project HB, LLC', 'alfprojecthb', 'limited'],
    ['DJS KY LLC', 'djsky', 'limited'],
    ['BUPA Care Homes (ANS) Limited', 'bupacarehomesans', 'limited'],
    ['Abbey Futures Inc KY', 'abbeyfuturesincky', null],
    ['Alternative Fund SAC Ltd', 'alternativefundsac', 'limited'],
  ])('a word that may be a form is none in %j, next to another form', (name, coreKey, formClass) => {
    expect(parseName(name)).toMatchObject({ coreKey, formClass })
  })

  const wordsOfScripts = [
    ['Han', '拉克'],
    ['Hangul', '라크'],
    ['Thai', 'ลาร์ค'],
    ['Cyrillic', 'Ларкмур'],
    ['Greek', 'Λάρκμουρ'],
    ['Hebrew', 'לרקמור'],
    ['Arabic', 'لاركمور'],
    ['Armenian', 'Լարկմուր'],
    ['Georgian', 'ლარკმური'],
    ['Devanagari', 'लार्कमूर'],
    ['Bengali', 'লার্কমুর'],
  ] as const

  const formsOfScripts = table.scripts.flatMap(({ spellings, ...form }) =>
    spellings.split(', ').map((marked) => [marked, form.class] as const),
  )

  test.each(formsOfScripts)(
    'the form %j in its own script is %j, and no part of the name',
    (marked, formClass) => {
      const spelling = marked
        .replace(/^[<$]/, '')
        .replace('*', 'Εμπορική και Βιομηχανική')
        .replaceAll(' +', ' مصرية')
      const [, word = 'Larkmoor'] =
        wordsOfScripts.find(([script]) => new RegExp(`\\p{Script=${script}}`, 'u').test(spelling)) ?? []
      const isUnspaced = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}]/u.test(spelling)
      const spaces = isUnspaced ? ['', ' '] : [' ']
      const names = spaces.flatMap((space) => [
        ...(marked.startsWith('$') ? [] : [`${spelling}${space}${word}`]),
        ...(marked.startsWith('<') ? [] : [`${word}${space}${spelling}`]),
      ])
      for (const name of names)
        expect(parseName(name), name).toMatchObject({ tokens: parseName(word).tokens, formClass })
    },
  )

  test.each([
    ['ش.ذ.م.م', 'ش ذ م م', 'شذمم'],
    ['בע"מ', 'בע״מ', "בע''מ", 'בעמ'],
    ['Ο.Ε', 'Ο.Ε.', 'ΟΕ'],
    [
      'Ιδιωτική Κεφαλαιουχική Εταιρεία',
      'ΙΔΙΩΤΙΚΗ ΚΕΦΑΛΑΙΟΥΧΙΚΗ ΕΤΑΙΡΕΙΑ',
      'Ιδιωτικη κεφαλαιουχικη εταιρεια',
      'Ιδιωτική Κεφαλαιουχική Εταιρεία'.normalize('NFD'),
    ],
    ['Ετερόρρυθμος Εταιρεία', 'ΕΤΕΡΟΡΡΥΘΜΟΣ ΕΤΑΙΡΕΙΑ', 'ΕΤΕΡΌΡΡΥΘΜΟΣ ΤΕΧΝΙΚΉ ΕΤΑΙΡΕΊΑ'],
    ['(株)', '（株）', '㈱'],
  ])('%j has other spellings', (...spellings) => {
    const names = spellings.map((spelling) => parseName(`Larkmoor ${spelling}`))
    for (const name of names)
      expect(name).toMatchObject({ tokens: ['larkmoor'], formClass: names[0]?.formClass })
  })

  /** The forms of one word, with the countries of all that are spelled alike. */
  const unmark = (marked: string) => marked.replace(/^[<$]/, '')
  const ofOneWord = table.forms.flatMap(({ spellings, countries, ...form }) =>
    spellings
      .split(', ')
      .filter((spelling) => !spelling.includes(' '))
      .map((marked) => ({ marked, countries: countries.split(' '), formClass: form.class })),
  )
  const listCountries = (marked: string) =>
    new Set(ofOneWord.filter((one) => unmark(one.marked) === unmark(marked)).flatMap((one) => one.countries))
  const shortLeading = ofOneWord.filter(({ marked }) => /^<(?:..|(?=.*[aeiouy])...)$/.test(marked))

  test.each(shortLeading)(
    '$marked is a word of a name that ends with the form of another country',
    (leading) => {
      const word = unmark(leading.marked)
      const own = listCountries(leading.marked)
      const others = ofOneWord
        .filter(({ marked, formClass }) => /^\w/.test(marked) && formClass !== 'company')
        .filter(({ marked }) => {
          const countries = [...listCountries(marked)]
          return !countries.includes('') && !countries.some((code) => own.has(code))
        })
      expect(others.length).toBeGreaterThan(50)
      for (const { marked } of others)
        expect(parseName(`${word} larkmoor ${marked}`).tokens.join(' '), marked).toBe(`${word} larkmoor`)
      expect(parseName(`${word} larkmoor`).tokens).toEqual(['larkmoor'])
    },
  )

  test.each([
    ['Pão de Açúcar', 'paodeacucar'],
    ['NÃO USAR', 'naousar'],
    ['PAO Larkmoor', 'larkmoor'],
    ['ПАО Ларкмур', 'larkmur'],
    ['JSC Larkmoor Corporation', 'larkmoor'],
    ['R.L. Larkmoor & Co.', 'rllarkmoor'],
    ['Perusahaan Perseroan (Persero) PT Larkmoor Tbk', 'larkmoor'],
    ['Công ty TNHH MTV Larkmoor', 'larkmoor'],
    ['LARKMOOR SOCIEDAD ANONIMA INDUSTRIAL Y COMERCIAL', 'larkmoor'],
    ['Larkmoor Sociedad Anónima, Comercial, Industrial, Financiera e Inmobiliaria', 'larkmoor'],
    ['LARKMOOR SOCIEDAD ANONIMA DE CERAMICA Y METALURGIA', 'larkmoor'],
    ['Larkmoor S.A.C.I.F.', 'larkmoor'],
    ['SAIC Larkmoor', 'saiclarkmoor'],
  ])('the core of %j is %j', (name, coreKey) => {
    expect(parseName(name).coreKey).toBe(coreKey)
  })

  it('an initial before "A/S" is no part of the form', () => {
    expect(parseName('Hansen B A/S').tokens).toEqual(['hansen', 'b'])
  })

  it('a name that is nothing but a form stays whole', () => {
    expect(parseName('Limited').tokens).toEqual(['limited'])
    expect(parseName('株式会社').coreKey).not.toBe('')
  })
})

test('a name with a suffix of EDGAR, in any case, is compared as the name without it', () => {
  const suffixes = [
    '/DE/',
    ' /De',
    '/Adr',
    ' / ADR',
    ' /Fi',
    ' /fi/',
    '/NE',
    ' /Ne/',
    '\\De',
    '/Cayman Islands',
    ' /MA/ /ADV',
  ]
  for (const name of ['Larkmoor Corp', 'ZEALAND PHARMA A/S', 'Norvane Ag'])
    for (const suffix of suffixes) expect(parseName(name + suffix), suffix).toEqual(parseName(name))
  for (const name of ['Larkmoor A/S', 'Data I/O Corp', 'Larkmoor Oy/Ab', 'AC/DC'])
    expect(parseName(name).fullKey).toBe(name.toLowerCase().replace(/[^a-z]/g, ''))
})

const ofOneMember = {
  limited: `SARL à associé unique | SARL d'associé unique | SARL (associé unique) | Société à responsabilité limitée à associé unique |
    Société à responsabilité limitée d'associé unique | SARLAU | S.A.R.L. A.U. | SARL AU | SARL d'AU | SUARL | SPRLU |
    Société à responsabilité limitée unipersonnelle | Empresa Individual de Responsabilidad Limitada | E.I.R.L. |
    Unipessoal Limitada | Sociedade Limitada Unipessoal | Sociedade Unipessoal por Quotas | S.r.l. con socio unico |
    Società a responsabilità limitata a socio unico | enoosebna d.o.o. | jednočlano d.o.o. | j.d.o.o. |
    Jednostavno društvo s ograničenom odgovornošću | jednoosobowa sp. z o.o. | EOOD | S.L.U. | Egyszemélyes Kft. |
    Jednoosobowa spółka z ograniczoną odpowiedzialnością | Sociedad Comercial de Responsabilidad Limitada`,
  stock: `Sociedad Anónima Cerrada | S.A.C. | Sociedad por Acciones | One Person Corporation | OPC | SASU | S.p.A. a socio unico |
    Société par actions simplifiée à associé unique | Société anonyme à conseil d'administration | SA à directoire |
    Jednoduchá spoločnosť na akcie | Sociedad Anónima Promotora de Inversión de Capital Variable`,
  association: 'Non-Stock Corporation | Nonstock Corporation',
}
describe.each(Object.entries(ofOneMember))(
  'forms of the class %s leave the name, in any case',
  (formClass, forms) => {
    test.each(forms.split('|').map((form) => form.trim()))('%s', (form) => {
      for (const written of [form, form.toUpperCase()]) {
        expect(parseName(`Larkmoor ${written}`)).toMatchObject({ coreKey: 'larkmoor', formClass })
        expect(parseName(`x ${written}`).legalForm).not.toBeNull()
      }
    })
  },
)

const ofCountries = `NA, ZA: (Pty) Ltd | (Proprietary) Limited | Pty Ltd | Ltd | Inc | Bpk. | Beperk | (Edms) Bpk | (Eiendoms) Beperk
  BW, LS, SZ: (Pty) Ltd | (Proprietary) Limited | Ltd
  ZW: (Pvt) Ltd | (Private) Limited | Ltd
  ZM, MW, KE, UG, TZ, GH, NG, RW, GM, SL: Ltd | Co. Ltd | PLC
  ET: Share Company | PLC | Private Limited Company
  MU: Ltd | Ltée | SARL
  LK, BD, NP, PK: Ltd | Pvt. Ltd. | (Private) Limited | Company Limited
  MM, KH, LA: Co., Ltd. | Ltd
  MN: ХК | ХХК | ТӨҮГ | ОНӨҮГ | ТББ | Хувьцаат компани | JSC | LLC | Co., Ltd | XXK
  GE: შპს | სს | სააქციო საზოგადოება | შეზღუდული პასუხისმგებლობის საზოგადოება | JSC | LLC | Ltd
  AM: ՍՊԸ | ՓԲԸ | սահմանափակ պատասխանատվությամբ ընկերություն | CJSC | LLC
  AZ: MMC | ASC | QSC | Məhdud Məsuliyyətli Cəmiyyəti | Açıq Səhmdar Cəmiyyəti | LLC | OJSC
  DO: C. por A. | C. x A. | C x A | S.R.L. | E.I.R.L. | S.A.S. | S.A.
  HT: S.A. | S.A.R.L.
  PR: Inc. | Corp. | LLC | CSP
  JM, TT, GY, BZ, BB: Limited | Ltd. | & Co. Ltd
  PA: S.A. | Inc. | Corp. | S. de R.L.
  HN, SV: S.A. | S.A. de C.V. | S. de R.L. de C.V.
  NI, CR, GT, BO: S.A. | Ltda.
  VE, EC: C.A. | Compañía Anónima | S.A.
  MZ, AO, CV: Lda. | Unipessoal, Lda | S.A. | S.A.R.L. | E.P. | Limitada
  SN, CI, BJ, BF, TG, ML, NE, CM, GA, CG, CD, TD, GN, MG: S.A. | SARL | SAS | SARLU | Entreprise individuelle
  TN, DZ: SARL | SUARL
  IQ, YE, LY, SD: LLC | ذ.م.م | شركة مساهمة
  OM, BH, KW, QA: W.L.L. | LLC | JSC | K.S.C. | ذ.م.م
  AL, XK: Sh.p.k. | Sh.a. | LLC
  MK: ДООЕЛ | АД | ДОО | друштво со ограничена одговорност | DOOEL | JSC
  ME, BA: d.o.o. | a.d. | JSC
  KZ: LLP | ТОО | АҚ | JSC
  VN: JSC | LLC | Co., Ltd
  IS: ehf. | einkahlutafélag | hf. | hlutafélag | ohf. | opinbert hlutafélag | sf. | sameignarfélag | slf. | slhf. | svf. | samvinnufélag
  UY: Ltda. | Limitada | S.H. | sociedad de hecho | S.A.S. | sociedad colectiva
  NL: V.O.F. | vennootschap onder firma | C.V. | commanditaire vennootschap | maatschap
  BE: CommV | SComm | coöperatieve vennootschap | société en commandite
  CZ: v.o.s. | k.s. | státní podnik | družstvo
  AT: OG | offene Gesellschaft
  PL: P.S.A. | p.s.a. | prosta spółka akcyjna | Prosta S.A. | s.j. | s.k. | s.k.a.
  CO, MX, AR: sociedad en comandita simple | S. en C. | sociedad colectiva
  BR, PT: sociedade em nome coletivo | sociedade em comandita simples
  EE: täisühing | usaldusühing | mittetulundusühing | sihtasutus
  LV: pilnsabiedrība | komandītsabiedrība | nodibinājums
  LT: tikroji ūkinė bendrija | individuali įmonė | viešoji įstaiga
  RO: societate în nume colectiv | persoană fizică autorizată | S.N.C.
  IN: (P) Ltd | (P) Limited | प्रा.लि. | (प्राइवेट) लिमिटेड | પ્રાઇવેટ લિમિટેડ | ప్రైవేట్ లిమిటెడ్
  LK: පුද්ගලික සමාගම | (පුද්ගලික) සමාගම | தனியார் கம்பனி | (பிரைவேட்) லிமிடெட் | පීඑල්සී
  KH: ឯ.ក | ខូអិលធីឌី
  LA: ຈຳກັດ | ມະຫາຊົນ
  LU: S.à r.l. | S.A R.L. | SARL
  TR: Kollektif Şirketi | Koll. Şti. | Komandit Şirketi`
test.each(
  ofCountries
    .split('\n')
    .map((line) => line.trim().split(': '))
    .map(([countries = '', forms = '']) => ({ countries, forms })),
)('$countries know $forms', ({ countries, forms }) => {
  for (const form of forms.split(' | ')) {
    const { coreKey, formClass, formCountries } = parseName(`Larkmoor ${form}`)
    expect([coreKey, formClass], form).toEqual(['larkmoor', expect.stringMatching(/./)])
    expect(formCountries, form).toEqual(expect.arrayContaining(countries.split(', ')))
  }
})

test('behind "Co." each form has its class and the countries that know it', () => {
  const plain = ['limited', 'stock', 'partnership']
  for (const { spellings } of table.forms.filter((form) => plain.includes(form.class)))
    for (const spelling of spellings.split(', ').filter((one) => /^[a-z]/.test(one) && !/^co\b/.test(one))) {
      const alone = parseName(`Larkmoor ${spelling}`)
      const behind = parseName(`Larkmoor & Co ${spelling}`)
      if (alone.coreKey !== 'larkmoor') continue
      expect(behind.formCountries, spelling).toEqual(expect.arrayContaining([...alone.formCountries]))
      // "Co., Ltd" is the stock company of Japan and Korea.
      if (!/^(?:limited|ltd)$/.test(spelling)) expect(behind.formClass, spelling).toBe(alone.formClass)
    }
})

test.each([
  [
    'Kalahari Motorhawe BK',
    'Kalahari Motorhawe B.K.',
    'KALAHARI MOTORHAWE CC',
    'Kalahari Motorhawe Close Corporation',
  ],
  ['Kalahari Motorhawe (Beslote Korporasie)', 'Kalahari Motorhawe CC'],
])('%s is a close corporation in each writing', (...names) => {
  for (const name of names) expect(parseName(name).coreKey, name).toBe('kalaharimotorhawecc')
})

describe('a form on its own', () => {
  const entries = [...table.forms, ...table.scripts].flatMap(({ spellings, class: formClass, legal_form }) =>
    spellings.split(', ').map((marked) => ({
      form: marked.replace(/^[<$]/, '').replace('*', 'ΕΜΠΟΡΙΚΗ').replaceAll(' +', ''),
      formClass,
      legal_form,
    })),
  )
  const listAlike = (form: string) => entries.filter((one) => one.form === form)

  it('each form of the table, in any case, has its class and its US equivalent', () => {
    for (const { form } of entries)
      for (const written of new Set([form, form.toUpperCase()])) {
        const { formClass, legalForm } = parseFormText(written)
        const known = listAlike(form).map((one) => [one.formClass, one.legal_form])
        expect(known, written).toContainEqual([formClass, legalForm])
      }
  })

  test.each([
    ['CC', 'limited', 'llc'],
    ['B.K.', 'limited', 'llc'],
    ['Close Corporation', 'limited', 'llc'],
    ['S A', 'stock', 'corporation'],
    ['KS', 'partnership', 'lp'],
    ['C.A.', 'stock', 'corporation'],
    ['SAS de droit privé', 'stock', 'corporation'],
    ['სააქციო საზოგადოება', 'stock', 'corporation'],
    ['Общество с ограниченной ответственностью', 'limited', 'llc'],
    ['Ανώνυμη Εταιρεία', 'stock', 'corporation'],
    ['Хязгаарлагдмал хариуцлагатай компани', 'limited', 'llc'],
    ['تضامن', 'partnership', 'gp'],
    ['شركة تضامن', 'partnership', 'gp'],
    ['التوصية البسيطة', 'partnership', 'lp'],
    ['الشركة المساهمة الخاصة', 'stock', 'corporation'],
    ['محدودة المسؤولية', 'limited', 'llc'],
    ['Shoqëri kolektive', 'partnership', 'gp'],
    ['Sh.K.', 'partnership', 'gp'],
    ['Shoqëri komandite', 'partnership', 'lp'],
    ['Ndërmarrje shtetërore', 'enterprise', null],
    ['Јавно трговско друштво', 'partnership', 'gp'],
    ['Командитно друштво', 'partnership', 'lp'],
    ['Полное товарищество', 'partnership', 'gp'],
    ['Командитне товариство', 'partnership', 'lp'],
    ['Kommandit ortaqlığı', 'partnership', 'lp'],
    ['Spółka cywilna', 'partnership', 'gp'],
    ['Công ty hợp danh', 'partnership', 'gp'],
    ['Registered Partnership Firm', 'partnership', 'gp'],
    ['Partnership', 'partnership', 'gp'],
    ['שותפות כללית', 'partnership', 'gp'],
    ['شرکت تضامنی', 'partnership', 'gp'],
    ['Hợp tác xã', 'cooperative', 'cooperative'],
    ['Задруга', 'cooperative', 'cooperative'],
    ['Spółdzielnia', 'cooperative', 'cooperative'],
    ['جمعية تعاونية', 'cooperative', 'cooperative'],
    ['법무법인', 'partnership', 'gp'],
    ['법무법인(유한)', 'limited', 'llc'],
    ['회계법인', 'limited', 'llc'],
    ['영농조합법인', 'cooperative', 'cooperative'],
    ['사회적협동조합', 'cooperative', 'cooperative'],
    ['税理士法人', 'partnership', 'gp'],
    ['个人独资企业', 'sole_trader', 'sole_proprietorship'],
    ['सीमित कंपनी', null, null],
  ])('%s is %s, %s', (form, formClass, legalForm) => {
    expect(parseFormText(form)).toMatchObject({ formClass, legalForm })
  })
})

test.each([
  ['شركة التضامن للتأمين', 'company'],
  ['جمعية تضامن', null],
  ['بنك التضامن', null],
])('"%s" has the word of a partnership as a name: %s', (name, formClass) => {
  expect(parseName(name)).toMatchObject({ formClass, bareKey: expect.stringContaining('tdmn') as string })
})

test.each(['ООО Кооператив', 'DOO Zadruga', 'Norvane Partnership', 'Larkmoor Clinic S.C.', 'PF Larkmoor'])(
  'a word of a form is the name of "%s"',
  (name) => {
    expect(['partnership', 'cooperative', 'sole_trader']).not.toContain(parseName(name).formClass)
  },
)

test('rolling stock is no form', () => {
  expect(parseName('Rolling Stock Corporation').coreKey).toBe('rollingstock')
})

test.each([
  ['AS Larkmoor Grupp', 'EE', 'larkmoor grupp'],
  ['OÜ Larkmoor Tehas', 'EE', 'larkmoor tehas'],
  ['AS "Larkmoor"', 'LV', 'larkmoor'],
  ['AB Larkmoor grupė', 'LT', 'larkmoor grupe'],
  ['Oy Karl Larkmoor Ab', 'FI', 'karl larkmoor'],
  ['S.C. Larkmoor S.R.L.', 'RO', 'larkmoor'],
  ['A/S Larkmoor', 'DK', 'larkmoor'],
  ['AS Larkmoor', 'IT', 'as larkmoor'],
  ['SC Larkmoor', 'US', 'sc larkmoor'],
  ['AB Larkmoor AB', 'SE', 'ab larkmoor'],
  ['AS Larkmoor', null, 'as larkmoor'],
])('"%s" begins with a short form in the countries that write it in front: %s', (name, country, core) => {
  expect(parseNewName(name, { town: null, country }).tokens.join(' ')).toBe(core)
})

describe('words of a procedure', () => {
  const { anywhere, behind_form: behindForm, in_front: inFront } = around.procedures
  const list = (lines: readonly string[]) => lines.flatMap((line) => line.split('|'))
  const keyOf = (name: string) => parseNewName(name).coreKey
  const forms = ['', ', a.s.', ', s. r. o.', ' d.o.o.', ' Sp. z o.o.', ' GmbH', ' Kft.', ' AS', ' Ltd']

  it('are no part of a name, with and without a form', () => {
    for (const phrase of list(anywhere))
      for (const form of forms)
        for (const written of [` ${phrase}`, ` - ${phrase}`, ` (${phrase})`, `, ${phrase.toUpperCase()}`])
          expect(keyOf(`Larkmoor Norvane${form}${written}`), form + written).toBe('larkmoornorvane')
    for (const phrase of list(inFront))
      expect(keyOf(`${phrase} UAB Larkmoor Norvane`), phrase).toBe('larkmoornorvane')
  })

  it('of one word are no part of a name behind a form', () => {
    for (const phrase of list(behindForm))
      for (const form of forms.slice(1))
        expect(keyOf(`Larkmoor Norvane${form} - ${phrase}`), phrase).toBe('larkmoornorvane')
    for (const [name, key] of [
      ['Larkmoor GmbH i.L.', 'larkmoor'],
      ['Larkmoor GmbH i. L.', 'larkmoor'],
      ['Larkmoor Kft. "f.a."', 'larkmoor'],
      ['Larkmoor Kft. v. a.', 'larkmoor'],
      ['LARKMOOR (IN LIQUIDATION) LIMITED', 'larkmoor'],
    ])
      expect(keyOf(name ?? ''), name).toBe(key)
  })

  test.each([
    ['Larkmoor Liquidation', 'larkmoorliquidation'],
    ['Larkmoor Liquidation Ltd', 'larkmoorliquidation'],
    ['Larkmoor Konkurs', 'larkmoorkonkurs'],
    ['Larkmoor IL', 'larkmooril'],
    ['Larkmoor F.A.', 'larkmoorfa'],
    ['Larkmoor (F.A.)', 'larkmoorfa'],
    ['Experts in Liquidation Ltd', 'expertsinliquidation'],
    ['In Liquidation', 'inliquidation'],
    ['Dom v Lipach s.r.o.', 'domvlipach'],
  ])('%j has words of a name', (name, key) => {
    expect(keyOf(name)).toBe(key)
  })
})

test.each([
  'Private Company Limited by Shares',
  'PRIVATE COMPANY LIMITED BY SHARES',
  'Private Company, limited by shares',
  'Private limited company by shares',
  'Exempt Private Company Limited by Shares',
])('the form %j of a column has limited liability', (text) => {
  expect(parseFormText(text)).toMatchObject({ legalForm: 'llc', formClass: 'limited' })
})

test.each([
  ['limited', 'Limited Şirket|Limited Şirketi|LİMİTED ŞİRKET|Limited Şti.|Ltd. Şirketi|Ltd Şirket|Ltd. Şti.'],
  ['limited', 'Məhdud Məsuliyyətli Cəmiyyət|Məhdud Məsuliyyətli Cəmiyyəti'],
  ['limited', 'Mas‘uliyati cheklangan jamiyat|Mas‘uliyati cheklangan jamiyati'],
  ['limited', 'Жауапкершілігі шектеулі серіктестік|Жауапкершілігі шектеулі серіктестігі'],
  ['limited', 'Shoqëri me përgjegjësi të kufizuar|Shoqëria me përgjegjësi të kufizuar'],
  ['stock', 'Anonim Şirket|Anonim Şirketi|ANONİM ŞTİ.'],
  [
    'partnership',
    'Kollektif Şirket|Kolektif Şirket|Komandit Şirket|Adi Komandit Şirket|Perseroan Komanditer',
  ],
  ['sole_trader', 'Şahıs Şirketi|Gerçek Kişi Ticari İşletmesi'],
])('a form in a column of a register is %s with and without the ending of a name: %s', (formClass, forms) => {
  for (const form of forms.split('|'))
    expect([form, parseFormText(form).formClass]).toEqual([form, formClass])
})
