import type { CandidateSource } from '../../src/core/decisions.js'

/** Of a service that nobody asks for candidates. */
export const noCandidates: CandidateSource = {
  isEager: false,
  findCandidates: () => Promise.resolve([]),
  search: () => Promise.resolve([]),
  company: () => Promise.resolve(null),
}
