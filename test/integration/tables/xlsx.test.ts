import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openXlsx } from '../../../src/tables/xlsx/xlsx-file.js'
import { textRow, writeXlsx, xlsxParts, type MadeWorkbook } from '../../support/xlsx-file.js'
import { writeZip } from '../../support/zip-file.js'
import { newFolder } from '../output/support.js'

const folder = newFolder()
let fileCount = 0

async function readPath(path: string, sheet?: string) {
  const file = await openXlsx(path, sheet)
  try {
    const rows: [row: number, cells: Record<number, string>][] = []
    for await (const batch of file.readRows()) {
      for (const { row, cells } of batch) rows.push([row, Object.fromEntries(cells)])
    }
    return { rows, sheetName: file.sheetName, notices: file.listNotices() }
  } finally {
    file.close()
  }
}

const made = (book: MadeWorkbook) => writeXlsx(folder, `book${++fileCount}.xlsx`, book)
const read = (book: MadeWorkbook, sheet?: string) => readPath(made(book), sheet)
const one = (rows: string, more: Partial<MadeWorkbook> = {}): MadeWorkbook => ({
  sheets: [{ name: 'Data', rows }],
  ...more,
})

/** A workbook with a text in one of its parts replaced. */
function changedParts(book: MadeWorkbook, part: string, before: string, after: string): string {
  const parts = xlsxParts(book).map((file) => {
    if (file.name !== part) return file
    const content = file.content.toString()
    expect(content).toContain(before)
    return { ...file, content: content.replace(before, after) }
  })
  return writeZip(folder, `changed${++fileCount}.xlsx`, parts)
}

/** A choice that a program takes only if it knows the extension, and the fallback. */
function alternative(choice: string, fallback = ''): string {
  return `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:e="urn:e"><mc:Choice Requires="e">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`
}

