import type { Builds } from '../../records/builds/builds.js'
import type { Handlers } from '../../http/mount.js'
import { notFound } from '../../refusal.js'
import { jobBody, jobPendingBody, runBody } from '../../runs/run-body.js'
import type { RunStore } from '../../runs/run-store.js'

/** Reading what runs and jobs are at; never starts or repeats work (interface: "States and transitions"). */
export function pollHandlers(
  store: RunStore,
  builds: Pick<Builds, 'runObject'>,
): Pick<Handlers, 'pollRun' | 'pollJob'> {
  return {
    // The text shows no status for a pending run: 202, as a pending job has.
    pollRun: ({ caller, params, query }) => {
      const run = store.byRunId(caller.accountNumber, params.run_id)
      if (run === undefined) {
        // Or of a read that came before its record was built: its event names the run.
        const object = builds.runObject(caller.accountNumber, params.run_id)
        if (object === undefined) throw notFound('run')
        return { status: object.isPending ? 202 : 200, body: object.text }
      }
      return { status: run.status === 'PENDING' ? 202 : 200, body: runBody(run, query.include === 'basis') }
    },
    pollJob: ({ caller, callId, params, query }) => {
      const run = store.byJobId(caller.accountNumber, params.job_id)
      const pending = run === undefined ? null : jobPendingBody(run)
      if (run === undefined || pending === null) throw notFound('job')
      const body = jobBody(run, callId, query.include === 'basis')
      return body === null ? { status: 202, body: pending } : { status: 200, body }
    },
  }
}
