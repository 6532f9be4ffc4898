import { UserError } from '../../core/errors.js'
import type { Decision } from '../rules/decision.js'
import { readDecisionsFile } from './decisions-file.js'
import { openReviewStoreToRead } from './review-store.js'
import { exchangeOf } from './standing-decisions.js'

export interface DecisionsRequest {
  readonly path: string
  /** The user named the file, so it has to be there. */
  readonly isNamed: boolean
  readonly checkpointPath: string
  /** As `decisionService` names it. */
  readonly service: string
}

/** What stands at the moment, for those who honour it. */
export interface StandingDecisions {
  /** By their lookups (hexadecimal keys). */
  readonly byLookup: ReadonlyMap<string, Decision>
  /** What to tell the user of the file. */
  readonly notices: readonly string[]
}

/**
 * Reads which decisions stand for a service, and changes nothing. Throws DECISIONS_NOT_FOUND, DECISIONS_INVALID,
 * DECISIONS_CONFLICT, DECISIONS_CHANGED, REVIEW_STORE_INVALID, REVIEW_STORE_UNWRITABLE.
 */
export async function readStandingDecisions({
  path,
  isNamed,
  checkpointPath,
  service,
}: DecisionsRequest): Promise<StandingDecisions> {
  const store = openReviewStoreToRead(checkpointPath)
  try {
    // Before the file: what is decided in between is written to the file first, and then said to be in it.
    const kept = { standing: store?.standing(service) ?? [], leaving: store?.leaving(service) ?? [] }
    const unwritten = kept.standing.filter(({ isInFile }) => !isInFile)
    const file = await readDecisionsFile(path, unwritten)
    if (file === null && isNamed) {
      throw new UserError('DECISIONS_NOT_FOUND', `there are no decisions ${path}`, {
        hint: 'check --decisions; enrich review makes the file',
      })
    }
    const { standing: byLookup } = exchangeOf(service, file?.decisions ?? null, kept)
    return { byLookup, notices: file?.notices ?? [] }
  } finally {
    store?.close()
  }
}
