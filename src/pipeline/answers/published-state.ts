import { UserError } from '../../core/errors.js'
import { toInteger, toList, toObject, type JsonObject } from '../../core/json.js'
import { getFirstLine } from '../../core/text.js'
import { leftRegisterCode, listLeftRegisters } from '../../core/decisions.js'
import type { BasisRow } from './answer-line.js'
import type { AnswerColumnName } from './columns.js'
import { linePositions, sliceLine } from './joined-line.js'
import type { ReviewColumnName, StageColumnName } from './column-kinds.js'

/** Increase it when the meaning of a field changes: states of other versions are not compared. */
export const publishedStateVersion = 1

type ColumnName =
  | AnswerColumnName
  | StageColumnName<'entity'>
  | StageColumnName<'hierarchy'>
  | Extract<ReviewColumnName, 'answered_by'>

/** Identifiers used outside the service. */
export const publishedIdentifiers = [
  'registration_id',
  'lei',
  'cik',
  'ein',
  'duns',
  'bic',
  'ticker',
] as const satisfies readonly ColumnName[]

/** Remembered columns of a row's answer; fields without a value are omitted. */
export const publishedFields = [
  'status',
  'confidence',
  'entity_id',
  'display_name',
  'legal_name',
  'entity_status',
  'formatted_address',
  'country_code',
  'legal_entity_id',
  'jurisdiction',
  ...publishedIdentifiers,
  'parent_name',
  'merged_into',
  'entity_current_id',
  'hierarchy_status',
  'ultimate_parent_name',
  'ultimate_parent_id',
  'answered_by',
  // Only the registers that no longer list the company.
  'factors',
] as const satisfies readonly ColumnName[]
export type PublishedField = (typeof publishedFields)[number]

interface PublishedValue {
  readonly value: string
  /** Page, passage or reason that the service gave for it. */
  readonly source: string | null
}

/** A published row. */
export type PublishedState = ReadonlyMap<PublishedField, PublishedValue>

/** Whether the lookup of a row has no answer yet. */
export const isPendingStatus = (status: string): boolean => status === 'pending'

const sourceCharsMax = 300
const valueCharsMax = 1_000

/** Fields of a basis that are the source of a column: decisions first, then paths in the entity; `*` is any member. */
const basisFields: Readonly<Partial<Record<PublishedField, readonly string[]>>> = {
  status: ['decision', 'entity_id', 'legal_name', 'display_name'],
  entity_id: ['entity_id', 'id', 'legal_name', 'display_name'],
  display_name: ['display_name'],
  legal_name: ['legal_name'],
  entity_status: ['status'],
  formatted_address: [
    'headquarters.address.formatted_address',
    'headquarters.address',
    'headquarters',
    'headquarters.address.*',
  ],
  country_code: [
    'headquarters.address.country_code',
    'headquarters.address.country',
    'headquarters.address',
    'headquarters',
  ],
  factors: ['legal_name', 'display_name'],
  legal_entity_id: [
    'primary_legal_entity.id',
    'primary_legal_entity',
    'primary_legal_entity.jurisdiction',
    'legal_name',
  ],
  jurisdiction: ['primary_legal_entity.jurisdiction', 'primary_legal_entity'],
  parent_name: ['parent_entity.name', 'parent_entity'],
  merged_into: ['merged_into', 'id', 'legal_name'],
  ultimate_parent_name: ['ownership_chain'],
  ultimate_parent_id: ['ownership_chain'],
}
const identifierFields: ReadonlySet<PublishedField> = new Set(publishedIdentifiers)

/** Sources in a basis, by field, and for identifiers by value. */
interface Sources {
  readonly byField: ReadonlyMap<string, string>
  readonly byIdentifier: ReadonlyMap<string, string>
}

/**
 * Returns the state of a row for comparisons, as two lines of JSON: the values by field, and the fields by source:
 * `{"v":1,"status":"matched",…}`, `{"https://…":["legal_name",…]}`. Columns that vary between runs without a change are
 * omitted. `needsReview` is stored with the values, but is not compared.
 */
export function renderPublishedState(line: string, needsReview = false): string {
  const columns = sliceLine(line)
  const getJson = (name: ColumnName) => columns[linePositions.get(name) ?? -1] ?? 'null'
  const getText = (name: ColumnName) => parseValue(getJson(name))
  const sources = indexSources(getJson('basis'))
  const findReason = () => getText('error') ?? (needsReview ? getText('reason') : null)
  const values: Record<string, unknown> = {
    v: publishedStateVersion,
    ...(needsReview ? { review: true } : {}),
  }
  const fieldsBySource = new Map<string, PublishedField[]>()
  for (const field of publishedFields) {
    const value = readField(field, getText)
    // Only an id that differs is informative.
    if (value === null || (field === 'entity_current_id' && value === getText('entity_id'))) continue
    values[field] = cutShort(value, valueCharsMax)
    const source = (field === 'status' ? findReason() : null) ?? findSource(field, value, sources)
    if (source === null) continue
    const kept = cutShort(source, sourceCharsMax)
    fieldsBySource.set(kept, [...(fieldsBySource.get(kept) ?? []), field])
  }
  return `${JSON.stringify(values)}\n${JSON.stringify(Object.fromEntries(fieldsBySource))}`
}

