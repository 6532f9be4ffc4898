import { describe, expect, test } from 'vitest'
import { parseName } from '../../../src/registry/normalize/parsed-name.js'
import { listVariants, type VariantKind } from '../../../src/registry/normalize/name-variants.js'

type Reading = [text: string, coreKey: string, kind: VariantKind]

const expectReading = (text: string, coreKey: string, kind: VariantKind) => {
  expect(listVariants(text)).toContainEqual(expect.objectContaining({ coreKey, kind }))
}

describe('issuers as lists of securities write them', () => {
  test.each<Reading>([
    ['KORVANAX MNG CORP', 'korvanaxmining', 'whole'],
    ['KORVANAX INDL REIT INC COM', 'korvanaxindustrialreit', 'whole'],
    ['GENERAL KORVAN INVS INC', 'generalkorvaninvestors', 'whole'],
    ['UTD SOUTHN ENTMT', 'unitedsouthernentertainment', 'whole'],
    ['KORVANAX CORP PLC SHS NEW', 'korvanax', 'security'],
    ['KORVANAX LTD SPONSORED ADR', 'korvanax', 'security'],
    ['KORVANAX INC COM CL A', 'korvanax', 'security'],
    ['KORVANAX INC CL B', 'korvanax', 'security'],
  ])('%j may be %j, %s', expectReading)

  test('a name that fills the column of 28 characters loses its piece of a legal form', () => {
    expectReading('KORVANAX FACTORY OUTLET CT I', 'korvanaxfactoryoutletct', 'whole')
    expectReading('KORVAN COMMUNICATIONS CO LT ADR', 'korvancommunications', 'whole')
    expect(listVariants('KORVAN ASSET HIGH INCM OPPS COM')).toContainEqual(
      expect.objectContaining({ coreKey: 'korvanassethighincomeopportunities', cut: 'between_words' }),
    )
  })

  test.each(['Korvanax.com', 'Shop Korvanax COMM', 'Korvanax Inc', 'Korvanax 4 U'])(
    '%j is read as it is',
    (text) => {
      expect(listVariants(text).filter(({ kind }) => kind === 'whole')).toHaveLength(1)
    },
  )
})

describe('banks as lists of bank codes write them', () => {
  test.each<Reading>([
    ['Spk Korvental', 'sparkassekorvental', 'whole'],
    ['Kr Spk Korvental', 'kreissparkassekorvental', 'whole'],
    ['KrSpk Korvental', 'kreissparkassekorvental', 'whole'],
    ['St Spk Korvental', 'stadtsparkassekorvental', 'whole'],
    ['VB Korvental', 'volksbankkorvental', 'whole'],
    ['Raiffbk Korvental', 'raiffeisenbankkorvental', 'whole'],
    ['RB Korvental', 'raiffeisenbankkorvental', 'whole'],
    ['Raiff-VB Korvental', 'raiffeisenvolksbankkorvental', 'whole'],
    ['LdBk Korvental', 'landesbankkorvental', 'whole'],
    ['LdBk Korvental', 'landbankkorvental', 'whole'],
    // The town comes last.
    ['Spk Korvental Quellstadt', 'sparkassekorvental', 'site'],
    ['Nord-Korven Spk Quellstadt', 'nordkorvensparkasse', 'site'],
    ['LdBk Korven Gz Quellstadt', 'landesbankkorvengirozentrale', 'site'],
  ])('%j may be %j, %s', expectReading)

  test.each([
    ['Spk Korvental', 'sparkasse'],
    ['VB Korven-Quellstadt', 'volksbankkorven'],
    ['VB im Korvental', 'volksbankim'],
  ])('%j is not %j', (text, coreKey) => {
    expect(listVariants(text).map((variant) => variant.coreKey)).not.toContain(coreKey)
  })
})

describe('lines of vendor lists', () => {
  test.each<[text: string, coreKey: string, cut: string]>([
    ['V857314 KORVANAX ENTERPRISES', 'korvanaxenterprises', 'nowhere'],
    // The column ended, or made room for the number.
    ['V446080 KORVANAX MEDICAL SYSTEMS HOLDI', 'korvanaxmedicalsystemsholdi', 'anywhere'],
    ['KORVANAX MEDIA SOLUTIO 588611', 'korvanaxmediasolutio', 'anywhere'],
    ['KORVANAX 588611', 'korvanax', 'nowhere'],
  ])('%j may be %j, cut %s', (text, coreKey, cut) => {
    expect(listVariants(text)).toContainEqual(expect.objectContaining({ coreKey, cut, kind: 'whole' }))
  })

  test.each(['1234567 ONTARIO INC', 'KORVANAX 2000 LTD', 'KORVANAX SERIES 12345', 'Korvanax 588611'])(
    '%j is read as it is',
    (text) => {
      expect(listVariants(text).filter(({ kind }) => kind === 'whole')).toHaveLength(1)
    },
  )
})

