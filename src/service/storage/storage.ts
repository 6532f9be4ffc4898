import type { Clock } from '../../platform/clock.js'
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
  { dataFolder, limits }: { dataFolder: string | null; limits: 'spec' | 'none' },
  clock: Clock,
  log: (line: string) => void,
): Storage {
  const opened: (() => void)[] = []
  const close = () => {
    for (const closeOne of opened.splice(0).reverse()) closeOne()
  }
  try {
    const lock = lockDataFolder(dataFolder, clock.nowMs())
    opened.push(() => {
      lock.release()
    })
    const database = openDatabase(dataFolder)
    opened.push(() => database.close())
    const keepsWindows = dataFolder !== null && limits === 'spec'
    const windows = keepsWindows
      ? explained(dataFolder, () => openWindowStore(dataFolder, log))
      : forgetfulStore
    opened.push(() => {
      windows.close()
    })
    return { database, windows, close }
  } catch (error) {
    close()
    throw error
  }
}
