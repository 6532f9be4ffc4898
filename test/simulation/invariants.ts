import { describeDamage, findDamage } from '../../src/pipeline/checkpoint/sqlite/verify.js'
import { packedColumns, unpackLine, type PackedAnswer } from '../../src/pipeline/checkpoint/packed-answer.js'
import { registerChecksums } from '../../src/pipeline/checkpoint/tables.js'
import { openSqlite } from '../../src/platform/sqlite.js'
import { readScope, type LookupState, type LookupKind } from '../../src/core/lookup-state.js'
import type { LedgerEntry, FailingService } from './failing-service.js'

/** What the promise is broken by. */
class BrokenPromise extends Error {}

interface SubmissionRow {
  customId: string
  lookupId: number
  jobId: number
  verdict: string
  runId: string | null
}

export interface LookupOnDisk {
  lookupId: number
  kind: LookupKind
  /** The service, or the edition of a registry. */
  base: string
  name: string
  state: LookupState
  runId: string | null
  line: string | null
  /** Outcome of the last answer. */
  outcome: string | null
  answeredRunId: string | null
}

export interface OnDisk {
  lookups: LookupOnDisk[]
  submissions: SubmissionRow[]
}

/** Reads a checkpoint file with nothing of the code under test but SQLite, and how an answer is packed. */
export function readDisk(path: string): OnDisk {
  const database = openSqlite(path, { synchronous: 'NORMAL' })
  registerChecksums(database)
  try {
    // Whatever was killed or claimed: it is sound to the check that stands before the next submission.
    const damage = findDamage(database, 'all')
    hold(damage.length === 0, `the checkpoint is damaged: ${describeDamage(damage)}`)
    const lookups = database
      .prepare<
        [],
        Omit<LookupOnDisk, 'line' | 'kind' | 'base'> & { scope: string } & (PackedAnswer | { packing: null })
      >(
        `SELECT l.lookup_id AS lookupId, scope, name, state, l.run_id AS runId, a.run_id AS answeredRunId, a.outcome, ${packedColumns}
         FROM lookups l JOIN scopes USING (scope_id) LEFT JOIN answers a USING (lookup_id)`,
      )
      .all()
      .map((row) => ({
        ...row,
        ...readScope(row.scope),
        line: row.packing === null ? null : unpackLine(row),
      }))
    const submissions = database
      .prepare<[], SubmissionRow>(
        `SELECT custom_id AS customId, lookup_id AS lookupId, job_id AS jobId, verdict, run_id AS runId FROM submissions`,
      )
      .all()
    return { lookups, submissions }
  } finally {
    database.close()
  }
}

/** The lookups of one service. */
export const ofService = (disk: OnDisk, scope: string): OnDisk => ({
  ...disk,
  lookups: disk.lookups.filter(({ base }) => base === scope),
})

export function hold(condition: boolean, message: string): asserts condition {
  if (!condition) throw new BrokenPromise(message)
}

/** Held after every step: nobody pays twice. `resubmittable` names whom the user allowed to be paid for again. */
export function assertPaidOnce(service: FailingService, resubmittable: ReadonlyMap<string, number>): void {
  hold(
    new Set(service.seenCustomIds).size === service.seenCustomIds.length,
    'a custom_id was submitted twice',
  )
  const billed = new Map<string, number>()
  for (const { name } of service.ledger) billed.set(name, (billed.get(name) ?? 0) + 1)
  for (const [name, count] of billed) {
    const allowed = 1 + (resubmittable.get(name) ?? 0)
    hold(count <= allowed, `${name} was billed ${count} times, ${allowed} allowed`)
  }
}

/**
 * Held whenever a process has ended, however it ended: nothing acknowledged is lost, nothing billed is unknown.
 * `accepted` are the runs of submissions by their custom_ids, `answered` those of lookups.
 */
