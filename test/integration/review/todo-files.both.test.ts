import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import type { Candidate } from '../../../src/core/decisions.js'
import { publishTable } from '../../../src/pipeline/output/plain-table.js'
import { instructions, readTodo, todoColumns, type TodoLine } from '../../../src/review/exchange/todo-file.js'
import type { QueueRow } from '../../../src/review/page-data.js'
import { editedInOffice, findOffice, savedByOffice, seenInOffice } from '../../support/office.js'
import { textRow, writeXlsx } from '../../support/xlsx-file.js'
import { makeFolder } from '../../support/temporary-folder.js'

function temporaryFolder(): string {
  const folder = makeFolder()
  return folder
}

const candidate = (number: number, given: Partial<Candidate> = {}): Candidate => ({
  entityId: `siq_${number}`,
  legalEntityId: `le_${number}`,
  name: `Acme ${number}`,
  otherNames: [],
  legalName: `Acme ${number} GmbH`,
  status: 'active',
  place: 'Bonn',
  countryCode: 'DE',
  jurisdiction: 'de',
  identifiers: [],
  confidence: 50 - number,
  evidence: [],
  url: `https://register.example/${number}`,
  ...given,
})

const row = (at: number, given: Partial<QueueRow> = {}): QueueRow => ({
  lookup: String(at).padStart(32, 'a0b'),
  name: `Firm ${at}`,
  location: 'Bonn, DE',
  status: 'inconclusive',
  confidence: 40 + at,
  rowCount: at,
  reason: null,
  decision: null,
  proposal: null,
  ...given,
})

const lines: readonly TodoLine[] = [
  { row: row(1), why: 'Two companies bear this name.', candidates: [1, 2, 3, 4, 5].map((n) => candidate(n)) },
  {
    row: row(2, {
      name: '=cmd()|"x",\nMüller & Söhne 株式会社',
      location: null,
      confidence: null,
      status: 'no_match',
    }),
    why: '',
    candidates: [],
  },
  {
    row: row(3, { name: '007' }),
    why: '-1+1',
    candidates: [
      candidate(1, { entityId: null, name: null, place: null }),
      candidate(2, { legalName: null, url: null }),
    ],
  },
]

async function written(name: 'todo.xlsx' | 'todo.csv', folder: string, todo = lines): Promise<string> {
  const path = join(folder, name)
  await publishTable(
    { name: 'to review', columns: todoColumns, rows: [todo], notes: instructions },
    {
      path,
      format: name === 'todo.csv' ? 'csv' : 'xlsx',
      isPacked: false,
      bom: true,
      memoryBytes: 1e8,
    },
  )
  return path
}

describe.each(['todo.xlsx', 'todo.csv'] as const)('%s', (name) => {
  it('comes back as it was written, without verdicts', async () => {
    const { lines: read, unit } = await readTodo(await written(name, temporaryFolder()))
    expect(unit).toBe(name === 'todo.csv' ? 'line' : 'row')
    expect(read).toMatchObject([
      {
        lookup: lines[0]?.row.lookup,
        name: 'Firm 1',
        verdict: '',
        note: '',
        candidateIds: ['siq_1', 'siq_2', 'siq_3', 'siq_4', 'siq_5'],
      },
      {
        lookup: lines[1]?.row.lookup,
        verdict: '',
        note: '',
        name: `${name === 'todo.csv' ? "'" : ''}${lines[1]?.row.name ?? ''}`,
        candidateIds: [null, null, null, null, null],
      },
      {
        lookup: lines[2]?.row.lookup,
        name: '007',
        verdict: '',
        note: '',
        candidateIds: [null, 'siq_2', null, null, null],
        candidateCount: 2,
        lookupAgain: lines[2]?.row.lookup,
      },
    ])
  })
})

