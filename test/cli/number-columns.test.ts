import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasWrongCheckDigits, toNationalNumber } from '../../src/core/numbers/national-numbers.js'
import { Chance } from '../simulation/chance.js'
import { importRegister } from '../../src/registry/load.js'
import { createPlace } from '../support/cli.js'
import { makeFolder } from '../support/temporary-folder.js'

/** Headers of company numbers, as lists of a country have them, and how the list writes a number. */
const lists: readonly (readonly [country: string, header: string, write: (digits: string) => string])[] = [
  ['FR', 'SIREN', (digits) => digits.replace(/(\d{3})(?=\d)/g, '$1 ')],
  ['FR', 'N° SIREN', (digits) => digits],
  ['BR', 'CNPJ', (digits) => digits.replace(/^0{1,3}/, '')],
  ['AU', 'ABN', (digits) => digits.replace(/^(\d\d)(\d{3})(\d{3})/, '$1 $2 $3 ')],
  ['AU', 'A.C.N.', (digits) => digits.replace(/^0{1,3}/, '')],
  ['NO', 'Organisasjonsnummer', (digits) => digits.replace(/(\d{3})(?=\d)/g, '$1 ')],
  ['NO', 'Org.nr.', (digits) => digits],
  ['SE', 'Organisationsnummer', (digits) => digits],
  ['SE', 'org nr', (digits) => `16${digits}`],
  ['DK', 'CVR-nr.', (digits) => digits],
  ['BE', 'Ondernemingsnummer', (digits) => `BE${digits}`],
  ['BE', "Numéro d'entreprise", (digits) => digits.replace(/^0/, '')],
  ['CH', 'UID', (digits) => `CHE-${digits.replace(/(\d{3})(?=\d)/g, '$1.')}`],
  ['CH', 'Numéro IDE', (digits) => `CHE${digits}`],
  ['CZ', 'IČO', (digits) => digits.replace(/^0{1,3}/, '')],
  ['SK', 'Identifikačné číslo', (digits) => digits],
  ['FI', 'Y-tunnus', (digits) => digits.replace(/(\d)$/, '-$1')],
  ['EE', 'Registrikood', (digits) => digits],
  ['LV', 'Reģistrācijas numurs', (digits) => digits],
  ['NL', 'KvK-nummer', (digits) => digits.replace(/^0{1,3}/, '')],
  ['TW', '統一編號', (digits) => digits],
  ...['MWST', 'TVA', 'IVA', 'HR/MWST'].map(
    (suffix) =>
      ['CH', 'UID', (digits: string) => `CHE-${digits.replace(/(\d{3})(?=\d)/g, '$1.')} ${suffix}`] as const,
  ),
  ['CH', 'VAT', (digits) => `CHE${digits}MWST`],
  ['NO', 'MVA', (digits) => `NO ${digits} MVA`],
  ['BE', 'BTW-nummer', (digits) => `BE ${digits.replace(/^(\d{4})(\d{3})/, '$1.$2.')}`],
  ['IT', 'Partita IVA', (digits) => `IT${digits}`],
  ['SE', 'Momsnummer', (digits) => `SE${digits}01`],
  ['FI', 'VAT', (digits) => `FI${digits}`],
]

const lengths: Readonly<Record<string, number>> = {
  ...{
    FR: 9,
    BR: 14,
    NO: 9,
    SE: 10,
    DK: 8,
    BE: 10,
    CH: 9,
    CZ: 8,
    SK: 8,
    FI: 8,
    EE: 8,
    LV: 11,
    NL: 8,
    TW: 8,
    IT: 11,
  },
}

/** Numbers of these countries begin with zeros, which tables lose. */
const zeros: Readonly<Record<string, string>> = { BR: '0', AU: '0', CZ: '0', NL: '0', FI: '0' }

const chance = new Chance(55)

/** Makes a number that a register could give: the last digits are tried until the check digits fit. */
function makeNumber(country: string, header: string, row: number): string {
  const length = country === 'AU' ? (header === 'ABN' ? 11 : 9) : (lengths[country] ?? 0)
  const first = country === 'BE' ? '0' : country === 'LV' ? '4' : row === 0 ? '5' : (zeros[country] ?? '9')
  for (;;) {
    const rest = Array.from({ length: length - 3 }, () => String(chance.whole(0, 9))).join('')
    // Others are numbers of persons.
    if (country === 'SE' && !/^.[2-9]/.test(rest)) continue
    for (let last = 0; last < 100; last++) {
      const digits = `${first}${rest}${String(last).padStart(2, '0')}`
      if (toNationalNumber(country.toLowerCase(), digits)?.replace(/\D/g, '') === digits) return digits
    }
  }
}

const rowCount = 4
const cases = lists.map(([country, header, write], at) => {
  const companies = Array.from({ length: rowCount }, (_, row) => ({
    name: `Talquell ${at} ${row} Holding`,
    digits: makeNumber(country, header, row),
  }))
  return { country, header, companies, write }
})

const folder = makeFolder()
const registryPath = join(folder, 'registry.sqlite')
beforeAll(async () => {
  const rows = cases.flatMap(({ country, companies }) =>
    companies.map(({ name, digits }) => {
      const code = country.toLowerCase()
      return `"${toNationalNumber(code, digits) ?? ''}","${name}",${code},${country}`
    }),
  )
  const path = join(folder, 'register.csv')
  writeFileSync(path, ['id,name,jurisdiction,country', ...rows, ''].join('\n'))
  await importRegister(registryPath, { format: 'csv', path, idType: 'registration_id' })
})

