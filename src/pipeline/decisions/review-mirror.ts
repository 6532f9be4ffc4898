import { openOwn } from '../../platform/own-sqlite.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { getReviewStorePath } from '../checkpoint/paths.js'
import { describeReviewStore, SqliteReviewReader, type KeptCandidates } from './review-store.js'

/** A decision on a server, as a row of `decisions`. */
export interface MirroredDecision {
  readonly sequence: number
  readonly lookup: Buffer
  readonly service: string | null
  readonly name: string
  readonly location: string | null
  readonly verdict: string
  readonly entity_id: string | null
  readonly entity_name: string | null
  readonly decided_by: string
  readonly decided_at_ms: number
  readonly note: string | null
  readonly is_in_file: number
  readonly is_withdrawn: number
  readonly replaced_by: number | null
}

/** A local mirror of a review store on a server, deleted with the local copy of the checkpoint. */
export class ReviewMirror extends SqliteReviewReader {
  readonly #writes: ReturnType<typeof prepareWrites>

  /** Creates the mirror next to the checkpoint. Throws REVIEW_STORE_UNWRITABLE and DISK_FULL. */
  constructor(checkpointPath: string) {
    const path = getReviewStorePath(checkpointPath)
    const database = openOwn(describeReviewStore(path), { synchronous: 'OFF', isPrivate: true })
    super(database, path)
    this.#writes = prepareWrites(database)
  }

  /** Inserts or replaces decisions, and sets the version. */
  put(decisions: readonly MirroredDecision[], version: number): void {
    this.readInTransaction(() => {
      for (const decision of decisions) this.#writes.decision.run(decision)
      this.#writes.version.run(version)
    })
  }

  /** Takes packed candidates by hexadecimal key. */
  putCandidates(scope: string, found: ReadonlyMap<string, Uint8Array>): void {
    this.readInTransaction(() => {
      for (const [lookup, packed] of found)
        this.#writes.candidates.run(scope, Buffer.from(lookup, 'hex'), packed)
    })
  }
}

const prepareWrites = (database: Sqlite) => ({
  decision: prepare<MirroredDecision>(
    database,
    `INSERT OR REPLACE INTO decisions (sequence, lookup, service, name, location, verdict, entity_id, entity_name,
       decided_by, decided_at_ms, note, is_in_file, is_withdrawn, replaced_by)
     VALUES (@sequence, @lookup, @service, @name, @location, @verdict, @entity_id, @entity_name, @decided_by,
       @decided_at_ms, @note, @is_in_file, @is_withdrawn, @replaced_by)`,
  ),
  version: prepare<[number]>(database, 'UPDATE changes SET count = count + 1, decision_count = ?'),
  candidates: prepare<[string, Uint8Array, Uint8Array]>(
    database,
    'INSERT OR REPLACE INTO candidates (scope, lookup, found, found_at_ms) VALUES (?, ?, ?, 0)',
  ),
})

/** Access of a run to the review data on a server, which it reads from the local mirror. */
export interface RunReview {
  readonly candidates: KeptCandidates
  /** Updates the decisions in the mirror. */
  loadDecisions(): Promise<void>
  /** Updates the candidates of lookups (hexadecimal keys) in the mirror. */
  loadCandidates(scope: string, lookups: readonly string[]): Promise<void>
}
