import { afterEach, beforeEach, expect, test } from 'vitest'
import { OutputRecorder, getRecordedForm } from '../../../src/pipeline/history/output-recorder.js'
import { openHistory } from '../../../src/pipeline/history/read-history.js'
import { HistoryWriter } from '../../../src/pipeline/history/run-history.js'
import { RowIndex } from '../../../src/pipeline/input/row-index.js'
import { renderUnanswered } from '../../../src/pipeline/answers/answer-line.js'
import { checkpointFolder, startMs } from '../checkpoint/support.js'
import { addressOf, recordOf, series, listEntries } from './support.js'

let at: ReturnType<typeof checkpointFolder>
beforeEach(() => {
  at = checkpointFolder()
})
afterEach(() => {
  at.remove()
})

/** One output: of each row its key and its lookup, all with the same answer. */
async function publish(
  store: HistoryWriter,
  rows: readonly (readonly [key: string, lookup: number])[],
): Promise<number> {
  const index = new RowIndex()
  for (const [, lookup] of rows) index.add(lookup)
  const recorder = new OutputRecorder({
    index,
    identitiesOf: (ids) =>
      ids.map((id) => ({ key: addressOf(`lookup ${id}`), name: `Company ${id}`, location: null })),
    store,
    last: await store.readLast(series, getRecordedForm(80)),
    rowKeys: { read: (first, count) => rows.slice(first, first + count).map(([key]) => key) },
  })
  const line = Buffer.from(renderUnanswered({ status: 'pending' }))
  for (const [, lookup] of rows) recorder.onLine(lookup, { line, mark: null, needsReview: false })
  const output = await recorder.finish()
  const run = await store.begin({ series, startedAtMs: startMs, record: recordOf() })
  await store.storeOutput({ number: run, series }, output.rows, getRecordedForm(80), output.marks)
  await store.publish(run, null, recordOf())
  return run
}

async function published(run: number): Promise<{
  numbers: number[]
  rows: (readonly [string | null, string | null, string])[]
}> {
  const history = await openHistory(at.path())
  try {
    const output = (await history?.published(run)) ?? null
    const numbers = [...(output?.rows ?? [])]
    const entries = await listEntries(output, numbers)
    return {
      numbers,
      rows: entries.map(([, { rowKey, name, address }]) => [
        rowKey,
        name,
        Buffer.from(address).toString('hex'),
      ]),
    }
  } finally {
    await history?.close()
  }
}

const firstRows = [
  ['a', 1],
  ['b', 1],
  ['c', 2],
] as const
const movedRows = [
  ['c', 2],
  ['a', 2],
  ['b', 1],
] as const

test('rows with keys of their own are known by them, whatever they ask and wherever they stand', async () => {
  const store = new HistoryWriter(at.open().store.history)
  const first = await published(await publish(store, firstRows))
  expect(first.rows.map(([key, name]) => [key, name])).toEqual([
    ['a', 'Company 1'],
    ['b', 'Company 1'],
    ['c', 'Company 2'],
  ])
  const again = await published(await publish(store, firstRows))
  expect(again.numbers).toEqual(first.numbers)

  const moved = await published(await publish(store, movedRows))
  expect([moved.numbers[0], moved.numbers[2]]).toEqual([first.numbers[2], first.numbers[1]])
  expect(moved.numbers[1]).not.toBe(first.numbers[0])
  expect(moved.rows[1]).toEqual(['a', 'Company 2', first.rows[0]?.[2]])

  expect(await store.prune(series, 2)).toMatchObject({ outputCount: 1 })
  const last = await published(await publish(store, movedRows))
  expect(last.numbers).toEqual(moved.numbers)
})
