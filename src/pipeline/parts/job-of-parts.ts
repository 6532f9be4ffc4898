import { UserError } from '../../core/errors.js'
import type { Postgres, PostgresStatements } from '../../platform/postgres/postgres.js'
import { readScope } from '../rules/lookup-kind.js'
import { namedJob } from '../rules/job-name.js'
import type { Partition } from '../rules/partition.js'

interface JobRow {
  readonly job_id: number
  readonly scope: string
  readonly partition_count: number
  readonly partition_input: string
}

export interface JoinedJob {
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
