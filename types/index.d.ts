// Generated from the code by `npm run docs`.

/** Enriches a file of company names, like the command line. `config` has the keys of pipeline.config.json. Calling it again with the same config resumes. */
export declare function enrich(config: EnrichConfig, options?: EnrichOptions): EnrichRun

/** Exit code of each error if nothing was submitted before it. */
export declare const errorCodes: {
  ACCESS_DENIED: 4
  ACCOUNT_CHANGE_REFUSED: 2
  ACCOUNT_EXISTS: 2
  ACCOUNT_INVALID: 2
  ACCOUNT_ITEM_NOT_FOUND: 2
  ACCOUNT_NOT_FOUND: 2
  ADDRESS_HAS_SECRET: 2
  ADDRESS_INVALID: 2
  API_KEY_INVALID: 2
  API_KEY_MISSING: 2
  BASE_URL_INVALID: 2
  BILLING_PRICE_MISSING: 2
  CANDIDATES_UNAVAILABLE: 2
  CHECKPOINT_ARRIVING: 2
  CHECKPOINT_BEHIND: 2
  CHECKPOINT_CONNECTIONS_EXHAUSTED: 5
  CHECKPOINT_COPIED: 2
  CHECKPOINT_DAMAGED: 2
  CHECKPOINT_DATABASE_FOREIGN: 2
  CHECKPOINT_DATABASE_MISSING: 2
  CHECKPOINT_DIVERGED: 2
  CHECKPOINT_GRANTS_MISSING: 2
  CHECKPOINT_HEAD_MISSING: 2
  CHECKPOINT_INVALID: 2
  CHECKPOINT_IN_USE: 11
  CHECKPOINT_LEASE_LOST: 5
  CHECKPOINT_LOGIN_REFUSED: 2
  CHECKPOINT_MOVED: 2
  CHECKPOINT_MOVE_DIFFERS: 5
  CHECKPOINT_NOT_EMPTY: 2
  CHECKPOINT_NOT_FOUND: 2
  CHECKPOINT_NOT_UPDATED: 2
  CHECKPOINT_PASSWORD_MISSING: 2
  CHECKPOINT_REMOVED: 2
  CHECKPOINT_SERVER_BUSY: 5
  CHECKPOINT_SERVER_CHANGED: 2
  CHECKPOINT_SERVER_FAILED: 5
  CHECKPOINT_SERVER_FULL: 5
  CHECKPOINT_SERVER_NOT_DURABLE: 2
  CHECKPOINT_SERVER_READ_ONLY: 5
  CHECKPOINT_SERVER_STANDBY: 2
  CHECKPOINT_SERVER_TOO_OLD: 2
  CHECKPOINT_SHARED_UNSUPPORTED: 2
  CHECKPOINT_STATEMENT_REFUSED: 1
  CHECKPOINT_TLS_FAILED: 2
  CHECKPOINT_TLS_REQUIRED: 2
  CHECKPOINT_TOO_NEW: 2
  CHECKPOINT_UNREACHABLE: 5
  CHECKPOINT_UNWRITABLE: 2
  CHECKPOINT_URL_HAS_PASSWORD: 2
  CHECKPOINT_URL_INVALID: 2
  CLOCK_WRONG: 2
  CONFIG_CHANGED: 2
  CONFIG_EXISTS: 2
  CONFIG_INVALID: 2
  CONFIG_NOT_FOUND: 2
  CONFIG_NOT_JSON: 2
  CONFIG_NOT_WRITABLE: 2
  COST_MAX_REACHED: 8
  CREDENTIALS_MISSING: 2
  CREDIT_EXHAUSTED: 8
  DECISIONS_CHANGED: 2
  DECISIONS_CONFLICT: 2
  DECISIONS_INVALID: 2
  DECISIONS_NOT_FOUND: 2
  DECISIONS_UNWRITABLE: 2
  DISK_FULL: 2
  DOMAIN_LIST_INVALID: 2
  DURATION_MAX_REACHED: 10
  EVALUATION_INVALID: 2
  FAIL_ON_INVALID: 2
  FAULTS_INVALID: 2
  FILES_TOO_MANY: 2
  FILE_TOO_LARGE: 2
  HISTORY_VERSION: 2
  INPUT_CHANGED: 5
  INPUT_COLUMNS_DUPLICATE: 2
  INPUT_COLUMNS_TOO_MANY: 2
  INPUT_COLUMN_MISSING: 2
  INPUT_COLUMN_NESTED: 2
  INPUT_COMPRESSION_CORRUPT: 2
  INPUT_CSV_INVALID: 2
  INPUT_DOUBTFUL: 7
  INPUT_EMPTY: 2
  INPUT_ENCODING_MIXED: 2
  INPUT_ENCODING_UNSURE: 2
  INPUT_ENCODING_WRONG: 2
  INPUT_EXCEL_INVALID: 2
  INPUT_FORMATS_MIXED: 2
  INPUT_FORMAT_UNKNOWN: 2
  INPUT_FORMAT_WRONG: 2
  INPUT_HEADER_MISSING: 2
  INPUT_HEADER_UNCLEAR: 2
  INPUT_INCOMPLETE: 5
  INPUT_IS_FOLDER: 2
  INPUT_JSON_INVALID: 2
  INPUT_NOT_FOUND: 2
  INPUT_NO_ROWS: 2
  INPUT_NUL_BYTE: 2
  INPUT_PARQUET_INVALID: 2
  INPUT_QUOTE_UNCLOSED: 2
  INPUT_RECORD_TOO_LARGE: 2
  INPUT_ROW_MISSING: 2
  INPUT_SHEET_MISSING: 2
  INPUT_UNREADABLE: 2
  INPUT_WITHOUT_SHEETS: 2
  JOB_INPUT_DIFFERS: 2
  JOB_NAME_TAKEN: 2
  JOB_NOT_FOUND: 2
  JOB_PARTS_DIFFER: 2
  LEDGER_INVALID: 2
  LISTEN_FAILED: 2
  LOOKUPS_MAX_REACHED: 8
  MEMORY_SHORT: 2
  NATIVE_PACKAGE_MISSING: 2
  NOTIFY_URL_INVALID: 2
  OUTPUT_COLUMN_TAKEN: 2
  OUTPUT_COLUMN_UNFIT: 2
  OUTPUT_COLUMN_UNKNOWN: 2
  OUTPUT_FORMAT_UNKNOWN: 2
  OUTPUT_IS_INPUT: 2
  OUTPUT_IS_OURS: 2
  OUTPUT_MISSING: 2
  OUTPUT_TABLE_UNFIT: 2
  OUTPUT_UNWRITABLE: 2
  PARTITION_INVALID: 2
  PARTITION_UNCLEAR: 2
  PARTITION_UNSUPPORTED: 2
  PARTS_MISSING: 2
  PARTS_UNLIKE: 2
  PART_DAMAGED: 2
  PATH_IS_ADDRESS: 2
  PATH_OUTSIDE_ROOT: 2
  PLAN_LIMIT_REACHED: 8
  PROXY_INVALID: 2
  QUERY_REFUSED: 2
  REGISTERS_IN_USE: 11
  REGISTER_CHANGED: 2
  REGISTER_MOVED: 2
  REGISTER_SOURCE_INVALID: 2
  REGISTER_UNKNOWN: 2
  REGISTER_UNREACHABLE: 5
  REGISTRY_EMPTY: 2
  REGISTRY_IMPORT_INVALID: 2
  REGISTRY_INVALID: 2
  REGISTRY_NOT_FOUND: 2
  REGISTRY_UNWRITABLE: 2
  REVIEW_ACCESS_REFUSED: 2
  REVIEW_CHECKPOINT_CHANGED: 2
  REVIEW_CHOICE_INVALID: 2
  REVIEW_LOOKUP_UNKNOWN: 2
  REVIEW_NOTHING_ANSWERED: 2
  REVIEW_REQUEST_INVALID: 2
  REVIEW_STORE_INVALID: 2
  REVIEW_STORE_UNWRITABLE: 2
  ROW_KEY_DUPLICATE: 2
  ROW_KEY_MISSING: 2
  RUNS_NOT_COMPARABLE: 2
  RUN_BUDGET_EXCEEDED: 2
  RUN_NOT_CONFIRMED: 2
  RUN_NOT_FOUND: 2
  RUN_OUTPUT_UNKNOWN: 2
  SERVICE_ANSWER_INVALID: 5
  SERVICE_DATA_INVALID: 2
  SERVICE_DATA_IN_USE: 11
  SERVICE_DATA_NOT_FOUND: 2
  SERVICE_EDITION_DIFFERS: 2
  SERVICE_REFUSED: 4
  SERVICE_UNREACHABLE: 5
  STORE_REFUSED: 5
  STORE_UNREACHABLE: 5
  USAGE_INVALID: 2
  VERDICTS_INVALID: 2
  VERDICTS_NOT_IMPORTED: 2
  WEBHOOK_SECRET_INVALID: 2
  WEBHOOK_SECRET_MISSING: 2
  WEBHOOK_URL_INVALID: 2
}

