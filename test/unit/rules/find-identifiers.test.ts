import { describe, expect, test } from 'vitest'
import { detectColumns } from '../../../src/pipeline/input/detect-columns.js'
import { formatColumnLines } from '../../../src/cli/terminal/lookup-text.js'
import { parseIdColumns } from '../../../src/config/option.js'
import type { IdentifierColumns } from '../../../src/core/identifiers.js'
import { listLookupColumns, type NamedColumns } from '../../../src/pipeline/input/columns.js'
import { IdentifierCounts, reportColumns } from '../../../src/pipeline/input/column-report.js'
import { createRowReader, noEarlierNames } from '../../../src/pipeline/input/row-reader.js'
import { listNumberKeys } from '../../../src/core/header-words.js'
import {
  findContentFault,
  isTaxHeader,
  listRegisterCountries,
  rankHeader,
} from '../../../src/pipeline/input/identifier-content.js'
import { findDocumentCountries } from '../../../src/pipeline/input/find-identifiers.js'
import headerWords from '../../../src/core/headers.json' with { type: 'json' }
import { UserError } from '../../../src/core/errors.js'
import { closeNumber } from '../../../src/core/numbers/national-numbers.js'
import { toRowCells, toRowQuestion } from '../../../src/pipeline/input/row-question.js'
import { companyNumbers } from '../manual/numbers-page.js'

const leis = ['HWUPKR0MPOU8FGXBT394', 'INR2EJN1ERAN0W5ZP974', '7LTWFZYICNSX8D621K86']
const badLeis = leis.map((one) => one.replace(/.$/, (digit) => String((Number(digit) + 1) % 10)))
const names = ['Acme', 'Bolt', 'Cera', 'Dyne', 'Echo', 'Flux']
const emails = ['a@acme.com', 'b@bolt.io', 'c@cera.de']

type Table = Record<string, readonly string[]>
const samplesOf = (table: Table) => new Map(Object.entries(table))
const found = (table: Table, asked: NamedColumns = {}) =>
  detectColumns(Object.keys(table), asked, samplesOf(table))
const told = (table: Table) => {
  const rule = { columns: found(table), identifierUse: 'first', readsNames: true } as const
  return reportColumns(Object.keys(table), rule, samplesOf(table))
}
const whyNot = (table: Table, column: string) => told(table).unused.find((one) => one.column === column)?.why

test.each([
  ['Sito Internet', ['bosch.com', 'eni.com', 'telefonica.es']],
  ['Site', ['itau.com.br', 'www.vale.com', 'petrobras.com.br']],
  ['Internetz', ['bosch.com', 'https://eni.com', 'telefonica.es']],
])('A column of home pages is used below %s, also with bare domains', (column, cells) => {
  const company = ['Bosch', 'Eni', 'Telefonica', 'Itaú', 'Vale', 'Petrobras']
  expect(found({ company, [column]: cells }).identifiers).toEqual({ website: column })
})

describe('A header of numbers is known with each writing of "number"', () => {
  const { earlier, added, others } = headerWords
  const split = (...lists: object[]) =>
    lists
      .flatMap((one) => Object.values<string | string[]>({ ...one }).flat())
      .flatMap((text) => text.split('|'))
  const numbers = split(earlier.numbers, added.countryNumbers, [...earlier.anyNumbers, ...added.numbers])
  const words = 'number|nummer|numéro|número|numero|numer|broj|номер|αριθμός|nomor|numurs|nr|no|n'
  const isNumber = new RegExp(`(?:^(?:${words})\\s|\\s(?:${words})$)`, 'iu')
  const writings = ['N°', 'Nº', 'No.', 'nr', 'Nr.', 'num', 'nro', 'č.', 'br.', 'Αρ.', '№', '#']

  test.each(numbers.filter((header) => isNumber.test(header) && !header.startsWith('enterprise')))(
    '%s',
    (header) => {
      const countries = listRegisterCountries(header)
      for (const word of writings) {
        const other = header.replace(isNumber, (text) => text.replace(/\S+/u, word))
        expect([other, rankHeader('registration_id', other) >= 0]).toEqual([other, true])
        const found = listRegisterCountries(other)
        // Some are written so in any country too: `HR Nummer`.
        if (found.length > 0) expect([other, ...found]).toEqual(expect.arrayContaining([other, ...countries]))
      }
    },
  )

  test.each([
    ...[
      "N° d'entreprise",
      "No d'entreprise",
      'N° entreprise',
      'Ondernemingsnr.',
      'Ondernemingsnr',
      'KBO-nr',
      'KBO nr.',
    ],
    ...[
      'SIREN nr',
      'Org.nr',
      'Y-tunnus nro',
      'Handelsregisternr.',
      'Nr. identificare',
      'Mat. br.',
      'Matični br.',
    ],
    ...[
      '№ ЕДРПОУ',
      'KvK nr',
      'KvK-nummer',
      'CVR-nr.',
      'CVRnr',
      'KBOnr',
      '法人号',
      '登録No.',
      'Tax no',
      'NIP nr',
      'CUIN',
      'CUIN No.',
      'SECP No.',
      'SECP Reg. No',
      'Corporate Unique Identification No',
      'RJSC No.',
      'STIR',
      'СТИР',
      'БСН',
    ],
  ])('%s', (header) => {
    expect(rankHeader('registration_id', header)).toBeGreaterThanOrEqual(0)
  })

  test.each([
    'Customer No',
    'Kundennr.',
    'N° client',
    'House no',
    'Phone no.',
    'Order #',
    'Nombre',
    'P.nr',
    'Str. Nr',
  ])('%s is no header of company numbers', (header) => {
    expect(rankHeader('registration_id', header)).toBe(-1)
  })

  test('of other numbers too, which are listed', () => {
    for (const header of ['DUNS nr', 'EORI-nr.', 'N° EORI', 'PAN #', 'GST nr'])
      expect(told({ company: names, [header]: ['1', '2'] }).unused.map(({ column }) => column)).toEqual([
        header,
      ])
    for (const header of split(others)) expect(listNumberKeys(header)).toEqual([])
  })
})

test.each([
  ...[
    'Party Name',
    'party_name',
    'Party',
    'Name of Party',
    'Ledger Name',
    'A/c Name',
    'Customer/Vendor Name',
  ],
  ...['Sold-to party name', 'Nombre del tercero', 'पार्टी का नाम', '对方单位名称', 'Kunde/Lieferant'],
])('A column of companies is used: %s', (header) => {
  expect(found({ id: ['1', '2'], [header]: ['Acme', 'Bolt'] }).name).toBe(header)
})

test.each(['Company #', 'Customer #'])('A column of numbers is not one of names: %s', (header) => {
  expect(found({ [header]: ['C-1', 'C-2'], Supplier: ['Acme', 'Bolt'] }).name).toBe('Supplier')
})

test.each(['thai', 'arab', 'arabext', 'deva', 'fullwide'])(
  'A column of company numbers is used whatever digits they are written in: %s',
  (script) => {
    const write = (value: number) =>
      new Intl.NumberFormat(`en-u-nu-${script}`, { useGrouping: false }).format(value)
    const numbers = [7_001_234_567, 7_009_876_543, 7_015_550_001].map(write)
    expect(found({ company: names.slice(0, 3), 'Registration number': numbers }).identifiers).toEqual({
      registration_id: 'Registration number',
    })
    expect(() => found({ 'Tax no': numbers })).toThrow(UserError)
  },
)

test.each([
  ['Datei', ['bosch.pdf', 'eni.xlsx', 'telefonica.docx']],
  ['Quelle', ['handelsregister.de', 'unternehmen24.info', 'northdata.com']],
])('Names with a point that are no home pages of the companies are not used: %s', (column, cells) => {
  expect(found({ company: ['Bosch', 'Eni', 'Telefonica'], [column]: cells }).identifiers).toEqual({})
})

test.each([
  ['CUIT', ['30-67332056-9', '30-54724233-1', '33-69345023-9']],
  ['RUC', ['20100070970', '20331898008', '20100128056']],
  ['NIT', ['860.068.182-5', '890903938-8', '899999068']],
  ['RFC del cliente', ['BSC940905F38', 'LEM170208SB6', 'GBI970521AB1']],
  ['RUT', ['93.834.000-5', '76.129.263-3', '90.690.000-9']],
  ['GSTIN', ['27AAACR5055K1Z7', '27AAACT2727Q1ZW', '29AAACI1681G1ZK']],
  ['السجل التجاري', ['4032005233', '1010010030', '2050001234']],
])('Numbers under which the LEI registers hold companies are used: %s', (column, cells) => {
  expect(found({ company: names, [column]: cells }).identifiers).toEqual({ registration_id: column })
})

test.each([
  [{ Kraj: ['Moravskoslezský', 'Praha', 'Zlínský'], Země: ['Česko', 'Polsko', 'Česko'] }, ['Kraj', 'Země']],
  [{ Kraj: ['Novo mesto', 'Zagreb', 'Dunaj'], Država: ['SI', 'HR', 'AT'] }, ['Kraj', 'Država']],
  [
    { Občina: ['Mirna', 'Krško'], Pošta: ['Mirna', 'Krško'], 'Poštna št.': ['8233', '8270'] },
    ['Pošta', 'Poštna št.'],
  ],
  [{ City: ['Pune'], PIN: ['411001', '411 014', '411045'] }, ['City', 'PIN']],
  [{ City: ['Nairobi'], PIN: ['P051234567A', 'P051234568B', 'P051234569C'] }, ['City']],
  [{ Kraj: ['Polska', 'Niemcy', 'Polska'] }, ['Kraj']],
  [{ İlçe: ['Kadıköy'], Şehir: ['İstanbul', 'Berlin', 'Paris'] }, ['Şehir']],
  [{ Ort: ['Bonn'], City: ['Bonn', 'Paris', 'Rome'] }, ['City']],
  [{ Ort: ['Bonn', 'Köln', 'Ulm'], City: ['Bonn', 'Cologne', 'Ulm'] }, ['Ort']],
])('Of two columns for one part of a place, a clear and filled one is used: %j', (places, location) => {
  const table: Table = { company: names, ...(places as Table) }
  expect(found(table).location).toEqual(location)
})

test.each<[string, string[], string | null]>([
  ['UID-Nr.', ['ATU14189108', 'IT00159560366', 'IT07973780013', 'CZ00177041'], null],
  ['UID', ['CHE-105.909.036 MWST', 'CHE-116.281.710', 'CHE-101.602.521'], null],
  ['UID-Nr.', ['ATU14189108', 'ATU37675002', 'DE129274202'], 'its numbers contain no company numbers'],
  ['UID', ['1001', '1002', '1003'], 'most cells are not company numbers of CH'],
])('Cells decide what UID means: %s, %j', (column, cells, why) => {
  const table = { company: names, [column]: cells }
  expect(found(table).identifiers).toEqual(why === null ? { registration_id: column } : {})
  if (why !== null) expect(whyNot(table, column)).toBe(why)
})

