import { withoutRegistrySuffix } from '../../core/registry-suffix.js'
import type { ChangeKind } from '../figures/change-kinds.js'
import {
  isPendingStatus,
  publishedIdentifiers,
  type PublishedField,
  type PublishedState,
} from '../answers/published-state.js'

/** A change of a row that is in both outputs. */
export interface StateChange {
  readonly kind: Exclude<ChangeKind, 'new_row' | 'row_gone'>
  readonly field: PublishedField
  readonly old: string | null
  readonly new: string | null
  readonly oldSource: string | null
  readonly newSource: string | null
}

/** Lowest confidence of a match (interface: "Resolution outcome meanings"). */
const confidenceLine = 80

/** Each is reported separately. */
const identifierFields = ['jurisdiction', ...publishedIdentifiers] as const

/**
 * Returns a row's changes between two outputs, in the order of `changeKinds`. If a match was gained, lost or replaced,
 * only that is reported: facts are compared only for the same record. Rows without an answer have not changed.
 */
export function changesOf(older: PublishedState, newer: PublishedState): readonly StateChange[] {
  const pair: Pair = { older, newer }
  if ([older, newer].some((state) => isPendingStatus(valueIn(state, 'status') ?? ''))) return []
  const moved = movedKind(pair)
  const facts = isSameRecord(pair) ? [...recordChanges(pair)] : []
  const crossed =
    moved.length === 0 && hasCrossed(pair) ? [changed('confidence_crossed', 'confidence', pair)] : []
  return [...moved, ...facts, ...crossed]
}

/** Returns the id under which to store a row's company: the one it was merged into, else its own. */
export function currentEntityId(state: PublishedState): string | null {
  const mergedInto = valueIn(state, 'status') === 'merged' ? valueIn(state, 'merged_into') : null
  return mergedInto ?? valueIn(state, 'entity_id')
}

interface Pair {
  readonly older: PublishedState
  readonly newer: PublishedState
}

const valueIn = (state: PublishedState, field: PublishedField): string | null =>
  state.get(field)?.value ?? null

const hasMatch = (state: PublishedState): boolean =>
  ['matched', 'merged'].includes(valueIn(state, 'status') ?? '')

function changed(kind: StateChange['kind'], field: PublishedField, { older, newer }: Pair): StateChange {
  const [before, after] = [older.get(field), newer.get(field)]
  return {
    kind,
    field,
    old: before?.value ?? null,
    new: after?.value ?? null,
    oldSource: before?.source ?? null,
    newSource: after?.source ?? null,
  }
}

const differs = ({ older, newer }: Pair, field: PublishedField): boolean =>
  valueIn(older, field) !== valueIn(newer, field)

/** Returns the change if a match was gained, lost or replaced by another company. */
function movedKind(pair: Pair): readonly StateChange[] {
  const { older, newer } = pair
  const [had, has] = [hasMatch(older), hasMatch(newer)]
  if (had !== has) return [changed(has ? 'gained_match' : 'lost_match', 'status', pair)]
  if (!has || currentEntityId(older) === currentEntityId(newer)) return []
  return [isMerger(pair) ? mergerOf(pair) : changed('entity_changed', 'entity_id', pair)]
}

/** According to the newer answer, or to the record in the older one. */
function isMerger({ older, newer }: Pair): boolean {
  const before = currentEntityId(older)
  if (valueIn(older, 'entity_current_id') === currentEntityId(newer)) return true
  if (valueIn(newer, 'status') !== 'merged') return false
  // The record belongs to the merged company, or to the one it was merged into.
  const record = valueIn(newer, 'entity_id')
  return [null, before, valueIn(older, 'entity_id'), valueIn(newer, 'merged_into')].includes(record)
}

function mergerOf(pair: Pair): StateChange {
  const field = valueIn(pair.newer, 'status') === 'merged' ? 'merged_into' : 'entity_id'
  return changed('merged', field, pair)
}

function isSameRecord(pair: Pair): boolean {
  return valueIn(pair.older, 'entity_id') !== null && !differs(pair, 'entity_id') && !isNowMerged(pair)
}

/** The facts of a merged record are no longer maintained. */
const isNowMerged = ({ older, newer }: Pair): boolean =>
  [older, newer].some((state) => valueIn(state, 'status') === 'merged')

function* recordChanges(pair: Pair): Generator<StateChange> {
  const first = (fields: readonly PublishedField[]) => fields.find((field) => differs(pair, field))
  const name = nameField(pair)
  if (name !== null) yield changed('renamed', name, pair)
  const standing = standingKind(pair)
  if (standing !== null) yield changed(standing, 'entity_status', pair)
  const address = first(['formatted_address', 'country_code'])
  if (address !== undefined) yield changed('address_changed', address, pair)
  const identifiers = identifierFields.filter((field) => differs(pair, field))
  // Another registration has another number or jurisdiction, so a new id at the service adds nothing.
  const isOtherwiseSeen = identifiers.some((field) => field === 'jurisdiction' || field === 'registration_id')
  if (!isOtherwiseSeen && differs(pair, 'legal_entity_id'))
    yield changed('identifier_changed', 'legal_entity_id', pair)
  for (const field of identifiers) yield changed('identifier_changed', field, pair)
  const parent = parentField(pair)
  if (parent !== null) yield changed('parent_changed', parent, pair)
}

/** Older outputs have display names with suffixes of EDGAR, which do not count as a difference. */
function nameField(pair: Pair): PublishedField | null {
  if (differs(pair, 'legal_name')) return 'legal_name'
  const shown = (state: PublishedState) => withoutRegistrySuffix(valueIn(state, 'display_name') ?? '')
  return differs(pair, 'display_name') && shown(pair.older) !== shown(pair.newer) ? 'display_name' : null
}

/** A status that became unknown is not a change; one that became known and is not active is. */
function standingKind({ older, newer }: Pair): 'became_inactive' | 'became_active' | null {
  const [before, after] = [
    isActive(valueIn(older, 'entity_status')),
    isActive(valueIn(newer, 'entity_status')),
  ]
  if (after === false && before !== false) return 'became_inactive'
  return after === true && before === false ? 'became_active' : null
}

const isActive = (standing: string | null): boolean | null =>
  standing === null ? null : standing.trim().toLowerCase() === 'active'

/** The ultimate parent is compared only if both runs have an answer about ownership. */
function parentField(pair: Pair): PublishedField | null {
  if (differs(pair, 'parent_name')) return 'parent_name'
  const isKnown = (state: PublishedState) =>
    ['completed', 'complete'].includes(valueIn(state, 'hierarchy_status') ?? '')
  if (!isKnown(pair.older) || !isKnown(pair.newer)) return null
  const fields = ['ultimate_parent_name', 'ultimate_parent_id'] as const
  return fields.find((field) => differs(pair, field)) ?? null
}

/** Only for the same company, or if both have none. */
function hasCrossed({ older, newer }: Pair): boolean {
  if (currentEntityId(older) !== currentEntityId(newer)) return false
  const [before, after] = [valueIn(older, 'confidence'), valueIn(newer, 'confidence')]
  if (before === null || after === null) return false
  return Number(before) >= confidenceLine !== Number(after) >= confidenceLine
}
