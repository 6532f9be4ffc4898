const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?$/

/**
 * Normalizes an ISO 8601 instant to `YYYY-MM-DDTHH:MM:SS[.ffffff]Z`, to the microsecond; null if the text is not an
 * instant. A text without an offset is in UTC. Years 0001 to 9999.
 */
export function normalizeInstant(text: string): string | null {
  const parts = pattern.exec(text.trim())
  if (parts === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = [1, 2, 3, 4, 5, 6].map((index) =>
    Number(parts[index] ?? 0),
  )
  const offset = parseOffsetMinutes(parts[8])
  if (offset === null || hour > 23 || minute > 59 || second > 59) return null
  const instant = new Date(0)
  instant.setUTCFullYear(year, month - 1, day)
  // An invalid month or day rolls over into another.
  if (instant.getUTCMonth() !== month - 1 || instant.getUTCDate() !== day) return null
  instant.setUTCHours(hour, minute - offset, second)
  if (instant.getUTCFullYear() < 1 || instant.getUTCFullYear() > 9999) return null
  const micros = (parts[7] ?? '').slice(0, 6).padEnd(6, '0')
  return `${instant.toISOString().slice(0, 19)}${micros === '000000' ? '' : `.${micros}`}Z`
}

/** Parses an instant to Unix time in milliseconds; null if the text is not an instant. */
export function parseInstantMs(text: string): number | null {
  const instant = normalizeInstant(text)
  return instant === null ? null : Date.parse(instant)
}

function parseOffsetMinutes(text: string | undefined): number | null {
  if (text === undefined || text.toUpperCase() === 'Z') return 0
  const digits = text.slice(1).replace(':', '')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2) || '0')
  if (hours > 15 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Parses `90s`, `30m`, `6h` or `30d` to milliseconds; null if the text is not a duration. */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text.trim())
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : null
}

/** Formats a duration with at most two units: `0.6s`, `42s`, `3m05s`, `1h04m`, `2d03h`. */
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