/** Options of `enrich`. Members with `internal` are not in the declarations of the package. */
export interface EnrichOptions {
  /** After an abort nothing new is submitted, requests in flight are saved, and the summary has `interrupted`. */
  signal?: AbortSignal
  /** Source of ENRICH_API_KEY, ENRICH_API_KEY_FILE, ENRICH_BASE_URL and ENRICH_WEBHOOK_SECRET; defaults to `process.env`. */
  environment?: Environment
  /** Lookups with these outcomes are submitted again, like `enrich retry`. */
  askAgain?: readonly string[]
  /** Continues with an older or copied checkpoint; lost lookups may be billed again. */
  acceptRollback?: boolean
  /** Command recorded in the history, without secrets; defaults to `library`. */
  command?: string
}

/** An active run: an iterable of its events, with its summary at the end. */
export interface EnrichRun extends AsyncIterable<RunEvent> {
  /** Rejects with a `UserError` if the input, the output, the config or the checkpoint is invalid, and with the signal's reason if it aborts while the input is read. */
  readonly summary: Promise<RunSummary>
}

/** pipeline.config.json; every key is optional. */
export type EnrichConfig = {
  /** The path of the JSON Schema of this file, for editors. */
  $schema?: string | undefined
  input?:
    | {
        /** Files or globs to read. `-` is standard input. */
        paths?: string[] | undefined
        columns?:
          | {
              /** The column with company names. */
              name?: string | undefined
              /** Columns joined with ", " into the location. */
              location?: string[] | undefined
              /** Columns joined with ", " into the context. */
              context?: string[] | undefined
              /** The columns with identifiers. "none" uses no column. */
              identifiers?: IdentifierChoice | undefined
            }
          | undefined
        /** The format of the input. Required for standard input; defaults to the file extension. */
        format?: 'csv' | 'json' | 'ndjson' | 'parquet' | 'xlsx' | undefined
        /** The field delimiter of CSV input. Detected by default. */
        delimiter?: string | undefined
        /** Whether the first row of CSV and Excel input names the columns. */
        header?: boolean | undefined
        /** Run on a service that bills, even if the input may be read wrongly. */
        acceptDoubtful?: boolean | undefined
        /** A file with an SQL query that is read from a database instead of a table. Empty: the table of the address. */
        query?: string | undefined
        /** The encoding of CSV, NDJSON or JSON input. Detected by default. */
        encoding?:
          | 'big5'
          | 'cp850'
          | 'cp852'
          | 'euc-jp'
          | 'euc-kr'
          | 'gb18030'
          | 'gbk'
          | 'ibm866'
          | 'iso-2022-jp'
          | 'iso-8859-1'
          | 'iso-8859-15'
          | 'iso-8859-2'
          | 'iso-8859-5'
          | 'iso-8859-6'
          | 'iso-8859-7'
          | 'koi8-r'
          | 'koi8-u'
          | 'latin1'
          | 'macintosh'
          | 'shift_jis'
          | 'utf-16be'
          | 'utf-16le'
          | 'utf-8'
          | 'utf-8+windows-1250'
          | 'utf-8+windows-1251'
          | 'utf-8+windows-1252'
          | 'utf-8+windows-1253'
          | 'utf-8+windows-1254'
          | 'utf-8+windows-1255'
          | 'utf-8+windows-1256'
          | 'windows-1250'
          | 'windows-1251'
          | 'windows-1252'
          | 'windows-1253'
          | 'windows-1254'
          | 'windows-1255'
          | 'windows-1256'
          | 'windows-1257'
          | 'windows-1258'
          | 'windows-874'
          | undefined
        /** The sheet of an Excel file: a name, or a number from 1. Empty: the first visible sheet. */
        sheet?: string | undefined
        /** Read only the first N rows, for example for a pilot. */
        limit?: number | undefined
        /** The column with your unique key of each row, used to compare the outputs of several runs. */
        rowKey?: string | undefined
        /** Send one lookup for all rows with the same name, location and context. */
        dedupe?: boolean | undefined
      }
    | undefined
  output?:
    | {
        /** The file to write. `-` is standard output. */
        path?: string | undefined
        /** How rows are put into a table. */
        mode?: 'append' | 'replace' | 'upsert' | undefined
        /** Remove the columns of a replaced table that the output does not have. */
        dropColumns?: boolean | undefined
        /** The format of the output. Required for standard output; defaults to the file extension. */
        format?: 'csv' | 'csv.gz' | 'ndjson' | 'ndjson.gz' | 'parquet' | 'xlsx' | undefined
        /** Where to write the sources of each field. */
        basis?: 'auto' | 'file' | 'inline' | 'none' | undefined
        /** The columns to add. Defaults to all. */
        columns?: string[] | undefined
        /** Start CSV output with a byte order mark, which Excel needs for UTF-8. */
        bom?: boolean | undefined
        /** The prefix of the names of added columns. */
        prefix?: string | undefined
        /** The memory limit of the process while it writes Parquet output. */
        memory?: string | undefined
        /** A file for the changes since the previous output. */
        changes?: string | undefined
        /** Write the output even if the run stops early. */
        partial?: boolean | undefined
        /** A file for the report of the run, in HTML. */
        report?: string | undefined
      }
    | undefined
  stages?:
    | {
        /** Further data to request for each matched company. Defaults to the stages with a key here. */
        with?: ('domain' | 'entity' | 'hierarchy')[] | undefined
        entity?:
          | {
              /** Request a record again when it is older than this. */
              maxAge?: string | undefined
              /** Request at most this many records. */
              lookupsMax?: number | undefined
              /** Maximum number of entity reads in each window (`limits.windowSeconds`, default: 60). */
              perMinute?: number | undefined
            }
          | undefined
        hierarchy?:
          | {
              /** Request a hierarchy again when it is older than this. */
              maxAge?: string | undefined
              /** Request at most this many hierarchies. */
              lookupsMax?: number | undefined
              /** Maximum number of hierarchy submissions in each window (`limits.windowSeconds`, default: 60). */
              submitPerMinute?: number | undefined
              /** Maximum number of hierarchy polls in each window (`limits.windowSeconds`, default: 60). */
              pollPerMinute?: number | undefined
            }
          | undefined
        domain?:
          | {
              /** Request a domain again when it is older than this. */
              maxAge?: string | undefined
              /** Request at most this many domains, each of which is billed. */
              lookupsMax?: number | undefined
              /** Maximum number of domain requests of all kinds in each window (`limits.windowSeconds`, default: 60). */
              perMinute?: number | undefined
            }
          | undefined
      }
    | undefined
  checkpoint?:
    | {
        /** The checkpoint, which stores all lookups and answers: an SQLite file, or a PostgreSQL database. */
        path?: string | undefined
        /** Submit a lookup again when its answer is older than this. */
        maxAge?: string | undefined
      }
    | undefined
  decisions?:
    | {
        /** The decisions file of reviewers. Empty: the default file. */
        path?: string | undefined
      }
    | undefined
  review?:
    | {
        /** Answers that are `matched` or `partial_match` with a confidence below this are doubtful, and go to review. */
        threshold?: number | undefined
        /** The name recorded with your decisions. Empty: the system user. */
        reviewer?: string | undefined
        /** The address of the review page. Port 0 selects a free port. */
        listen?: string | undefined
      }
    | undefined
  lookup?:
    | {
        /** The country of rows without one, as an ISO 3166-1 code. */
        country?: string | undefined
        /** How to send identifiers: in the text of the name, or in the context. */
        identifiers?: 'context' | 'first' | undefined
      }
    | undefined
  service?:
    | {
        /** The URL of a hosted service. Defaults to the embedded service. */
        baseUrl?: string | undefined
        /** The registry of the embedded service. */
        registry?: string | undefined
        /** The number of threads in which the embedded service matches names. */
        matchers?: number | undefined
      }
    | undefined
  first?:
    | {
        /** The own registry that answers each lookup before it is submitted: a path, or `registry` for that of `service.registry`. Empty: none. */
        registry?: string | undefined
        /** Confidence from which a match of the own registry is the answer, in percent. */
        accept?: number | undefined
        /** The answer that a lookup keeps if both the own registry and the service have one. */
        prefer?: 'earlier' | 'registry' | 'service' | undefined
        /** Also submit this share of the lookups that the own registry answered, in percent. */
        checkSample?: number | undefined
        /** Seed of the sample; another seed selects other lookups. */
        sampleSeed?: number | undefined
        /** Whether the own registry also answers the stages of the rows that it answered. */
        stages?: boolean | undefined
      }
    | undefined
  budget?:
    | {
        /** Submit at most this many lookups. */
        lookupsMax?: number | undefined
        /** Stop before the total cost can exceed this amount. */
        costMax?: number | undefined
        /** Stop the run after this time. */
        durationMax?: string | undefined
      }
    | undefined
  billing?:
    | {
        /** The price of a lookup, which is a submission that the service accepts. */
        unitPrice?: number | undefined
        /** The ISO 4217 code of the currency of all prices. */
        currency?: string | undefined
        stagePrices?:
          | {
              /** The price of the first read of a record. */
              entity?: number | undefined
              /** The price of a request for the ownership of a company. */
              hierarchy?: number | undefined
              /** The price of a request about a domain. */
              domain?: number | undefined
            }
          | undefined
      }
    | undefined
  submission?:
    | {
        /** What to do with a submission whose response was lost and that may have been billed. */
        onLost?: 'hold' | 'resubmit' | undefined
        /** What to do after a submission got HTTP 500 and may have been billed. */
        onServerError?: 'hold' | 'resubmit' | undefined
      }
    | undefined
  limits?:
    | {
        /** Maximum number of submissions in each window (`limits.windowSeconds`, default: 60). */
        submitPerMinute?: number | undefined
        /** Maximum number of polls in each window (`limits.windowSeconds`, default: 60). */
        pollPerMinute?: number | undefined
        /** The length of the window of these limits and of those of stages, in seconds. */
        windowSeconds?: number | undefined
        /** Submitted lookups without an answer, at once. */
        inFlightRunsMax?: number | undefined
        /** Submission requests in flight at once. */
        submitConcurrency?: number | undefined
      }
    | undefined
  polling?:
    | {
        /** Time between a submission and its first poll: that of a short run. */
        firstAfterSeconds?: number | undefined
        /** Time between two polls of the same lookup. */
        intervalSeconds?: number | undefined
        /** Stop polling a lookup after this time; the next command continues. */
        deadlineMinutes?: number | undefined
      }
    | undefined
  webhook?:
    | {
        /** The URL to which the service sends answers. Empty: answers are polled. */
        url?: string | undefined
        /** The address on which the run receives webhooks. Empty: `enrich receive` receives them. */
        listen?: string | undefined
      }
    | undefined
  job?:
    | {
        /** The name of the job. Its runs are compared with each other and share one budget. */
        name?: string | undefined
        /** The partition of the job that this process runs: I/N, /N or auto. Empty: the job has no partitions. */
        partition?: string | undefined
      }
    | undefined
  history?:
    | {
        /** Keep the outputs of the last N runs of each job. */
        keep?: number | undefined
      }
    | undefined
  alarms?:
    | {
        /** Conditions on the result of the run, like `lost_match>5%, failed>0`. */
        failOn?: string | undefined
        /** A URL that receives a summary when the run ends. */
        notify?: string | undefined
        /** The format of that summary. */
        notifyFormat?: 'json' | 'slack' | 'teams' | undefined
        /** When to send it: after every run, or only after an exit code other than 0. */
        notifyWhen?: 'always' | 'failure' | undefined
        /** Whether it has the names of the first ten rows that changed, for each alarm. */
        notifyNames?: boolean | undefined
      }
    | undefined
  metrics?:
    | {
        /** A file for the metrics of the run, in the Prometheus text format. */
        file?: string | undefined
      }
    | undefined
  report?:
    | {
        /** An input column; the report counts matched rows for each of its values. */
        by?: string | undefined
      }
    | undefined
  watch?:
    | {
        /** The address of the live page of a run, like 127.0.0.1:8790. Port 0 selects a free port. */
        listen?: string | undefined
      }
    | undefined
}

