import { iso31661, iso31662 } from 'iso-3166'
import { describe, expect, it, test } from 'vitest'
import {
  findCountryCode,
  findCountryCodes,
  findCountryName,
  findExactCodes,
} from '../../../src/core/countries.js'
import placeNames from '../../../src/registry/reference/place-names.json' with { type: 'json' }
import languages from '../../../src/core/country-names.json' with { type: 'json' }

const all = [languages.languages, languages.furtherLanguages].flatMap((lists) =>
  Object.values(lists).flatMap((list) => list.split(' ')),
)
const removeAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')

describe('names of countries in CLDR', () => {
  it('are in forty languages and more', () => {
    expect(Intl.DisplayNames.supportedLocalesOf(all).length).toBeGreaterThanOrEqual(40)
  })

  test.each(all)('in %s are understood, also in capitals and without accents', (language) => {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    const asked = iso31661.flatMap(({ alpha2 }) => {
      const name = names.of(alpha2)
      return name === undefined
        ? []
        : [name, name.toUpperCase(), removeAccents(name)].map((text) => ({ text, alpha2 }))
    })
    const missed = asked.filter(({ text, alpha2 }) => !findCountryCodes(text).includes(alpha2))
    const share = 1 - missed.length / asked.length
    expect(asked.length).toBeGreaterThan(600)
    expect(share, missed.map(({ text, alpha2 }) => `${text} (${alpha2})`).join(', ')).toBeGreaterThanOrEqual(
      0.98,
    )
  })
})

test.each(Object.values(languages.furtherLanguages).flatMap((list) => list.split(' ')))(
  'names in %s have one meaning',
  (language) => {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    const several = iso31661.flatMap(({ alpha2 }) => {
      const name = names.of(alpha2) ?? alpha2
      const codes = findCountryCodes(name)
      return codes.length > 1 && name !== alpha2 && !['CD', 'CG', 'MF', 'SX'].includes(alpha2)
        ? [`${name}: ${codes.join(' ')}`]
        : []
    })
    expect(several).toEqual([])
  },
)

test.each(['Republika e', 'Република', 'Р.', 'R.', 'Рэспубліка', 'Jamhuri ya', "Repoblikan'i"])(
  'a country is known behind %s',
  (form) => {
    const names = {
      MK: 'Македонија',
      AL: 'Shqipëri',
      BY: 'Беларусь',
      KE: 'Kenya',
      MG: 'Madagasikara',
      HR: 'Hrvatska',
    }
    for (const [code, name] of Object.entries(names)) expect(findCountryCode(`${form} ${name}`)).toBe(code)
  },
)

test.each([
  'Demokratische Republik Korea',
  'República Democrática de Corea',
  'Демократическая Республика Корея',
  "Democratic People's Republic of Korea",
])('%s is not South Korea', (name) => {
  expect(findCountryCodes(name)).not.toContain('KR')
})

test('no usual name means two countries', () => {
  const meanings = new Map<string, Set<string>>()
  for (const [code, names] of Object.entries(languages.names))
    for (const name of names.split('|')) meanings.set(name, (meanings.get(name) ?? new Set()).add(code))
  expect([...meanings].filter(([, codes]) => codes.size > 1)).toEqual([])
  const unknown = Object.entries(languages.names).flatMap(([code, names]) =>
    names.split('|').filter((name) => findCountryCode(name) !== code),
  )
  expect(unknown).toEqual([])
})

