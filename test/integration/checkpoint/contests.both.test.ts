import { describe, expect, test } from 'vitest'
import { describeCheckpoints } from './openers.js'
import { answerTo, keyed, startMs, linesOf } from './support.js'

describeCheckpoints('runs that two lookups hold of each other', (at) => {
  test('are exchanged once, and each is answered by its own', async () => {
    const checkpoint = await at.open('exchanged.sqlite')
    const [acme = 0, bolt = 0] = await checkpoint.registerLookups(keyed('Acme', 'Bolt'))
    const acmeId = (await checkpoint.intend(acme, startMs)).customId
    const boltId = (await checkpoint.intend(bolt, startMs)).customId
    await checkpoint.accept(acme, acmeId, 'run_bolt', startMs)
    await checkpoint.accept(bolt, boltId, 'run_acme', startMs)
    await checkpoint.setNeedsAttention(acme, 'the answers of another')
    const one = { lookupId: acme, customId: acmeId, runId: 'run_bolt' }
    const other = { lookupId: bolt, customId: boltId, runId: 'run_acme' }
    expect(await checkpoint.swapRuns(one, other, startMs)).toBe(true)
    expect(await checkpoint.swapRuns(one, other, startMs)).toBe(false)
    expect(await checkpoint.findByRun('run_acme')).toMatchObject({
      lookupId: acme,
      customId: acmeId,
      needsAttention: null,
    })
    expect(await checkpoint.findByRun('run_bolt')).toMatchObject({ lookupId: bolt, customId: boltId })
    expect(await checkpoint.listContenders('run_acme')).toMatchObject([{ customId: acmeId }])
    expect(await checkpoint.answer(acme, answerTo('run_acme'))).toBe(true)
    const exchanged = [
      { ...one, runId: 'run_acme' },
      { ...other, runId: 'run_bolt' },
    ] as const
    expect(await checkpoint.swapRuns(...exchanged, startMs)).toBe(false)
    expect(await checkpoint.answer(bolt, answerTo('run_bolt'))).toBe(true)
    expect(await checkpoint.countSpent()).toBe(2)
  })
})