describe('identifiers are found by header', () => {
  test.each<[string, string, string[]]>([
    ['lei', 'LEI Code', leis],
    ['lei', 'Legal Entity Identifier', []],
    ['cik', 'CIK', ['320193', '0000789019', '1318605']],
    ['registration_id', 'Handelsregisternummer', ['HRB 86891', 'HRB 42243', 'HRA 1']],
    [
      'registration_id',
      'Handelsregister',
      ['HRB 6684 (AG München)', 'HRB 1, Amtsgericht Köln', 'D2601V HRB 2'],
    ],
    ['registration_id', 'CNPJ/Tax ID', ['33.000.167/0001-01', '94-2404110']],
    ['registration_id', 'CNPJ__c', ['33.000.167/0001-01', '94-2404110']],
    ['registration_id', 'CNPJ (Tax ID)', ['33.000.167/0001-01']],
    ['registration_id', 'CNPJ/CPF', ['33.000.167/0001-01']],
    ['registration_id', 'Customer CNPJ', ['33.000.167/0001-01']],
    ['registration_id', 'SIREN ou SIRET', ['552032534', '55203253400646']],
    ['registration_id', 'Tax ID / EIN', ['94-2404110', '911144442']],
    ['registration_id', 'Partita IVA', ['IT00488410010', '00488410010']],
    ['registration_id', 'N° TVA', ['FR40552032534']],
    ['registration_id', 'VAT', ['DE129274202', 'NO 923 609 016 MVA']],
    ['registration_id', 'KvK-nummer', ['33002587', '17014545', '24269920']],
    ['registration_id', 'Numéro SIREN', ['552 100 554', '542051180', '552032534']],
    ['registration_id', 'IČO', ['45274649', '00177041', '26185610']],
    ['registration_id', 'Org.nr', ['556012-5790', '556016-0680', '556042-7220']],
    ['registration_id', '法人番号', ['1180301018771', '6010401059728', '5010401067252']],
    ['registration_id', 'Company Number', ['00445790', 'SC095237', '02366995']],
    ['ein', 'FEIN', ['94-2404110', '911144442', '13-4994650']],
    ['bic', 'SWIFT Code', ['DEUTDEFF', 'BNPAFRPPXXX', 'CHASUS33']],
    ['ticker', 'Stock Symbol', ['AAPL', 'BRK.B', 'NYSE: T']],
    ['website', 'Página web', ['acme.com', 'https://bolt.io/es', 'n/a']],
    ['website', 'Domain', ['acme.com', 'bolt.io', 'cera.de']],
    ['email', 'Correo electrónico', emails],
    ['email', 'E-Mail', [...emails, 'd@gmail.com']],
  ])('%s by %s', (key, column, cells) => {
    const { name, identifiers } = found({ company: names, [column]: cells })
    expect(name).toBe('company')
    expect(identifiers).toMatchObject({ [key]: column })
  })

  test('of several columns the best header is taken, and the others are reported', () => {
    const table = { company: names, url: ['a.com', 'b.com', 'c.com'], Website: ['d.com', 'e.com', 'f.com'] }
    expect(found(table).identifiers).toEqual({ website: 'Website' })
    expect(whyNot(table, 'url')).toBe('Website is used')
  })

  test('without names, identifiers are asked; without either, it is an error', () => {
    expect(found({ LEI: leis, city: ['Bonn'] })).toMatchObject({
      name: null,
      location: ['city'],
      identifiers: { lei: 'LEI' },
    })
    expect(found({ domain: ['a.com', 'b.com'] })).toMatchObject({
      name: null,
      identifiers: { website: 'domain' },
    })
    expect(() => found({ city: ['Bonn'], phone: ['+49 228 1'] })).toThrow(UserError)
    expect(() => found({ LEI: leis }, { identifiers: 'none' })).toThrow(UserError)
  })
})

test.each([
  ['USt-IdNr./Steuernr.', ['DE129274202', 'DE129273398'], 'VAT number', /no company numbers/],
  ['VAT', ['GB220430231', 'ATU12345678'], 'VAT number', /no company numbers/],
  ['Parent SIREN', ['552032534', '542051180'], 'company number', /another party/],
])('%s is reported as not used, with the reason', (column, cells, kind, why) => {
  const table = { company: names, [column]: cells }
  expect(found(table).identifiers).toEqual({})
  expect(told(table).unused.find((one) => one.column === column)).toMatchObject({ kind })
  expect(whyNot(table, column)).toMatch(why)
})

describe('A column of tax numbers that is not used', () => {
  const lists: [string, string[]][] = [
    ['GH', ['C0001234567', 'C0002345678', 'C0003456789']],
    ['PH', ['123-456-789-000', '234-567-890-000', '345-678-901-001']],
    ['NG', ['12345678-0001', '23456789-0001', '34567890-0001']],
    ['TZ', ['123-456-789', '234-567-890', '345-678-901']],
    ['BD', ['123456789012', '234567890123', '345678901234']],
  ]

  test.each(lists)('is called one of tax numbers, not of VAT numbers: %s', (country, cells) => {
    for (const header of ['TIN', 'Tax ID', 'Taxpayer ID', 'Tax number']) {
      const table = { company: names.slice(0, 3), [header]: cells, country: [country, country, country] }
      expect([header, told(table).unused]).toMatchObject([header, [{ column: header, kind: 'tax number' }]])
    }
    for (const header of ['VAT number', 'Momsnummer', 'btw-nr.', 'P.IVA']) {
      const table = { company: names.slice(0, 3), [header]: cells.map((cell) => cell.slice(-9)) }
      const kinds = told(table).unused.map(({ kind }) => kind)
      expect([header, kinds]).toEqual([header, kinds.map(() => 'VAT number')])
    }
  })

  test('is one of VAT numbers if the cells are', () => {
    const table = { company: names.slice(0, 2), 'Tax ID': ['DE129274202', 'ATU12345678'] }
    expect(told(table).unused).toMatchObject([{ column: 'Tax ID', kind: 'VAT number' }])
  })

  test('has no cell in a short list; the first cells of a long list may be empty', () => {
    const list = (count: number): Table => ({
      company: Array.from(Array(count), (_, at) => `Larkmoor ${at}`),
    })
    for (const header of ['TIN', 'Tax ID', 'VAT', 'NIF', 'ИНН']) {
      expect(found({ ...list(3), [header]: [] }).identifiers).toEqual({})
      expect(found({ ...list(200), [header]: [] }).identifiers).toEqual({ registration_id: header })
    }
  })
})

test.each(['BD', 'LK', 'EG'])(
  'A reason names the country of the rows, not that of the header: %s',
  (country) => {
    const table = {
      company: names.slice(0, 3),
      BIN: ['1234567890123', '1234567890124', '0012345678-0101'],
      country: [country, country, country],
    }
    expect(whyNot(table, 'BIN')).toContain(country)
  },
)

test('a column of courts completes the numbers', () => {
  const table = {
    Firma: names,
    Handelsregister: ['HRB 6684', 'HRB 7'],
    Registergericht: ['München', 'AG Kiel'],
  }
  expect(found(table).identifiers).toEqual({
    registration_id: 'Handelsregister',
    registration_court: 'Registergericht',
  })
})

test.each([
  ['Numéro RC', 'Tribunal'],
  ['RC', 'Tribunal de commerce'],
  ['RC', 'Ville RC'],
  ['Company number', 'Greffe'],
  ['Matrícula mercantil', 'Cámara de comercio'],
  ['Numéro RC', 'Centre RC'],
  ['السجل التجاري', 'المحكمة'],
  ['Cégjegyzékszám', 'Cégbíróság'],
])('the numbers of %s get their court from %s', (column, court) => {
  const table = {
    Nom: names,
    [column]: ['34512', '40327'],
    [court]: ['Tanger', 'Casablanca'],
    Pays: ['MA', 'MA'],
  }
  expect(found(table, { identifiers: { registration_id: column } }).identifiers).toEqual({
    registration_id: column,
    registration_country: 'Pays',
    registration_court: court,
  })
})

describe('Numbers of accounts and customers are no company numbers', () => {
  const accounts =
    'A/C|A/C No.|A/C Number|Bank A/C No|Loan A/C No.|Account No.|Account Number|Acct No|Konto-Nr.|Kontonummer|N° de compte|Número de cuenta|Número da conta|Numero di conto|Rekeningnummer|Kontonr|Tilinumero|Numer rachunku|Číslo účtu|Számlaszám|Nr. cont|Broj računa|Žiro račun|TRR|Број рачуна|Банкова сметка|Расчетный счет|Номер рахунку|Αριθμός λογαριασμού|Hesap No|Hesab nömrəsi|رقم الحساب|شماره حساب|מספר חשבון|口座番号|账号|계좌번호|เลขที่บัญชี|Số tài khoản|STK|No. rekening|No. akaun|হিসাব নম্বর|खाता संख्या|IBAN'
  const customers =
    'Customer ID|Customer No|Cust No|Client ID|Party Code|Kundennummer|N° client|Código cliente|Codice cliente|Klantnummer|Kundnr|Asiakasnumero|Kod klienta|Číslo zákazníka|Ügyfélszám|Cod client|Šifra partnera|Šifra kupca|Код клиента|Κωδικός πελάτη|Müşteri No|Cari kod|رقم العميل|מספר לקוח|顧客番号|客户编号|고객번호|รหัสลูกค้า|Mã KH|Mã khách hàng|Kode pelanggan|গ্রাহক নম্বর'
  test.each([...accounts.split('|'), ...customers.split('|')])('%s', (header) => {
    expect([header, rankHeader('registration_id', header)]).toEqual([header, -1])
    const table = {
      company: names.slice(0, 3),
      [header]: ['0112345678901', '0112345678902', '0112345678903'],
    }
    for (const hasTaxNumbers of [false, true]) expect(found(table, { hasTaxNumbers }).identifiers).toEqual({})
  })

  test('Numbers of rows are no tax numbers', () => {
    for (const header of ['ক্রঃ নং', 'ক্রমিক নং', 'ক্রমিক']) {
      const table = { company: names.slice(0, 3), [header]: ['1', '2', '3'] }
      expect([header, found(table, { hasTaxNumbers: true }).identifiers]).toEqual([header, {}])
    }
    expect(rankHeader('registration_id', 'BR No.')).toBeGreaterThanOrEqual(0)
  })

  test.each([
    ['CIF0045567|CIF0045568|CIF0045569', false],
    ['12345678|22345671|32345670', false],
    ['B12345674|A58818501|B83120154', true],
    ['RO12345674|12345674|RO361757', true],
  ])('CIF is a tax number of Spain or Romania only if most of its cells are: %s', (cells, isUsed) => {
    for (const header of ['CIF', 'CIF No', 'CIF ID'])
      for (const hasTaxNumbers of [false, true]) {
        const table = { company: names.slice(0, 3), [header]: cells.split('|') }
        expect(Object.values(found(table, { hasTaxNumbers }).identifiers)).toEqual(isUsed ? [header] : [])
      }
  })

  test('A trade licence is one of no certain country, and comes after the number of a register', () => {
    const headers = ['Trade License', 'Trade Licence No.', 'RJSC Reg. No']
    expect(headers.map((header) => listRegisterCountries(header))).toEqual([[], [], ['BD']])
    const table = {
      company: names.slice(0, 3),
      'Trade License No': ['TRAD/CCC/998', 'TRAD/DSCC/123', 'TRAD/DNCC/77'],
      'A/C No.': ['0112345678901', '0112345678902', '0112345678903'],
      'RJSC Reg. No': ['C-12345/12', 'C-23456/13', 'C-34567/14'],
    }
    expect(found(table).identifiers).toEqual({
      registration_id: 'RJSC Reg. No',
      registration_id_2: 'Trade License No',
    })
  })

  test('A VAT number of Bangladesh is not compared with numbers of Kazakhstan', () => {
    const table = { company: names.slice(0, 3), BIN: ['001234567-0101', '001234568-0101', '001234569-0101'] }
    expect(found(table).identifiers).toEqual({})
    expect(whyNot(table, 'BIN')).toBe('its numbers contain no company numbers')
  })
})

