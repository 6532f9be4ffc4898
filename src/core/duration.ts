const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `90s`, `30m`, `6h`, `30d` in milliseconds, or null when the text is not a duration. */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text.trim())
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : null
}

/** `0.6s`, `42s`, `3m05s`, `1h04m`, `2d03h`: two units at most, for people. */
export function formatDuration(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100))
  if (tenths < 100) return tenths === 0 ? '0s' : `${(tenths / 10).toFixed(1)}s`
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const pad = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${pad(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h${pad(minutes % 60)}m`
  return `${Math.floor(hours / 24)}d${pad(hours % 24)}h`
}
