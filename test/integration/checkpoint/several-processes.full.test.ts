import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Checkpoint } from '../../../src/pipeline/checkpoint/checkpoint.js'
import type { Intention, SubmissionBounds } from '../../../src/pipeline/checkpoint/records.js'
import { buildStageLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { sweep } from '../../../src/pipeline/checkpoint/postgres/sweep.js'
import { createEmptyPlan, type PlanPolicy } from '../../../src/core/lookup-state.js'
import { findPostgres } from '../../support/postgres-server.js'
import { SharedPlace, type OpenedShared } from './shared-place.js'
import { answerTo, keyed, startMs } from './support.js'

const programs = findPostgres()

const policy: PlanPolicy = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' }
const names = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `company ${from + at}`)
const never = new AbortController().signal

describe.skipIf(programs === null)('several processes on one checkpoint', () => {
  const place = new SharedPlace(programs ?? '')
  let opened: OpenedShared[] = []
  let count = 0
  let name = ''

  async function processes(number: number): Promise<OpenedShared[]> {
    name = `several-${++count}`
    opened = []
    for (let one = 0; one < number; one++) opened.push(await place.open(name))
    return opened
  }

  afterEach(async () => {
    for (const { checkpoint } of opened) await checkpoint.close()
    if (opened.length > 0) await place.assertSound(name)
    opened = []
  })
  afterAll(() => place.remove())

  /** As after a lease that has run out. */
  async function takeToBeGone({ worker }: OpenedShared): Promise<void> {
    await place.asked(name, (statements) =>
      statements.query(
        `UPDATE enrich.workers SET lease_until = clock_timestamp() - interval '1 second' WHERE worker_id = $1`,
        [worker.id],
      ),
    )
    const { postgres } = opened.find((one) => one.worker.id !== worker.id) ?? opened[0]!
    await sweep(postgres)
  }

  const stateOf = async (lookupId: number) => {
    const [row] = await place.asked(name, (statements) =>
      statements.query<{ state: string; runId: string | null }>(
        'SELECT state, run_id AS "runId" FROM enrich.lookups WHERE lookup_id = $1',
        [lookupId],
      ),
    )
    return row
  }

  test('each lookup that several want is asked by one of them', async () => {
    const all = await processes(4)
    const wanted = await Promise.all(
      all.map(({ checkpoint }) => checkpoint.store.register(keyed(...names(500)))),
    )
    for (const ids of wanted) expect(ids).toEqual(wanted[0])
    const asked = await Promise.all(all.map(({ checkpoint }) => askAll(checkpoint)))
    expect(asked.flat().sort((one, other) => one - other)).toEqual([...wanted[0]!].sort((a, b) => a - b))
    for (const { checkpoint } of all) {
      expect(await checkpoint.store.others?.wait('resolution', never, 'all')).toBe(true)
      expect(await checkpoint.store.others?.wait('resolution', never, 'all')).toBe(false)
    }
    expect(await all[0]!.checkpoint.read('spent')).toBe(500)
  })

  test('what another one is about to submit, or has submitted, is not submitted here', async () => {
    const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
    const [first = 0, second = 0] = await a.checkpoint.store.register(keyed('a', 'b'))
    await b.checkpoint.store.register(keyed('a', 'b'))
    expect(await a.checkpoint.read('to_submit', { after: 0, count: 1 })).toHaveLength(1)
    expect(await b.checkpoint.intend(first, startMs)).toBe('elsewhere')
    expect(
      (await b.checkpoint.read('to_submit', { after: 0, count: 9 })).map(({ lookup }) => lookup.name),
    ).toEqual(['b'])
    const { customId } = (await a.checkpoint.intend(first, startMs)) as Intention
    expect(await b.checkpoint.intend(first, startMs)).toBe('elsewhere')
    expect(await b.checkpoint.plan(policy)).toEqual({ ...createEmptyPlan(), submit: 1, poll: 1 })
    await a.checkpoint.apply({ event: 'accept', lookupId: first, customId, runId: 'run_1', nowMs: startMs })
    expect(await b.checkpoint.read('pending_runs')).toEqual([])
    expect(await b.checkpoint.plan(policy)).toEqual({ ...createEmptyPlan(), submit: 1, poll: 1 })
    expect(await a.checkpoint.intend(second, startMs)).toBe('elsewhere')
  })

  test('what others ask is waited for, and counted once they have settled it', async () => {
    const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
    const ids = await a.checkpoint.store.register(keyed('answered', 'rejected', 'lost'))
    await b.checkpoint.store.register(keyed('answered', 'rejected', 'lost'))
    const intended = await Promise.all(ids.map((id) => a.checkpoint.intend(id, startMs)))
    const [one = '', two = '', three = ''] = intended.map((intention) => (intention as Intention).customId)
    await b.checkpoint.plan(policy)
    let isOver = false
    const waiting = b.checkpoint.store.others?.wait('resolution', never, 'all').finally(() => {
      isOver = true
    })
    await a.checkpoint.apply({
      event: 'accept',
      lookupId: ids[0]!,
      customId: one,
      runId: 'run_1',
      nowMs: startMs,
    })
    await a.checkpoint.apply({ event: 'reject', lookupId: ids[1]!, customId: two, reason: 'HTTP 400' })
    await a.checkpoint.apply({ event: 'lose', lookupId: ids[2]!, customId: three, reason: 'reset' })
    expect(await b.checkpoint.read('pending_runs')).toEqual([])
    expect(isOver).toBe(false)
    await a.checkpoint.apply({ event: 'answer', lookupId: ids[0]!, answer: answerTo('run_1') })
    expect(await waiting).toBe(true)
    expect(await b.checkpoint.store.others?.wait('resolution', never, 'all')).toBe(false)
    expect(await b.checkpoint.store.others?.countSettled('resolution')).toEqual({
      ...createEmptyPlan(),
      answered: 1,
      invalid: 1,
      uncertain: 1,
    })
    expect(await a.checkpoint.store.others?.countSettled('resolution')).toEqual({ ...createEmptyPlan() })
  })

  test('what one leaves when it ends is there for the others', async () => {
    const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
    const [running = 0] = await a.checkpoint.store.register(keyed('running', 'claimed'))
    await b.checkpoint.store.register(keyed('running', 'claimed'))
    await a.checkpoint.read('to_submit', { after: 0, count: 9 })
    const { customId } = (await a.checkpoint.intend(running, startMs)) as Intention
    await a.checkpoint.apply({ event: 'accept', lookupId: running, customId, runId: 'run_1', nowMs: startMs })
    expect(await b.checkpoint.read('to_submit', { after: 0, count: 9 })).toEqual([])
    await a.checkpoint.close()
    expect(await b.checkpoint.store.others?.wait('resolution', never, 'all')).toBe(true)
    expect(
      (await b.checkpoint.read('to_submit', { after: 0, count: 9 })).map(({ lookup }) => lookup.name),
    ).toEqual(['claimed'])
    expect(await b.checkpoint.read('pending_runs')).toMatchObject([
      { lookupId: running, runId: 'run_1', customId },
    ])
  })

  test('where nothing more is to be asked, what others have asked is waited for, and taken from who is gone', async () => {
    const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
    const [running = 0] = await a.checkpoint.store.register(keyed('running', 'new'))
    await b.checkpoint.store.register(keyed('running', 'new'))
    // New, and nobody's: it stays for the next job.
    expect(await b.checkpoint.store.others?.wait('resolution', never, 'runs')).toBe(false)
    const { customId } = (await a.checkpoint.intend(running, startMs)) as Intention
    let isOver = false
    const waiting = b.checkpoint.store.others?.wait('resolution', never, 'runs').finally(() => {
      isOver = true
    })
    await a.checkpoint.apply({ event: 'accept', lookupId: running, customId, runId: 'run_1', nowMs: startMs })
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(isOver).toBe(false)
    await takeToBeGone(a)
    expect(await waiting).toBe(true)
    expect(await b.checkpoint.read('pending_runs')).toMatchObject([{ lookupId: running, runId: 'run_1' }])
    await b.checkpoint.apply({ event: 'answer', lookupId: running, answer: answerTo('run_1') })
    expect(await b.checkpoint.store.others?.wait('resolution', never, 'runs')).toBe(false)
  })

  describe('one that is taken to be gone', () => {
    async function lateOne(bounds?: SubmissionBounds) {
      const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
      const [id = 0] = await a.checkpoint.store.register(keyed('Acme'))
      await b.checkpoint.store.register(keyed('Acme'))
      const { customId } = (await a.checkpoint.intend(id, startMs, bounds)) as Intention
      await takeToBeGone(a)
      return { a, b, id, customId }
    }

    test('may have submitted what it intended, which is uncertain, held, and counted as paid', async () => {
      const { b, id } = await lateOne()
      expect(await stateOf(id)).toMatchObject({ state: 'uncertain' })
      for (const onLost of ['hold', 'resubmit'] as const)
        expect(await b.checkpoint.plan({ ...policy, onLost })).toEqual({ ...createEmptyPlan(), uncertain: 1 })
      expect(await b.checkpoint.read('to_submit', { after: 0, count: 9 })).toEqual([])
      expect(await b.checkpoint.read('spent')).toBe(1)
      expect(await b.checkpoint.store.others?.wait('resolution', never, 'all')).toBe(false)
    })

    test('and is told late that it was accepted: the run is known, and polled by who wants it', async () => {
      const { a, b, id, customId } = await lateOne()
      expect(
        await a.checkpoint.apply({ event: 'accept', lookupId: id, customId, runId: 'run_1', nowMs: startMs }),
      ).toBe(true)
      expect(await stateOf(id)).toMatchObject({ state: 'running', runId: 'run_1' })
      expect(await b.checkpoint.store.others?.wait('resolution', never, 'all')).toBe(true)
      expect(await b.checkpoint.read('pending_runs')).toMatchObject([{ lookupId: id, runId: 'run_1' }])
      expect(await a.checkpoint.apply({ event: 'answer', lookupId: id, answer: answerTo('run_1') })).toBe(
        true,
      )
      expect(
        await b.checkpoint.apply({
          event: 'answer',
          lookupId: id,
          answer: answerTo('run_1', { body: '{"other":1}' }),
        }),
      ).toBe(false)
    })

    test.each([
      ['withdraw', 'new'],
      ['reject', 'invalid'],
    ] as const)(
      'and knows late that nothing was created: %s, and the budget is there again',
      async (step, state) => {
        const bounds = { rowsMax: 1, kindMax: null, priceMicros: 5, costMaxMicros: 5 }
        const { a, b, id, customId } = await lateOne(bounds)
        const [other = 0] = await b.checkpoint.store.register(keyed('Other'))
        expect(await b.checkpoint.intend(other, startMs, bounds)).toBe('of_rows')
        const update = { event: step, lookupId: id, customId, reason: 'HTTP 400' } as const
        expect(await a.checkpoint.apply(update)).toBe(true)
        expect(await stateOf(id)).toMatchObject({ state })
        expect(await b.checkpoint.read('spent')).toBe(0)
        expect(await b.checkpoint.intend(other, startMs, bounds)).toMatchObject({ attempt: 1 })
      },
    )

    test('and takes back late what never left: others submit it at once', async () => {
      const { a, b, id, customId } = await lateOne()
      expect(
        await a.checkpoint.apply({
          event: 'withdraw',
          lookupId: id,
          customId,
          reason: 'the lease expired before it was sent',
        }),
      ).toBe(true)
      expect(await b.checkpoint.store.others?.wait('resolution', never, 'all')).toBe(true)
      expect(await b.checkpoint.read('to_submit', { after: 0, count: 9 })).toMatchObject([
        { lookup: { lookupId: id } },
      ])
      expect(await b.checkpoint.intend(id, startMs)).toMatchObject({ attempt: 2 })
    })

    test('is submitted again by the word of the user, and only once nothing late can come', async () => {
      const { a, b, id, customId } = await lateOne()
      await place.asked(name, (statements) =>
        statements.query(
          `UPDATE enrich.workers SET fenced_at = fenced_at - interval '1 hour' WHERE is_fenced`,
        ),
      )
      expect(await b.checkpoint.plan({ ...policy, onLost: 'resubmit' })).toMatchObject({ submit: 1 })
      const second = (await b.checkpoint.intend(id, startMs)) as Intention
      expect(second.attempt).toBe(2)
      // It was billed, and changes nothing of what goes on since.
      expect(
        await a.checkpoint.apply({ event: 'accept', lookupId: id, customId, runId: 'run_1', nowMs: startMs }),
      ).toBe(false)
      expect(await stateOf(id)).toMatchObject({ state: 'intended' })
      expect(
        await b.checkpoint.apply({
          event: 'accept',
          lookupId: id,
          customId: second.customId,
          runId: 'run_2',
          nowMs: startMs,
        }),
      ).toBe(true)
      expect(await b.checkpoint.read('spent')).toBe(2)
      expect(await b.checkpoint.apply({ event: 'claim', customId, runId: 'run_1', nowMs: startMs })).toBe(
        'known',
      )
    })

    test('holds nothing, though it claimed it before it knew', async () => {
      const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
      await a.checkpoint.store.register(keyed('Acme'))
      await b.checkpoint.store.register(keyed('Acme'))
      await place.asked(name, (statements) =>
        statements.query('UPDATE enrich.workers SET is_fenced = true, is_swept = true WHERE worker_id = $1', [
          a.worker.id,
        ]),
      )
      expect(await a.checkpoint.read('to_submit', { after: 0, count: 9 })).toHaveLength(1)
      expect(await b.checkpoint.store.others?.wait('resolution', never, 'all')).toBe(true)
      expect(
        (await b.checkpoint.read('to_submit', { after: 0, count: 9 })).map(({ lookup }) => lookup.name),
      ).toEqual(['Acme'])
    })

    test.each([
      ['server_changed', 'CHECKPOINT_SERVER_CHANGED'],
      ['gone', 'CHECKPOINT_LEASE_LOST'],
    ] as const)('submits nothing more where it is %s, and says so at once', async (end, code) => {
      const { a, b } = await lateOne()
      const [other = 0] = await a.checkpoint.store.register(keyed('Other'))
      await b.checkpoint.store.register(keyed('Other'))
      a.worker.end = end
      await expect(a.checkpoint.intend(other, startMs)).rejects.toMatchObject({ code })
      expect(await stateOf(other)).toMatchObject({ state: 'new' })
      await expect(a.checkpoint.store.others?.wait('resolution', never, 'all')).rejects.toMatchObject({
        code,
      })
    })

    test('has its runs adopted; one that lives keeps them', async () => {
      const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
      const [id = 0] = await a.checkpoint.store.register(keyed('Acme'))
      await b.checkpoint.store.register(keyed('Acme'))
      const { customId } = (await a.checkpoint.intend(id, startMs)) as Intention
      await a.checkpoint.apply({ event: 'accept', lookupId: id, customId, runId: 'run_1', nowMs: startMs })
      expect(await b.checkpoint.read('pending_runs')).toEqual([])
      await takeToBeGone(a)
      expect(await b.checkpoint.read('pending_runs')).toMatchObject([{ lookupId: id }])
    })
  })

  describe('a retry on the way', () => {
    const retried = ['matched']
    const three = names(3)

    /** Three answered lookups, and a retry that reopened them and submitted the first. */
    async function retryOn(answeredAtMs = startMs) {
      const [first] = (await processes(1)) as [OpenedShared]
      const ids = await first.checkpoint.store.register(keyed(...three))
      await submitAll(first, answeredAtMs)
      await first.checkpoint.close()
      opened = []
      const retry = await openFor({ ...policy, askAgain: retried }, retried)
      expect((await openNames(retry)).length).toBe(3)
      await intendAndAnswer(retry, ids[0] ?? 0, startMs)
      return { retry, ids }
    }

    async function openFor(its: PlanPolicy, statuses: readonly string[] = []) {
      const one = await place.open(name, { retried: statuses })
      opened.push(one)
      await one.checkpoint.store.register(keyed(...three))
      const plan = await one.checkpoint.plan(its)
      return Object.assign(one, { plan })
    }

    const openNames = async ({ checkpoint }: OpenedShared) =>
      (await checkpoint.read('to_submit', { after: 0, count: 9 })).map(({ lookup }) => lookup.name)

    async function intendAndAnswer({ checkpoint }: OpenedShared, lookupId: number, answeredAtMs: number) {
      const { customId } = (await checkpoint.intend(lookupId, startMs)) as Intention
      await checkpoint.apply({
        event: 'accept',
        lookupId,
        customId,
        runId: `run_${customId}`,
        nowMs: startMs,
      })
      const answer = answerTo(`run_${customId}`, { answeredAtMs })
      await checkpoint.apply({ event: 'answer', lookupId, answer })
    }

    async function submitAll(one: OpenedShared, answeredAtMs: number): Promise<void> {
      const { checkpoint } = one
      for (const { lookup } of await checkpoint.read('to_submit', { after: 0, count: 9 }))
        await intendAndAnswer(one, lookup.lookupId, answeredAtMs)
    }

    const wait = async ({ checkpoint }: OpenedShared, what: 'all' | 'submissions' = 'all') =>
      checkpoint.store.others?.wait('resolution', never, what)

    test.each([
      ['a run', policy, []],
      ['the retry of another status', { ...policy, askAgain: ['no_match'] }, ['no_match']],
      ['a run with a maximum age', { ...policy, maxAgeMs: 3_600_000 }, []],
      ['a run that pays for lost ones', { ...policy, onLost: 'resubmit' as const }, []],
    ])('%s submits nothing that it reopened, alive or dead', async (_, its, statuses) => {
      const { retry, ids } = await retryOn()
      const others = [await openFor(its, statuses), await openFor(its, statuses)]
      for (const other of others) {
        expect(other.plan).toEqual({ ...createEmptyPlan(), answered: 1, poll: 2 })
        expect(await openNames(other)).toEqual([])
      }
      expect(await openNames(retry)).toEqual(three.slice(1))
      const waiting = others.map((other, at) => wait(other, at === 0 ? 'submissions' : 'all'))
      await takeToBeGone(retry)
      for (const isLeft of await Promise.all(waiting)) expect(typeof isLeft).toBe('boolean')
      for (const other of others) {
        expect(await openNames(other)).toEqual([])
        expect(await wait(other, 'submissions')).toBe(false)
        expect(await other.checkpoint.plan(its)).toEqual({ ...createEmptyPlan(), answered: 3 })
      }
      for (const id of ids) expect(await stateOf(id)).toMatchObject({ state: 'answered' })
    })

    test('a dead one is continued by the same one, which may run on several machines', async () => {
      const { retry } = await retryOn()
      await takeToBeGone(retry)
      const same = { ...policy, askAgain: retried }
      const [a, b] = [await openFor(same, retried), await openFor(same, retried)]
      expect([a.plan.submit, b.plan.submit]).toEqual([2, 2])
      expect(await a.checkpoint.read('to_submit', { after: 0, count: 1 })).toHaveLength(1)
      expect(await openNames(b)).toEqual(three.slice(2))
      await submitAll(a, startMs)
      await submitAll(b, startMs)
      expect((await openFor(same, retried)).plan).toEqual({ ...createEmptyPlan(), answered: 3 })
    })

    test('one that ends gives the answers back to the runs that wait for it', async () => {
      const { retry } = await retryOn()
      const other = await openFor(policy)
      expect(other.plan).toMatchObject({ poll: 2 })
      const waiting = wait(other)
      await retry.checkpoint.close()
      expect(await waiting).toBe(true)
      expect(await wait(other)).toBe(false)
      expect(await other.checkpoint.store.others?.countSettled('resolution')).toMatchObject({ answered: 2 })
    })

    test('an old answer that it reopened is looked up by a run with a maximum age, once', async () => {
      const { retry } = await retryOn(startMs - 7_200_000)
      const other = await openFor({ ...policy, maxAgeMs: 3_600_000 })
      expect(other.plan).toMatchObject({ answered: 1, poll: 2 })
      await takeToBeGone(retry)
      expect(await wait(other)).toBe(true)
      expect(await openNames(other)).toEqual(three.slice(1))
      await submitAll(other, startMs)
      const same = await openFor({ ...policy, askAgain: retried }, retried)
      expect(same.plan).toMatchObject({ submit: 2, answered: 1 })
    })
  })

  describe('the budget of a job', () => {
    const bounds = { rowsMax: null, kindMax: null, priceMicros: 7, costMaxMicros: null }

    test.each<[string, SubmissionBounds, string, number]>([
      ['of what rows ask', { ...bounds, rowsMax: 23 }, 'of_rows', 23],
      ['of a kind', { ...bounds, kindMax: 23 }, 'lookups_max', 23],
      ['of money', { ...bounds, costMaxMicros: 7 * 23 + 6 }, 'cost_max', 23],
    ])(
      '%s is used to its end by all processes together, and never exceeded',
      async (_, own, refusal, max) => {
        const all = await processes(3)
        const intended = await Promise.all(
          all.map(async ({ checkpoint }, at) => {
            const ids = await checkpoint.store.register(keyed(...names(20, at * 20)))
            return Promise.all(ids.map((id) => checkpoint.intend(id, startMs, own)))
          }),
        )
        const refused = intended.flat().filter((one) => typeof one === 'string')
        expect(refused).toEqual(Array.from({ length: 60 - max }, () => refusal))
        expect(await all[0]!.checkpoint.read('spent')).toBe(max)
      },
    )

    test('begins again after the end of the last process of the job', async () => {
      const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
      const [id = 0] = await a.checkpoint.store.register(keyed('Acme'))
      await a.checkpoint.apply({
        event: 'reject',
        lookupId: id,
        customId: ((await a.checkpoint.intend(id, startMs)) as Intention).customId,
        reason: 'x',
      })
      const [other = 0] = await a.checkpoint.store.register(keyed('Other'))
      await a.checkpoint.apply({
        event: 'lose',
        lookupId: other,
        customId: ((await a.checkpoint.intend(other, startMs)) as Intention).customId,
        reason: 'x',
      })
      await a.checkpoint.endJob(startMs)
      expect(await b.checkpoint.read('spent')).toBe(1)
      const during = await place.open(name)
      expect(await during.checkpoint.read('spent')).toBe(1)
      await during.checkpoint.close()
      await b.checkpoint.endJob(startMs)
      const after = await place.open(name)
      expect(await after.checkpoint.read('spent')).toBe(0)
      await after.checkpoint.close()
    })

    test('of a stage is not begun again while another process of the job is active', async () => {
      const [a, b] = (await processes(2)) as [OpenedShared, OpenedShared]
      const [one, other] = [a, b].map(({ checkpoint }) => checkpoint.forKind('domain'))
      const lookup = buildStageLookup('domain', 'acme.example')
      const [id = 0] = await a.checkpoint.store.register([lookup])
      await b.checkpoint.store.register([lookup])
      await one!.intend(id, startMs)
      await one!.endJob(startMs)
      expect(await other!.read('spent')).toBe(1)
      await a.checkpoint.close()
      await other!.endJob(startMs)
      expect(await other!.read('spent')).toBe(0)
    })
  })

  describe('a connection that breaks', () => {
    test('at any moment, of all at once: nothing is asked twice, and nothing that was acknowledged is lost', async () => {
      const all = await processes(2)
      const wanted = await Promise.all(
        all.map(({ checkpoint }) => checkpoint.store.register(keyed(...names(400)))),
      )
      const breaking = new AbortController()
      onTestFinished(() => {
        breaking.abort()
      })
      const breaks = breakOff(breaking.signal)
      const asked = await Promise.all(all.map(({ checkpoint }) => askAll(checkpoint)))
      breaking.abort()
      expect(await breaks).toBeGreaterThan(5)
      expect(asked.flat().sort((a, b) => a - b)).toEqual([...wanted[0]!].sort((a, b) => a - b))
      expect(await all[0]!.checkpoint.read('spent')).toBe(400)
    })

    test('since the server was killed and started again', async () => {
      const all = await processes(2)
      const wanted = await Promise.all(
        all.map(({ checkpoint }) => checkpoint.store.register(keyed(...names(300)))),
      )
      const asking = Promise.all(all.map(({ checkpoint }) => askAll(checkpoint)))
      const server = await place.server()
      for (let crashes = 0; crashes < 2; crashes++) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        await server.crash()
        await server.startAgain()
      }
      const asked = await asking
      expect(asked.flat().sort((a, b) => a - b)).toEqual([...wanted[0]!].sort((a, b) => a - b))
      expect(await all[0]!.checkpoint.read('spent')).toBe(300)
    })

    /**
     * Ends every connection to the database of this test, again and again. Gives how many it ended. The pauses grow, so
     * that a slow machine comes to its end too.
     */
    async function breakOff(signal: AbortSignal): Promise<number> {
      const server = await place.server()
      let ended = 0
      for (let pauseMs = 15; !signal.aborted; pauseMs *= 1.1) {
        const gone = server.sql(
          `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
           WHERE datname <> 'postgres' AND backend_type = 'client backend'`,
        )
        ended += Number(gone)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      return ended
    }
  })
})

/** Asks all that is there to be asked, sixteen at a time, to its answer; gives what this process asked. */
async function askAll(checkpoint: Checkpoint): Promise<number[]> {
  const asked: number[] = []
  let position = 0
  for (;;) {
    const page = await checkpoint.read('to_submit', { after: position, count: 16 })
    const last = page.at(-1)
    if (last === undefined) return asked
    position = last.position
    await Promise.all(
      page.map(async ({ lookup: { lookupId } }) => {
        const intention = await checkpoint.intend(lookupId, startMs)
        if (typeof intention === 'string') return
        asked.push(lookupId)
        const runId = `run_${lookupId}`
        expect(
          await checkpoint.apply({
            event: 'accept',
            lookupId,
            customId: intention.customId,
            runId,
            nowMs: startMs,
          }),
        ).toBe(true)
        expect(await checkpoint.apply({ event: 'answer', lookupId, answer: answerTo(runId) })).toBe(true)
      }),
    )
  }
}
