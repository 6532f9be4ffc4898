/**
 * Every code an error shown to a user can bear, and the exit code it ends the process with.
 * 2: nothing was submitted; found after submissions, such an error ends with 5 instead. 4: refused. 5, 8, 10: the
 * same command resumes. 11: the checkpoint is in use.
 */
export const errorCodes = {
  USAGE_INVALID: 2,
  CONFIG_NOT_FOUND: 2,
  CONFIG_NOT_JSON: 2,
  CONFIG_INVALID: 2,
  API_KEY_MISSING: 2,
  API_KEY_INVALID: 2,
  BASE_URL_INVALID: 2,
  WEBHOOK_URL_INVALID: 2,
  WEBHOOK_SECRET_MISSING: 2,
  WEBHOOK_SECRET_INVALID: 2,
  PATH_IS_ADDRESS: 2,
  INPUT_NOT_FOUND: 2,
  INPUT_IS_FOLDER: 2,
  INPUT_UNREADABLE: 2,
  INPUT_FORMAT_UNKNOWN: 2,
  INPUT_FORMATS_MIXED: 2,
  INPUT_EMPTY: 2,
  INPUT_NO_ROWS: 2,
  INPUT_COLUMN_MISSING: 2,
  INPUT_COLUMNS_DUPLICATE: 2,
  INPUT_COLUMNS_TOO_MANY: 2,
  INPUT_QUOTE_UNCLOSED: 2,
  INPUT_CSV_INVALID: 2,
  INPUT_NUL_BYTE: 2,
  INPUT_RECORD_TOO_LARGE: 2,
  INPUT_ENCODING_WRONG: 2,
  INPUT_ENCODING_MIXED: 2,
  INPUT_ENCODING_UNSURE: 2,
  INPUT_COMPRESSION_CORRUPT: 2,
  INPUT_EXCEL_INVALID: 2,
  INPUT_SHEET_MISSING: 2,
  INPUT_PARQUET_INVALID: 2,
  INPUT_JSON_INVALID: 2,
  INPUT_CHANGED: 5,
  OUTPUT_MISSING: 2,
  OUTPUT_FORMAT_UNKNOWN: 2,
  OUTPUT_IS_INPUT: 2,
  OUTPUT_UNWRITABLE: 2,
  OUTPUT_COLUMN_TAKEN: 2,
  OUTPUT_COLUMN_UNKNOWN: 2,
  OUTPUT_COLUMN_UNFIT: 2,
  OUTPUT_IS_OURS: 2,
  DISK_FULL: 2,
  FILE_TOO_LARGE: 2,
  FILES_TOO_MANY: 2,
  MEMORY_SHORT: 2,
  CHECKPOINT_NOT_FOUND: 2,
  CHECKPOINT_INVALID: 2,
  CHECKPOINT_TOO_NEW: 2,
  CHECKPOINT_UNWRITABLE: 2,
  CHECKPOINT_IN_USE: 11,
  CHECKPOINT_DAMAGED: 2,
  CHECKPOINT_BEHIND: 2,
  CHECKPOINT_DIVERGED: 2,
  CHECKPOINT_COPIED: 2,
  CHECKPOINT_HEAD_MISSING: 2,
  LEDGER_INVALID: 2,
  REGISTRY_NOT_FOUND: 2,
  REGISTRY_INVALID: 2,
  REGISTRY_UNWRITABLE: 2,
  REGISTRY_IMPORT_INVALID: 2,
  EVALUATION_INVALID: 2,
  DOMAIN_LIST_INVALID: 2,
  LISTEN_FAILED: 2,
  FAULTS_INVALID: 2,
  SERVICE_DATA_INVALID: 2,
  SERVICE_DATA_NOT_FOUND: 2,
  SERVICE_DATA_IN_USE: 11,
  ACCOUNT_NOT_FOUND: 2,
  ACCOUNT_EXISTS: 2,
  ACCOUNT_INVALID: 2,
  ACCOUNT_ITEM_NOT_FOUND: 2,
  ACCOUNT_CHANGE_REFUSED: 2,
  SERVICE_REFUSED: 4,
  SERVICE_UNREACHABLE: 5,
  SERVICE_ANSWER_INVALID: 5,
  CREDIT_EXHAUSTED: 8,
  PLAN_LIMIT_REACHED: 8,
  LOOKUPS_MAX_REACHED: 8,
  DURATION_MAX_REACHED: 10,
} as const satisfies Record<string, number>
export type ErrorCode = keyof typeof errorCodes

/** An error with a code, a sentence, a hint and a cause. Anything else that is thrown is a bug. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly hint: string | undefined
  #isAfterSubmissions = false

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.hint = options.hint
  }

  /** Lookups were submitted before it: what would end with 2 ends with 5, since 2 says that none was. */
  afterSubmissions(): this {
    this.#isAfterSubmissions = true
    return this
  }

  get exitCode(): number {
    const exitCode = errorCodes[this.code]
    return exitCode === 2 && this.#isAfterSubmissions ? 5 : exitCode
  }
}

/** The end of an exhaustive switch: a new member of a union does not compile until it is handled. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`)
}
