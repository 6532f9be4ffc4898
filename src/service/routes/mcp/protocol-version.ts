/** Revisions of the protocol whose messages this endpoint speaks, the newest first. */
export const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
export const latestVersion = protocolVersions[0]

/**
 * Whether a request may go by this `MCP-Protocol-Version` header. Without one it is of a revision that had
 * none. Who asks what is spoken here cannot know it yet.
 */
export function isSpoken(header: string | string[] | undefined, method: string): boolean {
  if (header === undefined || method === 'server/discover') return true
  return protocolVersions.some((version) => version === header)
}
