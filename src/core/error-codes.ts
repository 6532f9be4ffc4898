import { errorsOfHistory, errorsOfSharing, errorsOfParts, errorsOfReview } from './error-codes-of-stores.js'

/**
 * Every code that an error shown to a user can bear: what it means, what to do, and what the process ends with where
 * that is not 2, which says that nothing was submitted.
 */
export const errorTable = {
  USAGE_INVALID: {
    meaning: 'the command line does not make sense',
    remedy: 'see the hint, or `enrich --help`',
  },
  CONFIG_NOT_FOUND: { meaning: 'the file given with `--config` cannot be read', remedy: 'check the path' },
  CONFIG_NOT_JSON: { meaning: 'the config file is not JSON', remedy: 'no comments, no trailing commas' },
  CONFIG_EXISTS: {
    meaning: '`enrich init` found a config where it would write one',
    remedy: '`--force`, or another `--config`',
  },
  CONFIG_NOT_WRITABLE: { meaning: 'the config cannot be written', remedy: 'check the folder' },
  CONFIG_INVALID: {
    meaning: 'an unknown key or a wrong value; the message names it',
    remedy: 'compare with `pipeline.config.example.json`',
  },
  API_KEY_MISSING: {
    meaning: 'a base URL is set, but no key; or `serve` was given none',
    remedy: 'set `ENRICH_API_KEY` or `ENRICH_API_KEY_FILE`; for `serve` `ENRICH_SERVE_API_KEY`',
  },
  API_KEY_INVALID: {
    meaning: 'the key holds characters that no header can carry',
    remedy: 'look for spaces, quotes and line ends in it',
  },
  BASE_URL_INVALID: {
    meaning: 'not https (or http to this machine), or more than scheme, host, port and path',
    remedy: 'mend `--base-url`; the key does not go there',
  },
  WEBHOOK_URL_INVALID: {
    meaning:
      'the webhook URL is not public https, its port is neither 443 nor above 1024, or it holds a user',
    remedy: 'mend `--webhook-url`',
  },
  WEBHOOK_SECRET_MISSING: {
    meaning: 'webhooks are to be received, and no secret is set',
    remedy: 'set `ENRICH_WEBHOOK_SECRET`',
  },
  WEBHOOK_SECRET_INVALID: {
    meaning: 'a secret is not `whsec_` and base64 of 24 to 64 bytes',
    remedy: 'copy it again, whole',
  },
  BILLING_PRICE_MISSING: {
    meaning: '`--max-cost`, or a condition of `--fail-on` on cost, and no price is known',
    remedy: 'set `billing.unitPrice` in the config',
  },
  FAIL_ON_INVALID: {
    meaning: 'a condition of `--fail-on` cannot be read; the message shows which',
    remedy: 'like `lost_match>5%, failed>0`; the hint lists what a condition may name',
  },
  NOTIFY_URL_INVALID: {
    meaning: 'the URL of `--notify` is neither https to a public name nor an address of this machine',
    remedy: 'mend it; it is never shown',
  },
  PATH_IS_ADDRESS: {
    meaning:
      '`s3://…`, `https://…`, `postgres://…`, `duckdb:…` and the like, where a path of this machine is needed',
    remedy: 'the hint says how to copy or pipe it',
  },
  INPUT_NOT_FOUND: { meaning: 'no such file, or no file matches the pattern', remedy: 'check the path' },
  INPUT_IS_FOLDER: { meaning: 'the input is a folder', remedy: 'name its files, or a glob' },
  INPUT_UNREADABLE: {
    meaning: 'the input cannot be read: permissions, disk, or it is no regular file',
    remedy: 'check the file; pipe other things in as `-`',
  },
  INPUT_FORMAT_UNKNOWN: {
    meaning:
      'the name tells no format, or a spreadsheet is of another kind: behind a password, .xls, .xlsb, .ods',
    remedy: '`--input-format`; save the spreadsheet as .xlsx',
  },
  INPUT_FORMATS_MIXED: { meaning: 'inputs of several formats', remedy: 'one format at a time' },
  INPUT_EMPTY: { meaning: 'the input is empty', remedy: 'it needs a header and rows' },
  INPUT_NO_ROWS: { meaning: 'a header and no rows', remedy: 'nothing to do' },
  INPUT_COLUMN_MISSING: {
    meaning: 'no column holds names, or a named column is not there',
    remedy: '`--name-column`; the hint lists the columns',
  },
  INPUT_COLUMN_NESTED: {
    meaning: 'a struct, list, map, object or array was named as a column of names, places or identifiers',
    remedy: 'name a member of it, `--name-column company.name`; the hint lists them',
  },
  INPUT_COLUMNS_DUPLICATE: {
    meaning: 'two columns of one name; for Parquet also two that differ in case alone',
    remedy: 'rename one',
  },
  INPUT_COLUMNS_TOO_MANY: { meaning: 'more than 10,000 columns', remedy: 'is the delimiter right?' },
  INPUT_QUOTE_UNCLOSED: {
    meaning: 'a quote that is never closed; the message names its line',
    remedy: 'close or double it',
  },
  INPUT_CSV_INVALID: {
    meaning: 'a quote where none may be; the message names the line',
    remedy: 'quote the cell, double its quotes',
  },
  INPUT_NUL_BYTE: { meaning: 'a NUL byte in a text file', remedy: 'is it text, and of which encoding?' },
  INPUT_RECORD_TOO_LARGE: { meaning: 'a record or line of more than 16 MiB', remedy: 'is it a table?' },
  INPUT_ENCODING_WRONG: {
    meaning: 'bytes that are not of the encoding; the message names the line',
    remedy: '`--encoding`, or convert the file',
  },
  INPUT_ENCODING_MIXED: {
    meaning: 'some lines are UTF-8 and some are not; the message names them',
    remedy: 'mend them, or `--encoding utf-8+windows-1252`',
  },
  INPUT_ENCODING_UNSURE: {
    meaning:
      'not UTF-8, and too little text tells what else; the message shows names as each encoding reads them',
    remedy: '`--encoding` with the one that reads right',
  },
  INPUT_COMPRESSION_CORRUPT: {
    meaning: 'a .gz, .zst, .zip or .xlsx that does not decompress, or to far more than it should',
    remedy: 'fetch it again',
  },
  INPUT_EXCEL_INVALID: {
    meaning: 'an .xlsx that is cut, corrupt or too large',
    remedy: 'save it anew, or as CSV',
  },
  INPUT_SHEET_MISSING: {
    meaning: 'an .xlsx without the sheet that was named; the hint lists its sheets',
    remedy: 'name one of them',
  },
  INPUT_WITHOUT_SHEETS: {
    meaning: '`--sheet` names a sheet, and the input is no Excel file',
    remedy: 'name the Excel file, or leave `--sheet` out',
  },
  INPUT_HEADER_UNCLEAR: {
    meaning: 'an .xlsx with merged cells in its header, or two rows of headers; the message names the row',
    remedy: 'one row with a name for each column',
  },
  INPUT_PARQUET_INVALID: {
    meaning: 'a Parquet file that is cut, corrupt or unsupported',
    remedy: 'write it again',
  },
  INPUT_JSON_INVALID: {
    meaning: 'a line that is no JSON object, or a .json that is no array of them; the message names the line',
    remedy: 'mend the line',
  },
  INPUT_CHANGED: {
    exitCode: 5,
    meaning: 'the input changed while it was read',
    remedy: 'the same command again; what is answered is kept',
  },
  OUTPUT_MISSING: { meaning: 'no output is named', remedy: '`-o`' },
  OUTPUT_FORMAT_UNKNOWN: {
    meaning: 'the name tells no format, or one that is not compressed',
    remedy: '`--format`, or .csv, .tsv, .parquet, .ndjson, .xlsx, .csv.gz, .ndjson.gz',
  },
  OUTPUT_IS_INPUT: { meaning: 'the output would overwrite an input', remedy: 'name another output' },
  OUTPUT_UNWRITABLE: {
    meaning: "the output's folder or file cannot be written",
    remedy: 'make the folder, check permissions',
  },
  OUTPUT_COLUMN_TAKEN: { meaning: 'the input has a column of the name of one of ours', remedy: '`--prefix`' },
  OUTPUT_COLUMN_UNKNOWN: {
    meaning: '`--columns` names a column that is none of ours',
    remedy: 'the hint lists them',
  },
  OUTPUT_COLUMN_UNFIT: {
    meaning:
      "Parquet cannot hold a column without a name, or with NUL in it; Parquet's own GEOMETRY, GEOGRAPHY and VARIANT are not written to it; Excel holds no text of more than 32,767 characters",
    remedy: 'rename or shorten it, or write CSV or NDJSON',
  },
  OUTPUT_IS_OURS: {
    meaning:
      "the output, or its basis file, would overwrite the checkpoint, what stands beside it, the config, the registry, the service's data or any other database; by path, link or letter case",
    remedy: 'name another output',
  },
  DISK_FULL: {
    meaning: 'no room for the output or the checkpoint',
    remedy: 'make room and run the same command again; what was acknowledged is safe',
  },
  FILE_TOO_LARGE: {
    meaning: 'this process may write no file that large (`ulimit -f`)',
    remedy: '`ulimit -f unlimited`, and the same command again',
  },
  FILES_TOO_MANY: {
    meaning: 'this process may not have so many files open (`ulimit -n`); 512 are enough',
    remedy: '`ulimit -n 2048`, and the same command again',
  },
  NATIVE_PACKAGE_MISSING: {
    meaning:
      'npm installed SQLite or DuckDB without its binary: `ignore-scripts`, `allow-scripts` or `omit=optional` is set, or a build failed',
    remedy: 'run the command in the hint',
  },
  MEMORY_SHORT: {
    meaning: 'a table takes more memory than is allowed for its columns, or `--memory` is too little for any',
    remedy: 'fewer columns, smaller row groups, more `--memory`, or CSV',
  },
  CHECKPOINT_NOT_FOUND: {
    meaning: '`status` or `export` where there is no checkpoint',
    remedy: 'run first, or `--checkpoint`',
  },
  CHECKPOINT_INVALID: {
    meaning: 'the file is no checkpoint of enrich',
    remedy: 'another `--checkpoint`; the file was not touched',
  },
  CHECKPOINT_TOO_NEW: { meaning: 'a newer version of enrich wrote it', remedy: 'use that version' },
  CHECKPOINT_UNWRITABLE: {
    meaning: 'the checkpoint cannot be written',
    remedy: 'check folder and permissions',
  },
  CHECKPOINT_IN_USE: {
    exitCode: 11,
    meaning: 'another process holds the checkpoint; the message says which',
    remedy: 'wait for it, or another `--checkpoint`',
  },
  CHECKPOINT_DAMAGED: {
    meaning: 'the checkpoint is not as it was written: its bytes were changed or cut; nothing was submitted',
    remedy: '`enrich checkpoint verify`, then `enrich checkpoint repair`',
  },
  CHECKPOINT_BEHIND: {
    meaning:
      'the checkpoint is older than its head file says: submissions are missing that may have been billed',
    remedy: 'put the newer one back; or `enrich reconcile LEDGER.csv`, or `--accept-rollback`',
  },
  CHECKPOINT_DIVERGED: {
    meaning: 'the checkpoint holds other submissions than its head file says: another copy of it went on',
    remedy: 'go on with that one; or as above',
  },
  CHECKPOINT_COPIED: {
    meaning: 'the checkpoint is a copy, or was put back from one, and something would be billed',
    remedy: 'go on with the original; `--accept-rollback` if this is the one to go on with',
  },
  CHECKPOINT_HEAD_MISSING: {
    meaning: 'the head file is gone or cannot be read, so nothing says whether the checkpoint is the newest',
    remedy: 'as above',
  },
  ...errorsOfReview,
  ...errorsOfSharing,
  ...errorsOfHistory,
  ...errorsOfParts,
  LEDGER_INVALID: {
    meaning: 'the list of charges for `reconcile` cannot be read, or has no `custom_id`',
    remedy: 'see the hint',
  },
  REGISTRY_NOT_FOUND: {
    meaning: 'there is no registry at that path',
    remedy: '`enrich registry import`, or mend `--registry`',
  },
  REGISTRY_INVALID: {
    meaning: 'the file is no registry, damaged, or of another version',
    remedy: 'import its sources into a new file',
  },
  REGISTRY_UNWRITABLE: { meaning: 'the registry cannot be written', remedy: 'check folder and permissions' },
  REGISTRY_IMPORT_INVALID: {
    meaning: 'the file cannot be imported: no names, no ids, a wrong map',
    remedy: 'see the hint; mend `--map`',
  },
  EVALUATION_INVALID: {
    meaning: 'labelled queries cannot be read: no names, no expected ids, an id of no kind',
    remedy: 'see the hint; mend `--map` or `--id-type`',
  },
  DOMAIN_LIST_INVALID: {
    meaning: 'a list of domains for `serve` cannot be read; the message names the line',
    remedy: 'mend the file, or leave the flag out',
  },
  LISTEN_FAILED: {
    meaning: 'the address is taken or not allowed',
    remedy: 'another `--listen` or `--webhook-listen`, or port 0',
  },
  FAULTS_INVALID: {
    meaning: 'the plan of faults for `serve` cannot be read, or breaks its form',
    remedy: 'the message names the key',
  },
  SERVICE_DATA_INVALID: {
    meaning: 'the data of `serve` cannot be opened',
    remedy: 'check the folder, or the database, of `--data`',
  },
  SERVICE_DATA_NOT_FOUND: {
    meaning: '`accounts` where no service has kept data',
    remedy: '`--data` as `enrich serve` has it, or `accounts add`',
  },
  SERVICE_DATA_IN_USE: {
    exitCode: 11,
    meaning: 'another service runs on that data',
    remedy: 'stop it, or another `--data` or `--checkpoint`',
  },
  ACCOUNT_NOT_FOUND: { meaning: 'no account has that name', remedy: 'the hint lists them' },
  ACCOUNT_EXISTS: {
    meaning: 'an account of that name is there',
    remedy: '`accounts set`, or `accounts keys add`',
  },
  ACCOUNT_INVALID: {
    meaning: 'this is no name for an account',
    remedy: 'letters, digits and `_ . @ -`, at most 100',
  },
  ACCOUNT_ITEM_NOT_FOUND: {
    meaning: 'the account has no key or secret of that id',
    remedy: '`accounts keys list`, `accounts secrets list`',
  },
  ACCOUNT_CHANGE_REFUSED: {
    meaning:
      'the last secret cannot be deleted, credit without a bound cannot be added to, or there are too many',
    remedy: 'see the hint',
  },
  SERVICE_REFUSED: {
    exitCode: 4,
    meaning: '401 or 403: the key is wrong, or the account may not use v3',
    remedy: 'check the key; no row was marked failed',
  },
  SERVICE_UNREACHABLE: {
    exitCode: 5,
    meaning: 'no answer, again and again',
    remedy: 'check the network and the service; the same command resumes',
  },
  SERVICE_ANSWER_INVALID: {
    exitCode: 5,
    meaning: 'nothing at the base URL takes submissions (404, 405, 410 or a redirect)',
    remedy: 'check `--base-url`; nothing was billed by it',
  },
  CREDIT_EXHAUSTED: {
    exitCode: 8,
    meaning: "402: the account's credit is used up",
    remedy: 'top it up; the same command resumes',
  },
  PLAN_LIMIT_REACHED: {
    exitCode: 8,
    meaning: '429 of the plan, not of the minute',
    remedy: 'wait or raise the plan; the same command resumes',
  },
  LOOKUPS_MAX_REACHED: {
    exitCode: 8,
    meaning: '`--max-lookups` is reached',
    remedy: 'the same command resumes with a new budget',
  },
  COST_MAX_REACHED: {
    exitCode: 8,
    meaning: 'one lookup more could cost more than `--max-cost`',
    remedy: 'the same command resumes with a new budget',
  },
  DURATION_MAX_REACHED: {
    exitCode: 10,
    meaning: '`--max-duration` is over',
    remedy: 'the same command resumes',
  },
} as const
