import { canonicalIdentifier } from '../../core/identifiers.js'
import { recordUrls } from '../model/identifiers.js'
import type { ImportItem, RelationshipType } from '../model/import-item.js'
import { dateOf } from './draft.js'
import { tableFormat, type TableRow } from './table.js'

const types: ReadonlySet<string> = new Set<RelationshipType>([
  'IS_DIRECTLY_CONSOLIDATED_BY',
  'IS_ULTIMATELY_CONSOLIDATED_BY',
  'IS_INTERNATIONAL_BRANCH_OF',
  'IS_FUND-MANAGED_BY',
  'IS_SUBFUND_OF',
  'IS_FEEDER_TO',
])

function isType(text: string): text is RelationshipType {
  return types.has(text)
}

const columns = {
  child: 'Relationship.StartNode.NodeID',
  childType: 'Relationship.StartNode.NodeIDType',
  parent: 'Relationship.EndNode.NodeID',
  parentType: 'Relationship.EndNode.NodeIDType',
  type: 'Relationship.RelationshipType',
  status: 'Relationship.RelationshipStatus',
  registrationStatus: 'Registration.RegistrationStatus',
  updatedOn: 'Registration.LastUpdateDate',
} as const

const numbered = [1, 2, 3, 4, 5]
const periods = numbered.map((number) => ({
  start: `Relationship.Period.${number}.startDate`,
  end: `Relationship.Period.${number}.endDate`,
  type: `Relationship.Period.${number}.periodType`,
}))
const quantifiers = numbered.map((number) => ({
  amount: `Relationship.Quantifiers.${number}.QuantifierAmount`,
  units: `Relationship.Quantifiers.${number}.QuantifierUnits`,
}))

/** `gleif-relationships`: the Level 2 golden copy (RR-CDF 2.1) as CSV. Records that ended are left out. */
export const gleifRelationships = tableFormat({
  what: 'Level 2 relationship file of GLEIF',
  required: [columns.child, columns.parent, columns.type, columns.status],
  wanted: [
    columns.childType,
    columns.parentType,
    columns.registrationStatus,
    columns.updatedOn,
    ...[...periods, ...quantifiers].flatMap((group) => Object.values(group)),
  ],
  read: relationshipOf,
})

/** Total: any text gives an item. */
function relationshipOf(row: TableRow, line: number): ImportItem {
  const type = row.text(columns.type) ?? ''
  if (!isType(type)) return { kind: 'rejected', line, reason: `its type "${type.slice(0, 40)}" is not known` }
  for (const column of [columns.childType, columns.parentType]) {
    const nodeType = row.text(column)
    if (nodeType !== null && nodeType !== 'LEI') {
      return { kind: 'rejected', line, reason: `it names a company by ${nodeType.slice(0, 20)}, not by LEI` }
    }
  }
  const child = canonicalIdentifier('lei', row.text(columns.child) ?? '')
  if ('reason' in child) return { kind: 'rejected', line, reason: child.reason }
  const parent = canonicalIdentifier('lei', row.text(columns.parent) ?? '')
  if ('reason' in parent) return { kind: 'rejected', line, reason: parent.reason }
  if (child.value === parent.value)
    return { kind: 'rejected', line, reason: 'it relates a company to itself' }
  if (!holds(row)) return { kind: 'skipped', line }
  return {
    kind: 'relationship',
    line,
    childKey: `lei:${child.value}`,
    parentKey: `lei:${parent.value}`,
    type,
    percentage: percentageOf(row),
    ...datesOf(row),
    sourceUrl: recordUrls.lei(child.value),
  }
}

function holds(row: TableRow): boolean {
  const isVoid = /^(?:DUPLICATE|ANNULLED)$/.test(row.text(columns.registrationStatus) ?? '')
  return row.text(columns.status) === 'ACTIVE' && !isVoid
}

/** The time of the relationship itself: other periods are of accounts and documents. */
function datesOf(row: TableRow): { fromDate: string | null; toDate: string | null } {
  const period = periods.find(({ type }) => row.text(type) === 'RELATIONSHIP_PERIOD')
  if (period === undefined) return { fromDate: null, toDate: null }
  const end = dateOf(row.text(period.end))
  const updatedOn = dateOf(row.text(columns.updatedOn))
  // An end that was still to come when the record was written has not ended it.
  const hasEnded = end !== null && updatedOn !== null && end <= updatedOn
  return { fromDate: dateOf(row.text(period.start)), toDate: hasEnded ? end : null }
}

/**
 * The share, where one is given. Units are percent, or left out. An amount of 1 or less is written by some
 * for the whole and by others for one percent: it says nothing.
 */
function percentageOf(row: TableRow): number | null {
  for (const { amount, units } of quantifiers) {
    const share = Number(row.text(amount) ?? NaN)
    const unit = row.text(units)
    if (share > 1 && share <= 100 && (unit === null || unit === 'PERCENTAGE')) return share
  }
  return null
}
