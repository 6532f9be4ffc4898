import { isPostgresUrl } from '../core/server-addresses.js'
import type { AnyAccountBook } from './accounts/account-book.js'

export type { AccountSummary, AccountTerms, AnyAccountBook, BookedUnits } from './accounts/account-book.js'
export type { KeyInfo } from './accounts/accounts.js'
export type { SecretInfo } from './accounts/secrets.js'

interface AccountData {
  /** The data of `enrich serve`: a folder, or `postgres://…`. */
  readonly data: string
  readonly nowMs: number
  /** Whether data that does not exist is created. */
  readonly whereNone: 'make' | 'refuse'
}

/**
 * The door to the accounts of a service: opens them, also while the service runs, and closes them after `use`. Every
 * account has a signing secret then. Each change is one durable transaction, and a running service sees it at its next
 * request. Only what the data needs is loaded: SQLite or PostgreSQL, never the server.
 *
 * ```ts
 * await withAccountBook({ data: '.enrich/service', nowMs: Date.now(), whereNone: 'refuse' }, async (book) => {
 *   console.log(await book.list(Date.now()))
 * })
 * ```
 *
 * Throws SERVICE_DATA_NOT_FOUND if there is no data and `whereNone` is `refuse`, SERVICE_DATA_IN_USE,
 * SERVICE_DATA_INVALID, and the codes of a checkpoint on PostgreSQL for an unsuitable URL or server.
 */
export async function withAccountBook(
  { data, nowMs, whereNone }: AccountData,
  use: (book: AnyAccountBook) => void | Promise<void>,
): Promise<void> {
  const useBook = async (book: AnyAccountBook) => {
    await book.secrets.ensureAll(nowMs)
    await use(book)
  }
  if (isPostgresUrl(data)) {
    const { withSharedAccountBook } = await import('./storage/storage.js')
    return withSharedAccountBook(data, whereNone, useBook)
  }
  const { withDatabaseForCommand } = await import('./storage/database.js')
  const { createAccountBook } = await import('./accounts/account-book.js')
  await withDatabaseForCommand(data, nowMs, whereNone, (database) => useBook(createAccountBook(database)))
}
