import type { EntityRecord } from '../contract/entity.js'
import type { EntityId } from '../contract/ids.js'
import type { Resolution } from '../contract/result.js'

export interface Query {
  readonly name: string
  readonly location: string | null
  readonly context: string | null
}

/** Where answers come from. The composition root hands it in: the service knows no registry. */
export interface Knowledge {
  /** Synchronous, about a millisecond. What it throws ends the run as failed. */
  resolve(query: Query): Resolution
  /**
   * The record under an id, or null if there is none. Under a merged id: the canonical record, however many
   * merges lie between, with its id as `mergedInto`.
   */
  entity(id: EntityId): { record: EntityRecord; mergedInto: EntityId | null } | null
}
