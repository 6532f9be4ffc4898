import type { Deferrable } from '../../../core/awaitable.js'
import type { Clock } from '../../../platform/clock.js'
import { createGatheredCommits } from '../../../platform/gathered-commits.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'
import type { Caller, Callers } from '../accounts.js'

interface Known {
  readonly caller: Caller | undefined
  readonly untilMs: number
}

/**
 * Each key is read at most once a second, those that come at about the same time together: what another process
 * revokes or switches counts within a second. Keys that are nobody's are remembered so too.
 */
export function sharedCallers(postgres: PostgresStatements, clock: Clock): Deferrable<Callers> {
  const known = new Map<string, Known>()
  const asking = new Map<string, Promise<Caller | undefined>>()
  const reads = createGatheredCommits<string, Caller | undefined>(async (keyHashes) => {
    const rows = await postgres.query<Caller>(
      `SELECT k.key_hash AS "keyHash", a.account_number AS "accountNumber", a.v3_enabled AS "v3Enabled"
       FROM enrich_service.api_keys k JOIN enrich_service.accounts a USING (account_number)
       WHERE k.key_hash = ANY($1)`,
      [keyHashes],
    )
    const found = new Map(rows.map((row) => [row.keyHash, row]))
    return keyHashes.map((keyHash) => ({ value: found.get(keyHash) }))
  })
  const ask = async (keyHash: string): Promise<Caller | undefined> => {
    try {
      const askedAtMs = clock.monotonicMs()
      const caller = await reads.add(keyHash)
      if (known.size >= limits.callersKeptMax) known.clear()
      known.set(keyHash, { caller, untilMs: askedAtMs + limits.callerLifeMs })
      return caller
    } finally {
      asking.delete(keyHash)
    }
  }
  return {
    get: (keyHash) => {
      const last = known.get(keyHash)
      if (last !== undefined && clock.monotonicMs() < last.untilMs) return last.caller
      const asked = asking.get(keyHash) ?? ask(keyHash)
      asking.set(keyHash, asked)
      return asked
    },
  }
}
