import { runBody } from '../runs/run-body.js'
import type { OnRunEnded } from '../runs/run-store.js'
import type { Outbox } from './outbox.js'

/**
 * The event of a run that was given a `webhook_url`; written with its result or not at all. It carries the run
 * as the poll shows it, with the basis where the kickoff asked for one. v2 has no events.
 */
export function tellOfRuns(outbox: Pick<Outbox, 'add'>): OnRunEnded {
  return (run, endedAtMs) => {
    if (run.webhookUrl === null || run.surface !== 'v3') return
    outbox.add({
      accountNumber: run.accountNumber,
      type: run.status === 'COMPLETED' ? 'entity_resolution.completed' : 'entity_resolution.failed',
      webhookUrl: run.webhookUrl,
      runId: run.runId,
      customId: run.customId,
      object: runBody(run, true),
      createdAtMs: endedAtMs,
    })
  }
}
