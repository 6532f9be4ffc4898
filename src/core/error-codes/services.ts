/** Errors of the service that answers and the limits of a run, of `enrich serve`, and of the registry. */
export const serviceErrors = {
  SERVICE_REFUSED: {
    exitCode: 4,
    meaning: 'HTTP 401 or 403: the key is wrong, or the account may not use v3',
    remedy: 'check the key; no row was marked as failed',
  },
  SERVICE_UNREACHABLE: {
    exitCode: 5,
    meaning: 'the service did not answer after several attempts',
    remedy: 'check the network and the service; the same command resumes',
  },
  SERVICE_ANSWER_INVALID: {
    exitCode: 5,
    meaning: 'the base URL does not accept submissions (404, 405, 410 or a redirect)',
    remedy: 'check `--base-url`; nothing was billed',
  },
  CREDIT_EXHAUSTED: {
    exitCode: 8,
    meaning: "HTTP 402: the account's credit is used up",
    remedy: 'add credit; the same command resumes',
  },
  PLAN_LIMIT_REACHED: {
    exitCode: 8,
    meaning: 'HTTP 429 because of a limit of the plan, not of the minute',
    remedy: 'wait, or upgrade the plan; the same command resumes',
  },
  LOOKUPS_MAX_REACHED: {
    exitCode: 8,
    meaning: '`--max-lookups` or `lookupsMax` of a stage is reached',
    remedy:
      'run the same command again: it resumes with a new budget; with `--partition`, raise the limit first: a partitioned job keeps its budget',
  },
  COST_MAX_REACHED: {
    exitCode: 8,
    meaning: 'the next lookup could exceed `--max-cost`',
    remedy:
      'run the same command again: it resumes with a new budget; with `--partition`, raise `--max-cost` first: a partitioned job keeps its budget',
  },
  DURATION_MAX_REACHED: {
    exitCode: 10,
    meaning: '`--max-duration` is reached',
    remedy: 'the same command resumes',
  },
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
  REGISTRY_NOT_FOUND: {
    meaning: 'no registry exists at that path',
    remedy: 'run `enrich registry get NAME` or `enrich registry load FOLDER`, or correct `--registry`',
  },
  REGISTRY_EMPTY: {
    meaning: 'the registry has no companies, so that no lookup could have a match',
    remedy: 'load registers into it, pass another one with `--registry`, or wait for the end of a build',
  },
  REGISTRY_INVALID: {
    meaning: 'the file is not a registry, is damaged, or has another version',
    remedy: 'import its sources into a new file',
  },
  REGISTRY_UNWRITABLE: {
    meaning: 'the registry cannot be written',
    remedy: 'check the folder and its permissions',
  },
  REGISTER_UNKNOWN: {
    meaning: '`registry get` names a source that does not exist; the hint has similar names',
    remedy: 'choose one that `enrich registry sources` lists, or pass the file of your own source',
  },
  REGISTER_SOURCE_INVALID: {
    meaning: 'the description of a source cannot be read; the message names the member',
    remedy: 'compare it with a valid one: `enrich registry sources --show companies-house`',
  },
  REGISTER_UNREACHABLE: {
    exitCode: 5,
    meaning:
      'a publisher of register data did not answer, refused the request, or has an invalid certificate',
    remedy: 'run the same command again: the download continues where it stopped; the loaded edition stays',
  },
  REGISTER_MOVED: {
    meaning: 'the address of a register file leads nowhere, or to another host',
    remedy: 'find the file on the page in the hint, and pass its address or path with `--from`',
  },
  REGISTERS_IN_USE: {
    exitCode: 11,
    meaning: 'another command gets registers for this registry',
    remedy: 'wait until it ends, then run the same command again',
  },
  REGISTER_CHANGED: {
    meaning:
      'the publisher sent something else than the described file: without a column, damaged, or a page of HTML; the loaded edition stays',
    remedy: 'read the page in the hint; correct a copy of the source, and pass it instead of the name',
  },
  REGISTRY_IMPORT_INVALID: {
    meaning: 'the file cannot be imported: it has no names or no ids, or `--map` is wrong',
    remedy: 'read the hint; correct `--map`',
  },
  EVALUATION_INVALID: {
    meaning:
      'the labelled queries cannot be read: names or expected ids are missing, or the kind of an id is unknown',
    remedy: 'read the hint; correct `--map` or `--id-type`',
  },
  DOMAIN_LIST_INVALID: {
    meaning: 'a list of domains for `serve` cannot be read; the message names the line',
    remedy: 'fix the line, or remove the flag',
  },
} as const
