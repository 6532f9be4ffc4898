import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, vi } from 'vitest'
import { createSecrets, type Secrets } from '../../src/service/accounts/secrets.js'
import { openDatabaseForCommand } from '../../src/service/storage/database.js'
import type { ServiceOptions } from '../../src/service/service.js'
import type { HostResolver } from '../../src/platform/outbound/address-guard.js'
import { kickoffPath } from './service-client.js'
import { startTestService, type TestService } from './test-service.js'

/** An event as it is stored. */
interface StoredEvent {
  readonly event_id: string
  readonly type: string
  readonly run_id: string
  readonly body: string | null
  readonly attempt_count: number
  readonly next_attempt_at_ms: number | null
  readonly delivered_at_ms: number | null
  readonly last_failure: string | null
}

export interface Besides {
  readonly secrets: Secrets
  accountNumber(name: string): number
  /** Of an account, the newest first. */
  secretsOf(name: string, nowMs?: number): readonly string[]
  events(): StoredEvent[]
  /** Waits until the only event has had so many attempts. */
  attempts(count: number): Promise<StoredEvent>
  execute(sql: string): void
  close(): void
}

/** What another process sees in the data of a service, running or not. */
export function openBesides(dataFolder: string): Besides {
  const database = openDatabaseForCommand(dataFolder, Date.now(), 'refuse')
  const secrets = createSecrets(database)
  const accountNumber = (name: string) =>
    database.prepare('SELECT account_number FROM accounts WHERE name = ?').pluck().get(name) as number
  const events = () => database.prepare('SELECT * FROM events ORDER BY event_number').all() as StoredEvent[]
  return {
    secrets,
    accountNumber,
    secretsOf: (name, nowMs = Date.now()) => secrets.signingSecrets(accountNumber(name), nowMs),
    events,
    attempts: async (count) => {
      await vi.waitFor(
        () => {
          expect(events()[0]?.attempt_count).toBe(count)
        },
        { timeout: 10_000 },
      )
      return events()[0]!
    },
    execute: (sql) => {
      database.exec(sql)
    },
    close: () => database.close(),
  }
}

export interface WebhookService extends TestService, Besides {
  readonly dataFolder: string
  /** Starts a run of alice's whose event goes there; gives its id. */
  kickOff(webhookUrl: string, body?: object): Promise<string>
}

/** The real service on disk, which may deliver to this machine unless told otherwise. */
export async function startWebhookService(options: Partial<ServiceOptions> = {}): Promise<WebhookService> {
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'enrich-webhooks-'))
  const it = await startTestService({ dataFolder, allowLocalWebhooks: true, pages: false, ...options })
  const besides = openBesides(dataFolder)
  afterAll(async () => {
    await it.service.close()
    besides.close()
    rmSync(dataFolder, { recursive: true, force: true })
  })
  return {
    ...it,
    ...besides,
    dataFolder,
    kickOff: async (webhookUrl, body = {}) => {
      const reply = await it.alice.post(kickoffPath, { name: 'Acme', webhook_url: webhookUrl, ...body })
      expect(reply.status).toBe(202)
      return String(reply.json.run_id)
    },
  }
}

/** A name server that knows these names and no others; it may be told otherwise later. */
export function nameServer(names: Readonly<Record<string, readonly string[]>>): {
  readonly resolve: HostResolver
  readonly names: Map<string, readonly string[]>
} {
  const known = new Map(Object.entries(names))
  return { names: known, resolve: (hostname) => Promise.resolve(known.get(hostname) ?? []) }
}

/** An address of the internet that nothing here ever connects to. */
export const publicAddress = '93.184.216.34'
