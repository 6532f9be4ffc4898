import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/index.js'
import { rowsOfCsv } from '../support/tables.js'
import { hostileJob } from './hostile-job.js'

/** Runs a file of one row or more, and gives the rows of the output as text, or the code of the refusal. */
async function outcomeOf(
  name: string,
  content: Buffer | string,
  output = 'out.ndjson',
): Promise<string[] | string> {
  const job = await hostileJob([], {})
  job.behave()
  writeFileSync(job.place.path(name), content)
  try {
    await job.run({
      input: { paths: [job.place.path(name)], columns: { name: 'n' }, acceptDoubtful: true },
      output: { path: job.place.path(output), basis: 'none', columns: ['status'], prefix: 'e_' },
    })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    expect(error.hint).toMatch(/./)
    expect(job.server.calls).toEqual([])
    return error.code
  }
  const written = readFileSync(job.place.path(output), 'utf8')
  return written.trimEnd().split('\n')
}

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

/** Lines that are taken, alone in their file. */
const taken = [
  ['{"n":"Acme"}'],
  ['{"n":"Acme","a":1,"a":1}'],
  ['{"n":"Acme","":0}'],
  ['{"n":"Acme","a":[]}'],
  ['{"n":"Acme","a":[null,1,"1",{},[[[]]]]}'],
  ['{"n":"Acme","a":123e65}'],
  ['{"n":"Acme","a":0e+1}'],
  ['{"n":"Acme","a":-0}'],
  ['{"n":"Acme","a":1E-2}'],
  ['{"n":"Acme","a":1e400}'],
  ['{"n":"Acme","a":-0.000000000000000000000000000000000000000000000000000000000000000000000000000001}'],
  ['{"n":"Acme","a":100000000000000000000000000000000000000}'],
  ['{"n":"Acme","a":9007199254740993}'],
  ['{"n":"Acme","a":"\\"\\\\\\/\\b\\f\\n\\r\\t"}'],
  ['{"n":"Acme","a":"\\uD801\\udc37"}'],
  ['{"n":"Acme","a":"\\uDADA"}'],
  ['{"n":"Acme","a":"\\uDFAA\\uD800"}'],
  ['{"n":"Acme","a":"\\u0000\\u001f\\u007f"}'],
  ['{"n":"Acme","a":"\u2028\u2029\u007f\ufeff\uffff"}'],
  ['{"n":"Acme","a":"\\uFFFE\\uFDD0"}'],
  ['{"n":"Acme","a":"}{][,:"}'],
  ['{"n":"Acme","\\u0061":"b\\\\"}'],
  ['{ "n"\t:\t"Acme" , "a" : [ 1 , 2 ] }'],
  ['{"n":"Acme","__proto__":{"n":"Bolt"},"constructor":null}'],
  [`{"n":"Acme","a":${deep(190)}}`],
  [`{"n":"Acme","a":"${'x'.repeat(100_000)}"}`],
]

test.each(taken)('NDJSON takes the line %s', async (line) => {
  const out = await outcomeOf('in.ndjson', `${line}\n`)
  // Ours stand before the last brace; all of theirs is as it was, to the letter.
  expect(out).toEqual([`${line.slice(0, -1).trimEnd()},"e_status":"matched"}`])
  const asCsv = await outcomeOf('in.ndjson', `${line}\n`, 'out.csv')
  expect(rowsOfCsv((asCsv as string[]).join('\n'))).toMatchObject([{ e_status: 'matched' }])
})

test.each(taken.filter((_, index) => index % 5 === 4))(
  'The CSV of the line %s is the same each time',
  async (line) => {
    const once = await outcomeOf('in.ndjson', `${line}\n`, 'out.csv')
    expect(await outcomeOf('in.ndjson', `${line}\n`, 'out.csv')).toEqual(once)
  },
)

test.each([
  ['{"n":"Acme"'],
  ['{"n":"Acme",}'],
  ['{"n":"Acme" "a":1}'],
  ["{'n':'Acme'}"],
  ['{n:"Acme"}'],
  ['{"n":"Acme"}}'],
  ['{"n":"Acme"}#'],
  ['{"n":"Acme"}{"n":"Bolt"}'],
  ['{"n":"Acme"}// comment'],
  ['{"n":"Acme","a":01}'],
  ['{"n":"Acme","a":+1}'],
  ['{"n":"Acme","a":.5}'],
  ['{"n":"Acme","a":1.}'],
  ['{"n":"Acme","a":0x42}'],
  ['{"n":"Acme","a":NaN}'],
  ['{"n":"Acme","a":Infinity}'],
  ['{"n":"Acme","a":True}'],
  ['{"n":"Acme","a":nul}'],
  ['{"n":"Acme","a":"\\x00"}'],
  ['{"n":"Acme","a":"\\u00A"}'],
  ['{"n":"Acme","a":"tab\there"}'],
  ['{"n":"Acme","a":[1,]}'],
  ['{"n":"Acme","a":[1 true]}'],
  ['{"n":"Acme","a":１}'],
  ['["Acme"]'],
  ['"Acme"'],
  ['null'],
  ['1'],
  [`{"n":"Acme","a":${deep(100_000)}}`],
  ['[{"n":"Acme"},'],
])('NDJSON refuses the line %s', async (line) => {
  expect(await outcomeOf('in.ndjson', `{"n":"Good"}\n${line}\n`)).toBe('INPUT_JSON_INVALID')
})

