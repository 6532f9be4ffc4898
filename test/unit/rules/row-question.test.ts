import { iso31661 } from 'iso-3166'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readIdentifiers } from '../../../src/core/numbers/stated-identifiers.js'
import type { LookupRule, IdentifierUse } from '../../../src/pipeline/input/columns.js'
import { IdentifierCounts } from '../../../src/pipeline/input/column-report.js'
import { classifyDomain, classifyHost, cleanNumber } from '../../../src/core/identifiers.js'
import { findLei, mayBeIdentifier } from '../../../src/pipeline/input/column-content.js'
import { toRowCells, toRowQuestion, type RowQuestion } from '../../../src/pipeline/input/row-question.js'
import { createRowReader, noEarlierNames, toKeyedLookup } from '../../../src/pipeline/input/row-reader.js'
import { addCheckDigit, hasWrongCheckDigits } from '../../../src/core/numbers/national-numbers.js'
import { chooseNumber } from '../../../src/pipeline/input/number-cells.js'
import { isOtherTaxHeader, isTaxHeader } from '../../../src/pipeline/input/identifier-content.js'
import { anyText } from '../core/any-text.js'
import { companyNumbers } from '../manual/numbers-page.js'
import { forAll, forAllAsync } from '../../support/properties.js'

const columns = {
  name: 'name',
  location: ['city'],
  context: ['notes'],
  identifiers: {
    lei: 'lei',
    cik: 'cik',
    registration_id: 'number',
    ein: 'ein',
    bic: 'bic',
    ticker: 'ticker',
    website: 'website',
    email: 'email',
    registration_country: 'country',
    registration_court: 'court',
    exchange: 'exchange',
  },
}
const ruleOf = (identifierUse: IdentifierUse, readsNames = true): LookupRule => ({
  columns,
  identifierUse,
  readsNames,
})
const order = ['name', 'city', 'notes', ...Object.keys(columns.identifiers)]
type Row = Partial<Record<'name' | 'city' | 'notes' | keyof (typeof columns)['identifiers'], string>>
const ask = (row: Row, use: IdentifierUse = 'first', readsNames = true): RowQuestion => {
  const rule = ruleOf(use, readsNames)
  return toRowQuestion(
    rule,
    toRowCells(
      rule,
      order.map((key) => row[key as keyof Row] ?? null),
    ),
  )
}
const lookupOf = (question: RowQuestion) => (question.kind === 'invalid' ? question.reason : question.lookup)
const lei = 'HWUPKR0MPOU8FGXBT394'
const badLei = 'HWUPKR0MPOU8FGXBT395'

test.each(iso31661.map(({ alpha2 }) => alpha2))('the country %s of a number stays', (country) => {
  const place = { kind: 'registration_id', value: 'HQ98061', place: country }
  const found = lookupOf(ask({ registration_id: 'HQ98061', registration_country: country }))
  expect(readIdentifiers(typeof found === 'string' ? found : found.name).identifiers).toMatchObject([place])
})

describe('a name and identifiers', () => {
  const row = {
    name: 'Apple Inc',
    city: 'Cupertino',
    notes: 'phones',
    lei,
    cik: '320193',
    website: 'https://www.apple.com/de',
  }
  test('first: they are in the name', () => {
    expect(lookupOf(ask(row))).toEqual({
      name: `Apple Inc (LEI ${lei}, CIK 0000320193, website apple.com)`,
      location: 'Cupertino',
      context: 'phones',
    })
  })
  test('context: they are behind the context', () => {
    expect(lookupOf(ask(row, 'context'))).toEqual({
      name: 'Apple Inc',
      location: 'Cupertino',
      context: `phones, LEI ${lei}, CIK 0000320193, website apple.com`,
    })
  })
  test('a row without any asks what it asked without such columns', () => {
    for (const use of ['first', 'context'] as const)
      expect(lookupOf(ask({ name: 'Apple Inc', lei: ' n/a', website: '-' }, use))).toEqual({
        name: 'Apple Inc',
        location: null,
        context: null,
      })
  })
  test.each<[Row, string]>([
    [{ registration_id: '00445790', registration_country: 'United Kingdom' }, 'company number GB 00445790'],
    [{ registration_id: '๐๑๐๕๕๓๗๐๐๐๑๕๕', registration_country: 'TH' }, 'company number TH 0105537000155'],
    [{ registration_id: '٧٠٠١٢٣٤٥٦٧', registration_country: 'SA' }, 'company number SA 7001234567'],
    [{ cik: '３２０１９３' }, 'CIK 0000320193'],
    [{ registration_id: '806592', registration_country: 'us_de' }, 'company number US-DE 806592'],
    [{ registration_id: 'HRB 86891', registration_country: 'Deutschland' }, 'company number DE HRB 86891'],
    [
      { registration_id: 'HRB 6684 (AG München)', registration_country: 'DE' },
      'company number DE MÜNCHEN HRB 6684',
    ],
    [{ registration_id: 'HRB 6684', registration_court: 'D2601V' }, 'company number DE MÜNCHEN HRB 6684'],
    [{ registration_id: 'Köln HRB 6684', registration_court: 'Bonn' }, 'company number DE KÖLN HRB 6684'],
    [{ registration_id: 'HRB 6684 M?nchen' }, 'company number DE MÜNCHEN HRB 6684'],
    [{ registration_id: 'HRB 6684, AG K\uFFFDln' }, 'company number DE KÖLN HRB 6684'],
    [
      {
        registration_id: 'RC 34512',
        registration_country: 'MA',
        registration_court: 'Tribunal de commerce de Tanger',
      },
      'company number MA 34512 TANGER',
    ],
    [
      { registration_id: '34512', registration_country: 'Maroc', registration_court: 'TC Fès' },
      'company number MA 34512 FES',
    ],
    [{ registration_id: 'RC Tanger 34512', registration_country: 'MA' }, 'company number MA 34512 TANGER'],
    [{ registration_id: '34512/Tanger', registration_country: 'MA' }, 'company number MA 34512 TANGER'],
    [{ registration_id: 'Alger / 34512', registration_country: 'DZ' }, 'company number DZ 34512 ALGER'],
    [
      { registration_id: '40327 (Casablanca)', registration_country: 'MA', registration_court: 'Fès' },
      'company number MA 40327 CASABLANCA',
    ],
    [
      { registration_id: '001524628000078', registration_country: 'MA', registration_court: 'Tanger' },
      'company number MA 001524628000078',
    ],
    [
      { registration_id: '552032534', registration_country: 'FR', registration_court: 'Paris' },
      'company number FR 552032534',
    ],
    [
      {
        registration_id: '12345',
        registration_country: 'CO',
        registration_court: 'Cámara de Comercio de Cali',
      },
      'company number CO 12345 CALI',
    ],
    // Two courts may be meant, or none is known.
    [{ registration_id: 'HRB 6684 B?d?n' }, 'company number DE HRB 6684'],
    [{ registration_id: '94-2404110', registration_country: 'US' }, 'EIN 942404110'],
    [{ registration_id: '123', registration_country: 'Atlantis' }, 'company number 123'],
    [{ registration_id: 'sc 095237' }, 'company number SC095237'],
    [{ registration_id: 'sc 095237', registration_country: 'UK' }, 'company number GB SC 095237'],
    [{ ticker: 'aapl', exchange: 'Nasdaq' }, 'ticker NASDAQ:AAPL'],
    [{ ticker: 'NYSE: BRK.B', exchange: 'Nasdaq' }, 'ticker NYSE:BRK.B'],
    [{ ein: '94-2404110', bic: 'deutdeff' }, 'EIN 942404110, BIC DEUTDEFF'],
    [{ email: 'Jane <jane@mail.acme.co.uk>' }, 'website acme.co.uk'],
    [{ website: 'acme.com; acme.de', email: 'x@bolt.io' }, 'website acme.com'],
    [{ website: 'no site', email: 'x@bolt.io' }, 'website bolt.io'],
    [{ website: 'https://facebook.com/acme', email: 'x@bolt.io' }, 'website bolt.io'],
    [{ email: 'a@gmail.com, b@bolt.io' }, 'website bolt.io'],
  ])('%j is %s', (row, written) => {
    expect(ask({ name: 'Acme', ...row })).toMatchObject({ lookup: { name: `Acme (${written})` } })
  })
  test('mail providers, disposable domains and pages on platforms tell nothing', () => {
    for (const cells of [
      { email: 'a@gmail.com' },
      { website: 'http://gmx.de' },
      { email: 'a@mailinator.com' },
      { website: 'linkedin.com/company/acme' },
    ])
      expect(ask({ name: 'Acme', ...cells })).toMatchObject({ lookup: { name: 'Acme' }, faults: [] })
    expect(ask({ name: 'Meta', website: 'https://www.facebook.com/' })).toMatchObject({
      lookup: { name: 'Meta (website facebook.com)' },
    })
  })
  test('too long together, the name is asked alone', () => {
    const name = 'x'.repeat(495)
    expect(ask({ name, lei })).toMatchObject({ lookup: { name } })
  })
})

describe('no usable name', () => {
  test.each<[IdentifierUse, Row, Partial<RowQuestion> | string]>([
    ['first', { lei, city: 'Cupertino' }, `LEI ${lei}`],
    ['context', { lei, city: 'Cupertino' }, `LEI ${lei}`],
    ['first', { name: 'X', lei }, `X (LEI ${lei})`],
    ['context', { name: 'X', lei }, `LEI ${lei}`],
    ['first', { lei, website: 'apple.com' }, `LEI ${lei}, website apple.com`],
    ['first', { website: 'https://shop.example.co.uk/x', city: 'Bonn' }, 'website example.co.uk'],
    ['first', { name: 'https://www.apple.com' }, 'website apple.com'],
    ['first', { name: lei }, `LEI ${lei}`],
    ['first', { name: lei, cik: '320193' }, `LEI ${lei}, CIK 0000320193`],
  ])('%s: %j asks by %s', (use, row, name) => {
    expect(ask(row, use)).toMatchObject({ kind: 'resolution', lookup: { name } })
  })
  test.each<[IdentifierUse, Row, string]>([
    ['context', { website: 'https://shop.example.co.uk/x', city: 'Bonn' }, 'example.co.uk'],
    ['context', { email: 'jane@apple.com' }, 'apple.com'],
    ['context', { lei, website: 'apple.com' }, 'apple.com'],
    ['context', { name: 'jane@apple.com' }, 'apple.com'],
  ])('%s: %j asks by the domain alone', (use, row, name) => {
    expect(ask(row, use)).toMatchObject({ kind: 'domain', lookup: { name, location: null, context: null } })
  })
  test.each<[Row, string]>([
    [{}, 'no company name'],
    [{ name: 'X' }, 'the name has 1 character; at least 2 are needed'],
    [{ name: 'X', lei: badLei }, 'the name has 1 character; at least 2 are needed'],
    [{ lei: badLei }, 'no company name, and the LEI has wrong check digits'],
    [{ lei: 'x' }, 'no company name, and the LEI does not have the form of one'],
    [{ name: badLei.replace('BT', '00') }, 'no company name, and the LEI has wrong check digits'],
    [{ cik: '12a' }, 'no company name, and the CIK is no number of at most ten digits'],
    [{ website: 'localhost' }, 'no company name, and the website is no domain'],
    [{ email: 'jane' }, 'no company name, and the e-mail address has no domain'],
    [{ email: 'bob@gmail.com' }, "gmail.com is a mail provider's domain, not a company's"],
    [{ name: 'bob@yopmail.com' }, "yopmail.com is a domain of disposable mailboxes, not a company's"],
    [{ website: 'instagram.com/bob' }, 'a page on instagram.com does not say whose domain it is'],
  ])('%j asks nothing', (row, reason) => {
    for (const use of ['first', 'context'] as const)
      expect(ask(row, use)).toEqual({ kind: 'invalid', reason })
  })
})

test('what is wrong is not asked, except an LEI beside a name, and is counted', () => {
  const row = {
    name: 'Acme',
    lei: badLei,
    cik: 'x',
    website: 'none',
    email: 'nobody',
    ein: '12',
    bic: '12',
    registration_id: 'a(b)',
    ticker: 'a b c',
  }
  expect(ask(row)).toMatchObject({
    lookup: { name: `Acme (LEI ${badLei})` },
    faults: ['lei_checksum', 'cik', 'registration_id', 'ein', 'bic', 'ticker', 'email'],
  })
  expect(ask(row, 'context')).toMatchObject({ lookup: { name: 'Acme', context: `LEI ${badLei}` } })
  const tally = new IdentifierCounts()
  for (let rowNumber = 2; rowNumber <= 1_300; rowNumber++)
    tally.add({ kind: 'resolution', faults: ['lei_checksum'] }, rowNumber)
  tally.add({ kind: 'domain', faults: ['cik'] }, 9_000)
  tally.add({ kind: 'resolution', byIdentifier: true, faults: [] }, 9_001)
  expect(tally.listNotes(true)).toEqual([
    '1,299 rows have an LEI with wrong check digits (rows 2, 3, 4, …): correct them: a character is wrong; until then, the name decides, or the answer is inconclusive',
    '1 row has a CIK that is no number of at most ten digits (row 9000): looked up without it',
    '1 row has no name (row 9000): looked up by domain',
    '1 row has no name (row 9001): looked up, and billed, by identifiers instead',
  ])
})

describe('cells of names', () => {
  test.each(['Booking.com', 'AT&T @ Work', 'me@home', '1234567890', 'INTERNATIONALBANK199', 'www', 'Apple'])(
    '%s is a name',
    (name) => {
      expect(ask({ name })).toMatchObject({ kind: 'resolution', lookup: { name }, byIdentifier: false })
    },
  )
  test('as they stand where they are not to be read', () => {
    for (const name of [lei, badLei, 'https://apple.com', 'bob@gmail.com'])
      expect(ask({ name }, 'first', false)).toMatchObject({ kind: 'resolution', lookup: { name } })
  })
  test('whatever is read as more than a name was told apart before', () => {
    const text = fc.oneof(anyText, fc.emailAddress(), fc.webUrl(), fc.constantFrom(lei, badLei, ` ${lei} `))
    forAll(100, [text], (name) => {
      if (mayBeIdentifier(name)) return
      expect(ask({ name })).toEqual(ask({ name }, 'first', false))
    })
  })
  test('an LEI is one by its check digits, or by having no words', () => {
    expect([lei, badLei, 'lei', 'CONSTRUCTORADELSUR21', '54930084UKLVMY22DS10'].map(findLei)).toEqual([
      lei,
      null,
      null,
      null,
      '54930084UKLVMY22DS10',
    ])
  })
})

test('any cells make a question or a reason; what a name states is read back', () => {
  const cell = fc.option(
    fc.oneof(anyText, fc.emailAddress(), fc.domain(), fc.constantFrom(lei, badLei, 'n/a')),
    { nil: null },
  )
  forAll(
    100,
    [
      fc.array(cell, { minLength: order.length, maxLength: order.length }),
      fc.constantFrom<IdentifierUse>('first', 'context'),
    ],
    (row, use) => {
      const rule = ruleOf(use)
      const question = toRowQuestion(rule, toRowCells(rule, row))
      if (question.kind === 'invalid') {
        expect(question.reason).not.toContain('\n')
        return
      }
      expect(question.lookup.name.length).toBeGreaterThanOrEqual(2)
      expect(classifyDomain(question.lookup.name)).not.toBe('mail provider')
      if (question.kind === 'resolution' && question.byIdentifier)
        expect(readIdentifiers(question.lookup.name)).toMatchObject({ name: null })
    },
  )
})

