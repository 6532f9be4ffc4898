import type { KickoffBody } from '../../../contract/resolution.js'
import type { Call, Handlers } from '../../http/mount.js'
import type { NewRun } from '../../runs/run-store.js'
import { submit, type SubmissionParts } from '../../runs/submission.js'
import type { WebhookGate } from '../../deliveries/webhook-gate.js'

export interface KickoffParts extends SubmissionParts {
  readonly gate: WebhookGate
}

/** The two kickoffs. A 202 leaves only after the run and its billed unit are durable. */
export function kickoffHandlers(parts: KickoffParts): Pick<Handlers, 'kickoffRun' | 'kickoffJob'> {
  return {
    kickoffRun: async (call) => {
      const { ids, customId } = await accept(call, 'run', call.body, parts)
      const custom = customId === null ? {} : { custom_id: customId }
      return { status: 202, body: { status: 'pending', run_id: ids.runId, ...custom } }
    },
    kickoffJob: async (call) => {
      const { ids } = await accept(call, 'job', call.query, parts)
      return {
        status: 202,
        body: { status: 'pending', job_id: ids.jobId, request_id: ids.requestId },
      }
    },
  }
}

async function accept(
  call: Pick<Call, 'caller' | 'callId'>,
  kind: 'run' | 'job',
  asked: KickoffBody,
  parts: KickoffParts,
): Promise<NewRun> {
  const submission = {
    kind,
    name: asked.name,
    location: asked.location,
    context: asked.context,
    customId: asked.custom_id ?? null,
    webhookUrl: await parts.gate(asked.webhook_url),
    withBasis: asked.include === 'basis',
  }
  return submit(call, submission, parts)
}
