import type { KickoffBody } from '../../../contract/resolution.js'
import type { Deferrable } from '../../../core/awaitable.js'
import type { WebhookGate } from '../../deliveries/webhooks.js'
import type { Call, Handlers } from '../../http/mount.js'
import type { Builds } from '../../records/builds/builds.js'
import { notFound } from '../../refusal.js'
import { jobBody, jobPendingBody, runBody } from '../../runs/run-body.js'
import type { HeldPolls } from '../../runs/held-polls.js'
import type { NewRun, RunStore } from '../../runs/run-store.js'
import { submit, type SubmissionDeps } from '../../runs/submission.js'

interface KickoffDeps extends SubmissionDeps {
  readonly gate: WebhookGate
}

/** The two kickoffs. A 202 leaves only after the run and its billed unit are durable. */
export function kickoffHandlers(deps: KickoffDeps): Pick<Handlers, 'kickoffRun' | 'kickoffJob'> {
  return {
    kickoffRun: async (call) => {
      const { ids, customId } = await accept(call, 'run', call.body, deps)
      const custom = customId === null ? {} : { custom_id: customId }
      return { status: 202, body: { status: 'pending', run_id: ids.runId, ...custom } }
    },
    kickoffJob: async (call) => {
      const { ids } = await accept(call, 'job', call.query, deps)
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
  deps: KickoffDeps,
): Promise<NewRun> {
  const submission = {
    kind,
    name: asked.name,
    location: asked.location,
    context: asked.context,
    customId: asked.custom_id ?? null,
    webhookUrl: await deps.gate(asked.webhook_url),
    withBasis: asked.include === 'basis',
  }
  return submit(call, submission, deps)
}

/**
 * Reading what runs and jobs are at; never starts or repeats work (interface: "States and transitions"). With
 * `held`, the poll of a run waits for its end.
 */
export function pollHandlers(
  store: Deferrable<Pick<RunStore, 'byRunId' | 'byJobId'>>,
  builds: Pick<Deferrable<Builds>, 'runObject'>,
  held: Pick<HeldPolls, 'mayHaveEnded'> | null = null,
): Pick<Handlers, 'pollRun' | 'pollJob'> {
  return {
    // The text shows no status for a pending run: 202, as a pending job has.
    pollRun: async ({ caller, params, query }) => {
      let run = await store.byRunId(caller.accountNumber, params.run_id)
      if (held !== null && run?.status === 'PENDING') {
        await held.mayHaveEnded(params.run_id)
        run = await store.byRunId(caller.accountNumber, params.run_id)
      }
      if (run === undefined) {
        // Or of a read that came before its record was built: its event names the run.
        const object = await builds.runObject(caller.accountNumber, params.run_id)
        if (object === undefined) throw notFound('run')
        return { status: object.isPending ? 202 : 200, body: object.text }
      }
      return { status: run.status === 'PENDING' ? 202 : 200, body: runBody(run, query.include === 'basis') }
    },
    pollJob: async ({ caller, callId, params, query }) => {
      const run = await store.byJobId(caller.accountNumber, params.job_id)
      const pending = run === undefined ? null : jobPendingBody(run)
      if (run === undefined || pending === null) throw notFound('job')
      const body = jobBody(run, callId, query.include === 'basis')
      return body === null ? { status: 202, body: pending } : { status: 200, body }
    },
  }
}