test.each([['{"n":"Acme","n":"Bolt"}'], ['{"n":"Acme","a":{"b":1,"b":2}}']])(
  'NDJSON refuses a key with two values: %s',
  async (line) => {
    expect(await outcomeOf('in.ndjson', `{"n":"Good"}\n${line}\n`)).toBe('INPUT_COLUMNS_DUPLICATE')
  },
)

describe('CSV as people and programs write it', () => {
  const table = (out: string[] | string) => (Array.isArray(out) ? rowsOfCsv(out.join('\n')) : out)
  test.each<[title: string, content: string | Buffer, rows: unknown]>([
    ['nothing but quotes in a cell', 'n,a\nAcme,""""""\n', [{ n: 'Acme', a: '""' }]],
    ['quotes inside a cell that has none around it', 'n,a\nAcme,6" pipe\n', [{ n: 'Acme', a: '6" pipe' }]],
    ['text after a closing quote', 'n,a\n"Acme" SA,1\n', [{ n: '"Acme" SA', a: '1' }]],
    ['a quote that a later row closes', 'n,a\n"Acme,1\n"Bolt",2\n', 'INPUT_CSV_INVALID'],
    [
      'CR alone',
      'n,a\rAcme,1\rBolt,2\r',
      [
        { n: 'Acme', a: '1' },
        { n: 'Bolt', a: '2' },
      ],
    ],
    [
      'line ends of every kind',
      'n,a\r\nAcme,1\nBolt,2\rCog,3\r\n',
      [{ n: 'Acme' }, { n: 'Bolt' }, { n: 'Cog' }],
    ],
    ['no line end at the end', 'n,a\nAcme,1', [{ n: 'Acme', a: '1' }]],
    ['a byte order mark in the middle', 'n,a\n\ufeffAcme,\ufeff1\n', [{ n: '\ufeffAcme', a: '\ufeff1' }]],
    ['delimiters at the end of each line', 'n,a,\nAcme,1,\n', [{ n: 'Acme', a: '1', column_3: '' }]],
    ['a row that is longer than the header', 'n,a\nAcme,1,2\n', [{ n: 'Acme', a: '1', column_3: '2' }]],
    ['a row with commas under one column', 'n\nAcme,1,2\n', [{ n: 'Acme,1,2' }]],
    ['a row that is shorter', 'n,a,b\nAcme\n', [{ n: 'Acme', a: '', b: '' }]],
    ['rows of delimiters alone', 'n,a\n,\nAcme,1\n', [{ n: '', e_status: 'invalid_input' }, { n: 'Acme' }]],
    ['empty lines', '\n\nn,a\n\nAcme,1\n\n\n', [{ n: 'Acme', a: '1' }]],
    ['a header with line breaks', '"n","a\nb\r\nc"\nAcme,1\n', [{ n: 'Acme', 'a\nb\r\nc': '1' }]],
    ['a header and nothing else', 'n,a\n', 'INPUT_NO_ROWS'],
    ['the same name twice', 'n,a,a\nAcme,1,2\n', 'INPUT_COLUMNS_DUPLICATE'],
    ['a quote that is never closed', 'n,a\n"Acme,1\nBolt,2\n', 'INPUT_QUOTE_UNCLOSED'],
    ['NUL in a cell', 'n,a\nAc\0me,1\n', 'INPUT_NUL_BYTE'],
    ['nothing', '', 'INPUT_EMPTY'],
    ['one row of 20,000 columns', `n${',x'.repeat(20_000)}\n`, 'INPUT_COLUMNS_TOO_MANY'],
    ['a name of 100,000 letters', `n,a\n${'x'.repeat(100_000)},1\n`, [{ e_status: 'invalid_input' }]],
    [
      'UTF-16 without a mark',
      Buffer.from('n,a\nAcme,é\nBolt,x\n', 'utf16le'),
      [{ n: 'Acme', a: 'é' }, { n: 'Bolt' }],
    ],
  ])('%s', async (_, content, rows) => {
    const out = table(await outcomeOf('in.csv', content, 'out.csv'))
    if (typeof rows === 'string') expect(out).toBe(rows)
    else expect(out).toMatchObject(rows as object)
  })

  test('6,000 columns but one go through with every cell', async () => {
    const header = ['n', ...Array.from({ length: 5_998 }, (_, index) => `c${index}`)]
    const out = table(
      await outcomeOf('in.csv', `${header.join(',')}\nAcme${',x'.repeat(5_998)}\n`, 'out.csv'),
    )
    expect(out).toHaveLength(1)
    expect(Object.values((out as Record<string, string>[])[0] ?? {})).toEqual([
      'Acme',
      ...new Array<string>(5_998).fill('x'),
      'matched',
    ])
  })
})
