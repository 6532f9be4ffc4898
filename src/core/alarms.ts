import { cutToWidth, formatCount, measureWidth, plural } from './text.js'
import { formatAmount } from './money.js'
import type { ReviewCounts } from './decisions.js'

/** Changes of a row between two outputs of one input, in the order of lists. */
export const changeKinds = [
  'new_row',
  'row_gone',
  'gained_match',
  'lost_match',
  'entity_changed',
  'merged',
  'renamed',
  'became_inactive',
  'became_active',
  'restructuring_began',
  'left_register',
  'address_changed',
  'identifier_changed',
  'parent_changed',
  'confidence_crossed',
] as const
export type ChangeKind = (typeof changeKinds)[number]

/** Rows by kind of change; a kind without rows is absent. */
export type ChangeCounts = Readonly<Partial<Record<ChangeKind, number>>>

/** A change of one row, as written by `enrich diff` and `--changes`; values are null if not applicable. */
export interface Change {
  readonly kind: ChangeKind
  /** The user's key of the row, if there is a key column. */
  readonly rowKey: string | null
  /** From 1, in the newer output; in the older one if the row is gone. */
  readonly rowNumber: number
  readonly name: string | null
  /** Answer column without its prefix; null if the row was added or removed. */
  readonly field: string | null
  readonly old: string | null
  readonly new: string | null
  readonly oldSource: string | null
  readonly newSource: string | null
  readonly oldEntityId: string | null
  readonly newEntityId: string | null
  /** With an own registry that answers first: `registry`, or the URL of the service. */
  readonly oldAnsweredBy?: string | null
  readonly newAnsweredBy?: string | null
  /** Number of the run that published the newer output. */
  readonly run: number
}

/** A condition of `--fail-on` that was met. */
export interface Alarm {
  /** As written: `lost_match>5%`. */
  readonly condition: string
  /** The measured value, in the unit of the condition. */
  readonly found: number
  /** One sentence with the condition and the measured value. */
  readonly message: string
  /** Names of the first ten rows that changed; absent if the condition is not about changes. Sent to `notify` only with `alarms.notifyNames`. */
  readonly names?: readonly string[]
  /** Rows that changed; absent if the condition is not about changes, and in records of earlier versions. */
  readonly changedRowCount?: number
}

/** Changes as alarms read them: how many rows of each kind, and the names of the first ones. */
export interface ChangeTally {
  readonly counts: ChangeCounts
  readonly firstNames: Readonly<Partial<Record<ChangeKind, readonly string[]>>>
}

const firstNamesMax = 10
/** Numbers of names that are shown, if they fit. */
const sizes = [3, 2, 1]
/** Width of all shown names, so that the line of a message has room for whole names. */
const namesColumnsMax = 150

/** Counts changes one by one. */
export class ChangeCounter {
  readonly #counts = new Map<ChangeKind, number>()
  readonly #names = new Map<ChangeKind, string[]>()

  add({ kind, name, rowKey, rowNumber }: Change): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    const names = this.#names.get(kind) ?? []
    if (names.length === firstNamesMax) return
    this.#names.set(kind, [...names, name ?? rowKey ?? `row ${rowNumber}`])
  }

  /** Kinds are in the order of `changeKinds`. */
  get tally(): ChangeTally {
    const select = <Value>(values: ReadonlyMap<ChangeKind, Value>) =>
      Object.fromEntries(
        changeKinds.filter((kind) => values.has(kind)).map((kind) => [kind, values.get(kind)]),
      )
    return { counts: select(this.#counts), firstNames: select(this.#names) }
  }
}

/** Forms of the message about the end of a run. */
export const notifyFormats = ['json', 'slack', 'teams'] as const
export type NotifyFormat = (typeof notifyFormats)[number]

/** Ends of a run that are reported. */
export const notifyTimes = ['always', 'failure'] as const
export type NotifyTime = (typeof notifyTimes)[number]

/** Outcomes of a row in the column `status`. */
const rowStatuses = [
  'matched',
  'partial_match',
  'inconclusive',
  'no_match',
  'not_found',
  'merged',
  'failed',
  'uncertain',
  'invalid_input',
  'pending',
  'error',
] as const

/** `unmatched`: rows without a match; `review`: rows to review; `rows`: all rows; `cost`: cost of the run. */
const otherNames = ['unmatched', 'review', 'rows', 'cost'] as const

/** `merged` means the status: as a change it would be counted twice, and not without an earlier output. */
const changeNames = changeKinds.filter((kind) => kind !== 'merged')
type ChangeName = (typeof changeNames)[number]

const names = [...rowStatuses, ...otherNames, ...changeNames] as const
type AlarmName = (typeof names)[number]

const operators = ['>=', '<=', '>', '<'] as const
type Operator = (typeof operators)[number]

export interface AlarmCondition {
  readonly name: AlarmName
  readonly operator: Operator
  /** Whole millionths. */
  readonly limitMicros: number
  readonly isPercent: boolean
}

export type ParsedConditions =
  | { readonly conditions: readonly AlarmCondition[] }
  /** A sentence with the invalid part. */
  | { readonly fault: string }

const conditionsMax = 100
const microsPerUnit = 1_000_000

/** Parses `lost_match > 5%, failed>0`: conditions separated by commas, spaces anywhere. */
export function parseConditions(text: string): ParsedConditions {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > conditionsMax) return { fault: `more than ${conditionsMax} conditions` }
  const conditions: AlarmCondition[] = []
  for (const part of parts) {
    const parsed = parseCondition(part)
    if ('fault' in parsed) return parsed
    conditions.push(parsed)
  }
  return { conditions }
}

