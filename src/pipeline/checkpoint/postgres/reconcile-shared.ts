import type { Clock } from '../../../platform/clock.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { ReconcileReport, ReconcileRequest } from '../reconcile-checkpoint.js'
import type { Reconciled } from '../charge-rules.js'
import { openShared, openSharedToRead, type OpenSharedDeps } from './open.js'
import { SharedReconciler } from './reconciler.js'
import { repeated } from './repeating.js'
import { sweep } from './sweep.js'

export interface ReconcileSharedRequest extends ReconcileRequest, Pick<OpenSharedDeps, 'environment'> {
  readonly clock: Clock
}

/** Undoes what was tried. */
class DryRun extends Error {
  constructor(readonly result: Reconciled) {
    super('nothing was changed')
  }
}

/**
 * Settles what is uncertain, and a failover, by the service's own list of charges, while other processes go on: in one
 * transaction. That submissions are made by a server that had failed over is accepted where the list is complete.
 * Throws CHECKPOINT_*.
 */
export async function reconcileSharedCheckpoint(request: ReconcileSharedRequest): Promise<ReconcileReport> {
  const { path, isDryRun, completeUntilMs } = request
  const code = await problemOf(request)
  const shared = await openShared(path, { ...request, settlesRollback: true })
  let result: Reconciled
  try {
    // What processes that are gone had in flight is uncertain.
    if (!isDryRun) await sweep(shared.postgres)
    result = await settled(request, (work) => shared.postgres.transaction(work), shared.id)
  } catch (error) {
    throw shared.explain(error)
  } finally {
    await shared.close()
  }
  const isSettled = completeUntilMs !== null
  if (code !== null && isSettled && !isDryRun)
    await (await openShared(path, { ...request, acceptRollback: true })).close()
  return { ...result, problem: code === null ? null : { code, isSettled } }
}

/** Why a run would stop now. */
async function problemOf({ path, environment }: ReconcileSharedRequest): Promise<string | null> {
  const shared = await openSharedToRead(path, environment === undefined ? {} : { environment })
  await shared?.close()
  return shared?.problem?.code ?? null
}

async function settled(
  request: ReconcileSharedRequest,
  transaction: <Result>(work: (statements: PostgresStatements) => Promise<Result>) => Promise<Result>,
  checkpointId: string,
): Promise<Reconciled> {
  try {
    return await repeated(request, () =>
      transaction(async (statements) => {
        const result = await new SharedReconciler({ ...request, statements, checkpointId }).run()
        if (request.isDryRun) throw new DryRun(result)
        return result
      }),
    )
  } catch (error) {
    if (error instanceof DryRun) return error.result
    throw error
  }
}
