import { readStageAnswers } from '../../../src/pipeline/answers/stage-answers.js'
import { afterEach, describe, expect, test } from 'vitest'
import { buildStageLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { createEmptyPlan, type PlanPolicy } from '../../../src/core/lookup-state.js'
import { describeCheckpoints } from './openers.js'
import { answerTo, keyed, keyOf, startMs, toKeys } from './support.js'

const policy: PlanPolicy = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' }
const none = createEmptyPlan()
const acme = buildStageLookup('entity', 'siq_acme')
const bolt = buildStageLookup('entity', 'siq_bolt')
const domain = buildStageLookup('domain', 'acme.com')

const matched = JSON.stringify({
  status: 'COMPLETED',
  data: { status: 'matched', entity: { id: 'siq_acme', website: 'https://acme.com' } },
})

describeCheckpoints('kinds', (at) => {
  afterEach(() => at.close())

  describe('lookups of several kinds in one checkpoint', () => {
    test('one key of two kinds is two lookups, each planned and submitted with its own', async () => {
      const checkpoint = await at.open('apart')
      const [{ key, lookup }] = keyed('Acme') as [ReturnType<typeof keyed>[number]]
      const [first = 0] = await checkpoint.store.register([{ kind: 'resolution', key, lookup }])
      const entities = checkpoint.forKind('entity')
      const { plan } = await entities.follow([{ kind: 'entity', key, lookup }], policy)
      expect(plan).toEqual({ ...none, submit: 1 })
      expect(await checkpoint.plan(policy)).toEqual({ ...none, submit: 1 })
      const [own] = await entities.read('to_submit', { after: 0, count: 10 })
      expect(own?.lookup.lookupId).not.toBe(first)
      expect(
        (await checkpoint.read('to_submit', { after: 0, count: 10 })).map((one) => one.lookup.lookupId),
      ).toEqual([first])
      expect(checkpoint.forKind('entity')).toEqual(entities)
    })

    test('what follows twice is planned once; only what is new is added', async () => {
      const entities = (await at.open('twice')).forKind('entity')
      expect((await entities.follow([acme], policy)).plan).toEqual({ ...none, submit: 1 })
      expect((await entities.follow([acme, bolt], policy)).plan).toEqual({ ...none, submit: 1 })
      expect(
        (await entities.read('to_submit', { after: 0, count: 10 })).map(({ lookup }) => lookup.name),
      ).toEqual(['siq_acme', 'siq_bolt'])
    })

    test('what is asked again under the same run id is no contest', async () => {
      const entities = (await at.open('again')).forKind('entity')
      for (const nowMs of [startMs, startMs + 10_000]) {
        await entities.follow([acme], { ...policy, nowMs, maxAgeMs: 1_000 })
        const plan = await entities.plan({ ...policy, nowMs, maxAgeMs: 1_000 })
        expect(plan).toEqual({ ...none, submit: 1 })
        const [entry] = await entities.read('to_submit', { after: 0, count: 1 })
        const lookupId = entry?.lookup.lookupId ?? 0
        const { customId } = await entities.intend(lookupId, nowMs)
        expect(
          await entities.apply({ event: 'accept', lookupId, customId, runId: 'entity:siq_acme', nowMs }),
        ).toBe(true)
        expect(
          await entities.apply({
            event: 'answer',
            lookupId,
            answer: answerTo('entity:siq_acme', { answeredAtMs: nowMs }),
          }),
        ).toBe(true)
      }
    })

    test('a budget counts the submissions of its kind', async () => {
      const checkpoint = await at.open('budget')
      const [first = 0] = await checkpoint.store.register(keyed('Acme'))
      await checkpoint.intend(first, startMs)
      const domains = checkpoint.forKind('domain')
      expect(await domains.read('spent')).toBe(0)
      await domains.follow([domain], policy)
      const [entry] = await domains.read('to_submit', { after: 0, count: 1 })
      await domains.intend(entry?.lookup.lookupId ?? 0, startMs)
      expect([await checkpoint.read('spent'), await domains.read('spent')]).toEqual([1, 1])
      // A row that asks by a domain spends of the job's budget; a domain that follows from an answer does not.
      expect(await domains.read('spent_by_rows')).toBe(0)
      const [asked = 0] = await checkpoint.store.register([buildStageLookup('domain', 'row.example')])
      await domains.intend(asked, startMs)
      expect([await domains.read('spent'), await domains.read('spent_by_rows')]).toEqual([2, 1])
    })

    test('when the submissions of a kind left is known, however many of another left since', async () => {
      const checkpoint = await at.open('recent')
      const [first = 0] = await checkpoint.store.register(keyed('Acme'))
      await checkpoint.intend(first, startMs)
      const entities = checkpoint.forKind('entity')
      await entities.follow(
        Array.from({ length: 20 }, (_, index) => buildStageLookup('entity', `siq_${index}`)),
        policy,
      )
      for (const { lookup } of await entities.read('to_submit', { after: 0, count: 20 }))
        await entities.intend(lookup.lookupId, startMs + 5)
      expect(await checkpoint.read('recent_submissions', { afterMs: startMs - 1, count: 3 })).toEqual([
        startMs,
      ])
      expect(await entities.read('recent_submissions', { afterMs: startMs - 1, count: 3 })).toEqual([
        startMs + 5,
        startMs + 5,
        startMs + 5,
      ])
    })

    test('after a kill: a lost domain is held, a lost read is made again, lost research is polled', async () => {
      const lost = { domain, entity: acme, hierarchy: buildStageLookup('hierarchy', 'siq_acme') }
      const first = await at.open('lost')
      for (const [kind, lookup] of Object.entries(lost) as [keyof typeof lost, typeof acme][]) {
        await first.forKind(kind).follow([lookup], policy)
        const [entry] = await first.forKind(kind).read('to_submit', { after: 0, count: 1 })
        await first.forKind(kind).intend(entry?.lookup.lookupId ?? 0, startMs)
      }
      await first.close()
      const next = await at.open('lost')
      expect((await next.forKind('domain').follow([domain], policy)).plan).toEqual({ ...none, uncertain: 1 })
      const read = await next.forKind('entity').follow([acme], { ...policy, onLost: 'resubmit' })
      expect(read.plan).toEqual({ ...none, submit: 1 })
      const research = await next.forKind('hierarchy').follow([lost.hierarchy], { ...policy, onLost: 'poll' })
      expect(research.plan).toEqual({ ...none, poll: 1 })
      expect(research.open).toMatchObject([{ runId: 'hierarchy:siq_acme', name: 'siq_acme' }])
      // Why it may not have been taken is known as long as nobody has said that it was.
      expect(research.open[0]?.needsAttention).not.toBeNull()
      const { lookupId = 0, customId = '' } = research.open[0] ?? {}
      await next.forKind('hierarchy').apply({ event: 'disprove', lookupId, customId, reason: 'never begun' })
      expect(
        (await next.forKind('hierarchy').read('to_submit', { after: 0, count: 1 })).map(
          ({ lookup }) => lookup.lookupId,
        ),
      ).toEqual([lookupId])
      await at.assertSound('lost')
    })

    test('answers to first questions are read in pages, those of what follows are not among them', async () => {
      const checkpoint = await at.open('first')
      const ids = await checkpoint.store.register(keyed('a', 'b', 'c'))
      for (const id of ids.slice(0, 2)) {
        const { customId } = await checkpoint.intend(id, startMs)
        await checkpoint.apply({
          event: 'accept',
          lookupId: id,
          customId,
          runId: `run_${id}`,
          nowMs: startMs,
        })
        await checkpoint.apply({
          event: 'answer',
          lookupId: id,
          answer: answerTo(`run_${id}`, { body: matched }),
        })
      }
      const [page] = await checkpoint.read('row_answers', { after: 0, count: 1 })
      expect(page).toMatchObject({ lookupId: ids[0], asked: { name: 'a' }, body: matched })
      expect(await checkpoint.read('row_answers', { after: page?.position ?? 0, count: 10 })).toMatchObject([
        { lookupId: ids[1] },
      ])
      await checkpoint.forKind('domain').follow([domain], policy)
      const [entry] = await checkpoint.forKind('domain').read('to_submit', { after: 0, count: 1 })
      expect(await checkpoint.read('row_lookup', { lookupId: ids[2] ?? 0 })).toMatchObject({ name: 'c' })
      expect(await checkpoint.read('row_lookup', { lookupId: entry?.lookup.lookupId ?? 0 })).toBeNull()
    })

    test('a reader finds what follows from a first question, by whichever checkpoint asked it', async () => {
      const checkpoint = await at.open('read')
      const [id = 0, open = 0] = await checkpoint.store.register(keyed('Acme', 'Open'))
      const { customId } = await checkpoint.intend(id, startMs)
      await checkpoint.apply({ event: 'accept', lookupId: id, customId, runId: 'run_1', nowMs: startMs })
      await checkpoint.apply({ event: 'answer', lookupId: id, answer: answerTo('run_1', { body: matched }) })
      await checkpoint.forKind('entity').follow([acme], policy)
      const [entry] = await checkpoint.forKind('entity').read('to_submit', { after: 0, count: 1 })
      const lookupId = entry?.lookup.lookupId ?? 0
      const intention = await checkpoint.forKind('entity').intend(lookupId, startMs)
      await checkpoint.forKind('entity').apply({
        event: 'accept',
        lookupId,
        customId: intention.customId,
        runId: 'entity:siq_acme',
        nowMs: startMs,
      })
      await checkpoint.forKind('entity').apply({
        event: 'answer',
        lookupId,
        answer: answerTo('entity:siq_acme', { outcome: 'complete', line: '{"x":1}' }),
      })
      const reader = await at.read('read')
      const [stages, nothing] = readStageAnswers(reader, [id, open], ['entity', 'domain'])
      expect(stages?.entity).toMatchObject({
        name: 'siq_acme',
        known: { kind: 'entity', outcome: 'complete', line: '{"x":1}' },
      })
      expect(stages?.domain).toEqual({ name: 'acme.com', known: null })
      expect(nothing).toEqual({})
      expect(reader.find(toKeys('entity', [acme.key, keyOf('never')]))).toEqual([lookupId, 0])
      expect(reader.find(toKeys('hierarchy', [acme.key]))).toEqual([0])
    })

    test('resolutions alone leave a checkpoint as it was before there were kinds', async () => {
      const checkpoint = await at.open('plain')
      await checkpoint.store.register(keyed('Acme'))
      await checkpoint.forKind('entity').plan(policy)
      await checkpoint.close()
      const before = await at.everyRow('plain')
      await at.open('plain')
      await at.close()
      expect(await at.everyRow('plain')).toEqual(before)
    })
  })
})
