import type { PostgresStatements } from '../../../platform/postgres/postgres.js'

/** Whoever changes an account, its keys or secrets, or bills it, holds its row until the transaction ends. */
export async function holdAccount(statements: PostgresStatements, accountNumber: number): Promise<void> {
  await statements.query('SELECT FROM enrich_service.accounts WHERE account_number = $1 FOR NO KEY UPDATE', [
    accountNumber,
  ])
}
