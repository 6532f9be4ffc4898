import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import type { AnyAccountBook } from './accounts/account-book.js'
import { createSharedAccountBook } from './accounts/postgres/account-book.js'
import { openServiceDatabase } from './storage/postgres/open.js'

/**
 * Uses the accounts of a service on PostgreSQL, beside replicas that may be running. Throws what `openServiceDatabase`
 * throws, and what the server refuses meanwhile by the same codes.
 */
export async function useSharedBook(
  url: string,
  whereNone: 'make' | 'refuse',
  use: (book: AnyAccountBook) => Promise<void>,
): Promise<void> {
  const deps = { clock: systemClock, random: systemRandom, connectionsMax: 1 }
  const database = await openServiceDatabase(url, deps, whereNone)
  try {
    await use(createSharedAccountBook(database.postgres))
  } catch (error) {
    throw database.explain(error)
  } finally {
    await database.close()
  }
}
