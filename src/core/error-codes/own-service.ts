/** Errors of `enrich serve` and its accounts. */
export const ownServiceErrors = {
  LISTEN_FAILED: {
    meaning: 'the listen address is in use or not permitted',
    remedy: 'pass another `--listen` or `--webhook-listen`, or port 0',
  },
  FAULTS_INVALID: {
    meaning: 'the fault plan for `serve` cannot be read, or is not valid',
    remedy: 'correct the key that the message names',
  },
  SERVICE_DATA_INVALID: {
    meaning: 'the data of `serve` cannot be opened',
    remedy: 'check the folder or the database of `--data`',
  },
  SERVICE_DATA_NOT_FOUND: {
    meaning: '`accounts` found no service data',
    remedy: 'pass the same `--data` as to `enrich serve`, or run `accounts add`',
  },
  SERVICE_DATA_IN_USE: {
    exitCode: 11,
    meaning: 'another service uses this data',
    remedy: 'stop it, or pass another `--data` or `--checkpoint`',
  },
  ACCOUNT_NOT_FOUND: { meaning: 'no account has that name', remedy: 'choose a name that the hint lists' },
  ACCOUNT_EXISTS: {
    meaning: 'an account of that name exists',
    remedy: 'use `accounts set` or `accounts keys add`',
  },
  ACCOUNT_INVALID: {
    meaning: 'the account name is not valid',
    remedy: 'use letters, digits and `_ . @ -`, at most 100 characters',
  },
  ACCOUNT_ITEM_NOT_FOUND: {
    meaning: 'the account has no key or secret with that id',
    remedy: 'run `accounts keys list` or `accounts secrets list`',
  },
  ACCOUNT_CHANGE_REFUSED: {
    meaning:
      'the change is not possible: it would delete the last secret, add to unlimited credit, or exceed a limit',
    remedy: 'read the hint',
  },
} as const
