import { detectColumns } from '../../../src/pipeline/input/detect-columns.js'
import { listLookupColumns } from '../../../src/pipeline/input/columns.js'
import { toRowCells, toRowQuestion } from '../../../src/pipeline/input/row-question.js'
import { findCountryName } from '../../../src/core/countries.js'
import { closeNumber } from '../../../src/core/numbers/national-numbers.js'
import { listNestedNumbers } from '../../../src/core/numbers/number-forms.js'
import headerWords from '../../../src/core/headers.json' with { type: 'json' }
import numberForms from '../../../src/core/numbers/number-forms.json' with { type: 'json' }
import { formatTable } from './tables.js'

/** A number of companies: its country, its name as a header, an example, and the number to use instead if it is not sent. */
type CompanyNumber = readonly [country: string, name: string, example: string, instead?: string]

/** Numbers that readers look for. Whether a number is sent is found out by the code. */
export const companyNumbers: readonly CompanyNumber[] = [
  ['AE', 'TRN', '100123456700003'],
  ['AL', 'NIPT', 'L71234567A'],
  ['AM', 'ՀՎՀՀ', '01234567'],
  ['AR', 'CUIT', '30-12345678-1'],
  ['AT', 'Firmenbuchnummer', '93363z'],
  ['AT', 'UID', 'ATU14189108', 'Firmenbuchnummer'],
  ['AU', 'ABN', '51 824 753 556'],
  ['AU', 'ACN', '004 085 616'],
  ['AZ', 'VÖEN', '1234567891'],
  ['BA', 'JIB', '4200000000009'],
  ['BE', 'Ondernemingsnummer', '0417.497.106'],
  ['BE', 'BTW', 'BE0417497106'],
  ['BG', 'ЕИК', '831641791'],
  ['BG', 'ДДС', 'BG831641791'],
  ['BO', 'NIT', '1020000000'],
  ['BR', 'CNPJ', '11.222.333/0001-81'],
  ['BY', 'УНП', '100582333'],
  ['CA', 'Corporation number', '123456-7'],
  ['CA', 'BN', '123456789', 'Corporation number'],
  ['CH', 'UID', 'CHE-105.909.036'],
  ['CH', 'MWST', 'CHE-105.909.036 MWST'],
  ['CL', 'RUT', '76.086.428-5'],
  ['CN', '统一社会信用代码', '91110000710931336D'],
  ['CN', '税号', '91110000710931336D'],
  ['CO', 'NIT', '899.999.068-1'],
  ['CR', 'Cédula jurídica', '3-101-000000'],
  ['CY', 'VAT', 'CY10000000A'],
  ['CZ', 'IČO', '45274649'],
  ['CZ', 'DIČ', 'CZ45274649'],
  ['DE', 'HRB', 'HRB 501'],
  ['DE', 'USt-IdNr', 'DE136695976', 'HRB, HRA'],
  ['DE', 'Steuernummer', '12/345/67890', 'HRB, HRA'],
  ['DK', 'CVR', '24256790'],
  ['DO', 'RNC', '101-00157-7'],
  ['EC', 'RUC', '1790016919001'],
  ['EE', 'Registrikood', '10421629'],
  ['EE', 'KMKR', 'EE100247019', 'Registrikood'],
  ['EG', 'رقم السجل التجاري', '12345'],
  ['EG', 'الرقم الضريبي', '123-456-789', 'رقم السجل التجاري'],
  ['ES', 'NIF', 'A28015865'],
  ['ES', 'CIF', 'A28015865'],
  ['FI', 'Y-tunnus', '0112038-9'],
  ['FI', 'ALV-numero', 'FI01120389'],
  ['FR', 'SIREN', '552 032 534'],
  ['FR', 'TVA', 'FR40552032534'],
  ['GB', 'Companies House number', '00445790'],
  ['GB', 'VAT', 'GB220430231', 'Companies House number'],
  ['GB', 'UTR', '1234567890', 'Companies House number'],
  ['GE', 'საიდენტიფიკაციო კოდი', '404567890'],
  ['GE', 'TIN', '404567890'],
  ['GH', 'ORC number', 'CS123456789'],
  ['GH', 'TIN', 'C0001234567', 'ORC number'],
  ['GR', 'ΓΕΜΗ', '000312701000'],
  ['GR', 'ΑΦΜ', '094019245', 'ΓΕΜΗ'],
  ['GT', 'NIT', '1234567-9'],
  ['HN', 'RTN', '08019000000000'],
  ['HR', 'OIB', '11111111119'],
  ['HR', 'PDV ID', 'HR11111111119', 'OIB'],
  ['HU', 'Cégjegyzékszám', '01-10-041585'],
  ['HU', 'Adószám', '10625790-2-44', 'Cégjegyzékszám'],
  ['ID', 'NIB', '1234567890123'],
  ['ID', 'NPWP', '01.234.567.8-012.000', 'NIB'],
  ['IE', 'CRO', '123456'],
  ['IE', 'VAT', 'IE6388047V', 'CRO'],
  ['IL', 'ח.פ.', '510000011'],
  ['IL', 'עוסק מורשה', '510000011'],
  ['IN', 'CIN', 'L17110MH1973PLC019786'],
  ['IN', 'GSTIN', '27AAPFU0939F1ZV'],
  ['IN', 'PAN', 'AAPCU0939F', 'CIN, GSTIN'],
  ['IR', 'شناسه ملی', '10100000025'],
  ['IR', 'TIN', '10100000025'],
  ['IS', 'kennitala', '500269-5701'],
  ['IT', 'Partita IVA', '00488410010'],
  ['IT', 'Codice fiscale', '00488410010'],
  ['JP', '法人番号', '1180301018771'],
  ['JP', 'インボイス番号', 'T1180301018771'],
  ['KE', 'BRS number', 'PVT-ABCD123'],
  ['KE', 'KRA PIN', 'P051234567A'],
  ['KG', 'ИНН', '01234567890123'],
  ['KR', '사업자등록번호', '120-88-00767'],
  ['KR', '법인등록번호', '110111-0019214'],
  ['KR', 'Tax ID', '120-88-00767', '사업자등록번호'],
  ['KZ', 'БИН', '000440000013'],
  ['LK', 'TIN', '134123456'],
  ['LT', 'Įmonės kodas', '121215434'],
  ['LT', 'PVM kodas', 'LT100001738313', 'Įmonės kodas'],
  ['LU', 'RCS', 'B 99021'],
  ['LU', 'TVA', 'LU12345678', 'RCS'],
  ['LV', 'Reģistrācijas numurs', '40003032949'],
  ['LV', 'PVN', 'LV40003032949'],
  ['MA', 'RC', '34512 Tanger'],
  ['MA', 'ICE', '001234567000089', 'RC'],
  ['MD', 'IDNO', '1002600003778'],
  ['ME', 'PIB', '02000989'],
  ['MK', 'ЕМБС', '4030000'],
  ['MK', 'ЕДБ', '4030000000010'],
  ['MT', 'VAT', 'MT10000000'],
  ['MX', 'RFC', 'ABC680524P76'],
  ['MY', 'SSM', '201901000005'],
  ['MY', 'TIN', 'C20000000000', 'SSM'],
  ['NG', 'RC number', 'RC123456'],
  ['NG', 'TIN', '12345678-0001', 'RC number'],
  ['NI', 'RUC', 'J0310000000000'],
  ['NL', 'KvK', '12345678'],
  ['NL', 'BTW', 'NL004495445B01', 'KvK'],
  ['NL', 'RSIN', '004495445', 'KvK'],
  ['NO', 'Organisasjonsnummer', '974 760 673'],
  ['NO', 'mva', 'NO 974 760 673 MVA'],
  ['NZ', 'NZ company number', '1234567'],
  ['NZ', 'NZBN', '9429041535110', 'NZ company number'],
  ['PA', 'RUC', '155600000-2-2015'],
  ['PE', 'RUC', '20100070970'],
  ['PH', 'SEC number', 'CS201234567'],
  ['PH', 'TIN', '123-456-789-000', 'SEC number'],
  ['PK', 'CUIN', '0012345'],
  ['PK', 'NTN', '1234567-8', 'CUIN'],
  ['PL', 'KRS', '0000028860'],
  ['PL', 'REGON', '012100784'],
  ['PL', 'NIP', '5260250274', 'KRS, REGON'],
  ['PT', 'NIPC', '500273170'],
  ['PT', 'NIF', '500273170'],
  ['PY', 'RUC', '80012345-0'],
  ['RO', 'CUI', 'RO160796'],
  ['RS', 'Matični broj', '07000006'],
  ['RS', 'PIB', '100000008'],
  ['RU', 'ОГРН', '1027700132195'],
  ['RU', 'ИНН', '7707083893', 'ОГРН'],
  ['RW', 'TIN', '101234567'],
  ['SA', 'CR number', '1010001234'],
  ['SA', 'VAT', '300000000000003', 'CR number'],
  ['SE', 'Organisationsnummer', '556016-0680'],
  ['SE', 'Momsnummer', 'SE556016068001'],
  ['SG', 'UEN', '199201624D'],
  ['SI', 'Matična številka', '5000017'],
  ['SI', 'Davčna številka', '15012557', 'Matična številka'],
  ['SK', 'IČO', '31333532'],
  ['SK', 'DIČ', '2020317068'],
  ['SK', 'IČ DPH', 'SK2020317068', 'IČO, DIČ'],
  ['SV', 'NIT', '0614-000000-000-0'],
  ['TH', 'เลขทะเบียนนิติบุคคล', '0105536000011'],
  ['TH', 'เลขประจำตัวผู้เสียภาษี', '0105536000011'],
  ['TN', 'Matricule fiscal', '1234567A'],
  ['TR', 'MERSIS', '0123456789012345'],
  ['TR', 'VKN', '1234567890', 'MERSIS'],
  ['TW', '統一編號', '04595257'],
  ['TZ', 'BRELA number', '123456'],
  ['TZ', 'TIN', '100-123-456', 'BRELA number'],
  ['UA', 'ЄДРПОУ', '00032112'],
  ['UA', 'ІПН', '000321126543'],
  ['UG', 'URSB number', '80010001234567'],
  ['UG', 'TIN', '1000123456', 'URSB number'],
  ['US', 'EIN', '13-0871985'],
  ['UY', 'RUT', '211003420017'],
  ['UZ', 'STIR', '200000000'],
  ['VE', 'RIF', 'J-00001231-8'],
  ['VN', 'Mã số thuế', '0100109106'],
  ['ZA', 'CIPC', '1999/012345/07'],
  ['ZA', 'VAT', '4123456789', 'CIPC'],
  ['ZM', 'PACRA number', '120190001234'],
  ['ZM', 'TPIN', '1001234567', 'PACRA number'],
]

