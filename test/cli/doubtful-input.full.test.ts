import { describe, expect, test, type TestContext } from 'vitest'
import { errorCodes } from '../../src/index.js'
import { createPlace, quickConfig, type CliPlace } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'
import { textRow, writeXlsx } from '../support/xlsx-file.js'
import { queryDuckDb, rowsOfCsv } from '../support/tables.js'

interface Billed {
  readonly place: CliPlace
  readonly names: () => string[]
  readonly run: (args: readonly string[]) => ReturnType<CliPlace['run']>
}

/** A config for tests, as `fast.json`: nothing waits that need not. */
const fast = quickConfig

/** A place with a hosted service that counts what it bills. */
async function createBilled(onTestFinished: TestContext['onTestFinished']): Promise<Billed> {
  const place = createPlace(onTestFinished)
  const service = await startHosted({ runTakes: { polls: 1 } }, onTestFinished)
  place.write('fast.json', JSON.stringify(fast))
  return {
    place,
    names: () => service.runs.map(({ query }) => query.name).sort(),
    run: (args) => place.run([...args, '--base-url', service.baseUrl, '--config', 'fast.json']),
  }
}

const doubtful = errorCodes.INPUT_DOUBTFUL

describe('a list with one column', () => {
  test.for<[what: string, text: string, names: string[]]>([
    [
      'commas',
      'company_name\nApple, Inc.\nTesco PLC\nAlphabet, Inc.\n',
      ['Alphabet, Inc.', 'Apple, Inc.', 'Tesco PLC'],
    ],
    [
      'semicolons',
      '"Firma"\r\nMüller; Söhne GmbH\r\nBASF SE\r\nBayer AG\r\n',
      ['BASF SE', 'Bayer AG', 'Müller; Söhne GmbH'],
    ],
    ['an empty second column', 'company_name;\nApple, Inc.;\nTesco PLC;\n', ['Apple, Inc.', 'Tesco PLC']],
    [
      'delimiters that end rows only',
      '\ufeffRaison sociale\nDanone;\nL’Oréal, SA;\n',
      ['Danone', 'L’Oréal, SA'],
    ],
  ])('is submitted a line at a time, with %s', async ([, text, names], { onTestFinished }) => {
    const { place, run, names: billed } = await createBilled(onTestFinished)
    place.write('in.csv', text)
    const { code, stderr } = await run(['in.csv', '-o', 'out.csv'])
    expect([code, billed()], stderr).toEqual([0, names])
  })

  test('is submitted in pieces if the user says so and accepts it', async ({ onTestFinished }) => {
    const { place, run, names } = await createBilled(onTestFinished)
    place.write('in.csv', 'company_name\nApple, Inc.\nTesco PLC\n')
    const asked = ['in.csv', '-o', 'out.csv', '--delimiter', ',']
    const stopped = await run(asked)
    expect(stopped.code).toBe(doubtful)
    expect(stopped.stderr).toMatch(/1 row has more cells than the header[^]*\(line 2\)/)
    expect(names()).toEqual([])
    expect((await run([...asked, '--accept-doubtful-input'])).code).toBe(0)
    expect(names()).toEqual(['Apple', 'Tesco PLC'])
  })
})