test.each([
  ['Mã thuế|Số GCN ĐKDN|Số giấy CN ĐKDN', ['VN'], false],
  ['Commercial Register No.|Commercial Register', ['SA'], false],
  ['Porezni identifikacijski broj|Porezni broj', ['BA', 'HR'], true],
  ['Tax Card No|ب.ض|رقم ت.ض|بطاقة ضريبية|Tax Code|বিন নং|টিন নং', [], true],
  ['Matični br. / OIB|OIB / Matični broj', ['HR'], false],
])('%s: numbers of %j', (headers, countries, isTax) => {
  for (const header of headers.split('|'))
    expect([header, listRegisterCountries(header), isTaxHeader(header)]).toEqual([header, countries, isTax])
})

describe('Columns that the user names', () => {
  const table = {
    Firma: names,
    'USt-IdNr': ['DE129274202', 'DE811907980'],
    'HRB-Nr': ['HRB 6684', 'HRB 7'],
    SIREN: ['552032534'],
    Registergericht: ['München', 'AG Kiel'],
    Land: ['DE', 'DE'],
  }

  test.each([
    ['USt-IdNr', { registration_country: 'Land' }],
    ['HRB-Nr', { registration_country: 'Land', registration_court: 'Registergericht' }],
    ['SIREN', { registration_country: 'Land' }],
  ])('Only a number of a German register gets a court: %s', (column, places) => {
    expect(found(table, { identifiers: { registration_id: column } }).identifiers).toEqual({
      registration_id: column,
      ...places,
    })
  })

  test('The reason against another column names the column in use', () => {
    const asked = { identifiers: { registration_id: 'USt-IdNr' } }
    const rule = { columns: found(table, asked), identifierUse: 'first', readsNames: true } as const
    const { unused } = reportColumns(Object.keys(table), rule, samplesOf(table))
    expect(unused.find(({ column }) => column === 'HRB-Nr')).toMatchObject({ why: 'USt-IdNr is used' })
    const none = { ...rule, columns: { ...rule.columns, identifiers: {} } }
    const report = reportColumns(Object.keys(table), none, samplesOf(table))
    expect(report.unused.find(({ column }) => column === 'HRB-Nr')).toEqual({
      column: 'HRB-Nr',
      kind: 'company number',
    })
  })
})

describe('cells decide', () => {
  test.each<[string, string, string[], RegExp]>([
    ['an LEI whose check digits are wrong', 'LEI', badLeis, /check digits/],
    ['an LEI column of numbers', 'lei', ['1', '2', '3'], /check digits/],
    [
      'a phone in a number column',
      'Company Number',
      ['+44 20 7946 0958', '020 7946 0958', '(020) 79'],
      /form/,
    ],
    ['a date in a number column', 'Registration No', ['2024-01-02', '03.04.2021', '1/2/2020'], /form/],
    ['words in a CIK column', 'CIK', ['none given', 'x', 'y'], /form/],
    ['names in a ticker column', 'Ticker', ['Apple Incorporated', 'Bolt Limited', 'C D E'], /form/],
    ['names in a website column', 'Website', ['yes', 'no', 'no'], /form/],
    ['mail providers', 'Email', ['a@gmail.com', 'b@gmx.de', 'c@qq.com'], /mail providers/],
    [
      'profiles',
      'URL',
      ['https://linkedin.com/company/a', 'https://www.linkedin.com/company/b', 'https://fb.com/c'],
      /share/,
    ],
    ['one domain for all names', 'Email', names.map((name) => `${name}@keeper.com`), /the same domain/],
  ])('%s', (_, column, cells, why) => {
    const table = { company: names, [column]: cells }
    expect(found(table).identifiers).toEqual({})
    expect(whyNot(table, column)).toMatch(why)
  })

  test('one domain for one name is its own', () => {
    const table = { company: names.map(() => 'Acme'), Email: names.map((name) => `${name}@acme.com`) }
    expect(found(table).identifiers).toEqual({ email: 'Email' })
  })

  test('a symbol is one of an exchange only where an exchange is named', () => {
    const elements = ['H', 'He', 'Li', 'Na']
    expect(found({ company: names, Symbol: elements }).identifiers).toEqual({})
    expect(whyNot({ company: names, Symbol: elements }, 'Symbol')).toMatch(/exchange/)
    expect(found({ company: names, Symbol: ['AAPL'], Exchange: ['NASDAQ'] }).identifiers).toEqual({
      ticker: 'Symbol',
      exchange: 'Exchange',
    })
    expect(found({ company: names, Symbol: ['NYSE:T', 'NYSE: F'] }).identifiers).toEqual({ ticker: 'Symbol' })
  })

  test.each([
    'id',
    'ID Number',
    'number',
    'account no',
    'code',
    'phone',
    'tax',
    'cik_status',
    'email opt out',
    'web lead',
  ])('%s with ten digits is no identifier', (column) => {
    const table = { company: names, [column]: ['1234567890', '0000320193', '0000789019'] }
    expect(found(table).identifiers).toEqual({})
  })
})

describe('what cells make certain is used whatever its header says', () => {
  const sites = ['https://acme.com', 'http://www.bolt.io/', 'www.cera.de']
  test('LEIs and home pages', () => {
    expect(found({ company: names, Kennung: leis, x: sites }).identifiers).toEqual({
      lei: 'Kennung',
      website: 'x',
    })
  })

  test.each(['Parent LEI', 'ultimate_parent', 'Managing LEI', 'Konzern-LEI', 'Successor'])(
    'but not what is another company’s: %s',
    (column) => {
      const table = { company: names, [column]: leis }
      expect(found(table).identifiers).toEqual({})
      expect(whyNot(table, column)).toMatch(/another/)
    },
  )

  test('unless the names are of the same ones', () => {
    expect(found({ 'Fund Name': names, 'Fund LEI': leis }, { name: 'Fund Name' }).identifiers).toEqual({
      lei: 'Fund LEI',
    })
  })

  test('nor one of several, nor pages deep in a site', () => {
    expect(found({ company: names, a: leis, b: leis }).identifiers).toEqual({})
    const deep = ['https://x.com/a/1', 'https://y.com/b/2', 'https://z.com/c/3']
    expect(found({ company: names, link: deep }).identifiers).toEqual({})
  })

  test('e-mail addresses only where nothing else is there', () => {
    expect(found({ company: names, kontakt: emails }).identifiers).toEqual({})
    expect(whyNot({ company: names, kontakt: emails }, 'kontakt')).toMatch(/whose/)
    expect(found({ kontakt: emails })).toMatchObject({ name: null, identifiers: { email: 'kontakt' } })
  })
})

describe('where numbers and symbols are from', () => {
  const numbers = ['00445790', '02366995']
  test('a column of registers, before that of countries', () => {
    const table = { company: names, 'Company Number': numbers, Country: ['GB'], Jurisdiction: ['us_de'] }
    expect(found(table).identifiers).toMatchObject({ registration_country: 'Jurisdiction' })
  })
  test('the country that is asked', () => {
    const table = {
      company: names,
      'Reg No': numbers,
      'Billing City': ['Rome'],
      'Billing Country': ['IT'],
      'Shipping Country': ['FR'],
    }
    expect(found(table).identifiers).toMatchObject({ registration_country: 'Billing Country' })
  })
  test('the country of the row, also where the header is of one country: the number decides', () => {
    expect(found({ company: names, SIREN: ['552100554'], Country: ['BE'] }).identifiers).toEqual({
      registration_id: 'SIREN',
      registration_country: 'Country',
    })
  })
})

describe('columns asked for', () => {
  const table = { company: names, LEI: leis, Web: ['a.com'], Land: ['DE'], Nr: ['1'] }
  test('these alone, in whatever spelling, and the country of a number', () => {
    expect(found(table, { identifiers: { website: 'web' } }).identifiers).toEqual({ website: 'Web' })
    expect(found(table, { identifiers: { registration_id: 'nr' } }).identifiers).toEqual({
      registration_id: 'Nr',
      registration_country: 'Land',
    })
  })
  test('none', () => {
    expect(found(table, { identifiers: 'none' }).identifiers).toEqual({})
  })
  test('one that is not there is an error that names the flag', () => {
    expect(() => found(table, { identifiers: { lei: 'Nope' } })).toThrow(/--id-columns/)
  })
  test('what is asked as context is not asked twice', () => {
    expect(found(table, { context: ['Web'] }).identifiers).toEqual({ lei: 'LEI' })
  })
})

test.each([
  ['PAN', ['AAACR5055K', 'AAACT2727Q', 'AAACI1681G']],
  ['PAN Number', ['AAACR5055K', 'AAACT2727Q', 'AAACI1681G']],
  ['D-U-N-S Number', ['123456789', '223456789', '323456789']],
  ['ISIN', ['US0378331005', 'US5949181045', 'US88160R1014']],
  ['EORI-Nummer', ['DE123456789012345', 'DE223456789012345', 'DE323456789012345']],
  ['UID-Nummer', ['ATU14189108', 'ATU36888006', 'ATU16220506']],
])('An identifier that finds no company is reported with the reason: %s', (column, cells) => {
  const table = { company: names, [column]: cells }
  expect(found(table).identifiers).toEqual({})
  expect(whyNot(table, column)).toMatch(/registers lack them|contain no company|not company numbers/)
})

test.each(['Firmenbuchnummer', 'Firmenbuch-Nr.', 'FN', 'Company Number'])(
  'Austrian company numbers are used, below %s',
  (column) => {
    const table = { company: names, [column]: ['FN 93363 z', '66209t', 'FN 056247t'], Land: ['AT'] }
    expect(found(table).identifiers.registration_id).toBe(column)
  },
)

