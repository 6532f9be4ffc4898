import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { InputColumns } from '../../../src/pipeline/input/input-columns.js'
import { openInput, type InputOptions } from '../../../src/pipeline/input/input.js'
import { textRow, writeXlsx } from '../../support/xlsx-file.js'
import { queryDuckDb } from '../../support/tables.js'
import { convert, newFolder, readTable } from '../output/support.js'
import { errorWith } from '../../support/error-with.js'

const folder = newFolder()

interface Table {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

type WriteTable = (name: string, table: Table) => Promise<string>

const quoteSql = (text: string) => `'${text.replaceAll("'", "''")}'`

const formats: Readonly<Record<string, WriteTable>> = {
  csv: async (name, { header, rows }) => {
    writeFileSync(join(folder, `${name}.csv`), [header, ...rows].map((row) => row.join(';')).join('\n'))
    return Promise.resolve(join(folder, `${name}.csv`))
  },
  ndjson: (name, { header, rows }) => {
    const lines = rows.map((row) =>
      JSON.stringify(Object.fromEntries(row.map((cell, at) => [header[at], cell]))),
    )
    writeFileSync(join(folder, `${name}.ndjson`), lines.join('\n'))
    return Promise.resolve(join(folder, `${name}.ndjson`))
  },
  xlsx: (name, { header, rows }) => {
    const sheet = [header, ...rows].map((row, at) => textRow(at + 1, row)).join('')
    writeXlsx(folder, `${name}.xlsx`, { sheets: [{ name: 'Companies', rows: sheet }] })
    return Promise.resolve(join(folder, `${name}.xlsx`))
  },
  parquet: async (name, { header, rows }) => {
    const path = join(folder, `${name}.parquet`)
    const values = rows.map((row) => `(${row.map(quoteSql).join(', ')})`).join(', ')
    const columns = header.map((column) => `"${column}"`).join(', ')
    await queryDuckDb(
      `COPY (SELECT * FROM (VALUES ${values}) AS t(${columns})) TO '${path}' (FORMAT parquet)`,
    )
    return path
  },
}

async function withInput<Result>(
  options: Partial<InputOptions> & { paths: readonly string[] },
  use: (input: Awaited<ReturnType<typeof openInput>>) => Promise<Result>,
): Promise<Result> {
  const input = await openInput({ spoolFolder: join(folder, 'spool'), ...options })
  try {
    return await use(input)
  } finally {
    await input.close()
  }
}

const detect = (paths: readonly string[]) =>
  withInput({ paths }, async (input) =>
    (await InputColumns.read(input, { asked: {}, identifierUse: 'context' })).detect(),
  )

describe.each(Object.entries(formats))('%s files', (format, write) => {
  const first = { header: ['company_name', 'Ort'], rows: [['Acme', 'Köln']] }
  const second = { header: ['ORT', 'Company Name'], rows: [['Lyon', 'Bolt']] }

  test('headers that differ in case, spaces and punctuation are one column', async () => {
    const third = { header: ['Company-Name', 'country'], rows: [['Cargo', 'GB']] }
    const paths = [await write('a', first), await write('b', second), await write('c', third)]
    await withInput({ paths }, async (input) => {
      expect(input.columns).toEqual(['company_name', 'Ort', 'country'])
      const rows: (string | null)[][] = []
      for await (const batch of input.rows.texts(['company_name', 'Ort']))
        rows.push(...batch.map((row) => [...row]))
      expect(rows).toEqual([
        ['Acme', 'Köln'],
        ['Bolt', 'Lyon'],
        ['Cargo', null],
      ])
    })
    for (const output of ['csv', 'parquet', 'xlsx']) {
      const path = join(folder, `${format}-united.${output}`)
      await convert({ input: { paths }, output: path, basis: 'none' })
      const { columns, rows } = await readTable(path)
      expect(columns.slice(0, 3)).toEqual(['company_name', 'Ort', 'country'])
      expect(rows.map(([name]) => name)).toEqual(['Acme', 'Bolt', 'Cargo'])
    }
  })

  test('a file without the column of names is named, wherever it stands', async () => {
    const other = { header: ['supplier', 'Ort'], rows: [['Delta', 'Kiel']] }
    const paths = [await write('a', first), await write('b', second), await write('other', other)]
    const refusal = {
      code: 'INPUT_COLUMN_MISSING',
      message: expect.stringMatching(/other\.\w+ has no column "company_name"/) as string,
      hint: expect.stringMatching(/"supplier"/) as string,
    }
    await expect(detect(paths)).rejects.toMatchObject(refusal)
    await expect(detect([paths[2] ?? '', paths[0] ?? ''])).rejects.toMatchObject(refusal)
    await expect(detect(paths.slice(0, 2))).resolves.toMatchObject({ name: 'company_name' })
  })
})

test('keys of one object stay apart, keys of several objects are one column', async () => {
  const path = join(folder, 'keys.ndjson')
  const objects = [
    { Name: 'Acme', id: 1 },
    { NAME: 'Bolt', ID: 'x' },
    { name: 'Cargo', id: 2, ID: 3 },
  ]
  writeFileSync(path, objects.map((one) => JSON.stringify(one)).join('\n'))
  await withInput({ paths: [path] }, async (input) => {
    expect(input.columns).toEqual(['Name', 'id', 'ID'])
    const rows: (string | null)[][] = []
    for await (const batch of input.rows.keys(input.columns)) rows.push(...batch.map((row) => [...row]))
    expect(rows).toEqual([
      ['Acme', '1', null],
      ['Bolt', null, 'x'],
      ['Cargo', '2', '3'],
    ])
  })
})

test('columns of one CSV that differ in case only stay apart', async () => {
  const path = join(folder, 'apart.csv')
  writeFileSync(path, 'name,Name,#,%\na,b,c,d\n')
  await withInput({ paths: [path, path] }, (input) => {
    expect(input.columns).toEqual(['name', 'Name', '#', '%'])
    return Promise.resolve()
  })
})

describe('content of another kind', () => {
  const page = '\ufeff\n<!-- x -->\n<!DOCTYPE html>\n<html><body><form>Sign in, please</form></body></html>'
  test.each<[name: string, bytes: Buffer, told: RegExp]>([
    ['page.csv', Buffer.from(page), /page of HTML/],
    ['page.ndjson', Buffer.from('<html lang="en"><head>'), /page of HTML/],
    ['page.parquet', Buffer.from(page), /page of HTML/],
    ['page.xlsx', Buffer.from(page), /page of HTML/],
    ['wide.csv', Buffer.from(page, 'utf16le'), /page of HTML/],
    ['zip.csv', Buffer.from('PK\x03\x04\x14\0\0\0list.csv', 'latin1'), /zip archive.*not CSV/],
    ['book.csv', Buffer.from('PK\x03\x04\x14\0\0\0[Content_Types].xml', 'latin1'), /Excel workbook/],
    ['document.csv', Buffer.from('%PDF-1.7\n'), /PDF document/],
  ])('%s is named', async (name, bytes, told) => {
    writeFileSync(join(folder, name), bytes)
    await expect(detect([join(folder, name)])).rejects.toMatchObject(
      errorWith('INPUT_FORMAT_WRONG', { message: told }),
    )
  })

  test('an unknown name is explained by the content', async () => {
    writeFileSync(join(folder, 'list.zip'), Buffer.from('PK\x03\x04\x14\0\0\0list.csv', 'latin1'))
    await expect(detect([join(folder, 'list.zip')])).rejects.toMatchObject(
      errorWith('INPUT_FORMAT_UNKNOWN', { hint: /unpack/ }),
    )
  })
})

test.each([
  ['flat', ['part-0.parquet', 'part-1.parquet', '_SUCCESS', '.part-0.csv', 'notes.csv'], '*.parquet'],
  ['deep', ['year=2026/a.ndjson.gz', 'year=2025/b.ndjson.gz'], '**/*.ndjson.gz'],
])('a folder proposes the pattern of its files: %s', async (name, files, pattern) => {
  for (const file of files) {
    mkdirSync(join(folder, name, file, '..'), { recursive: true })
    writeFileSync(join(folder, name, file), '')
  }
  await expect(detect([join(folder, name)])).rejects.toMatchObject(
    errorWith('INPUT_IS_FOLDER', { hint: `"${join(folder, name, pattern)}"` }),
  )
})
