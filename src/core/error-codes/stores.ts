/** Errors of databases and object stores as inputs and outputs. */
export const storeErrors = {
  ADDRESS_INVALID: {
    meaning: 'the address of an input or output cannot be read; the message names what is wrong',
    remedy: 'write it like the example in the hint',
  },
  ADDRESS_HAS_SECRET: {
    meaning: 'the address of an input or output contains a password, a key or a signature',
    remedy: 'set the credentials in the environment; the message does not repeat the address',
  },
  CREDENTIALS_MISSING: {
    meaning:
      'no credentials were found for a database or an object store; the message lists the places searched',
    remedy: 'set one of the environment variables in the hint',
  },
  ACCESS_DENIED: {
    exitCode: 4,
    meaning:
      'a database or an object store refused the credentials, or they lack a right; the message names it',
    remedy: 'check the credentials and their rights; nothing was replaced',
  },
  STORE_UNREACHABLE: {
    exitCode: 5,
    meaning: 'a database or an object store did not answer, or failed several times',
    remedy: 'run the same command again later; all answers are kept',
  },
  STORE_REFUSED: {
    exitCode: 5,
    meaning:
      'an object store refused a request for a reason other than the credentials; the message contains its error',
    remedy: 'read the hint, then run the same command again; all answers are kept',
  },
  INPUT_INCOMPLETE: {
    exitCode: 5,
    meaning:
      'an object store or web server sent another number of bytes than it announced, or bytes that do not match its checksum',
    remedy: 'run the same command again; if it fails again, the server or a proxy on the way is faulty',
  },
  CLOCK_WRONG: {
    meaning: 'an object store refused a request because the clock of this machine is wrong',
    remedy: 'set the clock of this machine',
  },
  QUERY_REFUSED: {
    meaning: 'the database refused the query of `--query`; the message has its reason',
    remedy: 'correct the query; it must be one SELECT',
  },
  OUTPUT_TABLE_UNFIT: {
    meaning:
      'the columns of the output do not fit the existing table, which `--mode append` and `upsert` need',
    remedy: 'the hint lists the columns; change the table, or use `--mode replace`',
  },
} as const