/** Events of a run. */
export type RunEvent =
  | NoticeEvent
  | {
      type: 'columns'
      identifierUse: IdentifierUse
      /** Each `column` of a place or an identifier that is not used, its `kind`, and `why`: the reason against an identifier. */
      unused: readonly {
        column: string
        kind: string
        why?: string
      }[]
      /** All other columns that are not used: neither their headers nor their cells tell a use. */
      others: readonly string[]
      /** Null if rows have only identifiers. */
      name: string | null
      /** Columns of the place. */
      location: readonly string[]
      /** Columns that are submitted as context. */
      context: readonly string[]
      identifiers: IdentifierColumns
      /** Code of the country of rows without one. */
      country?: string | undefined
    }
  | PlannedEvent
  | {
      type: 'progress'
      progress: Progress
    }
  | PublishingEvent
  | {
      type: 'finished'
      summary: RunSummary
    }

/** Results of a run. Rows are rows of the input; all other counts are of distinct lookups. */
export interface RunSummary {
  /** Lookups of the embedded service are counted in the same way, and cost nothing. */
  service: 'embedded' | 'hosted'
  /** Whether the small registry in the package answered. Missing in records of earlier versions. */
  isDemo?: boolean
  /** Null: nothing is left to wait for. */
  stop: Stop | null
  /** `null` unless the user's budget ended the run; missing in records of earlier versions. */
  budgetEnd?: BudgetEnd | null
  /** Files written, in order; empty if the run stopped early without `partial`. */
  outputPaths: readonly string[]
  /** Rows of the input. */
  rowCount: number
  /** Rows without a usable name, number or domain; not looked up and not billed. */
  invalidRowCount: number
  /** Lookups by name and by domain; equal rows share one. */
  lookupCount: number
  /** Lookups by domain instead of a name: their results are in `stages`, not in the counts here. */
  domainCount: number
  /** Answered before this run started. */
  cachedCount: number
  /** Decided by reviewers, including lookups by domain: not submitted and not billed. */
  decidedCount: number
  /** Submissions of lookups by name that the service accepted in this run, each billed. The embedded service counts them too, and bills nothing. `submissions` has all kinds, and lost ones. */
  billedCount: number
  /** Submissions of this run by kind. Missing in records of earlier versions: see `listSubmissions` in money.ts. */
  submissions?: readonly KindSubmissions[]
  /** Lost submissions over all kinds, in records of earlier versions only. */
  lostCount?: number
  /** Uncertain lookups by name whose run a webhook named in this run: no longer uncertain. 0 without webhooks. */
  claimedCount: number
  /** May have been billed; submitted again only at the user's request. */
  uncertainCount: number
  /** Runs that ended without a result; they were billed. */
  failedCount: number
  /** Lookups that the service rejected as invalid; they cost nothing. */
  rejectedCount: number
  /** Without a final answer: not submitted, running, or left for the next run. */
  pendingCount: number
  /** Requests of this run for the state of a submitted lookup by name. */
  pollCount: number
  /** Lookups by name that were answered in this run. */
  answeredCount: number
  /** Polls for each answer, on average; `null` without an answer. */
  pollsPerResult: number | null
  /** Requests for lookups by name that the service answered with 429. */
  rateLimitedCount: number
  /** Responses for another lookup than the requested one; none was written. */
  misdirectedCount: number
  /** Lookups whose last response was for another lookup, and that have no answer yet. */
  heldCount: number
  /** Second answers of a service to one submission that differ from the first, which is kept. */
  contradictionCount: number
  /** Webhooks that this run handled: `taken` (for a lookup of this checkpoint), `unclaimed` (for no lookup of it), and `quarantined` (inconsistent, and not used). All are 0 without webhooks. */
  deliveries: {
    taken: number
    unclaimed: number
    quarantined: number
  }
  /** Rows by outcome; empty if no output was written. */
  rowsByStatus: { readonly [key: string]: number }
  /** Open reviews; null if answers were not read (no output and no report). Missing in records of earlier versions. */
  review?: ReviewCounts | null
  /** Rows without a company: `rowCount` by `country` (`null`: unknown). Missing without any, with a hosted service, and with the demo registry. */
  unmatchedByCountry?: readonly {
    readonly country: string | null
    readonly rowCount: number
  }[]
  /** Missing unless an own registry answered first. */
  first?: FirstFigures
  /** Lookups answered in this run, by outcome. */
  outcomes: { readonly [key: string]: number }
  /** Counts of the deviations of answers from the documented form, by deviation; empty without any, and never an error. */
  schemaDeviations: { readonly [key: string]: number }
  /** Lines written to the basis file, which has the evidence of each value; 0 without such a file. */
  basisLineCount: number
  /** Each kind looked up in addition to resolutions. */
  stages: readonly StageFacts[]
  /** Null if nothing is billed or no price is known. */
  money: Money | null
  /** Changes since the previous output, by kind; missing without one. */
  changes?: ChangeCounts
  /** Conditions of --fail-on that were met. */
  alarms: readonly Alarm[]
  /** Sentences for the user. */
  notes: readonly string[]
  /** Duration of the run in milliseconds. */
  elapsedMs: number
  /** Submissions by name a minute, while the run submitted and polled. */
  submissionsPerMinute: number
}

