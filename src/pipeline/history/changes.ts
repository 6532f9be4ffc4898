import { hasSameLetters } from '../../core/numbers/registry-suffix.js'
import type { ChangeKind } from '../../core/alarms.js'
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
export function compareStates(older: PublishedState, newer: PublishedState): readonly StateChange[] {
  const pair: Pair = { older, newer }
  if ([older, newer].some((state) => isPendingStatus(getValue(state, 'status') ?? ''))) return []
  const moved = getMatchChange(pair)
  const facts = isSameRecord(pair) ? [...listRecordChanges(pair)] : []
  // Without a match now, the answer still states it of the candidate.
  const isLost = hasMatch(older) && getValue(newer, 'entity_id') === null
  const left = isLost && hasLeftRegister(pair) ? [createChange('left_register', 'factors', pair)] : []
  const crossed =
    moved.length === 0 && hasCrossed(pair) ? [createChange('confidence_crossed', 'confidence', pair)] : []
  return [...moved, ...left, ...facts, ...crossed]
}

/** Returns the id under which to store a row's company: the one it was merged into, else its own. */
export function getCurrentEntityId(state: PublishedState): string | null {
  const mergedInto = getValue(state, 'status') === 'merged' ? getValue(state, 'merged_into') : null
  return mergedInto ?? getValue(state, 'entity_id')
}

interface Pair {
  readonly older: PublishedState
  readonly newer: PublishedState
}

const getValue = (state: PublishedState, field: PublishedField): string | null =>
  state.get(field)?.value ?? null

/** Whether a row has a company. */
export const hasMatch = (state: PublishedState): boolean =>
  ['matched', 'merged'].includes(getValue(state, 'status') ?? '')

