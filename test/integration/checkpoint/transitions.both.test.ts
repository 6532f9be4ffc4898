import { describe, expect, test } from 'vitest'
import { describeCheckpoints, type TestCheckpoint as Checkpoint } from './openers.js'
import { answerTo, keyed, scope, startMs } from './support.js'

describeCheckpoints('the steps of a lookup', (at) => {
  const askAgain = { nowMs: startMs, maxAgeMs: null, onLost: 'hold', askAgain: ['matched'] } as const
  let fileCount = 0

  /** A checkpoint of its own with one lookup, brought to a state. */
  async function begin(state: 'new' | 'intended' | 'running' | 'answered' | 'invalid' | 'uncertain') {
    const name = `${++fileCount}.sqlite`
    const checkpoint = await at.open(name)
    const [lookupId = 0] = await checkpoint.store.register(keyed('Acme'))
    let customId = 'enr_never'
    if (state !== 'new') customId = (await checkpoint.intend(lookupId, startMs)).customId
    if (state === 'invalid')
      await checkpoint.apply({ event: 'reject', lookupId, customId, reason: 'HTTP 400' })
    if (state === 'uncertain') await checkpoint.apply({ event: 'lose', lookupId, customId, reason: 'reset' })
    if (state === 'running' || state === 'answered') await accept(checkpoint, lookupId, customId, 'run_1')
    if (state === 'answered') await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo('run_1') })
    return { name, checkpoint, lookupId, customId }
  }

  const accept = (
    checkpoint: Checkpoint,
    lookupId: number,
    customId: string,
    runId: string,
    nowMs = startMs,
  ) => checkpoint.apply({ event: 'accept', lookupId, customId, runId, nowMs })
  const claim = (checkpoint: Checkpoint, customId: string, runId: string) =>
    checkpoint.apply({ event: 'claim', customId, runId, nowMs: startMs + 7 })

  /** What another connection sees while this one is open: what is committed. */
  async function seen(name: string) {
    const reader = await at.read(name)
    const [known] = reader.readAnswers([1])
    const counts = reader.read('counts')[0]
    reader.close()
    return {
      state: known?.state,
      runId: known?.runId,
      failure: known?.failure,
      submissions: counts?.submissions,
    }
  }

  describe('each step is durable when it resolves', () => {
    test('intended, accepted, answered', async () => {
      const { name, checkpoint, lookupId } = await begin('new')
      expect(await seen(name)).toEqual({ state: 'new', runId: null, failure: null, submissions: 0 })

      const { customId, attempt } = await checkpoint.intend(lookupId, startMs)
      expect(attempt).toBe(1)
      expect(customId).toMatch(/^[\x21-\x7e]{1,200}$/)
      expect(await seen(name)).toMatchObject({ state: 'intended', submissions: 1 })

      await accept(checkpoint, lookupId, customId, 'run_1', startMs + 5)
      expect(await seen(name)).toMatchObject({ state: 'running', runId: 'run_1', submissions: 1 })
      expect(await checkpoint.read('pending_runs')).toEqual([
        {
          lookupId,
          runId: 'run_1',
          customId,
          name: 'Acme',
          submittedAtMs: startMs + 5,
          needsAttention: null,
        },
      ])

      expect(await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo('run_1') })).toBe(true)
      expect(await seen(name)).toMatchObject({ state: 'answered', runId: 'run_1' })
      expect(await checkpoint.read('pending_runs')).toEqual([])
    })

    test('withdrawn: it was never created, and the next attempt has another custom id', async () => {
      const { name, checkpoint, lookupId, customId } = await begin('intended')
      await checkpoint.apply({ event: 'withdraw', lookupId, customId, reason: 'rate limited' })
      expect(await seen(name)).toMatchObject({ state: 'new', submissions: 0 })
      const second = await checkpoint.intend(lookupId, startMs)
      expect(second.attempt).toBe(2)
      expect(second.customId).not.toBe(customId)
    })

    test('rejected: invalid, with the reason, and not counted as billed', async () => {
      const { name, checkpoint, lookupId, customId } = await begin('intended')
      await checkpoint.apply({ event: 'reject', lookupId, customId, reason: 'HTTP 400: bad_request' })
      expect(await seen(name)).toMatchObject({
        state: 'invalid',
        failure: 'HTTP 400: bad_request',
        submissions: 0,
      })
    })

    test('lost: uncertain, with the reason, and counted as perhaps billed', async () => {
      const { name, checkpoint, lookupId, customId } = await begin('intended')
      await checkpoint.apply({ event: 'lose', lookupId, customId, reason: 'reset' })
      expect(await seen(name)).toMatchObject({ state: 'uncertain', failure: 'reset', submissions: 1 })
    })

    test('a failed run is final', async () => {
      const { name, checkpoint, lookupId } = await begin('running')
      expect(
        await checkpoint.apply({
          event: 'answer',
          lookupId,
          answer: answerTo('run_1', { state: 'failed', outcome: 'failed' }),
        }),
      ).toBe(true)
      expect(await seen(name)).toMatchObject({ state: 'failed' })
    })

    test('a run that needs attention stays running, and an answer clears it', async () => {
      const { name, checkpoint, lookupId } = await begin('running')
      await checkpoint.apply({ event: 'flag', lookupId, reason: 'HTTP 404' })
      expect(await seen(name)).toMatchObject({ state: 'running', failure: 'HTTP 404' })
      await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo('run_1') })
      expect(await seen(name)).toMatchObject({ state: 'answered', failure: null })
    })
  })

  type Step = (checkpoint: Checkpoint, lookupId: number, customId: string) => Promise<unknown>
  const settling: Record<string, Step> = {
    accept: (checkpoint, lookupId, customId) => accept(checkpoint, lookupId, customId, 'run_9', startMs + 9),
    withdraw: (checkpoint, lookupId, customId) =>
      checkpoint.apply({ event: 'withdraw', lookupId, customId, reason: 'x' }),
    reject: (checkpoint, lookupId, customId) =>
      checkpoint.apply({ event: 'reject', lookupId, customId, reason: 'x' }),
    lose: (checkpoint, lookupId, customId) =>
      checkpoint.apply({ event: 'lose', lookupId, customId, reason: 'x' }),
  }
  const settled = ['running', 'answered', 'invalid', 'uncertain'] as const

  describe('a step that is not legal changes nothing', () => {
    test.each(['intended', ...settled] as const)('%s: it is not submitted again', async (state) => {
      const { name, checkpoint, lookupId } = await begin(state)
      const before = await at.everyRow(name)
      await expect(checkpoint.intend(lookupId, startMs + 9)).rejects.toThrow(
        `lookup ${lookupId} is ${state}: "intend" cannot happen to it`,
      )
      expect(await at.everyRow(name)).toEqual(before)
    })

    test.each(Object.keys(settling))(
      '%s: a submission is settled once, under its own custom id',
      async (step) => {
        for (const state of settled) {
          const { name, checkpoint, lookupId, customId } = await begin(state)
          const before = await at.everyRow(name)
          await settling[step]!(checkpoint, lookupId, customId)
          expect(await at.everyRow(name)).toEqual(before)
        }
        const { name, checkpoint, lookupId, customId } = await begin('intended')
        const before = await at.everyRow(name)
        await expect(settling[step]!(checkpoint, lookupId, `${customId}0`)).rejects.toThrow(
          'is not intended as',
        )
        expect(await at.everyRow(name)).toEqual(before)
      },
    )

    test.each(Object.keys(settling))('%s what was never intended throws', async (step) => {
      const { name, checkpoint, lookupId, customId } = await begin('new')
      const before = await at.everyRow(name)
      await expect(settling[step]!(checkpoint, lookupId, customId)).rejects.toThrow('cannot happen to it')
      expect(await at.everyRow(name)).toEqual(before)
    })

    test('a lookup that is not known throws', async () => {
      const { checkpoint } = await begin('new')
      await expect(checkpoint.intend(99, startMs)).rejects.toThrow('lookup 99 is unknown')
    })

    test('asked for together with legal steps, it alone is undone', async () => {
      const name = `${++fileCount}.sqlite`
      const checkpoint = await at.open(name)
      const [a = 0, b = 0] = await checkpoint.store.register(keyed('Acme', 'Beta'))
      const steps = [a, a, 99, b].map((lookupId) => checkpoint.intend(lookupId, startMs))
      expect((await Promise.allSettled(steps)).map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
      ])
      expect((await at.read(name)).read('counts')[0]).toMatchObject({
        submissions: 2,
        states: { intended: 2 },
      })
    })
  })

  describe('a webhook that names the run of a submission', () => {
    test('claims one whose answer was lost, and the run is waited for', async () => {
      const { name, checkpoint, lookupId, customId } = await begin('uncertain')
      expect(await claim(checkpoint, customId, 'run_7')).toBe('claimed')
      expect(await seen(name)).toMatchObject({ state: 'running', runId: 'run_7', submissions: 1 })
      expect(await checkpoint.read('pending_runs')).toEqual([
        {
          lookupId,
          runId: 'run_7',
          customId,
          name: 'Acme',
          submittedAtMs: startMs + 7,
          needsAttention: null,
        },
      ])
      expect(await claim(checkpoint, customId, 'run_7')).toBe('known')
      expect(await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo('run_7') })).toBe(true)
    })

    test.each(Object.keys(settling))(
      'may be faster than the answer: %s then changes nothing',
      async (step) => {
        const { name, checkpoint, lookupId, customId } = await begin('intended')
        expect(await claim(checkpoint, customId, 'run_7')).toBe('early')
        const before = await at.everyRow(name)
        expect(await settling[step]!(checkpoint, lookupId, customId)).toBe(false)
        expect(await at.everyRow(name)).toEqual(before)
      },
    )

    test('names the run of another submission: a conflict, and nothing changes', async () => {
      const { name, checkpoint, customId } = await begin('uncertain')
      const [other = 0] = await checkpoint.store.register(keyed('Other'))
      const intention = await checkpoint.intend(other, startMs)
      expect(await accept(checkpoint, other, intention.customId, 'run_of_other')).toBe(true)
      const before = await at.everyRow(name)
      expect(await claim(checkpoint, customId, 'run_of_other')).toBe('conflict')
      expect(await at.everyRow(name)).toEqual(before)
    })

    test('an answer to a submission that names the run of another one leaves the lookup uncertain, with the reason', async () => {
      const { name, checkpoint, lookupId } = await begin('running')
      const [other = 0] = await checkpoint.store.register(keyed('Other'))
      const { customId } = await checkpoint.intend(other, startMs)
      expect(await accept(checkpoint, other, customId, 'run_1')).toBe('uncertain')
      const reader = await at.read(name)
      expect(reader.readAnswers([lookupId, other])).toMatchObject([
        { state: 'running', runId: 'run_1', failure: null },
        {
          state: 'uncertain',
          runId: null,
          failure: 'the service named run_1, the run of another submission',
        },
      ])
      reader.close()
      expect(await checkpoint.apply({ event: 'answer', lookupId: other, answer: answerTo('run_1') })).toBe(
        false,
      )
      expect(await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo('run_1') })).toBe(true)
      expect(await checkpoint.read('spent')).toBe(2)
    })

    test('a run of the same id at another service is another run', async () => {
      const name = `${++fileCount}.sqlite`
      for (const service of ['https://a.example', 'https://b.example']) {
        const checkpoint = await at.open(name, service)
        const [acme = 0] = await checkpoint.store.register(keyed('Acme'))
        const { customId } = await checkpoint.intend(acme, startMs)
        expect(await accept(checkpoint, acme, customId, 'run_1')).toBe(true)
        expect(await checkpoint.apply({ event: 'answer', lookupId: acme, answer: answerTo('run_1') })).toBe(
          true,
        )
        await checkpoint.close()
      }
    })

    test('its run leads to its lookup, until the lookup has another run', async () => {
      const { checkpoint, lookupId, customId } = await begin('uncertain')
      expect(await checkpoint.read('lost', { afterMs: startMs - 1, among: 'wanted' })).toEqual([
        { lookupId, intendedAtMs: expect.any(Number) },
      ])
      expect(await checkpoint.read('lost', { afterMs: startMs + 999, among: 'wanted' })).toEqual([])
      expect(await checkpoint.read('owner', { runId: 'run_7' })).toBeNull()
      await claim(checkpoint, customId, 'run_7')
      expect(await checkpoint.read('lost', { afterMs: startMs - 1, among: 'wanted' })).toEqual([])
      expect(await checkpoint.read('owner', { runId: 'run_7' })).toEqual({
        lookupId,
        runId: 'run_7',
        customId,
        name: 'Acme',
        submittedAtMs: startMs + 7,
        needsAttention: null,
        state: 'running',
        isWanted: true,
      })
      expect(await checkpoint.read('body', { lookupId })).toBeNull()
      await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo('run_7') })
      expect(await checkpoint.read('body', { lookupId })).toBe(answerTo('run_7').body)
      await checkpoint.plan(askAgain)
      expect(await checkpoint.read('owner', { runId: 'run_7' })).toBeNull()
    })

    test.each([
      ['the run we were given', 'run_1', 'known'],
      ['another run', 'run_2', 'conflict'],
    ])('%s: nothing changes', async (_, runId, outcome) => {
      const { name, checkpoint, customId } = await begin('answered')
      const before = await at.everyRow(name)
      expect(await claim(checkpoint, customId, runId)).toBe(outcome)
      expect(await at.everyRow(name)).toEqual(before)
    })

    test('a custom id that is not ours is unknown', async () => {
      const { name, checkpoint } = await begin('uncertain')
      const before = await at.everyRow(name)
      expect(await claim(checkpoint, "enr_x' OR 1=1", 'run_7')).toBe('unknown')
      expect(await at.everyRow(name)).toEqual(before)
    })

    test('after it was submitted again, the first is superseded: billed, and the second goes on', async () => {
      const { name, checkpoint, lookupId, customId } = await begin('uncertain')
      await checkpoint.plan({ nowMs: startMs, maxAgeMs: null, onLost: 'resubmit' })
      const second = await checkpoint.intend(lookupId, startMs)
      expect(await claim(checkpoint, customId, 'run_7')).toBe('superseded')
      expect(await seen(name)).toMatchObject({ state: 'intended', submissions: 2 })
      await accept(checkpoint, lookupId, second.customId, 'run_8', startMs + 8)
      expect(await seen(name)).toMatchObject({ state: 'running', runId: 'run_8' })
    })
  })

  test('The budget of a job counts what was or may have been billed by all of its processes', async () => {
    const name = `${++fileCount}.sqlite`
    const first = await at.open(name)
    const [a = 0, b = 0, c = 0] = await first.store.register(keyed('Acme', 'Beta', 'Cera'))
    expect(await first.read('spent')).toBe(0)
    await accept(first, a, (await first.intend(a, startMs)).customId, 'run_1')
    await first.apply({
      event: 'withdraw',
      lookupId: b,
      customId: (await first.intend(b, startMs)).customId,
      reason: 'rate limited',
    })
    await first.intend(c, startMs)
    expect(await first.read('spent')).toBe(2)
    await at.close()

    expect(await (await at.open(name, scope, 'other.csv')).read('spent')).toBe(0)
    await at.close()
    expect(await (await at.open(name, 'https://b.example')).read('spent')).toBe(0)
    await at.close()
    const again = await at.open(name)
    expect(await again.read('spent')).toBe(2)
    await again.endJob(startMs + 9)
    await at.close()
    expect(await (await at.open(name)).read('spent')).toBe(0)
  })

  describe('answers', () => {
    test('a second, different answer changes nothing', async () => {
      const { name, checkpoint, lookupId } = await begin('answered')
      const before = await at.everyRow(name)
      const second = answerTo('run_1', { outcome: 'no_match', line: '{}', answeredAtMs: startMs + 9_000 })
      expect(await checkpoint.apply({ event: 'answer', lookupId, answer: second })).toBe(false)
      expect(
        await checkpoint.apply({ event: 'answer', lookupId, answer: { ...second, state: 'failed' } }),
      ).toBe(false)
      expect(await at.everyRow(name)).toEqual(before)
    })

    test.each(['new', 'intended', 'invalid', 'uncertain'] as const)(
      '%s: there is no run to answer',
      async (state) => {
        const { name, checkpoint, lookupId } = await begin(state)
        const before = await at.everyRow(name)
        expect(await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo('run_1') })).toBe(false)
        expect(await at.everyRow(name)).toEqual(before)
      },
    )

    test('an answer of another run is not taken', async () => {
      const { name, checkpoint, lookupId } = await begin('running')
      const before = await at.everyRow(name)
      expect(await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo('run_2') })).toBe(false)
      expect(await at.everyRow(name)).toEqual(before)
    })

    test('attention for what does not run changes nothing', async () => {
      const { name, checkpoint, lookupId } = await begin('answered')
      const before = await at.everyRow(name)
      await checkpoint.apply({ event: 'flag', lookupId, reason: 'x' })
      expect(await at.everyRow(name)).toEqual(before)
    })

    test('the old answer stays until the new one is there', async () => {
      const { name, checkpoint, lookupId } = await begin('answered')
      expect(await checkpoint.plan(askAgain)).toMatchObject({ submit: 1 })
      expect((await at.read(name)).readAnswers([lookupId])[0]).toMatchObject({
        state: 'answered',
        outcome: 'matched',
        runId: null,
      })
      const { customId } = await checkpoint.intend(lookupId, startMs)
      await accept(checkpoint, lookupId, customId, 'run_2')
      await checkpoint.apply({
        event: 'answer',
        lookupId,
        answer: answerTo('run_2', { outcome: 'no_match', body: '{"n":2}' }),
      })
      const [known] = (await at.read(name)).readAnswers([lookupId])
      expect(known).toMatchObject({ state: 'answered', outcome: 'no_match', runId: 'run_2' })
      expect(known?.body()).toBe('{"n":2}')
    })
  })

  test('The newest submissions are of this scope and window, the oldest first, with any outcome', async () => {
    const name = `${++fileCount}.sqlite`
    const other = await at.open(name, 'https://b.example')
    const [elsewhere = 0] = await other.store.register(keyed('Elsewhere'))
    await other.intend(elsewhere, startMs + 6)
    await other.close()
    const checkpoint = await at.open(name)
    const ids = await checkpoint.store.register(keyed('One', 'Two', 'Three', 'Four'))
    for (const [index, id] of ids.entries()) {
      const { customId } = await checkpoint.intend(id, startMs + index)
      if (index === 2)
        await checkpoint.apply({ event: 'withdraw', lookupId: id, customId, reason: 'rate limited' })
    }
    expect(await checkpoint.read('recent_submissions', { afterMs: startMs, count: 9 })).toEqual([
      startMs + 1,
      startMs + 2,
      startMs + 3,
    ])
    expect(await checkpoint.read('recent_submissions', { afterMs: startMs, count: 2 })).toEqual([
      startMs + 2,
      startMs + 3,
    ])
    expect(await checkpoint.read('recent_submissions', { afterMs: startMs + 4, count: 9 })).toEqual([])
  })
})
