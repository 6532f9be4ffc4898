import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { historyTables } from '../../../src/pipeline/checkpoint/history-tables.js'
import { buildStageLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { getInboxPath } from '../../../src/pipeline/checkpoint/paths.js'
import { openFileInbox } from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import type { moveCheckpoint } from '../../../src/pipeline/checkpoint/maintenance.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { connectPostgres } from '../../../src/platform/postgres/connect.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import { answerTo, keyed, startMs } from '../checkpoint/support.js'

const Database = loadDriver()

export const moveDeps: Parameters<typeof moveCheckpoint>[2] = {
  clock: systemClock,
  random: systemRandom,
  priceMicrosOf: (kind) => (kind === 'resolution' ? 50_000 : 0),
  notice: () => undefined,
}

const policy = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' } as const

/** A checkpoint in which everything has happened: every state, several services, kinds and jobs, and deliveries. */
export async function fillFile(path: string, answeredCount = 40): Promise<void> {
  const open = (scope: string, job: string) =>
    openCheckpoint({ path, scope, job, nowMs: startMs, random: systemRandom })
  const ended = open('https://a.example', 'old.csv')
  const [old = 0] = await ended.store.register(keyed('Old SE'))
  const { customId: oldId } = await ended.intend(old, startMs)
  await ended.apply({ event: 'accept', lookupId: old, customId: oldId, runId: 'run_old', nowMs: startMs })
  await ended.apply({ event: 'answer', lookupId: old, answer: answerTo('run_old') })
  await ended.endJob(startMs + 5)
  ended.close()
  const other = open('https://b.example', 'other.csv')
  await other.store.register(keyed('Elsewhere'))
  other.close()
  const main = open('https://a.example', 'companies.csv')
  const names = Array.from({ length: answeredCount }, (_, at) => `Company ${at}`)
  const states = ['Running', 'Invalid', 'Lost', 'Back', 'New', 'Failed', 'Left']
  const ids = await main.store.register(keyed(...names, ...states))
  const intended = await Promise.all(
    ids.map(async (id, at) =>
      (states[at - answeredCount] ?? '') === 'New' ? '' : (await main.intend(id, startMs + at)).customId,
    ),
  )
  await Promise.all(
    ids.map(async (id, at) => {
      const customId = intended[at] ?? ''
      const runId = `run_${at}`
      switch (states[at - answeredCount]) {
        case 'New':
        case 'Left':
          return
        case 'Invalid':
          await main.apply({ event: 'reject', lookupId: id, customId, reason: 'no name' })
          return
        case 'Lost':
          await main.apply({ event: 'lose', lookupId: id, customId, reason: 'reset' })
          return
        case 'Back':
          await main.apply({ event: 'withdraw', lookupId: id, customId, reason: 'refused' })
          return
        case 'Running':
          await main.apply({ event: 'accept', lookupId: id, customId, runId, nowMs: startMs })
          return
        case 'Failed':
          await main.apply({ event: 'accept', lookupId: id, customId, runId, nowMs: startMs })
          await main.apply({
            event: 'answer',
            lookupId: id,
            answer: answerTo(runId, { state: 'failed', outcome: 'failed' }),
          })
          return
        case undefined:
          await main.apply({ event: 'accept', lookupId: id, customId, runId, nowMs: startMs })
          await main.apply({
            event: 'answer',
            lookupId: id,
            answer: answerTo(runId, { body: JSON.stringify({ name: `é ${at}`, text: 'x'.repeat(at) }) }),
          })
      }
    }),
  )
  // What follows from answers has a job of its own, which goes on.
  const entities = main.forKind('entity')
  await entities.follow([buildStageLookup('entity', 'e_1'), buildStageLookup('entity', 'e_2')], policy)
  for (const { lookup } of await entities.read('to_submit', { after: 0, count: 1 })) {
    const { customId } = await entities.intend(lookup.lookupId, startMs)
    await entities.apply({
      event: 'accept',
      lookupId: lookup.lookupId,
      customId,
      runId: 'entity:e_1',
      nowMs: startMs,
    })
  }
  main.close()
  const inbox = openFileInbox(path, Date.now())
  for (const state of ['taken', 'unclaimed', 'quarantined', null] as const) {
    await inbox.receive(`evt_${state ?? 'waiting'}`, Buffer.from([0xff, 0, 1]), Date.now())
    const [waiting] = await inbox.listWaiting(0)
    if (state !== null) await inbox.settle(waiting?.position ?? 0, state, state === 'taken' ? null : 'why')
  }
  await inbox.close()
}

/** Every row of a file, but for what says how far it came, and of the inbox beside it. */
export function fileRows(path: string): Record<string, unknown[]> {
  const database = new Database(path, { readonly: true })
  const inbox = new Database(getInboxPath(path), { readonly: true })
  try {
    const tables = ['scopes', 'jobs', 'lookups', 'submissions', 'answers']
    return {
      ...Object.fromEntries(
        tables.map((table) => [table, database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all()]),
      ),
      checkpoint: database.prepare('SELECT id, created_at_ms FROM checkpoint').all(),
      deliveries: inbox.prepare('SELECT * FROM deliveries ORDER BY position').all(),
    }
  } finally {
    database.close()
    inbox.close()
  }
}

/** Every row on a server that a move keeps as it is; whose submissions they were is not. */
export async function serverRows(url: string): Promise<Record<string, unknown[]>> {
  const postgres = connectPostgres(parsePostgresUrl(url))
  const tables = {
    checkpoint: 'id, created_at_ms',
    scopes: '*',
    jobs: '*',
    job_kinds: 'job_id, scope_id, reserved, reserved_before',
    lookups: `lookup_id, scope_id, key, name, location, context, state, attempt, custom_id, run_id, failure, submitted_at_ms,
      answered_at_ms`,
    submissions: `lookup_id, custom_id, job_id, attempt, is_first, price_micros, verdict, run_id, reason, intended_at_ms,
      accepted_at_ms, rank() OVER (ORDER BY submission_id)`,
    answers: '*',
    outputs: '*',
    inbox: 'position, event_id, state, reason, body, received_at_ms, custom_id, run_id',
  }
  try {
    const rows: Record<string, unknown[]> = {}
    for (const [table, columns] of Object.entries(tables))
      rows[table] = await postgres.query(`SELECT ${columns} FROM enrich.${table} ORDER BY 1, 2`)
    return rows
  } finally {
    await postgres.close()
  }
}

/** Every row of what is remembered of runs. */
export function historyRows(path: string): unknown[][] {
  const database = new Database(path, { readonly: true })
  try {
    return historyTables.map((table) => database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all())
  } finally {
    database.close()
  }
}
