import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { selectColumns } from '../../src/pipeline/answers/columns.js'
import { queryDuckDb, readParquet } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'
import { completedRun } from '../support/true-service.js'
import { hostileJob, type HostileJob } from './hostile-job.js'
import { sendText, type Act } from './hostile-server.js'
import { placesIn, strangeText, withText } from './strange-values.js'
import { forAllAsync } from '../support/properties.js'

const companyName = (index: number) => `Company ${index}`
const names = (count: number) => Array.from({ length: count }, (_, index) => companyName(index))

/** Answers the first poll of each name as told, and every later one as the interface says. */
const firstPoll =
  (bodyOf: (runId: string, name: string) => string): Act =>
  (response, { attempt, runId, name }) =>
    attempt === 1 && sendText(response, 200, bodyOf(runId, name))

const columnTypes: Readonly<Record<string, string>> = {
  text: 'VARCHAR',
  integer: 'INTEGER',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  boolean: 'BOOLEAN',
  factors: 'STRUCT(code VARCHAR, "type" VARCHAR, description VARCHAR, impact VARCHAR)[]',
  actions: 'STRUCT(code VARCHAR, description VARCHAR)[]',
  candidates:
    'STRUCT(entity_id VARCHAR, "name" VARCHAR, legal_name VARCHAR, place VARCHAR, confidence INTEGER, url VARCHAR)[]',
  basis:
    'STRUCT(field VARCHAR, "value" VARCHAR, confidence VARCHAR, reasoning VARCHAR, citations STRUCT(url VARCHAR, excerpt VARCHAR, source_type VARCHAR, authority_tier INTEGER)[])[]',
}

/** Every row is there once, in order, with an outcome of its own run, in typed columns. */
async function expectWhole(job: HostileJob, count: number): Promise<void> {
  const { rows } = await readParquet(job.place.path('out.parquet'))
  expect(rows.map((row) => row['company_name'])).toEqual(names(count))
  const described = await queryDuckDb(`DESCRIBE SELECT * FROM '${job.place.path('out.parquet')}'`)
  expect(described.slice(2).map((column) => [column['column_name'], column['column_type']])).toEqual(
    selectColumns({ prefix: 'enrich_', basis: 'inline' }).map(({ outputName, kind }) => [
      outputName,
      columnTypes[kind],
    ]),
  )
  for (const row of rows) {
    expect(row['enrich_status']).toMatch(/\S/)
    expect(row['enrich_run_id']).toMatch(/^run_\d+$/)
    for (const value of Object.values(row))
      if (typeof value === 'string') expect(value).toSatisfy(fitsEveryFormat)
  }
  expect(new Set(rows.map((row) => row['enrich_run_id'])).size).toBe(count)
}

/** No half of a surrogate pair, no NUL. */
const fitsEveryFormat = (text: string) => text.isWellFormed() && !text.includes('\0')

const toParquet = (job: HostileJob) => ({ output: { path: job.place.path('out.parquet') } })

