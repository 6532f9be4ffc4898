/** Of a checkpoint on PostgreSQL; entries of the table of all errors. */
export const errorsOfSharing = {
  CHECKPOINT_URL_INVALID: {
    meaning: 'the URL of the checkpoint cannot be read, or lacks a host or a database',
    remedy: 'like `postgres://user@host:5432/database`; it is never repeated',
  },
  CHECKPOINT_URL_HAS_PASSWORD: {
    meaning: 'the URL of the checkpoint holds a password, which the list of processes would show',
    remedy: 'leave it out; set `PGPASSWORD`, or keep it in `~/.pgpass` or the file of `PGPASSFILE`',
  },
  CHECKPOINT_TLS_REQUIRED: {
    meaning: '`sslmode` leaves TLS out, and the server is not on this machine',
    remedy: 'leave `sslmode` out, or set `verify-full` or `verify-ca`',
  },
  CHECKPOINT_TLS_FAILED: {
    meaning:
      'PostgreSQL speaks no TLS, or its certificate proves nothing: issuer, name or date; or a file of one is missing',
    remedy: '`sslrootcert=FILE` with the certificate of its authority, and the host by the name in it',
  },
  CHECKPOINT_UNREACHABLE: {
    exitCode: 5,
    meaning: 'PostgreSQL cannot be reached, or went away and did not come back',
    remedy: 'check host, port and firewall; the same command resumes',
  },
  CHECKPOINT_LOGIN_REFUSED: {
    meaning: 'PostgreSQL refuses the user or the password, or lets nobody in from here',
    remedy: 'check the user, the password and `pg_hba.conf`',
  },
  CHECKPOINT_PASSWORD_MISSING: {
    meaning: 'PostgreSQL asks for a password, and none is known',
    remedy: 'set `PGPASSWORD`, or keep it in `~/.pgpass` (`chmod 600`)',
  },
  CHECKPOINT_DATABASE_MISSING: {
    meaning: 'there is no such database on the server',
    remedy: '`createdb`, or mend the URL',
  },
  CHECKPOINT_GRANTS_MISSING: {
    meaning: 'the role may not make the tables, or lacks a right on them',
    remedy: 'see [several machines](several-machines.md#roles-and-grants)',
  },
  CHECKPOINT_SERVER_TOO_OLD: {
    meaning: 'PostgreSQL is older than 14',
    remedy: 'use a newer one',
  },
  CHECKPOINT_SERVER_STANDBY: {
    meaning: 'the server is in recovery: a standby, which takes no writes',
    remedy: 'name the primary',
  },
  CHECKPOINT_SERVER_NOT_DURABLE: {
    meaning:
      'the server may lose what it said is committed (`fsync`, `full_page_writes` or `synchronous_commit` is off), or isolates transactions otherwise than read committed',
    remedy: 'switch it on for this database or role: what is lost would be billed again',
  },
  CHECKPOINT_DATABASE_FOREIGN: {
    meaning: 'the schema `enrich` of the database holds something else',
    remedy: 'use a database of its own',
  },
  CHECKPOINT_SERVER_CHANGED: {
    meaning:
      'the database was restored, moved or failed over since it was last used: committed facts may be missing',
    remedy: 'see [failover](several-machines.md#failover) before anything is submitted',
  },
  CHECKPOINT_SERVER_FULL: {
    exitCode: 5,
    meaning: 'the disk of PostgreSQL is full',
    remedy: 'make room there; the same command resumes',
  },
  CHECKPOINT_SERVER_READ_ONLY: {
    exitCode: 5,
    meaning: 'PostgreSQL takes no writes: it was made read-only, or became a standby',
    remedy: 'name the primary, or end the read-only mode; the same command resumes',
  },
  CHECKPOINT_SERVER_BUSY: {
    exitCode: 5,
    meaning:
      'PostgreSQL did not get a lock in time, or a statement took too long or met others again and again',
    remedy: 'look for sessions that hold locks (`pg_stat_activity`); the same command resumes',
  },
  CHECKPOINT_SERVER_FAILED: {
    exitCode: 5,
    meaning: 'PostgreSQL failed at a statement: its disk, its memory, or an error inside it',
    remedy: 'see the log of the server; the same command resumes',
  },
  CHECKPOINT_STATEMENT_REFUSED: {
    exitCode: 1,
    meaning: 'PostgreSQL refuses a statement of ours: a bug, or the tables were changed by other means',
    remedy: 'report it with its SQLSTATE; the same command resumes',
  },
  CHECKPOINT_CONNECTIONS_EXHAUSTED: {
    exitCode: 5,
    meaning: 'PostgreSQL takes no more connections',
    remedy: 'fewer processes, a higher `max_connections`, or pgbouncer between',
  },
  CHECKPOINT_LEASE_LOST: {
    exitCode: 5,
    meaning: 'the process was stopped or cut off for longer than its lease, and others took it to be gone',
    remedy: 'run the same command again; nothing is submitted twice',
  },
  CHECKPOINT_MOVED: {
    meaning:
      'the checkpoint was moved to another place, which the message names: what is asked here would be paid twice',
    remedy: 'go on with that one; see [moving a checkpoint](several-machines.md#moving-a-checkpoint)',
  },
  CHECKPOINT_ARRIVING: {
    meaning: 'a checkpoint is being moved here, and that has not ended',
    remedy: 'the same `enrich checkpoint migrate` again ends it',
  },
  CHECKPOINT_MOVE_DIFFERS: {
    exitCode: 5,
    meaning:
      'what arrived is not what was to be moved: one of the two was changed meanwhile; nothing was marked as moved',
    remedy: 'run the same command again',
  },
  CHECKPOINT_NOT_EMPTY: {
    meaning: 'a checkpoint is to be moved to a place where something is already',
    remedy: 'name a path, or a database, that holds none',
  },
  CHECKPOINT_NOT_UPDATED: {
    meaning: 'the checkpoint on PostgreSQL was made by an earlier version, and was only to be read',
    remedy: 'a run brings it to this version, and so does `enrich doctor` as its owner',
  },
  CHECKPOINT_SHARED_UNSUPPORTED: {
    meaning: 'what was asked for is not to be had with a checkpoint on PostgreSQL; the message names it',
    remedy: 'see the hint; leave it out, or use a file as the checkpoint',
  },
  SERVICE_EDITION_DIFFERS: {
    meaning:
      'the replicas of a service on PostgreSQL answer from another edition of the registry than this one has',
    remedy:
      'copy the registry of the others to this node, or move all on to this one with `--replace-edition`',
  },
} as const