describe('cells', () => {
  test('of every kind give their text', async () => {
    const { rows, notices } = await read(
      one(
        `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>in</t></is></c>
         <c r="C1" t="str"><f>A1</f><v>computed</v></c><c r="D1" t="b"><v>1</v></c><c r="E1"><v>42</v></c>
         <c r="F1" t="n"><v>0.30000000000000004</v></c><c r="G1" t="d"><v>2024-02-29T12:00:00</v></c><c r="H1"/></row>`,
        { sharedStrings: '<si><t>shared</t></si>' },
      ),
    )
    expect(rows).toEqual([
      [1, { 0: 'shared', 1: 'in', 2: 'computed', 3: 'TRUE', 4: '42', 5: '0.3', 6: '2024-02-29 12:00:00' }],
    ])
    expect(notices).toEqual([])
  })

  test('numbers are what their format makes of them: dates, durations, leading zeros', async () => {
    const styled = (style: number, value: string) => `<c s="${style}"><v>${value}</v></c>`
    const rows = `<row>${styled(1, '45351')}${styled(2, '45351.75')}${styled(3, '42005')}${styled(4, '1.5')}${styled(5, '0.5')}${styled(6, '60')}</row>`
    const formats = { 164: 'dd/mm/yyyy', 165: '000000', 166: '[h]:mm', 167: '0%' }
    const book = one(rows, { formats, styles: [0, 14, 164, 165, 166, 167, 14] })
    expect((await read(book)).rows).toEqual([
      [1, { 0: '2024-02-29', 1: '2024-02-29 18:00:00', 2: '042005', 3: '36:00:00', 4: '0.5', 5: '60' }],
    ])
    expect((await read({ ...book, is1904: true })).rows[0]?.[1][0]).toBe('2028-03-01')
  })

  test('rich text is joined, reading aids are left out, escapes undone', async () => {
    const { rows } = await read(
      one(
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="inlineStr"><is><r><t>A</t></r><r><t xml:space="preserve"> B</t></r></is></c></row>',
        {
          sharedStrings:
            '<si><r><t>東芝</t></r><r><t>商事</t></r><rPh sb="0" eb="2"><t>トウシバ</t></rPh></si><si><t>a_x000D_&amp;&#x4E2D;<![CDATA[<b>]]></t></si>',
        },
      ),
    )
    expect(rows).toEqual([[1, { 0: '東芝商事', 1: 'a\r&中<b>', 2: 'A B' }]])
  })

  test('errors, formulas without a result and numbers that lost digits are counted', async () => {
    const { rows, notices } = await read(
      one(
        '<row r="3" hidden="1"><c t="e"><v>#N/A</v></c><c><f>B1</f></c><c t="str"><f>C1</f></c><c><v>12345678901234567</v></c><c><v>1</v></c></row>',
      ),
    )
    expect(rows).toEqual([[3, { 3: '12345678901234600', 4: '1' }]])
    expect(notices.join('\n')).toMatch(
      /1 cell holds an error.*\n.*2 formulas have no stored result.*\n.*1 cell with a number.*column D.*\n.*hidden rows.*\(1\)/,
    )
  })

  test('without a value are empty, whatever their type, and a formula among them has no result', async () => {
    const types = ['s', 'b', 'n', 'd', 'inlineStr', 'str', 'x']
    const cells = (inside: string) => types.map((type) => `<c t="${type}">${inside}</c>`).join('')
    const strings = { sharedStrings: '<si><t>first</t></si>' }
    for (const blank of ['', '<v/>', '<v></v>', '<v xml:space="preserve"> </v>', '<v>\n</v>', '<is/>']) {
      const isText = blank.includes('> </v>') || blank.includes('\n')
      const { rows, notices } = await read(one(`<row>${cells(blank)}<c><v>1</v></c></row>`, strings))
      const [, found] = rows[0] ?? []
      expect([blank, Object.keys(found ?? {})]).toEqual([blank, isText ? ['4', '5', '7'] : ['7']])
      expect(notices).toEqual([])
    }
    const formulas = ['<f>A1</f>', '<f>A1</f><v/>', '<f t="shared" si="0"/><v> </v>']
    for (const type of ['', ' t="n"', ' t="s"', ' t="b"', ' t="d"', ' t="e"']) {
      const rows = formulas.map((inside) => `<row><c${type}>${inside}</c></row>`)
      const found = await read(one(rows.join(''), strings))
      expect([type, found.rows]).toEqual([type, [1, 2, 3].map((row) => [row, {}])])
      expect(found.notices).toEqual([expect.stringMatching(/: 3 formulas have no stored result/)])
    }
  })

  test('of booleans and ISO dates give one text for each spelling', async () => {
    const spelled = (type: string, values: string[]) =>
      values.map((value) => `<c t="${type}"><v>${value}</v></c>`).join('')
    const { rows } = await read(
      one(
        `<row>${spelled('b', ['1', 'true', ' TRUE ', '0', 'false', 'yes'])}</row><row>${spelled('d', ['2024-02-29', '2024-02-29T00:00:00.000', '2024-02-29T18:30:00.000Z', '2024-02-29T18:30', '2024-02-29T18:30:00.250'])}</row>`,
      ),
    )
    expect(rows.map(([, cells]) => Object.values(cells))).toEqual([
      ['TRUE', 'TRUE', 'TRUE', 'FALSE', 'FALSE', 'yes'],
      ['2024-02-29', '2024-02-29', '2024-02-29 18:30:00', '2024-02-29 18:30', '2024-02-29 18:30:00.250'],
    ])
  })

  test('whose results the file marks as outdated are counted', async () => {
    const book = one('<row><c><f>A2</f><v>0</v></c><c><v>1</v></c></row>')
    const marked = changedParts(
      book,
      'xl/workbook.xml',
      '</workbook>',
      '<calcPr fullCalcOnLoad="1"/></workbook>',
    )
    expect((await readPath(marked)).notices).toEqual([
      expect.stringMatching(/1 formula has a stored result that the file marks as outdated/),
    ])
    expect((await read(book)).notices).toEqual([])
  })

  test('show the text of their number format, or their column is named', async () => {
    const formats = {
      164: '&quot;SC&quot;000000',
      165: '0.00&quot; kg&quot;',
      166: '0;0;0;&quot;No. &quot;@',
      167: ';;;',
    }
    const cell = (style: number, value: string) => `<c s="${style}"><v>${value}</v></c>`
    const text = (style: number, value: string) => `<c s="${style}" t="str"><v>${value}</v></c>`
    const rows = `<row>${cell(1, '102498')}${cell(2, '7.255')}${text(3, 'A7')}${cell(4, '9')}</row><row>${cell(1, '12.5')}${cell(2, '8')}${text(3, 'B')}${text(4, 'x')}</row>`
    const found = await read(one(rows, { formats, styles: [0, 164, 165, 166, 167] }))
    expect(found.rows.map(([, cells]) => Object.values(cells))).toEqual([
      ['SC102498', '7.255', 'No. A7', '9'],
      ['12.5', '8', 'No. B', 'x'],
    ])
    const where = found.notices.map((notice) => notice.replace(/^.*, sheet "Data": /, ''))
    expect(where).toEqual([
      'column A: 1 cell is read as stored, not as the number format shows: "12.5" for "SC000013"',
      'column B: 2 cells are read as stored, not as the number format shows: "7.255" for "7.26 kg"',
      'column D: 2 cells are read as stored, not as the number format shows: "9" for ""',
    ])
  })

  test.each(['__proto__', '0'.repeat(300), '"', '0;0;0;0;0', '0E', '[$-', '\\', '_', '"é"0/0/0'])(
    'with the number format %j are read as numbers',
    async (code) => {
      const formats = { 164: code.replaceAll('"', '&quot;') }
      const { rows } = await read(one('<row><c s="1"><v>12</v></c></row>', { formats, styles: [0, 164] }))
      expect(rows).toEqual([[1, { 0: '12' }]])
    },
  )

  test('places are followed: sparse, out of order, left out', async () => {
    const { rows } = await read(
      one(
        '<row r="2"><c r="C2"><v>3</v></c><c r="A2"><v>1</v></c></row><row><c><v>5</v></c><c><v>6</v></c></row><row r="1048576"><c r="XFD1048576"><v>9</v></c></row><row r="7"/>',
      ),
    )
    expect(rows).toEqual([
      [2, { 0: '1', 2: '3' }],
      [3, { 0: '5', 1: '6' }],
      [1_048_576, { 16_383: '9' }],
    ])
  })

  test('any prefix of names, and targets from the root, are taken', async () => {
    const rows = textRow(1, ['a', 'b'])
    expect((await read(one(rows, { prefix: 'x' }))).rows).toEqual([[1, { 0: 'a', 1: 'b' }]])
    expect((await read(one(rows, { absoluteTargets: true }))).rows).toEqual([[1, { 0: 'a', 1: 'b' }]])
  })
})

