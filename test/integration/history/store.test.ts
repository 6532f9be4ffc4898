import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHistory } from '../../../src/pipeline/history/reader.js'
import { HistoryStore } from '../../../src/pipeline/history/store.js'
import type { HistoryReader } from '../../../src/pipeline/history/history.js'
import { checkpointFolder, startMs } from '../checkpoint/support.js'
import { addressOf, entryOf, form, marksOf, recordOf, series } from './support.js'

let at: ReturnType<typeof checkpointFolder>
beforeEach(() => {
  at = checkpointFolder()
})
afterEach(() => {
  at.remove()
})

const storeOf = (): HistoryStore => new HistoryStore(at.open())

async function publishRun(
  store: HistoryStore,
  entries: readonly number[],
  ofSeries = series,
): Promise<number> {
  const run = await store.begin({ series: ofSeries, startedAtMs: startMs, record: recordOf() })
  await store.storeOutput(
    run,
    Uint32Array.from(entries),
    form,
    marksOf([1, 2].slice(0, entries.length), entries.slice(0, 2)),
  )
  await store.publish(run, null, recordOf())
  await store.end(run, startMs + 1, 0, recordOf())
  return run
}

function reading<Result>(action: (history: HistoryReader) => Result): Result {
  const history = openHistory(at.path())
  if (history === null) throw new Error('there is no checkpoint')
  try {
    return action(history)
  } finally {
    history.close()
  }
}

const rowsOf = (run: number): number[] | null =>
  reading((history) => {
    const output = history.published(run)
    return output === null ? null : [...output.rows]
  })

describe('what is remembered of runs', () => {
  test('a run is listed from its beginning, and says when and how it ended', async () => {
    const store = storeOf()
    const first = await store.begin({ series, startedAtMs: startMs, record: recordOf() })
    const second = await store.begin({ series, startedAtMs: startMs + 5, record: recordOf() })
    await store.end(second, startMs + 9, 3, recordOf({ error: { code: 'DISK_FULL', message: 'no' } }))
    expect(reading((history) => history.runs())).toMatchObject([
      { number: second, endedAtMs: startMs + 9, exitCode: 3, record: { error: { code: 'DISK_FULL' } } },
      { number: first, endedAtMs: null, exitCode: null, isPublished: false, baseline: null },
    ])
  })

  test('an output comes back row by row, with what was asked and what became of it', async () => {
    const store = storeOf()
    const numbers = await store.addEntries([entryOf('A'), entryOf('B', { rowKey: '7', name: null })])
    const run = await publishRun(store, [numbers[1] ?? 0, numbers[0] ?? 0, numbers[1] ?? 0])
    reading((history) => {
      const output = history.published(run)
      expect([...(output?.rows ?? [])]).toEqual([numbers[1], numbers[0], numbers[1]])
      expect([...(output?.entries([numbers[1] ?? 0, numbers[0] ?? 0]) ?? [])]).toEqual([
        [numbers[1], { address: addressOf('B'), rowKey: '7', name: null, state: entryOf('B').state }],
        [numbers[0], { address: addressOf('A'), rowKey: null, name: 'A', state: entryOf('A').state }],
      ])
      expect(history.published(run + 1)).toBeNull()
    })
  })

  test('rows that are alike share one entry, over runs too', async () => {
    const store = storeOf()
    const [first, again, other] = await store.addEntries([
      entryOf('A'),
      entryOf('A'),
      entryOf('A', { state: '{}' }),
    ])
    expect(again).toBe(first)
    expect(other).not.toBe(first)
    expect(await store.addEntries([entryOf('A')])).toEqual([first])
  })

  test('states whose values are alike are one, with the sources that were seen first', async () => {
    const store = storeOf()
    const stateOf = (value: string, line: number) =>
      `{"v":1,"legal_name":"${value}"}\n{"line ${line}":["legal_name"]}`
    const [first, again, other] = await store.addEntries([
      entryOf('A', { state: stateOf('A', 1) }),
      entryOf('A', { state: stateOf('A', 2) }),
      entryOf('A', { state: stateOf('B', 2) }),
    ])
    expect(again).toBe(first)
    expect(other).not.toBe(first)
    const run = await publishRun(store, [again ?? 0])
    const states = reading((history) =>
      [...(history.published(run)?.entries([again ?? 0]) ?? [])].map(([, { state }]) => state),
    )
    expect(states).toEqual([stateOf('A', 1)])
  })

  test('what the next run of a series starts from are the rows and the marks of the last output', async () => {
    const store = storeOf()
    expect(await store.last(series, form)).toBeNull()
    const numbers = await store.addEntries([entryOf('A'), entryOf('B')])
    await publishRun(store, numbers)
    expect(await store.last(series, form)).toEqual({
      rows: Uint32Array.from(numbers),
      marks: marksOf([1, 2], [1, 2]),
    })
    expect(await store.last(series, 'another form')).toMatchObject({ marks: null })
    expect(await store.last('other.csv', form)).toBeNull()
  })

  test('an output that is as it was is kept once, and one of which little changed as what changed', async () => {
    const store = storeOf()
    const many = await store.addEntries(Array.from({ length: 2_000 }, (_, index) => entryOf(`C${index}`)))
    const shuffled = many.map((_, index) => many[addressOf(String(index)).readUInt32LE() % many.length] ?? 0)
    const changed = shuffled.map((entry, index) => (index === 500 ? 1 : entry))
    const runs = [await publishRun(store, shuffled), await publishRun(store, shuffled)]
    runs.push(await publishRun(store, changed), await publishRun(store, [...many].reverse()))
    expect(runs.map(rowsOf)).toEqual([shuffled, shuffled, changed, [...many].reverse()])
    at.close()
    const sizes = await at
      .open()
      .remember((database) =>
        database.prepare('SELECT length(packed) FROM history_outputs ORDER BY output_id').pluck().all(),
      )
    expect(sizes).toHaveLength(3)
    expect(Number(sizes[1])).toBeLessThan(Number(sizes[0]) / 20)
  })
})

describe('older runs thin out', () => {
  test('the newest outputs of a series stay, with what they stand on; older runs stay listed', async () => {
    const store = storeOf()
    const numbers = await store.addEntries(Array.from({ length: 6 }, (_, index) => entryOf(`C${index}`)))
    const runs: number[] = []
    for (const number of numbers) runs.push(await publishRun(store, [number, ...numbers.slice(4)]))
    const other = await publishRun(store, numbers.slice(0, 1), 'other.csv')
    expect(await store.thin(series, 2)).toEqual({ outputCount: 4, entryCount: 3, stateCount: 3 })
    expect(runs.map(rowsOf)).toEqual([
      ...new Array<null>(4).fill(null),
      [numbers[4], numbers[4], numbers[5]],
      [numbers[5], numbers[4], numbers[5]],
    ])
    expect(rowsOf(other)).toEqual(numbers.slice(0, 1))
    expect(reading((history) => history.runs())).toHaveLength(7)
    expect(await store.addEntries([entryOf('C5')])).toEqual([numbers[5]])
  })
})