describe('the number of a person in the cell of a name', () => {
  const rule: LookupRule = {
    columns: { name: 'name', location: ['country'], context: [], identifiers: {} },
    identifierUse: 'context',
    readsNames: true,
  }
  const read = createRowReader(rule, noEarlierNames)
  const reasonsOf = async (cells: readonly string[], country = '') =>
    (await read(cells.map((cell) => [cell, country]))).map((one) =>
      one.kind === 'invalid' ? one.reason : one.lookup.name,
    )
  const person = 'no company name, and the number is that of a person'

  test.each([
    ['BR', ['111.444.777-35', '11144477735']],
    ['PL', ['44051401359']],
    ['SE', ['850709-9805']],
    ['KR', ['850709-1234568']],
    ['US', ['123-45-6789']],
    ['IN', ['2345 6789 0124']],
    ['CZ', ['736028/5163']],
    ['BE', ['85.07.30-033.28', '85073003328']],
    ['ES', ['12345678Z', 'X1234567L']],
    ['IT', ['RSSMRA80A01H501U']],
    ['FI', ['131052-308T']],
  ])('alone is never sent, with its country or without: %s', async (country, numbers) => {
    for (const place of [country, ''])
      expect(await reasonsOf(numbers, place)).toEqual(numbers.map(() => person))
  })

  test.each([
    ['BG', '8507099805'],
    ['DO', '00112345678'],
    ['EE', '38507099805'],
    ['Lithuania', '38507099805'],
    ['South Africa', '8507095009087'],
    ['Deutschland', '123-45-6789'],
    ['Türkiye', '12345678901'],
  ])('is known by the country of its row: %s', async (country, number) => {
    expect(await reasonsOf([number], country)).toEqual([person])
  })

  test.each(['CPF11144477735', 'PESEL44051401359', 'BSN123456782', 'DNI12345678Z'])(
    'with its label and nothing else is never sent: %s',
    async (cell) => {
      expect(await reasonsOf([cell])).toEqual([person])
    },
  )

  test.each([
    ['', 'Lê Văn Tám MST cá nhân 8012345678', 'Lê Văn Tám'],
    ['VN', 'Lê Văn Tám (mã số thuế cá nhân: 0312853194)', 'Lê Văn Tám'],
    ['VN', 'Lê Văn Tám - CMND 012345678', 'Lê Văn Tám'],
    ['', 'Lê Văn Tám, số định danh cá nhân 001180012345', 'Lê Văn Tám'],
    ['', 'Jane Larkmoor, personal tax no. 12345678', 'Jane Larkmoor'],
    ['', 'Ларкмур Иван, ИНН физлица 12345678', 'Ларкмур Иван'],
    ['', 'Juan Larkmoor NIT persona natural 1234567', 'Juan Larkmoor'],
    ['', 'Công ty FPT MST 0101248141', 'Công ty FPT MST 0101248141'],
    ['', 'Individual Systems Ltd 1234567', 'Individual Systems Ltd 1234567'],
    ['IR', 'پارس کاوه سپهر کد ملی ۰۰۸۴۵۷۵۹۴۸', 'پارس کاوه سپهر'],
    ['IR', 'علی احمدی 0084575948', 'علی احمدی'],
    ['IR', '۰۰۸۴۵۷۵۹۴۸ علی احمدی', 'علی احمدی'],
    ['IR', 'شرکت نمونه 0084575949', 'شرکت نمونه 0084575949'],
    ['ID', 'Siti Aminah 3174014403850003', 'Siti Aminah'],
    ['', 'Siti Aminah 3174014403850003', 'Siti Aminah'],
    ['ID', 'Toko Maju 3174019903850003', 'Toko Maju'],
    ['BR', 'Joana Larkmoor 111.444.777-35', 'Joana Larkmoor'],
    ['KE', 'Larkmoor, Jane (ID 23456789)', 'Larkmoor, Jane'],
    ['CO', 'TIENDA LARKMOOR C.C. 31.456.789', 'TIENDA LARKMOOR'],
    ['PL', 'Larkmoor 44051401359 Kowalski', 'Larkmoor Kowalski'],
    ['MA', 'BENNANI FATIMA (COUTURE FATIMA) CIN: BE112233', 'BENNANI FATIMA (COUTURE FATIMA)'],
    ['MA', 'M. Ahmed Tahar CIN BE745123', 'M. Ahmed Tahar'],
    ['', 'M. Ahmed Tahar N° CIN : C 25478', 'M. Ahmed Tahar'],
    ['MA', 'Larkmoor CNIE n° BK412587, Casablanca', 'Larkmoor , Casablanca'],
    ['TN', 'Ahmed Larkmoor C.I.N. 01234567', 'Ahmed Larkmoor'],
    ['IN', 'Larkmoor Ltd CIN: U12345MH2000PTC123456', 'Larkmoor Ltd CIN: U12345MH2000PTC123456'],
    ['GB', 'Larkmoor 01234567', 'Larkmoor 01234567'],
    ['', 'Larkmoor 2021 Series 12345', 'Larkmoor 2021 Series 12345'],
    ['ES', 'Juan Pérez 12345678Z', 'Juan Pérez'],
    ['GR', 'ΑΝΝΑ ΡΑΛΛΗ (ΑΔΤ ΑΒ 123456)', 'ΑΝΝΑ ΡΑΛΛΗ'],
    ['', 'ΑΝΝΑ ΡΑΛΛΗ, Α.Δ.Τ. Χ-123456', 'ΑΝΝΑ ΡΑΛΛΗ'],
    ['', 'Άννα Ράλλη Αρ. Διαβατηρίου: ΑΚ1234567', 'Άννα Ράλλη'],
    ['', 'ΑΝΝΑ ΡΑΛΛΗ ΑΡ. ΔΙΑΒΑΤΗΡΙΟΥ ΑΚ1234567', 'ΑΝΝΑ ΡΑΛΛΗ'],
    ['GR', 'ΝΙΚΟΣ ΔΗΜΟΥ - Α.Μ.Κ.Α. 150375-12348', 'ΝΙΚΟΣ ΔΗΜΟΥ'],
    ['GR', 'ΕΛΕΝΗ ΔΗΜΟΥ ΑΦΜ 045678904', 'ΕΛΕΝΗ ΔΗΜΟΥ'],
    ['', 'ΕΛΕΝΗ ΔΗΜΟΥ (Α.Φ.Μ.: 145678900)', 'ΕΛΕΝΗ ΔΗΜΟΥ'],
    ['GR', 'ΟΤΕ ΑΕ ΑΦΜ 094019245', 'ΟΤΕ ΑΕ ΑΦΜ 094019245'],
    ['GR', 'ΔΑΦΝΗ ΙΚΕ ΑΦΜ 800543217', 'ΔΑΦΝΗ ΙΚΕ ΑΦΜ 800543217'],
    ['', 'Ларкмур Иван ИНН 500100732259', 'Ларкмур Иван'],
    ['', 'ООО Норване ИНН 7707083893', 'ООО Норване ИНН 7707083893'],
    ['', 'Jan Larkmoor (P.E.S.E.L. 44051401359)', 'Jan Larkmoor'],
    ['', 'Jan Larkmoor nr paszportu ZS 0000177', 'Jan Larkmoor'],
    ['BR', 'Joana CPF 111.444.777-35, Rui CPF 111.444.777-35', 'Joana , Rui'],
    ['PH', 'Juan Cruz SSS No. 34-1234567-8', 'Juan Cruz'],
    ['PH', 'Juan Cruz (PhilSys 1234-5678-9012-3456)', 'Juan Cruz'],
    ['', 'Juan Cruz, PhilHealth No.: 12-345678901-2', 'Juan Cruz'],
    ['', 'Juan Cruz UMID CRN-0111-2233445-6', 'Juan Cruz'],
    ['PH', 'Juan Cruz 34-1234567-8', 'Juan Cruz'],
    ['PH', 'Larkmoor Inc 000-388-771-000', 'Larkmoor Inc 000-388-771-000'],
    ['JP', '山田太郎 個人番号：１２３４５６７８９０１８', '山田太郎'],
    ['JP', '山田太郎 １２３４ ５６７８ ９０１８', '山田太郎'],
    ['JP', '山田商事 123456789019', '山田商事 123456789019'],
    ['JP', '山田商事 0100-01-123456', '山田商事 0100-01-123456'],
    ['JP', '山田商事 1180301018771', '山田商事 1180301018771'],
    ['', '王伟 11010519491231002X', '王伟'],
    ['SG', 'Tan Ah Kow (S1234567D)', 'Tan Ah Kow'],
    ['SG', 'Larkmoor Pte Ltd 201234567D', 'Larkmoor Pte Ltd 201234567D'],
    ['', 'Mario Rossi RSSMRA85T10A562S', 'Mario Rossi'],
    ['', 'Juan Cruz CURP HEGG560427MVZRRL04', 'Juan Cruz'],
    ['TW', '王小明 A123456789', '王小明'],
    ['HK', 'Chan Tai Man A123456(3)', 'Chan Tai Man'],
    ['', 'Kofi Larkmoor GHA-123456789-0', 'Kofi Larkmoor'],
    ['UG', 'Okello NIN CM90001234ABCD', 'Okello'],
    ['NI', 'Luis Larkmoor 001-010190-0001A', 'Luis Larkmoor'],
    ['PA', 'Luis Larkmoor cédula 8-123-456', 'Luis Larkmoor'],
    ['PA', 'Larkmoor SA 155612345-2-2015', 'Larkmoor SA 155612345-2-2015'],
    ['MM', 'Aung Larkmoor NRC 12/ABCDEF(N)123456', 'Aung Larkmoor'],
    ['GB', 'NRC Group 12345678', 'NRC Group 12345678'],
    ['ZW', 'Moyo ID 63-123456A78', 'Moyo'],
    ['DE', 'Hans Larkmoor Steuer-ID 86 095 742 719', 'Hans Larkmoor'],
    ['CA', 'John Larkmoor SIN 046 454 286', 'John Larkmoor'],
    ['KW', 'Ali Larkmoor 290010112345', 'Ali Larkmoor'],
    ['IN', 'Ravi Larkmoor ABCPE1234F', 'Ravi Larkmoor'],
    ['IN', 'Larkmoor Ltd AAACL1234F', 'Larkmoor Ltd AAACL1234F'],
    ['GB', 'Larkmoor SC123456', 'Larkmoor SC123456'],
    ['US', 'Larkmoor 3M 2000 ABC1234567', 'Larkmoor 3M 2000 ABC1234567'],
  ])('is cut from next to a name, in digits of any script: %s, %s', async (country, cell, rest) => {
    expect((await reasonsOf([cell], country)).map((text) => text.replace(/\s+/g, ' '))).toEqual([rest])
  })

  test.each([
    'CPF',
    'PESEL:',
    'Personnummer',
    'SSN:',
    'CNP',
    'EGN',
    'rodné číslo',
    'DNI',
    'Aadhaar No.',
    'JMBG',
  ])('is cut from a name, with its label: %s', async (label) => {
    for (const number of ['111.444.777-35', '44051401359', '850709-9805', '2345 6789 0124', '12345678Z']) {
      const cells = [`${label} ${number}`, `Larkmoor (${label} ${number})`, `Larkmoor, ${label} ${number}`]
      expect([label, number, ...(await reasonsOf(cells))]).toEqual([
        label,
        number,
        person,
        'Larkmoor',
        'Larkmoor',
      ])
    }
  })

  /** Labels as people write them, with a number that has the form of their country. */
  test.each([
    ['TR', 'T.C. Kimlik No', '40816823394'],
    ['TR', 'TC', '40816823394'],
    ['TR', 'T.C.', '40816823394'],
    ['TR', 'TC No', '40816823394'],
    ['TR', 'T.C. KİMLİK NUMARASI', '40816823394'],
    ['TR', 'Kimlik Numarası', '40816823394'],
    ['TR', 'Vergi No', '40816823394'],
    ['TR', 'VERGİ KİMLİK NO', '40816823394'],
    ['TR', 'Vatandaşlık No', '40816823394'],
    ['TR', 'YKN', '99816823394'],
    ['BG', 'Е.Г.Н.', '7501020018'],
    ['BR', 'C.P.F. nº', '111.444.777-35'],
    ['CH', 'AHV Nummer', '756.9217.0769.85'],
    ['CZ', 'Rodné Číslo', '736028/5163'],
    ['DE', 'Steuer-IdNr.', '86 095 742 719'],
    ['ES', 'D.N.I. número', '12345678Z'],
    ['FR', "Carte Nationale d'Identité n°", '123456789012'],
    ['HR', 'JMBG broj', '0101980330004'],
    ['HU', 'Adószám', '8123456789'],
    ['ID', 'Nomor KTP', '3171010101800001'],
    ['LV', 'Personas Kods', '161175-19997'],
    ['PL', 'NUMER PESEL', '44051401359'],
    ['RO', 'C.N.P.', '1800101221144'],
    ['RS', 'ЈМБГ број', '0101980710009'],
    ['RU', 'СНИЛС номер', '112-233-445 95'],
    ['UA', 'Ідентифікаційний Код', '2345678901'],
    ['VN', 'Căn Cước Công Dân', '001080012345'],
  ])(
    'is cut with the label of its country, also in a list without countries: %s, %s',
    async (country, label, number) => {
      const cells = [
        `Larkmoor (${label} ${number})`,
        `Larkmoor, ${label}: ${number}`,
        `Larkmoor ${label} : ${number}`,
      ]
      for (const place of ['', country])
        expect([label, ...(await reasonsOf(cells, place))]).toEqual([
          label,
          'Larkmoor',
          'Larkmoor',
          'Larkmoor',
        ])
    },
  )

  test.each([
    'T.C. Ziraat Bankası A.Ş.',
    'T.C. Ziraat Bankası 1863',
    'TC 4300 Larkmoor',
    'Vergi No 9590306518',
  ])('is not in a name whose words only begin like a label: %s', async (cell) => {
    expect(await reasonsOf([cell, `Larkmoor ${cell}`])).toEqual([cell, `Larkmoor ${cell}`])
  })

  test('is counted where it is cut, once in a row', async () => {
    const cells = [
      'ΜΑΡΙΑ ΡΑΛΛΗ ΑΜΚΑ 15037512348',
      'ΑΝΝΑ ΡΑΛΛΗ (ΑΔΤ ΑΒ 123456)',
      'ΟΤΕ ΑΕ ΑΦΜ 094019245',
      'ΔΕΗ',
    ]
    const questions = await read(cells.map((cell) => [cell, 'GR']))
    expect(questions.map((one) => one.kind !== 'invalid' && one.faults.join())).toEqual([
      'person_number',
      'person_number',
      '',
      '',
    ])
    const counts = new IdentifierCounts()
    for (const [at, one] of questions.entries()) if (one.kind !== 'invalid') counts.add(one, at + 1)
    expect(counts.listNotes(true)).toEqual([
      '2 rows have the number of a person (rows 1, 2): looked up without it',
    ])
  })

  test('is not a phone number, which is not sent either', async () => {
    const cells = ['+371 67 123 456', '(020) 7946 0958', '+1 (212) 555-0100']
    expect(await reasonsOf(cells)).toEqual(cells.map(() => 'no company name, and it is a phone number'))
  })

  test('is no part of a name with other numbers, and no number of a company', async () => {
    const cells = [
      'Larkmoor 2000 Ltd',
      '1234567 Larkmoor Inc.',
      '54321 Larkmoor',
      'Larkmoor SIA 40003123453',
      'Larkmoor s.r.o., IČO 27082440',
      'Norvane Rg 12',
      'Sin 40 Larkmoor 123',
      '4711',
      '3 650',
      '27082440',
      '0417.497.106',
      'HRB 66841',
    ]
    expect(await reasonsOf(cells)).toEqual(cells)
    expect(await reasonsOf(['556012-5790'], 'SE')).toEqual(['556012-5790'])
    expect(await reasonsOf(['33.000.167/0001-01'], 'BR')).toEqual(['33.000.167/0001-01'])
    expect(await reasonsOf(['40003123453'], 'LV')).toEqual(['40003123453'])
  })
})

describe('countries that are not known', () => {
  const rule: LookupRule = {
    columns: { name: 'name', location: ['city', 'country'], context: [], identifiers: {} },
    identifierUse: 'first',
    readsNames: true,
  }
  const read = createRowReader(rule, noEarlierNames)

  test('are noted by row; names of forty languages, codes, placeholders and blanks are not', async () => {
    const cells = [
      'Elbonia',
      'Schweden',
      'スウェーデン',
      'SE',
      '752',
      'n/a',
      '',
      null,
      'Ruritania',
      'Congo',
      'ČSSR',
    ]
    const questions = await read(cells.map((cell) => ['Acme', 'Leeds', cell]))
    const noted = questions.flatMap((question) =>
      question.kind !== 'invalid' && question.unknownCountry !== undefined ? [question.unknownCountry] : [],
    )
    expect(noted).toEqual(['Elbonia', 'Ruritania'])
  })

  test('are told apart from every code of ISO 3166-1, without the list of names', async () => {
    const codes = [...iso31661.map(({ alpha2 }) => alpha2), 'XK']
    for (const question of await read(codes.map((code) => ['Acme', 'Leeds', code])))
      expect(question).not.toHaveProperty('unknownCountry')
  })

  test('are submitted as written', async () => {
    const [question] = await read([['Acme', 'Leeds', 'Elbonia']])
    expect(question).toMatchObject({ lookup: { location: 'Leeds, Elbonia' } })
  })

  test('are counted and named', () => {
    const counts = new IdentifierCounts()
    for (let row = 1; row <= 9; row++)
      counts.add({ kind: 'resolution', faults: [], unknownCountry: `Elbonia ${row % 7}` }, row)
    const start =
      '9 rows have a country that is no known name or code: "Elbonia 1", "Elbonia 2", "Elbonia 3", "Elbonia 4", ' +
      '"Elbonia 5", … (rows 1, 2, 3, …): submitted as written'
    expect(counts.listNotes(true)).toEqual([start])
    expect(counts.listNotes(false)).toEqual([`${start}; the confidence may be limited to 94`])
  })

  test('of a register are noted too', async () => {
    const ofRegister: LookupRule = {
      ...rule,
      columns: {
        ...rule.columns,
        location: [],
        identifiers: { registration_id: 'no', registration_country: 'land' },
      },
    }
    const questions = await createRowReader(
      ofRegister,
      noEarlierNames,
    )([
      ['Acme', '00445790', 'Elbonia'],
      ['Acme', '00445790', 'us_de'],
      ['Acme', '00445790', 'Grande-Bretagne'],
    ])
    expect(questions.map((question) => 'unknownCountry' in question)).toEqual([true, false, false])
  })
})