describe('names in other scripts', () => {
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
    ['Χρυσός', 'chrysos'],
    ['Χρυσός', 'hrusos'],
    ['Φιλίπ', 'philip'],
    ['トヨタ', 'toyota'],
    ['ソニーグループ株式会社', 'sonygroup'],
    ['マイクロソフト', 'maikrosoft'],
    ['シェルジャパン株式会社', 'sheljapan'],
    ['삼성전자', 'samsungelectronics'],
    ['주식회사 포스코', 'posco'],
    ['카카오', 'kakao'],
    ['롯데', 'lotde'],
  ])('%j may be %j', (text, coreKey) => {
    expectReading(text, coreKey, 'whole')
  })

  test('the registered name in its own script stays the first reading', () => {
    expect(listVariants('シェルジャパン株式会社')[0]).toEqual(
      expect.objectContaining({ ...parseName('シェルジャパン株式会社'), kind: 'whole' }),
    )
  })

  test('Chinese names are left as they are', () => {
    expect(listVariants('中国银行股份有限公司')).toHaveLength(1)
  })
})

describe('names with errors of a scan', () => {
  test.each<[text: string, coreKey: string]>([
    ['K0RVANAX LTD', 'korvanax'],
    ['KORV1NAX LTD', 'korvinax'],
    ['Ko1vanax Ltd', 'kolvanax'],
    ['6orvanax Ltd', 'gorvanax'],
    ['KORVANAX RESOURCE5, lNC.', 'korvanaxresources'],
    ['Korvanax 6lobal Services Lirnited', 'korvanaxglobalservices'],
    ['KORVANAX INTERNATlONAL C0RP.', 'korvanaxinternational'],
    ['Intemational Korvanax Holdinqs Limifcd', 'internationalkorvanaxholdings'],
    ['Korviinax Inc', 'korvunax'],
    ['KORVANAXLTD', 'korvanax'],
  ])('%j may be %j', (text, coreKey) => {
    expectReading(text, coreKey, 'mended')
  })

  test('words that were joined are compared one by one', () => {
    expect(listVariants('WorldKorvanax Corp')).toContainEqual(
      expect.objectContaining({ tokens: ['world', 'korvanax'], kind: 'mended' }),
    )
  })

  test.each([
    '3M Company',
    '7-Eleven',
    '24hour Fitness',
    'Studio54',
    'Level8',
    'Hawaii Gas',
    'Kiinteisto Oy',
    'McKorvan',
  ])('%j is read as it is', (text) => {
    expect(listVariants(text).filter(({ kind }) => kind === 'mended')).toEqual([])
  })
})

describe('lines of card statements', () => {
  test.each<Reading>([
    ['COSTCO WHSE #0671', 'costcowholesale', 'whole'],
    ['AMZN MKTP US*2K4LL1', 'amazoncom', 'whole'],
    ['WM SUPERCENTER #1234', 'walmart', 'whole'],
    ["MCDONALD'S F12345", 'mcdonalds', 'whole'],
    ['SQ *KORVANAX COFFEE', 'korvanaxcoffee', 'whole'],
    ['TST* KORVANAX GRILL', 'korvanaxgrill', 'whole'],
    ['5 KORVANS #222', 'fivekorvans', 'mended'],
  ])('%j may be %j, %s', expectReading)

  test.each([
    'Costco',
    'Target Korvanax',
    'Apple Korvanax',
    '10 X Korvanax',
    'Korvanax 5',
    'Target 20000 Ltd',
    'TJX Europe',
    'THE HOME DEPOT FOUNDATION',
    'The Home Depot Foundation',
    'Spotify USA',
  ])('%j is read as it is', (text) => {
    expect(listVariants(text).filter(({ kind }) => kind === 'whole' || kind === 'mended')).toHaveLength(1)
  })
})

test.each<Reading>([
  ['Korvanax Labs', 'korvanax', 'site'],
  ['Korvanax Research Labs', 'korvanax', 'site'],
  ['Korvanax Worldwide', 'korvanax', 'site'],
  ['Korvanax R&D', 'korvanax', 'site'],
])('the division %j may be of %j', expectReading)
