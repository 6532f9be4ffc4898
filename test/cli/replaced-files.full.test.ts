import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPlace, type CliPlace } from '../support/cli.js'

/** Runs that write every kind of file; each names its files without their folder. */
const runs: readonly (readonly [title: string, args: readonly string[], files: readonly string[]])[] = [
  [
    'CSV, its basis, changes, report and metrics',
    'list.csv -o out.csv --changes changes.csv --report report.html --metrics-file m.prom'.split(' '),
    ['out.csv', 'out.csv.basis.csv', 'changes.csv', 'report.html', 'm.prom'],
  ],
  ['Parquet', ['list.csv', '-o', 'out.parquet'], ['out.parquet']],
  ['NDJSON, compressed', ['list.csv', '-o', 'out.ndjson.gz'], ['out.ndjson.gz']],
  ['Excel', ['list.csv', '-o', 'out.xlsx'], ['out.xlsx']],
  ['an export', ['export', 'list.csv', '-o', 'out.csv'], ['out.csv', 'out.csv.basis.csv']],
  ['a review', ['review', 'list.csv', '--export', 'todo.csv'], ['todo.csv']],
  ['the changes of two runs', ['diff', '-o', 'diff.csv'], ['diff.csv']],
  ['the report of a run', ['report', '-o', 'r.html'], ['r.html']],
  [
    'wrong answers',
    'registry evaluate queries.csv --map expected=lei --id-type lei --errors wrong.csv'.split(' '),
    ['wrong.csv'],
  ],
  ['a config', ['init', 'list.csv', '--config', 'c.json', '--yes'], ['c.json']],
  ['a table of SQLite', ['list.csv', '-o', 'sqlite:out.sqlite#t'], ['out.sqlite']],
  ['a table of DuckDB', ['list.csv', '-o', 'duckdb:out.duckdb#t'], ['out.duckdb']],
]

async function prepare(): Promise<CliPlace> {
  const place = createPlace()
  place.write('list.csv', 'company,town\nApple Inc,Cupertino\nFacebook Inc,Menlo Park\n')
  place.write('queries.csv', 'name,lei\nApple Inc,BQ4BKCS1HXDV9HN80Z93\n')
  mkdirSync(place.path('far'))
  const first = await place.run(['list.csv', '-o', 'first.csv'])
  expect(first.code, first.stderr).toBe(0)
  const second = await place.run(['list.csv', '-o', 'first.csv'])
  expect(second.code, second.stderr).toBe(0)
  return place
}

describe.each(runs)('%s', (_title, args, files) => {
  test('is written to the end of a link, also if nothing is there yet', async () => {
    const place = await prepare()
    for (const file of files) {
      symlinkSync(`far/middle-${file}`, place.path(file))
      symlinkSync(`end-${file}`, place.path(`far/middle-${file}`))
    }
    const { code, stderr } = await place.run(args)
    expect(code, stderr).toBe(0)
    for (const file of files) {
      expect(lstatSync(place.path(file)).isSymbolicLink(), file).toBe(true)
      expect(lstatSync(place.path(`far/middle-${file}`)).isSymbolicLink(), file).toBe(true)
      expect(statSync(place.path(`far/end-${file}`)).size, file).toBeGreaterThan(0)
    }
  })

  test('keeps the permissions, the group and the owner of the file that it replaces', async () => {
    const place = await prepare()
    if (args[0] === 'init') return
    const first = await place.run(args)
    expect(first.code, first.stderr).toBe(0)
    const isRoot = process.getuid?.() === 0
    for (const [index, file] of files.entries()) {
      if (isRoot) chownSync(place.path(file), 12_345, 23_456)
      chmodSync(place.path(file), index % 2 === 0 ? 0o600 : 0o660)
    }
    const before = files.map((file) => statSync(place.path(file)))
    const { code, stderr } = await place.run(args)
    expect(code, stderr).toBe(0)
    const describeFile = (file: (typeof before)[number] | undefined) => [
      (file?.mode ?? 0) & 0o777,
      file?.uid,
      file?.gid,
    ]
    expect(files.map((file) => describeFile(statSync(place.path(file))))).toEqual(before.map(describeFile))
  })
})

test('a new file has the permissions of the user', async () => {
  const place = await prepare()
  writeFileSync(place.path('plain'), '')
  expect(statSync(place.path('first.csv')).mode).toBe(statSync(place.path('plain')).mode)
})

test('a link into a folder that is missing ends the run before the first submission, with the folder in the hint', async () => {
  const place = await prepare()
  symlinkSync('none/out.csv', place.path('out.csv'))
  const { code, stderr } = await place.run(['list.csv', '-o', 'out.csv', '--basis', 'none'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('error OUTPUT_UNWRITABLE: ')])
  expect(stderr).toContain(`mkdir -p ${dirname(place.path('none/out.csv'))}`)
  expect(existsSync(place.path('none'))).toBe(false)
})