describe('a text that names a country', () => {
  test.each([
    [
      'SE',
      'Schweden|Suède|Svezia|Suecia|Suécia|Zweden|Szwecja|スウェーデン|瑞典|스웨덴|Швеция|السويد|שוודיה|สวีเดน',
    ],
    ['AT', 'Österreich|OESTERREICH|Osterreich|Republik Österreich|Autriche|AUT|040|40|Rakousko'],
    [
      'DE',
      'BRD|B.R.D.|DDR|RFA|ФРГ|Bundesrepublik Deutschland|D|GER|276|ＤＥＵＴＳＣＨＬＡＮＤ|DE - Germany|Germany (DE)|DE-Germany',
    ],
    [
      'US',
      'EUA|EE.UU.|EE. UU.|U.S.A.|США|États-Unis|Etats Unis|Stati Uniti d’America|los Estados Unidos|米国|美国|미국|VS',
    ],
    [
      'GB',
      'England|Schottland|Pays de Galles|Gran Bretaña|Grande-Bretagne|G.B.|Великобритания|イギリス|英國|Inghilterra|R.U.',
    ],
    ['CH', 'die Schweiz|La Suisse|SUI|Suisse/Schweiz|Svizzera|Schweizerische Eidgenossenschaft|Швейцария'],
    ['NL', 'Holland|Pays Bas|Niederlande|Paesi Bassi|NED|Países Bajos'],
    ['KR', 'Corée du Sud|Corée|Republic of Korea|Korea, Rep.|大韓民国|한국'],
    ['KP', 'DPRK|Corée du Nord|Democratic People’s Republic of Korea'],
    ['CN', 'Chine|VR China|P.R. China|中国|中华人民共和国'],
    ['TW', 'Taiwan, R.O.C.|Republic of China|臺灣|中華民國'],
    ['CD', 'Democratic Republic of the Congo|RDC|Zaïre|Kongo-Kinshasa'],
    ['MM', 'Birmania|Burma|Birma|Myanmar (Birma)'],
    ['IR', 'Persien|Perse|Iran, Islamic Republic of'],
    ['NE', 'Niger'],
    ['NG', 'Nigeria'],
    ['GN', 'Guinée|Guinea'],
    ['GW', 'Guinea-Bissau|Guinée Bissau'],
    ['HK', 'Hongkong|Hong Kong SAR|香港'],
    ['MO', 'Macau|Macao|澳門'],
    ['XK', 'Kosovo|Косово'],
    ['AO', 'AO'],
    [
      'CD',
      'Jamhuri ya Kidemokrasia ya Kongo|Republik Demokratik Kongo|刚果民主共和国|콩고민주공화국|جمهورية الكونغو الديمقراطية',
    ],
    ['CG', 'Jamhuri ya Kongo|Republik Kongo|刚果共和国'],
    ['ET', 'Uhabeshi|Abyssinia|Abessinien|Abissinia|Federal Democratic Republic of Ethiopia'],
    ['DE', 'Jamhuri ya Shirikisho la Ujerumani|德意志联邦共和国|Cộng hòa Liên bang Đức'],
    [
      'CN',
      'Jamhuri ya Watu wa China|Republik Rakyat China|Китайская Народная Республика|Folkrepubliken Kina',
    ],
    ['EG', 'Jamhuri ya Kiarabu ya Misri'],
    ['SA', 'Ufalme wa Saudi Arabia|Uarabuni Saudia'],
    ['IR', 'Uajemi|Jamhuri ya Kiislamu ya Iran|República Islámica de Irán|Republik Islam Iran'],
    ['IQ', 'جمهورية العراق'],
    ['PK', 'جمهوری اسلامی پاکستان'],
    ['BH', 'مملكة البحرين'],
    ['KE', 'جمهورية كينيا|肯尼亚共和国|ケニア共和国|케냐 공화국|केन्या गणराज्य'],
    ['TZ', 'République-Unie de Tanzanie|República Unida de Tanzania|Jamhuri ya Muungano wa Tanzania'],
    ['TH', 'Kerajaan Thailand|泰王国'],
    ['FR', 'Cộng hòa Pháp'],
    ['KH', 'Vương quốc Campuchia'],
    ['ZA', 'RSA|Südafrika|ЮАР'],
    ['UY', 'R.O.U.|r. o. u.|R.O. del Uruguay|Rep. Oriental del Uruguay'],
    ['RO', 'ROU'],
    ['AR', 'Rep. Argentina|R. Argentina'],
  ])('%s: %s', (code, texts) => {
    for (const text of texts.split('|')) expect(findCountryCode(text), text).toBe(code)
  })

  test.each([
    ['Áo', ['AT']],
    ['Congo', ['CD', 'CG']],
    ['ČSSR', ['CZ', 'SK']],
    ['Virgin Islands', ['VG', 'VI']],
    ['Serbia and Montenegro', ['RS', 'ME']],
    ['Netherlands Antilles', ['CW', 'SX', 'BQ', 'AW']],
  ])('%s may be %j', (text, codes) => {
    expect([...findCountryCodes(text)].sort()).toEqual([...codes].sort())
  })

  test.each([
    ['EG', 'ج.م.ع', 'ج م ع', 'مصر العربية'],
    ['AE', 'ا.ع.م', 'الإمارات', 'دولة الإمارات', 'ОАЭ'],
    ['SA', 'المملكة', 'م.ع.س'],
    ['KZ', 'РК', 'ҚР'],
    ['RU', 'РФ'],
    ['US', 'США'],
    ['TW', 'ROC', 'R.O.C.', '中華民國'],
    ['CN', 'PRC', 'P.R. China', '中华人民共和国'],
    ['TR', 'T.C.'],
    ['TH', 'ประเทศไทย'],
    ['KR', '대한민국'],
    ['IL', 'מדינת ישראל'],
    ['BD', 'বাংলাদেশ'],
  ])('%s has everyday abbreviations in its own script', (code, ...names) => {
    for (const name of names) expect(findCountryCode(name), name).toBe(code)
  })

  it('that is of several countries is no single one', () => {
    expect(findCountryCode('Congo')).toBeNull()
    expect(findCountryCodes('UdSSR')).toContain('RU')
    expect(findCountryCode('UdSSR')).toBeNull()
  })

  test.each([
    '共和国',
    'Ufalme',
    'Shirikisho la Soka',
    'Cộng hòa',
    '',
    ' ',
    '-',
    'Elbonia',
    'Bavaria',
    'Norfolk',
    'Granada',
    'EU',
    'Republik',
    'Stockport',
    '999',
  ])('not %j', (text) => {
    expect(findCountryCodes(text)).toEqual([])
  })

  it('is one of the codes that are names too', () => {
    for (const { alpha2, alpha3, numeric } of iso31661)
      for (const code of [alpha2, alpha3, numeric]) expect(findCountryCode(code), code).toBe(alpha2)
    expect(findCountryName('XK')).toBe('Kosovo')
  })
})

