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