describeCheckpoints('contested runs', (at) => {
  let fileCount = 0

  /** Two submissions, of which the service gave the first a run; the second will be given the same one. */
  async function begin(first: 'running' | 'answered', body?: object) {
    const name = `${++fileCount}.sqlite`
    const checkpoint = await at.open(name)
    const [acme = 0, bolt = 0] = await checkpoint.registerLookups(keyed('Acme', 'Bolt'))
    const acmeId = (await checkpoint.intend(acme, startMs)).customId
    const boltId = (await checkpoint.intend(bolt, startMs)).customId
    await checkpoint.accept(acme, acmeId, 'run_1', startMs)
    const run = { run_id: 'run_1', status: 'COMPLETED', ...body }
    if (first === 'answered') {
      expect(await checkpoint.answer(acme, answerTo('run_1', { body: JSON.stringify(run) }))).toBe(true)
    }
    const states = async () => {
      const reader = await at.read(name)
      const known = reader.readAnswers([acme, bolt]).map((one) => [one?.state, one?.runId, one?.failure])
      reader.close()
      return known
    }
    return { name, checkpoint, acme, bolt, acmeId, boltId, states }
  }

  const uncertain = ['uncertain', null, 'the service named run_1, the run of another submission']

  describe('a run that the service names for two submissions', () => {
    test('the first needs attention, the second uncertain, and an answer that proves nothing is not taken', async () => {
      const { name, checkpoint, acme, bolt, acmeId, boltId, states } = await begin('running')
      expect(await checkpoint.listContenders('run_1')).toMatchObject([{ customId: acmeId }])
      expect(await checkpoint.accept(bolt, boltId, 'run_1', startMs)).toBe('contested')
      expect(await states()).toEqual([['running', 'run_1', 'the service named run_1 twice'], uncertain])
      expect(await checkpoint.listContenders('run_1')).toEqual([
        { customId: acmeId, lookupId: acme, name: 'Acme' },
        { customId: boltId, lookupId: bolt, name: 'Bolt' },
      ])
      const before = await at.everyRow(name)
      expect(await checkpoint.answer(acme, answerTo('run_1'))).toBe('contested')
      expect(await at.everyRow(name)).toEqual(before)
      expect(await checkpoint.countSpent()).toBe(2)
    })

    test('an answer that is proved to be the first one’s is taken; the second stays uncertain', async () => {
      const { checkpoint, acme, bolt, boltId, states } = await begin('running')
      await checkpoint.accept(bolt, boltId, 'run_1', startMs)
      expect(await checkpoint.answer(acme, answerTo('run_1'), true)).toBe(true)
      expect(await states()).toEqual([['answered', 'run_1', null], uncertain])
      expect(await checkpoint.assignRun(boltId, 'run_1', startMs)).toBe(false)
    })

    test('one that is proved to be the second one’s makes the run its own, and the first uncertain', async () => {
      const { checkpoint, acme, bolt, acmeId, boltId, states } = await begin('running')
      await checkpoint.accept(bolt, boltId, 'run_1', startMs)
      expect(await checkpoint.claim(boltId, 'run_1', startMs)).toBe('contested')
      expect(await checkpoint.assignRun(boltId, 'run_1', startMs)).toBe(true)
      expect(await states()).toEqual([uncertain, ['running', 'run_1', null]])
      expect(await checkpoint.findByRun('run_1')).toMatchObject({ lookupId: bolt, customId: boltId })
      expect(await checkpoint.answer(acme, answerTo('run_1'), true)).toBe(false)
      expect(await checkpoint.answer(bolt, answerTo('run_1'), true)).toBe(true)
      // A webhook may yet name the run that was made for the first.
      expect(await checkpoint.claim(acmeId, 'run_2', startMs)).toBe('claimed')
      expect(await checkpoint.answer(acme, answerTo('run_2'))).toBe(true)
    })

    test.each([
      ['bears its custom_id', (id: string) => ({ custom_id: id }), ['answered', 'run_1', null]],
      ['names it', () => ({ data: { metadata: { query: { name: 'ACME' } } } }), ['answered', 'run_1', null]],
      ['proves nothing', () => ({}), ['uncertain', null, 'the service named run_1 twice']],
    ])('the first is answered already, and the answer %s', async (_, body, state) => {
      const { name, checkpoint, acme, bolt, acmeId, boltId, states } = await begin('running')
      const run = { run_id: 'run_1', status: 'COMPLETED', ...body(acmeId) }
      await checkpoint.answer(acme, answerTo('run_1', { body: JSON.stringify(run) }))
      expect(await checkpoint.accept(bolt, boltId, 'run_1', startMs)).toBe('contested')
      expect(await states()).toEqual([state, uncertain])
      // What is held is not shown as an answer.
      const reader = await at.read(name)
      expect(reader.readLines([acme], linesOf(1))[0] === null).toBe(state[0] === 'uncertain')
      reader.close()
    })

    test('a run of the same id at another service is another run', async () => {
      const name = `${++fileCount}.sqlite`
      for (const service of ['https://a.example', 'https://b.example']) {
        const checkpoint = await at.open(name, service)
        const [acme = 0] = await checkpoint.registerLookups(keyed('Acme'))
        const { customId } = await checkpoint.intend(acme, startMs)
        expect(await checkpoint.accept(acme, customId, 'run_1', startMs)).toBe(true)
        expect(await checkpoint.answer(acme, answerTo('run_1'))).toBe(true)
        await checkpoint.close()
      }
    })

    test('a run stops needing attention', async () => {
      const { checkpoint, acme, states } = await begin('running')
      await checkpoint.setNeedsAttention(acme, 'the service answered with another run')
      await checkpoint.setNeedsAttention(acme, null)
      expect((await states())[0]).toEqual(['running', 'run_1', null])
    })
  })
})
