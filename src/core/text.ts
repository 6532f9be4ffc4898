/**
 * A number as people read it: 1,234,567; with so many decimals, where these are said. `toLocaleString` would load all of
 * ICU for the first.
 */
export const formatCount = (value: number, decimals?: number): string =>
  (decimals === undefined ? String(value) : value.toFixed(decimals)).replace(
    /\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g,
    ',',
  )

/** `1 row`, `1,234 rows`; `several`: the noun of any count but one. */
export const plural = (count: number, noun: string, several = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : several}`

/** `870 kB`, `1.5 MB` */
export const formatBytes = (bytes: number): string =>
  bytes < 1e6
    ? `${formatCount(Math.ceil(bytes / 1e3))} kB`
    : `${formatCount(Math.round(bytes / 1e5) / 10)} MB`

const unitBytes = { MB: 1e6, GB: 1e9, MIB: 2 ** 20, GIB: 2 ** 30 } as const

/** `512MB`, `1.5GB`, `2GiB` in bytes, or null when the text is no size. */
export function parseByteSize(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?) ?([MG]i?B)$/i.exec(text.trim())
  if (match === null) return null
  return Math.round(Number(match[1]) * unitBytes[match[2]?.toUpperCase() as keyof typeof unitBytes])
}