test('A column of VAT numbers completes one of company numbers', () => {
  const table = {
    company: names,
    'Reg No': ['0403.170.701', '', '0417.497.106'],
    VAT: ['', 'BE0417497106', 'BE0403170701'],
    Country: ['BE', 'BE', 'BE'],
  }
  expect(found(table).identifiers).toEqual({
    registration_id: 'Reg No',
    registration_country: 'Country',
    registration_id_2: 'VAT',
  })
  const { VAT, ...others } = { ...table, VAT: ['DE123456789', 'DE223456789'] }
  expect(found({ ...others, VAT }).identifiers).not.toHaveProperty('registration_id_2')
})

test('Columns of company numbers of several countries are all used, tax numbers last, and a fifth is reported', () => {
  const table = {
    company: names,
    VAT: ['BE0417497106'],
    CIN: ['L17110MH1973PLC019786'],
    'Companies House No': ['00445790', 'SC095237'],
    SIREN: ['552032534'],
  }
  expect(found(table).identifiers).toEqual({
    registration_id: 'CIN',
    registration_id_2: 'SIREN',
    registration_id_3: 'Companies House No',
    registration_id_4: 'VAT',
  })
  expect(whyNot({ ...table, KvK: ['33002587'] }, 'VAT')).toMatch(/are used/)
})

describe('CIN names company numbers of India, and numbers of persons elsewhere', () => {
  const companies = ['U12345MH2000PTC123456', 'L17110MH1973PLC019786', 'U74999DL2015PTC278910']
  const persons = {
    MA: ['BE745123', 'BK 412587', 'C254789'],
    MG: ['101 234 567 890', '201987654321', '301456789012'],
    SN: ['1751199500123', '2899198800456', '1234199000789'],
    TN: ['01234567', '09876543', '14567891'],
  }
  const headers = ['CIN', 'N° CIN', 'C.I.N.', 'CIN No.', 'CIN number', 'Numéro CIN', 'cin']
  const table = (header: string, cells: readonly string[], country?: string) => ({
    company: names.slice(0, 3),
    [header]: cells,
    ...(country === undefined ? {} : { Country: cells.map(() => country) }),
  })

  test.each(headers)('%s is used for numbers of India, with a country or without', (header) => {
    for (const country of ['IN', undefined])
      expect(found(table(header, companies, country)).identifiers.registration_id).toBe(header)
  })

  test.each(Object.entries(persons))('in %s, its cells are numbers of persons', (country, cells) => {
    for (const header of headers)
      for (const row of [country, undefined]) {
        expect(found(table(header, cells, row)).identifiers).toEqual({})
        expect([header, whyNot(table(header, cells, row), header)]).toEqual([
          header,
          'its cells are numbers of persons',
        ])
      }
  })

  test('next to a register number, that is used', () => {
    const rows = { company: names.slice(0, 3), CIN: persons.MA, RC: ['278451', '9451', '30037'] }
    expect(found({ ...rows, Country: ['MA', 'MA', 'MA'] }).identifiers.registration_id).toBe('RC')
  })
})

test('A column FN without Austrian company numbers is not used', () => {
  expect(found({ company: names, FN: ['F100', 'F101', 'F102'] }).identifiers).toEqual({})
})

test('a few lines say what is asked and what is not', () => {
  const lines = formatColumnLines(
    told({
      company: names,
      LEI: leis,
      'Reg No': ['1001', '1002'],
      Country: ['DE'],
      Web: ['a.com'],
      Email: emails,
      'Parent LEI': leis,
    }),
  )
  expect(lines).toEqual([
    'name from company; location from Country',
    'identifiers, looked up before the name: LEI from LEI, company number from Reg No with its country from Country, website from Web, e-mail from Email',
    'not used: Parent LEI (LEI: its header names another party); --location-columns, --context-columns and --id-columns choose others',
  ])
})

test.each([
  [
    'Europe',
    'REGON|NIP|KRS|IČO|DIČ|IČ DPH|OIB|MBS|CUI|Nr. Reg. Com.|EIK|ЕИК|Булстат|Матични број|Matični broj|Matična številka',
  ],
  [
    'Europe',
    'PIB|ΑΦΜ|ΓΕΜΗ|Kennitala|CVR|P-nummer|Org.nr|Y-tunnus|Registrikood|KMKR|PVM kodas|RSIN|BTW-id|KvK|Vestigingsnummer',
  ],
  [
    'Europe',
    'Adószám|Cégjegyzékszám|UTR|CRO|Steuer-ID|USt-ID|W-IdNr|UID|NIF|Codice Fiscale|REA|SIREN|N° BCE|MERSİS No|VKN',
  ],
  [
    'the Americas',
    'EIN|DUNS|UEI|CAGE Code|Business Number|BN|NEQ|RFC|RUT|CUIT|CUIL|RUC|NIT|RNC|RIF|RTN|CNPJ|Inscrição Estadual',
  ],
  [
    'Asia and the Pacific',
    'BRN|UEN|ACN|ABN|ARBN|NZBN|NZ Company Number|USCC|統一編號|法人番号|사업자등록번호|법인등록번호|MST|Mã số thuế',
  ],
  [
    'Asia and the Pacific',
    'CIN|LLPIN|PAN|GSTIN|NTN|SSM No|NPWP|NIB|TRN|CR No|เลขทะเบียนนิติบุคคล|统一社会信用代码|组织机构代码',
  ],
  [
    'the East and Africa',
    'ИНН|INN|ОГРН|OGRN|КПП|ОКПО|ЄДРПОУ|EDRPOU|БИН|KRA PIN|NUIT|ICE|RC Number|GLN|WKN|PermID',
  ],
])('The usual headers of identifiers in %s are used or reported', (_, list) => {
  const neither = list.split('|').filter((column) => {
    const table = { company: names, [column]: ['1234567890', '2345678901', '3456789012'] }
    const used = Object.values(found(table).identifiers)
    return !used.includes(column) && !told(table).unused.some((one) => one.column === column)
  })
  expect(neither).toEqual([])
})

test.each([
  [
    'KE',
    'P051600123A',
    'PIN ya KRA|Nambari ya PIN ya KRA|Namba ya PIN|Nambari ya PIN|Namba ya KRA|PIN|PIN No.|Tax PIN|KRA No|PIN of KRA',
  ],
  ['PE', '20100070970', 'RUC SUNAT|RUC de SUNAT|Número del RUC de la SUNAT'],
  ['CO', '860002534-0', 'NIT DIAN|NIT de la DIAN|Número de NIT de la DIAN'],
  ['CL', '96.806.980-2', 'RUT SII|RUT del SII'],
  ['IN', '27AAACR5055K1Z7', 'GSTIN का नंबर|GSTIN की संख्या'],
])('A name of numbers is known with words for "of" and its office: %s %s', (country, number, headers) => {
  for (const header of headers.split('|')) {
    const table = { company: names, country: [country, country], [header]: [number, number] }
    expect([header, found(table).identifiers.registration_id]).toEqual([header, header])
  }
})

test.each(['Number of Employees', 'Amount of VAT', 'Date of registration', 'PIN', 'Tax PIN'])(
  'A header %s does not make other numbers those of companies',
  (header) => {
    const table = { company: names, country: ['KE', 'KE', 'KE'], [header]: ['110011', '4021', '80100'] }
    expect(found(table).identifiers.registration_id).toBeUndefined()
  },
)

