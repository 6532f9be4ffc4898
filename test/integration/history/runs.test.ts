import { readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import type { HistoryReader, RememberedRun } from '../../../src/pipeline/history/run-record.js'
import { openHistory } from '../../../src/pipeline/history/read-history.js'
import { parsePublishedState } from '../../../src/pipeline/answers/published-state.js'
import { repairFile } from '../../../src/pipeline/checkpoint/sqlite/repair.js'
import { verifyFile } from '../../../src/pipeline/checkpoint/sqlite/verify.js'
import { type EnrichConfig, type EnrichOptions, type RunEvent, enrich } from '../../../src/index.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import type { StrangeServiceOptions } from '../../support/strange-service.js'
import { listEntries } from './support.js'
import { createWorkplace, eventsOf, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'

const Database = loadDriver()

const startService = servicesOfTests()
const answers: StrangeServiceOptions['answers'] = {}
let place: Workplace
beforeEach(() => {
  place = createWorkplace()
  place.writeRows(['Acme,Leeds', 'Bolt,York', 'Acme,Leeds', ',Hull'])
})

const checkpointPath = () => place.path('checkpoint.sqlite')

async function reading<Result>(read: (history: HistoryReader) => Promise<Result>): Promise<Result> {
  const history = await openHistory(checkpointPath())
  if (history === null) throw new Error('there is no checkpoint')
  try {
    return await read(history)
  } finally {
    await history.close()
  }
}

const runs = (): Promise<readonly RememberedRun[]> => reading((history) => history.runs())

/** The names and statuses of the rows that a run published. */
const rowsOf = (run: number) =>
  reading(async (history) => {
    const output = await history.published(run)
    if (output === null) return null
    const entries = new Map(await listEntries(output, new Set(output.rows)))
    return [...output.rows].map((number) => {
      const { name, state } = entries.get(number) ?? { name: null, state: '{}' }
      return [name, parsePublishedState(state).get('status')?.value]
    })
  })

const counts = (): Record<string, number> => {
  const database = new Database(checkpointPath(), { readonly: true })
  try {
    const tables = ['history_outputs', 'history_entries', 'history_states']
    const countOf = (table: string) => Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
    return Object.fromEntries(tables.map((table) => [table, countOf(table)]))
  } finally {
    database.close()
  }
}

/** A run, with the warnings that it gave. */
async function runWarned(
  service: { baseUrl: string; apiKey: string },
  config: EnrichConfig = {},
  options: EnrichOptions = {},
): Promise<string[]> {
  const run = enrich(
    {
      limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
      polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 },
      input: { paths: [place.path('companies.csv')] },
      output: { path: place.path('out.csv') },
      checkpoint: { path: checkpointPath() },
      service: { baseUrl: service.baseUrl },
      ...config,
    },
    { environment: { ENRICH_API_KEY: service.apiKey }, ...options },
  )
  const events: RunEvent[] = await eventsOf(run)
  await run.summary
  return events.flatMap((event) => (event.type === 'notice' && event.isWarning === true ? [event.text] : []))
}

describe('a run that goes to its end', () => {
  test('is remembered with what it did, and its output row by row', async () => {
    const service = await startService({ answers })
    await place.run(service, {}, { command: 'enrich companies.csv' })
    const [run] = await runs()
    expect(run).toMatchObject({ number: 1, exitCode: 0, isPublished: true, baseline: null })
    expect(run?.endedAtMs).toBeGreaterThanOrEqual(run?.startedAtMs ?? Infinity)
    expect(run?.record).toMatchObject({
      command: 'enrich companies.csv',
      service: 'hosted',
      scope: service.baseUrl,
      input: { paths: [place.path('companies.csv')], format: 'csv' },
      summary: { billedCount: 2, rowCount: 4 },
      error: null,
      figures: { rowCount: 4, rowsByStatus: { no_match: 3, invalid_input: 1 } },
    })
    expect(run?.record?.input.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(run?.record?.timeline.at(-1)).toMatchObject({ submissions: 2, answered: 2 })
    expect(JSON.stringify(run)).not.toContain(service.apiKey)
    expect(await rowsOf(1)).toEqual([
      ['Acme', 'no_match'],
      ['Bolt', 'no_match'],
      ['Acme', 'no_match'],
      [null, 'invalid_input'],
    ])
  })

  test.each(['out.csv', 'out.parquet', 'out.xlsx'])(
    'again, and nothing changed: %s is kept once',
    async (name) => {
      const service = await startService({ answers })
      await place.run(service, { output: { path: place.path(name) } })
      const before = counts()
      await place.run(service, { output: { path: place.path(name) } })
      expect(counts()).toEqual(before)
      expect(await rowsOf(2)).toEqual(await rowsOf(1))
      const [second, first] = await runs()
      expect(second).toMatchObject({ number: 2, isPublished: true, baseline: 1 })
      expect(second?.record?.figures).toEqual(first?.record?.figures)
    },
  )

  test('an answer that changed is remembered as it is now, and the one before as it was', async () => {
    const changing: Record<string, 'fails'> = { Bolt: 'fails' }
    const service = await startService({ answers: changing })
    await place.run(service)
    delete changing['Bolt']
    await place.run(service, {}, { askAgain: ['failed'] })
    const statuses = async (run: number) => (await rowsOf(run))?.map(([, status]) => status)
    expect(await statuses(1)).toEqual(['no_match', 'failed', 'no_match', 'invalid_input'])
    expect(await statuses(2)).toEqual(['no_match', 'no_match', 'no_match', 'invalid_input'])
    expect((await runs())[0]?.record?.figures?.rowsByStatus).toEqual({ no_match: 3, invalid_input: 1 })
  })

  test('rows that move, come and go are remembered where they are', async () => {
    const service = await startService({ answers })
    await place.run(service)
    const before = counts()
    place.writeRows(['Bolt,York', 'Cargo,Bath', 'Acme,Leeds'])
    await place.run(service)
    expect(await rowsOf(2)).toEqual([
      ['Bolt', 'no_match'],
      ['Cargo', 'no_match'],
      ['Acme', 'no_match'],
    ])
    expect(counts()['history_entries']).toBe((before['history_entries'] ?? 0) + 1)
    expect((await runs())[0]?.record?.figures).toMatchObject({ rowCount: 3, rowsByStatus: { no_match: 3 } })
  })

  test('runs of one job are compared whatever its input is called; of another, with none', async () => {
    const service = await startService({ answers })
    place.writeRows(['Acme,Leeds'], 'monday.csv')
    place.writeRows(['Acme,Leeds'], 'tuesday.csv')
    const of = (name: string, job?: string): EnrichConfig => ({
      input: { paths: [place.path(name)] },
      ...(job === undefined ? {} : { job: { name: job } }),
    })
    await place.run(service, of('monday.csv', 'nightly'))
    await place.run(service, of('tuesday.csv'))
    await place.run(service, of('tuesday.csv', 'nightly'))
    expect((await runs()).map(({ number, baseline }) => [number, baseline])).toEqual([
      [3, 1],
      [2, null],
      [1, null],
    ])
  })

  test('older outputs are forgotten beyond history.keep, and their runs stay listed', async () => {
    const service = await startService({ answers })
    for (let run = 0; run < 4; run++) {
      place.writeRows([`Company ${run},Leeds`])
      await place.run(service, { history: { keep: 2 } })
    }
    expect((await runs()).map(({ isPublished }) => isPublished)).toEqual([true, true, false, false])
    expect(counts()).toMatchObject({ history_outputs: 2, history_entries: 2 })
    expect(await rowsOf(4)).toEqual([['Company 3', 'no_match']])
  })
})

describe('a run that does not get there', () => {
  test('by an error: its code and exit code are remembered', async () => {
    const service = await startService({ answers })
    const from = place.path('companies.csv')
    const changing = enrich(
      {
        input: { paths: [from] },
        output: { path: place.path('out.csv') },
        checkpoint: { path: checkpointPath() },
        service: { baseUrl: service.baseUrl },
        polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 },
      },
      { environment: { ENRICH_API_KEY: service.apiKey } },
    )
    for await (const event of changing)
      if (event.type === 'planned') writeFileSync(from, `${readFileSync(from, 'utf8')}Late,Leeds\n`)
    await expect(changing.summary).rejects.toThrow()
    expect(await runs()).toMatchObject([
      { exitCode: 5, isPublished: false, record: { error: { code: 'INPUT_CHANGED' }, summary: null } },
    ])
  })

  test('by a stop: without an output, and with its exit code', async () => {
    const service = await startService({ answers })
    await place.run(service, { budget: { lookupsMax: 1 } })
    expect(await runs()).toMatchObject([
      {
        exitCode: 8,
        isPublished: false,
        record: { error: null, figures: null, summary: { billedCount: 1 } },
      },
    ])
  })
})

describe('damage of history', () => {
  const change = (sql: string) => {
    const database = new Database(checkpointPath())
    try {
      database.exec(sql)
    } finally {
      database.close()
    }
  }
  const wheres = () => verifyFile(checkpointPath())?.damage.map(({ where }) => where)

  test.each([
    ['a run', 'UPDATE history_runs SET exit_code = 7'],
    ['an output', "UPDATE history_outputs SET packed = x'00'"],
    ['what an output stands on', 'UPDATE history_outputs SET base_id = output_id'],
    ['an entry', "UPDATE history_entries SET name = 'Another'"],
    ['a state', 'UPDATE history_states SET confidence = 7'],
    ['what a state holds', "UPDATE history_states SET packed = x'ff00ff'"],
    ['marks', "UPDATE history_marks SET packed = x'00'"],
  ])('in a row, of %s: found, stops no run, and repair keeps the rest', async (_, sql) => {
    const service = await startService({ answers })
    await place.run(service)
    change(sql)
    expect(wheres()).toEqual(['history'])
    place.writeRows(['Acme,Leeds', 'Cargo,Bath'])
    const summary = await place.run(service)
    expect(summary).toMatchObject({ billedCount: 1, cachedCount: 1 })
    expect((await runs())[0]).toMatchObject({ isPublished: true, exitCode: 0 })

    // Marks are written anew with every output.
    if (wheres()?.length === 0) expect(sql).toContain('history_marks')
    else
      expect(repairFile(checkpointPath(), Date.now())).toMatchObject({
        submissionCount: 3,
        answerCount: 3,
        lostSubmissionCount: 0,
      })
    expect(wheres()).toEqual([])
    expect(await place.run(service)).toMatchObject({ billedCount: 0, cachedCount: 2 })
    expect(await rowsOf((await runs())[0]?.number ?? 0)).toEqual([
      ['Acme', 'no_match'],
      ['Cargo', 'no_match'],
    ])
  })

  test.each(['history_runs', 'history_entries', 'history_states', 'history_outputs'])(
    'in a page of %s: said, no run is stopped, nothing else is touched, and repair ends it',
    async (table) => {
      const service = await startService({ answers })
      const many = Array.from({ length: 120 }, (_, index) => `Company ${index},Leeds`)
      place.writeRows(many)
      await place.run(service)
      scribbleOver(checkpointPath(), table)
      expect(wheres()).toContain('history')
      expect(new Set(wheres())).toEqual(new Set(['history']))
      place.writeRows([...many, 'Cargo,Bath'])
      const warnings = await runWarned(service)
      expect(warnings.join()).toContain('is not recorded in the history')
      expect(place.readOutput()).toHaveLength(121)

      expect(repairFile(checkpointPath(), Date.now())).toMatchObject({
        submissionCount: 121,
        answerCount: 121,
        lostSubmissionCount: 0,
      })
      expect(wheres()).toEqual([])
      await place.run(service)
      expect(await rowsOf((await runs())[0]?.number ?? 0)).toHaveLength(121)
    },
  )
})

/** Writes over the page that a table begins with, as a bad disk does. */
function scribbleOver(path: string, table: string): void {
  const database = new Database(path)
  database.pragma('wal_checkpoint(TRUNCATE)')
  const page = Number(
    database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table),
  )
  database.close()
  const bytes = readFileSync(path)
  bytes.fill(0xa5, (page - 1) * 4_096 + 8, (page - 1) * 4_096 + 200)
  writeFileSync(path, bytes)
}