/** Whether a hosted service gets a number of a column with this header, in a row of this country. */
export function isSent(country: string, header: string, example: string): boolean {
  const cells = new Map([
    ['Company', 'Larkmoor'],
    ['Country', country],
    [header, example],
  ])
  const samples = new Map([...cells].map(([column, cell]) => [column, [cell, cell, cell]]))
  const columns = detectColumns([...cells.keys()], { hasTaxNumbers: false }, samples)
  const rule = { columns, identifierUse: 'context', readsNames: true } as const
  const row = toRowCells(
    rule,
    listLookupColumns(columns).map((column) => cells.get(column) ?? null),
  )
  const question = toRowQuestion(rule, row)
  return question.kind === 'resolution' && /number|EIN/.test(question.lookup.context ?? '')
}

/** English headers that name no country's number. */
const openHeaders = ['Registration number', 'TIN', 'Tax ID', 'VAT number'] as const

const nameCountry = (code: string): string => `${findCountryName(code) ?? code} (${code})`
const byName = (one: readonly string[], other: readonly string[]): number =>
  (one[0] ?? '').localeCompare(other[0] ?? '', 'en')

const listCompanyNumbers = (): string[][] =>
  companyNumbers
    .map(([country, name, example, instead = '']) => [
      nameCountry(country),
      name,
      `\`${example}\``,
      isSent(country, name, example) ? 'yes' : 'no',
      instead,
    ])
    .sort(byName)

