/** What the service answers, before the network has its way with it. */
export interface Answered {
  status: number
  body: unknown
  headers?: Record<string, string>
}

export const error = (status: number, type: string): Answered => ({
  status,
  body: { error: { type, message: type } },
})

export function limited(waitSeconds: number): Answered {
  return {
    ...error(429, 'rate_limit_exceeded'),
    headers: { 'x-ratelimit-remaining-minute': '0', 'ratelimit-reset': String(waitSeconds) },
  }
}