describe('XML is read by namespace and place', () => {
  const extension = (inside: string) =>
    `<extLst><ext xmlns:e="urn:extension" uri="{1}"><e:more>${inside}</e:more></ext></extLst>`
  const book: MadeWorkbook = {
    sheets: [{ name: 'Data', rows: '<row><c t="s"><v>0</v></c><c s="1"><v>43889</v></c></row>' }],
    sharedStrings: '<si><t>Acme</t></si>',
    styles: [0, 14],
    is1904: true,
  }
  const right = [[1, { 0: 'Acme', 1: '2024-02-29' }]]
  const row = '<row r="7"><c><v>1</v></c></row>'

  test.each<[what: string, part: string, before: string, inserted: string]>([
    ['flag in an extension', 'xl/workbook.xml', '</workbook>', extension('<workbookPr/>')],
    [
      'flag of another namespace',
      'xl/workbook.xml',
      '<sheets>',
      '<e:workbookPr xmlns:e="urn:e" date1904="0"/>',
    ],
    ['flag inside an alternative', 'xl/workbook.xml', '<sheets>', alternative('<workbookPr date1904="0"/>')],
    ['sheet of an extension', 'xl/workbook.xml', '<sheets>', extension('<sheet name="x" r:id="rId1"/>')],
    [
      'format of a conditional style',
      'xl/styles.xml',
      '</styleSheet>',
      '<dxfs><dxf><numFmt numFmtId="14" formatCode="0.00"/></dxf></dxfs>',
    ],
    [
      'style of an extension',
      'xl/styles.xml',
      '<cellXfs>',
      extension('<cellXfs><xf numFmtId="1"/></cellXfs>'),
    ],
    ['row of an extension', 'xl/worksheets/sheet1.xml', '</worksheet>', extension(row)],
    ['row outside the data', 'xl/worksheets/sheet1.xml', '</worksheet>', `<other>${row}</other>`],
    ['value of another namespace', 'xl/worksheets/sheet1.xml', '<v>0</v>', '<e:v xmlns:e="urn:e">1</e:v>'],
    ['value inside a formula', 'xl/worksheets/sheet1.xml', '<v>0</v>', '<extLst><v>1</v></extLst>'],
    ['text of an extension', 'xl/sharedStrings.xml', '</sst>', extension('<si><t>Bolt</t></si>')],
    ['text of another namespace', 'xl/sharedStrings.xml', '<t>Acme', '<e:t xmlns:e="urn:e">X</e:t>'],
    [
      'text of a reading aid',
      'xl/sharedStrings.xml',
      '</si>',
      '<rPh sb="0" eb="1"><t>X</t></rPh><phoneticPr fontId="1"/>',
    ],
    [
      'relation of another namespace',
      'xl/_rels/workbook.xml.rels',
      '<Relationship ',
      '<e:Relationship xmlns:e="urn:e" Id="rId1" Type="x" Target="x"/>',
    ],
    [
      'relation of a like type',
      'xl/_rels/workbook.xml.rels',
      '<Relationship ',
      '<Relationship Id="rId77" Type="http://example.com/styles" Target="sharedStrings.xml"/>',
    ],
  ])('a %s is not read', async (_, part, before, inserted) => {
    expect((await readPath(changedParts(book, part, before, inserted + before))).rows).toEqual(right)
  })

  test('prefixed attributes are no others, and the strict form has other namespaces', async () => {
    const marked = changedParts(
      book,
      'xl/workbook.xml',
      '<sheet ',
      '<sheet xmlns:e="urn:e" e:id="rId9" e:name="x" e:state="hidden" ',
    )
    expect((await readPath(marked)).rows).toEqual(right)
    const strict = xlsxParts({ ...book, prefix: 'x' }).map(({ name, content }) => ({
      name,
      content: content
        .toString()
        .replaceAll(
          'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
          'http://purl.oclc.org/ooxml/spreadsheetml/main',
        )
        .replaceAll(
          'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
          'http://purl.oclc.org/ooxml/officeDocument/relationships',
        ),
    }))
    expect((await readPath(writeZip(folder, 'strict.xlsx', strict))).rows).toEqual(right)
  })

  test('rows in the fallback of an alternative are read', async () => {
    const rows = alternative('<row><c><v>1</v></c></row>', '<row><c><v>2</v></c></row>')
    expect((await read(one(rows))).rows).toEqual([[1, { 0: '2' }]])
  })
})

