import { UserError } from '../../core/errors.js'
import type { Postgres, PostgresStatements } from '../../platform/postgres/postgres.js'
import { readScope } from '../../core/lookup-state.js'
import { toNamedJob, type Partition } from '../../core/partition.js'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../../platform/clock.js'
import { getBasisPath } from './output-format.js'
import {
  readFileFacts,
  findFault,
  listPartFiles,
  listAttemptFiles,
  PartLedger,
  type PartDatabase,
  type PublishedPart,
} from './part-ledger.js'

interface JobRow {
  readonly job_id: number
  readonly scope: string
  readonly partition_count: number
  readonly partition_input: string
}

interface JobRequest {
  /** The user's name for the job. */
  readonly name: string
  readonly partition: Partition
  readonly scope: string
  /** Digest of the list of input files. */
  readonly inputFingerprint: string
  readonly nowMs: number
}

/**
 * Joins the job, or creates it. The first process fixes the number of parts and the input files. Throws
 * JOB_PARTS_DIFFER, JOB_INPUT_DIFFERS and JOB_NAME_TAKEN, before anything is submitted.
 */
export function joinJob(postgres: Postgres, job: JobRequest): Promise<number> {
  return postgres.transaction(async (statements) => {
    const scopeId = await lockScope(statements, job.scope)
    const known = (await findJobs(statements, job.name)).find(({ scope }) => scope === job.scope)
    if (known !== undefined) {
      assertSame(known, job)
      return known.job_id
    }
    const [made] = await statements.query<{ job_id: number }>(
      `INSERT INTO enrich.jobs (scope_id, input, started_at_ms, partition_count, partition_input)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (scope_id, input) WHERE ended_at_ms IS NULL DO NOTHING RETURNING job_id`,
      [scopeId, toNamedJob(job.name), job.nowMs, job.partition.count, job.inputFingerprint],
    )
    if (made !== undefined) return made.job_id
    throw new UserError(
      'JOB_NAME_TAKEN',
      `the job "${job.name}" was started without partitions, and has not ended`,
      { hint: 'pass another --job; or remove --partition to continue it' },
    )
  })
}

/** Throws JOB_NAME_TAKEN if a job of that name has parts. */
export async function assertWithoutParts(postgres: Postgres, name: string, scope: string): Promise<void> {
  const known = (await findJobs(postgres, name)).find((one) => one.scope === scope)
  if (known === undefined) return
  throw new UserError('JOB_NAME_TAKEN', `the job "${name}" has ${known.partition_count} partitions`, {
    hint: `pass --partition I/${known.partition_count} for one of them, or another --job`,
  })
}

/** Lets one process at a time look for the job and create it. */
async function lockScope({ query }: PostgresStatements, scope: string): Promise<number> {
  await query('INSERT INTO enrich.scopes (scope) VALUES ($1) ON CONFLICT (scope) DO NOTHING', [scope])
  const [row] = await query<{ scope_id: number }>(
    'SELECT scope_id FROM enrich.scopes WHERE scope = $1 FOR NO KEY UPDATE',
    [scope],
  )
  if (row === undefined) throw new Error('the scope is missing after its creation')
  return row.scope_id
}

/** Returns the newest job with parts of each service. */
const findJobs = ({ query }: PostgresStatements, name: string): Promise<JobRow[]> =>
  query<JobRow>(
    `SELECT DISTINCT ON (scope_id) job_id, scope, partition_count, partition_input
     FROM enrich.jobs JOIN enrich.scopes USING (scope_id)
     WHERE input = $1 AND partition_count IS NOT NULL ORDER BY scope_id, job_id DESC`,
    [toNamedJob(name)],
  )

function assertSame(known: JobRow, { name, partition, inputFingerprint }: JobRequest): void {
  if (known.partition_count !== partition.count) {
    throw new UserError(
      'JOB_PARTS_DIFFER',
      `the job "${name}" has ${known.partition_count} partitions, and this process was started for one of ${partition.count}`,
      { hint: `pass --partition I/${known.partition_count}, or another --job` },
    )
  }
  if (known.partition_input === inputFingerprint) return
  throw new UserError(
    'JOB_INPUT_DIFFERS',
    `the job "${name}" was started with other files: their names, sizes or order differ`,
    { hint: `pass the same files; or another --job, for example with the day in its name` },
  )
}

