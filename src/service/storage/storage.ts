import type { Clock } from '../../platform/clock.js'
import { opening } from '../../platform/close-stack.js'
import type { Postgres } from '../../platform/postgres/postgres.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { explained, lockDataFolder, openDatabase } from './database.js'
import { forgetfulStore, openWindowStore, type WindowStore } from '../accounts/limits/window-store.js'

/** What a running service keeps its data in. */
export type Storage = OwnStorage | SharedStorage

/** Files of one service, or memory, and what keeps a second service out. */
export interface OwnStorage {
  readonly kind: 'own'
  readonly database: Sqlite
  readonly windows: WindowStore
  close(): void
}

/** A database on PostgreSQL, which several replicas of one service work on. */
export interface SharedStorage {
  readonly kind: 'shared'
  readonly postgres: Postgres
  /** Of this process: what it claims, it claims under this name. */
  readonly replicaId: string
  /** How long a claim holds, by the clock of the server, unless it is renewed. */
  readonly claimMs: number
  close(): Promise<void>
}

/**
 * Locks the folder, which is made if missing, and opens `service.sqlite` and, where limits hold,
 * `limits.sqlite` in it; null keeps all in memory. Throws SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID.
 */
export function openStorage(
  { dataFolder, rateLimits }: { dataFolder: string | null; rateLimits: 'spec' | 'none' },
  clock: Clock,
  log: (line: string) => void,
): OwnStorage {
  return opening(({ add, close }) => {
    const lock = lockDataFolder(dataFolder, clock.nowMs())
    add(() => {
      lock.release()
    })
    const database = openDatabase(dataFolder)
    add(() => database.close())
    const keepsWindows = dataFolder !== null && rateLimits === 'spec'
    const windows = keepsWindows
      ? explained(dataFolder, () => openWindowStore(dataFolder, log))
      : forgetfulStore
    add(() => {
      windows.close()
    })
    return { kind: 'own', database, windows, close }
  })
}
