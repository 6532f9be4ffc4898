import { expect, test } from 'vitest'
import type { JobId } from '../../../../src/contract/enums.js'
import { hashKey } from '../../../../src/service/accounts/accounts.js'
import { askFor } from './outgoing-support.js'
import { describeServiceData, outcomeOf, runOf, type TestData } from '../../../support/service-data.js'

/** Ends what is due as told by its name. */
async function endDue({ stores: { runs } }: TestData): Promise<void> {
  const due = await runs.due(Date.now(), 100)
  const finished = due.map(({ runNumber, name }) => ({
    runNumber,
    outcome: outcomeOf(name === 'Broken' ? 'FAILED' : 'COMPLETED'),
  }))
  await runs.finish(finished, Date.now())
}

const statusOf = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? 202 : (one.reason as { status: number }).status))

const unbounded = { v3Enabled: true, creditUnits: null, monthlyUnitsMax: null }

describeServiceData('the stores of a service', (make) => {
  test('a run is found by its ids, by its account and on its surface alone', async () => {
    const data = await make()
    const { runs } = data.stores
    const [run, job, v2] = await Promise.all([
      data.submit(),
      data.submit({ kind: 'job' }),
      data.submit({ kind: 'async' }),
    ])
    const { accountNumber } = data.alice
    const jobId = job.ids.jobId ?? ('' as JobId)
    const v2Id = v2.ids.requestId ?? ('' as never)
    expect(await runs.byRunId(accountNumber, run.ids.runId)).toEqual({
      runId: run.ids.runId,
      jobId: null,
      requestId: null,
      callId: run.ids.callId,
      customId: null,
      status: 'PENDING',
      result: null,
      basis: null,
    })
    expect(await runs.byJobId(accountNumber, jobId)).toMatchObject({ runId: job.ids.runId })
    expect(await runs.byJobId(accountNumber, job.ids.requestId as unknown as JobId)).toMatchObject({
      runId: job.ids.runId,
    })
    expect(await runs.byRequestId(accountNumber, v2Id)).toMatchObject({ runId: v2.ids.runId })
    expect(await runs.byRunId(accountNumber + 1, run.ids.runId)).toBeUndefined()
    expect(await runs.byRunId(accountNumber, v2.ids.runId)).toBeUndefined()
    expect(await runs.byJobId(accountNumber, v2Id as unknown as JobId)).toBeUndefined()
    expect(await runs.byRequestId(accountNumber, job.ids.requestId ?? v2Id)).toBeUndefined()
  })

  test('due runs and builds take turns among accounts, also while many of one account are in progress', async () => {
    const data = await make()
    const { stores, alice } = data
    const { apiKey } = await data.book.add('bob', unbounded, 0)
    const bob = (await stores.callers.get(hashKey(apiKey)))!
    for (let at = 0; at < 30; at++) {
      await data.submit({ name: `Alice ${at}` })
      await stores.builds.ask(askFor('hierarchy', `siq_alice${at}`, alice))
    }
    const inProgress = await stores.runs.due(Date.now(), 20)
    expect(inProgress).toHaveLength(20)
    for (let at = 0; at < 2; at++) {
      await stores.credit.charge(bob, () => stores.journal.append(runOf(bob, { name: `Bob ${at}` })))
      await stores.builds.ask(askFor('hierarchy', `siq_bob${at}`, bob))
    }
    await stores.runs.finish([{ runNumber: inProgress[0]!.runNumber, outcome: outcomeOf('COMPLETED') }], 0)
    const runs = await stores.runs.due(Date.now(), 20)
    expect(runs).toHaveLength(20)
    expect(runs.slice(0, 4).filter(({ name }) => name.startsWith('Bob')).length).toBeGreaterThan(0)
    const builds = await stores.builds.due(Date.now(), 20)
    expect(builds).toHaveLength(20)
    const ofBob = builds.slice(0, 4).filter(({ subject }) => subject.startsWith('siq_bob'))
    expect(ofBob.map(({ subject }) => subject)).toEqual(['siq_bob0', 'siq_bob1'])
    await stores.builds.release()
  })

  test('what is due comes as it was asked, whatever characters it is of', async () => {
    const data = await make()
    await data.submit({ name: 'Ac\u0000me \u{1F3E2} "x" \\u0000' })
    await data.submit({ name: 'Later', delayMs: 60_000 })
    const due = await data.stores.runs.due(Date.now(), 10)
    expect(due).toMatchObject([{ name: 'Ac\u0000me \u{1F3E2} "x" \\u0000', location: null, withBasis: 1 }])
    expect(await data.stores.runs.nextDueAtMs(Date.now())).not.toBeNull()
    await data.stores.runs.limitDueTimes(Date.now())
    expect(await data.stores.runs.due(Date.now() + 1, 10)).toHaveLength(2)
  })

  test('an end is read by its poll; a v2 run that failed is refunded, another is not', async () => {
    const data = await make({ creditUnits: 4 })
    const { runs } = data.stores
    const good = await data.submit()
    await data.submit({ name: 'Broken' })
    await data.submit({ kind: 'async', name: 'Broken' })
    expect(await data.book.summary('alice', Date.now())).toMatchObject({ creditUnits: 1 })
    await endDue(data)
    expect(await runs.byRunId(data.alice.accountNumber, good.ids.runId)).toMatchObject({
      status: 'COMPLETED',
      result: '{"status":"no_match"}',
      basis: '[]',
    })
    expect(await runs.count()).toEqual({ pending: 0, completed: 1, failed: 2 })
    expect(await data.book.summary('alice', Date.now())).toMatchObject({
      creditUnits: 2,
      chargedUnits: 3,
      refundedUnits: 1,
      monthUnits: 2,
    })
    expect(await runs.ledger('alice')).toHaveLength(3)
    const kinds: string[] = []
    for await (const { kind, runId } of data.book.ledger('alice')) kinds.push(`${kind} ${runId !== null}`)
    expect(kinds).toEqual(['charge true', 'charge true', 'charge true', 'refund true'])
  })

  test('of many at once, as many are taken as may be billed, and no more', async () => {
    const data = await make({ creditUnits: 5 })
    const first = await Promise.allSettled(Array.from({ length: 20 }, () => data.submit()))
    expect(statusOf(first)).toEqual([...Array<number>(5).fill(202), ...Array<number>(15).fill(402)])
    await data.book.grant('alice', 3, Date.now())
    const second = await Promise.allSettled(Array.from({ length: 4 }, () => data.submit()))
    expect(statusOf(second)).toEqual([202, 202, 202, 402])
    await data.book.change('alice', { monthlyUnitsMax: 8, creditUnits: 1 }, Date.now())
    await expect(data.submit()).rejects.toMatchObject({ status: 429, type: 'monthly_limit_reached' })
    await data.book.change('alice', { monthlyUnitsMax: 9 }, Date.now())
    await data.submit()
    expect(await data.stores.runs.count()).toMatchObject({ pending: 9 })
    expect(await data.book.summary('alice', Date.now())).toMatchObject({ creditUnits: 0, chargedUnits: 9 })
  })

  test('a refused run is not there', async () => {
    const data = await make({ creditUnits: 0 })
    const run = runOf(data.alice)
    await expect(
      data.stores.credit.charge(data.alice, () => data.stores.journal.append(run)),
    ).rejects.toMatchObject({ status: 402 })
    expect(await data.stores.runs.byRunId(data.alice.accountNumber, run.ids.runId)).toBeUndefined()
    expect(await data.stores.runs.ledger('alice')).toEqual([])
  })

  test('a window is of a key and a route, and holds so many calls of a minute', async () => {
    const { stores, alice } = await make()
    const take = async (caller = alice) => {
      const decision = await stores.limiter.take(caller, 'pollJob')
      if (decision === null) throw new Error('polls of jobs have a limit')
      return decision
    }
    // A minute may end while they come: then the next one begins with a whole window.
    const decisions = await Promise.all(Array.from({ length: 230 }, () => take()))
    const allowedCount = decisions.filter(({ allowed }) => allowed).length
    expect(allowedCount).toBeGreaterThanOrEqual(100)
    expect(allowedCount).toBeLessThanOrEqual(200)
    expect(decisions.slice(0, 3).map(({ remainingCount }) => remainingCount)).toEqual([99, 98, 97])
    for (const { allowed, remainingCount, resetSeconds } of decisions) {
      expect(resetSeconds).toBeGreaterThanOrEqual(1)
      expect(resetSeconds).toBeLessThanOrEqual(60)
      if (!allowed) expect(remainingCount).toBe(0)
    }
    expect(await take({ ...alice, keyHash: hashKey('other') })).toMatchObject({
      allowed: true,
      remainingCount: 99,
    })
    expect(await stores.limiter.take(alice, 'search')).toBeNull()
  })

  test('a limit of an account is shared by its keys', async () => {
    const { stores, alice } = await make()
    const other = { ...alice, keyHash: hashKey('other') }
    const decisions = await Promise.all(
      Array.from({ length: 10 }, async (_, at) =>
        stores.limiter.take(at % 2 === 0 ? alice : other, 'pollResolution'),
      ),
    )
    expect(decisions.map((decision) => decision?.remainingCount)).toEqual(
      Array.from({ length: 10 }, (_, at) => 599 - at),
    )
  })

  test('accounts have names, keys and secrets of their own', async () => {
    const { book, stores } = await make()
    const { apiKey, keyId } = await book.add('bob', { ...unbounded, creditUnits: 7 }, 1_000)
    expect(await stores.callers.get(hashKey(apiKey))).toMatchObject({ v3Enabled: true })
    await expect(async () => book.add('bob', unbounded, 0)).rejects.toMatchObject({ code: 'ACCOUNT_EXISTS' })
    await expect(async () => book.add('b b', unbounded, 0)).rejects.toMatchObject({ code: 'ACCOUNT_INVALID' })
    await expect(async () => book.summary('carol', 0)).rejects.toMatchObject({
      code: 'ACCOUNT_NOT_FOUND',
      hint: 'existing accounts: alice, bob',
    })
    expect((await book.list(1_000)).map(({ name }) => name)).toEqual(['alice', 'bob'])
    expect(await book.summary('bob', 1_000)).toEqual({
      name: 'bob',
      createdAtMs: 1_000,
      v3Enabled: true,
      monthlyUnitsMax: null,
      creditUnits: 7,
      grantedUnits: 7,
      chargedUnits: 0,
      refundedUnits: 0,
      monthUnits: 0,
      keyCount: 1,
      secretCount: 1,
    })
    const bob = await book.getAccountNumber('bob')
    const second = await book.keys.add(bob, 'laptop', 2_000)
    expect(await book.keys.list(bob)).toEqual([
      { keyId, label: null, createdAtMs: 1_000, isGivenAtStart: false },
      { keyId: second.keyId, label: 'laptop', createdAtMs: 2_000, isGivenAtStart: false },
    ])
    expect(await book.keys.revoke(bob, keyId)).toMatchObject({ keyId })
    await expect(async () => book.keys.revoke(bob, keyId)).rejects.toMatchObject({
      code: 'ACCOUNT_ITEM_NOT_FOUND',
    })
    expect(await book.keys.list(await book.getAccountNumber('alice'))).toMatchObject([
      { isGivenAtStart: true },
    ])
  })

  test('a rotated secret also signs for a day', async () => {
    const { book, alice } = await make()
    const { secrets } = book
    const number = alice.accountNumber
    const nowMs = Date.now() + 1_000
    const [first] = await secrets.list(number, nowMs)
    const rotated = await secrets.rotate(number, null, null, nowMs)
    const shown = await secrets.show(number, rotated.secretId, nowMs)
    expect(shown).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await secrets.signingSecrets(number, nowMs)).toEqual([
      shown,
      await secrets.show(number, first?.secretId ?? '', nowMs),
    ])
    expect(await secrets.signingSecrets(number, nowMs + 86_400_001)).toEqual([shown])
    await expect(async () => secrets.remove(number, rotated.secretId, nowMs)).rejects.toMatchObject({
      code: 'ACCOUNT_CHANGE_REFUSED',
    })
    const third = await secrets.add(number, 'third', nowMs + 1)
    await secrets.remove(number, rotated.secretId, nowMs)
    expect((await secrets.list(number, nowMs)).map(({ secretId }) => secretId)).toEqual([
      third.secretId,
      first?.secretId,
    ])
    await secrets.ensureAll(nowMs)
    expect(await secrets.list(number, nowMs)).toHaveLength(2)
  })
})