/** Whether the row needed review when it was published. */
export const needsReview = (state: string): boolean => parseObject(getFirstLine(state))['review'] === true

/** Throws HISTORY_VERSION if the state has another version. */
export function parsePublishedState(state: string): PublishedState {
  const valuesText = getFirstLine(state)
  const values = parseObject(valuesText)
  if (toInteger(values['v']) !== publishedStateVersion) {
    throw new UserError(
      'HISTORY_VERSION',
      'the history of an output has a format that this version cannot read',
      {
        hint: 'use the version of enrich that wrote it, or compare later runs',
      },
    )
  }
  const sources = new Map(
    Object.entries(parseObject(state.slice(valuesText.length))).flatMap(([source, fields]) =>
      toList(fields).map((field) => [field, source] as const),
    ),
  )
  return new Map(
    publishedFields.flatMap((field) => {
      const value = values[field]
      return typeof value === 'string'
        ? [[field, { value, source: sources.get(field) ?? null }] as const]
        : []
    }),
  )
}

function parseObject(text: string): JsonObject {
  try {
    return toObject(JSON.parse(text)) ?? {}
  } catch {
    return {}
  }
}

/** Returns a column's JSON text as text; null if empty. */
function parseValue(json: string): string | null {
  if (json === 'null') return null
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : json
  return typeof value === 'string' && value !== '' ? value : null
}

/** The edition of an own registry is left out: rows that only a new edition answers again are stored once. */
function readField(field: PublishedField, textOf: (name: ColumnName) => string | null): string | null {
  if (field === 'formatted_address') return buildAddress(textOf)
  if (field === 'factors') return findLeftRegisters(textOf('factors'))
  const value = textOf(field)
  return field === 'answered_by' && value?.startsWith('registry:') === true ? 'registry' : value
}

/** Returns the sentences about registers that no longer list the company. */
function findLeftRegisters(factorsJson: string | null): string | null {
  if (factorsJson?.includes(leftRegisterCode) !== true) return null
  const left = listLeftRegisters(toList(JSON.parse(factorsJson)))
  return left.length === 0 ? null : left.join(' ')
}

/** Returns the address on one line, joined from its parts if necessary. */
function buildAddress(textOf: (name: ColumnName) => string | null): string | null {
  const parts = (['street_address', 'city', 'state', 'postal_code', 'country'] as const).flatMap(
    (name) => textOf(name) ?? [],
  )
  return textOf('formatted_address') ?? (parts.length === 0 ? null : parts.join(', '))
}

function indexSources(basisJson: string): Sources {
  const byField = new Map<string, string>()
  const byIdentifier = new Map<string, string>()
  const note = (map: Map<string, string>, key: string, source: string) => {
    if (!map.has(key)) map.set(key, source)
  }
  for (const row of (JSON.parse(basisJson) as readonly BasisRow[] | null) ?? []) {
    const source = findSourceText(row)
    const field = (row.field ?? '').replace(/^entity\./, '')
    if (source === null || field === '') continue
    note(byField, field, source)
    if (field.startsWith('headquarters.address.')) note(byField, 'headquarters.address.*', source)
    if (field.startsWith('identifiers') && row.value !== null) note(byIdentifier, row.value, source)
  }
  return { byField, byIdentifier }
}

/** Returns the page; else the passage, the reasoning, or the kind of source. */
function findSourceText({ citations, reasoning }: BasisRow): string | null {
  const first = (key: 'url' | 'excerpt' | 'source_type') =>
    citations.find((citation) => (citation[key] ?? '') !== '')?.[key] ?? null
  const reason = reasoning === '' ? null : reasoning
  return first('url') ?? first('excerpt') ?? reason ?? first('source_type')
}

function findSource(field: PublishedField, value: string, { byField, byIdentifier }: Sources): string | null {
  const ofIdentifier = identifierFields.has(field) ? [byIdentifier.get(value), byField.get(field)] : []
  const found = [...ofIdentifier, ...(basisFields[field] ?? []).map((path) => byField.get(path))]
  return found.find((source) => source !== undefined) ?? null
}

/** Never splits a surrogate pair. */
function cutShort(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  return `${text.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
