import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  describeTypingError,
  isPersonNumber,
  listNestedNumbers,
  toContainedNumber,
  toHeadOfficeNumber,
} from '../../../src/core/numbers/number-forms.js'
import {
  closeNumber,
  hasPlainForm,
  hasWrongCheckDigits,
  isPlainCompanyNumber,
  numberCountries,
  toCompanyNumber,
  toNationalNumber,
} from '../../../src/core/numbers/national-numbers.js'
import { cleanNumber, findNumberKind } from '../../../src/core/identifiers.js'
import { readIdentifiers } from '../../../src/core/numbers/stated-identifiers.js'
import { forAll } from '../../support/properties.js'

test.each([
  ['no', '923 609 016', '923609016'],
  ['fr', '552 032 534', '552032534'],
  ['fi', '1120389', '0112038-9'],
  ['be', '403170701', '0403.170.701'],
  ['br', '33000167000101', '33.000.167/0001-01'],
  ['ch', 'CHE105909036', 'CHE-105.909.036'],
  ['cz', '177041', '00177041'],
  ['dk', '22756214', '22756214'],
  ['ee', '12417834', '12417834'],
  ['lv', '40003032949', '40003032949'],
  ['se', '5560125790', '556012-5790'],
  ['au', '004 028 077', '004028077'],
  ['au', '49 004 028 077', '49004028077'],
  ['jp', '180301018771', '1803-01-018771'],
])('%s: %s is %s', (country, text, number) => {
  expect(toNationalNumber(country, text)).toBe(number)
})

test.each([
  ['no', '923609017'],
  ['fr', '552032535'],
  ['br', '33.000.167/0001-02'],
  ['be', '0403.170.702'],
  ['de', '143/123/12345'],
  ['no', '9236'],
])('%s: %s has a wrong check digit or another form', (country, text) => {
  expect(toNationalNumber(country, text)).toBeNull()
})

test.each([
  ['rs', '104052135'],
  ['rs', '100002887'],
  ['me', '02655284'],
  ['mk', '4030000375897'],
  ['sk', '2020372640'],
  ['ke', 'P051234567A'],
])('%s: %s is a tax number, by its check digit if the country has one', (country, number) => {
  expect(isPlainCompanyNumber(country, number)).toBe(true)
  const others = number.endsWith('A')
    ? []
    : Array.from({ length: 9 }, (_, at) => `${number.slice(0, -1)}${(Number(number.at(-1)) + at + 1) % 10}`)
  for (const other of others) {
    expect([other, isPlainCompanyNumber(country, other)]).toEqual([other, false])
    expect([other, hasWrongCheckDigits(country, other)]).toEqual([other, true])
  }
})

test.each([
  ['hr', '27759560625'],
  ['pl', '5260250995'],
  ['il', '520000472'],
  ['kr', '1248100998'],
  ['kr', '603-81-12342'],
])('%s: %s has a check digit', (country, number) => {
  expect(hasWrongCheckDigits(country, number)).toBe(false)
  for (const added of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    const other = `${number.slice(0, -1)}${(Number(number.at(-1)) + added) % 10}`
    expect([other, hasWrongCheckDigits(country, other)]).toEqual([other, true])
  }
})

test('a number under its national name is an identifier', () => {
  expect(readIdentifiers('Danone (SIREN 552 032 534)')).toEqual({
    name: 'Danone',
    identifiers: [{ kind: 'registration_id', value: '552032534', place: 'FR' }],
  })
  expect(readIdentifiers('UID Electronics').identifiers).toEqual([])
})

test.each([
  ['fr', '552 032 534 00646', '552032534'],
  ['be', 'BE 0403.170.701', '0403.170.701'],
  ['se', '16556012-5790', '556012-5790'],
  ['no', 'NO 923 609 016', '923609016'],
  ['ch', '105.909.036', 'CHE-105.909.036'],
  ['at', 'FN 093363 z', '93363Z'],
  ['at', '93363z', '93363Z'],
  ['at', 'ATU14189108', null],
  ['fr', '552 032 534 00647', null],
])('%s: the company of %s has the number %s', (country, text, number) => {
  expect(toCompanyNumber(country, text)).toBe(number)
})

