import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openInput } from '../../../src/pipeline/input/input.js'
import { parseApart } from '../../support/tables.js'
import { newFolder } from '../output/support.js'
import { errorWith } from '../../support/error-with.js'
import { forAllAsync } from '../../support/properties.js'

const folder = newFolder()

async function read(content: string | Buffer, name = 'in.json') {
  const path = join(folder, name)
  writeFileSync(path, content)
  const input = await openInput({ paths: [path], spoolFolder: folder })
  try {
    const rows: unknown[] = []
    const lines: string[] = []
    for await (const batch of input.rows.keys(input.columns)) rows.push(...batch)
    for await (const batch of input.rows.objects()) lines.push(...batch)
    return { columns: input.columns, rows, lines }
  } finally {
    await input.close()
  }
}

describe('a JSON array', () => {
  test('gives a row for each object, its text but for line breaks unchanged', async () => {
    const text =
      '\ufeff[\n  {\n    "name": "A {[\\"]}, \\\\",\n    "n": 1.50, "deep": [{"a": [1,\n2]}]\n  },\n {"name":null,"x":true}\r\n]\n'
    expect(await read(text)).toEqual({
      columns: ['name', 'n', 'deep', 'x'],
      rows: [
        ['A {["]}, \\', '1.50', '[{"a": [1,2]}]', null],
        [null, null, null, 'true'],
      ],
      lines: ['{"name": "A {[\\"]}, \\\\","n": 1.50, "deep": [{"a": [1,2]}]}', '{"name":null,"x":true}'],
    })
    expect((await read(gzipSync(text), 'in.json.gz')).rows).toHaveLength(2)
  })

  test('of any objects, spaced in any way, gives what JSON.parse gives', async () => {
    await forAllAsync(
      100,
      [
        fc.array(fc.record({ name: fc.string({ unit: 'binary' }), value: fc.jsonValue() }), { minLength: 1 }),
        fc.constantFrom(0, 2, '\t'),
      ],
      async (objects, indent) => {
        const { lines } = await read(JSON.stringify(objects, null, indent))
        expect(lines.map(parseApart)).toEqual(objects.map((object) => parseApart(JSON.stringify(object))))
      },
    )
  })

  test('is cut at any chunk', async () => {
    const objects = Array.from({ length: 40_000 }, (_, index) => ({
      name: `é${'"\\'.repeat(index % 5)}${index}`,
    }))
    expect((await read(JSON.stringify(objects))).rows).toEqual(objects.map(({ name }) => [name]))
  })
})

describe('what is no array of objects is refused with its line', () => {
  test.each<[what: string, text: string, says: RegExp, hint: RegExp]>([
    ['an object', '\n{"items": [{"name": "a"}]}', /is an object/, /--input-format ndjson.*jq \.items/],
    [
      'an object with an array',
      '{"count": 1, "companies" : [{"name": "a"}]}',
      /is an object/,
      /jq \.companies/,
    ],
    ['a text', '"a"', /is not an array/, /one array/],
    ['an array of texts', '[\n"a"]', /line 2.*expected an object/, /one array/],
    ['a missing comma', '[{"a":1}\n{"a":2}]', /line 2.*comma/, /one array/],
    ['a comma too many', '[{"a":1},\n]', /line 2.*expected an object/, /one array/],
    ['something behind it', '[{"a":1}]\n[', /line 2.*after the array/, /one array/],
    ['one that breaks off', '[{"a":1},\n{"a":', /line 2.*ends too early/, /one array/],
    ['an object that is no JSON', '[{"a":1},\n{"a":x}]', /line 2.*expected an object/, /one array/],
    ['one that nests too deep', `[{"a":${'['.repeat(300)}${']'.repeat(300)}}]`, /deeper/, /one array/],
  ])('%s', async (_, text, says, hint) => {
    await expect(read(text)).rejects.toMatchObject(
      errorWith('INPUT_JSON_INVALID', { message: says, hint: hint }),
    )
  })

  test('an empty one has no rows', async () => {
    await expect(read('[ ]')).rejects.toMatchObject({ code: 'INPUT_NO_ROWS' })
  })

  test('an object without end is too large', async () => {
    await expect(read(`[{"a":"${'x'.repeat(17 * 1024 * 1024)}`)).rejects.toMatchObject({
      code: 'INPUT_RECORD_TOO_LARGE',
    })
  })
})

describe('an object with a key twice is refused with its line', () => {
  const cases: readonly (readonly [what: string, object: string, key: string])[] = [
    ['next to each other', '{"name":"Alpha Works","name":"Beta Works","city":"Berlin"}', 'name'],
    ['apart', '{"name":"Alpha Works","city":"Berlin","name":"Beta Works"}', 'name'],
    ['one written with an escape', '{"name":"Alpha Works","n\\u0061me":"Beta Works"}', 'name'],
    [
      'in an object inside it',
      '{"name":"Alpha Works","seat":{"a":{"city":"Berlin","city":"Paris"}}}',
      'city',
    ],
    ['a name that objects have', '{"name":"Alpha Works","__proto__":"a","__proto__":"b"}', '__proto__'],
  ]
  test.each(cases)('%s', async (_what, object, key) => {
    const found = errorWith('INPUT_COLUMNS_DUPLICATE', { message: new RegExp(`line 2 .*"${key}" twice`) })
    await expect(read(`{"name":"Gamma Works"}\n${object}\n`, 'in.ndjson')).rejects.toMatchObject(found)
    await expect(read(`[{"name":"Gamma Works"},\n${object}]`)).rejects.toMatchObject(found)
  })

  test('one with the same value twice is read', async () => {
    const object = '{"name":"Alpha Works","city":"Berlin","name":"Alpha Works"}'
    expect((await read(`[${object}]`)).rows).toHaveLength(1)
  })

  test('keys that differ in case, and keys of other objects, are not', async () => {
    const object =
      '{"name":"Alpha Works","Name":"Beta Works","a":{"name":"x"},"b":[{"name":"x"},{"name":"y"}]}'
    expect((await read(`[${object}]`)).rows).toHaveLength(1)
  })
})
