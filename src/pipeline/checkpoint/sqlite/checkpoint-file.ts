import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UserError } from '../../../core/errors.js'
import { keepToOwner } from '../../../platform/files.js'
import type { Random } from '../../../platform/clock.js'
import type { FilePlace, FoundHead } from '../checkpoint-standing.js'
import { toScope, stageKinds, type LookupKind } from '../../../core/lookup-state.js'
import { toRetryJob } from '../../../core/partition.js'
import { createGroupTransactions, type GroupTransactions } from '../../../platform/group-commit.js'
import type { CloseStack } from '../../../platform/close-stack.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { createDamagedError } from '../checkpoint-errors.js'
import { RunKinds, type Retry } from '../records.js'
import { describeDamage, findDamage, isHarmless, type Damage } from './verify.js'
import { findOpenFile, isAtPath, readPlace } from './head-file.js'
import { HeadKeeper, type HeadDeps } from './head-keeper.js'
import { explainCheckpointError, openToRead } from './open-database.js'

export interface OpenCheckpointDeps extends HeadDeps {
  /** The service: see schema.ts. */
  scope: string
  /** Name of the job: one input, enriched by any number of runs. */
  job: string
  /** Statuses that a retry submits again; missing or empty for any other run. */
  retried?: readonly string[]
  nowMs: number
  random: Random
}

export interface KindIds {
  readonly scopeId: number
  readonly jobId: number
}

/** How often a run looks whether its checkpoint is still at its path. */
const lookEveryMs = 1_000

/** Matchers return answers a few milliseconds apart; a commit of ten costs as much as three single ones. */
const unbilledGatherMs = 25

/** Notices that the open checkpoint file was moved or removed; not if nothing is billed. */
export class PathWatch {
  readonly #path: string
  readonly #database: Sqlite
  readonly #isBilled: boolean
  readonly #place: FilePlace
  #isGone = false
  #lookedAtMs = -Infinity

  constructor(database: Sqlite, { path, isBilled = true }: Pick<OpenCheckpointDeps, 'path' | 'isBilled'>) {
    this.#path = path
    this.#database = database
    this.#isBilled = isBilled
    this.#place = readPlace(path)
  }