/** Of what is remembered of runs; entries of the table of all errors. */
export const errorsOfHistory = {
  RUN_NOT_FOUND: {
    meaning: '`diff`, `report` or `runs` was asked for a run that is not remembered, or there are none yet',
    remedy: '`enrich runs` lists them',
  },
  RUN_OUTPUT_UNKNOWN: {
    meaning: 'the run published no output, or it is no longer remembered (`history.keep`)',
    remedy: 'choose another run; `enrich runs` lists them',
  },
  RUNS_NOT_COMPARABLE: {
    meaning: 'the runs are of different inputs or jobs, or know their rows differently (`--row-key`)',
    remedy: 'choose two runs of one input',
  },
  HISTORY_VERSION: {
    meaning: 'an output is remembered in a form of another version of enrich',
    remedy: 'use that version, or compare later runs',
  },
  ROW_KEY_DUPLICATE: {
    meaning: 'two rows have the same key in the column of `--row-key`; the message names both',
    remedy: 'mend the input, or name a column in which each value stands once',
  },
  ROW_KEY_MISSING: {
    meaning: 'a row has no key in the column of `--row-key`; the message names the row',
    remedy: 'fill the cell in, or name another column',
  },
} as const

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

/** Of decisions of people, and of those who make them; entries of the table of all errors. */
export const errorsOfReview = {
  DECISIONS_NOT_FOUND: {
    meaning: 'the file named with `--decisions` is not there',
    remedy: 'check the path; `enrich review` makes it',
  },
  DECISIONS_INVALID: {
    meaning:
      'the decisions cannot be read: an unknown column, a lookup, verdict, id or time that is none, a merge conflict left in them; the message names the line',
    remedy: 'mend the line; nothing was submitted',
  },
  DECISIONS_CONFLICT: {
    meaning: 'two lines of the decisions decide one lookup differently; the message names both',
    remedy: 'remove the one that does not hold',
  },
  DECISIONS_CHANGED: {
    meaning: 'the decisions changed again and again while they were read',
    remedy: 'wait until whatever writes them is done, and run the same command again',
  },
  DECISIONS_UNWRITABLE: {
    meaning: 'the decisions cannot be written, or another process keeps them locked',
    remedy: 'check folder and permissions; what was decided is in the review store',
  },
  REVIEW_STORE_INVALID: {
    meaning:
      'what stands where decisions and candidates are kept, beside the checkpoint, is something else, damaged or of a newer version',
    remedy: 'move it away; what the decisions file holds stands without it',
  },
  REVIEW_STORE_UNWRITABLE: {
    meaning: 'the review store cannot be opened or written',
    remedy: 'check folder and permissions',
  },
  CANDIDATES_UNAVAILABLE: {
    meaning:
      'the service was asked which companies a doubtful row may mean, and gave no answer; the message says why',
    remedy: 'the hint says; the row can be decided without',
  },
  REVIEW_NOTHING_ANSWERED: {
    meaning: '`review` found no answer to anything that the input asks',
    remedy: 'run first; with the same columns, service and registry',
  },
  REVIEW_CHECKPOINT_CHANGED: {
    meaning: 'the checkpoint was replaced, repaired or removed while its review was open',
    remedy: 'start `enrich review` again; what was decided is safe',
  },
  REVIEW_LOOKUP_UNKNOWN: {
    meaning: 'the review page asked for a lookup that is not in the input',
    remedy: 'load the page again',
  },
  REVIEW_CHOICE_INVALID: {
    meaning: 'a decision for a company that the lookup was never shown beside',
    remedy: 'choose among its candidates, or search for the company first',
  },
  REVIEW_ACCESS_REFUSED: {
    meaning: 'a request that the review page did not send, or from a browser that did not open its address',
    remedy: 'open the address that `enrich review` printed; each can be opened once',
  },
  REVIEW_REQUEST_INVALID: {
    meaning: 'the review page sent what its server does not take',
    remedy: 'load the page again',
  },
  VERDICTS_INVALID: {
    meaning:
      'a file of `enrich review --import` has verdicts that cannot be taken, or not the columns for them; the message names the rows, and nothing was imported',
    remedy: 'mend these rows, and import the file again',
  },
  VERDICTS_NOT_IMPORTED: {
    meaning: '`enrich review --export` would overwrite a file with verdicts that were not imported',
    remedy: '`--import` it first, or name another file',
  },
} as const
