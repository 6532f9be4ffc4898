import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { createChangesTarget, tryChanges } from '../../../src/pipeline/history/changes-file.js'
import { writeChanges } from '../../../src/pipeline/history/read-history.js'
import { assertFileApart } from '../../../src/pipeline/output/plain-table.js'
import { openInput } from '../../../src/pipeline/input/input.js'
import type { Change } from '../../../src/core/alarms.js'
import { readParquet, rowsOfCsv } from '../../support/tables.js'
import { readJsonLines } from '../../support/json-lines.js'
import { makeFolder } from '../../support/temporary-folder.js'

let folder: string
beforeEach(() => {
  folder = makeFolder()
})

const hostile = '=HYPERLINK("http://x","<b>\u202e")\n"'
const changes: Change[] = [
  {
    kind: 'renamed',
    rowKey: '=17',
    rowNumber: 3,
    name: '+Acme',
    field: 'legal_name',
    old: 'Acme, Ltd',
    new: hostile,
    oldSource: 'https://r.example/1',
    newSource: '@source',
    oldEntityId: 'siq_1',
    newEntityId: 'siq_1',
    run: 7,
  },
  {
    kind: 'row_gone',
    rowKey: null,
    rowNumber: 1,
    name: null,
    field: null,
    old: null,
    new: null,
    oldSource: null,
    newSource: null,
    oldEntityId: 'siq_2',
    newEntityId: null,
    run: 7,
  },
]
const names = [
  'kind',
  'row_key',
  'row_number',
  'name',
  'field',
  'old',
  'new',
  'old_source',
  'new_source',
  'old_entity_id',
  'new_entity_id',
  'run',
]
const record = () =>
  changes.map((change) => {
    const { kind, rowKey, rowNumber, name, field, old, new: now, run } = change
    const { oldSource, newSource, oldEntityId, newEntityId } = change
    const cells = [
      kind,
      rowKey,
      rowNumber,
      name,
      field,
      old,
      now,
      oldSource,
      newSource,
      oldEntityId,
      newEntityId,
      run,
    ]
    return Object.fromEntries(names.map((column, at) => [column, cells[at]]))
  })

async function* inBatches(batches: Change[][]): AsyncGenerator<Change[]> {
  for (const batch of batches) yield await Promise.resolve(batch)
}

async function written(fileName: string, batches: Change[][] = [changes]): Promise<string> {
  const path = join(folder, fileName)
  await writeChanges({ path }, inBatches(batches))
  expect(readdirSync(folder)).toEqual([fileName])
  return path
}

