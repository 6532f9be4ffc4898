import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, companiesCsv, createPlace, writeConfig, type CliPlace } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'
import { strangeMatch } from '../support/strange-service.js'
import { readParquet, rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const header =
  'kind,row_key,row_number,name,field,old,new,old_source,new_source,old_entity_id,new_entity_id,run\n'
const first = ['id,company_name,city,country', '1,Apple,Cupertino,US', '2,Siemens,Munich,DE']
const second = ['id,company_name,city,country', '2,Siemens,Munich,DE', '3,"=Evil()",Nowhere,US']
const command = ['in.csv', '-o', 'out.csv', '--changes', 'changes.csv']

/** A place in which two nights have run. */
async function afterTwoNights(): Promise<CliPlace> {
  const place = createPlace()
  for (const lines of [first, second]) {
    place.write('in.csv', `${lines.join('\n')}\n`)
    expect((await place.run(command)).code).toBe(0)
  }
  return place
}

const kinds = (rows: readonly Record<string, unknown>[]) => rows.map(({ kind, name }) => [kind, name])
const changed = [
  ['new_row', '=Evil()'],
  ['row_gone', 'Apple'],
]

describe('what changed since the output before', () => {
  it('of the first output is a header, and said to be', async () => {
    const place = createPlace()
    place.write('in.csv', `${first.join('\n')}\n`)
    const { stderr } = await place.run(command)
    expect(stderr).toContain('This is the first run of this input: it cannot be compared')
    expect(place.read('changes.csv')).toBe(header)
  })

  it('is written by the run, whatever became of the output before', async () => {
    const place = createPlace()
    place.write('in.csv', `${first.join('\n')}\n`)
    await place.run(command)
    for (const name of ['out.csv', 'out.csv.basis.csv', 'changes.csv']) rmSync(place.path(name))
    place.write('in.csv', `${second.join('\n')}\n`)
    const { stderr } = await place.run(command)
    expect(stderr).toContain('Since run 1: new_row 1 · row_gone 1, in changes.csv.')
    expect(kinds(rowsOfCsv(place.read('changes.csv')))).toEqual(changed)
    place.write('out.csv', 'edited')
    await place.run(command)
    expect(place.read('changes.csv')).toBe(header)
  })

  it('is what diff writes of the same two runs, in every format', async () => {
    const place = await afterTwoNights()
    const written = place.read('changes.csv')
    for (const args of [['diff'], ['diff', '2'], ['diff', '1..2'], ['diff', '1..']]) {
      expect((await place.run([...args, '-o', 'd.csv'])).code).toBe(0)
      expect(place.read('d.csv')).toBe(written)
    }
    await place.run(['diff', '-o', 'd.parquet'])
    expect(kinds((await readParquet(place.path('d.parquet'))).rows)).toEqual(changed)
    const { stdout } = await place.run(['diff', '-o', '-', '--format', 'ndjson'])
    expect(kinds(readJsonLines(stdout))).toEqual(changed)
  })

  it('is shown where no file is named, and as JSON lines', async () => {
    const place = await afterTwoNights()
    const { stdout } = await place.run(['diff'])
    expect(stdout).toMatch(/^Run 2 \(.*\) against run 1 \(.*\): 2 changes\n {2}new_row +1\n {2}row_gone +1\n/)
    expect(stdout).toContain('row_gone  row 1  Apple')
    const lines = readJsonLines((await place.run(['diff', '--json'])).stdout)
    expect(lines.map(({ type }) => type)).toEqual(['change', 'change', 'diff'])
    expect(lines.at(-1)).toMatchObject({ older: 1, newer: 2, counts: { new_row: 1, row_gone: 1 } })
    expect((await place.run(['diff', '2..2'])).stdout).toContain('nothing changed')
  })

  it('by keys: a row that asks otherwise is the same row', async () => {
    const place = createPlace()
    const keyed = [...command, '--row-key', 'id']
    place.write('in.csv', 'id,company_name,city,country\n1,Apple,Cupertino,US\n')
    await place.run(keyed)
    place.write('in.csv', 'id,company_name,city,country\n1,Siemens,Munich,DE\n')
    await place.run(keyed)
    expect(rowsOfCsv(place.read('changes.csv'))).toMatchObject([
      { kind: 'entity_changed', row_key: '1', name: 'Siemens', row_number: '1' },
    ])
    const { stderr, code } = await place.run(command)
    expect([code, place.read('changes.csv')]).toEqual([0, header])
    expect(stderr).toContain(
      'This output is not compared with an earlier one: run 2 has row keys, and run 3 does not',
    )
    expect((await place.run(['diff', '2..3'])).stderr).toContain('RUNS_NOT_COMPARABLE')
  })
})

describe('after a partial output', () => {
  const partial = ['--max-lookups', '1', '--partial']
  const changesOf = (place: CliPlace) =>
    rowsOfCsv(place.read('changes.csv')).map(({ kind, name, old, new: now }) => [kind, name, old, now])

  const serviceKnowing = (...names: string[]) =>
    startHosted({ answers: Object.fromEntries(names.map((name) => [name, strangeMatch(name)])) })

  it('the rest of the first list being answered is no gained match', async () => {
    const place = createPlace()
    place.write('in.csv', companiesCsv(['Apple Inc.', 'Microsoft Corporation', 'Siemens AG']))
    expect((await place.run([...command, ...partial])).code).toBe(8)
    const { stderr } = await place.run(command)
    expect(rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_status'])).not.toContain('pending')
    expect([stderr, changesOf(place)]).toEqual([expect.stringContaining('Since run 1: no changes'), []])
    expect(place.read('changes.csv')).toBe(header)
  })

  it('a row is compared with the last output that had an answer for it', async () => {
    const place = createPlace()
    writeConfig(place)
    place.write('in.csv', companiesCsv(['Acme', 'Bolt', 'Cargo', 'Delta']))
    const [one, other] = await Promise.all([serviceKnowing('Acme', 'Cargo'), serviceKnowing('Acme', 'Bolt')])
    expect((await place.run(command, at(one))).code).toBe(0)
    // Another service answers the same input a lookup at a time: as before, gained, lost, as before.
    const changes = []
    for (const code of [8, 8, 8, 0]) {
      expect((await place.run([...command, ...partial], at(other))).code).toBe(code)
      changes.push(changesOf(place))
    }
    expect(changes).toEqual([
      [],
      [['gained_match', 'Bolt', 'no_match', 'matched']],
      [['lost_match', 'Cargo', 'matched', 'no_match']],
      [],
    ])
    const { stdout } = await place.run(['diff', '2..5'])
    expect(stdout).toMatch(/2 changes\n {2}gained_match +1\n {2}lost_match +1\n/)
  })
})

describe('a company that left a register', () => {
  const house = (...names: string[]) =>
    [
      'CompanyName, CompanyNumber,RegAddress.PostTown,CompanyStatus',
      ...names.map((name) => `${name.toUpperCase()},0000000${companies.indexOf(name) + 1},YORK,Active`),
    ].join('\n')
  const companies = ['Larkmoor Quillon Limited', 'Bracken Foundry Limited', 'Zorvex Limited']
  const [staying = '', leaving = '', other = ''] = companies

  it('is told by the night after, with the reason and the alarm, and not again', async () => {
    const place = createPlace()
    place.write('in.csv', companiesCsv([staying, leaving]))
    const runNight = async (day: string | null, ...names: string[]) => {
      if (day !== null) {
        place.write('house.csv', house(...names))
        const load = ['registry', 'import', 'companies-house', 'house.csv', '--date', day]
        expect((await place.run(load)).code).toBe(0)
      }
      const args = [...command, '--fail-on', 'left_register>0', '--columns', 'status,reason']
      const { code, stderr } = await place.run(args)
      const reasons = rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_reason'])
      expect(rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_status'])).toEqual([
        'matched',
        'matched',
      ])
      return { code, stderr, changes: rowsOfCsv(place.read('changes.csv')), reasons }
    }
    const sentence =
      'The newest file of companies-house no longer names the registration; an earlier one of 2026-03-01 did.'
    await runNight('2026-03-01', staying, leaving)
    const unchanged = await runNight('2026-03-15', staying, leaving, other)
    expect([unchanged.code, unchanged.changes]).toEqual([0, []])
    const left = await runNight('2026-04-01', staying, other)
    const told = sentence.replace('03-01', '03-15')
    expect(left.changes).toMatchObject([
      { kind: 'left_register', name: leaving, field: 'factors', old: '', new: told },
    ])
    expect(left.changes[0]?.['old_entity_id']).toBe(left.changes[0]?.['new_entity_id'])
    expect([left.code, left.stderr]).toEqual([6, expect.stringContaining('left_register>0: 1 of 2 rows')])
    expect(left.reasons).toEqual([
      expect.not.stringContaining('no longer names'),
      expect.stringMatching(/registered name\. .*The newest file of companies-house no longer names/),
    ])
    const next = await runNight(null)
    expect([next.code, next.changes, next.reasons]).toEqual([0, [], left.reasons])
    const back = await runNight('2026-05-01', staying, leaving)
    expect([back.code, back.changes]).toEqual([0, []])
    expect(back.reasons.join()).not.toContain('no longer names')
  })
})

describe('what cannot be compared or written', () => {
  let place: CliPlace
  let remove = () => undefined as unknown
  beforeAll(async () => {
    place = createPlace((onFinished) => {
      remove = onFinished as typeof remove
    })
    for (const lines of [first, second]) {
      place.write('in.csv', `${lines.join('\n')}\n`)
      await place.run(command)
    }
    place.write('other.csv', `${first.join('\n')}\n`)
    await place.run(['other.csv', '-o', 'other-out.csv'])
    place.write('twice.csv', 'id,company_name\n1,Apple\n1,Siemens\n')
    place.write('empty.csv', 'id,company_name\n1,Apple\n,Siemens\n')
  })
  afterAll(() => remove())

  it.each<[string[], string]>([
    [['diff', '77'], 'RUN_NOT_FOUND'],
    [['diff', '1'], 'RUN_OUTPUT_UNKNOWN'],
    [['diff', 'x'], 'USAGE_INVALID'],
    [['diff', '1..3'], 'RUNS_NOT_COMPARABLE'],
    [['diff', '-o', 'in.csv'], 'OUTPUT_IS_OURS'],
    [['diff', '-o', 'out.csv'], 'OUTPUT_IS_OURS'],
    [['diff', '-o', '.enrich/checkpoint.sqlite', '--format', 'csv'], 'OUTPUT_IS_OURS'],
    [['diff', '-o', 'none/c.csv'], 'OUTPUT_UNWRITABLE'],
    [['diff', '-o', 'changes'], 'OUTPUT_FORMAT_UNKNOWN'],
    [['diff', '-o', '-', '--json', '--format', 'csv'], 'USAGE_INVALID'],
    [['diff', '--checkpoint', 'none.sqlite'], 'CHECKPOINT_NOT_FOUND'],
    [['in.csv', '-o', 'out.csv', '--changes', 'out.csv'], 'USAGE_INVALID'],
    [['in.csv', '-o', 'out.csv', '--changes', 'out.csv.basis.csv'], 'USAGE_INVALID'],
    [['in.csv', '-o', 'out.csv', '--changes', '-'], 'USAGE_INVALID'],
    [['in.csv', '-o', 'out.csv', '--changes', 'in.csv'], 'OUTPUT_IS_INPUT'],
    [['in.csv', '-o', 'out.csv', '--changes', 'none/c.csv'], 'OUTPUT_UNWRITABLE'],
    [['in.csv', '-o', 'out.csv', '--changes', 'c.doc'], 'OUTPUT_FORMAT_UNKNOWN'],
    [['in.csv', '-o', 'out.csv', '--row-key', 'nix'], 'INPUT_COLUMN_MISSING'],
    [['twice.csv', '-o', 'out.csv', '--row-key', 'id'], 'ROW_KEY_DUPLICATE'],
    [['empty.csv', '-o', 'out.csv', '--row-key', 'id'], 'ROW_KEY_MISSING'],
  ])('%s is an error with a code: %s', async (args, code) => {
    const before = place.names()
    const { stderr, code: exitCode } = await place.run(args)
    expect(stderr).toContain(`error ${code}: `)
    expect(stderr).toContain('  hint: ')
    expect([exitCode, place.names()]).toEqual([2, before])
  })
})
