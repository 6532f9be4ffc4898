import { errorsOfAddresses, errorsOfAssistants, errorsOfInputs } from './error-codes-of-inputs.js'
import { historyErrors, sharingErrors, partErrors, reviewErrors } from './storage-error-codes.js'

/**
 * Every error code that a user can see, with its meaning and what to do. `exitCode` defaults to 2, which states that
 * nothing was submitted.
 */
export const errorTable = {
  USAGE_INVALID: {
    meaning: 'the command line is not valid',
    remedy: 'read the hint, or run `enrich --help`',
  },
  CONFIG_NOT_FOUND: { meaning: 'the file given with `--config` cannot be read', remedy: 'check the path' },
  CONFIG_NOT_JSON: { meaning: 'the config file is not JSON', remedy: 'remove comments and trailing commas' },
  CONFIG_EXISTS: {
    meaning: '`enrich init` would overwrite an existing config file',
    remedy: 'pass `--force`, or another path with `--config`',
  },
  CONFIG_NOT_WRITABLE: {
    meaning: 'the config file cannot be written',
    remedy: 'check the permissions of the folder',
  },
  CONFIG_INVALID: {
    meaning: 'the config has an unknown key or a wrong value; the message names it',
    remedy: 'compare the file with `pipeline.config.example.json`',
  },
  API_KEY_MISSING: {
    meaning: 'a base URL is set without an API key, or `serve` has no key',
    remedy: 'set `ENRICH_API_KEY` or `ENRICH_API_KEY_FILE`; for `serve` set `ENRICH_SERVE_API_KEY`',
  },
  API_KEY_INVALID: {
    meaning: 'the API key contains characters that are not allowed in an HTTP header',
    remedy: 'remove spaces, quotes and line breaks from it',
  },
  BASE_URL_INVALID: {
    meaning:
      'the base URL is not https (or http to this machine), or it has more than scheme, host, port and path',
    remedy: 'correct `--base-url`; the API key was not sent',
  },
  PROXY_INVALID: {
    meaning: 'a variable like `HTTPS_PROXY` is not the address of an http or https proxy',
    remedy: 'correct or unset the variable that the message names; its value is not repeated',
  },
  WEBHOOK_URL_INVALID: {
    meaning:
      'the webhook URL is not a public https address, its port is neither 443 nor above 1024, or it contains a user',
    remedy: 'correct `--webhook-url`',
  },
  WEBHOOK_SECRET_MISSING: {
    meaning: 'webhooks are enabled without a signing secret',
    remedy: 'set `ENRICH_WEBHOOK_SECRET`',
  },
  WEBHOOK_SECRET_INVALID: {
    meaning: 'a webhook secret is not `whsec_` followed by base64 of 24 to 64 bytes',
    remedy: 'copy the whole secret again',
  },
  BILLING_PRICE_MISSING: {
    meaning: '`--max-cost`, or a cost condition of `--fail-on`, is set without a price',
    remedy: 'set `billing.unitPrice` in the config',
  },
  FAIL_ON_INVALID: {
    meaning: 'a condition of `--fail-on` cannot be parsed; the message names it',
    remedy: 'write it like `lost_match>5%, failed>0`; the hint lists the names you can use',
  },
  NOTIFY_URL_INVALID: {
    meaning: 'the URL of `--notify` is neither https to a public host nor http to this machine',
    remedy: 'correct it; the message does not repeat the URL',
  },
  PATH_IS_ADDRESS: {
    meaning:
      'a local path is required, and the value is an address such as `s3://…`, `https://…`, `postgres://…` or `duckdb:…`',
    remedy: 'the hint shows how to copy or pipe the data',
  },
  ...errorsOfAssistants,
  ...errorsOfInputs,
  ...errorsOfAddresses,
  OUTPUT_MISSING: { meaning: 'no output is named', remedy: 'pass `-o`' },
  OUTPUT_FORMAT_UNKNOWN: {
    meaning: 'the format cannot be detected from the file name, or that format cannot be compressed',
    remedy: 'pass `--format`, or use .csv, .tsv, .parquet, .ndjson, .xlsx, .csv.gz or .ndjson.gz',
  },
  OUTPUT_IS_INPUT: { meaning: 'the output would overwrite an input', remedy: 'name another output' },
  OUTPUT_UNWRITABLE: {
    meaning: 'the output file or its folder cannot be written',
    remedy: 'create the folder, check permissions',
  },
  OUTPUT_COLUMN_TAKEN: {
    meaning: 'the input already has a column with the name of an added column',
    remedy: 'pass `--prefix`',
  },
  OUTPUT_COLUMN_UNKNOWN: {
    meaning: '`--columns` names a column that `enrich` does not add',
    remedy: 'choose from the columns that the hint lists',
  },
  OUTPUT_COLUMN_UNFIT: {
    meaning:
      'the output format cannot hold a column. Parquet: an empty name, a NUL in the name, or the type GEOMETRY, GEOGRAPHY or VARIANT. Excel: a text of more than 32,767 characters',
    remedy: 'rename the column, shorten the text, or write CSV or NDJSON',
  },
  OUTPUT_IS_OURS: {
    meaning:
      'the output, or its basis file, would overwrite a file of `enrich` (checkpoint, config, registry, service data) or any other database; links and letter case are resolved',
    remedy: 'name another output',
  },
  DISK_FULL: {
    meaning: 'the disk is full',
    remedy: 'free some space and run the same command again; everything that was acknowledged is safe',
  },
  FILE_TOO_LARGE: {
    meaning: 'the file size limit of this process is reached (`ulimit -f`)',
    remedy: 'run `ulimit -f unlimited`, then the same command again',
  },
  FILES_TOO_MANY: {
    meaning: 'the limit of open files of this process is reached (`ulimit -n`); 512 are enough',
    remedy: 'run `ulimit -n 2048`, then the same command again',
  },
  NATIVE_PACKAGE_MISSING: {
    meaning:
      'npm installed SQLite or DuckDB without its binary, because `ignore-scripts`, `allow-scripts` or `omit=optional` is set, or because a build failed',
    remedy: 'install what the hint says is missing, then run its command',
  },
  MEMORY_SHORT: {
    meaning: '`--memory` is too small, either for the columns of a table or for any table',
    remedy: 'use fewer columns, smaller row groups or CSV, or raise `--memory`',
  },
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
  ...reviewErrors,
  ...sharingErrors,
  ...historyErrors,
  ...partErrors,
  LEDGER_INVALID: {
    meaning: 'the list of charges for `reconcile` cannot be read, or has no `custom_id` column',
    remedy: 'read the hint',
  },
  REGISTRY_NOT_FOUND: {
    meaning: 'no registry exists at that path',
    remedy: 'run `enrich registry load FOLDER`, or correct `--registry`',
  },
  REGISTRY_INVALID: {
    meaning: 'the file is not a registry, is damaged, or has another version',
    remedy: 'import its sources into a new file',
  },
  REGISTRY_UNWRITABLE: {
    meaning: 'the registry cannot be written',
    remedy: 'check the folder and its permissions',
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
} as const
