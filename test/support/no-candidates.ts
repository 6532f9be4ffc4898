import type { CandidateSource } from '../../src/pipeline/answers/decision.js'

/** Of a service that nobody asks for candidates. */
export const noCandidates: CandidateSource = {
  isEager: false,
  findCandidates: () => Promise.resolve([]),
  search: () => Promise.resolve([]),
  company: () => Promise.resolve(null),
}
