/** Limits and constants (interface: "Limits"). The unit is the last word of the name. */
export const limits = {
  nameCharsMin: 2,
  customIdCharsMax: 200,
  submissionsPerMinute: 600,
  pollsPerMinute: 100,
  entityReadsPerMinute: 100,
  domainReadsPerMinute: 600,
  searchResultsMax: 10,
  windowSeconds: 60,
  webhookUrlCharsMax: 2_048,
  webhookAnswerSecondsMax: 15,
  webhookPayloadBytesMax: 1_000_000,
  /** Before each attempt after the first. */
  webhookRetryDelaysSeconds: [10, 20, 40, 80, 160],
  /** How long a rotated secret still signs beside the new one. */
  rotatedSecretHours: 24,
  webhookToleranceSeconds: 300,
} as const

/** Rate-limit response headers, in lower case as HTTP clients give them. */
export const rateLimitHeaders = {
  limit: 'x-ratelimit-limit-minute',
  remaining: 'x-ratelimit-remaining-minute',
  resetSeconds: 'ratelimit-reset',
} as const

export const apiKeyHeader = 'apikey'