  /** Whether the path leads to another file than the open one, or to none. Looks once a second. */
  isLost(): boolean {
    const nowMs = performance.now()
    if (!this.#isBilled || this.#isGone || nowMs - this.#lookedAtMs < lookEveryMs) return this.#isGone
    this.#lookedAtMs = nowMs
    this.#isGone = !isAtPath(this.#path, this.#place)
    return this.#isGone
  }

  /** Copies a removed file to its path, or next to what is there now. Returns the error for the user. */
  saveIfLost(): UserError | null {
    this.#lookedAtMs = -Infinity
    if (!this.isLost()) return null
    const path = this.#path
    const found = findOpenFile(this.#place)
    const to = existsSync(path) ? `${path}.${process.pid}.saved` : path
    if (!found.isMoved) {
      mkdirSync(dirname(path), { recursive: true })
      this.#database.prepare('VACUUM INTO ?').run(to)
      chmodSync(to, 0o600)
    }
    const what = found.isMoved ? `moved${found.path && ` to ${found.path}`}` : 'removed'
    const hint = found.isMoved
      ? 'all answers are in the moved file: move its folder back, then the same command resumes'
      : `all answers are saved in ${to}: the same command with --checkpoint ${to} --accept-rollback resumes`
    return new UserError('CHECKPOINT_REMOVED', `the checkpoint ${path} was ${what} during the run`, { hint })
  }
}

/** State shared by the lookups of all kinds in one checkpoint: the file, its lock and head, and its commits. */
export class CheckpointFile {
  readonly path: string
  readonly database: Sqlite
  readonly kinds = new RunKinds<KindIds>()
  readonly retry: Retry | null
  readonly #id: string
  readonly #stack: CloseStack
  readonly #deps: OpenCheckpointDeps
  readonly #commits: GroupTransactions
  readonly #head: HeadKeeper
  #isSubmittable = false

  constructor(
    database: Sqlite,
    reserve: Reserve,
    found: FoundHead,
    deps: OpenCheckpointDeps,
    stack: CloseStack,
  ) {
    this.database = database
    this.#stack = stack
    this.path = deps.path
    this.#id = ensureCheckpointId(database, deps, found)
    this.#head = new HeadKeeper(database, found, deps)
    this.retry = beginRetry(database, deps)
    this.#deps = { ...deps, job: this.retry?.job ?? deps.job }
    this.kinds.set('resolution', beginRun(database, this.#deps))
    for (const kind of stageKinds)
      if (hasScope(database, deps, kind)) this.kinds.set(kind, ensureKindIds(database, this.#deps, kind))
    // A power failure may lose unbilled commits, which are free to repeat; a killed process loses none.
    if (deps.isBilled === false) database.pragma('synchronous = NORMAL')
    this.#commits = createGroupTransactions(database, {
      makeRoom: reserve.release,
      beforeCommit: this.#head.beforeCommit,
      afterCommit: this.#head.afterCommit,
      gatherMs: deps.isBilled === false ? unbilledGatherMs : null,
    })
  }

  /** Part of each `custom_id`. */
  get identity(): { readonly id: string; readonly generation: number } {
    return { id: this.#id, generation: this.#head.generation }
  }

  /** Creates the scope and the job of kinds that have none. */
  async beginKinds(kinds: Iterable<LookupKind>): Promise<void> {
    const fresh = [...new Set(kinds)].filter((kind) => this.kinds.get(kind) === null)
    if (fresh.length === 0) return
    const made = await this.batch(() =>
      fresh.map((kind) => [kind, ensureKindIds(this.database, this.#deps, kind)] as const),
    )
    // Cached after the commit, because the transaction may be rolled back.
    for (const [kind, ids] of made) this.kinds.set(kind, ids)
  }

  /** Verifies the checkpoint once per run, because it decides about billing. */
  assertSubmittable(): void {
    if (this.#isSubmittable) return
    const found = this.#findDamage().filter((damage) => !isHarmless(damage))
    if (found.length > 0) throw createDamagedError(this.path, undefined, describeDamage(found))
    this.#head.assertOwn()
    this.#isSubmittable = true
  }

  #findDamage(): Damage[] {
    const second = openToRead(this.path, 'unfinished')
    try {
      return findDamage(this.database, 'wanted', second ?? this.database)
    } finally {
      second?.close()
    }
  }

  /** Durable when it resolves. */
  withTransaction<Result>(action: () => Result): Promise<Result> {
    return this.#commits.add(action).catch((error: unknown) => {
      throw explainCheckpointError(this.path, error)
    })
  }

  /** Like `withTransaction`, for a whole batch: commits at once, together with waiting transactions. */
  batch<Result>(action: () => Result): Promise<Result> {
    const done = this.withTransaction(action)
    this.#commits.flush()
    return done
  }

  /** Makes the last change, as far as possible: if it fails, the next run makes it. */
  close(lastChange: () => void): void {
    if (!this.database.open) return
    this.withTransaction(lastChange).catch(() => undefined)
    // Added last, so closed first.
    this.#stack.add(() => {
      this.#head.close()
    })
    this.#stack.add(this.#commits.flush)
    this.#stack.close()
  }
}

/** Starts a run in the checkpoint, and cleans up after a killed process. */
function beginRun(database: Sqlite, deps: OpenCheckpointDeps): KindIds {
  const ids = ensureKindIds(database, deps, 'resolution')
  recoverIntended(database)
  // In the order of the run, one kind after the other; `is_first` marks lookups of rows, `is_decided` those with a
  // reviewer's decision.
  database.exec(
    `CREATE TEMP TABLE wanted (
       scope_id INTEGER NOT NULL,
       position INTEGER NOT NULL,
       lookup_id INTEGER NOT NULL UNIQUE,
       is_first INTEGER NOT NULL,
       is_decided INTEGER NOT NULL,
       PRIMARY KEY (scope_id, position)
     ) WITHOUT ROWID`,
  )
  return ids
}

function hasScope(database: Sqlite, { scope }: Pick<OpenCheckpointDeps, 'scope'>, kind: LookupKind): boolean {
  return (
    database.prepare('SELECT 1 FROM scopes NOT INDEXED WHERE scope = ?').get(toScope(scope, kind)) !==
    undefined
  )
}

/** Returns the scope and the job of a kind; creates them if missing. */
function ensureKindIds(
  database: Sqlite,
  deps: Pick<OpenCheckpointDeps, 'scope' | 'job' | 'nowMs'>,
  kind: LookupKind,
): KindIds {
  const scope = scopeId(database, toScope(deps.scope, kind))
  return { scopeId: scope, jobId: openJob(database, scope, deps) }
}

/** Returns the checkpoint's id; takes it from the head if the file was lost, to recognize its submissions. */
export function ensureCheckpointId(
  database: Sqlite,
  deps: Pick<OpenCheckpointDeps, 'random' | 'nowMs'>,
  found: FoundHead,
): string {
  const known = database.prepare<[], string>('SELECT id FROM checkpoint').pluck().get()
  if (known !== undefined) return known
  const id = found.kind === 'found' ? found.head.checkpointId : deps.random.id('')
  database.prepare('INSERT INTO checkpoint (id, created_at_ms) VALUES (?, ?)').run(id, deps.nowMs)
  return id
}

/** Reads the table, not the index: with a damaged index, all lookups of a known scope would look new. */
function scopeId(database: Sqlite, scope: string): number {
  const known = database
    .prepare<[string], number>('SELECT scope_id FROM scopes NOT INDEXED WHERE scope = ?')
    .pluck()
    .get(scope)
  return known ?? Number(database.prepare('INSERT INTO scopes (scope) VALUES (?)').run(scope).lastInsertRowid)
}

/** Continues the retry of these statuses that is not complete, or begins one; `null` for any other run. */
function beginRetry(database: Sqlite, deps: OpenCheckpointDeps): Retry | null {
  const { job, retried = [], nowMs } = deps
  if (retried.length === 0) return null
  const scope = scopeId(database, deps.scope)
  const name = toRetryJob(job, retried, null)
  const last = database
    .prepare<[number, string], { endedAtMs: number | null }>(
      'SELECT ended_at_ms AS endedAtMs FROM jobs WHERE scope_id = ? AND input = ? ORDER BY job_id DESC LIMIT 1',
    )
    .get(scope, name)
  const jobId = openJob(database, scope, { job: name, nowMs })
  const startedAtMs = database
    .prepare<[number], number>('SELECT started_at_ms FROM jobs WHERE job_id = ?')
    .pluck()
    .get(jobId)
  return {
    job: toRetryJob(job, retried, jobId),
    jobId,
    startedAtMs: startedAtMs ?? nowMs,
    isContinued: last?.endedAtMs === null,
    isRepeated: typeof last?.endedAtMs === 'number',
  }
}

/** Returns the open job of this input, or a new one. */
function openJob(database: Sqlite, scopeId: number, deps: Pick<OpenCheckpointDeps, 'job' | 'nowMs'>): number {
  const open = database
    .prepare<[number, string], number>(
      'SELECT job_id FROM jobs WHERE scope_id = ? AND input = ? AND ended_at_ms IS NULL',
    )
    .pluck()
    .get(scopeId, deps.job)
  if (open !== undefined) return open
  const insert = database.prepare('INSERT INTO jobs (scope_id, input, started_at_ms) VALUES (?, ?, ?)')
  return Number(insert.run(scopeId, deps.job, deps.nowMs).lastInsertRowid)
}

/** The caller has the lock, so every remaining intention belongs to a process that died. */
export function recoverIntended(database: Sqlite): void {
  const reason = 'the process ended before the answer to the submission came'
  database.transaction(() => {
    database
      .prepare(`UPDATE submissions SET verdict = 'uncertain', reason = ? WHERE verdict = 'intended'`)
      .run(reason)
    database
      .prepare(`UPDATE lookups SET state = 'uncertain', failure = ? WHERE state = 'intended'`)
      .run(reason)
  })()
}

/** Writing down a reply takes about 12 KiB: enough for all requests in flight. */
const reserveBytes = 1024 * 1024

/** Disk space reserved for recording billed submissions when the disk is full. */
export interface Reserve {
  readonly isHeld: boolean
  /** Releases the space; returns false if it was released before. */
  readonly release: () => boolean
}

/** Reserves the space, in a file next to the checkpoint; reuses the file of a killed process. Throws ENOSPC. */
export function keepReserve(checkpointPath: string): Reserve {
  const path = `${checkpointPath}.reserve`
  let isHeld = true
  const release = () => {
    const wasHeld = isHeld
    isHeld = false
    rmSync(path, { force: true })
    return wasHeld
  }
  try {
    keepToOwner(path)
    if (statSync(path, { throwIfNoEntry: false })?.size !== reserveBytes)
      writeFileSync(path, Buffer.alloc(reserveBytes, 1))
  } catch (error) {
    release()
    throw error
  }
  return {
    get isHeld() {
      return isHeld
    },
    release,
  }
}
