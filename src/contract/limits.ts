/** Limits and constants of the interface (interface: "Limits"). Each name ends with its unit. */

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
  /** Delay before each attempt after the first. */
  retryDelaysSeconds: [10, 20, 40, 80, 160],
  /** Time for which a rotated secret still signs, in addition to the new one. */
  rotatedSecretHours: 24,
  /** Largest accepted difference between a delivery's timestamp and the receiver's clock. */
  toleranceSeconds: 300,
} as const

/** Rate-limit response headers, in lower case as HTTP clients return them. */
export const rateLimitHeaders = {
  limit: 'x-ratelimit-limit-minute',
  remaining: 'x-ratelimit-remaining-minute',
  resetSeconds: 'ratelimit-reset',
} as const

export const apiKeyHeader = 'apikey'

/** The lowest confidence of a `matched` outcome (interface: "Resolution outcome meanings"). */
export const matchedConfidenceMin = 80