describe('sheets', () => {
  const book: MadeWorkbook = {
    sheets: [
      { name: 'Notes', rows: textRow(1, ['hidden']), state: 'hidden' },
      { name: 'Customers', rows: textRow(1, ['first']) },
      { name: '2', rows: textRow(1, ['second']) },
    ],
  }
  test.each<[sheet: string | undefined, name: string]>([
    [undefined, 'Customers'],
    ['Notes', 'Notes'],
    ['customers', 'Customers'],
    ['1', 'Notes'],
    ['2', '2'],
    ['3', '2'],
  ])('%s is %s', async (sheet, name) => {
    const found = await read(book, sheet)
    expect(found.sheetName).toBe(name)
    expect(found.notices).toEqual(name === 'Notes' ? [expect.stringMatching(/the sheet is hidden/)] : [])
  })

  test('one that is not there is refused with those that are', async () => {
    await expect(read(book, 'Kunden')).rejects.toMatchObject({
      code: 'INPUT_SHEET_MISSING',
      hint: 'it has "Notes", "Customers", "2"',
    })
  })
})

test('records come below the header, with the number of their row', async () => {
  const file = await openXlsx(
    made(one(textRow(2, ['code', 'name', 'x']) + textRow(3, ['RA1', 'Register']) + textRow(9, ['RA2']))),
  )
  let header: readonly string[] = []
  const records: unknown[] = []
  const choose = (names: readonly string[]) => {
    header = names
    return [1, 0]
  }
  for await (const batch of file.readRecords(choose)) records.push(...batch)
  file.close()
  expect(header).toEqual(['code', 'name', 'x'])
  expect(records).toEqual([
    { line: 3, cells: ['Register', 'RA1'], reason: null },
    { line: 9, cells: ['', 'RA2'], reason: null },
  ])
})