test.each([
  ['fr', '35600000000048', false],
  ['fr', '552 032 535', true],
  ['fr', '55203253', false],
  ['pl', '123456785', false],
  ['pl', '123456786', true],
  ['pl', '0000012345', false],
  ['nl', '12345678', false],
  ['ca', '123456-7', false],
  ['de', 'HRB 501', false],
  ['no', 'NO923609017', true],
])('%s: whether %s has the form of a number with wrong check digits: %s', (country, text, isWrong) => {
  expect(hasWrongCheckDigits(country, text)).toBe(isWrong)
})

/** Made up, with right check digits where the country has them. */
const personNumbers: readonly [string, string][] = [
  ['ar', '20-12345678-6'],
  ['be', '85.07.30-033.28'],
  ['br', '123.456.789-09'],
  ['br', '12345678909'],
  ['ch', '756.9217.0769.85'],
  ['cn', '11010519491231002X'],
  ['cz', '736028/5163'],
  ['dk', '211062-5629'],
  ['ee', '37605030299'],
  ['es', '12345678Z'],
  ['es', 'X1234567L'],
  ['fi', '131052-308T'],
  ['fr', '1 85 05 78 006 084 91'],
  ['gb', 'AB 12 34 56 C'],
  ['in', 'ABCPE1234F'],
  ['is', '120174-3399'],
  ['it', 'RSSMRA85T10A562S'],
  ['lt', '33309240064'],
  ['lv', '161175-19997'],
  ['mx', 'PEPJ800101AB1'],
  ['no', '01010750160'],
  ['pe', '10445666882'],
  ['pl', '44051401359'],
  ['pt', '123456789'],
  ['ro', '1800101221144'],
  ['se', '811218-9876'],
  ['se', '19811218-9876'],
  ['sg', 'S1234567D'],
  ['tr', '10000000146'],
  ['us', '123-45-6789'],
  ['za', '8001015009087'],
  ['ae', '784-1980-1234567-1'],
  ['ao', '001234567LA012'],
  ['cm', 'P012345678901C'],
  ['ma', 'BE745123'],
  ['ma', 'C 25478'],
  ['mg', '101 234 567 890'],
  ['sn', '1 751 1995 00123'],
  ['tn', '01234567'],
  ['at', '1237 010180'],
  ['ba', '0101980170004'],
  ['bg', '7501020018'],
  ['cl', '12.345.678-5'],
  ['co', '1020304050'],
  ['cr', '1-0234-0567'],
  ['do', '001-1234567-8'],
  ['ec', '1710034065001'],
  ['eg', '28001011234567'],
  ['hk', 'A123456(3)'],
  ['id', '3171010101800001'],
  ['ie', '1234567FA'],
  ['il', '012345678'],
  ['kr', '800101-1234567'],
  ['kz', '800101300123'],
  ['lk', '801234567V'],
  ['my', '800101-14-5678'],
  ['ng', '12345678901'],
  ['pk', '35202-1234567-1'],
  ['py', '1234567-8'],
  ['rs', '0101980710009'],
  ['ru', '500100732259'],
  ['th', '1-1017-00203-45-1'],
  ['tw', 'A123456789'],
  ['ua', '2345678901'],
  ['uy', '1234567-2'],
  ['vn', '001080012345'],
  // Business numbers that contain the number of their owner.
  ['tr', '1000000014600001'],
  ['tr', '1000-0000-1460-0001'],
  ['th', '1-1017-00203-45-1-00001'],
  ['id', '3171010101800001000000'],
  ['cn', '11010519491231002X00'],
  ['vn', '001080012345-001'],
  ['vn', '001080012345-00001'],
  ['ir', '00123456790001'],
  ['cz', '480115123'],
  // Foreigners pay taxes in Costa Rica with the number of their permit, and persons in Mongolia with that of the register of persons.
  ['cr', '155812345678'],
  ['mn', 'УУ12345678'],
]

