import type { ServiceClient } from '../client/client.js'
import { existsSync } from 'node:fs'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import { openToWrite } from './checkpoint/sqlite/open-database.js'
import { UserError } from '../core/errors.js'
import { firstKinds } from '../core/lookup-kinds.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import { getDecisionService, type Verdict } from '../core/decisions.js'
import type { ScopeCounts, UncertainLookup } from './checkpoint/checkpoint.js'
import type { SharedStatus } from './checkpoint/postgres/status.js'
import { openCheckpointReader } from './checkpoint/sqlite/reader.js'
import { diagnoseDamage, findProblem } from './checkpoint/sqlite/verify.js'
import { readStandingDecisions } from './decisions/decision-sync.js'
import { readInboxCounts, type InboxCounts } from './scheduler/inbox.js'

/** The lookups of a checkpoint, and what runs would do with them. */
export interface CheckpointStatus {
  /** Path of the file, or address of the server without its password. */
  readonly place: string
  /** Lookups by service and kind. */
  readonly scopes: readonly ScopeCounts[]
  /** Decided lookups by service, or why the decisions cannot be read. Empty for a server. */
  readonly decided: ReadonlyMap<string, DecidedCounts> | UserError
  /** Submissions that may have been billed and have no answer; `null` if not requested. */
  readonly uncertain: readonly UncertainLookup[] | null
  /** Deliveries by state; `null` if none was ever received. */
  readonly inbox: InboxCounts | null
  /** Processes of a checkpoint on a server, with their pace and jobs; `null` for a file. */
  readonly shared: SharedStatus | null
  /** The error that would stop a run, or `null`. */
  readonly problem: UserError | null
}

/** Numbers of decided lookups by verdict. */
export interface DecidedCounts extends Readonly<Record<Verdict, number>> {
  readonly decidedAtMs: readonly number[]
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
export function readStatus(
  request: StatusRequest,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<CheckpointStatus | null> {
  const { path } = request
  return isPostgresUrl(path)
    ? readServerStatus(request, environment)
    : diagnoseDamage(path, () => readFileStatus(request))
}

async function readFileStatus({
  path,
  decisions,
  uncertainMax,
}: StatusRequest): Promise<CheckpointStatus | null> {
  const reader = openCheckpointReader(path, null)
  if (reader === null) return null
  try {
    const scopes = reader.read('counts')
    const uncertain = uncertainMax === null ? null : reader.read('uncertain', { limit: uncertainMax })
    const names = [...new Set(scopes.map(({ scope }) => scope))]
    const decided = await countDecided(path, decisions, names).catch((error: unknown) => {
      if (error instanceof UserError) return error
      throw error
    })
    return {
      place: path,
      scopes,
      decided,
      uncertain,
      inbox: readInboxCounts(path),
      shared: null,
      problem: findProblem(path, scopes.some(isHosted)),
    }
  } finally {
    reader.close()
  }
}

/** Hosted services bill lookups. */
const isHosted = ({ scope }: ScopeCounts): boolean => /^https?:/.test(scope)

async function readServerStatus(
  { path, uncertainMax }: StatusRequest,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<CheckpointStatus | null> {
  const { openSharedToRead } = await import('./checkpoint/postgres/open-database.js')
  const { readSharedCounts, readSharedStatus, readSharedUncertain } =
    await import('./checkpoint/postgres/status.js')
  const { readSharedInboxCounts } = await import('./scheduler/shared-inbox.js')
  const database = await openSharedToRead(path, { environment })
  if (database === null) return null
  const { postgres, url, problem } = database
  try {
    const scopes = await readSharedCounts(postgres)
    const shared = await readSharedStatus(postgres)
    const inbox = await readSharedInboxCounts(postgres)
    const uncertain = uncertainMax === null ? null : await readSharedUncertain(postgres, uncertainMax)
    return { place: url, scopes, decided: new Map(), uncertain, inbox, shared, problem }
  } catch (error) {
    throw database.explain(error)
  } finally {
    await database.close()
  }
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
    const reader = openCheckpointReader(path, scope)
    try {
      const keys = [...byLookup.keys()].map((lookup) => Buffer.from(lookup, 'hex'))
      const found = firstKinds.map((kind) => reader?.find(kind, keys) ?? [])
      const known = [...byLookup.values()].filter((_, at) => found.some((ids) => (ids[at] ?? 0) !== 0))
      const countVerdict = (verdict: Verdict) => known.filter((one) => one.verdict === verdict).length
      counts.set(scope, {
        accepted: countVerdict('accepted'),
        none: countVerdict('none'),
        decidedAtMs: known.map(({ decidedAtMs }) => decidedAtMs),
      })
    } finally {
      reader?.close()
    }
  }
  return counts
}

/**
 * Checks that a run can write a checkpoint, which is created if it does not exist. `lookupCount`: the lookups in a file; null if it
 * was created, and for a server. Throws CHECKPOINT_*.
 */
export async function checkCheckpointAccess(
  path: string,
  isBilled: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly place: string; readonly lookupCount: number | null }> {
  if (isPostgresUrl(path)) {
    const { openShared } = await import('./checkpoint/postgres/open-database.js')
    const database = await openShared(path, { clock: systemClock, random: systemRandom, environment })
    await database.close()
    return { place: database.url, lookupCount: null }
  }
  return diagnoseDamage(path, () => {
    const isThere = existsSync(path)
    const problem = findProblem(path, isBilled)
    if (problem !== null) throw problem
    openToWrite(path).close()
    return Promise.resolve({ place: path, lookupCount: isThere ? countLookups(path) : null })
  })
}

function countLookups(path: string): number {
  const reader = openCheckpointReader(path, null)
  const scopes = reader?.read('counts') ?? []
  reader?.close()
  return scopes.reduce((sum, { states }) => sum + Object.values(states).reduce((a, b) => a + b, 0), 0)
}

/**
 * Checks that the service accepts the key: polls a run that cannot exist, which is free. Throws SERVICE_UNREACHABLE and
 * SERVICE_REFUSED.
 */
export async function checkServiceAccess(client: Pick<ServiceClient, 'pollRun'>): Promise<void> {
  const exchange = await client.pollRun('run_doctor', {})
  if (exchange.kind === 'no_reply') {
    throw new UserError('SERVICE_UNREACHABLE', `no answer came from the service: ${exchange.reason}`, {
      hint: `${exchange.hint ?? 'check the network'}; the address is that of --base-url`,
    })
  }
  // Imported here, because a status needs none of it.
  const { judgePoll } = await import('./scheduler/outcome.js')
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
