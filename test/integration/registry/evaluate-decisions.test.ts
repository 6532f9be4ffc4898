import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { toLabelledDecisions } from '../../../src/app/propose-decisions.js'
import { measureWidth } from '../../../src/core/text.js'
import { calculateResolutionKey } from '../../../src/pipeline/checkpoint/lookup.js'
import { formatDecisionLine, decisionsHeader } from '../../../src/pipeline/decisions/decision-lines.js'
import type { Decision } from '../../../src/core/decisions.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import {
  addRows,
  runRegistryCommand,
  sampleRows,
  temporaryFolder,
  writeContent,
} from '../../support/registry.js'

const keyOf = (name: string, location: string | null, context: string | null = null) =>
  Buffer.from(calculateResolutionKey({ name, location, context })).toString('hex')

const decision = (name: string, location: string | null, given: Partial<Decision>): Decision => ({
  lookup: keyOf(name, location),
  name,
  location,
  verdict: 'accepted',
  entityId: null,
  entityName: null,
  decidedBy: 'Ann',
  decidedAtMs: Date.UTC(2026, 10, 20),
  note: null,
  service: 'embedded',
  ...given,
})
const none = { verdict: 'none', entityId: null } as const

describe('decisions as queries', () => {
  const of = (...decisions: Decision[]) => toLabelledDecisions(decisions)

  it('expect the company that was accepted, or nothing', () => {
    const { queries } = of(decision('Acme', 'Bonn', { entityId: 'siq_1' }), decision('Nobody', null, none))
    expect(queries).toEqual([
      {
        id: keyOf('Acme', 'Bonn'),
        name: 'Acme',
        location: 'Bonn',
        context: null,
        stratum: 'all',
        expected: [{ type: 'entity', value: 'siq_1', jurisdiction: null }],
      },
      expect.objectContaining({ name: 'Nobody', expected: [] }),
    ])
  })

  test.each<[string | null, number, number]>([
    ['embedded', 1, 0],
    [null, 1, 0],
    ['https://api.example.com', 0, 1],
  ])('of the service %j %i count, and %i are another service’s', (service, queryCount, otherServiceCount) => {
    const { queries, ...counts } = of(decision('Acme', null, { entityId: 'siq_1', service }))
    expect([queries.length, counts.otherServiceCount]).toEqual([queryCount, otherServiceCount])
  })

  it('of one lookup the one that names the service counts', () => {
    const both = [
      decision('Acme', null, { entityId: 'siq_own' }),
      decision('Acme', null, { entityId: 'siq_any', service: null }),
    ]
    for (const order of [both, [...both].reverse()])
      expect(of(...order).queries.map(({ expected }) => expected[0]?.value)).toEqual(['siq_own'])
  })

  it('those asked with more than a name and a place are counted', () => {
    const lookup = keyOf('Acme', null, 'makes anvils')
    expect(of(decision('Acme', null, none)).furtherAskedCount).toBe(0)
    expect(of(decision('Acme', null, { ...none, lookup })).furtherAskedCount).toBe(1)
  })
})