/** Returns the job for `collect`. Throws JOB_NOT_FOUND, and JOB_NAME_TAKEN if several services have one. */
export async function findJob(
  postgres: Postgres,
  name: string,
  baseUrl: string | null,
): Promise<{ readonly jobId: number; readonly partCount: number }> {
  const all = await findJobs(postgres, name)
  const ofService = all.filter(({ scope }) => scope === baseUrl)
  const jobs = ofService.length > 0 ? ofService : all
  const [job, another] = jobs
  if (job === undefined) {
    throw new UserError('JOB_NOT_FOUND', `the checkpoint has no job "${name}" with partitions`, {
      hint: 'check --job and --checkpoint; a run with --partition creates the job',
    })
  }
  if (another !== undefined) {
    const services = jobs.map(({ scope }) => readScope(scope).base).join(', ')
    throw new UserError('JOB_NAME_TAKEN', `several services have a job "${name}": ${services}`, {
      hint: 'select one with --base-url',
    })
  }
  return { jobId: job.job_id, partCount: job.partition_count }
}

/** The part of a job that a process writes. */
export interface OpenPart {
  /** The files that another attempt published before, with a notice for the user; `null` if missing or damaged. */
  readonly published: (PartReport & { readonly notice: string }) | null
  /** Notice for the user that damaged files are written again. */
  readonly notice: string | null
  /** Registers the files as the part, or removes them if another attempt was first: reports that one. */
  publish<Report extends PartReport>(
    outputPath: string,
    report: Report,
  ): Promise<{ report: Report; notice: string | null }>
}

interface PartReport {
  readonly paths: readonly string[]
  readonly rowCount: number
}

export interface OpenPartDeps extends JobRequest {
  readonly database: PartDatabase
  readonly attempt: string
  readonly clock: Pick<Clock, 'sleep' | 'nowMs'>
}

/** Joins the job and checks the state of its part. Throws the same errors as `joinJob`. */
export async function openPart(deps: OpenPartDeps): Promise<OpenPart> {
  const { partition, attempt, database, clock } = deps
  const jobId = await joinJob(database.postgres, deps).catch((error: unknown) => {
    throw database.explain(error)
  })
  const ledger = new PartLedger(database, jobId, clock)
  const published = await ledger.readPart(partition.index)
  const found = published === null ? null : await findFault(published)
  const isDamaged = published !== null && found !== null
  const describe = (part: PublishedPart) => ({
    paths: listPartFiles(part),
    rowCount: part.rowCount,
    notice: describePublished(partition, part),
  })
  return {
    published: published === null || isDamaged ? null : describe(published),
    notice: isDamaged
      ? `${formatLabel(partition)} was published, but ${found.path} ${found.fault}: it is written again.`
      : null,
    publish: async (outputPath, report) => {
      const path = resolve(outputPath)
      const basis = report.paths.length > 1 ? await readFileFacts(getBasisPath(path)) : null
      const facts = await readFileFacts(path)
      const first = await ledger.publish(
        { part: partition.index, attempt, path, rowCount: report.rowCount, ...facts, basis },
        isDamaged ? published.attempt : null,
      )
      if (first.attempt === attempt) return { report, notice: null }
      for (const file of listAttemptFiles(path)) rmSync(file, { force: true })
      const { notice, ...files } = describe(first)
      return { report: { ...report, ...files }, notice }
    },
  }
}

const formatLabel = ({ index, count }: Partition): string => `Part ${index} of ${count}`

/** Returns the notice for a part that another attempt published. */
const describePublished = (partition: Partition, { path, publishedAt }: PublishedPart): string =>
  `${formatLabel(partition)} was already published by another attempt (${publishedAt.slice(0, 16).replace('T', ' ')}): ${path}.`
