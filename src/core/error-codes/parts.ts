/** Errors of partitioned jobs. */
export const partErrors = {
  PARTITION_INVALID: {
    meaning: 'the partition, from `--partition` or the environment, does not exist',
    remedy: 'write I/N with I from 1 to N, like `--partition 3/64`',
  },
  PARTITION_UNCLEAR: {
    meaning:
      'no setting gives the partition of this process, or two settings disagree; the message names both',
    remedy: 'pass `--partition I/N`, or unset the wrong variable',
  },
  PARTITION_UNSUPPORTED: {
    meaning:
      '`--partition` was used without `--job` or a shared checkpoint, or with an option that partitions do not support; the message names it',
    remedy: 'read the hint',
  },
  JOB_NOT_FOUND: {
    meaning: 'the checkpoint has no partitioned job of that name',
    remedy: 'correct `--job` or `--checkpoint`; a run with `--partition` creates the job',
  },
  JOB_NAME_TAKEN: {
    meaning: 'a job of that name exists with other partitions or without any, or on several services',
    remedy: 'pass another `--job`, or read the hint',
  },
  JOB_PARTS_DIFFER: {
    meaning: 'the job has a different number of partitions than this process',
    remedy: 'start all processes with the same N, or pass another `--job`',
  },
  JOB_INPUT_DIFFERS: {
    meaning: 'the job started with files of other names, sizes or order',
    remedy: 'use the same files for all partitions; use another `--job` for other files, such as one a day',
  },
  PARTS_MISSING: {
    meaning: '`collect` found partitions that are not published; the message names them',
    remedy: 'run these partitions, then `collect` again',
  },
  PART_DAMAGED: {
    meaning: 'the file of a partition is missing, or differs from what was published; the message names it',
    remedy: 'run that partition again: it is rewritten from the checkpoint, and nothing is billed twice',
  },
  PARTS_UNLIKE: {
    meaning:
      'partitions have different columns, or were written for different outputs; the message names two',
    remedy: 'run all partitions with the same settings under another `--job`',
  },
} as const