describe('enrich registry evaluate --decisions', () => {
  const lei = 'HWUPKR0MPOU8FGXBT394'
  let folder: string
  let path: string
  const ids = new Map<string, string>()

  function idOf(registry: WritableRegistry, key: string): string {
    const found = registry.database
      .prepare<[string], string>(
        'SELECT id FROM entities WHERE number = (SELECT entity_number FROM legal_entities WHERE source_key LIKE ?)',
      )
      .pluck()
      .get(key)
    if (found === undefined) throw new Error(`no company ${key}`)
    return found
  }

  const evaluated = async (decisions: readonly Decision[], ...flags: string[]) => {
    const file = writeContent(
      'decisions.csv',
      decisionsHeader + decisions.map(formatDecisionLine).join(''),
      folder,
    )
    return (await runRegistryCommand('evaluate', '--decisions', file, '--registry', path, ...flags)).out
  }

  const settled = () => [
    decision('Acme Widgets', null, { entityId: ids.get('acme-london') ?? '' }),
    decision('Red Hat Inc', 'Raleigh', { entityId: ids.get('redhat') ?? '', service: null }),
    decision('Acme Widgets Group', 'GB', none),
    decision('IBM (CIK 1087423)', null, { entityId: ids.get('ibm') ?? '' }),
    decision('Acme Identified', 'Germany', { entityId: ids.get('merged') ?? '' }),
    decision('Gone Ltd', 'GB', { entityId: 'siq_gone' }),
    decision('Elsewhere', null, { ...none, service: 'https://api.example.com' }),
    decision('Told Apart', 'Leeds', { ...none, lookup: keyOf('Told Apart', 'Leeds', 'of Leeds') }),
  ]

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'enrich-decided-'))
    path = join(folder, 'registry.sqlite')
    const registry = openRegistry(path)
    addRows(registry, sampleRows)
    for (const { id = '' } of sampleRows) ids.set(id, idOf(registry, `%${id}`))
    const file = (name: string) => ({ fileName: `${name}.csv`, sourceName: name })
    addRows(registry, [{ id: 'first', name: 'Acme Registered', cik: '7' }], file('one'))
    addRows(registry, [{ id: 'second', name: 'Acme Identified', lei, country: 'DE' }], file('two'))
    ids.set('merged', idOf(registry, '%second'))
    addRows(registry, [{ id: 'third', name: 'Acme Known As Both', lei, cik: '7' }], file('three'))
    expect(registry.entity(ids.get('merged') as never)?.mergedInto).toBe(idOf(registry, '%first'))
    registry.close()
  })

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('what was accepted is right, by an id that was merged too, and after none every answer is wrong', async () => {
    const errors = join(folder, 'errors.csv')
    const report = JSON.parse(await evaluated(settled(), '--json', '--errors', errors)) as object
    expect(report).toMatchObject({
      overall: { queryCount: 6, positiveCount: 4, acceptedCount: 2, correctCount: 2, falseAcceptCount: 0 },
      strata: {
        inconclusive: { queryCount: 3, top1Recall: 0.5 },
        matched: { queryCount: 2, precision: 1 },
        no_match: { queryCount: 1 },
      },
      decisions: {
        acceptedCount: 4,
        noneCount: 2,
        otherServiceCount: 1,
        furtherAskedCount: 1,
        unknown: [{ name: 'Gone Ltd', entityId: 'siq_gone' }],
        byCountry: {
          '-': { queryCount: 1 },
          DE: { queryCount: 1, recall: 1 },
          GB: { queryCount: 2 },
          US: { queryCount: 2 },
        },
        advice: { reviewedCount: 6, recommendation: { kind: 'too_few' } },
      },
      calibration: { count: 5 },
      accept: {
        lookupCount: 6,
        precisionMin: 0.95,
        thresholds: [
          { accept: 80, settledCount: 2, rightCount: 2 },
          { accept: 90, settledCount: 2 },
          { accept: 95, settledCount: 2 },
          { accept: 99 },
        ],
        recommendation: { kind: 'too_few', moreCount: 71 },
        support: { settledCount: 2, precision: 1 },
      },
    })
    const rows = parse<Record<string, string>>(readFileSync(errors, 'utf8'), { columns: true })
    expect(rows.map((row) => row['query_name'])).toEqual(['Acme Widgets', 'IBM (CIK 1087423)'])
  })

  it('a name that states identifiers is answered by whose they are, as a run answers it', async () => {
    const [byIdentifier] = settled().filter(({ name }) => name.includes('CIK'))
    const report = JSON.parse(
      await evaluated(byIdentifier === undefined ? [] : [byIdentifier], '--json'),
    ) as {
      queries: object[]
    }
    expect(report.queries).toMatchObject([
      { confidence: 50, isCorrect: false, answeredName: 'Red Hat, Inc.' },
    ])
  })

  it('is told to people on lines no wider than a terminal, with what was left out and what it holds for', async () => {
    const unknown = Array.from({ length: 13 }, (_, at) =>
      decision(`Gone ${'far away '.repeat(10)}${at}`, null, { entityId: `siq_gone${at}` }),
    )
    const text = await evaluated([...settled(), ...unknown])
    expect(text.split('\n').filter((line) => measureWidth(line) > 80)).toEqual([])
    for (const line of [
      '6 decisions: 4 accepted, 2 none',
      '  1 of another service left out',
      '  14 left out: this registry has no company of that id',
      '    and 4 more, with --json',
      '  1 lookup was by more than name and place; here only these are used',
      'those lookups now; they say nothing about lookups that were not reviewed.',
      'status        names   acc.   precision      recall top 1 top 5  false',
      'inconclusive      3      0           -    0.0 0-66  50.0   100    0/1',
      'GB                2      0           -    0.0 0-80   100   100    0/1',
      'overall           6      2  100 34-100  50.0 15-85  75.0   100    0/2',
      'threshold  not reviewed   share   wrong    share wrong         below the next',
      '       50             2    33.3       0       0.0 0-66                      -',
      '       95             2    33.3       0       0.0 0-66           0 wrong of 2',
      'Not enough to recommend a threshold: 71 more decisions on answers at or above',
      'Accepting answers of the registry without asking a service',
      '      80         2     33.3        2     100 34-100',
      'Not enough to recommend accept: for a precision of 95 %, at least 73 settled',
      'answers at 99, are not in these figures.',
      'To measure the answers of a run, use --check-sample.',
    ])
      expect(text.split('\n')).toContain(line)
  })

  it('a file without decisions is measured as nothing, and says how many are needed', async () => {
    const text = await evaluated([])
    expect(text).toContain('0 decisions: 0 accepted, 0 none')
    expect(text).toContain('73 more decisions on answers at or above')
  })

  it('enough decisions that were right carry a recommendation', async () => {
    const companies = Array.from(
      { length: 80 },
      (_, at) => `Zorvex ${'abcdefgh'.charAt(at % 8)}${at} Holdings`,
    )
    const many = join(temporaryFolder(), 'many.sqlite')
    const registry = openRegistry(many)
    onTestFinished(() => {
      registry.close()
    })
    addRows(
      registry,
      companies.map((name, at) => ({ id: `z${at}`, name, city: 'Leeds', country: 'GB' })),
    )
    const decisions = companies.map((name, at) =>
      decision(name, 'Leeds, GB', { entityId: idOf(registry, `%z${at}`) }),
    )
    const file = writeContent('many.csv', decisionsHeader + decisions.map(formatDecisionLine).join(''))
    const { out } = await runRegistryCommand('evaluate', '--decisions', file, '--registry', many)
    expect(out).toMatch(/^recommended: review\.threshold \d\d\. 80 lookups \(100 %\) less to review,$/m)
    expect(out).toMatch(/^recommended: accept \d\d, from 80 settled lookups \(100 %\)\. At least$/m)
    const strict = ['--decisions', file, '--registry', many, '--precision', '0.99', '--json']
    const { accept } = JSON.parse((await runRegistryCommand('evaluate', ...strict)).out) as { accept: object }
    expect(accept).toMatchObject({ precisionMin: 0.99, recommendation: { kind: 'too_few', moreCount: 301 } })
  })

  test.each<[string[], string]>([
    [['evaluate'], 'USAGE_INVALID'],
    [['evaluate', 'queries.csv', '--decisions', 'enrich.decisions.csv'], 'USAGE_INVALID'],
    [['evaluate', '--decisions', 'enrich.decisions.csv', '--id-type', 'lei'], 'USAGE_INVALID'],
    [['evaluate', '--decisions', 'none.csv'], 'DECISIONS_NOT_FOUND'],
  ])('%j fails with %s', async (argv, code) => {
    await expect(runRegistryCommand(...argv)).rejects.toMatchObject({ code })
  })

  test.each(['0.4', '1', 'high', ''])('--precision %j is refused', async (share) => {
    const argv = ['evaluate', '--decisions', 'enrich.decisions.csv', '--precision', share]
    await expect(runRegistryCommand(...argv)).rejects.toThrow('0.5 to 0.999')
  })

  it('a file that is no decisions file is refused with its line', async () => {
    const file = writeContent('other.csv', 'lookup,name\n1,Acme\n')
    await expect(
      runRegistryCommand('evaluate', '--decisions', file, '--registry', path),
    ).rejects.toMatchObject({
      code: 'DECISIONS_INVALID',
    })
  })
})
