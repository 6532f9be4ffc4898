import { afterAll, describe, expect, test } from 'vitest'
import { lookupStates, type LookupState } from '../../src/core/lookup-state.js'
import { sweep } from '../../src/pipeline/checkpoint/postgres/sweep.js'
import { SharedPlace, type OpenedShared } from '../integration/checkpoint/shared-place.js'
import { answerTo, keyed, startMs } from '../integration/checkpoint/support.js'
import { findPostgres } from '../support/postgres-server.js'
import { listSteps } from './steps.js'
import { createWorld, plan, realRules, startWorker, type Worker, type World } from './world.js'

/** The other process; the first one is alive. */
const lives = {
  alive: {},
  fenced: { life: 'suspended', isFenced: true },
  'fenced and released': { life: 'suspended', isFenced: true, isSwept: true },
  'fenced so long ago that no request arrives': {
    life: 'suspended',
    isFenced: true,
    isSwept: true,
    isLateOver: true,
  },
  ended: { life: 'ended', isFenced: true, isSwept: true },
} as const satisfies Record<string, Partial<Worker>>
type Life = keyof typeof lives

const sqlOfLife: Readonly<Record<Life, string>> = {
  alive: 'is_fenced = false',
  fenced: 'is_fenced = true, fenced_at = clock_timestamp()',
  'fenced and released': 'is_fenced = true, fenced_at = clock_timestamp(), is_swept = true',
  'fenced so long ago that no request arrives': `is_fenced = true, is_swept = true,
    fenced_at = clock_timestamp() - interval '2 minutes'`,
  ended: 'is_fenced = true, fenced_at = clock_timestamp(), ended_at = clock_timestamp(), is_swept = true',
}

/** The verdict of the last submission of a lookup in this state. */
const verdicts: Readonly<Record<LookupState, string>> = {
  new: 'not_created',
  intended: 'intended',
  running: 'accepted',
  answered: 'accepted',
  failed: 'accepted',
  invalid: 'rejected',
  uncertain: 'uncertain',
}

/** A row of `lookups` and of `submissions`: 0 is the first process, 1 the other one. */
interface Case {
  readonly state: LookupState
  readonly owner: 0 | 1 | null
  /** Who submitted it last; `null`: nobody yet. */
  readonly submittedBy: 0 | 1 | null
}

const cases: readonly Case[] = lookupStates.flatMap((state) =>
  ([null, 0, 1] as const).flatMap((owner) =>
    (state === 'new' ? ([null, 0, 1] as const) : ([0, 1] as const)).map((submittedBy) => ({
      state,
      owner,
      submittedBy,
    })),
  ),
)

interface After {
  readonly state: string
  readonly owner: number | null
  readonly isSubmitted: boolean
  /** That of its submission before. */
  readonly verdict: string | null
}

function toWorld({ state, owner, submittedBy }: Case, life: Life, onLost: Worker['onLost']): World {
  const world = createWorld({ list: 'one', budget: 9, faults: 0 })
  world.workers = [
    { ...startWorker(0, onLost), life: 'running' },
    { ...startWorker(1, 'hold'), life: 'running', ...lives[life] },
  ]
  const isRun = verdicts[state] === 'accepted'
  const customId = submittedBy === null ? null : 'shared_1'
  const runId = isRun ? 'run of shared_1' : null
  Object.assign(world.rows.shared, { state, owner, attempt: submittedBy === null ? 0 : 1, customId, runId })
  if (submittedBy !== null)
    world.submissions['shared_1'] = { lookup: 'shared', worker: submittedBy, verdict: verdicts[state], runId }
  return world
}

const readWorld = ({ rows: { shared }, submissions }: World): After => ({
  state: shared.state,
  owner: shared.owner,
  isSubmitted: shared.customId !== null,
  verdict: submissions['shared_1']?.verdict ?? null,
})

const stepsOf = (world: World) => listSteps(world, realRules, { list: 'one', budget: 9, faults: 0 })

const programs = findPostgres()

