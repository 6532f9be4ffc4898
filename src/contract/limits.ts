/** Limits and constants of the interface (interface: "Limits"). The unit is the last word of the name. */

export const rateLimits = {
  submissionsPerMinute: 600,
  pollsPerMinute: 100,
  entityReadsPerMinute: 100,
  domainReadsPerMinute: 600,
  windowSeconds: 60,
} as const

export const fieldLimits = {
  nameCharsMin: 2,
  customIdCharsMax: 200,
  searchResultsMax: 10,
  webhookUrlCharsMax: 2_048,
} as const

export const deliveryLimits = {
  answerSecondsMax: 15,
  payloadBytesMax: 1_000_000,
  /** Before each attempt after the first. */
  retryDelaysSeconds: [10, 20, 40, 80, 160],
  /** How long a rotated secret still signs beside the new one. */
  rotatedSecretHours: 24,
  /** How far a delivery's timestamp may be from the receiver's clock. */
  toleranceSeconds: 300,
} as const

/** Rate-limit response headers, in lower case as HTTP clients give them. */
export const rateLimitHeaders = {
  limit: 'x-ratelimit-limit-minute',
  remaining: 'x-ratelimit-remaining-minute',
  resetSeconds: 'ratelimit-reset',
} as const

export const apiKeyHeader = 'apikey'
