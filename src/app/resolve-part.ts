import type { Environment } from '../config/file-config.js'
import { resolvePartition } from '../config/partition.js'
import type { Settings } from '../config/settings.js'
import { isAddress, isTableAddress } from '../connectors/connectors.js'
import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import { isChangeCondition } from '../core/alarms.js'
import { splitOutputPath } from '../core/partition.js'
import type { RunOrder } from '../pipeline/run.js'

/**
 * Returns the job and the partition of this process, or `null` without partitions. Throws PARTITION_INVALID,
 * PARTITION_UNCLEAR, and PARTITION_UNSUPPORTED if the settings do not allow partitions.
 */
export function resolvePart(
  { job, input, output, checkpoint, alarms }: Settings,
  environment: Environment,
  askAgain: readonly string[],
): NonNullable<RunOrder['source']['part']> | null {
  const partition = resolvePartition(job.partition ?? undefined, environment)
  if (partition === null) return null
  if (job.name === null) {
    throw createUnsupported(
      '--partition without --job',
      'name the job of the partitions: --job nightly-2026-01-31',
    )
  }
  if (!isPostgresUrl(checkpoint.path)) {
    throw createUnsupported(
      '--partition with a checkpoint in a file',
      'partitions share one checkpoint: pass --checkpoint postgres://user@host:5432/database',
    )
  }
  if (input.paths?.includes('-') === true)
    throw createUnsupported('--partition with standard input', 'name files that every process can read')
  if (input.limit !== undefined)
    throw createUnsupported(
      '--partition with --limit',
      'run a pilot without --partition, under another --job',
    )
  if (askAgain.length > 0) {
    throw createUnsupported(
      'retry with --partition',
      'retry all rows without --partition, under another --job; then run the partitions under a new --job',
    )
  }
  assertPartsAreFiles(input.paths ?? [], output)
  assertHasParts(output)
  assertComparesNothing(output, alarms)
  return { job: job.name, partition }
}

/** Throws if the parts would read a table, whose rows have no lasting order, or write to a table or an object. */
function assertPartsAreFiles(paths: readonly string[], { path = '' }: Settings['output']): void {
  if (paths.some(isTableAddress)) {
    throw createUnsupported(
      '--partition with a table as input',
      'the order of its rows may differ between processes: export it to a file that all partitions read',
    )
  }
  if (isAddress(path)) {
    throw createUnsupported(
      '--partition with a table or an object as output',
      'write the partitions to a shared folder, and publish the file that enrich collect joins',
    )
  }
}

function assertHasParts({ path, partial = false }: Settings['output']): void {
  if (path === '-') throw createUnsupported('--partition to standard output', 'pass -o with a file')
  if (path !== undefined && splitOutputPath(path).extension === '') {
    throw createUnsupported(
      `--partition with an output name without a format (${path})`,
      'pass -o with a name like out.parquet, out.csv or out.ndjson.gz',
    )
  }
  if (partial)
    throw createUnsupported(
      '--partition with --partial',
      'a partition is only published when it is complete: omit --partial',
    )
}

/** Throws if changes are requested: a row may be in another part of the next job, so parts cannot be compared. */
function assertComparesNothing(
  { changes, report }: Settings['output'],
  { conditions }: Settings['alarms'],
): void {
  const hint = 'the rows of partitions are not stored from one job to the next: omit the flag'
  if (changes !== undefined) throw createUnsupported('--partition with --changes', hint)
  if (report !== undefined) throw createUnsupported('--partition with --report', hint)
  if (conditions.some(isChangeCondition))
    throw createUnsupported('--partition with --fail-on of changes', hint)
}

const createUnsupported = (what: string, hint: string): UserError =>
  new UserError('PARTITION_UNSUPPORTED', `${what} is not possible`, { hint })