describe('Columns of VAT numbers', () => {
  test.each([
    ['SE556012579001', 'Momsreg.nr|Momsregistreringsnummer|Momsnr|Moms nr|Moms reg nr|VAT-nr|Kundens moms'],
    ['DK61056416', 'Momsnr.|CVR-/SE-nr|Moms|Momsreg.nr.'],
    ['NO923609016MVA', 'MVA-nr|MVA nummer|Mva'],
    ['FI01120389', 'ALV-numero|ALV-nro|ALV-tunnus|Arvonlisäverotunniste|VAT-numero'],
    ['FR12552032534', 'N° TVA|No TVA|Nº TVA|Numéro de TVA|N° TVA intracommunautaire|TVA intracom'],
    ['BE0417497106', 'btw-nr.|BTW nr|BTW-nummer|btw-identificatienummer|N° TVA|BTW-id'],
    ['IT02500480245', 'P.IVA|Part. IVA|Partita IVA|Cod. Fisc.|C.F./P.IVA|Codice fiscale/Partita IVA'],
    ['ESB95780375', 'NIF/CIF|Nº IVA|NIF|CIF|NIF-IVA'],
    ['PT500697256', 'Nº IVA|N.º contribuinte|NIF|NIPC|Número de contribuinte'],
    ['LV40003009497', 'PVN numurs|PVN reģ. nr.|PVN nr.'],
    ['CZ45274649', 'DIČ'],
    ['CHE-105.909.036 MWST', 'MWST-Nr.|UID-Nummer|N° TVA|Mehrwertsteuernummer'],
  ])('are used with numbers like %s', (number, headers) => {
    for (const header of headers.split('|'))
      expect([
        header,
        found({ company: names, [header]: [number, number] }).identifiers.registration_id,
      ]).toEqual([header, header])
  })

  test.each(
    'KMKR number|KMKR nr|PVN nr.|PVN|PVM kodas|ALV-numero|momsnr|ÁFA szám|DPH|IČ DPH|ДДС номер|ПДВ|PDV broj|DDV številka|KDV no|VAT UE|btw-nummer|VSK númer'
      .split('|')
      .map((header) => [header]),
  )('of other countries are used under the name of each: %s', (header) => {
    const table = { company: names, [header]: ['LV40003009497', 'FI01120389', 'EE100366327'] }
    expect(found(table).identifiers.registration_id).toBe(header)
  })

  test.each([
    ['DE129274202', 'USt-ID-Nr.|USt-IdNr|Umsatzsteuer-Identifikationsnummer|USt-Nr.|VAT number'],
    ['ATU14189108', 'UID-Nummer|USt-ID-Nr.'],
    ['NL004495445B01', 'btw-nr.|BTW nr'],
    ['EE100366327', 'KMKR|KMKR nr'],
    ['LT119505811', 'PVM kodas|PVM mokėtojo kodas'],
    ['SI82646716', 'ID za DDV|Davčna številka'],
    ['HR27759560625', 'PDV ID'],
    ['EL094019245', 'ΑΦΜ|ΑΦΜ Πελάτη|Α.Φ.Μ. Προμηθευτή|ΑΦΜ εταιρίας|Αριθμός Φορολογικού Μητρώου'],
    ['7707083893', 'ИНН'],
    ['PL5260300517', 'NIP|VAT UE'],
    ['HU10484878', 'Adószám|Közösségi adószám|Vevő adószáma'],
    ['1234567890', 'Müşteri VKN|Davčna številka kupca'],
  ])('are reported as not used with numbers like %s', (number, headers) => {
    for (const header of headers.split('|')) {
      const table = { company: names, [header]: [number, number] }
      expect([header, found(table).identifiers]).toEqual([header, {}])
      expect([header, told(table).unused.map(({ column }) => column)]).toEqual([header, [header]])
    }
  })

  test.each([
    [{ 'Reg No': ['PAN AAACL1234C'] }, 'registration_id=Reg No'],
    [{ LEI: ['HWUPKR0MPOU8FGXBT394'], 'Reg No': ['TRN 100123456700003'] }, 'lei=LEI,registration_id=Reg No'],
    [{ 'Reg. No': ['12345'], 'VAT No': ['DE129274202'], Site: ['larkmoor.com'] }, null],
  ])('are looked up with the flag that the note on them gives: %j', async (cells, named) => {
    const table = { company: ['Larkmoor Ltd'], ...cells }
    const columns = found(table)
    const rule = { columns: { name: 'company', location: [], context: [], identifiers: columns.identifiers } }
    const order = listLookupColumns(rule.columns)
    const row = order.map((column) => new Map(Object.entries(table)).get(column)?.[0] ?? null)
    const ask = async (areNumbersNamed: boolean, identifiers: IdentifierColumns) =>
      (
        await createRowReader(
          {
            columns: { ...rule.columns, identifiers },
            identifierUse: 'first',
            readsNames: true,
            areNumbersNamed,
          },
          noEarlierNames,
        )([row])
      )[0]
    const question = await ask(false, columns.identifiers)
    const counts = new IdentifierCounts([], columns.identifiers)
    if (question?.kind === 'resolution') counts.add(question, 1)
    const [, flag = ''] = /--id-columns (.*)$/.exec(counts.listNotes(false).join('\n')) ?? []
    expect(flag.replaceAll('"', '')).toBe(named ?? '')
    if (named === null) return
    const parsed = parseIdColumns(named)
    if (!('value' in parsed) || parsed.value === 'none') throw new Error(named)
    const again = found(table, { identifiers: parsed.value })
    expect(again.identifiers).toEqual(columns.identifiers)
    expect(await ask(true, again.identifiers)).toMatchObject({ faults: [] })
  })

  test.each([
    ['SE556012579001', 'to use it: --id-columns registration_id=Kennzahl'],
    ['DK61056416', 'to use it: --id-columns registration_id=Kennzahl'],
    ['DE129274202', 'its numbers contain no company numbers'],
    ['NO923609016MVA', 'to use it: --id-columns registration_id=Kennzahl'],
  ])('are reported below an unknown header, also of a list of one row: %s', (number, why) => {
    const table = { company: ['Acme'], Kennzahl: [number] }
    expect(told(table).unused).toEqual([{ column: 'Kennzahl', kind: 'VAT number', why }])
    const said = why.startsWith('to use it') ? `(perhaps a VAT number; ${why})` : `(VAT number: ${why})`
    expect(formatColumnLines(told(table)).at(-1)).toContain(`not used: Kennzahl ${said};`)
  })

  test('an option that uses a further column is whole, or only named', () => {
    const numbers = { KRS: ['0000028860'], REGON: ['610188201'], NIP: ['7740001454'], Kraj: ['PL'] }
    const table = {
      Kontrahent: ['Orlen'],
      ...numbers,
      WWW: ['orlen.pl'],
      'Kontakt e-mail': ['x@orlen.pl'],
    }
    const { unused } = told(table)
    const why = unused.find(({ column }) => column.startsWith('Kontakt'))?.why ?? ''
    expect(why).toMatch(/^to use it: --id-columns .*email="Kontakt e-mail"/)
    expect(why.length).toBeGreaterThan(100)
    expect(formatColumnLines(told(table)).at(-1)).toContain(`(perhaps an e-mail; ${why})`)
    const long = `to use it: --id-columns ${'website=WWW,'.repeat(50)}`
    const report = { ...told(table), unused: [{ column: 'Poczta', kind: 'e-mail', why: long }] }
    expect(formatColumnLines(report).at(-1)).toContain(
      '(perhaps an e-mail; to use it: --id-columns with all its columns)',
    )
  })

  test('have no words for amounts in their header: these are not reported', () => {
    const before =
      'Belopp inkl.|Summa exkl.|Betrag inkl.|Montant|Amount incl.|Total|Bedrag incl.|Beløb ekskl.|Price w/o'
    const cells = [['12500.00'], ['61056416'], ['556012579'], ['1 250,00 kr', '12%']]
    for (const tax of [
      'moms',
      'VAT',
      'MwSt',
      'TVA',
      'btw',
      'mva',
      'KDV',
      'PVN',
      'PVM',
      'DPH',
      'ÁFA',
      'PDV',
      'ПДВ',
      'ДДС',
    ])
      for (const header of before.split('|').flatMap((text) => [`${text} ${tax}`, `${text} (${tax})`]))
        for (const amounts of cells) {
          const table = { company: names, [header]: amounts, Land: ['DK'] }
          expect([header, found(table).identifiers]).toEqual([header, {}])
          expect([header, told(table).unused]).toEqual([header, []])
        }
  })

  test.each([
    [['2500.00', '340.50', '61056416']],
    [['61056416', '12500', '340', '1250000', '99']],
    [['25 %', '12 %', '6 %']],
    [['1 250,00 kr', 'SEK 12', '€ 3.50']],
  ])('have no amounts in their cells: %j', (amounts) => {
    for (const header of ['Moms', 'VAT', 'TVA', 'Kundens moms']) {
      const table = { company: names, [header]: amounts, Land: ['DK', 'DK', 'DK'] }
      expect([header, found(table).identifiers]).toEqual([header, {}])
      expect([header, told(table).unused]).toEqual([header, []])
    }
  })
})

test('Names of suppliers and customers are found in the languages of the north and their neighbours', () => {
  const headers =
    'Leverantörsnamn|Leverantörens namn|Lev.namn|Motpart|Kundens namn|Leverandørnavn|Lev. navn|Toimittajan nimi|Toimittaja|Asiakasnimi|Lieferantenbezeichnung|Kundenbezeichnung|Tarnija nimi|Tiekėjo pavadinimas|Piegādātāja nosaukums|Nazwa dostawcy|Leveranciersnaam|Nafn birgis'
  for (const header of headers.split('|'))
    expect(found({ Nr: ['1', '2'], [header]: ['Acme AB', 'Bolt Oy'], Belopp: ['1,00', '2,00'] }).name).toBe(
      header,
    )
})

test.each([
  ...[
    'N° national',
    'Numéro national',
    'Rijksregisternummer',
    'Rijksregisternr.',
    'Aadhaar',
    'Aadhaar No',
    'SSN',
    'CPF',
  ],
  ...[
    'PESEL',
    'Personnummer',
    'Personnr',
    'DNI',
    'henkilötunnus',
    '身份证号码',
    'JMBG',
    'TC Kimlik No',
    'CPR-nr.',
    'Ghana Card PIN',
    'Ghana Card No.',
  ],
])('A column of numbers of persons is listed: %s', (header) => {
  const table = { company: names, [header]: ['85.07.30-033.28'] }
  expect(found(table).identifiers).toEqual({})
  expect(told(table).unused).toEqual([{ column: header, kind: 'number of a person', why: 'never sent' }])
})

test('A column is said to have mostly other cells only if that is true', () => {
  const why = (cells: readonly string[]) =>
    whyNot({ company: names, 'Company number': cells }, 'Company number')
  expect(why(['0101248141', '0301116791', '0101665106', 'a#'])).toBe('many cells have another form')
  expect(why(['a#', 'b#', 'c#', '0101665106'])).toBe('most cells have another form')
})

describe('A header for the numbers of natural persons', () => {
  const cells = ['0301116791', '0101248141', '0312853194', '0900189284', '0106181807', '0100112437']
  test.each(
    [
      'MST cá nhân|Mã số thuế cá nhân|MST (cá nhân)|mst_ca_nhan|Căn cước|Số căn cước|Số định danh cá nhân',
      'CCCD người đại diện|CMTND|CMND|Số CMND/CCCD/Hộ chiếu|CMND/CCCD|CCCD / MST cá nhân|Số ĐDCN|GPLX',
      'Personal tax number|Individual TIN|Tax ID (individual)|personalTaxId|Tax number of natural person',
      'ИНН физлица|ИНН физического лица|NIT persona natural|RFC persona física|Codice fiscale persona fisica',
      'NIF pessoa singular|Steuernummer Privatperson|NIP osoby fizycznej|DIČ fyzické osoby|OIB fizičke osobe',
      'ΑΦΜ φυσικού προσώπου|vergi no gerçek kişi|NPWP pribadi|个人税号|Passport number of director',
    ].flatMap((text) => text.split('|')),
  )('is not used: %s', (header) => {
    const table = { company: names, [header]: cells }
    expect(found(table).identifiers).toEqual({})
    expect(told(table).unused).toEqual([{ column: header, kind: 'number of a person', why: 'never sent' }])
  })

  test.each(['MST', 'MST/MST cá nhân', 'MST doanh nghiệp/cá nhân', 'Mã số thuế', 'MST khách hàng'])(
    'but one for companies too is: %s',
    (header) => {
      expect(found({ company: names, [header]: cells }).identifiers).toEqual({ registration_id: header })
    },
  )
})

test.each([
  'DTI No.',
  'DTI Reg. No.',
  'DTI Registration Number',
  'CDA Registration No',
  'Business Name No.',
  'RBN',
])(
  'Numbers of a register of sole traders or cooperatives are not compared with those of companies: %s',
  (header) => {
    const cells = ['1177', '34001', '152747']
    expect(found({ company: names, [header]: cells, country: ['PH'] }).identifiers).toEqual({})
    const table = { company: names, [header]: cells, 'SEC No.': cells, country: ['PH'] }
    expect(found(table).identifiers).toMatchObject({ registration_id: 'SEC No.' })
    expect(whyNot(table, header)).toContain('open registers lack them')
  },
)

describe('The number of the register comes before that of a tax', () => {
  const ofTaxes = companyNumbers.filter(([country, , , instead]) => instead !== undefined && country !== 'KR')
  const general = [
    'Registration number',
    'Reg. No.',
    'Company No.',
    'Trade register no.',
    'Business Registry No.',
  ]
  const list = ofTaxes.flatMap(([country, tax, taxNumber, instead = '']) =>
    instead
      .replace(', HRA', '')
      .split(', ')
      .flatMap((own) => {
        const [, , number = 'HRB 501'] =
          companyNumbers.find(([code, name]) => code === country && name === own) ?? []
        return [own, ...general].map((header) => [country, tax, taxNumber, header, number] as const)
      }),
  )
  const joint =
    'SEC/DTI/CDA Reg. No.|SEC / DTI Registration No.|DTI/SEC No.|SEC or DTI Reg. No.|SEC Registration'
  const ofPhilippines = joint
    .split('|')
    .map((header) => ['PH', 'TIN', '000-388-771-000', header, 'CS201234567'] as const)

  test.each([...list, ...ofPhilippines])('%s: %s %s, %s %s', (country, tax, taxNumber, header, number) => {
    for (const hasTaxNumbers of [false, true])
      for (const order of [
        [tax, header],
        [header, tax],
      ]) {
        const cells: Record<string, string> = { company: 'Acme', [tax]: taxNumber, [header]: number, country }
        const table = Object.fromEntries(
          ['company', ...order, 'country'].map((one) => [one, [cells[one] ?? '']]),
        )
        const columns = found(table, { hasTaxNumbers })
        const rule = { columns, identifierUse: 'context', readsNames: true } as const
        const row = toRowCells(
          rule,
          listLookupColumns(columns).map((one) => cells[one] ?? null),
        )
        const question = toRowQuestion(rule, row)
        const context = question.kind === 'resolution' ? (question.lookup.context ?? '') : ''
        expect(closeNumber(context)).toContain(closeNumber(number))
      }
  })
})