test.each([
  ['fi', '131052308T', '22004653'],
  ['fi', '131052A308T', 'FI22004653'],
  ['gr', '01019012345', '094019245'],
  ['mt', '0123456M', 'C12345'],
  ['lu', '1990010112345', '19902200123'],
  ['xk', '1234567890', '810123456'],
  ['ge', '01001012345', '204565660'],
  ['am', '1501901234', '27311001234'],
  ['uz', '31001900000012', '201123456'],
  ['ir', '0012345679', '10100123456'],
  ['az', '1234567892', '1234567891'],
  ['kg', '21503198500123', '02706199510045'],
])('%s: %s is that of a person, %s that of a company', (country, person, company) => {
  for (const text of [person, `${country.toUpperCase()}${person}`, person.toLowerCase()])
    expect([text, isPersonNumber(text, [country])]).toEqual([text, true])
  expect(isPersonNumber(company, [country])).toBe(false)
})

test.each(personNumbers)('%s: %s is the number of a person', (country, number) => {
  expect(isPersonNumber(number, [country.toUpperCase()])).toBe(true)
})

test('Panama: the tax number of a person is the identity number with check digits', () => {
  for (const number of [
    '8-123-456',
    '8-123-456 DV 12',
    '8-123-456 D.V. 12',
    'PE-12-345 DV12',
    'RUC: 8-123-456 DV 12',
  ])
    expect([number, isPersonNumber(number, ['pa'])]).toEqual([number, true])
})

test.each([
  ['br', '33.000.167/0001-01'],
  ['es', 'A28015865'],
  ['pt', '500273170'],
  ['se', '556012-5790'],
  ['se', '202100-5489'],
  ['fi', '0112038-9'],
  ['dk', '22756214'],
  ['no', '923609016'],
  ['is', '450291-2079'],
  ['lv', '40003032949'],
  ['pl', '0000028860'],
  ['mx', 'BSC940905F38'],
  ['ar', '30-67332056-9'],
  ['pe', '20100070970'],
  ['cn', '91110108710925389X'],
  ['in', '27AAACR5055K1Z7'],
  ['sg', '200106159R'],
  ['us', '94-2404110'],
  ['gb', 'SC095237'],
  ['de', 'HRB 42243'],
  ['kr', '124-81-00998'],
  ['kr', '130111-0006246'],
  ['kr', '110111-1129497'],
  ['bg', '121886372'],
  ['cl', '96.511.460-2'],
  ['co', '890.903.938-8'],
  ['cr', '3-101-000046'],
  ['do', '101-00157-7'],
  ['ec', '1790016919001'],
  ['id', '9120106750133'],
  ['ie', '249885'],
  ['il', '520013954'],
  ['kz', '020240000555'],
  ['my', '199701009694'],
  ['ng', 'RC 208767'],
  ['py', '80000519-8'],
  ['rs', '20084693'],
  ['ru', '1027700070518'],
  ['th', '0107544000108'],
  ['ua', '14360570'],
  ['uy', '210000580011'],
  ['vn', '0300588569'],
  ['vn', '0300588569-001'],
  ['tr', '0859030651800001'],
  ['tr', '859030651800001'],
  ['th', '0107544000108-00001'],
  ['id', '0012345678901000000000'],
  ['ir', '10100123456'],
  ['cz', '00177041'],
  ['pa', '155612345-2-2015 DV 12'],
])('%s: %s is that of a company', (country, number) => {
  expect(isPersonNumber(number, [country])).toBe(false)
})

