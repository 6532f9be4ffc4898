import type { LookupKind } from './lookup-kind.js'
import type { Stop } from './stop.js'

/** What one kind of lookups came to so far, in counts. */
export interface StageFacts {
  readonly kind: LookupKind
  readonly lookupCount: number
  readonly cachedCount: number
  /** Asked by rows, and decided by people. */
  readonly decidedCount: number
  /** Requests that began something and were accepted; of domains, each is billed. */
  readonly askedCount: number
  readonly answeredCount: number
  readonly failedCount: number
  readonly rejectedCount: number
  readonly uncertainCount: number
  readonly pendingCount: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly stop: Stop | null
}
