import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findPostgres } from '../../support/postgres-server.js'
import { areFilesTested } from '../../support/skipped.js'
import { startMs } from '../checkpoint/support.js'
import { fileHistory, sharedHistory, type HistoryPlace } from './places.js'
import { addressOf, entryOf, form, listEntries, marksOf, recordOf, series } from './support.js'

const programs = findPostgres()
const places: readonly (readonly [string, () => HistoryPlace])[] = [
  ...(areFilesTested ? [['in a file', fileHistory] as const] : []),
  ...(programs === null ? [] : [['on PostgreSQL', () => sharedHistory(programs)] as const]),
]

describe.each(places)('%s', (_, openPlace) => {
  let at: HistoryPlace
  beforeAll(() => {
    at = openPlace()
  })
  beforeEach(() => {
    at.clear()
  })
  afterAll(() => at.remove())

  async function publishRun(entries: readonly number[], ofSeries = series): Promise<number> {
    const store = await at.store()
    const run = await store.begin({ series: ofSeries, startedAtMs: startMs, record: recordOf() })
    await store.storeOutput(
      { number: run, series: ofSeries },
      Uint32Array.from(entries),
      form,
      marksOf([1, 2].slice(0, entries.length), entries.slice(0, 2)),
    )
    await store.publish(run, null, recordOf())
    await store.end(run, startMs + 1, 0, recordOf())
    return run
  }

  const outputsOf = async (runs: readonly number[]) => {
    const outputs = []
    for (const run of runs) outputs.push(await rowsOf(run))
    return outputs
  }

  const rowsOf = (run: number): Promise<number[] | null> =>
    at.reading(async (history) => {
      const output = await history.published(run)
      return output === null ? null : [...output.rows]
    })

  describe('what is remembered of runs', () => {
    test('a run is listed from its beginning, and says when and how it ended', async () => {
      const store = await at.store()
      const first = await store.begin({ series, startedAtMs: startMs, record: recordOf() })
      const other = await at.store()
      const second = await other.begin({ series, startedAtMs: startMs + 5, record: recordOf() })
      await other.end(second, startMs + 9, 3, recordOf({ error: { code: 'DISK_FULL', message: 'no' } }))
      expect(await at.reading((history) => history.runs())).toMatchObject([
        { number: second, endedAtMs: startMs + 9, exitCode: 3, record: { error: { code: 'DISK_FULL' } } },
        { number: first, endedAtMs: null, exitCode: null, isPublished: false, baseline: null },
      ])
    })

    test('an output comes back row by row, with what was asked and what became of it', async () => {
      const store = await at.store()
      const numbers = await store.addEntries([entryOf('A'), entryOf('B', { rowKey: '7', name: null })])
      const run = await publishRun([numbers[1] ?? 0, numbers[0] ?? 0, numbers[1] ?? 0])
      await at.reading(async (history) => {
        const output = await history.published(run)
        expect([...(output?.rows ?? [])]).toEqual([numbers[1], numbers[0], numbers[1]])
        expect(await listEntries(output, [numbers[1] ?? 0, numbers[0] ?? 0])).toEqual([
          [numbers[1], { address: addressOf('B'), rowKey: '7', name: null, state: entryOf('B').state }],
          [numbers[0], { address: addressOf('A'), rowKey: null, name: 'A', state: entryOf('A').state }],
        ])
        expect(await history.published(run + 1)).toBeNull()
      })
    })

    test('rows that are alike share one entry, over runs too', async () => {
      const store = await at.store()
      const [first, again, other] = await store.addEntries([
        entryOf('A'),
        entryOf('A'),
        entryOf('A', { state: '{}' }),
      ])
      expect(again).toBe(first)
      expect(other).not.toBe(first)
      expect(await store.addEntries([entryOf('A')])).toEqual([first])
    })

    test('states of a company whose values are alike are one, with the sources that were seen first', async () => {
      const store = await at.store()
      const stateOf = (value: string, line: number) =>
        `{"v":1,"entity_id":"siq_1","legal_name":"${value}"}\n{"line ${line}":["legal_name"]}`
      const [first, again, other] = await store.addEntries([
        entryOf('A', { state: stateOf('A', 1) }),
        entryOf('A', { state: stateOf('A', 2) }),
        entryOf('A', { state: stateOf('B', 2) }),
      ])
      expect(again).toBe(first)
      expect(other).not.toBe(first)
      const run = await publishRun([again ?? 0])
      const entries = await at.reading(async (history) =>
        listEntries(await history.published(run), [again ?? 0]),
      )
      expect(entries.map(([, { state }]) => state)).toEqual([stateOf('A', 1)])
    })

    test.each([
      ['the reason of a row without a company', '"status":"no_match"', 'no registration has this name'],
      [
        'the verdict of a reviewer',
        '"status":"matched","entity_id":"siq_1"',
        'decided by anna on 2026-01-02',
      ],
    ])('%s stays with its row', async (_, values, source) => {
      const store = await at.store()
      const stateOf = (more: string) => `{"v":1,${values}}\n{"${source}${more}":["status"]}`
      const numbers = await store.addEntries(
        ['', ': seen', ''].map((more) => entryOf('A', { state: stateOf(more) })),
      )
      expect(new Set(numbers).size).toBe(2)
      const run = await publishRun(numbers.slice(0, 2))
      const entries = await at.reading(async (history) =>
        listEntries(await history.published(run), numbers.slice(0, 2)),
      )
      expect(entries.map(([, { state }]) => state)).toEqual([stateOf(''), stateOf(': seen')])
    })

    test('what the next run of a series starts from are the rows and the marks of the last output', async () => {
      const store = await at.store()
      expect(await store.readLast(series, form)).toBeNull()
      const numbers = await store.addEntries([entryOf('A'), entryOf('B')])
      await publishRun(numbers)
      expect(await store.readLast(series, form)).toEqual({
        rows: Uint32Array.from(numbers),
        marks: marksOf([1, 2], [1, 2]),
      })
      expect(await store.readLast(series, 'another form')).toMatchObject({ marks: null })
      expect(await store.readLast('other.csv', form)).toBeNull()
    })

    test('an output that is as it was is kept once, and one of which little changed as what changed', async () => {
      const store = await at.store()
      const many = await store.addEntries(Array.from({ length: 2_000 }, (_, index) => entryOf(`C${index}`)))
      const shuffled = many.map(
        (_, index) => many[addressOf(String(index)).readUInt32LE() % many.length] ?? 0,
      )
      const changed = shuffled.map((entry, index) => (index === 500 ? 1 : entry))
      const runs = [await publishRun(shuffled), await publishRun(shuffled)]
      runs.push(await publishRun(changed), await publishRun([...many].reverse()))
      expect(await outputsOf(runs)).toEqual([shuffled, shuffled, changed, [...many].reverse()])
      const sizes = await at.outputSizes()
      expect(sizes).toHaveLength(3)
      expect(Number(sizes[1])).toBeLessThan(Number(sizes[0]) / 20)
    })
  })

  test('The newest outputs of a series are kept, and older runs stay listed', async () => {
    const store = await at.store()
    const numbers = await store.addEntries(Array.from({ length: 6 }, (_, index) => entryOf(`C${index}`)))
    const runs: number[] = []
    for (const number of numbers) runs.push(await publishRun([number, ...numbers.slice(4)]))
    const other = await publishRun(numbers.slice(0, 1), 'other.csv')
    expect(await store.prune(series, 2)).toEqual({ outputCount: 4, entryCount: 3, stateCount: 3 })
    expect(await outputsOf(runs)).toEqual([
      ...new Array<null>(4).fill(null),
      [numbers[4], numbers[4], numbers[5]],
      [numbers[5], numbers[4], numbers[5]],
    ])
    expect(await rowsOf(other)).toEqual(numbers.slice(0, 1))
    expect(await at.reading((history) => history.runs())).toHaveLength(7)
    expect(await store.addEntries([entryOf('C5')])).toEqual([numbers[5]])
  })
})
