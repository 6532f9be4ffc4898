import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createPlace, mainPath } from '../support/cli.js'
import { findPostgres, sharedPostgres } from '../support/postgres-server.js'
import { tellSkipped } from '../support/skipped.js'
import { queryDuckDb } from '../support/tables.js'

const example = (name: string) =>
  fileURLToPath(new URL(`../../examples/several-machines/${name}`, import.meta.url))
const programs = findPostgres()
const hasParallel = /GNU parallel/.test(spawnSync('parallel', ['--version'], { encoding: 'utf8' }).stdout)
if (!hasParallel) tellSkipped('there is no GNU parallel on this machine')

test.skipIf(programs === null || !hasParallel)(
  'the recipe for GNU parallel runs a job in parts, and its second run submits nothing',
  async () => {
    const server = await sharedPostgres(programs ?? '')
    onTestFinished(() => server.stop())
    const place = createPlace()
    const names = ['Apple Inc.', 'Unilever PLC', 'SAP SE', 'Barclays Bank PLC', 'Nobody at all GmbH & Co']
    const cases = names.map((name, at) => `WHEN ${at} THEN '${name}'`).join(' ')
    await queryDuckDb(
      `COPY (SELECT i AS n, CASE i % 5 ${cases} END AS company_name FROM range(20000) t(i))
       TO '${place.path('in.parquet')}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
    )
    const bin = join(dirname(place.folder), 'bin')
    mkdirSync(bin)
    // As npm does where a package is installed.
    chmodSync(mainPath, 0o755)
    symlinkSync(mainPath, join(bin, 'enrich'))
    const run = () =>
      spawnSync('sh', [example('parallel.sh'), 'recipe', '4', 'out.parquet', 'in.parquet'], {
        cwd: place.folder,
        env: {
          PATH: `${bin}:${process.env['PATH'] ?? ''}`,
          HOME: place.temporaryFolder,
          ENRICH_CHECKPOINT: server.url(),
        },
        encoding: 'utf8',
      })
    let submitted = ''
    for (const isAgain of [false, true]) {
      const { status, stderr } = run()
      expect([status, stderr]).toEqual([
        0,
        expect.stringContaining('all 4 partitions are published, 20,000 rows'),
      ])
      expect(stderr.includes('already published')).toBe(false)
      const submissions = server.sql('SELECT count(*) FROM enrich.submissions')
      if (isAgain) expect(submissions).toBe(submitted)
      submitted = submissions
    }
    const rows = await queryDuckDb(
      `SELECT count(*) AS rows, count(DISTINCT n) AS distinct_rows, bool_and(n = row_number) AS in_order,
         count(enrich_status) AS answered
       FROM (SELECT *, row_number() OVER () - 1 AS row_number FROM '${place.path('out.all.parquet')}')`,
    )
    expect(rows).toEqual([{ rows: 20_000n, distinct_rows: 20_000n, in_order: true, answered: 20_000n }])
    expect(readdirSync(place.folder).filter((name) => name.includes('.part-'))).toHaveLength(4)
  },
  120_000,
)
