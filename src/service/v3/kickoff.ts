import type { KickoffBody } from '../../contract/resolution.js'
import type { Call, Handlers } from '../mount.js'
import { badRequest } from '../refusal.js'
import type { NewRun } from '../run-store.js'
import { submit, type SubmissionParts } from '../submission.js'

/** The two kickoffs. A 202 leaves only after the run and its billed unit are durable. */
export function kickoffHandlers(parts: SubmissionParts): Pick<Handlers, 'kickoffRun' | 'kickoffJob'> {
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
  parts: SubmissionParts,
): Promise<NewRun> {
  if (asked.webhook_url !== undefined) {
    throw badRequest('webhook_url: this service does not deliver webhooks yet; poll the run instead')
  }
  const submission = {
    kind,
    name: asked.name,
    location: asked.location,
    context: asked.context,
    customId: asked.custom_id ?? null,
    webhookUrl: null,
    withBasis: asked.include === 'basis',
  }
  return submit(call, submission, parts)
}