describe('a list whose headers are unknown', () => {
  test.for<[language: string, text: string, names: string[]]>([
    [
      'Ukrainian',
      'Код;Кого веземо;Адреса\n1;ТОВ "Нова Пошта";Київ\n2;АТ "Укрзалізниця";Київ\n3;ПрАТ "Київстар";Київ\n',
      ['АТ "Укрзалізниця"', 'ПрАТ "Київстар"', 'ТОВ "Нова Пошта"'],
    ],
    [
      'Thai',
      'ลำดับ,ผู้ว่าจ้างงาน\n1,บริษัท ปตท. จำกัด (มหาชน)\n2,บมจ. ซีพี ออลล์\n3,บจก. เซ็นทรัล รีเทล\n',
      ['บจก. เซ็นทรัล รีเทล', 'บมจ. ซีพี ออลล์', 'บริษัท ปตท. จำกัด (มหาชน)'],
    ],
    [
      'Greek',
      'Κωδ.,Ποιος πληρώνει\n1,ΟΤΕ Α.Ε.\n2,Jumbo ΑΕΕ\n3,Πλαίσιο Ε.Π.Ε.\n',
      ['Jumbo ΑΕΕ', 'ΟΤΕ Α.Ε.', 'Πλαίσιο Ε.Π.Ε.'],
    ],
    ['none', 'x1,x2,x3\n1,Siemens AG,a\n2,Nokia Oyj,b\n3,Orange,c\n', ['Nokia Oyj', 'Orange', 'Siemens AG']],
    ['none, two rows', 'x1,x2\n1,Siemens AG\n2,Nokia Oyj\n', ['Nokia Oyj', 'Siemens AG']],
  ])('is read by its cells, and billed only if the user accepts that: %s', async ([, text, names], on) => {
    const { place, run, names: billed } = await createBilled(on.onTestFinished)
    place.write('in.csv', text)
    const stopped = await run(['in.csv', '-o', 'out.csv'])
    expect([stopped.code, billed()]).toEqual([doubtful, []])
    expect(stopped.stderr).toContain('no header is known to name companies')
    expect((await run(['in.csv', '-o', 'out.csv', '--accept-doubtful-input'])).code).toBe(0)
    expect(billed()).toEqual(names)
  })

  test.for([
    ['a column of words', 'x1,x2\n1,Siemens\n2,Nokia\n3,Orange\n'],
    ['two columns of companies', 'x1,x2\nSiemens AG,Bayer AG\nNokia Oyj,Kone Oyj\nOrange SA,Danone SA\n'],
    ['two rows, one without a form', 'x1,x2\n1,Siemens\n2,Nokia Oyj\n'],
  ])('has no names if its cells do not prove them: %s', async ([, text = ''], on) => {
    const { place, run, names } = await createBilled(on.onTestFinished)
    place.write('in.csv', text)
    const { code, stderr } = await run(['in.csv', '-o', 'out.csv', '--accept-doubtful-input'])
    expect([code, names()]).toEqual([2, []])
    expect(stderr).toContain('INPUT_COLUMN_MISSING')
  })
})

test.for<[what: string, files: Record<string, string>, told: RegExp]>([
  [
    'a row with fewer cells',
    { 'a.csv': 'name,city\nAcme,Köln\nBolt\n' },
    /a\.csv: 1 row has fewer cells.*line 3/,
  ],
  [
    'a row with more cells',
    { 'a.csv': 'name;city\nAcme;Köln\nBolt; Inc.;Lyon\n' },
    /1 row has more cells.*line 3/,
  ],
  [
    'lines left out',
    { 'a.csv': 'Report 2026\n\nname;city;land\nAcme;Köln;DE\nBolt;Lyon;FR\n' },
    /2 lines above.*line 3/,
  ],
  [
    'a column that the header does not name',
    { 'a.csv': 'name\nAcme|Köln\nBolt|Lyon\n' },
    /2 of the first 2 rows \(line 2, 3\).*vertical bar/,
  ],
  ['commas in a file named .tsv', { 'a.tsv': 'name,city\nAcme,Köln\n' }, /a\.tsv: it is named \.tsv.*comma/],
  [
    'files with different delimiters',
    { 'a.csv': 'name,city\nAcme,Köln\n', 'b.csv': 'name;city\nBolt;Lyon\n' },
    /different delimiters/,
  ],
  [
    'a single carriage return in a file of line feeds',
    { 'a.csv': 'name\nAcme\rInc.\n"Bolt\rLtd"\n' },
    /1 line ends with a single carriage return.*first is line 2/,
  ],
  [
    'a header with other columns',
    { 'a.csv': 'name,city\nAcme,Köln\nname,country\nBolt,FR\n' },
    /1 row is a header with other columns \(row 2\)/,
  ],
])('%s stops a run that is billed, and only such a run', async ([, files, told], { onTestFinished }) => {
  const { place, run, names } = await createBilled(onTestFinished)
  for (const [name, text] of Object.entries(files)) place.write(name, text)
  const asked = [...Object.keys(files), '-o', 'out.ndjson']
  const plan = await run(['plan', ...Object.keys(files), '--json'])
  expect((JSON.parse(plan.stdout) as { doubts: string[] }).doubts).toEqual([expect.stringMatching(told)])
  const stopped = await run(asked)
  expect(stopped.code, stopped.stderr).toBe(doubtful)
  expect(stopped.stderr).toMatch(told)
  expect(stopped.stderr).toMatch(/error INPUT_DOUBTFUL[^]*--accept-doubtful-input/)
  expect([names(), place.names().includes('out.ndjson')]).toEqual([[], false])
  const free = await place.run([...asked, '--checkpoint', 'free.sqlite'])
  expect(free.code, free.stderr).toBe(0)
  expect(free.stderr).toMatch(told)
  const accepted = await run([...asked, '--accept-doubtful-input'])
  expect(accepted.code, accepted.stderr).toBe(0)
  expect(names().length).toBeGreaterThan(0)
})

