/**
 * The day of a file: registers write it into the names that they publish under
 * (`20240505-0800-gleif-goldencopy…`, `BasicCompanyDataAsOneFile-2026-11-01.csv`), and a copy keeps it, which the
 * time of change does not. That time decides where the name has no day, or one that was still to come.
 */
export function fileDateMs(fileName: string, changedAtMs: number): number {
  const found = dayInName.exec(fileName)
  if (found === null) return changedAtMs
  const [, year = '', separator = '', month = '', day = '', hour = '00', minute = '00'] = found
  const namedMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`)
  const isSameDay = new Date(changedAtMs).toISOString().startsWith(`${year}-${month}-${day}`)
  const isSound = separator.length <= 1 && !Number.isNaN(namedMs) && namedMs <= changedAtMs + dayMs
  return isSound && !isSameDay ? namedMs : changedAtMs
}

const dayMs = 86_400_000

/** Eight digits that stand alone, or the parts with one separator; GLEIF writes the time of day behind. */
const dayInName =
  /(?<!\d)((?:19|20)\d{2})([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)(?:-([01]\d|2[0-3])([0-5]\d)(?=-))?/
