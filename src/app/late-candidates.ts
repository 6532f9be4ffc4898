import type { CandidateSource } from '../pipeline/decisions/candidate.js'
import type { Connection } from '../pipeline/deps.js'

export interface LateCandidates extends CandidateSource {
  close(): Promise<void>
}

/**
 * Candidates of a service that is connected to when the first are asked for: what was kept is reviewed without it, and
 * without a key. A connection that fails is tried again; its error is thrown.
 */
export function lateCandidates(
  connect: () => Promise<Pick<Connection, 'candidates' | 'close'>>,
): LateCandidates {
  let connecting: ReturnType<typeof connect> | null = null
  const source = async (): Promise<CandidateSource> => {
    connecting ??= connect()
    try {
      return (await connecting).candidates
    } catch (error) {
      connecting = null
      throw error
    }
  }
  return {
    isEager: false,
    candidatesOf: async (asked, signal) => (await source()).candidatesOf(asked, signal),
    search: async (text, countryCode, signal) => (await source()).search(text, countryCode, signal),
    company: async (entityId, signal) => (await source()).company(entityId, signal),
    close: async () => {
      const connected = await connecting?.catch(() => null)
      await connected?.close()
    },
  }
}