test('blank lines, trailing delimiters and a repeated header stop nothing', async ({ onTestFinished }) => {
  const { place, run, names } = await createBilled(onTestFinished)
  place.write('in.csv', '\n\ufeffCompany Name,city\n\n   \nAcme,Köln,\nCOMPANY_NAME, City\nBolt,Lyon,,\n\n')
  const { code, stderr } = await run(['in.csv', '-o', 'out.csv'])
  expect(code, stderr).toBe(0)
  expect(names()).toEqual(['Acme', 'Bolt'])
  expect(stderr).toMatch(/1 row repeats the header \(row 3\): not looked up/)
  expect(rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_status'])).toEqual([
    'invalid_input',
    'no_match',
    'invalid_input',
    'no_match',
  ])
})

test('a killed run that was accepted is resumed without the flag, and answered rows stop nothing', async ({
  onTestFinished,
}) => {
  const { place, run, names } = await createBilled(onTestFinished)
  place.write('in.csv', 'name,city\nAcme,Köln\nBolt\nCargo,Lyon\n')
  const asked = ['in.csv', '-o', 'out.csv']
  expect((await run([...asked, '--accept-doubtful-input', '--max-lookups', '1'])).code).toBe(8)
  expect(names()).toHaveLength(1)
  expect((await run(asked)).code).toBe(0)
  expect(names()).toHaveLength(3)
  expect((await run(asked)).code).toBe(0)
  place.write('in.csv', 'name,city\nAcme,Köln\nBolt\nCargo,Lyon\nDelta\n')
  expect((await run(asked)).code).toBe(doubtful)
  expect(names()).toHaveLength(3)
})

test('an export of an accepted run, and the next commands, do not ask again', async ({ onTestFinished }) => {
  const { place, run } = await createBilled(onTestFinished)
  place.write('in.csv', 'name,city\nAcme,Köln\nBolt\n')
  await run(['in.csv', '-o', 'out.csv', '--accept-doubtful-input'])
  const { code, stderr } = await run(['export', 'in.csv', '-o', 'again.csv'])
  expect(code, stderr).toBe(0)
  expect(place.read('again.csv')).toBe(place.read('out.csv'))
})

