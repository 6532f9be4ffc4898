import { beforeEach, describe, expect, test } from 'vitest'
import { createEmptyPlan, type PlanPolicy } from '../../../src/core/lookup-state.js'
import { parseCustomId } from '../../../src/pipeline/checkpoint/lookup.js'
import { describeCheckpoints, type TestCheckpoint as Checkpoint } from './openers.js'
import { answerTo, keyed, keyOf, startMs, toKeys } from './support.js'

describeCheckpoints('planning', (at) => {
  let name = ''
  let fileCount = 0
  beforeEach(async () => {
    await at.close()
    name = `${++fileCount}.sqlite`
  })

  const keep: PlanPolicy = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' }

  /** Brings each wanted lookup to the state that its name says; answers `ago` lie so many ms back. */
  async function settle(checkpoint: Checkpoint, states: readonly string[]): Promise<number[]> {
    const ids = await checkpoint.store.register(keyed(...states))
    for (const [index, state] of states.entries()) {
      const lookupId = ids[index]!
      const [kind = '', ago = '0'] = state.split(' ')
      if (kind === 'new') continue
      const { customId } = await checkpoint.intend(lookupId, startMs)
      if (kind === 'invalid')
        await checkpoint.apply({ event: 'reject', lookupId, customId, reason: 'HTTP 400' })
      else if (kind === 'uncertain')
        await checkpoint.apply({ event: 'lose', lookupId, customId, reason: 'reset' })
      else
        await checkpoint.apply({
          event: 'accept',
          lookupId,
          customId,
          runId: `run_${index}`,
          nowMs: startMs - index,
        })
      if (kind === 'alarmed') await checkpoint.apply({ event: 'flag', lookupId, reason: 'HTTP 404' })
      if (kind === 'answered' || kind === 'failed') {
        const outcome = kind === 'failed' ? 'failed' : 'matched'
        const answer = answerTo(`run_${index}`, { state: kind, outcome, answeredAtMs: startMs - Number(ago) })
        await checkpoint.apply({ event: 'answer', lookupId, answer })
      }
    }
    return ids
  }

  describe('what is wanted', () => {
    test('ids come in the order asked; the same key is the same lookup, in this run and the next', async () => {
      const first = await at.open(name)
      const ids = await first.store.register(keyed('a', 'b', 'a', 'c'))
      expect(ids[2]).toBe(ids[0])
      expect(new Set(ids).size).toBe(3)
      expect(Math.min(...ids)).toBeGreaterThanOrEqual(1)
      await at.close()
      const second = await at.open(name)
      expect(await second.store.register(keyed('c', 'a', 'd'))).toEqual([
        ids[3],
        ids[0],
        Math.max(...ids) + 1,
      ])
      expect(
        (await at.read(name)).find(toKeys('resolution', [keyOf('b'), keyOf('never'), keyOf('a')])),
      ).toEqual([ids[1], 0, ids[0]])
    })

    test('what a key is called at first is kept', async () => {
      await (await at.open(name)).store.register(keyed('Acme'))
      await at.close()
      const checkpoint = await at.open(name)
      await checkpoint.store.register([
        { kind: 'resolution', key: keyOf('Acme'), lookup: { name: 'ACME', location: 'x', context: 'y' } },
      ])
      expect((await checkpoint.read('to_submit', { after: 0, count: 9 }))[0]?.lookup).toMatchObject({
        name: 'Acme',
        location: null,
      })
    })

    test('only what this run wants is planned, submitted and polled', async () => {
      await settle(await at.open(name), ['new', 'running', 'answered'])
      await at.close()
      const checkpoint = await at.open(name)
      await checkpoint.store.register(keyed('answered', 'more'))
      expect(await checkpoint.plan(keep)).toMatchObject({ submit: 1, poll: 0, answered: 1 })
      expect(await checkpoint.read('pending_runs')).toEqual([])
      expect(
        (await checkpoint.read('to_submit', { after: 0, count: 9 })).map(({ lookup }) => lookup.name),
      ).toEqual(['more'])
    })

    test('pages of what is to be submitted follow the order of the input, without a gap', async () => {
      const checkpoint = await at.open(name)
      const names = Array.from({ length: 25 }, (_, index) => `company ${index}`)
      await checkpoint.store.register(keyed(...[...names].reverse()))
      await at.close()
      const again = await at.open(name)
      await again.store.register(keyed(...names.slice(0, 10)))
      await again.store.register(keyed(...names.slice(5)))
      const seen: string[] = []
      let position = 0
      for (;;) {
        const page = await again.read('to_submit', { after: position, count: 4 })
        if (page.length === 0) break
        expect(page.length).toBeLessThanOrEqual(4)
        for (const { lookup } of page) {
          seen.push(lookup.name)
          await again.intend(lookup.lookupId, startMs)
        }
        position = page.at(-1)!.position
      }
      expect(seen).toEqual(names)
      expect(await again.read('to_submit', { after: 0, count: 4 })).toEqual([])
    })

    test('open runs come oldest first', async () => {
      const checkpoint = await at.open(name)
      await settle(checkpoint, ['running', 'running 2', 'new', 'running 3'])
      expect((await checkpoint.read('pending_runs')).map(({ runId }) => runId)).toEqual([
        'run_3',
        'run_1',
        'run_0',
      ])
    })
  })

  describe('the plan', () => {
    const states = ['new', 'running', 'answered 10', 'answered 500', 'failed 500', 'invalid', 'uncertain']

    test.each<[Partial<PlanPolicy>, object]>([
      [{}, { submit: 1, poll: 1, answered: 2, invalid: 1, uncertain: 1, failed: 1 }],
      [{ maxAgeMs: 100 }, { submit: 3, poll: 1, answered: 1, invalid: 1, uncertain: 1, failed: 0 }],
      [{ maxAgeMs: 500 }, { submit: 1, poll: 1, answered: 2, invalid: 1, uncertain: 1, failed: 1 }],
      [{ onLost: 'resubmit' }, { submit: 2, poll: 1, answered: 2, invalid: 1, uncertain: 0, failed: 1 }],
      [
        { maxAgeMs: 0, onLost: 'resubmit' },
        { submit: 5, poll: 1, answered: 0, invalid: 1, uncertain: 0, failed: 0 },
      ],
    ])('%j counts, and what it says to submit is there to be submitted', async (change, counts) => {
      const checkpoint = await at.open(name)
      await settle(checkpoint, states)
      expect(await checkpoint.plan({ ...keep, ...change })).toEqual({ ...createEmptyPlan(), ...counts })
      const open = await checkpoint.read('to_submit', { after: 0, count: 99 })
      expect(open).toHaveLength((counts as { submit: number }).submit)
      expect(await checkpoint.read('pending_runs')).toHaveLength(1)
      for (const { lookup } of open) await checkpoint.intend(lookup.lookupId, startMs)
    })

    test('planned twice, it says the same', async () => {
      const checkpoint = await at.open(name)
      await settle(checkpoint, states)
      const policy = { ...keep, maxAgeMs: 100 }
      expect(await checkpoint.plan(policy)).toEqual(await checkpoint.plan(policy))
    })

    test('a lost submission that is made again keeps its record', async () => {
      const checkpoint = await at.open(name)
      const [lookupId = 0] = await settle(checkpoint, ['uncertain'])
      await checkpoint.plan({ ...keep, onLost: 'resubmit' })
      expect((await checkpoint.intend(lookupId, startMs)).attempt).toBe(2)
      expect((await at.read(name)).read('counts')[0]?.submissions).toBe(2)
    })

    test('nothing is wanted, nothing is planned', async () => {
      expect(await (await at.open(name)).plan(keep)).toEqual(createEmptyPlan())
    })
  })

  describe('what a person decided', () => {
    const states = ['new', 'running', 'answered 10', 'failed 500', 'invalid', 'uncertain']
    const decided = () => keyed(...states).map((lookup) => ({ ...lookup, isDecided: true }))

    test.each<Partial<PlanPolicy>>([
      {},
      { maxAgeMs: 0 },
      { onLost: 'resubmit' },
      { onLost: 'poll' },
      { knowsEarlierRuns: false },
      { askAgain: ['matched', 'failed', 'invalid_input', 'error'] },
    ])('is left alone, whatever became of it and whatever is asked again: %j', async (change) => {
      const settled = await at.open(name)
      const ids = await settle(settled, states)
      await at.close()
      const before = (await at.read(name)).readAnswers(ids).map((one) => one?.state)
      await at.close()
      const checkpoint = await at.open(name)
      expect(await checkpoint.store.register([...decided(), ...keyed('another')])).toEqual([
        ...ids,
        ids.length + 1,
      ])
      expect(await checkpoint.plan({ ...keep, ...change })).toEqual({
        ...createEmptyPlan(),
        decided: 6,
        submit: 1,
      })
      await checkpoint.plan({ ...keep, askAgain: ['matched', 'failed', 'invalid_input', 'error'] })
      expect(
        (await checkpoint.read('to_submit', { after: 0, count: 99 })).map(({ lookup }) => lookup.name),
      ).toEqual(['another'])
      expect(await checkpoint.read('pending_runs')).toEqual([])
      expect(await checkpoint.read('row_answers', { after: 0, count: 99 })).toEqual([])
      expect(await checkpoint.read('row_lookup', { lookupId: ids[2]! })).toBeNull()
      expect(await checkpoint.read('lost', { afterMs: 0, among: 'wanted' })).toEqual([])
      expect(await checkpoint.read('owner', { runId: 'run_1' })).toMatchObject({
        state: 'running',
        isWanted: false,
      })
      expect((await at.read(name)).readAnswers(ids).map((one) => one?.state)).toEqual(before)
    })

    test('is asked again like anything else once it is not decided any more', async () => {
      await (await at.open(name)).store.register(keyed('a').map((lookup) => ({ ...lookup, isDecided: true })))
      await at.close()
      const checkpoint = await at.open(name)
      await checkpoint.store.register(keyed('a'))
      expect(await checkpoint.plan(keep)).toMatchObject({ submit: 1, decided: 0 })
    })
  })

  describe('asking again', () => {
    const states = ['new', 'running', 'alarmed', 'answered', 'failed', 'invalid', 'uncertain']

    test.each<[string[], string[]]>([
      [[], []],
      [['matched'], ['answered']],
      [['failed'], ['failed']],
      [['invalid_input'], ['invalid']],
      [['error'], ['alarmed']],
      [
        ['failed', 'matched', 'no_match'],
        ['answered', 'failed'],
      ],
      [['uncertain', 'pending', 'running', 'new'], []],
    ])('%j reopens %j', async (outcomes, reopened) => {
      const checkpoint = await at.open(name)
      await settle(checkpoint, states)
      expect(await checkpoint.plan({ ...keep, askAgain: outcomes })).toMatchObject({
        submit: reopened.length + 1,
      })
      const open = (await checkpoint.read('to_submit', { after: 0, count: 99 })).map(
        ({ lookup }) => lookup.name,
      )
      expect(open).toEqual(states.filter((state) => state === 'new' || reopened.includes(state)))
    })

    /** Each status that can be retried, and the state that the next run finds if it was not submitted again. */
    const again = [
      ['answered', 'matched', 'answered'],
      ['failed', 'failed', 'failed'],
      ['invalid', 'invalid_input', 'invalid'],
      ['alarmed', 'error', 'poll'],
    ] as const

    /** The lookups of three names in a state, of which a retry submits the first one and accepts it. */
    async function retryFirst(state: string, statuses: string[], ofJob?: string): Promise<string[]> {
      const checkpoint = await at.open(name, undefined, ofJob, statuses)
      await checkpoint.store.register(keyed(...[1, 2, 3].map((number) => `${state} ${number}`)))
      await checkpoint.plan({ ...keep, askAgain: statuses })
      const open = await checkpoint.read('to_submit', { after: 0, count: 99 })
      const [first] = open
      if (first !== undefined) {
        const { lookupId } = first.lookup
        const { customId, attempt } = await checkpoint.intend(lookupId, startMs)
        const runId = `run_${customId}_${attempt}`
        await checkpoint.apply({ event: 'accept', lookupId, customId, runId, nowMs: startMs })
        const answer = answerTo(runId, { outcome: statuses.includes('failed') ? 'failed' : 'matched' })
        const failed = statuses.includes('failed') ? ({ state: 'failed' } as const) : {}
        await checkpoint.apply({ event: 'answer', lookupId, answer: { ...answer, ...failed } })
      } else await checkpoint.store.endJob('retry', startMs)
      await at.close()
      return open.map(({ lookup }) => lookup.name)
    }

    test.each(again)('a retry that ends early takes nothing from lookups %s', async (state, status, plan) => {
      await settle(
        await at.open(name),
        [1, 2, 3].map((number) => `${state} ${number}`),
      )
      await at.close()
      await retryFirst(state, [status])
      const checkpoint = await at.open(name)
      await checkpoint.store.register(keyed(...[1, 2, 3].map((number) => `${state} ${number}`)))
      const left = await checkpoint.plan(keep)
      expect(left.submit).toBe(0)
      expect(left[plan]).toBeGreaterThanOrEqual(2)
    })

    test.each(again)('a retry of lookups %s submits each once, then begins anew', async (state, status) => {
      const names = [1, 2, 3].map((number) => `${state} ${number}`)
      await settle(await at.open(name), names)
      await at.close()
      expect(await retryFirst(state, [status, 'merged'])).toEqual(names)
      expect(await retryFirst(state, ['merged', status, status])).toEqual(names.slice(1))
      expect(await retryFirst(state, [status, 'merged'])).toEqual(names.slice(2))
      expect(await retryFirst(state, [status, 'merged'])).toEqual([])
      if (status === 'matched' || status === 'failed')
        expect(await retryFirst(state, [status, 'merged'])).toEqual(names)
    })

    test('other statuses and another job are another retry', async () => {
      const names = [1, 2, 3].map((number) => `answered ${number}`)
      await settle(await at.open(name), names)
      await at.close()
      expect(await retryFirst('answered', ['matched'])).toEqual(names)
      expect(await retryFirst('answered', ['matched', 'merged'])).toEqual(names)
      expect(await retryFirst('answered', ['matched'], 'others.csv')).toEqual(names)
      // The first retry submits nothing again that the others have submitted since.
      expect(await retryFirst('answered', ['matched'])).toEqual(names.slice(1))
      expect(await retryFirst('answered', ['matched', 'merged'])).toEqual(names.slice(1))
      const checkpoint = await at.open(name, undefined, undefined, ['matched'])
      expect(checkpoint.store.retry).toMatchObject({ isContinued: true, isRepeated: false })
    })

    test('what this run does not want is left alone', async () => {
      await settle(await at.open(name), ['answered', 'failed'])
      await at.close()
      const checkpoint = await at.open(name)
      await checkpoint.store.register(keyed('failed'))
      expect(await checkpoint.plan({ ...keep, askAgain: ['matched', 'failed'] })).toEqual({
        ...createEmptyPlan(),
        submit: 1,
      })
    })
  })

  describe('scopes', () => {
    test('answers of one service are not answers of another', async () => {
      const [first = 0] = await settle(await at.open(name), ['answered'])
      await at.close()
      const other = await at.open(name, 'https://b.example')
      const [second = 0] = await other.store.register(keyed('answered'))
      expect(second).not.toBe(first)
      expect(await other.plan({ ...keep, askAgain: ['matched'] })).toMatchObject({ submit: 1, answered: 0 })
      expect((await at.read(name)).find(toKeys('resolution', [keyOf('answered')]))).toEqual([first])
      expect(
        (await at.read(name, 'https://b.example')).find(toKeys('resolution', [keyOf('answered')])),
      ).toEqual([second])
      expect(
        (await at.read(name, 'https://c.example')).find(toKeys('resolution', [keyOf('answered')])),
      ).toEqual([0])
      expect((await at.read(name, null)).find(toKeys('resolution', [keyOf('answered')]))).toEqual([0])
    })

    test('custom ids name the scope: the same question of two services is told apart', async () => {
      const one = await at.open(name)
      const [a = 0] = await one.store.register(keyed('Acme'))
      const first = await one.intend(a, startMs)
      await at.close()
      const other = await at.open(name, 'https://b.example')
      const [b = 0] = await other.store.register(keyed('Acme'))
      const second = await other.intend(b, startMs)
      expect(second.customId).not.toBe(first.customId)
      expect(parseCustomId(second.customId)?.checkpointId).toBe(parseCustomId(first.customId)?.checkpointId)
    })
  })

  describe('what the checkpoint holds', () => {
    test('counts, a scope at a time', async () => {
      await settle(await at.open(name), [
        'new',
        'running',
        'answered 10',
        'answered 500',
        'failed 5',
        'invalid',
        'uncertain',
      ])
      await at.close()
      await settle(await at.open(name, 'https://b.example'), ['answered'])
      const counts = (await at.read(name, null)).read('counts')
      expect(counts).toEqual([
        {
          scope: 'https://a.example',
          kind: 'resolution',
          lastInputs: [expect.any(String)],
          states: { new: 1, intended: 0, running: 1, answered: 2, invalid: 1, uncertain: 1, failed: 1 },
          outcomes: { matched: 2, failed: 1 },
          submissions: 5,
          firstSubmittedAtMs: startMs,
          lastAnsweredAtMs: startMs - 5,
        },
        expect.objectContaining({ scope: 'https://b.example', submissions: 1 }),
      ])
    })

    test('uncertain lookups, with what was asked and why it is uncertain', async () => {
      await settle(await at.open(name), ['uncertain 1', 'answered', 'uncertain 2'])
      const reader = await at.read(name, null)
      expect(reader.read('uncertain', { limit: 1 })).toHaveLength(1)
      const byName = reader
        .read('uncertain', { limit: 9 })
        .sort((one, other) => one.name.localeCompare(other.name))
      expect(byName).toEqual([
        {
          scope: 'https://a.example',
          kind: 'resolution',
          name: 'uncertain 1',
          location: null,
          context: null,
          customId: expect.stringMatching(/^enr_/) as string,
          reason: 'reset',
          intendedAtMs: startMs,
        },
        expect.objectContaining({ name: 'uncertain 2' }),
      ])
    })

    test('each step of an open writer is seen, and ids that are not known are nothing', async () => {
      const checkpoint = await at.open(name)
      const [lookupId = 0] = await checkpoint.store.register(keyed('Acme'))
      const known = (await at.read(name)).readAnswers([0, lookupId, 77])
      expect(known).toEqual([null, expect.objectContaining({ state: 'new' }), null])
      await checkpoint.intend(lookupId, startMs)
      const reader = await at.read(name)
      expect(reader.readAnswers([lookupId])[0]?.state).toBe('intended')
      expect(reader.read('uncertain', { limit: 9 })).toHaveLength(1)
    })
  })
})