const listOpenHeaders = (): string[][] =>
  openHeaders.map((header) => {
    const sent = companyNumbers.filter(
      ([country, name, example]) => isSent(country, name, example) && isSent(country, header, example),
    )
    const countries = new Set(sent.map(([country]) => country))
    return [`\`${header}\``, [...countries].map(nameCountry).sort().join(', ')]
  })

/** Lists the numbers with which a company is found with and without their last digit, the check digit: "RUT (Chile)". */
const listShortenedNumbers = (): string =>
  companyNumbers
    .filter(([country, , example]) => {
      const whole = closeNumber(example)
      const code = country.toLowerCase()
      const short = whole.slice(0, -1)
      return listNestedNumbers(code, short).includes(whole) && listNestedNumbers(code, whole).includes(short)
    })
    .map(([country, name]) => `${name} (${findCountryName(country) ?? country})`)
    .sort()
    .join(', ')

/** Forms that are tested by check digits in addition. */
const testedForms: Readonly<Record<string, string>> = {
  BE: '\\d{11}',
  BR: '\\d{11}',
  CL: '[1-3]\\d{7}[\\dK]|[1-9]\\d{6}[\\dK]',
  CZ: 'YYMMDD\\d{4}',
  ES: '[\\dXYZ]\\d{7}[A-Z]',
  KR: 'YYMMDD[1-8]\\d{6}',
  PL: '\\d{11}',
  SK: 'YYMMDD\\d{4}',
  US: '\\d{3}-\\d{2}-\\d{4}',
}

