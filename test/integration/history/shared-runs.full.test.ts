import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findPostgres } from '../../support/postgres-server.js'
import { startMs } from '../checkpoint/support.js'
import { sharedHistory, type SharedHistoryPlace } from './places.js'
import { entryOf, form, listEntries, marksOf, recordOf, series } from './support.js'

const programs = findPostgres()

describe.skipIf(programs === null)('runs of several processes at the same time', () => {
  let at: SharedHistoryPlace
  beforeAll(() => {
    at = sharedHistory(programs ?? '')
  })
  beforeEach(() => {
    at.clear()
  })
  afterAll(() => at.remove())

  type Joined = Awaited<ReturnType<SharedHistoryPlace['join']>>

  async function stored({ store }: Joined, names: readonly string[]) {
    const run = await store.begin({ series, startedAtMs: startMs, record: recordOf() })
    const rows = Uint32Array.from(await store.addEntries(names.map((name) => entryOf(name))))
    return {
      run,
      rows,
      store: () => store.storeOutput({ number: run, series }, rows, form, marksOf([1], [rows[0] ?? 0])),
    }
  }

  async function published(joined: Joined, names: readonly string[]): Promise<number> {
    const { run, store } = await stored(joined, names)
    await store()
    await joined.store.publish(run, await joined.store.baseline(run, series), recordOf())
    await joined.store.end(run, startMs + 1, 0, recordOf())
    return run
  }

  const rowsOf = (run: number) =>
    at.reading(async (history) =>
      (await listEntries(await history.published(run))).map(([, { name }]) => name),
    )

  test('have numbers of their own, share equal entries, and each keeps its rows', async () => {
    const joined = await Promise.all(Array.from({ length: 4 }, () => at.join()))
    const names = Array.from({ length: 300 }, (_, index) => `C${index}`)
    const runs = await Promise.all(joined.map((one, index) => published(one, [...names, `own ${index}`])))
    expect(new Set(runs).size).toBe(4)
    expect(await rowsOf(runs[2] ?? 0)).toEqual([...names, 'own 2'])
    expect(await at.asked('SELECT count(*) FROM enrich.history_entries')).toEqual([{ count: 304 }])
    expect(await at.asked('SELECT count(*) FROM enrich.history_states')).toEqual([{ count: 304 }])
  })

  test('a run whose beginning was unconfirmed, and is begun again, is one run', async () => {
    const { store } = await at.join()
    const begun = { series, startedAtMs: startMs, record: recordOf() }
    expect(await store.begin(begun)).toBe(await store.begin(begun))
  })

  test('one is compared with the last that has ended, and not with one that still runs', async () => {
    const first = await published(await at.join(), ['A'])
    const beside = await at.join()
    const open = await stored(beside, ['B'])
    await open.store()
    await beside.store.publish(open.run, first, recordOf())
    const { store } = await at.join()
    const last = await store.begin({ series, startedAtMs: startMs, record: recordOf() })
    expect(await store.baseline(last, series)).toBe(first)
    await beside.store.end(open.run, startMs, 0, recordOf())
    expect(await store.baseline(last, series)).toBe(open.run)
  })

  test('a run whose process is gone did not end, and one that lives goes on', async () => {
    const [dead, alive] = [await at.join(), await at.join()]
    const killed = await dead.store.begin({ series, startedAtMs: startMs, record: recordOf() })
    await alive.store.begin({ series, startedAtMs: startMs, record: recordOf() })
    await at.asked('UPDATE enrich.workers SET is_fenced = true WHERE worker_id = $1', [dead.worker.id])
    const runs = await at.reading((history) => history.runs())
    expect(runs.map(({ number, isGoingOn }) => [number === killed, isGoingOn])).toEqual([
      [false, true],
      [true, false],
    ])
  })

  test('who was taken to be gone stores no output: others may have forgotten its entries', async () => {
    const joined = await at.join()
    const { store } = await stored(joined, ['A'])
    await at.asked('UPDATE enrich.workers SET is_fenced = true WHERE worker_id = $1', [joined.worker.id])
    await expect(store()).rejects.toMatchObject({ code: 'CHECKPOINT_LEASE_LOST' })
  })

  test('while another run is at work, no entry is forgotten that it may be about to refer to', async () => {
    const busy = await at.join()
    const open = await stored(busy, ['C0', 'only there'])
    let last: Joined | null = null
    for (let index = 0; index < 4; index++) {
      last = await at.join()
      await published(last, [`C${index}`])
    }
    expect(await last?.store.prune(series, 2)).toEqual({ outputCount: 2, entryCount: 0, stateCount: 0 })
    await open.store()
    expect(await rowsOf(open.run)).toEqual(['C0', 'only there'])
    await busy.store.end(open.run, startMs, 0, recordOf())
    const next = await at.join()
    await published(next, ['C9'])
    expect(await next.store.prune(series, 2)).toMatchObject({ outputCount: 2, entryCount: 4 })
  })

  test('what PostgreSQL keeps in no text is kept so that it is proven all the same', async () => {
    const joined = await at.join()
    const run = await published(joined, ['a\0b', 'half \ud800'])
    expect(await rowsOf(run)).toEqual(['a b', 'half \ufffd'])
  })
})
