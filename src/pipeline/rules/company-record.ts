import type { Exchange } from '../../core/exchange.js'
import type { Candidate } from '../decisions/candidate.js'
import { recordCandidate } from './answer-candidate.js'
import { judgeSearch, type SearchVerdict } from './search-candidates.js'

/** What reading the record of a company came to; `company` is null where the service has none of that id. */
export type CompanyVerdict =
  { readonly kind: 'found'; readonly company: Candidate | null } | Extract<SearchVerdict, { kind: 'refused' }>

/** Statuses for an id that is nobody's, or no id at all. */
const nobodysStatuses: ReadonlySet<number> = new Set([400, 404, 410, 422])

/** `GET /v3/entities/{id}` (interface: "v3 entity record"); the record of a merged id is that of the one it was merged into. */
export function judgeCompany(exchange: Exchange, nowMs: number): CompanyVerdict {
  if (exchange.kind === 'reply') {
    if (nobodysStatuses.has(exchange.status)) return { kind: 'found', company: null }
    const company = exchange.status >= 200 && exchange.status < 300 ? recordCandidate(exchange.body) : null
    if (company !== null) return { kind: 'found', company }
  }
  const verdict = judgeSearch(exchange, nowMs)
  if (verdict.kind === 'refused') return verdict
  const hint = 'check that the base URL is that of the service'
  return { kind: 'refused', reason: 'the answer holds no company', hint, retryMs: null }
}
