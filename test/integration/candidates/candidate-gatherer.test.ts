import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Lookup } from '../../../src/core/lookup-identity.js'
import { peekAtCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import {
  CandidateGatherer,
  type CandidateGathererDeps,
  findDoubtful,
} from '../../../src/pipeline/decisions/gather-candidates.js'
import { getReviewStorePath } from '../../../src/pipeline/checkpoint/paths.js'
import {
  openReviewStore,
  openReviewStoreToRead,
  type ReviewStore,
} from '../../../src/pipeline/decisions/review-store.js'
import { systemClock } from '../../../src/platform/clock.js'
import { manualClock } from '../../support/manual-clock.js'
import { checkpointFolder, keyOf, scope } from '../checkpoint/support.js'
import { candidateOf, decisionOf } from '../decisions/support.js'
import { answeredIn, type Answer } from './support.js'

let folder: ReturnType<typeof checkpointFolder>
let stores: ReviewStore[]

beforeEach(() => {
  folder = checkpointFolder()
  stores = []
})
afterEach(() => {
  for (const store of stores) store.close()
  folder.remove()
})

const nobody = new Uint32Array()
const hexOf = (name: string) => Buffer.from(keyOf(name)).toString('hex')

const answered = (...answers: Answer[]) => answeredIn(folder, ...answers)

interface Gathering {
  readonly gatherer: CandidateGatherer
  /** Names that were asked for, in order. */
  readonly asked: string[]
  readonly missing: string[]
  readonly stop: AbortController
}

function gathererOf(change: Partial<CandidateGathererDeps> = {}): Gathering {
  const asked: string[] = []
  const missing: string[] = []
  const stop = new AbortController()
  const gatherer = new CandidateGatherer({
    source: {
      findCandidates: ({ name }: Lookup) => {
        asked.push(name)
        return Promise.resolve(name.startsWith('Unheard') ? [] : [candidateOf(name)])
      },
    },
    scope,
    editionScopes: 'embedded:',
    threshold: 80,
    openStore: () => {
      const store = openReviewStore(folder.path())
      stores.push(store)
      return store.candidates
    },
    openReader: () => peekAtCheckpoint(folder.path(), scope),
    clock: systemClock,
    stopSignal: stop.signal,
    onMissing: (text) => missing.push(text),
    ...change,
  })
  return { gatherer, asked, missing, stop }
}

/** Gathers what these lookups were answered with, to the end. */
async function gatherAll(gathering: Gathering, known: Uint32Array): Promise<void> {
  gathering.gatherer.complete()
  await gathering.gatherer.run(known)
}

function keptOf(...names: string[]) {
  const reader = openReviewStoreToRead(folder.path())
  try {
    return reader?.candidates.read(scope, names.map(hexOf)) ?? null
  } finally {
    reader?.close()
  }
}

describe('what is gathered', () => {
  test('are the candidates of doubtful answers as they come, and of no others', async () => {
    const { ids, outcomes } = await answered(
      ['Acme', 'matched', 95],
      ['Beta', 'partial_match', 61],
      ['Gamma', 'inconclusive', 99],
      ['Unheard Of', 'no_match', 0],
    )
    const gathering = gathererOf()
    const gathered = gathering.gatherer.run(nobody)
    for (const [at, outcome] of outcomes.entries()) gathering.gatherer.onAnswer(ids[at] ?? 0, outcome)
    gathering.gatherer.complete()
    await gathered
    expect(gathering.asked).toEqual(['Beta', 'Gamma', 'Unheard Of'])
    expect(keptOf('Acme', 'Beta', 'Gamma', 'Unheard Of')).toEqual([
      null,
      [candidateOf('Beta')],
      [candidateOf('Gamma')],
      [],
    ])
    expect(gathering.missing).toEqual([])
  })

  test('is made up for where a run before was killed, and is not looked for again', async () => {
    const { all } = await answered(
      ['Acme', 'matched', 95],
      ['Beta', 'partial_match', 61],
      ['Unheard Of', 'no_match', 0],
      ['Delta', 'inconclusive', 40],
    )
    const first = gathererOf()
    await gatherAll(first, all.subarray(0, 3))
    expect(first.asked).toEqual(['Beta', 'Unheard Of'])
    const second = gathererOf()
    await gatherAll(second, all)
    expect(second.asked).toEqual(['Delta'])
    const third = gathererOf()
    await gatherAll(third, all)
    expect(third.asked).toEqual([])
  })

  test('without a doubtful answer no store is made', async () => {
    const { all } = await answered(['Acme', 'matched', 95])
    await gatherAll(gathererOf(), all)
    expect(keptOf('Acme')).toBeNull()
  })

  test('follows the threshold: a match below it is doubtful, a partial one above it is not', async () => {
    const { all, ids } = await answered(
      ['Acme', 'matched', 85],
      ['Beta', 'matched', 95],
      ['Gamma', 'partial_match', 79],
      ['Delta', 'partial_match', 55],
    )
    const reader = folder.read()
    expect(findDoubtful(ids, reader, 90)).toEqual([ids[0], ids[2], ids[3]])
    expect(findDoubtful(ids, reader, 80)).toEqual([ids[2], ids[3]])
    expect(findDoubtful(ids, reader, 60)).toEqual([ids[3]])
    const strict = gathererOf({ threshold: 60 })
    await gatherAll(strict, all)
    expect(strict.asked).toEqual(['Delta'])
  })

  test('of thousands, two hundred are asked for at one time', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => [`Name ${at}`, 'no_match', 0] as Answer)
    const { all } = await answered(...many)
    let openCount = 0
    let openMax = 0
    const gathering = gathererOf({
      source: {
        findCandidates: async () => {
          openMax = Math.max(openMax, ++openCount)
          await new Promise((resolve) => setImmediate(resolve))
          openCount--
          return []
        },
      },
    })
    await gatherAll(gathering, all)
    expect(openMax).toBe(200)
    expect(keptOf('Name 0', 'Name 999')).toEqual([[], []])
  })

  test('what comes one by one waits a second for company', async () => {
    const { ids, outcomes } = await answered(['Beta', 'no_match', 0], ['Gamma', 'no_match', 0])
    const clock = manualClock()
    const { gatherer, asked } = gathererOf({ clock })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    gatherer.onAnswer(ids[0] ?? 0, outcomes[0]!)
    const gathered = gatherer.run(nobody)
    await turn()
    gatherer.onAnswer(ids[1] ?? 0, outcomes[1]!)
    clock.advance(900)
    await turn()
    expect(asked).toEqual([])
    clock.advance(200)
    await turn()
    expect(asked).toEqual(['Beta', 'Gamma'])
    gatherer.complete()
    await gathered
    expect(keptOf('Beta')).toEqual([[candidateOf('Beta')]])
  })
})