describe('a repeated header', () => {
  const header = ['Company Name', 'City']
  const again = ['company_name ', ' CITY']
  const rows = [['Acme', 'Köln'], again, ['Bolt', 'Lyon']]
  test.for<[format: string, write: (place: CliPlace) => unknown]>([
    ['csv', (place) => place.write('in.csv', [header, ...rows].map((row) => row.join(',')).join('\n'))],
    [
      'ndjson',
      (place) =>
        place.write(
          'in.ndjson',
          rows.map(([name, city]) => JSON.stringify({ 'Company Name': name, City: city })).join('\n'),
        ),
    ],
    [
      'xlsx',
      (place) =>
        writeXlsx(place.folder, 'in.xlsx', {
          sheets: [
            { name: 'Companies', rows: [header, ...rows].map((row, at) => textRow(at + 1, row)).join('') },
          ],
        }),
    ],
    [
      'parquet',
      (place) =>
        queryDuckDb(
          `COPY (SELECT * FROM (VALUES ${rows.map(([name, city]) => `('${name}', '${city}')`).join(', ')}) AS t("Company Name", "City")) TO '${place.path('in.parquet')}' (FORMAT parquet)`,
        ),
    ],
  ])('is not billed in %s', async ([format, write], { onTestFinished }) => {
    const { place, run, names } = await createBilled(onTestFinished)
    await write(place)
    const { code, stderr } = await run([`in.${format}`, '-o', 'out.csv'])
    expect(code, stderr).toBe(0)
    expect(names()).toEqual(['Acme', 'Bolt'])
    expect(rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_error'])).toEqual([
      '',
      'the row repeats the header',
      '',
    ])
  })
})

describe('a row with a total', () => {
  const listOf = (...names: string[]) =>
    `Name,City\nAcme,Leeds\n${names.map((name) => `${name},\n`).join('')}`
  test.for([
    ['English', 'Grand Total|Sub-total:|Total|TOTAL 24|(24 rows)|3 rows affected'],
    ['German', 'Gesamtsumme:|Zwischensumme|Summe|Gesamt: 1.024'],
    ['Romance languages', 'Total général|Sous-total|Totale generale|Suma total|Total geral|Totaux'],
    ['Slavic languages', 'Итого:|Всего|Razem|Celkem|Ukupno|Усього'],
    ['others', 'Σύνολο|合計|小计|총계|Genel Toplam|Yhteensä|Összesen|I alt|المجموع|סה"כ|Tổng cộng|รวม'],
  ])('is not billed, and says why: %s', async ([, totals = ''], { onTestFinished }) => {
    const { place, run, names } = await createBilled(onTestFinished)
    const rows = totals.split('|')
    place.write('in.csv', listOf(...rows.map((name) => `"${name.replaceAll('"', '""')}"`)))
    const { code, stderr } = await run(['in.csv', '-o', 'out.csv'])
    expect([code, names()], stderr).toEqual([0, ['Acme']])
    expect(stderr).toContain('a total instead of a company')
    expect(rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_error'])).toEqual([
      '',
      ...rows.map(() => 'the row has a total instead of a company'),
    ])
  })

  test('is a company if the row has more than the name, or the list has only names', async ({
    onTestFinished,
  }) => {
    const { place, run, names } = await createBilled(onTestFinished)
    place.write('in.csv', 'Name,City\nTotal,Paris\nSumma,Espoo\nTotal Produce,\nSum of Us,\n')
    expect((await run(['in.csv', '-o', 'out.csv'])).code).toBe(0)
    place.write('names.csv', 'Name\nTotal\nSuma\n')
    expect((await run(['names.csv', '-o', 'names.out.csv'])).code).toBe(0)
    expect(names()).toEqual(['Sum of Us', 'Suma', 'Summa', 'Total', 'Total', 'Total Produce'])
  })
})