/** A snapshot of a run, for displays and programs. Counts are of distinct lookups. */
export interface Progress {
  /** Lookups of the input by name; lookups by domain and stages are in `stages`. */
  lookups: number
  /** Lookups with a final answer, including those from earlier runs. */
  done: number
  /** Submitted lookups that wait for their answer. */
  running: number
  /** Already answered when the run started. */
  cached: number
  /** Decided by reviewers. */
  decided: number
  /** Lookups that ended without a result, or that the service refused. */
  failed: number
  /** Lookups that may have been billed, and have no answer. */
  uncertain: number
  /** Still to be submitted by this run, within its budget. */
  toSubmit: number
  /** Lookups left for the next run: beyond the budget, or after a stop such as a 402. */
  heldBack: number
  /** Submissions in the last minute. */
  submissionsPerMinute: number
  /** Polls in the last minute. */
  pollsPerMinute: number
  /** Most submissions a minute; `null` if unlimited. */
  submitLimit: number | null
  /** Most polls a minute; `null` if unlimited. */
  pollLimit: number | null
  /** Milliseconds since the start of the run. */
  elapsedMs: number
  /** Estimate of the milliseconds left; `null` if unknown. */
  etaMs: number | null
  /** Answers of this run, by outcome. */
  outcomes: { readonly [key: string]: number }
  /** Counts of this run so far, over all kinds of lookups. */
  sofar: {
    /** Milliseconds since the start of the run. */
    readonly elapsedMs: number
    /** Requests that submit a lookup, accepted or not. */
    readonly submissions: number
    /** Requests for the state of a submitted lookup. */
    readonly polls: number
    /** Lookups that were answered. */
    readonly answered: number
    /** Requests answered with 429. */
    readonly rateLimited: number
  }
  /** Time until an answer is possible, by the delay of the first poll; 0 once it is due. Null if answers have arrived or may arrive at any time, or if none is expected. */
  firstAnswersInMs: number | null
  /** Each kind looked up in addition to resolutions. */
  stages: readonly StageFacts[]
  /** Cost so far; null if nothing is billed or no price is known. */
  money: Money | null
  /** Budget of --max-cost in units of the currency: `costMax`, and `spent` including earlier processes; `null` without one. */
  budget: {
    /** Stop before the total cost can exceed this amount. */
    readonly costMax: number
    readonly spent: number
  } | null
}