test('A tax number is of the country of its row, also next to a column of the numbers of one country', async () => {
  const rule = {
    columns: {
      name: 'name',
      location: [],
      context: [],
      identifiers: { registration_id: 'SIREN', registration_country: 'Country', registration_id_2: 'TVA' },
    },
    identifierUse: 'first',
    readsNames: true,
  } as const
  const questions = await createRowReader(
    rule,
    noEarlierNames,
  )([
    ['Acme', '552032534', 'Belgique', null],
    ['Bolt', null, 'Italie', '02500480245'],
    ['Cera', null, 'Espagne', 'B95780375'],
  ])
  expect(questions.map((one) => one.kind === 'resolution' && [one.lookup.name, one.faults])).toEqual([
    ['Acme (company number FR 552032534)', []],
    ['Bolt (company number IT 02500480245)', []],
    ['Cera (company number ES B95780375)', []],
  ])
})

test('A company number below a header of tax numbers is read by the country of its row', async () => {
  const columns = {
    name: 'name',
    location: ['country'],
    context: [],
    identifiers: { registration_id: 'NIF/CIF', registration_country: 'country' },
  }
  const rows = [
    ['Puma', 'MX', 'PMS010531UG0', 'company number MX PMS010531UG0'],
    ['Ternium', 'AR', '30-67332056-9', 'company number AR 30-67332056-9'],
    ['Barclays', 'GB', '00162636', 'company number GB 00162636'],
    ['Vodafone', 'GB', '569953277', null],
    ['Iberdrola', 'ES', 'A48010615', 'company number ES A48010615'],
    ['Orlen', 'PL', '7740001454', null],
    // Where the tax number is the company number, with or without letters in front.
    ['Petrom', 'România', 'RO1590082', 'company number RO RO1590082'],
    ['Petrom', null, 'RO 1590082', 'company number RO RO 1590082'],
    ['Sopharma', 'BG', 'BG831902088', 'company number BG BG831902088'],
    ['PTT', 'ไทย', '0-1075-44000-10-8', 'company number TH 0-1075-44000-10-8'],
    ['Toyota', 'JP', 'T1180301018771', 'company number JP T1180301018771'],
    ['TSMC', 'Taiwan', '22099131', 'company number TW 22099131'],
    ['Vinamilk', 'VN', '0300588569', 'company number VN 0300588569'],
    ['Icelandair', 'IS', '631205-1780', 'company number IS 631205-1780'],
    ['Somchai', 'TH', '1-1017-00203-45-1', null],
    ['Juan Pérez', 'MX', 'PEPJ800101AB1', null],
    ['Ana', 'ES', '12345678Z', null],
  ] as const
  const read = createRowReader({ columns, identifierUse: 'context', readsNames: true }, noEarlierNames)
  const questions = await read(rows.map(([name, country, number]) => [name, country, number, country]))
  const stated = questions.map((one) => (one.kind === 'invalid' ? one.reason : one.lookup.context))
  expect(stated).toEqual(rows.map(([, , , context]) => context))
})

describe('A cell of a place that is the name of a country tells the country of the number:', () => {
  const ask = (
    places: Readonly<Record<string, string | null>>,
    header: string,
    number: string,
    country?: string,
  ) => {
    const location = Object.keys(places)
    const columns = { name: 'name', location, context: [], identifiers: { registration_id: header } }
    const rule: LookupRule = {
      columns: { ...columns, ...(country === undefined ? {} : { country }) },
      identifierUse: 'context',
      readsNames: true,
    }
    const question = toRowQuestion(rule, toRowCells(rule, ['Larkmoor', ...Object.values(places), number]))
    return question.kind === 'invalid' ? null : question.lookup.context
  }

  test.each([
    ['Tỉnh/TP', 'Trung Quốc', 'Mã số thuế', '91440300708461136T', 'CN'],
    ['Tỉnh/TP', 'Thái Lan', 'Mã số thuế', '0105542087654', 'TH'],
    ['Tỉnh/TP', 'Hàn Quốc', 'Mã số thuế', '1248100998', 'KR'],
    ['Ort', 'Frankreich', 'Registernummer', '552032534', 'FR'],
    ['Stadt', 'Frankreich', 'Registernummer', '552032534', 'FR'],
    ['Miasto', 'Czechy', 'REGON', '45274649', 'CZ'],
    ['Город', 'Германия', 'ОГРН', 'HRB 6684', 'DE'],
    ['Region', 'Japan', 'Company number', '1180301018771', 'JP'],
    ['城市', '韩国', '注册号', '1248100998', 'KR'],
  ])('%s %s, %s %s', (place, cell, header, number, country) => {
    for (const option of [undefined, 'VN'])
      expect(ask({ [place]: cell }, header, number, option)).toBe(`company number ${country} ${number}`)
  })

  test('but no town of that name next to a region, and no region', () => {
    expect(ask({ City: 'Peru', State: 'IL' }, 'Company number', '12345678')).toBe('company number 12345678')
    expect(ask({ State: 'Georgia' }, 'Company number', '12345678')).toBe('company number 12345678')
    for (const town of ['Lebanon', 'Peru', 'Cuba', 'Mexico', 'Poland', 'Norway', 'Jordan'])
      expect(ask({ City: town }, 'Company number', '12345678')).toBe('company number 12345678')
    expect(ask({ City: 'Panama' }, 'Company number', '1234567', 'US')).toBe('company number US 1234567')
    expect(ask({ City: 'Lebanon', State: 'NH' }, 'Company number', '1234567', 'US')).toBe(
      'company number US 1234567',
    )
    expect(ask({ 'Tỉnh/TP': 'Hà Nội' }, 'MST', '0101248141', 'VN')).toBe('company number VN 0101248141')
  })
})

test('A number of the form of its row is no number of the countries that the header names', async () => {
  const rows = [
    ['Dacia', '160796', 'România'],
    ['Moldtelecom', '1002600003778', 'Republica Moldova'],
    ['Safaricom', 'C.8/2002', 'Kenya'],
    ['Ion', '1800101221144', 'România'],
  ]
  const names = [
    'Dacia (company number RO 160796)',
    'Moldtelecom (company number MD 1002600003778)',
    'Safaricom (company number KE C.8/2002)',
    'Ion',
  ]
  for (const header of ['CUI / Cod TVA', 'Cod TVA', 'CIPC Reg No'])
    expect((await readNumbers([header], rows)).map(([name]) => name)).toEqual(names)
})

test('A number in a row whose country is unknown is of the country of its header only if check digits say so', async () => {
  const rows = (number: string) => [['Acme', number, 'Atlantis']]
  const read = async (header: string, number: string) => (await readNumbers([header], rows(number)))[0]?.[0]
  expect(await read('Код ЄДРПОУ', '00519500')).toBe('Acme (company number 00519500)')
  expect(await read('SIREN', '552032534')).toBe('Acme (company number FR 552032534)')
  expect(await read('Companies House number', 'SC095237')).toBe('Acme (company number GB SC095237)')
})

test('Numbers of taxes that no register has are not sent, whatever the header', async () => {
  for (const header of ['Company number', 'Adószám', 'PIB'])
    for (const [number = '', country = ''] of [
      ['10537914-4-44', 'Magyarország'],
      ['HU10537914-4-44', ''],
      ['RS103482050', 'Srbija'],
    ])
      expect(await readNumbers([header], [['Acme', number, country]])).toEqual([['Acme', 'tax_number']])
})

test('A row without a company number is looked up by its VAT number', async () => {
  const rule = {
    columns: {
      name: 'name',
      location: [],
      context: [],
      identifiers: { registration_id: 'Reg No', registration_country: 'Country', registration_id_2: 'VAT' },
    },
    identifierUse: 'first',
    readsNames: true,
  } as const
  const read = createRowReader(rule, noEarlierNames)
  const questions = await read([
    ['Acme', '0403.170.701', 'BE', 'BE0417497106'],
    ['Bolt', null, 'BE', 'BE0417497106'],
    ['Cera', ' n/a', 'FR', 'FR12552032534'],
    ['Dorn', '', 'DE', 'DE123456789'],
    ['Ems', '', 'DE', null],
  ])
  expect(questions.map((one) => one.kind === 'resolution' && one.lookup.name)).toEqual([
    'Acme (company number BE 0403.170.701)',
    'Bolt (company number BE BE0417497106)',
    'Cera (company number FR FR12552032534)',
    'Dorn',
    'Ems',
  ])
})

test('A row is asked as an earlier version asked it, if that question was submitted: nothing is billed again', async () => {
  const rule = {
    columns: {
      name: 'name',
      location: [],
      context: [],
      identifiers: { lei: 'lei', registration_id: 'number' },
    },
    identifierUse: 'context',
    readsNames: true,
  } as const
  const rows = [
    // An LEI with wrong check digits was not sent, and a tax number was sent as it is.
    ['Acme', 'HWUPKR0MPOU8FGXBT395', null],
    ['Bolt', null, '12-3456789'],
  ]
  const before = ['Acme', 'Bolt'].map((name, at) => ({
    name,
    location: null,
    context: at === 0 ? null : 'company number 12-3456789',
  }))
  const read = (wasAsked: (name: string, context: string | null) => boolean) =>
    createRowReader(rule, {
      fetch: () => Promise.resolve(),
      wasAsked: ({ name, context }) => wasAsked(name, context),
    })(rows)
  const asked = await read((name, context) =>
    before.some((one) => one.name === name && one.context === context),
  )
  expect(asked.map((question) => question.kind === 'resolution' && question.lookup)).toEqual(before)
  const fresh = await read(() => false)
  expect(fresh.map((question) => question.kind === 'resolution' && question.lookup.context)).toEqual([
    'LEI HWUPKR0MPOU8FGXBT395',
    'EIN 123456789',
  ])
})

/** Reads rows of a name, numbers and a country; `wasAsked`: the names that were looked up before. */
async function readNumbers(
  headers: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  wasAsked: readonly string[] = [],
) {
  const keys = ['registration_id', 'registration_id_2', 'registration_id_3'] as const
  const numbers = Object.fromEntries(headers.map((header, at) => [keys[at], header]))
  const rule: LookupRule = {
    columns: {
      name: 'name',
      location: [],
      context: [],
      identifiers: { ...numbers, registration_country: 'Country' },
    },
    identifierUse: 'first',
    readsNames: true,
  }
  const order = ['name', ...headers, 'Country']
  const cellsOf = (row: readonly (string | null)[]) =>
    ['name', headers[0] ?? '', 'Country', ...headers.slice(1)].map(
      (column) => row[order.indexOf(column)] ?? null,
    )
  const questions = await createRowReader(rule, {
    fetch: () => Promise.resolve(),
    wasAsked: ({ name }) => wasAsked.includes(name),
  })(rows.map(cellsOf))
  return questions.map((one) => (one.kind === 'resolution' ? [one.lookup.name, ...one.faults] : [one.kind]))
}

describe('The number of a row', () => {
  test.each([
    ['Matični broj|OIB', '03269396|94577403194', null, 'HR 94577403194'],
    ['Matični broj|OIB', '3269396|94577403194', null, 'HR 94577403194'],
    ['Matični broj|OIB', '03269396|94577403194', 'Hrvatska', 'HR 94577403194'],
    ['Matični broj|OIB', '080005858|94577403194', null, 'HR 080005858'],
    ['Matični broj|OIB', '80005858|94577403194', null, 'HR 80005858'],
    ['Matični broj|PDV ID', '03269396|HR94577403194', null, null],
    ['Matični br. / OIB', '03269396 / 94577403194', null, 'HR 94577403194'],
    ['Matični br. / OIB', '94577403194', null, 'HR 94577403194'],
    ['Matični br. / OIB', '03269396', null, null],
    ['Matični broj', '03269396', 'HR', null],
    ['Matični broj', '17162543', 'RS', 'RS 17162543'],
    ['Matična številka', '5000001000', 'SI', 'SI 5000001000'],
    ['CIF|Mã số thuế', '12345674|0100109106', null, 'VN 0100109106'],
    ['Company No|Mã số thuế', '4471|0100109106', null, 'VN 0100109106'],
    ['Reg No|SIREN', 'K-12|552032534', null, 'FR 552032534'],
  ])(
    'is none of a statistical office, and one of the country that the others tell: %s %s',
    (headers, texts, country, number) => {
      const cells = headers.split('|').map((header, at) => ({ header, text: texts.split('|')[at] ?? '' }))
      const { identifier } = chooseNumber(cells, country === null ? {} : { registration_country: country })
      expect(identifier === null ? null : `${identifier.place ?? ''} ${identifier.value}`).toBe(number)
    },
  )

  test.each([
    ['CIN', 'BE745123', 'MA', null],
    ['CIN', 'BE745123', null, null],
    ['CIN', 'J-123', 'MA', null],
    ['RC / CIN', 'BE745123', 'MA', null],
    ['RC / CIN', '278451', 'MA', 'MA 278451'],
    ['RC', 'RC 112458', 'MA', 'MA RC 112458'],
    ['ID No.', 'BK412587', 'MA', null],
    ['CIN', 'U12345MH2000PTC123456', 'MA', 'IN U12345MH2000PTC123456'],
    ['CIN', 'U12345MH2000PTC123456', null, 'IN U12345MH2000PTC123456'],
    ['NIF', '001234567LA012', 'AO', null],
    ['NIF', '5417123456', 'AO', 'AO 5417123456'],
    ['NUI', 'P012345678901C', 'CM', null],
    ['NUI', 'M012345678901A', 'CM', 'CM M012345678901A'],
  ])('below %s, %s in %s is that of a company or of a person', (header, text, country, number) => {
    const places = country === null ? {} : { registration_country: country }
    const { identifier, faults } = chooseNumber([{ header, text, isNamed: true }], places)
    expect(identifier === null ? null : `${identifier.place ?? ''} ${identifier.value}`).toBe(number)
    expect(faults.includes('person_number')).toBe(number === null)
  })

  test('is the one of its country, else the first without a fault', async () => {
    const rows = [
      ['Tata', 'L17110MH1973PLC019786', null, null, 'IN'],
      ['Tesco', null, '00445790', null, 'GB'],
      ['Tata UK', 'L17110MH1973PLC019786', '00445790', null, 'GB'],
      ['Tata UK', 'L17110MH1973PLC019786', null, null, 'GB'],
      ['Danone', null, null, '552032534', 'FR'],
      ['Danone', null, '552032535', '552032534', 'FR'],
      ['Nobody', null, null, '552032535', 'FR'],
    ]
    expect(await readNumbers(['CIN', 'Companies House No', 'SIREN'], rows)).toEqual([
      ['Tata (company number IN L17110MH1973PLC019786)'],
      ['Tesco (company number GB 00445790)'],
      ['Tata UK (company number GB 00445790)'],
      ['Tata UK (company number IN L17110MH1973PLC019786)', 'other_country'],
      ['Danone (company number FR 552032534)'],
      ['Danone (company number FR 552032534)', 'registration_checksum'],
      ['Nobody (company number FR 552032535)', 'registration_checksum'],
    ])
  })

  test('has the country of its row if it fits it as well as the header, else that of the header', async () => {
    const rows = [
      ['Ryanair', '249885', 'IE'],
      ['Tesco', '00445790', 'IE'],
      ['Tesco', '00445790', 'GB'],
      ['Tesco', '445790', 'GB'],
      ['Barclays', '552032534', 'FR'],
      ['Atlantis', '00445790', 'Luxembourg'],
    ]
    const places = (await readNumbers(['Companies House No'], rows)).map(([name = '']) =>
      name.slice(-12).trim(),
    )
    expect(places).toEqual(
      ['r IE 249885)', 'GB 00445790)', 'GB 00445790)', 'r GB 445790)', 'R 552032534)', 'GB 00445790)'].map(
        (text) => text.trim(),
      ),
    )
  })

  test('stays the same next to columns of tax numbers that contain no company number', async () => {
    const numbers = ['HRB 97682 Frankfurt', 'HRB 97682', '249885', 'SC445790', 'B12345', '0000028860']
    const countries = ['Niemcy', 'DE', 'Irlandia', 'Polska', 'Luxembourg', 'Holandia', null]
    const rows = numbers.flatMap((number) => countries.map((country) => ['A', number, country]))
    for (const header of ['KRS', 'Companies House No', 'Handelsregister', 'Company Number']) {
      const alone = await readNumbers([header], rows)
      const withTax = rows.map(([name = null, number = null, country = null]) => {
        return [name, number, '5260000000', 'DE123456788', country]
      })
      expect(await readNumbers([header, 'NIP', 'VAT'], withTax)).toEqual(alone)
    }
  })

  test('of another country is told apart from one with wrong check digits', async () => {
    const rows = [
      ['Enel', 'IT00811720580', 'GB'],
      ['Enel', '00811720580', 'GB'],
      ['Enel', '00811720583', 'GB'],
    ]
    expect(await readNumbers(['Company Number'], rows.slice(0, 1))).toEqual([
      ['Enel (company number IT IT00811720580)', 'other_country'],
    ])
    expect(await readNumbers(['ABN'], rows.slice(1))).toEqual([
      ['Enel (company number 00811720580)', 'unknown_country'],
      ['Enel (company number AU 00811720583)', 'registration_checksum'],
    ])
  })

  test('of a French site with wrong check digits is that of its company, else the VAT number of the row', async () => {
    const rows = [
      ['Site', '55203253400647', null, 'FR'],
      ['Site', '55203253500647', 'FR12552032534', 'FR'],
    ]
    expect(await readNumbers(['SIRET', 'TVA'], rows)).toEqual([
      ['Site (company number FR 552032534)', 'site_checksum'],
      ['Site (company number FR FR12552032534)', 'registration_checksum'],
    ])
  })

  test('is not looked up again where an earlier version read another one, or another country', async () => {
    const before = [
      [['Companies House No'], ['A', '249885', 'IE'], 'A (company number GB 249885)'],
      [['SIRET', 'TVA'], ['B', '55203253400647', null, 'FR'], 'B (company number FR 55203253400647)'],
      [
        ['SIRET', 'TVA'],
        ['C', '55203253500647', 'FR12552032534', 'FR'],
        'C (company number FR 55203253500647)',
      ],
      [['Company Number'], ['D', 'IT00811720580', 'GB'], 'D (company number GB IT00811720580)'],
      [['VAT'], ['Dee', 'CHE-105.909.036 MWST', 'CH'], 'Dee'],
      [['Reg No', 'SIREN'], ['E', '249885', '552032534', 'FR'], 'E (company number FR 249885)'],
    ] as const
    for (const [headers, row, name] of before) {
      expect((await readNumbers(headers, [row], [name]))[0]?.[0]).toBe(name)
      expect((await readNumbers(headers, [row]))[0]?.[0]).not.toBe(name)
    }
  })
})

