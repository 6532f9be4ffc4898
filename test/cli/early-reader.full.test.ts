import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCheckpointReader } from '../../src/pipeline/checkpoint/sqlite/reader.js'
import { createPlace, fixture, type CliPlace } from '../support/cli.js'

/** Runs a command in a shell, with a reader of its output that ends after the first line. */
const readFirstLine = (place: CliPlace, args: readonly string[], input: string, redirect = '') =>
  place.run(args, {
    wrapper: ['sh', '-c', `cat | { "$@" ${redirect}; echo "exit $?" >&2; } ${redirect} | head -n 1`, 'sh'],
    stdin: input,
  })

function countSubmissions(place: CliPlace): number | undefined {
  const reader = openCheckpointReader(place.path('.enrich/checkpoint.sqlite'), null)
  const count = reader?.read('counts')[0]?.submissions
  reader?.close()
  return count
}

const toStdout = ['-', '--input-format', 'csv', '-o', '-', '--format', 'ndjson']
const companies = readFileSync(fixture('companies.csv'), 'utf8')
const [header = '', ...rows] = companies.trimEnd().split('\n')
const large = `${header}\n${`${rows.join('\n')}\n`.repeat(25)}`

test.each([
  ['small', companies, 205],
  ['large', large, 205 * 25],
])('a reader that takes one line of a %s output ends the run in order', async (_, input, rowCount) => {
  const place = createPlace()
  const { stdout, stderr } = await readFirstLine(place, toStdout, input)
  expect(JSON.parse(stdout)).toMatchObject({ company_name: 'Apple', enrich_status: 'matched' })
  expect(stderr).toMatch(/178 to submit[^]*the reader of standard output ended early[^]*Done[^]*exit 0\n$/)
  expect(place.listSideFiles()).toEqual([])

  const again = await place.run(toStdout, { stdin: input })
  expect(again.code).toBe(0)
  expect(countSubmissions(place)).toBe(178)
  expect(again.stdout.trimEnd().split('\n')).toHaveLength(rowCount)
  expect(place.listSideFiles()).toEqual([])
})

test('a reader that ends while rows are exported is not an error', async () => {
  const place = createPlace()
  await place.run(['-', '--input-format', 'csv', '-o', 'out.csv'], { stdin: companies })
  const { stderr } = await readFirstLine(place, ['export', ...toStdout], companies)
  expect(stderr).toMatch(/the reader of standard output ended early[^]*exit 0\n$/)
  expect(place.listSideFiles()).toEqual([])
})

test('without the reader of JSON lines, a run stops in order, and the next one resumes', async () => {
  const place = createPlace()
  const run = ['-', '--input-format', 'csv', '-o', 'out.csv', '--json']
  const { stderr } = await readFirstLine(place, run, companies)
  expect(stderr).toMatch(/the reader of this output ended early\.\nexit 130\n$/)
  expect(place.listSideFiles()).toEqual([])
  const again = await place.run(run, { stdin: companies })
  expect(again.code).toBe(0)
  expect(place.names()).toContain('out.csv')
  expect(countSubmissions(place)).toBe(178)
})

test.each([
  ['their reader ended after a line', '2>&1 | head -n 1'],
  ['they were closed', '2>&-'],
])('a run continues without its messages if %s', async (_, redirect) => {
  const place = createPlace()
  const run = ['-', '--input-format', 'csv', '-o', 'out.csv', '--log-level', 'debug']
  const script = `{ "$@"; echo $? >code; } ${redirect}`
  await place.run(run, { wrapper: ['sh', '-c', script, 'sh'], stdin: companies })
  expect(readFileSync(place.path('code'), 'utf8')).toBe('0\n')
  expect(place.names()).toContain('out.csv')
  expect(countSubmissions(place)).toBe(178)
})

/** Every write to it fails as on a full disk. */
const fullDisk = '/dev/full'
const intoFullDisk = (place: CliPlace, args: readonly string[], redirect = `>${fullDisk}`) =>
  place.run(args, { wrapper: ['sh', '-c', `exec "$@" ${redirect}`, 'sh'], stdin: companies })

describe.skipIf(!existsSync(fullDisk))('on a full disk', () => {
  const after = createPlace(afterAll)
  beforeAll(async () => {
    await after.run(['-', '--input-format', 'csv', '-o', 'out.csv'], { stdin: companies })
  })
  test.each([
    [['--version']],
    [['status', '--json']],
    [['registry', 'search', 'apple']],
    [['export', ...toStdout]],
    [toStdout],
  ])('the output of %j after a run is a named error', async (args) => {
    const { code, stderr } = await intoFullDisk(after, args)
    expect(stderr).toMatch(/error DISK_FULL: the disk is full/)
    expect(stderr).not.toMatch(/^ {4}at /m)
    expect(code).toBe(2)
  })

  test('rows that are lost after submissions end with code 5, and the next run resumes', async () => {
    const place = createPlace()
    const { code, stderr } = await intoFullDisk(place, toStdout)
    expect([code, stderr]).toEqual([5, expect.stringMatching(/error DISK_FULL/)])
    expect((await place.run(toStdout, { stdin: companies })).code).toBe(0)
    expect(countSubmissions(place)).toBe(178)
  })

  test('a run continues without its messages', async () => {
    const place = createPlace()
    const run = ['-', '--input-format', 'csv', '-o', 'out.csv']
    expect((await intoFullDisk(place, run, `2>${fullDisk}`)).code).toBe(0)
    expect(countSubmissions(place)).toBe(178)
  })

  test('without its JSON lines, a run stops before it submits, and the next one resumes', async () => {
    const place = createPlace()
    const run = ['-', '--input-format', 'csv', '-o', 'out.csv', '--json']
    const { code, stderr } = await intoFullDisk(place, run)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/error DISK_FULL/)])
    expect(stderr).not.toMatch(/ended early|^ {4}at /m)
    expect((await place.run(run, { stdin: companies })).code).toBe(0)
    expect(countSubmissions(place)).toBe(178)
  })
})
