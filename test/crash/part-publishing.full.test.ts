import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Postgres } from '../../src/platform/postgres/postgres.js'
import { startProgram } from '../support/child-process.js'
import { collectJob, connectTo, makeDatabase, runPart, type PartRun } from '../support/part-run.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../support/postgres-server.js'
import { readParquet } from '../support/tables.js'
import type { PartEnded } from './part-child.js'
import { makeFolder } from '../support/temporary-folder.js'

const programs = findPostgres()
const childUrl = new URL('part-child.ts', import.meta.url).href
const rowCount = 12
/** The one that is killed, between two others. */
const partition = { index: 2, count: 3 }

describe.skipIf(programs === null)('a part whose process is killed while it is published', () => {
  let server: SharedPostgres
  let url: string
  let postgres: Postgres
  let jobCount = 0
  beforeAll(async () => {
    server = await sharedPostgres(programs ?? '')
    url = await makeDatabase(server, 'publishing')
    postgres = connectTo(url)
  }, 60_000)
  afterAll(async () => {
    await postgres.close()
    await server.stop()
  })

  /** A job whose other parts are published. */
  async function newJob(output: string, isShared: boolean): Promise<PartRun> {
    const folder = makeFolder()
    const lines = Array.from({ length: rowCount }, (_, at) => `"Firm ${at % 5}\nof ""${at}""",${at}`)
    writeFileSync(join(folder, 'in.csv'), `company_name,n\n${lines.join('\n')}\n`)
    const job = {
      folder,
      url,
      output,
      inputs: ['in.csv'],
      checkpoint: isShared ? null : 'mine',
      job: `job ${++jobCount}`,
    }
    for (const index of [1, 3])
      await runPart(
        { ...job, checkpoint: isShared ? null : 'others', partition: { index, count: 3 } },
        postgres,
      )
    return { ...job, partition }
  }

  const names = ({ folder }: PartRun) =>
    readdirSync(folder)
      .filter((name) => name !== '.enrich')
      .sort()
  const start = (run: PartRun, more: { dieAt?: number; waitBefore?: string } = {}) =>
    startProgram(childUrl, JSON.stringify({ dieAt: null, waitBefore: null, ...run, ...more }))
  const endOf = async (child: ReturnType<typeof start>) => JSON.parse(await child.nextLine()) as PartEnded

  const contentsOf = async (path: string) =>
    path.endsWith('.parquet')
      ? (await readParquet(path)).rows
      : [readFileSync(path, 'utf8'), readFileSync(`${path}.basis.csv`, 'utf8')]

  const wholes = new Map<string, ReturnType<typeof contentsOf>>()
  /** What a run in one part writes from the same input. */
  const wholeOf = (run: PartRun) => {
    const output = run.output.replace('out', 'whole')
    const contents =
      wholes.get(output) ??
      runPart(
        { ...run, checkpoint: run.checkpoint === null ? null : 'whole', output, partition: null },
        postgres,
      ).then(() => contentsOf(join(run.folder, output)))
    wholes.set(output, contents)
    return contents
  }

  /** Every row once, in order, whatever happened; and nothing but the winners is left. */
  async function expectWhole(run: PartRun): Promise<void> {
    const all = join(run.folder, `all.${run.output.split('.').slice(1).join('.')}`)
    expect(await collectJob(postgres, run.job, all)).toMatchObject({ partCount: 3, rowCount })
    expect(await contentsOf(all)).toEqual(await wholeOf(run))
    const perPart = run.output.endsWith('.csv') ? 2 : 1
    expect(names(run).filter((name) => name.includes('.part-'))).toHaveLength(3 * perPart)
    expect(names(run).filter((name) => name.startsWith('.'))).toEqual([])
  }

  test.each([
    ['out.csv', true],
    ['out.parquet', false],
  ])(
    '%s, over the checkpoint of the database: %s; killed at any step that changes something, the same run gives every row once, in order',
    async (output, isShared) => {
      const { steps } = await endOf(start(await newJob(output, isShared)))
      expect(steps).toEqual(
        expect.arrayContaining(['before transaction', 'after INSERT', 'after transaction']),
      )
      expect(steps.some((step) => step.startsWith('after renameSync'))).toBe(true)
      const isText = output.endsWith('.csv')
      const killedAt: string[] = []
      const dieAt = async (step: number) => {
        const run = await newJob(output, isShared)
        const end = await endOf(start(run, { dieAt: step })).catch(() => null)
        expect(end).toBeNull()
        killedAt.push(steps[step - 1] ?? '')
        const isPublished = server.sql(
          `SELECT count(*) FROM enrich.outputs JOIN enrich.jobs USING (job_id) WHERE input = 'job ${run.job}'`,
          'publishing',
        )
        // Only what was committed is published, whatever files there are.
        expect(isPublished).toBe(step >= steps.indexOf('after transaction') + 1 ? '3' : '2')
        if (isPublished === '2')
          await expect(collectJob(postgres, run.job)).rejects.toMatchObject({ code: 'PARTS_MISSING' })
        await runPart(run, postgres)
        await expectWhole(run)
      }
      // Before a step, and after one that reads, syncs or closes, all is as it was after the one before it.
      const isTelling = (step: string) => /^after (?!SELECT|fsync|close)/.test(step)
      const first = isText ? 0 : steps.findIndex((step) => step.includes('fsyncSync'))
      const waiting = steps.flatMap((step, at) =>
        at === first || (at > first && isTelling(step)) ? [at + 1] : [],
      )
      const stepCount = waiting.length
      expect(stepCount).toBeGreaterThan(6)
      const lane = async () => {
        for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await dieAt(step)
      }
      await Promise.all([lane(), lane()])
      expect(killedAt).toHaveLength(stepCount)
    },
    600_000,
  )

  test('of two attempts at once, the one whose row came first is the part; the other removes its files, and has done its work', async () => {
    for (const waitBefore of ['transaction', 'INSERT']) {
      const run = await newJob('out.csv', true)
      const late = start(run, { waitBefore })
      expect(await late.nextLine()).toBe('waiting')
      const own = names(run).filter((name) => name.includes('part-002-of-003'))
      expect(own).toHaveLength(2)
      // Where the late one holds the job's row already, the other waits for it, and is the second.
      const other = start(run)
      const otherEnd = waitBefore === 'transaction' ? await endOf(other) : null
      writeFileSync(join(run.folder, 'go'), '')
      const [lateEnd, end] = [await endOf(late), otherEnd ?? (await endOf(other))]
      const [winner, loser] = waitBefore === 'transaction' ? [end, lateEnd] : [lateEnd, end]
      expect(winner.notices.join()).not.toContain('already published')
      expect(loser.notices.join()).toContain('Part 2 of 3 was already published by another attempt')
      expect(loser.outputPaths).toEqual(winner.outputPaths)
      const left = names(run).filter((name) => name.includes('part-002-of-003'))
      expect(left).toHaveLength(2)
      if (waitBefore === 'transaction') expect(left.filter((name) => own.includes(name))).toEqual([])
      await expectWhole(run)
    }
  }, 120_000)

  test('six attempts that race leave one', async () => {
    const run = await newJob('out.csv', true)
    const ends = await Promise.all(Array.from({ length: 6 }, () => endOf(start(run))))
    expect(new Set(ends.map(({ outputPaths }) => outputPaths[0])).size).toBe(1)
    await expectWhole(run)
  }, 120_000)
})