/** The numbers of persons by country: the headers of columns that are never used, and the form in any other column. */
function listPersonNumbers(): string[][] {
  const headers = new Set(headerWords.others['number of a person'].flatMap((list) => list.split('|')))
  const names = new Map(
    Object.entries(headerWords.personNumbers).map(([country, list]) => [
      country,
      list.split('|').filter((name) => headers.has(name)),
    ]),
  )
  const forms = new Map([
    ...Object.entries(numberForms.persons.forms).flatMap(([countries, form]) =>
      countries.split(',').map((country) => [country.toUpperCase(), form] as const),
    ),
    ...Object.entries(testedForms),
  ])
  const own = [...headers].filter((name) => /^Ghana Card/.test(name))
  return [...forms]
    .map(([country, form]) => [
      nameCountry(country),
      [...(country === 'GH' ? own : []), ...(country === 'BR' ? ['CPF'] : []), ...(names.get(country) ?? [])]
        .map((name) => `\`${name}\``)
        .join(', '),
      `\`${form.replaceAll('{dmy}', 'DDMMYY').replaceAll('{ymd}', 'YYMMDD').replaceAll('|', '\\|')}\``,
    ])
    .sort(byName)
}

/** The page that says what happens to a number, by country: `note` marks it as generated. */
export const formatNumbersPage = (note: string): string =>
  [
    '# Tax numbers, VAT numbers, registration numbers and numbers of persons',
    note,
    'The embedded service runs on your machine, and searches your registry for every number of a company. A hosted service and `enrich serve`\n' +
      'get only the numbers with "yes". `plan` shows [which columns are used](docs/manual/your-own-list.md#which-columns-are-used).',
    '## Numbers of companies, by country',
    'The table has an example of a header for each number; [other headers](headers.md) work too. Your list also needs a column of countries. Keep a column with "no": the embedded\n' +
      'service uses it. Open registers rarely have such a number, so a hosted service does not get it: add the number in the last column too. To\n' +
      'send a number with "no", name its column: `--id-columns registration_id=TIN`.',
    formatTable({
      head: ['country', 'header in your list', 'example', 'sent to a hosted service', 'use instead'],
      rows: listCompanyNumbers(),
    }).trimEnd(),
    '## Numbers without their check digit',
    `A company is found with and without the last digit of these numbers: ${listShortenedNumbers()}.\n` +
      'Other numbers need the check digits that your register has. A check digit in a column of its own (`DV`) is neither added to the number\n' +
      'nor checked. For a wrong check digit, see [Lookup by identifier](docs/reference/register-files.md#lookup-by-identifier).',
    '## Headers of many countries',
    'Lists of many countries use the headers below. A number with "yes" above is also sent if it is below one of these headers, and the row has\n' +
      'one of the countries next to the header. In rows of other countries, numbers below `Registration number` are sent, and numbers below the\n' +
      'other three headers are not.',
    formatTable({ head: ['header', 'sent in rows of'], rows: listOpenHeaders() }).trimEnd(),
    '## Numbers of persons, which are withheld',
    'A number that only persons have is left out of names and of columns of identifiers, also if `--id-columns` names the column. The row is\n' +
      'looked up without the number, and `plan` counts such rows. A column with a header of the table, or\n' +
      'with a word for a natural person (`MST cá nhân`), is never used. A number of the form next to it is left out of every other column too. Where the table has no form, only the header protects. The\n' +
      'country is that of the row, or of the header. Other countries are unprotected.',
    'To send such a number on purpose, pass its column with `--context-columns` or `--location-columns`: they are sent unchanged.',
    'In the forms, `\\d` is a digit, and DDMMYY or YYMMDD a date of birth. Spaces and signs are ignored. In Belgium, Brazil, Czechia, Poland,\n' +
      'Slovakia, South Korea and Spain, the check digits decide too. These forms are left out in rows of every country: `111.444.777-35` (CPF),\n' +
      '`123-45-6789` (SSN), `GHA-123456789-1` (Ghana Card), `85.07.30-033.28` (Belgium), `010190-1234` (Denmark), `010190-123A` (Finland), and the\n' +
      'codice fiscale of Italy.',
    'In Viet Nam, these are numbers of persons: 12 digits (CCCD), personal tax codes, which begin with 8, and old numbers of nine digits (CMND),\n' +
      'also with three digits of a branch behind them. Since 2025, the tax code of a household business is the CCCD of its owner: its name finds\n' +
      'it. In Czechia, Slovakia and Viet Nam, the number of a person without its first zeros may look like a company number with a wrong digit.\n' +
      '`plan` lists such rows apart, and they are looked up without the number.',
    formatTable({
      head: ['country', 'headers that are never used', 'form'],
      rows: [...listPersonNumbers(), ['every country', listOtherPersonHeaders(), '']],
    }).trimEnd(),
  ].join('\n\n')

/** The headers of persons' numbers without a country. */
function listOtherPersonHeaders(): string {
  const named = new Set(Object.values(headerWords.personNumbers).flatMap((list) => list.split('|')))
  return headerWords.others['number of a person']
    .flatMap((list) => list.split('|'))
    .filter((name) => !named.has(name) && !/^Ghana Card|^CPF$/.test(name))
    .map((name) => `\`${name}\``)
    .join(', ')
}
