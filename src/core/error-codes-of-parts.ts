/** Of jobs whose parts several processes write; entries of the table of all errors. */
export const errorsOfParts = {
  PARTITION_INVALID: {
    meaning: '`--partition`, or what stands for it in the environment, names a part that there is not',
    remedy: 'I/N, like `--partition 3/64`: I from 1 to N',
  },
  PARTITION_UNCLEAR: {
    meaning: 'nothing says which part a process has, or two say different things; the message names both',
    remedy: 'pass `--partition I/N`, or unset the variable that is not meant',
  },
  PARTITION_UNSUPPORTED: {
    meaning:
      '`--partition` without `--job` or a shared checkpoint, or with what parts cannot have; the message says what',
    remedy: 'see the hint',
  },
  JOB_NOT_FOUND: {
    meaning: 'the checkpoint knows no job of that name with parts',
    remedy: 'mend `--job` or `--checkpoint`; a run with `--partition` makes it',
  },
  JOB_NAME_TAKEN: {
    meaning: 'a job of that name has parts and this run has none, or the reverse, or two services have one',
    remedy: 'another `--job`',
  },
  JOB_PARTS_DIFFER: {
    meaning: 'the job has another number of parts than this process was started with',
    remedy: 'start all with the same N, or another `--job`',
  },
  JOB_INPUT_DIFFERS: {
    meaning: 'the job was begun with other files: other names, sizes or order',
    remedy: 'the same files for all parts; for other files another `--job`, such as one a day',
  },
  PARTS_MISSING: {
    meaning: '`collect` found parts that are not published; the message names them',
    remedy: 'run these parts, then `collect` again',
  },
  PART_DAMAGED: {
    meaning: 'the file of a part is gone, or is not as it was published; the message names it',
    remedy: 'run that part again: it is written anew from what is known, and nothing is billed twice',
  },
  PARTS_UNLIKE: {
    meaning: 'parts have different columns, or were written for different outputs; the message names two',
    remedy: 'run all parts with the same settings, under another `--job`',
  },
} as const
