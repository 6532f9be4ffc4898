/**
 * Formats a number with thousands separators (1,234,567) and, optionally, fixed decimals. `toLocaleString` would load
 * ICU on its first call.
 */
export const formatCount = (value: number, decimals?: number): string =>
  (decimals === undefined ? String(value) : value.toFixed(decimals)).replace(
    /\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g,
    ',',
  )

/** Formats a count with its noun: `1 row`, `1,234 rows`. `several` is the plural of the noun. */
export const plural = (count: number, noun: string, several = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : several}`

/** Formats a size: `870 kB`, `1.5 MB`. */
export const formatBytes = (bytes: number): string =>
  bytes < 1e6
    ? `${formatCount(Math.ceil(bytes / 1e3))} kB`
    : `${formatCount(Math.round(bytes / 1e5) / 10)} MB`

const unitBytes = { MB: 1e6, GB: 1e9, MIB: 2 ** 20, GIB: 2 ** 30 } as const

/** Parses `512MB`, `1.5GB` or `2GiB` to bytes; null if the text is not a size. */
export function parseByteSize(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?) ?([MG]i?B)$/i.exec(text.trim())
  if (match === null) return null
  return Math.round(Number(match[1]) * unitBytes[match[2]?.toUpperCase() as keyof typeof unitBytes])
}