/** The reason why a run ends before every lookup has its answer. `reason`: the text of the service or of the connection; `lookupsMax` and `costMax` (in units of the `currency`, `null` without one): the used up budget. */
export type Stop =
  | {
      kind: 'interrupted'
    }
  | {
      kind: 'duration_max'
    }
  | {
      kind: 'refused'
      reason: string
    }
  | {
      kind: 'wrong_address'
      reason: string
    }
  | {
      kind: 'unreachable'
      reason: string
    }
  | {
      kind: 'out_of_credit'
      reason: string
    }
  | {
      kind: 'plan_limit'
      reason: string
    }
  | {
      kind: 'checkpoint_lost'
    }
  | {
      kind: 'lookups_max'
      lookupsMax: number
    }
  | {
      kind: 'cost_max'
      costMax: number
      currency: string | null
    }

/** An error to show to the user: code, message, hint and cause. Any other thrown error is a bug. */
export declare class UserError extends Error {
  constructor(
    code: ErrorCode,
    message: string,
    options?: {
      hint?: string | undefined
      cause?: unknown
    },
  )
  readonly name: 'UserError'
  readonly hint: string | undefined
  readonly code: ErrorCode
  readonly exitCode: ExitCode
}

/** Code of an error; the reference of errors has the meaning of each. */
export type ErrorCode =
  | 'ACCESS_DENIED'
  | 'ACCOUNT_CHANGE_REFUSED'
  | 'ACCOUNT_EXISTS'
  | 'ACCOUNT_INVALID'
  | 'ACCOUNT_ITEM_NOT_FOUND'
  | 'ACCOUNT_NOT_FOUND'
  | 'ADDRESS_HAS_SECRET'
  | 'ADDRESS_INVALID'
  | 'API_KEY_INVALID'
  | 'API_KEY_MISSING'
  | 'BASE_URL_INVALID'
  | 'BILLING_PRICE_MISSING'
  | 'CANDIDATES_UNAVAILABLE'
  | 'CHECKPOINT_ARRIVING'
  | 'CHECKPOINT_BEHIND'
  | 'CHECKPOINT_CONNECTIONS_EXHAUSTED'
  | 'CHECKPOINT_COPIED'
  | 'CHECKPOINT_DAMAGED'
  | 'CHECKPOINT_DATABASE_FOREIGN'
  | 'CHECKPOINT_DATABASE_MISSING'
  | 'CHECKPOINT_DIVERGED'
  | 'CHECKPOINT_GRANTS_MISSING'
  | 'CHECKPOINT_HEAD_MISSING'
  | 'CHECKPOINT_INVALID'
  | 'CHECKPOINT_IN_USE'
  | 'CHECKPOINT_LEASE_LOST'
  | 'CHECKPOINT_LOGIN_REFUSED'
  | 'CHECKPOINT_MOVED'
  | 'CHECKPOINT_MOVE_DIFFERS'
  | 'CHECKPOINT_NOT_EMPTY'
  | 'CHECKPOINT_NOT_FOUND'
  | 'CHECKPOINT_NOT_UPDATED'
  | 'CHECKPOINT_PASSWORD_MISSING'
  | 'CHECKPOINT_REMOVED'
  | 'CHECKPOINT_SERVER_BUSY'
  | 'CHECKPOINT_SERVER_CHANGED'
  | 'CHECKPOINT_SERVER_FAILED'
  | 'CHECKPOINT_SERVER_FULL'
  | 'CHECKPOINT_SERVER_NOT_DURABLE'
  | 'CHECKPOINT_SERVER_READ_ONLY'
  | 'CHECKPOINT_SERVER_STANDBY'
  | 'CHECKPOINT_SERVER_TOO_OLD'
  | 'CHECKPOINT_SHARED_UNSUPPORTED'
  | 'CHECKPOINT_STATEMENT_REFUSED'
  | 'CHECKPOINT_TLS_FAILED'
  | 'CHECKPOINT_TLS_REQUIRED'
  | 'CHECKPOINT_TOO_NEW'
  | 'CHECKPOINT_UNREACHABLE'
  | 'CHECKPOINT_UNWRITABLE'
  | 'CHECKPOINT_URL_HAS_PASSWORD'
  | 'CHECKPOINT_URL_INVALID'
  | 'CLOCK_WRONG'
  | 'CONFIG_CHANGED'
  | 'CONFIG_EXISTS'
  | 'CONFIG_INVALID'
  | 'CONFIG_NOT_FOUND'
  | 'CONFIG_NOT_JSON'
  | 'CONFIG_NOT_WRITABLE'
  | 'COST_MAX_REACHED'
  | 'CREDENTIALS_MISSING'
  | 'CREDIT_EXHAUSTED'
  | 'DECISIONS_CHANGED'
  | 'DECISIONS_CONFLICT'
  | 'DECISIONS_INVALID'
  | 'DECISIONS_NOT_FOUND'
  | 'DECISIONS_UNWRITABLE'
  | 'DISK_FULL'
  | 'DOMAIN_LIST_INVALID'
  | 'DURATION_MAX_REACHED'
  | 'EVALUATION_INVALID'
  | 'FAIL_ON_INVALID'
  | 'FAULTS_INVALID'
  | 'FILES_TOO_MANY'
  | 'FILE_TOO_LARGE'
  | 'HISTORY_VERSION'
  | 'INPUT_CHANGED'
  | 'INPUT_COLUMNS_DUPLICATE'
  | 'INPUT_COLUMNS_TOO_MANY'
  | 'INPUT_COLUMN_MISSING'
  | 'INPUT_COLUMN_NESTED'
  | 'INPUT_COMPRESSION_CORRUPT'
  | 'INPUT_CSV_INVALID'
  | 'INPUT_DOUBTFUL'
  | 'INPUT_EMPTY'
  | 'INPUT_ENCODING_MIXED'
  | 'INPUT_ENCODING_UNSURE'
  | 'INPUT_ENCODING_WRONG'
  | 'INPUT_EXCEL_INVALID'
  | 'INPUT_FORMATS_MIXED'
  | 'INPUT_FORMAT_UNKNOWN'
  | 'INPUT_FORMAT_WRONG'
  | 'INPUT_HEADER_MISSING'
  | 'INPUT_HEADER_UNCLEAR'
  | 'INPUT_INCOMPLETE'
  | 'INPUT_IS_FOLDER'
  | 'INPUT_JSON_INVALID'
  | 'INPUT_NOT_FOUND'
  | 'INPUT_NO_ROWS'
  | 'INPUT_NUL_BYTE'
  | 'INPUT_PARQUET_INVALID'
  | 'INPUT_QUOTE_UNCLOSED'
  | 'INPUT_RECORD_TOO_LARGE'
  | 'INPUT_ROW_MISSING'
  | 'INPUT_SHEET_MISSING'
  | 'INPUT_UNREADABLE'
  | 'INPUT_WITHOUT_SHEETS'
  | 'JOB_INPUT_DIFFERS'
  | 'JOB_NAME_TAKEN'
  | 'JOB_NOT_FOUND'
  | 'JOB_PARTS_DIFFER'
  | 'LEDGER_INVALID'
  | 'LISTEN_FAILED'
  | 'LOOKUPS_MAX_REACHED'
  | 'MEMORY_SHORT'
  | 'NATIVE_PACKAGE_MISSING'
  | 'NOTIFY_URL_INVALID'
  | 'OUTPUT_COLUMN_TAKEN'
  | 'OUTPUT_COLUMN_UNFIT'
  | 'OUTPUT_COLUMN_UNKNOWN'
  | 'OUTPUT_FORMAT_UNKNOWN'
  | 'OUTPUT_IS_INPUT'
  | 'OUTPUT_IS_OURS'
  | 'OUTPUT_MISSING'
  | 'OUTPUT_TABLE_UNFIT'
  | 'OUTPUT_UNWRITABLE'
  | 'PARTITION_INVALID'
  | 'PARTITION_UNCLEAR'
  | 'PARTITION_UNSUPPORTED'
  | 'PARTS_MISSING'
  | 'PARTS_UNLIKE'
  | 'PART_DAMAGED'
  | 'PATH_IS_ADDRESS'
  | 'PATH_OUTSIDE_ROOT'
  | 'PLAN_LIMIT_REACHED'
  | 'PROXY_INVALID'
  | 'QUERY_REFUSED'
  | 'REGISTERS_IN_USE'
  | 'REGISTER_CHANGED'
  | 'REGISTER_MOVED'
  | 'REGISTER_SOURCE_INVALID'
  | 'REGISTER_UNKNOWN'
  | 'REGISTER_UNREACHABLE'
  | 'REGISTRY_EMPTY'
  | 'REGISTRY_IMPORT_INVALID'
  | 'REGISTRY_INVALID'
  | 'REGISTRY_NOT_FOUND'
  | 'REGISTRY_UNWRITABLE'
  | 'REVIEW_ACCESS_REFUSED'
  | 'REVIEW_CHECKPOINT_CHANGED'
  | 'REVIEW_CHOICE_INVALID'
  | 'REVIEW_LOOKUP_UNKNOWN'
  | 'REVIEW_NOTHING_ANSWERED'
  | 'REVIEW_REQUEST_INVALID'
  | 'REVIEW_STORE_INVALID'
  | 'REVIEW_STORE_UNWRITABLE'
  | 'ROW_KEY_DUPLICATE'
  | 'ROW_KEY_MISSING'
  | 'RUNS_NOT_COMPARABLE'
  | 'RUN_BUDGET_EXCEEDED'
  | 'RUN_NOT_CONFIRMED'
  | 'RUN_NOT_FOUND'
  | 'RUN_OUTPUT_UNKNOWN'
  | 'SERVICE_ANSWER_INVALID'
  | 'SERVICE_DATA_INVALID'
  | 'SERVICE_DATA_IN_USE'
  | 'SERVICE_DATA_NOT_FOUND'
  | 'SERVICE_EDITION_DIFFERS'
  | 'SERVICE_REFUSED'
  | 'SERVICE_UNREACHABLE'
  | 'STORE_REFUSED'
  | 'STORE_UNREACHABLE'
  | 'USAGE_INVALID'
  | 'VERDICTS_INVALID'
  | 'VERDICTS_NOT_IMPORTED'
  | 'WEBHOOK_SECRET_INVALID'
  | 'WEBHOOK_SECRET_MISSING'
  | 'WEBHOOK_URL_INVALID'