describe('a sheet that people changed', () => {
  const header = ['Note ', 'candidate 2 id', 'my own', ' VERDICT', 'Candidate_1  ID', 'Name', 'lookup']
  const filled = (verdict: string) => ['by phone', 'siq_2', '?', verdict, 'siq_1', 'Acme', 'AB12']
  const read = (sheets: Parameters<typeof writeXlsx>[2]['sheets']) =>
    readTodo(writeXlsx(temporaryFolder(), 'todo.xlsx', { sheets }))

  it('is read by its headers, moved, added and removed ones, in whatever case; rows keep their numbers', async () => {
    const rows = textRow(1, header) + textRow(4, filled('2')) + textRow(9, filled('none'))
    expect((await read([{ name: 'Sheet', rows }])).lines).toEqual(
      [
        [4, '2'],
        [9, 'none'],
      ].map(([number, verdict]) => ({
        number,
        verdict,
        lookup: 'ab12',
        name: 'Acme',
        location: null,
        note: 'by phone',
        candidateIds: ['siq_1', 'siq_2', null, null, null],
        candidateCount: 2,
        lookupAgain: null,
      })),
    )
  })

  it('a title above the header, and sheets before and behind it, are left out', async () => {
    const { lines: found } = await read([
      { name: 'about', rows: textRow(1, ['for Ben']) },
      {
        name: 'more',
        rows: textRow(1, ['please until Friday']) + textRow(3, header) + textRow(5, filled('1')),
      },
      { name: 'copy', rows: textRow(1, header) + textRow(2, filled('none')) },
    ])
    expect(found).toMatchObject([{ number: 5, verdict: '1' }])
  })

  it('cells of numbers, truths, errors and formulas are read as what is seen in them', async () => {
    const cell = (xml: string) => `<c r="D9"${xml}</c>`
    const sheet = (verdicts: readonly string[]) =>
      textRow(1, header) +
      verdicts
        .map((xml, at) =>
          textRow(at + 2, filled('')).replace(
            /<c t="inlineStr"><is><t><\/t><\/is><\/c>/,
            cell(xml).replace('D9', `D${at + 2}`),
          ),
        )
        .join('')
    const { lines: found, notices } = await read([
      {
        name: 'Sheet',
        rows: sheet([
          '><v>1</v>',
          '><v>2.0</v>',
          ' t="b"><v>1</v>',
          ' t="str"><f>1+1</f><v>2</v>',
          ' t="e"><v>#N/A</v>',
          '><f>A1</f>',
          ' t="inlineStr"><is><t> none </t></is>',
        ]),
      },
    ])
    expect(found.map(({ verdict }) => verdict)).toEqual(['1', '2', 'TRUE', '2', '', '', 'none'])
    expect(notices.join('\n')).toMatch(/1 cell holds an error.*\n.*1 formula has no stored result/)
  })

  test.each<[string, readonly string[], string]>([
    ['without lookups', ['name', 'verdict'], 'has no column "lookup"'],
    ['without verdicts', ['lookup', 'name'], 'has no column "verdict"'],
    ['of something else', ['company', 'city'], 'has no columns "lookup" and "verdict"'],
    ['with two columns of verdicts', ['lookup', 'Verdict', 'verdict'], 'has two columns "verdict"'],
    [
      'with two columns of ids',
      ['lookup', 'verdict', 'candidate 1 id', 'candidate_1 id'],
      'has two columns "candidate 1 id"',
    ],
  ])('%s is refused', async (_case, names, message) => {
    const expected = { code: 'VERDICTS_INVALID', message: expect.stringContaining(message) as string }
    await expect(
      read([{ name: 'Sheet', rows: textRow(1, names) + textRow(2, names) }]),
    ).rejects.toMatchObject(expected)
    const path = join(temporaryFolder(), 'todo.csv')
    writeFileSync(path, `${names.join(',')}\n${names.join(',')}\n`)
    await expect(readTodo(path)).rejects.toMatchObject(expected)
  })
})

describe('a CSV that a spreadsheet saved', () => {
  const saved = (content: string | Buffer, name = 'todo.csv') => {
    const path = join(temporaryFolder(), name)
    writeFileSync(path, content)
    return readTodo(path)
  }

  test.each<[string, string | Buffer]>([
    ['with semicolons', 'lookup;name;verdict;note\r\nab;Müller;1,0;"a;b"\r\n'],
    ['with tabs', 'lookup\tname\tverdict\tnote\r\nab\tMüller\t1,0\ta;b\r\n'],
    ['in UTF-16', Buffer.from('\ufefflookup\tname\tverdict\tnote\r\nab\tMüller\t1,0\ta;b\r\n', 'utf16le')],
    [
      'in windows-1252',
      Buffer.from('lookup;name;verdict;note\r\nab;Müller;1,0;a;b\r\n'.replace('a;b', '"a;b"'), 'latin1'),
    ],
  ])('%s', async (_case, content) => {
    expect((await saved(content)).lines).toMatchObject([
      { number: 2, lookup: 'ab', name: 'Müller', verdict: '1,0', note: 'a;b' },
    ])
  })

  /** The letters of a code page of Windows above ASCII, as names of three letters. */
  const readNames = (encoding: string) => {
    const letters = new TextDecoder(encoding).decode(
      Buffer.from([...Array(128).keys()].map((at) => at + 128)),
    )
    return [...letters.matchAll(/[\p{Lu}\p{Ll}]/gu)].map(
      ([letter], at) => [`Firm ${letter} ${at}`, letter] as const,
    )
  }
  const encode = (text: string, encoding: string) => {
    const letters = Array.from(new TextDecoder(encoding).decode(Buffer.from([...Array(256).keys()])))
    return Buffer.from(Array.from(text, (letter) => Math.max(letters.indexOf(letter), 0)))
  }

  test.each(['windows-1250', 'windows-1252', 'windows-1254', 'windows-1257'])(
    'A name selects the encoding of a short file: %s',
    async (encoding) => {
      for (const [name, letter] of readNames(encoding)) {
        const text = `lookup;name;verdict;note\r\nab;${name};1;${letter}\r\n`
        const path = join(temporaryFolder(), 'todo.csv')
        writeFileSync(path, encode(text, encoding))
        const read = readTodo(path, (lookup, found) => lookup === 'ab' && found === name)
        const isRead = await read.then(
          ({ lines: [line] }) => line?.name === name && line.note === letter,
          () => false,
        )
        expect([name, isRead]).toEqual([name, true])
      }
    },
  )

  test.each([
    ['windows-1252', 'Cantù', 'sì'],
    ['windows-1252', 'München', 'große Firma'],
    ['windows-1250', 'Łódź', 'część'],
    ['windows-1257', 'Šiauliai', 'įmonė'],
  ])('Names without such letters leave the encoding to the places: %s, %s', async (encoding, place, note) => {
    const path = join(temporaryFolder(), 'todo.csv')
    writeFileSync(
      path,
      encode(`lookup;name;location;verdict;note\r\nab;Firm;${place};1;${note}\r\n`, encoding),
    )
    const read = await readTodo(
      path,
      (_lookup, name, location) => name === 'Firm' && (location ?? place) === place,
    )
    expect(read.lines).toMatchObject([{ name: 'Firm', note }])
  })

  it('An unsure encoding that no name decides is an error, and the hint names no flag of the input', async () => {
    const path = join(temporaryFolder(), 'todo.csv')
    writeFileSync(path, Buffer.from('lookup;name;verdict;note\r\nab;Firm;1;ni\u00f1o\r\n', 'latin1'))
    await expect(readTodo(path)).rejects.toMatchObject({
      code: 'INPUT_ENCODING_UNSURE',
      hint: expect.not.stringContaining('--encoding') as string,
    })
  })

  test.each(['todo.ods', 'todo.parquet', 'todo.ndjson', 'todo'])(
    '%s is no file of verdicts',
    async (name) => {
      await expect(saved('lookup,verdict\n', name)).rejects.toMatchObject({ code: 'INPUT_FORMAT_UNKNOWN' })
    },
  )

  it('a file that is not there, and one that is none, are named', async () => {
    await expect(readTodo(join(temporaryFolder(), 'todo.xlsx'))).rejects.toMatchObject({
      code: 'INPUT_NOT_FOUND',
    })
    await expect(saved('lookup,verdict\n', 'todo.xlsx')).rejects.toMatchObject({
      code: 'INPUT_FORMAT_UNKNOWN',
    })
  })
})

