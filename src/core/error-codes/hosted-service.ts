/** Errors of the service that answers, and of the limits of a run. */
export const hostedServiceErrors = {
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
