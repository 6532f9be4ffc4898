/** Errors of a checkpoint on PostgreSQL, and of a move to it or from it. */
export const sharedCheckpointErrors = {
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
    remedy: 'see [Roles and grants](several-machines.md#roles-and-grants)',
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
    remedy: 'read [Failover](several-machines.md#failover) before you submit anything',
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
    remedy: 'continue with the new one; see [Moving a checkpoint](several-machines.md#moving-a-checkpoint)',
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
} as const
