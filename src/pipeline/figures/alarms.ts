import { formatCount, plural } from '../../core/text.js'
import { changeKinds, type ChangeCounts } from './change-kinds.js'
import { formatAmount } from './money.js'

/** A condition of `--fail-on` that was met. */
export interface Alarm {
  /** As it was written: `lost_match>5%`. */
  readonly condition: string
  /** What was found, in the unit of the condition. */
  readonly found: number
  readonly message: string
}

/** What a row may have come to, as the column `status` says it. */
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

/** `unmatched`: rows without a match; `rows`: all of them; `cost`: what the run cost. */
const otherNames = ['unmatched', 'rows', 'cost'] as const

/** `merged` is the status: it would be counted twice otherwise, and where no output was before, not at all. */
const changeNames = changeKinds.filter((kind) => kind !== 'merged')
type ChangeName = (typeof changeNames)[number]

const names = [...rowStatuses, ...otherNames, ...changeNames] as const
type AlarmName = (typeof names)[number]

const operators = ['>=', '<=', '>', '<'] as const
type Operator = (typeof operators)[number]

/** One condition of `--fail-on`. */
export interface AlarmCondition {
  readonly name: AlarmName
  readonly operator: Operator
  /** Millionths, whole. */
  readonly limitMicros: number
  readonly isPercent: boolean
}

export type ParsedConditions =
  | { readonly conditions: readonly AlarmCondition[] }
  /** In a sentence, with the part that is wrong. */
  | { readonly fault: string }

const conditionsMax = 100
const microsPerUnit = 1_000_000

/** `lost_match > 5%, failed>0`: several with commas, with spaces wherever. */
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
  if (name === undefined)
    return { fault: `${shown}: ${word === '' ? 'it names nothing' : 'it names nothing that is counted'}` }
  const operator = operators.find((known) => known === sign)
  if (operator === undefined)
    return { fault: `${shown}: one of ${operators.join(' ')} is needed after ${name}` }
  const [, units, decimals = '', percent] = /^(\d{1,9})(?:\.(\d{1,6}))?\s*(%?)$/.exec(limit) ?? []
  if (units === undefined) return { fault: `${shown}: a number is needed after ${operator}, like 5 or 5%` }
  const isPercent = percent === '%'
  if (isPercent && (name === 'rows' || name === 'cost'))
    return { fault: `${shown}: ${name} is no share of anything` }
  return {
    name,
    operator,
    limitMicros: Number(units) * microsPerUnit + Number(decimals.padEnd(6, '0')),
    isPercent,
  }
}

/** What a condition may name, for people. */
export const conditionHint = `like lost_match>5%, failed>0; it may name ${names.join(', ')}`

/** As short as it can be written: `lost_match>5%`. */
export function conditionText({ name, operator, limitMicros, isPercent }: AlarmCondition): string {
  return `${name}${operator}${decimalText(limitMicros)}${isPercent ? '%' : ''}`
}

function decimalText(micros: number): string {
  const decimals = String(micros % microsPerUnit)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${Math.floor(micros / microsPerUnit)}${decimals === '' ? '' : `.${decimals}`}`
}

/** Whether a condition can be judged only where an output was before. */
export const isOfChanges = ({ name }: AlarmCondition): boolean => isChangeName(name)

/** What a run came to, as far as conditions ask. */
export interface AlarmFacts {
  /** Of the rows of its output. */
  readonly rowCount: number
  readonly rowsByStatus: Readonly<Record<string, number>>
  /** Null without an output before. */
  readonly changes: { readonly counts: ChangeCounts; readonly rowCountBefore: number } | null
  /** Null where nobody pays. */
  readonly money: { readonly cost: number; readonly currency: string | null } | null
}

/**
 * The conditions that are met, in their order. A percent is of all rows of the output; of a change, of the rows of the
 * output before. Conditions on changes that have no output before are in `skipped`.
 */
export function evaluateAlarms(
  conditions: readonly AlarmCondition[],
  facts: AlarmFacts,
): { readonly alarms: readonly Alarm[]; readonly skipped: readonly AlarmCondition[] } {
  const skipped = conditions.filter((condition) => isOfChanges(condition) && facts.changes === null)
  const alarms = conditions
    .filter((condition) => !skipped.includes(condition))
    .flatMap((condition) => alarmOf(condition, facts) ?? [])
  return { alarms, skipped }
}

function alarmOf(condition: AlarmCondition, facts: AlarmFacts): Alarm | null {
  const { operator, limitMicros, isPercent } = condition
  const { micros, of } = measure(condition, facts)
  // Compared as products of whole numbers: a share of 7 in 100 is 7%, and not a little more.
  const found = isPercent ? micros * 100n : micros
  const limit = BigInt(limitMicros) * BigInt(isPercent ? of : 1)
  if (!compare(found, operator, limit)) return null
  const units = Number(micros) / microsPerUnit
  const percent = of === 0 ? 0 : (units / of) * 100
  return {
    condition: conditionText(condition),
    found: isPercent ? Number(percent.toFixed(6)) : units,
    message: `${conditionText(condition)}: ${foundText(condition, facts, { units, of, percent })}`,
  }
}

/** What a condition names, in millionths, and the rows that a percent of it is of. */
function measure({ name }: AlarmCondition, facts: AlarmFacts): { micros: bigint; of: number } {
  const { rowCount, rowsByStatus, changes, money } = facts
  const ofStatus = (status: string) => rowsByStatus[status] ?? 0
  const counted = (count: number, of = rowCount) => ({ micros: BigInt(count) * BigInt(microsPerUnit), of })
  if (isChangeName(name)) return counted(changes?.counts[name] ?? 0, changes?.rowCountBefore ?? 0)
  switch (name) {
    case 'rows':
      return counted(rowCount)
    case 'cost':
      return { micros: BigInt(Math.round((money?.cost ?? 0) * microsPerUnit)), of: rowCount }
    case 'unmatched':
      return counted(rowCount - ofStatus('matched') - ofStatus('merged'))
    default:
      return counted(ofStatus(name))
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

function foundText(
  { name, isPercent }: AlarmCondition,
  { money }: AlarmFacts,
  { units, of, percent }: { units: number; of: number; percent: number },
): string {
  if (name === 'cost') return `the run cost ${formatAmount(units, money?.currency ?? null)}`
  const count = formatCount(units)
  if (name === 'rows') return `the output has ${plural(units, 'row')}`
  const whole = `${plural(of, 'row')}${isChangeName(name) ? ' of the output before' : ''}`
  return isPercent ? `${count} of ${whole} (${percentText(percent)})` : `${count} of ${whole}`
}

/** Rounded to two decimals, as far as people read; `found` has more. */
const percentText = (percent: number): string => `${Number(percent.toFixed(2))}%`

const isChangeName = (name: AlarmName): name is ChangeName => changeNames.some((kind) => kind === name)