describe('numbers of persons that their letters or their length tell', () => {
  const digits = (count: number) =>
    fc.integer({ min: 1, max: 999_999_999 }).map((one) => one.toString().padStart(count, '7').slice(0, count))
  const persons: Readonly<Record<string, (digits: string) => string[]>> = {
    gh: (one) => [
      `GHA-${one}-9`,
      `gha ${one} 9`,
      `GHA${one}9`,
      `P00${one.slice(1)}`,
      `Ghana Card: GHA-${one}-1`,
    ],
    ke: (one) => [`A${one}Z`, `KRA PIN: A${one}B`],
    tz: (one) => [`19850412-${one.slice(0, 5)}-${one.slice(0, 5)}-21`, `19850412${one}211`],
    ug: (one) => [`CM${one.slice(0, 8)}ABCD`, `CF${one}PQR`],
    zm: (one) => [`${one.slice(0, 6)}/78/1`],
    bd: (one) => [`1985${one}1234`, `8${one}`, `1${one}123`],
    lk: (one) => [`${one}V`, `1985123${one.slice(0, 5)}`],
    zw: (one) => [`63-${one.slice(0, 6)}A42`, `63-${one.slice(0, 7)} K 07`],
    rw: (one) => [`119858${one}0`],
  }
  const companies: Readonly<Record<string, (digits: string) => string[]>> = {
    gh: (one) => [`CS${one}`, `C000${one.slice(2)}`, `BN${one}`, `PG${one}`, `C-000${one.slice(2)}`],
    ke: (one) => [
      `P${one}Z`,
      `PVT-${one.slice(0, 6)}`,
      `C.${one.slice(0, 3)}/99`,
      `CPR/2010/${one.slice(0, 5)}`,
    ],
    tz: (one) => [one.slice(0, 6), one],
    ug: (one) => [`80020${one}`, one.slice(0, 6)],
    zm: (one) => [`120${one}`, one.slice(0, 5)],
    bd: (one) => [`C-${one.slice(0, 5)}/2016`, `000${one.slice(3)}-0101`, `${one}123`.slice(0, 12)],
    lk: (one) => [`PV ${one.slice(0, 6)}`, one.slice(0, 8)],
    zw: (one) => [`${one.slice(0, 4)}/2006`],
    rw: (one) => [one],
  }

  test('are known in each of their writings, and those of companies are not taken', () => {
    forAll(60, [fc.constantFrom(...Object.keys(persons)), digits(9)], (country, number) => {
      for (const one of persons[country]?.(number) ?? [])
        expect([country, one, isPersonNumber(one, [country])]).toEqual([country, one, true])
      for (const one of companies[country]?.(number) ?? [])
        expect([country, one, isPersonNumber(one, [country])]).toEqual([country, one, false])
    })
  })

  test('a Ghana Card is one in every country, and without one', () => {
    for (const countries of [[], ['DE'], ['GH'], ['NG', 'KE']])
      expect([countries, isPersonNumber('GHA-712345678-9', countries)]).toEqual([countries, true])
    expect(isPersonNumber('P0001234567', [])).toBe(true)
  })
})

test('No company number with right check digits is that of a person', () => {
  const countries = numberCountries.filter((country) => country !== 'se' && country !== 'pt')
  let count = 0
  for (const country of countries)
    for (let at = 0; at < 400; at++) {
      const digits = Array.from(
        { length: 14 },
        (_, place) => (at * 7_919 + place * 104_729 * (at + 3)) % 10,
      ).join('')
      const number = [14, 13, 11, 10, 9, 8]
        .map((length) => toNationalNumber(country, digits.slice(0, length)))
        .find((one) => one !== null)
      if (number === undefined) continue
      count++
      expect([country, number, isPersonNumber(number, [country])]).toEqual([country, number, false])
    }
  expect(count).toBeGreaterThan(1_000)
})

describe('MERSIS numbers of Türkiye', () => {
  test('contain the tax number of the company, which has that of the head office', () => {
    for (const number of ['0959030651800001', '0959030651800015', '959030651800001', '0959-0306-5180-0001'])
      expect(toContainedNumber('tr', number)).toBe('9590306518')
    expect(listNestedNumbers('tr', '9590306518')).toContain('0959030651800001')
  })

  test('of branches have the number of their head office', () => {
    expect(toHeadOfficeNumber('tr', '0959-0306-5180-0015')).toBe('0959030651800001')
    expect(toHeadOfficeNumber('tr', '0959030651800001')).toBeNull()
  })
})

describe('tax numbers of Viet Nam', () => {
  const companies = ['0300588569', '0100109106', '0101245486', '0101248141']
  test.each(companies)('%s, and those of its branches', (number) => {
    expect(toNationalNumber('vn', number)).toBe(number)
    expect(toNationalNumber('vn', number.slice(1))).toBe(number)
    expect(toHeadOfficeNumber('vn', number)).toBeNull()
    for (const branch of [`${number}-005`, `${number}005`, `${number} 005`])
      expect(toHeadOfficeNumber('vn', branch)).toBe(number)
    for (let digit = 0; digit < 10; digit++) {
      const other = number.slice(0, 9) + String(digit)
      expect(hasWrongCheckDigits('vn', other)).toBe(other !== number)
      expect(hasWrongCheckDigits('vn', `${other}-001`)).toBe(other !== number)
    }
  })
})

