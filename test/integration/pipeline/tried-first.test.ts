import { readdirSync, writeFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { readThrift, writeThrift, isThriftList } from '../../../src/parquet/thrift.js'
import { createTemporaryMark } from '../../../src/platform/files.js'
import { createWorkplace, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'
import { queryDuckDb, readParquet } from '../../support/tables.js'

const newService = servicesOfTests()
let place: Workplace
beforeEach(() => {
  place = createWorkplace()
})

describe('a publication that cannot work is refused before the first submission', () => {
  test('where the basis file cannot be made beside the output', async () => {
    const service = await newService()
    place.writeRows(['Acme,Lyon', 'Bolt,Lyon'])
    // The output's own temporary name just fits into a name of 255 bytes; that of its basis file does not.
    const name = `${'x'.repeat(255 - 12 - createTemporaryMark().length - 4)}.csv`
    const run = place.run(service, { output: { path: place.path(name) } })
    await expect(run).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE', exitCode: 2 })
    expect(service.runs).toHaveLength(0)
    expect(readdirSync(place.folder).filter((left) => left.includes('xxx'))).toEqual([])
  })

  test.each(['GEOMETRY', 'VARIANT'])('where a column is a %s of Parquet, by its name', async (type) => {
    const service = await newService()
    const value = type === 'GEOMETRY' ? `'POINT(1 2)'::GEOMETRY` : `{'a': 1}::VARIANT`
    await queryDuckDb(
      `COPY (SELECT 'Acme' AS company_name, ${value} AS whereabouts) TO '${place.path('in.parquet')}' (FORMAT parquet, GEOPARQUET_VERSION 'NONE')`,
    )
    const config = { input: { paths: [place.path('in.parquet')] } }
    const run = place.run(service, { ...config, output: { path: place.path('out.parquet') } })
    await expect(run).rejects.toMatchObject({
      code: 'OUTPUT_COLUMN_UNFIT',
      exitCode: 2,
      message: expect.stringContaining('whereabouts'),
    })
    expect(service.runs).toHaveLength(0)
    await place.run(service, config)
    expect(place.readOutput()[0]?.['whereabouts']).toBe(type === 'GEOMETRY' ? 'POINT (1 2)' : "{'a': 1}")
  })

  test('where a column is a GEOGRAPHY of Parquet', async () => {
    const service = await newService()
    const path = place.path('in.parquet')
    await queryDuckDb(
      `COPY (SELECT 'Acme' AS company_name, 'POINT(1 2)'::GEOMETRY AS whereabouts) TO '${path}' (FORMAT parquet, GEOPARQUET_VERSION 'NONE')`,
    )
    writeFileSync(path, asGeography(readFileSync(path)))
    const run = place.run(service, { input: { paths: [path] }, output: { path: place.path('out.parquet') } })
    await expect(run).rejects.toMatchObject({ code: 'OUTPUT_COLUMN_UNFIT' })
    expect(service.runs).toHaveLength(0)
  })
})

/** DuckDB writes no GEOGRAPHY: of the logical type, field 17 (GEOMETRY) becomes 18. */
function asGeography(bytes: Buffer): Buffer {
  const bodyEnd = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
  const footer = readThrift(bytes.subarray(bodyEnd, -8))
  const schema = footer.get(2)?.value
  const column = isThriftList(schema) ? schema.items[2] : undefined
  const logical = column instanceof Map ? column.get(10)?.value : undefined
  if (!(logical instanceof Map)) throw new Error('no logical type')
  const geometry = logical.get(17)
  logical.delete(17)
  if (geometry !== undefined) logical.set(18, geometry)
  const written = writeThrift(footer)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(written.length)
  return Buffer.concat([bytes.subarray(0, bodyEnd), written, length, Buffer.from('PAR1')])
}

test('geometry of GeoParquet goes to Parquet byte for byte, over more than one row group', async () => {
  const service = await newService()
  const path = place.path('in.parquet')
  const rowCount = 21_000
  await queryDuckDb(
    `COPY (SELECT 'Acme' AS company_name, ('POINT(' || r || ' 2)')::GEOMETRY AS whereabouts FROM range(${rowCount}) t(r)) TO '${path}' (FORMAT parquet)`,
  )
  const output = place.path('out.parquet')
  await place.run(service, { input: { paths: [path] }, output: { path: output } })
  const before = await readParquet(path)
  const after = await readParquet(output)
  const geoOf = ({ metadata }: typeof before) =>
    metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value
  expect(geoOf(after)).toBe(geoOf(before))
  expect(after.metadata.row_groups.length).toBeGreaterThan(1)
  const points = `SELECT whereabouts::VARCHAR AS point FROM read_parquet('${output}') ORDER BY whereabouts::VARCHAR LIMIT 2`
  expect(await queryDuckDb(points)).toEqual([{ point: 'POINT (0 2)' }, { point: 'POINT (1 2)' }])
  expect(after.rows).toHaveLength(rowCount)
})

test('where all is answered, nothing is tried; and what was tried leaves nothing', async () => {
  const service = await newService()
  place.writeRows(['Acme,Lyon'])
  await place.run(service, { output: { path: place.path('out.parquet') } })
  await place.run(service, { output: { path: place.path('out.parquet') } })
  expect(service.runs).toHaveLength(1)
  expect(readdirSync(join(place.folder)).filter((name) => name.includes('.tmp'))).toEqual([])
})
