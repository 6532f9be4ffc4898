import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it, test } from 'vitest'
import { readLabelledQueries } from '../../../src/registry/evaluate/labelled-query.js'
import {
  runRegistryCommand,
  sampleRows,
  temporaryFolder,
  writeContent,
  writeRows,
} from '../../support/registry.js'
import { errorWith } from '../../support/error-with.js'

const write = (text: string) => writeContent('queries.csv', text)

const enrich = async (...argv: string[]) => (await runRegistryCommand(...argv)).out

describe('labelled queries', () => {
  it('are read with place, expected ids and stratum, whatever the columns are usually called', async () => {
    const path = write(
      'query_id,query_name,city,region,postcode,country,expected_scheme,expected_any,stratum\n' +
        'q1,IBM,Armonk,NY,10504,US,cik,51143|1087423,short\n' +
        'q2,Acme,Leeds,,LS1 4AP,GB,gb_company_number,oc312345,uk\n' +
        'q3,Nobody,,,,,none,,absent\n',
    )
    expect(await readLabelledQueries(path)).toEqual([
      {
        id: 'q1',
        name: 'IBM',
        location: 'Armonk, NY, 10504, US',
        context: null,
        expected: [
          { type: 'cik', value: '0000051143', jurisdiction: null },
          { type: 'cik', value: '0001087423', jurisdiction: null },
        ],
        stratum: 'short',
      },
      expect.objectContaining({
        location: 'Leeds, LS1 4AP, GB',
        expected: [{ type: 'registration_id', value: 'OC312345', jurisdiction: 'gb' }],
      }),
      expect.objectContaining({ location: null, expected: [], stratum: 'absent' }),
    ])
  })

  it('other names of columns are given by a map, and the kind of id by a setting', async () => {
    const path = write('firma;ort;soll\nAcme;Leeds;siq_1\n')
    const settings = { map: { name: 'firma', city: 'ort', expected: 'soll' }, idType: 'entity' }
    expect(await readLabelledQueries(path, settings)).toMatchObject([
      {
        id: 'line 2',
        name: 'Acme',
        location: 'Leeds',
        expected: [{ type: 'entity', value: 'siq_1' }],
        stratum: 'all',
      },
    ])
  })

  test.each([
    ['name\nAcme\n', {}, 'no column has the expected ids'],
    ['firm,expected\nAcme,1\n', {}, 'no column has the names'],
    ['name,expected\n', {}, 'has no queries'],
    ['name,expected,id_type\nAcme,1,isin\n', {}, '"isin" is not a type of id'],
    ['name,expected,id_type\nAcme,XX,lei\n', {}, 'an expected id is not valid'],
    ['name,expected\nAcme,1\n', { map: { name: 'firm' } }, 'there is no column "firm"'],
    ['name,expected\nAcme,1\n', { map: { firm: 'name' } }, '"firm" is not a field'],
  ])('%j with %j is refused: %s', async (text, settings, message) => {
    await expect(readLabelledQueries(write(text), settings)).rejects.toMatchObject(
      errorWith('EVALUATION_INVALID', { message }),
    )
  })
})

