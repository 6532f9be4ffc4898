/** `no_match` as people read it. */
export const statusWords = (status: string): string => status.replaceAll('_', ' ')

export type Tone = 'matched' | 'doubtful' | 'none'

/** The mark of a status; what is not known is doubtful. */
export function toneOf(status: string): Tone {
  if (status === 'matched' || status === 'merged') return 'matched'
  return status === 'no_match' || status === 'not_found' ? 'none' : 'doubtful'
}

const steps = [
  [60_000, 1_000, 's'],
  [3_600_000, 60_000, 'min'],
  [86_400_000, 3_600_000, 'h'],
  [Infinity, 86_400_000, 'd'],
] as const

/** `just now`, `12 min ago` */
export function agoWords(atMs: number, nowMs: number): string {
  const pastMs = Math.max(0, nowMs - atMs)
  if (pastMs < 10_000) return 'just now'
  const [, unitMs, unit] = steps.find(([belowMs]) => pastMs < belowMs) ?? steps[3]
  return `${Math.floor(pastMs / unitMs)} ${unit} ago`
}

/** `2026-01-31 04:05 UTC` */
export const momentWords = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** `+2.1`, `−0.4`: log-odds. */
export function weightWords(weight: number): string {
  const size = Math.abs(weight).toFixed(1)
  if (size === '0.0') return '0.0'
  return `${weight < 0 ? '−' : '+'}${size}`
}