describe('a file without a header', () => {
  test.for<[language: string, names: string[]]>([
    ['English', ['Apple, Inc.', 'Tesco PLC', 'Alphabet, Inc.']],
    ['German', ['Müller; Söhne GmbH & Co. KG', 'Bäckerei Huber', 'Siemens AG']],
    ['French', ['Société Générale SA', 'Danone', 'L’Oréal']],
    ['Japanese', ['トヨタ自動車株式会社', 'ソニー', '任天堂株式会社']],
    ['Russian', ['ООО Ромашка', 'Газпром']],
  ])('is recognized and read with --no-header: %s', async ([, names], { onTestFinished }) => {
    const { place, run, names: billed } = await createBilled(onTestFinished)
    place.write('in.txt', `${names.join('\n')}\n`)
    const refused = await run(['in.txt', '-o', 'out.csv'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(
      /error INPUT_HEADER_MISSING: in\.txt (?:has|seems to have) no header: line 1/,
    )
    expect(refused.stderr).toMatch(/hint: pass --no-header/)
    expect(refused.stderr).toContain(names[0])
    const { code, stderr } = await run(['in.txt', '-o', 'out.csv', '--no-header'])
    expect(code, stderr).toBe(0)
    expect(billed()).toEqual([...names].sort())
    expect(rowsOfCsv(place.read('out.csv')).map((row) => row['column_1'])).toEqual(names)
    const exported = await run(['export', 'in.txt', '-o', 'again.csv', '--no-header'])
    expect(exported.code, exported.stderr).toBe(0)
    expect(place.read('again.csv')).toBe(place.read('out.csv'))
  })

  test('works by config, for globs and for Excel, with columns named by number', async ({
    onTestFinished,
  }) => {
    const { place, run, names } = await createBilled(onTestFinished)
    place.write('a.csv', 'Acme GmbH;Köln\nBolt;Bonn\n')
    place.write('b.csv', 'Cargo AG;Kiel\n')
    const input = { header: false, columns: { location: ['column_2'] } }
    place.write('fast.json', JSON.stringify({ ...fast, input }))
    const { code, stderr } = await run(['*.csv', '-o', 'out.ndjson'])
    expect(code, stderr).toBe(0)
    expect(names()).toEqual(['Acme GmbH', 'Bolt', 'Cargo AG'])
    writeXlsx(place.folder, 'c.xlsx', {
      sheets: [{ name: 'List', rows: textRow(1, ['Delta Ltd', 'Leeds']) + textRow(2, ['Echo', 'York']) }],
    })
    const plan = await run(['plan', 'c.xlsx', '--json'])
    expect(JSON.parse(plan.stdout)).toMatchObject({ rowCount: 2, doubts: [], columns: { name: 'column_1' } })
  })
})

test('the encoding that was detected is told once', async ({ onTestFinished }) => {
  const { place } = await createBilled(onTestFinished)
  place.write('in.csv', Buffer.from('name\nM\xfcller AG\nB\xe4ckerei Gro\xdf GmbH\n', 'latin1'))
  const { stderr } = await place.run(['in.csv', '-o', 'out.csv'])
  expect(stderr.match(/detected windows-1252/g)).toHaveLength(1)
})

test('A list whose names no column is used for is not billed', async ({ onTestFinished }) => {
  const { place, run, names } = await createBilled(onTestFinished)
  place.write(
    'in.csv',
    'Zielkonto 1;Website\nApple Inc.;apple.com\nTesco PLC;\nBASF SE;basf.com\nBayer AG;bayer.com\n',
  )
  const told = /"Zielkonto 1" is used, because its cells look like .*--name-column "Zielkonto 1"/
  const asked = ['in.csv', '-o', 'out.csv']
  expect((await run(['plan', ...asked])).stdout).toMatch(told)
  const stopped = await run(asked)
  expect([stopped.code, names()], stopped.stderr).toEqual([doubtful, []])
  expect(stopped.stderr).toMatch(told)
  const named = await run([...asked, '--name-column', 'Zielkonto 1'])
  expect([named.code, names().length], named.stderr).toEqual([0, 4])

  const init = await place.run(['init', 'in.csv', '--yes'])
  expect([init.code, init.stderr]).toEqual([2, expect.stringMatching(/--name-column.*Zielkonto 1/)])
  expect((await place.run(['init', 'in.csv', '--yes', '--id-columns', 'website=Website'])).code).toBe(0)
})
