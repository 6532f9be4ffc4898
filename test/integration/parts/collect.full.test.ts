import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Postgres } from '../../../src/platform/postgres/postgres.js'
import { collectJob, connectTo, makeDatabase, runPart, type PartRun } from '../../support/part-run.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'
import { queryDuckDb, readParquet, rowsOfCsv } from '../../support/tables.js'
import { errorWith } from '../../support/error-with.js'

const programs = findPostgres()

describe.skipIf(programs === null)('parts that are collected', () => {
  let server: SharedPostgres
  let url: string
  let postgres: Postgres
  let folder: string
  let jobCount = 0
  beforeAll(async () => {
    server = await sharedPostgres(programs ?? '')
    url = await makeDatabase(server, 'collect')
    postgres = connectTo(url)
  }, 60_000)
  afterAll(async () => {
    await postgres.close()
    await server.stop()
  })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'enrich-parts-'))
    return () => {
      rmSync(folder, { recursive: true })
    }
  })

  const path = (name: string) => join(folder, name)
  const names = () => readdirSync(folder).filter((name) => name !== '.enrich')
  const rows = (count: number, first = 0) =>
    Array.from(
      { length: count },
      (_, at) => `"Firm ${(first + at) % 7}, ""inc""\nof ${first + at}",${first + at}`,
    )
  const writeRows = (name: string, count: number, first = 0) => {
    writeFileSync(path(name), `company_name,n\n${rows(count, first).join('\n')}\n`)
  }

  const jobOf = (output: string, inputs = ['in.csv']): Omit<PartRun, 'partition'> => ({
    folder,
    url,
    inputs,
    output,
    checkpoint: 'all',
    job: `job ${++jobCount}`,
  })
  const runParts = async (job: Omit<PartRun, 'partition'>, count: number, only?: readonly number[]) => {
    for (let index = 1; index <= count; index++)
      if (only?.includes(index) ?? true) await runPart({ ...job, partition: { index, count } }, postgres)
  }
  const partNames = (index: number) => names().filter((name) => name.includes(`.part-00${index}-of-`))

  test.each([
    ['csv', 1],
    ['csv', 4],
    ['csv.gz', 3],
    ['ndjson', 3],
    ['ndjson.gz', 2],
  ])('of %s, %i of them, are the very bytes that one process writes', async (extension, count) => {
    writeRows('in.csv', 23)
    const job = jobOf(`out.${extension}`)
    await runParts(job, count)
    const collected = await collectJob(postgres, job.job, path(`all.${extension}`))
    expect(collected).toMatchObject({ partCount: count, rowCount: 23, removed: [] })
    await runPart({ ...job, output: `whole.${extension}`, partition: null }, postgres)
    const read = (name: string) =>
      name.endsWith('.gz')
        ? gunzipSync(readFileSync(path(name))).toString()
        : readFileSync(path(name), 'utf8')
    expect(read(`all.${extension}`)).toBe(read(`whole.${extension}`))
    if (extension.startsWith('csv')) {
      const basis = extension === 'csv' ? '.csv.basis.csv' : '.csv.basis.csv.gz'
      expect(read(`all${basis}`)).toBe(read(`whole${basis}`))
    }
  })

  test('of Parquet have the rows and types that one process writes, row groups copied as they are', async () => {
    await queryDuckDb(
      `COPY (SELECT 'Firm ' || (i % 50) AS company_name, i AS n, [i, i + 1] AS list FROM range(20000) t(i))
       TO '${path('in.parquet')}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
    )
    const job = jobOf('out.parquet', ['in.parquet'])
    await runParts(job, 5)
    const collected = await collectJob(postgres, job.job, path('all.parquet'))
    expect(collected).toMatchObject({ partCount: 5, rowCount: 20_000 })
    await runPart({ ...job, output: 'whole.parquet', partition: null }, postgres)
    const [all, whole] = [await readParquet(path('all.parquet')), await readParquet(path('whole.parquet'))]
    expect(all.rows).toEqual(whole.rows)
    expect(all.metadata.schema).toEqual(whole.metadata.schema)
    const different = await queryDuckDb(
      `SELECT count(*) AS n FROM (FROM '${path('all.parquet')}' POSITIONAL JOIN
         (SELECT n AS m, enrich_legal_name AS l FROM '${path('whole.parquet')}')) WHERE n <> m OR enrich_legal_name IS DISTINCT FROM l`,
    )
    expect(Number(different[0]?.['n'])).toBe(0)
  })

  test('have a manifest that names the winners, in order, with what they weigh', async () => {
    writeRows('in.csv', 9)
    const job = jobOf('out.csv')
    await runParts(job, 3)
    const { manifestPath } = await collectJob(postgres, job.job)
    expect(manifestPath).toBe(path('out.csv.manifest.json'))
    const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as {
      parts: { part: number; path: string; row_count: number; sha256: string; basis: { path: string } }[]
    }
    expect(manifest).toMatchObject({ version: 1, job: job.job, part_count: 3, row_count: 9, outputs: [] })
    expect(manifest.parts.map(({ part, row_count }) => [part, row_count])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ])
    for (const { path: name, sha256, basis } of manifest.parts) {
      const { createHash } = await import('node:crypto')
      expect(
        createHash('sha256')
          .update(readFileSync(path(name)))
          .digest('hex'),
      ).toBe(sha256)
      expect(existsSync(path(basis.path))).toBe(true)
    }
  })

  test('may be empty, with the columns of the others', async () => {
    for (const [at, count] of [3, 4].entries()) writeRows(`in-${at}.csv`, count, 10 * at)
    for (const extension of ['csv', 'parquet', 'ndjson']) {
      const job = jobOf(`out.${extension}`, ['in-0.csv', 'in-1.csv'])
      await runParts(job, 5)
      await collectJob(postgres, job.job, path(`all.${extension}`))
      await runPart({ ...job, output: `whole.${extension}`, partition: null }, postgres)
      if (extension === 'parquet')
        expect((await readParquet(path('all.parquet'))).rows).toEqual(
          (await readParquet(path('whole.parquet'))).rows,
        )
      else expect(readFileSync(path(`all.${extension}`))).toEqual(readFileSync(path(`whole.${extension}`)))
    }
  })

  test('are all there, or those that are not are named', async () => {
    writeRows('in.csv', 9)
    const job = jobOf('out.csv')
    await runParts(job, 4, [1, 3])
    await expect(collectJob(postgres, job.job, path('all.csv'))).rejects.toMatchObject(
      errorWith('PARTS_MISSING', { message: '2 of 4 partitions', hint: '--partition 2/4' }),
    )
    expect(names().filter((name) => /^all|manifest/.test(name))).toEqual([])
    await runParts(job, 4, [2, 4])
    expect(await collectJob(postgres, job.job)).toMatchObject({ rowCount: 9 })
  })

  test.each([
    [
      'gone',
      (file: string) => {
        rmSync(file)
      },
      'is missing',
    ],
    [
      'longer',
      (file: string) => {
        appendFileSync(file, 'x')
      },
      'bytes instead of',
    ],
    [
      'changed',
      (file: string) => {
        writeFileSync(file, readFileSync(file, 'utf8').replace('Firm', 'Form'))
      },
      'a different SHA-256',
    ],
  ])('that are %s are named, and the same run writes them again', async (_, damage, said) => {
    writeRows('in.csv', 9)
    const job = jobOf('out.csv')
    for (const ending of ['.csv', '.csv.basis.csv']) {
      await runParts(job, 3)
      const file = partNames(2).find(
        (name) => name.endsWith(ending) && name.includes('basis') === ending.includes('basis'),
      )
      damage(path(file ?? ''))
      await expect(collectJob(postgres, job.job)).rejects.toMatchObject(
        errorWith('PART_DAMAGED', { message: said, hint: '--partition 2/3' }),
      )
      const again = await runPart({ ...job, partition: { index: 2, count: 3 } }, postgres)
      expect(again.notices.join()).toContain('it is written again')
      expect(await collectJob(postgres, job.job, path('all.csv'))).toMatchObject({ rowCount: 9 })
      expect(rowsOfCsv(readFileSync(path('all.csv'))).map(({ n }) => Number(n))).toEqual([...Array(9).keys()])
    }
  })

  test('are not written again: a second run of one submits nothing, and names who published it', async () => {
    writeRows('in.csv', 9)
    const job = jobOf('out.csv')
    await runParts(job, 3)
    const before = names()
    const again = await runPart({ ...job, checkpoint: 'fresh', partition: { index: 2, count: 3 } }, postgres)
    expect(again.notices.join()).toContain('Part 2 of 3 was already published by another attempt')
    expect(again.summary).toMatchObject({ rowCount: 3, billedCount: 0, stop: null })
    expect(names()).toEqual(before)
  })

  test('leave nothing of other attempts, and what is of other jobs stays', async () => {
    writeRows('in.csv', 4)
    const [job, other] = [jobOf('out.csv'), jobOf('out.csv')]
    await runParts(job, 2)
    await runParts(other, 2)
    const [winner = ''] = partNames(1).filter((name) => !name.includes('basis'))
    const mark = /\.([0-9a-f]{6})-/.exec(winner)?.[1] ?? ''
    const left = [
      `out.part-001-of-002.${mark}-lost0000.csv`,
      `out.part-001-of-002.${mark}-lost0000.csv.basis.csv`,
      `.out.part-002-of-002.${mark}-lost0001.csv.4194305-0123abcd.tmp`,
    ]
    const kept = [
      `out.part-001-of-003.${mark}-lost0000.csv`,
      `out.part-001-of-002.ffffff-lost0000.csv`,
      `more.part-001-of-002.${mark}-lost0000.csv`,
      'out.part-001.csv',
    ]
    for (const name of [...left, ...kept]) writeFileSync(path(name), 'left')
    const all = names()
    const collected = [await collectJob(postgres, job.job), await collectJob(postgres, other.job)]
    expect(collected.flatMap(({ removed }) => removed).sort()).toEqual([...left].sort())
    expect(names().sort()).toEqual(
      [...all.filter((name) => !left.includes(name)), 'out.csv.manifest.json'].sort(),
    )
  })

  test('with other columns, or for another output, are refused', async () => {
    writeRows('in.csv', 4)
    for (const extension of ['csv', 'parquet']) {
      const job = jobOf(`out.${extension}`)
      await runPart({ ...job, partition: { index: 1, count: 2 } }, postgres)
      await runPart({ ...job, columns: ['status', 'lei'], partition: { index: 2, count: 2 } }, postgres)
      await expect(collectJob(postgres, job.job)).rejects.toMatchObject(
        errorWith('PARTS_UNLIKE', { message: 'partition 1 also has enrich_confidence' }),
      )
    }
    const job = jobOf('out.csv')
    await runPart({ ...job, partition: { index: 1, count: 2 } }, postgres)
    await runPart({ ...job, output: 'other.csv', partition: { index: 2, count: 2 } }, postgres)
    await expect(collectJob(postgres, job.job)).rejects.toMatchObject(
      errorWith('PARTS_UNLIKE', { message: 'other.csv' }),
    )
  })

  test('are put together in their own format alone, and never over one of them', async () => {
    writeRows('in.csv', 4)
    const job = jobOf('out.csv')
    await runParts(job, 2)
    const [part = ''] = partNames(1)
    await expect(collectJob(postgres, job.job, path('all.parquet'))).rejects.toMatchObject({
      code: 'OUTPUT_FORMAT_UNKNOWN',
    })
    await expect(collectJob(postgres, job.job, path(part))).rejects.toMatchObject({
      code: 'OUTPUT_UNWRITABLE',
    })
    const sheets = jobOf('out.xlsx')
    await runParts(sheets, 2)
    await expect(collectJob(postgres, sheets.job, path('all.xlsx'))).rejects.toMatchObject({
      code: 'OUTPUT_FORMAT_UNKNOWN',
    })
    expect(await collectJob(postgres, sheets.job)).toMatchObject({ rowCount: 4 })
  })
})