describe.skipIf(programs === null)('what the model says of the statements is what a server does', () => {
  const place = new SharedPlace(programs ?? '')
  let count = 0
  afterAll(() => place.remove())

  /** All cases as rows of one database, and another process in this life. */
  async function fill(life: Life): Promise<{ opened: OpenedShared; other: number; ids: readonly number[] }> {
    const opened = await place.open(`model${++count}`)
    const { checkpoint, worker, postgres, store } = opened
    const ids = await checkpoint.store.register(keyed(...cases.map((_, at) => `company ${at}`)))
    const [row] = await postgres.query<{ id: number }>(
      `INSERT INTO enrich.workers (name, job, job_id, lease_until)
       VALUES ('other', '', $1, clock_timestamp() + interval '9 minutes') RETURNING worker_id AS id`,
      [store.job.jobId],
    )
    const other = row?.id ?? 0
    await postgres.query(`UPDATE enrich.workers SET ${sqlOfLife[life]} WHERE worker_id = $1`, [other])
    const idOf = (process: 0 | 1 | null) => (process === null ? null : [worker.id, other][process])
    for (const [at, { state, owner, submittedBy }] of cases.entries()) {
      const customId = submittedBy === null ? null : `custom_${at}`
      const runId = verdicts[state] === 'accepted' ? `run_${at}` : null
      await postgres.query(
        `UPDATE enrich.lookups SET state = $2, worker_id = $3, custom_id = $4, run_id = $5, attempt = $6
         WHERE lookup_id = $1`,
        [ids[at], state, idOf(owner), customId, runId, customId === null ? 0 : 1],
      )
      if (customId !== null)
        await postgres.query(
          `INSERT INTO enrich.submissions (custom_id, lookup_id, job_id, worker_id, attempt, is_first, price_micros,
             verdict, run_id, intended_at_ms) VALUES ($1, $2, $3, $4, 1, true, 0, $5, $6, $7)`,
          [customId, ids[at], store.job.jobId, idOf(submittedBy), verdicts[state], runId, startMs],
        )
    }
    return { opened, other, ids }
  }

  async function readServer({ opened, other, ids }: Awaited<ReturnType<typeof fill>>): Promise<After[]> {
    const { postgres, worker } = opened
    const rows = await postgres.query<Omit<After, 'owner'> & { id: number; workerId: number | null }>(
      `SELECT l.lookup_id AS id, l.state, l.worker_id AS "workerId", l.custom_id IS NOT NULL AS "isSubmitted",
         (SELECT s.verdict FROM enrich.submissions s WHERE s.lookup_id = l.lookup_id AND s.attempt = 1
            AND s.custom_id LIKE 'custom%') AS verdict
       FROM enrich.lookups l`,
    )
    const toOwner = (id: number | null) => (id === null ? null : [worker.id, other].indexOf(id))
    const byId = new Map(rows.map(({ id, workerId, ...row }) => [id, { ...row, owner: toOwner(workerId) }]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  const named = (afters: readonly After[]) => cases.map((one, at) => ({ ...one, after: afters[at] }))
  const allLives = Object.keys(lives) as Life[]

  test.each(allLives.flatMap((life) => (['hold', 'resubmit'] as const).map((onLost) => ({ life, onLost }))))(
    'a plan, with another process that is $life: $onLost what was lost',
    async ({ life, onLost }) => {
      const filled = await fill(life)
      await filled.opened.checkpoint.plan({ nowMs: startMs, maxAgeMs: null, onLost })
      const expected = cases.map((one) => {
        const world = toWorld(one, life, onLost)
        plan(world, 0, realRules)
        return readWorld(world)
      })
      expect(named(await readServer(filled))).toEqual(named(expected))
      await filled.opened.checkpoint.close()
    },
  )

  test('a sweep after another process', async () => {
    const filled = await fill('fenced')
    await sweep(filled.opened.postgres)
    const expected = cases.map((one) => {
      const world = toWorld(one, 'fenced', 'hold')
      stepsOf(world)
        .find(({ text }) => text.endsWith('lookups are released'))
        ?.run(world)
      return readWorld(world)
    })
    expect(named(await readServer(filled))).toEqual(named(expected))
    await filled.opened.checkpoint.close()
  })

  test.each(allLives)('an intention, with another process that is %s', async (life) => {
    const filled = await fill(life)
    const { checkpoint } = filled.opened
    await checkpoint.read('to_submit', { after: 0, count: cases.length })
    const found: boolean[] = []
    for (const [at, { state, owner, submittedBy }] of cases.entries()) {
      // In flight: the process itself takes it to be its own, of a commit whose reply was lost.
      const isInFlight = state === 'intended' && owner === 0 && submittedBy === 0
      // The store throws for what this process itself has: that is no intention either.
      const intend = () => checkpoint.intend(filled.ids[at] ?? 0, startMs).catch(() => 'refused' as const)
      found.push(!isInFlight && typeof (await intend()) !== 'string')
    }
    const expected = cases.map((one) =>
      stepsOf(toWorld(one, life, 'hold')).some(
        ({ text }) => text === 'worker 1 claims shared' || text === 'worker 1 intends to submit shared',
      ),
    )
    expect(cases.map((one, at) => ({ ...one, found: found[at] }))).toEqual(
      cases.map((one, at) => ({ ...one, found: expected[at] })),
    )
    expect(expected).toContain(true)
    const after = await readServer(filled)
    expect(after.filter((_, at) => expected[at]).map(({ state, owner }) => [state, owner])).toEqual(
      expected.filter(Boolean).map(() => ['intended', 0]),
    )
    await checkpoint.close()
  })

  test('the submissions that count for a budget', async () => {
    const { checkpoint } = await place.open('budget')
    const names = ['intended', 'accepted', 'answered', 'lost', 'refused', 'invalid']
    const ids = await checkpoint.store.register(keyed(...names))
    const customIds: string[] = []
    for (const lookupId of ids) {
      const intended = await checkpoint.intend(lookupId, startMs)
      customIds.push(typeof intended === 'string' ? '' : intended.customId)
    }
    const of = (at: number) => ({ lookupId: ids[at] ?? 0, customId: customIds[at] ?? '' })
    for (const at of [1, 2])
      await checkpoint.apply({ event: 'accept', ...of(at), runId: `run_${at}`, nowMs: startMs })
    await checkpoint.apply({ event: 'answer', lookupId: ids[2] ?? 0, answer: answerTo('run_2') })
    await checkpoint.apply({ event: 'lose', ...of(3), reason: 'told' })
    await checkpoint.apply({ event: 'withdraw', ...of(4), reason: 'told' })
    await checkpoint.apply({ event: 'reject', ...of(5), reason: 'told' })
    const world = createWorld({ list: 'one', budget: 9, faults: 0 })
    const made = ['intended', 'accepted', 'accepted', 'uncertain', 'not_created', 'rejected']
    for (const [at, verdict] of made.entries())
      world.submissions[`shared_${at}`] = { lookup: 'shared', worker: 0, verdict, runId: null }
    expect(await checkpoint.read('spent')).toBe(realRules.countReserved(world))
    await checkpoint.close()
  })
})
