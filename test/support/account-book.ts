import { onTestFinished } from 'vitest'
import { createAccountBook, type AccountBook } from '../../src/service/accounts/account-book.js'
import { openDatabaseForCommand } from '../../src/service/storage/database.js'

/** The accounts of a data folder through a connection of its own, as `enrich accounts` has it. */
export function openBook(dataFolder: string): AccountBook {
  const database = openDatabaseForCommand(dataFolder, 0, 'make')
  onTestFinished(() => {
    database.close()
  })
  return createAccountBook(database)
}