type Environment = { readonly [key: string]: string | undefined }

/** The columns of identifiers, or `none`. */
type IdentifierChoice = 'none' | IdentifierColumns

interface NoticeEvent {
  type: 'notice'
  /** One sentence for the user. */
  text: string
  /** Also shown if only warnings are; otherwise absent. */
  isWarning?: true
  /** Also shown if only alarms are; otherwise absent. */
  isAlarm?: true
}

/** How identifiers are submitted. `first`: in the name, to a service that compares it with their holder. `context`: as context. */
type IdentifierUse = 'context' | 'first'

/** Input columns by kind of identifier. */
type IdentifierColumns = {
  bic?: string | undefined
  cik?: string | undefined
  ein?: string | undefined
  email?: string | undefined
  exchange?: string | undefined
  lei?: string | undefined
  registration_country?: string | undefined
  registration_court?: string | undefined
  registration_id?: string | undefined
  registration_id_2?: string | undefined
  registration_id_3?: string | undefined
  registration_id_4?: string | undefined
  ticker?: string | undefined
  website?: string | undefined
}

interface PlannedEvent {
  type: 'planned'
  /** Rows of the input. */
  rowCount: number
  /** Cost of the run; `null` if nothing is billed, as with the embedded service. */
  spending: PlannedSpending | null
  /** Lookups by name and by domain; equal rows share one. */
  readonly lookupCount: number
  /** Lookups by domain instead of a name. */
  readonly domainCount: number
  /** Lookups by name: to `submit`, running and to `poll`, `answered` before, `decided` by a reviewer, `invalid` (rejected by the service), `uncertain` (may have been billed), and `failed` (billed, without a result). */
  readonly plan: {
    answered: number
    decided: number
    failed: number
    invalid: number
    poll: number
    submit: number
    uncertain: number
  }
}

