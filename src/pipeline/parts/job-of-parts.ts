import { UserError } from '../../core/errors.js'
import type { Postgres, PostgresStatements } from '../../platform/postgres/postgres.js'
import { readScope } from '../lookups/lookup-kind.js'
import { namedJob, type Partition } from '../lookups/partition.js'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../../platform/clock.js'
import { basisPathOf } from '../output/output-path.js'
import type { PublishReport } from '../output/publish.js'
import {
  factsOf,
  faultOf,
  filesOf,
  filesOfAttempt,
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

interface JoinedJob {
  /** As the user named it. */
  readonly name: string
  readonly partition: Partition
  /** The service that is asked. */
  readonly scope: string
  /** Of the list of the input's files. */
  readonly inputFingerprint: string
  readonly nowMs: number
}

/**
 * The job whose part this process has, made where it is the first: from then on its parts are so many, of these files,
 * for as long as the checkpoint stands. Throws JOB_PARTS_DIFFER, JOB_INPUT_DIFFERS and JOB_NAME_TAKEN; nothing was
 * asked by then.
 */
export function joinJob(postgres: Postgres, job: JoinedJob): Promise<number> {
  return postgres.transaction(async (statements) => {
    const scopeId = await lockScope(statements, job.scope)
    const known = (await jobsOf(statements, job.name)).find(({ scope }) => scope === job.scope)
    if (known !== undefined) {
      assertSame(known, job)
      return known.job_id
    }
    const [made] = await statements.query<{ job_id: number }>(
      `INSERT INTO enrich.jobs (scope_id, input, started_at_ms, partition_count, partition_input)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (scope_id, input) WHERE ended_at_ms IS NULL DO NOTHING RETURNING job_id`,
      [scopeId, namedJob(job.name), job.nowMs, job.partition.count, job.inputFingerprint],
    )
    if (made !== undefined) return made.job_id
    throw new UserError(
      'JOB_NAME_TAKEN',
      `the job "${job.name}" was begun without parts, and has not ended`,
      {
        hint: 'pass another --job; or leave out --partition to go on with it',
      },
    )
  })
}

/** Throws JOB_NAME_TAKEN where a job of that name has parts: a run of all rows is none of them. */
export async function assertWithoutParts(postgres: Postgres, name: string, scope: string): Promise<void> {
  const known = (await jobsOf(postgres, name)).find((one) => one.scope === scope)
  if (known === undefined) return
  throw new UserError('JOB_NAME_TAKEN', `the job "${name}" has ${known.partition_count} parts`, {
    hint: `pass --partition I/${known.partition_count} for one of them, or another --job`,
  })
}

/** One process at a time looks whether the job is there, and makes it. */
async function lockScope({ query }: PostgresStatements, scope: string): Promise<number> {
  await query('INSERT INTO enrich.scopes (scope) VALUES ($1) ON CONFLICT (scope) DO NOTHING', [scope])
  const [row] = await query<{ scope_id: number }>(
    'SELECT scope_id FROM enrich.scopes WHERE scope = $1 FOR NO KEY UPDATE',
    [scope],
  )
  if (row === undefined) throw new Error('a scope that was made is gone')
  return row.scope_id
}

/** The newest with parts, of each service. */
const jobsOf = ({ query }: PostgresStatements, name: string): Promise<JobRow[]> =>
  query<JobRow>(
    `SELECT DISTINCT ON (scope_id) job_id, scope, partition_count, partition_input
     FROM enrich.jobs JOIN enrich.scopes USING (scope_id)
     WHERE input = $1 AND partition_count IS NOT NULL ORDER BY scope_id, job_id DESC`,
    [namedJob(name)],
  )

function assertSame(known: JobRow, { name, partition, inputFingerprint }: JoinedJob): void {
  if (known.partition_count !== partition.count) {
    throw new UserError(
      'JOB_PARTS_DIFFER',
      `the job "${name}" has ${known.partition_count} parts, and this process was started for one of ${partition.count}`,
      { hint: `pass --partition I/${known.partition_count}, or another --job` },
    )
  }
  if (known.partition_input === inputFingerprint) return
  throw new UserError(
    'JOB_INPUT_DIFFERS',
    `the job "${name}" was begun with other files: their names, sizes or order differ`,
    { hint: `pass the same files; or another --job, for example with the day in its name` },
  )
}

/** The job that `collect` is asked for. Throws JOB_NOT_FOUND, and JOB_NAME_TAKEN where two services have one. */
export async function findJob(
  postgres: Postgres,
  name: string,
  baseUrl: string | null,
): Promise<{ readonly jobId: number; readonly partCount: number }> {
  const all = await jobsOf(postgres, name)
  const ofService = all.filter(({ scope }) => scope === baseUrl)
  const jobs = ofService.length > 0 ? ofService : all
  const [job, another] = jobs
  if (job === undefined) {
    throw new UserError('JOB_NOT_FOUND', `the checkpoint knows no job "${name}" with parts`, {
      hint: 'mend --job or --checkpoint; a run with --partition makes it',
    })
  }
  if (another !== undefined) {
    const services = jobs.map(({ scope }) => readScope(scope).base).join(', ')
    throw new UserError('JOB_NAME_TAKEN', `several services have a job "${name}": ${services}`, {
      hint: 'pass --base-url with the one that is meant',
    })
  }
  return { jobId: job.job_id, partCount: job.partition_count }
}

/** The part of a job that a process has. */
export interface OpenPart {
  readonly partition: Partition
  /** Of this process. */
  readonly attempt: string
  readonly ledger: PartLedger
  /** Published before; null: not yet, or not as it was. */
  readonly published: PublishedPart | null
  /** An attempt whose file is gone or damaged, in whose place this one may stand. */
  readonly replaced: string | null
  /** What to tell the user of that. */
  readonly notice: string | null
}

interface OpenPartDeps extends JoinedJob {
  readonly database: PartDatabase
  readonly attempt: string
  readonly clock: Pick<Clock, 'sleep' | 'nowMs'>
}

/** Joins the job, and looks what became of the part so far. Throws what `joinJob` throws. */
export async function openPart(deps: OpenPartDeps): Promise<OpenPart> {
  const { partition, attempt, database, clock } = deps
  const jobId = await joinJob(database.postgres, deps).catch((error: unknown) => {
    throw database.explain(error)
  })
  const ledger = new PartLedger(database, jobId, clock)
  const published = await ledger.published(partition.index)
  const found = published === null ? null : await faultOf(published)
  const shared = { partition, attempt, ledger }
  if (published === null || found === null) return { ...shared, published, replaced: null, notice: null }
  const notice = `${labelOf(partition)} was published, but ${found.path} ${found.fault}: it is written anew.`
  return { ...shared, published: null, replaced: published.attempt, notice }
}

/** Throws JOB_NAME_TAKEN where a job of that name has parts. */
export async function assertJobOfAll(
  { postgres, explain }: PartDatabase,
  name: string,
  scope: string,
): Promise<void> {
  await assertWithoutParts(postgres, name, scope).catch((error: unknown) => {
    throw explain(error)
  })
}

const labelOf = ({ index, count }: Partition): string => `Part ${index} of ${count}`

/** What is told of a part that another attempt published. */
export const publishedText = (partition: Partition, { path, publishedAt }: PublishedPart): string =>
  `${labelOf(partition)} was already published by another attempt (${publishedAt.slice(0, 16).replace('T', ' ')}): ${path}.`

/**
 * Makes what was put in place the part of its job, or removes it where another attempt was first: then the report is of
 * what that one published, and `notice` says so.
 */
export async function publishPart(
  { partition, attempt, ledger, replaced }: OpenPart,
  outputPath: string,
  report: PublishReport,
): Promise<{ report: PublishReport; notice: string | null }> {
  const path = resolve(outputPath)
  const basisPath = report.paths.length > 1 ? basisPathOf(path) : null
  const published = await ledger.publish(
    {
      part: partition.index,
      attempt,
      path,
      rowCount: report.rowCount,
      ...(await factsOf(path)),
      basis: basisPath === null ? null : await factsOf(basisPath),
    },
    replaced,
  )
  if (published.attempt === attempt) return { report, notice: null }
  for (const file of filesOfAttempt(path)) rmSync(file, { force: true })
  return {
    report: { ...report, paths: filesOf(published), rowCount: published.rowCount },
    notice: publishedText(partition, published),
  }
}
