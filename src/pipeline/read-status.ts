import { diagnoseDamage, openReader, readStoredStatus } from './checkpoint/open.js'
import type { ServiceClient } from '../client/client.js'
import { UserError } from '../core/errors.js'
import { firstKinds, type LookupKind } from '../core/lookup-state.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import { getDecisionService, type Verdict } from '../core/decisions.js'
import { readStandingDecisions } from './decisions/decision-sync.js'

export { checkCheckpointAccess } from './checkpoint/open.js'

type StoredStatus = NonNullable<Awaited<ReturnType<typeof readStoredStatus>>>

/** The lookups of a checkpoint, and what runs would do with them. */
export interface CheckpointStatus extends StoredStatus {
  /** Decided lookups by service, or why the decisions cannot be read. Empty for a server. */
  readonly decided: ReadonlyMap<string, DecidedCounts> | UserError
}

/** Numbers of decided lookups by verdict. */
export interface DecidedCounts extends Readonly<Record<Verdict, number>> {
  readonly decidedAtMs: readonly number[]
  /** Decided lookups that were never submitted, by kind: runs do not submit them. */
  readonly unsubmitted: Readonly<Partial<Record<LookupKind, number>>>
}

interface StatusRequest {
  /** Path of a checkpoint file, or address of a checkpoint on PostgreSQL. */
  readonly path: string
  readonly decisions: { readonly path: string; readonly isNamed: boolean }
  /** Number of uncertain submissions to list; `null` for none. */
  readonly uncertainMax: number | null
}

/**
 * Reads the status of a checkpoint; `null` if it does not exist. Reads only, also while a run works. `environment` has the
 * password of a server. Throws CHECKPOINT_*.
 *
 * @example
 * const status = await readStatus({ path: 'companies.sqlite', decisions, uncertainMax: null }, process.env)
 */
export async function readStatus(
  { path, decisions, uncertainMax }: StatusRequest,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<CheckpointStatus | null> {
  const read = () => readStoredStatus(path, uncertainMax, environment)
  if (isPostgresUrl(path)) {
    const status = await read()
    return status === null ? null : { ...status, decided: new Map() }
  }
  return diagnoseDamage(path, async () => {
    const status = await read()
    if (status === null) return null
    const names = [...new Set(status.scopes.map(({ scope }) => scope))]
    const decided = await countDecided(path, decisions, names).catch((error: unknown) => {
      if (error instanceof UserError) return error
      throw error
    })
    return { ...status, decided }
  })
}

/** Counts decided lookups by service. Throws DECISIONS_* and REVIEW_STORE_*. */
async function countDecided(
  path: string,
  decisions: StatusRequest['decisions'],
  scopes: readonly string[],
): Promise<ReadonlyMap<string, DecidedCounts>> {
  const counts = new Map<string, DecidedCounts>()
  for (const scope of scopes) {
    const service = getDecisionService(scope.startsWith('embedded:') ? null : scope)
    const { byLookup } = await readStandingDecisions({ ...decisions, checkpointPath: path, service })
    const reader = await openReader(path, scope)
    try {
      const keys = [...byLookup.keys()].map((lookup) => Buffer.from(lookup, 'hex'))
      const found = firstKinds.map((kind) => reader?.find(keys.map((key) => ({ kind, key }))) ?? [])
      const known = [...byLookup.values()].filter((_, at) => found.some((ids) => (ids[at] ?? 0) !== 0))
      const countUnsubmitted = (ids: readonly number[]) =>
        reader?.readLookups(ids.filter((id) => id !== 0)).filter((one) => one?.isSubmitted === false).length
      const countVerdict = (verdict: Verdict) => known.filter((one) => one.verdict === verdict).length
      counts.set(scope, {
        accepted: countVerdict('accepted'),
        none: countVerdict('none'),
        decidedAtMs: known.map(({ decidedAtMs }) => decidedAtMs),
        unsubmitted: Object.fromEntries(
          firstKinds.map((kind, at) => [kind, countUnsubmitted(found[at] ?? []) ?? 0]),
        ),
      })
    } finally {
      reader?.close()
    }
  }
  return counts
}

/** Checks the key with a free poll of an unknown run. Throws SERVICE_UNREACHABLE and SERVICE_REFUSED. */
export async function checkServiceAccess(client: Pick<ServiceClient, 'pollRun'>): Promise<void> {
  const exchange = await client.pollRun('run_doctor', {})
  if (exchange.kind === 'no_reply') {
    throw new UserError('SERVICE_UNREACHABLE', `no answer came from the service: ${exchange.reason}`, {
      hint: `${exchange.hint ?? 'check the network'}; the address is that of --base-url`,
    })
  }
  // Imported here, because a status needs none of it.
  const { judgePoll } = await import('./scheduler/scheduler.js')
  const verdict = judgePoll(exchange, { runId: 'run_doctor', customId: null, name: null }, Date.now())
  if (verdict.kind === 'refused') {
    throw new UserError('SERVICE_REFUSED', verdict.reason, {
      hint: 'check ENRICH_API_KEY and that the account may use v3',
    })
  }
  if (verdict.kind === 'retry' && exchange.status >= 500) {
    throw new UserError('SERVICE_UNREACHABLE', verdict.reason, {
      hint: 'the service is failing: try again later',
    })
  }
}
