import { existsSync } from 'node:fs'
import type { UserError } from '../../core/errors.js'
import type { LookupId } from '../../core/lookup-identity.js'
import { isPostgresUrl } from '../../core/server-addresses.js'
import { systemClock, systemRandom } from '../../platform/clock.js'
import type { CloseLater } from '../../platform/close-stack.js'
import { RetryingStatements, type RetryDeps } from '../../platform/postgres/retry.js'
import type { Checkpoint } from './checkpoint.js'
import type { OpenHistoryRows } from './history-store.js'
import type { Inbox, InboxAccess, InboxCounts } from './inbox.js'
import type { CheckpointReader, ScopeCounts, UncertainLookup } from './lookup.js'
import { getInboxPath, isCheckpointAt } from './paths.js'
import type { OpenSharedDeps, SharedDatabase, SharedToRead } from './postgres/open-database.js'
import type { SharedCheckpointLocation, SharedRunDeps } from './postgres/shared-run.js'
import type { SharedStatus } from './postgres/status.js'
import type { OpenCheckpointDeps } from './sqlite/checkpoint-file.js'

export { getReviewStorePath, listCheckpointFiles } from './paths.js'
export type { SharedCheckpointLocation }

/**
 * Opens a checkpoint: for a run, for its readers, for its status, or for the deliveries of webhooks. A place is the path
 * of a file, or the URL of a server. A command loads only the store that it opens. All functions throw CHECKPOINT_*.
 *
 *     const { openCheckpoint, peek } = await openForRun('companies.sqlite', deps, closeLater)
 *     const checkpoint = await openCheckpoint({ path, scope, job, nowMs: clock.nowMs(), random })
 */

type Environment = Readonly<Record<string, string | undefined>>

/** Clock and chance, and the source of the password of a server. */
interface System extends RetryDeps {
  readonly environment?: Environment
}

const loadServer = () => import('./postgres/open-database.js')
const loadFile = () => import('./sqlite/open-database.js')
const loadReader = () => import('./sqlite/reader.js')
const loadFileInbox = () => import('./sqlite/inbox-rows.js')
const loadServerInbox = () => import('./postgres/inbox-rows.js')
const loadVerifier = () => import('./sqlite/verify.js')

/** The database of a checkpoint on PostgreSQL, for tables that others keep in it. */
export type ServerDatabase = Pick<SharedDatabase, 'postgres' | 'explain'>

/** The content of a checkpoint so far. */
interface KnownCheckpoint {
  /** The file that is read: that of the checkpoint, or a local copy of the one on a server. */
  readonly path: string
  /** Opens a reader of a service; `null` if there is no checkpoint. The caller closes it. */
  peek(scope: string): CheckpointReader | null
  /** `null` for a file. */
  readonly server: ServerDatabase | null
}

export interface RunCheckpoint extends KnownCheckpoint {
  openCheckpoint(options: OpenCheckpointDeps): Checkpoint | Promise<Checkpoint>
  readonly inbox: InboxAccess
}

/** A checkpoint in a file needs only the clock. */
interface RunCheckpointDeps extends Omit<SharedRunDeps, 'location'> {
  readonly access: Omit<SharedCheckpointLocation, 'url'>
}

/** Opens a checkpoint for a run. Nothing is locked or changed before `openCheckpoint`. */
export async function openForRun(
  path: string,
  deps: RunCheckpointDeps,
  closeLater: CloseLater,
): Promise<RunCheckpoint> {
  if (isPostgresUrl(path)) {
    const { joinSharedCheckpoint } = await import('./postgres/shared-run.js')
    const { createRunInbox } = await loadServerInbox()
    const location = { url: path, ...deps.access }
    const run = await joinSharedCheckpoint({ ...deps, location }, closeLater)
    const inbox = createRunInbox({ ...run, owner: run.store })
    return {
      path: run.path,
      openCheckpoint: (options) => run.openCheckpoint(options),
      peek: (scope) => run.peek(scope),
      inbox,
      server: run.database,
    }
  }
  const { openCheckpoint } = await import('./sqlite/sqlite-checkpoint.js')
  const { peekAtCheckpoint } = await loadReader()
  const { createFileInbox } = await loadFileInbox()
  return {
    path,
    openCheckpoint,
    peek: (scope) => peekAtCheckpoint(path, scope),
    inbox: createFileInbox(path, deps.clock),
    server: null,
  }
}

