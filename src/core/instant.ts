const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?$/

/**
 * An ISO 8601 instant as `YYYY-MM-DDTHH:MM:SS[.ffffff]Z`, to the microsecond, or null where the text is none.
 * A text without an offset is taken for UTC. Years 0001 to 9999.
 */
export function utcInstant(text: string): string | null {
  const parts = pattern.exec(text.trim())
  if (parts === null) return null
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((index) =>
    Number(parts[index] ?? 0),
  )
  if (year === undefined || month === undefined || day === undefined) return null
  if (hour === undefined || minute === undefined || second === undefined) return null
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null
  if (hour > 23 || minute > 59 || second > 59) return null
  const offset = offsetMinutes(parts[8])
  if (offset === null) return null
  const total = dayNumber(year, month, day) * 1440 + hour * 60 + minute - offset
  return render(Math.floor(total / 1440), ((total % 1440) + 1440) % 1440, second, parts[7] ?? '')
}

function offsetMinutes(text: string | undefined): number | null {
  if (text === undefined || text.toUpperCase() === 'Z') return 0
  const digits = text.slice(1).replace(':', '')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2) || '0')
  if (hours > 15 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function render(dayCount: number, minuteOfDay: number, second: number, fraction: string): string | null {
  const { year, month, day } = civil(dayCount)
  if (year < 1 || year > 9999) return null
  const two = (value: number) => String(value).padStart(2, '0')
  const micros = fraction.slice(0, 6).padEnd(6, '0')
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  const time = `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}:${two(second)}`
  return `${date}T${time}${micros === '000000' ? '' : `.${micros}`}Z`
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Days since 0000-03-01 of the proleptic Gregorian calendar: with the year begun in March, leap days come last. */
function dayNumber(year: number, month: number, day: number): number {
  const shifted = month < 3 ? year - 1 : year
  const days = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return (
    shifted * 365 + Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400) + days
  )
}

function civil(dayCount: number): { year: number; month: number; day: number } {
  const era = Math.floor(dayCount / 146_097)
  const ofEra = dayCount - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = yearOfEra + era * 400 + (month < 3 ? 1 : 0)
  return { year, month, day: ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1 }
}