function parseCondition(part: string): AlarmCondition | { fault: string } {
  const shown = JSON.stringify(part.length > 60 ? `${part.slice(0, 60)}…` : part)
  if (part === '') return { fault: 'a condition is empty' }
  const [, word = '', sign = '', limit = ''] = /^([^<>=!\s]*)\s*([<>=!]*)\s*(.*)$/su.exec(part) ?? []
  const name = names.find((known) => known === word.toLowerCase())
  if (name === undefined && /^\d{1,6}\s*%?$/.test(part))
    return { fault: `${shown}: a number has a decimal point, like 2.5, and a comma is between conditions` }
  if (name === undefined)
    return { fault: `${shown}: ${word === '' ? 'the name is missing' : 'the name is unknown'}` }
  const operator = operators.find((known) => known === sign)
  if (operator === undefined)
    return { fault: `${shown}: one of ${operators.join(' ')} is needed after ${name}` }
  const [, units, decimals = '', percent] = /^(\d{1,9})(?:\.(\d{1,6}))?\s*(%?)$/.exec(limit) ?? []
  if (units === undefined) return { fault: `${shown}: a number is needed after ${operator}, like 5 or 5%` }
  const isPercent = percent === '%'
  if (isPercent && (name === 'rows' || name === 'cost'))
    return { fault: `${shown}: ${name} cannot be a percentage` }
  return {
    name,
    operator,
    limitMicros: Number(units) * microsPerUnit + Number(decimals.padEnd(6, '0')),
    isPercent,
  }
}

/** Hint with the names of conditions. */
export const conditionHint = `write conditions like lost_match>5%, failed>0; names: ${names.join(', ')}`

/** Formats a condition: `lost_match>5%`. */
export function formatCondition({ name, operator, limitMicros, isPercent }: AlarmCondition): string {
  return `${name}${operator}${formatDecimal(limitMicros)}${isPercent ? '%' : ''}`
}