test('candidates of other editions are forgotten once none were found for a week; verdicts, and what a service was asked for, never', async () => {
  const { all } = await answered(['Beta', 'no_match', 0])
  const nowMs = 1_800_000_000_000
  const weekMs = 7 * 24 * 3_600_000
  const store = openReviewStore(folder.path())
  stores.push(store)
  const many = Array.from({ length: 2_500 }, (_, at) => [hexOf(`Name ${at}`), []] as const)
  await store.candidates.keep('embedded:old', new Map(many), nowMs - weekMs - 1)
  for (const [found, atMs] of [
    ['embedded:recent', nowMs - weekMs],
    ['embedded:now', 0],
    ['https://api.example', 0],
  ] as const)
    await store.candidates.keep(found, new Map([[hexOf('Beta'), [candidateOf('Beta')]]]), atMs)
  // Of one that is used again, none are old.
  await store.candidates.keep('embedded:again', new Map([[hexOf('Beta'), []]]), 0)
  await store.candidates.keep('embedded:again', new Map([[hexOf('Gamma'), []]]), nowMs)
  const decided = await store.decisions.decide([decisionOf('Name 0', { service: 'embedded' })], new Map())
  const clock = { ...systemClock, nowMs: () => nowMs }
  const gathering = gathererOf({ scope: 'embedded:now', clock })
  await gatherAll(gathering, all)
  const has = (found: string, ...names: string[]) => store.candidates.has(found, names.map(hexOf))
  expect(store.candidates.hasAny('embedded:old')).toBe(false)
  expect(await has('embedded:recent', 'Beta')).toEqual([true])
  expect(await has('embedded:now', 'Beta')).toEqual([true])
  expect(await has('https://api.example', 'Beta')).toEqual([true])
  expect(await has('embedded:again', 'Beta', 'Gamma')).toEqual([true, true])
  expect(decided.kind).toBe('decided')
  expect(store.decisions.listCurrent('embedded')).toHaveLength(1)
  expect(gathering.missing).toEqual([])
})

describe('what cannot be gathered', () => {
  test('is missing, told once, and looked for by the next run', async () => {
    const { all } = await answered(['Acme', 'no_match', 0], ['Beta', 'no_match', 0], ['Gamma', 'no_match', 0])
    const failing = gathererOf({
      source: {
        findCandidates: ({ name }) =>
          name === 'Beta' ? Promise.resolve([candidateOf(name)]) : Promise.reject(new Error(`no ${name}`)),
      },
    })
    await gatherAll(failing, all)
    expect(failing.missing).toEqual([
      'Some candidates of doubtful rows are missing: no Acme. The next run fetches them.',
    ])
    expect(keptOf('Acme', 'Beta', 'Gamma')).toEqual([null, [candidateOf('Beta')], null])
    const next = gathererOf()
    await gatherAll(next, all)
    expect(next.asked).toEqual(['Acme', 'Gamma'])
  })

  test("for a store that is another program's file, or a checkpoint that is damaged, harms no run", async () => {
    const { all } = await answered(['Acme', 'no_match', 0])
    writeFileSync(getReviewStorePath(folder.path()), 'of another program')
    const blocked = gathererOf()
    await gatherAll(blocked, all)
    expect(blocked.missing).toHaveLength(1)
    expect(blocked.missing[0]).toContain('review.sqlite')
    const unread = gathererOf({
      openReader: () => {
        throw new Error('the disk is gone')
      },
    })
    await gatherAll(unread, all)
    expect(unread.missing[0]).toContain('the disk is gone')
  })

  test('for want of a checkpoint is nothing', async () => {
    const none = gathererOf({ openReader: () => null })
    await gatherAll(none, Uint32Array.of(1, 2))
    expect([none.asked, none.missing]).toEqual([[], []])
  })

  test('after the run was stopped is left to the next one without a wait', async () => {
    const many = Array.from({ length: 500 }, (_, at) => [`Name ${at}`, 'no_match', 0] as Answer)
    const { all } = await answered(...many)
    const gathering: Gathering = gathererOf({
      source: {
        findCandidates: (_, signal) => {
          gathering.asked.push('one')
          gathering.stop.abort(new Error('stopped'))
          return Promise.reject(signal?.reason as Error)
        },
      },
    })
    await gathering.gatherer.run(all)
    expect(gathering.asked).toHaveLength(200)
    expect(gathering.missing).toEqual([])
    const waiting = gathererOf()
    const gathered = waiting.gatherer.run(nobody)
    waiting.stop.abort()
    await gathered
  })
})