interface PublishingEvent {
  type: 'publishing'
  /** File or address that is written now; `-` for standard output. */
  path: string
}

/** A run that stopped since its budget was used up. Amounts are in units of the currency, `null` without a price. */
interface BudgetEnd {
  /** Lookups still to be submitted, of the kinds that the budget limits. */
  readonly leftCount: number
  /** Price of these lookups. */
  readonly leftCost: number | null
  /** Submitted with this budget, including earlier processes: billed, or possibly billed. */
  readonly spentCount: number
  /** Price of the submitted lookups. */
  readonly spentCost: number | null
  /** Lookups that this run submitted. */
  readonly ownCount: number
  /** Price of the lookups that this run submitted. */
  readonly ownCost: number | null
  /** Whether submissions cost something: false with the embedded service. */
  readonly isBilled: boolean
  /** Whether the same command begins a new budget; the parts of a partitioned job share one budget permanently. */
  readonly startsAnew: boolean
  /** ISO 4217; `null` without a currency. */
  readonly currency: string | null
}

/** Submissions of one kind: by a run, or in a checkpoint. */
interface KindSubmissions {
  readonly kind: LookupKind
  /** Submissions that the service accepted, or that were lost. */
  readonly submittedCount: number
  /** Accepted ones, and lost ones that proved to be accepted. The embedded service counts them, and bills nothing. */
  readonly billedCount: number
  /** Lost submissions, which may have been billed in addition. */
  readonly uncertainCount: number
}

/** Lookups in the review queue: doubtful answers without a decision, and decisions in doubt again. */
interface ReviewCounts {
  /** Lookups in the queue: a reviewer decides each once. */
  readonly lookupCount: number
  /** Rows of these lookups. */
  readonly rowCount: number
  /** The same rows by status. */
  readonly rowsByStatus: { readonly [key: string]: number }
  /** All rows with a decision, by status in the output. Missing in records of earlier versions. */
  readonly decidedRowsByStatus?: { readonly [key: string]: number }
  /** Rows among `rowCount` that have a decision and must be decided again. Missing in records of earlier versions. */
  readonly decidedAgainRowCount?: number
}