describe('a file of changes', () => {
  it('CSV: what a spreadsheet would run is neutralised, but for what is the user’s own', async () => {
    for (const [fileName, unpacked] of [
      ['c.csv', (bytes: Buffer) => bytes],
      ['c.csv.gz', gunzipSync],
    ] as const) {
      const [renamed, gone] = rowsOfCsv(unpacked(readFileSync(await written(fileName))))
      expect(Object.keys(renamed ?? {})).toEqual(names)
      expect(renamed).toMatchObject({
        row_key: '=17',
        name: '+Acme',
        new: `'${hostile}`,
        new_source: "'@source",
        old: 'Acme, Ltd',
      })
      expect(gone).toMatchObject({ kind: 'row_gone', row_number: '1', old: '', new_entity_id: '' })
      rmSync(join(folder, fileName))
    }
  })

  it('a .tsv has tabs, and a byte order mark stands where it is asked for', async () => {
    expect(readFileSync(await written('c.tsv'), 'utf8')).toMatch(/^kind\trow_key\t/)
    const path = join(folder, 'b.csv')
    await writeChanges({ path, bom: true }, inBatches([changes]))
    expect(readFileSync(path).subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  })

  it('NDJSON: every column, in order, and null where there is nothing', async () => {
    expect(readJsonLines(readFileSync(await written('c.ndjson'), 'utf8'))).toEqual(record())
    rmSync(join(folder, 'c.ndjson'))
    expect(readJsonLines(gunzipSync(readFileSync(await written('c.ndjson.gz'))).toString())).toEqual(record())
  })

  it('Parquet: numbers are numbers', async () => {
    const { rows, typeOf } = await readParquet(await written('c.parquet'))
    expect(
      rows.map((row) => ({ ...row, row_number: Number(row['row_number']), run: Number(row['run']) })),
    ).toEqual(record())
    expect([typeOf('row_number'), typeOf('run')]).toEqual(['INT64 INT_64', 'INT64 INT_64'])
    expect(typeOf('row_key')).toMatch(/^BYTE_ARRAY/)
  })

  it('Excel: no cell is a formula', async () => {
    const input = await openInput({ paths: [await written('c.xlsx')], spoolFolder: folder })
    try {
      const rows: unknown[][] = []
      for await (const batch of input.rows.texts()) rows.push(...batch.map((row) => [...row]))
      expect(input.columns).toEqual(names)
      expect(rows[0]).toEqual(Object.values(record()[0] ?? {}).map(String))
      expect(rows[1]?.slice(0, 3)).toEqual(['row_gone', null, '1'])
    } finally {
      await input.close()
    }
  })

  it.each(['c.csv', 'c.csv.gz', 'c.ndjson', 'c.ndjson.gz', 'c.parquet', 'c.xlsx'])(
    'of no change is a header: %s',
    async (fileName) => {
      const path = await written(fileName, [])
      const bytes = readFileSync(path)
      if (fileName === 'c.csv') expect(bytes.toString()).toBe(`${names.join(',')}\n`)
      if (fileName === 'c.csv.gz') expect(gunzipSync(bytes).toString()).toBe(`${names.join(',')}\n`)
      if (fileName === 'c.ndjson') expect(bytes).toHaveLength(0)
      if (fileName === 'c.ndjson.gz') expect(gunzipSync(bytes)).toHaveLength(0)
      if (fileName === 'c.parquet') {
        const { rows, metadata } = await readParquet(path)
        expect([rows, metadata.schema.slice(1).map(({ name }) => name)]).toEqual([[], names])
      }
    },
  )

  it('many batches are one table', async () => {
    const many = Array.from({ length: 30 }, (_, at) =>
      changes.map((change) => ({ ...change, rowNumber: at + 1 })),
    )
    const { rows } = await readParquet(await written('c.parquet', many))
    expect(rows.map((row) => Number(row['row_number']))).toEqual(
      many.flat().map(({ rowNumber }) => rowNumber),
    )
  })

  it('what fails leaves what stood there', async () => {
    const path = join(folder, 'c.csv')
    writeFileSync(path, 'before')
    const failing = async function* () {
      yield* inBatches([changes])
      throw new Error('lost')
    }
    await expect(writeChanges({ path }, failing())).rejects.toThrow('lost')
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['c.csv'], 'before'])
  })

  it('is tried without a trace', async () => {
    for (const fileName of ['c.csv', 'c.parquet', 'c.xlsx'])
      await tryChanges(createChangesTarget({ path: join(folder, fileName) }))
    expect(readdirSync(folder)).toEqual([])
    mkdirSync(join(folder, 'is-folder.csv'))
    const target = createChangesTarget({ path: join(folder, 'is-folder.csv') })
    await expect(tryChanges(target)).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
  })

  it('is no other file of the run, by whatever way', () => {
    const output = join(folder, 'out.csv')
    const link = join(folder, 'link.csv')
    writeFileSync(output, '')
    symlinkSync(output, link)
    for (const path of [output, link])
      expect(() => {
        assertFileApart('--changes', path, [], [output])
      }).toThrow(expect.objectContaining({ code: 'USAGE_INVALID' }))
    expect(() => {
      assertFileApart('--changes', join(folder, 'none', 'c.csv'), [])
    }).toThrow(expect.objectContaining({ code: 'OUTPUT_UNWRITABLE' }))
  })

  it('has a format that is known', () => {
    expect(() => createChangesTarget({ path: 'changes' })).toThrow(
      expect.objectContaining({ code: 'OUTPUT_FORMAT_UNKNOWN' }),
    )
  })
})