function formatDecimal(micros: number): string {
  const decimals = String(micros % microsPerUnit)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${Math.floor(micros / microsPerUnit)}${decimals === '' ? '' : `.${decimals}`}`
}

/** Whether a condition requires an earlier output. */
export const isChangeCondition = ({ name }: AlarmCondition): boolean => isChangeName(name)

/** Results of a run for conditions. */
export interface AlarmFacts {
  /** Rows of the output. */
  readonly rowCount: number
  readonly rowsByStatus: Readonly<Record<string, number>>
  /** Null if the answers were not read. */
  readonly review: Pick<ReviewCounts, 'rowCount' | 'decidedRowsByStatus' | 'decidedAgainRowCount'> | null
  /** Null without an earlier output. */
  readonly changes: (ChangeTally & { readonly rowCountBefore: number }) | null
  /** Null if nothing is billed. */
  readonly money: { readonly cost: number; readonly currency: string | null } | null
}

/**
 * Returns the conditions that are met, in order. A percentage refers to the rows of the output; for changes, to those
 * of the earlier output. Conditions on changes are `skipped` without an earlier output.
 */
export function evaluateAlarms(
  conditions: readonly AlarmCondition[],
  facts: AlarmFacts,
): { readonly alarms: readonly Alarm[]; readonly skipped: readonly AlarmCondition[] } {
  const skipped = conditions.filter((condition) => isChangeCondition(condition) && facts.changes === null)
  const alarms = conditions
    .filter((condition) => !skipped.includes(condition))
    .flatMap((condition) => evaluateCondition(condition, facts) ?? [])
  return { alarms, skipped }
}

function evaluateCondition(condition: AlarmCondition, facts: AlarmFacts): Alarm | null {
  const { operator, limitMicros, isPercent } = condition
  const { micros, of } = measure(condition, facts)
  // Compared as products of integers, so that 7 of 100 is exactly 7 %.
  const found = isPercent ? micros * 100n : micros
  const limit = BigInt(limitMicros) * BigInt(isPercent ? of : 1)
  if (!compare(found, operator, limit)) return null
  const units = Number(micros) / microsPerUnit
  const percent = of === 0 ? 0 : (units / of) * 100
  return {
    condition: formatCondition(condition),
    found: isPercent ? Number(percent.toFixed(6)) : units,
    message: `${formatCondition(condition)}: ${describeFound(condition, facts, { units, of, percent })}`,
    ...listNames(condition, facts),
  }
}

function listNames(
  { name }: AlarmCondition,
  { changes }: AlarmFacts,
): Pick<Alarm, 'names' | 'changedRowCount'> {
  const names = isChangeName(name) ? changes?.firstNames[name] : undefined
  return names === undefined || !isChangeName(name)
    ? {}
    : { names, changedRowCount: changes?.counts[name] ?? names.length }
}

/** Formats an alarm with whole names, and the number of the others. Only a very long first name is cut, behind a word. */
export function formatAlarm({ message, names = [], changedRowCount }: Alarm): string {
  const [first] = names
  if (first === undefined) return message
  const isFitting = (count: number) => measureWidth(names.slice(0, count).join(', ')) <= namesColumnsMax
  const count = sizes.find((one) => one <= names.length && isFitting(one)) ?? 0
  const cut = cutToWidth(first, namesColumnsMax)
  const shown = count > 0 ? names.slice(0, count) : [`${cut.replace(/\s+\S*$/u, '')}…`]
  const moreCount = (changedRowCount ?? names.length) - shown.length
  const more = changedRowCount === undefined ? ', …' : ` and ${formatCount(moreCount)} more`
  return `${message}: ${shown.join(', ')}${moreCount > 0 ? more : ''}`
}

/** Returns the value of a condition in millionths, and the number of rows for percentages. */
function measure({ name }: AlarmCondition, facts: AlarmFacts): { micros: bigint; of: number } {
  const { rowCount, rowsByStatus, review, changes, money } = facts
  // A decided row counts by its decision: matched if it has a company, whatever became of the company; else not at all.
  const { no_match: noneCount = 0, ...accepted } = review?.decidedRowsByStatus ?? {}
  const acceptedCount = Object.values(accepted).reduce((sum, count) => sum + count, 0)
  const ofStatus = (status: string) =>
    (rowsByStatus[status] ?? 0) -
    (review?.decidedRowsByStatus?.[status] ?? 0) +
    (status === 'matched' ? acceptedCount : 0)
  const toMeasure = (count: number, of = rowCount) => ({ micros: BigInt(count) * BigInt(microsPerUnit), of })
  if (isChangeName(name)) return toMeasure(changes?.counts[name] ?? 0, changes?.rowCountBefore ?? 0)
  switch (name) {
    case 'rows':
      return toMeasure(rowCount)
    case 'cost':
      return { micros: BigInt(Math.round((money?.cost ?? 0) * microsPerUnit)), of: rowCount }
    case 'unmatched':
      return toMeasure(rowCount - noneCount - ofStatus('matched') - ofStatus('merged'))
    case 'review':
      return toMeasure((review?.rowCount ?? 0) - (review?.decidedAgainRowCount ?? 0))
    default:
      return toMeasure(ofStatus(name))
  }
}

function compare(found: bigint, operator: Operator, limit: bigint): boolean {
  switch (operator) {
    case '>':
      return found > limit
    case '>=':
      return found >= limit
    case '<':
      return found < limit
    case '<=':
      return found <= limit
  }
}

function describeFound(
  { name, isPercent }: AlarmCondition,
  { money }: AlarmFacts,
  { units, of, percent }: { units: number; of: number; percent: number },
): string {
  if (name === 'cost') return `the run cost ${formatAmount(units, money?.currency ?? null)}`
  const count = formatCount(units)
  if (name === 'rows') return `the output has ${plural(units, 'row')}`
  const whole = `${plural(of, 'row')}${isChangeName(name) ? ' of the previous output' : ''}`
  return isPercent ? `${count} of ${whole} (${formatPercent(percent)})` : `${count} of ${whole}`
}

/** Rounds to two decimals for display; `found` has more. */
const formatPercent = (percent: number): string => `${Number(percent.toFixed(2))}%`

const isChangeName = (name: AlarmName): name is ChangeName => changeNames.some((kind) => kind === name)