test('A number with wrong check digits is of the country of its row, if its form or the header does not tell another', async () => {
  const read = async (header: string, number: string, country: string) =>
    (await readNumbers([header], [['Acme', number, country]]))[0]
  for (const header of [
    'Registrikood',
    'Reģistrācijas numurs',
    'Įmonės kodas',
    'Organisasjonsnummer',
    'Company no',
  ])
    expect([header, await read(header, '0112038-7', 'Soome')]).toEqual([
      header,
      ['Acme (company number FI 0112038-7)', 'registration_checksum'],
    ])
  expect(await read('Registrikood', '40003032948', 'Läti')).toEqual([
    'Acme (company number LV 40003032948)',
    'registration_checksum',
  ])
  expect(await read('Registrikood', '38001085718', 'Eesti')).toEqual(['Acme', 'person_number'])
  expect(await read('SIREN', '552032534', 'NO')).toEqual(['Acme (company number FR 552032534)'])
})

test('A number that does not fit the country of the header has that of its row', async () => {
  const headers = { SG: 'UEN / Reg No', FR: 'SIREN', AU: 'ABN / Company No', IN: 'CIN' }
  const rows = [
    ['1170825', 'United Kingdom', 'GB 1170825'],
    ['2404625', 'Hong Kong', 'HK 2404625'],
    ['4120-01', 'Japan', 'JP 4120-01'],
    ['CHE-105.909.036', 'Switzerland', 'CH CHE-105.909.036'],
  ] as const
  for (const header of Object.values(headers)) {
    const rule = {
      columns: {
        name: 'name',
        location: [],
        context: [],
        identifiers: { registration_id: header, registration_country: 'Country' },
      },
      identifierUse: 'first',
      readsNames: true,
    } as const
    const questions = await createRowReader(
      rule,
      noEarlierNames,
    )(rows.map(([number, country]) => ['Acme', number, country]))
    expect(questions.map((question) => ('lookup' in question ? question.lookup.name : null))).toEqual(
      rows.map(([, , told]) => `Acme (company number ${told})`),
    )
  }
})

/** Forms of VAT numbers that contain no company number: `#` is any digit, `1` and letters stay. */
const plainVatForms =
  'ATU######## CY########L DE######### EE######### EL######### GB######### HR########### HU######## IE#######WA LT#######1# LU######## MT######## NL#########B01 PL1######### SI######## SK########## XI#########'.split(
    ' ',
  )