describe('any JSON in any place of an answer', () => {
  const places = placesIn(completedRun('run_1', 'Acme'))

  test('each row gets a final outcome, and the columns stay typed', async () => {
    const strangers = fc.tuple(fc.constantFrom(...places), strangeText)
    await forAllAsync(
      { numRuns: 2, endOnFailure: true },
      [fc.array(strangers, { minLength: 150, maxLength: 150 })],
      async (changes) => {
        const job = await hostileJob(names(changes.length), {
          poll: firstPoll((runId, name) => {
            const [path, text] = changes[Number(name.replace('Company ', ''))] ?? [['status'], '""']
            return withText(completedRun(runId, name), path, text)
          }),
        })
        // A busy machine may need longer than the low bounds for so many requests.
        expect(await job.run(toParquet(job), { answerBounds: {} })).toMatchObject({
          stop: null,
          pendingCount: 0,
          uncertainCount: 0,
        })
        await expectWhole(job, changes.length)
        for (const state of Object.values(job.states())) expect(['answered', 'failed']).toContain(state)
      },
    )
    expect(({} as { isPolluted?: boolean }).isPolluted).toBeUndefined()
  })

  test('names of prototypes are data, and nothing is polluted', async () => {
    const job = await hostileJob(['Acme'], {
      poll: firstPoll((runId, name) => {
        const good = JSON.stringify(completedRun(runId, name)).slice(0, -1)
        return `{"__proto__":{"isPolluted":true,"status":"FAILED"},"constructor":{"prototype":{"isPolluted":true}},${good.slice(1)},"data2":{"__proto__":{"isPolluted":true}}}`
      }),
    })
    expect(await job.run()).toMatchObject({ stop: null, answeredCount: 1 })
    expect(({} as { isPolluted?: boolean }).isPolluted).toBeUndefined()
    expect(job.place.readOutput()).toMatchObject([{ enrich_status: 'matched', enrich_legal_name: 'Acme SA' }])
  })

  test('of a key that comes twice, the last one counts, in what is judged and in what is written', async () => {
    const job = await hostileJob(['Acme'], {
      poll: firstPoll((runId, name) => {
        const good = JSON.stringify(completedRun(runId, name))
        return `{"run_id":"run_999","status":"PENDING",${good.slice(1)}`
      }),
    })
    expect(await job.run()).toMatchObject({ answeredCount: 1, pollCount: 1 })
    expect(job.place.readOutput()).toMatchObject([{ enrich_status: 'matched', enrich_run_id: 'run_1' }])
  })

  test('an outcome of another world is one short line where it is counted, and whole in the output', async () => {
    const outcome = `\u001b[2JMatched\r\n${'x'.repeat(5_000)}`
    const job = await hostileJob(['Acme'], {
      poll: firstPoll((runId, name) =>
        withText(completedRun(runId, name), ['data', 'status'], JSON.stringify(outcome)),
      ),
    })
    const [counted = '', ...more] = Object.keys((await job.run()).outcomes)
    expect(more).toEqual([])
    expect(counted).toMatch(/^\[2jmatched x+…$/)
    expect(counted).toHaveLength(60)
    expect(job.place.readOutput()).toMatchObject([{ enrich_status: outcome }])
  })

  test('schemaDeviations that never repeat do not pile up', async () => {
    const count = 200
    const job = await hostileJob(names(count), {
      poll: firstPoll((runId, name) => {
        const keys = Array.from({ length: 20 }, (_, index) => `"k${name}-${index}":1`).join(',')
        return `${JSON.stringify(completedRun(runId, name)).slice(0, -1)},${keys}}`
      }),
    })
    const { schemaDeviations, answeredCount } = await job.run({}, { answerBounds: {} })
    expect(answeredCount).toBe(count)
    expect(Object.keys(schemaDeviations).length).toBeLessThanOrEqual(1_001)
    expect(schemaDeviations['anything else']).toBeGreaterThan(0)
  })
})

describe('answers of a size that no company has', () => {
  const many = (count: number, item: unknown) => `[${`${JSON.stringify(item)},`.repeat(count).slice(0, -1)}]`
  const citation = { url: 'https://x.example', excerpt: 'x', source_type: 'web', authority_tier: 3 }
  const entry = { field: 'legal_name', confidence: 'high', reasoning: 'so', citations: [] }
  const large: Readonly<Record<string, readonly [path: readonly string[], text: string]>> = {
    'a text of 5 MB': [['data', 'entity', 'legal_name'], JSON.stringify('ß'.repeat(2_500_000))],
    '100,000 factors': [
      ['data', 'factors'],
      many(100_000, { code: 'c', type: 't', description: 'd', impact: 'i' }),
    ],
    '100,000 entries of basis': [['data', 'basis'], many(100_000, entry)],
    '100,000 citations': [['data', 'basis', '0', 'citations'], many(100_000, citation)],
    '100,000 identifiers': [['data', 'entity', 'identifiers'], many(100_000, { type: 'lei', value: 'x' })],
    'a key of 1 MB': [['data', 'entity', 'facets'], `{"${'k'.repeat(1_000_000)}":1}`],
  }
  test.each(Object.entries(large))(
    '%s: an answer, cut to what a cell and a list may hold',
    async (_, [path, text]) => {
      const job = await hostileJob(['Company 0', 'Company 1'], {
        poll: firstPoll((runId, name) =>
          name === 'Company 0'
            ? withText(completedRun(runId, name), path, text)
            : JSON.stringify(completedRun(runId, name)),
        ),
      })
      const answerBounds = {}
      expect(await job.run(toParquet(job), { answerBounds })).toMatchObject({ stop: null, answeredCount: 2 })
      await expectWhole(job, 2)
      const output = { path: job.place.path('out.ndjson') }
      expect(await job.run({ output }, { answerBounds })).toMatchObject({ stop: null, billedCount: 0 })
      const lines = readJsonLines(readFileSync(job.place.path('out.ndjson'), 'utf8'))
      expect(lines.map((line) => line['enrich_status'])).toEqual(['matched', 'matched'])
      expect(JSON.stringify(lines[0]).length).toBeLessThan(200_000)
    },
  )
})
