import { formatCount } from '../../core/text.js'
import type { AccountSummary, BookedUnits, KeyInfo, SecretInfo } from '../../service/accounts.js'

/** Formats the output of `enrich accounts list`. */
export function formatAccounts(accounts: readonly AccountSummary[]): string {
  if (accounts.length === 0) return 'No accounts yet: enrich accounts add NAME\n'
  const head = ['account', 'v3', 'credit left', 'this month', 'keys']
  const rows = accounts.map((account) => [
    account.name,
    account.v3Enabled ? 'yes' : 'no',
    units(account.creditUnits),
    formatMonthUsage(account),
    String(account.keyCount),
  ])
  return formatTable([head, ...rows])
}

export function formatAccount(account: AccountSummary): string {
  return formatTable([
    ['account', account.name],
    ['v3', account.v3Enabled ? 'enabled' : 'not enabled'],
    ['credit left', units(account.creditUnits)],
    ['this month', formatMonthUsage(account)],
    ['charged', units(account.chargedUnits)],
    ['refunded', units(account.refundedUnits)],
    ['granted', units(account.grantedUnits)],
    ['keys', String(account.keyCount)],
    ['secrets', String(account.secretCount)],
    ['created', formatTime(account.createdAtMs)],
  ])
}

export function formatLedgerEntry({ at, kind, units, runId, customId }: BookedUnits): string {
  const run = runId === null ? [] : [runId]
  const custom = customId === null ? [] : [customId]
  return `${[at, kind.padEnd(6), String(units), ...run, ...custom].join('  ')}\n`
}

export function formatKeys(keys: readonly KeyInfo[]): string {
  if (keys.length === 0) return 'No keys: this account cannot call the service.\n'
  return formatTable(
    keys.map(({ keyId, createdAtMs, label, isGivenAtStart }) => [
      keyId,
      formatTime(createdAtMs),
      label ?? (isGivenAtStart ? 'ENRICH_SERVE_API_KEY' : ''),
    ]),
  )
}

export function formatSecrets(secrets: readonly SecretInfo[]): string {
  return formatTable(
    secrets.map(({ secretId, createdAtMs, expiresAtMs, label }) => [
      secretId,
      formatTime(createdAtMs),
      expiresAtMs === null ? 'valid' : `valid until ${formatTime(expiresAtMs)}`,
      label ?? '',
    ]),
  )
}

function formatMonthUsage({ monthUnits, monthlyUnitsMax }: AccountSummary): string {
  return `${units(monthUnits)} of ${units(monthlyUnitsMax)}`
}

function units(count: number | null): string {
  return count === null ? 'unlimited' : formatCount(count)
}

/** 0 is the creation time of accounts of earlier versions. */
function formatTime(atMs: number): string {
  return atMs === 0 ? 'long ago' : new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z')
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}