test('A VAT number that contains no company number is not sent as one, whatever the header, the spelling and the country', () =>
  forAllAsync(
    100,
    [
      fc.constantFrom(...plainVatForms),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      fc.constantFrom(
        'Momsreg.nr',
        'Org.nr',
        'company number',
        'VAT-nr',
        'KvK',
        'KRS',
        'SIREN',
        'reg',
        'HRB',
      ),
      fc.constantFrom('', ' ', '-', '.'),
      fc.boolean(),
    ],
    async (form, digits, header, sign, hasCountry) => {
      const number = form.replace(/#/g, () => String(digits.next().value))
      const text = `${number.slice(0, 2)}${sign}${number.slice(2)}`
      const rows = [
        ['Acme', text, hasCountry ? number.slice(0, 2).replace('EL', 'GR').replace('XI', 'GB') : null],
      ]
      const [question] = await readNumbers([header], rows)
      expect(question).toEqual(['Acme', 'tax_number'])
    },
  ))

test('A VAT number that contains the company number is used below any header, also without a country', async () => {
  const numbers = {
    FI01120389: 'FI 0112038-9',
    FR12552032534: 'FR 552032534',
    SE556012579001: 'SE 556012-5790',
    DK61056416: 'DK 61056416',
    BE0417497106: 'BE 0417.497.106',
    'NO 923 609 016 MVA': 'NO 923609016',
    'CHE-105.909.036 MWST': 'CH CHE-105.909.036',
    LV40003009497: 'LV 40003009497',
    PT500697256: 'PT 500697256',
    IT02500480245: 'IT 02500480245',
    CZ45274649: 'CZ 45274649',
    ESB95780375: 'ES B95780375',
  }
  for (const header of ['Momsreg.nr', 'company number', 'x'])
    for (const [text, number] of Object.entries(numbers))
      expect(await readNumbers([header], [['Acme', text, null]])).toEqual([
        [`Acme (company number ${number})`],
      ])
})

test('A VAT number that was looked up as a company number is not looked up again', async () => {
  const before = 'Acme (company number DE DE129274202)'
  const row = ['Acme', '', 'DE129274202', 'DE']
  const ask = (wasAsked: string[]) => readNumbers(['Org.nr', 'Momsreg.nr'], [row], wasAsked)
  expect((await ask([before]))[0]?.[0]).toBe(before)
  expect((await ask([]))[0]?.[0]).toBe('Acme')
})

test.each([
  ['Vergi nömrəsi', '1401234561', 'AZ', 'AZ'],
  ['Vergi nömrəsi', '1401234561', '', 'AZ'],
  ['Vergi nömrəsi', '1401234562', 'AZ', null],
  ['Vergi nömrəsi', '1401234561', 'Nowhereland', null],
  ['Vergi nömrəsi', '1401234561', 'TR', null],
  ['TIN', '1401234561', '', null],
  ['TIN', '190000125', 'BY', 'BY'],
  ['Matricule fiscal', '1234567B/A/M/000', '', 'TN'],
  ['Tax ID', 'J61814094W', 'AL', 'AL'],
  ['PIB', '104052135', '', 'RS'],
  ['ПИБ', '100002887', 'RS', 'RS'],
  ['PIB', '02655284', '', 'ME'],
  ['PIB', '02655284', 'ME', 'ME'],
  ['PIB', '104052135', 'DE', null],
  ['PIB', '700000001', 'RS', null],
  ['ЕДБ', '4030000375897', '', 'MK'],
  ['DIČ', '2020372640', 'SK', 'SK'],
  ['DIČ', '2020372640', 'DE', null],
  ['KRA PIN', 'P051234567A', '', 'KE'],
  ['KRA PIN', 'A001234567B', 'KE', null],
])(
  'A tax number that is the number in the register has its country: %s %s of %s',
  (header, text, row, place) => {
    const { identifier, isRight } = chooseNumber([{ header, text }], { registration_country: row })
    expect([identifier?.place ?? null, isRight]).toEqual([place, place !== null])
  },
)

test.each([
  ['ID No.', '23456789', 'KE', null, 'person_number'],
  ['ID No.', 'PVT-AB12C3D', 'KE', 'PVT-AB12C3D', ''],
  ['ID No.', '00445790', 'GB', '00445790', ''],
  ['NIT', '36182455-9', 'CO', null, 'person_number'],
  ['NIT', '79456123-1', '', null, 'person_number'],
  ['NIT', '860034313-7', 'CO', '860034313-7', ''],
  ['NIT', '111.444.777-35', 'CO', null, 'person_number'],
  ['NIT', '899.999.068-11', 'CO', '899.999.068-11', ''],
  ['Matrícula Mercantil', '02871134', 'CO', '02871134', ''],
  ['Matrícula Mercantil', '563218-3', 'CO', '563218-3', ''],
  ['Matrícula Mercantil', '1023456789', 'CO', null, 'person_number'],
  ['STRN', '1700987654321', 'PK', '1700987654321', ''],
  ['STRN', '42101-1234567-1', 'PK', null, 'person_number'],
  ['ИНН', '143605726045', 'UA', '143605726045', ''],
  ['ИНН', '2987654321', 'UA', null, 'person_number'],
  ['ИНН', '770123456789', 'RU', null, 'person_number'],
  ['NTN', '0700434', 'PK', 'NTN 0700434', ''],
  ['NTN', '1543137-1', 'PK', 'NTN 1543137-1', ''],
  ['KRA PIN', 'PO51429817M', 'KE', 'P051429817M', ''],
  ['KRA PIN', 'AO01234567B', 'KE', null, 'person_number'],
  ['Company number', 'OC301234', 'GB', 'OC301234', ''],
  ['NIT', '860’034.313-7', 'CO', '860.034.313-7', ''],
  ['NIT', '860034313 (7)', 'CO', '860034313-7', ''],
  ['NIT', '860034313 dv7', 'CO', '860034313-7', ''],
  ['NIT', '36182455 (9)', 'CO', null, 'person_number'],
])(
  'The form and the header tell numbers of persons from those of companies: %s %s of %j',
  (header, text, row, value, fault) => {
    const places = row === '' ? {} : { registration_country: row }
    const { identifier, faults } = chooseNumber([{ header, text, isNamed: true }], places)
    expect([identifier?.value ?? null, faults.join()]).toEqual([value, fault])
  },
)

describe('A number of another register than that of companies', () => {
  const read = (header: string, country: string, text: string, isNamed = false) => {
    const places = country === '' ? {} : { registration_country: country }
    const { identifier, faults } = chooseNumber([{ header, text: cleanNumber(text), isNamed }], places)
    return identifier === null ? faults.join() : identifier.value
  }

  test.each([
    'DTI 34001',
    'DTI No. 34001',
    'DTI-34001',
    'DTI34001',
    'CDA Reg. No.: 34001',
    '34001 (DTI)',
    '34001（DTI）',
    'REA 34001',
  ])('is known by its label, and does not lose it: %s', (text) => {
    for (const header of ['SEC Reg. No.', 'SEC/DTI/CDA Reg. No.', 'Reg. No.'])
      for (const country of ['PH', '']) expect(read(header, country, text)).toBe('other_register')
  })

  test.each([
    ['Trade Licence No.', 'BD', '012345', 'AE'],
    ['Trade License', 'QA', '98765', 'AE'],
    ['BN No.', 'NG', '1234567', 'CA'],
    ['BIN', 'CA', '987654321', 'BD'],
    ['Firm Registration No.', 'PK', '0012345', 'ZA'],
    ['Matični broj obrta', 'HR', '92345678', 'RS'],
  ])('is known by its header and country: %s of %s is none, %s', (header, country, text, other) => {
    expect(read(header, country, text)).toBe('other_register')
    expect(read(header, country, text, true)).toBe(text)
    expect(read(header, other, text)).not.toBe('other_register')
  })
})

describe('A cell with the name of its number', () => {
  const read = (header: string, country: string, text: string) => {
    const { identifier, faults } = chooseNumber([{ header, text }], { registration_country: country })
    return identifier === null ? faults : identifier.value
  }

  test.each([
    [
      'BE',
      '0400.378.485',
      'BTW %|BTW BE %|TVA BE%|TVA BE %|BE% RPR Brussel|RPM Bruxelles %|KBO: %|N° entreprise %|Ondernemingsnr. %',
    ],
    ['FR', '552 032 534', 'SIREN %|SIREN : %|% RCS Paris|RCS Paris B %|N° SIREN %|% R.C.S. Nanterre'],
    ['SE', '556012-5790', 'Org.nr %|Org.nr. %|Org.nr % MVA|Organisationsnummer: %'],
    ['ES', 'B-58818501', 'NIF %|CIF: %|N.I.F. %|C.I.F.: %'],
    ['IT', '00743110157', 'P.IVA %|P. IVA IT %|Partita IVA: %|C.F. %'],
    ['CZ', '27082440', 'IČO %|IČO: %|IČ: %'],
    ['IN', 'L99999MH1946PLC004768', 'CIN: %|CIN %|CIN No. %'],
    ['IN', '27AAACR5055K1Z7', 'GSTIN %|GSTIN: %|GSTIN No %'],
    ['AR', '30-50001091-2', 'CUIT %|CUIT: %|CUIT N° %'],
    ['AU', '51 824 753 556', 'ABN %|ABN: %'],
    ['TW', '04595257', '統一編號：%|統一編號 %'],
    ['NL', '12345678', 'KvK %|KvK % Amsterdam|KvK-nummer: % (Amsterdam)'],
    [
      'EG',
      '69832',
      'س.ت %|س.ت % الجيزة|س.ت. الجيزة %|سجل تجاري رقم % - الجيزة|رقم السجل التجاري: % (مكتب الجيزة)',
    ],
    ['IR', '12345', 'شماره ثبت %|شماره ثبت % تهران'],
    ['GB', '00445790', 'Company No. %|No. %|Companies House number %'],
  ])('%s: %s is read from %s', (country, number, texts) => {
    for (const text of texts.split('|'))
      for (const header of ['Company number', 'Registration number']) {
        const value = String(read(header, country, text.replace('%', number)))
        expect([text, value.replace(/^(?:BE|IT) ?/, '')]).toEqual([text, number])
      }
  })

  test.each([
    ['DE', 'USt-IdNr. DE 123456788'],
    ['GB', 'VAT No GB 220 4302 31'],
    ['PL', 'NIP: 526-10-40-828'],
  ])('of a tax is not sent as a company number: %s, %s', (country, text) => {
    expect(read('Company number', country, text)).toEqual(['tax_number'])
  })

  test.each([
    ['BE', 'BTW niet gekend 12'],
    ['BE', 'zie factuur 12'],
    ['GB', 'to be verified 2026'],
    ['FR', 'voir le dossier 552'],
    ['RS', 'види рачун 100'],
  ])('that is not one number is not sent, and its row is listed: %s, %s', (country, text) => {
    expect([['registration_id'], ['tax_number']]).toContainEqual(read('Company number', country, text))
  })

  test.each([
    ['DE', 'HRB 6684 Amtsgericht München', 'MÜNCHEN HRB 6684'],
    ['AT', 'FN 93363 z', 'FN 93363 Z'],
    ['CH', 'CHE-105.909.036 MWST', 'CHE-105.909.036 MWST'],
    ['NG', 'RC 12345', 'RC 12345'],
    ['GB', 'SC 095237', 'SC 095237'],
  ])('is read as before where the letters are a part of it: %s, %s', (country, text, value) => {
    expect(read('Company number', country, text)).toBe(value)
  })
})

describe('Numbers of Latin America', () => {
  const read = (header: string, text: string, country = '') => {
    const { identifier, faults } = chooseNumber([{ header, text }], { registration_country: country })
    return [identifier?.place ?? null, faults.join()]
  }
  test.each([
    ['NIT', '890.903.938', '', 'CO', ''],
    ['NIT', '890.903.938-8', '', 'CO', ''],
    ['NIT', '890.903.938-1', '', 'CO', 'registration_checksum'],
    ['Tax ID', '8909039381', 'Colombia', 'CO', 'registration_checksum'],
    ['Tax ID', '8909039388', 'Colombia', 'CO', ''],
    ['NIT', '576937-K', 'Guatemala', 'GT', ''],
    ['NIT', '1020255020', 'Bolivia', 'BO', ''],
    ['RUC', '20100017491', '', 'PE', ''],
    ['RUC', '1790016919001', '', 'EC', ''],
    ['RUC', '80000519-8', '', 'PY', ''],
    ['RUC', '80000519', '', 'PY', ''],
    ['RUT', '90.749.000-9', '', 'CL', ''],
    ['RUT', '90749000', '', 'CL', ''],
    ['RUT', '211003420017', '', 'UY', ''],
    ['RUT', '90.749.000-1', 'Chile', 'CL', 'registration_checksum'],
    ['RUC', '20100017492', 'Perú', 'PE', 'registration_checksum'],
    ['CUIT', '30-54668997-8', '', 'AR', 'registration_checksum'],
    ['RIF', 'J-00095036-8', '', 'VE', 'registration_checksum'],
    ['RNC', '101001578', '', 'DO', 'registration_checksum'],
  ])('%s %s (%s) is read as one of %s: %s', (header, text, country, place, fault) => {
    expect(read(header, text, country)).toEqual([place, fault])
  })
})

test.each(['SI82646716', '80267432', '000-388-771-000', 'EE100931558', 'DE129274202', '123456789RC0001'])(
  'The number %s is sent from a column that the user named, below any header of tax numbers',
  (text) => {
    for (const header of ['Davčna številka', 'ID za DDV', 'TIN', 'VAT'])
      expect(
        chooseNumber([{ header, text, isNamed: true }], { registration_country: 'SI' }),
        header,
      ).toMatchObject({
        identifier: { kind: 'registration_id' },
        faults: [],
      })
  },
)

test.each([
  ['PL', 'REGON: 390021764', 'NIP: 7740001454'],
  ['Polska', 'KRS: 28860', 'NIP: 7740001454'],
  ['PL', 'NIP: 7740001454', 'REGON: 390021764'],
  ['LT', 'Įmonės kodas: 110053842', 'PVM kodas: LT123456715'],
  ['CZ', 'IČO: 27082440', 'DIČ: CZ45274649'],
])(
  'the first column with a number of the country %s is used, in the order of the plan: %s, %s',
  (country, ...texts) => {
    const cells = texts.map((cell) => {
      const [header = '', text = ''] = cell.split(': ')
      return { header, text, isNamed: true }
    })
    const { identifier } = chooseNumber(cells, { registration_country: country })
    expect(identifier?.value).toBe(cells[0]?.text)
    const later = [{ header: cells[0]?.header ?? '', text: 'n/a' }, ...cells.slice(1)]
    expect(chooseNumber(later, { registration_country: country }).identifier?.value).toContain(
      cells[1]?.text.slice(2),
    )
  },
)

describe('A row without a country', () => {
  const isTax = (header: string) => isTaxHeader(header) || isOtherTaxHeader(header)
  const ofRegisters = companyNumbers.filter(([, header]) => !isTax(header))
  const choose = (...cells: readonly (readonly [header: string, text: string])[]) =>
    chooseNumber(
      cells.map(([header, text]) => ({ header, text, isNamed: true })),
      {},
    )
  const plainTaxes = [
    ['ΑΦΜ', '094019245'],
    ['NIP', '5260250274'],
    ['VAT', '123456789'],
    ['Tax ID', '4471002'],
  ] as const

  test.each(ofRegisters)(
    'has its number of the register, not that of a tax: %s %s',
    (country, header = '', text = '') => {
      const alone = choose([header, text])
      if (alone.identifier?.place === undefined || alone.identifier.place === null) return
      const own = companyNumbers.filter(([one, name]) => one === country && isTax(name))
      for (const [name, number] of [...own.map(([, name, number]) => [name, number] as const), ...plainTaxes])
        expect([name, choose([header, text], [name, number])]).toEqual([name, alone])
    },
  )

  test('has the country of the register that a header names, also for its other number', () => {
    expect(choose(['Αρ. ΓΕΜΗ', '160778812000'], ['ΑΦΜ', '801998873']).identifier).toMatchObject({
      place: 'GR',
      value: '160778812000',
    })
    expect(choose(['KRS', '28860'], ['NIP', '5260250274']).identifier?.place).toBe('PL')
    // Several countries have an `NIT`.
    expect(choose(['NIT', '1020000000'], ['Tax ID', '4471002']).identifier?.place).toBeNull()
  })

  test('that was looked up with its tax number is not looked up again', async () => {
    const rule: LookupRule = {
      columns: {
        name: 'name',
        location: [],
        context: [],
        identifiers: { registration_id: 'Αρ. ΓΕΜΗ', registration_id_2: 'ΑΦΜ' },
      },
      identifierUse: 'first',
      readsNames: true,
      areNumbersNamed: true,
    }
    const read = async (before: string) => {
      const rows = [['Acme', '160778812000', '801998873']]
      const wasAsked = ({ name }: { name: string }) => name === before
      const [question] = await createRowReader(rule, { fetch: () => Promise.resolve(), wasAsked })(rows)
      return question?.kind === 'resolution' && question.lookup.name
    }
    expect(await read('')).toBe('Acme (company number GR 160778812000)')
    expect(await read('Acme (company number 801998873)')).toBe('Acme (company number 801998873)')
    expect(await read('Acme')).toBe('Acme (company number GR 160778812000)')
  })
})

test.each(['LT123456715', '123456715', 'LT100001919017', '100001919017'])(
  'the tax number %s of Lithuania is no company number, and has its letters if it is sent',
  (text) => {
    for (const [header, country] of [
      ['PVM kodas'],
      ['PVM mokėtojo kodas', 'LT'],
      ['VAT number', 'Lietuva'],
    ] as const) {
      const places = country === undefined ? {} : { registration_country: country }
      expect(chooseNumber([{ header, text }], places)).toMatchObject({
        identifier: null,
        faults: ['tax_number'],
      })
      const { identifier } = chooseNumber([{ header, text, isNamed: true }], places)
      expect(identifier?.value).toBe(`LT${text.replace('LT', '')}`)
    }
    expect(chooseNumber([{ header: 'Įmonės kodas', text: '123456715' }], {}).identifier?.value).toBe(
      '123456715',
    )
    expect(chooseNumber([{ header: 'Tax ID', text }], { registration_country: 'LT' }).identifier).toBeNull()
    expect(
      chooseNumber([{ header: 'Tax ID', text: '110053842' }], { registration_country: 'LT' }).identifier,
    ).toMatchObject({ place: 'LT', value: '110053842' })
  },
)

describe('the country of rows without one', () => {
  const base = { name: 'Name', context: [], identifiers: {}, country: 'UY' }
  const read = (location: readonly string[], ...rows: readonly (readonly (string | null)[])[]) =>
    createRowReader({ ...ruleOf('context'), columns: { ...base, location } }, noEarlierNames)(rows)
  const placeOf = (question: RowQuestion) => question.kind !== 'invalid' && question.lookup.location

  test.each([
    ['City', 'Land', ['Salto', 'Argentina'], 'Salto, Argentina'],
    ['City', 'Land', ['Salto', ''], 'Salto, UY'],
    ['City', 'Land', ['Salto', 'n/a'], 'Salto, UY'],
    ['City', 'Land', [null, null], 'UY'],
    ['Ciudad', 'País', ['', 'Brasil'], 'Brasil'],
    ['Ort', 'PLZ', ['Wien', '1010'], 'Wien, 1010, UY'],
    // The code of a state may be that of a country.
    ['City', 'State', ['Boston', 'MA'], 'Boston, MA, UY'],
    // A country in a column of regions is a country; the name of one that is a region too stays open.
    ['Town', 'County', ['Kampala', 'Uganda'], 'Kampala, Uganda'],
    ['Town', 'County', ['Atlanta', 'Georgia'], 'Atlanta, Georgia, UY'],
    ['City', 'State', ['Toluca', 'México'], 'Toluca, México, UY'],
    ['City', 'County', ['Kampala, Uganda', ''], 'Kampala, Uganda'],
    ['City', 'County', ['Panama', ''], 'Panama, UY'],
    ['City', 'Address', ['Kelmor', 'Larga, 276'], 'Kelmor, Larga, 276, UY'],
  ])('%s and %s of %j are the place %s', async (city, other, cells, expected) => {
    expect((await read([city, other], ['Larkmoor', ...cells])).map(placeOf)).toEqual([expected])
  })

  test('a whole place has a country if it ends with one', async () => {
    const places = [
      'Salto',
      'Wien, Österreich',
      'Rivera, UY',
      '',
      '東京, 日本',
      'Leeds, Yorkshire',
      'Rivera, Larga, 276',
    ]
    const rows = places.map((place) => ['Larkmoor', place])
    expect((await read(['Location'], ...rows)).map(placeOf)).toEqual([
      'Salto, UY',
      'Wien, Österreich',
      'Rivera, UY',
      'UY',
      '東京, 日本',
      'Leeds, Yorkshire, UY',
      'Rivera, Larga, 276, UY',
    ])
  })

  test('company numbers are those of this country too', async () => {
    const columns = { ...base, location: ['City'], identifiers: { registration_id: 'No' } }
    const rule = { ...ruleOf('first'), columns: { ...columns, country: 'GB' } }
    const [question] = await createRowReader(rule, noEarlierNames)([['Larkmoor', 'Leeds', '01234567']])
    expect(question).toMatchObject({ lookup: { location: 'Leeds, GB' }, faults: [] })
    expect(JSON.stringify(question)).toMatch(/GB 01234567/)
  })

  test('no row is left without a country', () =>
    forAllAsync(100, [fc.array(fc.tuple(anyText, anyText))], async (rows) => {
      for (const question of await read(
        ['City', 'Country'],
        ...rows.map(([city, land]) => ['Larkmoor', city, land]),
      ))
        expect(placeOf(question)).not.toBeNull()
    }))
})

/** Numbers as registers write them, with signs and letters that are a part of them. */
const registered: Readonly<Record<string, readonly string[]>> = {
  LK: [
    'PV 2187',
    'PQ 36',
    'PB 123',
    'GA 55',
    'GL 12',
    'FC 12',
    'N(PVS) 2187',
    'N(PBS)22',
    'N (PVS) 2187',
    'N(PVS)/2187',
  ],
  MT: ['C 12345', 'P 123'],
  MU: ['C070012345'],
  TT: ['C1234(C)', 'C 1234 (C)'],
  BD: ['C-12345(123)/10', 'C-12345', 'CH-1234'],
  MM: ['1234FC/2011-2012(YGN)'],
  KY: ['CR-12345', 'MC-123456'],
  HK: ['F0012345', '1234567'],
  US: ['C1234567'],
  CA: ['1161234567', '123456-7', 'BC0123456'],
  KE: ['CPR/2009/1234', 'PVT-ABC12D', 'C.12345'],
}

test('a company number keeps its letters and brackets, and is read again as it is sent', () => {
  for (const [country, numbers] of Object.entries(registered))
    for (const number of numbers) {
      const found = lookupOf(
        ask({ name: 'Larkmoor Mills', registration_id: number, registration_country: country }),
      )
      const name = typeof found === 'string' ? found : found.name
      expect(readIdentifiers(name)).toEqual({
        name: 'Larkmoor Mills',
        identifiers: [{ kind: 'registration_id', value: number, place: country }],
      })
    }
})

test.each([
  ['MY', '201901000005 (1312525-A)', '201901000005'],
  ['GH', 'CA-12,345', 'CA-12345'],
  ['BS', '123,456 B', '123456 B'],
  ['CA', 'NEQ 1161234567', '1161234567'],
])('a number of %s that is written %s is %s', (country, text, value) => {
  const cell = { header: 'company number', text }
  expect(chooseNumber([cell], { registration_country: country })).toMatchObject({
    identifier: { value },
    faults: [],
  })
})

test.each([
  ["Numéro d'entreprise du Québec (NEQ)", '1142302061', 'CA'],
  ["Numéro d'entreprise", '1142302061', 'CA'],
  ["Numéro d'entreprise", '0417.497.106', 'BE'],
  ["Numéro d'entreprise suisse", 'CHE-116.281.710', 'CH'],
  ['Ontario Corporation Number', '1000012345', 'CA-ON'],
  ['Ontario Corporation Number (Canada)', '1000012345', 'CA-ON'],
  ['Company Number (Northern Ireland)', 'NI012345', 'GB'],
  ['Numéro de société, Irlande du Nord', 'NI012345', 'GB'],
  ['Corporation number (Nova Scotia)', '3012345', 'CA-NS'],
  ['British Columbia incorporation number', '0123456', 'CA-BC'],
  ['Delaware file number', '2345678', 'US-DE'],
  ['Entity number - West Virginia', '123456', 'US-WV'],
  ['Organisationsnummer Norge', '923609016', 'NO'],
  ['NIF España', 'A28015865', 'ES'],
])('%s: the number %s is of %s, without a country of the row', (header, text, place) => {
  expect(chooseNumber([{ header, text }], {})).toMatchObject({ identifier: { place }, faults: [] })
})

test.each([
  ['Ontario Corporation Number', '123456-7', 'CA', 'CA'],
  ['Delaware file number', '2345678', 'US', 'US-DE'],
  ['Número de alta', '1234567', 'ES', 'ES'],
  ['RFC Baja California', 'ABC680524P76', 'MX', 'MX'],
  ['Delaware file number', '2345678', 'US-NY', 'US-NY'],
  ['Company number (Ontario / Delaware)', '2345678', 'US', 'US'],
])('%s: the number %s of a row of %s is of %s', (header, text, country, place) => {
  expect(chooseNumber([{ header, text }], { registration_country: country })).toMatchObject({
    identifier: { place },
  })
})

test('words for a licence, a file or a registration are no part of a number', () => {
  const words =
    'Licence|Trade Licence No.|Permit No|Registration No.|File No.|Certificate of Incorporation No.|Regd. No.|Business Registration|Lizenz|Lizenznummer|Aktenzeichen|licencia|Licencia N°|permiso|agrément|certificat nr.|licenza|licença|alvará|vergunning|dossiernummer|licencja|лицензия|Свидетельство №|дозвіл|άδεια|ruhsat|رخصة|رقم الرخصة|رخصة تجارية|רישיון|许可证|营业执照|许可证号|許可番号|면허|giấy phép|ใบอนุญาต|लाइसेंस'.split(
      '|',
    )
  const joint = fc.constantFrom(' ', ': ', ' : ', ' #')
  forAll(
    200,
    [
      fc.constantFrom(...words),
      joint,
      fc.constantFrom('', 'CN-', 'DMCC-', 'FC '),
      fc.integer({ min: 100, max: 9_999_999 }),
    ],
    (word, sign, letters, digits) => {
      const text = `${word}${sign}${letters}${digits}`
      const { identifier } = chooseNumber([{ header: 'company number', text }], {
        registration_country: 'AE',
      })
      expect([text, identifier?.value]).toEqual([text, `${letters}${digits}`])
    },
  )
})

test('letters of a register and other words stay in front of a number', () => {
  for (const text of ['LLC 2214', 'RAK ICC 2214', 'JAFZA 2214', 'LP 2214', 'IBC 2214']) {
    const { identifier } = chooseNumber([{ header: 'company number', text }], { registration_country: 'AE' })
    expect(identifier?.value).toBe(text)
  }
})

test('an earlier version sends no number with brackets', () => {
  for (const version of ['0.2.0', 'one number'] as const) {
    const cell = { header: 'company number', text: 'N(PVS) 2187' }
    const read = chooseNumber([cell], { registration_country: 'LK' }, { version, country: 'row' })
    expect(read).toMatchObject({ identifier: null, faults: ['registration_id'] })
  }
})

test.each(['SN-DKR-2010-B-1234', 'CI-ABJ-2018-B-12345', 'ml.bko.2009.b.119', 'CD/KIN/RCCM/14-B-1234'])(
  'the codes in %s tell its country, whatever the row says',
  (text) => {
    for (const country of [null, 'France', 'Mali', 'Togo', 'SN']) {
      const places = country === null ? {} : { registration_country: country }
      const place = text.slice(0, 2).toUpperCase()
      const { identifier } = chooseNumber([{ header: 'RCCM', text }], places)
      expect([country, identifier]).toMatchObject([country, { kind: 'registration_id', place }])
    }
  },
)

test.each([
  'do|-do-|As above',
  'Người lập biểu|Kế toán trưởng|Authorised Signatory|Главный бухгалтер',
  'TEST PARTNER|Test kupac|Testkunde|Client test|Teszt partner|Тестовый клиент|عميل تجريبي',
  'vidi šifru 00012|see code 4711|siehe Kundennummer 12|xem mã 0012',
  'Maloprodaja - gotovinski kupac|Khách lẻ|Petty cash / Kasse',
])('Rows without a company are not looked up: %s', (texts) => {
  const names = texts.split('|')
  expect(names.map((name) => [name, ask({ name }).kind])).toEqual(names.map((name) => [name, 'invalid']))
})

test.each(
  'SAME|DO & Co|Do Hoa Ltd|Same Deutz-Fahr|Test Partner GmbH|Cash Converters - Petty|See Code Academy|Zagreb, 30|Kế toán Sao Mai'.split(
    '|',
  ),
)('A name with such words is one: %s', (name) => {
  expect(ask({ name }).kind).toBe('resolution')
})

describe('a repeated header', () => {
  const signs = ['〒', '№', '#', '☎', '✉', '℡', '%', '€', '(%)']

  test.each(signs)('%s: only a row with that sign repeats the header', async (sign) => {
    const read = createRowReader(
      {
        ...ruleOf('first'),
        columns: { name: '会社名', location: [sign, 'City'], context: [], identifiers: {} },
      },
      noEarlierNames,
    )
    const header = { kind: 'invalid', reason: 'the row repeats the header' }
    const others = ['', '-', '--', '...', '?', ' ', '*'].flatMap((cell) => [
      [cell, '', ''],
      [cell, cell, cell],
      [cell, '604-8172', 'Kyoto'],
    ])
    const found = await read([
      ['会社名', sign, 'City'],
      ['会社名', sign, ''],
      ['会社名', '', 'CITY'],
      ...others,
    ])
    expect(found.slice(0, 3)).toEqual([header, header, header])
    expect(found.slice(3).filter((one) => 'reason' in one && one.reason === header.reason)).toEqual([])
  })

  test.each(['أسم الشركة', 'Έδρα', 'إسم العميل', 'آدرس'])(
    '%s: a letter with a mark begins a header',
    async (name) => {
      const rule = { ...ruleOf('first'), columns: { name, location: ['City'], context: [], identifiers: {} } }
      expect(await createRowReader(rule, noEarlierNames)([[name, 'City']])).toEqual([
        { kind: 'invalid', reason: 'the row repeats the header' },
      ])
    },
  )
})

describe('a row without a company', () => {
  const rule: LookupRule = {
    columns: {
      name: 'Customer',
      location: ['Street', 'City', 'Country'],
      context: [],
      identifiers: { registration_id: 'TIN' },
    },
    identifierUse: 'first',
    readsNames: true,
  }
  const kindsOf = async (...rows: (string | null)[][]) =>
    (await createRowReader(rule, noEarlierNames)(rows)).map(({ kind }) => kind)
  const free = ['', '', '', null]
  const placed = ['', 'Manila', 'Philippines', null]
  const numbered = ['Via Roma 1', 'Treviglio', 'Italy', '12345678903']

  test.each([
    'Prepared by: Juan dela Cruz',
    'PREPARED BY',
    'Checked by:',
    'Noted by Maria Santos',
    'Approved by: ______________',
    'Reviewed and approved by: J. Reyes',
    'Checked/Verified by: Ana',
    'Inihanda ni: Juan dela Cruz',
    'Erstellt von Hans Müller',
    'Geprüft durch: H. Müller',
    'Établi par : Jean Dupont',
    'Etabli par : Jean Dupont',
    'Sporzadzil: Jan Kowalski',
    'Elaborado por: Ana Pérez',
    'Aprobado por Ana Pérez',
    'Verificato da: Luca Rossi',
    'Gecontroleerd door: Jan Smit',
    'Godkänd av: Eva Berg',
    'Hyväksynyt: Matti Virtanen',
    'Sporządził: Jan Kowalski',
    'Vyhotovil: Jan Novák',
    'Készítette: Nagy Anna',
    'Întocmit: Ion Popescu',
    'Sastavio: Ivan Horvat',
    'Составил: Иванов И. И.',
    'Затвердив: Іваненко',
    'Εγκρίθηκε από: Γ. Παππάς',
    'Hazırlayan: Ayşe Kaya',
    'Disetujui oleh: Budi Santoso',
    'Người lập: Nguyễn Văn A',
    'ผู้จัดทำ: สมชาย',
    '作成者：田中',
    '审核人：王伟',
    '작성자: 김민수',
    'أعده: محمد علي',
    'אושר ע"י: דוד כהן',
    'Imeandaliwa na: Juma',
  ])('a line for a signature names a person, whatever else the row has: %s', async (text) => {
    const others = [free, placed, ['', '30.11.2026', '', null], ['Juan dela Cruz', '', '', null]]
    for (const other of others) expect(await kindsOf([text, ...other])).toEqual(['invalid'])
    expect(await kindsOf(['', text, '', null])).toEqual(['invalid'])
  })

  test.each([
    ['*** Nothing Follows ***', '-- nothing follows --', 'xxx NOTHING FOLLOWS xxx', '- End of List -'],
    [
      'Fin de la liste',
      'Fine elenco',
      'Fim da lista',
      'Listenende',
      'Einde lijst',
      'Koniec listy',
      'Lista vége',
    ],
    [
      'конец списка',
      'кінець списку',
      'Τέλος λίστας',
      'Liste sonu',
      'Hết danh sách',
      '以下余白',
      '이하 여백',
      '列表结束',
    ],
    ['نهاية القائمة', 'סוף הרשימה', 'Akhir laporan', 'Walang kasunod', 'Kraj liste', 'Slut på listan'],
  ])('a line that ends the list has none: %s', async (...texts) => {
    for (const text of texts) expect([text, ...(await kindsOf([text, ...free]))]).toEqual([text, 'invalid'])
  })

  test.each([
    ['FOR VERIFICATION', 'None yet', 'VARIOUS', 'Voided check', 'Same as previous', 'kanselado', 'Hindi pa'],
    ['zu prüfen', 'verschiedene', 'gleiche Firma', 'ungültig', 'à vérifier', 'même société', 'Varios'],
    [
      'por verificar',
      'mismo cliente',
      'cancelado',
      'a verificar',
      'mesma empresa',
      'da verificare',
      'stesso cliente',
    ],
    [
      'te controleren',
      'zelfde klant',
      'ongeldig',
      'do weryfikacji',
      'różni',
      'k ověření',
      'jako výše',
      'za provjeru',
    ],
    [
      'ellenőrizendő',
      'mint fent',
      'de verificat',
      'на проверке',
      'то же самое',
      'отменено',
      'скасовано',
      'разные',
    ],
    [
      'όπως πάνω',
      'ακυρώθηκε',
      'doğrulanacak',
      'aynı firma',
      'untuk verifikasi',
      'seperti di atas',
      'như trên',
    ],
    ['ยกเลิก', 'เหมือนข้างบน', '要確認', '取消', '同社', '상동', '확인 필요', '待核实', '已取消', '同一公司'],
    [
      'للتحقق',
      'ملغى',
      'نفس الشركة',
      'לבירור',
      'מבוטל',
      'כנ"ל',
      'रद्द',
      'বাতিল',
      'imeghairiwa',
      'kama hapo juu',
    ],
  ])('a word for a company that is open, cancelled or the one above is no name: %s', async (...texts) => {
    for (const text of texts)
      expect([text, ...(await kindsOf([text, ...free], [text, ...placed]))]).toEqual([
        text,
        'invalid',
        'invalid',
      ])
  })

  test.each(['Approved by Nature', 'PREPARED BY', '制表', 'Visto Bueno'])(
    'without a sign, a line with a number or a street is the name of a company: %s',
    async (text) => {
      const addressed = ['Jl. Merdeka 5', 'Bandung', 'Indonesia', null]
      expect(await kindsOf([text, ...numbered], [text, ...addressed])).toEqual(['resolution', 'resolution'])
      expect(await kindsOf([text, ...free], [`${text}: J. Doe`, ...addressed])).toEqual([
        'invalid',
        'invalid',
      ])
    },
  )

  test('a mark that is also a name is none in its usual writing, next to no number or street', async () => {
    for (const text of [
      'same',
      '"Same"',
      '*ditto*',
      'DITTO',
      'idem',
      'VOID',
      'void',
      '(Void)',
      'pareho',
      'Wala',
    ])
      expect([text, ...(await kindsOf([text, ...placed]))]).toEqual([text, 'invalid'])
    for (const text of ['Same', 'SAME', 'Ditto', 'Idem', 'Void'])
      expect([text, ...(await kindsOf([text, ...free], [text, ...placed]))]).toEqual([
        text,
        'invalid',
        'resolution',
      ])
    const treviglio = ['', 'Treviglio', 'Italy', null]
    for (const text of ['Wala', 'WALA', 'SAME', 'Same'])
      expect([text, ...(await kindsOf([text, ...treviglio]))]).toEqual([text, 'resolution'])
    for (const text of ['same', 'ditto', 'VOID', 'Same', 'idem', 'Void'])
      expect([text, ...(await kindsOf([text, ...numbered]))]).toEqual([text, 'resolution'])
  })

  test.each([
    'Same Deutz-Fahr',
    'Idem Ltd',
    'Void Studios',
    'Various Artists Records',
    'Ditto Music',
    'Approved by Nature Ltd',
    'Prepared Foods: Norvane',
    'Signed Sealed Delivered',
    'Checkers',
    'Nothing Bundt Cakes',
    'Cancelled Plans LLC',
    'Santos & Conforme',
    'The Verification Company',
    'Verified Credentials',
    'ERI',
    'Vice',
    'Huy',
    'ista',
  ])('a name with such words is one: %s', async (text) => {
    expect(await kindsOf([text, ...free], [text, ...placed])).toEqual(['resolution', 'resolution'])
  })
})

describe('rows with a line of a report instead of a company', () => {
  const alone: LookupRule = {
    columns: { name: 'Name', location: [], context: [], identifiers: {} },
    identifierUse: 'first',
    readsNames: true,
  }
  const withTown = { ...alone, columns: { ...alone.columns, location: ['City'] } }
  const isReportRow = async (of: LookupRule, ...row: (string | null)[]) => {
    const [question] = await createRowReader(of, noEarlierNames)([row])
    return question?.kind === 'invalid' && question.reason.includes('line of a report')
  }

  test.each([
    '© 2024 Norvane Inc.|Copyright (c) 2019, 2026 larkmoor.com, inc. All rights reserved|(C) 2025 Larkmoor|Alle Rechte vorbehalten.',
    'Page 3 of 7|Seite 3 von 7|Strana 1/3|Strona 2 z 9|Página 1 de 4|Page 1 sur 2|Oldal: 2 / 5|Стр. 1 из 3|Pagina 1 di 2|- Sida 1 (2) -|第 1 页 共 3 页',
    'Printed on 01/02/2026 14:05|Generated by SAP on 2026-02-01|Report date: 1 February 2026|Report Date: Feb 1, 2026|Stand: 01.02.2026|Gedruckt am 1.2.2026',
    'Édité le 01/02/2026|Data wydruku: 2026-02-01|Stav ke dni 1. 2. 2026|Vytlačené dňa 01.02.2026|Fecha de impresión: 01/02/2026|Дата печати: 01.02.2026|印刷日 2026/02/01',
    'For internal use only|Streng vertraulich|*** End of report ***|Koniec zostavy',
  ])('%s', async (texts) => {
    for (const text of texts.split('|')) {
      expect([text, await isReportRow(alone, text)]).toEqual([text, true])
      expect([text, await isReportRow(withTown, text, null)]).toEqual([text, true])
      expect([text, await isReportRow(withTown, text, 'Bonn')]).toEqual([text, false])
    }
  })

  test.each([
    'Confidential|Vertraulich|Poufne|Page 3|Strana 2|Seite 4|Same',
    'Hà Nội, ngày 30 tháng 11 năm 2026|Zagreb, 30.11.2026.|Dhaka, 30 November 2026|Paris, le 30 novembre 2026|Berlin, den 30. 11. 2026|Quito, 30 de noviembre de 2026',
  ])('%s, if other rows have more', async (texts) => {
    for (const text of texts.split('|')) {
      expect([text, await isReportRow(withTown, text, null)]).toEqual([text, true])
      expect([text, await isReportRow(alone, text)]).toEqual([text, false])
    }
  })

  test.each([
    'Page 3 Larkmoor|Page & Page|Seite 7 GmbH|Strana 1 s.r.o.|Stand 2000 GmbH|Stand Up Norvane|Copyright Norvane Ltd|Copyright 2000 Ltd',
    'Confidential Larkmoor Inc.|Printed Larkmoor 2026|Printed on Norvane|Generated Norvane Ltd|As of Larkmoor|Tisk Norvane|Bet 365 Norvane|Side 2 Side',
    'Generated by 01.02.2026 GmbH|Created by Larkmoor 2019',
  ])('but not a company: %s', async (names) => {
    for (const name of names.split('|'))
      for (const is of [isReportRow(alone, name), isReportRow(withTown, name, null)])
        expect([name, await is]).toEqual([name, false])
  })
})

describe('rows with a total instead of a company', () => {
  const rule: LookupRule = {
    columns: { name: 'Name', location: ['City', 'Country'], context: [], identifiers: {} },
    identifierUse: 'first',
    readsNames: true,
  }
  const isTotalRow = async (row: (string | null)[], of = rule) => {
    const [question] = await createRowReader(of, noEarlierNames)([row])
    return question?.kind === 'invalid' && question.reason.includes('total')
  }
  const list = (text: string) => text.split('|')

  test.each([
    'TOTAL GENERAL|TOTAL PROVEEDORES: 35|Total proveedores|Total de clientes: 12|Total (EUR)|TOTAL USD 1.200,00',
    'Total TTC|TOTAL HT :|Sous-total Tunis|Sous total Sfax|Total fournisseurs',
    'Gesamtsumme: 12 Firmen|Summe 24|Zwischensumme Köln|Summe EUR|Subtotal Larkmoor branch|Total rows: 5|35 suppliers total',
    '合計|合計 36件|総計（82件）|合計：36社|小計 名古屋市|名古屋市 小計|合计 12 家|總計 5 筆|총계 8건|합계: 12개',
    'Cəmi:|Cəmi: 38|CƏMİ|Ümumi cəmi|ÜMUMİ CƏMİ: 12 ədəd|Genel Toplam|GENEL TOPLAM: 5 firma|TOPLAM|Ara Toplam İzmir|YEKUN',
    'المجموع|المجموع العام|الإجمالي: 12 شركة|جمع کل: ۱۲ شرکت|סה"כ: 5 חברות',
    'Итого: 12 организаций|Итого по Москве|ИТОГО|Разом: 5|Razem: 12 klientów|Celkem 8 firem|Összesen: 5 cég|Ukupno: 12 kupaca',
    'Totali|TOTALI:|Shuma totale|Nëntotali|Nëntotal Tiranë|Totali: 12 klientë|Gjithsej|Shuma: 1.200 lekë',
    'ΣΥΝΟΛΟ|ΓΕΝΙΚΟ ΣΥΝΟΛΟ|ΥΠΟΣΥΝΟΛΟ ΑΘΗΝΑ|Вкупна сума|Меѓузбир Скопје|Вкупно: 5 фирми|Ukupan iznos|Međuzbroj Zagreb|Укупан износ|Обща сума|Υποσύνολο Αθήνα|Συνολικό ποσό',
    'Vse skupaj|Suma totală|Celková částka|Kopsumma|Kogusumma|Kokonaissumma|누계|금일합계|월계|계|이하여백|以下余白|Проміжний підсумок',
    'Tổng cộng: 40 khách hàng|Tổng cộng 12 công ty|Tổng số: 7 nhà cung cấp|Total: 40 clients|Gesamt 42 Kunden|Toplam 42 kayıt',
    '合计42家公司|合計 42 社|총 합계 7개사|Totale: 3 fornitori|Totaal 5 klanten|Всего 40 клиентов|Jumlah: 12 pelanggan',
    'Jumla ndogo|Jumla ndogo Mombasa|Jumla yote|Isamba esiphelele|ንዑስ ድምር|Wadarta guud|Igiteranyo rusange|Jimlar duka',
  ])('%s', async (text) => {
    for (const name of list(text)) expect([name, await isTotalRow([name, null, null])]).toEqual([name, true])
  })

  test('in two languages in one cell', async () => {
    const alone = { ...rule, columns: { ...rule.columns, location: [] } }
    const words = list('Total|Jumla|Ukupno|Итого|الإجمالي|Summe|Suma|合計|Toplam|Grand Total')
    for (const one of words)
      for (const other of words.filter((word) => word !== one))
        for (const text of [
          `${one} / ${other}`,
          `${one}/${other.toUpperCase()}:`,
          `${one} (${other})`,
          `${one} - ${other}`,
        ])
          expect([text, await isTotalRow([text], alone)]).toEqual([text, true])
    for (const name of list(
      'Total / Larkmoor|Total - Norvane|Suma (Velsor)|Toplam / Larkmoor A.Ş.|Ukupno - Norvane d.o.o.',
    ))
      expect([name, await isTotalRow([name], alone)]).toEqual([name, false])
  })

  test.each(['EUR', 'UGX', 'KES', 'PLN', 'XOF', 'kg', 'Shs'])(
    'with the unit %s in brackets',
    async (unit) => {
      for (const name of list('Grand Total|Total|Celkem|Razem|Összesen|Gesamtsumme|Somme')) {
        const text = `${name} (${unit})`
        const isCapital = unit === unit.toUpperCase()
        if (isCapital) expect([text, await isTotalRow([text, 'Bonn', null])]).toEqual([text, false])
        expect([text, await isTotalRow([text, null, null])]).toEqual([text, true])
      }
      const alone = { ...rule, columns: { ...rule.columns, location: [] } }
      expect(await isTotalRow([`Grand Total ${unit}`], alone)).toBe(true)
      expect(await isTotalRow([`Total Larkmoor (${unit})`], alone)).toBe(false)
    },
  )

  test('a vague total with a currency in brackets, in a list of names', async () => {
    const alone = { ...rule, columns: { ...rule.columns, location: [] } }
    for (const unit of ['EUR', 'UGX', 'HUF']) expect(await isTotalRow([`Total (${unit})`], alone)).toBe(true)
    for (const unit of ['Larkmoor', 'Pty', 'Holdings'])
      expect(await isTotalRow([`Total (${unit})`], alone)).toBe(false)
  })

  test('a count alone is a total whose word is in another column', async () => {
    const nouns =
      'klienti|klientų|klientide|klientów|clients|clientes|Kunden|firem|kupaca|организаций|গ্রাহক|ग्राहक'
    for (const noun of list(nouns)) {
      expect([noun, await isTotalRow([`2 ${noun}`, null, null])]).toEqual([noun, true])
      expect([noun, await isTotalRow([`2 ${noun}`, 'Bonn', null])]).toEqual([noun, false])
    }
    for (const name of list('7 Larkmoor|99 Norvane|3 Clients Larkmoor|360 SE|2 in'))
      expect([name, await isTotalRow([name, null, null])]).toEqual([name, false])
  })

  test.each(list('Tổng cộng|Tổng|Cộng|Total|Gesamt|Toplam|Итого|合計|Summe|Celkem'))(
    'a short count below a header of numbers, next to a total: %s',
    async (name) => {
      const numbered = { ...rule, columns: { ...rule.columns, identifiers: { registration_id: 'Number' } } }
      for (const count of ['4', '40', '1204', '1,204', '1.204'])
        expect([count, await isTotalRow([name, null, null, count], numbered)]).toEqual([count, true])
      for (const number of ['542051180', '0101248141', '542.051.180', 'HRB 12'])
        expect([number, await isTotalRow([name, null, null, number], numbered)]).toEqual([number, false])
      expect(await isTotalRow([name, 'Bonn', 'DE', '40'], numbered)).toBe(false)
    },
  )

  const counts =
    '33 asiakasta|5 toimittajaa|120 kupaca|3 kupca|33 клиента|14 klientów|9 zákazníků|7 ügyfél|8 clienți|6 kunder|4 πελάτες|21 müşteri'
  test.each(list(counts))('a count in the column of numbers, next to a total or alone: %s', async (count) => {
    const numbered = { ...rule, columns: { ...rule.columns, identifiers: { registration_id: 'Number' } } }
    for (const name of ['Yhteensä', 'Ukupno', 'Total', 'Summa', 'Celkem', null, ''])
      expect([name, await isTotalRow([name, null, null, count], numbered)]).toEqual([name, true])
    expect(await isTotalRow([null, null, null, `Ukupno ${count}`], numbered)).toBe(true)
    expect(await isTotalRow([`Ukupno ${count}`, null, null, null], numbered)).toBe(true)
    for (const name of ['Norvane', 'Total Larkmoor Oy', 'Larkmoor 33'])
      expect([name, await isTotalRow([name, null, null, count], numbered)]).toEqual([name, false])
    for (const number of ['2200465-3', '33 Norvane', 'FI22004653', '33'])
      expect([number, await isTotalRow([null, null, null, number], numbered)]).toEqual([number, false])
    expect(await isTotalRow(['Total', 'Bonn', null, count], numbered)).toBe(false)
  })

  test('short words for pieces count rows, in lower case and without a place', async () => {
    for (const noun of list(
      'gab.|pcs|pcs.|st|st.|stk.|stuks|szt.|ks|db|buc|kom.|шт.|шт|бр.|vnt.|tk|kpl|τεμ.|adet|ədəd|pz|uds.|un.|pces|უნ|հատ|個|件|개|社|건|cái|sor|cég',
    ))
      for (const text of [`3 ${noun}`, `1 204 ${noun}`, `12${noun}`, `1.204 ${noun}`]) {
        expect([text, await isTotalRow([text, null, null])]).toEqual([text, true])
        expect([text, await isTotalRow([text, 'Bonn', null])]).toEqual([text, false])
        expect([text, await isTotalRow([`Grand Total: ${text}`, null, null])]).toEqual([text, true])
      }
    for (const name of list(
      '21 St|3 STK|4 KS|3 m|7 eleven|3 kom Larkmoor|3D|1 gabs|24 seven|5 db Kft.|99 pcs Shop',
    ))
      expect([name, await isTotalRow([name, null, null])]).toEqual([name, false])
  })

  test('names with words for totals are names', async () => {
    const names =
      'Totali Group|Totalia|Shuma SHPK|Сума ДООЕЛ|월계|Celkom|Zbir d.o.o.|Összes Kft.|누계정밀|Total Energies'
    for (const name of list(names))
      expect([name, await isTotalRow([name, 'Bonn', null])]).toEqual([name, false])
  })

  test('with a count in another column', async () => {
    expect(await isTotalRow(['Cəmi:', '38', null])).toBe(true)
    expect(await isTotalRow(['合計', '36', null])).toBe(true)
    for (const name of list('Total|Summe|Toplam|Celkem|Razem|Samtals|Jumlah'))
      for (const header of ['City', 'Ort', 'Ville', 'Город', '市'])
        for (const count of ['2', '36', '1200', '٣٦']) {
          const of = { ...rule, columns: { ...rule.columns, location: [header, 'Country'] } }
          expect([name, header, count, await isTotalRow([name, count, null], of)]).toEqual([
            name,
            header,
            count,
            true,
          ])
          expect(await isTotalRow([name, count, 'FR'], of)).toBe(false)
        }
  })

  test('a number of a region or country is none of rows', async () => {
    for (const header of ['Region', 'State', 'Country', 'Postal code', 'Département']) {
      const of = { ...rule, columns: { ...rule.columns, location: [header] } }
      expect([header, await isTotalRow(['Total', '75'], of)]).toEqual([header, false])
    }
  })

  test.each([
    'TotalEnergies|Total Produce plc|Totalizator Sportowy|Sum Up Ltd|Summe Larkmoor GmbH|Total Larkmoor|Total Tunisie|Gesamt Norvane|Toplam Larkmoor A.Ş.',
    'Subtotal Larkmoor Ltd|Total Larkmoor 24|合計算機株式会社|小計時器|Всего Доброго|Razem Norvane|Clients First|Lines',
  ])('but not a company: %s', async (text) => {
    for (const name of list(text)) expect([name, await isTotalRow([name, null, null])]).toEqual([name, false])
  })

  test.each(['Total', 'Toplam', 'Summe', '合計', 'Total clients'])('nor %s in a place', async (name) => {
    expect(await isTotalRow([name, 'Paris', 'FR'])).toBe(false)
  })

  test('a word that companies have too is a name in a list of names', async () => {
    const alone = { ...rule, columns: { ...rule.columns, location: [] } }
    expect(await isTotalRow(['Total'], alone)).toBe(false)
    expect(await isTotalRow(['Total clients'], alone)).toBe(false)
    expect(await isTotalRow(['Total clients: 5'], alone)).toBe(true)
  })
})

test.each([
  ['VKN/TCKN', '10000000146', '1234567895'],
  ['Vergi No / T.C. Kimlik No', '10000000146', '1234567895'],
  ['NPWP/NIK', '3174012305850001', '013101234061000'],
  ['NTN/CNIC', '3520212345671', '1234567'],
  ['РНОКПП / ІПН', '2938401234', '143605704021'],
  ['PIB/JMBG', '0101985710006', '100002803'],
  ['Aadhaar / PAN', '234567890124', 'AAACT2727Q'],
  ['Tax ID (NIN)', '12345678901', '00112233-0001'],
  ['PESEL / NIP', '44051401359', '7740001454'],
])('below %s, without a country, the number of a person is not sent', (header, person, company) => {
  const read = (text: string) => chooseNumber([{ header, text }], {})
  expect(read(person)).toMatchObject({ identifier: null, faults: ['person_number'] })
  expect(read(company).faults).not.toContain('person_number')
})

test('A business number of Korea with a wrong check digit is told as such, and not as that of a person', () => {
  for (const [text, faults] of [
    ['124-81-00998', []],
    ['124-81-00997', ['registration_checksum']],
    ['603-81-12345', ['registration_checksum']],
  ] as const)
    for (const place of [{}, { registration_country: 'KR' }])
      expect(
        chooseNumber([{ header: '사업자등록번호', text, personCountries: ['KR'] }], place).faults,
      ).toEqual(faults)
})

describe('A wrong digit in a company number does not make it the number of a person:', () => {
  test.each([
    ['Mã số thuế', '3700081089', null, 'registration_checksum', true],
    ['Mã số thuế', '3700081089', 'VN', 'registration_checksum', true],
    ['MST', '0101248142', 'VN', 'registration_checksum', true],
    ['Mã số thuế', '1018160121', 'KR', 'unknown_country', true],
    ['IČO', '45274640', 'CZ', 'registration_checksum', true],
    // It may be either, and is not sent.
    ['Mã số thuế', '2300325765', null, 'person_or_mistyped', false],
    ['MST', '031589181', 'VN', 'person_or_mistyped', false],
    ['Mã số thuế', '123456789', 'VN', 'person_or_mistyped', false],
    ['IČO', '04198931', 'CZ', 'person_or_mistyped', false],
    // Surely a person's: no company has such digits.
    ['Mã số thuế', '8012345678', 'VN', 'person_number', false],
    ['Mã số thuế', '8012345678-001', 'VN', 'person_number', false],
    ['Mã số thuế', '001180012345-001', null, 'person_number', false],
    ['Mã số thuế', '1180012345', 'VN', 'person_number', false],
    ['Mã số thuế', '1180012345', null, 'person_number', false],
  ] as const)('%s %s in %s', (header, text, country, fault, isSent) => {
    const places = country === null ? {} : { registration_country: country }
    for (const isNamed of [false, true]) {
      const { identifier, faults } = chooseNumber([{ header, text, isNamed }], places)
      expect([identifier !== null, faults]).toEqual([isSent, [fault]])
    }
  })

  test('in all countries whose registers have check digits, no example with a wrong digit is told as that of a person', () => {
    const changeLast = (text: string) => text.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
    const wrong = companyNumbers.flatMap(([country, header, number]) => {
      const text = changeLast(number)
      return hasWrongCheckDigits(country.toLowerCase(), text) ? [{ country, header, text }] : []
    })
    const asPersons = wrong.filter(({ country, header, text }) =>
      chooseNumber([{ header, text }], { registration_country: country }).faults.includes('person_number'),
    )
    expect(wrong.length).toBeGreaterThan(40)
    expect(asPersons).toEqual([])
  })
})

test('Numbers of persons without their zeros, and numbers that a spreadsheet has rounded, are not sent', async () => {
  const numbers = {
    person_number: [
      '912345675001',
      '912345675',
      "'912345675001",
      '912345675001.0',
      'RUC 912345675001',
      '9.12345675001E+11',
    ],
    rounded_number: ['9,12346E+11', '7.99012E+11', '8E+11'],
  }
  for (const [fault, list] of Object.entries(numbers))
    for (const number of list)
      for (const header of ['RUC', 'Identificación Tributaria', 'Company No', 'Tax ID']) {
        const read = (await readNumbers([header], [['Larkmoor', number, 'EC']]))[0]
        expect([header, number, read]).toEqual([header, number, ['Larkmoor', fault]])
      }
})

test.each([
  ['BE', "'0403170701", '0403.170.701'],
  ['BE', '403170701.0', '403170701'],
  ['BE', '="0403170701"', '0403.170.701'],
  ['NO', '923609016.00', '923609016'],
  ['NO', '9.23609016E+8', '923609016'],
  ['EC', '1790016919001.0', '1790016919001'],
  ['EC', "'1790016919001", '1790016919001'],
  ['FR', '552\u2011032\u2011534', '552032534'],
  ['GE', '№204566978', ' 204566978'],
  ['GE', '№ 204566978', ' 204566978'],
  ['GE', 'N204566978', ' 204566978'],
  ['GE', '# 204566978', ' 204566978'],
])('%s: %s is read as %s', async (country, text, number) => {
  const [[name] = []] = await readNumbers(['Company No'], [['Larkmoor', text, country]])
  expect(name?.replace(/[-.](?=\d)/g, '')).toContain(number.replace(/[-.]/g, ''))
})

test.each(
  'BEKBOBCE.0403170701|PLKRS.0000123456|ATFN.123456a|CZOR.00006947|ITRI.00159560366|FR7501.552032534|NLNHR.12345678|LURCSL.B123456|ELGEMI.001037501000|EL GEMI.001037501000|ROONRC.J12/1811/2001'.split(
    '|',
  ),
)('the EUID %s has its country, below any header', (text) => {
  const country = text.slice(0, 2).replace('EL', 'GR')
  for (const header of ['EUID', 'Company number', 'Αρ. ΓΕΜΗ']) {
    const own = chooseNumber([{ header, text }], {})
    expect([header, own.identifier?.place, own.faults]).toEqual([header, country, []])
    const other = chooseNumber([{ header, text }], { registration_country: 'US' })
    expect([header, other.identifier?.place, other.faults]).toEqual([header, country, ['other_country']])
  }
})

test('A tax number of Greece with wrong check digits is told as such', async () => {
  const read = (header: string, text: string, country = 'GR') => {
    const { identifier, faults } = chooseNumber([{ header, text, isNamed: true }], {
      registration_country: country,
    })
    return [identifier?.value, faults.join()]
  }
  const addCheck = (digits: string) => addCheckDigit('gr', digits)
  for (const digits of ['09401924', '80054321', '99823451', '04567890', '10000000']) {
    const right = addCheck(digits)
    for (let last = 0; last < 10; last++) {
      const text = `${digits}${last}`
      const fault = text === right || /0\d\d$/.test(text) ? '' : 'registration_checksum'
      expect(read('ΑΦΜ', text)).toEqual([text, fault])
      expect(read('ΑΦΜ', text, 'CY')).toEqual([text, ''])
    }
  }
  expect(['09401924', '80054321', '09000004'].map(addCheck)).toEqual(['094019245', '800543217', '090000045'])
  // Numbers of the register without their zeros have none.
  expect(read('Αρ. ΓΕΜΗ', '786301000')).toEqual(['786301000', ''])
  // A service that bills is not asked by another text than before.
  expect(await readNumbers(['ΑΦΜ'], [['Acme', '094019241', 'GR']])).toEqual([
    ['Acme', 'registration_checksum'],
  ])
  expect(await readNumbers(['ΑΦΜ'], [['Acme', '094019245', 'GR']])).toEqual([['Acme', 'tax_number']])
})

describe('Below the header of a register, a number of its form', () => {
  const read = (country: string, header: string, text: string) =>
    [{}, { registration_country: country }].map((places) => {
      const { identifier, faults } = chooseNumber([{ header, text, personCountries: [country] }], places)
      return identifier === null ? faults.join() : `${identifier.place ?? ''} ${identifier.value}`
    })
  const both = (text: string) => [text, text]
  const ofGreece = ['1037501000', '5127401000', '31125709000', '001037501000', '1037501002', '786301000']
  const headers = [
    'ΓΕΜΗ',
    'Αρ. ΓΕΜΗ',
    'Αριθμός Γ.Ε.ΜΗ.',
    'αρ.μητρώου γ.ε.μη.',
    'AR_GEMI',
    'GEMI no',
    'ΓΕΜΗ Πελάτη',
  ]

  test.each(headers)('is none of a person, also without its zeros: %s', (header) => {
    for (const number of ofGreece) {
      expect([header, read('GR', header, number)]).toEqual([header, both(`GR ${number}`)])
      expect(read('GR', 'Αριθμός', '15037512348')).toEqual(both('person_number'))
    }
    expect(read('GR', header, '15037512348')).toEqual(both('person_number'))
  })

  test('is the number of an identity card of Greece below none of them', () => {
    for (const header of ['Αριθμός Μητρώου', 'Α.Φ.Μ./Αρ.Ταυτότητας', 'Company number'])
      for (const number of ['ΑΒ 123456', 'AB123456', 'Χ-123456'])
        expect(read('GR', header, number)).toEqual(both('person_number'))
    expect(read('GB', 'Company number', 'SC123456')).toEqual([' SC123456', 'GB SC123456'])
    expect(read('GR', 'Company number', 'SC123456')).toEqual([' SC123456', 'GR SC123456'])
  })

  test.each([
    ['PL', 'REGON', '273189642', ['PL 273189642', 'PL 273189642']],
    ['PL', 'NIP', '27318964212', ['tax_number', 'tax_number']],
    ['FR', 'N° SIRET', '1015834197243', ['FR 1015834197243', 'FR 1015834197243']],
    ['FR', 'Numéro', '1850578006084', ['person_number', 'person_number']],
    ['BG', 'ЕИК', '47285136', ['BG 47285136', 'BG 47285136']],
    ['BG', 'ЕИК', '47285137', ['person_number', 'person_number']],
  ])('of the country %s below %s: %s', (country, header, number, found) => {
    expect(read(country, header, number)).toEqual(found)
  })

  test('has decimals of a spreadsheet', () => {
    expect(cleanNumber('1037501000,00')).toBe('1037501000')
    expect(read('GR', 'Αρ. ΓΕΜΗ', '1.037501E+09')).toEqual(both('rounded_number'))
  })
})

describe('Without a country, a number is wrong only if no country of its header can have it', () => {
  test.each([
    ['RUC', '0799012308001'],
    ['RUC', '799012308001'],
    ['RUC', '1790016919001'],
    ['RUC', '20100070970'],
    ['RUC', '80000519-8'],
    ['RUC', '211003420017'],
    ['RUT', '96511460-2'],
    ['RUT', '890903938-8'],
    ['NIT', '8909039388'],
    ['Org.nr.', '923609016'],
    ['Org.nr.', '5560125790'],
  ])('%s %s', async (header, number) => {
    const digits = /^\d+$/.test(number) ? [`${number}.0`] : []
    for (const text of [number, `'${number}`, ...digits]) {
      const [[name, ...faults] = []] = await readNumbers([header], [['Larkmoor', text]])
      expect([header, number, faults]).toEqual([header, number, []])
      expect(name).toContain('company number')
    }
  })

  test('Below a header of no country, none is', async () => {
    for (const number of [
      '0112038-7',
      '923609017',
      '552032535',
      '799012308001',
      '1234567890123',
      '20100070971',
    ])
      for (const header of ['Company No', 'Reg. No', 'Registration number'])
        expect((await readNumbers([header], [['Larkmoor', number]]))[0]).toEqual([
          `Larkmoor (company number ${number})`,
        ])
  })

  test('A number that no country of its header can have is', async () => {
    expect((await readNumbers(['SIREN'], [['Larkmoor', '552032535']]))[0]?.[1]).toBe('registration_checksum')
    expect((await readNumbers(['RNC'], [['Larkmoor', '101001578']]))[0]?.[1]).toBe('registration_checksum')
  })
})

test.each([
  'RC B 99021',
  'Luxembourg B 99 021',
  'LU-B99021',
  'B 99 021 (Luxembourg)',
  'R.C.S. Lux. B 99.021',
])('a number of Luxembourg written %s is sent in its official form', (text) => {
  const chosen = chooseNumber([{ header: 'N° RCS', text }], { registration_country: 'LU' })
  expect(chosen.identifier).toMatchObject({ place: 'LU', value: 'B99021' })
  expect(chosen.faults).toEqual([])
})

test.each([
  ['LU', 'B112345 / LU20456745', 'B112345'],
  ['LU', 'B99021, B112345', 'B99021 / B112345'],
  ['BE', 'BTW BE 0400.378.485 / BE 0417.497.106', 'BE 0400.378.485 / BE 0417.497.106'],
  ['LU', 'B99021 ex B88310', 'B99021 / B88310'],
  ['FR', 'SIREN 552032534 / SIRET 55203253400646', '552032534'],
  ['CZ', 'IČO 00177041, DIČ CZ00177041', '00177041'],
  ['PL', 'KRS 0000028860 / NIP 7740001454', '0000028860'],
  ['NL', 'KvK 12345678; NL123456789B01', '12345678'],
  ['SE', '556012-5790 och 556016-0680', '556012-5790 / 556016-0680'],
  ['DE', 'HRB 1234 München / DE123456789', 'MÜNCHEN HRB 1234'],
  ['RO', 'J40/372/2002', 'J40/372/2002'],
  ['ZA', '1999/012345/07', '1999/012345/07'],
  ['DE', 'HRB 1234 B, Amtsgericht Charlottenburg', 'CHARLOTTENBURG HRB 1234'],
])('%s: the numbers of %s are %s', (country, text, value) => {
  const chosen = chooseNumber([{ header: 'Reg no', text }], { registration_country: country })
  expect(chosen.identifier).toMatchObject({ place: country, value })
})

test('a cell with the number of a person among others is not sent', () => {
  for (const text of ['556012-5790, 811218-9876', '811218-9876 / 556012-5790'])
    expect(chooseNumber([{ header: 'Org nr', text }], { registration_country: 'SE' })).toMatchObject({
      identifier: null,
      faults: ['person_number'],
    })
})

test.each([
  ['NIT', 'Guatemala', '576937-K', 'GT'],
  ['NIT o DPI', 'GT', '3952550-3', 'GT'],
  ['NIT', 'El Salvador', '0614-010190-101-3', 'SV'],
  ['NRC', 'El Salvador', '2345-1', 'SV'],
  ['N° RC', 'Maroc', '34512', 'MA'],
  ['RTN', 'Honduras', '05019000046046', 'HN'],
  ['RUC', 'Nicaragua', 'J0310000000011', 'NI'],
  ['NIT', 'Bolivia', '1020703023', 'BO'],
  ['NIT', 'Colombia', '890903938-8', 'CO'],
])('a number below %s in a row of %s is of that country', (header, country, text, place) => {
  const chosen = chooseNumber([{ header, text }], { registration_country: country })
  expect(chosen.identifier?.place?.slice(0, 2)).toBe(place)
  expect(chosen.faults).toEqual([])
})

test.each([
  ['NIT', 'Guatemala', '2547896310101'],
  ['RTN', 'Honduras', '08011975012345'],
  ['NIT', 'El Salvador', '01234567-8'],
])('the number of a person below %s in %s is not sent', (header, country, text) => {
  const chosen = chooseNumber([{ header, text }], { registration_country: country })
  expect(chosen).toMatchObject({ identifier: null, faults: ['person_number'] })
})

test.each(
  'CF|C/F|Consumidor Final|s/n|exento|en trámite|isento|ei ole|申請中|x|0|00000|999999-9|قيد التسجيل'.split(
    '|',
  ),
)('a cell of numbers with %s is empty', (cell) => {
  expect(ask({ name: 'Larkmoor', registration_id: cell })).toMatchObject({
    lookup: { name: 'Larkmoor' },
    faults: [],
  })
})

describe('a code that is the short form of another country', () => {
  const lists = [
    ['SR', 'Názov', 'IČO', 'Štát', 'SK'],
    ['CR', 'Název', 'IČO', 'Stát', 'CZ'],
    ['RS', 'Naziv', 'Matična številka', 'Država', 'RS SI BA'],
    ['LR', 'Nosaukums', 'Numurs', 'Valsts', 'LV'],
    ['LR', 'Pavadinimas', 'Kodas', 'Šalis', 'LT'],
    ['TC', 'Ünvan', 'No', 'Ülke', 'TR'],
    ['CR', 'Razón social', 'Cédula jurídica', 'País', 'CR'],
    ['SR', 'Company', 'Reg. No.', 'Country', 'SR'],
    ['CR', 'Company', 'Number', 'Country code', 'CR'],
    ['BH', 'Firma', 'Nr.', 'Land', ''],
    ['RI', 'Nama Perusahaan', 'NPWP', 'Negara', 'ID'],
    ['R.I.', 'Company', 'NIB', 'Country', 'ID'],
    ['RP', 'Nazwa firmy', 'Numer', 'Państwo', 'PL'],
    ['RP', 'Company', 'Number', 'Country', 'RP'],
    ['РБ', 'Фирма', 'ЕИК', 'Държава', 'BG'],
    ['РБ', 'Наименование', 'Номер', 'Страна', 'РБ'],
  ] as const
  test.each(lists)('%s below %s, %s, %s is %s', (code, name, number, country, expected) => {
    const rule: LookupRule = {
      columns: {
        name,
        location: [country],
        context: [],
        identifiers: { registration_id: number, registration_country: country },
      },
      identifierUse: 'first',
      readsNames: true,
    }
    const { identifiers } = toRowCells(rule, ['Larkmoor', code, 'A1', code])
    const found = identifiers.registration_country ?? ''
    if (expected.includes(' ')) expect([...expected.split(' '), '']).toContain(found)
    else expect(found).toBe(expected)
  })
})

describe('Letters in front of a number', () => {
  const header = 'Reg No'
  const read = (text: string) => chooseNumber([{ header, text }], {})
  const close = (text: string) => text.toUpperCase().replace(/[^A-Z\d]/g, '')
  /** Names of numbers of persons, taxes and other lists, and letters that name nothing. */
  const letters = fc.constantFrom(
    'CPR',
    'NIN',
    'NIR',
    'CNP',
    'RG',
    'DNI',
    'TAN',
    'IF',
    'PVT',
    'CAC',
    'BN',
    'PIC',
  )
  const year = fc.integer({ min: 1900, max: 2029 }).map(String)
  const serial = fc.integer({ min: 100, max: 999_999 }).map(String)

  test('are a part of a year and a serial number', () => {
    forAll(
      200,
      [letters, fc.constantFrom('/', '-', ' '), fc.constantFrom('/', '-'), year, serial],
      (...parts) => {
        const [word, sign, between, ...digits] = parts
        const text = word + sign + digits.join(between)
        const { identifier, faults } = read(text)
        expect([text, close(identifier?.value ?? ''), faults]).toEqual([text, close(text), []])
      },
    )
  })

  test.each(['CPR200912345', 'cpr 2009/12345', 'C.P.R. 2009/12345', 'CPR No. 2009/12345', 'CPR: 2011-55555'])(
    'are a part of %s',
    (text) => {
      const digits = close(text).replace(/\D/g, '')
      expect(close(read(text).identifier?.value ?? '')).toBe(`CPR${digits}`)
    },
  )

  test.each(['C.98302', 'C/98302', 'C.8/22', 'C 1234', 'E.123/2010'])('are a part of %s', (text) => {
    expect(close(read(text).identifier?.value ?? '')).toBe(close(text))
  })

  test.each([
    'CPR 010203-1234',
    'CPR-0102031234',
    'CPR2009123456',
    'CPR 1990-01-01',
    'SSN 123-45-6789',
    'NIN 12345678901',
    'NIR 1 85 05 78 006 084 36',
    'CNP 1850101221144',
    'BSN 201234567',
    'DNI 20123456',
  ])('are a name of the number of a person in %s, which is not sent', (text) => {
    expect(read(text)).toMatchObject({ identifier: null })
  })

  test.each([
    ['Reg. 2010/012345/07', '2010/012345/07'],
    ['Company No. 2010/012345/07', '2010/012345/07'],
    ['ACN 004 085 616', '004 085 616'],
    ['KvK-12345678', '12345678'],
    ['CVR-61056416', '61056416'],
  ])('are a name of company numbers in %s', (text, number) => {
    expect(read(text).identifier?.value).toBe(number)
  })
})

test('Rows whose submissions differ have different keys', () => {
  const number = fc.constantFrom(
    'CPR/2009/12345',
    'CPR-2009-12345',
    '2009/12345',
    'PVT-ABC123',
    'HRB 123 B',
    '05467312',
  )
  const place = fc.constantFrom('KE', 'DE', 'Kenya', 'Kisumu, Kenya', 'KE ', '')
  const text = fc
    .tuple(fc.constantFrom('Larkmoor', 'LARKMOOR', 'Norvane Ltd'), number, place)
    .chain(([name, own, country]) =>
      fc.constantFrom<Row>(
        { name, registration_id: own, registration_country: country },
        { name, registration_id: own, city: country },
        { name: `${name} (company number ${own})`, city: country },
        { name: `${name} (company number ${country} ${own})` },
        { name, notes: `company number ${own}`, city: country },
        { name: `company number ${own}`, city: country },
        { name: null as never, registration_id: own, city: country },
        { name, city: own, registration_country: country },
      ),
    )
  const fold = ({ lookup }: Exclude<RowQuestion, { kind: 'invalid' }>) =>
    [lookup.name, lookup.location, lookup.context].map((part) => (part ?? '').normalize('NFKC').toLowerCase())
  forAll(500, [text, text, fc.constantFrom<IdentifierUse>('first', 'context')], (one, other, use) => {
    const [a, b] = [ask(one, use), ask(other, use)]
    if (a.kind === 'invalid' || b.kind === 'invalid') return
    const [key, otherKey] = [a, b].map((question) => Buffer.from(toKeyedLookup(question).key).toString('hex'))
    expect(key === otherKey).toBe(JSON.stringify(fold(a)) === JSON.stringify(fold(b)))
    // The same text is read as the same identifiers, whatever its case.
    if (key === otherKey && use === 'first')
      expect(readIdentifiers(a.lookup.name).identifiers).toEqual(readIdentifiers(b.lookup.name).identifiers)
  })
})

test.each([
  [
    'registered mail',
    'hs01.kep.tr hs03.kep.tr kep.example.kep.tr arubapec.it cert.legalmail.it postecert.it firma.de-mail.de incamail.com',
  ],
  [
    'mail in Türkiye',
    'hotmail.com.tr yandex.com.tr outlook.com.tr turk.net ttnet.net.tr superposta.com mynet.com',
  ],
  ['mail elsewhere', 'outlook.pt outlook.co.th hotmail.gr hotmail.co.jp live.com.ar yahoo.com.co yahoo.hu'],
])('a host of %s is no website of a company: %s', (_kind, hosts) => {
  for (const host of hosts.split(' ')) expect([host, classifyHost(host)]).toEqual([host, 'mail provider'])
  expect(classifyDomain('hs01.kep.tr')).toBe('mail provider')
  for (const host of ['kep.com.tr', 'example.com.tr', 'www.kepler.tr', 'pec.example.it'])
    expect([host, classifyHost(host)]).toEqual([host, null])
})
