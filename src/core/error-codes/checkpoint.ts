/** Errors of a checkpoint: in a file, on PostgreSQL, its history, and the parts of its jobs. */
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
  CHECKPOINT_REMOVED: {
    meaning: 'the checkpoint was moved or removed during the run, which then submitted nothing more',
    remedy: 'move it back, or continue with the copy that the hint names',
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
    meaning:
      'the list of charges for `reconcile` cannot be read, has no `custom_id` column, or, with `--complete`, is dated in the future',
    remedy: 'read the hint',
  },
  CHECKPOINT_URL_INVALID: {
    meaning: 'the URL of the checkpoint is not valid, or has no host or database',
    remedy: 'write it like `postgres://user@host:5432/database`; the message does not repeat it',
  },
  CHECKPOINT_URL_HAS_PASSWORD: {
    meaning: 'the URL of the checkpoint contains a password, which other users could see in the process list',
    remedy: 'remove it; set `PGPASSWORD`, or store it in `~/.pgpass` or the file named by `PGPASSFILE`',
  },
  CHECKPOINT_TLS_REQUIRED: {
    meaning: '`sslmode` disables TLS, and the server is not on this machine',
    remedy: 'remove `sslmode`, or set `verify-full` or `verify-ca`',
  },
  CHECKPOINT_TLS_FAILED: {
    meaning:
      'PostgreSQL does not support TLS, its certificate is not valid (issuer, name or date), or a certificate file is missing',
    remedy:
      'set `sslrootcert=FILE` to the certificate of its authority, and use the host name in the certificate',
  },
  CHECKPOINT_UNREACHABLE: {
    exitCode: 5,
    meaning: 'PostgreSQL cannot be reached, or the connection was lost',
    remedy: 'check host, port and firewall; the same command resumes',
  },
  CHECKPOINT_LOGIN_REFUSED: {
    meaning: 'PostgreSQL refuses the user, the password or connections from this machine',
    remedy: 'check the user, the password and `pg_hba.conf`',
  },
  CHECKPOINT_PASSWORD_MISSING: {
    meaning: 'PostgreSQL requires a password, and none is set',
    remedy: 'set `PGPASSWORD`, or store it in `~/.pgpass` (`chmod 600`)',
  },
  CHECKPOINT_DATABASE_MISSING: {
    meaning: 'the database does not exist on the server',
    remedy: 'create it with `createdb`, or correct the URL',
  },
  CHECKPOINT_GRANTS_MISSING: {
    meaning: 'the role may not create the tables, or lacks a privilege on them',
    remedy: 'see [Roles and grants](docs/manual/several-machines.md#roles-and-grants)',
  },
  CHECKPOINT_SERVER_TOO_OLD: {
    meaning: 'PostgreSQL is older than 14',
    remedy: 'use PostgreSQL 14 or newer',
  },
  CHECKPOINT_SERVER_STANDBY: {
    meaning: 'the server is a standby in recovery and accepts no writes',
    remedy: 'connect to the primary',
  },
  CHECKPOINT_SERVER_NOT_DURABLE: {
    meaning:
      'the server may lose committed data (`fsync`, `full_page_writes` or `synchronous_commit` is off), or its default isolation level is not read committed',
    remedy: 'correct the setting for this database or role: lost submissions would be billed again',
  },
  CHECKPOINT_DATABASE_FOREIGN: {
    meaning: 'the schema `enrich` of the database belongs to something else',
    remedy: 'use a separate database',
  },
  CHECKPOINT_SERVER_CHANGED: {
    meaning:
      'the database was restored, moved or failed over since its last use: committed data may be missing',
    remedy: 'read [Failover](docs/manual/several-machines.md#failover) before you submit anything',
  },
  CHECKPOINT_SERVER_FULL: {
    exitCode: 5,
    meaning: 'the disk of PostgreSQL is full',
    remedy: 'free some space there; the same command resumes',
  },
  CHECKPOINT_SERVER_READ_ONLY: {
    exitCode: 5,
    meaning: 'PostgreSQL is read-only or became a standby',
    remedy: 'connect to the primary, or end the read-only mode; the same command resumes',
  },
  CHECKPOINT_SERVER_BUSY: {
    exitCode: 5,
    meaning:
      'PostgreSQL did not get a lock in time, a statement timed out, or it kept conflicting with others',
    remedy: 'look for sessions that hold locks (`pg_stat_activity`); the same command resumes',
  },
  CHECKPOINT_SERVER_FAILED: {
    exitCode: 5,
    meaning: 'a statement failed in PostgreSQL: disk, memory, or an internal error',
    remedy: 'read the log of the server; the same command resumes',
  },
  CHECKPOINT_STATEMENT_REFUSED: {
    exitCode: 1,
    meaning: 'PostgreSQL refuses a statement: a bug in `enrich`, or another program changed the tables',
    remedy: 'report it with its SQLSTATE; the same command resumes',
  },
  CHECKPOINT_CONNECTIONS_EXHAUSTED: {
    exitCode: 5,
    meaning: 'PostgreSQL accepts no more connections',
    remedy: 'start fewer processes, raise `max_connections`, or use pgbouncer',
  },
  CHECKPOINT_LEASE_LOST: {
    exitCode: 5,
    meaning:
      'the process was paused or disconnected for longer than its lease, so other processes took over its work',
    remedy: 'run the same command again; nothing is submitted twice',
  },
  CHECKPOINT_MOVED: {
    meaning:
      'the checkpoint was moved; the message names the new place. Lookups submitted from here would be billed twice',
    remedy:
      'continue with the new one; see [Moving a checkpoint](docs/manual/several-machines.md#moving-a-checkpoint)',
  },
  CHECKPOINT_ARRIVING: {
    meaning: 'a checkpoint is being moved here, and the move is not complete',
    remedy: 'run the same `enrich checkpoint migrate` again to complete it',
  },
  CHECKPOINT_MOVE_DIFFERS: {
    exitCode: 5,
    meaning:
      'source and target of the move differ, because one of them changed during it; the source is not marked as moved',
    remedy: 'run the same command again',
  },
  CHECKPOINT_NOT_EMPTY: {
    meaning: 'the target of the move already contains a checkpoint or other data',
    remedy: 'name an empty path or database',
  },
  CHECKPOINT_NOT_UPDATED: {
    meaning: 'an earlier version created the checkpoint on PostgreSQL, and this command only reads',
    remedy: 'start a run, or run `enrich doctor` as the owner: both migrate it to this version',
  },
  CHECKPOINT_SHARED_UNSUPPORTED: {
    meaning: 'the command or option does not work with a checkpoint on PostgreSQL; the message names it',
    remedy: 'read the hint; remove the option, or use a file as the checkpoint',
  },
  SERVICE_EDITION_DIFFERS: {
    meaning: 'the replicas of a service on PostgreSQL use another edition of the registry than this one',
    remedy: 'copy their registry to this node, or move all replicas to this edition with `--replace-edition`',
  },
  RUN_NOT_FOUND: {
    meaning: '`diff`, `report` or `runs` named a run that is not in the history, or the history is empty',
    remedy: 'run `enrich runs` to list the runs',
  },
  RUN_OUTPUT_UNKNOWN: {
    meaning:
      'the run published no output, its output is no longer kept (`history.keep`), or it was not compared with an earlier run',
    remedy: 'choose another run; `enrich runs` lists them',
  },
  RUNS_NOT_COMPARABLE: {
    meaning: 'the runs have different inputs or jobs, or identify their rows differently (`--row-key`)',
    remedy: 'choose two runs of the same input',
  },
  HISTORY_VERSION: {
    meaning: 'another version of `enrich` recorded the output in a different form',
    remedy: 'use that version, or compare later runs',
  },
  ROW_KEY_DUPLICATE: {
    meaning: 'two rows have the same key in the `--row-key` column; the message names both',
    remedy: 'fix the input, or name a column with unique values',
  },
  ROW_KEY_MISSING: {
    meaning: 'a company has no key in the `--row-key` column; the message names the row',
    remedy: 'fill in the cell, or name another column',
  },
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