test.each([
  'الرقم الوطني للمنشأة',
  'الرقم الوطني للشركة',
  'رقم المنشأة',
  'National ID of Establishment',
  'National Establishment Number',
  'Company National ID',
  "Numéro national d'entreprise",
  'Firma kimlik no',
  'کد ملی شرکت',
  'Numri Unik i Identifikimit të Subjektit',
])('The national number of a company is no number of a person: %s', (header) => {
  const cells = ['200134567', '200134568', '200134569']
  expect(found({ company: names, [header]: cells }).identifiers).toEqual({ registration_id: header })
})

test.each([
  'National ID of Owner',
  'الرقم الوطني للمالك',
  'الرقم الوطني',
  'Company director national ID',
  'Company passport number',
  '법인 대표 주민등록번호',
])('The number of a person next to a word for a company stays one: %s', (header) => {
  const table = { company: names, [header]: ['200134567', '200134568', '200134569'] }
  expect(found(table).identifiers).toEqual({})
  expect(told(table).unused).toEqual([{ column: header, kind: 'number of a person', why: 'never sent' }])
})

test.each(['NIPTI', 'NIPT-i', 'Nr. NIPT', 'NUIS (NIPT)', 'NUIS/NIPT', 'NIPT / NUIS'])(
  'Albania writes its number below %s',
  (header) => {
    const table = { Emri: names, [header]: ['K41207731M', 'L41207732A', 'M41207733B'] }
    expect(found(table).identifiers).toEqual({ registration_id: header })
  },
)

describe('Lists of Latin America', () => {
  const numbers: Readonly<Record<string, readonly string[]>> = {
    NIT: ['890903938', '899999068', '890900608'],
    RUC: ['20100017491', '20100047218', '20100128056'],
    RUT: ['90749000', '97006000', '76645030'],
    RIF: ['J-00095036-9', 'J-07013380-5', 'J-00124134-5'],
    RNC: ['101001577', '101-01063-2', '101019921'],
  }
  const owned = '% cliente|% del Proveedor|% Empresa|% Tercero|% Contribuyente|Nro. % cliente|%'
  const checkHeaders =
    'DV|D.V.|Dgv|Dígito Verificador|Digito de verificacion|DV RUT|dv_nit|Dígito verificador del NIT|Díg. Verif.'

  test.each(Object.entries(numbers))('%s is used with and without an owner', (kind, cells) => {
    for (const header of owned.replaceAll('%', kind).split('|'))
      expect([header, found({ 'Razón Social': names.slice(0, 3), [header]: cells }).identifiers]).toEqual([
        header,
        { registration_id: header },
      ])
  })

  test.each(checkHeaders.split('|'))('A column of check digits is listed, and nothing else: %s', (header) => {
    for (const kind of ['NIT', 'RUT', 'RUC']) {
      const table = {
        [kind]: numbers[kind] ?? [],
        [header]: ['8', 'K', '9'],
        'Razón Social': names.slice(0, 3),
      }
      expect(found(table)).toMatchObject({ identifiers: { registration_id: kind }, location: [] })
      expect(told(table).unused).toEqual([{ column: header, kind: 'check digit' }])
    }
  })

  test.each(
    'Sanduku la Posta|P.O. Box|PO Box|Postfach|Posbus|Boîte postale|Apartado postal|Caixa postal|Postbus|Skrytka pocztowa|Поштански преградак|Posta kutusu|私書箱|የፖስታ ሳጥን'.split(
      '|',
    ),
  )('A column of post office boxes is no town: %s', (header) => {
    for (const cells of [
      ['P.O. Box 3344-40100', 'P.O. Box 77-20200', 'P.O. Box 5'],
      ['3344', '77', '512'],
    ]) {
      const table = { name: names.slice(0, 3), [header]: cells }
      expect(found(table)).toMatchObject({ identifiers: {}, location: [] })
      expect(told(table).unused).toEqual([{ column: header, kind: 'P.O. box' }])
    }
  })

  test.each(['RUT-DV', 'RUT con DV', 'RUT/DV'])('Whole numbers are used, also below %s', (header) => {
    const table = { name: names.slice(0, 3), [header]: ['90.749.000-9', '97006000-6', '76.645.030-K'] }
    expect(found(table).identifiers).toEqual({ registration_id: header })
  })

  test('Most numbers with wrong check digits: the column is not used, and the reason says so', () => {
    for (const [header, cells] of Object.entries({
      NIT: ['8909039381', '8999990682', '890900608-3'],
      RUC: ['20100017492', '20100047219', '20100128057'],
      RUT: ['90.749.000-1', '97.006.000-1', '76.645.030-1'],
    }))
      expect(whyNot({ name: names.slice(0, 3), [header]: cells }, header)).toBe(
        'most cells have wrong check digits',
      )
  })

  test.each([
    ['NIT', 'Guatemala', ['45871-6', '5528711-5', '4410238-0', 'CF', 'C/F', 'CF']],
    ['NIT', 'GT', ['2547896310101', '1598746320801', '8120934-7', 'Consumidor final']],
    ['RTN', 'Honduras', ['05019000046046', '8019000999999', 'pendiente', 'exento']],
    ['CNPJ', 'Brasil', ['33.000.167/0001-01', 'isento', 'ISENTO', 'não contribuinte']],
    ['Org.nr', 'Sverige', ['556012-5790', 'ej registrerad', 'ansökt', '0']],
  ])('Words for "no number" below %s in %s do not count', (header, country, cells) => {
    const table = { name: names.slice(0, cells.length), [header]: cells, País: cells.map(() => country) }
    expect(found(table).identifiers).toMatchObject({ registration_id: header })
  })

  test('A column of words alone, and one of routing numbers below RTN, is not used', () => {
    expect(
      found({ name: names.slice(0, 3), RTN: ['021000021', '011401533', '091000019'] }).identifiers,
    ).toEqual({})
    const words = { name: names.slice(0, 4), NIT: ['red', 'blue', 'green', 'CF'] }
    expect(found(words).identifiers).toEqual({})
  })

  test('A list without countries learns how to name them', () => {
    const table = { name: names.slice(0, 3), NIT: ['576937-K', '3952550-3', '7108-0'] }
    expect(whyNot(table, 'NIT')).toContain('; --country tells those of BO, GT, SV')
  })

  test('The country of the row tells numbers of one name apart', () => {
    const table = { name: names.slice(0, 3), NIT: ['576937-K', '3952550-3', '7108-0'] }
    expect(found(table).identifiers).toEqual({})
    expect(found({ ...table, País: ['Guatemala', 'Guatemala', 'Guatemala'] }).identifiers).toEqual({
      registration_id: 'NIT',
      registration_country: 'País',
    })
  })

  test.each([
    ['Distrito|Provincia|Departamento|Domicilio Fiscal', 'Provincia|Departamento'],
    ['Provincia|Cantón|Distrito', 'Cantón|Provincia'],
    ['Departamento|Distrito', 'Distrito|Departamento'],
    ['Comuna|Región', 'Comuna|Región'],
    ['Comuna|Ciudad|Región', 'Ciudad|Región'],
    ['Estado|Municipio|Ciudad', 'Ciudad|Estado'],
    ['Alcaldía/Municipio|Estado', 'Alcaldía/Municipio|Estado'],
    ['Departamento|Provincia|Localidad', 'Localidad|Departamento'],
    ['Distrito|Concelho', 'Concelho|Distrito'],
  ])('Parts of a place by their size: %s', (headers, location) => {
    const places = Object.fromEntries(headers.split('|').map((one) => [one, ['Lima', 'Cusco', 'Puno']]))
    expect(found({ company: names.slice(0, 3), ...places }).location).toEqual(location.split('|'))
  })

  test.each([
    [
      'Municipio comercial|Departamento fiscal|Dirección comercial',
      'Municipio comercial|Departamento fiscal',
    ],
    ['Cidade do estabelecimento|Província fiscal', 'Cidade do estabelecimento|Província fiscal'],
    ["Commune de l'établissement|Pays", "Commune de l'établissement|Pays"],
    ['Comune fiscale|Provincia fiscale', 'Comune fiscale|Provincia fiscale'],
    ['Trading city|County', 'Trading city|County'],
    ['Departamento comercial|Zona comercial|Estado fiscal', ''],
  ])('Places of business and of taxes are places, departments of sales are not: %s', (headers, location) => {
    const places = Object.fromEntries(headers.split('|').map((one) => [one, ['Lima', 'Cusco', 'Puno']]))
    expect(found({ company: names.slice(0, 3), ...places }).location.join('|')).toBe(location)
  })

  test.each(['ACTIVO|HABIDO', 'BAJA DE OFICIO|SUSPENDIDO', 'ATIVA|BAIXADA', 'Vigente|En liquidación'])(
    'A status is no state: %s',
    (cells) => {
      const statuses = cells.split('|')
      expect(found({ company: names.slice(0, 2), Estado: statuses }).location).toEqual([])
    },
  )
})

describe.each([
  ['CO', '800123017-5|801856948|803590879', '1001|1002|1003'],
  ['PE', '20100047218|20100070970|20100130204', '45678901|45678902|45678903'],
])('below a header for identifications, numbers of %s', (country, companies, others) => {
  const table = (header: string, cells: string) => ({
    company: names.slice(0, 3),
    [header]: cells.split('|'),
    País: [country, country, country],
  })
  const headers = [
    ...['Identificación', 'No. Identificación', 'Número de identificación', 'Nro. Identificación'],
    ...['Identificación del cliente', 'Identificação', "N° d'identification"],
  ]

  test.each(headers)('are used if they are of companies: %s', (header) => {
    expect(found(table(header, companies)).identifiers).toMatchObject({ registration_id: header })
    expect(found(table(header, others)).identifiers).toEqual({})
    expect(told(table(header, others)).unused).toMatchObject([{ kind: 'identification number' }])
  })
})

test.each(['ID Code', 'Identification Code', 'Ident. code', 'ИК'])(
  'A header for any identification has company numbers if they have the form of the country of the rows: %s',
  (header) => {
    const of = (country: string) => ({
      company: names.slice(0, 4),
      [header]: ['№204566978', '405123456', '# 205123456', '01019045678'],
      Country: [country, country, country, country],
    })
    expect(found(of('GE')).identifiers).toMatchObject({ registration_id: header })
    expect(found(of('DE')).identifiers).toEqual({})
  },
)

