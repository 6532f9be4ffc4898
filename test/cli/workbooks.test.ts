import { expect, test } from 'vitest'
import { createPlace, type CliPlace } from '../support/cli.js'
import { textRow, writeXlsx, xlsxParts, type MadeWorkbook } from '../support/xlsx-file.js'
import { writeZip } from '../support/zip-file.js'

const columns = ['--columns', 'status,legal_name']

/** Runs the command on `in.xlsx`; returns the rows of its output. */
async function runBook(place: CliPlace) {
  const { code, stderr } = await place.run(['in.xlsx', '-o', 'out.ndjson', ...columns])
  const lines = place.read('out.ndjson').trim().split('\n')
  return { code, stderr, rows: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

const one = (rows: string, more: Partial<MadeWorkbook> = {}): MadeWorkbook => ({
  sheets: [{ name: 'Data', rows }],
  ...more,
})

const sharedStrings = ['Apple Inc', 'company_name', 'listed', 'Tesco PLC']
  .map((text) => `<si><t>${text}</t></si>`)
  .join('')

test.each([
  ['blank', '<v/>', null, 'invalid_input'],
  ['filled', '<v>0</v>', 'Apple Inc', 'matched'],
])(
  'a %s cell of a shared text has its own text: a row without a name is not looked up',
  async (_, value, name, status) => {
    const place = createPlace()
    const rows =
      '<row><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row><row><c t="s"><v>3</v></c><c t="b"><v/></c></row>' +
      `<row><c t="s">${value}</c><c t="b"><v>1</v></c></row>`
    writeXlsx(place.folder, 'in.xlsx', one(rows, { sharedStrings }))
    const run = await runBook(place)
    expect(run.rows).toMatchObject([
      { company_name: 'Tesco PLC', listed: null, enrich_status: 'matched' },
      { company_name: name, listed: true, enrich_status: status },
    ])
  },
)

test.each([
  ['without', '<v/>', null],
  ['with', '<v>Apple Inc</v>', 'Apple Inc'],
])('a row whose only cell is a formula %s a stored result is a row of the output', async (_, value, name) => {
  const place = createPlace()
  const type = name === null ? '' : ' t="str"'
  const rows = `${textRow(1, ['company_name'])}<row r="2"><c r="A2"${type}><f>B9</f>${value}</c></row>${textRow(3, ['Tesco PLC'])}`
  writeXlsx(place.folder, 'in.xlsx', one(rows))
  const notice = /1 formula has no stored result/
  const plan = await place.run(['plan', 'in.xlsx'])
  expect([plan.code, notice.test(plan.stdout)]).toEqual([0, name === null])
  const { code, stderr, rows: found } = await runBook(place)
  expect([code, notice.test(stderr)]).toEqual([0, name === null])
  expect(found.map((row) => row['company_name'])).toEqual([name, 'Tesco PLC'])
  if (name === null) expect(stderr.search(notice)).toBeLessThan(stderr.search(/1 to submit/))
})

test.each([
  ['an extension does not change', '<e:workbookPr date1904="0"/>', '1', '2024-02-29'],
  [
    'without the flag, days count from 1900 and an extension does not change',
    '<e:workbookPr date1904="1"/>',
    '0',
    '2020-02-28',
  ],
])('the date system of a workbook: %s it', async (_, extension, flag, day) => {
  const place = createPlace()
  const rows = `${textRow(1, ['company_name', 'founded'])}<row><c t="str"><v>Apple Inc</v></c><c s="1"><v>43889</v></c></row>`
  const parts = xlsxParts(one(rows, { styles: [0, 14], is1904: flag === '1' })).map(({ name, content }) => ({
    name,
    content: content
      .toString()
      .replace(
        '</workbook>',
        `<extLst><ext xmlns:e="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main" uri="{1}">${extension}</ext></extLst></workbook>`,
      ),
  }))
  writeZip(place.folder, 'in.xlsx', parts)
  expect((await runBook(place)).rows[0]).toMatchObject({ founded: day })
})

test('identifiers are read as shown, prices with every digit, and a text that is not read is told before the run', async () => {
  const place = createPlace()
  const rows = `${textRow(1, ['company_name', 'Companies House number', 'country', 'zip', 'price', 'weight'])}<row><c/><c s="1"><v>102498</v></c><c t="str"><v>GB</v></c><c s="2"><v>21381234</v></c><c s="3"><v>7.255</v></c><c s="4"><v>7.255</v></c></row>`
  const formats = {
    164: '&quot;SC&quot;000000',
    165: '00000-0000',
    166: '#,##0.00 &quot;€&quot;',
    167: '0.0 &quot;kg&quot;',
  }
  writeXlsx(place.folder, 'in.xlsx', one(rows, { formats, styles: [0, 164, 165, 166, 167] }))
  const { stderr, rows: found } = await runBook(place)
  expect(found[0]).toMatchObject({
    'Companies House number': 'SC102498',
    zip: '02138-1234',
    price: 7.255,
    weight: 7.255,
    enrich_legal_name: null,
  })
  const notice =
    'column "weight" (F): 1 cell is read as stored, not as the number format shows: "7.255" for "7.3 kg"'
  expect([stderr.includes(notice), stderr.includes('"price"')]).toEqual([true, false])
  expect(stderr.indexOf(notice)).toBeLessThan(stderr.search(/1 to submit/))
})