export function assertNothingLost(
  disk: OnDisk,
  service: FailingService,
  accepted: ReadonlyMap<string, string>,
  answered: ReadonlyMap<number, string>,
): void {
  const submissions = new Map(disk.submissions.map((row) => [row.customId, row]))
  for (const [customId, runId] of accepted) {
    hold(submissions.get(customId)?.runId === runId, `the acknowledged run of ${customId} is lost`)
  }
  const lookups = new Map(disk.lookups.map((row) => [row.lookupId, row]))
  for (const [lookupId, runId] of answered) {
    const last = lookups.get(lookupId)?.answeredRunId ?? null
    const runs = disk.submissions.flatMap((row) => (row.lookupId === lookupId ? [row.runId] : []))
    // A process that was killed may have written the answer to a later submission, and not acknowledged it.
    const isLater = last !== null && runs.includes(runId) && runs.indexOf(last) > runs.indexOf(runId)
    hold(last === runId || isLater, `the acknowledged answer of lookup ${lookupId} is lost`)
  }
  for (const { customId, runId } of service.ledger) {
    const row = submissions.get(customId)
    hold(row !== undefined, `${customId} was billed, and the checkpoint does not know it`)
    const isKnown = row.verdict === 'accepted' && row.runId === runId
    hold(
      isKnown || ['uncertain', 'intended'].includes(row.verdict),
      `${customId} was billed, and is "${row.verdict}" here`,
    )
  }
}

/** Held per job: work in flight and lost answers count, and a new process does not start a new count. */
export function assertBudgetKept(
  disk: OnDisk,
  lookupsMax: number | null,
  kinds: readonly LookupKind[],
): void {
  if (lookupsMax === null) return
  const ofKinds = new Set(
    disk.lookups.filter(({ kind }) => kinds.includes(kind)).map(({ lookupId }) => lookupId),
  )
  const spent = new Map<number, number>()
  for (const { jobId, lookupId, verdict } of disk.submissions) {
    if (ofKinds.has(lookupId) && ['accepted', 'uncertain', 'intended'].includes(verdict))
      spent.set(jobId, (spent.get(jobId) ?? 0) + 1)
  }
  for (const [jobId, count] of spent) {
    hold(count <= lookupsMax, `job ${jobId} spent ${count} lookups of ${lookupsMax}`)
  }
}

/** Held at the end of a world in which no webhook is lost: what was billed was claimed by the echo of its custom_id. */
export function assertAllClaimed(uncertainBilled: number): void {
  hold(
    uncertainBilled === 0,
    `${uncertainBilled} billed lookups are uncertain, though webhooks named their runs`,
  )
}

/** Held at the end: every lookup that is not left alone has come to its end, with its own answer. */
export function assertAllSettled(
  disk: OnDisk,
  service: FailingService,
  names: readonly string[],
  isLeftAlone: (lookup: LookupOnDisk) => boolean,
): void {
  const runs = new Map<string, LedgerEntry>(service.ledger.map((entry) => [entry.runId, entry]))
  const lookups = disk.lookups.filter(({ kind }) => kind === 'resolution')
  hold(lookups.length === names.length, `${lookups.length} lookups for ${names.length} names`)
  for (const lookup of lookups) {
    const { name, state, runId, line } = lookup
    switch (state) {
      case 'answered': {
        const run = runs.get(runId ?? '')
        const answer = JSON.parse(line ?? '{}') as Record<string, unknown>
        if (run?.mergedInto === null) {
          hold(answer['legal_name'] === `${name} (registered)`, `${name} has the answer of another`)
        } else {
          // A circle ends where it began, a chain at most eight steps further on.
          const family = run?.mergedInto?.replace(/\d+$/, '') ?? ''
          hold(String(answer['merged_into']).startsWith(family), `${name} was merged into another's entity`)
        }
        hold(answer['run_id'] === runId && run?.name === name, `${name} has the run of another`)
        break
      }
      case 'failed':
        hold(runs.get(runId ?? '')?.fails === true, `${name} failed here and not at the service`)
        break
      case 'invalid':
      case 'uncertain':
        break
      case 'new':
      case 'intended':
      case 'running':
        hold(isLeftAlone(lookup), `${name} is left ${state}`)
    }
  }
}
