const dayMs = 86_400_000
const dayMax1900 = 2_958_465
/** Day 0 of the count that begins in 1904, in days of the count that begins in 1900. */
const days1904 = 1462

/**
 * A date as Excel counts days, as text without a time zone: a day, a time, or both. Null for what is none: before
 * the first day, and day 60, which Excel takes for a 29 February 1900.
 */
export function dateText(serial: number, is1904: boolean): string | null {
  const ms = Math.round(serial * dayMs)
  if (!is1904 && ms < dayMs) return ms >= 0 && ms > 0 ? timeText(ms) : null
  if (is1904 && ms > 0 && ms < dayMs) return timeText(ms)
  const whole = ms + (is1904 ? days1904 * dayMs : 0)
  const day = Math.floor(whole / dayMs)
  if (day < 1 || day === 60 || day > dayMax1900) return null
  const date = new Date(Date.UTC(1899, 11, day < 60 ? 31 : 30) + whole)
  const text = date.toISOString()
  const time = timeText(whole - day * dayMs)
  return time === '00:00:00' ? text.slice(0, 10) : `${text.slice(0, 10)} ${time}`
}

/** Hours, which may be more than a day has, minutes and seconds. */
export function durationText(serial: number): string {
  const sign = serial < 0 ? '-' : ''
  return sign + timeText(Math.round(Math.abs(serial) * dayMs))
}

function timeText(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const rest = ms % 1000
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${fraction}`
}
