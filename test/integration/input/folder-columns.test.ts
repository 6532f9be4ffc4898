import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInput, type InputAccess, type InputOptions } from '../../../src/pipeline/input/input.js'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import { newFolder, withDuckDb } from '../output/support.js'
import { writeXlsx, textRow } from '../../support/xlsx-file.js'

const folder = newFolder()
let placeCount = 0

/** Writes a file in folders; gives its path. */
type Writer = (path: string, row: Readonly<Record<string, string>>) => Promise<string>

const place = (path: string) => {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  return whole
}

const writers: Readonly<Record<'csv' | 'ndjson' | 'json' | 'xlsx' | 'parquet', Writer>> = {
  csv: (path, row) => {
    writeFileSync(place(path), `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`)
    return Promise.resolve(place(path))
  },
  ndjson: (path, row) => {
    writeFileSync(place(path), `${JSON.stringify(row)}\n`)
    return Promise.resolve(place(path))
  },
  json: (path, row) => {
    writeFileSync(place(path), JSON.stringify([row]))
    return Promise.resolve(place(path))
  },
  xlsx: (path, row) => {
    const rows = textRow(1, Object.keys(row)) + textRow(2, Object.values(row))
    const whole = place(path)
    writeXlsx(dirname(whole), 'part.xlsx', { sheets: [{ name: 'rows', rows }] })
    return Promise.resolve(whole)
  },
  parquet: async (path, row) => {
    const cells = Object.entries(row).map(([name, text]) => `'${text}' AS "${name}"`)
    await withDuckDb((duckDb) =>
      duckDb.run(`COPY (SELECT ${cells.join(', ')}) TO ${quoteSqlPath(place(path))} (FORMAT parquet)`),
    )
    return place(path)
  },
}

async function read(paths: readonly string[], options: Partial<InputOptions> = {}, access: InputAccess = {}) {
  const input = await openInput({ spoolFolder: join(folder, 'spool'), paths, ...options }, access)
  try {
    const rows: Record<string, string | null>[] = []
    for await (const batch of input.rows.texts())
      for (const row of batch)
        rows.push(Object.fromEntries(input.columns.map((name, at) => [name, row[at]!])))
    const objects: unknown[] = []
    for await (const batch of input.rows.objects())
      objects.push(...batch.map((text) => JSON.parse(text) as unknown))
    const cells: (readonly unknown[])[] = []
    for await (const batch of input.rows.cells()) cells.push(...batch)
    const { columns } = input
    const fingerprints = [await input.identity.hashContent(), input.identity.hashList()]
    return {
      columns,
      rows,
      objects,
      cells,
      notes: input.listNotes(),
      source: input.rows.parquet(),
      fingerprints,
    }
  } finally {
    await input.close()
  }
}

describe.each(Object.entries(writers))('%s files', (format, write) => {
  const writeAll = async (files: readonly (readonly [string, Readonly<Record<string, string>>])[]) => {
    const base = `${format}-${placeCount++}`
    const paths: string[] = []
    for (const [folders, row] of files) paths.push(await write(`${base}/${folders}part.${format}`, row))
    return paths
  }

  test('get the columns in the names of their folders, at several levels', async () => {
    const paths = await writeAll([
      ['country=GB/year=2023/', { name: 'Tesco' }],
      ['country=US/year=2024/', { name: 'Apple' }],
    ])
    const { rows, objects, notes } = await read(paths)
    expect(rows).toEqual([
      { name: 'Tesco', country: 'GB', year: '2023' },
      { name: 'Apple', country: 'US', year: '2024' },
    ])
    const year = (number: number) => (format === 'csv' ? String(number) : number)
    expect(objects).toEqual([
      { name: 'Tesco', country: 'GB', year: year(2023) },
      { name: 'Apple', country: 'US', year: year(2024) },
    ])
    expect(notes).toEqual(['read from the names of folders: "country", "year"'])
  })

  test('a single file gets them too, decoded, with null for Hive’s null', async () => {
    const [path = ''] = await writeAll([
      ['my%20city=S%C3%A3o%2FPaulo/code=007/none=__HIVE_DEFAULT_PARTITION__/bad=%zz/', { name: 'Vale' }],
    ])
    expect((await read([path])).rows).toEqual([
      { name: 'Vale', 'my city': 'São/Paulo', code: '007', none: null, bad: '%zz' },
    ])
  })

  test('a file in another folder has no value', async () => {
    const paths = await writeAll([
      ['', { name: 'Nestle' }],
      ['country=GB/', { name: 'Tesco' }],
      ['country=GB/other/', { name: 'Bosch' }],
    ])
    expect((await read(paths)).rows.map(({ country }) => country)).toEqual([null, 'GB', null])
  })

  test('the column of a file has priority over that of its folder, whatever its letter case', async () => {
    const paths = await writeAll([
      ['Country=GB/', { name: 'Tesco', country: 'own' }],
      ['country=US/', { name: 'Apple' }],
    ])
    const { columns, rows, notes } = await read(paths)
    expect(columns).toEqual(['name', 'country'])
    expect(rows).toEqual([
      { name: 'Tesco', country: 'own' },
      { name: 'Apple', country: 'US' },
    ])
    expect(notes).toEqual([
      'read from the names of folders: "country"',
      'in files and in the names of their folders: "country"; the values in the files are used',
    ])
  })

  test('a column has a type if the texts of all values stay the same', async () => {
    const typesOf = async (...values: readonly string[]) => {
      const paths = await writeAll(values.map((value) => [`v=${value}/`, { name: 'Tesco' }]))
      const { source, columns } = await read(paths)
      const at = columns.indexOf('v')
      return source.kind === 'members' ? source.types[at] : source.columns[at]?.type
    }
    const [text, integer, date] =
      format === 'parquet'
        ? ['VARCHAR', 'BIGINT', 'DATE']
        : format === 'csv'
          ? ['text', 'text', 'text']
          : ['text', 'integer', format === 'xlsx' ? 'date' : 'text']
    expect(await typesOf('1', '-20', '__HIVE_DEFAULT_PARTITION__')).toBe(integer)
    expect(await typesOf('1', '02')).toBe(text)
    expect(await typesOf('2024-02-29', '2023-01-01')).toBe(date)
    expect(await typesOf('2024-02-30')).toBe(text)
  })

  test('the folders belong to the content', async () => {
    const [one = '', two = ''] = await writeAll([
      ['country=GB/', { name: 'Tesco' }],
      ['country=US/', { name: 'Tesco' }],
    ])
    const [first, second, again] = [await read([one]), await read([two]), await read([one])]
    expect(first.fingerprints).toEqual(again.fingerprints)
    for (const [index, fingerprint] of first.fingerprints.entries())
      expect(fingerprint).not.toBe(second.fingerprints[index])
  })
})

test('of Parquet with a column file_index, and in parts, the folders give columns too', async () => {
  const paths = [
    await writers.parquet('index/country=GB/part.parquet', { name: 'Tesco', file_index: '7' }),
    await writers.parquet('index/country=US/part.parquet', { name: 'Apple', file_index: '8' }),
  ]
  const expected = [
    { name: 'Tesco', file_index: '7', country: 'GB' },
    { name: 'Apple', file_index: '8', country: 'US' },
  ]
  expect((await read(paths)).rows).toEqual(expected)
  const parts = [1, 2].map((index) => read(paths, {}, { partition: { index, count: 2 } }))
  expect((await Promise.all(parts)).flatMap(({ rows }) => rows)).toEqual(expected)
})