test.each([
  ...['ს/კ', 'ს/ნ', 'ს/კოდი', 'საიდ. კოდი', 'გადამხდელის კოდი', 'saidentifikacio kodi'],
  ...['Идентификационный код', 'Идент. код', 'Ідентифікаційний код'],
])('A header for company numbers of Georgia or Ukraine is known: %s', (header) => {
  const table = { company: names.slice(0, 3), [header]: ['204566978', '405123456', '205123456'] }
  expect(found(table).identifiers).toMatchObject({ registration_id: header })
})

test.each(['담당자 이메일', '担当者メールアドレス', '联系人邮箱', 'Email de contacto', 'Контактный email'])(
  'The e-mail address of a contact is one of the company: %s',
  (header) => {
    const table = {
      company: names.slice(0, 3),
      [header]: ['a@norvane.com', 'b@larkmoor.com', 'c@velmark.com'],
    }
    expect(found(table).identifiers).toMatchObject({ email: header })
  },
)

test.each(['Valor', 'Wert', 'Valeur', 'Valore', 'Value'])('Amounts are not called numbers: %s', (header) => {
  for (const cells of [
    ['1.250.000,00', '88.000,50'],
    ['1250001', '1250002'],
    ['500', '600'],
  ])
    expect(told({ company: names.slice(0, 2), [header]: cells }).unused).toEqual([])
})

test('A tax column with whole numbers of other countries is used below the header of any tax number', () => {
  for (const header of ['Davčna številka', 'ID za DDV', 'OIB', 'Adószám'])
    expect(
      found({ company: names, [header]: ['IT00743110157', 'IT00905811006', 'IT00488410010'] }).identifiers,
      header,
    ).toMatchObject({ registration_id: header })
  expect(
    found({ company: names, 'Davčna številka': ['SI82646716', '80267432', '12345678'] }).identifiers,
  ).toEqual({})
})

describe('Numbers of persons do not keep a column of company numbers from being used:', () => {
  test.each([
    ['RNC/Cédula', ['101010632', '00112345673', '00100759932']],
    ['CPF/CNPJ', ['33.000.167/0001-01', '529.982.247-25', '111.444.777-35']],
    ['CNPJ ou CPF', ['529.982.247-25', '111.444.777-35', '33.000.167/0001-01']],
    ['NIF/NIE', ['A28599033', '12345678Z', 'X1234567L', '87654321X']],
  ])('%s', (column, cells) => {
    expect(found({ company: names.slice(0, cells.length), [column]: cells }).identifiers).toEqual({
      registration_id: column,
    })
  })
})

describe('A number and its court fill one cell', () => {
  test.each([
    ['RCS', ['RCS Antananarivo 1953 B 00045', '1953 B 00045 (Toamasina)', "R.C.S. d'Antsirabe : 2004 B 654"]],
    ['Numéro RC', ['34512 (TC Tanger)', 'RC n° 40327, Casablanca', 'Tanger: 34513']],
    ['Matrícula mercantil', ['12345 (Cámara de Comercio de Cali)', 'Medellín, 6789', 'Cali n.º 77']],
  ])('in any order and with any signs: %s', (column, cells) => {
    expect(found({ Nom: names.slice(0, cells.length), [column]: cells }).identifiers).toEqual({
      registration_id: column,
    })
  })
})

describe('The countries of the rows tell the numbers of local courts below a header that other countries use too', () => {
  const towns = {
    MA: 'Casablanca|Tanger|Fès',
    DZ: 'Alger|Oran|Blida',
    NG: 'Lagos|Kano|Abuja',
    RO: 'Iași|Cluj|Arad',
  }
  const writings = ['# @', 'RC # @', '@ #', '#/@', '@ / #', '# (@)', '# - @']
  const tables = Object.entries(towns).flatMap(([country, list]) =>
    ['RC', 'R.C.', 'N° RC'].flatMap((header) =>
      writings.map((writing) => {
        const write = (town: string, at: number) =>
          writing.replace('#', String(48_211 + at)).replace('@', town)
        const cells = list.split('|').map(write)
        return [country, header, cells[0] ?? '', cells] as const
      }),
    ),
  )

  test.each(tables.filter(([country]) => ['MA', 'DZ'].includes(country)))(
    'in %s, below %s: %s',
    (country, header, _, cells) => {
      const table = { Nom: names.slice(0, 3), Pays: cells.map(() => country), [header]: cells }
      expect(found(table).identifiers).toMatchObject({ registration_id: header })
    },
  )

  test.each(tables.filter(([country, header]) => ['NG', 'RO'].includes(country) && header === 'N° RC'))(
    'and not those of one register in %s, below %s: %s; the reason names this country alone',
    (country, header, _, cells) => {
      const table = { Nom: names.slice(0, 3), Pays: cells.map(() => country), [header]: cells }
      expect(whyNot(table, header)).toBe(`most cells are not company numbers of ${country}`)
    },
  )
})

describe('Tax numbers do not push out company numbers next to them', () => {
  const taxHeaders = ['VAT Reg. No', 'VAT Number', 'Tax ID', 'TIN', 'USt-IdNr.', 'N° TVA', 'NPWP']
  const lists = [
    ['LK', 'PV 2187|PQ 36|N(PVS) 812|GA 55', '114567890-7000|174537990-7000|124561890-7000|134561890-7000'],
    ['GB', 'SC012345|NI054321|OC312345|SC112233', '123456789|987654321|192837465|918273645'],
    ['KE', 'CPR/2009/1234|PVT-ABC12D|C.12345|PVT-XYZ34E', 'P051234567A|P051234568B|P051234569C|P051234570D'],
    ['LU', 'B 12345|B 98765|B 54321|B 112233', 'LU12345678|LU87654321|LU11223344|LU44332211'],
  ] as const

  for (const tax of taxHeaders)
    for (const [country, numbers, taxes] of lists)
      test.each(['Co. Reg. No', 'Company Regn No.', 'Registrar Reg. No', 'Firm registration number'])(
        `${tax} of ${country}, and %s`,
        (header) => {
          const own = numbers.split('|')
          const table = {
            company: names.slice(0, 4),
            [tax]: taxes.split('|'),
            [header]: own,
            country: own.map(() => country),
          }
          expect(found(table).identifiers).toMatchObject({ registration_id: header })
        },
      )

  test.each([
    ['EPF Reg. No', '2187/A|36/B|812/C'],
    ['Vehicle Registration No', 'WP CAB-1234|NW KA-3321|CP LB-8821'],
    ['Number', 'C1001|C1002|C1003'],
    ['Contract Registration No', '1|2|3'],
  ])('Numbers of another kind below %s are not used', (header, cells) => {
    const table = {
      company: names.slice(0, 3),
      'VAT Reg. No': ['114567890-7000', '174537990-7000', '124561890-7000'],
      [header]: cells.split('|'),
      country: ['LK', 'LK', 'LK'],
    }
    expect(found(table).identifiers).not.toHaveProperty('registration_id')
  })
})

test.each([
  ['RUC', 'UY', '219999830019|211003420017|214873040018', true],
  ['RUC', 'CR', '3101123456|3102654321|3101777888', true],
  ['RUT', 'PE', '20100070970|20331066703|20100047218', true],
  ['NIT', 'UY', '219999830019|211003420017|214873040018', true],
  ['RUC', 'UY', '1234|5678|91011', false],
])(
  'Numbers below %s are used if they have the form of the country of their rows: %s %s',
  (header, country, cells, isUsed) => {
    const ofOneCountry = { company: names.slice(0, 3), [header]: cells.split('|') }
    const table = { ...ofOneCountry, country: [country, country, country] }
    for (const { identifiers } of [found(table), found(ofOneCountry, { country })])
      if (isUsed) expect(identifiers).toMatchObject({ registration_id: header })
      else expect(identifiers).not.toHaveProperty('registration_id')
  },
)

describe('a column is left out by the share of its cells', () => {
  test.each([
    ['Mersis No', '0959-0306-5180-0001|0551-9821-4540-0001'],
    ['Mersis No', '0959 0306 5180 0001|0551 9821 4540 0001'],
    ['Mersis No', '0-5519-8214-5400001|0-9590-3065-1800001'],
    ['Mersis No', '0959030651800015|0959030651800001|0551-9821-4540-0001'],
    ['Mersis No', '0959030651800015|0959030651800001|(0212) 555 12 12'],
    ['SIREN', '552032534|542065479|+33 1 42 34 56 78'],
    ['Organisationsnummer', '556012-5790|556036-0793|08-123 45 67'],
  ])('below the name of a country, one odd cell leaves out no other: %s, %s', (header, cells) => {
    expect(findContentFault('registration_id', cells.split('|'), null, header)).toBeNull()
  })

  test.each([
    ['Mersis No', '0212 555 12 12|0216 444 0 444|0959030651800001', 'most'],
    ['Company No', '0212 555 12 12|0216 444 0 444|12345678', 'most'],
    ['Company No', '0212 555 12 12|0216 444 0 444|12345678|23456789|34567890', 'many'],
  ])('and most cells are more than half of them: %s, %s', (header, cells, share) => {
    const fault = findContentFault('registration_id', cells.split('|'), null, header)
    expect(fault).toBe(`${share} cells have another form`)
  })
})

test('A column whose numbers a spreadsheet has rounded is used, so that its rows are reported', () => {
  const cells = ['7,99012E+11', '1,79002E+12', '9.12346E+11']
  for (const header of ['RUC', 'NIT', 'CNPJ', 'Company No', 'VAT', 'Organisationsnummer'])
    expect([header, findContentFault('registration_id', cells, null, header)]).toEqual([header, null])
})

