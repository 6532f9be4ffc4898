import { openOwn } from '../../platform/own-sqlite.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { reviewStorePath } from '../checkpoint/paths.js'
import { reviewStoreAt, SqliteReviewReader, type KeptCandidates } from './review-store.js'

/** A decision as it is on a server: a row of `decisions`. */
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

/** What readers of this machine read of a review store on a server: a store beside a local copy, gone with it. */
export class ReviewMirror extends SqliteReviewReader {
  readonly #writes: ReturnType<typeof prepareWrites>

  /** Beside the checkpoint of that path. Throws REVIEW_STORE_UNWRITABLE, DISK_FULL. */
  constructor(checkpointPath: string) {
    const path = reviewStorePath(checkpointPath)
    const database = openOwn(reviewStoreAt(path), { synchronous: 'OFF', isPrivate: true })
    super(database, path)
    this.#writes = prepareWrites(database)
  }

  /** In place of what was known of them; `version` is that of the decisions from then on. */
  put(decisions: readonly MirroredDecision[], version: number): void {
    this.atOnce(() => {
      for (const decision of decisions) this.#writes.decision.run(decision)
      this.#writes.version.run(version)
    })
  }

  /** By hexadecimal keys, packed. */
  putCandidates(scope: string, found: ReadonlyMap<string, Uint8Array>): void {
    this.atOnce(() => {
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

/** What people decided, and candidates, on a server: readers read the review store beside the local checkpoint. */
export interface RunReview {
  readonly candidates: KeptCandidates
  /** What stands is there to be read once it resolves; again, what was decided since. */
  bringDecisions(): Promise<void>
  /** The candidates of lookups (hexadecimal keys) are there to be read. */
  bringCandidates(scope: string, lookups: readonly string[]): Promise<void>
}
