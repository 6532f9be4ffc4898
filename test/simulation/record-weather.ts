import type { Chance } from './chance.js'

interface Span {
  min: number
  max: number
}

/** How a service of this seed fares with records, owners and domains; each a probability unless its unit says otherwise. */
export interface RecordWeather {
  serverError: number
  rateLimited: number
  refusal: number
  noCredit: number
  badRequest: number
  /** The caller gives up, and the request arrives after that. */
  lateRequest: number
  /** What is asked first is there at once. */
  held: number
  fails: number
  /** No company has the id. */
  missing: number
  /** The record comes without its `enrichment`. */
  stateUnknown: number
  /** A build of a record or of a domain, and research of owners. */
  buildMs: Span
  researchMs: Span
  /** Requests a minute; beyond it 429. */
  perMinute: Record<RecordLimit, number>
}

/** What the service counts apart: reads of entities; requests for research; reads of it; all about domains. */
export const recordLimits = ['entities', 'hierarchyPosts', 'hierarchyReads', 'domains'] as const
export type RecordLimit = (typeof recordLimits)[number]

export const fairRecords: RecordWeather = {
  serverError: 0,
  rateLimited: 0,
  refusal: 0,
  noCredit: 0,
  badRequest: 0,
  lateRequest: 0,
  held: 0.2,
  fails: 0.05,
  missing: 0.03,
  stateUnknown: 0.05,
  buildMs: { min: 120_000, max: 300_000 },
  researchMs: { min: 600_000, max: 1_200_000 },
  perMinute: { entities: 100, hierarchyPosts: 600, hierarchyReads: 100, domains: 600 },
}

/** `perMinute`: what the service allows at most; at times it allows less. */
export function stormyRecords(chance: Chance, perMinute: RecordWeather['perMinute']): RecordWeather {
  const some = (max: number) => (chance.happens(0.5) ? chance.fraction() * max : 0)
  const atMost = (limit: RecordLimit) => chance.pick([Math.min(6, perMinute[limit]), perMinute[limit]])
  return {
    ...fairRecords,
    serverError: some(0.2),
    rateLimited: some(0.4),
    refusal: some(0.05),
    noCredit: some(0.05),
    badRequest: some(0.05),
    lateRequest: some(0.2),
    held: some(0.5),
    fails: some(0.3),
    missing: some(0.2),
    stateUnknown: some(0.3),
    perMinute: {
      entities: atMost('entities'),
      hierarchyPosts: atMost('hierarchyPosts'),
      hierarchyReads: atMost('hierarchyReads'),
      domains: atMost('domains'),
    },
  }
}