interface CheckpointView extends KnownCheckpoint {
  /** The error that would stop a run, or `null`. */
  problem(isBilled: boolean): UserError | null
}

/** Opens a checkpoint to read it; `null` if it does not exist. `folder` is for a copy from a server. */
export async function openView(
  place: string,
  { folder, ...system }: System & { readonly folder: string },
  closeLater: CloseLater,
): Promise<CheckpointView | null> {
  if (isPostgresUrl(place)) {
    const { openSharedView } = await import('./postgres/local-copy.js')
    return openSharedView({ url: place, folder, ...system }, closeLater)
  }
  if (!isCheckpointAt(place)) return null
  const { peekAtCheckpoint } = await loadReader()
  const { findProblem } = await loadVerifier()
  return {
    path: place,
    peek: (scope) => peekAtCheckpoint(place, scope),
    problem: (isBilled) => findProblem(place, isBilled),
    server: null,
  }
}

/** Opens a reader of a file; `scope` limits `find`. Returns `null` if there is no checkpoint yet. */
export async function openReader(path: string, scope: string | null): Promise<CheckpointReader | null> {
  const { openCheckpointReader } = await loadReader()
  return openCheckpointReader(path, scope)
}

/** Runs an action on a file. If it fails unexpectedly, checks for damage and throws CHECKPOINT_DAMAGED. */
export async function diagnoseDamage<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action()
  } catch (error) {
    const { explainByDamage } = await loadVerifier()
    throw explainByDamage(path, error)
  }
}

/**
 * Opens the history of a checkpoint read-only, even while runs write it. A server needs `deps`. Returns `null` if there is
 * no checkpoint.
 *
 *     const history = await openStoredHistory('.enrich/checkpoint.sqlite')
 *     const runs = (await history?.readRuns(null)) ?? []
 *     await history?.close()
 */
export async function openStoredHistory(place: string, deps?: System): Promise<OpenHistoryRows | null> {
  if (deps === undefined || !isPostgresUrl(place)) {
    const { openHistoryRows } = await import('./sqlite/history-rows.js')
    return openHistoryRows(place)
  }
  const { openServerHistory } = await import('./postgres/history-rows.js')
  return openServerHistory(place, deps)
}

/** Opens the inbox of a checkpoint for a receiver. `place`: its path or URL, to show. */
export async function openInbox(
  place: string,
  system: System,
  closeLater: CloseLater,
): Promise<{ readonly inbox: Inbox; readonly place: string }> {
  if (!isPostgresUrl(place)) {
    await assertNotMoved(place)
    const { openFileInbox } = await loadFileInbox()
    const inbox = openFileInbox(place, system.clock.nowMs())
    closeLater(() => inbox.close())
    return { inbox, place: getInboxPath(place) }
  }
  const { openShared } = await loadServer()
  const { openSharedInbox } = await loadServerInbox()
  const database = await openShared(place, system)
  closeLater(() => database.close())
  const inbox = await openSharedInbox({ ...system, database, owner: null })
  closeLater(() => inbox.close())
  return { inbox, place: database.url }
}

async function assertNotMoved(path: string): Promise<void> {
  const { readMoveTarget } = await loadFile()
  const to = readMoveTarget(path)
  if (to === null) return
  const { createMovedError } = await import('./checkpoint-errors.js')
  throw createMovedError(path, to)
}

/** The lookups of a checkpoint, and what runs would do with them. */
interface StoredStatus {
  /** Path of the file, or address of the server without its password. */
  readonly place: string
  /** Lookups by service and kind. */
  readonly scopes: readonly ScopeCounts[]
  /** Submissions that may have been billed and have no answer; `null` if not requested. */
  readonly uncertain: readonly UncertainLookup[] | null
  /** Deliveries by state; `null` if none was ever received. */
  readonly inbox: InboxCounts | null
  /** Processes of a checkpoint on a server, with their pace and jobs; `null` for a file. */
  readonly shared: SharedStatus | null
  /** The error that would stop a run, or `null`. */
  readonly problem: UserError | null
}

