import { parseCustomId, type SubmissionName } from './lookup.js'
import type { LookupState } from '../../core/lookup-state.js'
import type { Settlement } from './transitions.js'
import { statSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import {
  openDelimited,
  openFileBytes,
  openText,
  type ByteSource,
  type TextSource,
} from '../../tables/text-tables.js'
import type { Encoding } from '../../core/file-formats.js'

/** The result of a reconciliation with the service's list of charges. Lists of custom ids, and counts. */
export interface SettledCharges {
  /** Charged, with a run: the next run fetches its answer at no cost. */
  accepted: string[]
  /** Charged, but the list names no run or several: not submitted again. */
  charged: string[]
  /** Not in a complete list: never created; the next run submits them. */
  notCreated: string[]
  /** Submissions that were missing from this checkpoint and were restored. */
  restored: string[]
  /** More than one charge for one submission. */
  billedTwice: string[]
  /** Lookups with several charged submissions: by `retry`, `--max-age`, `--resubmit-uncertain` or a rollback. */
  severalCharged: string[][]
  /** Submissions of this checkpoint whose scope is not in it. */
  unknown: string[]
  /** Still uncertain: not in the list, and the list is not declared complete or is older. */
  leftUncertain: string[]
  /** Charges of other checkpoints or callers. */
  otherCount: number
}

export interface ChargeRulesDeps {
  checkpointId: string
  charges: ReadonlyMap<string, Charge>
  /** Submissions sent until then are in the list if they were charged; `null` if the list is not declared complete. */
  completeUntilMs: number | null
  nowMs: number
}

export interface OwnCharge {
  readonly charge: Charge
  readonly name: SubmissionName
}

/** A lookup before its charge is settled. */
export interface ChargedLookup {
  readonly lookupId: number
  readonly state: LookupState
  readonly attempt: number
  readonly customId: string | null
}

export interface UncertainSubmission {
  readonly customId: string
  readonly lookupId: number
  readonly intendedAtMs: number
}

/** How a charge settles its submission. */
export interface SettledCharge extends Settlement {
  readonly verdict: 'accepted' | 'uncertain'
  /** New state of the lookup; `null` if the lookup is left unchanged. */
  readonly state: 'running' | 'uncertain' | null
}

/** How a submission that is not in a complete list is settled. */
export const neverCreated = {
  verdict: 'not_created',
  runId: null,
  reason: 'not in the list of charges: never created',
  acceptedAtMs: null,
} as const

const openStates: ReadonlySet<LookupState> = new Set(['new', 'uncertain', 'intended', 'invalid'])

/** The one run that a charge names; `null` if it names none or several. */
export function getSingleRun({ runIds }: Charge): string | null {
  const [runId] = runIds
  return runId === undefined || runIds.length > 1 ? null : runId
}

/** Decides how a list of charges settles submissions. Both stores read the rows, call it, and write. */
export class ChargeRules {
  readonly result: SettledCharges = {
    accepted: [],
    charged: [],
    notCreated: [],
    restored: [],
    billedTwice: [],
    severalCharged: [],
    unknown: [],
    leftUncertain: [],
    otherCount: 0,
  }
  readonly #deps: ChargeRulesDeps

  constructor(deps: ChargeRulesDeps) {
    this.#deps = deps
  }

  /** Returns the charges of this checkpoint, without those with no charged unit. Counts the others. */
  selectOwnCharges(): OwnCharge[] {
    const own: OwnCharge[] = []
    const chargedOfLookup = new Map<string, string[]>()
    for (const charge of this.#deps.charges.values()) {
      const { customId, chargeCount, refundCount, runIds } = charge
      const name = parseCustomId(customId)
      if (name?.checkpointId !== this.#deps.checkpointId) {
        this.result.otherCount++
        continue
      }
      if (chargeCount > 1 || runIds.length > 1) this.result.billedTwice.push(customId)
      if (chargeCount > refundCount) {
        const key = `${name.scopeId} ${name.keyHex}`
        chargedOfLookup.set(key, [...(chargedOfLookup.get(key) ?? []), customId])
      }
      if (chargeCount > 0) own.push({ charge, name })
    }
    this.result.severalCharged = [...chargedOfLookup.values()].filter(({ length }) => length > 1)
    return own
  }

  /** Settles a submission that was not recorded as accepted. `runId`: the run of its charge, `null` if unknown. */
  settle(customId: string, name: SubmissionName, lookup: ChargedLookup, runId: string | null): SettledCharge {
    ;(runId === null ? this.result.charged : this.result.accepted).push(customId)
    // If a later submission exists, or the lookup is answered, only the submission's verdict changes.
    const isCurrent = lookup.customId === customId || lookup.customId === null
    const isOpen = isCurrent && openStates.has(lookup.state) && name.attempt >= lookup.attempt
    return {
      verdict: runId === null ? 'uncertain' : 'accepted',
      state: !isOpen ? null : runId === null ? 'uncertain' : 'running',
      runId,
      reason: runId === null ? 'charged, says the list of charges, which names no run' : null,
      acceptedAtMs: runId === null ? null : this.#deps.nowMs,
    }
  }

  /** Returns the uncertain submissions that were never created; the others without a charge stay uncertain. */
  findNeverCreated<Submission extends UncertainSubmission>(uncertain: readonly Submission[]): Submission[] {
    const { charges, completeUntilMs } = this.#deps
    const uncharged = uncertain.filter(({ customId }) => (charges.get(customId)?.chargeCount ?? 0) === 0)
    const isCovered = ({ intendedAtMs }: Submission) =>
      completeUntilMs !== null && intendedAtMs <= completeUntilMs
    for (const submission of uncharged) {
      const list = isCovered(submission) ? this.result.notCreated : this.result.leftUncertain
      list.push(submission.customId)
    }
    return uncharged.filter(isCovered)
  }
}

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

interface Ledger {
  charges: ReadonlyMap<string, Charge>
  lineCount: number
  /** Time when the list was written: it cannot contain later submissions. */
  writtenAtMs: number
}

/**
 * Reads a service's list of charges: CSV with any delimiter, its columns found by header, or NDJSON as printed by
 * `enrich accounts ledger NAME --json`. Throws LEDGER_INVALID.
 */
export async function readLedger(path: string): Promise<Ledger> {
  const book = new ChargeBook()
  let lineCount = 0
  try {
    const writtenAtMs = statSync(path).mtimeMs
    const file = openFileBytes(path, path)
    const text = await openLedger(file)
    const lines = (await isJson(text)) ? readJsonRows(text) : readCsvRows(file, text.encoding)
    let columns: ReturnType<typeof findLedgerColumns> | null = null
    for await (const { header, cells } of lines) {
      columns = header === undefined ? columns : findColumns(header, path)
      if (cells === undefined || columns === null) continue
      lineCount++
      const entry = readLedgerEntry(cells, columns)
      if (entry !== null) book.add(entry)
    }
    if (columns === null) throw createInvalidError(path, 'it is empty')
    return { charges: book.charges, lineCount, writtenAtMs }
  } catch (error) {
    if (!(error instanceof UserError)) throw createInvalidError(path, 'it cannot be read', error)
    throw error.code === 'LEDGER_INVALID' ? error : createInvalidError(path, error.message, error)
  }
}

type LedgerLine = { header?: readonly string[]; cells?: readonly string[] }

function findColumns(header: readonly string[], path: string) {
  const columns = findLedgerColumns(header)
  if (columns.customId === undefined)
    throw createInvalidError(path, 'no column holds the custom_id of each charge')
  return columns
}

function createInvalidError(path: string, what: string, cause?: unknown): UserError {
  return new UserError('LEDGER_INVALID', `the list of charges ${path}: ${what}`, {
    hint: 'pass a CSV file with the column custom_id and optionally run_id, units, kind, at; or the output of enrich accounts ledger NAME --json',
    cause,
  })
}

/** Custom ids are ASCII, so any encoding reads them when that of the names is in doubt. */
async function openLedger(file: ByteSource): Promise<TextSource> {
  try {
    return await openText(file, undefined)
  } catch (error) {
    const isInDoubt = error instanceof UserError && /^INPUT_ENCODING_(MIXED|UNSURE)$/.test(error.code)
    if (!isInDoubt) throw error
    return openText(file, 'utf-8+windows-1252')
  }
}

async function* readJsonRows(text: TextSource): AsyncGenerator<LedgerLine> {
  const toText = (value: unknown) =>
    typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  for await (const lines of text.objectLines(true)) {
    for (const line of lines) {
      const row = JSON.parse(line) as Record<string, unknown>
      yield { header: Object.keys(row), cells: Object.values(row).map(toText) }
    }
  }
}

async function* readCsvRows(file: ByteSource, encoding: Encoding): AsyncGenerator<LedgerLine> {
  const headers: LedgerLine[] = []
  const choose = (header: readonly string[]) => {
    headers.push({ header })
    return null
  }
  for await (const records of (await openDelimited(file, { encoding })).records(choose)) {
    yield* headers.splice(0)
    for (const { cells } of records) yield { cells }
  }
}

async function isJson(text: TextSource): Promise<boolean> {
  for await (const piece of text.pieces()) if (piece.trim() !== '') return piece.trimStart().startsWith('{')
  return false
}
