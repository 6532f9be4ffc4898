import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { DecisionSync } from '../../../src/pipeline/decisions/decision-sync.js'
import { openReviewStore, type ReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import { openSharedReview } from '../../../src/pipeline/decisions/shared-review.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'
import { candidateOf, decisionOf, lookupOf, service } from './support.js'
import { makeFolder } from '../../support/temporary-folder.js'

const programs = findPostgres()

/** A reviewer with a decisions file of its own. */
interface Reviewer {
  readonly store: ReviewStore
  readonly path: string
  readonly book: DecisionSync
}

describe.skipIf(programs === null)('decisions on PostgreSQL', () => {
  let server: SharedPostgres | null = null
  let count = 0
  let url = ''
  let folder = ''
  const closes: (() => void | Promise<void>)[] = []

  beforeEach(async () => {
    server ??= await sharedPostgres(programs ?? '')
    const database = `review${++count}`
    url = server.createDatabase(database)
    folder = makeFolder()
  })
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close()
  })
  afterAll(() => server?.stop())

  async function reviewer(name: string): Promise<Reviewer> {
    const deps = { clock: systemClock, random: systemRandom }
    const database = await openShared(url, deps)
    closes.push(() => database.close())
    const path = join(folder, `${name}.decisions.csv`)
    const checkpointPath = join(folder, `${name} ${closes.length}.sqlite`)
    const store = openSharedReview({ ...deps, database, checkpointPath, decisionsPath: path })
    closes.push(() => {
      store.close()
    })
    await store.decisions.refresh()
    return { store, path, book: new DecisionSync(store.decisions, path, service) }
  }

  async function decide({ store, book }: Reviewer, name: string, changes: object = {}) {
    const decision = decisionOf(name, changes)
    const stands = store.decisions.listCurrent(service).find(({ lookup }) => lookup === decision.lookup)
    const outcome = await store.decisions.decide(
      [decision],
      new Map([[decision.lookup, stands?.sequence ?? 0]]),
    )
    if (outcome.kind !== 'decided') throw new Error('somebody else decided')
    await book.sync()
    return outcome.decisions[0]!
  }

  const standing = ({ store }: Reviewer) =>
    store.decisions.listCurrent(service).map(({ name, entityId }) => [name, entityId])
  const namesIn = ({ path }: Reviewer) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(1)
      .filter((line) => line !== '')
      .map((line) => /Acme|Beta|Gamma/.exec(line)?.[0])

  test('what one decides comes to the file of the other; what is taken back leaves it', async () => {
    const [ann, ben] = [await reviewer('ann'), await reviewer('ben')]
    const acme = await decide(ann, 'Acme')
    await decide(ann, 'Beta')
    await ben.book.sync()
    expect([namesIn(ann).sort(), namesIn(ben).sort()]).toEqual([
      ['Acme', 'Beta'],
      ['Acme', 'Beta'],
    ])
    await ben.store.decisions.withdraw(service, [acme.sequence])
    await ben.book.sync()
    await ann.book.sync()
    expect([namesIn(ann), namesIn(ben)]).toEqual([['Beta'], ['Beta']])
  })

  test('a line that is removed from one file is removed from all, and does not come back', async () => {
    const [ann, ben] = [await reviewer('ann'), await reviewer('ben')]
    await decide(ann, 'Acme')
    await decide(ann, 'Beta')
    await ben.book.sync()
    const lines = readFileSync(ben.path, 'utf8').split('\n')
    writeFileSync(ben.path, lines.filter((line) => !line.includes('Acme')).join('\n'))
    await ben.book.sync()
    await ann.book.sync()
    expect([standing(ann), standing(ben)].map((found) => found.map(([name]) => name))).toEqual([
      ['Beta'],
      ['Beta'],
    ])
    expect([namesIn(ann), namesIn(ben)]).toEqual([['Beta'], ['Beta']])
  })

  test('a file that never had a decision does not take it back; a stale line of one taken back goes', async () => {
    const ann = await reviewer('ann')
    const acme = await decide(ann, 'Acme')
    const stale = readFileSync(ann.path, 'utf8')
    const ben = await reviewer('ben')
    await ben.book.sync()
    expect([standing(ann), namesIn(ben)]).toEqual([standing(ben), ['Acme']])
    await ann.store.decisions.withdraw(service, [acme.sequence])
    await ann.book.sync()
    const cid = await reviewer('cid')
    writeFileSync(cid.path, stale)
    await cid.book.sync()
    expect([standing(cid), namesIn(cid)]).toEqual([[], []])
  })

  test('does what the store in a file does, whatever is done in whichever order', async () => {
    const own = openReviewStore(join(folder, 'own.sqlite'))
    closes.push(() => {
      own.close()
    })
    const { store: shared } = await reviewer('ann')
    const names = ['Acme', 'Beta', 'Gamma']
    const seen = (store: ReviewStore, name: string) =>
      new Map([
        [
          lookupOf(name),
          store.decisions.listCurrent(service).find((one) => one.name === name)?.sequence ?? 0,
        ],
      ])
    let seed = 7
    const below = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit
    for (let step = 0; step < 60; step++) {
      const name = names[below(3)] ?? ''
      const decision = decisionOf(name, {
        entityId: `siq_${step}`,
        service: below(3) === 0 ? null : service,
        decidedAtMs: step,
      })
      const [kind, sequences] = [below(5), [1 + below(step + 1), 1 + below(step + 1)]]
      for (const store of [own, shared]) {
        if (kind < 2) await store.decisions.decide([decision], seen(store, name))
        else if (kind === 2) await store.decisions.adopt([decision])
        else if (kind === 3) await store.decisions.withdraw(service, [...new Set(sequences)])
        else await store.decisions.forget([sequences[0] ?? 1])
      }
      expect([step, shared.decisions.listCurrent(service)]).toEqual([
        step,
        own.decisions.listCurrent(service),
      ])
      expect([step, shared.decisions.version()]).toEqual([step, own.decisions.version()])
    }
  })

  test('candidates that one process found are those of all', async () => {
    const [ann, ben] = [await reviewer('ann'), await reviewer('ben')]
    const [acme, beta, gamma] = ['Acme', 'Beta', 'Gamma'].map(lookupOf) as [string, string, string]
    const found = new Map([
      [acme, [candidateOf('Acme')]],
      [beta, []],
    ])
    await ann.store.candidates.keep('embedded:1', found, 5)
    expect(ben.store.candidates.read('embedded:1', [acme])).toEqual([null])
    await ben.store.candidates.fetch('embedded:1', [acme, beta, gamma])
    expect(ben.store.candidates.read('embedded:1', [acme, beta, gamma])).toEqual([
      [candidateOf('Acme')],
      [],
      null,
    ])
    const { candidates } = ben.store
    expect(await candidates.has('embedded:1', [acme, gamma])).toEqual([true, false])
    expect(await candidates.findStaleScopes('embedded:', 6)).toEqual(['embedded:1'])
    expect(await candidates.findStaleScopes('embedded:', 5)).toEqual([])
    expect(await candidates.forget('embedded:1', 1)).toBe(1)
    expect(await candidates.forget('embedded:1', 9)).toBe(1)
  })
})