test.each([
  ['EG', 'A.R.E|A.R.E.|A. R. E.|a.r.e'],
  ['AE', 'ARE|UAE'],
  ['GE', 'საქართველოს რესპუბლიკა|Сакартвело|САКАРТВЕЛО|Sakartvelas'],
  ['JP', 'Nhật|Nhật Bản'],
  ['KR', 'Hàn|Hàn Quốc'],
  ['CN', 'TQ|Trung Quốc|Trung Hoa'],
  ['SG', 'Singapo|Xin-ga-po'],
  ['BA', 'Republika Srpska|Република Српска|FBiH|Federacija BiH|Brčko distrikt'],
  ['GB', 'VQ Anh'],
  ['DE', 'CHLB Đức'],
  ['CZ', 'CH Séc'],
])('short names in Vietnamese, and names of the parts of a country: %s', (code, names) => {
  expect(names.split('|').filter((name) => findCountryCode(name) !== code)).toEqual([])
})

describe('An abbreviation with points names the country that it fits alone', () => {
  test.each([
    [
      'GB',
      'Wlk. Brytania|W. Brytania|Gr. Bretagne|Grossbrit.|Großbrit.|Gr. Bretaña|Vel. Británie|Veľ. Británia|Ver. Königreich|Storbrit.|Великобр.|M. Britanie',
    ],
    [
      'US',
      'St. Zjedn.|Stany Zjedn.|Ver. Staaten|Ét.-Unis|Est. Unidos|Stati Un.|Spoj. státy|Ver. Staten|Egy. Államok|Utd. States',
    ],
    ['CZ', 'Rep. Checa|Rép. Tchèque|Rep. Ceca|R. Checa|Tschech. Rep.|Česká rep.'],
    ['NL', 'Niderl.|Nederl.|Niederl.|P.-Bas|P. Bajos|P. Baixos|Nizoz.'],
    ['CH', 'Szwajc.|Schweiz.|Switz.|Zwits.'],
    ['DE', 'Deutschl.|Allem.|Tyskl.|Duitsl.'],
    ['BA', 'Bośnia i Herc.|Bosnia & Herz.|Bosnien und Herz.'],
    ['NZ', 'N. Zelanda|Nowa Zel.|Neuseel.'],
    ['AE', 'Emir. Arab. Uniti|Verein. Arab. Emirate'],
  ])('%s: %s', (code, texts) => {
    expect(texts.split('|').filter((text) => findCountryCode(text) !== code)).toEqual([])
  })

  test.each(
    'Austr.|Colo.|Calif.|Mass.|N. Mex.|W. Va.|N. Car.|St. Gallen|St. Louis|St. Pölten|S. Paulo|Sta. Cruz|N. York|Nieders.|Frankf. a. M.|Cap. Fed.|Ile de Fr.'.split(
      '|',
    ),
  )('%s names none', (text) => {
    expect(findCountryCodes(text)).toEqual([])
  })

  test('any long name of a country in any language, cut to seven letters, is never another country', () => {
    for (const language of languages.languages.latin.split(' ')) {
      const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
      const wrong = iso31661.flatMap(({ alpha2 }) => {
        const name = names.of(alpha2) ?? ''
        const cut = `${name.slice(0, 7)}.`
        const [found, other] = /^\p{L}{9,}$/u.test(name) ? findCountryCodes(cut) : []
        return found !== undefined && other === undefined && found !== alpha2 ? [`${cut} ${found}`] : []
      })
      expect(wrong).toEqual([])
    }
  })
})