/** The lookups that an own registry answered instead of the service. */
interface FirstFigures {
  /** `registry:` with its edition. */
  readonly registry: string
  /** Confidence from which a match is the answer, 1 to 100. */
  readonly accept: number
  /** Distinct lookups. */
  readonly lookupCount: number
  /** Rows of these lookups. */
  readonly rowCount: number
  /** Price of submitting them, without those of the sample: `amount` in units of the `currency`, which is `null` if the prices have none; `null` without a price. */
  readonly saved: {
    readonly amount: number
    readonly currency: string | null
  } | null
  /** `null` without a sample. */
  readonly sample: SampleFigures | null
}

/** Results of one kind of lookups so far, in counts of lookups. The embedded service counts in the same way. */
interface StageFacts {
  readonly kind: LookupKind
  /** Lookups of this kind that are known so far; answers may add more. */
  readonly lookupCount: number
  /** Answered before this run. */
  readonly cachedCount: number
  /** Lookups of rows that reviewers decided. */
  readonly decidedCount: number
  /** Accepted requests of this run; for domains, each is billed, except by the embedded service. */
  readonly askedCount: number
  /** Answered in this run. */
  readonly answeredCount: number
  /** Ended without a result. */
  readonly failedCount: number
  /** Refused by the service; not billed. */
  readonly rejectedCount: number
  /** May have been billed, and have no answer. */
  readonly uncertainCount: number
  /** Without a final answer yet. */
  readonly pendingCount: number
  /** Lookups answered in this run, by outcome. */
  readonly outcomes: { readonly [key: string]: number }
  /** Why this kind stopped early; `null` if it did not. */
  readonly stop: Stop | null
}

/** Cost of a run, by known prices. Amounts are in units of the currency. */
interface Money {
  /** ISO 4217; null if prices have none. */
  readonly currency: string | null
  /** Billed in this run, for all kinds. A charge that a webhook reveals belongs to the run receiving it. */
  readonly cost: number
  /** Additional cost that may have been billed, for lost submissions. */
  readonly uncertainCost: number
  /** Whether `cost` is an upper bound: the service may bill some only once for all. Missing in earlier records. */
  readonly isBilledAtMost?: boolean
  /** Billed submissions (`count`) and the price of one (`unitPrice`) by kind of lookup, for kinds with a price. */
  readonly byKind: {
    readonly [key: string]: {
      readonly count: number
      readonly unitPrice: number
    }
  }
}

/** Rows by kind of change; a kind without rows is absent. */
type ChangeCounts = {
  address_changed?: number
  became_active?: number
  became_inactive?: number
  confidence_crossed?: number
  entity_changed?: number
  gained_match?: number
  identifier_changed?: number
  left_register?: number
  lost_match?: number
  merged?: number
  new_row?: number
  parent_changed?: number
  renamed?: number
  restructuring_began?: number
  row_gone?: number
}

/** A condition of `--fail-on` that was met. */
interface Alarm {
  /** As written: `lost_match>5%`. */
  readonly condition: string
  /** The measured value, in the unit of the condition. */
  readonly found: number
  /** One sentence with the condition and the measured value. */
  readonly message: string
  /** Names of the first ten rows that changed; absent if the condition is not about changes. Sent to `notify` only with `alarms.notifyNames`. */
  readonly names?: readonly string[]
  /** Rows that changed; absent if the condition is not about changes, and in records of earlier versions. */
  readonly changedRowCount?: number
}

/** Exit code of a command. */
type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 10 | 11 | 130 | 143

/** Cost of a whole input, and the point at which the budget stops a run. Amounts are in units of the currency. */
interface PlannedSpending {
  /** Lookups by name and by domain that this run would submit without a budget. */
  readonly lookupCount: number
  /** Whether fewer may be billed: the service bills a domain, or a record, only at its first request by anyone. */
  readonly isMost: boolean
  /** Lookups that follow from answers, by kind. */
  readonly stages: readonly StageDemand[]
  /** Stages that may send requests and have no price; the cost does not include them. */
  readonly unpriced: readonly ('domain' | 'entity' | 'hierarchy')[]
  /** `null` without a price. */
  readonly cost: {
    /** ISO 4217; `null` if the prices have none. */
    readonly currency: string | null
    /** Certain cost, without a budget. */
    readonly amount: number
    /** Maximum with lookups that may follow from future answers; `null` if unknown. */
    readonly amountMax: number | null
    /** Limit by --max-cost; `null` without it. */
    readonly costMax: number | null
  } | null
  /** The point at which the budget stops this run; `null` if it does not. */
  readonly stop: {
    /** Lookups of rows until the stop; `null` if only the cost, which stages share, stops the run. */
    readonly lookupCount: number | null
    /** Whether the cost of rows and stages together may stop the run first. */
    readonly isByCost: boolean
    /** Maximum cost of this run at its stop; `null` if unknown. */
    readonly amount: number | null
    /** Whether the cost at the stop may be less, since prices differ, or are billed at most once. */
    readonly isMost: boolean
    /** Lookups of rows that earlier processes of an interrupted run submitted with the same budget. */
    readonly spentCount: number
    /** Their cost, with that of the other kinds; `null` without a price. */
    readonly spentAmount: number | null
  } | null
}

/** `resolution`: by name; `domain`; `entity`: the record of a company; `hierarchy`: its owners. */
type LookupKind = 'domain' | 'entity' | 'hierarchy' | 'resolution'

/** The sample of these lookups that was submitted as well. */
interface SampleFigures {
  /** Lookups of the sample. */
  readonly lookupCount: number
  /** Answers of the service so far with the same company. */
  readonly sameCount: number
  /** Answers with another company. */
  readonly otherCount: number
  /** Answers without a match. */
  readonly noMatchCount: number
  /** 95 % interval of the share with the same company; `null` without an answer. */
  readonly interval: Interval | null
}

/** Planned submissions of one kind, after the answers of others. */
interface StageDemand {
  readonly kind: StageKind
  /** Submissions that follow from known answers. */
  readonly certain: number
  /** Maximum, with those that may follow from future answers; `null` if unknown. */
  readonly atMost: number | null
}

/** A 95 % confidence interval of a share. */
type Interval = readonly [number, number]

/** Kind of a lookup that follows from an answer. */
type StageKind = 'domain' | 'entity' | 'hierarchy'

export {}
