import type { Clock } from '../../platform/clock.js'
import { opening } from '../../platform/close-stack.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { explained, lockDataFolder, openDatabase } from './database.js'
import { forgetfulStore, openWindowStore, type WindowStore } from '../accounts/limits/window-store.js'

/** What a running service has open, and what keeps a second one out. */
export interface Storage {
  readonly database: Sqlite
  readonly windows: WindowStore
  close(): void
}

/**
 * Locks the folder, which is made if missing, and opens `service.sqlite` and, where limits hold,
 * `limits.sqlite` in it; null keeps all in memory. Throws SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID.
 */
export function openStorage(
  { dataFolder, rateLimits }: { dataFolder: string | null; rateLimits: 'spec' | 'none' },
  clock: Clock,
  log: (line: string) => void,
): Storage {
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
    return { database, windows, close }
  })
}