describe('check digits of numbers without an official form here', () => {
  /** Of well-known companies and offices. */
  const numbers: Readonly<Record<string, string>> = {
    ar: '30-54668997-9 30-50001091-2 30-70308853-4 30-63945373-8 33-69345023-9',
    cl: '90.749.000-9 96.511.460-2 97.006.000-6 61.704.000-K 76.645.030-K 93834000-5',
    co: '890.903.938-8 899.999.068-1 860002964-4 8909006089 900.047.981-8',
    do: '1-01-00157-7 101-01063-2 101019921 401-00755-1',
    gt: '576937-K 3952550-3 7108-0',
    ma: '001512572000078 001561191000066 002136093000040 001458946000061',
    pe: '20100017491 20100047218 20100128056 20100070970 20331066703 20467534026',
    py: '80000519-8 80028061-0 80002201-7 80009735-1',
    si: '5043611000 5300231000 5025796 5860571 5300231136',
    uy: '211003420017 210778720012 21-047573-001-1',
    ve: 'J-00095036-9 J-07013380-5 J001241345 J-00041312-6 G-20000008-2',
  }
  test.each(
    Object.entries(numbers).flatMap(([country, list]) => list.split(' ').map((one) => [country, one])),
  )('%s: %s is right, and no other digit in its place is', (country = '', number = '') => {
    expect(hasWrongCheckDigits(country, number)).toBe(false)
    const at = country === 'si' ? 6 : number.length - 1
    const others = '0123456789'.split('').map((digit) => number.slice(0, at) + digit + number.slice(at + 1))
    for (const other of others.filter((one) => one !== number)) {
      expect([other, hasWrongCheckDigits(country, other)]).toEqual([other, true])
      expect(hasPlainForm(country, other)).not.toBe(true)
    }
  })

  test.each([
    ['co', '899999068', '8999990681'],
    ['cl', '96511460', '965114602'],
    ['cl', '61.704.000', '61704000K'],
    ['py', '80000519', '800005198'],
  ])('%s: %s is also found with its check digit', (country, number, whole) => {
    expect(hasWrongCheckDigits(country, number)).toBe(false)
    expect(hasPlainForm(country, number)).toBe(true)
    expect(isPersonNumber(number, [country])).toBe(false)
    expect(listNestedNumbers(country, number)).toContain(whole)
    expect(listNestedNumbers(country, whole)).toContain(closeNumber(number))
    expect(toContainedNumber(country, whole)).toBe(closeNumber(number))
  })

  test('Bosnia and Herzegovina: a VAT number is that of the register without its first digit', () => {
    expect(listNestedNumbers('ba', '200225150005')).toContain('4200225150005')
    expect(listNestedNumbers('ba', '4200225150005')).toContain('200225150005')
    expect(toContainedNumber('ba', '5200225150005')).toBeNull()
  })

  test('Numbers of persons in Chile stay those of persons, with and without signs', () => {
    for (const number of ['9.651.146-9', '9651146-1', '96511469', '12345678', '9.651.146-K', '12.345.678-5'])
      expect([number, isPersonNumber(number, ['cl'])]).toEqual([number, true])
  })
})

/** Each `#` is any digit, `c` the check digit or letter. */
const withCheckDigit: Readonly<Record<string, readonly string[]>> = {
  bg: ['8#######c', 'BG1#######c'],
  by: ['1#######c'],
  is: ['570687-##c9', '471008-##c0', '610520-##c0'],
  jp: ['c############'],
  kz: ['####4######c'],
  md: ['10##########c'],
  // Numbers that end like a year may be those of a register.
  ro: ['1#####5c', 'RO4####5c'],
  ru: ['1###########c', '77#######c'],
  sg: ['########c', '2010#####c', '1968#####c'],
  th: ['010#########c'],
  ua: ['1######c', '4######c', '0######c'],
}