function createChange(kind: StateChange['kind'], field: PublishedField, { older, newer }: Pair): StateChange {
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

const isDifferent = ({ older, newer }: Pair, field: PublishedField): boolean =>
  getValue(older, field) !== getValue(newer, field)

/** Returns the change if a match was gained, lost or replaced by another company. */
function getMatchChange(pair: Pair): readonly StateChange[] {
  const { older, newer } = pair
  const [had, has] = [hasMatch(older), hasMatch(newer)]
  if (had !== has) return [createChange(has ? 'gained_match' : 'lost_match', 'status', pair)]
  if (!has || getCurrentEntityId(older) === getCurrentEntityId(newer)) return []
  return [isMerger(pair) ? createMerger(pair) : createChange('entity_changed', 'entity_id', pair)]
}

/** According to the newer answer, or to the record in the older one. */
function isMerger({ older, newer }: Pair): boolean {
  const before = getCurrentEntityId(older)
  if (getValue(older, 'entity_current_id') === getCurrentEntityId(newer)) return true
  if (getValue(newer, 'status') !== 'merged') return false
  // The record belongs to the merged company, or to the one it was merged into.
  const record = getValue(newer, 'entity_id')
  return [null, before, getValue(older, 'entity_id'), getValue(newer, 'merged_into')].includes(record)
}

function createMerger(pair: Pair): StateChange {
  const field = getValue(pair.newer, 'status') === 'merged' ? 'merged_into' : 'entity_id'
  return createChange('merged', field, pair)
}

function isSameRecord(pair: Pair): boolean {
  return getValue(pair.older, 'entity_id') !== null && !isDifferent(pair, 'entity_id') && !isNowMerged(pair)
}

/** The facts of a merged record are no longer maintained. */
const isNowMerged = ({ older, newer }: Pair): boolean =>
  [older, newer].some((state) => getValue(state, 'status') === 'merged')

function* listRecordChanges(pair: Pair): Generator<StateChange> {
  const findFirst = (fields: readonly PublishedField[]) => fields.find((field) => isDifferent(pair, field))
  const name = findNameField(pair)
  if (name !== null) yield createChange('renamed', name, pair)
  const standing = getStatusChange(pair)
  if (standing !== null) yield createChange(standing, 'entity_status', pair)
  if (hasLeftRegister(pair)) yield createChange('left_register', 'factors', pair)
  const address = findFirst(['formatted_address', 'country_code'])
  if (address !== undefined) yield createChange('address_changed', address, pair)
  const identifiers = identifierFields.filter((field) => isDifferent(pair, field))
  // Another registration has another number or jurisdiction, so a new id at the service adds nothing.
  const isOtherwiseSeen = identifiers.some((field) => field === 'jurisdiction' || field === 'registration_id')
  if (!isOtherwiseSeen && isDifferent(pair, 'legal_entity_id'))
    yield createChange('identifier_changed', 'legal_entity_id', pair)
  for (const field of identifiers) yield createChange('identifier_changed', field, pair)
  const parent = findParentField(pair)
  if (parent !== null) yield createChange('parent_changed', parent, pair)
}

function findNameField(pair: Pair): PublishedField | null {
  if (isDifferent(pair, 'legal_name')) return 'legal_name'
  return hasOtherName(pair, 'display_name') ? 'display_name' : null
}

/** Older outputs have names as registered: case, punctuation and suffixes of EDGAR do not count as a difference. */
function hasOtherName({ older, newer }: Pair, field: 'display_name' | 'parent_name'): boolean {
  return !hasSameLetters(getValue(older, field) ?? '', getValue(newer, field) ?? '')
}

/** A status that became unknown is not a change; one that became known and is not active is. Restructuring is no end, but creditors need to know. */
function getStatusChange({ older, newer }: Pair): StatusChange | null {
  if (isRestructured(newer)) return isRestructured(older) ? null : 'restructuring_began'
  const [before, after] = [isActive(readStanding(older)), isActive(readStanding(newer))]
  if (after === false && before !== false) return 'became_inactive'
  return after === true && before === false ? 'became_active' : null
}

/** The newest file of a register no longer names the company. A register that names it again is not a change. */
function hasLeftRegister({ older, newer }: Pair): boolean {
  const listSentences = (state: PublishedState) =>
    (getValue(state, 'factors') ?? '').split(/(?<=\.) /).filter((sentence) => sentence !== '')
  const known = new Set(listSentences(older))
  return listSentences(newer).some((sentence) => !known.has(sentence))
}

type StatusChange = 'became_inactive' | 'became_active' | 'restructuring_began'

/** States in which a company exists: neither their start nor their end is the end of the company. */
const rescues: ReadonlySet<string> = new Set(['restructuring', 'administration'])
const announcedEnd = 'strike-off in progress'

const readStanding = (state: PublishedState): string | null =>
  getValue(state, 'entity_status')?.trim().toLowerCase() ?? null

const isRestructured = (state: PublishedState): boolean => rescues.has(readStanding(state) ?? '')

function isActive(standing: string | null): boolean | null {
  return standing === null || rescues.has(standing) || standing === announcedEnd
    ? null
    : standing === 'active'
}

/** The ultimate parent is compared only if both runs have an answer about ownership. */
function findParentField(pair: Pair): PublishedField | null {
  if (hasOtherName(pair, 'parent_name')) return 'parent_name'
  const isKnown = (state: PublishedState) =>
    ['completed', 'complete'].includes(getValue(state, 'hierarchy_status') ?? '')
  if (!isKnown(pair.older) || !isKnown(pair.newer)) return null
  const fields = ['ultimate_parent_name', 'ultimate_parent_id'] as const
  return fields.find((field) => isDifferent(pair, field)) ?? null
}

/** Only for the same company, or if both have none. */
function hasCrossed({ older, newer }: Pair): boolean {
  if (getCurrentEntityId(older) !== getCurrentEntityId(newer)) return false
  const [before, after] = [getValue(older, 'confidence'), getValue(newer, 'confidence')]
  if (before === null || after === null) return false
  return Number(before) >= confidenceLine !== Number(after) >= confidenceLine
}
