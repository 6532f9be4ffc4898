import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getReviewStorePath } from '../../../src/pipeline/checkpoint/paths.js'
import {
  openReviewStore,
  openReviewStoreToRead,
  type ReviewStore,
} from '../../../src/pipeline/decisions/review-store.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import { candidateOf, decisionOf, lookupOf, service } from './support.js'
import { makeFolder } from '../../support/temporary-folder.js'

const Database = loadDriver()

let folder: string
let store: ReviewStore
const checkpoint = () => join(folder, 'checkpoint.sqlite')
const seen = (...pairs: (readonly [string, number])[]) =>
  new Map(pairs.map(([name, sequence]) => [lookupOf(name), sequence]))

beforeEach(() => {
  folder = makeFolder()
  store = openReviewStore(checkpoint())
})
afterEach(() => {
  store.close()
})

async function decided(name: string, changes: Parameters<typeof decisionOf>[1] = {}) {
  const decision = decisionOf(name, changes)
  const stands = store.decisions.listCurrent(service).find(({ lookup }) => lookup === decision.lookup)
  const outcome = await store.decisions.decide([decision], seen([name, stands?.sequence ?? 0]))
  if (outcome.kind !== 'decided') throw new Error('somebody else decided')
  return outcome.decisions[0]!
}

test('the newest decisions come first, and as many as are asked for', async () => {
  for (const name of ['A1', 'B2', 'C3']) await decided(name)
  expect(store.decisions.listNewest(service, 2).map(({ name }) => name)).toEqual(['C3', 'B2'])
})

test('the version grows by one with every change of decisions, by whichever process', async () => {
  const other = openReviewStore(checkpoint())
  const before = store.decisions.version()
  await other.decisions.decide([decisionOf('Acme')], seen(['Acme', 0]))
  await store.candidates.keep('scope', new Map([[lookupOf('Acme'), []]]), 1)
  expect([store.decisions.version(), other.decisions.version()]).toEqual([before + 1, before + 1])
  other.close()
})

describe('candidates', () => {
  test('come back as they were kept, and those not looked for are told from those not found', async () => {
    const five = ['A', 'B', 'C', 'D', 'E'].map(candidateOf)
    const found = new Map([
      [lookupOf('Acme'), five],
      [lookupOf('Beta'), []],
    ])
    await store.candidates.keep('scope', found, 1)
    expect(store.candidates.read('scope', ['Acme', 'Beta', 'Ceta'].map(lookupOf))).toEqual([five, [], null])
    expect(store.candidates.read('another', [lookupOf('Acme')])).toEqual([null])
  })

  test('found again replace the old ones', async () => {
    await store.candidates.keep('scope', new Map([[lookupOf('Acme'), [candidateOf('A')]]]), 1)
    await store.candidates.keep('scope', new Map([[lookupOf('Acme'), [candidateOf('B')]]]), 2)
    expect(store.candidates.read('scope', [lookupOf('Acme')])).toEqual([[candidateOf('B')]])
  })
})

describe('what stands where the store should', () => {
  test('is kept from other users of the machine', () => {
    expect(statSync(getReviewStorePath(checkpoint())).mode & 0o077).toBe(0)
  })

  test('nothing: nothing was decided', () => {
    expect(openReviewStoreToRead(join(folder, 'another.sqlite'))).toBeNull()
  })

  test.each([
    [
      'a text',
      (path: string) => {
        writeFileSync(path, 'no database at all, but long enough to be looked at as one')
      },
    ],
    [
      'the database of another program',
      (path: string) => {
        const database = new Database(path)
        database.exec('CREATE TABLE theirs (id INTEGER)')
        database.close()
      },
    ],
    [
      'one of a newer version',
      (path: string) => {
        openReviewStore(path.replace('.review.sqlite', '.sqlite')).close()
        const database = new Database(path)
        database.pragma('user_version = 99')
        database.close()
      },
    ],
  ])('%s: it is refused, by those who read too, and not touched', (_, make) => {
    const other = join(folder, 'other.sqlite')
    make(getReviewStorePath(other))
    const refused = expect.objectContaining({ code: 'REVIEW_STORE_INVALID', hint: expect.any(String) })
    expect(() => openReviewStore(other)).toThrow(refused)
    expect(() => openReviewStoreToRead(other)).toThrow(refused)
  })
})
