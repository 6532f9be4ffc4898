import { resolvePartition } from '../config/partition.js'
import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/postgres-address.js'
import { isOfChanges } from '../pipeline/rules/alarms.js'
import { splitOutputPath, type Partition } from '../pipeline/rules/partition.js'

/**
 * Which part of which job a process has; null: its job has no parts. Throws PARTITION_INVALID, PARTITION_UNCLEAR, and
 * PARTITION_UNSUPPORTED where parts could not be told from each other, or would not be all rows together.
 */
export function partOfJob(
  { job, input, output, checkpoint, alarms }: Settings,
  environment: Environment,
  askAgain: readonly string[],
): { readonly job: string; readonly partition: Partition } | null {
  const partition = resolvePartition(job.partition ?? undefined, environment)
  if (partition === null) return null
  if (job.name === null) {
    throw unsupported(
      '--partition without --job',
      'parts belong to a job that is named: --job nightly-2026-01-31',
    )
  }
  if (!isPostgresUrl(checkpoint.path)) {
    throw unsupported(
      '--partition with a checkpoint of one process',
      'parts share what was asked and who published what: pass --checkpoint postgres://user@host:5432/database',
    )
  }
  if (input.paths?.includes('-') === true)
    throw unsupported('--partition with standard input', 'name files that every process can read')
  if (input.limit !== undefined)
    throw unsupported('--partition with --limit', 'run a pilot without --partition, under another --job')
  if (askAgain.length > 0) {
    throw unsupported(
      'retry with --partition',
      'retry all rows without --partition, under another --job; then run the parts under a new --job',
    )
  }
  assertHasParts(output)
  assertComparesNothing(output, alarms)
  return { job: job.name, partition }
}

function assertHasParts({ path, partial = false }: Settings['output']): void {
  if (path === '-') throw unsupported('--partition to standard output', 'pass -o with a file')
  if (path !== undefined && splitOutputPath(path).extension === '') {
    throw unsupported(
      `--partition with an output whose name tells no format (${path})`,
      'pass -o with a name like out.parquet, out.csv or out.ndjson.gz',
    )
  }
  if (partial)
    throw unsupported('--partition with --partial', 'a part is published once, and whole: leave it out')
}

/** Rows move between the parts of a job from one to the next: what a part published is compared with nothing. */
function assertComparesNothing(
  { changes, report }: Settings['output'],
  { conditions }: Settings['alarms'],
): void {
  const hint = 'the rows of parts are not remembered from one job to the next: leave it out'
  if (changes !== undefined) throw unsupported('--partition with --changes', hint)
  if (report !== undefined) throw unsupported('--partition with --report', hint)
  if (conditions.some(isOfChanges)) throw unsupported('--partition with --fail-on of changes', hint)
}

const unsupported = (what: string, hint: string): UserError =>
  new UserError('PARTITION_UNSUPPORTED', `${what} is not possible`, { hint })