describe('Tax numbers that are the numbers in the register are used below any header for tax numbers', () => {
  const ofCountries = [
    ['AL', 'J61814094W|K71234567A|L81234567B'],
    ['AZ', '1401234561|1702345671|9900012341'],
    ['BA', '4200225150005|4201234560007|4400123450009'],
    ['BY', '190000125|100582333|190542056'],
    ['GE', '204567891|405123456|406234567'],
    ['IR', '10101234565|14001234562|10320123452'],
    ['RW', '101234567|102345678|103456789'],
    ['TN', '0012345A|1234567B/A/M/000|1098765CNM000'],
    ['UZ', '201234567|302345678|303456789'],
  ] as const
  const headers = [
    'TIN',
    'TIN No',
    'Tax ID',
    'Tax No.',
    'ИНН',
    'Identifiant fiscal',
    'Tax Registration Number',
  ]
  const own = [
    ['AZ', 'Vergi nömrəsi'],
    ['AZ', 'VÖEN'],
    ['BA', 'JIB'],
    ['GE', 'საგადასახადო ნომერი'],
    ['IR', 'کد اقتصادی'],
    ['TN', 'Matricule fiscal'],
    ['TN', 'المعرف الجبائي'],
    ['UZ', 'STIR'],
  ]
  for (const [country, cells] of ofCountries) {
    const named = own.flatMap(([one, header = '']) => (one === country ? [header] : []))
    test.each([...headers, ...named])(`${country}: %s`, (header) => {
      const table = { company: names.slice(0, 3), [header]: cells.split('|') }
      expect(found({ ...table, country: [country, country, country] }).identifiers).toMatchObject({
        registration_id: header,
      })
      expect(found(table, { country }).identifiers).toMatchObject({ registration_id: header })
    })
  }

  test.each([
    ['AZ', '1401234562|1702345672|9900012342'],
    ['BY', '190000126|100582334|190542057'],
    ['RS', '204567891|405123456|406234567'],
    ['RU', '7712345678|7812345679|5012345670'],
    ['HR', '12345678903|98765432106|11223344550'],
    ['GE', '01001234567|35001234568|60001234569'],
    ['ME', '02345678|03456789|02987654'],
  ])(
    'but no numbers of persons or with another form, and none of other countries: %s %s',
    (country, cells) => {
      for (const header of headers) {
        const table = { company: names.slice(0, 3), [header]: cells.split('|') }
        expect(found({ ...table, country: [country, country, country] }).identifiers, header).toEqual({})
      }
    },
  )
})

test.each(['id', 'Kundennummer', 'N° client', '客户编号', 'VAT', 'DUNS'])(
  'A column that is the key of the rows is not reported as unused: %s',
  (key) => {
    const table = {
      company: names.slice(0, 3),
      [key]: ['123456789', '234567890', '345678901'],
      notes: ['a', 'b', 'c'],
    }
    const rule = { columns: found(table), identifierUse: 'first' } as const
    const header = Object.keys(table)
    const list = ({ unused, others }: ReturnType<typeof reportColumns>) => [
      ...unused.map(({ column }) => column),
      ...others,
    ]
    expect(list(reportColumns(header, rule, samplesOf(table)))).toContain(key)
    expect(list(reportColumns(header, { ...rule, others: [key] }, samplesOf(table)))).toEqual(['notes'])
  },
)

test('The only column of numbers that the user names is the first one, whatever its key', () => {
  const table = { company: names, Reg: ['1', '2'], Land: ['DE', 'FR'] }
  const keys = ['registration_id', 'registration_id_2', 'registration_id_3', 'registration_id_4'] as const
  for (const key of keys)
    expect(found(table, { identifiers: { [key]: 'Reg' } }).identifiers).toEqual({
      registration_id: 'Reg',
      registration_country: 'Land',
    })
})

describe('A header that names numbers of persons', () => {
  const headers = ['CPR No', 'CPR Number', 'CPR/BRS No.', 'NIN', 'SSN']
  const serials = ['CPR/2009/12345', 'CPR/2011/55555', 'PVT-AB12C3D']

  test.each(headers)('%s is one of company numbers with those of the country of its rows', (header) => {
    const table = { company: names.slice(0, 3), [header]: serials, Country: ['KE', 'KE', 'KE'] }
    expect(found(table).identifiers).toEqual({ registration_id: header, registration_country: 'Country' })
  })

  // The register of Kenya is a part of the other header.
  test.each(headers.filter((header) => !header.includes('BRS')))(
    '%s is not used without a country, and the report says how',
    (header) => {
      const table = { company: names.slice(0, 3), LEI: leis, [header]: serials }
      expect(found(table).identifiers).toEqual({ lei: 'LEI' })
      const why = whyNot(table, header) ?? ''
      const [, flag = ''] = /^not sent; if these are company numbers: --id-columns (.*)$/.exec(why) ?? []
      expect(parseIdColumns(flag.replaceAll('"', ''))).toEqual({
        value: { lei: 'LEI', registration_id: header },
      })
    },
  )

  test.each([
    ['CPR No', 'DK', ['010203-1234', '311299-4321']],
    ['CPR No', 'KE', ['010203-1234', '311299-4321']],
    ['CPR No', 'KE', ['CPR/2009/12345', '010203-1234']],
    ['CPR', 'BH', ['900112345', '850712345']],
    ['NIN', 'NG', ['12345678901', '23456789012']],
    ['NIN', 'NG', ['12345678', '2345678']],
    ['NIN', 'UG', ['CM90103101ABCD', 'CF85101101ABCD']],
    ['SSN', 'US', ['123-45-6789', '234-56-7890']],
    ['RG', 'BR', ['RG-12345678', 'RG-23456789']],
    ['Aadhaar', 'IN', ['234567890123']],
    ['NRIC', 'SG', ['S1234567D', 'T7654321A']],
    ['DNI', 'PE', ['20123456', '41234567']],
  ])('%s in %s is never sent with numbers like %j', (header, country, cells) => {
    const table = {
      company: names.slice(0, cells.length),
      [header]: cells,
      Country: cells.map(() => country),
    }
    expect(found(table).identifiers).toEqual({})
    expect(told(table).unused).toContainEqual({
      column: header,
      kind: 'number of a person',
      why: 'never sent',
    })
  })
})

/** What registers and lists call the number of a company. */
const numbersByRegister = {
  KE: 'BRS No|BRS Number|Cert. of Inc. No|Certificate of Incorporation No.|Nambari ya Kampuni|Namba ya Usajili wa Kampuni',
  TZ: 'BRELA No|BRELA Registration No.|Namba ya Usajili|Namba ya Kampuni|Cert. of Incorporation No',
  UG: 'URSB No.|URSB Number|Company Reg No',
  NG: 'RC No|CAC No|RC Number',
  GH: 'ORC No|RGD Number|Registration No.',
  ZM: 'PACRA No|PACRA Number',
  BW: 'CIPA No',
  ZA: 'CIPC Number|Enterprise No|Registrasienommer',
  US: 'Entity Number|Entity No.|SOS ID',
  IN: 'CIN|ROC No',
  LK: 'PV Registration No',
  MY: 'SSM No|Nombor Pendaftaran Syarikat',
  HK: 'BR No|公司編號|公司註冊編號',
  CN: '统一社会信用代码|注册号',
  DE: 'HRB|Handelsregisternummer',
  FR: 'SIREN|RCS',
  ES: 'NIF|Número de registro mercantil',
  PE: 'RUC',
  CO: 'Matrícula mercantil|Número de matrícula mercantil',
  PL: 'KRS|Numer KRS',
  TR: 'Ticaret Sicil No|MERSIS No',
  RU: 'ОГРН|Номер свидетельства о регистрации',
  EG: 'رقم السجل التجاري|رقم الشركة',
  GR: 'ΓΕΜΗ|Αριθμός εταιρείας',
  SN: 'RCCM|N° RCCM',
}

test.each(Object.entries(numbersByRegister))('The names of the numbers in %s are read', (_, headers) => {
  for (const header of headers.split('|'))
    for (const written of [header, header.toUpperCase(), `${header} `])
      expect([written, rankHeader('registration_id', written) >= 0]).toEqual([written, true])
})

test.each([
  'Entity Type',
  'Certificate',
  'Certificate No',
  'Entity Name',
  'PACRA',
  'Company',
  'Folio',
  'Matrícula',
])('%s alone names no company number, unless a register has the name', (header) => {
  expect(rankHeader('registration_id', header) >= 0).toBe(header === 'PACRA')
})

test.each([
  ['No. Syarikat', 'No. Syarikat Lama'],
  ['No. Pendaftaran Baru', 'No. Pendaftaran Lama'],
  ['Registration No.', 'Old Registration No.'],
  ['New Reg No', 'Old Reg No'],
  ['Company number', 'Former company number'],
  ['Numéro SIREN', 'Ancien numéro SIREN'],
  ['HRB-Nummer', 'Alte HRB-Nummer'],
  ['Numer KRS', 'Stary numer KRS'],
])('%s and %s are two columns of company numbers, the newer first', (one, other) => {
  expect(rankHeader('registration_id', one)).toBeGreaterThanOrEqual(0)
  expect(rankHeader('registration_id', other)).toBeGreaterThanOrEqual(rankHeader('registration_id', one))
})

test.each(['Old name', 'New York', 'Lama', 'Nova', 'Old customer'])(
  '%s names no company number',
  (header) => {
    expect(rankHeader('registration_id', header)).toBe(-1)
  },
)

test.each(['NIF grupo', 'NIF do Gerente', 'NIF du groupe', 'NIF do fiador', 'Group TIN', 'Parent LEI'])(
  '%s is the number of another party, and of no use for the company',
  (header) => {
    const table = {
      Nome: names,
      NIF: ['501556788', '', '', '', '', ''],
      [header]: ['500077568', '', '', '', '', ''],
    }
    expect(listLookupColumns(found(table))).not.toContain(header)
  },
)

test.each([
  'N.º de pessoa colectiva',
  'Nº Pessoa Coletiva',
  'Número de pessoa coletiva',
  'ORC Reg. No.',
  'RGD Reg No',
])('%s names company numbers', (header) => {
  expect(rankHeader('registration_id', header)).toBeGreaterThanOrEqual(0)
})

describe('Lists of banks in Kenya, Pakistan and Ukraine', () => {
  const three = names.slice(0, 3)
  test.each([
    [
      {
        'Account Title': three,
        'Taxpayer PIN': ['P051234567A', 'P051234568B', 'P051234569C'],
        Street: ['Moi Avenue 12', 'River Road 3', 'Kenyatta Avenue 7'],
      },
      ['Street'],
    ],
    [
      {
        'Company/Individual Name': three,
        'iTax PIN': ['P051234567A', 'P051234568B', 'P051234569C'],
        Town: ['Nairobi', 'Nakuru', 'Kisumu'],
      },
      ['Town'],
    ],
    [{ Клієнт: three, 'Населений пункт': ['Київ', 'Львів', 'Одеса'] }, ['Населений пункт']],
    [{ Назва: three, 'Місто/село': ['Київ', 'Львів', 'Одеса'] }, ['Місто/село']],
  ])('a tax number is no place: %j', (table, location) => {
    const { name, location: used } = found(table)
    expect([name, used]).toEqual([Object.keys(table)[0], location])
  })

  test('PINs of companies and persons are used below a header for persons, and those of persons alone are not', () => {
    const header = 'Personal Identification Number'
    const use = (cells: readonly string[]) =>
      found({ company: three, [header]: cells, Country: ['KE', 'KE', 'KE'] }).identifiers.registration_id
    expect(use(['P051234567A', 'P051234568B', 'A001234567C'])).toBe(header)
    expect(use(['A001234567A', 'A001234568B', 'A001234567C'])).toBeUndefined()
  })

  test('a column of kinds of documents tells the country of the persons', () => {
    expect(findDocumentCountries([['CC', 'NIT', 'CC']])).toEqual(['CO'])
    expect(
      findDocumentCountries([
        ['CI', 'CI'],
        ['PA', 'CO', 'PE'],
        ['DV', '1'],
      ]),
    ).toEqual([])
  })
})