/** Reads the status of a checkpoint, also while a run works. `null` if it does not exist. `uncertainMax`: how many to list. */
export function readStoredStatus(
  place: string,
  uncertainMax: number | null,
  environment: Environment,
): Promise<StoredStatus | null> {
  return isPostgresUrl(place)
    ? readServerStatus(place, uncertainMax, environment)
    : readFileStatus(place, uncertainMax)
}

async function readFileStatus(path: string, uncertainMax: number | null): Promise<StoredStatus | null> {
  const reader = await openReader(path, null)
  if (reader === null) return null
  const { readInboxCounts } = await loadFileInbox()
  const { findProblem } = await loadVerifier()
  try {
    const scopes = reader.read('counts')
    return {
      place: path,
      scopes,
      uncertain: uncertainMax === null ? null : reader.read('uncertain', { limit: uncertainMax }),
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
  place: string,
  uncertainMax: number | null,
  environment: Environment,
): Promise<StoredStatus | null> {
  const { readSharedCounts, readSharedInboxCounts, readSharedStatus, readSharedUncertain } =
    await import('./postgres/status.js')
  const database = await openSharedToRead(place, { environment })
  if (database === null) return null
  const { postgres, url, problem } = database
  try {
    const scopes = await readSharedCounts(postgres)
    const shared = await readSharedStatus(postgres)
    const inbox = await readSharedInboxCounts(postgres)
    const uncertain = uncertainMax === null ? null : await readSharedUncertain(postgres, uncertainMax)
    return { place: url, scopes, uncertain, inbox, shared, problem }
  } catch (error) {
    throw database.explain(error)
  } finally {
    await database.close()
  }
}

/**
 * Checks that a run can write a checkpoint, which is created if it does not exist. `lookupCount`: the lookups in a file;
 * null if it was created, and for a server.
 */
export async function checkCheckpointAccess(
  place: string,
  isBilled: boolean,
  environment: Environment,
): Promise<{ readonly place: string; readonly lookupCount: number | null }> {
  if (isPostgresUrl(place)) {
    const { openShared } = await loadServer()
    const database = await openShared(place, { clock: systemClock, random: systemRandom, environment })
    await database.close()
    return { place: database.url, lookupCount: null }
  }
  return diagnoseDamage(place, async () => {
    const isThere = existsSync(place)
    const { findProblem } = await loadVerifier()
    const problem = findProblem(place, isBilled)
    if (problem !== null) throw problem
    const { openToWrite } = await loadFile()
    openToWrite(place).close()
    return { place, lookupCount: isThere ? await countLookups(place) : null }
  })
}

async function countLookups(path: string): Promise<number> {
  const reader = await openReader(path, null)
  const scopes = reader?.read('counts') ?? []
  reader?.close()
  return scopes.reduce((sum, { states }) => sum + Object.values(states).reduce((a, b) => a + b, 0), 0)
}

/** The database of a checkpoint on a server that is used without a run. */
interface OpenServer extends ServerDatabase {
  /** Whether any worker of the checkpoint is alive. */
  isAnyAlive(): Promise<boolean>
  /** Returns the lookups that have an answer, or never will. */
  filterAnswered(lookupIds: readonly LookupId[]): Promise<LookupId[]>
  close(): Promise<void>
}

/** Opens the database of a checkpoint for work without a run; creates its tables as needed. */
export async function openServer(url: string, system: System): Promise<OpenServer> {
  const { filterAnswered, isAnyAlive, openShared } = await loadServer()
  const database = await openShared(url, system)
  const statements = new RetryingStatements(database, system)
  return {
    postgres: database.postgres,
    explain: database.explain,
    isAnyAlive: () => isAnyAlive(statements),
    filterAnswered: (lookupIds) => filterAnswered(statements, lookupIds),
    close: () => database.close(),
  }
}

/** Opens the database of a checkpoint to read it; `null` if it has none yet. */
export async function openSharedToRead(
  url: string,
  deps: Pick<OpenSharedDeps, 'environment'>,
): Promise<SharedToRead | null> {
  const { openSharedToRead: open } = await loadServer()
  return open(url, deps)
}
