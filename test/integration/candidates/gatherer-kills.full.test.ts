import { afterEach, expect, test } from 'vitest'
import type { Lookup } from '../../../src/core/lookup-identity.js'
import { CandidateGatherer } from '../../../src/pipeline/decisions/gather-candidates.js'
import { peekAtCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import { openReviewStore, type ReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import { systemClock } from '../../../src/platform/clock.js'
import { Life } from '../../simulation/mortal.js'
import { checkpointFolder, keyOf, scope } from '../checkpoint/support.js'
import { candidateOf, decisionOf } from '../decisions/support.js'
import { answeredIn, type Answer } from './support.js'

let endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.reverse()) end()
  endings = []
})

const hexOf = (name: string) => Buffer.from(keyOf(name)).toString('hex')
const own = 'embedded:now'
const nowMs = 1_800_000_000_000

/** Two that a run before was answered, two that this one is, and one that is sure. */
const before: Answer[] = [
  ['Acme', 'no_match', 0],
  ['Beta', 'partial_match', 61],
]
const during: Answer[] = [
  ['Gamma', 'inconclusive', 50],
  ['Unheard Of', 'no_match', 0],
]
const sure: Answer = ['Delta', 'matched', 95]
const doubtful = [...before, ...during].map(([name]) => name)

const never = () => new Promise<never>(() => undefined)

/** The process may die before and after each thing that it does; what it does afterwards never happens. */
async function mortal<Result>(life: Life, call: () => Promise<Result>): Promise<Result> {
  if (!life.step()) return never()
  const result = await call()
  return life.step() ? result : never()
}

function mortalNow<Result>(life: Life, call: () => Result): Result {
  const died = new Error('the process is dead')
  if (!life.step()) throw died
  const result = call()
  if (!life.step()) throw died
  return result
}

type GatheringStore = ReturnType<ConstructorParameters<typeof CandidateGatherer>[0]['openStore']>

const mortalStore = (life: Life, { candidates }: ReviewStore): GatheringStore => ({
  has: (...args) => mortal(life, () => candidates.has(...args)),
  findStaleScopes: (...args) => mortal(life, () => candidates.findStaleScopes(...args)),
  keep: (...args) => mortal(life, () => candidates.keep(...args)),
  forget: (...args) => mortal(life, () => candidates.forget(...args)),
})

type Place = Awaited<ReturnType<typeof prepared>>

async function prepared() {
  const folder = checkpointFolder()
  endings.push(() => {
    folder.remove()
  })
  const { ids, outcomes } = await answeredIn(folder, ...before, ...during, sure)
  const store = openReviewStore(folder.path())
  endings.push(() => {
    store.close()
  })
  await store.candidates.keep('embedded:old', new Map([[hexOf('Acme'), [candidateOf('Acme')]]]), 0)
  await store.decisions.decide([decisionOf('Acme', { service: 'embedded' })], new Map())
  return { folder, ids, outcomes, store }
}

const keptOf = async ({ store }: Place) => {
  const have = await store.candidates.has(own, doubtful.map(hexOf))
  return doubtful.filter((_, at) => have[at])
}

/** One process of a run, until it has ended or is dead. Returns what it asked for, and whether it died. */
async function live(place: Place, dieAtStep: number): Promise<{ asked: string[]; isDead: boolean }> {
  const { folder, ids, outcomes, store } = place
  const asked: string[] = []
  let die: () => void = () => undefined
  const death = new Promise<void>((resolve) => (die = resolve))
  const life = new Life(dieAtStep, () => {
    die()
  })
  const gatherer = new CandidateGatherer({
    source: {
      findCandidates: ({ name }: Lookup) =>
        mortal(life, () => {
          asked.push(name)
          return Promise.resolve([candidateOf(name)])
        }),
    },
    scope: own,
    editionScopes: 'embedded:',
    threshold: 80,
    openStore: () => mortalNow(life, () => mortalStore(life, store)),
    openReader: () => peekAtCheckpoint(folder.path(), scope),
    clock: { ...systemClock, nowMs: () => nowMs },
    stopSignal: new AbortController().signal,
    onMissing: () => undefined,
  })
  for (const [at, outcome] of outcomes.entries())
    if (at >= before.length && !life.isDead) gatherer.onAnswer(ids[at] ?? 0, outcome)
  gatherer.complete()
  await Promise.race([gatherer.run(Uint32Array.from(ids)), death])
  return { asked, isDead: life.isDead }
}

test('killed at any step of gathering, and once more: what was kept is not looked for again, all of it is there in the end, and no verdict is lost', async () => {
  let stepCount = 0
  for (let step = 1, isOver = false; !isOver; step++) {
    const place = await prepared()
    for (const dieAtStep of [step, Math.max(1, step >> 1), Infinity]) {
      const known = await keptOf(place)
      const { asked, isDead } = await live(place, dieAtStep)
      expect(
        asked.filter((name) => known.includes(name)),
        `died at ${step}`,
      ).toEqual([])
      expect(new Set(asked).size, `died at ${step}`).toBe(asked.length)
      expect(await keptOf(place)).toEqual(expect.arrayContaining(known))
      if (dieAtStep === step) isOver = !isDead
    }
    stepCount = step
    expect(place.store.candidates.read(own, doubtful.map(hexOf)), `died at ${step}`).toEqual(
      doubtful.map((name) => [candidateOf(name)]),
    )
    expect(await place.store.candidates.has(own, [hexOf(sure[0])])).toEqual([false])
    expect(place.store.candidates.hasAny('embedded:old')).toBe(false)
    expect(place.store.decisions.listCurrent('embedded')).toMatchObject([
      { name: 'Acme', verdict: 'accepted' },
    ])
  }
  // Of fewer steps than these something would not be stepped through.
  expect(stepCount).toBeGreaterThan(20)
})
