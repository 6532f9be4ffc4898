import { naicsTitles } from './naics-titles.js'

/** Read when first asked for: most commands never ask. */
let labels: ReadonlyMap<string, string> | null = null

/** The title of a NAICS 2022 code of two to six digits, or null where the scheme has none. */
export function naicsLabel(code: string): string | null {
  labels ??= read(naicsTitles)
  return labels.get(code) ?? null
}

function read(table: string): Map<string, string> {
  const titles = new Map<string, string>()
  for (const entry of table.trim().split(/\n| \| /)) {
    const [codes = ''] = entry.split(' ', 1)
    const title = entry.slice(codes.length + 1)
    for (const code of codesOf(codes)) titles.set(code, title)
  }
  return titles
}

/** "1133/1/0" is 1133, 11331 and 113310; "31-33" is 31, 32 and 33. */
function codesOf(text: string): string[] {
  const [first, last] = text.split('-').map(Number)
  if (first !== undefined && last !== undefined) {
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
  }
  const parts = text.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join(''))
}