test.each(Object.entries(withCheckDigit))('one check digit of a number of %s is right', (country, forms) => {
  const signs = country === 'sg' ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' : '0123456789'
  forAll(
    100,
    [fc.constantFrom(...forms), fc.array(fc.nat(9), { minLength: 14, maxLength: 14 })],
    (form, digits) => {
      let at = 0
      const text = form.replace(/#/g, () => String(digits[at++]))
      const right = signs.split('').filter((sign) => !hasWrongCheckDigits(country, text.replace('c', sign)))
      // Some countries do not give numbers whose check digit would be 10.
      const counts = ['by', 'is'].includes(country) ? [0, 1] : [1]
      expect([text, counts.includes(right.length), right.length]).toEqual([text, true, right.length])
    },
  )
})

test('numbers of other forms, and of companies from a time without check digits, are never wrong', () => {
  for (const [country, number] of [
    ['is', '510227-0110'],
    ['ro', 'J40/1234/2004'],
    ['ro', '40/1234/2004'],
    ['sg', 'T08LL1234A'],
    ['jp', 'T1234567890123'],
    ['jp', '0100-01-012345'],
    ['th', '(3)123/2540'],
    ['by', '1234567'],
  ] as const)
    expect([country, number, hasWrongCheckDigits(country, number)]).toEqual([country, number, false])
  for (const [country, number] of [
    ['is', '570687-0000'],
    ['ru', '1027700132190'],
    ['th', '0107544000101'],
    ['sg', '196800306A'],
  ] as const)
    expect([country, number, hasWrongCheckDigits(country, number)]).toEqual([country, number, true])
})

/** Made up. Those that begin with a zero, and are of persons with right check digits where the country has them. */
const withZeros: readonly [string, string][] = [
  ['ba', '0101980170004'],
  ['be', '02.05.13-123.78'],
  ['bg', '0541121234'],
  ['br', '012.345.678-90'],
  ['cz', '0151011234'],
  ['dk', '010180-1234'],
  ['do', '001-1234567-3'],
  ['do', '031-0123456-7'],
  ['ec', '0912345675001'],
  ['ec', '0912345675'],
  ['es', '01234567L'],
  ['ie', '0234567FA'],
  ['is', '010174-3399'],
  ['kr', '020101-3234560'],
  ['kz', '000115500123'],
  ['lv', '011175-19997'],
  ['md', '0912345678901'],
  ['me', '0101980210004'],
  ['my', '030101-14-5678'],
  ['no', '01010750160'],
  ['pl', '02210112348'],
  ['ru', '050100732259'],
  ['se', '020513-1238'],
  ['vn', '001080012346'],
  ['vn', '079080012345'],
  ['za', '0201155009087'],
]

/** What spreadsheets and people make of a number. */
const writings: readonly ((number: string) => string)[] = [
  (number) => number,
  (number) => `'${number}`,
  (number) => `="${number}"`,
  (number) => `\u202a${number}\u202c`,
  (number) =>
    closeNumber(number)
      .replace(/(?=(?:.{3})+$)/g, ' ')
      .trim(),
  (number) =>
    closeNumber(number)
      .replace(/(?=(?:.{4})+$)/g, '-')
      .replace(/^-/, ''),
  (number) => `Cédula: ${number}`,
  (number) => `ID No. ${closeNumber(number)}`,
  (number) => `${number} (titular)`,
  (number) => `80012345 / ${number}`,
]
/** Only of digits. */
const digitWritings: readonly ((digits: string) => string)[] = [
  (digits) => `${digits}.0`,
  (digits) => `${digits},00`,
  (digits) => `RUC ${digits}.0`,
  (digits) => `${digits.charAt(0)}.${digits.slice(1)}E+${digits.length - 1}`,
  (digits) => `${digits.charAt(0)},${digits.slice(1)}E${digits.length - 1}`,
]

test.each(personNumbers.filter(([country]) => !['dk', 'fi', 'us'].includes(country)))(
  '%s: %s is the number of a person in every writing of spreadsheets, also with its country',
  (country, number) => {
    const closed = closeNumber(number)
    const written = [
      ...writings.map((write) => write(number)),
      ...(/^[1-9]\d{8,}$/.test(closed) ? digitWritings.map((write) => write(closed)) : []),
    ]
    const unwritten = written.filter((one) => !isPersonNumber(cleanNumber(one), [country]))
    expect(unwritten).toEqual([])
    if (/^\d/.test(closed)) expect(isPersonNumber(country.toUpperCase() + closed, [country])).toBe(true)
  },
)

test.each(withZeros)('%s: %s is that of a person without its leading zeros', (country, number) => {
  const cut = closeNumber(number).replace(/^0+/, '')
  const written = [number, ...writings.map((write) => write(cut))]
  const digits = /^\d+$/.test(cut) ? digitWritings.map((write) => write(cut)) : []
  const sent = [...written, ...digits].filter((one) => !isPersonNumber(cleanNumber(one), [country]))
  expect(sent).toEqual([])
})

test('Numbers of companies without their zeros are not those of persons', () => {
  const companies: readonly [string, string][] = [
    ['be', '403170701'],
    ['bg', '121886372'],
    ['br', '33000167000101'],
    ['br', '191000199'],
    ['cz', '177041'],
    ['do', '101001577'],
    ['ec', '990004196001'],
    ['kr', '1248100998'],
    ['vn', '300588569'],
    ['vn', '100109106001'],
    ['za', '201112345607'],
    ['es', 'A28015865'],
    ['no', '923609016'],
    ['pl', '0000028860'],
    ['ru', '7707083893'],
  ]
  for (const [country, number] of companies)
    expect([country, number, isPersonNumber(number, [country])]).toEqual([country, number, false])
  expect(isPersonNumber('80000519-8', ['ec', 'pe', 'py', 'uy'])).toBe(false)
})

describe('numbers of Luxembourg', () => {
  const around = [
    ['', ''],
    ['RCS ', ''],
    ['R.C.S. Luxembourg ', ''],
    ['R.C.S. Lux. ', ''],
    ['RC ', ''],
    ['RCSL: ', ''],
    ['Luxembourg ', ''],
    ['LU-', ''],
    ['LU', ''],
    ['Section ', ''],
    ['', ' (Luxembourg)'],
    ['', ', RCS Luxembourg'],
  ]
  test.each(around)('with %j in front and %j behind', (front, behind) => {
    for (const section of 'ABCEFG')
      for (const digits of ['1234', '99021', '112345', '200000']) {
        const thousands = digits.replace(/(?=\d{3}$)/, '.')
        for (const between of ['', ' ', ' n° ', '-'])
          for (const written of [digits, thousands, thousands.replace('.', ' ')]) {
            const text = `${front}${section}${between}${written}${behind}`
            expect([text, toCompanyNumber('lu', text)]).toEqual([text, `${section}${digits}`])
          }
      }
  })

  test.each([
    'LU20456745',
    '2005 2203 456',
    'HRB 112345',
    'L-2453',
    'DE 112345',
    'Bureau 112345',
    'B112345 / B112346',
  ])('%s is none', (text) => {
    expect(toCompanyNumber('lu', text)).toBeNull()
  })
})

test('an establishment in Ecuador has the number of its company', () => {
  for (const company of ['1790319857', '0990006687', '1760001550'])
    for (const establishment of ['002', '015', '100']) {
      const head = toHeadOfficeNumber('ec', company + establishment)
      expect(head).toBe(`${company}001`)
      expect(toHeadOfficeNumber('ec', head ?? '')).toBeNull()
      // The third digit of a person is lower.
      expect(toHeadOfficeNumber('ec', `171${company.slice(3)}${establishment}`)).toBeNull()
    }
})

test.each([
  ['001037501002', '001037501000'],
  ['1037501012', '1037501000'],
  ['160778812001', '160778812000'],
  ['001037501000', null],
  ['001037501348', null],
  ['094019245', null],
])('in Greece, the number of the head office of %s is %s', (number, head) => {
  expect(toHeadOfficeNumber('gr', number)).toBe(head)
})

test.each([
  ['lu', 'B112345', 'B112354', 'two neighbouring characters are swapped'],
  ['lu', 'B112345', 'B112346', 'one character differs'],
  ['lu', 'B 112.345', 'B11234', 'one character is missing'],
  ['se', '556012-5790', '55600125790', 'one character is too many'],
  ['lu', 'B112345', 'B112345', ''],
  ['lu', 'B112345', 'B113254', ''],
  ['be', '0590.953.395', 'BE0590953391', 'one character differs'],
  ['be', 'BE 0590.953.395', '0590 935 395', 'two neighbouring characters are swapped'],
  ['fr', '542 065 479', 'FR61542065497', 'two neighbouring characters are swapped'],
  ['gr', '094014201', 'EL094014210', 'two neighbouring characters are swapped'],
  ['se', '556012-5790', 'SE556012579101', 'one character differs'],
  ['ch', 'CHE-116.281.710', 'CHE-116.281.719 MWST', 'one character differs'],
  ['no', '923 609 016', 'NO 923609017 MVA', 'one character differs'],
])('%s: %s, typed %s: %s', (country, right, typed, error) => {
  expect(describeTypingError(country, right, typed)).toBe(error)
})

test('a long cell is read in passes whose number does not grow with it', () => {
  for (const sign of [' ', '.', '(', ')', ':', '#', ',', '-', 'a', '1', "'", '1 '])
    for (const end of ['', '1', ')', 'x'])
      expect(isPersonNumber(sign.repeat(20_000) + end, ['ec', 'lu', 'se', 'br'])).toBe(false)
})

describe('numbers of Romania, before and since 2024', () => {
  const write = (county: number, serial: number, year: number) => {
    const [code, short] = [String(county).padStart(2, '0'), String(year % 100).padStart(2, '0')]
    const later = `J${year}${String(serial).padStart(6, '0')}${code}`
    const earlier = `J${code}/${serial}/${year}`
    return [
      ...[
        earlier,
        `J${county}/${serial}/${year}`,
        `J ${code} / ${serial} / ${year}`,
        `${county}/${serial}/${year}`,
      ],
      ...[
        `J${code}/${serial}/03.08.${year}`,
        `J${code}/${serial}/3-8-${year}`,
        `J${code}/${serial}/${short}`,
      ],
      ...[`ROONRC.${earlier}`, `ROONRC.${later}7`, `${later}0`, `${later}9`],
    ].map((text) => closeNumber(toCompanyNumber('ro', text) ?? text))
  }

  test('have one form for each county, number and year', () => {
    const county = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(51, 52))
    const parts = [county, fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 1991, max: 2024 })] as const
    forAll(200, [...parts], (code, serial, year) => {
      expect(new Set(write(code, serial, year)).size).toBe(1)
      expect(write(code, serial + 1, year)).not.toContain(write(code, serial, year)[0])
      expect(write(code, serial, year + 1)).not.toContain(write(code, serial, year)[0])
    })
  })

  test('the old tax number with an R is the CUI', () => {
    expect(toCompanyNumber('ro', 'R14233111')).toBe('14233111')
  })
})

