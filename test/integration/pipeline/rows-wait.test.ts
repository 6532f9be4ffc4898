import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { RowSpool } from '../../../src/pipeline/output/write-format.js'
import { createWorkplace, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'
import { queryDuckDb, readParquet } from '../../support/tables.js'
import { readJsonLines } from '../../support/json-lines.js'

const newService = servicesOfTests()
let place: Workplace
beforeEach(() => {
  place = createWorkplace()
})

/** Rows that share answers, and that have none; cells of every kind, and ragged rows before and behind. */
const oddRows = [
  'Acme,Lyon',
  '"Bolt ""and"" Co","new\nline"',
  ',nowhere',
  'Acme,Lyon',
  'short',
  '"tab\tquote\\ back",\u00a0',
  'Acme,Lyon,beyond,"far beyond"',
  '\u{1f600} Ltd,"in \ufeff it"',
  'Acme,Lyon',
]

const leftovers = () => readdirSync(place.folder).filter((name) => name.includes('.tmp'))

describe.each(['csv', 'ndjson', 'parquet'])('rows of %s', (format) => {
  test('come out of Parquet as they come out of NDJSON, each with the answer to its own lookup', async () => {
    const service = await newService()
    place.writeRows(oddRows)
    const paths = [place.path(`companies.${format}`)]
    if (format === 'ndjson') {
      const objects = oddRows.map((row, index) => ({
        company_name: index % 3 === 0 ? 'Acme' : row,
        n: index,
        x: [index, null],
      }))
      writeFileSync(paths[0] ?? '', objects.map((object) => `${JSON.stringify(object)}\n`).join(''))
    } else if (format === 'parquet') {
      await queryDuckDb(
        `COPY (SELECT 'Company ' || (i * 7919 % 11) AS company_name, (i % 200)::UTINYINT AS small, [i, NULL] AS list, i / 3 AS d
         FROM range(5000) t(i)) TO '${paths[0] ?? ''}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
      )
    }
    const outputs = ['out.parquet', 'out.ndjson'].map((name) => place.path(name))
    for (const path of outputs)
      await place.run(service, { input: { paths, acceptDoubtful: true }, output: { path } })
    const [parquet = '', ndjson = ''] = outputs
    const { rows } = await readParquet(parquet)
    const objects = readJsonLines(readFileSync(ndjson, 'utf8'))
    expect(rows).toHaveLength(objects.length)
    for (const [index, row] of rows.entries()) {
      const object = objects[index] ?? {}
      expect(Object.keys(row)).toEqual(Object.keys(object))
      for (const name of 'company_name city enrich_status enrich_run_id enrich_error column_3'.split(' '))
        expect([index, name, row[name] ?? null]).toEqual([index, name, object[name] ?? null])
    }
    // All were answered before: none was asked twice.
    expect(new Set(service.runs.map(({ runId }) => runId)).size).toBe(service.runs.length)
    expect(leftovers()).toEqual([])
  })
})

describe('rows that wait for their answers', () => {
  test('are kept from everybody but their owner, and removed', async () => {
    const spool = new RowSpool(place.path('out.parquet'), place.folder)
    await spool.add([{ members: '"c0":"Acme"' }, { members: '' }])
    await spool.end()
    const [folder = ''] = leftovers()
    expect(statSync(place.path(folder)).mode & 0o077).toBe(0)
    const [file] = spool.files
    expect(statSync(file?.path ?? '').mode & 0o077).toBe(0)
    expect(readFileSync(file?.path ?? '', 'utf8')).toBe('{"c0":"Acme"}\n{}\n')
    await spool.remove()
    expect(leftovers()).toEqual([])
  })

  test('of a killed run are removed by the next', async () => {
    const goneProcessId = 2 ** 22 + 1
    for (const end of ['.rows', '.parts']) {
      const folder = place.path(`.out.parquet.${goneProcessId}-0123abcd.tmp${end}`)
      mkdirSync(folder)
      writeFileSync(join(folder, 'rows-0.ndjson'), '{}\n')
    }
    const service = await newService()
    place.writeRows(['Acme,Lyon'])
    await place.run(service, { output: { path: place.path('out.parquet') } })
    expect(leftovers()).toEqual([])
  })

  test('are removed where a run fails', async () => {
    const service = await newService()
    place.writeRows(['Acme,Lyon', '"open'])
    const run = place.run(service, { output: { path: place.path('out.parquet') } })
    await expect(run).rejects.toMatchObject({ code: 'INPUT_QUOTE_UNCLOSED' })
    expect(leftovers()).toEqual([])
  })
})

test('less memory than any output takes is refused before anything is submitted', async () => {
  const service = await newService()
  place.writeRows(['Acme,Lyon'])
  const run = place.run(service, { output: { path: place.path('out.parquet'), memory: '100MB' } })
  await expect(run).rejects.toMatchObject({
    code: 'MEMORY_SHORT',
    exitCode: 2,
    hint: expect.stringContaining('--memory 400MB'),
  })
  expect(service.runs).toHaveLength(0)
  await place.run(service, { output: { path: place.path('out.parquet'), memory: '400MB' } })
  expect(service.runs).toHaveLength(1)
})
