import { readFileSync, writeFileSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, test } from 'vitest'
import type { EnrichConfig } from '../../src/index.js'
import { queryDuckDb, rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'
import { completedRun } from '../support/true-service.js'
import { hostileJob, type HostileJob } from './hostile-job.js'
import { sendJson } from './hostile-server.js'
import { jsonOnlyStrings, naughtyStrings } from './naughty-strings.js'

type Cells = Readonly<Record<string, string>>

const columns = ['company_name', 'city', "o'brien", 'select "from"', 'note'] as const
/** Each text stands once in each column, beside others each time. */
function rowsOf(texts: readonly string[]): Cells[] {
  return texts.map((_, row) =>
    Object.fromEntries(
      columns.map((column, index) => [column, texts[(row + index * 7) % texts.length] ?? '']),
    ),
  )
}

const rows = rowsOf(naughtyStrings)

async function writeInput(job: HostileJob, format: string): Promise<string> {
  const path = job.place.path(`in.${format}`)
  const ndjson = `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`
  if (format === 'csv') writeFileSync(path, stringify(rows, { header: true, quoted: true }))
  if (format === 'ndjson') writeFileSync(path, ndjson)
  if (format === 'parquet') {
    writeFileSync(job.place.path('rows.ndjson'), ndjson)
    const types = columns.map((name) => `"${name.replaceAll('"', '""')}": 'VARCHAR'`).join(', ')
    const source = `read_json('${job.place.path('rows.ndjson')}', format = 'newline_delimited', columns = {${types}})`
    await queryDuckDb(`COPY (SELECT * FROM ${source}) TO '${path}' (FORMAT parquet)`)
  }
  return path
}

async function readOutput(path: string): Promise<Record<string, unknown>[]> {
  if (path.endsWith('.csv')) return rowsOfCsv(readFileSync(path))
  if (path.endsWith('.ndjson')) return readJsonLines(readFileSync(path, 'utf8'))
  // As JSON text: readers into objects drop a byte order mark that a cell begins with.
  const lines = await queryDuckDb(`SELECT to_json(whole)::VARCHAR AS line FROM '${path}' AS whole`)
  return lines.map(({ line }) => JSON.parse(String(line)) as Record<string, unknown>)
}

const theirs = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(columns.map((column) => [column, row[column]]))

const configOf = (input: string, output: string): EnrichConfig => ({
  input: { paths: [input], columns: { name: 'company_name', location: ['city'] } },
  output: { path: output },
})

describe('cells that would be something else elsewhere', () => {
  test.each(['csv', 'ndjson', 'parquet'])(
    '%s in: every cell comes out of every format as it went in, and nothing was run',
    async (format) => {
      const job = await hostileJob([], {
        poll: (response, { runId, name }) => sendJson(response, 200, completedRun(runId, name)),
      })
      job.behave()
      const input = await writeInput(job, format)
      for (const target of ['csv', 'ndjson', 'parquet']) {
        const output = job.place.path(`out.${target}`)
        const summary = await job.run(configOf(input, output))
        expect(summary).toMatchObject({ stop: null, rowCount: rows.length, pendingCount: 0 })
        const written = await readOutput(output)
        expect(written.map(theirs)).toEqual(rows)
        for (const row of written) expect(['matched', 'invalid_input']).toContain(row['enrich_status'])
      }
      expect(job.states()).not.toEqual({})
      expect(await queryDuckDb("SELECT count(*) AS count FROM glob('canary-was-run*')")).toEqual([
        { count: 0n },
      ])
      // Asked for by its text, one line of it: what a name holds never becomes part of a request's address.
      for (const { url } of job.server.calls)
        expect(url).toMatch(/^\/v3\/(entity-resolution\/async|runs\/run_\d+\?)/)
    },
  )

  test("a spreadsheet runs none of our cells, and the user's are left alone", async () => {
    const job = await hostileJob(['=1+1', '+1-Acme-0100', '＝2+2'], {
      poll: (response, { runId, name }) => sendJson(response, 200, completedRun(runId, name)),
    })
    job.behave()
    await job.run()
    const written = job.place.readOutput()
    expect(written.map((row) => row['company_name'])).toEqual(['=1+1', '+1-Acme-0100', '＝2+2'])
    expect(written.map((row) => row['enrich_legal_name'])).toEqual([
      "'=1+1 SA",
      "'+1-Acme-0100 SA",
      "'＝2+2 SA",
    ])
    const basis = rowsOfCsv(readFileSync(job.place.path('out.csv.basis.csv')))
    expect(basis.map((row) => row['excerpt'])).toEqual(["'=1+1 SA", "'+1-Acme-0100 SA", "'＝2+2 SA"])
    await job.run({ output: { path: job.place.path('out.ndjson') } })
    const lines = readJsonLines(readFileSync(job.place.path('out.ndjson'), 'utf8'))
    expect(lines.map((row) => row['enrich_legal_name'])).toEqual(['=1+1 SA', '+1-Acme-0100 SA', '＝2+2 SA'])
  })

  test.each(['ndjson', 'csv', 'parquet'])(
    'NUL and its neighbours in NDJSON come out of %s',
    async (target) => {
      const job = await hostileJob([], {})
      job.behave()
      const input = job.place.path('in.ndjson')
      const given = jsonOnlyStrings.map((text) => ({ company_name: 'Acme', note: text }))
      writeFileSync(input, given.map((row) => `${JSON.stringify(row)}\n`).join(''))
      const output = job.place.path(`out.${target}`)
      expect(await job.run({ input: { paths: [input] }, output: { path: output } })).toMatchObject({
        stop: null,
      })
      const written = await readOutput(output)
      expect(written.map((row) => row['note'])).toEqual(jsonOnlyStrings)
    },
  )
})

describe('column names that are words of SQL, of JavaScript, or long', () => {
  const names = [
    'select',
    'from',
    'a"b',
    "a'b",
    'a;b',
    '__proto__',
    'constructor',
    'length',
    'c0',
    'a',
    'x'.repeat(300),
    'answer',
    'input',
    'part',
    'line',
    '*',
    'a.b',
    '$1',
    '%s',
    '😀',
    'header\nwith\r\nbreaks',
    ' spaced ',
    'enrich',
  ]
  test.each([
    ['csv', 'csv'],
    ['csv', 'ndjson'],
    ['csv', 'parquet'],
    ['ndjson', 'csv'],
    ['ndjson', 'ndjson'],
    ['ndjson', 'parquet'],
    ['parquet', 'parquet'],
    ['parquet', 'csv'],
  ])('%s to %s: each column keeps its name and its cells', async (from, to) => {
    const job = await hostileJob([], {})
    job.behave()
    const header = ['company_name', ...names]
    const cells = ['Acme', ...names.map((name, index) => `${index}: ${name}`)]
    const csv = job.place.path('in.csv')
    writeFileSync(csv, stringify([header, cells], { quoted: true }))
    let input = csv
    if (from === 'ndjson') {
      input = job.place.path('in.ndjson')
      const members = header.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(cells[index])}`)
      writeFileSync(input, `{${members.join(',')}}\n`)
    }
    if (from === 'parquet') {
      input = job.place.path('in.parquet')
      await job.run({ input: { paths: [csv] }, output: { path: input, columns: ['status'], prefix: 'old_' } })
    }
    const output = job.place.path(`out.${to}`)
    await job.run({ input: { paths: [input] }, output: { path: output } })
    const [written = {}] = await readOutput(output)
    const entries = Object.entries(written).filter(([name]) => !/^(old|enrich)_/.test(name))
    // A reader into plain objects drops or misplaces `__proto__`: looked for by itself.
    const plain = (list: readonly (readonly [string, unknown])[]) =>
      list.filter(([name]) => name !== '__proto__')
    expect(plain(entries)).toEqual(plain(header.map((name, index) => [name, cells[index]])))
    const raw = to === 'parquet' ? await queryDuckDb(`DESCRIBE SELECT * FROM '${output}'`) : []
    expect(
      to === 'parquet'
        ? raw.map((row) => row['column_name'])
        : readFileSync(output, 'utf8').includes('__proto__'),
    ).toEqual(to === 'parquet' ? expect.arrayContaining(header) : true)
  })

  test.each([
    [
      'names that differ in letter case alone',
      '{"company_name":"Acme","City":"a","city":"b"}',
      /both City and city/,
    ],
    ['a name without a letter', '{"company_name":"Acme","":"x"}', /a column named ""/],
    ['a name with NUL in it', '{"company_name":"Acme","a\\u0000b":"x"}', /a column named "a\\u0000b"/],
    [
      'names that are halves of a surrogate pair',
      '{"company_name":"Acme","\\ud800":"x","\\ud801":"y"}',
      null,
    ],
  ])('%s: kept in NDJSON, and in Parquet kept or refused with a reason', async (_, line, refusal) => {
    const job = await hostileJob([], {})
    job.behave()
    const input = job.place.path('in.ndjson')
    writeFileSync(input, `${line}\n`)
    await job.run({ input: { paths: [input] }, output: { path: job.place.path('out.ndjson') } })
    expect(readFileSync(job.place.path('out.ndjson'), 'utf8')).toContain(line.slice(0, -1))
    const toParquet = job.run({ input: { paths: [input] }, output: { path: job.place.path('out.parquet') } })
    if (refusal === null) await expect(toParquet).resolves.toMatchObject({ stop: null })
    else
      await expect(toParquet).rejects.toMatchObject({
        name: 'UserError',
        message: expect.stringMatching(refusal) as string,
      })
  })
})