test.each([
  ['be', 'BEKBOBCE.0403170701', '0403.170.701'],
  ['pl', 'PLKRS.0000123456', '0000123456'],
  ['at', 'ATFN.123456a', '123456A'],
  ['hu', 'HUOCCSZ.01-09-123456', '01-09-123456'],
  ['cz', 'CZOR.00006947', '00006947'],
  ['it', 'ITRI.00159560366', '00159560366'],
  ['fr', 'FR7501.552032534', '552032534'],
  ['se', 'SEBOLREG.5560125790', '556012-5790'],
  ['nl', 'NLNHR.12345678', '12345678'],
  ['lu', 'LURCSL.B123456', 'B123456'],
  ['gr', 'ELGEMI.001037501000', '001037501000'],
  ['ro', 'ROONRC.J12/1811/2001', 'J12/1811/2001'],
])('%s: the EUID %s has the number of its register', (country, euid, number) => {
  expect(toCompanyNumber(country, euid)).toBe(number)
  const other = country === 'be' ? 'nl' : 'be'
  expect(toCompanyNumber(other, euid)).not.toBe(number)
})

test.each([
  ['hr', '03269396', '080005858'],
  ['hr', '3269396', '80005858'],
  ['hr', '080005858', '94577403194'],
  ['ma', '523217', '1084002'],
  ['ma', '1084002', '001525713000089'],
  ['sa', '1010012345', '7001234567'],
])('numbers of two kinds are not compared: %s %s and %s', (country, one, other) => {
  const kinds = [one, other].map((number) => findNumberKind(country, number))
  expect(kinds).not.toContain(null)
  expect(new Set(kinds).size).toBe(2)
})

test.each([
  ['ua', '143605726045', '14360570'],
  ['co', 'CO8600343137', '860034313'],
  ['co', '8600343137', '860034313'],
  ['pk', 'NTN 1543137-1', '1543137'],
])('A number of %s contains another of its company: %s has %s', (country, whole, part) => {
  expect(listNestedNumbers(country, whole)).toContain(part)
})
