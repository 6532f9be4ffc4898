/** One line of the service's list of charges. */
export interface LedgerEntry {
  customId: string
  /** Null if unknown. */
  runId: string | null
  /** Zero or negative if nothing was charged. */
  units: number
  isRefund: boolean
  atMs: number | null
}

/** Possible names of columns, without case, spaces and signs. */
const headers = {
  customId: ['customid', 'label', 'clientreference'],
  runId: ['runid', 'run', 'requestid'],
  units: ['units', 'charged', 'amount', 'credits', 'cost', 'quantity'],
  kind: ['kind', 'type', 'entrytype'],
  refunded: ['refunded', 'isrefunded', 'refundedat', 'refund'],
  at: ['at', 'createdat', 'chargedat', 'time', 'timestamp', 'date'],
} as const
export type LedgerColumn = keyof typeof headers

/** Returns the index of each column in the list; missing columns are omitted. */
export function findLedgerColumns(header: readonly string[]): Partial<Record<LedgerColumn, number>> {
  const plain = header.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''))
  const found: Partial<Record<LedgerColumn, number>> = {}
  for (const [column, names] of Object.entries(headers) as [LedgerColumn, readonly string[]][]) {
    const index = plain.findIndex((name) => names.includes(name))
    if (index !== -1) found[column] = index
  }
  return found
}

/** Returns null if the line has no submission of ours, such as a grant. */
export function readLedgerEntry(
  cells: readonly string[],
  columns: Partial<Record<LedgerColumn, number>>,
): LedgerEntry | null {
  const getCell = (column: LedgerColumn) => {
    const index = columns[column]
    return index === undefined ? '' : (cells[index] ?? '').trim()
  }
  const customId = getCell('customId')
  if (customId === '') return null
  const units = parseAmount(getCell('units'))
  const isMarked = !['', '0', 'false', 'no', 'null'].includes(getCell('refunded').toLowerCase())
  const atMs = Date.parse(getCell('at'))
  return {
    customId,
    runId: getCell('runId') || null,
    units: Math.abs(units),
    isRefund: isMarked || units < 0 || /refund|credit|reversal/i.test(getCell('kind')),
    atMs: Number.isNaN(atMs) ? null : atMs,
  }
}

/** A line without an amount is a charge. */
function parseAmount(text: string): number {
  if (text === '') return 1
  if (/^(true|yes)$/i.test(text)) return 1
  if (/^(false|no)$/i.test(text)) return 0
  const value = Number(text.replace(',', '.').replace(/[^\d.-]/g, ''))
  return Number.isNaN(value) ? 1 : value
}

/** All lines of one submission. */
export interface Charge {
  customId: string
  /** More than one means that several runs were created. */
  runIds: string[]
  chargeCount: number
  refundCount: number
}

/** Collects the lines of each submission, charges and refunds. */
export class ChargeBook {
  readonly charges = new Map<string, Charge>()

  add(entry: LedgerEntry): void {
    const { customId } = entry
    const charge = this.charges.get(customId) ?? { customId, runIds: [], chargeCount: 0, refundCount: 0 }
    this.charges.set(customId, charge)
    if (entry.isRefund) charge.refundCount++
    else if (entry.units > 0) charge.chargeCount++
    if (entry.runId !== null && !charge.runIds.includes(entry.runId)) charge.runIds.push(entry.runId)
  }
}
