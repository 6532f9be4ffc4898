export interface ListenAddress {
  host: string
  port: number
}

/** `127.0.0.1:8787`, `[::1]:0`; null for anything else. A port alone listens on this machine alone. */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:\s[\]]+):)?(\d{1,5})$/.exec(text)
  if (match === null || Number(match[2]) > 65_535) return null
  return { host: (match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port: Number(match[2]) }
}