describe('enrich registry evaluate', () => {
  const queries =
    'query_id,name,city,expected,id_type,stratum\n' +
    'a,ibm,Armonk,51143,cik,known\n' +
    'b,Red Hat Inc,Raleigh,1087423,cik,known\n' +
    'c,Acme Widgets,,01234567,gb_company_number,doubtful\n' +
    'd,Red Hat Inc,Raleigh,320193,cik,mislabelled\n' +
    'e,Unheard-of Bakery,Leeds,,,absent\n'

  it('tells precision, recall, calibration and latency, for people and for programs', async () => {
    const folder = temporaryFolder()
    const registry = join(folder, 'registry.sqlite')
    await enrich('import', 'csv', writeRows(folder, sampleRows), '--registry', registry)
    const file = write(queries)
    const errors = join(folder, 'errors.csv')
    const report = JSON.parse(
      await enrich('evaluate', file, '--registry', registry, '--json', '--errors', errors),
    ) as Record<string, unknown>
    expect(report).toMatchObject({
      overall: {
        queryCount: 5,
        positiveCount: 4,
        acceptedCount: 3,
        correctCount: 2,
        recall: 0.5,
        falseAcceptShare: 0,
      },
      strata: {
        known: { precision: 1, recall: 1, top5Recall: 1 },
        doubtful: { precision: null, recall: 0, top5Recall: 1 },
        mislabelled: { precision: 0, top5Recall: 0 },
        absent: { acceptedCount: 0, falseAcceptCount: 0 },
      },
      calibration: { count: 4 },
      accept: { lookupCount: 5, thresholds: [{ accept: 80, settledCount: 3, rightCount: 2 }, {}, {}, {}] },
    })
    const [header, ...rows] = readFileSync(errors, 'utf8').trim().split('\n')
    expect(header).toContain('query_id,stratum,query_name')
    expect(rows.map((row) => row.split(',')[0])).toEqual(['c', 'd'])
    expect(rows[1]).toContain('0001087423')

    const text = await enrich('evaluate', file, '--registry', registry)
    expect(text).toMatch(/^doubtful +1 +0 +- +0\.0 0-80 +100 +100 +-$/m)
    expect(text).toContain('Accepting answers of the registry without asking a service')
    expect(text).toMatch(/^absent +1 +0 +- +- +- +- +0\/1$/m)
  })

  it('a miss tells the right company, where it stands and how likely it was said to be', async () => {
    const folder = temporaryFolder()
    const registry = join(folder, 'registry.sqlite')
    await enrich('import', 'csv', writeRows(folder, sampleRows), '--registry', registry)
    const errors = join(folder, 'errors.csv')
    await enrich('evaluate', write(queries), '--registry', registry, '--errors', errors)
    const rows = parse<Record<string, string>>(readFileSync(errors, 'utf8'), { columns: true })
    const [doubtful, mislabelled] = rows
    expect(doubtful).toMatchObject({ query_id: 'c', expected_names: 'Acme Widgets Limited', left_out: '' })
    expect(Number(doubtful?.['rank_of_expected'])).toBeGreaterThan(0)
    expect(Number(doubtful?.['share_of_expected'])).toBeGreaterThan(0)
    expect(Number(doubtful?.['share_of_expected'])).toBeLessThan(1)
    expect(mislabelled).toMatchObject({ expected_names: '', share_of_expected: '', rank_of_expected: '' })
    expect(Number(mislabelled?.['share'])).toBeGreaterThan(0.5)
  })

  it('asks again without the right company: its namesake is told from another', async () => {
    const folder = temporaryFolder()
    const registry = join(folder, 'registry.sqlite')
    const twin = { id: 'redhat-2', name: 'Red Hat Inc', city: 'Raleigh', region: 'NC', country: 'US' }
    await enrich('import', 'csv', writeRows(folder, [...sampleRows, twin]), '--registry', registry)
    const errors = join(folder, 'errors.csv')
    const report = JSON.parse(
      await enrich(
        'evaluate',
        write(queries),
        '--registry',
        registry,
        '--json',
        '--leave-out',
        '1',
        '--errors',
        errors,
      ),
    ) as { leaveOut: object }
    expect(report.leaveOut).toMatchObject({
      share: 1,
      queryCount: 3,
      acceptedCount: 2,
      acceptedBesideNamesakesCount: 0,
    })
    const rows = parse<Record<string, string>>(readFileSync(errors, 'utf8'), { columns: true })
    expect(rows.filter((row) => row['left_out'] === 'yes')).toMatchObject([
      { query_id: 'b', expected_names: 'Red Hat, Inc.' },
      { query_id: 'c', answered_name: 'Acme Widgets LLP' },
    ])
  })

  it('is compared with another registry, and with a report that was saved', async () => {
    const folder = temporaryFolder()
    const [all, few] = [join(folder, 'all.sqlite'), join(folder, 'few.sqlite')]
    await enrich('import', 'csv', writeRows(folder, sampleRows), '--registry', all)
    const others = sampleRows.filter(({ id }) => id !== 'ibm')
    await enrich('import', 'csv', writeRows(folder, others, 'few.csv'), '--registry', few)
    const file = write(queries)
    const evaluated = (...more: string[]) => enrich('evaluate', file, '--registry', few, ...more)
    const saved = writeContent('before.json', await enrich('evaluate', file, '--registry', all, '--json'))
    for (const other of [all, saved]) {
      const { comparison } = JSON.parse(await evaluated('--compare', other, '--json')) as {
        comparison: object
      }
      expect(comparison).toMatchObject({
        queryCount: 5,
        gainedCount: 0,
        lostCount: 1,
        changes: [{ kind: 'lost', before: { id: 'a', isAccepted: true }, after: { isAccepted: false } }],
      })
      expect(await evaluated('--compare', other)).toContain('0 gained, 1 lost')
    }
    const neither = writeContent('no-report.json', '{"queries": 3}')
    await expect(evaluated('--compare', neither)).rejects.toMatchObject({ code: 'EVALUATION_INVALID' })
    await expect(evaluated('--compare', join(folder, 'none'))).rejects.toMatchObject({
      code: 'REGISTRY_NOT_FOUND',
    })
    await expect(evaluated('--compare', all, '--errors', all)).rejects.toMatchObject({
      code: 'OUTPUT_IS_OURS',
    })
    await expect(evaluated('--leave-out', '2')).rejects.toThrow('at most 1')
  })

  test.each([
    [['evaluate', 'none.csv'], 'INPUT_NOT_FOUND'],
    [['evaluate', 'QUERIES', '--registry', 'none.sqlite'], 'REGISTRY_NOT_FOUND'],
  ])('%j fails with %s', async (argv, code) => {
    const file = write(queries)
    await expect(enrich(...argv.map((arg) => (arg === 'QUERIES' ? file : arg)))).rejects.toMatchObject({
      code,
    })
    expect(existsSync('none.sqlite')).toBe(false)
  })
})
