/** Errors of a checkpoint in a file, and of the list of charges. */
export const checkpointErrors = {
  CHECKPOINT_NOT_FOUND: {
    meaning: 'a command such as `status` or `export` found no checkpoint',
    remedy: 'run `enrich` first, or pass `--checkpoint`',
  },
  CHECKPOINT_INVALID: {
    meaning: 'the file is not a checkpoint of `enrich`',
    remedy: 'pass another `--checkpoint`; the file was not changed',
  },
  CHECKPOINT_TOO_NEW: {
    meaning: 'a newer version of `enrich` wrote the checkpoint',
    remedy: 'use that version',
  },
  CHECKPOINT_UNWRITABLE: {
    meaning: 'the checkpoint cannot be written',
    remedy: 'check the folder and its permissions',
  },
  CHECKPOINT_IN_USE: {
    exitCode: 11,
    meaning: 'another process uses the checkpoint; the message names it',
    remedy: 'wait until it ends; with another `--checkpoint`, a hosted service bills every lookup again',
  },
  CHECKPOINT_DAMAGED: {
    meaning: 'the bytes of the checkpoint were changed or cut off; nothing was submitted',
    remedy: 'run `enrich checkpoint verify`, then `enrich checkpoint repair`',
  },
  CHECKPOINT_BEHIND: {
    meaning: 'the checkpoint is older than its head file: submissions are missing that may have been billed',
    remedy: 'restore the newer checkpoint; or run `enrich reconcile LEDGER.csv`, or pass `--accept-rollback`',
  },
  CHECKPOINT_DIVERGED: {
    meaning: 'the checkpoint contains other submissions than its head file: another copy of it was used',
    remedy: 'continue with that copy; or do as for `CHECKPOINT_BEHIND`',
  },
  CHECKPOINT_COPIED: {
    meaning: 'the checkpoint is a copy, or was restored from one, and this run would submit billable lookups',
    remedy: 'continue with the original; or pass `--accept-rollback` to continue with this one',
  },
  CHECKPOINT_HEAD_MISSING: {
    meaning:
      'the head file is missing or unreadable, so `enrich` cannot tell whether this checkpoint is the newest',
    remedy: 'do as for `CHECKPOINT_BEHIND`',
  },
  LEDGER_INVALID: {
    meaning: 'the list of charges for `reconcile` cannot be read, or has no `custom_id` column',
    remedy: 'read the hint',
  },
} as const
