import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInput } from '../../../src/pipeline/input/input.js'
import { readLabelledQueries } from '../../../src/registry/evaluate/labelled-query.js'
import { importCsv } from '../../../src/registry/import/import-csv.js'
import { openRegistry } from '../../../src/registry/registry.js'
import { convert, newFolder } from './support.js'
import { errorWith } from '../../support/error-with.js'

const folder = newFolder()

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function written(paths: readonly string[], output: string, bom = false) {
  const path = join(folder, output)
  await convert({ input: { paths }, output: path, basis: 'file', columns: ['status', 'city'], bom })
  return { main: readFileSync(path, 'utf8'), basis: readFileSync(`${path}.basis.csv`, 'utf8') }
}

describe('the delimiter of a CSV output', () => {
  const table = (delimiter: string) =>
    ['name', '"a,b;c|d"'].join(delimiter) + `\n"x${delimiter}y"${delimiter}1\n`
  const cases: [input: string, text: string, output: string, delimiter: string, ofBasis: string][] = [
    ['semicolon.csv', table(';'), 'semicolon-out.csv', ';', ';'],
    ['bar.csv', table('|'), 'bar-out.csv', '|', '|'],
    ['comma.csv', table(','), 'comma-out.csv', ',', ','],
    ['tab.csv', table('\t'), 'tab-out.csv', '\t', '\t'],
    ['tab.tsv', table('\t'), 'tab-turned.csv', ',', ','],
    ['tab.tsv', table('\t'), 'tab-out.tsv', '\t', ','],
    ['semicolon.csv', table(';'), 'semicolon-out.tsv', '\t', ';'],
    ['separator.csv', `sep=;\n${table(';')}`, 'separator-out.csv', ';', ';'],
    ['lines.ndjson', '{"name":"x;y","n":"1"}\n', 'lines-out.csv', ',', ','],
  ]
  test.each(cases)('%s with %j becomes %s with %j', async (name, text, output, delimiter, ofBasis) => {
    const { main, basis } = await written([file(name, text)], output)
    const [header = '', row = ''] = main.split('\n')
    expect(header.endsWith(`${delimiter}enrich_status${delimiter}enrich_city`)).toBe(true)
    expect(row.endsWith(`${delimiter}matched${delimiter}Köln`)).toBe(true)
    expect(basis.split('\n')[0]?.startsWith(`row_number${ofBasis}`)).toBe(true)
  })

  test('several inputs of different ones give a comma', async () => {
    const paths = [file('one.csv', 'name;x\na;1\n'), file('two.csv', 'name|x\nb|2\n')]
    expect((await written(paths, 'several.csv')).main.split('\n')[0]).toBe('name,x,enrich_status,enrich_city')
  })

  test('what was written is read back, cell by cell', async () => {
    await written([file('back.csv', table(';'))], 'back-out.csv')
    const input = await openInput({ paths: [join(folder, 'back-out.csv')], spoolFolder: folder })
    expect(input.columns).toEqual(['name', 'a,b;c|d', 'enrich_status', 'enrich_city'])
    for await (const rows of input.rows.keys(['name'])) expect(rows).toEqual([['x;y']])
    await input.close()
  })
})

test('a byte order mark stands in front of both files, once, and only where it is wanted', async () => {
  const path = file('marked.csv', `\ufeffname,x\n${'Köln,1\n'.repeat(3_000)}`)
  const { main, basis } = await written([path], 'marked-out.csv', true)
  expect([main, basis].map((text) => [text.startsWith('\ufeff'), text.split('\ufeff').length - 1])).toEqual([
    [true, 1],
    [true, 1],
  ])
  const plain = await written([path], 'plain-out.csv')
  expect(`${plain.main}${plain.basis}`).not.toContain('\ufeff')
  expect(main.slice(1)).toBe(plain.main)
})

describe('what stands above the header', () => {
  const report =
    'Customer report;;\nGenerated on;2026-11-20;\n;;\nname;city;revenue\nMüller;Köln;1\nx;"y\nz";2\nshort;1\n'

  async function read(path: string) {
    const input = await openInput({ paths: [path], spoolFolder: folder })
    try {
      const before = input.listNotes()
      const rows: (string | null)[][] = []
      for await (const batch of input.rows.keys(input.columns)) rows.push(...batch.map((row) => [...row]))
      return { columns: input.columns, rows, before, notes: input.listNotes() }
    } finally {
      await input.close()
    }
  }

  test('is left out and told once the file is open; line numbers stay those of the file', async () => {
    const wide = report.replace('short;1\n', 'short;1;2;3\n')
    for (const [text, line] of [
      [report.replace('short;1\n', ''), null],
      [`sep=;\n${report}`.replace('short;1\n', ''), null],
      [wide.replace(/short.*/s, `${'a;b;1\n'.repeat(60)}short;1\n`), 68],
    ] as const) {
      const { columns, rows, before, notes } = await read(file('report.csv', text))
      expect(columns).toEqual(['name', 'city', 'revenue'])
      expect(rows.slice(0, 2)).toEqual([
        ['Müller', 'Köln', '1'],
        ['x', 'y\nz', '2'],
      ])
      expect(before).toEqual([expect.stringMatching(/report\.csv: 3 lines above the header were left out/)])
      if (line !== null) expect(notes.at(-1)).toContain(`(line ${line})`)
    }
  })

  test('an error names the line of the file', async () => {
    const rows = 'a;b;1\n'.repeat(60)
    const path = file('broken.csv', `${report.replace('short;1\n', '')}${rows}"a\nb"c;d;1\n`)
    await expect(read(path)).rejects.toMatchObject(errorWith('INPUT_CSV_INVALID', { message: 'line 68' }))
  })

  test('a first line sep=; is no row, for registers and labelled queries too', async () => {
    const registry = openRegistry(':memory:')
    const path = file('register.csv', 'sep=;\nid;name\n1;Müller AG\n2\n')
    expect(await importCsv(registry, { path })).toMatchObject({
      importedCount: 1,
      rejections: [{ line: 4 }],
    })
    const queries = await readLabelledQueries(file('queries.csv', 'sep=;\nname;expected\nMüller AG;\n'))
    expect(queries).toMatchObject([{ id: 'line 3', name: 'Müller AG' }])
  })
})
