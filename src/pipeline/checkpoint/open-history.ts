import { isPostgresUrl } from '../../core/server-addresses.js'
import type { OpenHistoryRows } from './history-store.js'
import type { openServerHistory } from './postgres/history-rows.js'
import { openHistoryRows } from './sqlite/history-rows.js'

/**
 * Opens the history of a checkpoint read-only, even while runs write it. `place`: the path of a file, or the URL of a
 * server, which needs `deps`. Returns `null` if there is no checkpoint. Rejects with CHECKPOINT_*.
 *
 *     const history = await openStoredHistory('.enrich/checkpoint.sqlite')
 *     const runs = (await history?.readRuns(null)) ?? []
 *     await history?.close()
 */
export async function openStoredHistory(
  place: string,
  deps?: Parameters<typeof openServerHistory>[1],
): Promise<OpenHistoryRows | null> {
  if (deps === undefined || !isPostgresUrl(place)) return openHistoryRows(place)
  // A checkpoint in a file needs none of it.
  const { openServerHistory: open } = await import('./postgres/history-rows.js')
  return open(place, deps)
}