describe('inflected names of countries', () => {
  test.each([
    [
      'Icelandic',
      'NO Noregi|NO Noregs|DE Þýskalandi|US Bandaríkjunum|GB Bretlandi|IS Íslandi|DK Danmörku|FI Finnlandi|NO í Noregi',
    ],
    [
      'Finnish',
      'FI Suomessa|DE Saksassa|SE Ruotsin|EE Virossa|US Yhdysvalloissa|NO Norjassa|KR Etelä-Koreassa|FI Suomen tasavalta',
    ],
    ['Estonian', 'DE Saksamaal|FI Soomes|LV Lätis|LT Leedus|PL Poolas|EE Eesti Vabariik'],
    [
      'Hungarian',
      'DE Németországban|AT Ausztriában|HU Magyarországon|CN Kínában|US USA-ban|HU Magyar Köztársaság',
    ],
    ['Latvian', 'DE Vācijā|EE Igaunijas|GB Lielbritānijā|LV Latvijas Republika|NO Norvēģijas'],
    ['Lithuanian', 'DE Vokietijoje|PL Lenkijos|LT Lietuvos Respublika|US Jungtinėse Valstijose'],
    [
      'Polish',
      'DE w Niemczech|DE Niemiec|CZ w Czechach|FR Francji|GE Gruzji|US w USA|GB Wielkiej Brytanii|HU na Węgrzech',
    ],
    ['Czech', 'DE v Německu|AT Rakouska|FR Francii|GB Velké Británii|US ve Spojených státech'],
    ['Slovak', 'DE v Nemecku|HU Maďarska|US v Spojených štátoch|SK Slovenskej republiky'],
    ['Slovene', 'DE v Nemčiji|AT Avstrije|HR na Hrvaškem'],
    ['Croatian and Serbian', 'DE u Njemačkoj|HR Hrvatske|NO u Norveškoj|DE у Немачкој|RS Republike Srbije'],
    ['Russian', 'DE Германии|DE в Германии|CN в Китае|KZ Казахстана|US в США|BY Республики Беларусь'],
    ['Ukrainian', 'DE Німеччини|PL у Польщі|GB Великої Британії|UA України'],
    ['Greek', 'DE της Γερμανίας|DE στη Γερμανία|CY Κύπρου|GB Ηνωμένου Βασιλείου|BE Βελγίου'],
    ['Romanian and Albanian', 'DE Germaniei|FR Franței|DE Gjermanisë|IT Italisë'],
    [
      'Turkish',
      "DE Almanya'da|DE ALMANYA’DAN|FR Fransa'dan|TR Türkiye Cumhuriyeti|DE Almanya Federal Cumhuriyeti",
    ],
    ['Turkic languages', 'DE Almaniyada|DE Germaniyada|AZ Azərbaycan Respublikası|KZ Қазақстан Республикасы'],
    ['others', 'JP Япон Улс|DE გერმანიაში|DE Գերմանիայում|DE Alemaniako'],
  ])('of %s', (_, texts) => {
    const missed = texts.split('|').filter((text) => findCountryCode(text.slice(3)) !== text.slice(0, 2))
    expect(missed).toEqual([])
  })

  test('none is a region or a large city', () => {
    const regions = Object.values(placeNames.regions).flatMap((names) => names.split('|'))
    const cities = placeNames.cities.flatMap((names) => names.split(' '))
    const names = [...iso31662.map(({ name }) => name), ...regions, ...cities]
    expect(names.length).toBeGreaterThan(8_000)
    const gained = names.filter((name) => findCountryCodes(name).length > findExactCodes(name).length)
    expect(gained).toEqual([])
  })

  test('a name in any language keeps its countries', () => {
    const other = all.flatMap((language) => {
      const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
      return iso31661.flatMap(({ alpha2 }) => {
        const found = findCountryCodes(names.of(alpha2) ?? alpha2)
        return found.length === 0 || found.includes(alpha2) ? [] : [`${names.of(alpha2)}: ${found.join()}`]
      })
    })
    expect(other).toEqual([])
  })

  test.each([
    ['Georgia', 'GE'],
    ['Jordan', 'JO'],
    ['Çin Cumhuriyeti', 'TW'],
    ['Kiinan tasavalta', 'TW'],
    ['Dominik Cumhuriyeti', 'DO'],
    ['Americas', null],
    ['In Salah', null],
    ['De Panne', null],
    ['Da Nang', null],
    ['Norman', null],
    ['Kineta', null],
    ['Granada', null],
    ['Kuzey Kıbrıs Türk Cumhuriyeti', 'CY'],
  ])('%s is %s', (name, code) => {
    expect(findCountryCode(name)).toBe(code)
  })

  test('words of names are none', () => {
    expect(['Polski', 'Niemiec', 'России', 'Germaniei', 'Italian'].flatMap(findExactCodes)).toEqual([])
  })
})

test.each(['KKTC', 'K.K.T.C.', 'Kuzey Kıbrıs', 'Kuzey Kıbrıs Türk Cumhuriyeti', 'Northern Cyprus', 'TRNC'])(
  'Companies of the north of Cyprus are of CY: %s',
  (name) => {
    expect(findCountryCodes(name)).toEqual(['CY'])
  },
)
