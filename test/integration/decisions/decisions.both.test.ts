import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { openReviewStore, type ReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import { openSharedReview } from '../../../src/pipeline/decisions/shared-review.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'
import { areFilesTested } from '../../support/skipped.js'
import { decisionOf, lookupOf, service } from './support.js'

/** Decisions of one checkpoint; `open` is a new process with its own decisions file. */
interface ReviewPlace {
  open(): Promise<ReviewStore>
  /** The next decisions are those of another checkpoint. */
  clear(): Promise<void>
  remove(): Promise<void> | void
}

function inFile(): ReviewPlace {
  let folder = ''
  const opened: ReviewStore[] = []
  return {
    open: () => {
      const store = openReviewStore(join(folder, 'checkpoint.sqlite'))
      opened.push(store)
      return Promise.resolve(store)
    },
    clear: () => {
      for (const store of opened.splice(0)) store.close()
      rmSync(folder, { recursive: true, force: true })
      folder = mkdtempSync(join(tmpdir(), 'enrich-review-'))
      return Promise.resolve()
    },
    remove: () => {
      for (const store of opened.splice(0)) store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function onServer(programs: string): ReviewPlace {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-shared-review-'))
  let server: SharedPostgres | null = null
  let [url, count] = ['', 0]
  const closes: (() => void | Promise<void>)[] = []
  const closeAll = async () => {
    for (const close of closes.splice(0).reverse()) await close()
  }
  return {
    open: async () => {
      const deps = { clock: systemClock, random: systemRandom }
      const database = await openShared(url, deps)
      closes.push(() => database.close())
      const name = join(folder, `${++count}`)
      const paths = { checkpointPath: `${name}.sqlite`, decisionsPath: `${name}.decisions.csv` }
      const store = openSharedReview({ ...deps, database, ...paths })
      closes.push(() => {
        store.close()
      })
      await store.decisions.refresh()
      return store
    },
    clear: async () => {
      await closeAll()
      server ??= await sharedPostgres(programs)
      url = server.createDatabase(`rules${++count}`)
    },
    remove: async () => {
      await closeAll()
      await server?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const programs = findPostgres()
const places: readonly (readonly [string, () => ReviewPlace])[] = [
  ...(areFilesTested ? [['in a file', inFile] as const] : []),
  ...(programs === null ? [] : [['on PostgreSQL', () => onServer(programs)] as const]),
]

const seen = (...pairs: (readonly [string, number])[]) =>
  new Map(pairs.map(([name, sequence]) => [lookupOf(name), sequence]))

describe.each(places)('%s', (_, openPlace) => {
  const at = openPlace()
  let store: ReviewStore
  const standing = (of = service) =>
    store.decisions.listCurrent(of).map(({ name, entityId }) => [name, entityId])

  beforeEach(async () => {
    await at.clear()
    store = await at.open()
  })
  afterAll(() => at.remove())

  async function decided(name: string, changes: Parameters<typeof decisionOf>[1] = {}) {
    const decision = decisionOf(name, changes)
    const stands = store.decisions.listCurrent(service).find(({ lookup }) => lookup === decision.lookup)
    const outcome = await store.decisions.decide([decision], seen([name, stands?.sequence ?? 0]))
    if (outcome.kind !== 'decided') throw new Error('somebody else decided')
    return outcome.decisions[0]!
  }

  describe('a decision', () => {
    test('is read unchanged by the next process', async () => {
      const decision = decisionOf('Acme', { note: 'the "one" in\nLondon', location: null })
      await store.decisions.decide([decision], seen(['Acme', 0]))
      const reader = await at.open()
      expect(reader.decisions.listCurrent(service)).toEqual([{ ...decision, sequence: 1, isInFile: false }])
    })

    test('of another service is none; of whichever service is one of each', async () => {
      await decided('Acme')
      await store.decisions.decide([decisionOf('Beta', { service: null })], seen(['Beta', 0]))
      expect(standing().map(([name]) => name)).toEqual(['Acme', 'Beta'])
      expect(standing('embedded').map(([name]) => name)).toEqual(['Beta'])
    })

    test('on a row that another reviewer decided in the meantime is refused, with its whole group', async () => {
      const first = await decided('Acme')
      const other = await at.open()
      const outcome = await other.decisions.decide(
        [decisionOf('Beta'), decisionOf('Acme', { entityId: 'siq_other' })],
        seen(['Acme', 0], ['Beta', 0]),
      )
      expect(outcome).toEqual({ kind: 'conflict', others: [first] })
      expect(standing()).toEqual([['Acme', first.entityId]])
    })

    test('made on one that was withdrawn in the meantime is refused', async () => {
      const first = await decided('Acme')
      await store.decisions.withdraw(service, [first.sequence])
      const outcome = await store.decisions.decide([decisionOf('Acme')], seen(['Acme', first.sequence]))
      expect(outcome).toEqual({ kind: 'conflict', others: [] })
      expect(standing()).toEqual([])
    })

    test('of two reviewers who decide one lookup at once is one', async () => {
      const other = await at.open()
      const outcomes = await Promise.all([
        store.decisions.decide([decisionOf('Acme', { entityId: 'siq_1' })], seen(['Acme', 0])),
        other.decisions.decide([decisionOf('Acme', { entityId: 'siq_2' })], seen(['Acme', 0])),
      ])
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['conflict', 'decided'])
      await store.decisions.refresh()
      expect(standing()).toHaveLength(1)
    })
  })

  describe('a decision that is taken back', () => {
    test('leaves what stood before it, through any number of changes', async () => {
      const first = await decided('Acme', { entityId: 'siq_1' })
      const second = await decided('Acme', { entityId: 'siq_2' })
      const third = await decided('Acme', { entityId: 'siq_3' })
      expect(standing()).toEqual([['Acme', 'siq_3']])
      await store.decisions.withdraw(service, [second.sequence])
      expect(standing()).toEqual([['Acme', 'siq_3']])
      expect(
        (await store.decisions.withdraw(service, [third.sequence])).map(({ entityId }) => entityId),
      ).toEqual(['siq_3'])
      expect(standing()).toEqual([['Acme', 'siq_1']])
      await store.decisions.withdraw(service, [first.sequence])
      expect(standing()).toEqual([])
    })

    test('is taken back once, and by its own service alone', async () => {
      const { sequence } = await decided('Acme')
      expect(await store.decisions.withdraw('embedded', [sequence])).toEqual([])
      expect(await store.decisions.withdraw(service, [sequence])).toHaveLength(1)
      expect(await store.decisions.withdraw(service, [sequence])).toEqual([])
    })

    test('leaves the file while it is still in it', async () => {
      const first = await decided('Acme', { entityId: 'siq_1' })
      await store.decisions.mark([first.sequence], true)
      const second = await decided('Acme', { entityId: 'siq_2' })
      expect(store.decisions.listOutdated(service).map(({ sequence }) => sequence)).toEqual([first.sequence])
      await store.decisions.mark([second.sequence], true)
      await store.decisions.mark([first.sequence], false)
      expect(store.decisions.listOutdated(service)).toEqual([])
      await store.decisions.withdraw(service, [second.sequence])
      expect(store.decisions.listOutdated(service).map(({ sequence }) => sequence)).toEqual([second.sequence])
      expect(store.decisions.listCurrent(service)).toMatchObject([{ entityId: 'siq_1', isInFile: false }])
    })

    test('by a removal of its line from the file leaves no earlier decision', async () => {
      await decided('Acme', { entityId: 'siq_1' })
      const second = await decided('Acme', { entityId: 'siq_2' })
      await store.decisions.forget([second.sequence])
      expect(standing()).toEqual([])
    })
  })
})
