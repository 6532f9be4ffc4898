import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { getInboxPath } from '../../../src/pipeline/checkpoint/paths.js'
import { openFileInbox, readInboxCounts } from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import type { Inbox, InboxCounts } from '../../../src/pipeline/checkpoint/inbox.js'
import { openSharedInbox } from '../../../src/pipeline/checkpoint/postgres/inbox-rows.js'
import { readSharedInboxCounts } from '../../../src/pipeline/checkpoint/postgres/status.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { loadDriver, type Sqlite } from '../../../src/platform/sqlite.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'

const Database = loadDriver()

const dayMs = 86_400_000

/** Inboxes by name, of one kind of store; `open` is a new process that takes from it. */
export interface InboxPlace {
  open(name: string, onReceived?: () => void): Promise<Inbox>
  counts(name: string): Promise<InboxCounts | null>
  /** All that was ever received is so much older. */
  age(name: string, days: number): Promise<void>
  /** What is kept, oldest first: ids, states and bodies. */
  rows(name: string): Promise<unknown>
  remove(): Promise<void>
}

function besideFiles(): InboxPlace {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-inbox-'))
  const path = (name: string) => join(folder, `${name}.sqlite`)
  const asked = <Result>(name: string, ask: (database: Sqlite) => Result): Promise<Result> => {
    const database = new Database(getInboxPath(path(name)))
    try {
      return Promise.resolve(ask(database))
    } finally {
      database.close()
    }
  }
  return {
    open: (name, onReceived = () => undefined) =>
      Promise.resolve(openFileInbox(path(name), Date.now(), { onReceived })),
    counts: (name) => Promise.resolve(readInboxCounts(path(name))),
    age: (name, days) =>
      asked(name, (database) => {
        database.prepare('UPDATE deliveries SET received_at_ms = received_at_ms - ?').run(days * dayMs)
      }),
    rows: (name) =>
      asked(name, (database) =>
        database.prepare('SELECT event_id AS id, state, body FROM deliveries ORDER BY position').all(),
      ),
    remove: () => {
      rmSync(folder, { recursive: true, force: true })
      return Promise.resolve()
    },
  }
}

function onServer(programs: string): InboxPlace {
  let server: Promise<SharedPostgres> | null = null
  const made = new Map<string, Promise<string>>()
  const urlOf = (name: string): Promise<string> => {
    server ??= sharedPostgres(programs)
    const url =
      made.get(name) ??
      server.then((started) => {
        return started.createDatabase(name)
      })
    made.set(name, url)
    return url
  }
  const asked = async (name: string, sql: string): Promise<string> => {
    await urlOf(name)
    return (await server)?.sql(sql, name) ?? ''
  }
  const opened = async (name: string) =>
    openShared(await urlOf(name), { clock: systemClock, random: systemRandom })
  return {
    open: async (name, onReceived = () => undefined) => {
      const database = await opened(name)
      const inbox = await openSharedInbox({
        clock: systemClock,
        random: systemRandom,
        database,
        onReceived,
        owner: () => ({ worker: { id: 1 }, job: { kinds: { getScopeId: () => 1 } } }),
      })
      const close = inbox.close.bind(inbox)
      return Object.assign(inbox, {
        close: async () => {
          await close()
          await database.close()
        },
      })
    },
    counts: async (name) => {
      const database = await opened(name)
      try {
        return await readSharedInboxCounts(database.postgres)
      } finally {
        await database.close()
      }
    },
    age: async (name, days) => {
      await asked(name, `UPDATE enrich.inbox SET received_at = received_at - interval '${days} days'`)
    },
    rows: async (name) => {
      const database = await opened(name)
      try {
        return await database.postgres.query(
          'SELECT event_id AS id, state, body FROM enrich.inbox ORDER BY position',
        )
      } finally {
        await database.close()
      }
    },
    remove: async () => {
      await (await server)?.stop()
    },
  }
}

const programs = findPostgres()

const places: [string, () => InboxPlace][] = [
  ['beside a file', besideFiles],
  ...(programs === null ? [] : [['on PostgreSQL', () => onServer(programs)] as [string, () => InboxPlace]]),
]

/** The promises of the interface, held by every inbox behind it. */
export function describeInboxes(what: string, hold: (at: InboxPlace) => void): void {
  describe.each(places)(`${what}: %s`, (_, make) => {
    const at = make()
    afterAll(() => at.remove())
    hold(at)
  })
}
