/** Errors of the command line, its settings, the review, assistants and the machine. */
export const commandErrors = {
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
  PATH_OUTSIDE_ROOT: {
    meaning: 'an assistant named a path that leads out of the folder of `enrich mcp --root`, or is hidden',
    remedy: 'name a file in the folder; links must stay in it too',
  },
  CONFIG_CHANGED: {
    meaning: 'the config changed after `enrich mcp` started',
    remedy: 'check the change, and start the server again',
  },
  RUN_NOT_CONFIRMED: {
    meaning:
      'a run of an assistant may be billed or replace a file, and the user did not accept it or cannot be asked',
    remedy: 'accept it, use a client with elicitation, or start `enrich mcp` with `--yes`',
  },
  RUN_BUDGET_EXCEEDED: {
    meaning: 'the budget of a run of an assistant exceeds the rest of the limits of `enrich mcp`',
    remedy: 'pass a smaller budget, or start the server again with a higher limit',
  },
  DECISIONS_NOT_FOUND: {
    meaning: 'the file named with `--decisions` does not exist',
    remedy: 'check the path; `enrich review` creates the file',
  },
  DECISIONS_INVALID: {
    meaning:
      'the decisions file cannot be read: an unknown column, an invalid lookup, verdict, id or time, or an unresolved merge conflict; the message names the line',
    remedy: 'fix the line; nothing was submitted',
  },
  DECISIONS_CONFLICT: {
    meaning: 'two lines of the decisions file decide the same lookup differently; the message names both',
    remedy: 'remove the wrong line',
  },
  DECISIONS_CHANGED: {
    meaning: 'the decisions file kept changing while it was read',
    remedy: 'wait until the program that writes it has finished, then run the same command again',
  },
  DECISIONS_UNWRITABLE: {
    meaning: 'the decisions file cannot be written, or another process holds its lock',
    remedy: 'check the folder and its permissions; the decisions are safe in the review store',
  },
  REVIEW_STORE_INVALID: {
    meaning:
      'the review store next to the checkpoint is damaged, has a newer version, or is another kind of file',
    remedy: 'move it away; the decisions in the decisions file still apply',
  },
  REVIEW_STORE_UNWRITABLE: {
    meaning: 'the review store cannot be opened or written',
    remedy: 'check the folder and its permissions',
  },
  CANDIDATES_UNAVAILABLE: {
    meaning: 'the search for candidates of a doubtful row failed; the message gives the reason',
    remedy: 'read the hint; you can decide the row without candidates',
  },
  REVIEW_NOTHING_ANSWERED: {
    meaning: '`review` found no answers for this input',
    remedy: 'run `enrich` first, with the same columns, country, service and registry',
  },
  REVIEW_CHECKPOINT_CHANGED: {
    meaning: 'the checkpoint was replaced, repaired or removed while its review was open',
    remedy: 'start `enrich review` again; your decisions are safe',
  },
  REVIEW_LOOKUP_UNKNOWN: {
    meaning: 'the review page requested a lookup that is not in the input',
    remedy: 'reload the page',
  },
  REVIEW_CHOICE_INVALID: {
    meaning: 'a decision names a company that was not shown as a candidate of this lookup',
    remedy: 'choose one of its candidates, or search for the company first',
  },
  REVIEW_ACCESS_REFUSED: {
    meaning: 'the request did not come from the review page, or not from the browser that its URL admitted',
    remedy: 'open the URL that `enrich review` printed last; it admits only the first browser that opens it',
  },
  REVIEW_REQUEST_INVALID: {
    meaning: 'the review page sent a request that its server does not accept',
    remedy: 'reload the page',
  },
  VERDICTS_INVALID: {
    meaning:
      'a file for `enrich review --import` has invalid verdicts or lacks the required columns; the message names the rows, and nothing was imported',
    remedy: 'fix these rows and import the file again',
  },
  VERDICTS_NOT_IMPORTED: {
    meaning: '`enrich review --export` would overwrite a file that has verdicts not yet imported',
    remedy: 'run `--import` first, or name another file',
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
      'npm installed SQLite or DuckDB without its binary, because `ignore-scripts`, `allow-scripts` or `omit=optional` is set, because a build failed, or because npm has not ended yet',
    remedy: 'install what the hint says is missing, then run its command',
  },
  MEMORY_SHORT: {
    meaning: '`--memory` is too small, either for the columns of a table or for any table',
    remedy: 'use fewer columns, smaller row groups or CSV, or raise `--memory`',
  },
} as const