const office = findOffice()

describe.skipIf(office === null)('in LibreOffice', () => {
  it('the sheet is seen with its candidates, the instructions behind it, and saved again it says the same', async () => {
    const folder = temporaryFolder()
    const path = await written('todo.xlsx', folder)
    const seen = seenInOffice(office ?? '', path, folder)
    expect([...seen.keys()].sort()).toEqual(['how to fill in', 'to review'])
    expect(seen.get('to review')).toContain(
      'candidate 1,candidate 1 legal name,candidate 1 place,candidate 1 id',
    )
    expect(seen.get('to review')).toContain('007,')
    expect(seen.get('how to fill in')).toContain('It is this candidate.')
    expect((await readTodo(savedByOffice(office ?? '', path, folder))).lines).toEqual(
      (await readTodo(path)).lines,
    )
  }, 180_000)

  it('sorted, a row deleted, a column inserted and verdicts typed as numbers and text, it is read right', async () => {
    const folder = temporaryFolder()
    const path = await written('todo.xlsx', folder)
    const verdict = todoColumns.findIndex(({ name }) => name === 'verdict')
    const edited = editedInOffice(
      office ?? '',
      path,
      folder,
      [
        `sheet.getCellByPosition(${verdict}, 1).setValue(2)`,
        `sheet.getCellByPosition(${verdict}, 2).setString("None")`,
        `sheet.getCellByPosition(${verdict}, 3).setString("1")`,
        // By rows of the input, the most first.
        'Dim fields(0) As New com.sun.star.table.TableSortField',
        'fields(0).Field = 1 : fields(0).IsAscending = False',
        'Dim sorting(1) As New com.sun.star.beans.PropertyValue',
        'sorting(0).Name = "SortFields" : sorting(0).Value = fields()',
        'sorting(1).Name = "ContainsHeader" : sorting(1).Value = True',
        'sheet.getCellRangeByPosition(0, 0, 38, 3).sort(sorting())',
        'sheet.Rows.removeByIndex(1, 1)',
        'sheet.Columns.insertByIndex(2, 1)',
        'sheet.getCellByPosition(2, 0).setString("whose")',
        'sheet.Columns.getByIndex(4).IsVisible = False',
      ].join('\n'),
    )
    expect((await readTodo(edited)).lines).toMatchObject([
      { number: 2, lookup: lines[1]?.row.lookup, name: lines[1]?.row.name, verdict: 'None' },
      {
        number: 3,
        lookup: lines[0]?.row.lookup,
        verdict: '2',
        candidateIds: ['siq_1', 'siq_2', 'siq_3', 'siq_4', 'siq_5'],
      },
    ])
  }, 180_000)
})

it('a CSV is marked as UTF-8 for spreadsheets, which would else break names', async () => {
  const bytes = readFileSync(await written('todo.csv', temporaryFolder()))
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
})
