import { moveLookup, type LookupEvent } from '../rules/lookup-life.js'
import type { LookupState } from '../rules/lookup-state.js'
import type { LookupId } from './checkpoint.js'
import type { LookupRow, prepareStatements } from './statements.js'

/** The state an event leads to. Throws where the life of a lookup knows no such step: that is a bug. */
export function moveOf(
  statements: Pick<ReturnType<typeof prepareStatements>, 'lookup'>,
  lookupId: LookupId,
  event: LookupEvent,
): { state: LookupState; row: LookupRow } {
  const row = statements.lookup.get(lookupId)
  const state = row === undefined ? null : moveLookup(row.state, event)
  if (row === undefined || state === null) {
    throw new Error(`lookup ${lookupId} is ${row?.state ?? 'unknown'}: "${event}" cannot happen to it`)
  }
  return { state, row }
}
