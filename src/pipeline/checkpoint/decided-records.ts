import { at } from '../../core/lenient.js'
import type { CheckpointReader, KnownAnswer } from './checkpoint.js'
import { idsOf, stageLookup } from './lookup-key.js'

/** What a checkpoint has of the record of a company. */
export interface KnownRecord {
  /** Null: it was never wanted. */
  readonly known: KnownAnswer | null
  /** As the service sent it (interface: "v3 entity record", its envelope); null where it never came. */
  readonly body: unknown
}

/** Records of companies, by their ids; one that is being read anew is the old one until then. */
export function recordsOf(
  reader: Pick<CheckpointReader, 'known' | 'find'>,
  entityIds: readonly string[],
): ReadonlyMap<string, KnownRecord> {
  const names = [...new Set(entityIds)]
  const known = reader.known(
    idsOf(
      reader,
      names.map((name) => stageLookup('entity', name)),
    ),
  )
  return new Map(
    names.map((name, index) => {
      const found = known[index] ?? null
      const isHere = found !== null && found.line !== null
      return [name, { known: found, body: isHere ? (at(JSON.parse(found.body()), 'data') ?? null) : null }]
    }),
  )
}
