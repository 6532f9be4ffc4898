const unitBytes = { MB: 1e6, GB: 1e9, MIB: 2 ** 20, GIB: 2 ** 30 } as const

/** `512MB`, `1.5GB`, `2GiB` in bytes, or null when the text is no size. */
export function parseByteSize(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?) ?([MG]i?B)$/i.exec(text.trim())
  if (match === null) return null
  return Math.round(Number(match[1]) * unitBytes[match[2]?.toUpperCase() as keyof typeof unitBytes])
}
