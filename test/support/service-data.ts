import { afterAll, describe } from 'vitest'
import { systemClock, systemRandom } from '../../src/platform/clock.js'
import { connectPostgres } from '../../src/platform/postgres/connect.js'
import { parsePostgresUrl } from '../../src/core/server-addresses.js'
import { createAccountBook, type AnyAccountBook } from '../../src/service/accounts/account-book.js'
import { hashKey, type AccountOptions, type Caller } from '../../src/service/accounts/accounts.js'
import { createWaiterEndings } from '../../src/service/records/builds/build.js'
import { createCallId, createRunIds, type RunKind } from '../../src/service/runs/run-store.js'
import type { RunOutcome } from '../../src/service/runs/run-outcome.js'
import type { AnyRunStore, NewRun } from '../../src/service/runs/run-store.js'
import {
  openOwnData,
  openSharedData,
  type OpenData,
  type SharedDataOptions,
  type Stores,
} from '../../src/service/stores.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from './postgres-server.js'

/** The stores of a service, with an account `alice` whose key is `k`. */
export interface TestData {
  readonly stores: Stores<AnyRunStore>
  readonly book: AnyAccountBook
  readonly alice: Caller
  /** Bills and stores a run of alice. */
  submit(run?: Partial<AskedRun>): Promise<NewRun>
  /** As a service that ends in order. */
  close(): Promise<void>
}

export interface AskedRun {
  readonly kind: RunKind
  readonly name: string
  readonly webhookUrl: string | null
  readonly delayMs: number
}

type Account = Partial<AccountOptions>
type MakeData = (account?: Account) => Promise<TestData>

const accountsOf = (account: Account) => [{ name: 'alice', apiKey: 'k', ...account }]

async function testData(
  { storage, createStores }: OpenData<AnyRunStore>,
  book: AnyAccountBook,
  told: string[] = [],
  apiKey = 'k',
): Promise<TestData> {
  const stores = createStores({
    waiting: [({ runId }) => told.push(runId)],
    clock: systemClock,
    random: systemRandom,
    lateMs: () => 0,
    endingOf: createWaiterEndings({ entity: () => ({}), domain: () => ({}) }),
  })
  const alice = await stores.callers.get(hashKey(apiKey))
  if (alice === undefined) throw new Error('alice has no key')
  return {
    stores,
    book,
    alice,
    submit: async (asked) => {
      const run = runOf(alice, asked)
      await stores.credit.charge(alice, () => stores.journal.append(run))
      return run
    },
    close: async () => {
      await storage.close()
    },
  }
}

export function runOf(
  { accountNumber }: Pick<Caller, 'accountNumber'>,
  { kind = 'run', name = 'Acme', webhookUrl = null, delayMs = 0 }: Partial<AskedRun> = {},
): NewRun {
  const nowMs = systemClock.nowMs()
  return {
    accountNumber,
    ids: createRunIds(kind, createCallId(systemRandom), systemRandom, nowMs),
    customId: null,
    surface: kind === 'run' || kind === 'job' ? 'v3' : 'v2',
    webhookUrl,
    query: { name, location: null, context: null },
    withBasis: true,
    createdAtMs: nowMs,
    dueAtMs: nowMs + delayMs,
  }
}

export const outcomeOf = (status: RunOutcome['status']): RunOutcome => ({
  status,
  result: JSON.stringify({ status: status === 'FAILED' ? 'failed' : 'no_match' }),
  basis: '[]',
  fault: null,
})

/** Databases of one server, each with the data of one service, which several may have open. */
export class SharedData {
  #server: SharedPostgres | null = null
  #count = 0
  readonly #closes: (() => Promise<void> | void)[] = []

  constructor(readonly programs: string) {}

  async server(): Promise<SharedPostgres> {
    return (this.#server ??= await sharedPostgres(this.programs))
  }

  async newUrl(): Promise<string> {
    const database = `service_${++this.#count}`
    const server = await this.server()
    return server.createDatabase(database)
  }

  /** A replica's stores; `told` gets the ids of runs whose ends it hears of. */
  async open(
    url: string,
    account: Account = {},
    more: Partial<SharedDataOptions> = {},
    told: string[] = [],
  ): Promise<TestData> {
    const options = { accounts: accountsOf(account), rateLimits: 'spec' as const, ...more }
    const data = await openSharedData({ databaseUrl: url, ...options })
    const postgres = connectPostgres(parsePostgresUrl(url), { connectionsMax: 1 })
    this.#closes.push(
      () => data.storage.close(),
      () => postgres.close(),
    )
    return testData(data, createAccountBook(postgres), told, account.apiKey)
  }

  async remove(): Promise<void> {
    for (const close of this.#closes.splice(0)) await close()
    await this.#server?.stop()
  }
}

const programs = findPostgres()

/** What every store behind the service keeps to. */
export function describeServiceData(what: string, hold: (make: MakeData) => void): void {
  describe(`${what}: memory of SQLite`, () => {
    const opened: OpenData<AnyRunStore>[] = []
    afterAll(() => {
      for (const { storage } of opened) void storage.close()
    })
    hold((account = {}) => {
      const data = openOwnData({ dataFolder: null, accounts: accountsOf(account), rateLimits: 'spec' })
      opened.push(data)
      if (data.storage.kind !== 'own') throw new Error('it is its own')
      return testData(data, createAccountBook(data.storage.database))
    })
  })
  describe.skipIf(programs === null)(`${what}: PostgreSQL`, () => {
    const shared = new SharedData(programs ?? '')
    afterAll(() => shared.remove())
    hold(async (account = {}) => shared.open(await shared.newUrl(), account))
  })
}
