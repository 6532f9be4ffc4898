import { onTestFinished } from 'vitest'
import {
  createAccountBook,
  type AccountBook,
  type BookedUnits,
} from '../../src/service/accounts/account-book.js'
import { openDatabaseForCommand } from '../../src/service/storage/database.js'

/** The accounts of a data folder through a connection of its own, as `enrich accounts` has it. */
export function openBook(dataFolder: string): AccountBook {
  const database = openDatabaseForCommand(dataFolder, 0, 'make')
  onTestFinished(() => {
    database.close()
  })
  return createAccountBook(database)
}

/** All entries of an account's ledger. */
export async function readLedger(book: Pick<AccountBook, 'ledger'>, name: string): Promise<BookedUnits[]> {
  const entries: BookedUnits[] = []
  for await (const entry of book.ledger(name)) entries.push(entry)
  return entries
}