describe('what is no sound .xlsx', () => {
  const sheet = 'xl/worksheets/sheet1.xml'
  const sound = one(textRow(1, ['name']) + textRow(2, ['Acme']))

  /** A workbook with one of its parts replaced. */
  function altered(part: string, content: string | Buffer | null): string {
    const parts = xlsxParts(sound).flatMap((file) =>
      file.name !== part ? [file] : content === null ? [] : [{ name: part, content }],
    )
    return writeZip(folder, `altered${++fileCount}.xlsx`, parts)
  }

  const cases: [what: string, path: () => string, code: string, says: RegExp][] = [
    ['text', () => text('text.xlsx', 'name,city\nAcme,Köln\n'), 'INPUT_FORMAT_UNKNOWN', /contains text/],
    ['HTML', () => text('page.xls', '<html><table></table>'), 'INPUT_FORMAT_UNKNOWN', /contains text/],
    [
      'noise',
      () => text('noise.xlsx', Buffer.from([1, 2, 3, 4, 5])),
      'INPUT_EXCEL_INVALID',
      /of another format/,
    ],
    ['nothing', () => text('empty.xlsx', ''), 'INPUT_EMPTY', /is empty/],
    ['an old workbook', () => compound('old.xlsx', 'Workbook'), 'INPUT_FORMAT_UNKNOWN', /\.xls\)/],
    [
      'a workbook behind a password',
      () => compound('locked.xlsx', 'EncryptedPackage'),
      'INPUT_FORMAT_UNKNOWN',
      /password/,
    ],
    [
      'an OpenDocument file',
      () => writeZip(folder, 'o.xlsx', [{ name: 'content.xml', content: '<a/>' }]),
      'INPUT_FORMAT_UNKNOWN',
      /OpenDocument/,
    ],
    ['a binary workbook', () => altered('_rels/.rels', xlsbRelations), 'INPUT_FORMAT_UNKNOWN', /xlsb/],
    [
      'some other zip',
      () => writeZip(folder, 'z.xlsx', [{ name: 'a.txt', content: 'a' }]),
      'INPUT_FORMAT_UNKNOWN',
      /without a workbook/,
    ],
    [
      'one without its sheet',
      () => altered(sheet, null),
      'INPUT_EXCEL_INVALID',
      /no part xl\/worksheets\/sheet1\.xml/,
    ],
    [
      'one with a document type',
      () => altered(sheet, '<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>'),
      'INPUT_EXCEL_INVALID',
      /document type/,
    ],
    ['one whose XML breaks off', () => altered(sheet, sheetXml('<row><c>')), 'INPUT_EXCEL_INVALID', /./],
    [
      'one that is not UTF-8',
      () => altered(sheet, Buffer.from('<worksheet>\xfc</worksheet>', 'latin1')),
      'INPUT_EXCEL_INVALID',
      /UTF-8/,
    ],
    [
      'one that refers to no text',
      () => altered(sheet, sheetXml('<row><c t="s"><v>7</v></c></row>')),
      'INPUT_EXCEL_INVALID',
      /row 1 refers/,
    ],
    [
      'one that refers to a text by no number',
      () => altered(sheet, sheetXml('<row><c t="s"><v>0x0</v></c></row>')),
      'INPUT_EXCEL_INVALID',
      /row 1 refers/,
    ],
    [
      'one of another namespace',
      () => altered(sheet, '<worksheet xmlns="urn:other"><sheetData/></worksheet>'),
      'INPUT_EXCEL_INVALID',
      /<worksheet> is of the unknown namespace "urn:other"/,
    ],
    [
      'one with a row beyond the last',
      () => altered(sheet, sheetXml('<row r="1048577"/>')),
      'INPUT_EXCEL_INVALID',
      /row 1048577/,
    ],
    [
      'one with a column beyond the last',
      () => altered(sheet, sheetXml('<row><c r="XFE1"><v>1</v></c></row>')),
      'INPUT_EXCEL_INVALID',
      /column XFE/,
    ],
    [
      'one with a cell without end',
      () => altered(sheet, sheetXml(`<row><c t="str"><v>${random(9_000_000)}`)),
      'INPUT_EXCEL_INVALID',
      /more than 8388608 characters/,
    ],
    [
      'a bomb',
      () => altered(sheet, `<worksheet>${' '.repeat(60_000_000)}</worksheet>`),
      'INPUT_COMPRESSION_CORRUPT',
      /200 times/,
    ],
    ['one with a flipped bit', () => flipped(made(sound)), 'INPUT_COMPRESSION_CORRUPT', /damaged/],
    ['one that was cut', () => cut(made(sound)), 'INPUT_COMPRESSION_CORRUPT', /not a valid zip/],
  ]
  test.each(cases)('%s is refused by name', async (_, path, code, says) => {
    await expect(readPath(path())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(says) as string,
    })
  })

  const xlsbRelations =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.bin"/></Relationships>'

  /** XML of a sheet; it ends where the rows leave an element open. */
  function sheetXml(rows: string): string {
    const end = rows.endsWith('</row>') || rows.endsWith('/>') ? '</sheetData></worksheet>' : ''
    return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}${end}`
  }

  function text(name: string, content: string | Buffer): string {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  /** The header of a compound file whose first sector, the directory, names a stream. */
  function compound(name: string, stream: string): string {
    const bytes = Buffer.alloc(2048)
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes)
    bytes.writeUInt16LE(9, 30)
    bytes.writeUInt32LE(1, 48)
    bytes.write(stream, 1024 + 128, 'utf16le')
    return text(name, bytes)
  }

  /** Text that does not pack well. */
  function random(chars: number): string {
    let state = 7
    const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)
    return Array.from({ length: chars / 4 }, () => (next() % 1_679_616).toString(36).padStart(4, '0')).join(
      '',
    )
  }

  function flipped(path: string): string {
    const bytes = readFileSync(path)
    const at = bytes.lastIndexOf('PK\x03\x04') + 30 + sheet.length + 20
    bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at)
    return text(`flipped${++fileCount}.xlsx`, bytes)
  }

  function cut(path: string): string {
    const bytes = readFileSync(path)
    return text(`cut${++fileCount}.xlsx`, bytes.subarray(0, bytes.length - 40))
  }
})

test('every flipped bit is an error or changes nothing that is read', async () => {
  const path = made(one(textRow(1, ['name', 'city']) + textRow(2, ['Acme', 'Köln'])))
  const bytes = readFileSync(path)
  const before = (await readPath(path)).rows
  for (let at = 0; at < bytes.length; at += 3) {
    const copy = Buffer.from(bytes)
    copy.writeUInt8((copy[at] ?? 0) ^ (1 << (at % 8)), at)
    const changed = join(folder, 'bit.xlsx')
    writeFileSync(changed, copy)
    const found = await readPath(changed).then(
      ({ rows }) => rows,
      (error: unknown) => (error as { code?: string }).code,
    )
    if (typeof found === 'string') expect(found, `bit of byte ${at}`).toMatch(/^INPUT_/)
    else expect(found, `bit of byte ${at}`).toEqual(before)
  }
})

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'])
    return true
  } catch {
    return false
  }
})()

test.skipIf(!hasPython)(
  'a file that another program zipped, stored and with data descriptors, is read',
  async () => {
    const path = join(folder, 'python.xlsx')
    const parts = xlsxParts(one(textRow(1, ['name']) + textRow(2, ['Müller & Söhne'.replace('&', '&amp;')])))
    const script = `
import sys, json, zipfile
class Pipe:
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): self.f.flush()
parts = json.load(sys.stdin)
with open(sys.argv[1], 'wb') as f, zipfile.ZipFile(Pipe(f), 'w') as z:
    for i, part in enumerate(parts):
        z.writestr(part['name'], part['content'], zipfile.ZIP_DEFLATED if i % 2 else zipfile.ZIP_STORED)
`
    execFileSync('python3', ['-c', script, path], { input: JSON.stringify(parts) })
    expect((await readPath(path)).rows).toEqual([
      [1, { 0: 'name' }],
      [2, { 0: 'Müller & Söhne' }],
    ])
  },
)