describe.each(cases.map((one) => [one.country, one.header, one] as const))(
  '%s: %s',
  (country, header, one) => {
    const { companies, write } = one
    const writeList = (numbers: readonly string[], names: readonly string[] | null) =>
      [
        '"' + header + '"' + (names === null ? '' : ',name'),
        ...numbers.map((number, at) => `"${number}"${names === null ? '' : `,"${names[at] ?? ''}"`}`),
        '',
      ].join('\n')

    test('the column is recognized, and its numbers find the companies without a name', async () => {
      const place = createPlace()
      place.write(
        'list.csv',
        writeList(
          companies.map(({ digits }) => write(digits)),
          null,
        ),
      )
      const { code, stderr } = await place.run(['list.csv', '-o', 'out.ndjson', '--registry', registryPath])
      expect({ code, stderr }).toMatchObject({ code: 0 })
      const found = place
        .read('out.ndjson')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { enrich_legal_name: string }).enrich_legal_name)
      expect(found).toEqual(companies.map(({ name }) => name))
    })

    test('a number with a wrong check digit is told before anything is paid', async () => {
      const [first, second, third, fourth] = companies.map(({ digits }) => digits)
      const wrong = Array.from({ length: 9 }, (_, at) =>
        String((BigInt(first ?? '') + BigInt(at + 1)) % 10n ** BigInt(first?.length ?? 0)).padStart(
          first?.length ?? 0,
          '0',
        ),
      ).find((digits) => hasWrongCheckDigits(country.toLowerCase(), write(digits)))
      // Without check digits nothing is wrong, nor is a number that lost its zeros.
      if (wrong === undefined) return
      const numbers = [wrong, second, third, fourth].map((digits) => write(digits ?? ''))
      const place = createPlace()
      place.write(
        'list.csv',
        writeList(
          numbers,
          companies.map(({ name }) => name),
        ),
      )
      const { stdout } = await place.run(['plan', 'list.csv', '--registry', registryPath])
      expect(stdout).toContain('1 row has a company number with wrong check digits (row 1): correct them')
    })
  },
)

describe('wrong check digits', () => {
  const right = ['542051180', '383474814', '552100554', '552032534']
  const wrong = ['552032535', '552032536', '552032537']
  const writeRows = (numbers: readonly string[]) =>
    ['SIREN,name', ...numbers.map((number, at) => `${number},Talquell ${at} Holding`), ''].join('\n')

  test('of a tenth of the rows stop a run on a service that bills, before anything is sent', async () => {
    const place = createPlace()
    place.write('list.csv', writeRows([...right, ...wrong]))
    const { stdout } = await place.run(['plan', 'list.csv'])
    expect(stdout).toContain('doubtful: 3 rows have a company number with wrong check digits (rows 5, 6, 7)')
    const run = await place.run(['list.csv', '-o', 'out.csv', '--base-url', 'http://127.0.0.1:9'])
    expect(run).toMatchObject({ code: 7, stderr: expect.stringContaining('INPUT_DOUBTFUL') as string })
  })

  test('of most rows: the column is not used, and the plan says why', async () => {
    const place = createPlace()
    place.write('list.csv', writeRows([right[0] ?? '', ...wrong]))
    const { stdout } = await place.run(['plan', 'list.csv'])
    expect(stdout).toContain('not used: SIREN (company number: most cells have wrong check digits)')
  })

  test('without a name: the row is not looked up, and says why', async () => {
    const place = createPlace()
    place.write('list.csv', ['SIREN', ...right, wrong[0], ''].join('\n'))
    await place.run(['list.csv', '-o', 'out.csv', '--columns', 'status,error'])
    expect(place.read('out.csv')).toMatch(
      /552032535,invalid_input,"?no company name, and the company number has wrong check digits/,
    )
  })

  test('a column of other numbers named UID is not used', async () => {
    const place = createPlace()
    place.write('list.csv', 'UID,company name\n10001,Apple\n10002,Ford\n10003,Tesco\n')
    const { stdout } = await place.run(['plan', 'list.csv'])
    expect(stdout).toContain('not used: UID (company number: most cells are not company numbers')
  })
})

test('A run looks up the same numbers as its plan in a list without names', async () => {
  const place = createPlace()
  place.write('list.csv', 'ক্রমিক,ধরন,ঠিকানা,টিন নং\n1,x,Dhaka,123456789012\n2,y,Dhaka,123456789013\n')
  const plan = await place.run(['plan', 'list.csv'])
  const run = await place.run(['list.csv', '-o', 'out.csv'])
  expect([plan.code, run.code]).toEqual([0, 0])
  for (const text of [plan.stdout, run.stderr]) expect(text).toContain('company number from টিন নং')
})

test('The account of a customer at a bank is not sent, and a number of a register is', async () => {
  const place = createPlace()
  place.write(
    'list.csv',
    'Name of Party,A/C No.,CIF ID,RJSC Reg. No\nAlpha Ltd,0112345678901,CIF0045567,C-12345/12\nBeta Ltd,0112345678902,CIF0045568,C-23456/13\n',
  )
  const { stdout } = await place.run(['plan', 'list.csv'])
  expect(stdout).toContain('company number from RJSC Reg. No\n')
})
